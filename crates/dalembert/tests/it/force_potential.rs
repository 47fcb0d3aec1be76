//! Forces with a potential: recognised from their law, counted in the energy, and conserved.

use crate::support::*;
use dalembert::Request;
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
    let state = start(&mut load(text));
    assert_eq!(evaluate(&load(text), &state).energy, Some(0.5));
}

/// The outputs `energy` and `potential_energy` count laws of the configuration, group by group; constant forces, forces
/// of time and speeds, in pieces, at points and without a potential are left to the balance, which closes.
#[test]
fn the_output_energy_counts_laws() {
    for (forces, V) in [
        ("force x = -k*x^3", 0.405),
        ("force x = -k*x^3 - 0.1*x' + sin(t)\nforce y = 5\nforce x = 3", 0.405),
        ("force x = -k*(x - 1)^3 - 0.1*x'", 2.0 / 4.0 * (0.948_683_298_050_513_8_f64 - 1.0).powi(4)),
        // The same spring, spelt in two ways.
        ("force x = k*0.3 - k*x - 0.1*x'", 0.9 - 0.6 * 0.948_683_298_050_513_8),
        ("force x = -k*(x - 0.3) - 0.1*x'", 0.9 - 0.6 * 0.948_683_298_050_513_8 + 0.09),
        ("force x = -k*x^3\nforce y = z\nforce z = -y", 0.405),
        ("force x = -y\nforce y = -x", 0.18),
        ("force x = if x > 0 then -k*x else 0", 0.0),
        ("force [0, -k] at [x, y]", 0.0),
    ] {
        let text = format!(
            "parameter k = 2\ncoordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n{forces}
             initial x = 0.9486832980505138, y = 0.18973665961010275, x' = 0.4
             output V = potential_energy, E = energy, lost = work(nonconservative), all = work(impressed)
             simulate until 1 tolerance 1e-11"
        );
        let motion = run_text(&text, &Request::default());
        let [potential, energy, lost, all] = ["V", "E", "lost", "all"].map(|name| column(&motion, name));
        assert!((potential[0] - V).abs() < 1e-12, "{forces}: {}", potential[0]);
        for (E, lost) in energy.iter().zip(&lost) {
            assert!((E - energy[0] - lost).abs() < 1e-9, "{forces}: {E} {} {lost}", energy[0]);
        }
        // Kinetic energy is what all impressed forces have done.
        let gained = energy[energy.len() - 1] - potential[potential.len() - 1] - energy[0] + potential[0];
        assert!((gained - all[all.len() - 1]).abs() < 1e-9, "{forces}");
    }
}

/// In quasi-velocities a force on a coordinate is the same law.
#[test]
fn laws_in_quasi_velocities() {
    let text = "parameter k = 2\ncoordinate r, ph\nspeed u, v\nkinematics r' = u\nkinematics ph' = v/r
        kinetic (u^2 + v^2)/2\nforce r = -k*(r - 1)^3\ninitial r = 1.5, u = 0.3, v = 0.7
        output E = energy\nsimulate until 2 tolerance 1e-11";
    let energy = column(&run_text(text, &Request::default()), "E");
    assert!((energy[0] - (0.58 / 2.0 + 2.0 / 4.0 * 0.0625)).abs() < 1e-12, "{}", energy[0]);
    assert!(energy.iter().all(|E| (E - energy[0]).abs() < 1e-9));
}
