//! A guess within the limits: zero where limits allow it, else the middle of the range. Joints that are coupled move together.

use crate::robot::{Coupling, JointId, Robot};
use crate::turn::number;
use crate::xml::Log;
use dalembert_syntax::diagnostic::Code;

/// Where joints start that do not start at zero.
pub fn guesses(robot: &Robot, is_fixed: &[bool], log: &mut Log) -> Vec<(JointId, f64)> {
    let mut found = Vec::new();
    for (b, body) in robot.bodies.iter().enumerate().filter(|(b, _)| !is_fixed[*b]) {
        for (k, joint) in body.joints.iter().enumerate() {
            let id = (b, k);
            let guess = match follows(robot, id) {
                Some(coupling) => followed(robot, coupling, 0),
                None => leading(robot, id),
            };
            if guess == 0.0 {
                continue;
            }
            found.push((id, guess));
            let name = joint.name.as_deref().unwrap_or_default();
            let message = format!("`{name}` cannot be zero: the guess of its start is {}", number(guess));
            log.say(Code::ImportAssumed, joint.span, message);
        }
    }
    found
}

/// The coupling that a joint follows, if it is a linear one.
fn follows(robot: &Robot, id: JointId) -> Option<&Coupling> {
    robot.couplings.iter().find(|coupling| coupling.follower == id)
}

/// Where a joint starts that follows no other: within its limits and, if possible, those of its followers.
fn leading(robot: &Robot, id: JointId) -> f64 {
    let own = robot.joint(id).limits.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let mut range = own;
    for coupling in robot.couplings.iter().filter(|coupling| coupling.leader == Some(id)) {
        let (Some((lower, upper)), [offset, factor]) =
            (robot.joint(coupling.follower).limits, &coupling.coefficients[..])
        else {
            continue;
        };
        if *factor != 0.0 {
            let (a, b) = ((lower - offset) / factor, (upper - offset) / factor);
            range = (range.0.max(a.min(b)), range.1.min(a.max(b)));
        }
    }
    let (lower, upper) = if range.0 <= range.1 { range } else { own };
    within(lower, upper)
}

/// The value of a coupling, through the joints that it follows.
fn followed(robot: &Robot, coupling: &Coupling, depth: usize) -> f64 {
    let leader = match coupling.leader {
        Some(id) => match follows(robot, id).filter(|_| depth < 20) {
            Some(next) => followed(robot, next, depth + 1),
            None => leading(robot, id),
        },
        None => 0.0,
    };
    coupling.coefficients.iter().rev().fold(0.0, |value, c| value * leader + c)
}

/// Zero, or what is inside a range that does not contain it.
fn within(lower: f64, upper: f64) -> f64 {
    if lower <= 0.0 && upper >= 0.0 {
        0.0
    } else if lower.is_finite() && upper.is_finite() {
        (lower + upper) / 2.0
    } else if lower.is_finite() {
        lower
    } else {
        upper
    }
}
