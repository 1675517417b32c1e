//! Workspaces in use. Helpers first; hostile commands, caches and scratch directories have their own file.

mod attacks;
mod caches;
mod scratch;

use std::fmt::Write as _;
use std::fs::{self, Permissions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use self::attacks::PRELUDE;
use super::*;
use crate::base::{Sha256, Silent};
use crate::run::environment::{Environment, Places};
use crate::tree::testing::{as_ordinary_user, python};
use crate::tree::{Choice, Snapshot, snapshot};

/// A `python3` that forks for every text: starting one for each would take most of the time.
struct Forking {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl Forking {
    const LOOP: &str = r"
import os, sys, traceback
def run(directory, text):
    try:
        os.chdir(directory)
        exec(text, {})
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)
for length in sys.stdin.buffer:
    directory, text = sys.stdin.buffer.read(int(length)).split(b'\0')
    child = os.fork() or run(directory, text)
    print('status', os.waitpid(child, 0)[1], flush=True)
";

    fn start() -> Self {
        let mut command = Command::new("python3");
        command.args(["-ISc", Self::LOOP]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { process, output }
    }

    /// Runs `text` to its end in the tree of `workspace`; what it printed.
    fn run(&mut self, workspace: &Workspace, text: &str) -> String {
        let message = format!("{}\0{text}", workspace.tree().to_str().unwrap());
        write!(self.process.stdin.as_mut().unwrap(), "{}\n{message}", message.len()).unwrap();
        let mut printed = String::new();
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).unwrap();
            if let Some(status) = line.strip_prefix("status ") {
                assert_eq!(status, "0\n", "{text}");
                return printed;
            }
            printed.push_str(&line);
        }
    }
}

impl Drop for Forking {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// Everything about a workspace that a reset must bring back, read by other means than the engine's.
fn describe(workspace: &Workspace) -> String {
    let mut text = String::new();
    describe_at(workspace.path(), Path::new("."), &mut text);
    text
}

fn describe_at(path: &Path, shown: &Path, text: &mut String) {
    let met = fs::symlink_metadata(path).unwrap();
    let (mode, time) = (met.mode(), (met.mtime(), met.mtime_nsec()));
    let mut names = vec![0; 1000];
    let length = rustix::fs::llistxattr(path, &mut names).unwrap_or(0);
    let names = String::from_utf8_lossy(&names[..length]).into_owned();
    write!(text, "{shown:?} {mode:o} {}:{} {time:?} {names:?}", met.uid(), met.gid()).unwrap();
    if met.is_symlink() {
        write!(text, " -> {:?}", fs::read_link(path).unwrap()).unwrap();
    } else if met.is_file() {
        let sha256 = fs::read(path).map(|bytes| Sha256::of(&bytes)).ok();
        write!(text, " {} {} {sha256:?}", met.nlink(), met.len()).unwrap();
    }
    text.push('\n');
    if !met.is_dir() || shown.iter().count() > 50 {
        return;
    }
    let Ok(entries) = fs::read_dir(path) else { return text.push_str("shut\n") };
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    for name in names {
        describe_at(&path.join(&name), &shown.join(&name), text);
    }
}

/// A tree with one of everything.
fn fixture(root: &Path) {
    let write =
        |path: &[u8], text: &str| fs::write(root.join(OsStr::from_bytes(path)), text).unwrap();
    let mode = |path: &str, mode| {
        fs::set_permissions(root.join(path), Permissions::from_mode(mode)).unwrap();
    };
    for directory in ["d/e", "ro", "empty", "loose"] {
        fs::create_dir_all(root.join(directory)).unwrap();
    }
    write(b"a.py", "x = 1\n");
    write(b"d/b.py", "y = 2\n");
    write(b"d/e/deep.txt", "deep");
    write(b"swap1", "one");
    write(b"swap2", "two");
    write(b"nothing", "");
    write(b"tool", "#!/bin/sh\n");
    write(b"a\nb [x]+", "newline");
    write(b"\xff\xfe", "not UTF-8");
    write(b"ro/f", "read only");
    write(b"hard1", "one file, two names");
    fs::hard_link(root.join("hard1"), root.join("d/hard2")).unwrap();
    let long = format!("d/{0}/{0}/{0}", "n".repeat(66));
    fs::create_dir_all(root.join(&long)).unwrap();
    write(format!("{long}/f").as_bytes(), "far down");
    for (name, target) in [("link", "a.py"), ("dangling", "/nowhere/at/all"), ("loop", "loop")] {
        symlink(target, root.join(name)).unwrap();
    }
    symlink("../d", root.join("d/up")).unwrap();
    mode("tool", 0o755);
    mode("loose", 0o777);
    mode("ro/f", 0o444);
    mode("ro", 0o555);
}

/// Removes what `tempfile` cannot when not root.
pub(super) struct Cleared(tempfile::TempDir);

impl Drop for Cleared {
    fn drop(&mut self) {
        let _ = fs::set_permissions(self.0.path().join("ro"), Permissions::from_mode(0o755));
    }
}

pub(super) fn source() -> (Cleared, Snapshot) {
    let directory = tempfile::tempdir().unwrap();
    fixture(directory.path());
    let snapshot = snapshot(directory.path(), &Choice::default(), &Silent).unwrap();
    (Cleared(directory), snapshot)
}

fn sources(tree: &Snapshot) -> Sources<'_> {
    Sources { tree, heldout: None, links: &[], bytecode: None }
}

