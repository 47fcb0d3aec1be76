//! Hamilton's equations (H1) in symbols: the Legendre transform, and the motion they describe.

use crate::support::*;
use dalembert::equations::{Form, write};
use dalembert::hamilton::Canonical;
use dalembert::run::State;
use dalembert::{Request, Workspace};
use dalembert_expr::{Derivation, Expr, Format, Pool, Symbol};
use insta::assert_snapshot;

const QUADRATIC: &[&str] = &[
    "pendulum",
    "double_pendulum",
    "rolling_disk",
    "rolling_disk_lean",
    "renton_pendulum",
    "chaplygin_sleigh_quasi",
    "suslov",
    "rigid_body",
    "heavy_top",
    "bead_hoop_rheonomic",
    "particle_E0",
    "foucault",
    "ziegler_column",
    "units_pendulum",
    "one_sided_spring",
    "bead_rod",
    "double_pendulum_cartesian",
    "ball_turntable",
];

fn written(text: &str) -> String {
    write(&mut load(text), Form::Hamilton, Format::Text).unwrap_or_else(|d| panic!("{}", d.message))
}

fn values(model: &mut Workspace, state: &State, more: &[(Symbol, f64)], list: &[Expr]) -> Vec<f64> {
    let form = &model.form;
    let mut known: Vec<(Symbol, f64)> = more.to_vec();
    known.push((form.time, state.t));
    known.extend(form.parameters.iter().copied().zip(model.compiled.parameters().iter().copied()));
    known.extend(form.coordinates.iter().copied().zip(state.x.iter().copied()));
    known.extend(form.speeds.iter().copied().zip(state.eta.iter().copied()));
    let value = |s: Symbol| known.iter().find(|(k, _)| *k == s).map_or(f64::NAN, |(_, v)| *v);
    model.system.pool.evaluate_all(list, value)
}

#[test]
fn canonical_equations_are_those_of_the_explicit_form() {
    for name in QUADRATIC {
        let mut model = load_file(name);
        let canonical = Canonical::of(&mut model).unwrap_or_else(|d| panic!("{name}: {}", d.message));
        let form = model.form.clone();
        let images = form.coordinates.iter().copied().zip(form.x_dot.iter().copied());
        let mut total = Derivation::new(images.chain([(form.time, Pool::ONE)]));
        let pool = &mut model.system.pool;
        let held: Vec<Expr> = form.momenta.iter().map(|y| total.apply(pool, *y)).collect();
        let mut rng = Rng::new(11);
        for _ in 0..10 {
            let (x, eta) = (rng.numbers(form.coordinates.len()), rng.numbers(form.speeds.len()));
            let state = State::new(rng.number(0.0, 2.0), &x, &eta);
            let Ok(now) = model.evaluate(&state) else { continue }; // rows may degenerate off the constraint
            let n = eta.len();
            let y = values(&mut model, &state, &[], &form.momenta);
            let more: Vec<(Symbol, f64)> = canonical.momenta.iter().copied().zip(y.iter().copied()).collect();
            let nowhere = State::new(state.t, &x, &vec![f64::NAN; n]); // only momenta may be used
            let scale = 1.0 + largest(&now.terms.Q) + largest(&now.solution.ideal_force) + largest(&y);
            let speeds = values(&mut model, &nowhere, &more, &canonical.speeds);
            below(&format!("eta(y) of {name}"), apart(&speeds, &eta), 1e-10);
            let x_dot = values(&mut model, &nowhere, &more, &canonical.x_dot);
            below(&format!("x' of {name}"), apart(&x_dot, &now.terms.x_dot), 1e-10);
            // y' = M eta' + D(dL/d eta) = y_dot + A^T lambda
            let held = values(&mut model, &state, &[], &held);
            let y_dot = values(&mut model, &nowhere, &more, &canonical.y_dot);
            let left: Vec<f64> = (0..n)
                .map(|p| {
                    held[p] + (0..n).map(|q| now.terms.M[p * n + q] * now.solution.eta_dot[q]).sum::<f64>()
                })
                .collect();
            let right: Vec<f64> = y_dot.iter().zip(&now.solution.ideal_force).map(|(a, b)| a + b).collect();
            below(&format!("y' of {name}"), apart(&left, &right) / scale, 1e-10);
            let h = values(&mut model, &nowhere, &more, &[canonical.hamiltonian]);
            if let Some(energy) = now.energy {
                below(&format!("H of {name}"), (h[0] - energy).abs() / scale, 1e-10);
            }
        }
    }
}

