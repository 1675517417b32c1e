//! What the helper costs: `true` started bare and through the spawner, in turns, in one loop.
//!
//! `cargo bench --bench spawn [-- ROUNDS]`. Read the differences: what one command costs beyond
//! a bare start. All figures move with the machine's load, the least ones least.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use adequacy::run::environment::{Environment, Places};
use adequacy::run::exit::Exit;
use adequacy::run::sandbox::Sandbox;
use adequacy::run::spawn::{CommandSpec, OUTPUT_LIMIT, Spawner};

#[expect(clippy::print_stdout, reason = "a bench talks")]
fn main() {
    let rounds = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(300);
    let folder = tempfile::tempdir().expect("a scratch folder");
    let places = Places::below(folder.path(), 0);
    for place in [&places.home, &places.tmp] {
        std::fs::create_dir_all(place).expect("private places");
    }
    let environment = Environment::for_run(|name| std::env::var_os(name), &places, &[], &[]);
    let helper = Path::new(env!("CARGO_BIN_EXE_adequacy"));
    let spawner = Spawner::new(helper, Sandbox::default()).expect("a spawner");
    let bare = || {
        let mut command = Command::new("true");
        command.env_clear().envs(environment.iter()).current_dir(folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        assert!(command.status().expect("it starts").success());
    };
    let helped = || {
        let done = spawner.run(&CommandSpec {
            argv: &["true".to_owned()],
            cwd: folder.path(),
            workspace: folder.path(),
            environment: &environment,
            log: &folder.path().join("log"),
            limit: Duration::from_secs(60),
            output_limit: OUTPUT_LIMIT,
        });
        assert_eq!(done.exit, Exit::Code(0));
    };
    let (mut plain, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        plain.push(timed(&bare));
        ours.push(timed(&helped));
    }
    println!("of {rounds}, least and median: bare {}, helper {}", shown(plain), shown(ours));
}

fn timed(work: &dyn Fn()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

fn shown(mut times: Vec<Duration>) -> String {
    times.sort();
    format!("{:?} {:?}", times[0], times[times.len() / 2])
}
