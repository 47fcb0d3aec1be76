//! Contacts whose sliding velocity the constraints reverse: they do not stick there. The numbers are those of one
//! differential equation in the crank angle or in closed form, integrated apart from this project to twelve digits.

use crate::support::*;
use dalembert::Motion;

const DRIVEN: &str = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n\
    constraint drive: x = PATH\nconstraint floor: y = 0\nfriction on floor: coefficient 0.2, velocity x'\n\
    output F = multiplier(drive), f = friction(floor)";

const YOKE: &str = "coordinate q, x, y\nkinetic q'^2/4 + (x'^2 + y'^2)/2\npotential 9.81*y\n\
    constraint yoke: x = 0.3*cos(q)\nconstraint guide: y = 0\nfriction on guide: coefficient 0.2, velocity x'\n\
    output N = reaction(guide), f = friction(guide)";

fn near(motion: &Motion, values: &[(&str, f64)]) {
    assert!(motion.failure.is_none(), "{:?}", motion.failure);
    for (name, value) in values {
        let found = last(motion, name);
        below(&format!("{name} = {found}, not {value}"), (found - value).abs(), 1e-9);
    }
}

/// A slider led to and fro: the force is that of inertia and of friction against V, on both sides of each dead point.
#[test]
fn a_led_slider_turns_at_its_dead_points() {
    let text = DRIVEN.replace("PATH", "0.3*sin(2*t)");
    for method in ["dop853", "tsit5", "radau", "rk4"] {
        let request = dalembert::Request { method: Some(method.into()), ..until(3.0) };
        let motion = run(&mut load(&text), &request);
        assert_eq!(motion.events.len(), 2, "{method}");
        for (k, event) in motion.events.iter().enumerate() {
            let quarter = std::f64::consts::FRAC_PI_4;
            below(method, (event.t - quarter * (2 * k + 1) as f64).abs(), 1e-9);
        }
        let [t, F, f] = ["t", "F", "f"].map(|name| column(&motion, name));
        for k in 0..t.len() {
            let V = 0.6 * (2.0 * t[k]).cos();
            if V.abs() > 1e-6 {
                below("friction", (f[k] + 0.2 * 9.81 * V.signum()).abs(), 1e-12);
                below("drive", (F[k] - (-1.2 * (2.0 * t[k]).sin() - f[k])).abs(), 1e-8);
            }
        }
    }
}

/// The same with a second component that is free, and with a third that the floor decides.
#[test]
fn led_components_among_free_ones() {
    for velocity in ["[x', z']", "[x', y', z']"] {
        let text = "coordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*y\n\
            constraint drive: x = 0.3*sin(2*t)\nconstraint floor: y = 0\n\
            friction on floor: coefficient 0.2, velocity V\ninitial z' = 0\noutput F = multiplier(drive)\nsimulate until 3";
        let motion = run(&mut load(&text.replace('V', velocity)), &until(3.0));
        near(&motion, &[("x", -0.0838246494596778), ("z", 0.0), ("F", 2.297298597838711)]);
    }
}

#[test]
fn a_slider_crank_and_a_yoke_run_through() {
    let crank = "coordinate q, x, y\nkinetic q'^2/4 + (x'^2 + y'^2)/2\npotential 9.81*y\n\
        constraint rod: (x - 0.3*cos(q))^2 + (y - 0.3*sin(q))^2 = 1\nconstraint guide: y = 0\n\
        friction on guide: coefficient 0.2, velocity x'\ninitial q = 0.5, x ~ 1.2, q' = 5\nforce q = 0.3";
    let motion = run(&mut load(crank), &until(3.0));
    near(&motion, &[("q", 14.710033375684), ("q'", 4.535344512823)]);
    below("its balance", motion.balance.expect("a balance").defect.abs(), 1e-9);
    let turns = [0.54683416191, 1.19656846445, 1.86039594824, 2.52944829178];
    assert_eq!(motion.events.len(), turns.len());
    for (event, t) in motion.events.iter().zip(turns) {
        below("dead centre", (event.t - t).abs(), 1e-9);
    }
    let motion = run(&mut load(&format!("{YOKE}\ninitial q = 0.5, q' = 5")), &until(3.0));
    near(&motion, &[("q", 11.905417551866), ("q'", 2.734237429299), ("f", -0.2 * 9.81)]);
}

