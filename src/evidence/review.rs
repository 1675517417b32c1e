//! A reviewer's report: the skeleton to fill in, and whether a filled one still speaks of the files.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::shape::Fault;
use crate::base::Sha256;

/// A report with nothing found yet, about these files as they are now.
#[must_use]
pub fn skeleton(axis: &str, wrote_only_in: &str, files: &BTreeMap<String, Sha256>) -> Value {
    let pins = files.iter().map(|(path, digest)| (path.clone(), digest.to_string().into()));
    json!({
        "axis": axis,
        "source_pins": pins.collect::<serde_json::Map<_, _>>(),
        "pins_match_at_review_time": true,
        "wrote_only_in": wrote_only_in,
        "findings": [],
        "executed_compiled_output": false,
        "build_verified_by": null,
        "result_kind": "product-verdict",
    })
}

/// Pins of a report that are not those of the files any more: such a report says nothing of them.
#[must_use]
pub fn moved(report: &Value, files: &BTreeMap<String, Sha256>) -> Vec<Fault> {
    let none = serde_json::Map::new();
    let pins = report["source_pins"].as_object().unwrap_or(&none);
    let mut faults = Vec::new();
    if pins.is_empty() {
        faults.push(Fault::new(
            "review-pins-hold",
            "/source_pins",
            "a review of no file says nothing",
        ));
    }
    for (path, pin) in pins {
        let what = match files.get(path) {
            None => "the file is gone",
            Some(digest) if Some(digest.to_string().as_str()) == pin.as_str() => continue,
            Some(_) => "the file is another one now",
        };
        faults.push(Fault::new("review-pins-hold", format!("/source_pins/{path}"), what));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Kind;

    fn files(text: &str) -> BTreeMap<String, Sha256> {
        BTreeMap::from([("a.py".to_owned(), Sha256::of(text.as_bytes()))])
    }

    #[test]
    fn a_skeleton_holds_until_a_file_changes() {
        let report = skeleton("contract", "/scratch", &files("x"));
        let checked = Kind::Review.validate(&serde_json::to_vec(&report).unwrap()).unwrap();
        assert_eq!((checked.faults, checked.unknown), (vec![], vec![]));
        assert_eq!(moved(&report, &files("x")), []);
        assert_eq!(moved(&report, &files("y"))[0].message, "the file is another one now");
        assert_eq!(moved(&report, &BTreeMap::new())[0].message, "the file is gone");
        assert_eq!(moved(&skeleton("c", "/s", &BTreeMap::new()), &files("x")).len(), 1);
    }
}
