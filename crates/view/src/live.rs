//! A page that computes by itself: the tapes of a model as WebAssembly, with sliders for parameters and starting values.
//!
//! The page holds the terms of K1-K4, residuals (K6), conserved functions of the kinematics, starting values and what is
//! drawn as functions of one module; `assets/player/live.js` has the linear algebra of U1 and the steps in time. It
//! agrees with [`simulate`](Workspace::simulate) to about 1e-10 over times in which errors do not grow: products
//! with sums are rounded twice, and sines are those of the browser.
//!
//! Left out, with a message: friction, requirements, events that change or end a run, variables with rates of their own, forces that read
//! multipliers, singular masses. Checked by `tests/it/live.rs` of the command line, in Node and in Chromium.

use crate::animation::{FrameLayout, base64, energies, shape, unit_of};
use crate::markup::escaped;
use crate::player::{MODULES, PAGE_STYLE, PLAYER_STYLE, WATCH, inlined};
use crate::scene::Scene;
use dalembert::system::InitialTarget;
use dalembert::{Motion, Workspace};
use dalembert_expr::Expr;
use dalembert_run::{Dynamics, Level};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::units::UnitInfo;
use dalembert_tape::{Lookup, Operand, Program, wasm};
use serde_json::{Value, json};

/// Operations of all tapes that a page takes at most: a few hundred kilobytes.
const MAX_OPERATIONS: usize = 20_000;
/// Points of tables that a page takes at most: a few megabytes.
const MAX_POINTS: usize = 20_000;
/// Frames that a page computes at most.
const MAX_FRAMES: usize = 1001;
/// Speeds up to which a browser follows a slider.
const MAX_SPEEDS: usize = 24;

const LIVE: &str = include_str!("../assets/player/live.js");
const LIVE_STYLE: &str = include_str!("../assets/player/live.css");

/// As for pages that play; compiling the module is allowed, loading anything is not.
const POLICY: &str =
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'";

/// `#t=1.5&l1=0.7` at the end of the address shows that instant with a slider moved.
const START: &str = "const spec = JSON.parse(document.getElementById('model').textContent);
const fail = (text) => { document.getElementById('said').textContent = text; };
const asked = new URLSearchParams(location.hash.slice(1));
let player = null;
Model.of(spec).then((model) => {
  globalThis.dalembert = model;
  sliders(document.getElementById('sliders'), model, asked, (film) => {
    globalThis.film = film;
    if (player) player.replace(film);
    else player = mount(document.getElementById('player'), film, { keys: document.body, ...(asked.has('t') ? { time: Number(asked.get('t')) } : {}) });
    mark.computed = Number(mark.computed ?? 0) + 1;
    mark.last = film.states.at(-1).join(' ');
  }, fail);
  mark.wide = document.documentElement.scrollWidth > innerWidth;
}, (error) => fail(`this browser cannot run the model: ${error.message}`));";

/// A model as a page that computes its motion anew when a slider is moved. `motion` gives the times of its frames.
///
/// # Errors
///
/// Where the model has something that the page cannot compute, or is too large.
pub fn live_page(model: &mut Workspace, motion: &Motion) -> Result<String, Box<Diagnostic>> {
    let spec = spec(model, motion)?.to_string().replace('<', "\\u003c");
    let name = model.system.title.clone().filter(|title| !title.is_empty());
    let title = escaped(name.as_deref().unwrap_or("Motion"));
    let modules: String = MODULES.iter().chain([&LIVE]).map(|text| inlined(text)).collect();
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{title}</title>\n<style>\n{PAGE_STYLE}{PLAYER_STYLE}{LIVE_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
         <main>\n<script>{WATCH}</script>\n<form id=\"sliders\" aria-label=\"parameters and start\"></form>\n\
         <p id=\"said\" role=\"status\"></p>\n<div id=\"player\"></div>\n</main>\n\
         <script type=\"application/json\" id=\"model\">{spec}</script>\n\
         <script type=\"module\">\n{modules}{START}\n</script>\n</body>\n</html>\n"
    ))
}

