//! Short motions in several variables, compared row by row.
//!
//! The motion is integrated sharply over a span that some forty steps cover, and told at the points of a Chebyshev grid,
//! which the action needs. What another road may be off by is taken from the motion itself: how far a less sharp run
//! strays measures how it answers to small errors.

use super::reading::Difference;
use super::{Tally, Verification};
use crate::model::Model;
use crate::simulate::{MotionForm, Request};
use dalembert_run::{Flow, State, Stop};

/// Intervals of the grid; half as many make the coarse grid.
pub(super) const INTERVALS: usize = 48;
/// Steps that a span should not much exceed.
const MAX_STEPS: usize = 40;
const SHARP: f64 = 1e-11;
const LESS_SHARP: f64 = 1e-9;
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
    /// What other roads may be off by.
    tolerance: f64,
}

impl Path {
    /// The motion from a start.
    pub fn of(model: &mut Model, start: &State) -> Self {
        let stated = model.system.run.as_ref().map(|run| run.until);
        let until = stated.map(|e| model.constant(e)).filter(|t| t.is_finite() && *t > 0.0);
        let mut span = until.map_or(1.0, |t| (t / 10.0).min(1.0));
        let mut path = Path { states: Vec::new(), times: Vec::new(), trouble: None, tolerance: SAME };
        for _ in 0..8 {
            path.times = grid(span);
            let (states, steps, trouble) = path.run(model, start, MotionForm::Explicit, SHARP);
            (path.states, path.trouble) = (states, trouble);
            if steps <= MAX_STEPS || span < 1e-9 {
                break;
            }
            span *= MAX_STEPS as f64 / steps as f64;
        }
        let (other, _, _) = path.run(model, start, MotionForm::Explicit, LESS_SHARP);
        path.tolerance = SAME + 10.0 * apart(&path.states, &other);
        path
    }

    /// Its length.
    pub fn span(&self) -> f64 {
        self.states.last().map_or(0.0, |s| s.t)
    }

    /// States, steps, and why the run ended early.
    fn run(
        &self,
        model: &mut Model,
        start: &State,
        form: MotionForm,
        rtol: f64,
    ) -> (Vec<State>, usize, Option<String>) {
        let times = self.times[1..self.times.len() - 1].to_vec();
        let request = Request {
            until: self.times.last().copied(),
            times: Some(times),
            // The span is short: what is stiff asks for small steps, not for an implicit method.
            method: Some("dop853".into()),
            rtol: Some(rtol),
            start: Some(start.clone()),
            balance: Some(false),
            max_steps: Some(20_000),
            form,
            ..Request::default()
        };
        let motion = match model.simulate(&request, |_| Flow::Continue) {
            Ok(motion) => motion,
            Err(d) => return (Vec::new(), 0, Some(d.message)),
        };
        let (n_x, n) = (model.form.coordinates.len(), model.form.speeds.len());
        let state = |row: &[f64]| State::new(row[0], &row[1..1 + n_x], &row[1 + n_x..1 + n_x + n]);
        let trouble = match (&motion.failure, &motion.outcome.stop) {
            (Some(d), _) => Some(d.message.clone()),
            (None, Stop::EndTime) => None,
            (None, _) => Some("an event ends the motion".into()),
        };
        (motion.table.rows().map(state).collect(), motion.counters().steps, trouble)
    }

    /// How far a road is from this motion.
    pub fn compare(&self, model: &mut Model, start: &State, form: MotionForm) -> Result<Difference, String> {
        let (states, _, trouble) = self.run(model, start, form, SHARP);
        self.against(&states, trouble)
    }

    /// The same for states computed elsewhere.
    fn against(&self, states: &[State], trouble: Option<String>) -> Result<Difference, String> {
        if states.len() < self.states.len() {
            let trouble = trouble.map_or(String::new(), |t| format!(": {t}"));
            return Err(format!("its motion ends before the other{trouble}"));
        }
        Ok(Difference { worst: apart(&self.states, states), tolerance: self.tolerance })
    }

    /// The motion of a model in other speeds, its states brought back by `back`.
    pub fn compare_changed(
        &self,
        model: &mut Model,
        start: &State,
        mut back: impl FnMut(&mut Model, &State) -> State,
    ) -> Result<Difference, String> {
        let (states, _, trouble) = self.run(model, start, MotionForm::Explicit, SHARP);
        let states: Vec<State> = states.iter().map(|s| back(model, s)).collect();
        self.against(&states, trouble)
    }
}

/// `motion_hamilton` and `motion_suslov`.
pub(super) fn judge(model: &mut Model, path: &Path, found: &mut Verification) {
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

/// Chebyshev's points from 0 to the span.
fn grid(span: f64) -> Vec<f64> {
    let at = |k: usize| (1.0 - (std::f64::consts::PI * k as f64 / INTERVALS as f64).cos()) / 2.0;
    (0..=INTERVALS).map(|k| span * at(k)).collect()
}

/// The largest difference of the rows both have, each column relative to its own size and, less, to that of its kind.
fn apart(a: &[State], b: &[State]) -> f64 {
    let columns = |list: &[State], of: fn(&State) -> &[f64], k: usize| -> Vec<f64> {
        list.iter().map(|s| of(s)[k]).collect()
    };
    let largest = |list: &[f64]| list.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let mut worst = 0.0f64;
    for of in [(|s: &State| &s.x[..]) as fn(&State) -> &[f64], |s: &State| &s.eta[..]] {
        let count = a.first().map_or(0, |s| of(s).len());
        let sizes: Vec<f64> = (0..count).map(|k| largest(&columns(a, of, k))).collect();
        let all = largest(&sizes);
        for k in 0..count {
            let scale = sizes[k] + 0.1 * all;
            for (a, b) in a.iter().zip(b) {
                let off = (of(a)[k] - of(b)[k]).abs() / if scale > 0.0 { scale } else { 1.0 };
                worst = if off.is_nan() { f64::INFINITY } else { worst.max(off) };
            }
        }
    }
    worst
}
