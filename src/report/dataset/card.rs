//! The dataset card: what a reader of a benchmark must know of its commands, as Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::super::escape::markdown;
use super::{Numbers, TaskRow, survived};
use crate::plan::Class;

/// Tasks that are named in a list.
const NAMED: usize = 50;

/// The quantiles that are shown, in per cent; 50 is the median.
const QUANTILES: [usize; 5] = [10, 25, 50, 75, 90];

/// The card.
#[must_use]
pub fn card(rows: &[TaskRow]) -> String {
    let measured = rows.iter().filter_map(|row| row.numbers.as_ref()).collect::<Vec<_>>();
    let sealed = measured.iter().filter(|it| it.contract_sha256.is_some()).count();
    let mut text = format!(
        "# Dataset card\n\n{} tasks: {} measured, {sealed} of them sealed, {} without numbers.\n",
        rows.len(),
        measured.len(),
        rows.len() - measured.len(),
    );
    region(rows, &measured, &mut text);
    classes(&measured, &mut text);
    gates(&measured, &mut text);
    runs(&measured, &mut text);
    without_numbers(rows, &mut text);
    text
}

/// The line that a card is read for.
fn region(rows: &[TaskRow], measured: &[&Numbers], text: &mut String) {
    let asked = measured.iter().filter_map(|it| it.patch_region_survivors);
    let (all, surviving) = asked.fold((0, 0), |(all, surviving), survivors| {
        (all + 1, surviving + usize::from(survivors > 0))
    });
    let _ = write!(
        text,
        "\n## At the change\n\n**Tasks with at least one survivor in the patch region: {surviving} of \
         {all}.** A survivor is a wrong solution, a part of the right one undone or changed, that every \
         command accepts.\n",
    );
    let none = measured.len() - all;
    if none > 0 {
        let _ = writeln!(text, "\n{none} measured tasks have no mutant there.");
    }
    let survivors = |row: &TaskRow| {
        row.numbers.as_ref().and_then(|it| it.patch_region_survivors).is_some_and(|it| it > 0)
    };
    let named = rows.iter().filter(|row| survivors(row)).map(|row| markdown(&row.id));
    list(&named.collect::<Vec<_>>(), text);
}

/// How the share of killed mutants is spread over the tasks, a class at a time.
fn classes(measured: &[&Numbers], text: &mut String) {
    text.push_str(
        "\n## By class\n\nThe share of killed mutants of each task, in per cent: least, quantiles (the \
         value of a task, by nearest rank), most.\n\n\
         | class | tasks | with a survivor | with an undecided one | least | 10 % | 25 % | median | 75 % | 90 % | most |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for class in Class::ALL {
        let counts = measured.iter().filter_map(|it| it.classes.get(class));
        let counts = counts.filter(|it| it.mutants > 0).collect::<Vec<_>>();
        if counts.is_empty() {
            continue;
        }
        let surviving = counts.iter().filter(|it| survived(it) > 0).count();
        let undecided = counts.iter().filter(|it| it.undecided > 0).count();
        #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
        let shares = counts.iter().map(|it| it.killed as f64 * 100.0 / it.mutants as f64);
        let spread = spread(shares.collect(), |share| format!("{share:.1}"));
        let (name, tasks) = (class.name(), counts.len());
        let _ = writeln!(text, "| {name} | {tasks} | {surviving} | {undecided} | {spread} |");
    }
}

fn gates(measured: &[&Numbers], text: &mut String) {
    text.push_str(
        "\n## Gates\n\n| gate | tasks | fail | of them let through |\n|---|---|---|---|\n",
    );
    let mut all = BTreeMap::<&str, [usize; 3]>::new();
    for numbers in measured {
        for (name, pass) in &numbers.gates {
            let counts = all.entry(name).or_default();
            let allowed = numbers.allowed.iter().any(|allowed| allowed == name);
            counts[0] += 1;
            counts[1] += usize::from(!pass);
            counts[2] += usize::from(!pass && allowed);
        }
    }
    for (name, [tasks, fail, allowed]) in all {
        let _ = writeln!(text, "| {} | {tasks} | {fail} | {allowed} |", markdown(name));
    }
}

