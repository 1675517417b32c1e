//! Records: whatever is read can be written and is read again as the same.
#![no_main]

use adequacy::contract;

libfuzzer_sys::fuzz_target!(|text: &[u8]| {
    let Ok(record) = contract::parse(text) else { return };
    let Ok(bytes) = record.to_canonical_bytes() else { return };
    let again = contract::parse(&bytes).expect("what was written is a record");
    assert_eq!(again.to_canonical_bytes(), Ok(bytes));
});
