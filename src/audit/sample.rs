//! Which claims are tried again, and what their agreement says of the others. Pure.

use crate::base::Sha256;

/// Of `killed`, the claim for each mutant, the places of at most `size`: half of them claimed kills and
/// half claimed survivors, and where one kind is short, more of the other.
///
/// Each mutant has the rank SHA-256 of `<seed in decimal>:<its id>`; of each kind those of lowest rank
/// are taken. Places come back in ascending order.
#[must_use]
pub fn choose(claims: &[(&str, bool)], size: usize, seed: u64) -> Vec<usize> {
    let ranked = |kind: bool| {
        let places = (0..claims.len()).filter(|&place| claims[place].1 == kind);
        let mut places = places.collect::<Vec<_>>();
        let rank =
            |place: &usize| *Sha256::of(format!("{seed}:{}", claims[*place].0).as_bytes()).as_raw();
        places.sort_by_cached_key(rank);
        places
    };
    let (kills, survivors) = (ranked(true), ranked(false));
    let half = size / 2;
    let of_survivors = half.max(size.saturating_sub(kills.len())).min(survivors.len());
    let of_kills = (size - of_survivors).min(kills.len());
    let mut chosen = [&kills[..of_kills], &survivors[..of_survivors]].concat();
    chosen.sort_unstable();
    chosen
}

/// The upper 95 % confidence bound (Clopper and Pearson, one-sided) on the share of wrong claims, when
/// `wrong` of `tried` were found so; 1 when none was tried.
#[must_use]
pub fn upper_bound(wrong: usize, tried: usize) -> f64 {
    if wrong >= tried {
        return 1.0;
    }
    // The share at which so few wrong ones would be seen in one case of twenty.
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if at_most(wrong, tried, middle) > 0.05 { low = middle } else { high = middle }
    }
    high
}

/// The probability of at most `wrong` of `tried`, each with probability `share`, which is in (0, 1).
fn at_most(wrong: usize, tried: usize, share: f64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
    let (tried, count) = (tried as f64, |number: usize| number as f64);
    // In logarithms: the first term of a large sample is too small for a double.
    let mut term = tried * (1.0 - share).ln();
    let mut sum = term.exp();
    for number in 0..wrong {
        term +=
            ((tried - count(number)) / (count(number) + 1.0)).ln() + (share / (1.0 - share)).ln();
        sum += term.exp();
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("{number:012x}")).collect()
    }

    #[test]
    fn the_bound_is_that_of_the_tables() {
        for (wrong, tried, bound) in
            [(0, 30, 0.0950), (0, 1, 0.95), (1, 10, 0.3942), (5, 50, 0.1988), (0, 3000, 0.000_998)]
        {
            let found = upper_bound(wrong, tried);
            assert!((found - bound).abs() < 0.0001, "{wrong} of {tried}: {found}");
        }
        assert!((upper_bound(0, 0) - 1.0).abs() < f64::EPSILON);
        assert!((upper_bound(4, 4) - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn half_of_a_sample_are_kills_where_there_are_enough() {
        let ids = ids(100);
        let claims = |kills: usize| {
            let claims = ids.iter().enumerate().map(|(place, id)| (id.as_str(), place < kills));
            claims.collect::<Vec<_>>()
        };
        let count = |kills: usize, size: usize| {
            let chosen = choose(&claims(kills), size, 7);
            (chosen.iter().filter(|&&place| place < kills).count(), chosen.len())
        };
        assert_eq!(count(50, 30), (15, 30));
        assert_eq!(count(95, 30), (25, 30));
        assert_eq!(count(4, 30), (4, 30));
        assert_eq!(count(50, 31), (16, 31));
        assert_eq!(count(50, 300), (50, 100));
        assert_ne!(choose(&claims(50), 30, 1), choose(&claims(50), 30, 2));
        assert_eq!(choose(&claims(50), 30, 1), choose(&claims(50), 30, 1));
    }

    #[test]
    fn a_vector_with_a_tenth_of_its_bits_flipped_is_caught_by_thirty_in_19_of_20_seeds() {
        let ids = ids(200);
        let (mut caught, seeds) = (0, 1000);
        for seed in 0..seeds {
            // Which bits the forger flips hangs on another seed, as does which mutants are killed.
            let rank = |what: &str, id: &str| Sha256::of(format!("{what}{seed}:{id}").as_bytes());
            let truth = ids.iter().map(|id| rank("truth", id).as_raw()[0] % 2 == 0);
            let truth = truth.collect::<Vec<_>>();
            let mut order = (0..ids.len()).collect::<Vec<_>>();
            order.sort_by_cached_key(|&place| rank("forger", &ids[place]));
            let mut forged = truth.clone();
            order[..20].iter().for_each(|&place| forged[place] = !forged[place]);
            let claims = ids.iter().map(String::as_str).zip(forged.iter().copied());
            let chosen = choose(&claims.collect::<Vec<_>>(), 30, seed);
            caught += usize::from(chosen.iter().any(|&place| forged[place] != truth[place]));
        }
        assert!(caught * 20 > 19 * 1000, "{caught} of {seeds}");
    }
}
