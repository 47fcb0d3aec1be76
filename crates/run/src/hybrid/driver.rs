//! The loop that moves a state: choose a step, try it, accept it, give out rows; and what follows from events.
//!
//! Everything that is not the plain motion is a source of events ([`EventSource`](super::source::EventSource)). The driver
//! asks the sources at each stage of a step and does what they answer ([`Transition`]): `transitions`.

mod transitions;

use super::contact_modes::ContactChanges;
use super::discontinuities::Discontinuities;
use super::follower::{Follower, Guard};
use super::integration::{Integration, failure};
use super::rows::Rows;
use super::rules;
use super::saturation::Saturation;
use super::source::{EventSource, HeldControl, Sources, Transition};
use super::time_events::TimeSwitchSource;
use super::tolerances::SUDDEN;
use super::user_events::UserEvents;
use super::{Controller, Failure, Flow, Observer, Options, Outcome, Progress, Stop};
use crate::method::stepper::{Estimated, EvalError, StepError};
use crate::{AccelerationError, Dynamics, State};
use transitions::Guards;

/// Everything a run needs, sized once.
pub(super) struct Driver<'a> {
    run: Integration<'a>,
    sources: Sources,
    guards: Guards,
    rows: Rows,
    /// Whether somebody looks at the dense output of every step.
    looks_inside: bool,
}

