//! Bodies with closed-form answers.

use crate::support::{below, evaluate, last, load, load_with, run, run_text, start, until};
use dalembert::Workspace;
use dalembert::{Overrides, Request};

fn output(model: &mut Workspace, at: &str, name: &str) -> f64 {
    let state = start(model);
    let state = model.state_at(state, at).unwrap_or_else(|d| panic!("{}", d.message));
    let now = evaluate(model, &state);
    let place = model.system.experiment.outputs.iter().position(|o| o.name == name);
    now.outputs[place.unwrap_or_else(|| panic!("no output {name}"))]
}

fn acceleration(model: &mut Workspace, at: &str, speed: usize) -> f64 {
    let state = start(model);
    let state = model.state_at(state, at).unwrap_or_else(|d| panic!("{}", d.message));
    evaluate(model, &state).solution.eta_dot[speed]
}

#[track_caller]
fn close(found: f64, wanted: f64, tolerance: f64) {
    assert!((found - wanted).abs() <= tolerance * wanted.abs().max(1e-3), "{found} is not {wanted}");
}

/// tan th2 = tan th1/cos b; the accelerations follow from the ratio of the speeds.
#[test]
fn two_shafts_on_a_universal_joint() {
    let text = "parameter b = 0.5, J1 = 2, J2 = 0.7, T = 3
        body first: mass 0, inertia [J1, J1, J1]
        body second: mass 0, inertia [J2, J2, J2]
        joint theta1: pin ground to first, axis [1, 0, 0]
        joint theta2: pin ground turned axis [0, 0, 1] by b to second, axis [1, 0, 0]
        joint spider: universal first to second, axes [0, 1, 0], [0, 0, 1]
        force theta1 = T
        initial theta1 = 0, theta1' = 4
        output speed = theta2'";
    let mut model = load(text);
    for (angle, speed, wanted) in [
        ("0", 4.557975709298196, 1.0313132530151485),
        ("0.6", 4.1619608871394895, 2.2045510647068944),
        ("1.5707963267948966", 3.510330247561491, 1.1815183091881198),
        ("2.5", 4.117806026638156, -0.02510752898219976),
    ] {
        let at = format!("theta1 = {angle}");
        close(output(&mut model, &at, "speed"), speed, 1e-11);
        close(acceleration(&mut model, &at, 0), wanted, 1e-11);
    }
}

#[test]
fn a_nut_falls_on_a_screw() {
    let mut model = load(
        "parameter m = 1.5, J = 0.02, p = 0.03, g = 9.81
        gravity [0, 0, -g]
        body nut: mass m, inertia [J, J, J]
        joint phi: screw pitch p ground to nut
        output z = nut.origin.z'', F = force(phi), M = torque(phi)",
    );
    close(acceleration(&mut model, "", 0), -3.506951313665816, 1e-11);
    close(output(&mut model, "", "z"), -0.016744459102575916, 1e-11);
    close(output(&mut model, "phi = 0.7", "F.z"), 14.689883311346136, 1e-11);
    close(output(&mut model, "phi = 0.7", "M.z"), -0.07013902627331632, 1e-11);
}

const TOP: &str = "parameter A = 0.002, C = 0.0008, mgl = 0.15, theta = 0.5, w3 = 120, g = 9.81, m = 1
    gravity [0, 0, -g]
    body top: mass m, centre [0, 0, mgl/(m*g)], inertia [A, A, C] about origin
    joint tip: ball ground to top
    initial tip.e0 = cos(theta/2), tip.e1 = sin(theta/2), tip.wz = w3
    let axis = [0, 0, 1] in top
    output nods = axis.z'', tilt = acos(axis.z)
    event turn: axis.z'
    simulate until 0.2 tolerance 1e-12";

/// A cos(th) O^2 - C w3 O + mgl = 0: with either root the height of the axis has no acceleration.
#[test]
fn a_heavy_top_precesses_steadily() {
    let mut model = load(TOP);
    for precession in [1.6098844864669466, 53.085824025111414] {
        // A top that precesses about the vertical turns about its own horizontal axis by O sin(theta).
        let at = format!("tip.wy = {}", precession * 0.5f64.sin());
        below("nods", output(&mut model, &at, "nods").abs() / precession.powi(2), 1e-10);
    }
}

