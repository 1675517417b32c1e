//! Text from outside, made safe for each format that is no terminal.

/// For HTML and XML, as text and in quoted attributes; what XML 1.0 cannot hold is shown as `\u{..}`.
#[must_use]
pub(super) fn markup(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            '\'' => shown.push_str("&#39;"),
            '\n' | '\t' => shown.push(c),
            '\u{fffe}' | '\u{ffff}' => shown.extend(c.escape_unicode()),
            c if c.is_control() || is_format(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

/// For Markdown outside of code: nothing in it is markup, a link or a mention.
#[must_use]
pub(super) fn markdown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => shown.push(' '),
            // An entity shows the character and is never read as markup.
            c if c.is_ascii_punctuation()
                && !matches!(c, '.' | ',' | '/' | '-' | ';' | '(' | ')') =>
            {
                shown.push_str(&format!("&#{};", u32::from(c)));
            }
            c if c.is_control() || is_format(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

/// A block of code in Markdown, in a fence longer than any run of backticks in it.
#[must_use]
pub(super) fn fenced(language: &str, text: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest.max(2) + 1);
    let text = super::terminal::escaped(text);
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

/// The message of a workflow command of GitHub.
#[must_use]
pub(super) fn command(text: &str) -> String {
    let text = super::terminal::escaped(text);
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a workflow command of GitHub.
#[must_use]
pub(super) fn property(text: &str) -> String {
    command(text).replace(':', "%3A").replace(',', "%2C")
}

/// A field of CSV, always quoted. One that a spreadsheet would run as a formula gets an apostrophe
/// before it.
#[must_use]
pub(super) fn field(text: &str) -> String {
    let formula =
        text.trim_start().starts_with(['=', '+', '-', '@']) || text.starts_with(['\t', '\r']);
    let apostrophe = if formula { "'" } else { "" };
    let text = super::terminal::escaped(text);
    format!("\"{apostrophe}{}\"", text.replace('"', "\"\""))
}

/// JSON for a `<script>` element of HTML: nothing in it ends the element or begins a comment.
#[must_use]
pub(super) fn script(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' => shown.push_str(&format!("\\u{:04x}", u32::from(c))),
            c if is_format(c) => shown.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => shown.push(c),
        }
    }
    shown
}

/// Characters that are not shown and change how others are.
pub(super) const fn is_format(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_gets_out_of_its_place() {
        assert_eq!(
            markup("</script><b a='\"'>&\u{1}\u{202e}"),
            "&lt;/script&gt;&lt;b a=&#39;&quot;&#39;&gt;&amp;\\u{1}\\u{202e}"
        );
        assert_eq!(
            markdown("[a](b) `c` <i>\n# @d"),
            "&#91;a&#93;(b) &#96;c&#96; &#60;i&#62; &#35; &#64;d"
        );
        assert_eq!(fenced("py", "a\n````\nb"), "`````py\na\n````\nb\n`````\n");
        assert_eq!(command("50%\r\n::error::x"), "50%25\\r%0A::error::x");
        assert_eq!(property("a:b,c\n"), "a%3Ab%2Cc%0A");
        assert_eq!(field("=1+\"1\""), "\"'=1+\"\"1\"\"\"");
        assert_eq!(
            script("</script><!--&\u{202e}"),
            "\\u003c/script\\u003e\\u003c!--\\u0026\\u202e"
        );
    }
}
