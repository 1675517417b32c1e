//! One page that needs no network: what the numbers say and rest on, above the viewer of
//! `mutation-testing-elements`. Its policy forbids the browser every connection.

use std::fmt::Write as _;

use super::count::share;
use super::escape::{is_format, markup, script};
use super::log::RunLog;
use super::markdown::marked;
use super::summary::{flake_bound, of_a_sample};
use super::{Group, Style, headline, json, matrix, survivors, text};
use crate::measure::{ClassTotals, Sentinels};

/// The released file of the viewer, unmodified: see `html/README.md`.
const VIEWER: &str = include_str!("html/mutation-test-elements.js");
const LICENCE: &str = include_str!("html/LICENSE-mutation-testing-elements");
const PARTS: &str = include_str!("html/LICENSES-of-its-parts");
const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// Survivors that our part of the page lists; the viewer has them all.
const LISTED: usize = 300;

/// Rows of a table of operators or files.
const ROWS: usize = 200;

/// The page.
pub(super) fn render(log: &RunLog) -> String {
    let title = markup(&format!("{}: mutants and commands", log.run.task.contract_id));
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; \
         style-src 'unsafe-inline'; img-src data:; font-src data:\">\n\
         <title>{title}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <main class=\"adequacy\">\n"
    );
    top(&mut page, log);
    numbers(&mut page, log);
    commands(&mut page, log);
    listed(&mut page, log);
    undecided(&mut page, log);
    environment(&mut page, log);
    licences(&mut page);
    let report = serde_json::to_string(&json::report(log)).expect("plain values");
    let _ = write!(
        page,
        "</main>\n<mutation-test-report-app title-postfix=\"{}\"></mutation-test-report-app>\n\
         <script type=\"application/json\" id=\"report\">{}</script>\n\
         <script>{VIEWER}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        markup(&log.run.task.contract_id),
        script(&report),
    );
    page
}

fn top(page: &mut String, log: &RunLog) {
    let totals = log.count.totals();
    let _ = writeln!(
        page,
        "<h1>What the acceptance commands of {} tell apart</h1>",
        markup(&log.run.task.contract_id)
    );
    if let Some(task) = &log.run.task.task {
        let _ = writeln!(page, "<p>{}</p>", markup(task));
    }
    for note in log.notes() {
        let _ = writeln!(page, "<p class=\"note bad\">{}</p>", markup(&note));
    }
    for (path, source) in &log.sources {
        if source.text().contains(is_format) {
            let words = "holds characters that are not shown or change how others are; the viewer below shows them as the browser does";
            let _ = writeln!(page, "<p class=\"note\">{} {words}.</p>", markup(path));
        }
    }
    if log.reveals_solution() {
        page.push_str("<p class=\"note\">This page shows the right solution of the task: do not give it to those who are to solve it.</p>\n");
    }
    if totals.killed == 0 && totals.mutants > 0 {
        page.push_str("<p class=\"note bad\">The commands killed nothing: they cannot tell a right solution from a wrong one.</p>\n");
    }
    let _ = writeln!(
        page,
        "<p class=\"score\">{} killed</p>\n<p>{} by an ordinary failing exit alone.<br>{}</p>",
        share(totals.killed, totals.mutants),
        share(log.count.by_exit(), totals.mutants),
        markup(&text::totals(&totals)),
    );
    for words in of_a_sample(&log.run).into_iter().chain(log.triage_words()) {
        let _ = writeln!(page, "<p>{}.</p>", markup(&words));
    }
    let told = headline(&log.run, Style::PLAIN);
    if !told.is_empty() {
        let _ = writeln!(page, "<pre>{}</pre>", markup(told.trim_end()));
    }
}

fn numbers(page: &mut String, log: &RunLog) {
    let count = &log.count;
    page.push_str("<div class=\"columns\">\n");
    let classes = count.by_class.iter().map(|(class, it)| (class.name(), *it));
    tallies(page, "By class", &classes.collect::<Vec<_>>());
    let rows = |tallies: &super::count::Tallies| -> Vec<(String, ClassTotals)> {
        let mut rows = tallies.iter().map(|(name, it)| (name.clone(), *it)).collect::<Vec<_>>();
        rows.sort_by_key(|(_, it)| it.killed * 1000 / it.mutants.max(1));
        rows
    };
    tallies(page, "By file", &rows(&count.by_file));
    tallies(page, "By operator", &rows(&count.by_operator));
    reasons(page, log);
    if !log.run.gates.is_empty() {
        page.push_str("<section><h2>Gates</h2><table>\n");
        for (name, pass) in &log.run.gates {
            let allowed = log.run.allowed.contains(name);
            let said = match (pass, allowed) {
                (true, _) => "<td class=\"good\">holds</td>",
                (false, true) => "<td class=\"bad\">fails, and is allowed</td>",
                (false, false) => "<td class=\"bad\">fails</td>",
            };
            let _ = writeln!(page, "<tr><td>{}</td>{said}</tr>", markup(name));
        }
        page.push_str("</table></section>\n");
    }
    page.push_str("</div>\n");
}

