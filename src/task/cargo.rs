//! What a `cargo test` or `cargo nextest run` builds: the product alone, and its tests.

use super::Task;
use crate::base::Argv;

/// Options that say what is built and how; `cargo build` takes them too.
const FLAGS: &[&str] = &[
    "--all",
    "--all-features",
    "--bins",
    "--frozen",
    "--ignore-rust-version",
    "--lib",
    "--locked",
    "--no-default-features",
    "--offline",
    "--quiet",
    "--release",
    "--verbose",
    "--workspace",
    "-q",
    "-r",
    "-v",
    "-vv",
];

/// The same, with a value.
const VALUED: &[&str] = &[
    "--bin",
    "--color",
    "--config",
    "--exclude",
    "--features",
    "--lockfile-path",
    "--manifest-path",
    "--package",
    "--target",
    "--target-dir",
    "-C",
    "-F",
    "-Z",
    "-p",
];

/// Options of both that say which tests are built.
const TARGET_FLAGS: &[&str] = &["--all-targets", "--benches", "--examples", "--tests"];

/// The same, with a value.
const TARGET_VALUED: &[&str] = &["--bench", "--example", "--test"];

/// Options of both that say which tests are run, or what is shown of them.
const TEST_FLAGS: &[&str] = &[
    "--fail-fast",
    "--future-incompat-report",
    "--keep-going",
    "--no-capture",
    "--no-fail-fast",
    "--no-run",
    "--nocapture",
    "--unit-graph",
];

/// The same, with a value.
const TEST_VALUED: &[&str] = &[
    "--build-jobs",
    "--config-file",
    "--failure-output",
    "--filter-expr",
    "--filterset",
    "--final-status-level",
    "--jobs",
    "--max-fail",
    "--message-format",
    "--no-tests",
    "--partition",
    "--retries",
    "--run-ignored",
    "--status-level",
    "--success-output",
    "--test-threads",
    "--tool-config-file",
    "-E",
    "-j",
];

/// Options that change what is built in ways of their own, or build what `--no-run` does not.
const UNUSUAL: &[&str] =
    &["--config", "--doc", "--message-format", "--no-run", "--target-dir", "-C", "-Z"];

const JSON: &str = "--message-format=json";

/// What a command of cargo builds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CargoBuild {
    /// Builds the product that the command tests, without its tests.
    pub product: Argv,
    /// Builds what the command runs, and runs nothing; documentation tests are built when they are run.
    pub tests: Option<Argv>,
    /// Both with what the compiler says as JSON on stdout: for words that leave cargo's settings, target
    /// directory and messages alone.
    pub messages: Option<Messages>,
}

/// Builds whose standard output is JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Messages {
    /// Of the product.
    pub product: Argv,
    /// Of its tests, by `cargo test`, which is what nextest builds with too.
    pub tests: Argv,
}

impl Task {
    /// The builds of the product alone that the commands of cargo stand for, each once; none where
    /// `[build]` says how the product is built.
    #[must_use]
    pub fn products(&self) -> Vec<Argv> {
        let mut products = Vec::new();
        if self.build.is_none() {
            let builds = self.commands.iter().filter_map(|command| CargoBuild::of(&command.argv));
            for CargoBuild { product, .. } in builds {
                if !products.contains(&product) {
                    products.push(product);
                }
            }
        }
        products
    }

    /// Whether something shows that a compiled product does not build.
    #[must_use]
    pub fn has_build(&self) -> bool {
        self.build.is_some() || !self.products().is_empty()
    }
}

