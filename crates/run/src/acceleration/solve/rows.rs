//! How well the rows of the constraints hold, and whether they contradict each other (U6).

use super::Accelerator;
use crate::tolerance;
use crate::{AccelerationError, Terms};
use dalembert_linalg::{Cod, RANK_TOL, norm_max};

/// How well a row of the constraints holds.
struct Balance {
    /// b - A eta'.
    left: f64,
    /// The sizes of its terms.
    own: f64,
}

impl Balance {
    /// Whether nothing is left but rounding of its own numbers.
    fn is_rounding(&self) -> bool {
        self.left.abs() <= tolerance::REFINE * self.own
    }
}

/// The least index of the part that `i` belongs to; paths are shortened on the way.
fn representative(part: &mut [usize], mut i: usize) -> usize {
    while part[i] != i {
        part[i] = part[part[i]];
        i = part[i];
    }
    i
}

impl Accelerator {
    /// What is left of each row, b - A eta', into `work_m`, and the largest scaled residual (U6). Whether a row holds worse
    /// than it could.
    pub(super) fn look_at_rows(&mut self, eta: &[f64], terms: &Terms) -> bool {
        let (mut poor, mut largest) = (false, 0.0_f64);
        for i in 0..self.shape.n_con {
            let row = self.balance(i, terms);
            self.work_m[i] = row.left;
            if row.is_rounding() {
                // Needs no wider measure; all of it may be zero.
                largest = largest.max(row.left.abs() / row.own.max(f64::MIN_POSITIVE));
            } else {
                poor = true;
            }
        }
        if poor && !self.accelerations_alone() {
            let size = self.largest_accelerations(eta, terms);
            let scaled = |i: usize| self.scaled(i, size[i], terms);
            largest = (0..self.shape.n_con).map(scaled).fold(0.0, f64::max);
        }
        self.solution.residual = if self.accelerations_alone() { f64::NAN } else { largest };
        poor
    }

    /// The largest acceleration, with and without constraints, and square of a speed among all that masses and rows connect
    /// with each row. Rounding of a refined solve hardly passes from one part of a system to another
    /// ([`tolerance::REMOTE`]). O(entries of M and A).
    fn largest_accelerations(&self, eta: &[f64], terms: &Terms) -> Vec<f64> {
        let (n, m) = (self.shape.n_eta, self.shape.n_con);
        let mut part: Vec<usize> = (0..n).collect();
        let connect = |part: &mut [usize], i: usize, j: usize| {
            let (a, b) = (representative(part, i), representative(part, j));
            part[a.max(b)] = a.min(b);
        };
        for i in 0..n {
            for (j, _) in terms.mass_row(i).entries().filter(|(j, v)| *j < i && *v != 0.0) {
                connect(&mut part, i, j);
            }
        }
        let mut first: Vec<Option<usize>> = vec![None; m];
        for i in 0..m {
            for (j, _) in terms.row(i).entries().filter(|(_, a)| *a != 0.0) {
                let with = *first[i].get_or_insert(j);
                connect(&mut part, with, j);
            }
        }
        let (mut acceleration, mut speed) = (vec![0.0_f64; n], vec![0.0_f64; n]);
        for j in 0..n {
            let k = representative(&mut part, j);
            for a in [self.solution.eta_dot[j], self.solution.a_free[j]].into_iter().filter(|a| a.is_finite())
            {
                acceleration[k] = acceleration[k].max(a.abs());
            }
            speed[k] = speed[k].max(eta.get(j).copied().unwrap_or(0.0).abs());
        }
        let near = |k: usize| acceleration[k] + speed[k] * speed[k];
        let remote = tolerance::REMOTE * (0..n).map(near).fold(0.0, f64::max);
        let size = |k: usize| near(k).max(remote);
        first.iter().map(|j| j.map_or(0.0, |j| size(representative(&mut part, j)))).collect()
    }

