//! Complete orthogonal decomposition: B = T Q_r^T with T = U R, giving B^+ exactly for any rank.
//!
//! ```text
//! P B = L Q^T (row-pivoted LQ, rank r),  T = P^T L[:, ..r],  T = U R (second QR),  B^+ = Q_r R^-1 U^T
//! ```
//!
//! The second factorisation can be that of W T with positive row weights W: then `multipliers` gives the
//! minimum-norm solution for rows scaled by W while the rank was decided on the unscaled ones.

use crate::lq::PivotedLq;
use crate::vector::{axpy, dot, norm};

/// The decomposition, sized once.
#[derive(Clone, Debug)]
pub struct Cod {
    m: usize,
    n: usize,
    /// First factorisation.
    pub lq: PivotedLq,
    /// W T column-major (columns contiguous): reflectors below the diagonal, R above; diagonal of R apart.
    t: Vec<f64>,
    diag: Vec<f64>,
    work: Vec<f64>,
}

impl Cod {
    /// Room for `m` * `n`.
    pub fn new(m: usize, n: usize) -> Self {
        let r = m.min(n);
        Self {
            m,
            n,
            lq: PivotedLq::new(m, n),
            t: vec![0.0; m * r],
            diag: vec![0.0; r],
            work: vec![0.0; m.max(n)],
        }
    }

    /// Factors `B` (m * n, row-major) with the rank tolerance relative to its longest row. Returns the rank.
    pub fn factor(&mut self, B: &[f64], tol: f64) -> usize {
        let n = self.n;
        self.lq.matrix().copy_from_slice(B);
        let longest = (0..self.m).map(|i| norm(&B[i * n..(i + 1) * n])).fold(0.0, f64::max);
        let rank = self.lq.factor(tol * longest, self.m);
        self.factor_trapezoid(|_| 1.0);
        rank
    }

    /// The second factorisation, of W T with W = diag(weight(original row)). Call after `self.lq.factor`.
    pub fn factor_trapezoid(&mut self, weight: impl Fn(usize) -> f64) {
        let (m, r) = (self.m, self.lq.rank());
        for k in 0..r {
            for i in 0..m {
                self.t[k * m + self.lq.row(i)] =
                    if i >= k { weight(self.lq.row(i)) * self.lq.l(i, k) } else { 0.0 };
            }
        }
        for k in 0..r {
            self.reflect_column(k);
        }
    }

    /// Column k of the trapezoid onto its diagonal; the reflector is kept with length sqrt(2).
    fn reflect_column(&mut self, k: usize) {
        let (m, r) = (self.m, self.lq.rank());
        let (head, rest) = self.t.split_at_mut((k + 1) * m);
        let column = &mut head[k * m + k..];
        let length = norm(column);
        let beta = if column[0] > 0.0 { -length } else { length };
        column[0] -= beta;
        let size = norm(column);
        let scale = if size > 0.0 { std::f64::consts::SQRT_2 / size } else { 0.0 };
        column.iter_mut().for_each(|v| *v *= scale);
        self.diag[k] = beta;
        for j in 0..r - k - 1 {
            let other = &mut rest[j * m + k..(j + 1) * m];
            let s = dot(column, other);
            axpy(-s, column, other);
        }
    }

    fn reflect_vector(&mut self, k: usize) {
        let m = self.m;
        let column = &self.t[k * m + k..(k + 1) * m];
        let s = dot(column, &self.work[k..m]);
        axpy(-s, column, &mut self.work[k..m]);
    }

    /// y (n numbers) = B^+ e: least squares, minimum norm.
    pub fn solve(&mut self, e: &[f64], y: &mut [f64]) {
        let (m, r) = (self.m, self.lq.rank());
        self.work[..m].copy_from_slice(e);
        for k in 0..r {
            self.reflect_vector(k);
        }
        y.fill(0.0);
        for k in (0..r).rev() {
            let mut sum = self.work[k];
            for j in k + 1..r {
                sum -= self.t[j * m + k] * y[j];
            }
            y[k] = sum / self.diag[k];
        }
        self.lq.apply_q(y);
    }

    /// lambda (m numbers): the minimum-norm solution of (W T)^T lambda = z, z of rank numbers.
    pub fn multipliers(&mut self, z: &[f64], lambda: &mut [f64]) {
        let (m, r) = (self.m, self.lq.rank());
        self.work[..m].fill(0.0);
        for k in 0..r {
            let sum: f64 = (0..k).map(|j| self.t[k * m + j] * self.work[j]).sum();
            self.work[k] = (z[k] - sum) / self.diag[k];
        }
        for k in (0..r).rev() {
            self.reflect_vector(k);
        }
        lambda.copy_from_slice(&self.work[..m]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_squares_of_minimum_norm() {
        // Two equal rows with different right sides: the mean, on the shortest vector.
        let mut cod = Cod::new(2, 3);
        assert_eq!(cod.factor(&[1.0, 2.0, 2.0, 1.0, 2.0, 2.0], 1e-11), 1);
        let mut y = [0.0; 3];
        cod.solve(&[9.0, 27.0], &mut y);
        for (y, want) in y.iter().zip([2.0, 4.0, 4.0]) {
            assert!((y - want).abs() < 1e-14);
        }
        let mut v = [0.0; 3];
        for j in 0..2 {
            cod.lq.null_vector(j, &mut v);
            assert!((v[0] + 2.0 * v[1] + 2.0 * v[2]).abs() < 1e-15 && (norm(&v) - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn zero_and_empty() {
        let mut cod = Cod::new(2, 2);
        assert_eq!(cod.factor(&[0.0; 4], 1e-11), 0);
        let mut y = [1.0; 2];
        cod.solve(&[1.0, 1.0], &mut y);
        assert_eq!(y, [0.0; 2]);
        let mut cod = Cod::new(0, 2);
        assert_eq!(cod.factor(&[], 1e-11), 0);
        cod.solve(&[], &mut y);
    }
}
