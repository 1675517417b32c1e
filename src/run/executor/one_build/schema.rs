//! One tree that holds many mutants: each function that has some begins with a line that takes in a
//! file beside the tree, which chooses among bodies, each of them a file of its own.
//!
//! A body is the text that the exact path would put there, at the line and column where it would stand.
//! It is chosen by a number in a file whose path is part of the program, so no environment that a test
//! clears can hide it, and everything else of the function is as it was.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

use adequacy_mutators::rust::{Host, hosts};
use adequacy_mutators::{Language, splice};

use crate::base::{RelPath, Sha256};
use crate::plan::{Mutant, Plan, PlanFile};
use crate::tree::{Snapshot, TreeError};

/// Bytes of mutated bodies that are compiled together; functions that cost more are left out.
const MOST: usize = 4 << 20;

/// The number of the unmutated bodies.
pub(super) const NONE: u32 = 0;

/// The number that stands for the unmutated bodies, with a note of each function that is entered.
pub(super) const TRACE: u32 = u32::MAX;

/// Nothing was read yet; no mutant has this number.
const UNREAD: u32 = u32::MAX - 1;

/// Holds the number.
pub(super) const CHOSEN: &str = "chosen";

/// Holds the functions that were entered, one number a line.
pub(super) const ENTERED: &str = "entered";

/// What a mutant is known by: its file and the digest of the mutated text.
pub(super) type Key = (RelPath, Sha256);

/// A function, by place in the file and among all.
struct Function {
    file: usize,
    host: Host,
}

/// A mutant, numbered by its place from 1.
struct Arm {
    key: Key,
    function: usize,
    body: String,
}

/// The mutants that can share a build.
pub(super) struct Schema {
    files: Vec<(RelPath, Vec<u8>)>,
    functions: Vec<Function>,
    arms: Vec<Arm>,
}

/// What is left out of a schema.
#[derive(Default, Clone)]
pub(super) struct Without {
    /// Numbers of mutants.
    pub(super) arms: BTreeSet<u32>,
    /// Functions whose word `const` must stay.
    pub(super) constants: bool,
}

/// The files of a schema: those of the tree, and those beside it by name.
pub(super) struct Texts {
    pub(super) tree: Vec<(RelPath, Vec<u8>)>,
    pub(super) beside: Vec<(String, String)>,
}

impl Schema {
    /// Those of the mutants at the places `todo` whose edit stands in the body of one function.
    pub(super) fn of(plan: &Plan, todo: &[usize], tree: &Snapshot) -> Result<Self, TreeError> {
        let mut by_file = BTreeMap::<u32, Vec<&Mutant>>::new();
        for mutant in todo.iter().map(|&place| &plan.mutants[place]) {
            let file = plan.file(mutant);
            let is_plain = file.language == Language::Rust && !file.is_absent;
            if is_plain && mutant.is_of_one_file() && !mutant.class.is_never_unviable() {
                by_file.entry(mutant.edit.file).or_default().push(mutant);
            }
        }
        let mut schema = Self { files: Vec::new(), functions: Vec::new(), arms: Vec::new() };
        for (file, mutants) in by_file {
            let file = &plan.files[file as usize];
            schema.add(file, tree.read(&file.path)?, &mutants);
        }
        schema.keep_cheapest();
        Ok(schema)
    }

    fn add(&mut self, of: &PlanFile, source: Vec<u8>, mutants: &[&Mutant]) {
        let file = self.files.len();
        for host in hosts(&source) {
            let function = self.functions.len();
            let is_inside =
                |span: &Range<usize>| host.body.start <= span.start && span.end <= host.body.end;
            let inside = mutants.iter().filter(|mutant| is_inside(&mutant.edit.span()));
            let before = self.arms.len();
            self.arms.extend(inside.filter_map(|mutant| {
                let edit = &mutant.edit;
                let span = edit.span().start - host.body.start..edit.span().end - host.body.start;
                let body = splice(&source[host.body.clone()], [(&span, &*of.replacement(edit))]);
                let key = (of.path.clone(), Sha256::of(&of.with(edit, &source)));
                let body =
                    format!("{}{}", place(&source, host.body.start), String::from_utf8(body).ok()?);
                Some(Arm { key, function, body })
            }));
            if self.arms.len() > before {
                self.functions.push(Function { file, host });
            }
        }
        self.files.push((of.path.clone(), source));
    }

