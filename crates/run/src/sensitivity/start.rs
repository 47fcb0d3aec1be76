//! Directions in which a consistent start can be varied: tangent to the constraints, with what is fixed held.

use crate::kernel::{Differentiable, Direction};
use crate::{Level, StartGuess, State, Terms};
use dalembert_linalg::{Cod, RANK_TOL, mat_vec, norm};

/// What is left of a row, relative to its own terms, that rounding explains.
const ROUNDING: f64 = 1e-7;

/// A direction at the start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StartDirection {
    /// Change of the configuration.
    pub x: Vec<f64>,
    /// Change of the speeds.
    pub eta: Vec<f64>,
    /// Change of the parameters.
    pub parameters: Vec<f64>,
}

/// Completes a direction so that all rows hold to first order: what is not fixed in the guess changes by as little as
/// possible. The row that breaks, if there is no such change.
///
/// ```text
/// f_x dx + f_p dp = 0,      A deta + psi_x dx + psi_p dp = 0
/// ```
pub fn tangent_start(
    kernel: &dyn Differentiable,
    state: &State,
    guess: &StartGuess,
    direction: &mut StartDirection,
) -> Result<(), usize> {
    let shape = kernel.shape();
    let (n_x, n, m, k) = (shape.n_x, shape.n_eta, shape.n_con, shape.n_invariant);
    let mut scratch = vec![0.0; kernel.scratch_len().max(kernel.derivative_scratch_len())];
    let (mut phi, mut psi) = (vec![0.0; m], vec![0.0; m]);
    let fixed = |flags: &[bool], i: usize| flags.get(i).copied().unwrap_or(false);
    // Positions, with what the kinematics conserve held.
    let mut rows = vec![0.0; m * n_x];
    kernel.position_gradient(state.t, &state.x, &mut scratch, &mut rows);
    let (mut values, mut gradients) = (vec![0.0; k], vec![0.0; k * n_x]);
    kernel.invariants(&state.x, &mut scratch, &mut values, &mut gradients);
    rows.extend(gradients);
    let along = Direction { t: 0.0, x: &direction.x, eta: &direction.eta, parameters: &direction.parameters };
    kernel.residuals_along(state.point(), along, &mut scratch, &mut phi, &mut psi);
    let mut left: Vec<f64> = phi.iter().map(|v| -v).collect();
    left.resize(m + k, 0.0);
    let change = correct(&rows, n_x, &left, |i| fixed(&guess.x_fixed, i))?;
    direction.x.iter_mut().zip(&change).for_each(|(v, c)| *v += c);
    // Speeds.
    let mut terms = Terms::of(kernel);
    kernel.terms(state.point(), &mut scratch, &mut terms);
    let mut rows = terms.written_out().A;
    let along = Direction { t: 0.0, x: &direction.x, eta: &direction.eta, parameters: &direction.parameters };
    kernel.residuals_along(state.point(), along, &mut scratch, &mut phi, &mut psi);
    let mut left: Vec<f64> = psi.iter().map(|v| -v).collect();
    for (i, level) in kernel.levels().iter().enumerate() {
        if *level == Level::Acceleration {
            rows[i * n..(i + 1) * n].fill(0.0);
            left[i] = 0.0;
        }
    }
    for condition in &guess.conditions {
        rows.extend(&condition.row);
        left.push(0.0);
    }
    let change = correct(&rows, n, &left, |i| fixed(&guess.eta_fixed, i))?;
    direction.eta.iter_mut().zip(&change).for_each(|(v, c)| *v += c);
    Ok(())
}

/// The least change of what is free with rows times it equal to `right`; the worst row if there is none.
fn correct(rows: &[f64], n: usize, right: &[f64], fixed: impl Fn(usize) -> bool) -> Result<Vec<f64>, usize> {
    let m = right.len();
    let mut change = vec![0.0; n];
    if m == 0 || n == 0 {
        return Ok(change);
    }
    let mut free = rows.to_vec();
    for row in free.chunks_mut(n) {
        row.iter_mut().enumerate().filter(|(i, _)| fixed(*i)).for_each(|(_, v)| *v = 0.0);
    }
    // Rows of unit length, so that units do not matter.
    let mut scaled = right.to_vec();
    for (row, right) in free.chunks_mut(n).zip(&mut scaled) {
        let size = norm(row);
        if size > 0.0 {
            row.iter_mut().for_each(|v| *v /= size);
            *right /= size;
        }
    }
    let mut cod = Cod::new(m, n);
    cod.factor(&free, RANK_TOL);
    cod.solve(&scaled, &mut change);
    let mut reached = vec![0.0; m];
    mat_vec(&free, &change, &mut reached);
    let size = scaled.iter().fold(0.0f64, |s, v| s.max(v.abs()));
    let worst = (0..m)
        .map(|i| ((reached[i] - scaled[i]).abs(), i))
        .fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a });
    if worst.0 > ROUNDING * size.max(1e-3 * norm(&change)) && worst.0 > 1e-12 {
        return Err(worst.1);
    }
    Ok(change)
}
