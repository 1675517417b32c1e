//! A source without what says nothing to the compiler.

use std::str::FromStr as _;

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};

use super::super::support::parse::parsed;

/// The tokens of a source without comments, documentation and layout; `None` where it does not parse.
/// Where two are the same, so is what they do; numbers of lines are no part of it.
#[must_use]
pub fn syntax(bytes: &[u8]) -> Option<String> {
    let written = parsed(bytes, |source, _| {
        let mut out = String::new();
        // It was one a moment ago.
        write(TokenStream::from_str(source.parsed_text()).unwrap_or_default(), &mut out);
        out
    });
    written.ok()
}

fn write(tokens: TokenStream, out: &mut String) {
    let tokens = tokens.into_iter().collect::<Vec<_>>();
    let mut rest = tokens.as_slice();
    while let Some((token, behind)) = rest.split_first() {
        if let Some(length) = documentation(rest) {
            rest = &rest[length..];
            continue;
        }
        match token {
            TokenTree::Group(group) => {
                let (open, close) = delimiters(group.delimiter());
                out.push(open);
                write(group.stream(), out);
                out.push(close);
            }
            TokenTree::Punct(mark) => {
                out.push(mark.as_char());
                // `&&` is not `& &`.
                out.extend((mark.spacing() == Spacing::Alone).then_some(' '));
            }
            other => {
                out.push_str(&other.to_string());
                out.push(' ');
            }
        }
        rest = behind;
    }
}

/// How many tokens an attribute takes up that starts here and documents, as `///` does.
fn documentation(tokens: &[TokenTree]) -> Option<usize> {
    let is = |token: &TokenTree, wanted: char| matches!(token, TokenTree::Punct(mark) if mark.as_char() == wanted);
    let documents = |group: &Group| {
        let first = group.stream().into_iter().next();
        matches!(first, Some(TokenTree::Ident(name)) if name == "doc")
    };
    match tokens {
        [hash, TokenTree::Group(group), ..] if is(hash, '#') && documents(group) => Some(2),
        [hash, mark, TokenTree::Group(group), ..]
            if is(hash, '#') && is(mark, '!') && documents(group) =>
        {
            Some(3)
        }
        _ => None,
    }
}

const fn delimiters(delimiter: Delimiter) -> (char, char) {
    match delimiter {
        Delimiter::Parenthesis => ('(', ')'),
        Delimiter::Brace => ('{', '}'),
        Delimiter::Bracket => ('[', ']'),
        // The parser itself makes none.
        Delimiter::None => (' ', ' '),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &str, other: &str) -> bool {
        let one = syntax(one.as_bytes());
        assert!(one.is_some());
        one == syntax(other.as_bytes())
    }

    #[test]
    fn comments_documentation_and_layout_are_no_part_of_it() {
        let plain = "fn f(a: &u8) -> bool { a == &1 && true }\n";
        let documented = "//! Doc.\n#![doc = \"more\"]\n\n/// Doc.\n#[doc(hidden)]\nfn f(a: &u8) -> bool {\n    // why\n    a == &1 && /* so */ true\n}\n";
        assert!(same(plain, documented));
        assert!(!same(plain, "fn f(a: &u8) -> bool { a == &2 && true }"));
        assert!(!same(plain, "#[inline]\nfn f(a: &u8) -> bool { a == &1 && true }"));
        assert!(!same("fn f() { a && b }", "fn f() { a & &b }"));
        assert!(!same("fn f() { a(b)[c] }", "fn f() { a[b](c) }"));
    }

    #[test]
    fn what_does_not_parse_has_none() {
        assert_eq!(syntax(b"fn f() { 1 +"), None);
        assert_eq!(syntax(b"fn f() { 1 + }"), None);
        assert_eq!(syntax(b"\xff"), None);
    }
}
