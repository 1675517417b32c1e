//! What the agent starts with: the code of the record, made to load and to answer nothing.

/// The starter code with a function of this name that raises.
pub(super) fn function(starter: &str, name: &str) -> String {
    let code = starter.trim_end();
    if !defines(code, name) {
        let before = if code.is_empty() { String::new() } else { format!("{code}\n\n\n") };
        return format!("{before}def {name}(*arguments):\n    raise NotImplementedError\n");
    }
    let last = code.lines().next_back().unwrap_or_default();
    if !last.trim_end().ends_with(':') {
        return format!("{code}\n");
    }
    let indent = &last[..last.len() - last.trim_start().len()];
    format!("{code}\n{indent}    raise NotImplementedError\n")
}

/// The starter code of a program, which may be empty.
pub(super) fn program(starter: &str) -> String {
    match starter.trim_end() {
        "" => String::new(),
        code => format!("{code}\n"),
    }
}

/// Whether a line of the code opens the definition of this function.
pub(super) fn defines(code: &str, name: &str) -> bool {
    code.lines().any(|line| {
        let rest = line.trim_start().trim_start_matches("async ").strip_prefix("def ");
        let rest = rest.and_then(|rest| rest.trim_start().strip_prefix(name));
        rest.is_some_and(|rest| rest.trim_start().starts_with(['(', '[']))
    })
}

/// Whether this can be the name of a function.
pub(super) fn is_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && letters.all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_put_where_none_is() {
        for (starter, expected) in [
            ("", "def f(*arguments):\n    raise NotImplementedError\n"),
            ("X = 1\n", "X = 1\n\n\ndef f(*arguments):\n    raise NotImplementedError\n"),
            (
                "class Solution:\n    def f(self, a: int) -> int:\n        ",
                "class Solution:\n    def f(self, a: int) -> int:\n        raise NotImplementedError\n",
            ),
            ("def f(a):\n    pass\n\n", "def f(a):\n    pass\n"),
        ] {
            assert_eq!(function(starter, "f"), expected, "{starter}");
        }
        assert!(defines("    async def f (a):", "f") && !defines("def ff(a):", "f"));
    }
}
