//! The examples of the language page and the model files, by their physics: closed forms, conserved quantities, and the
//! worked results of the papers.

use crate::support::*;
use dalembert::Request;
use dalembert::run::State;

/// Of one evaluation: a few roundings of numbers of order ten.
const EXACT: f64 = 1e-13;

#[test]
fn upright_disk_rolls_on_a_circle_with_the_contact_force_of_its_turn() {
    let text = model_text("rolling_disk") + "\noutput F = multiplier(rolling)\noutput E = energy";
    let motion = run_text(&text, &Request::default());
    let (m, r, yaw, spin) = (1.0, 0.5, 0.5, 2.0);
    let radius = r * spin / yaw;
    let t = column(&motion, "t");
    let x: Vec<f64> = t.iter().map(|t| radius * (yaw * t).sin()).collect();
    let y: Vec<f64> = t.iter().map(|t| radius * (1.0 - (yaw * t).cos())).collect();
    // rtol 1e-10 a step over 10 s of a gentle motion.
    below("disk on its circle, x", apart(&column(&motion, "x"), &x), 1e-9);
    below("disk on its circle, y", apart(&column(&motion, "y"), &y), 1e-9);
    below("yaw rate is constant", stray(&motion, "psi'"), 1e-12);
    below("spin is constant", stray(&motion, "theta'"), 1e-10);
    below("energy is constant", stray(&motion, "E"), 1e-10);
    // The rows read x' - r theta' cos(psi) = 0: their multipliers are the contact force itself.
    let force = m * r * yaw * spin;
    let (fx, fy) = (column(&motion, "F.x"), column(&motion, "F.y"));
    let size: Vec<f64> = fx.iter().zip(&fy).map(|(a, b)| a.hypot(*b) - force).collect();
    below("contact force m r psi' theta'", largest(&size), 1e-10);
    let psi = column(&motion, "psi");
    let along: Vec<f64> = (0..psi.len()).map(|k| fx[k] * psi[k].cos() + fy[k] * psi[k].sin()).collect();
    below("it points to the centre of the circle", largest(&along), 1e-10);
}

#[test]
fn free_rigid_body_keeps_energy_angular_momentum_and_the_norm_of_its_quaternion() {
    let text = model_text("rigid_body")
        + "\noutput E = energy\noutput L = sqrt((I1*w1)^2 + (I2*w2)^2 + (I3*w3)^2)\noutput n = e0^2+e1^2+e2^2+e3^2";
    let motion = run_text(&text, &Request::default());
    // Nothing holds energy and momentum but the accuracy of the steps: rtol 1e-10, some hundred of them, E = 25.
    below("energy", stray(&motion, "E") / 25.0, 1e-9);
    below("angular momentum", stray(&motion, "L") / 10.0, 1e-9);
    below("quaternion norm", stray(&motion, "n"), 1e-12);
}

#[test]
fn rigid_body_keeps_its_angular_momentum_in_space() {
    let text = model_text("rigid_body")
        + "\nlet L = [I1*w1, I2*w2, I3*w3]
        let e = [e1, e2, e3]
        output S = L + 2*cross(e, cross(e, L) + e0*L)";
    let motion = run_text(&text, &sharply_until(20.0));
    for name in ["S.x", "S.y", "S.z"] {
        below(name, stray(&motion, name), 1e-9);
    }
}

#[test]
fn appell_non_ideal_loses_what_the_non_ideal_force_takes() {
    let text = model_text("appell_nonideal")
        + "\noutput P = nonideal(x)*x' + nonideal(y)*y' + nonideal(z)*z'
        output E = energy\noutput R = residual(cone)";
    let request = Request { until: Some(3.0), every: Some(0.0025), rtol: Some(1e-12), ..Request::default() };
    let motion = run_text(&text, &request);
    let power = column(&motion, "P");
    let (e, h) = (column(&motion, "E"), 0.0025);
    // Simpson's rule, error of order h^4: 1e-9 of a loss of hundreds.
    let n = power.len() - 1;
    let weight = |k: usize| if k == 0 || k == n { 1.0 } else { 2.0 + 2.0 * (k % 2) as f64 };
    let work: f64 = (0..=n).map(|k| weight(k) * power[k] * h / 3.0).sum();
    assert!(work < -1.0, "the constraint force drags: {work}");
    below("energy loss is the work of the non-ideal force", (e[n] - e[0] - work).abs() / work.abs(), 1e-9);
    below("cone kept", largest(&column(&motion, "R")) / e[0].abs().max(100.0), 1e-13);
    let (x, y) = (column(&motion, "x'"), column(&motion, "y'"));
    let ratio: Vec<f64> = x.iter().zip(&y).map(|(x, y)| y / x - 0.5).collect();
    below("direction is kept", largest(&ratio), 1e-10);
}

