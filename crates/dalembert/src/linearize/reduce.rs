//! The linear system on the constraints at one state, in independent variables.
//!
//! ```text
//! dx   = T_x p                     T_x spans  df/dx = 0, dc/dx = 0        p: some coordinates
//! deta = T_w w + H p               A T_w = 0,  A H = -(d psi/dx) T_x      w: some speeds
//! dz   = T_w w' + Y                A Y = -(dG/dx dx + dG/deta deta)
//! p'   = rows of  (dx'/dx) dx + X deta
//! M_r w' = -T_w^T ( M Y + dF/dx dx + dF/deta deta - dC ),   M_r = T_w^T M T_w
//! ```
//!
//! T_w^T removes the constraint forces (d'Alembert), so multipliers need no derivative, except where C depends on them (U8):
//! there the ideal problem is differentiated first. Any rank of the rows; exact up to rounding. The state is one of a chart
//! of the constraint surface, so the matrix is right at any state, not only at equilibria. Checked by differences of
//! accelerations and of short motions over random systems in `tests/linear.rs`.

use super::derivatives::{Derivatives, NonidealSlopes, Slopes};
use super::tangent::{Follows, Tangent, Wish};
use crate::model::Model;
use dalembert_run::linalg::{Cod, Lu, RANK_TOL, mat_t_vec, mat_vec};
use dalembert_run::{AccelerationError, Accelerator, IdealForces, Kernel, Level, Solution, State, Terms};

/// What stands in the way.
pub(crate) enum Trouble {
    /// No acceleration at the state.
    Acceleration(AccelerationError),
    /// A derivative is no finite number.
    NotFinite,
    /// The constraints have no tangent space here.
    Degenerate,
    /// A coordinate that was asked for follows from others.
    CoordinateFollows(usize),
    /// A speed that was asked for follows from others.
    SpeedFollows(usize),
    /// The reduced mass matrix is singular.
    MassSingular,
    /// The accelerations are not those of K2-K4: other forces act.
    Incomplete,
}

/// Which variables should be independent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wishes {
    pub coordinates: Vec<Wish>,
    pub speeds: Vec<Wish>,
}

/// The linear system at a state.
#[derive(Clone)]
pub(crate) struct Local {
    pub positions: Tangent,
    pub speeds: Tangent,
    /// Rates of the independent variables, p' then w'.
    pub rates: Vec<f64>,
    /// State matrix, d * d.
    pub S: Vec<f64>,
    /// M_r, row-major.
    pub mass: Vec<f64>,
    /// M_r w' = B (p, w), rows of length d: -B is stiffness and damping.
    pub B: Vec<f64>,
    /// Change of all coordinates and speeds with each state, (n_x + n) * d.
    pub directions: Vec<f64>,
    pub solution: Solution,
}

impl Local {
    /// How many states.
    pub(crate) fn dimension(&self) -> usize {
        self.rates.len()
    }
}

