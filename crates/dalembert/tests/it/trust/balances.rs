//! Equilibria and steady motions that were missed, or not decided.

use crate::support::*;
use dalembert::equilibrium::EquilibriumSearch;
use dalembert::linearize::{Linearizer, StabilityVerdict};

/// The circular restricted problem of three bodies in the rotating frame.
fn three_bodies(mu: f64, start: &str) -> String {
    format!(
        "parameter mu = {mu}\ncoordinate x, y\nkinetic ((x' - y)^2 + (y' + x)^2)/2\n\
         potential -(1 - mu)/sqrt((x + mu)^2 + y^2) - mu/sqrt((x - 1 + mu)^2 + y^2)\n{start}\n"
    )
}

#[test]
fn all_five_points_of_lagrange_are_found() {
    for mu in [0.0121505856, 0.000953875, 0.3] {
        for start in ["", "initial x = 0.5, y = 0.5", "initial x = -1, y = 0.1"] {
            let found = load(&three_bodies(mu, start)).equilibria(&EquilibriumSearch::default()).unwrap();
            let places: Vec<_> = found.equilibria.iter().map(|e| e.linear.state.x.clone()).collect();
            assert_eq!(places.len(), 5, "mu = {mu}, {start}: {places:?}");
        }
    }
}

/// Watt's governor: the engine's torque falls as the arms rise, the load is constant. The speed is what balances both.
#[test]
fn a_speed_that_the_forces_decide_is_found() {
    let text = "parameter m = 1, l = 0.5, J = 0.2, g = 9.81, c = 0.5, k = 3, load = 1
        coordinate phi, th
        kinetic J/2*phi'^2 + m*l^2*(th'^2 + sin(th)^2*phi'^2)
        potential -2*m*g*l*cos(th)
        force phi = k*(cos(th) - 0.3) - load
        force th = -c*th'
        initial phi' = 5, th = 0.8\n";
    // k (cos th - 0.3) = load, and phi'^2 = g/(l cos th).
    let cos: f64 = 0.3 + 1.0 / 3.0;
    let rate = (9.81 / (0.5 * cos)).sqrt();
    let mut model = load(text);
    let start = start(&mut model);
    let state = Linearizer::new(&mut model, &[]).unwrap().settle(&mut model, &start).unwrap();
    below("arms", (state.x[1].cos() - cos).abs(), 1e-12);
    below("speed", (state.eta[0] - rate).abs(), 1e-11);
    let found = load(text).equilibria(&EquilibriumSearch::default()).unwrap();
    let hit = |x: &[f64], eta: &[f64]| (x[1].cos() - cos).abs() < 1e-9 && (eta[0].abs() - rate).abs() < 1e-9;
    assert!(
        found.equilibria.iter().any(|e| hit(&e.linear.state.x, &e.linear.state.eta)),
        "{:?}",
        found.equilibria.len()
    );
}

#[test]
fn a_minimum_on_a_family_is_stable_and_flat_places_are_not_taken_for_one() {
    let verdict = |text: &str, at: &str| {
        let mut model = load(text);
        let state = model.operating_point(at).unwrap();
        model.linearize(&state, &[]).unwrap().stability.expect("rest").verdict
    };
    let ring = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential (x^2 + y^2 - 1)^2\n";
    assert_eq!(verdict(ring, "x = 1"), StabilityVerdict::Stable);
    assert_eq!(verdict(ring, "x = 0.6, y = 0.8"), StabilityVerdict::Stable);
    let sphere = "coordinate x, y, z\nkinetic (x'^2 + y'^2 + 2*z'^2)/2\npotential (x^2 + y^2 + z^2 - 4)^2\n";
    assert_eq!(verdict(sphere, "x = 2"), StabilityVerdict::Stable);
    let hill = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential y^2 - x^8\n";
    assert_eq!(verdict(hill, "x = 0"), StabilityVerdict::Undecided);
    let bowl = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential y^2 - x^3\n";
    assert_eq!(verdict(bowl, "x = 0"), StabilityVerdict::Undecided);
}
