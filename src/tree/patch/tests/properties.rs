//! A diff of two texts makes the one of the other, whatever they are.

use proptest::collection::vec;
use proptest::prelude::*;
use similar::{Algorithm, TextDiff};

use super::{Tree, patched};

/// Texts of few different lines, so that they repeat and hunks could stand in many places.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        Just(&b"\n"[..]),
        Just(&b"a\n"[..]),
        Just(&b"b\r\n"[..]),
        Just(&b"- c\n"[..]),
        Just(&b"+\n"[..]),
        Just("\\ \u{e9}\n".as_bytes()),
        Just(&b"@@ -1 +1 @@\n"[..]),
        Just(&b"--- a/x\n"[..]),
        Just(&b"\0\n"[..]),
    ];
    (vec(line, 0..30), any::<bool>()).prop_map(|(lines, open)| {
        let mut text = lines.concat();
        // Not between CR and LF: the library that makes the diffs takes a CR alone for the end of a line.
        if open && !text.ends_with(b"\r\n") {
            text.pop();
        }
        text
    })
}

fn diff(old: &[u8], new: &[u8], context: usize) -> Vec<u8> {
    let diff = TextDiff::configure().algorithm(Algorithm::Patience).diff_lines(old, new);
    let mut patch = Vec::new();
    diff.unified_diff()
        .context_radius(context)
        .header("a/x", "b/x")
        .to_writer(&mut patch)
        .expect("a vector takes it");
    patch
}

proptest! {
    #[test]
    fn a_diff_makes_the_new_text_of_the_old(old in text(), new in text(), context in 1_usize..5) {
        prop_assume!(old != new && !old.is_empty());
        let tree = |text: &[u8]| Tree::from([("x".to_owned(), text.to_vec())]);
        let patch = diff(&old, &new, context);
        let made = patched(tree(&old), &patch);
        prop_assert_eq!(made.map_err(|error| error.to_string()), Ok(tree(&new)));
        // The same lines further down, away from the start of the file.
        let below = b"0\n1\n2\n3\n4\n5\n";
        let (old, new) = ([below, &old[..]].concat(), [below, &new[..]].concat());
        let made = patched(tree(&old), diff(&old, &new, context));
        prop_assert_eq!(made.map_err(|error| error.to_string()), Ok(tree(&new)));
    }

    #[test]
    fn without_context_too(old in text(), new in text()) {
        let below = b"0\n1\n";
        let (old, new) = ([below, &old[..]].concat(), [below, &new[..]].concat());
        prop_assume!(old != new);
        let tree = |text: &[u8]| Tree::from([("x".to_owned(), text.to_vec())]);
        let made = patched(tree(&old), diff(&old, &new, 0));
        prop_assert_eq!(made.map_err(|error| error.to_string()), Ok(tree(&new)));
    }

    #[test]
    fn an_applied_patch_is_never_applied_twice_in_silence(old in text(), new in text()) {
        prop_assume!(old != new && !old.is_empty());
        let tree = |text: &[u8]| Tree::from([("x".to_owned(), text.to_vec())]);
        // Where it applies again, it is because its old lines stand there again.
        let patch = diff(&old, &new, 3);
        if let Ok(again) = patched(tree(&new), &patch) {
            prop_assert_ne!(again, tree(&new));
        }
    }
}
