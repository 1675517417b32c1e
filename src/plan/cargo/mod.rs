//! The sources that cargo builds: from the targets of the manifests through `mod` and `#[path]`.
//!
//! Pure on the listing: no cargo runs. What only a macro or a build script would bring in is not
//! found, and named as not reached.

mod manifest;
mod paths;
mod settings;

use std::collections::{BTreeMap, BTreeSet};

use adequacy_mutators::rust::{Module, build_outline};

use self::manifest::Manifest;
use self::paths::{join, joined};
use crate::base::RelPath;
use crate::tree::Snapshot;

pub use manifest::Outside;
pub use settings::{SETTINGS, Settings};

/// What cargo builds of a tree.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Reached {
    /// The files that a library or a program reaches.
    pub files: BTreeMap<RelPath, Node>,
    /// Dependencies by path that the tree does not hold.
    pub outside: Vec<Outside>,
}

/// A file that cargo builds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// How it is reached.
    pub reach: Reach,
    /// The files that declare it.
    pub parents: BTreeSet<RelPath>,
}

/// How a file is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// A target starts with it: whether that target is built hangs on the command.
    Root,
    /// Wherever one of the files that declare it is built.
    Always,
    /// Under a condition, such as `#[cfg(windows)]`.
    Conditional,
}

/// What cargo builds of a tree; `None` for one without a manifest.
#[must_use]
pub fn reached(snapshot: &Snapshot) -> Option<Reached> {
    let folders = snapshot.files().filter_map(|(path, _, _)| {
        let folder = path.as_str()?.strip_suffix("Cargo.toml")?;
        (folder.is_empty() || folder.ends_with('/')).then(|| folder.to_owned())
    });
    let folders = folders.collect::<Vec<_>>();
    if folders.is_empty() {
        return None;
    }
    let mut reached = Reached::default();
    let mut todo =
        folders.iter().filter(|folder| is_topmost(folder, &folders)).cloned().collect::<Vec<_>>();
    let mut seen = BTreeSet::new();
    while let Some(folder) = todo.pop() {
        if !seen.insert(folder.clone()) {
            continue;
        }
        let Some(manifest) = Manifest::read(snapshot, &folder) else { continue };
        todo.extend(manifest.members(&folders));
        let (inside, outside) = manifest.dependencies();
        todo.extend(inside);
        reached.outside.extend(outside);
        for root in manifest.targets(snapshot) {
            follow(snapshot, root, &mut reached.files);
        }
    }
    reached.outside.sort_by(|a, b| (&a.manifest, &a.name).cmp(&(&b.manifest, &b.name)));
    Some(reached)
}

/// Whether no manifest stands further up, and it is no part of the tests.
fn is_topmost(folder: &str, folders: &[String]) -> bool {
    let above = folders.iter().any(|other| other != folder && folder.starts_with(other.as_str()));
    let is_test = folder.split('/').any(|segment| matches!(segment, "test" | "tests"));
    !above && (!is_test || folder.is_empty())
}

/// Adds a target's file and all that it declares.
fn follow(snapshot: &Snapshot, root: RelPath, files: &mut BTreeMap<RelPath, Node>) {
    // The file, whether its modules stand beside it, how it is reached, and the file that declares it.
    let mut todo = vec![(root, true, Reach::Root, None)];
    while let Some((path, owns_folder, reach, parent)) = todo.pop() {
        if let Some(node) = files.get_mut(&path) {
            // Reached in two ways, it is asked about; a circle of files ends here.
            if node.reach != reach {
                node.reach = Reach::Conditional;
            }
            node.parents.extend(parent);
            continue;
        }
        let Some(text) = path.as_str() else { continue };
        let Ok(source) = snapshot.read(&path) else { continue };
        let outline = build_outline(&source);
        if outline.is_test {
            continue;
        }
        let (folder, name) =
            text.rsplit_once('/').map_or(("", text), |(folder, name)| (folder, name));
        let own = if owns_folder { String::new() } else { name.trim_end_matches(".rs").to_owned() };
        for module in &outline.modules {
            for (child, owns, depends) in places(snapshot, folder, &own, module) {
                let under = module.is_conditional || depends;
                let reach = if under { Reach::Conditional } else { Reach::Always };
                todo.push((child, owns, reach, Some(path.clone())));
            }
        }
        let reach = if outline.is_conditional { Reach::Conditional } else { reach };
        files.insert(path, Node { reach, parents: parent.into_iter().collect() });
    }
}

