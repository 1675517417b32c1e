//! The sampler: documented, the same on every machine, and never to be changed under this name.

use sha2::{Digest as _, Sha256};

use super::{Fate, Plan};
use crate::base::lowest;

/// Name of the sampler in records. It chooses among the counted mutants of the classes that a limit
/// samples: each has the rank SHA-256 of
/// `<seed in decimal>:<mutant id>`; each file gets its share of the limit by largest remainder
/// (ties to the earlier file), and keeps its mutants of lowest rank.
pub const SAMPLER: &str = "sha256-rank/1";

pub(super) fn apply(plan: &mut Plan, limit: usize, seed: u64) {
    let sampled = |place: &usize| plan.mutants[*place].class.is_sampled();
    let counted = plan.counted().filter(sampled).collect::<Vec<_>>();
    plan.population = plan.population.max(counted.len());
    if counted.len() <= limit {
        return;
    }
    let mut by_file = vec![Vec::new(); plan.files.len()];
    for place in counted {
        by_file[plan.mutants[place].edit.file as usize].push(place);
    }
    let sizes = by_file.iter().map(Vec::len).collect::<Vec<_>>();
    for (places, share) in by_file.into_iter().zip(shares(&sizes, limit)) {
        let kept = lowest(places.iter().copied(), share, |place| {
            <[u8; 32]>::from(Sha256::digest(format!("{seed}:{}", plan.mutants[place].id)))
        });
        places.into_iter().for_each(|place| plan.mutants[place].fate = Fate::NotSampled);
        kept.into_iter().for_each(|place| plan.mutants[place].fate = Fate::Counted);
    }
}

/// `limit` split over groups of these sizes: floors first, then the largest remainders.
fn shares(sizes: &[usize], limit: usize) -> Vec<usize> {
    let total = sizes.iter().sum::<usize>().max(1) as u128;
    let exact = |size: usize| size as u128 * limit as u128;
    let floor = |size: usize| usize::try_from(exact(size) / total).expect("at most the limit");
    let mut shares = sizes.iter().map(|&size| floor(size)).collect::<Vec<_>>();
    let mut order = (0..sizes.len()).collect::<Vec<_>>();
    order.sort_by_key(|&group| (std::cmp::Reverse(exact(sizes[group]) % total), group));
    let left = limit - shares.iter().sum::<usize>();
    for &group in order.iter().take(left) {
        shares[group] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_proportional_and_add_up() {
        assert_eq!(shares(&[10, 20, 30], 6), [1, 2, 3]);
        assert_eq!(shares(&[1, 1, 1], 2), [1, 1, 0]);
        assert_eq!(shares(&[100, 1], 10), [10, 0]);
        assert_eq!(shares(&[0, 5, 0], 5), [0, 5, 0]);
    }
}
