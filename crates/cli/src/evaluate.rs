//! `dalembert evaluate`: everything at one state.

use crate::args::EvaluateArgs;
use crate::failure::Failure;
use crate::input::{Loaded, Remarks, load_for};
use crate::output::{print, print_json, show};
use crate::text_table::{cells, plain, quantity, table};
use dalembert::diagnostic::Diagnostic;
use dalembert::energies::EnergyValues;
use dalembert::explicit_terms::{ExplicitTerms, Possible, VirtualWork};
use dalembert::run::Contacts;
use dalembert::{Evaluation, Model};
use dalembert_view::documents::{
    energies, evaluation, output_remarks, outputs, possible, rank_remarks, reactions,
};
use dalembert_view::documents::{input_names, start_or_guess, state_pairs, virtual_work};
use serde_json::Value;

/// Systems with more speeds show the matrices of the explicit equation in JSON only.
const MAX_SHOWN: usize = 8;

pub fn run(args: &EvaluateArgs) -> Result<(), Failure> {
    let Loaded { source, model } = load_for(&args.common, Remarks::Warnings, &args.at)?;
    let mut remarks = Vec::new();
    let state = start_or_guess(&model, &mut remarks).map_err(|d| Failure::of(*d, &source))?;
    let state = model.state_at(state, &args.at).map_err(|d| Failure::of(*d, &source))?;
    let now = match model.evaluate(&state) {
        Ok(now) => now,
        Err(error) => {
            remarks.push(*error);
            return Err(Failure::Model { diagnostics: remarks, source });
        }
    };
    model.check_once(&state).map_err(|d| Failure::of(*d, &source))?;
    remarks.extend(rank_remarks(&model, &now));
    remarks.extend(output_remarks(&model, &now));
    let asked = Asked::of(&model, &now, args).map_err(|d| Failure::of(*d, &source))?;
    if args.common.json {
        let mut document = evaluation(&model, &now, &remarks, &source);
        asked.enter(&mut document);
        return print_json(&document);
    }
    let mut words = text(&model, &now);
    asked.write(&mut words, &model);
    print(&words)?;
    show(&remarks, &source, args.common.quiet);
    Ok(())
}

/// Answers to `--possible`, `--virtual` and `--energies`.
struct Asked {
    possible: Option<Possible>,
    work: Option<VirtualWork>,
    energies: Option<EnergyValues>,
}

impl Asked {
    fn of(model: &Model, now: &Evaluation, args: &EvaluateArgs) -> Result<Asked, Box<Diagnostic>> {
        let possible = args.possible.as_ref().map(|text| model.possible(now, text)).transpose()?;
        let mut work = model.workspace();
        let work = args.r#virtual.as_ref().map(|text| work.virtual_work(now, text)).transpose()?;
        let energies =
            args.energies.then(|| EnergyValues::at(&mut model.workspace(), &now.state)).transpose()?;
        Ok(Asked { possible, work, energies })
    }

    fn enter(&self, document: &mut Value) {
        if let Some(other) = &self.possible {
            document["possible"] = possible(other);
        }
        if let Some(work) = &self.work {
            document["virtual"] = virtual_work(work);
        }
        if let Some(values) = &self.energies {
            document["energies"] = energies(values);
        }
    }

    fn write(&self, out: &mut String, model: &Model) {
        if let Some(other) = &self.possible {
            // A typed acceleration may be any.
            let heading = match other.kept {
                true => ["possible acceleration", "satisfies the constraints"],
                false => ["acceleration that is not possible", "violates the constraints"],
            };
            let mut rows = vec![cells(heading)];
            for (row, residual) in model.system.constraints.rows.iter().zip(&other.residual) {
                rows.push(vec![format!("A z - b of {}", row.name), plain(*residual)]);
            }
            rows.push(vec!["G(z)".to_owned(), plain(other.gauss)]);
            rows.push(vec!["G(z) - G".to_owned(), plain(other.gauss_excess)]);
            rows.push(vec!["d^T M d".to_owned(), plain(other.deviation)]);
            section(out, &rows);
        }
        if let Some(work) = &self.work {
            let kept = if work.kept { "satisfies the constraints" } else { "violates the constraints" };
            let mut rows = vec![cells(["virtual work", kept])];
            let classes = [
                ("applied", work.applied),
                ("ideal", work.ideal),
                ("non-ideal", work.nonideal),
                ("control", work.control),
            ];
            rows.extend(classes.map(|(name, value)| vec![name.to_owned(), plain(value)]));
            for (name, delta) in &work.points {
                let list: Vec<String> = delta.iter().map(|v| plain(*v)).collect();
                rows.push(vec![format!("delta {name}"), format!("[{}]", list.join(", "))]);
            }
            section(out, &rows);
        }
        if let Some(values) = &self.energies {
            let unit = model.system.energies.unit.shown();
            let mut rows = vec![cells(["energy", "value"])];
            let list = values.list().into_iter();
            rows.extend(list.map(|(letter, v)| vec![letter.to_owned(), quantity(v, unit.as_deref())]));
            section(out, &rows);
            values.reasons.iter().for_each(|reason| out.push_str(&format!("# {reason}\n")));
        }
    }
}

