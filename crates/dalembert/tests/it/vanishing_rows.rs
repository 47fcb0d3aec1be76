//! Redundant rows of which one vanishes, or is nothing but rounding, at natural starts and on the way. What they say
//! together determines the motion, so it is the one that independent rows give.

use crate::support::*;
use dalembert::Motion;
use dalembert::diagnostic::Code;
use dalembert::run::Flow;

fn near(motion: &Motion, values: &[(&str, f64)], tolerance: f64) {
    assert!(motion.failure.is_none(), "{:?}", motion.failure);
    for (name, value) in values {
        let found = last(motion, name);
        below(&format!("{name} = {found}, not {value}"), (found - value).abs(), tolerance);
    }
}

/// A vector says one thing twice: at phi = 0 and pi/2 one component of it says nothing.
#[test]
fn a_wheel_rolls_through_the_zeros_of_a_component() {
    for phi in ["0", "pi/2", "1e-6", "0.3"] {
        for rate in ["0.7", "1.1", "pi", "8"] {
            for rows in
                ["(0.6*phi' - s')*[-sin(phi), cos(phi)]", "(0.6*(phi - PHI) - s)*[-sin(phi), cos(phi)]"]
            {
                let text = format!(
                    "coordinate phi, s\nkinetic (phi'^2 + s'^2)/2\nconstraint roll: {} = [0, 0]\n\
                     initial phi = {phi}, s ~ 0, phi' = {rate}\nsimulate until 3",
                    rows.replace("PHI", phi)
                );
                let motion = run(&mut load(&text), &until(3.0));
                let rate: f64 = rate.replace("pi", "3.141592653589793").parse().unwrap();
                near(&motion, &[("s", 1.8 * rate), ("phi'", rate)], 1e-9);
            }
        }
    }
}

/// Nothing moves and nothing pulls: all that rows ask for is rounding.
#[test]
fn rows_at_rest_agree() {
    let text = "coordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint a: z*sin(2*t + 0.1) = 0\n\
        constraint b: z*cos(2*t) = 0\ninitial x = 0.3, z ~ 0.3\nsimulate until 3";
    near(&run(&mut load(text), &until(3.0)), &[("x", 0.3), ("z", 0.0), ("z'", 0.0)], 1e-14);
}

/// A bead on a turning rod, with a third component of the rod that is 6e-17: r'' = 4 r.
#[test]
fn a_rod_that_is_horizontal_but_for_rounding() {
    let text = "parameter al = pi/2\ncoordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n\
        let d = [cos(2*t)*sin(al), sin(2*t)*sin(al), cos(al)]\nconstraint rod: cross([x, y, z], d) = [0, 0, 0]\n\
        initial x = 0.3, z ~ 0.3\noutput r = norm([x, y, z])\nsimulate until 2";
    near(&run(&mut load(text), &until(2.0)), &[("r", 0.3 * 4f64.cosh()), ("z", 0.0)], 1e-7);
}

/// A ball rolls inside an upright cylinder: z oscillates with sqrt(2/7) phi' for a homogeneous ball, wherever it starts.
#[test]
fn a_ball_in_a_cylinder() {
    for phi in ["0", "pi/2", "1e-6", "0.1"] {
        let text = format!(
            "parameter c = 1, a = 0.2, g = 9.81\ncoordinate phi, z, q1, q2, q3\n\
             let er = [cos(phi), sin(phi), 0]\nlet P = [c*cos(phi), c*sin(phi), z]\nlet W = [q1', q2', q3']\n\
             kinetic dot(P', P')/2 + a^2/5*dot(W, W)\npotential g*z\n\
             constraint roll: P' + a*cross(W, er) = [0, 0, 0]\ninitial phi = {phi}, phi' = 3\nsimulate until 2"
        );
        let motion = run(&mut load(&text), &until(2.0));
        let (w, g) = (3.0 * (2f64 / 7.0).sqrt(), 5.0 / 7.0 * 9.81);
        near(&motion, &[("z", -g / (w * w) * (1.0 - (2.0 * w).cos())), ("phi'", 3.0)], 1e-7);
    }
}

/// Three rows of rank two, and a fourth: near the start small pivots make rounding large in those that follow.
#[test]
fn a_pursuit_has_the_rank_that_it_has() {
    let text = "coordinate x, y, z\nlet D = [x, y, z], H = [2, 1, t]\nkinetic dot(D', D')/2\n\
        constraint chase: cross(D', H - D) = [0, 0, 0]\nconstraint pace: norm(D') = 2\n\
        initial x' ~ 1, y' ~ 0.5\nsimulate until 1";
    let motion = run(&mut load(text), &until(1.0));
    assert!(motion.failure.is_none(), "{:?}", motion.failure);
    assert_eq!(motion.outcome.generic_rank, 3);
    assert!(!motion.outcome.degenerate_start);
}

/// A row without a gradient that asks for something is a contradiction, however short it is.
#[test]
fn rows_that_vanish_and_disagree_are_refused() {
    for row in ["x*y' = t", "sin(x)*y' = 1e-3*t"] {
        let text = format!(
            "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: y' = 0\nconstraint b: {row}\nsimulate until 1"
        );
        let motion = load(&text).simulate(&until(1.0), |_| Flow::Continue).expect("a motion");
        let failure = motion.failure.expect("a contradiction");
        assert_eq!(failure.code, Code::ContradictoryConstraints, "{failure:?}");
    }
}
