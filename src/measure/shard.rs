//! A part of a plan, so that several machines measure one task: every n-th mutant of those that count.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Part `index` (from 1) of `of` parts of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    /// How many parts there are.
    pub of: u32,
    /// Which of them, from 1.
    pub index: u32,
}

impl Shard {
    /// Whether the thing at this index, from 0, of a list that is shared out belongs to this part.
    /// Neighbours go to different parts: mutants of one file tend to take equally long.
    #[must_use]
    pub fn holds(self, index: usize) -> bool {
        index as u64 % u64::from(self.of) == u64::from(self.index) - 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const SHAPE: &str = "must be K/N with K from 1 to N, such as 2/8";
        let (index, of) = text.split_once('/').ok_or(SHAPE)?;
        let number = |digits: &str| {
            let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            plain.then(|| digits.parse::<u32>().ok()).flatten()
        };
        match (number(index), number(of)) {
            (Some(index), Some(of)) if (1..=of).contains(&index) => Ok(Self { of, index }),
            _ => Err(SHAPE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shards_of_a_plan_share_it_out() {
        for of in 1..=7 {
            for place in 0..20 {
                let holds = |index: &u32| Shard { index: *index, of }.holds(place);
                assert_eq!((1..=of).filter(holds).count(), 1, "{place} of {of}");
            }
        }
    }

    #[test]
    fn what_is_no_shard_is_refused() {
        assert_eq!("2/3".parse(), Ok(Shard { index: 2, of: 3 }));
        assert_eq!("3/3".parse::<Shard>().map(|shard| shard.to_string()), Ok("3/3".to_owned()));
        for text in ["", "1", "/", "0/3", "4/3", "0/0", "+1/3", "1/3/", "1/ 3", "1/99999999999"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
