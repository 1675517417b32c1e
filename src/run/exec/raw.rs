//! The calls that no safe wrapper makes: everything `unsafe` of the program is here.
#![expect(unsafe_code, reason = "the system calls of the helper that no crate wraps safely")]

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use nix::libc;
use rustix::process::Pid;

/// Makes `before` run in the new process, right before its program starts.
pub(super) fn before_exec(
    command: &mut Command,
    before: impl FnMut() -> io::Result<()> + Send + Sync + 'static,
) {
    // SAFETY: the danger of code between fork and exec is a lock that another thread held at the
    // fork. The helper has one thread, so the child may do whatever the helper may.
    unsafe { command.pre_exec(before) };
}

/// Gives every signal its default effect: what the caller of the engine ignores (`nohup`, a CI
/// runner) is no business of a command.
pub(super) fn default_signals() {
    for signal in 1..=libc::SIGRTMAX() {
        // SAFETY: SIG_DFL is no function that could run at a bad moment. SIGKILL, SIGSTOP and the C
        // library's own signals are refused, and need nothing.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Forks into new namespaces (`CLONE_NEW*`). `None` in the child, which is init of a new PID
/// namespace where that is one of them.
pub(super) fn fork_into(namespaces: i32) -> io::Result<Option<Pid>> {
    // `struct clone_args` of the kernel's first version, all in 64 bits: flags, pidfd, child_tid,
    // parent_tid, exit_signal, stack, stack_size, tls.
    let mut arguments = [0_u64; 8];
    arguments[0] = u64::from(namespaces.unsigned_abs());
    arguments[4] = u64::from(libc::SIGCHLD.unsigned_abs());
    // SAFETY: without CLONE_VM the child has a copy of our memory and goes on on a copy of this
    // stack, as after fork. The helper has one thread, so no lock is held by one that the copy lacks.
    let process =
        unsafe { libc::syscall(libc::SYS_clone3, arguments.as_ptr(), size_of_val(&arguments)) };
    if process < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(i32::try_from(process).ok().and_then(Pid::from_raw))
}

/// Makes the mount at `path` (empty: the one that `folder` is) read-only or writable; with `below`
/// those below it too.
pub(super) fn set_read_only(
    folder: impl AsFd,
    path: &str,
    read_only: bool,
    below: bool,
) -> io::Result<()> {
    let path = CString::new(path).map_err(io::Error::other)?;
    let mut attributes =
        libc::mount_attr { attr_set: 0, attr_clr: 0, propagation: 0, userns_fd: 0 };
    let which = if read_only { &mut attributes.attr_set } else { &mut attributes.attr_clr };
    *which = libc::MOUNT_ATTR_RDONLY;
    let flags = libc::AT_EMPTY_PATH | if below { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: path and attributes live over the call, which only reads them.
    let failed = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            folder.as_fd().as_raw_fd(),
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of_val(&attributes),
        )
    };
    if failed == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
