//! The matrices of inputs and outputs: s' = S s + B u, y = C s + D u.
//!
//! ```text
//! B = d s'/du     at the state, inputs changed one by one
//! C = dy/ds       along the columns of the directions of the states, which lie on the constraints
//! D = dy/du       through accelerations and multipliers where outputs read them (S2)
//! ```
//!
//! Derivatives are those of [`Response`]: exact, through the constrained solve, of any rank. Checked by differences of
//! accelerations and outputs in `tests/it/state_space.rs`.

use super::reduce::Local;
use crate::workspace::Workspace;
use dalembert_run::{Change, ContactModes, Direction, Dynamics, Response, ResponseError, State};

/// B, C and D in the states of a linear system. Row-major.
#[derive(Clone, Debug, Default)]
pub(crate) struct InputOutput {
    /// B, states by inputs.
    pub input: Vec<f64>,
    /// C, outputs by states.
    pub output: Vec<f64>,
    /// D, outputs by inputs.
    pub feedthrough: Vec<f64>,
}

impl Workspace {
    /// Inputs by index of the parameter behind each, without those that an expression from outside replaces.
    pub(crate) fn open_inputs(&self) -> Vec<usize> {
        let parameters = self.system.parameters.iter().enumerate();
        parameters.filter(|(_, p)| p.is_input).map(|(k, _)| k).collect()
    }
}

/// B, C, D at a state.
pub(super) fn input_output(
    model: &Workspace,
    state: &State,
    here: &Local,
) -> Result<InputOutput, ResponseError> {
    let compiled = &model.compiled;
    let shape = compiled.shape();
    let (n_x, d, inputs) = (shape.n_x, here.dimension(), model.open_inputs());
    let outputs = model.system.experiment.outputs.len();
    let mut response = Response::new(compiled, ContactModes::new(&shape))?;
    response.at(state.point())?;
    let mut out = InputOutput {
        input: vec![0.0; d * inputs.len()],
        output: vec![0.0; outputs * d],
        feedthrough: vec![0.0; outputs * inputs.len()],
    };
    let mut change = Change::new(&shape);
    let mut values = vec![0.0; compiled.output_count()];
    let parameters = vec![0.0; compiled.parameters().len()];
    for c in 0..d {
        let column: Vec<f64> = here.directions.chunks(d).map(|row| row[c]).collect();
        let along = Direction { t: 0.0, x: &column[..n_x], eta: &column[n_x..], parameters: &parameters };
        response.along(along, &mut change);
        response.outputs_along(along, &change, (&[], &[]), &mut values);
        (0..outputs).for_each(|r| out.output[r * d + c] = values[r]);
    }
    let (x, eta) = (vec![0.0; n_x], vec![0.0; shape.n_eta]);
    for (c, &k) in inputs.iter().enumerate() {
        let mut parameters = parameters.clone();
        parameters[k] = 1.0;
        let along = Direction { t: 0.0, x: &x, eta: &eta, parameters: &parameters };
        response.along(along, &mut change);
        response.outputs_along(along, &change, (&[], &[]), &mut values);
        (0..outputs).for_each(|r| out.feedthrough[r * inputs.len() + c] = values[r]);
        let positions = here.positions.independent.iter().map(|i| change.terms.x_dot[*i]);
        let speeds = here.speeds.independent.iter().map(|p| change.solution.eta_dot[*p]);
        positions.chain(speeds).enumerate().for_each(|(r, v)| out.input[r * inputs.len() + c] = v);
    }
    Ok(out)
}
