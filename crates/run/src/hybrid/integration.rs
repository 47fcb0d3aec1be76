//! A motion under way: the equations, the method, the state and its derivative, the step that is tried.
//!
//! Knows neither events nor rows: those are [`driver`](super::driver)'s. The beginning of a motion, and its going on after
//! a jump, are here; steps are in `steps`.

mod steps;

use super::follower::{FollowedStep, Follower, Guard, Moment, StepStages};
use super::methods::Methods;
use super::right_hand_side::RightHandSide;
use super::rules::{self, Patrol};
use super::singular_start::{limit_derivative, look_around};
use super::tolerances::{AT_ONCE, DRIFTING_CONSISTENCY, SAME_TIME, STATE_CONSISTENCY};
use super::{Controller, EventHit, Failure, Observer, Options, Outcome, Stop};
use crate::constraint::singular::Watch;
use crate::method::step_size::first_step;
use crate::method::stepper::{EvalError, Field, Tolerance};
use crate::{AccelerationError, ContactModes, Dynamics, State};

/// A motion on its way from `t_start` to `t_end`.
pub(super) struct Integration<'a> {
    pub field: RightHandSide<'a>,
    pub methods: Methods,
    pub options: &'a Options,
    pub observer: &'a mut dyn Observer,
    pub outcome: Outcome,
    tol: Tolerance,
    pub t_start: f64,
    pub t_end: f64,
    /// The state reached and its derivative.
    pub t: f64,
    pub y: Vec<f64>,
    pub f: Vec<f64>,
    /// Margin at (t, y); 0 where the derivative was taken as a limit.
    margin: f64,
    /// The end of the step that is tried.
    pub y_new: Vec<f64>,
    pub f_new: Vec<f64>,
    /// A state inside the step, or near: that of a row or of event functions.
    pub row: Vec<f64>,
    pub scratch: Vec<f64>,
    /// Where the step must end at the latest.
    pub target: f64,
    /// Where the dense output met what the step did not see: steps end there, so that they do.
    blind: Option<f64>,
    /// Watch over losses of rank, and whether redundant rows ask for stages on the constraints all along.
    watch: Watch,
    always_near: bool,
    /// Largest speed so far, where there are contacts.
    pub top_speed: f64,
    attempts: usize,
    patrol: Patrol,
    last_error: Option<EvalError>,
    /// Who follows the motion, and why that failed.
    pub follower: Option<&'a mut (dyn Follower + 'a)>,
    pub not_followed: Option<Failure>,
    /// Where the step that is followed begins, and its length; whether it has a dense output.
    pub dense_step: Option<(f64, f64)>,
    pub has_dense: bool,
}

impl<'a> Integration<'a> {
    pub fn new(
        kernel: &'a dyn Dynamics,
        controller: &Controller<'a>,
        start: &State,
        t_end: f64,
        options: &'a Options,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let mut field = RightHandSide::new(kernel, controller);
        field.accelerator.minimum_norm = !kernel.capabilities().multipliers_unread;
        let zero = vec![0.0; field.dim()];
        Self {
            methods: Methods::new(options.method, kernel, field.dim()),
            options,
            observer,
            outcome: Outcome::new(Stop::EndTime, start),
            tol: Tolerance { rtol: options.rtol, atol: options.atol },
            t_start: start.t,
            t_end,
            t: start.t,
            y: start.x.iter().chain(&start.eta).copied().collect(),
            f: zero.clone(),
            margin: 1.0,
            y_new: zero.clone(),
            f_new: zero.clone(),
            row: zero,
            scratch: vec![0.0; field.kernel.scratch_len()],
            target: t_end,
            blind: None,
            watch: Watch::new(1.0),
            always_near: false,
            top_speed: 0.0,
            attempts: 0,
            patrol: Patrol::new(start.t),
            last_error: None,
            follower: None,
            not_followed: None,
            dense_step: None,
            has_dense: false,
            field,
        }
    }

    /// The time of the whole motion, signed.
    pub fn span(&self) -> f64 {
        self.t_end - self.t_start
    }

    /// Events within this time happen at one instant.
    pub fn one_instant(&self) -> f64 {
        AT_ONCE * self.span().abs() + 4.0 * f64::EPSILON * self.t.abs()
    }

    /// Sizes of times.
    pub fn time_size(&self) -> f64 {
        self.t.abs().max(self.span().abs())
    }

    /// Whether the end time is reached.
    pub fn arrived(&self) -> bool {
        let left = self.t_end - self.t;
        left == 0.0 || left.signum() != self.span().signum()
    }

