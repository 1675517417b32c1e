//! The forms in which one file's diff is written.

use super::{makes, patched, tree};

const HUNK: &str = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
const OLD: &str = "one\ntwo\nthree\n";
const NEW: &str = "one\n2\nthree\n";

#[test]
fn names_stand_with_and_without_prefix_and_time() {
    for (names, path) in [
        ("--- a/d/x.py\n+++ b/d/x.py\n", "d/x.py"),
        (
            "diff --git a/d/x.py b/d/x.py\nindex 5ea2ed4..a5b4c8c 100644\n--- a/d/x.py\n+++ b/d/x.py\n",
            "d/x.py",
        ),
        ("diff --git d/x.py d/x.py\n--- d/x.py\n+++ d/x.py\n", "d/x.py"),
        ("diff --git i/x.py w/x.py\n--- i/x.py\n+++ w/x.py\n", "x.py"),
        ("diff --git before/here/x after/here/x\n--- before/here/x\n+++ after/here/x\n", "here/x"),
        ("--- d/x.py\n+++ d/x.py\n", "d/x.py"),
        ("--- x.py\n+++ x.py\n", "x.py"),
        (
            "--- old/d/x.py\t2024-01-02 03:04:05.000000000 +0100\n+++ new/d/x.py\t2024-01-02 03:04:06 +0100\n",
            "d/x.py",
        ),
        (
            "diff -ruN old/x new/x\n--- old/x\tMon Jan  1 00:00:00 2024\n+++ new/x\tMon Jan  1 00:00:00 2024\n",
            "x",
        ),
        ("Index: x.py\n===\n--- x.py\t(revision 1)\n+++ x.py\t(working copy)\n", "x.py"),
        ("--- x.py.orig\n+++ x.py\n", "x.py"),
        ("--- x.py\n+++ x.py.new\n", "x.py"),
        ("--- a/d/x.py.orig\n+++ b/d/x.py\n", "d/x.py"),
        ("--- ./d//x.py\n+++ ./d//x.py\n", "d/x.py"),
        ("diff --git a/a b b/a b\n--- a/a b\t\n+++ b/a b\t\n", "a b"),
        (
            "diff --git \"a/\\303\\251\\t\" \"b/\\303\\251\\t\"\n--- \"a/\\303\\251\\t\"\n+++ \"b/\\303\\251\\t\"\n",
            "é\t",
        ),
        ("--- a/x\r\n+++ b/x\r\n", "x"),
    ] {
        makes([(path, OLD), ("other", "")], format!("{names}{HUNK}"), [(path, NEW), ("other", "")]);
    }
}

#[test]
fn a_directory_called_as_a_prefix_is_told_by_the_header() {
    let patch =
        "diff --git b/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+y\n";
    makes([], patch, [("b/x", "y\n")]);
    let patch =
        "diff --git a/x a/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n";
    makes([("a/x", "y\n")], patch, []);
}

#[test]
fn text_stands_before_between_and_after() {
    let patch = format!(
        "From 0123456789 Mon Sep 17 00:00:00 2001\nFrom: A <a@example.org>\nSubject: [PATCH] x\n\nWords\n--- not a name\n---\n x | 2 +-\n 1 file changed\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n{HUNK}-- \n2.47.3\n\nMore words.\n\n--- a/y\n+++ b/y\n{HUNK}--\n2.1\n"
    );
    makes([("x", OLD), ("y", OLD)], patch, [("x", NEW), ("y", NEW)]);
}

