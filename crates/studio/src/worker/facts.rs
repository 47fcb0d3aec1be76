//! What a model is, for the page: what `check` and `analyze` say, and what can be moved with sliders.

use super::{WorkerRequest, refusal};
use dalembert::analyze::analyze;
use dalembert::diagnostic::Diagnostic;
use dalembert::units::UnitInfo;
use dalembert::{Model, Source};
use dalembert_view::documents;
use serde_json::{Value, json};

/// Parameters and starting values that are listed.
const SHOWN: usize = 200;

/// What `dalembert check` says, with `sliders`, `start` and `until` beside it.
pub fn of(model: &mut Model, source: &Source, order: &WorkerRequest<'_>) -> Value {
    let refused =
        |d: Box<Diagnostic>| json!({ "diagnostics": refusal(&[*d], source)["failed"]["diagnostics"] });
    let now = model.compiled.parameters().to_vec();
    // Defaults are those of the text, whatever the sliders say.
    if let Err(d) = model.set_parameters(&[]) {
        return refused(d);
    }
    let (defaults, until) = (model.compiled.parameters().to_vec(), model.end_time());
    let start = start(model);
    if let Err(d) = model.set_parameters(&order.numbers("set")) {
        return refused(d);
    }
    let findings = documents::check(model);
    let mut document = documents::checked(model, &findings, source);
    document["sliders"] = sliders(model, &now, &defaults);
    document["start"] = start;
    document["until"] = json!(until);
    document
}

/// Parameters that are numbers of their own: `[{name, value, default, unit}]`.
fn sliders(model: &mut Model, now: &[f64], defaults: &[f64]) -> Value {
    let parameters = model.system.parameters.clone();
    let own = parameters.iter().zip(now.iter().zip(defaults)).filter(|(p, _)| {
        let used = model.system.pool.symbols(&[p.value]);
        used.is_empty()
    });
    own.take(SHOWN)
        .map(|(p, (value, default))| json!({ "name": p.name, "value": value, "default": default, "unit": unit(&p.kind) }))
        .collect()
}

/// Starting values: `[{name, default, fixed}]`; empty where no start is found.
fn start(model: &mut Model) -> Value {
    let (Ok(guess), Ok(start)) = (model.guess(), model.start()) else { return json!([]) };
    let fixed = guess.x_fixed.iter().chain(&guess.eta_fixed);
    let values = documents::state_pairs(model, &start.state).into_iter().zip(fixed).take(SHOWN);
    values.map(|((name, value), fixed)| json!({ "name": name, "default": value, "fixed": fixed })).collect()
}

fn unit(kind: &UnitInfo) -> Option<String> {
    match kind {
        UnitInfo::Known(dimension) if !dimension.is_none() => Some(dimension.to_string()),
        _ => None,
    }
}

/// What `dalembert analyze` says.
pub fn analysis(model: &Model, source: &Source) -> Result<Value, Value> {
    let mut model = model.clone();
    let analysis = analyze(&mut model).map_err(|d| refusal(&[*d], source))?;
    Ok(documents::analysis(&model, &analysis, source))
}
