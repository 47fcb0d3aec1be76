//! What requirements ask of control at a state, and its answer, in numbers (C1).
//!
//! ```text
//! e_c = b_c - A_c a_n,   u = G e_c,   G = W^{-1/2} (A_c P S W^{-1/2})^+
//! ```
//!
//! a_n is the acceleration without control, constraints and non-ideal work included; P S is how it answers the inputs, one at a
//! time. Holds where that answer is linear: without Coulomb friction, and where C does not read what the inputs press.
//! Source: [U05b] (24), (25). Checked by `tests/it/explicit_terms.rs`: G e_c are the inputs of the general solve.

use crate::workspace::{Evaluation, Workspace};
use dalembert_linalg::{Cod, Mat, cholesky, dot, solve_lower, solve_lower_transposed};
use dalembert_run::{Accelerator, ControlInput, ControlTerms, Dynamics};

/// Directions weaker than this, relative to the strongest, count as none.
const RANK: f64 = 1e-10;

/// e_c and G.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ControlGain {
    /// e_c = b_c - A_c a_n of each requirement.
    pub error: Vec<f64>,
    /// G row by row, a row for each input.
    pub gain: Vec<Vec<f64>>,
}

impl Workspace {
    /// e_c and G at a state that was evaluated; `None` where control does not act linearly, or its cost is not positive.
    pub(super) fn control_gain(&self, now: &Evaluation, control: &ControlTerms) -> Option<ControlGain> {
        let shape = self.compiled.shape();
        let (n, count, rows) = (shape.n_eta, shape.n_input, shape.n_require);
        let reads = self.compiled.capabilities().rows_read();
        if rows == 0 || shape.n_contact > 0 || !reads.is_empty() || now.terms.sparsity.is_some() {
            return None;
        }
        let mut accelerator = Accelerator::new(&self.compiled);
        let mut answer = |inputs: &[f64]| -> Option<Vec<f64>> {
            let given = ControlInput::Given(inputs);
            let solved = accelerator.solve_with_input(&self.compiled, now.state.point(), given);
            solved.ok().map(|solution| solution.eta_dot.clone())
        };
        let natural = answer(&vec![0.0; count])?;
        let requirements = || control.A.chunks(n.max(1));
        let error = requirements().zip(&control.b).map(|(row, b)| b - dot(row, &natural)).collect();
        // P S by columns, an input at a time and as large as the other forces, so that differences keep their digits.
        let size = now.terms.Q.iter().chain(&now.solution.ideal_force).fold(1.0f64, |m, f| m.max(f.abs()));
        let mut reach: Vec<Vec<f64>> = Vec::with_capacity(count);
        for j in 0..count {
            let inputs: Vec<f64> = (0..count).map(|k| if k == j { size } else { 0.0 }).collect();
            let moved = answer(&inputs)?;
            reach.push(moved.iter().zip(&natural).map(|(with, without)| (with - without) / size).collect());
        }
        let mut L = self.cost_of_inputs(now, control)?;
        cholesky(&mut L, count).ok()?;
        // Rows of A_c P S L^-T, and G = L^-T times their inverse.
        let mut scaled = Vec::with_capacity(rows * count);
        for row in requirements() {
            let mut own: Vec<f64> = reach.iter().map(|z| dot(row, z)).collect();
            solve_lower(&L, count, &mut own);
            scaled.extend(own);
        }
        let inverse = pseudo_inverse(&scaled, rows, count);
        let mut gain = vec![vec![0.0; rows]; count];
        for i in 0..rows {
            let mut u: Vec<f64> = inverse.iter().map(|row| row[i]).collect();
            solve_lower_transposed(&L, count, &mut u);
            gain.iter_mut().zip(u).for_each(|(row, u)| row[i] = u);
        }
        Some(ControlGain { error, gain })
    }

    /// W, or S^T M^-1 S where the model gives none.
    fn cost_of_inputs(&self, now: &Evaluation, control: &ControlTerms) -> Option<Mat<Vec<f64>>> {
        let shape = self.compiled.shape();
        let (n, count) = (shape.n_eta, shape.n_input);
        if !control.W.is_empty() {
            return Some(Mat::new(control.W.clone(), count));
        }
        let mut factor = Mat::new(now.terms.M.clone(), n);
        cholesky(&mut factor, n).ok()?;
        let half = |j: usize| -> Vec<f64> {
            let mut column: Vec<f64> = (0..n).map(|i| control.S[i * count + j]).collect();
            solve_lower(&factor, n, &mut column);
            column
        };
        let halves: Vec<Vec<f64>> = (0..count).map(half).collect();
        let mut W = Mat::zeros(count, count);
        for i in 0..count {
            for j in 0..count {
                W[[i, j]] = dot(&halves[i], &halves[j]);
            }
        }
        Some(W)
    }
}

/// The pseudo-inverse of B (m rows of n numbers), a row for each of its columns.
pub(super) fn pseudo_inverse(B: &[f64], m: usize, n: usize) -> Vec<Vec<f64>> {
    let mut inverse = vec![vec![0.0; m]; n];
    if m == 0 || n == 0 {
        return inverse;
    }
    let mut cod = Cod::new(m, n);
    cod.factor(B, RANK);
    let (mut unit, mut y) = (vec![0.0; m], vec![0.0; n]);
    for j in 0..m {
        unit.fill(0.0);
        unit[j] = 1.0;
        cod.solve(&unit, &mut y);
        (0..n).for_each(|i| inverse[i][j] = y[i]);
    }
    inverse
}
