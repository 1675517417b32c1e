//! The program's answers.

use std::process::Command;

#[test]
fn it_answers() {
    for (words, expected) in
        [(&[][..], "none\n"), (&["1"], "some\n"), (&["9"], "found\n"), (&["1", "8"], "found\n")]
    {
        let ran = Command::new(env!("CARGO_BIN_EXE_tool")).args(words).env_clear().output();
        assert_eq!(String::from_utf8_lossy(&ran.unwrap().stdout), expected);
    }
}
