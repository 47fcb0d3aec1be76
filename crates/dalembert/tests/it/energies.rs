//! Energies and co-energies: the transforms lead back, and what has no closed form is said.

use crate::support::*;
use dalembert::energies::Energies;
use dalembert::equations::{Form, write};
use dalembert_expr::{Expr, Format, Symbol};
use insta::assert_snapshot;

const MASSES: &str = "parameter m = 2, M = 3, k = 5, c = 0.7, g = 9.81
    coordinate x, y
    kinetic m/2*x'^2 + M/2*(x' + y')^2
    potential k/2*x^2 + c/2*(y - x)^2 - M*g*y";

#[test]
fn a_mass_on_a_spring() {
    let text = "parameter m = 2, k = 5\ncoordinate x\nkinetic m/2*x'^2\npotential k/2*x^2";
    assert_snapshot!(write(&mut load(text), Form::Energies, Format::Text).expect("written"), @r"
    e_x = k*x
    T* = m/2*x'^2
    T = p_x^2/(2*m)
    V = k/2*x^2
    V* = e_x^2/(2*k)
    L = m*x'^2/2 - k*x^2/2
    H = k*x^2/2 + p_x^2/(2*m)
    H* = m*x'^2/2 + e_x^2/(2*k)
    L* = e_x^2/(2*k) - p_x^2/(2*m)
    ");
    let python = write(&mut load(text), Form::Energies, Format::Python).expect("written");
    assert!(python.contains("equation_1 = Eq(e_x, k*x, evaluate=False)"), "e_x stays a symbol: {python}");
    assert!(python.contains("potential_coenergy = ") && python.contains("lagrangian_star = "), "{python}");
}

#[test]
fn the_transforms_lead_back() {
    let mut model = load(MASSES);
    let energies = Energies::of(&mut model).unwrap_or_else(|d| panic!("{}", d.message));
    let form = model.form.clone();
    let momenta: Vec<Symbol> = ["p_x", "p_y"].map(|n| model.system.pool.symbol(n)).to_vec();
    let pool = &mut model.system.pool;
    let (star, T) = (energies.potential_coenergy.unwrap(), energies.kinetic_energy.unwrap());
    let (H_star, L_star) = (energies.hamiltonian_star.unwrap(), energies.lagrangian_star.unwrap());
    // q = dV*/de = dH*/de = dL*/de, f = dT/dp = -dL*/dp, p = dH*/df.
    let minus = pool.neg(L_star);
    let q = [star, H_star, L_star].map(|F| pool.gradient(F, &energies.efforts));
    let f = [pool.gradient(T, &momenta), pool.gradient(minus, &momenta)];
    let p = pool.gradient(H_star, &form.speeds);
    let mut rng = Rng::new(3);
    for _ in 0..10 {
        let mut known: Vec<(Symbol, f64)> =
            form.parameters.iter().copied().zip(model.compiled.parameters().iter().copied()).collect();
        let (x, eta) = (rng.numbers(2), rng.numbers(2));
        known.extend(form.coordinates.iter().copied().zip(x.iter().copied()));
        known.extend(form.speeds.iter().copied().zip(eta.iter().copied()));
        let pool = &mut model.system.pool;
        let mut of = |known: &[(Symbol, f64)], list: &[Expr]| {
            pool.evaluate_all(list, |s| known.iter().find(|(k, _)| *k == s).map_or(f64::NAN, |k| k.1))
        };
        let y = of(&known, &form.momenta);
        let e = of(&known, &energies.effort_values);
        known.extend(momenta.iter().copied().zip(y.iter().copied()));
        known.extend(energies.efforts.iter().copied().zip(e.iter().copied()));
        for list in &q {
            below("q", apart(&of(&known, list), &x), 1e-12);
        }
        for list in &f {
            below("f", apart(&of(&known, list), &eta), 1e-12);
        }
        below("p", apart(&of(&known, &p), &y), 1e-12);
        let values = of(&known, &[star, energies.potential.unwrap(), T, energies.kinetic_coenergy.unwrap()]);
        below("V + V* = e q", (values[0] + values[1] - dot(&e, &x)).abs(), 1e-12);
        below("T + T* = p f", (values[2] + values[3] - dot(&y, &eta)).abs(), 1e-12);
    }
}

#[test]
fn what_has_no_closed_form_is_said() {
    for (name, word) in [
        ("pendulum", "V* has no closed form here"),
        ("double_pendulum", "H* has no closed form here"),
        ("heavy_top", "plain coordinates"),
    ] {
        let written = write(&mut load_file(name), Form::Energies, Format::Text).expect("written");
        assert!(written.contains(word), "{written}");
    }
    let flat = "coordinate x\nkinetic x'^2/2\npotential 3*x";
    assert!(
        write(&mut load(flat), Form::Energies, Format::Text).expect("written").contains("V* does not exist")
    );
    let whole = "coordinate x\nlagrangian x'^2/2 - x^2";
    assert!(
        write(&mut load(whole), Form::Energies, Format::Text)
            .expect("written")
            .contains("gives L as a whole")
    );
    let fast = "coordinate x, y\nkinetic x'^4 + y'^2 + x'^2*y'^2\ninitial x' = 1, y' = 1";
    let fast = write(&mut load(fast), Form::Energies, Format::Text).expect("written");
    assert!(fast.contains("H has no closed form here") && fast.contains("at the start: p_x = "), "{fast}");
}

#[test]
fn powers_and_roots_have_closed_inverses() {
    let hard = "parameter h = 2, m = 1\ncoordinate y\nkinetic m/2*y'^2\npotential h*y^4/4";
    let written = write(&mut load(hard), Form::Energies, Format::Text).expect("written");
    assert!(written.contains("V* = 3*abs(e_y)^(4/3)/(4*h^(1/3))\n"), "{written}");
    assert!(written.contains("L* = 3*abs(e_y)^(4/3)/(4*h^(1/3)) - p_y^2/(2*m)\n"), "{written}");
    let fast =
        "parameter m = 1.5, c = 2\ncoordinate x\nkinetic m*c^2*(1 - sqrt(1 - x'^2/c^2))\ninitial x' = 1.1";
    let written = write(&mut load(fast), Form::Energies, Format::Text).expect("written");
    assert!(written.contains("T = sqrt(c^2*p_x^2 + m^2*c^4) - m*c^2\n"), "{written}");
    let field =
        write(&mut load_file("relativistic_particle"), Form::Hamilton, Format::Text).expect("written");
    assert!(field.contains("H = sqrt(c^2*(p_x^2 + p_y^2 + m^2*c^2)) - F*x"), "{field}");
}

/// e = dH/dq = -dL/dq where T* depends on the position: H* is the transform of -L over q, and leads back.
#[test]
fn efforts_are_slopes_of_the_hamiltonian() {
    let polar = "parameter m = 1, k = 5, l = 1
        coordinate r, th
        kinetic m/2*(r'^2 + r^2*th'^2)
        potential k/2*(r - l)^2
        initial r = 1.2, th' = 0.7, r' = 0.1";
    let mut model = load(polar);
    let energies = Energies::of(&mut model).unwrap_or_else(|d| panic!("{}", d.message));
    let (H_star, e_r) = (energies.hamiltonian_star.expect("closed"), energies.efforts[0]);
    let (H, r) = (energies.hamiltonian.expect("closed"), model.form.coordinates[0]);
    let pool = &mut model.system.pool;
    let back = pool.diff(H_star, e_r);
    let slope = pool.diff(H, r);
    // m = 1, k = 5, l = 1 at r = 1.2, r' = 0.1, th' = 0.7: p_th = 1.008, e = k (r - l) - r th'^2.
    let e = 5.0 * 0.2 - 1.2 * 0.49;
    let known = [
        ("m", 1.0),
        ("k", 5.0),
        ("l", 1.0),
        ("r", 1.2),
        ("r'", 0.1),
        ("th'", 0.7),
        ("p_r", 0.1),
        ("p_th", 1.008),
    ];
    let named = |pool: &dalembert_expr::Pool, s: Symbol| {
        let name = pool.name(s).to_owned();
        if name == "e_r" { e } else { known.iter().find(|(k, _)| *k == name).map_or(f64::NAN, |k| k.1) }
    };
    let names = pool.clone();
    let values = pool.evaluate_all(&[back, slope, energies.effort_values[0]], |s| named(&names, s));
    below("q = dH*/de", (values[0] - 1.2).abs(), 1e-14);
    below("e = dH/dq", (values[1] - e).abs(), 1e-14);
    below("e = -dL/dq", (values[2] - e).abs(), 1e-14);
    let state = start(&mut model);
    let at =
        dalembert::energies::EnergyValues::at(&mut model, &state).unwrap_or_else(|d| panic!("{}", d.message));
    below("L* = e q - H", (at.lagrangian_star.unwrap() - (e * 1.2 - at.hamiltonian.unwrap())).abs(), 1e-14);
    below("H* = e q + L", (at.hamiltonian_star.unwrap() - (e * 1.2 + at.lagrangian)).abs(), 1e-14);
}

#[test]
fn any_function_has_its_legendre_transform() {
    let mut model = load("parameter k = 3\ncoordinate x\nkinetic x'^2/2");
    let mut of = |F: &str, u: &[&str]| {
        let variables: Vec<String> = u.iter().map(|u| (*u).to_owned()).collect();
        dalembert::equations::legendre(&mut model, F, &variables, "", Format::Text)
    };
    let written = of("k*u^4/4 + w^2/2 - k*w", &["u", "w"]).expect("written");
    assert!(written.contains("v_u = k*u^3\n") && written.contains("w = k + v_w\n"), "{written}");
    assert!(written.contains("G = 3*abs(v_u)^(4/3)/(4*k^(1/3)) + "), "{written}");
    assert!(of("cos(u)", &["u"]).expect("written").contains("no closed form"));
    assert!(of("3*u", &["u"]).expect("written").contains("do not determine"));
    assert!(of("x'^2 - x", &["x'"]).expect("written").contains("G = x + v_x_dot^2/4"));
    assert!(of("u^2", &[]).is_err() && of("q^2", &["u"]).is_err() && of("u^2", &["u v"]).is_err());
}

/// Friction and control change the motion, not the energies.
#[test]
fn friction_does_not_hide_the_energies() {
    let text = "parameter m = 2, k = 5\ncoordinate x, y\nkinetic m/2*(x'^2 + y'^2)\npotential k/2*x^2 + 9.81*m*y\n\
                constraint floor: y = 0\ninitial x = 0.3, x' = 0.7\n";
    let values = |text: &str| {
        let mut model = load(text);
        let state = start(&mut model);
        dalembert::energies::EnergyValues::at(&mut model, &state).unwrap_or_else(|d| panic!("{}", d.message))
    };
    let (smooth, rough) =
        (values(text), values(&format!("{text}friction on floor: coefficient 0.3, velocity x'\n")));
    assert_eq!((smooth.lagrangian, smooth.hamiltonian), (rough.lagrangian, rough.hamiltonian));
    assert_eq!((smooth.kinetic_energy, smooth.potential), (rough.kinetic_energy, rough.potential));
    let written = |more: &str| {
        write(&mut load(&format!("{text}{more}\n")), Form::Energies, Format::Text)
            .unwrap_or_else(|d| panic!("{more}: {}", d.message))
    };
    let smooth = written("");
    for more in [
        "friction on floor: coefficient 0.3, velocity x'",
        "friction in x: limit 0.1",
        "require track: x = 0.3*cos(t) decay 1, 1",
    ] {
        assert_eq!(written(more), smooth, "{more}");
    }
}
