//! Starting values of coordinates that the kinematics keep on a surface: quaternions, direction cosines.
//!
//! Kinematic equations conserve quadratic forms c(x) of redundant coordinates, whatever the speeds. Rotations need them at 1
//! (lengths) or 0 (products). Values given with a few digits miss that, and every motion would keep the error. So a start
//! that is near is brought there, with a warning: by the coordinates that are not given, or by all where all are given.

use crate::workspace::Workspace;
use dalembert_linalg::{Cod, RANK_TOL};
use dalembert_run::{Dynamics, StartGuess, State};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// What is off by less than this, relative to the squares in it, is rounding.
const ROUNDING: f64 = 1e-14;
/// What is off by less than this is meant to be 0 or 1.
const NEAR: f64 = 1e-3;
/// What the length of a quaternion may be off by to be meant as 1.
const NEAR_QUATERNION: f64 = 0.1;

/// The quadratic invariants at some coordinates.
struct Quadratics {
    values: Vec<f64>,
    gradients: Vec<f64>,
    /// Where each should be; `None` if that is not known.
    targets: Vec<Option<f64>>,
    /// The first that is off by more than rounding and near to where it should be, and where that is.
    off: Option<(usize, f64)>,
    /// Quaternions that are far from it.
    far: Vec<usize>,
}

impl Workspace {
    /// A guess whose coordinates are where rotations need them, with a warning where that changes it.
    pub(crate) fn with_unit_invariants(&mut self, mut guess: StartGuess) -> StartGuess {
        let found = self.quadratics(&guess.state.x);
        let Some((k, target)) = found.off else { return guess };
        // Guesses of joints are brought to rotations without a word.
        let n = guess.state.x.len();
        let given = |j: usize| found.gradients[k * n + j] != 0.0 && guess.x_fixed[j];
        let silent = self.system.bodies.is_some() && !(0..n).any(given);
        if self.bring(&mut guess, &found) && !silent {
            let (names, value) = (self.coordinates_of(&found, k), found.values[k]);
            let message = format!(
                "{names} start with an invariant of the kinematics at {value}: they are scaled to {target}"
            );
            self.warn_scaled(message, "give more digits, or formulas: `sqrt`, `cos` and `sin` are exact");
        }
        guess
    }

    /// A state whose joints have quaternions of length 1 again: recursions over the tree of bodies rely on it.
    pub(crate) fn with_rotations(&self, state: State) -> State {
        let found = self.quadratics(&state.x);
        if self.system.bodies.is_none() || found.off.is_none() {
            return state;
        }
        let x_fixed = vec![false; state.x.len()];
        let mut guess = StartGuess { state, x_fixed, ..StartGuess::default() };
        self.bring(&mut guess, &found);
        guess.state
    }

    /// Says where a quaternion starts with another length than 1, which is kept.
    pub(crate) fn warn_other_lengths(&mut self, x: &[f64]) {
        let found = self.quadratics(x);
        for &k in &found.far {
            let length = found.values[k].abs().sqrt();
            let names = self.coordinates_of(&found, k);
            let message = format!("{names} start as a quaternion of length {length}, which is kept");
            let help = "a quaternion of a rotation has length 1: divide the components by their length";
            self.warn_scaled(message, help);
        }
    }

    fn warn_scaled(&mut self, message: String, help: &str) {
        if self.diagnostics.iter().all(|d| d.message != message) {
            let span = self.system.experiment.initial.first().and_then(|i| i.span);
            self.diagnostics.push(Diagnostic::warning(Code::StartScaled, span, message).help(help));
        }
    }

