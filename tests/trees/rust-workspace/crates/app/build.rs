//! Never mutated.

fn main() {
    println!("cargo:rustc-env=FIXTURE={}", 1 + 1);
}
