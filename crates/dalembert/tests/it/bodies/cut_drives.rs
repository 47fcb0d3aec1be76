//! What acts on a joint acts the same whether it carries a body or closes a loop.

use crate::support::{below, column, evaluate, load, refusal, run, start, stray, until};
use dalembert::Workspace;
use dalembert::diagnostic::Code;

/// Outputs of a model at its start.
fn outputs(text: &str) -> Vec<f64> {
    let mut model = load(text);
    let state = start(&mut model);
    evaluate(&model, &state).outputs
}

fn agree(what: &str, a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= tolerance * (1.0 + a.abs()), "{what}: {a} and {b}");
    }
}

/// A four-bar linkage with an armature, friction, a spring and a damper at every joint; one of them is cut.
fn four_bar(cut: usize) -> String {
    let mark = |k: usize| if k == cut { ", cut" } else { "" };
    format!(
        "gravity [0, -9.81]
        body crank: rod 0.8 from [0, 0] to [0.4, 0]
        body coupler: rod 2.2 from [0, 0] to [1.1, 0]
        body rocker: rod 1.6 from [0, 0] to [0.8, 0]
        joint A: pin ground to crank, armature 0.1{}
        joint B: pin crank at [0.4, 0] to coupler, armature 0.2{}
        joint C: pin coupler at [1.1, 0] to rocker at [0.8, 0], armature 0.3{}
        joint D: pin ground at [1, 0] to rocker, armature 0.15{}
        friction in A: limit 0.1
        friction in B: limit 0.2
        friction in C: limit 0.15
        friction in D: limit 0.05
        spring SC: 2 angle 0.3 at C
        damper DB: 0.4 at B
        initial A ~ 1, B ~ -0.53, C ~ 1.3, D ~ 1.77, A' ~ 2
        output a = A'', b = B'', c = C'', d = D'', Fa = force(A), Fb = force(B), Fc = force(C), Fd = force(D)
        output fa = friction(A), fb = friction(B), fc = friction(C), fd = friction(D), drive_c = drive(C)
        output E = energy",
        mark(0),
        mark(1),
        mark(2),
        mark(3)
    )
}

/// Armatures and friction on all joints of a loop: accelerations and every force do not depend on the cut.
#[test]
fn drives_on_every_joint_of_a_loop_do_not_depend_on_the_cut() {
    // A is fixed, so it is not cut; the others are in turn.
    let fixed = |cut: usize| four_bar(cut).replace("A ~ 1", "A = 1").replace("A' ~ 2", "A' = 2");
    let reference = outputs(&fixed(3));
    for cut in 1..3 {
        agree(&format!("cut {cut}"), &reference, &outputs(&fixed(cut)), 1e-8);
    }
}

/// Torques of a slider know of the spring, the motor and the friction at the pin that closes the loop.
#[test]
fn reactions_know_what_acts_on_a_joint_that_closes_a_loop() {
    let text = |crank: &str, pin: &str| {
        format!(
            "gravity [0, -9.81]
            body crank: rod 1 from [0, 0] to [0.5, 0]
            body link: rod 2 from [0, 0] to [1.2, 0]
            body block: mass 3, inertia 0.2
            joint A: pin ground to crank
            joint B: pin crank at [0.5, 0] to link{crank}
            joint S: slider ground to block
            joint C: pin link at [1.2, 0] to block{pin}, armature 0.4
            spring K: 5 angle 0.2 at C
            force C = 0.7
            friction in C: limit 0.3
            initial A = 0.8, B ~ -1.1, S ~ 1.5, C ~ 0.3, A' = 2
            output T = torque(S), F = force(S), a = A'', Fc = force(C), c = C'', dc = drive(C)"
        )
    };
    agree("torque of the slider", &outputs(&text(", cut", "")), &outputs(&text("", ", cut")), 1e-8);
}

/// A ball joint that closes a loop: motors on its speeds, an armature and friction, as on the one that carries.
#[test]
fn a_ball_that_closes_a_loop_has_its_speeds() {
    let text = |first: &str, second: &str| {
        format!(
            "gravity [0, 0, -9.81]
            body a: box 1 size [0.4, 0.1, 0.2] at [0.2, 0, 0]
            body b: box 2 size [0.3, 0.2, 0.1] at [0.2, 0, 0]
            joint P: universal ground to a, axes [0, 0, 1], [0, 1, 0]
            joint Q: ball a at [0.4, 0, 0] to b, armature 0.1{first}
            joint R: ball b at [0.5, 0, 0] to ground at [0.7, 0.3, 0.1], armature 0.2{second}
            force Q.wx = 0.3
            force R.wy = -0.2
            friction in Q.wz: limit 0.1
            friction in R.wx: limit 0.2
            initial P.first ~ 0.3, P.second ~ 0.2, P.first' ~ 0.5
            output q = norm(force(Q)), r = norm(force(R)), p = norm(force(P)), tq = norm(torque(P)), dq = drive(Q), dr = drive(R)
            output wq = [Q.wx, Q.wy, Q.wz], wr = [R.wx, R.wy, R.wz], o = b.origin, v = b.origin'"
        )
    };
    let mut model = load(&text("", ", cut"));
    let state = start(&mut model);
    let names: Vec<String> = model.system.experiment.outputs.iter().map(|o| o.name.clone()).collect();
    let found = evaluate(&model, &state).outputs;
    let at = |name: &str| found[names.iter().position(|n| n == name).unwrap_or_else(|| panic!("{name}"))];
    below("drive", (at("dq.x") - 0.3).abs() + (at("dr.y") + 0.2).abs(), 1e-14);
    let motion = run(&mut model, &until(0.2));
    assert!(motion.outcome.largest_position_residual < 1e-12);
}

