//! What linear terms must not claim: families that are none, equilibria that are rounding, instants taken for all times.

use crate::support::*;
use dalembert::equilibrium::{Equilibria, EquilibriumSearch};
use dalembert::linearize::{OperatingPoint, Over, Range, StabilityVerdict};

const K1: &str = "coordinate x\nkinetic x'^2/2\n";
const K2: &str = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\n";
const DAMPED1: &str = "dissipation x'^2/2\n";
const DAMPED2: &str = "dissipation (x'^2 + y'^2)/2\n";

fn told(text: &str, at: &str) -> (StabilityVerdict, OperatingPoint, String) {
    let mut model = load(text);
    let state = model.operating_point(at).unwrap_or_else(|d| panic!("{}", d.message));
    let l = model.linearize(&state, &[]).unwrap_or_else(|d| panic!("{}", d.message));
    let s = l.stability.unwrap_or_else(|| panic!("{text}: {:?}", l.kind));
    (s.verdict, l.kind, s.reason)
}

fn search(text: &str) -> Equilibria {
    load(text).equilibria(&EquilibriumSearch::default()).unwrap_or_else(|d| panic!("{}", d.message))
}

/// Isolated equilibria with a zero eigenvalue, stable and unstable ones.
#[test]
fn a_family_is_proved_or_not_claimed() {
    let flat = "if x > 0 then -exp(-1/x^2) else 0";
    for v in ["-x^8", "x^9", "-0.001*x^6", "-1e-6*x^4", "-1e-14*x^2", "x^4"] {
        let (verdict, _, why) = told(&format!("{K1}potential {v}\n{DAMPED1}"), "");
        assert_eq!(verdict, StabilityVerdict::Undecided, "{v}: {why}");
    }
    for v in ["(y - x^2)^2/2 - x^8", "y^2/2 - 1e-14*x^2", "y^2/2 - x^6*y - x^10"] {
        let (verdict, _, why) = told(&format!("{K2}potential {v}\n{DAMPED2}"), "");
        assert_eq!(verdict, StabilityVerdict::Undecided, "{v}: {why}");
    }
    // Undamped, a force below rounding still decides in time.
    assert_ne!(told(&format!("{K2}potential y^2/2 - 1e-14*x^2\n"), "").0, StabilityVerdict::Stable);
    let slow = "coordinate x, y\nkinetic (x'^2 + (1 + 1e-14*x^2)*y'^2)/2\ndissipation x'^2/2\n";
    assert_ne!(told(slow, "y'=3").0, StabilityVerdict::Stable);
    let mut model = load(&format!("{K1}potential {flat}\n{DAMPED1}"));
    let state = model.operating_point("").unwrap();
    if let Ok(l) = model.linearize(&state, &[]) {
        assert!(l.stability.is_none_or(|s| s.verdict == StabilityVerdict::Undecided));
    }
}

#[test]
fn families_that_are_proved() {
    // A line of positions of rest, a translation of two masses, and a free direction with its speed.
    for (text, at) in [
        (format!("{K2}potential y^2/2 - x^2*y^2\n{DAMPED2}"), "x=0.3, y=0"),
        (format!("{K2}potential (x - y - 0.1)^2/2\n{DAMPED2}"), "x=0.1, y=0"),
        (format!("{K2}potential y^2/2\ndissipation y'^2/2\n"), ""),
        (format!("{K2}potential y^2/2\ndissipation y'^2/2\n"), "x'=3"),
    ] {
        let (verdict, _, why) = told(&text, at);
        assert_eq!(verdict, StabilityVerdict::Stable, "{text} {why}");
    }
}

/// A point that is off by 1e-9 has eigenvalues that are off too.
#[test]
fn signs_below_their_uncertainty_are_none() {
    let valley = format!("{K2}potential y^2/2 - x^2*y^2\n{DAMPED2}");
    assert_ne!(told(&valley, "x=0.70707527, y=-1e-9").0, StabilityVerdict::Unstable);
    assert_eq!(told(&format!("{K1}potential x^4\n{DAMPED1}"), "x=1.95e-5").0, StabilityVerdict::Undecided);
    assert_eq!(told(&format!("{K1}potential -x^4\n{DAMPED1}"), "x=1.95e-5").0, StabilityVerdict::Undecided);
    for e in search(&valley).equilibria {
        let outside = e.linear.state.x[0].abs() > 0.5f64.sqrt() && e.linear.state.x[1].abs() < 1e-6;
        assert!(
            outside || e.linear.stability.unwrap().verdict != StabilityVerdict::Unstable,
            "{:?}",
            e.linear.state
        );
    }
}

