//! By what a motion is differentiated: parameters and starting values by name, with everything that follows from them.
//!
//! A parameter carries along those that are defined from it and the starting values that contain it. A starting value is
//! varied as `--initial` would set it: it is fixed, and what is solved for follows. Derivatives are per SI unit.
//!
//! ```text
//! f_x dx + f_p dp = 0,   A deta + psi_x dx + psi_p dp = 0     with what is fixed as given
//! ```
//!
//! Where that leaves changes open (a start that is nearest to its guess), they are those of the start that is found, by
//! extrapolated differences of it; constraints hold exactly.

use crate::explain;
use crate::kernel_form::Places;
use crate::parameters::Target;
use crate::system::InitialTarget;
use crate::workspace::Workspace;
use dalembert_run::{Dynamics, StartDirection, StartGuess, State, tangent_start};
use dalembert_syntax::diagnostic::{Code, Diagnostic, nearest};

/// Step of the differences of starts, relative to the size of what is varied.
const STEP: f64 = 2e-3;

/// What a motion is differentiated by.
#[derive(Clone, Debug)]
pub struct Varied {
    /// As it was written: `m`, `theta(0)`.
    pub name: String,
    /// What it is.
    pub(crate) target: VariedTarget,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum VariedTarget {
    Parameter(usize),
    Start(InitialTarget),
}

impl Workspace {
    /// Reads names: parameters as they are, starting values as `x(0)` and `x'(0)`.
    pub fn varied(&self, names: &[String]) -> Result<Vec<Varied>, Box<Diagnostic>> {
        let mut all: Vec<Varied> = Vec::new();
        for name in names {
            let target = self.varied_target(name)?;
            if all.iter().any(|v| v.target == target) {
                let d = Diagnostic::error(Code::BadOption, None, format!("`{name}` is given twice"));
                return Err(Box::new(d.help("name it once")));
            }
            all.push(Varied { name: name.clone(), target });
        }
        Ok(all)
    }

    fn varied_target(&self, name: &str) -> Result<VariedTarget, Box<Diagnostic>> {
        let at_start = name.strip_suffix("(0)").map(str::trim);
        match (at_start, self.target(at_start.unwrap_or(name))) {
            (None, Some(Target::Parameters(places))) => match places.as_slice() {
                [one] => Ok(VariedTarget::Parameter(*one)),
                several => {
                    let member = &self.system.parameters[several[0]].name;
                    let message = format!("`{name}` is a family: derivatives are by its members");
                    let d = Diagnostic::error(Code::BadOption, None, message);
                    Err(Box::new(d.help(format!("name one, as `{member}`"))))
                }
            },
            (Some(_), Some(Target::Start(target))) => Ok(VariedTarget::Start(target)),
            (None, Some(Target::Start(_))) => {
                let message = format!("`{name}` changes along the motion; its starting value is `{name}(0)`");
                Err(Box::new(
                    Diagnostic::error(Code::BadOption, None, message).help(format!("write `{name}(0)`")),
                ))
            }
            _ => Err(self.unknown_varied(name)),
        }
    }

    fn unknown_varied(&self, name: &str) -> Box<Diagnostic> {
        let mut known: Vec<String> = self.system.parameters.iter().map(|p| p.name.clone()).collect();
        known.extend(self.state_names().into_iter().map(|state| format!("{state}(0)")));
        let message = format!("`{name}` is not a parameter or starting value of this model");
        let d = Diagnostic::error(Code::BadOption, None, message);
        Box::new(match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => d.help(format!("did you mean `{near}`?")),
            None => d.help(format!("known are {}", known.join(", "))),
        })
    }

    /// The directions of these at a start: consistent, or refused by name. Needs the derivatives of the programs.
    pub(crate) fn directions(
        &mut self,
        varied: &[Varied],
        start: &State,
        given: bool,
    ) -> Result<Vec<StartDirection>, Box<Diagnostic>> {
        varied.iter().map(|v| self.direction(v, start, given)).collect()
    }

