//! Ideal forces, forces of constraints that do work, and Gauss's function (U2, U3, U7, U8).

use super::{Accelerator, first_bad};
use crate::acceleration::Saddle;
use crate::acceleration::factor::{Massless, Rules};
use crate::kernel::Term;
use crate::tolerance;
use crate::{AccelerationError, IdealForces, Terms};
use dalembert_linalg::{RANK_TOL, axpy};

impl Accelerator {
    /// U2: what follows from eta' without C and lambda: Q_i = A^T lambda, and how well the rows hold.
    pub(super) fn ideal(&mut self, eta: &[f64], terms: &Terms) {
        let (n, lean, s) = (self.shape.n_eta, self.accelerations_alone(), &mut self.solution);
        (s.rank, s.margin, s.path) = (self.factor.rank(), self.factor.margin(), self.factor.taken());
        // Rows that leave nothing free and ask for nothing: no acceleration, not even by rounding.
        if s.rank == n && terms.b.iter().all(|b| *b == 0.0) {
            s.eta_dot.fill(0.0);
        }
        self.factor.force(&self.force, &s.eta_dot, &s.lambda, &mut s.ideal_force);
        if !self.factor.mass_is_positive() {
            s.a_free.fill(f64::NAN);
            self.look_at_rows(eta, terms);
            return;
        }
        if !lean {
            s.a_free.copy_from_slice(&self.force);
            self.factor.unconstrained(&mut s.a_free);
        }
        let mut poor = self.look_at_rows(eta, terms);
        for _ in 0..tolerance::MAX_REFINEMENTS {
            if !poor {
                break;
            }
            let falling = self.improve(terms);
            poor = self.look_at_rows(eta, terms) && falling;
        }
        if !lean && (self.minimum_norm || self.has_nonideal) {
            self.factor.least(&mut self.solution.lambda);
        }
    }

    /// One step of refinement: solves again for what is left of the rows in `work_m`, and keeps it if each row holds at
    /// least as well as before, or all of them together much better. Whether that was so, and another may follow: long
    /// trusses have rows that are well independent one by one, and a condition that grows as the fourth power of their
    /// length.
    fn improve(&mut self, terms: &Terms) -> bool {
        let (s, change) = (&mut self.solution, &mut self.correction);
        self.work_n.fill(0.0);
        self.factor.solve(&self.work_n, &self.work_m, &mut change.eta_dot, &mut change.lambda);
        // Squares over those of the lengths of the rows, which may have any units.
        let (mut before, mut after, mut better) = (0.0f64, 0.0f64, true);
        for (i, &old) in self.work_m[..self.shape.n_con].iter().enumerate() {
            let (mut left, mut square) = (old, f64::MIN_POSITIVE);
            for (j, a) in terms.row(i).entries() {
                (left, square) = (left - a * change.eta_dot[j], square + a * a);
            }
            (before, after) = (before + old * old / square, after + left * left / square);
            better &= left.abs() <= old.abs();
        }
        let gained = after < tolerance::REFINEMENT_GAIN * tolerance::REFINEMENT_GAIN * before;
        if better || gained {
            self.factor.force(&self.work_n, &change.eta_dot, &change.lambda, &mut change.ideal_force);
            axpy(1.0, &change.eta_dot, &mut s.eta_dot);
            axpy(1.0, &change.lambda, &mut s.lambda);
            axpy(1.0, &change.ideal_force, &mut s.ideal_force);
        }
        gained
    }

    /// Where redundant rows leave loads open that force laws read, decides which rows carry them.
    pub(super) fn choose_carriers(&mut self, terms: &Terms) {
        let Some(path) = &self.load_path else { return };
        if self.solution.rank == self.shape.n_con {
            self.carriers = None;
            return;
        }
        self.carriers = path.choose(terms, &self.sliding.P);
        if let Some(carriers) = &mut self.carriers {
            carriers.carry(terms, &mut self.solution.lambda[..path.natural()]);
        }
    }

