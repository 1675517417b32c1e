//! What attributes say: tests, conditions of the build, and marks to leave code alone.

use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Path, Token};

/// Attributes of tests whose names do not end in `test`.
const TESTS: &[&str] = &["bench", "proptest", "quickcheck", "test_case", "test_matrix"];

/// Whether something is a test or is only there for tests.
pub(crate) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let path = attribute.path();
        if path.is_ident("cfg") {
            return attribute.parse_args::<Meta>().is_ok_and(|predicate| requires_test(&predicate));
        }
        let last = path.segments.last().map(|segment| segment.ident.to_string());
        last.is_some_and(|name| name.ends_with("test") || TESTS.contains(&&*name))
    })
}

/// Whether a predicate holds in tests alone.
fn requires_test(predicate: &Meta) -> bool {
    match predicate {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) => {
            let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
            let Ok(parts) = list.parse_args_with(parser) else { return false };
            if list.path.is_ident("all") {
                parts.iter().any(requires_test)
            } else {
                list.path.is_ident("any") && !parts.is_empty() && parts.iter().all(requires_test)
            }
        }
        Meta::NameValue(_) => false,
    }
}

/// Whether `#[mutants::skip]` stands there, also inside `cfg_attr`.
pub(crate) fn is_skipped(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| names_skip(&attribute.meta))
}

fn names_skip(meta: &Meta) -> bool {
    let is_skip = |path: &Path| {
        let names = path.segments.iter().map(|segment| segment.ident.to_string());
        names.eq(["mutants", "skip"])
    };
    match meta {
        Meta::List(list) if list.path.is_ident("cfg_attr") => {
            let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
            let parts = list.parse_args_with(parser);
            parts.is_ok_and(|parts| parts.iter().skip(1).any(names_skip))
        }
        other => is_skip(other.path()),
    }
}

/// The conditions under which something is part of a build.
pub(crate) fn conditions(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<Attribute> {
        syn::parse_str::<syn::ItemFn>(&format!("{text} fn f() {{}}")).unwrap().attrs
    }

    #[test]
    fn what_only_tests_see() {
        for text in [
            "#[test]",
            "#[tokio::test(flavor = \"multi_thread\")]",
            "#[sqlx::test]",
            "#[rstest]",
            "#[wasm_bindgen_test]",
            "#[test_case(1)]",
            "#[bench]",
            "#[cfg(test)]",
            "#[cfg(all(unix, test))]",
            "#[cfg(any(test, all(test, unix)))]",
        ] {
            assert!(is_test(&of(text)), "{text}");
        }
        for text in [
            "",
            "#[inline]",
            "#[cfg(not(test))]",
            "#[cfg(any(test, feature = \"x\"))]",
            "#[cfg(feature = \"test\")]",
            "#[cfg_attr(test, inline)]",
        ] {
            assert!(!is_test(&of(text)), "{text}");
        }
    }

    #[test]
    fn marks_to_leave_code_alone() {
        for text in ["#[mutants::skip]", "#[inline] #[cfg_attr(test, a, mutants::skip)]"] {
            assert!(is_skipped(&of(text)), "{text}");
        }
        for text in ["#[skip]", "#[cfg_attr(mutants::skip, a)]", "#[mutants::other]"] {
            assert!(!is_skipped(&of(text)), "{text}");
        }
    }
}
