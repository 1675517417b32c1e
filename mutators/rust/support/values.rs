//! Values that a type admits, as far as its name tells.

use syn::spanned::Spanned as _;
use syn::{Expr, ExprLit, Lit, ReturnType, Type};

use super::types::{arguments, associated, last, peeled, plain, returned, traits};

/// Most values made for one type: those of a tuple or a map multiply.
const MOST: usize = 12;

/// What is known of the place a value stands in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    /// Type parameters in scope without a `Default` bound, of which no value is known.
    pub(crate) parameters: &'a [String],
    /// Whether `Default::default()` may stand there: not in a `const fn`, nor in `default` itself.
    pub(crate) default: bool,
}

/// Values that a function with this result could give; `()` where it gives nothing.
pub(crate) fn of_function(output: &ReturnType, place: Place<'_>) -> Vec<String> {
    returned(output).map_or_else(|| vec!["()".to_owned()], |given| of(given, place))
}

/// Values of a type; none where no value is known.
pub(crate) fn of(given: &Type, place: Place<'_>) -> Vec<String> {
    let mut values = match peeled(given) {
        Type::Array(array) => of_array(&array.elem, &array.len, place),
        Type::ImplTrait(given) => {
            traits(&given.bounds).flat_map(|bound| of_trait(bound, place)).collect()
        }
        Type::Path(given) if given.qself.is_none() => of_path(&given.path, place),
        Type::Path(_) => default(place),
        Type::Reference(given) => of_reference(&given.elem, given.mutability.is_some(), place),
        Type::Tuple(tuple) => of_tuple(tuple.elems.iter(), place),
        _ => Vec::new(),
    };
    values.truncate(MOST);
    values
}

fn default(place: Place<'_>) -> Vec<String> {
    if place.default { texts(&["Default::default()"]) } else { Vec::new() }
}