/// Computes it.
pub(crate) fn local(
    model: &Model,
    derivatives: &Derivatives,
    state: &State,
    wishes: &Wishes,
) -> Result<Local, Trouble> {
    let kernel = &model.compiled;
    let shape = kernel.shape();
    let (n_x, n, m) = (shape.n_x, shape.n_eta, shape.n_con);
    if kernel.levels().contains(&Level::Acceleration) {
        return Err(Trouble::Incomplete);
    }
    let mut accelerator = Accelerator::new(kernel);
    accelerator.solve(kernel, state.point()).map_err(Trouble::Acceleration)?;
    let (terms, solution) = (accelerator.terms().clone(), accelerator.solution().clone());
    let mut scratch = vec![0.0; kernel.scratch_len()];
    let mut X = vec![0.0; n_x * n];
    kernel.frame(state.t, &state.x, &mut scratch, &mut X);

    let speeds = match Tangent::new(&terms.A, m, n, &wishes.speeds) {
        Ok(tangent) => tangent,
        Err(Follows(p)) => return Err(Trouble::SpeedFollows(p)),
    };
    let positions = position_tangent(model, state, &speeds, wishes)?;
    if speeds.rank() != solution.rank {
        return Err(Trouble::Degenerate);
    }
    let (d_x, d_w) = (positions.dimension(), speeds.dimension());
    let d = d_x + d_w;
    let mass = reduced_mass(&speeds, &terms.M, n);
    let mut lu = Lu::new(d_w);
    lu.matrix(d_w).copy_from_slice(&mass);
    lu.factor(1e-13).map_err(|_| Trouble::MassSingular)?;

    let work = Work { model, state, terms: &terms, speeds: &speeds, lu: &lu, n };
    let forces = work.forces(&solution, kernel);
    if !work.complete(&solution, &forces) {
        return Err(Trouble::Incomplete);
    }
    let slopes = derivatives.slopes(model, state.point(), &solution.eta_dot, &forces.lambda);
    let nonideal = work.nonideal(derivatives, &solution, &forces);
    let mut out = Local {
        rates: rates(&terms, &solution, &positions, &speeds),
        S: vec![0.0; d * d],
        B: vec![0.0; d_w * d],
        directions: vec![0.0; (n_x + n) * d],
        mass,
        solution,
        positions,
        speeds: speeds.clone(),
    };
    for c in 0..d {
        let (dx, deta) = if c < d_x {
            let dx = out.positions.column(c);
            let mut right = vec![0.0; m];
            mat_vec(&slopes.psi_x, &dx, &mut right);
            right.iter_mut().for_each(|v| *v = -*v);
            (dx, speeds.particular(&right).ok_or(Trouble::Degenerate)?)
        } else {
            (vec![0.0; n_x], speeds.column(c - d_x))
        };
        let x_rate = sum(&product(&slopes.x_dot_x, &dx, n_x), &product(&X, &deta, n_x));
        let change = match &nonideal {
            Some(law) => Some(work.nonideal_change(law, &dx, &deta).ok_or(Trouble::Degenerate)?),
            None => None,
        };
        let (force, _) = work.residual(&slopes, &dx, &deta, change.as_deref()).ok_or(Trouble::Degenerate)?;
        let mut w_rate: Vec<f64> = speeds.transposed(&force).iter().map(|v| -v).collect();
        (0..d_w).for_each(|k| out.B[k * d + c] = w_rate[k]);
        lu.solve(&mut w_rate);
        for (k, &i) in out.positions.independent.iter().enumerate() {
            out.S[k * d + c] = x_rate[i];
        }
        (0..d_w).for_each(|k| out.S[(d_x + k) * d + c] = w_rate[k]);
        (0..n_x).for_each(|i| out.directions[i * d + c] = dx[i]);
        (0..n).for_each(|p| out.directions[(n_x + p) * d + c] = deta[p]);
    }
    if out.S.iter().chain(&out.rates).chain(&out.B).any(|v| !v.is_finite()) {
        return Err(Trouble::NotFinite);
    }
    Ok(out)
}

/// Position rows and what the kinematics conserve. Coordinates whose rates are independent speeds should be independent too.
fn position_tangent(
    model: &Model,
    state: &State,
    speeds: &Tangent,
    wishes: &Wishes,
) -> Result<Tangent, Trouble> {
    let kernel = &model.compiled;
    let shape = kernel.shape();
    let (n_x, k) = (shape.n_x, shape.n_invariant);
    let mut scratch = vec![0.0; kernel.scratch_len()];
    let mut rows = vec![0.0; shape.n_con * n_x];
    kernel.position_gradient(state.t, &state.x, &mut scratch, &mut rows);
    let (mut values, mut gradients) = (vec![0.0; k], vec![0.0; k * n_x]);
    kernel.invariants(&state.x, &mut scratch, &mut values, &mut gradients);
    rows.extend(gradients);
    if rows.iter().any(|v| !v.is_finite()) {
        return Err(Trouble::NotFinite);
    }
    let mut wanted = wishes.coordinates.clone();
    wanted.resize(n_x, Wish::Open);
    for &p in &speeds.independent {
        if let Some(i) = model.system.speeds[p].rate_of
            && wanted[i] == Wish::Open
        {
            wanted[i] = Wish::Preferred;
        }
    }
    Tangent::new(&rows, shape.n_con + k, n_x, &wanted).map_err(|Follows(i)| Trouble::CoordinateFollows(i))
}

