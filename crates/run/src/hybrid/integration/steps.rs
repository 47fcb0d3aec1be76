//! Steps of a motion: tried, reviewed near losses of rank, refused, rejected or finished.

use super::{Integration, failure};
use crate::constraint::singular::{Verdict, Watch};
use crate::hybrid::Failure;
use crate::hybrid::rules;
use crate::hybrid::tolerances::KEPT_BY_STEP;
use crate::method::stepper::{Attempt, Estimated, EvalError, Field, StepError};
use crate::method::tolerances::NOT_TRIED;
use dalembert_linalg::norm_max;

impl Integration<'_> {
    /// Chooses the method, and forgets blind places that are passed; returns the step that the motion allows.
    pub fn begin_step(&mut self) -> f64 {
        if let Some(blind) = self.blind
            && !((blind - self.t) * (self.t_end - self.t).signum() > self.smallest_step())
        {
            self.blind = None;
        }
        self.methods.choose(self.field.near, self.margin, &self.watch, self.t)
    }

    /// Where steps end that must not pass any of these times, nor a blind place.
    pub fn set_target(&mut self, times: impl Iterator<Item = f64>) {
        let direction = self.span().signum();
        let first = |target: f64, stop: f64| if (stop - target) * direction < 0.0 { stop } else { target };
        self.target = times.chain(self.blind).fold(self.t_end, first);
    }

    /// The step to try where one of length `h` is wanted: up to the target, and clear of losses of rank.
    pub fn fit_step(&mut self, h: f64) -> f64 {
        let left = self.target - self.t;
        let largest = self.options.h_max.map_or(f64::INFINITY, f64::abs).min(left.abs());
        let gaps = self.methods.at_work_ref().gaps();
        self.watch.plan(self.t, h.abs().min(largest) * left.signum(), gaps)
    }

    /// Tries a step until the review near losses of rank is content; `None` if it was rejected.
    pub fn attempt(&mut self, mut h: f64) -> Result<Option<(f64, Estimated)>, Failure> {
        loop {
            h = rules::fit_step(h, self.target - self.t);
            self.check_step(h)?;
            self.attempts += 1;
            self.field.samples.clear();
            let at = Attempt { t: self.t, h, y: &self.y, f: &self.f, tol: self.tol };
            let estimated = match self.methods.at_work().step(&mut self.field, at, &mut self.y_new) {
                Ok(estimated) => estimated,
                Err(error) => return self.refuse(h, error).map(|()| None),
            };
            match self.review(h) {
                Verdict::Good => {
                    if estimated.error <= 1.0 {
                        return Ok(Some((h, estimated)));
                    }
                    return self.reject(h, estimated).map(|()| None);
                }
                Verdict::Near => self.field.near = true,
                Verdict::Move(other) => h = other,
            }
            self.field.counters.singular_retries += 1;
        }
    }

    fn review(&mut self, h: f64) -> Verdict {
        let careless = !(self.options.singular_care && self.options.projection);
        if careless || self.field.shape.n_con == 0 || self.methods.asked.keeps_constraints() {
            return Verdict::Good;
        }
        let (near, gaps) = (self.field.near, self.methods.at_work_ref().gaps());
        self.watch.review(near, self.t, h, gaps, self.margin, &mut self.field.samples)
    }

    fn check_step(&mut self, h: f64) -> Result<(), Failure> {
        let (t, steps) = (self.t, self.attempts);
        if steps >= self.options.max_steps {
            return Err(Failure::TooManySteps { t, steps });
        }
        if self.patrol.stands_still(steps, t, self.span()) {
            return Err(Failure::StepTooSmall { t, h, fastest: self.fastest() });
        }
        if rules::too_small(t, h, self.target - t, self.smallest_step()) {
            let fastest = self.fastest();
            return Err(self.last_error.take().map_or(Failure::StepTooSmall { t, h, fastest }, failure));
        }
        Ok(())
    }

    /// The component that changes fastest in units of its tolerance.
    fn fastest(&self) -> usize {
        self.tol.norm(self.f.iter().copied(), &self.y, &self.y).1
    }

    /// A step that could not be tried.
    pub fn refuse(&mut self, h: f64, error: StepError) -> Result<(), Failure> {
        self.field.counters.rejected += 1;
        if let StepError::Unresolved { at } = error {
            self.blind = Some(self.t + at * h);
        }
        if self.methods.shorten_bridge(NOT_TRIED * h) {
            return Ok(());
        }
        match error {
            StepError::Eval(error) if self.methods.fixed() => return Err(failure(error)),
            _ if self.methods.fixed() => return Err(Failure::StepNotSolved { t: self.t, h }),
            StepError::Eval(error) => self.last_error = Some(error),
            StepError::Newton | StepError::Unresolved { .. } => {}
        }
        self.methods.rejected(h, f64::INFINITY);
        self.methods.h = NOT_TRIED * h;
        Ok(())
    }

    fn reject(&mut self, h: f64, estimated: Estimated) -> Result<(), Failure> {
        if self.methods.fixed() {
            return Err(Failure::NotFinite { t: self.t + h, index: estimated.worst });
        }
        self.field.counters.rejected += 1;
        self.last_error = None;
        let bridging = self.methods.rejected(h, estimated.error);
        let h = self.methods.h;
        if bridging || h.abs() > self.smallest_step() {
            return Ok(());
        }
        let t = self.t;
        Err(match self.y_new.iter().position(|v| !v.is_finite()) {
            Some(index) => Failure::NotFinite { t, index },
            None => Failure::StepTooSmall { t, h, fastest: estimated.worst },
        })
    }

    /// Projection and derivative at the end of the step. The derivative of the last stage is reused if the projection
    /// left the state alone.
    pub fn end_of_step(&mut self, t_new: f64) -> Result<(), EvalError> {
        let samples = self.field.samples.len();
        let project = self.options.projection && !self.methods.asked.keeps_constraints();
        let moved = project && self.field.project(t_new, &mut self.y_new)?;
        match self.methods.at_work_ref().end_derivative() {
            Some(f) if !moved => self.f_new.copy_from_slice(f),
            _ => {
                self.field.accelerator.consistency_tol = self.state_tolerance();
                let result = self.field.eval(t_new, &self.y_new, &mut self.f_new);
                let result = result.and_then(|()| self.field.check_other_rows(t_new, &self.y_new));
                self.field.accelerator.consistency_tol = f64::INFINITY;
                result?;
            }
        }
        self.field.samples.truncate(samples);
        self.field.update_references(t_new - self.t, &self.y_new, &self.f_new);
        Ok(())
    }

    /// Whether a step that should end on the constraints by itself does not: rows may have become independent on the way.
    pub fn leaves_constraints(&mut self, t_new: f64) -> bool {
        if self.field.shape.n_con == 0 || !self.methods.asked.keeps_constraints() {
            return false;
        }
        let at = self.field.point(t_new, &self.y_new);
        self.field.projector.measure(&self.field.kernel, at);
        let left = self.field.projector.residuals(&self.field.kernel, at);
        !(left.position <= KEPT_BY_STEP && left.velocity <= KEPT_BY_STEP)
    }

    /// The rows that stood for a redundant set may do so no longer: all of them from now on, with stages on the
    /// constraints.
    pub fn check_rows(&mut self) {
        if !self.field.outgrown {
            return;
        }
        self.field.accelerator.forget_fused();
        (self.field.by_some_rows, self.field.outgrown) = (false, false);
        (self.field.near, self.always_near) = (true, true);
        self.watch = Watch::new(self.field.margin());
    }

    /// Makes ready for states inside the step.
    pub fn prepare_dense(&mut self, h: f64) -> Result<(), StepError> {
        let samples = self.field.samples.len();
        let at = Attempt { t: self.t, h, y: &self.y, f: &self.f, tol: self.tol };
        self.methods.at_work().prepare_dense(&mut self.field, at, &self.y_new, &self.f_new)?;
        (self.dense_step, self.has_dense) = (Some((self.t, h)), true);
        self.field.samples.truncate(samples);
        Ok(())
    }

    /// Counters, margins and the next step size.
    pub fn finish_step(&mut self, t_new: f64, h: f64, estimated: Estimated, margin: f64) {
        self.field.counters.steps += 1;
        self.last_error = None;
        self.margin = margin;
        self.outcome.smallest_margin = self.outcome.smallest_margin.min(margin);
        self.watch.reference = self.watch.reference.max(margin);
        self.field.counters.rank_crossings += usize::from(self.watch.accepted(t_new, h));
        if self.field.near && !self.always_near && self.watch.clear(&self.field.samples) {
            self.field.near = false;
        }
        self.methods.accepted(h, estimated.error);
        if self.field.shape.n_contact > 0 {
            self.top_speed = self.top_speed.max(norm_max(&self.y_new[self.field.shape.n_x..]));
        }
    }

    /// The end of the step is the state reached.
    pub fn move_on(&mut self, t_new: f64) {
        if self.follower.is_some() {
            self.follow_to(t_new);
        }
        self.dense_step = None;
        self.t = t_new;
        std::mem::swap(&mut self.y, &mut self.y_new);
        std::mem::swap(&mut self.f, &mut self.f_new);
    }
}
