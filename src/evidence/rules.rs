//! What a schema cannot say of the seven shapes.

use serde_json::Value;

use super::kind::Kind;
use super::scan;
use super::shape::Fault;

/// A rule of one shape: its name, what it says, and whether a record keeps it.
pub struct Rule {
    /// The shape.
    pub kind: Kind,
    /// Its name, the code of its fault.
    pub id: &'static str,
    /// One sentence.
    pub says: &'static str,
    holds: fn(&Value) -> bool,
}

/// Every rule, in the order of the shapes.
pub const RULES: &[Rule] = &[
    Rule {
        kind: Kind::PathBudget,
        id: "budget-disjoint",
        says: "no path is both an existing and a new one, and none stands twice",
        holds: budget_disjoint,
    },
    Rule {
        kind: Kind::FrozenInstall,
        id: "install-paths-only",
        says: "env_paths holds paths, never values",
        holds: install_paths_only,
    },
    Rule {
        kind: Kind::FrozenInstall,
        id: "install-inputs-agree",
        says: "where all inputs are unchanged the lock file is",
        holds: install_inputs_agree,
    },
    Rule {
        kind: Kind::GateResult,
        id: "totals-have-a-source",
        says: "totals are given where a machine-readable report holds them, and only there",
        holds: totals_have_a_source,
    },
    Rule {
        kind: Kind::GateResult,
        id: "totals-add-up",
        says: "passed, failed and pending make up the tests",
        holds: totals_add_up,
    },
    Rule {
        kind: Kind::GateResult,
        id: "totals-not-from-prose",
        says: "totals are never read from what a child printed for people",
        holds: totals_not_from_prose,
    },
    Rule {
        kind: Kind::Review,
        id: "review-pins-hold",
        says: "a review whose pins no longer match says nothing",
        holds: review_pins_hold,
    },
    Rule {
        kind: Kind::Review,
        id: "review-of-a-build",
        says: "running compiled output that nobody rebuilt or verified by hash gives a harness result, never a product verdict",
        holds: review_of_a_build,
    },
    Rule {
        kind: Kind::StaticScan,
        id: "scan-adds-up",
        says: "raw hits are the classified and the unclassified ones",
        holds: scan_adds_up,
    },
    Rule {
        kind: Kind::StaticScan,
        id: "scan-all-classified",
        says: "no hit is unclassified",
        holds: scan_all_classified,
    },
    Rule {
        kind: Kind::StaticScan,
        id: "scan-classification-known",
        says: "a classification begins with `credential-shaped fixture`, `documentation example` or `real credential`",
        holds: scan_classification_known,
    },
    Rule {
        kind: Kind::StaticScan,
        id: "scan-no-credential",
        says: "a real credential stops the run: it is removed and revoked, not recorded",
        holds: scan_no_credential,
    },
    Rule {
        kind: Kind::FinalVerdict,
        id: "verdict-status-scoped",
        says: "the status says what was accepted and where; success, done, complete and the like say nothing",
        holds: verdict_status_scoped,
    },
    Rule {
        kind: Kind::FinalVerdict,
        id: "verdict-acts-authorized",
        says: "no act is both authorized and listed as not authorized",
        holds: verdict_acts_authorized,
    },
];

/// The rules of its shape that a record breaks.
pub(super) fn broken(kind: Kind, record: &Value) -> impl Iterator<Item = Fault> {
    let rules = RULES.iter().filter(move |rule| rule.kind == kind);
    rules.filter(|rule| !(rule.holds)(record)).map(|rule| Fault::new(rule.id, "", rule.says))
}

