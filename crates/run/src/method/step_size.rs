//! Step size: the first one, and the next one from the error of the last.
//!
//! One law for the ordinary driver and for lanes. They differ in how powers are taken: by the mathematical library, or by
//! plain arithmetic that is good to a per cent.

use super::stepper::{EvalError, Field, Tolerance};
use super::tolerances::{
    FIRST_IN_TRIALS, FIRST_TRIAL, FIRST_WITHOUT_SCALE, GROW, INTEGRAL, LEAST_ERROR, LEAST_ERROR_BEFORE,
    NO_SCALE, PROPORTIONAL, SAFETY, SHRINK, SHRINK_AT_LEAST, STILL,
};
use std::marker::PhantomData;

/// How powers of errors are taken.
pub(crate) trait Powers {
    /// A positive error in the form in which it is remembered.
    fn measure(error: f64) -> f64;
    /// `SAFETY error^(-PROPORTIONAL/order) before^(INTEGRAL/order)` for two measures.
    fn growth(error: f64, before: f64, order: f64) -> f64;
    /// `SAFETY error^(-1/order)` for an error.
    fn reduction(error: f64, order: f64) -> f64;
}

/// Powers of the mathematical library.
pub(crate) struct LibraryPowers;

impl Powers for LibraryPowers {
    fn measure(error: f64) -> f64 {
        error
    }

    fn growth(error: f64, before: f64, order: f64) -> f64 {
        SAFETY * error.powf(-PROPORTIONAL / order) * before.powf(INTEGRAL / order)
    }

    fn reduction(error: f64, order: f64) -> f64 {
        SAFETY * error.powf(-1.0 / order)
    }
}

/// Powers good to a per cent, from logarithms to the base 2: a step size needs no more digits than that, the library's
/// powers would cost as much as a step of a lane, and plain arithmetic has the same bits on every machine.
pub(crate) struct CoarsePowers;

impl Powers for CoarsePowers {
    fn measure(error: f64) -> f64 {
        log2(error)
    }

    fn growth(error: f64, before: f64, order: f64) -> f64 {
        SAFETY * exp2(1.0 / order * (INTEGRAL * before - PROPORTIONAL * error))
    }

    fn reduction(error: f64, order: f64) -> f64 {
        SAFETY * exp2(-(1.0 / order) * log2(error))
    }
}

/// Proportional-integral control of the step size.
pub(crate) struct StepSizeControl<P = LibraryPowers> {
    /// The error goes as h to this power.
    order: f64,
    least_growth: f64,
    /// Measure of the error before the last.
    before: f64,
    rejected: bool,
    powers: PhantomData<P>,
}

impl<P: Powers> StepSizeControl<P> {
    /// For a method whose error goes as h^order, and which does not grow its step by less than `least_growth`.
    pub fn new(order: f64, least_growth: f64) -> Self {
        let before = P::measure(LEAST_ERROR_BEFORE);
        Self { order, least_growth, before, rejected: false, powers: PhantomData }
    }

    /// Factor on the step after an accepted one with this error.
    pub fn accepted(&mut self, error: f64) -> f64 {
        let error = P::measure(error.max(LEAST_ERROR));
        let factor = P::growth(error, self.before, self.order);
        self.before = error.max(P::measure(LEAST_ERROR_BEFORE));
        let factor = factor.clamp(SHRINK, if self.rejected { 1.0 } else { GROW });
        self.rejected = false;
        if factor >= 1.0 && factor < self.least_growth { 1.0 } else { factor }
    }

    /// Factor on the step after a rejected one; the error may be NaN.
    pub fn rejected(&mut self, error: f64) -> f64 {
        self.rejected = true;
        if error.is_finite() {
            P::reduction(error, self.order).clamp(SHRINK, SHRINK_AT_LEAST)
        } else {
            SHRINK
        }
    }
}

/// Logarithm of a positive number to the base 2, within 0.01.
fn log2(x: f64) -> f64 {
    let bits = x.to_bits();
    let exponent = (bits >> 52) as f64 - 1023.0;
    let m = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
    exponent + (2.0 - m * (1.0 / 3.0)) * m - 5.0 / 3.0
}

/// 2^x for x between -1000 and 1000, within 0.4 %.
fn exp2(x: f64) -> f64 {
    let whole = x.floor();
    let f = x - whole;
    f64::from_bits(((whole as i64 + 1023) as u64) << 52) * (1.0 + f * (0.6565 + 0.3435 * f))
}

/// A first step from the sizes of y, y' and y'' (Hairer, Norsett, Wanner I, section II.4), signed like `span`.
pub(crate) fn first_step(
    field: &mut dyn Field,
    t: f64,
    y: &[f64],
    f: &[f64],
    span: f64,
    order: f64,
    tol: Tolerance,
) -> Result<f64, EvalError> {
    first_step_by(|t, y, out| field.eval(t, y, out), t, y, f, span, order, tol)
}

/// The first step of a method for a derivative given as a function.
pub(crate) fn first_step_by<E>(
    mut eval: impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    t: f64,
    y: &[f64],
    f: &[f64],
    span: f64,
    order: f64,
    tol: Tolerance,
) -> Result<f64, E> {
    let d0 = tol.norm(y.iter().copied(), y, y).0;
    let d1 = tol.norm(f.iter().copied(), y, y).0;
    let direction = span.signum();
    let without_scale = FIRST_WITHOUT_SCALE * span.abs();
    // A state of zeros says nothing about scales; then the derivative decides.
    let h0 = if d0 < NO_SCALE || d1 < NO_SCALE { without_scale } else { FIRST_TRIAL * d0 / d1 }
        .min(span.abs())
        * direction;
    let trial: Vec<f64> = y.iter().zip(f).map(|(y, f)| y + h0 * f).collect();
    let mut f1 = vec![0.0; y.len()];
    eval(t + h0, &trial, &mut f1)?;
    let d2 = tol.norm(f1.iter().zip(f).map(|(a, b)| a - b), y, y).0 / h0.abs();
    let steep = d1.max(d2);
    let [least, most] = FIRST_IN_TRIALS;
    let h1 = if steep <= STILL {
        (least * h0.abs()).max(without_scale)
    } else {
        (FIRST_TRIAL / steep).powf(1.0 / order)
    };
    let h = h1.min(most * h0.abs()).min(span.abs());
    Ok(direction * if h.is_finite() && h > 0.0 { h } else { without_scale })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarse_powers_are_good_to_a_per_cent() {
        for k in -4000..4000 {
            let x = f64::from(k) * 0.01;
            assert!((exp2(x) / x.exp2() - 1.0).abs() < 0.004, "{x}");
            assert!((log2(x.exp2()) - x).abs() < 0.011, "{x}");
        }
    }

    #[test]
    fn both_powers_choose_the_same_steps_to_some_per_cent() {
        let mut library = StepSizeControl::<LibraryPowers>::new(8.0, 1.0);
        let mut coarse = StepSizeControl::<CoarsePowers>::new(8.0, 1.0);
        for k in 0..200 {
            let error = (f64::from(k) * 0.618).fract() * 2.0;
            let [a, b] = match error <= 1.0 {
                true => [library.accepted(error), coarse.accepted(error)],
                false => [library.rejected(error), coarse.rejected(error)],
            };
            assert!((a / b - 1.0).abs() < 0.02, "{error}: {a} {b}");
        }
        assert_eq!(library.rejected(f64::NAN), coarse.rejected(f64::NAN));
    }
}
