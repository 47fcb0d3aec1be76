//! The loop that moves a state: choose a step, try it, review it, accept it, give out rows.

use super::control::{Control, first_step};
use super::events::Events;
use super::explicit::{Explicit, Kind};
use super::field::KernelField;
use super::outset::{limit_derivative, look_around};
use super::radau::Radau;
use super::schedule::Schedule;
use super::singular::{BRIDGE, Verdict, Watch};
use super::stepper::{Attempt, Estimated, EvalError, Field, StepError, Stepper, Tolerance};
use super::{EventHit, Failure, Flow, Method, Observer, Options, Outcome, Output, Progress, Row, Stop};
use crate::linalg::norm_max;
use crate::{CONSISTENCY_TOL, Kernel, State};

/// Everything a run needs, sized once.
pub(super) struct Drive<'a> {
    field: KernelField<'a>,
    stepper: Box<dyn Stepper>,
    /// The long-stepping method for passing a rank loss, for methods that need it (see `singular`), with its own step.
    bridge: Option<Explicit>,
    bridge_control: Control,
    bridge_h: f64,
    /// Whether it is at work, and whether it has turned out to be no help here (a stiff system).
    bridging: bool,
    bridge_off: bool,
    /// First step from a degenerate start, taken by the bridge where there is one.
    away: Option<f64>,
    always_near: bool,
    options: &'a Options,
    observer: &'a mut dyn Observer,
    control: Control,
    watch: Watch,
    events: Events,
    schedule: Schedule,
    tol: Tolerance,
    t: f64,
    y: Vec<f64>,
    f: Vec<f64>,
    /// Margin at (t, y); 0 where the derivative was taken as a limit.
    margin: f64,
    h: f64,
    y_new: Vec<f64>,
    f_new: Vec<f64>,
    row: Vec<f64>,
    scratch: Vec<f64>,
    t_start: f64,
    t_end: f64,
    last_row: f64,
    attempts: usize,
    last_error: Option<EvalError>,
    outcome: Outcome,
}

impl<'a> Drive<'a> {
    pub fn new(kernel: &'a dyn Kernel, start: &State, t_end: f64, options: &'a Options, observer: &'a mut dyn Observer) -> Self {
        let field = KernelField::new(kernel);
        let d = field.dim();
        let stepper: Box<dyn Stepper> = match options.method {
            Method::Dop853 => Box::new(Explicit::new(Kind::Dop853, d)),
            Method::Tsit5 => Box::new(Explicit::new(Kind::Tsit5, d)),
            Method::Rk4 => Box::new(Explicit::new(Kind::Rk4, d)),
            Method::Radau => Box::new(Radau::new(d)),
        };
        let y: Vec<f64> = start.x.iter().chain(&start.eta).copied().collect();
        Self {
            control: Control::new(stepper.exponent(), stepper.least_growth()),
            watch: Watch::new(1.0),
            events: Events::new(&options.events, field.shape.n_event),
            schedule: Schedule::new(&options.output, start.t, t_end),
            tol: Tolerance { rtol: options.rtol, atol: options.atol },
            t: start.t,
            y,
            f: vec![0.0; d],
            margin: 1.0,
            h: 0.0,
            y_new: vec![0.0; d],
            f_new: vec![0.0; d],
            row: vec![0.0; d],
            scratch: vec![0.0; kernel.scratch_len()],
            t_start: start.t,
            t_end,
            last_row: f64::NAN,
            attempts: 0,
            last_error: None,
            outcome: Outcome {
                stop: Stop::EndTime,
                counters: Default::default(),
                largest_position_residual: 0.0,
                largest_velocity_residual: 0.0,
                smallest_margin: 1.0,
                generic_rank: 0,
                degenerate_start: false,
                state: start.clone(),
            },
            bridge: matches!(options.method, Method::Tsit5 | Method::Radau).then(|| Explicit::new(Kind::Dop853, d)),
            bridge_control: Control::new(8.0, 1.0),
            bridge_h: 0.0,
            bridging: false,
            bridge_off: false,
            away: None,
            always_near: false,
            field,
            stepper,
            options,
            observer,
        }
    }

    /// Runs to a stop.
    pub fn run(mut self) -> Outcome {
        let stop = match self.begin() {
            Ok(()) => loop {
                match self.advance() {
                    Ok(None) => {}
                    Ok(Some(stop)) => break stop,
                    Err(failure) => break Stop::Failed(failure),
                }
            },
            Err(failure) => Stop::Failed(failure),
        };
        self.finish(stop)
    }

    fn finish(mut self, stop: Stop) -> Outcome {
        if self.last_row != self.t {
            self.give_row_now(None);
        }
        let n_x = self.field.shape.n_x;
        self.outcome.state = State::new(self.t, &self.y[..n_x], &self.y[n_x..]);
        self.outcome.counters = self.field.counters;
        self.outcome.stop = stop;
        self.outcome
    }

