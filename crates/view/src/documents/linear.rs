//! The linear system about a state, and eigenvalues over a range.

use super::{nested, object, state_pairs};
use dalembert::linearize::{Linearization, OperatingPoint, Range, Split, Sweep};
use dalembert::{Model, Source, diagnostic};
use serde_json::{Value, json};

/// A linear system and where it holds as JSON.
pub fn linearization(model: &Model, linear: &Linearization, source: &Source) -> Value {
    let mut out = json!({ "state": object(state_pairs(model, &linear.state)), "t": linear.state.t });
    let all = fields(linear);
    for (key, value) in all.as_object().into_iter().flatten() {
        out[key] = value.clone();
    }
    out["diagnostics"] = diagnostic::json(&model.diagnostics, source);
    out
}

/// The part that is about the linear system alone.
pub(super) fn fields(linear: &Linearization) -> Value {
    let d = linear.dimension();
    let name = |i: &usize| json!(linear.states[*i]);
    let e = &linear.eigen;
    let modes: Vec<Value> = (0..d)
        .map(|k| {
            let parts: Vec<Value> = e.vectors[k].iter().map(|c| json!([c.re, c.im])).collect();
            json!({
                "eigenvalue": [e.values[k].re, e.values[k].im],
                "vector": parts,
                "condition": e.condition[k],
                "residual": e.residual[k],
                "well_determined": well_determined(linear, k),
            })
        })
        .collect();
    let (changing, driven) = match &linear.kind {
        OperatingPoint::Neither { changing, driven } => {
            let pairs = changing.iter().map(|i| (linear.states[*i].as_str(), linear.rates[*i]));
            (object(pairs), *driven)
        }
        _ => (json!({}), false),
    };
    let split = linear.split.as_ref();
    let part =
        |pick: fn(&Split) -> &Vec<f64>| split.map_or(Value::Null, |s| nested(pick(s), s.coordinates.len()));
    json!({
        "states": linear.states,
        "independent_coordinates": linear.states[..linear.positions],
        "independent_speeds": linear.states[linear.positions..],
        "rates": linear.rates,
        "state_matrix": nested(&linear.state_matrix, d),
        "eigenvalues": e.values.iter().map(|v| json!([v.re, v.im])).collect::<Vec<_>>(),
        "modes": modes,
        "split_coordinates": split.map_or(Value::Null, |s| json!(s.coordinates)),
        "mass": part(|s| &s.mass),
        "damping": part(|s| &s.damping),
        "stiffness": part(|s| &s.stiffness),
        "split_reason": split.err(),
        "kind": kind(linear),
        "equilibrium": linear.kind == OperatingPoint::Equilibrium,
        "steady": matches!(linear.kind, OperatingPoint::Equilibrium | OperatingPoint::Steady { .. }),
        "changing": changing,
        "driven": driven,
        "time_dependent": linear.time_dependent,
        "matrix_time_dependent": linear.matrix_time_dependent,
        "ignorable": linear.ignorable.iter().map(name).collect::<Vec<_>>(),
        "stability": linear.stability.as_ref().map(|s| s.verdict.name()),
        "stability_reason": linear.stability.as_ref().map(|s| s.reason.as_str()),
        "stability_states": linear.stability.as_ref().map(|s| s.states.iter().map(name).collect::<Vec<_>>()),
    })
}

/// Eigenvalues over a range as JSON.
pub fn eigenvalues(range: &Range, sweep: &Sweep, files: &[String]) -> Value {
    let rows: Vec<Value> = sweep
        .table
        .rows()
        .map(|row| {
            let pairs: Vec<Value> = row[1..].chunks(2).map(|p| json!([p[0], p[1]])).collect();
            json!({ "value": row[0], "eigenvalues": pairs })
        })
        .collect();
    json!({
        "over": range.name,
        "points": rows,
        "states": sweep.states,
        "crossings": sweep.crossings.iter().map(|(v, up)| json!({ "value": v, "to_positive": up })).collect::<Vec<_>>(),
        "unsteady": sweep.unsteady,
        "gaps": sweep.gaps.iter().map(|(v, why)| json!({ "value": v, "reason": why })).collect::<Vec<_>>(),
        "files": files,
    })
}

/// What the operating point is, in a word.
pub fn kind(linear: &Linearization) -> &'static str {
    match linear.kind {
        OperatingPoint::Equilibrium => "equilibrium",
        OperatingPoint::Steady { .. } => "steady motion",
        OperatingPoint::Neither { .. } => "instantaneous",
    }
}

/// Whether a mode is more than rounding: its vector solves the equation and does not coincide with another.
pub fn well_determined(linear: &Linearization, k: usize) -> bool {
    linear.eigen.residual[k] < 1e-10 && linear.eigen.condition[k] < 1e7
}
