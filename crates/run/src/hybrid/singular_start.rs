//! The beginning of a motion: the rank around the start, and a start that sits on a loss of rank.
//!
//! The rank along the motion is found by probing: states a little way off, some of them a little later, brought onto the
//! constraints. Redundant rows have the same rank there; at a singular configuration, or an instant at which a
//! row vanishes, the rank around is higher than at it.
//!
//! On a singular configuration the acceleration along a branch is a limit. It is found by differentiating once more
//! numerically: with a trial acceleration a and jerk j, states at t +- tau, t +- 2 tau are predicted, projected onto the
//! constraints (which puts them on the branch that the starting speeds belong to), their accelerations are taken, and
//!
//! ```text
//! a <- [4 (a_1 + a_-1) - (a_2 + a_-2)] / 6,    j <- (a_1 - a_-1) / (2 tau)
//! ```
//!
//! until a no longer changes. If there is no branch to follow (at rest where branches meet, as at the tip of the
//! Appell-Hamel cone or in a flat parallelogram) the motion is not determined by the constraints, and the caller says so.
//! Checked by `tests/it/singular.rs`: four-bar started with all bars in line, moving and at rest; cone at rest.

use super::right_hand_side::RightHandSide;
use super::tolerances::{
    DEGENERATE, GROWS, LEAST_SIZE, LIMIT_CHANGE, LIMIT_DISTANCE, LIMIT_GROWTH, LIMIT_MARGIN, LIMIT_SIZE,
    LIMIT_STEP, MAX_LIMIT_ITERATIONS, NEAR_PROBES, NEAREST_PROBE, ON_CONSTRAINTS, PROBED_RANK, PROBES,
    WELL_CONDITIONED,
};
use crate::Dynamics;
use crate::method::stepper::{EvalError, Field};
use dalembert_linalg::{Lcg, norm_max};

/// What is known of the constraints around the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Around {
    pub rank_at_start: usize,
    pub rank: usize,
    /// Largest margin among the probes.
    pub margin: f64,
    /// Whether the start is too near a rank loss for its acceleration to be taken there.
    pub degenerate: bool,
    /// Whether the rank is higher beside the start at the same time: branches may meet there.
    pub fork: bool,
}

/// Finds the rank around the start of a motion that lasts `span`, and tells field and projector. Evaluates the start.
pub(super) fn look_around(
    field: &mut RightHandSide<'_>,
    t: f64,
    y: &[f64],
    span: f64,
) -> Result<Around, EvalError> {
    let mut out = vec![0.0; y.len()];
    field.eval(t, y, &mut out)?;
    field.accelerator.factor.remember();
    let m = field.shape.n_con;
    let rank_at_start = field.accelerator.solution().rank;
    let mut margin = field.margin();
    let mut ranks = field.projector.ranks(&field.kernel, field.point(t, y), PROBED_RANK);
    let mut rank = rank_at_start;
    if m == 0 || (rank == m && margin > WELL_CONDITIONED) {
        return Ok(Around { rank_at_start, rank, margin, degenerate: false, fork: false });
    }
    let start_margin = margin;
    let later = field.time_scale(y, &out).min(span.abs()) * if span < 0.0 { -1.0 } else { 1.0 };
    let size = norm_max(&y[..field.shape.n_x]).max(LEAST_SIZE);
    // By how much some row was longer at the last distance than before.
    let mut growth = f64::INFINITY;
    let mut fork = false;
    for probe in 0..PROBES {
        let near = probe < NEAR_PROBES;
        let reach = if near {
            NEAREST_PROBE * 10f64.powi(probe as i32 / 2)
        } else {
            10f64.powi((probe - NEAR_PROBES) as i32)
        };
        // A row that vanishes at the start is measured where it no longer grows with the distance.
        if !near && (rank == rank_at_start || growth < GROWS || reach * size > size.max(1.0)) {
            break;
        }
        // Every other one also later.
        let t = t + if near && probe % 2 == 1 { reach * later } else { 0.0 };
        let Some(state) = probe_state(field, t, y, probe, reach) else { continue };
        if field.eval(t, &state, &mut out).is_err() {
            continue;
        }
        let (found, found_margin) = (field.accelerator.solution().rank, field.margin());
        fork |= found > rank_at_start && !(near && probe % 2 == 1);
        let longer = field.accelerator.factor.remember();
        growth = if near && probe % 2 == 1 { growth * longer } else { longer };
        let (position, velocity) = field.projector.ranks(&field.kernel, field.point(t, &state), PROBED_RANK);
        ranks = (ranks.0.max(position), ranks.1.max(velocity));
        margin = if found > rank {
            found_margin
        } else if found == rank {
            margin.max(found_margin)
        } else {
            margin
        };
        rank = rank.max(found);
    }
    field.projector.set_ranks(ranks.0, ranks.1);
    field.accelerator.max_rank = Some(rank);
    // Again, now that rank and row lengths around are known.
    field.eval(t, y, &mut out)?;
    let degenerate = rank_at_start < rank || start_margin.min(field.margin()) < DEGENERATE * margin;
    Ok(Around { rank_at_start, rank, margin, degenerate, fork })
}