pub(super) fn made(base: &Path, tree: &Snapshot) -> (Scratch, Golden, Workspace) {
    let scratch = Scratch::create(base, &[tree.root()]).unwrap();
    let golden = Golden::create(&scratch, sources(tree)).unwrap();
    let workspace = Workspace::create(&scratch, &golden, 0).unwrap();
    (scratch, golden, workspace)
}

fn rel(path: &str) -> RelPath {
    RelPath::new(path.as_bytes()).unwrap()
}

/// Runs `test` as the present user and, if that is root, as an ordinary one as well.
fn as_each_user(test: impl Fn() + Send + Sync) {
    test();
    if rustix::process::geteuid().is_root() {
        as_ordinary_user(test);
    }
}

/// Directories for scratch: the usual one, and one in memory where the system has it.
fn bases() -> Vec<PathBuf> {
    let memory = PathBuf::from("/dev/shm");
    let mut bases = vec![std::env::temp_dir()];
    bases.extend(memory.is_dir().then_some(memory));
    bases
}

#[test]
fn a_workspace_that_cannot_be_reset_is_replaced() {
    as_each_user(|| {
        let (_directory, tree) = source();
        let (scratch, _golden, mut workspace) = made(&std::env::temp_dir(), &tree);
        let before = describe(&workspace);
        for text in [
            "os.rename('../../w0', '../../gone')",
            "os.rename('../../w0r1', '../../gone1'); os.symlink('gone1', '../../w0r1')",
            "shutil.rmtree('../../w0r2', ignore_errors=True); attempt(lambda: os.rmdir('../../w0r2'))",
        ] {
            let old = workspace.path().to_owned();
            python(&workspace.tree(), &format!("{PRELUDE}{text}"), &[]);
            let _ = workspace.reset(Certificate::new());
            workspace.replace().unwrap();
            assert_ne!(workspace.path(), old);
            assert!(fs::symlink_metadata(old).is_err());
            assert_eq!(describe(&workspace), before);
        }
        assert!(scratch.path().join("gone1/tree/a.py").exists(), "a link was followed");
        fs::set_permissions(workspace.path(), Permissions::from_mode(0o0)).unwrap();
        workspace.replace().unwrap();
        fs::set_permissions(workspace.path(), Permissions::from_mode(0o0)).unwrap();
        workspace.reset(Certificate::new()).unwrap();
        assert_eq!(describe(&workspace), before);
        let path = scratch.path().to_owned();
        scratch.remove().unwrap();
        assert!(!path.exists());
    });
}

#[test]
fn a_mount_is_never_entered() {
    // Every Linux has one here; removing and restoring both go through this call.
    let root = crate::tree::open_root(Path::new("/")).unwrap();
    assert_eq!(open_private(root.as_fd(), c"proc").unwrap_err(), Errno::XDEV);
}