impl CargoBuild {
    /// What `argv` builds, when it is a `cargo test` or `cargo nextest run` all of whose options are
    /// known.
    #[must_use]
    pub fn of(argv: &Argv) -> Option<Self> {
        let words = argv.words().iter().map(String::as_str).collect::<Vec<_>>();
        let start = start(&words)?;
        let (before, rest) = words.split_at(start + 1);
        let toolchain = usize::from(rest.first().is_some_and(|word| word.starts_with('+')));
        let (toolchain, rest) = rest.split_at(toolchain);
        let (global, rest) = options(rest)?;
        let (test, is_nextest, rest) = match rest {
            ["test" | "t", rest @ ..] => (vec!["test"], false, rest),
            ["nextest", "run" | "r", rest @ ..] => (vec!["nextest", "run"], true, rest),
            _ => return None,
        };
        let own = rest.split(|word| *word == "--").next().unwrap_or_default();
        let kept = of_build(own, is_nextest, false)?;
        let common = [before, toolchain, &global].concat();
        let argv =
            |words: Vec<&str>| Argv::new(words.into_iter().map(str::to_owned).collect()).ok();
        let is_usual = !before
            .iter()
            .any(|word| word.starts_with("RUST") || word.starts_with("CARGO_"))
            && !global.iter().chain(own).any(|word| UNUSUAL.iter().any(|it| word.starts_with(it)));
        let built = if is_nextest { of_build(own, true, true)? } else { own.to_vec() };
        let tests = [common.clone(), test, vec!["--no-run"], without(own, "--no-run")].concat();
        let messages = || {
            let product = [common.clone(), vec!["build", JSON], kept.clone()].concat();
            let tests = [common.clone(), vec!["test", "--no-run", JSON], built].concat();
            Some(Messages { product: argv(product)?, tests: argv(tests)? })
        };
        Some(Self {
            messages: if is_usual { messages() } else { None },
            product: argv([common.clone(), vec!["build"], kept].concat())?,
            tests: if own.contains(&"--doc") { None } else { argv(tests) },
        })
    }
}

/// The place of `cargo`, which may stand behind `env` and its assignments.
fn start(words: &[&str]) -> Option<usize> {
    let name = |word: &str| word.rsplit('/').next().map(str::to_owned);
    let skipped = match name(words.first()?)?.as_str() {
        "env" => 1 + words[1..].iter().take_while(|word| word.contains('=')).count(),
        _ => 0,
    };
    (name(words.get(skipped)?)? == "cargo").then_some(skipped)
}

/// The options before a subcommand, and what follows.
fn options<'a, 'b>(words: &'b [&'a str]) -> Option<(Vec<&'a str>, &'b [&'a str])> {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        at += length(word, FLAGS, VALUED)?;
    }
    Some((words.get(..at)?.to_vec(), &words[at..]))
}

/// The options among `words` that `cargo build` needs too and, with `targets`, those that say which tests
/// are built; `None` with one that is not known.
fn of_build<'a>(words: &[&'a str], is_nextest: bool, targets: bool) -> Option<Vec<&'a str>> {
    let mut kept = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let next = |length: usize| words.get(at..at + length);
        if !word.starts_with('-') {
            // A filter of tests.
            at += 1;
        } else if *word == "--doc" {
            kept.push("--lib");
            at += 1;
        } else if let Some(profile) = profile(word, is_nextest) {
            let length = if word.contains('=') { 1 } else { 2 };
            if let (true, Some(value)) = (profile, next(length)?.last()) {
                kept.extend(["--profile", value.rsplit('=').next()?]);
            }
            at += length;
        } else if let Some(length) = length(word, FLAGS, VALUED) {
            kept.extend(next(length)?);
            at += length;
        } else if let Some(length) = length(word, TARGET_FLAGS, TARGET_VALUED) {
            kept.extend(next(length)?.iter().filter(|_| targets));
            at += length;
        } else {
            let length = length(word, TEST_FLAGS, TEST_VALUED)?;
            next(length)?;
            at += length;
        }
    }
    Some(kept)
}

/// Whether an option names a profile of cargo; `false` for one of nextest's own.
fn profile(word: &str, is_nextest: bool) -> Option<bool> {
    match word.split('=').next()? {
        "--cargo-profile" if is_nextest => Some(true),
        "--profile" | "-P" if is_nextest => Some(false),
        "--profile" => Some(true),
        _ => None,
    }
}

