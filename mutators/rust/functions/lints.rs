//! The lints that a source makes errors of, and what some of them look at.

use std::collections::BTreeSet;

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, ItemExternCrate, Macro, Meta, Token};

use super::super::support::parse::{Source, parsed};
use super::hosts::path;

/// The lints that attributes of a source turn into errors, as they are written.
#[must_use]
pub fn denied(bytes: &[u8]) -> Vec<String> {
    let found = parsed(bytes, |_, file| {
        let mut denying = Denying(Vec::new());
        denying.visit_file(file);
        denying.0
    });
    found.unwrap_or_default()
}

struct Denying(Vec<String>);

impl Visit<'_> for Denying {
    fn visit_attribute(&mut self, attribute: &Attribute) {
        self.meta(&attribute.meta);
    }
}

impl Denying {
    fn meta(&mut self, meta: &Meta) {
        let Meta::List(list) = meta else { return };
        let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
        let Ok(parts) = parts else { return };
        if list.path.is_ident("cfg_attr") {
            parts.iter().skip(1).for_each(|part| self.meta(part));
        } else if list.path.is_ident("deny") || list.path.is_ident("forbid") {
            let names = parts.iter().filter(|part| matches!(part, Meta::Path(_)));
            self.0.extend(names.map(|part| path(part.path())));
        }
    }
}

/// What a source says of crates that it names by `extern crate`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ExternCrates {
    /// Their names, as the source uses them; nobody minds where one with a `_` before it is unused.
    pub names: BTreeSet<String>,
    /// All words of bodies and macros, where such a name may stand for the last time.
    pub inside: BTreeSet<String>,
}

/// The crates that a source names, and what its bodies and macros may use of them.
#[must_use]
pub fn extern_crates(bytes: &[u8]) -> ExternCrates {
    let found = parsed(bytes, |source, file| {
        let mut naming = Naming { source, found: ExternCrates::default() };
        naming.visit_file(file);
        naming.found
    });
    found.unwrap_or_default()
}

struct Naming<'s> {
    source: &'s Source<'s>,
    found: ExternCrates,
}

impl Naming<'_> {
    fn words(&mut self, text: &str) {
        let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        self.found.inside.extend(words.map(str::to_owned));
    }
}

impl<'a> Visit<'a> for Naming<'_> {
    fn visit_item_extern_crate(&mut self, item: &'a ItemExternCrate) {
        let name = item.rename.as_ref().map_or(&item.ident, |(_, name)| name);
        let name = name.to_string();
        if !name.starts_with('_') {
            self.found.names.insert(name);
        }
    }

    fn visit_block(&mut self, block: &'a Block) {
        self.words(self.source.text_of(block));
        visit::visit_block(self, block);
    }

    fn visit_macro(&mut self, mac: &'a Macro) {
        self.words(&mac.tokens.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lints_that_are_errors() {
        let source = "#![deny(warnings, clippy::all, reason = \"x\")]\n#![warn(a)]\n\
                      #![cfg_attr(test, forbid(unsafe_code))]\n#[deny(unused)] fn f() {}\n";
        assert_eq!(denied(source.as_bytes()), ["warnings", "clippy::all", "unsafe_code", "unused"]);
    }

    #[test]
    fn crates_and_where_they_may_be_used_for_the_last_time() {
        let source = "extern crate a; extern crate b as c; extern crate d as _; use a::A;\n\
                      macro_rules! m { () => { $crate::d } }\n\
                      mod n { fn f() { e::f; extern crate g; } }\n";
        let found = extern_crates(source.as_bytes());
        let set = |names: &[&str]| names.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
        assert_eq!(found.names, set(&["a", "c", "g"]));
        assert!(found.inside.is_superset(&set(&["d", "e", "f"])), "{found:?}");
        assert!(!found.inside.contains("a") && !found.inside.contains("c"), "{found:?}");
    }
}
