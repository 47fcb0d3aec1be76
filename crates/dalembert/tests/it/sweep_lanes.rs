//! Sweeps in lanes against `simulate`, run by run: events that stop, whole motions, redundant constraints.

use crate::support::{load_with, model_names, model_text};
use dalembert::run::{Flow, Stop};
use dalembert::sweep::{Axis, Plan, Status, Sweep, SweepRow};
use dalembert::{Motion, Overrides, Request, Workspace};
use std::sync::atomic::AtomicBool;

/// A model of `models`, or one written here.
fn model(text: &str, overrides: &Overrides) -> Workspace {
    if model_names().iter().any(|name| name == text) {
        return load_with(&model_text(text), overrides);
    }
    load_with(text, overrides)
}

fn sweep(text: &str, vary: &str, request: &Request, motions: bool) -> Sweep {
    let vary = vec![Axis::read(vary).unwrap()];
    let plan = Plan { vary, request: request.clone(), motions, ..Plan::default() };
    Sweep::new(model(text, &Overrides::default()), plan).unwrap_or_else(|d| panic!("{text}: {}", d.message))
}

/// The rows, how many came out of lanes, and the motions.
fn execute(sweep: &Sweep, threads: usize) -> (Vec<SweepRow>, usize, Vec<f64>) {
    let mut blocks = Vec::new();
    sweep.execute(threads, 0..sweep.blocks(), &AtomicBool::new(false), |block| {
        blocks.push(block);
        Flow::Continue
    });
    blocks.sort_by_key(|b| b.index);
    let in_lanes = blocks.iter().map(|b| b.in_lanes).sum();
    let motions = blocks.iter().filter_map(|b| b.motions.as_ref()).flat_map(|m| m.values.clone()).collect();
    (blocks.into_iter().flat_map(|b| b.rows).collect(), in_lanes, motions)
}

/// The run that `simulate` makes with the value of a row.
fn alone(text: &str, sweep: &Sweep, row: &SweepRow, request: &Request) -> Motion {
    let (name, value) = (&sweep.columns()[1], dalembert_view::number(row.numbers[1]));
    let mut overrides = Overrides::default();
    match name.strip_suffix("(0)") {
        Some(name) => overrides.initial.push(format!("{name}={value}")),
        None => overrides.set.push((name.clone(), value)),
    }
    model(text, &overrides).simulate(request, |_| Flow::Continue).unwrap_or_else(|d| panic!("{}", d.message))
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

fn assert_near(found: &[f64], known: &[f64], allowed: f64, what: &str) {
    assert_eq!(found.len(), known.len(), "{what}");
    for (k, (a, b)) in found.iter().zip(known).enumerate() {
        assert!((a - b).abs() <= allowed * (1.0 + b.abs()), "{what}, number {k}: {a} {b}");
    }
}

const PARTICLE: &str =
    "parameter a = 3, w = 1\ncoordinate x\nkinetic x'^2/2\ninitial x' = 1\nsimulate until 10\n";
const PENDULUM: &str = "parameter l = 1\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n\
                        constraint rod: x^2 + y^2 = l^2\ninitial x = 0.6*l, x' = 0, y ~ -1\nsimulate until 5\n";

/// What is varied, the event, and how many of the runs it stops.
type Stops<'a> = (&'a str, &'a str, &'a str, usize);

