//! `docs/mutators.md`, made from the registry.

use std::fmt::Write as _;

use crate::{Family, Language, Operator, patch, python};

/// The documentation of every operator, as Markdown.
///
/// `docs/mutators.md` holds exactly this text; a test compares the two.
#[must_use]
pub fn docs() -> String {
    let mut text = String::from(
        "# Mutation operators\n\n\
         Generated from the registry in `mutators/`; `UPDATE_DOCS=1 cargo test -p adequacy-mutators --test docs` writes it anew.\n\n\
         A mutation is a span of bytes and what stands there instead; everything else in the file stays as it is. \
         The operators of family `done/1` are those of the profile of that name, the others are extras.\n",
    );
    for language in Language::ALL {
        add_language(&mut text, *language).expect("a string takes any text");
    }
    add_patch(&mut text).expect("a string takes any text");
    text
}

/// The operators that no language has to itself.
fn add_patch(text: &mut String) -> std::fmt::Result {
    writeln!(text, "\n## Undoing a change\n")?;
    writeln!(text, "For a task with a start tree; the same in every language.\n")?;
    table(text, patch::OPERATORS.iter().copied())
}

fn table(
    text: &mut String,
    operators: impl Iterator<Item = &'static Operator>,
) -> std::fmt::Result {
    writeln!(text, "| operator | family | what it does | a survivor shows |\n|---|---|---|---|")?;
    for operator in operators {
        let (name, family) = (operator.name, family(operator));
        let shows = lower_first(operator.shows);
        writeln!(text, "| `{name}` | {family} | {} | {shows} |", lower_first(operator.summary))?;
    }
    Ok(())
}

fn add_language(text: &mut String, language: Language) -> std::fmt::Result {
    let operators = language.operators();
    writeln!(text, "\n## {}: {} operators\n", title(language), operators.len())?;
    writeln!(text, "| operator | family | what it changes |\n|---|---|---|")?;
    for operator in operators {
        writeln!(
            text,
            "| [`{0}`](#{0}) | {1} | {2} |",
            operator.name,
            family(operator),
            operator.summary.replace('|', "\\|")
        )?;
    }
    let (never, equivalent) = match language {
        Language::Python => (python::NEVER, python::NOT_GENERATED),
    };
    writeln!(text, "\n### Never mutated\n")?;
    for rule in never {
        writeln!(text, "- {rule}")?;
    }
    writeln!(
        text,
        "\nA comment `# adequacy: skip` also keeps operators away: behind a statement from that statement, behind the header \
         of a compound statement or clause from its block too, on a line of its own from the whole of the next statement. \
         Only comments count, not strings that look like one."
    )?;
    writeln!(text, "\n### Known to change nothing, and not made\n")?;
    for pair in equivalent {
        writeln!(text, "- {pair}")?;
    }
    let functions = match language {
        Language::Python => [python::CHEATS, python::DEGENERATE, python::CONSTANTS].concat(),
    };
    writeln!(text, "\n### In place of a function\n")?;
    writeln!(
        text,
        "For a task with a start tree, on the functions that its change touches. Cheats leave out, and name: properties and \
         other descriptors, functions that return nothing but `None`, `__init__`, `__new__`, `__len__`, `__bool__`, `__hash__`, \
         generators and context managers.\n"
    )?;
    table(text, functions.into_iter())?;
    operators.iter().try_for_each(|operator| add_operator(text, operator))
}

fn add_operator(text: &mut String, operator: &Operator) -> std::fmt::Result {
    writeln!(text, "\n### {}\n", operator.name)?;
    writeln!(text, "{}.\n", operator.summary)?;
    writeln!(text, "A survivor shows: {}.", lower_first(operator.shows))?;
    for (before, after) in operator.examples {
        writeln!(text, "\n```diff")?;
        for (sign, side) in [('-', before), ('+', after)] {
            side.lines().try_for_each(|line| writeln!(text, "{sign}{line}"))?;
        }
        writeln!(text, "```")?;
    }
    Ok(())
}

fn title(language: Language) -> &'static str {
    match language {
        Language::Python => "Python",
    }
}

fn family(operator: &Operator) -> &'static str {
    match (operator.family, operator.statement) {
        (Family::Done1, false) => "`done/1`",
        (Family::Done1, true) => "`done/1`, statements",
        (Family::Extra, _) => "extra",
    }
}

fn lower_first(sentence: &str) -> String {
    let mut characters = sentence.chars();
    let first = characters.next().map(|first| first.to_lowercase().to_string());
    first.unwrap_or_default() + characters.as_str()
}
