//! Which sources anyone opens in a workspace for a while: of what other programs do there, nothing else is
//! seen. One that did not open a source, nor the bytecode of it, cannot have run what it says.

use std::collections::BTreeSet;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use crate::base::RelPath;

/// What comes before a file can be opened by another name, too; a second link shows in the file's own times.
const WATCHED: WatchFlags = WatchFlags::OPEN
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVE)
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::DONT_FOLLOW);

/// After one of these the kernel may have told of less than there was.
const LOST: ReadFlags =
    ReadFlags::QUEUE_OVERFLOW.union(ReadFlags::IGNORED).union(ReadFlags::UNMOUNT);

/// Listens in every directory of a workspace.
pub(super) struct Openings(OwnedFd);

/// What was opened: names up to their first dot, so that bytecode, wherever it lies, has the name of its
/// source.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Opened(BTreeSet<Vec<u8>>);

impl Openings {
    /// Listens from now on in all directories at and below `root`.
    ///
    /// # Errors
    /// One cannot be read, or the kernel has no room for so many.
    pub(super) fn listen(root: &Path) -> io::Result<Self> {
        let listener = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let mut directories = vec![PathBuf::from(root)];
        while let Some(directory) = directories.pop() {
            inotify::add_watch(&listener, &directory, WATCHED)?;
            for entry in std::fs::read_dir(&directory)? {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    directories.push(entry.path());
                }
            }
        }
        Ok(Self(listener))
    }

    /// What was opened since.
    ///
    /// # Errors
    /// There was more than the kernel could tell.
    pub(super) fn end(self) -> io::Result<Opened> {
        let mut opened = Opened::default();
        let mut buffer = [MaybeUninit::uninit(); 1 << 14];
        let mut events = Reader::new(self.0, &mut buffer);
        loop {
            match events.next() {
                Ok(event) if event.events().intersects(LOST) => {
                    return Err(io::Error::other("not all that was opened is known"));
                }
                Ok(event) => opened.0.extend(event.file_name().map(|name| stem(name.to_bytes()))),
                Err(Errno::AGAIN) => return Ok(opened),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
    }
}

impl Opened {
    /// Whether the file at this path may be among them.
    pub(super) fn may_hold(&self, path: &RelPath) -> bool {
        let name = Path::new(std::ffi::OsStr::from_bytes(path.as_bytes())).file_name();
        name.is_none_or(|name| self.0.contains(&stem(name.as_bytes())))
    }
}

fn stem(name: &[u8]) -> Vec<u8> {
    name.split(|&byte| byte == b'.').next().unwrap_or_default().to_vec()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    fn opened_by(script: &str) -> io::Result<Opened> {
        let root = tempfile::tempdir()?;
        for file in ["tree/pkg/one.py", "tree/pkg/two.py", "cache/deep/two.cpython-312.pyc"] {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().expect("it has one"))?;
            fs::write(path, "x = 1\n")?;
        }
        let openings = Openings::listen(root.path())?;
        let ran = Command::new("sh")
            .args(["-c", script])
            .current_dir(root.path().join("tree"))
            .status()?;
        assert!(ran.success(), "{script}");
        openings.end()
    }

    #[test]
    fn who_opens_a_source_or_its_bytecode_is_seen() {
        for (script, one, two) in [
            ("true", false, false),
            ("ls -lR . > /dev/null", false, false),
            ("cat pkg/one.py", true, false),
            ("cat ../cache/deep/two.cpython-312.pyc", false, true),
            // What is opened by another name was given that name first.
            (
                "mv pkg/two.py pkg/three.py; cat pkg/three.py; mv pkg/three.py pkg/two.py",
                false,
                true,
            ),
            ("ln -s one.py pkg/five.py; cat pkg/five.py; rm pkg/five.py", true, false),
        ] {
            let opened = opened_by(script).expect("it is listened to");
            let of =
                |path: &str| opened.may_hold(&RelPath::new(path.as_bytes()).expect("it is one"));
            assert_eq!((of("pkg/one.py"), of("pkg/two.py")), (one, two), "{script}: {opened:?}");
        }
    }

    #[test]
    fn what_the_kernel_may_not_have_told_is_an_error() {
        assert!(opened_by("rm -r pkg; mkdir pkg").is_err());
    }
}
