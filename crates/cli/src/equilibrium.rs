//! `dalembert equilibrium`: positions of rest, steady motions, and the potential energy around them.

use crate::args::EquilibriumArgs;
use crate::failure::Failure;
use crate::files::{About, TableTarget, probe_all};
use crate::input::{Loaded, Remarks, load_for};
use crate::linearize::{described, summary};
use crate::output::{complain, print, print_json};
use crate::progress::Steps;
use crate::text_table::{counted, entry, plain, quantity};
use dalembert::Model;
use dalembert::diagnostic::{Code, Diagnostic};
use dalembert::equilibrium::{Equilibria, EquilibriumSearch, Landscape, landscape};
use dalembert::linearize::{Range, StabilityVerdict};
use dalembert_view::documents::{constraint_forces, equilibria, state_pairs};
use dalembert_view::{Field, Plot};

const MARGIN: usize = 14;

pub fn run(args: &EquilibriumArgs) -> Result<(), Failure> {
    let to_stdout = args.out.contains(&TableTarget::Standard);
    if to_stdout && args.common.json {
        let message = "`--json` and `--out -` both claim standard output";
        clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, format!("{message}\n")).exit();
    }
    let Loaded { source, model } = load_for(&args.common, Remarks::Warnings, &args.at)?;
    let ranges = |list: &[String]| -> Result<Vec<Range>, Failure> {
        list.iter().map(|text| Range::read(text).map_err(|d| Failure::of(*d, &source))).collect()
    };
    let (axes, within) = (ranges(&args.landscape)?, ranges(&args.within)?);
    let paths = args.out.iter().filter_map(TableTarget::path).chain(args.plot.iter().map(|p| p.path()));
    let files: Vec<String> = paths.map(str::to_owned).collect();
    probe_all(&files, &args.common.model)?;
    if args.starts == 0 {
        let d = Diagnostic::error(Code::BadOption, None, "`--starts 0` leaves nothing to search from");
        return Err(Failure::of(d.help("give 1 or more"), &source));
    }
    let search = EquilibriumSearch { at: args.at.clone(), starts: args.starts, within };
    let steps = Steps::new(args.starts, "searching", !args.common.quiet);
    let found = model.workspace().equilibria_watched(&search, &mut |done, count| steps.reach(done, count));
    steps.done();
    let found = found.map_err(|d| Failure::of(*d, &source))?;
    let picture = match axes.is_empty() {
        true => None,
        false => {
            let mut picture =
                landscape(&mut model.workspace(), &axes, &args.at).map_err(|d| Failure::of(*d, &source))?;
            picture.marks = marks(&model, &picture, &found);
            Some(picture)
        }
    };
    if let Some(picture) = &picture {
        write(args, &model, picture, &files)?;
        for found in picture.table().not_finite().iter().filter(|_| !args.common.quiet) {
            let points = found.rows;
            complain(&format!("warning: the potential energy is not a finite number at {points} points\n"));
        }
    }
    if args.common.json {
        return print_json(&equilibria(&model, &found, &source, &files));
    }
    let mut words = text(&model, &found);
    files.iter().for_each(|file| words.push_str(&format!("wrote {file}\n")));
    if to_stdout {
        complain(&words);
        return Ok(());
    }
    print(&words)
}

fn write(
    args: &EquilibriumArgs,
    model: &Model,
    picture: &Landscape,
    files: &[String],
) -> Result<(), Failure> {
    let title = model.system.title.clone().unwrap_or_default();
    let table = picture.table();
    let energy = |name: &str| (name == "potential").then(|| model.system.unit_of_energy()).flatten();
    let about = About::new(model, &table, args.units_row).with(&table, energy);
    for target in &args.out {
        match target.write(&table, &about) {
            Err(Failure::ReaderGone) if !files.is_empty() => {}
            other => other?,
        }
    }
    let facts: Vec<(String, String)> = picture
        .marks
        .iter()
        .map(|(at, stable)| {
            let word = match stable {
                Some(true) => "stable",
                Some(false) => "unstable",
                None => "undecided",
            };
            let place: Vec<String> = picture
                .names
                .iter()
                .zip(at)
                .zip(about.units())
                .map(|((n, v), unit)| format!("{n} = {}", quantity(*v, unit.as_deref())))
                .collect();
            (word.to_owned(), place.join(", "))
        })
        .collect();
    args.plot.iter().try_for_each(|target| match picture.axes.len() {
        1 => target.write(&Plot::of_landscape(&title, &table, about.units(), &picture.marks), &facts),
        _ => target.write(&Field::new(&title, picture, about.units()), &facts),
    })
}

