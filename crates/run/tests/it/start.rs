//! Starting values.

use crate::kernels::*;
use dalembert_run::*;

fn circle() -> Quadratic {
    let row = Row2::distance(P2::At(0), P2::Fixed([0.0, 0.0]), 1.0);
    Quadratic {
        n: 2,
        M: vec![1.0, 0.0, 0.0, 1.0],
        Q: vec![0.0; 2],
        rows: vec![row],
        levels: vec![Level::Position],
    }
}

fn guess(x: &[f64], eta: &[f64]) -> StartGuess {
    StartGuess { state: State::new(0.0, x, eta), ..StartGuess::default() }
}

#[test]
fn nearest_point_and_nearest_speed() {
    let out = find_start(&circle(), &guess(&[1.5, 2.0], &[1.0, 0.0])).unwrap();
    assert!((out.state.x[0] - 0.6).abs() < 1e-14 && (out.state.x[1] - 0.8).abs() < 1e-14, "{out:?}");
    assert!((out.state.eta[0] - 0.64).abs() < 1e-14 && (out.state.eta[1] + 0.48).abs() < 1e-14);
    assert!((out.moved - 1.5).abs() < 1e-13 && out.rank == 1);
    assert!(out.residuals.0 < 1e-15 && out.residuals.1 < 1e-15);
}

#[test]
fn a_start_on_the_constraints_is_left_alone() {
    let s = four_bar_state(2, 0.0, 0.4, 1.0);
    let out = find_start(&four_bar(2, |_| 1.0, |_| 1.0, 9.81), &guess(&s.x, &s.eta)).unwrap();
    assert!(out.moved < 1e-15 && out.rank == 5);
    assert!(out.state.eta.iter().zip(&s.eta).all(|(a, b)| (a - b).abs() < 1e-14));
}

#[test]
fn a_point_of_symmetry_is_left() {
    // The centre of the circle: the gradient vanishes, the residual does not.
    let out = find_start(&circle(), &guess(&[0.0, 0.0], &[0.0, 0.0])).unwrap();
    assert!((out.state.x[0].hypot(out.state.x[1]) - 1.0).abs() < 1e-14);
    assert_eq!(out, find_start(&circle(), &guess(&[0.0, 0.0], &[0.0, 0.0])).unwrap(), "the same every time");
}

#[test]
fn given_entries_stay_and_contradictions_are_named() {
    let mut g = guess(&[0.6, 0.1], &[0.0, 0.0]);
    g.x_fixed = vec![true, false];
    g.conditions = vec![VelocityCondition { row: vec![-0.8, 0.6], right: 2.0 }];
    let out = find_start(&circle(), &g).unwrap();
    assert_eq!(out.state.x[0], 0.6);
    assert!((out.state.x[1] - 0.8).abs() < 1e-15);
    assert!((out.state.eta[0] + 1.6).abs() < 1e-14 && (out.state.eta[1] - 1.2).abs() < 1e-14, "{out:?}");

    g.x_fixed = vec![true, true];
    assert!(
        matches!(find_start(&circle(), &g), Err(StartError::Position { row: 0, residual, .. }) if residual > 0.1)
    );
    g.x_fixed = vec![true, false];
    g.eta_fixed = vec![true, true];
    assert!(matches!(find_start(&circle(), &g), Err(StartError::Condition { index: 0, .. })));
    g.conditions.clear();
    g.state.eta = vec![1.0, 1.0];
    assert!(matches!(find_start(&circle(), &g), Err(StartError::Velocity { row: 0, .. })));
    g.state.x[0] = 2.0;
    assert!(
        matches!(find_start(&circle(), &g), Err(StartError::Position { row: 0, .. })),
        "no point with x = 2"
    );
}

