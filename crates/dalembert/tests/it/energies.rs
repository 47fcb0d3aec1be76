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
    T* = m*x'^2/2
    T = p_x^2/(2*m)
    V = k*x^2/2
    V* = e_x^2/(2*k)
    L = m*x'^2/2 - k*x^2/2
    H = k*x^2/2 + p_x^2/(2*m)
    H* = m*x'^2/2 + e_x^2/(2*k)
    L* = p_x^2/(2*m) - e_x^2/(2*k)
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
    // q = dV*/de = dH*/de, f = dT/dp = dL*/dp, p = dH*/df.
    let q = [pool.gradient(star, &energies.efforts), pool.gradient(H_star, &energies.efforts)];
    let f = [pool.gradient(T, &momenta), pool.gradient(L_star, &momenta)];
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
        ("double_pendulum", "T* depends on the position"),
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
    let fast = write(&mut load_file("relativistic_particle"), Form::Energies, Format::Text).expect("written");
    assert!(fast.contains("H has no closed form here") && fast.contains("at the start: p_x = "), "{fast}");
}
