//! The names that cargo-mutants gives mutants: what the patterns in its settings are written against.

use std::ops::Range;

use syn::visit::{self, Visit};
use syn::{
    Block, ExprStruct, ImplItemFn, ItemFn, ItemImpl, ItemMod, ItemTrait, ReturnType, Signature,
    TraitItemFn,
};

use super::super::support::parse::{Source, parsed};
use crate::Mutation;

/// A name for each mutation of `source`, such as `12:5: replace f -> u8 with 0`, without the file that
/// cargo-mutants puts before it. Code stands in it as the source writes it, on one line.
#[must_use]
pub fn cargo_mutants_names(source: &[u8], mutations: &[Mutation]) -> Vec<String> {
    let named = parsed(source, |source, file| {
        let mut finder =
            Finder { source, around: Vec::new(), found: Vec::new(), structs: Vec::new() };
        finder.visit_file(file);
        mutations.iter().map(|mutation| finder.name(mutation)).collect()
    });
    // What cannot be read has no mutations.
    named.unwrap_or_default()
}

/// A function as cargo-mutants names it.
struct Named {
    span: Range<usize>,
    name: String,
    /// With its arrow; empty where nothing is returned.
    output: String,
    /// Where its first statement starts.
    first: usize,
}

struct Finder<'s> {
    source: &'s Source<'s>,
    /// The names of the modules, implementations, traits and functions around.
    around: Vec<String>,
    found: Vec<Named>,
    /// The struct expressions with the paths of what they make.
    structs: Vec<(Range<usize>, String)>,
}

impl Finder<'_> {
    /// The name of one mutation.
    fn name(&self, mutation: &Mutation) -> String {
        let source = self.source;
        let span = &mutation.span;
        let holds = |named: &&Named| named.span.start <= span.start && span.end <= named.span.end;
        let function = self.found.iter().filter(holds).min_by_key(|named| named.span.len());
        let original = on_one_line(&source.text[span.clone()]);
        let replacement = on_one_line(&String::from_utf8_lossy(&mutation.replacement));
        let (mut at, mut text) = (span.start, String::new());
        match (mutation.operator.name, function) {
            ("body-value", Some(function)) => {
                at = function.first;
                let arrow = if function.output.is_empty() { "" } else { " " };
                let value = replacement.trim_start_matches("{ ").trim_end_matches(" }");
                text +=
                    &format!("replace {}{arrow}{} with {value}", function.name, function.output);
            }
            ("arm-delete", _) => {
                let pattern = original.split("=>").next().unwrap_or_default().trim_end();
                text += &format!("delete match arm {pattern}");
            }
            ("guard-replace", _) => {
                text += &format!("replace match guard {original} with {replacement}");
            }
            ("field-delete", _) => {
                let field = original.split([':', ',']).next().unwrap_or_default().trim_end();
                let holds = |made: &&(Range<usize>, String)| made.0.contains(&span.start);
                let made = self.structs.iter().filter(holds).min_by_key(|(made, _)| made.len());
                let of = made.map_or("", |(_, of)| of);
                text += &format!("delete field {field} from struct {of} expression");
            }
            _ if replacement.is_empty() => text += &format!("delete {original}"),
            _ => text += &format!("replace {original} with {replacement}"),
        }
        if let (false, Some(function)) = (mutation.operator.name == "body-value", function) {
            text += &format!(" in {}", function.name);
        }
        let before = &source.text[..at];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.matches('\n').count() + 1;
        format!("{line}:{}: {text}", before[start..].chars().count() + 1)
    }

    fn inside(&mut self, name: String, walk: impl FnOnce(&mut Self)) {
        self.around.push(name);
        walk(self);
        self.around.pop();
    }

    fn function(&mut self, signature: &Signature, block: &Block, walk: impl FnOnce(&mut Self)) {
        self.inside(signature.ident.to_string(), |finder| {
            let output = match &signature.output {
                ReturnType::Default => String::new(),
                given => on_one_line(finder.source.text_of(given)),
            };
            let body = finder.source.range(block);
            let first = block.stmts.first().map(|first| finder.source.range(first).start);
            finder.found.push(Named {
                span: finder.source.range(signature).start..body.end,
                name: finder.around.join("::"),
                output,
                first: first.unwrap_or(body.start),
            });
            walk(finder);
        });
    }
}

impl Visit<'_> for Finder<'_> {
    fn visit_item_mod(&mut self, item: &ItemMod) {
        let name = item.ident.to_string().trim_start_matches("r#").to_owned();
        self.inside(name, |finder| visit::visit_item_mod(finder, item));
    }

    fn visit_item_impl(&mut self, item: &ItemImpl) {
        let of = on_one_line(self.source.text_of(&item.self_ty));
        let name = match &item.trait_ {
            Some((path, _)) => {
                format!("<impl {} for {of}>", on_one_line(self.source.text_of(path)))
            }
            None => of,
        };
        self.inside(name, |finder| visit::visit_item_impl(finder, item));
    }

    fn visit_item_trait(&mut self, item: &ItemTrait) {
        self.inside(item.ident.to_string(), |finder| visit::visit_item_trait(finder, item));
    }

    fn visit_item_fn(&mut self, item: &ItemFn) {
        self.function(&item.sig, &item.block, |finder| visit::visit_item_fn(finder, item));
    }

    fn visit_impl_item_fn(&mut self, item: &ImplItemFn) {
        self.function(&item.sig, &item.block, |finder| visit::visit_impl_item_fn(finder, item));
    }

    fn visit_expr_struct(&mut self, made: &ExprStruct) {
        let of = on_one_line(self.source.text_of(&made.path));
        self.structs.push((self.source.range(made), of));
        visit::visit_expr_struct(self, made);
    }

    fn visit_trait_item_fn(&mut self, item: &TraitItemFn) {
        let Some(block) = &item.default else { return };
        self.function(&item.sig, block, |finder| visit::visit_trait_item_fn(finder, item));
    }
}

/// Every run of blanks as one space, and none at the ends.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn names_as_that_tool_gives_them() {
        let source = "\
mod m {
    impl<T: X> fmt::Display for A<T> {
        fn fmt(&self) -> fmt::Result {
            /* \u{e9} */ let a = 1 + 2;
            match a {
                1 | 2 if a ==
                    b => !c,
                3 => A { d: 1, ..e },
                _ => f,
            }
        }
    }
}
fn g() { h(); }
const I: u8 = 1 << 2;
";
        let found = Language::Rust.mutations(source.as_bytes(), &|_| true);
        let names = cargo_mutants_names(source.as_bytes(), &found.mutations);
        for expected in [
            "4:31: replace + with - in m::<impl fmt::Display for A<T>>::fmt",
            "4:21: replace m::<impl fmt::Display for A<T>>::fmt -> fmt::Result with Ok(())",
            "6:26: replace match guard a == b with true in m::<impl fmt::Display for A<T>>::fmt",
            "6:28: replace == with != in m::<impl fmt::Display for A<T>>::fmt",
            "7:26: delete ! in m::<impl fmt::Display for A<T>>::fmt",
            "8:17: delete match arm 3 in m::<impl fmt::Display for A<T>>::fmt",
            "8:26: delete field d from struct A expression in m::<impl fmt::Display for A<T>>::fmt",
            "14:10: replace g with ()",
            "14:10: delete h(); in g",
            "15:17: replace << with >>",
        ] {
            assert!(names.iter().any(|name| name == expected), "{expected} in {names:#?}");
        }
    }
}
