//! For the tests of the operators.

use crate::{Found, Language, splice};

/// What one operator finds in a source.
pub(crate) fn found(operator: &str, source: &[u8]) -> Found {
    assert!(
        Language::Python.operators().iter().any(|known| known.name == operator),
        "no operator is called {operator}"
    );
    Language::Python.mutations(source, &|known| known.name == operator)
}

/// The mutated sources an operator makes, in order.
pub(crate) fn mutants(operator: &str, source: &str) -> Vec<String> {
    let found = found(operator, source.as_bytes());
    let mutated = found.mutations.iter().map(|mutation| {
        let edit = (&mutation.span, &mutation.replacement[..]);
        String::from_utf8(splice(source.as_bytes(), [edit])).expect("text stays text")
    });
    mutated.collect()
}

/// The lines and columns an operator's mutations are placed at, in order.
pub(crate) fn places(operator: &str, source: &str) -> Vec<(u32, u32)> {
    let found = found(operator, source.as_bytes());
    found.mutations.iter().map(|mutation| (mutation.line, mutation.column)).collect()
}
