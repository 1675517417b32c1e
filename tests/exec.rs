//! Running real commands through the spawner and its helper.
#![cfg(feature = "engine")]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use adequacy::run::environment::{Environment, Places};
use adequacy::run::exit::Exit;
use adequacy::run::spawn::{CommandSpec, Finished, OUTPUT_LIMIT, Spawner};

/// A scratch folder with a workspace, private places and a spawner.
struct Bench {
    folder: tempfile::TempDir,
    spawner: Spawner,
    limit: Duration,
    output_limit: u64,
    set: Vec<(String, String)>,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a scratch folder");
        fs::create_dir(folder.path().join("work")).expect("a workspace");
        let spawner = Spawner::new(Path::new(env!("CARGO_BIN_EXE_adequacy"))).expect("a spawner");
        let limit = Duration::from_secs(60);
        Self { folder, spawner, limit, output_limit: OUTPUT_LIMIT, set: Vec::new() }
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn run(&self, argv: &[&str]) -> Finished {
        let argv: Vec<_> = argv.iter().map(ToString::to_string).collect();
        let places = Places::below(&self.folder.path().join("p"), 0);
        places.create().expect("private places");
        let host = |name: &str| -> Option<OsString> { std::env::var_os(name) };
        let environment = Environment::for_run(host, &places, &self.set, &[]);
        self.spawner.run(&CommandSpec {
            argv: &argv,
            cwd: &self.work(),
            environment: &environment,
            log: &self.folder.path().join("log"),
            limit: self.limit,
            output_limit: self.output_limit,
        })
    }

    fn log(&self) -> Vec<u8> {
        fs::read(self.folder.path().join("log")).expect("a log")
    }
}

#[test]
fn status_signal_and_output_are_the_commands_own() {
    let bench = Bench::new();
    let done = bench.run(&["sh", "-c", "printf out; printf err >&2; pwd; exit 7"]);
    assert_eq!(done.exit, Exit::Code(7));
    assert!(done.certificate.is_some());
    let expected = format!("outerr{}\n", bench.work().display());
    assert_eq!(String::from_utf8_lossy(&bench.log()), expected);
    assert_eq!(done.output_bytes, expected.len() as u64);
    assert_eq!(bench.run(&["sh", "-c", "kill -SEGV $$"]).exit, Exit::Signal(11));
    assert_eq!(bench.run(&["true"]).exit, Exit::Code(0));
    assert_eq!(bench.log(), b"");
}
