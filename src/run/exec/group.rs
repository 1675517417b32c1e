//! The control group of a command: the helper makes it, the command enters it before its program
//! starts, and its counts tell afterwards whether a limit was met.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use super::at;
use super::order::Report;
use crate::run::exit::Exit;
use crate::run::sandbox::{Controller, Limits, Sandbox, group_of};

/// How often, and after which pause, a group is tried to be removed: what has just ended is not yet
/// out of it.
const TRIES: (u32, Duration) = (100, Duration::from_millis(5));

/// The groups of one command; none where none can be had or nothing is limited.
#[derive(Default)]
pub(super) struct Group(Vec<Member>);

struct Member {
    controller: Controller,
    path: PathBuf,
    /// Where a process writes to enter it; open, for the mounts there are read-only later.
    door: File,
}

impl Group {
    /// Makes it for the command of this helper.
    ///
    /// # Errors
    /// The kernel refuses what it did not when this was tried.
    pub(super) fn make(sandbox: &Sandbox) -> io::Result<Self> {
        let mut group = Self::default();
        for (controller, place) in sandbox.groups.places() {
            let limit = match controller {
                Controller::Memory => sandbox.limits.memory,
                Controller::Processes => sandbox.limits.processes,
            };
            let Some(limit) = limit else { continue };
            let path = group_of(place, std::process::id());
            let made = || -> io::Result<File> {
                match fs::create_dir(&path) {
                    // With one hierarchy it is the same for both limits.
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                    made => made?,
                }
                fs::write(path.join(controller.files().0), limit.to_string())?;
                if controller == Controller::Memory {
                    // Nor by swapping; a kernel without swap has no such file.
                    let _ = fs::write(path.join("memory.swap.max"), "0");
                }
                File::options().write(true).open(path.join("cgroup.procs"))
            };
            match made() {
                Ok(door) => group.0.push(Member { controller, path, door }),
                Err(error) => {
                    let _ = fs::remove_dir(&path);
                    group.remove();
                    return Err(at(&path, &error));
                }
            }
        }
        Ok(group)
    }

    /// What lets a process enter it with [`enter`].
    pub(super) fn doors(&self) -> io::Result<Vec<File>> {
        self.0.iter().map(|member| member.door.try_clone()).collect()
    }

    /// The limits that it does not hold.
    pub(super) fn rest(&self, limits: Limits) -> Limits {
        self.0.iter().fold(limits, |limits, member| match member.controller {
            Controller::Memory => Limits { memory: None, ..limits },
            Controller::Processes => Limits { processes: None, ..limits },
        })
    }

    /// Says in the report that a limit was met, whatever the command made of it, and removes the
    /// group. To be called once all its processes have ended, where [`Group::make`] was.
    pub(super) fn close(self, report: Report) -> Report {
        let met = self.0.iter().find_map(Member::met);
        self.remove();
        match (met, &report.exit) {
            (Some(met), Exit::Code(_) | Exit::Signal(_) | Exit::TimedOut | Exit::OutputLimit) => {
                Report { exit: met, ..report }
            }
            _ => report,
        }
    }

    fn remove(&self) {
        for member in &self.0 {
            for _ in 0..TRIES.0 {
                match fs::remove_dir(&member.path) {
                    Err(error) if error.kind() == ErrorKind::ResourceBusy => sleep(TRIES.1),
                    // What cannot be removed now is by a later run.
                    _ => break,
                }
            }
        }
    }
}

impl Member {
    /// How the command ended, if it met the limit. A count that cannot be read was met: then we
    /// cannot tell.
    fn met(&self) -> Option<Exit> {
        let (_, events, word) = self.controller.files();
        let text = fs::read_to_string(self.path.join(events)).unwrap_or_default();
        let count =
            text.lines().find_map(|line| line.strip_prefix(word)?.trim().parse::<u64>().ok());
        let met = match self.controller {
            Controller::Memory => Exit::MemoryLimit,
            Controller::Processes => Exit::ProcessLimit,
        };
        (count != Some(0)).then_some(met)
    }
}

