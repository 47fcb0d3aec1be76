//! What sensitivities and gradients cost, in motions: p directions forward (S1), one sweep backwards for all parameters (S4).
//!
//! `gradients` prints a table; `gradients double_pendulum forward 8 20` runs one case, for counting its instructions: name, `motion`,
//! `forward` or `adjoint`, directions, seconds of motion.

use dalembert::gradient::{CostTerm, GradientRoad};
use dalembert::run::Flow;
use dalembert::{Overrides, Request, Source, Workspace};
use dalembert_bench::timing::fastest;
use std::hint::black_box;

/// Chain of masses with 2 N parameters.
const CHAIN: &str = "const N = 10\nparameter k[1..N] = 2, m[1..N] = 1\ncoordinate q[1..N]\n\
    kinetic sum(i in 1..N, m[i]*q[i]'^2/2)\n\
    potential k[1]*q[1]^2/2 + sum(i in 2..N, k[i]*(q[i] - q[i-1])^2/2 + 0.1*q[i]^4)\ninitial q[1..N] = 0.3\n";

struct Case {
    name: &'static str,
    text: &'static str,
    column: &'static str,
    names: Vec<String>,
}

fn cases() -> Vec<Case> {
    let list = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect();
    let chain = (1..=10).flat_map(|i| [format!("k[{i}]"), format!("m[{i}]")]).collect();
    vec![
        Case {
            name: "double_pendulum",
            text: include_str!("../../models/double_pendulum.dal"),
            column: "theta2",
            names: list(&["m1", "m2", "l1", "l2", "g", "theta1(0)", "theta2(0)", "theta1'(0)"]),
        },
        Case {
            name: "four_bar",
            text: include_str!("../../models/four_bar_bodies.dal"),
            column: "A",
            names: list(&["rho", "g", "T", "A'(0)"]),
        },
        Case { name: "chain", text: CHAIN, column: "q[3]", names: chain },
        Case {
            name: "friction",
            text: include_str!("../../models/stick_slip_belt.dal"),
            column: "x",
            names: list(&["m", "k", "v", "mu"]),
        },
        Case {
            name: "control",
            text: include_str!("../../models/double_pendulum_track.dal"),
            column: "theta2",
            names: list(&["m1", "m2", "l1", "g"]),
        },
        Case {
            name: "nonideal",
            text: include_str!("../../models/appell_nonideal.dal"),
            column: "x",
            names: list(&["g"]),
        },
        Case {
            name: "sparse",
            text: include_str!("../../models/link_chain.dal"),
            column: "x[3]",
            names: list(&["m", "g"]),
        },
    ]
}

fn load(text: &str) -> Workspace {
    Workspace::load(&Source::new("model.dal", text), &Overrides::default()).expect("the model is good")
}

fn request(until: f64) -> Request {
    Request {
        until: Some(until),
        times: Some(vec![until]),
        rtol: Some(1e-9),
        atol: Some(1e-11),
        ..Request::default()
    }
}

/// One run of a kind; evaluations of the motion, and of the derivatives.
fn run(case: &Case, model: &mut Workspace, kind: &str, p: usize, until: f64) -> (usize, usize) {
    let names = case.names[..p.min(case.names.len())].to_vec();
    if kind == "adjoint" {
        let cost = [CostTerm::Final(case.column.to_owned())];
        let found = model.gradient(&request(until), &cost, &names, Some(GradientRoad::Adjoint));
        let found = found.expect("it can be swept");
        return (found.motion.counters().evaluations, found.evaluations);
    }
    let sensitivity = if kind == "forward" { names } else { Vec::new() };
    let request = Request { sensitivity, ..request(until) };
    let motion = model.simulate(&request, |_| Flow::Continue).expect("it moves");
    (motion.counters().evaluations, motion.sensitivity_evaluations)
}

/// Seconds of a run beyond what does not grow with it.
fn cost(case: &Case, kind: &str, p: usize) -> f64 {
    let time = |until: f64| {
        let mut model = load(case.text);
        fastest(30, || {
            black_box(run(case, &mut model, kind, p, until));
        })
    };
    time(20.0) - time(10.0)
}

fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    if let [name, kind, p, until] = given.as_slice() {
        let all = cases();
        let case = all.iter().find(|case| case.name == name).expect("a case");
        let (p, until) = (p.parse().expect("directions"), until.parse().expect("seconds"));
        let (motion, more) = run(case, &mut load(case.text), kind, p, until);
        println!("{motion} {more}");
        return;
    }
    println!("| model | what | directions | in motions | bound |\n|---|---|---|---|---|");
    for case in cases() {
        let motion = cost(&case, "motion", 0);
        for p in [1, 2, 4, 8].into_iter().filter(|p| *p <= case.names.len()) {
            let bound = 1.0 + 0.4 * p as f64;
            println!(
                "| {} | forward | {p} | {:.2} | {bound:.1} |",
                case.name,
                cost(&case, "forward", p) / motion
            );
        }
        // Friction and sparse matrices are not swept backwards.
        if ["friction", "sparse"].contains(&case.name) {
            continue;
        }
        let p = case.names.len();
        println!("| {} | adjoint | {p} | {:.2} | 5 |", case.name, cost(&case, "adjoint", p) / motion);
    }
}
