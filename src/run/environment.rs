//! The environment of every command: an allow-list, so that verdicts do not hang on who runs.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use crate::task::Task;

/// Carries the run's id in every process of it; the spawner sets it.
pub(in crate::run) const RUN: &str = "ADEQUACY_RUN";

/// What is the same in every run. `PYTHONHASHSEED` fixes the order of sets of strings.
const FIXED: &[(&str, &str)] = &[
    ("LANG", "C.UTF-8"),
    ("LC_ALL", "C.UTF-8"),
    ("PYTHONHASHSEED", "0"),
    ("RUST_BACKTRACE", "0"),
    ("SHELL", "/bin/sh"),
    ("TERM", "dumb"),
    ("TZ", "UTC"),
];

/// What keeps the caller's value, when there is one. Without PATH no program would be found as the
/// caller finds it; a program that asks who runs it reads `USER` or `LOGNAME`.
const PASSED: &[&str] = &["LOGNAME", "PATH", "PYTHONNOUSERSITE", "USER"];

/// PATH where the caller has none.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Where tools live that are found below the real HOME when these variables are not set: rustup's
/// proxies, user site-packages and pyenv's shims would break below a private one.
const TOOLS: &[(&str, &str)] = &[
    ("CARGO_HOME", ".cargo"),
    ("PYENV_ROOT", ".pyenv"),
    ("PYTHONUSERBASE", ".local"),
    ("RUSTUP_HOME", ".rustup"),
];

/// A worker's private directories; absolute, outside the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// HOME; the XDG directories lie below it.
    pub home: PathBuf,
    /// TMPDIR, TMP and TEMP.
    pub tmp: PathBuf,
    /// PYTHONPYCACHEPREFIX.
    pub pycache: PathBuf,
    /// CARGO_TARGET_DIR.
    pub target: PathBuf,
    /// The worker's number, from 0: for fixed ports and databases.
    pub worker: usize,
}

impl Places {
    /// The places below `root`, the directory of a workspace.
    #[must_use]
    pub fn below(root: &Path, worker: usize) -> Self {
        let [home, tmp, pycache, target] =
            ["home", "tmp", "cache/pycache", "cache/target"].map(|name| root.join(name));
        Self { home, tmp, pycache, target, worker }
    }

    /// `XDG_RUNTIME_DIR`, the one of that family that programs expect to exist.
    fn runtime(&self) -> PathBuf {
        self.home.join(".run")
    }
}

/// The variables of a command, in byte order of their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// What the commands of `task` see in the workspace at `root`, with the rest from this process's own.
    #[must_use]
    pub fn of(task: &Task, root: &Path, worker: usize) -> Self {
        let set = task.env_set.iter().map(|(name, value)| (name.clone(), value.clone()));
        let host = |name: &str| std::env::var_os(name);
        Self::for_run(host, &Places::below(root, worker), &set.collect::<Vec<_>>(), &task.env_pass)
    }

    /// The environment of one worker's commands.
    ///
    /// `host` looks a variable up in the caller's environment. `pass` names further variables that
    /// keep the caller's value where there is one; `set` gives values outright and wins over all.
    /// What is in neither list is dropped: `GIT_*`, `PYTHONPATH`, `PYTEST_ADDOPTS`, `RUSTFLAGS`, ...
    #[must_use]
    pub fn for_run(
        host: impl Fn(&str) -> Option<OsString>,
        places: &Places,
        set: &[(String, String)],
        pass: &[String],
    ) -> Self {
        let mut all = BTreeMap::new();
        let mut put = |name: &str, value: &OsStr| {
            all.insert(OsString::from(name), value.to_owned());
        };
        put("PATH", OsStr::new(USUAL_PATH));
        for (name, value) in FIXED {
            put(name, OsStr::new(value));
        }
        for (name, path) in private(places) {
            put(name, path.as_os_str());
        }
        put("ADEQUACY_WORKER", OsStr::new(&places.worker.to_string()));
        for (name, folder) in TOOLS {
            let usual = || Some(Path::new(&host("HOME")?).join(folder));
            let path = host(name).map(PathBuf::from).or_else(usual);
            // Resolved: the command's HOME and working directory are others.
            if let Some(real) = path.and_then(|path| fs::canonicalize(path).ok()) {
                put(name, real.as_os_str());
            }
        }
        for name in PASSED.iter().copied().chain(pass.iter().map(String::as_str)) {
            if let Some(value) = host(name) {
                put(name, &value);
            }
        }
        for (name, value) in set {
            put(name, OsStr::new(value));
        }
        Self(all)
    }

    /// The same with one more variable, which wins over one of that name.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    /// Names and values, in byte order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The value of a variable.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// The names of all variables a command gets, in byte order, for the run's record.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = self.0.keys().map(|name| name.to_string_lossy().into()).collect();
        names.push(RUN.to_owned());
        names.sort();
        names.dedup();
        names
    }
}