/// On a dead point at the start: moving on either side, and at rest, where friction has no lever yet.
#[test]
fn a_start_on_a_dead_point() {
    for (q, f) in [("0", 1.962), ("pi", -1.962), ("-pi", -1.962)] {
        let motion = run(&mut load(&format!("{YOKE}\ninitial q = {q}, q' = 2")), &until(0.5));
        near(&motion, &[("q'", 1.651136135204), ("f", f)]);
        below(q, (column(&motion, "f")[0] - f).abs(), 1e-12);
    }
    let motion = run(&mut load(&format!("{YOKE}\nforce q = 0.4")), &until(2.0));
    near(&motion, &[("q", 1.061674719274), ("q'", 0.657636256285)]);
}

/// V and V' both zero for a moment: from rest to rest by a polynomial, a stop that turns, one that goes on.
#[test]
fn a_moment_of_rest() {
    for (path, end, x, V, A) in [
        ("10*t^3 - 15*t^4 + 6*t^5", 1.2, 1.10592, 1.728, 20.16),
        ("(t - 1)^4", 2.0, 1.0, 4.0, 12.0),
        ("(t - 1)^3", 2.0, 1.0, 3.0, 6.0),
    ] {
        let motion = run(&mut load(&DRIVEN.replace("PATH", path)), &until(end));
        near(&motion, &[("x", x), ("x'", V), ("F", A + 1.962), ("f", -1.962)]);
        below("balance", motion.balance.expect("a balance").defect.abs(), 1e-9);
    }
    // Held by the drive for good: nothing slides, and friction has nothing to carry.
    let motion = run(&mut load(&DRIVEN.replace("PATH", "0")), &until(10.0));
    assert!(motion.failure.is_none() && motion.events.is_empty());
    assert!(column(&motion, "f").iter().all(|f| *f == 0.0));
}

/// Two feet and an actuator between them: both cannot stick while it moves; the one that is pressed less slides.
#[test]
fn of_two_feet_the_weaker_slides() {
    let feet = |path: &str, mu: [f64; 2]| {
        format!(
            "coordinate a, b, c, d\nkinetic (a'^2 + b'^2 + c'^2 + d'^2)/2\npotential 9.81*(c + d)\n\
             constraint drive: b - a = {path}\nconstraint f1: c = 0\nconstraint f2: d = 0\n\
             friction on f1: coefficient {}, velocity a'\nfriction on f2: coefficient {}, velocity b'\n\
             initial a = 0, a' = 0\noutput F = multiplier(drive), g1 = friction(f1), g2 = friction(f2)",
            mu[0], mu[1]
        )
    };
    // A dead point, and a start from rest with V' = 0.
    for (path, end, gap, rate, pull) in [
        ("1 + 0.1*sin(2*t)", 2.0, 1.0 + 0.1 * f64::sin(4.0), 0.2 * f64::cos(4.0), -0.4 * f64::sin(4.0)),
        ("1 + t^3/10", 1.0, 1.1, 0.3, 0.6),
    ] {
        let motion = run(&mut load(&feet(path, [0.5, 0.2])), &until(end));
        let friction = -0.2 * 9.81 * rate.signum();
        let all = [("a", 0.0), ("b", gap), ("b'", rate), ("F", pull - friction), ("g2", friction)];
        near(&motion, &all);
        let motion = run(&mut load(&feet(path, [0.2, 0.5]).replace("a' = 0", "b' = 0")), &until(end));
        near(&motion, &[("a", 1.0 - gap), ("b", 1.0), ("a'", -rate), ("g1", -friction)]);
    }
    // Equal feet share the way.
    let motion =
        run(&mut load(&feet("1 + 0.1*sin(2*t)", [0.3, 0.3]).replace("a' = 0", "a' = -0.1")), &until(2.0));
    near(&motion, &[("a'", -0.1 * f64::cos(4.0)), ("b'", 0.1 * f64::cos(4.0))]);
}

/// A ladder between rough walls whose foot turns back where it stands across.
#[test]
fn a_ladder_passes_its_dead_point() {
    let text = "parameter m = 2, l = 1, g = 9.81, mu = 0.2\ncoordinate x, y, th\n\
        kinetic m/2*(x'^2 + y'^2) + m*l^2/6*th'^2\npotential m*g*y\n\
        let A = [x + l*sin(th), y - l*cos(th)], B = [x - l*sin(th), y + l*cos(th)]\n\
        let Ay = A.y, Ax = A.x, By = B.y, Bx = B.x\nconstraint floor: Ay = 0\nconstraint wall: Bx = 0\n\
        friction on floor: coefficient mu, velocity Ax'\nfriction on wall: coefficient mu, velocity By'\n\
        initial th = 0.7, x ~ 0.6, y ~ 0.7";
    let motion = run(&mut load(text), &until(1.0));
    near(&motion, &[("th", 2.4955246349), ("th'", 3.4003399913)]);
}
