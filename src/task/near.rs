//! A name that was not meant as it was typed.

/// The one of `known` that `typed` is a slip of, if there is one: at most a third of it differs.
#[must_use]
pub fn nearest<'k>(typed: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let most = (typed.chars().count() / 3).max(1);
    let slips = known.into_iter().map(|name| (strsim::osa_distance(typed, name), name));
    slips.filter(|(slips, _)| *slips <= most).min().map(|(_, name)| name)
}

/// What is wrong with the text of a task file, as a person wants to read it: an unknown key without
/// the list of all known ones.
pub(super) fn explain(error: &toml::de::Error) -> String {
    let whole = error.to_string().trim_end().to_owned();
    let Some(rest) = error.message().strip_prefix("unknown field ") else { return whole };
    let mut names = rest.split('`').skip(1).step_by(2);
    let Some(typed) = names.next() else { return whole };
    let what = match nearest(typed, names) {
        Some(name) => format!("no key is called `{typed}` here; did you mean `{name}`?"),
        None => format!(
            "no key is called `{typed}` here; `adequacy init --stdout` shows the usual ones"
        ),
    };
    whole.replace(error.message(), &what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_name_and_a_stranger_none() {
        let known = ["include", "exclude", "operators", "limit", "seed"];
        for (typed, expected) in [
            ("includ", Some("include")),
            ("exlcude", Some("exclude")),
            ("operator", Some("operators")),
            ("sed", Some("seed")),
            ("files", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, known), expected, "{typed}");
        }
    }
}
