//! For another system.

pub fn handles(a: u8) -> u8 {
    a + 4
}
