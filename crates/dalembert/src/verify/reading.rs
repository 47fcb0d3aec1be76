//! A state with everything U1 says of it, and the scales in which differences are measured.
//!
//! With d_p = sqrt(M_pp), d_p eta'_p and Q_p/d_p have the same unit for every p. Differences of both are measured in it,
//! relative to the largest of all accelerations and forces at the state: no choice of units shows.
//!
//! Forces may cancel, and then their sum says nothing of what its terms were rounded to. So state and parameters are
//! shaken by a part in 10^12: what M, Q, A, b answer, over that part, is the size of the terms in them; what the
//! solution answers more than that is its conditioning.

mod multipliers;

pub(super) use multipliers::Saddle;
pub use multipliers::multipliers;

use super::small::{dot, times};
use crate::compile::Compiled;
use crate::workspace::Workspace;
use dalembert_linalg::{Rng, norm_max};
use dalembert_run::{Dynamics, IdealForces, Nonideal, Solution, State, Terms, accelerate};

/// A difference and what it may be, both relative to the size of what is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// How far apart.
    pub worst: f64,
    /// How far they may be.
    pub tolerance: f64,
}

impl Difference {
    pub(super) fn ratio(&self) -> f64 {
        self.worst / self.tolerance
    }

    /// Within the tolerance; what is not a number is not.
    pub fn passed(&self) -> bool {
        self.worst <= self.tolerance
    }
}

/// What is equal at best is equal to this many digits.
const SAME: f64 = 1e-10;
/// Roundings of a solve, before its conditioning.
pub(super) const ROUNDINGS: f64 = 1e3 * f64::EPSILON;
/// By this part state and parameters are shaken: more than rounding, less than would turn dependent rows apart.
const SHAKEN: f64 = 1e-12;
/// How often.
const SHAKES: usize = 3;

/// Accelerations and forces at a state as the engine gives them, to be judged.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The state.
    pub state: State,
    /// x', M, Q, A, b.
    pub terms: Terms,
    /// C (K4) at the multipliers found; zeros without it. Friction is not in it.
    pub nonideal: Vec<f64>,
    /// U1 to U3, friction and control included.
    pub solution: Solution,
    /// Multipliers of the ideal forces alone (U2), which C reads: without what friction adds to them.
    pub(super) ideal_lambda: Vec<f64>,
    /// Whether each contact sticks.
    pub sticks: Vec<bool>,
    /// Whether forces act that are no `nonideal work`: friction or control.
    pub steered: bool,
    /// The largest term in M eta', Q, A^T lambda and A eta' - b, in the common unit.
    pub(super) largest_term: f64,
    /// How much more than those terms the solution answers to small changes; at least 1.
    pub(super) answer: f64,
}

impl Reading {
    /// `None` where the model has no acceleration.
    pub fn of(model: &Workspace, state: &State) -> Option<Reading> {
        Reading::all(model, std::slice::from_ref(state)).pop()
    }

    /// Those of all states at which the model has an acceleration.
    pub(super) fn all(model: &Workspace, states: &[State]) -> Vec<Reading> {
        let mut rng = Rng::new(6);
        let parameters = model.compiled.parameters();
        let shaken: Vec<Compiled> =
            (0..SHAKES).map(|_| model.compiled.with_parameters(shake(parameters, &mut rng))).collect();
        states
            .iter()
            .filter_map(|state| {
                let mut reading = Reading::plain(model, state)?;
                for other in &shaken {
                    let t = shake(&[state.t], &mut rng)[0];
                    let state = State::new(t, &shake(&state.x, &mut rng), &shake(&state.eta, &mut rng));
                    reading.answers(other, &state);
                }
                // Entries of M may hide what is small in them (1 - e): shaking the state does not show that.
                reading.answer = reading.answer.max(Saddle::of(&reading).conditioning());
                Some(reading)
            })
            .collect()
    }

    fn plain(model: &Workspace, state: &State) -> Option<Reading> {
        let now = model.evaluate(state).ok()?;
        let n = state.eta.len();
        let mut C = vec![0.0; n];
        let s = &now.solution;
        let ideal_lambda = model.ideal_multipliers(state, s)?;
        let known =
            IdealForces { lambda: &ideal_lambda, A: &now.terms.A, Q_i: &s.ideal_force, sparsity: None };
        let mut scratch = vec![0.0; model.compiled.scratch_len()];
        model.compiled.nonideal(state.point(), &known, &mut scratch, &mut C);
        let steered = !model.system.contacts.is_empty() || !model.system.control.rows.is_empty();
        let mut reading = Reading {
            state: state.clone(),
            terms: now.terms,
            nonideal: C,
            solution: now.solution,
            ideal_lambda,
            sticks: now.sticks,
            steered,
            largest_term: 0.0,
            answer: 1.0,
        };
        let magnitudes: Vec<f64> = reading.terms.M.iter().map(|m| m.abs()).collect();
        let moved: Vec<f64> = reading.solution.eta_dot.iter().map(|a| a.abs()).collect();
        let inertia = times(&magnitudes, &moved);
        reading.largest_term = inertia.iter().zip(reading.weights()).fold(0.0, |m, (f, d)| largest(m, f / d));
        Some(reading)
    }

