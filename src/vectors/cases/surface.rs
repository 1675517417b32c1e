//! The execution surface and its aliases.

use super::{FULL, PLAIN, Row, bad};
use crate::base::code::Code::{
    ContractExecutionSurface as Surface, ContractExecutionSurfaceSharedRoot as Shared,
    ContractSurfaceAliases as Aliases,
};

/// The full control's surface, changed.
macro_rules! surface {
    ($id:literal, $says:literal, $list:literal, $code:expr) => {
        bad($id, FULL, $says, &[(r#"["/opt/parcel/venv", "/usr/lib/python3"]"#, $list)], $code)
    };
}

/// The full control's aliases, changed.
macro_rules! aliases {
    ($id:literal, $says:literal, $map:literal) => {
        bad($id, FULL, $says, &[(r#"{"/srv/venv": "/opt/parcel/venv"}"#, $map)], Aliases)
    };
}

pub(super) const ROWS: &[Row] = &[
    surface!("surface-empty", "the surface is an empty list", "[]", Surface),
    surface!("surface-text", "the surface is a string", r#""/opt/parcel/venv""#, Surface),
    surface!("surface-unsorted", "the surface is not sorted", r#"["/usr", "/opt"]"#, Surface),
    surface!("surface-twice", "a place is listed twice", r#"["/opt", "/opt"]"#, Surface),
    surface!("surface-relative", "a place is relative", r#"["/opt", "usr"]"#, Surface),
    surface!("surface-trailing-slash", "a place ends with a slash", r#"["/opt/"]"#, Surface),
    surface!("surface-dots", "a place climbs", r#"["/opt/../usr"]"#, Surface),
    surface!("surface-not-text", "a place is a number", r#"["/opt", 1]"#, Surface),
    surface!("surface-shared-root", "a place is the root", r#"["/", "/opt"]"#, Shared),
    surface!("surface-shared-tmp", "a place is /tmp", r#"["/opt", "/tmp"]"#, Shared),
    surface!("surface-shared-var-tmp", "a place is /var/tmp", r#"["/var/tmp"]"#, Shared),
    aliases!("surface-aliases-list", "the aliases are a list", "[]"),
    aliases!("surface-alias-relative", "an alias is relative", r#"{"srv/venv": "/opt"}"#),
    aliases!("surface-alias-empty", "an alias has no name", r#"{"": "/opt"}"#),
    aliases!(
        "surface-alias-target-relative",
        "an alias stands for a relative path",
        r#"{"/srv/venv": "opt"}"#
    ),
    aliases!(
        "surface-alias-target-not-text",
        "an alias stands for a list",
        r#"{"/srv/venv": ["/opt"]}"#
    ),
    bad(
        "surface-aliases-without-surface",
        PLAIN,
        "aliases stand without a surface",
        &[(r#""contract_id""#, r#""surface_aliases": {}, "contract_id""#)],
        Aliases,
    ),
];