    /// Leaves out the functions that cost most, where all together cost too much.
    fn keep_cheapest(&mut self) {
        let mut costs = vec![0; self.functions.len()];
        self.arms.iter().for_each(|arm| costs[arm.function] += arm.body.len());
        let mut order = (0..costs.len()).collect::<Vec<_>>();
        order.sort_by_key(|&function| costs[function]);
        let mut total = 0;
        let mut kept = vec![false; costs.len()];
        for function in order {
            total += costs[function];
            kept[function] = total <= MOST;
        }
        self.arms.retain(|arm| kept[arm.function]);
    }

    /// How many mutants it holds.
    pub(super) fn len(&self) -> usize {
        self.arms.len()
    }

    /// The mutants that are left, each with its number and its function.
    pub(super) fn arms(&self, without: &Without) -> impl Iterator<Item = (&Key, u32, usize)> {
        let numbered = (1..).zip(&self.arms);
        let numbered = numbered.filter(|(number, arm)| self.holds(without, *number, arm));
        numbered.map(|(number, arm)| (&arm.key, number, arm.function))
    }

    fn holds(&self, without: &Without, number: u32, arm: &Arm) -> bool {
        !without.arms.contains(&number) && self.is_open(without, &self.functions[arm.function])
    }

    fn is_open(&self, without: &Without, function: &Function) -> bool {
        !without.constants || function.host.constness.is_none()
    }

    /// Whether some function's word `const` is taken away.
    pub(super) fn has_constants(&self) -> bool {
        self.functions.iter().any(|function| function.host.constness.is_some())
    }

    /// The files, of which those beside the tree stand in `folder`.
    pub(super) fn texts(&self, folder: &str, without: &Without) -> Texts {
        let mut arms = vec![Vec::new(); self.functions.len()];
        let mut beside = Vec::new();
        for (_, number, function) in self.arms(without) {
            arms[function].push(number);
            beside.push((body_name(number), self.arms[number as usize - 1].body.clone()));
        }
        let mut edits = vec![Vec::new(); self.files.len()];
        for (number, function) in self.functions.iter().enumerate() {
            if !self.is_open(without, function) || arms[number].is_empty() && self.is_unused(number)
            {
                continue;
            }
            let name = format!("f{number}.rs");
            let start = function.host.body.start + 1;
            let line = format!(" let () = include!({:?});", format!("{folder}/{name}"));
            // As long as it was, so that no column moves.
            let blank =
                function.host.constness.iter().map(|span| (span.clone(), b"     ".to_vec()));
            edits[function.file].extend(blank);
            edits[function.file].push((start..start, line.into_bytes()));
            beside.push((name, chooser(folder, number, &arms[number])));
        }
        let tree = self.files.iter().zip(&edits).map(|((path, source), edits)| {
            let edits = edits.iter().map(|(span, text)| (span, text.as_slice()));
            (path.clone(), splice(source, edits))
        });
        Texts { tree: tree.collect(), beside }
    }

    /// Whether a function has no mutant at all, whatever is left out.
    fn is_unused(&self, function: usize) -> bool {
        !self.arms.iter().any(|arm| arm.function == function)
    }
}

/// The name of a mutant's file.
fn body_name(number: u32) -> String {
    format!("m{number}.rs")
}

/// The number of the mutant whose file this is.
pub(super) fn number_of(file: &str, folder: &str) -> Option<u32> {
    file.strip_prefix(folder)?.strip_prefix("/m")?.strip_suffix(".rs")?.parse().ok()
}

/// White space that ends at the line and column of `at`.
fn place(source: &[u8], at: usize) -> String {
    let before = String::from_utf8_lossy(&source[..at]);
    let (lines, last) = (before.matches('\n').count(), before.rsplit('\n').next().unwrap_or(""));
    "\n".repeat(lines) + &" ".repeat(last.chars().count())
}

