//! A state with everything U1 says of it, and the scales in which differences are measured.
//!
//! With d_p = sqrt(M_pp), d_p eta'_p and Q_p/d_p have the same unit for every p. Differences of both are measured in it,
//! relative to the largest of all accelerations and forces at the state: no choice of units shows.

use crate::model::Model;
use dalembert_run::linalg::norm_max;
use dalembert_run::{IdealForces, Kernel, Solution, State, Terms};

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

    /// Within the tolerance; what is no number is not.
    pub fn passed(&self) -> bool {
        self.worst <= self.tolerance
    }
}

/// What is equal at best is equal to this many digits.
const SAME: f64 = 1e-10;
/// Roundings of a solve, before its conditioning.
const ROUNDINGS: f64 = 1e3 * f64::EPSILON;

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
    /// Whether each contact sticks.
    pub sticks: Vec<bool>,
    /// Whether forces act that are no `nonideal work`: friction or control.
    pub steered: bool,
}

impl Reading {
    /// `None` where the model has no acceleration.
    pub fn of(model: &Model, state: &State) -> Option<Reading> {
        let now = model.evaluate(state).ok()?;
        let n = state.eta.len();
        let mut C = vec![0.0; n];
        let s = &now.solution;
        let known = IdealForces { lambda: &s.lambda, A: &now.terms.A, Q_i: &s.ideal_force, sparsity: None };
        let mut scratch = vec![0.0; model.compiled.scratch_len()];
        model.compiled.nonideal(state.point(), &known, &mut scratch, &mut C);
        let steered = !model.system.contacts.is_empty() || !model.system.requirement_rows.is_empty();
        Some(Reading {
            state: state.clone(),
            terms: now.terms,
            nonideal: C,
            solution: now.solution,
            sticks: now.sticks,
            steered,
        })
    }

    /// d_p = sqrt(M_pp), or that of the heaviest speed where there is no inertia.
    pub(super) fn weights(&self) -> Vec<f64> {
        let n = self.state.eta.len();
        let of = |p: usize| self.terms.M[p * n + p].abs();
        let heaviest = (0..n).map(of).fold(0.0, f64::max);
        let heaviest = if heaviest > 0.0 && heaviest.is_finite() { heaviest } else { 1.0 };
        (0..n).map(|p| if of(p) > 1e-14 * heaviest { of(p).sqrt() } else { heaviest.sqrt() }).collect()
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
        if size > 0.0 { size } else { 1.0 }
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
        self.relative(&off, conditioning)
    }

    /// Numbers that should be zero, in the common unit.
    pub(super) fn relative(&self, off: &[f64], conditioning: f64) -> Difference {
        Difference { worst: norm_max(off) / self.size(), tolerance: SAME + ROUNDINGS * conditioning }
    }
}
