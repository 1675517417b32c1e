//! What a `Cargo.toml` says of targets, members and dependencies; as much as it takes to find sources.

use ignore::gitignore::GitignoreBuilder;
use toml::{Table, Value};

use super::paths::{join, joined};
use crate::base::RelPath;
use crate::tree::Snapshot;

/// A package or a workspace.
pub(super) struct Manifest {
    /// Its directory, with a final `/` unless it is the tree's root.
    folder: String,
    table: Table,
}

/// A dependency by path that the tree does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outside {
    /// The manifest that names it.
    pub manifest: String,
    /// The dependency.
    pub name: String,
    /// Its path as it is written.
    pub path: String,
}

impl Manifest {
    /// The manifest in `folder`; nothing where it cannot be read, which cargo will say better.
    pub(super) fn read(snapshot: &Snapshot, folder: &str) -> Option<Self> {
        let path = RelPath::new(format!("{folder}Cargo.toml").as_bytes()).ok()?;
        snapshot.file(&path)?;
        let text = String::from_utf8(snapshot.read(&path).ok()?).ok()?;
        Some(Self { folder: folder.to_owned(), table: text.parse().ok()? })
    }

    fn section(&self, name: &str) -> Option<&Table> {
        self.table.get(name)?.as_table()
    }

    /// The folders of the members that a workspace names, among `folders`, which hold manifests.
    pub(super) fn members(&self, folders: &[String]) -> Vec<String> {
        let Some(workspace) = self.section("workspace") else { return Vec::new() };
        let list = |name: &str| {
            let list = workspace.get(name).and_then(Value::as_array);
            list.into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let (named, left_out) = (list("members"), list("exclude"));
        let is_named = |folder: &str, patterns: &[String]| {
            let Some(below) = folder.strip_prefix(self.folder.as_str()) else { return false };
            let below = below.trim_end_matches('/');
            patterns.iter().any(|pattern| {
                let plain = pattern.trim_start_matches("./").trim_end_matches('/');
                plain == below || matches(plain, below)
            })
        };
        let found = folders.iter();
        let found = found.filter(|folder| is_named(folder, &named) && !is_named(folder, &left_out));
        found.cloned().collect()
    }

    /// The files that its library and its programs start from, as far as they are there.
    pub(super) fn targets(&self, snapshot: &Snapshot) -> Vec<RelPath> {
        let Some(package) = self.section("package") else { return Vec::new() };
        let is_on = |key: &str| package.get(key).and_then(Value::as_bool).unwrap_or(true);
        let mut found = Vec::new();
        let mut add = |path: &str| {
            let file = joined(&self.folder, path).filter(|file| snapshot.file(file).is_some());
            let is_there = file.is_some();
            found.extend(file);
            is_there
        };
        let library = self.section("lib").and_then(|lib| lib.get("path")).and_then(Value::as_str);
        let _ = match library {
            Some(path) => add(path),
            None => (is_on("autolib") || self.section("lib").is_some()) && add("src/lib.rs"),
        };
        let bins = self.table.get("bin").and_then(Value::as_array);
        for bin in bins.into_iter().flatten() {
            let name = bin.get("name").and_then(Value::as_str).unwrap_or_default();
            let usual =
                [&format!("src/bin/{name}.rs"), &format!("src/bin/{name}/main.rs"), "src/main.rs"];
            match bin.get("path").and_then(Value::as_str) {
                Some(path) => add(path),
                None => usual.into_iter().any(&mut add),
            };
        }
        if is_on("autobins") {
            add("src/main.rs");
            for path in self.bins(snapshot) {
                add(&path);
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// The programs that stand in `src/bin`, below the manifest's folder.
    fn bins(&self, snapshot: &Snapshot) -> Vec<String> {
        let start = format!("{}src/bin/", self.folder);
        let files = snapshot.files().filter_map(|(path, _, _)| path.as_str());
        let below = files.filter_map(|path| path.strip_prefix(&start));
        let is_program = |path: &&str| match path.split_once('/') {
            None => path.ends_with(".rs"),
            Some((_, rest)) => rest == "main.rs",
        };
        below.filter(is_program).map(|path| format!("src/bin/{path}")).collect()
    }

    /// The folders of its dependencies by path, and those that the tree does not hold.
    pub(super) fn dependencies(&self) -> (Vec<String>, Vec<Outside>) {
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        let mut todo = vec![&self.table];
        todo.extend(self.section("workspace"));
        todo.extend(
            self.section("target").into_iter().flatten().filter_map(|(_, it)| it.as_table()),
        );
        let tables = todo.into_iter().flat_map(|table| {
            let named =
                ["dependencies", "dev-dependencies", "build-dependencies"].map(|it| table.get(it));
            named.into_iter().flatten().filter_map(Value::as_table)
        });
        let patches =
            self.section("patch").into_iter().flatten().filter_map(|(_, it)| it.as_table());
        for (name, dependency) in tables.chain(patches).flatten() {
            let Some(path) = dependency.get("path").and_then(Value::as_str) else { continue };
            match join(&self.folder, path) {
                Some(folder) => inside.push(folder),
                None => outside.push(Outside {
                    manifest: format!("{}Cargo.toml", self.folder),
                    name: name.clone(),
                    path: path.to_owned(),
                }),
            }
        }
        (inside, outside)
    }
}

/// Whether a folder fits a pattern of members, whose `*` is one segment.
fn matches(pattern: &str, folder: &str) -> bool {
    let mut builder = GitignoreBuilder::new("");
    if builder.add_line(None, &format!("/{pattern}")).is_err() {
        return false;
    }
    builder.build().is_ok_and(|glob| glob.matched(folder, true).is_ignore())
}
