//! Motions in momenta (H1) against motions in speeds (U1): every column, every output.

use crate::support::*;
use dalembert::momentum_form::Momenta;
use dalembert::run::{Flow, Stop};
use dalembert::{MotionForm, Request};

/// Largest difference of any column, relative to the size of that column.
fn forms_apart(text: &str, form: MotionForm, until: f64) -> f64 {
    let request = sharply_until(until);
    let explicit = run(&mut load(text), &request);
    let other = run(&mut load(text), &Request { form, ..request });
    assert!(explicit.table.columns.iter().all(|name| other.table.columns.contains(name)));
    // On which side of a jump of a force an event stands, rounding decides.
    let stopped = matches!(explicit.outcome.stop, Stop::Event(_));
    let shown = explicit.table.rows().count() - usize::from(stopped);
    let apart = |name: &String| {
        let (a, b) = (column(&explicit, name), column(&other, name));
        assert_eq!(a.len(), b.len(), "as many rows in both");
        apart(&a[..shown], &b[..shown]) / (1.0 + largest(&a))
    };
    largest(&explicit.table.columns.iter().map(apart).collect::<Vec<_>>())
}

const UNCONSTRAINED: &[(&str, f64)] = &[
    ("pendulum", 3.0),
    ("double_pendulum", 2.0),
    ("rigid_body", 5.0),
    ("heavy_top", 5.0),
    ("foucault", 5.0),
    ("bead_hoop", 3.0),
    ("ziegler_column", 2.0),
    ("relativistic_particle", 5.0),
    ("spring_pendulum_stiff", 0.1),
];

const CONSTRAINED: &[(&str, f64)] = &[
    ("pendulum_index3", 3.0),
    ("renton_pendulum", 2.0),
    ("double_pendulum_cartesian", 1.5),
    ("pendulum_redundant", 2.0),
    ("bead_hoop_rheonomic", 2.0),
    ("slider_crank", 1.0),
    ("rolling_disk", 5.0),
    ("rolling_disk_lean", 2.0),
    ("chaplygin_sleigh", 2.0),
    ("chaplygin_sleigh_quasi", 2.0),
    ("suslov", 3.0),
    ("ball_turntable", 3.0),
    ("appell_hamel", 1.0),
    ("appell_nonideal", 1.0),
    ("incline_nonideal", 1.0),
];

/// The same row twice, in other words.
const REDUNDANT: &str = "coordinate x, y
    kinetic (x'^2 + y'^2)/2
    potential 9.81*y
    constraint rod: x^2 + y^2 = 1
    constraint again: 2*x*x' + 2*y*y' = 0
    initial x = 1, y ~ 0";

#[test]
fn momenta_and_speeds_give_one_motion() {
    for (name, until) in UNCONSTRAINED.iter().chain(CONSTRAINED) {
        // Two runs at rtol 1e-12, errors grown over a few characteristic times.
        below(name, forms_apart(&model_text(name), MotionForm::Hamilton, *until), 1e-9);
    }
    // Masses of one make momenta of speeds: here they are neither one nor apart nor constant.
    let heavy = "kinetic (2 + 0.3*sin(x))*x'^2 + 0.7*x'*y' + 1.4*y'^2";
    let redundant = REDUNDANT.replace("kinetic (x'^2 + y'^2)/2", heavy);
    let slope = model_text("incline_nonideal").replace("kinetic m/2*(x'^2 + y'^2)", heavy);
    let cone =
        model_text("appell_nonideal").replace("kinetic (", "kinetic (1.5 + 0.2*cos(x))*x'^2 + 0.4*x'*z' + (");
    let chain = model_text("double_pendulum_cartesian").replace("m1 = 1, m2 = 1", "m1 = 1.7, m2 = 0.6");
    for (what, text, until) in [
        ("redundant rows", redundant, 2.0),
        ("rough slope", slope, 0.5),
        ("cone", cone, 0.5),
        ("chain", chain, 1.5),
    ] {
        below(what, forms_apart(&text, MotionForm::Hamilton, until), 1e-9);
    }
}

#[test]
fn the_pendulum_in_redundant_canonical_coordinates_has_the_reference_values() {
    // Reference F2: m = l = 1, g = 9.81, start (1, 0) at rest; lambda in p' = -dH/dq - lambda df/dq.
    let text = "parameter g = 9.81
        coordinate x, y
        kinetic (x'^2 + y'^2)/2
        potential g*y
        constraint rod: x^2 + y^2 = 1
        initial x = 1, y ~ 0
        output lambda = -multiplier(rod)";
    for form in [MotionForm::Hamilton, MotionForm::Suslov] {
        let motion = run(&mut load(text), &Request { form, ..sharply_until(3.0) });
        for (name, value) in [
            ("x", -0.176_651_789_922_838_2),
            ("y", -0.984_273_409_737_892_6),
            ("lambda", 14.483_583_224_293_09),
        ] {
            below(&format!("{name}(3) in {form:?}"), (last(&motion, name) - value).abs(), 1e-10);
        }
        below("length of the rod", motion.outcome.largest_position_residual, 1e-10);
    }
}

#[test]
fn the_free_body_has_the_reference_values_in_momenta() {
    // Reference F1.
    let text = model_text("rigid_body").replace("w1 = 0.01, w2 = 5, w3 = 0.01", "w1 = 1, w2 = 0.2, w3 = 0.3");
    let motion = run(&mut load(&text), &Request { form: MotionForm::Hamilton, ..sharply_until(7.0) });
    let wanted = [0.903_016_117_861_640_6, -0.473_879_616_445_033, -0.168_758_317_442_339_6];
    for (name, value) in ["w1", "w2", "w3"].iter().zip(wanted) {
        below(name, (last(&motion, name) - value).abs(), 1e-10);
    }
}

