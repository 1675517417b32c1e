//! Commands in every kind of workspace: whatever one does, the next finds what the first did, and it
//! cannot tell which kind it is in.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::time::Duration;

use adequacy::base::{RelPath, Silent};
use adequacy::run::environment::{Environment, Places};
use adequacy::run::sandbox::{self, Fresh, Sandbox, Wish, Workspaces};
use adequacy::run::spawn::{CommandSpec, Finished, OUTPUT_LIMIT, Spawner};
use adequacy::run::workspace::{Golden, Scratch, Sources, Workspace};
use adequacy::run::{Certificate, Exit};
use adequacy::tree::{Choice, Snapshot, snapshot};

use crate::attacks::{ATTACKS, MAY_DO_NOTHING, PRELUDE};
use crate::bench::{helper, note};

/// Prints everything there is to know about a workspace that must be the same for every command;
/// the mutant's own time and those it changes are later than all others.
const DESCRIBE: &str = r"
import hashlib, os, stat
base = os.lstat('..').st_mtime_ns
for folder, folders, files in os.walk(os.path.realpath('..')):
    for path in [folder] + [os.path.join(folder, name) for name in sorted(folders + files)]:
        s = os.lstat(path)
        time = 'later' if s.st_mtime_ns > base else s.st_mtime_ns - base
        what = ''
        if stat.S_ISLNK(s.st_mode): what = os.readlink(path)
        if stat.S_ISREG(s.st_mode):
            what = s.st_nlink, hashlib.sha256(open(path, 'rb').read()).hexdigest()[:12]
        names = [] if stat.S_ISLNK(s.st_mode) else os.listxattr(path)
        print(ascii(os.path.relpath(path, os.path.realpath('..'))), oct(s.st_mode), s.st_uid, s.st_gid, time, what, names)
print('--', flush=True)
";

const BEHAVIOUR: &str = include_str!("behaviour.py");

/// A tree with one of everything.
fn fixture(root: &Path) {
    for folder in ["d/e", "ro", "empty", "loose"] {
        fs::create_dir_all(root.join(folder)).expect("a folder");
    }
    for (path, text) in [
        ("a.py", "x = 1\n"),
        ("d/b.py", "y = 2\n"),
        ("d/e/deep.txt", "deep"),
        ("swap1", "one"),
        ("swap2", "two"),
        ("nothing", ""),
        ("late", "late"),
        ("product.py", "right\n"),
        ("tool", "#!/bin/sh\n"),
        ("ro/f", "read only"),
        ("hard1", "once"),
        ("d/hard2", "once"),
    ] {
        fs::write(root.join(path), text).expect("a file");
    }
    fs::copy("/bin/sleep", root.join("bin")).expect("a program");
    for (name, target) in [("link", "a.py"), ("dangling", "/nowhere/at/all"), ("loop", "loop")] {
        symlink(target, root.join(name)).expect("a link");
    }
    for (path, mode) in [("tool", 0o755), ("loose", 0o777), ("ro/f", 0o444), ("ro", 0o555)] {
        fs::set_permissions(root.join(path), Permissions::from_mode(mode)).expect("its mode");
    }
}

/// One workspace, and what runs commands in it.
struct Room {
    workspace: Workspace,
    spawner: Spawner,
    covers: bool,
    _golden: Golden,
    scratch: Scratch,
    tree: Snapshot,
    folder: tempfile::TempDir,
}

impl Drop for Room {
    fn drop(&mut self) {
        let ro = self.folder.path().join("tree/ro");
        let _ = fs::set_permissions(ro, Permissions::from_mode(0o755));
    }
}

impl Room {
    fn new(sandbox: &Sandbox) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (root, base) = (folder.path().join("tree"), folder.path().join("scratch"));
        fs::create_dir(&root).expect("a folder");
        fs::create_dir(&base).expect("a folder");
        fixture(&root);
        let tree = snapshot(&root, &Choice::default(), &Silent).expect("a listing");
        let scratch = Scratch::create(&base, &[&root]).expect("a scratch directory");
        let golden = Golden::create(
            &scratch,
            Sources { tree: &tree, heldout: None, links: &[], bytecode: None },
        );
        let golden = golden.expect("a golden copy");
        let workspace = Workspace::create(&scratch, &golden, 0).expect("a workspace");
        let spawner = Spawner::new(&helper(), sandbox.clone()).expect("a spawner");
        let covers = sandbox.workspaces.is_overlay();
        Self { workspace, spawner, covers, _golden: golden, scratch, tree, folder }
    }

    /// Runs Python text in the tree, with a mutant in place.
    fn run(&mut self, text: &str) -> (Finished, String) {
        if self.covers {
            self.workspace.cover().expect("a layer");
        }
        let product = RelPath::new(b"product.py").expect("a path");
        self.workspace.write(&[(product, b"wrong\n".to_vec())]).expect("a mutant");
        self.go_on(text)
    }

    /// Runs Python text where the command before left off.
    fn go_on(&mut self, text: &str) -> (Finished, String) {
        let log = self.folder.path().join("log");
        let argv = ["python3", "-ISc", text].map(str::to_owned);
        let places = Places::below(self.workspace.path(), 0);
        let done = self.spawner.run(&CommandSpec {
            argv: &argv,
            cwd: &self.workspace.tree(),
            workspace: self.workspace.path(),
            layer: self.workspace.layer(),
            environment: &Environment::for_run(|name| std::env::var_os(name), &places, &[], &[]),
            log: &log,
            limit: Duration::from_secs(120),
            memory_times: 1,
            output_limit: OUTPUT_LIMIT,
        });
        let said = fs::read(&log).expect("a log");
        (done, String::from_utf8_lossy(&said).into_owned())
    }

    /// Brings it back as a run does.
    fn clean(&mut self, certificate: Option<Certificate>) {
        let certificate = certificate.expect("nothing of the command is alive");
        match self.spawner.sandbox().workspaces {
            Workspaces::Copy => self.workspace.remake(certificate).expect("a fresh copy"),
            _ => self.workspace.reset(certificate).expect("a reset"),
        }
    }
}

