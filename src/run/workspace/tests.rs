//! What commands do to a workspace, and that nothing of it is left afterwards.

use std::fs::{self, Permissions};
use std::io::{BufRead as _, BufReader};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::*;
use crate::base::Silent;
use crate::run::environment::{Environment, Places};
use crate::tree::testing::{as_ordinary_user, python};
use crate::tree::{Choice, Snapshot, snapshot};

/// Prints everything about a directory that a reset must bring back, by means of its own.
const DESCRIBE: &str = r#"
import hashlib, os, stat, sys
def walk(path, shown):
    s = os.lstat(path)
    line = [shown, oct(s.st_mode), s.st_uid, s.st_gid, s.st_mtime_ns]
    if stat.S_ISLNK(s.st_mode):
        line.append(os.readlink(path))
    else:
        try:
            line.append([(x, os.getxattr(path, x)) for x in sorted(os.listxattr(path))])
        except OSError:
            pass
    names = []
    try:
        if stat.S_ISREG(s.st_mode):
            line += [s.st_nlink, s.st_size]
            with open(path, 'rb') as f:
                line.append(hashlib.sha256(f.read()).hexdigest())
        if stat.S_ISDIR(s.st_mode) and shown.count(b'/') < 50:
            names = sorted(os.listdir(path))
    except PermissionError:
        line.append('shut')
    print(line)
    for name in names:
        walk(os.path.join(path, name), shown + b'/' + name)
walk(os.fsencode(sys.argv[1]), b'.')
"#;

/// Name and Python text of what a hostile command does, with the tree as its working directory.
const ATTACKS: &[(&str, &str)] = &[
    ("nothing", "pass"),
    (
        "same size, times put back",
        "s = os.stat('a.py'); open('a.py', 'r+').write('X'); os.utime('a.py', ns=(s.st_atime_ns, s.st_mtime_ns))",
    ),
    (
        "mode of everything",
        "[os.chmod(os.path.join(d, n), 0o777) for d, ds, fs in os.walk('.') for n in ds + fs if not os.path.islink(os.path.join(d, n))]",
    ),
    (
        "rename over, times put back",
        "s = os.stat('a.py'); open('x', 'w').write('y = 1\\n'); os.utime('x', ns=(s.st_atime_ns, s.st_mtime_ns)); os.rename('x', 'a.py')",
    ),
    (
        "new things of every kind",
        "open('new', 'w'); os.makedirs('newdir/deep'); open('newdir/deep/f', 'w'); os.mkfifo('pipe'); os.symlink('a.py', 'newlink'); socket.socket(socket.AF_UNIX).bind('sock'); open('../beside', 'w'); open('../home/.profile', 'w'); open('../tmp/t', 'w'); open('../cache/pycache/p', 'w')",
    ),
    ("directory gone", "shutil.rmtree('d')"),
    ("link elsewhere", "os.remove('link'); os.symlink('/etc/passwd', 'link')"),
    ("link becomes a file", "os.remove('link'); open('link', 'w').write('x = 1\\n')"),
    (
        "hard links inside and outside",
        "os.link('a.py', 'd/hard'); os.link('swap1', '../hard'); os.remove('swap2'); os.link('swap1', 'swap2')",
    ),
    (
        "directory replaced by one with the same content",
        "shutil.copytree('d', 'd2', symlinks=True); shutil.rmtree('d'); os.rename('d2', 'd')",
    ),
    ("directory replaced by a link", "os.rename('d', '../tmp/d'); os.symlink('../tmp/d', 'd')"),
    ("extended attributes", "attr('a.py'); attr('d'); attr('.')"),
    ("file becomes a directory", "os.remove('a.py'); os.makedirs('a.py/b')"),
    (
        "no access",
        "os.chmod('a.py', 0); os.mkdir('shut'); open('shut/f', 'w'); os.chmod('shut', 0); os.chmod('d/e', 0); os.chmod('d', 0); os.chmod('../home', 0)",
    ),
    (
        "two files swapped",
        "os.rename('swap1', 'x'); os.rename('swap2', 'swap1'); os.rename('x', 'swap2')",
    ),
    (
        "inside a read-only directory",
        "os.chmod('ro', 0o755); os.chmod('ro/f', 0o644); open('ro/f', 'a').write('more'); open('ro/new', 'w'); os.chmod('ro/f', 0o444); os.chmod('ro', 0o555)",
    ),
    (
        "mapped, read, then written, times put back",
        "f = open('d/b.py', 'r+b'); s = os.stat('d/b.py'); m = mmap.mmap(f.fileno(), 0); m[0]; m[0:1] = b'Z'; m.flush(); m.close(); os.utime('d/b.py', ns=(s.st_atime_ns, s.st_mtime_ns))",
    ),
    (
        "mapped, read, then written",
        "f = open('d/b.py', 'r+b'); m = mmap.mmap(f.fileno(), 0); m[0]; m[0:1] = b'Z'; m.close()",
    ),
    (
        "everything gone",
        "[shutil.rmtree(n) if os.path.isdir(n) and not os.path.islink(n) else os.remove(n) for n in os.listdir('.') if n != 'ro']; shutil.rmtree('../home'); shutil.rmtree('../cache'); os.rmdir('../tmp')",
    ),
    ("the tree renamed away", "os.rename('../tree', '../gone')"),
    ("a thousand directories deep", "for i in range(1000): os.mkdir('deep'); os.chdir('deep')"),
    (
        "another owner",
        "root(lambda: [os.chown(n, 1, 1, follow_symlinks=False) for n in ('a.py', 'd', 'link', '.', '../home')])",
    ),
    (
        "made immutable",
        "open('a.py', 'w').write('changed'); root(lambda: [immutable(n) for n in ('a.py', 'd')])",
    ),
    (
        "another owner",
        "root(lambda: [os.chown(n, 1, 1, follow_symlinks=False) for n in ('a.py', 'd', 'link', '.', '../home')])",
    ),
    ("made immutable", "open('a.py', 'w').write('changed'); root(lambda: immutable('a.py'))"),
    (
        "odd names",
        "[open(n, 'w') for n in (b'\\xff\\xfe', b'a\\nb', b' ', b'-rf', b'*', b'x' * 255)]",
    ),
    (
        "default permissions for what is made later",
        "attr('d', 'system.posix_acl_default', bytes.fromhex('0200000001000700ffffffff04000700ffffffff20000700ffffffff'))",
    ),
];

