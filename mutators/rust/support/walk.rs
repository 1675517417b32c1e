//! The single walk over a tree: asks the operators at every place that may be mutated.

use std::ops::Range;

use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Arm, Attribute, Block, Expr, FieldValue, ImplItem, Item, ItemImpl, Local, Pat, Safety};
use syn::{Signature, Stmt, TraitItem, Type};

use super::attributes::{is_skipped, is_test};
use super::edits::Edits;
use super::parse::Source;
use super::types::{last, peeled, without_default};
use super::values::Place;
use super::{macros, skip};
use crate::{Function, Operator};

/// An operator with the code that finds its sites.
pub(crate) struct Rule {
    pub(crate) operator: Operator,
    /// Adds the edits this operator has for one place.
    pub(crate) edits: fn(&Site<'_>, &mut Edits<'_>),
}

/// A place that may be mutated.
pub(crate) enum Site<'a> {
    /// A function with a body.
    Function(Body<'a>),
    /// The statements of a block.
    Block(&'a Block),
    /// An expression.
    Expression(&'a Expr),
}

/// A function with a body.
#[derive(Clone, Copy)]
pub(crate) struct Body<'a> {
    pub(crate) signature: &'a Signature,
    pub(crate) block: &'a Block,
    /// What is known of the value it gives.
    pub(crate) place: Place<'a>,
}

/// What the walk saw.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) functions: Vec<Function>,
    /// The bytes that are to be left alone.
    pub(crate) covered: Vec<Range<usize>>,
}

/// A function as the walk meets it.
pub(crate) struct Met<'a> {
    pub(crate) name: &'a str,
    pub(crate) attributes: &'a [Attribute],
    /// From its visibility or first word to the end of its body.
    pub(crate) span: Range<usize>,
    pub(crate) body: Body<'a>,
}

/// What is done at each place; a walk has one of these.
pub(crate) trait Visitor {
    /// A place that may be mutated, inside of this function.
    fn site(&mut self, site: &Site<'_>, function: Option<u32>);
    /// A function that is no test.
    fn function(&mut self, _met: &Met<'_>) {}
    /// A statement, with whether it holds a block.
    fn statement(&mut self, _span: Range<usize>, _is_compound: bool) {}
    /// An item or statement that is part of the build under conditions only.
    fn conditional(&mut self, _span: Range<usize>, _attributes: &[Attribute]) {}
}

/// Walks a file once.
pub(crate) fn walk(source: &Source<'_>, file: &syn::File, visitor: &mut dyn Visitor) -> Seen {
    if is_test(&file.attrs) {
        return Seen::default();
    }
    let mut walk = Walk {
        source,
        visitor,
        seen: Seen::default(),
        units: Vec::new(),
        names: Vec::new(),
        parameters: Vec::new(),
        function: None,
        is_default: false,
    };
    if is_skipped(&file.attrs) {
        walk.seen.covered.push(0..source.text.len());
    }
    file.items.iter().for_each(|item| walk.visit_item(item));
    let mut seen = walk.seen;
    seen.covered.extend(skip::covered(source, &walk.units));
    seen
}

struct Walk<'w> {
    source: &'w Source<'w>,
    visitor: &'w mut dyn Visitor,
    seen: Seen,
    /// What a skip comment may cover.
    units: Vec<Range<usize>>,
    /// The names around this place, such as a type and a method of it.
    names: Vec<String>,
    /// The type parameters in scope that have no `Default` bound.
    parameters: Vec<String>,
    function: Option<u32>,
    /// Whether this is inside `impl Default`.
    is_default: bool,
}

impl Walk<'_> {
    /// Whether what has these attributes is to be walked; notes what they ask for.
    fn enters(&mut self, attributes: &[Attribute], span: Span) -> bool {
        if is_test(attributes) {
            return false;
        }
        let range = self.source.range_of(span);
        if is_skipped(attributes) {
            self.seen.covered.push(range.clone());
        }
        self.units.push(range);
        true
    }

    /// The same of an item or statement, whose conditions can be asked for.
    fn enters_item(&mut self, attributes: &[Attribute], span: Span) -> bool {
        let entered = self.enters(attributes, span);
        if entered && super::attributes::conditions(attributes).next().is_some() {
            self.visitor.conditional(self.source.range_of(span), attributes);
        }
        entered
    }

    fn inside(&mut self, name: String, walk: impl FnOnce(&mut Self)) {
        self.names.push(name);
        walk(self);
        self.names.pop();
    }

