//! The branch of the Legendre transform that a motion is on, where momenta have several speeds.
//!
//! dL/d eta = y may have several solutions eta where L is not quadratic. They are told apart by continuation: from the
//! last state whose speeds are known to the next along the straight line between them, in parts so short that Newton's
//! method converges with a factor of a quarter from the beginning. By the theorem of Newton and Kantorovich the solution
//! is then the only one near, so it is on the branch of the start. Where d2L/d eta2 becomes singular the branch ends, and
//! no speeds are found.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// States that are remembered: more than the stages of a step that is tried again and again.
const REMEMBERED: usize = 512;

/// Shortest part of the way that is tried.
const SHORTEST: f64 = 1e-12;
/// Newton's steps for one part, and how much shorter each must be than the one before.
pub(super) const MAX_STEPS: usize = 20;
pub(super) const SHORTER: f64 = 0.25;

/// A state in momenta with its speeds.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub t: f64,
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub eta: Vec<f64>,
}

/// States on the branch, the last ones, if there are any. Every state that follows is reached from one of them on the same
/// branch, so the order in which states are asked for does not matter.
#[derive(Debug, Default)]
pub(super) struct Branch(Mutex<VecDeque<Known>>);

impl Clone for Branch {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.states().clone()))
    }
}

impl Branch {
    fn states(&self) -> MutexGuard<'_, VecDeque<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn last(&self) -> Option<Known> {
        self.states().back().cloned()
    }

    /// The state nearest to one in momenta. Close to the end of a branch trials of a step lead astray, and this leads back.
    pub fn nearest(&self, to: dalembert_run::Point<'_>) -> Option<Known> {
        let gap = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        let apart = |k: &Known| (k.t - to.t).abs().max(gap(&k.x, to.x)).max(gap(&k.y, to.eta));
        self.states().iter().min_by(|a, b| apart(a).total_cmp(&apart(b))).cloned()
    }

    pub fn keep(&self, known: Known) {
        let mut states = self.states();
        if states.len() >= REMEMBERED {
            states.pop_front();
        }
        states.push_back(known);
    }
}

/// The state at a fraction of the way from one to another, momenta for speeds.
fn between(from: &Known, to: dalembert_run::Point<'_>, part: f64) -> Known {
    let mix = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + part * (b - a)).collect();
    Known {
        t: from.t + part * (to.t - from.t),
        x: mix(&from.x, to.x),
        y: mix(&from.y, to.eta),
        eta: Vec::new(),
    }
}

/// The way from a known state to another in parts, each so short that `correct` converges at once. `work` holds the speeds,
/// which `eta` finds in it. False where the parts become too short.
pub(super) fn continued<W>(
    from: &Known,
    to: dalembert_run::Point<'_>,
    work: &mut W,
    eta: impl Fn(&mut W) -> &mut [f64],
    mut correct: impl FnMut(&mut W, dalembert_run::Point<'_>) -> bool,
) -> bool {
    eta(work).copy_from_slice(&from.eta);
    let (mut done, mut part) = (0.0, 1.0f64);
    while done < 1.0 {
        let (kept, next) = (eta(work).to_vec(), (done + part).min(1.0));
        let found = if next == 1.0 {
            correct(work, to)
        } else {
            let way = between(from, to, next);
            correct(work, dalembert_run::Point { t: way.t, x: &way.x, eta: &way.y })
        };
        if found {
            (done, part) = (next, 2.0 * part);
            continue;
        }
        eta(work).copy_from_slice(&kept);
        part /= 4.0;
        if part < SHORTEST {
            return false;
        }
    }
    true
}
