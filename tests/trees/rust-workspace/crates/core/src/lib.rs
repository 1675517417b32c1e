//! Without the standard library; not all of it is in every build.
#![no_std]

mod range;
#[cfg(windows)]
mod windows;

pub use range::within;

/// Only this example looks at it, and a program.
///
/// ```
/// assert_eq!(fixture_core::double(3), 6);
/// ```
pub fn double(a: u8) -> u8 {
    a * 2
}

#[cfg(feature = "extra")]
pub fn triple(a: u8) -> u8 {
    a * 3
}