#[test]
fn a_heavy_top_let_go_nods() {
    let motion = run_text(TOP, &Request::default());
    let times: Vec<f64> = motion.events.iter().map(|e| e.t).collect();
    close(times[1], 0.13895815041854928, 1e-9);
    let motion =
        run_text(TOP, &Request { until: Some(times[0]), every: Some(times[0]), ..Request::default() });
    close(last(&motion, "tilt"), 0.5341359317408587, 1e-9);
}

#[test]
fn a_rod_swings_down_on_its_pin() {
    let text = "parameter m = 1.3, L = 0.8, g = 9.81
        gravity [0, -g]
        body bar: rod m from [0, 0] to [L, 0]
        joint pin: pin ground to bar
        output along = -dot(force(pin), [1, 0] in bar), across = dot(force(pin), [0, 1] in bar)";
    for (theta, along, across, speed) in [
        (0.3, 9.421922988880159, 3.0458515614547133, 3.297188135753559),
        (1.0, 26.82819867313776, 1.7226188266840965, 5.563776941396958),
        (std::f64::consts::FRAC_PI_2, 31.8825, 0.0, 6.065269985746719),
    ] {
        let stop = format!("{text}\nevent there: pin + {theta} stop\nsimulate until 5 tolerance 1e-12");
        let motion = run_text(&stop, &Request::default());
        close(-last(&motion, "pin'"), speed, 1e-9);
        close(last(&motion, "along"), along, 1e-9);
        below("across", (last(&motion, "across") - across).abs(), 1e-8);
    }
}

/// Six rows for six coordinates of two free bars; as a tree two rows for two.
#[test]
fn a_three_hinged_frame_stands() {
    let mut model = load(
        "parameter a = 2, h = 1.5, W = 100, P = 40, g = 9.81
        gravity [0, -g]
        body AB: rod W/g from [0, 0] to [a, h]
        body BC: rod W/g from [0, 0] to [a, -h]
        joint A: pin ground to AB
        joint B: pin AB at [a, h] to BC
        joint C: pin ground at [2*a, 0] to BC at [a, -h]
        force [P, 0] at [a, h] of AB
        output fA = force(A), fB = -force(B), fC = force(C)",
    );
    let wanted = [
        ("fA.x", 46.666666666666664),
        ("fA.y", 85.0),
        ("fB.x", -86.66666666666667),
        ("fB.y", 15.0),
        ("fC.x", -86.66666666666667),
        ("fC.y", 115.0),
    ];
    for (name, value) in wanted {
        close(output(&mut model, "", name), value, 1e-11);
    }
    below("acceleration", acceleration(&mut model, "", 0).abs(), 1e-10);
}

/// With a ball joint and a point on a line the horizontal pair is unique.
#[test]
fn a_door_hangs_on_a_ball_and_a_line() {
    let mut model = load(
        "parameter m = 20, w = 0.8, h = 1.2, g = 9.81
        gravity [0, 0, -g]
        body door: box m size [w, 0.04, 2] at [w/2, 0, 0]
        joint lower: ball ground at [0, 0, -h/2] to door at [0, 0, -h/2]
        let top = [0, 0, h/2] of door
        constraint upper: [top.x, top.y] = [0, 0]
        output low = force(lower), up = multiplier(upper)",
    );
    close(output(&mut model, "", "low.z"), 196.2, 1e-11);
    close(output(&mut model, "", "low.x"), 65.4, 1e-11);
    close(output(&mut model, "", "up.x"), -65.4, 1e-11);
}

#[test]
fn a_joint_mimics_another() {
    let text = "parameter m1 = 2, m2 = 1, l1 = 0.7, l2 = 0.5, k = -2, g = 9.81
        gravity [0, -g]
        body one: rod m1 from [0, 0] to [0, -l1]
        body two: rod m2 from [0, 0] to [0, -l2]
        joint q1: pin ground to one
        joint q2: pin one at [0, -l1] to two
        constraint mimic: q2 = k*q1";
    let mut model = load(text);
    close(acceleration(&mut model, "q1 = 0.4, q1' = 0", 0), -9.606484072226545, 1e-9);
    close(acceleration(&mut model, "q1 = 1.1, q1' = 2.5", 0), -14.642381691486742, 1e-9);
}

