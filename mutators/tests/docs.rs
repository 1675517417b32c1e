//! The committed documentation is what the registry makes.

use std::{env, fs};

#[test]
fn the_committed_document_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/mutators.md");
    let current = adequacy_mutators::docs();
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs")).unwrap();
        fs::write(path, &current).unwrap();
    }
    let committed = fs::read_to_string(path).unwrap_or_default();
    assert!(
        committed == current,
        "docs/mutators.md is out of date; write it anew with UPDATE_DOCS=1"
    );
}
