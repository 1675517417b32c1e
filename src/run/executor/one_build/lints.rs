//! Lints that a tree makes errors of. One that looks at a body alone is met beside the other bodies as it
//! is in a build of its own, and takes that mutant out. One that looks at what is used or reached in a
//! whole function or crate is not: beside the others, what a mutant uses no more is used all the same.

use std::collections::BTreeSet;

use adequacy_mutators::rust::{self, ExternCrates};
use toml::{Table, Value};

use crate::plan::cargo::reached;
use crate::tree::Snapshot;

/// Lints, and groups of such, that look at items and signatures, at names, or at one body. What is not named
/// here is taken for one of the others: dead code, unused variables, imports and macros, recursion, and what
/// later compilers have.
const OWN: &[&str] = &[
    "arithmetic_overflow",
    "array_into_iter",
    "bare_trait_objects",
    "deprecated",
    "dropping_copy_types",
    "elided_lifetimes_in_paths",
    "ellipsis_inclusive_range_patterns",
    "explicit_outlives_requirements",
    "future_incompatible",
    "improper_ctypes",
    "improper_ctypes_definitions",
    "irrefutable_let_patterns",
    "keyword_idents",
    "let_underscore_drop",
    "macro_use_extern_crate",
    "missing_copy_implementations",
    "missing_debug_implementations",
    "missing_docs",
    "no_mangle_generic_items",
    "non_ascii_idents",
    "non_camel_case_types",
    "non_fmt_panics",
    "non_snake_case",
    "non_upper_case_globals",
    "nonstandard_style",
    "noop_method_call",
    "overflowing_literals",
    "private_bounds",
    "private_interfaces",
    "rust_2018_compatibility",
    "semicolon_in_expressions_from_macros",
    "trivial_casts",
    "trivial_numeric_casts",
    "unconditional_panic",
    "unnameable_types",
    "unreachable_pub",
    "unsafe_code",
    "unsafe_op_in_unsafe_fn",
    "unused_comparisons",
    "unused_import_braces",
    "unused_qualifications",
    "unused_results",
    "variant_size_differences",
    "while_true",
];

/// The same of the group `unused`, which is allowed around the bodies.
pub(super) const OWN_UNUSED: &[&str] = &[
    "map_unit_fn",
    "path_statements",
    "redundant_semicolons",
    "unreachable_code",
    "unreachable_patterns",
    "unused_allocation",
    "unused_doc_comments",
    "unused_labels",
    "unused_must_use",
    "unused_parens",
    "unused_unsafe",
];

/// These look for crates that nothing uses.
const OF_CRATES: &[&str] = &["rust_2018_idioms", "unused_extern_crates"];

/// Those of the lints of the group `unused` that are errors; or what one build would not meet.
pub(super) fn denied(tree: &Snapshot) -> Result<Vec<String>, String> {
    let mut unused = BTreeSet::new();
    let mut crates = Vec::new();
    let mut add = |path: &dyn std::fmt::Display, lint: &str| {
        let lint = lint.replace('-', "_");
        let said = || format!("`{path}` makes an error of the lint `{lint}`");
        if OWN_UNUSED.contains(&lint.as_str()) {
            unused.insert(lint);
        } else if OF_CRATES.contains(&lint.as_str()) {
            crates.push(said());
        } else if !is_own(&lint) {
            return Err(said());
        }
        Ok(())
    };
    let mut named = ExternCrates::default();
    for path in reached(tree).unwrap_or_default().files.keys() {
        let Ok(source) = tree.read(path) else { continue };
        rust::denied(&source).iter().try_for_each(|lint| add(path, lint))?;
        let found = rust::extern_crates(&source);
        named.names.extend(found.names);
        named.inside.extend(found.inside);
    }
    for (path, _, _) in tree.files().filter(|(path, _, _)| path.name() == b"Cargo.toml") {
        let text = tree.read(path).ok().and_then(|text| String::from_utf8(text).ok());
        let table = text.and_then(|text| text.parse::<Table>().ok()).unwrap_or_default();
        of_manifest(&table).try_for_each(|lint| add(path, lint))?;
    }
    let last = named.names.intersection(&named.inside).next();
    match crates.into_iter().next().zip(last) {
        Some((said, name)) => Err(format!("{said}, and the crate `{name}` is used in a body")),
        None => Ok(unused.into_iter().collect()),
    }
}

fn of_manifest(table: &Table) -> impl Iterator<Item = &String> {
    let all = table.get("workspace").and_then(|workspace| workspace.get("lints"));
    let lints = table.get("lints").into_iter().chain(all);
    let lints = lints.filter_map(|lints| lints.get("rust")?.as_table()).flatten();
    let is_denied = |value: &Value| {
        matches!(value.get("level").unwrap_or(value).as_str(), Some("deny" | "forbid"))
    };
    lints.filter(move |(_, value)| is_denied(value)).map(|(lint, _)| lint)
}

/// Whether a lint looks at no more than a body; other tools than the compiler are not run.
pub(super) fn is_own(lint: &str) -> bool {
    let is_tools = ["clippy::", "rustdoc::"].iter().any(|tool| lint.starts_with(tool));
    is_tools || OWN.contains(&lint) || OWN_UNUSED.contains(&lint)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::base::Silent;
    use crate::tree::{Choice, snapshot};

    const WARNINGS: &str = "`src/lib.rs` makes an error of the lint `warnings`";
    const UNUSED: &str = "`Cargo.toml` makes an error of the lint `unused`";
    const CRATES: &str = "`src/lib.rs` makes an error of the lint `rust_2018_idioms`, and the crate `b` is used in a body";

    #[test]
    fn a_lint_that_one_build_would_not_meet_is_an_objection() {
        let idioms = "#![deny(rust_2018_idioms)]\nextern crate b;\n";
        for (manifest, source, expected) in [
            ("", "#![deny(missing_docs)]\n#![forbid(unsafe_code, clippy::all)]\n", Ok(vec![])),
            ("", "#![deny(warnings)]", Err(WARNINGS)),
            ("", "#![deny(unused_must_use)]", Ok(vec!["unused_must_use"])),
            ("[lints.rust]\nunsafe_code = \"forbid\"\nunused = \"warn\"\n", "", Ok(vec![])),
            ("[lints.rust]\nunused = { level = \"deny\", priority = -1 }\n", "", Err(UNUSED)),
            (
                "[workspace.lints.rust]\nfuture-incompatible = \"deny\"\nunused-must-use = \"deny\"\n",
                "",
                Ok(vec!["unused_must_use"]),
            ),
            ("", &format!("{idioms}use b::B;\nfn f() -> B {{ B }}\n"), Ok(vec![])),
            ("", &format!("{idioms}fn f() {{ b::f() }}\n"), Err(CRATES)),
        ] {
            let folder = tempfile::tempdir().expect("a temporary directory");
            let manifest = format!("[package]\nname = \"a\"\n{manifest}");
            fs::create_dir(folder.path().join("src")).expect("a folder");
            fs::write(folder.path().join("src/lib.rs"), source).expect("a file");
            fs::write(folder.path().join("Cargo.toml"), &manifest).expect("a file");
            let tree = snapshot(folder.path(), &Choice::default(), &Silent).expect("a tree");
            let expected = expected
                .map(|lints| lints.into_iter().map(str::to_owned).collect())
                .map_err(str::to_owned);
            assert_eq!(denied(&tree), expected, "{manifest} {source}");
        }
    }
}