fn texts(values: &[&str]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

/// Each value of `inner` put into `around`, whose `@` it takes the place of.
fn wrapped(around: &str, inner: Vec<String>) -> impl Iterator<Item = String> {
    inner.into_iter().map(move |value| around.replace('@', &value))
}

fn of_path(path: &syn::Path, place: Place<'_>) -> Vec<String> {
    let segment = last(path);
    let name = segment.ident.to_string();
    let inner = arguments(segment);
    let of_first = || inner.first().map_or_else(Vec::new, |first| of(first, place));
    match (name.as_str(), inner.as_slice()) {
        ("bool", []) => texts(&["true", "false"]),
        ("u8" | "u16" | "u32" | "u64" | "u128" | "usize", []) => texts(&["0", "1"]),
        ("i8" | "i16" | "i32" | "i64" | "i128" | "isize", []) => texts(&["0", "1", "-1"]),
        ("f32" | "f64", []) => texts(&["0.0", "1.0", "-1.0"]),
        ("char", []) => texts(&["'\\0'", "'x'"]),
        ("String", []) => texts(&["String::new()", "\"xyzzy\".into()"]),
        ("Ordering", []) => {
            ["Less", "Equal", "Greater"].map(|name| format!("core::cmp::Ordering::{name}")).to_vec()
        }
        ("Option", [_]) => {
            texts(&["None"]).into_iter().chain(wrapped("Some(@)", of_first())).collect()
        }
        ("Result", [_, ..]) => wrapped("Ok(@)", of_first()).collect(),
        // An alias; of `fmt::Result` it is known what it holds.
        ("Result", []) if path.segments.iter().any(|segment| segment.ident == "fmt") => {
            texts(&["Ok(())"])
        }
        ("Result", []) => wrapped("Ok(@)", default(place)).collect(),
        ("Poll", [_]) => wrapped("core::task::Poll::Ready(@)", of_first()).collect(),
        ("Vec", [_]) => {
            texts(&["vec![]"]).into_iter().chain(wrapped("vec![@]", of_first())).collect()
        }
        ("VecDeque" | "HashSet" | "BTreeSet" | "BinaryHeap" | "LinkedList", [_, ..]) => {
            of_collection(&plain(path), of_first())
        }
        ("HashMap" | "BTreeMap", [key, value, ..]) => {
            of_collection(&plain(path), of_tuple([*key, *value].into_iter(), place))
        }
        ("Box" | "Rc" | "Arc" | "Cell" | "RefCell" | "Mutex" | "RwLock", [inner, ..]) => {
            of_wrapper(&plain(path), inner, place)
        }
        ("Cow", [inner]) => of_cow(&plain(path), inner, place),
        ("Pin", [Type::Path(boxed)]) => of_pin(&boxed.path, place),
        ("HttpResponse", []) => texts(&["HttpResponse::Ok().finish()"]),
        ("NonZero", [inner]) => of_non_zero(&plain(path), is_signed(inner)),
        (non_zero, []) if non_zero.starts_with("NonZero") => {
            of_non_zero(&plain(path), non_zero.starts_with("NonZeroI"))
        }
        (parameter, []) if place.parameters.iter().any(|known| known == parameter) => Vec::new(),
        (_, [inner]) => of_unknown(&plain(path), inner, place),
        _ => default(place),
    }
}

fn of_collection(name: &str, inner: Vec<String>) -> Vec<String> {
    let filled = wrapped("@", inner).map(|value| format!("{name}::from_iter([{value}])"));
    std::iter::once(format!("{name}::new()")).chain(filled).collect()
}

fn of_wrapper(name: &str, inner: &Type, place: Place<'_>) -> Vec<String> {
    let inner = match peeled(inner) {
        Type::Path(given) if last(&given.path).ident == "str" => {
            return texts(&["\"\".into()", "\"xyzzy\".into()"]);
        }
        Type::Slice(slice) => {
            texts(&["[]"]).into_iter().chain(wrapped("[@]", of(&slice.elem, place))).collect()
        }
        Type::TraitObject(object) => {
            if traits(&object.bounds).any(|bound| bound.ident == "Error") {
                return texts(&["\"xyzzy\".into()"]);
            }
            traits(&object.bounds).flat_map(|bound| of_trait(bound, place)).collect()
        }
        other => of(other, place),
    };
    inner.into_iter().map(|value| format!("{name}::new({value})")).collect()
}

fn of_cow(name: &str, inner: &Type, place: Place<'_>) -> Vec<String> {
    let borrowed = of_reference(inner, false, place);
    let owned = match peeled(inner) {
        Type::Path(given) if last(&given.path).ident == "str" => {
            wrapped("@.to_owned()", borrowed.clone()).collect()
        }
        Type::Slice(slice) => texts(&["vec![]"])
            .into_iter()
            .chain(wrapped("vec![@]", of(&slice.elem, place)))
            .collect(),
        _ => of(inner, place),
    };
    let borrowed = borrowed.into_iter().map(|value| format!("{name}::Borrowed({value})"));
    borrowed.chain(owned.into_iter().map(|value| format!("{name}::Owned({value})"))).collect()
}

/// A pinned box, as functions return that stand for `async` ones.
fn of_pin(boxed: &syn::Path, place: Place<'_>) -> Vec<String> {
    let segment = last(boxed);
    match arguments(segment).as_slice() {
        [Type::TraitObject(object)] if segment.ident == "Box" => {
            let values = traits(&object.bounds).flat_map(|bound| of_trait(bound, place));
            wrapped("Box::pin(@)", values.collect()).collect()
        }
        _ => Vec::new(),
    }
}

fn of_non_zero(name: &str, is_signed: bool) -> Vec<String> {
    let numbers: &[&str] = if is_signed { &["1", "-1"] } else { &["1"] };
    numbers.iter().map(|number| format!("{name}::new({number}).unwrap()")).collect()
}

fn is_signed(given: &Type) -> bool {
    matches!(peeled(given), Type::Path(given) if last(&given.path).ident.to_string().starts_with('i'))
}

/// Values of a type with one argument of which nothing is known but that names suggest how such a
/// type is made of what it holds.
fn of_unknown(name: &str, inner: &Type, place: Place<'_>) -> Vec<String> {
    let made = |value: String| {
        [
            format!("{name}::from_iter([{value}])"),
            format!("{name}::new({value})"),
            format!("{name}::from({value})"),
        ]
    };
    let empty = default(place).into_iter().chain([format!("{name}::new()")]);
    empty.chain(of(inner, place).into_iter().flat_map(made)).collect()
}

fn of_array(element: &Type, length: &Expr, place: Place<'_>) -> Vec<String> {
    let values = of(element, place);
    let written = match length {
        Expr::Lit(ExprLit { lit: Lit::Int(count), .. }) => count.base10_parse::<usize>().ok(),
        _ => None,
    };
    match written {
        Some(0) => Vec::new(),
        // Written out, so that it need not be copied.
        Some(count @ 1..=4) => {
            let all = |value: String| format!("[{}]", vec![value; count].join(", "));
            values.into_iter().map(all).collect()
        }
        _ => {
            let Some(length) = length.span().source_text() else { return Vec::new() };
            let all = |value: String| match value.contains('(') && place.default {
                // A call may give what cannot be copied.
                true => format!("core::array::from_fn(|_| {value})"),
                false => format!("[{value}; {length}]"),
            };
            values.into_iter().map(all).collect()
        }
    }
}

fn of_reference(inner: &Type, is_mutable: bool, place: Place<'_>) -> Vec<String> {
    match peeled(inner) {
        Type::Path(given) if last(&given.path).ident == "str" && is_mutable => {
            texts(&["String::new().leak()", "String::from(\"xyzzy\").leak()"])
        }
        Type::Path(given) if last(&given.path).ident == "str" => texts(&["\"\"", "\"xyzzy\""]),
        Type::Slice(slice) => {
            let filled = wrapped("Vec::leak(vec![@])", of(&slice.elem, place));
            texts(&["Vec::leak(Vec::new())"]).into_iter().chain(filled).collect()
        }
        Type::TraitObject(_) | Type::ImplTrait(_) => Vec::new(),
        other => wrapped("Box::leak(Box::new(@))", of(other, place)).collect(),
    }
}

fn of_tuple<'a>(elements: impl Iterator<Item = &'a Type>, place: Place<'_>) -> Vec<String> {
    let mut all = vec![Vec::<String>::new()];
    for element in elements {
        let values = of(element, place);
        let longer = all.iter().flat_map(|begun| {
            values.iter().map(move |value| [begun.as_slice(), std::slice::from_ref(value)].concat())
        });
        all = longer.take(MOST).collect();
    }
    let tuple = |values: Vec<String>| match values.as_slice() {
        [only] => format!("({only},)"),
        several => format!("({})", several.join(", ")),
    };
    all.into_iter().map(tuple).collect()
}