/// Literal credentials anywhere in a record.
pub(super) fn secrets(record: &Value) -> Vec<Fault> {
    fn walk(value: &Value, at: &str, found: &mut Vec<Fault>) {
        match value {
            Value::String(text) => found.extend(scan::hits(text.as_bytes()).take(1).map(|hit| {
                Fault::new(
                    "secret_literal",
                    at,
                    format!("looks like a credential ({})", hit.pattern),
                )
            })),
            Value::Array(items) => {
                for (place, item) in items.iter().enumerate() {
                    walk(item, &format!("{at}/{place}"), found);
                }
            }
            Value::Object(members) => {
                for (name, item) in members {
                    walk(item, &format!("{at}/{name}"), found);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(record, "", &mut found);
    found
}

fn at<'r>(record: &'r Value, pointer: &str) -> &'r Value {
    record.pointer(pointer).unwrap_or(&Value::Null)
}

fn items<'r>(record: &'r Value, pointer: &str) -> &'r [Value] {
    at(record, pointer).as_array().map_or(&[], Vec::as_slice)
}

fn budget_disjoint(record: &Value) -> bool {
    let both = items(record, "/allowed_existing").iter().chain(items(record, "/allowed_new"));
    let mut paths = both.filter_map(Value::as_str).collect::<Vec<_>>();
    paths.sort_unstable();
    paths.windows(2).all(|pair| pair[0] != pair[1])
}

fn install_paths_only(record: &Value) -> bool {
    let values = at(record, "/pre/env_paths").as_object();
    let path = |value: &Value| value.as_str().is_none_or(|path| path.starts_with(['/', '.', '<']));
    values.is_none_or(|values| values.values().all(path))
}

fn install_inputs_agree(record: &Value) -> bool {
    at(record, "/post/all_inputs_unchanged") != true || at(record, "/post/lock_unchanged") == true
}

const TOTALS: [&str; 4] = ["/tests", "/passed", "/failed", "/pending"];

fn totals_have_a_source(record: &Value) -> bool {
    let given = TOTALS.iter().filter(|name| at(record, name).is_number()).count();
    if at(record, "/parsed_from") == "none" { given == 0 } else { given == TOTALS.len() }
}

fn totals_add_up(record: &Value) -> bool {
    let number = |name: &str| at(record, name).as_u64();
    match TOTALS.map(number) {
        [Some(tests), Some(passed), Some(failed), Some(pending)] => {
            passed.checked_add(failed).and_then(|sum| sum.checked_add(pending)) == Some(tests)
        }
        _ => true,
    }
}

fn totals_not_from_prose(record: &Value) -> bool {
    let source = at(record, "/parsed_from").as_str().unwrap_or_default().to_lowercase();
    let prose = ["stdout", "stderr", "terminal", "console", "prose", "summary line"];
    !prose.iter().any(|word| source.contains(word))
}

fn review_pins_hold(record: &Value) -> bool {
    at(record, "/pins_match_at_review_time") != false
}

fn review_of_a_build(record: &Value) -> bool {
    let verified =
        at(record, "/build_verified_by").as_str().is_some_and(|by| !by.trim().is_empty());
    let ran = at(record, "/executed_compiled_output") == true;
    !ran || verified || at(record, "/result_kind") == "harness-result"
}

fn scan_adds_up(record: &Value) -> bool {
    let number = |name: &str| at(record, name).as_u64();
    match (number("/raw_hits"), number("/unclassified_hits")) {
        (Some(raw), Some(open)) => {
            open.checked_add(items(record, "/classified_hits").len() as u64) == Some(raw)
        }
        _ => true,
    }
}

fn scan_all_classified(record: &Value) -> bool {
    at(record, "/unclassified_hits").as_u64().unwrap_or(0) == 0
}

/// What a hit can be; more may follow the words.
pub const CLASSIFICATIONS: [&str; 3] = ["credential-shaped fixture", "documentation example", REAL];

const REAL: &str = "real credential";

fn classifications(record: &Value) -> impl Iterator<Item = &str> {
    items(record, "/classified_hits").iter().filter_map(|hit| at(hit, "/classification").as_str())
}

fn scan_classification_known(record: &Value) -> bool {
    classifications(record).all(|text| CLASSIFICATIONS.iter().any(|known| text.starts_with(known)))
}

