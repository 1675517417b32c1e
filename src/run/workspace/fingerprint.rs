//! What cargo notes of what it built.
//!
//! cargo takes a source for unchanged while its time is not later than the build's. A command that sets
//! times back would so be given what was built of the original: where nothing is noted, it builds again.

use std::ffi::CStr;
use std::io::ErrorKind;

use serde::Deserialize;

use super::listing::{Content, Listing, Node};
use super::write::Write;
use super::{TREE, WorkspaceError};
use crate::base::RelPath;

/// Where what cargo builds is kept: the private place, and the usual one.
const TARGETS: [&str; 2] = ["cache/target", "tree/target"];

/// The directory of all notes; each build of a package has one of its own there.
const NOTES: &CStr = c".fingerprint";

/// Characters of the hash that ends the name of such a directory.
const HASH: usize = 16;

#[derive(Deserialize)]
struct Manifest {
    package: Option<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
}

impl Write<'_> {
    /// Deletes what is noted of each build that read the source at `path`.
    pub(super) fn delete_fingerprints(&mut self, path: &RelPath) -> Result<(), WorkspaceError> {
        if !path.name().ends_with(b".rs") {
            return Ok(());
        }
        let listing = self.listing;
        let Some((package, source)) = self.package(path)? else { return Ok(()) };
        for build in builds(listing).filter(|build| is_of_package(build, package.as_bytes())) {
            let notes = listing.entries(build.path.as_bytes());
            let files = || notes.iter().filter(|node| matches!(node.content, Content::File { .. }));
            let mut is_read = false;
            for node in files().filter(|node| node.name().to_bytes().starts_with(b"dep-")) {
                let text = match self.read(node) {
                    // For a file before this one.
                    Err(WorkspaceError::Io { source, .. })
                        if source.kind() == ErrorKind::NotFound =>
                    {
                        continue;
                    }
                    text => text?,
                };
                is_read |= text.windows(source.len()).any(|part| part == source);
            }
            if is_read {
                files().try_for_each(|node| self.delete(node))?;
            }
        }
        Ok(())
    }

    /// The name of the package that the source at `path` belongs to, and the path below that
    /// package's directory, as cargo notes it.
    fn package<'p>(&self, path: &'p RelPath) -> Result<Option<(String, &'p [u8])>, WorkspaceError> {
        let bytes = path.as_bytes();
        let slashes = bytes.iter().enumerate().rev().filter(|(_, byte)| **byte == b'/');
        for below in slashes.map(|(at, _)| at + 1).chain([0]) {
            let manifest = [TREE.as_bytes(), b"/", &bytes[..below], b"Cargo.toml"].concat();
            let Some(index) = self.listing.find(&manifest) else { continue };
            let text = self.read(&self.listing.nodes()[index])?;
            // What is none is of no use to cargo either.
            let manifest = String::from_utf8(text).ok().and_then(|text| toml::from_str(&text).ok());
            if let Some(Manifest { package: Some(package) }) = manifest {
                return Ok(Some((package.name, &bytes[below..])));
            }
        }
        Ok(None)
    }
}

/// The directories of notes, one a build.
fn builds(listing: &Listing) -> impl Iterator<Item = &Node> {
    let is_kept = |node: &&Node| TARGETS.iter().any(|target| node.is_in(target));
    let notes = listing.nodes().iter().filter(|node| node.name() == NOTES).filter(is_kept);
    notes.flat_map(move |node| listing.entries(node.path.as_bytes()))
}

fn is_of_package(build: &Node, package: &[u8]) -> bool {
    let hash =
        build.name().to_bytes().strip_prefix(package).and_then(|rest| rest.strip_prefix(b"-"));
    hash.is_some_and(|hash| hash.len() == HASH && hash.iter().all(u8::is_ascii_hexdigit))
}
