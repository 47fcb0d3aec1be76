//! Requirements whose inputs are more than two derivatives away (C3): elastic joints, cranes, and what is refused.

use crate::support::*;
use dalembert::Request;
use dalembert::diagnostic::Code;
use dalembert::run::Flow;

/// A link of inertia 1 on a motor of inertia 0.2 through a spring; only the motor is driven.
const ELASTIC: &str = "
    parameter I = 1, J = 0.2, k = 50, w = 4
    coordinate q, th
    kinetic I/2*q'^2 + J/2*th'^2
    potential k/2*(q - th)^2 - w*cos(q)
    initial q = 0.1, th = 0.2, q' = -0.3
    actuate th
";

/// What is looked at.
const SHOWN: &str = "\noutput e = residual(arm), torque = control(th)";

/// The derivatives of the error at the start: h, h', h'', h''' of q - sin(t)/2.
fn errors_at_start() -> [f64; 4] {
    let (q, th, rate): (f64, f64, f64) = (0.1, 0.2, -0.3);
    let second = -50.0 * (q - th) - 4.0 * q.sin();
    let third = -50.0 * rate - 4.0 * q.cos() * rate;
    [q, rate - 0.5, second, third + 0.5]
}

/// (d/dt + 3)^4 h = 0 from its start: as four coefficients, as two for every two derivatives, as one.
#[test]
fn the_error_of_an_elastic_joint_obeys_its_law_of_fourth_order() {
    let request = Request { rtol: Some(1e-11), atol: Some(1e-13), ..until(3.0) };
    let [h0, h1, h2, h3] = errors_at_start();
    // h = (c0 + c1 t + c2 t^2 + c3 t^3) exp(-3 t): h^(k) exp(3 t) are derivatives of the polynomial shifted by d/dt + 3.
    let c =
        [h0, h1 + 3.0 * h0, (h2 + 6.0 * h1 + 9.0 * h0) / 2.0, (h3 + 9.0 * h2 + 27.0 * h1 + 27.0 * h0) / 6.0];
    for decay in ["12, 54, 108, 81", "6, 9", "9"] {
        let motion =
            run(&mut load(&format!("{ELASTIC}require arm: q = sin(t)/2 decay {decay}{SHOWN}")), &request);
        for (t, e) in column(&motion, "t").iter().zip(column(&motion, "e")) {
            let closed = (c[0] + t * (c[1] + t * (c[2] + t * c[3]))) * (-3.0 * t).exp();
            below(decay, (e - closed).abs(), 1e-8);
        }
    }
}

/// On the path the torque is that of the inverse dynamics: th = q + (I q'' + w sin q)/k, torque = J th'' + k (th - q).
#[test]
fn the_torque_of_an_elastic_joint_is_that_of_its_inverse_dynamics() {
    let text = format!("{ELASTIC}require arm: q = sin(t)/2 decay 12, 54, 108, 81{SHOWN}");
    let motion =
        run(&mut load(&text), &Request { rtol: Some(1e-11), times: Some(vec![14.0]), ..until(14.0) });
    let at = column(&motion, "t").iter().position(|t| *t == 14.0).expect("a row");
    let t = 14.0_f64;
    let (q, v, a) = (t.sin() / 2.0, t.cos() / 2.0, -t.sin() / 2.0);
    let th = q + (a + 4.0 * q.sin()) / 50.0;
    let th2 = a + (t.sin() / 2.0 + 4.0 * (a * q.cos() - v * v * q.sin())) / 50.0;
    let torque = 0.2 * th2 + 50.0 * (th - q);
    below("torque", (column(&motion, "torque")[at] - torque).abs(), 1e-6);
}

/// Damping in the joint brings the motor one derivative nearer: three coefficients, or one.
#[test]
fn a_damped_elastic_joint_has_a_law_of_third_order() {
    let damped = format!("{ELASTIC}dissipation 0.3*(q' - th')^2/2\n");
    let [h0, h1, ..] = errors_at_start();
    let h2 = -50.0 * (0.1 - 0.2) - 4.0 * 0.1_f64.sin() - 0.3 * -0.3;
    let c = [h0, h1 + 2.0 * h0, (h2 + 4.0 * h1 + 4.0 * h0) / 2.0];
    for decay in ["6, 12, 8", "4"] {
        let text = format!("{damped}require arm: q = sin(t)/2 decay {decay}{SHOWN}");
        let motion = run(&mut load(&text), &Request { rtol: Some(1e-11), ..until(2.0) });
        for (t, e) in column(&motion, "t").iter().zip(column(&motion, "e")) {
            below(decay, (e - (c[0] + t * (c[1] + t * c[2])) * (-2.0 * t).exp()).abs(), 1e-8);
        }
    }
    // A requirement on the rate of the link: psi''' + ... of the joint without damping.
    let text = format!("{ELASTIC}require arm: q' = 0.2 decay 3, 3, 1{SHOWN}");
    let motion = run(&mut load(&text), &Request { rtol: Some(1e-10), ..until(25.0) });
    let last = column(&motion, "e").last().copied().expect("rows");
    below("the rate", last.abs(), 1e-6);
}