    fn function(
        &mut self,
        attributes: &[Attribute],
        start: Span,
        signature: &Signature,
        block: &Block,
    ) {
        if matches!(signature.safety, Safety::Unsafe(_)) {
            return;
        }
        let known = self.parameters.len();
        self.parameters.extend(without_default(&signature.generics));
        let (start, end) = (self.source.range_of(start).start, self.source.range(block).end);
        let own = signature.ident.to_string();
        let is_default = self.is_default && own == "default";
        self.names.push(own);
        let name = self.names.join("::");
        let number = u32::try_from(self.seen.functions.len()).unwrap_or(u32::MAX);
        self.seen.functions.push(Function { name: name.clone(), span: start..end });
        let around = self.function.replace(number);
        let place = Place {
            parameters: &self.parameters,
            default: signature.constness.is_none() && !is_default,
        };
        let body = Body { signature, block, place };
        self.visitor.function(&Met { name: &name, attributes, span: start..end, body });
        self.visitor.site(&Site::Function(body), self.function);
        self.visit_block(block);
        self.function = around;
        self.names.pop();
        self.parameters.truncate(known);
    }

    fn implementation(&mut self, item: &ItemImpl) {
        let of = match peeled(&item.self_ty) {
            Type::Path(given) => last(&given.path).ident.to_string(),
            other => self.source.text_of(other).split_whitespace().collect(),
        };
        let implemented = item.trait_.as_ref().map(|(path, _)| last(path).ident.to_string());
        let is_default = implemented.as_deref() == Some("Default");
        let around = std::mem::replace(&mut self.is_default, is_default);
        let known = self.parameters.len();
        self.parameters.extend(without_default(&item.generics));
        let name = implemented.map_or(of.clone(), |name| format!("<{of} as {name}>"));
        self.inside(name, |walk| item.items.iter().for_each(|item| walk.visit_impl_item(item)));
        self.parameters.truncate(known);
        self.is_default = around;
    }

    fn site(&mut self, site: &Site<'_>) {
        self.visitor.site(site, self.function);
    }
}

/// The first token of an item behind its attributes.
fn start(visibility: &syn::Visibility, signature: &Signature) -> Span {
    match visibility {
        syn::Visibility::Inherited => signature_start(signature),
        other => other.span(),
    }
}

fn signature_start(signature: &Signature) -> Span {
    let first = [
        signature.constness.as_ref().map(|word| word.span),
        signature.asyncness.as_ref().map(|word| word.span),
        signature.abi.as_ref().map(|abi| abi.extern_token.span),
    ];
    let first = first.into_iter().flatten().next();
    first.unwrap_or(signature.fn_token.span)
}

impl Visit<'_> for Walk<'_> {
    fn visit_item(&mut self, item: &Item) {
        match item {
            Item::Fn(function) if self.enters_item(&function.attrs, item.span()) => {
                let start = start(&function.vis, &function.sig);
                self.function(&function.attrs, start, &function.sig, &function.block);
            }
            Item::Impl(implementation) if self.enters_item(&implementation.attrs, item.span()) => {
                self.implementation(implementation);
            }
            Item::Mod(module) if self.enters_item(&module.attrs, item.span()) => {
                let Some((_, items)) = &module.content else { return };
                let all = |walk: &mut Self| items.iter().for_each(|item| walk.visit_item(item));
                self.inside(module.ident.to_string(), all);
            }
            Item::Trait(given) if self.enters_item(&given.attrs, item.span()) => {
                let known = self.parameters.len();
                self.parameters.extend(without_default(&given.generics));
                let all = |walk: &mut Self| {
                    given.items.iter().for_each(|item| walk.visit_trait_item(item));
                };
                self.inside(given.ident.to_string(), all);
                self.parameters.truncate(known);
            }
            Item::Const(given) if self.enters_item(&given.attrs, item.span()) => {
                self.visit_expr(&given.expr);
            }
            Item::Static(given) if self.enters_item(&given.attrs, item.span()) => {
                self.visit_expr(&given.expr);
            }
            // Types and what only names things.
            _ => {}
        }
    }

    fn visit_impl_item(&mut self, item: &ImplItem) {
        match item {
            ImplItem::Fn(method) if self.enters_item(&method.attrs, item.span()) => {
                let start = start(&method.vis, &method.sig);
                self.function(&method.attrs, start, &method.sig, &method.block);
            }
            ImplItem::Const(given) if self.enters_item(&given.attrs, item.span()) => {
                self.visit_expr(&given.expr);
            }
            _ => {}
        }
    }

    fn visit_trait_item(&mut self, item: &TraitItem) {
        match item {
            TraitItem::Fn(method) if self.enters_item(&method.attrs, item.span()) => {
                let Some(block) = &method.default else { return };
                let start = signature_start(&method.sig);
                self.function(&method.attrs, start, &method.sig, block);
            }
            TraitItem::Const(given) if self.enters_item(&given.attrs, item.span()) => {
                given.default.iter().for_each(|(_, value)| self.visit_expr(value));
            }
            _ => {}
        }
    }

