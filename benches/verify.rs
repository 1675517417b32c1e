//! What verifying costs: the smallest and the fullest record of the corpus, and a large one.
//!
//! `cargo bench --bench verify`. Criterion compares with the last run; across machines only ratios
//! between the three mean anything. For the ratio to another reader see `benches/verify_vs_python`.

use adequacy::base::Sha256;
use adequacy::verify::verify;
use adequacy::{contract, statement, vectors};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn member(id: &str) -> (Vec<u8>, Vec<u8>) {
    let member = vectors::members().into_iter().find(|member| member.id == id);
    let member = member.expect("a member of the corpus");
    (member.statement, member.contract)
}

/// A record with 2,000 protected files, in canonical form.
fn large() -> (Vec<u8>, Vec<u8>) {
    let (_, plain) = member("valid-plain");
    let mut record = contract::parse(&plain).expect("valid");
    let entry = record.protected_paths[0].clone();
    record.protected_paths = (0..2_000)
        .map(|at| contract::ProtectedPath {
            path: format!("tests/unit/test_{at}.py"),
            kind: contract::Kind::File,
            sha256: Sha256::of(format!("{at}").as_bytes()),
            ..entry.clone()
        })
        .collect();
    let bytes = record.to_canonical_bytes().expect("a good record");
    (statement::seal(&bytes).expect("canonical"), bytes)
}

fn verifying(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("verify");
    for (name, (statement, contract)) in
        [("plain", member("valid-plain")), ("full", member("valid-full")), ("large", large())]
    {
        let bytes = u64::try_from(statement.len() + contract.len()).expect("a length");
        group.throughput(Throughput::Bytes(bytes));
        group.bench_function(name, |bencher| {
            bencher.iter(|| verify(&statement, &contract).expect("valid"));
        });
    }
    group.finish();
}

criterion_group!(benches, verifying);
criterion_main!(benches);
