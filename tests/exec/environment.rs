//! Real tools below a private HOME.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use adequacy::run::exit::Exit;

use crate::bench::{Bench, fenced, levels};

fn text(path: &Path) -> Option<String> {
    Some(path.to_str().expect("a UTF-8 scratch path").to_owned())
}

#[test]
fn a_command_gets_the_listed_variables_and_no_other() {
    let mut bench = Bench::new();
    bench.host.push(("GIT_DIR", Some("/real/.git".into())));
    bench.run(&["env"]);
    let log = bench.log();
    let run = format!("ADEQUACY_RUN={}", bench.spawner.run_id());
    let home = format!("HOME={}", bench.places().home.display());
    for line in [&*run, &home, "TZ=UTC", "PYTHONHASHSEED=0", "ADEQUACY_WORKER=0"] {
        assert!(log.lines().any(|found| found == line), "{line} is not in\n{log}");
    }
    for name in ["GIT_DIR=", "CARGO_MANIFEST_DIR=", "CARGO_PKG_NAME=", "PWD=", "_="] {
        assert!(!log.lines().any(|found| found.starts_with(name)), "{name} is in\n{log}");
    }
}

#[test]
fn user_site_packages_are_found_below_a_private_home() {
    let mut bench = Bench::new();
    let home = bench.folder.path().join("real");
    fs::create_dir(&home).expect("a home");
    let site = Command::new("python3")
        .args(["-c", "import site; print(site.getusersitepackages())"])
        .env("PYTHONUSERBASE", home.join(".local"))
        .output()
        .expect("python3 starts");
    let site = String::from_utf8(site.stdout).expect("a UTF-8 path");
    fs::create_dir_all(site.trim()).expect("user site-packages");
    fs::write(format!("{}/only_here.py", site.trim()), "VALUE = 42").expect("a module");
    // This python3 may itself be found below the real HOME.
    let pyenv = std::env::var("HOME").map(|home| format!("{home}/.pyenv")).ok();
    bench.host.push(("PYENV_ROOT", std::env::var("PYENV_ROOT").ok().or(pyenv)));
    bench.host.extend([("HOME", text(&home)), ("PYTHONUSERBASE", None)]);
    let done = bench.run(&["python3", "-c", "import only_here; print(only_here.VALUE)"]);
    assert_eq!((done.exit, &*bench.log()), (Exit::Code(0), "42\n"));
}

#[test]
fn a_shim_that_looks_below_home_finds_its_tools() {
    let mut bench = Bench::new();
    let home = bench.folder.path().join("real");
    let (shims, tools) = (home.join(".pyenv/shims"), home.join(".pyenv/versions/1/bin"));
    for (folder, body) in [
        (&shims, "exec \"${PYENV_ROOT:-$HOME/.pyenv}/versions/1/bin/mypython\" \"$@\"\n"),
        (&tools, "echo real $1\n"),
    ] {
        fs::create_dir_all(folder).expect("a folder");
        let path = folder.join("mypython");
        fs::write(&path, format!("#!/bin/sh\n{body}")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its mode");
    }
    let path = format!("{}:/usr/bin:/bin", shims.display());
    bench.host.extend([("HOME", text(&home)), ("PYENV_ROOT", None), ("PATH", Some(path))]);
    let done = bench.run(&["mypython", "x"]);
    assert_eq!((done.exit, &*bench.log()), (Exit::Code(0), "real x\n"));
}

#[test]
fn the_real_cargo_builds_below_a_private_home_and_writes_nowhere_else() {
    for sandbox in levels() {
        let mut bench = Bench::held(&sandbox);
        // rustup's proxy finds its toolchain below the real HOME; without rustup, cargo will do.
        let proxies = format!("{}/.cargo/bin", std::env::var("HOME").unwrap_or_default());
        let bin = if fs::exists(format!("{proxies}/rustup")).unwrap_or(false) {
            bench.host.push(("RUSTUP_HOME", None));
            proxies
        } else {
            text(Path::new(env!("CARGO")).parent().expect("a folder")).expect("a path")
        };
        // As a fresh one of a machine where nothing was ever built: cargo makes lock files in it.
        let cargo_home = bench.outside().join("cargo");
        fs::create_dir(&cargo_home).expect("a folder");
        bench.host.push(("CARGO_HOME", text(&cargo_home)));
        bench.host.push(("PATH", Some(format!("{bin}:/usr/local/bin:/usr/bin:/bin"))));
        let work = bench.work();
        for name in ["src", "helper/src"] {
            fs::create_dir_all(work.join(name)).expect("a folder");
            fs::write(work.join(name).join("lib.rs"), "").expect("a source file");
        }
        let manifest = "[package]\nname = \"tiny\"\nedition = \"2021\"\n\
                        [dependencies]\nhelper = { path = \"helper\" }\n";
        fs::write(work.join("Cargo.toml"), manifest).expect("a manifest");
        fs::write(work.join("helper/Cargo.toml"), "[package]\nname = \"helper\"\n")
            .expect("a manifest");
        let done = bench.run(&["cargo", "check", "--offline"]);
        assert_eq!(done.exit, Exit::Code(0), "{sandbox}\n{}", bench.log());
        assert!(bench.places().target.join("debug").exists(), "the private target directory");
        assert!(!work.join("target").exists());
        let written = fs::read_dir(&cargo_home).expect("the folder").count();
        assert!(written == 0 || !fenced(&sandbox), "{sandbox}");
    }
}
