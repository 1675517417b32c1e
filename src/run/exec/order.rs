//! What the engine asks of the helper and what the helper answers.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::run::exit::Exit;
use crate::run::sandbox::Sandbox;

/// One command to run, as the words after `__exec` spell it:
/// `LIMIT_MS GRACE_MS OUTPUT_LIMIT KEEP CHANNEL LOG WORKSPACE SANDBOX SHOWN_AT [LAYER] -- ARGV...`, the sandbox as
/// JSON, the place empty where there is none.
/// Environment and working directory are those of the helper itself.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::run) struct Order {
    /// How long the command may run.
    pub(in crate::run) limit: Duration,
    /// How long its processes have to end by themselves once they were asked to.
    pub(in crate::run) grace: Duration,
    /// How many bytes of output it may write.
    pub(in crate::run) output_limit: u64,
    /// How many bytes from the start, and as many from the end, go to the log.
    pub(in crate::run) keep: usize,
    /// Whether the helper's stderr is a socket that the command is to find as its stdin.
    pub(in crate::run) channel: bool,
    /// The log file; an earlier one of this name is replaced.
    pub(in crate::run) log: PathBuf,
    /// The directory it may write in.
    pub(in crate::run) workspace: PathBuf,
    /// What holds it.
    pub(in crate::run) sandbox: Sandbox,
    /// Where the working directory is to be seen, and the command to run, instead of where it is;
    /// needs namespaces.
    pub(in crate::run) shown_at: Option<PathBuf>,
    /// The folder that an overlay above the workspace writes in, if there is to be one; beside it.
    pub(in crate::run) layer: Option<PathBuf>,
    /// The command's words.
    pub(in crate::run) argv: Vec<OsString>,
}

impl Order {
    /// The words that [`Order::parse`] reads.
    pub(in crate::run) fn words(&self) -> impl Iterator<Item = OsString> {
        let ms = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let (keep, channel) = (self.keep as u64, u64::from(self.channel));
        let numbers = [ms(self.limit), ms(self.grace), self.output_limit, keep, channel]
            .map(|n| n.to_string());
        let sandbox = serde_json::to_string(&self.sandbox).expect("plain data");
        let [log, workspace] = [&self.log, &self.workspace].map(|path| path.clone().into());
        let shown_at = self.shown_at.clone().unwrap_or_default().into();
        let layer = self.layer.clone().map(OsString::from);
        let rest = [log, workspace, sandbox.into(), shown_at].into_iter();
        let rest = rest.chain(layer).chain(["--".into()]);
        numbers.into_iter().map(OsString::from).chain(rest).chain(self.argv.iter().cloned())
    }

    /// Reads the words after `__exec`.
    pub(in crate::run) fn parse(words: impl Iterator<Item = OsString>) -> Option<Self> {
        fn number<T: std::str::FromStr>(word: &OsStr) -> Option<T> {
            word.to_str()?.parse().ok()
        }
        let mut words = words;
        let limit = Duration::from_millis(number(&words.next()?)?);
        let grace = Duration::from_millis(number(&words.next()?)?);
        let output_limit = number(&words.next()?)?;
        let keep = number(&words.next()?)?;
        let channel = number::<u8>(&words.next()?)? == 1;
        let log = words.next()?.into();
        let workspace = words.next()?.into();
        let sandbox = serde_json::from_str(words.next()?.to_str()?).ok()?;
        let shown_at = words.next()?;
        let shown_at = (!shown_at.is_empty()).then(|| shown_at.into());
        let mut layer = None;
        let mut word = words.next()?;
        if word != "--" {
            layer = Some(PathBuf::from(word));
            word = words.next()?;
        }
        if word != "--" {
            return None;
        }
        let argv: Vec<_> = words.collect();
        (!argv.is_empty()).then_some(Self {
            limit,
            grace,
            output_limit,
            keep,
            channel,
            log,
            workspace,
            sandbox,
            shown_at,
            layer,
            argv,
        })
    }
}

/// The helper's answer: one line of JSON on its stdout.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::run) struct Report {
    /// What the engine wrote to the helper's stdin: a line without it is not the helper's.
    pub(in crate::run) token: String,
    /// What the command did.
    pub(in crate::run) exit: Exit,
    /// From the command's start to its end, or until we stopped it.
    pub(in crate::run) wall: Duration,
    /// User and system time of all its processes.
    pub(in crate::run) cpu: Duration,
    /// The largest resident set of any one of its processes, in bytes.
    pub(in crate::run) peak_rss: u64,
    /// Bytes it wrote to stdout and stderr.
    pub(in crate::run) output_bytes: u64,
    /// Whether the kernel said that no process of it is left (`ECHILD`, or the init of its PID
    /// namespace was reaped): the certificate.
    pub(in crate::run) ended: bool,
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use super::*;
    use crate::run::sandbox::{Groups, Landlock, Limits, Network, Place, Workspaces};

    #[test]
    fn an_order_survives_the_command_line() {
        let argv = vec![OsString::from_vec(b"a\xff".to_vec()), "--".into(), String::new().into()];
        let sandbox = Sandbox {
            namespaces: true,
            landlock: Landlock::Full,
            network: Network::Loopback,
            allow_write: vec![Place(OsString::from_vec(b"/a\xff".to_vec()).into())],
            limits: Limits { file_size: Some(u64::MAX), memory: None, processes: Some(1) },
            workspaces: Workspaces::UserOverlay,
            groups: Groups { processes: Some(Place("/g".into())), ..Groups::default() },
        };
        let order = Order {
            limit: Duration::from_millis(1500),
            grace: Duration::from_secs(1),
            output_limit: u64::MAX,
            keep: 0,
            channel: true,
            log: "logs/a b".into(),
            workspace: "/w".into(),
            sandbox,
            shown_at: Some("/testbed".into()),
            layer: Some("/w.layer".into()),
            argv,
        };
        assert_eq!(Order::parse(order.words()).as_ref(), Some(&order));
        let order = Order { channel: false, shown_at: None, layer: None, ..order };
        assert_eq!(Order::parse(order.words()), Some(order));
    }

    #[test]
    fn a_malformed_order_is_refused() {
        let sandbox = serde_json::to_string(&Sandbox::default()).expect("plain data");
        for line in [
            "",
            "1 1 1 1 0 log w {}",
            "1 1 1 1 0 log w {} /at true",
            "1 1 1 1 0 log w {} -- true",
            "1 1 1 1 0 log w {}  layer",
            "1 1 1 1 0 log w {}  layer true -- true",
            "x 1 1 1 0 log w {}  -- true",
            "1 -1 1 1 0 l w {}  -- t",
            "1 1 1 1 0 l w -- t",
            "1 1 1 1 l w {}  -- t",
        ] {
            let line = line.replace("{}", &sandbox);
            assert_eq!(Order::parse(line.split(' ').map(OsString::from)), None, "{line}");
        }
        let line = format!("1 1 1 1 0 l w {sandbox}  -- t");
        assert!(Order::parse(line.split(' ').map(OsString::from)).is_some());
    }
}
