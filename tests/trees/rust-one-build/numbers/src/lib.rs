//! What can and what cannot share a build.
#![no_std]

/// Not in the body of a function: built alone.
pub const LIMIT: u8 = 3 + 4;

/// Without a default value: some bodies do not compile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    pub start: u8,
    pub end: u8,
}

/// Its word `const` goes, for nothing needs it.
pub const fn sum(a: u8, b: u8) -> u8 {
    a + b
}

/// Precedence: a product takes the whole of what stands beside it.
pub fn mixed(a: u8, b: u8) -> u8 {
    a + b as u8 * 2
}

/// Only a documentation test asks.
///
/// ```
/// assert_eq!(numbers::only_documented(8), 4);
/// ```
pub fn only_documented(a: u8) -> u8 {
    a >> 1
}

/// Nothing asks.
pub fn never_entered(a: u8, b: u8) -> bool {
    a > b
}

/// The larger one, of any type.
pub fn larger<T: PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

/// Half of a span.
pub fn shifted(span: Span, by: Option<u8>) -> Option<Span> {
    Some(Span { start: span.start + by?, ..span })
}

/// Two types behind one name cannot share a build.
pub fn hidden(all: &[u8]) -> impl Iterator<Item = u8> + '_ {
    all.iter().map(|one| one & 3)
}

macro_rules! twice {
    ($name:ident) => {
        /// Of a macro: never mutated.
        pub fn $name(a: u8) -> u8 {
            a * 2
        }
    };
}

twice!(doubled);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        assert_eq!((LIMIT, sum(2, 3), doubled(4)), (7, 5, 8));
        assert_eq!((mixed(1, 2), larger(1, 2), larger("b", "a")), (5, 2, "b"));
        let span = Span { start: 1, end: 3 };
        assert_eq!(shifted(span, Some(1)), Some(Span { start: 2, end: 3 }));
        assert_eq!(shifted(span, None), None);
        assert!(hidden(&[5, 8]).eq([1, 0]));
    }
}
