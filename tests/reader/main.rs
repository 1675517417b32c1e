//! The reader as a library: careful answers, and that no input surprises it.

mod careful;
mod cases;
mod envelope;
mod holds;
mod written;

use std::collections::BTreeMap;

use adequacy::base::code::Code;

/// A smaller run of what `benches/reader_driver.rs` does a million times.
#[test]
fn no_case_surprises_the_reader() {
    let mut answers = BTreeMap::new();
    for case in cases::Cases::new(3).take(4_000) {
        let answer = holds::check(&case).map_or_else(Code::text, |()| "valid");
        *answers.entry(answer).or_insert(0) += 1;
    }
    // The cases reach the rules, not only the syntax.
    assert!(answers.len() >= 40 && answers["valid"] >= 100, "{answers:#?}");
}
