//! Listings and digests of trees of every odd kind.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::Mutex;

use super::testing::{as_ordinary_user, python};
use super::*;
use crate::base::{Event, Silent, Sink};

#[derive(Default)]
struct Heard(Mutex<Vec<Event>>);

impl Sink for Heard {
    fn tell(&self, event: Event) {
        self.0.lock().unwrap().push(event);
    }
}

fn rel(path: &str) -> RelPath {
    RelPath::new(path.as_bytes()).unwrap()
}

fn write(root: &Path, path: &str, text: &str) {
    fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
    fs::write(root.join(path), text).unwrap();
}

fn mode(root: &Path, path: &str, mode: u32) {
    fs::set_permissions(root.join(path), Permissions::from_mode(mode)).unwrap();
}

fn fifo(root: &Path, path: &str) {
    python(root, "import os, sys; os.mkfifo(sys.argv[1])", &[Path::new(path)]);
}

fn list(root: &Path) -> Snapshot {
    snapshot(root, &Choice::default(), &Silent).unwrap()
}

fn paths(snapshot: &Snapshot) -> Vec<String> {
    snapshot.entries().iter().map(|entry| entry.path.to_string()).collect()
}

fn left_out(snapshot: &Snapshot) -> Vec<String> {
    snapshot.left_out().iter().map(ToString::to_string).collect()
}

#[test]
fn names_are_bytes_and_never_patterns() {
    let scratch = tempfile::tempdir().unwrap();
    for root in
        [b"a+b".as_slice(), b"a b", b"[x]", b"*", b"new\nline", b"\xff\xfe", b"{a,b}", b"!x"]
    {
        let root = scratch.path().join(OsStr::from_bytes(root));
        fs::create_dir(&root).unwrap();
        for name in [b"a+b".as_slice(), b"[x]", b"x", b"*", b"line\n2", b"\xff", b"-rf", b" ", b"~"]
        {
            fs::write(root.join(OsStr::from_bytes(name)), name).unwrap();
        }
        let listed = list(&root);
        let names = [" ", "*", "-rf", "[x]", "a+b", "line\\n2", "x", "~", "\\xff"];
        assert_eq!(paths(&listed), names);
        for (path, ..) in listed.files() {
            assert_eq!(listed.read(path).unwrap(), path.as_bytes());
        }
    }
}

#[test]
fn everything_else_is_listed_with_its_mode_and_target() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    write(root, "pkg/a.py", "x = 1\n");
    write(root, "pkg/tests/data.snap", "");
    write(root, ".ignore", "*.snap\n");
    write(root, ".gitignore", "*\n");
    write(root, "tool", "#!");
    write(root, "a-b", "");
    write(root, "a/b", "");
    fs::create_dir(root.join("empty")).unwrap();
    for (name, target) in
        [("in", "pkg/a.py"), ("dangling", "/no/where"), ("loop", "loop"), ("up", "..")]
    {
        symlink(target, root.join(name)).unwrap();
    }
    mode(root, "tool", 0o4755);
    mode(root, "empty", 0o555);
    let listed = list(root);
    let all = [
        ".gitignore",
        ".ignore",
        "a",
        "a-b",
        "a/b",
        "dangling",
        "empty",
        "in",
        "loop",
        "pkg",
        "pkg/a.py",
        "pkg/tests",
        "pkg/tests/data.snap",
        "tool",
        "up",
    ];
    assert_eq!(paths(&listed), all);
    assert!(listed.left_out().is_empty());
    let kind = |path: &str| listed.get(&rel(path)).unwrap().kind.clone();
    assert_eq!(kind("tool"), Kind::File { sha256: Sha256::of(b"#!"), size: 2, mode: 0o755 });
    assert_eq!(kind("empty"), Kind::Directory { mode: 0o555 });
    assert_eq!(kind("dangling"), Kind::Link { target: "/no/where".into() });
    assert_eq!(kind("up"), Kind::Link { target: "..".into() });
    assert_eq!(listed.file(&rel("in")), None);
    assert_eq!(listed.get(&rel("in/x")), None);
    let linked = scratch.path().with_extension("linked");
    symlink(root, &linked).unwrap();
    assert_eq!(list(&linked).root(), list(root).root());
    fs::remove_file(linked).unwrap();
}

