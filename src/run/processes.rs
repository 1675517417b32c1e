//! Processes as the kernel lists them below `/proc`.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use rustix::event::Timespec;
use rustix::process::{Pid, Signal, kill_process};

/// A walk visits at most this many processes, so that one that forks without end cannot hold it.
const MOST: usize = 1 << 16;

/// The children of `parent`: forked by any of its threads, or handed to it as a subreaper.
pub(in crate::run) fn children(parent: Pid) -> Vec<Pid> {
    let Ok(threads) = fs::read_dir(format!("/proc/{parent}/task")) else { return Vec::new() };
    let mut found = Vec::new();
    for thread in threads.flatten() {
        match fs::read_to_string(thread.path().join("children")) {
            Ok(list) => found.extend(list.split_ascii_whitespace().filter_map(pid)),
            // The thread has just ended, or this kernel is built without these lists.
            Err(_) if !has_lists() => return children_by_scan(parent),
            Err(_) => {}
        }
    }
    found
}

fn has_lists() -> bool {
    fs::exists("/proc/thread-self/children").unwrap_or(false)
}

/// The same from the parent that every process names in its `stat`.
fn children_by_scan(parent: Pid) -> Vec<Pid> {
    all().into_iter().filter(|&process| parent_of(process) == Some(parent)).collect()
}

/// Every process that can be seen.
pub(in crate::run) fn all() -> Vec<Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| pid(entry.file_name().to_str()?)).collect()
}

fn parent_of(process: Pid) -> Option<Pid> {
    let stat = fs::read(format!("/proc/{process}/stat")).ok()?;
    // The name before stands in parentheses and may hold anything, parentheses and spaces too.
    let after = stat.iter().rposition(|&byte| byte == b')')? + 1;
    let fields = std::str::from_utf8(&stat[after..]).ok()?;
    pid(fields.split_ascii_whitespace().nth(1)?)
}

fn pid(text: &str) -> Option<Pid> {
    Pid::from_raw(text.parse().ok()?)
}

/// Sends `signals` to each of `roots` and to everything below them, parents first: a parent that
/// was sent SIGKILL forks no more, so the list of its children is final.
///
/// A process is named by its pid. That is exact for our own children, whom nobody else reaps; for
/// the others it holds because the kernel gives a pid out again only after it went through all.
pub(in crate::run) fn signal_trees(roots: Vec<Pid>, signals: &[Signal]) {
    let mut seen = BTreeSet::new();
    let mut next = roots;
    while let Some(process) = next.pop() {
        if seen.len() == MOST || !seen.insert(process.as_raw_pid()) {
            continue;
        }
        for &signal in signals {
            // It may have ended, or belong to another user; the certificate tells.
            let _ = kill_process(process, signal);
        }
        next.extend(children(process));
    }
}

/// Everything below `roots`, and they themselves, as numbers for a message.
pub(in crate::run) fn numbers(roots: Vec<Pid>) -> Vec<i32> {
    let mut seen = BTreeSet::new();
    let mut next = roots;
    while let Some(process) = next.pop() {
        if seen.len() < MOST && seen.insert(process.as_raw_pid()) {
            next.extend(children(process));
        }
    }
    seen.into_iter().collect()
}

/// Everything below a process.
pub(in crate::run) fn below(root: Pid) -> Vec<Pid> {
    numbers(children(root)).into_iter().filter_map(Pid::from_raw).collect()
}

/// A duration as the kernel takes it.
pub(in crate::run) fn timespec(duration: Duration) -> Timespec {
    Timespec::try_from(duration).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 })
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn both_ways_to_find_children_agree() {
        let mut shell = Command::new("sh")
            .args(["-c", "sleep 60 & sleep 60 & echo ready; read -r line; kill %1 %2"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("sh starts");
        let mut ready = [0; 6];
        let out = shell.stdout.as_mut().expect("a pipe");
        std::io::Read::read_exact(out, &mut ready).expect("sh says it is ready");

        let pid = Pid::from_child(&shell);
        let mut listed = children(pid);
        let mut scanned = children_by_scan(pid);
        listed.sort_by_key(|pid| pid.as_raw_pid());
        scanned.sort_by_key(|pid| pid.as_raw_pid());
        assert_eq!(listed.len(), 2);
        assert_eq!(listed, scanned);
        assert_eq!(numbers(vec![pid]).len(), 3);
        assert_eq!(parent_of(listed[0]), Some(pid));
        assert!(all().contains(&listed[1]));

        signal_trees(vec![pid], &[Signal::KILL]);
        shell.wait().expect("sh ends");
    }
}
