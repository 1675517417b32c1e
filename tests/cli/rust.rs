//! Trees in Rust: what is mutated, what is built, and what a kill is. No crate here has a dependency
//! from elsewhere, so nothing is fetched.

use std::ffi::OsString;
use std::path::Path;

use serde_json::json;

use crate::harness::{Call, Sandbox, executable, search_path};

/// A path on which the toolchain of this test stands itself: a proxy would look for it in HOME.
pub(crate) fn toolchain() -> OsString {
    let mut path =
        Path::new(env!("CARGO")).parent().expect("cargo stands in a folder").as_os_str().to_owned();
    path.push(":");
    path.push(search_path());
    path
}

pub(crate) fn with_cargo(call: Call<'_>) -> Call<'_> {
    call.env("PATH", toolchain())
}

pub(crate) const MANIFEST: &str =
    "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";

#[test]
fn a_workspace_is_mutated_where_it_is_built() {
    let sandbox = Sandbox::with("rust-workspace");
    let words = ["measure", "tree", "--baselines", "1", "-j", "1", "--operator", "arithmetic-swap"];
    let command = ["--", "cargo", "test", "--workspace", "--offline"];
    let ran = with_cargo(sandbox.call(words.iter().chain(&command))).run();
    let app = "crates/app/src/main.rs:6 arithmetic-swap + -> ";
    let core = "crates/core/src/lib.rs:";
    let kills = "killed by command (exit)";
    ran.exits(0).same(
        sandbox.outcomes(),
        vec![
            format!("{app}*: {kills}"),
            format!("{app}-: {kills}"),
            format!("{core}16 arithmetic-swap * -> +: {kills}"),
            format!("{core}16 arithmetic-swap * -> /: {kills}"),
            format!("{core}21 arithmetic-swap * -> +: not_built"),
            format!("{core}21 arithmetic-swap * -> /: not_built"),
            "crates/core/src/range.rs:4 arithmetic-swap + -> *: survived".to_owned(),
            "crates/core/src/range.rs:4 arithmetic-swap + -> -: survived".to_owned(),
            "crates/core/src/windows.rs:4 arithmetic-swap + -> *: not_built".to_owned(),
            "crates/core/src/windows.rs:4 arithmetic-swap + -> -: not_built".to_owned(),
            format!("crates/macros/src/lib.rs:7 arithmetic-swap + -> *: {kills}"),
            // The number is none of the constant's type then: the product does not build.
            "crates/macros/src/lib.rs:7 arithmetic-swap + -> -: unviable".to_owned(),
        ],
    );
    ran.totals(
        "7 mutants: 5 killed (0 by time-out), 2 survived, 0 undecided; 1 unviable, 4 not built",
    )
    .tells("`crates/core/src/windows.rs`: no command builds the code of 2 mutants there")
    .tells("`crates/app/build.rs` (a configuration file)")
    .tells("`crates/core/examples/shows.rs` (a test file)");
    // What builds take is no measure of what tests may take.
    ran.same(sandbox.json("adequacy.out/run.json")["commands"][0]["limit_s"].as_f64(), Some(10.0));
}

#[test]
fn what_cargo_builds_into_a_library_is_the_product_whatever_its_name() {
    let sandbox = Sandbox::new();
    let function = "pub fn f(a: u8, b: u8) -> u8 { a + b }\n";
    sandbox
        .write("tree/Cargo.toml", MANIFEST)
        .write(
            "tree/src/lib.rs",
            "mod build;\nmod examples;\n#[cfg(test)]\nmod test;\npub mod tests;\n",
        )
        .write("tree/src/build.rs", function)
        .write("tree/src/examples/mod.rs", function)
        .write("tree/src/tests/mod.rs", function)
        .write("tree/src/test/mod.rs", function)
        .write("tree/build.rs", function)
        .write("tree/examples/shows.rs", function)
        .write("tree/tests/all.rs", function);
    let ran = sandbox.call(["list", "tree", "--json", "--operator", "arithmetic-swap"]).run();
    let rows = ran.out.lines().map(serde_json::from_str::<serde_json::Value>);
    let mut paths = rows.map(|row| row.expect("a row")["path"].clone()).collect::<Vec<_>>();
    paths.dedup();
    ran.exits(0).same(
        paths,
        ["build", "examples/mod", "tests/mod"].map(|it| json!(format!("src/{it}.rs"))).to_vec(),
    );
    let files = sandbox.call(["list", "tree", "--files"]).run();
    for (file, why) in [
        ("build.rs", "a configuration file"),
        ("examples/shows.rs", "a test file"),
        ("src/test/mod.rs", "a test file"),
        ("tests/all.rs", "a test file"),
    ] {
        files.says(&format!(" 0 {file}  ({why})\n"));
    }
}

#[test]
fn an_undone_change_that_does_not_build_is_killed_by_its_tests() {
    let sandbox = Sandbox::new();
    let test = "#[test]\nfn t() { assert!(small::old(1) == 2 && small::new(1) == 3); }\n";
    let old = "pub fn old(a: u8) -> u8 {\n    a + 1\n}\n";
    let new = format!("{old}\npub fn new(a: u8) -> u8 {{\n    old(a) + 1\n}}\n");
    for (tree, source) in [("start", old), ("reference", new.as_str())] {
        sandbox.write(format!("tree/{tree}/Cargo.toml"), MANIFEST);
        sandbox.write(format!("tree/{tree}/src/lib.rs"), source);
        sandbox.write(format!("tree/{tree}/tests/all.rs"), test);
    }
    let task = "start = 'start'\nreference = 'reference'\n[mutate]\noperators = ['arithmetic-swap']\n\
                [[acceptance]]\nid = 'all'\nargv = ['cargo', 'test', '--offline', '--test', 'all']\n";
    sandbox.write("tree/adequacy.toml", task);
    let ran = with_cargo(sandbox.measure(&[])).run();
    let run = sandbox.json("adequacy.out/run.json");
    ran.same(run["totals"]["by_class"]["null_patch"]["killed"].as_u64(), Some(1));
    ran.same(run["totals"]["killed_by_reason"]["build"].as_u64(), Some(1));
    let lines = sandbox.outcomes();
    let of =
        |operator: &str| lines.iter().filter(|line| line.contains(operator)).collect::<Vec<_>>();
    assert!(of("null-patch")[0].ends_with("killed by all (build)"), "{lines:?}");
    assert!(of("answer-once")[0].ends_with("survived"), "{lines:?}");
    let constants = of("constant-value");
    assert!(
        !constants.is_empty() && constants.iter().all(|line| line.contains("killed")),
        "{lines:?}"
    );
}

#[test]
fn a_changed_file_that_the_grammar_cannot_read_fails_a_gate_by_name() {
    let sandbox = Sandbox::new();
    let test = "#[test]\nfn t() { assert_eq!(small::f(1), 2); }\n";
    let lib =
        |sign| format!("#[cfg(any())]\nmod other;\npub fn f(a: u8) -> u8 {{\n    a {sign} 1\n}}\n");
    // No build reads it, so that the solution passes.
    let other = "fn g() -> u8 {\n    1\n}\n";
    for (tree, sign, other) in
        [("start", '-', other.to_owned()), ("reference", '+', other.replace('1', "2 +"))]
    {
        sandbox.write(format!("tree/{tree}/Cargo.toml"), MANIFEST);
        sandbox.write(format!("tree/{tree}/src/lib.rs"), lib(sign));
        sandbox.write(format!("tree/{tree}/src/other.rs"), other);
        sandbox.write(format!("tree/{tree}/tests/all.rs"), test);
    }
    let task = "start = 'start'\nreference = 'reference'\n[mutate]\noperators = ['arithmetic-swap']\n\
                [[acceptance]]\nid = 'all'\nargv = ['cargo', 'test', '--offline', '--test', 'all']\n";
    sandbox.write("tree/adequacy.toml", task);
    let others = ["--allow", "hunk_revert_survived"];
    let ran = with_cargo(sandbox.seal(&others)).run();
    ran.exits(1).tells("`src/other.rs`, line 3: the grammar cannot read this");
    ran.tells("the change to `src/other.rs` is not measured whole");
    ran.tells("gate `unparsed` fails").tells("not sealed");
    ran.says("1 changed file could not be read whole");
    assert!(!sandbox.path("adequacy.out/sealed").exists());
    let named = sandbox.json("adequacy.out/run.json")["unparsed"].clone();
    ran.same(named, json!({"src/other.rs": "line 3: the grammar cannot read this"}));
    with_cargo(sandbox.seal(&[&others[..], &["--allow", "unparsed"]].concat())).run().exits(0);
    let gates = &sandbox.json("adequacy.out/sealed/contract.json")["adequacy"]["gates"];
    ran.same(gates["unparsed"]["pass"].as_bool(), Some(false));
}

#[test]
fn a_crate_that_does_not_build_shows_what_the_compiler_says() {
    let sandbox = Sandbox::new();
    sandbox.write("tree/Cargo.toml", MANIFEST);
    sandbox.write("tree/src/lib.rs", "pub fn f(a: u8) -> u8 {\n    a + missing\n}\n");
    let ran = with_cargo(sandbox.seal(&["--", "cargo", "test", "--offline"])).run();
    ran.exits(3)
        .tells("`product` must pass, but exit 101 on the unmutated tree")
        .tells("cannot find value `missing`");
    assert!(!sandbox.path("adequacy.out/sealed").exists(), "nothing is sealed");
}

#[test]
fn what_cargo_cannot_build_in_a_copy_is_named_first() {
    let sandbox = Sandbox::new();
    sandbox.write("tree/src/lib.rs", "pub fn f(a: u8) -> u8 { a + 1 }\n");
    let ran = with_cargo(sandbox.measure(&["--", "cargo", "test"])).run();
    ran.exits(2).tells("`command` runs cargo, but no `Cargo.toml` is in the tree");
    sandbox.write(
        "tree/Cargo.toml",
        format!("{MANIFEST}[dependencies]\nnear = {{ path = \"../near\" }}\n"),
    );
    let ran = with_cargo(sandbox.measure(&["--", "cargo", "test"])).run();
    ran.exits(2).tells("`Cargo.toml`: the dependency `near` is at `../near`, outside of the tree");
    sandbox.write("tree/Cargo.toml", MANIFEST);
    let ran = sandbox.measure(&["--", "true"]).run();
    ran.tells("`src/lib.rs` is a compiled file, and nothing builds it");
}

#[test]
fn what_cargo_and_rustup_lack_is_told() {
    let sandbox = Sandbox::new();
    sandbox.write("tree/src/lib.rs", "pub fn f(a: u8) -> u8 { a + 1 }\n");
    let needs = format!("{MANIFEST}[dependencies]\nno-such-crate-of-adequacy = \"1\"\n");
    sandbox.write("tree/Cargo.toml", needs);
    let ran = with_cargo(sandbox.measure(&["--", "cargo", "test", "--offline"])).run();
    ran.exits(3).tells("no-such-crate-of-adequacy").tells("`cargo fetch` in your own tree first");
    // In the place of rustup's proxy, which need not be there, with its words.
    let words = "error: toolchain '1.2.3-x86_64-unknown-linux-gnu' is not installed";
    sandbox.write("proxy/cargo", format!("#!/bin/sh\necho \"{words}\" >&2\nexit 1\n"));
    executable(&sandbox.path("proxy/cargo"));
    let mut path = sandbox.path("proxy").into_os_string();
    path.push(":");
    path.push(search_path());
    let ran = sandbox.measure(&["--", "cargo", "test"]).env("PATH", path).run();
    ran.exits(3).tells(words).tells("`rustup toolchain install` in your own tree first");
}

#[test]
fn settings_of_cargo_mutants_leave_out_what_they_say() {
    let sandbox = Sandbox::new();
    sandbox.write("tree/Cargo.toml", MANIFEST);
    sandbox.write(
        "tree/.cargo/mutants.toml",
        "exclude_re = [\"replace f ->\", \"in g$\"]\nexclude_globs = [\"other.rs\"]\noutput = \"x\"\n",
    );
    let source = "mod other;\npub fn f(a: u8) -> u8 {\n    a * a\n}\nfn g(a: u8) -> u8 {\n    a * missing\n}\n";
    sandbox.write("tree/src/lib.rs", source);
    sandbox.write("tree/src/other.rs", source.trim_start_matches("mod other;\n"));
    let ran = sandbox.call(["list", "tree"]).run();
    ran.exits(0)
        .says("src/lib.rs  (4 left out by `.cargo/mutants.toml`)")
        .says("src/other.rs  (left out by `.cargo/mutants.toml`; `--include` mutates it all the same)")
        .says("4 mutants in 1 file;");
    let ran = with_cargo(sandbox.measure(&["--", "cargo", "test", "--offline"])).run();
    ran.exits(3)
        .tells("4 mutants are left out by `.cargo/mutants.toml`")
        .tells("`output` there say nothing here");
    sandbox.write("tree/.cargo/mutants.toml", "exclude_re = [\"(\"]\n");
    sandbox.call(["list", "tree"]).run().exits(2).tells("`(` is no regular expression");
}

/// Sets the times of everything below a place, so that cargo takes what is built for fresh.
const SET_TIMES: &str = "
fn set_times(place: &std::path::Path, time: std::time::SystemTime) {
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        set_times(&entry.path(), time);
        let _ = std::fs::File::open(entry.path()).and_then(|file| file.set_modified(time));
    }
}
";

