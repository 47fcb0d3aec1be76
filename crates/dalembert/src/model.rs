//! The facade: a model file, ready to be asked.

use crate::compile::{Compiled, parameter_values};
use crate::derive::derive;
use crate::diagnostic::{Code, Diagnostic, any_error};
use crate::elaborate::{MAX_DENSE, Overrides, read};
use crate::explain;
use crate::kernel_form::{KernelForm, Places};
use crate::source::{Source, Span};
use crate::system::{Initial, InitialTarget, System};
use dalembert_linalg::{Cod, RANK_TOL, dot};
use dalembert_run::{
    ConsistentState, ControlInput, Kernel, Reporter, StartGuess, State, StickingKernel, Terms,
    VelocityCondition, dependent_rows, find_modes, find_start,
};

/// Speeds and rows up to which M and A are given in full, whatever the layout they are computed in.
pub const WRITTEN_OUT: usize = 500;

/// Speeds and rows up to which redundant rows are found in the order of the model, at a cost of their cube.
const GRAM_SCHMIDT: usize = 200;

/// A model: its system, its equations and their compiled form.
///
/// ```
/// use dalembert::{Model, Source};
/// let text = "
///     parameter m = 2, g = 9.81, alpha = 0.6
///     coordinate x, y
///     kinetic m/2*(x'^2 + y'^2)
///     potential m*g*y
///     constraint plane: y = x*tan(alpha)
/// ";
/// let mut model = Model::load(&Source::new("slope.dal", text), &Default::default()).unwrap();
/// let start = model.start().unwrap().state;
/// let now = model.evaluate(&start).unwrap();
/// let a = -9.81 * 0.6f64.sin() * 0.6f64.cos();
/// assert!((now.solution.eta_dot[0] - a).abs() < 1e-14);
/// ```
#[derive(Clone)]
pub struct Model {
    /// What the model says.
    pub system: System,
    /// Its equations of motion.
    pub form: KernelForm,
    /// The same as numbers.
    pub compiled: Compiled,
    /// Warnings and notes from reading it.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether its equations are still to be compared with a second derivation before they are used ([`Model::check_once`]).
    pub self_checked: bool,
}

/// Everything at one state.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The state.
    pub state: State,
    /// x', M, Q, A, b; by entries beyond [`WRITTEN_OUT`] speeds or rows.
    pub terms: Terms,
    /// Accelerations, forces, multipliers, rank.
    pub solution: dalembert_run::Solution,
    /// Residual of each row: position level where the row is holonomic, else velocity level.
    pub residuals: Vec<f64>,
    /// Values of the model's outputs.
    pub outputs: Vec<f64>,
    /// Energy, where it is known.
    pub energy: Option<f64>,
    /// Whether each contact with friction sticks.
    pub sticks: Vec<bool>,
}

impl Model {
    /// Reads, derives and compiles a model. On error: everything that is wrong with it.
    pub fn load(source: &Source, overrides: &Overrides) -> Result<Model, Vec<Diagnostic>> {
        match read(source, overrides) {
            (Some(system), diagnostics) => Model::of(system, diagnostics),
            (None, diagnostics) => Err(diagnostics),
        }
    }

    /// Derives and compiles a system; `diagnostics` is what has been said about it so far.
    pub fn of(mut system: System, mut diagnostics: Vec<Diagnostic>) -> Result<Model, Vec<Diagnostic>> {
        let parameters = parameter_values(&mut system);
        for (p, v) in system.parameters.iter().zip(&parameters) {
            if !v.is_finite() {
                let message = format!("the parameter `{}` has no finite value", p.name);
                diagnostics.push(
                    Diagnostic::error(Code::NotFinite, p.span, message)
                        .help("look for a division by zero, or a root or logarithm of a negative number"),
                );
            }
        }
        if any_error(&diagnostics) {
            return Err(diagnostics);
        }
        let form = match derive(&mut system) {
            Ok(form) => form,
            Err(diagnostic) => {
                diagnostics.push(*diagnostic);
                return Err(diagnostics);
            }
        };
        let compiled = Compiled::new(&mut system, &form, parameters);
        let mut model = Model { system, form, compiled, diagnostics, self_checked: true };
        model.check_coefficients();
        if any_error(&model.diagnostics) {
            return Err(model.diagnostics);
        }
        if !model.form.invariants.is_empty() {
            // What is wrong with the start is said where it is used; what is changed in it, here.
            let _ = model.start();
        }
        model.find_normal_forces();
        if let Err(diagnostic) = model.check_sparse() {
            return Err(model.diagnostics.into_iter().chain([*diagnostic]).collect());
        }
        match model.check_memory() {
            Ok(()) => Ok(model),
            Err(diagnostic) => Err(model.diagnostics.into_iter().chain([*diagnostic]).collect()),
        }
    }

