//! What the tests run commands with.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::Duration;

use adequacy::run::environment::{Environment, Places};
use adequacy::run::sandbox::{self, Isolation, Landlock, Network, Sandbox, Wish};
use adequacy::run::spawn::{CommandSpec, Finished, OUTPUT_LIMIT, Spawner};

/// Marks a test's processes for a search that does not trust the spawner's own.
pub(crate) const MARK: &str = "ADEQUACY_TEST_MARK";

/// A start of a Python command that says in which PID namespace it is: see [`Bench::nothing_left`].
pub(crate) const NAMESPACE: &str =
    "import os\nopen('namespace', 'w').write(os.readlink('/proc/self/ns/pid'))\n";

/// Our binary; the tests of another user find a copy that they can start.
pub(crate) fn helper() -> PathBuf {
    std::env::var_os("ADEQUACY_TEST_HELPER")
        .map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_adequacy")), PathBuf::from)
}

/// Says what this machine lacks, for whoever reads a test's output.
#[expect(clippy::print_stdout, reason = "the output of a test is its stdout")]
pub(crate) fn note(text: &str) {
    println!("{text}");
}

/// No sandbox; then each mechanism alone and both. Where this machine lacks one, the level without
/// it stands in its place, and its promises are those that are checked.
pub(crate) fn levels() -> Vec<Sandbox> {
    static LEVELS: OnceLock<Vec<Sandbox>> = OnceLock::new();
    let best = |isolation| {
        let wish = Wish { isolation, ..Wish::default() };
        sandbox::choose(&wish, &helper(), &std::env::temp_dir())
    };
    let find = || {
        let landlock = best(Isolation::Landlock).map(|chosen| chosen.sandbox);
        let landlock = landlock.unwrap_or_else(|error| {
            note(&format!("without Landlock: {error}"));
            Sandbox::default()
        });
        let both = best(Isolation::Auto).expect("auto is always to be had");
        if let Some(why) = &both.short_of {
            note(&format!("less than all: {why}"));
        }
        let namespaces = Sandbox { landlock: Landlock::Off, ..both.sandbox.clone() };
        vec![Sandbox::default(), landlock, namespaces, both.sandbox]
    };
    LEVELS.get_or_init(find).clone()
}

/// Makes a check at every level, all of them at once: most of what it does is to wait.
pub(crate) fn at_every_level(check: impl Fn(Bench) + Sync) {
    let check = &check;
    std::thread::scope(|scope| {
        for sandbox in levels() {
            scope.spawn(move || check(Bench::held(&sandbox)));
        }
    });
}

/// Whether something stops writing outside.
pub(crate) fn fenced(sandbox: &Sandbox) -> bool {
    sandbox.namespaces || sandbox.landlock != Landlock::Off
}

/// Whether something stops signals to processes outside.
pub(crate) fn signals_held(sandbox: &Sandbox) -> bool {
    sandbox.namespaces || sandbox.landlock == Landlock::Full
}

/// Whether it has a network of its own.
pub(crate) fn own_network(sandbox: &Sandbox) -> bool {
    sandbox.network != Network::Host
}

/// A scratch folder with a workspace and private places, and a spawner.
pub(crate) struct Bench {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) spawner: Spawner,
    pub(crate) limit: Duration,
    pub(crate) output_limit: u64,
    pub(crate) set: Vec<(String, String)>,
    /// What differs in the caller's environment; `None` is not set.
    pub(crate) host: Vec<(&'static str, Option<String>)>,
}

impl Bench {
    /// Without a sandbox.
    pub(crate) fn new() -> Self {
        Self::held(&Sandbox::default())
    }