/// How much there was to it, and how sure it is.
fn runs(measured: &[&Numbers], text: &mut String) {
    let undecided = measured.iter().filter(|it| it.undecided > 0).count();
    let failing = measured.iter().filter(|it| it.unmutated_failures > 0).count();
    let _ = write!(
        text,
        "\n## Runs\n\n{undecided} tasks have undecided mutants. In {failing} the unmutated tree failed \
         at least once.\n\n\
         | of each task | least | 10 % | 25 % | median | 75 % | 90 % | most |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    let bounds = measured.iter().map(|it| it.flake_bound * 100.0).collect();
    let cpu = measured.iter().map(|it| it.cpu_s).collect();
    if !measured.is_empty() {
        let bounds = spread(bounds, |bound| format!("{bound:.1}"));
        let _ =
            writeln!(text, "| 95 % bound on failures of the unmutated tree, per cent | {bounds} |");
        let _ = writeln!(text, "| CPU time, s | {} |", spread(cpu, |cpu| format!("{cpu:.1}")));
    }
    let mut tools = BTreeMap::<&str, usize>::new();
    measured.iter().for_each(|it| *tools.entry(&it.tool).or_default() += 1);
    let tools = tools.into_iter().map(|(tool, count)| format!("{} ({count})", markdown(tool)));
    let _ = writeln!(text, "\nMeasured by: {}.", or_none(tools.collect::<Vec<_>>().join(", ")));
}

fn without_numbers(rows: &[TaskRow], text: &mut String) {
    let missing = rows.iter().filter(|row| row.numbers.is_none());
    let words = |row: &TaskRow| {
        let exit = row.exit.map(|exit| format!(" (exit {exit})")).unwrap_or_default();
        format!("{}{exit}: {}", markdown(&row.id), markdown(&row.message))
    };
    let named = missing.map(words).collect::<Vec<_>>();
    if !named.is_empty() {
        text.push_str("\n## Without numbers\n");
        list(&named, text);
    }
}

fn list(named: &[String], text: &mut String) {
    if !named.is_empty() {
        text.push('\n');
    }
    named.iter().take(NAMED).for_each(|name| {
        let _ = writeln!(text, "- {name}");
    });
    if named.len() > NAMED {
        let _ = writeln!(text, "- and {} more", named.len() - NAMED);
    }
}

fn or_none(text: String) -> String {
    if text.is_empty() { "no task".to_owned() } else { text }
}

/// Least, quantiles and most of at least one value, as cells of a table.
fn spread(mut values: Vec<f64>, show: impl Fn(f64) -> String) -> String {
    values.sort_by(f64::total_cmp);
    let last = values.len() - 1;
    // The nearest rank: the least value that this share of all does not exceed.
    let ranks = QUANTILES.iter().map(|share| (share * values.len()).div_ceil(100).max(1) - 1);
    let places = [0].into_iter().chain(ranks).chain([last]);
    places.map(|place| show(values[place])).collect::<Vec<_>>().join(" | ")
}

#[cfg(test)]
mod tests {
    use super::super::testing::row;
    use super::*;

    #[test]
    fn quantiles_are_values_of_tasks() {
        let show = |value: f64| value.to_string();
        assert_eq!(spread(vec![3.0], show), "3 | 3 | 3 | 3 | 3 | 3 | 3");
        let ten = (1..=10).map(f64::from).collect();
        assert_eq!(spread(ten, show), "1 | 1 | 3 | 5 | 8 | 9 | 10");
        assert_eq!(spread(vec![0.0, 100.0], show), "0 | 0 | 0 | 0 | 100 | 100 | 100");
    }

    #[test]
    fn the_card_counts_tasks_and_names_what_is_missing() {
        let rows = [
            row("all", (4, 4, 0)),
            row("*some*", (4, 1, 0)),
            row("open", (2, 1, 1)),
            TaskRow { exit: Some(3), ..TaskRow::without("gone", "it <fails>".to_owned()) },
        ];
        let text = card(&rows);
        let has = |words: &str| assert!(text.contains(words), "{words}\n{text}");
        has("4 tasks: 3 measured, 3 of them sealed, 1 without numbers.");
        has("Tasks with at least one survivor in the patch region: 1 of 3.");
        has("\n- &#42;some&#42;\n");
        has("| change | 3 | 1 | 1 | 25.0 | 25.0 | 25.0 | 50.0 | 100.0 | 100.0 | 100.0 |");
        has("| undecided | 3 | 1 | 0 |");
        has("- gone (exit 3): it &#60;fails&#62;\n");
        has("Measured by: adequacy 0 (3).");
        assert!(!text.contains("verage"), "{text}");
    }
}
