//! Requirements that say the same twice (C1): the well-determined ones decide.

use crate::support::{below, last, run_text, sharply_until};

#[test]
fn an_angle_required_by_its_sine_and_cosine_is_followed() {
    let head = "coordinate q\nkinetic q'^2/2\npotential -cos(q)\n";
    for (name, rows) in [
        ("vector", "require path: [sin(q), cos(q)] = [sin(t^2), cos(t^2)] decay 2, 1"),
        ("two rows", "require a: sin(q) = sin(t^2) decay 2, 1\nrequire b: cos(q) = cos(t^2) decay 2, 1"),
        (
            "scaled",
            "require a: 1000*sin(q) = 1000*sin(t^2) decay 2, 1\nrequire b: cos(q) = cos(t^2) decay 2, 1",
        ),
    ] {
        let motion = run_text(&format!("{head}{rows}"), &sharply_until(2.0));
        below(name, (last(&motion, "q") - 4.0).abs(), 1e-7);
    }
}

/// Four components of a unit quaternion, three torques.
#[test]
fn an_attitude_is_followed_by_a_quaternion_with_three_torques() {
    let text = "parameter I1 = 1, I2 = 2, I3 = 3\n\
        coordinate e0, e1, e2, e3\nspeed w1, w2, w3\n\
        kinematics e0' = (-e1*w1 - e2*w2 - e3*w3)/2\n\
        kinematics e1' = ( e0*w1 - e3*w2 + e2*w3)/2\n\
        kinematics e2' = ( e3*w1 + e0*w2 - e1*w3)/2\n\
        kinematics e3' = (-e2*w1 + e1*w2 + e0*w3)/2\n\
        kinetic (I1*w1^2 + I2*w2^2 + I3*w3^2)/2\n\
        require attitude: [e0, e1, e2, e3] = [cos(t^2/2), 0.6*sin(t^2/2), 0, 0.8*sin(t^2/2)] decay 2, 1\n\
        actuate w1, w2, w3\n\
        initial e0 = 1\n\
        output off = norm([e1 - 0.6*sin(t^2/2), e2, e3 - 0.8*sin(t^2/2)])";
    let motion = run_text(text, &sharply_until(2.0));
    below("attitude", last(&motion, "off"), 1e-8);
    below("w3", (last(&motion, "w3") - 0.8 * 4.0).abs(), 1e-7);
}
