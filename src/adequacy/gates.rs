//! Gates: what a run must meet, by name. The first four are those of section 11 of the record rules,
//! with its names, formulas and inputs; for a task with a start tree and a right solution.

use std::collections::BTreeMap;

use super::Adequacy;
use crate::outcome::Reason;
use crate::plan::Class;

/// Share of the mutants at the change that may survive.
const FLOOR: f64 = 0.2;

/// The thresholds in force for a task.
#[derive(Debug, Clone, PartialEq)]
pub struct Thresholds {
    /// Whether there is a change, whose gates are then judged.
    pub has_change: bool,
    /// Whether every command accepts the start tree as it is.
    pub accepts_start: bool,
    /// Whether the commands can tell an honest function from a cheat, so that this gate is judged.
    pub judges_cheats: bool,
    /// Surviving cheats that gain nothing, because a twin asks their function from another process.
    pub neutralized: u64,
    /// Least share of the counted mutants that must be killed; no gate when `None`.
    pub kill_ratio: Option<f64>,
    /// Largest share of the counted mutants that may be killed by time-out.
    pub timeout_share: f64,
    /// Most undecided mutants outside of the decisive classes, where none may be.
    pub undecided: u64,
}

/// One gate and how the run fared.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    /// Its name: the key in the record, and what `--allow` takes.
    pub name: &'static str,
    /// Whether the run meets it.
    pub pass: bool,
    /// What it demands, in words.
    pub formula: &'static str,
    /// What the formula is about, by name.
    pub inputs: Vec<(&'static str, Input)>,
}

/// A number that a gate looks at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Input {
    /// Mutants.
    Count(u64),
    /// A share of them, or a threshold of such.
    Share(f64),
}

impl std::fmt::Display for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count(count) => count.fmt(f),
            Self::Share(share) => share.fmt(f),
        }
    }
}

/// The gate that commands which cannot tell cheats leave unjudged.
pub const CHEAT_GATE: &str = "cheat_class_survived";

impl Thresholds {
    /// The thresholds that a task file's `[gates]` gives, `undecided` from a flag if there is one.
    #[must_use]
    pub fn of(gates: &BTreeMap<String, f64>, max_undecided: Option<u64>) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked when read; a fraction of a mutant allows none"
        )]
        let whole = |value: &f64| *value as u64;
        Self {
            has_change: false,
            accepts_start: false,
            judges_cheats: gates.contains_key(CHEAT_GATE),
            neutralized: 0,
            kill_ratio: gates.get("kill_ratio").copied(),
            timeout_share: gates.get("timeout_share").copied().unwrap_or(0.1),
            undecided: max_undecided.or(gates.get("undecided").map(whole)).unwrap_or(0),
        }
    }

    /// The gates, in the order in which the first that fails refuses a seal.
    #[must_use]
    pub fn gates(&self, adequacy: &Adequacy) -> Vec<Gate> {
        let mut gates = Vec::new();
        if self.has_change {
            gates.extend([
                self.null_patch(adequacy),
                change_floor(adequacy),
                hunk_revert(adequacy),
            ]);
            gates.extend(self.judges_cheats.then(|| self.cheats(adequacy)));
        }
        gates.push(self.undecided(adequacy));
        let time_outs = share(adequacy.kills_by(Reason::TimeOut), adequacy);
        gates.push(Gate {
            name: "timeout_share",
            pass: time_outs <= self.timeout_share,
            formula: "mutants killed by time-out / mutants <= threshold",
            inputs: compared(Input::Share(time_outs), Input::Share(self.timeout_share)),
        });
        if let Some(least) = self.kill_ratio {
            let ratio = share(adequacy.killed, adequacy);
            gates.push(Gate {
                name: "kill_ratio",
                pass: ratio >= least,
                formula: "killed / mutants >= threshold",
                inputs: compared(Input::Share(ratio), Input::Share(least)),
            });
        }
        gates
    }

    /// The null patch undoes source files alone: where the start tree itself is accepted, nothing that
    /// is killed shows that doing nothing is refused.
    fn null_patch(&self, adequacy: &Adequacy) -> Gate {
        let null = adequacy.of_class(Class::NullPatch);
        let accepted = u64::from(self.accepts_start);
        Gate {
            name: "null_patch_survived",
            pass: null.alive() == 0 && accepted == 0,
            formula: "the null patch is killed, and some command refuses the start tree",
            inputs: vec![
                ("mutants", Input::Count(null.mutants)),
                ("start_accepted", Input::Count(accepted)),
            ],
        }
    }

    fn undecided(&self, adequacy: &Adequacy) -> Gate {
        let all = adequacy.undecided_count();
        let decisive = adequacy.by_class.iter().filter(|(class, _)| class.is_decisive());
        let decisive = decisive.map(|(_, tally)| tally.undecided).sum::<u64>();
        let (formula, mut inputs) = if self.has_change {
            (
                "none undecided in null_patch, hunk_revert, change, cheat; undecided mutants <= threshold",
                vec![("decisive", Input::Count(decisive))],
            )
        } else {
            ("undecided mutants <= threshold", Vec::new())
        };
        inputs.extend(compared(Input::Count(all), Input::Count(self.undecided)));
        let pass = decisive == 0 && all <= self.undecided;
        Gate { name: "undecided", pass, formula, inputs }
    }

    /// A cheat that looks at who asks and survives gains nothing where a twin asks from elsewhere.
    fn cheats(&self, adequacy: &Adequacy) -> Gate {
        let cheats = adequacy.of_class(Class::Cheat);
        Gate {
            name: CHEAT_GATE,
            pass: cheats.alive() <= self.neutralized,
            formula: "every cheat is killed by the sealed commands, or neutralized by an isolated twin",
            inputs: vec![
                ("mutants", Input::Count(cheats.mutants)),
                ("neutralized", Input::Count(self.neutralized)),
                ("survivors", Input::Count(cheats.alive())),
            ],
        }
    }
}

