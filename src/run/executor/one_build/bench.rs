//! A worker's copy of the tree that holds many mutants, and its build.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use rayon::prelude::*;

use super::super::Lab;
use super::diagnostics::Errors;
use super::schema::{CHOSEN, Constants, ENTERED, NONE, Schema, TRACE, Texts, Without};
use crate::base::Argv;
use crate::run::seat::Seat;
use crate::run::trial::BUILD_LIMIT;
use crate::run::workspace::{Scope, WorkspaceError};
use crate::run::{Attempt, Exit, Run, RunError, Step};
use crate::task::{CargoBuild, Messages};

/// Builds before this is given up. One fails for each crate that another one needs, as a rule.
const MOST_ROUNDS: usize = 24;

/// Takes what a command writes on stdout past the log, whose middle may be cut out.
const TO_FILE: &str = "exec \"$@\" >\"$0\"";

/// Where the compiler's messages go.
const MESSAGES: &str = "messages";

/// Stands in for `rustdoc` in the first run: what follows its mark was entered by documentation tests, and
/// where `rustdoc` can be told how to run these, each is kept as it was compiled.
const KEEPING: (&str, &str) = (
    "keeping",
    r#"#!/bin/sh
here=${0%/*}
echo doc >>"$here/entered"
rustdoc --help | grep -q -e --test-runtool || exec rustdoc "$@"
place="$here/kept/$(printf %s "$*" | cksum | tr -c 0-9 -)"
mkdir -p "$place"
rustdoc "$@" --test-runtool "$here/keep" --test-runtool-arg "$place" || exit
[ -e "$place/odd" ] || echo >"$place/complete"
"#,
);

/// Runs a documentation test, and keeps the program with its directory and status. What is called with
/// words of its own is no single test.
const KEEP: (&str, &str) = (
    "keep",
    r#"#!/bin/sh
place=$1
shift
if [ $# -ne 1 ] || [ -n "$RUSTDOC_DOCTEST_BIN_PATH" ]; then
    echo >"$place/odd"
    exec "$@"
fi
one=$(mktemp -d "$place/XXXXXX") && cp "$1" "$one/program" && pwd >"$one/directory" || exit
"$@"
status=$?
echo $status >"$one/status"
exit $status
"#,
);

/// Stands in for `rustdoc` after that: runs what was kept, up to the first that ends otherwise.
const REPLAYING: (&str, &str) = (
    "replaying",
    r#"#!/bin/sh
here=${0%/*}
echo doc >>"$here/entered"
place="$here/kept/$(printf %s "$*" | cksum | tr -c 0-9 -)"
[ -e "$place/complete" ] || exec rustdoc "$@"
for one in "$place"/*/; do
    [ -e "$one/program" ] || continue
    (cd "$(cat "$one/directory")" && exec "$one/program")
    status=$?
    [ $status -lt 128 ] || echo "(signal: $((status - 128)))"
    [ $((status == 0)) -eq $(($(cat "$one/status") == 0)) ] || exit 101
done
"#,
);

/// What the program that stands in for `rustdoc` writes.
const MARK: &str = "doc";

/// Stands in for `rustdoc` where its tests are left out.
const NO_RUSTDOC: &str = "true";

/// The functions that were entered.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Entered {
    /// By the programs that cargo built.
    pub(super) programs: BTreeSet<usize>,
    /// By documentation tests; `None` where the command runs none.
    pub(super) documentation: Option<BTreeSet<usize>>,
}

/// What is run on a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// The unmutated bodies, and a note of each function that is entered; documentation tests are kept.
    Keeping,
    /// The same with what was kept.
    Noting,
    /// The unmutated bodies or, by its number, a mutant.
    Chosen(u32),
    /// The same without documentation tests.
    WithoutDocumentation(u32),
}

/// A worker's build.
pub(super) struct Bench {
    seat: Seat,
    /// The files beside the tree.
    folder: PathBuf,
    /// Whether it can still be brought back after each run.
    pub(super) is_whole: bool,
    /// Functions that ran while it was built.
    pub(super) while_building: BTreeSet<usize>,
}

/// What stands for a build that cannot be used: why not.
type Aside<T> = Result<T, String>;

/// The build of each worker, and which mutants had to be left out for it to compile.
pub(super) fn all(
    lab: &Lab<'_>,
    schema: &Schema,
    commands: &[usize],
) -> Result<Aside<(Vec<Bench>, Without)>, RunError> {
    let (first, without) = match find(lab, schema, commands)? {
        Ok(found) => found,
        Err(why) => return Ok(Err(why)),
    };
    let others = 1..lab.seats.len();
    // Below a layer nothing changes what is built: one build serves everybody.
    let others = if lab.covered.load(Ordering::SeqCst) {
        Ok(others.map(|worker| first.beside(lab, worker)).collect())
    } else {
        let others = others.into_par_iter();
        let others = others.map(|worker| Bench::make(lab, worker, schema, &without, commands));
        let made = lab.pool.install(|| others.collect::<Result<Vec<_>, RunError>>())?;
        made.into_iter().collect::<Aside<Vec<_>>>()
    };
    Ok(others.map(|others| (std::iter::once(first).chain(others).collect(), without)))
}