fn of_trait(bound: &syn::PathSegment, place: Place<'_>) -> Vec<String> {
    let item = |name: &str| associated(bound, name).map_or_else(Vec::new, |given| of(given, place));
    match bound.ident.to_string().as_str() {
        "Iterator" | "IntoIterator" | "DoubleEndedIterator" | "ExactSizeIterator" => {
            let once = wrapped("core::iter::once(@)", item("Item"));
            texts(&["core::iter::empty()"]).into_iter().chain(once).collect()
        }
        "Future" => wrapped("core::future::ready(@)", item("Output")).collect(),
        "AsRef" | "Display" | "Into" | "ToString" if arguments_are_text(bound) => {
            texts(&["\"\"", "\"xyzzy\""])
        }
        _ => Vec::new(),
    }
}

/// Whether a trait without arguments, or one of `str` or `String`, is meant.
fn arguments_are_text(bound: &syn::PathSegment) -> bool {
    arguments(bound).iter().all(|given| match peeled(given) {
        Type::Path(given) => {
            last(&given.path).ident == "str" || last(&given.path).ident == "String"
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        let output = syn::parse_str::<ReturnType>(text).unwrap();
        let parameters = ["T".to_owned()];
        of_function(&output, Place { parameters: &parameters, default: true })
    }

    #[test]
    fn the_table() {
        for (given, expected) in [
            ("", "()"),
            ("-> ()", "()"),
            ("-> !", ""),
            ("-> bool", "true|false"),
            ("-> u8", "0|1"),
            ("-> isize", "0|1|-1"),
            ("-> f64", "0.0|1.0|-1.0"),
            ("-> char", "'\\0'|'x'"),
            ("-> String", "String::new()|\"xyzzy\".into()"),
            ("-> &'static str", "\"\"|\"xyzzy\""),
            ("-> Option<bool>", "None|Some(true)|Some(false)"),
            ("-> Option<T>", "None"),
            ("-> Result<u8, E>", "Ok(0)|Ok(1)"),
            ("-> io::Result<()>", "Ok(())"),
            ("-> fmt::Result", "Ok(())"),
            ("-> Result", "Ok(Default::default())"),
            ("-> Vec<u8>", "vec![]|vec![0]|vec![1]"),
            ("-> HashSet<u8>", "HashSet::new()|HashSet::from_iter([0])|HashSet::from_iter([1])"),
            ("-> BTreeMap<u8, T>", "BTreeMap::new()"),
            (
                "-> BTreeMap<u8, ()>",
                "BTreeMap::new()|BTreeMap::from_iter([(0, ())])|BTreeMap::from_iter([(1, ())])",
            ),
            ("-> Box<u8>", "Box::new(0)|Box::new(1)"),
            ("-> Box<dyn Error + Send>", "\"xyzzy\".into()"),
            ("-> Box<dyn Any>", ""),
            (
                "-> Box<dyn Iterator<Item = u8> + '_>",
                "Box::new(core::iter::empty())|Box::new(core::iter::once(0))|Box::new(core::iter::once(1))",
            ),
            (
                "-> Pin<Box<dyn Future<Output = bool>>>",
                "Box::pin(core::future::ready(true))|Box::pin(core::future::ready(false))",
            ),
            ("-> Box<str>", "\"\".into()|\"xyzzy\".into()"),
            (
                "-> std::sync::Arc<[u8]>",
                "std::sync::Arc::new([])|std::sync::Arc::new([0])|std::sync::Arc::new([1])",
            ),
            ("-> Arc<Mutex<bool>>", "Arc::new(Mutex::new(true))|Arc::new(Mutex::new(false))"),
            (
                "-> Cow<'_, str>",
                "Cow::Borrowed(\"\")|Cow::Borrowed(\"xyzzy\")|Cow::Owned(\"\".to_owned())|Cow::Owned(\"xyzzy\".to_owned())",
            ),
            ("-> (bool, &str)", "(true, \"\")|(true, \"xyzzy\")|(false, \"\")|(false, \"xyzzy\")"),
            ("-> (u8,)", "(0,)|(1,)"),
            ("-> [u8; 2]", "[0, 0]|[1, 1]"),
            ("-> [u8; N]", "[0; N]|[1; N]"),
            ("-> &[u8]", "Vec::leak(Vec::new())|Vec::leak(vec![0])|Vec::leak(vec![1])"),
            ("-> &mut u8", "Box::leak(Box::new(0))|Box::leak(Box::new(1))"),
            (
                "-> impl Iterator<Item = u8>",
                "core::iter::empty()|core::iter::once(0)|core::iter::once(1)",
            ),
            (
                "-> impl Future<Output = bool> + Send",
                "core::future::ready(true)|core::future::ready(false)",
            ),
            ("-> impl Display", "\"\"|\"xyzzy\""),
            ("-> impl Fn(u8) -> u8", ""),
            ("-> NonZeroU8", "NonZeroU8::new(1).unwrap()"),
            ("-> NonZeroI8", "NonZeroI8::new(1).unwrap()|NonZeroI8::new(-1).unwrap()"),
            ("-> NonZero<u8>", "NonZero::new(1).unwrap()"),
            (
                "-> std::num::NonZero<i8>",
                "std::num::NonZero::new(1).unwrap()|std::num::NonZero::new(-1).unwrap()",
            ),
            (
                "-> [String; SIZE * 2]",
                "core::array::from_fn(|_| String::new())|core::array::from_fn(|_| \"xyzzy\".into())",
            ),
            ("-> &mut str", "String::new().leak()|String::from(\"xyzzy\").leak()"),
            (
                "-> cmp::Ordering",
                "core::cmp::Ordering::Less|core::cmp::Ordering::Equal|core::cmp::Ordering::Greater",
            ),
            ("-> Self", "Default::default()"),
            ("-> my::Type", "Default::default()"),
            ("-> my::Type<u8, bool>", "Default::default()"),
            (
                "-> my::Type<'_, String>",
                "Default::default()|my::Type::new()|my::Type::from_iter([String::new()])|my::Type::new(String::new())|my::Type::from(String::new())|my::Type::from_iter([\"xyzzy\".into()])|my::Type::new(\"xyzzy\".into())|my::Type::from(\"xyzzy\".into())",
            ),
            ("-> <A as B>::C", "Default::default()"),
            ("-> T", ""),
            ("-> fn() -> u8", ""),
            ("-> *const u8", ""),
        ] {
            assert_eq!(values(given).join("|"), expected, "{given}");
        }
        assert_eq!(values("-> (u8, u8, u8, u8, u8)").len(), MOST);
        let place = Place { parameters: &[], default: false };
        let output = syn::parse_str::<ReturnType>("-> Option<Self>").unwrap();
        assert_eq!(of_function(&output, place), ["None"]);
    }
}
