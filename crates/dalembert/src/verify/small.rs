//! Linear algebra of the judges: plain, slow, and not that of `run`.

use dalembert_linalg::Mat;

/// Directions weaker than this among rows of unit length are taken for dependent; the limit of U1.
const WEAK: f64 = 1e-11;

/// Solves S z = r by elimination with complete pivoting. Unknowns that nothing determines are zero; equations left over are
/// not looked at. Gives z and the conditioning: the largest pivot over the smallest that was used.
pub(super) fn eliminate(S: &[f64], r: &[f64]) -> (Vec<f64>, f64) {
    let n = r.len();
    let (mut S, mut r) = (Mat::new(S.to_vec(), n), r.to_vec());
    let mut column: Vec<usize> = (0..n).collect();
    let (mut rank, mut first, mut last) = (0, 1.0f64, 1.0f64);
    while rank < n {
        let places = (rank..n).flat_map(|i| (rank..n).map(move |j| (i, j)));
        let best = places.max_by(|&(a, b), &(c, d)| S[[a, b]].abs().total_cmp(&S[[c, d]].abs()));
        let Some((i, j)) = best else { break };
        let pivot = S[[i, j]].abs();
        if rank == 0 {
            first = pivot;
        }
        if !(pivot > WEAK * first) {
            break;
        }
        last = pivot;
        (0..n).for_each(|k| S.swap(i * n + k, rank * n + k));
        r.swap(i, rank);
        (0..n).for_each(|k| S.swap(k * n + j, k * n + rank));
        column.swap(j, rank);
        for i in rank + 1..n {
            let factor = S[[i, rank]] / S[[rank, rank]];
            (rank..n).for_each(|k| S[[i, k]] -= factor * S[[rank, k]]);
            r[i] -= factor * r[rank];
        }
        rank += 1;
    }
    let mut z = vec![0.0; n];
    for i in (0..rank).rev() {
        let known: f64 = (i + 1..rank).map(|k| S[[i, k]] * z[column[k]]).sum();
        z[column[i]] = (r[i] - known) / S[[i, i]];
    }
    (z, first / last)
}

/// Orthonormal rows that span those of A (each row of length n), weakest left out, and the point nearest to zero on
/// A z = b.
pub(super) struct RowSpace {
    /// Orthonormal rows.
    pub basis: Vec<Vec<f64>>,
    /// The shortest z with A z = b.
    pub point: Vec<f64>,
    /// One over the sine of the smallest angle that was kept.
    pub conditioning: f64,
}

impl RowSpace {
    /// Gram and Schmidt, twice over, longest remainder first.
    pub fn of(A: &[f64], b: &[f64], n: usize) -> Self {
        let mut left: Vec<(Vec<f64>, f64)> = Vec::new();
        for (row, b) in A.chunks(n.max(1)).zip(b) {
            let length = dot(row, row).sqrt();
            if length > 0.0 {
                left.push((row.iter().map(|v| v / length).collect(), b / length));
            }
        }
        let mut space = RowSpace { basis: Vec::new(), point: vec![0.0; n], conditioning: 1.0 };
        while !left.is_empty() {
            for (row, b) in &mut left {
                for _ in 0..2 {
                    if let Some(v) = space.basis.last() {
                        let along = dot(row, v);
                        row.iter_mut().zip(v).for_each(|(r, v)| *r -= along * v);
                        *b -= along * dot(v, &space.point);
                    }
                }
            }
            let longest = (0..left.len())
                .max_by(|&i, &j| dot(&left[i].0, &left[i].0).total_cmp(&dot(&left[j].0, &left[j].0)));
            let Some(k) = longest else { break };
            let (mut row, mut b) = left.swap_remove(k);
            let length = dot(&row, &row).sqrt();
            if !(length > WEAK) {
                break;
            }
            row.iter_mut().for_each(|v| *v /= length);
            b /= length;
            // Once more against all: remainders are short.
            for v in &space.basis {
                let along = dot(&row, v);
                row.iter_mut().zip(v).for_each(|(r, v)| *r -= along * v);
                b -= along * dot(v, &space.point);
            }
            space.point.iter_mut().zip(&row).for_each(|(p, v)| *p += b * v);
            space.conditioning = space.conditioning.max(1.0 / length);
            space.basis.push(row);
        }
        space
    }

    /// What is left of v in the kernel of A.
    pub fn project(&self, v: &mut [f64]) {
        for _ in 0..2 {
            for row in &self.basis {
                let along = dot(row, v);
                v.iter_mut().zip(row).for_each(|(v, r)| *v -= along * r);
            }
        }
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// S v, row-major.
pub(super) fn times(S: &[f64], v: &[f64]) -> Vec<f64> {
    S.chunks(v.len().max(1)).map(|row| dot(row, v)).collect()
}