fn tallies<N: AsRef<str>>(page: &mut String, title: &str, rows: &[(N, ClassTotals)]) {
    let _ = writeln!(
        page,
        "<section><h2>{title}</h2><div class=\"tall\"><table>\n<tr><th></th><th class=\"number\">mutants</th>\
         <th class=\"number\">killed</th><th class=\"number\">undecided</th></tr>"
    );
    for (name, it) in rows.iter().take(ROWS) {
        let bad = if it.killed == 0 { " bad" } else { "" };
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number{bad}\">{}</td><td class=\"number\">{}</td></tr>",
            markup(name.as_ref()),
            it.mutants,
            it.killed,
            it.undecided
        );
    }
    page.push_str("</table></div>\n");
    if rows.len() > ROWS {
        let _ = writeln!(
            page,
            "<p class=\"faint\">and {} more, of which more was killed</p>",
            rows.len() - ROWS
        );
    }
    page.push_str("</section>\n");
}

fn reasons(page: &mut String, log: &RunLog) {
    let totals = log.count.totals();
    page.push_str("<section><h2>Kills by reason</h2><table>\n");
    for (reason, count) in &totals.killed_by_reason {
        let _ =
            writeln!(page, "<tr><td>{}</td><td class=\"number\">{count}</td></tr>", markup(reason));
    }
    let _ = writeln!(
        page,
        "</table><p class=\"faint\">Not counted: {} with the original's code, {} with another mutant's, {} not sampled, {} that do not compile or build</p></section>",
        totals.equivalent, totals.duplicate, totals.not_sampled, totals.unviable
    );
}

/// Which commands refused which mutants: a row and a column a command.
fn commands(page: &mut String, log: &RunLog) {
    page.push_str("<h2>Killed by</h2>\n<div class=\"wide\"><table>\n<tr><th>command</th><th class=\"number\">ran on</th><th class=\"number\">killed first</th><th class=\"number\">refused</th><th class=\"number\">the only one</th>");
    for command in &log.count.commands {
        let _ = write!(page, "<th class=\"number\">and {}</th>", markup(&command.id));
    }
    page.push_str("</tr>\n");
    for command in &log.count.commands {
        let _ = write!(
            page,
            "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>",
            markup(&command.id),
            command.ran,
            command.first,
            command.refused,
            command.alone
        );
        for both in &command.with {
            let _ = write!(page, "<td class=\"number\">{both}</td>");
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table></div>\n<p class=\"faint\">Killed mutants, as far as each command was run on them: the commands after the first that kills are not run unless <code>--full-matrix</code> or the class asks for it. \u{201c}The only one\u{201d} counts mutants on which every command was run.</p>\n");
    if let Some(matrix) = &log.run.matrix {
        let lines = matrix::lines(matrix).join("\n");
        let _ = writeln!(page, "<pre>{}</pre>", markup(&lines));
    }
}

fn listed(page: &mut String, log: &RunLog) {
    let groups = survivors(log);
    let all = log.count.totals().survived;
    let _ = writeln!(page, "<h2 id=\"survivors\">Survivors: {all}</h2>");
    if groups.is_empty() {
        page.push_str("<p>None.</p>\n");
        return;
    }
    page.push_str(
        "<details open><summary>The commands accept these, the most telling first</summary>\n",
    );
    let mut left = LISTED;
    for group in &groups {
        if left == 0 {
            break;
        }
        one_group(page, log, group, left);
        left -= left.min(group.survivors.len());
    }
    if all > LISTED as u64 {
        let _ = writeln!(page, "<p>and {} more, in the files below</p>", all - LISTED as u64);
    }
    page.push_str("</details>\n");
}

fn one_group(page: &mut String, log: &RunLog, group: &Group<'_>, most: usize) {
    let label = if group.not_reached { ", no command loads this file" } else { "" };
    let _ = writeln!(
        page,
        "<h3>{} {} <span class=\"faint\">{} of {} killed{label}</span></h3>",
        markup(group.path),
        markup(group.function),
        group.tally.killed,
        group.tally.mutants
    );
    for entry in group.survivors.iter().take(most) {
        let row = &entry.row;
        let _ = write!(
            page,
            "<div><a href=\"#survivors\" data-path=\"{}\" data-mutant=\"{}\">{}</a> line {}: {}</div>",
            markup(&row.path),
            markup(&row.id),
            markup(&row.id),
            row.line,
            markup(&row.operator)
        );
        let _ = match row.in_words() {
            Some(words) => writeln!(page, "<pre>{}</pre>", markup(&words)),
            None => {
                let (before, after) = row.lines(log.source(entry));
                let signed = |sign, text: &str| markup(marked(sign, text.trim_end()).trim_end());
                let (before, after) = (signed('-', &before), signed('+', &after));
                writeln!(page, "<pre><del>{before}</del>\n<ins>{after}</ins></pre>")
            }
        };
    }
}

fn undecided(page: &mut String, log: &RunLog) {
    let count = log.count.totals().undecided;
    if count == 0 {
        return;
    }
    let _ = writeln!(
        page,
        "<h2>Undecided: {count}</h2>\n<p class=\"note\">They count as not killed. The viewer below calls them \
         runtime errors and leaves them out of its scores, which are therefore higher than those above.</p>\n<table>"
    );
    for entry in log.undecided().take(LISTED) {
        let row = &entry.row;
        let (path, why) = (markup(&row.path), entry.standing().why(&log.run));
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{path} line {}</td><td>{}</td><td>{}</td></tr>",
            markup(&row.id),
            row.line,
            markup(&row.operator),
            markup(&why)
        );
    }
    page.push_str("</table>\n");
}

