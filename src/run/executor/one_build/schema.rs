//! One tree that holds many mutants: each function that has some begins with a line that takes in a
//! file beside the tree, which chooses among bodies, each of them a file of its own.
//!
//! A body is the text that the exact path would put there, at the line and column where it would stand.
//! It is chosen by a number in a file whose path is part of the program, so no environment that a test
//! clears can hide it, and everything else of the function is as it was.

use std::collections::{BTreeMap, BTreeSet};
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
    /// Lints that are errors in the tree and would be allowed where the bodies stand.
    denied: Vec<String>,
}

/// What is left out of a schema.
#[derive(Default, Clone)]
pub(super) struct Without {
    /// Numbers of mutants.
    pub(super) arms: BTreeSet<u32>,
    /// What of a `const fn`.
    pub(super) constants: Constants,
}

/// What becomes of the word `const` of a function that has mutants: what chooses a body runs.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Constants {
    /// It stays and nothing is chosen, so that the compiler refuses what no `const fn` may do.
    #[default]
    Checked,
    /// It goes.
    Gone,
    /// It stays, and the function's mutants are left out.
    Kept,
}

/// The files of a schema: those of the tree, and those beside it by name.
pub(super) struct Texts {
    pub(super) tree: Vec<(RelPath, Vec<u8>)>,
    pub(super) beside: Vec<(String, String)>,
}

impl Schema {
    /// Those of the mutants at the places `todo` whose edit stands in the body of one function; `denied`
    /// are lints that must stay errors.
    pub(super) fn of(
        plan: &Plan,
        todo: &[usize],
        tree: &Snapshot,
        denied: Vec<String>,
    ) -> Result<Self, TreeError> {
        let mut by_file = BTreeMap::<u32, Vec<&Mutant>>::new();
        for mutant in todo.iter().map(|&place| &plan.mutants[place]) {
            let file = plan.file(mutant);
            let is_plain = file.language == Language::Rust && !file.is_absent;
            if is_plain && mutant.is_of_one_file() && !mutant.class.is_never_unviable() {
                by_file.entry(mutant.edit.file).or_default().push(mutant);
            }
        }
        let mut schema =
            Self { files: Vec::new(), functions: Vec::new(), arms: Vec::new(), denied };
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
        without.constants != Constants::Kept || function.host.constness.is_none()
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
            let chooser = match (&function.host.constness, without.constants) {
                (Some(_), Constants::Checked) => self.unchosen(folder, &arms[number]),
                (Some(word), _) => {
                    // As long as it was, so that no column moves.
                    edits[function.file].push((word.clone(), b"     ".to_vec()));
                    self.chooser(folder, number, &arms[number])
                }
                (None, _) => self.chooser(folder, number, &arms[number]),
            };
            edits[function.file].push((start..start, line.into_bytes()));
            beside.push((name, chooser));
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

    /// Reads which mutant is chosen, once, and returns its body's value where it is one of these. A process
    /// that cannot read that ends by a signal, which no verdict rests on.
    fn chooser(&self, folder: &str, function: usize, arms: &[u32]) -> String {
        let path = |name: &str| format!("{:?}", format!("{folder}/{name}"));
        let (chosen, entered) = (path(CHOSEN), path(ENTERED));
        let (levels, bodies) = (self.levels(), bodies(folder, arms));
        format!(
            "{{ {levels}
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
{bodies}            _ => (),
        }}
    }};
}}
"
        )
    }

    /// The bodies where a `const fn` allows them. What they hang on is no value that the compiler knows
    /// before it looks at what they do.
    fn unchosen(&self, folder: &str, arms: &[u32]) -> String {
        let (levels, bodies) = (self.levels(), bodies(folder, arms));
        format!(
            "{{ {levels}
    let () = {{
        extern crate core as __adequacy_core;
        match __adequacy_core::mem::size_of::<()>() {{
{bodies}            _ => (),
        }}
    }};
}}
"
        )
    }

    /// What is unused here is not in the tree, but the bodies are.
    fn levels(&self) -> String {
        let denied = self.denied.iter().map(|lint| format!(" #[deny({lint})]"));
        format!("#[allow(unused)]{}", denied.collect::<String>())
    }
}

