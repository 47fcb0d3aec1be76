//! Runs for the page: progress on the way, then columns, film, summary and events.

use super::{WorkerRequest, failed, refusal, say};
use dalembert::diagnostic::{self, Diagnostic};
use dalembert::run::Flow;
use dalembert::{Model, Motion, Request, Source, Table};
use dalembert_view::{Animation, documents};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Numbers that are sent to the page; of longer tables it gets every second row, or fewer.
const MAX_SENT: usize = 1_000_000;
/// Events that are sent.
const MAX_EVENTS: usize = 1000;
/// Time between two lines of progress.
const PAUSE: Duration = Duration::from_millis(60);
/// Steps between two looks at the clock.
const STEPS: u32 = 16;

/// A run and its answer.
pub fn run(model: &Model, source: &Source, order: &WorkerRequest<'_>) -> Result<Value, Value> {
    let began = Instant::now();
    let motion = simulate(model, source, order)?;
    if order.halt.of(order.id).as_deref() == Some("superseded") {
        return Ok(json!({ "ended": "superseded" }));
    }
    let mut document = documents::motion(model, &motion, began.elapsed(), &[]);
    let film = Animation::new(model, &motion);
    document["film"] = film.map_or(Value::Null, |film| film.to_json());
    let (table, thinned) = thin(&motion.table);
    document["table"] = columns(model, &table);
    document["thinned"] = json!(thinned);
    if let Some(events) = document["events"].as_array_mut() {
        events.truncate(MAX_EVENTS);
    }
    let said: Vec<Diagnostic> = {
        let run = motion.warnings.iter().chain(&motion.failure);
        model.diagnostics.iter().chain(run).cloned().collect()
    };
    document["diagnostics"] = diagnostic::json(&said, source);
    document["failure"] = motion
        .failure
        .as_ref()
        .map_or(Value::Null, |d| refusal(std::slice::from_ref(d), source)["failed"].clone());
    document["stopped"] = json!(order.halt.of(order.id));
    Ok(document)
}

/// The motion that is asked for.
pub fn simulate(model: &Model, source: &Source, order: &WorkerRequest<'_>) -> Result<Motion, Value> {
    let wrong = |d: Box<Diagnostic>| refusal(&[*d], source);
    let number = |key: &str| order.request[key].as_f64();
    let until = number("until").or_else(|| model.end_time());
    let initial = order.numbers("initial");
    let start = match initial.is_empty() {
        true => None,
        false => Some(model.start_from(&initial).map_err(wrong)?.state),
    };
    let request = Request {
        until: number("until"),
        every: number("every"),
        method: order.text("method").map(str::to_owned),
        rtol: number("rtol"),
        step: number("step"),
        start,
        forces: true,
        ..Request::default()
    };
    let mut watch = ProgressReport { order, until, steps: 0, said: Instant::now(), halted: false };
    let motion = model.simulate(&request, |t| watch.at(t)).map_err(wrong)?;
    match motion.table.values.is_empty() {
        true => Err(failed("the run gave no rows", "")),
        false => Ok(motion),
    }
}

/// Tells how far the run is, and whether it is to end.
struct ProgressReport<'o, 'h> {
    order: &'o WorkerRequest<'h>,
    until: Option<f64>,
    steps: u32,
    said: Instant,
    halted: bool,
}

impl ProgressReport<'_, '_> {
    fn at(&mut self, t: f64) -> Flow {
        self.steps += 1;
        if self.steps >= STEPS {
            self.steps = 0;
            self.halted = self.order.halt.of(self.order.id).is_some();
            if self.said.elapsed() > PAUSE {
                self.said = Instant::now();
                let part = self.until.map(|until| (t / until).clamp(0.0, 1.0));
                // If nobody listens any more the input ends too, and with it the process.
                let _ = say(&json!({ "progress": part, "t": t }));
            }
        }
        if self.halted { Flow::Cancel } else { Flow::Continue }
    }
}

/// The table with few enough numbers, and of how many rows one is kept.
fn thin(table: &Table) -> (Table, usize) {
    let each = table.values.len().div_ceil(MAX_SENT).max(1);
    if each == 1 {
        return (table.clone(), 1);
    }
    let last = table.rows().count() - 1;
    let kept = table.rows().enumerate().filter(|(k, _)| k % each == 0 || *k == last);
    let values = kept.flat_map(|(_, row)| row).copied().collect();
    (Table { columns: table.columns.clone(), values }, each)
}

/// `[{name, unit, values}]`; what is not finite is `null`.
pub fn columns(model: &Model, table: &Table) -> Value {
    let width = table.columns.len();
    let column = |k: usize| table.values.iter().skip(k).step_by(width).map(|v| json!(v)).collect::<Value>();
    let all = table.columns.iter().enumerate();
    all.map(
        |(k, name)| json!({ "name": name, "unit": model.system.unit_of_column(name), "values": column(k) }),
    )
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_tables_are_thinned_to_their_last_row() {
        let rows = MAX_SENT;
        let values = (0..rows).flat_map(|k| [k as f64, -(k as f64)]).collect();
        let (thinned, each) = thin(&Table { columns: vec!["t".into(), "x".into()], values });
        assert_eq!(each, 2);
        assert!(thinned.values.len() <= MAX_SENT + 2);
        assert_eq!(thinned.rows().last().unwrap()[0], (rows - 1) as f64);
    }
}
