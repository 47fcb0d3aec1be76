//! Positions of rest and steady motions.

use super::linear::fields;
use super::{object, state_pairs};
use dalembert::equilibrium::{Equilibria, Equilibrium};
use dalembert::{Model, Source, diagnostic};
use serde_json::{Map, Value, json};

/// Equilibria as JSON.
pub fn equilibria(model: &Model, found: &Equilibria, source: &Source, files: &[String]) -> Value {
    let rows = || model.system.rows.iter().map(|r| r.name.as_str());
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
    let (n, matrix) = (model.system.speeds.len(), e.now.terms.written_out().A);
    let component = |rows: std::ops::Range<usize>, p: usize| {
        rows.map(|r| matrix[r * n + p] * e.now.solution.lambda[r]).sum::<f64>()
    };
    let list = model.system.constraints.iter().map(|c| {
        let parts = (0..n).map(|p| (model.system.speeds[p].name.clone(), component(c.rows.clone(), p)));
        (c.name.clone(), parts.filter(|(_, v)| *v != 0.0).collect())
    });
    list.collect()
}