/// The first worker's build.
fn find(
    lab: &Lab<'_>,
    schema: &Schema,
    commands: &[usize],
) -> Result<Aside<(Bench, Without)>, RunError> {
    let mut without = Without::default();
    let _turn = lab.seat(0);
    let mut bench = match Bench::open(lab, 0) {
        Ok(bench) => bench,
        Err(error) => return Ok(Err(error.to_string())),
    };
    for round in 0..MOST_ROUNDS {
        let errors = match bench.build(lab, schema, &without, commands, round)? {
            Ok(None) if without.constants == Constants::Checked => {
                without.constants = Constants::Gone;
                continue;
            }
            Ok(None) => {
                let settled = bench.settle(lab, commands)?;
                return Ok(settled.map(|bench| (bench, without)));
            }
            Ok(Some(errors)) => errors,
            Err(why) => return Ok(Err(why)),
        };
        let fewer = errors.arms.difference(&without.arms).count();
        without.arms.extend(&errors.arms);
        if fewer > 0 {
            continue;
        }
        if without.constants == Constants::Kept {
            let said = errors.others.first().map_or("nothing", String::as_str);
            return Ok(Err(format!("the tree with all mutants does not build: {said}")));
        }
        // What is wrong beside the mutants may be that a constant needs a function.
        without.constants = Constants::Kept;
    }
    Ok(Err(format!("the tree with all mutants does not build in {MOST_ROUNDS} rounds")))
}

impl Bench {
    /// The same build once more for another worker, in a copy of its own.
    fn make(
        lab: &Lab<'_>,
        worker: usize,
        schema: &Schema,
        without: &Without,
        commands: &[usize],
    ) -> Result<Aside<Self>, RunError> {
        let _turn = lab.seat(worker);
        let mut bench = match Self::open(lab, worker) {
            Ok(bench) => bench,
            Err(error) => return Ok(Err(error.to_string())),
        };
        match bench.build(lab, schema, without, commands, 0)? {
            Ok(None) => bench.settle(lab, commands),
            Ok(Some(_)) => Ok(Err("it builds for one worker and not for another".to_owned())),
            Err(why) => Ok(Err(why)),
        }
    }

    /// This build for another worker, who writes in layers of its own above it.
    fn beside(&self, lab: &Lab<'_>, worker: usize) -> Self {
        Self {
            seat: self.seat.beside(lab.task, worker),
            folder: self.folder.clone(),
            is_whole: true,
            while_building: self.while_building.clone(),
        }
    }

    fn open(lab: &Lab<'_>, worker: usize) -> Result<Self, WorkspaceError> {
        let folder = lab.seats.len() + worker;
        let mut seat = Seat::create(lab.task, (&lab.scratch, &lab.golden), (worker, folder))?;
        seat.workspace.get_used_to(lab.usually_left());
        let folder = seat.workspace.path().join("cache/one-build");
        Ok(Self { seat, folder, is_whole: true, while_building: BTreeSet::new() })
    }

    /// Builds the product of each of the commands or, where a `const fn` is none any more, what it tests;
    /// the errors of the first that does not build.
    fn build(
        &mut self,
        lab: &Lab<'_>,
        schema: &Schema,
        without: &Without,
        commands: &[usize],
        round: usize,
    ) -> Result<Aside<Option<Errors>>, RunError> {
        let Some(folder) = self.folder.to_str().map(str::to_owned) else {
            return Ok(Err("the temporary directory has no UTF-8 name".to_owned()));
        };
        let texts = schema.texts(&folder, without);
        let put = self.seat.workspace.write(&texts.tree).map_err(|error| error.to_string());
        let put = put.and_then(|()| self.put(&texts).map_err(|error| error.to_string()));
        if let Err(why) = put {
            return Ok(Err(why));
        }
        for &command in commands {
            let builds = CargoBuild::of(lab.argv(command)).and_then(|build| build.messages);
            let Messages { product, tests } = builds.expect("only such commands are offered this");
            let (product, tests) = ((product, ".product"), (tests, ".build"));
            let builds = match without.constants {
                Constants::Checked => vec![product],
                Constants::Gone => vec![tests],
                Constants::Kept => vec![product, tests],
            };
            for (argv, end) in builds {
                let name = format!("one-build-w{}-{round}", self.seat.worker);
                let log = lab.log_name(&name, Step::Command(command), end);
                match self.compile(lab, (&argv, &folder), command, log)? {
                    Ok(None) => {}
                    found => return Ok(found),
                }
            }
        }
        Ok(Ok(None))
    }

