//! What is wrong with bodies, said at its place.

use crate::support::{load, refusal};
use dalembert::diagnostic::Code;

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
