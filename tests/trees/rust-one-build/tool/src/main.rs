//! A program whose tests start it without any environment.

fn main() {
    let given = std::env::args().skip(1).map(|word| word.parse::<u8>());
    let given = given.filter_map(Result::ok).collect::<Vec<_>>();
    println!("{}", told(&given));
}

fn told(given: &[u8]) -> &'static str {
    match given.len() {
        0 => "none",
        1 | 2 if given[0] == 9 || given.contains(&numbers::doubled(*half())) => "found",
        _ => "some",
    }
}

/// What allocates is refused in a `const fn`, and no longer where that is none.
const fn half() -> &'static u8 {
    &4
}
