//! Short motions in several variables, compared row by row.
//!
//! The motion is integrated sharply over a span that some fifty steps cover, and told at the points of a Chebyshev grid,
//! which the action needs. What another road may be off by is taken from the motion itself: how far a less sharp run
//! strays measures how it answers to small errors.

use super::reading::{Difference, ROUNDINGS};
use super::{Reading, Tally, Verification};
use crate::simulate::{MotionForm, Request};
use crate::workspace::Workspace;
use dalembert_linalg::Rng;
use dalembert_run::{Dynamics, Flow, State, Stop, Terms};

/// Intervals of the grid; half as many make the coarse grid.
pub(super) const INTERVALS: usize = 48;
/// Steps that a span should not much exceed.
const MAX_STEPS: usize = 50;
/// How many spans are tried.
const MAX_SPANS: usize = 16;
const SHARP: f64 = 1e-11;
const LESS_SHARP: f64 = 1e-9;
/// How much is looked at of a motion that an event ends: other roads may be there a little earlier.
const BEFORE_EVENT: f64 = 0.9;
/// Agreement of motions that answer to nothing.
const SAME: f64 = 1e-9;

/// A motion on a grid.
pub(super) struct Path {
    /// The states, as far as the motion went.
    pub states: Vec<State>,
    /// The times of the grid.
    pub times: Vec<f64>,
    /// Why it does not reach its end, if it does not.
    pub trouble: Option<String>,
    /// How large its columns are.
    pub scales: Scales,
    /// What other roads may be off by.
    tolerance: f64,
}

/// Sizes of coordinates and speeds along a motion, none smaller than what is rounded in them: what they are, what the
/// terms of the acceleration would make of them within the span, and a tenth of what the others are, compared by inertia.
#[derive(Clone, Debug, Default)]
pub(super) struct Scales {
    pub x: Vec<f64>,
    pub eta: Vec<f64>,
    /// d_p = sqrt(M_pp) at the start.
    pub weights: Vec<f64>,
    /// Of the solution at the states looked at.
    answer: f64,
}

impl Scales {
    /// Looked at where the states are given.
    fn of(model: &Workspace, states: &[&State], span: f64) -> Self {
        let (n_x, n) = (model.form.coordinates.len(), model.form.speeds.len());
        let mut scales = Scales { x: vec![0.0; n_x], eta: vec![0.0; n], ..Scales::default() };
        let mut rng = Rng::new(7);
        for state in states {
            let Some(reading) = Reading::of(model, state) else { continue };
            let (d, size) = (reading.weights(), reading.accelerates());
            let fastest = (0..n).fold(0.0f64, |m, p| m.max((d[p] * state.eta[p]).abs()));
            let eta: Vec<f64> =
                (0..n).map(|p| state.eta[p].abs() + (0.1 * fastest + span * size) / d[p]).collect();
            // What x' makes of speeds of these sizes.
            let mut rates: Vec<f64> = reading.terms.x_dot.iter().map(|v| v.abs()).collect();
            for _ in 0..3 {
                let push = |(v, s): (&f64, &f64)| v + s * if rng.symmetric() > 0.0 { 1.0 } else { -1.0 };
                let pushed: Vec<f64> = state.eta.iter().zip(&eta).map(push).collect();
                let mut terms = Terms::new(&model.compiled.shape());
                let mut scratch = vec![0.0; model.compiled.scratch_len()];
                let at = State::new(state.t, &state.x, &pushed);
                model.compiled.terms(at.point(), &mut scratch, &mut terms);
                rates.iter_mut().zip(&terms.x_dot).for_each(|(r, v)| *r = r.max(v.abs()));
            }
            let alike = model.form.frame.is_none();
            let unit = |k: usize| if alike { d[k] } else { 1.0 };
            let farthest = (0..n_x).fold(0.0f64, |m, k| m.max((unit(k) * state.x[k]).abs()));
            for k in 0..n_x {
                let size = state.x[k].abs() + 0.1 * farthest / unit(k) + span * rates[k];
                scales.x[k] = scales.x[k].max(size);
            }
            scales.eta.iter_mut().zip(&eta).for_each(|(s, v)| *s = s.max(*v));
            scales.answer = scales.answer.max(reading.answer);
            if scales.weights.is_empty() {
                scales.weights = d;
            }
        }
        scales.weights.resize(n, 1.0);
        scales
    }