/// The file system may not have them, or the user may not do them.
const MAY_DO_NOTHING: &[&str] = &[
    "nothing",
    "extended attributes",
    "default permissions for what is made later",
    "another owner",
];

const PRELUDE: &str = r"
import fcntl, mmap, os, shutil, socket, struct
def attempt(step):
    try:
        step()
    except OSError:
        pass
def attr(path, name='user.a', value=b'1'):
    attempt(lambda: os.setxattr(path, name, value))
def root(step):
    os.geteuid() or attempt(step)
def immutable(path):
    with open(path) as f:
        fcntl.ioctl(f, 0x40086602, struct.pack('l', 0x10))
";

fn describe(workspace: &Workspace) -> String {
    python(Path::new("/"), DESCRIBE, &[workspace.path()])
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
struct Cleared(tempfile::TempDir);

impl Drop for Cleared {
    fn drop(&mut self) {
        let _ = fs::set_permissions(self.0.path().join("ro"), Permissions::from_mode(0o755));
    }
}

fn source() -> (Cleared, Snapshot) {
    let directory = tempfile::tempdir().unwrap();
    fixture(directory.path());
    let snapshot = snapshot(directory.path(), &Choice::default(), &Silent).unwrap();
    (Cleared(directory), snapshot)
}

fn sources(tree: &Snapshot) -> Sources<'_> {
    Sources { tree, heldout: None, links: &[] }
}

