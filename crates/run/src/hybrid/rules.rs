//! Rules of a run that the ordinary driver and the lanes share: where a step ends, when it is too short, when a run stands
//! still, how long the first step is.

use super::options::Output;
use super::tolerances::{SLIVER, STANDSTILL, STANDSTILL_STEPS};
use crate::method::tolerances::{FIRST_WITHOUT_SCALE, FIXED_STEPS, LEAST_FIRST};

/// The step that is tried where one of length `h` is wanted and `left` is left until it must end. The last step ends
/// exactly there; no sliver is left behind.
#[inline]
pub(crate) fn fit_step(h: f64, left: f64) -> f64 {
    if (left - h).abs() < SLIVER * h.abs() || h.abs() > left.abs() { left } else { h }
}

/// Where a step of length `h` from `t` ends, if steps must end at `target`: there exactly if it was fitted to it.
#[inline]
pub(crate) fn end_of_step(t: f64, h: f64, target: f64) -> f64 {
    if h == target - t { target } else { t + h }
}

/// Steps are longer than this, but for the last one.
#[inline]
pub(crate) fn smallest_step(h_min_relative: f64, t: f64, span: f64) -> f64 {
    h_min_relative * t.abs().max(span.abs())
}

/// Whether a step of length `h` is too short to be tried where `left` is left until steps must end.
#[inline]
pub(crate) fn too_small(t: f64, h: f64, left: f64, smallest: f64) -> bool {
    let last_sliver = left.abs() <= smallest;
    !(h.abs() > smallest || last_sliver) || t + h == t
}

/// The first step of a motion that is smooth for a time `smooth`, from what the equations suggest, if they do.
pub(crate) fn first_step(suggested: Option<f64>, smooth: f64, span: f64) -> f64 {
    let h = suggested.unwrap_or(FIRST_WITHOUT_SCALE * smooth);
    h.abs().max(LEAST_FIRST * span.abs()) * smooth.signum()
}

/// The step of a method with fixed steps: the one asked for, the output interval, or a part of the run.
pub(crate) fn fixed_step(asked: Option<f64>, output: &Output, span: f64) -> f64 {
    let interval = match output {
        Output::Every(interval) | Output::StepsAndEvery(interval) if *interval > 0.0 => *interval,
        _ => span.abs() / FIXED_STEPS,
    };
    asked.unwrap_or(interval)
}

/// Watch over the progress of a run: attempts and time when it was last looked at.
pub(crate) struct Patrol {
    attempts: usize,
    t: f64,
}

impl Patrol {
    /// For a run that starts at `t`.
    pub fn new(t: f64) -> Self {
        Self { attempts: 0, t }
    }

    /// Whether a run that is at `t` after so many attempts has hardly moved in the last [`STANDSTILL_STEPS`] of them.
    #[inline]
    pub fn stands_still(&mut self, attempts: usize, t: f64, span: f64) -> bool {
        if attempts < self.attempts + STANDSTILL_STEPS {
            return false;
        }
        let still = (t - self.t).abs() < STANDSTILL * span.abs();
        if !still {
            *self = Self { attempts, t };
        }
        still
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_step_ends_where_it_must() {
        assert_eq!(fit_step(0.3, 1.0), 0.3);
        assert_eq!(fit_step(-0.3, -1.0), -0.3);
        assert_eq!(fit_step(2.0, 1.0), 1.0);
        assert_eq!(fit_step(1.0 - 1e-11, 1.0), 1.0);
        assert_eq!(end_of_step(0.1, 0.3 - 0.1, 0.3), 0.3);
        assert!(too_small(1.0, 1e-17, 1.0, 0.0) && too_small(0.0, 1e-15, 1.0, 1e-14));
        assert!(!too_small(0.0, 1e-15, 1e-15, 1e-14), "the last sliver is taken");
    }

    #[test]
    fn a_run_that_hardly_moves_stands_still() {
        let mut patrol = Patrol::new(0.0);
        assert!(!patrol.stands_still(STANDSTILL_STEPS - 1, 0.0, 1.0));
        assert!(!patrol.stands_still(STANDSTILL_STEPS, 0.5, 1.0));
        assert!(patrol.stands_still(2 * STANDSTILL_STEPS, 0.5 + 1e-8, 1.0));
    }
}