    /// An absolute tolerance that none of them feels, momenta included; `None` where nothing has a size.
    fn absolute(&self, rtol: f64) -> Option<f64> {
        let momenta = self.eta.iter().zip(&self.weights).map(|(v, d)| v * d * d);
        let all = self.x.iter().chain(&self.eta).copied().chain(momenta);
        let least = all.filter(|v| *v > 0.0 && v.is_finite()).fold(f64::INFINITY, f64::min);
        least.is_finite().then(|| (0.1 * rtol * least).clamp(1e-250, 1.0))
    }
}

/// What one road makes of the grid.
#[derive(Default)]
struct Run {
    /// The states at its times, as far as the motion went.
    states: Vec<State>,
    steps: usize,
    /// Why it ended early, if it did,
    trouble: Option<String>,
    /// ... and when, if an event ended it.
    stopped: Option<f64>,
}

impl Path {
    /// The motion from a start.
    pub fn of(model: &mut Workspace, start: &State) -> Self {
        let stated = model.system.experiment.run.as_ref().map(|run| run.until);
        let until = stated.map(|e| model.constant(e)).filter(|t| t.is_finite() && *t > 0.0);
        let mut span = until.map_or(1.0, |t| t / 10.0);
        let mut grows = until.is_none();
        let mut path = Path {
            states: Vec::new(),
            times: Vec::new(),
            trouble: None,
            scales: Scales::default(),
            tolerance: SAME,
        };
        for _ in 0..MAX_SPANS {
            path.times = grid(start.t, span);
            path.scales = Scales::of(model, &[start], span);
            let run = path.run(model, start, MotionForm::Explicit, SHARP);
            (path.states, path.trouble) = (run.states, run.trouble);
            if run.steps > MAX_STEPS {
                span *= MAX_STEPS as f64 / run.steps as f64;
                grows = false;
            } else if let Some(stopped) = run.stopped.filter(|t| *t > start.t) {
                // The grid belongs to a motion that goes on to its end.
                span = BEFORE_EVENT * (stopped - start.t);
                grows = false;
            } else if grows && path.trouble.is_none() && path.creeps() {
                span *= 4.0;
            } else {
                break;
            }
        }
        let all = path.states.len();
        let few: Vec<&State> = (0..4.min(all)).map(|k| &path.states[k * (all - 1) / 3]).collect();
        if !few.is_empty() {
            path.scales = Scales::of(model, &few, path.span());
        }
        let other = path.run(model, start, MotionForm::Explicit, LESS_SHARP);
        path.tolerance = SAME + 10.0 * path.scales.apart(&path.states, &other.states) + path.rounding();
        path
    }

    /// What rounding makes of its accelerations.
    pub fn rounding(&self) -> f64 {
        ROUNDINGS * self.scales.answer
    }

    /// Whether it moves, but by little of its size: the time unit is not that of the motion.
    fn creeps(&self) -> bool {
        let (Some(first), Some(last)) = (self.states.first(), self.states.last()) else { return false };
        let largest = |m: f64, v: f64| m.max(v.abs());
        let size = first.x.iter().chain(&last.x).copied().fold(0.0, largest);
        let moved = first.x.iter().zip(&last.x).map(|(a, b)| b - a).fold(0.0, largest);
        moved > 1e-12 * size && moved < 0.1 * size
    }

    /// Its length.
    pub fn span(&self) -> f64 {
        self.states.first().zip(self.states.last()).map_or(0.0, |(a, b)| b.t - a.t)
    }

    /// The motion over the grid by one road.
    fn run(&self, model: &mut Workspace, start: &State, form: MotionForm, rtol: f64) -> Run {
        let times = self.times[1..self.times.len() - 1].to_vec();
        let request = Request {
            until: self.times.last().copied(),
            times: Some(times),
            // The span is short: what is stiff asks for small steps, not for an implicit method.
            method: Some("dop853".into()),
            rtol: Some(rtol),
            atol: self.scales.absolute(rtol),
            start: Some(start.clone()),
            balance: Some(false),
            max_steps: Some(20_000),
            form,
            ..Request::default()
        };
        let motion = match model.simulate(&request, |_| Flow::Continue) {
            Ok(motion) => motion,
            Err(d) => return Run { trouble: Some(d.message), ..Run::default() },
        };
        let state = |row: &[f64]| model.system.state_of_row(row);
        let mut states: Vec<State> = motion.table.rows().map(state).collect();
        let (trouble, stopped) = match (&motion.failure, &motion.outcome.stop) {
            (Some(d), _) => (Some(d.message.clone()), None),
            (None, Stop::EndTime) => (None, None),
            (None, _) => (Some("an event ends the motion".into()), states.last().map(|s| s.t)),
        };
        if trouble.is_some() {
            // Where it ended is a row of its own, which no other road has.
            states.retain(|s| self.times.contains(&s.t));
        }
        Run { states, steps: motion.counters().steps, trouble, stopped }
    }

