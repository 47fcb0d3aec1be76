//! What happens inside a step: events that end a run, and rows at the times that were asked for.
//!
//! States inside a step come from the polynomial of the method and are brought back to the constraints.

use super::{LaneDriver, Tried};
use crate::ensemble::{Ensemble, Job, LANES, Sampled};
use crate::hybrid::events::EventSearch;
use crate::hybrid::options::OutputTimes;
use crate::hybrid::outcome::EventHit;
use crate::hybrid::tolerances::{DUE_SOON, SAME_TIME};
use dalembert_linalg::norm_max;

/// What looks inside steps, for one thread.
pub(in crate::ensemble) struct DenseRows {
    /// States at the start of the step.
    origin: Vec<f64>,
    /// Whether the last step has its polynomial.
    known: bool,
    /// States inside of it.
    pub y: Vec<f64>,
    /// Times of the rows of the step, lane by lane.
    due: [Vec<f64>; LANES],
    row: Vec<f64>,
}

impl DenseRows {
    pub fn new(dim: usize) -> Self {
        Self {
            origin: vec![0.0; dim * LANES],
            known: false,
            y: vec![0.0; dim * LANES],
            due: [const { Vec::new() }; LANES],
            row: vec![0.0; dim],
        }
    }
}

/// What is asked of the motion of one run.
pub(in crate::ensemble) struct Agenda {
    pub schedule: OutputTimes,
    pub events: Option<EventSearch>,
    /// Time of the last row.
    last_row: f64,
    /// What stopped the run.
    pub stopped: Option<EventHit>,
}

impl Agenda {
    pub fn new(ensemble: &Ensemble, job: &Job) -> Self {
        let functions = ensemble.kernel.events().map_or(0, |events| events.program().output_count());
        Self {
            schedule: OutputTimes::new(&ensemble.output, job.t, job.t_end),
            events: ensemble.always_inside().then(|| EventSearch::new(&ensemble.rules, functions)),
            last_row: f64::NAN,
            stopped: None,
        }
    }
}

