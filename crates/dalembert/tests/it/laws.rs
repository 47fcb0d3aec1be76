//! Laws over random systems written as text: coordinate-dependent inertia, gyroscopic terms, forces, constraints of every
//! kind (some redundant), non-ideal work, quasi-velocities. Each law is checked by arithmetic that shares no code with the engine.

use crate::random_system::RandomSystem;
use crate::support::{Rng, *};
use dalembert::run::{Dynamics, IdealForces, Nonideal, State};
use dalembert::{Evaluation, Workspace};
use proptest::prelude::*;

/// Solve with the Cholesky factor of a symmetric positive definite matrix; `None` if it is not.
fn solve_positive(matrix: &[f64], right: &[f64]) -> Option<Vec<f64>> {
    let n = right.len();
    let mut l = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| l[i * n + k] * l[j * n + k]).sum();
            let rest = matrix[i * n + j] - sum;
            l[i * n + j] = if i == j { (rest > 0.0).then(|| rest.sqrt())? } else { rest / l[j * n + j] };
        }
    }
    let mut y = right.to_vec();
    for i in 0..n {
        y[i] = (y[i] - (0..i).map(|k| l[i * n + k] * y[k]).sum::<f64>()) / l[i * n + i];
    }
    for i in (0..n).rev() {
        y[i] = (y[i] - (i + 1..n).map(|k| l[k * n + i] * y[k]).sum::<f64>()) / l[i * n + i];
    }
    Some(y)
}

/// A random virtual displacement: A v = 0, by Gram-Schmidt on the rows.
fn admissible(A: &[f64], n: usize, rng: &mut Rng) -> Vec<f64> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let cleared = |mut v: Vec<f64>, basis: &[Vec<f64>]| {
        for _ in 0..2 {
            for b in basis {
                let along = dot(&v, b);
                v.iter_mut().zip(b).for_each(|(v, b)| *v -= along * b);
            }
        }
        v
    };
    for row in A.chunks(n) {
        let size = dot(row, row).sqrt();
        let rest = cleared(row.to_vec(), &basis);
        let left = dot(&rest, &rest).sqrt();
        if left > 1e-8 * size {
            basis.push(rest.iter().map(|v| v / left).collect());
        }
    }
    cleared(rng.numbers(n), &basis)
}

fn prescribed(model: &Workspace, state: &State, now: &Evaluation) -> Vec<f64> {
    let mut scratch = vec![0.0; model.compiled.scratch_len()];
    let mut C = vec![0.0; now.terms.Q.len()];
    let ideal = IdealForces {
        lambda: &now.solution.lambda,
        A: &now.terms.A,
        sparsity: None,
        Q_i: &now.solution.ideal_force,
    };
    model.compiled.nonideal(state.point(), &ideal, &mut scratch, &mut C);
    C
}

fn sum(parts: &[&[f64]]) -> Vec<f64> {
    (0..parts[0].len()).map(|i| parts.iter().map(|p| p[i]).sum()).collect()
}

fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// Rows nearly dependent at a random state magnify rounding by the size of the multipliers.
fn scale(now: &Evaluation) -> f64 {
    1.0 + largest(&now.terms.Q) + largest(&now.solution.ideal_force) + largest(&now.solution.eta_dot)
}

proptest! {
    #![proptest_config(same_cases(48, 20))]

    /// K2, K3, U2-U5, U7 at any state, on the constraints or off them.
    #[test]
    fn accelerations_and_forces_obey_the_principle(seed in any::<u64>()) {
        let system = RandomSystem::new(seed);
        let model = load(&system.text);
        let mut rng = Rng::new(seed ^ 1);
        let state = system.state(&model, &mut rng);
        let Ok(now) = model.evaluate(&state) else { return Err(TestCaseError::reject("singular state")) };
        let (n, s, terms) = (terms_n(&now), &now.solution, &now.terms);
        for i in 0..n {
            for j in 0..i {
                prop_assert_eq!(terms.M[i * n + j].to_bits(), terms.M[j * n + i].to_bits(), "M is symmetric to the bit");
            }
        }
        prop_assert!(solve_positive(&terms.M, &terms.Q).is_some(), "M is positive definite\n{}", system.text);
        let scale = scale(&now);
        let check = |what: &str, error: f64| {
            prop_assert!(error <= 1e-10 * scale, "{what}: {error:.1e} of {scale:.1e}\n{}", system.text);
            Ok(())
        };
        check("A eta' = b", apart(&times(&terms.A, &s.eta_dot), &terms.b))?;
        let total = sum(&[&terms.Q, &s.ideal_force, &s.nonideal_force]);
        check("M eta' = Q + Q_i + Q_ni", apart(&times(&terms.M, &s.eta_dot), &total))?;
        check("A^T lambda = Q_i", apart(&transposed_times(&terms.A, &s.lambda, n), &s.ideal_force))?;

        let C = prescribed(&model, &state, &now);
        let gauss = |z: &[f64]| {
            let rest = minus(&minus(&times(&terms.M, z), &terms.Q), &C);
            dot(&rest, &solve_positive(&terms.M, &rest).expect("positive"))
        };
        check("Gauss's function", (gauss(&s.eta_dot) - s.gauss).abs() / scale)?;
        let push = solve_positive(&terms.M, &s.nonideal_force).expect("positive");
        check("U5: the two parts are M-orthogonal", dot(&s.ideal_force, &push).abs() / scale)?;
        for _ in 0..4 {
            let v = admissible(&terms.A, n, &mut rng);
            check("ideal forces do no virtual work", dot(&v, &s.ideal_force).abs())?;
            check("non-ideal forces do v^T C", (dot(&v, &s.nonideal_force) - dot(&v, &C)).abs())?;
            // U7 exactly: G grows by v^T M v, whatever the direction.
            let other = sum(&[&s.eta_dot, &v]);
            let growth = gauss(&other) - gauss(&s.eta_dot);
            check("Gauss's minimum", (growth - dot(&v, &times(&terms.M, &v))).abs() / scale)?;
            prop_assert!(growth >= 0.0 || growth.abs() < 1e-10 * scale);
        }
    }
}

