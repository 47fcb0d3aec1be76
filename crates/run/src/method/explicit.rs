//! Explicit Runge-Kutta methods from their tables: DOP853, Tsit5, RK4.
//!
//! ```text
//! k_i = f(t + c_i h, y + h sum_j a_ij k_j),   y_new = y + h sum_i b_i k_i
//! ```
//!
//! Dense output: order 7 (DOP853, three further stages, only when asked), order 4 (Tsit5), cubic Hermite (RK4).
//! Checked below: order of the step and of the dense output on a problem with known solution, time-dependent too.

use super::dop853::{DENSE, DOP853, EXTRA_A, EXTRA_C};
use super::plain_step::plain_step;
use super::stages::{Carry, DOP853_ERRORS, Kind, Stages, TSIT5_ERROR};
use super::stepper::{Attempt, Estimated, Field, StepError, Stepper};
use super::tableaux::TSIT5_DENSE;
use super::tolerances::{ASTRAY, UNRESOLVED};
use crate::constraint::singular::Gap;

/// Stages of DOP853 with which the interpolant is compared, and the slopes of the seven terms of its nested form there.
const COMPARED: [usize; 3] = [7, 8, 10];
const SLOPES: [[f64; 7]; 3] =
    [nested_slopes(DOP853.c[7]), nested_slopes(DOP853.c[8]), nested_slopes(DOP853.c[10])];

/// The stage that is nearest in time to each further stage.
const NEXT_TO_EXTRA: [usize; 3] = [3, 6, 10];

/// Derivatives by theta of theta, theta (1 - theta), theta (1 - theta) theta, ...
const fn nested_slopes(theta: f64) -> [f64; 7] {
    let (mut value, mut slope, mut slopes, mut p) = (1.0, 0.0, [0.0; 7], 0);
    while p < 7 {
        let (factor, rate) = if p % 2 == 0 { (theta, 1.0) } else { (1.0 - theta, -1.0) };
        slope = slope * factor + value * rate;
        value *= factor;
        slopes[p] = slope;
        p += 1;
    }
    slopes
}

/// An explicit method with its workspace.
pub(crate) struct Explicit {
    kind: Kind,
    dim: usize,
    /// Derivatives of the stages.
    k: Stages,
    /// The state or sum that was formed last.
    stage: Vec<f64>,
    /// Interpolant coefficients, highest last, and the state and step they belong to.
    dense: Vec<f64>,
    origin: Vec<f64>,
    carry: Carry,
}

impl Explicit {
    pub fn new(kind: Kind, dim: usize) -> Self {
        Self {
            kind,
            dim,
            k: Stages::new(dim),
            stage: vec![0.0; dim],
            dense: vec![0.0; 7 * dim],
            origin: vec![0.0; dim],
            carry: Carry::new(dim),
        }
    }

    /// The derivative k_i at the state that was formed last.
    fn take_derivative(&mut self, field: &mut dyn Field, t: f64, i: usize) -> Result<(), StepError> {
        Ok(field.eval(t, &self.stage, self.k.row_mut(i))?)
    }

    /// Largest component of sum_j weights_j k_j in units of the tolerance, as far as projection will leave it, and its index;
    /// NaN wins.
    fn error_size(
        &mut self,
        field: &mut dyn Field,
        at: &Attempt<'_>,
        y_new: &[f64],
        weights: &[f64],
        tangent: bool,
    ) -> (f64, usize) {
        self.k.sum(1.0, weights, &mut self.stage);
        if tangent {
            field.tangent(&mut self.stage);
        }
        at.tol.norm(self.stage.iter().copied(), at.y, y_new)
    }

    fn estimate(&mut self, field: &mut dyn Field, at: &Attempt<'_>, y_new: &[f64]) -> Estimated {
        if self.kind == Kind::Rk4 {
            return Estimated::of_none(y_new);
        }
        let tangent = field.prepare_tangent(at.t + at.h, y_new);
        if self.kind == Kind::Tsit5 {
            let (size, worst) = self.error_size(field, at, y_new, TSIT5_ERROR, tangent);
            return Estimated { error: at.h.abs() * size, worst };
        }
        let (third, _) = self.error_size(field, at, y_new, DOP853_ERRORS[1], tangent);
        let fifth = self.error_size(field, at, y_new, DOP853_ERRORS[0], tangent);
        Estimated::of_two(at.h, fifth, third)
    }

