//! What is wrong with bodies, said at its place.

use crate::support::{load, refusal};
use dalembert::diagnostic::{Code, Diagnostic};

/// What is said with a code, message and help together.
fn said(text: &str, code: Code) -> String {
    let told = |d: &Diagnostic| format!("{} | {}", d.message, d.help.clone().unwrap_or_default());
    refusal(text).iter().filter(|d| d.code == code).map(told).collect::<Vec<_>>().join("; ")
}

#[track_caller]
fn refused_with_help(text: &str, code: Code, parts: &[&str]) {
    let said = said(text, code);
    assert!(parts.iter().all(|part| said.contains(part)), "{said}");
}

#[track_caller]
fn refused(text: &str, code: Code, part: &str) {
    let said = refusal(text);
    assert!(said.iter().any(|d| d.code == code && d.message.contains(part)), "{said:#?}");
}

#[test]
fn inertias_keep_the_triangle_inequality() {
    refused(
        "gravity [0, 0, -1]\nbody top: mass 1, inertia [1, 1, 3]",
        Code::BadInertia,
        "principal inertias",
    );
    refused("gravity [0, 0, -1]\nbody top: mass -1", Code::BadInertia, "negative");
    let skew = "gravity [0, 0, -1]\nbody top: mass 1, inertia [[1, 0.2, 0], [0, 1, 0], [0, 0, 1]]";
    refused(skew, Code::BadInertia, "symmetric");
}

#[test]
fn a_massless_body_that_nothing_determines_is_named() {
    let text = "gravity [0, -9.81]\nbody arm: rod 1 from [0, 0] to [1, 0]\nbody hook: mass 0\n\
                joint a: pin ground to arm\njoint b: pin arm at [1, 0] to hook";
    let error = dalembert::constraint_kind::Freedom::at_start(&mut load(text)).err().expect("no motion");
    assert_eq!(error.code, Code::MotionUndetermined);
    assert!(error.message.contains("`hook`"), "{}", error.message);
    // Held by a second joint it is fine.
    let held = format!(
        "{text}\nbody bar: rod 1 from [0, 0] to [1, 0]\njoint c: pin ground at [0, 1] to bar\n\
                joint d: pin bar at [1, 0] to hook at [0, 1]\ninitial a ~ 0.1"
    );
    assert!(dalembert::constraint_kind::Freedom::at_start(&mut load(&held)).is_ok());
}

#[test]
fn a_loop_that_cannot_be_closed_names_its_joint() {
    let text = "gravity [0, -9.81]\nbody a: rod 1 from [0, 0] to [1, 0]\nbody b: rod 1 from [0, 0] to [1, 0]\n\
                joint p: pin ground to a\njoint q: pin a at [1, 0] to b\njoint far: pin ground at [5, 0] to b at [1, 0]";
    let error = load(text).start().expect_err("two bars do not reach so far");
    assert_eq!(error.code, Code::LoopNotClosed);
    assert!(error.message.contains("`far`"), "{}", error.message);
}

/// Two bars of length 1 reach 2 from the pin: what is missing is the distance less 2, whatever the guess.
#[test]
fn an_open_loop_is_open_by_the_least_distance_of_its_points() {
    let text = |end: &str, initial: &str| {
        format!(
            "gravity [0, -9.81]\nbody a: rod 1 from [0, 0] to [1, 0]\nbody b: rod 1 from [0, 0] to [1, 0]\n\
             joint J: pin ground to a\njoint K: pin a at [1, 0] to b\njoint L: pin b at [1, 0] to ground at {end}\n{initial}"
        )
    };
    let guesses = ["", "initial J ~ 3, K ~ 0.5", "initial J ~ 0.7, K ~ 3.1"];
    for (end, gap) in [("[2.1, 0]", "0.1"), ("[2.5, 0]", "0.5"), ("[3, 0]", "1"), ("[-10, 0]", "8")] {
        for initial in guesses {
            let error = load(&text(end, initial)).start().expect_err("two bars do not reach so far");
            let said = format!("its points stay {gap} apart in");
            assert!(error.code == Code::LoopNotClosed && error.message.contains(&said), "{}", error.message);
        }
    }
    // A value that is fixed and a joint that holds the same turn.
    let turned = "gravity [0, -9.81]\nbody a: rod 1 from [0, 0] to [1, 0]\njoint J: pin ground to a\n\
                  joint L: slider a to ground at [0, 0], axis [1, 0]\ninitial J = 0.5";
    let error = load(turned).start().expect_err("the slider does not let it turn");
    assert!(error.message.contains("its axes stay turned apart by 0.5 rad"), "{}", error.message);
}

/// Balls in space: the coordinates are quaternions, which stay at length 1.
#[test]
fn an_open_loop_in_space_is_open_by_the_least_distance_of_its_points() {
    let text = "gravity [0, 0, -9.81]\nbody a: cylinder 1 radius 0.1 from [0, 0, 0] to [1, 0, 0]\n\
                body b: cylinder 1 radius 0.1 from [0, 0, 0] to [1, 0, 0]\njoint J: ball ground to a\n\
                joint K: ball a at [1, 0, 0] to b\njoint L: ball b at [1, 0, 0] to ground at [1, 2, 2]";
    let error = load(text).start().expect_err("two bars do not reach so far");
    assert!(error.message.contains("its points stay 1 apart in"), "{}", error.message);
}