#[test]
fn files_come_and_go_with_and_without_content() {
    let header = "diff --git a/d/x b/d/x\n";
    for (old, patch, new) in [
        (None, format!("{header}new file mode 100755\n--- /dev/null\n+++ b/d/x\n@@ -0,0 +1,2 @@\n+1\n+2\n"), Some("x 1\n2\n")),
        (None, format!("{header}new file mode 100644\nindex 0000000..e69de29\n"), Some("")),
        (None, format!("{header}new file mode 120000\n--- /dev/null\n+++ b/d/x\n@@ -0,0 +1 @@\n+../t\n\\ No newline at end of file\n"), Some("l ../t")),
        (Some("1\n"), format!("{header}deleted file mode 100644\n--- a/d/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"), None),
        (Some(""), format!("{header}deleted file mode 100644\nindex e69de29..0000000\n"), None),
        (Some("l t"), format!("{header}deleted file mode 120000\n--- a/d/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-t\n\\ No newline at end of file\n"), None),
        (None, "--- /dev/null\n+++ b/d/x\n@@ -0,0 +1 @@\n+1\n".to_owned(), Some("1\n")),
        (Some("1\n"), "--- d/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n".to_owned(), None),
        (None, "--- old/d/x\t1970-01-01 00:00:00.000000000 +0000\n+++ new/d/x\t2024-01-01 00:00:00 +0000\n@@ -0,0 +1 @@\n+1\n".to_owned(), Some("1\n")),
        (Some("1\n"), "--- old/d/x\t2024-01-01 00:00:00 +0000\n+++ new/d/x\t1970-01-01 01:00:00.000000000 +0100\n@@ -1 +0,0 @@\n-1\n".to_owned(), None),
        (None, "--- old/d/x\n+++ new/d/x\n@@ -0,0 +1 @@\n+1\n".to_owned(), Some("1\n")),
        (Some(""), "--- old/d/x\n+++ new/d/x\n@@ -0,0 +1 @@\n+1\n".to_owned(), Some("1\n")),
        (Some("1\n"), "--- old/d/x\n+++ new/d/x\n@@ -1 +0,0 @@\n-1\n".to_owned(), Some("")),
    ] {
        let of = |text: Option<&str>| text.map(|text| tree([("d/x", text)])).unwrap_or_default();
        match patched(of(old), &patch) {
            Ok(made) => assert_eq!(made, of(new), "{patch}"),
            Err(error) => panic!("{error}: {patch}"),
        }
    }
}

#[test]
fn modes_links_renames_and_copies() {
    let mode = "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n";
    makes([("x", "1\n")], mode, [("x", "x 1\n")]);
    let both = format!("{mode}index 1..2\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n");
    makes([("x", "1\n")], both, [("x", "x 2\n")]);
    let stays = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n";
    makes([("x", "x 1\n")], stays, [("x", "x 2\n")]);
    let link = "diff --git a/x b/x\nindex 1..2 120000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-t\n\\ No newline at end of file\n+u\n\\ No newline at end of file\n";
    makes([("x", "l t")], link, [("x", "l u")]);
    let typed = "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\ndiff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+t\n\\ No newline at end of file\n";
    makes([("x", "1\n")], typed, [("x", "l t")]);
    let rename = "diff --git a/old name b/d/new\nsimilarity index 100%\nrename from old name\nrename to d/new\n";
    makes([("old name", "x 1\n")], rename, [("d/new", "x 1\n")]);
    let changed = format!(
        "diff --git a/x b/y\nsimilarity index 60%\nrename from x\nrename to y\n--- a/x\n+++ b/y\n{HUNK}"
    );
    makes([("x", OLD)], changed, [("y", NEW)]);
    let copy = format!(
        "diff --git x y\nsimilarity index 60%\ncopy from x\ncopy to y\n--- x\n+++ y\n{HUNK}"
    );
    makes([("x", OLD)], copy, [("x", OLD), ("y", NEW)]);
}

