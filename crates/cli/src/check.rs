//! `dalembert check`: what the model is.

use crate::args::CheckArgs;
use crate::input::{Loaded, Remarks, load};
use crate::report::{Failure, object, print, print_json, show};
use crate::words::{cells, counted, entry, plain, table};
use dalembert::diagnostic::{self, Diagnostic};
use dalembert::kinds::{Freedom, Kind, kinds};
use dalembert::run::{Started, State};
use dalembert::{Model, Source};
use serde_json::{Value, json};

/// Width of the labels.
const MARGIN: usize = 20;

/// What was found.
struct Findings {
    kinds: Vec<Kind>,
    start: Option<(Started, Freedom)>,
    /// Beyond those of reading.
    diagnostics: Vec<Diagnostic>,
    failed: bool,
}

pub fn run(args: &CheckArgs) -> Result<(), Failure> {
    let Loaded { source, mut model } = load(&args.common, Remarks::All)?;
    let findings = find(&mut model);
    if args.common.json {
        print_json(&document(&model, &findings, &source))?;
    } else {
        print(&text(&model, &findings))?;
        show(&findings.diagnostics, &source, args.common.quiet);
    }
    if findings.failed { Err(Failure::Told) } else { Ok(()) }
}

fn find(model: &mut Model) -> Findings {
    let kinds = kinds(model);
    match Freedom::at_start(model) {
        Ok((start, freedom)) => {
            let diagnostics = freedom.remarks(model);
            Findings { kinds, start: Some((start, freedom)), diagnostics, failed: false }
        }
        Err(error) => Findings { kinds, start: None, diagnostics: vec![*error], failed: true },
    }
}

fn document(model: &Model, findings: &Findings, source: &Source) -> Value {
    let names = |list: Vec<&str>| json!(list);
    let mut all = model.diagnostics.clone();
    all.extend(findings.diagnostics.iter().cloned());
    let mut document = json!({
        "title": model.system.title,
        "coordinates": names(model.system.coordinates.iter().map(|c| c.name.as_str()).collect()),
        "speeds": names(model.system.speeds.iter().map(|s| s.name.as_str()).collect()),
        "parameters": object(parameters(model)),
        "constraints": findings.kinds.iter().map(kind_json).collect::<Value>(),
        "rank": Value::Null,
        "degrees_of_freedom": Value::Null,
        "initial": Value::Null,
        "redundant": Value::Null,
        "outputs": names(model.system.outputs.iter().map(|o| o.name.as_str()).collect()),
        "events": names(model.system.events.iter().map(|e| e.name.as_str()).collect()),
        "operations": operations(model),
        "diagnostics": diagnostic::json(&all, source),
    });
    match &findings.start {
        Some((start, freedom)) => {
            document["rank"] = json!(freedom.rank);
            document["rank_nearby"] = json!(freedom.rank_nearby);
            document["degrees_of_freedom"] = json!(freedom.degrees(model));
            document["initial"] = object(state_pairs(model, &start.state));
            document["redundant"] =
                freedom.redundant.iter().map(|r| json!(model.system.rows[*r].name)).collect();
        }
        None => document["error"] = json!(crate::report::headline(&findings.diagnostics)),
    }
    document
}

fn kind_json(kind: &Kind) -> Value {
    json!({
        "name": kind.name,
        "kind": kind.kind(),
        "level": if kind.holonomic { "position" } else { "velocity" },
        "rows": kind.rows,
        "linear": kind.linear,
        "scleronomic": kind.scleronomic,
        "catastatic": kind.catastatic,
    })
}

fn operations(model: &Model) -> Value {
    let counts = model.compiled.counts();
    json!({
        "total": counts.total(),
        "additive": counts.additive,
        "multiplicative": counts.multiplicative,
        "divisions": counts.divisions,
        "functions": counts.functions,
        "logic": counts.logic,
    })
}

fn parameters(model: &Model) -> Vec<(&str, f64)> {
    let values = model.compiled.parameters().iter().copied();
    model.system.parameters.iter().map(|p| p.name.as_str()).zip(values).collect()
}

/// Names and values of a state.
pub fn state_pairs<'m>(model: &'m Model, state: &State) -> Vec<(&'m str, f64)> {
    let values = state.x.iter().chain(&state.eta).copied();
    model.state_names().into_iter().zip(values).collect()
}

fn text(model: &Model, findings: &Findings) -> String {
    let mut out = String::new();
    if let Some(title) = &model.system.title {
        out.push_str(&format!("{title}\n\n"));
    }
    let system = &model.system;
    let list = |names: Vec<&str>| cells(names);
    let equal = |pairs: Vec<(&str, f64)>| -> Vec<String> {
        pairs.into_iter().map(|(name, value)| format!("{name} = {}", plain(value))).collect()
    };
    entry(
        &mut out,
        "coordinates",
        MARGIN,
        &list(system.coordinates.iter().map(|c| c.name.as_str()).collect()),
    );
    entry(&mut out, "speeds", MARGIN, &list(system.speeds.iter().map(|s| s.name.as_str()).collect()));
    if !system.parameters.is_empty() {
        entry(&mut out, "parameters", MARGIN, &equal(parameters(model)));
    }
    constraints(&mut out, &findings.kinds);
    if let Some((start, freedom)) = &findings.start {
        if !system.rows.is_empty() {
            let rank = format!("{} of {}", freedom.rank, counted(system.rows.len(), "row"));
            entry(&mut out, "rank", MARGIN, &[rank]);
        }
        entry(&mut out, "degrees of freedom", MARGIN, &[freedom.degrees(model).to_string()]);
        entry(&mut out, "start", MARGIN, &equal(state_pairs(model, &start.state)));
    }
    for (label, names) in [
        ("outputs", system.outputs.iter().map(|o| o.name.as_str()).collect::<Vec<_>>()),
        ("events", system.events.iter().map(|e| e.name.as_str()).collect()),
    ] {
        if !names.is_empty() {
            entry(&mut out, label, MARGIN, &list(names));
        }
    }
    entry(&mut out, "equations", MARGIN, &[model.compiled.counts().to_string()]);
    out
}

fn constraints(out: &mut String, kinds: &[Kind]) {
    if kinds.is_empty() {
        return entry(out, "constraints", MARGIN, &["none".to_owned()]);
    }
    let word = |yes: bool, this: &str, other: &str| if yes { this.to_owned() } else { other.to_owned() };
    let mut lines = String::new();
    let rows: Vec<Vec<String>> = kinds
        .iter()
        .map(|kind| {
            vec![
                kind.name.clone(),
                kind.kind().to_owned(),
                word(kind.linear, "linear", "nonlinear"),
                word(kind.scleronomic, "scleronomic", "rheonomic"),
                word(kind.catastatic, "catastatic", "acatastatic"),
                counted(kind.rows.len(), "row"),
            ]
        })
        .collect();
    table(&mut lines, "", &rows);
    for (k, line) in lines.lines().enumerate() {
        let label = if k == 0 { "constraints" } else { "" };
        out.push_str(&format!("{label:<MARGIN$}{line}\n"));
    }
}
