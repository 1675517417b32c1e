//! `run.json`: what a reader needs to know to believe a run, or to doubt it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::gates::not_judged;
use super::{
    CommandRecord, Conduct, Controls, Executors, Interpreted, Isolation, Matrix, Options, Prepared,
    ReuseRecord, SinceRecord, StartRecord, TaskTrees, UncoveredRecord, VariantRecord,
};
use crate::adequacy::{Adequacy, Gate, Interval, Tally};
use crate::base::{RelPath, Sha256};
use crate::plan::{Class, Plan, PlanFile, Planned, SAMPLER};
use crate::run::sandbox::{Limits, Sandbox};
use crate::run::workspace::Soundness;
use crate::run::{Baseline, Lab, Left, Run, Tests};
use crate::task::Task;
use crate::tree::{Choice, Snapshot};

/// What `format` says.
pub const FORMAT: &str = "adequacy-run/2";

/// How `format` begins whatever the version.
pub(super) const FAMILY: &str = "adequacy-run/";

/// How far a run came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It was begun, and is under way or was broken off.
    Begun,
    /// Every mutant is decided.
    Finished,
    /// Every mutant of its shard is decided; it is a part of a run.
    Shard,
    /// Its verdicts cannot be trusted: the tree changed meanwhile, or processes outlived it.
    Spoiled,
}

/// The members of `run.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunFile {
    /// [`FORMAT`].
    pub format: String,
    /// How far the run came.
    pub state: State,
    /// Name and version of this program.
    pub tool: String,
    /// The task, with defaults resolved.
    pub task: Task,
    /// What was asked to be left out of the copies or kept in them.
    pub choice: Choice,
    /// Bytes of output at which a command is stopped.
    pub output_limit: u64,
    /// What a command may use besides.
    pub limits: Limits,
    /// Digest over everything of the task that can change a verdict.
    pub task_sha256: Sha256,
    /// Digest over everything that was copied.
    pub tree_sha256: Sha256,
    /// Digest of the mutated tree alone.
    pub base_sha256: Sha256,
    /// Digest of the start tree, where there is one.
    pub start_sha256: Option<Sha256>,
    /// Digest of `mutants.jsonl`.
    pub plan_sha256: Sha256,
    /// What of the plan it ran, and what it was asked for.
    #[serde(flatten)]
    pub conduct: Conduct,
    /// The commands in sealed order.
    pub commands: Vec<CommandRecord>,
    /// Names of the variables a command sees.
    pub environment: Vec<String>,
    /// The interpreter that judged which mutants compile.
    pub interpreter: Option<Interpreted>,
    /// What kept a command from harming others, as it was in force.
    pub isolation: Isolation,
    /// What was in force before the run was resumed, where that was something else.
    pub isolation_before: Vec<Isolation>,
    /// How a workspace finds what a run changed.
    pub soundness: Option<Soundness>,
    /// Workers.
    pub jobs: usize,
    /// The sampler and its seed, where a limit was set.
    pub sampler: Option<Sampled>,
    /// What the mutated lines differ from, where only changed lines were mutated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<SinceRecord>,
    /// Where verdicts of an earlier run were to be reused: what became of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reuse: Option<ReuseRecord>,
    /// Left-out directories that the commands need, linked from the original.
    pub linked: Vec<String>,
    /// Paths left out of the copies, and why.
    pub left_out: BTreeMap<String, String>,
    /// Source files that are not mutated, and why.
    pub ignored: BTreeMap<String, String>,
    /// Mutated files, each with the number of its mutants.
    pub files: BTreeMap<String, usize>,
    /// Digests of the mutated files: the names of their copies below `sources/`.
    #[serde(default)]
    pub sources: BTreeMap<String, Sha256>,
    /// What its numbers say nothing of.
    #[serde(flatten)]
    pub unsaid: Unsaid,
    /// Functions that the change touches and that no cheat takes the place of.
    pub uncovered: Vec<UncoveredRecord>,
    /// Runs of the unmutated tree before the mutants.
    pub baselines: Vec<Vec<Run>>,
    /// What good runs of the unmutated tree left in a private copy of it.
    pub left: Left,
    /// The tests of each command, in sealed order, where its runner wrote a report of a run that judged
    /// nothing.
    pub tests: Vec<Option<Tests>>,
    /// What the commands do on the start tree.
    pub start: Option<StartRecord>,
    /// What they make of the other solutions that the task names.
    pub variants: Vec<VariantRecord>,
    /// Ids of the commands that gave two answers on the unmutated tree and were let through.
    pub flaky: Vec<String>,
    /// Of those whose tests are named one by one: the tests that gave two answers.
    #[serde(default)]
    pub flaky_ids: BTreeMap<String, Vec<String>>,
    /// What the controls found.
    pub controls: Option<Controls>,
    /// Whether the run went on where an earlier one was broken off.
    pub resumed: bool,
    /// Verdicts that a resumed run took over from the one before.
    pub taken_over: u64,
    /// Runs of the unmutated tree before the mutants, in the parts of this run before it was resumed.
    pub earlier_baselines: u64,
    /// Runs of the unmutated tree between the mutants, in all parts of a resumed run.
    pub sentinels: Sentinels,
    /// What made the verdicts.
    #[serde(default)]
    pub executors: Executors,
    /// Files none of whose mutants was killed and that no command even loads.
    pub not_reached: Vec<String>,
    /// The numbers, once all mutants are decided.
    pub totals: Option<Totals>,
    /// What the mutants tell on which every command was run, where there are several commands.
    #[serde(default)]
    pub matrix: Option<Matrix>,
    /// What a sample says of the mutants it was drawn from.
    pub sample: Option<Interval>,
    /// Places in the sources with a kill, and all with a mutant that counts.
    pub sites: Option<(usize, usize)>,
    /// Surviving cheats that gain nothing, because a twin asks their function from another process.
    #[serde(default)]
    pub neutralized: Vec<String>,
    /// The gates, once all mutants are decided: whether each passes.
    pub gates: BTreeMap<String, bool>,
    /// Known defects that a person lets through.
    pub allowed: Vec<String>,
}

