//! Types as a signature writes them.

use syn::{GenericArgument, Path, PathArguments, PathSegment, ReturnType, Type, TypeParamBound};

/// What a function gives; `None` for nothing.
pub(crate) fn returned(output: &ReturnType) -> Option<&Type> {
    match output {
        ReturnType::Default => None,
        ReturnType::Type(_, given) => match peeled(given) {
            Type::Tuple(tuple) if tuple.elems.is_empty() => None,
            other => Some(other),
        },
    }
}

/// Without the parentheses around it.
pub(crate) fn peeled(mut given: &Type) -> &Type {
    loop {
        given = match given {
            Type::Paren(inner) => &inner.elem,
            Type::Group(inner) => &inner.elem,
            other => return other,
        }
    }
}

/// The last segment of a path.
pub(crate) fn last(path: &Path) -> &PathSegment {
    path.segments.last().expect("a path has a segment")
}

/// The types among the arguments of a segment, such as `K` and `V` of `HashMap<K, V>`.
pub(crate) fn arguments(segment: &PathSegment) -> Vec<&Type> {
    let PathArguments::AngleBracketed(list) = &segment.arguments else { return Vec::new() };
    let types = list.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(given) => Some(given),
        _ => None,
    });
    types.collect()
}

/// The traits among some bounds, by their last segment.
pub(crate) fn traits<'a>(
    bounds: impl IntoIterator<Item = &'a TypeParamBound>,
) -> impl Iterator<Item = &'a PathSegment> {
    bounds.into_iter().filter_map(|bound| match bound {
        TypeParamBound::Trait(bound) => Some(last(&bound.path)),
        _ => None,
    })
}

/// The type bound to an associated type, such as `T` of `Iterator<Item = T>`.
pub(crate) fn associated<'a>(segment: &'a PathSegment, name: &str) -> Option<&'a Type> {
    let PathArguments::AngleBracketed(list) = &segment.arguments else { return None };
    list.args.iter().find_map(|argument| match argument {
        GenericArgument::AssocType(bound) if bound.ident == name => Some(&bound.ty),
        _ => None,
    })
}