/// A contradiction is one whatever the unit of length, and whatever else is large.
#[test]
fn small_lengths_and_large_neighbours_hide_no_contradiction() {
    for l in [1e-10, 1e-9, 1e-6, 1.0, 1e6, 1e12] {
        let mut kernel = circle();
        kernel.rows = vec![Row2::distance(P2::At(0), P2::Fixed([0.0, 0.0]), l)];
        let mut g = guess(&[0.95 * l, 0.0], &[0.0, 0.0]);
        g.x_fixed = vec![true, true];
        assert!(matches!(find_start(&kernel, &g), Err(StartError::Position { row: 0, .. })), "l = {l}");
        g.state.x[0] = l;
        assert!(find_start(&kernel, &g).is_ok(), "l = {l}");
        // What may move is put where it belongs.
        g = guess(&[0.9 * l, 0.1 * l], &[0.0, 0.0]);
        let x = find_start(&kernel, &g).unwrap().state.x;
        assert!((x[0].hypot(x[1]) / l - 1.0).abs() < 1e-5, "l = {l}: {x:?}");
    }
}

#[test]
fn nonsense_is_an_error() {
    assert!(matches!(
        find_start(&circle(), &guess(&[f64::NAN, 0.0], &[0.0, 0.0])),
        Err(StartError::NotFinite { row: None })
    ));
    assert!(matches!(
        find_start(&circle(), &guess(&[0.0], &[0.0, 0.0])),
        Err(StartError::BadArguments { .. })
    ));
}

#[test]
fn far_guesses_of_a_mechanism() {
    let kernel = four_bar(2, |_| 1.0, |_| 1.0, 9.81);
    let mut s = four_bar_state(2, 0.0, 0.4, 1.0);
    s.x.iter_mut().enumerate().for_each(|(i, x)| *x += 0.3 * ((i * 7 % 5) as f64 - 2.0) / 2.0);
    let out = find_start(&kernel, &guess(&s.x, &s.eta)).unwrap();
    assert!(out.residuals.0 < 1e-14 && out.residuals.1 < 1e-14, "{out:?}");
    // Nearest: the way from the guess is normal to the constraints, so its tangent part vanishes.
    let mut terms = Terms::new(&kernel.shape());
    kernel.terms(out.state.point(), &mut [], &mut terms);
    terms.M.fill(0.0);
    (0..6).for_each(|i| terms.M[i * 7] = 1.0);
    terms.Q = out.state.x.iter().zip(&s.x).map(|(a, b)| a - b).collect();
    terms.b.fill(0.0);
    let mut accelerator = Accelerator::with_shape(kernel.shape(), 0);
    accelerator.solve_terms(0.0, &[], &terms, |_, _| {}).unwrap();
    assert!(
        accelerator.solution().eta_dot.iter().all(|z| z.abs() < 1e-7),
        "{:?}",
        accelerator.solution().eta_dot
    );
}

#[test]
fn invariants_are_kept() {
    /// A quaternion with one scalar row: its third component is zero.
    struct Turned;
    impl Dynamics for Turned {
        fn shape(&self) -> Shape {
            Shape { n_x: 4, n_eta: 3, n_con: 1, n_invariant: 1, ..Shape::default() }
        }
        fn levels(&self) -> &[Level] {
            &[Level::Position]
        }
        fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
            let q = at.x;
            out.x_dot.fill(0.0);
            out.M.copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
            out.Q.fill(0.0);
            out.A.copy_from_slice(&[0.5 * q[3], 0.5 * q[0], -0.5 * q[1]]);
            out.b[0] = 0.0;
        }
        fn residuals(&self, at: Point, _: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
            let (q, w) = (at.x, at.eta);
            phi[0] = q[2];
            psi[0] = 0.5 * (q[3] * w[0] + q[0] * w[1] - q[1] * w[2]);
        }
        fn position_gradient(&self, _: f64, _: &[f64], _: &mut [f64], out: &mut [f64]) {
            out.copy_from_slice(&[0.0, 0.0, 1.0, 0.0]);
        }
        fn invariants(&self, q: &[f64], _: &mut [f64], value: &mut [f64], gradient: &mut [f64]) {
            value[0] = q.iter().map(|v| v * v).sum();
            (0..4).for_each(|i| gradient[i] = 2.0 * q[i]);
        }
    }
    let out = find_start(&Turned, &guess(&[0.5, 0.5, 0.5, 0.5], &[0.0, 1.0, 0.0])).unwrap();
    let third = 1.0 / 3.0_f64.sqrt();
    for (q, want) in out.state.x.iter().zip([third, third, 0.0, third]) {
        assert!((q - want).abs() < 1e-14, "{:?}", out.state);
    }
}

