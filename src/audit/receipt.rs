//! The receipt of an audit: what it found, and what that rests on.

use serde_json::{Value, json};

use super::{Agreement, Audit, AuditWord};
use crate::base::Sha256;
use crate::receipt::{Criterion, Draft};

impl AuditWord {
    /// The word of a receipt for it, where every mutant that was tried gave an answer.
    #[must_use]
    pub const fn in_receipt(self) -> &'static str {
        match self {
            Self::Agrees => "PASS",
            Self::Differs => "FAIL",
            Self::CannotRebuild => "UNKNOWN",
        }
    }
}

impl Audit {
    /// The receipt of this audit. `printed` is the record as `--json` prints it, which the receipt names by
    /// its digest; `durable` is where both are kept so that they outlive this machine.
    #[must_use]
    pub fn receipt(&self, draft: &Draft<'_>, printed: &str, durable: Option<&str>) -> Value {
        let mut receipt = draft.ended(self.criteria(), durable);
        let agrees = self.word == AuditWord::Agrees;
        debug_assert!(agrees || receipt["result"]["status"] == self.word.in_receipt());
        receipt["judged"] = json!({
            "word": self.word.text(),
            "answer_sha256": Sha256::of(printed.as_bytes()).to_string(),
            "contract_sha256": self.contract_sha256,
            "bundle_sha256": self.compile_sha256,
            "tree_sha256": null,
        });
        receipt
    }

    fn criteria(&self) -> Vec<Criterion> {
        let rebuilt = Criterion {
            id: "rebuilt".to_owned(),
            expected: "the bundle gives the sealed mutants again, and its right solution passes",
            observed: self.why.clone().unwrap_or_else(|| format!("{} claims", self.claims)),
            falsified_by: "another digest of the mutants, made from this bundle",
            verdict: if self.why.is_none() { "PASS" } else { "UNKNOWN" },
            class: "PROVEN_IN_RUNTIME",
            evidence: EVIDENCE,
        };
        if self.word == AuditWord::CannotRebuild {
            return vec![rebuilt];
        }
        vec![
            rebuilt,
            agreement("null patch and hunk reverts", &self.always),
            agreement("random sample", &self.sample),
        ]
    }
}

const EVIDENCE: &[&str] = &["judged/bundle_sha256", "judged/answer_sha256"];

/// Claims that were tried: each must come out again. Those without an answer say nothing of theirs.
fn agreement(id: &str, found: &Agreement) -> Criterion {
    let Agreement { compared, differing, unanswered } = found;
    Criterion {
        id: id.to_owned(),
        expected: "each claimed outcome comes out again",
        observed: format!(
            "{} of {compared} agree; {} gave no answer",
            compared - differing.len(),
            unanswered.len()
        ),
        falsified_by: "a mutant of it whose outcome on the exact path is not the claimed one",
        verdict: match (*compared, differing.len(), unanswered.len()) {
            (_, 1.., _) => "FAIL",
            (0, _, 0) => "NOT_APPLICABLE",
            (0, ..) => "UNKNOWN",
            (_, _, 0) => "PASS",
            _ => "DEGRADED",
        },
        class: "PROVEN_IN_RUNTIME",
        evidence: EVIDENCE,
    }
}
