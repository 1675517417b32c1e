//! The answer, in parts, and the word that follows from them.

use serde::Serialize;

use super::change::ChangePart;
use crate::base::RelPath;
use crate::bundle::Bundle;
use crate::contract::{Record, Strength};

/// What a check found. Its parts stand for themselves; `word` says what follows from all of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// What follows.
    pub word: Word,
    /// What it follows from, the decisive reasons first.
    pub why: Vec<String>,
    /// The contract and its Statement.
    pub contract: ContractPart,
    /// Digest of the final tree as it is copied; `None` when it was not read, or holds no such file.
    pub tree_sha256: Option<String>,
    /// The protected paths; `None` where the contract is refused, as for all parts below.
    pub protected: Option<ProtectedPart>,
    /// The commands in sealed order.
    pub commands: Vec<CommandPart>,
    /// Whether the sealed files were put back before the commands ran; `None` where none ran.
    pub restored: Option<bool>,
    /// What the commands were able to detect.
    pub adequacy: Option<AdequacyPart>,
    /// Files outside of the protected paths that change what is collected.
    pub collection: Option<CollectionPart>,
    /// How well the commands pin down this solution, where that was asked; it never changes the word.
    pub change: Option<ChangePart>,
    /// What no contract shows.
    pub does_not_show: Vec<&'static str>,
}

/// What follows from the parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Word {
    /// Every part speaks for it.
    #[serde(rename = "supported")]
    Supported,
    /// A protected path changed or a command fails.
    #[serde(rename = "contradicted")]
    Contradicted,
    /// Nothing speaks against it, and something is unknown or cannot support it.
    #[serde(rename = "not established")]
    NotEstablished,
    /// The contract or the bundle is refused, or an entry cannot be judged.
    #[serde(rename = "refused")]
    Refused,
}

impl Word {
    /// The word.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Contradicted => "contradicted",
            Self::NotEstablished => "not established",
            Self::Refused => "refused",
        }
    }
}

/// The contract and its Statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContractPart {
    /// `None`, or the code of what is refused.
    pub code: Option<String>,
    /// The same in words.
    pub detail: Option<String>,
    /// The contract's id.
    pub id: Option<String>,
    /// Digest of the record.
    pub sha256: Option<String>,
    /// The key it is sealed under, where one was given.
    pub origin: Option<String>,
    /// Whether the verifier's part of the bundle was at hand.
    pub bundle: bool,
    /// Digest of the file in that part which lists the whole bundle.
    pub compile_sha256: Option<String>,
}

impl ContractPart {
    pub(super) fn valid(bundle: &Bundle, origin: Option<String>) -> Self {
        Self {
            code: None,
            detail: None,
            id: Some(bundle.record.contract_id.clone()),
            sha256: Some(bundle.contract_sha256.to_string()),
            origin,
            bundle: bundle.compile.is_some(),
            compile_sha256: bundle.compile_sha256.map(|digest| digest.to_string()),
        }
    }
}

/// Whether the protected paths were left alone.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct ProtectedPart {
    /// Entries of the contract.
    pub entries: usize,
    /// What changed, appeared or went.
    pub changes: Vec<Change>,
    /// Changed files with the syntax tree they had, where that does not count as a change.
    pub equivalent: Vec<String>,
    /// Changed files that may be equivalent, and why nobody can tell.
    pub unjudged: Vec<Change>,
}

/// A path, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Change {
    /// Below the tree.
    pub path: String,
    /// In words.
    pub what: String,
}

impl Change {
    pub(super) fn new(path: &RelPath, what: String) -> Self {
        Self { path: path.to_string(), what }
    }

    fn said(&self) -> String {
        format!("`{}` {}", self.path, self.what)
    }
}

/// What one command makes of the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandPart {
    /// Its id.
    pub id: String,
    /// The probe that it is, by name.
    pub probe: Option<&'static str>,
    /// Its answer.
    pub verdict: Verdict,
    /// What that rests on.
    pub evidence: String,
    /// The last lines of its output, where it did not pass.
    pub output: String,
}

/// A command's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// It accepts the tree.
    Pass,
    /// It refuses the tree.
    Fail,
    /// It was not run, or gave no answer.
    Unknown,
}

impl Verdict {
    /// The word.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Unknown => "UNKNOWN",
        }
    }
}

/// What the commands were able to detect, as the contract says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AdequacyPart {
    /// Mutants that count.
    pub mutants: String,
    /// Those that were killed.
    pub killed: String,
    /// Why such a contract cannot support a verdict of done; empty when it can.
    pub cannot_support: Vec<String>,
}

impl AdequacyPart {
    pub(super) fn of(record: &Record) -> Self {
        let adequacy = &record.adequacy;
        let mut cannot_support = Vec::new();
        if adequacy.killed.as_u64() == Some(0) {
            let words = "no mutant was killed: the commands cannot tell a fix from a no-op";
            cannot_support.push(words.to_owned());
        }
        for (name, gate) in adequacy.gates.iter().flatten() {
            if gate.get("pass") == Some(&crate::base::json::Value::Bool(false)) {
                cannot_support.push(format!("the gate `{name}` is false"));
            }
        }
        if record.strength == Some(Strength::ReferenceFree) {
            cannot_support.push("reference_free: no right solution stands behind it".to_owned());
        }
        let (mutants, killed) = (adequacy.mutants.to_string(), adequacy.killed.to_string());
        Self { mutants, killed, cannot_support }
    }
}

