//! What a build makes of a file: the modules it declares, and what is there under conditions only.

use std::ops::Range;

use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Item, Lit, Meta, Token};

use super::super::support::attributes::{conditions, is_test};
use super::super::support::parse::{Source, parsed};
use super::super::support::walk::{Site, Visitor, walk};

/// What a build makes of a file.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct BuildOutline {
    /// Whether the whole file is there for tests alone.
    pub is_test: bool,
    /// Whether the whole file is there under a condition.
    pub is_conditional: bool,
    /// Modules that other files hold, those of tests left out, in source order.
    pub modules: Vec<Module>,
    /// Items and statements that are there under a condition, in source order.
    pub conditional: Vec<Conditional>,
}

/// A module that another file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// Its name, without `r#`.
    pub name: String,
    /// The modules around it in the same file, outermost first.
    pub parents: Vec<Parent>,
    /// What `#[path]` says.
    pub path: Option<String>,
    /// What `#[cfg_attr(.., path = "..")]` says, under conditions.
    pub conditional_paths: Vec<String>,
    /// Whether it, or a module around it, is there under a condition.
    pub is_conditional: bool,
}

/// A module around another, in the same file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parent {
    /// Its name, without `r#`.
    pub name: String,
    /// What `#[path]` says.
    pub path: Option<String>,
}

/// An item or statement that is there under a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conditional {
    /// All of it.
    pub span: Range<usize>,
    /// What shows whether it is built, to be inserted where it starts: under the same conditions, an
    /// error of the compiler.
    pub probe: String,
}

/// What a build makes of a source; nothing of one that cannot be read.
#[must_use]
pub fn build_outline(bytes: &[u8]) -> BuildOutline {
    let outline = parsed(bytes, |source, file| {
        let mut outline = BuildOutline {
            is_test: is_test(&file.attrs),
            is_conditional: conditions(&file.attrs).next().is_some(),
            ..BuildOutline::default()
        };
        if !outline.is_test {
            modules(&file.items, &mut Vec::new(), outline.is_conditional, &mut outline.modules);
            let mut found = Conditions { source, found: Vec::new() };
            walk(source, file, &mut found);
            outline.conditional = found.found;
        }
        outline
    });
    outline.unwrap_or_default()
}

fn modules(items: &[Item], parents: &mut Vec<Parent>, around: bool, found: &mut Vec<Module>) {
    for item in items {
        let Item::Mod(module) = item else { continue };
        if is_test(&module.attrs) {
            continue;
        }
        let name = module.ident.to_string().trim_start_matches("r#").to_owned();
        let is_conditional = around || conditions(&module.attrs).next().is_some();
        let (path, conditional_paths) = paths(&module.attrs);
        match &module.content {
            Some((_, items)) => {
                parents.push(Parent { name, path });
                modules(items, parents, is_conditional, found);
                parents.pop();
            }
            None => {
                let parents = parents.clone();
                found.push(Module { name, parents, path, conditional_paths, is_conditional });
            }
        }
    }
}

/// What `#[path]` and `#[cfg_attr(.., path)]` say.
fn paths(attributes: &[Attribute]) -> (Option<String>, Vec<String>) {
    let mut plain = None;
    let mut conditional = Vec::new();
    for attribute in attributes {
        plain = plain.or_else(|| path_of(&attribute.meta));
        if attribute.path().is_ident("cfg_attr") {
            let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
            let parts = attribute.parse_args_with(parser).unwrap_or_default();
            conditional.extend(parts.iter().skip(1).filter_map(path_of));
        }
    }
    (plain, conditional)
}

fn path_of(meta: &Meta) -> Option<String> {
    let Meta::NameValue(pair) = meta else { return None };
    match &pair.value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if pair.path.is_ident("path") => {
            Some(text.value())
        }
        _ => None,
    }
}

struct Conditions<'s> {
    source: &'s Source<'s>,
    found: Vec<Conditional>,
}

impl Visitor for Conditions<'_> {
    fn site(&mut self, _: &Site<'_>, _: Option<u32>) {}

    fn conditional(&mut self, span: Range<usize>, attributes: &[Attribute]) {
        let conditions = conditions(attributes).map(|attribute| self.source.text_of(attribute));
        let conditions = conditions.collect::<Vec<_>>().join(" ");
        let probe = format!("{conditions} compile_error!(\"adequacy control: this is built\"); ");
        self.found.push(Conditional { span, probe });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_of_other_files_with_what_is_known_of_their_place() {
        let source = "
mod a;
#[cfg(windows)] mod b { #[path = \"x\"] mod c { mod r#d; } }
#[path = \"odd.rs\"] pub mod e;
#[cfg_attr(unix, path = \"unix.rs\")] #[cfg_attr(windows, path = \"windows.rs\")] mod f;
#[cfg(test)] mod tests;
mod g { #[cfg(test)] mod h; fn i() {} }
";
        let outline = build_outline(source.as_bytes());
        let shown = outline.modules.iter().map(|it| {
            let parents = it.parents.iter().map(|it| (it.name.as_str(), it.path.as_deref()));
            (it.name.as_str(), parents.collect::<Vec<_>>(), it.path.as_deref(), it.is_conditional)
        });
        assert_eq!(
            shown.collect::<Vec<_>>(),
            [
                ("a", vec![], None, false),
                ("d", vec![("b", None), ("c", Some("x"))], None, true),
                ("e", vec![], Some("odd.rs"), false),
                ("f", vec![], None, false),
            ]
        );
        assert_eq!(outline.modules[3].conditional_paths, ["unix.rs", "windows.rs"]);
    }

    #[test]
    fn what_is_there_under_conditions_with_its_probe() {
        let source = "\
impl A {
    #[inline] #[cfg(windows)] fn f() { #[cfg(unix)] { g(); } #[cfg(test)] h(); }
}
#[cfg(test)] fn t() {}
";
        let outline = build_outline(source.as_bytes());
        let shown = outline.conditional.iter().map(|it| (&source[it.span.clone()], &*it.probe));
        assert_eq!(
            shown.collect::<Vec<_>>(),
            [
                (
                    "#[inline] #[cfg(windows)] fn f() { #[cfg(unix)] { g(); } #[cfg(test)] h(); }",
                    "#[cfg(windows)] compile_error!(\"adequacy control: this is built\"); "
                ),
                (
                    "#[cfg(unix)] { g(); }",
                    "#[cfg(unix)] compile_error!(\"adequacy control: this is built\"); "
                ),
            ]
        );
        assert!(build_outline(b"#![cfg(test)]\nmod a;\n").is_test);
        assert!(build_outline(b"#![cfg(unix)]\nmod a;\n").modules[0].is_conditional);
    }
}
