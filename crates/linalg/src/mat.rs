//! A matrix over numbers that lie row by row: owned, borrowed, or borrowed to be written.

use std::ops::{Deref, DerefMut, Index, IndexMut, Range};

/// A matrix, row by row, over a `Vec<f64>`, a `&[f64]` or a `&mut [f64]`. Entry (i, j) is `a[[i, j]]`.
///
/// ```
/// use dalembert_linalg::Mat;
///
/// let mut a = Mat::zeros(2, 3);
/// a[[1, 2]] = 5.0;
/// assert_eq!(a.row(1), [0.0, 0.0, 5.0]);
/// assert_eq!(Mat::new(&*a, 2)[[2, 1]], 5.0, "the same numbers as three rows of two");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mat<D> {
    data: D,
    columns: usize,
}

impl Mat<Vec<f64>> {
    /// Zeros.
    #[must_use]
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self { data: vec![0.0; rows * columns], columns }
    }
}

impl<D: Deref<Target = [f64]>> Mat<D> {
    /// Numbers as rows of so many columns.
    #[inline]
    pub fn new(data: D, columns: usize) -> Self {
        Self { data, columns }
    }

    /// Row i.
    #[inline]
    pub fn row(&self, i: usize) -> &[f64] {
        self.rows(i..i + 1)
    }

    /// Some rows, one after the other.
    #[inline]
    pub fn rows(&self, range: Range<usize>) -> &[f64] {
        &self.data[range.start * self.columns..range.end * self.columns]
    }
}

impl<D: DerefMut<Target = [f64]>> Mat<D> {
    /// Row i, to be written.
    #[inline]
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.data[i * self.columns..(i + 1) * self.columns]
    }
}

impl<D: Deref<Target = [f64]>> Index<[usize; 2]> for Mat<D> {
    type Output = f64;

    #[inline]
    fn index(&self, [i, j]: [usize; 2]) -> &f64 {
        debug_assert!(j < self.columns, "column {j} of {}", self.columns);
        &self.data[i * self.columns + j]
    }
}

impl<D: DerefMut<Target = [f64]>> IndexMut<[usize; 2]> for Mat<D> {
    #[inline]
    fn index_mut(&mut self, [i, j]: [usize; 2]) -> &mut f64 {
        debug_assert!(j < self.columns, "column {j} of {}", self.columns);
        &mut self.data[i * self.columns + j]
    }
}

/// Numbers as they lie.
impl<D: Deref<Target = [f64]>> Index<Range<usize>> for Mat<D> {
    type Output = [f64];

    #[inline]
    fn index(&self, range: Range<usize>) -> &[f64] {
        &self.data[range]
    }
}

/// All numbers, row by row.
impl<D: Deref<Target = [f64]>> Deref for Mat<D> {
    type Target = [f64];

    #[inline]
    fn deref(&self) -> &[f64] {
        &self.data
    }
}

impl<D: DerefMut<Target = [f64]>> DerefMut for Mat<D> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.data
    }
}
