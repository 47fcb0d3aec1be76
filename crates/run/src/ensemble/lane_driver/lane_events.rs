//! Events that end a run, looked for inside the steps of all lanes.
//!
//! The functions are sampled at the places every step is looked at in any case in all lanes at once; the rest is done for
//! each lane by `events`, as for a run by itself.

use super::{Lane, LaneDriver, Tried};
use crate::ensemble::event_screen::{COUNT, EventScreen};
use crate::ensemble::{Ensemble, LANES};
use crate::hybrid::events::first_places;

/// Event functions of all lanes.
pub(in crate::ensemble) struct LaneEvents {
    /// t, y and constants.
    inputs: Vec<f64>,
    g: Vec<f64>,
    workspace: Vec<f64>,
    /// Their values at the first places of a step, one place after the other.
    samples: Vec<f64>,
    places: Vec<f64>,
    quiet: EventScreen,
}

impl LaneEvents {
    pub fn new(ensemble: &Ensemble) -> Self {
        let kernel = &*ensemble.kernel;
        let events = kernel.events().filter(|_| ensemble.always_inside());
        let functions = events.map_or(0, |events| events.program().output_count());
        let places = first_places().to_vec();
        Self {
            inputs: vec![0.0; (1 + kernel.dim() + kernel.constants()) * LANES],
            g: vec![0.0; functions * LANES],
            workspace: vec![0.0; events.map_or(0, |events| events.workspace())],
            samples: vec![0.0; places.len() * functions * LANES],
            places,
            quiet: EventScreen::new(),
        }
    }
}

impl LaneEvents {
    /// Values at the end of the step.
    fn at_end(&self) -> &[f64] {
        let last = self.places.iter().position(|place| *place == 1.0).unwrap_or(0);
        &self.samples[last * self.g.len()..(last + 1) * self.g.len()]
    }

    /// In which lanes nothing happens in the last step, for sure.
    fn nothing_happens(&self, lanes: &[Option<Lane>; LANES]) -> [bool; LANES] {
        let functions = self.g.len() / LANES;
        let mut sure = [true; LANES];
        for i in 0..functions {
            let mut signs = [0.0; LANES];
            let mut values = [[0.0; LANES]; COUNT];
            for (l, lane) in lanes.iter().enumerate() {
                let events = lane.as_ref().and_then(|lane| lane.agenda.events.as_ref());
                if let Some((sign, g)) = events.and_then(|events| events.before().nth(i)) {
                    (signs[l], values[0][l]) = (sign, sign * g);
                }
            }
            for (four, samples) in values[1..].iter_mut().zip(self.samples.chunks(self.g.len())) {
                (0..LANES).for_each(|l| four[l] = signs[l] * samples[i * LANES + l]);
            }
            let quiet = self.quiet.sure(&values);
            (0..LANES).for_each(|l| sure[l] &= quiet[l]);
        }
        sure
    }
}

/// One lane of numbers that stand four by four.
fn pick(fours: &[f64], l: usize, out: &mut [f64]) {
    out.iter_mut().zip(fours.as_chunks::<LANES>().0).for_each(|(out, four)| *out = four[l]);
}

impl LaneDriver<'_> {
    /// The signs of the event functions at the start of a run; `size` is that of the state.
    pub(in crate::ensemble) fn begin_events(&mut self, l: usize, size: f64) {
        let Some(lane) = &mut self.lanes[l] else { return };
        let (t, Some(mut events)) = (lane.t, lane.agenda.events.take()) else { return };
        self.within.y.copy_from_slice(&self.inputs[2 * LANES..(2 + self.dim) * LANES]);
        self.run_events([t; LANES]);
        events.begin(|g| pick(&self.stops.g, l, g), size);
        if let Some(lane) = &mut self.lanes[l] {
            lane.agenda.events = Some(events);
        }
    }

    /// The event functions at the states in `within`.
    fn run_events(&mut self, t: [f64; LANES]) {
        let (d, stops) = (self.dim, &mut self.stops);
        let Some(events) = self.ensemble.kernel.events() else { return };
        stops.inputs[..LANES].copy_from_slice(&t);
        stops.inputs[LANES..(1 + d) * LANES].copy_from_slice(&self.within.y);
        stops.inputs[(1 + d) * LANES..].copy_from_slice(&self.inputs[(2 + d + self.handed_on) * LANES..]);
        events.run(&stops.inputs, &mut stops.workspace, &mut stops.g);
    }

    /// The times at a fraction of the steps of some lanes.
    fn times(&self, theta: f64, wanted: [bool; LANES]) -> [Option<f64>; LANES] {
        let time = |l: usize| {
            self.lanes[l].as_ref().filter(|_| wanted[l]).map(|lane| lane.from + theta * lane.trying)
        };
        std::array::from_fn(time)
    }

    /// Looks for events in the steps that were accepted; a run they stop is noted.
    pub(in crate::ensemble) fn find_stops(&mut self, tried: &mut [Tried; LANES]) {
        let mut wanted = tried.map(|tried| tried == Tried::Accepted);
        if !wanted.contains(&true) {
            return;
        }
        let functions = self.stops.g.len();
        for place in 0..self.stops.places.len() {
            let at = self.times(self.stops.places[place], wanted);
            let sound = self.states_at(at);
            (0..LANES).for_each(|l| wanted[l] &= sound[l]);
            self.run_events(at.map(|t| t.unwrap_or(0.0)));
            self.stops.samples[place * functions..(place + 1) * functions].copy_from_slice(&self.stops.g);
        }
        let sure = self.stops.nothing_happens(&self.lanes);
        for l in 0..LANES {
            if tried[l] == Tried::Accepted && !(wanted[l] && (self.pass(l, sure[l]) || self.scan(l))) {
                tried[l] = Tried::GivesUp;
            }
        }
    }

    /// Goes on where nothing happened; the end of a run is looked at in any case.
    fn pass(&mut self, l: usize, sure: bool) -> bool {
        let Some(lane) = self.lanes[l].as_mut().filter(|lane| sure && lane.t < lane.t_end) else {
            return false;
        };
        let Some(events) = &mut lane.agenda.events else { return true };
        events.pass(|g| pick(self.stops.at_end(), l, g));
        true
    }

    /// Looks at the samples of one lane and, where they leave doubts, between them. Whether all states were sound.
    fn scan(&mut self, l: usize) -> bool {
        let Some(lane) = &mut self.lanes[l] else { return true };
        let Some(mut events) = lane.agenda.events.take() else { return true };
        let (t, h, ends) = (lane.from, lane.trying, lane.t == lane.t_end);
        let (mut only, mut sound) = ([false; LANES], true);
        only[l] = true;
        let width = self.stops.g.len();
        events.scan(t, h, &mut |theta, g| {
            if let Some(place) = self.stops.places.iter().position(|place| *place == theta) {
                pick(&self.stops.samples[place * width..(place + 1) * width], l, g);
                return;
            }
            let at = self.times(theta, only);
            sound &= self.states_at(at)[l];
            self.run_events(at.map(|t| t.unwrap_or(0.0)));
            pick(&self.stops.g, l, g);
        });
        if ends {
            events.close(0, t, h);
        }
        if let Some(lane) = &mut self.lanes[l] {
            lane.agenda.stopped = events.hits.iter().find(|hit| events.stops(hit)).copied();
            lane.agenda.events = Some(events);
        }
        sound
    }
}
