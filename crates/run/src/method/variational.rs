//! Variational steps of order 2, 4 and 6: symplectic, reversible, on the constraints, with momenta kept by Noether.
//!
//! The step from (x, y) makes the discrete action of [`super::discrete_action`] stationary with f = 0 at every node:
//!
//! ```text
//! [i = 1] y + dL_d/dq_i + A_i^T Lambda_i = 0     i = 1 .. s-1        f(q_i, t_i) = 0     i = 2 .. s
//! y_new = dL_d/dq_s + A_s^T Lambda_s,   x_new = q_s,                 A_s x'_new + f_t = 0
//! ```
//!
//! For s = 2 and constant masses these are the steps of Stoermer and Verlet, and with constraints RATTLE. Any mass matrix and
//! any Lagrangian regular in the rates, moving constraints, redundant rows (Lambda = 0 for those that follow from others),
//! forces without a potential by d'Alembert's principle. The sum of the equations is
//!
//! ```text
//! y_new = y + h sum_i b_i r_i + sum_{i<s} A_i^T Lambda_i
//! ```
//!
//! x and y are carried as sums of increments with what rounding cuts off (Kahan), so that a cyclic momentum is kept to the
//! last digit and roundings do not add up to a drift. Newton until corrections are at the noise of the residual, each
//! component by its own, with the matrix kept while it contracts well (`newton`).
//! Dense output: the quintic through positions, rates and accelerations at both ends, and its derivative.
//! Source: Marsden and West (2001), Jay (1996); Hairer, McLachlan and Razakarivony, Achieving Brouwer's law with implicit
//! Runge-Kutta methods (2008). Checked by `tests/it/variational.rs` here and in the crate above.

mod newton;

use super::discrete_action::{Element, Independent, Rates};
use super::stepper::{Attempt, Estimated, Field, StepError, Stepper};
use super::tolerances::{NOISE_STEPS, SMALLEST_STATE};
use crate::constraint::singular::Gap;
use crate::{Dynamics, Point};
use dalembert_linalg::{Lu, axpy, norm_max};

/// A sum of increments with what rounding has cut from it.
#[derive(Clone)]
struct Sum {
    high: Vec<f64>,
    low: Vec<f64>,
}

impl Sum {
    fn new(n: usize) -> Self {
        Self { high: vec![0.0; n], low: vec![0.0; n] }
    }

    fn set(&mut self, values: &[f64]) {
        self.high.copy_from_slice(values);
        self.low.fill(0.0);
    }

    /// self = from + increment.
    fn add(&mut self, from: &Sum, increment: &[f64]) {
        for (p, d) in increment.iter().enumerate() {
            let (a, b) = (from.high[p], d + from.low[p]);
            let sum = a + b;
            let part = sum - a;
            (self.high[p], self.low[p]) = (sum, (a - (sum - part)) + (b - part));
        }
    }
}

/// The method with its workspace.
pub(crate) struct Variational {
    element: Element,
    rows: Independent,
    /// Lambda at the nodes, s * m; those of the last node are found with the rates.
    Lambda: Vec<f64>,
    /// Positions and momenta at the start of the step, and at the end of the last one tried.
    x: Sum,
    y: Sum,
    x_end: Sum,
    y_end: Sum,
    /// The state to which `x` and `y` belong.
    known: Vec<f64>,
    lu: Lu<f64>,
    /// Step for which the matrix holds; NaN for none. The rows it was made for.
    factored_h: f64,
    factored_rows: Vec<bool>,
    /// The matrix itself, the equations that a correction solves, what is left of them.
    matrix: Vec<f64>,
    right: Vec<f64>,
    left: Vec<f64>,
    change: Vec<f64>,
    /// The last correction of each component, in units of the noise; infinite before the first.
    loudness: Vec<f64>,
    /// What roundings in the residual make of each correction, and steps since this was estimated.
    noise: Vec<f64>,
    age: usize,
    /// The level, in these units, at which corrections with a new matrix have last stopped shrinking.
    floor: f64,
    /// The size of the state at the start of the step.
    size: f64,
    increment: Vec<f64>,
    end: Vec<f64>,
    rates: Rates,
    scratch: Vec<f64>,
    /// x, x', x'' at both ends of the step, and its length.
    ends: Vec<f64>,
    h: f64,
}

impl Variational {
    pub fn new(nodes: usize, kernel: &dyn Dynamics) -> Self {
        let element = Element::new(nodes, kernel);
        let (n, m) = (element.n, element.m);
        let size = (nodes - 1) * (n + m);
        Self {
            rows: Independent::new(m, n),
            Lambda: vec![0.0; nodes * m],
            x: Sum::new(n),
            y: Sum::new(n),
            x_end: Sum::new(n),
            y_end: Sum::new(n),
            known: vec![f64::NAN; 2 * n],
            lu: Lu::new(size),
            factored_h: f64::NAN,
            factored_rows: vec![false; m],
            matrix: vec![0.0; size * size],
            right: vec![0.0; size],
            left: vec![0.0; size],
            change: vec![0.0; size],
            loudness: vec![f64::INFINITY; size],
            noise: vec![0.0; size],
            age: NOISE_STEPS,
            floor: 0.0,
            size: 1.0,
            increment: vec![0.0; n],
            end: vec![0.0; 2 * n],
            rates: Rates::new(kernel),
            scratch: vec![0.0; kernel.scratch_len()],
            ends: vec![0.0; 6 * n],
            h: 0.0,
            element,
        }
    }

