//! Robots, trees and loops whose accelerations and forces were computed by others (`cases/`: a model and its numbers).
//!
//! Tolerances are relative to the largest number of their kind at a state: the references agree with each other to
//! 1e-13 at worst.

use crate::support::{column, evaluate, last, load_with, run_text, sets, start, until};
use dalembert::Evaluation;
use dalembert::Workspace;
use std::collections::BTreeMap;

/// Rows of a case: state, what, name, value.
fn rows(table: &str) -> Vec<(String, String, String, String)> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let row = |r: csv::StringRecord| (r[0].to_owned(), r[1].to_owned(), r[2].to_owned(), r[3].to_owned());
    reader.records().map(|r| row(r.expect("a row"))).collect()
}

fn value(model: &Workspace, now: &Evaluation, what: &str, name: &str) -> f64 {
    let system = &model.system;
    let found = match what {
        "acceleration" => {
            system.frame.speeds.iter().position(|s| s.name == name).map(|p| now.solution.eta_dot[p])
        }
        "rank" => Some(now.solution.rank as f64),
        _ => system.experiment.outputs.iter().position(|o| o.name == name).map(|o| now.outputs[o]),
    };
    found.unwrap_or_else(|| panic!("no {what} {name}"))
}

/// Compares a case at all of its states.
fn agrees(text: &str, table: &str) {
    let rows = rows(table);
    let states: Vec<String> =
        rows.iter().map(|r| r.0.clone()).collect::<std::collections::BTreeSet<_>>().into_iter().collect();
    for state in states {
        let here: Vec<_> = rows.iter().filter(|r| r.0 == state).collect();
        let given = |what: &str| -> Vec<(&str, &str)> {
            here.iter().filter(|r| r.1 == what).map(|r| (r.2.as_str(), r.3.as_str())).collect()
        };
        let mut model = load_with(text, &sets(&given("set")));
        let at: Vec<String> = given("at").iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let mut point = model.guess().map(|guess| guess.state).unwrap_or_else(|d| panic!("{}", d.message));
        model.set_state(&mut point, &at.join(", ")).unwrap_or_else(|d| panic!("{}", d.message));
        let now = evaluate(&model, &point);
        let mut worst: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
        for (_, what, name, wanted) in here.iter().filter(|r| r.1 != "set" && r.1 != "at") {
            let (wanted, found) = (wanted.parse::<f64>().expect("a number"), value(&model, &now, what, name));
            let (off, size) = worst.entry(what).or_default();
            *off = off.max((wanted - found).abs());
            *size = size.max(wanted.abs());
        }
        for (what, (off, size)) in worst {
            let bound = match what {
                "acceleration" => 1e-10,
                "force" => 1e-9,
                "energy" => 1e-11,
                _ => 1e-12,
            };
            assert!(off <= bound * size.max(1e-3), "{what} at state {state}: off by {off:.1e} of {size:.1e}");
        }
    }
}

macro_rules! cases {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            agrees(
                include_str!(concat!("cases/", stringify!($name), ".dal")),
                include_str!(concat!("cases/", stringify!($name), ".csv")),
            );
        })*
    };
}

cases! {
    r01_ur5 r04_solo12_free r06_two_arms r07_chain10 r09_mixed_tree
    l01_stewart l04_solo12_feet_1 l04_solo12_feet_2 l04_solo12_feet_3 l05_four_bar
}

#[test]
fn loops_of_a_platform_are_told() {
    let mut model = load_with(include_str!("cases/l05_four_bar.dal"), &sets(&[]));
    let at = "crank = 0.3, coupler = 0.3094365475213779, rocker = 1.2077454261228364";
    let point = start(&mut model);
    let point = model.state_at(point, at).unwrap_or_else(|d| panic!("{}", d.message));
    let mobility = dalembert::mobility::Mobility::at(&model, &point).expect("there are bodies");
    assert_eq!(mobility.loops.len(), 1);
    assert_eq!((mobility.loops[0].rows, mobility.loops[0].rank), (3, 2));
}

/// The error of a requirement decays by h'' + 20 h' + 100 h = 0, whatever the arm does: a robot that draws a line, with its start
/// beside it.
#[test]
fn a_ur5_draws_a_line() {
    let text = format!(
        "{}let tip = [0, 0.0823, 0] of b6
        require line: tip = [0.5, 0.2 - 0.1*t, 0.4] decay 20, 100
        actuate shoulder_pan_joint, shoulder_lift_joint, elbow_joint, wrist_1_joint, wrist_2_joint, wrist_3_joint
        initial shoulder_pan_joint = 0.2, shoulder_lift_joint = -1.1, elbow_joint = 1.6
        initial wrist_1_joint = -0.5, wrist_2_joint = -1.5, wrist_3_joint = 0.2
        output off = tip - [0.5, 0.2 - 0.1*t, 0.4], work = work(control), total = energy",
        include_str!("cases/r01_ur5.dal")
    );
    let motion = run_text(&text, &until(1.0));
    for (axis, rate) in [("x", 0.0), ("y", 0.1), ("z", 0.0)] {
        let off = column(&motion, &format!("off.{axis}"));
        for (t, found) in column(&motion, "t").into_iter().zip(&off) {
            let wanted = (off[0] + (rate + 10.0 * off[0]) * t) * (-10.0 * t).exp();
            assert!((found - wanted).abs() < 1e-9, "{axis} at {t}: {found} is not {wanted}");
        }
    }
    // The joints are moved by control alone.
    let (work, energy) = (last(&motion, "work"), column(&motion, "total"));
    assert!((energy[energy.len() - 1] - energy[0] - work).abs() < 1e-8 * work.abs());
}