#[test]
fn limits_bound_the_start() {
    let text = |initial: &str| {
        format!(
            "gravity [0, -9.81]\nbody a: rod 1 from [0, 0] to [1, 0]\njoint p: pin ground to a, limits 0.5..2\n{initial}"
        )
    };
    assert_eq!(load(&text("")).start().map(|s| s.state.x).ok(), Some(vec![0.5]));
    let error = load(&text("initial p = 3")).start().expect_err("beyond the limit");
    assert_eq!(error.code, Code::LimitsExcludeStart);
}

#[test]
fn a_run_beyond_a_limit_says_so() {
    let text = "gravity [0, -9.81]\nbody a: rod 1 from [0, 0] to [1, 0]\njoint p: pin ground to a, limits -1..1\n\
                initial p = 0\nsimulate until 1";
    let motion = crate::support::run_text(text, &dalembert::Request::default());
    let names: Vec<&str> = motion.events.iter().map(|e| e.name.as_str()).collect();
    assert!(names.contains(&"p.lower passed"), "{names:?}");
}

#[test]
fn names_of_bodies_and_joints_are_checked() {
    let model = "gravity [0, -9.81]\nbody arm: rod 1 from [0, 0] to [1, 0]\njoint p: pin ground to arm\n";
    refused(&format!("{model}joint q: pin arn to arm"), Code::UnknownName, "arn");
    refused(&format!("{model}output F = force(qq)"), Code::UnknownName, "qq");
    refused(&format!("{model}output x = arm.speed"), Code::NoSuchComponent, "speed");
    refused(&format!("{model}output x = arm"), Code::ValueExpected, "body");
    refused(&format!("{model}output x = [0, 0, 0] of arm"), Code::DimensionMismatch, "two components");
    refused(&format!("{model}body arm: point 1"), Code::DeclaredTwice, "arm");
    refused(&format!("{model}joint b: ball arm to ground"), Code::NotApplicable, "plane");
    refused(&format!("{model}joint s: pin arm to arm"), Code::BadOption, "itself");
    refused("body a: rod 1 from [0, 0]", Code::StatementNotFinished, "`to`");
}

/// New words are names wherever a model declares them.
#[test]
fn words_of_bodies_are_free_as_names() {
    let text = "parameter gravity = 9.81, of = 1, body = 2, joint = 3, mass = 1, ball = 2, rpy = 1, ground = 0\n\
                coordinate torque, frame\n\
                kinetic body/2*torque'^2 + joint/2*frame'^2\npotential gravity*(torque + ball*frame)*of*rpy\n\
                let momentum = body*torque'\noutput spring = momentum + ground";
    load(text);
}

/// A spring or damper acts on one freedom: joints of several, or none, say how to name one or what to use.
/// What waits for itself is told as if it stood alone.
#[test]
fn statements_that_wait_for_each_other_are_refused() {
    let text = "gravity [0, -9.81]\nlet l = J + 1\nbody a: rod 1 from [0, 0] to [1, 0]\n\
                joint J: pin ground at [l, 0] to a\n";
    refused(text, Code::UnknownName, "unknown name `J`");
}

#[test]
fn elements_at_joints_of_several_freedoms_name_one() {
    let model = |kind: &str| {
        format!(
            "gravity [0, 0, -9.81]\nbody a: box 1 size [1, 1, 1]\njoint J: {kind} ground to a\ndamper d: 0.5 at J"
        )
    };
    for (kind, parts) in [
        ("ball", ["the ball joint `J` has 3 freedoms", "`bushing`"]),
        ("universal", ["has 2 freedoms", "`at J.first` or `at J.second`"]),
        ("cylindrical", ["has 2 freedoms", "`at J.turn` or `at J.slide`"]),
        ("planar", ["has 3 freedoms", "`at J.x` or `at J.y` or `at J.turn`"]),
        ("free", ["has 6 freedoms", "`at J.x` or `at J.y` or `at J.z`; for rotations use a `bushing`"]),
        ("weld", ["no freedom", "`bushing`"]),
        ("rod length 1", ["no coordinate", "`between` two points"]),
    ] {
        refused_with_help(&model(kind), Code::BadOption, &parts);
    }
    // Closed loops as well.
    let cut = "gravity [0, 0, -9.81]\nbody a: box 1 size [1, 1, 1]\njoint I: ball ground to a\n\
               joint J: ball ground at [0, 0, 1] to a at [0, 0, 1], cut\ndamper d: 0.5 at J";
    refused_with_help(cut, Code::BadOption, &["the ball joint `J` has 3 freedoms", "`bushing`"]);
}