fn rates(terms: &Terms, solution: &Solution, positions: &Tangent, speeds: &Tangent) -> Vec<f64> {
    let p = positions.independent.iter().map(|i| terms.x_dot[*i]);
    p.chain(speeds.independent.iter().map(|p| solution.eta_dot[*p])).collect()
}

fn reduced_mass(speeds: &Tangent, M: &[f64], n: usize) -> Vec<f64> {
    let d = speeds.dimension();
    let mut mass = vec![0.0; d * d];
    for c in 0..d {
        let column = speeds.transposed(&product(M, &speeds.column(c), n));
        (0..d).for_each(|k| mass[k * d + c] = column[k]);
    }
    mass
}

/// Multipliers of the whole motion and of its ideal part.
struct Forces {
    /// A^T lambda = M eta' - Q - C.
    lambda: Vec<f64>,
    /// Accelerations of the ideal problem.
    z_ideal: Vec<f64>,
    reactions: Vec<f64>,
    C: Vec<f64>,
}

/// C with its derivatives, and the ideal problem's.
struct Law {
    slopes: NonidealSlopes,
    ideal: Slopes,
    /// Derivative of `A s` for the s that multipliers of redundant rows need, or nothing.
    redundant: Option<(Slopes, Slopes)>,
    /// For each reaction that matters: the force of its rows, and the slopes of A^T lambda for these rows alone.
    groups: Vec<(usize, Vec<f64>, Slopes, Slopes)>,
}

struct Work<'a> {
    model: &'a Model,
    state: &'a State,
    terms: &'a Terms,
    speeds: &'a Tangent,
    lu: &'a Lu<f64>,
    n: usize,
}

