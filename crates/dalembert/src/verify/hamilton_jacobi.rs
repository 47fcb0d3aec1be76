//! The complete integral of a model, where it states one: is it one, and does its motion agree?
//!
//! ```text
//! H8  X0 S + H(x, X S, t) = 0,   det(X_q dS/da_p) != 0,   b = dS/da along the motion
//! ```
//!
//! A model without the statement has nothing to be asked. Knows no more of S than [`HamiltonJacobi`] tells.

use super::motion::Path;
use super::reading::Difference;
use super::{Tally, Verification};
use crate::hamilton_jacobi::{HamiltonJacobi, NOTHING, Survey, WRONG};
use crate::workspace::Workspace;

const RESIDUAL: &str = "hamilton_jacobi";
const COMPLETE: &str = "complete_integral";
const MOTION: &str = "motion_hamilton_jacobi";
/// The constants are found to this part of their size: what the motion makes of it is forgiven.
const KNOWN: f64 = 1e-11;
/// Ranks are whole numbers: any tolerance below one refuses what is missing.
const WHOLE: f64 = 1e-9;

/// `hamilton_jacobi`, `complete_integral` and `motion_hamilton_jacobi`.
pub(super) fn judge(model: &mut Workspace, path: &Path, found: &mut Verification) {
    if model.system.experiment.complete_integral.is_none() {
        return;
    }
    let jacobi = match HamiltonJacobi::of(model) {
        Ok(jacobi) => jacobi,
        Err(d) => {
            for name in [RESIDUAL, COMPLETE, MOTION] {
                found.take(Tally::skipped(name, d.message.clone()));
            }
            return;
        }
    };
    let known = match path.states.first() {
        Some(start) => jacobi.constants(model, start).map_err(|d| d.message),
        None => Err(path.trouble.clone().unwrap_or_default()),
    };
    let a = known.as_ref().ok().map(|(a, _)| a.as_slice());
    equation(&jacobi, model, path, a, found);
    let tally = match &known {
        Ok((a, b)) => motion(&jacobi, model, path, a, b),
        Err(reason) => Tally::skipped(MOTION, reason.clone()),
    };
    found.take(tally);
}

/// The residual of H8 around the start and along the motion, and the degrees of freedom that the constants miss.
fn equation(
    jacobi: &HamiltonJacobi,
    model: &mut Workspace,
    path: &Path,
    a: Option<&[f64]>,
    found: &mut Verification,
) {
    let mut residual = Tally::new(RESIDUAL, "dS/dt + H(x, dS/dx, t) of the complete integral with zero");
    let mut complete = Tally::new(COMPLETE, "independent constants of S with the degrees of freedom");
    match jacobi.survey(model).map_err(|d| d.message).and_then(Survey::decided) {
        Err(reason) => {
            residual.because(reason.clone());
            complete.because(reason);
        }
        Ok(seen) => {
            residual.take_many(Difference { worst: seen.worst, tolerance: seen.limit }, seen.points);
            match seen.freedom {
                Some(freedom) => {
                    let constants = jacobi.integral.constants.len();
                    let beyond = match jacobi.constants_of_redundant_coordinates(&seen) {
                        true => freedom.saturating_sub(constants),
                        false => constants.abs_diff(freedom),
                    };
                    let missing = freedom.abs_diff(seen.rank).max(beyond);
                    complete.take(Difference { worst: missing as f64, tolerance: WHOLE });
                }
                None => complete.because("H8 holds at no place: S is not an integral"),
            }
        }
    }
    if let Some(a) = a {
        for state in &path.states {
            let off = jacobi.at(model, state.t, &state.x, a).finite_off();
            if let Some((worst, _)) = off.filter(|(_, scale)| *scale > NOTHING) {
                residual.take(Difference { worst, tolerance: WRONG });
            }
        }
    }
    found.take(residual);
    found.take(complete);
}

/// The motion by b = dS/da, up to where S ends to describe it.
fn motion(jacobi: &HamiltonJacobi, model: &Workspace, path: &Path, a: &[f64], b: &[f64]) -> Tally {
    let mut tally = Tally::new(MOTION, "the motion from the complete integral");
    let states = jacobi.states(model, &path.states, a, b);
    let shaken = |list: &[f64]| -> Vec<f64> { list.iter().map(|v| v + KNOWN * (v.abs() + 1.0)).collect() };
    let other = jacobi.states(model, &path.states, &shaken(a), &shaken(b));
    let common = states.len().min(other.len());
    if common < 2 {
        tally.because(
            "a caustic or a turning point is at the start: S does not describe the motion from there",
        );
        return tally;
    }
    // Near a turning point the constants tell little of the place: what they tell is what another digit of them changes.
    tally.take(path.as_far_as(&states[..common], 10.0 * path.apart(&states, &other)));
    tally
}
