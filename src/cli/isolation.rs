//! The flags that say what holds the commands, and the line that says what does.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};

use super::fault::Fault;
use super::{Exit, Streams};
use crate::report::terminal::escaped;
use crate::run::sandbox::{self, Fresh, Isolation, Limits, Network, Place, Sandbox, Wish};

/// What holds the commands.
#[derive(Debug, Clone, Args)]
pub(crate) struct IsolationArgs {
    /// What keeps commands from harming others; auto is the strongest that works here
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = isolation())]
    isolation: Isolation,
    /// The network commands see [default: loopback where possible, else host]
    #[arg(long, value_name = "NET", value_parser = network())]
    net: Option<Network>,
    /// Let commands write here too, outside the tree and its copies (repeatable)
    #[arg(long, value_name = "PATH")]
    allow_write: Vec<PathBuf>,
    /// Refuse to run with less than namespaces, Landlock and the network asked for
    #[arg(long)]
    require_sandbox: bool,
    /// How each command gets a clean workspace; auto is overlay mounts where they behave like plain
    /// directories, else what a command changed is found and reset
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = workspaces())]
    workspace: Fresh,
}

/// What the commands may use.
#[derive(Debug, Clone, Args)]
pub(crate) struct LimitArgs {
    /// Largest file a command may write, in bytes; a mutant that meets it is undecided
    #[arg(long, value_name = "BYTES", default_value_t = sandbox::FILE_SIZE, value_parser = clap::value_parser!(u64).range(1..))]
    max_file_size: u64,
    /// Most memory of a command's processes together, in bytes; a mutant over it is undecided, one
    /// that alone is also over twice as much is killed
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    memory: Option<u64>,
    /// Most processes of a command at one time; a mutant over it is undecided
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    processes: Option<u64>,
}

impl IsolationArgs {
    /// With these places, where a flag names none.
    pub(crate) fn or_allow(mut self, places: &[Place]) -> Self {
        if self.allow_write.is_empty() {
            self.allow_write = places.iter().map(|Place(path)| path.clone()).collect();
        }
        self
    }
}

impl LimitArgs {
    pub(crate) fn limits(&self) -> Limits {
        let file_size = Some(self.max_file_size);
        Limits { file_size, memory: self.memory, processes: self.processes }
    }
}

fn isolation() -> impl clap::builder::TypedValueParser<Value = Isolation> {
    PossibleValuesParser::new(["auto", "namespaces", "landlock", "none"]).map(|word| {
        match word.as_str() {
            "namespaces" => Isolation::Namespaces,
            "landlock" => Isolation::Landlock,
            "none" => Isolation::None,
            _ => Isolation::Auto,
        }
    })
}

fn workspaces() -> impl clap::builder::TypedValueParser<Value = Fresh> {
    PossibleValuesParser::new(["auto", "overlay", "reset", "copy"]).map(|word| {
        match word.as_str() {
            "overlay" => Fresh::Overlay,
            "reset" => Fresh::Reset,
            "copy" => Fresh::Copy,
            _ => Fresh::Auto,
        }
    })
}

fn network() -> impl clap::builder::TypedValueParser<Value = Network> {
    PossibleValuesParser::new(["loopback", "host", "none"]).map(|word| match word.as_str() {
        "loopback" => Network::Loopback,
        "none" => Network::None,
        _ => Network::Host,
    })
}

/// What nothing else may let commands write in.
pub(crate) struct Kept<'a> {
    /// The source tree.
    pub(crate) tree: &'a Path,
    /// Where the copies are made.
    pub(crate) scratch: &'a Path,
    /// The run directory.
    pub(crate) output: &'a Path,
}

/// The sandbox that the flags ask for, which works here; says on stderr what it is.
pub(crate) fn choose(
    args: &IsolationArgs,
    limits: Limits,
    kept: &Kept<'_>,
    helper: &Path,
    tell: bool,
    streams: &mut Streams<'_>,
) -> Result<Sandbox, Fault> {
    let places = args.allow_write.iter().map(|path| allowed(path, kept));
    let wish = Wish {
        isolation: args.isolation,
        network: args.net,
        required: args.require_sandbox,
        allow_write: places.collect::<Result<_, _>>()?,
        limits,
        workspaces: args.workspace,
    };
    let chosen = sandbox::choose(&wish, helper, kept.scratch)
        .map_err(|error| Fault::new(Exit::Refused, error.to_string()))?;
    if tell {
        let why = chosen.short_of.map(|why| format!(" (no more than that: {why})"));
        let why = why.unwrap_or_default();
        writeln!(streams.err, "{}", escaped(&format!("isolation: {}{why}", chosen.sandbox)))?;
    }
    Ok(chosen.sandbox)
}

fn allowed(path: &Path, kept: &Kept<'_>) -> Result<Place, Fault> {
    let shown = path.display();
    let usage = |why: String| Fault::new(Exit::Usage, format!("`--allow-write {shown}`: {why}"));
    let real = path.canonicalize().map_err(|error| usage(error.to_string()))?;
    let real_or_same = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    for (what, place) in [("the source tree", kept.tree), ("the run directory", kept.output)] {
        let place = real_or_same(place);
        if real.starts_with(&place) || place.starts_with(&real) {
            return Err(usage(format!("{what} `{}` is not for commands", place.display())));
        }
    }
    let scratch = real_or_same(kept.scratch);
    if scratch.starts_with(&real) {
        return Err(usage(format!(
            "the copies are made in `{}`; name another place for them with `--scratch`",
            scratch.display()
        )));
    }
    Ok(Place(real))
}