/// What `live.js` reads.
fn spec(model: &mut Workspace, motion: &Motion) -> Result<Value, Box<Diagnostic>> {
    refuse(model)?;
    let scene = Scene::new(model);
    let dimension = scene.dimension();
    let layout = FrameLayout::new(&scene, dimension);
    let energies = energies(model);
    let mut inputs = vec![model.form.time];
    inputs.extend(&model.form.coordinates);
    inputs.extend(&model.form.speeds);
    inputs.extend(&model.form.parameters);
    let drawn: Vec<Expr> = layout.values.iter().copied().chain(energies.iter().map(|(_, e)| *e)).collect();
    let defined: Vec<Expr> = model.system.parameters.iter().map(|p| p.value).collect();
    let initial: Vec<Expr> = model.system.experiment.initial.iter().map(|i| i.value).collect();
    let invariants = model.form.invariants.clone();
    let mut programs: Vec<(&str, Program)> = Vec::new();
    for (name, outputs) in
        [("frame", drawn), ("parameters", defined), ("initial", initial), ("invariants", invariants)]
    {
        programs.push((name, model.system.pool.lower(&inputs, &outputs)));
    }
    let values = model.compiled.parameters().to_vec();
    let initial_values = at_parameters(model, &programs[2].1, &values);
    // What is defined by other parameters follows them.
    let alone = at_parameters(model, &programs[1].1, &vec![f64::NAN; values.len()]);
    let tapes = model.compiled.tapes();
    programs.push(("terms", tapes.terms.0.clone()));
    programs.push(("residuals", tapes.residuals.0.clone()));
    programs.extend(tapes.nonideal.map(|program| ("nonideal", program.clone())));
    let operations: usize = programs.iter().map(|(_, program)| program.counts().total()).sum();
    if operations > MAX_OPERATIONS || model.form.speeds.len() > MAX_SPEEDS {
        let n = model.form.speeds.len();
        let message =
            format!("this model, with {n} speeds and {operations} operations, is too large for a live page");
        let help = "leave out `--live`: the page then plays the motion that is computed here";
        return Err(Box::new(Diagnostic::error(Code::TooLarge, None, message).help(help)));
    }
    let room = programs.iter().map(|(_, p)| p.input_count()).max().unwrap_or(0).max(inputs.len());
    let most = programs.iter().map(|(_, p)| p.output_count()).max().unwrap_or(0);
    let functions: Vec<(&str, &Program)> = programs.iter().map(|(name, p)| (*name, p)).collect();
    let module = wasm::module(&functions, room + most);
    let outputs: serde_json::Map<String, Value> =
        programs.iter().map(|(name, p)| ((*name).to_owned(), json!(p.output_count()))).collect();
    let times: Vec<f64> = motion.table.rows().map(|row| row[0]).collect();
    let (t0, t1) = (times.first().copied().unwrap_or(0.0), times.last().copied().unwrap_or(0.0));
    // The page compares its motion with this one before it shows it.
    let last = motion.table.rows().last().map(|row| model.system.state_of_row(row));
    let last = last.map_or(Vec::new(), |state| [state.x, state.eta].concat());
    let holonomic: Vec<bool> =
        model.compiled.levels().iter().map(|level| *level == Level::Position).collect();
    let shapes: Vec<Value> = layout.shapes.iter().map(shape).collect();
    let remark = "computed in this page when a slider moves; the last digits are those of the browser";
    let lookups = lookups(&programs)?;
    Ok(json!({
        "lookups": lookups,
        "module": base64(module.into_iter()),
        "inputs": room,
        "outputs": outputs,
        "places": { "terms": tapes.terms.1, "residuals": tapes.residuals.1 },
        "nx": model.form.coordinates.len(),
        "n": model.form.speeds.len(),
        "m": model.system.constraints.rows.len(),
        "holonomic": holonomic,
        "invariants": !model.form.invariants.is_empty(),
        "nonideal": tapes.nonideal.is_some(),
        "t0": t0, "t1": t1, "last": last,
        "frames": times.len().clamp(2, MAX_FRAMES),
        "parameters": parameters(model, &alone),
        "initial": starts(model, &initial_values),
        "film": {
            "format": 2, "title": model.system.title, "dimension": dimension,
            "unit": unit_of(&scene, &model.system), "energyUnit": model.system.unit_of_energy(), "width": layout.values.len(), "shapes": shapes,
            "energies": energies.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            "remarks": scene.remarks.iter().map(String::as_str).chain([remark]).collect::<Vec<_>>(),
        },
    }))
}

