//! What the constraints decide about sliding velocities by themselves.
//!
//! A direction y of V is led where J^T y = A^T z: then y . V' follows from the rows of A, whatever friction does. The
//! directions across those are open, and friction holds V in them alone:
//!
//! - a force f with a part along a led direction could be carried by the constraint as well; without it f is the smallest
//!   force that does the same, and the multipliers of the constraints are not shared out. On a surface with V = [x', y',
//!   z'] the normal is led, f is tangential and N is what presses;
//! - if the constraints ask for y . V' other than zero, the contact cannot stick: the dead points of mechanisms.
//!
//! Directions are orthonormal in the components of V; speeds are measured by their own inertia, so that their units do
//! not matter.

use crate::tolerance;
use crate::{Dynamics, Point, Terms};
use dalembert_linalg::{Cod, PivotedLq, RANK_TOL, axpy, dot, norm, norm_max};

/// The rows of the constraints at a state, factored.
pub(crate) struct SlipSpace {
    lq: PivotedLq,
    rank: usize,
    /// Factor on each speed.
    unit: Vec<f64>,
    /// Accelerations that satisfy the rows.
    eta_dot: Vec<f64>,
    /// Size of the accelerations in the system.
    size: f64,
}

impl SlipSpace {
    /// Of a kernel at a state.
    pub fn of(kernel: &dyn Dynamics, at: Point<'_>, scratch: &mut [f64]) -> Self {
        let shape = kernel.shape();
        let mut terms = Terms::new(&shape);
        kernel.terms(at, scratch, &mut terms);
        Self::new(&terms, shape.n_con, norm_max(at.eta))
    }

    /// From terms that are written out, of which the first `rows` rows are the constraints, at speeds up to `speed`.
    pub fn new(terms: &Terms, rows: usize, speed: f64) -> Self {
        let n = terms.Q.len();
        let mass = |j: usize| terms.M[j * n + j];
        let unit: Vec<f64> = (0..n).map(|j| if mass(j) > 0.0 { 1.0 / mass(j).sqrt() } else { 1.0 }).collect();
        let mut lq = PivotedLq::new(rows, n);
        let mut right = terms.b[..rows].to_vec();
        for i in 0..rows {
            let row = &mut lq.matrix()[i * n..(i + 1) * n];
            (0..n).for_each(|j| row[j] = unit[j] * terms.A[i * n + j]);
            let length = norm(row);
            let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
            row.iter_mut().for_each(|a| *a *= scale);
            right[i] *= scale;
        }
        let rank = lq.factor(RANK_TOL, rows);
        let mut eta_dot = vec![0.0; n];
        lq.solve_pivot_rows(&right, &mut eta_dot);
        lq.apply_q(&mut eta_dot);
        eta_dot.iter_mut().zip(&unit).for_each(|(a, u)| *a *= u);
        let pushed = (0..n).map(|j| (terms.Q[j] * unit[j] * unit[j]).abs()).fold(0.0, f64::max);
        let size = pushed + norm_max(&eta_dot) + speed * speed;
        Self { lq, rank, unit, eta_dot, size }
    }

    /// Orthonormal directions of V that are open, one after the other; at most `most` of them, the freest.
    pub fn open(&self, J: &[f64], components: usize, most: usize) -> Vec<f64> {
        let n = self.unit.len();
        let free = n - self.rank;
        // What the constraints leave of J, in coordinates along the directions they leave free.
        let (mut left, mut longest) = (vec![0.0; free * components], 0.0_f64);
        for (i, row) in J.chunks(n).enumerate() {
            let mut row: Vec<f64> = row.iter().zip(&self.unit).map(|(j, u)| j * u).collect();
            longest = longest.max(norm(&row));
            self.lq.apply_qt(&mut row);
            (0..free).for_each(|k| left[k * components + i] = row[self.rank + k]);
        }
        let mut lq = PivotedLq::new(free, components);
        lq.matrix().copy_from_slice(&left);
        let count = lq.factor(tolerance::DETERMINED_SLIDING * longest, most);
        let mut open = vec![0.0; count * components];
        for (k, direction) in open.chunks_mut(components).enumerate() {
            direction[k] = 1.0;
            lq.apply_q(direction);
        }
        open
    }

    /// V' along the led directions, as the constraints ask for it, if that is not zero; `drift` is b of V' = 0 (K6).
    pub fn forced(&self, J: &[f64], drift: &[f64], open: &[f64]) -> Option<Vec<f64>> {
        let n = self.unit.len();
        let rows = || J.chunks(n).zip(drift);
        let mut rate: Vec<f64> = rows().map(|(row, b)| dot(row, &self.eta_dot) - b).collect();
        for direction in open.chunks(drift.len()) {
            let along = dot(direction, &rate);
            rate.iter_mut().zip(direction).for_each(|(r, d)| *r -= along * d);
        }
        let own = |(row, b): (&[f64], &f64)| {
            let parts: f64 = row.iter().zip(&self.eta_dot).map(|(j, a)| (j * a).abs()).sum();
            let reach: f64 = row.iter().map(|j| j.abs()).sum();
            (parts + b.abs()).max(tolerance::COUPLING * reach * self.size)
        };
        let limit = tolerance::FORCED_SLIDING * rows().map(own).fold(0.0, f64::max);
        (norm(&rate) > limit).then_some(rate)
    }
}

/// What contacts that stick need not carry together.
///
/// A sum of sliding velocities of several contacts may be led by the constraints though none of them is: of a disc in a
/// groove, V of one flank and V of the other. Then rows of contacts and of constraints depend on each other, and the
/// multipliers of least norm share the load out between normal forces and friction. As with one contact (see [`SlipSpace`])
/// friction carries nothing of what the constraints can: the forces of all contacts that stick are taken together, their
/// part along led directions goes to the constraints.
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
