//! Constraints and requirements on accelerations, bounds of control, control forces at points.

use crate::support::*;
use dalembert::Request;
use dalembert::diagnostic::Code;

/// x'' = u - x' with a constant input has x' = u (1 - exp(-t)); the row's force is what makes it so.
#[test]
fn a_constraint_on_an_acceleration_is_a_row() {
    let text = "input u = 2
         parameter m = 3
         coordinate x, y
         kinetic m/2*(x'^2 + y'^2)
         potential m*9.81*y
         constraint drive: x'' = u - x'
         constraint tie: y'' + 0.5*x'' = 0
         output push = multiplier(drive), rest = multiplier(tie), left = residual(tie)
         initial y' = 0.25
         simulate until 1";
    let motion = run_text(text, &until(1.0));
    let speed = 2.0 * (1.0 - (-1.0f64).exp());
    below("x'", (last(&motion, "x'") - speed).abs(), 1e-10);
    below("y' has no residual to project", (last(&motion, "y'") - (0.25 - 0.5 * speed)).abs(), 1e-10);
    let (ax, ay) = (2.0 - speed, -0.5 * (2.0 - speed));
    // m x'' = push + rest/2, m y'' = -m g + rest.
    let rest = 3.0 * (ay + 9.81);
    below("tie", (last(&motion, "rest") - rest).abs(), 1e-9);
    below("drive", (last(&motion, "push") - (3.0 * ax - 0.5 * rest)).abs(), 1e-9);
    below("left", last(&motion, "left").abs(), 1e-12);
}

/// A holonomic constraint written twice differentiated gives the same accelerations and multiplier.
#[test]
fn a_constraint_differentiated_by_hand_is_the_same() {
    let base = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y
         initial x = 0.6, y = -0.8, x' = 0.8, y' = 0.6\nsimulate until 1\nconstraint rod: ";
    let end = "\noutput l = multiplier(rod)";
    let twice = format!("{base}x*x'' + y*y'' + x'^2 + y'^2 = 0{end}");
    let once = format!("{base}x^2/2 + y^2/2 = 1/2{end}");
    let (a, b) = (run_text(&twice, &sharply_until(1.0)), run_text(&once, &sharply_until(1.0)));
    below("motions", motions_apart(&a, &b, &["x", "y", "l"]), 1e-8);
    let point = format!("{base}dot([x, y], [x, y]'') + dot([x, y]', [x, y]') = 0{end}");
    below("vectors", motions_apart(&a, &run_text(&point, &sharply_until(1.0)), &["x", "y", "l"]), 1e-9);
}

#[test]
fn what_rows_on_accelerations_may_hold() {
    let model = |line: &str| format!("input u = 1\nstate z' = 1\ncoordinate x\nkinetic x'^2/2\n{line}");
    for (line, code) in [
        ("constraint x''^2 = 1", Code::NotLinear),
        ("constraint x' = u", Code::NotConstant),
        ("constraint x'' = z", Code::NotConstant),
        ("require x = u", Code::NotConstant),
        ("require x'' = u decay 1", Code::NotApplicable),
        ("actuate x in 5..-5\nrequire x'' = u", Code::BadCoefficient),
    ] {
        let found: Vec<Code> = refusal(&model(line)).iter().map(|d| d.code).collect();
        assert!(found.contains(&code), "{line}: {found:?}");
    }
    let motion = run_text(
        &model("require x'' = u + z\ninitial z = 0\noutput F = control(x)\nsimulate until 1"),
        &until(1.0),
    );
    below("F", (last(&motion, "F") - 2.0).abs(), 1e-12);
    below("x", (last(&motion, "x") - (0.5 + 1.0 / 6.0)).abs(), 1e-10);
}

/// A bounded force is clipped where one actuator must do it all: the motion is that of the clipped feedback.
#[test]
fn a_bounded_force_is_clipped() {
    let bounded = "coordinate x\nkinetic x'^2/2\nrequire goal: x = 1 decay 2, 1\nactuate x in -0.3..0.2
         output F = control(x)\nsimulate until 8 every 0.25";
    let law = "coordinate x\nkinetic x'^2/2\nforce x = max(-0.3, min(0.2, -2*x' - (x - 1)))
         output F = x''\nsimulate until 8 every 0.25";
    let (a, b) = (run_text(bounded, &sharply_until(8.0)), run_text(law, &sharply_until(8.0)));
    below("motions", motions_apart(&a, &b, &["x", "x'", "F"]), 1e-6);
    let names: Vec<&str> = a.events.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names, ["x saturates", "x recovers"]);
    assert!(a.warnings.iter().any(|d| d.code == Code::ControlSaturated));
}

