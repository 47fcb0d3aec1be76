//! Every road that applies to a model, compared.

use dalembert::verify::{Check, Verification};
use dalembert::{Model, Source, diagnostic};
use serde_json::{Value, json};

/// A [verification](dalembert::verify) as JSON.
pub fn verification(model: &Model, found: &Verification, source: &Source) -> Value {
    let check = |c: &Check| {
        json!({
            "name": c.name,
            "what": c.what,
            "worst": c.worst,
            "tolerance": c.tolerance,
            "passed": c.passed,
            "count": c.count,
        })
    };
    json!({
        "title": model.system.title,
        "passed": found.passed(),
        "checks": found.checks.iter().map(check).collect::<Value>(),
        "skipped": found.skipped.iter().map(|s| json!({ "name": s.name, "reason": s.reason })).collect::<Value>(),
        "states": found.states,
        "span": found.span,
        "diagnostics": diagnostic::json(&model.diagnostics, source),
    })
}
