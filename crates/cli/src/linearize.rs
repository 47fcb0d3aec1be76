//! `dalembert linearize`: the linear system about a state, or eigenvalues over a range.

mod over;

use crate::args::LinearizeArgs;
use crate::check::state_pairs;
use crate::files::TableTarget;
use crate::input::{Loaded, Remarks, load};
use crate::report::{Failure, nested, object, print, print_json};
use crate::simulate::split_names;
use crate::words::{cells, entry, plain, table};
use dalembert::diagnostic;
use dalembert::linearize::{Kind, Linearization, Linearizer};
use dalembert::{Model, Source};
use serde_json::{Value, json};

const MARGIN: usize = 14;

pub fn run(args: &LinearizeArgs) -> Result<(), Failure> {
    let to_stdout = args.out.contains(&TableTarget::Standard);
    if to_stdout && args.common.json {
        let message = "`--json` and `--out -` both claim standard output";
        clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, format!("{message}\n")).exit();
    }
    let Loaded { source, mut model } = load(&args.common, Remarks::Warnings)?;
    let independent = args.independent.as_deref().map(split_names).unwrap_or_default();
    if let Some(text) = &args.over {
        return over::over(args, &source, &mut model, text, independent);
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
    let instant = match linear.matrix_time_dependent {
        true => {
            format!("; the linear system changes with the time and is that of t = {}", plain(linear.state.t))
        }
        false => String::new(),
    };
    match &linear.kind {
        Kind::Equilibrium => format!("an equilibrium{instant}"),
        Kind::Steady { moving } => {
            format!("a steady motion: {}{instant}", moving.iter().map(rate).collect::<Vec<_>>().join(", "))
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
