//! Functions, lines and columns, and parts of a file that cannot be read.

use adequacy_mutators::{Found, Language};

fn found(source: &[u8], operator: &str) -> Found {
    Language::Python.mutations(source, &|known| known.name == operator)
}

#[test]
fn functions_have_dotted_names_and_spans_without_decorators() {
    let source = b"\
@d
async def f(a=1):
    def inner():
        return 2
    class Local:
        def method(self): return lambda: 3
    return 4
class A:
    x = 5
    class B:
        @property
        def f(self):
            return 6
y = 7
";
    let found = found(source, "number-shift");
    let functions: Vec<(&str, &[u8])> = found
        .functions
        .iter()
        .map(|function| (&function.name[..], &source[function.span.clone()][..9]))
        .collect();
    assert_eq!(
        functions,
        [
            ("f", &b"async def"[..]),
            ("f.inner", b"def inner"),
            ("f.Local.method", b"def metho"),
            ("A.B.f", b"def f(sel"),
        ]
    );
    let inside: Vec<(&[u8], Option<u32>)> = found
        .mutations
        .iter()
        .map(|mutation| (&source[mutation.span.clone()], mutation.function))
        .collect();
    assert_eq!(
        inside,
        [
            (&b"1"[..], Some(0)),
            (b"2", Some(1)),
            (b"3", Some(2)),
            (b"4", Some(0)),
            (b"5", None),
            (b"6", Some(3)),
            (b"7", None),
        ]
    );
}

#[test]
fn a_definition_belongs_to_the_function_around_it() {
    let found = found(b"def f():\n    def g(): pass\n    h\n", "stmt-delete");
    let functions: Vec<_> = found.mutations.iter().map(|mutation| mutation.function).collect();
    assert_eq!(functions, [None, Some(0), Some(0)]);
}

#[test]
fn every_decorated_function_is_mutated_and_no_decorator_is() {
    let source = b"\
import functools
@dataclasses.dataclass(frozen=1 + 2)
class A:
    @property
    @functools.lru_cache(3)
    def f(self):
        return self.x + 4
    @typing.override
    def g(self): return 5
    @f.register(6)
    def _(self): return 7
";
    let found = Language::Python.mutations(source, &|known| known.name == "number-shift");
    let numbers: Vec<_> = found.mutations.iter().map(|one| &source[one.span.clone()]).collect();
    assert_eq!(numbers, [b"4", b"5", b"7"]);
}

#[test]
fn lines_count_from_1_and_columns_from_0_in_bytes() {
    for (source, place) in [
        (&b"x = 1"[..], (1, 4)),
        (b"\xef\xbb\xbfx = 1", (1, 4)),
        (b"\xef\xbb\xbf\nx = 1", (2, 4)),
        ("é = 1".as_bytes(), (1, 5)),
        (b"# coding: latin-1\ny = '\xe9' ; x = 1", (2, 14)),
        (b"\r\n\r\nx = 1\r\n", (3, 4)),
        (b"y\rx = 1\r", (2, 4)),
        (b"\x0c\nif y:\n\tx = 1\n", (3, 5)),
        (b"y = '''\n''' ; x = 1", (2, 10)),
    ] {
        let found = found(source, "number-shift");
        assert_eq!(found.mutations.len(), 1, "{}", source.escape_ascii());
        let mutation = &found.mutations[0];
        assert_eq!((mutation.line, mutation.column), place, "{}", source.escape_ascii());
        assert_eq!(found.unreadable_lines, [0; 0], "{}", source.escape_ascii());
    }
}

#[test]
fn a_source_that_is_not_utf_8_is_mutated_around_its_bytes() {
    let source = b"# coding: latin-1\nx = '\xe9' if a == b else c\n";
    let found = found(source, "compare-swap");
    assert_eq!(found.mutations.len(), 1);
    assert_eq!(source[found.mutations[0].span.clone()], *b"==");
}

#[test]
fn only_what_touches_an_unreadable_part_is_refused() {
    // A default of a type parameter (PEP 696) is newer than the grammar.
    let source = b"def f[T: (int, str) = int](x: T) -> T: return x + 1\ny = 2\n";
    let numbers = found(source, "number-shift");
    assert_eq!(numbers.mutations.len(), 2);
    assert_eq!(numbers.unreadable, 0);
    let statements = found(source, "stmt-delete");
    assert_eq!(statements.mutations.len(), 2);
    assert_eq!(statements.unreadable, 1);
    assert_eq!(statements.unreadable_lines, [1]);
}

#[test]
fn a_fault_does_not_take_the_rest_of_the_file_with_it() {
    let source = b"x = 1\nclass A:\n    def f(self):\n        (a.\n    b)\n        return 2\n    def g(self): return 3\ny = 4\n";
    let found = found(source, "number-shift");
    let numbers: Vec<_> = found.mutations.iter().map(|one| &source[one.span.clone()]).collect();
    assert!(numbers.contains(&&b"1"[..]) && numbers.contains(&&b"4"[..]), "{numbers:?}");
    assert!(!found.unreadable_lines.is_empty());
}

#[test]
fn mixed_tabs_and_spaces_are_left_to_the_interpreter() {
    let source = b"if 1:\n\tx\n        y = 2\n";
    assert_eq!(found(source, "number-shift").mutations.len(), 2);
}
