//! What kind the constraints are, and what the motion conserves.

use dalembert::analyze::{Analysis, Certainty, Conserved, RowReport};
use dalembert::equations::WrittenBrackets;
use dalembert::verify::{Check, Verification};
use dalembert::{Model, Source, diagnostic};
use serde_json::{Map, Value, json};

/// An [analysis](dalembert::analyze) as JSON.
pub fn analysis(model: &Model, analysis: &Analysis, source: &Source) -> Value {
    let set = &analysis.set;
    json!({
        "title": model.system.title,
        "constraints": analysis.rows.iter().map(row_json).collect::<Value>(),
        "verdict": set.verdict.name(),
        "nonholonomic": set.nonholonomic,
        "integrable_combinations": set.integrable_combinations,
        "rank": set.rank,
        "rank_at_start": set.rank_at_start,
        "degrees_of_freedom": set.degrees_of_freedom,
        "space": set.space,
        "growth": set.growth,
        "closure": set.closure,
        "integrals": set.integrals.iter().map(|i| i.expression.as_str()).collect::<Vec<_>>(),
        "integrals_not_found": set.integrals_not_found,
        "singular": set.singular.iter().map(|s| json!({ "where": s.place, "rank": s.rank })).collect::<Value>(),
        "certainty": certainty(set.certainty),
        "undecided": set.undecided,
        "conserved": analysis.conserved.iter().map(conserved_json).collect::<Value>(),
        "remarks": set.remarks.iter().chain(&analysis.remarks).collect::<Vec<_>>(),
        "diagnostics": diagnostic::json(&model.diagnostics, source),
    })
}

fn row_json(row: &RowReport) -> Value {
    json!({
        "name": row.name,
        "constraint": row.constraint,
        "kind": row.kind.name(),
        "level": if row.position { "position" } else { "velocity" },
        "exact": row.exact,
        "integrable_alone": row.integrable_alone,
        "scleronomic": row.scleronomic,
        "catastatic": row.catastatic,
        "linear": row.linear,
        "factored": row.factored,
        "integral": row.integral.as_ref().map(|i| i.expression.as_str()),
    })
}

fn conserved_json(quantity: &Conserved) -> Value {
    json!({
        "name": quantity.name,
        "expression": quantity.expression,
        "verified": quantity.verified,
        "proved": quantity.proved,
        "drift": quantity.drift,
        "symmetry": quantity.generator,
    })
}

fn certainty(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Exact => "exact",
        Certainty::Numerical => "numerical",
        Certainty::Generic => "generic",
    }
}

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

/// [Brackets](dalembert::brackets) of two functions as JSON.
pub fn brackets(model: &Model, written: &WrittenBrackets, source: &Source) -> Value {
    let multipliers = written.multipliers.iter().map(|(name, e)| (name.clone(), json!(e)));
    json!({
        "bracket": written.bracket,
        "dirac_bracket": written.dirac_bracket,
        "evolution": written.evolution,
        "multipliers": multipliers.collect::<Map<_, _>>(),
        "hamiltonian": written.hamiltonian,
        "remarks": written.remarks,
        "diagnostics": diagnostic::json(&model.diagnostics, source),
    })
}
