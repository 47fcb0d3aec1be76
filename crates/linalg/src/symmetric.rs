//! Eigenvalues and eigenvectors of a small symmetric matrix, by Jacobi's rotations: slow, sure, accurate.

/// Sweeps before what is left off the diagonal counts as rounding; six or seven are enough.
const MAX_SWEEPS: usize = 60;

/// Turns `a` (n * n, symmetric) into the diagonal matrix of its eigenvalues; `v` gets the eigenvectors as columns.
///
/// ```
/// use dalembert_linalg::symmetric_eigen;
/// let (mut a, mut v) = ([2.0, 1.0, 1.0, 2.0], [0.0; 4]);
/// symmetric_eigen(&mut a, 2, &mut v);
/// let mut values = [a[0], a[3]];
/// values.sort_by(f64::total_cmp);
/// assert!((values[0] - 1.0).abs() < 1e-15 && (values[1] - 3.0).abs() < 1e-15);
/// ```
pub fn symmetric_eigen(a: &mut [f64], n: usize, v: &mut [f64]) {
    v.fill(0.0);
    (0..n).for_each(|i| v[i * n + i] = 1.0);
    for _ in 0..MAX_SWEEPS {
        let (mut off, mut on) = (0.0_f64, 0.0_f64);
        for i in 0..n {
            on = on.max(a[i * n + i].abs());
            (0..i).for_each(|j| off = off.max(a[i * n + j].abs()));
        }
        if !(off > 1e-17 * on) {
            return;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(a, n, v, p, q);
            }
        }
    }
}

/// The rotation in the plane (p, q) that makes their entry zero.
fn rotate(a: &mut [f64], n: usize, v: &mut [f64], p: usize, q: usize) {
    let entry = a[p * n + q];
    if entry == 0.0 {
        return;
    }
    let theta = (a[q * n + q] - a[p * n + p]) / (2.0 * entry);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    for k in 0..n {
        let (x, y) = (a[k * n + p], a[k * n + q]);
        (a[k * n + p], a[k * n + q]) = (c * x - s * y, s * x + c * y);
    }
    for k in 0..n {
        let (x, y) = (a[p * n + k], a[q * n + k]);
        (a[p * n + k], a[q * n + k]) = (c * x - s * y, s * x + c * y);
        let (x, y) = (v[k * n + p], v[k * n + q]);
        (v[k * n + p], v[k * n + q]) = (c * x - s * y, s * x + c * y);
    }
}
