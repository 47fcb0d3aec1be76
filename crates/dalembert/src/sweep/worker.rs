//! One thread's share: runs prepared, moved and written down as rows.

use super::{Block, Status, Sweep, SweepRow, motion_columns};
use crate::simulate::{Motion, Request, Table};
use crate::workspace::Workspace;
use dalembert_run::ensemble::{Ended, Job, LaneDriver, Sampled};
use dalembert_run::{
    ContactModes, ControlInput, Dynamics, EventHit, Flow, Point, Reporter, State, StickingKernel, Stop,
};
use dalembert_syntax::diagnostic::Diagnostic;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;

/// A run in the lanes: where it starts and with which energy.
struct ConsistentState {
    run: usize,
    values: Vec<f64>,
    /// Its parameters, where they change.
    parameters: Option<Vec<f64>>,
    energy: f64,
    /// t and the state at the rows of its motion so far, where they are wanted.
    motion: Vec<f64>,
}

/// A run that was made: its row, and the rows of its motion where they are wanted.
struct CompletedRun {
    row: SweepRow,
    motion: Vec<f64>,
}

pub(super) struct Worker<'s> {
    sweep: &'s Sweep,
    model: Workspace,
    driver: Option<LaneDriver<'s>>,
    scratch: Vec<f64>,
    outputs: Vec<f64>,
}

impl<'s> Worker<'s> {
    pub fn new(sweep: &'s Sweep) -> Self {
        let model = sweep.model.clone();
        Worker {
            driver: sweep.lanes.as_ref().map(|(ensemble, _)| ensemble.driver()),
            scratch: vec![0.0; model.compiled.scratch_len()],
            outputs: vec![0.0; model.compiled.output_count()],
            sweep,
            model,
        }
    }

    /// Makes a block; nothing if it was cancelled.
    pub fn block(&mut self, index: usize, cancel: &AtomicBool) -> Option<Block> {
        let runs = self.sweep.runs_of(index);
        let mut made: Vec<Option<CompletedRun>> = runs.clone().map(|_| None).collect();
        if let Some(driver) = self.driver.take() {
            let driver = self.in_lanes(runs.clone(), driver, &mut made, cancel);
            self.driver = Some(driver);
        }
        let arrived = |made: &&CompletedRun| !matches!(made.row.status, Status::Failed(_));
        let in_lanes = made.iter().flatten().filter(arrived).count();
        let mut motions = (self.sweep.plan.motions && self.sweep.kept.is_empty()).then(|| self.no_motions());
        let mut rows = Vec::with_capacity(made.len());
        for (run, made) in runs.zip(made) {
            let CompletedRun { mut row, motion } = match made {
                Some(made) => made,
                None => self.alone(run, cancel)?,
            };
            if !self.sweep.kept.is_empty() {
                self.reduce(&mut row, &motion);
            }
            rows.push(row);
            if let Some(motions) = &mut motions {
                for row in motion.chunks(motions.columns.len() - 1) {
                    motions.values.push(run as f64);
                    motions.values.extend_from_slice(row);
                }
            }
        }
        let cancelled = cancel.load(Ordering::Relaxed);
        (!cancelled).then_some(Block { index, rows, in_lanes, motions })
    }

    fn no_motions(&self) -> Table {
        let columns = std::iter::once("run".to_owned()).chain(motion_columns(&self.model)).collect();
        Table { columns, values: Vec::new() }
    }

    /// Puts the figures of a motion in the place of its end.
    fn reduce(&self, row: &mut SweepRow, motion: &[f64]) {
        let end = row.numbers.len() - 3;
        row.numbers.splice(end - self.sweep.kept.width..end, self.sweep.kept.of(motion));
    }

    /// Gives the model the parameters of a run.
    fn set_parameters(&mut self, values: &[f64]) -> Result<(), Box<Diagnostic>> {
        let targets = &self.sweep.targets;
        if !targets.change_parameters() {
            return Ok(());
        }
        let given = targets.parameters(values);
        self.model.give_parameters(&given)
    }

    /// The parameters as they are set, if they change from run to run.
    fn parameters(&self) -> Option<Vec<f64>> {
        let change = self.sweep.targets.change_parameters();
        change.then(|| self.model.compiled.parameters().to_vec())
    }

    /// Parameters, and a start that keeps the constraints.
    fn prepare(&mut self, values: &[f64]) -> Result<State, Box<Diagnostic>> {
        self.set_parameters(values)?;
        let given = self.sweep.targets.starts(values);
        let shape = self.model.compiled.shape();
        if shape.n_con + shape.n_invariant == 0 {
            let guess = self.model.guess_with(&given)?;
            if guess.conditions.is_empty() {
                return Ok(guess.state);
            }
        }
        Ok(self.model.start_with(&given)?.state)
    }

