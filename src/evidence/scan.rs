//! Texts that look like credentials, before anything is published.
//!
//! A hit is no finding yet: a person classifies each by its place. The patterns are this project's
//! own, from the published forms of common tokens; they miss what has no form.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexSet};

/// A kind of credential: its name, and how its text looks.
const PATTERNS: &[(&str, &str)] = &[
    ("private-key", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----"),
    ("aws-access-key-id", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("github-token", r"\b(?:gh[pousr]_[0-9A-Za-z]{36,}|github_pat_[0-9A-Za-z_]{40,})\b"),
    ("gitlab-token", r"\bglpat-[0-9A-Za-z_-]{20,}"),
    ("slack-token", r"\bxox[abeoprs]-[0-9A-Za-z-]{10,}"),
    ("google-api-key", r"\bAIza[0-9A-Za-z_-]{35}"),
    ("model-provider-key", r"\bsk-[0-9A-Za-z_-]{20,}"),
    ("package-index-token", r"\b(?:pypi-[0-9A-Za-z_-]{50,}|npm_[0-9A-Za-z]{36})\b"),
    ("json-web-token", r"\beyJ[0-9A-Za-z_-]{8,}\.eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}"),
    (
        "password-in-address",
        r"[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@'\x22<>{}$]+:[^\s/:@'\x22<>{}$]{3,}@[A-Za-z0-9]",
    ),
    (
        "bearer-header",
        r"(?i)authorization['\x22]?\s*[:=]\s*['\x22]?(?:bearer|basic)\s+[0-9A-Za-z+/=_.-]{16,}",
    ),
    (
        "assigned-secret",
        r"(?i)\b(?:password|passwd|secret|api_?key|access_?token|auth_?token)['\x22]?\s*[:=]\s*['\x22][^'\x22\s]{8,}['\x22]",
    ),
];

static SET: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new(PATTERNS.iter().map(|(_, pattern)| pattern)).expect("patterns of this module")
});

static EACH: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let compiled = PATTERNS.iter().map(|(_, pattern)| Regex::new(pattern));
    compiled.collect::<Result<_, _>>().expect("patterns of this module")
});

/// Something that looks like a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    /// Byte offset in the text.
    pub offset: usize,
    /// Name of the pattern.
    pub pattern: &'static str,
}

/// Everything in a text that looks like a credential, in its order.
pub fn hits(text: &[u8]) -> impl Iterator<Item = Hit> {
    let mut found = Vec::new();
    for place in SET.matches(text) {
        let pattern = PATTERNS[place].0;
        found.extend(EACH[place].find_iter(text).map(|it| Hit { offset: it.start(), pattern }));
    }
    found.sort_unstable();
    found.into_iter()
}

/// Names of the patterns.
pub fn patterns() -> impl Iterator<Item = &'static str> {
    PATTERNS.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Put together here, so that no file of the project holds one.
    fn shown() -> Vec<(&'static str, String)> {
        let long = "0123456789abcdefghijABCDEFGHIJ0123456789".repeat(2);
        vec![
            ("private-key", format!("-----BEGIN RSA {} KEY-----", "PRIVATE")),
            ("aws-access-key-id", format!("key {}{}", "AKIA", "0123456789ABCDEF")),
            ("github-token", format!("gh{}{}", "p_", &long[..36])),
            ("gitlab-token", format!("glpat{}{}", "-", &long[..20])),
            ("slack-token", format!("xox{}{}", "b-", &long[..12])),
            ("google-api-key", format!("AI{}{}", "za", &long[..35])),
            ("model-provider-key", format!("sk{}{}", "-", &long[..24])),
            ("package-index-token", format!("pypi{}{}", "-", &long[..60])),
            ("json-web-token", format!("eyJ{0}.eyJ{0}.{0}", &long[..10])),
            ("password-in-address", format!("postgres://me:{}@host/db", "hunter2")),
            ("bearer-header", format!("Authorization: Bearer {}", &long[..20])),
            ("assigned-secret", format!("password = \"{}\"", &long[..10])),
        ]
    }

    #[test]
    fn every_pattern_finds_its_kind_at_its_place() {
        let names = shown().iter().map(|(name, _)| *name).collect::<Vec<_>>();
        assert_eq!(names, patterns().collect::<Vec<_>>());
        for (name, text) in shown() {
            let padded = format!("\u{e9}\n{text}\n");
            let found = hits(padded.as_bytes()).collect::<Vec<_>>();
            let own = found.iter().find(|hit| hit.pattern == name);
            let own = own.unwrap_or_else(|| panic!("{name} is not found in {text}"));
            assert!((3..3 + text.len()).contains(&own.offset), "{own:?}");
        }
    }

    #[test]
    fn what_only_resembles_one_is_left_alone() {
        let digest = "0123456789abcdef".repeat(4);
        for text in [
            digest.as_str(),
            "op://vault/item/password",
            "https://example.org:8080/path",
            "password = os.environ['PASSWORD']",
            "-----BEGIN PUBLIC KEY-----",
            "task-1234567890123456789012",
            "def sk_test(): pass",
            "http://[::1]:80/",
        ] {
            assert_eq!(hits(text.as_bytes()).collect::<Vec<_>>(), [], "{text}");
        }
    }
}
