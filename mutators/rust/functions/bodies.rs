//! Bodies that take the place of a function's own.

use super::super::support::parse::{Source, parsed};
use super::super::support::values;
use super::super::support::walk::{Met, Site, Visitor, walk};
use crate::outline::{Definition, Outline, mutation};
use crate::{Bodies, Family, Mutation, Operator};

pub(super) const fn operator(
    name: &'static str,
    summary: &'static str,
    shows: &'static str,
) -> Operator {
    Operator { name, family: Family::Extra, statement: false, summary, shows, examples: &[] }
}

/// What a function becomes that does nothing: without a right solution these are all there is.
pub static DEGENERATE: &[&Operator] = &[
    &operator(
        "body-todo",
        "The whole body becomes `todo!()`",
        "No command calls the function, or one hides that it panicked",
    ),
    &operator(
        "body-default",
        "The whole body becomes `Default::default()`",
        "No command looks at what the function returns",
    ),
];

/// A function that always gives one value.
pub static CONSTANTS: &[&Operator] = &[&operator(
    "constant-value",
    "The whole body becomes one value that the result type admits",
    "The tests use one expected value, or none",
)];

/// The edits that give each wanted definition one of these bodies.
pub(crate) fn bodies(
    bytes: &[u8],
    outline: &Outline,
    bodies: Bodies,
    wanted: &dyn Fn(&Definition) -> bool,
) -> Vec<Mutation> {
    let wanted = outline.definitions.iter().map(wanted).collect::<Vec<_>>();
    let values = values_of_all(bytes);
    let mut found = Vec::new();
    for (place, definition) in outline.definitions.iter().enumerate() {
        if !wanted[place] {
            continue;
        }
        let mut add = |operator: &'static Operator, value: &str| {
            let body = format!("{{ {value} }}").into_bytes();
            if bytes[definition.body.clone()] != *body {
                found.push(mutation(operator, definition.body.clone(), body, (place, definition)));
            }
        };
        match bodies {
            Bodies::Degenerate => {
                add(DEGENERATE[0], "todo!()");
                add(DEGENERATE[1], "Default::default()");
            }
            Bodies::Constant => values[place].iter().for_each(|value| add(CONSTANTS[0], value)),
        }
    }
    found
}

/// The body of a function that is there and does nothing.
pub(crate) fn stub(raises: bool) -> &'static [u8] {
    if raises { b"{ todo!() }" } else { b"{ Default::default() }" }
}

/// The values that each function's result admits, in the order of the outline.
pub(super) fn values_of_all(bytes: &[u8]) -> Vec<Vec<String>> {
    let found = parsed(bytes, |source: &Source<'_>, file| {
        let mut values = Values(Vec::new());
        walk(source, file, &mut values);
        values.0
    });
    found.unwrap_or_default()
}

struct Values(Vec<Vec<String>>);

impl Visitor for Values {
    fn site(&mut self, _: &Site<'_>, _: Option<u32>) {}

    fn function(&mut self, met: &Met<'_>) {
        self.0.push(values::of_function(&met.body.signature.output, met.body.place));
    }
}

#[cfg(test)]
mod tests {
    use crate::{Bodies, Language};

    #[test]
    fn each_body_in_the_place_of_the_whole_block() {
        let source = "fn f() -> bool { a }\nfn g() { todo!() }\n";
        let outline = Language::Rust.outline(source.as_bytes());
        let made = |bodies| {
            let made = Language::Rust.bodies(source.as_bytes(), &outline, bodies, &|_| true);
            let text = |it: &crate::Mutation| String::from_utf8(it.replacement.clone()).unwrap();
            made.iter().map(|it| (it.operator.name, it.line, text(it))).collect::<Vec<_>>()
        };
        let own = |name, line, text: &str| (name, line, text.to_owned());
        assert_eq!(
            made(Bodies::Degenerate),
            [
                own("body-todo", 1, "{ todo!() }"),
                own("body-default", 1, "{ Default::default() }"),
                own("body-default", 2, "{ Default::default() }"),
            ]
        );
        assert_eq!(
            made(Bodies::Constant),
            [
                own("constant-value", 1, "{ true }"),
                own("constant-value", 1, "{ false }"),
                own("constant-value", 2, "{ () }"),
            ]
        );
    }
}
