//! The linear system about a state: state matrix, eigenvalues, modes, mass, damping and stiffness.
//!
//! ```text
//! s = (p, w)     some coordinates and some speeds that parametrise the states on the constraints
//! s' = S s + B u       to first order, s, u and y measured from the operating point
//! y  = C s + D u
//! M q'' + D q' + K q = 0     the same where the w are the rates of the q and nothing else matters
//! ```
//!
//! How S comes about is in `reduce`; derivatives are exact (`derivatives`). Entries of S that cannot be told from zero
//! are zero: the state and the parameters are shaken by a few units of rounding, and an entry smaller than what that changes
//! is none. So a coordinate on which nothing depends has a column of zeros and gives its eigenvalue exactly.
//!
//! Checked against published matrices (`tests/it/linear_known.rs`) and over random systems (`tests/it/linear.rs`).

mod derivatives;
mod frequency;
mod ignorable;
mod input_output;
mod messages;
mod over;
mod point;
mod proof;
mod reduce;
mod split;
mod stability;
mod work;

use crate::constraint::constraint_kind::Freedom;
use crate::workspace::Workspace;
pub use dalembert_linalg::Complex;
pub(crate) use dalembert_linalg::Preference;
use dalembert_linalg::{Eigen, eigen};
use dalembert_run::{ConsistentState, Refusal, ResponseError, State};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
pub(crate) use derivatives::Derivatives;
use input_output::{InputOutput, input_output};
use messages::{kinked, of_eigen, unknown_variable};
pub use over::{Over, Range, RootLocus};
pub(crate) use reduce::{Local, Preferences, local};
pub use split::Split;
pub use stability::{Stability, StabilityVerdict};
use work::ReductionError;

/// Coordinates and speeds together at most: work grows with the cube.
pub(crate) const MAX_VARIABLES: usize = 1000;
/// How often the state is shaken to see what is rounding.
const SHAKES: u64 = 3;
/// An entry is zero if it is below this many times what shaking changes in it.
const NOISE: f64 = 16.0;

/// Other times that are looked at where time occurs.
const LATER: [f64; 6] = [0.37, 1.3, 4.1, 0.011, 17.3, 113.7];

/// What an operating point is. Indices are those of the states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperatingPoint {
    /// Everything is at rest and stays so.
    Equilibrium,
    /// Ignorable coordinates move, everything else (all speeds included) stays as it is.
    Steady {
        /// The coordinates that move.
        moving: Vec<usize>,
    },
    /// Neither: the linear system is that of an instant.
    Neither {
        /// States that change.
        changing: Vec<usize>,
        /// Forces or constraints that contain the time change it later, if not now.
        driven: bool,
    },
}

/// A linear system about a state.
///
/// ```
/// use dalembert::{Model, Source, linearize::StabilityVerdict};
/// let text = "
///     parameter m = 1, l = 0.5, g = 9.81
///     coordinate x, y
///     kinetic m/2*(x'^2 + y'^2)
///     potential m*g*y
///     constraint rod: x^2 + y^2 = l^2
///     initial x = 0, y ~ -1
/// ";
/// let model = Model::load(&Source::new("pendulum.dal", text), &Default::default()).map_err(|d| d[0].message.clone())?;
/// let state = model.start().map_err(|d| d.message)?.state;
/// let linear = model.linearize(&state, &[]).map_err(|d| d.message)?;
/// assert_eq!(linear.states, ["x", "x'"]);
/// let frequency = linear.eigen.values[0].im;
/// assert!((frequency - (9.81f64 / 0.5).sqrt()).abs() < 1e-14);
/// assert_eq!(linear.stability.unwrap().verdict, StabilityVerdict::Stable);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Linearization {
    /// The operating point.
    pub state: State,
    /// Names of the states: independent coordinates, then independent speeds.
    pub states: Vec<String>,
    /// How many of them are coordinates.
    pub positions: usize,
    /// Names of the inputs.
    pub inputs: Vec<String>,
    /// Names of the outputs.
    /// None where they read forces that redundant constraints share: those have no derivative here.
    pub outputs: Vec<String>,
    /// B of s' = S s + B u, row-major: states by inputs.
    pub input_matrix: Vec<f64>,
    /// C of y = C s + D u, row-major: outputs by states.
    pub output_matrix: Vec<f64>,
    /// D, row-major: outputs by inputs.
    pub feedthrough: Vec<f64>,
    /// Rates of the states at the operating point.
    pub rates: Vec<f64>,
    /// S, row-major.
    pub state_matrix: Vec<f64>,
    /// Eigenvalues and vectors of S.
    pub eigen: Eigen,
    /// Change of every coordinate and speed of the model with each state; rows in the order of the model's state.
    pub directions: Vec<f64>,
    /// Mass, damping and stiffness, or why there are none.
    pub split: Result<Split, String>,
    /// Equilibrium, steady motion or neither.
    pub kind: OperatingPoint,
    /// States that influence no others and were found to be ignorable, as indices of `states`.
    pub ignorable: Vec<usize>,
    /// What is known of stability; nothing where the state is neither an equilibrium nor a steady motion.
    pub stability: Option<Stability>,
    /// Time occurs in the equations.
    pub time_dependent: bool,
    /// Time occurs in their derivatives: the matrix is that of the instant.
    pub matrix_time_dependent: bool,
}

