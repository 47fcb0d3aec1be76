//! `analyze`: integrability of constraints against a table of known sets, and laws that its answers obey.

mod support;

use dalembert::analyze::{Analysis, analyze};
use support::*;

fn ask(text: &str) -> Analysis {
    analyze(&mut load(text)).unwrap_or_else(|d| panic!("{}", d.message))
}

/// A model with the given coordinates and velocity constraints.
fn pfaffian(coordinates: &str, rows: &[&str]) -> String {
    let kinetic: Vec<String> = coordinates.split(',').map(|c| format!("{}'^2/2", c.trim())).collect();
    let rows: Vec<String> =
        rows.iter().enumerate().map(|(k, row)| format!("constraint c{k}: {row} = 0\n")).collect();
    format!("coordinate {coordinates}\nkinetic {}\n{}", kinetic.join(" + "), rows.concat())
}

/// id, coordinates, rows, verdict, rank, growth, closure, integrals, exact, alone
type Known = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static str,
    usize,
    &'static [usize],
    usize,
    &'static [&'static str],
    &'static [bool],
    &'static [bool],
);

/// Table G of the reference answers, and sets of the same kinds with known growth.
const TABLE: &[Known] = &[
    ("G01", "x, y, z", &["y*x' + x*y'"], "holonomic", 1, &[2], 2, &["x*y"], &[true], &[true]),
    ("G02", "x, y, z", &["y*x' - x*y'"], "holonomic", 1, &[2], 2, &["x/y"], &[false], &[true]),
    (
        "G03",
        "x, y, z",
        &["y*z*x' + 2*x*z*y' + 3*x*y*z'"],
        "holonomic",
        1,
        &[2],
        2,
        &["x*y^2*z^3"],
        &[false],
        &[true],
    ),
    (
        "G04",
        "x, y, z",
        &["x*x' + y*y' + z*z'"],
        "holonomic",
        1,
        &[2],
        2,
        &["x^2 + y^2 + z^2"],
        &[true],
        &[true],
    ),
    ("G05", "x, y, z", &["z' - y*x'"], "nonholonomic", 1, &[2, 3], 3, &[], &[false], &[false]),
    (
        "G06",
        "x, y, theta",
        &["sin(theta)*x' - cos(theta)*y'"],
        "nonholonomic",
        1,
        &[2, 3],
        3,
        &[],
        &[false],
        &[false],
    ),
    (
        "G07",
        "x, y, theta, phi",
        &["x' - cos(phi)/2*theta'", "y' - sin(phi)/2*theta'"],
        "nonholonomic",
        2,
        &[2, 3, 4],
        4,
        &[],
        &[false, false],
        &[false, false],
    ),
    ("G08", "x, theta", &["x' - theta'/2"], "holonomic", 1, &[1], 1, &["2*x - theta"], &[true], &[true]),
    (
        "G09",
        "x, y, psi, theta1, theta2",
        &[
            "-sin(psi)*x' + cos(psi)*y'",
            "cos(psi)*x' + sin(psi)*y' + 3/4*psi' - theta1'/2",
            "cos(psi)*x' + sin(psi)*y' - 3/4*psi' - theta2'/2",
        ],
        "mixed",
        3,
        &[2, 3, 4],
        4,
        &["3*psi - theta1 + theta2"],
        &[false, false, false],
        &[false, false, false],
    ),
    (
        "G10",
        "x, y, z, w",
        &["y' - z*x'", "z' - w*x'"],
        "nonholonomic",
        2,
        &[2, 3, 4],
        4,
        &[],
        &[false, false],
        &[false, false],
    ),
    ("G19", "x, y", &["x' - 2*t"], "holonomic", 1, &[2], 2, &["x - t^2"], &[true], &[true]),
    ("G20", "x, y", &["x' - y"], "nonholonomic", 1, &[2, 3], 3, &[], &[false], &[false]),
    // Car with one and with two trailers: Goursat.
    (
        "car",
        "x, y, theta, phi",
        &["sin(theta)*x' - cos(theta)*y'", "sin(theta + phi)*x' - cos(theta + phi)*y' - cos(phi)*theta'"],
        "nonholonomic",
        2,
        &[2, 3, 4],
        4,
        &[],
        &[false, false],
        &[false, false],
    ),
    (
        "trailers",
        "x, y, a, b, c",
        &[
            "sin(a)*x' - cos(a)*y'",
            "sin(b)*x' - cos(b)*y' - cos(b - a)*a'",
            "sin(c)*x' - cos(c)*y' - cos(c - a)*a' - cos(c - b)*b'",
        ],
        "nonholonomic",
        3,
        &[2, 3, 4, 5],
        5,
        &[],
        &[false; 3],
        &[false; 3],
    ),
    // Snakeboard: wheels at both ends turn oppositely, rotor psi.
    (
        "snakeboard",
        "x, y, theta, psi, phi",
        &[
            "-sin(theta + phi)*x' + cos(theta + phi)*y' - 2/5*cos(phi)*theta'",
            "-sin(theta - phi)*x' + cos(theta - phi)*y' + 2/5*cos(phi)*theta'",
        ],
        "nonholonomic",
        2,
        &[3, 4, 5],
        5,
        &[],
        &[false, false],
        &[false, false],
    ),
    // Unit ball on a plane in zyx Euler angles.
    (
        "ball",
        "x, y, a, b, c",
        &["x' + sin(a)*b' - cos(a)*cos(b)*c'", "y' - cos(a)*b' - sin(a)*cos(b)*c'"],
        "nonholonomic",
        2,
        &[3, 5],
        5,
        &[],
        &[false, false],
        &[false, false],
    ),
    // Together integrable, though the first is not alone.
    (
        "pair",
        "x, y, z",
        &["z' - y*x'", "y'"],
        "holonomic",
        2,
        &[1],
        1,
        &["y", "x*y - z"],
        &[false, true],
        &[false, true],
    ),
    // One of them, given twice.
    (
        "twice",
        "x, y, z",
        &["y*x' + x*y'", "2*y*x' + 2*x*y'"],
        "holonomic",
        1,
        &[2],
        2,
        &["x*y"],
        &[true, true],
        &[true, true],
    ),
    // Contact in five dimensions, Martinet's form, an integrable form that needs an exponential factor.
    (
        "contact5",
        "x, y, z, u, w",
        &["w' - y*x' - u*z'"],
        "nonholonomic",
        1,
        &[4, 5],
        5,
        &[],
        &[false],
        &[false],
    ),
    ("martinet", "x, y, z", &["z' - y^2*x'"], "nonholonomic", 1, &[2, 3], 3, &[], &[false], &[false]),
    ("exponential", "x, y", &["x' + (x + 1)*y'"], "holonomic", 1, &[1], 1, &[], &[false], &[true]),
    (
        "cartan",
        "x, y, z, u, w",
        &["y' - z*x'", "z' - u*x'", "w' - u^2*x'"],
        "nonholonomic",
        3,
        &[2, 3, 5],
        5,
        &[],
        &[false; 3],
        &[false; 3],
    ),
];