/// Files outside of the protected paths that change what is collected or reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CollectionPart {
    /// Whether there was a start tree or a right solution to compare with.
    pub compared: bool,
    /// Those that are not as they were.
    pub changes: Vec<Change>,
}

const ORIGIN: &str = "who sealed the contract: no key was pinned";
const BEFORE: &str = "that it was sealed before the agent ran";
const OBEYED: &str = "that a process which ran the agent's code told the truth about its tests";

impl Answer {
    pub(super) fn refused(code: &str, detail: String) -> Self {
        let contract = ContractPart {
            code: Some(code.to_owned()),
            detail: Some(detail.clone()),
            id: None,
            sha256: None,
            origin: None,
            bundle: false,
            compile_sha256: None,
        };
        Self {
            word: Word::Refused,
            why: vec![detail],
            contract,
            tree_sha256: None,
            protected: None,
            commands: Vec::new(),
            restored: None,
            adequacy: None,
            collection: None,
            change: None,
            does_not_show: Vec::new(),
        }
    }

    pub(super) fn of(
        contract: ContractPart,
        protected: ProtectedPart,
        commands: Vec<CommandPart>,
        restored: Option<bool>,
        adequacy: AdequacyPart,
        collection: CollectionPart,
    ) -> Self {
        let with =
            |verdict: Verdict| commands.iter().filter(move |command| command.verdict == verdict);
        let said = |command: &CommandPart| {
            let word = if command.verdict == Verdict::Fail { "fails" } else { "is unknown" };
            format!("`{}` {word}: {}", command.id, command.evidence)
        };
        let unjudged =
            protected.unjudged.iter().map(|one| format!("not judged: {}", one.said())).collect();
        let changed = protected.changes.iter().map(|one| format!("protected: {}", one.said()));
        let against = changed.chain(with(Verdict::Fail).map(said)).collect::<Vec<_>>();
        let open = with(Verdict::Unknown).map(said);
        let open = open.chain(adequacy.cannot_support.clone());
        let outside = collection.changes.iter();
        let outside = outside.map(|one| {
            format!("outside the protected paths, and able to decide over tests: {}", one.said())
        });
        let open = open.chain(outside).collect::<Vec<_>>();
        let (word, why) = match (&unjudged, &against, &open) {
            (unjudged, ..) if !Vec::is_empty(unjudged) => {
                (Word::Refused, [unjudged.clone(), against, open].concat())
            }
            (_, against, _) if !against.is_empty() => {
                (Word::Contradicted, [against.clone(), open].concat())
            }
            (_, _, open) if !open.is_empty() => (Word::NotEstablished, open.clone()),
            _ => {
                (Word::Supported, vec!["every command passes and no protected path changed".into()])
            }
        };
        let origin = contract.origin.is_none().then_some(ORIGIN);
        let does_not_show = origin.into_iter().chain([BEFORE, OBEYED]).collect();
        let (protected, adequacy, collection) = (Some(protected), Some(adequacy), Some(collection));
        Self {
            word,
            why,
            contract,
            tree_sha256: None,
            protected,
            commands,
            restored,
            adequacy,
            collection,
            change: None,
            does_not_show,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(changes: &[&str], unjudged: &[&str], verdicts: &[Verdict], weak: bool) -> Word {
        let change = |path: &&str| Change { path: (*path).to_owned(), what: "changed".to_owned() };
        let protected = ProtectedPart {
            entries: 1,
            changes: changes.iter().map(change).collect(),
            equivalent: Vec::new(),
            unjudged: unjudged.iter().map(change).collect(),
        };
        let command = |verdict: &Verdict| CommandPart {
            id: "c".to_owned(),
            probe: None,
            verdict: *verdict,
            evidence: "exit".to_owned(),
            output: String::new(),
        };
        let contract = ContractPart {
            code: None,
            detail: None,
            id: None,
            sha256: None,
            origin: None,
            bundle: true,
            compile_sha256: None,
        };
        let cannot_support = if weak { vec!["weak".to_owned()] } else { Vec::new() };
        let adequacy = AdequacyPart { mutants: "1".into(), killed: "1".into(), cannot_support };
        let collection = CollectionPart { compared: true, changes: Vec::new() };
        let commands = verdicts.iter().map(command).collect();
        Answer::of(contract, protected, commands, Some(true), adequacy, collection).word
    }

    #[test]
    fn the_word_follows_from_the_parts_in_this_order() {
        use Verdict::{Fail, Pass, Unknown};
        assert_eq!(word(&[], &[], &[Pass], false), Word::Supported);
        assert_eq!(word(&[], &[], &[Pass], true), Word::NotEstablished);
        assert_eq!(word(&[], &[], &[Pass, Unknown], false), Word::NotEstablished);
        assert_eq!(word(&[], &[], &[Unknown, Fail], true), Word::Contradicted);
        assert_eq!(word(&["t"], &[], &[Pass], false), Word::Contradicted);
        assert_eq!(word(&["t"], &["u"], &[Fail], false), Word::Refused);
    }
}
