//! Forces with a potential: recognised from their law, counted in the energy, and conserved.

use crate::support::*;
use dalembert::equations::{Form, write};
use dalembert::force_potential::stored_force;
use dalembert_expr::Format;

fn potential(forces: &str) -> Option<String> {
    let mut model =
        load(&format!("parameter k = 2, a = 0.7\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\n{forces}"));
    let stored = stored_force(&mut model)?;
    Some(model.system.pool.text(stored.potential))
}

#[test]
fn laws_are_integrated() {
    for (forces, V) in [
        ("force x = -k*x^3", "k*x^4/4"),
        ("force x = -k*x^3 - 0.1*x'", "k*x^4/4"),
        ("force x = -y\nforce y = -x", "x*y"),
        ("force x = k*sin(a*x)", "k*cos(a*x)/a"),
        ("force x = -x/(x^2 + y^2)^1.5\nforce y = -y/(x^2 + y^2)^1.5", "-1/sqrt(x^2 + y^2)"),
        ("force x = -k*exp(-x)", "-k*exp(-x)"),
        ("force x = cos(t)*y\nforce y = cos(t)*x", "-x*y*cos(t)"),
    ] {
        assert_eq!(potential(forces).as_deref(), Some(V), "{forces}");
    }
    // Follower forces, friction, and what is not integrable.
    for forces in [
        "force x = -y\nforce y = x",
        "force x = -k*x'",
        "force x = y^2",
        "force x = exp(x^2)",
        "force y = sign(x) - 1",
    ] {
        assert_eq!(potential(forces), None, "{forces}");
    }
}

/// Random potentials, differentiated by hand into forces: the energy with them is conserved and equal to that of the model with V.
#[test]
fn the_energy_of_a_law_is_conserved() {
    for (V, x, y) in [
        ("x^4/4 + x^2*y^2/2", "-(x^3 + x*y^2)", "-x^2*y"),
        ("-cos(x - y) + y^2", "-sin(x - y)", "sin(x - y) - 2*y"),
        ("sinh(x)*y + y^4", "-cosh(x)*y", "-sinh(x) - 4*y^3"),
    ] {
        let head = "coordinate x, y\nkinetic (x'^2 + y'^2)/2 + x'*y'/5\ninitial x = 0.4, y = 0.3, x' = 0.5\nsimulate until 1";
        let mut by_law = load(&format!("{head}\nforce x = {x}\nforce y = {y}"));
        let mut by_energy = load(&format!("{head}\npotential {V}"));
        let found = [&mut by_law, &mut by_energy].map(|model| {
            let analysis = dalembert::analyze::analyze(model).unwrap_or_else(|d| panic!("{}", d.message));
            let energy = analysis.conserved.iter().find(|c| c.name == "energy");
            let energy = energy.unwrap_or_else(|| panic!("no energy: {:?}", analysis.remarks));
            assert!(energy.proved && energy.verified);
        });
        assert_eq!(found.len(), 2);
    }
    let text = "parameter k = 2\ncoordinate x\nkinetic x'^2/2\nforce x = -k*x^3\ninitial x = 1";
    let written = write(&mut load(text), Form::Energies, Format::Text).expect("written");
    assert!(written.contains("V = k*x^4/4") && written.contains("are counted in V"), "{written}");
    // `energy` itself stays that of version 1.
    let state = start(&mut load(text));
    assert_eq!(evaluate(&load(text), &state).energy, Some(0.0));
}
