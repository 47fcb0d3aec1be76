//! Exact derivatives of rates and multipliers at a state: by the state, by inputs and by parameters (S2).
//!
//! For those who bring their own optimiser, filter or integrator. Contacts with friction stick or slide as the state says.
//!
//! ```
//! use dalembert::{Model, Source, derivatives::Derivatives};
//! let text = "parameter l = 2, g = 9.81\ninput u = 0\ncoordinate q\nkinetic l^2*q'^2/2\npotential -g*l*cos(q)\nforce q = u";
//! let model = Model::load(&Source::new("pendulum.dal", text), &Default::default())?;
//! let derivatives = Derivatives::new(&model)?;
//! let here = derivatives.at(0.0, &[0.3, 1.0])?;
//! // q'' = -g/l sin(q) + u/l^2.
//! assert!((here.rates_by_state[2] + 9.81 / 2.0 * 0.3f64.cos()).abs() < 1e-14);
//! assert!((here.rates_by_input[1] - 0.25).abs() < 1e-15);
//! assert_eq!(derivatives.parameters(), ["l", "g"]);
//! assert!((here.rates_by_parameter[2] - 9.81 / 4.0 * 0.3f64.sin()).abs() < 1e-14);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::explain;
use crate::model::Model;
use crate::sensitivity::VariedTarget;
use crate::workspace::Workspace;
use dalembert_run::{Change, ControlInput, Direction, Dynamics, Point, Response, ResponseError, find_modes};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// A model made ready to be differentiated at states. Shared by threads.
pub struct Derivatives {
    model: Workspace,
    /// Changes of all parameters with each input and each parameter.
    inputs: Vec<(String, Vec<f64>)>,
    parameters: Vec<(String, Vec<f64>)>,
}

/// Rates, multipliers and their derivatives at a state. Matrices are row-major.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateDerivatives {
    /// x', then eta'.
    pub rates: Vec<f64>,
    /// Multiplier of each constraint row.
    pub multipliers: Vec<f64>,
    /// Rates by coordinates and speeds.
    pub rates_by_state: Vec<f64>,
    /// Rates by inputs.
    pub rates_by_input: Vec<f64>,
    /// Rates by parameters; those defined from a parameter follow it.
    pub rates_by_parameter: Vec<f64>,
    /// Multipliers by coordinates and speeds.
    pub multipliers_by_state: Vec<f64>,
    /// Multipliers by inputs.
    pub multipliers_by_input: Vec<f64>,
    /// Multipliers by parameters.
    pub multipliers_by_parameter: Vec<f64>,
}

impl Derivatives {
    /// Differentiates the programs of a model.
    pub fn new(model: impl Into<Model>) -> Result<Derivatives, Box<Diagnostic>> {
        let mut model = model.into().workspace();
        model.compiled.compile_native(&mut model.system, &model.form);
        model.prepare_derivatives()?;
        let (mut inputs, mut parameters) = (Vec::new(), Vec::new());
        for k in 0..model.system.parameters.len() {
            let change = model.parameter_direction(VariedTarget::Parameter(k));
            let p = &model.system.parameters[k];
            let list = if p.is_input { &mut inputs } else { &mut parameters };
            list.push((p.name.clone(), change));
        }
        Ok(Derivatives { model, inputs, parameters })
    }

    /// The model.
    pub fn model(&self) -> &Workspace {
        &self.model
    }

    /// Names of the inputs, in the order of columns.
    pub fn inputs(&self) -> Vec<&str> {
        self.inputs.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Names of the parameters, in the order of columns.
    pub fn parameters(&self) -> Vec<&str> {
        self.parameters.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// At the state `y` (coordinates, then speeds).
    pub fn at(&self, t: f64, y: &[f64]) -> Result<StateDerivatives, Box<Diagnostic>> {
        let compiled = &self.model.compiled;
        let shape = compiled.shape();
        let (x, eta) = y.split_at(shape.n_x.min(y.len()));
        if eta.len() != shape.n_eta {
            let message = format!("{} numbers are not a state of {}", y.len(), shape.n_x + shape.n_eta);
            return Err(Box::new(Diagnostic::error(Code::BadOption, None, message)));
        }
        let at = Point { t, x, eta };
        let explain = |error: ResponseError| match error {
            ResponseError::Acceleration(error) => {
                Box::new(explain::of_acceleration(&error, &self.model, Some(at)))
            }
            ResponseError::Refused(refusal) => {
                let message =
                    format!("there is no derivative at this state: {}", explain::refused_law(refusal));
                Box::new(Diagnostic::error(Code::NoSensitivity, None, message))
            }
        };
        let modes = find_modes(compiled, at, ControlInput::Required)
            .map_err(|error| explain(ResponseError::Acceleration(error)))?;
        let mut response = Response::new(compiled, modes).map_err(explain)?;
        response.at(at).map_err(explain)?;
        let (d, m) = (y.len(), shape.n_con);
        let mut out = StateDerivatives { rates: vec![0.0; d], ..StateDerivatives::default() };
        response.derivative(&mut out.rates);
        out.multipliers.extend_from_slice(&response.here().1.lambda[..m]);
        let (still, none) = (vec![0.0; d], vec![0.0; compiled.parameters().len()]);
        let unit = |i: usize| (0..d).map(|j| f64::from(u8::from(i == j))).collect::<Vec<f64>>();
        let states: Vec<(Vec<f64>, &[f64])> = (0..d).map(|i| (unit(i), none.as_slice())).collect();
        let by = |list: &'_ [(String, Vec<f64>)]| -> Vec<(Vec<f64>, Vec<f64>)> {
            list.iter().map(|(_, change)| (still.clone(), change.clone())).collect()
        };
        let (inputs, parameters) = (by(&self.inputs), by(&self.parameters));
        let mut change = Change::new(&shape);
        let mut columns = |list: &[(Vec<f64>, &[f64])]| {
            let count = list.len();
            let (mut rates, mut multipliers) = (vec![0.0; d * count], vec![0.0; m * count]);
            for (c, (y, p)) in list.iter().enumerate() {
                let along = Direction { t: 0.0, x: &y[..shape.n_x], eta: &y[shape.n_x..], parameters: p };
                response.along(along, &mut change);
                let found = change.terms.x_dot.iter().chain(&change.solution.eta_dot);
                found.enumerate().for_each(|(r, v)| rates[r * count + c] = *v);
                (0..m).for_each(|r| multipliers[r * count + c] = change.solution.lambda[r]);
            }
            (rates, multipliers)
        };
        (out.rates_by_state, out.multipliers_by_state) = columns(&states);
        for (list, rates, multipliers) in [
            (&inputs, &mut out.rates_by_input, &mut out.multipliers_by_input),
            (&parameters, &mut out.rates_by_parameter, &mut out.multipliers_by_parameter),
        ] {
            let list: Vec<(Vec<f64>, &[f64])> = list.iter().map(|(y, p)| (y.clone(), p.as_slice())).collect();
            (*rates, *multipliers) = columns(&list);
        }
        Ok(out)
    }
}
