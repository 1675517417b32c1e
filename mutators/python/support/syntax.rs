//! Typed node kinds and fields of the grammar, looked up once, and small questions about nodes.

use std::collections::HashMap;
use std::sync::LazyLock;

use tree_sitter::{Node, TreeCursor};

macro_rules! kinds {
    ($($kind:ident = $name:literal,)*) => {
        /// A named node kind that some part of this language asks for; `Other` is every other one.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub(crate) enum Kind {
            Other,
            $($kind,)*
        }

        const KINDS: &[(&str, Kind)] = &[$(($name, Kind::$kind),)*];
    };
}

kinds! {
    ArgumentList = "argument_list",
    AsPattern = "as_pattern",
    AsPatternTarget = "as_pattern_target",
    AssertStatement = "assert_statement",
    Assignment = "assignment",
    Attribute = "attribute",
    AugmentedAssignment = "augmented_assignment",
    Await = "await",
    BinaryOperator = "binary_operator",
    Block = "block",
    BooleanOperator = "boolean_operator",
    BreakStatement = "break_statement",
    Call = "call",
    CaseClause = "case_clause",
    CasePattern = "case_pattern",
    ClassDefinition = "class_definition",
    Comment = "comment",
    ComparisonOperator = "comparison_operator",
    ConcatenatedString = "concatenated_string",
    ConditionalExpression = "conditional_expression",
    ContinueStatement = "continue_statement",
    DecoratedDefinition = "decorated_definition",
    Decorator = "decorator",
    DefaultParameter = "default_parameter",
    DeleteStatement = "delete_statement",
    Dictionary = "dictionary",
    DictionaryComprehension = "dictionary_comprehension",
    DictionarySplat = "dictionary_splat",
    ElifClause = "elif_clause",
    Ellipsis = "ellipsis",
    ElseClause = "else_clause",
    ExceptClause = "except_clause",
    ExecStatement = "exec_statement",
    ExpressionList = "expression_list",
    ExpressionStatement = "expression_statement",
    False = "false",
    FinallyClause = "finally_clause",
    Float = "float",
    ForStatement = "for_statement",
    FormatExpression = "format_expression",
    FunctionDefinition = "function_definition",
    FutureImportStatement = "future_import_statement",
    GeneratorExpression = "generator_expression",
    GlobalStatement = "global_statement",
    Identifier = "identifier",
    IfClause = "if_clause",
    IfStatement = "if_statement",
    ImportFromStatement = "import_from_statement",
    ImportStatement = "import_statement",
    Integer = "integer",
    Interpolation = "interpolation",
    KeywordArgument = "keyword_argument",
    Lambda = "lambda",
    List = "list",
    ListComprehension = "list_comprehension",
    ListSplat = "list_splat",
    MatchStatement = "match_statement",
    Module = "module",
    NamedExpression = "named_expression",
    None = "none",
    NonlocalStatement = "nonlocal_statement",
    NotOperator = "not_operator",
    Pair = "pair",
    ParenthesizedExpression = "parenthesized_expression",
    PassStatement = "pass_statement",
    PrintStatement = "print_statement",
    RaiseStatement = "raise_statement",
    ReturnStatement = "return_statement",
    Set = "set",
    SetComprehension = "set_comprehension",
    Slice = "slice",
    String = "string",
    StringContent = "string_content",
    Subscript = "subscript",
    True = "true",
    TryStatement = "try_statement",
    Tuple = "tuple",
    Type = "type",
    TypeAliasStatement = "type_alias_statement",
    TypeParameter = "type_parameter",
    TypedDefaultParameter = "typed_default_parameter",
    UnaryOperator = "unary_operator",
    WhileStatement = "while_statement",
    WithItem = "with_item",
    WithStatement = "with_statement",
    Yield = "yield",
}

/// How many kinds there are, `Other` included.
pub(crate) const KIND_COUNT: usize = KINDS.len() + 1;

impl Kind {
    /// A node that stands directly in a block and is executed there.
    pub(crate) fn is_statement(self) -> bool {
        self.is_simple_statement() || self.is_compound_statement()
    }

    fn is_simple_statement(self) -> bool {
        matches!(
            self,
            Self::AssertStatement
                | Self::BreakStatement
                | Self::ContinueStatement
                | Self::DeleteStatement
                | Self::ExecStatement
                | Self::ExpressionStatement
                | Self::FutureImportStatement
                | Self::GlobalStatement
                | Self::ImportFromStatement
                | Self::ImportStatement
                | Self::NonlocalStatement
                | Self::PassStatement
                | Self::PrintStatement
                | Self::RaiseStatement
                | Self::ReturnStatement
                | Self::TypeAliasStatement
        )
    }