    /// First guess: the parabola of the acceleration at the start, and no impulses beyond those of the last step.
    fn guess(&mut self, at: &Attempt<'_>) {
        let n = self.element.n;
        for i in 0..self.element.nodes() {
            let tau = self.element.rule.c[i] * at.h;
            for p in 0..n {
                self.element.z[i * n + p] = tau * (at.y[n + p] + 0.5 * tau * at.f[n + p]);
            }
        }
    }
}

impl Stepper for Variational {
    fn step(
        &mut self,
        field: &mut dyn Field,
        at: Attempt<'_>,
        y_new: &mut [f64],
    ) -> Result<Estimated, StepError> {
        let (s, n, m) = (self.element.nodes(), self.element.n, self.element.m);
        let Some(kernel) = field.lagrangian() else { return Err(StepError::Newton) };
        let (x, eta) = at.y.split_at(n);
        self.h = at.h;
        if self.known != at.y {
            kernel.variation(Point { t: at.t, x, eta }, &mut self.scratch, &mut self.element.first[0]);
            self.x.set(x);
            self.y.set(&self.element.first[0].y);
            self.known.copy_from_slice(at.y);
        }
        self.element.base.copy_from_slice(&self.x.high);
        self.element.low.copy_from_slice(&self.x.low);
        self.age += 1;
        if m > 0 {
            kernel.position_gradient(at.t, x, &mut self.scratch, &mut self.element.A[..m * n]);
            self.rows.choose(&self.element.A[..m * n]);
        }
        self.size = norm_max(x).max(at.h.abs() * norm_max(eta)).max(SMALLEST_STATE);
        self.guess(&at);
        let same = self.factored_h == at.h && self.factored_rows == self.rows.keep;
        let arrived = same && self.iterate(field, &at, false)?;
        if !arrived {
            self.guess(&at);
            self.Lambda.fill(0.0);
            if !self.iterate(field, &at, true)? {
                self.factored_h = f64::NAN;
                return Err(StepError::Newton);
            }
        }
        let Some(kernel) = field.lagrangian() else { return Err(StepError::Newton) };
        self.element.evaluate(kernel, at.t, at.h);
        self.x_end.add(&self.x, &self.element.z[(s - 1) * n..]);
        self.increment.fill(0.0);
        for i in 0..s {
            axpy(at.h * self.element.rule.b[i], &self.element.first[i].r, &mut self.increment);
            for c in 0..if i < s - 1 { m } else { 0 } {
                let A = &self.element.A[(i * m + c) * n..(i * m + c + 1) * n];
                axpy(self.Lambda[i * m + c], A, &mut self.increment);
            }
        }
        self.y_end.add(&self.y, &self.increment);
        let (x_new, eta_new) = y_new.split_at_mut(n);
        x_new.copy_from_slice(&self.x_end.high);
        eta_new.copy_from_slice(&self.element.v[(s - 1) * n..]);
        if !self.rates.solve(kernel, at.t + at.h, x_new, &self.y_end.high, &self.rows.keep, eta_new) {
            return Err(StepError::Newton);
        }
        self.end.copy_from_slice(y_new);
        let worst = y_new.iter().position(|v| !v.is_finite());
        Ok(Estimated { error: if worst.is_some() { f64::NAN } else { 0.0 }, worst: worst.unwrap_or(0) })
    }

    fn end_derivative(&self) -> Option<&[f64]> {
        None
    }

    fn accepted(&mut self, _: f64) {
        std::mem::swap(&mut self.x, &mut self.x_end);
        std::mem::swap(&mut self.y, &mut self.y_end);
        self.known.copy_from_slice(&self.end);
    }

    fn prepare_dense(
        &mut self,
        _: &mut dyn Field,
        at: Attempt<'_>,
        y_new: &[f64],
        f_new: &[f64],
    ) -> Result<(), StepError> {
        let n = self.element.n;
        let parts = [&at.y[..n], &at.y[n..], &at.f[n..], &y_new[..n], &y_new[n..], &f_new[n..]];
        for (to, from) in self.ends.chunks_mut(n.max(1)).zip(parts) {
            to.copy_from_slice(from);
        }
        self.h = at.h;
        Ok(())
    }

    fn dense(&self, theta: f64, out: &mut [f64]) {
        let (n, h) = (self.element.n, self.h);
        let (x, eta) = out.split_at_mut(n);
        let end = |k: usize, p: usize| self.ends[k * n + p];
        let (t2, t3) = (theta * theta, theta * theta * theta);
        for p in 0..n {
            // x = x0 + v0 h th + a0 h^2 th^2/2 + th^3 (c3 + c4 th + c5 th^2), matched at the end.
            let (v0, a0) = (end(1, p) * h, end(2, p) * h * h);
            let miss = end(3, p) - end(0, p) - v0 - 0.5 * a0;
            let (miss_v, miss_a) = (end(4, p) * h - v0 - a0, end(5, p) * h * h - a0);
            let c3 = 10.0 * miss - 4.0 * miss_v + 0.5 * miss_a;
            let c4 = -15.0 * miss + 7.0 * miss_v - miss_a;
            let c5 = 6.0 * miss - 3.0 * miss_v + 0.5 * miss_a;
            x[p] = end(0, p) + v0 * theta + 0.5 * a0 * t2 + t3 * (c3 + theta * (c4 + theta * c5));
            let rate = v0 + a0 * theta + t2 * (3.0 * c3 + theta * (4.0 * c4 + theta * 5.0 * c5));
            eta[p] = rate / h;
        }
    }

    fn exponent(&self) -> f64 {
        (2 * self.element.nodes() - 1) as f64
    }

    fn gaps(&self) -> &'static [Gap] {
        &[]
    }

    fn fixed(&self) -> bool {
        true
    }

    fn keeps_constraints(&self) -> bool {
        true
    }
}
