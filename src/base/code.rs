//! Every refusal code: its text, the rule it stands for, where the rule is written, and the member of
//! `vectors-done-contract` that shows it.

use std::fmt;
use std::str::FromStr;

/// Writes the enum and its tables from one list.
macro_rules! codes {
    ($($variant:ident, $text:literal, $source:literal, $vector:expr, $rule:literal;)*) => {
        /// Why a member, record, Statement or envelope is refused.
        #[expect(rustdoc::bare_urls, reason = "a rule may name the URI it demands")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = concat!("`", $text, "`: ", $rule)] $variant,)*
        }

        impl Code {
            /// Every code, in the order a reader meets the rules.
            pub const ALL: &[Code] = &[$(Code::$variant,)*];

            /// The code as it is printed.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// The rule that was broken, as one sentence without a full stop.
            #[must_use]
            pub const fn rule(self) -> &'static str {
                match self { $(Self::$variant => $rule,)* }
            }

            /// Where the rule is written.
            #[must_use]
            pub const fn source(self) -> &'static str {
                match self { $(Self::$variant => $source,)* }
            }

            /// The member of `vectors-done-contract` that shows the code, if one does.
            #[must_use]
            pub const fn vector(self) -> Option<&'static str> {
                match self { $(Self::$variant => $vector,)* }
            }
        }
    };
}