fn terms_n(now: &Evaluation) -> usize {
    now.terms.Q.len()
}

/// The derivative at zero of a function of one variable: central differences, extrapolated once. Error about
/// h^4 = 1e-12 times fifth derivatives, and rounding / h = 1e-13.
fn slope(f: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
    let central = |h: f64| -> Vec<f64> { minus(&f(h), &f(-h)).iter().map(|d| d / (2.0 * h)).collect() };
    let (coarse, fine) = (central(2e-3), central(1e-3));
    coarse.iter().zip(&fine).map(|(c, f)| (4.0 * f - c) / 3.0).collect()
}

/// A state moved along (x', z) by h.
fn moved(state: &State, x_dot: &[f64], z: &[f64], h: f64) -> State {
    let shift = |v: &[f64], d: &[f64]| -> Vec<f64> { v.iter().zip(d).map(|(v, d)| v + h * d).collect() };
    State { t: state.t + h, x: shift(&state.x, x_dot), eta: shift(&state.eta, z) }
}

fn residuals(model: &Workspace, state: &State) -> (Vec<f64>, Vec<f64>) {
    let m = model.system.constraints.rows.len();
    let (mut phi, mut psi) = (vec![0.0; m], vec![0.0; m]);
    let mut scratch = vec![0.0; model.compiled.scratch_len()];
    model.compiled.residuals(state.point(), &mut scratch, &mut phi, &mut psi);
    (phi, psi)
}

/// Differences of functions of order one to ten.
const BY_DIFFERENCES: f64 = 1e-8;

