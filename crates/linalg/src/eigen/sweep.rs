//! Francis's implicit double shift: a Hessenberg matrix to quasi-triangular form, eigenvalues read off its end.

use super::EigenError;
use super::hessenberg::{from_left, from_right, reflector};
use crate::Complex;

/// Sweeps for one eigenvalue; two or three are the rule.
const MAX_SWEEPS: usize = 60;
/// A shift of another kind after so many sweeps without success: cycles are broken.
const EXCEPTIONAL: usize = 10;

/// Adds the eigenvalues of H (Hessenberg, destroyed) to `values`.
pub(super) fn quasi_triangular(H: &mut [f64], n: usize, values: &mut Vec<Complex>) -> Result<(), EigenError> {
    let size = H.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let mut end = n; // rows before `end` are not yet done
    let mut sweeps = 0;
    while end > 0 {
        let begin = window(H, n, end, size);
        match end - begin {
            1 => {
                values.push(Complex::new(H[begin * n + begin], 0.0));
                (end, sweeps) = (begin, 0);
            }
            2 => {
                let at = |i: usize, j: usize| H[(begin + i) * n + begin + j];
                values.extend(of_two(at(0, 0), at(0, 1), at(1, 0), at(1, 1)));
                (end, sweeps) = (begin, 0);
            }
            _ if sweeps == MAX_SWEEPS => return Err(EigenError::NotConverged),
            _ => {
                sweeps += 1;
                sweep(H, n, begin, end, sweeps % EXCEPTIONAL == 0);
            }
        }
    }
    Ok(())
}

/// Where the last unreduced window before `end` begins; entries below the diagonal that are rounding become zero.
fn window(H: &mut [f64], n: usize, end: usize, size: f64) -> usize {
    for k in (1..end).rev() {
        let beside = H[(k - 1) * n + k - 1].abs() + H[k * n + k].abs();
        let scale = if beside == 0.0 { size } else { beside };
        if H[k * n + k - 1].abs() <= f64::EPSILON * scale {
            H[k * n + k - 1] = 0.0;
            return k;
        }
    }
    0
}

/// One double step on rows and columns `begin..end` (three at least).
fn sweep(H: &mut [f64], n: usize, begin: usize, end: usize, exceptional: bool) {
    let at = |i: usize, j: usize| H[i * n + j];
    let (a, b) = (end - 2, end - 1);
    let (mut trace, mut det) = (at(a, a) + at(b, b), at(a, a) * at(b, b) - at(a, b) * at(b, a));
    if exceptional {
        let s = at(b, a).abs() + at(a, a - 1).abs();
        (trace, det) = (1.5 * s, s * s);
    }
    // First column of (H - s1)(H - s2), divided by an entry that is not zero in an unreduced window.
    let (h00, h01, h10, h11) =
        (at(begin, begin), at(begin, begin + 1), at(begin + 1, begin), at(begin + 1, begin + 1));
    let mut column =
        vec![(h00 * (h00 - trace) + det) / h10 + h01, h00 + h11 - trace, at(begin + 2, begin + 1)];
    for k in begin..end - 1 {
        let beta = reflector(&mut column);
        let left = if k > begin { k - 1 } else { begin };
        if beta != 0.0 {
            from_left(H, n, k, &column, beta, left..end);
            from_right(H, n, k, &column, beta, begin..(k + 4).min(end));
        }
        if k > begin {
            (k + 1..(k + 3).min(end)).for_each(|i| H[i * n + k - 1] = 0.0);
        }
        column = (k + 1..(k + 4).min(end)).map(|i| H[i * n + k]).collect();
        if column.len() < 2 {
            break;
        }
    }
}

/// The eigenvalues of [[a, b], [c, d]] without needless cancellation.
fn of_two(a: f64, b: f64, c: f64, d: f64) -> [Complex; 2] {
    let half = 0.5 * (a - d);
    let scale = half.abs().max(b.abs()).max(c.abs());
    if scale == 0.0 {
        return [Complex::new(a, 0.0), Complex::new(d, 0.0)];
    }
    let disc = (half / scale) * (half / scale) + (b / scale) * (c / scale);
    let root = scale * disc.abs().sqrt();
    if disc < 0.0 {
        let mean = 0.5 * (a + d);
        return [Complex::new(mean, root), Complex::new(mean, -root)];
    }
    let z = half + if half >= 0.0 { root } else { -root };
    let other = if z == 0.0 { d } else { d - (b / z) * c };
    [Complex::new(d + z, 0.0), Complex::new(other, 0.0)]
}
