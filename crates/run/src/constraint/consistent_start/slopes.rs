//! The Jacobian of the search for a start and its shortest steps J^+ r, dense or by entries.

use crate::Sparsity;
use crate::acceleration::{Rules, SparseFactor};
use crate::{Line, Path};
use dalembert_linalg::Cod;
use std::sync::Arc;

/// A matrix J and what solves J s = r with the shortest s.
pub(super) enum Slopes {
    Dense {
        J: Vec<f64>,
        n: usize,
        cod: Box<Cod>,
    },
    /// The saddle system with the identity for M.
    Sparse {
        J: Vec<f64>,
        sparsity: Arc<Sparsity>,
        factor: Box<SparseFactor>,
        zero: Vec<f64>,
        lambda: Vec<f64>,
    },
}

impl Slopes {
    pub fn new(m: usize, n: usize, sparsity: Option<Arc<Sparsity>>) -> Self {
        let Some(sparsity) = sparsity else {
            return Slopes::Dense { J: vec![0.0; m * n], n, cod: Box::new(Cod::new(m, n)) };
        };
        let rows: Vec<usize> = (0..m).collect();
        Slopes::Sparse {
            J: vec![0.0; sparsity.constraint.len()],
            factor: Box::new(SparseFactor::new(sparsity.plan.clone(), &rows)),
            sparsity,
            zero: vec![0.0; n],
            lambda: vec![0.0; m],
        }
    }

    /// Its numbers, to be written.
    pub fn values(&mut self) -> &mut [f64] {
        match self {
            Slopes::Dense { J, .. } | Slopes::Sparse { J, .. } => J,
        }
    }

    pub fn row(&self, i: usize) -> Line<'_> {
        match self {
            Slopes::Dense { J, n, .. } => Line { columns: None, values: &J[i * n..(i + 1) * n] },
            Slopes::Sparse { J, sparsity, .. } => {
                let pattern = &sparsity.constraint;
                Line { columns: Some(pattern.row(i)), values: &J[pattern.range(i)] }
            }
        }
    }

    /// Divides a row by its length; entries that are not free become zero.
    pub fn scale(&mut self, i: usize, length: f64, free: &[bool]) {
        let scaled = |v: f64, free: bool| if free && length > 0.0 { v / length } else { 0.0 };
        match self {
            Slopes::Dense { J, n, .. } => {
                let row = &mut J[i * *n..(i + 1) * *n];
                row.iter_mut().zip(free).for_each(|(v, free)| *v = scaled(*v, *free));
            }
            Slopes::Sparse { J, sparsity, .. } => {
                let pattern = &sparsity.constraint;
                let row = J[pattern.range(i)].iter_mut().zip(pattern.row(i));
                row.for_each(|(v, &j)| *v = scaled(*v, free[j as usize]));
            }
        }
    }

    pub fn factor(&mut self, rank_tol: f64) {
        match self {
            Slopes::Dense { J, cod, .. } => {
                cod.factor(J, rank_tol);
            }
            Slopes::Sparse { J, factor, .. } => {
                let rules = Rules { path: Path::Auto, rank_tol, max_rank: usize::MAX, judged: true };
                // The identity is positive definite, so this cannot fail.
                let _ = factor.factor(None, J, rules);
            }
        }
    }

    pub fn solve(&mut self, r: &[f64], step: &mut [f64]) {
        match self {
            Slopes::Dense { cod, .. } => cod.solve(r, step),
            Slopes::Sparse { factor, zero, lambda, .. } => factor.solve(zero, r, step, lambda),
        }
    }
}
