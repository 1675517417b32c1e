//! What the helper and each level of isolation cost: `true` started bare, by `unshare` in the same
//! namespaces where that works, and through the spawner at each level, in turns, in one loop.
//!
//! `cargo bench --bench spawn [-- ROUNDS]`. Read the differences: what one command costs beyond
//! a bare start. All figures move with the machine's load, the least ones least.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use adequacy::run::environment::{Environment, Places};
use adequacy::run::exit::Exit;
use adequacy::run::sandbox::{self, Isolation, Landlock, Network, Sandbox, Wish};
use adequacy::run::spawn::{CommandSpec, OUTPUT_LIMIT, Spawner};

/// Starts `true` in one way, once.
type Work<'a> = Box<dyn Fn() + 'a>;

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
    let start = |words: &[&str]| {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]);
        command.env_clear().envs(environment.iter()).current_dir(folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let unshare = ["unshare", "-Urmpinf", "--mount-proc", "true"];
    let held = |sandbox: Sandbox| {
        let spawner = Spawner::new(helper, sandbox).expect("a spawner");
        let (folder, environment) = (&folder, &environment);
        move || {
            let done = spawner.run(&CommandSpec {
                argv: &["true".to_owned()],
                cwd: folder.path(),
                workspace: folder.path(),
                layer: None,
                environment,
                log: &folder.path().join("log"),
                limit: Duration::from_secs(60),
                memory_times: 1,
                output_limit: OUTPUT_LIMIT,
            });
            assert_eq!(done.exit, Exit::Code(0));
        }
    };
    let mut works: Vec<(&str, Work<'_>)> = vec![("bare", Box::new(|| assert!(start(&["true"]))))];
    if start(&unshare) {
        works.push(("the same namespaces, by unshare(1)", Box::new(|| assert!(start(&unshare)))));
    }
    for (name, sandbox) in levels(helper) {
        works.push((name, Box::new(held(sandbox))));
    }
    let mut times = vec![Vec::new(); works.len()];
    for _ in 0..rounds {
        for ((_, work), times) in works.iter().zip(&mut times) {
            times.push(timed(work));
        }
    }
    println!("of {rounds}: least and median");
    for ((name, _), times) in works.iter().zip(times) {
        println!("{name:40} {}", shown(times));
    }
}

/// What this machine can do, the weakest first.
fn levels(helper: &Path) -> Vec<(&'static str, Sandbox)> {
    let best = |isolation| {
        let wish = Wish { isolation, ..Wish::default() };
        sandbox::choose(&wish, helper, &std::env::temp_dir()).map(|chosen| chosen.sandbox)
    };
    let mut levels = vec![("helper, no isolation", Sandbox::default())];
    if let Ok(landlock) = best(Isolation::Landlock) {
        levels.push(("Landlock", landlock));
    }
    if let Ok(all) = best(Isolation::Namespaces) {
        let alone = Sandbox { landlock: Landlock::Off, network: Network::Host, ..all.clone() };
        levels.push(("namespaces, host network", alone.clone()));
        levels.push(("namespaces, own network", Sandbox { network: all.network, ..alone }));
        levels.push(("namespaces, own network, Landlock", all));
    }
    levels
}

fn timed(work: &dyn Fn()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

fn shown(mut times: Vec<Duration>) -> String {
    times.sort();
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    format!("{:6.1} ms {:6.1} ms", ms(times[0]), ms(times[times.len() / 2]))
}
