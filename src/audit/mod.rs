//! Conductor of `audit`: a stranger makes a bundle's plan again, runs a part of it, and compares.

mod sample;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;

pub use sample::upper_bound;

use crate::adequacy::Adequacy;
use crate::base::Sink;
use crate::bundle::{Bundle, Claim, CompileRecord};
use crate::measure::{self, MeasureError, Options, Prepared};
use crate::outcome::{self, Doubt, Outcome, Reason, Terms};
use crate::plan::Class;
use crate::run::{RunError, Spawner};
use crate::task::Task;
use crate::tree::{Choice, TreeError};

/// What an audit found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Audit {
    /// What follows.
    pub word: AuditWord,
    /// Why the plan could not be made or run again.
    pub why: Option<String>,
    /// Digest of the contract.
    pub contract_sha256: String,
    /// Seed of the sample.
    pub seed: u64,
    /// The null patch and the hunk reverts, all of which were run.
    pub always: Agreement,
    /// The random sample, half claimed kills and half claimed survivors.
    pub sample: Agreement,
    /// Upper 95 % bound on the share of wrong claims among claims that are drawn like the sample.
    pub bound: f64,
}

/// What follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum AuditWord {
    /// Every claim that was tried is true.
    #[serde(rename = "agrees")]
    Agrees,
    /// A claim is not.
    #[serde(rename = "differs")]
    Differs,
    /// The plan, or its right solution, is not here what it was there.
    #[serde(rename = "cannot rebuild")]
    CannotRebuild,
}

impl AuditWord {
    /// The word.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Differs => "differs",
            Self::CannotRebuild => "cannot rebuild",
        }
    }
}

/// How claims and new runs compare.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct Agreement {
    /// Mutants with an answer.
    pub compared: usize,
    /// Those for which it is another than the claim.
    pub differing: Vec<Difference>,
    /// Ids of mutants that gave no answer this time, which says nothing of the claim.
    pub unanswered: Vec<String>,
}

/// A claim that is not true here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The mutant.
    pub id: String,
    /// Its class.
    pub class: Class,
    /// The claimed outcome.
    pub claimed: String,
    /// The outcome here.
    pub found: String,
}

/// What of the plan is run again, and how it is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Draw {
    /// Mutants in the random sample.
    pub size: usize,
    /// Its seed.
    pub seed: u64,
}

/// Makes the plan of a bundle again and runs a part of it on the exact path. `options` say where and
/// with how many workers; what is measured comes from the bundle's own record.
///
/// # Errors
/// [`MeasureError`] when the audit itself cannot go on. A plan that comes out otherwise, and a right
/// solution that does not pass here, are an answer.
pub fn audit(
    bundle: &Bundle,
    compile: &CompileRecord,
    draw: Draw,
    options: &Options,
    spawner: &Spawner,
    sink: &dyn Sink,
) -> Result<Audit, MeasureError> {
    let mut audit = Audit {
        word: AuditWord::CannotRebuild,
        why: None,
        contract_sha256: bundle.contract_sha256.to_string(),
        seed: draw.seed,
        always: Agreement::default(),
        sample: Agreement::default(),
        bound: 1.0,
    };
    let task = task(bundle, compile);
    let choice = Choice { all: true, ..Choice::default() };
    let options =
        Options { choice, output_limit: compile.output_limit, baselines: 1, ..options.clone() };
    let ids = flaky(compile);
    let claims = compile.mutants.iter().map(|claim| (claim.id.as_str(), claim));
    let claims = claims.collect::<BTreeMap<_, _>>();
    let prepared = measure::prepare(&task, &options.wanted(), sink);
    let rebuilt = prepared.map(|prepared| match same_plan(bundle, compile, &claims, &prepared) {
        Ok(adequacy) => Ok((prepared, adequacy)),
        Err(why) => Err(why),
    });
    let (prepared, adequacy) = match rebuilt {
        Ok(Ok(rebuilt)) => rebuilt,
        Ok(Err(why)) => return Ok(Audit { why: Some(why), ..audit }),
        Err(error) if is_answer(&error) => {
            return Ok(Audit { why: Some(error.to_string()), ..audit });
        }
        Err(error) => return Err(error),
    };
    let (always, drawn) = places(&prepared, &adequacy, draw);
    let all = always.iter().chain(&drawn).copied().collect::<Vec<_>>();
    let outcomes = match outcomes(&task, &options, &prepared, &all, &ids, spawner, sink) {
        Ok(outcomes) => outcomes,
        Err(error) if is_answer(&error) => {
            return Ok(Audit { why: Some(error.to_string()), ..audit });
        }
        Err(error) => return Err(error),
    };
    audit.always = compare(&prepared, &claims, &always, &outcomes);
    audit.sample = compare(&prepared, &claims, &drawn, &outcomes);
    audit.bound = upper_bound(audit.sample.differing.len(), audit.sample.compared);
    if audit.always.compared + audit.sample.compared == 0 {
        audit.why = Some("no mutant was drawn that gave an answer".to_owned());
        return Ok(audit);
    }
    let differs = !audit.always.differing.is_empty() || !audit.sample.differing.is_empty();
    audit.word = if differs { AuditWord::Differs } else { AuditWord::Agrees };
    Ok(audit)
}

/// The bundle's task, sampled as it was when it was sealed.
fn task(bundle: &Bundle, compile: &CompileRecord) -> Task {
    let mut task = compile.task_below(&bundle.root);
    if let Some(limit) = compile.limit {
        task.mutate.limit = Some(u32::try_from(limit).unwrap_or(u32::MAX));
    }
    task
}

