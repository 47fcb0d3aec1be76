//! Sine and cosine in straight-line arithmetic: the same operations, and so the same bits, in the interpreter, in
//! native code and in every lane of it.
//!
//! ```text
//! x = n pi/2 + y0 + y1      n = round(x 2/pi), pi/2 in two parts (Cody and Waite), y1 what y0 rounds away
//! sin x, cos x              polynomials on |y0| <= pi/4, exchanged and signed by n mod 4
//! ```
//!
//! Products are fused with the sum they belong to, which makes the first part of the reduction exact. Below 1 ulp for
//! |x| up to 1e3, below 2.3e-16 absolute up to [`LIMIT`]; beyond, and for values that are not finite, the standard
//! library's. Coefficients: the minimax polynomials of fdlibm.

/// Largest |x| that is reduced here.
pub(crate) const LIMIT: f64 = 1e6;

/// 2/pi.
pub(crate) const TWO_OVER_PI: f64 = std::f64::consts::FRAC_2_PI;
/// 3 * 2^51: adding it leaves a rounded integer in the low bits of the mantissa.
pub(crate) const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// pi/2 rounded, and the rest.
pub(crate) const HALF_PI: [f64; 2] = [std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17];
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
    if x.is_nan() || x.abs() > LIMIT {
        return x.sin_cos();
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: the feature is there.
        return unsafe { reduced_with_fma(x) };
    }
    reduced(x)
}

/// Argument reduction with the machine's fused multiply-add.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "fma")]
fn reduced_with_fma(x: f64) -> (f64, f64) {
    reduced(x)
}

/// What `program/native/expand.rs` writes in machine instructions: any change here is a change there.
#[inline(always)]
fn reduced(x: f64) -> (f64, f64) {
    let shifted = x.mul_add(TWO_OVER_PI, ROUNDER);
    let quadrant = shifted.to_bits();
    let n = shifted - ROUNDER;
    let first = (-n).mul_add(HALF_PI[0], x);
    let y0 = (-n).mul_add(HALF_PI[1], first);
    let y1 = (-n).mul_add(HALF_PI[1], first - y0);

    let z = y0 * y0;
    let (zz, half) = (z * z, 0.5 * z);
    let sine = {
        let p = polynomial(&S, z, zz);
        let low = (-half).mul_add(y1, y1);
        y0 + (z * y0).mul_add(p, low)
    };
    let cosine = {
        let p = polynomial(&C, z, zz);
        let w = 1.0 - half;
        let low = (-y0).mul_add(y1, (1.0 - w) - half);
        w + zz.mul_add(p, low)
    };

    let (s, c) = if quadrant & 1 == 0 { (sine, cosine) } else { (cosine, sine) };
    let flip = |v: f64, q: u64| f64::from_bits(v.to_bits() ^ ((q << 62) & SIGN));
    (flip(s, quadrant), flip(c, quadrant.wrapping_add(1)))
}

/// c0 + z c1 + zz ((c2 + z c3) + zz (c4 + z c5)): pairs side by side (Estrin), so that fewer operations wait for another.
#[inline(always)]
fn polynomial(c: &[f64; 6], z: f64, zz: f64) -> f64 {
    let [low, middle, high] = [0, 2, 4].map(|k| z.mul_add(c[k + 1], c[k]));
    zz.mul_add(zz.mul_add(high, middle), low)
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
