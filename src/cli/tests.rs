//! The words of the documentation before the program's own arguments: every command, flag and exit code
//! that a page names is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use clap::{Command, CommandFactory as _};

use super::Exit;
use super::args::Cli;

/// The program's arguments, with help and version.
fn cli() -> Command {
    let mut cli = Cli::command();
    cli.build();
    cli
}

/// Every command with its whole name, such as `import swe`.
fn commands(of: &Command, name: &str, found: &mut Vec<(String, Command)>) {
    for command in of.get_subcommands().filter(|command| command.get_name() != "help") {
        let name = format!("{name} {}", command.get_name());
        found.push((name.trim().to_owned(), command.clone()));
        commands(command, &name, found);
    }
}

fn all_commands() -> Vec<(String, Command)> {
    let mut found = Vec::new();
    commands(&cli(), "", &mut found);
    found
}

/// The long flags of a command, its aliases with them.
fn longs(command: &Command) -> BTreeSet<String> {
    let all = command.get_arguments().flat_map(|argument| {
        let aliases = argument.get_all_aliases().unwrap_or_default();
        argument.get_long().into_iter().chain(aliases).map(str::to_owned).collect::<Vec<_>>()
    });
    all.collect()
}

/// Pages, and what of the repository shows calls of the program: path and text.
fn pages() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut todo = ["README.md", "action.yml", "docs", "examples"].map(|it| root.join(it)).to_vec();
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder of ours").flatten();
            todo.extend(entries.map(|entry| entry.path()));
        } else if matches!(
            path.extension().and_then(|end| end.to_str()),
            Some("md" | "yml" | "yaml")
        ) && let Ok(text) = fs::read_to_string(&path)
        {
            let name = path.strip_prefix(root).expect("below the root").display().to_string();
            found.push((name, text));
        }
    }
    assert!(found.len() > 10, "the pages are found");
    found.sort();
    found
}

/// The flags in a text: `--` and a word, not within another.
fn flags(text: &str) -> BTreeSet<&str> {
    let starts = text.match_indices("--").filter(|(at, _)| {
        let before = text[..*at].chars().next_back();
        before.is_none_or(|c| c.is_whitespace() || "`(\"'[".contains(c))
    });
    let words = starts.map(|(at, _)| {
        let rest = &text[at + 2..];
        let end = rest.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(rest.len());
        rest[..end].trim_end_matches('-')
    });
    words.filter(|word| !word.is_empty()).collect()
}

/// Flags of other programs that the pages name, with whose they are.
const OTHERS: &[(&str, &str)] = &[
    ("release", "cargo"),
    ("workspace", "cargo"),
    ("lib", "cargo"),
    ("test", "cargo"),
    ("bench", "cargo"),
    ("path", "cargo install"),
    ("git", "cargo install"),
    ("locked", "cargo install"),
    ("root", "cargo install"),
    ("no-default-features", "cargo"),
    ("all", "cargo fmt"),
    ("unshallow", "git"),
    ("no-deps", "cargo doc"),
    ("features", "cargo"),
    ("example", "cargo"),
    ("bin", "cargo"),
    ("detach", "git"),
    ("offline", "cargo"),
    ("no-run", "cargo test"),
    ("doc", "cargo test"),
    ("config", "cargo"),
    ("message-format", "cargo"),
    ("target-dir", "cargo"),
    ("profile", "cargo bench"),
    ("doctest-modules", "pytest"),
    ("maxfail", "pytest"),
    ("no-summary", "pytest"),
    ("tb", "pytest"),
    ("test-reporter-destination", "node"),
    ("python", "agent-evidence-observer"),
    ("binary", "benches"),
    ("count", "benches"),
    ("nextest", "benches"),
    ("against-exact", "benches"),
    ("check", "benches"),
    ("mutants", "benches"),
    ("repeat", "benches"),
];