/// Inertia that the model states for a point of a body: joints carry it as they carry a body there.
#[test]
fn joints_carry_what_the_model_adds_to_the_kinetic_energy() {
    let text = |extra: &str| {
        format!(
            "gravity [0, 0, -9.81]
            body a: box 1 size [0.4, 0.1, 0.2] at [0.2, 0, 0]
            joint P: pin ground to a, axis [0, 1, 0]
            {extra}
            initial P = 0.4, P' = 1.5
            output F = force(P), T = torque(P), acc = P''"
        )
    };
    let stated = text(
        "let tip = [0.4, 0.1, 0.3] of a
        kinetic 0.7/2*dot(tip', tip')
        potential 0.7*9.81*tip.z",
    );
    let carried = text("body m: point 0.7 at [0, 0, 0]\n joint W: weld a at [0.4, 0.1, 0.3] to m");
    agree("added inertia", &outputs(&carried), &outputs(&stated), 1e-12);
}

/// A spring along x of a free joint is a drive along the speeds in the axes of the body.
#[test]
fn springs_on_coordinates_of_a_free_joint_are_drives_on_its_speeds() {
    let found = outputs(
        "body a: box 1 size [0.4, 0.1, 0.2]
        joint J: free ground to a
        spring S: 5 angle 0 at J.x
        initial J.x = 0.3, J.e0 = sqrt(0.5), J.e3 = sqrt(0.5)
        output d = drive(J)",
    );
    // A quarter turn about z: x of the ground is -y of the body.
    agree("drive", &[0.0, 0.0, 0.0, 0.0, 1.5, 0.0], &found, 1e-12);
}

/// Coefficients of eight digits on both sides of a universal joint: contents of sums outgrew doubles, and its torque was
/// zero without a word.
#[test]
fn long_decimals_do_not_make_a_torque_vanish() {
    let text = |digits: &str| {
        format!(
            "gravity [0.3, -0.4, -9.81]
            body b: mass 1.863, centre [-0.18918685, 0.29665111, -0.14747355], inertia [[0.25983334, -0.01096841, 0.0004465], [-0.01096841, 0.24742385, 0.01501237], [0.0004465, 0.01501237, 0.27286774]]
            joint J: universal ground at [0.0859436{digits}, -0.0748113{digits}, 0.473773{digits}] turned quaternion(0.9991931{digits}, 0.0334087{digits}, 0.0113820{digits}, 0.0191673{digits}) to b at [-0.0823063{digits}, 0.3266870{digits}, -0.2436215{digits}] turned quaternion(0.9999401{digits}, 0.0070120{digits}, 0.003343{digits}, -0.0077067{digits}), axes [0.0, 0.0, 1.0], [0.8650601{digits}, -0.5016681{digits}, 0.0]
            output T = torque(J)"
        )
    };
    let (short, long) = (outputs(&text("")), outputs(&text("3")));
    assert!(short.iter().all(|t| t.abs() > 0.01), "{short:?}");
    agree("torque", &short, &long, 1e-5);
}

/// Every joint of a loop may be given its value where the values agree; where they do not, the message has the value.
#[test]
fn values_of_all_joints_of_a_loop_must_agree() {
    let text = |d: &str| {
        format!(
            "gravity [0, -9.81]
            body a: rod 1 from [0, 0] to [1, 0]
            body b: rod 1 from [0, 0] to [1, 0]
            body c: rod 1 from [0, 0] to [1, 0]
            joint A: pin ground to a
            joint B: pin a at [1, 0] to b
            joint C: pin b at [1, 0] to c
            joint D: pin c at [1, 0] to ground at [1, 0]
            initial A = 1.2, B = -1.2, C = -1.9415926535897931, D = {d}"
        )
    };
    let mut model = load(&text("1.9415926535897931"));
    assert!((start(&mut model).x[0] - 1.2).abs() < 1e-12);
    let mut model = load(&text("1.5"));
    let said = model.start().expect_err("the loop does not close there");
    assert_eq!(said.code, Code::InconsistentStart, "{}", said.message);
    assert!(said.message.contains("1.94"), "{}", said.message);
}

