//! The copies the commands run in: what is in them, under which names, and that nothing is written
//! through them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use crate::harness::Sandbox;

const ONE_KILLED: &str =
    "1 mutants: 1 killed (0 by time-out), 0 survived, 0 undecided; 0 unviable, 0 not built";

/// A tree of one source, and a shell script that sees its mutant and then does `more`.
fn sighted(more: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("tree/product.py", "X = 1 + 1\n").write("tree/check.sh", script(more));
    sandbox
}

fn script(more: &str) -> String {
    format!("set -e\n{more}\ngrep -q '^X = 1 + 1' product.py\n! grep -q '^raise' product.py\n")
}

const CHECK: [&str; 5] = ["--operator", "binop-swap", "--", "sh", "check.sh"];

#[test]
fn links_are_copied_as_links_and_never_written_through() {
    let sandbox = sighted(
        "test -L outside && test -L inside && test -L dangling && test -L loop\n\
         test \"$(cat inside)\" = data\n\
         test -L linked.py\n\
         test ! -e /nonexistent",
    );
    sandbox.write("tree/data", "data").write("outside.py", "X = 1 + 1\n").write("secret", "kept");
    let link = |target: &str, name: &str| symlink(target, sandbox.path("tree").join(name));
    link(&sandbox.path("secret").display().to_string(), "outside").expect("a link");
    link("data", "inside").expect("a link");
    link("/nonexistent/x", "dangling").expect("a link");
    link("loop", "loop").expect("a link");
    // A source that is a link is no file of the tree: it is not mutated.
    link("../outside.py", "linked.py").expect("a link");
    let ran = sandbox.measure(&CHECK).run();
    ran.exits(0).totals(ONE_KILLED);
    assert_eq!(sandbox.read("outside.py"), "X = 1 + 1\n");
    assert_eq!(sandbox.read("secret"), "kept");
}

#[test]
fn pipes_and_sockets_are_left_out_with_one_warning() {
    let sandbox = sighted("test ! -e pipe && test ! -e dir/socket");
    fs::create_dir(sandbox.path("tree/dir")).expect("a folder");
    let made = std::process::Command::new("mkfifo").arg(sandbox.path("tree/pipe")).status();
    assert!(made.is_ok_and(|status| status.success()));
    // Made in its place: the names of sockets are limited.
    let _socket = UnixListener::bind(sandbox.path("tree/dir/socket")).expect("a socket");
    let ran = sandbox.measure(&CHECK).run();
    ran.exits(0).totals(ONE_KILLED);
    ran.tells("`dir/socket` (socket), `pipe` (named pipe)");
    ran.same(ran.err.matches("cannot be copied").count(), 1);
}

#[test]
fn every_kind_of_file_is_copied_whatever_ignore_files_say() {
    let sandbox = sighted(
        "test \"$(cat data.json)\" = '{}'\n\
         test -f a.snap && test -d empty && test -x tool && test ! -x data.json\n\
         test \"$(cat locked/file)\" = kept\n\
         test -f .hidden && test -f vendor/.gitignore\n\
         test -f $(printf 'd%.0s' $(seq 200))/$(printf 'f%.0s' $(seq 200))",
    );
    // One above the root is read no more than those inside.
    sandbox.write(".gitignore", "*\n");
    sandbox.write(format!("tree/{}/{}", "d".repeat(200), "f".repeat(200)), "");
    for (path, text) in [
        ("data.json", "{}"),
        ("a.snap", ""),
        (".ignore", "*.snap\n"),
        (".gitignore", "*\n"),
        (".hidden", ""),
        ("vendor/.gitignore", "*\n"),
        ("tool", "#!/bin/sh\n"),
        ("locked/file", "kept"),
    ] {
        sandbox.write(format!("tree/{path}"), text);
    }
    fs::create_dir(sandbox.path("tree/empty")).expect("a folder");
    crate::harness::executable(&sandbox.path("tree/tool"));
    let mode = |path: &str, mode| {
        fs::set_permissions(sandbox.path(path), fs::Permissions::from_mode(mode)).expect("ours");
    };
    mode("tree/locked/file", 0o444);
    mode("tree/locked", 0o555);
    let ran = sandbox.measure(&CHECK).run();
    mode("tree/locked", 0o755);
    ran.exits(0).totals(ONE_KILLED);
}

