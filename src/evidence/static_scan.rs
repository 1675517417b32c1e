//! The record of a scan: every hit with its place, classified from a file that a person keeps.

use serde::{Deserialize, Serialize};

use super::{Fault, Kind, scan};

/// A hit and what it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassifiedHit {
    /// Path of the file.
    pub file: String,
    /// Name of the pattern.
    pub pattern: String,
    /// Byte offset.
    pub offset: u64,
    /// One of [`CLASSIFICATIONS`](super::CLASSIFICATIONS), with more words if need be.
    pub classification: String,
}

/// What a scan found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct StaticScan {
    /// Files that were read.
    pub files_scanned: u64,
    /// Everything that looks like a credential.
    pub raw_hits: u64,
    /// What a person has classified.
    pub classified_hits: Vec<ClassifiedHit>,
    /// What nobody has.
    pub unclassified_hits: u64,
    /// The places of those.
    #[serde(skip)]
    pub open: Vec<ClassifiedHit>,
}

impl StaticScan {
    /// Adds a file.
    pub fn add(&mut self, file: &str, text: &[u8], known: &[ClassifiedHit]) {
        self.files_scanned += 1;
        for hit in scan::hits(text) {
            self.raw_hits += 1;
            let offset = hit.offset as u64;
            let is_it = |known: &&ClassifiedHit| {
                known.file == file && known.pattern == hit.pattern && known.offset == offset
            };
            match known.iter().find(is_it) {
                Some(known) => self.classified_hits.push(known.clone()),
                None => {
                    self.unclassified_hits += 1;
                    self.open.push(ClassifiedHit {
                        file: file.to_owned(),
                        pattern: hit.pattern.to_owned(),
                        offset,
                        classification: String::new(),
                    });
                }
            }
        }
    }
}

impl StaticScan {
    /// What stands against publishing what was scanned.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        let text = serde_json::to_vec(self).expect("plain values");
        match Kind::StaticScan.validate(&text) {
            Ok(checked) => checked.faults,
            Err(fault) => vec![fault],
        }
    }
}

/// A file of classifications.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    hit: Vec<ClassifiedHit>,
}

/// Reads a file of classifications: `[[hit]]` tables with the members of [`ClassifiedHit`].
///
/// # Errors
/// In words, with the line.
pub fn classifications(text: &str) -> Result<Vec<ClassifiedHit>, String> {
    toml::from_str::<File>(text).map(|file| file.hit).map_err(|error| error.to_string())
}

/// The same file of these hits, for a person to fill in.
#[must_use]
pub fn to_classify(hits: &[ClassifiedHit]) -> String {
    toml::to_string(&File { hit: hits.to_vec() }).expect("plain tables")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_is_open_until_its_very_place_is_classified() {
        let text = format!("key = {}{}", "AKIA", "0123456789ABCDEF");
        let mut open = StaticScan::default();
        open.add("a.py", text.as_bytes(), &[]);
        assert_eq!((open.files_scanned, open.raw_hits, open.unclassified_hits), (1, 1, 1));
        assert_eq!((open.open[0].offset, open.open[0].pattern.as_str()), (6, "aws-access-key-id"));
        let file = "[[hit]]\nfile = 'a.py'\npattern = 'aws-access-key-id'\noffset = 6\n\
                    classification = 'documentation example'\n";
        let known = classifications(file).unwrap();
        let mut scan = StaticScan::default();
        scan.add("a.py", text.as_bytes(), &known);
        assert_eq!((scan.unclassified_hits, scan.classified_hits.len()), (0, 1));
        scan.add("b.py", text.as_bytes(), &known);
        assert_eq!(scan.unclassified_hits, 1);
        assert_eq!(
            scan.faults().iter().map(|it| it.code.as_str()).collect::<Vec<_>>(),
            ["scan-all-classified"]
        );
        let filled = to_classify(&open.open).replace("\"\"", "'documentation example'");
        assert_eq!(classifications(&filled).unwrap(), known);
        assert!(classifications("[[hit]]\nfile = 1").unwrap_err().contains("line 2"));
    }
}
