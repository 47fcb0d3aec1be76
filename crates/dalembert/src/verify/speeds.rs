//! Accelerations, forces and motion of the model derived anew in randomly changed speeds.
//!
//! ```text
//! w = R^-1 eta,   eta' = R w' + (D R) w,   Q_eta = R^-T Q_w
//! ```

use super::changed::{Change, changed, give_back};
use super::motion::Path;
use super::small::dot;
use super::symbols::evaluate;
use super::{Reading, Tally, Verification};
use crate::workspace::Workspace;
use dalembert_expr::{Derivation, Expr, Pool, Symbol};
use dalembert_linalg::Rng;
use dalembert_run::State;

const NAME: &str = "changed_speeds";
const MOTION: &str = "motion_changed_speeds";

/// Beyond this many speeds the change is constant: brackets of so many fields take too long.
const MAX_VARYING: usize = 24;
/// ... and beyond this none is tried.
const MAX_CHANGED: usize = 120;

/// `changed_speeds` and `motion_changed_speeds`. The pool of `model` is away meanwhile.
pub(super) fn judge(model: &mut Workspace, readings: &[Reading], path: &Path, found: &mut Verification) {
    let old: Vec<Symbol> = model.form.speeds.clone();
    // A frame that closes with constants should go on doing so; others take any change.
    let closed = model.system.frame.speeds_in_rates.is_none() || old.len() > MAX_VARYING;
    if old.len() > MAX_CHANGED {
        let reason = format!("frames of more than {MAX_CHANGED} speeds are not changed");
        found.take(Tally::skipped(NAME, reason.clone()));
        return found.take(Tally::skipped(MOTION, reason));
    }
    let change = Change::random(&mut model.system, closed, &path.scales, &mut Rng::new(5));
    let mut other = match changed(model, &change) {
        Ok(other) => other,
        Err(d) => {
            found.take(Tally::skipped(NAME, d.message.clone()));
            return found.take(Tally::skipped(MOTION, d.message));
        }
    };
    let road = Road::of(&mut other, change, old);
    let mut tally = Tally::new(NAME, "accelerations and forces in randomly changed speeds");
    for reading in readings {
        match road.solve(&mut other, reading) {
            Some(Solved { eta_dot, ideal, nonideal, carried }) => {
                // R w' and R' w may be larger than their sum.
                let conditioning = (1.0 + carried / reading.size()) / reading.solution.margin.max(1e-12);
                tally.take(reading.compare(Some(&eta_dot), Some(&ideal), Some(&nonideal), conditioning));
            }
            None => tally.because("in changed speeds the states cannot be evaluated"),
        }
    }
    found.take(tally);
    let mut tally = Tally::new(MOTION, "the motion in randomly changed speeds");
    match path.states.first() {
        None => tally.because(path.trouble.clone().unwrap_or_default()),
        Some(start) => {
            let start = road.there(&mut other, start);
            match path.compare_changed(&mut other, &start, |other, state| road.back(other, state)) {
                Ok(difference) => tally.take(difference),
                Err(reason) => tally.because(reason),
            }
        }
    }
    found.take(tally);
    give_back(model, other);
}

/// The way between eta and w.
struct Road {
    change: Change,
    old: Vec<Symbol>,
    /// `R^-1 eta`
    w: Vec<Expr>,
    /// `R w' + (D R) w`
    eta_dot: Vec<Expr>,
    inverse: Vec<Expr>,
    matrix: Vec<Expr>,
}

/// What the changed model says, in the old speeds.
struct Solved {
    eta_dot: Vec<f64>,
    ideal: Vec<f64>,
    nonideal: Vec<f64>,
    /// The largest term in R w', in the common unit.
    carried: f64,
}

impl Road {
    fn of(other: &mut Workspace, change: Change, old: Vec<Symbol>) -> Self {
        let (system, form) = (&mut other.system, &other.form);
        let pool = &mut system.pool;
        let mut seeds: Vec<(Symbol, Expr)> = vec![(form.time, Pool::ONE)];
        seeds.extend(form.coordinates.iter().copied().zip(form.x_dot.iter().copied()));
        seeds.extend(form.speeds.iter().zip(&change.accelerations).map(|(w, z)| (*w, pool.var(*z))));
        let mut along = Derivation::new(seeds);
        let eta_dot = change.eta.iter().map(|e| along.apply(pool, *e)).collect();
        let eta: Vec<Expr> = old.iter().map(|s| pool.var(*s)).collect();
        let w = change.inverse.iter().map(|row| super::changed::dot(pool, row, &eta)).collect();
        let inverse = change.inverse.iter().flatten().copied().collect();
        let matrix = change.matrix.iter().flatten().copied().collect();
        Road { change, old, w, eta_dot, inverse, matrix }
    }

    fn there(&self, other: &mut Workspace, state: &State) -> State {
        let mut values = super::symbols::state_values(other, state);
        values.extend(self.old.iter().copied().zip(state.eta.iter().copied()));
        State::new(state.t, &state.x, &evaluate(other, &self.w, &values))
    }

    fn back(&self, other: &mut Workspace, state: &State) -> State {
        let values = super::symbols::state_values(other, state);
        State::new(state.t, &state.x, &evaluate(other, &self.change.eta, &values))
    }

    /// eta', Q_i and Q_ni of the changed model, in the old speeds.
    fn solve(&self, other: &mut Workspace, reading: &Reading) -> Option<Solved> {
        let state = self.there(other, &reading.state);
        let solution = other.evaluate(&state).ok()?.solution;
        let mut values = super::symbols::state_values(other, &state);
        values.extend(self.change.accelerations.iter().copied().zip(solution.eta_dot.iter().copied()));
        let eta_dot = evaluate(other, &self.eta_dot, &values);
        let inverse = evaluate(other, &self.inverse, &values);
        let n = eta_dot.len();
        let force = |f: &[f64]| -> Vec<f64> {
            (0..n)
                .map(|p| {
                    let column: Vec<f64> = (0..n).map(|q| inverse[q * n + p]).collect();
                    dot(&column, f)
                })
                .collect()
        };
        let (matrix, d) = (evaluate(other, &self.matrix, &values), reading.weights());
        let carried =
            (0..n * n).fold(0.0f64, |m, k| m.max((d[k / n] * matrix[k] * solution.eta_dot[k % n]).abs()));
        let (ideal, nonideal) = (force(&solution.ideal_force), force(&solution.nonideal_force));
        Some(Solved { eta_dot, ideal, nonideal, carried })
    }
}
