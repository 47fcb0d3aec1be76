//! `dalembert connect`: the motion between two configurations.

use crate::args::ConnectArgs;
use crate::failure::Failure;
use crate::files::{About, TableTarget, probe_all};
use crate::input::{Loaded, Remarks, load};
use crate::output::{complain, print, print_json, show};
use crate::text_table::{plain, quantity, table};
use dalembert::connect::Connected;
use dalembert::diagnostic;
use dalembert::run::Connection;
use dalembert::{Model, Request};
use dalembert_view::Animation;
use dalembert_view::Plot;
use dalembert_view::documents;
use serde_json::json;

pub fn run(args: &ConnectArgs) -> Result<(), Failure> {
    let to_stdout = args.out.contains(&TableTarget::Standard);
    if to_stdout && args.common.json {
        let message = "`--json` and `--out -` both claim standard output";
        clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, format!("{message}\n")).exit();
    }
    let Loaded { source, model } = load(&args.common, Remarks::Warnings)?;
    let paths = args.out.iter().filter_map(TableTarget::path).chain(args.plot.iter().map(|p| p.path()));
    let paths = paths.chain(args.animate.iter().map(|a| a.path()));
    let files: Vec<String> = paths.map(str::to_owned).collect();
    probe_all(&files, &args.common.model)?;
    args.animate.iter().try_for_each(|target| target.check())?;
    let forces = !args.animate.is_empty();
    let request = Request { until: args.until, every: args.every, forces, ..Request::default() };
    let found = match args.energy {
        Some(energy) => model.connect_at_energy(&args.to, &args.via, energy, &request),
        None => model.connect(&args.to, &args.via, &request),
    };
    let found = found.map_err(|d| Failure::of(*d, &source))?;
    let facts = facts(&model, &found);
    write(args, &model, &found, &facts)?;
    if !args.animate.is_empty() {
        let film = Animation::new(&model, &found.motion).map_err(|d| Failure::of(*d, &source))?;
        args.animate.iter().try_for_each(|target| target.write(&film, !args.common.quiet))?;
    }
    if args.common.json {
        let mut document = documents::connection(&model, &found);
        let all: Vec<_> = {
            let run = found.motion.warnings.iter().chain(&found.motion.failure);
            model.diagnostics.iter().chain(run).cloned().collect()
        };
        document["diagnostics"] = diagnostic::json(&all, &source);
        document["files"] = json!(files);
        return print_json(&document);
    }
    if !args.common.quiet {
        let mut words = String::new();
        let rows: Vec<Vec<String>> = facts.iter().map(|(a, b)| vec![a.clone(), b.clone()]).collect();
        table(&mut words, "", &rows);
        files.iter().for_each(|file| words.push_str(&format!("wrote {file}\n")));
        if to_stdout { complain(&words) } else { print(&words)? }
    }
    show(&found.motion.warnings, &source, args.common.quiet);
    show(found.motion.failure.as_slice(), &source, args.common.quiet);
    if found.motion.failure.is_some() { Err(Failure::Reported) } else { Ok(()) }
}

fn write(
    args: &ConnectArgs,
    model: &Model,
    found: &Connected,
    facts: &[(String, String)],
) -> Result<(), Failure> {
    let table = &found.motion.table;
    let about = About::new(model, table, args.units_row);
    args.out.iter().try_for_each(|target| target.write(table, &about))?;
    if args.plot.is_empty() {
        return Ok(());
    }
    let plot = Plot::of_motion(model, &found.motion.table);
    args.plot.iter().try_for_each(|target| target.write(&plot, facts))
}

fn named(model: &Model, names: impl Iterator<Item = String>, values: &[f64]) -> String {
    let pair = |(n, v): (String, &f64)| {
        format!("{n} = {}", quantity(*v, model.system.unit_of_column(&n).as_deref()))
    };
    names.zip(values).map(pair).collect::<Vec<_>>().join(", ")
}

/// ` J*s` where the unit of energies is known.
fn action_unit(model: &Model) -> String {
    model.system.energies.unit.shown().map_or(String::new(), |unit| format!(" {unit}*s"))
}

fn facts(model: &Model, found: &Connected) -> Vec<(String, String)> {
    let Connection { start, end, action, error, elements, iterations, sensitivity, passed, .. } =
        &found.connection;
    let coordinates = || model.system.frame.coordinates.iter().map(|c| c.name.clone());
    let speeds = || model.system.frame.speeds.iter().map(|s| s.name.clone());
    let mut rows = vec![
        ("from", named(model, coordinates(), &start.x)),
        ("to", format!("{} at t = {} s", named(model, coordinates(), &end.x), plain(end.t))),
        ("start with", named(model, speeds(), &start.eta)),
        ("arrive with", named(model, speeds(), &end.eta)),
        (
            "action",
            format!("{}{}, {}", plain(*action), action_unit(model), documents::stationary_kind(found).1),
        ),
        ("error", format!("about {error:.0e} ({elements} elements, {iterations} iterations)")),
        ("sensitivity", format!("{sensitivity:.2} (start rates on the end, relative to free motion)")),
        ("check", format!("integrated from there, the end is missed by {:.1e}", found.missed_by)),
    ];
    if let Some(least) = &found.least_action {
        let place = rows.iter().position(|(name, _)| *name == "action").unwrap_or(rows.len());
        let free = documents::stationary_kind(found).1;
        let unit = action_unit(model);
        let energy_unit = model.system.energies.unit.shown();
        let mut facts = vec![
            ("time", quantity(least.time, Some("s"))),
            ("energy", quantity(least.energy, energy_unit.as_deref())),
            ("abbreviated action", format!("{}{unit}, {free}", plain(least.abbreviated_action))),
        ];
        facts.extend(
            least.jacobi_length.map(|length| ("Jacobi's length", format!("{}{unit}", plain(length)))),
        );
        facts.extend(least.jacobi_metric.clone().map(|metric| ("Jacobi's metric", metric)));
        rows[place].1 = format!("{}{unit} (Hamilton's)", plain(*action));
        rows.splice(place..place, facts);
    }
    if !passed.is_empty() {
        let missed: Vec<String> =
            passed.iter().enumerate().filter(|(_, p)| !**p).map(|(k, _)| (k + 1).to_string()).collect();
        let words = match missed.is_empty() {
            true => "passed".to_owned(),
            false => format!("the motion found does not pass near way point {}", missed.join(", ")),
        };
        rows.insert(2, ("via", words));
    }
    rows.into_iter().map(|(a, b)| (a.to_owned(), b)).collect()
}
