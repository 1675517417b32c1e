//! Protected paths.

use super::{FULL, PLAIN, Row, bad};
use crate::base::code::Code::{
    ContractDigestMalformed as Digest, ContractEquivalence as Equivalence,
    ContractExcludeInvalid as Exclude, ContractProtectedDuplicate as Duplicate,
    ContractProtectedKind as Kind, ContractProtectedPathFields as Fields,
    ContractProtectedPathNotNormalized as Path, ContractProtectedPathsType as Type,
};

/// The plain control's protected path, spelled differently.
macro_rules! path {
    ($id:literal, $says:literal, $path:literal) => {
        bad($id, PLAIN, $says, &[(r#""path": "tests""#, concat!("\"path\": ", $path))], Path)
    };
}

/// The full control's list of what is left out, changed.
macro_rules! exclude {
    ($id:literal, $says:literal, $list:literal) => {
        bad($id, FULL, $says, &[(r#"["__pycache__", "tests/data/cache"]"#, $list)], Exclude)
    };
}

pub(super) const ROWS: &[Row] = &[
    bad(
        "protected-paths-object",
        PLAIN,
        "protected_paths is an object",
        &[(
            "\"protected_paths\": [\n    {\"path\": \"tests\", \"kind\": \"directory\", \"sha256\": \"59830ebc3a4184110566bf1a290d08473dfdcbd492ce498b14cd1a5e2fa2e441\"}\n  ]",
            "\"protected_paths\": {}",
        )],
        Type,
    ),
    bad(
        "protected-member-unexpected",
        PLAIN,
        "a protected path has a mode",
        &[(r#""directory""#, r#""directory", "mode": 420"#)],
        Fields,
    ),
    bad(
        "protected-kind-missing",
        PLAIN,
        "a protected path has no kind",
        &[(r#""kind": "directory", "#, "")],
        Fields,
    ),
    bad(
        "protected-not-an-object",
        PLAIN,
        "a protected path is only a string",
        &[(r#""protected_paths": ["#, r#""protected_paths": ["setup.py", "#)],
        Fields,
    ),
    path!("protected-path-absolute", "the path is absolute", r#""/tests""#),
    path!("protected-path-empty", "the path is empty", r#""""#),
    path!("protected-path-dot", "the path is a dot", r#"".""#),
    path!("protected-path-dot-segment", "the path starts with a dot", r#""./tests""#),
    path!("protected-path-climbs", "the path climbs", r#""tests/../tests""#),
    path!("protected-path-trailing-slash", "the path ends with a slash", r#""tests/""#),
    path!("protected-path-double-slash", "the path has two slashes in a row", r#""tests//a""#),
    path!("protected-path-nul", "the path holds NUL", r#""tests\u0000""#),
    path!("protected-path-not-text", "the path is a list", r#"["tests"]"#),
    bad(
        "protected-kind-unknown",
        PLAIN,
        "the kind is symlink",
        &[(r#""directory""#, r#""symlink""#)],
        Kind,
    ),
    bad(
        "protected-digest-short",
        PLAIN,
        "the digest has 63 digits",
        &[("59830ebc", "59830eb")],
        Digest,
    ),
    exclude!("exclude-empty-list", "nothing is left out, as an empty list", "[]"),
    exclude!("exclude-null", "what is left out is null", "null"),
    exclude!("exclude-twice", "a name is left out twice", r#"["__pycache__", "__pycache__"]"#),
    exclude!("exclude-outside", "a path outside the entry is left out", r#"["docs/cache"]"#),
    exclude!(
        "exclude-beside",
        "a path that only starts like the entry is left out",
        r#"["tests2/cache"]"#
    ),
    exclude!("exclude-relative-to-entry", "a path is relative to the entry", r#"["data/cache"]"#),
    exclude!("exclude-climbs", "a path below the entry climbs", r#"["tests/../tests/a"]"#),
    exclude!("exclude-empty-name", "a name that is left out is empty", r#"[""]"#),
    exclude!("exclude-dots", "the name that is left out is two dots", r#"[".."]"#),
    exclude!("exclude-nul", "a name that is left out holds NUL", r#"["a\u0000"]"#),
    exclude!("exclude-not-text", "a name that is left out is a number", "[1]"),
    bad(
        "exclude-itself",
        FULL,
        "the entry itself is left out, as a path of two segments",
        &[
            (r#""path": "tests""#, r#""path": "a/tests""#),
            (r#"["__pycache__", "tests/data/cache"]"#, r#"["a/tests"]"#),
        ],
        Exclude,
    ),
    bad(
        "exclude-on-file",
        PLAIN,
        "a file has names that are left out",
        &[(r#""directory""#, r#""file", "exclude": ["a"]"#)],
        Exclude,
    ),
    bad(
        "equivalence-unknown",
        FULL,
        "the equivalence is a word nobody knows",
        &[("python_ast", "python_cst")],
        Equivalence,
    ),
    bad(
        "equivalence-on-directory",
        PLAIN,
        "a directory has an equivalence",
        &[(r#""directory""#, r#""directory", "equivalence": "python_ast""#)],
        Equivalence,
    ),
    bad(
        "protected-path-duplicate",
        FULL,
        "a path is protected twice",
        &[("setup.cfg", "tools/check.py")],
        Duplicate,
    ),
];
