//! What a clean workspace costs a mutant: one file put in place, `true` run in the strongest sandbox,
//! and the workspace clean again, by each kind of workspace, on trees of 300, 3,000 and 30,000 files.
//!
//! `cargo bench --bench workspaces [-- ROUNDS [LARGEST]]`, with `LARGEST` in files. Read how a row
//! grows with the tree: an overlay's must not. What both stand on is in the row `start`: the same command
//! in the same sandbox, with no mutant and nothing to clean. All take turns, round by round, so that they
//! meet the same load. Copies lie in `TMPDIR`; the kind of reset there is printed.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use adequacy::base::{RelPath, Silent};
use adequacy::run::Exit;
use adequacy::run::environment::{Environment, Places};
use adequacy::run::sandbox::{self, Fresh, Sandbox, Wish};
use adequacy::run::spawn::{CommandSpec, Finished, OUTPUT_LIMIT, Spawner};
use adequacy::run::workspace::{Golden, Scratch, Sources, Workspace};
use adequacy::tree::{self, Choice};

/// Files of a folder of the generated tree.
const FOLDER: usize = 20;

/// What a round took: putting in place and running, then cleaning.
type Round = (Duration, Duration);

#[expect(clippy::print_stdout, reason = "a bench talks")]
fn main() {
    let mut numbers = std::env::args().filter_map(|word| word.parse::<usize>().ok());
    let rounds = numbers.next().unwrap_or(30);
    let largest = numbers.next().unwrap_or(30_000);
    let helper = Path::new(env!("CARGO_BIN_EXE_adequacy"));
    let kinds = [("overlay", Fresh::Overlay), ("reset", Fresh::Reset)];
    let kinds = kinds.into_iter().filter_map(|(name, workspaces)| {
        let wish = Wish { workspaces, ..Wish::default() };
        let chosen = sandbox::choose(&wish, helper, &std::env::temp_dir());
        chosen.map(|chosen| (name, chosen.sandbox)).ok()
    });
    let kinds = kinds.collect::<Vec<_>>();
    println!("of {rounds}, ms: least and median of the whole; median of cleaning alone");
    for files in [300, 3_000, 30_000].into_iter().filter(|files| *files <= largest) {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let root = folder.path().join("tree");
        generate(&root, files);
        let snapshot = tree::snapshot(&root, &Choice::default(), &Silent).expect("a tree");
        let base = folder.path().join("copies");
        fs::create_dir(&base).expect("a folder");
        let scratch = Scratch::create(&base, &[&root]).expect("a scratch directory");
        let sources = Sources { tree: &snapshot, heldout: None, links: &[], bytecode: None };
        let golden = Golden::create(&scratch, sources).expect("a golden copy");
        let mut seats = kinds.iter().enumerate().map(|(worker, (_, sandbox))| {
            let workspace = Workspace::create(&scratch, &golden, worker).expect("a workspace");
            (workspace, Spawner::new(helper, sandbox.clone()).expect("a spawner"))
        });
        let mut seats = seats.by_ref().collect::<Vec<_>>();
        let mut times = vec![Vec::new(); seats.len()];
        let mut starts = Vec::new();
        for number in 0..rounds {
            for (workspace, spawner) in seats.iter().take(1) {
                let begun = Instant::now();
                start(workspace, spawner);
                starts.push((begun.elapsed(), Duration::ZERO));
            }
            for ((workspace, spawner), times) in seats.iter_mut().zip(&mut times) {
                times.push(round(workspace, spawner, number * 997 % files));
            }
        }
        let names = kinds.iter().map(|(name, _)| *name);
        for (name, times) in names.zip(times).chain([("start", starts)]) {
            println!("{files:6} files  {name:8} {}  ({:?})", shown(&times), scratch.soundness());
        }
    }
}

fn generate(root: &Path, files: usize) {
    for number in 0..files {
        let folder = root.join(format!("part{}", number / FOLDER));
        fs::create_dir_all(&folder).expect("a folder");
        let text = format!("X = {number}\n").repeat(200);
        fs::write(folder.join(format!("m{number}.py")), text).expect("a module");
    }
}

fn round(workspace: &mut Workspace, spawner: &Spawner, file: usize) -> Round {
    let begun = Instant::now();
    let sandbox: &Sandbox = spawner.sandbox();
    if sandbox.workspaces.is_overlay() {
        workspace.cover().expect("a layer");
    }
    let path = format!("part{}/m{file}.py", file / FOLDER);
    let path = RelPath::new(path.as_bytes()).expect("a path");
    workspace.write(&[(path, b"X = 0\n".to_vec())]).expect("a mutant");
    let done = start(workspace, spawner);
    let ran = begun.elapsed();
    workspace.reset(done.certificate.expect("`true` leaves nothing")).expect("a reset");
    (ran, begun.elapsed() - ran)
}

/// `true` in the workspace, above its layer where it has one.
fn start(workspace: &Workspace, spawner: &Spawner) -> Finished {
    let places = Places::below(workspace.path(), 0);
    let done = spawner.run(&CommandSpec {
        argv: &["true".to_owned()],
        cwd: &workspace.tree(),
        workspace: workspace.path(),
        layer: workspace.layer(),
        environment: &Environment::for_run(|name| std::env::var_os(name), &places, &[], &[]),
        log: &workspace.path().with_file_name("log"),
        limit: Duration::from_secs(60),
        memory_times: 1,
        output_limit: OUTPUT_LIMIT,
    });
    assert_eq!(done.exit, Exit::Code(0));
    done
}

fn shown(times: &[Round]) -> String {
    let sorted = |of: &dyn Fn(&Round) -> Duration| {
        let mut all = times.iter().map(of).collect::<Vec<_>>();
        all.sort();
        all
    };
    let whole = sorted(&|(ran, cleaned)| *ran + *cleaned);
    let cleaned = sorted(&|(_, cleaned)| *cleaned);
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let (least, median) = (ms(whole[0]), ms(whole[whole.len() / 2]));
    format!("{least:8.1} {median:8.1}  {:8.1}", ms(cleaned[cleaned.len() / 2]))
}
