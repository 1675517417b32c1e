//! The rule set as a text to put before an agent's prompt.

use super::{INVARIANTS, RULES};

const HEAD: &str = "\
# The receipt
End the run with one call of `emit_receipt`. A run without a receipt did not happen: nothing else of \
what you write is taken for its result.
- Verdicts are PASS, FAIL, DEGRADED, UNKNOWN and NOT_APPLICABLE, and no other word. What was not \
checked is UNKNOWN.
- `verification.overall` is what the evidence shows. `result.status` says what became of the request \
and never claims more. `witness_status` counts where a witness is required. `terminal.state` says \
where the run stands and nothing about whether it is right.
- Each criterion says what was expected, what was observed, and what would prove it wrong.
- The level of authority is OBSERVE unless it was earned: ASSIST prepares for a person, OPERATE acts \
within one accepted class.
- A denial is diagnosed layer by layer before anything is AUTH_BLOCKED. Where a machine identity is \
missing say MACHINE_IDENTITY_PROVISIONING_GAP; never use a person's credential instead.
- Secrets are named as op://vault/item/field and never written out.
- Write `receipt_complete: false`: only a validator sets it.

Every rule below is checked; one that is broken refuses the receipt.
";

/// The rules as Markdown, made from the tables that enforce them.
#[must_use]
pub fn rules_for_prompts() -> String {
    let numbered = INVARIANTS.iter().map(|rule| (rule.id, rule.says));
    let others = RULES.iter().map(|rule| (rule.id, rule.says));
    let lines = numbered.chain(others).map(|(id, says)| format!("- {id}: {says}.\n"));
    std::iter::once(HEAD.to_owned()).chain(lines).collect()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    #[test]
    fn the_page_lists_every_rule() {
        let mut table = String::from("| rule | says |\n|---|---|\n");
        let numbered = INVARIANTS.iter().map(|rule| (rule.id, rule.says));
        for (id, says) in numbered.chain(RULES.iter().map(|rule| (rule.id, rule.says))) {
            writeln!(table, "| {id} | {says} |").unwrap();
        }
        crate::evidence::assert_page_holds("docs/receipt.md", "RULES_TABLE", &table);
    }
}
