//! A parsed document and the places in it.

use super::value::{Integer, Value};
use super::{Fault, scan};

/// A parsed text. Equal names in one object, infinite numbers and half surrogates cannot occur in it.
#[derive(Debug)]
pub struct Document<'t> {
    pub(super) text: &'t str,
    /// The strings that had escapes, decoded, one after the other.
    pub(super) decoded: String,
    /// Every value and every member name, in document order.
    pub(super) slots: Vec<Slot>,
}

/// One value, or one member name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) kind: Kind,
    /// Start of the text; of a container its number of items or members; of a float its high bits.
    pub(super) start: u32,
    /// End of the text; of a container the slot after its last; of a float its low bits.
    pub(super) end: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    False,
    True,
    Integer,
    Float,
    /// A string that stands in the text as it is.
    Plain,
    /// A string whose value stands in `decoded`.
    Decoded,
    Array,
    Object,
}

impl<'t> Document<'t> {
    /// Parses a whole text.
    ///
    /// # Errors
    /// The first [`Fault`], by the order of `done-records` section 2: UTF-8 before anything else, then
    /// left to right, a duplicate name where its object closes.
    pub fn parse(bytes: &'t [u8]) -> Result<Self, Fault> {
        scan::document(bytes)
    }

    /// The value the text holds.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        self.node(0)
    }

    pub(super) fn node(&self, at: u32) -> Node<'_> {
        Node { document: self, at }
    }
}

/// A value inside a [`Document`].
#[derive(Clone, Copy)]
pub struct Node<'d> {
    document: &'d Document<'d>,
    at: u32,
}

impl<'d> Node<'d> {
    #[inline]
    fn slot(self) -> Slot {
        self.document.slots[self.at as usize]
    }

    /// The slot after this value and all it holds.
    #[inline]
    fn after(self) -> u32 {
        let slot = self.slot();
        if matches!(slot.kind, Kind::Array | Kind::Object) { slot.end } else { self.at + 1 }
    }

    /// Whether this is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.slot().kind == Kind::Null
    }

    /// The value of `true` or `false`.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.slot().kind {
            Kind::True => Some(true),
            Kind::False => Some(false),
            _ => None,
        }
    }

    /// The digits of a number without fraction and exponent, with its sign; `-0` reads as `0`.
    #[must_use]
    pub fn as_integer(self) -> Option<&'d str> {
        let slot = self.slot();
        let text = || &self.document.text[slot.start as usize..slot.end as usize];
        (slot.kind == Kind::Integer).then(text).map(|text| if text == "-0" { "0" } else { text })
    }

    /// The value of a number with a fraction or an exponent; always finite.
    #[must_use]
    pub fn as_float(self) -> Option<f64> {
        let slot = self.slot();
        let bits = u64::from(slot.start) << 32 | u64::from(slot.end);
        (slot.kind == Kind::Float).then(|| f64::from_bits(bits))
    }

    /// The value of a string, escapes undone.
    #[must_use]
    #[inline]
    pub fn as_str(self) -> Option<&'d str> {
        let slot = self.slot();
        let text = match slot.kind {
            Kind::Plain => self.document.text,
            Kind::Decoded => &self.document.decoded,
            _ => return None,
        };
        Some(&text[slot.start as usize..slot.end as usize])
    }

    /// The items of an array.
    #[must_use]
    pub fn items(self) -> Option<Items<'d>> {
        let slot = self.slot();
        let next = Node { at: self.at + 1, ..self };
        (slot.kind == Kind::Array).then_some(Items { next, left: slot.start })
    }

    /// The members of an object, in document order.
    #[must_use]
    pub fn members(self) -> Option<Members<'d>> {
        let slot = self.slot();
        let next = Node { at: self.at + 1, ..self };
        (slot.kind == Kind::Object).then_some(Members { next, left: slot.start })
    }

    /// The member of that name, if this is an object that has it.
    #[must_use]
    pub fn member(self, name: &str) -> Option<Node<'d>> {
        self.members()?.find(|(own, _)| *own == name).map(|(_, value)| value)
    }

    /// The members of an object that has all the required ones and none but those and the optional
    /// ones: both in the order they are asked for.
    #[must_use]
    pub fn fields<const R: usize, const O: usize>(
        self,
        required: [&str; R],
        optional: [&str; O],
    ) -> Option<([Node<'d>; R], [Option<Node<'d>>; O])> {
        let mut must = [self; R];
        let mut may = [None; O];
        let mut found = 0;
        for (name, value) in self.members()? {
            if let Some(at) = required.iter().position(|own| *own == name) {
                must[at] = value;
                found += 1; // names in one object differ
            } else {
                may[optional.iter().position(|own| *own == name)?] = Some(value);
            }
        }
        (found == R).then_some((must, may))
    }

    /// This value as one that stands alone.
    #[must_use]
    pub fn to_value(self) -> Value {
        if let Some(items) = self.items() {
            return Value::Array(items.map(Node::to_value).collect());
        }
        if let Some(members) = self.members() {
            let own = |(name, value): (&str, Node<'_>)| (name.to_owned(), value.to_value());
            return Value::Object(members.map(own).collect());
        }
        if let Some(text) = self.as_str() {
            return Value::String(text.to_owned());
        }
        if let Some(digits) = self.as_integer() {
            return Value::Integer(Integer::from_token(digits));
        }
        match (self.as_float(), self.as_bool()) {
            (Some(number), _) => Value::Float(number),
            (None, Some(flag)) => Value::Bool(flag),
            (None, None) => Value::Null,
        }
    }
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.to_value().fmt(f)
    }
}