impl Linearization {
    /// How many states.
    pub fn dimension(&self) -> usize {
        self.states.len()
    }

    /// A mode in all coordinates and speeds of the model, as (real, imaginary) parts.
    pub fn mode(&self, k: usize) -> Vec<(f64, f64)> {
        let (d, v) = (self.dimension(), &self.eigen.vectors[k]);
        let along = |row: &[f64]| {
            row.iter().zip(v).fold((0.0, 0.0), |(re, im), (a, c)| (re + a * c.re, im + a * c.im))
        };
        self.directions.chunks(d.max(1)).map(along).collect()
    }
}

/// A model made ready to be linearised at many states.
pub struct Linearizer {
    pub(crate) derivatives: Derivatives,
    wishes: Preferences,
    /// The variables asked for, as coordinates.
    chosen: Vec<usize>,
    /// Linear systems computed in searches, to bound them.
    pub(crate) calls: std::cell::Cell<usize>,
}

impl Linearizer {
    /// Differentiates the equations; `independent` names coordinates or speeds that the matrices should be about.
    pub fn new(model: &mut Workspace, independent: &[String]) -> Result<Linearizer, Box<Diagnostic>> {
        model.derive_symbols()?;
        refuse_laws(model)?;
        let (n_x, n) = (model.form.coordinates.len(), model.form.speeds.len());
        if n_x + n > MAX_VARIABLES {
            let message = format!(
                "{n_x} coordinates and {n} speeds are too many to linearise: the limit is {MAX_VARIABLES} together"
            );
            return Err(Box::new(
                Diagnostic::error(Code::TooLarge, None, message).help("use smaller families"),
            ));
        }
        let mut wishes =
            Preferences { coordinates: vec![Preference::Open; n_x], speeds: vec![Preference::Open; n] };
        let mut chosen = Vec::new();
        for name in independent {
            let coordinate = model.system.frame.coordinates.iter().position(|c| c.name == *name);
            let speed = model.system.frame.speeds.iter().position(|s| s.name == *name);
            match (coordinate, speed) {
                (Some(i), _) => {
                    wishes.coordinates[i] = Preference::Required;
                    chosen.push(i);
                    if let Some(p) = model.system.frame.speeds.iter().position(|s| s.rate_of == Some(i)) {
                        wishes.speeds[p] = Preference::Preferred;
                    }
                }
                (None, Some(p)) => wishes.speeds[p] = Preference::Required,
                (None, None) => return Err(Box::new(unknown_variable(model, name))),
            }
        }
        let derivatives = Derivatives::new(model)?;
        let open = model.system.experiment.outputs.is_empty() && model.open_inputs().is_empty();
        if !(open && model.system.control.rows.is_empty()) {
            model.compiled.with_derivatives(&mut model.system, &model.form);
        }
        Ok(Linearizer { derivatives, wishes, chosen, calls: Default::default() })
    }

    /// The linear system at a state, zeros cleared of rounding.
    pub(crate) fn local(&self, model: &mut Workspace, state: &State) -> Result<Local, Box<Diagnostic>> {
        let mut here = local(model, &self.derivatives, state, &self.wishes)
            .map_err(|t| self.explain(model, state, t))?;
        self.check_smooth(model, state, &here)?;
        // A row that vanishes here and not beside it leaves no surface to linearise on.
        let started = ConsistentState {
            state: state.clone(),
            rank: here.solution.rank,
            residuals: (0.0, 0.0),
            moved: 0.0,
        };
        if Freedom::at(model, &started).rank_nearby > here.solution.rank {
            return Err(self.explain(model, state, ReductionError::Degenerate));
        }
        let same = fixed(model, &here);
        let parameters = model.compiled.parameters().to_vec();
        let mut shaken = Vec::new();
        for k in 1..=SHAKES {
            let (moved, other) = (shake_state(state, k), shake(&parameters, 100 * k, 0.0));
            model.compiled.set_parameters(&other);
            shaken.extend(local(model, &self.derivatives, &moved, &same));
        }
        model.compiled.set_parameters(&parameters);
        type Pick = fn(&mut Local) -> &mut [f64];
        let parts: [Pick; 5] =
            [|l| &mut l.S, |l| &mut l.B, |l| &mut l.mass, |l| &mut l.rates, |l| &mut l.directions];
        for part in parts {
            let others: Vec<Vec<f64>> = shaken.iter_mut().map(|l| part(l).to_vec()).collect();
            clear(part(&mut here), &others);
        }
        Ok(here)
    }

