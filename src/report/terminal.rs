//! Text from outside, made safe to print.

use std::fmt::Write as _;

/// The text with everything escaped that a terminal would obey or not show: control and format
/// characters, bidirectional marks, line separators; and bytes that are not UTF-8.
#[must_use]
pub fn plain(bytes: &[u8]) -> String {
    let mut shown = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' | '\'' => shown.push(c),
                _ => shown.extend(c.escape_debug()),
            }
        }
        for byte in chunk.invalid() {
            write!(shown, "\\x{byte:02x}").expect("writing to a string");
        }
    }
    shown
}

/// Text of several lines, safe for a terminal: as [`plain`], but line feeds, tabs and backslashes
/// stay, since they are what sources and outputs are made of.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' | '\\' | '"' | '\'' => shown.push(c),
            _ => shown.extend(c.escape_debug()),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal_that_it_would_obey() {
        let hostile = "a\u{1b}[31m\r\n\u{9b}\u{202e}\u{2028}\u{200b}\u{7f}\\".as_bytes();
        let shown = plain(&[hostile, b"\xff"].concat());
        assert_eq!(shown, r"a\u{1b}[31m\r\n\u{9b}\u{202e}\u{2028}\u{200b}\u{7f}\\\xff");
        let shown = escaped("a\x1b[2J\u{202e}\tb\\n\r\n");
        assert_eq!(shown, "a\\u{1b}[2J\\u{202e}\tb\\n\\r\n");
        assert_eq!(plain("it's \"é 💩\"".as_bytes()), "it's \"é 💩\"");
    }
}
