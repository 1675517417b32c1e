//! Bytecode and other caches: they stay warm where they are true, and never decide for a mutant.

use super::*;

/// A tree whose `m.py` is a constant that mutants change without changing its size.
fn python_tree(setup: &str) -> (tempfile::TempDir, Snapshot) {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    fs::create_dir(root.join("pkg")).unwrap();
    fs::write(root.join("pkg/__init__.py"), "").unwrap();
    fs::write(root.join("pkg/m.py"), "x = 0\n").unwrap();
    fs::write(root.join("pkg/other.py"), "y = 0\n").unwrap();
    symlink("pkg", root.join("alias")).unwrap();
    fs::create_dir(root.join("linked")).unwrap();
    symlink("../pkg/m.py", root.join("linked/n.py")).unwrap();
    python(root, setup, &[]);
    let choice = Choice { keep: vec![rel("__pycache__")], ..Choice::default() };
    let tree = snapshot(root, &choice, &Silent).unwrap();
    (directory, tree)
}

/// What `text` prints with the cache prefix of the workspace, or with none.
fn run(python: &mut Forking, workspace: &Workspace, text: &str, bare: bool) -> String {
    let prefix = if bare { "None".to_owned() } else { format!("{:?}", pycache(workspace)) };
    // Were bytecode not written, nothing could be stale.
    let before = format!(
        "import sys; sys.pycache_prefix = {prefix}; sys.dont_write_bytecode = False; sys.path.insert(0, '')\n"
    );
    python.run(workspace, &(before + text)).trim().to_owned()
}

/// Compiles every module; how is told by a member of `PycInvalidationMode`.
fn compile(mode: &str) -> String {
    let text = "
import py_compile
for file in ('pkg/__init__', 'pkg/m', 'pkg/other', 'alias/m', 'linked/n'):
    py_compile.compile(file + '.py', invalidation_mode=py_compile.PycInvalidationMode.MODE, doraise=True)
";
    text.replace("MODE", mode)
}

/// The module by its own name, through a link to its directory, and through a link to its file.
const IMPORT: &str = "import pkg.m, pkg.other, alias.m, linked.n; print(pkg.m.x, alias.m.x, linked.n.x, pkg.m.__cached__)";

/// Mutants of the same size, as fast as possible, and the original between them.
fn nothing_is_fooled(python: &mut Forking, workspace: &mut Workspace, bare: bool) {
    for number in 1..6 {
        let mutant = format!("x = {number}\n");
        workspace.write(&[(rel("pkg/m.py"), mutant.into())]).unwrap();
        let printed = run(python, workspace, IMPORT, bare);
        assert!(
            printed.starts_with(&format!("{number} {number} {number} ")),
            "mutant {number}: {printed}"
        );
        workspace.reset(Certificate::new()).unwrap();
        let printed = run(python, workspace, IMPORT, bare);
        assert!(printed.starts_with("0 0 0 "), "after mutant {number}: {printed}");
        workspace.reset(Certificate::new()).unwrap();
    }
}

#[test]
fn stale_bytecode_never_decides() {
    let mut python = Forking::start();
    let setups = [
        "pass".to_owned(),
        compile("TIMESTAMP"),
        compile("CHECKED_HASH"),
        compile("UNCHECKED_HASH"),
    ];
    for setup in setups {
        let (_directory, tree) = python_tree(&setup);
        let (_scratch, _golden, mut workspace) = made(&std::env::temp_dir(), &tree);
        for bare in [false, true] {
            nothing_is_fooled(&mut python, &mut workspace, bare);
            let printed = run(&mut python, &workspace, IMPORT, bare);
            let prefix = pycache(&workspace).to_str().unwrap().to_owned();
            assert_eq!(printed.contains(&prefix), !bare, "{printed}");
            workspace.adopt(Scope::Caches, &Certificate::new()).unwrap();
            nothing_is_fooled(&mut python, &mut workspace, bare);
        }
    }
}

#[test]
fn bytecode_that_is_not_compared_with_its_source_is_not_adopted() {
    let mut python = Forking::start();
    let (_directory, tree) = python_tree("pass");
    let (_scratch, _golden, mut workspace) = made(&std::env::temp_dir(), &tree);
    run(&mut python, &workspace, &compile("UNCHECKED_HASH"), false);
    workspace.adopt(Scope::Caches, &Certificate::new()).unwrap();
    workspace.reset(Certificate::new()).unwrap();
    nothing_is_fooled(&mut python, &mut workspace, false);
    // The same beside the sources, where the setup command may put it and it must stay.
    run(&mut python, &workspace, &compile("UNCHECKED_HASH"), true);
    workspace.adopt(Scope::Everything, &Certificate::new()).unwrap();
    let before = describe(&workspace);
    assert!(before.contains("__pycache__"), "{before}");
    nothing_is_fooled(&mut python, &mut workspace, true);
    assert_eq!(describe(&workspace), before);
}

