//! Where the entries of M and A stand that are not zero by structure: the shape of a large system.
//!
//! A [`Pattern`] is a matrix without its numbers (compressed rows); the numbers are a flat slice in the same order, as
//! kernels write them. [`Sparsity`] is that of M and A together, constant along the motion, with the plan by which they
//! are factored (`acceleration/plan.rs`). Memory and time go with the entries, never with rows times columns.
//! Knows nothing of symbols.

mod elimination;

pub(crate) use elimination::Plan;

use dalembert_linalg::{dot, norm};
use std::sync::Arc;

/// A matrix without its numbers: the columns of each row, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    n_columns: usize,
    start: Vec<usize>,
    columns: Vec<u32>,
}

impl Pattern {
    /// From the columns of each row, which must be ascending. O(entries).
    ///
    /// # Panics
    /// If columns are not ascending or out of range: patterns are made by programs, not by users.
    pub fn new<R: IntoIterator<Item = usize>>(n_columns: usize, rows: impl IntoIterator<Item = R>) -> Self {
        let (mut start, mut columns) = (vec![0], Vec::new());
        for row in rows {
            let first = columns.len();
            for j in row {
                let fits =
                    j < n_columns && columns[first..].last().is_none_or(|&before| (before as usize) < j);
                assert!(fits, "columns of a pattern ascend and fit");
                columns.push(j as u32);
            }
            start.push(columns.len());
        }
        Self { n_columns, start, columns }
    }

    /// A diagonal.
    pub fn diagonal(n: usize) -> Self {
        Self::new(n, (0..n).map(|i| [i]))
    }

    /// Rows.
    pub fn n_rows(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// Columns.
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// Entries.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The columns of a row.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.columns[self.range(i)]
    }

    /// Where the numbers of a row stand.
    pub fn range(&self, i: usize) -> std::ops::Range<usize> {
        self.start[i]..self.start[i + 1]
    }

    /// Where the number of an entry stands, if there is one. O(log entries of the row).
    pub fn place(&self, i: usize, j: usize) -> Option<usize> {
        self.row(i).binary_search(&(j as u32)).ok().map(|k| self.start[i] + k)
    }

    /// Row and column of a number. O(log rows).
    pub fn entry(&self, place: usize) -> (usize, usize) {
        let row = self.start.partition_point(|&first| first <= place).saturating_sub(1);
        (row, self.columns[place] as usize)
    }

    /// The pattern by columns: for each column its (row, place) pairs. O(entries).
    pub fn by_columns(&self) -> Vec<Vec<(u32, u32)>> {
        let mut columns = vec![Vec::new(); self.n_columns];
        for i in 0..self.n_rows() {
            for k in self.range(i) {
                columns[self.columns[k] as usize].push((i as u32, k as u32));
            }
        }
        columns
    }

    /// The matrix written out, row-major.
    pub fn expand(&self, values: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for i in 0..self.n_rows() {
            for k in self.range(i) {
                out[i * self.n_columns + self.columns[k] as usize] = values[k];
            }
        }
    }

    /// y = A v.
    pub fn times(&self, values: &[f64], v: &[f64], y: &mut [f64]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y = Line { columns: Some(self.row(i)), values: &values[self.range(i)] }.dot(v);
        }
    }

    /// y = A^T v.
    pub fn transposed_times(&self, values: &[f64], v: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        for (i, v) in v.iter().enumerate() {
            for k in self.range(i) {
                y[self.columns[k] as usize] += v * values[k];
            }
        }
    }
}

/// One row of a matrix with its numbers, dense or not.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The columns of the values; all of them in order if `None`.
    pub columns: Option<&'a [u32]>,
    /// The values.
    pub values: &'a [f64],
}

impl Line<'_> {
    /// Inner product with a dense vector.
    pub fn dot(&self, v: &[f64]) -> f64 {
        match self.columns {
            None => dot(self.values, v),
            Some(columns) => columns.iter().zip(self.values).map(|(&j, a)| a * v[j as usize]).sum(),
        }
    }

    /// Length.
    pub fn norm(&self) -> f64 {
        norm(self.values)
    }

    /// The (column, value) pairs.
    pub fn entries(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.values
            .iter()
            .enumerate()
            .map(|(k, v)| (self.columns.map_or(k, |columns| columns[k] as usize), *v))
    }
}

/// The patterns of M and A, and how they are factored.
#[derive(Clone, Debug)]
pub struct Sparsity {
    /// M, both triangles, diagonal included.
    pub mass: Pattern,
    /// A.
    pub constraint: Pattern,
    /// The plan for all rows.
    pub(crate) plan: Arc<Plan>,
}

impl PartialEq for Sparsity {
    fn eq(&self, other: &Self) -> bool {
        self.mass == other.mass && self.constraint == other.constraint
    }
}

impl Sparsity {
    /// Analyses a system: orders it and counts the fill. `None` if the factors would take more than
    /// [`MAX_FILL`] numbers, or if M lacks entries on its diagonal.
    pub fn new(mass: Pattern, constraint: Pattern) -> Option<Self> {
        let plan = Arc::new(Plan::new(&mass, &constraint)?);
        Some(Self { mass, constraint, plan })
    }

    /// Entries of the triangular factor: what a solve costs.
    pub fn fill(&self) -> usize {
        self.plan.saddle.fill()
    }

    /// Multiplications of a factorisation.
    pub fn work(&self) -> usize {
        self.plan.saddle.work()
    }
}

/// How many numbers the triangular factors of a system may take (320 MB with their places).
pub const MAX_FILL: usize = 20_000_000;