    #[inline]
    fn balance(&self, i: usize, terms: &Terms) -> Balance {
        let b = terms.b[i];
        let (mut left, mut own) = (b, b.abs());
        for (j, a) in terms.row(i).entries() {
            let part = a * self.solution.eta_dot[j];
            (left, own) = (left - part, own + part.abs());
        }
        Balance { left, own }
    }

    /// What is left of a row against its own numbers and those it would have without constraints (see
    /// [`tolerance::CONSISTENCY`]).
    fn scaled(&self, i: usize, size: f64, terms: &Terms) -> f64 {
        let Balance { left, own } = self.balance(i, terms);
        let (mut free, mut length) = (0.0, 0.0);
        for (j, a) in terms.row(i).entries() {
            (free, length) = (free + (a * self.solution.a_free[j]).abs(), length + a.abs());
        }
        let whole = if free.is_finite() { own + free } else { own };
        if left == 0.0 {
            0.0
        } else {
            // All of a row may be rounding of the others: a torque across the plane in which a loop happens to move.
            let others = tolerance::VANISHED_ROW * self.largest_row(terms);
            let least = (tolerance::COUPLING * length * size).max(tolerance::SENSITIVITY * self.grain[i]);
            left.abs() / whole.max(least).max(others)
        }
    }

    /// The sizes of the terms of the row that has the largest ones.
    fn largest_row(&self, terms: &Terms) -> f64 {
        (0..self.shape.n_con).map(|i| self.balance(i, terms).own).fold(0.0, f64::max)
    }

    /// U6: rows contradict each other if the scaled residual of one is too large.
    pub(super) fn check_consistent(
        &mut self,
        t: f64,
        eta: &[f64],
        terms: &Terms,
    ) -> Result<(), AccelerationError> {
        if self.accelerations_alone() || self.solution.residual <= self.consistency_tol {
            return Ok(());
        }
        let size = self.largest_accelerations(eta, terms);
        for i in 0..self.shape.n_con {
            self.work_m[i] = self.scaled(i, size[i], terms);
        }
        // The rows that disagree, the worst first.
        let mut rows: Vec<usize> =
            (0..self.shape.n_con).filter(|&i| self.work_m[i] > self.consistency_tol).collect();
        rows.sort_by(|&i, &j| self.work_m[j].total_cmp(&self.work_m[i]));
        // A row by itself contradicts nothing: those it depends on belong to the story.
        let Some(&worst) = rows.first() else { return Ok(()) };
        for partner in self.partners(worst, terms) {
            if !rows.contains(&partner) {
                rows.push(partner);
            }
        }
        let residuals = rows.iter().map(|&i| self.work_m[i]).collect();
        Err(AccelerationError::Inconsistent { t, rows, residuals })
    }

    /// The rows of which a row is a combination.
    fn partners(&mut self, row: usize, terms: &Terms) -> Vec<usize> {
        let (n, m) = (self.shape.n_eta, self.shape.n_con);
        let mut combination = vec![0.0; m];
        if !self.factor.combination(row, &mut combination) {
            let others: Vec<usize> = (0..m).filter(|&i| i != row).collect();
            let mut transposed = vec![0.0; n * others.len()];
            for (k, &i) in others.iter().enumerate() {
                terms.row(i).entries().for_each(|(j, a)| transposed[j * others.len() + k] = a);
            }
            let (mut own, mut found) = (vec![0.0; n], vec![0.0; others.len()]);
            terms.row(row).entries().for_each(|(j, a)| own[j] = a);
            let mut cod = Cod::new(n, others.len());
            cod.factor(&transposed, RANK_TOL);
            cod.solve(&own, &mut found);
            others.iter().zip(found).for_each(|(&i, c)| combination[i] = c);
        }
        let weight = |i: usize| combination[i].abs() * norm_max(terms.row(i).values);
        let largest = (0..m).map(weight).fold(0.0, f64::max);
        (0..m).filter(|&i| i != row && weight(i) > 1e-6 * largest).collect()
    }
}
