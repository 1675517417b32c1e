//! A sample by rank.

use std::collections::BinaryHeap;

/// The `size` of these numbers that have the lowest ranks, in the order of their ranks. No more of them
/// than those are held at a time.
pub fn lowest<K: Ord>(
    numbers: impl IntoIterator<Item = usize>,
    size: usize,
    rank: impl Fn(usize) -> K,
) -> Vec<usize> {
    let mut held = BinaryHeap::new();
    for number in numbers {
        held.push((rank(number), number));
        if held.len() > size {
            held.pop();
        }
    }
    held.into_sorted_vec().into_iter().map(|(_, number)| number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_ranks_are_taken_in_order() {
        let rank = |number: usize| (number * 7) % 10;
        assert_eq!(lowest(0..10, 4, rank), [0, 3, 6, 9]);
        assert_eq!(lowest(0..3, 4, rank), [0, 2, 1]);
        assert_eq!(lowest(0..3, 0, rank), Vec::<usize>::new());
    }
}