/// Every kind of workspace that this machine has, in the strongest sandbox.
fn kinds() -> Vec<Sandbox> {
    let choose = |workspaces| {
        let wish = Wish { workspaces, ..Wish::default() };
        sandbox::choose(&wish, &helper(), &std::env::temp_dir()).map(|chosen| chosen.sandbox)
    };
    let mut kinds = vec![
        choose(Fresh::Copy).expect("a copy is always to be had"),
        choose(Fresh::Reset).expect("a reset is always to be had"),
    ];
    match choose(Fresh::Overlay) {
        Ok(overlay) => kinds.push(overlay),
        Err(error) => note(&format!("without overlays: {error}")),
    }
    kinds
}

#[test]
fn whatever_a_command_does_the_next_one_finds_the_same_in_every_kind_of_workspace() {
    let mut first = None;
    for sandbox in kinds() {
        let mut room = Room::new(&sandbox);
        let before = room.tree.digest();
        for (name, attack) in ATTACKS {
            let (done, said) = room.run(&format!("{DESCRIBE}{PRELUDE}{attack}"));
            let (found, after) = said.split_once("--\n").unwrap_or((&said, ""));
            // What the kernel refuses in one kind alone: to rename a directory of the copy.
            let refused =
                sandbox.workspaces == Workspaces::UserOverlay && after.contains("[Errno 18]");
            assert!(
                done.exit == Exit::Code(0) || refused,
                "{name}, {sandbox}: {}\n{said}",
                done.exit
            );
            let first = first.get_or_insert_with(|| found.to_owned());
            assert_eq!(found, *first, "before: {name}, {sandbox}");
            room.clean(done.certificate);
        }
        let left = fs::read_dir(room.scratch.path()).expect("it is there").flatten();
        let left = left.map(|entry| entry.file_name().into_string().expect("our own name"));
        let mut left = left.collect::<Vec<_>>();
        left.sort();
        assert_eq!(left, ["golden", "lock", "trash", "w0"], "{sandbox}");
        let now = snapshot(room.tree.root(), &Choice::default(), &Silent).expect("a listing");
        assert_eq!(now.digest(), before, "the source is as it was");
    }
    let first = first.expect("there are kinds");
    assert!(first.contains("'tree/d/e/deep.txt'") && first.contains("later"), "{first}");
    assert!(MAY_DO_NOTHING.len() < ATTACKS.len());
}

#[test]
fn a_program_cannot_tell_an_overlay_from_a_copy_but_for_what_is_known() {
    let mut answers = Vec::new();
    for sandbox in kinds() {
        let mut room = Room::new(&sandbox);
        let (done, said) = room.run(BEHAVIOUR);
        assert_eq!(done.exit, Exit::Code(0), "{sandbox}\n{said}");
        room.clean(done.certificate);
        let (found, known) = said.split_once("--\n").expect("both parts");
        answers.push((sandbox.workspaces, found.to_owned(), known.to_owned()));
    }
    let (_, plain, plainly_known) = &answers[0];
    assert!(plain.lines().count() >= 35, "{plain}");
    assert_eq!(plainly_known, "a mapping made before a write True\nnames of a directory True\n");
    for (kind, found, known) in &answers {
        let differs = found.lines().zip(plain.lines()).filter(|(one, other)| one != other);
        let differs = differs.map(|(one, _)| one).collect::<Vec<_>>();
        let expected: &[&str] = match kind {
            Workspaces::UserOverlay => &[
                "rename a directory EXDEV",
                "rename over a directory EXDEV",
                "link (2, False)",
                "exchange dirs EXDEV",
            ],
            _ => &[],
        };
        assert_eq!(differs, expected, "{kind:?}");
        if kind.is_overlay() {
            let different = "a mapping made before a write False\nnames of a directory False\n";
            assert_eq!(known, different);
        } else {
            assert_eq!(known, plainly_known, "{kind:?}");
        }
    }
}