    /// What an exhausted pool returns means nothing, so nothing is said from it.
    pub(crate) fn check_memory(&self) -> Result<(), Box<Diagnostic>> {
        if !self.system.pool.exhausted() {
            return Ok(());
        }
        let d = Diagnostic::error(
            Code::TooLarge,
            None,
            "the equations of this model outgrow the memory they may use",
        );
        Err(Box::new(d.help("use smaller families, or coordinates in which the energies are shorter")))
    }

    /// A system too large for matrices written out must be sparse.
    fn check_sparse(&self) -> Result<(), Box<Diagnostic>> {
        let (n, m) = (self.form.speeds.len(), self.system.rows.len());
        if n.max(m) <= MAX_DENSE || self.compiled.sparsity().is_some() {
            return Ok(());
        }
        let message =
            format!("{n} speeds and {m} constraint rows are too many: nearly all depend on each other");
        let d = Diagnostic::error(Code::TooLarge, None, message);
        Err(Box::new(d.help(format!(
            "beyond {MAX_DENSE} each speed must have inertia, and speeds and rows may be coupled with few others"
        ))))
    }

    /// Refuses what needs matrices written out, for a system too large for it.
    pub(crate) fn require_dense(&self, what: &str) -> Result<(), Box<Diagnostic>> {
        let (n, m) = (self.form.speeds.len(), self.system.rows.len());
        if n.max(m).max(self.form.coordinates.len()) <= MAX_DENSE {
            return Ok(());
        }
        let message =
            format!("{what} takes matrices in full, and {n} speeds with {m} constraint rows are too many");
        let d = Diagnostic::error(Code::TooLarge, None, message);
        Err(Box::new(d.help(format!("up to {MAX_DENSE} of each; use smaller families"))))
    }

    /// Value of an expression over parameters only.
    pub(crate) fn constant(&mut self, e: dalembert_expr::Expr) -> f64 {
        let places = Places::new(&self.form.parameters);
        self.constant_by(&places, e)
    }

    /// The same for many expressions: the parameters are looked up, not searched.
    fn constant_by(&mut self, places: &Places, e: dalembert_expr::Expr) -> f64 {
        let values = self.compiled.parameters();
        self.system.pool.evaluate(e, |s| places.of(s).map_or(f64::NAN, |i| values[i]))
    }

    /// The starting values as they are written, and what is fixed of them.
    pub fn guess(&mut self) -> Result<StartGuess, Box<Diagnostic>> {
        self.guess_with(&[])
    }

    /// The same with some values given, in place of those that are written; they are fixed.
    pub(crate) fn guess_with(
        &mut self,
        given: &[(InitialTarget, f64)],
    ) -> Result<StartGuess, Box<Diagnostic>> {
        self.guess_at(0.0, given)
    }

    fn guess_at(&mut self, t: f64, given: &[(InitialTarget, f64)]) -> Result<StartGuess, Box<Diagnostic>> {
        let (n_x, n) = (self.form.coordinates.len(), self.form.speeds.len());
        let mut guess = StartGuess {
            state: State::new(t, &vec![0.0; n_x], &vec![0.0; n]),
            x_fixed: vec![false; n_x],
            eta_fixed: vec![false; n],
            conditions: Vec::new(),
        };
        let (mut rates, places) = (Vec::new(), Places::new(&self.form.parameters));
        let mut values: Vec<(InitialTarget, f64, bool, Option<Span>)> = Vec::new();
        for k in 0..self.system.initial.len() {
            let Initial { target, fixed, value, span } = self.system.initial[k];
            if given.iter().all(|(known, _)| *known != target) {
                values.push((target, self.constant_by(&places, value), fixed, span));
            }
        }
        values.extend(given.iter().map(|(target, value)| (*target, *value, true, None)));
        for (target, value, fixed, span) in values {
            if !value.is_finite() {
                let message = "this starting value is no finite number";
                return Err(Box::new(Diagnostic::error(Code::NotFinite, span, message)));
            }
            match target {
                InitialTarget::Coordinate(i) => {
                    guess.state.x[i] = value;
                    guess.x_fixed[i] = fixed;
                }
                InitialTarget::Speed(p) => {
                    guess.state.eta[p] = value;
                    guess.eta_fixed[p] = fixed;
                }
                InitialTarget::Rate(i) => rates.push((i, value, fixed)),
            }
        }
        if !rates.is_empty() {
            self.guess_rates(&mut guess, &rates);
        }
        Ok(guess)
    }

