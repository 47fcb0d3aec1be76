//! Speeds that are not rates: frames of every kind give the motion that the rates give, and their structure coefficients
//! decide what constraints leave free.

use crate::support::*;
use dalembert::analyze::analyze;
use dalembert::diagnostic::Code;

/// A point in a plane by its polar coordinates, pulled to the centre and along x.
const RATES: &str = "coordinate r, th\nkinetic (r'^2 + r^2*th'^2)/2\npotential r^2/2 + r*cos(th)\n\
    initial r = 1, th = 0.3, r' = 0.2, th' = 0.9\noutput a = r*cos(th), b = r*sin(th)";

/// The same in the velocities u along and v across the radius; how these move the coordinates is known in several ways.
const FRAMES: [(&str, &str); 6] = [
    (
        "defined by rates",
        "coordinate r, th\nspeed u = r'\nspeed v = r*th'\nkinetic (u^2 + v^2)/2\npotential r^2/2 + r*cos(th)\n\
         initial r = 1, th = 0.3, u = 0.2, v = 0.9\noutput a = r*cos(th), b = r*sin(th)",
    ),
    (
        "combinations of rates",
        "coordinate r, th\nspeed u = 2*r' - r*th'\nspeed v = r*th' + r'\n\
         kinetic ((u + v)^2/9 + (2*v - u)^2/9)/2\npotential r^2/2 + r*cos(th)\n\
         initial r = 1, th = 0.3, u = -0.5, v = 1.1\noutput a = r*cos(th), b = r*sin(th)",
    ),
    (
        "square, by kinematics",
        "coordinate r, th\nspeed u, v\nkinematics r' = u\nkinematics th' = v/r\nkinetic (u^2 + v^2)/2\n\
         potential r^2/2 + r*cos(th)\ninitial r = 1, th = 0.3, u = 0.2, v = 0.9\n\
         output a = r*cos(th), b = r*sin(th)",
    ),
    (
        "the direction by its cosine and sine",
        "coordinate r, c, s\nspeed u, v\nkinematics r' = u\nkinematics c' = -s*v/r\nkinematics s' = c*v/r\n\
         kinetic (u^2 + v^2)/2\npotential r^2/2 + r*c\n\
         initial r = 1, c = cos(0.3), s = sin(0.3), u = 0.2, v = 0.9\noutput a = r*c, b = r*s",
    ),
    (
        "the angle in two units",
        "coordinate r, th, micro\nspeed u, v\nkinematics r' = u\nkinematics th' = v/r\n\
         kinematics micro' = 1000000*v/r\nkinetic (u^2 + v^2)/2\npotential r^2/2 + r*cos(th)\n\
         initial r = 1, th = 0.3, micro = 300000, u = 0.2, v = 0.9\noutput a = r*cos(th), b = r*sin(micro/1000000)",
    ),
    (
        "a frame that is stretched in time",
        "coordinate x, y\nspeed u, v\nkinematics x' = (1 + t^2)*u\nkinematics y' = v + x*u\n\
         kinetic (((1 + t^2)*u)^2 + (v + x*u)^2)/2\npotential (x^2 + y^2)/2 + x\n\
         initial x = cos(0.3), y = sin(0.3), u = 0.2*cos(0.3) - 0.9*sin(0.3), \
         v = 0.2*sin(0.3) + 0.9*cos(0.3) - cos(0.3)*(0.2*cos(0.3) - 0.9*sin(0.3))\noutput a = x, b = y",
    ),
];

#[test]
fn frames_of_every_kind_give_the_motion_of_the_rates() {
    let request = sharply_until(4.0);
    let known = run_text(RATES, &request);
    for (name, text) in FRAMES {
        below(name, motions_apart(&known, &run_text(text, &request), &["a", "b"]), 1e-9);
    }
}

/// The bracket of u and v points along z, which no speed moves by itself: z' = x v is a constraint, not kinematics.
#[test]
fn kinematics_that_do_not_close_are_refused() {
    let text = "coordinate x, y, z\nspeed u, v\nkinematics x' = u\nkinematics y' = v\nkinematics z' = x*v\n\
        kinetic (u^2 + v^2)/2\ninitial x = 1";
    assert_eq!(refusal(text).iter().map(|d| d.code).collect::<Vec<_>>(), [Code::KinematicsNotClosed]);
}

/// x^2/9 + y^2 is conserved by the kinematics whatever the speed does: it holds to rounding at a coarse tolerance.
#[test]
fn an_invariant_with_fractions_is_held() {
    let text = "coordinate x, y\nspeed w\nkinematics x' = -3*y*w\nkinematics y' = x*w/3\nkinetic w^2/2\n\
        potential x/5\ninitial x = 3, w = 1\noutput size = x^2/9 + y^2";
    let motion = run_text(text, &dalembert::Request { rtol: Some(1e-4), ..until(50.0) });
    below("x^2/9 + y^2", stray(&motion, "size"), 1e-13);
}

/// A blade that does not slip sideways, in the direct form of the equations: the bracket of rolling and turning is the
/// slip, so that no place is out of reach. Without turning it would be.
#[test]
fn brackets_of_a_direct_form_decide_what_a_blade_can_reach() {
    let text = "coordinate x, y, theta\nspeed v = x'*cos(theta) + y'*sin(theta)\n\
        speed u = -x'*sin(theta) + y'*cos(theta)\nspeed omega = theta'\n\
        mass [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\nconstraint blade: u = 0\ninitial v = 1, omega = 0.5";
    let of = |text: &str| {
        let set = analyze(&mut load(text)).unwrap_or_else(|d| panic!("{}", d.message)).set;
        (set.verdict.name().to_owned(), set.growth, set.closure)
    };
    assert_eq!(of(text), ("nonholonomic".to_owned(), Some(vec![2, 3]), Some(3)));
    let locked = text.replace("constraint blade: u = 0", "constraint blade: [u, omega] = 0");
    assert_eq!(of(&locked.replace(", omega = 0.5", "")), ("holonomic".to_owned(), Some(vec![1]), Some(1)));
}