/// Rest for all times although the stiffness changes: found, and not judged by the matrix of an instant.
#[test]
fn equilibria_of_driven_systems() {
    let mathieu = format!("{K1}potential (1 + 0.2*cos(2*t))*x^2/2\n");
    let kapitza = "parameter a = 0.1, W = 40\ncoordinate q\nkinetic q'^2/2 - a*W*sin(W*t)*sin(q)*q'\npotential -9.81*cos(q)\n";
    for text in [mathieu.as_str(), kapitza] {
        let (verdict, kind, why) = told(text, "");
        assert_eq!((verdict, kind), (StabilityVerdict::Undecided, OperatingPoint::Equilibrium), "{why}");
        assert!(why.contains("time"), "{why}");
        let found = search(text);
        assert!(found.equilibria.iter().any(|e| e.linear.state.x[0] == 0.0), "{:?}", found.troubles);
        assert!(found.equilibria.iter().all(|e| e.linear.matrix_time_dependent));
    }
}

/// Newton creeps towards degenerate roots; what it reaches is one point each.
#[test]
fn degenerate_equilibria_are_found_once() {
    for (text, count) in [
        (format!("{K1}potential x^4\n{DAMPED1}"), 1),
        (format!("{K1}potential x^4\n"), 1),
        (format!("{K1}potential -x^6 + x^8\n{DAMPED1}"), 3),
        (format!("{K2}potential (x^2 + y^2)^3\n{DAMPED2}"), 1),
        (format!("{K2}potential (y - x^2)^2/2 + x^8\n{DAMPED2}"), 1),
    ] {
        let list = search(&text).equilibria;
        let places: Vec<&[f64]> = list.iter().map(|e| e.linear.state.x.as_slice()).collect();
        assert_eq!(list.len(), count, "{text}: {places:?}");
        let flat = list.iter().find(|e| e.linear.state.x.iter().all(|v| v.abs() < 1e-6)).expect(&text);
        assert_eq!(flat.linear.stability.as_ref().unwrap().verdict, StabilityVerdict::Undecided, "{text}");
    }
}

/// Crossings lie between the points of a sweep, to rounding.
#[test]
fn crossings_do_not_snap_to_the_grid() {
    for (name, at, range, known) in [
        ("bead_hoop", "theta=0, theta'=0", "W=1..8:15", 4.429_446_918_070_02),
        ("rolling_disk_lean", "theta=0, z=0.5, psi'=0, theta'=0", "phi'=1..4:8", 2.557_342_370_508_884),
    ] {
        let model = load_file(name);
        let over = Over { at: at.to_owned(), ..Over::default() };
        let sweep = model.eigenvalues_over(&Range::read(range).unwrap(), &over).unwrap();
        assert_eq!(sweep.crossings.len(), 1, "{name}: {:?}", sweep.crossings);
        below(name, (sweep.crossings[0].0 / known - 1.0).abs(), 1e-9);
    }
    // A damped one crosses with a slope: flutter of Ziegler's column.
    let model = load_with(&model_text("ziegler_column"), &sets(&[("c", "0.2")]));
    let over = Over { at: "q1=0, q2=0".to_owned(), ..Over::default() };
    let sweep = model.eigenvalues_over(&Range::read("P=12..16:3").unwrap(), &over).unwrap();
    below("flutter", (sweep.crossings[0].0 / (410.0 / 28.0 + 0.02) - 1.0).abs(), 1e-9);
}

#[test]
fn poles_of_coordinates_are_no_steady_motions() {
    let text = "coordinate th, ph\nkinetic (th'^2 + sin(th)^2*ph'^2)/2\npotential -9.81*cos(th)\ninitial th = 0.5, ph' = 4\n";
    let found = search(text);
    assert!(found.equilibria.iter().all(|e| e.linear.state.x[0].sin().abs() > 1e-4), "at a pole");
    assert!(!found.equilibria.is_empty());
}

#[test]
fn nothing_found_has_a_reason() {
    let massless = search("coordinate x, y\nkinetic x'^2/2\npotential (x - y)^2/2 + y^2\n");
    assert!(massless.equilibria.is_empty());
    let said = massless.notes.iter().chain(&massless.troubles).any(|n| n.contains("mass"));
    assert!(said, "{:?} {:?}", massless.notes, massless.troubles);
    let kink = search(&format!("{K1}potential abs(x)\n"));
    assert!(kink.notes.iter().any(|n| n.contains("kink")), "{:?}", kink.notes);
    assert!(search(&format!("{K1}potential x^2\n")).notes.is_empty());
    let far = search(&format!("{K1}potential x + x^3/1000000\n"));
    assert!(far.troubles.iter().all(|t| !t.contains("far")), "{:?}", far.troubles);
}

fn energies(found: &Equilibria) -> Vec<f64> {
    let mut list: Vec<f64> = found.equilibria.iter().map(|e| e.potential.unwrap()).collect();
    list.sort_by(f64::total_cmp);
    list
}

fn close(found: &[f64], right: &[f64]) -> bool {
    found.len() == right.len() && found.iter().zip(right).all(|(a, b)| (a - b).abs() < 1e-9)
}

