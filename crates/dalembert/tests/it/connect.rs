//! Motions between two configurations against closed forms, and against the motions that their rates start.

use crate::support::*;
use dalembert::connect::Connected;
use dalembert::{Request, Workspace};
use std::f64::consts::PI;

const OSCILLATOR: &str = "coordinate x\nkinetic x'^2/2\npotential x^2/2\ninitial x = 1";
const SPHERE: &str = "coordinate x, y, z
    kinetic (x'^2 + y'^2 + z'^2)/2
    constraint sphere: x^2 + y^2 + z^2 = 1
    initial x = 1";

fn connect(model: &mut Workspace, to: &str, via: &[&str], time: f64) -> Connected {
    let via: Vec<String> = via.iter().map(|v| (*v).to_owned()).collect();
    let found = model.connect(to, &via, &until(time)).unwrap_or_else(|d| panic!("{}", d.message));
    println!(
        "{to} in {time}: action {}, error {:.1e}, missed by {:.1e}, {} elements, {} iterations, {:?}, sensitivity {:.1e}",
        found.connection.action,
        found.connection.error,
        found.missed_by,
        found.connection.elements,
        found.connection.iterations,
        found.connection.second,
        found.connection.sensitivity,
    );
    found
}

fn index(found: &Connected) -> usize {
    found.connection.second.as_ref().expect("a second variation").index
}

fn refused(model: &mut Workspace, to: &str, time: f64) -> String {
    let said = model.connect(to, &[], &until(time)).err().unwrap_or_else(|| panic!("connected to {to}"));
    println!("{}: {}", said.code.id(), said.message);
    said.code.id().to_owned()
}

#[test]
fn a_free_particle_goes_straight() {
    let mut model = load("coordinate x, y\nkinetic (x'^2 + 3*y'^2)/2");
    let found = connect(&mut model, "x = 2, y = -1", &[], 4.0);
    below("rates", apart(&found.connection.start.eta, &[0.5, -0.25]), 1e-12);
    // S = (m/2) d^2/T for each direction.
    below("action", (found.connection.action - (4.0 + 3.0) / 8.0).abs(), 1e-12);
    assert_eq!(index(&found), 0);
}

#[test]
fn an_oscillator_meets_a_conjugate_point_every_half_period() {
    // x(T) = x0 cos T + v0 sin T;  S = ((x0^2 + x1^2) cos T - 2 x0 x1)/(2 sin T);  one more negative direction after each pi.
    let mut model = load(OSCILLATOR);
    for (time, negative) in [(1.0, 0), (3.0, 0), (3.3, 1), (6.0, 1), (6.5, 2), (10.0, 3)] {
        let found = connect(&mut model, "x = 0.5", &[], time);
        let (s, c) = time.sin_cos();
        below("rate", (found.connection.start.eta[0] - (0.5 - c) / s).abs(), 1e-8);
        below("action", (found.connection.action - (1.25 * c - 1.0) / (2.0 * s)).abs(), 1e-8);
        assert_eq!(index(&found), negative, "after {time}");
        for (k, t) in found.connection.second.expect("known").conjugate.iter().enumerate() {
            below("conjugate point", (t - (k + 1) as f64 * PI).abs(), 1e-6);
        }
        // The integrated motion repeats it.
        below("missed by", found.missed_by, 1e-8);
    }
    assert_eq!(refused(&mut model, "x = 0.5", PI), "E0732");
    assert_eq!(refused(&mut model, "x = -1", PI), "E0732");
}

#[test]
fn a_simple_path_hides_no_conjugate_points() {
    // At rest at the bottom the path is resolved by any grid, what is near it not.
    let mut still = load("coordinate x\nkinetic x'^2/2\npotential x^2/2");
    assert_eq!(refused(&mut still, "x = 0", 10.0 * PI), "E0732");
    let found = connect(&mut still, "x = 0", &[], 100.0);
    below("sensitivity", (found.connection.sensitivity - 100.0 / 100f64.sin().abs()).abs(), 5.0);
    assert_eq!(index(&found), 31);
    // Sixteen periods from elsewhere.
    let found = connect(&mut load(OSCILLATOR), "x = 0.5", &[], 100.0);
    let (s, c) = 100f64.sin_cos();
    below("rate", (found.connection.start.eta[0] - (0.5 - c) / s).abs(), 1e-7);
    // Damping forgets the start, which is not a conjugate point.
    let mut damped = load("coordinate x\nkinetic x'^2/2\npotential 5*x^2/2\ndissipation x'^2\ninitial x = 1");
    let found = connect(&mut damped, "x = 0.5", &[], 15.0);
    let (decay, s, c) = ((-15f64).exp(), 30f64.sin(), 30f64.cos());
    // x = exp(-t) (cos 2t + B sin 2t), x'(0) = 2 B - 1.
    let rate = 2.0 * (0.5 / decay - c) / s - 1.0;
    below("rate", (found.connection.start.eta[0] / rate - 1.0).abs(), 1e-6);
    // A pendulum at rest: sin(w t) vanishes every pi/w.
    let mut pendulum = load("coordinate th\nkinetic th'^2/2\npotential -9.81*cos(th)");
    let found = connect(&mut pendulum, "th = 0", &[], 3.0);
    let times = found.connection.second.expect("known").conjugate;
    let wanted = [PI / 9.81f64.sqrt(), 2.0 * PI / 9.81f64.sqrt()];
    assert_eq!(times.len(), 2);
    below("conjugate points", apart(&times, &wanted), 1e-6);
}

#[test]
fn a_projectile() {
    let mut model = load("parameter g = 9.81\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential g*y");
    let found = connect(&mut model, "x = 10, y = 3", &[], 2.0);
    below("rates", apart(&found.connection.start.eta, &[5.0, 1.5 + 9.81]), 1e-10);
    // S = (d^2/T)/2 - g (y0 + y1) T/2 - g^2 T^3/24 for unit mass.
    let action = (100.0 + 9.0) / 4.0 - 9.81 * 3.0 - 9.81 * 9.81 * 8.0 / 24.0;
    below("action", (found.connection.action - action).abs(), 1e-9);
    assert_eq!(index(&found), 0);
}

/// The example of the manual, with its numbers.
#[test]
fn the_throw_from_a_tower() {
    let mut model = load(
        "parameter m = 1, g = 9.81\ncoordinate x, y\nkinetic m/2*(x'^2 + y'^2)\npotential m*g*y\ninitial y = 20",
    );
    let found = connect(&mut model, "x = 10, y = 10", &[], 2.0);
    below("rates", apart(&found.connection.start.eta, &[5.0, 4.81]), 1e-10);
    below("action", (found.connection.action + 276.3787).abs(), 1e-9);
    assert_eq!(index(&found), 0);
}

#[test]
fn a_pendulum_over_the_top_or_not() {
    // Both angles and both turns; beyond 2 pi it has gone round.
    let mut model = load_file("pendulum");
    for to in ["1", "-0.5", "6.8", "-5.2"] {
        let name = model.system.frame.coordinates[0].name.clone();
        let found = connect(&mut model, &format!("{name} = {to}"), &[], 0.7);
        below("missed by", found.missed_by, 1e-8);
    }
}

#[test]
fn a_sphere_both_ways_round() {
    let mut model = load(SPHERE);
    let found = connect(&mut model, "x = 0, y = 1, z = 0", &[], 1.0);
    below("rates", apart(&found.connection.start.eta, &[0.0, PI / 2.0, 0.0]), 1e-8);
    below("action", (found.connection.action - PI * PI / 8.0).abs(), 1e-9);
    assert_eq!(index(&found), 0);
    // The long way: three quarters of a great circle, past the antipode, where all geodesics meet.
    let found = connect(&mut model, "x = 0, y = 1, z = 0", &["x = 0, y = -1", "x = -1"], 1.0);
    below("rates", apart(&found.connection.start.eta, &[0.0, -1.5 * PI, 0.0]), 1e-8);
    below("action", (found.connection.action - 9.0 * PI * PI / 8.0).abs(), 1e-8);
    assert_eq!(index(&found), 1);
    assert_eq!(found.connection.passed, [true, true]);
    // The antipode is half a turn away: after two thirds of the time.
    below(
        "conjugate point",
        (found.connection.second.as_ref().expect("known").conjugate[0] - 2.0 / 3.0).abs(),
        1e-5,
    );
    below("missed by", found.missed_by, 1e-8);
    // To the antipode every great circle leads.
    assert_eq!(refused(&mut model, "x = -1, y = 0, z = 0", 1.0), "E0732");
    // A way point opposite to the end leaves the rest of the way open: found and told, or refused.
    if let Ok(found) = model.connect("x = 0, y = 1, z = 0", &["x = 0, y = -1".to_owned()], &until(1.0)) {
        assert_eq!(found.connection.passed, [found.connection.action > 2.0]);
    }
}

#[test]
fn a_double_pendulum_in_both_coordinates() {
    let mut angles = load_file("double_pendulum");
    let names: Vec<String> = angles.system.frame.coordinates.iter().map(|c| c.name.clone()).collect();
    let to = format!("{} = 0.3, {} = -0.2", names[0], names[1]);
    let minimal = connect(&mut angles, &to, &[], 0.6);
    below("missed by", minimal.missed_by, 1e-8);
    let (a, b) = (0.3_f64, -0.2_f64);
    let mut rods = load_file("double_pendulum_cartesian");
    let to = format!(
        "x1 = {}, y1 ~ {}, x2 = {}, y2 ~ {}",
        a.sin(),
        -a.cos(),
        a.sin() + b.sin(),
        -a.cos() - b.cos()
    );
    let redundant = connect(&mut rods, &to, &[], 0.6);
    below("missed by", redundant.missed_by, 1e-8);
    // One motion, whatever the coordinates.
    below("actions", (minimal.connection.action - redundant.connection.action).abs(), 1e-8);
    assert_eq!(minimal.connection.second.map(|s| s.index), redundant.connection.second.map(|s| s.index));
    below("constraints", redundant.motion.outcome.largest_position_residual, 1e-14);
}

#[test]
fn rows_that_repeat_each_other_and_constraints_that_move() {
    let twice = SPHERE.to_owned() + "\nconstraint again: log(x^2 + y^2 + z^2) = 0\npotential 3*z\n";
    let found = connect(&mut load(&twice), "x = 0.6, y = 0.8, z ~ 0", &[], 1.0);
    below("missed by", found.missed_by, 1e-8);
    let found = connect(&mut load_file("bead_hoop_rheonomic"), "z ~ -0.4, x ~ 0.1", &[], 0.4);
    below("missed by", found.missed_by, 1e-8);
}

#[test]
fn forces_without_a_potential() {
    // x'' = -x': v0 = x1/(1 - exp(-T)).
    let mut model = load("coordinate x\nkinetic x'^2/2\ndissipation x'^2/2");
    let found = connect(&mut model, "x = 1", &[], 1.5);
    below("rate", (found.connection.start.eta[0] - 1.0 / (1.0 - (-1.5f64).exp())).abs(), 1e-9);
    assert!(!found.stationary && found.connection.second.is_none());
}

#[test]
fn what_cannot_be_is_said() {
    let mut sphere = load(SPHERE);
    assert_eq!(refused(&mut sphere, "x = 2", 1.0), "E0512");
    assert_eq!(refused(&mut sphere, "w = 2", 1.0), "E0803");
    assert_eq!(refused(&mut load_file("rolling_disk"), "x = 2", 1.0), "E0804");
    assert_eq!(refused(&mut sphere, "x = 1, x = 0", 1.0), "E0803");
    assert_eq!(refused(&mut load("coordinate x, y\nkinetic x'^2/2\npotential y"), "x = 1", 1.0), "E0503");
    let direct = load("coordinate x\nmass [[2]]\nforce x = -x").connect("x = 1", &[], &until(1.0));
    assert!(direct.err().is_some_and(|d| d.span.is_some()), "the place of `mass`");
    let filtered = "coordinate x\nstate z' = x\nkinetic x'^2/2\npotential x^2/2";
    let said = load(filtered).connect("x = 1", &[], &until(1.0)).expect_err("a state variable");
    assert!(said.message.contains("`z` is a state variable"), "{}", said.message);
    // Nothing crosses a wall of infinite height, and the search ends.
    let mut wall = load("coordinate x\nkinetic x'^2/2\npotential 1/x^2\ninitial x = 1");
    assert!(["E0731", "E0732"].contains(&refused(&mut wall, "x = -1", 1.0).as_str()));
    let said = load(OSCILLATOR).connect("x = 1", &[], &Request::default()).expect_err("no time");
    assert_eq!(said.code.id(), "E0803");
}

/// Speeds given by `kinematics` alone: the rates are those of the same throw in plain coordinates.
#[test]
fn speeds_given_by_kinematics() {
    let text = "parameter g = 9.81\ncoordinate x, y\nspeed u, v
        kinematics x' = u*cos(x) + v\nkinematics y' = v - u
        kinetic ((u*cos(x) + v)^2 + (v - u)^2)/2\npotential g*y";
    let mut model = load(text);
    let found = connect(&mut model, "x = 1, y = 0", &[], 1.0);
    let (u, v) = (found.connection.start.eta[0], found.connection.start.eta[1]);
    below("x'", (u + v - 1.0).abs(), 1e-8);
    below("y'", (v - u - 9.81 / 2.0).abs(), 1e-8);
    below("missed", found.missed_by, 1e-8);
}
