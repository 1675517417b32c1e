//! Turns: how many workers of several runs are active at one time on a machine that they share.
//!
//! A worker sits down at its workspace with a turn in hand. There are as many turns as the person
//! allows workers; an earlier run goes before a later one, so that runs end one after the other and
//! the last one has every worker to itself. What must be run with no other worker active takes all.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Mutants that are worth one more worker: each costs a run of the unmutated tree before and after.
const MUTANTS_A_WORKER: usize = 20;

/// The turns of a machine.
#[derive(Debug)]
pub struct Turns {
    all: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    free: usize,
    /// Turns that the open runs can use, were all of them theirs.
    useful: usize,
    /// Who waits, in the order in which they are served.
    waiting: BTreeSet<Wish>,
    next: u64,
}

/// Some turns for a run, at once. Earlier runs come first, then earlier wishes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Wish {
    rank: usize,
    number: u64,
    count: usize,
}

/// One or all turns; given back when dropped.
#[derive(Debug)]
pub struct Turn {
    turns: Arc<Turns>,
    count: usize,
}

impl Turns {
    /// This many, at least one.
    #[must_use]
    pub fn new(count: usize) -> Arc<Self> {
        let all = count.max(1);
        let state = State { free: all, useful: 0, waiting: BTreeSet::new(), next: 0 };
        Arc::new(Self { all, state: Mutex::new(state), changed: Condvar::new() })
    }

    /// Waits until the open runs leave a turn that they cannot use, and opens the run of this `rank`
    /// with it. Ranks are to grow from one run to the next.
    #[must_use]
    pub fn share(self: &Arc<Self>, rank: usize) -> Share {
        let mut state = self.state();
        while state.useful >= self.all {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.useful += 1;
        drop(state);
        let useful = Useful { turns: Arc::clone(self) };
        let first = Mutex::new(Some(self.take(rank, 1)));
        Share { turns: Arc::clone(self), rank, first, _useful: useful }
    }

    fn take(self: &Arc<Self>, rank: usize, count: usize) -> Turn {
        let mut state = self.state();
        let wish = Wish { rank, number: state.next, count };
        state.next += 1;
        state.waiting.insert(wish.clone());
        while state.waiting.first() != Some(&wish) || state.free < count {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting.remove(&wish);
        state.free -= count;
        drop(state);
        // The next in line may be served too.
        self.changed.notify_all();
        Turn { turns: Arc::clone(self), count }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.turns.state().free += self.count;
        self.turns.changed.notify_all();
    }
}

/// A run can use one more turn, as long as this lives.
#[derive(Debug)]
pub struct Useful {
    turns: Arc<Turns>,
}

impl Drop for Useful {
    fn drop(&mut self) {
        self.turns.state().useful -= 1;
        self.turns.changed.notify_all();
    }
}

/// One run's part in the turns. It begins with a turn in hand, which what comes before its first
/// worker uses up: listing, planning, copying.
#[derive(Debug)]
pub struct Share {
    turns: Arc<Turns>,
    rank: usize,
    first: Mutex<Option<Turn>>,
    _useful: Useful,
}

impl Share {
    /// A turn for a worker; who holds one must not ask for another.
    #[must_use]
    pub fn one(&self) -> Turn {
        self.first().unwrap_or_else(|| self.turns.take(self.rank, 1))
    }

    /// All turns: no worker of any run is active until it is given back.
    #[must_use]
    pub fn all(&self) -> Turn {
        drop(self.first());
        self.turns.take(self.rank, self.turns.all)
    }

    /// Says that one worker more than the first has something to do.
    #[must_use]
    pub fn one_more(&self) -> Useful {
        self.turns.state().useful += 1;
        Useful { turns: Arc::clone(&self.turns) }
    }

    /// How many workers, `most` at most, are worth their cost for this many mutants.
    #[must_use]
    pub fn workers(&self, most: usize, mutants: usize) -> usize {
        most.min(self.turns.all).min(mutants.div_ceil(MUTANTS_A_WORKER)).max(1)
    }

    fn first(&self) -> Option<Turn> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    /// Waits until this many wishes wait.
    fn until_waiting(turns: &Turns, count: usize) {
        while turns.state().waiting.len() < count {
            thread::yield_now();
        }
    }

    #[test]
    fn an_earlier_run_goes_first_and_all_means_nobody_else() {
        let turns = Turns::new(2);
        let (first, second) = (turns.share(0), turns.share(1));
        let (told, heard) = mpsc::channel();
        let held = [first.one(), second.one()];
        thread::scope(|scope| {
            let (first, second) = (&first, &second);
            // In the wrong order, each surely in line before the next asks.
            let told_late = told.clone();
            scope.spawn(move || {
                let turn = second.one();
                told_late.send(("late", 0)).expect("it is heard");
                drop(turn);
            });
            until_waiting(&turns, 1);
            let told_all = told.clone();
            let all_turns = &turns;
            scope.spawn(move || {
                let turn = first.all();
                let free = all_turns.state().free;
                told_all.send(("all", free)).expect("it is heard");
                drop(turn);
            });
            until_waiting(&turns, 2);
            // One turn is free now, which the later run does not get: the earlier wants both.
            let [one, other] = held;
            drop(one);
            assert_eq!(turns.state().free, 1);
            drop(other);
        });
        drop(told);
        assert_eq!(heard.into_iter().collect::<Vec<_>>(), [("all", 0), ("late", 0)]);
        assert_eq!(turns.state().free, 2);
    }

    #[test]
    fn a_run_begins_with_a_turn_and_never_waits_for_itself() {
        let turns = Turns::new(1);
        let share = turns.share(0);
        assert_eq!(turns.state().free, 0);
        drop(share.one());
        assert_eq!(turns.state().free, 1);
        drop(share);
        let share = turns.share(1);
        drop(share.all());
        assert_eq!(turns.state().free, 1);
        drop(share);
        drop(turns.share(2));
        assert_eq!(turns.state().free, 1, "one that used no turn gives it back");
    }

    #[test]
    fn a_run_is_opened_when_the_others_leave_something() {
        let turns = Turns::new(2);
        let first = turns.share(0);
        let more = first.one_more();
        drop(first.one());
        let opened = std::sync::atomic::AtomicBool::new(false);
        thread::scope(|scope| {
            let second = scope.spawn(|| {
                let second = turns.share(1);
                opened.store(true, std::sync::atomic::Ordering::SeqCst);
                drop(second);
            });
            // Both turns are free, and yet the first run can use them.
            assert_eq!(turns.state().free, 2);
            for _ in 0..100 {
                thread::yield_now();
            }
            assert!(!opened.load(std::sync::atomic::Ordering::SeqCst));
            drop(more);
            second.join().expect("it is opened");
        });
        assert_eq!(turns.state().useful, 1);
        drop(first);
        assert_eq!(turns.state().useful, 0);
    }

    #[test]
    fn few_mutants_are_not_worth_many_workers() {
        let share = Turns::new(8).share(0);
        let workers = [0, 1, 20, 21, 100, 10_000].map(|mutants| share.workers(8, mutants));
        assert_eq!(workers, [1, 1, 1, 2, 5, 8]);
        assert_eq!(share.workers(3, 10_000), 3);
    }
}
