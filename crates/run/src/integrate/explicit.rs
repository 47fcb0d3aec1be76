//! Explicit Runge-Kutta methods from their tables: DOP853, Tsit5, RK4.
//!
//! ```text
//! k_i = f(t + c_i h, y + h sum_j a_ij k_j),   y_new = y + h sum_i b_i k_i
//! ```
//!
//! Dense output: order 7 (DOP853, three further stages, only when asked), order 4 (Tsit5), cubic Hermite (RK4).
//! Checked below: order of the step and of the dense output on a problem with known solution, time-dependent too.

use super::singular::Gap;
use super::dop853::{DENSE, DOP853, EXTRA_A, EXTRA_C};
use super::stepper::{Attempt, Estimated, Field, StepError, Stepper};
use super::tsit5::{RK4, TSIT5, TSIT5_DENSE};
use crate::linalg::axpy;

/// How the error is estimated from the derivatives.
pub(super) enum Estimate {
    None,
    /// One weighted sum.
    One(&'static [f64]),
    /// DOP853: orders 5 and 3 combined.
    Two { fifth: &'static [f64], third: &'static [f64] },
}

/// A Runge-Kutta table.
pub(super) struct Tableau {
    pub c: &'static [f64],
    pub a: &'static [&'static [f64]],
    pub b: &'static [f64],
    pub estimate: Estimate,
    /// Whether the derivative at the end is one of the derivatives of the step.
    pub last_is_next: bool,
    pub exponent: f64,
    #[cfg_attr(not(test), allow(dead_code))]
    pub order: f64,
    pub gaps: &'static [Gap],
    /// Further stages of the dense output.
    pub extra: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Dop853,
    Tsit5,
    Rk4,
}

impl Kind {
    fn table(self) -> &'static Tableau {
        match self {
            Kind::Dop853 => &DOP853,
            Kind::Tsit5 => &TSIT5,
            Kind::Rk4 => &RK4,
        }
    }
}

/// An explicit method with its workspace.
pub(super) struct Explicit {
    kind: Kind,
    dim: usize,
    /// Derivatives of the stages, one after the other.
    k: Vec<f64>,
    stage: Vec<f64>,
    /// Interpolant coefficients, highest last, and the state and step they belong to.
    dense: Vec<f64>,
    origin: Vec<f64>,
}

impl Explicit {
    pub fn new(kind: Kind, dim: usize) -> Self {
        let table = kind.table();
        let count = table.c.len() + 1 + table.extra;
        Self { kind, dim, k: vec![0.0; count * dim], stage: vec![0.0; dim], dense: vec![0.0; 7 * dim], origin: vec![0.0; dim] }
    }

    /// stage = y + h sum weights_j k_j
    fn combine(&mut self, y: &[f64], h: f64, weights: &[f64]) {
        self.stage.copy_from_slice(y);
        for (j, w) in weights.iter().enumerate() {
            if *w != 0.0 {
                axpy(h * w, &self.k[j * self.dim..(j + 1) * self.dim], &mut self.stage);
            }
        }
    }

    fn eval_into(&mut self, field: &mut dyn Field, t: f64, i: usize) -> Result<(), StepError> {
        let d = self.dim;
        Ok(field.eval(t, &self.stage, &mut self.k[i * d..(i + 1) * d])?)
    }

    /// Component i of sum_j weights_j k_j.
    fn weighted(&self, weights: &[f64], i: usize) -> f64 {
        weights.iter().enumerate().map(|(j, w)| w * self.k[j * self.dim + i]).sum()
    }

    fn estimate(&self, at: &Attempt<'_>, y_new: &[f64]) -> Estimated {
        let d = self.dim;
        match &self.kind.table().estimate {
            Estimate::None => match y_new.iter().position(|v| !v.is_finite()) {
                Some(worst) => Estimated { error: f64::NAN, worst },
                None => Estimated { error: 0.0, worst: 0 },
            },
            Estimate::One(w) => {
                let (error, worst) = at.tol.norm((0..d).map(|i| at.h * self.weighted(w, i)), at.y, y_new);
                Estimated { error, worst }
            }
            Estimate::Two { fifth, third } => {
                let (e5, worst) = at.tol.norm((0..d).map(|i| self.weighted(fifth, i)), at.y, y_new);
                let (e3, _) = at.tol.norm((0..d).map(|i| self.weighted(third, i)), at.y, y_new);
                let size = (e5 * e5 + 0.01 * e3 * e3).sqrt();
                let error = if size == 0.0 { 0.0 } else { at.h.abs() * e5 * (e5 / size) };
                Estimated { error, worst }
            }
        }
    }