    /// Steps are longer than this, but for the last one.
    pub fn smallest_step(&self) -> f64 {
        rules::smallest_step(self.options.h_min_relative, self.t, self.span())
    }

    /// Puts the start on the constraints.
    pub fn begin(&mut self) -> Result<(), Failure> {
        if let Some(index) = self.y.iter().position(|v| !v.is_finite()) {
            return Err(Failure::NotFinite { t: self.t, index });
        }
        let (kernel, at) = (&self.field.kernel, self.field.point(self.t, &self.y));
        self.field.projector.hold_invariants(kernel, at.x);
        self.field.projector.measure(kernel, at);
        self.field.stabilise(self.options.baumgarte);
        self.project()
    }

    /// The state on the constraints, contacts that stick among them.
    pub fn project(&mut self) -> Result<(), Failure> {
        if self.options.projection {
            self.field.project(self.t, &mut self.y).map_err(failure)?;
        }
        Ok(())
    }

    /// The derivative where a motion begins, with the rank of the constraints around it.
    pub fn start_derivative(&mut self) -> Result<(), Failure> {
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
                match self.check_state() {
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
                    self.f = f;
                    self.methods.first_bridge = Some(away * self.span().signum());
                    (self.field.near, self.margin, self.outcome.degenerate_start) = (true, 0.0, true);
                    return Ok(());
                }
                // A start that is only ill-conditioned still has an acceleration of its own.
                if rank < generic_rank {
                    return Err(Failure::DegenerateStart { t, rank, generic_rank });
                }
            }
        }
        self.check_state()?;
        self.outcome.generic_rank = self.outcome.generic_rank.max(self.field.accelerator.solution().rank);
        self.watch.reference = self.watch.reference.min(1.0).max(self.margin);
        Ok(())
    }

    /// Of a redundant set that keeps its rank, the kernel may solve some rows only: then stages need not lie on the
    /// constraints. The margin is that of these rows from now on.
    fn stand_by_some_rows(&mut self, degenerate: bool) -> bool {
        if !self.field.accelerator.fused_stands_for_more(self.field.kernel.fused()) {
            return false;
        }
        let trusted = !degenerate && self.field.margin_of_some_rows(self.t, &self.y);
        if trusted {
            self.field.by_some_rows = true;
            self.watch = Watch::new(self.field.margin());
        } else {
            self.field.accelerator.forget_fused();
        }
        trusted
    }

    /// The derivative at (t, y), where the rows must be consistent (U6).
    pub fn check_state(&mut self) -> Result<(), Failure> {
        self.field.accelerator.consistency_tol = self.state_tolerance();
        let result = self.field.eval(self.t, &self.y, &mut self.f);
        self.field.accelerator.consistency_tol = f64::INFINITY;
        self.margin = self.field.margin();
        result.map_err(failure)
    }

    /// Stages lie off the constraints, so rows that are redundant on them disagree there; states do not.
    pub fn state_tolerance(&self) -> f64 {
        if self.options.projection { STATE_CONSISTENCY } else { DRIFTING_CONSISTENCY }
    }

    /// The step with which a motion begins.
    pub fn choose_first_step(&mut self) -> Result<(), Failure> {
        let span = self.span();
        let wanted = if self.methods.fixed() {
            Some(rules::fixed_step(self.options.fixed_step, &self.options.output, span))
        } else {
            self.options.h_initial
        };
        self.methods.h = match wanted {
            Some(h) if h.is_finite() && h != 0.0 => h.abs() * span.signum(),
            Some(_) => return Err(Failure::BadArguments { what: "step" }),
            None if span == 0.0 => 0.0,
            None => self.estimate_first_step(span),
        };
        Ok(())
    }

    /// A first step of a motion that is smooth for a time `span`.
    pub fn estimate_first_step(&mut self, span: f64) -> f64 {
        let exponent = self.methods.asked.exponent();
        let suggested = first_step(&mut self.field, self.t, &self.y, &self.f, span, exponent, self.tol);
        rules::first_step(suggested.ok(), span, self.span())
    }

    /// The state at a time inside the step that ends at `t_new`, on the constraints, into `row`.
    pub fn dense_row(&mut self, at: f64, t_new: f64, h: f64) {
        if (at - t_new).abs() <= SAME_TIME * h.abs() {
            self.row.copy_from_slice(&self.y_new);
            return;
        }
        self.methods.at_work().dense((at - self.t) / h, &mut self.row);
        if self.options.projection {
            // If it cannot be brought there exactly the row is still the best there is; its residual is reported.
            let _ = self.field.project(at, &mut self.row);
        }
    }

    /// The state at a fraction of the step, as the method gives it.
    pub fn inside(&self, theta: f64, out: &mut [f64]) {
        match theta {
            1.0 => out.copy_from_slice(&self.y_new),
            _ => self.methods.at_work_ref().dense(theta, out),
        }
    }

    /// A state a moment behind (t, y) by its derivative, into `row`.
    pub fn row_behind(&mut self, moment: f64) {
        for ((row, y), f) in self.row.iter_mut().zip(&self.y).zip(&self.f) {
            *row = y + moment * f;
        }
    }
}

