//! Poincare and Chetaev: structure coefficients (L1), rates of momenta (L2), and the measure of nonholonomy (H5).

use crate::support::*;
use dalembert::Workspace;
use dalembert::equations::{Form, write};
use dalembert::poincare::{Poincare, linear_rows};
use dalembert_expr::{Derivation, Expr, Format, Pool, Symbol, Zero};
use insta::assert_snapshot;

fn written(text: &str) -> String {
    write(&mut load(text), Form::Poincare, Format::Text).unwrap_or_else(|d| panic!("{}", d.message))
}

/// Values of the model's symbols at a random state, parameters as they are.
fn random_values(model: &Workspace, rng: &mut Rng) -> impl Fn(Symbol) -> f64 + use<> {
    let form = &model.form;
    let mut known: Vec<(Symbol, f64)> =
        form.parameters.iter().copied().zip(model.compiled.parameters().iter().copied()).collect();
    let state: Vec<Symbol> = form.coordinates.iter().chain(&form.speeds).copied().collect();
    known.extend(state.iter().zip(rng.numbers(state.len())).map(|(s, v)| (*s, v)));
    known.push((form.time, rng.number(0.0, 2.0)));
    move |s| known.iter().find(|(k, _)| *k == s).map_or(f64::NAN, |(_, v)| *v)
}

