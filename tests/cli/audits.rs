//! `audit`: claims that are true, one that is forged through and through, and a plan that is another.

use adequacy::base::Sha256;
use serde_json::{Value, json};

use crate::bundles::{bundled, unpack};
use crate::harness::{Sandbox, append};

#[test]
fn true_claims_agree_and_say_how_far_that_reaches() {
    let sandbox = bundled();
    let ran = sandbox.call(["audit", "price.tar.zst", "--sample", "4", "--seed", "1"]).run();
    ran.exits(0).says("always     1 of 1 claims agree (null patch and hunk reverts)");
    ran.says("sample     4 of 4 claims agree (random sample, seed 1)");
    ran.says("at most 52.7 % of claims drawn like these are wrong");
    ran.same(ran.out.lines().last(), Some("agrees"));
}

/// Writes the digest of a file of the bundle to its list.
fn list(sandbox: &Sandbox, compile: &mut Value, path: &str) {
    let digest = Sha256::of(&sandbox.bytes(&format!("b/{path}"))).to_string();
    let files = compile["files"].as_array_mut().expect("a list");
    let file = files.iter_mut().find(|file| file["path"] == path).expect("it is listed");
    file["sha256"] = json!(digest);
}

#[test]
fn a_survivor_forged_into_a_kill_is_found() {
    let sandbox = bundled();
    unpack(&sandbox);
    let mut compile = sandbox.json("b/sealed/compile.json");
    let claims = compile["mutants"].as_array_mut().expect("a list");
    let place = claims.iter().position(|claim| claim["outcome"] == "survived");
    let place = place.expect("the task has a survivor");
    claims[place]["outcome"] = json!("killed");
    let (id, class) = (claims[place]["id"].clone(), claims[place]["class"].clone());
    compile["kill_vector"][place] = json!(true);
    // The forger is thorough: contract, Statement and list fit again.
    let mut contract = sandbox.json("b/contract.json");
    let adequacy = &mut contract["adequacy"];
    for counts in ["", class.as_str().expect("a name")] {
        let path =
            if counts.is_empty() { "/killed".into() } else { format!("/by_class/{counts}/killed") };
        let killed = adequacy.pointer_mut(&path).expect("a count");
        *killed = json!(killed.as_u64().expect("a count") + 1);
    }
    let vector = serde_json::to_vec(&compile["kill_vector"]).expect("JSON");
    adequacy["kill_vector_sha256"] = json!(Sha256::of(&vector).to_string());
    let contract = serde_json::to_vec(&contract).expect("JSON");
    let statement = adequacy::statement::seal(&contract).expect("a good record");
    compile["contract_sha256"] = json!(Sha256::of(&contract).to_string());
    sandbox.write("b/contract.json", contract).write("b/contract.statement.json", statement);
    list(&sandbox, &mut compile, "contract.json");
    list(&sandbox, &mut compile, "contract.statement.json");
    sandbox.write("b/sealed/compile.json", compile.to_string());
    sandbox.call(["bundle", "verify", "b"]).run().exits(0);
    let ran = sandbox.call(["audit", "b", "--sample", "1000", "--seed", "1", "--json"]).run();
    let audit: Value = serde_json::from_str(&ran.exits(1).out).expect("JSON");
    assert_eq!(audit["word"], "differs");
    let found = json!({"id": id, "class": class, "claimed": "killed", "found": "survived"});
    assert_eq!(audit["sample"]["differing"], json!([found]));
}

#[test]
fn another_right_solution_makes_another_plan() {
    let sandbox = bundled();
    unpack(&sandbox);
    append(&sandbox.path("b/sealed/reference/price.py"), "# more\n");
    let mut compile = sandbox.json("b/sealed/compile.json");
    list(&sandbox, &mut compile, "sealed/reference/price.py");
    sandbox.write("b/sealed/compile.json", compile.to_string());
    let ran = sandbox.call(["audit", "b", "--seed", "1"]).run();
    ran.exits(10).says("the plan here has a mutant of which the bundle claims nothing");
    ran.same(ran.out.lines().last(), Some("cannot rebuild"));
}