#[test]
fn defaults_leave_out_what_is_no_source_and_say_why() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let tag = "Signature: 8a477f597d28d172789f06886806bc55\n# a cache";
    for (path, text) in [
        ("a.py", ""),
        (".hg/store", ""),
        ("sub/.git", "gitdir: ../elsewhere"),
        ("crate/target/debug/x", ""),
        ("web/node_modules/x", ""),
        (".venv/bin/python", ""),
        ("venv/pyvenv.cfg", ""),
        ("no/venv/code.py", ""),
        ("pkg/__pycache__/a.pyc", ""),
        ("cached/CACHEDIR.TAG", tag),
        ("cached/deep/x", ""),
        ("untagged/CACHEDIR.TAG", "Signature: something else, forty-three bytes long"),
        ("old/run.json", r#"{"tool": "x", "format": "adequacy-run/1", "more": []}"#),
        ("other/run.json", r#"{"format": "another/1"}"#),
        ("third/run.json", "not JSON"),
        ("files/target", "a file may be called so"),
        ("x.egg-info/PKG-INFO", ""),
    ] {
        write(root, path, text);
    }
    let expected = [
        "`.hg` (version control)",
        "`.venv` (Python environment)",
        "`cached` (tagged CACHEDIR.TAG)",
        "`crate/target` (build output)",
        "`old` (output of an earlier run)",
        "`pkg/__pycache__` (cache)",
        "`sub/.git` (version control)",
        "`venv` (Python environment)",
        "`web/node_modules` (installed packages)",
    ];
    let heard = Heard::default();
    let listed = snapshot(root, &Choice::default(), &heard).unwrap();
    assert_eq!(left_out(&listed), expected);
    let notes = heard.0.into_inner().unwrap();
    assert_eq!(notes, [Event::Note(format!("left out of the copies: {}", expected.join(", ")))]);
    for kept in ["no/venv/code.py", "untagged/CACHEDIR.TAG", "other/run.json", "third/run.json"] {
        assert!(listed.file(&rel(kept)).is_some(), "{kept}");
    }
    assert!(listed.file(&rel("files/target")).is_some());
    assert!(listed.file(&rel("x.egg-info/PKG-INFO")).is_some());
    // As a root of its own each of them is a tree like any other.
    for root in ["cached", "old", "crate/target", ".venv", "venv"] {
        assert!(list(&scratch.path().join(root)).left_out().is_empty(), "{root}");
    }
}

#[test]
fn a_choice_goes_by_name_or_path_and_tells_what_met_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    for path in ["a/target/x", "b/target/x", "a/__pycache__/x", "drop/x", "a/drop", "b/c/x", "c/x"]
    {
        write(root, path, "");
    }
    let choice = Choice {
        keep: vec![rel("a/target"), rel("__pycache__"), rel("typo")],
        exclude: vec![rel("drop"), rel("b/c"), rel("b/typo")],
        ..Choice::default()
    };
    let listed = snapshot(root, &choice, &Silent).unwrap();
    let out = [
        "`a/drop` (excluded)",
        "`b/c` (excluded)",
        "`b/target` (build output)",
        "`drop` (excluded)",
    ];
    assert_eq!(left_out(&listed), out);
    for kept in ["a/target/x", "a/__pycache__/x", "c/x"] {
        assert!(listed.file(&rel(kept)).is_some(), "{kept}");
    }
    assert_eq!(listed.unmatched(), [rel("typo"), rel("b/typo")]);
    let both = Choice { keep: vec![rel("c")], exclude: vec![rel("c")], ..Choice::default() };
    assert_eq!(snapshot(root, &both, &Silent).unwrap().file(&rel("c/x")), None);
}

#[test]
fn what_cannot_be_copied_is_never_opened_and_warned_of_once() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    write(root, "a", "");
    write(root, "b", "");
    fs::hard_link(root.join("a"), root.join("a2")).unwrap();
    fs::hard_link(root.join("a"), root.join("a3")).unwrap();
    fs::hard_link(root.join("b"), scratch.path().with_extension("outside")).unwrap();
    fifo(root, "pipe");
    // Would be looked into if they were files.
    fs::create_dir(root.join("d")).unwrap();
    fifo(root, "d/run.json");
    fifo(root, "d/CACHEDIR.TAG");
    let _socket = UnixListener::bind(root.join("s.sock")).unwrap();
    let heard = Heard::default();
    let choice = Choice { keep: vec![rel("pipe")], ..Choice::default() };
    let listed = snapshot(root, &choice, &heard).unwrap();
    fs::remove_file(scratch.path().with_extension("outside")).unwrap();
    assert_eq!(paths(&listed), ["a", "a2", "a3", "b", "d"]);
    let heard = heard.0.into_inner().unwrap();
    let [Event::Warning(special), Event::Note(linked)] = heard.as_slice() else {
        panic!("{heard:?}")
    };
    let list = "`d/CACHEDIR.TAG` (named pipe), `d/run.json` (named pipe), `pipe` (named pipe), `s.sock` (socket)";
    assert!(special.ends_with(list), "{special}");
    assert!(linked.starts_with("2 files"), "{linked}");
}