#[test]
fn free_bodies_swing_on_a_spring_and_a_damper() {
    let motion = run_text(
        "parameter m1 = 2, m2 = 3, k = 50, c = 4, l0 = 0.5, s0 = 0.7
        body one: ball m1 radius 0.1
        body two: ball m2 radius 0.1
        spring s: k length l0 between one and two
        damper d: c between one and two
        initial two.x = s0/3, two.y = 2*s0/3, two.z = 2*s0/3
        output distance = norm(two.origin - one.origin), pull = force(s) + force(d)
        output P = momentum
        simulate until 1 tolerance 1e-12",
        &Request::default(),
    );
    close(last(&motion, "distance"), 0.5372580130002796, 1e-9);
    close(last(&motion, "pull"), 1.910423984385271, 1e-9);
    below("momentum", last(&motion, "P.x").abs(), 1e-12);
}

/// The double pendulum of two rods in Lagrange's coordinates, and from bodies.
#[test]
fn a_double_pendulum_from_bodies_is_the_double_pendulum() {
    let bodies = "parameter m = 1, l = 0.5, g = 9.81
        gravity [0, -g]
        body upper: rod m from [0, 0] to [0, -l]
        body lower: rod m from [0, 0] to [0, -l]
        joint shoulder: pin ground to upper
        joint elbow: pin upper at [0, -l] to lower
        initial shoulder = 1.2, elbow = 0.3
        output tip = [0, -l] of lower";
    let plain = "parameter m = 1, l = 0.5, g = 9.81
        coordinate a, b
        let P = [l*sin(a), -l*cos(a)]
        let Q = P + l*[sin(a + b), -cos(a + b)]
        kinetic m/2*dot((P/2)', (P/2)') + m*l^2/24*a'^2
        kinetic m/2*dot(((P + Q)/2)', ((P + Q)/2)') + m*l^2/24*(a' + b')^2
        potential m*g*P.y/2 + m*g*(P.y + Q.y)/2
        initial a = 1.2, b = 0.3
        output tip = Q";
    let (mut bodies, mut plain) = (load(bodies), load(plain));
    for at in
        [("shoulder = 0.3, elbow' = 2", "a = 0.3, b' = 2"), ("elbow = -2, shoulder' = 1", "b = -2, a' = 1")]
    {
        for p in 0..2 {
            close(acceleration(&mut bodies, at.0, p), acceleration(&mut plain, at.1, p), 1e-13);
        }
    }
    let (a, b) = (run(&mut bodies, &until(2.0)), run(&mut plain, &until(2.0)));
    below("tip", (last(&a, "tip.x") - last(&b, "tip.x")).abs(), 1e-9);
}

/// Names of joints do not depend on which of them is cut, nor do motions and forces.
#[test]
fn a_four_bar_is_the_same_whatever_is_cut() {
    let text = |cut: &str| {
        let option = |joint: &str| if joint == cut { ", cut" } else { "" };
        format!(
            "gravity [0, -9.81]
            body crank: rod 0.8 from [0, 0] to [0.4, 0]
            body coupler: rod 2.2 from [0, 0] to [1.1, 0]
            body rocker: rod 1.6 from [0, 0] to [0.8, 0]
            joint A: pin ground to crank
            joint B: pin crank at [0.4, 0] to coupler{}
            joint D: pin ground at [1, 0] to rocker{}
            joint C: pin coupler at [1.1, 0] to rocker at [0.8, 0]{}
            initial A = 1, B ~ -0.4, D ~ 1.5, C ~ 1.9, A' = 2
            output fA = force(A), fB = force(B), fC = force(C), fD = force(D), angle = rocker.omega, c = cos(C)",
            option("B"),
            option("D"),
            option("C")
        )
    };
    let at = "";
    let mut models: Vec<Workspace> = ["C", "B", "D"].iter().map(|cut| load(&text(cut))).collect();
    for name in ["fA.x", "fA.y", "fB.x", "fB.y", "fC.x", "fC.y", "fD.x", "fD.y", "angle", "c"] {
        let values: Vec<f64> = models.iter_mut().map(|model| output(model, at, name)).collect();
        close(values[1], values[0], 1e-10);
        close(values[2], values[0], 1e-10);
    }
}

