//! LU with partial pivoting, real or complex.

use super::Scalar;

/// A factorisation P A = L U, sized once.
#[derive(Clone, Debug)]
pub struct Lu<T> {
    n: usize,
    /// L below the diagonal (unit), U on and above it.
    a: Vec<T>,
    /// Row exchanged with row k at step k.
    swap: Vec<usize>,
}

impl<T: Scalar> Lu<T> {
    /// Room for matrices up to `n` * `n`.
    pub fn new(n: usize) -> Self {
        Self { n, a: vec![T::default(); n * n], swap: vec![0; n] }
    }

    /// The matrix to fill before [`factor`](Lu::factor), for a size not above that of [`new`](Lu::new).
    pub fn matrix(&mut self, n: usize) -> &mut [T] {
        self.n = n;
        &mut self.a[..n * n]
    }

    /// Factors what is in [`matrix`](Lu::matrix). `Err(k)` if the pivot of column k is not larger than `tol` times
    /// the largest entry of the original column; the columns before it are then factored.
    pub fn factor(&mut self, tol: f64) -> Result<(), usize> {
        let n = self.n;
        for k in 0..n {
            let a = &self.a;
            let scale = (0..n).map(|i| a[i * n + k].size()).fold(0.0, f64::max);
            let mut best = k;
            for i in k + 1..n {
                if a[i * n + k].size() > a[best * n + k].size() {
                    best = i;
                }
            }
            let size = a[best * n + k].size();
            if !(size > tol * scale && size.is_finite()) {
                return Err(k);
            }
            self.swap[k] = best;
            if best != k {
                for j in 0..n {
                    self.a.swap(k * n + j, best * n + j);
                }
            }
            self.eliminate(k);
        }
        Ok(())
    }

    fn eliminate(&mut self, k: usize) {
        let n = self.n;
        let (top, below) = self.a.split_at_mut((k + 1) * n);
        let pivot_row = &top[k * n..];
        for row in below[..(n - k - 1) * n].chunks_exact_mut(n) {
            let factor = row[k] / pivot_row[k];
            row[k] = factor;
            if factor != T::default() {
                for j in k + 1..n {
                    row[j] = row[j] - factor * pivot_row[j];
                }
            }
        }
    }

    /// v <- A^-1 v after a successful [`factor`](Lu::factor).
    pub fn solve(&self, v: &mut [T]) {
        let n = self.n;
        for k in 0..n {
            v.swap(k, self.swap[k]);
        }
        for i in 1..n {
            let mut sum = v[i];
            for j in 0..i {
                sum = sum - self.a[i * n + j] * v[j];
            }
            v[i] = sum;
        }
        self.back_substitute(n, v);
    }

    /// After `factor` gave `Err(k)`: a vector that A takes to (nearly) zero, of length n.
    pub fn null_vector(&self, k: usize, one: T, v: &mut [T]) {
        let n = self.n;
        v.fill(T::default());
        for i in 0..k {
            v[i] = T::default() - self.a[i * n + k];
        }
        self.back_substitute(k, v);
        v[k] = one;
    }

    fn back_substitute(&self, size: usize, v: &mut [T]) {
        let n = self.n;
        for i in (0..size).rev() {
            let mut sum = v[i];
            for j in i + 1..size {
                sum = sum - self.a[i * n + j] * v[j];
            }
            v[i] = sum / self.a[i * n + i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Complex;

    #[test]
    fn solves_with_pivoting() {
        let mut lu = Lu::new(3);
        let a = [0.0, 2.0, 1.0, 1.0, 1.0, 0.0, 3.0, 0.0, 1.0];
        lu.matrix(3).copy_from_slice(&a);
        lu.factor(1e-14).unwrap();
        let mut v = [7.0, 3.0, 6.0]; // x = (1, 2, 3)
        lu.solve(&mut v);
        for (i, v) in v.iter().enumerate() {
            assert!((v - (i + 1) as f64).abs() < 1e-14);
        }
    }

    #[test]
    fn complex_and_singular() {
        let mut lu = Lu::new(2);
        let i = Complex::new(0.0, 1.0);
        let one = Complex::new(1.0, 0.0);
        lu.matrix(2).copy_from_slice(&[i, one, one, i]);
        lu.factor(1e-14).unwrap();
        let mut v = [i + one, one + i];
        lu.solve(&mut v);
        assert!((v[0] - one).size() < 1e-15 && (v[1] - one).size() < 1e-15);

        let mut lu = Lu::new(2);
        lu.matrix(2).copy_from_slice(&[1.0, 2.0, 2.0, 4.0]);
        assert_eq!(lu.factor(1e-13), Err(1));
        let mut v = [0.0; 2];
        lu.null_vector(1, 1.0, &mut v);
        assert_eq!(v, [-2.0, 1.0]);
    }

    #[test]
    fn not_a_number_is_an_error() {
        let mut lu = Lu::new(1);
        lu.matrix(1)[0] = f64::NAN;
        assert_eq!(lu.factor(0.0), Err(0));
    }
}
