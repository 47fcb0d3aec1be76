//! `dalembert linearize`: the linear system about a state, or eigenvalues over a range.

mod over;

use crate::args::LinearizeArgs;
use crate::failure::Failure;
use crate::files::{TableTarget, probe_all};
use crate::input::{Loaded, Remarks, load_for};
use crate::output::{print, print_json};
use crate::text_table::{cells, entry, plain, quantity, split_names, table};
use dalembert::Model;
use dalembert::diagnostic::{Code, Diagnostic};
use dalembert::linearize::{Linearization, Linearizer, OperatingPoint};
use dalembert_view::Plot;
use dalembert_view::documents::{Pole, linearization, state_pairs, well_determined};

const MARGIN: usize = 14;

pub fn run(args: &LinearizeArgs) -> Result<(), Failure> {
    let to_stdout = args.out.contains(&TableTarget::Standard);
    if to_stdout && args.common.json {
        let message = "`--json` and `--out -` both claim standard output";
        clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, format!("{message}\n")).exit();
    }
    let Loaded { source, model } = load_for(&args.common, Remarks::Warnings, &args.at)?;
    let independent = args.independent.as_deref().map(split_names).unwrap_or_default();
    if let Some(text) = &args.over {
        return over::over(args, &source, &model, text, independent);
    }
    let files: Vec<String> = args.bode.iter().chain(&args.poles).map(|p| p.path().to_owned()).collect();
    probe_all(&files, &args.common.model)?;
    let linear = one(args, &model, &independent).map_err(|d| Failure::of(*d, &source))?;
    draw(args, &model, &linear).map_err(|f| f.unwrap_or_else(|d| Failure::of(*d, &source)))?;
    if args.common.json {
        let mut document = linearization(&model, &linear, &source);
        document["files"] = serde_json::json!(files);
        return print_json(&document);
    }
    let mut words = text(&model, &linear);
    files.iter().for_each(|file| words.push_str(&format!("wrote {file}\n")));
    print(&words)
}

/// Bode and pole plots.
fn draw(
    args: &LinearizeArgs,
    model: &Model,
    linear: &Linearization,
) -> Result<(), Result<Failure, Box<Diagnostic>>> {
    let title = model.system.title.clone().unwrap_or_default();
    if !args.bode.is_empty() {
        if linear.inputs.is_empty() || linear.outputs.is_empty() {
            let what = if linear.inputs.is_empty() { "input" } else { "output" };
            let message = format!("the model has no {what}: there is no response to draw");
            let d = Diagnostic::error(Code::BadOption, None, message);
            return Err(Err(Box::new(d.help("declare `input u = 0` and `output y = x`"))));
        }
        let table = linear.bode_table();
        let plot = Plot::of_bode(&title, &table);
        args.bode.iter().try_for_each(|target| target.write(&plot, &[])).map_err(Ok)?;
    }
    let table = linear.pole_table();
    let plot = Plot::of_poles(&title, &table);
    args.poles.iter().try_for_each(|target| target.write(&plot, &[])).map_err(Ok)
}

fn one(
    args: &LinearizeArgs,
    model: &Model,
    independent: &[String],
) -> Result<Linearization, Box<Diagnostic>> {
    let mut work = model.workspace();
    let linearizer = Linearizer::new(&mut work, independent)?;
    let state = work.operating_point(&args.at)?;
    let state = if args.settle { linearizer.settle(&mut work, &state)? } else { state };
    linearizer.at(&mut work, &state)
}

