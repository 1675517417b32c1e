//! Counts without an upper bound.

use std::cmp::Ordering;
use std::fmt;

use crate::base::code::Code;
use crate::base::json::{Integer, Node, Value};

/// A whole number from 0 up, exact: compared and summed without wrapping or rounding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count(Digits);

/// A number that fits is always `Small`, so equal numbers are equal values.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Digits {
    Small(u64),
    Large(Box<str>),
}

impl Count {
    /// Nothing counted.
    pub const ZERO: Self = Self(Digits::Small(0));

    /// The count an integer token gives.
    pub(super) fn read(node: Node<'_>, code: Code) -> Result<Self, Code> {
        let digits = node.as_integer().filter(|digits| !digits.starts_with('-')).ok_or(code)?;
        Ok(Self::from_digits(digits))
    }

    /// `digits` are decimal, at least one, without a leading zero.
    fn from_digits(digits: &str) -> Self {
        Self(digits.parse().map_or_else(|_| Digits::Large(digits.into()), Digits::Small))
    }

    /// The number, if it fits.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match self.0 {
            Digits::Small(number) => Some(number),
            Digits::Large(_) => None,
        }
    }

    /// The exact sum.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        if let (Some(own), Some(others)) = (self.as_u64(), other.as_u64())
            && let Some(sum) = own.checked_add(others)
        {
            return Self(Digits::Small(sum));
        }
        Self::from_digits(&add_decimal(&self.to_string(), &other.to_string()))
    }
}

/// The schoolbook sum of two decimal numbers.
fn add_decimal(own: &str, other: &str) -> String {
    let mut from_the_right = (own.bytes().rev(), other.bytes().rev());
    let mut sum = Vec::with_capacity(own.len().max(other.len()) + 1);
    let mut carry = 0;
    loop {
        let pair = (from_the_right.0.next(), from_the_right.1.next());
        if pair == (None, None) && carry == 0 {
            break;
        }
        let total = pair.0.map_or(0, |d| d - b'0') + pair.1.map_or(0, |d| d - b'0') + carry;
        sum.push(char::from(b'0' + total % 10));
        carry = total / 10;
    }
    sum.iter().rev().collect()
}

impl From<u64> for Count {
    fn from(number: u64) -> Self {
        Self(Digits::Small(number))
    }
}

impl From<&Count> for Value {
    fn from(count: &Count) -> Self {
        let digits = count.to_string();
        Value::Integer(Integer::from_digits(&digits).expect("a count shows as plain digits"))
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Digits::Small(number) => write!(f, "{number}"),
            Digits::Large(digits) => f.write_str(digits),
        }
    }
}

impl Ord for Count {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Digits::Small(own), Digits::Small(other)) => own.cmp(other),
            (Digits::Small(_), Digits::Large(_)) => Ordering::Less,
            (Digits::Large(_), Digits::Small(_)) => Ordering::Greater,
            (Digits::Large(own), Digits::Large(other)) => {
                own.len().cmp(&other.len()).then_with(|| own.cmp(other))
            }
        }
    }
}

impl PartialOrd for Count {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(digits: &str) -> Count {
        Count::from_digits(digits)
    }

    #[test]
    fn sums_are_exact_beyond_every_machine_word() {
        let top = Count::from(u64::MAX);
        assert_eq!(top.plus(&Count::from(2)).to_string(), "18446744073709551617");
        assert_eq!(Count::from(2).plus(&Count::from(3)), Count::from(5));
        let nines = "9".repeat(4300);
        let sum = count(&nines).plus(&Count::from(1)).to_string();
        assert_eq!(sum, format!("1{}", "0".repeat(4300)));
        assert_eq!(count(&nines).plus(&Count::ZERO), count(&nines));
    }

    #[test]
    fn order_is_by_value() {
        assert!(count("18446744073709551616") > Count::from(u64::MAX));
        assert!(count("99999999999999999999") < count("100000000000000000000"));
        assert!(count("100000000000000000001") > count("100000000000000000000"));
    }
}
