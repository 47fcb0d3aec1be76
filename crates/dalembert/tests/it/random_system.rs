//! Random systems as text. The Lagrangian is polynomial of degree four in the rates and free of the time; inertia is positive
//! definite by construction (a sum of squares of triangular forms).

use crate::support::{Rng, ShortNumbers};
use dalembert::Workspace;
use dalembert::run::State;

pub struct RandomSystem {
    pub text: String,
}

impl RandomSystem {
    pub fn new(seed: u64) -> Self {
        Self::make(seed, true)
    }

    /// Outputs: L, then the force on each coordinate.
    pub fn unconstrained(seed: u64) -> Self {
        Self::make(seed, false)
    }

    fn make(seed: u64, constrained: bool) -> Self {
        let mut rng = Rng::new(seed);
        let n = 2 + rng.below(3);
        let quasi = constrained && rng.below(4) == 0;
        let names: Vec<String> = (1..=n).map(|i| format!("q{i}")).collect();
        let mut lines = vec![format!("coordinate {}", names.join(", "))];
        if quasi {
            lines.extend((0..n).map(|i| speed(i, n, &mut rng)));
        }
        let (T, V, G) = (kinetic(n, &mut rng), potential(n, &mut rng), gyroscopic(n, &mut rng));
        lines.push(format!("kinetic {T}\npotential {V}\nlagrangian {G}"));
        let forces: Vec<String> = (0..n).map(|i| force(i, n, &mut rng)).collect();
        lines.extend((0..n).map(|i| format!("force q{} = {}", i + 1, forces[i])));
        let power: Vec<String> = (0..n).map(|i| format!("({})*q{}'", forces[i], i + 1)).collect();
        let power = power.join(" + ");
        if !constrained {
            lines.push(format!("output L = {T} - ({V}) + {G}"));
            lines.extend((0..n).map(|i| format!("output F{} = {}", i + 1, forces[i])));
            return RandomSystem { text: lines.join("\n") };
        }
        let rows = constraints(n, &mut rng);
        let works = !rows.is_empty() && rng.below(2) == 0;
        lines.extend(rows);
        if works {
            lines.push(format!("nonideal work {}", nonideal(n, &mut rng)));
        }
        lines.push(format!("output applied = {power}"));
        if !quasi {
            let reactions = (1..=n).map(|i| format!("(ideal(q{i}) + nonideal(q{i}))*q{i}'"));
            lines.push(format!("output P = applied + {}", reactions.collect::<Vec<_>>().join(" + ")));
        } else {
            lines.push(format!("output P = applied + {}", speeds_power(n)));
        }
        lines.push("output E = energy".into());
        for i in 0..n {
            lines.push(format!(
                "initial q{} ~ {}, q{}' ~ {}",
                i + 1,
                rng.number(-1.0, 1.0),
                i + 1,
                rng.number(-1.0, 1.0)
            ));
        }
        RandomSystem { text: lines.join("\n") }
    }

    pub fn state(&self, model: &Workspace, rng: &mut Rng) -> State {
        let (x, eta) = (model.form.coordinates.len(), model.form.speeds.len());
        State::new(rng.number(0.0, 3.0), &rng.numbers(x), &rng.numbers(eta))
    }
}

fn pick(n: usize, rng: &mut Rng) -> usize {
    1 + rng.below(n)
}

/// A smooth function of the coordinates between -1 and 1.
fn bounded(n: usize, rng: &mut Rng) -> String {
    let (i, j) = (pick(n, rng), pick(n, rng));
    match rng.below(4) {
        0 => format!("sin(q{i} + {}*q{j})", rng.number(0.1, 1.0)),
        1 => format!("cos({}*q{i} - q{j})", rng.number(0.5, 1.5)),
        2 => format!("q{i}/sqrt(1 + q{i}^2 + q{j}^2)"),
        _ => format!("tanh(q{i}*q{j})"),
    }
}