codes! {
    MemberUnreadable, "member_unreadable", "done-records 1", None,
        "a member file is a regular file of at most 16 MiB, not a link, and can be read";
    MemberIncomplete, "member_incomplete", "done-records 1", None,
        "a contract record and its Statement come together";
    MemberAmbiguous, "member_ambiguous", "adequacy", None,
        "a folder holds one Statement, named statement.json or contract.statement.json, not both";

    StatementJsonInvalid, "statement_json_invalid", "done-records 2", Some("statement-truncated"),
        "the Statement is JSON in UTF-8, without a byte order mark, at most 128 deep";
    StatementJsonDuplicateKey, "statement_json_duplicate_key", "done-records 2", Some("statement-duplicate-member"),
        "no object of the Statement names a member twice";
    StatementJsonNumber, "statement_json_number", "done-records 2", Some("statement-not-a-number"),
        "every number of the Statement is finite";
    StatementFields, "statement_fields", "done-records 3.1", Some("statement-member-unexpected"),
        "the Statement has exactly _type, subject, predicateType and predicate";
    StatementTypeWrong, "statement_type_wrong", "done-records 3.2", Some("statement-type-wrong"),
        "_type is https://in-toto.io/Statement/v1";
    StatementPredicateTypeWrong, "statement_predicate_type_wrong", "done-records 3.3", Some("statement-predicate-type-wrong"),
        "predicateType is https://w3id.org/agent-evidence/predicate/v1/done-contract";
    StatementSubjectMalformed, "statement_subject_malformed", "done-records 3.4", Some("statement-subjects-two"),
        "subject is one object with a nonempty name and a digest that holds only sha256, 64 lowercase hex digits";

    ContractJsonInvalid, "contract_json_invalid", "done-records 2", Some("json-truncated"),
        "the record is JSON in UTF-8, without a byte order mark, at most 128 deep";
    ContractJsonDuplicateKey, "contract_json_duplicate_key", "done-records 2", Some("json-duplicate-member"),
        "no object of the record names a member twice";
    ContractJsonNumber, "contract_json_number", "done-records 2", Some("json-nan"),
        "every number of the record is finite";
    ContractFields, "contract_fields", "done-records 5.1 (1)", Some("member-unexpected"),
        "the record has schema_version, contract_id, protected_paths, acceptance and adequacy, and none but the optional members";
    ContractStrength, "contract_strength", "done-records 5.1 (2)", Some("strength-unknown"),
        "strength is gated, reference_free or synthesized_spec";
    ContractNativeLoaded, "contract_native_loaded", "done-records 5.1 (3)", Some("native-loaded-path-absolute"),
        "native_loaded is a list of relative paths with SHA-256 digests";
    ContractNativeLoadedFields, "contract_native_loaded_fields", "done-records 5.1 (3)", Some("native-loaded-digest-missing"),
        "an entry of native_loaded has exactly path and sha256";
    ContractSchemaUnsupported, "contract_schema_unsupported", "done-records 5.1 (4)", Some("schema-version-other"),
        "schema_version is probity-done-contract/v1";
    ContractId, "contract_id", "done-records 5.1 (5)", Some("contract-id-empty"),
        "contract_id is a nonempty string";
    ContractTask, "contract_task", "done-records 5.1 (6)", Some("task-empty"),
        "task is a nonempty string";
    ContractDigestMalformed, "contract_digest_malformed", "done-records 5.1 (7), 5.2 (9d), 5.5 (19)", Some("heldout-digest-uppercase"),
        "a digest is 64 lowercase hex digits";
    ContractProtectedPathsType, "contract_protected_paths_type", "done-records 5.2 (8)", Some("protected-paths-object"),
        "protected_paths is a list";
    ContractProtectedPathFields, "contract_protected_path_fields", "done-records 5.2 (9a)", Some("protected-member-unexpected"),
        "a protected path has path, kind and sha256, and may have exclude and equivalence";
    ContractProtectedPathNotNormalized, "contract_protected_path_not_normalized", "done-records 5.2 (9b)", Some("protected-path-absolute"),
        "a protected path is relative, without empty, . or .. segments and without NUL";
    ContractProtectedKind, "contract_protected_kind", "done-records 5.2 (9c)", Some("protected-kind-unknown"),
        "kind is file or directory";
    ContractExcludeInvalid, "contract_exclude_invalid", "done-records 5.2 (9e)", Some("exclude-empty-list"),
        "exclude, on a directory, lists different segment names or workspace paths below the entry";
    ContractEquivalence, "contract_equivalence", "done-records 5.2 (9f)", Some("equivalence-unknown"),
        "equivalence is python_ast, on a file";
    ContractProtectedDuplicate, "contract_protected_duplicate", "done-records 5.2 (9g)", Some("protected-path-duplicate"),
        "no path is protected twice";
    ContractAcceptanceEmpty, "contract_acceptance_empty", "done-records 5.3 (10)", Some("acceptance-empty"),
        "acceptance is a nonempty list";
    ContractAcceptanceFields, "contract_acceptance_fields", "done-records 5.3 (11a)", Some("acceptance-member-unexpected"),
        "an acceptance command has id and argv, and none but the optional members";
    ContractAcceptanceTier, "contract_acceptance_tier", "done-records 5.3 (11b)", Some("acceptance-tier-unknown"),
        "tier is trusted or synthesized";
    ContractAcceptanceProbe, "contract_acceptance_probe", "done-records 5.3 (11c)", Some("acceptance-probe-unknown"),
        "probe is determinism, type_strict or import_side_effects";
    ContractAcceptanceId, "contract_acceptance_id", "done-records 5.3 (11d)", Some("acceptance-id-empty"),
        "a command's id is a nonempty string";
    ContractAcceptanceArgv, "contract_acceptance_argv", "done-records 5.3 (11e)", Some("acceptance-argv-empty"),
        "argv is a nonempty list of strings, the first of them nonempty";
    ContractAcceptanceSeal, "contract_acceptance_seal", "done-records 5.3 (11f)", Some("acceptance-cwd-without-exe"),
        "cwd and exe come together; cwd is an absolute path, exe one or a sorted list of them";
    ContractAcceptanceInterpreter, "contract_acceptance_interpreter", "done-records 5.3 (11g)", Some("acceptance-interpreter-without-exe"),
        "interpreter stands beside exe and is a sorted list of absolute paths";
    ContractAcceptanceTwin, "contract_acceptance_twin", "done-records 5.3 (11h, 12)", Some("twin-of-itself"),
        "in_process_twin_of names another command that is no probe";
    ContractAcceptanceIds, "contract_acceptance_ids", "done-records 5.3 (11i)", Some("acceptance-ids-duplicate"),
        "ids is a nonempty list of different nonempty strings";
    ContractAcceptanceRunWrites, "contract_acceptance_run_writes", "done-records 5.3 (11j)", Some("acceptance-run-writes-climb"),
        "run_writes is a list of different relative paths";
    ContractAcceptanceDuplicateId, "contract_acceptance_duplicate_id", "done-records 5.3 (11k)", Some("acceptance-id-duplicate"),
        "no two commands have the same id";
    ContractExecutionSurface, "contract_execution_surface", "done-records 5.4 (13)", Some("surface-unsorted"),
        "execution_surface is a nonempty list of absolute paths, strictly increasing by code points";
    ContractExecutionSurfaceSharedRoot, "contract_execution_surface_shared_root", "done-records 5.4 (13)", Some("surface-shared-tmp"),
        "no entry of execution_surface is /, /tmp or /var/tmp";
    ContractSurfaceAliases, "contract_surface_aliases", "done-records 5.4 (14)", Some("surface-aliases-without-surface"),
        "surface_aliases stands beside execution_surface and maps absolute paths to absolute paths";
    ContractAdequacyFields, "contract_adequacy_fields", "done-records 5.5 (15)", Some("adequacy-member-unexpected"),
        "adequacy has mutants and killed, and may have by_class, kill_vector_sha256 and gates";
    ContractAdequacyGates, "contract_adequacy_gates", "done-records 5.5 (16)", Some("gate-pass-not-boolean"),
        "gates is an object of objects, each with a boolean pass";
    ContractAdequacyCount, "contract_adequacy_count", "done-records 5.5 (17)", Some("adequacy-mutants-negative"),
        "mutants and killed are whole numbers, not negative";
    ContractAdequacyOvercount, "contract_adequacy_overcount", "done-records 5.5 (18)", Some("adequacy-killed-exceeds-mutants"),
        "killed is at most mutants";
    ContractAdequacyByClass, "contract_adequacy_by_class", "done-records 5.5 (20)", Some("by-class-mutants-do-not-sum"),
        "by_class is a nonempty object of named classes whose counts sum to the totals";
    ContractAdequacyByClassFields, "contract_adequacy_by_class_fields", "done-records 5.5 (20)", Some("by-class-killed-missing"),
        "a class has exactly mutants and killed";
    ContractModuleUnderTest, "contract_module_under_test", "done-records 5.5 (21)", Some("module-under-test-empty"),
        "module_under_test is a nonempty list of different relative paths";

    StatementSubjectUnbound, "statement_subject_unbound", "done-records 1 (3)", Some("statement-subject-unbound"),
        "the subject's digest is the SHA-256 of the record's bytes";
    StatementPredicateDiffers, "statement_predicate_differs", "done-records 1 (4), 6", Some("statement-predicate-differs"),
        "the predicate is the record, with the record's member types";

    EnvelopeJsonInvalid, "envelope_json_invalid", "done-records 2, 10", None,
        "the envelope is JSON in UTF-8, without a byte order mark, at most 128 deep";
    EnvelopeJsonDuplicateKey, "envelope_json_duplicate_key", "done-records 2, 10", None,
        "no object of the envelope names a member twice";
    EnvelopeJsonNumber, "envelope_json_number", "done-records 2, 10", None,
        "every number of the envelope is finite";
    EnvelopeFields, "envelope_fields", "done-records 10", None,
        "the envelope has exactly payload, payloadType and 1 to 16 signatures of sig and keyid, in padded standard base64";
    EnvelopeSignature, "envelope_signature", "done-records 10", None,
        "a signature of the envelope verifies under the given key";
    EnvelopePayloadType, "envelope_payload_type", "done-records 10", None,
        "payloadType is application/vnd.probity.done-contract.v1+json";
    EnvelopePayloadNotCanonical, "envelope_payload_not_canonical", "done-records 10", None,
        "the payload is its own RFC 8785 form";
    EnvelopePayloadDiffers, "envelope_payload_differs", "done-records 10", None,
        "the payload is the record's bytes";
}

impl Code {
    /// Whether nothing was judged because the files could not be had: `refused`, not `invalid`.
    #[must_use]
    pub const fn is_unread(self) -> bool {
        matches!(self, Self::MemberUnreadable | Self::MemberIncomplete | Self::MemberAmbiguous)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl std::error::Error for Code {}

/// The text is no code.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("not a refusal code")]
pub struct UnknownCode;

impl FromStr for Code {
    type Err = UnknownCode;

    fn from_str(text: &str) -> Result<Self, UnknownCode> {
        Self::ALL.iter().copied().find(|code| code.text() == text).ok_or(UnknownCode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_and_the_statement_have_49_codes_and_all_texts_differ() {
        let judged = Code::ALL.iter().filter(|code| {
            code.text().starts_with("contract_") || code.text().starts_with("statement_")
        });
        assert_eq!(judged.count(), 49);
        for code in Code::ALL {
            assert_eq!(code.text().parse(), Ok(*code));
            assert!(!code.rule().ends_with('.'), "{code}: {}", code.rule());
        }
        assert_eq!("contract_unheard_of".parse::<Code>(), Err(UnknownCode));
    }
}