    /// Rates that are no speeds, as (coordinate, value, fixed): linear conditions on the speeds at the configuration
    /// found first. Fixed ones are imposed; guessed ones move the guess of the speeds, by as little as possible.
    fn guess_rates(&self, guess: &mut StartGuess, rates: &[(usize, f64, bool)]) {
        let (n_x, n) = (self.form.coordinates.len(), self.form.speeds.len());
        let configuration = find_start(&self.compiled, guess).map_or(guess.state.x.clone(), |s| s.state.x);
        let mut scratch = vec![0.0; self.compiled.scratch_len()];
        let mut terms = Terms::of(&self.compiled);
        let still = State::new(guess.state.t, &configuration, &vec![0.0; n]);
        self.compiled.terms(still.point(), &mut scratch, &mut terms);
        let mut frame = vec![0.0; n_x * n];
        self.compiled.frame(guess.state.t, &configuration, &mut scratch, &mut frame);
        let (mut rows, mut missing) = (Vec::new(), Vec::new());
        for &(i, value, fixed) in rates {
            let (row, right) = (&frame[i * n..(i + 1) * n], value - terms.x_dot[i]);
            if fixed {
                guess.conditions.push(VelocityCondition { row: row.to_vec(), right });
            } else {
                missing.push(right - dot(row, &guess.state.eta));
                // Fixed speeds keep their values: the others take the whole change.
                rows.extend(row.iter().zip(&guess.eta_fixed).map(|(v, fixed)| if *fixed { 0.0 } else { *v }));
            }
        }
        let mut least_squares = Cod::new(missing.len(), n);
        let mut change = vec![0.0; n];
        least_squares.factor(&rows, RANK_TOL);
        least_squares.solve(&missing, &mut change);
        for (eta, change) in guess.state.eta.iter_mut().zip(change) {
            *eta += change;
        }
    }

    /// Starting values that keep the constraints, nearest to what the model gives.
    pub fn start(&mut self) -> Result<ConsistentState, Box<Diagnostic>> {
        self.start_with(&[])
    }

    /// The same at another time, or from coordinates and speeds given in full: these are fixed, and refused where they
    /// break a constraint.
    ///
    /// ```
    /// # use dalembert::{Model, Source};
    /// let text = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint wall: x = t\ninitial y = 2";
    /// let mut model = Model::load(&Source::new("wall.dal", text), &Default::default()).unwrap();
    /// assert_eq!(model.start_at(3.0, None).unwrap().state.x, [3.0, 2.0]);
    /// assert!(model.start_at(3.0, Some(&[0.0, 0.0, 1.0, 0.0])).is_err());
    /// ```
    pub fn start_at(&mut self, t: f64, state: Option<&[f64]>) -> Result<ConsistentState, Box<Diagnostic>> {
        let bad = |message: String| Box::new(Diagnostic::error(Code::BadOption, None, message));
        if !t.is_finite() {
            return Err(bad(format!("a motion cannot start at t = {t}")));
        }
        let Some(values) = state else {
            let guess = self.guess_at(t, &[])?;
            return self.find(guess);
        };
        let (names, n_x) = (self.state_names(), self.form.coordinates.len());
        if values.len() != names.len() {
            let message = format!("{} numbers are no state of {}", values.len(), names.len());
            return Err(Box::new(bad(message).help(format!("the state is {}", names.join(", ")))));
        }
        if let Some(k) = values.iter().position(|v| !v.is_finite()) {
            return Err(bad(format!("`{}` cannot start at {}", names[k], values[k])));
        }
        self.find(StartGuess {
            state: State::new(t, &values[..n_x], &values[n_x..]),
            x_fixed: vec![true; n_x],
            eta_fixed: vec![true; values.len() - n_x],
            conditions: Vec::new(),
        })
    }

    /// The same with some values given and fixed.
    pub(crate) fn start_with(
        &mut self,
        given: &[(InitialTarget, f64)],
    ) -> Result<ConsistentState, Box<Diagnostic>> {
        let guess = self.guess_with(given)?;
        self.find(guess)
    }

    /// The state on the constraints nearest to a guess.
    fn find(&mut self, guess: StartGuess) -> Result<ConsistentState, Box<Diagnostic>> {
        let guess = self.with_unit_invariants(guess);
        let started = find_start(&self.compiled, &guess)
            .map_err(|error| Box::new(explain::of_start(&error, &guess, self)))?;
        self.check_invariants(&started.state.x)?;
        self.warn_other_lengths(&started.state.x);
        match self.judge_rows(&started.state, Code::InconsistentStart, true) {
            Some(d) if d.is_error() => Err(Box::new(
                d.help("no solution was found near the starting values: give better guesses with `~`"),
            )),
            _ => Ok(started),
        }
    }

