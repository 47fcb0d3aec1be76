//! Radau IIA of order 5: three implicit stages, stiffly accurate, for stiff systems.
//!
//! ```text
//! Z_i = h sum_j a_ij f(t + c_j h, y + Z_j),   y_new = y + Z_3
//! ```
//!
//! Simplified Newton on W = T^-1 Z, which splits the 3d equations into one real and one complex system of size d
//! (mu/h - J). Error by the embedded formula of order 3, filtered by (mu/h - J)^-1. Dense output: the collocation cubic.
//! Source: Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.8.
//! Checked below (order, stiff decay) and against DOP853 in `tests/it/motion.rs`.

use super::stepper::{Attempt, Estimated, Field, StepError, Stepper};
use super::tolerances::{MAX_RADAU_ITERATIONS, RADAU_ITERATION, RADAU_SLOW};
use crate::constraint::singular::Gap;
use dalembert_linalg::{Complex, Lu};

/// sqrt(6).
const S6: f64 = 2.449489742783178;
const C: [f64; 3] = [(4.0 - S6) / 10.0, (4.0 + S6) / 10.0, 1.0];
/// Error weights over Z.
const E: [f64; 3] = [(-13.0 - 7.0 * S6) / 3.0, (-13.0 + 7.0 * S6) / 3.0, -1.0 / 3.0];
/// Eigenvalues of the inverse Runge-Kutta matrix.
const MU_REAL: f64 = 3.637834252744496;
const MU_COMPLEX: Complex = Complex { re: 2.6810828736277523, im: -3.0504301992474105 };
/// Eigenvectors, real form, and their inverse.
const T: [[f64; 3]; 3] = [
    [0.09443876248897524, -0.1412552950209542, 0.03002919410514742],
    [0.2502131229653333, 0.20412935229379994, -0.3829421127572619],
    [1.0, 1.0, 0.0],
];
const T_INV: [[f64; 3]; 3] = [
    [4.178_718_591_551_904, 0.32768282076106237, 0.523_376_445_499_449_5],
    [-4.178_718_591_551_904, -0.32768282076106237, 0.47662355450055044],
    [0.5028726349457868, -2.571_926_949_855_605, 0.5960392048282249],
];
/// Collocation polynomial over Z: coefficients of theta, theta^2, theta^3.
const P: [[f64; 3]; 3] = [
    [13.0 / 3.0 + 7.0 * S6 / 3.0, -23.0 / 3.0 - 22.0 * S6 / 3.0, 10.0 / 3.0 + 5.0 * S6],
    [13.0 / 3.0 - 7.0 * S6 / 3.0, -23.0 / 3.0 + 22.0 * S6 / 3.0, 10.0 / 3.0 - 5.0 * S6],
    [1.0 / 3.0, -8.0 / 3.0, 10.0 / 3.0],
];

/// The method with its workspace.
pub(crate) struct Radau {
    dim: usize,
    J: Vec<f64>,
    /// Whether J may be used, and whether it was taken at the start of this step.
    have_jacobian: bool,
    jacobian_is_current: bool,
    /// Step for which the factorisations hold; NaN for none.
    factored_h: f64,
    real: Lu<f64>,
    complex: Lu<Complex>,
    Z: Vec<f64>,
    W: Vec<f64>,
    F: Vec<f64>,
    /// Coefficients of the last accepted collocation cubic, and its step; NaN for none.
    cubic: Vec<f64>,
    cubic_h: f64,
    origin: Vec<f64>,
    work: Vec<f64>,
    error: Vec<f64>,
    work_complex: Vec<Complex>,
    slow: bool,
}

impl Radau {
    pub fn new(dim: usize) -> Self {
        Self {
            dim,
            J: vec![0.0; dim * dim],
            have_jacobian: false,
            jacobian_is_current: false,
            factored_h: f64::NAN,
            real: Lu::new(dim),
            complex: Lu::new(dim),
            Z: vec![0.0; 3 * dim],
            W: vec![0.0; 3 * dim],
            F: vec![0.0; 3 * dim],
            cubic: vec![0.0; 3 * dim],
            cubic_h: f64::NAN,
            origin: vec![0.0; dim],
            work: vec![0.0; dim],
            error: vec![0.0; dim],
            work_complex: vec![Complex::default(); dim],
            slow: false,
        }
    }

    fn take_jacobian(&mut self, field: &mut dyn Field, at: &Attempt<'_>) -> Result<(), StepError> {
        field.jacobian(at.t, at.y, at.f, &mut self.J)?;
        (self.have_jacobian, self.jacobian_is_current, self.factored_h) = (true, true, f64::NAN);
        Ok(())
    }

