//! What the tests run commands with.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::Duration;

use adequacy::run::environment::{Environment, Places};
use adequacy::run::spawn::{CommandSpec, Finished, OUTPUT_LIMIT, Spawner};

/// Marks a test's processes for a search that does not trust the spawner's own.
pub(crate) const MARK: &str = "ADEQUACY_TEST_MARK";

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
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let folder = tempfile::tempdir().expect("a scratch folder");
        fs::create_dir(folder.path().join("work")).expect("a workspace");
        let mark = format!("{}.{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        Self {
            folder,
            spawner: Spawner::new(Path::new(env!("CARGO_BIN_EXE_adequacy"))).expect("a spawner"),
            limit: Duration::from_secs(120),
            output_limit: OUTPUT_LIMIT,
            set: vec![(MARK.into(), mark)],
            host: Vec::new(),
        }
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    pub(crate) fn places(&self) -> Places {
        Places::below(&self.folder.path().join("p"), 0)
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
            environment: &Environment::for_run(host, &places, &self.set, &[]),
            log: &self.folder.path().join(log),
            limit: self.limit,
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

    /// Every process that carries this test's mark or stands in `pids` and is no zombie.
    pub(crate) fn alive(&self, pids: &[String]) -> Vec<String> {
        let mark = format!("{MARK}={}", self.set[0].1);
        let entries = fs::read_dir("/proc").expect("/proc").flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let lives = |pid: &String| {
            let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let marked = environ.split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes());
            let state = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            marked || (pids.contains(pid) && !state.contains("State:\tZ"))
        };
        names.filter(lives).collect()
    }
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
