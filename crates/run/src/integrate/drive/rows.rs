//! Rows and events of a step that was accepted.

use super::{Drive, EventHit, Events, Row, Stop, at_work};

impl Drive<'_> {
    /// Rows and events inside the step, in the order of the motion.
    pub(super) fn give_out(&mut self, t_new: f64, h: f64) -> Option<Stop> {
        let mut events = std::mem::replace(&mut self.events, Events::new(&[], 0));
        if !events.is_empty() {
            let t = self.t;
            events.scan(t, h, &mut |theta, g| self.event_values(Some((theta, h)), g));
        }
        let mut stop = None;
        for hit in &events.hits {
            self.give_due(hit.t, t_new, h);
            self.dense_row(hit.t, t_new, h);
            self.give_row(hit.t, Some(*hit));
            if events.stops(hit) {
                self.t = hit.t;
                self.y.copy_from_slice(&self.row);
                stop = Some(Stop::Event(*hit));
                break;
            }
        }
        self.events = events;
        if stop.is_none() {
            self.give_due(t_new, t_new, h);
        }
        stop
    }

    /// Rows due up to `until`, from the dense output.
    pub(super) fn give_due(&mut self, until: f64, t_new: f64, h: f64) {
        while let Some(due) = self.schedule.pop_until(until, 1e-12 * h.abs()) {
            // The end is given by its step, once.
            if self.schedule.every_step() && (due - t_new).abs() <= 1e-12 * h.abs() {
                continue;
            }
            self.dense_row(due, t_new, h);
            self.give_row(due, None);
        }
    }

    /// The state at a time inside the step, on the constraints, into `row`.
    pub(super) fn dense_row(&mut self, at: f64, t_new: f64, h: f64) {
        if (at - t_new).abs() <= 1e-12 * h.abs() {
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
        let kernel = self.field.kernel;
        if kernel.events_need_solution() {
            // Without an acceleration the functions see the last one; they are asked again a little further on.
            let _ = self.field.accelerator.solve(kernel, self.field.point(t, &self.row));
        }
        kernel.events(
            self.field.point(t, &self.row),
            self.field.accelerator.solution(),
            &mut self.scratch,
            g,
        );
    }

    pub(super) fn give_row_now(&mut self, event: Option<EventHit>) {
        self.row.copy_from_slice(&self.y);
        self.give_row(self.t, event);
    }

    /// Gives out `row`.
    pub(super) fn give_row(&mut self, t: f64, event: Option<EventHit>) {
        let n_x = self.field.shape.n_x;
        let at = self.field.point(t, &self.row);
        self.field.projector.measure(self.field.kernel, at);
        let left = self.field.projector.residuals(self.field.kernel, at);
        let o = &mut self.outcome;
        o.largest_position_residual = o.largest_position_residual.max(left.position);
        o.largest_velocity_residual = o.largest_velocity_residual.max(left.velocity);
        self.last_row = t;
        self.observer.row(Row { t, x: &self.row[..n_x], eta: &self.row[n_x..], event });
    }
}