    /// DOP853: three further stages, then the coefficients of the nested form.
    fn dense_dop853(&mut self, field: &mut dyn Field, at: Attempt<'_>, y_new: &[f64], f_new: &[f64]) -> Result<(), StepError> {
        let d = self.dim;
        self.k[12 * d..13 * d].copy_from_slice(f_new);
        for s in 0..3 {
            self.combine(at.y, at.h, &EXTRA_A[s][..13 + s]);
            self.eval_into(field, at.t + EXTRA_C[s] * at.h, 13 + s)?;
        }
        for i in 0..d {
            let delta = y_new[i] - at.y[i];
            self.dense[i] = delta;
            self.dense[d + i] = at.h * at.f[i] - delta;
            self.dense[2 * d + i] = 2.0 * delta - at.h * (f_new[i] + at.f[i]);
            for r in 0..4 {
                self.dense[(3 + r) * d + i] = at.h * self.weighted(&DENSE[r], i);
            }
        }
        Ok(())
    }

    fn dense_tsit5(&mut self, h: f64) {
        let d = self.dim;
        for p in 0..4 {
            for i in 0..d {
                self.dense[p * d + i] = h * (0..7).map(|j| TSIT5_DENSE[j][p] * self.k[j * d + i]).sum::<f64>();
            }
        }
    }

    fn dense_hermite(&mut self, at: Attempt<'_>, y_new: &[f64], f_new: &[f64]) {
        let d = self.dim;
        for i in 0..d {
            let (delta, f0, f1) = (y_new[i] - at.y[i], at.h * at.f[i], at.h * f_new[i]);
            self.dense[i] = f0;
            self.dense[d + i] = 3.0 * delta - 2.0 * f0 - f1;
            self.dense[2 * d + i] = f0 + f1 - 2.0 * delta;
            self.dense[3 * d + i] = 0.0;
        }
    }
}

impl Stepper for Explicit {
    fn step(&mut self, field: &mut dyn Field, at: Attempt<'_>, y_new: &mut [f64]) -> Result<Estimated, StepError> {
        let (table, d) = (self.kind.table(), self.dim);
        self.k[..d].copy_from_slice(at.f);
        for i in 1..table.c.len() {
            self.combine(at.y, at.h, table.a[i]);
            self.eval_into(field, at.t + table.c[i] * at.h, i)?;
        }
        self.combine(at.y, at.h, table.b);
        y_new.copy_from_slice(&self.stage);
        if table.last_is_next {
            self.eval_into(field, at.t + at.h, table.c.len())?;
        }
        Ok(self.estimate(&at, y_new))
    }

    fn end_derivative(&self) -> Option<&[f64]> {
        let (table, d) = (self.kind.table(), self.dim);
        table.last_is_next.then(|| &self.k[table.c.len() * d..(table.c.len() + 1) * d])
    }

    fn accepted(&mut self, _: f64) {}

    fn prepare_dense(&mut self, field: &mut dyn Field, at: Attempt<'_>, y_new: &[f64], f_new: &[f64]) -> Result<(), StepError> {
        self.origin.copy_from_slice(at.y);
        match self.kind {
            Kind::Dop853 => self.dense_dop853(field, at, y_new, f_new)?,
            Kind::Tsit5 => self.dense_tsit5(at.h),
            Kind::Rk4 => self.dense_hermite(at, y_new, f_new),
        }
        Ok(())
    }

    fn dense(&self, theta: f64, out: &mut [f64]) {
        let d = self.dim;
        let term = |p: usize, i: usize| self.dense[p * d + i];
        for i in 0..d {
            let sum = if self.kind == Kind::Dop853 {
                // Nested in theta and 1 - theta alternately.
                (0..7).rev().fold(0.0, |s, p| (s + term(p, i)) * if p % 2 == 0 { theta } else { 1.0 - theta })
            } else {
                (0..4).rev().fold(0.0, |s, p| (s + term(p, i)) * theta)
            };
            out[i] = self.origin[i] + sum;
        }
    }

    fn exponent(&self) -> f64 {
        self.kind.table().exponent
    }

    fn gaps(&self) -> &'static [Gap] {
        self.kind.table().gaps
    }

    fn fixed(&self) -> bool {
        self.kind == Kind::Rk4
    }
}
