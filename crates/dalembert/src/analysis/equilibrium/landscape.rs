//! The potential energy over one or two coordinates.
//!
//! V less the part of the kinetic energy that contains no rates (so that a bead on a turning hoop has its valleys where it can
//! rest): minus the Lagrangian at rest. Coordinates that are not on an axis stay as at the operating point, as far as
//! the constraints let them.

use crate::analysis::linearize::Range;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool, Rational, Symbol};
use dalembert_run::State;
use dalembert_syntax::diagnostic::{Code, Diagnostic, nearest};
use dalembert_tape::Program;

/// Points of a landscape at most.
const MAX_POINTS: usize = 1_000_000;

/// -L at rest, as a tape.
pub(crate) struct Potential {
    program: Program,
}

impl Potential {
    /// `None` without a Lagrangian (the direct form).
    pub(crate) fn new(model: &mut Workspace) -> Option<Potential> {
        let system = &mut model.system;
        system.write_body_energies();
        if system.forces.mass.is_some()
            || (system.energies.kinetic.is_none() && system.energies.lagrangian.is_none())
        {
            return None;
        }
        let parts = [
            system.energies.kinetic.map(|t| (t, Rational::MINUS_ONE)),
            system.energies.potential.map(|v| (v, Rational::ONE)),
            system.energies.lagrangian.map(|l| (l, Rational::MINUS_ONE)),
        ];
        let minus_L = system.pool.combine(parts.into_iter().flatten());
        let zeros: Vec<(Symbol, Expr)> = model.form.speeds.iter().map(|s| (*s, Pool::ZERO)).collect();
        let V = system.pool.substitute(&[minus_L], &zeros);
        let mut inputs = vec![model.form.time];
        inputs.extend(model.form.coordinates.iter().chain(&model.form.parameters));
        Some(Potential { program: system.pool.lower(&inputs, &V) })
    }

    /// Its value.
    pub(crate) fn at(&self, model: &Workspace, state: &State) -> f64 {
        let mut inputs = vec![state.t];
        inputs.extend(state.x.iter().chain(model.compiled.parameters()));
        let mut registers = vec![0.0; self.program.register_count()];
        let mut value = [0.0];
        self.program.run(&inputs, &mut registers, &mut value);
        value[0]
    }
}

/// Values over a grid.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Landscape {
    /// Names of the coordinates on the axes.
    pub names: Vec<String>,
    /// Their values.
    pub axes: Vec<Vec<f64>>,
    /// The potential energy, the last axis running fastest; NaN where the constraints cannot be kept.
    pub values: Vec<f64>,
    /// Equilibria within the axes: their places, and whether they are known to be stable (or not).
    pub marks: Vec<(Vec<f64>, Option<bool>)>,
}

/// Computes it over one or two ranges of coordinates.
pub fn landscape(model: &mut Workspace, ranges: &[Range], at: &str) -> Result<Landscape, Box<Diagnostic>> {
    let Some(potential) = Potential::new(model) else {
        let d = Diagnostic::error(
            Code::NotApplicable,
            None,
            "a model in the direct form has no potential energy",
        );
        return Err(Box::new(d.help("give energies with `kinetic` and `potential`")));
    };
    let points = ranges.iter().try_fold(1usize, |n, r| n.checked_mul(r.count));
    if !(1..=2).contains(&ranges.len()) || points.is_none_or(|n| n > MAX_POINTS) {
        let message = format!("a landscape has one or two coordinates and up to {MAX_POINTS} points");
        return Err(Box::new(Diagnostic::error(Code::BadOption, None, message).help("use fewer")));
    }
    let names: Vec<&str> = model.system.frame.coordinates.iter().map(|c| c.name.as_str()).collect();
    let mut places = Vec::new();
    for range in ranges {
        match names.iter().position(|n| *n == range.name) {
            Some(i) if !places.contains(&i) => places.push(i),
            found => {
                let message = match found {
                    Some(_) => format!("`{}` is on both axes", range.name),
                    None => format!("`{}` is not a coordinate of this model", range.name),
                };
                let near =
                    nearest(&range.name, names.iter().copied()).map(|n| format!("did you mean `{n}`?"));
                let help = near.unwrap_or_else(|| format!("the coordinates are {}", names.join(", ")));
                return Err(Box::new(Diagnostic::error(Code::BadOption, None, message).help(help)));
            }
        }
    }
    let mut base = model.operating_point(at)?;
    base.eta.fill(0.0);
    let axes: Vec<Vec<f64>> = ranges.iter().map(Range::values).collect();
    let none = [f64::NAN];
    let second: &[f64] = axes.get(1).map_or(&none[..], Vec::as_slice);
    let mut values = Vec::new();
    let mut row_start = base.clone();
    for a in &axes[0] {
        let mut near = row_start.clone();
        for (k, b) in second.iter().enumerate() {
            let mut guess = near.clone();
            guess.x[places[0]] = *a;
            if let Some(i) = places.get(1) {
                guess.x[*i] = *b;
            }
            match rests(model, &guess, &base.x, &places) {
                Some(state) => {
                    values.push(potential.at(model, &state));
                    near = state;
                    if k == 0 {
                        row_start = near.clone();
                    }
                }
                None => values.push(f64::NAN),
            }
        }
    }
    if values.iter().all(|v| !v.is_finite()) {
        let message = "the constraints can be satisfied nowhere in this range";
        let d = Diagnostic::error(Code::BadOption, None, message);
        return Err(Box::new(d.help("choose coordinates that are free to move there")));
    }
    Ok(Landscape { names: ranges.iter().map(|r| r.name.clone()).collect(), axes, values, marks: Vec::new() })
}

/// The configuration on the constraints with these coordinates; speeds do not matter.
fn rests(model: &Workspace, guess: &State, like: &[f64], places: &[usize]) -> Option<State> {
    let found = model.on_constraints(guess, like, places, &[])?;
    Some(State::new(found.t, &found.x, &vec![0.0; found.eta.len()]))
}

impl Landscape {
    /// As a table: the coordinates, then `potential`.
    pub fn table(&self) -> crate::Table {
        let mut columns = self.names.clone();
        columns.push("potential".to_owned());
        let width = self.axes.get(1).map_or(1, Vec::len);
        let mut values = Vec::new();
        for (k, v) in self.values.iter().enumerate() {
            values.push(self.axes[0][k / width]);
            values.extend(self.axes.get(1).map(|axis| axis[k % width]));
            values.push(*v);
        }
        crate::Table { columns, values }
    }
}
