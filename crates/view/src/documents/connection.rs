//! The motion between two configurations.

use super::{object, units};
use dalembert::Model;
use dalembert::connect::Connected;
use serde_json::{Value, json};

/// What kind of stationary point a motion between two configurations is: one word, and a sentence.
pub fn stationary_kind(found: &Connected) -> (&'static str, String) {
    if !found.stationary {
        return ("none", "not stationary: forces without a potential act".to_owned());
    }
    match &found.connection.second {
        None => ("unknown", "stationary; its second variation was not decided".to_owned()),
        Some(second) if second.index == 0 => {
            ("minimum", "a minimum: no conjugate point on the way".to_owned())
        }
        Some(second) => {
            let times: Vec<String> = second.conjugate.iter().map(|t| format!("{t:.5}")).collect();
            let text =
                format!("a saddle of index {}: conjugate points near t = {}", second.index, times.join(", "));
            ("saddle", text)
        }
    }
}

/// A motion between two configurations: its ends, action and checks.
pub fn connection(model: &Model, found: &Connected) -> Value {
    let c = &found.connection;
    let coordinates = |x: &[f64]| {
        let names = model.system.frame.coordinates.iter().map(|c| c.name.as_str());
        object(names.zip(x.iter().copied()))
    };
    let speeds = |eta: &[f64]| {
        let names = model.system.frame.speeds.iter().map(|s| s.name.as_str());
        object(names.zip(eta.iter().copied()))
    };
    let mut document = json!({
        "from": coordinates(&c.start.x),
        "to": coordinates(&c.end.x),
        "t": c.end.t,
        "start_rates": speeds(&c.start.eta),
        "end_rates": speeds(&c.end.eta),
        "action": c.action,
        "stationary": stationary_kind(found).0,
        "index": c.second.as_ref().map(|s| s.index),
        "conjugate_times": c.second.as_ref().map(|s| s.conjugate.clone()),
        "error": c.error,
        "elements": c.elements,
        "iterations": c.iterations,
        "sensitivity": c.sensitivity,
        "via_passed": (!c.passed.is_empty()).then(|| c.passed.iter().all(|p| *p)),
        "missed_by": found.missed_by,
        "columns": found.motion.table.columns,
        "units": units(model, found.motion.table.columns.iter().map(String::as_str)),
    });
    if let Some(least) = &found.least_action {
        document["time"] = json!(least.time);
        document["energy"] = json!(least.energy);
        document["abbreviated_action"] = json!(least.abbreviated_action);
        document["jacobi_length"] = json!(least.jacobi_length);
        document["jacobi_metric"] = json!(least.jacobi_metric);
    }
    document
}
