//! Cheats: a function answers as a lazy or a dishonest solution would.

use super::super::support::layout;
use crate::outline::{Cheats, Definition, Outline, mutation};
use crate::{Bodies, Family, Mutation, Operator};

const fn cheat(
    name: &'static str,
    family: Family,
    summary: &'static str,
    shows: &'static str,
) -> Operator {
    Operator { name, family, statement: false, summary, shows, examples: &[] }
}

/// The cheats of section 11 of the record rules, in its order.
pub static CHEATS: &[&Operator] = &[
    &cheat(
        "any-eq",
        Family::Done1,
        "A call gives an object that equals everything",
        "The tests compare the result with `==` alone and never use it",
    ),
    &cheat(
        "stateful",
        Family::Done1,
        "The first call answers truly, also across processes, and every later one gives `None`",
        "Nothing calls the function twice and looks at the second result",
    ),
    &cheat(
        "frame-aware",
        Family::Done1,
        "Callers that are no tests get true answers; tests (a function named `test...` or `check`) get one, then `None`",
        "No test calls the function twice, and nothing else checks its results",
    ),
];

/// What a function becomes that does nothing: without a right solution these are all there is.
pub static DEGENERATE: &[&Operator] = &[
    &cheat(
        "body-raise",
        Family::Extra,
        "The whole body becomes `raise NotImplementedError`",
        "No command calls the function, or one hides that it raised",
    ),
    &cheat(
        "body-none",
        Family::Extra,
        "The whole body becomes `return None`",
        "No command looks at what the function returns",
    ),
];

/// A function that always gives one value.
pub static CONSTANTS: &[&Operator] = &[
    &cheat(
        "constant-true",
        Family::Extra,
        "The whole body becomes `return True`",
        "The tests only ask whether the result is true",
    ),
    &cheat(
        "constant-zero",
        Family::Extra,
        "The whole body becomes `return 0`",
        "The tests use one expected value, or none",
    ),
    &cheat(
        "constant-empty",
        Family::Extra,
        "The whole body becomes `return ''`",
        "The tests use one expected value, or none",
    ),
];

const TEMPLATE: &str = include_str!("cheat.py");

pub(crate) fn cheats(
    source: &[u8],
    outline: &Outline,
    wanted: &dyn Fn(&Definition) -> bool,
) -> Cheats {
    let mut cheats = Cheats::default();
    for (place, definition) in outline.definitions.iter().enumerate() {
        if !wanted(definition) {
            continue;
        }
        match definition.unfit {
            Some(unfit) => cheats.uncovered.push((place, unfit)),
            None => {
                let each = CHEATS.iter().filter_map(|it| wrap(source, it, (place, definition)));
                cheats.mutations.extend(each);
            }
        }
    }
    cheats
}

/// The definition with a wrapper bound to its name right after it.
fn wrap(
    source: &[u8],
    operator: &'static Operator,
    (place, definition): (usize, &Definition),
) -> Option<Mutation> {
    // A definition that shares its line with something else before it has no indentation to copy.
    let indentation = layout::indentation(source, definition.span.start)?;
    let at = layout::line_end(source, definition.span.end);
    let newline = layout::newline(source);
    let name = definition.name.rsplit('.').next().expect("a name has a last part");
    let text = TEMPLATE
        .replace("@OPERATOR@", operator.name)
        .replace("@LINE@", &definition.first.to_string())
        .replace("@NAME@", name);
    let mut replacement = Vec::new();
    for line in text.lines() {
        replacement.extend_from_slice(newline);
        replacement.extend_from_slice(indentation);
        replacement.extend_from_slice(line.as_bytes());
    }
    Some(mutation(operator, at..at, replacement, (place, definition)))
}