/// Equilibria whose coordinates lie within the axes.
fn marks(model: &Model, picture: &Landscape, found: &Equilibria) -> Vec<(Vec<f64>, Option<bool>)> {
    let place = |name: &String| model.system.frame.coordinates.iter().position(|c| c.name == *name);
    let places: Vec<usize> = picture.names.iter().filter_map(place).collect();
    // An angle stands at every turn that the axes show.
    let copies = |k: usize, v: f64| -> Vec<f64> {
        let ends = picture.axes[k]
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), a| (l.min(*a), h.max(*a)));
        let turns = if found.angles.contains(&places[k]) { -8..=8 } else { 0..=0 };
        turns
            .map(|n| v + f64::from(n) * std::f64::consts::TAU)
            .filter(|v| (ends.0..=ends.1).contains(v))
            .collect()
    };
    let mut out = Vec::new();
    for e in &found.equilibria {
        let stable = match e.linear.stability.as_ref().map(|s| s.verdict) {
            Some(StabilityVerdict::Stable | StabilityVerdict::AsymptoticallyStable) => Some(true),
            Some(StabilityVerdict::Unstable) => Some(false),
            _ => None,
        };
        for a in copies(0, e.linear.state.x[places[0]]) {
            match places.get(1) {
                None => out.push((vec![a], stable)),
                Some(i) => {
                    out.extend(copies(1, e.linear.state.x[*i]).into_iter().map(|b| (vec![a, b], stable)))
                }
            }
        }
    }
    out
}

fn text(model: &Model, found: &Equilibria) -> String {
    let mut out = String::new();
    let count = found.equilibria.len();
    let rest = if found.rest_possible { "" } else { "; the constraints do not allow rest" };
    out.push_str(&format!(
        "{} found from {}{rest}\n",
        counted(count, "equilibrium").replace("equilibriums", "equilibria"),
        counted(found.starts, "start")
    ));
    for (k, e) in found.equilibria.iter().enumerate() {
        out.push_str(&format!("\n{}. {}\n", k + 1, described(&e.linear)));
        let state: Vec<String> = state_pairs(model, &e.linear.state)
            .into_iter()
            .filter(|(name, v)| *v != 0.0 || !name.ends_with('\''))
            .map(|(name, v)| {
                format!("{name} = {}", quantity(v, model.system.unit_of_column(name).as_deref()))
            })
            .collect();
        entry(&mut out, "at", MARGIN, &state);
        if let Some(value) = e.potential {
            entry(
                &mut out,
                "potential",
                MARGIN,
                &[quantity(value, model.system.energies.unit.shown().as_deref())],
            );
        }
        summary(&mut out, &e.linear);
        if e.family > 0 {
            let words = format!("one of a family: {} to first order", counted(e.family, "dimension"));
            entry(&mut out, "neighbours", MARGIN, &[words]);
        }
        let rows = model.system.constraints.rows.iter().zip(&e.now.solution.lambda).enumerate();
        let unit = |r: usize| model.system.unit_of_multiplier(r);
        let multipliers: Vec<String> =
            rows.map(|(k, (r, v))| format!("{} = {}", r.name, quantity(*v, unit(k).as_deref()))).collect();
        if !multipliers.is_empty() {
            entry(&mut out, "multipliers", MARGIN, &multipliers);
        }
        let size =
            e.now.terms.Q.iter().chain(&e.now.solution.ideal_force).fold(0.0, |m: f64, v| m.max(v.abs()));
        for (name, parts) in constraint_forces(model, e) {
            let worth = parts.iter().filter(|(_, v)| v.abs() > 1e-12 * size);
            let parts: Vec<String> = worth.map(|(n, v)| format!("{} on {n}", plain(*v))).collect();
            let parts = if parts.is_empty() { vec!["none".to_owned()] } else { parts };
            entry(&mut out, &format!("force {name}"), MARGIN.max(name.len() + 7), &parts);
        }
    }
    if found.not_listed > 0 {
        out.push_str(&format!(
            "\n{} of the same families not listed\n",
            counted(found.not_listed, "further member")
        ));
    }
    found.notes.iter().for_each(|t| out.push_str(&format!("\nnote: {t}\n")));
    found.troubles.iter().for_each(|t| out.push_str(&format!("\nnot examined: {t}\n")));
    out
}
