//! Gates on a sealed contract alone: those that its record holds, and those that its counts answer.

use super::{Args, Gate};
use crate::base::json::Value;
use crate::cli::fault::Fault;
use crate::cli::{Exit, sealed};
use crate::contract::{ClassCount, Count, Record};
use crate::report::share;

/// The gates given, after those that the record at the path was sealed with.
pub(super) fn gates(args: &Args) -> Result<Vec<Gate>, Fault> {
    let record = sealed::read(&args.run)?.record;
    for (flag, given) in [
        ("--min-file", args.min_file.is_some()),
        ("--against", args.against.is_some()),
        ("--require-triaged", args.require_triaged),
    ] {
        if given {
            let message =
                format!("a contract does not hold what `{flag}` asks; give the run directory");
            return Err(Fault::new(Exit::Usage, message));
        }
    }
    let mut gates = sealed_gates(&record);
    let adequacy = &record.adequacy;
    let (mutants, killed) = (&adequacy.mutants, &adequacy.killed);
    let all = ClassCount { mutants: mutants.clone(), killed: killed.clone() };
    if args.no_zero_kill {
        let found = format!("{killed} of {mutants} killed");
        gates.push(Gate::new("no-zero-kill", *killed > Count::ZERO, found));
    }
    if let Some(most) = args.max_survivors {
        let left = crate::report::not_killed(&record);
        let found = left
            .map_or_else(|| "too many to count".to_owned(), |left| format!("{left} not killed"));
        let holds = left.is_some_and(|left| left <= most);
        gates.push(Gate::new(format!("max-survivors {most}"), holds, found));
    }
    gates.extend(args.max_undecided.map(|most| undecided(&record, most)).transpose()?);
    gates.extend(args.min_ratio.map(|least| at_least(format!("min-ratio {least}"), &all, least)));
    for (name, least) in &args.min_class {
        let none = ClassCount { mutants: Count::ZERO, killed: Count::ZERO };
        let class = adequacy.by_class.as_ref().and_then(|classes| classes.get(name));
        let label = format!("min-class {name}={least}");
        gates.push(at_least(label, class.unwrap_or(&none), *least));
    }
    Ok(gates)
}

/// What the sealer's own gates came to: one that failed and was let through fails here.
fn sealed_gates(record: &Record) -> Vec<Gate> {
    let all = record.adequacy.gates.iter().flatten();
    let gate = |(name, gate): (&String, &Value)| {
        let holds = gate.get("pass").and_then(Value::as_bool).unwrap_or(false);
        let formula = gate.get("formula").and_then(Value::as_str).unwrap_or_default();
        Gate::new(format!("sealed {name}"), holds, formula)
    };
    all.map(gate).collect()
}

/// The undecided mutants, which a record of ours names among the facts of its measurement.
fn undecided(record: &Record, most: u64) -> Result<Gate, Fault> {
    let facts = record.adequacy.gates.as_ref().and_then(|gates| gates.get("measurement"));
    let count = match facts.and_then(|facts| facts.get("undecided")) {
        Some(Value::Integer(count)) => count.as_i64().and_then(|count| u64::try_from(count).ok()),
        _ => None,
    };
    let Some(count) = count else {
        let message =
            "the contract does not say how many mutants are undecided; give the run directory";
        return Err(Fault::new(Exit::NotEstablished, message));
    };
    let gate =
        Gate::new(format!("max-undecided {most}"), count <= most, format!("{count} undecided"));
    Ok(Gate { exit: Exit::Undecided, ..gate })
}

fn at_least(name: String, counts: &ClassCount, least: f64) -> Gate {
    let ClassCount { mutants, killed } = counts;
    let (Some(all), Some(part)) = (mutants.as_u64(), killed.as_u64()) else {
        return Gate::new(name, false, "too many to count");
    };
    Gate::new(
        name,
        super::reaches(part, all, least),
        format!("{part} of {all} killed ({})", share(part, all)),
    )
}