#[test]
fn no_mutant_gets_a_time_that_bytecode_names() {
    let mut python = Forking::start();
    let time = 4_000_000_000_i64;
    let ahead = format!("import os; os.utime('pkg/m.py', (0, {time}))");
    let (_directory, tree) = python_tree(&(ahead + &compile("TIMESTAMP")));
    let (_scratch, _golden, mut workspace) = made(&std::env::temp_dir(), &tree);
    for before in 1..5 {
        workspace.latest = time - before;
        nothing_is_fooled(&mut python, &mut workspace, true);
    }
}

#[test]
fn no_copy_gets_a_time_that_bytecode_names() {
    // Bytecode of other sources, for any second in which the copy may be made.
    let setup = "
import os, py_compile, time
for i in range(60):
    name, at = 'pkg/t%d.py' % i, int(time.time()) - 5 + i
    open(name, 'w').write('x = 9')
    os.utime(name, (at, at))
    py_compile.compile(name, invalidation_mode=py_compile.PycInvalidationMode.TIMESTAMP, doraise=True)
    open(name, 'w').write('x = 0')";
    let mut python = Forking::start();
    let (_directory, tree) = python_tree(setup);
    let (_scratch, _golden, workspace) = made(&std::env::temp_dir(), &tree);
    let text =
        "import importlib; print(sum(importlib.import_module('pkg.t%d' % i).x for i in range(60)))";
    assert_eq!(run(&mut python, &workspace, text, true), "0");
}

#[test]
fn bytecode_of_a_mutated_module_is_deleted_and_no_other() {
    let (_directory, tree) = python_tree("pass");
    let (_scratch, _golden, mut workspace) = made(&std::env::temp_dir(), &tree);
    let below = format!("../cache/pycache{}/pkg", workspace.tree().display());
    let (own, others) = (
        ["m.cpython-311.pyc", "m.a.opt-1.pyc"],
        ["m2.cpython-311.pyc", "mm.pyc", "m.cpython-311.x"],
    );
    for folder in ["pkg/__pycache__", "__pycache__", &below] {
        fs::create_dir_all(workspace.tree().join(folder)).unwrap();
        for name in own.iter().chain(&others) {
            fs::write(workspace.tree().join(folder).join(name), "").unwrap();
        }
    }
    workspace.adopt(Scope::Everything, &Certificate::new()).unwrap();
    workspace.write(&[(rel("pkg/m.py"), b"x = 1\n".to_vec())]).unwrap();
    let there = |folder: &str, name: &&str| workspace.tree().join(folder).join(name).exists();
    for folder in ["pkg/__pycache__", &below] {
        assert!(!own.iter().any(|name| there(folder, name)), "{folder}");
        assert!(others.iter().all(|name| there(folder, name)), "{folder}");
    }
    assert!(own.iter().all(|name| there("__pycache__", name)));
}

#[test]
fn a_fresh_interpreter_takes_the_cache_prefix_from_the_variables() {
    let (_directory, tree) = python_tree("pass");
    let (_scratch, _golden, workspace) = made(&std::env::temp_dir(), &tree);
    let mut command = Command::new("python3");
    command
        .args(["-Sc", IMPORT])
        .current_dir(workspace.tree())
        .env("PYTHONPYCACHEPREFIX", pycache(&workspace));
    command.env_remove("PYTHONDONTWRITEBYTECODE");
    let printed = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let cached = printed.trim().strip_prefix("0 0 0 ").unwrap();
    assert!(Path::new(cached).starts_with(pycache(&workspace)) && Path::new(cached).exists());
}

#[test]
fn adopted_bytecode_of_other_modules_stays_warm() {
    let mut python = Forking::start();
    let (_directory, tree) = python_tree("pass");
    let (_scratch, _golden, mut workspace) = made(&std::env::temp_dir(), &tree);
    let cached = "import pkg.other; print(pkg.other.__cached__)";
    let path = PathBuf::from(run(&mut python, &workspace, cached, false));
    let written = fs::metadata(&path).unwrap();
    workspace.adopt(Scope::Caches, &Certificate::new()).unwrap();
    for _ in 0..3 {
        workspace.write(&[(rel("pkg/m.py"), b"x = 5\n".to_vec())]).unwrap();
        run(&mut python, &workspace, IMPORT, false);
        workspace.reset(Certificate::new()).unwrap();
        run(&mut python, &workspace, IMPORT, false);
        let now = fs::metadata(&path).unwrap();
        assert_eq!(
            (now.ino(), now.ctime_nsec()),
            (written.ino(), written.ctime_nsec()),
            "rewritten"
        );
    }
}

