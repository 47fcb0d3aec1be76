//! What a model is, for the page: what `check` and `analyze` say, and what can be moved with sliders.

use super::refusal;
use dalembert::{Model, Source};
use dalembert_view::documents;
use serde_json::{Value, json};

/// Parameters and starting values that are listed.
const SHOWN: usize = 200;

/// What `dalembert check` says, with `sliders`, `start` and `until` beside it.
pub fn of(model: &Model, source: &Source) -> Value {
    // Defaults are those of the text, whatever the sliders say.
    let written = match model.with_parameters(&[]) {
        Ok(written) => written,
        Err(d) => return json!({ "diagnostics": refusal(&[*d], source)["failed"]["diagnostics"] }),
    };
    let findings = documents::check(model);
    let mut document = documents::checked(model, &findings, source);
    document["sliders"] = sliders(model, written.compiled.parameters());
    document["start"] = start(&written);
    document["until"] = json!(written.end_time());
    document
}

/// Parameters that are numbers of their own: `[{name, value, default, unit}]`, in the unit of the file as they are set.
fn sliders(model: &Model, defaults: &[f64]) -> Value {
    let mut pool = model.system.pool.clone();
    let values = model.compiled.parameters().iter().zip(defaults);
    let own = model.system.parameters.iter().zip(values).filter(|(p, _)| pool.symbols(&[p.value]).is_empty());
    own.take(SHOWN)
        .map(|(p, (value, default))| {
            let [value, default] = [*value, *default].map(|v| p.in_file_unit(v));
            json!({ "name": p.name, "value": value, "default": default, "unit": p.file_unit() })
        })
        .collect()
}

/// Starting values: `[{name, default, fixed, unit}]`; empty where no start is found.
fn start(model: &Model) -> Value {
    let (Ok(guess), Ok(start)) = (model.guess(), model.start()) else { return json!([]) };
    let fixed = guess.x_fixed.iter().chain(&guess.eta_fixed);
    let values = documents::state_pairs(model, &start.state).into_iter().zip(fixed).take(SHOWN);
    let unit = |name: &str| model.system.unit_of_column(name);
    values
        .map(|((name, value), fixed)| {
            json!({ "name": name, "default": value, "fixed": fixed, "unit": unit(name) })
        })
        .collect()
}

/// What `dalembert analyze` says.
pub fn analysis(model: &Model, source: &Source) -> Result<Value, Value> {
    let analysis = model.analyze().map_err(|d| refusal(&[*d], source))?;
    Ok(documents::analysis(model, &analysis, source))
}
