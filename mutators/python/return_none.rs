//! `return-none`.

use super::support::edits::Edits;
use super::support::syntax::{Kind, is_none, only_part};
use super::support::walk::{Rule, Site};
use crate::{Family, Operator};

pub(crate) static RULE: Rule = Rule {
    operator: Operator {
        name: "return-none",
        family: Family::Done1,
        statement: false,
        summary: "A returned value becomes `None`",
        shows: "No test looks at what the function returns",
        examples: &[("def f():\n    return x\n", "def f():\n    return None\n")],
    },
    kinds: &[Kind::ReturnStatement],
    edits,
};

fn edits(site: &Site<'_, '_>, out: &mut Edits<'_>) {
    if let Some(value) = only_part(site.node)
        && !is_none(value)
    {
        out.replace(site.node, value.byte_range(), &[b"None"]);
    }
}

#[cfg(test)]
mod tests {
    use crate::python::support::testing::{mutants, places};

    #[test]
    fn any_value_but_none() {
        assert_eq!(mutants("return-none", "def f(): return(x)\n"), ["def f(): return None\n"]);
        assert_eq!(mutants("return-none", "def f(): return-x; y\n"), ["def f(): return None; y\n"]);
        assert_eq!(mutants("return-none", "def f(): return a, *b\n"), ["def f(): return None\n"]);
        assert_eq!(
            mutants("return-none", "def f():\n\treturn (  # why\n\t\tx\n\t)\n"),
            ["def f():\n\treturn None\n"]
        );
        assert!(mutants("return-none", "def f(): return\ndef g(): return (None)\n").is_empty());
        assert_eq!(places("return-none", "def f():\n  return x\n"), [(2, 2)]);
    }

    #[test]
    fn the_only_yield_of_a_generator_stays() {
        assert!(mutants("return-none", "def f():\n    return (yield 1)\n").is_empty());
        assert_eq!(mutants("return-none", "def f():\n    yield\n    return (yield 1)\n").len(), 1);
    }
}
