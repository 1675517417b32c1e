//! The whole program.

#[test]
fn it_prints_a_sum() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_fixture-app")).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "9 2\n");
}
