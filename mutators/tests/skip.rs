//! `# adequacy: skip`: read from comments only, each covering what it stands at.

use adequacy_mutators::{Found, Language};

fn found(source: &str) -> Found {
    Language::Python.mutations(source.as_bytes(), &|operator| operator.name == "number-shift")
}

/// The numbers that are still mutated.
fn left(source: &str) -> Vec<&str> {
    let mutations = found(source).mutations.into_iter();
    mutations.map(|mutation| &source[mutation.span]).collect()
}

#[test]
fn after_a_statement_it_covers_that_statement() {
    assert_eq!(left("x = 1  # adequacy: skip\ny = 2\n"), ["2"]);
    assert_eq!(left("x = 1; y = 2  # adequacy: skip\nz = 3\n"), ["3"]);
    assert_eq!(left("x = f(\n  1,\n  2,\n)  # adequacy: skip\ny = 3\n"), ["3"]);
    assert_eq!(found("x = 1 + 2  # adequacy: skip\n").skipped, 2);
}

#[test]
fn inside_a_statement_it_covers_all_of_it() {
    assert_eq!(left("x = f(\n  1,  # adequacy: skip\n  2,\n)\ny = 3\n"), ["3"]);
    assert_eq!(left("x = f(\n  # adequacy: skip\n  1,\n  2,\n)\ny = 3\n"), ["3"]);
}

#[test]
fn behind_a_header_it_covers_the_block_of_that_header() {
    assert_eq!(left("def f(a=1):  # adequacy: skip\n    return 2\nx = 3\n"), ["3"]);
    assert_eq!(left("def f(a=1,  # adequacy: skip\n      b=2):\n    return 3\nx = 4\n"), ["4"]);
    assert_eq!(
        left("class A:  # adequacy: skip\n    x = 1\n    def f(self): return 2\ny = 3\n"),
        ["3"]
    );
    assert_eq!(left("if 1:  # adequacy: skip\n    x = 2\nelse:\n    x = 3\n"), ["3"]);
    assert_eq!(
        left("if 1:\n    x = 2\nelif 3:  # adequacy: skip\n    x = 4\nelse:\n    x = 5\n"),
        ["1", "2", "5"]
    );
    assert_eq!(left("if 1:\n    x = 2\nelse:  # adequacy: skip\n    x = 3\n"), ["1", "2"]);
    assert_eq!(left("for x in 1:  # adequacy: skip\n    f(2)\nelse:\n    f(3)\n"), ["3"]);
    assert_eq!(left("try:  # adequacy: skip\n    f(1)\nexcept E:\n    f(2)\n"), ["2"]);
    assert_eq!(left("try:\n    f(1)\nexcept E:  # adequacy: skip\n    f(2)\n"), ["1"]);
    assert_eq!(
        left(
            "match x:\n    case 0 if 1:  # adequacy: skip\n        f(2)\n    case _:\n        f(3)\n"
        ),
        ["3"]
    );
    assert_eq!(left("@d  # adequacy: skip\ndef f(): return 1\nx = 2\n"), ["2"]);
    assert_eq!(left("@d\ndef f():  # adequacy: skip\n    return 1\nx = 2\n"), ["2"]);
    assert_eq!(left("if 1: x = 2  # adequacy: skip\ny = 3\n"), ["3"]);
}

#[test]
fn on_its_own_line_it_covers_the_next_statement() {
    assert_eq!(left("# adequacy: skip\n\nx = 1\ny = 2\n"), ["2"]);
    assert_eq!(left("# adequacy: skip\nif 1:\n    x = 2\nelse:\n    x = 3\ny = 4\n"), ["4"]);
    assert_eq!(left("if 1:\n    x = 2\n# adequacy: skip\nelse:\n    x = 3\n"), ["1", "2"]);
    assert_eq!(left("def f():\n    # adequacy: skip\n    x = 1\n    return 2\n"), ["2"]);
    assert_eq!(left("# adequacy: skip\n@d\nclass A:\n    x = 1\ny = 2\n"), ["2"]);
    assert_eq!(left("x = 1\n# adequacy: skip\n"), ["1"]);
}

#[test]
fn the_statement_around_is_not_covered() {
    let source = "def f():\n    return 1  # adequacy: skip\n";
    let found = Language::Python.mutations(source.as_bytes(), &|known| known.name == "stmt-delete");
    assert_eq!(found.mutations.len(), 1);
    assert_eq!(found.mutations[0].span.start, 0);
    assert_eq!(found.skipped, 1);
}

#[test]
fn only_comments_that_say_so_count() {
    assert_eq!(left("x = '# adequacy: skip' + 1\n"), ["1"]);
    assert_eq!(left("x = '''\n# adequacy: skip\n''' + 1\n"), ["1"]);
    for comment in [
        "#adequacy:skip",
        "# noqa # adequacy: skip",
        "# adequacy: skip - too slow",
        "#  adequacy:  skip",
    ] {
        assert_eq!(left(&format!("x = 1  {comment}\r\n")), [""; 0], "{comment}");
    }
    for comment in ["# adequacy: skipped", "# see adequacy: skip", "# skip", "# adequacy"] {
        assert_eq!(left(&format!("x = 1  {comment}\n")), ["1"], "{comment}");
    }
}
