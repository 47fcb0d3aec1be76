//! Energies of bodies: by recursion where they are only named, in symbols where they are asked for, by values in the
//! self-check.

use super::roads::{state, tree};
use crate::support::{Rng, load};
use dalembert::Workspace;
use dalembert::run::State;

/// Energies of the model in symbols at a state.
fn in_symbols(model: &Workspace, at: &State) -> [f64; 3] {
    let mut model = model.clone();
    model.system.write_body_energies();
    assert!(model.system.deferred_energies().is_none());
    let system = &model.system;
    let list = [system.energies.total, system.energies.kinetic_part, system.energies.potential_part]
        .map(|e| e.expect("an energy"));
    let form = &model.form;
    let symbols = [form.time].into_iter().chain(form.coordinates.iter().chain(&form.speeds).copied());
    let symbols: Vec<_> = symbols.chain(form.parameters.iter().copied()).collect();
    let values: Vec<f64> =
        [at.t].iter().chain(&at.x).chain(&at.eta).chain(model.compiled.parameters()).copied().collect();
    let found = model.system.pool.evaluate_all(&list, |s| {
        symbols.iter().position(|known| *known == s).map_or(f64::NAN, |k| values[k])
    });
    [found[0], found[1], found[2]]
}

#[test]
fn recursion_and_symbols_have_the_same_energies() {
    let mut rng = Rng::new(20);
    let mut deferred = 0;
    for _ in 0..12 {
        let text = tree(&mut rng, 5)
            + "output T = kinetic_energy, V = potential_energy, ratio = kinetic_energy/energy\n";
        let mut model = load(&text);
        deferred += usize::from(model.system.deferred_energies().is_some());
        let (x, eta) = state(&model, &mut rng);
        let at = State::new(0.3, &x, &eta);
        let found = model.evaluate(&at).expect("regular");
        let [energy, T, V] = in_symbols(&model, &at);
        let by_recursion = [found.energy.expect("an energy"), found.outputs[0], found.outputs[1]];
        let size = T.abs() + V.abs();
        for (a, b) in by_recursion.iter().zip([energy, T, V]) {
            assert!((a - b).abs() <= 1e-12 * size, "{a} and {b}\n{text}");
        }
        assert!((found.outputs[2] - T / energy).abs() <= 1e-10 * (size / energy).abs().max(1.0), "{text}");
        // By values, at this state and at one near it.
        model.self_check(&at).unwrap_or_else(|d| panic!("{}\n{text}", d.message));
    }
    assert!(deferred > 6, "{deferred} of 12");
}

/// The comparison by values sees an acceleration that is wrong in the sixth digit.
#[test]
fn the_self_check_by_values_sees_wrong_accelerations() {
    let mut rng = Rng::new(4);
    let mut seen = 0;
    for _ in 0..4 {
        let mut model = load(&tree(&mut rng, 5));
        if model.system.deferred_energies().is_none() {
            continue;
        }
        let (x, eta) = state(&model, &mut rng);
        let at = State::new(0.0, &x, &eta);
        let mut found = model.evaluate(&at).expect("regular");
        assert!(model.compare_evaluation(&found).is_ok());
        let largest = found.solution.eta_dot.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        found.solution.eta_dot[0] += 1e-3 * largest;
        assert!(model.compare_evaluation(&found).is_err());
        seen += 1;
    }
    assert!(seen > 0);
}

/// Weight of what does not move counts too: the potential energy is that of the formula with every body in it.
#[test]
fn bodies_on_the_ground_have_potential_energy() {
    let text = "
        gravity [0, 0, -10]
        body base: mass 3, centre [0, 0, 2], inertia [1, 1, 1]
        joint mount: weld ground at [0, 0, 1] to base
        for i in 1..4 { body b[i]: mass 1, centre [0, 0, -0.5], inertia [0.1, 0.1, 0.1] }
        joint j[1]: pin base at [0, 0, 4] to b[1], axis [0, 1, 0]
        for i in 2..4 { joint j[i]: pin b[i-1] at [0, 0, -1] to b[i], axis [0, 1, 0] }
        output V = potential_energy
    ";
    let model = load(text);
    assert!(model.system.deferred_energies().is_some());
    let at = State::new(0.0, &[0.0; 4], &[0.0; 4]);
    let found = model.evaluate(&at).expect("regular");
    let V = 10.0 * (3.0 * 3.0 + 4.5 + 3.5 + 2.5 + 1.5);
    assert!((found.outputs[0] - V).abs() < 1e-12 * V, "{} and {V}", found.outputs[0]);
}
