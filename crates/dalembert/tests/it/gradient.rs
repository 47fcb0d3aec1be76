//! Gradients by a sweep backwards (S4) against forward sensitivities and closed forms.

use crate::support::*;
use dalembert::diagnostic::Code;
use dalembert::gradient::{CostTerm, Gradient, GradientRoad};
use dalembert::{Request, Workspace};

fn request(until: f64) -> Request {
    Request { until: Some(until), rtol: Some(1e-12), atol: Some(1e-14), ..Request::default() }
}

fn gradient(text: &str, until: f64, cost: &[CostTerm], names: &[String], road: GradientRoad) -> Gradient {
    let found = load(text).gradient(&request(until), cost, names, Some(road));
    found.unwrap_or_else(|d| panic!("{} {:?}\n{text}", d.message, d.help))
}

/// All parameters and starting values of a model that may be varied.
fn everything(model: &Workspace) -> Vec<String> {
    model.system.parameters.iter().map(|p| p.name.clone()).collect()
}

/// A final value and squares at times, backwards and forward.
fn agrees(name: &str, text: &str, until: f64, column: &str, names: &[&str]) -> (Gradient, Gradient) {
    let names: Vec<String> = match names.is_empty() {
        true => everything(&load(text)),
        false => names.iter().map(|n| (*n).to_owned()).collect(),
    };
    let times: Vec<f64> = (1..=7).map(|k| f64::from(k) * until / 7.3).collect();
    let values: Vec<f64> = times.iter().map(|t| (3.0 * t).sin()).collect();
    let cost = [
        CostTerm::Final(column.to_owned()),
        CostTerm::Squares { column: column.to_owned(), times, values, scale: 0.7 },
    ];
    let back = gradient(text, until, &cost, &names, GradientRoad::Adjoint);
    let along = gradient(text, until, &cost, &names, GradientRoad::Forward);
    assert_eq!((back.road, along.road), (GradientRoad::Adjoint, GradientRoad::Forward));
    below(name, (back.value - along.value).abs() / along.value.abs().max(1.0), 1e-12);
    let size = along.by.iter().fold(1.0f64, |m, v| m.max(v.abs()));
    for (k, n) in names.iter().enumerate() {
        below(&format!("{name} by {n}"), (back.by[k] - along.by[k]).abs() / size, 1e-9);
    }
    (back, along)
}

/// Free systems, constraints of any rank, bodies in a closed loop, rolling.
#[test]
fn smooth_and_constrained_models() {
    for (name, until, column, names) in [
        ("double_pendulum", 2.0, "theta2", &["m1", "m2", "l1", "l2", "g", "theta1(0)", "theta2'(0)"][..]),
        ("pendulum_redundant", 1.5, "x", &[]),
        ("rolling_disk", 1.0, "x", &["r", "psi'(0)"]),
        ("four_bar_bodies", 0.3, "A", &["a"]),
        ("kepler", 1.0, "x", &["mu"]),
    ] {
        agrees(name, &model_text(name), until, column, names);
    }
    // One row follows from the others all along.
    let redundant = "parameter m = 1, l = 1, g = 9.81, c = 0.1\ncoordinate x, y, z\nkinetic m/2*(x'^2 + y'^2 + z'^2)\npotential m*g*y\n\
                     force x = -c*x'\nconstraint rod: x^2 + y^2 = l^2\nconstraint flat: z = 0\nconstraint again: x^2 + y^2 + z = l^2\n\
                     initial x = 0.6*l, y ~ -0.8, x' = 0.3\n";
    agrees("redundant", redundant, 2.0, "x", &["l", "g", "c", "m", "x'(0)"]);
}

/// A ball that bounces twice, a force that time switches, a force that a place switches; two balls that exchange velocities.
#[test]
fn events_are_crossed_transposed() {
    let ball = "parameter g = 9.81, e = 0.8, h = 1\ncoordinate z\nkinetic z'^2/2\npotential g*z\ninitial z = h\n\
                event hit: z falling do z' = -e*z'\n";
    agrees("bounce", ball, 1.2, "z", &["g", "e", "h"]);
    let switched = "parameter t1 = 0.6, F = 2, k = 3\ncoordinate x\nkinetic x'^2/2\npotential k/2*x^2\nforce x = if t < t1 then F else 0\n";
    agrees("time", switched, 2.0, "x", &["t1", "F", "k"]);
    let place = "parameter a = 0.4, F = 0.5, k = 1\ncoordinate x\nkinetic x'^2/2\npotential k/4*x^4\nforce x = if x > a then -F else 0\ninitial x' = 1\n";
    agrees("place", place, 1.0, "x", &["a", "F", "k", "x'(0)"]);
    let balls = "parameter d = 1\ncoordinate a, b\nkinetic (a'^2 + b'^2)/2\ninitial b = d, a' = 1\n\
                 event hit: a - b rising do a' = b', b' = a'\n";
    let (back, _) = agrees("balls", balls, 3.0, "b'", &["a'(0)", "b'(0)", "d"]);
    let only = gradient(
        balls,
        3.0,
        &[CostTerm::Final("b'".to_owned())],
        &["a'(0)".to_owned(), "b'(0)".to_owned(), "d".to_owned()],
        GradientRoad::Adjoint,
    );
    assert!(back.evaluations > 0);
    for (found, expected) in only.by.iter().zip([1.0, 0.0, 0.0]) {
        below("exchange", (found - expected).abs(), 1e-13);
    }
}