    fn quadratics(&self, x: &[f64]) -> Quadratics {
        let (n, k) = (x.len(), self.form.invariants.len());
        let mut scratch = vec![0.0; self.compiled.scratch_len()];
        let mut at = |x: &[f64]| {
            let (mut values, mut gradients) = (vec![0.0; k], vec![0.0; k * n]);
            self.compiled.invariants(x, &mut scratch, &mut values, &mut gradients);
            (values, gradients)
        };
        let (values, gradients) = at(x);
        let mut found = Quadratics { targets: vec![None; k], off: None, far: Vec::new(), values, gradients };
        if k == 0 {
            return found;
        }
        // At a place without symmetry a form shows what it is.
        let trial: Vec<f64> = (0..n).map(|i| 0.3 + 0.6 * ((i as f64 + 1.0) * 0.618).fract()).collect();
        let ((one, slopes), (four, _)) = (at(&trial), at(&trial.iter().map(|v| 2.0 * v).collect::<Vec<_>>()));
        for i in 0..k {
            let slopes = &slopes[i * n..(i + 1) * n];
            let quadratic = (four[i] - 4.0 * one[i]).abs() <= 1e-12 * four[i].abs() && one[i] != 0.0;
            if !quadratic {
                continue;
            }
            let touched = (0..n).filter(|&j| slopes[j] != 0.0);
            let squares: f64 = touched.clone().map(|j| x[j] * x[j]).sum();
            let length = touched.clone().all(|j| (slopes[j] - 2.0 * trial[j]).abs() <= 1e-12);
            let quaternion = length && touched.count() == 4;
            let (target, near) = match (length, quaternion) {
                // Those of joints turn bodies: whatever is given is meant as a rotation.
                (_, true) if self.system.bodies.is_some() => (1.0, f64::INFINITY),
                (_, true) => (1.0, NEAR_QUATERNION),
                (true, _) => (1.0, NEAR),
                _ => (found.values[i].round(), NEAR),
            };
            let away = (found.values[i] - target).abs();
            if away <= near * squares && (target == 0.0 || target == 1.0) {
                found.targets[i] = Some(target);
                if away > ROUNDING * squares {
                    found.off = found.off.or(Some((i, target)));
                }
            } else if quaternion && squares > 0.0 {
                found.far.push(i);
            }
        }
        found
    }

    /// `e0`, `e1`, `e2` and `e3`: what an invariant is made of.
    fn coordinates_of(&self, found: &Quadratics, k: usize) -> String {
        let n = self.form.coordinates.len();
        let touched = (0..n).filter(|j| found.gradients[k * n + j] != 0.0);
        let names: Vec<String> =
            touched.map(|j| format!("`{}`", self.system.frame.coordinates[j].name)).collect();
        names.join(", ")
    }

    /// Newton on the invariants whose place is known, the others held. `false` where that does not succeed; then the guess
    /// is as it was.
    fn bring(&self, guess: &mut StartGuess, found: &Quadratics) -> bool {
        let n = guess.state.x.len();
        let wanted: Vec<f64> =
            found.targets.iter().zip(&found.values).map(|(target, value)| target.unwrap_or(*value)).collect();
        // All that belong to invariants which are off and have no coordinate that is not given.
        let free = |i: usize| (0..n).any(|j| found.gradients[i * n + j] != 0.0 && !guess.x_fixed[j]);
        let given: Vec<usize> = (0..wanted.len()).filter(|&i| !free(i)).collect();
        let moves = |j: usize| !guess.x_fixed[j] || given.iter().any(|&i| found.gradients[i * n + j] != 0.0);
        let movable: Vec<bool> = (0..n).map(moves).collect();
        for movable in [movable, vec![true; n]] {
            let mut x = guess.state.x.clone();
            if self.newton(&mut x, &wanted, &movable) {
                guess.state.x = x;
                return true;
            }
        }
        false
    }

    fn newton(&self, x: &mut [f64], wanted: &[f64], movable: &[bool]) -> bool {
        let (n, k) = (x.len(), wanted.len());
        let mut scratch = vec![0.0; self.compiled.scratch_len()];
        let (mut values, mut gradients, mut step) = (vec![0.0; k], vec![0.0; k * n], vec![0.0; n]);
        let mut cod = Cod::new(k, n);
        for _ in 0..30 {
            self.compiled.invariants(x, &mut scratch, &mut values, &mut gradients);
            let left: Vec<f64> = wanted.iter().zip(&values).map(|(w, v)| w - v).collect();
            let size = x.iter().fold(0.0f64, |m, v| m.max(v * v));
            if left.iter().all(|l| l.abs() <= 4.0 * f64::EPSILON * size) {
                return true;
            }
            for (j, slope) in gradients.iter_mut().enumerate() {
                *slope *= f64::from(u8::from(movable[j % n]));
            }
            cod.factor(&gradients, RANK_TOL);
            cod.solve(&left, &mut step);
            x.iter_mut().zip(&step).for_each(|(x, s)| *x += s);
        }
        false
    }
}