fn text(model: &Model, linear: &Linearization) -> String {
    let mut out = String::new();
    let state: Vec<String> = state_pairs(model, &linear.state)
        .into_iter()
        .map(|(name, v)| format!("{name} = {}", quantity(v, model.system.unit_of_column(name).as_deref())))
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
    for (label, rows, columns, values) in [
        ("input matrix", &linear.states, &linear.inputs, &linear.input_matrix),
        ("output matrix", &linear.outputs, &linear.states, &linear.output_matrix),
        ("feedthrough", &linear.outputs, &linear.inputs, &linear.feedthrough),
    ] {
        if !rows.is_empty() && !columns.is_empty() {
            out.push_str(&format!("\n{label}\n"));
            oblong(&mut out, rows, columns, values);
        }
    }
    poles(&mut out, linear);
    modes(&mut out, linear);
    out
}

/// Frequency, damping and time constant of each eigenvalue, of a pair once.
fn poles(out: &mut String, linear: &Linearization) {
    out.push_str("\npoles\n");
    let heads = ["eigenvalue", "frequency [Hz]", "damped [Hz]", "damping ratio", "time constant [s]"];
    let mut rows = vec![cells(heads)];
    for v in linear.eigen.values.iter().filter(|v| v.im >= 0.0) {
        let pole = Pole::of(*v);
        let or_dash = |value: Option<f64>| value.map_or("-".to_owned(), plain);
        let pair = if v.im == 0.0 { plain(v.re) } else { format!("{} ± {}i", plain(v.re), plain(v.im)) };
        let numbers = [plain(pole.frequency), plain(pole.damped_frequency)];
        let rest = [or_dash(pole.damping_ratio), or_dash(pole.time_constant)];
        rows.push([pair].into_iter().chain(numbers).chain(rest).collect());
    }
    table(out, "  ", &rows);
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
        OperatingPoint::Equilibrium => format!("an equilibrium{instant}"),
        OperatingPoint::Steady { moving } => {
            format!("a steady motion: {}{instant}", moving.iter().map(rate).collect::<Vec<_>>().join(", "))
        }
        OperatingPoint::Neither { driven: true, .. } => {
            "no equilibrium: time occurs in the equations and changes it later; the linear system is that of this instant"
                .to_owned()
        }
        OperatingPoint::Neither { changing, .. } => format!(
            "no equilibrium and no steady motion: {}; the linear system is that of this instant",
            changing.iter().map(rate).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// Eigenvalues and the verdict.
pub fn summary(out: &mut String, linear: &Linearization) {
    eigenvalues(out, linear);
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

/// One line an eigenvalue or pair: oscillations with frequency |lambda|/(2 pi) and damping ratio -Re/|lambda|, others
/// with the time in which they change by a factor e.
fn eigenvalues(out: &mut String, linear: &Linearization) {
    let mut rows = Vec::new();
    for v in linear.eigen.values.iter().filter(|v| v.im >= 0.0) {
        let size = v.re.hypot(v.im);
        let (value, means) = match v.im {
            0.0 if v.re == 0.0 => ("0".to_owned(), String::new()),
            0.0 if v.re < 0.0 => (plain(v.re), format!("decays, time constant {} s", plain(-1.0 / v.re))),
            0.0 => (plain(v.re), format!("grows, time constant {} s", plain(1.0 / v.re))),
            im => {
                let (hertz, damping) = (size / std::f64::consts::TAU, -v.re / size + 0.0);
                let words = format!("{} Hz, damping ratio {}", plain(hertz), plain(damping));
                (format!("{} ± {}i", plain(v.re), plain(im)), words)
            }
        };
        let label = if rows.is_empty() { "eigenvalues" } else { "" };
        rows.push(vec![format!("{label:<width$}{value}", width = MARGIN), means]);
    }
    if rows.is_empty() {
        return entry(out, "eigenvalues", MARGIN, &["none".to_owned()]);
    }
    table(out, "", &rows);
}

fn matrix(out: &mut String, names: &[String], values: &[f64]) {
    oblong(out, names, names, values);
}

fn oblong(out: &mut String, names: &[String], columns: &[String], values: &[f64]) {
    let n = columns.len();
    let mut rows = vec![cells([""].into_iter().chain(columns.iter().map(String::as_str)))];
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