    /// A quaternion of zeros turns nothing, whatever its speeds.
    fn check_invariants(&self, x: &[f64]) -> Result<(), Box<Diagnostic>> {
        let (n, k) = (x.len(), self.form.invariants.len());
        let (mut values, mut gradients) = (vec![0.0; k], vec![0.0; k * n]);
        let mut scratch = vec![0.0; self.compiled.scratch_len()];
        self.compiled.invariants(x, &mut scratch, &mut values, &mut gradients);
        if gradients.chunks(n.max(1)).all(|g| g.iter().any(|v| *v != 0.0)) {
            return Ok(());
        }
        let d = Diagnostic::error(
            Code::InconsistentStart,
            None,
            "redundant coordinates are all zero at the start: no speed can move them",
        );
        Err(Box::new(d.help("give them a starting value, as `initial e0 = 1` for a quaternion")))
    }

    /// Accelerations, forces, residuals and outputs at a state.
    pub fn evaluate(&self, state: &State) -> Result<Evaluation, Box<Diagnostic>> {
        let wrong = |error| Box::new(explain::of_acceleration(&error, self, Some(state.point())));
        let modes = find_modes(&self.compiled, state.point(), ControlInput::Required).map_err(wrong)?;
        let sticking = StickingKernel::new(&self.compiled, modes);
        let mut reporter = Reporter::new(&sticking);
        let solution =
            reporter.solve(&sticking, state.point(), ControlInput::Required).map_err(wrong)?.clone();
        let terms = reporter.terms();
        let small = self.form.speeds.len().max(self.system.rows.len()) <= WRITTEN_OUT;
        let terms = if small { terms.written_out() } else { terms.clone() };
        let sticks = (0..self.system.contacts.len()).map(|k| sticking.modes().sticks(k)).collect();
        let m = self.system.rows.len();
        let (mut phi, mut psi) = (vec![0.0; m], vec![0.0; m]);
        let mut scratch = vec![0.0; self.compiled.scratch_len()];
        self.compiled.residuals(state.point(), &mut scratch, &mut phi, &mut psi);
        let residuals =
            self.system.rows.iter().enumerate().map(|(r, row)| if row.holonomic { phi[r] } else { psi[r] });
        let residuals = residuals.collect();
        let mut outputs = vec![0.0; self.compiled.output_count()];
        self.compiled.outputs(state.point(), &terms, &solution, &[], &mut outputs);
        let energy = self.system.energy.and_then(|_| outputs.pop());
        Ok(Evaluation { state: state.clone(), terms, solution, residuals, outputs, energy, sticks })
    }

    /// The names of coordinates and speeds, as columns are called.
    pub fn state_names(&self) -> Vec<&str> {
        let x = self.system.coordinates.iter().map(|c| c.name.as_str());
        x.chain(self.system.speeds.iter().map(|s| s.name.as_str())).collect()
    }

    /// Puts `name = value` pairs over a state: coordinates, speeds, rates of coordinates, `t`.
    ///
    /// Rates that are no speeds are not accepted here: they do not say which speeds to change.
    pub fn set_state(&mut self, state: &mut State, assignments: &str) -> Result<(), Box<Diagnostic>> {
        for (name, value) in self.assignments(assignments)? {
            if name == "t" {
                state.t = value;
                continue;
            }
            let names = self.state_names();
            let Some(k) = names.iter().position(|n| *n == name) else {
                let near = crate::diagnostic::nearest(&name, names.iter().copied());
                let d = Diagnostic::error(
                    Code::BadOption,
                    None,
                    format!("`{name}` is no coordinate or speed of this model"),
                );
                return Err(Box::new(match near {
                    Some(near) => d.help(format!("did you mean `{near}`?")),
                    None => d.help(format!("the state is {}", names.join(", "))),
                }));
            };
            match k.checked_sub(state.x.len()) {
                None => state.x[k] = value,
                Some(p) => state.eta[p] = value,
            }
        }
        Ok(())
    }

    /// Which rows follow from others at a state: from earlier ones (Gram-Schmidt in the order of the model), in a large
    /// system from those before them in the order of elimination.
    pub fn redundant_rows(&self, terms: &Terms) -> Vec<usize> {
        if terms.sparsity.is_some() && terms.b.len().max(terms.Q.len()) > GRAM_SCHMIDT {
            return dependent_rows(terms);
        }
        let terms = terms.written_out();
        let n = self.form.speeds.len();
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let mut redundant = Vec::new();
        for r in 0..self.system.rows.len() {
            let mut row = terms.A[r * n..(r + 1) * n].to_vec();
            let length = norm(&row);
            for _ in 0..2 {
                for b in &basis {
                    let along: f64 = row.iter().zip(b).map(|(x, y)| x * y).sum();
                    row.iter_mut().zip(b).for_each(|(x, y)| *x -= along * y);
                }
            }
            let rest = norm(&row);
            if rest <= 1e-10 * length || rest == 0.0 {
                redundant.push(r);
            } else {
                row.iter_mut().for_each(|x| *x /= rest);
                basis.push(row);
            }
        }
        redundant
    }
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}
