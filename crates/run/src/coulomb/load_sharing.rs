//! What contacts that stick need not carry together.
//!
//! A sum of sliding velocities of several contacts may be led by the constraints though none of them is: of a disc in a
//! groove, V of one flank and V of the other. Then rows of contacts and of constraints depend on each other, and the
//! multipliers of least norm share the load out between normal forces and friction. As with one contact (see `lead`)
//! friction carries nothing of what the constraints can: the forces of all contacts that stick are taken together, their
//! part along led directions goes to the constraints.

use super::SlipSpace;
use crate::Terms;
use dalembert_linalg::{Cod, RANK_TOL, axpy, dot};

/// The rows of constraints and of contacts at a state.
pub(crate) struct LoadSharing {
    /// Orthonormal directions of the rows of contacts that the constraints leave open.
    open: Vec<f64>,
    /// Transposed rows of the constraints, factored.
    constraints: Cod,
}

impl LoadSharing {
    /// From terms of which the first `natural` rows are the constraints; `None` where contacts have nothing to give.
    pub fn new(terms: &Terms, natural: usize) -> Option<Self> {
        let (n, m) = (terms.Q.len(), terms.b.len());
        let rows = m - natural;
        let open = SlipSpace::new(terms, natural, 0.0).open(&terms.A[natural * n..m * n], rows, rows);
        if open.len() == rows * rows {
            return None;
        }
        let transposed: Vec<f64> =
            (0..n * natural).map(|k| terms.A[(k % natural) * n + k / natural]).collect();
        let mut constraints = Cod::new(n, natural);
        constraints.factor(&transposed, RANK_TOL);
        Some(Self { open, constraints })
    }

    /// Other multipliers of the same force.
    pub fn apply(&mut self, terms: &Terms, natural: usize, lambda: &mut [f64]) {
        let n = terms.Q.len();
        let (carried, held) = lambda.split_at_mut(natural);
        let mut kept = vec![0.0; held.len()];
        for direction in self.open.chunks(held.len()) {
            axpy(dot(direction, held), direction, &mut kept);
        }
        let given = held.iter().zip(&kept).map(|(all, kept)| all - kept);
        let mut force = vec![0.0; n];
        for (row, share) in terms.A.chunks(n).zip(carried.iter().copied().chain(given)) {
            axpy(share, row, &mut force);
        }
        self.constraints.solve(&force, carried);
        held.copy_from_slice(&kept);
    }
}
