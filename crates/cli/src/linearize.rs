//! `dalembert linearize`: the linear system about a state, or eigenvalues over a range.

use crate::args::LinearizeArgs;
use crate::check::state_pairs;
use crate::files::{TableTarget, probe};
use crate::input::{Loaded, Remarks, load, read};
use crate::report::{Failure, complain, nested, object, print, print_json};
use crate::simulate::split_names;
use crate::words::{cells, entry, plain, table};
use dalembert::diagnostic;
use dalembert::export::Plot;
use dalembert::linearize::{Kind, Linearization, Linearizer, Over, Range, Sweep};
use dalembert::{Model, Overrides, Source};
use serde_json::{Value, json};

const MARGIN: usize = 14;
/// Real parts below this are taken for zero when crossings are told.
const ON_AXIS: f64 = 1e-7;

pub fn run(args: &LinearizeArgs) -> Result<(), Failure> {
    let to_stdout = args.out.contains(&TableTarget::Standard);
    if to_stdout && args.common.json {
        let message = "`--json` and `--out -` both claim standard output";
        clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, format!("{message}\n")).exit();
    }
    let Loaded { source, mut model } = load(&args.common, Remarks::Warnings)?;
    let independent = args.independent.as_deref().map(split_names).unwrap_or_default();
    if let Some(text) = &args.over {
        return over(args, &source, &mut model, text, independent);
    }
    let linear = one(args, &mut model, &independent).map_err(|d| Failure::of(*d, &source))?;
    if args.common.json {
        return print_json(&document(&model, &linear, &source));
    }
    print(&text(&model, &linear))
}

fn one(
    args: &LinearizeArgs,
    model: &mut Model,
    independent: &[String],
) -> Result<Linearization, Box<diagnostic::Diagnostic>> {
    let linearizer = Linearizer::new(model, independent)?;
    let state = model.operating_point(&args.at)?;
    let state = if args.settle { linearizer.settle(model, &state)? } else { state };
    linearizer.at(model, &state)
}

/// What the operating point is, in a word.
pub fn kind(linear: &Linearization) -> &'static str {
    match linear.kind {
        Kind::Equilibrium => "equilibrium",
        Kind::Steady { .. } => "steady motion",
        Kind::Neither { .. } => "instantaneous",
    }
}

/// The part of a JSON document that is about the linear system.
pub fn fields(linear: &Linearization) -> Value {
    let d = linear.dimension();
    let name = |i: &usize| json!(linear.states[*i]);
    let e = &linear.eigen;
    let modes: Vec<Value> = (0..d)
        .map(|k| {
            let parts: Vec<Value> = e.vectors[k].iter().map(|c| json!([c.re, c.im])).collect();
            json!({
                "eigenvalue": [e.values[k].re, e.values[k].im],
                "vector": parts,
                "condition": e.condition[k],
                "residual": e.residual[k],
                "well_determined": well_determined(linear, k),
            })
        })
        .collect();
    let (changing, driven) = match &linear.kind {
        Kind::Neither { changing, driven } => {
            let pairs = changing.iter().map(|i| (linear.states[*i].as_str(), linear.rates[*i]));
            (object(pairs), *driven)
        }
        _ => (json!({}), false),
    };
    let split = linear.split.as_ref();
    let part = |pick: fn(&dalembert::linearize::Split) -> &Vec<f64>| {
        split.map_or(Value::Null, |s| nested(pick(s), s.coordinates.len()))
    };
    json!({
        "states": linear.states,
        "independent_coordinates": linear.states[..linear.positions],
        "independent_speeds": linear.states[linear.positions..],
        "rates": linear.rates,
        "state_matrix": nested(&linear.state_matrix, d),
        "eigenvalues": e.values.iter().map(|v| json!([v.re, v.im])).collect::<Vec<_>>(),
        "modes": modes,
        "split_coordinates": split.map_or(Value::Null, |s| json!(s.coordinates)),
        "mass": part(|s| &s.mass),
        "damping": part(|s| &s.damping),
        "stiffness": part(|s| &s.stiffness),
        "split_reason": split.err(),
        "kind": kind(linear),
        "equilibrium": linear.kind == Kind::Equilibrium,
        "steady": matches!(linear.kind, Kind::Equilibrium | Kind::Steady { .. }),
        "changing": changing,
        "driven": driven,
        "time_dependent": linear.time_dependent,
        "matrix_time_dependent": linear.matrix_time_dependent,
        "ignorable": linear.ignorable.iter().map(name).collect::<Vec<_>>(),
        "stability": linear.stability.as_ref().map(|s| s.verdict.name()),
        "stability_reason": linear.stability.as_ref().map(|s| s.reason.as_str()),
        "stability_states": linear.stability.as_ref().map(|s| s.states.iter().map(name).collect::<Vec<_>>()),
    })
}

/// Whether a mode is more than rounding: its vector solves the equation and does not coincide with another.
fn well_determined(linear: &Linearization, k: usize) -> bool {
    linear.eigen.residual[k] < 1e-10 && linear.eigen.condition[k] < 1e7
}

