//! Valid members: the controls, every optional member alone, and what the rules allow at their edges.

use super::{FULL, PLAIN, Row, good, good_statement};

/// A digest to put where one may stand.
macro_rules! hex {
    () => {
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    };
}

/// A member put behind the plain control's `contract_id`.
macro_rules! beside_id {
    ($id:literal, $says:literal, $member:expr) => {
        good(
            $id,
            PLAIN,
            $says,
            &[(
                r#""contract_id": "contract-parcel-1","#,
                concat!(r#""contract_id": "contract-parcel-1", "#, $member, ","),
            )],
        )
    };
}

/// A member put into the plain control's command.
macro_rules! in_command {
    ($id:literal, $says:literal, $member:expr) => {
        good(
            $id,
            PLAIN,
            $says,
            &[(r#""unittest", "-q"]"#, concat!(r#""unittest", "-q"], "#, $member))],
        )
    };
}

/// A member put into the plain control's adequacy.
macro_rules! in_adequacy {
    ($id:literal, $says:literal, $member:expr) => {
        good($id, PLAIN, $says, &[(r#""killed": 3"#, concat!(r#""killed": 3, "#, $member))])
    };
}

pub(super) const ROWS: &[Row] = &[
    good("valid-plain", PLAIN, "nothing is changed", &[]),
    good("valid-full", FULL, "nothing is changed", &[]),
    beside_id!("valid-task", "with a task", r#""task": "sort the parcels""#),
    beside_id!(
        "valid-heldout-digest",
        "with a held-out digest",
        concat!(r#""heldout_split_sha256": ""#, hex!(), "\"")
    ),
    beside_id!(
        "valid-mutant-set-digest",
        "with a mutant set digest",
        concat!(r#""mutant_set_sha256": ""#, hex!(), "\"")
    ),
    beside_id!(
        "valid-authority-digest",
        "with an authority digest",
        concat!(r#""authority_sha256": ""#, hex!(), "\"")
    ),
    beside_id!(
        "valid-module-under-test",
        "with a module under test",
        r#""module_under_test": ["parcel.py"]"#
    ),
    beside_id!("valid-strength-gated", "with strength gated", r#""strength": "gated""#),
    beside_id!(
        "valid-strength-reference-free",
        "with strength reference_free",
        r#""strength": "reference_free""#
    ),
    beside_id!(
        "valid-strength-synthesized-spec",
        "with strength synthesized_spec",
        r#""strength": "synthesized_spec""#
    ),
    beside_id!(
        "valid-native-loaded",
        "with a native library",
        concat!(r#""native_loaded": [{"path": "a.so", "sha256": ""#, hex!(), "\"}]")
    ),
    beside_id!(
        "valid-native-loaded-none",
        "with an empty list of native libraries",
        r#""native_loaded": []"#
    ),
    beside_id!(
        "valid-surface",
        "with an execution surface",
        r#""execution_surface": ["/opt/venv"]"#
    ),
    beside_id!(
        "valid-surface-below-tmp",
        "with a surface below a shared root",
        r#""execution_surface": ["/tmp/venv", "/var/tmp/x"]"#
    ),
    beside_id!(
        "valid-surface-aliases",
        "with an alias of a place on the surface",
        r#""execution_surface": ["/opt/venv"], "surface_aliases": {"/venv": "/opt/venv"}"#
    ),
    beside_id!(
        "valid-surface-aliases-none",
        "with an empty object of aliases",
        r#""execution_surface": ["/opt/venv"], "surface_aliases": {}"#
    ),
    beside_id!(
        "valid-surface-code-point-order",
        "with a surface sorted by code points, which is not the order of UTF-16",
        r#""execution_surface": ["/\uff5e", "/\ud83d\ude00"]"#
    ),
    in_command!("valid-acceptance-ids", "with test ids", r#""ids": ["b", "a"]"#),
    in_command!(
        "valid-acceptance-run-writes",
        "with paths the command writes",
        r#""run_writes": ["out/b", "out/a"]"#
    ),
    in_command!(
        "valid-acceptance-run-writes-none",
        "with an empty list of paths the command writes",
        r#""run_writes": []"#
    ),
    in_command!(
        "valid-acceptance-exe-one",
        "with a working directory and one executable",
        r#""cwd": "/", "exe": "/usr/bin/python3""#
    ),
    in_command!(
        "valid-acceptance-exe-list",
        "with a working directory and two executables",
        r#""cwd": "/w", "exe": ["/a/python3", "/b/python3"]"#
    ),
    in_command!(
        "valid-acceptance-interpreter",
        "with an interpreter",
        r#""cwd": "/w", "exe": "/a/run", "interpreter": ["/a/python3"]"#
    ),
    in_command!("valid-acceptance-tier-trusted", "with tier trusted", r#""tier": "trusted""#),
    in_command!(
        "valid-acceptance-tier-synthesized",
        "with tier synthesized",
        r#""tier": "synthesized""#
    ),
    in_command!(
        "valid-acceptance-probe-determinism",
        "with a probe of determinism",
        r#""probe": "determinism""#
    ),
    in_command!(
        "valid-acceptance-probe-type-strict",
        "with a probe of types",
        r#""probe": "type_strict""#
    ),
    in_command!(
        "valid-acceptance-probe-import",
        "with a probe of import side effects",
        r#""probe": "import_side_effects""#
    ),
    good(
        "valid-acceptance-twin-of-later",
        PLAIN,
        "a command's twin stands after it",
        &[(
            r#""-q"]}"#,
            r#""-q"], "in_process_twin_of": "later"}, {"id": "later", "argv": ["true"]}"#,
        )],
    ),
    good(
        "valid-acceptance-later-words-empty",
        PLAIN,
        "a later word of argv is empty",
        &[(r#""unittest""#, r#""""#)],
    ),
    good(
        "valid-acceptance-first-word-assignment",
        PLAIN,
        "argv starts with a word that holds =",
        &[(r#"["python3""#, r#"["A=1", "python3""#)],
    ),
    good(
        "valid-protected-none",
        PLAIN,
        "nothing is protected",
        &[(
            r#"{"path": "tests", "kind": "directory", "sha256": "59830ebc3a4184110566bf1a290d08473dfdcbd492ce498b14cd1a5e2fa2e441"}"#,
            "",
        )],
    ),
    good(
        "valid-protected-file",
        PLAIN,
        "the protected path is a file",
        &[(r#""directory""#, r#""file""#)],
    ),
    good(
        "valid-protected-overlap",
        FULL,
        "a protected file lies below a protected directory",
        &[(r#""setup.cfg""#, r#""tests/setup.cfg""#)],
    ),
    good(
        "valid-protected-odd-names",
        PLAIN,
        "the path has segments that only look special",
        &[(r#""path": "tests""#, r#""path": "..a/.../C:\\x/~/ b\n""#)],
    ),
    good(
        "valid-exclude-segment",
        PLAIN,
        "a segment name is left out",
        &[(r#""directory""#, r#""directory", "exclude": ["__pycache__"]"#)],
    ),
    good(
        "valid-exclude-path",
        PLAIN,
        "a workspace path below the entry is left out",
        &[(r#""directory""#, r#""directory", "exclude": ["tests/a/b"]"#)],
    ),
    good(
        "valid-equivalence",
        PLAIN,
        "a file's changes that leave its syntax tree do not count",
        &[(r#""directory""#, r#""file", "equivalence": "python_ast""#)],
    ),
    in_adequacy!(
        "valid-by-class",
        "with one class",
        r#""by_class": {"rest": {"mutants": 4, "killed": 3}}"#
    ),
    in_adequacy!(
        "valid-kill-vector",
        "with a kill vector",
        concat!(r#""kill_vector_sha256": ""#, hex!(), "\"")
    ),
    in_adequacy!("valid-gates-none", "with an empty object of gates", r#""gates": {}"#),
    in_adequacy!(
        "valid-gate-free-members",
        "with a gate without a name and members of every kind",
        r#""gates": {"": {"pass": false, "a": null, "b": [1, 1.5, true, "x", {"c": {}}], "pass ": 1}}"#
    ),
    good(
        "valid-no-mutants",
        PLAIN,
        "there are no mutants",
        &[(r#""mutants": 4, "killed": 3"#, r#""mutants": 0, "killed": 0"#)],
    ),
    good(
        "valid-minus-zero",
        PLAIN,
        "killed is the integer -0",
        &[(r#""killed": 3"#, r#""killed": -0"#)],
    ),
    good(
        "valid-counts-beyond-64-bits",
        PLAIN,
        "the counts of two classes need exact sums beyond 64 bits",
        &[(
            r#""mutants": 4, "killed": 3"#,
            r#""mutants": 18446744073709551617, "killed": 18446744073709551616, "by_class": {"b": {"mutants": 18446744073709551615, "killed": 18446744073709551615}, "a": {"mutants": 2, "killed": 1}}"#,
        )],
    ),
    good(
        "valid-text-anything",
        PLAIN,
        "the id holds DEL, a bidirectional mark, a line separator and NUL",
        &[("contract-parcel-1", "\u{7f}\u{202e}\u{2028}\\u0000")],
    ),
    good(
        "valid-names-not-normalized",
        PLAIN,
        "two members differ only in Unicode normalisation",
        &[(
            r#""killed": 3"#,
            "\"killed\": 3, \"gates\": {\"\u{e9}\": {\"pass\": true}, \"e\u{301}\": {\"pass\": true}}",
        )],
    ),
    good(
        "valid-escapes",
        PLAIN,
        "the id holds every escape",
        &[("contract-parcel-1", r#"\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00"#)],
    ),
    good(
        "valid-names-escaped",
        PLAIN,
        "a member's name is written with escapes",
        &[(r#""adequacy""#, r#""ad\u0065quacy""#)],
    ),
    good_statement(
        "valid-subject-name-other",
        PLAIN,
        "the subject has another name",
        &[("contract.json", "record")],
    ),
    good_statement(
        "valid-predicate-other-order",
        FULL,
        "the predicate's members stand in another order",
        &[
            (r#"{"pass": true, "mutants": 1}"#, r#"{"mutants": 1, "pass": true}"#),
            (
                "    \"mutants\": 12,\n    \"killed\": 9,",
                "    \"killed\": 9,\n    \"mutants\": 12,",
            ),
        ],
    ),
    good_statement(
        "valid-predicate-other-spelling",
        FULL,
        "the predicate spells a string and a fraction differently",
        &[(r#""tools/check.py""#, r#""tools\/\u0063heck.py""#), ("0.2", "2.0e-1")],
    ),
];
