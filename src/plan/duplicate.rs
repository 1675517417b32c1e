//! Mutants of compiled languages that are the same text as the original or as an earlier mutant. No
//! compiler is asked: equal text is equal code, and more would cost a build each. Pieces of an earlier
//! text are compared by their syntax, as those of Python are.

use std::collections::HashMap;

use adequacy_mutators::{Language, rust};

use super::compile::admitted;
use super::{Fate, Plan};
use crate::base::Sha256;
use crate::tree::{Snapshot, TreeError};

/// Marks the mutants of Rust files that are not counted for that.
///
/// # Errors
/// [`TreeError`] when a source can no longer be read as it was.
pub fn mark(plan: &mut Plan, snapshot: &Snapshot) -> Result<(), TreeError> {
    for file in 0..plan.files.len() {
        if plan.files[file].language == Language::Rust {
            of_file(plan, file, snapshot)?;
        }
    }
    Ok(())
}

/// Digests of what was met, each with the place of the mutant that it is; `None` is the original.
type Met = HashMap<Sha256, Option<u32>>;

fn of_file(plan: &mut Plan, file: usize, snapshot: &Snapshot) -> Result<(), TreeError> {
    let source = plan.files[file].source(snapshot)?;
    let syntax = |text: &[u8]| rust::syntax(text).map(|tokens| Sha256::of(tokens.as_bytes()));
    let mut texts = Met::from([(Sha256::of(&source), None)]);
    let mut syntaxes = syntax(&source).map(|whole| (whole, None)).into_iter().collect::<Met>();
    let file = &plan.files[file];
    for &place in &file.mutants {
        let mutant = &mut plan.mutants[place as usize];
        if !mutant.is_of_one_file() {
            continue;
        }
        let whole = file.with(&mutant.edit, &source);
        let text = Sha256::of(&whole);
        let fate = if !mutant.class.is_undone() {
            meet(&mut texts, text, place)
        } else if let Some(syntax) = syntax(&whole) {
            meet(&mut syntaxes, syntax, place)
        } else {
            Fate::Unviable("it does not parse".into())
        };
        texts.entry(text).or_insert(Some(place));
        mutant.fate = admitted(mutant, fate);
    }
    Ok(())
}

/// What is to be said of the mutant at `place` whose digest this is.
fn meet(met: &mut Met, digest: Sha256, place: u32) -> Fate {
    match met.get(&digest) {
        Some(Some(earlier)) => Fate::Duplicate(*earlier),
        Some(None) => Fate::Equivalent,
        None => {
            met.insert(digest, Some(place));
            Fate::Counted
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Silent;
    use crate::plan::{Class, Trees, plan};
    use crate::task::{Overrides, load};
    use crate::tree::{Choice, snapshot};

    const TASK: &str = "start = 'start'\nreference = 'reference'\n\
                        [[acceptance]]\nid = 'all'\nargv = ['cargo', 'test', '--offline']\n";

    /// The judged plan of a change of `src/lib.rs`.
    fn planned(before: &str, after: &str) -> Plan {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let put = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        };
        put("adequacy.toml", TASK);
        for (tree, text) in [("start", before), ("reference", after)] {
            put(
                &format!("{tree}/Cargo.toml"),
                "[package]\nname = \"small\"\nversion = \"0.1.0\"\n",
            );
            put(&format!("{tree}/src/lib.rs"), text);
        }
        let task = load(folder.path(), &Overrides::default()).expect("a task");
        let list = |tree: &str| {
            snapshot(&folder.path().join(tree), &Choice::default(), &Silent).expect("a tree")
        };
        let (start, base) = (list("start"), list("reference"));
        let mut plan = plan(&task, Trees { base: &base, start: Some(&start) }).expect("a plan");
        mark(&mut plan, &base).expect("the sources are there");
        plan
    }

    fn fates(plan: &Plan, class: Class) -> Vec<(u32, Fate)> {
        let mutants = plan.mutants.iter().filter(|mutant| mutant.class == class);
        mutants.map(|mutant| (mutant.line, mutant.fate.clone())).collect()
    }

    #[test]
    fn hunks_of_comments_alone_and_hunks_that_do_not_parse_do_not_count() {
        let f = "pub fn f(a: u8) -> u8 {\n    a\n}\n\npub fn g(a: u8) -> u8 {\n";
        let before = format!(
            "/// Old.\n{f}    if a > 2 {{\n        a\n    }} else {{\n        1\n    }}\n}}\n"
        );
        let after = format!(
            "/// New.\n{f}    match a {{ 3.. => {{\n        a\n    }} _ => {{\n        2\n    }} }}\n}}\n"
        );
        let plan = planned(&before, &after);
        let unviable = Fate::Unviable("it does not parse".into());
        let expected = [(1, Fate::Equivalent), (7, unviable.clone()), (9, unviable)];
        assert_eq!(fates(&plan, Class::HunkRevert), expected);
        assert_eq!(fates(&plan, Class::NullPatch), [(0, Fate::Counted)]);
        assert_eq!((plan.files[0].unparsed(), &plan.files[0].refused_before), (None, &None));
    }

    #[test]
    fn what_is_undone_the_same_way_twice_counts_once() {
        let before = "pub fn f() -> u8 {\n    1\n}\n";
        let plan = planned(before, &before.replace('1', "2"));
        assert_eq!(fates(&plan, Class::HunkRevert), [(2, Fate::Duplicate(0))]);
    }

    #[test]
    fn a_file_that_does_not_parse_is_told_on_either_side() {
        let good = "pub fn f() -> u8 {\n    1\n}\n";
        let bad = "pub fn f() -> u8 {\n    2 +\n}\n";
        let words = "line 3: the grammar cannot read this";
        let unparsed = planned(good, bad).files[0].unparsed();
        assert_eq!(unparsed.as_deref(), Some(words));
        let plan = planned(bad, good);
        assert_eq!(plan.files[0].refused_before.as_deref(), Some(words));
        // It is the commands that say what the start is worth.
        assert_eq!(fates(&plan, Class::NullPatch), [(0, Fate::Counted)]);
    }
}
