//! What can happen to a motion besides its equations: the sources of events, and what follows from an event.
//!
//! A run has a list of sources, only those that its system asks for; without any the driver is a plain integrator. The
//! driver asks them in the order of the list at each stage of a step, and does itself what follows ([`Transition`]): no
//! source changes the step, the rows or another source. The order is part of the rules: control that is held is computed
//! before a switch of time at the same instant, so that the step behind it is chosen for both.
//!
//! The simplest source is here, one of times; the others have files of their own.

use super::integration::Integration;
use super::{EventHit, EventRule, Failure, Stop};

/// What follows from what a source has found. That a run cannot go on is an error.
#[derive(Debug, PartialEq)]
pub(super) enum Transition {
    /// The motion goes on.
    Continue,
    /// The step is chosen anew, no longer than its source allows.
    Retry,
    /// The derivative jumps, the state does not. The next step is the one that was planned, or that of a motion which
    /// begins here and is smooth for this long.
    Restart { smooth_for: Option<f64> },
    /// The state in `run` is a new one, or the equations that it must satisfy are: a motion begins here.
    Jump,
    /// The state in `run` is a new one, and the motion ends there.
    JumpAndStop(Stop),
    /// The motion ends.
    Stop(Stop),
}

/// A source of events, asked at each stage of a step; what it does not care about it leaves out.
pub(super) trait EventSource {
    /// The motion begins at the state in `run`; this is before its first row.
    fn begin(&mut self, run: &mut Integration<'_>) -> Result<(), Failure> {
        let _ = run;
        Ok(())
    }

    /// The derivative where the motion begins, or goes on after a jump, is known.
    fn settle(&mut self, run: &mut Integration<'_>) -> Result<(), Failure> {
        let _ = run;
        Ok(())
    }

    /// What is due at the state in `run`, which a step has reached.
    fn arrive(&mut self, run: &mut Integration<'_>) -> Result<Transition, Failure> {
        let _ = run;
        Ok(Transition::Continue)
    }

    /// The step that is wanted where one of length `h` would be good for the motion. Looks as far ahead.
    fn plan(&mut self, run: &mut Integration<'_>, h: f64) -> f64 {
        let _ = run;
        h
    }

    /// Where steps must end at the latest, of what is known after [`plan`](EventSource::plan).
    fn next_time(&self) -> Option<f64> {
        None
    }

    /// A step of length `h` is about to be tried; it may be made shorter.
    fn approach(&mut self, run: &mut Integration<'_>, h: &mut f64) -> Result<Transition, Failure> {
        let _ = (run, h);
        Ok(Transition::Continue)
    }

    /// There is no acceleration at the end of a step of length `h`; somebody may know a way on.
    fn rescue(&mut self, run: &mut Integration<'_>, h: f64) -> Result<Transition, Failure> {
        let _ = (run, h);
        Ok(Transition::Continue)
    }

    /// Whether the dense output of every step is looked at.
    fn looks_inside(&self) -> bool {
        !self.rules().is_empty()
    }

    /// A step of length `h` was made from the state in `run`, its dense output is there; it is not accepted yet.
    fn review(&mut self, run: &mut Integration<'_>, h: f64) -> Result<Transition, Failure> {
        let _ = (run, h);
        Ok(Transition::Continue)
    }

    /// Rules of the functions whose zeros are located in every step. One that stops ends the step.
    fn rules(&self) -> &[EventRule] {
        &[]
    }

    /// Whether these functions are the user's: then there are rows at their zeros.
    fn is_shown(&self) -> bool {
        false
    }

    /// The functions at a time and the state in `run.row`.
    fn guards(&mut self, run: &mut Integration<'_>, t: f64, g: &mut [f64]) {
        let _ = (run, t, g);
    }

    /// Whether the zero of a function changes the state, so that rows at that instant show the state behind it.
    fn acts(&self, index: usize) -> bool {
        let _ = index;
        false
    }

    /// The step has ended at the zeros of functions of this source, at the state in `run`: at least one, more where they
    /// coincide.
    fn fire(&mut self, run: &mut Integration<'_>, hits: &[EventHit]) -> Result<Transition, Failure> {
        let _ = (run, hits);
        Ok(Transition::Continue)
    }

    /// Another source has put a new state into `run`; this is before its derivative is taken.
    fn moved(&mut self, run: &mut Integration<'_>) -> Result<(), Failure> {
        let _ = run;
        Ok(())
    }

    /// A run that cannot go on may have come to something that no step could pass.
    fn blame(&self, run: &Integration<'_>, failure: Failure) -> Failure {
        let _ = run;
        failure
    }
}

/// The sources of a run.
pub(super) type Sources = Vec<Box<dyn EventSource>>;

/// Control that is held: it is computed at intervals and kept in between (zero-order hold).
///
/// Steps end at each of these times. The derivative jumps there and the state does not, and the step goes on as it was: what
/// changes is the input, not the time scale of the motion. Who computes the control is the subject of `controller`.
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
        let before = run.field.controller.at_bound.clone();
        run.field.controller.sample(at, tolerance).map_err(Failure::Acceleration)?;
        let now = run.field.controller.at_bound.clone();
        for (input, (before, now)) in before.into_iter().zip(now).enumerate() {
            if before != now {
                run.observer.saturation(run.t, input, now);
            }
        }
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