fn document(model: &Model, linear: &Linearization, source: &Source) -> Value {
    let mut out = json!({ "state": object(state_pairs(model, &linear.state)), "t": linear.state.t });
    let all = fields(linear);
    for (key, value) in all.as_object().into_iter().flatten() {
        out[key] = value.clone();
    }
    out["diagnostics"] = diagnostic::json(&model.diagnostics, source);
    out
}

fn text(model: &Model, linear: &Linearization) -> String {
    let mut out = String::new();
    let state: Vec<String> = state_pairs(model, &linear.state)
        .into_iter()
        .map(|(name, v)| format!("{name} = {}", plain(v)))
        .collect();
    entry(&mut out, "about", MARGIN, &state);
    entry(&mut out, "which is", MARGIN, &[described(linear)]);
    summary(&mut out, linear);
    out.push_str("\nstate matrix\n");
    matrix(&mut out, &linear.states, &linear.state_matrix);
    match &linear.split {
        Ok(split) => {
            for (label, values) in
                [("mass", &split.mass), ("damping", &split.damping), ("stiffness", &split.stiffness)]
            {
                out.push_str(&format!("\n{label}\n"));
                matrix(&mut out, &split.coordinates, values);
            }
        }
        Err(reason) => out.push_str(&format!("\nno mass, damping and stiffness: {reason}\n")),
    }
    modes(&mut out, linear);
    out
}

