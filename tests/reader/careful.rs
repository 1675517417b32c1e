//! The answers `done-records` section 8 asks a careful reader for.

#[test]
fn the_peer_corpus_agrees() {
    let Ok(root) = std::env::var("PEER_CORPUS") else { return };
    let mut wrong = vec![];
    let text = std::fs::read_to_string(format!("{root}/MANIFEST.json")).unwrap();
    let doc = adequacy::base::json::Document::parse(text.as_bytes()).unwrap();
    for e in doc.root().member("vectors").unwrap().items().unwrap() {
        let path = e.member("path").unwrap().as_str().unwrap();
        let c = std::fs::read(format!("{root}/{path}/contract.json")).unwrap();
        let s = std::fs::read(format!("{root}/{path}/statement.json")).unwrap();
        let x = e.member("expected").unwrap().member("contract").unwrap();
        let want = x.member("code").map_or("valid", |c| c.as_str().unwrap());
        let got = adequacy::verify::verify(&s, &c).map_or_else(|c| c.text(), |_| "valid");
        if got != want {
            wrong.push(format!("{path} {want} {got}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