/// An output, an integral as a `state`, and a run that an event ends.
#[test]
fn outputs_integrals_and_stopping_events() {
    let text = "parameter k = 3, m = 2, c = 0.1\ncoordinate x\nkinetic m/2*x'^2\npotential k/2*x^2\nforce x = -c*x'\ninitial x = 1\n\
                state w' = c*x'^2\noutput f = k*x*x' + m\n";
    agrees("output", text, 2.0, "f", &[]);
    agrees("integral", text, 2.0, "w", &[]);
    let stop = "parameter g = 9.81, h = 1.3, v = 0.4\ncoordinate x, z\nkinetic (x'^2 + z'^2)/2\npotential g*z\n\
                initial z = h, x' = v\nevent ground: z falling stop\n";
    let names = ["g", "h", "v"].map(str::to_owned);
    let found = gradient(stop, 5.0, &[CostTerm::Final("x".to_owned())], &names, GradientRoad::Adjoint);
    // x = v sqrt(2 h/g)
    let t = (2.0_f64 * 1.3 / 9.81).sqrt();
    for (found, expected) in found.by.iter().zip([-0.4 * t / (2.0 * 9.81), 0.4 * t / (2.0 * 1.3), t]) {
        below("range", (found - expected).abs(), 1e-10);
    }
}

/// Evaluations of the transposed program do not grow with the parameters, and are few.
#[test]
fn the_sweep_costs_the_same_for_any_number_of_parameters() {
    let chain = |n: usize| {
        format!(
            "const N = {n}\nparameter k[1..N] = 2, m[1..N] = 1\ncoordinate q[1..N]\nkinetic sum(i in 1..N, m[i]*q[i]'^2/2)\n\
             potential k[1]*q[1]^2/2 + sum(i in 2..N, k[i]*(q[i] - q[i-1])^2/2 + 0.1*q[i]^4)\ninitial q[1..N] = 0.3\n"
        )
    };
    let text = chain(6);
    let cost = [CostTerm::Final("q[3]".to_owned())];
    let all = everything(&load(&text));
    assert!(all.len() >= 12, "{all:?}");
    let request = Request { rtol: Some(1e-9), atol: Some(1e-11), ..request(10.0) };
    let run = |names: &[String]| load(&text).gradient(&request, &cost, names, None).expect("a gradient");
    let (one, many) = (run(&all[..1]), run(&all));
    assert_eq!(one.road, GradientRoad::Adjoint);
    assert_eq!(one.evaluations, many.evaluations);
    let motion = many.motion.counters().evaluations;
    assert!(many.evaluations <= 2 * motion, "{} {motion}", many.evaluations);
}

/// An event that follows from another at the same instant has its time: forward.
#[test]
fn events_that_follow_go_forward() {
    let text = "parameter k = 2\ncoordinate x\ndiscrete n = 0\nkinetic x'^2/2\npotential k*x^2/2\n\
        event e: x falling do n = n + 1\nevent f: n - 0.5 rising do x' = 1.3*x'\ninitial x = 1, x' = 0.3";
    let cost = [CostTerm::Final("x".to_owned())];
    let names = ["k".to_owned()];
    let run = |road| load(text).gradient(&request(2.2), &cost, &names, road).expect("a gradient");
    let (found, forward) = (run(None), run(Some(GradientRoad::Forward)));
    assert_eq!(found.road, GradientRoad::Forward);
    assert_eq!(found.by, forward.by);
    let alone = text.replace("do x' = 1.3*x'", "");
    let mut model = load(&alone);
    let found =
        model.gradient(&request(2.2), &cost, &names, Some(GradientRoad::Adjoint)).expect("a gradient");
    assert_eq!(found.road, GradientRoad::Adjoint);
}

/// Friction is not in the program: the same number comes forward, or the demand is refused.
#[test]
fn what_cannot_be_swept_goes_forward() {
    let text = model_text("stick_slip_belt");
    let cost = [CostTerm::Final("x".to_owned())];
    let names = ["mu".to_owned(), "k".to_owned()];
    let found = load(&text).gradient(&request(3.0), &cost, &names, None).expect("a gradient");
    assert_eq!(found.road, GradientRoad::Forward);
    let said = load(&text)
        .gradient(&request(3.0), &cost, &names, Some(GradientRoad::Adjoint))
        .expect_err("friction");
    assert_eq!(said.code, Code::NoSensitivity);
    let said =
        load(&text).gradient(&request(3.0), &[CostTerm::Final("z".to_owned())], &names, None).expect_err("z");
    assert_eq!(said.code, Code::BadOption);
}