/// A particle moves through all of its run in some few steps, so all that happens, happens inside of them.
#[test]
fn events_stop_runs_in_lanes_where_they_stop_them_alone() {
    let throw = "parameter c = 0.1\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n\
                 work -c*sqrt(x'^2 + y'^2)*(x'*delta(x) + y'*delta(y))\ninitial x' = 5, y' = 8, y = 1\n\
                 output far = x^2, a = x''\nsimulate until 1.5\n";
    let cases: [Stops; 11] = [
        (PARTICLE, "a=1..9:7", "event at: x - a rising stop", 7),
        (PARTICLE, "a=1..9:7", "event wrong: x - a falling stop", 0),
        // Below zero for a moment, one sign at the ends of the step.
        (PARTICLE, "a=1..9:7", "event brush: (x - a)^2 - 1e-4 stop", 7),
        (PARTICLE, "w=2,20,60", "event often: sin(w*x) falling stop", 3),
        // Two of them: the first one counts.
        (PARTICLE, "a=1,4,8", "event late: x - 5 stop\nevent early: x - a stop", 3),
        // Zero at the start is not an event, zero at the end is one.
        (PARTICLE, "a=0,10,11", "event edge: x - a stop", 1),
        (PARTICLE, "w=1,2", "event pass: x - 2\nevent clock: t - 7*w stop", 1),
        (throw, "c=0..0.5:6", "event ground: y falling stop", 4),
        (throw, "x'=1..6:6", "event slow: y' + 2 falling stop\nevent ground: y falling stop", 6),
        (PENDULUM, "l=0.5..2:6", "event bottom: x falling stop", 6),
        (PENDULUM, "l=0.5..2:6", "event turn: x*y' - y*x' falling stop\nevent never: y - 3 stop", 6),
    ];
    for (text, vary, event, stopped) in cases {
        let text = format!("{text}{event}\n");
        for method in ["dop853", "tsit5", "rk4"] {
            let request = Request { method: Some(method.into()), rtol: Some(1e-9), ..Request::default() };
            let sweep = sweep(&text, vary, &request, false);
            let what = format!("{event} {method}");
            let (rows, in_lanes, _) = execute(&sweep, 1);
            assert_eq!(in_lanes, sweep.runs(), "{what}");
            let again = execute(&sweep, 2).0;
            assert!(rows.iter().zip(&again).all(|(a, b)| bits(&a.numbers) == bits(&b.numbers)), "{what}");
            assert_eq!(rows.iter().filter(|r| r.status != Status::Done).count(), stopped, "{what}: {rows:?}");
            for row in &rows {
                let motion = alone(&text, &sweep, row, &request);
                let stopped = matches!(motion.outcome.stop, Stop::Event(_));
                let last = motion.events.last().filter(|_| stopped);
                let status = last.map_or(Status::Done, |event| Status::Event(event.name.clone()));
                assert_eq!(row.status, status, "{what}");
                let last = motion.table.rows().last().unwrap().to_vec();
                assert_near(&row.numbers[2..2 + last.len()], &last, 1e-7, &what);
            }
        }
    }
}

/// Events that need more than the state are not for lanes.
#[test]
fn events_by_forces_are_found_one_by_one() {
    let text = format!("{PENDULUM}event slack: reaction(rod) - 20 rising stop\n");
    let request = Request::default();
    let sweep = sweep(&text, "l=0.5,1", &request, false);
    assert!(!sweep.in_lanes());
    for row in execute(&sweep, 1).0 {
        let motion = alone(&text, &sweep, &row, &request);
        assert_eq!(matches!(row.status, Status::Event(_)), matches!(motion.outcome.stop, Stop::Event(_)));
    }
}

#[test]
fn motions_in_lanes_are_those_of_simulate() {
    let thrown = format!("{PARTICLE}event at: x - a rising stop\n");
    let still = format!("{PENDULUM}event bottom: x falling stop\noutput N = reaction(rod)\n");
    let cases: [(&str, &str, f64, f64); 7] = [
        ("double_pendulum", "theta1=0.5..1:5", 2.0, 0.03),
        ("double_pendulum", "m2=0.5..2:5", 2.0, 1.7),
        ("pendulum_chain", "g=9,10", 0.5, 0.05),
        ("rolling_disk", "r=0.4..0.6:3", 1.0, 0.01),
        ("rigid_body", "w1=0.1,1", 0.5, 0.1),
        (&thrown, "a=1,2.25,3,9.9", 10.0, 0.25), // an event at a row, others between
        (&still, "l=0.5..2:5", 1.0, 0.02),
    ];
    for (text, vary, until, every) in cases {
        for method in ["dop853", "tsit5", "rk4"] {
            let (until, every) = (Some(until), Some(every));
            let step = (method == "rk4").then_some(0.002);
            let method = Some(method.to_owned());
            let request = Request { until, every, method, step, rtol: Some(1e-9), ..Request::default() };
            let sweep = sweep(text, vary, &request, true);
            let what = format!("{text} {:?}", request.method);
            let (rows, in_lanes, motions) = execute(&sweep, 1);
            assert_eq!(in_lanes, sweep.runs(), "{what}");
            assert_eq!(bits(&execute(&sweep, 2).2), bits(&motions), "{what}: threads");
            let mut known = Vec::new();
            for row in &rows {
                let motion = alone(text, &sweep, row, &request);
                for line in motion.table.rows() {
                    known.push(row.numbers[0]);
                    known.extend_from_slice(line);
                }
                let last = motion.table.rows().last().unwrap();
                assert_near(&row.numbers[2..2 + last.len()], last, 1e-6, &what);
            }
            assert_near(&motions, &known, 1e-6, &what);
        }
    }
}

