//! What the mutants tell on which every command was run, in words.

use crate::measure::Matrix;

/// Mutants of the minimal set that are named.
const NAMED: usize = 12;

/// One sentence a line; none where no such mutant was killed.
pub(super) fn lines(matrix: &Matrix) -> Vec<String> {
    let Matrix { mutants, killed, killed_by_all, minimal } = matrix;
    if *killed == 0 {
        return Vec::new();
    }
    let mut lines = vec![
        format!(
            "every command was run on {mutants} mutants: {killed} killed, {killed_by_all} of them by every command"
        ),
        format!("minimal set: {} of them stand for the {killed} killed", minimal.len()),
    ];
    lines.extend(minimal.iter().take(NAMED).map(|one| {
        format!(
            "  {} stands for {}, killed by {}",
            one.id,
            one.stands_for,
            one.killed_by.join(", ")
        )
    }));
    if minimal.len() > NAMED {
        lines.push(format!("  ... and {} more in run.json", minimal.len() - NAMED));
    }
    lines
}
