//! Step size of a lane: the law of the ordinary driver, with powers that are good to a per cent.
//!
//! A step size needs no more digits than that, the library's powers would cost as much as the step, and plain arithmetic
//! has the same bits on every machine.

const SAFETY: f64 = 0.9;
const SHRINK: f64 = 0.2;
const GROW: f64 = 5.0;

/// Proportional-integral control.
pub(super) struct Control {
    /// 1 / the power of h with which the error goes.
    inverse: f64,
    /// log2 of the last error.
    before: f64,
    rejected: bool,
}

impl Control {
    pub fn new(exponent: f64) -> Self {
        Self { inverse: 1.0 / exponent, before: log2(1e-4), rejected: false }
    }

    /// Factor on the step after an accepted one with this error.
    pub fn accepted(&mut self, error: f64) -> f64 {
        let size = log2(error.max(1e-10));
        let factor = SAFETY * exp2(self.inverse * (0.4 * self.before - 0.7 * size));
        self.before = size.max(log2(1e-4));
        let factor = factor.clamp(SHRINK, if self.rejected { 1.0 } else { GROW });
        self.rejected = false;
        factor
    }

    /// Factor on the step after a rejected one; the error may be NaN.
    pub fn rejected(&mut self, error: f64) -> f64 {
        self.rejected = true;
        if error.is_finite() {
            (SAFETY * exp2(-self.inverse * log2(error))).clamp(SHRINK, 0.9)
        } else {
            SHRINK
        }
    }
}

/// Of a positive number, within 0.01.
fn log2(x: f64) -> f64 {
    let bits = x.to_bits();
    let exponent = (bits >> 52) as f64 - 1023.0;
    let m = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
    exponent + (2.0 - m * (1.0 / 3.0)) * m - 5.0 / 3.0
}

/// Of a number between -1000 and 1000, within 0.4 %.
fn exp2(x: f64) -> f64 {
    let whole = x.floor();
    let f = x - whole;
    f64::from_bits(((whole as i64 + 1023) as u64) << 52) * (1.0 + f * (0.6565 + 0.3435 * f))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_good_to_a_per_cent() {
        for k in -4000..4000 {
            let x = f64::from(k) * 0.01;
            assert!((exp2(x) / x.exp2() - 1.0).abs() < 0.004, "{x}");
            assert!((log2(x.exp2()) - x).abs() < 0.011, "{x}");
        }
    }
}