/// A state some way off the start, on the constraints.
fn probe_state(
    field: &mut RightHandSide<'_>,
    t: f64,
    y: &[f64],
    probe: usize,
    reach: f64,
) -> Option<Vec<f64>> {
    let n_x = field.shape.n_x;
    let mut state = y.to_vec();
    let (x_size, eta_size) = (norm_max(&y[..n_x]).max(LEAST_SIZE), norm_max(&y[n_x..]).max(LEAST_SIZE));
    // A fixed sequence: the same motion every time.
    let mut lcg = Lcg::new(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(probe as u64 + 1));
    for (i, v) in state.iter_mut().enumerate() {
        *v += 2.0 * (lcg.uniform() - 0.5) * reach * if i < n_x { x_size } else { eta_size };
    }
    field.project(t, &mut state).ok()?;
    let left = field.projector.residuals(&field.kernel, field.point(t, &state));
    (left.position < ON_CONSTRAINTS && left.velocity < ON_CONSTRAINTS).then_some(state)
}

/// The derivative at a degenerate start as a limit along the branch, and a step long enough to get away from it; `None`
/// if there is no limit.
pub(super) fn limit_derivative(
    field: &mut RightHandSide<'_>,
    t: f64,
    y: &[f64],
    reference: f64,
) -> Option<(Vec<f64>, f64)> {
    let mut f = vec![0.0; y.len()];
    field.eval(t, y, &mut f).ok()?;
    let n_x = field.shape.n_x;
    let tau = branch_distance(field, t, y, &f, reference)?;
    let mut branch = Branch { t, y, f, jerk: vec![0.0; y.len() - n_x], n_x };
    let mut accelerations = [(); 4].map(|()| vec![0.0; y.len()]);
    let (mut change, [enough, most]) = (f64::INFINITY, LIMIT_CHANGE);
    for _ in 0..MAX_LIMIT_ITERATIONS {
        for (k, out) in [-2.0, -1.0, 1.0, 2.0].into_iter().zip(accelerations.iter_mut()) {
            let state = branch.state(field, k * tau)?;
            field.eval(t + k * tau, &state, out).ok()?;
        }
        let [far_before, before, after, far_after] = &accelerations;
        change = 0.0;
        for i in n_x..y.len() {
            let a = (4.0 * (before[i] + after[i]) - (far_before[i] + far_after[i])) / 6.0;
            change = f64::max(change, (a - branch.f[i]).abs());
            branch.f[i] = a;
            branch.jerk[i - n_x] = (after[i] - before[i]) / (2.0 * tau);
        }
        if change <= enough * (LIMIT_SIZE + norm_max(&branch.f[n_x..])) {
            break;
        }
    }
    (change <= most * (LIMIT_SIZE + norm_max(&branch.f[n_x..]))).then_some((branch.f, LIMIT_STEP * tau))
}

/// A time by which the margin has grown enough for accelerations to be trusted.
fn branch_distance(
    field: &mut RightHandSide<'_>,
    t: f64,
    y: &[f64],
    f: &[f64],
    reference: f64,
) -> Option<f64> {
    let n_x = field.shape.n_x;
    let scale = field.time_scale(y, f);
    if !scale.is_finite() {
        return None;
    }
    let branch = Branch { t, y, f: f.to_vec(), jerk: vec![0.0; y.len() - n_x], n_x };
    let mut out = vec![0.0; y.len()];
    let [nearest, furthest] = LIMIT_DISTANCE;
    let mut tau = nearest * scale;
    while tau < furthest * scale {
        if let Some(state) = branch.state(field, tau)
            && field.eval(t + tau, &state, &mut out).is_ok()
            && field.margin() > LIMIT_MARGIN * reference
        {
            return Some(tau);
        }
        tau *= LIMIT_GROWTH;
    }
    None
}

/// A quadratic prediction from the start.
struct Branch<'a> {
    t: f64,
    y: &'a [f64],
    /// (x', eta') at the start.
    f: Vec<f64>,
    jerk: Vec<f64>,
    n_x: usize,
}

impl Branch<'_> {
    /// The state at t + tau, on the constraints.
    fn state(&self, field: &mut RightHandSide<'_>, tau: f64) -> Option<Vec<f64>> {
        let n_x = self.n_x;
        let mut middle: Vec<f64> = self.y.iter().zip(&self.f).map(|(y, f)| y + 0.5 * tau * f).collect();
        for (i, j) in self.jerk.iter().enumerate() {
            middle[n_x + i] += tau * tau / 8.0 * j;
        }
        // x' at the middle, without an acceleration there.
        let mut terms = crate::Terms::of(&field.kernel);
        let mut scratch = vec![0.0; field.kernel.scratch_len()];
        field.kernel.terms(field.point(self.t + 0.5 * tau, &middle), &mut scratch, &mut terms);
        let mut state = self.y.to_vec();
        for i in 0..n_x {
            state[i] += tau * terms.x_dot[i];
        }
        for i in n_x..state.len() {
            state[i] += tau * (self.f[i] + 0.5 * tau * self.jerk[i - n_x]);
        }
        field.project(self.t + tau, &mut state).ok()?;
        Some(state)
    }
}