#[test]
fn a_free_body_has_the_constants_of_so3_and_eulers_equations() {
    // Reference F1: [X_i, X_j] = eps_ijk X_k, I1 w1' = (I2 - I3) w2 w3.
    assert_snapshot!(written(&model_text("rigid_body")), @r"
    e0' = -e1*w1/2 - e2*w2/2 - e3*w3/2
    e1' = e0*w1/2 - e3*w2/2 + e2*w3/2
    e2' = e3*w1/2 + e0*w2/2 - e1*w3/2
    e3' = e1*w2/2 - e2*w1/2 + e0*w3/2
    # L1: [X_q, X_p] = C[q,p,r] X_r, C[p,q,r] = -C[q,p,r]; those not written vanish
    C[w1,w2,w3] = 1
    C[w1,w3,w2] = -1
    C[w2,w3,w1] = 1
    p_w1 = I1*w1
    p_w2 = I2*w2
    p_w3 = I3*w3
    p_w1' = w2*w3*(I2 - I3)
    p_w2' = -w1*w3*(I1 - I3)
    p_w3' = w1*w2*(I1 - I2)
    ");
}

#[test]
fn the_rolling_disk_is_not_holonomic() {
    assert_snapshot!(written(&model_text("rolling_disk")), @r"
    # L1: the frame has no structure coefficients
    p_x = m*x'
    p_y = m*y'
    p_psi = I*psi'
    p_theta = J*theta'
    p_x' = lambda_rolling.x
    p_y' = lambda_rolling.y
    p_psi' = 0
    p_theta' = -r*(cos(psi)*lambda_rolling.x + sin(psi)*lambda_rolling.y)
    x' - r*theta'*cos(psi) = 0
    y' - r*theta'*sin(psi) = 0
    # H5: Omega0_a, Omega_a[q,p] of rows linear in the speeds, antisymmetric; those not written vanish
    Omega_rolling.x[psi,theta] = r*sin(psi)
    Omega_rolling.y[psi,theta] = -r*cos(psi)
    # H5: nonholonomy N_a, zero for holonomic rows, in any frame
    nonholonomy_rolling.x = [0, 0, r*theta'*sin(psi), -r*psi'*sin(psi)]
    nonholonomy_rolling.y = [0, 0, -r*theta'*cos(psi), r*psi'*cos(psi)]
    ");
}

const SPHERICAL: &str = "parameter m = 1, l = 1, g = 9.81
    coordinate x, y, z
    kinetic m/2*(x'^2 + y'^2 + z'^2)
    potential m*g*z
    constraint rod: x^2 + y^2 + z^2 = l^2
    initial x = 0.6, z ~ -0.8, y' = 1";

#[test]
fn the_spherical_pendulum_in_redundant_coordinates_is_holonomic() {
    assert_snapshot!(written(SPHERICAL), @r"
    # L1: the frame has no structure coefficients
    p_x = m*x'
    p_y = m*y'
    p_z = m*z'
    p_x' = 2*x*lambda_rod
    p_y' = 2*y*lambda_rod
    p_z' = 2*z*lambda_rod - m*g
    x^2 + y^2 + z^2 - l^2 = 0
    # H5: Omega0_a, Omega_a[q,p] of rows linear in the speeds, antisymmetric; those not written vanish
    # H5: nonholonomy N_a, zero for holonomic rows, in any frame
    nonholonomy_rod = [0, 0, 0]
    ");
}

/// Holonomic constraints in coordinates, quasi-velocities, quaternions, and moving frames.
fn holonomic_models() -> Vec<String> {
    let quasi = "parameter m = 1.3, I = 0.4
        coordinate x, y, theta
        speed u = x'*cos(theta) + y'*sin(theta), v = -x'*sin(theta) + y'*cos(theta), w = theta'
        kinetic m/2*(x'^2 + y'^2) + I/2*theta'^2
        constraint rod: x^2 + y^2 = 1 + 0.1*sin(t)
        constraint gear: theta = x*y";
    let moving = "parameter W = 0.7
        coordinate x, y, z
        speed u = x'*cos(W*t) + y'*sin(W*t) + y, v = -x'*sin(W*t) + y'*cos(W*t), w = (1 + x^2)*z' + t
        kinetic (x'^2 + y'^2 + z'^2)/2
        constraint bowl: z = x^2 + y^2*(1 + t)";
    let body = model_text("heavy_top") + "\nconstraint tilt: gamma.z + 0.2*gamma.x = 0.8 + 0.1*t";
    let names = ["pendulum_index3", "double_pendulum_cartesian", "bead_hoop_rheonomic", "slider_crank"];
    let files = names.iter().map(|n| model_text(n));
    files.chain([quasi.to_owned(), moving.to_owned(), body, SPHERICAL.to_owned()]).collect()
}

#[test]
fn the_measure_of_nonholonomy_vanishes_for_holonomic_rows_in_every_frame() {
    let mut omegas_alone = 0;
    for text in holonomic_models() {
        let mut model = load(&text);
        let rows = linear_rows(&mut model);
        assert!(!rows.is_empty(), "{text}");
        for row in rows.iter().filter(|row| model.system.constraints.rows[row.row].holonomic) {
            for (p, e) in row.nonholonomy.iter().enumerate() {
                let name = &model.system.constraints.rows[row.row].name;
                let pool = &mut model.system.pool;
                assert_eq!(pool.is_zero(*e), Zero::Yes, "{name}, speed {p}: {}\n{text}", pool.text(*e));
            }
            let all = row.omega.iter().flatten().chain(&row.omega_zero);
            omegas_alone += usize::from(all.copied().any(|e| e != Pool::ZERO));
        }
    }
    // The Omegas of holonomic rows do not vanish in quasi-velocities.
    assert!(omegas_alone >= 3, "{omegas_alone}");
}

#[test]
fn the_measure_of_nonholonomy_is_a_covector() {
    // Blade of a sleigh: in coordinates (x, y, theta) it is what the quasi-velocities say, carried over by d eta/dx'.
    let coordinates = "coordinate x, y, theta
        kinetic (x'^2 + y'^2 + theta'^2)/2
        constraint blade: y'*cos(theta) - x'*sin(theta) = 0";
    let mut plain = load(coordinates);
    let rows = linear_rows(&mut plain);
    let texts: Vec<String> = rows[0].nonholonomy.iter().map(|e| plain.system.pool.text(*e)).collect();
    assert_eq!(texts, ["theta'*cos(theta)", "theta'*sin(theta)", "-x'*cos(theta) - y'*sin(theta)"]);
    let mut quasi = load_file("chaplygin_sleigh_quasi");
    let rows = linear_rows(&mut quasi);
    let texts: Vec<String> = rows[0].nonholonomy.iter().map(|e| quasi.system.pool.text(*e)).collect();
    assert_eq!(texts, ["omega", "0", "-v"]);
}

#[test]
fn rates_of_momenta_are_the_force_of_the_kernel_form() {
    // L2 against L3: rates - D(dL/d eta) = Q, for every model that has a Lagrangian.
    let mut rng = Rng::new(21);
    let mut seen = 0;
    for name in model_names() {
        let mut model = load_file(&name);
        let Ok(equations) = Poincare::of(&mut model) else { continue };
        seen += 1;
        let form = model.form.clone();
        let images = form.coordinates.iter().copied().zip(form.x_dot.iter().copied());
        let mut total = Derivation::new(images.chain([(form.time, Pool::ONE)]));
        let pool = &mut model.system.pool;
        let held: Vec<Expr> = equations.momenta.iter().map(|y| total.apply(pool, *y)).collect();
        for _ in 0..3 {
            let value = random_values(&model, &mut rng);
            let pool = &mut model.system.pool;
            let values = |pool: &mut Pool, list: &[Expr]| pool.evaluate_all(list, &value);
            let (rates, held, force) =
                (values(pool, &equations.rates), values(pool, &held), values(pool, &form.force));
            let left: Vec<f64> = rates.iter().zip(&held).map(|(r, d)| r - d).collect();
            if force.iter().any(|v| v.is_nan()) {
                continue; // a random state may lie outside a root
            }
            let scale = 1.0 + largest(&force) + largest(&held);
            below(&format!("L2 of {name}"), apart(&left, &force) / scale, 1e-12);
        }
    }
    assert!(seen > 30, "only {seen} models have a Lagrangian");
}

#[test]
fn what_the_form_does_not_contain_is_refused() {
    for (text, word) in [
        ("coordinate x\nmass [[2]]\nforce x = -x".to_owned(), "Lagrangian"),
        (model_text("rough_incline"), "friction"),
        (model_text("double_pendulum_track"), "control"),
        ("parameter p_x = 2\ncoordinate x\nkinetic p_x*x'^2/2".to_owned(), "p_x"),
    ] {
        for form in [Form::Poincare, Form::Hamilton] {
            let refused = write(&mut load(&text), form, Format::Text).expect_err("refused");
            assert_eq!(refused.code.id(), "E0804");
            assert!(refused.message.contains(word), "{}", refused.message);
        }
    }
}