/// The edits that give each wanted definition one of these bodies.
pub(crate) fn bodies(
    source: &[u8],
    outline: &Outline,
    bodies: Bodies,
    wanted: &dyn Fn(&Definition) -> bool,
) -> Vec<Mutation> {
    let operators = match bodies {
        Bodies::Degenerate => DEGENERATE,
        Bodies::Constant => CONSTANTS,
    };
    let wanted = outline.definitions.iter().enumerate().filter(|(_, it)| wanted(it));
    let each = wanted.flat_map(|(place, definition)| {
        operators.iter().map(move |operator| {
            let text = body_of(operator).to_vec();
            mutation(operator, definition.body.clone(), text, (place, definition))
        })
    });
    each.filter(|it| source[it.span.clone()] != *it.replacement).collect()
}

/// The body of a function that is there and does nothing.
pub(crate) fn stub(raises: bool) -> &'static [u8] {
    body_of(DEGENERATE[usize::from(!raises)])
}

fn body_of(operator: &Operator) -> &'static [u8] {
    match operator.name {
        "body-raise" => b"raise NotImplementedError",
        "body-none" => b"return None",
        "constant-true" => b"return True",
        "constant-zero" => b"return 0",
        "constant-empty" => b"return ''",
        other => unreachable!("`{other}` has no body of its own"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::functions::outline;
    use crate::{Language, splice};

    fn mutants(source: &str, all: &[Mutation]) -> Vec<(&'static str, String)> {
        let text = |it: &Mutation| splice(source.as_bytes(), [(&it.span, &it.replacement[..])]);
        let text = |it: &Mutation| String::from_utf8(text(it)).expect("text");
        all.iter().map(|it| (it.operator.name, text(it))).collect()
    }

    #[test]
    fn a_wrapper_stands_after_the_definition_at_its_depth() {
        let source =
            "class A:\r\n\t@staticmethod\r\n\tdef f(x):\r\n\t\treturn x  # yes\r\n\ty = 1\r\n";
        let outline = outline(source.as_bytes());
        let found = cheats(source.as_bytes(), &outline, &|_| true);
        assert_eq!(found.uncovered, []);
        assert_eq!((found.mutations[0].line, found.mutations[0].column), (3, 1));
        let mutants = mutants(source, &found.mutations);
        assert_eq!(
            mutants.iter().map(|it| it.0).collect::<Vec<_>>(),
            ["any-eq", "stateful", "frame-aware"]
        );
        let text = &mutants[0].1;
        assert!(text.starts_with("class A:\r\n\t@staticmethod\r\n\tdef f(x):\r\n\t\treturn x  # yes\r\n\tdef _adequacy_cheat(given):\r\n\t    import"));
        assert!(
            text.ends_with("\r\n\tf = _adequacy_cheat(f)\r\n\tdel _adequacy_cheat\r\n\ty = 1\r\n")
        );
    }

    #[test]
    fn functions_a_cheat_cannot_replace_are_named() {
        let source = "def f():\n    yield 1\n\ndef g(): return 1";
        let outline = outline(source.as_bytes());
        let found = cheats(source.as_bytes(), &outline, &|_| true);
        assert_eq!(found.uncovered, [(0, crate::Unfit::Generator)]);
        let last = &mutants(source, &found.mutations)[2].1;
        assert!(last.ends_with("\ng = _adequacy_cheat(g)\ndel _adequacy_cheat"), "{last}");
    }

    #[test]
    fn bodies_replace_the_whole_block() {
        let source = "def f(x):\n    if x:\n        return 1\n    return 2\ndef g(): return 0\n";
        let outline = outline(source.as_bytes());
        let all = |bodies| Language::Python.bodies(source.as_bytes(), &outline, bodies, &|_| true);
        let degenerate = mutants(source, &all(Bodies::Degenerate));
        assert_eq!(
            degenerate[0].1,
            "def f(x):\n    raise NotImplementedError\ndef g(): return 0\n"
        );
        assert_eq!(
            degenerate[3].1,
            "def f(x):\n    if x:\n        return 1\n    return 2\ndef g(): return None\n"
        );
        let names =
            mutants(source, &all(Bodies::Constant)).iter().map(|it| it.0).collect::<Vec<_>>();
        // The body that is there already is none.
        assert_eq!(
            names,
            ["constant-true", "constant-zero", "constant-empty", "constant-true", "constant-empty"]
        );
    }
}