#[test]
fn every_flag_that_a_page_names_is_there() {
    let known = all_commands().iter().flat_map(|(_, it)| longs(it)).collect::<BTreeSet<_>>();
    let mut faults = Vec::new();
    for (path, text) in pages() {
        for flag in flags(&text) {
            let other = OTHERS.iter().any(|(name, _)| *name == flag);
            if !known.contains(flag) && !other {
                faults.push(format!("{path}: --{flag}"));
            }
        }
    }
    assert!(faults.is_empty(), "flags of no command:\n{}", faults.join("\n"));
}

/// Calls of the program in the blocks of a page: the words after `adequacy`, up to a pipe or a comment.
fn calls(text: &str) -> Vec<Vec<String>> {
    let joined = text.replace("\\\n", " ");
    let called = joined.lines().filter_map(|line| {
        let line = line.trim_start();
        let line = line.strip_prefix("- run: ").or(line.strip_prefix("entry: ")).unwrap_or(line);
        line.strip_prefix("$ ").unwrap_or(line).strip_prefix("adequacy ")
    });
    let ends = ["|", "#", ">", ">>", "&&", "||", ";"];
    let words = |rest: &str| {
        let words = rest.split_whitespace().take_while(|word| !ends.contains(word));
        words.map(str::to_owned).collect()
    };
    called.map(words).collect()
}

#[test]
fn every_call_that_a_page_shows_can_be_read() {
    let all = all_commands();
    let mut faults = Vec::new();
    let mut seen = 0;
    for (path, text) in pages() {
        for call in calls(&text) {
            let two = call.iter().take(2).map(String::as_str).collect::<Vec<_>>().join(" ");
            let find = |name: &str| all.iter().find(|(known, _)| known == name);
            let found = find(&two).or_else(|| find(call.first().map_or("", String::as_str)));
            let Some((name, command)) = found else {
                // A sentence that begins so, not a call.
                continue;
            };
            seen += 1;
            let own = call.iter().map(String::as_str).take_while(|word| *word != "--");
            let own = own.collect::<Vec<_>>().join(" ");
            let known = longs(command);
            let wrong = flags(&own).into_iter().filter(|flag| !known.contains(*flag));
            faults.extend(wrong.map(|flag| format!("{path}: `{name}` has no --{flag}")));
        }
    }
    assert!(seen > 15, "calls are found: {seen}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_command_has_an_example_that_names_it() {
    let all = all_commands();
    let help = |name: &str| {
        let found = all.iter().find(|(known, _)| known == name);
        found.and_then(|(_, command)| command.get_after_help()).map(ToString::to_string)
    };
    for (name, command) in &all {
        // A command that only holds others may leave the examples to them, and they to it.
        let above = name.rsplit_once(' ').map(|(above, _)| above);
        let shared = above.and_then(help).is_some_and(|text| text.contains("adequacy "));
        let own = help(name).is_some_and(|text| text.contains(&format!("adequacy {name}")));
        let held = command.is_subcommand_required_set();
        assert!(own || shared || held, "`{name}` has no example");
    }
}

#[test]
fn every_exit_code_that_a_page_names_is_there() {
    let known = Exit::ALL.iter().map(|exit| u32::from(exit.code())).collect::<BTreeSet<_>>();
    let mut seen = BTreeSet::new();
    for (path, text) in pages() {
        for (at, word) in text.match_indices("exit ") {
            let digits = text[at + word.len()..].trim_start_matches("code ");
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            let Ok(code) = digits[..end].parse::<u32>() else { continue };
            assert!(known.contains(&code), "{path} names exit {code}, which is none of ours");
            seen.insert(code);
        }
    }
    assert!(seen.len() > 4, "exit codes are found: {seen:?}");
}

#[test]
fn flags_are_read_as_people_write_them() {
    assert_eq!(
        flags("`--a-b 3`, (--c) x--d --- --E").into_iter().collect::<Vec<_>>(),
        ["a-b", "c"]
    );
    assert_eq!(
        calls("$ adequacy gate --x | y\n- run: adequacy list\n"),
        [vec!["gate", "--x"], vec!["list"]]
    );
}
