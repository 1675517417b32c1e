//! What holds for the mutants of any Rust source: each can be parsed again, and differs from the
//! original in the bytes it names alone.

use std::fs;
use std::path::{Path, PathBuf};

use adequacy_mutators::{Language, Mutation, splice};
use proc_macro2::{TokenStream, TokenTree};
use proptest::prelude::*;

const BOM: &str = "\u{feff}";

/// Where the part that is parsed begins: behind a byte order mark and a `#!` line.
fn beginning(text: &str) -> usize {
    let marked = text.strip_prefix(BOM).unwrap_or(text);
    let is_line = marked.starts_with("#!") && !marked[2..].trim_start().starts_with('[');
    let line = if is_line { marked.find('\n').unwrap_or(marked.len()) } else { 0 };
    text.len() - marked.len() + line
}

/// The tokens of a source with their bytes, delimiters apart.
fn tokens(text: &str) -> Result<Vec<(usize, usize)>, String> {
    fn add(stream: TokenStream, base: usize, found: &mut Vec<(usize, usize)>) {
        for token in stream {
            let mut push = |span: proc_macro2::Span| {
                let range = span.byte_range();
                found.push((range.start + base, range.end + base));
            };
            match token {
                TokenTree::Group(group) => {
                    push(group.span_open());
                    add(group.stream(), base, found);
                    let range = group.span_close().byte_range();
                    found.push((range.start + base, range.end + base));
                }
                other => push(other.span()),
            }
        }
    }
    let base = beginning(text);
    let stream = text[base..].parse::<TokenStream>().map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    add(stream, base, &mut found);
    Ok(found)
}

/// What is wrong with a mutant, if anything.
fn fault(source: &str, mutation: &Mutation) -> Option<String> {
    let span = mutation.span.clone();
    let mutant = splice(source.as_bytes(), [(&span, &mutation.replacement[..])]);
    let Ok(mutant) = String::from_utf8(mutant) else { return Some("it is no text".to_owned()) };
    if let Err(error) = syn::parse_file(&mutant) {
        return Some(format!("it cannot be parsed: {error}"));
    }
    let (before, after) = match (tokens(source), tokens(&mutant)) {
        (Ok(before), Ok(after)) => (before, after),
        (one, other) => return Some(format!("{:?} {:?}", one.err(), other.err())),
    };
    // A comment that opens, or tokens that run together, would reach beyond what is named.
    let head = |all: &[(usize, usize)]| {
        all.iter().filter(|token| token.1 <= span.start).copied().collect::<Vec<_>>()
    };
    let tail = |all: &[(usize, usize)], end: usize| {
        let behind = all.iter().filter(|token| token.0 >= end);
        behind.map(|token| (token.0 - end, token.1 - end)).collect::<Vec<_>>()
    };
    if head(&before) != head(&after) {
        return Some("what stands before it is read otherwise".to_owned());
    }
    let end = span.start + mutation.replacement.len();
    (tail(&before, span.end) != tail(&after, end))
        .then(|| "what stands behind it is read otherwise".to_owned())
}

/// The faults of all mutants of a source, each with its operator and text.
fn faults(source: &str) -> (usize, Vec<String>) {
    let found = Language::Rust.mutations(source.as_bytes(), &|_| true);
    let wrong = found.mutations.iter().filter_map(|mutation| {
        let after = String::from_utf8_lossy(&mutation.replacement);
        let before = &source[mutation.span.clone()];
        let (name, line) = (mutation.operator.name, mutation.line);
        fault(source, mutation)
            .map(|why| format!("{name}, line {line}: `{before}` to `{after}`: {why}"))
    });
    (found.mutations.len(), wrong.collect())
}

