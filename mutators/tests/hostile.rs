//! Sources made to break a mutator: deep, long and broken ones. None may panic, run out of stack or
//! take time that grows with the square of the length.

use adequacy_mutators::{Control, Found, Language, splice};

fn check(source: &[u8]) -> Found {
    let found = Language::Python.mutations(source, &|_| true);
    let mut last = None;
    for mutation in &found.mutations {
        assert!(mutation.span.start <= mutation.span.end && mutation.span.end <= source.len());
        assert_ne!(source[mutation.span.clone()], mutation.replacement[..]);
        let key = (mutation.span.start, mutation.span.end);
        assert!(last.is_none_or(|last| last <= key), "out of order at {key:?}");
        last = Some(key);
    }
    for control in [Control::RaiseAtLoad, Control::TrailingComment, Control::CommentLine] {
        let edits = Language::Python.control(control, source);
        let edits = edits.iter().map(|(span, text)| (span, &text[..]));
        assert!(splice(source, edits).len() > source.len());
    }
    found
}

#[test]
fn nested_a_hundred_thousand_deep() {
    let source = format!("x = {}1{}\n", "(".repeat(100_000), ")".repeat(100_000));
    assert!(!check(source.as_bytes()).mutations.is_empty());
}

#[test]
fn every_kind_of_nesting() {
    const DEEP: usize = 10_000;
    for (open, middle, close) in [
        ("f(", "1", ")"),
        ("a[", "1", "]"),
        ("not ", "a", ""),
        ("-", "1", ""),
        ("a ** ", "b", ""),
        ("a if b else ", "c", ""),
        ("lambda: ", "0", ""),
        ("", "a", " + 1"),
        ("", "f()", " and f()"),
        ("", "a", " | b"),
        ("", "f", "().x"),
        ("a = ", "1", ""),
    ] {
        let source = format!("x = {}{middle}{}\n", open.repeat(DEEP), close.repeat(DEEP));
        let found = check(source.as_bytes());
        assert!(!found.mutations.is_empty(), "{open}{middle}{close}");
        let copied: usize = found.mutations.iter().map(|mutation| mutation.replacement.len()).sum();
        assert!(copied < 64 * source.len(), "{copied} bytes for {}", source.len());
    }
}

#[test]
fn texts_that_would_grow_with_the_square_are_left_out_and_counted() {
    let source = format!("x = {}a is None{}\n", "(".repeat(5_000), " is None)".repeat(5_000));
    let found = check(source.as_bytes());
    assert!(found.too_long > 0);
    assert_eq!(check(b"x = (a is None) is None\n").too_long, 0);
}

#[test]
fn never_closed() {
    for token in
        ["(", "[", "{", "f(", "'", "'''", "f'{", "def f(", "class ", "if a", "@", "\\", "match "]
    {
        check(token.repeat(5_000).as_bytes());
    }
}

#[test]
fn very_long_lines() {
    let list = format!("x = [{}]\n", "a, ".repeat(200_000));
    assert!(!check(list.as_bytes()).mutations.is_empty());
    let string = format!("x = '{}'\n", "a".repeat(10_000_000));
    assert!(!check(string.as_bytes()).mutations.is_empty());
    let comment = format!("# {}\nx = 1\n", "a".repeat(10_000_000));
    assert!(!check(comment.as_bytes()).mutations.is_empty());
}

#[test]
fn bytes_that_are_no_text() {
    let mut state = 1_u32;
    let noise: Vec<u8> = (0..100_000)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .collect();
    check(&noise);
    check(&[0; 10_000]);
    check(b"");
    check(b"\xef\xbb\xbf");
    check(b"\r");
}
