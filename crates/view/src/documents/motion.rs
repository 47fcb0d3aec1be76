//! How a run went.

use super::{object, units};
use dalembert::compile::CodeStats;
use dalembert::energy_balance::Balance;
use dalembert::{Model, Motion};
use dalembert_run::Stop;
use serde_json::{Value, json};
use std::time::Duration;

/// How the run ended, as a key.
pub fn stop_name(motion: &Motion) -> &'static str {
    match motion.outcome.stop {
        Stop::EndTime => "end_time",
        Stop::Event(_) => "event",
        Stop::Cancelled => "cancelled",
        Stop::Failed(_) => "failed",
    }
}

/// Last time in the table.
pub fn last_time(motion: &Motion) -> f64 {
    motion.table.rows().last().and_then(|row| row.first()).copied().unwrap_or(motion.outcome.state.t)
}

/// A run as JSON.
pub fn motion(model: &Model, motion: &Motion, wall: Duration, files: &[String]) -> Value {
    let (counters, outcome) = (motion.counters(), &motion.outcome);
    let columns = motion.table.columns.iter().map(String::as_str);
    let last = motion.table.rows().last().unwrap_or(&[]).iter().copied();
    let events: Value =
        motion.events.iter().map(|e| json!({ "name": e.name, "t": e.t, "rising": e.rising })).collect();
    let mut document = json!({
        "columns": motion.table.columns,
        "units": units(model, motion.table.columns.iter().map(String::as_str)),
        "final": object(columns.zip(last)),
        "stop": stop_name(motion),
        "summary": {
            "method": motion.method.name(),
            "t": last_time(motion),
            "rows": motion.table.rows().count(),
            "steps": counters.steps,
            "rejected": counters.rejected,
            "evaluations": counters.evaluations,
            "jacobians": counters.jacobians,
            "factorisations": counters.factorisations,
            "projections": counters.projections,
            "rank_crossings": counters.rank_crossings,
            "wall_time": wall.as_secs_f64(),
            "code": motion.code.as_ref().map(code_document),
            "rank": outcome.generic_rank,
            "degenerate_start": outcome.degenerate_start,
            "smallest_margin": outcome.smallest_margin,
            "largest_position_residual": outcome.largest_position_residual,
            "largest_velocity_residual": outcome.largest_velocity_residual,
            "energy": motion.energy.map(|(first, _)| first),
            "energy_change": motion.energy_change,
            "energy_unit": model.system.unit_of_energy(),
            "energy_deviation": motion.energy.map(|(_, deviation)| deviation),
        },
        "balance": motion.balance.as_ref().map(balance_document),
        "action": motion.action,
        "complete_integral": motion.integral.as_ref().map(|i| json!({
            "proved": i.verified.proved,
            "residual": i.verified.worst,
            "points": i.verified.points,
            "rank": i.verified.rank,
            "constants": object(i.constants.iter().map(|(name, a)| (name.as_str(), *a))),
            "b": object(i.constants.iter().zip(&i.b).map(|((name, _), b)| (name.as_str(), *b))),
            "difference": i.difference,
            "cuts": i.cuts,
        })),
        "events": events,
        "files": files,
    });
    // Keys of what was asked for only.
    if motion.sensitivity_evaluations > 0 {
        document["summary"]["sensitivity_evaluations"] = json!(motion.sensitivity_evaluations);
    }
    if let Some(abbreviated) = motion.abbreviated_action {
        document["abbreviated_action"] = json!(abbreviated);
    }
    if let Some(i) = motion.integral.as_ref().filter(|i| i.verified.free.len() < i.constants.len()) {
        let free = i.verified.free.iter().filter_map(|k| Some(i.constants.get(*k)?.0.as_str()));
        document["complete_integral"]["free"] = json!(free.collect::<Vec<_>>());
    }
    document
}

/// What accounts for the change of energy; what events do is in it where the model has events that change the state.
fn balance_document(b: &Balance) -> Value {
    let mut document = json!({
        "change": b.change,
        "nonconservative": b.nonconservative,
        "ideal": b.ideal,
        "nonideal": b.nonideal,
        "control": b.control,
        "explicit": b.explicit,
        "defect": b.defect,
    });
    if let Some(events) = b.events {
        document["events"] = json!(events);
    }
    document
}

/// Operations of an acceleration before and after.
fn code_document(code: &CodeStats) -> Value {
    json!({
        "terms": code.terms.total(),
        "derived": code.whole.map(|w| w.derived.total()),
        "each": code.whole.map(|w| w.each.total()),
        "once": code.whole.map(|w| w.once.total()),
        "native_bytes": code.native_bytes,
    })
}