#[test]
fn a_row_may_say_what_an_invariant_is() {
    /// A free rigid body whose quaternion is asked to have norm 1, with the kinematics that conserve the norm.
    struct Unit;
    fn frame(q: &[f64], X: &mut [f64]) {
        let half = [[-q[1], -q[2], -q[3]], [q[0], -q[3], q[2]], [q[3], q[0], -q[1]], [-q[2], q[1], q[0]]];
        half.iter().flatten().zip(X).for_each(|(v, out)| *out = 0.5 * v);
    }
    impl Dynamics for Unit {
        fn shape(&self) -> Shape {
            Shape { n_x: 4, n_eta: 3, n_con: 1, n_invariant: 1, ..Shape::default() }
        }
        fn levels(&self) -> &[Level] {
            &[Level::Position]
        }
        fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
            let (mut X, w) = ([0.0; 12], at.eta);
            frame(at.x, &mut X);
            (0..4).for_each(|i| out.x_dot[i] = (0..3).map(|j| X[3 * i + j] * w[j]).sum());
            out.M.copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0]);
            out.Q.copy_from_slice(&[-w[1] * w[2], 2.0 * w[2] * w[0], -w[0] * w[1]]);
            out.A.fill(0.0);
            out.b[0] = 0.0;
        }
        fn residuals(&self, at: Point, _: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
            phi[0] = at.x.iter().map(|v| v * v).sum::<f64>() - 1.0;
            psi[0] = 0.0;
        }
        fn position_gradient(&self, _: f64, q: &[f64], _: &mut [f64], out: &mut [f64]) {
            (0..4).for_each(|i| out[i] = 2.0 * q[i]);
        }
        fn frame(&self, _: f64, q: &[f64], _: &mut [f64], X: &mut [f64]) {
            frame(q, X);
        }
        fn invariants(&self, q: &[f64], _: &mut [f64], value: &mut [f64], gradient: &mut [f64]) {
            value[0] = q.iter().map(|v| v * v).sum();
            (0..4).for_each(|i| gradient[i] = 2.0 * q[i]);
        }
    }
    let mut g = guess(&[1.0, 0.3, 0.0, 0.0], &[0.1, 1.0, -0.2]);
    g.x_fixed = vec![false, true, true, true];
    let out = find_start(&Unit, &g).unwrap();
    assert_eq!(out.state.x[1..], [0.3, 0.0, 0.0]);
    assert!((out.state.x[0] - 0.91_f64.sqrt()).abs() < 1e-15, "{:?}", out.state);

    // The motion keeps the norm that was found.
    let options = Options { output: Output::Every(0.5), ..Options::default() };
    let mut off = 0.0_f64;
    let end = integrate(&Unit, &out.state, 10.0, &options, &mut |row: Row| {
        off = off.max((row.x.iter().map(|v| v * v).sum::<f64>() - 1.0).abs());
    });
    assert!(end.stop == Stop::EndTime && off < 1e-14, "{off:e} {end:?}");

    // Beyond the range of numbers.
    g.state.x[0] = 1e308;
    assert!(matches!(find_start(&Unit, &g), Err(StartError::NotFinite { .. })));
    g.state.x[0] = 1.0;

    // Nothing fits: the row is named, not the invariant.
    g.x_fixed = vec![true; 4];
    assert!(matches!(find_start(&Unit, &g), Err(StartError::Position { row: 0, .. })));
}