    /// DOP853: three further stages, then the coefficients of the nested form.
    fn dense_dop853(
        &mut self,
        field: &mut dyn Field,
        at: Attempt<'_>,
        y_new: &[f64],
        f_new: &[f64],
    ) -> Result<(), StepError> {
        let d = self.dim;
        self.k.row_mut(12).copy_from_slice(f_new);
        for s in 0..3 {
            self.k.state(at.y, at.h, &EXTRA_A[s][..13 + s], &mut self.stage);
            self.take_derivative(field, at.t + EXTRA_C[s] * at.h, 13 + s)?;
        }
        for i in 0..d {
            let delta = y_new[i] - at.y[i];
            self.dense[i] = delta;
            self.dense[d + i] = at.h * at.f[i] - delta;
            self.dense[2 * d + i] = 2.0 * delta - at.h * (f_new[i] + at.f[i]);
        }
        for (weights, out) in DENSE.iter().zip(self.dense[3 * d..].chunks_mut(d.max(1))) {
            self.k.sum(at.h, weights, out);
        }
        if self.is_resolved(&at, y_new) {
            return Ok(());
        }
        Err(StepError::Unresolved { at: EXTRA_C[self.strangest_extra(&at, y_new)] })
    }

    /// The further stage whose slope is least like that of the stage next to it.
    fn strangest_extra(&self, at: &Attempt<'_>, y_new: &[f64]) -> usize {
        let unlike = |s: usize| {
            let (a, b) = (self.k.row(13 + s), self.k.row(NEXT_TO_EXTRA[s]));
            at.tol.norm(a.iter().zip(b).map(|(a, b)| a - b), at.y, y_new).0
        };
        (1..3).fold(0, |worst, s| if unlike(s) > unlike(worst) { s } else { worst })
    }

    /// Whether the interpolant of DOP853 moves as the stages of the step do.
    fn is_resolved(&self, at: &Attempt<'_>, y_new: &[f64]) -> bool {
        let d = self.dim;
        let size = |of: &dyn Fn(usize) -> f64| at.tol.norm((0..d).map(of), at.y, y_new).0;
        let (mut missed, mut moved) = (0.0_f64, 0.0_f64);
        for (stage, slopes) in COMPARED.iter().zip(&SLOPES) {
            let rate = |i: usize| at.h * self.k.row(*stage)[i];
            let slope = |i: usize| (0..7).map(|p| slopes[p] * self.dense[p * d + i]).sum::<f64>();
            missed = missed.max(size(&|i| slope(i) - rate(i)));
            moved = moved.max(size(&rate));
        }
        missed <= UNRESOLVED.max(ASTRAY * moved)
    }