    pub(crate) fn is_compound_statement(self) -> bool {
        matches!(
            self,
            Self::ClassDefinition
                | Self::DecoratedDefinition
                | Self::ForStatement
                | Self::FunctionDefinition
                | Self::IfStatement
                | Self::MatchStatement
                | Self::TryStatement
                | Self::WhileStatement
                | Self::WithStatement
        )
    }

    /// A part of a compound statement that has a header and a block of its own.
    pub(crate) fn is_clause(self) -> bool {
        matches!(
            self,
            Self::CaseClause
                | Self::ElifClause
                | Self::ElseClause
                | Self::ExceptClause
                | Self::FinallyClause
        )
    }
}

static KIND_OF_ID: LazyLock<Vec<Kind>> = LazyLock::new(|| {
    let language = super::parse::language();
    let names: HashMap<&str, Kind> = KINDS.iter().copied().collect();
    let count = u16::try_from(language.node_kind_count()).expect("kind ids are u16");
    (0..count)
        .map(|id| match language.node_kind_for_id(id) {
            Some(name) if language.node_kind_is_named(id) => {
                names.get(name).copied().unwrap_or(Kind::Other)
            }
            _ => Kind::Other,
        })
        .collect()
});

/// The kind of `node`; unnamed tokens and ERROR nodes are `Other`.
pub(crate) fn kind(node: Node<'_>) -> Kind {
    KIND_OF_ID.get(usize::from(node.kind_id())).copied().unwrap_or(Kind::Other)
}

macro_rules! fields {
    ($($field:ident = $name:literal,)*) => {
        /// A field of the grammar.
        #[derive(Debug, Clone, Copy)]
        pub(crate) enum Field {
            $($field,)*
        }

        const FIELDS: &[&str] = &[$($name,)*];
    };
}

fields! {
    Alternative = "alternative",
    Argument = "argument",
    Arguments = "arguments",
    Attribute = "attribute",
    Body = "body",
    Condition = "condition",
    Consequence = "consequence",
    Definition = "definition",
    Function = "function",
    Key = "key",
    Left = "left",
    Name = "name",
    Object = "object",
    Operator = "operator",
    Operators = "operators",
    Right = "right",
    Subscript = "subscript",
    Value = "value",
}

static FIELD_IDS: LazyLock<Vec<u16>> = LazyLock::new(|| {
    let language = super::parse::language();
    let id = |name| language.field_id_for_name(name).expect("the grammar has this field");
    FIELDS.iter().map(|name| id(name).get()).collect()
});

/// The first child of `node` in `field`.
pub(crate) fn field<'t>(node: Node<'t>, field: Field) -> Option<Node<'t>> {
    node.child_by_field_id(FIELD_IDS[field as usize])
}

/// Every child of `node` in `field`, in order.
pub(crate) fn fields<'t>(node: Node<'t>, field: Field) -> Vec<Node<'t>> {
    let id = FIELD_IDS[field as usize];
    let mut found = Vec::new();
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    while more {
        if cursor.field_id().is_some_and(|field| field.get() == id) {
            found.push(cursor.node());
        }
        more = cursor.goto_next_sibling();
    }
    found
}

/// The children of `node` one after the other, unnamed tokens and comments included.
pub(crate) struct Children<'t> {
    cursor: TreeCursor<'t>,
    more: bool,
}

impl<'t> Iterator for Children<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        self.more.then(|| {
            let node = self.cursor.node();
            self.more = self.cursor.goto_next_sibling();
            node
        })
    }
}

/// All children of `node`.
pub(crate) fn children(node: Node<'_>) -> Children<'_> {
    let mut cursor = node.walk();
    let more = cursor.goto_first_child();
    Children { cursor, more }
}

/// The named children of `node` that are not comments.
pub(crate) fn parts(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    children(node).filter(|child| child.is_named() && kind(*child) != Kind::Comment)
}

/// The one part of `node`, if it has exactly one.
pub(crate) fn only_part(node: Node<'_>) -> Option<Node<'_>> {
    if node.named_child_count() == 1 {
        return node.named_child(0).filter(|child| kind(*child) != Kind::Comment);
    }
    let mut parts = parts(node);
    let first = parts.next()?;
    parts.next().is_none().then_some(first)
}

/// What stands inside any parentheses around an expression.
pub(crate) fn unparenthesized(mut node: Node<'_>) -> Node<'_> {
    while kind(node) == Kind::ParenthesizedExpression {
        match only_part(node) {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}

/// The bytes of `node`.
pub(crate) fn text<'s>(source: &'s [u8], node: Node<'_>) -> &'s [u8] {
    &source[node.byte_range()]
}

/// Whether `node` is, parentheses aside, the constant `None`.
pub(crate) fn is_none(node: Node<'_>) -> bool {
    kind(unparenthesized(node)) == Kind::None
}
