//! Holds the committed corpus and `docs/error-codes.md` to the code, and the corpus to what it claims.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::cases::{self, Edit};
use super::check::{Manifest, ManifestError, answer};
use super::{files, members};
use crate::base::code::Code;
use crate::contract;

fn committed(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn the_page_of_codes_is_the_list() {
    let mut page = String::from(
        "# Refusal codes\n\n\
         Made from `src/base/code.rs`; a test compares them. The order is that in which a reader \
         meets the rules: the first that is broken is reported, and nothing else. A `member_` code \
         means that nothing was judged. \"done-records\" is the document of the record's rules; the \
         vector is the member of `vectors-done-contract` that shows the code. Codes without one are \
         shown by tests.\n\n\
         | code | the rule | written in | vector |\n|---|---|---|---|\n",
    );
    for code in Code::ALL {
        let vector = code.vector().map_or_else(String::new, |name| format!("`{name}`"));
        writeln!(page, "| `{code}` | {} | {} | {vector} |", code.rule(), code.source())
            .expect("writing to a string");
    }
    let path = committed("docs/error-codes.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &page).expect("docs/ can be written");
    }
    let committed = fs::read_to_string(path).unwrap_or_default();
    assert_eq!(committed, page, "run the tests once with UPDATE_DOCS=1");
}

#[test]
fn every_code_of_the_record_and_the_statement_has_a_vector_of_one_edit() {
    for code in Code::ALL {
        let judged = code.text().starts_with("contract_") || code.text().starts_with("statement_");
        assert_eq!(code.vector().is_some(), judged, "{code}");
        let Some(vector) = code.vector() else { continue };
        let row = cases::all().find(|row| row.id == vector).expect(vector);
        assert_eq!(row.code, Some(*code), "{vector}");
        let places = |edit: &Edit| match edit {
            Edit::Replace(places) => places.len(),
            Edit::Bytes(_) => 1,
        };
        let edits = places(&row.contract) + places(&row.statement) + places(&row.late);
        assert_eq!(edits, 1, "{vector}");
    }
}

#[test]
fn every_optional_member_is_valid_somewhere_in_the_plain_control() {
    let records: Vec<_> = members()
        .into_iter()
        .filter(|member| member.code.is_none() && member.edit.starts_with("plain: "))
        .map(|member| contract::parse(&member.contract).expect(member.id))
        .collect();
    let seen = |is_there: fn(&contract::Record) -> bool| records.iter().any(is_there);
    assert!(seen(|r| r.task.is_some()) && seen(|r| r.strength.is_some()));
    assert!(seen(|r| r.heldout_split_sha256.is_some()) && seen(|r| r.mutant_set_sha256.is_some()));
    assert!(seen(|r| r.authority_sha256.is_some()) && seen(|r| r.module_under_test.is_some()));
    assert!(seen(|r| r.native_loaded.is_some()) && seen(|r| r.execution_surface.is_some()));
    assert!(seen(|r| r.surface_aliases.is_some()));
    assert!(seen(|r| r.protected_paths.iter().any(|path| path.exclude.is_some())));
    assert!(seen(|r| r.protected_paths.iter().any(|path| path.equivalence.is_some())));
    let commands: Vec<_> = records.iter().flat_map(|record| &record.acceptance).collect();
    assert!(commands.iter().any(|c| c.ids.is_some()) && commands.iter().any(|c| c.tier.is_some()));
    assert!(commands.iter().any(|c| c.run_writes.is_some()));
    assert!(commands.iter().any(|c| c.probe.is_some()));
    assert!(commands.iter().any(|c| c.in_process_twin_of.is_some()));
    let seals: Vec<_> = commands.iter().filter_map(|command| command.seal.as_ref()).collect();
    assert!(seals.iter().any(|s| s.interpreter.is_some()));
    assert!(seals.iter().any(|s| s.interpreter.is_none()));
    assert!(seen(|r| r.adequacy.by_class.is_some()) && seen(|r| r.adequacy.gates.is_some()));
    assert!(seen(|r| r.adequacy.kill_vector_sha256.is_some()));
}

#[test]
fn the_generator_writes_the_committed_corpus_byte_for_byte() {
    let root = committed("vectors-done-contract");
    let generated: BTreeMap<PathBuf, Vec<u8>> =
        files().into_iter().map(|(path, bytes)| (root.join(path), bytes)).collect();
    let names: BTreeSet<&PathBuf> = generated.keys().collect();
    let found = all_files(&root);
    assert_eq!(found.iter().collect::<BTreeSet<_>>(), names, "generate the corpus again");
    for (path, bytes) in &generated {
        assert!(fs::read(path).expect("listed") == *bytes, "{} differs", path.display());
    }
}

fn all_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the corpus is committed") {
        let path = entry.expect("listed").path();
        if path.is_dir() {
            found.extend(all_files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

#[test]
fn every_member_gets_its_declared_answer() {
    let members = members();
    assert!(members.len() >= 150, "{} members", members.len());
    let (_, manifest) = files().remove(0);
    let manifest = Manifest::parse(&manifest).expect("the generator's manifest");
    assert_eq!(manifest.entries.len(), members.len());
    for (member, entry) in members.iter().zip(&manifest.entries) {
        assert_eq!(member.id, entry.id);
        let got = answer(Ok((&member.statement, &member.contract)));
        assert_eq!(got, entry.expected, "{}", member.id);
    }
}

#[test]
fn a_changed_manifest_is_refused() {
    let (_, bytes) = files().remove(0);
    let text = String::from_utf8(bytes).expect("ASCII");
    let parse = |text: &str| Manifest::parse(text.as_bytes()).expect_err("refused");
    let moved = text.replacen("valid-plain", "valid-plane", 1);
    assert_eq!(parse(&moved), ManifestError::Digest);
    let suite = text.replace("done-contract/v2", "done-receipt/v2");
    assert_eq!(parse(&suite), ManifestError::Suite("done-receipt/v2".to_owned()));
    assert_eq!(parse("{}"), ManifestError::Missing("suite"));
    assert!(matches!(parse("{"), ManifestError::Json(_)));
    let empty = r#"{"suite": "done-contract/v2", "vectors": [],
        "corpusDigest": "37517e5f3dc66819f61f5a7bb8ace1921282415f10551d2defa5c3eb0985b570"}"#;
    assert_eq!(parse(empty), ManifestError::Empty);
}
