//! C1: the inputs of least cost that meet the requirements, on top of what nature's own constraints do.
//!
//! ```text
//! C1  u = W^{-1/2} (A_c P S W^{-1/2})^+ (b_c - A_c a_n)
//! ```
//!
//! P S comes column by column from the saddle system that gave a_n, and L^-T with L L^T = W stands for W^{-1/2}. Rows
//! are judged for rank relative to what all forces together could do to them, sqrt(A_c M^-1 A_c^T), so that their units do
//! not matter. What is left of a row afterwards is measured against its own numbers as in U6. Where rows are redundant, a
//! row that is short (`cos(q) = cos(t^2)` near q = 0) is weighed by what it is at states nearby, and its right side is allowed the
//! rounding that these show (see `row_sensitivity.rs`): among rows that say the same the well-determined ones decide.
//!
//! Checked by `tests/it/control.rs`: with W = M^-1 and no constraints C1 is U2; least cost; constraints of nature kept.

use super::Saddle;
use crate::kernel::{AccelerationError, Solution, Term};
use crate::tolerance;
use crate::{ControlTerms, Shape, Terms};
use dalembert_linalg::{
    Cod, Mat, axpy, bounded_least_squares, cholesky, dot, norm, norm_max, solve_lower, solve_lower_transposed,
};

/// Weight of the cost beside the requirements where bounds keep inputs from meeting them.
const LIGHT: f64 = 1e-6;

/// What all forces together could do to a row: sqrt(A_c M^-1 A_c^T), or its length where M has no inverse.
fn length(factor: &mut Saddle, terms: &Terms, row: &[f64]) -> f64 {
    match factor.mass_is_positive() {
        true => factor.inverse_mass_square(row).sqrt(),
        false => norm(row) / norm(&terms.M).sqrt(),
    }
}

/// The inputs u of least |F u - d| within bounds, each without its own bounds and with the others as they are. An input at
/// a bound is pushed beyond it by the slope of the cost there; the others stay.
fn demand(F: &Mat<Vec<f64>>, d: &[f64], u: &[f64], bounds: &[[f64; 2]]) -> Vec<f64> {
    let left: Vec<f64> = d.iter().enumerate().map(|(i, d)| d - dot(F.row(i), u)).collect();
    let mut demand = u.to_vec();
    for (j, [least, most]) in bounds.iter().enumerate() {
        let column = || (0..d.len()).map(|i| F[[i, j]]);
        let square: f64 = column().map(|f| f * f).sum();
        let push = column().zip(&left).map(|(f, left)| f * left).sum::<f64>() / square;
        if (u[j] == *most && push > 0.0) || (u[j] == *least && push < 0.0) {
            demand[j] += push;
        }
    }
    demand
}

/// Workspace of C1.
#[derive(Clone, Debug, Default)]
pub struct Steering {
    n: usize,
    rows: usize,
    count: usize,
    /// The inputs.
    pub inputs: Vec<f64>,
    /// What each input would be without its own bounds, the others as they are.
    pub demand: Vec<f64>,
    /// Accelerations without them.
    natural: Vec<f64>,
    /// Cholesky factor of W.
    cost: Mat<Vec<f64>>,
    /// P S by columns, and A_c P S L^-T with rows scaled.
    reach: Mat<Vec<f64>>,
    G: Mat<Vec<f64>>,
    scale: Vec<f64>,
    /// What a change of the whole state makes of each row, in the measure of `scale`, and of its right side; 0 until asked.
    row_change: Vec<f64>,
    right_change: Vec<f64>,
    /// Whether that was asked.
    pub known: bool,
    /// Whether fewer directions than rows were found.
    pub redundant: bool,
    left: Vec<f64>,
    best: f64,
    cod: Option<Cod>,
    zero: Vec<f64>,
    column: Vec<f64>,
    lambda: Vec<f64>,
    step: Vec<f64>,
}

