//! The Legendre transform in numbers: closed forms, there and back, and laws that cannot be inverted.

use crate::support::*;
use dalembert::energies::{EnergyValues, Law, Laws, NotInvertible};
use dalembert::equations::{Form, write};
use dalembert::run::State;
use dalembert_expr::Format;
use insta::assert_snapshot;
use proptest::prelude::*;

/// The law of a potential in `x`, or in `x` and `y`.
fn potential(text: &str) -> Law {
    let coordinates = if text.contains('y') { "x, y" } else { "x" };
    let rates = if text.contains('y') { "(x'^2 + y'^2)/2" } else { "x'^2/2" };
    let mut model = load(&format!("coordinate {coordinates}\nkinetic {rates}\npotential {text}"));
    let n = model.form.coordinates.len();
    let state = State::new(0.0, &vec![0.0; n], &vec![0.0; n]);
    Laws::at(&mut model, &state).unwrap_or_else(|d| panic!("{}", d.message)).potential.expect("a potential")
}

const CLOSE: f64 = 1e-13;

#[test]
fn a_hardening_spring() {
    // V = k x^4/4: e = k x^3, V* = 3/4 k^(-1/3) |e|^(4/3).
    let law = potential("3*x^4/4");
    for e in [-40.0f64, -1.0, -1e-3, 1e-6, 0.2, 3.0, 1e5] {
        let closed = (
            (e.abs() / 3.0).powf(1.0 / 3.0) * e.signum(),
            0.75 * 3f64.powf(-1.0 / 3.0) * e.abs().powf(4.0 / 3.0),
        );
        // From its own side, from the other one, and from where the curvature vanishes.
        for guess in [e.signum(), -e.signum(), 0.0, 10.0] {
            let dual = law.dual(&[e], &[guess]).unwrap_or_else(|d| panic!("{e} from {guess}: {d}"));
            below("x", (dual.u[0] - closed.0).abs() / closed.0.abs(), 1e-10);
            below("V*", (dual.value - closed.1).abs() / closed.1, CLOSE);
        }
    }
    let rest = law.dual(&[0.0], &[0.0]).expect("e = 0 belongs to x = 0 alone");
    assert_eq!((rest.u[0], rest.value), (0.0, 0.0));
}

#[test]
fn a_catenary_spring() {
    // V = cosh x: e = sinh x, V* = e asinh e - sqrt(1 + e^2).
    let law = potential("cosh(x)");
    for e in [-200.0f64, -1.0, 0.0, 0.3, 50.0] {
        let dual = law.dual(&[e], &[0.5]).expect("convex");
        let closed = e * e.asinh() - (1.0 + e * e).sqrt();
        below("x", (dual.u[0] - e.asinh()).abs(), CLOSE * 10.0);
        below("V*", (dual.value - closed).abs() / (1.0 + closed.abs()), CLOSE);
    }
}

#[test]
fn a_relativistic_particle() {
    let (m, c) = (2.0f64, 3.0f64);
    let text = "parameter m = 2, c = 3\ncoordinate x, y\nkinetic -m*c^2*sqrt(1 - (x'^2 + y'^2)/c^2)\npotential x^2/2 + y^4\ninitial x = 1, y = 1, x' = 1, y' = 2";
    let mut model = load(text);
    let state = start(&mut model);
    let laws = Laws::at(&mut model, &state).unwrap_or_else(|d| panic!("{}", d.message));
    let law = laws.kinetic.expect("T*");
    for p in [[0.0, 0.0], [1.0, -2.0], [300.0, 10.0], [-1e-5, 1e-7]] {
        let energy = (p[0] * p[0] * c * c + p[1] * p[1] * c * c + m * m * c.powi(4)).sqrt();
        let dual = law.dual(&p, &[0.0, 0.0]).expect("any momentum has a speed below c");
        below("T = sqrt(p^2 c^2 + m^2 c^4)", (dual.value - energy).abs() / energy, CLOSE);
        for i in 0..2 {
            below("f = p c^2/T", (dual.u[i] - p[i] * c * c / energy).abs(), CLOSE * 10.0);
        }
    }
    // All energies at the start.
    let values = EnergyValues::at(&mut model, &state).unwrap_or_else(|d| panic!("{}", d.message));
    let gamma = 1.0 / (1.0 - 5.0f64 / 9.0).sqrt();
    let (T, co) = (gamma * 18.0, -18.0 / gamma);
    let (V, V_star) = (1.5, 0.5 + 3.0); // e = (1, 4): V* = e^2/2 in x, e y - y^4 in y
    let wanted = [co, T, V, V_star, co - V, T + V, co + V_star, V_star - T];
    assert_eq!(values.list().len(), 8, "{:?}", values.reasons);
    for ((letter, value), wanted) in values.list().into_iter().zip(wanted) {
        below(letter, (value - wanted).abs(), 1e-12);
    }
    below("e", apart(&values.efforts, &[1.0, 4.0]), 1e-14);
    below("p", apart(&values.momenta, &[gamma * 2.0, gamma * 4.0]), 1e-13);
}

