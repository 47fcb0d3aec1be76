//! Which results are decided where loops of joints are redundant (B5).
//!
//! Multipliers lambda + N z with N^T A = 0 give the same motion for every z. An output that changes with z is not decided
//! by rigid bodies; of outputs y = y0 + D z the combinations c with c^T D = 0 are. They are found by elimination, so that
//! each has few terms. Checked by `tests/it/bodies/loops.rs` against statics.

use crate::number::short;
use crate::workspace::{Evaluation, Workspace};
use dalembert_run::State;
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// Changes below this share of the largest are rounding.
const OPEN_TOL: f64 = 1e-9;
/// Combinations that are written out.
const MAX_TOLD: usize = 8;

impl Workspace {
    /// The note of [`Workspace::unique_forces`] at a state; nothing where no loops are asked for their forces.
    pub fn unique_forces_at(&self, state: &State) -> Option<Diagnostic> {
        let asked = self.system.bodies.as_ref().is_some_and(|bodies| !bodies.loop_forces.is_empty());
        let now = if asked { self.evaluate(state).ok()? } else { return None };
        self.unique_forces(&now)
    }

    /// A note about outputs that redundant loops leave open, with their combinations that are unique; `None` if there are
    /// no such outputs.
    pub fn unique_forces(&self, now: &Evaluation) -> Option<Diagnostic> {
        let changes = self.compiled.open_outputs(now.state.point(), &now.terms, &now.solution);
        let most = changes.iter().flatten().fold(0.0f64, |m, v| m.max(v.abs()));
        let outputs = &self.system.experiment.outputs;
        let is_open = |k: &usize| changes[*k].iter().any(|v| v.abs() > OPEN_TOL * most);
        let open: Vec<usize> = (0..outputs.len().min(changes.len())).filter(is_open).collect();
        let first = outputs.get(*open.first()?)?;
        let names: Vec<String> = open.iter().map(|k| format!("`{}`", outputs[*k].name)).collect();
        let verb = if names.len() == 1 { "is" } else { "are" };
        let message = format!(
            "{} {verb} not unique: the loops of joints are redundant, and the least forces are given",
            names.join(", ")
        );
        let rows: Vec<&[f64]> = open.iter().map(|k| &changes[*k][..]).collect();
        let told: Vec<String> = combinations(&rows, OPEN_TOL * most)
            .iter()
            .map(|terms| {
                let terms = terms.iter().map(|(k, c)| (outputs[open[*k]].name.as_str(), *c));
                format!("`{}`", written(terms))
            })
            .collect();
        let help = match told.len() {
            0 => "no combination of them is unique; the other outputs are".to_owned(),
            n if n > MAX_TOLD => {
                format!("unique are {} and {} more combinations", told[..MAX_TOLD].join(", "), n - MAX_TOLD)
            }
            _ => format!("unique are {}, and the other outputs", told.join(", ")),
        };
        Some(Diagnostic::note(Code::ForcesNotUnique, first.span, message).help(help))
    }
}

/// A row less a combination of others.
struct Reduced {
    rest: Vec<f64>,
    /// Factors of the rows that it is made of.
    factors: Vec<f64>,
    /// Where the largest number of `rest` is.
    at: usize,
}

/// Combinations of rows that vanish, as pairs of a row and its factor, the first factor 1. O(rows^2 rank).
fn combinations(rows: &[&[f64]], tolerance: f64) -> Vec<Vec<(usize, f64)>> {
    // Each row is reduced by those before it; what is left of it is new, or a combination is found.
    let mut reduced: Vec<Reduced> = Vec::new();
    let mut found = Vec::new();
    for (k, row) in rows.iter().enumerate() {
        let (mut rest, mut factors) = (row.to_vec(), vec![0.0; rows.len()]);
        factors[k] = 1.0;
        for pivot in &reduced {
            if rest[pivot.at].abs() > tolerance {
                let by = rest[pivot.at] / pivot.rest[pivot.at];
                rest.iter_mut().zip(&pivot.rest).for_each(|(r, p)| *r -= by * p);
                factors.iter_mut().zip(&pivot.factors).for_each(|(f, p)| *f -= by * p);
            }
        }
        let largest = (0..rest.len()).max_by(|a, b| rest[*a].abs().total_cmp(&rest[*b].abs()));
        match largest.filter(|at| rest[*at].abs() > tolerance) {
            Some(at) => reduced.push(Reduced { rest, factors, at }),
            None => found.push(terms_of(&factors)),
        }
    }
    found
}

/// The terms of a combination, with the first factor 1.
fn terms_of(factors: &[f64]) -> Vec<(usize, f64)> {
    let most = factors.iter().fold(0.0f64, |m, c| m.max(c.abs()));
    let there = |(_, c): &(usize, f64)| c.abs() > OPEN_TOL * most;
    let terms: Vec<(usize, f64)> = factors.iter().copied().enumerate().filter(there).collect();
    let lead = terms.first().map_or(1.0, |(_, c)| *c);
    terms.into_iter().map(|(k, c)| (k, c / lead)).collect()
}

/// `a + 2*b - c`
fn written<'a>(terms: impl Iterator<Item = (&'a str, f64)>) -> String {
    let mut text = String::new();
    for (name, c) in terms {
        let sign = match (text.is_empty(), c < 0.0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        let factor =
            if (c.abs() - 1.0).abs() < OPEN_TOL { String::new() } else { format!("{}*", short(c.abs())) };
        text.push_str(&format!("{sign}{factor}{name}"));
    }
    text
}
