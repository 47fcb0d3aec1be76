//! Rows and events of a step that was accepted.

use super::{Driver, EventHit, Events, Given, Row, Stop, at_work};
use crate::Kernel;
use crate::hybrid::tolerances::{SAME_TIME, STAYS};

/// Gauss-Legendre nodes and weights on (0, 1), five of them: order ten.
const NODES: [(f64, f64); 5] = [
    (0.046_910_077_030_668, 0.118_463_442_528_094_54),
    (0.230_765_344_947_158_45, 0.239_314_335_249_683_23),
    (0.5, 0.284_444_444_444_444_45),
    (0.769_234_655_052_841_5, 0.239_314_335_249_683_23),
    (0.953_089_922_969_332, 0.118_463_442_528_094_54),
];

impl Driver<'_> {
    /// Rows and events inside the step, in the order of the motion.
    pub(super) fn give_out(&mut self, t_new: f64, h: f64) -> Given {
        if self.events.is_empty() {
            self.give_due(t_new, t_new, h);
            self.integrate_to(t_new, t_new, h);
            return Given::All;
        }
        let mut events = std::mem::replace(&mut self.events, Events::new(&[], 0));
        let signs = if self.contacts > 0 { events.mark().0 } else { Vec::new() };
        let t = self.t;
        events.scan(t, h, &mut |theta, g| self.event_values(Some((theta, h)), g));
        if t_new == self.t_end {
            events.close(self.contacts, t, h);
        }
        let mut given = Given::All;
        let (mut reported, mut change) = (0, None);
        for hit in &events.hits {
            self.give_due(hit.t, t_new, h);
            self.integrate_to(hit.t, t_new, h);
            self.dense_row(hit.t, t_new, h);
            if hit.index < self.contacts {
                given = Given::Changed(hit.index);
                change = Some((hit.t - self.t) / h);
            } else {
                let named = EventHit { index: hit.index - self.contacts, ..*hit };
                self.give_row(hit.t, Some(named));
                if !events.stops(hit) {
                    reported += 1;
                    continue;
                }
                given = Given::Stopped(Stop::Event(named));
            }
            self.t = hit.t;
            self.y.copy_from_slice(&self.row);
            break;
        }
        if let Some(theta) = change {
            events.cut(signs, theta, h, reported);
        }
        self.events = events;
        if let Given::All = given {
            self.give_due(t_new, t_new, h);
            self.integrate_to(t_new, t_new, h);
        }
        given
    }

    /// Where contacts have just come to rest: rows of the event functions that have arrived at zero there and stay, which
    /// shows in no change of sign.
    pub(super) fn give_arrivals(&mut self, h: f64) -> Option<Stop> {
        let modes = self.field.kernel.modes();
        if self.events.len() == self.contacts || !(0..self.contacts).any(|k| modes.sticks(k)) {
            return None;
        }
        let mut events = std::mem::replace(&mut self.events, Events::new(&[], 0));
        let count = self.contacts + self.field.shape.n_event;
        let (mut now, mut later) = (vec![0.0; count], vec![0.0; count]);
        let moment = STAYS * self.span();
        for (i, (y, f)) in self.y.iter().zip(&self.f).enumerate() {
            self.row[i] = y + moment * f;
        }
        self.event_values_at(self.t + moment, &mut later);
        self.event_values(None, &mut now);
        let arrived = events.arrivals(self.contacts, self.t, h, &now, &later);
        let mut stop = None;
        for hit in arrived {
            let named = EventHit { index: hit.index - self.contacts, ..hit };
            self.give_row_now(Some(named));
            if events.stops(&hit) {
                stop = Some(Stop::Event(named));
                break;
            }
        }
        self.events = events;
        stop
    }

    /// Carries the integrals along the motion on to a time inside the step.
    fn integrate_to(&mut self, until: f64, t_new: f64, h: f64) {
        let (from, span) = (self.integrated_to, until - self.integrated_to);
        if self.integrals.is_empty() || span == 0.0 {
            return;
        }
        let mut rates = vec![0.0; self.integrals.len()];
        for (node, weight) in NODES {
            let t = from + node * span;
            self.dense_row(t, t_new, h);
            let row = std::mem::take(&mut self.row);
            // Without an acceleration (a rank loss on the way) the last one stands in: an instant has no weight.
            let _ = self.field.report(t, &row);
            let (x, eta) = row.split_at(self.field.shape.n_x);
            let at = crate::Point { t, x, eta };
            self.field.kernel.rates(at, self.field.reported(), &mut self.scratch, &mut rates);
            self.row = row;
            dalembert_linalg::axpy(weight * span, &rates, &mut self.integrals);
        }
        self.integrated_to = until;
    }

    /// Rows due up to `until`, from the dense output.
    pub(super) fn give_due(&mut self, until: f64, t_new: f64, h: f64) {
        while let Some(due) = self.schedule.pop_until(until, SAME_TIME * h.abs()) {
            // The end is given by its step, once.
            if self.schedule.every_step() && (due - t_new).abs() <= SAME_TIME * h.abs() {
                continue;
            }
            self.integrate_to(due, t_new, h);
            self.dense_row(due, t_new, h);
            self.give_row(due, None);
        }
    }

    /// The state at a time inside the step, on the constraints, into `row`.
    pub(super) fn dense_row(&mut self, at: f64, t_new: f64, h: f64) {
        if (at - t_new).abs() <= SAME_TIME * h.abs() {
            self.row.copy_from_slice(&self.y_new);
            return;
        }
        at_work(&mut self.stepper, &mut self.bridge, self.bridging).dense((at - self.t) / h, &mut self.row);
        if self.options.projection {
            // If it cannot be brought there exactly the row is still the best there is; its residual is reported.
            let mut row = std::mem::take(&mut self.row);
            let _ = self.field.project(at, &mut row);
            self.row = row;
        }
    }

    /// Event functions at a fraction of the step, or at the start of it.
    pub(super) fn event_values(&mut self, fraction: Option<(f64, f64)>, g: &mut [f64]) {
        let mut t = self.t;
        match fraction {
            None => self.row.copy_from_slice(&self.y),
            Some((theta, h)) => {
                t = self.t + theta * h;
                self.dense_row(t, self.t + h, h);
            }
        }
        self.event_values_at(t, g);
    }

    /// Event functions at the state in `row`.
    pub(super) fn event_values_at(&mut self, t: f64, g: &mut [f64]) {
        let row = std::mem::take(&mut self.row);
        let (x, eta) = row.split_at(self.field.shape.n_x);
        let at = crate::Point { t, x, eta };
        // Without an acceleration the functions see the last one; they are asked again a little further on.
        let (own, others) = g.split_at_mut(self.contacts);
        if !own.is_empty() {
            if self.field.kernel.stuck_rows() > 0 {
                let _ = self.field.solve(t, &row);
            }
            let solution = self.field.accelerator.solution();
            self.field.kernel.margins(at, solution, &mut self.scratch, own);
        }
        if !others.is_empty() {
            if self.field.kernel.events_need_solution() {
                let _ = self.field.report(t, &row);
            }
            self.field.kernel.events(at, self.field.reported(), &mut self.scratch, others);
        }
        self.row = row;
    }

    pub(super) fn give_row_now(&mut self, event: Option<EventHit>) {
        self.row.copy_from_slice(&self.y);
        self.give_row(self.t, event);
    }

    /// Gives out `row`.
    pub(super) fn give_row(&mut self, t: f64, event: Option<EventHit>) {
        let n_x = self.field.shape.n_x;
        let at = self.field.point(t, &self.row);
        self.field.projector.measure(&self.field.kernel, at);
        let left = self.field.projector.residuals(&self.field.kernel, at);
        let o = &mut self.outcome;
        o.largest_position_residual = o.largest_position_residual.max(left.position);
        o.largest_velocity_residual = o.largest_velocity_residual.max(left.velocity);
        self.last_row = t;
        let inputs = self.field.controller.inputs_at(self.field.point(t, &self.row));
        self.observer.row(Row {
            t,
            x: &self.row[..n_x],
            eta: &self.row[n_x..],
            event,
            modes: self.field.kernel.modes(),
            inputs: &inputs,
            integrals: &self.integrals,
        });
    }
}