impl LaneDriver<'_> {
    /// The first row of a run and the signs of its event functions.
    pub(in crate::ensemble) fn open(&mut self, l: usize, rows: &mut dyn FnMut(Sampled<'_>)) {
        if let Some(lane) = &self.lanes[l] {
            self.give_row(l, lane.t, rows);
            self.begin_events(l, norm_max(&self.within.row));
        }
    }

    /// The last row of a run, unless it has been given.
    pub(in crate::ensemble) fn close(&mut self, l: usize, rows: &mut dyn FnMut(Sampled<'_>)) {
        if let Some(lane) = &self.lanes[l]
            && lane.agenda.last_row != lane.t
        {
            self.give_row(l, lane.t, rows);
        }
    }

    /// Whether the motion inside the step that is about to be tried may be wanted; notes where it starts.
    pub(in crate::ensemble) fn looks_inside(&mut self) -> bool {
        let due = |lane: &super::Lane| {
            lane.agenda.schedule.peek().is_some_and(|due| due - lane.t <= (1.0 + DUE_SOON) * lane.trying)
        };
        let ensemble = self.ensemble;
        self.within.known = ensemble.interpolant.is_some()
            && (ensemble.always_inside() || self.lanes.iter().flatten().any(due));
        if self.within.known {
            self.within.origin.copy_from_slice(&self.inputs[2 * LANES..(2 + self.dim) * LANES]);
        }
        self.within.known
    }

    /// Gives the rows inside the steps that were accepted, up to events that stop.
    pub(in crate::ensemble) fn look_inside(
        &mut self,
        tried: &mut [Tried; LANES],
        rows: &mut dyn FnMut(Sampled<'_>),
    ) {
        if self.ensemble.always_inside() {
            self.find_stops(tried);
        }
        for l in 0..LANES {
            self.within.due[l].clear();
            if let (Some(lane), Tried::Accepted) = (&mut self.lanes[l], tried[l]) {
                lane.list_rows(&mut self.within.due[l]);
            }
        }
        for k in 0.. {
            let at: [Option<f64>; LANES] = std::array::from_fn(|l| self.within.due[l].get(k).copied());
            if at.iter().all(Option::is_none) {
                break;
            }
            let sound = self.states_at(at);
            for l in 0..LANES {
                let Some(t) = at[l] else { continue };
                if sound[l] {
                    self.take_row(l, t, rows);
                } else {
                    tried[l] = Tried::GivesUp;
                    self.within.due[l].clear();
                }
            }
        }
        for (l, tried) in tried.iter_mut().enumerate().filter(|(_, tried)| **tried == Tried::Accepted) {
            if let Some(lane) = &mut self.lanes[l]
                && let Some(hit) = lane.agenda.stopped
            {
                lane.t = hit.t;
                *tried = Tried::Stopped;
            }
        }
    }

    /// Gives the state of a lane inside the step; the one at which it stops takes the place of its end.
    fn take_row(&mut self, l: usize, t: f64, rows: &mut dyn FnMut(Sampled<'_>)) {
        let end: Vec<f64> = (0..self.dim).map(|k| self.inputs[(2 + k) * LANES + l]).collect();
        (0..self.dim).for_each(|k| self.inputs[(2 + k) * LANES + l] = self.within.y[k * LANES + l]);
        self.give_row(l, t, rows);
        let stops =
            self.lanes[l].as_ref().is_some_and(|lane| lane.agenda.stopped.is_some_and(|hit| hit.t == t));
        if !stops {
            end.iter().enumerate().for_each(|(k, v)| self.inputs[(2 + k) * LANES + l] = *v);
        }
    }

    /// Gives the state of a lane as it is.
    fn give_row(&mut self, l: usize, t: f64, rows: &mut dyn FnMut(Sampled<'_>)) {
        let (fours, _) = self.inputs.as_chunks::<LANES>();
        self.within.row.iter_mut().zip(&fours[2..]).for_each(|(y, four)| *y = four[l]);
        if let Some(lane) = &mut self.lanes[l] {
            lane.agenda.last_row = t;
            rows(Sampled { id: lane.id, t, y: &self.within.row });
        }
    }

    /// The states at times inside the last step, on the constraints; in which lanes they are sound.
    pub(in crate::ensemble) fn states_at(&mut self, at: [Option<f64>; LANES]) -> [bool; LANES] {
        let (d, ensemble, within) = (self.dim, self.ensemble, &mut self.within);
        let (mut theta, mut inside, mut sound) = ([0.0; LANES], [false; LANES], [false; LANES]);
        for (l, lane) in self.lanes.iter().enumerate() {
            if let (Some(lane), Some(at)) = (lane, at[l]) {
                theta[l] = (at - lane.from) / lane.trying;
                inside[l] = (at - lane.t).abs() > SAME_TIME * lane.trying;
                sound[l] = !inside[l];
            }
        }
        if let Some(interpolant) = ensemble.interpolant.as_ref().filter(|_| within.known) {
            let polynomial = &self.outputs[(d + self.handed_on + 2) * LANES..];
            let (coefficients, trusted) = polynomial.split_at(interpolant.coefficients.len() * d * LANES);
            interpolant.at(theta, &within.origin, coefficients, &mut within.y);
            for l in (0..LANES).filter(|l| inside[*l]) {
                sound[l] = trusted[l] == 1.0 && (0..d).all(|k| within.y[k * LANES + l].is_finite());
            }
        }
        for l in (0..LANES).filter(|l| !inside[*l]) {
            (0..d).for_each(|k| within.y[k * LANES + l] = self.inputs[(2 + k) * LANES + l]);
        }
        if let (Some(keeper), Some(keep)) = (&mut self.keeper, ensemble.kernel.keep()) {
            let constants = &self.inputs[(2 + d + self.handed_on) * LANES..];
            let wanted = std::array::from_fn(|l| sound[l] && inside[l]);
            let left =
                keeper.bring_back(keep, at.map(|t| t.unwrap_or(0.0)), &mut within.y, constants, wanted);
            for (l, lane) in self.lanes.iter_mut().enumerate().filter(|(l, _)| wanted[*l]) {
                sound[l] = left[l].is_some();
                if let (Some(lane), Some(left)) = (lane, left[l]) {
                    lane.constraints.residual = lane.constraints.residual.max(left);
                }
            }
        }
        sound
    }
}

impl super::Lane {
    /// The times of the rows of the last step.
    fn list_rows(&mut self, due: &mut Vec<f64>) {
        let (slack, agenda) = (SAME_TIME * self.trying, &mut self.agenda);
        let every_step = agenda.schedule.every_step();
        let until = agenda.stopped.map_or(self.t, |hit| hit.t);
        while let Some(time) = agenda.schedule.pop_until(until, slack) {
            // The end is given by its step, once.
            if !(every_step && (time - self.t).abs() <= slack) {
                due.push(time);
            }
        }
        match agenda.stopped {
            Some(hit) => due.push(hit.t),
            None if every_step => due.push(self.t),
            None => {}
        }
    }
}