fn bodies(folder: &str, arms: &[u32]) -> String {
    let body = |number| format!("{:?}", format!("{folder}/{}", body_name(number)));
    let arm =
        |number: &u32| format!("            {number} => return include!({}),\n", body(*number));
    arms.iter().map(arm).collect()
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use serde_json::Value;

    use super::super::lints::{OWN_UNUSED, is_own};
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
        (Schema::of(&plan, &all, &tree, Vec::new()).expect("it can be read"), folder)
    }

    #[test]
    fn each_mutant_is_a_body_at_its_own_place() {
        let (schema, _folder) = schema();
        let gone = Without { constants: Constants::Gone, ..Without::default() };
        let texts = schema.texts("/w", &gone);
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
        let without = Without { arms: [1].into(), constants: Constants::Kept };
        let texts = schema.texts("/w", &without);
        assert!(
            String::from_utf8_lossy(&texts.tree[0].1).contains("pub const fn f(a: u8) -> u8 {\n")
        );
        assert!(texts.beside.iter().all(|(name, _)| name != "f0.rs" && name != "m1.rs"));
        assert!(schema.arms(&without).all(|(_, number, function)| number > 1 && function == 1));
        assert_eq!(number_of("/w/m12.rs", "/w"), Some(12));
        assert_eq!(number_of("/w/f12.rs", "/w"), None);
    }

    /// A lint, items, and the body of a function of the number `a` that meets it in the place of `{ a }`
    /// or of what is given.
    type Case = (&'static str, &'static str, &'static str, Option<&'static str>);

    const LINTS: &[Case] = &[
        ("array_into_iter", "", "{ [a].into_iter().count() as u8 }", None),
        ("bare_trait_objects", "", "{ let _b: Box<Fn()> = Box::new(|| ()); a }", None),
        ("deprecated", "#[deprecated] pub fn old() {}", "{ old(); a }", None),
        ("dropping_copy_types", "", "{ drop(a); a }", None),
        (
            "elided_lifetimes_in_paths",
            "pub struct S<'a>(&'a u8); impl<'a> S<'a> { pub fn new(a: &'a u8) -> S<'a> { S(a) } }",
            "{ let b: S = S::new(&a); *b.0 }",
            None,
        ),
        ("ellipsis_inclusive_range_patterns", "", "{ match a { 0...3 => 1, _ => 2 } }", None),
        ("irrefutable_let_patterns", "", "{ if let b = a { b } else { 1 } }", None),
        ("let_underscore_drop", "", "{ let _ = String::new(); a }", None),
        ("non_fmt_panics", "", "{ if a == 1 { panic!(\"{}\") } a }", None),
        ("non_snake_case", "", "{ let B = a; B }", None),
        ("non_upper_case_globals", "", "{ const b: u8 = 1; a + b }", None),
        ("non_camel_case_types", "", "{ struct b(u8); b(a).0 }", None),
        ("noop_method_call", "pub struct N;", "{ let _b = (&N).clone(); a }", None),
        ("overflowing_literals", "", "{ let b: u8 = 256; a & b }", None),
        ("trivial_casts", "", "{ let b = &a as &u8; *b }", None),
        ("trivial_numeric_casts", "", "{ a as u8 }", None),
        ("unsafe_code", "", "{ let b = [a]; unsafe { *b.as_ptr() } }", None),
        ("unused_comparisons", "", "{ if a >= 0 { a } else { 1 } }", None),
        (
            "unused_qualifications",
            "",
            "{ use std::cmp::max; max(a, 1) + std::cmp::max(a, 2) }",
            None,
        ),
        ("unused_results", "pub fn one() -> u8 { 1 }", "{ one(); a }", None),
        ("while_true", "", "{ while true { if a == 1 { break } } a }", None),
        // The compiler follows values through a function.
        ("arithmetic_overflow", "", "{ let b = 255u8; a & (b + 1) }", None),
        ("unconditional_panic", "", "{ let b = [a; 3]; let c = 3; b[c] }", None),
        // Of the group `unused`.
        ("map_unit_fn", "", "{ [vec![a]].iter_mut().map(|b| { b.sort(); }); a }", None),
        ("path_statements", "", "{ a; a }", None),
        ("redundant_semicolons", "", "{ let b = a;; b }", None),
        ("unreachable_code", "", "{ return a; 1 }", None),
        ("unreachable_patterns", "", "{ match a { _ => 2, 0 => 1 } }", None),
        ("unused_allocation", "", "{ Box::new([a]).len() as u8 }", None),
        ("unused_doc_comments", "", "{ /** one */ match a { b => b } }", None),
        ("unused_labels", "", "{ 'b: loop { break } a }", None),
        ("unused_must_use", "", "{ Ok::<u8, u8>(1); a }", None),
        ("unused_parens", "", "{ let b = (a); b }", None),
        ("unused_unsafe", "", "{ unsafe { a } }", None),
        // What one build would not meet.
        (
            "dead_code",
            "mod private { pub fn one() -> u8 { 1 } }",
            "{ a }",
            Some("{ private::one() + a }"),
        ),
        ("unconditional_recursion", "", "{ SELF(a) }", None),
        ("unused_assignments", "", "{ mut_a = 1; mut_a }", Some("{ mut_a += 1; mut_a }")),
        ("unused_imports", "use std::cmp::min;", "{ a }", Some("{ min(a, 1) }")),
        ("unused_macros", "macro_rules! own { () => { 1 } }", "{ a }", Some("{ a + own!() }")),
        ("unused_mut", "", "{ mut_a }", Some("{ mut_a += 1; mut_a }")),
        ("unused_variables", "", "{ 1 }", None),
    ];

    /// The lints that a crate in this folder meets, each with the place that `of` sees in it; as warnings, so
    /// that none of them keeps the compiler from what it looks at later.
    fn met(folder: &Path, of: impl Fn(&Value) -> Option<usize>) -> BTreeSet<(usize, String)> {
        let levels = LINTS.iter().flat_map(|(lint, ..)| ["-W", lint]);
        // Not its metadata alone, for which the compiler follows no values.
        let words = ["--edition=2018", "--crate-type=lib", "--error-format=json"];
        let mut rustc = Command::new("rustc");
        let rustc = rustc.args(words).args(levels).arg("lib.rs").current_dir(folder);
        let said = rustc.output().expect("the compiler starts").stderr;
        let said = String::from_utf8(said).expect("text");
        let said = said.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let said = said.inspect(|said| assert!(said["level"] != "error", "{said}"));
        let met = said.filter_map(|said| {
            let places = said["spans"].as_array().expect("places");
            let place = places.iter().filter(|it| it["is_primary"] == true).find_map(&of)?;
            Some((place, said["code"]["code"].as_str()?.to_owned()))
        });
        met.collect()
    }

    #[test]
    fn lints_are_met_beside_other_bodies_but_for_those_that_look_further() {
        let own = |number: usize, text: &str| {
            text.replace("SELF", &format!("f{number}")).replace("mut_a", "b")
        };
        let mut source = String::new();
        let mut hosts_at = Vec::new();
        let mut alone = String::new();
        for (number, (_, items, body, original)) in LINTS.iter().enumerate() {
            let is_mutable = body.contains("mut_a");
            let parameter = if is_mutable { "mut b" } else { "a" };
            let start = format!("{items} pub fn f{number}({parameter}: u8) -> u8 ");
            hosts_at.push(source.len() + start.len());
            source += &format!("{start}{}\n", own(number, original.unwrap_or("{ a }")));
            alone += &format!("{start}{}\n", own(number, body));
        }
        let [one, other] = [(); 2].map(|()| tempfile::tempdir().expect("a scratch folder"));
        fs::write(other.path().join("lib.rs"), alone).expect("a file");
        let alone = met(other.path(), |at| Some(at["line_start"].as_u64()? as usize - 1));

        let path = RelPath::new(b"lib.rs").expect("a path");
        let functions = hosts(source.as_bytes());
        let at = |start: &usize| functions.iter().position(|host| host.body.start == *start);
        let arms =
            LINTS.iter().enumerate().zip(&hosts_at).map(|((number, (_, _, body, _)), start)| Arm {
                key: (path.clone(), Sha256::of(body.as_bytes())),
                function: at(start).expect("a function"),
                body: own(number, body),
            });
        let schema = Schema {
            arms: arms.collect(),
            files: vec![(path, source.into_bytes())],
            functions: functions.into_iter().map(|host| Function { file: 0, host }).collect(),
            denied: OWN_UNUSED.iter().map(ToString::to_string).collect(),
        };
        let gone = Without { constants: Constants::Gone, ..Without::default() };
        let folder = one.path().to_str().expect("text");
        let texts = schema.texts(folder, &gone);
        fs::write(one.path().join("lib.rs"), &texts.tree[0].1).expect("a file");
        for (name, text) in texts.beside {
            // As `met` asks for them.
            fs::write(one.path().join(name), text.replace("deny", "warn")).expect("a file");
        }
        let beside =
            met(one.path(), |at| Some(number_of(at["file_name"].as_str()?, folder)? as usize - 1));
        for (number, (lint, ..)) in LINTS.iter().enumerate() {
            let case = (number, (*lint).to_owned());
            assert!(alone.contains(&case), "{lint} is not met alone");
            assert_eq!(beside.contains(&case), is_own(lint), "{lint}");
        }
    }
}