    /// The errors of one build, if it fails.
    fn compile(
        &mut self,
        lab: &Lab<'_>,
        (argv, folder): (&Argv, &str),
        command: usize,
        log: String,
    ) -> Result<Aside<Option<Errors>>, RunError> {
        let messages = format!("{folder}/{MESSAGES}");
        let words = ["sh", "-c", TO_FILE, &messages].map(str::to_owned);
        let words = words.into_iter().chain(argv.words().iter().cloned()).collect();
        let argv = Argv::new(words).expect("words without NUL");
        let (step, first) = (Step::Command(command), Attempt::First);
        let run = lab.spawn(&mut self.seat, &argv, BUILD_LIMIT, step, first, log)?;
        let said = fs::read(&messages).unwrap_or_default();
        Ok(match run.exit {
            Exit::Code(0) => Ok(None),
            Exit::Code(_) => Ok(Some(Errors::read(&said, folder))),
            other => Err(format!("its build: {other}")),
        })
    }

    fn put(&self, texts: &Texts) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        for (name, text) in &texts.beside {
            let path = self.folder.join(name);
            // Only what is new: cargo tells changes by time.
            if fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
                fs::write(path, text)?;
            }
        }
        if !self.folder.join(ENTERED).exists() {
            fs::write(self.folder.join(ENTERED), "")?;
            for (name, text) in [KEEPING, KEEP, REPLAYING] {
                let path = self.folder.join(name);
                fs::write(&path, text)?;
                fs::set_permissions(path, Permissions::from_mode(0o755))?;
            }
        }
        fs::write(self.folder.join(CHOSEN), TRACE.to_le_bytes())
    }

    /// Makes the built tree what every run starts from, with the documentation tests that a run of each
    /// command compiles.
    fn settle(mut self, lab: &Lab<'_>, commands: &[usize]) -> Result<Aside<Self>, RunError> {
        self.while_building = Entered::read(&self.folder.join(ENTERED)).programs;
        let cleared = fs::write(self.folder.join(ENTERED), "")
            .and_then(|()| fs::write(self.folder.join(CHOSEN), NONE.to_le_bytes()))
            .and_then(|()| fs::remove_file(self.folder.join(MESSAGES)));
        let settled = cleared.map_err(|error| error.to_string());
        if let Err(why) = settled.and_then(|()| self.adopt(Scope::Everything)) {
            return Ok(Err(why));
        }
        for &command in commands {
            let (step, limit) = (Step::Command(command), lab.limit(command));
            let log = lab.log_name(&format!("one-build-w{}", self.seat.worker), step, ".keep");
            let run = self.start(lab, step, &What::Keeping, limit, log)?;
            let kept = if run.passed() {
                fs::write(self.folder.join(ENTERED), "").map_err(|error| error.to_string())
            } else {
                Err(failed(lab, command, &run))
            };
            if let Err(why) = kept.and_then(|()| self.adopt(Scope::Caches)) {
                return Ok(Err(why));
            }
        }
        self.seat.warm = true;
        Ok(Ok(self))
    }

    fn adopt(&mut self, scope: Scope) -> Aside<()> {
        let unclean = || "its build left processes that could not be ended".to_owned();
        let certificate = self.seat.certificate.take().ok_or_else(unclean)?;
        let adopted = self.seat.workspace.adopt(scope, &certificate);
        let back = adopted.and_then(|()| self.seat.workspace.reset(certificate));
        back.map_err(|error| error.to_string())
    }

    /// Runs a command with no mutant chosen, which must pass: the functions that it enters, and its time.
    pub(super) fn note(
        &mut self,
        lab: &Lab<'_>,
        command: usize,
        number: usize,
    ) -> Result<Aside<(Entered, Duration)>, RunError> {
        let _turn = lab.seat(self.seat.worker);
        let step = Step::Command(command);
        let name = format!("one-build-w{}-{number}", self.seat.worker);
        let (log, limit) = (lab.log_name(&name, step, ".trace"), lab.limit(command));
        let (run, entered) = self.run(lab, step, What::Noting, limit, log)?;
        if run.passed() && self.is_whole {
            return Ok(Ok((entered, run.wall)));
        }
        Ok(Err(failed(lab, command, &run)))
    }

    /// Runs a command, and brings the tree back; with the functions that were noted.
    pub(super) fn run(
        &mut self,
        lab: &Lab<'_>,
        step: Step,
        what: What,
        limit: Duration,
        log: String,
    ) -> Result<(Run, Entered), RunError> {
        if lab.covered.load(Ordering::SeqCst) {
            self.seat.workspace.cover()?;
        }
        let mut run = self.start(lab, step, &what, limit, log)?;
        let entered = Entered::read(&self.seat.workspace.written(&self.folder).join(ENTERED));
        let certificate = self.seat.certificate.take();
        let is_back = certificate.is_some_and(|it| lab.bring_back(&mut self.seat, it));
        self.is_whole = self.is_whole && is_back;
        run.outside_budget = lab.outside_budget(&mut self.seat, &[]);
        Ok((run, entered))
    }

    fn start(
        &mut self,
        lab: &Lab<'_>,
        step: Step,
        what: &What,
        limit: Duration,
        log: String,
    ) -> Result<Run, RunError> {
        let Step::Command(command) = step else { unreachable!("executors run commands") };
        let beside = |name: &str| format!("{}/{name}", self.folder.display());
        let (chosen, rustdoc) = match *what {
            What::Keeping => (TRACE, beside(KEEPING.0)),
            What::Noting => (TRACE, beside(REPLAYING.0)),
            What::Chosen(number) => (number, beside(REPLAYING.0)),
            What::WithoutDocumentation(number) => (number, NO_RUSTDOC.to_owned()),
        };
        // Under an overlay mount, what is put there goes where the command writes.
        let there = self.seat.workspace.written(&self.folder);
        let put = fs::create_dir_all(&there)
            .and_then(|()| fs::write(there.join(CHOSEN), chosen.to_le_bytes()));
        put.map_err(|error| RunError::Log { path: there, error })?;
        let usual = self.seat.environment.clone();
        self.seat.environment = usual.clone().with("RUSTDOC", &rustdoc);
        let argv = lab.argv(command);
        let run = lab.spawn(&mut self.seat, argv, limit, step, Attempt::First, log);
        self.seat.environment = usual;
        run
    }
}

