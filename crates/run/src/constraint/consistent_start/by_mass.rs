//! The start nearest to a guess by the masses: what does not depend on the coordinates that a mechanism was given.
//!
//! ```text
//! x     least  (x - guess)^T G (x - guess),          G the metric that M at the guess induces
//! eta   least  (eta - guess)^T M (eta - guess)       guess 0 where a speed is given: of all motions that take the given
//!                                                    speeds the one of least energy (Kelvin), where nothing else is guessed
//! ```
//!
//! With `T T^T = M^-1` the nearest solution is the fixed point of `v <- guess + T (J T)^+ (J (v - guess) - r(v))`. It is looked
//! for from a solution that is found already, which stays where the iteration does not settle.

use super::search::{Equations, nearest};
use crate::{Dynamics, Point, Terms};
use dalembert_linalg::{Cod, cholesky, norm, norm_max, solve_lower_transposed};

/// Part of the largest entry of M that every direction gets where M is singular: bodies without mass count a little.
const LEAST_SHARE: f64 = 1e-9;
/// Rank of the rows.
const RANK_TOL: f64 = 1e-9;
/// How far the last step of the search may move what the iteration found.
const SETTLED: f64 = 1e-9;

/// Columns T of a metric, `v - guess = T w` with the length of w, n rows.
pub(super) struct Metric {
    columns: Vec<Vec<f64>>,
}

impl Metric {
    /// Of speeds: the columns of `L^-T`, `M = L L^T`. `None` where M is large and sparse, or not a mass matrix.
    pub fn of_speeds(kernel: &dyn Dynamics, t: f64, x: &[f64]) -> Option<Metric> {
        let (shape, n) = (kernel.shape(), kernel.shape().n_eta);
        if kernel.capabilities().sparsity.is_some() {
            return None;
        }
        let (mut terms, mut scratch) = (Terms::new(&shape), vec![0.0; kernel.scratch_len()]);
        kernel.terms(Point { t, x, eta: &vec![0.0; n] }, &mut scratch, &mut terms);
        let mut M_chol = terms.M.clone();
        if cholesky(&mut M_chol, n).is_err() {
            let share = LEAST_SHARE * norm_max(&terms.M);
            (0..n).for_each(|i| terms.M[i * n + i] += share);
            cholesky(&mut terms.M, n).ok()?;
            M_chol = terms.M;
        }
        let column = |k: usize| {
            let mut column = vec![0.0; n];
            column[k] = 1.0;
            solve_lower_transposed(&M_chol, n, &mut column);
            column
        };
        let columns: Vec<Vec<f64>> = (0..n).map(column).collect();
        columns.iter().flatten().all(|v| v.is_finite()).then_some(Metric { columns })
    }

    /// Of coordinates: `x' = X eta`, and the directions in which the kinematics never move them.
    pub fn of_positions(kernel: &dyn Dynamics, t: f64, x: &[f64]) -> Option<Metric> {
        let (shape, n) = (kernel.shape(), kernel.shape().n_eta);
        let speeds = Metric::of_speeds(kernel, t, x)?;
        if shape.identity_frame {
            return Some(speeds);
        }
        let mut scratch = vec![0.0; kernel.scratch_len()];
        let mut X = vec![0.0; shape.n_x * n];
        kernel.frame(t, x, &mut scratch, &mut X);
        let moved =
            |eta: &Vec<f64>| X.chunks_exact(n.max(1)).map(|row| dalembert_linalg::dot(row, eta)).collect();
        let mut columns: Vec<Vec<f64>> = speeds.columns.iter().map(moved).collect();
        let mut values = vec![0.0; shape.n_invariant];
        let mut gradients = vec![0.0; shape.n_invariant * shape.n_x];
        kernel.invariants(x, &mut scratch, &mut values, &mut gradients);
        for gradient in gradients.chunks_exact(shape.n_x.max(1)) {
            let length = norm(gradient);
            columns.push(gradient.iter().map(|g| if length > 0.0 { g / length } else { 0.0 }).collect());
        }
        Some(Metric { columns })
    }

    /// Moves the solution `v` to the one nearest to `guess`, with entries that are not free held.
    pub fn anchor(&self, equations: &mut dyn Equations, guess: &[f64], v: &mut Vec<f64>, free: &[bool]) {
        let mut tried = v.clone();
        if equations.count() == 0 || guess == v || !self.settle(equations, guess, &mut tried, free) {
            return;
        }
        let settled = tried.clone();
        let reach = SETTLED * (1.0 + norm_max(&settled));
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= reach);
        if nearest(equations, &mut tried, free).is_ok() && near(&tried, &settled) {
            *v = tried;
        }
    }

    /// The fixed point of the anchored step; whether there is one.
    fn settle(&self, equations: &mut dyn Equations, guess: &[f64], v: &mut [f64], free: &[bool]) -> bool {
        let (m, n, k) = (equations.count(), v.len(), self.columns.len());
        let held: Vec<usize> = (0..n).filter(|&i| !free[i]).collect();
        let (mut r, mut J) = (vec![0.0; m], vec![0.0; m * n]);
        let mut cod = Cod::new(m + held.len(), k);
        let (mut w, mut before) = (vec![0.0; k], f64::INFINITY);
        for _ in 0..100 {
            equations.residual(v, &mut r);
            equations.jacobian(v, &mut J);
            let (mut rows, mut right) = (Vec::with_capacity((m + held.len()) * k), Vec::new());
            for (row, r) in J.chunks_exact(n.max(1)).zip(&r) {
                let length = match norm(row) {
                    0.0 => 1.0,
                    length => length,
                };
                let away: f64 = row.iter().zip(v.iter().zip(guess)).map(|(a, (v, g))| a * (v - g)).sum();
                rows.extend(self.columns.iter().map(|column| dalembert_linalg::dot(row, column) / length));
                right.push((away - r) / length);
            }
            for &i in &held {
                rows.extend(self.columns.iter().map(|column| column[i]));
                right.push(v[i] - guess[i]);
            }
            cod.factor(&rows, RANK_TOL);
            cod.solve(&right, &mut w);
            let mut change = 0.0_f64;
            for i in (0..n).filter(|&i| free[i]) {
                let next =
                    guess[i] + self.columns.iter().zip(&w).map(|(column, w)| column[i] * w).sum::<f64>();
                change = change.max((next - v[i]).abs());
                v[i] = next;
            }
            if !(change < 2.0 * before) {
                return false;
            }
            before = change;
            if change <= 1e-14 * (1.0 + norm_max(v)) {
                return true;
            }
        }
        false
    }
}
