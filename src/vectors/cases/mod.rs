//! The corpus as data: each member is a control and what is changed in it.

mod acceptance;
mod adequacy;
mod head;
mod json;
mod order;
mod protected;
mod statement;
mod surface;
mod valid;

use crate::base::code::Code;

/// A text that members start from.
pub(super) struct Control {
    pub(super) name: &'static str,
    pub(super) text: &'static str,
}

/// The required members and nothing else.
pub(super) const PLAIN: &Control =
    &Control { name: "plain", text: include_str!("../controls/plain.json") };

/// Every optional member.
pub(super) const FULL: &Control =
    &Control { name: "full", text: include_str!("../controls/full.json") };

/// What happens to a text.
pub(super) enum Edit {
    /// These places, each of which occurs once, are replaced in turn.
    Replace(&'static [(&'static str, &'static str)]),
    /// The bytes are made anew.
    Bytes(fn(&str) -> Vec<u8>),
}

const SAME: Edit = Edit::Replace(&[]);

/// One member of the corpus.
pub(super) struct Row {
    pub(super) id: &'static str,
    pub(super) control: &'static Control,
    /// What is changed, as the end of a sentence.
    pub(super) says: &'static str,
    /// What happens to the record before the Statement is made of it.
    pub(super) contract: Edit,
    /// What happens to the Statement.
    pub(super) statement: Edit,
    /// What happens to the record's file after the Statement was made.
    pub(super) late: Edit,
    /// The code it is refused under; none if it is valid.
    pub(super) code: Option<Code>,
}

type Places = &'static [(&'static str, &'static str)];

/// A valid record: the control with these places replaced.
const fn good(id: &'static str, control: &'static Control, says: &'static str, at: Places) -> Row {
    Row { id, control, says, contract: Edit::Replace(at), statement: SAME, late: SAME, code: None }
}

/// A valid Statement over the control, with these places replaced in the Statement.
const fn good_statement(
    id: &'static str,
    control: &'static Control,
    says: &'static str,
    at: Places,
) -> Row {
    Row { statement: Edit::Replace(at), ..good(id, control, says, &[]) }
}

/// A refused record: the control with these places replaced.
const fn bad(
    id: &'static str,
    control: &'static Control,
    says: &'static str,
    at: Places,
    code: Code,
) -> Row {
    Row { code: Some(code), ..good(id, control, says, at) }
}

/// A refused record made of the plain control.
const fn bad_bytes(
    id: &'static str,
    says: &'static str,
    bytes: fn(&str) -> Vec<u8>,
    code: Code,
) -> Row {
    Row { contract: Edit::Bytes(bytes), ..bad(id, PLAIN, says, &[], code) }
}

/// A refused Statement over the control, with these places replaced in the Statement.
const fn bad_statement(
    id: &'static str,
    control: &'static Control,
    says: &'static str,
    at: Places,
    code: Code,
) -> Row {
    Row { statement: Edit::Replace(at), ..bad(id, control, says, &[], code) }
}

/// A refused Statement over the plain control, made anew of its text.
const fn bad_statement_bytes(
    id: &'static str,
    says: &'static str,
    bytes: fn(&str) -> Vec<u8>,
    code: Code,
) -> Row {
    Row { statement: Edit::Bytes(bytes), ..bad(id, PLAIN, says, &[], code) }
}

/// Every member, in the corpus's order.
pub(super) fn all() -> impl Iterator<Item = &'static Row> {
    let tables: [&'static [Row]; 9] = [
        valid::ROWS,
        json::ROWS,
        head::ROWS,
        protected::ROWS,
        acceptance::ROWS,
        surface::ROWS,
        adequacy::ROWS,
        statement::ROWS,
        order::ROWS,
    ];
    tables.into_iter().flatten()
}