    /// In this sandbox.
    pub(crate) fn held(sandbox: &Sandbox) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let folder = tempfile::tempdir().expect("a scratch folder");
        fs::create_dir_all(folder.path().join("space/work")).expect("a workspace");
        let mark = format!("{}.{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        Self {
            folder,
            spawner: Spawner::new(&helper(), sandbox.clone()).expect("a spawner"),
            limit: Duration::from_secs(120),
            output_limit: OUTPUT_LIMIT,
            set: vec![(MARK.into(), mark)],
            host: Vec::new(),
        }
    }

    /// A command's working directory.
    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("space/work")
    }

    /// A folder outside of what a sandbox lets a command write in.
    pub(crate) fn outside(&self) -> PathBuf {
        let path = self.folder.path().join("outside");
        fs::create_dir_all(&path).expect("a folder");
        path
    }

    pub(crate) fn places(&self) -> Places {
        Places::below(&self.folder.path().join("space"), 0)
    }

    pub(crate) fn run(&self, argv: &[&str]) -> Finished {
        self.run_logged(argv, "log")
    }

    pub(crate) fn run_logged(&self, argv: &[&str], log: &str) -> Finished {
        let argv: Vec<_> = argv.iter().map(ToString::to_string).collect();
        let places = self.places();
        for place in [&places.home, &places.tmp] {
            std::fs::create_dir_all(place).expect("private places");
        }
        let host = |name: &str| match self.host.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => value.as_ref().map(OsString::from),
            None => std::env::var_os(name),
        };
        self.spawner.run(&CommandSpec {
            argv: &argv,
            cwd: &self.work(),
            workspace: &self.folder.path().join("space"),
            layer: None,
            environment: &Environment::for_run(host, &places, &self.set, &[]),
            log: &self.folder.path().join(log),
            limit: self.limit,
            memory_times: 1,
            output_limit: self.output_limit,
        })
    }

    /// A file's text below the workspace, once it is there.
    pub(crate) fn wait_for(&self, name: &str) -> String {
        wait_until(name, || {
            fs::read_to_string(self.work().join(name)).ok().filter(|t| t.ends_with('\n'))
        })
    }

    pub(crate) fn log(&self) -> String {
        String::from_utf8_lossy(&self.log_bytes()).into_owned()
    }

    pub(crate) fn log_bytes(&self) -> Vec<u8> {
        fs::read(self.folder.path().join("log")).expect("a log")
    }

    /// Every process that carries this test's mark, is a helper of it, or stands in `pids` and is
    /// no zombie.
    pub(crate) fn alive(&self, pids: &[String]) -> Vec<String> {
        let mark = format!("{MARK}={}", self.set[0].1);
        let helpers = self.helpers();
        let lives = |pid: &String| {
            let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let marked = environ.split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes());
            let state = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            let helps = helpers.contains(pid);
            marked || helps || (pids.contains(pid) && !state.contains("State:\tZ"))
        };
        let shown = |pid: String| format!("{pid} {}", words_of(&pid));
        processes().filter(lives).map(shown).collect()
    }

    /// The helpers of this bench by their words, which anybody may read, unlike their environment.
    pub(crate) fn helpers(&self) -> Vec<String> {
        let folder = self.folder.path().to_str().expect("a UTF-8 path");
        let helps = |pid: &String| {
            let words = words_of(pid);
            words.contains(" __exec ") && words.contains(folder)
        };
        processes().filter(helps).collect()
    }

    /// Its processes are gone: none carries the mark of the bench, or lives in the workspace and in
    /// the PID namespace that it wrote to `namespace`.
    pub(crate) fn nothing_left(&self) {
        let sandbox = self.spawner.sandbox();
        assert_eq!(self.alive(&[]), [""; 0], "{sandbox}");
        assert_eq!(self.spawner.survivors(), [0; 0], "{sandbox}");
        let Ok(theirs) = fs::read_to_string(self.work().join("namespace")) else { return };
        let of = |process: &str| {
            let link = fs::read_link(format!("/proc/{process}/ns/pid")).ok()?;
            Some(link.to_string_lossy().into_owned())
        };
        if Some(&theirs) == of("self").as_ref() {
            assert!(!sandbox.namespaces);
            return;
        }
        // The number of a namespace that is gone is given to the next one, perhaps of another test.
        let folder = self.folder.path().file_name().expect("a name").to_owned();
        let here = |name: &String| {
            let place = fs::read_link(format!("/proc/{name}/cwd"));
            place.is_ok_and(|place| place.iter().any(|part| part == folder))
        };
        let left = processes().filter(|name| of(name).as_ref() == Some(&theirs) && here(name));
        assert_eq!(left.collect::<Vec<_>>(), [""; 0], "{sandbox}");
    }
}

/// The pids of all processes.
fn processes() -> impl Iterator<Item = String> {
    let entries = fs::read_dir("/proc").expect("/proc").flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The words of a process, each before a space.
fn words_of(pid: &str) -> String {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&words).replace('\0', " ")
}

/// Waits for something that must come; only a hang makes it fail.
pub(crate) fn wait_until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..6000 {
        if let Some(found) = look() {
            return found;
        }
        sleep(Duration::from_millis(10));
    }
    panic!("`{what}` did not come");
}
