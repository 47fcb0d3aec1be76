//! What a model is: its parts, the kinds of its constraints, a start that keeps them.

use super::{headline, object, state_pairs, units};
use dalembert::bodies::{Joint, JointRole};
use dalembert::constraint_kind::{ConstraintKind, Freedom, kinds};
use dalembert::mobility::{Loop, Mobility};
use dalembert::{Model, Source};
use dalembert_run::ConsistentState;
use dalembert_syntax::diagnostic::{self, Diagnostic};
use serde_json::{Value, json};

/// What a look at a model finds.
pub struct Findings {
    /// The kind of each constraint.
    pub kinds: Vec<ConstraintKind>,
    /// A start on the constraints and what they leave free there, if there is one.
    pub start: Option<(ConsistentState, Freedom)>,
    /// Beyond those of reading.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether there is no start, or no motion from it.
    pub failed: bool,
}

/// Looks at a model: kinds, a start, rank, what follows from what.
pub fn check(model: &Model) -> Findings {
    let mut work = model.workspace();
    let kinds = kinds(&mut work);
    match Freedom::at_start(&mut work) {
        Ok((start, freedom)) => {
            let mut diagnostics = freedom.remarks(model);
            diagnostics.extend(model.unique_forces_at(&start.state));
            Findings { kinds, start: Some((start, freedom)), diagnostics, failed: false }
        }
        Err(error) => Findings { kinds, start: None, diagnostics: vec![*error], failed: true },
    }
}

/// A model and what was found as JSON.
pub fn checked(model: &Model, findings: &Findings, source: &Source) -> Value {
    let names = |list: Vec<&str>| json!(list);
    let mut all = model.diagnostics.clone();
    all.extend(findings.diagnostics.iter().cloned());
    let mut document = json!({
        "title": model.system.title,
        "coordinates": names(model.system.frame.coordinates.iter().map(|c| c.name.as_str()).collect()),
        "speeds": names(model.system.frame.speeds.iter().map(|s| s.name.as_str()).collect()),
        "parameters": object(parameters(model)),
        "units": units(model, names_of(model)),
        "constraints": findings.kinds.iter().map(kind_json).collect::<Value>(),
        "rank": Value::Null,
        "degrees_of_freedom": Value::Null,
        "initial": Value::Null,
        "redundant": Value::Null,
        "outputs": names(model.system.experiment.outputs.iter().map(|o| o.name.as_str()).collect()),
        "events": names(model.system.experiment.events.iter().map(|e| e.name.as_str()).collect()),
        "operations": operations(model),
        "diagnostics": diagnostic::json(&all, source),
    });
    match &findings.start {
        Some((start, freedom)) => {
            document["rank"] = json!(freedom.rank);
            document["rank_nearby"] = json!(freedom.rank_nearby);
            document["degrees_of_freedom"] = json!(freedom.degrees(model));
            document["initial"] = object(state_pairs(model, &start.state));
            bodies(&mut document, model, start, freedom);
            document["redundant"] =
                freedom.redundant.iter().map(|r| json!(model.system.constraints.rows[*r].name)).collect();
        }
        None => document["error"] = json!(headline(&findings.diagnostics)),
    }
    document
}

/// Everything of a model that has a value along its motion, and its parameters.
fn names_of(model: &Model) -> Vec<&str> {
    let system = &model.system;
    let parameters = system.parameters.iter().map(|p| p.name.as_str());
    let outputs = system.experiment.outputs.iter().map(|o| o.name.as_str());
    ["t"].into_iter().chain(model.state_names()).chain(parameters).chain(outputs).collect()
}

/// Bodies, joints, loops and freedoms, where there are bodies.
fn bodies(document: &mut Value, model: &Model, start: &ConsistentState, freedom: &Freedom) {
    let (Some(bodies), Some(mobility)) = (&model.system.bodies, Mobility::at(model, &start.state)) else {
        return;
    };
    document["bodies"] = bodies.bodies.iter().map(|body| json!(body.name)).collect();
    let cut = |joint: &Joint| matches!(joint.role, JointRole::Cut { .. });
    let joint = |j: &Joint| json!({"name": j.name, "kind": j.kind.name(), "cut": cut(j)});
    document["joints"] = bodies.joints.iter().map(joint).collect();
    let one = |l: &Loop| json!({"joints": l.joints, "rows": l.rows, "rank": l.rank});
    document["loops"] = mobility.loops.iter().map(one).collect();
    document["mobility"] = json!({"counted": mobility.counted, "true": freedom.degrees(model)});
}

fn kind_json(kind: &ConstraintKind) -> Value {
    json!({
        "name": kind.name,
        "kind": kind.kind(),
        "level": match kind.kind() { "holonomic" => "position", other => other },
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
