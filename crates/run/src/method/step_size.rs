//! Step size: the first one, and the next one from the error of the last.

use super::stepper::{EvalError, Field, Tolerance};

const SAFETY: f64 = 0.9;
const SHRINK: f64 = 0.2;
const GROW: f64 = 5.0;

/// Proportional-integral control of the step size.
pub(crate) struct Control {
    exponent: f64,
    least_growth: f64,
    before: f64,
    rejected: bool,
}

impl Control {
    /// For a method whose error goes as h^exponent.
    pub fn new(exponent: f64, least_growth: f64) -> Self {
        Self { exponent, least_growth, before: 1e-4, rejected: false }
    }

    /// Factor on the step after an accepted one with this error.
    pub fn accepted(&mut self, error: f64) -> f64 {
        let error = error.max(1e-10);
        let factor = SAFETY * error.powf(-0.7 / self.exponent) * self.before.powf(0.4 / self.exponent);
        self.before = error.max(1e-4);
        let factor = factor.clamp(SHRINK, if self.rejected { 1.0 } else { GROW });
        self.rejected = false;
        if factor >= 1.0 && factor < self.least_growth { 1.0 } else { factor }
    }

    /// Factor on the step after a rejected one; the error may be NaN.
    pub fn rejected(&mut self, error: f64) -> f64 {
        self.rejected = true;
        if error.is_finite() {
            (SAFETY * error.powf(-1.0 / self.exponent)).clamp(SHRINK, 0.9)
        } else {
            SHRINK
        }
    }
}

/// A first step from the sizes of y, y' and y'' (Hairer, Norsett, Wanner I, section II.4), signed like `span`.
pub(crate) fn first_step(
    field: &mut dyn Field,
    t: f64,
    y: &[f64],
    f: &[f64],
    span: f64,
    exponent: f64,
    tol: Tolerance,
) -> Result<f64, EvalError> {
    first_step_by(|t, y, out| field.eval(t, y, out), t, y, f, span, exponent, tol)
}

/// The first step of a method for a derivative given as a function.
pub(crate) fn first_step_by<E>(
    mut eval: impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    t: f64,
    y: &[f64],
    f: &[f64],
    span: f64,
    exponent: f64,
    tol: Tolerance,
) -> Result<f64, E> {
    let d0 = tol.norm(y.iter().copied(), y, y).0;
    let d1 = tol.norm(f.iter().copied(), y, y).0;
    let direction = span.signum();
    // A state of zeros says nothing about scales; then the derivative decides.
    let h0 =
        if d0 < 1e-5 || d1 < 1e-5 { 1e-6 * span.abs() } else { 0.01 * d0 / d1 }.min(span.abs()) * direction;
    let trial: Vec<f64> = y.iter().zip(f).map(|(y, f)| y + h0 * f).collect();
    let mut f1 = vec![0.0; y.len()];
    eval(t + h0, &trial, &mut f1)?;
    let d2 = tol.norm(f1.iter().zip(f).map(|(a, b)| a - b), y, y).0 / h0.abs();
    let steep = d1.max(d2);
    let h1 = if steep <= 1e-15 {
        (1e-3 * h0.abs()).max(1e-6 * span.abs())
    } else {
        (0.01 / steep).powf(1.0 / exponent)
    };
    let h = h1.min(100.0 * h0.abs()).min(span.abs());
    Ok(direction * if h.is_finite() && h > 0.0 { h } else { 1e-6 * span.abs() })
}