fn failed(lab: &Lab<'_>, command: usize, run: &Run) -> String {
    let id = &lab.task.commands[command].id;
    format!("`{id}` does not pass on the build of all mutants: {}", run.exit)
}

impl Entered {
    /// What was noted in this file; nothing where there is none.
    fn read(notes: &Path) -> Self {
        let text = fs::read_to_string(notes).unwrap_or_default();
        let lines = text.lines().collect::<Vec<_>>();
        let mark = lines.iter().position(|line| *line == MARK);
        let (programs, documentation) = lines.split_at(mark.unwrap_or(lines.len()));
        Self { programs: numbers(programs), documentation: mark.map(|_| numbers(documentation)) }
    }
}

fn numbers(lines: &[&str]) -> BTreeSet<usize> {
    lines.iter().filter_map(|line| line.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_kept_documentation_test_ends_as_before_or_fails() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let executable = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).expect("a program");
            fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("its mode");
            path
        };
        let run = |program: &Path, words: &[&str]| {
            let ran = Command::new(program).args(words).output().expect("it starts");
            (ran.status.code(), String::from_utf8_lossy(&ran.stdout).into_owned())
        };
        let key = "printf %s \"$*\" | cksum | tr -c 0-9 -";
        let key = run(Path::new("sh"), &["-c", key, "sh", "--test", "a.rs"]).1;
        let place = folder.path().join("kept").join(key);
        fs::create_dir_all(&place).expect("a folder");
        let (keep, place) = (executable(KEEP.0, KEEP.1), place.to_str().expect("text"));
        let state = folder.path().join("state");
        let state = state.to_str().expect("text");
        fs::write(state, "0").expect("a file");
        let says = format!("#!/bin/sh\nexit $(cat {state})\n");
        let [passing, panicking] = [says.as_str(), "#!/bin/sh\nexit 101\n"].map(|text| {
            let program = executable("program", text);
            run(&keep, &[place, program.to_str().expect("text")]).0
        });
        assert_eq!((passing, panicking), (Some(0), Some(101)));
        fs::write(Path::new(place).join("complete"), "").expect("a mark");
        let replaying = executable(REPLAYING.0, REPLAYING.1);
        let replayed = || run(&replaying, &["--test", "a.rs"]);
        assert_eq!(replayed(), (Some(0), String::new()));
        fs::write(state, "1").expect("a file");
        assert_eq!(replayed(), (Some(101), String::new()));
        fs::write(state, "134").expect("a file");
        assert_eq!(replayed(), (Some(101), "(signal: 6)\n".to_owned()));
    }

    #[test]
    fn what_follows_the_mark_is_of_documentation() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let path = folder.path().join(ENTERED);
        assert_eq!(Entered::read(&path), Entered::default());
        for (text, documentation) in
            [("3\n1\n3\n", None), ("3\n1\ndoc\n3\ndoc\n7\n", Some([3, 7].into()))]
        {
            fs::write(&path, text).expect("notes");
            let expected = Entered { programs: [1, 3].into(), documentation };
            assert_eq!(Entered::read(&path), expected, "{text:?}");
        }
    }
}
