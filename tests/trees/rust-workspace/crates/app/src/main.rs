//! A program of the other crates.

const THREE: u8 = fixture_macros::three!();

fn main() {
    let sum = fixture_core::double(3) + THREE;
    println!("{sum} {}", env!("FIXTURE"));
}
