//! One sandbox a test, calls of the program in it, and a failure that shows all there is to see.
//!
//! Every call checks, whatever else its test asks: the tree is as it was, no scratch directory and no
//! process is left.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// How long a call may last before it counts as hanging. Only a guard: no test measures time.
const HANGING: Duration = Duration::from_secs(300);

/// Where the fixture trees are.
pub(crate) fn trees() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/trees")
}

/// A private directory: `tree` (if any), `home`, `tmp`, and what a test adds. Calls run in its root.
pub(crate) struct Sandbox {
    root: PathBuf,
    /// Removed when the test is over.
    _folder: TempDir,
}

impl Sandbox {
    /// Without a tree.
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("cli-").tempdir().expect("a temporary folder");
        let root = folder.path().canonicalize().expect("it is there");
        for name in ["home", "tmp", ".streams"] {
            fs::create_dir(root.join(name)).expect("an empty folder takes it");
        }
        Self { root, _folder: folder }
    }

    /// With a copy of the fixture tree of this name as `tree`.
    pub(crate) fn with(tree: &str) -> Self {
        let sandbox = Self::new();
        copy(&trees().join(tree), &sandbox.path("tree"));
        sandbox
    }

    /// A path in it.
    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.root.join(below)
    }

    /// Writes a file, making the directories above it.
    pub(crate) fn write(&self, below: impl AsRef<OsStr>, text: impl AsRef<[u8]>) -> &Self {
        let path = self.root.join(Path::new(&below));
        fs::create_dir_all(path.parent().expect("below the root")).expect("folders");
        fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        self
    }

    /// The text of a file.
    pub(crate) fn read(&self, below: &str) -> String {
        let path = self.path(below);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The bytes of a file.
    pub(crate) fn bytes(&self, below: &str) -> Vec<u8> {
        let path = self.path(below);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The bytes of a file among the fixture trees.
    pub(crate) fn bytes_of(&self, fixture: &str) -> Vec<u8> {
        fs::read(trees().join(fixture)).unwrap_or_else(|error| panic!("{fixture}: {error}"))
    }

    /// A file of JSON.
    pub(crate) fn json(&self, below: &str) -> Value {
        serde_json::from_str(&self.read(below)).expect("JSON")
    }

    /// A file of one JSON value a line.
    pub(crate) fn lines(&self, below: &str) -> Vec<Value> {
        self.read(below).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// The program with these words, to be run in the sandbox's root.
    pub(crate) fn call<S: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = S>) -> Call<'_> {
        let words = words.into_iter().map(|word| word.as_ref().to_owned()).collect();
        Call {
            sandbox: self,
            program: PathBuf::from(env!("CARGO_BIN_EXE_adequacy")),
            words,
            cwd: self.root.clone(),
            environment: Vec::new(),
            writes_tree: false,
        }
    }

    /// `measure tree` with one baseline run and these words.
    pub(crate) fn measure(&self, words: &[&str]) -> Call<'_> {
        self.call(["measure", "tree", "--baselines", "1", "-j", "2"].iter().chain(words))
    }

    /// `seal tree` with one baseline run and these words.
    pub(crate) fn seal(&self, words: &[&str]) -> Call<'_> {
        self.call(["seal", "tree", "--baselines", "1", "-j", "2"].iter().chain(words))
    }

    /// The decided mutants of the run in `adequacy.out` as lines of text, in plan order: see
    /// [`outcome_lines`].
    pub(crate) fn outcomes(&self) -> Vec<String> {
        outcome_lines(self, "adequacy.out")
    }

    /// Every process with this sandbox in its environment or its words.
    pub(crate) fn processes(&self) -> Vec<String> {
        let mark = self.root.as_os_str().as_bytes();
        let holds = |text: &[u8]| text.windows(mark.len()).any(|window| window == mark);
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").expect("/proc").flatten() {
            let (cmdline, environ) = (entry.path().join("cmdline"), entry.path().join("environ"));
            let words = fs::read(cmdline).unwrap_or_default();
            if holds(&words) || fs::read(environ).is_ok_and(|text| holds(&text)) {
                let words = String::from_utf8_lossy(&words).replace('\0', " ");
                found.push(format!("{} {words}", entry.file_name().display()));
            }
        }
        found
    }

    /// What `tmp` holds, where scratch directories are made.
    pub(crate) fn scratch(&self) -> Vec<String> {
        names(&self.path("tmp"))
    }

    fn listing(&self) -> String {
        let mut text = String::new();
        for (path, what) in contents(&self.root, &|_| true).into_iter().take(200) {
            let _ = writeln!(text, "  {} {what}", path.display());
        }
        text
    }
}

