//! A contract in plain sentences, for a reviewer who was not there: what its numbers say, and what
//! they do not.

use std::fmt::Write as _;

use super::Style;
use super::count::share;
use super::show::meaning;
use super::terminal::escaped;
use crate::base::Argv;
use crate::base::json::Value;
use crate::contract::{Acceptance, Count, Kind, ProtectedPath, Record, Strength};
use crate::plan::Class;

/// The gate whose members say what the numbers count; it demands nothing.
const MEASUREMENT: &str = "measurement";

/// The sentences; `origin` says who sealed the record, as far as that is known.
#[must_use]
pub fn explain(record: &Record, origin: &str, style: Style) -> String {
    let mut text = format!("Contract {}\n", style.bold(escaped(&record.contract_id)));
    if let Some(task) = &record.task {
        let _ = writeln!(text, "The task: {}", escaped(task));
    }
    let _ = writeln!(text, "{origin}\n");
    let mut section = |title: &str, sentences: Vec<String>| {
        let _ = writeln!(text, "{}", style.bold(title));
        for sentence in sentences {
            let _ = writeln!(text, "  {}", escaped(&sentence));
        }
        text.push('\n');
    };
    section("What may not change", protected(&record.protected_paths));
    section("What runs", commands(record));
    section("What was measured", measured(record));
    section("Gates", gates(record));
    section("What that establishes", establishes(record));
    section("What it does not", does_not(record));
    text
}

fn protected(paths: &[ProtectedPath]) -> Vec<String> {
    if paths.is_empty() {
        return vec!["Nothing: this contract does not keep even the tests as they are.".to_owned()];
    }
    let mut sentences = vec!["Each of these had this content when it was sealed:".to_owned()];
    sentences.extend(paths.iter().map(|entry| {
        let kind = match entry.kind {
            Kind::File => "file",
            Kind::Directory => "directory",
        };
        let without = entry.exclude.as_ref().map(|names| format!(", without {}", names.join(", ")));
        let alike = entry.equivalence.map(|_| ", as far as Python's syntax tree shows a change");
        let (without, alike) = (without.unwrap_or_default(), alike.unwrap_or_default());
        format!("- `{}`, a {kind}{without}{alike}", entry.path)
    }));
    sentences
}

fn commands(record: &Record) -> Vec<String> {
    let mut sentences =
        vec!["A final tree is right when each of these, in this order, exits with 0:".to_owned()];
    sentences.extend(record.acceptance.iter().map(|command| {
        let words = Argv::new(command.argv.clone());
        let words = words.map_or_else(|_| command.argv.join(" "), |argv| argv.to_string());
        format!("- `{}`: {words}{}", command.id, beside(command))
    }));
    if record.heldout_split_sha256.is_some() {
        let sentence = "Some of them look at files that the agent does not get; the contract holds their digest.";
        sentences.push(sentence.to_owned());
    }
    sentences
}

fn beside(command: &Acceptance) -> String {
    let mut notes = Vec::new();
    if let Some(ids) = &command.ids {
        notes.push(format!("exactly {} named tests must run", ids.len()));
    }
    if command.probe.is_some() {
        notes.push("a generated probe".to_owned());
    }
    if let Some(twin) = &command.in_process_twin_of {
        notes.push(format!("asks the same as `{twin}` from another process"));
    }
    if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) }
}