    /// mu/h - J, real and complex.
    fn factor(&mut self, field: &mut dyn Field, h: f64) -> Result<(), StepError> {
        let d = self.dim;
        for (to, from) in self.real.matrix(d).iter_mut().zip(&self.J) {
            *to = -from;
        }
        for (to, from) in self.complex.matrix(d).iter_mut().zip(&self.J) {
            *to = Complex::new(-from, 0.0);
        }
        for i in 0..d {
            self.real.matrix(d)[i * d + i] += MU_REAL / h;
            let z = &mut self.complex.matrix(d)[i * d + i];
            *z = *z + Complex::new(MU_COMPLEX.re / h, MU_COMPLEX.im / h);
        }
        field.count_factorisation();
        self.factored_h = f64::NAN;
        self.real.factor(0.0).map_err(|_| StepError::Newton)?;
        self.complex.factor(0.0).map_err(|_| StepError::Newton)?;
        self.factored_h = h;
        Ok(())
    }

    /// First guess of Z: the last cubic carried on, or zero.
    fn guess(&mut self, h: f64) {
        let d = self.dim;
        if self.cubic_h.is_nan() {
            self.Z.fill(0.0);
        } else {
            for s in 0..3 {
                let theta = 1.0 + C[s] * h / self.cubic_h;
                for i in 0..d {
                    let at = |theta: f64| {
                        theta * (self.cubic[i] + theta * (self.cubic[d + i] + theta * self.cubic[2 * d + i]))
                    };
                    self.Z[s * d + i] = at(theta) - at(1.0);
                }
            }
        }
        mix(&T_INV, &self.Z, &mut self.W, d);
    }

    /// Simplified Newton. `Ok(false)` if it does not converge.
    fn newton(&mut self, field: &mut dyn Field, at: &Attempt<'_>) -> Result<bool, StepError> {
        let d = self.dim;
        let tol = (10.0 * f64::EPSILON / at.tol.rtol).max(at.tol.rtol.sqrt().min(RADAU_ITERATION));
        let (mut before, mut rate) = (f64::NAN, f64::NAN);
        for k in 0..MAX_RADAU_ITERATIONS {
            for s in 0..3 {
                for i in 0..d {
                    self.work[i] = at.y[i] + self.Z[s * d + i];
                }
                field.eval(at.t + C[s] * at.h, &self.work, &mut self.F[s * d..(s + 1) * d])?;
            }
            let change = self.correct(at);
            if k > 0 {
                rate = change / before;
                let left = rate.powi((MAX_RADAU_ITERATIONS - k) as i32) / (1.0 - rate) * change;
                if !(rate < 1.0) || left > tol {
                    return Ok(false);
                }
            }
            if !change.is_finite() {
                return Ok(false);
            }
            mix(&T, &self.W, &mut self.Z, d);
            if change == 0.0 || rate / (1.0 - rate) * change < tol {
                self.slow = k > 1 && rate > RADAU_SLOW;
                return Ok(true);
            }
            before = change;
        }
        Ok(false)
    }

    /// One correction of W; returns its size in units of the tolerance.
    fn correct(&mut self, at: &Attempt<'_>) -> f64 {
        let (d, h) = (self.dim, at.h);
        for i in 0..d {
            let row = |r: usize| (0..3).map(|s| T_INV[r][s] * self.F[s * d + i]).sum::<f64>();
            let (w1, w2) = (self.W[d + i], self.W[2 * d + i]);
            self.work[i] = row(0) - MU_REAL / h * self.W[i];
            let w = Complex::new(w1, w2) * Complex::new(MU_COMPLEX.re / h, MU_COMPLEX.im / h);
            self.work_complex[i] = Complex::new(row(1), row(2)) - w;
        }
        self.real.solve(&mut self.work);
        self.complex.solve(&mut self.work_complex);
        let mut size = 0.0_f64;
        for i in 0..d {
            let step = [self.work[i], self.work_complex[i].re, self.work_complex[i].im];
            let scale = at.tol.scale(at.y[i], at.y[i]);
            for s in 0..3 {
                self.W[s * d + i] += step[s];
                let scaled = step[s].abs() / scale;
                size = if scaled.is_nan() { f64::NAN } else { size.max(scaled) };
            }
        }
        size
    }

    /// (mu/h - J)^-1 (f + E Z / h), the filtered error.
    fn filtered_error(&mut self, f: &[f64], h: f64) {
        let d = self.dim;
        for i in 0..d {
            self.error[i] = f[i] + (0..3).map(|s| E[s] * self.Z[s * d + i]).sum::<f64>() / h;
        }
        self.real.solve(&mut self.error);
    }
}

/// out = rows of `matrix` over the three blocks of `blocks`.
fn mix(matrix: &[[f64; 3]; 3], blocks: &[f64], out: &mut [f64], d: usize) {
    for r in 0..3 {
        for i in 0..d {
            out[r * d + i] = (0..3).map(|s| matrix[r][s] * blocks[s * d + i]).sum();
        }
    }
}

