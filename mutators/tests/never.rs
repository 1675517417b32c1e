//! Tokens that look like operators or values and are none, for every operator at once.

use adequacy_mutators::{Language, splice};

/// The mutants of every operator but the statement operators and those that work on whole clauses.
fn mutants(source: &str) -> Vec<String> {
    let wanted = |operator: &adequacy_mutators::Operator| {
        !operator.statement && !["case-drop", "default-none", "call-none"].contains(&operator.name)
    };
    let found = Language::Python.mutations(source.as_bytes(), &wanted);
    assert!(found.unreadable_lines.is_empty(), "{source}");
    let made = found
        .mutations
        .iter()
        .map(|mutation| splice(source.as_bytes(), [(&mutation.span, &mutation.replacement[..])]));
    made.map(|text| String::from_utf8(text).expect("text stays text")).collect()
}

#[test]
fn nothing_is_mutated_in_these() {
    for source in [
        "def f(a, /, *, b): pass\n",
        "def f(*args, **kwargs): pass\n",
        "from m import *\n",
        "f(*x, **y)\n",
        "try:\n    pass\nexcept* Exception:\n    pass\n",
        "from __future__ import annotations\n",
        "import a.b as c, d\n",
        "from . import a\n",
        "c: int | None\n",
        "def f(a: 1 + 2, *b: 'x' | None, c: not 3 = d) -> -4: pass\n",
        "type X[T: (int, str), *Ts, **P] = list[1] | None\n",
        "class A[T: 1 | 2]: pass\n",
        "'''docstring''' 'more'\n",
        "def f():\n    r'docstring'\n",
        "async def f():\n    ('doc' \"string\")\n",
        "class A:\n    b'bytes'\n    x\n    'attribute docstring'\n",
        "match x:\n    case -2: pass\n    case 1 + 2j | -3.5 - 4j: pass\n    case A() | B(c=-1): pass\n    case [1, *_] | {'k': None, **r} | True: pass\n    case 'a' 'b' as c: pass\n",
        "logging.info('a' + b, -1, c=not d, e=f(1))\n",
        "_logger.handlers.emit(1 + 2)\n",
        "__all__ = ['a'] + b.__all__\n",
        "__all__ += ['a', 'b']\n",
        "__all__.append('a')\n",
        "__version__ = '1.2.3'\n",
        "__version_info__ = (1, 2, 3)\n",
        "VERSION = (1, 2)\n",
        "__author__: str = 'a' + 'b'\n",
        "@d(1 + 2, a='b', c=not e)\n@f[3]\ndef g(): pass\n",
        "@dataclass(frozen=True)\nclass A: pass\n",
        "if __name__ == '__main__':\n    pass\n",
        "if '__main__' == __name__: pass\n",
        "if TYPE_CHECKING:\n    x = 1 + 2\n    def f(): return 3\n",
        "if typing.TYPE_CHECKING:\n    x = not y\n",
        "with a as (b, c): pass\n",
        "global x\nnonlocal y\n",
    ] {
        assert_eq!(mutants(source), [""; 0], "{source}");
    }
}

#[test]
fn an_else_of_type_checking_and_the_body_of_main_are_mutated() {
    assert_eq!(
        mutants("if TYPE_CHECKING:\n    x = -y\nelse:\n    f(-y)\n"),
        ["if TYPE_CHECKING:\n    x = -y\nelse:\n    f(y)\n"]
    );
    assert_eq!(
        mutants("if __name__ == '__main__':\n    f(-x)\n"),
        ["if __name__ == '__main__':\n    f(x)\n"]
    );
}

#[test]
fn the_runtime_value_beside_an_annotation_is_mutated() {
    assert_eq!(mutants("c: int | None = -a\n"), ["c: int | None = a\n", "c: int | None = None\n"]);
}

#[test]
fn in_a_format_string_only_the_expressions() {
    assert_eq!(mutants("f'{a}{b!r}{c:>10}{d=}{e!s:{f}}'\n"), ["f''\n"]);
    assert_eq!(
        mutants("f'{-a!r:>{-b}}' f\"{-c=}\"\n"),
        [
            "''\n",
            "f'{a!r:>{-b}}' f\"{-c=}\"\n",
            "f'{-a!r:>{b}}' f\"{-c=}\"\n",
            "f'{-a!r:>{-b}}' f\"{c=}\"\n",
        ]
    );
}

#[test]
fn no_mutant_equals_the_source_and_no_two_are_alike() {
    let source =
        "import re\nx = re.compile('[0-9]+!')\nwhile True:\n    y = f()\n    if not a: break\n";
    let mut made = mutants(source);
    let count = made.len();
    made.sort();
    made.dedup();
    assert_eq!(made.len(), count);
    assert!(!made.contains(&source.to_owned()));
}

#[test]
fn edits_that_change_nothing_or_come_twice_are_counted() {
    let found =
        Language::Python.mutations(b"if True: x\n", &|known| known.name == "if-unwrap-body");
    assert_eq!((found.mutations.len(), found.unchanged, found.duplicate), (0, 1, 0));
    let both =
        |known: &adequacy_mutators::Operator| ["call-none", "assign-none"].contains(&known.name);
    let found = Language::Python.mutations(b"x = f()\n", &both);
    assert_eq!((found.mutations.len(), found.unchanged, found.duplicate), (1, 0, 1));
    assert_eq!(found.mutations[0].operator.name, "call-none");
}