/// Reads which mutant is chosen, once, and returns its body's value where it is one of these. A process
/// that cannot read that ends by a signal, which no verdict rests on.
fn chooser(folder: &str, function: usize, arms: &[u32]) -> String {
    let path = |name: &str| format!("{:?}", format!("{folder}/{name}"));
    let (chosen, entered) = (path(CHOSEN), path(ENTERED));
    let mut bodies = String::new();
    for number in arms {
        let body = path(&body_name(*number));
        let _ = writeln!(bodies, "        {number} => return include!({body}),");
    }
    format!(
        "{{ #[allow(unused, unreachable_code, nonstandard_style)]
    let () = {{
        extern crate std as __adequacy_std;
        static __ADEQUACY_CHOSEN: __adequacy_std::sync::atomic::AtomicU32 =
            __adequacy_std::sync::atomic::AtomicU32::new({UNREAD});
        let mut __adequacy_chosen =
            __ADEQUACY_CHOSEN.load(__adequacy_std::sync::atomic::Ordering::Relaxed);
        if __adequacy_chosen == {UNREAD} {{
            __adequacy_chosen = match __adequacy_std::fs::read({chosen}) {{
                __adequacy_std::result::Result::Ok(read) if read.len() == 4 => {{
                    u32::from_le_bytes([read[0], read[1], read[2], read[3]])
                }}
                _ => __adequacy_std::process::abort(),
            }};
            if __adequacy_chosen == {TRACE} {{
                let noted = __adequacy_std::fs::OpenOptions::new().append(true).open({entered});
                let noted = noted.and_then(|mut file| {{
                    __adequacy_std::io::Write::write_all(&mut file, b\"{function}\\n\")
                }});
                if noted.is_err() {{
                    __adequacy_std::process::abort();
                }}
            }}
            __ADEQUACY_CHOSEN
                .store(__adequacy_chosen, __adequacy_std::sync::atomic::Ordering::Relaxed);
        }}
        match __adequacy_chosen {{
{bodies}        _ => (),
        }}
    }};
}}
"
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::base::Silent;
    use crate::plan::{Trees, plan};
    use crate::task::{Overrides, load};
    use crate::tree::{Choice, snapshot};

    const SOURCE: &str = "const A: u8 = 1 + 2;\n\npub const fn f(a: u8) -> u8 {\n    a + 1\n}\n\n\
                          fn g(a: u8) -> bool { a > A }\n";

    fn schema() -> (Schema, tempfile::TempDir) {
        let folder = tempfile::tempdir().expect("a temporary directory");
        fs::write(folder.path().join("a.rs"), SOURCE).expect("a file");
        let task = load(folder.path(), &Overrides::default()).expect("a bare tree");
        let tree = snapshot(folder.path(), &Choice::default(), &Silent).expect("a tree");
        let plan = plan(&task, Trees { base: &tree, start: None }).expect("a plan");
        let all = (0..plan.mutants.len()).collect::<Vec<_>>();
        (Schema::of(&plan, &all, &tree).expect("it can be read"), folder)
    }

    #[test]
    fn each_mutant_is_a_body_at_its_own_place() {
        let (schema, _folder) = schema();
        let texts = schema.texts("/w", &Without::default());
        let text = |name: &str| {
            let found = texts.beside.iter().find(|(it, _)| it == name);
            found.map_or("", |(_, text)| text.as_str())
        };
        let tree = String::from_utf8(texts.tree[0].1.clone()).expect("text");
        assert_eq!(
            tree,
            "const A: u8 = 1 + 2;\n\npub       fn f(a: u8) -> u8 { let () = include!(\"/w/f0.rs\");\n    \
             a + 1\n}\n\nfn g(a: u8) -> bool { let () = include!(\"/w/f1.rs\"); a > A }\n"
        );
        let bodies = (1..).map(|number| text(&format!("m{number}.rs")).to_owned());
        let bodies = bodies.take_while(|text| !text.is_empty()).collect::<Vec<_>>();
        assert!(bodies.contains(&format!("\n\n{}{{\n    a - 1\n}}", " ".repeat(28))), "{bodies:?}");
        assert!(
            bodies.contains(&format!("{}{}{{ a < A }}", "\n".repeat(6), " ".repeat(20))),
            "{bodies:?}"
        );
        // Of the constant there is none.
        assert_eq!(bodies.len(), schema.len());
        assert!(text("f1.rs").contains(&format!(
            "{} => return include!(\"/w/m{}.rs\"),",
            schema.len(),
            schema.len()
        )));
    }

    #[test]
    fn what_is_left_out_is_neither_chosen_nor_there() {
        let (schema, _folder) = schema();
        let without = Without { arms: [1].into(), constants: true };
        let texts = schema.texts("/w", &without);
        assert!(
            String::from_utf8_lossy(&texts.tree[0].1).contains("pub const fn f(a: u8) -> u8 {\n")
        );
        assert!(texts.beside.iter().all(|(name, _)| name != "f0.rs" && name != "m1.rs"));
        assert!(schema.arms(&without).all(|(_, number, function)| number > 1 && function == 1));
        assert_eq!(number_of("/w/m12.rs", "/w"), Some(12));
        assert_eq!(number_of("/w/f12.rs", "/w"), None);
    }
}
