//! What is asked about a model besides its motion: poles and Bode plots, equilibria, sweeps, comparisons, the report.
//!
//! Each answer is the document of the command of the same name, with what the page draws beside it.

use super::{WorkerRequest, failed, motion, refusal};
use dalembert::diagnostic::Diagnostic;
use dalembert::equilibrium::EquilibriumSearch;
use dalembert::linearize::{Linearization, Linearizer};
use dalembert::run::Flow;
use dalembert::sweep::{Axis, Block, Figure, Plan, Status, Sweep, Values};
use dalembert::{Model, Overrides, Request, Source};
use dalembert_view::documents;
use dalembert_view::report_page::{self, Stage, Wanted};
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;

/// Runs of a sweep in a page.
const MAX_RUNS: u64 = 200;
/// Starts of a search for equilibria.
const STARTS: usize = 40;

/// The linear system about the start, or about the equilibrium that is found from it with `settle`: the document of
/// `dalembert linearize`, `settled` and `bode` with its columns where the model has inputs and outputs.
pub fn linearize(model: &Model, source: &Source, order: &WorkerRequest<'_>) -> Result<Value, Value> {
    let wrong = |d: Box<Diagnostic>| refusal(&[*d], source);
    let (linear, settled) = linear(model, order).map_err(wrong)?;
    let mut document = documents::linearization(model, &linear, source);
    document["settled"] = json!(settled);
    if !linear.inputs.is_empty() && !linear.outputs.is_empty() {
        document["bode"] = motion::columns(model, &linear.bode_table());
    }
    Ok(document)
}

fn linear(model: &Model, order: &WorkerRequest<'_>) -> Result<(Linearization, bool), Box<Diagnostic>> {
    let mut work = model.workspace();
    let linearizer = Linearizer::new(&mut work, &[])?;
    let start = model.start_from(&order.numbers("initial"))?.state;
    let found = match order.request["settle"].as_bool() {
        Some(true) => Some(linearizer.settle(&mut work, &start)?),
        _ => None,
    };
    let settled = found.is_some();
    Ok((linearizer.at(&mut work, &found.unwrap_or(start))?, settled))
}

/// The document of `dalembert equilibrium`.
pub fn equilibria(model: &Model, source: &Source) -> Result<Value, Value> {
    let search = EquilibriumSearch { at: String::new(), starts: STARTS, within: Vec::new() };
    let found = model.equilibria(&search).map_err(|d| refusal(&[*d], source))?;
    Ok(documents::equilibria(model, &found, source, &[]))
}

/// The document of `dalembert verify`.
pub fn verify(model: &Model, source: &Source) -> Result<Value, Value> {
    let found = model.verify().map_err(|d| refusal(&[*d], source))?;
    Ok(documents::verification(model, &found, source))
}

/// A sweep of `vary` from `low` to `high` in `count` runs: `table` with the columns varied and kept (`figure` of `column`),
/// and `failed`, how many runs did not reach an end.
pub fn sweep(model: &Model, source: &Source, order: &WorkerRequest<'_>) -> Result<Value, Value> {
    let wrong = |d: Box<Diagnostic>| refusal(&[*d], source);
    let number = |key: &str| order.request[key].as_f64().filter(|v| v.is_finite());
    let (Some(name), Some(low), Some(high)) = (order.text("vary"), number("low"), number("high")) else {
        return Err(failed("a sweep needs a name and two ends", "choose a parameter and give its range"));
    };
    let count = order.request["count"].as_u64().unwrap_or(25);
    if !(2..=MAX_RUNS).contains(&count) || low == high {
        let help = "larger sweeps are made by `dalembert sweep`";
        return Err(failed(
            &format!("a sweep here has 2 to {MAX_RUNS} runs between two different ends"),
            help,
        ));
    }
    let [figure, column] = ["figure", "column"].map(|key| order.text(key).unwrap_or_default());
    let keep = Figure::read(&format!("{figure}({column})")).map_err(wrong)?;
    let values = Values::Range { low, high, count: count as usize, log: false };
    let request = Request {
        until: number("until"),
        method: order.text("method").map(str::to_owned),
        ..Request::default()
    };
    let vary = vec![Axis { name: name.to_owned(), values }];
    let plan = Plan { vary, request, keep, ..Plan::default() };
    let sweep = Sweep::new(model.clone(), plan).map_err(wrong)?;
    let mut blocks: Vec<Block> = Vec::new();
    sweep.execute(1, 0..sweep.blocks(), &AtomicBool::new(false), |block| {
        blocks.push(block);
        if order.halt.of(order.id).is_some() { Flow::Cancel } else { Flow::Continue }
    });
    blocks.sort_by_key(|block| block.index);
    let rows: Vec<_> = blocks.into_iter().flat_map(|block| block.rows).collect();
    // The number of the run, what is varied, what is kept.
    let [varied, kept] = [1, 2];
    let column = |k: usize| rows.iter().map(|row| json!(row.numbers.get(k).copied())).collect::<Value>();
    let unsound = rows.iter().filter(|row| matches!(row.status, Status::Failed(_))).count();
    Ok(json!({
        "table": [
            { "name": name, "values": column(varied) },
            { "name": sweep.columns().get(kept), "values": column(kept) },
        ],
        "failed_runs": unsound,
    }))
}

