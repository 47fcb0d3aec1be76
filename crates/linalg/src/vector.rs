//! Vectors and products of a matrix with a vector, and the tolerance of ranks.

/// Relative size, among rows of unit length, below which a direction counts as dependent on the others.
///
/// Well above the rounding of a factorisation of a few dozen rows (1e-14), well below any angle between rows that
/// a model means. Rows are scaled to unit length first, so the decision does not depend on their units.
pub const RANK_TOL: f64 = 1e-11;

/// Inner product with four running sums (fixed order, so the same digits everywhere).
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let tail: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + tail
}

/// y += s x.
#[inline]
pub fn axpy(s: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += s * x;
    }
}

/// Euclidean length, safe against overflow.
#[inline]
pub fn norm(a: &[f64]) -> f64 {
    let plain = dot(a, a);
    if plain.is_finite() && plain > 1e-280 {
        return plain.sqrt();
    }
    let largest = norm_max(a);
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * a.iter().map(|v| (v / largest) * (v / largest)).sum::<f64>().sqrt()
}

/// Largest absolute entry; NaN if any entry is.
#[inline]
pub fn norm_max(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |m: f64, v| if v.is_nan() || m.is_nan() { f64::NAN } else { m.max(v.abs()) })
}

/// out = A x for row-major A with `out.len()` rows.
#[inline]
pub fn mat_vec(A: &[f64], x: &[f64], out: &mut [f64]) {
    let n = x.len();
    for (i, o) in out.iter_mut().enumerate() {
        *o = dot(&A[i * n..(i + 1) * n], x);
    }
}

/// out = A^T y for row-major A with `y.len()` rows.
#[inline]
pub fn mat_t_vec(A: &[f64], y: &[f64], out: &mut [f64]) {
    let n = out.len();
    out.fill(0.0);
    for (i, &yi) in y.iter().enumerate() {
        axpy(yi, &A[i * n..(i + 1) * n], out);
    }
}
