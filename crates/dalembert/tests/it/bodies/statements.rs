//! Statements about bodies in the combinations that textbooks use, with results by hand.

use crate::support::{evaluate, load, load_with, start};
use dalembert::Overrides;
use dalembert::Workspace;
use dalembert::diagnostic::Code;

fn output(model: &mut Workspace, name: &str) -> f64 {
    let state = start(model);
    let now = evaluate(model, &state);
    let place = model.system.experiment.outputs.iter().position(|o| o.name == name);
    now.outputs[place.unwrap_or_else(|| panic!("no output {name}"))]
}

#[track_caller]
fn gives(text: &str, wanted: &[(&str, f64)]) {
    let mut model = load(text);
    for (name, value) in wanted {
        let found = output(&mut model, name);
        assert!((found - value).abs() <= 1e-12 * (1.0 + value.abs()), "{name} is {found}, not {value}");
    }
}

/// A mass at a point has no turn, wherever the point is on its body, and hangs on a rod by that point.
#[test]
fn point_masses_do_not_turn() {
    gives(
        "gravity [0, -9.81]\nbody p: point 2 at [0, 0]\nbody q: mass 3, centre [0, 1]\n\
         output a = p.origin.y'', b = q.centre.y'', T = kinetic_energy(q)\ninitial q.x' = 2",
        &[("a", -9.81), ("b", -9.81), ("T", 6.0)],
    );
    gives(
        "gravity [0, 0, -9.81]\nbody a: box 2 size [1, 1, 1]\nbody b: mass 1\nbody c: point 3 at [0, 0, 1]\n\
         joint hold: weld ground at [0, 0, 1] to a at [0, 0, 0.5]\n\
         joint hang: rod length 0.5 a at [0, 0, -0.5] to b\n\
         joint lower: rod length 0.5 b to c at [0, 0, 1]\n\
         initial b.z ~ -1, c.z ~ -2.5\n\
         output F = force(hold), G = force(hang), z = c.centre.z",
        &[("F.z", 6.0 * 9.81), ("G.z", 4.0 * 9.81), ("z", -1.0)],
    );
}

/// Without gravity numbers for inertias and torques, and points of two components anywhere, make a model plane.
#[test]
fn plane_models_are_recognised() {
    gives(
        "parameter J = 2\nbody a: mass 1, inertia J\njoint j: pin ground to a\ntorque 3 on a\noutput acc = j''",
        &[("acc", 1.5)],
    );
    gives(
        "body a: disk 1 radius 0.5\njoint j: pin ground to a\nforce [1, 0] at [0, 0.5] of a\noutput acc = j''",
        &[("acc", -4.0)],
    );
    gives(
        "gravity [0, 0]\nbody a: mass 2, centre [1, 0], inertia 5 about origin\ninitial a.turn' = 1\noutput T = kinetic_energy(a)",
        &[("T", 2.5)],
    );
}

/// In the plane a bushing turns by the angle itself.
#[test]
fn a_bushing_in_the_plane_is_linear_in_the_angle() {
    gives(
        "gravity [0, 0]\nbody c: box 2 size [1, 1]\nbody d: box 1 size [1, 1]\n\
         bushing U: [100, 200, 30], [1, 2, 3] between c and d\n\
         initial d.x = 0.1, d.y = 0.1, d.turn = 0.5, d.turn' = 1\noutput M = torque(U), F = force(U)",
        &[("M", -18.0), ("F.x", -10.0), ("F.y", -20.0)],
    );
}

/// Terms of inertia that vanish in exact arithmetic leave rounding, which is no disagreement of the two derivations.
#[test]
fn a_body_of_equal_inertias_on_a_universal_joint() {
    let text = "gravity [0, 0, -9.81]\nbody a: box 2 size [1, 1, 1]\njoint A: universal ground to a\n\
                initial A.first = 0.2, A.second = 0.3, A.first' = 1, A.second' = 2\noutput w = a.omega";
    let (s, c) = 0.2f64.sin_cos();
    gives(text, &[("w.x", 1.0), ("w.y", 2.0 * c), ("w.z", 2.0 * s)]);
    let mut model = load(text);
    let state = start(&mut model);
    model.self_check(&state).unwrap_or_else(|d| panic!("{}", d.message));
}