proptest! {
    #![proptest_config(same_cases(32, 20))]

    /// K5, K6: for any acceleration z, psi' = A z - b, and f' = psi for holonomic rows.
    #[test]
    fn constraint_rows_are_the_derivatives_of_their_residuals(seed in any::<u64>()) {
        let system = RandomSystem::new(seed);
        let model = load(&system.text);
        let mut rng = Rng::new(seed ^ 2);
        let state = system.state(&model, &mut rng);
        let Ok(now) = model.evaluate(&state) else { return Err(TestCaseError::reject("singular state")) };
        let n = terms_n(&now);
        for p in 0..=n {
            let z: Vec<f64> = (0..n).map(|q| if p == q { 1.0 } else { 0.0 }).collect(); // p = n: no acceleration
            let along = |h: f64| residuals(&model, &moved(&state, &now.terms.x_dot, &z, h));
            let wanted = minus(&times(&now.terms.A, &z), &now.terms.b);
            let size = 1.0 + largest(&now.terms.b);
            let error = apart(&slope(|h| along(h).1), &wanted) / size;
            prop_assert!(error < BY_DIFFERENCES, "psi' = A z - b: {error:.1e}\n{}", system.text);
            let rates = slope(|h| along(h).0);
            for (r, row) in model.system.constraints.rows.iter().enumerate().filter(|(_, row)| row.holonomic) {
                let error = (rates[r] - residuals(&model, &state).1[r]).abs();
                prop_assert!(error < BY_DIFFERENCES, "f' = psi in {}: {error:.1e}\n{}", row.name, system.text);
            }
        }
    }

    /// L2 for the plain rates, from L alone: d/dt dL/dx' - dL/dx - Q' = M z - Q for every z.
    #[test]
    fn lagranges_equation_by_differences_of_the_lagrangian(seed in any::<u64>()) {
        let system = RandomSystem::unconstrained(seed);
        let model = load(&system.text);
        let mut rng = Rng::new(seed ^ 3);
        let state = system.state(&model, &mut rng);
        let now = evaluate(&model, &state);
        let n = terms_n(&now);
        let z = rng.numbers(n);
        let L = |s: &State| evaluate(&model, s).outputs[0];
        // L is of degree four in the rates: differences extrapolated once are exact, whatever the step.
        let momentum = |s: &State, i: usize| {
            let at = |h: f64| {
                let mut s = s.clone();
                s.eta[i] += h;
                L(&s)
            };
            let central = |h: f64| (at(h) - at(-h)) / (2.0 * h);
            (4.0 * central(0.25) - central(0.5)) / 3.0
        };
        let rates = slope(|h| {
            let s = moved(&state, &state.eta, &z, h);
            (0..n).map(|i| momentum(&s, i)).collect()
        });
        let left = times(&now.terms.M, &z);
        for i in 0..n {
            let gradient = slope(|h| {
                let mut s = state.clone();
                s.x[i] += h;
                vec![L(&s)]
            })[0];
            let force = now.outputs[1 + i];
            let error = (rates[i] - gradient - force - (left[i] - now.terms.Q[i])).abs();
            prop_assert!(error < 10.0 * BY_DIFFERENCES, "equation {i}: {error:.1e}\n{}", system.text);
        }
    }

    /// E' = (Q' + Q_i + Q_ni) . x' at any state: what is not conservative works, nothing else does.
    #[test]
    fn energy_changes_by_the_power_of_the_forces(seed in any::<u64>()) {
        let system = RandomSystem::new(seed);
        let model = load(&system.text);
        let mut rng = Rng::new(seed ^ 4);
        let state = system.state(&model, &mut rng);
        let Ok(now) = model.evaluate(&state) else { return Err(TestCaseError::reject("singular state")) };
        let s = &now.solution;
        let energy = |h: f64| {
            let mut s = moved(&state, &now.terms.x_dot, &s.eta_dot, h);
            s.t = state.t; // L itself does not contain the time
            vec![energy_at(&model, &s)]
        };
        let scale = scale(&now);
        // The differences see (x', eta')^5: only tame accelerations are judged.
        prop_assume!(scale < 1e3);
        let constraint_power = dot(&sum(&[&s.ideal_force, &s.nonideal_force]), &state.eta);
        let error = (slope(energy)[0] - now.outputs[0] - constraint_power).abs();
        prop_assert!(error < 1e-6 * scale * scale, "{error:.1e}, scale {scale:.1e}\n{}", system.text);
    }
}

/// The energy at a state, without solving for its acceleration.
fn energy_at(model: &Workspace, state: &State) -> f64 {
    let now = evaluate(model, state);
    now.energy.expect("energies are given")
}

proptest! {
    #![proptest_config(same_cases(12, 20))]

    /// The same along motions that keep their constraints: E(t) - E(0) is the integral of the power.
    #[test]
    fn energy_balance_along_a_motion(seed in any::<u64>()) {
        let system = RandomSystem::new(seed);
        let mut model = load(&system.text);
        let Ok(started) = model.start() else { return Err(TestCaseError::reject("no start")) };
        prop_assume!(model.evaluate(&started.state).is_ok());
        let request = dalembert::Request { every: Some(1.0 / 256.0), rtol: Some(1e-11), max_steps: Some(4000), ..until(0.5) };
        let Ok(motion) = model.simulate(&request, |_| dalembert::run::Flow::Continue) else {
            return Err(TestCaseError::reject("no motion"));
        };
        prop_assume!(motion.failure.is_none()); // a random mechanism may reach the end of its range
        let (power, energy) = (column(&motion, "P"), column(&motion, "E"));
        prop_assume!(largest(&power) < 1e3);
        let n = power.len() - 1;
        let weight = |k: usize| if k == 0 || k == n { 1.0 } else { 2.0 + 2.0 * (k % 2) as f64 };
        let work: f64 = (0..=n).map(|k| weight(k) * power[k] / 256.0 / 3.0).sum();
        let error = (energy[n] - energy[0] - work).abs();
        // Simpson over 128 intervals: (1/256)^4 = 2e-10 times fourth derivatives of the power.
        prop_assert!(error < 1e-5 * (1.0 + largest(&power)), "{error:.1e}\n{}", system.text);
        let residual = motion.outcome.largest_position_residual.max(motion.outcome.largest_velocity_residual);
        prop_assert!(residual < 1e-11, "constraints kept: {residual:.1e}\n{}", system.text);
    }
}
