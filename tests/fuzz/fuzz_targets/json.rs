//! Strict JSON: whatever is read is JSON, and equal to itself when it is spelled again.
#![no_main]

use adequacy::base::canonical;
use adequacy::base::json::Document;

libfuzzer_sys::fuzz_target!(|text: &[u8]| {
    let Ok(document) = Document::parse(text) else { return };
    assert!(document.root() == document.root());
    let Ok(spelled) = canonical::to_vec(&document.root().to_value()) else { return };
    assert!(canonical::is_canonical(&spelled));
    assert!(serde_json::from_slice::<serde_json::Value>(&spelled).is_ok() || depth(&spelled) >= 128);
});

fn depth(text: &[u8]) -> usize {
    text.iter().filter(|byte| matches!(byte, b'{' | b'[')).count()
}