fn made(base: &Path, tree: &Snapshot) -> (Scratch, Golden, Workspace) {
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
fn every_attack_is_undone() {
    as_each_user(|| {
        let (_directory, tree) = source();
        for base in bases() {
            let (_scratch, _golden, mut workspace) = made(&base, &tree);
            let before = describe(&workspace);
            assert!(before.contains("deep.txt") && before.contains("dangling"), "{before}");
            for (name, text) in ATTACKS {
                let text = format!("{PRELUDE}{text}\n{DESCRIBE}");
                let after = python(&workspace.tree(), &text, &[workspace.path()]);
                assert!(MAY_DO_NOTHING.contains(name) || after != before, "{name} does nothing");
                workspace.reset(Certificate::new()).unwrap();
                assert_eq!(describe(&workspace), before, "after: {name}, in {base:?}");
            }
        }
    });
}

#[test]
fn looks_are_trusted_only_where_they_cannot_be_forged() {
    let (_directory, tree) = source();
    for base in bases() {
        let kind = rustix::fs::statfs(&base).unwrap().f_type as u64;
        let scratch = Scratch::create(&base, &[tree.root()]).unwrap();
        // Only these can be trusted, and of ext4 only what keeps fine times; tmpfs never.
        if ![0xEF53, 0x5846_5342, 0x9123_683E].contains(&kind) {
            assert_eq!(scratch.soundness(), Soundness::Content, "{base:?}");
        }
    }
}

#[test]
fn contents_tell_what_looks_do_not_whatever_the_file_system() {
    // As on tmpfs: what is seen of the file is still what was noted, only its bytes are others.
    let (_directory, tree) = source();
    let (_scratch, _golden, mut workspace) = made(&std::env::temp_dir(), &tree);
    let before = describe(&workspace);
    fs::write(workspace.tree().join("a.py"), "x = 9\n").unwrap();
    let index = workspace.listing.find(b"tree/a.py").unwrap();
    let root = workspace.open().unwrap();
    let met = crate::tree::stat_at(root.as_fd(), c"tree/a.py").unwrap();
    workspace.seen[index].as_mut().unwrap().met = met;
    workspace.soundness = Soundness::Content;
    workspace.reset(Certificate::new()).unwrap();
    assert_eq!(describe(&workspace), before);
}

#[test]
fn a_process_that_kept_a_file_open_writes_into_an_orphan() {
    let (_directory, tree) = source();
    for base in bases() {
        let (_scratch, _golden, mut workspace) = made(&base, &tree);
        let before = describe(&workspace);
        let text = "f = open('a.py', 'r+'); f.write('1'); f.flush(); print(flush=True); input(); f.write('2'); f.flush()";
        let mut survivor = Command::new("python3")
            .args(["-ISc", text])
            .current_dir(workspace.tree())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        BufReader::new(survivor.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
        workspace.reset(Certificate::new()).unwrap();
        std::io::Write::write_all(&mut survivor.stdin.take().unwrap(), b"\n").unwrap();
        assert!(survivor.wait().unwrap().success());
        assert_eq!(describe(&workspace), before);
    }
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
            "shutil.rmtree('../../w0r2', onerror=lambda *_: None); attempt(lambda: os.rmdir('../../w0r2'))",
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
        fs::set_permissions(workspace.path(), Permissions::from_mode(0)).unwrap();
        workspace.replace().unwrap();
        fs::set_permissions(workspace.path(), Permissions::from_mode(0)).unwrap();
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
    for path in ["link", "dangling", "d", "absent", "d/up/a.py", "link/x", "../home/x"] {
        let Ok(path) = RelPath::new(path.as_bytes()) else { continue };
        let error = workspace.write(&[(path.clone(), Vec::new())]).unwrap_err();
        assert!(matches!(&error, WorkspaceError::NotAFile(named) if *named == path), "{error}");
    }
    assert_eq!(describe(&workspace), before);
}

#[test]
fn a_source_that_changes_before_the_copy_is_an_error() {
    let changes: [(&str, &dyn Fn(&Path)); 4] = [
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
        let sources = Sources { tree: &tree, heldout: Some(&heldout), links: &links };
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
