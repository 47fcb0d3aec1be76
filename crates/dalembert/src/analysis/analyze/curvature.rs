//! Is a row that is nonlinear in the rates linear in disguise?
//!
//! ```text
//! t^T (d2 psi/d eta2) t = 0   for all t with A t = 0, at states on the constraints
//! ```
//!
//! Rates that satisfy linear rows make a flat, along which no row bends. Where a row does, no linear rows say the same: it is
//! nonholonomic. x'^2 + y'^2 = z'^2 bends; x'^2 = y'^2 is two planes; homogeneous rows that leave one direction free make lines.
//! That a row does not bend at the states looked at proves nothing, and is told as undecided.
//! Checked by `tests/it/analyze.rs`.

use crate::workspace::Workspace;
use dalembert_expr::{Expr, Symbol};
use dalembert_linalg::{Cod, dot, norm_max};
use dalembert_run::{Dynamics, State, Terms};

/// Bending, relative to the largest second derivative, that is no rounding.
const BENT: f64 = 1e-6;
/// Relative length below which a row counts as dependent on the others, or as vanishing.
const WEAK: f64 = 1e-9;

/// Whether row `index` bends along the others at one of these states.
pub(super) fn curved(model: &mut Workspace, index: usize, states: &[State]) -> bool {
    let speeds = model.form.speeds.clone();
    let pool = &mut model.system.pool;
    let slopes = pool.gradient(model.form.velocity_residuals[index], &speeds);
    let second: Vec<Expr> = slopes.into_iter().flat_map(|slope| pool.gradient(slope, &speeds)).collect();
    states.iter().any(|state| bends(model, index, &second, state))
}

fn bends(model: &mut Workspace, index: usize, second: &[Expr], state: &State) -> bool {
    let (n, m) = (model.form.speeds.len(), model.form.velocity_residuals.len());
    let mut terms = Terms::new(&model.compiled.shape());
    model.compiled.terms(state.point(), &mut vec![0.0; model.compiled.scratch_len()], &mut terms);
    let A = terms.written_out().A;
    // At an apex, as at rest on a cone, the row has no direction.
    if norm_max(&A[index * n..(index + 1) * n]) <= WEAK {
        return false;
    }
    let H = at(model, second, state);
    let mut cod = Cod::new(m, n);
    let rank = cod.factor(&A, WEAK);
    let mut t = vec![0.0; n];
    let free: Vec<Vec<f64>> = (0..n - rank)
        .map(|j| {
            cod.lq.null_vector(j, &mut t);
            t.clone()
        })
        .collect();
    let image = |t: &[f64]| -> Vec<f64> { H.chunks(n).map(|row| dot(row, t)).collect() };
    let limit = BENT * norm_max(&H);
    free.iter().any(|t| {
        let image = image(t);
        free.iter().any(|s| dot(s, &image).abs() > limit)
    })
}

/// Expressions of the state, in numbers.
fn at(model: &mut Workspace, expressions: &[Expr], state: &State) -> Vec<f64> {
    let form = &model.form;
    let known = |list: &[Symbol], values: &[f64], s: Symbol| {
        list.iter().position(|k| *k == s).and_then(|k| values.get(k).copied())
    };
    let parameters = model.compiled.parameters();
    model.system.pool.evaluate_all(expressions, |s| {
        (s == form.time)
            .then_some(state.t)
            .or_else(|| known(&form.coordinates, &state.x, s))
            .or_else(|| known(&form.speeds, &state.eta, s))
            .or_else(|| known(&form.parameters, parameters, s))
            .unwrap_or(f64::NAN)
    })
}
