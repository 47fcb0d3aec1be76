//! Constraints of runs in lanes: states are brought back to them after each step, and the rank is watched.
//!
//! A run whose margin (see [`crate::Solution::margin`]) falls below [`NEAR`] of the largest it has seen is not for lanes:
//! passing a loss of rank belongs to the ordinary driver. The margin of a state is the least root of pivot over longest
//! diagonal entry, so that is a bound on each pivot, which the derivative checks at every stage.

use super::{Keep, LANES, LaneKernel};
use crate::constraint::projection::ROUNDING;
use crate::constraint::singular::NEAR;

/// Runs of the program for one step of the motion. Invariants, positions and speeds converge one after the other.
const MAX_TRIES: usize = 8;
/// Residuals below this that no longer become less, once invariants, positions and speeds have had their turn, are
/// rounding.
const SETTLED: f64 = 1e-13;
const TURNS: usize = 3;

/// What is known of the constraints of one run.
#[derive(Clone, Debug, Default)]
pub(super) struct Watched {
    /// Longest diagonal entry of each row.
    longest: Vec<f64>,
    /// Square of the largest margin.
    reference: f64,
    /// Largest residual that was left.
    pub residual: f64,
}

/// Workspace of one thread.
pub(super) struct LaneProjection {
    /// t, y, constants.
    inputs: Vec<f64>,
    out: Vec<f64>,
    workspace: Vec<f64>,
    dim: usize,
    rows: usize,
}

impl LaneProjection {
    pub fn new(keep: &Keep, kernel: &dyn LaneKernel) -> Self {
        let (dim, rows) = (kernel.dim(), keep.rows);
        Self {
            inputs: vec![0.0; (1 + dim + kernel.constants()) * LANES],
            out: vec![0.0; (dim + 2 + 2 * rows) * LANES],
            workspace: vec![0.0; keep.lanes.workspace()],
            dim,
            rows,
        }
    }

    /// Brings the states of some lanes back. `y` holds the states of all, `constants` theirs, the least pivots included,
    /// which are set. Returns in which lanes that was done; the others are to be given back.
    pub fn keep(
        &mut self,
        keep: &Keep,
        t: [f64; LANES],
        y: &mut [f64],
        constants: &mut [f64],
        watched: [Option<&mut Watched>; LANES],
    ) -> [bool; LANES] {
        let wanted = std::array::from_fn(|l| watched[l].is_some());
        let left = self.bring_back(keep, t, y, constants, wanted);
        for (l, watched) in watched.into_iter().enumerate() {
            if let (Some(watched), Some(left)) = (watched, left[l]) {
                self.watch(l, left, watched, constants);
            }
        }
        left.map(|left| left.is_some())
    }

    /// Projects without checking the pivots; gives the remaining residuals where that was done.
    pub fn bring_back(
        &mut self,
        keep: &Keep,
        t: [f64; LANES],
        y: &mut [f64],
        constants: &[f64],
        wanted: [bool; LANES],
    ) -> [Option<f64>; LANES] {
        let d = self.dim;
        self.inputs[..LANES].copy_from_slice(&t);
        self.inputs[LANES..(1 + d) * LANES].copy_from_slice(y);
        self.inputs[(1 + d) * LANES..].copy_from_slice(constants);
        let mut going = wanted;
        let mut left = [f64::INFINITY; LANES];
        let mut done = [false; LANES];
        for round in 0..MAX_TRIES {
            keep.lanes.run(&self.inputs, &mut self.workspace, &mut self.out);
            for l in 0..LANES {
                if going[l] {
                    (going[l], done[l]) = self.judge(l, round, &mut left[l]);
                }
            }
            if !going.contains(&true) {
                break;
            }
        }
        for l in (0..LANES).filter(|l| done[*l]) {
            (0..d).for_each(|k| y[k * LANES + l] = self.inputs[(1 + k) * LANES + l]);
        }
        std::array::from_fn(|l| done[l].then_some(left[l]))
    }

    /// Looks at what the program made of one lane: whether to go on, and whether the state is on the constraints.
    fn judge(&mut self, l: usize, round: usize, left: &mut f64) -> (bool, bool) {
        let d = self.dim;
        let (residual, trusted) = (self.out[d * LANES + l], self.out[(d + 1) * LANES + l]);
        if trusted != 1.0 || residual.is_nan() {
            return (false, false);
        }
        let before = std::mem::replace(left, residual);
        let stays = round >= TURNS && residual < SETTLED && residual > 0.1 * before;
        if residual <= ROUNDING || stays {
            return (false, true);
        }
        for k in 0..d {
            self.inputs[(1 + k) * LANES + l] = self.out[k * LANES + l];
        }
        (true, false)
    }

    /// The least pivots from here on.
    fn watch(&self, l: usize, residual: f64, watched: &mut Watched, constants: &mut [f64]) {
        let (d, m) = (self.dim, self.rows);
        let row = |i: usize| {
            [self.out[(d + 2 + i) * LANES + l], self.out[(d + 2 + m + i) * LANES + l]] // pivot, diagonal
        };
        watched.residual = watched.residual.max(residual);
        watched.longest.resize(m, 0.0);
        let mut margin = f64::INFINITY;
        for (i, longest) in watched.longest.iter_mut().enumerate() {
            let [pivot, diagonal] = row(i);
            *longest = longest.max(diagonal);
            margin = margin.min(pivot / *longest);
        }
        watched.reference = watched.reference.max(margin);
        let first = constants.len() - m * LANES;
        for (i, longest) in watched.longest.iter().enumerate() {
            constants[first + i * LANES + l] = NEAR * NEAR * watched.reference * longest;
        }
    }
}