fn environment(page: &mut String, log: &RunLog) {
    let run = &log.run;
    let Sentinels { runs, failures } = run.unmutated();
    page.push_str("<details><summary>What the numbers rest on</summary>\n<table>\n");
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(page, "<tr><td>{name}</td><td>{}</td></tr>", markup(value));
    };
    row("program", &run.tool);
    for command in &run.commands {
        let limit = command
            .limit
            .map_or_else(String::new, |it| format!(", limit {:.1} s", it.as_secs_f64()));
        row("command", &format!("{}: {}{limit}", command.id, command.argv.join(" ")));
    }
    row("interpreter", run.interpreter.as_ref().map_or("none", |found| &found.version));
    row("variables that commands see", &run.environment.join(", "));
    row("processes", &run.isolation.processes);
    row("network", &run.isolation.network);
    row("files", &run.isolation.files);
    for before in &run.isolation_before {
        row("before the run was resumed", &before.words());
    }
    row(
        "unmutated runs",
        &format!(
            "{runs}, failed: {failures} (95 % bound on the rate of such failures: {})",
            flake_bound(runs, failures)
        ),
    );
    for line in super::executors::lines(log) {
        let (name, rest) = line.split_once(": ").unwrap_or(("executors", &line));
        row(&name.to_lowercase(), rest);
    }
    for one in &run.executors.offered {
        let what = one.steps_aside.as_ref().map(|why| format!("stepped aside: {why}"));
        let what = what.unwrap_or_else(|| "used".to_owned());
        row("executor", &format!("{} for {}: {what}", one.executor.word(), one.command));
    }
    if let Some(sampled) = &run.sampler {
        row(
            "sample",
            &format!(
                "{}, seed {}, at most {} of {}",
                sampled.name, sampled.seed, sampled.limit, sampled.population
            ),
        );
    }
    if !run.allowed.is_empty() {
        row("let through", &run.allowed.join(", "));
    }
    if !run.not_reached.is_empty() {
        row("files that no command loads", &run.not_reached.join(", "));
    }
    row("digest of the tree", &run.tree_sha256.to_string());
    row("digest of the plan", &run.plan_sha256.to_string());
    row("digest of the kill vector", &log.count.totals().kill_vector_sha256.to_string());
    page.push_str("</table>\n</details>\n");
}

fn licences(page: &mut String) {
    let _ = writeln!(
        page,
        "<details><summary>Licences of the viewer below</summary>\n\
         <p>mutation-testing-elements 3.9.0, unmodified, Apache-2.0</p>\n<pre>{}</pre><pre>{}</pre></details>",
        markup(LICENCE),
        markup(PARTS)
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Sha256;

    #[test]
    fn the_viewer_is_the_released_file_and_cannot_end_its_element() {
        let readme = include_str!("html/README.md");
        let digest = Sha256::of(VIEWER.as_bytes()).to_string();
        assert!(readme.contains(&digest), "{digest}");
        for script in [VIEWER, SCRIPT] {
            let script = script.to_lowercase();
            // The one ends the element; the other, after `<!--`, keeps it from ending.
            assert!(!script.contains("</script") && !script.contains("<script"));
        }
    }
}