#[test]
fn a_mutant_that_makes_what_is_built_look_fresh_decides_nothing_after_it() {
    let sandbox = Sandbox::new();
    sandbox.write("tree/Cargo.toml", MANIFEST);
    let product = "pub fn lies() -> bool {\n    !true\n}\n\
                   pub fn two(one: u8) -> u8 {\n    one + one\n}\n";
    sandbox.write("tree/src/lib.rs", product);
    let test = "#[test]\nfn t() {
    if small::lies() {
        let years = std::time::Duration::from_secs(10 * 365 * 86_400);
        let built = std::env::var_os(\"CARGO_TARGET_DIR\").unwrap();
        set_times(built.as_ref(), std::time::SystemTime::now() + years);
        set_times(\".\".as_ref(), std::time::SystemTime::now() - years);
    }
    assert_eq!(small::two(2), 4);\n}\n";
    sandbox.write("tree/tests/all.rs", format!("{test}{SET_TIMES}"));
    // `-` gives 0 and `*` gives 4: a verdict of other bytes than those of the mutant shows.
    let operators = ["--operator", "unary-remove", "--operator", "arithmetic-swap"];
    for kind in ["auto", "reset"] {
        let first = ["measure", "tree", "--baselines", "1", "-j", "1", "--workspace", kind];
        let command = ["--", "cargo", "test", "--offline", "--test", "all"];
        let call = sandbox.call([&first[..], &operators, &command].concat());
        let ran = with_cargo(call).run();
        ran.exits(0).same(
            sandbox.outcomes(),
            vec![
                "src/lib.rs:2 unary-remove ! -> : survived".to_owned(),
                "src/lib.rs:5 arithmetic-swap + -> *: survived".to_owned(),
                "src/lib.rs:5 arithmetic-swap + -> -: killed by command (exit)".to_owned(),
            ],
        );
    }
}

#[test]
fn a_command_that_sets_times_back_does_not_hide_the_mutant_from_cargo() {
    let sandbox = Sandbox::new();
    sandbox.write("tree/Cargo.toml", MANIFEST);
    sandbox.write("tree/src/lib.rs", "pub fn two(one: u8) -> u8 {\n    one + one\n}\n");
    sandbox.write("tree/tests/all.rs", "#[test]\nfn t() { assert_eq!(small::two(3), 6); }\n");
    // By the times, what was built of the unmutated tree is fresh, whatever is in the sources.
    let check = "touch -d 2001-01-01 src/lib.rs\nexec cargo test --offline --test all\n";
    sandbox.write("tree/check.sh", check);
    let task = "[build]\nargv = ['cargo', 'check', '--offline']\n[mutate]\n\
                operators = ['arithmetic-swap']\n[[acceptance]]\nid = 'all'\n\
                argv = ['sh', 'check.sh']\n";
    sandbox.write("tree/adequacy.toml", task);
    let ran = with_cargo(sandbox.call(["measure", "tree", "--baselines", "1", "-j", "1"])).run();
    ran.exits(0).same(
        sandbox.outcomes(),
        vec![
            "src/lib.rs:2 arithmetic-swap + -> *: killed by all (exit)".to_owned(),
            "src/lib.rs:2 arithmetic-swap + -> -: killed by all (exit)".to_owned(),
        ],
    );
}