/// The files that may hold a module: each with whether its own modules stand beside it, and whether
/// that hangs on a condition. `folder` is that of the declaring file, `own` the folder below it in
/// which its modules stand, empty for the same one.
fn places(
    snapshot: &Snapshot,
    folder: &str,
    own: &str,
    module: &Module,
) -> Vec<(RelPath, bool, bool)> {
    // `#[path]` outside of inline modules is relative to the file; inside to where they would stand.
    let mut base = Some(join(folder, own).unwrap_or_default());
    for (depth, parent) in module.parents.iter().enumerate() {
        let from = if depth == 0 && parent.path.is_some() {
            Some(join(folder, "").unwrap_or_default())
        } else {
            base
        };
        base = from.and_then(|from| join(&from, parent.path.as_deref().unwrap_or(&parent.name)));
    }
    let Some(base) = base else { return Vec::new() };
    let beside =
        if module.parents.is_empty() { join(folder, "").unwrap_or_default() } else { base.clone() };
    let at = |path: &str, depends| {
        let file = joined(&beside, path).filter(|file| snapshot.file(file).is_some());
        file.map(|file| (file, true, depends))
    };
    if let Some(path) = &module.path {
        return at(path, false).into_iter().collect();
    }
    let depends = !module.conditional_paths.is_empty();
    let mut found =
        module.conditional_paths.iter().filter_map(|path| at(path, true)).collect::<Vec<_>>();
    let name = &module.name;
    for (path, owns) in [(format!("{name}.rs"), false), (format!("{name}/mod.rs"), true)] {
        let file = joined(&base, &path).filter(|file| snapshot.file(file).is_some());
        found.extend(file.map(|file| (file, owns, depends)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Silent;
    use crate::tree::{Choice, snapshot};

    fn of(files: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
        let folder = tempfile::tempdir().expect("a temporary directory");
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("below")).expect("folders");
            std::fs::write(path, text).expect("a file");
        }
        let listed = snapshot(folder.path(), &Choice::default(), &Silent).expect("a tree");
        let Some(reached) = reached(&listed) else {
            return (vec!["no manifest".to_owned()], Vec::new());
        };
        let files = reached.files.iter().map(|(path, node)| format!("{path} {:?}", node.reach));
        let outside =
            reached.outside.iter().map(|it| format!("{} {} {}", it.manifest, it.name, it.path));
        (files.collect(), outside.collect())
    }

    #[test]
    fn modules_stand_where_the_compiler_looks_for_them() {
        let (files, outside) = of(&[
            (
                "Cargo.toml",
                "[package]\nname = \"a\"\n[[bin]]\nname = \"b\"\npath = \"odd/start.rs\"\n",
            ),
            (
                "src/lib.rs",
                "mod a; #[cfg(windows)] mod b; #[path = \"x/odd.rs\"] mod c; mod d { mod e; #[path = \"f.rs\"] mod g; } #[cfg(test)] mod t;",
            ),
            ("src/a.rs", "mod h; #[path = \"i.rs\"] mod i; mod j { mod k; }"),
            ("src/a/h.rs", ""),
            ("src/i.rs", "mod l;"),
            ("src/l.rs", ""),
            ("src/a/j/k.rs", ""),
            ("src/b/mod.rs", "mod m;"),
            ("src/b/m.rs", ""),
            ("src/x/odd.rs", "mod n;"),
            ("src/x/n.rs", ""),
            ("src/d/e.rs", ""),
            ("src/d/f.rs", ""),
            ("src/t.rs", ""),
            ("src/main.rs", "#![cfg(unix)]\nmod a;"),
            ("src/bin/o.rs", ""),
            ("src/bin/p/main.rs", "mod q;"),
            ("src/bin/p/q.rs", "#![cfg(test)]"),
            ("odd/start.rs", ""),
            ("tests/all.rs", ""),
            ("build.rs", ""),
            ("src/unused.rs", ""),
        ]);
        assert_eq!(
            files,
            [
                "odd/start.rs Root",
                // Of two files, one of which is there under a condition: it is asked about itself.
                "src/a.rs Conditional",
                "src/a/h.rs Always",
                "src/a/j/k.rs Always",
                "src/b/m.rs Always",
                "src/b/mod.rs Conditional",
                "src/bin/o.rs Root",
                "src/bin/p/main.rs Root",
                "src/d/e.rs Always",
                "src/d/f.rs Always",
                "src/i.rs Always",
                "src/l.rs Always",
                "src/lib.rs Root",
                "src/main.rs Conditional",
                "src/x/n.rs Always",
                "src/x/odd.rs Always",
            ]
        );
        assert!(outside.is_empty());
    }

    #[test]
    fn members_and_dependencies_by_path_belong_to_a_workspace() {
        let package = "[package]\nname = \"x\"\n";
        let (files, outside) = of(&[
            (
                "Cargo.toml",
                "[workspace]\nmembers = [\"crates/*\", \"./tool/\"]\nexclude = [\"crates/old\"]\n[workspace.dependencies]\nz = { path = \"../z\" }\n",
            ),
            (
                "crates/a/Cargo.toml",
                "[package]\nname = \"a\"\nautobins = false\n[lib]\npath = \"lib.rs\"\n[target.'cfg(unix)'.dependencies]\nb = { path = \"../../deep/b\" }\ny = { path = \"../../../y\" }\n",
            ),
            ("crates/a/lib.rs", ""),
            ("crates/a/src/main.rs", ""),
            ("crates/old/Cargo.toml", package),
            ("crates/old/src/lib.rs", ""),
            ("deep/b/Cargo.toml", package),
            ("deep/b/src/lib.rs", ""),
            ("tool/Cargo.toml", package),
            ("tool/src/main.rs", ""),
            ("tests/fixture/Cargo.toml", package),
            ("tests/fixture/src/lib.rs", ""),
        ]);
        assert_eq!(
            files,
            ["crates/a/lib.rs Root", "deep/b/src/lib.rs Root", "tool/src/main.rs Root"]
        );
        assert_eq!(outside, ["Cargo.toml z ../z", "crates/a/Cargo.toml y ../../../y"]);
        assert_eq!(of(&[("src/lib.rs", "")]).0, ["no manifest"]);
    }
}