#[test]
fn what_is_left_out_is_shown_and_can_be_kept() {
    let gone = "for d in .git target node_modules .venv .tox tagged; do test ! -e $d; done";
    let sandbox = sighted(gone);
    for path in [".git/HEAD", "target/x", "node_modules/x", ".venv/x", ".tox/x", "tagged/x"] {
        sandbox.write(format!("tree/{path}"), "x");
    }
    sandbox.write("tree/tagged/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n");
    let ran = sandbox.measure(&CHECK).run();
    ran.exits(0).totals(ONE_KILLED);
    for shown in [
        "`.git` (version control)",
        "`target` (build output)",
        "`node_modules` (installed packages)",
        "`.venv` (Python environment)",
        "`.tox` (Python environment)",
        "`tagged` (tagged CACHEDIR.TAG)",
    ] {
        ran.tells(shown);
    }
    sandbox
        .write("tree/check.sh", script("test -f .git/HEAD && test -f target/x && test ! -e .tox"));
    let words = [&["--keep", ".git", "--keep", "target"][..], &CHECK].concat();
    sandbox.measure(&words).run().exits(0).totals(ONE_KILLED);
    let words = [&["--leave-out", "product.py"][..], &CHECK].concat();
    sandbox.measure(&words).run().exits(5);
}

#[test]
fn an_environment_that_the_command_names_is_linked_and_not_mutated() {
    let sandbox = Sandbox::with("calc");
    sandbox.write("tree/.venv/lib/helper.py", "X = 1 + 1\n");
    sandbox.write("tree/.venv/bin/tool", "#!/bin/sh\nexec python3 \"$@\"\n");
    crate::harness::executable(&sandbox.path("tree/.venv/bin/tool"));
    let words = ["--include", "calc.py", "--operator", "binop-swap", "--", ".venv/bin/tool"];
    let ran = sandbox.measure(&[&words[..], &["check.py"]].concat()).run();
    ran.exits(0).totals(ONE_KILLED);
    ran.tells("note: the copies link to `.venv` of your tree and do not copy it: `.venv/bin/tool check.py` names it");
    ran.same(ran.err.matches("the copies link to").count(), 1);
    let run = sandbox.json("adequacy.out/run.json");
    ran.same(run["linked"].clone(), serde_json::json!([".venv"]));
    sandbox.write("tree/node_modules/x.py", "X = 1 + 1\n");
    let words = ["--include", "calc.py", "--operator", "binop-swap", "--", "sh", "-c"];
    let script = "test ! -e .venv && test ! -e node_modules && exec python3 check.py";
    sandbox.measure(&[&words[..], &[script]].concat()).run().exits(0).totals(ONE_KILLED);
}

#[test]
fn a_write_into_a_linked_environment_is_prevented_or_noticed() {
    let sandbox = Sandbox::with("calc");
    let tool = "#!/bin/sh\necho written > .venv/state\nexec python3 \"$@\"\n";
    sandbox.write("tree/.venv/bin/tool", tool);
    crate::harness::executable(&sandbox.path("tree/.venv/bin/tool"));
    let words = ["--include", "calc.py", "--operator", "binop-swap", "--", ".venv/bin/tool"];
    let words = [&words[..], &["check.py"]].concat();
    let ran = sandbox.measure(&[&["--isolation", "landlock"], &words[..]].concat()).run();
    // Where there is no Landlock, that is said instead.
    ran.exits_one_of(&[0, 11]);
    let ran = sandbox.measure(&[&["--isolation", "none"], &words[..]].concat());
    let ran = ran.writes_tree().run();
    ran.exits(9).tells("which the copies link to").same(ran.out.as_str(), "");
}

#[test]
fn an_editable_install_is_named_with_the_way_out() {
    let sandbox = Sandbox::with("calc");
    let made = std::process::Command::new("python3")
        .args(["-m", "venv", "--without-pip", "--symlinks"])
        .arg(sandbox.path("tree/.venv"))
        .status();
    assert!(made.is_ok_and(|status| status.success()), "python3 -m venv");
    let site = fs::read_dir(sandbox.path("tree/.venv/lib")).expect("its lib").flatten().next();
    let site = site.expect("a version").path().join("site-packages");
    let root = sandbox.path("tree").display().to_string();
    fs::write(site.join("__editable__.calc-1.pth"), format!("{root}\n")).expect("its site");
    fs::create_dir(sandbox.path("tree/tests")).expect("a folder");
    fs::rename(sandbox.path("tree/check.py"), sandbox.path("tree/tests/check.py")).expect("moved");
    let words = ["--operator", "binop-swap", "--", ".venv/bin/python", "tests/check.py"];
    let ran = sandbox.measure(&words).run();
    ran.exits(7).tells("not_under_test").tells("__editable__.calc-1.pth").tells("PYTHONPATH");
    // The way out that it names.
    sandbox.write(
        "tree/adequacy.toml",
        "[[acceptance]]\nid = 'unit'\nargv = ['.venv/bin/python', 'tests/check.py']\n\
         [env]\nset = { PYTHONPATH = '.' }\n",
    );
    sandbox.measure(&["--operator", "binop-swap"]).run().exits(0).totals(ONE_KILLED);
}