    /// U8, U3, U7: C, then Q_ni and its acceleration, then Gauss's function.
    ///
    /// The part of C that the constraints forbid does no work and is not a force: Q_ni is what is left of C along the
    /// directions that the natural rows leave free. So it presses nowhere, and multipliers stay those of Q_i.
    pub(super) fn solve_nonideal(
        &mut self,
        t: f64,
        terms: &Terms,
        nonideal: &mut impl FnMut(&IdealForces<'_>, &mut [f64]),
    ) -> Result<(), AccelerationError> {
        self.solution.nonideal_force.fill(0.0);
        if self.has_nonideal {
            let natural = if self.sliding.unit.is_empty() { self.shape.n_con } else { self.sliding.natural };
            if natural < self.shape.n_con {
                self.prescribe_for_natural_rows(t, natural, terms, nonideal)?;
            } else {
                let s = &self.solution;
                let (sparsity, Q_i) = (terms.sparsity.as_deref(), &s.ideal_force[..]);
                nonideal(&IdealForces { lambda: &s.lambda, A: &terms.A, sparsity, Q_i }, &mut self.C);
            }
            if let Some(index) = first_bad(&self.C) {
                return Err(AccelerationError::NotFinite { t, term: Term::Nonideal, index });
            }
            // M z - A^T mu = C, A z = 0: then Q_ni = M z = C + A^T mu.
            self.phi.fill(0.0);
            self.factor.solve(&self.C, &self.phi, &mut self.work_n, &mut self.psi);
            let s = &mut self.solution;
            if natural < self.shape.n_con {
                // What contacts that stick answer, and what the natural rows answer to that.
                axpy(1.0, &self.psi, &mut s.lambda);
            }
            terms.mass_times(&self.work_n, &mut s.nonideal_force);
            for j in 0..self.shape.n_eta {
                s.eta_dot[j] += self.work_n[j];
                self.work_n[j] = s.ideal_force[j] + s.nonideal_force[j] - self.C[j];
            }
        }
        // Of M eta' - Q - C.
        let (lean, s) = (self.accelerations_alone(), &mut self.solution);
        let beyond = if self.has_nonideal { &self.work_n } else { &s.ideal_force };
        s.gauss = match !lean && self.factor.mass_is_positive() {
            true => self.factor.inverse_mass_square(beyond),
            false => f64::NAN,
        };
        Ok(())
    }

    /// C while contacts stick, as U8 and U3 make it of the natural rows alone: by their ideal forces, and without what
    /// they forbid.
    fn prescribe_for_natural_rows(
        &mut self,
        t: f64,
        rows: usize,
        terms: &Terms,
        nonideal: &mut impl FnMut(&IdealForces<'_>, &mut [f64]),
    ) -> Result<(), AccelerationError> {
        let n = self.shape.n_eta;
        let natural = self.natural.get_or_insert_with(|| Box::new(NaturalRows::new(n, rows)));
        let rules = Rules { path: self.path, rank_tol: RANK_TOL, max_rank: usize::MAX, judged: true };
        let (A, b) = (&terms.A[..rows * n], &terms.b[..rows]);
        let NaturalRows { factor, z, lambda, Q_i, zeros } = &mut **natural;
        factor
            .factor_and_solve((&terms.M, A), rules, (&self.force, b), (z, lambda))
            .map_err(|Massless { speed, pivot }| AccelerationError::MassSingular { t, speed, pivot })?;
        factor.force(&self.force, z, lambda, Q_i);
        if let Some(carriers) = &mut self.carriers {
            carriers.carry(terms, lambda);
        }
        nonideal(&IdealForces { lambda, A, sparsity: None, Q_i }, &mut self.C);
        factor.solve(&self.C, zeros, z, lambda);
        terms.mass_times(z, &mut self.C);
        Ok(())
    }
}

/// The saddle system of the natural rows, without those of contacts that stick.
#[derive(Clone, Debug)]
pub(super) struct NaturalRows {
    factor: Saddle,
    z: Vec<f64>,
    lambda: Vec<f64>,
    Q_i: Vec<f64>,
    zeros: Vec<f64>,
}

impl NaturalRows {
    fn new(n: usize, m: usize) -> Self {
        Self {
            factor: Saddle::new(n, m, None),
            z: vec![0.0; n],
            lambda: vec![0.0; m],
            Q_i: vec![0.0; n],
            zeros: vec![0.0; m],
        }
    }
}
