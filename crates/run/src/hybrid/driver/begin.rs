//! The beginning of a run: start on the constraints, rank around it, derivative, first step.

use super::{Driver, Events, Failure, Watch, failure};
use crate::AccelerationError;
use crate::hybrid::rules;
use crate::hybrid::singular_start::{limit_derivative, look_around};
use crate::hybrid::tolerances::{DRIFTING_CONSISTENCY, STATE_CONSISTENCY};
use crate::method::step_size::first_step;
use crate::method::stepper::Field;
use dalembert_linalg::norm_max;

impl Driver<'_> {
    /// Projects the start, finds the rank around it, its derivative and a first step.
    pub(super) fn begin(&mut self) -> Result<(), Failure> {
        let n_x = self.field.shape.n_x;
        if let Some(index) = self.y.iter().position(|v| !v.is_finite()) {
            return Err(Failure::NotFinite { t: self.t, index });
        }
        let (kernel, at) = (&self.field.kernel, self.field.point(self.t, &self.y));
        self.field.projector.hold_invariants(kernel, &self.y[..n_x]);
        self.field.projector.measure(kernel, at);
        self.field.stabilise(self.options.baumgarte);
        if self.options.projection {
            self.field.project(self.t, &mut self.y).map_err(failure)?;
        }
        self.begin_instants();
        self.first_modes()?;
        self.give_row_now(None);
        self.start_derivative()?;
        self.lead_off()?;
        let size = norm_max(&self.y);
        let mut events = std::mem::replace(&mut self.events, Events::new(&[], 0));
        events.begin(|g| self.event_values(None, g), size);
        self.events = events;
        self.events_again();
        self.begin_switches()?;
        self.choose_first_step()
    }

    /// The functions of contacts begin anew, those of events go on.
    pub(super) fn events_again(&mut self) {
        let mut events = std::mem::replace(&mut self.events, Events::new(&[], 0));
        if !events.is_empty() {
            events.resume(self.contacts, |g| self.event_values(None, g));
        }
        self.events = events;
    }

    pub(super) fn start_derivative(&mut self) -> Result<(), Failure> {
        self.field.accelerator.consistency_tol = f64::INFINITY;
        let t = self.t;
        if self.options.singular_care && self.options.projection {
            let around = look_around(&mut self.field, t, &self.y, self.t_end - t).map_err(failure)?;
            self.outcome.generic_rank = around.rank;
            self.watch = Watch::new(around.margin);
            // Redundant rows may agree on the constraints only, so stages are put there, unless some of the rows stand
            // for all.
            self.always_near =
                around.rank < self.field.shape.n_con && !self.stand_by_some_rows(around.degenerate);
            self.field.near = self.always_near;
            if around.degenerate {
                let (rank, generic_rank) = (around.rank_at_start, around.rank);
                match self.check_state(t) {
                    // Speeds that belong to none of the branches that meet there.
                    Err(Failure::Acceleration(AccelerationError::Inconsistent { .. }))
                        if rank < generic_rank =>
                    {
                        return Err(Failure::DegenerateStart { t, rank, generic_rank });
                    }
                    checked => checked?,
                }
                let still = self.f[..self.field.shape.n_x].iter().all(|v| *v == 0.0);
                if still && around.fork {
                    return Err(Failure::DegenerateStart { t, rank, generic_rank });
                }
                if let Some((f, away)) = limit_derivative(&mut self.field, t, &self.y, around.margin) {
                    (self.f, self.away) = (f, Some(away * self.span().signum()));
                    (self.field.near, self.margin, self.outcome.degenerate_start) = (true, 0.0, true);
                    return Ok(());
                }
                // A start that is only ill-conditioned still has an acceleration of its own.
                if rank < generic_rank {
                    return Err(Failure::DegenerateStart { t, rank, generic_rank });
                }
            }
        }
        self.check_state(t)?;
        self.outcome.generic_rank = self.outcome.generic_rank.max(self.field.accelerator.solution().rank);
        self.watch.reference = self.watch.reference.min(1.0).max(self.margin);
        Ok(())
    }

    /// Of a redundant set that keeps its rank, the kernel may solve some rows only: then stages need not lie on the
    /// constraints. The margin is that of these rows from now on.
    fn stand_by_some_rows(&mut self, degenerate: bool) -> bool {
        if !self.field.accelerator.quick_stands_for_more(&self.field.kernel) {
            return false;
        }
        let trusted = !degenerate && self.field.margin_of_some_rows(self.t, &self.y);
        if trusted {
            self.field.by_some_rows = true;
            self.watch = Watch::new(self.field.margin());
        } else {
            self.field.accelerator.forget_quick();
        }
        trusted
    }

    /// The derivative at (t, y), where the rows must be consistent (U6).
    pub(super) fn check_state(&mut self, t: f64) -> Result<(), Failure> {
        self.field.accelerator.consistency_tol = self.state_tolerance();
        let result = self.field.eval(t, &self.y, &mut self.f);
        self.field.accelerator.consistency_tol = f64::INFINITY;
        self.margin = self.field.margin();
        result.map_err(failure)
    }

    /// Stages lie off the constraints, so rows that are redundant on them disagree there; states do not.
    pub(super) fn state_tolerance(&self) -> f64 {
        if self.options.projection { STATE_CONSISTENCY } else { DRIFTING_CONSISTENCY }
    }

    pub(super) fn choose_first_step(&mut self) -> Result<(), Failure> {
        let span = self.span();
        let wanted = if self.stepper.fixed() {
            Some(rules::fixed_step(self.options.fixed_step, &self.options.output, span))
        } else {
            self.options.h_initial
        };
        self.h = match wanted {
            Some(h) if h.is_finite() && h != 0.0 => h.abs() * span.signum(),
            Some(_) => return Err(Failure::BadArguments { what: "step" }),
            None if span == 0.0 => 0.0,
            None => self.estimate_first_step(span),
        };
        Ok(())
    }

    /// A first step of a motion that is smooth for a time `span`.
    pub(super) fn estimate_first_step(&mut self, span: f64) -> f64 {
        let exponent = self.stepper.exponent();
        let suggested = first_step(&mut self.field, self.t, &self.y, &self.f, span, exponent, self.tol);
        rules::first_step(suggested.ok(), span, self.span())
    }
}
