//! Conserved quantities put to the test: exactly along the equations of motion, and along a computed motion.
//!
//! ```text
//! D J = J_t + J_x x' + J_eta eta',   [M, -A^T; A, 0] (eta', lambda) = (Q + C, b)
//! ```

use super::dynamics::SymbolicDynamics;
use crate::constraint::constraint_kind;
use crate::simulate::{Motion, Request};
use crate::workspace::Workspace;
use dalembert_expr::echelon::{dot, solve};
use dalembert_expr::{Expr, Residue, Switch};
use dalembert_run::Flow;

/// A quantity counts as kept along a computed motion below this drift, relative to the size of its terms.
pub(crate) const DRIFT_TOL: f64 = 1e-7;
/// Above this drift no inaccuracy of the motion explains it.
pub(crate) const CONTRADICTION: f64 = 1e-3;
/// Tolerance of the motion.
const RTOL: f64 = 1e-11;
/// The motion is followed for at most this time and these steps.
const MAX_TIME: f64 = 5.0;
const MAX_STEPS: usize = 4000;
/// Quantities are multiplied out up to this many terms to know their size.
const MAX_TERMS: usize = 400;
/// Larger systems of accelerations and multipliers are not solved exactly.
const MAX_EXACT: usize = 400;

/// As many states are looked at where signs divide them into pieces.
pub const PIECES: usize = 48;

/// Is D J zero along the equations of motion, at states of two primes? `None` if that could not be found out.
pub(super) fn is_conserved(model: &mut Workspace, d: &mut SymbolicDynamics, J: Expr) -> Option<bool> {
    let (n, m) = (d.eta.len(), d.residuals.len());
    if d.reacting || n + m > MAX_EXACT {
        return None;
    }
    let J = d.closed(model, J);
    let symbols: Vec<_> = d.x.iter().chain(&d.eta).copied().chain([d.time]).collect();
    let gradient = d.pool.gradient(J, &symbols);
    let mut wanted: Vec<Expr> = gradient.clone();
    wanted.extend(d.mass.iter().chain(&d.constraint_matrix).map(|(_, _, e)| *e));
    wanted.extend(d.force.iter().chain(&d.nonideal).chain(&d.constraint_right).chain(&d.x_dot));
    // What holds on the pieces holds for the motion if nothing jumps between them.
    let state: Vec<Expr> = d
        .constraint_matrix
        .iter()
        .map(|(_, _, e)| *e)
        .chain(d.residuals.clone())
        .chain(d.x_dot.clone())
        .collect();
    if d.jumps(&[J]).len() + d.jumps(&state).len() > 0 {
        return Some(false);
    }
    let piecewise = Switch::is_piecewise(&d.pool, &wanted);
    for k in 0..if piecewise { PIECES } else { 2 } {
        let mut sample = d.state(k, 7000 + k as u64, &wanted)?;
        let f = sample.field();
        let M = d.dense(&mut sample, &d.mass, n, n)?;
        let A = d.dense(&mut sample, &d.constraint_matrix, m, n)?;
        let mut right = sample.values(&d.pool, &d.force)?;
        let C = sample.values(&d.pool, &d.nonideal)?;
        right.iter_mut().zip(&C).for_each(|(q, c)| *q = f.add(*q, *c));
        right.extend(sample.values(&d.pool, &d.constraint_right)?);
        let mut rows: Vec<Vec<Residue>> = M;
        for (p, row) in rows.iter_mut().enumerate() {
            row.extend(A.iter().map(|a| f.neg(a[p])));
        }
        rows.extend(A.into_iter().map(|a| a.into_iter().chain(vec![Residue::ZERO; m]).collect()));
        let solution = solve(f, &rows, &right, &vec![Residue::ZERO; n + m])?;
        let mut rates = sample.values(&d.pool, &d.x_dot)?;
        rates.extend_from_slice(&solution[..n]);
        rates.push(f.one());
        let slopes = sample.values(&d.pool, &gradient)?;
        if !dot(f, &slopes, &rates).is_zero() {
            return Some(false);
        }
    }
    Some(true)
}

