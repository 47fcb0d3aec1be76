//! One door to the dense and the sparse factorisation of the saddle system; see [`Factor`] for what is asked.

use super::factor::{Factor, Massless, Rules};
use super::sparse_factor::SparseFactor;
use crate::kernel::{Sparsity, Taken, Terms};
use std::sync::Arc;

/// A factored saddle system of either kind.
#[derive(Clone, Debug)]
pub enum Saddle {
    Dense(Box<Factor>),
    Sparse(Box<SparseFactor>),
}

impl Saddle {
    /// For n speeds and m rows, all of them, in the layout of the terms.
    pub fn new(n: usize, m: usize, sparsity: Option<&Arc<Sparsity>>) -> Self {
        match sparsity {
            Some(sparsity) => {
                let rows: Vec<usize> = (0..m).collect();
                Saddle::Sparse(Box::new(SparseFactor::new(sparsity.plan.clone(), &rows)))
            }
            None => Saddle::Dense(Box::new(Factor::new(n, m))),
        }
    }

    /// For some rows: by themselves in a dense A, at their places in a sparse one.
    pub fn of_rows(n: usize, rows: &[usize], sparsity: Option<&Arc<Sparsity>>) -> Self {
        match sparsity {
            Some(sparsity) => Saddle::Sparse(Box::new(SparseFactor::new(sparsity.plan.clone(), rows))),
            None => Self::new(n, rows.len(), None),
        }
    }

    /// Factors M and A, or the numbers of their patterns.
    pub fn factor(&mut self, M: &[f64], A: &[f64], rules: Rules) -> Result<(), Massless> {
        match self {
            Saddle::Dense(factor) => factor.factor(M, A, rules),
            Saddle::Sparse(factor) => factor.factor(Some(M), A, rules),
        }
    }

    /// [`factor`](Saddle::factor), then [`solve`](Saddle::solve).
    pub fn factor_and_solve(
        &mut self,
        (M, A): (&[f64], &[f64]),
        rules: Rules,
        (r1, r2): (&[f64], &[f64]),
        (z, lambda): (&mut [f64], &mut [f64]),
    ) -> Result<(), Massless> {
        match self {
            Saddle::Dense(factor) => {
                factor.factor(M, A, rules)?;
                factor.solve(r1, r2, z, lambda);
                Ok(())
            }
            Saddle::Sparse(factor) => factor.factor_and_solve((M, A), rules, (r1, r2), (z, lambda)),
        }
    }

    /// Factors A with the identity for M; sparse only.
    pub fn factor_identity(&mut self, A: &[f64], rules: Rules) -> Result<(), Massless> {
        match self {
            Saddle::Dense(_) => Ok(()),
            Saddle::Sparse(factor) => factor.factor(None, A, rules),
        }
    }

    /// See [`Factor::solve`]. Multipliers of a sparse system are of minimum norm after [`least`](Saddle::least).
    pub fn solve(&mut self, r1: &[f64], r2: &[f64], z: &mut [f64], lambda: &mut [f64]) {
        match self {
            Saddle::Dense(factor) => factor.solve(r1, r2, z, lambda),
            Saddle::Sparse(factor) => factor.solve(r1, r2, z, lambda),
        }
    }

    /// Multipliers with the same force and minimum norm.
    pub fn least(&mut self, lambda: &mut [f64]) {
        if let Saddle::Sparse(factor) = self {
            factor.least(lambda);
        }
    }

    /// The combination of other rows that a row is, if that is known without a dense decomposition. Zeros for a row that
    /// depends on none.
    pub fn combination(&mut self, row: usize, out: &mut [f64]) -> bool {
        match self {
            Saddle::Dense(_) => false,
            Saddle::Sparse(factor) => factor.combination(row, out),
        }
    }

    /// See [`Factor::force`].
    pub fn force(&mut self, r1: &[f64], z: &[f64], lambda: &[f64], out: &mut [f64]) {
        match self {
            Saddle::Dense(factor) => factor.force(r1, z, lambda, out),
            Saddle::Sparse(factor) => factor.force(r1, z, lambda, out),
        }
    }

