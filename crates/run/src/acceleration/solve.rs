//! The solve itself: terms from the kernel, checks, U1-U9 by [`Factor`].

use super::factor::{Factor, Massless, Rules};
use super::{AccelerationError, Path, Solution, Term};
use crate::integrate::Baumgarte;
use crate::linalg::{Cod, RANK_TOL, axpy, dot, mat_vec, norm_max};
use crate::{IdealForces, Kernel, Point, Shape, Terms};

/// Scaled residual (U6) above which rows contradict each other.
///
/// The residual of a row is measured against the sizes of its own numbers, `|b_i| + sum_j |A_ij| (|eta'_j| + |a_j|)`, so
/// it is free of units of the row; but not against less than `COUPLING` of what the largest accelerations and squares
/// of speeds would make of the row: where its own numbers vanish, what is left is the rounding of the others.
pub const CONSISTENCY_TOL: f64 = 1e-7;

/// Rounding of the whole solve that may stand in a row, against [`CONSISTENCY_TOL`] of its own numbers.
const COUPLING: f64 = 1e-5;
/// Rows that hold worse than this, against their own numbers, are improved once: very unequal masses cost digits.
const REFINE: f64 = 1e-13;

/// Accelerations and forces at one state, with a workspace of its own (convenience; see [`Accelerator`]).
pub fn accelerate(kernel: &dyn Kernel, at: Point<'_>) -> Result<Solution, AccelerationError> {
    let mut accelerator = Accelerator::new(kernel);
    accelerator.solve(kernel, at)?;
    Ok(accelerator.solution)
}

/// Workspace for accelerations of one kernel, sized once.
#[derive(Clone, Debug)]
pub struct Accelerator {
    shape: Shape,
    terms: Terms,
    solution: Solution,
    pub(crate) factor: Factor,
    scratch: Vec<f64>,
    C: Vec<f64>,
    /// Changes by refinement.
    correction: Solution,
    work_n: Vec<f64>,
    work_m: Vec<f64>,
    phi: Vec<f64>,
    psi: Vec<f64>,
    /// Which factorisation to use.
    pub path: Path,
    /// Largest scaled residual (U6) that passes; [`CONSISTENCY_TOL`] unless set.
    pub consistency_tol: f64,
    /// Rank known from the motion, if any: no more directions than these are kept.
    pub max_rank: Option<usize>,
    /// Constraint stabilisation (C2).
    pub baumgarte: Option<Baumgarte>,
}

impl Accelerator {
    /// Sized for a kernel.
    pub fn new(kernel: &dyn Kernel) -> Self {
        Self::with_shape(kernel.shape(), kernel.scratch_len())
    }

    /// Sized without a kernel, for terms that come from elsewhere (see [`solve_terms`](Accelerator::solve_terms)).
    pub fn with_shape(shape: Shape, scratch_len: usize) -> Self {
        let (n, m) = (shape.n_eta, shape.n_con);
        Self {
            shape,
            terms: Terms::new(&shape),
            solution: Solution::new(&shape),
            factor: Factor::new(n, m),
            scratch: vec![0.0; scratch_len],
            C: vec![0.0; n],
            correction: Solution::new(&shape),
            work_n: vec![0.0; n],
            work_m: vec![0.0; m],
            phi: vec![0.0; m],
            psi: vec![0.0; m],
            path: Path::Auto,
            consistency_tol: CONSISTENCY_TOL,
            max_rank: None,
            baumgarte: None,
        }
    }

    /// The result of the last successful solve.
    pub fn solution(&self) -> &Solution {
        &self.solution
    }

    /// The terms of the last solve.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// U1-U9 at a state of the kernel.
    pub fn solve(&mut self, kernel: &dyn Kernel, at: Point<'_>) -> Result<&Solution, AccelerationError> {
        kernel.terms(at, &mut self.scratch, &mut self.terms);
        if let Some(Baumgarte { alpha, beta }) = self.baumgarte {
            kernel.residuals(at, &mut self.scratch, &mut self.phi, &mut self.psi);
            for i in 0..self.shape.n_con {
                self.terms.b[i] -= 2.0 * alpha * self.psi[i] + beta * beta * self.phi[i];
            }
        }
        let terms = std::mem::take(&mut self.terms);
        let mut scratch = std::mem::take(&mut self.scratch);
        let result = self.solve_terms(at.t, norm_max(at.eta), &terms, |ideal, C| {
            kernel.nonideal(at, ideal, &mut scratch, C);
        });
        self.terms = terms;
        self.scratch = scratch;
        result?;
        Ok(&self.solution)
    }

