//! Types as a signature writes them.

use syn::WherePredicate;
use syn::{
    GenericArgument, Generics, Path, PathArguments, PathSegment, ReturnType, Type, TypeParamBound,
};

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

/// A path as it is written, without the arguments of its segments: `std::sync::Arc` of
/// `std::sync::Arc<str>`.
pub(crate) fn plain(path: &Path) -> String {
    let names = path.segments.iter().map(|segment| segment.ident.to_string());
    let names = names.collect::<Vec<_>>().join("::");
    if path.leading_colon.is_some() { format!("::{names}") } else { names }
}

/// The type parameters that no bound gives a default.
pub(crate) fn without_default(generics: &Generics) -> impl Iterator<Item = String> {
    let has_default = |bounds: &mut dyn Iterator<Item = &TypeParamBound>| {
        traits(bounds).any(|bound| bound.ident == "Default")
    };
    let demanded = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let demanded = demanded.filter_map(move |predicate| match predicate {
        WherePredicate::Type(given) if has_default(&mut given.bounds.iter()) => {
            match peeled(&given.bounded_ty) {
                Type::Path(given) => given.path.get_ident().cloned(),
                _ => None,
            }
        }
        _ => None,
    });
    let demanded = demanded.collect::<Vec<_>>();
    let unknown = generics.type_params().filter(move |parameter| {
        !has_default(&mut parameter.bounds.iter()) && !demanded.contains(&parameter.ident)
    });
    unknown.map(|parameter| parameter.ident.to_string())
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
