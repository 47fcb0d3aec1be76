//! Everything at one state: accelerations, forces, residuals, outputs; and which constraint rows are redundant there.

mod applied_force;
mod control_gain;
pub mod explicit_terms;
pub(crate) mod reactions;
mod unique_forces;

use crate::explain;
use crate::workspace::{Evaluation, WRITTEN_OUT, Workspace};
use dalembert_expr::{Expr, Symbol};
use dalembert_run::{
    Accelerator, ControlInput, Dynamics, Reporter, Solution, State, StickingKernel, Terms, dependent_rows,
    find_modes,
};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use rustc_hash::FxHashMap;

/// Speeds and rows up to which redundant rows are found in the order of the model, at a cost of their cube.
const GRAM_SCHMIDT: usize = 200;

impl Workspace {
    /// Accelerations, forces, residuals and outputs at a state.
    pub fn evaluate(&self, state: &State) -> Result<Evaluation, Box<Diagnostic>> {
        let wrong = |error| Box::new(explain::of_acceleration(&error, self, Some(state.point())));
        let modes = find_modes(&self.compiled, state.point(), ControlInput::Required).map_err(wrong)?;
        let sticking = StickingKernel::new(&self.compiled, modes);
        let mut reporter = Reporter::new(&sticking);
        let solution =
            reporter.solve(&sticking, state.point(), ControlInput::Required).map_err(wrong)?.clone();
        let terms = reporter.terms();
        let small = self.form.speeds.len().max(self.system.constraints.rows.len()) <= WRITTEN_OUT;
        let terms = if small { terms.written_out() } else { terms.clone() };
        let sticks = (0..self.system.contacts.len()).map(|k| sticking.modes().sticks(k)).collect();
        let m = self.system.constraints.rows.len();
        let (mut phi, mut psi) = (vec![0.0; m], vec![0.0; m]);
        let mut scratch = vec![0.0; self.compiled.scratch_len()];
        self.compiled.residuals(state.point(), &mut scratch, &mut phi, &mut psi);
        let residuals = self
            .system
            .constraints
            .rows
            .iter()
            .enumerate()
            .map(|(r, row)| if row.holonomic { phi[r] } else { psi[r] });
        let residuals = residuals.collect();
        let mut outputs = vec![0.0; self.compiled.output_count()];
        self.compiled.outputs(state.point(), &terms, &solution, &[], &mut outputs);
        let energy = self.system.energies.total.and_then(|_| outputs.pop());
        Ok(Evaluation { state: state.clone(), terms, solution, residuals, outputs, energy, sticks })
    }

    /// Values of the inputs at a state, by their names: defaults, numbers or signals from outside.
    pub fn input_values(&mut self, state: &State) -> Vec<(String, f64)> {
        let system = &self.system;
        let mut known: FxHashMap<Symbol, f64> = FxHashMap::default();
        known.insert(system.time, state.t);
        known.extend(system.frame.coordinates.iter().map(|c| c.symbol).zip(state.x.iter().copied()));
        known.extend(system.frame.speeds.iter().map(|s| s.symbol).zip(state.eta.iter().copied()));
        let values = self.compiled.parameters().iter().copied();
        known.extend(system.parameters.iter().map(|p| p.symbol).zip(values));
        let signals = self.system.signals.clone();
        let roots: Vec<Expr> = signals.iter().map(|(_, signal)| *signal).collect();
        let given = self.system.pool.evaluate_all(&roots, |s| known.get(&s).copied().unwrap_or(f64::NAN));
        let given: FxHashMap<Symbol, f64> = signals.iter().map(|(input, _)| *input).zip(given).collect();
        let inputs = self.system.parameters.iter().filter(|p| p.is_input || given.contains_key(&p.symbol));
        let value = |symbol| given.get(symbol).or_else(|| known.get(symbol)).copied().unwrap_or(f64::NAN);
        inputs.map(|p| (p.name.clone(), value(&p.symbol))).collect()
    }

    /// The names of coordinates and speeds, as columns are called.
    pub fn state_names(&self) -> Vec<&str> {
        let x = self.system.frame.coordinates.iter().map(|c| c.name.as_str());
        x.chain(self.system.frame.speeds.iter().map(|s| s.name.as_str())).collect()
    }

    /// Puts `name = value` pairs over a state: coordinates, speeds, rates of coordinates, `t`.
    ///
    /// Rates that are no speeds are not accepted here: they do not say which speeds to change.
    pub fn set_state(&self, state: &mut State, assignments: &str) -> Result<(), Box<Diagnostic>> {
        for (name, value) in self.assignments(assignments)? {
            if name == "t" {
                state.t = value;
                continue;
            }
            let names = self.state_names();
            let Some(k) = names.iter().position(|n| *n == name) else {
                let near = dalembert_syntax::diagnostic::nearest(&name, names.iter().copied());
                let d = Diagnostic::error(
                    Code::BadOption,
                    None,
                    format!("`{name}` is not a coordinate or speed of this model"),
                );
                return Err(Box::new(match (self.system.names_of_joint_in(&name), near) {
                    (Some(names), _) => d.help(names),
                    (None, Some(near)) => d.help(format!("did you mean `{near}`?")),
                    (None, None) => d.help(format!("the state is {}", names.join(", "))),
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
        dependent(&terms.A[..self.system.constraints.rows.len() * n], n)
    }

    /// The multipliers that C reads: those of a motion without friction, under the control that acts.
    pub(crate) fn ideal_multipliers(&self, state: &State, s: &Solution) -> Option<Vec<f64>> {
        if self.system.contacts.is_empty() || self.system.constraints.nonideal.is_none() {
            return Some(s.lambda.clone());
        }
        let mut accelerator = Accelerator::new(&self.compiled);
        let input = ControlInput::Given(&s.inputs);
        let ideal = accelerator.solve_with_input(&self.compiled, state.point(), input).ok()?;
        Some(ideal.lambda.clone())
    }
}

/// Rows of length n that follow from earlier ones, by Gram and Schmidt.
pub(crate) fn dependent(rows: &[f64], n: usize) -> Vec<usize> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut redundant = Vec::new();
    for (r, row) in rows.chunks(n.max(1)).enumerate() {
        let mut row = row.to_vec();
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

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}
