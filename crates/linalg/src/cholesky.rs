//! Cholesky factor of a symmetric positive definite matrix, and triangular solves.

use crate::vector::{axpy, dot};

/// Overwrites the lower triangle of `M` (n * n, row-major) with L, L L^T = M; the upper triangle is left alone.
///
/// Returns the smallest ratio of a squared pivot to the diagonal entry it came from: sin^2 of the angle between a
/// row and the earlier ones in the metric of M, invariant under scaling of variables. `Err(j)` at the first pivot
/// that is not a positive number.
///
/// ```
/// use dalembert_linalg::cholesky;
/// let mut m = [4.0, 2.0, 2.0, 2.0];
/// assert_eq!(cholesky(&mut m, 2), Ok(0.5));
/// assert_eq!((m[0], m[2], m[3]), (2.0, 1.0, 1.0));
/// assert_eq!(cholesky(&mut [1.0, 1.0, 1.0, 1.0], 2), Err(1));
/// ```
pub fn cholesky(M: &mut [f64], n: usize) -> Result<f64, usize> {
    let mut ratio = 1.0_f64;
    for j in 0..n {
        let (done, rest) = M.split_at_mut(j * n);
        let row = &mut rest[..n];
        // Leading zeros of a row stay zero in L: banded and block matrices cost only their envelope.
        let first = row[..j].iter().position(|v| *v != 0.0).unwrap_or(j);
        for i in first..j {
            let Li = &done[i * n..i * n + i + 1];
            row[i] = (row[i] - dot(&Li[first.min(i)..i], &row[first.min(i)..i])) / Li[i];
        }
        let before = row[j];
        let pivot = before - dot(&row[first..j], &row[first..j]);
        // Written so that NaN fails too.
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Err(j);
        }
        ratio = ratio.min(pivot / before);
        row[j] = pivot.sqrt();
    }
    Ok(ratio)
}

/// The smallest share of a squared pivot of L in what rounding of it grows with; M is singular to rounding where it is near
/// 1e-16, in whatever order its rows stand and in whatever units.
///
/// The factor is that of a matrix next to M, off by rounding of its entries. A pivot d_k = M_kk - sum l_kj^2 d_j, with the unit
/// factor's l_kj, inherits the errors of those before it: d_k / s_k = M_kk + sum l_kj^2 (d_j / s_j). A small pivot makes
/// the later ones uncertain, which the ratio that [`cholesky`] gives does not see. O(n^2); `work` has n numbers.
///
/// ```
/// use dalembert_linalg::{cholesky, pivot_share};
/// let mut m = [4.0, 2.0, 2.0, 2.0];
/// cholesky(&mut m, 2).unwrap();
/// assert!((pivot_share(&m, 2, &mut [0.0; 2]) - 1.0 / 3.0).abs() < 1e-15);
/// ```
pub fn pivot_share(L: &[f64], n: usize, work: &mut [f64]) -> f64 {
    let mut least = f64::INFINITY;
    for k in 0..n {
        let row = &L[k * n..k * n + k + 1];
        let pivot = row[k] * row[k];
        // work[j] is 1 / s_j, and row[j]^2 is l_kj^2 d_j.
        let inherited: f64 = row[..k].iter().zip(&*work).map(|(l, grown)| l * l * (1.0 + grown)).sum();
        work[k] = (pivot + inherited) / pivot;
        least = least.min(1.0 / work[k]);
    }
    least.min(1.0)
}

/// v <- L^-1 v, L lower triangular n * n row-major.
pub fn solve_lower(L: &[f64], n: usize, v: &mut [f64]) {
    let first = v.iter().position(|x| *x != 0.0).unwrap_or(n);
    for i in first..n {
        v[i] = (v[i] - dot(&L[i * n + first..i * n + i], &v[first..i])) / L[i * n + i];
    }
}

/// v <- L^-T v.
pub fn solve_lower_transposed(L: &[f64], n: usize, v: &mut [f64]) {
    for i in (0..n).rev() {
        v[i] /= L[i * n + i];
        let vi = v[i];
        if vi != 0.0 {
            axpy(-vi, &L[i * n..i * n + i], &mut v[..i]);
        }
    }
}