impl<'a> Driver<'a> {
    pub fn new(
        kernel: &'a dyn Dynamics,
        controller: &Controller<'a>,
        start: &State,
        t_end: f64,
        options: &'a Options,
        observer: &'a mut dyn Observer,
        follower: Option<&'a mut (dyn Follower + 'a)>,
    ) -> Self {
        let mut run = Integration::new(kernel, controller, start, t_end, options, observer);
        run.follower = follower;
        let (sources, rows) = (sources_of(&run), Rows::new(&run));
        let looks_inside = rows.has_integrals() || sources.iter().any(|source| source.looks_inside());
        Self { guards: Guards::new(&sources), run, sources, rows, looks_inside }
    }

    /// Runs to a stop.
    pub fn run(mut self) -> Outcome {
        let stop = match self.begin() {
            Ok(()) => loop {
                match self.advance() {
                    Ok(None) => {}
                    Ok(Some(stop)) => break stop,
                    Err(failure) => break Stop::Failed(self.blame(failure)),
                }
            },
            Err(failure) => Stop::Failed(failure),
        };
        self.finish(stop)
    }

    fn finish(mut self, mut stop: Stop) -> Outcome {
        if let (Some(failure), Stop::EndTime | Stop::Event(_)) = (self.run.not_followed.take(), &stop) {
            stop = Stop::Failed(failure);
        }
        if self.rows.last != self.run.t && !matches!(stop, Stop::Event(_)) {
            self.rows.give_now(&mut self.run, None);
        }
        let run = self.run;
        let (x, eta) = run.y.split_at(run.field.shape.n_x);
        let state = State::new(run.t, x, eta);
        Outcome { stop, state, counters: run.field.counters, ..run.outcome }
    }

    /// A run that cannot go on may have come to something that no step could pass.
    fn blame(&self, failure: Failure) -> Failure {
        self.sources.iter().fold(failure, |failure, source| source.blame(&self.run, failure))
    }

    /// Start on the constraints, first row, derivative, first step.
    fn begin(&mut self) -> Result<(), Failure> {
        self.run.begin()?;
        self.sources.iter_mut().try_for_each(|source| source.begin(&mut self.run))?;
        self.run.follow_begin();
        self.rows.give_now(&mut self.run, None);
        self.run.start_derivative()?;
        self.sources.iter_mut().try_for_each(|source| source.settle(&mut self.run))?;
        self.guards.begin(&mut self.run, &mut self.sources);
        self.run.choose_first_step()
    }

    /// One accepted step, or a rejection, or the end.
    fn advance(&mut self) -> Result<Option<Stop>, Failure> {
        // Asked first: to take out nothing costs as much as to take out a failure.
        if self.run.not_followed.is_some()
            && let Some(failure) = self.run.not_followed.take()
        {
            return Err(failure);
        }
        if self.run.arrived() {
            return Ok(Some(Stop::EndTime));
        }
        for k in 0..self.sources.len() {
            let before = self.run.before();
            let found = self.sources[k].arrive(&mut self.run)?;
            let switched = matches!(found, Transition::Restart { .. });
            if let Some(stop) = self.follow(found)? {
                return Ok(Some(stop));
            }
            if let Some(before) = before.filter(|_| switched) {
                self.run.follow_across(&[Guard::Time], &before);
            }
        }
        let mut h = self.plan();
        for k in 0..self.sources.len() {
            match self.sources[k].approach(&mut self.run, &mut h) {
                Ok(Transition::Continue) => {}
                Ok(Transition::Stop(stop)) => return Ok(Some(stop)),
                // A run that only chooses steps anew can be stopped as well.
                Ok(_) => return Ok(self.report_progress(h)),
                Err(failure) => return self.stopped_before(h, failure),
            }
        }
        match self.run.attempt(h)? {
            None => Ok(self.report_progress(h)),
            Some((h, estimated)) => self.accept(h, estimated),
        }
    }

    /// The step to try.
    fn plan(&mut self) -> f64 {
        let wanted = self.run.begin_step();
        let wanted = self.sources.iter_mut().fold(wanted, |h, source| source.plan(&mut self.run, h));
        self.run.set_target(self.sources.iter().filter_map(|source| source.next_time()));
        self.run.fit_step(wanted)
    }

    /// Projects the end of the step, takes its derivative, gives out rows and events, and moves on.
    fn accept(&mut self, h: f64, estimated: Estimated) -> Result<Option<Stop>, Failure> {
        let t_new = rules::end_of_step(self.run.t, h, self.run.target);
        if let Err(error) = self.run.end_of_step(t_new) {
            return self.end_failed(h, error);
        }
        if self.run.leaves_constraints(t_new) {
            return self.run.refuse(h, StepError::Newton).map(|()| None);
        }
        self.run.check_rows();
        let margin = self.run.field.margin();
        self.run.methods.at_work().accepted(h);
        if (self.looks_inside || self.rows.due_inside(t_new, h) || !self.run.follow_ahead(h))
            && let Err(error) = self.run.prepare_dense(h)
        {
            return self.run.refuse(h, error).map(|()| None);
        }
        for k in 0..self.sources.len() {
            match self.sources[k].review(&mut self.run, h) {
                Ok(Transition::Continue) => {}
                Ok(Transition::Stop(stop)) => return Ok(Some(stop)),
                Ok(_) => return Ok(None),
                Err(failure) => return self.stopped_before(h, failure),
            }
        }
        self.run.finish_step(t_new, h, estimated, margin);
        if (self.looks_inside || self.rows.due(t_new, h))
            && let Some(hits) = self.give_out(t_new, h)
        {
            return self.fire(hits, h);
        }
        self.run.move_on(t_new);
        if self.rows.every_step() {
            self.rows.give_now(&mut self.run, None);
        }
        Ok(self.report_progress(h))
    }

    /// There is no acceleration at the end of a step.
    fn end_failed(&mut self, h: f64, error: EvalError) -> Result<Option<Stop>, Failure> {
        let sticks = self.run.field.kernel.stuck_rows() > 0;
        let sudden = self.run.methods.fixed() || h.abs() <= SUDDEN * self.run.span().abs();
        for k in 0..if sudden { self.sources.len() } else { 0 } {
            match self.sources[k].rescue(&mut self.run, h)? {
                Transition::Continue => {}
                found => return self.follow(found),
            }
        }
        // Rows that contradict each other on the constraints will do so at any step size, unless a contact sticks before.
        let contradiction = matches!(error, EvalError::Acceleration(AccelerationError::Inconsistent { .. }));
        if contradiction && (sudden || !sticks) {
            return Err(failure(error));
        }
        self.run.refuse(h, StepError::Eval(error)).map(|()| None)
    }

    fn report_progress(&mut self, h: f64) -> Option<Stop> {
        let progress = Progress { t: self.run.t, h, counters: self.run.field.counters };
        (self.run.observer.progress(&progress) == Flow::Cancel).then_some(Stop::Cancelled)
    }
}

/// Those that the system of a run asks for, in the order in which they are asked. Functions of contacts come before those
/// of the user.
fn sources_of(run: &Integration<'_>) -> Sources {
    let mut sources = Sources::new();
    let mut add = |source: Option<Box<dyn EventSource>>| sources.extend(source);
    add(HeldControl::of(run).map(|source| Box::new(source) as _));
    add(TimeSwitchSource::of(run).map(|source| Box::new(source) as _));
    add(ContactChanges::of(run).map(|source| Box::new(source) as _));
    add(Saturation::of(run).map(|source| Box::new(source) as _));
    add(Discontinuities::of(run).map(|source| Box::new(source) as _));
    add(UserEvents::of(run).map(|source| Box::new(source) as _));
    sources
}
