//! `dalembert evaluate`: everything at one state.

use crate::args::EvaluateArgs;
use crate::check::state_pairs;
use crate::input::{Loaded, Remarks, load};
use crate::report::{Failure, object, print, print_json, show};
use crate::words::{cells, plain, table};
use dalembert::diagnostic::{self, Code, Diagnostic};
use dalembert::kinds::redundancy;
use dalembert::run::{Kernel, Line, State};
use dalembert::{Evaluation, Model, Source};
use serde_json::{Value, json};

pub fn run(args: &EvaluateArgs) -> Result<(), Failure> {
    let Loaded { source, mut model } = load(&args.common, Remarks::Warnings)?;
    let mut remarks = Vec::new();
    let mut state = start(&mut model, &mut remarks).map_err(|d| Failure::of(*d, &source))?;
    model.set_state(&mut state, &args.at).map_err(|d| Failure::of(*d, &source))?;
    let now = match model.evaluate(&state) {
        Ok(now) => now,
        Err(error) => {
            remarks.push(*error);
            return Err(Failure::Model { diagnostics: remarks, source });
        }
    };
    remarks.extend(rank_remarks(&model, &now));
    if args.common.json {
        return print_json(&document(&model, &now, &remarks, &source));
    }
    print(&text(&model, &now))?;
    show(&remarks, &source, args.common.quiet);
    Ok(())
}

/// The model's start, or its guess as it stands with a warning.
fn start(model: &mut Model, remarks: &mut Vec<Diagnostic>) -> Result<State, Box<Diagnostic>> {
    match model.start() {
        Ok(started) => Ok(started.state),
        Err(error) => {
            let guess = model.guess()?;
            let mut warning = error.severity(diagnostic::Severity::Warning);
            warning.help = Some("evaluated at the starting values as they are written".to_owned());
            remarks.push(warning);
            Ok(guess.state)
        }
    }
}

/// Rows that vanish or depend on others at this state.
fn rank_remarks(model: &Model, now: &Evaluation) -> Vec<Diagnostic> {
    let rows = &model.system.rows;
    if now.solution.rank >= rows.len() {
        return Vec::new();
    }
    let vanishes = |r: usize| now.terms.row(r).values.iter().all(|v| *v == 0.0);
    let mut remarks = Vec::new();
    for r in (0..rows.len()).filter(|r| vanishes(*r)) {
        let message =
            format!("`{}` constrains no acceleration at this state: its gradient vanishes", rows[r].name);
        let help = if rows[r].holonomic {
            "the configuration is singular; the motion through it is not decided by this constraint"
        } else {
            "constraints that are nonlinear in the rates degenerate at rest; evaluate at a state in motion"
        };
        remarks.push(Diagnostic::warning(Code::DegenerateState, rows[r].span, message).help(help));
    }
    let dependent: Vec<usize> =
        model.redundant_rows(&now.terms).into_iter().filter(|r| !vanishes(*r)).collect();
    remarks.extend(redundancy(model, &dependent));
    remarks
}

fn document(model: &Model, now: &Evaluation, remarks: &[Diagnostic], source: &Source) -> Value {
    let (system, solution) = (&model.system, &now.solution);
    let row_names = || system.rows.iter().map(|row| row.name.as_str());
    let mut state = object(state_pairs(model, &now.state));
    state["t"] = json!(now.state.t);
    let mut all = model.diagnostics.clone();
    all.extend(remarks.iter().cloned());
    json!({
        "state": state,
        "speeds": system.speeds.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(),
        "mass": matrix(now, system.speeds.len(), |i| now.terms.mass_row(i)),
        "impressed": now.terms.Q,
        "constraint_matrix": matrix(now, system.rows.len(), |i| now.terms.row(i)),
        "constraint_rhs": now.terms.b,
        "acceleration": solution.eta_dot,
        "unconstrained_acceleration": solution.a_free,
        "ideal": solution.ideal_force,
        "nonideal": solution.nonideal_force,
        "control": solution.control_force,
        "inputs": object(inputs(model, now)),
        "contacts": contacts(model, now),
        "multipliers": object(row_names().zip(solution.lambda.iter().copied())),
        "reactions": object(reactions(model, now)),
        "residuals": object(row_names().zip(now.residuals.iter().copied())),
        "rank": solution.rank,
        "gauss": solution.gauss,
        "energy": now.energy,
        "outputs": object(outputs(model, now)),
        "diagnostics": diagnostic::json(&all, source),
    })
}

/// Row after row; of a large system the entries as `[row, column, value]`.
fn matrix<'a>(now: &Evaluation, rows: usize, row: impl Fn(usize) -> Line<'a>) -> Value {
    if now.terms.sparsity.is_none() {
        return (0..rows).map(|i| json!(row(i).values)).collect();
    }
    let entries =
        (0..rows).flat_map(|i| row(i).entries().map(move |(j, v)| json!([i, j, v])).collect::<Vec<_>>());
    json!({ "rows": rows, "columns": now.terms.Q.len(), "entries": entries.collect::<Value>() })
}

fn reactions<'m>(model: &'m Model, now: &Evaluation) -> Vec<(&'m str, f64)> {
    let constraints = model.system.constraints.iter().enumerate();
    constraints
        .map(|(k, c)| (c.name.as_str(), model.compiled.reaction(k, &now.solution, &now.terms)))
        .collect()
}

/// The control inputs by name: actuated coordinates, or every speed.
fn inputs<'m>(model: &'m Model, now: &Evaluation) -> Vec<(&'m str, f64)> {
    let values = now.solution.inputs.iter().copied();
    match &model.system.actuators {
        Some(list) => list.iter().map(|(name, _)| name.as_str()).zip(values).collect(),
        None => model.system.speeds.iter().map(|s| s.name.as_str()).zip(values).collect(),
    }
}