    /// Puts the runs of a block through the lanes; those that must be made alone are left out.
    fn in_lanes(
        &mut self,
        runs: std::ops::Range<usize>,
        mut driver: LaneDriver<'s>,
        made: &mut [Option<CompletedRun>],
        cancel: &AtomicBool,
    ) -> LaneDriver<'s> {
        let (first, mut jobs, mut started) = (runs.start, Vec::new(), Vec::new());
        for run in runs {
            let values = self.sweep.values(run);
            match self.prepare(&values).and_then(|start| Ok((self.until()?, start))) {
                Err(diagnostic) => made[run - first] = Some(self.not_started(run, &values, diagnostic)),
                Ok((None, _)) => {}
                Ok((Some(until), start)) => {
                    let energy = self.energy(&start);
                    let y = start.x.iter().chain(&start.eta).copied().collect();
                    let programs = self.sweep.lanes.as_ref().map(|(_, programs)| programs);
                    let constants =
                        programs.map_or(Vec::new(), |p| p.constants(&self.model.compiled, &start.x));
                    jobs.push(Job { id: started.len(), t: start.t, t_end: until, y, constants });
                    let (parameters, motion) = (self.parameters(), Vec::new());
                    started.push(ConsistentState { run, values, parameters, energy, motion });
                }
            }
        }
        let mut arrived = Vec::with_capacity(started.len());
        let cancelled = || cancel.load(Ordering::Relaxed);
        let note = |row: Sampled<'_>| {
            if self.sweep.plan.motions {
                started[row.id].note(row);
            }
        };
        driver.march_with_rows(jobs, cancelled, note, |ended| {
            if let Ended::Arrived { .. } = ended {
                arrived.push(ended);
            }
        });
        for ended in arrived {
            if let Ended::Arrived { id, t, y, event, steps, residual, .. } = ended {
                let s = &started[id];
                if let Some(parameters) = &s.parameters {
                    self.model.compiled.set_parameters(parameters);
                }
                let end: Vec<f64> = [t].into_iter().chain(y).collect();
                made[s.run - first] = self.made_in_lanes(s, &end, event, [residual, steps as f64]);
            }
        }
        driver
    }

    /// The end time of the run whose parameters are set; nothing if its options are others than those of the lanes.
    fn until(&mut self) -> Result<Option<f64>, Box<Diagnostic>> {
        let (common, request) = (&self.sweep.resolved, &self.sweep.plan.request);
        if !self.sweep.targets.change_parameters() {
            return Ok(Some(common.until));
        }
        let own = self.model.options(request)?;
        Ok((own.options == common.options).then_some(own.until))
    }

    /// The energy at a state, NaN if it is unknown.
    fn energy(&mut self, state: &State) -> f64 {
        if self.model.system.energies.total.is_none() {
            return f64::NAN;
        }
        self.model.compiled.glance(state.point(), &mut self.scratch, &mut self.outputs);
        self.outputs.last().copied().unwrap_or(f64::NAN)
    }

    /// A run that arrived; nothing if its outputs cannot be had somewhere, which the ordinary way will explain.
    fn made_in_lanes(
        &mut self,
        started: &ConsistentState,
        end: &[f64],
        event: Option<EventHit>,
        [residual, steps]: [f64; 2],
    ) -> Option<CompletedRun> {
        let motion = self.with_outputs(&started.motion)?;
        let last = self.with_outputs(end)?;
        let n_x = self.model.form.coordinates.len();
        let change = self.energy(&State::new(end[0], &end[1..=n_x], &end[1 + n_x..])) - started.energy;
        let numbers = self.numbers(started.run, &started.values, &last, [change, residual, steps]);
        let status = event.map_or(Status::Done, |hit| {
            let mut stops = self.model.system.experiment.events.iter().filter(|event| event.stop);
            Status::Event(stops.nth(hit.index).map(|event| event.name.clone()).unwrap_or_default())
        });
        Some(CompletedRun { row: SweepRow { numbers, status }, motion })
    }

    /// Rows of t and the state, completed by the outputs.
    fn with_outputs(&mut self, states: &[f64]) -> Option<Vec<f64>> {
        let (compiled, outputs) = (&self.model.compiled, self.model.system.experiment.outputs.len());
        let shape = compiled.shape();
        let width = 1 + shape.n_x + shape.n_eta;
        let sticking = StickingKernel::new(compiled, ContactModes::new(&shape));
        let mut reporter = self.sweep.solved_outputs.then(|| Reporter::new(&sticking));
        let mut rows = Vec::with_capacity(states.len() / width * (width + outputs));
        for state in states.chunks(width) {
            let (x, eta) = state[1..].split_at(shape.n_x);
            let at = Point { t: state[0], x, eta };
            match &mut reporter {
                None => compiled.glance(at, &mut self.scratch, &mut self.outputs),
                Some(reporter) => {
                    reporter.solve(&sticking, at, ControlInput::Required).ok()?;
                    compiled.outputs(at, reporter.terms(), reporter.solution(), &[], &mut self.outputs);
                }
            }
            rows.push(at.t);
            rows.extend(self.model.system.table_state(x, eta));
            rows.extend_from_slice(&self.outputs[..outputs]);
        }
        Some(rows)
    }

    fn numbers(&self, run: usize, values: &[f64], last: &[f64], rest: [f64; 3]) -> Vec<f64> {
        [run as f64].iter().chain(values).chain(last).chain(&rest).copied().collect()
    }

    fn not_started(&self, run: usize, values: &[f64], diagnostic: Box<Diagnostic>) -> CompletedRun {
        let width = 1 + self.model.state_names().len() + self.model.system.experiment.outputs.len();
        let unknown = vec![f64::NAN; width];
        let numbers = self.numbers(run, values, &unknown, [f64::NAN, f64::NAN, 0.0]);
        CompletedRun { row: SweepRow { numbers, status: Status::Failed(diagnostic) }, motion: Vec::new() }
    }

    /// A run by the ordinary driver; nothing if it was cancelled.
    fn alone(&mut self, run: usize, cancel: &AtomicBool) -> Option<CompletedRun> {
        // Each run in a workspace of its own: its digits depend on its number alone.
        self.model = self.sweep.model.clone();
        let values = self.sweep.values(run);
        let progress = |_| if cancel.load(Ordering::Relaxed) { Flow::Cancel } else { Flow::Continue };
        let motion = self.prepare(&values).and_then(|start| {
            let request = Request { start: Some(start), ..self.sweep.plan.request.clone() };
            self.model.simulate(&request, progress)
        });
        let motion = match motion {
            Ok(motion) if motion.outcome.stop == Stop::Cancelled => return None,
            Ok(motion) => motion,
            Err(diagnostic) => return Some(self.not_started(run, &values, diagnostic)),
        };
        Some(self.made_alone(run, &values, motion))
    }

    fn made_alone(&self, run: usize, values: &[f64], motion: Motion) -> CompletedRun {
        let outcome = &motion.outcome;
        let mut last: Vec<f64> = motion.table.rows().last().map(<[f64]>::to_vec).unwrap_or_default();
        last.resize(motion.table.columns.len(), f64::NAN);
        let residual = outcome.largest_position_residual.max(outcome.largest_velocity_residual);
        let change = motion.energy_change.unwrap_or(f64::NAN);
        let numbers = self.numbers(run, values, &last, [change, residual, outcome.counters.steps as f64]);
        let event = |index: usize| self.model.system.experiment.events.get(index).map(|e| e.name.clone());
        let status = match (motion.failure, &outcome.stop) {
            (Some(diagnostic), _) => Status::Failed(Box::new(diagnostic)),
            (None, Stop::Event(hit)) => Status::Event(event(hit.index).unwrap_or_default()),
            (None, _) => Status::Done,
        };
        let motion = if self.sweep.plan.motions { motion.table.values } else { Vec::new() };
        CompletedRun { row: SweepRow { numbers, status }, motion }
    }
}

