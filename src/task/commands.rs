//! The commands of a task file.

use std::collections::BTreeSet;
use std::path::Path;

use super::file::{AcceptanceEntry, Role};
use super::resolve::Reader;
use super::{Command, Overrides, Prepatch, Probe, SealedPlace, TaskError};
use crate::base::{Argv, RelPath};

const PROBES: &[(&str, Probe)] = &[
    ("determinism", Probe::Determinism),
    ("type_strict", Probe::TypeStrict),
    ("import_side_effects", Probe::ImportSideEffects),
];

const PREPATCHES: &[(&str, Prepatch)] = &[("fail", Prepatch::Fail), ("pass", Prepatch::Pass)];

impl Reader<'_> {
    /// The commands, in sealed order.
    pub(super) fn commands(&self, entries: &[AcceptanceEntry]) -> Result<Vec<Command>, TaskError> {
        let mut seen = BTreeSet::new();
        let mut commands = Vec::with_capacity(entries.len());
        for entry in entries {
            let id = entry.id.get_ref();
            if id.is_empty() || !seen.insert(id) {
                let message = if id.is_empty() {
                    "is empty; each command needs a name".to_owned()
                } else {
                    format!("`{id}` is the name of a command before this one too")
                };
                return Err(self.fault(entry.id.span().start, "acceptance.id", &message));
            }
            self.check_lists(entry)?;
            commands.push(Command {
                id: id.clone(),
                argv: self.argv("acceptance.argv", &entry.argv)?,
                timeout: entry
                    .timeout_s
                    .as_ref()
                    .map(|seconds| self.seconds("acceptance.timeout_s", seconds))
                    .transpose()?,
                role: entry.role,
                ids: entry.ids.clone(),
                run_writes: entry.run_writes.clone(),
                probe: self.word("acceptance.probe", entry.probe.as_ref(), PROBES)?,
                in_process_twin_of: entry
                    .in_process_twin_of
                    .as_ref()
                    .map(|id| id.get_ref().clone()),
                prepatch: self
                    .word("acceptance.prepatch", entry.prepatch.as_ref(), PREPATCHES)?
                    .unwrap_or_default(),
                seal: self.sealed_place(entry)?,
            });
        }
        self.check_twins(entries)?;
        Ok(commands)
    }

    /// What a record cannot hold of a command's lists, found before anything runs.
    fn check_lists(&self, entry: &AcceptanceEntry) -> Result<(), TaskError> {
        let at = entry.id.span().start;
        let ids = entry.ids.iter().flatten();
        if entry.ids.as_ref().is_some_and(Vec::is_empty)
            || ids.clone().any(String::is_empty)
            || ids.clone().collect::<BTreeSet<_>>().len() != ids.count()
        {
            let found = entry.ids.as_deref().unwrap_or_default();
            let message =
                format!("must be different test ids, at least one and none empty, not {found:?}");
            return Err(self.fault(at, "acceptance.ids", &message));
        }
        let writes = entry.run_writes.iter().flatten();
        let good =
            |path: &String| RelPath::new(path.as_bytes()).is_ok_and(|path| !path.has_control());
        if !writes.clone().all(good)
            || writes.clone().collect::<BTreeSet<_>>().len() != writes.count()
        {
            let found = entry.run_writes.as_deref().unwrap_or_default();
            let message = format!("must be different paths below the tree, not {found:?}");
            return Err(self.fault(at, "acceptance.run_writes", &message));
        }
        Ok(())
    }

    /// `cwd` and `seal_exe`, which a record holds both or neither.
    fn sealed_place(&self, entry: &AcceptanceEntry) -> Result<Option<SealedPlace>, TaskError> {
        let wanted = entry.seal_exe.as_ref().filter(|wanted| *wanted.get_ref());
        let (cwd, at) = match (&entry.cwd, wanted) {
            (None, None) => return Ok(None),
            (Some(cwd), Some(_)) => (cwd.get_ref(), cwd.span().start),
            (Some(cwd), None) => {
                let message = "is sealed beside the program: set `seal_exe = true` too";
                return Err(self.fault(cwd.span().start, "acceptance.cwd", message));
            }
            (None, Some(wanted)) => {
                let message = "is sealed beside a directory: set `cwd` too";
                return Err(self.fault(wanted.span().start, "acceptance.seal_exe", message));
            }
        };
        if !is_absolute(cwd) {
            let message = "must be an absolute path without `.`, `..`, `//` or a final `/`";
            return Err(self.fault(at, "acceptance.cwd", message));
        }
        let program = entry.argv.get_ref().first().map_or("", String::as_str);
        let exe = which(program).filter(|exe| is_absolute(exe)).ok_or_else(|| {
            let message = format!("`{program}` is no program on this machine's search path");
            self.fault(entry.argv.span().start, "acceptance.seal_exe", &message)
        })?;
        Ok(Some(SealedPlace { cwd: cwd.clone(), exe }))
    }

    /// A twin names another command, which is no probe.
    fn check_twins(&self, entries: &[AcceptanceEntry]) -> Result<(), TaskError> {
        for entry in entries {
            let Some(twin) = &entry.in_process_twin_of else { continue };
            let other = entries.iter().find(|other| other.id.get_ref() == twin.get_ref());
            let own = twin.get_ref() == entry.id.get_ref();
            if own || other.is_none_or(|other| other.probe.is_some()) {
                let message = "must be the id of another command that is no probe";
                let key = "acceptance.in_process_twin_of";
                return Err(self.fault(twin.span().start, key, message));
            }
        }
        Ok(())
    }
}