#[test]
fn a_free_body_in_momenta() {
    assert_snapshot!(written(&model_text("rigid_body")), @r"
    H = p_w1^2/(2*I1) + p_w2^2/(2*I2) + p_w3^2/(2*I3)
    w1 = p_w1/I1
    w2 = p_w2/I2
    w3 = p_w3/I3
    e0' = -e1*p_w1/(2*I1) - e2*p_w2/(2*I2) - e3*p_w3/(2*I3)
    e1' = e0*p_w1/(2*I1) - e3*p_w2/(2*I2) + e2*p_w3/(2*I3)
    e2' = e3*p_w1/(2*I1) + e0*p_w2/(2*I2) - e1*p_w3/(2*I3)
    e3' = e1*p_w2/(2*I2) - e2*p_w1/(2*I1) + e0*p_w3/(2*I3)
    p_w1' = -p_w2*p_w3*(1/I2 - 1/I3)
    p_w2' = p_w1*p_w3*(1/I1 - 1/I3)
    p_w3' = -p_w1*p_w2*(1/I1 - 1/I2)
    ");
}

#[test]
fn a_rolling_disk_in_momenta() {
    assert_snapshot!(written(&model_text("rolling_disk")), @r"
    H = p_psi^2/(2*I) + p_theta^2/(2*J) + (p_x^2 + p_y^2)/(2*m)
    x' = p_x/m
    y' = p_y/m
    psi' = p_psi/I
    theta' = p_theta/J
    p_x' = lambda_rolling.x
    p_y' = lambda_rolling.y
    p_psi' = 0
    p_theta' = -r*(cos(psi)*lambda_rolling.x + sin(psi)*lambda_rolling.y)
    p_x/m - r*cos(psi)*p_theta/J = 0
    p_y/m - r*sin(psi)*p_theta/J = 0
    ");
}

#[test]
fn a_spherical_pendulum_in_redundant_canonical_coordinates() {
    let text = "parameter m = 1, l = 1, g = 9.81
        coordinate x, y, z
        kinetic m/2*(x'^2 + y'^2 + z'^2)
        potential m*g*z
        constraint rod: x^2 + y^2 + z^2 = l^2";
    assert_snapshot!(written(text), @r"
    H = m*g*z + (p_x^2 + p_y^2 + p_z^2)/(2*m)
    x' = p_x/m
    y' = p_y/m
    z' = p_z/m
    p_x' = 2*x*lambda_rod
    p_y' = 2*y*lambda_rod
    p_z' = 2*z*lambda_rod - m*g
    x^2 + y^2 + z^2 - l^2 = 0
    ");
}

#[test]
fn what_has_no_closed_form_is_refused_with_the_reason() {
    let singular = "coordinate x, y\nkinetic (x' + y')^2/2\npotential x^2 + y^2";
    let many = "coordinate q[1..9]\nkinetic sum(i in 1..9, q[i]'^2)";
    let mixed = "coordinate x, y\nkinetic x'^4 + y'^2 + x'^2*y'^2";
    for (text, word) in [
        (mixed.to_owned(), "H has no closed form here"),
        (model_text("pendulum_massless"), "`theta'` has no inertia"),
        (singular.to_owned(), "singular"),
        (many.to_owned(), "this model has 9"),
    ] {
        let refused = write(&mut load(&text), Form::Hamilton, Format::Text).expect_err("refused");
        assert_eq!(refused.code.id(), "E0804");
        assert!(refused.message.contains(word), "{}", refused.message);
    }
}

#[test]
fn momenta_have_names_in_every_format() {
    let mut model = load("coordinate q[1..2]\nspeed u = q[1]' + q[2]', v = q[2]'\nkinetic (u^2 + v^2)/2");
    let python = write(&mut model, Form::Hamilton, Format::Python).expect("a closed form");
    assert!(python.contains("hamiltonian = ") && python.contains("p_u = Symbol(\"p_u\")"), "{python}");
    let mut model = load("coordinate q[1..2]\nkinetic (q[1]'^2 + q[2]'^2)/2\npotential q[1]*q[2]");
    let python = write(&mut model, Form::Hamilton, Format::Python).expect("a closed form");
    assert!(python.contains("p_q_1_dot = -q_2") && python.contains("q_1_dot = p_q_1"), "{python}");
    let latex = write(&mut model, Form::Hamilton, Format::Latex).expect("a closed form");
    assert!(latex.contains(r"\dot{p}_{q,1} &= -q_{2}"), "{latex}");
}

/// Renton, slide 49: over a parameter tau the Lagrangian is L(q, q'/t') t', and the momentum of time is -H. The mass matrix
/// is singular along the flow; a clock `T' = 1` fixes the parameter.
#[test]
fn time_as_a_coordinate() {
    let text = "parameter m = 1.3, k = 2
        coordinate x, T
        lagrangian m*x'^2/(2*T') - k*x^2*T'/2
        constraint clock: T' = 1
        initial x = 0.7, x' = 0.4, T' = 1";
    let written = write(&mut load(text), Form::Poincare, Format::Text).unwrap();
    assert!(written.contains("\np_T = -k*x^2/2 - m*x'^2/(2*T'^2)\n"), "{written}");
    let motion = run(&mut load(text), &Request { rtol: Some(1e-12), ..until(2.0) });
    let [t, T, x, v] = ["t", "T", "x", "x'"].map(|name| column(&motion, name));
    let w = (2.0f64 / 1.3).sqrt();
    for k in 0..t.len() {
        // The closed form of the oscillator.
        below("time", (T[k] - t[k]).abs(), 1e-12);
        below("x", (x[k] - 0.7 * (w * t[k]).cos() - 0.4 / w * (w * t[k]).sin()).abs(), 1e-10);
        below("-p_T = H", (x[k] * x[k] + 0.65 * v[k] * v[k] - (0.49 + 0.65 * 0.16)).abs(), 1e-10);
    }
}