impl Steering {
    /// Sized for a shape.
    pub fn new(shape: &Shape) -> Self {
        let Shape { n_eta: n, n_require: rows, n_input: count, n_con: m, .. } = *shape;
        Self {
            n,
            rows,
            count,
            inputs: vec![0.0; count],
            demand: vec![0.0; count],
            natural: vec![0.0; n],
            cost: Mat::zeros(count, count),
            reach: Mat::zeros(count, n),
            G: Mat::zeros(rows, count),
            scale: vec![0.0; rows],
            row_change: vec![0.0; rows],
            right_change: vec![0.0; rows],
            known: false,
            redundant: false,
            left: vec![0.0; rows],
            best: f64::INFINITY,
            cod: (rows > 0).then(|| Cod::new(rows, count)),
            zero: vec![0.0; n.max(m)],
            column: vec![0.0; n],
            lambda: vec![0.0; m],
            step: vec![0.0; count],
        }
    }

    /// Factors the reach of the inputs, on top of the accelerations without them. `follow` makes of the change of the accelerations by an input, given
    /// with the change of the multipliers, what it is with all forces that follow the multipliers.
    pub fn prepare(
        &mut self,
        t: f64,
        control: &ControlTerms,
        factor: &mut Saddle,
        terms: &Terms,
        natural: &[f64],
        mut follow: impl FnMut(usize, &mut [f64], &[f64]),
    ) -> Result<(), AccelerationError> {
        let (n, count) = (self.n, self.count);
        let (A, S) = (Mat::new(&control.A[..], n), Mat::new(&control.S[..], count));
        self.natural.copy_from_slice(natural);
        self.inputs.fill(0.0);
        let all = [&control.A, &control.b, &control.S, &control.W];
        if let Some(index) = all.iter().flat_map(|v| v.iter()).position(|v| !v.is_finite()) {
            return Err(AccelerationError::NotFinite { t, term: Term::Control, index });
        }
        self.weigh(t, control, factor)?;
        for j in 0..count {
            (0..n).for_each(|i| self.column[i] = S[[i, j]]);
            let z = self.reach.row_mut(j);
            factor.solve(&self.column, &self.zero[..self.lambda.len()], z, &mut self.lambda);
            follow(j, z, &self.lambda);
        }
        for i in 0..self.rows {
            let row = A.row(i);
            self.column.copy_from_slice(row);
            self.scale[i] = length(factor, terms, &self.column).max(self.row_change[i]);
            if self.known {
                // What a row has been is what it may be again: of rows that say the same, those that are short weigh less.
                self.row_change[i] = self.scale[i];
            }
            let G = self.G.row_mut(i);
            (0..count).for_each(|j| G[j] = dot(row, self.reach.row(j)));
            solve_lower(&self.cost, count, G);
            let scale = self.scale[i];
            G.iter_mut().for_each(|g| *g = if scale > 0.0 { *g / scale } else { 0.0 });
        }
        if let Some(cod) = &mut self.cod {
            cod.lq.matrix().copy_from_slice(&self.G);
            self.redundant = cod.lq.factor(tolerance::REACH, self.rows) < self.rows;
            cod.factor_trapezoid(|_| 1.0);
        }
        self.best = f64::INFINITY;
        Ok(())
    }

    /// Takes note of rows at a state nearby: what a change of the state of relative size `nudge` made of them.
    pub fn compare(
        &mut self,
        here: &ControlTerms,
        near: &ControlTerms,
        nudge: f64,
        factor: &mut Saddle,
        terms: &Terms,
    ) {
        let n = self.n;
        for i in 0..self.rows {
            let rows = near.A[i * n..(i + 1) * n].iter().zip(&here.A[i * n..(i + 1) * n]);
            self.column.iter_mut().zip(rows).for_each(|(out, (near, here))| *out = (near - here) / nudge);
            let (row, right) = (length(factor, terms, &self.column), (near.b[i] - here.b[i]).abs() / nudge);
            let larger = |so_far: &mut f64, found: f64| {
                *so_far = if found.is_finite() { so_far.max(found) } else { *so_far }
            };
            larger(&mut self.row_change[i], row);
            larger(&mut self.right_change[i], right);
        }
    }

