//! `docs/mutators.md`, made from the registry.

use std::fmt::Write as _;

use crate::{Family, Language, Operator, patch, python, rust};

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
        Language::Rust => (rust::NEVER, rust::NOT_GENERATED),
    };
    writeln!(text, "\n### Never mutated\n")?;
    for rule in never {
        writeln!(text, "- {rule}")?;
    }
    writeln!(text, "\n{}", skip_comment(language))?;
    writeln!(text, "\n### Known to change nothing, and not made\n")?;
    for pair in equivalent {
        writeln!(text, "- {pair}")?;
    }
    let functions = match language {
        Language::Python => [python::CHEATS, python::DEGENERATE, python::CONSTANTS].concat(),
        Language::Rust => [rust::CHEATS, rust::DEGENERATE, rust::CONSTANTS].concat(),
    };
    writeln!(text, "\n### In place of a function\n")?;
    writeln!(text, "{}\n", without_cheats(language))?;
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

fn skip_comment(language: Language) -> &'static str {
    match language {
        Language::Python => {
            "A comment `# adequacy: skip` also keeps operators away: behind a statement from that statement, behind the header \
             of a compound statement or clause from its block too, on a line of its own from the whole of the next statement. \
             Only comments count, not strings that look like one."
        }
        Language::Rust => {
            "A comment `// adequacy: skip` also keeps operators away: on a line of its own from the whole of the next item, \
             statement, arm or field; behind code from what ends on that line, else from the innermost of these around it, such \
             as the function behind whose header it stands. Only comments count, not strings that look like one, nor doc comments."
        }
    }
}

fn without_cheats(language: Language) -> &'static str {
    match language {
        Language::Python => {
            "For a task with a start tree, on the functions that its change touches. Cheats leave out, and name: properties and \
             other descriptors, functions that return nothing but `None`, `__init__`, `__new__`, `__len__`, `__bool__`, `__hash__`, \
             generators and context managers."
        }
        Language::Rust => {
            "For a task with a start tree, on the functions that its change touches. Cheats leave out, and name: functions that \
             return nothing, `const` functions, and those whose result type admits no value that is known."
        }
    }
}

fn title(language: Language) -> &'static str {
    match language {
        Language::Python => "Python",
        Language::Rust => "Rust",
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
