//! The kinds of workspaces: the same verdicts from all of them, and what a run says of its own.

use crate::harness::{Sandbox, note};

/// Each flag does what could reach the next command, after a look at what the one before left.
const CHECK: &str = "\
import fcntl, mmap, os, shutil, sys, product
flags = [name for name, value in vars(product).items() if value is True]
found = [(folder, sorted(folders), sorted(files)) for folder, folders, files in os.walk('.')]
expected = [('.', ['d'], ['check.py', 'data', 'other', 'product.py']), ('./d', ['e'], ['inner']), ('./d/e', [], ['deep'])]
if found != expected or os.listdir(os.environ['TMPDIR']): sys.exit(f'not clean: {found}')
for path, text in [('data', 'one'), ('other', 'two'), ('d/inner', 'three'), ('d/e/deep', 'four')]:
    if open(path).read() != text or os.stat(path).st_nlink != 1: sys.exit(f'not clean: {path}')
s = os.stat('data')
def REWRITE(): open('data', 'r+').write('ONE'); os.utime('data', ns=(s.st_atime_ns, s.st_mtime_ns))
def MAPPED():
    with open('data', 'r+b') as f:
        m = mmap.mmap(f.fileno(), 0); m[0]; m[0:1] = b'Z'
def OVER(): open('new', 'w').write('ONE'); os.rename('new', 'data')
def GONE(): shutil.rmtree('d')
def MOVED(): os.rename('d', 'moved'); os.mkdir('d')
def LINKED(): os.link('data', 'd/second'); os.remove('other'); os.link('data', 'other')
def SHUT(): os.chmod('d/e', 0); os.chmod('data', 0)
def PIPE(): os.mkfifo('pipe'); os.symlink('/', 'root'); open(os.environ['TMPDIR'] + '/left', 'w')
def LOCKED(): f = open('data'); fcntl.flock(f, fcntl.LOCK_EX); os.fork() or os.execvp('sleep', ['sleep', '600'])
def EMPTY(): shutil.rmtree(os.getcwd(), ignore_errors=True)
def FAILS(): open('data', 'w').write('left behind'); sys.exit(1)
def CRASHES(): shutil.rmtree('d'); os.kill(os.getpid(), 11)
for flag in flags: globals()[flag]()
";

const FLAGS: [&str; 12] = [
    "REWRITE", "MAPPED", "OVER", "GONE", "MOVED", "LINKED", "SHUT", "PIPE", "LOCKED", "EMPTY",
    "FAILS", "CRASHES",
];

fn hostile() -> Sandbox {
    let sandbox = Sandbox::new();
    let product = FLAGS.map(|flag| format!("{flag} = False\n")).concat();
    sandbox.write("tree/product.py", product).write("tree/check.py", CHECK);
    for (path, text) in
        [("data", "one"), ("other", "two"), ("d/inner", "three"), ("d/e/deep", "four")]
    {
        sandbox.write(format!("tree/{path}"), text);
    }
    sandbox
}

const WORDS: [&str; 7] =
    ["--include", "product.py", "--operator", "boolean-flip", "--", "python3", "check.py"];

/// What `run.json` says of the workspaces.
fn recorded(sandbox: &Sandbox) -> String {
    let run = sandbox.json("adequacy.out/run.json");
    run["isolation"]["workspaces"].as_str().expect("words").to_owned()
}

#[test]
fn every_kind_of_workspace_gives_the_same_verdicts_of_hostile_mutants() {
    let sandbox = hostile();
    let expected = FLAGS.map(|flag| match flag {
        "FAILS" => "killed by command (exit)",
        "CRASHES" => "killed by command (crash)",
        _ => "survived",
    });
    let mut plan = None;
    for (kind, words) in [
        ("overlay", "an overlay mount for each command"),
        ("reset", "brought back after each command"),
        ("copy", "copied afresh after each command"),
    ] {
        let ran = sandbox.measure(&[&["--workspace", kind], &WORDS[..]].concat()).run();
        if kind == "overlay" && ran.exits_one_of(&[0, 11]) == 11 {
            ran.tells("an overlay mount: ");
            note("no overlay mounts here");
            continue;
        }
        ran.exits(0).tells(&format!("workspaces: {words}"));
        assert!(recorded(&sandbox).starts_with(words), "{}", recorded(&sandbox));
        let found = sandbox.outcomes();
        let found = found.iter().filter_map(|line| line.split(": ").nth(1)).collect::<Vec<_>>();
        // What no overlay of an ordinary user lets through fails there, and is said to.
        if recorded(&sandbox).contains("cannot be renamed") {
            let other = found.iter().zip(expected).filter(|(one, other)| **one != *other).count();
            ran.same(other, 1);
        } else {
            ran.same(found, expected.to_vec());
        }
        let mutants = sandbox.read("adequacy.out/mutants.jsonl");
        let plan = plan.get_or_insert_with(|| mutants.clone());
        assert_eq!(mutants, *plan);
    }
}

#[test]
fn a_command_that_can_tell_an_overlay_makes_the_run_step_aside() {
    let sandbox = Sandbox::with("calc");
    // The link count of a directory, once something is written there, is one of the few things that
    // differ.
    let check = "import calc, os\nopen('made', 'w').close()\nassert os.lstat('.').st_nlink > 1\nassert calc.add(2, 3) == 5\n";
    sandbox.write("tree/check.py", check).write("tree/folder/file", "");
    let words = ["--include", "calc.py", "--operator", "binop-swap", "--", "python3", "check.py"];
    let ran = sandbox.measure(&words).run();
    ran.exits(0);
    if ran.err.contains("workspaces: an overlay mount") {
        ran.tells("does not pass in an overlay mount");
    }
    assert_eq!(recorded(&sandbox), "brought back after each command");
}

#[test]
fn an_overlay_that_is_asked_for_by_name_is_never_replaced_by_less() {
    let sandbox = Sandbox::with("calc");
    let words = ["--isolation", "none", "--workspace", "overlay", "--", "python3", "check.py"];
    sandbox.measure(&words).run().exits(11).tells("an overlay mount: it needs namespaces");
    assert!(!sandbox.path("adequacy.out").exists());
}
