//! Functions whose body can be left at its first statement for another body.

use std::ops::Range;

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{AttrStyle, Attribute, Block, ImplItemFn, ItemFn, ItemImpl, ItemMod, ItemTrait, Meta};
use syn::{Signature, Token, TraitItemFn, TypeImplTrait};

use super::super::support::parse::{Source, parsed};

/// A function that stands in no other one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Its body with the braces.
    pub body: Range<usize>,
    /// Its word `const`, if it has one: what chooses a body runs, so it must go.
    pub constness: Option<Range<usize>>,
}

/// The functions of a source, outermost ones, in source order: those for which a body that returns
/// early means what it would mean in the place of their own.
#[must_use]
pub fn hosts(bytes: &[u8]) -> Vec<Host> {
    let found = parsed(bytes, |source, file| {
        let mut finding = Finding { source, hosts: Vec::new() };
        if !file.attrs.iter().any(is_macro) {
            finding.visit_file(file);
        }
        finding.hosts
    });
    found.unwrap_or_default()
}

struct Finding<'s> {
    source: &'s Source<'s>,
    hosts: Vec<Host>,
}

impl Finding<'_> {
    fn function(&mut self, attributes: &[Attribute], signature: &Signature, block: &Block) {
        let is_inner = |attribute: &Attribute| matches!(attribute.style, AttrStyle::Inner(_));
        if attributes.iter().any(|it| is_macro(it) || is_inner(it)) || !fits(signature, block) {
            return;
        }
        let constness = signature.constness.as_ref().map(|word| self.source.range_of(word.span));
        self.hosts.push(Host { body: self.source.range(block), constness });
    }
}

impl<'a> Visit<'a> for Finding<'_> {
    fn visit_item_mod(&mut self, item: &'a ItemMod) {
        if !item.attrs.iter().any(is_macro) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'a ItemImpl) {
        if !item.attrs.iter().any(is_macro) {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_item_trait(&mut self, item: &'a ItemTrait) {
        if !item.attrs.iter().any(is_macro) {
            visit::visit_item_trait(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'a ItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'a ImplItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_trait_item_fn(&mut self, item: &'a TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.attrs, &item.sig, block);
        }
    }

    // Functions in the values of constants run while the compiler does.
    fn visit_expr(&mut self, _: &'a syn::Expr) {}
}

/// Whether two bodies can stand beside each other: one type hidden behind `impl` allows one body, and
/// of two equal implementations in bodies the compiler refuses the second.
fn fits(signature: &Signature, block: &Block) -> bool {
    let mut hidden = Hidden(false);
    hidden.visit_return_type(&signature.output);
    let mut implementing = Implementing(false);
    implementing.visit_block(block);
    !hidden.0 && !implementing.0
}

struct Hidden(bool);

impl Visit<'_> for Hidden {
    fn visit_type_impl_trait(&mut self, _: &TypeImplTrait) {
        self.0 = true;
    }
}

struct Implementing(bool);

impl Visit<'_> for Implementing {
    fn visit_item_impl(&mut self, _: &ItemImpl) {
        self.0 = true;
    }
}

pub(super) fn path(path: &syn::Path) -> String {
    let names = path.segments.iter().map(|segment| segment.ident.to_string());
    names.collect::<Vec<_>>().join("::")
}

/// Attributes of the language that leave a body as it is written.
const PLAIN: &[&str] = &[
    "allow",
    "automatically_derived",
    "cfg",
    "cold",
    "crate_name",
    "crate_type",
    "deny",
    "deprecated",
    "doc",
    "expect",
    "export_name",
    "feature",
    "forbid",
    "inline",
    "link_section",
    "macro_use",
    "must_use",
    "no_implicit_prelude",
    "no_main",
    "no_mangle",
    "no_std",
    "path",
    "recursion_limit",
    "target_feature",
    "track_caller",
    "type_length_limit",
    "unsafe",
    "warn",
];

/// Whether an attribute may be a macro, which sees the text of a body and not what that includes.
fn is_macro(attribute: &Attribute) -> bool {
    !is_plain(&attribute.meta)
}

fn is_plain(meta: &Meta) -> bool {
    let names = path(meta.path());
    if names == "cfg_attr" {
        let Meta::List(list) = meta else { return false };
        let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
        return parts.is_ok_and(|parts| parts.iter().skip(1).all(is_plain));
    }
    let tool = names.split("::").next().unwrap_or_default();
    PLAIN.contains(&names.as_str())
        || names.contains("::") && matches!(tool, "clippy" | "diagnostic" | "mutants" | "rustfmt")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies(source: &str) -> Vec<&str> {
        hosts(source.as_bytes()).into_iter().map(|host| &source[host.body]).collect()
    }

    #[test]
    fn outermost_functions_that_can_have_two_bodies() {
        let source = "#![cfg_attr(docsrs, feature(doc_cfg))]
const A: u8 = { fn a() {} 1 };
#[inline] #[cfg_attr(unix, must_use)] fn b() -> u8 { fn c() {} 2 }
mod d { impl E { pub const fn f(&self) { 3; } } trait G { fn h(); fn i() { 4 } } }
fn j() -> impl Fn() { || () }
fn k() -> Vec<Box<impl Fn()>> { todo!() }
fn l(m: impl Fn()) { 5 }
#[tokio::main] async fn n() { 6 }
#[cfg_attr(unix, wrapped)] fn o() { 7 }
#[wrapped] impl P { fn q() { 8 } }
fn r() { struct S; impl S { fn t() {} } }
fn u() { #![allow(unused)] 9 }
async fn v() { 10 }
";
        assert_eq!(bodies(source), ["{ fn c() {} 2 }", "{ 3; }", "{ 4 }", "{ 5 }", "{ 10 }"]);
        let constant = hosts(source.as_bytes())[1].constness.clone().expect("a `const fn`");
        assert_eq!(&source[constant], "const");
        assert_eq!(bodies("fn a( {"), Vec::<&str>::new());
    }
}
