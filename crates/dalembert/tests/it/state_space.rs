//! Inputs and outputs of linear systems against closed forms and differences.

use crate::support::{below, load, load_with, start};
use dalembert::linearize::{Linearization, Linearizer};
use dalembert::{Overrides, Signal, Workspace};

fn linear(model: &mut Workspace, at: &str) -> Linearization {
    let state = model.operating_point(at).unwrap();
    model.linearize(&state, &[]).unwrap()
}

fn near(what: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (a, b) in found.iter().zip(expected) {
        // Two ways of rounding some ten operations.
        below(what, (a - b).abs() / (1.0 + b.abs()), 1e-12);
    }
}

/// Cart and pole upright: matrices of every textbook.
#[test]
fn cart_and_pole() {
    let text = "parameter M = 2, m = 0.5, l = 0.8, g = 9.81
        input u = 0
        coordinate x, theta
        let P = [x + l*sin(theta), l*cos(theta)]
        kinetic M/2*x'^2 + m/2*dot(P', P')
        potential m*g*P.y
        force x = u
        output pushed = x'', tip = P.x\n";
    let found = linear(&mut load(text), "");
    let (M, m, l, g) = (2.0, 0.5, 0.8, 9.81);
    assert_eq!((found.inputs.as_slice(), found.outputs.len()), (["u".to_owned()].as_slice(), 2));
    near("B", &found.input_matrix, &[0.0, 0.0, 1.0 / M, -1.0 / (M * l)]);
    near("C", &found.output_matrix, &[0.0, -m * g / M, 0.0, 0.0, 1.0, l, 0.0, 0.0]);
    near("D", &found.feedthrough, &[1.0 / M, 0.0]);
}

/// A redundant pair of rows: outputs that read accelerations and multipliers, against differences on the constraints.
#[test]
fn outputs_through_redundant_constraints() {
    let text = "parameter m = 1.3, l = 0.5, g = 9.81
        input u = 0.4
        coordinate x, y
        kinetic m/2*(x'^2 + y'^2)
        potential m*g*y
        constraint rod: x^2 + y^2 = l^2
        constraint again: 3*x^2 + 3*y^2 = 3*l^2
        force x = u*cos(y)
        initial x = 0.3, y ~ -1, x' = 1
        output a = y'', pull = multiplier(rod), both = multiplier(again)*u\n";
    let mut model = load(text);
    let found = linear(&mut model, "");
    let outputs = |u: f64, x: f64, v: f64| {
        let input = vec![("u".to_owned(), Signal::Expression(format!("{u:?}")))];
        let mut model = load_with(text, &Overrides { input, ..Overrides::default() });
        let state = model
            .operating_point(&format!("x = {x:?}, x' = {v:?}, y = {:?}", -(0.25 - x * x).sqrt()))
            .unwrap();
        model.evaluate(&state).unwrap().outputs
    };
    let h = 1e-4;
    let slope = |f: &dyn Fn(f64) -> Vec<f64>| -> Vec<f64> {
        let at = |h: f64| -> Vec<f64> { f(h).iter().zip(f(-h)).map(|(a, b)| (a - b) / (2.0 * h)).collect() };
        at(h / 2.0).iter().zip(at(h)).map(|(a, b)| (4.0 * a - b) / 3.0).collect()
    };
    let by_x = slope(&|h| outputs(0.4, 0.3 + h, 1.0));
    let by_v = slope(&|h| outputs(0.4, 0.3, 1.0 + h));
    let by_u = slope(&|h| outputs(0.4 + h, 0.3, 1.0));
    assert_eq!(found.states, ["x", "x'"]);
    for r in 0..3 {
        // Differences with one extrapolation.
        for (value, expected) in [
            (found.output_matrix[2 * r], by_x[r]),
            (found.output_matrix[2 * r + 1], by_v[r]),
            (found.feedthrough[r], by_u[r]),
        ] {
            below("outputs", (value - expected).abs() / (1.0 + expected.abs()), 1e-8);
        }
    }
}

/// The value of an input is where the system is taken; one that is given as an expression is no input any more.
#[test]
fn inputs_from_outside() {
    let text = "input u = 1, w = 0\ncoordinate x\nkinetic x'^2/2\nforce x = u^2 + w\noutput y = x''\n";
    let given = |u: &str| {
        let input = vec![("u".to_owned(), Signal::Expression(u.to_owned()))];
        load_with(text, &Overrides { input, ..Overrides::default() })
    };
    assert_eq!(linear(&mut given("3"), "").feedthrough, [6.0, 1.0]);
    let closed = linear(&mut given("-2*x"), "x = 1");
    assert_eq!(
        (closed.inputs.as_slice(), closed.output_matrix.as_slice()),
        (["w".to_owned()].as_slice(), [8.0, 0.0].as_slice())
    );
}

/// Errors of a requirement decay as they are told to, and the rest swings on its own.
#[test]
fn controlled_systems() {
    let text = "parameter m = 2, k = 3
        coordinate x, y
        kinetic x'^2/2 + m/2*y'^2
        potential k/2*(x - y)^2
        require held: x = 0 decay 3, 2
        actuate x
        output push = control(x)\n";
    let found = linear(&mut load(text), "");
    let mut values: Vec<(f64, f64)> = found.eigen.values.iter().map(|v| (v.re, v.im)).collect();
    values.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let swing = 1.5f64.sqrt();
    for ((re, im), (a, b)) in values.iter().zip([(-2.0, 0.0), (-1.0, 0.0), (0.0, -swing), (0.0, swing)]) {
        below("eigenvalues", (re - a).abs().max((im - b).abs()), 1e-12);
    }
    // x'' = -3 x' - 2 x = -k (x - y) + push.
    near("C", &found.output_matrix, &[1.0, -3.0, -3.0, 0.0]);
}

/// Watt's governor, whose speed the forces decide: the linear system about the steady motion that is found.
#[test]
fn governor() {
    let text = "parameter m = 1, l = 0.5, J = 0.2, g = 9.81, c = 0.5, k = 3, load = 1
        input steam = 0
        coordinate phi, th
        kinetic J/2*phi'^2 + m*l^2*(th'^2 + sin(th)^2*phi'^2)
        potential -2*m*g*l*cos(th)
        force phi = k*(cos(th) - 0.3) - load + steam
        force th = -c*th'
        output speed = phi'
        initial phi' = 5, th = 0.8\n";
    let mut model = load(text);
    let begin = start(&mut model);
    let linearizer = Linearizer::new(&mut model, &[]).unwrap();
    let state = linearizer.settle(&mut model, &begin).unwrap();
    let found = linearizer.at(&mut model, &state).unwrap();
    let sin = 1.0 - (0.3f64 + 1.0 / 3.0).powi(2);
    let row = found.states.iter().position(|s| s == "phi'").unwrap();
    below("steam", (found.input_matrix[row] - 1.0 / (0.2 + 0.5 * sin)).abs(), 1e-11);
}