#[test]
fn a_program_in_a_directory_with_a_space_is_one_word() {
    let sandbox = sighted("");
    let tool = "#!/bin/sh\ntest \"$1\" = 'two words' && test $# = 1 && exec sh check.sh\n";
    sandbox.write("tree/Chapter 10/tool", tool);
    crate::harness::executable(&sandbox.path("tree/Chapter 10/tool"));
    let words = ["--operator", "binop-swap", "--", "./Chapter 10/tool", "two words"];
    sandbox.measure(&words).run().exits(0).totals(ONE_KILLED).tells("no task file: bare tree");
}

#[test]
fn no_name_is_a_pattern() {
    for name in ["a+b", "a b", "[x]", "a\nb", "-j", "%41", "caf\u{e9}"] {
        let sandbox = Sandbox::new();
        sandbox.write(format!("{name}/product.py"), "X = 1 + 1\n");
        sandbox.write(format!("{name}/check.sh"), script("test -f '[a]*'"));
        sandbox.write(format!("{name}/[a]*"), "");
        sandbox.write(format!("{name}/[p]kg/+x y.py"), "X = 1 - 1\n");
        let path = format!("./{name}");
        let words = ["measure", &path, "--baselines", "1", "-j", "1"];
        let ran = sandbox.call(words.iter().chain(&CHECK)).run();
        ran.exits(0).totals(
            "2 mutants: 1 killed (0 by time-out), 1 survived, 0 undecided; 0 unviable, 0 not built",
        );
        ran.tells("running the unmutated tree: 1\n");
    }
}

#[test]
fn names_that_are_not_utf8_are_copied_and_never_mutated() {
    let sandbox = sighted("test $(ls | wc -l) -eq 5");
    let name = |bytes: &[u8]| [sandbox.path("tree").as_os_str().as_bytes(), b"/", bytes].concat();
    for bytes in [&b"latin-\xe9.py"[..], b"line\nfeed.py", b"plain \xff data"] {
        fs::write(Path::new(OsStr::from_bytes(&name(bytes))), "X = 1 + 1\n")
            .expect("Linux takes it");
    }
    // The line feed makes one name two lines.
    sandbox.write("tree/check.sh", script("test $(ls | wc -l) -eq 6"));
    let ran = sandbox.measure(&CHECK).run();
    ran.exits(0).totals(ONE_KILLED);
    let listed = sandbox.call(["list", "tree", "--files"]).run();
    listed.exits(0).same(listed.out.matches("not UTF-8 or holds a control character").count(), 2);
}

#[test]
fn a_tree_below_a_root_that_is_not_utf8_is_measured() {
    let sandbox = sighted("");
    let odd = sandbox.path("odd").join(OsStr::from_bytes(b"r\xff\xfe"));
    fs::create_dir(sandbox.path("odd")).expect("a folder");
    fs::rename(sandbox.path("tree"), &odd).expect("Linux takes it");
    let words = ["measure", ".", "--baselines", "1", "-j", "1", "-o", "../../adequacy.out"];
    let script = "cd odd/* && exec \"$0\" \"$@\"";
    let call = sandbox.call(words.iter().chain(&CHECK)).through("sh", &["-c", script]);
    call.run().exits(0).totals(ONE_KILLED);
}

#[test]
fn output_that_is_not_utf8_and_sources_that_are_not_are_measured() {
    let sandbox = Sandbox::new();
    let latin = b"# -*- coding: latin-1 -*-\nNAME = '\xe9' + 'x'\nX = 1 + 1\n";
    sandbox.write("tree/product.py", latin);
    sandbox.write(
        "tree/check.py",
        "import sys, product\nsys.stdout.buffer.write(b'\\xe9\\xff\\x00\\n')\nassert product.X == 2\n",
    );
    let words =
        ["--operator", "binop-swap", "--include", "product.py", "--", "python3", "check.py"];
    let ran = sandbox.measure(&words).run();
    ran.exits(0).says("survived");
    let found = sandbox.outcomes();
    assert!(found.iter().any(|line| line.contains("product.py:3") && line.contains("killed")));
    let log = sandbox.bytes("adequacy.out/logs/baseline-1.0.command.log");
    ran.same(log, b"\xe9\xff\x00\n".to_vec());
}

#[test]
fn the_output_directory_in_the_tree_is_no_part_of_it() {
    let sandbox = sighted("test ! -e adequacy.out && test ! -e adequacy.out.old && test ! -e runs");
    let words = ["measure", ".", "--baselines", "1", "-j", "1"];
    for _ in 0..3 {
        let ran = sandbox.call(words.iter().chain(&CHECK)).inside("tree").run();
        ran.exits(0).totals(ONE_KILLED);
    }
    assert!(sandbox.path("tree/adequacy.out.old/run.json").exists());
    // An empty directory that was made for it beforehand.
    fs::create_dir(sandbox.path("tree/runs")).expect("a folder");
    let words = [&words[..], &["-o", "runs"], &CHECK].concat();
    sandbox.call(words).inside("tree").writes_tree().run().exits(0).totals(ONE_KILLED);
}