    fn visit_block(&mut self, block: &Block) {
        self.site(&Site::Block(block));
        block.stmts.iter().for_each(|statement| self.visit_stmt(statement));
    }

    fn visit_stmt(&mut self, statement: &Stmt) {
        let is_compound = match statement {
            Stmt::Item(item) => {
                matches!(item, Item::Fn(_) | Item::Impl(_) | Item::Mod(_) | Item::Trait(_))
            }
            Stmt::Expr(expression, _) => holds_statements(expression),
            Stmt::Local(_) | Stmt::Macro(_) => false,
        };
        self.visitor.statement(self.source.range(statement), is_compound);
        match statement {
            Stmt::Local(local) if self.enters_item(&local.attrs, statement.span()) => {
                self.visit_local(local);
            }
            Stmt::Item(item) => self.visit_item(item),
            Stmt::Expr(expression, _)
                if self.enters_item(attributes(expression), statement.span()) =>
            {
                self.visit_expr(expression);
            }
            Stmt::Macro(call) if self.enters_item(&call.attrs, statement.span()) => {
                self.visit_macro(&call.mac);
            }
            _ => {}
        }
    }

    fn visit_local(&mut self, local: &Local) {
        let Some(init) = &local.init else { return };
        self.visit_expr(&init.expr);
        init.diverge.iter().for_each(|(_, other)| self.visit_expr(other));
    }

    fn visit_expr(&mut self, expression: &Expr) {
        let attributes = attributes(expression);
        if !attributes.is_empty() && !self.enters(attributes, expression.span()) {
            return;
        }
        match expression {
            // What goes wrong there may do anything, and the verdict with it.
            Expr::Unsafe(_) => return,
            // The length is part of a type.
            Expr::Repeat(repeat) => return self.visit_expr(&repeat.expr),
            // The size given is for speed alone.
            Expr::Call(call) if is_with_capacity(&call.func) => {
                return self.site(&Site::Expression(expression));
            }
            _ => {}
        }
        self.site(&Site::Expression(expression));
        visit::visit_expr(self, expression);
    }

    fn visit_arm(&mut self, arm: &Arm) {
        if self.enters(&arm.attrs, arm.span()) {
            if let Pat::Guard(pattern) = &arm.pat {
                self.visit_expr(&pattern.guard);
            }
            self.visit_expr(&arm.body);
        }
    }

    fn visit_field_value(&mut self, field: &FieldValue) {
        // Written without a colon, the name is no expression of its own.
        if self.enters(&field.attrs, field.span()) && field.colon_token.is_some() {
            self.visit_expr(&field.expr);
        }
    }

    fn visit_macro(&mut self, call: &syn::Macro) {
        macros::expressions(call).iter().for_each(|expression| self.visit_expr(expression));
    }

    // Never mutated, nor anything in them.
    fn visit_attribute(&mut self, _: &Attribute) {}
    fn visit_generics(&mut self, _: &syn::Generics) {}
    fn visit_pat(&mut self, _: &Pat) {}
    fn visit_path(&mut self, _: &syn::Path) {}
    fn visit_path_arguments(&mut self, _: &syn::PathArguments) {}
    fn visit_angle_bracketed_generic_arguments(&mut self, _: &syn::AngleBracketedGenericArguments) {
    }
    fn visit_qself(&mut self, _: &syn::QSelf) {}
    fn visit_type(&mut self, _: &Type) {}
}

fn is_with_capacity(function: &Expr) -> bool {
    matches!(function, Expr::Path(function) if last(&function.path).ident == "with_capacity")
}

/// Whether a statement of this expression holds statements.
fn holds_statements(expression: &Expr) -> bool {
    matches!(
        expression,
        Expr::Block(_)
            | Expr::ForLoop(_)
            | Expr::If(_)
            | Expr::Loop(_)
            | Expr::While(_)
            | Expr::Unsafe(_)
    )
}

/// The attributes of the expressions that are written with some.
pub(crate) fn attributes(expression: &Expr) -> &[Attribute] {
    macro_rules! of {
        ($($kind:ident)*) => {
            match expression {
                $(Expr::$kind(inner) => &inner.attrs,)*
                _ => &[],
            }
        };
    }
    of!(Array Assign Async Await Binary Block Break Call Closure Const Continue Field ForLoop If Index
        Lit Loop Macro Match MethodCall Paren Path Range Reference Return Struct Try Tuple Unary
        Unsafe While)
}