/// How many words a known option takes.
fn length(word: &str, flags: &[&str], valued: &[&str]) -> Option<usize> {
    let glued = |name: &&str| match word.strip_prefix(name) {
        Some(value) if name.starts_with("--") => value.starts_with('='),
        Some(value) => !value.is_empty(),
        None => false,
    };
    if flags.contains(&word) || valued.iter().any(glued) {
        Some(1)
    } else {
        valued.contains(&word).then_some(2)
    }
}

fn without<'a>(words: &[&'a str], left_out: &str) -> Vec<&'a str> {
    words.iter().copied().filter(|word| *word != left_out).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Option<(String, String)> {
        let words = line.split(' ').map(str::to_owned).collect();
        let build = CargoBuild::of(&Argv::new(words).expect("words"))?;
        let tests = build.tests.map(|tests| tests.to_string()).unwrap_or_default();
        Some((build.product.to_string(), tests))
    }

    #[test]
    fn the_product_is_built_as_its_tests_are() {
        for (line, product, tests) in [
            ("cargo test", "cargo build", "cargo test --no-run"),
            (
                "env A=1 /x/cargo +1.90 --offline -q t -p a --features=b,c -Fd name -- --exact",
                "env A=1 /x/cargo +1.90 --offline -q build -p a --features=b,c -Fd",
                "env A=1 /x/cargo +1.90 --offline -q test --no-run -p a --features=b,c -Fd name",
            ),
            (
                "cargo test --workspace --exclude x --release --test all --no-fail-fast -j 2",
                "cargo build --workspace --exclude x --release",
                "cargo test --no-run --workspace --exclude x --release --test all --no-fail-fast -j 2",
            ),
            ("cargo test --doc --profile ci", "cargo build --lib --profile ci", ""),
            (
                "cargo nextest run --cargo-profile=ci --profile slow --retries 2 -E all",
                "cargo build --profile ci",
                "cargo nextest run --no-run --cargo-profile=ci --profile slow --retries 2 -E all",
            ),
        ] {
            assert_eq!(of(line), Some((product.to_owned(), tests.to_owned())), "{line}");
        }
    }

    #[test]
    fn messages_are_asked_for_where_nothing_unusual_is() {
        for (line, expected) in [
            (
                "env A=1 cargo +1.90 test -p a name -- --exact",
                Some((
                    "env A=1 cargo +1.90 build --message-format=json -p a",
                    "env A=1 cargo +1.90 test --no-run --message-format=json -p a name",
                )),
            ),
            ("env RUSTFLAGS=-Dwarnings cargo test", None),
            ("cargo --config a=1 test", None),
            ("cargo test --doc", None),
            ("cargo test --target-dir=x", None),
            ("cargo test --message-format short", None),
            (
                "cargo +1.90 nextest run --workspace --cargo-profile=ci --profile slow -F b --retries 2 \
                 --test all --lib -j 3 -E test(a) b",
                Some((
                    "cargo +1.90 build --message-format=json --workspace --profile ci -F b --lib",
                    "cargo +1.90 test --no-run --message-format=json --workspace --profile ci -F b \
                     --test all --lib",
                )),
            ),
            ("cargo nextest run --config-file x", None),
            ("cargo nextest run --message-format libtest-json", None),
        ] {
            let words = line.split(' ').map(str::to_owned).collect();
            let build = CargoBuild::of(&Argv::new(words).expect("words")).expect("a build");
            let found = build.messages.map(|it| (it.product.to_string(), it.tests.to_string()));
            let found = found.as_ref().map(|(product, tests)| (product.as_str(), tests.as_str()));
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn nothing_is_guessed() {
        for line in [
            "cargo build",
            "cargo test --unknown",
            "cargo --unknown test",
            "cargo test --features",
            "cargo nextest list",
            "cargo hack test",
            "make test",
            "env A=1 B=2",
            "sh -c cargo",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
