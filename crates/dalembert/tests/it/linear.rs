//! Linearisation over random systems: against differences on the constraints, and what must not matter.

use crate::random_system::RandomSystem;
use crate::support::{Rng, *};
use dalembert::Workspace;
use dalembert::linearize::Linearization;
use dalembert::run::{StartGuess, State, find_start};
use dalembert_linalg::Complex;
use proptest::prelude::*;

fn cases(n: u32) -> ProptestConfig {
    ProptestConfig { max_global_rejects: 4096, ..same_cases(n, 31) }
}

/// The state on the constraints whose independent variables have these values; Newton that shares no code with the tangents.
fn on_chart(model: &Workspace, l: &Linearization, near: &State, s: &[f64]) -> Option<State> {
    let place = |name: &String| model.state_names().iter().position(|n| n == name).expect("a state");
    let n_x = near.x.len();
    let mut guess = StartGuess {
        state: near.clone(),
        x_fixed: vec![false; n_x],
        eta_fixed: vec![false; near.eta.len()],
        conditions: Vec::new(),
        bodies: model.system.bodies.is_some(),
    };
    for (name, value) in l.states.iter().zip(s) {
        match place(name).checked_sub(n_x) {
            None => (guess.state.x[place(name)], guess.x_fixed[place(name)]) = (*value, true),
            Some(p) => (guess.state.eta[p], guess.eta_fixed[p]) = (*value, true),
        }
    }
    if model.form.invariants.is_empty() {
        return find_start(&model.compiled, &guess).ok().map(|s| s.state);
    }
    // A quaternion keeps its norm.
    let held = |flags: &[bool]| (0..flags.len()).filter(|i| flags[*i]).collect::<Vec<_>>();
    model.on_constraints(&guess.state, &l.state.x, &held(&guess.x_fixed), &held(&guess.eta_fixed))
}

/// Rates of the independent variables.
fn rates(model: &Workspace, l: &Linearization, state: &State) -> Option<Vec<f64>> {
    let now = model.evaluate(state).ok()?;
    let all: Vec<f64> = now.terms.x_dot.iter().chain(&now.solution.eta_dot).copied().collect();
    let names = model.state_names();
    Some(l.states.iter().map(|s| all[names.iter().position(|n| n == s).expect("a state")]).collect())
}

fn values(model: &Workspace, l: &Linearization, state: &State) -> Vec<f64> {
    let names = model.state_names();
    let all: Vec<f64> = state.x.iter().chain(&state.eta).copied().collect();
    l.states.iter().map(|s| all[names.iter().position(|n| n == s).expect("a state")]).collect()
}

/// The state matrix by central differences of fourth order on the chart.
fn differences(model: &Workspace, l: &Linearization) -> Option<Vec<f64>> {
    let (d, h) = (l.dimension(), 1e-3);
    let base = values(model, l, &l.state);
    let mut S = vec![0.0; d * d];
    for c in 0..d {
        let mut near = l.state.clone();
        let mut side = |k: f64| {
            let mut s = base.clone();
            s[c] += k * h;
            near = on_chart(model, l, &near, &s)?;
            rates(model, l, &near)
        };
        let (a, b, e, f) = (side(1.0)?, side(2.0)?, side(-1.0)?, side(-2.0)?);
        (0..d).for_each(|i| S[i * d + c] = (8.0 * (a[i] - e[i]) - (b[i] - f[i])) / (12.0 * h));
    }
    Some(S)
}

/// Largest distance between two sets of eigenvalues, each paired with the nearest one left.
fn sets_apart(a: &[Complex], b: &[Complex]) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    let mut left = b.to_vec();
    a.iter().fold(0.0f64, |worst, v| {
        let nearest = (0..left.len()).min_by(|i, j| (left[*i] - *v).abs().total_cmp(&(left[*j] - *v).abs()));
        worst.max((left.swap_remove(nearest.expect("as many")) - *v).abs())
    })
}

