//! Switches of time along a run: a step ends at each, and the next one begins on the other side of it.
//!
//! At the instant itself an expression has one of its two values. So derivatives are not taken there but some roundings of
//! time away from it, before it by the step that ends there, behind it by the next (`RightHandSide::stretch`): no stage sees
//! the other side, whichever way a comparison is written. Times of steps, rows and events are not changed by that.
//! Checked by `tests/it/time_switches.rs` here and in the facade.

use super::{Driver, Failure, Options};
use crate::hybrid::right_hand_side::RightHandSide;
use crate::hybrid::time_events::{TimeEvent, TimeEvents};
use crate::hybrid::tolerances::SLIVER;
use crate::method::step_size::StepSizeControl;

/// Watch over the switches of time, if there are any. Variational methods keep their steps.
pub(super) fn watch(field: &RightHandSide<'_>, t: f64, t_end: f64, options: &Options) -> Option<TimeEvents> {
    let grain = options.h_min_relative * t.abs().max(t_end.abs()).max((t_end - t).abs());
    let cut = field.shape.n_time_switch > 0 && !options.method.is_variational();
    if cut { TimeEvents::new(&field.kernel, t, t_end, grain) } else { None }
}

impl Driver<'_> {
    /// The motion begins behind the switches at its start.
    pub(super) fn begin_instants(&mut self) {
        if let Some(instants) = &mut self.instants {
            let behind = instants.begin(&self.field.kernel);
            self.stretch_from(behind);
        }
    }

    /// At an instant: the derivative of its other side, and a step as at a start.
    pub(super) fn pass_instants(&mut self) -> Result<(), Failure> {
        let Some(instants) = &mut self.instants else { return Ok(()) };
        let mut passed: Option<TimeEvent> = None;
        while let Some(instant) = instants.take(self.t) {
            passed = Some(instant);
        }
        let Some(instant) = passed else { return Ok(()) };
        self.stretch_from(instant.behind);
        self.stepper.interrupted();
        self.check_state(self.t)?;
        self.events_again();
        if !self.stepper.fixed() {
            self.look_for_instants(self.h);
            self.control = StepSizeControl::new(self.stepper.exponent(), self.stepper.least_growth());
            self.h = self.estimate_first_step(self.smooth_span());
        }
        Ok(())
    }

    /// Looks ahead of a step of length h; returns the step that is wanted.
    pub(super) fn look_for_instants(&mut self, h: f64) -> f64 {
        let Some(instants) = &mut self.instants else { return h };
        instants.look(&self.field.kernel, self.t, h);
        if let Some(next) = instants.found() {
            let far = if instants.direction() > 0.0 { 1 } else { 0 };
            self.field.stretch[far] = next.before;
        }
        if self.stepper.fixed() { self.after_a_cut(h) } else { h }
    }

    /// Fixed steps end where they would without switches: what is left of a step that was cut comes first.
    fn after_a_cut(&mut self, h: f64) -> f64 {
        let Some(instants) = &self.instants else { return h };
        let direction = instants.direction();
        let rest = self.cut_short.map(|end| end - self.t).filter(|rest| rest * direction > SLIVER * h.abs());
        let step = rest.unwrap_or(h);
        let end = self.t + step;
        let cut = instants.found().is_some_and(|next| (end - next.at) * direction > SLIVER * h.abs());
        self.cut_short = cut.then_some(end);
        step
    }

    /// The time up to where steps must end, instants aside that are not looked for yet.
    fn smooth_span(&self) -> f64 {
        let found = self.instants.as_ref().and_then(TimeEvents::found);
        let end = found.map_or(self.t_end, |next| next.at);
        if (end - self.t_end) * self.span() > 0.0 { self.t_end - self.t } else { end - self.t }
    }

    /// Derivatives are those behind this time, up to the next instant.
    fn stretch_from(&mut self, behind: f64) {
        let (near, far) = if self.span() > 0.0 { (0, 1) } else { (1, 0) };
        self.field.stretch[near] = behind;
        self.field.stretch[far] = f64::INFINITY * self.span().signum();
    }
}