/// The numbers of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassTotals {
    /// Mutants that count.
    pub mutants: u64,
    /// Those that were killed.
    pub killed: u64,
    /// Those that nobody could decide.
    pub undecided: u64,
}

/// How the unmutated tree fared beside and after the mutants.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentinels {
    /// Runs of it.
    pub runs: u64,
    /// Those that did not pass.
    pub failures: u64,
}

/// What the numbers of a run say nothing of.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsaid {
    /// Mutated files that could not be read whole, so that mutants of them are missing, and why.
    #[serde(default)]
    pub unparsed: BTreeMap<String, String>,
    /// Changed files that do not parse as they were before the change, and why.
    #[serde(default)]
    pub unparsed_before: BTreeMap<String, String>,
    /// Gates of a change that could not be judged, and therefore are no gates of this run.
    #[serde(default)]
    pub not_judged: Vec<String>,
}

/// A sample of the mutants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampled {
    /// Name of the sampler.
    pub name: String,
    /// Its seed.
    pub seed: u64,
    /// Most mutants it keeps.
    pub limit: usize,
    /// Mutants it chose from.
    pub population: usize,
}

/// The numbers of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Mutants that count.
    pub mutants: u64,
    /// Those that were killed.
    pub killed: u64,
    /// Kills by how the command failed.
    pub killed_by_reason: BTreeMap<String, u64>,
    /// Kills by the command that was first to kill.
    pub first_killers: BTreeMap<String, u64>,
    /// The same by class, in sealed order of the classes.
    pub by_class: BTreeMap<Class, ClassTotals>,
    /// Those that every command accepted.
    pub survived: u64,
    /// Those that nobody could decide.
    pub undecided: u64,
    /// Not counted: does not compile or build.
    pub unviable: u64,
    /// Not counted: not in this build.
    pub not_built: u64,
    /// Not counted: the code of the original.
    pub equivalent: u64,
    /// Not counted: the code of an earlier mutant.
    pub duplicate: u64,
    /// Not counted: left out by the sampler.
    pub not_sampled: u64,
    /// Digest of the kill vector.
    pub kill_vector_sha256: Sha256,
}

impl RunFile {
    /// The file of a run that begins.
    #[must_use]
    pub(super) fn begin(
        task: &Task,
        options: &Options,
        prepared: &Prepared,
        links: &[(RelPath, PathBuf)],
        sandbox: &Sandbox,
    ) -> Self {
        let Prepared { trees, plan, interpreter, links_from: _, since } = prepared;
        let left_out = trees.named().left_out().iter();
        let files = plan.files.iter();
        let mut file = Self {
            unsaid: Unsaid::of(plan),
            interpreter: interpreter.as_ref().map(Interpreted::of),
            since: since.clone(),
            linked: links.iter().map(|(path, _)| path.to_string()).collect(),
            left_out: left_out.map(|it| (it.path.to_string(), it.reason.to_string())).collect(),
            ignored: ignored(plan),
            files: files.clone().map(|file| (file.name.clone(), file.mutants.len())).collect(),
            sources: files.map(|file| (file.name.clone(), file.sha256)).collect(),
            uncovered: plan.uncovered.iter().map(|one| UncoveredRecord::of(one, plan)).collect(),
            ..Self::before_its_plan(task, options, trees, sandbox)
        };
        if let Some(limit) = task.mutate.limit {
            file.sampled(limit as usize, plan, task);
        }
        file
    }

