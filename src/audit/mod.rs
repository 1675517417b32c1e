//! Conductor of `audit`: a stranger makes a bundle's plan again, runs a part of it, and compares.

mod receipt;
mod sample;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;

pub use sample::upper_bound;

use crate::adequacy::Adequacy;
use crate::base::Sink;
use crate::bundle::{Bundle, Claim, CompileRecord};
use crate::check::place;
use crate::measure::{self, MeasureError, Options, Prepared, Rerun};
use crate::outcome::{Doubt, Outcome, Reason};
use crate::plan::Class;
use crate::run::{RunError, Spawner};
use crate::task::Task;
use crate::tree::{self, Choice};

/// What `format` says.
pub const FORMAT: &str = "adequacy-audit/1";

/// The audit record: what was tried, on what, and what was found. Nothing in it hangs on a clock.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Audit {
    /// [`FORMAT`].
    pub format: &'static str,
    /// Name and version of this program.
    pub tool: String,
    /// What follows.
    pub word: AuditWord,
    /// Why the plan could not be made or run again.
    pub why: Option<String>,
    /// Digest of the contract.
    pub contract_sha256: String,
    /// Digest of the bundle's `sealed/compile.json`, which lists all that is in it.
    pub compile_sha256: String,
    /// Mutants of which the bundle claims an outcome.
    pub claims: usize,
    /// `sys.version` of the interpreter here, once one was asked.
    pub interpreter: Option<String>,
    /// What held the commands.
    pub isolation: String,
    /// Seed of the sample.
    pub seed: u64,
    /// Mutants that the sample was to have.
    pub sample_size: usize,
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
/// with how many workers; what is measured comes from the bundle's own record. Directories that were left
/// out of its trees and that a command needs are linked to those of the tree at `links_from`.
///
/// # Errors
/// [`MeasureError`] when the audit itself cannot go on. A plan that comes out otherwise, and a right
/// solution that does not pass here, are an answer.
pub fn audit(
    bundle: &Bundle,
    compile: &CompileRecord,
    draw: Draw,
    links_from: Option<&Path>,
    options: &Options,
    spawner: &Spawner,
    sink: &dyn Sink,
) -> Result<Audit, MeasureError> {
    let mut audit = begun(bundle, compile, draw, spawner);
    let Some(task) = task(bundle, compile) else {
        return Ok(Audit { why: Some(no_start(bundle)), ..audit });
    };
    let choice = Choice { all: true, ..Choice::default() };
    let options =
        Options { choice, output_limit: compile.output_limit, baselines: 1, ..options.clone() };
    let ids = flaky(compile);
    let claims = compile.mutants.iter().map(|claim| (claim.id.as_str(), claim));
    let claims = claims.collect::<BTreeMap<_, _>>();
    if let Some(why) = no_place(bundle, compile, &options, spawner) {
        return Ok(Audit { why: Some(why), ..audit });
    }
    let links = links_from.map(|root| tree::snapshot(root, &compile.choice, sink)).transpose()?;
    let prepared = measure::prepare_linked(&task, &options.wanted(), links, sink);
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
    audit.interpreter = prepared.interpreter.as_ref().map(|(_, judge)| judge.version.clone());
    let (always, drawn) = places(&prepared, &adequacy, draw);
    let all = always.iter().chain(&drawn).copied().collect::<Vec<_>>();
    let again = Rerun { places: &all, flaky: &ids, at_sealed_places: true };
    let outcomes = measure::judged_again(&task, &options, &prepared, again, spawner, sink);
    let outcomes = match outcomes {
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

/// The record of an audit that has found nothing yet.
fn begun(bundle: &Bundle, compile: &CompileRecord, draw: Draw, spawner: &Spawner) -> Audit {
    Audit {
        format: FORMAT,
        tool: concat!("adequacy ", env!("CARGO_PKG_VERSION")).to_owned(),
        word: AuditWord::CannotRebuild,
        why: None,
        contract_sha256: bundle.contract_sha256.to_string(),
        compile_sha256: bundle.compile_sha256.map(|digest| digest.to_string()).unwrap_or_default(),
        claims: compile.mutants.len(),
        interpreter: None,
        isolation: spawner.sandbox().to_string(),
        seed: draw.seed,
        sample_size: draw.size,
        always: Agreement::default(),
        sample: Agreement::default(),
        bound: 1.0,
    }
}

/// The bundle's task, sampled as it was when it was sealed.
fn task(bundle: &Bundle, compile: &CompileRecord) -> Option<Task> {
    let mut task = bundle.task(compile)?;
    if let Some(limit) = compile.limit {
        task.mutate.limit = Some(u32::try_from(limit).unwrap_or(u32::MAX));
    }
    Some(task)
}

/// What to do about a start tree that is not at hand.
fn no_start(bundle: &Bundle) -> String {
    let origin = bundle.by_reference.as_ref().map(|record| &record.origin);
    let from = origin.map(|from| format!(" ({} at {})", from.repository, from.commit));
    let from = from.unwrap_or_default();
    format!("the start tree is not in the bundle: give a checkout of it{from} with `--checkout`")
}

/// Why a command cannot run at the place that it is sealed with.
fn no_place(
    bundle: &Bundle,
    compile: &CompileRecord,
    options: &Options,
    spawner: &Spawner,
) -> Option<String> {
    let path = place::search_path(&compile.task);
    bundle.record.acceptance.iter().find_map(|command| {
        let seal = command.seal.as_ref()?;
        let (argv, scratch) = (&command.argv, &options.scratch);
        let why = place::why_not(seal, argv, spawner.sandbox(), scratch, &path)?;
        Some(format!("`{}`: {why}", command.id))
    })
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
            Some(Outcome::Unviable | Outcome::NotBuilt) => ("unviable", false),
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
