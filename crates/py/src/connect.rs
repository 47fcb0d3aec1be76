//! Motions between two configurations.

use crate::columns::Columns;
use crate::convert::object;
use crate::simulate::{Event, columns, flat};
use crate::system::System;
use dalembert::Request;
use dalembert::diagnostic;
use dalembert_view::documents;
use pyo3::prelude::*;
use serde_json::json;

type Connected<'py> = (Columns, Bound<'py, PyAny>, Bound<'py, PyAny>, Vec<f64>, Vec<Event>);

/// The motion from the start to a configuration, in a given time or with a given energy: its table, what
/// `dalembert connect --json` says, the document of the motion, the state it starts from, and its events.
#[pyfunction]
#[pyo3(signature = (system, to, via, until, every, energy))]
pub fn connect<'py>(
    py: Python<'py>,
    system: &System,
    to: String,
    via: Vec<String>,
    until: Option<f64>,
    every: Option<f64>,
    energy: Option<f64>,
) -> PyResult<Connected<'py>> {
    let began = std::time::Instant::now();
    let request = Request { until, every, ..Request::default() };
    let found = system.ask(py, |model| match energy {
        Some(energy) => model.connect_at_energy(&to, &via, energy, &request),
        None => model.connect(&to, &via, &request),
    })?;
    let connection = documents::connection(&system.model, &found);
    let motion = found.motion;
    let mut document = documents::motion(&system.model, &motion, began.elapsed(), &[]);
    let run = motion.warnings.iter().chain(&motion.failure);
    let all: Vec<_> = system.model.diagnostics.iter().chain(run).cloned().collect();
    document["diagnostics"] = diagnostic::json(&all, &system.source);
    document["time_limit"] = json!(null);
    document["failure"] = json!(motion.failure.as_ref().map(|d| d.message.clone()));
    let events = motion.events.iter().map(|e| (e.name.clone(), e.t, e.rising, e.state.as_ref().map(flat)));
    let (events, start) = (events.collect(), flat(&found.connection.start));
    let table = columns(motion, None);
    Ok((table, object(py, &connection)?, object(py, &document)?, start, events))
}