proptest! {
    #![proptest_config(cases(24))]

    /// Constraints of every kind and rank, time in them, non-ideal work that depends on reactions, quasi-velocities: at any
    /// state the matrix is the derivative of the rates along the constraints.
    #[test]
    fn the_matrix_is_the_derivative_on_the_constraints(seed in any::<u64>()) {
        let system = RandomSystem::new(seed);
        let mut model = load(&system.text);
        let Ok(started) = model.start() else { return Err(TestCaseError::reject("no start")) };
        let Ok(l) = model.linearize(&started.state, &[]) else { return Err(TestCaseError::reject("degenerate")) };
        let Some(S) = differences(&model, &l) else { return Err(TestCaseError::reject("the chart ends")) };
        // Fourth order with h = 1e-3: 1e-12 of fifth derivatives, which grow as rows become dependent; Newton's 1e-10 over h.
        let size = 1.0 + largest(&l.state_matrix);
        prop_assert!(size > 1e3 || apart(&S, &l.state_matrix) < 1e-6 * size * size, "{}\n{:?}\n{:?}", system.text, S, l.state_matrix);
    }

    /// Rows again, in other units: nothing changes.
    #[test]
    fn scaled_and_repeated_rows_do_not_matter(seed in any::<u64>(), factor in 0.01f64..100.0) {
        let system = RandomSystem::new(seed);
        let Some(row) = system.text.lines().find_map(|l| l.strip_prefix("constraint c1: ")) else {
            return Err(TestCaseError::reject("no rows"));
        };
        if system.text.contains("reaction") {
            return Err(TestCaseError::reject("a reaction is shared by equal rows"));
        }
        let more = format!("{}\nconstraint again: {factor:.3}*({}) = 0", system.text, row.trim_end_matches(" = 0"));
        let (mut one, mut two) = (load(&system.text), load(&more));
        let Ok(started) = one.start() else { return Err(TestCaseError::reject("no start")) };
        let Ok(a) = one.linearize(&started.state, &[]) else { return Err(TestCaseError::reject("degenerate")) };
        let b = two.linearize(&started.state, &a.states).map_err(|d| TestCaseError::fail(d.message))?;
        let size = 1.0 + largest(&a.state_matrix);
        prop_assert!(apart(&a.state_matrix, &b.state_matrix) < 1e-9 * size * size);
    }

    /// Eigenvalues of an equilibrium belong to the system, not to its coordinates or speeds, nor to the variables chosen.
    #[test]
    fn coordinates_do_not_matter(seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let mut n = || rng.number(0.2, 1.5);
        let body = format!(
            "kinetic (q1'^2 + {}*q2'^2 + (q3' + {}*sin(q1)*q1')^2)/2 + {}*q1'*q2'*cos(q3)/10
             potential {}*(1 - cos(q1)) + {}*q2^2 - {}*q3^2 + {}*q1*q2 + {}*q2*q3
             dissipation {}*(q1' - q2')^2 + {}*q3'^2/5
             force q1 = {}*q2, q2 = -{}*q1
             lagrangian {}*(q1*q3' - q3*q1')",
            n() + 0.5, n(), n(), n(), n(), n(), n(), n(), n(), n(), n(), n(), n()
        ).replace(", q2 = -", "\nforce q2 = -");
        let rest = "constraint c: q1 + 0.5*sin(q2) + q3 = 0";
        let roll = format!("constraint r: q1' + {}*cos(q1)*q2' + (1 + q2)*q3' = 0", n());
        for rows in ["", rest, roll.as_str()] {
            let plain = format!("coordinate q1, q2, q3\n{body}\n{rows}");
            let curved = format!(
                "coordinate r1, r2, r3\nlet q1 = r1 + 0.3*r2 + 0.2*r1^2\nlet q2 = 2*r2 - 0.1*r1*r3 - r3\nlet q3 = sin(r3) + 0.4*r1\n{}\n{rows}",
                by_work(&body)
            );
            let quasi = format!(
                "coordinate q1, q2, q3\nspeed u1 = (2 + sin(q2))*q1' + q3', u2 = q2' - 0.3*q1', u3 = (3 + q1)*q3'\n{body}\n{rows}"
            );
            let at = |text: &str| {
                let mut model = load(text);
                let state = State::new(0.0, &[0.0; 3], &[0.0; 3]);
                model.linearize(&state, &[]).map_err(|d| TestCaseError::fail(d.message))
            };
            let (a, b, c) = (at(&plain)?, at(&curved)?, at(&quasi)?);
            let worst = a.eigen.condition.iter().zip(&a.eigen.values).filter(|(_, v)| v.abs() > 1e-6).fold(1.0f64, |m, (c, _)| m.max(*c));
            // Rounding times the condition; zeros of nonholonomic systems come out exactly or as pairs of 1e-8.
            let bound = (1e-12 * worst * worst).max(if rows.contains("r:") { 1e-6 } else { 0.0 });
            prop_assert!(sets_apart(&a.eigen.values, &b.eigen.values) < bound, "{:?}\n{:?}", a.eigen, b.eigen);
            prop_assert!(sets_apart(&a.eigen.values, &c.eigen.values) < bound, "{:?}\n{:?}", a.eigen, c.eigen);
        }
    }
}

/// Forces on q1 and q2 as virtual work, which holds in any coordinates.
fn by_work(body: &str) -> String {
    let (mut lines, mut work) = (Vec::new(), Vec::new());
    for line in body.lines() {
        match line.trim().strip_prefix("force ").and_then(|rest| rest.split_once(" = ")) {
            Some((name, value)) => work.push(format!("({value})*delta({name})")),
            None => lines.push(line.to_owned()),
        }
    }
    lines.push(format!("work {}", work.join(" + ")));
    lines.join("\n")
}

/// Any model of the collection, at its start: a matrix that is the derivative, or a message.
#[test]
fn every_model_of_the_collection() {
    for name in model_names() {
        let Ok(mut model) =
            Workspace::load(&dalembert::Source::new(&name, model_text(&name)), &Default::default())
        else {
            continue; // statements that are not available yet
        };
        if model.form.speeds.len() > 12 {
            continue; // differences take long
        }
        let Ok(started) = model.start() else { continue };
        match model.linearize(&started.state, &[]) {
            Err(d) => println!("{name}: {}", d.message),
            Ok(l) => {
                let Some(S) = differences(&model, &l) else { continue };
                let size = 1.0 + largest(&l.state_matrix);
                // Stiff models have large fifth derivatives.
                below(&name, apart(&S, &l.state_matrix) / size, 1e-5);
            }
        }
    }
}
