//! The dense decompositions, asked where the pivots of a small sparse system leave a doubt.

use super::factor::{Factor, Massless, Rules};
use crate::kernel::Plan;

/// M and some rows of A written out, with their factor.
#[derive(Clone, Debug)]
pub struct DenseFallback {
    pub factor: Factor,
    M: Vec<f64>,
    A: Vec<f64>,
    right: Vec<f64>,
    lambda: Vec<f64>,
}

impl DenseFallback {
    pub fn new(n: usize, m: usize) -> Self {
        Self {
            factor: Factor::new(n, m),
            M: vec![0.0; n * n],
            A: vec![0.0; m * n],
            right: vec![0.0; m],
            lambda: vec![0.0; m],
        }
    }

    /// Factors some rows; lengths of rows are those before and, afterwards, those now. O(n^3).
    pub fn decide(
        &mut self,
        plan: &Plan,
        values: &[f64],
        rows: &[usize],
        lengths: (&[f64], &mut [f64]),
        rules: Rules,
    ) -> Result<(), Massless> {
        let (n, (M, A)) = (plan.n(), values.split_at(plan.mass.len()));
        plan.mass.expand(M, &mut self.M);
        self.A.fill(0.0);
        for (k, &i) in rows.iter().enumerate() {
            for (&j, place) in plan.rows.row(i).iter().zip(plan.rows.range(i)) {
                self.A[k * n + j as usize] = A[place];
            }
            self.factor.reference[k] = lengths.0[i];
        }
        self.factor.factor(&self.M, &self.A, rules)?;
        rows.iter().zip(&self.factor.length).for_each(|(&i, length)| lengths.1[i] = *length);
        Ok(())
    }

    /// Solves with right sides and multipliers at the places of the rows.
    pub fn solve(&mut self, rows: &[usize], r1: &[f64], r2: &[f64], z: &mut [f64], lambda: &mut [f64]) {
        rows.iter().zip(&mut self.right).for_each(|(&i, r)| *r = r2[i]);
        self.factor.solve(r1, &self.right, z, &mut self.lambda);
        lambda.fill(0.0);
        rows.iter().zip(&self.lambda).for_each(|(&i, l)| lambda[i] = *l);
    }

    /// See [`Factor::force`].
    pub fn force(&mut self, rows: &[usize], r1: &[f64], z: &[f64], lambda: &[f64], out: &mut [f64]) {
        rows.iter().zip(&mut self.lambda).for_each(|(&i, l)| *l = lambda[i]);
        self.factor.force(r1, z, &self.lambda, out);
    }
}