fn measured(record: &Record) -> Vec<String> {
    let adequacy = &record.adequacy;
    let mut sentences = vec![
        "Mutants are copies of a right tree (or of the tree the agent gets, where there is no right one), each \
         made wrong in one way."
            .to_owned(),
    ];
    if let Some(classes) = &adequacy.by_class {
        let mut classes = classes.iter().collect::<Vec<_>>();
        let known = |name: &str| Class::ALL.iter().position(|class| class.name() == name);
        classes.sort_by_key(|(name, _)| known(name).unwrap_or(usize::MAX));
        sentences.extend(classes.into_iter().map(|(name, it)| {
            let what = known(name)
                .map_or("a set that this program does not know", |at| meaning(Class::ALL[at]));
            format!("- {name} ({what}): {}", killed(&it.killed, &it.mutants))
        }));
    }
    sentences.push(format!("All together {}.", killed(&adequacy.killed, &adequacy.mutants)));
    let facts = adequacy.gates.as_ref().and_then(|gates| gates.get(MEASUREMENT));
    if let Some(Value::Object(members)) = facts {
        let told = members.iter().filter(|(name, value)| name != "pass" && *value != Value::Null);
        let told = told.map(|(name, value)| format!("{} {}", name.replace('_', " "), shown(value)));
        sentences.push(format!("How: {}.", told.collect::<Vec<_>>().join("; ")));
    }
    if adequacy.killed == Count::ZERO {
        sentences.push(
            "The commands killed nothing: they cannot support a verdict that something is done."
                .to_owned(),
        );
    }
    sentences
}

fn killed(killed: &Count, mutants: &Count) -> String {
    let part = match (killed.as_u64(), mutants.as_u64()) {
        (Some(part), Some(all)) if all > 0 => format!(" ({})", share(part, all)),
        _ => String::new(),
    };
    format!("{killed} of {mutants} killed{part}")
}

fn gates(record: &Record) -> Vec<String> {
    let all = record.adequacy.gates.iter().flatten();
    let all = all.filter(|(name, _)| *name != MEASUREMENT).collect::<Vec<_>>();
    if all.is_empty() {
        return vec!["None is sealed in this contract.".to_owned()];
    }
    let sentence = |(name, gate): (&String, &Value)| {
        let holds = gate.get("pass").and_then(Value::as_bool).unwrap_or(false);
        let word = if holds { "holds" } else { "FAILS, and was let through by name" };
        let formula = gate.get("formula").and_then(Value::as_str).unwrap_or("no formula is given");
        let inputs = match gate {
            Value::Object(members) => {
                let inputs = members.iter().filter(|(name, _)| name != "pass" && name != "formula");
                inputs.map(|(name, it)| format!("{name} {}", shown(it))).collect::<Vec<_>>()
            }
            _ => Vec::new(),
        };
        let inputs =
            if inputs.is_empty() { String::new() } else { format!(" ({})", inputs.join(", ")) };
        format!("- `{name}` {word}: {formula}{inputs}")
    };
    all.into_iter().map(sentence).collect()
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => {
            let bytes = crate::base::canonical::to_vec(other).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        }
    }
}

fn establishes(record: &Record) -> Vec<String> {
    let strength = match record.strength {
        Some(Strength::Gated) => {
            "A right solution was at hand: the commands accept it, and were held against its change."
        }
        Some(Strength::ReferenceFree) => {
            "No right solution was at hand: that a right one is accepted was never seen."
        }
        Some(Strength::SynthesizedSpec) => {
            "What is right was made up by a model: the numbers are about that, not about what people meant."
        }
        None => {
            "The commands accept the tree that was mutated; whether it is right is the sealer's word."
        }
    };
    vec![
        "For each killed mutant, some command failed on it that passes on the unmutated tree."
            .to_owned(),
        strength.to_owned(),
    ]
}

fn does_not(record: &Record) -> Vec<String> {
    let mut sentences = vec![
        "That the commands notice faults of other kinds: the ratio is of these mutants alone.".to_owned(),
        "That every survivor is a fault: some mutants behave as the original does.".to_owned(),
        "That the task says what people want, or the commands all of what the task says.".to_owned(),
        "Anything about a final tree: `adequacy check` runs the commands on one.".to_owned(),
        "That the numbers came about as told: `adequacy audit` makes the mutants again and runs a sample."
            .to_owned(),
    ];
    if record.execution_surface.is_none() {
        sentences.push(
            "Which interpreter and libraries a later run finds: no execution surface is sealed."
                .to_owned(),
        );
    }
    sentences
}

/// How many mutants of a record were not killed; `None` where that is too large to count.
#[must_use]
pub fn not_killed(record: &Record) -> Option<u64> {
    record.adequacy.mutants.as_u64()?.checked_sub(record.adequacy.killed.as_u64()?)
}
