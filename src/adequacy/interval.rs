//! What a sample says of the mutants it was drawn from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Adequacy;
use crate::plan::{FateKind, Planned};

/// The share of killed mutants among all that the sampler chose from, estimated from those that ran.
///
/// It is about the choice of these mutants and nothing else: it says nothing of real faults missed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Mutants chosen from.
    pub population: u64,
    /// Those that ran.
    pub sampled: u64,
    /// The estimate.
    pub share: f64,
    /// Half the width of the 95 % interval around it.
    pub margin: f64,
}

/// One file's part of the sample.
#[derive(Default)]
struct Stratum {
    population: u64,
    sampled: u64,
    killed: u64,
}

/// Two-sided 95 % of the normal distribution.
const Z: f64 = 1.959_964;

impl Interval {
    /// The interval of a run whose plan was sampled: by file the farther end of Wilson's interval, with the
    /// correction for finite populations, weighed and added as squares; `None` where no mutant was left out.
    #[must_use]
    pub fn of<'p>(
        mutants: impl Iterator<Item = Planned<'p>> + Clone,
        adequacy: &Adequacy,
    ) -> Option<Self> {
        if adequacy.not_sampled == 0 {
            return None;
        }
        let mut strata = BTreeMap::<&str, Stratum>::new();
        let left_out = mutants.clone().filter(|mutant| mutant.fate == FateKind::NotSampled);
        left_out.for_each(|mutant| strata.entry(mutant.path).or_default().population += 1);
        for (mutant, killed) in adequacy.counted(mutants) {
            if mutant.class.is_sampled() {
                let stratum = strata.entry(mutant.path).or_default();
                stratum.population += 1;
                stratum.sampled += 1;
                stratum.killed += u64::from(killed);
            }
        }
        Some(Self::from_strata(strata.values()))
    }

    #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
    fn from_strata<'a>(strata: impl Iterator<Item = &'a Stratum> + Clone) -> Self {
        let population = strata.clone().map(|it| it.population).sum::<u64>();
        let sampled = strata.clone().map(|it| it.sampled).sum::<u64>();
        let (mut share, mut squares) = (0.0, 0.0);
        for Stratum { population: all, sampled, killed } in strata {
            let (all, n, killed) = (*all as f64, *sampled as f64, *killed as f64);
            let weight = all / population as f64;
            // Nothing is known of a file of which nothing ran: the middle.
            let rate = if *sampled == 0 { 0.5 } else { killed / n };
            // Wilson's interval: a few that all died do not show that every one would.
            let middle = (killed + Z * Z / 2.0) / (n + Z * Z);
            let half = Z * (killed * (1.0 - rate) + Z * Z / 4.0).sqrt() / (n + Z * Z);
            let reach = half + (middle - rate).abs();
            share += weight * rate;
            squares += weight * weight * (1.0 - n / all) * reach * reach;
        }
        Self { population, sampled, share, margin: squares.sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(strata: &[(u64, u64, u64)]) -> (f64, f64) {
        let strata = strata.iter().map(|&(population, sampled, killed)| Stratum {
            population,
            sampled,
            killed,
        });
        let strata = strata.collect::<Vec<_>>();
        let found = Interval::from_strata(strata.iter());
        let rounded = |value: f64| (value * 1e4).round() / 1e4;
        (rounded(found.share), rounded(found.margin))
    }

    #[test]
    fn files_weigh_by_their_mutants_and_a_whole_sample_leaves_no_doubt() {
        assert_eq!(of(&[(100, 10, 5)]), (0.5, 0.2499));
        assert_eq!(of(&[(10, 10, 7)]), (0.7, 0.0));
        assert_eq!(of(&[(900, 10, 10), (100, 10, 0)]), (0.9, 0.2498));
        assert_eq!(of(&[(100, 0, 0)]), (0.5, 0.5));
        assert_eq!(of(&[(100, 1, 1)]), (1.0, 0.7895));
    }
}