/// Puts the calling process, and all it starts, into the group behind these doors.
pub(super) fn enter(doors: &mut [File]) -> io::Result<()> {
    // 0 is who writes.
    doors.iter_mut().try_for_each(|door| door.write_all(b"0"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::sandbox::{Groups, Place};

    /// What a group for `limits` makes of a command that ends with this exit, in a directory that
    /// stands in for a group of version 2, where the kernel has counted `events`.
    fn judged(limits: Limits, exit: &Exit, events: &[(&str, &str)]) -> Exit {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().to_owned();
        let path = group_of(&place, std::process::id());
        fs::create_dir(&path).expect("a folder");
        fs::write(place.join("cgroup.controllers"), "").expect("a file");
        fs::write(path.join("cgroup.procs"), "").expect("a file");
        let place = Some(Place(place));
        let groups = Groups { memory: place.clone(), processes: place, short_of: None };
        let group = Group::make(&Sandbox { limits, groups, ..Sandbox::default() });
        let group = group.expect("a group");
        let held = |name: &str| fs::read_to_string(path.join(name)).ok();
        assert_eq!(held("memory.max"), limits.memory.map(|most| most.to_string()));
        assert_eq!(held("memory.swap.max"), limits.memory.map(|_| "0".to_owned()));
        assert_eq!(held("pids.max"), limits.processes.map(|most| most.to_string()));
        assert_eq!(group.rest(limits), Limits { file_size: limits.file_size, ..Limits::default() });
        enter(&mut group.doors().expect("doors")).expect("open doors");
        let entered = limits.memory.or(limits.processes).is_some();
        assert_eq!(held("cgroup.procs").as_deref(), Some(if entered { "0" } else { "" }));
        for (name, text) in events {
            fs::write(path.join(name), text).expect("a file");
        }
        let (wall, cpu) = (Duration::ZERO, Duration::ZERO);
        let (token, exit) = (String::new(), exit.clone());
        let report = Report { token, exit, wall, cpu, peak_rss: 0, output_bytes: 0, ended: true };
        group.close(report).exit
    }

    #[test]
    fn what_the_kernel_counted_decides_whatever_the_command_made_of_it() {
        let memory = Limits { memory: Some(1 << 20), file_size: Some(5), ..Limits::default() };
        let processes = Limits { processes: Some(7), ..Limits::default() };
        let none = ("memory.events", "low 0\noom 3\noom_kill 0\noom_group_kill 0\n");
        let some = ("memory.events", "low 0\noom 3\noom_kill 2\noom_group_kill 0\n");
        let forks = |count| [("pids.events", if count { "max 4\n" } else { "max 0\n" })];
        for exit in [Exit::Code(0), Exit::Code(1), Exit::Signal(9), Exit::TimedOut] {
            assert_eq!(judged(memory, &exit, &[none]), exit);
            assert_eq!(judged(memory, &exit, &[some]), Exit::MemoryLimit);
            assert_eq!(judged(memory, &exit, &[]), Exit::MemoryLimit, "a count that is gone");
            assert_eq!(judged(processes, &exit, &forks(false)), exit);
            assert_eq!(judged(processes, &exit, &forks(true)), Exit::ProcessLimit);
            assert_eq!(judged(Limits::default(), &exit, &[]), exit);
        }
        let lost = Exit::Lost("gone".to_owned());
        for exit in [lost, Exit::Interrupted, Exit::NotStarted("no".to_owned())] {
            assert_eq!(judged(memory, &exit, &[some]), exit);
        }
    }

    #[test]
    fn a_group_that_cannot_be_made_is_an_error_and_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let limits = Limits { processes: Some(7), ..Limits::default() };
        let place = Some(Place(folder.path().join("none")));
        let groups = Groups { processes: place, ..Groups::default() };
        let made = Group::make(&Sandbox { limits, groups, ..Sandbox::default() });
        assert!(made.is_err_and(|error| error.to_string().contains("none/adequacy-")));
        assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 0);
    }
}