    /// L with L L^T = W, scaled so that a unit input weighs about as much as the force it makes.
    fn weigh(
        &mut self,
        t: f64,
        control: &ControlTerms,
        factor: &mut Saddle,
    ) -> Result<(), AccelerationError> {
        let (n, count) = (self.n, self.count);
        let S = Mat::new(&control.S[..], count);
        let column = |j: usize, out: &mut [f64]| (0..n).for_each(|i| out[i] = S[[i, j]]);
        let positive = factor.mass_is_positive();
        // S^T M^-1 S, the cost of the force in the metric of the masses; S^T S where M has no inverse.
        for j in 0..count {
            column(j, &mut self.column);
            if positive {
                factor.unconstrained(&mut self.column);
            }
            for i in 0..count {
                self.cost[[i, j]] = (0..n).map(|k| S[[k, i]] * self.column[k]).sum();
            }
        }
        if !control.W.is_empty() {
            let trace = |w: &[f64]| (0..count).map(|i| w[i * count + i]).sum::<f64>();
            let factor = trace(&self.cost) / trace(&control.W);
            let factor = if factor > 0.0 && factor.is_finite() { factor } else { 1.0 };
            for (cost, w) in self.cost.iter_mut().zip(&control.W) {
                *cost = factor * w;
            }
        }
        match cholesky(&mut self.cost, count) {
            Ok(ratio) if ratio > 1e-14 || count == 0 => Ok(()),
            Ok(_) => Err(AccelerationError::CostNotPositive { t, input: 0 }),
            Err(input) => Err(AccelerationError::CostNotPositive { t, input }),
        }
    }

    /// What the motion leaves of row i, and its own numbers: those of the motion with control and without, but not less
    /// than rounding of the largest accelerations would make of the row.
    fn residual(&self, i: usize, control: &ControlTerms, eta_dot: &[f64]) -> (f64, f64) {
        let A = Mat::new(&control.A[..], self.n);
        let row = A.row(i);
        let (mut own, mut whole) = (control.b[i].abs(), 0.0);
        let size = norm_max(eta_dot).max(norm_max(&self.natural));
        for j in 0..self.n {
            own += row[j].abs() * (eta_dot[j].abs() + self.natural[j].abs());
            whole += row[j].abs() * size;
        }
        (
            control.b[i] - dot(row, eta_dot),
            own.max(tolerance::COUPLING * whole).max(tolerance::SENSITIVITY * self.right_change[i]),
        )
    }

    /// Adds the inputs for what a motion leaves of the requirements; `false` if it leaves nothing, or no less than the
    /// time before.
    pub fn correct(&mut self, control: &ControlTerms, eta_dot: &[f64]) -> bool {
        let mut worst = 0.0_f64;
        for i in 0..self.rows {
            let (left, own) = self.residual(i, control, eta_dot);
            self.left[i] = if self.scale[i] > 0.0 { left / self.scale[i] } else { 0.0 };
            worst = worst.max(if left == 0.0 { 0.0 } else { left.abs() / own });
        }
        let Some(cod) = &mut self.cod else { return false };
        if worst <= tolerance::MET || !(worst < 0.9 * self.best || self.best.is_infinite()) {
            return false;
        }
        self.best = worst;
        cod.solve(&self.left, &mut self.step);
        solve_lower_transposed(&self.cost, self.count, &mut self.step);
        axpy(1.0, &self.step, &mut self.inputs);
        true
    }

    /// Puts the inputs within their bounds: of those, the ones that come nearest to the requirements, in the measure of
    /// `scale`, and of these the cheapest. `false` if they are there already, or there are no bounds.
    pub fn limit(
        &mut self,
        t: f64,
        control: &ControlTerms,
        eta_dot: &[f64],
    ) -> Result<bool, AccelerationError> {
        let (count, rows) = (self.count, self.rows);
        let within = |(u, [least, most]): (&f64, &[f64; 2])| (*least..=*most).contains(u);
        if control.bounds.is_empty() || self.inputs.iter().zip(&control.bounds).all(within) {
            return Ok(false);
        }
        if let Some(index) = control.bounds.iter().position(|[least, most]| !(least <= most)) {
            return Err(AccelerationError::NotFinite { t, term: Term::Control, index });
        }
        // F u = d: rows of the requirements by u, then the cost, so lightly that it decides only what these leave open.
        let mut F = Mat::zeros(rows + count, count);
        let mut d = vec![0.0; rows + count];
        for i in 0..rows {
            for j in 0..count {
                // G is by L^T u.
                F[[i, j]] = (0..=j).map(|k| self.G[[i, k]] * self.cost[[j, k]]).sum();
            }
            let left = self.residual(i, control, eta_dot).0;
            let now = dot(F.row(i), &self.inputs);
            d[i] = now + if self.scale[i] > 0.0 { left / self.scale[i] } else { 0.0 };
        }
        let light =
            LIGHT * norm_max(F.split_at(rows * count).0) / norm_max(&self.cost).max(f64::MIN_POSITIVE);
        for i in 0..count {
            for j in 0..=i {
                F[[rows + j, i]] = light * self.cost[[i, j]];
            }
        }
        self.inputs = bounded_least_squares(&F, &d, &control.bounds);
        self.demand = demand(&F, &d, &self.inputs, &control.bounds);
        self.undo_cost(F.split_at(rows * count).0, &d[..rows], &control.bounds);
        Ok(true)
    }

