//! Projection: idempotent, blind to the scale of rows, shortest in the metric of the masses.

use crate::kernels::*;
use crate::support::same_cases;
use dalembert_run::*;
use proptest::prelude::*;

fn bumped(N: usize, bumps: &[f64]) -> State {
    let mut s = four_bar_state(N, 0.0, 0.7, 1.3);
    let n = s.x.len();
    (0..n).for_each(|i| s.x[i] += bumps[i % bumps.len()]);
    (0..n).for_each(|i| s.eta[i] -= 2.0 * bumps[(i + 3) % bumps.len()]);
    s
}

fn project(kernel: &dyn Kernel, s: &State) -> (State, bool, Residuals) {
    let (mut out, mut projector) = (s.clone(), Projector::new(kernel));
    projector.measure(kernel, s.point());
    let moved = projector.project(kernel, out.t, &mut out.x, &mut out.eta).unwrap();
    let left = projector.residuals(kernel, out.point());
    (out, moved, left)
}

proptest! {
    #![proptest_config(same_cases(64, 20260))]

    #[test]
    fn idempotent_and_on_the_constraints(bumps in prop::collection::vec(-1e-2..1e-2_f64, 7)) {
        let kernel = four_bar(2, |_| 1.0, |i| i as f64, 9.81);
        let (once, moved, left) = project(&kernel, &bumped(2, &bumps));
        prop_assert!(moved && left.position < 2e-15 && left.velocity < 2e-15, "{:?}", left);
        let (twice, ..) = project(&kernel, &once);
        for (a, b) in once.x.iter().chain(&once.eta).zip(twice.x.iter().chain(&twice.eta)) {
            prop_assert!((a - b).abs() < 1e-14);
        }
    }

    #[test]
    fn the_scale_of_rows_does_not_matter(bumps in prop::collection::vec(-1e-2..1e-2_f64, 7), scale in prop::collection::vec(-6.0..6.0_f64, 5)) {
        let kernel = four_bar(2, |_| 1.0, |_| 1.0, 9.81);
        let mut scaled = four_bar(2, |_| 1.0, |_| 1.0, 9.81);
        scaled.rows = kernel.rows.iter().zip(&scale).map(|(row, s)| row.clone().scaled(10.0_f64.powf(*s))).collect();
        let (a, b) = (project(&kernel, &bumped(2, &bumps)).0, project(&scaled, &bumped(2, &bumps)).0);
        for (a, b) in a.x.iter().chain(&a.eta).zip(b.x.iter().chain(&b.eta)) {
            prop_assert!((a - b).abs() < 1e-9);
        }
    }

    #[test]
    fn small_moves_are_shortest_in_the_metric_of_mass(bumps in prop::collection::vec(-1e-5..1e-5_f64, 7)) {
        let kernel = four_bar(2, |i| 1.0 + i as f64, |_| 1.0, 9.81);
        let from = bumped(2, &bumps);
        let (to, ..) = project(&kernel, &from);
        // M (to - from) lies in the range of A^T: with r1 = M v and A z = 0 the tangent part z vanishes.
        let v: Vec<f64> = to.x.iter().zip(&from.x).map(|(a, b)| a - b).collect();
        let mut terms = Terms::new(&kernel.shape());
        kernel.terms(to.point(), &mut [], &mut terms);
        terms.Q = (0..6).map(|i| (0..6).map(|j| kernel.M[i * 6 + j] * v[j]).sum()).collect();
        terms.b.fill(0.0);
        let mut accelerator = Accelerator::with_shape(kernel.shape(), 0);
        accelerator.solve_terms(0.0, &[], &terms, |_, _| {}).unwrap();
        for z in &accelerator.solution().eta_dot {
            prop_assert!(z.abs() < 1e-8, "{}", z);
        }
    }
}

#[test]
fn redundant_rows_and_failure() {
    let mut kernel = four_bar(1, |_| 1.0, |_| 1.0, 9.81);
    kernel.rows.push(kernel.rows[0].clone().scaled(3.0));
    kernel.levels.push(Level::Position);
    let (_, _, left) = project(&kernel, &bumped(1, &[1e-3, -2e-3, 5e-4]));
    assert!(left.position < 2e-15 && left.velocity < 2e-15, "{left:?}");

    // Contradicting rows: |B0| = 1 and |B0| = 2.
    kernel.rows.push(Row2::distance(P2::At(0), P2::Fixed([0.0, 0.0]), 2.0));
    kernel.levels.push(Level::Position);
    let s = bumped(1, &[0.0]);
    let (mut x, mut eta) = (s.x.clone(), s.eta.clone());
    let error = Projector::new(&kernel).project(&kernel, 0.0, &mut x, &mut eta).unwrap_err();
    assert!(error.residual > 1e-2, "{error:?}");
    // Not a number: an error, no panic.
    x[0] = f64::NAN;
    assert!(Projector::new(&kernel).project(&kernel, 0.0, &mut x, &mut eta).is_err());
}