impl Stepper for Radau {
    fn step(
        &mut self,
        field: &mut dyn Field,
        at: Attempt<'_>,
        y_new: &mut [f64],
    ) -> Result<Estimated, StepError> {
        let d = self.dim;
        if !self.have_jacobian {
            self.take_jacobian(field, &at)?;
        }
        loop {
            if self.factored_h != at.h {
                self.factor(field, at.h)?;
            }
            self.guess(at.h);
            if self.newton(field, &at)? {
                break;
            }
            if self.jacobian_is_current {
                self.factored_h = f64::NAN;
                return Err(StepError::Newton);
            }
            self.take_jacobian(field, &at)?;
        }
        for i in 0..d {
            y_new[i] = at.y[i] + self.Z[2 * d + i];
        }
        self.filtered_error(at.f, at.h);
        let tangent = field.prepare_tangent(at.t + at.h, y_new);
        if tangent {
            field.tangent(&mut self.error);
        }
        let (mut error, mut worst) = at.tol.norm(self.error.iter().copied(), at.y, y_new);
        if error > 1.0 {
            // A second filtering tells stiff transients from true errors.
            for i in 0..d {
                self.work[i] = at.y[i] + self.error[i];
            }
            field.eval(at.t, &self.work, &mut self.F[..d])?;
            let f = std::mem::take(&mut self.F);
            self.filtered_error(&f[..d], at.h);
            self.F = f;
            if tangent {
                field.tangent(&mut self.error);
            }
            (error, worst) = at.tol.norm(self.error.iter().copied(), at.y, y_new);
        }
        Ok(Estimated { error, worst })
    }

    fn end_derivative(&self) -> Option<&[f64]> {
        None
    }

    fn accepted(&mut self, h: f64) {
        let d = self.dim;
        for p in 0..3 {
            for i in 0..d {
                self.cubic[p * d + i] = (0..3).map(|s| P[s][p] * self.Z[s * d + i]).sum();
            }
        }
        self.cubic_h = h;
        self.jacobian_is_current = false;
        self.have_jacobian = !self.slow;
    }

    fn interrupted(&mut self) {
        (self.cubic_h, self.have_jacobian, self.jacobian_is_current) = (f64::NAN, false, false);
    }

    fn prepare_dense(
        &mut self,
        _: &mut dyn Field,
        at: Attempt<'_>,
        _: &[f64],
        _: &[f64],
    ) -> Result<(), StepError> {
        self.origin.copy_from_slice(at.y);
        Ok(())
    }

    fn dense(&self, theta: f64, out: &mut [f64]) {
        let d = self.dim;
        for i in 0..d {
            out[i] = self.origin[i]
                + theta * (self.cubic[i] + theta * (self.cubic[d + i] + theta * self.cubic[2 * d + i]));
        }
    }

    fn exponent(&self) -> f64 {
        4.0
    }

    fn gaps(&self) -> &'static [Gap] {
        &[Gap { middle: 0.4, reach: 0.2 }, Gap { middle: 0.82, reach: 0.15 }]
    }

    fn least_growth(&self) -> f64 {
        1.2
    }
}

#[cfg(test)]
mod tests {
    use super::super::stepper::{EvalError, Tolerance};
    use super::*;

    /// y0 decays; y1 is what projection removes, and is noisy.
    struct Noisy;

    impl Field for Noisy {
        fn dim(&self) -> usize {
            2
        }
        fn eval(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<(), EvalError> {
            (out[0], out[1]) = (-y[0], 1e3 * (1e4 * t).sin());
            Ok(())
        }
        fn jacobian(&mut self, _: f64, _: &[f64], _: &[f64], J: &mut [f64]) -> Result<(), EvalError> {
            J.copy_from_slice(&[-1.0, 0.0, 0.0, 0.0]);
            Ok(())
        }
        fn prepare_tangent(&mut self, _: f64, _: &[f64]) -> bool {
            true
        }
        fn tangent(&mut self, error: &mut [f64]) {
            error[1] = 0.0;
        }
    }

    #[test]
    fn what_projection_removes_does_not_count_after_the_second_filtering_either() {
        let tol = Tolerance { rtol: 1e-10, atol: 1e-12 };
        let (y, mut y_new) = ([1.0, 0.0], [0.0; 2]);
        let at = Attempt { t: 0.0, h: 0.3, y: &y, f: &[-1.0, 0.0], tol };
        let estimated = Radau::new(2).step(&mut Noisy, at, &mut y_new).unwrap();
        // The error of the decay itself is above the tolerance, so there was a second filtering.
        assert!(estimated.error > 1.0 && estimated.error < 1e9 && estimated.worst == 0, "{estimated:?}");
    }
}