/// The operating point in a sentence.
pub fn described(linear: &Linearization) -> String {
    let rate = |i: &usize| format!("{}' = {}", linear.states[*i], plain(linear.rates[*i]));
    match &linear.kind {
        Kind::Equilibrium => "an equilibrium".to_owned(),
        Kind::Steady { moving } => {
            format!("a steady motion: {}", moving.iter().map(rate).collect::<Vec<_>>().join(", "))
        }
        Kind::Neither { driven: true, .. } => {
            "no equilibrium: time occurs in the equations and changes it later; the linear system is that of this instant"
                .to_owned()
        }
        Kind::Neither { changing, .. } => format!(
            "no equilibrium and no steady motion: {}; the linear system is that of this instant",
            changing.iter().map(rate).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// Eigenvalues and the verdict.
pub fn summary(out: &mut String, linear: &Linearization) {
    let values: Vec<String> = linear.eigen.values.iter().map(|v| complex(v.re, v.im)).collect();
    entry(out, "eigenvalues", MARGIN, &values);
    if let Some(stability) = &linear.stability {
        let mut words = vec![format!("{}: {}", stability.verdict.name(), stability.reason)];
        if !linear.ignorable.is_empty() {
            let names: Vec<&str> = stability.states.iter().map(|i| linear.states[*i].as_str()).collect();
            words[0].push_str(&format!("; in {}", names.join(", ")));
        }
        entry(out, "stability", MARGIN, &words);
    }
    if !linear.ignorable.is_empty() {
        let names: Vec<String> = linear.ignorable.iter().map(|i| linear.states[*i].clone()).collect();
        entry(out, "ignorable", MARGIN, &names);
    }
}

fn complex(re: f64, im: f64) -> String {
    match im {
        0.0 => plain(re),
        im if im < 0.0 => format!("{} - {}i", plain(re), plain(-im)),
        im => format!("{} + {}i", plain(re), plain(im)),
    }
}

fn matrix(out: &mut String, names: &[String], values: &[f64]) {
    let n = names.len();
    let mut rows = vec![cells([""].into_iter().chain(names.iter().map(String::as_str)))];
    for (name, row) in names.iter().zip(values.chunks(n.max(1))) {
        rows.push([name.clone()].into_iter().chain(row.iter().map(|v| plain(*v))).collect());
    }
    table(out, "  ", &rows);
}

fn modes(out: &mut String, linear: &Linearization) {
    out.push_str("\nmodes\n");
    let mut rows = vec![cells(["eigenvalue"].into_iter().chain(linear.states.iter().map(String::as_str)))];
    let short = |v: f64| if v.abs() < 5e-5 { "0".to_owned() } else { format!("{v:.4}") };
    for (k, v) in linear.eigen.values.iter().enumerate().filter(|(_, v)| v.im >= 0.0) {
        let mut row = vec![match v.im {
            0.0 => short(v.re),
            im => format!("{} ± {}i", short(v.re), short(im)),
        }];
        match well_determined(linear, k) {
            false => row.push("not determined: the eigenvalue is repeated".to_owned()),
            true => row.extend(linear.eigen.vectors[k].iter().map(|c| match c.im.abs() < 5e-5 {
                true => short(c.re),
                false => format!("{}{:+.4}i", short(c.re), c.im),
            })),
        }
        rows.push(row);
    }
    table(out, "  ", &rows);
}

fn over(
    args: &LinearizeArgs,
    source: &Source,
    model: &mut Model,
    text: &str,
    independent: Vec<String>,
) -> Result<(), Failure> {
    let paths = args.out.iter().filter_map(TableTarget::path).chain(args.plot.iter().map(|p| p.path()));
    let files: Vec<String> = paths.map(str::to_owned).collect();
    files.iter().try_for_each(|path| probe(path))?;
    let range = Range::read(text).map_err(|d| Failure::of(*d, source))?;
    let unit = unit_of(args, model, &range)?;
    let request = Over { at: args.at.clone(), independent, settle: args.settle, unit };
    let sweep = model.eigenvalues_over(&range, &request).map_err(|d| Failure::of(*d, source))?;
    let title = model.system.title.clone().unwrap_or_default();
    for target in &args.out {
        match target.write(&sweep.table, &title) {
            Err(Failure::ReaderGone) if !files.is_empty() => {}
            other => other?,
        }
    }
    let plot = Plot::of_eigenvalues(&title, &sweep.table);
    let facts = facts(&range, &sweep);
    args.plot.iter().try_for_each(|target| target.write(&plot, &facts))?;
    if args.common.json {
        return print_json(&sweep_document(&range, &sweep, &files));
    }
    if args.common.quiet {
        return Ok(());
    }
    let mut words = String::new();
    facts.iter().for_each(|(name, value)| entry(&mut words, name, MARGIN, std::slice::from_ref(value)));
    files.iter().for_each(|file| words.push_str(&format!("wrote {file}\n")));
    if args.out.contains(&TableTarget::Standard) {
        complain(&words);
        return Ok(());
    }
    print(&words)
}

/// What 1 in the unit of the file is in SI, for a parameter that is swept.
fn unit_of(args: &LinearizeArgs, model: &Model, range: &Range) -> Result<f64, Failure> {
    let Some(k) = model.system.parameters.iter().position(|p| p.name == range.name) else { return Ok(1.0) };
    if args.common.model == "-" {
        return Ok(1.0); // the text is gone; a model from standard input is taken to be in SI
    }
    let source = read(&args.common.model)?;
    let mut overrides = Overrides { set: args.common.set.clone(), initial: args.common.initial.clone() };
    overrides.set.push((range.name.clone(), "1".to_owned()));
    let unit = Model::load(&source, &overrides).ok().map(|m| m.compiled.parameters()[k]);
    Ok(unit.filter(|u| u.is_finite() && *u != 0.0).unwrap_or(1.0))
}

fn facts(range: &Range, sweep: &Sweep) -> Vec<(String, String)> {
    let pair = |name: &str, value: String| (name.to_owned(), value);
    let mut out = vec![
        pair(
            "over",
            format!(
                "{} from {} to {}, {} points",
                range.name,
                plain(range.low),
                plain(range.high),
                range.count
            ),
        ),
        pair("states", sweep.states.join(", ")),
    ];
    for (value, positive) in crossings(sweep) {
        let word = if positive { "becomes positive" } else { "ceases to be positive" };
        out.push(pair("crossing", format!("a real part {word} at {} = {value:.6}", range.name)));
    }
    if sweep.unsteady > 0 {
        out.push(pair(
            "note",
            format!("{} operating points are neither equilibria nor steady motions", sweep.unsteady),
        ));
    }
    if let Some((value, reason)) = sweep.gaps.first() {
        out.push(pair("gaps", format!("{}, the first at {}: {reason}", sweep.gaps.len(), plain(*value))));
    }
    out
}

/// Where real parts become positive or cease to be: between points by a straight line, or the last point on the axis.
fn crossings(sweep: &Sweep) -> Vec<(f64, bool)> {
    let rows: Vec<&[f64]> = sweep.table.rows().collect();
    let branches = (sweep.table.columns.len() - 1) / 2;
    let positive = |v: f64| v > ON_AXIS;
    let mut out: Vec<(f64, bool)> = Vec::new();
    for pair in rows.windows(2) {
        for k in 0..branches {
            let (a, b) = (pair[0][1 + 2 * k], pair[1][1 + 2 * k]);
            if a.is_nan() || b.is_nan() || positive(a) == positive(b) {
                continue;
            }
            let through = a.abs() > ON_AXIS && b.abs() > ON_AXIS;
            let at = match through {
                true => pair[0][0] + (pair[1][0] - pair[0][0]) * a / (a - b),
                false if positive(b) => pair[0][0],
                false => pair[1][0],
            };
            let same = |(v, up): &(f64, bool)| (v - at).abs() < 1e-9 * (1.0 + at.abs()) && *up == positive(b);
            if !out.iter().any(same) {
                out.push((at, positive(b)));
            }
        }
    }
    out
}

fn sweep_document(range: &Range, sweep: &Sweep, files: &[String]) -> Value {
    let rows: Vec<Value> = sweep
        .table
        .rows()
        .map(|row| {
            let pairs: Vec<Value> = row[1..].chunks(2).map(|p| json!([p[0], p[1]])).collect();
            json!({ "value": row[0], "eigenvalues": pairs })
        })
        .collect();
    json!({
        "over": range.name,
        "points": rows,
        "states": sweep.states,
        "crossings": crossings(sweep).iter().map(|(v, up)| json!({ "value": v, "to_positive": up })).collect::<Vec<_>>(),
        "unsteady": sweep.unsteady,
        "gaps": sweep.gaps.iter().map(|(v, why)| json!({ "value": v, "reason": why })).collect::<Vec<_>>(),
        "files": files,
    })
}