    fn direction(
        &mut self,
        varied: &Varied,
        start: &State,
        given: bool,
    ) -> Result<StartDirection, Box<Diagnostic>> {
        let (n_x, n) = (start.x.len(), start.eta.len());
        let mut direction = StartDirection { x: vec![0.0; n_x], eta: vec![0.0; n], parameters: Vec::new() };
        direction.parameters = self.parameter_direction(varied.target);
        let mut guess = match given {
            // A state from outside is fixed as a whole, but for what is varied of it.
            true => StartGuess {
                state: start.clone(),
                x_fixed: vec![matches!(varied.target, VariedTarget::Parameter(_)); n_x],
                eta_fixed: vec![matches!(varied.target, VariedTarget::Parameter(_)); n],
                conditions: Vec::new(),
                bodies: self.system.bodies.is_some(),
            },
            false => self.guess_with(&self.fixed_start(varied.target, start))?,
        };
        if !given {
            self.guess_direction(varied.target, &direction.parameters.clone(), &mut direction);
        }
        match varied.target {
            VariedTarget::Start(InitialTarget::Coordinate(i)) => {
                (direction.x[i], guess.x_fixed[i]) = (1.0, true);
            }
            VariedTarget::Start(InitialTarget::Speed(p)) => {
                (direction.eta[p], guess.eta_fixed[p]) = (1.0, true);
            }
            _ => {}
        }
        let exact = direction.clone();
        let free = |flags: &[bool]| flags.iter().any(|fixed| !fixed);
        let open =
            !self.system.constraints.rows.is_empty() && (free(&guess.x_fixed) || free(&guess.eta_fixed));
        let rates = matches!(varied.target, VariedTarget::Start(InitialTarget::Rate(_)));
        let conditions = !guess.conditions.is_empty() || rates;
        // First whether there is such a direction at all.
        let refuse = |row: usize| self.cannot_vary(varied, row);
        if !rates {
            tangent_start(&self.compiled, start, &guess, &mut direction).map_err(refuse)?;
        }
        if !given
            && (open || conditions || self.system.bodies.is_some() || !self.form.invariants.is_empty())
            && let Some(found) = self.start_difference(varied.target, start)
        {
            direction = StartDirection { parameters: direction.parameters, ..found };
            let keep = |to: &mut [f64], from: &[f64], flags: &[bool]| {
                for i in 0..to.len() {
                    if flags.get(i).copied().unwrap_or(false) {
                        to[i] = from[i];
                    }
                }
            };
            keep(&mut direction.x, &exact.x, &guess.x_fixed);
            keep(&mut direction.eta, &exact.eta, &guess.eta_fixed);
            let refuse = |row: usize| self.cannot_vary(varied, row);
            tangent_start(&self.compiled, start, &guess, &mut direction).map_err(refuse)?;
        }
        Ok(direction)
    }

    /// A starting value that is varied is fixed at what it is.
    fn fixed_start(&self, target: VariedTarget, start: &State) -> Vec<(InitialTarget, f64)> {
        match target {
            VariedTarget::Parameter(_) => Vec::new(),
            VariedTarget::Start(target) => vec![(target, self.start_value(target, start))],
        }
    }

    /// The value of a starting value at a state.
    pub(crate) fn start_value(&self, target: InitialTarget, start: &State) -> f64 {
        match target {
            InitialTarget::Coordinate(i) => start.x[i],
            InitialTarget::Speed(p) => start.eta[p],
            InitialTarget::Rate(i) => {
                let mut terms = dalembert_run::Terms::of(&self.compiled);
                let mut scratch = vec![0.0; self.compiled.scratch_len()];
                self.compiled.terms(start.point(), &mut scratch, &mut terms);
                terms.x_dot[i]
            }
        }
    }

    /// The size of what is varied; one where it vanishes.
    pub(crate) fn varied_size(&self, varied: &Varied, start: &State) -> f64 {
        self.target_size(varied.target, start)
    }

    fn target_size(&self, target: VariedTarget, start: &State) -> f64 {
        let size = match target {
            VariedTarget::Parameter(k) => self.compiled.parameters()[k].abs(),
            VariedTarget::Start(target) => self.start_value(target, start).abs(),
        };
        if size > 1e-9 { size } else { 1.0 }
    }

    /// Changes of all parameters with one of them; those defined from it follow.
    pub(crate) fn parameter_direction(&mut self, target: VariedTarget) -> Vec<f64> {
        let count = self.system.parameters.len();
        let mut change = vec![0.0; count];
        let VariedTarget::Parameter(k) = target else { return change };
        change[k] = 1.0;
        let places = Places::new(&self.form.parameters);
        for i in k + 1..count {
            let value = self.system.parameters[i].value;
            change[i] = self.slope(&places, value, &change);
        }
        change
    }

