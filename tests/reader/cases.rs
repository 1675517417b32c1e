//! Structure-aware cases: members of the corpus, changed as JSON, spelled at random, then as bytes.
//! The same seed gives the same cases everywhere.

use adequacy::base::Sha256;
use adequacy::base::json::{Document, Value};
use adequacy::statement::{PREDICATE_TYPE, STATEMENT_TYPE};
use adequacy::vectors;

/// SplitMix64: small, seeded, good enough to choose with.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).expect("below a usize")
    }

    /// True in one of `n` times.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<'p, T: ?Sized>(&mut self, pool: &[&'p T]) -> &'p T {
        pool[self.below(pool.len())]
    }
}

/// A Statement and a record.
pub(crate) struct Case {
    pub(crate) statement: Vec<u8>,
    pub(crate) contract: Vec<u8>,
}

/// Makes cases without end.
pub(crate) struct Cases {
    random: Random,
    records: Vec<Value>,
}

impl Cases {
    pub(crate) fn new(seed: u64) -> Self {
        let parsed =
            |bytes: &[u8]| Document::parse(bytes).ok().map(|parsed| parsed.root().to_value());
        let members = vectors::members();
        // Most often a valid record is changed: whatever comes after the first fault is not seen.
        let valid = members.iter().filter(|member| member.code.is_none());
        let records = valid.clone().chain(valid).chain(&members);
        Self {
            random: Random::new(seed),
            records: records.filter_map(|member| parsed(&member.contract)).collect(),
        }
    }
}

impl Iterator for Cases {
    type Item = Case;

    fn next(&mut self) -> Option<Case> {
        let random = &mut self.random;
        let mut record = self.records[random.below(self.records.len())].clone();
        for _ in 0..random.below(3) {
            change(&mut record, random);
        }
        let mut contract = String::new();
        spell(&record, random, &mut contract);
        if random.one_in(4) {
            change(&mut record, random);
        }
        let mut contract = contract.into_bytes();
        if random.one_in(6) {
            spoil(&mut contract, random);
        }
        let mut text = String::new();
        spell(&statement(record, &contract, random), random, &mut text);
        let mut statement = text.into_bytes();
        if random.one_in(8) {
            spoil(&mut statement, random);
        }
        Some(Case { statement, contract })
    }
}

fn statement(predicate: Value, contract: &[u8], random: &mut Random) -> Value {
    let digest = if random.one_in(20) { Sha256::of(b"") } else { Sha256::of(contract) };
    let subject = Value::object([
        ("name", "contract.json".into()),
        ("digest", Value::object([("sha256", digest.to_string().into())])),
    ]);
    let mut statement = Value::object([
        ("_type", STATEMENT_TYPE.into()),
        ("subject", Value::Array(vec![subject])),
        ("predicateType", PREDICATE_TYPE.into()),
        ("predicate", Value::Null),
    ]);
    if random.one_in(10) {
        change(&mut statement, random);
    }
    if let Value::Object(members) = &mut statement {
        for (name, value) in members {
            if name == "predicate" {
                *value = predicate;
                break;
            }
        }
    }
    statement
}

const TEXTS: &[&str] = &[
    "",
    ".",
    "..",
    "/",
    "//",
    "/a",
    "a/",
    "a//b",
    "a/../b",
    "tests",
    "tests/a",
    "a",
    "unit",
    "/tmp",
    "/var/tmp",
    "/opt/b",
    "/opt/a",
    "\0",
    "a\0b",
    "\u{7f}",
    "\u{e9}",
    "e\u{301}",
    "\u{ff5e}",
    "\u{1f600}",
    "\u{202e}",
    "file",
    "directory",
    "python_ast",
    "trusted",
    "gated",
    "determinism",
    "probity-done-contract/v1",
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
];

const NAMES: &[&str] = &[
    "schema_version",
    "contract_id",
    "protected_paths",
    "acceptance",
    "adequacy",
    "task",
    "strength",
    "native_loaded",
    "execution_surface",
    "surface_aliases",
    "module_under_test",
    "path",
    "kind",
    "sha256",
    "exclude",
    "equivalence",
    "id",
    "argv",
    "ids",
    "run_writes",
    "cwd",
    "exe",
    "interpreter",
    "tier",
    "probe",
    "in_process_twin_of",
    "mutants",
    "killed",
    "by_class",
    "kill_vector_sha256",
    "gates",
    "pass",
    "name",
    "digest",
    "_type",
    "",
    "\u{e9}",
    "/a",
];

