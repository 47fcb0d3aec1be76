//! The directions that linear rows leave free, in coordinates of their own: some of the variables.
//!
//! ```text
//! A v = r    with R A = [I, -T_dep] on (dependent, independent) columns:   v = T w + particular(r),  w = v at the independents
//! ```
//!
//! Gauss-Jordan with complete pivoting over rows of unit length: which variables depend on the others is decided by
//! the largest pivots, against the preference to keep some of them independent.

use crate::norm;

/// Pivots below this, among rows of unit length, count as dependence.
const PIVOT_TOL: f64 = 1e-10;
/// A column that should stay independent is taken as a pivot only if nothing else is this large in comparison.
const RELUCTANCE: f64 = 1e-2;
/// A right side is consistent if what is left of it is below this, relative to it.
const DEFECT_TOL: f64 = 1e-7;
/// What is left of a right side that is nothing but rounding, against a change of one.
const ROUNDING: f64 = 1e-11;

/// How much a variable should stay independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preference {
    /// Decided by the pivots.
    Open,
    /// If possible without small pivots.
    Preferred,
    /// Asked for: never a pivot.
    Required,
}

/// The free directions of a set of rows.
#[derive(Clone, Debug)]
pub struct Tangent {
    n: usize,
    m: usize,
    /// Variables that parametrise the rest, ascending.
    pub independent: Vec<usize>,
    /// Pivot column of each of the first `rank` reduced rows.
    dependent: Vec<usize>,
    /// n * d, the identity at the independents.
    pub T: Vec<f64>,
    /// m * m: what was done to the rows.
    R: Vec<f64>,
}

/// The variables asked for cannot all be independent: this one follows from the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Follows(pub usize);

impl Tangent {
    /// Of `rows` (m * n).
    pub fn new(rows: &[f64], m: usize, n: usize, wishes: &[Preference]) -> Result<Tangent, Follows> {
        let width = n + m;
        let mut a = vec![0.0; m * width];
        for i in 0..m {
            let row = &rows[i * n..(i + 1) * n];
            let length = norm(row);
            let scale = if length > 0.0 && length.is_finite() { 1.0 / length } else { 0.0 };
            (0..n).for_each(|j| a[i * width + j] = row[j] * scale);
            a[i * width + n + i] = if scale > 0.0 { scale } else { 1.0 };
        }
        let mut dependent: Vec<usize> = Vec::new();
        let mut taken = vec![false; n];
        for k in 0..m.min(n) {
            let Some((i, j)) = pivot(&a, width, n, k..m, &taken, wishes)? else { break };
            (0..width).for_each(|c| a.swap(k * width + c, i * width + c));
            let by = a[k * width + j];
            (0..width).for_each(|c| a[k * width + c] /= by);
            let source = a[k * width..(k + 1) * width].to_vec();
            for r in (0..m).filter(|r| *r != k) {
                let factor = a[r * width + j];
                if factor != 0.0 {
                    (0..width).for_each(|c| a[r * width + c] -= factor * source[c]);
                    a[r * width + j] = 0.0;
                }
            }
            dependent.push(j);
            taken[j] = true;
        }
        let independent: Vec<usize> = (0..n).filter(|j| !taken[*j]).collect();
        let d = independent.len();
        let mut T = vec![0.0; n * d];
        for (c, &j) in independent.iter().enumerate() {
            T[j * d + c] = 1.0;
            for (k, &i) in dependent.iter().enumerate() {
                T[i * d + c] = -a[k * width + j];
            }
        }
        let R = (0..m).flat_map(|i| a[i * width + n..(i + 1) * width].to_vec()).collect();
        Ok(Tangent { n, m, independent, dependent, T, R })
    }

    /// How many rows are independent.
    pub fn rank(&self) -> usize {
        self.dependent.len()
    }

    /// How many directions are free.
    pub fn dimension(&self) -> usize {
        self.independent.len()
    }

    /// Column `c` of T.
    pub fn column(&self, c: usize) -> Vec<f64> {
        let d = self.dimension();
        (0..self.n).map(|i| self.T[i * d + c]).collect()
    }

    /// The solution of `rows v = r` that vanishes at the independents; `None` if there is none.
    pub fn particular(&self, r: &[f64]) -> Option<Vec<f64>> {
        let mut v = vec![0.0; self.n];
        for i in 0..self.m {
            let row = &self.R[i * self.m..(i + 1) * self.m];
            let (sum, size) =
                row.iter().zip(r).fold((0.0, 0.0f64), |(s, z), (a, b)| (s + a * b, z + (a * b).abs()));
            match self.dependent.get(i) {
                Some(&j) => v[j] = sum,
                None if sum.abs() <= DEFECT_TOL * size + ROUNDING => {}
                None => return None,
            }
        }
        Some(v)
    }

    /// v <- T^T v: what a covector says about the independents.
    pub fn transposed(&self, v: &[f64]) -> Vec<f64> {
        let d = self.dimension();
        let mut out = vec![0.0; d];
        for i in 0..self.n {
            (0..d).for_each(|c| out[c] += self.T[i * d + c] * v[i]);
        }
        out
    }
}

/// The next pivot among the rows left, as (row, column).
fn pivot(
    a: &[f64],
    width: usize,
    n: usize,
    rows: std::ops::Range<usize>,
    taken: &[bool],
    wishes: &[Preference],
) -> Result<Option<(usize, usize)>, Follows> {
    let wish = |j: usize| wishes.get(j).copied().unwrap_or(Preference::Open);
    let (mut best, mut place, mut blocked) = (0.0, None, (0.0, 0));
    for i in rows {
        for j in (0..n).filter(|j| !taken[*j]) {
            let size = a[i * width + j].abs();
            let weighed = match wish(j) {
                Preference::Open => size,
                Preference::Preferred => RELUCTANCE * size,
                Preference::Required => {
                    if size > blocked.0 {
                        blocked = (size, j);
                    }
                    0.0
                }
            };
            if size > PIVOT_TOL && weighed > best {
                (best, place) = (weighed, Some((i, j)));
            }
        }
    }
    match place {
        None if blocked.0 > PIVOT_TOL => Err(Follows(blocked.1)),
        place => Ok(place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rolling_rows_and_a_copy_of_one() {
        // x' = u cos, y' = u sin at 0.6, and the first row again in other units.
        let (c, s) = (0.6f64.cos(), 0.6f64.sin());
        let rows = [1.0, 0.0, -c, 0.0, 1.0, -s, 1000.0, 0.0, -1000.0 * c];
        let t = Tangent::new(&rows, 3, 3, &[]).unwrap();
        assert_eq!((t.rank(), t.independent.as_slice()), (2, &[2][..]));
        assert!((t.T[0] - c).abs() < 1e-15 && (t.T[1] - s).abs() < 1e-15 && t.T[2] == 1.0);
        assert!(t.particular(&[1.0, 2.0, 1000.0]).is_some());
        assert!(t.particular(&[1.0, 2.0, 0.0]).is_none());
        let t = Tangent::new(&rows, 3, 3, &[Preference::Required]).unwrap();
        assert_eq!(t.independent, [0]);
        assert!(Tangent::new(&rows, 3, 3, &[Preference::Required; 3]).is_err());
    }
}
