//! What a task's commands tell apart, the most telling first and the total last.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Style;
use super::terminal::escaped;
use crate::measure::{ClassTotals, RunFile, TamperRecord, Totals};
use crate::plan::Class;

/// The headline of a finished run of a task with a start tree; empty for any other.
#[must_use]
pub fn headline(run: &RunFile, style: Style) -> String {
    let (Some(totals), Some(start)) = (&run.totals, &run.start) else { return String::new() };
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<17}{value}");
    };
    let failing = start.commands.iter().filter(|command| !command.passes);
    let failing = failing.map(|command| format!("`{}`", escaped(&command.id))).collect::<Vec<_>>();
    line(
        "start tree",
        if failing.is_empty() {
            style.red("accepted by every command: doing nothing is done").to_string()
        } else {
            format!("refused by {}", failing.join(", "))
        },
    );
    let null = all_killed(totals, Class::NullPatch, style);
    line(
        "null patch",
        null + &count_of(&run.unsaid.unparsed_before, "does not parse as it was", style),
    );
    line("stubs", stubs(totals, style));
    line("hunk reverts", all_killed(totals, Class::HunkRevert, style));
    let patch = sum(totals, &[Class::HunkRevert, Class::Change]);
    let patch = share(patch, style);
    line("patch region", patch + &count_of(&run.unsaid.unparsed, "could not be read whole", style));
    line("cheats", cheats(run, totals, style));
    for (name, must_pass) in [("right solutions", true), ("wrong solutions", false)] {
        let all = run.variants.iter().filter(|variant| variant.must_pass == must_pass);
        let (all, right) = (all.clone().count(), all.filter(|variant| variant.is_right()).count());
        if all > 0 {
            let words = if must_pass { "accepted" } else { "refused" };
            let value = format!("{right} of {all} {words}");
            let value = if right < all { style.red(value).to_string() } else { value };
            line(name, value);
        }
    }
    if let Some(controls) = &run.controls {
        let (all, kept) = (controls.rewrites.len(), controls.rewrites.iter());
        let kept = kept.filter(|rewrite| rewrite.refused_by.is_empty()).count();
        if all > 0 {
            let value = format!("{kept} of {all} rewrites of the solution accepted");
            let value = if kept < all { style.red(value).to_string() } else { value };
            line("text sensitivity", value);
        }
    }
    if !start.tampered.is_empty() {
        line("tampering", tampering(&start.tampered, style));
    }
    let whole =
        ClassTotals { mutants: totals.mutants, killed: totals.killed, undecided: totals.undecided };
    line("all together", share(whole, style));
    text.push('\n');
    text
}

/// How many changed files have a fault that makes a number say less than it seems to.
fn count_of(files: &BTreeMap<String, String>, fault: &str, style: Style) -> String {
    match files.len() {
        0 => String::new(),
        1 => format!("; {}", style.red(format!("1 changed file {fault}"))),
        count => format!("; {}", style.red(format!("{count} changed files, each {fault}"))),
    }
}

/// What gets past the commands, and past one who also puts the protected files back.
fn tampering(all: &[TamperRecord], style: Style) -> String {
    let names = |wanted: &dyn Fn(&&TamperRecord) -> bool| {
        all.iter().filter(|it| wanted(it)).map(|it| it.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    let bare = names(&|it| it.accepted);
    if bare.is_empty() {
        return format!("0 of {} accepted", all.len());
    }
    let count = all.iter().filter(|it| it.accepted).count();
    let kept = names(&|it| it.accepted_restored);
    let kept = if kept.is_empty() { "none".to_owned() } else { kept };
    let text = format!(
        "{count} of {} accepted by the bare commands ({bare}); with the protected files put back: {kept}",
        all.len()
    );
    style.red(text).to_string()
}

fn of(totals: &Totals, class: Class) -> ClassTotals {
    let none = ClassTotals { mutants: 0, killed: 0, undecided: 0 };
    totals.by_class.get(&class).copied().unwrap_or(none)
}

fn sum(totals: &Totals, classes: &[Class]) -> ClassTotals {
    let all = classes.iter().map(|&class| of(totals, class));
    all.fold(ClassTotals { mutants: 0, killed: 0, undecided: 0 }, |sum, one| ClassTotals {
        mutants: sum.mutants + one.mutants,
        killed: sum.killed + one.killed,
        undecided: sum.undecided + one.undecided,
    })
}

fn share(counts: ClassTotals, style: Style) -> String {
    let ClassTotals { mutants, killed, undecided } = counts;
    if mutants == 0 {
        return "none".to_owned();
    }
    let doubt = if undecided > 0 { format!(", {undecided} undecided") } else { String::new() };
    let text = format!("{killed} of {mutants} killed{doubt}");
    if killed == 0 { style.red(text).to_string() } else { text }
}

/// For sets of which none may survive.
fn all_killed(totals: &Totals, class: Class, style: Style) -> String {
    let counts = of(totals, class);
    match (counts.mutants, counts.killed) {
        (0, _) if class == Class::HunkRevert => "none beside the null patch".to_owned(),
        (1, 1) => "killed".to_owned(),
        (1, 0) if counts.undecided == 0 => style.red("survived").to_string(),
        (mutants, killed) if killed < mutants => style.red(share(counts, style)).to_string(),
        _ => share(counts, style),
    }
}

/// Whether the commands ask what the new names do, or only that they are there.
fn stubs(totals: &Totals, style: Style) -> String {
    let counts = of(totals, Class::StubPatch);
    let null = of(totals, Class::NullPatch);
    if counts.mutants == 0 {
        return "none: the change brings no new function".to_owned();
    }
    if counts.killed < counts.mutants && null.killed == null.mutants {
        let words = "the commands test that names exist, not what they do";
        return style.red(format!("{}: {words}", share(counts, style))).to_string();
    }
    share(counts, style)
}

fn cheats(run: &RunFile, totals: &Totals, style: Style) -> String {
    let mut text = share(of(totals, Class::Cheat), style);
    if !run.uncovered.is_empty() {
        let _ = write!(text, "; {} functions take none", run.uncovered.len());
    }
    if !run.neutralized.is_empty() {
        let _ = write!(text, ", {} neutralized by a twin", run.neutralized.len());
    }
    if !run.gates.contains_key("cheat_class_survived") {
        text.push_str("; gate not judged");
    }
    text
}