/// Numbers as they are spelled; a third of them are no integers.
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "1",
    "3",
    "4",
    "12",
    "-1",
    "18446744073709551615",
    "18446744073709551616",
    "9007199254740993",
    "340282366920938463463374607431768211456",
    "1.0",
    "4e0",
    "-0.0",
    "0.1",
    "1e-400",
    "0.1000000000000000055511151231257827",
];

fn scalar(random: &mut Random) -> Value {
    match random.below(6) {
        0 => Value::Null,
        1 => Value::Bool(random.one_in(2)),
        2 => Document::parse(random.pick(NUMBERS).as_bytes()).expect("a number").root().to_value(),
        3 => Value::Array(Vec::new()),
        4 => Value::Object(Vec::new()),
        _ => random.pick(TEXTS).into(),
    }
}

/// Changes one place: a walk goes down at random and stops somewhere.
fn change(value: &mut Value, random: &mut Random) {
    match value {
        Value::Array(items) if !items.is_empty() && !random.one_in(8) => {
            let at = random.below(items.len());
            match random.below(8) {
                0 => drop(items.remove(at)),
                1 => items.insert(at, items[at].clone()),
                2 => items.insert(at, scalar(random)),
                3 => items.reverse(),
                _ => change(&mut items[at], random),
            }
        }
        Value::Object(members) if !members.is_empty() && !random.one_in(8) => {
            let at = random.below(members.len());
            match random.below(12) {
                0 => drop(members.remove(at)),
                1 => members.insert(0, members[at].clone()),
                2 => members.push((random.pick(NAMES).to_owned(), scalar(random))),
                3 => members[at].0 = random.pick(NAMES).to_owned(),
                4 => members.reverse(),
                _ => change(&mut members[at].1, random),
            }
        }
        _ if random.one_in(12) => *value = nested(value, random),
        _ => *value = scalar(random),
    }
}

/// The value inside some hundred containers, on either side of the limit of depth.
fn nested(value: &Value, random: &mut Random) -> Value {
    let depth = 100 + random.below(60);
    (0..depth).fold(value.clone(), |inner, at| match at % 3 {
        0 => Value::object([("a", inner)]),
        _ => Value::Array(vec![inner]),
    })
}

/// Writes a value in a spelling chosen at random; a member may stand twice if it does in the value.
fn spell(value: &Value, random: &mut Random, out: &mut String) {
    space(random, out);
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Integer(number) => out.push_str(&number.to_string()),
        Value::Float(number) => out.push_str(&format!("{number:?}")),
        Value::String(text) => spell_text(text, random, out),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                spell(item, random, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (at, (name, value)) in members.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                space(random, out);
                spell_text(name, random, out);
                out.push(':');
                spell(value, random, out);
            }
            out.push('}');
        }
    }
    space(random, out);
}

fn space(random: &mut Random, out: &mut String) {
    if random.one_in(8) {
        out.push_str(random.pick(&[" ", "\n", "\t", "\r\n", "  "]));
    }
}

fn spell_text(text: &str, random: &mut Random, out: &mut String) {
    let escape_all = random.one_in(16);
    out.push('"');
    for c in text.chars() {
        if escape_all || c < ' ' || c == '"' || c == '\\' {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out.push('"');
}

const TOKENS: &[&[u8]] = &[
    b"NaN",
    b"-Infinity",
    b"Infinity",
    b"-",
    b"1e400",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\\ud800",
    b"\\udc00",
    b"\\u12",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\0",
    b" ",
    b"\x0c",
    b"01",
    b"1.",
    b"null",
    b"{\"a\":1,\"a\":1}",
    b"/**/",
    b"'",
];

/// Breaks a text as bytes.
fn spoil(text: &mut Vec<u8>, random: &mut Random) {
    if text.is_empty() {
        return;
    }
    let at = random.below(text.len());
    match random.below(6) {
        0 => text.truncate(at),
        1 => text[at] ^= 1 << random.below(8),
        2 => drop(text.remove(at)),
        3 => {
            let to = at + random.below(text.len() - at).min(40);
            let again = text[at..to].to_vec();
            text.splice(at..at, again);
        }
        4 => {
            let digits = vec![b'1'; 4290 + random.below(20)];
            text.splice(at..at, digits);
        }
        _ => {
            let token = random.pick(TOKENS).to_vec();
            text.splice(at..at, token);
        }
    }
}