    /// What is known without a plan.
    fn before_its_plan(
        task: &Task,
        options: &Options,
        trees: &TaskTrees,
        sandbox: &Sandbox,
    ) -> Self {
        Self {
            format: FORMAT.to_owned(),
            state: State::Begun,
            tool: tool(),
            task: task.clone(),
            choice: options.choice.clone(),
            output_limit: options.output_limit,
            limits: options.limits,
            task_sha256: digest(task, options),
            tree_sha256: trees.digest(),
            base_sha256: trees.base.digest(),
            start_sha256: trees.start.as_ref().map(Snapshot::digest),
            plan_sha256: Sha256::of(b""),
            conduct: Conduct::of(options),
            commands: task.commands.iter().map(CommandRecord::of).collect(),
            environment: Vec::new(),
            interpreter: None,
            isolation: Isolation::of(sandbox),
            isolation_before: Vec::new(),
            soundness: None,
            jobs: options.jobs,
            sampler: None,
            since: None,
            reuse: None,
            linked: Vec::new(),
            left_out: BTreeMap::new(),
            ignored: BTreeMap::new(),
            files: BTreeMap::new(),
            sources: BTreeMap::new(),
            unsaid: Unsaid::default(),
            uncovered: Vec::new(),
            baselines: Vec::new(),
            left: Left::default(),
            tests: Vec::new(),
            start: None,
            variants: Vec::new(),
            flaky: Vec::new(),
            flaky_ids: BTreeMap::new(),
            controls: None,
            resumed: options.resume,
            taken_over: 0,
            earlier_baselines: 0,
            sentinels: Sentinels::default(),
            executors: Executors { exact_only: options.exact, ..Executors::default() },
            not_reached: Vec::new(),
            totals: None,
            matrix: None,
            sample: None,
            sites: None,
            neutralized: Vec::new(),
            gates: BTreeMap::new(),
            allowed: options.allow.iter().cloned().collect(),
        }
    }

    /// Adds how the mutants were sampled.
    pub(super) fn sampled(&mut self, limit: usize, plan: &Plan, task: &Task) {
        let (seed, population) = (task.mutate.seed, plan.population);
        self.sampler = Some(Sampled { name: SAMPLER.to_owned(), seed, limit, population });
    }

    /// Counts on from the part of the run that was broken off.
    pub(super) fn go_on_from(&mut self, earlier: Option<&Self>) {
        if let Some(earlier) = earlier {
            self.sentinels = earlier.sentinels;
            self.executors.go_on_from(&earlier.executors);
            self.reuse.clone_from(&earlier.reuse);
            self.earlier_baselines = earlier.earlier_baselines + earlier.baselines.len() as u64;
            let before = earlier.isolation_before.iter().chain([&earlier.isolation]);
            for isolation in before.filter(|before| **before != self.isolation) {
                if !self.isolation_before.contains(isolation) {
                    self.isolation_before.push(isolation.clone());
                }
            }
        }
    }

    /// How often the unmutated tree was run on the way to the verdicts, and how often it did not pass.
    #[must_use]
    pub fn unmutated(&self) -> Sentinels {
        let before = self.earlier_baselines + self.baselines.len() as u64;
        Sentinels { runs: before + self.sentinels.runs, ..self.sentinels }
    }

    /// The places of the commands that were let through though they gave two answers.
    #[must_use]
    pub fn flaky_places(&self) -> BTreeSet<usize> {
        let places = self.commands.iter().enumerate();
        let places = places.filter(|(_, command)| self.flaky.contains(&command.id));
        places.map(|(place, _)| place).collect()
    }

    /// Whether it came as far as its plan.
    #[must_use]
    pub fn is_planned(&self) -> bool {
        self.plan_sha256 != Sha256::of(b"")
    }

    /// How many mutants the plan was limited to, if the run came as far as one.
    pub(super) fn planned_limit(&self) -> Option<usize> {
        self.sampler.as_ref().filter(|_| self.is_planned()).map(|sampled| sampled.limit)
    }