    /// The reduced linear system without an estimate of its rounding, for searches.
    pub(crate) fn plain(&self, model: &Workspace, state: &State, wishes: &Preferences) -> Option<Local> {
        self.calls.set(self.calls.get() + 1);
        local(model, &self.derivatives, state, wishes).ok()
    }

    /// Where a force has a kink or a jump, there is no linear system. Both sides are looked at.
    fn check_smooth(&self, model: &Workspace, state: &State, here: &Local) -> Result<(), Box<Diagnostic>> {
        let lambda = &here.solution.lambda;
        let mut terms = dalembert_run::Terms::new(&dalembert_run::Dynamics::shape(&model.compiled));
        let mut scratch = vec![0.0; dalembert_run::Dynamics::scratch_len(&model.compiled)];
        dalembert_run::Dynamics::terms(&model.compiled, state.point(), &mut scratch, &mut terms);
        let groups = 0..model.system.constraints.named.len();
        let reactions: Vec<f64> =
            groups.map(|g| model.compiled.generalised_reaction(g, lambda, &terms.A, None)).collect();
        if !self.derivatives.at_a_kink(model, state.point(), lambda, &reactions) {
            return Ok(());
        }
        let (same, d) = (fixed(model, here), here.dimension());
        let size = here.S.iter().chain(&here.rates).fold(1e-3, |m: f64, v| m.max(v.abs()));
        for k in 1..=4u64 {
            let step: Vec<f64> = shake(&vec![0.0; d], 7 * k, 1e-7 / f64::EPSILON);
            let along = |sign: f64| {
                let mut other = state.clone();
                for (i, v) in other.x.iter_mut().chain(&mut other.eta).enumerate() {
                    *v += sign * (0..d).map(|c| here.directions[[i, c]] * step[c]).sum::<f64>();
                }
                local(model, &self.derivatives, &other, &same)
            };
            for side in [along(1.0), along(-1.0)] {
                let smooth = side.is_ok_and(|l| {
                    let apart = |a: &[f64], b: &[f64]| {
                        a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
                    };
                    apart(&l.S, &here.S).max(apart(&l.rates, &here.rates)) < 1e-3 * size
                });
                if !smooth {
                    return Err(Box::new(kinked()));
                }
            }
        }
        Ok(())
    }
}

impl Workspace {
    /// The linear system about a state. `independent` names the variables it should be about; the others are chosen.
    pub fn linearize(
        &mut self,
        state: &State,
        independent: &[String],
    ) -> Result<Linearization, Box<Diagnostic>> {
        Linearizer::new(self, independent)?.at(self, state)
    }
}

impl Linearizer {
    /// The linear system about a state.
    pub fn at(&self, model: &mut Workspace, state: &State) -> Result<Linearization, Box<Diagnostic>> {
        let here = self.local(model, state)?;
        let (d, d_x) = (here.dimension(), here.positions.dimension());
        let eigen = eigen(&here.S, d).map_err(|error| Box::new(of_eigen(error)))?;
        let x = here.positions.independent.iter().map(|i| model.system.frame.coordinates[*i].name.clone());
        let eta = here.speeds.independent.iter().map(|p| model.system.frame.speeds[*p].name.clone());
        let states: Vec<String> = x.chain(eta).collect();
        let ignorable = self.ignorable(model, state, &here);
        let kind = self.kind(model, state, &here, &ignorable);
        let stability = match &kind {
            OperatingPoint::Neither { .. } => None,
            _ => Some(self.stability(model, state, &here, &ignorable, &kind)),
        };
        let io = self.input_output(model, state, &here)?;
        let shown = if io.output.is_empty() { 0 } else { model.system.experiment.outputs.len() };
        let inputs = model.open_inputs().into_iter().map(|k| model.system.parameters[k].name.clone());
        Ok(Linearization {
            state: state.clone(),
            inputs: inputs.collect(),
            outputs: model.system.experiment.outputs.iter().take(shown).map(|o| o.name.clone()).collect(),
            input_matrix: io.input,
            output_matrix: io.output,
            feedthrough: io.feedthrough,
            split: split::split(model, &here, &self.chosen, &states),
            states,
            positions: d_x,
            rates: here.rates.clone(),
            state_matrix: here.S.to_vec(),
            eigen,
            directions: here.directions.to_vec(),
            kind,
            ignorable,
            stability,
            time_dependent: self.derivatives.timed,
            matrix_time_dependent: self.derivatives.timed_derivatives,
        })
    }
}

