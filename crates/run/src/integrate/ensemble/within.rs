//! What happens inside a step: events that end a run, and rows at the times that were asked for.
//!
//! States inside a step come from the polynomial of the method and are brought back to the constraints. Event functions
//! are sampled and their zeros located by `events`, as for a run by itself; the places every step is looked at in any case
//! are taken in all lanes at once.

use super::super::events::{Events, first_places};
use super::super::outcome::EventHit;
use super::super::schedule::Schedule;
use super::march::{Marcher, Tried};
use super::{Ensemble, Job, LANES, Sampled};
use crate::linalg::norm_max;

/// Times this close to the end of a step, in parts of it, are the end.
const SAME: f64 = 1e-12;
/// Rows this close behind the end of a step, in parts of it, may turn out to be due.
const SOON: f64 = 1e-6;

/// What looks inside steps, for one thread.
pub(super) struct Within {
    /// States at the start of the step.
    origin: Vec<f64>,
    /// Whether the last step has its polynomial.
    known: bool,
    /// States inside of it.
    y: Vec<f64>,
    /// t, y and constants of the event functions.
    inputs: Vec<f64>,
    g: Vec<f64>,
    workspace: Vec<f64>,
    /// Event functions at the first places of the step, one place after the other.
    samples: Vec<f64>,
    places: Vec<f64>,
    /// Times of the rows of the step, lane by lane.
    due: [Vec<f64>; LANES],
    row: Vec<f64>,
}

impl Within {
    pub fn new(ensemble: &Ensemble) -> Self {
        let kernel = &*ensemble.kernel;
        let (dim, events) = (kernel.dim(), kernel.events().filter(|_| ensemble.always_inside()));
        let functions = events.map_or(0, |events| events.program().output_count());
        let places = first_places().to_vec();
        Self {
            origin: vec![0.0; dim * LANES],
            known: false,
            y: vec![0.0; dim * LANES],
            inputs: vec![0.0; (1 + dim + kernel.constants()) * LANES],
            g: vec![0.0; functions * LANES],
            workspace: vec![0.0; events.map_or(0, |events| events.workspace())],
            samples: vec![0.0; places.len() * functions * LANES],
            places,
            due: [const { Vec::new() }; LANES],
            row: vec![0.0; dim],
        }
    }

    /// The event functions of a lane at one of the first places.
    fn sample(&self, place: usize, l: usize, g: &mut [f64]) {
        let n = g.len();
        g.iter_mut().enumerate().for_each(|(i, g)| *g = self.samples[(place * n + i) * LANES + l]);
    }
}

/// What is asked of the motion of one run.
pub(super) struct Agenda {
    pub schedule: Schedule,
    events: Option<Events>,
    /// Time of the last row.
    last_row: f64,
    /// What stopped the run.
    pub stopped: Option<EventHit>,
}

impl Agenda {
    pub fn new(ensemble: &Ensemble, job: &Job) -> Self {
        let functions = ensemble.kernel.events().map_or(0, |events| events.program().output_count());
        Self {
            schedule: Schedule::new(&ensemble.output, job.t, job.t_end),
            events: ensemble.always_inside().then(|| Events::new(&ensemble.rules, functions)),
            last_row: f64::NAN,
            stopped: None,
        }
    }

    /// The first of the last hits that ends the run.
    fn first_stop(events: &Events) -> Option<EventHit> {
        events.hits.iter().find(|hit| events.stops(hit)).copied()
    }
}