const FOUR_BAR: &str = "parameter a = 0.4, b = 1.1, c = 0.8, d = 1
    gravity [0, -9.81]
    body crank: rod 2*a from [0, 0] to [a, 0]
    body coupler: rod 2*b from [0, 0] to [b, 0]
    body rocker: rod 2*c from [0, 0] to [c, 0]
    joint A: pin ground to crank
    joint B: pin crank at [a, 0] to coupler
    joint D: pin ground at [d, 0] to rocker
    joint C: pin coupler at [b, 0] to rocker at [c, 0], cut
    output turn = C, between = D - A - B, rate = C', drive = drive(C), F = force(C)
    ";

/// A fixed start, friction and control need a coordinate, so that their joint is not cut.
#[test]
fn joints_that_need_their_coordinate_are_not_cut() {
    let guesses = "initial A ~ 1, B ~ -0.4, D ~ 1.5";
    let fixed = format!("{FOUR_BAR}{guesses}, C = 0.9, C' = 2");
    gives(&fixed, &[("turn", 0.9), ("between", 0.9), ("rate", 2.0)]);
    let mut kept = Overrides::default();
    kept.kept.push("C = 0.9".to_owned());
    let mut model = load_with(&format!("{FOUR_BAR}{guesses}"), &kept);
    let state = start(&mut model);
    let state = model.state_at(state, "C = 0.9").unwrap_or_else(|d| panic!("{}", d.message));
    assert!((evaluate(&model, &state).outputs[1] - 0.9).abs() < 1e-12);
    for needs in ["friction in C: limit 0.1", "require C'' = 0\nactuate C in -50..50"] {
        // The drive of a controlled joint that is cut is refused.
        let model = FOUR_BAR.replace("drive = drive(C), ", "");
        load(&format!("{model}{guesses}\n{needs}"));
    }
}

/// Guesses that do not close a loop: the start is the same wherever the model cuts it, and at any time.
#[test]
fn the_start_does_not_depend_on_the_cut() {
    let linkage = FOUR_BAR.replace(", cut", "");
    let outputs = "output angles = [A, B, C, D], rates = [A', B', C', D']";
    let ends = ["to crank", "to coupler", "to rocker at [c, 0]", "to rocker"];
    for initial in ["A ~ 1", "A ~ 1, B ~ -0.4, D ~ 1.5, A' ~ 2", "A ~ 0.8, C ~ 1, D' = 1", "B = -0.5, C ~ 2"]
    {
        let mut states = ends.iter().map(|end| {
            let cut = linkage.replacen(&format!("{end}\n"), &format!("{end}, cut\n"), 1);
            assert_ne!(cut, linkage);
            let mut model = load(&format!("{cut}{outputs}\ninitial {initial}"));
            let state = start(&mut model);
            evaluate(&model, &state).outputs.split_off(6)
        });
        let first = states.next().expect("four joints");
        for other in states {
            let apart = first.iter().zip(&other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-9, "{initial}: {first:?} and {other:?}");
        }
    }
    // A guess of a joint counts though it is the one that closes the loop.
    let hinges = "gravity [0, -9.81]\nbody r: rod 1 from [0, 0] to [1, 0]\njoint P: pin ground to r\n\
                  joint Q: pin ground to r, cut\ninitial Q ~ 0.3";
    for model in [hinges.to_owned(), hinges.replace(", cut", "")] {
        gives(&format!("{model}\noutput at = P"), &[("at", 0.3)]);
    }
}