fn text(model: &Model, now: &Evaluation) -> String {
    let mut out = String::new();
    let (system, s) = (&model.system, &now.solution);
    let valued =
        |name: &str, v: f64| vec![name.to_owned(), plain(v), system.unit_of_column(name).unwrap_or_default()];
    let mut rows = vec![cells(["state", "value"]), valued("t", now.state.t)];
    rows.extend(state_pairs(model, &now.state).into_iter().map(|(name, v)| valued(name, v)));
    rows.extend(model.workspace().input_values(&now.state).into_iter().map(|(name, v)| valued(&name, v)));
    table(&mut out, "", &rows);

    let controlled = !system.control.rows.is_empty();
    let explicit = model.explicit_terms(now);
    let prescribed = system.constraints.nonideal.is_some() || !system.contacts.is_empty();
    let headings = ["speed", "acceleration", "unconstrained", "Q with inertia terms", "ideal", "non-ideal"];
    let more = [("C", prescribed), ("control", controlled)];
    let more = more.into_iter().filter_map(|(name, there)| there.then_some(name));
    let mut rows = vec![cells(headings.into_iter().chain(more))];
    for (p, speed) in system.frame.speeds.iter().enumerate() {
        let values = [s.eta_dot[p], s.a_free[p], now.terms.Q[p], s.ideal_force[p], s.nonideal_force[p]];
        let values = values.into_iter().chain(prescribed.then(|| explicit.nonideal_term[p]));
        let values = values.chain(controlled.then_some(s.control_force[p])).map(plain);
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

    if !system.constraints.rows.is_empty() {
        let mut rows = vec![cells(["constraint row", "multiplier", "residual"])];
        for (r, row) in system.constraints.rows.iter().enumerate() {
            let multiplier = quantity(s.lambda[r], system.unit_of_multiplier(r).as_deref());
            rows.push(vec![row.name.clone(), multiplier, plain(now.residuals[r])]);
        }
        section(&mut out, &rows);
    }
    if !system.constraints.rows.is_empty() && !system.mixes_force_units() {
        let mut rows = vec![cells(["constraint", "reaction"])];
        let unit = system.unit_of_reaction();
        let size = |v: f64| quantity(v, unit.as_deref());
        rows.extend(reactions(model, now).into_iter().map(|(name, v)| vec![name.to_owned(), size(v)]));
        section(&mut out, &rows);
    }
    matrices(&mut out, model, now);
    if system.frame.speeds.len() <= MAX_SHOWN {
        explicit_matrices(&mut out, model, &explicit);
    }
    let mut rows = Vec::new();
    if !system.constraints.rows.is_empty() {
        rows.push(vec!["rank".to_owned(), format!("{} of {}", s.rank, system.constraints.rows.len())]);
        rows.push(vec!["gauss".to_owned(), plain(s.gauss)]);
    }
    let energy_unit = system.energies.unit.shown();
    rows.extend(now.energy.map(|e| vec!["energy".to_owned(), quantity(e, energy_unit.as_deref())]));
    let value = |name: &str, v: f64| quantity(v, system.unit_of_column(name).as_deref());
    rows.extend(outputs(model, now).into_iter().map(|(name, v)| vec![name.to_owned(), value(name, v)]));
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
        let speeds = system.frame.speeds.iter().map(|s| s.name.as_str());
        cells([first].into_iter().chain(speeds).chain(last))
    };
    let mut rows = vec![heading("mass", None)];
    for (p, speed) in system.frame.speeds.iter().enumerate() {
        let values = now.terms.mass_row(p).values.iter().map(|v| plain(*v));
        rows.push([speed.name.clone()].into_iter().chain(values).collect());
    }
    section(out, &rows);
    if !system.constraints.rows.is_empty() {
        let mut rows = vec![heading("constraint matrix", Some("right side"))];
        for (r, row) in system.constraints.rows.iter().enumerate() {
            let values = now.terms.row(r).values.iter().chain([&now.terms.b[r]]).map(|v| plain(*v));
            rows.push([row.name.clone()].into_iter().chain(values).collect());
        }
        section(out, &rows);
    }
}

