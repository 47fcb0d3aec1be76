//! Parameters and starting values fitted to measured columns.

use dalembert::diagnostic::{self, Diagnostic};
use dalembert::fit::Fit;
use dalembert::{Model, Source};
use serde_json::{Map, Value, json};

/// Estimates, their errors and what the data leave open as JSON.
pub fn fit(model: &Model, fit: &Fit, source: &Source) -> Value {
    let finite = |v: f64| if v.is_finite() { json!(v) } else { Value::Null };
    let mut parameters = Map::new();
    for e in &fit.estimates {
        parameters.insert(
            e.name.clone(),
            json!({ "value": e.value, "error": e.error.map_or(Value::Null, finite) }),
        );
    }
    let n = fit.estimates.len().max(1);
    let correlations: Vec<Value> =
        fit.correlations.chunks(n).map(|row| row.iter().map(|v| finite(*v)).collect()).collect();
    let combinations: Vec<Value> = fit
        .unidentifiable
        .iter()
        .map(|c| Value::Object(c.iter().map(|(name, share)| (name.clone(), json!(share))).collect()))
        .collect();
    let columns: Map<String, Value> = fit
        .columns
        .iter()
        .map(|c| (c.name.clone(), json!({ "residual": c.residual, "count": c.count })))
        .collect();
    let all: Vec<Diagnostic> = model.diagnostics.iter().chain(&fit.warnings).cloned().collect();
    json!({
        "parameters": parameters,
        "residual": fit.residual,
        "identifiable": fit.unidentifiable.is_empty(),
        "unidentifiable": combinations,
        "names": fit.estimates.iter().map(|e| e.name.as_str()).collect::<Vec<_>>(),
        "correlation": correlations,
        "columns": columns,
        "iterations": fit.iterations,
        "motions": fit.motions,
        "diagnostics": diagnostic::json(&all, source),
    })
}