impl Linearizer {
    /// B, C, D at a state, zeros cleared of rounding.
    fn input_output(
        &self,
        model: &mut Workspace,
        state: &State,
        here: &Local,
    ) -> Result<InputOutput, Box<Diagnostic>> {
        if model.system.experiment.outputs.is_empty() && model.open_inputs().is_empty() {
            return Ok(InputOutput::default());
        }
        let mut io = match input_output(model, state, here) {
            Ok(io) => io,
            // The state matrix stands without them.
            Err(ResponseError::Refused(Refusal::SharedLoad)) if model.open_inputs().is_empty() => {
                return Ok(InputOutput::default());
            }
            Err(error) => return Err(self.not_differentiable(model, state, error)),
        };
        let (same, parameters) = (fixed(model, here), model.compiled.parameters().to_vec());
        let mut shaken = Vec::new();
        for k in 1..=SHAKES {
            let (moved, other) = (shake_state(state, k), shake(&parameters, 100 * k, 0.0));
            model.compiled.set_parameters(&other);
            let near = local(model, &self.derivatives, &moved, &same);
            shaken.extend(near.ok().and_then(|near| input_output(model, &moved, &near).ok()));
        }
        model.compiled.set_parameters(&parameters);
        type Pick = fn(&mut InputOutput) -> &mut Vec<f64>;
        let parts: [Pick; 3] = [|m| &mut m.input, |m| &mut m.output, |m| &mut m.feedthrough];
        for part in parts {
            let others: Vec<Vec<f64>> = shaken.iter_mut().map(|m| part(m).clone()).collect();
            clear(part(&mut io), &others);
        }
        Ok(io)
    }
}

/// Preferences that select the independent variables of an earlier reduction.
pub(crate) fn fixed(model: &Workspace, here: &Local) -> Preferences {
    let mark = |n: usize, chosen: &[usize]| {
        (0..n).map(|i| if chosen.contains(&i) { Preference::Required } else { Preference::Open }).collect()
    };
    Preferences {
        coordinates: mark(model.form.coordinates.len(), &here.positions.independent),
        speeds: mark(model.form.speeds.len(), &here.speeds.independent),
    }
}

/// Numbers changed by a few units of rounding, and by `floor` units absolutely; the same every time.
pub(crate) fn shake(values: &[f64], seed: u64, floor: f64) -> Vec<f64> {
    let shift = |k: usize| {
        let u = ((k as u64 + 1) * (2 * seed + 1)) as f64 * 0.618_033_988_749_895;
        2.0 * u.fract() - 1.0
    };
    values.iter().enumerate().map(|(k, v)| v + shift(k) * f64::EPSILON * (4.0 * v.abs() + floor)).collect()
}

fn shake_state(state: &State, seed: u64) -> State {
    State::new(state.t, &shake(&state.x, seed, 4.0), &shake(&state.eta, seed + 50, 4.0))
}

/// Sets to zero what cannot be told from it.
fn clear(values: &mut [f64], others: &[Vec<f64>]) {
    for (k, v) in values.iter_mut().enumerate() {
        let change = others.iter().filter_map(|o| o.get(k)).fold(0.0, |m: f64, o| m.max((o - *v).abs()));
        if v.abs() <= NOISE * change {
            *v = 0.0;
        }
    }
}

/// Friction has no derivative where it sticks.
fn refuse_laws(model: &Workspace) -> Result<(), Box<Diagnostic>> {
    let friction = model.system.contacts.first().map(|c| {
        let message = format!(
            "friction on `{}`: near rest there is no linear system, and rest is possible in whole ranges",
            c.name
        );
        Diagnostic::error(Code::NotApplicable, c.span, message)
            .help("leave the friction out to see the system without it")
    });
    friction.map_or(Ok(()), |d| Err(Box::new(d)))
}
