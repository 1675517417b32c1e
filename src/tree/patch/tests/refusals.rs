//! What is refused, and the words for it.

use super::refuses;

const HEAD: &str = "--- a/x\n+++ b/x\n";

#[test]
fn a_hunk_that_does_not_apply_says_where_and_what_differs() {
    let patch = format!(
        "{HEAD}@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -5,4 +5,4 @@ def f():\n e\n-f\n+F\n g\n h\n"
    );
    refuses(
        [("x", "a\nb\nc\nd\ne\nf\nG\r\nh\n")],
        &patch,
        "`x`: hunk 2 (`@@ -5,4 +5,4 @@ def f():`) does not apply: line 11 of the patch expects `g` at line 7 of the file, found `G\\r`",
    );
    refuses(
        [("x", "a\nb\nc\nd\ne\nf\n")],
        &patch,
        "`x`: hunk 2 (`@@ -5,4 +5,4 @@ def f():`) does not apply: line 11 of the patch expects `g` at line 7 of the file, found the end of the file",
    );
    refuses(
        [("x", "0\na\nb\n")],
        &patch,
        "`x`: hunk 1 (`@@ -1,2 +1,2 @@`) does not apply: line 4 of the patch expects `a` at line 1 of the file, found `0`",
    );
    // All its lines stand, but it shows that the file ends behind them.
    refuses(
        [("x", "a\nb\n")],
        format!("{HEAD}@@ -1 +1,2 @@\n a\n+A\n"),
        "`x`: hunk 1 (`@@ -1 +1,2 @@`) does not apply: line 6 of the patch expects the end of the file at line 2 of the file, found `b`",
    );
    // Without context it may as well be the diff of an empty file.
    refuses(
        [("x", "a\nb\n")],
        format!("{HEAD}@@ -0,0 +1 @@\n+A\n"),
        "`x`: hunk 1 (`@@ -0,0 +1 @@`) does not apply: line 5 of the patch expects the end of the file at line 1 of the file, found `a`",
    );
    refuses(
        [("x", "a")],
        format!("{HEAD}@@ -1 +1 @@\n-a\n+b\n"),
        "`x`: hunk 1 (`@@ -1 +1 @@`) does not apply: line 4 of the patch expects `a` at line 1 of the file, found `a` without a line feed after it",
    );
}

#[test]
fn lines_are_never_joined() {
    let open = "\\ No newline at end of file\n";
    let words = |hunk: &str, line: usize, expected: &str, at: usize, found: &str| {
        format!(
            "`x`: hunk 1 (`{hunk}`) does not apply: line {line} of the patch expects {expected} at line {at} of the file, found {found}"
        )
    };
    // An end without a line feed amid the file, and a line after such an end.
    refuses(
        [("x", "a\nb\nc\n")],
        format!("{HEAD}@@ -2 +2 @@\n-b\n+B\n{open}"),
        &words("@@ -2 +2 @@", 7, "the end of the file", 3, "`c`"),
    );
    refuses(
        [("x", "a\nb")],
        format!("{HEAD}@@ -2,0 +3 @@\n+c\n"),
        &words("@@ -2,0 +3 @@", 5, "`b`", 2, "`b` without a line feed after it"),
    );
    refuses(
        [("x", "")],
        format!("{HEAD}@@ -0,0 +1 @@\n+b\n{open}@@ -0,0 +2 @@\n+c\n"),
        "`x`: hunk 2 (`@@ -0,0 +2 @@`) does not apply: line 8 of the patch expects `b` at line 1 of the file, found `b` without a line feed after it",
    );
}

#[test]
fn a_patch_that_is_applied_already_is_recognised() {
    let applied = |line: usize| {
        format!(
            "`x` is already what line {line} of the patch makes of it: the patch is applied to this tree, or was made in the other direction"
        )
    };
    let hunks = "@@ -1,3 +1,3 @@\n-a\n+A\n b\n c\n@@ -6,2 +6,3 @@\n f\n+F\n g\n";
    refuses([("x", "A\nb\nc\nd\ne\nf\nF\ng\n")], format!("{HEAD}{hunks}"), &applied(1));
    let new = "text\ndiff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+1\n";
    refuses([("x", "1\n")], new, &applied(2));
    refuses([("x", "2\n")], new, "`x`, which line 2 of the patch makes, is in the tree already");
    let moved = "diff --git a/w b/x\nrename from w\nrename to x\n";
    refuses([("x", "1\n")], moved, &applied(1));
    refuses([], moved, "`w`, which line 1 of the patch changes, is not in the tree");
}

#[test]
fn paths_that_leave_the_tree_are_refused() {
    for (name, shown, why) in [
        ("/x", "/x", "is absolute"),
        ("../x", "../x", "is no path below a tree"),
        ("a/../../x", "a/../../x", "is no path below a tree"),
        (".git/config", ".git/config", "lies in the store of git"),
        ("a/.GIT/hooks/x", "a/.GIT/hooks/x", "lies in the store of git"),
        ("\"..\\057x\"", "../x", "is no path below a tree"),
        ("\"a\\000b\"", "a\\u{0}b", "holds a NUL byte"),
        ("x/", "x/", "is no path below a tree"),
        ("b/../x", "../x", "is no path below a tree"),
        ("b/", "", "is empty"),
    ] {
        let words = format!("line 1 of the patch names `{shown}`, which {why}");
        refuses([], format!("--- /dev/null\n+++ {name}\n@@ -0,0 +1 @@\n+y\n"), &words);
    }
    let rename = "diff --git a/x b/y\nrename from x\nrename to ../y\n";
    refuses([], rename, "line 3 of the patch names `../y`, which is no path below a tree");
}