/// Motors, springs and dampers at all joints of a loop: the same forces whichever joint is cut.
#[test]
fn motors_and_springs_act_at_joints_that_are_cut() {
    let all = "force A = 1\nforce B = 2\nforce C = 3\nforce D = 4\nspring s: 3 angle 0.5 at C\ndamper e: 0.3 at C\n\
               damper f: 0.2 at B\ninitial A = 1, B ~ -0.4, D ~ 1.5, A' = 2";
    let cut_c = format!("{FOUR_BAR}{all}");
    let cut_b = cut_c.replace(", cut", "").replace("to coupler\n", "to coupler, cut\n");
    assert_ne!(cut_c, cut_b);
    let (mut first, mut second) = (load(&cut_c), load(&cut_b));
    for name in ["turn", "rate", "drive", "F.x", "F.y"] {
        let (one, other) = (output(&mut first, name), output(&mut second, name));
        assert!((one - other).abs() <= 1e-9 * (1.0 + one.abs()), "{name}: {one} and {other}");
    }
    let by_hand = 3.0 - 3.0 * (output(&mut first, "turn") - 0.5) - 0.3 * output(&mut first, "rate");
    assert!((output(&mut first, "drive") - by_hand).abs() < 1e-12);
}

#[test]
fn one_freedom_of_a_joint_is_driven() {
    gives(
        "gravity [0, 0, -9.81]\nbody a: box 2 size [1, 1, 1]\njoint J: cylindrical ground to a\n\
         spring s: 4 length 0.1 at J.slide\nforce J.turn = 2\ninitial J.slide = 0.2\n\
         output t1 = drive(J.turn), s1 = drive(J.slide), all = drive(J)",
        &[("t1", 2.0), ("s1", -0.4), ("all.x", 2.0), ("all.y", -0.4)],
    );
}

#[test]
fn limits_take_units() {
    let text = "gravity [0, -9.81]\nbody a: rod 1 from [0, 0] to [1, 0]\n\
                joint p: pin ground to a, limits 30 {deg}..60 {deg}\noutput q = p";
    gives(text, &[("q", 30.0f64.to_radians())]);
}

/// Control of a joint is a motor: m g l/2 cos(q) and the wanted acceleration times the inertia.
#[test]
fn control_of_a_joint_is_part_of_its_drive() {
    let text = "gravity [0, 0, -9.81]\nbody a: rod 2 from [0, 0, 0] to [1, 0, 0]\n\
                joint A: pin ground to a, axis [0, -1, 0]\nrequire A = 0.3*sin(2*t) decay 2, 4\n\
                output d = drive(A), c = control(A), M = torque(A)\n";
    let wanted = [("d", 9.81 + 2.0 / 3.0 * 1.2), ("c", 9.81 + 2.0 / 3.0 * 1.2), ("M.y", 0.0)];
    gives(text, &wanted);
    gives(&format!("{text}actuate A in -20..20"), &wanted);
    // A thruster on the rod is not a motor of the joint.
    gives(&format!("{text}actuate [0, 0, 1] in a at [1, 0, 0] of a"), &[("d", 0.0), wanted[1]]);
}

#[test]
fn names_of_other_programs_are_understood_in_messages() {
    for (text, ours) in [
        ("gravity [0, -1]\nbody a: rod 1 from [0, 0] to [1, 0]\njoint A: revolute ground to a", "`pin`"),
        ("gravity [0, -1]\nbody a: sphere 1 radius 1", "`ball`"),
    ] {
        let said = crate::support::refusal(text);
        assert!(said[0].help.as_deref().is_some_and(|help| help.contains(ours)), "{said:#?}");
    }
}

