//! `dalembert check`: what the model is.

use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::input::{Loaded, Remarks, load};
use crate::output::{print, print_json, show};
use crate::text_table::{cells, counted, entry, quantity, table};
use dalembert::Model;
use dalembert::bodies::Body;
use dalembert::constraint_kind::ConstraintKind;
use dalembert::mobility::{Loop, Mobility};
use dalembert::system::Parameter;
use dalembert_view::documents::{Findings, check, checked, parameters, state_pairs};

/// Width of the labels.
const MARGIN: usize = 20;

pub fn run(args: &CheckArgs) -> Result<(), Failure> {
    let Loaded { source, model } = load(&args.common, Remarks::All)?;
    let findings = check(&model);
    if args.common.json {
        print_json(&checked(&model, &findings, &source))?;
    } else {
        print(&text(&model, &findings))?;
        show(&findings.diagnostics, &source, args.common.quiet);
    }
    if findings.failed { Err(Failure::Reported) } else { Ok(()) }
}

fn text(model: &Model, findings: &Findings) -> String {
    let mut out = String::new();
    if let Some(title) = &model.system.title {
        out.push_str(&format!("{title}\n\n"));
    }
    let system = &model.system;
    let list = |names: Vec<&str>| cells(names);
    let equal = |pairs: Vec<(&str, f64)>| -> Vec<String> {
        let unit = |name: &str| system.unit_of_column(name);
        pairs.into_iter().map(|(n, value)| format!("{n} = {}", quantity(value, unit(n).as_deref()))).collect()
    };
    entry(
        &mut out,
        "coordinates",
        MARGIN,
        &list(system.frame.coordinates.iter().map(|c| c.name.as_str()).collect()),
    );
    entry(&mut out, "speeds", MARGIN, &list(system.frame.speeds.iter().map(|s| s.name.as_str()).collect()));
    if !system.parameters.is_empty() {
        entry(&mut out, "parameters", MARGIN, &in_file_units(model));
    }
    tree(&mut out, model);
    constraints(&mut out, &findings.kinds);
    if let Some((start, freedom)) = &findings.start {
        if !system.constraints.rows.is_empty() {
            let rank = format!("{} of {}", freedom.rank, counted(system.constraints.rows.len(), "row"));
            entry(&mut out, "rank", MARGIN, &[rank]);
        }
        if let Some(mobility) = Mobility::at(model, &start.state) {
            loops(&mut out, &mobility, freedom.degrees(model));
        }
        entry(&mut out, "degrees of freedom", MARGIN, &[freedom.degrees(model).to_string()]);
        entry(&mut out, "start", MARGIN, &equal(state_pairs(model, &start.state)));
    }
    for (label, names) in [
        ("outputs", system.experiment.outputs.iter().map(|o| o.name.as_str()).collect::<Vec<_>>()),
        ("events", system.experiment.events.iter().map(|e| e.name.as_str()).collect()),
    ] {
        if !names.is_empty() {
            entry(&mut out, label, MARGIN, &list(names));
        }
    }
    entry(&mut out, "equations", MARGIN, &[model.compiled.counts().to_string()]);
    out
}

/// Parameters as the file gives them.
fn in_file_units(model: &Model) -> Vec<String> {
    let values = parameters(model).into_iter().zip(&model.system.parameters);
    let one = |((name, value), p): ((&str, f64), &Parameter)| {
        format!("{name} = {}", quantity(p.in_file_unit(value), p.file_unit().as_deref()))
    };
    values.map(one).collect()
}

/// Every body with the joint that carries it.
fn tree(out: &mut String, model: &Model) {
    let Some(bodies) = &model.system.bodies else { return };
    let carried = |body: &Body| {
        let joint = &bodies.joints[body.joint];
        let parent = body.parent.map_or("ground", |parent| bodies.bodies[parent].name.as_str());
        vec![body.name.clone(), format!("on {parent}"), format!("{} {}", joint.kind.name(), joint.name)]
    };
    let rows: Vec<Vec<String>> = bodies.bodies.iter().map(carried).collect();
    labelled(out, "bodies", &rows);
}

/// Loops with their rows, and freedoms counted and true.
fn loops(out: &mut String, mobility: &Mobility, degrees: usize) {
    let row = |l: &Loop| {
        let dependent = l.rows - l.rank;
        let rows = match dependent {
            0 => counted(l.rows, "row"),
            _ => format!("{}, {dependent} dependent", counted(l.rows, "row")),
        };
        vec![l.joints.join(" - "), rows]
    };
    labelled(out, "loops", &mobility.loops.iter().map(row).collect::<Vec<_>>());
    let count = mobility.counted;
    entry(out, "mobility", MARGIN, &[format!("{degrees} (Gruebler's count {count})")]);
}

fn labelled(out: &mut String, label: &str, rows: &[Vec<String>]) {
    let mut lines = String::new();
    table(&mut lines, "", rows);
    for (k, line) in lines.lines().enumerate() {
        let label = if k == 0 { label } else { "" };
        out.push_str(&format!("{label:<MARGIN$}{line}\n"));
    }
}

fn constraints(out: &mut String, kinds: &[ConstraintKind]) {
    if kinds.is_empty() {
        return entry(out, "constraints", MARGIN, &["none".to_owned()]);
    }
    let word = |yes: bool, this: &str, other: &str| if yes { this.to_owned() } else { other.to_owned() };
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
    labelled(out, "constraints", &rows);
}
