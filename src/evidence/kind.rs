//! The seven shapes: the schema of each, and its rules that no schema can say.

use std::sync::LazyLock;

use serde_json::Value;

use super::rules;
use super::shape::{Fault, Shape};

/// Which record a text is meant to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// What was there before the first mutant.
    Baseline,
    /// Which paths may change.
    PathBudget,
    /// What an installation found and left.
    FrozenInstall,
    /// What one command did in one scenario.
    GateResult,
    /// What one reviewer found.
    Review,
    /// What looks like a credential.
    StaticScan,
    /// What the run is judged by.
    FinalVerdict,
}

static SHAPES: LazyLock<[Shape; 7]> = LazyLock::new(|| {
    Kind::ALL.map(|kind| {
        Shape::new(serde_json::from_str(kind.text()).expect("a schema of this program"))
    })
});

impl Kind {
    /// Every shape, in the order of the document.
    pub const ALL: [Self; 7] = [
        Self::Baseline,
        Self::PathBudget,
        Self::FrozenInstall,
        Self::GateResult,
        Self::Review,
        Self::StaticScan,
        Self::FinalVerdict,
    ];

    /// Its name, also that of its schema.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::PathBudget => "path-budget",
            Self::FrozenInstall => "frozen-install",
            Self::GateResult => "gate-result",
            Self::Review => "review",
            Self::StaticScan => "static-scan",
            Self::FinalVerdict => "final-verdict",
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::Baseline => include_str!("schemas/baseline.json"),
            Self::PathBudget => include_str!("schemas/path-budget.json"),
            Self::FrozenInstall => include_str!("schemas/frozen-install.json"),
            Self::GateResult => include_str!("schemas/gate-result.json"),
            Self::Review => include_str!("schemas/review.json"),
            Self::StaticScan => include_str!("schemas/static-scan.json"),
            Self::FinalVerdict => include_str!("schemas/final-verdict.json"),
        }
    }

    fn shape(self) -> &'static Shape {
        &SHAPES[self as usize]
    }

    /// Its JSON Schema.
    #[must_use]
    pub fn schema(self) -> &'static Value {
        self.shape().schema()
    }

    /// What is wrong with the text of such a record; with `strict` unknown members are wrong too.
    ///
    /// # Errors
    /// The one [`Fault`] of a text that is no JSON.
    pub fn validate(self, text: &[u8]) -> Result<Checked, Fault> {
        let record = Shape::read(text)?;
        let mut faults = self.shape().faults(&record);
        faults.extend(rules::broken(self, &record));
        faults.extend(rules::secrets(&record));
        Ok(Checked { unknown: self.shape().unknown(&record), faults, record })
    }
}

/// A record that was read.
#[derive(Debug, Clone)]
pub struct Checked {
    /// The record.
    pub record: Value,
    /// What is wrong with it.
    pub faults: Vec<Fault>,
    /// Members that the shape does not know.
    pub unknown: Vec<Fault>,
}