    /// What the cost has taken from the requirements, light as it is, is given back by the inputs that are free.
    fn undo_cost(&mut self, F: &[f64], d: &[f64], bounds: &[[f64; 2]]) {
        let (count, u) = (self.count, &mut self.inputs);
        let free: Vec<usize> =
            (0..count).filter(|j| bounds[*j][0] < u[*j] && u[*j] < bounds[*j][1]).collect();
        if free.is_empty() {
            return;
        }
        let own: Vec<f64> = F.chunks(count).flat_map(|row| free.iter().map(|j| row[*j])).collect();
        let left: Vec<f64> = F.chunks(count).zip(d).map(|(row, d)| d - dot(row, u)).collect();
        let (mut cod, mut change) = (Cod::new(self.rows, free.len()), vec![0.0; free.len()]);
        cod.factor(&own, tolerance::REACH);
        cod.solve(&left, &mut change);
        for (j, change) in free.into_iter().zip(change) {
            u[j] = (u[j] + change).clamp(bounds[j][0], bounds[j][1]);
        }
    }

    /// Whether the requirements are met.
    pub fn check(
        &mut self,
        t: f64,
        tolerance: f64,
        control: &ControlTerms,
        solution: &Solution,
        factor: &mut Saddle,
    ) -> Result<(), AccelerationError> {
        let left: Vec<(f64, f64)> =
            (0..self.rows).map(|i| self.residual(i, control, &solution.eta_dot)).collect();
        let part = |i: usize| if left[i].0 == 0.0 { 0.0 } else { left[i].0.abs() / left[i].1 };
        let mut rows: Vec<usize> = (0..self.rows).filter(|&i| !(part(i) <= tolerance)).collect();
        if rows.is_empty() {
            return Ok(());
        }
        rows.sort_by(|&i, &j| part(j).total_cmp(&part(i)));
        let residuals = rows.iter().map(|&i| left[i].0).collect();
        let scaled: Vec<f64> = (0..self.rows)
            .map(|i| if self.scale[i] > 0.0 { left[i].0 / self.scale[i] } else { 0.0 })
            .collect();
        let missing = self.missing_force(&scaled, control, factor);
        Err(AccelerationError::Unreachable { t, rows, residuals, missing })
    }

    /// The generalised force of unit length nearest to what the residual asks for, with every force at hand.
    fn missing_force(&mut self, left: &[f64], control: &ControlTerms, factor: &mut Saddle) -> Vec<f64> {
        let n = self.n;
        let A = Mat::new(&control.A[..], n);
        let mut whole = Mat::zeros(self.rows, n);
        for j in 0..n {
            self.column.fill(0.0);
            self.column[j] = 1.0;
            let mut z = vec![0.0; n];
            factor.solve(&self.column, &self.zero[..self.lambda.len()], &mut z, &mut self.lambda);
            for i in 0..self.rows {
                let scale = if self.scale[i] > 0.0 { 1.0 / self.scale[i] } else { 0.0 };
                whole[[i, j]] = scale * dot(A.row(i), &z);
            }
        }
        let mut cod = Cod::new(self.rows, n);
        cod.factor(&whole, tolerance::REACH);
        let mut force = vec![0.0; n];
        cod.solve(left, &mut force);
        // A force that changes nothing of what is left is no help.
        let gain: f64 = (0..self.rows).map(|i| left[i] * dot(whole.row(i), &force)).sum::<f64>();
        let size = norm(&force);
        if !(size > 0.0 && gain > 1e-6 * dot(left, left)) {
            return vec![0.0; n];
        }
        force.iter_mut().for_each(|f| *f /= size);
        force
    }
}
