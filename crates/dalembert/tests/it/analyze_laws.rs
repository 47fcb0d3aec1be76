//! Laws of `analyze`: what the answers may not depend on, over random forms and Lagrangians.

use crate::random_system::RandomSystem;
use crate::support::{Rng, ShortNumbers, load, same_cases};
use dalembert::analyze::{Analysis, Verdict, analyze};
use proptest::prelude::*;

fn ask(text: &str) -> Analysis {
    analyze(&mut load(text)).unwrap_or_else(|d| panic!("{}\n{text}", d.message))
}

const LETTERS: [&str; 5] = ["x", "y", "z", "u", "w"];

fn model(n: usize, rows: &[String]) -> String {
    let letters = &LETTERS[..n];
    let kinetic: Vec<String> = letters.iter().map(|c| format!("{c}'^2/2")).collect();
    let rows: Vec<String> =
        rows.iter().enumerate().map(|(k, r)| format!("constraint c{k}: {r} = 0\n")).collect();
    let start: Vec<String> =
        letters.iter().enumerate().map(|(k, c)| format!("{c} ~ {}", 0.7 + 0.1 * k as f64)).collect();
    let (names, kinetic) = (letters.join(", "), kinetic.join(" + "));
    format!("coordinate {names}\nkinetic {kinetic}\n{}initial {}\n", rows.concat(), start.join(", "))
}

fn monomial(rng: &mut Rng, n: usize) -> String {
    let degree = 1 + rng.below(2);
    let factors: Vec<&str> = (0..degree).map(|_| LETTERS[rng.below(n)]).collect();
    format!("{}*{}", 1 + rng.below(4), factors.join("*"))
}

/// A random function of some letters.
fn function(rng: &mut Rng, n: usize) -> String {
    let terms: Vec<String> = (0..2 + rng.below(2)).map(|_| monomial(rng, n)).collect();
    terms.join(" + ")
}

/// A positive factor that is not a function of anything else here.
fn factor(rng: &mut Rng, n: usize) -> String {
    let letter = LETTERS[rng.below(n)];
    match rng.below(4) {
        0 => format!("exp({letter})"),
        1 => format!("(2 + sin({letter}))"),
        2 => format!("1/(1 + {letter}^2)"),
        _ => format!("({})", function(rng, n)),
    }
}

/// The differential of a function as a velocity constraint.
fn differential(f: &str) -> String {
    format!("({f})'")
}

/// A random form with small polynomial coefficients.
fn form(rng: &mut Rng, n: usize) -> String {
    let mut terms: Vec<String> = vec![format!("{}'", LETTERS[rng.below(n)])];
    terms.extend((0..2).map(|_| format!("({})*{}'", monomial(rng, n), LETTERS[rng.below(n)])));
    terms.join(" + ")
}

fn summary(said: &Analysis) -> (Verdict, usize, Option<Vec<usize>>, Option<usize>, Option<usize>) {
    let set = &said.set;
    (set.verdict, set.rank, set.growth.clone(), set.closure, set.integrable_combinations)
}