#[test]
fn ends_of_lines_and_of_files_are_bytes() {
    let head = "--- a/x\n+++ b/x\n";
    makes(
        [("x", "a\r\nb\r\n")],
        format!("{head}@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"),
        [("x", "a\r\nc\r\n")],
    );
    let gone = format!("{head}@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n");
    makes([("x", "a\nb\n")], gone, [("x", "a\nb")]);
    let come = format!("{head}@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
    makes([("x", "a\nb")], come, [("x", "a\nb\n")]);
    let stays = format!("{head}@@ -1,2 +1,2 @@\n-a\n+c\n b\n\\ No newline at end of file\n");
    makes([("x", "a\nb")], stays, [("x", "c\nb")]);
    // A line of context that lost its blank, and a last line that lost its line feed.
    makes([("x", "\na\n")], format!("{head}@@ -1,2 +1,2 @@\n\n-a\n+b"), [("x", "\nb\n")]);
    let odd = [head.as_bytes(), b"@@ -1 +1 @@\n-\xff\n+\xfe\0\n"].concat();
    let before = [("x".to_owned(), b"\xff\n".to_vec())].into();
    let after = [("x".to_owned(), b"\xfe\0\n".to_vec())].into();
    assert_eq!(patched(before, odd).ok(), Some(after));
}

#[test]
fn hunks_are_found_where_all_their_lines_stand_and_nowhere_else() {
    let head = "--- a/x\n+++ b/x\n";
    let hunk = "@@ -4,3 +4,3 @@\n d\n-e\n+E\n f\n";
    let patch = format!("{head}{hunk}");
    makes([("x", "a\nb\nc\nd\ne\nf\n")], &patch, [("x", "a\nb\nc\nd\nE\nf\n")]);
    makes([("x", "a\nd\ne\nf\n")], &patch, [("x", "a\nd\nE\nf\n")]);
    makes(
        [("x", "a\n0\nb\nc\nc\nd\ne\nf\nd\ne\nf\n")],
        &patch,
        [("x", "a\n0\nb\nc\nc\nd\nE\nf\nd\ne\nf\n")],
    );
    // As near before as behind: the later place, as git takes it.
    makes([("x", "1\nd\ne\nf\n2\nd\ne\nf\n")], &patch, [("x", "1\nd\ne\nf\n2\nd\nE\nf\n")]);
    // Moved by the hunk before, which makes the file longer.
    let two = format!("{head}@@ -1,2 +1,4 @@\n a\n+1\n+2\n b\n@@ -4,3 +6,3 @@ c\n d\n-e\n+E\n f\n");
    makes([("x", "a\nb\nc\nd\ne\nf\n")], two, [("x", "a\n1\n2\nb\nc\nd\nE\nf\n")]);
}

#[test]
fn diffs_without_context_apply_at_their_lines() {
    let head = "--- a/x\n+++ b/x\n";
    let text = "a\nb\nc\nd\n";
    makes([("x", text)], format!("{head}@@ -2 +2 @@\n-b\n+B\n"), [("x", "a\nB\nc\nd\n")]);
    makes([("x", text)], format!("{head}@@ -2,0 +3 @@\n+x\n"), [("x", "a\nb\nx\nc\nd\n")]);
    makes(
        [("x", text)],
        format!("{head}@@ -1,0 +2 @@\n+x\n@@ -3 +3,0 @@\n-c\n"),
        [("x", "a\nx\nb\nd\n")],
    );
    makes([("x", text)], format!("{head}@@ -1,4 +1 @@\n-a\n-b\n-c\n-d\n+e\n"), [("x", "e\n")]);
    let both = format!("{head}@@ -0,0 +1 @@\n+x\n--- a/y\n+++ b/y\n@@ -2 +2 @@\n-b\n+B\n");
    makes([("x", text), ("y", text)], both, [("x", "x\na\nb\nc\nd\n"), ("y", "a\nB\nc\nd\n")]);
    makes([("x", text)], format!("{head}@@ -1,0 +2 @@\n+x\n"), [("x", "a\nx\nb\nc\nd\n")]);
    makes([("x", text)], format!("{head}@@ -4,0 +5 @@\n+e\n"), [("x", "a\nb\nc\nd\ne\n")]);
}

/// Written by `git diff --binary` for a file of bytes that becomes another.
const LITERAL: &str = "diff --git a/b.bin b/b.bin\nindex 09f370e..eaf36c1 100644\nGIT binary patch\nliteral 4\nLcmZQzWMT#Y01f~L\n\nliteral 3\nKcmZQzWMT#Y01f~L\n\n";

#[test]
fn a_damaged_binary_patch_is_named() {
    let fault = patched(tree([("b.bin", "abc")]), LITERAL).expect_err("its checksum is wrong");
    assert!(fault.to_string().starts_with("`b.bin`: line 3 of the patch holds"), "{fault}");
}