fn scan_no_credential(record: &Value) -> bool {
    classifications(record).all(|text| !text.starts_with(REAL))
}

fn verdict_status_scoped(record: &Value) -> bool {
    let status = at(record, "/status").as_str().unwrap_or_default().to_lowercase();
    let empty =
        ["success", "successful", "done", "complete", "completed", "ok", "looks good", "passed"];
    !empty.contains(&status.trim())
}

fn verdict_acts_authorized(record: &Value) -> bool {
    let Some(acts) = at(record, "/authorization").as_object() else { return true };
    let denied = items(record, "/not_authorized_by_this_verdict");
    acts.iter().all(|(act, allowed)| {
        let denied = denied.iter().filter_map(Value::as_str);
        *allowed != true || !denied.into_iter().any(|name| name.replace([' ', '-'], "_") == *act)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn honest(kind: Kind) -> Value {
        let digest = "0".repeat(64);
        match kind {
            Kind::Baseline => json!({
                "lane": "tree", "root_kind": "git", "files": 1, "manifest_sha256": digest,
                "omitted": [{"glob": "**/.git/**", "why": "version control"}]
            }),
            Kind::PathBudget => json!({
                "allowed_existing": ["a.py"], "allowed_new": ["b.py"], "permitted_generated": ["**/__pycache__/**"],
                "forbidden_acts": [{"act": "network", "enforced_by": "a network namespace"}],
                "on_breach": "stop"
            }),
            Kind::FrozenInstall => json!({
                "pre": {"argv": ["npm", "ci"], "cwd": ".", "env_paths": {"HOME": "/scratch/home"},
                    "node_modules_present": false, "store_entries": 0, "inputs": {"package-lock.json": digest}},
                "post": {"exit": 0, "projects": null, "packages_added": 3, "lock_unchanged": true, "all_inputs_unchanged": true}
            }),
            Kind::GateResult => json!({
                "gate": "tests", "scenario": "baseline", "proves": "x", "does_not_prove": "y",
                "argv": ["pytest"], "cwd": ".", "tree_sha256": digest, "exit": 0,
                "tests": 3, "passed": 2, "failed": 0, "pending": 1,
                "live_provider_calls": false, "parsed_from": "pytest's JUnit report"
            }),
            Kind::Review => json!({
                "axis": "contract", "source_pins": {"a.py": digest}, "pins_match_at_review_time": true,
                "wrote_only_in": "/scratch/review", "executed_compiled_output": false,
                "findings": [{"severity": "blocking", "path": "a.py", "claim": "c", "evidence": "e"}]
            }),
            Kind::StaticScan => json!({
                "files_scanned": 2, "raw_hits": 1, "unclassified_hits": 0,
                "classified_hits": [{"file": "a.py", "pattern": "github-token", "offset": 3,
                    "classification": "credential-shaped fixture in a test"}]
            }),
            Kind::FinalVerdict => json!({
                "status": "measured-in-private-copies", "scope": "one tree",
                "candidate": {"lane": "tree", "git_metadata": false, "changed_paths": [], "added_paths": [],
                    "removed_paths": [], "source_pins": {"a.py": digest}},
                "authorization": {"frozen_install": true, "live_provider_call": false, "transfer": false,
                    "publication": false, "account_change": false, "billing_change": false},
                "gates": {"tests": {}}, "reviews": [{"axis": "contract", "blocking_findings": 0}],
                "process_failures": [], "residual_risks": [{"risk": "r", "settled_by": "audit"}],
                "skipped_gates": [{"gate": "live", "why": "no", "needs": "yes"}],
                "not_authorized_by_this_verdict": ["transfer", "publication"]
            }),
        }
    }

    fn codes(kind: Kind, record: &Value) -> Vec<String> {
        let text = serde_json::to_vec(record).unwrap();
        kind.validate(&text).unwrap().faults.into_iter().map(|fault| fault.code).collect()
    }

    #[test]
    fn an_honest_record_of_each_shape_holds() {
        for kind in Kind::ALL {
            let text = serde_json::to_vec(&honest(kind)).unwrap();
            let checked = kind.validate(&text).unwrap();
            assert_eq!((checked.faults, checked.unknown), (vec![], vec![]), "{kind:?}");
        }
    }

    #[test]
    fn every_demanded_member_is_demanded() {
        for kind in Kind::ALL {
            for name in honest(kind).as_object().unwrap().keys() {
                let mut record = honest(kind);
                record.as_object_mut().unwrap().remove(name);
                assert!(
                    codes(kind, &record).contains(&"member_missing".to_owned()),
                    "{kind:?} {name}"
                );
            }
        }
    }

    #[test]
    fn every_rule_refuses_something() {
        let cases: &[(Kind, &str, Value, &str)] = &[
            (Kind::PathBudget, "/allowed_new", json!(["a.py"]), "budget-disjoint"),
            (Kind::FrozenInstall, "/pre/env_paths", json!({"TOKEN": "abc"}), "install-paths-only"),
            (Kind::FrozenInstall, "/post/lock_unchanged", json!(false), "install-inputs-agree"),
            (Kind::GateResult, "/parsed_from", json!("none"), "totals-have-a-source"),
            (Kind::GateResult, "/tests", json!(null), "totals-have-a-source"),
            (Kind::GateResult, "/passed", json!(3), "totals-add-up"),
            (
                Kind::GateResult,
                "/parsed_from",
                json!("the runner's stdout"),
                "totals-not-from-prose",
            ),
            (Kind::Review, "/pins_match_at_review_time", json!(false), "review-pins-hold"),
            (Kind::Review, "/executed_compiled_output", json!(true), "review-of-a-build"),
            (Kind::StaticScan, "/raw_hits", json!(2), "scan-adds-up"),
            (Kind::StaticScan, "/unclassified_hits", json!(1), "scan-all-classified"),
            (
                Kind::StaticScan,
                "/classified_hits/0/classification",
                json!("fine"),
                "scan-classification-known",
            ),
            (
                Kind::StaticScan,
                "/classified_hits/0/classification",
                json!("real credential"),
                "scan-no-credential",
            ),
            (Kind::FinalVerdict, "/status", json!("Done"), "verdict-status-scoped"),
            (Kind::FinalVerdict, "/authorization/transfer", json!(true), "verdict-acts-authorized"),
            (Kind::Baseline, "/manifest_sha256", json!("00"), "digest_malformed"),
            (Kind::PathBudget, "/allowed_new", json!(["../x"]), "path_malformed"),
            (Kind::GateResult, "/live_provider_calls", json!("no"), "member_word"),
            (
                Kind::Baseline,
                "/lane",
                json!(concat!("ghp", "_0123456789abcdefghijABCDEFGHIJ0123456789")),
                "secret_literal",
            ),
        ];
        for (kind, pointer, value, code) in cases {
            let mut record = honest(*kind);
            *record.pointer_mut(pointer).unwrap() = value.clone();
            assert!(
                codes(*kind, &record).contains(&(*code).to_owned()),
                "{kind:?} {pointer}: {:?}",
                codes(*kind, &record)
            );
        }
        let shown = |rule: &&Rule| cases.iter().any(|(_, _, _, code)| *code == rule.id);
        assert!(RULES.iter().all(|rule| shown(&rule)));
    }

    #[test]
    fn a_verified_build_or_a_harness_result_may_run_compiled_output() {
        for (name, value) in
            [("build_verified_by", "sha256 of dist/"), ("result_kind", "harness-result")]
        {
            let mut record = honest(Kind::Review);
            record["executed_compiled_output"] = json!(true);
            record[name] = json!(value);
            assert_eq!(codes(Kind::Review, &record), [""; 0]);
        }
    }
}
