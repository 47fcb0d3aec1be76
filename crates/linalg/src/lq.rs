//! Householder LQ with row pivoting: P B = L Q^T, L lower trapezoidal.
//!
//! The transpose of column-pivoted QR, chosen because rows of a row-major matrix are contiguous. Rank revealing:
//! |L_kk| does not increase, and the first one below the tolerance ends the factorisation.

use crate::vector::{axpy, dot, norm};

/// The factorisation, sized once.
#[derive(Clone, Debug)]
pub struct PivotedLq {
    m: usize,
    n: usize,
    rank: usize,
    /// L on and below the diagonal, reflectors above it (their first entry, 1, is not stored).
    data: Vec<f64>,
    tau: Vec<f64>,
    /// Factored row k is original row perm[k].
    perm: Vec<usize>,
    /// Remaining length of each row, and its value when last computed afresh (safe downdating).
    left: Vec<f64>,
    fresh: Vec<f64>,
}

impl PivotedLq {
    /// Room for `m` * `n`.
    pub fn new(m: usize, n: usize) -> Self {
        Self {
            m,
            n,
            rank: 0,
            data: vec![0.0; m * n],
            tau: vec![0.0; m.min(n)],
            perm: (0..m).collect(),
            left: vec![0.0; m],
            fresh: vec![0.0; m],
        }
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.m, self.n)
    }

    /// The matrix to fill before [`factor`](PivotedLq::factor).
    pub fn matrix(&mut self) -> &mut [f64] {
        &mut self.data
    }

    /// Numerical rank found by the last [`factor`](PivotedLq::factor).
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Original index of factored row `k`.
    pub fn row(&self, k: usize) -> usize {
        self.perm[k]
    }

    /// L_ik for factored row i and column k <= i.
    pub fn l(&self, i: usize, k: usize) -> f64 {
        self.data[i * self.n + k]
    }

    /// Factors the filled matrix up to the first |L_kk| <= tol, or `max_rank` directions. Returns the rank.
    pub fn factor(&mut self, tol: f64, max_rank: usize) -> usize {
        let (m, n) = (self.m, self.n);
        for i in 0..m {
            self.perm[i] = i;
            self.left[i] = norm(&self.data[i * n..(i + 1) * n]);
            self.fresh[i] = self.left[i];
        }
        self.rank = 0;
        for k in 0..m.min(n).min(max_rank) {
            let best = (k..m).fold(k, |best, i| if self.left[i] > self.left[best] { i } else { best });
            if !(self.left[best] > tol) {
                break;
            }
            self.exchange(k, best);
            self.reflect(k);
            self.rank = k + 1;
        }
        self.rank
    }

    fn exchange(&mut self, k: usize, best: usize) {
        if k == best {
            return;
        }
        let n = self.n;
        for j in 0..n {
            self.data.swap(k * n + j, best * n + j);
        }
        self.perm.swap(k, best);
        self.left.swap(k, best);
        self.fresh.swap(k, best);
    }

    /// Reflects row k onto its diagonal and applies the reflector to the rows below.
    fn reflect(&mut self, k: usize) {
        let (m, n) = (self.m, self.n);
        let (head, below) = self.data.split_at_mut((k + 1) * n);
        let row = &mut head[k * n + k..];
        let length = norm(row);
        let beta = if row[0] > 0.0 { -length } else { length };
        self.tau[k] = (beta - row[0]) / beta;
        let scale = 1.0 / (row[0] - beta);
        row[1..].iter_mut().for_each(|v| *v *= scale);
        row[0] = beta;
        let v = &row[1..];
        for i in k + 1..m {
            let other = &mut below[(i - k - 1) * n + k..(i - k) * n];
            let s = self.tau[k] * (other[0] + dot(v, &other[1..]));
            other[0] -= s;
            axpy(-s, v, &mut other[1..]);
            // Downdate the remaining length; compute it afresh when cancellation has eaten the digits.
            let q = other[0] / self.left[i].max(f64::MIN_POSITIVE);
            let shrink = (1.0 - q * q).max(0.0);
            let since = self.left[i] / self.fresh[i].max(f64::MIN_POSITIVE);
            if shrink * since * since <= 1e-8 {
                self.left[i] = norm(&other[1..]);
                self.fresh[i] = self.left[i];
            } else {
                self.left[i] *= shrink.sqrt();
            }
        }
    }

    fn reflect_vector(&self, k: usize, v: &mut [f64]) {
        let n = self.n;
        let row = &self.data[k * n + k + 1..(k + 1) * n];
        let s = self.tau[k] * (v[k] + dot(row, &v[k + 1..n]));
        v[k] -= s;
        axpy(-s, row, &mut v[k + 1..n]);
    }

    /// v <- Q v, n numbers.
    pub fn apply_q(&self, v: &mut [f64]) {
        (0..self.rank).rev().for_each(|k| self.reflect_vector(k, v));
    }

    /// v <- Q^T v, n numbers.
    pub fn apply_qt(&self, v: &mut [f64]) {
        (0..self.rank).for_each(|k| self.reflect_vector(k, v));
    }

    /// z (rank numbers) with L11 z = the entries of e (m numbers, original order) at the pivot rows.
    pub fn solve_pivot_rows(&self, e: &[f64], z: &mut [f64]) {
        let n = self.n;
        for k in 0..self.rank {
            let row = &self.data[k * n..k * n + k];
            z[k] = (e[self.perm[k]] - dot(row, &z[..k])) / self.data[k * n + k];
        }
    }

    /// Null-space basis of B: column j < n - rank of the returned set is written to `v` (n numbers).
    pub fn null_vector(&self, j: usize, v: &mut [f64]) {
        v.fill(0.0);
        v[self.rank + j] = 1.0;
        self.apply_q(v);
    }
}
