//! Cheats that gain nothing: they survive because they look at who asks, and a twin asks from where
//! they cannot see that.

use std::collections::BTreeSet;

use super::Kind;
use super::launch::Launch;
use crate::base::{RelPath, Sha256};
use crate::measure::Decisions;
use crate::outcome::Outcome;
use crate::plan::{Class, Plan};
use crate::task::{Command, Task};
use crate::tree::Snapshot;

/// The operator of the cheats that look at who asks.
const FRAME_AWARE: &str = "frame-aware";

/// The ids of the surviving frame-aware cheats on functions that a twin asks from another process.
///
/// A twin passes only if each of its functions was called there, and never in its own process; a
/// surviving cheat passed it too. Only the program's own file, byte for byte, counts as a twin here, and
/// only where it runs what the command runs that it is a twin of.
pub(in crate::measure) fn neutralized(
    task: &Task,
    heldout: Option<&Snapshot>,
    plan: &Plan,
    decided: &Decisions,
) -> Vec<String> {
    let isolated = isolated(task, heldout);
    let survived = plan.mutants.iter().enumerate().filter(|(place, mutant)| {
        mutant.class == Class::Cheat
            && mutant.operator.name == FRAME_AWARE
            && decided.outcome(*place) == Some(Outcome::Survived)
    });
    let is_isolated = |mutant: &crate::plan::Mutant| {
        let file = plan.file(mutant);
        let function = mutant.function.and_then(|at| file.functions.get(at as usize));
        function.is_some_and(|function| isolated.contains(&format!("{}:{function}", file.name)))
    };
    let survived = survived.filter(|(_, mutant)| is_isolated(mutant));
    survived.map(|(_, mutant)| mutant.id.to_string()).collect()
}

/// The functions that twins of ours ask, as `FILE:FUNCTION`.
fn isolated(task: &Task, heldout: Option<&Snapshot>) -> BTreeSet<String> {
    let path = RelPath::new(Kind::Twin.file().as_bytes()).expect("a plain name");
    let text = Sha256::of(Kind::Twin.text().as_bytes());
    if heldout.and_then(|held| held.file(&path)) != Some(&text) {
        return BTreeSet::new();
    }
    let other = |id: &str| task.commands.iter().find(|command| command.id == id);
    let twins = task.commands.iter().filter_map(|twin| {
        let own = other(twin.in_process_twin_of.as_deref()?)?;
        targets(twin, own)
    });
    twins.flatten().collect()
}

/// The functions of a twin of `own`; `None` when it is none of ours.
fn targets(twin: &Command, own: &Command) -> Option<Vec<String>> {
    let (twin, own) = (Launch::of(twin.argv.words())?, Launch::of(own.argv.words())?);
    let (script, words) = twin.rest.split_first()?;
    let mark = words.iter().position(|word| word == "--" || word == "--cases")?;
    let (named, asked) = (&words[..mark], &words[mark + 1..]);
    let is_ours = *script == Kind::Twin.word() && named.iter().all(|word| !word.starts_with('-'));
    if !is_ours {
        return None;
    }
    if words[mark] == "--" {
        return (asked == own.rest).then(|| named.to_vec());
    }
    // Cases are checked by a script that is given them; a solution may be a method there.
    let same = own.rest.len() == 2 && asked == &own.rest[1..];
    let both = |word: &String| {
        let (file, function) = word.rsplit_once(':')?;
        Some([word.clone(), format!("{file}:Solution.{function}")])
    };
    same.then(|| named.iter().filter_map(both).flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::probes::command;

    #[test]
    fn a_twin_must_run_what_the_other_runs_and_be_ours() {
        let of = |words: &str, other: &str| {
            let split = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
            let make = |line: &str| command("x".to_owned(), split(line), Kind::Twin, None);
            targets(&make(words), &make(other))
        };
        let word = Kind::Twin.word();
        let ours = format!("python3 {word} m.py:f m.py:g -- check.py -v");
        let both = vec!["m.py:f".to_owned(), "m.py:g".to_owned()];
        assert_eq!(of(&ours, "python3 check.py -v"), Some(both));
        assert_eq!(of(&ours, "python3 check.py"), None);
        assert_eq!(of("python3 other.py m.py:f -- check.py", "python3 check.py"), None);
        assert_eq!(of(&format!("python3 {word} --survey m.py:f -- a.py"), "python3 a.py"), None);
        let cases =
            of(&format!("python3 {word} solution.py:f --cases a.json"), "python3 check.py a.json");
        let methods = vec!["solution.py:f".to_owned(), "solution.py:Solution.f".to_owned()];
        assert_eq!(cases, Some(methods));
    }
}
