//! The loop that keeps four lanes at work.

mod begin;
mod dense_rows;
mod lane_events;

use super::lane_projection::{LaneProjection, Watched};
use super::looped::Looped;
use super::{Ended, Ensemble, Job, LANES, Sampled};
use crate::hybrid::rules::{self, Patrol};
use crate::method::step_size::{CoarsePowers, StepSizeControl};
use dense_rows::{Agenda, DenseRows};
use lane_events::LaneEvents;

/// One run on its way.
pub(super) struct Lane {
    pub id: usize,
    pub t: f64,
    pub t_start: f64,
    pub t_end: f64,
    pub h: f64,
    /// The step that is being tried, or was last.
    pub trying: f64,
    /// Where it starts.
    pub from: f64,
    pub control: StepSizeControl<CoarsePowers>,
    pub steps: usize,
    pub rejected: usize,
    pub patrol: Patrol,
    pub constraints: Watched,
    pub agenda: Agenda,
}

/// What became of an attempt in a lane.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tried {
    /// There is no run in it.
    Nothing,
    Accepted,
    /// Accepted, up to an event that ends the run.
    Stopped,
    Rejected,
    GivesUp,
}

/// The lanes of one thread.
pub struct LaneDriver<'e> {
    pub(super) ensemble: &'e Ensemble,
    pub(super) lanes: [Option<Lane>; LANES],
    /// As in `unrolled`.
    pub(super) inputs: Vec<f64>,
    pub(super) outputs: Vec<f64>,
    workspace: Vec<f64>,
    looped: Option<Looped>,
    pub(super) keeper: Option<LaneProjection>,
    pub(super) within: DenseRows,
    pub(super) stops: LaneEvents,
    /// One state in all lanes, for the start of a run.
    pub(super) alone_in: Vec<f64>,
    pub(super) alone_out: Vec<f64>,
    pub(super) alone_work: Vec<f64>,
    pub(super) dim: usize,
    /// Numbers handed on from step to step besides the state.
    pub(super) handed_on: usize,
}

impl<'e> LaneDriver<'e> {
    pub(super) fn new(ensemble: &'e Ensemble) -> Self {
        let (kernel, table) = (&*ensemble.kernel, ensemble.table);
        let (dim, constants) = (kernel.dim(), kernel.constants());
        let handed_on = if table.last_is_next { dim } else { 0 };
        let programs = [&ensemble.step, &ensemble.whole_step].map(Option::as_ref);
        let in_one = match ensemble.interpolant {
            None => ensemble.step.is_some(),
            Some(_) => (ensemble.always_inside() || ensemble.step.is_some()) && ensemble.whole_step.is_some(),
        };
        let looped = (!in_one).then(|| Looped::new(kernel, table));
        let coefficients = ensemble.interpolant.as_ref().map_or(0, |i| i.coefficients.len() * dim + 1);
        let keeper = kernel.keep().map(|keep| LaneProjection::new(keep, kernel));
        Self {
            ensemble,
            lanes: [const { None }; LANES],
            inputs: vec![0.0; (2 + dim + handed_on + constants) * LANES],
            outputs: vec![0.0; (dim + handed_on + 2 + coefficients) * LANES],
            workspace: vec![0.0; programs.into_iter().flatten().map(|s| s.workspace()).max().unwrap_or(0)],
            looped,
            keeper,
            within: DenseRows::new(dim),
            stops: LaneEvents::new(ensemble),
            alone_in: vec![0.0; (1 + dim + constants) * LANES],
            alone_out: vec![0.0; (dim + 1) * LANES],
            alone_work: vec![0.0; kernel.workspace()],
            dim,
            handed_on,
        }
    }

    /// Makes the runs; `done` is told each as it ends, in no particular order. Where `cancelled` becomes true the rest is
    /// dropped. Memory does not depend on how many there are.
    pub fn run(
        &mut self,
        jobs: impl IntoIterator<Item = Job>,
        cancelled: impl FnMut() -> bool,
        done: impl FnMut(Ended),
    ) {
        self.march_with_rows(jobs, cancelled, |_| {}, done);
    }