    /// The change of an expression over parameters.
    fn slope(&mut self, places: &Places, e: dalembert_expr::Expr, change: &[f64]) -> f64 {
        let gradient = places.gradient(&mut self.system.pool, e);
        gradient
            .into_iter()
            .filter(|(j, _)| change[*j] != 0.0)
            .map(|(j, d)| self.constant(d) * change[j])
            .sum()
    }

    /// Changes of the starting values as they are written.
    fn guess_direction(&mut self, target: VariedTarget, change: &[f64], out: &mut StartDirection) {
        let places = Places::new(&self.form.parameters);
        for k in 0..self.system.experiment.initial.len() {
            let initial = self.system.experiment.initial[k];
            if target == VariedTarget::Start(initial.target) {
                continue;
            }
            let slope = self.slope(&places, initial.value, change);
            match initial.target {
                InitialTarget::Coordinate(i) => out.x[i] = slope,
                InitialTarget::Speed(p) => out.eta[p] = slope,
                InitialTarget::Rate(_) => {}
            }
        }
    }

    /// The change of the start that is found, by differences extrapolated twice; `None` where there is no start nearby.
    fn start_difference(&self, target: VariedTarget, start: &State) -> Option<StartDirection> {
        let mut work = self.clone();
        let values = self.compiled.parameters().to_vec();
        let step = STEP * self.target_size(target, start);
        let change = work.parameter_direction(target);
        let mut state = |h: f64| -> Option<Vec<f64>> {
            let given = match target {
                VariedTarget::Parameter(k) => {
                    let mut given = vec![None; values.len()];
                    given[k] = Some(values[k] + h);
                    let moved = crate::compile::parameter_values_with(&mut work.system, &given);
                    work.compiled.set_parameters(&moved);
                    Vec::new()
                }
                VariedTarget::Start(target) => vec![(target, self.start_value(target, start) + h)],
            };
            let found = work.start_with(&given).ok()?.state;
            Some(found.x.into_iter().chain(found.eta).collect())
        };
        let mut slope = |h: f64| -> Option<Vec<f64>> {
            let (above, below) = (state(h)?, state(-h)?);
            Some(above.iter().zip(&below).map(|(a, b)| (a - b) / (2.0 * h)).collect())
        };
        let (one, two, four) = (slope(step)?, slope(step / 2.0)?, slope(step / 4.0)?);
        let n_x = start.x.len();
        let extrapolated = (0..one.len()).map(|i| (one[i] - 20.0 * two[i] + 64.0 * four[i]) / 45.0);
        let mut all: Vec<f64> = extrapolated.collect();
        let eta = all.split_off(n_x);
        all.iter().chain(&eta).all(|v| v.is_finite()).then_some(StartDirection {
            x: all,
            eta,
            parameters: change,
        })
    }

    fn cannot_vary(&self, varied: &Varied, row: usize) -> Box<Diagnostic> {
        let Some(row) = self.system.constraints.rows.get(row) else {
            let message =
                format!("`{}` cannot be varied alone: the other starting values determine it", varied.name);
            let d = Diagnostic::error(Code::CannotVaryAlone, None, message);
            return Box::new(d.help("write `~` instead of `=` for a starting value that may follow"));
        };
        let message =
            format!("`{}` cannot be varied alone: `{}` would not hold any more", varied.name, row.name);
        let d = Diagnostic::error(Code::CannotVaryAlone, row.span, message);
        Box::new(d.help(
            "write `~` instead of `=` for a starting value that may follow, or vary what determines the others",
        ))
    }

    /// Prepares the derivatives of everything; refused where the equations are not differentiated.
    pub(crate) fn prepare_derivatives(&mut self) -> Result<(), Box<Diagnostic>> {
        self.compiled.with_derivatives(&mut self.system, &self.form);
        self.compiled.straighten(&mut self.system, &self.form);
        self.check_memory()?;
        let modes = dalembert_run::ContactModes::new(&self.compiled.shape());
        match dalembert_run::Response::new(&self.compiled, modes) {
            Err(dalembert_run::ResponseError::Refused(refusal)) => {
                let message = format!("this motion is not differentiated: {}", explain::refused_law(refusal));
                let d = Diagnostic::error(Code::NoSensitivity, None, message);
                Err(Box::new(d.help("leave one of the two out")))
            }
            _ => Ok(()),
        }
    }
}