#[test]
fn a_mutant_is_a_new_file_with_the_mode_it_had_and_a_time_of_its_own() {
    as_each_user(|| {
        let (_directory, tree) = source();
        let (_scratch, golden, mut workspace) = made(&std::env::temp_dir(), &tree);
        let before = describe(&workspace);
        let mut times = vec![golden.time];
        for path in ["a.py", "ro/f", "tool", "d/b.py", "nothing", "a.py"] {
            let at = workspace.tree().join(path);
            let (old, parent) =
                (fs::metadata(&at).unwrap(), fs::metadata(at.parent().unwrap()).unwrap());
            let held = fs::File::open(&at).unwrap();
            workspace.write(&[(rel(path), path.repeat(9).into())]).unwrap();
            let new = fs::metadata(&at).unwrap();
            assert_eq!(fs::read_to_string(&at).unwrap(), path.repeat(9));
            assert_eq!(new.mode(), old.mode());
            assert_ne!(new.ino(), old.ino(), "{held:?} is still open");
            assert_eq!(fs::metadata(at.parent().unwrap()).unwrap().mode(), parent.mode());
            assert_eq!((new.mtime_nsec(), times.contains(&new.mtime())), (0, false));
            assert!(new.mtime() > *times.last().unwrap());
            times.push(new.mtime());
            workspace.reset(Certificate::new()).unwrap();
            assert_eq!(describe(&workspace), before);
        }
        let several = [(rel("a.py"), b"1".to_vec()), (rel("d/b.py"), b"2".to_vec())];
        workspace.write(&several).unwrap();
        for (path, bytes) in &several {
            assert_eq!(fs::read(path.below(&workspace.tree())).unwrap(), *bytes);
        }
    });
}

#[test]
fn a_mutant_replaces_nothing_but_a_regular_file_of_the_tree() {
    let (_directory, tree) = source();
    let (_scratch, _golden, mut workspace) = made(&std::env::temp_dir(), &tree);
    let before = describe(&workspace);
    for path in ["link", "dangling", "d", "d/up/a.py", "link/x", "../home/x"] {
        let Ok(path) = RelPath::new(path.as_bytes()) else { continue };
        let error = workspace.write(&[(path.clone(), Vec::new())]).unwrap_err();
        assert!(matches!(&error, WorkspaceError::NotAFile(named) if *named == path), "{error}");
    }
    assert_eq!(describe(&workspace), before);
}

#[test]
fn a_mutant_brings_a_file_back_that_the_tree_does_not_have() {
    let (_directory, tree) = source();
    let (_scratch, _golden, mut workspace) = made(&std::env::temp_dir(), &tree);
    let before = describe(&workspace);
    let files = [(rel("gone.py"), b"1".to_vec()), (rel("d/new/deep/b.py"), b"2".to_vec())];
    workspace.write(&files).unwrap();
    for (path, bytes) in &files {
        let there = path.below(&workspace.tree());
        assert_eq!(fs::read(&there).unwrap(), *bytes);
        assert_eq!(fs::metadata(&there).unwrap().permissions().mode() & 0o777, 0o644);
    }
    workspace.reset(Certificate::new()).unwrap();
    assert_eq!(describe(&workspace), before);
}

