//! A record's bytes.

use super::acceptance::{Acceptance, Executable, PROBES, TIERS};
use super::adequacy::{Adequacy, ClassCount};
use super::head::STRENGTHS;
use super::protected::{KINDS, PYTHON_AST, ProtectedPath};
use super::{Record, SCHEMA, parse};
use crate::base::canonical::{self, CanonicalError};
use crate::base::code::Code;
use crate::base::json::Value;

/// A record cannot be sealed.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum WriteError {
    /// It has no canonical bytes.
    #[error(transparent)]
    Canonical(#[from] CanonicalError),
    /// It breaks a rule, or a reader of the field would refuse what the rules allow: a control
    /// character in a relative path, or `=` in a command's first word.
    #[error("the record breaks the rule {0}: {rule}", rule = .0.rule())]
    Refused(Code),
}

impl Record {
    /// The record's RFC 8785 bytes, read back through [`parse`].
    ///
    /// # Errors
    /// [`WriteError`] for a record that every known reader would not accept as it is.
    pub fn to_canonical_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.check_portable().map_err(WriteError::Refused)?;
        let bytes = canonical::to_vec(&Value::from(self))?;
        parse(&bytes).map_err(WriteError::Refused)?;
        Ok(bytes)
    }

    /// What the rules allow but a reader of the field refuses (`done-records` section 7).
    fn check_portable(&self) -> Result<(), Code> {
        for entry in &self.protected_paths {
            no_control([&entry.path], Code::ContractProtectedPathNotNormalized)?;
            no_control(entry.exclude.iter().flatten(), Code::ContractExcludeInvalid)?;
        }
        for command in &self.acceptance {
            if command.argv.first().is_some_and(|word| word.contains('=')) {
                return Err(Code::ContractAcceptanceArgv);
            }
            let writes = command.run_writes.iter().flatten();
            no_control(writes, Code::ContractAcceptanceRunWrites)?;
        }
        let native = self.native_loaded.iter().flatten().map(|entry| &entry.path);
        no_control(native, Code::ContractNativeLoaded)?;
        no_control(self.module_under_test.iter().flatten(), Code::ContractModuleUnderTest)
    }
}

fn no_control<'r>(paths: impl IntoIterator<Item = &'r String>, code: Code) -> Result<(), Code> {
    let control = |path: &String| path.bytes().any(|byte| byte < 0x20 || byte == 0x7f);
    if paths.into_iter().any(control) { Err(code) } else { Ok(()) }
}

/// Collects the members that are there.
#[derive(Default)]
struct Members(Vec<(String, Value)>);

impl Members {
    fn add(&mut self, name: &str, value: impl Into<Value>) {
        self.0.push((name.to_owned(), value.into()));
    }

    fn add_some(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.add(name, value);
        }
    }

    fn done(self) -> Value {
        Value::Object(self.0)
    }
}

/// The word that stands for `value` in a record.
fn word_of<T: Copy + PartialEq>(words: &[(&'static str, T)], value: T) -> &'static str {
    words.iter().find(|(_, own)| *own == value).expect("every value has its word").0
}

impl From<&Record> for Value {
    fn from(record: &Record) -> Self {
        let mut members = Members::default();
        members.add("schema_version", SCHEMA);
        members.add("contract_id", record.contract_id.as_str());
        members.add_some("task", record.task.clone());
        members.add("protected_paths", record.protected_paths.iter().collect::<Vec<_>>());
        members.add("acceptance", record.acceptance.iter().collect::<Vec<_>>());
        members.add("adequacy", &record.adequacy);
        let digests = [
            ("heldout_split_sha256", record.heldout_split_sha256),
            ("mutant_set_sha256", record.mutant_set_sha256),
            ("authority_sha256", record.authority_sha256),
        ];
        for (name, digest) in digests {
            members.add_some(name, digest.map(|digest| digest.to_string()));
        }
        members.add_some("module_under_test", record.module_under_test.clone());
        members.add_some("strength", record.strength.map(|own| word_of(&STRENGTHS, own)));
        if let Some(entries) = &record.native_loaded {
            let entry = |path: &str, sha256: String| {
                Value::object([("path", path.into()), ("sha256", sha256.into())])
            };
            let list = entries.iter().map(|own| entry(&own.path, own.sha256.to_string()));
            members.add("native_loaded", list.collect::<Vec<_>>());
        }
        members.add_some("execution_surface", record.execution_surface.clone());
        if let Some(aliases) = &record.surface_aliases {
            let list = aliases.iter().map(|(name, target)| (name.clone(), target.as_str().into()));
            members.add("surface_aliases", Value::Object(list.collect()));
        }
        members.done()
    }
}

impl From<&ProtectedPath> for Value {
    fn from(entry: &ProtectedPath) -> Self {
        let mut members = Members::default();
        members.add("path", entry.path.as_str());
        members.add("kind", word_of(&KINDS, entry.kind));
        members.add("sha256", entry.sha256.to_string());
        members.add_some("exclude", entry.exclude.clone());
        members.add_some("equivalence", entry.equivalence.map(|_| PYTHON_AST));
        members.done()
    }
}

impl From<&Acceptance> for Value {
    fn from(command: &Acceptance) -> Self {
        let mut members = Members::default();
        members.add("id", command.id.as_str());
        members.add("argv", command.argv.clone());
        members.add_some("ids", command.ids.clone());
        members.add_some("run_writes", command.run_writes.clone());
        if let Some(seal) = &command.seal {
            members.add("cwd", seal.cwd.as_str());
            match &seal.exe {
                Executable::One(path) => members.add("exe", path.as_str()),
                Executable::Any(paths) => members.add("exe", paths.clone()),
            }
            members.add_some("interpreter", seal.interpreter.clone());
        }
        members.add_some("tier", command.tier.map(|own| word_of(&TIERS, own)));
        members.add_some("probe", command.probe.map(|own| word_of(&PROBES, own)));
        members.add_some("in_process_twin_of", command.in_process_twin_of.clone());
        members.done()
    }
}

impl From<&Adequacy> for Value {
    fn from(adequacy: &Adequacy) -> Self {
        let mut members = Members::default();
        members.add("mutants", &adequacy.mutants);
        members.add("killed", &adequacy.killed);
        if let Some(classes) = &adequacy.by_class {
            let list = classes.iter().map(|(name, count)| (name.clone(), count.into()));
            members.add("by_class", Value::Object(list.collect()));
        }
        let vector = adequacy.kill_vector_sha256;
        members.add_some("kill_vector_sha256", vector.map(|digest| digest.to_string()));
        if let Some(gates) = &adequacy.gates {
            let list = gates.iter().map(|(name, gate)| (name.clone(), gate.clone()));
            members.add("gates", Value::Object(list.collect()));
        }
        members.done()
    }
}

impl From<&ClassCount> for Value {
    fn from(count: &ClassCount) -> Self {
        Value::object([("mutants", (&count.mutants).into()), ("killed", (&count.killed).into())])
    }
}
