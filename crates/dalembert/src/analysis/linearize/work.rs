//! Changes of forces with the state: the residual F, and the non-ideal C through the ideal multipliers (U8).
//!
//! ```text
//! A^T lambda = M z - Q          the ideal problem, differentiated for d lambda where C depends on it
//! d lambda   = (A^T)^+ (d(A^T lambda) - dA^T lambda)      A: the rows that carry, which must be independent
//! d|A_g^T lambda_g| = along the force of the constraint g
//! ```

use super::derivatives::{Derivatives, NonidealSlopes, Slopes};
use crate::workspace::Workspace;
use dalembert_linalg::{Cod, Lu, RANK_TOL, Tangent, mat_t_vec, mat_vec};
use dalembert_run::{AccelerationError, Dynamics, IdealForces, Solution, State, Terms, carrying_rows};

/// Why there is no linear system at a state.
pub(crate) enum ReductionError {
    /// No acceleration at the state.
    Acceleration(AccelerationError),
    /// A derivative is not a finite number.
    NotFinite,
    /// The constraints have no tangent space here.
    Degenerate,
    /// A coordinate that was asked for follows from others.
    CoordinateFollows(usize),
    /// A speed that was asked for follows from others.
    SpeedFollows(usize),
    /// The reduced mass matrix is singular.
    MassSingular,
    /// Non-ideal work reads constraint forces that redundant constraints share.
    SharedLoad,
    /// The accelerations are not those of K2-K4: other forces act.
    Incomplete,
}

/// Multipliers of the whole motion and of its ideal part.
pub(super) struct Forces {
    /// A^T lambda = M eta' - Q - C.
    pub lambda: Vec<f64>,
    /// Accelerations of the ideal problem.
    z_ideal: Vec<f64>,
    reactions: Vec<f64>,
    C: Vec<f64>,
}

/// C with its derivatives, and the ideal problem's.
pub(super) struct Law {
    slopes: NonidealSlopes,
    ideal: Slopes,
    /// The rows that carry, which are independent where C depends on multipliers.
    carrying: Vec<usize>,
    /// For each reaction that matters: the force of its rows, and the slopes of A^T lambda for these rows alone.
    groups: Vec<(usize, Vec<f64>, Slopes, Slopes)>,
}

pub(super) struct Work<'a> {
    pub model: &'a Workspace,
    pub state: &'a State,
    pub terms: &'a Terms,
    pub speeds: &'a Tangent,
    pub lu: &'a Lu<f64>,
    pub n: usize,
}