/// What is about a joint, body or force element may stand before it, in loops of families as well; so may what uses a name
/// that is about one.
#[test]
fn statements_stand_in_any_order() {
    let parts = [
        "body upper: rod 1 from [0, 0] to [0, -1]",
        "body lower: rod 1 from [0, 0] to [0, -1]",
        "joint shoulder: pin ground to upper",
        "joint elbow: pin upper at [0, -1] to lower",
        "damper d: 0.1 at elbow",
        "spring s: 2 length 0.5 between upper and tip",
        "frame tip: lower at [0, -1]",
        "force elbow = -3*height",
        "initial shoulder = 1.2, elbow = 0.3, elbow' = 2",
        "output a = shoulder'', b = elbow'', pull = force(shoulder), p = momentum, moment = force(d), stretch = force(s)",
        "gravity [0, -9.81]",
    ];
    let wanted: Vec<String> =
        ["a", "b", "pull.x", "pull.y", "p.x", "p.y", "moment", "stretch"].map(String::from).into();
    let values = |order: Vec<&str>| -> Vec<f64> {
        let mut model = load(&format!("let height = tip.origin.y\n{}", order.join("\n")));
        wanted.iter().map(|name| output(&mut model, name)).collect()
    };
    let usual = values(parts.to_vec());
    let backwards = values(parts.iter().rev().copied().collect());
    let turned = values(parts[5..].iter().chain(&parts[..5]).copied().collect());
    for other in [backwards, turned] {
        for ((name, a), b) in wanted.iter().zip(&usual).zip(&other) {
            assert!((a - b).abs() <= 1e-12 * (1.0 + a.abs()), "{name}: {a} and {b}");
        }
    }
}

/// In families, what is about a member waits for that member, with the indices of its loops.
#[test]
fn members_may_be_used_before_they_are_stated() {
    let chain = "gravity [0, -9.81]\n\
        for i in 1..3 {\n  output y[i] = ([0, -1] of link[i]).y, k[i] = pin[i]''\n  initial pin[i] = i/10\n\
        damper d[i]: i at pin[4 - i]\n}\n\
        output total = sum(i in 1..3, pin[i]'')\n\
        for i in 1..3 { body link[i]: rod i from [0, 0] to [0, -1] }\n\
        joint pin[1]: pin ground to link[1]\n\
        for i in 2..3 { joint pin[i]: pin link[i - 1] at [0, -1] to link[i] }\n";
    let (s1, s2, s3) = (0.1f64.cos(), 0.3f64.cos(), 0.6f64.cos());
    gives(chain, &[("y[1]", -s1), ("y[2]", -s1 - s2), ("y[3]", -s1 - s2 - s3)]);
    let mut model = load(chain);
    let sum: f64 = ["k[1]", "k[2]", "k[3]"].iter().map(|name| output(&mut model, name)).sum();
    let total = output(&mut model, "total");
    assert!((total - sum).abs() < 1e-12 * sum.abs() && sum.abs() > 1.0, "{total} and {sum}");
}

/// Momenta are of all bodies, those that are stated later as well.
#[test]
fn momenta_are_of_all_bodies() {
    gives(
        "gravity [0, -9.81]\nbody a: mass 2, inertia 1\ninitial a.x' = 3, a.turn' = 1\n\
         output p = momentum, c = centre_of_mass, h = angular_momentum([0, 0])\n\
         body b: mass 4, inertia 2\ninitial b.x = 3, b.x' = 1, b.turn' = 1",
        &[("p.x", 10.0), ("c.x", 2.0), ("h", 3.0)],
    );
}

/// Rows of a joint that closes a loop are distances: what presses is its force, whatever the sliding velocity looks like.
#[test]
fn joints_press_with_their_force() {
    let two = "gravity [0, -9.81]\nparameter mu = 0.3\nbody a: box 2 size [1, 1]\nbody b: box 3 size [0.2, 1]\n\
               joint hold: pin ground to a at [0, 0.5]\n";
    for (joint, rows) in [("rod length 0.5", "hang"), ("pin", "hang")] {
        let text = format!(
            "{two}joint hang: {joint} a at [0, -0.5] to b at [0, 0.5], cut\n\
             friction on {rows}: coefficient mu, velocity 0.05*(b.turn' - hold')\ninitial b.y ~ -2, b.turn' = 3\n\
             output N = mu*norm(force(hang)), F = friction({rows})"
        );
        let mut model = load(&text);
        assert!(model.diagnostics.iter().all(|d| d.code != Code::NormalForceAssumed), "{text}");
        let (wanted, found) = (output(&mut model, "N"), output(&mut model, "F"));
        assert!(wanted > 1.0 && (wanted - found.abs()).abs() < 1e-12 * wanted, "{found}, not {wanted}");
    }
}
