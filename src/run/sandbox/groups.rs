//! Control groups: where the kernel itself holds all processes of a command together to a limit.
//!
//! Here it is found out, at the start of a run, where groups can be made; the helper makes one for its
//! command. Of version 1 of the kernel's interface that for processes is used, of version 2 all: there
//! none but the root of a hierarchy hands limits down while a process, such as ours, is in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Limits, Place};

/// Names of groups begin so; the pid of the helper that made one follows.
const PREFIX: &str = "adequacy-";

/// Where groups for commands are made, for what of the limits asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Groups {
    /// The group below which one can limit memory.
    pub memory: Option<Place>,
    /// The group below which one can limit processes; their threads count too.
    pub processes: Option<Place>,
    /// Why not for all that was asked for.
    pub short_of: Option<String>,
}

/// What a group can limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::run) enum Controller {
    Memory,
    Processes,
}

impl Controller {
    /// As the kernel calls it.
    const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Processes => "pids",
        }
    }

    /// The files of a group that hold the limit, and the events with the word that counts how often it
    /// was met.
    pub(in crate::run) const fn files(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Processes => ("pids.max", "pids.events", "max"),
            Self::Memory => ("memory.max", "memory.events", "oom_kill"),
        }
    }
}

/// Whether a group is of version 2, where one hierarchy has all controllers.
fn is_unified(place: &Path) -> bool {
    place.join("cgroup.controllers").exists()
}

/// The group of the helper with this pid, below the one at `place`.
pub(in crate::run) fn group_of(place: &Path, helper: u32) -> PathBuf {
    place.join(format!("{PREFIX}{helper}"))
}

impl Groups {
    /// Each place with what it limits.
    pub(in crate::run) fn places(&self) -> impl Iterator<Item = (Controller, &Path)> {
        let memory = self.memory.iter().map(|place| (Controller::Memory, place));
        let processes = self.processes.iter().map(|place| (Controller::Processes, place));
        memory.chain(processes).map(|(controller, Place(path))| (controller, path.as_path()))
    }

    /// Removes the group of a helper that died before it could.
    pub(in crate::run) fn remove(&self, helper: u32) {
        for (_, place) in self.places() {
            // It is removed already, or its processes still end: then a later run removes it.
            let _ = fs::remove_dir(group_of(place, helper));
        }
    }

    /// What holds memory and processes to these limits, for people; nothing where there are none.
    pub(super) fn words(&self, limits: &Limits) -> Option<String> {
        let by = |what: &str, limit: Option<u64>, place: &Option<Place>| {
            let by = if place.is_some() { "a control group" } else { "looks every 25 ms" };
            limit.map(|_| format!("{what}: {by}"))
        };
        let all = [
            by("memory", limits.memory, &self.memory),
            by("processes", limits.processes, &self.processes),
        ];
        let all = all.into_iter().flatten().collect::<Vec<_>>().join("; ");
        let why = self.short_of.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
        (!all.is_empty()).then(|| format!("{all}{why}"))
    }
}

/// Where groups that limit what `limits` names can be made by us.
pub(super) fn usable(limits: &Limits) -> Groups {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    let (own, mounts) = (read("/proc/self/cgroup"), read("/proc/self/mountinfo"));
    usable_at(limits, |controller| folder(controller, &own, &mounts))
}

/// The same with a folder for each controller.
fn usable_at(limits: &Limits, folder: impl Fn(Controller) -> Option<PathBuf>) -> Groups {
    let mut groups = Groups::default();
    let wanted = [(Controller::Memory, limits.memory), (Controller::Processes, limits.processes)];
    for (controller, limit) in wanted.into_iter().filter(|(_, limit)| limit.is_some()) {
        let name = controller.name();
        let tried = folder(controller).ok_or_else(|| "none here".to_owned()).and_then(|place| {
            try_at(controller, &place, limit.unwrap_or_default())
                .map(|()| Place(place))
                .map_err(|error| error.to_string())
        });
        match (tried, controller) {
            (Ok(place), Controller::Memory) => groups.memory = Some(place),
            (Ok(place), Controller::Processes) => groups.processes = Some(place),
            (Err(why), _) => {
                let why = format!("no control group for {name}: {why}");
                groups.short_of = groups.short_of.or(Some(why));
            }
        }
    }
    groups
}

/// The group that we are in, in the hierarchy that has `controller`: from `/proc/self/cgroup` and
/// `/proc/self/mountinfo`.
fn folder(controller: Controller, own: &str, mounts: &str) -> Option<PathBuf> {
    let name = controller.name();
    let line = |wanted: &dyn Fn(&str) -> bool| {
        own.lines().find_map(|line| {
            let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
            wanted(controllers).then_some(path)
        })
    };
    let first = line(&|controllers| controllers.split(',').any(|one| one == name));
    let (kind, path) = match first {
        Some(path) if controller == Controller::Processes => ("cgroup", path),
        _ => ("cgroup2", line(&str::is_empty)?),
    };
    mounts.lines().find_map(|mount| {
        // `36 35 98:0 /root /mounted/at rw,noatime master:1 - cgroup2 source options`
        let (before, after) = mount.split_once(" - ")?;
        let (mut before, mut after) = (before.split(' ').skip(3), after.split(' '));
        let (root, at) = (before.next()?, before.next()?);
        let is_it = after.next()? == kind
            && (kind == "cgroup2" || after.nth(1)?.split(',').any(|one| one == name));
        let below = path.strip_prefix(root.trim_end_matches('/'))?;
        let is_below = below.is_empty() || below.starts_with('/');
        (is_it && is_below).then(|| Path::new(at).join(below.trim_start_matches('/')))
    })
}