/// Limits of a joint that closes a loop may come before the joints that carry its bodies.
#[test]
fn limits_of_a_joint_that_closes_a_loop_may_come_first() {
    let text = "gravity [0, -9.81]
        joint C: pin a at [1, 0] to b at [1, 0], limits -1..4, cut
        body a: rod 1 from [0, 0] to [1, 0]
        body b: rod 1 from [0, 0] to [1, 0]
        joint A: pin ground to a
        joint B: pin ground at [1, 0] to b
        initial A ~ 1, B ~ 2
        output c = C";
    let mut model = load(text);
    let state = start(&mut model);
    assert!(evaluate(&model, &state).outputs[0] > 0.0);
    assert!(refusal(&text.replace("-1..4", "4..-1"))[0].message.contains("wrong order"));
}

/// Bars in space as free bodies, tied at their ends.
fn bars(count: usize) -> Workspace {
    load(&format!(
        "gravity [0, 0, -9.81]
        const N = {count}
        for i in 1..N {{ body bar[i]: cylinder 1 radius 0.05 from [-0.5, 0, 0] to [0.5, 0, 0] }}
        joint J[1]: ball ground to bar[1] at [-0.5, 0, 0], cut
        for i in 2..N {{ joint J[i]: ball bar[i-1] at [0.5, 0, 0] to bar[i] at [-0.5, 0, 0], cut }}
        for i in 1..N {{ initial bar[i].x ~ i - 0.5 }}
        initial bar[1].wz ~ 0.5
        output E = energy"
    ))
}

/// Nets of free bodies with quaternions have M and A by their entries.
#[test]
fn bars_with_quaternions_are_sparse() {
    let mut model = bars(12);
    assert!(model.compiled.sparsity().is_some());
    let motion = run(&mut model, &until(0.3));
    below("energy", stray(&motion, "E"), 1e-8);
    assert!(motion.outcome.largest_position_residual < 1e-12);
}

/// Axes of a slider between two bodies that only slide: its turns hold wherever they are, up to rounding of the decimals.
#[test]
fn closures_that_hold_everywhere_up_to_rounding_close() {
    let mut model = load(
        "gravity [0, 0, -9.81]
        body a: box 1 size [0.4, 0.1, 0.2]
        body b: box 1 size [0.4, 0.1, 0.2]
        joint A: slider ground turned quaternion(0.9, 0.1, 0.2, 0.3) to a turned quaternion(0.8, 0.3, -0.2, 0.1), axis [1, 0, 0]
        joint B: slider ground turned quaternion(0.7, -0.1, 0.2, 0.3) to b turned quaternion(0.8, 0.1, 0.2, 0.4), axis [0, 0, 1]
        joint C: planar a turned quaternion(0.8, 0.3, -0.2, 0.1) to a_copy turned quaternion(0.8, 0.3, -0.2, 0.1), axis [0, 1, 0]
        body a_copy: box 1 size [0.4, 0.1, 0.2]
        joint D: slider a turned quaternion(0.8, 0.3, -0.2, 0.1) to a_copy turned quaternion(0.8, 0.3, -0.2, 0.1), axis [1, 0, 0], cut
        initial C.turn ~ 0
        output E = energy",
    );
    let motion = run(&mut model, &until(0.2));
    below("energy", stray(&motion, "E"), 1e-9);
}

/// Coulomb friction pressed by the bearing of a slide that closes a loop: the block comes to rest after v/(mu g).
#[test]
fn the_bearing_of_a_slide_presses() {
    let text = "gravity [0, -9.81]
        body block: mass 2, inertia 0.1
        joint G: slider ground to block, axis [1, 0], cut
        friction on G.force.y: coefficient 0.3, velocity G'
        initial block.x = 0, block.x' = 3
        event rest: G' falling stop
        output N = multiplier(G.force.y), F = friction(G.force.y)";
    let found = outputs(text);
    agree("normal force and friction", &found[..2], &[2.0 * 9.81, -0.6 * 9.81], 1e-14);
    let motion = run(&mut load(text), &until(5.0));
    let rest = column(&motion, "t").last().copied().unwrap_or(f64::NAN);
    below("time of rest", (rest - 3.0 / (0.3 * 9.81)).abs(), 1e-12);
    let carried = text.replace(", cut", "").replace("block.x", "G");
    let said = refusal(&carried);
    assert!(said[0].help.iter().any(|h| h.contains(", cut")), "{:?}", said[0]);
    let said = refusal(&text.replace("on G.force.y", "on G.force.z"));
    assert!(said[0].help.iter().any(|h| h.contains("`G.force.y`")), "{:?}", said[0]);
}