fn kinetic(n: usize, rng: &mut Rng) -> String {
    let mut parts = Vec::new();
    for k in 1..=n {
        let mut form = format!("q{k}'");
        for j in 1..k {
            form += &format!(" + {}*{}*q{j}'", rng.number(0.1, 0.9), bounded(n, rng));
        }
        parts.push(format!("(2 + {})/2*({form})^2", bounded(n, rng)));
    }
    if rng.below(3) == 0 {
        parts.push(format!("0.05*q{}'^4", pick(n, rng)));
    }
    format!("({})", parts.join(" + "))
}

fn potential(n: usize, rng: &mut Rng) -> String {
    let parts: Vec<String> = (1..=n)
        .map(|i| match rng.below(3) {
            0 => format!("{}*q{i}^2", rng.number(0.2, 2.0)),
            1 => format!("-{}*cos(q{i} - q{})", rng.number(0.2, 3.0), pick(n, rng)),
            _ => format!("0.1*q{i}^4 + {}*exp(-q{i}^2)", rng.number(0.1, 1.0)),
        })
        .collect();
    parts.join(" + ")
}

fn gyroscopic(n: usize, rng: &mut Rng) -> String {
    let (i, j) = (pick(n, rng), pick(n, rng));
    format!("{}*{}*q{i}' + {}*q{j}", rng.number(-1.0, 1.0), bounded(n, rng), rng.number(-1.0, 1.0))
}

fn force(i: usize, n: usize, rng: &mut Rng) -> String {
    let own = format!("-{}*q{}'", rng.number(0.0, 0.5), i + 1);
    format!("{own} + {}*cos(t)*{}", rng.number(-1.0, 1.0), bounded(n, rng))
}

fn nonideal(n: usize, rng: &mut Rng) -> String {
    let parts: Vec<String> = (1..=n)
        .map(|i| match rng.below(3) {
            0 => format!("-{}*q{i}'*delta(q{i})", rng.number(0.1, 1.0)),
            1 => format!("{}*{}*delta(q{i})", rng.number(-1.0, 1.0), bounded(n, rng)),
            _ => format!("-0.1*reaction(c1)*tanh(q{i}')*delta(q{i})"),
        })
        .collect();
    parts.join(" + ")
}

fn one_constraint(n: usize, rng: &mut Rng) -> String {
    let (i, j) = (pick(n, rng), pick(n, rng));
    let k = 1 + i % n; // another than i
    match rng.below(4) {
        0 => format!("q{i} + {}*sin(q{k}) + 0.3*q{j}^2 - {}*t", rng.number(0.3, 1.0), rng.number(0.0, 0.3)),
        1 => format!("q{i}^2 + {}*q{k}^2 - {}", rng.number(0.5, 2.0), rng.number(0.5, 2.0)),
        2 => {
            format!("q{i}' + {}*{}*q{k}' - {}", rng.number(0.3, 1.0), bounded(n, rng), rng.number(-0.3, 0.3))
        }
        _ => {
            format!("q{i}'^2 - {}*q{k}'^2 + q{j}' - {}*cos(t)", rng.number(0.5, 1.5), rng.number(0.1, 0.5))
        }
    }
}

/// Up to n - 1 rows, and perhaps one that says again what the first says.
fn constraints(n: usize, rng: &mut Rng) -> Vec<String> {
    let m = rng.below(n);
    let mut equations: Vec<String> = (0..m).map(|_| one_constraint(n, rng)).collect();
    if m > 0 && rng.below(3) == 0 {
        equations.push(format!("{}*({})", rng.number(0.5, 20.0), equations[0]));
    }
    equations.iter().enumerate().map(|(k, e)| format!("constraint c{}: {e} = 0", k + 1)).collect()
}

/// Diagonally dominant in the rates, so that the set is invertible everywhere.
fn speed(i: usize, n: usize, rng: &mut Rng) -> String {
    let mut form = format!("(3 + {})*q{}'", bounded(n, rng), i + 1);
    for j in (1..=n).filter(|j| *j != i + 1) {
        form += &format!(" + {}*{}*q{j}'", rng.number(-0.6, 0.6), bounded(n, rng));
    }
    format!("speed u{} = {form}", i + 1)
}

/// The power of the constraint forces from their components on the speeds.
fn speeds_power(n: usize) -> String {
    (1..=n).map(|i| format!("(ideal(u{i}) + nonideal(u{i}))*u{i}")).collect::<Vec<_>>().join(" + ")
}
