// ---- small dense linear algebra, row-major, on fixed arrays -------------------------------------

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (x, y)| sum + x * y)
}

/// y += s x
fn add(s: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += s * x);
}

/// Largest absolute entry; NaN if there is one.
fn largest(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |most: f64, v| if most.is_nan() || v.abs() <= most { most } else { v.abs() })
}

fn finite(a: &[f64]) -> bool {
    a.iter().all(|v| v.is_finite())
}

/// Euclidean length, safe against overflow.
fn norm(a: &[f64]) -> f64 {
    let plain = dot(a, a);
    if plain > 1e-280 && plain.is_finite() {
        return math::sqrt(plain);
    }
    let most = largest(a);
    if most == 0.0 || !most.is_finite() {
        return most;
    }
    most * math::sqrt(a.iter().fold(0.0, |sum, v| sum + (v / most) * (v / most)))
}

/// L L^T = a in the lower triangle. The smallest pivot over its diagonal entry; `None` if a is not positive definite.
fn cholesky(a: &mut [f64], n: usize) -> Option<f64> {
    let mut ratio = 1.0;
    for j in 0..n {
        let (done, rest) = a.split_at_mut(j * n);
        let row = &mut rest[..n];
        for i in 0..j {
            row[i] = (row[i] - dot(&done[i * n..i * n + i], &row[..i])) / done[i * n + i];
        }
        let pivot = row[j] - dot(&row[..j], &row[..j]);
        if !(pivot > 0.0 && pivot.is_finite()) {
            return None;
        }
        if pivot / row[j] < ratio {
            ratio = pivot / row[j];
        }
        row[j] = math::sqrt(pivot);
    }
    Some(ratio)
}

/// The smallest share of a squared pivot of L in what its rounding grows with: near 1e-16 where L L^T is singular to
/// rounding, in whatever order its rows stand. `grown` has n numbers.
fn pivot_share(l: &[f64], n: usize, grown: &mut [f64]) -> f64 {
    let mut least = 1.0;
    for k in 0..n {
        let row = &l[k * n..k * n + k + 1];
        let pivot = row[k] * row[k];
        let mut sum = pivot;
        for j in 0..k {
            sum += row[j] * row[j] * (1.0 + grown[j]);
        }
        grown[k] = sum / pivot;
        if !(1.0 / grown[k] > least) {
            least = 1.0 / grown[k];
        }
    }
    least
}

/// v <- L^-1 v
fn lower(l: &[f64], v: &mut [f64]) {
    let n = v.len();
    for i in 0..n {
        v[i] = (v[i] - dot(&l[i * n..i * n + i], &v[..i])) / l[i * n + i];
    }
}

/// v <- L^-T v
fn lower_transposed(l: &[f64], v: &mut [f64]) {
    let n = v.len();
    for i in (0..n).rev() {
        v[i] /= l[i * n + i];
        let s = -v[i];
        add(s, &l[i * n..i * n + i], &mut v[..i]);
    }
}

/// Complete orthogonal decomposition: a = L Q^T with row pivoting, then the leading columns of L, with weights on the
/// rows, onto a triangle. Gives pseudo-inverses for any rank.
struct Cod {
    rows: usize,
    cols: usize,
    rank: usize,
    /// In: the matrix; out: L on and below the diagonal, reflectors above it.
    a: [f64; CELLS],
    /// Second factorisation, by columns.
    t: [f64; CELLS],
    tau: [f64; LONGEST],
    diagonal: [f64; LONGEST],
    work: [f64; LONGEST],
    /// Original index of each factored row.
    row: [usize; LONGEST],
}

impl Cod {
    fn new(rows: usize, cols: usize) -> Cod {
        let none = [0.0; LONGEST];
        Cod {
            rows,
            cols,
            rank: 0,
            a: [0.0; CELLS],
            t: [0.0; CELLS],
            tau: none,
            diagonal: none,
            work: none,
            row: [0; LONGEST],
        }
    }

