//! The numbers.

use super::{FULL, PLAIN, Row, bad};
use crate::base::code::Code::{
    ContractAdequacyByClass as ByClass, ContractAdequacyByClassFields as ClassFields,
    ContractAdequacyCount as Count, ContractAdequacyFields as Fields,
    ContractAdequacyGates as Gates, ContractAdequacyOvercount as Overcount,
    ContractDigestMalformed as Digest,
};

/// The plain control's counts, changed.
macro_rules! counts {
    ($id:literal, $says:literal, $counts:literal, $code:expr) => {
        bad($id, PLAIN, $says, &[(r#""mutants": 4, "killed": 3"#, $counts)], $code)
    };
}

/// The full control's class `change`, changed.
macro_rules! class {
    ($id:literal, $says:literal, $class:literal, $code:expr) => {
        bad($id, FULL, $says, &[(r#""change": {"mutants": 5, "killed": 4}"#, $class)], $code)
    };
}

/// The full control's gate `null_patch_survived`, changed.
macro_rules! gate {
    ($id:literal, $says:literal, $gate:literal) => {
        bad($id, FULL, $says, &[(r#"{"pass": true, "mutants": 1}"#, $gate)], Gates)
    };
}

pub(super) const ROWS: &[Row] = &[
    bad(
        "adequacy-list",
        PLAIN,
        "adequacy is a list",
        &[(r#"{"mutants": 4, "killed": 3}"#, "[4, 3]")],
        Fields,
    ),
    counts!(
        "adequacy-member-unexpected",
        "adequacy has a score",
        r#""mutants": 4, "killed": 3, "score": 0.75"#,
        Fields
    ),
    counts!("adequacy-killed-missing", "adequacy has no killed", r#""mutants": 4"#, Fields),
    gate!("gate-pass-not-boolean", "a gate's pass is 1", r#"{"pass": 1}"#),
    gate!("gate-pass-null", "a gate's pass is null", r#"{"pass": null}"#),
    gate!("gate-pass-text", "a gate's pass is a string", r#"{"pass": "true"}"#),
    gate!("gate-pass-missing", "a gate has no pass", r#"{"mutants": 1}"#),
    gate!("gate-not-an-object", "a gate is only its pass", "true"),
    counts!("gates-list", "gates is a list", r#""mutants": 4, "killed": 3, "gates": []"#, Gates),
    counts!("gates-null", "gates is null", r#""mutants": 4, "killed": 3, "gates": null"#, Gates),
    counts!(
        "adequacy-mutants-negative",
        "mutants is negative",
        r#""mutants": -4, "killed": 3"#,
        Count
    ),
    counts!(
        "adequacy-killed-negative",
        "killed is negative",
        r#""mutants": 4, "killed": -3"#,
        Count
    ),
    counts!(
        "adequacy-mutants-boolean",
        "mutants is true",
        r#""mutants": true, "killed": 0"#,
        Count
    ),
    counts!("adequacy-killed-text", "killed is a string", r#""mutants": 4, "killed": "3""#, Count),
    counts!("adequacy-killed-fraction", "killed is 3.0", r#""mutants": 4, "killed": 3.0"#, Count),
    counts!("adequacy-killed-exponent", "killed is 3e0", r#""mutants": 4, "killed": 3e0"#, Count),
    counts!(
        "adequacy-killed-minus-zero-fraction",
        "killed is -0.0",
        r#""mutants": 4, "killed": -0.0"#,
        Count
    ),
    counts!("adequacy-mutants-null", "mutants is null", r#""mutants": null, "killed": 3"#, Count),
    counts!(
        "adequacy-killed-exceeds-mutants",
        "killed is one more than mutants",
        r#""mutants": 4, "killed": 5"#,
        Overcount
    ),
    counts!(
        "adequacy-overcount-beyond-64-bits",
        "killed is one more than mutants, beyond 64 bits",
        r#""mutants": 18446744073709551616, "killed": 18446744073709551617"#,
        Overcount
    ),
    counts!(
        "adequacy-overcount-beyond-doubles",
        "killed is one more than mutants, where doubles cannot tell",
        r#""mutants": 9007199254740992, "killed": 9007199254740993"#,
        Overcount
    ),
    bad(
        "kill-vector-digest-short",
        FULL,
        "the kill vector's digest has 63 digits",
        &[("b0d51c58", "b0d51c5")],
        Digest,
    ),
    counts!(
        "by-class-empty",
        "there are no classes, as an empty object",
        r#""mutants": 4, "killed": 3, "by_class": {}"#,
        ByClass
    ),
    counts!(
        "by-class-list",
        "the classes are a list",
        r#""mutants": 4, "killed": 3, "by_class": [{"mutants": 4, "killed": 3}]"#,
        ByClass
    ),
    counts!(
        "by-class-wraps",
        "the classes sum to the totals only in 64 bits",
        r#""mutants": 1, "killed": 1, "by_class": {"a": {"mutants": 18446744073709551615, "killed": 1}, "b": {"mutants": 2, "killed": 0}}"#,
        ByClass
    ),
    class!(
        "by-class-name-empty",
        "a class has no name",
        r#""": {"mutants": 5, "killed": 4}"#,
        ByClass
    ),
    class!(
        "by-class-killed-missing",
        "a class has no killed",
        r#""change": {"mutants": 5}"#,
        ClassFields
    ),
    class!(
        "by-class-member-unexpected",
        "a class has a score",
        r#""change": {"mutants": 5, "killed": 4, "score": 0.8}"#,
        ClassFields
    ),
    class!("by-class-not-an-object", "a class is a list", r#""change": [5, 4]"#, ClassFields),
    class!(
        "by-class-count-boolean",
        "a class's killed is true",
        r#""change": {"mutants": 5, "killed": true}"#,
        ByClass
    ),
    class!(
        "by-class-overcount",
        "a class has more killed than mutants",
        r#""change": {"mutants": 5, "killed": 6}"#,
        ByClass
    ),
    class!(
        "by-class-mutants-do-not-sum",
        "the classes have one mutant too many",
        r#""change": {"mutants": 6, "killed": 4}"#,
        ByClass
    ),
    class!(
        "by-class-killed-do-not-sum",
        "the classes have one kill too few",
        r#""change": {"mutants": 5, "killed": 3}"#,
        ByClass
    ),
];
