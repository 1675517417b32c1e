//! A run without mutants, where a person lets that through: everything is written, nothing is run, and
//! no number of it says anything.

use super::receipt::Act;
use super::{
    Ledger, MeasureError, Measured, OutputDir, Prepared, RunFile, evidence, output, receipt,
};
use crate::adequacy::Adequacy;

/// The measurement of nothing: no mutants, no kills, no gates.
pub(super) fn measured(
    prepared: Prepared,
    mut run: RunFile,
    output: OutputDir,
    earlier: Option<&RunFile>,
    act: &Act,
) -> Result<Measured, MeasureError> {
    let Prepared { trees, plan, .. } = prepared;
    output.write_plan(&mut run, earlier, |take| {
        output::rows(&plan, &trees.base, take).map_err(MeasureError::from)
    })?;
    output.write_sources(&plan, &trees.base)?;
    Ledger::open(&output, &run.key(), &plan)?;
    let adequacy = Adequacy::of(&plan, |_| None).expect("no mutant counts, so none is missing");
    run.finish(plan.planned(), &adequacy, &[], Vec::new());
    output.write_run(&run)?;
    evidence::finish(&output, &run)?;
    receipt::finish(&output, &run, act)?;
    let gates = Vec::new();
    Ok(Measured { trees, protected: Vec::new(), plan, adequacy, gates, run, output })
}