/// The chain in angles: minimal coordinates, nothing to project.
const CHAIN_IN_ANGLES: &str = "
    const N = 4
    parameter m = 1, l = 0.5, g = 9.81
    coordinate q[1..N]
    let P[0] = [0, 0]
    for i in 1..N { let P[i] = P[i-1] + l*[cos(q[i]), sin(q[i])] }
    kinetic sum(i in 1..N, m/2*dot(P[i]', P[i]'))
    potential sum(i in 1..N, m*g*P[i].y)
    for i in 1..N { output X[i] = P[i].x
                    output Y[i] = P[i].y }
    output E = energy";

#[test]
fn pendulum_chain_agrees_with_the_chain_in_angles() {
    let text = model_text("pendulum_chain") + "\noutput E = energy";
    let (chain, angles) =
        (run_text(&text, &sharply_until(2.0)), run_text(CHAIN_IN_ANGLES, &sharply_until(2.0)));
    for i in 1..=4 {
        let x = apart(&column(&chain, &format!("x[{i}]")), &column(&angles, &format!("X[{i}]")));
        let y = apart(&column(&chain, &format!("y[{i}]")), &column(&angles, &format!("Y[{i}]")));
        // The chain is chaotic; within 2 s errors grow about a thousandfold.
        below("chain in x, y against angles", x.max(y), 1e-8);
    }
    below("energy of the chain", stray(&chain, "E"), 1e-8);
    below("energy in angles", stray(&angles, "E"), 1e-8);
}

