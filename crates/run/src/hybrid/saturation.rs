//! Control inputs that reach their bounds as a source of events: the accelerations have a kink there.
//!
//! The function of an input is its distance from the bounds, of what the requirements demand (`Solution::demand`), with the
//! sign by which it is positive as long as nothing changes. Steps end at its zeros, so that no step lies across a kink.

use super::integration::Integration;
use super::source::{EventSource, Transition};
use super::{Crossing, EventHit, EventRule, Failure};

/// The bounds of control along a run.
pub(super) struct Saturation {
    rules: Vec<EventRule>,
    /// Whether each input is at a bound.
    at_bound: Vec<bool>,
}

impl Saturation {
    /// That of a run whose control has bounds.
    pub fn of(run: &Integration<'_>) -> Option<Self> {
        let count = run.field.shape.n_input;
        let rule = EventRule { crossing: Crossing::Falling, stop: true };
        let own = run.field.steers_itself() && run.field.has_control_bounds();
        own.then(|| Self { rules: vec![rule; count], at_bound: vec![false; count] })
    }

    /// Distance of what is demanded from the bounds at a state; unchanged where there is no acceleration.
    fn distances(run: &mut Integration<'_>, t: f64, y: &[f64], g: &mut [f64]) {
        let _ = run.field.solve(t, y);
        let bounds = run.field.accelerator.control_bounds();
        let demand = &run.field.accelerator.solution().demand;
        for ((g, u), [least, most]) in g.iter_mut().zip(demand).zip(bounds) {
            *g = (u - least).min(most - u);
        }
    }

    /// Notes which inputs are at a bound, and tells what has changed.
    fn note(&mut self, run: &mut Integration<'_>, tell: bool) {
        let (t, y) = (run.t, run.y.clone());
        let mut g = vec![1.0; self.rules.len()];
        Self::distances(run, t, &y, &mut g);
        for (input, g) in g.into_iter().enumerate() {
            let now = g < 0.0;
            if std::mem::replace(&mut self.at_bound[input], now) != now && tell {
                run.observer.saturation(t, input, now);
            }
        }
    }
}

impl EventSource for Saturation {
    fn begin(&mut self, run: &mut Integration<'_>) -> Result<(), Failure> {
        self.note(run, true);
        Ok(())
    }

    fn settle(&mut self, run: &mut Integration<'_>) -> Result<(), Failure> {
        self.note(run, true);
        Ok(())
    }

    fn rules(&self) -> &[EventRule] {
        &self.rules
    }

    fn guards(&mut self, run: &mut Integration<'_>, t: f64, g: &mut [f64]) {
        let row = run.row.clone();
        Self::distances(run, t, &row, g);
        for (g, at_bound) in g.iter_mut().zip(&self.at_bound) {
            *g = if *at_bound { -*g } else { *g };
            *g = if g.is_finite() { *g } else { 1.0 };
        }
    }

    fn fire(&mut self, run: &mut Integration<'_>, hits: &[EventHit]) -> Result<Transition, Failure> {
        for hit in hits {
            self.at_bound[hit.index] = !self.at_bound[hit.index];
            run.observer.saturation(run.t, hit.index, self.at_bound[hit.index]);
        }
        Ok(Transition::Restart { smooth_for: None })
    }
}
