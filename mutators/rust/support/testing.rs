//! For the tests of the operators.

use crate::{Language, splice};

/// The mutated sources an operator makes, in order.
pub(crate) fn mutants(operator: &str, source: &str) -> Vec<String> {
    assert!(
        Language::Rust.operators().iter().any(|known| known.name == operator),
        "no operator is called {operator}"
    );
    let found = Language::Rust.mutations(source.as_bytes(), &|known| known.name == operator);
    assert!(found.unreadable_lines.is_empty(), "{source}");
    let mutated = found.mutations.iter().map(|mutation| {
        let edit = (&mutation.span, &mutation.replacement[..]);
        String::from_utf8(splice(source.as_bytes(), [edit])).expect("text stays text")
    });
    mutated.collect()
}