/// Contacts with friction: what they do and what acts on them.
fn contacts(model: &Model, now: &Evaluation) -> Value {
    let places = model.compiled.contacts();
    let one = |(k, contact): (usize, &dalembert::system::Contact)| {
        json!({
            "name": contact.name,
            "sticks": now.sticks[k],
            "normal": now.solution.normal[k],
            "friction": now.solution.friction[places[k].slide.clone()],
        })
    };
    model.system.contacts.iter().enumerate().map(one).collect()
}

fn outputs<'m>(model: &'m Model, now: &Evaluation) -> Vec<(&'m str, f64)> {
    model.system.outputs.iter().map(|o| o.name.as_str()).zip(now.outputs.iter().copied()).collect()
}

fn text(model: &Model, now: &Evaluation) -> String {
    let mut out = String::new();
    let (system, s) = (&model.system, &now.solution);
    let mut rows = vec![cells(["state", "value"]), vec!["t".to_owned(), plain(now.state.t)]];
    rows.extend(state_pairs(model, &now.state).into_iter().map(|(name, v)| vec![name.to_owned(), plain(v)]));
    table(&mut out, "", &rows);

    let controlled = !system.requirement_rows.is_empty();
    let headings = ["speed", "acceleration", "unconstrained", "impressed", "ideal", "non-ideal"];
    let mut rows = vec![cells(headings.into_iter().chain(controlled.then_some("control")))];
    for (p, speed) in system.speeds.iter().enumerate() {
        let values = [s.eta_dot[p], s.a_free[p], now.terms.Q[p], s.ideal_force[p], s.nonideal_force[p]];
        let values = values.into_iter().chain(controlled.then_some(s.control_force[p])).map(plain);
        rows.push([speed.name.clone()].into_iter().chain(values).collect());
    }
    section(&mut out, &rows);
    if !system.contacts.is_empty() {
        let mut rows = vec![cells(["contact", "", "normal force", "friction"])];
        for (k, contact) in system.contacts.iter().enumerate() {
            let place = model.compiled.contacts()[k].slide.clone();
            let friction: Vec<String> = s.friction[place].iter().map(|v| plain(*v)).collect();
            let what = if now.sticks[k] { "sticks" } else { "slides" };
            rows.push(vec![contact.name.clone(), what.to_owned(), plain(s.normal[k]), friction.join(", ")]);
        }
        section(&mut out, &rows);
    }

    if !system.rows.is_empty() {
        let mut rows = vec![cells(["constraint row", "multiplier", "residual"])];
        for (r, row) in system.rows.iter().enumerate() {
            rows.push(vec![row.name.clone(), plain(s.lambda[r]), plain(now.residuals[r])]);
        }
        section(&mut out, &rows);
        let mut rows = vec![cells(["constraint", "reaction"])];
        rows.extend(reactions(model, now).into_iter().map(|(name, v)| vec![name.to_owned(), plain(v)]));
        section(&mut out, &rows);
    }
    matrices(&mut out, model, now);
    let mut rows = Vec::new();
    if !system.rows.is_empty() {
        rows.push(vec!["rank".to_owned(), format!("{} of {}", s.rank, system.rows.len())]);
        rows.push(vec!["gauss".to_owned(), plain(s.gauss)]);
    }
    rows.extend(now.energy.map(|e| vec!["energy".to_owned(), plain(e)]));
    rows.extend(outputs(model, now).into_iter().map(|(name, v)| vec![name.to_owned(), plain(v)]));
    section(&mut out, &rows);
    out
}

/// The matrices, with the speeds above their columns.
fn matrices(out: &mut String, model: &Model, now: &Evaluation) {
    let system = &model.system;
    if now.terms.sparsity.is_some() {
        return by_entries(out, model, now);
    }
    let heading = |first: &str, last: Option<&str>| -> Vec<String> {
        let speeds = system.speeds.iter().map(|s| s.name.as_str());
        cells([first].into_iter().chain(speeds).chain(last))
    };
    let mut rows = vec![heading("mass", None)];
    for (p, speed) in system.speeds.iter().enumerate() {
        let values = now.terms.mass_row(p).values.iter().map(|v| plain(*v));
        rows.push([speed.name.clone()].into_iter().chain(values).collect());
    }
    section(out, &rows);
    if !system.rows.is_empty() {
        let mut rows = vec![heading("constraint matrix", Some("right side"))];
        for (r, row) in system.rows.iter().enumerate() {
            let values = now.terms.row(r).values.iter().chain([&now.terms.b[r]]).map(|v| plain(*v));
            rows.push([row.name.clone()].into_iter().chain(values).collect());
        }
        section(out, &rows);
    }
}

/// The matrices of a large system: what is not there is zero.
fn by_entries(out: &mut String, model: &Model, now: &Evaluation) {
    let system = &model.system;
    let speed = |j: usize| system.speeds[j].name.clone();
    let mut rows = vec![cells(["mass", "", "entry"])];
    for p in 0..system.speeds.len() {
        rows.extend(now.terms.mass_row(p).entries().map(|(q, v)| vec![speed(p), speed(q), plain(v)]));
    }
    section(out, &rows);
    let mut rows = vec![cells(["constraint matrix", "", "entry"])];
    for (r, row) in system.rows.iter().enumerate() {
        rows.extend(now.terms.row(r).entries().map(|(q, v)| vec![row.name.clone(), speed(q), plain(v)]));
        rows.push(vec![row.name.clone(), "right side".to_owned(), plain(now.terms.b[r])]);
    }
    section(out, &rows);
}

fn section(out: &mut String, rows: &[Vec<String>]) {
    if !rows.is_empty() {
        out.push('\n');
        table(out, "", rows);
    }
}