/// A call that has not begun.
pub(crate) struct Call<'a> {
    sandbox: &'a Sandbox,
    program: PathBuf,
    words: Vec<OsString>,
    cwd: PathBuf,
    environment: Vec<(OsString, OsString)>,
    writes_tree: bool,
}

impl<'a> Call<'a> {
    /// Another working directory, below the sandbox's root.
    pub(crate) fn inside(mut self, below: &str) -> Self {
        self.cwd = self.sandbox.path(below);
        self
    }

    /// One more variable.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.environment.push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// Through another program, whose last words are this program's path and its words.
    pub(crate) fn through(mut self, program: &str, words: &[&str]) -> Self {
        let mut all: Vec<OsString> = words.iter().map(OsString::from).collect();
        all.push(std::mem::replace(&mut self.program, PathBuf::from(program)).into());
        all.append(&mut self.words);
        self.words = all;
        self
    }

    /// The tree may change: the test itself, or the call, is about that.
    pub(crate) fn writes_tree(mut self) -> Self {
        self.writes_tree = true;
        self
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.words)
            .current_dir(&self.cwd)
            .env_clear()
            .env("PATH", search_path())
            .env("HOME", self.sandbox.path("home"))
            .env("TMPDIR", self.sandbox.path("tmp"))
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        command
    }

    /// Starts it, to be signalled or waited for.
    pub(crate) fn start(self) -> Started<'a> {
        static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let stream = |name: &str| self.sandbox.path(&format!(".streams/{number}.{name}"));
        let (out, err) = (stream("out"), stream("err"));
        let mut command = self.command();
        // Files, for a pipe that nobody reads can fill.
        command.stdout(File::create(&out).expect("a file for stdout"));
        command.stderr(File::create(&err).expect("a file for stderr"));
        let before = tree_contents(self.sandbox);
        let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        Started { call: self, child, out, err, before }
    }

    /// Runs it to its end, and checks that nothing is left behind.
    pub(crate) fn run(self) -> Ran<'a> {
        self.start().wait().nothing_left()
    }
}

/// A call under way.
pub(crate) struct Started<'a> {
    call: Call<'a>,
    child: Child,
    out: PathBuf,
    err: PathBuf,
    before: BTreeMap<PathBuf, String>,
}

impl<'a> Started<'a> {
    /// Sends a signal to the program alone.
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).expect("it is not reaped yet");
    }

    /// Waits until `holds` says so; a program that ends first is a failure.
    pub(crate) fn until(&mut self, what: &str, holds: impl Fn() -> bool) {
        let begun = Instant::now();
        while !holds() {
            let ended = self.child.try_wait().expect("our child");
            assert!(ended.is_none(), "it ended before {what}: {}", self.err_so_far());
            assert!(begun.elapsed() < HANGING, "no {what} yet: {}", self.err_so_far());
            sleep(Duration::from_millis(5));
        }
    }

    fn err_so_far(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.err).unwrap_or_default()).into_owned()
    }

    /// Waits for its end.
    pub(crate) fn wait(mut self) -> Ran<'a> {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("our child") {
                break status;
            }
            if begun.elapsed() > HANGING {
                let _ = self.child.kill();
                panic!("it hangs: {:?}\n{}", self.call.words, self.err_so_far());
            }
            sleep(Duration::from_millis(2));
        };
        let text = |path: &Path| {
            String::from_utf8_lossy(&fs::read(path).expect("a stream's file")).into_owned()
        };
        let (out, err) = (text(&self.out), text(&self.err));
        Ran { call: self.call, status, out, err, before: self.before }
    }
}

/// A call that ended.
pub(crate) struct Ran<'a> {
    call: Call<'a>,
    status: ExitStatus,
    /// Its stdout.
    pub(crate) out: String,
    /// Its stderr.
    pub(crate) err: String,
    before: BTreeMap<PathBuf, String>,
}

