//! The loop that moves a state: choose a step, try it, review it, accept it, give out rows.

mod begin;
mod contact_modes;
mod discontinuities;
mod rows;
mod slip_onset;
mod time_events;

use super::events::Events;
use super::output_times::OutputTimes;
use super::right_hand_side::RightHandSide;
use super::rules::{self, Patrol};
use super::time_events::TimeEvents;
use super::tolerances::{KEPT_BY_STEP, SUDDEN};
use super::{
    ContactChange, Controller, Crossing, EventHit, EventRule, Failure, Flow, Method, Observer, Options,
    Outcome, Progress, Row, Stop,
};
use crate::constraint::singular::{BRIDGE, Verdict, Watch};
use crate::method::explicit::{Explicit, Kind};
use crate::method::radau::Radau;
use crate::method::step_size::StepSizeControl;
use crate::method::stepper::{Attempt, Estimated, EvalError, Field, StepError, Stepper, Tolerance};
use crate::method::tolerances::NOT_TRIED;
use crate::method::variational::Variational;
use crate::{Kernel, Point, State};
use dalembert_linalg::norm_max;
use discontinuities::Passing;

/// Everything a run needs, sized once.
pub(super) struct Driver<'a> {
    field: RightHandSide<'a>,
    stepper: Box<dyn Stepper>,
    /// The long-stepping method for passing a rank loss, for methods that need it (see `singular`), with its own step.
    bridge: Option<Explicit>,
    bridge_control: StepSizeControl,
    bridge_h: f64,
    /// Whether it is at work, and whether it has turned out to be no help here (a stiff system).
    bridging: bool,
    bridge_off: bool,
    /// First step from a degenerate start, taken by the bridge where there is one.
    away: Option<f64>,
    always_near: bool,
    options: &'a Options,
    observer: &'a mut dyn Observer,
    control: StepSizeControl,
    watch: Watch,
    events: Events,
    /// Switches of constraints, where there are any, and the longest next step towards one that cannot be passed.
    switches: Option<Events>,
    closing_in: f64,
    /// Switches of time, where there are any, and where a fixed step that one of them cut short would have ended.
    instants: Option<TimeEvents>,
    cut_short: Option<f64>,
    /// Where the dense output met what the step did not see: steps end there, so that they do.
    met: Option<f64>,
    schedule: OutputTimes,
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
    /// Contacts with friction: their functions are watched before those of events.
    contacts: usize,
    /// TimeEvent of the last change of a contact, and how many happened at it.
    changes: (f64, usize),
    /// Largest speed so far, where there are contacts.
    top_speed: f64,
    /// Control that is held: how often it was computed, and when it is next.
    samples_taken: usize,
    next_sample: Option<f64>,
    /// Integrals along the motion, and how far they have come.
    integrals: Vec<f64>,
    integrated_to: f64,
    attempts: usize,
    patrol: Patrol,
    last_error: Option<EvalError>,
    outcome: Outcome,
}

