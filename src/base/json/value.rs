//! A JSON value that a program builds, or that outlives its text.

use std::fmt;

/// A JSON value; objects keep the order their members were given in, which is no part of their value.
#[derive(Debug, Clone)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number without fraction and exponent, exact.
    Integer(Integer),
    /// Any other number.
    Float(f64),
    /// A string.
    String(String),
    /// A list.
    Array(Vec<Value>),
    /// An object; no name twice (the canonical writer refuses that).
    Object(Vec<(String, Value)>),
}

/// Equal as JSON: types kept apart, objects without regard to order.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(own), Self::Bool(other)) => own == other,
            (Self::Integer(own), Self::Integer(other)) => own == other,
            (Self::Float(own), Self::Float(other)) => own == other,
            (Self::String(own), Self::String(other)) => own == other,
            (Self::Array(own), Self::Array(other)) => own == other,
            (Self::Object(own), Self::Object(other)) => {
                own.len() == other.len() && sorted(own) == sorted(other)
            }
            _ => false,
        }
    }
}

fn sorted(members: &[(String, Value)]) -> Vec<&(String, Value)> {
    let mut members: Vec<_> = members.iter().collect();
    members.sort_by_key(|(name, _)| name.as_str());
    members
}

/// A whole number of any size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Integer(Digits);

/// A number that fits is always `Small`, so equal numbers are equal values, and take no memory apart.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Digits {
    Small(i64),
    Large(Box<str>),
}

impl Integer {
    /// `token` is decimal, without a leading zero, with a `-` or no sign.
    pub(super) fn from_token(token: &str) -> Self {
        Self(token.parse().map_or_else(|_| Digits::Large(token.into()), Digits::Small))
    }

    /// The number from decimal digits, if there is one at least and no leading zero.
    #[must_use]
    pub fn from_digits(digits: &str) -> Option<Self> {
        let plain = !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && (digits == "0" || !digits.starts_with('0'));
        plain.then(|| Self::from_token(digits))
    }

    /// The number, if it fits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self.0 {
            Digits::Small(number) => Some(number),
            Digits::Large(_) => None,
        }
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Digits::Small(number) => write!(f, "{number}"),
            Digits::Large(digits) => f.write_str(digits),
        }
    }
}

impl Value {
    /// An object of these members.
    #[must_use]
    pub fn object<const N: usize>(members: [(&str, Value); N]) -> Self {
        Self::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// The member of that name, if this is an object that has it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Self::Object(members) => {
                members.iter().find(|(own, _)| own == name).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value of `true` or `false`.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(flag) => Some(*flag),
            _ => None,
        }
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Integer(Integer::from_token(&number.to_string()))
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(Integer::from_token(&number.to_string()))
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::from(u64::from(number))
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Integer(Integer::from_token(&number.to_string()))
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Float(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}