impl Ran<'_> {
    /// Fails the test, showing everything.
    pub(crate) fn fail(&self, why: &str) -> ! {
        panic!(
            "{why}\ncommand: {:?} {:?}\nin: {}\nstatus: {}\nstdout:\n{}\nstderr:\n{}\nlisting:\n{}",
            self.call.program,
            self.call.words,
            self.call.cwd.display(),
            self.status,
            self.out,
            self.err,
            self.call.sandbox.listing()
        )
    }

    /// It ended by itself with this status.
    pub(crate) fn exits(&self, code: i32) -> &Self {
        if self.status.code() != Some(code) {
            self.fail(&format!("expected exit {code}"));
        }
        self
    }

    /// It ended by itself with one of these statuses, which is given.
    pub(crate) fn exits_one_of(&self, codes: &[i32]) -> i32 {
        match self.status.code() {
            Some(code) if codes.contains(&code) => code,
            _ => self.fail(&format!("expected one of the exits {codes:?}")),
        }
    }

    /// This signal ended it.
    pub(crate) fn dies_of(&self, signal: i32) -> &Self {
        if self.status.signal() != Some(signal) {
            self.fail(&format!("expected to die of signal {signal}"));
        }
        self
    }

    /// Its stdout holds this.
    pub(crate) fn says(&self, text: &str) -> &Self {
        if !self.out.contains(text) {
            self.fail(&format!("expected on stdout: {text}"));
        }
        self
    }

    /// Its stderr holds this.
    pub(crate) fn tells(&self, text: &str) -> &Self {
        if !self.err.contains(text) {
            self.fail(&format!("expected on stderr: {text}"));
        }
        self
    }

    /// Neither stream holds this.
    pub(crate) fn never_says(&self, text: &str) -> &Self {
        if self.out.contains(text) || self.err.contains(text) {
            self.fail(&format!("not expected: {text}"));
        }
        self
    }

    /// The last line of its stdout is this line of totals.
    pub(crate) fn totals(&self, line: &str) -> &Self {
        if self.out.lines().last() != Some(line) {
            self.fail(&format!("expected as the last line of stdout: {line}"));
        }
        self
    }

    /// What it says is equal, or everything is shown.
    #[expect(clippy::needless_pass_by_value, reason = "a test reads better so")]
    pub(crate) fn same<T: PartialEq + std::fmt::Debug>(&self, found: T, expected: T) -> &Self {
        if found != expected {
            self.fail(&format!("found    {found:#?}\nexpected {expected:#?}"));
        }
        self
    }

    /// The tree is as it was, and no scratch directory and no process is left.
    pub(crate) fn nothing_left(self) -> Self {
        let sandbox = self.call.sandbox;
        let after = tree_contents(sandbox);
        if !self.call.writes_tree && after != self.before {
            let changed = self.before.iter().chain(&after).find(|(path, what)| {
                self.before.get(*path) != Some(what) || after.get(*path) != Some(what)
            });
            self.fail(&format!("the tree has changed: {changed:?}"));
        }
        let (scratch, processes) = (sandbox.scratch(), sandbox.processes());
        if !scratch.is_empty() {
            self.fail(&format!("scratch is left: {scratch:?}"));
        }
        if !processes.is_empty() {
            self.fail(&format!("processes are left: {processes:#?}"));
        }
        self
    }
}

