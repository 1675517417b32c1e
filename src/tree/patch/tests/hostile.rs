//! Bytes that nobody should send: no panic, no memory beyond what they deserve.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use proptest::collection::vec;
use proptest::prelude::*;

use super::{patched, refuses, tree};

/// Pieces of which patches are made.
const PIECES: [&str; 34] = [
    "diff --git a/x b/x\n",
    "diff --git \"a/\\303\" b/x\n",
    "diff --git ",
    "--- a/x\n",
    "+++ b/x\n",
    "--- /dev/null\n",
    "+++ /dev/null\n",
    "@@ -1,2 +1,2 @@\n",
    "@@ -1 +1 @@\n",
    "@@ -0,0 +1 @@\n",
    "@@ -1,1152921504606846976 +1 @@\n",
    "@@ -18446744073709551615,0 +18446744073709551615,0 @@\n",
    "@@ -",
    " a\n",
    "-a\n",
    "+b\n",
    "\n",
    "\\ No newline at end of file\n",
    "new file mode 100644\n",
    "deleted file mode 100755\n",
    "old mode 100644\n",
    "new mode 120000\n",
    "rename from x\n",
    "rename to y\n",
    "copy from x\n",
    "copy to z/x\n",
    "index 1..2 100644\n",
    "GIT binary patch\n",
    "literal 1\n",
    "delta 268435456\n",
    "LcmZQzWMT#Y01f~L\n",
    "\t1970-01-01 00:00:00 +0000",
    "a/x",
    "\"",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_pieces_panic(pieces in vec(prop::sample::select(&PIECES[..]), 0..24), cut in 0_usize..600) {
        let mut patch = pieces.concat().into_bytes();
        patch.truncate(cut);
        let answer = patched(tree([("x", "a\n"), ("y", "x a\nb")]), &patch);
        prop_assert!(answer.is_ok() || answer.is_err_and(|error| !error.to_string().is_empty()));
    }

    #[test]
    fn no_bytes_panic(patch in vec(any::<u8>(), 0..200), at in 0_usize..200) {
        // Such bytes alone, and amid a good patch.
        let mut amid = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n".to_vec();
        let at = at % amid.len();
        amid.splice(at..at, patch.iter().copied());
        for patch in [&patch, &amid] {
            let answer = patched(tree([("x", "a\n")]), patch);
            prop_assert!(answer.is_ok() || answer.is_err_and(|error| !error.to_string().is_empty()));
        }
    }
}

/// The line of `bytes` as a binary patch has it, cut into lines of 52 bytes.
fn encoded(bytes: &[u8]) -> String {
    let digits =
        b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
    let mut text = String::new();
    for line in bytes.chunks(52) {
        let count = u8::try_from(line.len()).expect("at most 52");
        text.push(char::from(if count <= 26 { b'A' + count - 1 } else { b'a' + count - 27 }));
        for group in line.chunks(4) {
            let mut four = [0; 4];
            four[..group.len()].copy_from_slice(group);
            let mut value = u32::from_be_bytes(four);
            let mut letters = ['0'; 5];
            for letter in letters.iter_mut().rev() {
                *letter = char::from(digits[usize::try_from(value % 85).expect("small")]);
                value /= 85;
            }
            text.extend(letters);
        }
        text.push('\n');
    }
    text
}

fn binary(kind: &str, size: usize, content: &[u8]) -> String {
    let mut zip = ZlibEncoder::new(Vec::new(), Compression::best());
    zip.write_all(content).expect("a vector takes it");
    let zipped = zip.finish().expect("a vector takes it");
    format!(
        "diff --git a/x b/x\nindex 1..2\nGIT binary patch\n{kind} {size}\n{}\n",
        encoded(&zipped)
    )
}

#[test]
fn binary_content_comes_through() {
    let bytes = (0..=255_u8).cycle().take(5000).map(char::from).collect::<String>().into_bytes();
    let patch = binary("literal", bytes.len(), &bytes);
    let made = patched(tree([("x", "old")]), patch).expect("it applies");
    assert_eq!(made["x"], bytes);
}

#[test]
fn inflated_bytes_are_bounded_by_what_is_stated() {
    let bomb = vec![0; 64 << 20];
    refuses(
        [("x", "")],
        binary("literal", 10, &bomb),
        "`x`: line 3 of the patch holds binary data that is not the stated 10 bytes",
    );
    refuses(
        [("x", "")],
        binary("literal", 1 << 28, b"short"),
        "`x`: line 3 of the patch holds binary data that is not the stated 268435456 bytes",
    );
    // A difference of ten bytes that makes two gigabytes.
    let delta = [0, 0x80, 0x80, 0x80, 0x80, 0x08];
    refuses(
        [("x", "")],
        binary("delta", delta.len(), &delta),
        "`x`: line 3 of the patch makes a file of more than 268435456 bytes",
    );
}

#[test]
fn copies_of_a_large_file_are_counted_together() {
    let mut patch = String::new();
    for number in 0..20 {
        writeln!(patch, "diff --git a/x b/{number}\ncopy from x\ncopy to {number}").expect("text");
    }
    let large = [("x".to_owned(), vec![b'a'; 60 << 20])].into();
    let fault = patched(large, patch).expect_err("more than the limit");
    let words = "`4`, which line 13 of the patch makes, brings the files of the patch to more than 268435456 bytes";
    assert_eq!(fault.to_string(), words);
}

#[test]
fn claims_of_many_lines_cost_nothing() {
    let claim = "--- a/x\n+++ b/x\n@@ -1,1152921504606846976 +1,1152921504606846976 @@\n a\n";
    refuses(
        [("x", "a\n")],
        claim,
        "line 5 of the patch: the hunk of line 3 ends here or cannot go on so, with 1152921504606846975 old and 1152921504606846975 new lines still to come by its header",
    );
    let name = "x ".repeat(40_000);
    refuses(
        [],
        format!("diff --git {name}\n"),
        "line 1 of the patch: names longer than a system takes",
    );
}