impl Work<'_> {
    pub(super) fn forces(&self, solution: &Solution, kernel: &dyn Dynamics) -> Forces {
        let (n, m) = (self.n, solution.lambda.len());
        let groups = self.model.system.constraints.named.len();
        let reactions = (0..groups)
            .map(|g| self.model.compiled.generalised_reaction(g, &solution.lambda, &self.terms.A, None))
            .collect();
        let Some(nonideal) = kernel.capabilities().nonideal else {
            let (lambda, z_ideal) = (solution.lambda.clone(), solution.eta_dot.clone());
            return Forces { lambda, z_ideal, reactions, C: vec![0.0; n] };
        };
        let mut C = vec![0.0; n];
        let ideal = IdealForces {
            lambda: &solution.lambda,
            A: &self.terms.A,
            sparsity: None,
            Q_i: &solution.ideal_force,
        };
        let mut scratch = vec![0.0; kernel.scratch_len()];
        nonideal.nonideal(self.state.point(), &ideal, &mut scratch, &mut C);
        // A^T mu = Q_ni - C.
        let rest: Vec<f64> = solution.nonideal_force.iter().zip(&C).map(|(q, c)| q - c).collect();
        let mu = multipliers(&self.terms.A, n, m, &rest);
        let lambda = sum(&solution.lambda, &mu);
        let mut w = self.speeds.transposed(&solution.nonideal_force);
        self.lu.solve(&mut w);
        let share = product(&self.speeds.T, &w, n);
        let z_ideal = solution.eta_dot.iter().zip(&share).map(|(z, y)| z - y).collect();
        Forces { lambda, z_ideal, reactions, C }
    }

    /// Whether the accelerations are those of the terms that are differentiated: T_w^T (M eta' - Q - C) = 0.
    pub(super) fn complete(&self, solution: &Solution, forces: &Forces) -> bool {
        let inertia = product(&self.terms.M, &solution.eta_dot, self.n);
        let parts: Vec<f64> = (0..self.n).map(|p| inertia[p] - self.terms.Q[p] - forces.C[p]).collect();
        let sizes = [&inertia, &self.terms.Q, &forces.C, &solution.ideal_force];
        let size = sizes.iter().flat_map(|v| v.iter()).fold(0.0, |m: f64, v| m.max(v.abs()));
        let widest = self.speeds.T.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
        self.speeds.transposed(&parts).iter().all(|v| v.abs() <= 1e-6 * size * widest)
    }

    pub(super) fn nonideal(
        &self,
        derivatives: &Derivatives,
        solution: &Solution,
        forces: &Forces,
    ) -> Result<Option<Law>, ReductionError> {
        let (model, at) = (self.model, self.state.point());
        let Some(slopes) = derivatives.nonideal(model, at, &solution.lambda, &forces.reactions) else {
            return Ok(None);
        };
        let m = solution.lambda.len();
        let ideal = derivatives.slopes(model, at, &forces.z_ideal, &solution.lambda);
        let zeros = (vec![0.0; self.n], vec![0.0; m]);
        let alone = |z: &[f64], lambda: &[f64]| {
            (derivatives.slopes(model, at, z, lambda), derivatives.slopes(model, at, &zeros.0, &zeros.1))
        };
        let used = |list: &[f64], width: usize, j: usize| {
            list.chunks(width.max(1)).any(|row| row.get(j).is_some_and(|v| *v != 0.0))
        };
        let n_groups = model.system.constraints.named.len();
        let depends = slopes.C_lambda.iter().chain(&slopes.C_reaction).any(|v| *v != 0.0);
        let carrying = match depends && self.speeds.rank() < m {
            true => carrying_rows(&model.compiled, at),
            false => (0..m).collect(),
        };
        if depends && carrying.len() > self.speeds.rank() {
            return Err(ReductionError::SharedLoad);
        }
        let mut groups = Vec::new();
        for g in (0..n_groups).filter(|g| used(&slopes.C_reaction, n_groups, *g)) {
            let mut own = vec![0.0; m];
            let rows = model.system.constraints.named[g].rows.clone();
            own[rows.clone()].copy_from_slice(&solution.lambda[rows]);
            let mut force = vec![0.0; self.n];
            mat_t_vec(&self.terms.A, &own, &mut force);
            let (with, without) = alone(&zeros.0, &own);
            groups.push((g, force, with, without));
        }
        Ok(Some(Law { slopes, ideal, carrying, groups }))
    }

    /// M Y + dF for a change of state, and Y.
    pub(super) fn residual(
        &self,
        s: &Slopes,
        dx: &[f64],
        deta: &[f64],
        dC: Option<&[f64]>,
    ) -> Option<(Vec<f64>, Vec<f64>)> {
        let m = self.terms.b.len();
        let G = sum(&product(&s.G_x, dx, m), &product(&s.G_eta, deta, m));
        let Y = self.speeds.particular(&G.iter().map(|v| -v).collect::<Vec<_>>())?;
        let mut force = sum(&product(&s.F_x, dx, self.n), &product(&s.F_eta, deta, self.n));
        force = sum(&force, &product(&self.terms.M, &Y, self.n));
        if let Some(dC) = dC {
            force.iter_mut().zip(dC).for_each(|(f, c)| *f -= c);
        }
        Some((force, Y))
    }

    /// dC, through the change of the ideal multipliers.
    pub(super) fn nonideal_change(&self, law: &Law, dx: &[f64], deta: &[f64]) -> Option<Vec<f64>> {
        let (n, m) = (self.n, self.terms.b.len());
        let mut dC = sum(&product(&law.slopes.C_x, dx, n), &product(&law.slopes.C_eta, deta, n));
        if m == 0 {
            return Some(dC);
        }
        let (force, Y) = self.residual(&law.ideal, dx, deta, None)?;
        let mut w: Vec<f64> = self.speeds.transposed(&force).iter().map(|v| -v).collect();
        self.lu.solve(&mut w);
        let dz = sum(&product(&self.speeds.T, &w, n), &Y);
        // A^T dlambda = M dz + dF: `force` has M Y in it already.
        let share = product(&self.terms.M, &product(&self.speeds.T, &w, n), n);
        debug_assert_eq!(dz.len(), n);
        let A: Vec<f64> =
            law.carrying.iter().flat_map(|r| &self.terms.A[r * n..(r + 1) * n]).copied().collect();
        let carried = multipliers(&A, n, law.carrying.len(), &sum(&force, &share));
        let mut dlambda = vec![0.0; m];
        law.carrying.iter().zip(carried).for_each(|(&r, change)| dlambda[r] = change);
        dC = sum(&dC, &product(&law.slopes.C_lambda, &dlambda, n));
        for (g, force, with, without) in &law.groups {
            let mut own = vec![0.0; m];
            let rows = self.model.system.constraints.named[*g].rows.clone();
            own[rows.clone()].copy_from_slice(&dlambda[rows]);
            let mut change = vec![0.0; n];
            mat_t_vec(&self.terms.A, &own, &mut change);
            // F has -A^T lambda in it.
            let turned = difference(with, without, |s| (&s.F_x, &s.F_eta), dx, deta, n);
            let size = force.iter().map(|v| v * v).sum::<f64>().sqrt();
            let along: f64 = (0..n).map(|p| force[p] * (change[p] - turned[p])).sum::<f64>() / size;
            let width = self.model.system.constraints.named.len();
            (0..n).for_each(|p| dC[p] += law.slopes.C_reaction[p * width + g] * along);
        }
        Some(dC)
    }
}

/// The minimum-norm lambda with A^T lambda = q.
fn multipliers(A: &[f64], n: usize, m: usize, q: &[f64]) -> Vec<f64> {
    let transposed: Vec<f64> = (0..n).flat_map(|p| (0..m).map(move |r| A[r * n + p])).collect();
    let mut cod = Cod::new(n, m);
    cod.factor(&transposed, RANK_TOL);
    let mut lambda = vec![0.0; m];
    cod.solve(q, &mut lambda);
    lambda
}

fn difference(
    with: &Slopes,
    without: &Slopes,
    pick: impl Fn(&Slopes) -> (&Vec<f64>, &Vec<f64>),
    dx: &[f64],
    deta: &[f64],
    rows: usize,
) -> Vec<f64> {
    let change = |s: &Slopes| {
        let (by_x, by_eta) = pick(s);
        sum(&product(by_x, dx, rows), &product(by_eta, deta, rows))
    };
    change(with).iter().zip(change(without)).map(|(a, b)| a - b).collect()
}

/// A v with `rows` rows.
pub(crate) fn product(A: &[f64], v: &[f64], rows: usize) -> Vec<f64> {
    let mut out = vec![0.0; rows];
    mat_vec(A, v, &mut out);
    out
}

pub(super) fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}
