//! Which commit a checked out repository is at, read from its files.

use std::fs;
use std::path::Path;

/// The commit of `HEAD` in hex, where the files of the repository say it.
pub(super) fn commit(repository: &Path) -> Option<String> {
    let mut store = repository.join(".git");
    if let Ok(link) = fs::read_to_string(&store) {
        // In a linked worktree the name of another directory.
        store = repository.join(link.strip_prefix("gitdir:")?.trim());
    }
    let head = fs::read_to_string(store.join("HEAD")).ok()?;
    let Some(branch) = head.strip_prefix("ref:") else { return hex(&head) };
    let branch = branch.trim();
    let common = fs::read_to_string(store.join("commondir"));
    let common = common.map_or_else(|_| store.clone(), |common| store.join(common.trim()));
    if let Ok(commit) = fs::read_to_string(common.join(branch)) {
        return hex(&commit);
    }
    let packed = fs::read_to_string(common.join("packed-refs")).ok()?;
    let names = packed.lines().filter_map(|line| line.split_once(' '));
    names.filter(|(_, name)| *name == branch).find_map(|(commit, _)| hex(commit))
}

fn hex(text: &str) -> Option<String> {
    let text = text.trim();
    let is_hex = text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_found_on_a_branch_packed_or_not_and_without_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("below the root")).expect("folders");
            fs::write(path, text).expect("a file");
        };
        let (one, two) = ("1".repeat(40), "2".repeat(40));
        assert_eq!(commit(root), None);
        write(".git/HEAD", &format!("{one}\n"));
        assert_eq!(commit(root), Some(one.clone()));
        write(".git/HEAD", "ref: refs/heads/a b\n");
        assert_eq!(commit(root), None);
        write(".git/packed-refs", &format!("# head\n{two} refs/heads/a b\n^{one}\n"));
        assert_eq!(commit(root), Some(two));
        write(".git/refs/heads/a b", &format!("{one}\n"));
        assert_eq!(commit(root), Some(one.clone()));
        write("linked/.git", "gitdir: ../.git/worktrees/linked\n");
        write(".git/worktrees/linked/HEAD", "ref: refs/heads/a b\n");
        write(".git/worktrees/linked/commondir", "../..\n");
        assert_eq!(commit(&root.join("linked")), Some(one));
    }
}