/// Two sets of equilibria are one only if one can be reached from the other.
#[test]
fn families_that_are_not_joined_are_listed() {
    // Of the difference of two angles: 0, +-1.8235, pi. Mirror images agree in all but their place.
    let found = search(&format!("{K2}potential cos(x - y) + cos(2*(x - y))\ninitial x = 0.1\n"));
    assert!(close(&energies(&found), &[-1.125, -1.125, 0.0, 2.0]), "{:?}", energies(&found));
    assert!(found.equilibria.iter().all(|e| e.family == 1) && found.not_listed > 50);
    // The same in a difference of lengths: a valley and the two ridges beside it.
    let found = search(&format!("{K2}potential (x - y)^2 - (x - y)^4/4\n"));
    assert!(close(&energies(&found), &[0.0, 1.0, 1.0]), "{:?}", energies(&found));
}

#[test]
fn a_ring_of_three_has_all_its_families() {
    let text = "parameter k = 3
        coordinate q[1..3]
        kinetic sum(i in 1..3, q[i]'^2/2)
        potential sum(i in 1..3, -k*cos(q[i] - q[if i == 3 then 1 else i+1] - 2*pi/3))
        initial q[1] = 0.1, q[2] = -2, q[3] = 2";
    let mut model = load(text);
    let found = model.equilibria(&EquilibriumSearch { starts: 300, ..EquilibriumSearch::default() }).unwrap();
    // Differences of neighbours: all 2 pi/3, all 0, all -2 pi/3; and two of one size with a third.
    let mut reduced = load(
        "coordinate a, b
        kinetic (a'^2 + b'^2)/2
        potential -3*(cos(a - 2*pi/3) + cos(b - 2*pi/3) + cos(-a - b - 2*pi/3))",
    );
    let single =
        reduced.equilibria(&EquilibriumSearch { starts: 300, ..EquilibriumSearch::default() }).unwrap();
    assert!(close(&energies(&found), &energies(&single)), "{:?} {:?}", energies(&found), energies(&single));
    assert!(energies(&found).iter().any(|v| (v - 4.5).abs() < 1e-9));
}

/// Members that can be joined, on curved sets too, are one family.
#[test]
fn curved_families_are_one() {
    // Circles of two radii, and one circle through constraints.
    let found = search(&format!("{K2}potential ((x^2 + y^2 - 2)^2 - 1)^2\ninitial x = 1.1\n"));
    let mut radii: Vec<f64> =
        found.equilibria.iter().map(|e| e.linear.state.x[0].hypot(e.linear.state.x[1])).collect();
    radii.sort_by(f64::total_cmp);
    let right = [0.0, 1.0, 2f64.sqrt(), 3f64.sqrt()];
    assert!(radii.len() == 4 && radii.iter().zip(right).all(|(a, b)| (a - b).abs() < 1e-6), "{radii:?}");
    let found = search(&format!("{K2}constraint ring: x^2 + y^2 = 4\ninitial x = 2, y ~ 0\n"));
    assert_eq!(found.equilibria.len(), 1);
    // Three masses in the plane: they may be moved and turned, but not mirrored.
    let text = "coordinate x[1..3], y[1..3]
        kinetic sum(i in 1..3, (x[i]'^2 + y[i]'^2)/2)
        let a = (x[1] - x[2])^2 + (y[1] - y[2])^2, b = (x[2] - x[3])^2 + (y[2] - y[3])^2, c = (x[3] - x[1])^2 + (y[3] - y[1])^2
        potential (a - 1)^2 + (b - 1)^2 + (c - 1)^2
        initial x[1] = 1, y[2] = 0.8, x[3] = -0.3, y[3] = 0.1";
    let found = search(text);
    let lowest = found.equilibria.iter().filter(|e| e.potential.unwrap() < 1e-9);
    assert_eq!(lowest.count(), 2);
}

/// What accelerations leave at a pole of the coordinates is not a steady motion.
#[test]
fn settling_at_a_pole_is_refused() {
    let text = "parameter A = 0.5, C = 0.3, mgl = 2
        coordinate psi, th, phi
        kinetic A/2*(th'^2 + psi'^2*sin(th)^2) + C/2*(phi' + psi'*cos(th))^2
        potential mgl*cos(th)
        initial th = 0.6, psi' = 1, phi' = 20";
    let mut model = load(text);
    let linearizer = dalembert::linearize::Linearizer::new(&mut model, &[]).unwrap();
    let state = model.operating_point("").unwrap();
    let refused = linearizer.settle(&mut model, &state).unwrap_err();
    assert!(refused.message.contains("singular there"), "{}", refused.message);
    assert!(refused.help.is_some());
    // Near a steady precession it is found.
    let state = model.operating_point("th=1, psi'=0.335, phi'=20").unwrap();
    let found = linearizer.settle(&mut model, &state).unwrap();
    assert!((found.x[1].cos() - 0.01 / (0.2 * 0.335f64.powi(2))).abs() < 1e-9, "{found:?}");
}