/// Rows are looked at inside of steps and do not change them.
#[test]
fn rows_on_the_way_do_not_change_the_end() {
    for name in ["double_pendulum", "pendulum_chain"] {
        let end = |motions: bool| {
            let request = Request { until: Some(0.7), every: Some(0.01), ..Request::default() };
            let rows = execute(&sweep(name, "g=9,9.5,10", &request, motions), 1).0;
            // Residuals are measured at rows too.
            let numbers = |row: SweepRow| bits(&row.numbers[..row.numbers.len() - 3]);
            rows.into_iter().map(numbers).collect::<Vec<_>>()
        };
        assert_eq!(end(true), end(false), "{name}");
    }
}

/// A redundant set is stood for by some of its rows. Runs in which the others do not follow from these are made one by one:
/// rows that become independent hold, rows that contradict each other are an error.
#[test]
fn redundant_rows_are_stood_for_by_some() {
    let doubled = format!("{PENDULUM}constraint again: 2*x^2 + 2*y^2 = 2*l^2\n");
    let thrice = format!("{doubled}constraint rate: x*x' + y*y' = 0\noutput s = x + y\n");
    let slide = "parameter k = 0\ncoordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 10*z + x\n\
                 constraint one: x = y\nconstraint two: x - y + k*z = 0\nsimulate until 1\n";
    let fight = "parameter k = 0\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential y\n\
                 constraint one: x = 0\nconstraint two: x = k*t^3\nsimulate until 1\n";
    let cases: [(&str, &str, usize, usize); 5] = [
        (&doubled, "l=0.5..2:6", 6, 0),
        (&thrice, "l=0.5..2:6", 6, 0),
        ("bricard", "g=9,9.5,10", 3, 0),
        (slide, "k=0,1,2", 1, 0),
        (fight, "k=0,1,2", 1, 2),
    ];
    for (text, vary, expected, failed) in cases {
        let until = (text == "bricard").then_some(0.5);
        let request = Request { until, rtol: Some(1e-9), ..Request::default() };
        let sweep = sweep(text, vary, &request, false);
        let (rows, in_lanes, _) = execute(&sweep, 1);
        assert_eq!(in_lanes, expected, "{text}");
        assert!(rows.iter().zip(&execute(&sweep, 2).0).all(|(a, b)| bits(&a.numbers) == bits(&b.numbers)));
        let is_failed = |row: &&SweepRow| matches!(row.status, Status::Failed(_));
        assert_eq!(rows.iter().filter(is_failed).count(), failed, "{text}: {rows:?}");
        for row in &rows {
            let motion = alone(text, &sweep, row, &request);
            let code = motion.failure.as_ref().map(|failure| failure.code.id());
            match &row.status {
                Status::Failed(failure) => assert_eq!(Some(failure.code.id()), code, "{text}"),
                _ => {
                    let last = motion.table.rows().last().unwrap();
                    assert_eq!(code, None, "{text}");
                    assert_near(&row.numbers[2..2 + last.len()], last, 1e-7, text);
                }
            }
        }
    }
}
