//! Sine and cosine in straight-line arithmetic: the same operations, and so the same bits, in the interpreter, in
//! native code and in every lane of it.
//!
//! ```text
//! x = n pi/2 + y0 + y1      n = round(x 2/pi), pi/2 in three parts (Cody and Waite), y1 what y0 rounds away
//! sin x, cos x              polynomials on |y0| <= pi/4, exchanged and signed by n mod 4
//! ```
//!
//! Below 1 ulp for |x| up to 1e3, below 2e-16 absolute up to [`LIMIT`]; beyond, where n times the first part would no
//! longer be exact, and for values that are not finite, the standard library's. Coefficients: the minimax polynomials of
//! fdlibm.

/// Largest |x| that is reduced here.
pub(crate) const LIMIT: f64 = 1e6;

/// 2/pi.
pub(crate) const TWO_OVER_PI: f64 = std::f64::consts::FRAC_2_PI;
/// 3 * 2^51: adding it leaves a rounded integer in the low bits of the mantissa.
pub(crate) const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// pi/2 as 33 bits, 33 bits and the rest: products with integers below 2^20 are exact in the first two.
pub(crate) const HALF_PI: [f64; 3] =
    [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_6e-21];
/// sin y = y + y^3 (S[0] + y^2 S[1] + ...).
pub(crate) const S: [f64; 6] = [
    -1.666_666_666_666_663_2e-1,
    8.333_333_333_322_49e-3,
    -1.984_126_982_985_795e-4,
    2.755_731_370_707_006_8e-6,
    -2.505_076_025_340_686_3e-8,
    1.589_690_995_211_55e-10,
];
/// cos y = 1 - y^2/2 + y^4 (C[0] + y^2 C[1] + ...).
pub(crate) const C: [f64; 6] = [
    4.166_666_666_666_66e-2,
    -1.388_888_888_887_411e-3,
    2.480_158_728_947_673e-5,
    -2.755_731_435_139_066_3e-7,
    2.087_572_321_298_175e-9,
    -1.135_964_755_778_819_5e-11,
];
/// The bit of the sign.
pub(crate) const SIGN: u64 = 1 << 63;

/// (sin x, cos x).
pub(crate) fn sin_cos(x: f64) -> (f64, f64) {
    if x.abs() <= LIMIT { reduced(x) } else { x.sin_cos() }
}

/// What `native/expand.rs` writes in machine instructions: any change here is a change there.
fn reduced(x: f64) -> (f64, f64) {
    let shifted = x * TWO_OVER_PI + ROUNDER;
    let quadrant = shifted.to_bits();
    let n = shifted - ROUNDER;
    let first = x - n * HALF_PI[0];
    let part = n * HALF_PI[1];
    let second = first - part;
    let rest = ((first - second) - part) - n * HALF_PI[2];
    let y0 = second + rest;
    let y1 = (second - y0) + rest;

    let z = y0 * y0;
    let v = z * y0;
    let r = S[1] + z * (S[2] + z * (S[3] + z * (S[4] + z * S[5])));
    let sine = y0 - ((z * (0.5 * y1 - v * r) - y1) - v * S[0]);
    let r = z * (C[0] + z * (C[1] + z * (C[2] + z * (C[3] + z * (C[4] + z * C[5])))));
    let half = 0.5 * z;
    let w = 1.0 - half;
    let cosine = w + (((1.0 - w) - half) + (z * r - y0 * y1));

    let (s, c) = if quadrant & 1 == 0 { (sine, cosine) } else { (cosine, sine) };
    let flip = |v: f64, q: u64| f64::from_bits(v.to_bits() ^ ((q << 62) & SIGN));
    (flip(s, quadrant), flip(c, quadrant.wrapping_add(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ulps(a: f64, b: f64) -> f64 {
        (a - b).abs() / (f64::EPSILON * a.abs().max(b.abs()).max(f64::MIN_POSITIVE))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]
        #[test]
        fn within_an_ulp_of_the_library(x in prop_oneof![-4.0f64..4.0, -1e3f64..1e3]) {
            let (s, c) = sin_cos(x);
            prop_assert!(ulps(s, x.sin()) <= 1.01 && ulps(c, x.cos()) <= 1.01, "{x}: {s} {c}");
        }

        #[test]
        fn near_multiples_of_a_right_angle(n in -1000i32..1000, d in -1e-6f64..1e-6) {
            let x = f64::from(n) * std::f64::consts::FRAC_PI_2 + d;
            let (s, c) = sin_cos(x);
            prop_assert!(ulps(s, x.sin()) <= 1.01 && ulps(c, x.cos()) <= 1.01, "{x}: {s} {c}");
        }

        #[test]
        fn far_away_the_error_stays_small(x in -2e6f64..2e6) {
            let (s, c) = sin_cos(x);
            prop_assert!((s - x.sin()).abs() <= 2.3e-16 && (c - x.cos()).abs() <= 2.3e-16, "{x}: {s} {c}");
        }
    }

    #[test]
    fn exact_where_it_must_be() {
        assert_eq!(sin_cos(0.0), (0.0, 1.0));
        assert_eq!(sin_cos(-0.0), (0.0, 1.0)); // the sign of a zero is not kept
        assert_eq!(sin_cos(1e-300).0, 1e-300);
        assert!(sin_cos(f64::NAN).0.is_nan() && sin_cos(f64::INFINITY).1.is_nan());
        for x in [0.3, 1.0, 2.0, 3.0, 100.0] {
            assert_eq!(sin_cos(-x), (-sin_cos(x).0, sin_cos(x).1));
        }
    }
}
