//! One thread's share: runs prepared, moved and written down as rows.

use super::{Block, Row, Status, Sweep};
use crate::diagnostic::Diagnostic;
use crate::model::Model;
use crate::simulate::{Motion, Request, Table};
use dalembert_run::ensemble::{Ended, Job, Marcher};
use dalembert_run::{Flow, Kernel, State, Stop};
use std::sync::atomic::{AtomicBool, Ordering};

/// A run in the lanes: where it starts and with which energy.
struct Started {
    run: usize,
    values: Vec<f64>,
    /// Its parameters, where they change.
    parameters: Option<Vec<f64>>,
    until: f64,
    energy: f64,
}

pub(super) struct Worker<'s> {
    sweep: &'s Sweep,
    model: Model,
    marcher: Option<Marcher<'s>>,
    scratch: Vec<f64>,
    outputs: Vec<f64>,
}

impl<'s> Worker<'s> {
    pub fn new(sweep: &'s Sweep) -> Self {
        let model = sweep.model.clone();
        Worker {
            marcher: sweep.lanes.as_ref().map(|(ensemble, _)| ensemble.marcher()),
            scratch: vec![0.0; model.compiled.scratch_len()],
            outputs: vec![0.0; model.compiled.output_count()],
            sweep,
            model,
        }
    }

    /// Makes a block; nothing if it was cancelled.
    pub fn block(&mut self, index: usize, cancel: &AtomicBool) -> Option<Block> {
        let runs = self.sweep.runs_of(index);
        let mut rows: Vec<Option<Row>> = vec![None; runs.len()];
        if let Some(marcher) = self.marcher.take() {
            let marcher = self.in_lanes(runs.clone(), marcher, &mut rows, cancel);
            self.marcher = Some(marcher);
        }
        let in_lanes = rows.iter().flatten().filter(|row| row.status == Status::Done).count();
        let mut motions = self.sweep.plan.motions.then(|| self.no_motions());
        for (run, row) in runs.zip(&mut rows) {
            if row.is_none() {
                *row = Some(self.alone(run, motions.as_mut(), cancel)?);
            }
        }
        let cancelled = cancel.load(Ordering::Relaxed);
        (!cancelled).then(|| Block { index, rows: rows.into_iter().flatten().collect(), in_lanes, motions })
    }

    fn no_motions(&self) -> Table {
        let mut columns = vec!["run".to_owned(), "t".to_owned()];
        columns.extend(self.model.state_names().into_iter().map(str::to_owned));
        columns.extend(self.model.system.outputs.iter().map(|o| o.name.clone()));
        Table { columns, values: Vec::new() }
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

    /// Puts the runs of a block through the lanes; rows of those that must be made alone stay empty.
    fn in_lanes(
        &mut self,
        runs: std::ops::Range<usize>,
        mut marcher: Marcher<'s>,
        rows: &mut [Option<Row>],
        cancel: &AtomicBool,
    ) -> Marcher<'s> {
        let (first, mut jobs, mut started) = (runs.start, Vec::new(), Vec::new());
        for run in runs {
            let values = self.sweep.values(run);
            match self.prepare(&values).and_then(|start| Ok((self.until()?, start))) {
                Err(diagnostic) => rows[run - first] = Some(self.not_started(run, &values, diagnostic)),
                Ok((None, _)) => {}
                Ok((Some(until), start)) => {
                    let energy = self.energy(&start);
                    let y = start.x.iter().chain(&start.eta).copied().collect();
                    let programs = self.sweep.lanes.as_ref().map(|(_, programs)| programs);
                    let constants =
                        programs.map_or(Vec::new(), |p| p.constants(&self.model.compiled, &start.x));
                    jobs.push(Job { id: started.len(), t: start.t, t_end: until, y, constants });
                    started.push(Started { run, values, parameters: self.parameters(), until, energy });
                }
            }
        }
        let mut arrived = Vec::with_capacity(started.len());
        let cancelled = || cancel.load(Ordering::Relaxed);
        marcher.march(jobs, cancelled, |ended| {
            if let Ended::Arrived { id, y, steps, residual, .. } = ended {
                arrived.push((id, y, [residual, steps as f64]));
            }
        });
        for (id, y, course) in arrived {
            let s = &started[id];
            if let Some(parameters) = &s.parameters {
                self.model.compiled.set_parameters(parameters);
            }
            rows[s.run - first] = self.row_in_lanes(s, &y, course);
        }
        marcher
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
        if self.model.system.energy.is_none() {
            return f64::NAN;
        }
        self.model.compiled.glance(state.point(), &mut self.scratch, &mut self.outputs);
        self.outputs.last().copied().unwrap_or(f64::NAN)
    }

