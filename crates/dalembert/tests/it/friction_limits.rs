//! Dry friction with a given limit: brakes, clutches, joints.

use crate::support::*;
use dalembert::diagnostic::Code;

/// A spring with friction F loses 2 F/k of its amplitude in each half period, and sticks where k |x| is within the static limit.
#[test]
fn a_spring_comes_to_rest_in_closed_form() {
    let text = "parameter F = 1, k = 4, m = 2
         coordinate x\nkinetic m/2*x'^2\npotential k/2*x^2
         friction in x: limit F, static 1.5*F
         output f = friction(x)
         initial x = 1.3\nsimulate until 10 every 0.1";
    let motion = run_text(text, &until(10.0));
    // Turning points 1.3, -0.8, 0.3; there 4*0.3 is below 1.5.
    below("rest", (last(&motion, "x") - 0.3).abs(), 1e-9);
    below("what holds it", (last(&motion, "f") - 1.2).abs(), 1e-8);
    let half = std::f64::consts::PI * (2.0f64 / 4.0).sqrt();
    let stick = motion.events.iter().find(|e| e.name == "x sticks").expect("it sticks");
    below("time", (stick.t - 2.0 * half).abs(), 1e-8);
}

/// The same law as friction on a floor that presses with m g, in every column.
#[test]
fn a_given_limit_agrees_with_a_contact() {
    let given = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y + x^2\nforce x = 4*sin(t)
         constraint floor: y = 0\nfriction in x: limit 0.3*9.81, static 0.4*9.81\ninitial x = 2\nsimulate until 8 every 0.1";
    let contact = given.replace(
        "friction in x: limit 0.3*9.81, static 0.4*9.81",
        "friction on floor: coefficient 0.3, velocity x', static 0.4",
    );
    let (a, b) = (run_text(given, &sharply_until(8.0)), run_text(&contact, &sharply_until(8.0)));
    below("motions", motions_apart(&a, &b, &["x", "x'"]), 1e-8);
    assert_eq!(a.events.len(), b.events.len());
}

/// A clutch: the two shafts come together with their common momentum, in the time (w1 - w2) J1 J2/((J1 + J2) T).
#[test]
fn a_clutch_engages() {
    let text = "parameter J1 = 1, J2 = 2
         input press = 0.5
         coordinate a, b
         speed slip = a' - b', s = b'
         kinetic J1/2*a'^2 + J2/2*b'^2
         friction in slip: limit 2*press
         initial s = 0, slip = 6
         output wa = a', wb = b'
         simulate until 6";
    let motion = run_text(text, &until(6.0));
    below("speeds", largest(&[last(&motion, "wa") - 2.0, last(&motion, "wb") - 2.0]), 1e-9);
    let stick = motion.events.iter().find(|e| e.name == "slip sticks").expect("it sticks");
    below("time", (stick.t - 6.0 * 2.0 / 3.0).abs(), 1e-9);
}

/// A brake that a time, an event or a state variable works: at rest, released, applied again.
#[test]
fn a_brake_is_applied_and_released() {
    let text = "discrete brake = 0
         coordinate x\nkinetic x'^2/2
         force x = if t > 1 then 2 else 0
         friction in x: limit 3*brake
         event on: t - 0.5 do brake = 1
         event off: t - 3 do brake = 0
         event again: t - 4 do brake = 1
         simulate until 8 every 0.5";
    let motion = run_text(text, &until(8.0));
    // Free from 3 to 4 with 2, then braked with 1 from the speed 2.
    below("x", (last(&motion, "x") - (1.0 + 2.0)).abs(), 1e-9);
    let timed =
        "coordinate x\nkinetic x'^2/2\nforce x = 1\nfriction in x: limit if t < 1 or t > 3 then 5 else 0
         simulate until 6 every 0.5";
    let motion = run_text(timed, &until(6.0));
    below("x", (last(&motion, "x") - (2.0 + 2.0 * 0.25)).abs(), 1e-9);
}

/// In a joint of a body, by its dotted name where it has several freedoms.
#[test]
fn joints_of_bodies_have_friction() {
    let text = "gravity [0, -9.81]
         body arm: rod 1 from [0, 0] to [0, -1]
         joint J: pin ground to arm
         friction in J: limit 0.5
         initial J = 1\nsimulate until 10";
    let plain = "parameter I = 1/3\ncoordinate J\nkinetic I/2*J'^2\npotential -9.81/2*cos(J)\nfriction in J: limit 0.5
         initial J = 1\nsimulate until 10";
    let (a, b) = (run_text(text, &until(10.0)), run_text(plain, &until(10.0)));
    below("angles", motions_apart(&a, &b, &["J", "J'"]), 1e-8);
    let slider = "gravity [0, 0, -9.81]
         body ring: ball 2 radius 0.1
         joint rail: cylindrical ground to ring
         friction in rail.slide: limit 5, static 25
         friction in rail.turn: limit 0.001
         initial rail.turn' = 1\nsimulate until 1";
    let motion = run_text(slider, &until(1.0));
    below("it hangs", last(&motion, "rail.slide").abs(), 1e-12);
    below("it turns", (last(&motion, "rail.turn'") - (1.0 - 0.001 / (0.4 * 2.0 * 0.01))).abs(), 1e-9);
}

#[test]
fn friction_is_given_once_and_to_a_speed() {
    let model = |line: &str| format!("parameter m = 1 {{kg}}\ncoordinate x {{m}}\nkinetic m/2*x'^2\n{line}");
    for (line, code) in [
        ("friction in x: limit 1\nfriction in x: limit 2", Code::StatementTwice),
        ("friction in m: limit 1", Code::UnknownName),
        ("friction in x: limit -1", Code::BadCoefficient),
        ("friction in x: limit 2 {m}", Code::UnitMismatch),
        ("friction in x: static 2", Code::StatementNotFinished),
        ("friction at x: limit 2", Code::UnexpectedToken),
    ] {
        let found: Vec<Code> = refusal(&model(line)).iter().map(|d| d.code).collect();
        assert!(found.contains(&code), "{line}: {found:?}");
    }
}