proptest! {
    /// There and back: u from its slopes, whatever the guess, F from its transform, and F again from a closed G.
    #[test]
    fn the_transform_is_an_involution(u in prop::array::uniform2(-3.0f64..3.0), guess in prop::array::uniform2(-3.0f64..3.0)) {
        let law = potential("exp(x)/2 + exp(-x) + x*y/4 + y^2/2 + y^4/5");
        let v = law.slopes(&u);
        let dual = law.dual(&v, &guess).expect("convex");
        let size = 1.0 + u[0].abs().max(u[1].abs());
        prop_assert!((dual.u[0] - u[0]).abs().max((dual.u[1] - u[1]).abs()) < 1e-11 * size, "{:?}", dual);
        // Twice transformed: v . u - G(v) is F(u).
        let back = v[0] * dual.u[0] + v[1] * dual.u[1] - dual.value;
        prop_assert!((back - law.value(&u)).abs() < 1e-11 * (1.0 + back.abs()));
        // dG/dv = u, by differences of G.
        let h = 1e-4;
        for i in 0..2 {
            let at = |s: f64| {
                let mut w = v.clone();
                w[i] += s;
                law.dual(&w, &u).map(|d| d.value).unwrap_or(f64::NAN)
            };
            let slope = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
            prop_assert!((slope - u[i]).abs() < 1e-8 * size, "{slope} {}", u[i]);
        }
    }

    #[test]
    fn the_transform_of_the_transform_is_the_function(x in 0.05f64..4.0) {
        // V = x^4/4 and its own V* = 3/4 e^(4/3), each the transform of the other.
        let (V, V_star) = (potential("x^4/4"), potential("3/4*x^(4/3)"));
        let e = V.slopes(&[x])[0];
        let there = V.dual(&[e], &[1.0]).expect("hardening");
        let back = V_star.dual(&[x], &[1.0]).expect("softening");
        prop_assert!((there.value - V_star.value(&[e])).abs() < 1e-12 * (1.0 + there.value));
        prop_assert!((back.value - V.value(&[x])).abs() < 1e-11 * (1.0 + back.value), "{} {}", back.value, V.value(&[x]));
        prop_assert!((back.u[0] - e).abs() < 1e-10 * (1.0 + e));
    }
}

#[test]
fn laws_that_cannot_be_inverted_are_refused() {
    // A constant force.
    let flat = potential("3*x").dual(&[3.0], &[1.0]);
    assert!(matches!(&flat, Err(NotInvertible::Flat { direction }) if direction[0].abs() == 1.0), "{flat:?}");
    assert!(matches!(potential("3*x").dual(&[4.0], &[1.0]), Err(NotInvertible::Flat { .. })));
    // Flat in one direction of two.
    let Err(NotInvertible::Flat { direction }) = potential("(x + y)^2/2").dual(&[1.0, 1.0], &[0.5, 0.5])
    else {
        panic!("x - y is not determined")
    };
    assert!((direction[0] + direction[1]).abs() < 1e-12);
    // A fold: e = x^2.
    let fold = potential("x^3/3");
    assert!(matches!(fold.dual(&[0.0], &[0.0]), Err(NotInvertible::Fold { .. })));
    assert!(matches!(fold.dual(&[1.0], &[0.0]), Err(NotInvertible::Fold { .. })));
    let Err(NotInvertible::OutOfReach { nearest, missing }) = fold.dual(&[-1.0], &[1.0]) else {
        panic!("no x has x^2 = -1")
    };
    assert!(nearest[0].abs() < 1e-3 && (missing - 1.0).abs() < 1e-3, "{nearest:?} {missing}");
    // Each side of it is a branch of its own.
    for side in [1.0, -1.0] {
        let dual = fold.dual(&[4.0], &[side]).expect("one branch");
        below("branch", (dual.u[0] - 2.0 * side).abs(), 1e-13);
    }
    // A branch is not left over a fold: from the hill of a double well into one of its valleys.
    let well = potential("x^4/4 - x^2/2");
    let told = well.dual(&[6.0], &[0.1]).expect_err("it lies beyond the fold");
    assert!(matches!(told, NotInvertible::Fold { .. } | NotInvertible::OutOfReach { .. }), "{told}");
    assert!(potential("log(x)").dual(&[1.0], &[-1.0]) == Err(NotInvertible::NotFinite));
}

