//! Landlock: where a command may write, and whom it may signal.

use std::io;
use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd,
    Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, Scope,
};

use super::at;
use crate::run::sandbox::Landlock;

/// What real test suites write to besides their workspace: sinks, terminals, and the shared memory
/// that semaphores of `multiprocessing` lie in.
const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm"];

/// The oldest version used (Linux 6.2): before it, a file outside could be truncated.
const OLDEST: ABI = ABI::V3;

/// A fence that is ready and not closed yet.
pub(super) struct Fence(RulesetCreated);

impl Fence {
    /// Lets through writing below `places`; with `own_devices` also below the folders for shared
    /// memory and terminals when they hold such a place, for then they are the command's alone. Device files cannot be made even there.
    ///
    /// # Errors
    /// The kernel cannot do what `landlock` asks for, or a place cannot be opened.
    pub(super) fn around<'a>(
        landlock: Landlock,
        own_devices: bool,
        places: impl Iterator<Item = &'a Path>,
    ) -> io::Result<Option<Self>> {
        let rules = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_write(OLDEST));
        let rules = match landlock {
            Landlock::Off => return Ok(None),
            Landlock::Files => rules,
            Landlock::Full => rules.and_then(|rules| rules.scope(Scope::from_all(ABI::V6))),
        };
        let rules = rules.and_then(Ruleset::create).map_err(|error| io_error(&error))?;
        let devices = DEVICES.iter().map(Path::new).filter(|device| device.exists());
        // Copies can be made in a folder that everybody may write in; then it is not let through.
        let places = places.collect::<Vec<_>>();
        let hides = |device: &&Path| places.iter().any(|place| place.starts_with(device));
        let devices = devices.filter(|device| own_devices || !hides(device));
        let mut all = places.iter().copied().chain(devices);
        all.try_fold(rules, open_at).map(|rules| Some(Self(rules)))
    }

    /// Closes it around the calling process for good, and around everything it starts. It may write
    /// to its own directory below `/proc`.
    ///
    /// # Errors
    /// The kernel refuses.
    pub(super) fn close(self) -> io::Result<()> {
        let rules = open_at(self.0, Path::new("/proc/self"))?;
        rules.restrict_self().map(drop).map_err(|error| io_error(&error))
    }
}

fn open_at(rules: RulesetCreated, place: &Path) -> io::Result<RulesetCreated> {
    let directory = place.metadata().map_err(|error| at(place, &error))?.is_dir();
    let rule = PathBeneath::new(PathFd::new(place).map_err(io::Error::other)?, granted(directory));
    rules.add_rule(rule).map_err(|error| io_error(&error))
}

fn granted(directory: bool) -> BitFlags<AccessFs> {
    let write = AccessFs::from_write(OLDEST);
    if directory {
        write & !(AccessFs::MakeBlock | AccessFs::MakeChar)
    } else {
        write & AccessFs::from_file(OLDEST)
    }
}

fn io_error(error: &RulesetError) -> io::Error {
    io::Error::other(format!("Landlock: {error}"))
}