/// A trolley with a rope that is wound: the load follows a path, which takes four derivatives in a combination of both rows.
const CRANE: &str = "
    parameter M = 3, m = 2, J = 0.5, g = 9.81
    coordinate x, l, th
    let P = [x + l*sin(th), -l*cos(th)]
    kinetic M/2*x'^2 + J/2*l'^2 + m/2*dot(P', P')
    potential m*g*P.y
    actuate x, l
    initial x = 0.2, l = 2.1, th = 0.1
    output ex = P.x - (1 - cos(t)), ey = P.y + 2 - sin(t)/2
";

/// The trolley of a load on the path: the rope points along P'' + g.
fn trolley(t: f64) -> f64 {
    let (x, y) = (1.0 - t.cos(), -2.0 + t.sin() / 2.0);
    x - y * t.cos() / (9.81 - t.sin() / 2.0)
}

#[test]
fn the_load_of_a_crane_follows_a_path() {
    let text = format!("{CRANE}require load: P = [1 - cos(t), -2 + sin(t)/2] decay 6, 9");
    let motion = run(&mut load(&text), &Request { rtol: Some(1e-11), ..until(16.0) });
    let (t, x) = (column(&motion, "t"), column(&motion, "x"));
    let (ex, ey) = (column(&motion, "ex"), column(&motion, "ey"));
    // The height is met by the rope at once: (d/dt + 3)^2 e = 0.
    for (t, e) in t.iter().zip(&ey) {
        let e0 = 2.0 - 2.1 * 0.1_f64.cos();
        let closed = (e0 + (3.0 * e0 - 0.5) * t) * (-3.0 * t).exp();
        below("height", (e - closed).abs(), 1e-8);
    }
    assert!(ex[0].abs() > 0.3);
    let last = t.len() - 1;
    below("the load", ex[last].abs(), 1e-8);
    below("the trolley", (x[last] - trolley(t[last])).abs(), 1e-8);
}

/// The crane with the load in Cartesian coordinates and the rope as a constraint (C3).
#[test]
fn natural_constraints_are_differentiated_along() {
    let text = "
        parameter M = 3, m = 2, J = 0.5, g = 9.81
        coordinate x, l, px, py
        kinetic M/2*x'^2 + J/2*l'^2 + m/2*(px'^2 + py'^2)
        potential m*g*py
        constraint rope: (px - x)^2 + py^2 = l^2
        actuate x, l
        initial x = 0.2, l ~ 2.1, px = 0.2 + 2.1*sin(0.1), py = -2.1*cos(0.1)
        require load: [px, py] = [1 - cos(t), -2 + sin(t)/2] decay 6, 9
    ";
    let polar = format!("{CRANE}require load: P = [1 - cos(t), -2 + sin(t)/2] decay 6, 9");
    let request = Request { rtol: Some(1e-11), times: Some(vec![0.5, 1.5, 4.0]), ..until(4.0) };
    let (one, two) = (run(&mut load(&polar), &request), run(&mut load(text), &request));
    for time in [0.5, 1.5, 4.0] {
        let at = |m: &dalembert::Motion, name: &str| {
            let k = column(m, "t").iter().position(|t| *t == time).expect("a row");
            column(m, name)[k]
        };
        below("x", (at(&one, "x") - at(&two, "x")).abs(), 1e-7);
        below("l", (at(&one, "l") - at(&two, "l")).abs(), 1e-7);
    }
}

/// Without `decay` all derivatives up to the inputs must hold at the start; the first that does not is named.
#[test]
fn a_start_off_a_higher_derivative_is_named() {
    let text = ELASTIC.replace("initial q = 0.1, th = 0.2, q' = -0.3", "initial th = 0.2, q' = 0.5");
    let mut model = load(&format!("{text}require arm: q = sin(t)/2"));
    let said = model.simulate(&until(1.0), |_| Flow::Continue).expect_err("this start does not hold");
    assert_eq!(said.code, Code::RequirementNotMet);
    assert!(said.message.contains("derivative 2 of `arm`"), "{}", said.message);
}

/// The number of coefficients fits the derivatives; laws whose error would grow are refused (Routh).
#[test]
fn coefficients_that_do_not_fit_are_refused() {
    let refused = |text: &str, part: &str| {
        let said = refusal(text);
        assert!(said.iter().any(|d| d.message.contains(part)), "{said:?}");
    };
    refused(&format!("{ELASTIC}require arm: q = 0 decay 3, 3, 1"), "derivative of order 4");
    refused(&format!("{ELASTIC}require arm: q = 0 decay 1, 1, 1, 5"), "positive real part");
    refused("coordinate x\nkinetic x'^2/2\nrequire x = 0 decay 3, 3, 1", "derivative of order 2");
    refused(&format!("{CRANE}require load: P = [0, -2] decay 4, 6, 4, 1"), "derivative of order 2");
}

/// What cannot be differentiated stays out of reach, and the message says why.
#[test]
fn what_has_no_closed_form_says_so() {
    let friction = format!("{ELASTIC}friction in q: limit 0.1\nrequire arm: q = 0 decay 1");
    let pushed = format!("{ELASTIC}input f = 0\nforce q = f\nrequire arm: q = 0 decay 1");
    for (text, part) in [(friction, "friction"), (pushed, "`input`")] {
        let mut model = load(&text);
        let start = start(&mut model);
        let said = model.evaluate(&start).expect_err("out of reach");
        assert_eq!(said.code, Code::Unreachable);
        let help = said.help.unwrap_or_default();
        assert!(help.contains(part), "{help}");
    }
}
