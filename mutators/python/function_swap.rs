//! `function-swap`.

use super::support::edits::Edits;
use super::support::syntax::{Field, Kind, field, kind};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "function-swap",
        family: Family::Extra,
        statement: false,
        summary: "A function or method becomes its counterpart, such as `min` and `max`, `any` and `all`, `startswith` and `endswith`",
        shows: "No test has data for which the two differ",
        examples: &[("min(a, b)\n", "max(a, b)\n"), ("s.startswith('a')\n", "s.endswith('a')\n")],
    },
    kinds: &[Kind::Call],
    edits,
};

const PAIRS: &[(&str, &str)] = &[
    ("all", "any"),
    ("ceil", "floor"),
    ("endswith", "startswith"),
    ("find", "rfind"),
    ("intersection", "union"),
    ("issubset", "issuperset"),
    ("ljust", "rjust"),
    ("lower", "upper"),
    ("lstrip", "rstrip"),
    ("max", "min"),
    ("partition", "rpartition"),
    ("removeprefix", "removesuffix"),
];

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    let Some(function) = field(site.node, Field::Function) else { return };
    let name = match kind(function) {
        Kind::Attribute => field(function, Field::Attribute).unwrap_or(function),
        _ => function,
    };
    let text = site.text(name);
    let other = PAIRS.iter().find_map(|(one, other)| match text {
        _ if text == one.as_bytes() => Some(other),
        _ if text == other.as_bytes() => Some(one),
        _ => None,
    });
    if let Some(other) = other {
        out.replace(site.node, name.byte_range(), &[other.as_bytes()]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::mutants;

    #[test]
    fn called_names_only() {
        assert_eq!(
            mutants("function-swap", "np.max(a.rstrip())\n"),
            ["np.min(a.rstrip())\n", "np.max(a.lstrip())\n",]
        );
        assert!(mutants("function-swap", "map(max, a)\nmin = 1\nb.lower\n").is_empty());
    }
}