#[test]
fn commands_that_go_on_from_each_other_share_a_layer_and_those_after_them_do_not() {
    for sandbox in kinds() {
        let mut room = Room::new(&sandbox);
        let build = "import os; open('made', 'w').write('built'); os.rename('d', 'moved'); \
                     open('a.py', 'w').write('generated')";
        let build = if sandbox.workspaces == Workspaces::UserOverlay {
            "import os; open('made', 'w').write('built'); os.mkdir('moved'); \
             open('moved/b.py', 'w').write('y = 2\\n'); open('a.py', 'w').write('generated')"
        } else {
            build
        };
        let (built, said) = room.run(build);
        assert_eq!(built.exit, Exit::Code(0), "{sandbox}\n{said}");
        let look = "print(open('made').read(), open('moved/b.py').read().strip(), \
                    open('a.py').read(), open('product.py').read().strip())";
        let (done, said) = room.go_on(look);
        assert_eq!((done.exit, &*said), (Exit::Code(0), "built y = 2 generated wrong\n"));
        let place = room.workspace.tree().join("made");
        let made = room.workspace.written(&place);
        assert_eq!(fs::read_to_string(made).expect("it was written"), "built");
        room.clean(done.certificate);
        let (done, said) =
            room.run("import os; print(os.path.exists('made'), open('a.py').read())");
        assert_eq!((done.exit, &*said), (Exit::Code(0), "False x = 1\n\n"));
        assert!(!place.exists());
    }
}

#[test]
fn below_an_overlay_nothing_changes_but_the_mutant() {
    for sandbox in kinds().into_iter().filter(|sandbox| sandbox.workspaces.is_overlay()) {
        let mut room = Room::new(&sandbox);
        let look = |room: &Room| {
            let read = |name: &str| fs::read_to_string(room.workspace.tree().join(name));
            ["a.py", "product.py", "d/b.py"].map(|name| read(name).expect("a file"))
        };
        let text = "import shutil; open('a.py', 'w'); open('product.py', 'w'); shutil.rmtree('d'); \
                    open('new', 'w')";
        let (done, said) = room.run(text);
        assert_eq!(done.exit, Exit::Code(0), "{said}");
        assert_eq!(look(&room), ["x = 1\n", "wrong\n", "y = 2\n"].map(str::to_owned));
        assert!(!room.workspace.tree().join("new").exists());
        room.clean(done.certificate);
        assert_eq!(look(&room), ["x = 1\n", "right\n", "y = 2\n"].map(str::to_owned));
        // No mount is left where the engine looks.
        let mounts = fs::read_to_string("/proc/self/mountinfo").expect("our mounts");
        let ours = room.scratch.path().to_str().expect("a UTF-8 path");
        assert!(!mounts.contains(ours), "{mounts}");
    }
}

#[test]
fn what_a_command_did_beside_homes_and_caches_is_told_by_path() {
    const DID: &str = r"
import os, shutil
open('new.txt', 'w').close()
os.makedirs('made/deep'); open('made/deep/x', 'w').close(); os.mkdir('hollow')
open('d/b.py', 'a').write('#')
os.remove('late')
shutil.rmtree('d/e')
os.utime('a.py'); text = open('swap1').read(); open('swap1', 'w').write(text)
open(os.environ['HOME'] + '/x', 'w').close(); open(os.environ['TMPDIR'] + '/x', 'w').close()
open('../beside', 'w').close()
";
    let expected = [
        "beside",
        "tree/d/b.py",
        "tree/d/e/deep.txt",
        "tree/late",
        "tree/made/deep/x",
        "tree/new.txt",
    ];
    for sandbox in kinds().iter().filter(|it| it.workspaces != Workspaces::Copy) {
        let mut room = Room::new(sandbox);
        let (done, said) = room.run(DID);
        assert_eq!(done.exit, Exit::Code(0), "{said}");
        room.clean(done.certificate);
        let mut found = room.workspace.take_strays();
        found.sort();
        // A directory that went is told with or without what was in it.
        let found = found.iter().map(|path| match path.as_str() {
            "tree/d/e" => "tree/d/e/deep.txt",
            path => path,
        });
        assert_eq!(found.collect::<Vec<_>>(), expected, "{:?}", sandbox.workspaces);
        let (done, _) = room.run("pass");
        room.clean(done.certificate);
        assert_eq!(room.workspace.take_strays(), [""; 0], "{:?}", sandbox.workspaces);
        // So many names that not all are kept.
        let (done, _) = room.run("for n in range(2000): open(f'n{n}', 'w').close()");
        room.clean(done.certificate);
        assert_eq!(room.workspace.take_strays().len(), 20, "{:?}", sandbox.workspaces);
    }
}