/// Places of the commands that were let through though they gave two answers.
fn flaky(compile: &CompileRecord) -> BTreeSet<usize> {
    let commands = compile.task.commands.iter().enumerate();
    let flaky = commands.filter(|(_, command)| compile.flaky.contains(&command.id));
    flaky.map(|(place, _)| place).collect()
}

/// Whether the error says something of the bundle on this machine, not of the audit.
fn is_answer(error: &MeasureError) -> bool {
    match error {
        MeasureError::Run(error) => matches!(
            error,
            RunError::Red(_)
                | RunError::NotStarted { .. }
                | RunError::NoAnswer { .. }
                | RunError::NothingExecuted { .. }
        ),
        MeasureError::Compile(_)
        | MeasureError::NoInterpreter
        | MeasureError::Plan(_)
        | MeasureError::NoMutants(_) => true,
        _ => false,
    }
}

/// The numbers of the claims on this plan, whose mutants are those of the contract.
fn same_plan(
    bundle: &Bundle,
    compile: &CompileRecord,
    claims: &BTreeMap<&str, &Claim>,
    prepared: &Prepared,
) -> Result<Adequacy, String> {
    let (plan, base) = (&prepared.plan, &prepared.trees.base);
    let claimed = |place: usize| claims.get(plan.mutants[place].id.to_string().as_str()).copied();
    let other = |what: &str| {
        let here = prepared.interpreter.as_ref().map(|(_, judge)| judge.version.clone());
        let [there, here] = [compile.interpreter.clone(), here].map(Option::unwrap_or_default);
        format!(
            "{what}; it was planned with {} and Python {there}, here Python {here}",
            compile.tool
        )
    };
    let adequacy = Adequacy::of(plan, |place| claimed(place).map(outcome_of));
    let adequacy = adequacy
        .ok_or_else(|| other("the plan here has a mutant of which the bundle claims nothing"))?;
    let digest = adequacy.mutant_set_sha256(plan, base).map_err(|error| error.to_string())?;
    let sealed = bundle.record.mutant_set_sha256;
    if sealed.is_none() || digest != sealed {
        return Err(other("the mutants here are not those whose digest the contract names"));
    }
    if adequacy.kill_vector != compile.kill_vector {
        return Err(other("the kill vector is not in the order of the plan here"));
    }
    Ok(adequacy)
}

/// An outcome that counts as the claim does.
fn outcome_of(claim: &Claim) -> Outcome {
    match claim.counts() {
        Some(true) => Outcome::Killed { reason: Reason::Exit, command: 0 },
        Some(false) if claim.outcome == "survived" => Outcome::Survived,
        Some(false) => Outcome::Undecided { why: Doubt::Lost, command: 0 },
        None => Outcome::Unviable,
    }
}

/// The places that are always run, and those that were drawn from the rest.
fn places(prepared: &Prepared, adequacy: &Adequacy, draw: Draw) -> (Vec<usize>, Vec<usize>) {
    let mutants = &prepared.plan.mutants;
    let is_always =
        |place: usize| matches!(mutants[place].class, Class::NullPatch | Class::HunkRevert);
    let claims = adequacy.places.iter().copied().zip(adequacy.kill_vector.iter().copied());
    let (always, rest): (Vec<_>, Vec<_>) = claims.partition(|&(place, _)| is_always(place));
    let ids = rest.iter().map(|&(place, _)| mutants[place].id.to_string()).collect::<Vec<_>>();
    let named = ids.iter().zip(&rest).map(|(id, &(_, killed))| (id.as_str(), killed));
    let drawn = measure::choose(&named.collect::<Vec<_>>(), draw.size, draw.seed);
    let always = always.into_iter().map(|(place, _)| place).collect();
    (always, drawn.into_iter().map(|number| rest[number].0).collect())
}

fn outcomes(
    task: &Task,
    options: &Options,
    prepared: &Prepared,
    places: &[usize],
    flaky: &BTreeSet<usize>,
    spawner: &Spawner,
    sink: &dyn Sink,
) -> Result<BTreeMap<usize, Outcome>, MeasureError> {
    let scratch: &Path = &options.scratch;
    let logs = tempfile::tempdir_in(scratch);
    let logs = logs.map_err(|error| TreeError::io("make a directory in", scratch, error))?;
    let again = (places, flaky);
    let runs = measure::rerun(task, options, prepared, again, logs.path(), spawner, sink)?;
    let runners = measure::runners(task);
    let judged = runs.into_iter().map(|(place, runs)| {
        let must_build = !prepared.plan.mutants[place].class.is_never_unviable();
        let terms = Terms { runners: &runners, flaky, must_build };
        (place, outcome::judge(&runs, &terms))
    });
    Ok(judged.collect())
}

fn compare(
    prepared: &Prepared,
    claims: &BTreeMap<&str, &Claim>,
    places: &[usize],
    outcomes: &BTreeMap<usize, Outcome>,
) -> Agreement {
    let mut agreement = Agreement::default();
    for place in places {
        let mutant = &prepared.plan.mutants[*place];
        let id = mutant.id.to_string();
        let claim = claims[id.as_str()];
        let (found, killed) = match outcomes.get(place) {
            Some(Outcome::Killed { .. }) => ("killed", true),
            Some(Outcome::Survived) => ("survived", false),
            Some(Outcome::Unviable) => ("unviable", false),
            Some(Outcome::Undecided { .. }) | None => {
                agreement.unanswered.push(id);
                continue;
            }
        };
        agreement.compared += 1;
        if claim.counts() != Some(killed) || found == "unviable" {
            let (claimed, found) = (claim.outcome.clone(), found.to_owned());
            agreement.differing.push(Difference { id, class: mutant.class, claimed, found });
        }
    }
    agreement
}
