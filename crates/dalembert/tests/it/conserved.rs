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

/// The vector of Laplace, Runge and Lenz in polar, cylindrical and spherical coordinates, angles from the pole and latitudes:
/// along each of the places that would move in straight lines. In polar coordinates it is mu times the eccentricity.
#[test]
fn the_vector_of_runge_and_lenz_behind_polar_coordinates() {
    let head = "parameter m = 1.3, mu = 2\n";
    let end = "initial r = 1, r' = 0.1, phi' = 0.9\nsimulate until 2";
    let polar = format!("{head}coordinate r, phi\nkinetic m/2*(r'^2 + r^2*phi'^2)\npotential -m*mu/r\n{end}");
    let found = conserved(&polar);
    let vector: Vec<&Conserved> = found.iter().filter(|c| c.name.starts_with("Runge-Lenz vector")).collect();
    let along: Vec<&str> = vector.iter().filter_map(|c| c.name.split("along ").nth(1)).collect();
    assert_eq!(along, ["r*cos(phi)", "r*sin(phi)"]);
    let text = format!(
        "{polar}\noutput A = {}\noutput B = {}\noutput e = sqrt(1 + 2*energy/m*(r^2*phi')^2/mu^2)",
        vector[0].expression, vector[1].expression
    );
    let motion = run(&mut load(&text), &sharply_until(2.0));
    let (A, B, e) = (column(&motion, "A"), column(&motion, "B"), column(&motion, "e"));
    let size: Vec<f64> = A.iter().zip(&B).map(|(a, b)| a.hypot(*b) / 2.0).collect();
    below("eccentricity", apart(&size, &e), 1e-9);
    let cylinder =
        "kinetic m/2*(r'^2 + r^2*phi'^2 + z'^2)\npotential -m*mu/sqrt(r^2 + z^2)\ninitial z = 0.4, z' = 0.2";
    let pole =
        "kinetic m/2*(r'^2 + r^2*(z'^2 + sin(z)^2*phi'^2))\npotential -m*mu/r\ninitial z = 1, z' = 0.2";
    let latitude = pole.replace("sin(z)", "cos(z)");
    for rest in [cylinder, pole, &latitude] {
        let list = names(&format!("{head}coordinate r, phi, z\n{rest}\n{end}"));
        assert_eq!(list.iter().filter(|n| n.starts_with("Runge-Lenz vector")).count(), 3, "{rest}: {list:?}");
        // With the momentum of phi: the other angular momenta move no coordinate by an affine function.
        assert_eq!(list.iter().filter(|n| n.starts_with("angular momentum in r*")).count(), 2, "{list:?}");
    }
    // With another power of the distance, or a mass that depends on it, there is none.
    for other in [polar.replace("mu/r", "mu*r"), polar.replace("m/2*(r'^2", "m/2*(r^2*r'^2")] {
        assert_eq!(names(&other), ["energy", "momentum of phi"]);
    }
}

/// Numbers that stand for parameters: c^2 of two centres of force at -c and c, the modes of two coupled oscillators.
#[test]
fn quadratic_integrals_with_the_values_of_parameters() {
    let centres = "parameter m = 1.2, k = 1, h = 0.7, c = 0.5\ncoordinate x, y\nkinetic m*(x'^2 + y'^2)/2
        potential -k/sqrt((x - c)^2 + y^2) - h/sqrt((x + c)^2 + y^2)\ninitial x = 0.2, y = 1, x' = 0.9";
    let modes =
        "parameter m = 1.3, M = 0.7, k = 2, h = 1.5, c = 0.4\ncoordinate x, y\nkinetic m/2*x'^2 + M/2*y'^2
        potential k*x^2/2 + h*y^2/2 + c*x*y\ninitial x = 1, y' = 0.9";
    for text in [centres, modes] {
        assert_eq!(names(text), ["energy", "quadratic integral in x, y"]);
    }
    let other = centres.replace("sqrt((x + c)^2 + y^2)", "((x + c)^2 + y^2)");
    assert_eq!(names(&other), ["energy"]);
}

/// The energy of two masses on a spring is that of the whole less those of the other parts; with half the squared momentum
/// taken off it says nothing new.
#[test]
fn what_products_of_momenta_give_is_not_listed_again() {
    let text = "parameter m = 1.3, k = 2\ncoordinate x, y, z, w\nkinetic m/2*(x'^2 + y'^2 + z'^2 + w'^2)
        potential k*(x^2 + 2*y^2)/2 + (z - w)^4\ninitial x = 1, x' = 0.1, y' = 0.9, z' = 0.3";
    let list = names(text);
    let wanted = ["energy", "momentum along z, w", "boost along z, w", "energy of x", "energy of y"];
    assert_eq!(list, wanted);
}