#[test]
fn udwadia_example_1_in_closed_form_at_random_states() {
    let text = "parameter alpha = 0.5, a0 = 0.1, p = 0.3
        coordinate x, y, z
        kinetic (x'^2 + y'^2 + z'^2)/2
        force x = 1 - x
        force y = p*cos(2*t) - 0.2*y'
        force z = x*y - 2
        constraint cone: x'^2 + y'^2 - z'^2 = 2*alpha*sin(t)
        let u = sqrt(x'^2 + y'^2 + z'^2)
        nonideal work -a0*u*(x'*delta(x) + y'*delta(y) + z'*delta(z))";
    let model = load(text);
    let mut rng = Rng::new(1);
    for _ in 0..200 {
        let (t, q, v) = (rng.number(0.0, 6.0), rng.numbers(3), rng.numbers(3));
        let u2 = dot(&v, &v);
        if u2 < 0.1 {
            continue; // the closed form divides by u^2
        }
        // The acceleration formula holds off the constraint too: A and b do not know whether psi = 0.
        let f = [1.0 - q[0], 0.3 * (2.0 * t).cos() - 0.2 * v[1], q[0] * q[1] - 2.0];
        let along = (0.5 * t.cos() - v[0] * f[0] - v[1] * f[1] + v[2] * f[2]) / u2;
        let (a0, u) = (0.1, u2.sqrt());
        let drag = [v[0] * v[2] * v[2], v[1] * v[2] * v[2], v[2] * (v[0] * v[0] + v[1] * v[1])];
        let sign = [1.0, 1.0, -1.0];
        let now = evaluate(&model, &State::new(t, &q, &v));
        for i in 0..3 {
            let closed = f[i] + along * sign[i] * v[i] - a0 / u * 2.0 * drag[i];
            let error = (now.solution.eta_dot[i] - closed).abs() / (1.0 + closed.abs());
            assert!(error < EXACT, "component {i} at {q:?} {v:?}: {error:.1e}");
        }
    }
}

#[test]
fn udwadia_example_2_ideal_and_friction_force_of_the_incline() {
    let text = model_text("incline_nonideal").replace("event halt: v falling stop\n", "");
    for (alpha, mu, v) in [(0.6, 0.3, 1.5), (0.6, 0.3, -1.5), (0.2, 0.7, 0.01), (1.2, 0.1, -3.0)] {
        let overrides = sets(&[("alpha", &alpha.to_string()), ("mu", &mu.to_string()), ("m", "2.5")]);
        let model = load_with(&text, &overrides);
        let (s, c) = f64::sin_cos(alpha);
        let now = evaluate(&model, &State::new(0.0, &[0.3, 0.3 * s / c], &[v * c, v * s]));
        let weight = 2.5 * 9.81;
        let friction = -mu * weight * v.signum();
        let wanted = [-weight * s * c, weight * c * c, friction * c * c, friction * c * s];
        let got = [&now.solution.ideal_force[..], &now.solution.nonideal_force[..]].concat();
        below("incline forces", apart(&got, &wanted) / weight, EXACT);
        let a = -9.81 * (s + mu * v.signum() * c);
        below("incline acceleration", apart(&now.solution.eta_dot, &[a * c, a * s]) / 9.81, EXACT);
    }
}

#[test]
fn renton_multiplier_of_the_pendulum_written_as_a_length() {
    let mut model = load_file("renton_pendulum");
    let (m, l, g) = (2.0, 0.8, 9.81);
    for k in 0..40 {
        let (angle, rate) = (0.157 * f64::from(k), 0.2 * f64::from(k) - 4.0);
        let (s, c) = f64::sin_cos(angle);
        let state = State::new(0.0, &[l * s, l * c], &[l * rate * c, -l * rate * s]);
        let lambda = evaluate(&model, &state).solution.lambda[0];
        let closed = -(m / l) * (l * l * rate * rate + g * l * c);
        assert!((lambda - closed).abs() < EXACT * 100.0, "{lambda} {closed}"); // values up to 70
    }
    let motion = run(&mut model, &Request::default());
    below("along a motion", apart(&column(&motion, "lambda"), &column(&motion, "lambda_closed")), 1e-11);
}

/// Every model file runs, and the work of its forces accounts for the change of its energy.
#[test]
fn every_model_file_starts_and_balances_its_energy() {
    for name in model_names() {
        let mut model = load_file(&name);
        let started = model.start().unwrap_or_else(|d| panic!("{name}: {}", d.message));
        // Newton's last step leaves rounding of the model's own lengths.
        below(&format!("{name}: residual at the start"), started.residuals.0.max(started.residuals.1), 1e-12);
        let motion = run(&mut model, &Request { balance: Some(true), ..until(0.2) });
        if let Some(b) = motion.balance {
            let works = [b.change, b.nonconservative, b.ideal, b.nonideal, b.control, b.explicit];
            let size =
                works.iter().fold(1.0 + motion.energy.map_or(0.0, |e| e.0.abs()), |m, w| m.max(w.abs()));
            // Tolerances of the files are 1e-9 to 1e-12.
            below(&format!("{name}: balance of energy {b:?}"), b.defect.abs() / size, 1e-8);
        }
        below(&format!("{name}: position residual"), motion.outcome.largest_position_residual, 1e-12);
        below(&format!("{name}: velocity residual"), motion.outcome.largest_velocity_residual, 1e-11);
    }
}

#[test]
fn appell_hamel_accelerates_as_on_a_smooth_slope() {
    let model = load_file("appell_hamel");
    let (c, g) = (0.5, 9.81);
    let now = evaluate(&model, &State::new(0.0, &[0.0; 3], &[0.3, 0.4, -1.0]));
    let a = c * g / (1.0 + c * c);
    below("Appell-Hamel", apart(&now.solution.eta_dot, &[a * 0.6, a * 0.8, -g / (1.0 + c * c)]), EXACT);
}

#[test]
fn udwadia_kalaba_particle_in_closed_form_at_random_states() {
    let model = load_file("particle_E0");
    let mut rng = Rng::new(7);
    for _ in 0..100 {
        let (q, v) = (rng.numbers(3), rng.numbers(3));
        let (fx, fy, fz) = (0.3, -1.2, 0.5);
        let (z, d) = (q[2], 1.0 + q[2] * q[2]);
        let closed = [(fx + z * fy - z * v[2] * v[0]) / d, (z * fx + z * z * fy + v[2] * v[0]) / d, fz];
        let now = evaluate(&model, &State::new(0.0, &q, &v));
        assert!(apart(&now.solution.eta_dot, &closed) < EXACT, "{q:?} {v:?}");
    }
}

#[test]
fn eulers_equations_hold_for_the_body_rates() {
    let model = load_file("rigid_body");
    let mut rng = Rng::new(3);
    for _ in 0..50 {
        let (e, w) = (rng.numbers(4), rng.numbers(3));
        let now = evaluate(&model, &State::new(0.0, &e, &w));
        let (i1, i2, i3) = (1.0, 2.0, 3.0);
        let closed =
            [(i2 - i3) / i1 * w[1] * w[2], (i3 - i1) / i2 * w[2] * w[0], (i1 - i2) / i3 * w[0] * w[1]];
        assert!(apart(&now.solution.eta_dot, &closed) < EXACT, "{e:?} {w:?}");
    }
}