/// Equal as JSON: types kept apart, integers exact, objects without regard to order, strings by code
/// points. Takes time in proportion to the texts (times a logarithm where orders differ).
impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        if let (Some(own), Some(others)) = (self.as_str(), other.as_str()) {
            return own == others;
        }
        let (own, others) = (self.slot(), other.slot());
        if own.kind != others.kind {
            return false;
        }
        match own.kind {
            Kind::Null | Kind::True | Kind::False => true,
            Kind::Integer => self.as_integer() == other.as_integer(),
            Kind::Float => self.as_float() == other.as_float(),
            Kind::Plain | Kind::Decoded => false, // both are strings: answered above
            Kind::Array => {
                own.start == others.start
                    && self.items().zip(other.items()).is_some_and(|(own, other)| own.eq(other))
            }
            Kind::Object => own.start == others.start && same_members(*self, *other),
        }
    }
}

fn same_members<'d>(own: Node<'d>, other: Node<'d>) -> bool {
    let (Some(members), Some(others)) = (own.members(), other.members()) else { return false };
    let mut pairs = members.clone().zip(others.clone());
    if pairs.clone().all(|((own, _), (other, _))| own == other) {
        return pairs.all(|((_, own), (_, other))| own == other);
    }
    let sorted = |members: Members<'d>| {
        let mut members: Vec<_> = members.collect();
        members.sort_unstable_by_key(|(name, _)| *name);
        members
    };
    sorted(members) == sorted(others)
}

/// The items of an array, in order.
#[derive(Clone)]
pub struct Items<'d> {
    next: Node<'d>,
    left: u32,
}

impl<'d> Iterator for Items<'d> {
    type Item = Node<'d>;

    fn next(&mut self) -> Option<Node<'d>> {
        self.left = self.left.checked_sub(1)?;
        let item = self.next;
        self.next.at = item.after();
        Some(item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl ExactSizeIterator for Items<'_> {}

/// The members of an object, in document order.
#[derive(Clone)]
pub struct Members<'d> {
    next: Node<'d>,
    left: u32,
}

impl<'d> Iterator for Members<'d> {
    type Item = (&'d str, Node<'d>);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let name = self.next.as_str().expect("the scanner puts a string before every member");
        let value = Node { at: self.next.at + 1, ..self.next };
        self.next.at = value.after();
        Some((name, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl ExactSizeIterator for Members<'_> {}