#[test]
fn what_is_wrong_is_named() {
    let said = |text: &str| {
        write(&mut load(text), Form::Energies, Format::Text).unwrap_or_else(|d| panic!("{}", d.message))
    };
    assert_snapshot!(said("parameter k = 2\ncoordinate x\nkinetic x'^2/2\npotential k*x^4/4\ninitial x = 2, x' = 3"), @r"
    e_x = k*x^3
    T* = x'^2/2
    T = p_x^2/2
    V = k*x^4/4
    V* = 3*abs(e_x)^(4/3)/(4*k^(1/3))
    L = x'^2/2 - k*x^4/4
    H = k*x^4/4 + p_x^2/2
    H* = x'^2/2 + 3*abs(e_x)^(4/3)/(4*k^(1/3))
    L* = 3*abs(e_x)^(4/3)/(4*k^(1/3)) - p_x^2/2
    ");
    assert_snapshot!(said("coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential x^3/3 + y^2\ninitial x = 0"), @r"
    e_x = x^2
    e_y = 2*y
    T* = (x'^2 + y'^2)/2
    T = p_x^2/2 + p_y^2/2
    V = x^3/3 + y^2
    L = x'^2/2 + y'^2/2 - x^3/3 - y^2
    H = x^3/3 + y^2 + p_x^2/2 + p_y^2/2
    # H* has no closed form here: dH/dq has no closed inverse
    # L* has no closed form here: dH/dq has no closed inverse
    # V* has no closed form here: dV/dq has no closed inverse
    # at the start: p_x = 0, p_y = 0, e_x = 0, e_y = 0, T* = 0, T = 0, V = 0, L = 0, H = 0
    # at the start V* does not exist: dV/dq folds along `x` at x = 0, y = 0: on both sides it has the same values
    ");
    assert_snapshot!(said("parameter m = 1, c = 1\ncoordinate x\nkinetic -m*c^2*sqrt(1 - x'^2/c^2)\ninitial x' = 0.6"), @r"
    T* = -m*c^2*sqrt(1 - x'^2/c^2)
    T = sqrt(c^2*p_x^2 + m^2*c^4)
    V = 0
    V* = 0
    L = -m*c^2*sqrt(1 - x'^2/c^2)
    H = sqrt(c^2*p_x^2 + m^2*c^4)
    H* = -m*c^2*sqrt(1 - x'^2/c^2)
    L* = -sqrt(c^2*p_x^2 + m^2*c^4)
    ");
    let flat = EnergyValues::at(
        &mut load("coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential cosh(x) + 3*y"),
        &State::new(0.0, &[0.1, 0.2], &[0.0, 0.0]),
    );
    let reasons = flat.unwrap_or_else(|d| panic!("{}", d.message)).reasons;
    assert_eq!(
        reasons,
        ["V* does not exist: dV/dq does not change along `y`, so that it does not determine it"]
    );
}

/// Slopes with the variable once in them: operations are taken off from the outside.
#[test]
fn slopes_that_can_be_undone() {
    let mut model = load("parameter k = 3\ncoordinate x\nkinetic x'^2/2");
    for (F, inverse) in [
        ("exp(u)", "G = v_u*(log(v_u) - 1)"),
        ("k*cosh(u)", "u = asinh(v_u/k)"),
        ("log(u)", "u = 1/v_u"),
        ("k*u - sqrt(u)", ""),
        ("u*log(u) - u", "u = exp(v_u)"),
    ] {
        let written = dalembert::equations::legendre(&mut model, F, &["u".to_owned()], "", Format::Text)
            .unwrap_or_else(|d| panic!("{F}: {}", d.message));
        assert!(written.contains("\nG = ") && written.contains(inverse), "{F}: {written}");
    }
    for F in ["u^3", "sin(u)", "exp(u) + u^2"] {
        let written = dalembert::equations::legendre(&mut model, F, &["u".to_owned()], "", Format::Text)
            .unwrap_or_else(|d| panic!("{F}: {}", d.message));
        assert!(written.contains("no closed form"), "{F}: {written}");
    }
}

/// Without a closed inverse the transform is given in numbers: at the start, at values, and at slopes by Newton's method.
#[test]
fn transforms_without_a_closed_form_in_numbers() {
    let mut model = load("parameter k = 3\ncoordinate x\nkinetic x'^2/2\ninitial x = 0.5, x' = 2");
    let mut said = |F: &str, u: &str, at: &str| {
        dalembert::equations::legendre(&mut model, F, &[u.to_owned()], at, Format::Text)
            .map_or_else(|d| d.message.clone(), |text| text.lines().last().unwrap_or_default().to_owned())
    };
    // F = e^u + u^2: v = e^u + 2u, G = u v - F. At x = 0.5: v = e^0.5 + 1, G = 0.25 - e^0.5/2.
    let (v, G) = (0.5f64.exp() + 1.0, 0.25 - 0.5f64.exp() / 2.0);
    let value = |line: &str, name: &str| -> f64 {
        let text = line.split(", ").find_map(|part| part.rsplit_once(&format!("{name} = ")));
        text.and_then(|t| t.1.parse().ok()).unwrap_or_else(|| panic!("{name}: {line}"))
    };
    let line = said("exp(x) + x^2", "x", "");
    below("v", (value(&line, "v_x") - v).abs(), 1e-15);
    below("G", (value(&line, "G") - G).abs(), 1e-15);
    // From the slope, and from another guess.
    let line = said("exp(u) + u^2", "u", &format!("v_u = {v:?}, u = 3"));
    below("u", (value(&line, "u") - 0.5).abs(), 1e-14);
    below("G", (value(&line, "G") - G).abs(), 1e-14);
    // A new variable has no value, a fold no inverse, and a slope of another variable does not exist.
    assert!(said("exp(u) + u^2", "u", "").contains("--at \"v_u=2, u=1\""));
    assert!(said("u^3 + sin(u)^3", "u", "v_u = -9, u = 0.7").contains("there is no G"));
    assert!(said("exp(u) + u^2", "u", "w = 1").contains("is not a variable of the function"));
    // Where there is a closed form, numbers are given only where they are asked for.
    assert!(said("k*u^2/2", "u", "").starts_with("G = "));
    assert!(said("k*u^2/2", "u", "v_u = 6, u = 1").contains("u = 2, v_u = 6, G = 6"));
}

/// Energies are printed as the model has them.
#[test]
fn energies_as_they_were_written() {
    let text = "parameter m = 2, k = 3, l = 1\ncoordinate r, phi
        kinetic m/2*(r'^2 + r^2*phi'^2)\npotential k/2*(r - l)^2 + m*(1 - cos(phi))\ninitial r = 1";
    let written =
        write(&mut load(text), Form::Energies, Format::Text).unwrap_or_else(|d| panic!("{}", d.message));
    assert!(written.contains("\nT* = m/2*(r'^2 + r^2*phi'^2)\n"), "{written}");
    assert!(written.contains("\nV = k/2*(r - l)^2 + m*(1 - cos(phi))\n"), "{written}");
    // What a `let` names is written out, with the statement beside it.
    let text = "parameter k = 3, l = 1\ncoordinate r\nlet s = r - l\nlet unused = 2*s\nkinetic r'^2/2\npotential k/2*s^2";
    let written =
        write(&mut load(text), Form::Energies, Format::Text).unwrap_or_else(|d| panic!("{}", d.message));
    let wanted = "\nV = k*(l - r)^2/2\n# as written: V = k/2*s^2, where s = r - l\n";
    assert!(written.contains(wanted), "{written}");
}

/// Several statements, sums, loops and vectors.
#[test]
fn several_statements_of_an_energy_are_written_as_one_sum() {
    let written = |text: &str| {
        write(&mut load(text), Form::Energies, Format::Text).unwrap_or_else(|d| panic!("{}", d.message))
    };
    let several = written(
        "parameter m = 2, k = 3, g = 9.81\ncoordinate x, y\nkinetic m/2*x'^2\nkinetic m/2*y'^2
        potential k/2*x^2\npotential -m*g*y + k/2*y^2\npotential if y > 1 then k*(y - 1)^2 else 0",
    );
    assert!(several.contains("\nT* = m/2*x'^2 + m/2*y'^2\n"), "{several}");
    let V = "\nV = k/2*x^2 - m*g*y + k/2*y^2 + (if y > 1 then k*(y - 1)^2 else 0)\n";
    assert!(several.contains(V), "{several}");
    let chain = written(
        "const N = 3\nparameter m = 2, k = 3\ncoordinate q[1..N]\nfor i in 1..N { kinetic m/2*q[i]'^2 }
        potential k/2*q[1]^2 + sum(i in 2..N, k/2*(q[i] - q[i - 1])^2)",
    );
    assert!(chain.contains("\nT* = sum(i in 1..N, m/2*q[i]'^2)\n"), "{chain}");
    assert!(chain.contains("\nV = k/2*q[1]^2 + sum(i in 2..N, k/2*(q[i] - q[i-1])^2)\n"), "{chain}");
    let swing = written(
        "parameter m = 2, l = 3, g = 9.81\ncoordinate theta\nlet P = [l*sin(theta), -l*cos(theta)]
        kinetic m/2*dot(P', P')\npotential m*g*P.y",
    );
    let note = "# as written: T* = m/2*dot(P', P'), where P = [l*sin(theta), -l*cos(theta)]\n";
    assert!(swing.contains("\nT* = m*l^2*theta'^2/2\n") && swing.contains(note), "{swing}");
}
