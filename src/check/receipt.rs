//! The receipt of a check: what its answer claims, each claim with what it rests on.

use serde_json::{Value, json};

use super::answer::{
    AdequacyPart, Answer, CollectionPart, CommandPart, ProtectedPart, Verdict, Word,
};
use crate::base::Sha256;
use crate::receipt::{Criterion, Draft};

impl Word {
    /// The word of a receipt for it.
    #[must_use]
    pub const fn in_receipt(self) -> &'static str {
        match self {
            Self::Supported => "PASS",
            Self::Contradicted => "FAIL",
            Self::NotEstablished | Self::Refused => "UNKNOWN",
        }
    }
}

impl Answer {
    /// The receipt of this answer. `printed` is the answer as `--json` prints it, which the receipt names by
    /// its digest; `durable` is where both are kept so that they outlive this machine.
    #[must_use]
    pub fn receipt(&self, draft: &Draft<'_>, printed: &str, durable: Option<&str>) -> Value {
        let mut receipt = draft.ended(self.criteria(), durable);
        debug_assert_eq!(receipt["result"]["status"], self.word.in_receipt());
        receipt["judged"] = json!({
            "word": self.word.text(),
            "answer_sha256": Sha256::of(printed.as_bytes()).to_string(),
            "contract_sha256": self.contract.sha256,
            "bundle_sha256": self.contract.compile_sha256,
            "tree_sha256": self.tree_sha256,
        });
        receipt
    }

    /// Where the contract or an entry is refused, nothing beside that is claimed.
    fn criteria(&self) -> Vec<Criterion> {
        let mut all = vec![self.contract()];
        all.extend(self.protected.as_ref().map(protected));
        if self.word == Word::Refused {
            return all;
        }
        all.extend(self.commands.iter().map(command));
        all.extend(self.adequacy.as_ref().map(adequacy));
        all.extend(self.collection.as_ref().map(collection));
        all
    }

    fn contract(&self) -> Criterion {
        let contract = &self.contract;
        let observed = match (&contract.code, &contract.sha256) {
            (None, Some(sha256)) => format!("valid, with the digest {sha256}"),
            (code, _) => format!("refused: {}", code.as_deref().unwrap_or("no record")),
        };
        Criterion {
            id: "contract".to_owned(),
            expected: "contract, Statement and bundle keep every rule",
            observed,
            falsified_by: "a code of `adequacy verify` or `adequacy bundle verify`",
            verdict: if contract.code.is_none() { "PASS" } else { "UNKNOWN" },
            class: "CURRENT_SOURCE",
            evidence: &["judged/contract_sha256", "judged/bundle_sha256"],
        }
    }
}

fn protected(part: &ProtectedPart) -> Criterion {
    let ProtectedPart { entries, changes, unjudged, .. } = part;
    let (observed, verdict) = match (changes.len(), unjudged.len()) {
        (_, 1..) => (format!("{} cannot be judged", unjudged.len()), "UNKNOWN"),
        (0, 0) => (format!("{entries} entries, unchanged"), "PASS"),
        (count, 0) => (format!("{count} changes"), "FAIL"),
    };
    Criterion {
        id: "protected paths".to_owned(),
        expected: "the final tree holds every protected path as it was sealed",
        observed,
        falsified_by: "a protected file whose digest is not the sealed one",
        verdict,
        class: "CURRENT_SOURCE",
        evidence: &["judged/tree_sha256", "judged/answer_sha256"],
    }
}

fn command(part: &CommandPart) -> Criterion {
    Criterion {
        id: format!("command {}", part.id),
        expected: "the command accepts the final tree",
        observed: part.evidence.clone(),
        falsified_by: "another exit of this command on this tree, in a fresh copy",
        verdict: match part.verdict {
            Verdict::Pass => "PASS",
            Verdict::Fail => "FAIL",
            Verdict::Unknown => "UNKNOWN",
        },
        class: "PROVEN_IN_RUNTIME",
        evidence: &["judged/tree_sha256", "judged/answer_sha256"],
    }
}

fn adequacy(part: &AdequacyPart) -> Criterion {
    let AdequacyPart { mutants, killed, cannot_support } = part;
    let observed = format!("the contract says {killed} of {mutants} mutants killed");
    Criterion {
        id: "adequacy".to_owned(),
        expected: "the commands can tell a right solution from a wrong one",
        observed: match cannot_support.first() {
            Some(why) => format!("{observed}; {why}"),
            None => observed,
        },
        falsified_by: "`adequacy audit` of this bundle that differs",
        verdict: if cannot_support.is_empty() { "PASS" } else { "UNKNOWN" },
        class: "CURRENT_SOURCE",
        evidence: &["judged/contract_sha256"],
    }
}

fn collection(part: &CollectionPart) -> Criterion {
    Criterion {
        id: "collection".to_owned(),
        expected: "nothing outside the protected paths decides over the tests",
        observed: match part.changes.len() {
            0 => "nothing".to_owned(),
            count => format!("{count} files"),
        },
        falsified_by: "a file outside the protected paths that changes which tests run",
        verdict: if part.changes.is_empty() { "PASS" } else { "UNKNOWN" },
        class: "CURRENT_SOURCE",
        evidence: &["judged/tree_sha256", "judged/answer_sha256"],
    }
}