#[test]
fn what_is_no_content_of_a_file_is_refused_by_name() {
    let submodule = "line 2 of the patch changes the submodule `lib`, whose files it does not hold; give trees instead";
    for mode in
        ["new file mode 160000", "index 0123456..789abcd 160000", "deleted file mode 160000"]
    {
        let patch = format!(
            "diff --git a/lib b/lib\n{mode}\n--- a/lib\n+++ b/lib\n@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n"
        );
        refuses([], patch, submodule);
    }
    refuses([], "\nSubmodule lib 0123456..789abcd:\n  > words\n", submodule);
    let content = |name: &str, line: usize| {
        format!(
            "line {line} of the patch names `{name}` without its content; make the patch with `git diff --binary` or `diff -ruN`"
        )
    };
    let names = "Binary files a/x and b/x differ";
    refuses([], format!("diff --git a/x b/x\nindex 1..2\n{names}\n"), &content(names, 3));
    refuses([], format!("{names}\n"), &content(names, 1));
    let only = format!("Only in new: y\n{HEAD}@@ -1 +1 @@\n-a\n+b\n");
    refuses([("x", "a\n")], only, &content("Only in new: y", 1));
}

#[test]
fn malformed_diffs_name_the_line() {
    let hunk = "@@ -1 +1 @@\n-a\n+b\n";
    for (patch, words) in [
        (
            "diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n".to_owned(),
            "line 1 of the patch: a combined diff of a merge; give the diff to one of its parents",
        ),
        (
            format!("x\n{hunk}"),
            "line 2 of the patch: a hunk that belongs to no file: the lines `---` and `+++` with its name are missing",
        ),
        (
            format!("{HEAD}@@ -1,2 +1 @@\n-a\n+b\n"),
            "line 6 of the patch: the hunk of line 3 ends here or cannot go on so, with 1 old and 0 new lines still to come by its header",
        ),
        (
            format!("{HEAD}{hunk}+c\n"),
            "line 6 of the patch: the hunk of line 3 goes on after the lines that its header counts",
        ),
        (
            format!("{HEAD}{hunk}{hunk}"),
            "line 6 of the patch: this hunk stands before the end of the hunk above it",
        ),
        (
            format!("{HEAD}@@ -1,x +1 @@\n"),
            "line 3 of the patch: `@@ -1,x +1 @@` is no header of a hunk",
        ),
        (
            "diff --git a/x b/x\n".to_owned(),
            "line 1 of the patch: a file diff that changes nothing",
        ),
        (
            "diff --git a/x b/y\n".to_owned(),
            "line 1 of the patch: names of a file that cannot be told apart",
        ),
        (
            "diff --git a/x b/x\nnew file mode 040000\n".to_owned(),
            "line 2 of the patch: `040000` is no mode of a file",
        ),
        (
            "diff --git a/x b/y\nrename from x\n".to_owned(),
            "line 1 of the patch: a rename or copy with one of its names missing",
        ),
        (
            format!("diff --git a/x b/x\n--- a/y\n+++ b/y\n{hunk}"),
            "line 1 of the patch: a file diff whose lines name different files",
        ),
        (
            format!("diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/z\n{hunk}"),
            "line 1 of the patch: a file diff whose lines name different files",
        ),
        (
            format!("diff --git a/x b/x\nnew file mode 100644\n--- a/x\n+++ b/x\n{hunk}"),
            "line 1 of the patch: a new or deleted file without /dev/null on its other side",
        ),
        (
            format!("--- /dev/null\n+++ b/x\n{hunk}"),
            "line 1 of the patch: a new file with old lines",
        ),
        (
            format!("--- a/x\n+++ /dev/null\n{hunk}"),
            "line 1 of the patch: a deleted file with new lines",
        ),
        (
            format!("--- /dev/null\n+++ /dev/null\n{hunk}"),
            "line 1 of the patch: a file diff that names no file",
        ),
        (
            "diff --git a/x b/x\n--- a/x\n".to_owned(),
            "line 3 of the patch: the line `+++ NAME` is missing here",
        ),
        (
            "diff --git \"a/x b/x\n".to_owned(),
            "line 1 of the patch: a quoted name that does not end or has a bad escape",
        ),
        (
            "diff --git a/x b/x\nGIT binary patch\nhello\n".to_owned(),
            "line 3 of the patch: a binary patch needs `literal` or `delta`",
        ),
        (
            "diff --git a/x b/x\nGIT binary patch\nliteral 1\nAaa\n".to_owned(),
            "line 4 of the patch: a line of a binary patch is damaged",
        ),
        (
            "diff --git a/x b/x\nGIT binary patch\nliteral 9999999999999\n".to_owned(),
            "line 3 of the patch: `literal 9999999999999` is no size up to 268435456 bytes",
        ),
    ] {
        refuses([("x", "a\n")], patch, words);
    }
    let none = "the patch holds no unified diff; make one with `git diff --binary` or `diff -ruN`";
    for text in ["", "words\n", "1c1\n< a\n---\n> b\n", "*** a/x\n--- b/x\n***************\n"] {
        refuses([("x", "a\n")], text, none);
    }
}

#[test]
fn files_that_do_not_fit_their_diffs() {
    let gone = "diff --git a/x b/x\ndeleted file mode 100644\nindex 1..0\n";
    refuses([("x", "abc")], gone, "`x`: line 1 of the patch deletes it and leaves 3 of its bytes");
    refuses(
        [],
        gone,
        "`x`: line 1 of the patch deletes it, and it is not in the tree: the patch is for another tree, or is applied already",
    );
    let link = "diff --git a/x b/x\nindex 1..2 120000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-t\n\\ No newline at end of file\n+u\n\\ No newline at end of file\n";
    refuses(
        [("x", "t")],
        link,
        "`x`: line 1 of the patch takes a symbolic link for a file, or a file for a link",
    );
}
