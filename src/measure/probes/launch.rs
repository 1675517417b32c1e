//! What a Python command starts: a script or a module, and with which words.

use crate::plan::interpreter::is_python;

/// A command that starts Python on a script or a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Launch<'a> {
    /// The interpreter and its own words.
    pub(super) head: &'a [String],
    /// The script, or `-m` and the module, and their words.
    pub(super) rest: &'a [String],
}

impl<'a> Launch<'a> {
    /// `None` when these words start something else.
    pub(super) fn of(words: &'a [String]) -> Option<Self> {
        let program = words.first()?.rsplit('/').next()?;
        if !is_python(program) {
            return None;
        }
        let mut at = 1;
        while let Some(word) = words.get(at) {
            let takes_one = matches!(word.as_str(), "-X" | "-W");
            match word.as_str() {
                "-m" if words.len() > at + 1 => break,
                "-c" | "-m" | "-" => return None,
                option if option.starts_with('-') && !is_option(option) => return None,
                option if !option.starts_with('-') => break,
                _ => at += 1 + usize::from(takes_one),
            }
        }
        let (head, rest) = words.split_at_checked(at)?;
        (!rest.is_empty()).then_some(Self { head, rest })
    }
}

/// Options that stand alone, or that take the next word; not those with the module or code in the word.
fn is_option(word: &str) -> bool {
    let word = word.trim_start_matches('-');
    !word.starts_with('c') && !word.contains('m')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_or_a_module_is_told_from_the_interpreters_own_words() {
        let split = |line: &str| {
            let words = line.split(' ').map(str::to_owned).collect::<Vec<_>>();
            Launch::of(&words).map(|it| (it.head.join(" "), it.rest.join(" ")))
        };
        let both = |head: &str, rest: &str| Some((head.to_owned(), rest.to_owned()));
        assert_eq!(split("python3 check.py -x a"), both("python3", "check.py -x a"));
        assert_eq!(
            split("/v/python3.12 -B -X dev -m pytest -q"),
            both("/v/python3.12 -B -X dev", "-m pytest -q")
        );
        for line in [
            "pytest -q",
            "python3",
            "python3 -c pass",
            "python3 -mpytest",
            "sh check.sh",
            "python3 -m",
            "python3 -X",
        ] {
            assert_eq!(split(line), None, "{line}");
        }
    }
}
