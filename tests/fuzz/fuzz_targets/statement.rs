//! Statements: the input is a Statement over the plain control, or, after a NUL byte, over what follows.
#![no_main]

use adequacy::contract;
use adequacy::verify::verify;

const CONTROL: &[u8] =
    include_bytes!("../../../vectors-done-contract/cases/valid-plain/contract.json");

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let split = input.iter().position(|&byte| byte == 0);
    let (statement, record) = split.map_or((input, CONTROL), |at| (&input[..at], &input[at + 1..]));
    if let Ok(verified) = verify(statement, record) {
        assert_eq!(contract::parse(record), Ok(verified.record));
    }
});
