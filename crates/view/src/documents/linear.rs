//! The linear system about a state, and eigenvalues over a range.

use super::{nested, object, state_pairs, units};
use dalembert::equilibrium::{Equilibria, Equilibrium};
use dalembert::linearize::Complex;
use dalembert::linearize::{Linearization, OperatingPoint, Range, RootLocus, Split};
use dalembert::{Model, Source, diagnostic};
use serde_json::{Map, Value, json};
use std::f64::consts::TAU;

/// A linear system and where it holds as JSON.
pub fn linearization(model: &Model, linear: &Linearization, source: &Source) -> Value {
    let mut out = json!({ "state": object(state_pairs(model, &linear.state)), "t": linear.state.t });
    let all = fields(linear);
    for (key, value) in all.as_object().into_iter().flatten() {
        out[key] = value.clone();
    }
    let named = linear.states.iter().chain(&linear.inputs).chain(&linear.outputs);
    out["units"] = units(model, named.map(String::as_str));
    out["diagnostics"] = diagnostic::json(&model.diagnostics, source);
    out
}

/// A matrix as a list of its rows, which may be empty.
fn rows_of(values: &[f64], rows: usize, columns: usize) -> Value {
    let row = |i: usize| json!(values[i * columns..(i + 1) * columns]);
    Value::Array((0..rows).map(row).collect())
}

/// What an eigenvalue says in the words of vibrations. Without a number where it is not defined: an eigenvalue of zero, or
/// no decay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pole {
    /// |lambda| / 2 pi, Hz.
    pub frequency: f64,
    /// |Im lambda| / 2 pi, Hz.
    pub damped_frequency: f64,
    /// -Re lambda / |lambda|.
    pub damping_ratio: Option<f64>,
    /// 1 / |Re lambda|, s.
    pub time_constant: Option<f64>,
}

impl Pole {
    /// Of an eigenvalue.
    pub fn of(value: Complex) -> Pole {
        let size = value.re.hypot(value.im);
        Pole {
            frequency: size / TAU,
            damped_frequency: value.im.abs() / TAU,
            damping_ratio: (size > 0.0).then(|| -value.re / size + 0.0),
            time_constant: (value.re != 0.0).then(|| 1.0 / value.re.abs()),
        }
    }
}

/// The part that is about the linear system alone.
pub(super) fn fields(linear: &Linearization) -> Value {
    let d = linear.dimension();
    let name = |i: &usize| json!(linear.states[*i]);
    let e = &linear.eigen;
    let modes: Vec<Value> = (0..d)
        .map(|k| {
            let parts: Vec<Value> = e.vectors[k].iter().map(|c| json!([c.re, c.im])).collect();
            let pole = Pole::of(e.values[k]);
            json!({
                "eigenvalue": [e.values[k].re, e.values[k].im],
                "frequency_hz": pole.frequency,
                "damped_frequency_hz": pole.damped_frequency,
                "damping_ratio": pole.damping_ratio,
                "time_constant": pole.time_constant,
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
        "inputs": linear.inputs,
        "outputs": linear.outputs,
        "input_matrix": rows_of(&linear.input_matrix, d, linear.inputs.len()),
        "output_matrix": rows_of(&linear.output_matrix, linear.outputs.len(), d),
        "feedthrough": rows_of(&linear.feedthrough, linear.outputs.len(), linear.inputs.len()),
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
pub fn eigenvalues(model: &Model, range: &Range, sweep: &RootLocus, files: &[String]) -> Value {
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
        "unit": range.unit(&model.system),
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

/// Equilibria as JSON.
pub fn equilibria(model: &Model, found: &Equilibria, source: &Source, files: &[String]) -> Value {
    let rows = || model.system.constraints.rows.iter().map(|r| r.name.as_str());
    let equilibria: Vec<Value> = found
        .equilibria
        .iter()
        .map(|e| {
            let mut out = json!({
                "state": object(state_pairs(model, &e.linear.state)),
                "multipliers": object(rows().zip(e.now.solution.lambda.iter().copied())),
                "constraint_forces": constraint_forces(model, e)
                    .into_iter()
                    .map(|(name, parts)| (name, object(parts.iter().map(|(n, v)| (n.as_str(), *v)))))
                    .collect::<Map<_, _>>(),
                "potential": e.potential,
                "family": e.family,
            });
            let all = fields(&e.linear);
            for (key, value) in all.as_object().into_iter().flatten() {
                out[key] = value.clone();
            }
            out
        })
        .collect();
    json!({
        "equilibria": equilibria,
        "starts": found.starts,
        "converged": found.converged,
        "not_listed": found.not_listed,
        "rest_possible": found.rest_possible,
        "troubles": found.troubles,
        "notes": found.notes,
        "files": files,
        "diagnostics": diagnostic::json(&model.diagnostics, source),
    })
}

/// The generalised force of each constraint, speed by speed.
pub fn constraint_forces(model: &Model, e: &Equilibrium) -> Vec<(String, Vec<(String, f64)>)> {
    let (n, matrix) = (model.system.frame.speeds.len(), e.now.terms.written_out().A);
    let component = |rows: std::ops::Range<usize>, p: usize| {
        rows.map(|r| matrix[r * n + p] * e.now.solution.lambda[r]).sum::<f64>()
    };
    let list = model.system.constraints.named.iter().map(|c| {
        let parts = (0..n).map(|p| (model.system.frame.speeds[p].name.clone(), component(c.rows.clone(), p)));
        (c.name.clone(), parts.filter(|(_, v)| *v != 0.0).collect())
    });
    list.collect()
}
