//! M and A of a large system by their entries: which systems, and where the outputs of the tape go.

use super::programs::Scatter;
use crate::elaborate::MAX_DENSE;
use crate::kernel_form::KernelForm;
use dalembert_run::{Pattern, Sparsity};
use std::sync::Arc;

/// Speeds and rows together from which patterns are looked at: below, dense factors are as fast.
const CROSSOVER: usize = 40;
/// Dense multiplications that take as long as one through indices.
const GAIN: usize = 4;

/// The patterns and the places of the tape's outputs in them.
#[derive(Clone)]
pub(super) struct Layout {
    pub sparsity: Arc<Sparsity>,
    pub places: Scatter,
}

impl Layout {
    /// Where it pays: the system is large, its matrices and their factors are mostly zeros, and only features that know
    /// patterns are used. `written_out` are the places in full matrices.
    pub fn of(form: &KernelForm, written_out: &[(usize, usize)]) -> Option<Self> {
        let (n, m) = (form.speeds.len(), form.constraint_right.len());
        let plain = form.contacts.is_empty() && form.requirement_right.is_empty();
        // Bodies without constraint rows are solved by recursion (B1), whatever the zeros of M.
        let by_recursion = form.besides_bodies.is_some() && m == 0 && form.frame.is_some();
        // The frame X of quasi-velocities and quaternions is written out.
        let large_frame = form.frame.is_some() && n.max(m) > MAX_DENSE;
        if !plain || by_recursion || large_frame || n + m < CROSSOVER {
            return None;
        }
        let pattern = |wanted: usize, rows: usize| {
            let mut columns = vec![Vec::new(); rows];
            let entries = written_out.iter().filter(|(array, _)| *array == wanted);
            entries.for_each(|(_, k)| columns[k / n].push(k % n));
            Pattern::new(n, columns)
        };
        let (mass, constraint) = (pattern(1, n), pattern(3, m));
        let sparsity = Sparsity::new(mass, constraint)?;
        let dense = n.pow(3) / 6 + m * n * n / 2 + m * m * n / 2 + m.pow(3) / 6;
        if n.max(m) <= MAX_DENSE && GAIN * (sparsity.work() + sparsity.fill()) > dense {
            return None;
        }
        let place = |&(array, k): &(usize, usize)| match array {
            1 => (array, sparsity.mass.place(k / n, k % n).unwrap_or(0)),
            3 => (array, sparsity.constraint.place(k / n, k % n).unwrap_or(0)),
            _ => (array, k),
        };
        let places = written_out.iter().map(place).collect();
        Some(Layout { sparsity: Arc::new(sparsity), places: Scatter::new(places) })
    }
}

/// The length of the force of some rows together: O(entries), times their number squared.
pub(super) fn reaction(rows: std::ops::Range<usize>, lambda: &[f64], A: &[f64], pattern: &Pattern) -> f64 {
    let mut length = 0.0f64;
    for r in rows.clone() {
        for &j in pattern.row(r) {
            let j = j as usize;
            if (rows.start..r).any(|before| pattern.place(before, j).is_some()) {
                continue;
            }
            let later = (r..rows.end).filter_map(|s| pattern.place(s, j).map(|k| A[k] * lambda[s]));
            length = length.hypot(later.sum());
        }
    }
    length
}
