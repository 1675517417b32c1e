//! Cheats: a function answers as a lazy or a dishonest solution would.

use super::bodies::{operator, values_of_all};
use crate::Operator;
use crate::outline::{Cheats, Definition, Outline, mutation};

/// The one cheat of profile `done/1` that a compiled language allows: no value equals all others, and
/// no function sees who calls it.
pub static CHEATS: &[&Operator] = &[&operator(
    "answer-once",
    "The first call in a process answers truly, and every later one gives a fixed value",
    "Nothing calls the function twice and looks at the second result",
)];

/// The cheats on the wanted definitions; in front of the body, so that no line moves.
pub(crate) fn cheats(
    bytes: &[u8],
    outline: &Outline,
    wanted: &dyn Fn(&Definition) -> bool,
) -> Cheats {
    let mut cheats = Cheats::default();
    let values = values_of_all(bytes);
    for (place, definition) in outline.definitions.iter().enumerate() {
        if !wanted(definition) {
            continue;
        }
        let value = values.get(place).and_then(|values| values.first());
        match (definition.unfit, value) {
            (Some(unfit), _) => cheats.uncovered.push((place, unfit)),
            (None, None) => {}
            (None, Some(value)) => {
                let at = definition.body.start + 1;
                let text = format!(
                    " {{ use core::sync::atomic::{{AtomicBool, Ordering}}; static ASKED: AtomicBool = \
                     AtomicBool::new(false); if ASKED.swap(true, Ordering::SeqCst) {{ return {value}; }} }}"
                );
                let edit = mutation(CHEATS[0], at..at, text.into_bytes(), (place, definition));
                cheats.mutations.push(edit);
            }
        }
    }
    cheats
}

#[cfg(test)]
mod tests {
    use crate::{Language, Unfit, splice};

    #[test]
    fn the_second_answer_is_fixed() {
        let source = "fn f(a: u8) -> u8 { a }\nfn g() {}\n";
        let outline = Language::Rust.outline(source.as_bytes());
        let cheats = Language::Rust.cheats(source.as_bytes(), &outline, &|_| true);
        assert_eq!(cheats.uncovered, [(1, Unfit::ReturnsNone)]);
        let [only] = cheats.mutations.as_slice() else { panic!("one cheat") };
        let text = splice(source.as_bytes(), [(&only.span, &only.replacement[..])]);
        let text = String::from_utf8(text).unwrap();
        assert_eq!(
            text.lines().next().unwrap(),
            "fn f(a: u8) -> u8 { { use core::sync::atomic::{AtomicBool, Ordering}; static ASKED: \
             AtomicBool = AtomicBool::new(false); if ASKED.swap(true, Ordering::SeqCst) { return 0; } } a }"
        );
    }
}