    fn dense_tsit5(&mut self, h: f64) {
        let d = self.dim;
        for (p, out) in self.dense.chunks_mut(d.max(1)).take(4).enumerate() {
            let weights: [f64; 7] = std::array::from_fn(|j| TSIT5_DENSE[j][p]);
            self.k.sum(h, &weights, out);
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
    fn step(
        &mut self,
        field: &mut dyn Field,
        at: Attempt<'_>,
        y_new: &mut [f64],
    ) -> Result<Estimated, StepError> {
        if let Some(fused) = field.fused()
            && let Some(estimated) = plain_step(self.kind, (&mut self.k, &mut self.carry), fused, &at, y_new)
        {
            return Ok(estimated);
        }
        let table = self.kind.table();
        self.k.row_mut(0).copy_from_slice(at.f);
        for i in 1..table.c.len() {
            self.k.state(at.y, at.h, table.a[i], &mut self.stage);
            self.take_derivative(field, at.t + table.c[i] * at.h, i)?;
        }
        self.k.increment(at.h, table.b, &mut self.stage);
        self.carry.add(at.y, &self.stage, y_new);
        self.stage.copy_from_slice(y_new);
        if table.last_is_next {
            self.take_derivative(field, at.t + at.h, table.c.len())?;
        }
        Ok(self.estimate(field, &at, y_new))
    }

    fn end_derivative(&self) -> Option<&[f64]> {
        let table = self.kind.table();
        table.last_is_next.then(|| self.k.row(table.c.len()))
    }

    fn accepted(&mut self, _: f64) {
        self.carry.accepted();
    }

    fn prepare_dense(
        &mut self,
        field: &mut dyn Field,
        at: Attempt<'_>,
        y_new: &[f64],
        f_new: &[f64],
    ) -> Result<(), StepError> {
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

    fn stages(&self) -> Option<&[f64]> {
        (self.kind == Kind::Dop853).then(|| self.k.all())
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

#[cfg(test)]
mod tests {
    use super::super::radau::Radau;
    use super::super::stepper::{EvalError, Tolerance};
    use super::*;

    /// y1' = y1 cos t, y2' = y1 y2 cos t - y2^3: depends on time, so the nodes matter, and is nonlinear. y1 = exp(sin t).
    struct Known;

    impl Field for Known {
        fn dim(&self) -> usize {
            2
        }
        fn eval(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<(), EvalError> {
            out[0] = y[0] * t.cos();
            out[1] = y[0] * t.cos() * y[1] - y[1] * y[1] * y[1];
            Ok(())
        }
        fn jacobian(&mut self, t: f64, y: &[f64], _: &[f64], J: &mut [f64]) -> Result<(), EvalError> {
            J.copy_from_slice(&[t.cos(), 0.0, t.cos() * y[1], y[0] * t.cos() - 3.0 * y[1] * y[1]]);
            Ok(())
        }
    }

    /// End state and largest dense error (of y1) with `steps` equal steps over [0, 2].
    fn march(stepper: &mut dyn Stepper, steps: usize) -> ([f64; 2], f64) {
        let (mut y, h) = ([1.0, 0.5], 2.0 / steps as f64);
        let (mut y_new, mut f, mut f_new, mut row) = ([0.0; 2], [0.0; 2], [0.0; 2], [0.0; 2]);
        let mut dense_error = 0.0_f64;
        let tol = Tolerance { rtol: 1e-12, atol: 1e-12 };
        for k in 0..steps {
            let t = k as f64 * h;
            Known.eval(t, &y, &mut f).unwrap();
            let at = Attempt { t, h, y: &y, f: &f, tol };
            stepper.step(&mut Known, at, &mut y_new).unwrap();
            Known.eval(t + h, &y_new, &mut f_new).unwrap();
            stepper.accepted(h);
            stepper.prepare_dense(&mut Known, at, &y_new, &f_new).unwrap();
            for theta in [0.2, 0.5, 0.9] {
                stepper.dense(theta, &mut row);
                dense_error = dense_error.max((row[0] - (t + theta * h).sin().exp()).abs());
            }
            stepper.dense(1.0, &mut row);
            assert!((row[0] - y_new[0]).abs() < 1e-13);
            y = y_new;
        }
        (y, dense_error)
    }

    /// Observed order from errors at n and 2n steps.
    fn order(coarse: f64, fine: f64) -> f64 {
        (coarse / fine).log2()
    }

    #[test]
    fn steps_and_dense_output_have_their_order() {
        // (method, steps, order of the step, order of the dense output)
        let cases: [(Kind, usize, f64, f64); 3] =
            [(Kind::Dop853, 4, 8.0, 7.0), (Kind::Tsit5, 20, 5.0, 4.0), (Kind::Rk4, 20, 4.0, 3.0)];
        let exact = 2.0_f64.sin().exp();
        for (kind, steps, want, dense) in cases {
            let (coarse, coarse_dense) = march(&mut Explicit::new(kind, 2), steps);
            let (fine, fine_dense) = march(&mut Explicit::new(kind, 2), 2 * steps);
            let found = order((coarse[0] - exact).abs(), (fine[0] - exact).abs());
            let found_dense = order(coarse_dense, fine_dense);
            assert!(found > want - 0.6, "{}: order {found}", kind.table().c.len());
            assert!(found_dense > dense + 0.4, "{}: dense order {found_dense}", kind.table().c.len());
        }
    }

    #[test]
    fn radau_has_order_five() {
        let exact = 2.0_f64.sin().exp();
        let (coarse, coarse_dense) = march(&mut Radau::new(2), 24);
        let (fine, fine_dense) = march(&mut Radau::new(2), 48);
        let found = order((coarse[0] - exact).abs(), (fine[0] - exact).abs());
        assert!(found > 4.5, "order {found}");
        assert!(order(coarse_dense, fine_dense) > 3.4, "dense order {}", order(coarse_dense, fine_dense));
    }

    #[test]
    fn all_methods_agree_on_the_second_component() {
        let reference = march(&mut Explicit::new(Kind::Dop853, 2), 100).0[1];
        for (kind, steps, within) in
            [(Kind::Dop853, 40, 1e-13), (Kind::Tsit5, 400, 1e-12), (Kind::Rk4, 800, 1e-11)]
        {
            let found = march(&mut Explicit::new(kind, 2), steps).0[1];
            assert!((found - reference).abs() < within, "{:e}", found - reference);
        }
        assert!((march(&mut Radau::new(2), 200).0[1] - reference).abs() < 1e-11);
    }
}