/// The angle of a spring says which freedom of a cylindrical joint is meant; a note says so too.
#[test]
fn a_spring_with_an_angle_acts_on_the_angle() {
    let text = |at: &str| {
        format!(
            "gravity [0, 0, 0]\nbody a: box 1 size [1, 1, 1]\njoint J: cylindrical ground to a\nspring s: 2 {at}\n\
             initial J.turn = 0.3, J.slide = 0.7"
        )
    };
    let (short, long) = (load(&text("angle 0.1 at J")), load(&text("angle 0.1 at J.turn")));
    let notes = |model: &dalembert::Workspace| {
        model.diagnostics.iter().filter(|d| d.code == Code::AngleOfJoint).count()
    };
    assert_eq!((notes(&short), notes(&long)), (1, 0));
    refused_with_help(&text("at J"), Code::BadOption, &["`at J.turn` or `at J.slide`"]);
}

#[test]
fn a_rod_has_a_positive_length() {
    let text = |length: &str| {
        format!(
            "gravity [0, -9.81]\nparameter l = 0\nbody a: rod 1 from [0, 0] to [1, 0]\nbody b: rod 1 from [0, 0] to [1, 0]\n\
             joint R: rod length {length} a to b"
        )
    };
    for length in ["0", "l", "(-1)"] {
        refused_with_help(
            &text(length),
            Code::BadOption,
            &["the length of a rod is positive", "is a `pin` (plane)"],
        );
    }
    load(&text("2").replace("to b", "to b at [3, 0]"));
}

#[test]
fn a_restitution_is_warned_of() {
    let text = "gravity [0, -9.81]\nbody a: rod 1 from [0, 0] to [1, 0]\n\
                joint J: pin ground to a, limits 0..1, restitution 0.5";
    let model = load(text);
    let warned = model.diagnostics.iter().find(|d| d.code == Code::RestitutionIgnored).expect("a warning");
    assert!(warned.span.is_some() && warned.message.contains("no effect"), "{warned:?}");
    assert!(warned.help.as_ref().is_some_and(|help| help.contains("`J.upper passed`")), "{warned:?}");
}

/// Units of motors at joints are checked as those of forces on coordinates are.
#[test]
fn a_motor_at_a_pin_is_a_moment() {
    let model = |unit: &str, joint: &str| {
        format!(
            "gravity [0 {{m/s^2}}, -9.81 {{m/s^2}}]\nparameter l = 1 {{m}}, T = 3 {{{unit}}}\n\
             body a: mass 1 {{kg}}, centre [l, 0*l], inertia 1 {{kg*m^2}}\n\
             joint J: {joint} ground at [0*l, l] to a\nforce J = T"
        )
    };
    refused(&model("N", "pin"), Code::UnitMismatch, "units differ: N*m and N");
    load(&model("N*m", "pin"));
    refused(&model("N*m", "slider"), Code::UnitMismatch, "units differ: N and J");
    load(&model("N", "slider"));
    let coordinate =
        "parameter J0 = 1 {kg*m^2}, T = 3 {N}\ncoordinate th {rad}\nkinetic J0/2*th'^2\nforce th = T";
    refused(coordinate, Code::UnitMismatch, "units differ: N*m and N");
}

#[test]
fn an_inertia_about_the_origin_is_judged_at_the_centre() {
    let text = "gravity [0, 0, -9.81]\nbody a: mass 1, centre [0, 0, 1], inertia [1, 1, 1] about origin";
    refused_with_help(text, Code::BadInertia, &["about its centre of mass", "what `about origin` leaves"]);
}

/// A name that a joint does not have is answered with those that it has.
#[test]
fn coordinates_of_a_joint_are_listed() {
    let model = "gravity [0, 0, -9.81]\nbody a: box 1 size [1, 1, 1]\njoint J: ball ground to a\n";
    let listed = "its coordinates are `J.e0`, `J.e1`, `J.e2`, `J.e3`, its speeds `J.wx`, `J.wy`, `J.wz`";
    refused_with_help(&format!("{model}initial J.x = 1"), Code::UnknownName, &["`J.x`", listed]);
    refused_with_help(&format!("{model}output x = J.x"), Code::NoSuchComponent, &["`x`", listed]);
    let error = load(model).start_from(&[("J.x".to_owned(), 1.0)]).expect_err("no such coordinate");
    assert_eq!(error.help.as_deref(), Some(listed));
}

/// A model of bodies is told about its bodies.
#[test]
fn bodies_that_do_not_move_or_weigh_nothing_are_named() {
    let welded = "gravity [0, -9.81]\nbody a: rod 1 from [0, 0] to [1, 0]\nbody b: rod 1 from [0, 0] to [1, 0]\n\
                  joint J: weld ground to a\njoint K: weld a to b";
    refused_with_help(welded, Code::NoCoordinates, &["`a` and `b` are held by welds", "`pin`"]);
    let massless = "gravity [0, -9.81]\nbody a: mass 0\njoint J: pin ground to a";
    refused_with_help(massless, Code::MissingEnergy, &["`a` is without mass and inertia", "`armature`"]);
}