#[test]
fn what_cannot_be_read_is_an_error_that_names_it() {
    as_ordinary_user(|| {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        write(root, "a", "");
        write(root, "d/shut", "");
        for path in ["d/shut", "d"] {
            mode(root, path, 0);
            let error = snapshot(root, &Choice::default(), &Silent).unwrap_err();
            let TreeError::Io { path: named, source, .. } = &error else { panic!("{error}") };
            assert_eq!(*named, root.canonicalize().unwrap().join(path));
            assert_eq!(source.kind(), io::ErrorKind::PermissionDenied);
        }
        mode(root, "d", 0o755);
    });
}

#[test]
fn a_root_that_is_none_is_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let refused = |path: &str| snapshot(&root.join(path), &Choice::default(), &Silent).unwrap_err();
    assert!(matches!(refused("absent"), TreeError::Io { .. }));
    write(root, "file", "");
    assert!(matches!(refused("file"), TreeError::NotADirectory(_)));
    write(root, "only/.git/config", "");
    assert!(matches!(refused("only"), TreeError::NoFiles { .. }));
}

#[test]
fn a_change_after_the_listing_is_noticed_on_reading() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    for name in ["written", "gone", "piped", "linked", "same"] {
        write(root, name, "old");
    }
    let listed = list(root);
    write(root, "written", "new");
    for name in ["gone", "piped", "linked"] {
        fs::remove_file(root.join(name)).unwrap();
    }
    fifo(root, "piped");
    symlink("same", root.join("linked")).unwrap();
    assert_eq!(listed.read(&rel("same")).unwrap(), b"old");
    assert!(matches!(listed.read(&rel("written")), Err(TreeError::Changed(_))));
    assert!(matches!(listed.read(&rel("piped")), Err(TreeError::Changed(_))));
    assert!(matches!(listed.read(&rel("gone")), Err(TreeError::Io { .. })));
    assert!(matches!(listed.read(&rel("linked")), Err(TreeError::Io { .. })));
    assert!(matches!(listed.read(&rel("absent")), Err(TreeError::NoSuchFile(_))));
}

#[test]
fn the_digest_is_the_documented_one() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    write(root, "d/f", "one");
    write(root, "x", "two");
    mode(root, "x", 0o701);
    symlink("d/f", root.join("l")).unwrap();
    let own = r"
import hashlib
def entry(letter, path, content=b''):
    return letter + len(path).to_bytes(8, 'big') + path + content
def sha(b): return hashlib.sha256(b).digest()
print(hashlib.sha256(b'adequacy-tree/1\n' + entry(b'd', b'd') + entry(b'f', b'd/f', sha(b'one'))
    + entry(b'l', b'l', sha(b'd/f')) + entry(b'x', b'x', sha(b'two'))).hexdigest())
";
    assert_eq!(list(root).digest().to_string(), python(root, own, &[]).trim());
}

#[test]
fn the_digest_sees_every_change_but_times_and_other_mode_bits() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    write(root, "d/f", "one");
    symlink("x", root.join("l")).unwrap();
    let mut seen = vec![list(root).digest()];
    mode(root, "d/f", 0o600);
    mode(root, "d", 0o700);
    write(root, "d/f", "one");
    assert_eq!(list(root).digest(), seen[0]);
    let steps: [&dyn Fn(); 7] = [
        &|| mode(root, "d/f", 0o700),
        &|| write(root, "d/f", "two"),
        &|| fs::create_dir(root.join("e")).unwrap(),
        &|| fs::rename(root.join("e"), root.join("e2")).unwrap(),
        &|| fs::rename(root.join("d/f"), root.join("f")).unwrap(),
        &|| fs::remove_file(root.join("l")).unwrap(),
        &|| symlink("y", root.join("l")).unwrap(),
    ];
    for step in steps {
        step();
        let digest = list(root).digest();
        assert!(!seen.contains(&digest));
        seen.push(digest);
    }
}