impl<'a> Driver<'a> {
    pub fn new(
        kernel: &'a dyn Kernel,
        controller: &Controller<'a>,
        start: &State,
        t_end: f64,
        options: &'a Options,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let mut field = RightHandSide::new(kernel, controller);
        field.accelerator.minimum_norm = kernel.reads_multipliers();
        let (d, contacts) = (field.dim(), field.shape.n_contact);
        let ends_a_mode = EventRule { crossing: Crossing::Falling, stop: true };
        let rules: Vec<EventRule> =
            std::iter::repeat_n(ends_a_mode, contacts).chain(options.events.iter().copied()).collect();
        let stepper: Box<dyn Stepper> = match options.method {
            Method::Dop853 => Box::new(Explicit::new(Kind::Dop853, d)),
            Method::Tsit5 => Box::new(Explicit::new(Kind::Tsit5, d)),
            Method::Rk4 => Box::new(Explicit::new(Kind::Rk4, d)),
            Method::Radau => Box::new(Radau::new(d)),
            Method::Variational2 => Box::new(Variational::new(2, kernel)),
            Method::Variational4 => Box::new(Variational::new(3, kernel)),
            Method::Variational6 => Box::new(Variational::new(4, kernel)),
        };
        let y: Vec<f64> = start.x.iter().chain(&start.eta).copied().collect();
        Self {
            control: StepSizeControl::new(stepper.exponent(), stepper.least_growth()),
            watch: Watch::new(1.0),
            events: Events::new(&rules, contacts + field.shape.n_event),
            switches: discontinuities::watch(&field.shape),
            closing_in: f64::INFINITY,
            instants: time_events::watch(&field, start.t, t_end, options),
            cut_short: None,
            met: None,
            schedule: OutputTimes::new(&options.output, start.t, t_end),
            tol: Tolerance { rtol: options.rtol, atol: options.atol },
            t: start.t,
            y,
            f: vec![0.0; d],
            margin: 1.0,
            h: 0.0,
            y_new: vec![0.0; d],
            f_new: vec![0.0; d],
            row: vec![0.0; d],
            scratch: vec![0.0; field.kernel.scratch_len()],
            t_start: start.t,
            t_end,
            last_row: f64::NAN,
            contacts,
            changes: (f64::NAN, 0),
            top_speed: 0.0,
            samples_taken: 0,
            next_sample: None,
            integrals: vec![0.0; field.shape.n_quadrature],
            integrated_to: start.t,
            attempts: 0,
            patrol: Patrol::new(start.t),
            last_error: None,
            outcome: Outcome {
                stop: Stop::EndTime,
                counters: Default::default(),
                largest_position_residual: 0.0,
                largest_velocity_residual: 0.0,
                smallest_margin: 1.0,
                generic_rank: 0,
                degenerate_start: false,
                contact_changes: 0,
                state: start.clone(),
            },
            bridge: matches!(options.method, Method::Tsit5 | Method::Radau)
                .then(|| Explicit::new(Kind::Dop853, d)),
            bridge_control: StepSizeControl::new(8.0, 1.0),
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
                    Err(failure) => break Stop::Failed(self.blame_switch(failure)),
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

    /// One accepted step, or a rejection, or the end.
    fn advance(&mut self) -> Result<Option<Stop>, Failure> {
        let left = self.t_end - self.t;
        if left == 0.0 || left.signum() != self.span().signum() {
            return Ok(Some(Stop::EndTime));
        }
        self.resample()?;
        self.pass_instants()?;
        self.met = self.met.filter(|met| (met - self.t) * left.signum() > self.smallest_step());
        self.choose_method();
        let wanted = if self.bridging { self.bridge_h } else { self.h };
        let wanted = self.look_for_instants(wanted);
        let left = self.target() - self.t;
        let largest = self.options.h_max.map_or(f64::INFINITY, f64::abs).min(left.abs()).min(self.closing_in);
        let gaps = at_work(&mut self.stepper, &mut self.bridge, self.bridging).gaps();
        let h = self.watch.plan(self.t, wanted.abs().min(largest) * left.signum(), gaps);
        let h = self.guide_contacts(h)?;
        match self.look_ahead(h)? {
            Passing::Smooth => {}
            Passing::Again => return Ok(self.report_progress(h)),
            Passing::Stopped(stop) => return Ok(Some(stop)),
        }
        match self.attempt(h)? {
            // A run that only rejects steps can be stopped as well.
            None => Ok(self.report_progress(h)),
            Some((h, estimated)) => self.accept(h, estimated),
        }
    }

    /// Where steps must end: the end of the run, the next instant at which held control is computed, a switch of time, or
    /// where a step was blind.
    fn target(&self) -> f64 {
        if self.next_sample.is_none() && self.instants.is_none() && self.met.is_none() {
            return self.t_end;
        }
        let direction = self.span().signum();
        let instant = self.instants.as_ref().map(TimeEvents::next);
        let first = |target: f64, stop: f64| if (stop - target) * direction < 0.0 { stop } else { target };
        [self.next_sample, instant, self.met].into_iter().flatten().fold(self.t_end, first)
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
            self.bridge_control = StepSizeControl::new(bridge.exponent(), 1.0);
        }
        if self.bridging && !wanted {
            self.stepper.interrupted();
        }
        self.bridging = wanted;
    }

    /// Tries a step until singular review is content; `None` if it was rejected.
    fn attempt(&mut self, mut h: f64) -> Result<Option<(f64, Estimated)>, Failure> {
        loop {
            let left = self.target() - self.t;
            h = rules::fit_step(h, left);
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

    /// Whether a step that should end on the constraints by itself does not: rows may have become independent on the way.
    fn leaves_constraints(&mut self, t_new: f64) -> bool {
        if self.field.shape.n_con == 0 || !self.stepper.keeps_constraints() {
            return false;
        }
        let at = self.field.point(t_new, &self.y_new);
        self.field.projector.measure(&self.field.kernel, at);
        let left = self.field.projector.residuals(&self.field.kernel, at);
        !(left.position <= KEPT_BY_STEP && left.velocity <= KEPT_BY_STEP)
    }

    fn review(&mut self, h: f64) -> Verdict {
        let careless = !(self.options.singular_care && self.options.projection);
        if careless || self.field.shape.n_con == 0 || self.stepper.keeps_constraints() {
            return Verdict::Good;
        }
        let (near, gaps) =
            (self.field.near, at_work(&mut self.stepper, &mut self.bridge, self.bridging).gaps());
        self.watch.review(near, self.t, h, gaps, self.margin, &mut self.field.samples)
    }

    fn smallest_step(&self) -> f64 {
        rules::smallest_step(self.options.h_min_relative, self.t, self.span())
    }

    fn check_step(&mut self, h: f64) -> Result<(), Failure> {
        let (t, steps) = (self.t, self.attempts);
        if steps >= self.options.max_steps {
            return Err(Failure::TooManySteps { t, steps });
        }
        if self.patrol.stands_still(steps, t, self.span()) {
            return Err(Failure::StepTooSmall { t, h, fastest: self.fastest() });
        }
        if rules::too_small(t, h, self.target() - t, self.smallest_step()) {
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
        if let StepError::Unresolved { at } = error {
            self.met = Some(self.t + at * h);
        }
        if self.bridging {
            self.shorten_bridge(NOT_TRIED * h);
            return Ok(());
        }
        match error {
            StepError::Eval(error) if self.stepper.fixed() => return Err(failure(error)),
            _ if self.stepper.fixed() => return Err(Failure::StepNotSolved { t: self.t, h }),
            StepError::Eval(error) => self.last_error = Some(error),
            StepError::Newton | StepError::Unresolved { .. } => {}
        }
        self.control.rejected(f64::INFINITY);
        self.h = NOT_TRIED * h;
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
        let t_new = rules::end_of_step(self.t, h, self.target());
        let samples = self.field.samples.len();
        if let Err(error) = self.end_of_step(t_new) {
            return self.end_failed(h, error).map(|()| None);
        }
        if self.leaves_constraints(t_new) {
            return self.refuse(h, StepError::Newton).map(|()| None);
        }
        if self.field.outgrown {
            self.rely_on_all_rows();
        }
        let margin = self.field.margin();
        let at = Attempt { t: self.t, h, y: &self.y, f: &self.f, tol: self.tol };
        let stepper = at_work(&mut self.stepper, &mut self.bridge, self.bridging);
        stepper.accepted(h);
        let due = self.schedule.peek().is_some_and(|due| (due - t_new) * h.signum() <= 0.0);
        let within = !self.events.is_empty() || self.switches.is_some() || !self.integrals.is_empty();
        if (due || within)
            && let Err(error) = stepper.prepare_dense(&mut self.field, at, &self.y_new, &self.f_new)
        {
            return self.refuse(h, error).map(|()| None);
        }
        self.field.samples.truncate(samples);
        match self.pass_switches(h)? {
            Passing::Smooth => self.closing_in = f64::INFINITY,
            Passing::Again => return Ok(None),
            Passing::Stopped(stop) => return Ok(Some(stop)),
        }
        self.finish_step(t_new, h, estimated, margin);
        if self.contacts > 0 {
            self.top_speed = self.top_speed.max(norm_max(&self.y_new[self.field.shape.n_x..]));
        }
        match self.give_out(t_new, h) {
            Given::All => {}
            Given::Stopped(stop) => return Ok(Some(stop)),
            Given::Changed(contact) => {
                self.set_modes(contact)?;
                let stop = self.give_arrivals(h);
                return Ok(stop.or_else(|| self.report_progress(h)));
            }
        }
        self.t = t_new;
        std::mem::swap(&mut self.y, &mut self.y_new);
        std::mem::swap(&mut self.f, &mut self.f_new);
        if self.schedule.every_step() {
            self.give_row_now(None);
        }
        Ok(self.report_progress(h))
    }

    fn report_progress(&mut self, h: f64) -> Option<Stop> {
        let progress = Progress { t: self.t, h, counters: self.field.counters };
        (self.observer.progress(&progress) == Flow::Cancel).then_some(Stop::Cancelled)
    }

    /// Projection and derivative at the end of the step. The derivative of the last stage is reused if the projection
    /// left the state alone.
    fn end_of_step(&mut self, t_new: f64) -> Result<(), EvalError> {
        let project = self.options.projection && !self.stepper.keeps_constraints();
        let moved = project && self.field.project(t_new, &mut self.y_new)?;
        match at_work(&mut self.stepper, &mut self.bridge, self.bridging).end_derivative() {
            Some(f) if !moved => self.f_new.copy_from_slice(f),
            _ => {
                self.field.accelerator.consistency_tol = self.state_tolerance();
                let result = self.field.eval(t_new, &self.y_new, &mut self.f_new);
                let result = result.and_then(|()| self.field.check_other_rows(t_new, &self.y_new));
                self.field.accelerator.consistency_tol = f64::INFINITY;
                result?;
            }
        }
        self.field.update_references(t_new - self.t, &self.y_new, &self.f_new);
        Ok(())
    }

    /// The rows that stood for a redundant set do so no longer: all of them from now on, with stages on the constraints.
    fn rely_on_all_rows(&mut self) {
        self.field.accelerator.forget_quick();
        (self.field.by_some_rows, self.field.outgrown) = (false, false);
        (self.field.near, self.always_near) = (true, true);
        self.watch = Watch::new(self.field.margin());
    }

    fn end_failed(&mut self, h: f64, error: EvalError) -> Result<(), Failure> {
        let sticks = self.field.kernel.stuck_rows() > 0;
        let sudden = self.stepper.fixed() || h.abs() <= SUDDEN * self.span().abs();
        if sticks && sudden && self.dislodge(h)? {
            return Ok(());
        }
        // Rows that contradict each other on the constraints will do so at any step size, unless a contact sticks before.
        let contradiction =
            matches!(error, EvalError::Acceleration(crate::AccelerationError::Inconsistent { .. }));
        if contradiction && (sudden || !sticks) {
            return Err(failure(error));
        }
        self.refuse(h, StepError::Eval(error))
    }

    /// Counters, margins and the next step size.
    fn finish_step(&mut self, t_new: f64, h: f64, estimated: Estimated, margin: f64) {
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
}

/// How far the rows of a step were given out.
enum Given {
    All,
    Stopped(Stop),
    /// Up to the instant at which this contact sticks or slides.
    Changed(usize),
}

/// The method that takes the step: a function of parts of the driver, so that the others stay free to use.
fn at_work<'s>(
    stepper: &'s mut Box<dyn Stepper>,
    bridge: &'s mut Option<Explicit>,
    bridging: bool,
) -> &'s mut dyn Stepper {
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