/// The largest change of each quantity along a motion from the model's start, relative to the size of its terms.
pub(super) fn drift(model: &mut Workspace, quantities: &[Expr]) -> Result<Vec<f64>, String> {
    if quantities.is_empty() {
        return Ok(Vec::new());
    }
    let stated = model.system.experiment.run.as_ref().map(|run| run.until);
    let until = stated.map_or(MAX_TIME, |e| model.constant(e)).min(MAX_TIME);
    let request = Request {
        until: Some(until),
        every: Some(until / 50.0),
        rtol: Some(RTOL),
        max_steps: Some(MAX_STEPS),
        ..Request::default()
    };
    let mut motion = model.simulate(&request, |_| Flow::Continue).map_err(|d| d.message.clone())?;
    if is_still(&motion)
        && let Ok(start) = model.start()
        && let Some(beside) = constraint_kind::neighbour(model, &start.state)
    {
        // At rest everything is constant: a state beside it tells more.
        let request = Request { start: Some(beside.state), ..request };
        motion = model.simulate(&request, |_| Flow::Continue).map_err(|d| d.message.clone())?;
    }
    let rows: Vec<&[f64]> = motion.table.rows().collect();
    if rows.len() < 2 {
        return Err(motion.failure.map_or_else(|| "it ends where it starts".to_owned(), |d| d.message));
    }
    let state_symbols = model.system.table_symbols();
    let pool = &mut model.system.pool;
    let terms: Vec<Vec<Expr>> = quantities.iter().map(|J| sizes(pool, *J)).collect();
    let all: Vec<Expr> = quantities.iter().chain(terms.iter().flatten()).copied().collect();
    let mut inputs = vec![model.form.time];
    // Rows have the order of tables, in which state variables are behind the speeds.
    inputs.extend(state_symbols.iter().chain(&model.form.parameters));
    let program = pool.lower(&inputs, &all);
    let (mut registers, mut out) = (vec![0.0; program.register_count()], vec![0.0; all.len()]);
    let state = 1 + model.form.coordinates.len() + model.form.speeds.len();
    let count = quantities.len();
    let (mut first, mut worst, mut size) = (Vec::new(), vec![0.0f64; count], vec![0.0f64; count]);
    for row in rows {
        let values: Vec<f64> = row[..state].iter().chain(model.compiled.parameters()).copied().collect();
        program.run(&values, &mut registers, &mut out);
        if first.is_empty() {
            first = out[..count].to_vec();
        }
        let mut place = count;
        for k in 0..count {
            let change = (out[k] - first[k]).abs();
            worst[k] = if change.is_nan() { f64::INFINITY } else { worst[k].max(change) };
            let total: f64 = out[place..place + terms[k].len()].iter().map(|v| v.abs()).sum();
            size[k] = size[k].max(total);
            place += terms[k].len();
        }
    }
    Ok(worst.iter().zip(&size).map(|(w, s)| if *s > 0.0 { w / s } else { *w }).collect())
}

/// Does the state stay where it is?
fn is_still(motion: &Motion) -> bool {
    let mut rows = motion.table.rows();
    let Some(first) = rows.next() else { return false };
    rows.all(|row| row[1..].iter().zip(&first[1..]).all(|(a, b)| (a - b).abs() < 1e-12))
}

/// The terms of a sum, multiplied out: what cancels in a quantity that happens to be zero.
fn sizes(pool: &mut dalembert_expr::Pool, J: Expr) -> Vec<Expr> {
    let J = pool.expand(J, MAX_TERMS).unwrap_or(J);
    match pool.node(J).clone() {
        dalembert_expr::Node::Sum(_, terms) => terms.iter().map(|(e, c)| pool.scale(*e, c.clone())).collect(),
        _ => vec![J],
    }
}
