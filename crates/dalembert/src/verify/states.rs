//! States near the motion: on it, and pushed off it at random and brought back onto the constraints.

use super::motion::Path;
use crate::workspace::Workspace;
use dalembert_linalg::Rng;
use dalembert_run::{StartGuess, State, find_start};

/// How many states lie on the motion, and how many beside it.
const COUNT: usize = 10;

/// Parts of a push that are tried: far from its configurations a mechanism with redundant bars has places near which no other is
/// better, and none that is right.
const SHRUNK: [f64; 3] = [1.0, 0.1, 0.01];

/// Twenty states, fewer where what is beside the motion cannot be brought onto the constraints.
pub(super) fn near(model: &Workspace, start: &State, path: &Path) -> Vec<State> {
    let along: Vec<&State> = match path.states.len() {
        0 => vec![start],
        all => (0..COUNT).map(|k| &path.states[k * (all - 1) / (COUNT - 1)]).collect(),
    };
    let mut rng = Rng::new(1);
    let mut states: Vec<State> = along.iter().map(|s| (*s).clone()).collect();
    for k in 0..COUNT {
        let base = along[k % along.len()];
        let mut push = |list: &[f64], scales: &[f64], part: f64| -> Vec<f64> {
            let size = |s: f64| if s > 0.0 { s } else { 1.0 };
            list.iter()
                .zip(scales)
                .map(|(v, s)| part * rng.symmetric() * (v.abs() + 0.1 * size(*s)))
                .collect()
        };
        let (dx, deta) = (push(&base.x, &path.scales.x, 0.05), push(&base.eta, &path.scales.eta, 0.3));
        let found = SHRUNK.iter().find_map(|part| {
            let moved = |list: &[f64], by: &[f64]| -> Vec<f64> {
                list.iter().zip(by).map(|(v, d)| v + part * d).collect()
            };
            let (x, eta) = (moved(&base.x, &dx), moved(&base.eta, &deta));
            let guess = StartGuess {
                x_fixed: vec![false; x.len()],
                eta_fixed: vec![false; eta.len()],
                state: model.with_rotations(State::new(base.t, &x, &eta)),
                conditions: Vec::new(),
                bodies: model.system.bodies.is_some(),
            };
            let mut found = find_start(&model.compiled, &guess).ok()?.state;
            rest_if_held(&mut found, &eta);
            Some(found)
        });
        states.extend(found);
    }
    states
}

/// Constraints that leave nothing free take a push away but for its rounding: then the state is at rest. Forces of the
/// second order in such speeds would be rounding altogether, and nothing to be compared.
fn rest_if_held(state: &mut State, pushed: &[f64]) {
    let largest = |list: &[f64]| list.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    if largest(&state.eta) <= 1e-13 * largest(pushed) {
        state.eta.fill(0.0);
    }
}