impl Work<'_> {
    fn forces(&self, solution: &Solution, kernel: &dyn Kernel) -> Forces {
        let (n, m) = (self.n, solution.lambda.len());
        let groups = self.model.system.constraints.len();
        let reactions =
            (0..groups).map(|g| self.model.compiled.reaction(g, &solution.lambda, &self.terms.A)).collect();
        if !kernel.shape().has_nonideal {
            let (lambda, z_ideal) = (solution.lambda.clone(), solution.eta_dot.clone());
            return Forces { lambda, z_ideal, reactions, C: vec![0.0; n] };
        }
        let mut C = vec![0.0; n];
        let ideal = IdealForces { lambda: &solution.lambda, A: &self.terms.A, Q_i: &solution.ideal_force };
        let mut scratch = vec![0.0; kernel.scratch_len()];
        kernel.nonideal(self.state.point(), &ideal, &mut scratch, &mut C);
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
    fn complete(&self, solution: &Solution, forces: &Forces) -> bool {
        let inertia = product(&self.terms.M, &solution.eta_dot, self.n);
        let parts: Vec<f64> = (0..self.n).map(|p| inertia[p] - self.terms.Q[p] - forces.C[p]).collect();
        let sizes = [&inertia, &self.terms.Q, &forces.C, &solution.ideal_force];
        let size = sizes.iter().flat_map(|v| v.iter()).fold(0.0, |m: f64, v| m.max(v.abs()));
        let widest = self.speeds.T.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
        self.speeds.transposed(&parts).iter().all(|v| v.abs() <= 1e-6 * size * widest)
    }

    fn nonideal(&self, derivatives: &Derivatives, solution: &Solution, forces: &Forces) -> Option<Law> {
        let (model, at) = (self.model, self.state.point());
        let slopes = derivatives.nonideal(model, at, &solution.lambda, &forces.reactions)?;
        let m = solution.lambda.len();
        let ideal = derivatives.slopes(model, at, &forces.z_ideal, &solution.lambda);
        let zeros = (vec![0.0; self.n], vec![0.0; m]);
        let alone = |z: &[f64], lambda: &[f64]| {
            (derivatives.slopes(model, at, z, lambda), derivatives.slopes(model, at, &zeros.0, &zeros.1))
        };
        let used = |list: &[f64], width: usize, j: usize| {
            list.chunks(width.max(1)).any(|row| row.get(j).is_some_and(|v| *v != 0.0))
        };
        let n_groups = model.system.constraints.len();
        let depends = slopes.C_lambda.iter().chain(&slopes.C_reaction).any(|v| *v != 0.0);
        let redundant = (depends && self.speeds.rank() < m).then(|| {
            // s with A^T lambda = A^T A s: then lambda = A s.
            let mut cod = Cod::new(m, self.n);
            cod.factor(&self.terms.A, RANK_TOL);
            let mut s = vec![0.0; self.n];
            cod.solve(&solution.lambda, &mut s);
            alone(&s, &zeros.1)
        });
        let mut groups = Vec::new();
        for g in (0..n_groups).filter(|g| used(&slopes.C_reaction, n_groups, *g)) {
            let mut own = vec![0.0; m];
            let rows = model.system.constraints[g].rows.clone();
            own[rows.clone()].copy_from_slice(&solution.lambda[rows]);
            let mut force = vec![0.0; self.n];
            mat_t_vec(&self.terms.A, &own, &mut force);
            let (with, without) = alone(&zeros.0, &own);
            groups.push((g, force, with, without));
        }
        Some(Law { slopes, ideal, redundant, groups })
    }

    /// M Y + dF for a change of state, and Y.
    fn residual(
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
    fn nonideal_change(&self, law: &Law, dx: &[f64], deta: &[f64]) -> Option<Vec<f64>> {
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
        let mut dlambda = multipliers(&self.terms.A, n, m, &sum(&force, &share));
        if let Some((with, without)) = &law.redundant {
            // The minimum-norm multipliers turn with the range of A.
            let dA_s = difference(with, without, |s| (&s.G_x, &s.G_eta), dx, deta, m);
            let inside = self.projected(&dA_s);
            (0..m).for_each(|r| dlambda[r] += dA_s[r] - inside[r]);
        }
        dC = sum(&dC, &product(&law.slopes.C_lambda, &dlambda, n));
        for (g, force, with, without) in &law.groups {
            let mut own = vec![0.0; m];
            let rows = self.model.system.constraints[*g].rows.clone();
            own[rows.clone()].copy_from_slice(&dlambda[rows]);
            let mut change = vec![0.0; n];
            mat_t_vec(&self.terms.A, &own, &mut change);
            // F has -A^T lambda in it.
            let turned = difference(with, without, |s| (&s.F_x, &s.F_eta), dx, deta, n);
            let size = force.iter().map(|v| v * v).sum::<f64>().sqrt();
            let along: f64 = (0..n).map(|p| force[p] * (change[p] - turned[p])).sum::<f64>() / size;
            let width = self.model.system.constraints.len();
            (0..n).for_each(|p| dC[p] += law.slopes.C_reaction[p * width + g] * along);
        }
        Some(dC)
    }

    /// A A^+ r.
    fn projected(&self, r: &[f64]) -> Vec<f64> {
        let (m, n) = (r.len(), self.n);
        let mut cod = Cod::new(m, n);
        cod.factor(&self.terms.A, RANK_TOL);
        let mut y = vec![0.0; n];
        cod.solve(r, &mut y);
        product(&self.terms.A, &y, m)
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

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}