/// A disk that rolls: a body, and a constraint on its lowest point. The one of the books has its own coordinates.
#[test]
fn a_disk_rolls_as_a_body() {
    let text = "parameter m = 1, r = 0.5, g = 9.81
        gravity [0, 0, -g]
        body wheel: disk m radius r axis [0, 0, 1]
        let n = [0, 0, 1] in wheel
        let down = n.z*n - [0, 0, 1]
        let low = wheel.origin + r*down/norm(down)
        constraint ground_level: low.z = 0
        let slip = (wheel.origin)' + cross(wheel.omega, low - wheel.origin)
        constraint rolling: [slip.x, slip.y] = [0, 0]
        initial wheel.e0 ~ cos(0.7), wheel.e1 ~ sin(0.7), wheel.wz = 6, wheel.z ~ 0.5
        output E = energy
        simulate until 1 tolerance 1e-11";
    let mut model = load_with(text, &Overrides::default());
    let motion = run(&mut model, &Request::default());
    below("energy", crate::support::stray(&motion, "E"), 1e-8);
}

/// A rattleback as a body that rolls without slip, z down (Kane and Levinson 1982); the numbers are those of two other
/// formulations that differ by 7e-10.
#[test]
fn a_rattleback_turns_as_known() {
    let motion = run_text(
        "parameter a = 0.2, b = 0.03, c = 0.02, h = 0.01
        gravity [0, 0, 9.81]
        body stone: mass 1, inertia [[0.0002, -0.00002, 0], [-0.00002, 0.0016, 0], [0, 0, 0.0017]]
        let mu = [(stone.axes*[1, 0, 0]).z, (stone.axes*[0, 1, 0]).z, (stone.axes*[0, 0, 1]).z]
        let e = sqrt((a*mu.x)^2 + (b*mu.y)^2 + (c*mu.z)^2)
        let rho = [a^2*mu.x/e, b^2*mu.y/e, c^2*mu.z/e - h]
        constraint touch: (stone.origin + stone.axes*rho).z = 0
        constraint roll: stone.origin' + cross(stone.omega, stone.axes*rho) = [0, 0, 0]
        let e0 = sqrt((1 + 0.9999238475781956)/2)
        initial stone.e0 ~ e0, stone.e1 = 0.008726535498373935/(2*e0), stone.e2 = 0.008726203218641756/(2*e0)
        initial stone.e3 = 0, stone.wx = 0, stone.wy = 0, stone.wz = -5, stone.z ~ -0.01
        output m = mu",
        &Request { rtol: Some(1e-11), ..until(1.0) },
    );
    let known = [
        ("stone.wx", 5.041042306406832),
        ("stone.wy", 1.7614231694771894),
        ("stone.wz", -3.1175435374245817),
        ("m.x", -0.02316491660851323),
        ("m.y", -0.006004342434796843),
    ];
    for (name, value) in known {
        below(name, (last(&motion, name) - value).abs(), 1e-6);
    }
}

/// A box on a ball joint and a spring has four equilibria; q and -q are one attitude.
#[test]
fn attitudes_at_rest_are_listed_once() {
    let mut model = load(
        "gravity [0, 0, -9.81]
        body b: box 1 size [0.1, 0.2, 0.3] at [0, 0, -0.5]
        joint J: ball ground to b
        spring s: 20 length 0.1 between [1, 0, 0] of ground and [0.1, 0, -0.5] of b",
    );
    let found = model.equilibria(&Default::default()).expect("a search");
    let places: Vec<&[f64]> = found.equilibria.iter().map(|e| &e.linear.state.x[..]).collect();
    for (k, a) in places.iter().enumerate() {
        for b in &places[k + 1..] {
            let cosine: f64 = a.iter().zip(*b).map(|(a, b)| a * b).sum();
            assert!(cosine.abs() < 1.0 - 1e-9, "{a:?} and {b:?} are one attitude");
        }
    }
    assert!(places.len() >= 2, "{places:?}");
}
