//! Least action at fixed energy (P11): closed forms, Hamilton's principle at the time found, quasi-velocities, refusals.

use crate::support::*;
use dalembert::connect::Connected;
use dalembert::{Request, Workspace};

fn at_energy(model: &mut Workspace, to: &str, via: &[&str], energy: f64) -> Connected {
    let via: Vec<String> = via.iter().map(|v| (*v).to_owned()).collect();
    let found = model.connect_at_energy(to, &via, energy, &Request::default());
    let found = found.unwrap_or_else(|d| panic!("{}", d.message));
    below("missed by", found.missed_by, 1e-9);
    found
}

const THROW: &str = "parameter m = 1.3, g = 9.81
    coordinate x, y
    kinetic m/2*(x'^2 + y'^2)
    potential m*g*y";

#[test]
fn a_throw_has_the_time_of_the_quadratic_equation() {
    // v0^2 = 2 E/m; d^2 = x^2 + y^2: g^2 T^4/4 + (g y - v0^2) T^2 + d^2 = 0, the smaller root is the flat throw.
    let (m, g, x, y, energy) = (1.3, 9.81f64, 5.0f64, 1.0f64, 45.0);
    let b = 2.0 * energy / m - g * y;
    let flat = (2.0 * (b - (b * b - g * g * (x * x + y * y)).sqrt())).sqrt() / g;
    let steep = (2.0 * (b + (b * b - g * g * (x * x + y * y)).sqrt())).sqrt() / g;
    let mut model = load(THROW);
    let action = |T: f64| {
        let (u, v) = (x / T, y / T + g * T / 2.0);
        // Integral of 2 T dt along the parabola.
        m * ((u * u + v * v) * T - v * g * T * T + g * g * T.powi(3) / 3.0)
    };
    let found = at_energy(&mut model, "x = 5, y = 1", &[], energy);
    let least = found.least_action.clone().expect("least action");
    below("time", (least.time - flat).abs(), 1e-9);
    below("p dq", (least.abbreviated_action - action(flat)).abs() / action(flat), 1e-9);
    below("length", (least.jacobi_length.unwrap() - least.abbreviated_action).abs(), 1e-7);
    assert_eq!(found.connection.second.as_ref().expect("decided").index, 0);
    let metric = least.jacobi_metric.expect("a metric");
    assert_eq!(metric, "ds^2 = 2*(E - m*g*y)*m*(dx^2 + dy^2)");
    // The steep throw touches the envelope of all throws on its way: a conjugate point.
    let place = |s: f64| {
        let t = s * steep;
        format!("x = {}, y = {}", x * s, (y / steep + g * steep / 2.0) * t - g * t * t / 2.0)
    };
    let via: Vec<String> = (1..4).map(|k| place(f64::from(k) / 4.0)).collect();
    let via: Vec<&str> = via.iter().map(String::as_str).collect();
    let found = at_energy(&mut model, "x = 5, y = 1", &via, energy);
    let least = found.least_action.expect("least action");
    below("time", (least.time - steep).abs(), 1e-8);
    assert_eq!(found.connection.second.expect("decided").index, 1);
}

#[test]
fn great_circles_and_their_conjugate_points() {
    // Free on a unit sphere: length is speed times angle, conjugate points are antipodes.
    let text = "coordinate x, y, z
        kinetic (x'^2 + y'^2 + z'^2)/2
        constraint ball: x^2 + y^2 + z^2 = 1
        initial x = 1, y = 0, z ~ 0, y' = 1";
    let mut model = load(text);
    let (a, speed) = (0.7f64, 2.0f64);
    let to = format!("x = {}, y = {}, z ~ 0", a.cos(), -a.sin());
    let found =
        at_energy(&mut model, &to, &["x = 0, y = 1, z ~ 0", "x = -1, y = 0, z ~ 0"], speed * speed / 2.0);
    let least = found.least_action.expect("least action");
    let angle = 2.0 * std::f64::consts::PI - a;
    below("time", (least.time - angle / speed).abs(), 1e-8);
    below("length", (least.jacobi_length.unwrap() - angle * speed).abs(), 1e-7);
    let second = found.connection.second.expect("decided");
    assert_eq!(second.index, 1);
    below("antipode", (second.conjugate[0] - std::f64::consts::PI / speed).abs(), 1e-5);
}

#[test]
fn it_is_a_motion_of_hamiltons_principle_with_that_energy() {
    let quasi = "coordinate x, y
        speed u = x'*cos(y) + y', v = y'
        kinetic u^2/2 + v^2
        potential x^2/2 + y
        initial x = 0.1
        output E = energy";
    let rates = "coordinate x, y
        kinetic (x'*cos(y) + y')^2/2 + y'^2
        potential x^2/2 + y
        initial x = 0.1
        output E = energy";
    let magnetic = "parameter B = 0.7
        coordinate x, y
        lagrangian (x'^2 + y'^2)/2 + B/2*(x*y' - y*x') - x*y/5
        output E = energy";
    let law = "coordinate x, y
        kinetic (x'^2 + y'^2)/2
        force x = -x^3
        force y = -y
        initial x = 0.1
        output E = energy";
    let mut times = Vec::new();
    for text in [quasi, rates, magnetic, law] {
        let mut model = load(text);
        let found = at_energy(&mut model, "x = 0.7, y = 0.2", &[], 2.0);
        let least = found.least_action.expect("least action");
        for energy in column(&found.motion, "E") {
            below("energy", (energy - 2.0).abs(), 1e-8);
        }
        let fixed = Request { until: Some(least.time), ..Request::default() };
        let other =
            model.connect("x = 0.7, y = 0.2", &[], &fixed).unwrap_or_else(|d| panic!("{}", d.message));
        below("rates", apart(&other.connection.start.eta, &found.connection.start.eta), 1e-8);
        if text != law {
            // S = integral of p dq - E T
            let off = other.connection.action - (least.abbreviated_action - 2.0 * least.time);
            below("action", off.abs(), 1e-8);
        }
        times.push(least.time);
    }
    below("quasi-velocities and rates", (times[0] - times[1]).abs(), 1e-9);
}

#[test]
fn what_has_no_fixed_energy_is_refused() {
    for (more, energy, code, word) in [
        ("", -1.0, "E0742", "V = 0"),
        ("force x = -x'", 50.0, "E0804", "potential"),
        ("potential t*x", 50.0, "E0804", "time"),
        ("constraint c: x' = y*y'", 50.0, "E0804", "rates"),
    ] {
        let mut model = load(&format!("{THROW}\n{more}"));
        let refused = model.connect_at_energy("x = 1, y = 0", &[], energy, &Request::default());
        let refused = refused.err().unwrap_or_else(|| panic!("not refused: {more}"));
        assert_eq!(refused.code.id(), code, "{}", refused.message);
        assert!(refused.message.contains(word), "{}", refused.message);
    }
}

/// Jacobi's metric is in the differentials of the coordinates, whatever the speeds of the model are.
#[test]
fn the_metric_does_not_know_the_speeds() {
    let text = "parameter m = 1.3, k = 2\ncoordinate x, y\nspeed u = x' + 0.3*y'\nspeed v = 2*y' - 0.1*x'*x
        kinetic m/2*(x'^2 + y'^2)\npotential k*x^2/2\ninitial x = 1, y = 0.2";
    let found = at_energy(&mut load(text), "x = 0.3, y = 0.4", &[], 2.0);
    let metric = found.least_action.and_then(|least| least.jacobi_metric);
    assert_eq!(metric.as_deref(), Some("ds^2 = 2*(E - k*x^2/2)*m*(dx^2 + dy^2)"));
}