/// The motion as others follow it.
impl Integration<'_> {
    /// The state reached, under the modes of now.
    fn moment(&self) -> Moment<'_> {
        Moment { t: self.t, y: &self.y, modes: self.field.kernel.modes(), stretch: self.field.stretch }
    }

    /// Asks the follower, if there is one that has not failed.
    fn follow(&mut self, ask: impl FnOnce(&mut dyn Follower, &Self) -> Result<(), Failure>) {
        if self.not_followed.is_some() {
            return;
        }
        if let Some(follower) = self.follower.take() {
            self.not_followed = ask(follower, self).err();
            self.follower = Some(follower);
        }
    }

    /// The motion begins.
    pub fn follow_begin(&mut self) {
        self.follow(|follower, run| follower.begin(run.moment()));
    }

    /// The motion goes on to a time inside the present step.
    pub fn follow_to(&mut self, until: f64) {
        self.follow(|follower, run| run.followed_to(follower, until));
    }

    fn followed_to(&self, follower: &mut dyn Follower, until: f64) -> Result<(), Failure> {
        let Some(step) = self.dense_step else { return Ok(()) };
        self.as_followed(step, |step| follower.advance(step, until))
    }

    /// Whether a step of this length from the state reached can be followed without a dense output; true if nobody follows.
    pub fn follow_ahead(&mut self, h: f64) -> bool {
        let Some(follower) = self.follower.take() else { return true };
        self.has_dense = false;
        let ahead = self.as_followed((self.t, h), |step| follower.anticipate(step));
        self.follower = Some(follower);
        if ahead {
            self.dense_step = Some((self.t, h));
        }
        ahead
    }

    fn as_followed<T>(&self, (t, h): (f64, f64), ask: impl FnOnce(&FollowedStep<'_>) -> T) -> T {
        let inside = |theta: f64, out: &mut [f64]| self.inside(theta, out);
        let (modes, stretch, has_dense) = (self.field.kernel.modes(), self.field.stretch, self.has_dense);
        let k = if self.field.near { None } else { self.methods.at_work_ref().stages() };
        let stages = k.map(|k| StepStages { t, h, y: &self.y, y_new: &self.y_new, k, stretch });
        ask(&FollowedStep { t, h, modes, stretch, stages, has_dense, inside: &inside })
    }

    /// What belongs to the row at a time, with the state in `row`.
    pub fn followed_row(&mut self, t: f64, integrals: &[f64], event: Option<EventHit>) -> Vec<f64> {
        let mut values = Vec::new();
        self.follow(|follower, run| {
            run.followed_to(follower, t)?;
            let at = Moment { t, y: &run.row, modes: run.field.kernel.modes(), stretch: run.field.stretch };
            values.extend_from_slice(follower.row(at, integrals, event)?);
            Ok(())
        });
        values
    }

    /// The motion has passed guards that vanished together; `before` is what it was.
    pub fn follow_across(&mut self, guards: &[Guard], before: &Before) {
        self.dense_step = None;
        self.follow(|follower, run| {
            let Before { t, y, modes, stretch } = before;
            let before = Moment { t: *t, y, modes, stretch: *stretch };
            follower.cross(guards, before, run.moment())
        });
    }

    /// What the motion is now, to be compared with what it will be; nothing where nobody follows.
    pub fn before(&self) -> Option<Before> {
        self.follower.as_ref().map(|_| Before {
            t: self.t,
            y: self.y.clone(),
            modes: self.field.kernel.modes().clone(),
            stretch: self.field.stretch,
        })
    }
}

/// A [`Moment`] that is kept.
pub(super) struct Before {
    t: f64,
    y: Vec<f64>,
    modes: ContactModes,
    stretch: [f64; 2],
}

/// A failure to take a derivative as one of the run.
pub(super) fn failure(error: EvalError) -> Failure {
    match error {
        EvalError::Acceleration(error) => Failure::Acceleration(error),
        EvalError::Projection(e) => Failure::ProjectionFailed { t: e.t, row: e.row, residual: e.residual },
    }
}