/// Of two actuators one takes over what the other cannot do, and the requirement is met.
#[test]
fn another_actuator_takes_over() {
    let text = "coordinate x, y\nkinetic (x'^2 + 2*y'^2)/2\nconstraint tie: x = y\nrequire goal: x'' = 3
         actuate x in -1..1, y\noutput a = x'', fx = control(x), fy = control(y)\nsimulate until 1";
    let motion = run_text(text, &until(1.0));
    below("met", (last(&motion, "a") - 3.0).abs(), 1e-12);
    below("x", (last(&motion, "fx") - 1.0).abs(), 1e-12);
    below("y", (last(&motion, "fy") - 8.0).abs(), 1e-11);
}

/// A thruster at a point: the force of control is F . dP/dq of its direction.
#[test]
fn control_may_use_a_force_at_a_point() {
    let text = "parameter m = 2, I = 0.5, l = 1
         coordinate x, y, th
         kinetic m/2*(x'^2 + y'^2) + I/2*th'^2
         let P = [x - l*sin(th), y + l*cos(th)]
         require spin: th = t^2/2
         actuate [cos(th), sin(th)] at P in -10..10
         output cx = control(x), cy = control(y), c = control(th)
         simulate until 1";
    let motion = run_text(text, &until(1.0));
    let th = last(&motion, "th");
    // Turning by one takes the moment I, so the force is -I/l along its direction.
    below("moment", (last(&motion, "c") - 0.5).abs(), 1e-10);
    below("x", (last(&motion, "cx") + 0.5 * th.cos()).abs(), 1e-10);
    below("y", (last(&motion, "cy") + 0.5 * th.sin()).abs(), 1e-10);
}

/// Redundant requirements, one of which has a small gradient on the way, are met.
#[test]
fn redundant_requirements_are_met() {
    let text = "coordinate x, y\nkinetic (x'^2 + y'^2)/2
         require a: x = 0.1*t^2\nrequire b: x^3 = 0.001*t^6\nrequire c: sin(x) = sin(0.1*t^2)
         simulate until 2 every 0.1";
    let motion = run_text(text, &until(2.0));
    assert!(motion.failure.is_none(), "{:?}", motion.failure);
    below("x", (last(&motion, "x") - 0.4).abs(), 1e-8);
}

/// A row whose coefficients depend on the speeds: x'' y' - y'' x' = k turns the velocity at the rate -k/v^2 and leaves its size.
#[test]
fn a_row_on_accelerations_may_depend_on_the_speeds() {
    let text = "parameter m = 2, k = 0.3
         coordinate x, y
         kinetic m*(x'^2 + y'^2)/2
         constraint steer: x''*y' - y''*x' = k
         initial x' = 1, y' = 0.2
         output l = multiplier(steer)
         simulate until 3";
    let motion = run_text(text, &sharply_until(3.0));
    let square: f64 = 1.04;
    let angle = 0.2f64.atan2(1.0) - 0.3 / square * 3.0;
    below("x'", (last(&motion, "x'") - square.sqrt() * angle.cos()).abs(), 1e-9);
    below("y'", (last(&motion, "y'") - square.sqrt() * angle.sin()).abs(), 1e-9);
    below("lambda = m k/v^2", (last(&motion, "l") - 2.0 * 0.3 / square).abs(), 1e-9);
}

/// With more inputs than requirements an input reaches its bound because another is at its own already; sampled control
/// reports its bounds too.
#[test]
fn every_input_at_a_bound_is_reported() {
    let text = "coordinate x, y\nspeed a = x' + y', b = x' - y'\nkinetic (x'^2 + y'^2)/2
        require r: x = 1 decay 4, 4\nactuate x in -2..2, a in -0.5..0.5\nsimulate until 3";
    let names = |text: &str, hold: Option<f64>| -> Vec<String> {
        let motion = run_text(text, &Request { hold, ..sharply_until(3.0) });
        motion.events.iter().map(|e| e.name.clone()).collect()
    };
    let events = names(text, None);
    for name in ["x saturates", "a saturates", "x recovers", "a recovers"] {
        assert!(events.iter().any(|e| e == name), "{name} in {events:?}");
    }
    let one = "coordinate x\nkinetic x'^2/2\nrequire goal: x = 1 decay 2, 1\nactuate x in -0.3..0.2";
    assert_eq!(names(one, Some(0.01))[0], "x saturates");
}
