//! What the agreement of the claims that were tried again says of the others. Pure.

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
}
