//! Never mutated.

fn main() {
    println!("{}", fixture_core::double(1) + 1);
}