    /// What makes two runs the same run: tool, task, tree and plan.
    #[must_use]
    pub fn key(&self) -> Sha256 {
        let parts = (&self.tool, self.task_sha256, self.tree_sha256, self.plan_sha256);
        Sha256::of(&serde_json::to_vec(&parts).expect("plain values"))
    }

    /// Adds what the baseline showed, and what is in force.
    pub(super) fn baseline(&mut self, baseline: &Baseline, lab: &Lab<'_>) {
        self.baselines.clone_from(&baseline.rounds);
        self.tests.clone_from(&baseline.tests);
        self.left = lab.left();
        self.flaky = lab.flaky().into_iter().map(|place| self.commands[place].id.clone()).collect();
        self.isolation.workspaces = lab.workspaces().words().to_owned();
        self.jobs = lab.workers();
        self.soundness = Some(lab.soundness());
        self.environment = lab.environment_names();
        for (command, limit) in self.commands.iter_mut().zip(lab.limits()) {
            command.limit = Some(*limit);
        }
    }

    /// Adds the numbers.
    pub(super) fn finish<'p>(
        &mut self,
        mutants: impl Iterator<Item = Planned<'p>> + Clone,
        adequacy: &Adequacy,
        gates: &[Gate],
        not_reached: Vec<String>,
    ) {
        let id = |place: usize| self.commands[place].id.clone();
        self.totals = Some(Totals {
            mutants: adequacy.mutants,
            killed: adequacy.killed,
            killed_by_reason: adequacy
                .reasons
                .iter()
                .map(|(reason, count)| (reason.word().to_owned(), *count))
                .collect(),
            first_killers: adequacy
                .first_killers
                .iter()
                .map(|(&place, count)| (id(place), *count))
                .collect(),
            by_class: adequacy
                .by_class
                .iter()
                .map(|(&class, tally)| {
                    let Tally { mutants, killed, undecided } = *tally;
                    (class, ClassTotals { mutants, killed, undecided })
                })
                .collect(),
            survived: adequacy.survived,
            undecided: adequacy.undecided_count(),
            unviable: adequacy.unviable,
            not_built: adequacy.not_built,
            equivalent: adequacy.equivalent,
            duplicate: adequacy.duplicate,
            not_sampled: adequacy.not_sampled,
            kill_vector_sha256: adequacy.kill_vector_sha256(),
        });
        self.gates = gates.iter().map(|gate| (gate.name.to_owned(), gate.pass)).collect();
        self.not_reached = not_reached;
        let is_whole = self.conduct.shard.is_none();
        self.unsaid.not_judged = if is_whole { not_judged(&self.task, gates) } else { Vec::new() };
        self.sample = Interval::of(mutants.clone(), adequacy).filter(|_| is_whole);
        self.sites = Some(adequacy.sites(mutants));
        self.state = if is_whole { State::Finished } else { State::Shard };
    }
}

impl Unsaid {
    fn of(plan: &Plan) -> Self {
        let named = |why: fn(&PlanFile) -> Option<String>| {
            let faults = plan.files.iter().map(|file| (file.name.clone(), why(file)));
            faults.filter_map(|(name, why)| Some((name, why?))).collect()
        };
        Self {
            unparsed: named(PlanFile::unparsed),
            unparsed_before: named(|file| file.refused_before.clone()),
            not_judged: Vec::new(),
        }
    }
}

fn ignored(plan: &Plan) -> BTreeMap<String, String> {
    let files = plan.ignored.iter();
    files.map(|file| (file.path.to_string(), file.why.to_string())).collect()
}

/// Name and version of this program.
pub(super) fn tool() -> String {
    format!("adequacy {}", env!("CARGO_PKG_VERSION"))
}

/// Everything of a task that can change a verdict or the choice of mutants.
pub(super) fn digest(task: &Task, options: &Options) -> Sha256 {
    let step = |step: &Option<crate::task::Step>| {
        step.as_ref().map(|step| (step.argv.words().to_vec(), step.timeout))
    };
    let commands = task.commands.iter().map(|command| {
        json!({"id": command.id, "argv": command.argv.words(), "timeout": command.timeout})
    });
    let value = json!({
        "contract_id": task.contract_id,
        "commands": commands.collect::<Vec<_>>(),
        "env_set": task.env_set,
        "env_pass": task.env_pass,
        "setup": step(&task.setup),
        "build": step(&task.build),
        "full_matrix": options.full_matrix,
        "confirm": options.confirm,
        "output_limit": options.output_limit,
        "limits": options.limits,
    });
    Sha256::of(value.to_string().as_bytes())
}

pub(super) fn word(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).expect("a word");
    value.as_str().unwrap_or_default().to_owned()
}