impl Marcher<'_> {
    /// The first row of a run and the signs of its event functions.
    pub(super) fn open(&mut self, l: usize, rows: &mut dyn FnMut(Sampled<'_>)) {
        let Some(lane) = &mut self.lanes[l] else { return };
        let (t, events) = (lane.t, lane.agenda.events.take());
        self.give_row(l, t, rows);
        if let Some(mut events) = events {
            self.within.y.copy_from_slice(&self.inputs[2 * LANES..(2 + self.dim) * LANES]);
            self.run_events(std::array::from_fn(|_| t));
            let size = norm_max(&self.within.row);
            events.begin(
                |g| g.iter_mut().zip(self.within.g.as_chunks::<LANES>().0).for_each(|(g, v)| *g = v[l]),
                size,
            );
            if let Some(lane) = &mut self.lanes[l] {
                lane.agenda.events = Some(events);
            }
        }
    }

    /// The last row of a run, unless it has been given.
    pub(super) fn close(&mut self, l: usize, rows: &mut dyn FnMut(Sampled<'_>)) {
        if let Some(lane) = &self.lanes[l]
            && lane.agenda.last_row != lane.t
        {
            self.give_row(l, lane.t, rows);
        }
    }

    /// Whether the motion inside the step that is about to be tried may be wanted; notes where it starts.
    pub(super) fn looks_inside(&mut self) -> bool {
        let due = |lane: &super::march::Lane| {
            lane.agenda.schedule.peek().is_some_and(|due| due - lane.t <= (1.0 + SOON) * lane.trying)
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
    pub(super) fn look_inside(&mut self, tried: &mut [Tried; LANES], rows: &mut dyn FnMut(Sampled<'_>)) {
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
    fn states_at(&mut self, at: [Option<f64>; LANES]) -> [bool; LANES] {
        let (d, ensemble, within) = (self.dim, self.ensemble, &mut self.within);
        let (mut theta, mut inside, mut sound) = ([0.0; LANES], [false; LANES], [false; LANES]);
        for (l, lane) in self.lanes.iter().enumerate() {
            if let (Some(lane), Some(at)) = (lane, at[l]) {
                theta[l] = (at - lane.from) / lane.trying;
                inside[l] = (at - lane.t).abs() > SAME * lane.trying;
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

    /// The event functions at the states in `within`.
    fn run_events(&mut self, t: [f64; LANES]) {
        let (d, within) = (self.dim, &mut self.within);
        let Some(events) = self.ensemble.kernel.events() else { return };
        within.inputs[..LANES].copy_from_slice(&t);
        within.inputs[LANES..(1 + d) * LANES].copy_from_slice(&within.y);
        within.inputs[(1 + d) * LANES..].copy_from_slice(&self.inputs[(2 + d + self.handed_on) * LANES..]);
        events.run(&within.inputs, &mut within.workspace, &mut within.g);
    }

    /// The times at a fraction of the steps of some lanes.
    fn times(&self, theta: f64, wanted: [bool; LANES]) -> [Option<f64>; LANES] {
        let time = |l: usize| {
            self.lanes[l].as_ref().filter(|_| wanted[l]).map(|lane| lane.from + theta * lane.trying)
        };
        std::array::from_fn(time)
    }

    /// Looks for events in the steps that were accepted; a run they stop is noted.
    fn find_stops(&mut self, tried: &mut [Tried; LANES]) {
        let mut wanted = tried.map(|tried| tried == Tried::Accepted);
        if !wanted.contains(&true) {
            return;
        }
        let functions = self.within.g.len();
        for place in 0..self.within.places.len() {
            let at = self.times(self.within.places[place], wanted);
            let sound = self.states_at(at);
            (0..LANES).for_each(|l| wanted[l] &= sound[l]);
            self.run_events(at.map(|t| t.unwrap_or(0.0)));
            self.within.samples[place * functions..(place + 1) * functions].copy_from_slice(&self.within.g);
        }
        for l in 0..LANES {
            if tried[l] == Tried::Accepted && !(wanted[l] && self.scan(l)) {
                tried[l] = Tried::GivesUp;
            }
        }
    }

    /// Looks at the samples of one lane and, where they leave doubts, between them. Whether all states were sound.
    fn scan(&mut self, l: usize) -> bool {
        let Some(lane) = &mut self.lanes[l] else { return true };
        let Some(mut events) = lane.agenda.events.take() else { return true };
        let (t, h, ends) = (lane.from, lane.trying, lane.t == lane.t_end);
        let (mut only, mut sound) = ([false; LANES], true);
        only[l] = true;
        events.scan(
            t,
            h,
            &mut |theta, g| match self.within.places.iter().position(|place| *place == theta) {
                Some(place) => self.within.sample(place, l, g),
                None => {
                    let at = self.times(theta, only);
                    sound &= self.states_at(at)[l];
                    self.run_events(at.map(|t| t.unwrap_or(0.0)));
                    g.iter_mut().zip(self.within.g.as_chunks::<LANES>().0).for_each(|(g, v)| *g = v[l]);
                }
            },
        );
        if ends {
            events.close(0, t, h);
        }
        if let Some(lane) = &mut self.lanes[l] {
            lane.agenda.stopped = Agenda::first_stop(&events);
            lane.agenda.events = Some(events);
        }
        sound
    }
}

impl super::march::Lane {
    /// The times of the rows of the last step.
    fn list_rows(&mut self, due: &mut Vec<f64>) {
        let (slack, agenda) = (SAME * self.trying, &mut self.agenda);
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
