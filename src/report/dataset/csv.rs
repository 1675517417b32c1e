//! The rows as CSV: a header, then one line a task. Classes have three columns each.

use super::super::escape::field;
use super::TaskRow;
use crate::plan::Class;

/// What a class is counted by.
const COUNTS: [&str; 3] = ["mutants", "killed", "undecided"];

/// The table; what a task has no number of is an empty field.
#[must_use]
pub fn csv(rows: &[TaskRow]) -> String {
    let mut header =
        "id,state,exit,contract_id,contract_sha256,tool,mutants,killed,survived,undecided,\
                      unviable,patch_region_survivors"
            .to_owned();
    for class in Class::ALL {
        COUNTS.iter().for_each(|count| header.push_str(&format!(",{}_{count}", class.name())));
    }
    header.push_str(
        ",gates_passed,gates_failed,allowed,unmutated_runs,unmutated_failures,flake_bound,cpu_s,message\n",
    );
    rows.iter().fold(header, |text, row| text + &line(row) + "\n")
}

fn line(row: &TaskRow) -> String {
    let state = row.state.map(|state| serde_json::to_value(state).expect("a word"));
    let state = state.as_ref().and_then(|word| word.as_str()).unwrap_or_default();
    let mut fields = vec![field(&row.id), field(state), number(row.exit)];
    let numbers = row.numbers.as_ref();
    let text = |of: &dyn Fn(&super::Numbers) -> String| field(&numbers.map(of).unwrap_or_default());
    fields.extend([
        text(&|it| it.contract_id.clone()),
        text(&|it| it.contract_sha256.map(|digest| digest.to_string()).unwrap_or_default()),
        text(&|it| it.tool.clone()),
        number(numbers.map(|it| it.mutants)),
        number(numbers.map(|it| it.killed)),
        number(numbers.map(|it| it.survived)),
        number(numbers.map(|it| it.undecided)),
        number(numbers.map(|it| it.unviable)),
        number(numbers.and_then(|it| it.patch_region_survivors)),
    ]);
    for class in Class::ALL {
        let counts = numbers.and_then(|it| it.classes.get(class));
        fields.push(number(counts.map(|it| it.mutants)));
        fields.push(number(counts.map(|it| it.killed)));
        fields.push(number(counts.map(|it| it.undecided)));
    }
    let gates = |wanted: bool| {
        move |it: &super::Numbers| {
            let names = it.gates.iter().filter(|(_, pass)| **pass == wanted);
            names.map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(" ")
        }
    };
    fields.extend([
        text(&gates(true)),
        text(&gates(false)),
        text(&|it| it.allowed.join(" ")),
        number(numbers.map(|it| it.unmutated_runs)),
        number(numbers.map(|it| it.unmutated_failures)),
        number(numbers.map(|it| it.flake_bound)),
        number(numbers.map(|it| it.cpu_s)),
        field(&row.message),
    ]);
    fields.join(",")
}

fn number<N: std::fmt::Display>(number: Option<N>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}