    /// See [`Factor::unconstrained`].
    pub fn unconstrained(&mut self, v: &mut [f64]) {
        match self {
            Saddle::Dense(factor) => factor.unconstrained(v),
            Saddle::Sparse(factor) => factor.unconstrained(v),
        }
    }

    /// See [`Factor::inverse_mass_square`].
    pub fn inverse_mass_square(&mut self, v: &[f64]) -> f64 {
        match self {
            Saddle::Dense(factor) => factor.inverse_mass_square(v),
            Saddle::Sparse(factor) => factor.inverse_mass_square(v),
        }
    }

    /// See [`Factor::remember`].
    pub fn remember(&mut self) -> f64 {
        match self {
            Saddle::Dense(factor) => factor.remember(),
            Saddle::Sparse(factor) => factor.remember(),
        }
    }

    /// A row is so many times longer nearby: that is what it is judged by.
    pub fn lengthen(&mut self, row: usize, times: f64) {
        let (reference, _, length) = self.lengths();
        reference[row] = reference[row].max(times * length[row]);
    }

    /// From now on a row is judged by no less than a row of A of this length would be, with masses as they are on average.
    pub fn keep_long(&mut self, row: usize, long: f64, terms: &Terms) {
        let n = terms.Q.len();
        let diagonal =
            |i: usize| terms.mass_row(i).entries().find(|(j, _)| *j == i).map_or(0.0, |(_, m)| m.abs());
        let mean = (0..n).map(diagonal).sum::<f64>() / n.max(1) as f64;
        // Where M is singular (U9) rows are taken as they are.
        let long = if self.mass_is_positive() && mean > 0.0 { long / mean.sqrt() } else { long };
        let (reference, floor, _) = self.lengths();
        floor[row] = floor[row].max(long);
        reference[row] = reference[row].max(floor[row]);
    }

    fn lengths(&mut self) -> (&mut Vec<f64>, &mut Vec<f64>, &Vec<f64>) {
        match self {
            Saddle::Dense(factor) => (&mut factor.reference, &mut factor.floor, &factor.length),
            Saddle::Sparse(factor) => factor.lengths(),
        }
    }

    /// See [`Factor::update_references`].
    pub fn update_references(&mut self, kept: f64) {
        match self {
            Saddle::Dense(factor) => factor.update_references(kept),
            Saddle::Sparse(factor) => factor.update_references(kept),
        }
    }

    /// See [`Factor::take_measure`].
    pub fn take_measure(&mut self, rows: &[usize], pivots: &[f64], squares: &[f64]) -> f64 {
        match self {
            Saddle::Dense(factor) => factor.take_measure(rows, pivots, squares),
            Saddle::Sparse(factor) => factor.take_measure(rows, pivots, squares),
        }
    }

    /// See [`Factor::pivot_rows`]; `None` of a sparse system.
    pub fn pivot_rows(&self) -> Option<Vec<usize>> {
        match self {
            Saddle::Dense(factor) => Some(factor.pivot_rows()),
            Saddle::Sparse(_) => None,
        }
    }

    /// Whether M by itself is factored (not U9).
    pub fn mass_is_positive(&self) -> bool {
        self.taken() != Taken::NullSpace
    }

    /// Which factorisation was used.
    pub fn taken(&self) -> Taken {
        match self {
            Saddle::Dense(factor) => factor.taken,
            Saddle::Sparse(factor) => factor.taken,
        }
    }

    /// Rank of the rows.
    pub fn rank(&self) -> usize {
        match self {
            Saddle::Dense(factor) => factor.rank,
            Saddle::Sparse(factor) => factor.rank,
        }
    }

    /// Conditioning of the weakest direction kept.
    pub fn margin(&self) -> f64 {
        match self {
            Saddle::Dense(factor) => factor.margin,
            Saddle::Sparse(factor) => factor.margin,
        }
    }
}
