//! Holds the direction of the flow: a stage may use only `base` and the stages before it, no stage
//! sees a conductor, a report or the command line, and the reader stands on its own.

use std::fs;
use std::path::{Path, PathBuf};

/// The stages in reading order, which is the order of the flow.
const STAGES: &[&str] = &[
    "task",
    "tree",
    "plan",
    "run",
    "outcome",
    "adequacy",
    "contract",
    "seal",
    "statement",
    "verify",
];

/// May see every stage; no stage may see them. In reading order: each may see those before it.
const OUTSIDE: &[&str] = &[
    "envelope", "vectors", "evidence", "receipt", "measure", "import", "bundle", "check", "audit",
    "report", "recheck", "cli",
];

/// Stronger than the order: these see exactly what is listed.
const STRICT: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("contract", &["base"]),
    ("statement", &["base", "contract"]),
    ("verify", &["base", "contract", "statement", "envelope"]),
    ("envelope", &["base", "contract", "statement"]),
];

#[test]
fn every_module_sees_only_what_it_may() {
    let mut faults = Vec::new();
    for file in rust_files(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))) {
        let module = module_of(&file);
        if matches!(module.as_str(), "main" | "lib") {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a source file can be read");
        for used in used_modules(&text) {
            if used != module && !may_see(&module, &used) {
                faults.push(format!("{}: `{module}` must not use `{used}`", file.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_rules_themselves_refuse_a_wrong_direction() {
    assert!(may_see("run", "plan") && !may_see("plan", "run"));
    assert!(may_see("cli", "run") && !may_see("run", "cli"));
    assert!(!may_see("contract", "tree") && !may_see("verify", "run") && !may_see("base", "task"));
    assert!(!may_see("unknown", "base"));
}

fn may_see(module: &str, used: &str) -> bool {
    if let Some((_, allowed)) = STRICT.iter().find(|(name, _)| *name == module) {
        return allowed.contains(&used);
    }
    let rank = |name: &str| {
        let order = ["base"].iter().chain(STAGES).chain(OUTSIDE);
        order.enumerate().find(|(_, stage)| **stage == name).map(|(rank, _)| rank)
    };
    matches!((rank(module), rank(used)), (Some(own), Some(other)) if other < own)
}

/// The first segment after every `crate::`, with `crate::{a, b::c}` taken apart.
fn used_modules(text: &str) -> Vec<String> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>();
    let code = code.join("\n");
    let mut used = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut start = true;
            for (index, c) in group.char_indices() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => start = true,
                    c if start && c.is_alphabetic() => {
                        used.push(first_word(&group[index..]));
                        start = false;
                    }
                    _ => {}
                }
            }
        } else {
            used.push(first_word(rest));
        }
    }
    used.retain(|word| word.chars().next().is_some_and(char::is_lowercase));
    used
}

fn first_word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

fn module_of(file: &Path) -> String {
    let below = file.strip_prefix(concat!(env!("CARGO_MANIFEST_DIR"), "/src")).expect("below src");
    let first = below.iter().next().expect("a file has a name").to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("src can be listed") {
        let path = entry.expect("src can be listed").path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}