    fn span(&self) -> f64 {
        self.t_end - self.t_start
    }

    /// Projects the start, finds the rank around it, its derivative and a first step.
    fn begin(&mut self) -> Result<(), Failure> {
        let (kernel, n_x) = (self.field.kernel, self.field.shape.n_x);
        if let Some(index) = self.y.iter().position(|v| !v.is_finite()) {
            return Err(Failure::NotFinite { t: self.t, index });
        }
        self.field.projector.hold_invariants(kernel, &self.y[..n_x]);
        self.field.projector.measure(kernel, self.field.point(self.t, &self.y));
        self.field.accelerator.baumgarte = self.options.baumgarte;
        if self.options.projection {
            self.field.project(self.t, &mut self.y).map_err(failure)?;
        }
        self.give_row_now(None);
        self.start_derivative()?;
        let size = norm_max(&self.y);
        let mut events = std::mem::replace(&mut self.events, Events::new(&[], 0));
        events.begin(|g| self.event_values(None, g), size);
        self.events = events;
        self.choose_first_step()
    }

    fn start_derivative(&mut self) -> Result<(), Failure> {
        self.field.accelerator.consistency_tol = f64::INFINITY;
        let t = self.t;
        if self.options.singular_care && self.options.projection {
            let around = look_around(&mut self.field, t, &self.y).map_err(failure)?;
            self.outcome.generic_rank = around.rank;
            self.watch = Watch::new(around.margin);
            // Redundant rows may agree on the constraints only, so stages are put there.
            self.always_near = around.rank < self.field.shape.n_con;
            self.field.near = self.always_near;
            if around.degenerate {
                self.check_state(t)?;
                let unknown =
                    Failure::DegenerateStart { t, rank: around.rank_at_start, generic_rank: around.rank };
                let (f, away) = limit_derivative(&mut self.field, t, &self.y, around.margin).ok_or(unknown)?;
                (self.f, self.away) = (f, Some(away * self.span().signum()));
                (self.field.near, self.margin, self.outcome.degenerate_start) = (true, 0.0, true);
                return Ok(());
            }
        }
        self.check_state(t)?;
        self.outcome.generic_rank = self.outcome.generic_rank.max(self.field.accelerator.solution().rank);
        self.watch.reference = self.watch.reference.min(1.0).max(self.margin);
        Ok(())
    }

    /// The derivative at (t, y), where the rows must be consistent (U6).
    fn check_state(&mut self, t: f64) -> Result<(), Failure> {
        self.field.accelerator.consistency_tol = self.state_tolerance();
        let result = self.field.eval(t, &self.y, &mut self.f);
        self.field.accelerator.consistency_tol = f64::INFINITY;
        self.margin = self.field.margin();
        result.map_err(failure)
    }

    /// Stages lie off the constraints, so rows that are redundant on them disagree there; states do not.
    fn state_tolerance(&self) -> f64 {
        if self.options.projection { 10.0 * CONSISTENCY_TOL } else { 1e-2 }
    }

    fn choose_first_step(&mut self) -> Result<(), Failure> {
        let span = self.span();
        let wanted = if self.stepper.fixed() {
            let interval = match self.options.output {
                Output::Every(interval) | Output::StepsAndEvery(interval) if interval > 0.0 => interval,
                _ => span.abs() / 1000.0,
            };
            Some(self.options.fixed_step.unwrap_or(interval))
        } else {
            self.options.h_initial
        };
        self.h = match wanted {
            Some(h) if h.is_finite() && h != 0.0 => h.abs() * span.signum(),
            Some(_) => return Err(Failure::BadArguments { what: "step" }),
            None if span == 0.0 => 0.0,
            None => {
                let exponent = self.stepper.exponent();
                first_step(&mut self.field, self.t, &self.y, &self.f, span, exponent, self.tol).unwrap_or(1e-6 * span)
            }
        };
        Ok(())
    }

    /// One accepted step, or a rejection, or the end.
    fn advance(&mut self) -> Result<Option<Stop>, Failure> {
        let left = self.t_end - self.t;
        if left == 0.0 || left * self.span() <= 0.0 {
            return Ok(Some(Stop::EndTime));
        }
        let largest = self.options.h_max.map_or(f64::INFINITY, f64::abs).min(left.abs());
        self.choose_method();
        let wanted = if self.bridging { self.bridge_h } else { self.h };
        let gaps = at_work(&mut self.stepper, &mut self.bridge, self.bridging).gaps();
        let h = self.watch.plan(self.t, wanted.abs().min(largest) * left.signum(), gaps);
        match self.attempt(h)? {
            None => Ok(None),
            Some((h, estimated)) => self.accept(h, estimated),
        }
    }

