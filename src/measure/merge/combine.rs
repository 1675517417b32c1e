//! The `run.json` of a merged run.

use std::collections::{BTreeMap, BTreeSet};

use super::input::Input;
use crate::measure::{Executors, Part, RunFile, Sentinels, Shard, State};
use crate::plan::PlannedRow;

/// What the runs say together, but for their records of single runs: see [`records`].
pub(super) fn run(inputs: &[Input]) -> RunFile {
    let mut run = inputs[0].run.clone();
    let runs = || inputs.iter().map(|input| &input.run);
    run.state = State::Begun;
    (run.totals, run.sample, run.sites) = (None, None, None);
    run.gates = BTreeMap::new();
    run.jobs = runs().map(|run| run.jobs).sum();
    run.resumed = runs().any(|run| run.resumed);
    run.taken_over = runs().map(|run| run.taken_over).sum();
    run.earlier_baselines = runs().map(|run| run.earlier_baselines).sum();
    run.sentinels = Sentinels {
        runs: runs().map(|run| run.sentinels.runs).sum(),
        failures: runs().map(|run| run.sentinels.failures).sum(),
    };
    let flaky = runs().flat_map(|run| &run.flaky).collect::<BTreeSet<_>>();
    let ids = run.commands.iter().map(|command| &command.id);
    run.flaky = ids.filter(|id| flaky.contains(id)).cloned().collect();
    for (place, command) in run.commands.iter_mut().enumerate() {
        command.limit = runs().filter_map(|run| run.commands[place].limit).max();
    }
    let allowed = runs().flat_map(|run| run.allowed.clone()).collect::<BTreeSet<_>>();
    run.allowed = allowed.into_iter().collect();
    run.isolation_before = Vec::new();
    for other in runs().flat_map(|run| run.isolation_before.iter().chain([&run.isolation])) {
        if *other != run.isolation && !run.isolation_before.contains(other) {
            run.isolation_before.push(other.clone());
        }
    }
    run.executors = Executors::merged(runs().map(|run| &run.executors));
    let conduct = &mut run.conduct;
    conduct.shard = None;
    conduct.merged_from = inputs.iter().map(part).collect();
    conduct.check_parallel = runs().flat_map(|run| run.conduct.check_parallel.clone()).collect();
    let asked = runs().map(|run| run.conduct.baselines_asked);
    conduct.baselines_asked = asked.min().unwrap_or_default();
    if runs().any(|run| run.conduct.max_undecided != conduct.max_undecided) {
        conduct.max_undecided = None;
    }
    run
}

/// Adds the runs of the unmutated tree of all, and takes those of the start tree, other solutions and
/// controls from the first: all have the same answers.
pub(super) fn records(run: &mut RunFile, inputs: &[Input]) {
    let first = &inputs[0].run;
    run.baselines = inputs.iter().flat_map(|input| input.run.baselines.clone()).collect();
    (run.start, run.variants) = (first.start.clone(), first.variants.clone());
    run.controls.clone_from(&first.controls);
    if let Some(start) = &mut run.start {
        let flaky = inputs.iter().filter_map(|input| input.run.start.as_ref());
        let flaky = flaky.flat_map(|start| start.flaky.clone()).collect::<BTreeSet<_>>();
        start.flaky = flaky.into_iter().collect();
    }
}

/// The files that no command loads: in each of the runs nothing was killed there, and one of them asked.
pub(super) fn not_reached(inputs: &[Input], killed: impl Fn(&str) -> bool) -> Vec<String> {
    let found = inputs.iter().flat_map(|input| &input.run.not_reached).collect::<BTreeSet<_>>();
    found.into_iter().filter(|path| !killed(path)).cloned().collect()
}

/// The shards that were not given, where all that were are of one division.
pub(super) fn missing_shards(inputs: &[Input]) -> Vec<String> {
    let given = inputs.iter().filter_map(|input| input.run.conduct.shard).collect::<BTreeSet<_>>();
    let Some(Shard { of, .. }) = given.first().copied() else { return Vec::new() };
    if given.iter().any(|shard| shard.of != of) {
        return Vec::new();
    }
    let all = (1..=of).map(|index| Shard { of, index });
    all.filter(|shard| !given.contains(shard)).map(|shard| shard.to_string()).collect()
}

fn part(input: &Input) -> Part {
    let decided = input.lines.iter().map(|line| &line.id).collect::<BTreeSet<_>>().len() as u64;
    Part {
        shard: input.run.conduct.shard,
        decided,
        jobs: input.run.jobs,
        outcomes_sha256: input.outcomes_sha256,
    }
}

/// Surviving cheats that gain nothing, in plan order: each run names those it decided.
pub(super) fn neutralized(inputs: &[Input], rows: &[PlannedRow]) -> Vec<String> {
    let named = inputs.iter().flat_map(|input| &input.run.neutralized).collect::<BTreeSet<_>>();
    rows.iter().map(|row| row.id.to_string()).filter(|id| named.contains(id)).collect()
}