    /// How far a road is from this motion.
    pub fn compare(
        &self,
        model: &mut Workspace,
        start: &State,
        form: MotionForm,
    ) -> Result<Difference, String> {
        let run = self.run(model, start, form, SHARP);
        self.against(&run.states, run.trouble)
    }

    /// Compares the motion with states computed elsewhere.
    fn against(&self, states: &[State], trouble: Option<String>) -> Result<Difference, String> {
        if self.states.len() < 2 {
            return Err(self.trouble.clone().unwrap_or_else(|| "there is no motion".into()));
        }
        if states.len() < self.states.len() {
            let trouble = trouble.map_or(String::new(), |t| format!(": {t}"));
            return Err(format!("its motion ends before the other{trouble}"));
        }
        Ok(Difference { worst: self.scales.apart(&self.states, states), tolerance: self.tolerance })
    }

    /// Compares the motion with as many states as are given, which may be off by `besides`.
    pub(crate) fn as_far_as(&self, states: &[State], besides: f64) -> Difference {
        Difference { worst: self.scales.apart(&self.states, states), tolerance: self.tolerance + besides }
    }

    /// How far two motions are apart, relative to the sizes of this one.
    pub fn apart(&self, a: &[State], b: &[State]) -> f64 {
        self.scales.apart(a, b)
    }

    /// The motion of a model in other speeds, its states brought back by `back`.
    pub(crate) fn compare_changed(
        &self,
        model: &mut Workspace,
        start: &State,
        mut back: impl FnMut(&mut Workspace, &State) -> State,
    ) -> Result<Difference, String> {
        let run = self.run(model, start, MotionForm::Explicit, SHARP);
        let states: Vec<State> = run.states.iter().map(|s| back(model, s)).collect();
        self.against(&states, run.trouble)
    }
}

/// `motion_hamilton` and `motion_suslov`.
pub(super) fn judge(model: &mut Workspace, path: &Path, found: &mut Verification) {
    for (name, what, form, check) in [
        ("motion_hamilton", "the motion by Hamilton's equations", MotionForm::Hamilton, "hamilton"),
        ("motion_suslov", "the motion by Suslov's equations", MotionForm::Suslov, "suslov"),
    ] {
        let mut tally = Tally::new(name, what);
        let reason = found.skipped.iter().find(|s| s.name == check).map(|s| s.reason.clone());
        match (reason, path.states.first().cloned()) {
            (Some(reason), _) => tally.because(reason),
            (None, None) => tally.because(path.trouble.clone().unwrap_or_default()),
            (None, Some(start)) => match path.compare(model, &start, form) {
                Ok(difference) => tally.take(difference),
                Err(reason) => tally.because(reason),
            },
        }
        found.take(tally);
    }
}

/// Chebyshev's points over the span.
fn grid(from: f64, span: f64) -> Vec<f64> {
    let at = |k: usize| (1.0 - (std::f64::consts::PI * k as f64 / INTERVALS as f64).cos()) / 2.0;
    (0..=INTERVALS).map(|k| from + span * at(k)).collect()
}

impl Scales {
    /// The largest difference of the rows both have, each column relative to its size.
    fn apart(&self, a: &[State], b: &[State]) -> f64 {
        let mut worst = 0.0f64;
        for (a, b) in a.iter().zip(b) {
            let both = a.x.iter().zip(&b.x).chain(a.eta.iter().zip(&b.eta));
            for ((a, b), scale) in both.zip(self.x.iter().chain(&self.eta)) {
                let off = (a - b).abs() / if *scale > 0.0 { *scale } else { 1.0 };
                worst = if off.is_nan() { f64::INFINITY } else { worst.max(off) };
            }
        }
        worst
    }
}