/// The page of `dalembert report`, without the player: it needs no script.
pub fn report(model: &Model, source: &Source, order: &WorkerRequest<'_>) -> Value {
    let number = |key: &str| order.request[key].as_f64();
    let set = order.numbers("set").into_iter().map(|(name, value)| (name, value.to_string())).collect();
    let wanted = Wanted {
        request: Request {
            until: number("until"),
            method: order.text("method").map(str::to_owned),
            ..Request::default()
        },
        overrides: Overrides { set, ..Overrides::default() },
        ..Wanted::default()
    };
    let page = report_page::write(model, source, &wanted, &mut |_: Stage| {
        if order.halt.of(order.id).is_some() { Flow::Cancel } else { Flow::Continue }
    });
    let troubles = dalembert::diagnostic::json(&page.troubles, source);
    json!({ "html": page.html, "diagnostics": troubles })
}

#[cfg(test)]
mod tests {
    use super::super::answer;
    use serde_json::{Value, json};

    const SPRING: &str = "parameter m = 2, k = 8, c = 0.4\ninput u = 0\ncoordinate x\nkinetic m/2*x'^2\npotential k/2*x^2\n\
                          force x = u - c*x'\noutput y = x\ninitial x = 1\nsimulate until 3";

    fn ask(mut request: Value) -> Value {
        request["text"] = json!(SPRING);
        answer(&request.to_string()).expect("a request")
    }

    #[test]
    fn poles_and_responses_are_those_of_the_linear_system() {
        let linear = ask(json!({ "do": "linearize", "settle": true }));
        assert_eq!(linear["settled"], true, "{linear}");
        // sqrt(k/m) / 2 pi.
        let frequency = linear["modes"][0]["frequency_hz"].as_f64().unwrap_or_default();
        assert!((frequency - 2.0 / std::f64::consts::TAU).abs() < 1e-12, "{frequency}");
        assert!(linear["bode"].as_array().is_some_and(|columns| columns.len() >= 3), "{linear}");
        let rest = ask(json!({ "do": "equilibria" }));
        assert!(rest["equilibria"][0]["state"]["x"].as_f64().is_some_and(|x| x.abs() < 1e-9), "{rest}");
    }

    #[test]
    fn a_small_sweep_gives_figures_over_a_parameter() {
        let request = json!({ "do": "sweep", "vary": "c", "low": 0.0, "high": 2.0, "count": 3, "figure": "min", "column": "x" });
        let swept = ask(request.clone());
        assert_eq!(swept["table"][0]["values"], json!([0.0, 1.0, 2.0]), "{swept}");
        let least: Vec<f64> =
            swept["table"][1]["values"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
        // Without damping x goes to -1; the more damping, the less far.
        assert!((least[0] + 1.0).abs() < 1e-3 && least[0] < least[1] && least[1] < least[2], "{least:?}");
        let mut many = request;
        many["count"] = json!(5000);
        assert!(ask(many)["failed"]["message"].as_str().is_some_and(|said| said.contains("2 to 200")));
    }

    #[test]
    fn verification_report_and_live_page_are_made() {
        assert_eq!(ask(json!({ "do": "verify" }))["passed"], true);
        let page = ask(json!({ "do": "report" }))["html"].as_str().unwrap_or_default().to_owned();
        assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("<script"));
        let live = ask(json!({ "do": "export", "what": "live", "name": "spring.dal" }));
        assert_eq!(live["file"], "spring.html");
        assert!(live["text"].as_str().is_some_and(|text| text.contains("wasm-unsafe-eval")), "{live}");
    }
}
