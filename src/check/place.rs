//! Whether a command that is sealed with a directory can run there: the copy is shown at that place,
//! which only namespaces can do, and the program must be the sealed one.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::contract::{Executable, Seal};
use crate::run::sandbox::Sandbox;
use crate::task::Task;

/// How commands name the held-out files.
pub(crate) const HELD_OUT: &str = "../heldout";

/// Why a command with these words cannot run at its sealed place; `path` is its search path, copies
/// are made in `scratch`.
pub(crate) fn why_not(
    seal: &Seal,
    argv: &[String],
    sandbox: &Sandbox,
    scratch: &Path,
    path: &OsStr,
) -> Option<String> {
    let cwd = Path::new(&seal.cwd);
    let why = if !sandbox.namespaces {
        "only namespaces can put the copy there, and they are not in force".to_owned()
    } else if !cwd.is_dir() {
        "there is no such directory here to put the copy at".to_owned()
    } else if scratch.starts_with(cwd) {
        let scratch = scratch.display();
        format!("the copies are made in `{scratch}`, which it would hide; name another `--scratch`")
    } else if argv.iter().any(|word| word.contains(HELD_OUT)) {
        "the held-out files cannot be put beside it".to_owned()
    } else if seal.interpreter.is_some() {
        "its sealed interpreter is not checked by this version".to_owned()
    } else {
        let program = argv.first().map_or("", String::as_str);
        let found = resolved(program, cwd, path);
        let is_sealed = |found: &PathBuf| match &seal.exe {
            Executable::One(exe) => found.as_os_str() == exe.as_str(),
            Executable::Any(exes) => exes.iter().any(|exe| found.as_os_str() == exe.as_str()),
        };
        if found.iter().any(is_sealed) {
            return None;
        }
        let here = found.first().map_or_else(|| "nothing".into(), |it| it.display().to_string());
        format!("`{program}` is {here} here, which is not the sealed program")
    };
    Some(format!("it is sealed to run in `{}`: {why}", seal.cwd))
}

/// The search path of a task's commands.
pub(crate) fn search_path(task: &Task) -> OsString {
    task.env_set.get("PATH").map_or_else(callers_path, OsString::from)
}

/// The caller's own, which commands keep.
pub(crate) fn callers_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

/// Where a program is found: as the search path says, and without links.
fn resolved(program: &str, cwd: &Path, path: &OsStr) -> Vec<PathBuf> {
    if program.contains('/') {
        // The copy has it; where that will stand, nothing can be looked up yet.
        let found = cwd.join(program.strip_prefix("./").unwrap_or(program));
        return [found.canonicalize().ok(), Some(found)].into_iter().flatten().collect();
    }
    let mut places = std::env::split_paths(path).map(|folder| folder.join(program));
    let Some(found) = places.find(|place| place.is_file()) else { return Vec::new() };
    [found.canonicalize().ok(), Some(found)].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seal(cwd: &Path, exe: &str) -> Seal {
        let cwd = cwd.to_str().unwrap().to_owned();
        Seal { cwd, exe: Executable::One(exe.to_owned()), interpreter: None }
    }

    #[test]
    fn what_stands_against_the_place_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().canonicalize().unwrap();
        let path = place.join("bin");
        std::fs::create_dir(&path).unwrap();
        let tool = path.join("tool");
        std::fs::write(&tool, "").unwrap();
        let held = Sandbox { namespaces: true, ..Sandbox::default() };
        let elsewhere = Path::new("/nowhere/scratch");
        let exe = tool.to_str().unwrap();
        let ask = |seal: &Seal, argv: &[&str], sandbox: &Sandbox, scratch: &Path| {
            let argv = argv.iter().map(ToString::to_string).collect::<Vec<_>>();
            why_not(seal, &argv, sandbox, scratch, path.as_os_str()).unwrap_or_default()
        };
        let good = seal(&place, exe);
        assert_eq!(ask(&good, &["tool", "x"], &held, elsewhere), "");
        let any = Executable::Any(vec!["/bin/other".to_owned(), exe.to_owned()]);
        assert_eq!(ask(&Seal { exe: any, ..good.clone() }, &["tool"], &held, elsewhere), "");
        for (seal, argv, sandbox, scratch, words) in [
            (&good, "tool", &Sandbox::default(), elsewhere, "only namespaces"),
            (&good, "tool", &held, path.as_path(), "would hide"),
            (&good, "../heldout/x", &held, elsewhere, "held-out files"),
            (&good, "absent", &held, elsewhere, "`absent` is nothing here"),
            (&seal(&place, "/bin/other"), "tool", &held, elsewhere, "not the sealed program"),
            (&seal(&place.join("no"), exe), "tool", &held, elsewhere, "no such directory"),
            (
                &Seal { interpreter: Some(vec![exe.to_owned()]), ..good.clone() },
                "tool",
                &held,
                elsewhere,
                "interpreter",
            ),
        ] {
            let said = ask(seal, &[argv], sandbox, scratch);
            assert!(said.starts_with("it is sealed to run in") && said.contains(words), "{said}");
        }
    }
}
