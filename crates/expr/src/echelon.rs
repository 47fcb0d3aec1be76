//! Elimination modulo a prime: ranks, null spaces, solutions. Exact; does not know symbols.

use crate::residue::{Field, Residue};

/// Rows brought to echelon form as they come.
pub struct Echelon {
    field: Field,
    columns: usize,
    /// Each with 1 at its pivot; zero at the pivots of earlier rows.
    rows: Vec<Vec<Residue>>,
    pivots: Vec<usize>,
}

impl Echelon {
    /// No rows yet, of so many columns.
    pub fn new(field: Field, columns: usize) -> Self {
        Echelon { field, columns, rows: Vec::new(), pivots: Vec::new() }
    }

    /// How many rows are independent.
    pub fn rank(&self) -> usize {
        self.rows.len()
    }

    /// The column of the pivot of each independent row.
    pub fn pivots(&self) -> &[usize] {
        &self.pivots
    }

    /// What is left of a row when the rows so far are taken out of it.
    pub fn remainder(&self, mut row: Vec<Residue>) -> Vec<Residue> {
        let f = self.field;
        for (known, &p) in self.rows.iter().zip(&self.pivots) {
            let factor = row[p];
            if !factor.is_zero() {
                for (v, k) in row.iter_mut().zip(known) {
                    if !k.is_zero() {
                        *v = f.sub(*v, f.mul(factor, *k));
                    }
                }
            }
        }
        row
    }

    /// Adds a row; returns whether it is independent of those before it.
    pub fn add(&mut self, row: Vec<Residue>) -> bool {
        let f = self.field;
        let mut row = self.remainder(row);
        let Some(p) = row.iter().position(|v| !v.is_zero()) else { return false };
        let scale = f.recip(row[p]).unwrap_or_default();
        row.iter_mut().filter(|v| !v.is_zero()).for_each(|v| *v = f.mul(*v, scale));
        self.rows.push(row);
        self.pivots.push(p);
        true
    }

    /// Clears the pivots' columns above, too.
    fn reduce(&mut self) {
        let f = self.field;
        for i in (0..self.rows.len()).rev() {
            let (before, rest) = self.rows.split_at_mut(i);
            let (source, p) = (&rest[0], self.pivots[i]);
            for row in before {
                let factor = row[p];
                if !factor.is_zero() {
                    row.iter_mut().zip(source).for_each(|(v, s)| *v = f.sub(*v, f.mul(factor, *s)));
                }
            }
        }
    }

    /// A basis of the vectors that all rows annihilate: one for each column without pivot, in their order, with 1 there
    /// and entries at pivots besides.
    pub fn null_space(mut self) -> Vec<(usize, Vec<Residue>)> {
        self.reduce();
        let mut is_pivot = vec![false; self.columns];
        self.pivots.iter().for_each(|&p| is_pivot[p] = true);
        let vector = |free: usize| {
            let mut v = vec![Residue::ZERO; self.columns];
            v[free] = self.field.one();
            for (row, &p) in self.rows.iter().zip(&self.pivots) {
                v[p] = self.field.neg(row[free]);
            }
            (free, v)
        };
        (0..self.columns).filter(|&j| !is_pivot[j]).map(vector).collect()
    }
}

/// Sum of products, modulo the prime.
pub fn dot(f: Field, a: &[Residue], b: &[Residue]) -> Residue {
    a.iter().zip(b).fold(Residue::ZERO, |sum, (x, y)| match x.is_zero() || y.is_zero() {
        true => sum,
        false => f.add(sum, f.mul(*x, *y)),
    })
}

/// A solution of `rows x = right`, free unknowns as given; `None` if the rows contradict each other.
pub fn solve(f: Field, rows: &[Vec<Residue>], right: &[Residue], free: &[Residue]) -> Option<Vec<Residue>> {
    let n = free.len();
    let mut echelon = Echelon::new(f, n + 1);
    for (row, b) in rows.iter().zip(right) {
        echelon.add(row.iter().copied().chain([*b]).collect());
    }
    if echelon.pivots.contains(&n) {
        return None;
    }
    echelon.reduce();
    let mut x = free.to_vec();
    echelon.pivots.iter().for_each(|&p| x[p] = Residue::ZERO);
    for (row, &p) in echelon.rows.iter().zip(&echelon.pivots) {
        // The other pivots of the row are zero.
        x[p] = f.sub(row[n], dot(f, &row[..n], &x));
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::residue::PRIMES;

    #[test]
    fn small_systems() {
        let f = Field::new(PRIMES[0]);
        let row = |values: &[i64]| values.iter().map(|v| f.int(*v)).collect::<Vec<_>>();
        let rows = [row(&[1, 2, 3]), row(&[2, 4, 7])];
        let x = solve(f, &rows, &row(&[6, 13]), &row(&[5, 9, 9])).unwrap();
        assert_eq!((dot(f, &rows[0], &x), dot(f, &rows[1], &x)), (f.int(6), f.int(13)));
        assert!(solve(f, &[row(&[1]), row(&[1])], &row(&[1, 2]), &row(&[0])).is_none());
        let mut echelon = Echelon::new(f, 3);
        assert!(rows.iter().all(|row| echelon.add(row.clone())));
        assert!(!echelon.add(row(&[3, 6, 10])));
        let null = echelon.null_space();
        assert_eq!(null, [(1, row(&[-2, 1, 0]))]);
    }
}
