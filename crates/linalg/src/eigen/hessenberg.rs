//! Hessenberg form by reflections, and systems with a shifted Hessenberg matrix.

use crate::scalar::{Complex, Scalar};
use crate::vector::norm;

/// v (first entry not normalised) and beta with (I - beta v v^T) x on the first axis. beta = 0 where x is there already.
pub(super) fn reflector(x: &mut [f64]) -> f64 {
    let length = norm(x);
    if length == 0.0 || x[1..].iter().all(|v| *v == 0.0) {
        return 0.0;
    }
    x.iter_mut().for_each(|v| *v /= length);
    let first = x[0];
    x[0] += if first >= 0.0 { 1.0 } else { -1.0 };
    // v^T v = 2 + 2 |first|
    1.0 / (1.0 + first.abs())
}

/// Rows `from..from + v.len()` of H, columns in the range: H <- (I - beta v v^T) H.
pub(super) fn from_left(
    H: &mut [f64],
    n: usize,
    from: usize,
    v: &[f64],
    beta: f64,
    columns: std::ops::Range<usize>,
) {
    for j in columns {
        let s: f64 = beta * v.iter().enumerate().map(|(k, v)| v * H[(from + k) * n + j]).sum::<f64>();
        v.iter().enumerate().for_each(|(k, v)| H[(from + k) * n + j] -= s * v);
    }
}

/// Columns `from..from + v.len()` of H, rows in the range: H <- H (I - beta v v^T).
pub(super) fn from_right(
    H: &mut [f64],
    n: usize,
    from: usize,
    v: &[f64],
    beta: f64,
    rows: std::ops::Range<usize>,
) {
    for i in rows {
        let row = &mut H[i * n + from..i * n + from + v.len()];
        let s: f64 = beta * v.iter().zip(&*row).map(|(v, h)| v * h).sum::<f64>();
        row.iter_mut().zip(v).for_each(|(h, v)| *h -= s * v);
    }
}

/// H <- U^T H U of Hessenberg form; U is multiplied into `basis` from the right if there is one.
pub(super) fn reduce(H: &mut [f64], n: usize, mut basis: Option<&mut [f64]>) {
    for k in 0..n.saturating_sub(2) {
        let mut v: Vec<f64> = (k + 1..n).map(|i| H[i * n + k]).collect();
        let beta = reflector(&mut v);
        if beta == 0.0 {
            continue;
        }
        from_left(H, n, k + 1, &v, beta, k..n);
        from_right(H, n, k + 1, &v, beta, 0..n);
        if let Some(U) = basis.as_deref_mut() {
            from_right(U, n, k + 1, &v, beta, 0..n);
        }
        (k + 2..n).for_each(|i| H[i * n + k] = 0.0);
    }
}

/// H - s I = (exchanges and multipliers) U for a Hessenberg matrix, with tiny pivots replaced: what inverse
/// iteration needs, in n^2 operations.
pub(super) struct ShiftedLu {
    n: usize,
    u: Vec<Complex>,
    /// For each column: whether rows k and k + 1 were exchanged, and the multiplier.
    steps: Vec<(bool, Complex)>,
}

impl ShiftedLu {
    pub(super) fn new(H: &[f64], n: usize, shift: Complex, tiny: f64) -> Self {
        let mut u: Vec<Complex> = H.iter().map(|v| Complex::new(*v, 0.0)).collect();
        (0..n).for_each(|i| u[i * n + i] = u[i * n + i] - shift);
        let mut steps = Vec::with_capacity(n);
        for k in 0..n {
            let below = if k + 1 < n { u[(k + 1) * n + k] } else { Complex::default() };
            let exchange = below.size() > u[k * n + k].size();
            if exchange {
                (k..n).for_each(|j| u.swap(k * n + j, (k + 1) * n + j));
            }
            if u[k * n + k].size() < tiny {
                u[k * n + k] = Complex::new(tiny, 0.0);
            }
            let mut factor = Complex::default();
            if k + 1 < n {
                factor = u[(k + 1) * n + k] / u[k * n + k];
                u[(k + 1) * n + k] = Complex::default();
                for j in k + 1..n {
                    u[(k + 1) * n + j] = u[(k + 1) * n + j] - factor * u[k * n + j];
                }
            }
            steps.push((exchange, factor));
        }
        Self { n, u, steps }
    }

    /// v <- (H - s I)^-1 v.
    pub(super) fn solve(&self, v: &mut [Complex]) {
        let n = self.n;
        for (k, (exchange, factor)) in self.steps.iter().enumerate().take(n.saturating_sub(1)) {
            if *exchange {
                v.swap(k, k + 1);
            }
            v[k + 1] = v[k + 1] - *factor * v[k];
        }
        for i in (0..n).rev() {
            let sum = (i + 1..n).fold(v[i], |sum, j| sum - self.u[i * n + j] * v[j]);
            v[i] = sum / self.u[i * n + i];
        }
    }

    /// v <- (H - s I)^-H v.
    pub(super) fn solve_adjoint(&self, v: &mut [Complex]) {
        let n = self.n;
        for i in 0..n {
            let sum = (0..i).fold(v[i], |sum, j| sum - self.u[j * n + i].conj() * v[j]);
            v[i] = sum / self.u[i * n + i].conj();
        }
        for (k, (exchange, factor)) in self.steps.iter().enumerate().take(n.saturating_sub(1)).rev() {
            v[k] = v[k] - factor.conj() * v[k + 1];
            if *exchange {
                v.swap(k, k + 1);
            }
        }
    }
}