#[test]
fn speeds_are_found_back_from_momenta() {
    let mut model = load_file("relativistic_particle");
    let kernel = Momenta::new(&mut model).expect("a Lagrangian");
    for speed in [0.0, 0.1, 0.6, 0.99, 0.999_999] {
        let mut state = start(&mut model);
        state.eta = vec![0.6 * speed, -0.8 * speed];
        let canonical = kernel.momenta_of(&state).expect("momenta");
        let back = kernel.speeds_of(canonical.point()).expect("speeds");
        below(&format!("{speed} c"), apart(&back, &state.eta), 1e-14);
    }
}

#[test]
fn events_work_and_stopping_are_the_same_in_momenta() {
    let text = "parameter c = 0.3
        coordinate x, y
        kinetic (x'^2 + y'^2)/2
        potential 9.81*y
        constraint rod: x^2 + y^2 = 1
        force x = -c*x'
        initial x = 1, y ~ 0
        output W = work(nonconservative)
        event lowest: x
        event slack: multiplier(rod) + 12 stop";
    let request = Request { balance: Some(true), ..sharply_until(5.0) };
    let explicit = run(&mut load(text), &request);
    for form in [MotionForm::Hamilton, MotionForm::Suslov] {
        let other = run(&mut load(text), &Request { form, ..request.clone() });
        assert_eq!(explicit.events.len(), other.events.len());
        for (a, b) in explicit.events.iter().zip(&other.events) {
            assert_eq!(a.name, b.name);
            below(&format!("time of {}", a.name), (a.t - b.t).abs(), 1e-9);
        }
        assert!(
            matches!(other.outcome.stop, Stop::Event(_)) == matches!(explicit.outcome.stop, Stop::Event(_))
        );
        below("work", (last(&explicit, "W") - last(&other, "W")).abs(), 1e-8);
        below("end", apart(&explicit.outcome.state.eta, &other.outcome.state.eta), 1e-8);
    }
}

#[test]
fn what_has_no_momenta_is_refused() {
    let curved =
        "coordinate x, y\nlagrangian -sqrt(1 - x'^2 - y'^2)\nconstraint x^2 + y^2 = 1\ninitial x = 1";
    for (text, word) in [
        (model_text("pendulum_massless"), "do not determine the speeds"),
        (model_text("rough_incline"), "friction"),
        (model_text("double_pendulum_track"), "control"),
        (model_text("vibration_absorber"), "Lagrangian"),
        (curved.to_owned(), "quadratic"),
    ] {
        let request = Request { form: MotionForm::Hamilton, ..until(1.0) };
        let refused = load(&text).simulate(&request, |_| Flow::Continue).expect_err("refused");
        assert_eq!(refused.code.id(), "E0804");
        assert!(refused.message.contains(word), "{}", refused.message);
    }
}

#[test]
fn implicit_and_fixed_step_methods_work_in_momenta() {
    for method in ["radau", "tsit5", "rk4"] {
        let request = Request { method: Some(method.into()), every: Some(0.005), ..sharply_until(1.0) };
        let mut model = load_file("rolling_disk_lean");
        let explicit = run(&mut model, &request);
        let other = run(&mut model, &Request { form: MotionForm::Hamilton, ..request });
        // RK4 with steps of 0.005 is good to 1e-8 here; the others to their tolerance.
        below(method, motions_apart(&explicit, &other, &["x", "y", "psi", "theta", "phi"]), 1e-7);
    }
}

#[test]
fn momenta_are_columns_behind_the_speeds() {
    let text = "parameter m = 2
        coordinate x, y
        speed w = x', u = x' + y'
        kinetic m/2*w^2 + u^2/2
        potential x*y
        initial x = 1, u = 0.3
        output z = x + y";
    let motion = run(&mut load(text), &Request { form: MotionForm::Hamilton, ..until(1.0) });
    assert_eq!(motion.table.columns, ["t", "x", "y", "w", "u", "p_w", "p_u", "z"]);
    below("p_w", largest(&motion.table.rows().map(|r| r[5] - 2.0 * r[3]).collect::<Vec<_>>()), 1e-14);
    below("p_u", largest(&motion.table.rows().map(|r| r[6] - r[4]).collect::<Vec<_>>()), 1e-14);
}

/// Two light fingers that stay where they are, on an arm that swings: their momenta carry the rounding of its own.
#[test]
fn rows_of_light_bodies_hold_in_momenta() {
    let text = "gravity [0, 0, -9.81]
        body arm: rod 1.5 from [0, 0, 0] to [0.6, 0.2, 0]
        body l: mass 0.015, inertia [2e-6, 2e-6, 1e-6]
        body r: mass 0.015, inertia [2e-6, 2e-6, 1e-6]
        joint turn: universal ground to arm
        joint one: slider arm at [0.6, 0.2, 0.0584] turned rpy(0.3, 0.2, 0.7853981633) to l, axis [0, 1, 0]
        joint two: slider arm at [0.6, 0.2, 0.0584] turned rpy(0.3, 0.2, 0.7853981633) to r, axis [0, -1, 0]
        damper d1: 0.3 at one
        damper d2: 0.3 at two
        constraint follows: two = one
        initial turn.first = 0.3, turn.second = 2.3, turn.first' = 5";
    let mut model = load(text);
    for end in [0.1, 0.2, 0.3, 0.5, 0.8, 1.0] {
        let motion = run(&mut model, &Request { form: MotionForm::Hamilton, ..until(end) });
        let (one, two) = (column(&motion, "one"), column(&motion, "two"));
        assert!(apart(&one, &two) < 3e-15, "{end}");
    }
}
