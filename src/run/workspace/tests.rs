//! What commands do to a workspace, and that nothing of it is left afterwards.

use std::fs::{self, Permissions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::*;
use crate::base::Silent;
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
        "odd names",
        "[open(n, 'w') for n in (b'\\xff\\xfe', b'a\\nb', b' ', b'-rf', b'*', b'x' * 255)]",
    ),
    (
        "default permissions for what is made later",
        "attr('d', 'system.posix_acl_default', bytes.fromhex('0200000001000700ffffffff04000700ffffffff20000700ffffffff'))",
    ),
];

/// The file system may not have them.
const MAY_DO_NOTHING: &[&str] =
    &["nothing", "extended attributes", "default permissions for what is made later"];

const PRELUDE: &str = r"
import mmap, os, shutil, socket
def attr(path, name='user.a', value=b'1'):
    try:
        os.setxattr(path, name, value)
    except OSError:
        pass
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
