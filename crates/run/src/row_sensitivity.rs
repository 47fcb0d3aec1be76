//! What rounding of a state makes of the rows of the constraints.
//!
//! Where all of a row vanishes, its numbers are rounding and do not say so: `(R phi' - s') sin(phi) = 0` has a gradient
//! that is zero at phi = pi but for rounding, and `b = -(R phi' - s') phi' cos(phi)`, a difference that cancels on the constraints. How
//! fast gradient and b change with the state tells their size. States a little way off are evaluated, each with
//! everything moved at once by random amounts, so that their number does not grow with the system. Asked only where rows
//! seem to contradict each other (U6), cannot be kept by projection or have no start. Checked by
//! `tests/it/vanishing_rows.rs` of the facade.

use crate::tolerance;
use crate::{Dynamics, Point, State, Terms};
use dalembert_linalg::{Lcg, norm_max};

/// The state moved by [`tolerance::NUDGE`]: time against its size or one unit, each coordinate against its own size, or against that of the
/// largest where this is below one unit (one unit where all are zero), each speed in the same way (not at all at rest). A fixed sequence: the same numbers every time.
pub(crate) fn nudged(at: Point<'_>, round: u64) -> State {
    let mut lcg = Lcg::new(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(round + 1));
    let mut moved = |value: f64, size: f64| {
        // Between a half and one, either way.
        let unit = (lcg.next_u64() >> 12) as f64 / (1u64 << 52) as f64 - 0.5;
        value + tolerance::NUDGE * size * (unit + 0.5_f64.copysign(unit))
    };
    let least = match norm_max(at.x) {
        0.0 => 1.0,
        largest => largest.min(1.0),
    };
    let still = norm_max(at.eta).min(1.0);
    State {
        t: moved(at.t, 1.0 + at.t.abs()),
        x: at.x.iter().map(|x| moved(*x, x.abs().max(least))).collect(),
        eta: at.eta.iter().map(|eta| moved(*eta, eta.abs().max(still))).collect(),
    }
}

/// What a change of the whole state makes of each row.
pub(crate) struct RowSensitivity {
    /// Of b.
    pub right: Vec<f64>,
    /// Of the gradient, relative to its length here; 0 unless the row is short by that measure.
    pub times_longer: Vec<f64>,
    /// Of the gradient, and its length here.
    length: Vec<f64>,
    now: Vec<f64>,
}

impl RowSensitivity {
    /// Rows that are rounding here, each with the least length it is to be judged by.
    pub fn vanishing(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let rounding = |i: &usize| {
            self.length[*i] > 0.0 && self.now[*i] <= tolerance::VANISHED_AT_START * self.length[*i]
        };
        (0..self.now.len()).filter(rounding).map(|i| (i, tolerance::VANISHING_SCALE * self.length[i]))
    }

    /// At a state. O(entries of the terms).
    pub fn new(kernel: &dyn Dynamics, at: Point<'_>, scratch: &mut [f64]) -> Self {
        let (mut here, mut near) = (Terms::of(kernel), Terms::of(kernel));
        kernel.terms(at, scratch, &mut here);
        let m = here.b.len();
        let (mut right, mut length) = (vec![0.0_f64; m], vec![0.0_f64; m]);
        let larger = |so_far: &mut f64, change: f64| {
            let change = change / tolerance::NUDGE;
            if change.is_finite() {
                *so_far = so_far.max(change);
            }
        };
        for round in 0..tolerance::NUDGES {
            kernel.terms(nudged(at, round).point(), scratch, &mut near);
            for i in 0..m {
                larger(&mut right[i], (near.b[i] - here.b[i]).abs());
                let pairs = here.row(i).values.iter().zip(near.row(i).values);
                larger(&mut length[i], pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt());
            }
        }
        let now: Vec<f64> = (0..m).map(|i| here.row(i).norm()).collect();
        let longer = |(now, length): (&f64, &f64)| {
            if *now > 0.0 && *now <= tolerance::SHORT * length { length / now } else { 0.0 }
        };
        let times_longer = now.iter().zip(&length).map(longer).collect();
        Self { right, times_longer, length, now }
    }
}
