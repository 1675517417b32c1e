//! Records a program builds: their bytes, and what is refused although the rules allow it.

use adequacy::base::canonical::{self, CanonicalError};
use adequacy::base::code::Code;
use adequacy::base::json::Value;
use adequacy::contract::{self, Count, Record, WriteError};
use adequacy::verify::verify;
use adequacy::{statement, vectors};

fn control(id: &str) -> Record {
    let member = vectors::members().into_iter().find(|member| member.id == id);
    contract::parse(&member.expect("a member").contract).expect("valid")
}

#[test]
fn every_valid_member_is_written_sealed_and_read_as_it_was() {
    let mut written = 0;
    for member in vectors::members().into_iter().filter(|member| member.code.is_none()) {
        let record = contract::parse(&member.contract).expect(member.id);
        let Ok(bytes) = record.to_canonical_bytes() else {
            let odd = [
                "valid-acceptance-first-word-assignment",
                "valid-protected-odd-names",
                "valid-counts-beyond-64-bits",
            ];
            assert!(odd.contains(&member.id), "{}", member.id);
            continue;
        };
        assert!(canonical::is_canonical(&bytes), "{}", member.id);
        let statement = statement::seal(&bytes).expect(member.id);
        assert!(canonical::is_canonical(&statement), "{}", member.id);
        assert_eq!(verify(&statement, &bytes).map(|verified| verified.record), Ok(record));
        written += 1;
    }
    assert!(written >= 45, "{written}");
}

#[test]
fn a_record_that_breaks_a_rule_is_not_written() {
    let broken = |change: fn(&mut Record)| {
        let mut record = control("valid-full");
        change(&mut record);
        record.to_canonical_bytes().expect_err("it breaks a rule")
    };
    let refused = WriteError::Refused;
    assert_eq!(broken(|r| r.contract_id.clear()), refused(Code::ContractId));
    assert_eq!(broken(|r| r.acceptance.clear()), refused(Code::ContractAcceptanceEmpty));
    let over = broken(|r| r.adequacy.killed = Count::from(13));
    assert_eq!(over, refused(Code::ContractAdequacyOvercount));
    let gate = broken(|r| r.adequacy.gates = Some([("g".to_owned(), Value::Null)].into()));
    assert_eq!(gate, refused(Code::ContractAdequacyGates));
    let unsafe_count = broken(|r| {
        r.adequacy.by_class = None;
        r.adequacy.mutants = Count::from(1 << 53);
    });
    let number = CanonicalError::Unsafe("9007199254740992".to_owned());
    assert_eq!(unsafe_count, WriteError::Canonical(number));
}

#[test]
fn what_a_reader_of_the_field_would_refuse_is_not_written() {
    let refused = |change: fn(&mut Record), code: Code| {
        let mut record = control("valid-full");
        change(&mut record);
        assert_eq!(record.to_canonical_bytes(), Err(WriteError::Refused(code)));
    };
    refused(|r| r.acceptance[0].argv[0] = "A=1".into(), Code::ContractAcceptanceArgv);
    refused(
        |r| r.protected_paths[0].path = "tests\n".into(),
        Code::ContractProtectedPathNotNormalized,
    );
    let exclude = |r: &mut Record| r.protected_paths[0].exclude = Some(vec!["a\u{7f}".into()]);
    refused(exclude, Code::ContractExcludeInvalid);
    refused(
        |r| r.acceptance[0].run_writes = Some(vec!["a\tb".into()]),
        Code::ContractAcceptanceRunWrites,
    );
    refused(|r| r.module_under_test = Some(vec!["a\rb".into()]), Code::ContractModuleUnderTest);
    let native = |r: &mut Record| r.native_loaded.as_mut().expect("full")[0].path = "\u{1}".into();
    refused(native, Code::ContractNativeLoaded);
}

#[test]
fn a_record_too_deep_for_its_statement_is_not_sealed() {
    let deep = |depth: usize| {
        let mut record = control("valid-plain");
        let inner = (0..depth).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
        let gate = Value::object([("pass", true.into()), ("x", inner)]);
        record.adequacy.gates = Some([("g".to_owned(), gate)].into());
        record.to_canonical_bytes().expect("128 levels at most")
    };
    assert!(statement::seal(&deep(123)).is_ok());
    let refused = statement::StatementError::Refused(Code::StatementJsonInvalid);
    assert_eq!(statement::seal(&deep(124)), Err(refused));
}