/// The command that was typed in place of those of a file.
pub(super) fn bare_command(flags: &Overrides) -> Result<Command, TaskError> {
    let argv = Argv::new(flags.argv.clone()).map_err(|error| TaskError::Value {
        place: "the command after `--`".to_owned(),
        message: error.to_string(),
    })?;
    Ok(Command {
        id: "command".to_owned(),
        argv,
        timeout: None,
        role: Role::Visible,
        ids: None,
        run_writes: None,
        probe: None,
        in_process_twin_of: None,
        prepatch: Prepatch::default(),
        seal: None,
    })
}

/// Whether a record can hold it as an absolute path.
fn is_absolute(path: &str) -> bool {
    let plain = |rest: &str| {
        !rest.split('/').any(|segment| matches!(segment, "" | "." | "..")) && !rest.contains('\0')
    };
    path == "/" || path.strip_prefix('/').is_some_and(plain)
}

/// The program that a word starts, by this process's search path; links are followed.
fn which(program: &str) -> Option<String> {
    let found = if program.contains('/') {
        Path::new(program).to_owned()
    } else {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).map(|folder| folder.join(program)).find(|it| it.is_file())?
    };
    found.canonicalize().ok()?.into_os_string().into_string().ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::task::{TASK_FILE, load};

    #[test]
    fn what_a_command_is_beside_its_words() {
        let command = |more: &str| {
            let text = format!("[[acceptance]]\nid='a'\nargv=['sh']\n{more}");
            let folder = tempfile::tempdir().expect("a temporary directory");
            fs::write(folder.path().join(TASK_FILE), text).expect("a task file");
            let loaded = load(folder.path(), &Overrides::default());
            loaded.map(|mut task| task.commands.remove(0)).map_err(|error| error.to_string())
        };
        let probe = command("probe='type_strict'\nprepatch='pass'").expect("a good command");
        assert_eq!((probe.probe, probe.prepatch), (Some(Probe::TypeStrict), Prepatch::Pass));
        let sealed = command("cwd='/work'\nseal_exe=true").expect("a good command").seal;
        let sealed = sealed.expect("it is sealed");
        assert_eq!(sealed.cwd, "/work");
        assert!(sealed.exe.starts_with('/') && Path::new(&sealed.exe).is_file());
        for (more, expected) in [
            ("probe='x'", "acceptance.probe: must be \"determinism\" or"),
            ("prepatch='x'", "acceptance.prepatch: must be \"fail\" or \"pass\""),
            ("cwd='/x'", "acceptance.cwd: is sealed beside the program"),
            ("seal_exe=true", "acceptance.seal_exe: is sealed beside a directory"),
            ("cwd='x'\nseal_exe=true", "acceptance.cwd: must be an absolute path"),
            ("cwd='/x/'\nseal_exe=true", "acceptance.cwd: must be an absolute path"),
            ("in_process_twin_of='a'", "acceptance.in_process_twin_of: must be the id of another"),
        ] {
            let shown = command(more).expect_err(more);
            assert!(shown.contains(expected), "{more}\n{shown}");
        }
    }
}