fn compared(value: Input, threshold: Input) -> Vec<(&'static str, Input)> {
    vec![("value", value), ("threshold", threshold)]
}

fn share(part: u64, adequacy: &Adequacy) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a ratio of counts far below 2^52")]
    let share = part as f64 / adequacy.mutants.max(1) as f64;
    share
}

fn change_floor(adequacy: &Adequacy) -> Gate {
    let (reverts, change) =
        (adequacy.of_class(Class::HunkRevert), adequacy.of_class(Class::Change));
    let n = reverts.mutants + change.mutants;
    let survivors = reverts.alive() + change.alive();
    let limit = if n <= 1 { 0 } else { (n / 5).max(1) };
    Gate {
        name: "change_floor_unmet",
        pass: survivors <= limit && (n == 0 || survivors < n),
        formula: "of n hunk reverts and change mutants, survivors <= limit and < n; limit = 0 for n <= 1, else max(1, floor(0.2 n))",
        inputs: vec![
            ("threshold", Input::Share(FLOOR)),
            ("n", Input::Count(n)),
            ("survivors", Input::Count(survivors)),
            ("limit", Input::Count(limit)),
        ],
    }
}

fn hunk_revert(adequacy: &Adequacy) -> Gate {
    let reverts = adequacy.of_class(Class::HunkRevert);
    Gate {
        name: "hunk_revert_survived",
        pass: reverts.alive() == 0,
        formula: "every hunk revert is killed",
        inputs: vec![
            ("mutants", Input::Count(reverts.mutants)),
            ("survivors", Input::Count(reverts.alive())),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adequacy::Tally;

    fn of(counts: &[(Class, u64, u64)]) -> Vec<(&'static str, bool)> {
        let mut adequacy = Adequacy::default();
        for &(class, mutants, killed) in counts {
            let tally = Tally { mutants, killed, undecided: 0 };
            adequacy.by_class.insert(class, tally);
            adequacy.mutants += mutants;
            adequacy.killed += killed;
        }
        let thresholds = Thresholds::of(&BTreeMap::from([(CHEAT_GATE.to_owned(), 0.0)]), None);
        let gates = Thresholds { has_change: true, ..thresholds }.gates(&adequacy);
        gates.iter().take(4).map(|gate| (gate.name, gate.pass)).collect()
    }

    fn passes(counts: &[(Class, u64, u64)], gate: usize) -> bool {
        of(counts)[gate].1
    }

    #[test]
    fn the_gates_of_section_11_in_its_order() {
        let names = of(&[]);
        let all = ["null_patch_survived", "change_floor_unmet", "hunk_revert_survived", CHEAT_GATE];
        assert_eq!(names, all.map(|name| (name, true)));
        assert!(!passes(&[(Class::NullPatch, 1, 0)], 0));
        let accepting = Thresholds {
            has_change: true,
            accepts_start: true,
            ..Thresholds::of(&BTreeMap::new(), None)
        };
        assert!(!accepting.gates(&Adequacy::default())[0].pass);
        assert!(!passes(&[(Class::HunkRevert, 3, 2)], 2));
        assert!(!passes(&[(Class::Cheat, 3, 2)], 3));
    }

    #[test]
    fn of_n_mutants_at_the_change_a_fifth_may_survive_but_not_all() {
        use Class::{Change, HunkRevert};
        for (n, killed, pass) in [
            (1, 0, false),
            (1, 1, true),
            (2, 1, true),
            (2, 0, false),
            (9, 8, true),
            (9, 7, false),
            (10, 8, true),
            (14, 12, true),
            (15, 12, true),
            (15, 11, false),
        ] {
            assert_eq!(passes(&[(Change, n, killed)], 1), pass, "{killed} of {n}");
        }
        assert!(!passes(&[(HunkRevert, 1, 0), (Change, 1, 0)], 1));
        assert!(passes(&[(HunkRevert, 1, 0), (Change, 4, 4)], 1));
    }
}