fn private(places: &Places) -> [(&'static str, PathBuf); 11] {
    let home = &places.home;
    [
        ("HOME", home.clone()),
        ("TMPDIR", places.tmp.clone()),
        ("TMP", places.tmp.clone()),
        ("TEMP", places.tmp.clone()),
        ("XDG_CACHE_HOME", home.join(".cache")),
        ("XDG_CONFIG_HOME", home.join(".config")),
        ("XDG_DATA_HOME", home.join(".local/share")),
        ("XDG_RUNTIME_DIR", places.runtime()),
        ("XDG_STATE_HOME", home.join(".local/state")),
        ("PYTHONPYCACHEPREFIX", places.pycache.clone()),
        ("CARGO_TARGET_DIR", places.target.clone()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(pairs: &[(&str, &str)]) -> impl Fn(&str) -> Option<OsString> {
        let owned: Vec<_> = pairs.iter().map(|(n, v)| (n.to_string(), OsString::from(v))).collect();
        move |name| owned.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    fn strings(words: &[&str]) -> Vec<String> {
        words.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_git_hooks_environment_does_not_get_through() {
        let places = Places::below(Path::new("/w"), 3);
        let hook = host(&[
            ("GIT_DIR", "/real/.git"),
            ("GIT_INDEX_FILE", "/real/.git/index"),
            ("GIT_EXEC_PATH", "/usr/lib/git-core"),
            ("PYTEST_ADDOPTS", "-x"),
            ("PYTHONPATH", "/real"),
            ("PYTHONDONTWRITEBYTECODE", "1"),
            ("PYTHONPYCACHEPREFIX", "/shared"),
            ("RUSTFLAGS", "-Dwarnings"),
            ("CARGO_TARGET_DIR", "/shared"),
            ("CARGO_ENCODED_RUSTFLAGS", "-Dwarnings"),
            ("PYTHONHASHSEED", "random"),
            ("TZ", "Asia/Tokyo"),
            ("HOME", "/nowhere"),
            ("TMPDIR", "/shared"),
            ("PATH", "/a:/b"),
            ("USER", "ada"),
            ("PYTHONNOUSERSITE", "1"),
        ]);
        let environment = Environment::for_run(&hook, &places, &[], &[]);
        let shown: Vec<_> = environment
            .iter()
            .map(|(name, value)| format!("{}={}", name.display(), value.display()))
            .collect();
        assert_eq!(
            shown,
            [
                "ADEQUACY_WORKER=3",
                "CARGO_TARGET_DIR=/w/cache/target",
                "HOME=/w/home",
                "LANG=C.UTF-8",
                "LC_ALL=C.UTF-8",
                "PATH=/a:/b",
                "PYTHONHASHSEED=0",
                "PYTHONNOUSERSITE=1",
                "PYTHONPYCACHEPREFIX=/w/cache/pycache",
                "RUST_BACKTRACE=0",
                "SHELL=/bin/sh",
                "TEMP=/w/tmp",
                "TERM=dumb",
                "TMP=/w/tmp",
                "TMPDIR=/w/tmp",
                "TZ=UTC",
                "USER=ada",
                "XDG_CACHE_HOME=/w/home/.cache",
                "XDG_CONFIG_HOME=/w/home/.config",
                "XDG_DATA_HOME=/w/home/.local/share",
                "XDG_RUNTIME_DIR=/w/home/.run",
                "XDG_STATE_HOME=/w/home/.local/state",
            ]
        );
        let named = Environment::for_run(
            &hook,
            &places,
            &[("TZ".into(), "Europe/Paris".into()), ("MODE".into(), "ci".into())],
            &strings(&["GIT_DIR", "NOT_SET", "TZ"]),
        );
        assert_eq!(named.get("GIT_DIR"), Some(OsStr::new("/real/.git")));
        assert_eq!(named.get("TZ"), Some(OsStr::new("Europe/Paris")), "`set` wins over `pass`");
        assert_eq!(named.get("NOT_SET"), None);
        let added: Vec<_> = named.names();
        let before = environment.names();
        let added: Vec<_> = added.iter().filter(|name| !before.contains(name)).collect();
        assert_eq!(added, ["GIT_DIR", "MODE"]);
        assert!(before.contains(&RUN.to_owned()));
    }

    #[test]
    fn tools_keep_their_real_places_where_these_exist() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let home = fs::canonicalize(folder.path()).expect("its real path").join("home");
        let elsewhere = home.join("elsewhere");
        for path in [&home.join(".cargo"), &home.join(".local"), &elsewhere] {
            fs::create_dir_all(path).expect("a folder");
        }
        std::os::unix::fs::symlink(&elsewhere, home.join(".pyenv")).expect("a link");
        let text = |path: &Path| path.to_str().expect("a UTF-8 scratch path").to_owned();
        let (home_text, set) = (text(&home), text(&elsewhere));
        let environment = Environment::for_run(
            host(&[("HOME", &home_text), ("CARGO_HOME", &set), ("RUSTUP_HOME", "/no/such/place")]),
            &Places::below(Path::new("/w"), 0),
            &[],
            &[],
        );
        assert_eq!(environment.get("CARGO_HOME"), Some(elsewhere.as_os_str()));
        assert_eq!(environment.get("PYTHONUSERBASE"), Some(home.join(".local").as_os_str()));
        assert_eq!(environment.get("PYENV_ROOT"), Some(elsewhere.as_os_str()));
        assert_eq!(environment.get("RUSTUP_HOME"), None);
        assert_eq!(environment.get("PATH"), Some(OsStr::new(USUAL_PATH)));
        let bare = Environment::for_run(host(&[]), &Places::below(Path::new("/w"), 0), &[], &[]);
        assert!(TOOLS.iter().all(|(name, _)| bare.get(name).is_none()));
    }
}
