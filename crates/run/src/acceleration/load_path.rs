//! Which rows carry the constraint force where redundant rows leave that open and a force law reads it.
//!
//! With redundant rows A^T lambda is unique (U2), single multipliers are not. Friction and non-ideal work that read
//! multipliers or reactions need a choice that does not depend on how often a row is written, nor on its factor:
//!
//! 1. rows that no force law reads carry nothing where the rows that are read can carry it, and of parallel rows that
//!    are not read the first carries the force of all;
//! 2. if the rows that are left are independent, their multipliers are unique;
//! 3. otherwise they share the load as equally stiff supports do: the sum of the squares of their forces is least, each
//!    measured as its law does (the normal force of a contact, otherwise |A_r| lambda_r).
//!
//! So a law that reads one of several parallel rows reads the force of all of them.

use crate::{Dynamics, Point, Terms};
use dalembert_linalg::{Cod, PivotedLq, RANK_TOL, axpy, dot, norm};

/// The rows that force laws read.
#[derive(Clone, Debug)]
pub(crate) struct LoadPath {
    read: Vec<bool>,
}

/// The rows that carry at a state.
#[derive(Clone, Debug)]
pub(crate) struct Carriers {
    rows: Vec<usize>,
    /// Factor that makes a force of the multiplier of each of them.
    measure: Vec<f64>,
    /// Factor on each speed.
    unit: Vec<f64>,
    cod: Cod,
}

impl LoadPath {
    /// Of a kernel; `None` if no force law reads a row.
    pub fn of(kernel: &dyn Dynamics) -> Option<Self> {
        let capabilities = kernel.capabilities();
        let contacts = capabilities.contact_list().iter().flat_map(|c| c.rows.clone());
        let mut rows = capabilities.rows_read().iter().copied().chain(contacts).peekable();
        rows.peek()?;
        let mut read = vec![false; kernel.shape().n_con];
        rows.filter(|r| *r < kernel.shape().n_con).for_each(|r| read[r] = true);
        Some(Self { read })
    }

    /// How many rows there are; those of contacts that stick are not among them.
    pub fn natural(&self) -> usize {
        self.read.len()
    }

    /// Decides which rows carry; `None` where all are independent. `P` has the normal forces of contacts by rows (see
    /// [`crate::ContactTerms`]).
    pub fn choose(&self, terms: &Terms, P: &[f64]) -> Option<Carriers> {
        let (n, m) = (terms.Q.len(), self.natural());
        // Speeds are measured by their inertia and rows by their length, so that units do not matter.
        let unit: Vec<f64> = (0..n).map(|j| inertia(terms, j)).map(inverse_root).collect();
        let scaled = |r: usize| {
            let mut row = vec![0.0; n];
            terms.row(r).entries().for_each(|(j, a)| row[j] = a * unit[j]);
            row
        };
        let rows: Vec<Vec<f64>> = (0..m).map(scaled).collect();
        let all: Vec<usize> = (0..m).collect();
        if factored(&rows, &all, n).rank() == m {
            return None;
        }
        let carrying = self.carrying(&rows, n);
        let measure: Vec<f64> = carrying
            .iter()
            .map(|&r| {
                let pressed = P.chunks(m).map(|p| p[r]).fold(0.0, f64::hypot);
                let length = terms.row(r).entries().map(|(_, a)| a).fold(0.0, f64::hypot);
                if pressed > 0.0 { pressed } else { length }
            })
            .collect();
        let mut cod = Cod::new(carrying.len(), n);
        fill(cod.lq.matrix(), &rows, &carrying, n);
        cod.lq.factor(RANK_TOL, carrying.len());
        cod.factor_trapezoid(|k| norm(&rows[carrying[k]]) / measure[k]);
        Some(Carriers { rows: carrying, measure, unit, cod })
    }

    /// The first rule.
    fn carrying(&self, rows: &[Vec<f64>], n: usize) -> Vec<usize> {
        let (mut chosen, others): (Vec<usize>, Vec<usize>) =
            (0..rows.len()).filter(|&r| norm(&rows[r]) > 0.0).partition(|&r| self.read[r]);
        let read = factored(rows, &chosen, n);
        let outside = |r: usize| {
            let mut left = rows[r].clone();
            read.apply_qt(&mut left);
            norm(&left[read.rank()..]) > RANK_TOL * norm(&rows[r])
        };
        let first_unread = chosen.len();
        for r in others.into_iter().filter(|&r| outside(r)) {
            if !chosen[first_unread..].iter().any(|&q| parallel(&rows[r], &rows[q])) {
                chosen.push(r);
            }
        }
        chosen
    }
}

impl Carriers {
    /// Multipliers of the same force A^T lambda, on the rows that carry.
    pub fn carry(&mut self, terms: &Terms, lambda: &mut [f64]) {
        let mut force = vec![0.0; self.unit.len()];
        for (r, share) in lambda.iter().enumerate() {
            terms.row(r).entries().for_each(|(j, a)| force[j] += a * self.unit[j] * share);
        }
        self.cod.lq.apply_qt(&mut force);
        let mut loads = vec![0.0; self.rows.len()];
        self.cod.multipliers(&force[..self.cod.lq.rank()], &mut loads);
        lambda.fill(0.0);
        for (k, &r) in self.rows.iter().enumerate() {
            lambda[r] = loads[k] / self.measure[k];
        }
    }
}

/// The rows that carry the constraint force at a state, as force laws read it: all of them, unless rows are redundant
/// and a force law reads some. Where these rows are not independent, those that are not share the load as equally stiff
/// supports do.
pub fn carrying_rows(kernel: &dyn Dynamics, at: Point<'_>) -> Vec<usize> {
    let mut terms = Terms::of(kernel);
    kernel.terms(at, &mut vec![0.0; kernel.scratch_len()], &mut terms);
    let carriers = LoadPath::of(kernel).and_then(|path| path.choose(&terms, &[]));
    carriers.map_or_else(|| (0..kernel.shape().n_con).collect(), |carriers| carriers.rows)
}

fn inertia(terms: &Terms, j: usize) -> f64 {
    terms.mass_row(j).entries().find(|(k, _)| *k == j).map_or(0.0, |(_, M)| M)
}

fn inverse_root(M: f64) -> f64 {
    if M > 0.0 { M.sqrt().recip() } else { 1.0 }
}

/// Some rows in unit length, one after the other.
fn fill(matrix: &mut [f64], rows: &[Vec<f64>], some: &[usize], n: usize) {
    matrix.fill(0.0);
    for (out, &r) in matrix.chunks_mut(n.max(1)).zip(some) {
        let length = norm(&rows[r]);
        if length > 0.0 {
            axpy(1.0 / length, &rows[r], out);
        }
    }
}

fn factored(rows: &[Vec<f64>], some: &[usize], n: usize) -> PivotedLq {
    let mut lq = PivotedLq::new(some.len(), n);
    fill(lq.matrix(), rows, some, n);
    lq.factor(RANK_TOL, some.len());
    lq
}

fn parallel(a: &[f64], b: &[f64]) -> bool {
    let along = dot(a, b) / dot(b, b);
    let mut left = a.to_vec();
    axpy(-along, b, &mut left);
    norm(&left) <= RANK_TOL * norm(a)
}
