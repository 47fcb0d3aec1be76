//! Control that is held, as a source of events: it is computed at intervals and kept in between (zero-order hold).
//!
//! Steps end at each of these times. The derivative jumps there and the state does not, and the step goes on as it was: what
//! changes is the input, not the time scale of the motion. Who computes the control is the subject of `controller`.

use super::Failure;
use super::integration::Integration;
use super::source::{EventSource, Transition};

/// The times at which control is computed.
pub(super) struct HeldControl {
    interval: f64,
    /// How often it was computed, and when it is next.
    samples: usize,
    next: f64,
}

impl HeldControl {
    /// That of a run, if it has any.
    pub fn of(run: &Integration<'_>) -> Option<Self> {
        run.field.controller.hold.map(|interval| Self { interval, samples: 0, next: run.t_start })
    }
}

impl EventSource for HeldControl {
    fn begin(&mut self, run: &mut Integration<'_>) -> Result<(), Failure> {
        let (at, tolerance) = (run.field.point(run.t, &run.y), run.state_tolerance());
        run.field.controller.sample(at, tolerance).map_err(Failure::Acceleration)?;
        self.samples += 1;
        self.next = run.t_start + self.samples as f64 * self.interval * run.span().signum();
        Ok(())
    }

    fn next_time(&self) -> Option<f64> {
        Some(self.next)
    }

    fn arrive(&mut self, run: &mut Integration<'_>) -> Result<Transition, Failure> {
        if (self.next - run.t) * run.span().signum() > 0.0 {
            return Ok(Transition::Continue);
        }
        self.begin(run)?;
        Ok(Transition::Restart { smooth_for: None })
    }
}
