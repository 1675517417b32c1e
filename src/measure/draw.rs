//! Which verdicts are made again. Pure.

use crate::base::{Sha256, lowest};

/// Of `killed`, the claim for each mutant, the places of at most `size`: half of them claimed kills and
/// half claimed survivors, and where one kind is short, more of the other.
///
/// Each mutant has the rank SHA-256 of `<seed in decimal>:<its id>`; of each kind those of lowest rank
/// are taken. Places come back in ascending order.
#[must_use]
pub fn choose(claims: &[(&str, bool)], size: usize, seed: u64) -> Vec<usize> {
    let of_kind = |kind: bool| (0..claims.len()).filter(move |&place| claims[place].1 == kind);
    let rank =
        |place: usize| *Sha256::of(format!("{seed}:{}", claims[place].0).as_bytes()).as_raw();
    let (kills, survivors) = (of_kind(true).count(), of_kind(false).count());
    let half = size / 2;
    let of_survivors = half.max(size.saturating_sub(kills)).min(survivors);
    let of_kills = (size - of_survivors).min(kills);
    let mut chosen = lowest(of_kind(true), of_kills, rank);
    chosen.extend(lowest(of_kind(false), of_survivors, rank));
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("{number:012x}")).collect()
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
