//! Balancing: a diagonal similarity by powers of two that brings rows and columns to comparable sizes.
//!
//! Exact in floating point, so the eigenvalues are those of the same matrix. Errors of the sweeps are relative to the norm
//! of what they work on, and units of coordinates (millimetres beside radians) must not decide about them.

/// Sweeps over the matrix; two or three are the rule.
const MAX_SWEEPS: usize = 60;
/// Exponents stay within the range of numbers.
const MAX_EXPONENT: i32 = 400;

/// Replaces H by D^-1 H D and returns D.
pub(super) fn balance(H: &mut [f64], n: usize) -> Vec<f64> {
    let mut exponent = vec![0i32; n];
    for _ in 0..MAX_SWEEPS {
        let mut moved = false;
        for i in 0..n {
            let others = (0..n).filter(|&j| j != i);
            let (row, column) = others
                .fold((0.0, 0.0), |(r, c): (f64, f64), j| (r + H[i * n + j].abs(), c + H[j * n + i].abs()));
            let usable = row > 0.0 && column > 0.0 && (row * column).is_finite();
            if !usable {
                continue;
            }
            // column * 2^k = row / 2^k at best.
            let k = (0.5 * (row / column).log2()).round() as i32;
            if k == 0 || (exponent[i] + k).abs() > MAX_EXPONENT {
                continue;
            }
            let f = 2f64.powi(k);
            if column * f + row / f < 0.95 * (column + row) {
                exponent[i] += k;
                moved = true;
                for j in 0..n {
                    H[i * n + j] /= f;
                    H[j * n + i] *= f;
                }
            }
        }
        if !moved {
            break;
        }
    }
    exponent.into_iter().map(|k| 2f64.powi(k)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_become_comparable() {
        let mut H = [0.0, 1e12, 1e-12, 0.0];
        let D = balance(&mut H, 2);
        assert!(H[1] / H[2] < 4.1 && H[2] / H[1] < 4.1, "{H:?}");
        assert_eq!(H[1], 1e12 * D[1] / D[0]);
    }
}