impl ConsistentState {
    fn note(&mut self, row: Sampled<'_>) {
        let width = 1 + row.y.len();
        // As in a run by itself, an event within rounding of a row that was asked for takes its place.
        if let Some(last) = self.motion.len().checked_sub(width)
            && (row.t - self.motion[last]).abs() <= 16.0 * f64::EPSILON * row.t.abs()
        {
            self.motion.truncate(last);
        }
        self.motion.push(row.t);
        self.motion.extend_from_slice(row.y);
    }
}

/// Blocks over threads.
impl Sweep {
    /// Makes the blocks whose numbers are given, on `threads` threads; `take` is handed each as it is ready, in no
    /// particular order, and may end the sweep. So may `cancel`, from anywhere: blocks that are not ready are dropped.
    /// Memory does not depend on how many there are.
    pub fn execute(
        &self,
        threads: usize,
        blocks: impl IntoIterator<Item = usize, IntoIter: Send>,
        cancel: &AtomicBool,
        mut take: impl FnMut(Block) -> Flow,
    ) {
        let blocks = Mutex::new(blocks.into_iter().filter(|b| *b < self.blocks()).fuse());
        let next = || blocks.lock().ok().and_then(|mut blocks| blocks.next());
        let threads = threads.max(1);
        let (sender, receiver) = sync_channel::<Block>(2 * threads);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let sender = sender.clone();
                let next = &next;
                scope.spawn(move || {
                    let Some(mut block) = next() else { return };
                    let mut worker = Worker::new(self);
                    while !cancel.load(Ordering::Relaxed) {
                        let Some(made) = worker.block(block, cancel) else { return };
                        if sender.send(made).is_err() {
                            return;
                        }
                        let Some(following) = next() else { return };
                        block = following;
                    }
                });
            }
            drop(sender);
            for block in receiver {
                if take(block) == Flow::Cancel {
                    cancel.store(true, Ordering::Relaxed);
                    // Those who wait to hand over a block find nobody and end.
                    break;
                }
            }
        });
    }
}
