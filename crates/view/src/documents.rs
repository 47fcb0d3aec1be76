//! Results as JSON documents, the same for every face: the command, the Python package.
//!
//! Keys are described in the manual of the command line. Numbers that are not finite are `null`. Nothing is computed here
//! beyond what a result says about itself.
//!
//! ```
//! use dalembert::{Model, Source};
//! use dalembert_view::{documents};
//! let source = Source::new("spring.dal", "coordinate x\nkinetic x'^2/2\npotential 2*x^2\ninitial x = 1");
//! let model = Model::load(&source, &Default::default()).unwrap();
//! let findings = documents::check(&model);
//! let document = documents::checked(&model, &findings, &source);
//! assert_eq!(document["degrees_of_freedom"], 1);
//! assert_eq!(document["initial"]["x"], 1.0);
//! ```

mod analysis;
mod check;
mod connection;
mod evaluate;
mod facts;
mod fit;
mod linear;
mod motion;

pub use analysis::{analysis, brackets, verification};
pub use check::{Findings, check, checked, parameters};
pub use connection::{connection, stationary_kind};
pub use evaluate::{
    energies, evaluation, input_names, output_remarks, outputs, possible, rank_remarks, reactions,
    start_or_guess, virtual_work,
};
pub use facts::facts;
pub use fit::fit;
pub use linear::{Pole, constraint_forces, eigenvalues, equilibria, kind, linearization, well_determined};
pub use motion::{last_time, motion, stop_name};

use dalembert::Model;
use dalembert_run::State;
use dalembert_syntax::diagnostic::Diagnostic;
use serde_json::{Map, Value, json};

/// The message of the first error.
pub fn headline(diagnostics: &[Diagnostic]) -> String {
    let first = diagnostics.iter().find(|d| d.is_error()).or(diagnostics.first());
    first.map_or_else(|| "the command failed".to_owned(), |d| d.message.clone())
}

/// Names and values of a state.
pub fn state_pairs<'m>(model: &'m Model, state: &State) -> Vec<(&'m str, f64)> {
    model.system.table_names().into_iter().zip(model.system.table_state(&state.x, &state.eta)).collect()
}

/// An object from names and values.
pub fn object<'a>(pairs: impl IntoIterator<Item = (&'a str, f64)>) -> Value {
    Value::Object(
        pairs.into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect::<Map<_, _>>(),
    )
}

/// The units of names, as far as they are known: `{"t": "s", "theta'": "rad/s"}`.
pub fn units<'a>(model: &Model, names: impl IntoIterator<Item = &'a str>) -> Value {
    let known = names.into_iter().filter_map(|name| Some((name, model.system.unit_of_column(name)?)));
    Value::Object(known.map(|(name, unit)| (name.to_owned(), json!(unit))).collect::<Map<_, _>>())
}

/// A flat row-major matrix as nested lists.
pub fn nested(values: &[f64], columns: usize) -> Value {
    values.chunks(columns.max(1)).map(|row| json!(row)).collect()
}
