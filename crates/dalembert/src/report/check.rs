//! What a model is: its parts, the kinds of its constraints, a start that keeps them.

use super::{headline, object, state_pairs};
use crate::diagnostic::{self, Code, Diagnostic};
use crate::kinds::{Freedom, Kind, kinds};
use crate::{Model, Source};
use dalembert_run::Started;
use serde_json::{Value, json};

/// What a look at a model finds.
pub struct Findings {
    /// The kind of each constraint.
    pub kinds: Vec<Kind>,
    /// A start on the constraints and what they leave free there, if there is one.
    pub start: Option<(Started, Freedom)>,
    /// Beyond those of reading.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether there is no start, or no motion from it.
    pub failed: bool,
}

/// Looks at a model: kinds, a start, rank, what follows from what.
pub fn check(model: &mut Model) -> Findings {
    let kinds = kinds(model);
    match model.start() {
        Ok(start) => {
            if let Err(error) = model.evaluate(&start.state) {
                return Findings { kinds, start: None, diagnostics: vec![*error], failed: true };
            }
            let freedom = Freedom::at(model, &start);
            let mut diagnostics = Vec::new();
            diagnostics.extend(redundancy(model, &freedom.redundant));
            if freedom.rank < freedom.rank_nearby {
                diagnostics.push(degenerate(model, &freedom));
            }
            Findings { kinds, start: Some((start, freedom)), diagnostics, failed: false }
        }
        Err(error) => Findings { kinds, start: None, diagnostics: vec![*error], failed: true },
    }
}

/// The note about rows that follow from others.
pub fn redundancy(model: &Model, rows: &[usize]) -> Option<Diagnostic> {
    let first = rows.first()?;
    let named: Vec<String> = rows.iter().map(|r| format!("`{}`", model.system.rows[*r].name)).collect();
    let verb = if rows.len() == 1 { "follows" } else { "follow" };
    let message = format!("{} {verb} from the other constraints", named.join(", "));
    let note = Diagnostic::note(Code::RedundantConstraints, model.system.rows[*first].span, message);
    Some(note.help("the motion is not affected; single multipliers are shared in the way of least squares"))
}

fn degenerate(model: &Model, freedom: &Freedom) -> Diagnostic {
    let message = format!(
        "the constraints degenerate at the start: rank {} there, {} around it",
        freedom.rank, freedom.rank_nearby
    );
    let span = model.system.rows.first().map(|row| row.span);
    Diagnostic::warning(Code::DegenerateState, span, message)
        .help("degrees of freedom are those around it; start elsewhere if the motion from there is not what you mean")
}

/// A model and what was found as JSON.
pub fn checked(model: &Model, findings: &Findings, source: &Source) -> Value {
    let names = |list: Vec<&str>| json!(list);
    let mut all = model.diagnostics.clone();
    all.extend(findings.diagnostics.iter().cloned());
    let mut document = json!({
        "title": model.system.title,
        "coordinates": names(model.system.coordinates.iter().map(|c| c.name.as_str()).collect()),
        "speeds": names(model.system.speeds.iter().map(|s| s.name.as_str()).collect()),
        "parameters": object(parameters(model)),
        "constraints": findings.kinds.iter().map(kind_json).collect::<Value>(),
        "rank": Value::Null,
        "degrees_of_freedom": Value::Null,
        "initial": Value::Null,
        "redundant": Value::Null,
        "outputs": names(model.system.outputs.iter().map(|o| o.name.as_str()).collect()),
        "events": names(model.system.events.iter().map(|e| e.name.as_str()).collect()),
        "operations": operations(model),
        "diagnostics": diagnostic::json(&all, source),
    });
    match &findings.start {
        Some((start, freedom)) => {
            document["rank"] = json!(freedom.rank);
            document["rank_nearby"] = json!(freedom.rank_nearby);
            document["degrees_of_freedom"] = json!(freedom.degrees(model));
            document["initial"] = object(state_pairs(model, &start.state));
            document["redundant"] =
                freedom.redundant.iter().map(|r| json!(model.system.rows[*r].name)).collect();
        }
        None => document["error"] = json!(headline(&findings.diagnostics)),
    }
    document
}

fn kind_json(kind: &Kind) -> Value {
    json!({
        "name": kind.name,
        "kind": kind.kind(),
        "level": if kind.holonomic { "position" } else { "velocity" },
        "rows": kind.rows,
        "linear": kind.linear,
        "scleronomic": kind.scleronomic,
        "catastatic": kind.catastatic,
    })
}

fn operations(model: &Model) -> Value {
    let counts = model.compiled.counts();
    json!({
        "total": counts.total(),
        "additive": counts.additive,
        "multiplicative": counts.multiplicative,
        "divisions": counts.divisions,
        "functions": counts.functions,
        "logic": counts.logic,
    })
}

/// Names and values of the parameters, in SI.
pub fn parameters(model: &Model) -> Vec<(&str, f64)> {
    let values = model.compiled.parameters().iter().copied();
    model.system.parameters.iter().map(|p| p.name.as_str()).zip(values).collect()
}
