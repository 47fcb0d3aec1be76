//! Conserved quantities that affine point symmetries miss: each against a closed form, none where there is none.

use crate::support::*;
use dalembert::analyze::{Conserved, analyze};

fn conserved(text: &str) -> Vec<Conserved> {
    let found = analyze(&mut load(text)).unwrap_or_else(|d| panic!("{}", d.message)).conserved;
    assert!(found.iter().all(|c| c.proved && c.verified), "{found:?}");
    found
}

fn names(text: &str) -> Vec<String> {
    conserved(text).into_iter().map(|c| c.name).collect()
}

#[test]
fn kepler_has_the_vector_of_runge_and_lenz() {
    let found = conserved(&model_text("kepler"));
    let vector: Vec<&Conserved> = found.iter().filter(|c| c.name.starts_with("Runge-Lenz vector")).collect();
    assert_eq!(vector.len(), 3, "{found:?}");
    // A = v x (r x v) - mu r/|r| along x, up to its sign, at the start and later: as an output it is mu e.
    let head = model_text("kepler");
    for (c, axis) in vector.iter().zip(["x", "y", "z"]) {
        assert!(c.name.ends_with(axis));
        let text = format!(
            "{head}\noutput J = {}\noutput A = {axis}*(x'^2 + y'^2 + z'^2) - {axis}'*(x*x' + y*y' + z*z') - mu*{axis}/sqrt(x^2 + y^2 + z^2)",
            c.expression
        );
        let motion = run(&mut load(&text), &sharply_until(3.0));
        let (J, A) = (column(&motion, "J"), column(&motion, "A"));
        let (same, opposite) =
            (apart(&J, &A), largest(&J.iter().zip(&A).map(|(a, b)| a + b).collect::<Vec<_>>()));
        below(axis, same.min(opposite), 1e-9);
    }
    // With any other power of the distance there is none.
    let other = head.replace("sqrt(x^2 + y^2 + z^2)\ninitial", "(x^2 + y^2 + z^2)\ninitial");
    assert!(
        other != head && names(&other).iter().all(|name| !name.starts_with("Runge")),
        "{:?}",
        names(&other)
    );
}

#[test]
fn oscillators_have_their_tensor_and_their_parts() {
    let isotropic = "parameter k = 3\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential k/2*(x^2 + y^2)\ninitial x = 1, y' = 0.5, x' = 0.2";
    let found = conserved(isotropic);
    // Of E, L and Fradkin's tensor (two more) all are linearly independent.
    assert_eq!(found.len(), 4, "{found:?}");
    let parts = "coordinate x, y, z\nkinetic x'^2/2 + y'^2 + z'^2/2\npotential x^4 - cos(y)\ninitial x = 1, y = 0.3, z' = 1";
    let list = names(parts);
    assert!(list.iter().any(|n| n == "energy of x") || list.iter().any(|n| n == "energy of y"), "{list:?}");
    assert!(list.iter().any(|n| n == "energy") && list.iter().any(|n| n == "momentum of z"), "{list:?}");
    let coupled =
        "coordinate x, y\nkinetic x'^2/2 + y'^2\npotential x^4 - cos(y) + x*y\ninitial x = 1, y = 0.3";
    assert_eq!(names(coupled), ["energy"]);
    // Friction on one part leaves the energy of the other.
    let rubbed = "coordinate x, y\nkinetic x'^2/2 + y'^2\npotential x^4 - cos(y)\nforce y = -0.2*y'\ninitial x = 1, y = 0.3";
    assert_eq!(names(rubbed), ["energy of x"]);
}

/// The velocity in a frame that turns with the angle w t and whose origin drifts.
#[test]
fn energy_in_a_frame_that_turns_and_drifts() {
    let text = "parameter w = 0.7, c = 0.3
        coordinate x, y
        speed u = x'*cos(w*t) + y'*sin(w*t) + c*t, v = -x'*sin(w*t) + y'*cos(w*t)
        kinetic ((u - c*t)^2 + v^2)/2
        potential x^2 + x*y + y^4
        initial x = 1, u = 0.2";
    assert!(names(text).iter().any(|name| name == "energy"), "{:?}", names(text));
}

#[test]
fn many_bodies_have_an_angular_momentum() {
    let text = "const N = 9
        coordinate x[1..N], y[1..N]
        kinetic sum(i in 1..N, (x[i]'^2 + y[i]'^2)/2)
        potential sum(i in 1..N-1, ((x[i+1] - x[i])^2 + (y[i+1] - y[i])^2 - 1)^2)
        for i in 1..N { initial x[i] = i, y[i] = 0.1*i^2, y[i]' = 0.1 }";
    let list = names(text);
    assert!(list.iter().any(|name| name == "angular momentum in x, y"), "{list:?}");
    let resisted = format!("{text}\n        potential 0.1*x[1]^2");
    assert!(names(&resisted).iter().all(|name| !name.starts_with("angular")));
}

/// Coordinates of a frame that turns and whose origin drifts, written out: time is in L, and T + V is constant all the same.
#[test]
fn energy_in_coordinates_that_turn_and_drift() {
    let text = "parameter m = 1, w = 0.4, c = 0.3, k = 2
        coordinate x, y
        let X = x*cos(w*t) - y*sin(w*t) + c*t
        let Y = x*sin(w*t) + y*cos(w*t)
        kinetic m*(X'^2 + Y'^2)/2
        potential k*(X^2 + 2*Y^2)/2
        initial x = 1, y' = 1";
    assert!(names(text).iter().any(|name| name == "energy"), "{:?}", names(text));
    // A potential that turns with the frame has none.
    let pushed = text.replace("potential k*(X^2 + 2*Y^2)/2", "potential k*(x^2 + 2*y^2)/2");
    assert!(names(&pushed).iter().all(|name| name != "energy"), "{:?}", names(&pushed));
}

/// In a frame that turns the energy and the angular momentum go together by the rate of the frame, by its name.
#[test]
fn the_rate_of_a_turning_frame_has_its_name() {
    for rate in ["0.5", "0.37"] {
        let text = format!(
            "parameter m = 1, k = 2, w = {rate}, c = 0.3
             coordinate x, y
             kinetic m/2*((x' - w*y + c*cos(w*t))^2 + (y' + w*x - c*sin(w*t))^2)
             potential k/2*(x^2 + y^2)
             initial x = 1, y' = 1.2"
        );
        let found = conserved(&text);
        let moving = found.iter().find(|c| c.name == "moving energy").expect("a moving energy");
        assert_eq!(moving.generator, "δt = -1, δx = -w*y, δy = w*x");
        assert!(moving.proved && moving.verified && moving.expression.contains("m*w*x*y'"), "{moving:?}");
    }
}