/// The decided mutants of a run directory, in plan order, as `path:line operator before -> after:
/// outcome`; then what no outcome stands for, with the reason.
pub(crate) fn outcome_lines(sandbox: &Sandbox, output: &str) -> Vec<String> {
    let run = sandbox.json(&format!("{output}/run.json"));
    let decided = sandbox.lines(&format!("{output}/outcomes.jsonl"));
    let decided: BTreeMap<_, _> =
        decided.iter().skip(1).map(|line| (line["id"].to_string(), line)).collect();
    let command = |line: &Value| {
        let place = usize::try_from(line["command"].as_u64().expect("a place")).expect("small");
        run["commands"][place]["id"].as_str().expect("an id").to_owned()
    };
    let word = |line: &Value, name: &str| line[name].as_str().unwrap_or_default().to_owned();
    let what = |row: &Value| match decided.get(&row["id"].to_string()) {
        None => word(row, "not_counted").split(':').next().unwrap_or_default().to_owned(),
        Some(line) => match word(line, "outcome").as_str() {
            "killed" => format!("killed by {} ({})", command(line), word(line, "reason")),
            "undecided" => format!("undecided by {} ({})", command(line), word(line, "why")),
            other => other.to_owned(),
        },
    };
    let show = |row: &Value| {
        let [path, operator, before, after] =
            ["path", "operator", "before", "after"].map(|name| word(row, name));
        format!("{path}:{} {operator} {before} -> {after}: {}", row["line"], what(row))
    };
    sandbox.lines(&format!("{output}/mutants.jsonl")).iter().map(show).collect()
}

/// Copies a tree: files with their modes, directories, links as links.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a new folder");
    for entry in fs::read_dir(from).unwrap_or_else(|e| panic!("{}: {e}", from.display())) {
        let (from, to) = match entry {
            Ok(entry) => (entry.path(), to.join(entry.file_name())),
            Err(error) => panic!("{}: {error}", from.display()),
        };
        let meta = fs::symlink_metadata(&from).expect("an entry");
        if meta.is_dir() {
            copy(&from, &to);
        } else if meta.is_symlink() {
            let target = fs::read_link(&from).expect("a link");
            std::os::unix::fs::symlink(target, to).expect("a link");
        } else {
            fs::copy(&from, &to).expect("a file");
        }
    }
}

/// Names in a directory, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().display().to_string()).collect();
    names.sort();
    names
}

/// Everything below a directory that `wanted` lets through, by path: kind, mode and content.
pub(crate) fn contents(root: &Path, wanted: &dyn Fn(&Path) -> bool) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut todo = vec![root.to_owned()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let meta = fs::symlink_metadata(&path)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            if !wanted(&path) {
                continue;
            }
            let mode = meta.permissions().mode();
            let what = if meta.is_dir() {
                todo.push(path.clone());
                "directory".to_owned()
            } else if meta.is_symlink() {
                format!("link to {}", fs::read_link(&path).expect("a link").display())
            } else if meta.is_file() {
                let bytes = fs::read(&path).unwrap_or_default();
                format!(
                    "{} bytes, {:.8}",
                    meta.len(),
                    adequacy::base::Sha256::of(&bytes).to_string()
                )
            } else {
                format!("special {}", meta.rdev())
            };
            let below = path.strip_prefix(root).expect("below the root").to_owned();
            found.insert(below, format!("{mode:o} {what}"));
        }
    }
    found
}

/// What the tree holds, but for run directories named as by default.
fn tree_contents(sandbox: &Sandbox) -> BTreeMap<PathBuf, String> {
    let ours = |path: &Path| {
        path.file_name().is_some_and(|name| name.as_bytes().starts_with(b"adequacy.out"))
    };
    contents(&sandbox.path("tree"), &|path| !ours(path))
}

/// The caller's PATH, with the real interpreter's directory first: `python3` may be a slow shim.
pub(crate) fn search_path() -> &'static OsStr {
    static FOUND: OnceLock<OsString> = OnceLock::new();
    FOUND.get_or_init(|| {
        let ask = "import os, sys; sys.stdout.write(os.path.dirname(sys.executable))";
        let output = Command::new("python3").args(["-c", ask]).output().expect("python3");
        let mut path = OsStr::from_bytes(&output.stdout).to_owned();
        path.push(":");
        path.push(std::env::var_os("PATH").expect("a PATH"));
        path
    })
}

/// Makes a file executable.
pub(crate) fn executable(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("our own file");
}

/// Says what this machine lacks, for whoever reads a test's output.
#[expect(clippy::print_stdout, reason = "the output of a test is its stdout")]
pub(crate) fn note(text: &str) {
    println!("{text}");
}

/// Adds a line to a file.
pub(crate) fn append(path: &Path, text: &str) {
    let mut file = fs::OpenOptions::new().append(true).open(path).expect("a file");
    file.write_all(text.as_bytes()).expect("room for it");
}