    /// A run that arrived; nothing if its outputs cannot be had there, which the ordinary way will explain.
    fn row_in_lanes(&mut self, started: &Started, y: &[f64], [residual, steps]: [f64; 2]) -> Option<Row> {
        let n_x = self.model.form.coordinates.len();
        let end = State::new(started.until, &y[..n_x], &y[n_x..]);
        let change = self.energy(&end) - started.energy;
        let outputs: Vec<f64> = if self.sweep.solved_outputs {
            self.model.evaluate(&end).ok()?.outputs
        } else {
            self.model.compiled.glance(end.point(), &mut self.scratch, &mut self.outputs);
            self.outputs[..self.model.system.outputs.len()].to_vec()
        };
        let last: Vec<f64> = [end.t].iter().chain(y).chain(&outputs).copied().collect();
        let numbers = self.numbers(started.run, &started.values, &last, [change, residual, steps]);
        Some(Row { numbers, status: Status::Done })
    }

    fn numbers(&self, run: usize, values: &[f64], last: &[f64], rest: [f64; 3]) -> Vec<f64> {
        [run as f64].iter().chain(values).chain(last).chain(&rest).copied().collect()
    }

    fn not_started(&self, run: usize, values: &[f64], diagnostic: Box<Diagnostic>) -> Row {
        let width = 1 + self.model.state_names().len() + self.model.system.outputs.len();
        let unknown = vec![f64::NAN; width];
        let numbers = self.numbers(run, values, &unknown, [f64::NAN, f64::NAN, 0.0]);
        Row { numbers, status: Status::Failed(diagnostic) }
    }

    /// A run by the ordinary driver; nothing if it was cancelled.
    fn alone(&mut self, run: usize, motions: Option<&mut Table>, cancel: &AtomicBool) -> Option<Row> {
        // A run must not see what the driver made of the system for the one before.
        self.model.compiled.clone_from(&self.sweep.model.compiled);
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
        if let Some(motions) = motions {
            for row in motion.table.rows() {
                motions.values.push(run as f64);
                motions.values.extend_from_slice(row);
            }
        }
        Some(self.row_alone(run, &values, motion))
    }

    fn row_alone(&self, run: usize, values: &[f64], motion: Motion) -> Row {
        let outcome = &motion.outcome;
        let mut last: Vec<f64> = motion.table.rows().last().map(<[f64]>::to_vec).unwrap_or_default();
        last.resize(motion.table.columns.len(), f64::NAN);
        let residual = outcome.largest_position_residual.max(outcome.largest_velocity_residual);
        let change = motion.energy_change.unwrap_or(f64::NAN);
        let numbers = self.numbers(run, values, &last, [change, residual, outcome.counters.steps as f64]);
        let event = |index: usize| self.model.system.events.get(index).map(|e| e.name.clone());
        let status = match (motion.failure, &outcome.stop) {
            (Some(diagnostic), _) => Status::Failed(Box::new(diagnostic)),
            (None, Stop::Event(hit)) => Status::Event(event(hit.index).unwrap_or_default()),
            (None, _) => Status::Done,
        };
        Row { numbers, status }
    }
}