/// Makes a group below `place`, limits it and removes it.
///
/// # Errors
/// What the system says, with the place.
fn try_at(controller: Controller, place: &Path, limit: u64) -> io::Result<()> {
    let failed = |path: &Path, error: io::Error| {
        io::Error::new(error.kind(), format!("`{}`: {error}", path.display()))
    };
    remove_left(place);
    let handed_down = place.join("cgroup.subtree_control");
    let name = controller.name();
    if is_unified(place) {
        let now = fs::read_to_string(&handed_down).map_err(|error| failed(&handed_down, error))?;
        if !now.split_ascii_whitespace().any(|one| one == name) {
            fs::write(&handed_down, format!("+{name}"))
                .map_err(|error| failed(&handed_down, error))?;
        }
    }
    let group = group_of(place, std::process::id());
    fs::create_dir(&group).map_err(|error| failed(&group, error))?;
    let (file, events, _) = controller.files();
    let tried = fs::write(group.join(file), limit.to_string())
        .and_then(|()| fs::read_to_string(group.join(events)))
        .map_err(|error| failed(&group, error));
    let removed = fs::remove_dir(&group).map_err(|error| failed(&group, error));
    tried.and(removed)
}

/// Removes groups of helpers that were killed together with their engine.
fn remove_left(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.parse::<u32>().ok());
        if pid.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            // One that still has processes is refused by the kernel.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: Limits = Limits { file_size: None, memory: Some(1 << 30), processes: Some(9) };

    #[test]
    fn our_own_group_is_found_in_every_kind_of_hierarchy() {
        let unified = "0::/user.slice/run-1.scope\n";
        let one = "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n";
        let legacy = "9:name=systemd:/\n8:pids:/\n4:cpu,memory:/jobs/7\n0::/\n";
        let many = "40 35 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,cpu,memory\n\
                    41 35 0:31 / /sys/fs/cgroup/pids rw shared:2 - cgroup cgroup rw,pids\n\
                    42 35 0:32 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        let inside = "50 1 0:26 /pods/a /sys/fs/cgroup ro - cgroup2 cgroup rw\n";
        for (own, mounts, memory, processes) in [
            (
                unified,
                one,
                Some("/sys/fs/cgroup/user.slice/run-1.scope"),
                Some("/sys/fs/cgroup/user.slice/run-1.scope"),
            ),
            (legacy, many, Some("/sys/fs/cgroup/unified"), Some("/sys/fs/cgroup/pids")),
            ("0::/pods/a/b\n", inside, Some("/sys/fs/cgroup/b"), Some("/sys/fs/cgroup/b")),
            // Somebody else's part of the hierarchy is mounted.
            ("0::/elsewhere\n", inside, None, None),
            ("0::/pods/ab\n", inside, None, None),
            ("", "", None, None),
        ] {
            let found = |controller| folder(controller, own, mounts);
            assert_eq!(found(Controller::Memory), memory.map(PathBuf::from), "{own}");
            assert_eq!(found(Controller::Processes), processes.map(PathBuf::from), "{own}");
        }
    }

    #[test]
    fn what_cannot_be_had_is_said_with_the_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("group");
        let groups = usable_at(&BOTH, |_| Some(place.clone()));
        let why = groups.short_of.clone().expect("there is no such group");
        assert!(
            why.starts_with("no control group for memory: `") && why.contains("group"),
            "{why}"
        );
        assert_eq!((&groups.memory, &groups.processes), (&None, &None));
        let words = groups.words(&BOTH).expect("limits");
        let expected = "memory: looks every 25 ms; processes: looks every 25 ms (no control group";
        assert!(words.starts_with(expected), "{words}");
        // A plain directory that looks like one counts nothing.
        fs::create_dir(&place).expect("a folder");
        fs::write(place.join("cgroup.controllers"), "memory pids\n").expect("a file");
        fs::write(place.join("cgroup.subtree_control"), "pids\n").expect("a file");
        let memory = Limits { processes: None, ..BOTH };
        let groups = usable_at(&memory, |_| Some(place.clone()));
        assert!(groups.memory.is_none() && groups.short_of.is_some());
        assert_eq!(
            fs::read_to_string(place.join("cgroup.subtree_control")).expect("the file"),
            "+memory",
            "the kernel is asked for the one that is missing"
        );
        let none = usable_at(&Limits::default(), |_| unreachable!("nothing is limited"));
        assert_eq!((none.words(&Limits::default()), none), (None, Groups::default()));
    }

    #[test]
    fn groups_of_helpers_that_are_gone_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let ours = group_of(folder.path(), std::process::id());
        let (gone, other) = (group_of(folder.path(), u32::MAX), folder.path().join("adequacy-x"));
        for path in [&ours, &gone, &other] {
            fs::create_dir(path).expect("a folder");
        }
        remove_left(folder.path());
        assert_eq!([&ours, &gone, &other].map(|path| path.exists()), [true, false, true]);
    }
}
