//! Coulomb friction in exported C: modes, accelerations and forces at a state, as the engine finds them.

use super::*;

/// Contacts that hold each other and share what they carry, with non-ideal work beside them.
const SHARED: &str = "
    parameter m = 2, g = 9.81, k = 3
    coordinate x, y, theta
    kinetic m/2*(x'^2 + y'^2) + theta'^2/2
    potential m*g*y
    constraint front: y + 0.7*theta = 0.3
    constraint rear: y - 0.4*theta = 0.3
    friction on front: coefficient 0.3, velocity x', static 0.5
    friction on rear: coefficient 0.2, velocity x'
    nonideal work -0.1*multiplier(front)*x'*delta(x)
    force x = k
    initial y = 0.3";

/// A limit that is given, on quasi-velocities, beside a control that works against it.
const CLUTCH: &str = "
    parameter J1 = 1, J2 = 2
    input press = 0.5
    coordinate a, b
    speed slip = a' - b', s = b'
    kinetic J1/2*a'^2 + J2/2*b'^2
    friction in slip: limit 2*press
    require r: b' = 1 + 0.1*t decay 2
    actuate a
    initial s = 1, slip = 0";

/// The three components of a velocity on a surface: its normal is led by the constraint.
const LED: &str = "
    coordinate x, y, z
    kinetic (x'^2 + y'^2 + z'^2)/2
    potential 9.81*z
    constraint bowl: z = (x^2 + y^2)/2
    friction on bowl: coefficient 0.4, velocity [x', y', z']
    force x = 0.3
    initial x = 0.1, y = 0.05, z ~ 0.006";

#[test]
fn contacts_stick_and_slide_in_c_as_in_the_engine() {
    if !present("cc") {
        return;
    }
    let files = [
        "rough_incline",
        "stick_slip_belt",
        "rough_puck",
        "stacked_blocks",
        "rough_hoop",
        "rough_wedge",
        "sledge",
        "bowling_ball",
        "painleve_rod",
    ];
    let mut cases: Vec<Case> =
        files.iter().enumerate().map(|(k, name)| case(name, load_file(name), k as u64)).collect();
    cases.push(case("shared", load(SHARED), 71));
    cases.push(case("clutch", load(CLUTCH), 72));
    cases.push(case("led", load(LED), 73));
    // At rest, where modes are searched: the contacts hold, or are let go with a direction.
    for case in &mut cases {
        let mut rest = case.states[0].clone();
        rest.eta.fill(0.0);
        case.states.push(rest);
    }
    let cases: Vec<&Case> = cases.iter().collect();
    below("friction in exported C against the engine", in_c(&folder("c_friction"), &cases, "-O0"), 1e-10);
}

#[test]
fn what_has_no_search_refuses_friction() {
    for target in [Target::Rust, Target::Python] {
        let refusal = code::write(&load_file("rough_incline"), target, "rough").expect_err("friction");
        assert_eq!(refusal.code, Code::NotApplicable);
        assert!(refusal.help.as_ref().is_some_and(|h| h.contains("--target c")), "{refusal:?}");
    }
    let options = code::COptions { step: true, jacobian: true };
    let refusal = code::write_c(&load_file("rough_incline"), "rough", options).expect_err("derivatives");
    assert!(refusal.message.contains("derivatives"), "{refusal:?}");
    // Which of two parallel floors presses is open, and the friction of one would need to know.
    let text = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint a: y = 0\nconstraint b: 2*y = 0
        friction on a: coefficient 0.3, velocity x'";
    let refusal = code::write(&load(text), Target::C, "floors").expect_err("open loads");
    assert!(refusal.message.contains("redundant"), "{refusal:?}");
}