fn expression() -> impl Strategy<Value = String> {
    let leaf = proptest::sample::select(vec![
        "a",
        "1",
        "0xFFu8",
        "1.5",
        "\"\u{1f980}\"",
        "'\\''",
        "b\"x\"",
        "r#\"//\"#",
        "true",
        "r#fn",
        "S::N",
        "é",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(4, 24, 3, |inner| {
        let operator = proptest::sample::select(vec![
            "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", ">", "<=", ">=",
            "&&", "||", "/-", "&&*", "/*x*/+", "-!", "&-",
        ]);
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            (two.clone(), operator).prop_map(|((a, b), by)| {
                let by = by.replace("&&*", "&& *").replace("/-", "/ -");
                // `<-` is a token of its own.
                let by = if by == "<" { "< ".to_owned() } else { by };
                format!("({a}{by}{b})")
            }),
            (two.clone(), proptest::sample::select(vec![">=", ">", ">>", "<=", "+"]))
                .prop_map(|((a, b), by)| format!("(({a}) as u8{by}{b})")),
            inner.clone().prop_map(|a| format!("!{a}")),
            inner.clone().prop_map(|a| format!("- -{a}")),
            inner.clone().prop_map(|a| format!("f({a})?.g::<u8>()")),
            two.clone().prop_map(|(a, b)| format!("vec![{a};{b}]")),
            two.clone().prop_map(|(a, b)| format!("format!(\"{{}}\",{a},x={b})")),
            two.clone().prop_map(|(a, b)| format!("m!{{{a}+{b}}}")),
            two.clone().prop_map(|(a, b)| format!("if a{{{a}}}else{{{b}}}")),
            two.clone().prop_map(|(a, b)| format!("(({a})..({b}))")),
            two.clone().prop_map(|(a, b)| format!("(({a})..=({b}))")),
            two.clone().prop_map(|(a, b)| format!("match a{{1|2 if{{{a}}}=>{b},3=>{{}}_=>{b}}}")),
            two.clone().prop_map(|(a, b)| format!("A{{b:{a},/*,*/c:{b},..d}}")),
            two.clone().prop_map(|(a, b)| format!("(|x|{{x+{a};{b}}})")),
            two.prop_map(|(a, b)| format!("Vec::with_capacity({a}+{b})")),
        ]
    })
}

fn item() -> impl Strategy<Value = String> {
    let output = proptest::sample::select(vec![
        "",
        "->bool",
        "->Option<&str>",
        "->Result<Vec<u8>,E>",
        "->impl Iterator<Item=u8>",
        "->(u8,[char;3])",
        "->Box<dyn Error>",
        "->W<'_,T>",
        "->Cow<'a,[u8]>",
        "->!",
        "->std::num::NonZeroI8",
    ]);
    let statement = expression().prop_flat_map(|text| {
        proptest::sample::select(vec![
            format!("let x={text};"),
            format!("a.b({text});"),
            format!("a+={text};"),
            format!("if {{{text}}}{{return;}}"),
            format!("while {{{text}}}{{}} // é\n"),
            format!("#[cfg(x)]f({text});"),
        ])
    });
    let body = (proptest::collection::vec(statement, 0..3), expression());
    let body = body.prop_map(|(statements, last)| format!("{}\n{last}", statements.concat()));
    (body, output, expression()).prop_flat_map(|(body, output, value)| {
        proptest::sample::select(vec![
            format!("fn f<'a,T>(a:u8){output}{{{body}}}\n"),
            format!("/// é\nimpl<T>A for B<T>{{const C:u8={value};pub(crate) async fn g(&self){output}{{{body}}}}}\n"),
            format!("trait T{{fn h(){output}{{{body}}} fn i();}}\n"),
            format!("mod m{{static S:u8={value};const fn j(){output}{{{body}}}}}\n"),
            format!("macro_rules! n{{()=>{{{value}}}}}\n"),
        ])
    })
}

fn file() -> impl Strategy<Value = String> {
    let start = proptest::sample::select(vec![
        "",
        BOM,
        "#!/usr/bin/env run\n",
        "\u{feff}#!x\n",
        "#![a]\n//! é\n",
    ]);
    (start, proptest::collection::vec(item(), 1..4), any::<bool>()).prop_map(
        |(start, items, is_dos)| {
            let text = format!("{start}{}", items.concat());
            if is_dos { text.replace('\n', "\r\n") } else { text }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn mutants_of_any_source_are_whole(source in file()) {
        prop_assert!(syn::parse_file(&source).is_ok(), "the source itself: {source}");
        let (_, wrong) = faults(&source);
        prop_assert!(wrong.is_empty(), "{source}\n{}", wrong.join("\n"));
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder can be read").flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// Of real sources: some of this package, or all below `ADEQUACY_TEST_RUST`, such as the registry's.
#[test]
fn mutants_of_real_sources_are_whole() {
    let named = std::env::var_os("ADEQUACY_TEST_RUST").map(PathBuf::from);
    let folder =
        named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("rust/functions"));
    let mut files = Vec::new();
    sources(&folder, &mut files);
    let (mut total, mut wrong) = (0, Vec::new());
    for path in &files {
        let Ok(source) = fs::read_to_string(path) else { continue };
        let (made, more) = faults(&source);
        total += made;
        wrong.extend(more.into_iter().map(|why| format!("{}: {why}", path.display())));
    }
    assert!(total > 100, "only {total} mutants in {} files", files.len());
    assert!(wrong.is_empty(), "{} of {total}:\n{}", wrong.len(), wrong.join("\n"));
}
