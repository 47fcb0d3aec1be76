//! Runs: what is asked, and the table with how it went.

use crate::columns::{Columns, Content};
use crate::convert::object;
use crate::system::{System, refuse};
use crate::watch::SignalWatch;
use dalembert::diagnostic::{self, Code, Diagnostic, Style, render};
use dalembert::run::{Flow, State, Stop};
use dalembert::{Model, Motion, MotionForm, Request};
use dalembert_view::animation_page;
use dalembert_view::{Animation, documents};
use pyo3::prelude::*;
use serde_json::json;
use std::time::Instant;

/// What a run is to do; left out, it comes from the model or from defaults.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct RunRequest {
    begin: f64,
    until: Option<f64>,
    state: Option<Vec<f64>>,
    every: Option<f64>,
    times: Option<Vec<f64>>,
    step: Option<f64>,
    method: Option<String>,
    rtol: Option<f64>,
    atol: Option<f64>,
    max_steps: Option<usize>,
    baumgarte: Option<(f64, f64)>,
    plant: Vec<(String, f64)>,
    hold: Option<f64>,
    balance: Option<bool>,
    form: String,
    multipliers: Vec<(String, f64)>,
    interpret: bool,
    fold: bool,
    action: bool,
    time_limit: Option<f64>,
    sensitivity: Vec<String>,
}

/// What ended a run from outside.
struct Ended {
    /// What a signal handler raised.
    raised: Option<PyErr>,
    /// Whether its time was over.
    out_of_time: bool,
}

type Ran<'py> = (Columns, Bound<'py, PyAny>, Vec<Event>, Option<PyErr>);

/// An event: name, time, whether it rises, state.
pub type Event = (String, f64, bool, Option<Vec<f64>>);

/// Computes the motion. Gives its table, a document about it, its events, and what a signal handler raised.
#[pyfunction]
#[pyo3(signature = (system, wish, progress = None))]
pub fn simulate<'py>(
    py: Python<'py>,
    system: &System,
    wish: RunRequest,
    progress: Option<Py<PyAny>>,
) -> PyResult<Ran<'py>> {
    let began = Instant::now();
    let (motion, Ended { raised, out_of_time }) =
        system.ask(py, |model| wish.run(model, false, progress.as_ref()))?;
    let mut document = documents::motion(&system.model, &motion, began.elapsed(), &[]);
    let failure = motion.failure.as_slice();
    let run = motion.warnings.iter().chain(failure);
    let all: Vec<_> = system.model.diagnostics.iter().chain(run).cloned().collect();
    document["diagnostics"] = diagnostic::json(&all, &system.source);
    document["time_limit"] = json!(wish.time_limit.filter(|_| out_of_time));
    document["failure"] = match failure {
        [] => json!(null),
        list => json!(render(list, &system.source, Style::Plain).trim_end()),
    };
    let events = motion.events.iter().map(|e| (e.name.clone(), e.t, e.rising, e.state.as_ref().map(flat)));
    let events = events.collect();
    let table = py.detach(|| columns(motion, wish.times.as_deref()));
    Ok((table, object(py, &document)?, events, raised))
}

/// The motion as a page that plays it. It is computed again, with the forces that the page shows.
#[pyfunction]
pub fn animate(py: Python<'_>, system: &System, wish: RunRequest) -> PyResult<String> {
    let (page, raised) = system.ask(py, |model| {
        let (motion, ended) = wish.run(model, true, None)?;
        Ok((animation_page(&Animation::new(model, &motion)?), ended.raised))
    })?;
    raised.map_or(Ok(page), Err)
}

impl RunRequest {
    /// Runs a model until its end, a signal, or the end of its time. `progress` is called with the time reached, as often as
    /// signals are looked for.
    fn run(
        &self,
        model: &Model,
        forces: bool,
        progress: Option<&Py<PyAny>>,
    ) -> Result<(Motion, Ended), Box<Diagnostic>> {
        let mut watch = SignalWatch::new(self.time_limit);
        let mut request = Request { forces, ..self.request()? };
        let own_start = self.begin == 0.0 && self.state.is_none();
        if !own_start {
            let started = model.start_at(self.begin, self.state.as_deref());
            request.start = Some(started.map_err(|d| self.about_start(d))?.state);
        }
        let flow = |t: f64| {
            let tell = |py: Python<'_>| progress.map_or(Ok(()), |call| call.call1(py, (t,)).map(|_| ()));
            if watch.stop(tell) { Flow::Cancel } else { Flow::Continue }
        };
        let motion = model.simulate(&request, flow)?;
        let out_of_time = motion.outcome.stop == Stop::Cancelled && watch.out_of_time();
        Ok((motion, Ended { raised: watch.raised(), out_of_time }))
    }

    /// Where a state was given, it is what contradicts the constraints; nothing in the model is.
    fn about_start(&self, found: Box<Diagnostic>) -> Box<Diagnostic> {
        if self.state.is_none() || found.code != Code::InconsistentStart {
            return found;
        }
        let message = format!("y0 does not keep the constraints: {}", found.message);
        refuse(&message, "`project=True` starts on the constraints nearest to y0")
    }

    /// What the engine is asked.
    pub fn request(&self) -> Result<Request, Box<Diagnostic>> {
        Ok(Request {
            until: self.until,
            every: self.every,
            times: self.times.clone(),
            step: self.step,
            method: self.method.clone(),
            rtol: self.rtol,
            atol: self.atol,
            baumgarte: self.baumgarte,
            max_events: None,
            max_steps: self.max_steps,
            start: None,
            plant: self.plant.clone(),
            hold: self.hold,
            balance: self.balance,
            form: form(&self.form)?,
            multipliers: self.multipliers.clone(),
            interpret: self.interpret,
            fold: self.fold,
            action: self.action,
            forces: false,
            sensitivity: self.sensitivity.clone(),
        })
    }
}

fn form(name: &str) -> Result<MotionForm, Box<Diagnostic>> {
    Ok(match name {
        "explicit" => MotionForm::Explicit,
        "hamilton" => MotionForm::Hamilton,
        "suslov" => MotionForm::Suslov,
        "hamilton-jacobi" => MotionForm::HamiltonJacobi,
        other => {
            let help = "the forms are explicit, hamilton, suslov, hamilton-jacobi";
            return Err(refuse(&format!("there is no form `{other}` to integrate"), help));
        }
    })
}

/// Coordinates, then speeds.
pub fn flat(state: &State) -> Vec<f64> {
    state.x.iter().chain(&state.eta).copied().collect()
}

/// The table in columns. Where times were asked for, rows at others (the start, the end) are left out.
pub fn columns(motion: Motion, times: Option<&[f64]>) -> Columns {
    let (width, mut values) = (motion.table.columns.len(), motion.table.values);
    if let Some(times) = times {
        let near = |a: f64, b: f64| (a - b).abs() <= 16.0 * f64::EPSILON * a.abs().max(b.abs());
        let asked = |t: f64| {
            let k = times.partition_point(|other| *other < t);
            times[k.saturating_sub(1)..].iter().take(2).copied().find(|other| near(*other, t))
        };
        let mut kept = Vec::with_capacity(values.len());
        for row in values.chunks(width.max(1)) {
            if let Some(t) = asked(row[0]) {
                kept.push(t);
                kept.extend_from_slice(&row[1..]);
            }
        }
        values = kept;
    }
    Columns::new(Content::from_rows(motion.table.columns, width, &values, None))
}