    /// Hands over to the bridge close to a rank loss, and back.
    fn choose_method(&mut self) {
        let Some(bridge) = &self.bridge else { return };
        let limit = if self.bridging { 1.5 * BRIDGE } else { BRIDGE };
        let close = self.field.near && self.margin < limit * self.watch.reference;
        if !close {
            self.bridge_off = false;
        }
        let wanted = close && !self.bridge_off;
        if wanted && !self.bridging {
            // As far beyond the rank loss as it is away, if that is known.
            let over = self.watch.ahead(self.t).map(|ahead| ahead / bridge.gaps()[0].middle);
            self.bridge_h = self.away.take().or(over).unwrap_or(4.0 * self.h);
            self.bridge_control = Control::new(bridge.exponent(), 1.0);
        }
        if self.bridging && !wanted {
            self.stepper.interrupted();
        }
        self.bridging = wanted;
    }

    /// Tries a step until singular review is content; `None` if it was rejected.
    fn attempt(&mut self, mut h: f64) -> Result<Option<(f64, Estimated)>, Failure> {
        loop {
            let left = self.t_end - self.t;
            // The last step ends exactly at the end; no sliver is left behind.
            if (left - h).abs() < 1e-10 * h.abs() || h.abs() > left.abs() {
                h = left;
            }
            self.check_step(h)?;
            self.attempts += 1;
            self.field.samples.clear();
            let at = Attempt { t: self.t, h, y: &self.y, f: &self.f, tol: self.tol };
            let stepper = at_work(&mut self.stepper, &mut self.bridge, self.bridging);
            let estimated = match stepper.step(&mut self.field, at, &mut self.y_new) {
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
        if !(self.options.singular_care && self.options.projection) || self.field.shape.n_con == 0 {
            return Verdict::Good;
        }
        let (near, gaps) = (self.field.near, at_work(&mut self.stepper, &mut self.bridge, self.bridging).gaps());
        self.watch.review(near, self.t, h, gaps, self.margin, &mut self.field.samples)
    }

    fn smallest_step(&self) -> f64 {
        self.options.h_min_relative * self.t.abs().max(self.span().abs())
    }

    fn check_step(&mut self, h: f64) -> Result<(), Failure> {
        let (t, steps) = (self.t, self.attempts);
        if steps >= self.options.max_steps {
            return Err(Failure::TooManySteps { t, steps });
        }
        let last_sliver = (self.t_end - t).abs() <= self.smallest_step();
        if !(h.abs() > self.smallest_step() || last_sliver) || t + h == t {
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
    fn refuse(&mut self, h: f64, error: StepError) -> Result<(), Failure> {
        self.field.counters.rejected += 1;
        if self.bridging {
            self.shorten_bridge(0.4 * h);
            return Ok(());
        }
        if let StepError::Eval(error) = error {
            if self.stepper.fixed() {
                return Err(failure(error));
            }
            self.last_error = Some(error);
        }
        self.control.rejected(f64::INFINITY);
        self.h = 0.4 * h;
        Ok(())
    }

    fn shorten_bridge(&mut self, h: f64) {
        self.bridge_h = h;
        self.bridge_off = h.abs() < self.h.abs();
    }

    fn reject(&mut self, h: f64, estimated: Estimated) -> Result<(), Failure> {
        if self.stepper.fixed() {
            return Err(Failure::NotFinite { t: self.t + h, index: estimated.worst });
        }
        self.field.counters.rejected += 1;
        self.last_error = None;
        if self.bridging {
            let factor = self.bridge_control.rejected(estimated.error);
            self.shorten_bridge(h * factor);
            return Ok(());
        }
        self.h = h * self.control.rejected(estimated.error);
        if self.h.abs() <= self.smallest_step() {
            let t = self.t;
            return Err(match self.y_new.iter().position(|v| !v.is_finite()) {
                Some(index) => Failure::NotFinite { t, index },
                None => Failure::StepTooSmall { t, h: self.h, fastest: estimated.worst },
            });
        }
        Ok(())
    }

    /// Projects the end of the step, takes its derivative, gives out rows and events, and moves on.
    fn accept(&mut self, h: f64, estimated: Estimated) -> Result<Option<Stop>, Failure> {
        let t_new = if h == self.t_end - self.t { self.t_end } else { self.t + h };
        let samples = self.field.samples.len();
        if let Err(error) = self.end_of_step(t_new) {
            return self.end_failed(h, error).map(|()| None);
        }
        let margin = self.field.margin();
        let at = Attempt { t: self.t, h, y: &self.y, f: &self.f, tol: self.tol };
        let stepper = at_work(&mut self.stepper, &mut self.bridge, self.bridging);
        stepper.accepted(h);
        let due = self.schedule.peek().is_some_and(|due| (due - t_new) * h <= 0.0);
        if due || !self.events.is_empty() {
            if let Err(error) = stepper.prepare_dense(&mut self.field, at, &self.y_new, &self.f_new) {
                return self.refuse(h, error).map(|()| None);
            }
        }
        self.field.samples.truncate(samples);
        self.settle(t_new, h, estimated, margin);
        let stop = self.give_out(t_new, h);
        if stop.is_some() {
            return Ok(stop);
        }
        self.t = t_new;
        std::mem::swap(&mut self.y, &mut self.y_new);
        std::mem::swap(&mut self.f, &mut self.f_new);
        if self.schedule.every_step() {
            self.give_row_now(None);
        }
        let progress = Progress { t: t_new, h, counters: self.field.counters };
        Ok((self.observer.progress(&progress) == Flow::Cancel).then_some(Stop::Cancelled))
    }

    /// Projection and derivative at the end of the step. The derivative of the last stage is reused if the projection
    /// left the state alone.
    fn end_of_step(&mut self, t_new: f64) -> Result<(), EvalError> {
        let moved = self.options.projection && self.field.project(t_new, &mut self.y_new)?;
        match at_work(&mut self.stepper, &mut self.bridge, self.bridging).end_derivative() {
            Some(f) if !moved => self.f_new.copy_from_slice(f),
            _ => {
                self.field.accelerator.consistency_tol = self.state_tolerance();
                let result = self.field.eval(t_new, &self.y_new, &mut self.f_new);
                self.field.accelerator.consistency_tol = f64::INFINITY;
                result?;
            }
        }
        self.field.accelerator.factor.remember();
        Ok(())
    }

    fn end_failed(&mut self, h: f64, error: EvalError) -> Result<(), Failure> {
        // Rows that contradict each other on the constraints will do so at any step size.
        if let EvalError::Acceleration(crate::AccelerationError::Inconsistent { .. }) = error {
            return Err(failure(error));
        }
        self.refuse(h, StepError::Eval(error))
    }

    /// Counters, margins and the next step size.
    fn settle(&mut self, t_new: f64, h: f64, estimated: Estimated, margin: f64) {
        self.field.counters.steps += 1;
        self.last_error = None;
        self.margin = margin;
        self.outcome.smallest_margin = self.outcome.smallest_margin.min(margin);
        self.watch.reference = self.watch.reference.max(margin);
        self.field.counters.rank_crossings += usize::from(self.watch.accepted(t_new, h));
        if self.field.near && !self.always_near && self.watch.clear(&self.field.samples) {
            self.field.near = false;
        }
        if self.bridging {
            self.bridge_h = h * self.bridge_control.accepted(estimated.error);
        } else if !self.stepper.fixed() {
            self.h = h * self.control.accepted(estimated.error);
        }
    }

    /// Rows and events inside the step, in the order of the motion.
    fn give_out(&mut self, t_new: f64, h: f64) -> Option<Stop> {
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
    fn give_due(&mut self, until: f64, t_new: f64, h: f64) {
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
    fn dense_row(&mut self, at: f64, t_new: f64, h: f64) {
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
    fn event_values(&mut self, fraction: Option<(f64, f64)>, g: &mut [f64]) {
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
        kernel.events(self.field.point(t, &self.row), self.field.accelerator.solution(), &mut self.scratch, g);
    }

    fn give_row_now(&mut self, event: Option<EventHit>) {
        self.row.copy_from_slice(&self.y);
        self.give_row(self.t, event);
    }

    /// Gives out `row`.
    fn give_row(&mut self, t: f64, event: Option<EventHit>) {
        let n_x = self.field.shape.n_x;
        let left = self.field.projector.residuals(self.field.kernel, self.field.point(t, &self.row));
        let o = &mut self.outcome;
        o.largest_position_residual = o.largest_position_residual.max(left.position);
        o.largest_velocity_residual = o.largest_velocity_residual.max(left.velocity);
        self.last_row = t;
        self.observer.row(Row { t, x: &self.row[..n_x], eta: &self.row[n_x..], event });
    }
}

/// The method that takes the step: a function of parts of the driver, so that the others stay free to use.
fn at_work<'s>(stepper: &'s mut Box<dyn Stepper>, bridge: &'s mut Option<Explicit>, bridging: bool) -> &'s mut dyn Stepper {
    match bridge {
        Some(bridge) if bridging => bridge,
        _ => stepper.as_mut(),
    }
}

fn failure(error: EvalError) -> Failure {
    match error {
        EvalError::Acceleration(error) => Failure::Acceleration(error),
        EvalError::Projection(e) => Failure::ProjectionFailed { t: e.t, row: e.row, residual: e.residual },
    }
}