#[test]
fn known_sets_are_classified() {
    for (id, coordinates, rows, verdict, rank, growth, closure, integrals, exact, alone) in TABLE {
        let said = ask(&pfaffian(coordinates, rows));
        let set = &said.set;
        assert_eq!(set.verdict.name(), *verdict, "{id}: {set:?}");
        assert_eq!(set.rank, *rank, "{id}");
        assert_eq!(set.growth.as_deref(), Some(*growth), "{id}");
        assert_eq!(set.closure, Some(*closure), "{id}");
        assert_eq!(said.rows.iter().map(|r| r.exact.unwrap()).collect::<Vec<_>>(), *exact, "{id}");
        assert_eq!(said.rows.iter().map(|r| r.integrable_alone.unwrap()).collect::<Vec<_>>(), *alone, "{id}");
        if !integrals.is_empty() || *verdict == "nonholonomic" {
            assert_eq!(set.integrals, *integrals, "{id}");
        }
        assert_eq!(
            set.integrals.len() + set.integrals_not_found,
            set.integrable_combinations.unwrap(),
            "{id}"
        );
    }
}

#[test]
fn every_model_can_be_asked() {
    for name in model_names() {
        let clock = std::time::Instant::now();
        let source = dalembert::Source::new(name.clone(), model_text(&name));
        let Ok(mut model) = dalembert::Model::load(&source, &Default::default()) else { continue };
        let said = analyze(&mut model).unwrap_or_else(|d| panic!("{name}: {}", d.message));
        println!(
            "{name}: {} rank {} growth {:?} closure {:?} {:?} [{:?}]",
            said.set.verdict.name(),
            said.set.rank,
            said.set.growth,
            said.set.closure,
            said.set.undecided,
            clock.elapsed()
        );
        println!(
            "    integrals {:?} missing {} {:?} {:?}",
            said.set.integrals, said.set.integrals_not_found, said.set.remarks, said.set.singular
        );
        for c in &said.conserved {
            println!(
                "    {} = {}   [{}] proved {} drift {:?}",
                c.name,
                c.expression.chars().take(150).collect::<String>(),
                c.generator,
                c.proved,
                c.drift
            );
        }
        println!("    {:?}", said.remarks);
    }
}