    /// Takes what a system shaken a little answers.
    fn answers(&mut self, other: &Compiled, state: &State) {
        let (n, d, s) = (state.eta.len(), self.weights(), &self.solution);
        let mut terms = Terms::new(&other.shape());
        other.terms(state.point(), &mut vec![0.0; other.scratch_len()], &mut terms);
        let terms = terms.written_out();
        let apart = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
        let forces = |m: f64, list: &[f64]| list.iter().zip(&d).fold(m, |m, (f, d)| largest(m, f / d));
        let mut size = forces(0.0, &apart(&terms.Q, &self.terms.Q));
        size = forces(size, &times(&apart(&terms.M, &self.terms.M), &s.eta_dot));
        let turned = apart(&terms.A, &self.terms.A);
        for (a, row) in turned.chunks(n.max(1)).enumerate() {
            let pulled: Vec<f64> = row.iter().map(|v| v * s.lambda[a]).collect();
            size = forces(size, &pulled);
            let own = &self.terms.A[a * n..(a + 1) * n];
            let length = own.iter().zip(&d).map(|(v, d)| v / d).fold(0.0, f64::hypot);
            if length > 0.0 {
                let off = dot(row, &s.eta_dot).abs() + (terms.b[a] - self.terms.b[a]).abs();
                size = largest(size, off / length);
            }
        }
        if (size / SHAKEN).is_finite() {
            self.largest_term = self.largest_term.max(size / SHAKEN);
        }
        // Friction and control are searched for; which rows depend on others is a decision too.
        let Ok(there) = accelerate(other, state.point()) else { return };
        if self.steered || there.rank != self.solution.rank {
            return;
        }
        let s = &self.solution;
        let moved = apart(&there.eta_dot, &s.eta_dot);
        let mut off = moved.iter().zip(&d).fold(0.0, |m, (a, d)| largest(m, a * d));
        off = forces(off, &apart(&there.ideal_force, &s.ideal_force));
        off = forces(off, &apart(&there.nonideal_force, &s.nonideal_force));
        let answer = off / SHAKEN / self.size();
        if answer.is_finite() {
            self.answer = self.answer.max(answer);
        }
    }

    /// d_p = sqrt(M_pp), or that of the heaviest speed where there is none.
    pub(super) fn weights(&self) -> Vec<f64> {
        let n = self.state.eta.len();
        let of = |p: usize| self.terms.M[p * n + p].abs();
        let heaviest = (0..n).map(of).fold(0.0, f64::max);
        let heaviest = if heaviest > 0.0 && heaviest.is_finite() { heaviest } else { 1.0 };
        (0..n).map(|p| if of(p) > 1e-200 * heaviest { of(p).sqrt() } else { heaviest.sqrt() }).collect()
    }

    /// All forces besides Q and those of ideal constraints.
    pub(super) fn other_forces(&self) -> Vec<f64> {
        let s = &self.solution;
        s.nonideal_force.iter().zip(&s.control_force).map(|(a, b)| a + b).collect()
    }

    /// The largest acceleration or force in the common unit; 1 where there is none.
    pub(super) fn size(&self) -> f64 {
        let d = self.weights();
        let s = &self.solution;
        let mut size = s.eta_dot.iter().zip(&d).fold(0.0f64, |m, (a, d)| m.max((a * d).abs()));
        let lists = [&self.terms.Q, &s.ideal_force, &s.nonideal_force, &s.control_force, &self.nonideal];
        for list in lists {
            size = list.iter().zip(&d).fold(size, |m, (f, d)| m.max((f / d).abs()));
        }
        size = size.max(self.largest_term);
        if size > 0.0 { size } else { 1.0 }
    }

    /// The size of accelerations and forces at the state; 0 where nothing acts.
    pub(super) fn accelerates(&self) -> f64 {
        let s = &self.solution;
        let still = |list: &[f64]| list.iter().all(|v| *v == 0.0);
        let forces = [&s.eta_dot, &self.terms.Q, &s.ideal_force, &s.nonideal_force, &s.control_force];
        if self.largest_term == 0.0 && forces.iter().all(|f| still(f)) { 0.0 } else { self.size() }
    }

    /// The difference of accelerations and of forces, as far as they are given.
    pub(super) fn compare(
        &self,
        eta_dot: Option<&[f64]>,
        ideal: Option<&[f64]>,
        nonideal: Option<&[f64]>,
        conditioning: f64,
    ) -> Difference {
        let (d, s) = (self.weights(), &self.solution);
        let mut off = Vec::new();
        if let Some(a) = eta_dot {
            off.extend((0..d.len()).map(|p| (a[p] - s.eta_dot[p]) * d[p]));
        }
        for (mine, theirs) in [(&s.ideal_force, ideal), (&s.nonideal_force, nonideal)] {
            off.extend(theirs.into_iter().flat_map(|f| (0..d.len()).map(|p| (f[p] - mine[p]) / d[p])));
        }
        self.relative(&off, conditioning.max(self.answer))
    }

    /// Numbers that should be zero, in the common unit.
    pub(super) fn relative(&self, off: &[f64], conditioning: f64) -> Difference {
        Difference { worst: norm_max(off) / self.size(), tolerance: SAME + ROUNDINGS * conditioning }
    }
}

/// Each number changed by at most a part [`SHAKEN`] of itself.
fn shake(list: &[f64], rng: &mut Rng) -> Vec<f64> {
    list.iter().map(|v| v * (1.0 + SHAKEN * rng.symmetric())).collect()
}

/// The larger magnitude.
fn largest(m: f64, v: f64) -> f64 {
    m.max(v.abs())
}