/// What the programs look up: knots, and columns with the numbers that they are known by.
fn lookups(programs: &[(&str, Program)]) -> Result<Vec<Value>, Box<Diagnostic>> {
    let mut found: Vec<&Lookup> = Vec::new();
    for lookup in programs.iter().flat_map(|(_, program)| program.lookups()) {
        if !found.iter().any(|known| known.column(0) == lookup.column(0)) {
            found.push(lookup);
        }
    }
    let points: usize = found.iter().map(|lookup| lookup.knots.len()).sum();
    if points > MAX_POINTS {
        let message = format!("tables with {points} points are too large for a live page");
        let help = "leave out `--live`: the page then plays the motion that is computed here";
        return Err(Box::new(Diagnostic::error(Code::TooLarge, None, message).help(help)));
    }
    let one = |lookup: &&Lookup| {
        let columns: Vec<Value> =
            lookup.columns.iter().enumerate().map(|(k, values)| json!([lookup.column(k), values])).collect();
        json!({ "knots": lookup.knots, "columns": columns })
    };
    Ok(found.iter().map(one).collect())
}

/// The values of a program that reads parameters only.
fn at_parameters(model: &Workspace, program: &Program, parameters: &[f64]) -> Vec<f64> {
    let state = 1 + model.form.coordinates.len() + model.form.speeds.len();
    let inputs = [vec![0.0; state], parameters.to_vec()].concat();
    let mut registers = vec![0.0; program.register_count()];
    let mut values = vec![0.0; program.output_count()];
    program.run(&inputs, &mut registers, &mut values);
    values
}

fn parameters(model: &Workspace, alone: &[f64]) -> Vec<Value> {
    let parameters = model.system.parameters.iter().zip(model.compiled.parameters()).zip(alone);
    let one = |((p, value), alone): ((&dalembert::system::Parameter, &f64), &f64)| {
        let free = alone.is_finite();
        json!({ "name": p.name, "value": value, "unit": p.file_unit(), "size": p.unit_size, "free": free })
    };
    parameters.map(one).collect()
}

fn starts(model: &Workspace, values: &[f64]) -> Vec<Value> {
    let system = &model.system;
    let shown = |kind: &UnitInfo| kind.shown();
    let one = |(initial, value): (&dalembert::system::Initial, &f64)| {
        let (kind, index, name, unit) = match initial.target {
            InitialTarget::Coordinate(i) => {
                (0, i, system.frame.coordinates[i].name.clone(), shown(&system.frame.coordinates[i].kind))
            }
            InitialTarget::Speed(p) => {
                (1, p, system.frame.speeds[p].name.clone(), shown(&system.frame.speeds[p].kind))
            }
            InitialTarget::Rate(i) => (2, i, format!("{}'", system.frame.coordinates[i].name), None),
        };
        json!({ "kind": kind, "index": index, "name": name, "unit": unit, "fixed": initial.fixed, "value": value })
    };
    system.experiment.initial.iter().zip(values).map(one).collect()
}

/// Whether prescribed work depends on more than the state.
fn reads_multipliers(model: &Workspace) -> bool {
    let known = 1 + model.form.coordinates.len() + model.form.speeds.len() + model.form.parameters.len();
    model.compiled.tapes().nonideal.is_some_and(|program| {
        let listing = program.listing();
        let read = listing.statements.iter().flat_map(|s| &s.operands).chain(&listing.outputs);
        read.into_iter().any(|operand| matches!(operand, Operand::Input(i) if *i >= known))
    })
}

/// What the page cannot compute.
fn refuse(model: &Workspace) -> Result<(), Box<Diagnostic>> {
    let system = &model.system;
    let positions = system.positions();
    let found = if let Some(contact) = system.contacts.first() {
        Some((Some(contact.span), format!("`friction` on `{}`", contact.name)))
    } else if let Some(row) = system.control.rows.first() {
        Some((Some(row.span), format!("the requirement `{}`", row.name)))
    } else if let Some(event) = system.experiment.events.iter().find(|e| e.stop || !e.actions.is_empty()) {
        Some((Some(event.span), format!("the event `{}`", event.name)))
    } else if let Some(variable) = system.frame.coordinates.get(positions) {
        Some((Some(variable.span), format!("`{}`, which has a rate of its own,", variable.name)))
    } else if reads_multipliers(model) {
        Some((
            system.constraints.nonideal_span,
            "prescribed work that reads multipliers or reactions".to_owned(),
        ))
    } else if !model.compiled.tapes().has_mass || model.compiled.sparsity().is_some() {
        Some((None, "a system of this size".to_owned()))
    } else {
        None
    };
    let Some((span, what)) = found else { return Ok(()) };
    let message = format!("{what} cannot be computed in a page");
    let help = "leave out `--live`: the page then plays the motion that is computed here";
    Err(Box::new(Diagnostic::error(Code::NotApplicable, span, message).help(help)))
}
