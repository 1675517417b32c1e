//! What holds a command of a run: the mechanisms in force and what they let through.

mod choose;
mod groups;
mod layered;
mod probe;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use choose::{Chosen, Fresh, Isolation, NotToBeHad, Wish, choose};
pub use groups::Groups;
pub(in crate::run) use groups::{Controller, group_of};
pub(in crate::run) use probe::look;

use crate::base::any_path;

/// The usual limit of one file's size in bytes: generous, for it only has to save the disk.
pub const FILE_SIZE: u64 = 8 << 30;

/// What holds every command of a run. The default holds nothing: commands are only ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sandbox {
    /// User, PID, mount and IPC namespaces of its own: it sees its own processes alone, and every
    /// mount but the writable places is read-only.
    pub namespaces: bool,
    /// Landlock: it writes in the writable places alone.
    pub landlock: Landlock,
    /// The network it sees; all but [`Network::Host`] needs namespaces.
    pub network: Network,
    /// Where it may write besides its workspace; absolute, without links.
    pub allow_write: Vec<Place>,
    /// What it may use.
    pub limits: Limits,
    /// How it gets a clean workspace.
    pub workspaces: Workspaces,
    /// Where the kernel holds it to the limits.
    pub groups: Groups,
}

/// How every command gets a workspace in which nothing is left of the one before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Workspaces {
    /// What a command changed is found and brought back.
    #[default]
    Reset,
    /// What a command wrote in is thrown away, and copied afresh.
    Copy,
    /// An overlay mount above the copy, in the command's own mount namespace: what it writes goes to
    /// a folder that is thrown away. Needs namespaces, and the rights of root.
    Overlay,
    /// The same without the rights of root. There a directory that the copy came with cannot be
    /// renamed (a program sees `EXDEV`, as between two file systems), and of its hard links one does not
    /// change with the other.
    UserOverlay,
}

impl Workspaces {
    /// Whether commands run above the copy and not in it.
    #[must_use]
    pub const fn is_overlay(self) -> bool {
        matches!(self, Self::Overlay | Self::UserOverlay)
    }

    /// What it is, for people.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Reset => "brought back after each command",
            Self::Copy => "copied afresh after each command",
            Self::Overlay => "an overlay mount for each command",
            Self::UserOverlay => {
                "an overlay mount for each command, where the tree's own directories cannot be renamed"
            }
        }
    }
}

/// A path of the system that need not be UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Place(#[serde(with = "any_path")] pub PathBuf);

impl AsRef<Path> for Place {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

/// What Landlock stops.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Landlock {
    /// Nothing.
    #[default]
    Off,
    /// Writing (Linux 6.2).
    Files,
    /// Also signals and connections to abstract sockets of processes outside (Linux 6.12).
    Full,
}

/// The network a command sees.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Network {
    /// The caller's.
    #[default]
    Host,
    /// A loopback device of its own and nothing else.
    Loopback,
    /// None at all.
    None,
}

/// What a command may use besides time and output. Who passes one of these is ended or fails, and
/// its mutant is undecided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The size of a file it writes, in bytes; see [`FILE_SIZE`].
    pub file_size: Option<u64>,
    /// The resident memory of all its processes together, in bytes.
    pub memory: Option<u64>,
    /// Its processes at one time.
    pub processes: Option<u64>,
}

impl Sandbox {
    /// The mechanisms, for people.
    #[must_use]
    pub fn mechanisms(&self) -> &'static str {
        match (self.namespaces, self.landlock) {
            (true, Landlock::Full | Landlock::Files) => "namespaces and Landlock",
            (true, Landlock::Off) => "namespaces",
            (false, Landlock::Full | Landlock::Files) => "Landlock",
            (false, Landlock::Off) => "nothing",
        }
    }

    /// What becomes of its processes, for people.
    #[must_use]
    pub fn processes(&self) -> &'static str {
        match (self.namespaces, self.landlock) {
            (true, _) => "a PID namespace of their own",
            (false, Landlock::Full) => "a subreaper ends them; they cannot signal others",
            (false, Landlock::Files | Landlock::Off) => "a subreaper ends them",
        }
    }

    /// Which network they see, for people.
    #[must_use]
    pub fn network(&self) -> &'static str {
        match self.network {
            Network::Host => "the host's",
            Network::Loopback => "a loopback of their own",
            Network::None => "none",
        }
    }

    /// What holds memory and processes to their limits, for people; nothing where there are none.
    #[must_use]
    pub fn held_to(&self) -> Option<String> {
        self.groups.words(&self.limits)
    }

    /// Where they write, for people.
    #[must_use]
    pub fn files(&self) -> String {
        let also = self.allow_write.iter().map(|Place(path)| format!(", `{}`", path.display()));
        let also = also.collect::<String>();
        match (self.namespaces, self.landlock) {
            (false, Landlock::Off) => {
                "private HOME, TMPDIR and workspace; other writes are not prevented".to_owned()
            }
            _ => format!("written only in the workspace{also} ({})", self.mechanisms()),
        }
    }
}

impl std::fmt::Display for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (processes, network, files) = (self.processes(), self.network(), self.files());
        let workspaces = self.workspaces.words();
        write!(
            f,
            "processes: {processes}; network: {network}; files: {files}; workspaces: {workspaces}"
        )?;
        self.held_to().map_or(Ok(()), |limits| write!(f, "; limits: {limits}"))
    }
}
