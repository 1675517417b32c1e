//! Acceptance commands.

use super::{FULL, PLAIN, Row, bad};
use crate::base::code::Code::{
    ContractAcceptanceArgv as Argv, ContractAcceptanceDuplicateId as DuplicateId,
    ContractAcceptanceEmpty as Empty, ContractAcceptanceFields as Fields,
    ContractAcceptanceId as Id, ContractAcceptanceIds as Ids,
    ContractAcceptanceInterpreter as Interpreter, ContractAcceptanceProbe as Probe,
    ContractAcceptanceRunWrites as RunWrites, ContractAcceptanceSeal as Seal,
    ContractAcceptanceTier as Tier, ContractAcceptanceTwin as Twin,
};

/// The plain control's argv, changed.
macro_rules! argv {
    ($id:literal, $says:literal, $argv:literal) => {
        bad($id, PLAIN, $says, &[(r#"["python3", "-m", "unittest", "-q"]"#, $argv)], Argv)
    };
}

/// The full control's executables, changed.
macro_rules! exe {
    ($id:literal, $says:literal, $exe:literal) => {
        bad(
            $id,
            FULL,
            $says,
            &[(r#"["/opt/parcel/venv/bin/python3", "/usr/bin/python3"]"#, $exe)],
            Seal,
        )
    };
}

/// The full control's interpreter, changed.
macro_rules! interpreter {
    ($id:literal, $says:literal, $interpreter:literal) => {
        bad($id, FULL, $says, &[(r#"["/usr/bin/python3.11"]"#, $interpreter)], Interpreter)
    };
}

/// The full control's test ids, changed.
macro_rules! ids {
    ($id:literal, $says:literal, $ids:literal) => {
        bad(
            $id,
            FULL,
            $says,
            &[(
                r#"["tests/test_weight.py::test_negative", "tests/test_weight.py::test_zero"]"#,
                $ids,
            )],
            Ids,
        )
    };
}

/// The full control's written paths, changed.
macro_rules! writes {
    ($id:literal, $says:literal, $paths:literal) => {
        bad($id, FULL, $says, &[(r#"[".pytest_cache", "build/report"]"#, $paths)], RunWrites)
    };
}

/// The full control's twin, changed.
macro_rules! twin {
    ($id:literal, $says:literal, $twin:literal) => {
        bad(
            $id,
            FULL,
            $says,
            &[(r#""in_process_twin_of": "unit""#, concat!("\"in_process_twin_of\": ", $twin))],
            Twin,
        )
    };
}

pub(super) const ROWS: &[Row] = &[
    bad(
        "acceptance-empty",
        PLAIN,
        "there is no command",
        &[(r#"{"id": "unit", "argv": ["python3", "-m", "unittest", "-q"]}"#, "")],
        Empty,
    ),
    bad(
        "acceptance-object",
        PLAIN,
        "acceptance is an object",
        &[(
            "[\n    {\"id\": \"unit\", \"argv\": [\"python3\", \"-m\", \"unittest\", \"-q\"]}\n  ]",
            "{}",
        )],
        Empty,
    ),
    bad(
        "acceptance-member-unexpected",
        PLAIN,
        "a command has a time limit",
        &[(r#""id": "unit""#, r#""id": "unit", "timeout": 1"#)],
        Fields,
    ),
    bad(
        "acceptance-argv-missing",
        PLAIN,
        "a command has no argv",
        &[(r#", "argv": ["python3", "-m", "unittest", "-q"]"#, "")],
        Fields,
    ),
    bad(
        "acceptance-not-an-object",
        PLAIN,
        "a command is a list of words",
        &[(r#""acceptance": ["#, r#""acceptance": [["true"], "#)],
        Fields,
    ),
    bad(
        "acceptance-tier-unknown",
        FULL,
        "a tier is a word nobody knows",
        &[(r#""trusted""#, r#""held""#)],
        Tier,
    ),
    bad(
        "acceptance-probe-unknown",
        FULL,
        "a probe is a word nobody knows",
        &[(r#""type_strict""#, r#""types""#)],
        Probe,
    ),
    bad(
        "acceptance-id-empty",
        PLAIN,
        "a command's id is empty",
        &[(r#""id": "unit""#, r#""id": """#)],
        Id,
    ),
    bad(
        "acceptance-id-not-text",
        PLAIN,
        "a command's id is a number",
        &[(r#""id": "unit""#, r#""id": 1"#)],
        Id,
    ),
    argv!("acceptance-argv-empty", "argv is empty", "[]"),
    argv!("acceptance-argv-text", "argv is a shell line", r#""python3 -m unittest -q""#),
    argv!("acceptance-argv-first-word-empty", "argv's first word is empty", r#"["", "-q"]"#),
    argv!("acceptance-argv-number", "a word of argv is a number", r#"["python3", 3]"#),
    bad(
        "acceptance-cwd-without-exe",
        PLAIN,
        "a working directory stands without an executable",
        &[(r#""id": "unit""#, r#""id": "unit", "cwd": "/w""#)],
        Seal,
    ),
    bad(
        "acceptance-exe-without-cwd",
        PLAIN,
        "an executable stands without a working directory",
        &[(r#""id": "unit""#, r#""id": "unit", "exe": "/w/a""#)],
        Seal,
    ),
    bad(
        "acceptance-cwd-relative",
        FULL,
        "the working directory is relative",
        &[("/work/parcel", "work/parcel")],
        Seal,
    ),
    bad(
        "acceptance-cwd-double-slash",
        FULL,
        "the working directory starts with two slashes",
        &[("/work/parcel", "//work/parcel")],
        Seal,
    ),
    exe!("acceptance-exe-relative", "the executable is relative", r#""python3""#),
    exe!("acceptance-exe-empty-list", "the list of executables is empty", "[]"),
    exe!(
        "acceptance-exe-unsorted",
        "the executables are not sorted",
        r#"["/usr/bin/python3", "/opt/parcel/venv/bin/python3"]"#
    ),
    exe!(
        "acceptance-exe-twice",
        "an executable is listed twice",
        r#"["/usr/bin/python3", "/usr/bin/python3"]"#
    ),
    exe!("acceptance-exe-not-text", "an executable is a number", r#"["/usr/bin/python3", 3]"#),
    exe!(
        "acceptance-exe-utf-16-order",
        "the executables are sorted as UTF-16 is, not by code points",
        "[\"/\u{1f600}\", \"/\u{ff5e}\"]"
    ),
    exe!("acceptance-exe-object", "the executable is an object", "{}"),
    interpreter!(
        "acceptance-interpreter-text",
        "the interpreter is a string, not a list",
        r#""/usr/bin/python3.11""#
    ),
    interpreter!(
        "acceptance-interpreter-relative",
        "the interpreter is relative",
        r#"["python3.11"]"#
    ),
    interpreter!("acceptance-interpreter-empty", "the list of interpreters is empty", "[]"),
    bad(
        "acceptance-interpreter-without-exe",
        PLAIN,
        "an interpreter stands without an executable",
        &[(r#""id": "unit""#, r#""id": "unit", "interpreter": ["/a"]"#)],
        Interpreter,
    ),
    twin!("twin-empty", "a twin has no name", r#""""#),
    twin!("twin-not-text", "a twin is a list", r#"["unit"]"#),
    twin!("twin-of-itself", "a command is its own twin", r#""unit-inside""#),
    twin!("twin-of-unknown", "a twin is no command's id", r#""unit-outside""#),
    twin!("twin-of-a-probe", "a twin is a probe", r#""probe-types""#),
    ids!("acceptance-ids-duplicate", "a test id is listed twice", r#"["t", "t"]"#),
    ids!("acceptance-ids-empty", "the list of test ids is empty", "[]"),
    ids!("acceptance-ids-empty-id", "a test id is empty", r#"["t", ""]"#),
    ids!("acceptance-ids-not-text", "a test id is null", r#"["t", null]"#),
    writes!("acceptance-run-writes-climb", "a written path climbs", r#"["../out"]"#),
    writes!("acceptance-run-writes-twice", "a written path is listed twice", r#"["out", "out"]"#),
    writes!("acceptance-run-writes-null", "the written paths are null", "null"),
    bad(
        "acceptance-id-duplicate",
        FULL,
        "two commands have the same id",
        &[("probe-types", "unit")],
        DuplicateId,
    ),
];