/// B, e and K of the explicit equation, a row for each constraint (of the requirements where there are none), and a basis
/// of the virtual displacements.
fn explicit_matrices(out: &mut String, model: &Model, explicit: &ExplicitTerms) {
    let system = &model.system;
    let speeds = || system.frame.speeds.iter().map(|s| s.name.as_str());
    control_matrices(out, model, explicit);
    let names: Vec<&str> = match system.constraints.rows.is_empty() {
        true => system.control.rows.iter().map(|r| r.name.as_str()).collect(),
        false => system.constraints.rows.iter().map(|r| r.name.as_str()).collect(),
    };
    if names.is_empty() {
        return;
    }
    if let (Some(scaled), Some(e)) = (&explicit.constraint_scaled, &explicit.error_signal) {
        let mut rows = vec![cells(["B = A M^(-1/2)"].into_iter().chain(speeds()).chain(["error signal e"]))];
        for ((name, row), e) in names.iter().zip(scaled).zip(e) {
            rows.push(
                [(*name).to_owned()].into_iter().chain(row.iter().chain([e]).map(|v| plain(*v))).collect(),
            );
        }
        section(out, &rows);
    }
    if let Some(gain) = &explicit.gain {
        let mut rows = vec![cells(["gain K"].into_iter().chain(names.iter().copied()))];
        for (name, row) in speeds().zip(gain) {
            rows.push([name.to_owned()].into_iter().chain(row.iter().map(|v| plain(*v))).collect());
        }
        section(out, &rows);
    }
    if !system.constraints.rows.is_empty() && !explicit.virtual_displacements.is_empty() {
        let mut rows = vec![cells(["virtual displacement"].into_iter().chain(speeds()))];
        for (k, v) in explicit.virtual_displacements.iter().enumerate() {
            rows.push([format!("v{}", k + 1)].into_iter().chain(v.iter().map(|v| plain(*v))).collect());
        }
        section(out, &rows);
    }
}

/// A_c, b_c and e_c, a row for each requirement, and the gain of the inputs u = G e_c.
fn control_matrices(out: &mut String, model: &Model, explicit: &ExplicitTerms) {
    let system = &model.system;
    let Some(control) = &explicit.control else { return };
    let names = || system.control.rows.iter().map(|r| r.name.as_str());
    let speeds = system.frame.speeds.iter().map(|s| s.name.as_str());
    let last = ["right side", "error e_c"];
    let mut rows = vec![cells(["requirement matrix"].into_iter().chain(speeds).chain(last))];
    let numbers = explicit.requirement_matrix.iter().zip(&explicit.requirement_rhs).zip(&control.error);
    for (name, ((row, b), e)) in names().zip(numbers) {
        let values = row.iter().chain([b, e]).map(|v| plain(*v));
        rows.push([name.to_owned()].into_iter().chain(values).collect());
    }
    section(out, &rows);
    let mut rows = vec![cells(["control gain"].into_iter().chain(names()))];
    for (name, row) in input_names(model).into_iter().zip(&control.gain) {
        rows.push([name.to_owned()].into_iter().chain(row.iter().map(|v| plain(*v))).collect());
    }
    section(out, &rows);
}

/// The matrices of a large system: what is not there is zero.
fn by_entries(out: &mut String, model: &Model, now: &Evaluation) {
    let system = &model.system;
    let speed = |j: usize| system.frame.speeds[j].name.clone();
    let mut rows = vec![cells(["mass", "", "entry"])];
    for p in 0..system.frame.speeds.len() {
        rows.extend(now.terms.mass_row(p).entries().map(|(q, v)| vec![speed(p), speed(q), plain(v)]));
    }
    section(out, &rows);
    let mut rows = vec![cells(["constraint matrix", "", "entry"])];
    for (r, row) in system.constraints.rows.iter().enumerate() {
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
