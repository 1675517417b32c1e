//! Several file diffs that meet at one path.

use super::{makes, refuses};

/// The diff of one line of a file.
fn line(path: &str, old: &str, new: &str) -> String {
    format!(
        "diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{old}\n+{new}\n"
    )
}

fn rename(from: &str, to: &str) -> String {
    format!(
        "diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n"
    )
}

#[test]
fn two_diffs_of_one_file_apply_in_order() {
    let patch = line("x", "1", "2") + &line("x", "2", "3");
    makes([("x", "1\n")], &patch, [("x", "3\n")]);
    // What comes back to what it was is no change.
    makes([("x", "1\n")], line("x", "1", "2") + &line("x", "2", "1"), [("x", "1\n")]);
    refuses(
        [("x", "2\n")],
        patch,
        "`x` is already what line 1 of the patch makes of it: the patch is applied to this tree, or was made in the other direction",
    );
}

#[test]
fn files_change_places_and_move_in_chains() {
    makes([("x", "1"), ("y", "2")], rename("y", "x") + &rename("x", "y"), [("x", "2"), ("y", "1")]);
    makes([("x", "1"), ("y", "2")], rename("x", "y") + &rename("y", "z"), [("y", "1"), ("z", "2")]);
    makes([("x", "1"), ("y", "2")], rename("y", "z") + &rename("x", "y"), [("y", "1"), ("z", "2")]);
    let gone =
        "diff --git a/y b/y\ndeleted file mode 100644\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-2\n";
    makes([("x", "1\n"), ("y", "2\n")], gone.to_owned() + &rename("x", "y"), [("y", "1\n")]);
}

#[test]
fn a_copy_is_of_the_state_before_its_own_diff() {
    let copy = "diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n";
    let change = line("x", "1", "2");
    makes([("x", "1\n")], format!("{change}{copy}"), [("x", "2\n"), ("y", "1\n")]);
    // In the patch of the next commit it is of the state after the one before.
    let commits = format!("{change}-- \n2.47\n\nFrom 12: next\n---\n{copy}");
    makes([("x", "1\n")], commits, [("x", "2\n"), ("y", "2\n")]);
}

#[test]
fn a_change_and_a_move_of_one_file_need_an_order() {
    let change = line("x", "1", "2");
    let moved = rename("x", "y");
    makes([("x", "1\n")], format!("{change}\ncommit 2\n\n{moved}"), [("y", "2\n")]);
    refuses(
        [("x", "1\n")],
        format!("{change}{moved}"),
        "`x`: line 7 of the patch moves it after line 1 changes it, and nothing tells which of its states is meant; give one diff of the two trees",
    );
}

#[test]
fn files_become_directories_and_directories_files() {
    let new = "diff --git a/x/y b/x/y\nnew file mode 100644\n--- /dev/null\n+++ b/x/y\n@@ -0,0 +1 @@\n+2\n";
    let old = "diff --git a/x b/x\ndeleted file mode 120000\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-t\n\\ No newline at end of file\n";
    makes([("x", "l t")], old.to_owned() + new, [("x/y", "2\n")]);
    let through = "the patch makes `x/y`, but `x` is a file or a link and no directory";
    refuses([("x", "l t")], new, through);
    refuses([("x", "1\n")], new, through);
    let link = "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+t\n\\ No newline at end of file\n";
    refuses([], link.to_owned() + new, through);
}