#[test]
fn a_source_that_changes_before_the_copy_is_an_error() {
    type Change<'a> = &'a dyn Fn(&Path);
    let changes: [(&str, Change<'_>); 4] = [
        ("a.py", &|path| fs::write(path, "x = 2\n").unwrap()),
        ("a.py", &|path| fs::remove_file(path).unwrap()),
        ("tool", &|path| fs::set_permissions(path, Permissions::from_mode(0o644)).unwrap()),
        ("d/b.py", &|path| {
            fs::remove_file(path).unwrap();
            symlink("../a.py", path).unwrap();
        }),
    ];
    for (name, change) in changes {
        let (_directory, tree) = source();
        let scratch = Scratch::create(&std::env::temp_dir(), &[tree.root()]).unwrap();
        let path = tree.root().join(name);
        change(&path);
        let error = Golden::create(&scratch, sources(&tree)).unwrap_err();
        assert!(matches!(&error, WorkspaceError::Changed(named) if *named == path), "{error}");
    }
}

#[test]
fn an_altered_golden_copy_is_never_used() {
    let (_directory, tree) = source();
    let (scratch, _golden, mut workspace) = made(&std::env::temp_dir(), &tree);
    let kept = scratch.path().join("golden").join(tree.file(&rel("a.py")).unwrap().to_string());
    for change in [Some("x = 2\n"), None] {
        match change {
            Some(text) => fs::write(&kept, text).unwrap(),
            None => fs::remove_file(&kept).unwrap(),
        }
        fs::remove_file(workspace.tree().join("a.py")).unwrap_or_default();
        let error = workspace.reset(Certificate::new()).unwrap_err();
        assert!(matches!(&error, WorkspaceError::Altered(named) if *named == kept), "{error}");
    }
}

#[test]
fn held_out_files_and_added_links_are_part_of_every_workspace() {
    let (_directory, tree) = source();
    let held = tempfile::tempdir().unwrap();
    fs::write(held.path().join("case"), "secret").unwrap();
    let heldout = snapshot(held.path(), &Choice::default(), &Silent).unwrap();
    let scratch = Scratch::create(&std::env::temp_dir(), &[tree.root()]).unwrap();
    let create = |path: &str| {
        let links = [(rel(path), PathBuf::from("/usr/lib"))];
        let sources =
            Sources { tree: &tree, heldout: Some(&heldout), links: &links, bytecode: None };
        Golden::create(&scratch, sources)
    };
    for path in ["a.py", "absent/x", "a.py/x", "link/x"] {
        assert!(matches!(create(path), Err(WorkspaceError::CannotLink(_))), "{path}");
    }
    let golden = create("d/node_modules").unwrap();
    let mut workspace = Workspace::create(&scratch, &golden, 7).unwrap();
    assert!(workspace.path().ends_with("w7"));
    let before = describe(&workspace);
    python(
        &workspace.tree(),
        "import os; open('../heldout/case', 'w'); os.remove('d/node_modules')",
        &[],
    );
    workspace.reset(Certificate::new()).unwrap();
    assert_eq!(describe(&workspace), before);
    assert_eq!(fs::read_to_string(workspace.tree().join("../heldout/case")).unwrap(), "secret");
    assert_eq!(
        fs::read_link(workspace.tree().join("d/node_modules")).unwrap(),
        Path::new("/usr/lib")
    );
}

#[test]
fn private_directories_are_there_empty_and_named_by_variables() {
    let (_directory, tree) = source();
    let (scratch, _golden, workspace) = made(&std::env::temp_dir(), &tree);
    let places = Places::below(workspace.path(), 3);
    let environment = Environment::for_run(|_| None, &places, &[], &[]);
    let private =
        environment.iter().filter(|(_, value)| Path::new(value).starts_with(scratch.path()));
    let private: Vec<_> = private.collect();
    for (name, path) in &private {
        let path = Path::new(path);
        assert!(
            path.starts_with(workspace.path()) && !path.starts_with(workspace.tree()),
            "{name:?}"
        );
        let mode = fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o700, "{name:?}");
        let empty = fs::read_dir(path).unwrap().all(|inner| inner.unwrap().path().is_dir());
        assert!(empty, "{name:?}");
    }
    assert_eq!(fs::metadata(scratch.path()).unwrap().permissions().mode() & 0o7777, 0o700);
    for wanted in ["HOME", "TMPDIR", "XDG_CONFIG_HOME", "PYTHONPYCACHEPREFIX", "CARGO_TARGET_DIR"] {
        assert!(private.iter().any(|(name, _)| *name == wanted), "{wanted}");
    }
}

/// Where the commands of a workspace put their bytecode.
fn pycache(workspace: &Workspace) -> PathBuf {
    Places::below(workspace.path(), 0).pycache
}

#[test]
fn whoever_shares_a_directory_has_layers_of_their_own() {
    let (_directory, tree) = source();
    let (_scratch, _golden, mut first) = made(&std::env::temp_dir(), &tree);
    let mut second = first.beside(1);
    let before = describe(&first);
    first.cover().unwrap();
    second.cover().unwrap();
    let place = first.tree().join("new");
    assert_eq!(second.tree(), first.tree());
    let [mine, theirs] = [&first, &second].map(|workspace| workspace.written(&place));
    assert_ne!(mine, theirs);
    for written in [&mine, &theirs] {
        fs::create_dir_all(written.parent().unwrap()).unwrap();
        fs::write(written, "written by a command").unwrap();
    }
    first.reset(Certificate::new()).unwrap();
    assert!(!mine.exists() && theirs.exists());
    second.reset(Certificate::new()).unwrap();
    assert!(!theirs.exists());
    assert_eq!(describe(&first), before);
}
