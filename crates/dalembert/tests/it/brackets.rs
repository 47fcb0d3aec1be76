//! Brackets as they are asked for: signs, evolution along computed motions, multipliers against U2, and refusals.

use crate::support::*;
use dalembert::run::State;
use dalembert::{Request, Workspace};
use dalembert_expr::{Expr, Symbol};

/// The value of an expression over (x, y, t) at a state, with momenta dL/d eta there.
fn value(model: &mut Workspace, e: Expr, state: &State) -> f64 {
    let form = model.form.clone();
    let mut known: Vec<(Symbol, f64)> =
        form.parameters.iter().copied().zip(model.compiled.parameters().iter().copied()).collect();
    known.extend(form.coordinates.iter().copied().zip(state.x.iter().copied()));
    known.extend(form.speeds.iter().copied().zip(state.eta.iter().copied()));
    known.push((form.time, state.t));
    let find = |known: &[(Symbol, f64)], s: Symbol| {
        known.iter().find(|(k, _)| *k == s).map_or(f64::NAN, |(_, v)| *v)
    };
    let momenta = model.system.pool.evaluate_all(&form.momenta, |s| find(&known, s));
    for (speed, y) in model.system.frame.speeds.iter().zip(momenta) {
        let label = speed.rate_of.map_or(&speed.name, |i| &model.system.frame.coordinates[i].name);
        known.push((model.system.pool.symbol(&format!("p_{label}")), y));
    }
    model.system.pool.evaluate(e, |s| find(&known, s))
}

/// States along a motion, with their spacing.
fn along(model: &mut Workspace, until: f64, dt: f64) -> Vec<State> {
    let motion = run(model, &Request { every: Some(dt), ..sharply_until(until) });
    let n = model.form.coordinates.len();
    let state =
        |row: &[f64]| State::new(row[0], &row[1..1 + n], &row[1 + n..1 + n + model.form.speeds.len()]);
    motion.table.rows().map(state).collect()
}

const BEAD: &str = "parameter a = 0.3
    coordinate x, y, z
    kinetic (1 + 0.2*x^2)*x'^2/2 + 0.3*x'*y' + y'^2 + z'^2/2
    potential 2*z + x*y
    force x = -0.4*x' + sin(t)
    constraint hoop: x^2 + y^2 + z^2 = 1 + 0.1*t
    constraint blade: y' = a*x*z'
    initial x = 0.6, y = 0, z ~ 0.8, x' = 0.3";

/// The evolution of functions against central differences of their values along motions of the explicit form: in
/// coordinates and quasi-velocities, with position and velocity constraints, moving ones, forces without a potential.
#[test]
fn evolution_is_the_rate_along_the_motion() {
    let nonideal = format!("{BEAD}\nnonideal work -0.2*x'*delta(x)");
    for (text, functions) in [
        (model_text("double_pendulum"), ["p_theta1*sin(theta2)", "H*t"]),
        (model_text("pendulum_index3"), ["p_x*y", "x^2*p_y"]),
        (model_text("chaplygin_sleigh_quasi"), ["p_v*x", "p_omega*cos(theta) + t"]),
        (model_text("heavy_top"), ["p_w1*e0 + p_w2", "w1*w3"]),
        (model_text("rolling_disk"), ["p_theta*p_psi", "x'*p_y"]),
        (model_text("appell_hamel"), ["p_x*p_z", "x*p_y"]),
        (BEAD.to_owned(), ["p_x*p_y", "z*p_z - t*x'"]),
        (nonideal, ["p_x*p_y", "z*p_z"]),
    ] {
        let mut model = load(&text);
        let dt = 0.002;
        let states = along(&mut model, 0.2, dt);
        for f in functions {
            let answer = model.brackets(f, "t").unwrap_or_else(|d| panic!("{f}: {}", d.message));
            let rate = answer.evolution.unwrap_or_else(|| panic!("{f}: {:?}", answer.remarks));
            let values: Vec<f64> = states.iter().map(|s| value(&mut model, answer.functions[0], s)).collect();
            for k in (3..values.len() - 3).step_by(20) {
                let d = |j: usize| values[k + j] - values[k - j];
                // Sixth order; what is left is the motion's own error over dt.
                let measured = (45.0 * d(1) - 9.0 * d(2) + d(3)) / (60.0 * dt);
                let written = value(&mut model, rate, &states[k]);
                below(f, (measured - written).abs() / (1.0 + written.abs()), 1e-7);
            }
            for (k, (row, lambda)) in answer.multipliers.iter().enumerate() {
                let state = &states[states.len() / 2];
                let expected = evaluate(&model, state).solution.lambda[k];
                let written = value(&mut model, *lambda, state);
                below(row, (written - expected).abs() / (1.0 + expected.abs()), 1e-8);
            }
        }
    }
}

#[test]
fn brackets_have_the_usual_sign() {
    let mut model = load_file("heavy_top");
    let mut text = |f: &str, g: &str| {
        let answer = model.brackets(f, g).unwrap_or_else(|d| panic!("{}", d.message));
        model.system.pool.text(answer.bracket)
    };
    // Body axes: {L1, L2} = -L3. A quaternion turns by half the rate.
    assert_eq!(text("p_w1", "p_w2"), "-p_w3");
    assert_eq!(text("p_w2", "p_w1"), "p_w3");
    assert_eq!(text("e0", "p_w1"), "-e1/2");
    let mut model = load_file("kepler");
    let mut text = |f: &str, g: &str| {
        let answer = model.brackets(f, g).unwrap_or_else(|d| panic!("{}", d.message));
        model.system.pool.text(answer.bracket)
    };
    assert_eq!(text("x", "p_x"), "1");
    assert_eq!(text("x", "p_y"), "0");
    assert_eq!(text("y*p_z - z*p_y", "z*p_x - x*p_z"), "x*p_y - y*p_x");
    assert_eq!(text("x*p_y - y*p_x", "H"), "0");
}

#[test]
fn what_is_not_a_function_of_the_phase_space_is_refused() {
    let mut model = load_file("kepler");
    for (f, word) in [
        ("x +", "not an expression"),
        ("x\nforce x = 1", "not an expression"),
        ("[x, y]", "vector"),
        ("p_w", "unknown name"),
        ("p_x'", "rate of `p_x`"),
        ("x''", "rate"),
        ("energy", "not a function"),
    ] {
        let refused = model.brackets(f, "x").expect_err(f);
        assert!(refused.message.contains(word), "{f}: {}", refused.message);
    }
    // Without a Hamiltonian in closed form there is a bracket all the same.
    let mut fast = load("coordinate x, y\nkinetic x'^4 + y'^2 + x'^2*y'^2\ninitial x' = 1, y' = 1");
    let answer = fast.brackets("x*p_y", "p_x").expect("a bracket");
    assert_eq!(fast.system.pool.text(answer.bracket), "p_y");
    assert!(answer.evolution.is_none() && answer.remarks[0].contains("quadratic"), "{:?}", answer.remarks);
    assert!(fast.brackets("H", "x").is_err());
}
