//! From what was asked for to what is in force: the strongest that a probe shows to work here.

use std::path::Path;

use super::groups::{self, Groups};
use super::layered;
use super::probe::probe;
use super::{Landlock, Limits, Network, Place, Sandbox, Workspaces};

/// Which mechanisms are asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Isolation {
    /// The strongest that works.
    #[default]
    Auto,
    /// Namespaces, and Landlock where the kernel has it.
    Namespaces,
    /// Landlock alone.
    Landlock,
    /// None: commands are only ended.
    None,
}

/// Which workspaces are asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Fresh {
    /// Overlay mounts where they behave like a plain directory, else resets.
    #[default]
    Auto,
    /// Overlay mounts.
    Overlay,
    /// Resets.
    Reset,
    /// Fresh copies.
    Copy,
}

/// What is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wish {
    /// The mechanisms.
    pub isolation: Isolation,
    /// The network; without a wish, loopback alone where that works, else the caller's.
    pub network: Option<Network>,
    /// Rather nothing than less than namespaces, Landlock and the network asked for (with
    /// [`Isolation::Landlock`]: than less than Landlock).
    pub required: bool,
    /// Where commands may write besides their workspaces; absolute, without links.
    pub allow_write: Vec<Place>,
    /// What commands may use.
    pub limits: Limits,
    /// How they get a clean workspace.
    pub workspaces: Fresh,
}

/// What is in force, and why it is not more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// What is in force.
    pub sandbox: Sandbox,
    /// What failed with the strongest that was tried before it.
    pub short_of: Option<String>,
}

/// Nothing that satisfies a wish works here.
#[derive(Debug, thiserror::Error)]
#[error(
    "the isolation asked for cannot be had here: {0}; ask for less with `--isolation`, `--net` or `--workspace`, and without `--require-sandbox`"
)]
pub struct NotToBeHad(String);

/// The strongest sandbox that satisfies `wish` and works: `helper`, our own binary, is started in
/// each that is tried, in a directory it makes in `scratch`.
///
/// # Errors
/// [`NotToBeHad`] when there is none.
pub fn choose(wish: &Wish, helper: &Path, scratch: &Path) -> Result<Chosen, NotToBeHad> {
    let mut short_of = None;
    for sandbox in candidates(wish) {
        let held = sandbox.namespaces || sandbox.landlock != Landlock::Off;
        let works = if held { probe(&sandbox, helper, scratch) } else { Ok(()) };
        match works {
            Ok(()) => {
                let workspaces = workspaces(wish.workspaces, &sandbox, helper, scratch)?;
                let groups = groups::usable(&wish.limits);
                return Ok(Chosen { sandbox: Sandbox { workspaces, groups, ..sandbox }, short_of });
            }
            Err(why) => short_of = short_of.or(Some(why)),
        }
    }
    Err(NotToBeHad(short_of.unwrap_or_else(|| "the flags exclude each other".to_owned())))
}

/// All that would do, the strongest first.
fn candidates(wish: &Wish) -> impl Iterator<Item = Sandbox> {
    let mechanisms = [true, false].into_iter().flat_map(|namespaces| {
        [Landlock::Full, Landlock::Files, Landlock::Off].map(|landlock| (namespaces, landlock))
    });
    let all = mechanisms.flat_map(|(namespaces, landlock)| {
        let networks = [Network::None, Network::Loopback, Network::Host];
        networks.map(|network| (namespaces, landlock, network))
    });
    all.filter(|&(namespaces, landlock, network)| {
        let possible = namespaces || network == Network::Host;
        let as_wished = wish.network.map_or(network != Network::None, |wished| wished == network);
        let asked = match wish.isolation {
            Isolation::Auto => true,
            Isolation::Namespaces => namespaces,
            Isolation::Landlock => !namespaces && landlock != Landlock::Off,
            Isolation::None => !namespaces && landlock == Landlock::Off,
        };
        let whole = wish.isolation == Isolation::Landlock
            || (namespaces && (wish.network.is_some() || network == Network::Loopback));
        let enough = !wish.required || (whole && landlock != Landlock::Off);
        possible && as_wished && asked && enough
    })
    .map(|(namespaces, landlock, network)| Sandbox {
        namespaces,
        landlock,
        network,
        allow_write: wish.allow_write.clone(),
        limits: wish.limits,
        workspaces: Workspaces::Reset,
        groups: Groups::default(),
    })
}

/// The workspaces that satisfy a wish and work in `sandbox`.
fn workspaces(
    wish: Fresh,
    sandbox: &Sandbox,
    helper: &Path,
    scratch: &Path,
) -> Result<Workspaces, NotToBeHad> {
    let works = |workspaces| {
        layered::probe(&Sandbox { workspaces, ..sandbox.clone() }, helper, scratch)
            .map(|()| workspaces)
    };
    match wish {
        Fresh::Reset => Ok(Workspaces::Reset),
        Fresh::Copy => Ok(Workspaces::Copy),
        // Only one that no program can tell from a plain directory: a verdict must not hang on it.
        Fresh::Auto => Ok(works(Workspaces::Overlay).unwrap_or(Workspaces::Reset)),
        Fresh::Overlay => works(Workspaces::Overlay)
            .or_else(|_| works(Workspaces::UserOverlay))
            .map_err(|why| NotToBeHad(format!("an overlay mount: {why}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(wish: &Wish) -> Vec<String> {
        candidates(wish)
            .map(|one| format!("{} {:?} {:?}", one.namespaces, one.landlock, one.network))
            .collect()
    }

    #[test]
    fn the_strongest_comes_first_and_nothing_comes_last() {
        assert_eq!(
            shown(&Wish::default()),
            [
                "true Full Loopback",
                "true Full Host",
                "true Files Loopback",
                "true Files Host",
                "true Off Loopback",
                "true Off Host",
                "false Full Host",
                "false Files Host",
                "false Off Host",
            ]
        );
    }

    #[test]
    fn only_what_was_asked_for_is_tried() {
        let wish = |isolation, network, required| {
            shown(&Wish { isolation, network, required, ..Wish::default() })
        };
        let (full, files) = ("true Full Loopback", "true Files Loopback");
        assert_eq!(wish(Isolation::Auto, None, true), [full, files]);
        assert_eq!(
            wish(Isolation::Auto, Some(Network::None), true),
            ["true Full None", "true Files None"]
        );
        assert_eq!(
            wish(Isolation::Auto, Some(Network::Host), true),
            ["true Full Host", "true Files Host"]
        );
        assert_eq!(wish(Isolation::Landlock, None, true), ["false Full Host", "false Files Host"]);
        assert_eq!(wish(Isolation::None, None, false), ["false Off Host"]);
        assert_eq!(wish(Isolation::None, None, true), [""; 0]);
        assert_eq!(wish(Isolation::Landlock, Some(Network::Loopback), false), [""; 0]);
        assert_eq!(
            wish(Isolation::Auto, Some(Network::Loopback), false),
            [full, files, "true Off Loopback"]
        );
    }
}