#[test]
fn what_is_adopted_comes_back_and_a_replacement_forgets_it() {
    as_each_user(|| {
        let (_directory, tree) = source();
        for base in bases() {
            let (_scratch, _golden, mut workspace) = made(&base, &tree);
            let pristine = describe(&workspace);
            let setup = "
open('built', 'w').write('by setup'); os.makedirs('out/deep'); open('out/deep/f', 'w').write('1')
os.chmod('out', 0o555); os.mkdir('shut'); os.chmod('shut', 0); os.link('built', 'built2'); os.symlink('built', 'built3'); os.remove('nothing')
open('a.py', 'a').write('# patched'); open('../home/.toolrc', 'w').write('x'); open('../tmp/t', 'w')
open('../cache/target/lib', 'wb').write(bytes(300000)); attr('out/deep/f'); attr('out/deep')
os.mkfifo('out/deep/pipe'); open('../beside', 'w')";
            python(&workspace.tree(), &format!("{PRELUDE}{setup}"), &[]);
            workspace.adopt(Scope::Everything, &Certificate::new()).unwrap();
            workspace.reset(Certificate::new()).unwrap();
            let adopted = describe(&workspace);
            for (name, there) in [
                ("built2", true),
                ("deep/f", true),
                (".toolrc", true),
                ("target/lib", true),
                ("pipe", false),
                ("tmp/t\"", false),
                ("beside", false),
                ("tree/nothing", false),
                ("tree/shut\" 40000 ", true),
            ] {
                assert_eq!(adopted.contains(name), there, "{name} in {adopted}");
            }
            let attack = "
for d in ('out', 'out/deep'): os.chmod(d, 0o777)
shutil.rmtree('out'); open('built', 'w'); os.remove('built2'); os.remove('../home/.toolrc')
open('../cache/target/lib', 'r+b').write(b'1'); open('a.py', 'w')";
            for _ in 0..2 {
                python(&workspace.tree(), &format!("{PRELUDE}{attack}"), &[]);
                workspace.reset(Certificate::new()).unwrap();
                // The two names of one file became two files.
                let names = |text: &str| text.replace(" 2 8 ", " 1 8 ");
                assert_eq!(names(&describe(&workspace)), names(&adopted));
            }
            workspace.write(&[(rel("built"), b"mutant".to_vec())]).unwrap();
            workspace.replace().unwrap();
            assert_eq!(describe(&workspace), pristine);
        }
    });
}

#[test]
fn adopting_caches_adopts_nothing_else() {
    let (_directory, tree) = source();
    let (_scratch, _golden, mut workspace) = made(&std::env::temp_dir(), &tree);
    let pristine = describe(&workspace);
    let text = "open('a.py', 'w'); open('new', 'w'); open('../home/h', 'w'); open('../cache/pycache/c', 'w')";
    python(&workspace.tree(), text, &[]);
    workspace.adopt(Scope::Caches, &Certificate::new()).unwrap();
    workspace.reset(Certificate::new()).unwrap();
    let now = describe(&workspace);
    let part = |text: &str, part: &str| {
        let lines = text.lines().filter(|line| line.starts_with(&format!("\"./{part}")));
        lines.collect::<Vec<_>>().join("\n")
    };
    for same in ["tree", "home", "tmp"] {
        assert_eq!(part(&now, same), part(&pristine, same));
    }
    assert!(part(&now, "cache").contains("pycache/c"));
}

#[test]
fn workspaces_of_another_tree_have_the_bytecode_of_what_stands_outside() {
    let mut python = Forking::start();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("installed.py"), "x = 1\n").unwrap();
    let import = format!(
        "sys.path.append({:?}); import installed, pkg.m; print(installed.__cached__)",
        outside.path()
    );
    let (_directory, tree) = python_tree("pass");
    let (_scratch, _golden, mut workspace) = made(&std::env::temp_dir(), &tree);
    run(&mut python, &workspace, &import, false);
    workspace.adopt(Scope::Caches, &Certificate::new()).unwrap();
    let bytecode = workspace.bytecode_of_outside();

    let scratch = Scratch::create(&std::env::temp_dir(), &[tree.root()]).unwrap();
    let sources = Sources { bytecode: Some(&bytecode), ..sources(&tree) };
    let golden = Golden::create(&scratch, sources).unwrap();
    let mut other = Workspace::create(&scratch, &golden, 0).unwrap();
    let before = describe(&other);
    assert!(before.contains("/installed.cpython-"), "{before}");
    assert!(!before.contains("/m.cpython-"), "bytecode of the first tree: {before}");
    let there = |path: &str| fs::metadata(path).unwrap().ino();
    let at = before.lines().find(|line| line.contains("/installed.cpython-")).unwrap();
    let below = at.split('"').nth(1).unwrap();
    let shown = other.path().join(below).display().to_string();
    let inode = there(&shown);
    let cached = run(&mut python, &other, &import, false);
    assert_eq!(Path::new(&cached), other.path().join(below));
    assert_eq!(there(&cached), inode, "compiled again");
    // What a command makes of it does not last.
    fs::write(&cached, "no bytecode").unwrap();
    other.reset(Certificate::new()).unwrap();
    assert_eq!(describe(&other), before);
}
