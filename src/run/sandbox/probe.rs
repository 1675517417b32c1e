//! Whether a sandbox works here: a process in it looks what it can do.

use std::fs;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use rustix::process::{getppid, test_kill_process};
use serde::{Deserialize, Serialize};

use super::layered::{self, Layered};
use super::{Landlock, Network, Sandbox};
use crate::run::environment::{Environment, Places};
use crate::run::exec;
use crate::run::exit::Exit;
use crate::run::spawn::{CommandSpec, Spawner};
use crate::run::workspace::Scratch;

/// The process that looks does nothing that takes long.
const LIMIT: Duration = Duration::from_secs(60);

/// What a process in a sandbox can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seen {
    writes_inside: bool,
    writes_outside: bool,
    changes_modes_outside: bool,
    signals_its_parent: bool,
    sees_only_its_own_processes: bool,
    has_loopback: bool,
    has_other_networks: bool,
    /// Where there was an overlay to look at.
    pub(super) layered: Option<Layered>,
}

/// Looks around, from inside: `outside` is a directory of ours outside the workspace, which is the
/// working directory.
pub(in crate::run) fn look(outside: &Path) -> String {
    // It may be hidden from us.
    let mode = fs::metadata(outside).map_or(0o700, |met| met.permissions().mode());
    let devices = fs::read_to_string("/proc/net/dev").unwrap_or_default();
    let mut networks = devices.lines().filter_map(|line| Some(line.split_once(':')?.0.trim()));
    let answers = |listener: TcpListener| TcpStream::connect(listener.local_addr()?);
    let parent = getppid();
    let seen = Seen {
        writes_inside: fs::write("probe", "").is_ok(),
        writes_outside: fs::write(outside.join("probe"), "").is_ok(),
        changes_modes_outside: fs::set_permissions(outside, fs::Permissions::from_mode(mode))
            .is_ok(),
        signals_its_parent: parent.is_some_and(|parent| test_kill_process(parent).is_ok()),
        sees_only_its_own_processes: parent.is_some_and(|parent| parent.as_raw_pid() == 1)
            && !fs::exists(format!("/proc/{}", std::process::id() + 1)).unwrap_or(true),
        has_loopback: TcpListener::bind("127.0.0.1:0").and_then(answers).is_ok(),
        has_other_networks: networks.any(|name| name != "lo"),
        layered: layered::look(),
    };
    serde_json::to_string(&seen).expect("plain data")
}

/// Whether `sandbox` holds what runs in it.
///
/// # Errors
/// What does not work, in words.
pub(super) fn probe(sandbox: &Sandbox, helper: &Path, scratch: &Path) -> Result<(), String> {
    let seen = try_in(sandbox, helper, scratch, |_| Ok(()))?.0;
    let Seen { writes_inside, writes_outside, changes_modes_outside, .. } = seen;
    let faults = [
        (!writes_inside, "cannot write in its workspace"),
        (writes_outside, "can write outside its workspace"),
        (sandbox.namespaces && changes_modes_outside, "can change modes outside its workspace"),
        (sandbox.namespaces && !seen.sees_only_its_own_processes, "sees the caller's processes"),
        (sandbox.landlock == Landlock::Full && seen.signals_its_parent, "can signal others"),
        (sandbox.network == Network::Loopback && !seen.has_loopback, "has no loopback device"),
        (sandbox.network == Network::None && seen.has_loopback, "has a loopback device"),
        (sandbox.network != Network::Host && seen.has_other_networks, "sees other networks"),
    ];
    match faults.into_iter().find(|(fault, _)| *fault) {
        Some((_, words)) => Err(format!("a process held by {} {words}", sandbox.mechanisms())),
        None => Ok(()),
    }
}

/// Looks around in `sandbox`, above an overlay where it says so; what `after` makes of the workspace
/// from outside then.
pub(super) fn try_in<T>(
    sandbox: &Sandbox,
    helper: &Path,
    scratch: &Path,
    after: impl FnOnce(&Path) -> io::Result<T>,
) -> Result<(Seen, T), String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", sandbox.mechanisms());
    // Not those of the caller: one of them may not exist any more.
    let alone = Sandbox { allow_write: Vec::new(), ..sandbox.clone() };
    // As for copies: what a killed engine leaves is found and removed by a later one.
    let folder = Scratch::create(scratch, &[]).map_err(|error| failed(&error))?;
    let [inside, outside, layer, log] =
        ["inside", "outside", "layer", "log"].map(|name| folder.path().join(name));
    let layered = sandbox.workspaces.is_overlay();
    let make = || -> io::Result<()> {
        [&inside, &outside].into_iter().try_for_each(fs::create_dir)?;
        if layered {
            layered::prepare(&inside)?;
            for below in ["upper", "work"] {
                fs::create_dir_all(layer.join(below))?;
            }
        }
        Ok(())
    };
    make().map_err(|error| failed(&error))?;
    let words =
        [helper, Path::new(exec::LOOK), &outside].map(|word| word.to_str().map(str::to_owned));
    let argv = words.into_iter().collect::<Option<Vec<_>>>();
    let argv = argv.ok_or_else(|| failed(&"the probe needs UTF-8 paths"))?;
    let spawner = Spawner::new(helper, alone).map_err(|error| failed(&error))?;
    let done = spawner.run(&CommandSpec {
        argv: &argv,
        cwd: &inside,
        workspace: &inside,
        layer: layered.then_some(&*layer),
        environment: &Environment::for_run(|_| None, &Places::below(&inside, 0), &[], &[]),
        log: &log,
        limit: LIMIT,
        memory_times: 1,
        output_limit: 1 << 16,
    });
    if done.exit != Exit::Code(0) {
        return Err(failed(&done.exit));
    }
    let said = fs::read(&log).map_err(|error| failed(&error))?;
    let seen = serde_json::from_slice(&said).map_err(|error| failed(&error))?;
    Ok((seen, after(&inside).map_err(|error| failed(&error))?))
}