    /// Directions not longer than `tolerance` are dropped.
    fn reveal(&mut self, tolerance: f64) {
        let (m, n) = (self.rows, self.cols);
        self.rank = 0;
        (0..m).for_each(|i| self.row[i] = i);
        for k in 0..m.min(n) {
            let (mut best, mut longest) = (k, -1.0);
            for i in k..m {
                let length = norm(&self.a[i * n + k..(i + 1) * n]);
                if length > longest {
                    (best, longest) = (i, length);
                }
            }
            if !(longest > tolerance) {
                break;
            }
            if best != k {
                (0..n).for_each(|j| self.a.swap(k * n + j, best * n + j));
                self.row.swap(k, best);
            }
            let (above, below) = self.a.split_at_mut((k + 1) * n);
            let head = &mut above[k * n + k..];
            let beta = if head[0] > 0.0 { -longest } else { longest };
            self.tau[k] = (beta - head[0]) / beta;
            let scale = 1.0 / (head[0] - beta);
            head[1..].iter_mut().for_each(|v| *v *= scale);
            head[0] = beta;
            for i in k + 1..m {
                let other = &mut below[(i - k - 1) * n + k..(i - k) * n];
                let s = self.tau[k] * (other[0] + dot(&head[1..], &other[1..]));
                other[0] -= s;
                add(-s, &head[1..], &mut other[1..]);
            }
            self.rank = k + 1;
        }
    }

    fn reflect(&self, k: usize, v: &mut [f64]) {
        let tail = &self.a[k * self.cols + k + 1..(k + 1) * self.cols];
        let s = self.tau[k] * (v[k] + dot(tail, &v[k + 1..]));
        v[k] -= s;
        add(-s, tail, &mut v[k + 1..]);
    }

    /// v <- Q v
    fn rotate(&self, v: &mut [f64]) {
        (0..self.rank).rev().for_each(|k| self.reflect(k, v));
    }

    /// v <- Q^T v
    fn rotate_back(&self, v: &mut [f64]) {
        (0..self.rank).for_each(|k| self.reflect(k, v));
    }

    fn reflect_work(&mut self, k: usize) {
        let m = self.rows;
        let column = &self.t[k * m + k..(k + 1) * m];
        let s = dot(column, &self.work[k..m]);
        add(-s, column, &mut self.work[k..m]);
    }

    /// The second factorisation; weights are by original row.
    fn complete(&mut self, weight: impl Fn(usize) -> f64) {
        let (m, n) = (self.rows, self.cols);
        for k in 0..self.rank {
            for i in 0..m {
                let row = self.row[i];
                self.t[k * m + row] = if i >= k { self.a[i * n + k] * weight(row) } else { 0.0 };
            }
        }
        for k in 0..self.rank {
            let (done, rest) = self.t.split_at_mut((k + 1) * m);
            let column = &mut done[k * m + k..];
            let length = norm(column);
            self.diagonal[k] = if column[0] > 0.0 { -length } else { length };
            column[0] -= self.diagonal[k];
            let size = norm(column);
            let scale = if size > 0.0 { math::sqrt(2.0) / size } else { 0.0 };
            column.iter_mut().for_each(|v| *v *= scale);
            for j in 0..self.rank - k - 1 {
                let other = &mut rest[j * m + k..(j + 1) * m];
                let s = dot(column, other);
                add(-s, column, other);
            }
        }
    }

    /// lambda of minimum norm with (weighted leading columns)^T lambda = z
    fn multipliers(&mut self, z: &[f64], lambda: &mut [f64]) {
        let m = self.rows;
        self.work[..m].fill(0.0);
        for k in 0..self.rank {
            let sum = z[k] - dot(&self.t[k * m..k * m + k], &self.work[..k]);
            self.work[k] = sum / self.diagonal[k];
        }
        (0..self.rank).rev().for_each(|k| self.reflect_work(k));
        lambda.copy_from_slice(&self.work[..m]);
    }

    /// y = (matrix)^+ e: least squares of minimum norm
    fn least(&mut self, e: &[f64], y: &mut [f64]) {
        let m = self.rows;
        self.work[..m].copy_from_slice(e);
        (0..self.rank).for_each(|k| self.reflect_work(k));
        y.fill(0.0);
        for k in (0..self.rank).rev() {
            let sum = (k + 1..self.rank).fold(self.work[k], |sum, j| sum - self.t[j * m + k] * y[j]);
            y[k] = sum / self.diagonal[k];
        }
        self.rotate(y);
    }
}