proptest! {
    #![proptest_config(same_cases(5, 20))]

    /// mu df = 0 is holonomic whatever mu; and so are several of them, mixed.
    #[test]
    fn integrating_factors_are_seen_through(seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let n = 3 + rng.below(3);
        let m = 1 + rng.below(2);
        let (mut forms, mut rows) = (Vec::new(), Vec::new());
        for _ in 0..m {
            forms.push(differential(&function(&mut rng, n)));
            let parts: Vec<String> = forms.iter().map(|f| format!("{}*{f}", factor(&mut rng, n))).collect();
            rows.push(parts.join(" + "));
        }
        let said = ask(&model(n, &rows));
        prop_assert_eq!(said.set.verdict, Verdict::Holonomic, "{:?}", rows);
        prop_assert_eq!(said.set.integrable_combinations, Some(said.set.rank));
        // A polynomial of second degree is among the candidates.
        prop_assert_eq!(said.set.integrals_not_found, 0, "{:?} {:?}", rows, said.set.integrals);
    }

    /// Rows may be mixed by any regular matrix of functions.
    #[test]
    fn mixing_rows_changes_nothing(seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let n = 3 + rng.below(3);
        let rows: Vec<String> = (0..2).map(|_| form(&mut rng, n)).collect();
        let [a, b] = [0, 1].map(|_| factor(&mut rng, n));
        // [1, b; 0, 1] [a, 0; 0, 1], and a row that follows from them.
        let mixed = vec![
            format!("{a}*({}) + {b}*({})", rows[0], rows[1]),
            rows[1].clone(),
            format!("{a}*({}) - 3*({})", rows[0], rows[1]),
        ];
        let (plain, mixed) = (ask(&model(n, &rows)), ask(&model(n, &mixed)));
        prop_assert_eq!(summary(&plain), summary(&mixed), "{:?}", rows);
    }

    /// Coordinates may be changed: here by a triangular polynomial map, written into the forms.
    #[test]
    fn changing_coordinates_changes_nothing(seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let n = 3 + rng.below(2);
        let rows: Vec<String> = (0..1 + rng.below(2)).map(|_| form(&mut rng, n)).collect();
        let plain = ask(&model(n, &rows));
        // Each letter becomes a name for itself plus a function of the letters before it.
        let mut lets = String::new();
        let mut changed = rows.clone();
        for k in (0..n).rev() {
            let new = match k {
                0 => format!("{}*x", 1 + rng.below(3)),
                _ => format!("{} + {}", LETTERS[k], function(&mut rng, k)),
            };
            lets = format!("{lets}let q{k} = {new}\n");
            for row in &mut changed {
                *row = row.replace(LETTERS[k], &format!("q{k}"));
            }
        }
        let text = model(n, &changed);
        let (first, rest) = text.split_once('\n').unwrap();
        let curved = ask(&format!("{first}\n{lets}{rest}"));
        prop_assert_eq!(summary(&plain), summary(&curved), "{:?}", rows);
    }

    /// Central and translation-invariant systems have their constants; a perturbation takes them away.
    #[test]
    fn symmetries_are_found_and_lost(seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let [m, k, a] = [0, 1, 2].map(|_| rng.number(0.5, 2.0));
        let power = 1 + rng.below(3);
        let head = format!("parameter m = {m}, M = 1.5, k = {k}, a = {a}\ncoordinate x, y, u, w\n\
            kinetic m/2*(x'^2 + y'^2) + M/2*(u'^2 + w'^2)\n\
            let r = (x - u)^2 + (y - w)^2\n\
            potential k*r^{power} + a/(1 + r)\n\
            initial x = 1, y' = 0.4, u' = 0.3, w = 0.2\nsimulate until 2\n");
        let said = ask(&head);
        let names: Vec<&str> = said.conserved.iter().map(|c| c.name.as_str()).collect();
        for wanted in ["energy", "momentum along x, u", "momentum along y, w", "angular momentum in x, y, u, w"] {
            prop_assert!(names.contains(&wanted), "{names:?}");
        }
        prop_assert!(said.conserved.iter().all(|c| c.proved && c.verified), "{:?}", said.conserved);
        let bent = ask(&format!("{head}potential 0.01*x^2*y\n"));
        let names: Vec<&str> = bent.conserved.iter().map(|c| c.name.as_str()).collect();
        prop_assert_eq!(names, ["energy"]);
        let driven = ask(&format!("{head}potential 0.01*x*cos(t)\n"));
        let names: Vec<&str> = driven.conserved.iter().map(|c| c.name.as_str()).collect();
        prop_assert!(names.iter().all(|n| *n != "energy" && !n.contains("x, u")), "{:?}", names);
        prop_assert!(names.contains(&"momentum along y, w"), "{:?}", names);
    }

    /// Any system gets an answer, and no claim fails; kinds agree with what is written.
    #[test]
    fn random_systems_are_answered(seed in any::<u64>()) {
        let said = ask(&RandomSystem::new(seed).text);
        prop_assert!(said.conserved.iter().all(|c| c.proved || c.verified), "{:?}", said.conserved);
        prop_assert!(said.remarks.iter().all(|r| !r.contains("not claimed")), "{:?}", said.remarks);
        for row in &said.rows {
            prop_assert!(!row.position || (row.exact == Some(true) && row.integral.is_some()), "{:?}", row);
            prop_assert!(row.exact != Some(true) || row.integrable_alone == Some(true), "{:?}", row);
        }
        if let (Some(h), Some(growth)) = (said.set.integrable_combinations, &said.set.growth) {
            prop_assert!(h <= said.set.rank && growth.is_sorted(), "{:?}", said.set);
            prop_assert!(growth.last() == said.set.closure.as_ref());
        }
    }
}