    /// U1-U9 for given terms; `nonideal` is asked for C once the ideal forces are known (U8).
    pub fn solve_terms(
        &mut self,
        t: f64,
        speed: f64,
        terms: &Terms,
        nonideal: impl FnOnce(&IdealForces<'_>, &mut [f64]),
    ) -> Result<(), AccelerationError> {
        check_finite(t, terms)?;
        let rules =
            Rules { path: self.path, rank_tol: RANK_TOL, max_rank: self.max_rank.unwrap_or(usize::MAX) };
        self.factor
            .factor(&terms.M, &terms.A, rules)
            .map_err(|Massless { speed, pivot }| AccelerationError::MassSingular { t, speed, pivot })?;
        self.solve_ideal(terms);
        self.check_consistent(t, speed, terms)?;
        self.solve_nonideal(t, terms, nonideal)?;
        match first_bad(&self.solution.eta_dot) {
            Some(index) => Err(AccelerationError::NotFinite { t, term: Term::Acceleration, index }),
            None => Ok(()),
        }
    }

    /// U2: eta' without C, lambda and Q_i = A^T lambda.
    fn solve_ideal(&mut self, terms: &Terms) {
        let (n, s) = (self.shape.n_eta, &mut self.solution);
        self.factor.solve(&terms.Q, &terms.b, &mut s.eta_dot, &mut s.lambda);
        (s.rank, s.margin, s.path) = (self.factor.rank, self.factor.margin, self.factor.taken);
        self.factor.force(&terms.Q, &s.eta_dot, &s.lambda, &mut s.ideal_force);
        if !self.factor.mass_is_positive() {
            s.a_free.fill(f64::NAN);
            return;
        }
        s.a_free.copy_from_slice(&terms.Q);
        self.factor.unconstrained(&mut s.a_free);
        let mut poor = false;
        for i in 0..self.shape.n_con {
            let row = &terms.A[i * n..(i + 1) * n];
            self.work_m[i] = terms.b[i] - dot(row, &s.eta_dot);
            let own = row.iter().zip(&s.eta_dot).fold(terms.b[i].abs(), |sum, (a, z)| sum + (a * z).abs());
            poor |= self.work_m[i].abs() > REFINE * own;
        }
        if poor {
            self.improve(terms);
        }
    }

    /// One step of refinement: solves again for what is left of the rows in `work_m`, and keeps it if that became less.
    fn improve(&mut self, terms: &Terms) {
        let (n, s, change) = (self.shape.n_eta, &mut self.solution, &mut self.correction);
        self.work_n.fill(0.0);
        self.factor.solve(&self.work_n, &self.work_m, &mut change.eta_dot, &mut change.lambda);
        let better = |i: usize| {
            let row = &terms.A[i * n..(i + 1) * n];
            (self.work_m[i] - dot(row, &change.eta_dot)).abs() <= self.work_m[i].abs()
        };
        if (0..self.shape.n_con).all(better) {
            self.factor.force(&self.work_n, &change.eta_dot, &change.lambda, &mut change.ideal_force);
            axpy(1.0, &change.eta_dot, &mut s.eta_dot);
            axpy(1.0, &change.lambda, &mut s.lambda);
            axpy(1.0, &change.ideal_force, &mut s.ideal_force);
        }
    }

    /// U6: the scaled residual of each row; they contradict each other if one is too large.
    fn check_consistent(&mut self, t: f64, speed: f64, terms: &Terms) -> Result<(), AccelerationError> {
        let (n, s) = (self.shape.n_eta, &mut self.solution);
        let free = |j: usize| if s.a_free[j].is_finite() { s.a_free[j].abs() } else { 0.0 };
        let size = (0..n).fold(0.0_f64, |m, j| m.max(s.eta_dot[j].abs()).max(free(j))) + speed * speed;
        s.residual = 0.0;
        for i in 0..self.shape.n_con {
            let row = &terms.A[i * n..(i + 1) * n];
            let (mut left, mut own, mut whole) = (-terms.b[i], terms.b[i].abs(), 0.0);
            for j in 0..n {
                left += row[j] * s.eta_dot[j];
                own += row[j].abs() * (s.eta_dot[j].abs() + free(j));
                whole += row[j].abs() * size;
            }
            let scale = own.max(COUPLING * whole);
            self.work_m[i] = if left == 0.0 { 0.0 } else { left.abs() / scale };
            s.residual = s.residual.max(self.work_m[i]);
        }
        if s.residual <= self.consistency_tol {
            return Ok(());
        }
        // The rows that disagree, the worst first.
        let mut rows: Vec<usize> =
            (0..self.shape.n_con).filter(|&i| self.work_m[i] > self.consistency_tol).collect();
        rows.sort_by(|&i, &j| self.work_m[j].total_cmp(&self.work_m[i]));
        // A row by itself contradicts nothing: those it depends on belong to the story.
        for partner in self.partners(rows[0], terms) {
            if !rows.contains(&partner) {
                rows.push(partner);
            }
        }
        let residuals = rows.iter().map(|&i| self.work_m[i]).collect();
        Err(AccelerationError::Inconsistent { t, rows, residuals })
    }

    /// The rows of which a row is a combination.
    fn partners(&self, row: usize, terms: &Terms) -> Vec<usize> {
        let (n, others) = (self.shape.n_eta, (0..self.shape.n_con).filter(|&i| i != row).collect::<Vec<_>>());
        let entry = |i: usize, j: usize| terms.A[i * n + j];
        let transposed: Vec<f64> = (0..n).flat_map(|j| others.iter().map(move |&i| entry(i, j))).collect();
        let mut cod = Cod::new(n, others.len());
        let mut combination = vec![0.0; others.len()];
        cod.factor(&transposed, RANK_TOL);
        cod.solve(&terms.A[row * n..(row + 1) * n], &mut combination);
        let weight = |k: usize| combination[k].abs() * norm_max(&terms.A[others[k] * n..(others[k] + 1) * n]);
        let largest = (0..others.len()).map(weight).fold(0.0, f64::max);
        (0..others.len()).filter(|&k| weight(k) > 1e-6 * largest).map(|k| others[k]).collect()
    }

    /// U8, U3, U7: C, then Q_ni and its acceleration, then Gauss's function.
    fn solve_nonideal(
        &mut self,
        t: f64,
        terms: &Terms,
        nonideal: impl FnOnce(&IdealForces<'_>, &mut [f64]),
    ) -> Result<(), AccelerationError> {
        let s = &mut self.solution;
        s.nonideal_force.fill(0.0);
        // M eta' - Q - C, for Gauss's function.
        self.work_n.copy_from_slice(&s.ideal_force);
        if self.shape.has_nonideal {
            let ideal = IdealForces { lambda: &s.lambda, A: &terms.A, Q_i: &s.ideal_force };
            nonideal(&ideal, &mut self.C);
            if let Some(index) = first_bad(&self.C) {
                return Err(AccelerationError::NotFinite { t, term: Term::Nonideal, index });
            }
            // M z - A^T mu = C, A z = 0: then Q_ni = M z = C + A^T mu.
            self.phi.fill(0.0);
            self.factor.solve(&self.C, &self.phi, &mut self.work_n, &mut self.psi);
            mat_vec(&terms.M, &self.work_n, &mut s.nonideal_force);
            for j in 0..self.shape.n_eta {
                s.eta_dot[j] += self.work_n[j];
                self.work_n[j] = s.ideal_force[j] + s.nonideal_force[j] - self.C[j];
            }
        }
        s.gauss = if self.factor.mass_is_positive() {
            self.factor.inverse_mass_square(&self.work_n)
        } else {
            f64::NAN
        };
        Ok(())
    }
}

fn first_bad(values: &[f64]) -> Option<usize> {
    values.iter().position(|v| !v.is_finite())
}

fn check_finite(t: f64, terms: &Terms) -> Result<(), AccelerationError> {
    let all = [
        (Term::XDot, &terms.x_dot),
        (Term::MassMatrix, &terms.M),
        (Term::Force, &terms.Q),
        (Term::ConstraintMatrix, &terms.A),
        (Term::ConstraintRight, &terms.b),
    ];
    for (term, values) in all {
        if let Some(index) = first_bad(values) {
            return Err(AccelerationError::NotFinite { t, term, index });
        }
    }
    Ok(())
}