    /// Runs the jobs in lanes; `rows` is told the states at the start and the end of each run and where [`Options::output`] asks
    /// for them, in the order of its motion. A run that is given back may have had rows before.
    ///
    /// [`Options::output`]: crate::Options::output
    pub fn march_with_rows(
        &mut self,
        jobs: impl IntoIterator<Item = Job>,
        mut cancelled: impl FnMut() -> bool,
        mut rows: impl FnMut(Sampled<'_>),
        mut done: impl FnMut(Ended),
    ) {
        let mut jobs = jobs.into_iter().fuse();
        self.lanes = [const { None }; LANES];
        loop {
            for l in 0..LANES {
                while self.lanes[l].is_none() {
                    let Some(job) = jobs.next() else { break };
                    if let Some(ended) = self.begin(l, &job, &mut rows) {
                        done(ended);
                    }
                }
            }
            if self.lanes.iter().all(Option::is_none) || cancelled() {
                return;
            }
            self.step();
            let mut tried: [Tried; LANES] = std::array::from_fn(|l| self.judge(l));
            self.keep(&mut tried);
            self.look_inside(&mut tried, &mut rows);
            for (l, tried) in tried.into_iter().enumerate() {
                let Some(lane) = &mut self.lanes[l] else { continue };
                if tried == Tried::Stopped || (tried == Tried::Accepted && lane.t == lane.t_end) {
                    self.close(l, &mut rows);
                    done(self.arrived(l));
                } else if tried == Tried::GivesUp || lane.stuck(self.ensemble) {
                    done(self.given_back(l));
                }
            }
        }
    }

    /// One attempt in every lane. Lanes without a run repeat what they have.
    fn step(&mut self) {
        let ensemble = self.ensemble;
        for (l, lane) in self.lanes.iter_mut().enumerate() {
            let Some(lane) = lane else { continue };
            let left = lane.t_end - lane.t;
            let h = lane.h.min(ensemble.h_max);
            lane.trying = rules::fit_step(h, left);
            self.inputs[l] = lane.t;
            self.inputs[LANES + l] = lane.trying;
            lane.from = lane.t;
        }
        let interpolant = ensemble.interpolant.as_ref().filter(|_| self.looks_inside());
        let (program, width) = match interpolant {
            None => (&ensemble.step, 0),
            Some(i) => (&ensemble.whole_step, i.coefficients.len() * self.dim + 1),
        };
        let outputs = &mut self.outputs[..(self.dim + self.handed_on + 2 + width) * LANES];
        match (program, &mut self.looped) {
            (Some(step), _) => step.run(&self.inputs, &mut self.workspace, outputs),
            (None, Some(looped)) => {
                let (kernel, table, tol) = (&*ensemble.kernel, ensemble.table, ensemble.tol);
                looped.run(kernel, table, tol, interpolant, &self.inputs, outputs);
            }
            (None, None) => {}
        }
    }

    /// Looks at the attempt of one lane.
    fn judge(&mut self, l: usize) -> Tried {
        let kept = self.dim + self.handed_on;
        let (error, trusted) = (self.outputs[kept * LANES + l], self.outputs[(kept + 1) * LANES + l]);
        let fixed = self.ensemble.fixed.is_some();
        let Some(lane) = &mut self.lanes[l] else { return Tried::Nothing };
        let h = lane.trying;
        if trusted != 1.0 || (fixed && error.is_nan()) {
            return Tried::GivesUp;
        }
        if error <= 1.0 {
            lane.steps += 1;
            lane.t = rules::end_of_step(lane.t, h, lane.t_end);
            if !fixed {
                lane.h = h * lane.control.accepted(error);
            }
            for k in 0..kept {
                self.inputs[(2 + k) * LANES + l] = self.outputs[k * LANES + l];
            }
            Tried::Accepted
        } else {
            lane.rejected += 1;
            lane.h = h * lane.control.rejected(error);
            Tried::Rejected
        }
    }

    /// Brings the states that moved back to the constraints, and takes the derivative there where it is handed on.
    pub(super) fn keep(&mut self, tried: &mut [Tried; LANES]) {
        let (d, kernel) = (self.dim, &*self.ensemble.kernel);
        let (Some(keeper), Some(keep)) = (&mut self.keeper, kernel.keep()) else { return };
        let moved = |l: usize| tried[l] == Tried::Accepted;
        if !(0..LANES).any(moved) {
            return;
        }
        let t = std::array::from_fn(|l| self.lanes[l].as_ref().map_or(0.0, |lane| lane.t));
        let (state, constants) = self.inputs.split_at_mut((2 + d + self.handed_on) * LANES);
        let y = &mut state[2 * LANES..(2 + d) * LANES];
        let mut watched = [const { None }; LANES];
        for (l, lane) in self.lanes.iter_mut().enumerate().filter(|(l, _)| moved(*l)) {
            watched[l] = lane.as_mut().map(|lane| &mut lane.constraints);
        }
        let done = keeper.keep(keep, t, y, constants, watched);
        for (tried, done) in tried.iter_mut().zip(done) {
            if *tried == Tried::Accepted && !done {
                *tried = Tried::GivesUp;
            }
        }
        if self.handed_on > 0 {
            self.alone_in[..LANES].copy_from_slice(&t);
            self.alone_in[LANES..(1 + d) * LANES].copy_from_slice(y);
            self.alone_in[(1 + d) * LANES..].copy_from_slice(constants);
            kernel.derivative(&self.alone_in, &mut self.alone_work, &mut self.alone_out);
            for (l, tried) in tried.iter_mut().enumerate().filter(|(_, tried)| **tried == Tried::Accepted) {
                (0..d).for_each(|k| state[(2 + d + k) * LANES + l] = self.alone_out[k * LANES + l]);
                if self.alone_out[d * LANES + l] != 1.0 {
                    *tried = Tried::GivesUp;
                }
            }
        }
    }

    pub(super) fn arrived(&mut self, l: usize) -> Ended {
        let y = (0..self.dim).map(|k| self.inputs[(2 + k) * LANES + l]).collect();
        let Some(lane) = self.lanes[l].take() else { return Ended::GivenBack { id: 0 } };
        Ended::Arrived {
            id: lane.id,
            t: lane.t,
            y,
            event: lane.agenda.stopped,
            steps: lane.steps,
            rejected: lane.rejected,
            residual: lane.constraints.residual,
        }
    }

    pub(super) fn given_back(&mut self, l: usize) -> Ended {
        let id = self.lanes[l].take().map_or(0, |lane| lane.id);
        // A state that is not finite would slow its neighbours down while the lane is idle.
        for k in 0..self.dim + self.handed_on {
            let kept = &mut self.inputs[(2 + k) * LANES + l];
            *kept = if kept.is_finite() { *kept } else { 0.0 };
        }
        Ended::GivenBack { id }
    }
}

impl Lane {
    /// Whether the ordinary driver would give up soon.
    fn stuck(&mut self, ensemble: &Ensemble) -> bool {
        let attempts = self.steps + self.rejected;
        let span = self.t_end - self.t_start;
        let smallest = rules::smallest_step(ensemble.h_min_relative, self.t, span);
        self.patrol.stands_still(attempts, self.t, span)
            || attempts >= ensemble.max_steps
            || rules::too_small(self.t, self.h, self.t_end - self.t, smallest)
    }
}
