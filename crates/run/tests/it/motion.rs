//! Motions: drift, events, failures, stiff systems, quaternions, options.

use crate::kernels::*;
use dalembert_run::*;

/// Chain of unit masses on unit rods in Cartesian coordinates (y upward), hung at the origin.
fn chain(count: usize) -> Quadratic {
    let n = 2 * count;
    let mut M = vec![0.0; n * n];
    (0..n).for_each(|i| M[i * n + i] = 1.0);
    let Q = (0..n).map(|i| if i % 2 == 1 { -9.81 } else { 0.0 }).collect();
    let rows: Vec<Row2> = (0..count)
        .map(|i| {
            Row2::distance(P2::At(2 * i), if i == 0 { P2::Fixed([0.0, 0.0]) } else { P2::At(2 * i - 2) }, 1.0)
        })
        .collect();
    let levels = vec![Level::Position; rows.len()];
    Quadratic { n, M, Q, rows, levels }
}

fn chain_start(angles: &[f64]) -> State {
    let (mut x, mut at) = (Vec::new(), (0.0, 0.0));
    for a in angles {
        at = (at.0 + a.sin(), at.1 - a.cos());
        x.extend([at.0, at.1]);
    }
    State::new(0.0, &x, &vec![0.0; x.len()])
}

fn energy(x: &[f64], v: &[f64]) -> f64 {
    0.5 * v.iter().map(|v| v * v).sum::<f64>() + 9.81 * x.iter().skip(1).step_by(2).sum::<f64>()
}

fn no_rows(_: Row) {}

#[test]
fn double_pendulum_does_not_drift_in_100_seconds() {
    let start = chain_start(&[1.5, 1.5]);
    for method in [Method::Dop853, Method::Tsit5] {
        let (mut drift, mut off) = (0.0_f64, 0.0_f64);
        let before = energy(&start.x, &start.eta);
        let options = Options { method, output: Output::Every(0.1), ..Options::default() };
        let out = integrate(&chain(2), &start, 100.0, &options, &mut |row: Row| {
            let (x, v) = (row.x, row.eta);
            drift =
                drift.max((x[0].hypot(x[1]) - 1.0).abs()).max(((x[2] - x[0]).hypot(x[3] - x[1]) - 1.0).abs());
            drift = drift.max((x[0] * v[0] + x[1] * v[1]).abs());
            off = off.max((energy(x, v) - before).abs());
        });
        println!(
            "{method}: drift {drift:e}, energy {off:e}, {:?}, {:e} {:e}",
            out.counters, out.largest_position_residual, out.largest_velocity_residual
        );
        assert_eq!(out.stop, Stop::EndTime);
        assert!(drift < 1e-13, "{drift:e}");
        assert!(off < 1e-6, "{off:e}");
        assert!(out.largest_position_residual < 1e-14 && out.largest_velocity_residual < 1e-14);
    }
}

#[test]
fn mild_double_pendulum_matches_its_reference() {
    // Two roads to the same place: the same motion in angles, by classical steps.
    let out = integrate(&chain(2), &chain_start(&[0.5, 0.3]), 5.0, &Options::default(), &mut no_rows);
    let f = |y: [f64; 4]| {
        let (d, g) = (y[0] - y[1], 9.81);
        let (s, c) = d.sin_cos();
        // 2 a1 + c a2 = -s w2^2 - 2 g sin1 ; c a1 + a2 = s w1^2 - g sin2
        let (r1, r2) = (-s * y[3] * y[3] - 2.0 * g * y[0].sin(), s * y[2] * y[2] - g * y[1].sin());
        let det = 2.0 - c * c;
        [y[2], y[3], (r1 - c * r2) / det, (2.0 * r2 - c * r1) / det]
    };
    let (mut y, h) = ([0.5, 0.3, 0.0, 0.0], 1e-4);
    for _ in 0..50_000 {
        let add = |y: [f64; 4], k: [f64; 4], s: f64| std::array::from_fn(|i| y[i] + s * k[i]);
        let k1 = f(y);
        let k2 = f(add(y, k1, h / 2.0));
        let k3 = f(add(y, k2, h / 2.0));
        let k4 = f(add(y, k3, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    let want = chain_start(&[y[0], y[1]]);
    let error = out.state.x.iter().zip(&want.x).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!("error {error:e} {:?}", out.counters);
    assert!(error < 1e-8, "{error:e}");
}

#[test]
fn pendulum_of_the_benchmark_library() {
    // B1: x(10), y(10) in closed form.
    for method in Method::ALL.into_iter().filter(|m| !m.is_variational()) {
        let options = Options { method, fixed_step: Some(1e-3), output: Output::Ends, ..Options::default() };
        let out =
            integrate(&chain(1), &State::new(0.0, &[-1.0, 0.0], &[0.0, 0.0]), 10.0, &options, &mut no_rows);
        let error =
            (out.state.x[0] + 0.275087462576117).abs().max((out.state.x[1] + 0.961419205099125).abs());
        println!("{method}: {error:e} {:?}", out.counters);
        assert!(error < 1e-6, "{method} {error:e}");
    }
}

#[test]
fn runs_as_short_as_numbers_allow_reach_their_end() {
    // Products of such times vanish.
    let start = chain_start(&[1.5]);
    for end in [1e-300, -1e-300, 1e-200] {
        for method in [Method::Dop853, Method::Tsit5, Method::Radau, Method::Rk4] {
            let output = Output::Every(f64::abs(end) / 4.0);
            let options = Options { method, output, ..Options::default() };
            let mut rows = Vec::new();
            let out = integrate(&chain(1), &start, end, &options, &mut |row: Row| rows.push(row.t));
            assert_eq!(out.stop, Stop::EndTime, "{method} {end:e}");
            assert_eq!(out.state.t, end, "{method}");
            assert_eq!(rows.len(), 5, "{method} {end:e}: {rows:?}");
        }
    }
}

#[test]
fn backwards_in_time_returns_to_the_start() {
    let start = chain_start(&[1.0, 0.4]);
    let there = integrate(&chain(2), &start, 3.0, &Options::default(), &mut no_rows);
    let mut times = Vec::new();
    let options = Options { output: Output::Every(1.0), ..Options::default() };
    let back = integrate(&chain(2), &there.state, 0.0, &options, &mut |row: Row| times.push(row.t));
    assert_eq!(times, [3.0, 2.0, 1.0, 0.0]);
    for (a, b) in back.state.x.iter().zip(&start.x) {
        assert!((a - b).abs() < 1e-8);
    }
}

/// A free particle under gravity with event functions y, x - 1, and the acceleration's sign.
struct Thrown;

impl Dynamics for Thrown {
    fn shape(&self) -> Shape {
        Shape { n_x: 2, n_eta: 2, n_event: 2, identity_frame: true, ..Shape::default() }
    }
    fn levels(&self) -> &[Level] {
        &[]
    }
    fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
        out.x_dot.copy_from_slice(at.eta);
        out.M.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        out.Q.copy_from_slice(&[0.0, -10.0]);
    }
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { events: Some(self), ..Capabilities::default() }
    }
}

impl Events for Thrown {
    fn events(&self, at: Point, solution: &Solution, _: &mut [f64], g: &mut [f64]) {
        assert!((solution.eta_dot[1] + 10.0).abs() < 1e-12);
        g.copy_from_slice(&[at.x[1], at.x[0] - 1.0]);
    }
}

#[test]
fn events_are_located_and_stop() {
    let rules = vec![
        EventRule { crossing: Crossing::Falling, stop: true },
        EventRule { crossing: Crossing::Both, stop: false },
    ];
    for method in Method::ALL.into_iter().filter(|m| !m.is_variational()) {
        let options = Options {
            method,
            events: rules.clone(),
            output: Output::Every(0.4),
            fixed_step: Some(0.01),
            ..Options::default()
        };
        let mut rows = Vec::new();
        // Starts at y = 0: that is not an event. Lands at t = 1; passes x = 1 at t = 0.5.
        let start = State::new(0.0, &[0.0, 0.0], &[2.0, 5.0]);
        let out = integrate(&Thrown, &start, 10.0, &options, &mut |row: Row| {
            rows.push((row.t, row.event.map(|e| e.index)))
        });
        let Stop::Event(hit) = out.stop else { panic!("{method} {out:?}") };
        assert!(hit.index == 0 && !hit.rising && (hit.t - 1.0).abs() < 1e-13, "{method} {hit:?}");
        assert_eq!(rows.len(), 5, "{method} {rows:?}");
        assert!(rows[2].1 == Some(1) && (rows[2].0 - 0.5).abs() < 1e-13, "{method} {rows:?}");
        assert!((out.state.x[1]).abs() < 1e-12 && (out.state.t - 1.0).abs() < 1e-13);
    }
}

/// A unit force that is not a number from t = 1 on; with two rows, these disagree from t = 0.5 on.
struct Blows {
    rows: usize,
}

impl Dynamics for Blows {
    fn shape(&self) -> Shape {
        Shape { n_x: 1, n_eta: 1, n_con: self.rows, identity_frame: true, ..Shape::default() }
    }
    fn levels(&self) -> &[Level] {
        &[Level::Acceleration; 2][..self.rows]
    }
    fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
        out.x_dot.copy_from_slice(at.eta);
        out.M[0] = 1.0;
        out.Q[0] = if at.t < 1.0 { 1.0 } else { f64::NAN };
        if self.rows == 2 {
            // Rows that agree until t = 0.5.
            out.A.copy_from_slice(&[1.0, 2.0]);
            out.b.copy_from_slice(&[1.0, if at.t < 0.5 { 2.0 } else { 2.5 }]);
        }
    }
}

#[test]
fn a_failure_keeps_what_was_computed() {
    for method in Method::ALL.into_iter().filter(|m| !m.is_variational()) {
        let mut rows = Vec::new();
        let options =
            Options { method, output: Output::Every(0.25), fixed_step: Some(0.01), ..Options::default() };
        let out = integrate(
            &Blows { rows: 0 },
            &State::new(0.0, &[0.0], &[0.0]),
            2.0,
            &options,
            &mut |row: Row| rows.push(row.t),
        );
        let Stop::Failed(Failure::Acceleration(AccelerationError::NotFinite {
            term: Term::Force,
            index: 0,
            ..
        })) = out.stop
        else {
            panic!("{method}: {out:?}")
        };
        assert!(out.state.t > 0.9 && out.state.t < 1.0, "{method} {}", out.state.t);
        assert!(rows.len() >= 4 && rows.starts_with(&[0.0, 0.25, 0.5, 0.75]), "{method} {rows:?}");
    }
    let out = integrate(
        &Blows { rows: 2 },
        &State::new(0.0, &[0.0], &[0.0]),
        2.0,
        &Options::default(),
        &mut no_rows,
    );
    assert!(
        matches!(out.stop, Stop::Failed(Failure::Acceleration(AccelerationError::Inconsistent { .. }))),
        "{out:?}"
    );
    assert!(out.state.t <= 0.6);
}

#[test]
fn budget_cancel_and_bad_arguments() {
    let start = chain_start(&[1.0]);
    let options = Options { max_steps: 5, ..Options::default() };
    let out = integrate(&chain(1), &start, 10.0, &options, &mut no_rows);
    assert!(matches!(out.stop, Stop::Failed(Failure::TooManySteps { steps: 5, .. })) && out.state.t > 0.0);

    struct Three(usize);
    impl Observer for Three {
        fn row(&mut self, _: Row) {}
        fn progress(&mut self, progress: &Progress) -> Flow {
            self.0 = progress.counters.steps;
            if self.0 == 3 { Flow::Cancel } else { Flow::Continue }
        }
    }
    let out = integrate(&chain(1), &start, 10.0, &Options::default(), &mut Three(0));
    assert!(out.stop == Stop::Cancelled && out.counters.steps == 3);

    let bad = |options: &Options, start: &State, t: f64| {
        let out = integrate(&chain(1), start, t, options, &mut no_rows);
        assert!(matches!(out.stop, Stop::Failed(_)), "{out:?}");
    };
    bad(&Options { rtol: f64::NAN, ..Options::default() }, &start, 1.0);
    bad(&Options::default(), &State::new(0.0, &[1.0], &[]), 1.0);
    bad(&Options::default(), &start, f64::INFINITY);
    bad(&Options::default(), &State::new(0.0, &[f64::NAN, 0.0], &[0.0, 0.0]), 1.0);
    let out = integrate(&chain(1), &start, 0.0, &Options::default(), &mut no_rows);
    assert_eq!(out.stop, Stop::EndTime);
}

#[test]
fn output_times() {
    let start = chain_start(&[1.0]);
    let times = |output: Output| {
        let mut times = Vec::new();
        let options = Options { output, ..Options::default() };
        let out = integrate(&chain(1), &start, 1.0, &options, &mut |row: Row| times.push(row.t));
        assert_eq!(out.stop, Stop::EndTime);
        assert!(out.largest_position_residual < 1e-15 && out.largest_velocity_residual < 1e-15);
        assert!(times.windows(2).all(|w| w[0] < w[1]), "{times:?}");
        times
    };
    assert_eq!(times(Output::Ends), [0.0, 1.0]);
    assert_eq!(times(Output::Every(0.5)), [0.0, 0.5, 1.0]);
    assert_eq!(times(Output::Every(0.4)), [0.0, 0.4, 0.8, 1.0]);
    assert_eq!(times(Output::Times(vec![0.7, 0.3, -1.0, 5.0])), [0.0, 0.3, 0.7, 1.0]);
    let steps = times(Output::Steps).len();
    assert_eq!(times(Output::StepsAndEvery(0.5)).len(), steps + 1);
}

/// A mass on a very stiff spring along a pendulum's rod: r'' fast, angle slow.
struct StiffSpring {
    k: f64,
    c: f64,
}

impl Dynamics for StiffSpring {
    fn shape(&self) -> Shape {
        Shape { n_x: 2, n_eta: 2, identity_frame: true, ..Shape::default() }
    }
    fn levels(&self) -> &[Level] {
        &[]
    }
    fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
        let (x, v) = (at.x, at.eta);
        let r = x[0].hypot(x[1]);
        let rate = (x[0] * v[0] + x[1] * v[1]) / r;
        let pull = self.k * (r - 1.0) + self.c * rate;
        out.x_dot.copy_from_slice(v);
        out.M.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        out.Q.copy_from_slice(&[-pull * x[0] / r, -9.81 - pull * x[1] / r]);
    }
}

#[test]
fn stiff_spring_with_radau() {
    let kernel = StiffSpring { k: 1e6, c: 1e5 };
    let start = State::new(0.0, &[1.0, 0.0], &[0.0, 0.0]);
    let run = |method| {
        let options = Options { method, rtol: 1e-7, atol: 1e-9, output: Output::Ends, ..Options::default() };
        integrate(&kernel, &start, 1.0, &options, &mut no_rows)
    };
    let (radau, dop853) = (run(Method::Radau), run(Method::Dop853));
    println!("radau {:?}\ndop853 {:?}", radau.counters, dop853.counters);
    assert_eq!((&radau.stop, &dop853.stop), (&Stop::EndTime, &Stop::EndTime));
    for (a, b) in radau.state.x.iter().zip(&dop853.state.x) {
        assert!((a - b).abs() < 1e-5, "{:?} {:?}", radau.state, dop853.state);
    }
    assert!(20 * radau.counters.steps < dop853.counters.steps);
}

#[test]
fn exact_jacobian_is_that_of_differences() {
    // The same motion with and without derivatives from the kernel: the same steps up to a few.
    struct Without(Quadratic);
    impl Dynamics for Without {
        fn shape(&self) -> Shape {
            self.0.shape()
        }
        fn levels(&self) -> &[Level] {
            self.0.levels()
        }
        fn terms(&self, at: Point, scratch: &mut [f64], out: &mut Terms) {
            self.0.terms(at, scratch, out);
        }
        fn residuals(&self, at: Point, scratch: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
            self.0.residuals(at, scratch, phi, psi);
        }
    }
    let start = chain_start(&[1.0, 0.4]);
    let options =
        Options { method: Method::Radau, rtol: 1e-7, atol: 1e-9, output: Output::Ends, ..Options::default() };
    let with = integrate(&chain(2), &start, 3.0, &options, &mut no_rows);
    let without = integrate(&Without(chain(2)), &start, 3.0, &options, &mut no_rows);
    println!("{:?}\n{:?}", with.counters, without.counters);
    assert!(
        with.counters.steps.abs_diff(without.counters.steps) < 5
            && with.counters.evaluations < without.counters.evaluations
    );
    for (a, b) in with.state.x.iter().zip(&without.state.x) {
        assert!((a - b).abs() < 1e-6);
    }
}

/// Free rigid body: x is a quaternion, eta the body rates; Euler's equations.
struct RigidBody;
const INERTIA: [f64; 3] = [1.0, 2.0, 3.5];

impl Dynamics for RigidBody {
    fn shape(&self) -> Shape {
        Shape { n_x: 4, n_eta: 3, n_invariant: 1, ..Shape::default() }
    }
    fn levels(&self) -> &[Level] {
        &[]
    }
    fn terms(&self, at: Point, scratch: &mut [f64], out: &mut Terms) {
        let (w, mut X) = (at.eta, [0.0; 12]);
        self.frame(at.t, at.x, scratch, &mut X);
        (0..4).for_each(|i| out.x_dot[i] = (0..3).map(|p| X[i * 3 + p] * w[p]).sum());
        out.M.fill(0.0);
        for i in 0..3 {
            out.M[i * 4] = INERTIA[i];
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            out.Q[i] = (INERTIA[j] - INERTIA[k]) * w[j] * w[k];
        }
    }
    fn frame(&self, _: f64, q: &[f64], _: &mut [f64], X: &mut [f64]) {
        let h = [-q[1], -q[2], -q[3], q[0], -q[3], q[2], q[3], q[0], -q[1], -q[2], q[1], q[0]];
        (0..12).for_each(|i| X[i] = 0.5 * h[i]);
    }
    fn invariants(&self, q: &[f64], _: &mut [f64], value: &mut [f64], gradient: &mut [f64]) {
        value[0] = q.iter().map(|v| v * v).sum();
        (0..4).for_each(|i| gradient[i] = 2.0 * q[i]);
    }
}

#[test]
fn quaternion_keeps_its_length_to_rounding() {
    let w0 = [0.1, 2.0, 0.05];
    for method in [Method::Dop853, Method::Tsit5, Method::Radau] {
        let rtol = if method == Method::Radau { 1e-7 } else { 1e-10 };
        let options = Options { method, rtol, output: Output::Every(0.1), ..Options::default() };
        let (mut off, mut spin) = (0.0_f64, 0.0_f64);
        let momentum = |w: &[f64]| (0..3).map(|i| (INERTIA[i] * w[i]).powi(2)).sum::<f64>().sqrt();
        let out = integrate(
            &RigidBody,
            &State::new(0.0, &[1.0, 0.0, 0.0, 0.0], &w0),
            50.0,
            &options,
            &mut |row: Row| {
                off = off.max((row.x.iter().map(|v| v * v).sum::<f64>() - 1.0).abs());
                spin = spin.max((momentum(row.eta) - momentum(&w0)).abs());
            },
        );
        println!("{method}: length {off:e} momentum {spin:e} {:?}", out.counters);
        assert!(out.stop == Stop::EndTime && off < 1e-15, "{off:e}");
        assert!(spin < 1e3 * rtol, "{spin:e}");
    }
}

#[test]
fn baumgarte_in_place_of_projection() {
    let start = chain_start(&[1.0, 0.5]);
    let drift = |baumgarte| {
        let options = Options {
            method: Method::Rk4,
            fixed_step: Some(5e-3),
            projection: false,
            baumgarte,
            ..Options::default()
        };
        integrate(&chain(2), &start, 10.0, &options, &mut no_rows).largest_position_residual
    };
    let (free, held) = (drift(None), drift(Some(Baumgarte { alpha: 20.0, beta: 20.0 })));
    println!("{free:e} {held:e}");
    assert!(held < 0.05 * free && free > 1e-9, "{free:e} {held:e}");
}

#[test]
fn massless_joint() {
    // The joint of a bent double pendulum has no mass: no force can act on it, so both rods carry none and the end
    // falls freely while the joint follows (U9).
    let mut kernel = chain(2);
    (kernel.M[0], kernel.M[5], kernel.Q[1]) = (0.0, 0.0, 0.0);
    let start = chain_start(&[0.5, 1.2]);
    let out = integrate(&kernel, &start, 0.1, &Options::default(), &mut no_rows);
    assert_eq!(out.stop, Stop::EndTime);
    assert!((out.state.x[2] - start.x[2]).abs() < 1e-12, "{out:?}");
    assert!((out.state.x[3] - start.x[3] + 0.5 * 9.81 * 0.01).abs() < 1e-12);
    assert!(out.largest_position_residual < 1e-15);
    // Straight, nothing determines how the joint moves across.
    let out = integrate(&kernel, &chain_start(&[0.0, 0.0]), 0.2, &Options::default(), &mut no_rows);
    let Stop::Failed(Failure::Acceleration(AccelerationError::MassSingular { speed: 0, .. })) = out.stop
    else {
        panic!("{out:?}")
    };
}

#[test]
fn nothing_to_move() {
    struct Nothing;
    impl Dynamics for Nothing {
        fn shape(&self) -> Shape {
            Shape { identity_frame: true, ..Shape::default() }
        }
        fn levels(&self) -> &[Level] {
            &[]
        }
        fn terms(&self, _: Point, _: &mut [f64], _: &mut Terms) {}
    }
    for method in Method::ALL.into_iter().filter(|m| !m.is_variational()) {
        let options = Options { method, ..Options::default() };
        let out = integrate(&Nothing, &State::default(), 1.0, &options, &mut no_rows);
        assert_eq!((out.stop, out.state.t), (Stop::EndTime, 1.0));
    }
    assert!(find_start(&Nothing, &StartGuess::default()).is_ok());
}

#[test]
fn the_same_motion_twice_has_the_same_digits() {
    let run = || integrate(&chain(3), &chain_start(&[1.0, 2.0, 0.3]), 5.0, &Options::default(), &mut no_rows);
    assert_eq!(run(), run());
}

/// Oscillators that are coupled and driven, by the terms or by a program of their own; the program gives up beyond a time.
struct Oscillators {
    n: usize,
    fused_until: Option<f64>,
}

impl Oscillators {
    fn force(&self, t: f64, x: &[f64], i: usize) -> f64 {
        t.sin() - (1.0 + i as f64) * x[i] + 0.1 * x[(i + 1) % self.n] * x[i]
    }
}

impl Dynamics for Oscillators {
    fn shape(&self) -> Shape {
        Shape { n_x: self.n, n_eta: self.n, n_event: 1, identity_frame: true, ..Shape::default() }
    }
    fn levels(&self) -> &[Level] {
        &[]
    }
    fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
        out.x_dot.copy_from_slice(at.eta);
        out.M.fill(0.0);
        for i in 0..self.n {
            out.M[i * self.n + i] = 1.0;
            out.Q[i] = self.force(at.t, at.x, i);
        }
    }
    fn capabilities(&self) -> Capabilities<'_> {
        let fused = self.fused_until.map(|_| self as &dyn Fused);
        Capabilities { fused, events: Some(self), ..Capabilities::default() }
    }
}

impl Fused for Oscillators {
    fn rows(&self) -> &[usize] {
        &[]
    }
    fn workspace(&self) -> Vec<f64> {
        vec![0.0; 1 + 2 * self.n]
    }
    fn refresh(&self, _: &mut [f64]) {}
    fn results(&self) -> Vec<f64> {
        vec![0.0; 2 * self.n + 1]
    }
    fn accelerate_in_place(&self, workspace: &mut [f64], out: &mut [f64]) -> bool {
        self.accelerate_unchecked(workspace, out) && out[..2 * self.n].iter().all(|v| v.is_finite())
    }
    /// Where it gives up there is one number that is not finite: a method that asked for no check has to see it.
    fn accelerate_unchecked(&self, workspace: &mut [f64], out: &mut [f64]) -> bool {
        let (t, n) = (workspace[0], self.n);
        let (x, eta) = workspace[1..].split_at(n);
        out[..n].copy_from_slice(eta);
        (0..n).for_each(|i| out[n + i] = self.force(t, x, i));
        if self.fused_until.is_none_or(|end| t > end) {
            out[n] = f64::INFINITY;
        }
        true
    }
}

impl Events for Oscillators {
    fn events(&self, at: Point, _: &Solution, _: &mut [f64], g: &mut [f64]) {
        g[0] = at.x[0];
    }
}

/// A plain system takes its steps by code for its number of components, others by loops, and some have no program, or not
/// everywhere: the digits do not tell. Seven components and fourteen are numbers that no code is made for.
#[test]
fn plain_steps_have_the_digits_of_general_ones() {
    for n in 1..=7 {
        for method in [Method::Dop853, Method::Tsit5, Method::Rk4] {
            for output in [Output::Ends, Output::Every(0.7)] {
                let start = State::new(0.0, &vec![0.3; n], &vec![-0.2; n]);
                let events = vec![EventRule { crossing: Crossing::Both, stop: false }];
                let events = if output == Output::Ends { Vec::new() } else { events };
                let options = Options { method, output, events, rtol: 1e-9, ..Options::default() };
                let run = |fused_until| {
                    let mut rows = Vec::new();
                    let mut keep = |row: Row| rows.push((row.t, row.x.to_vec(), row.eta.to_vec()));
                    let kernel = Oscillators { n, fused_until };
                    (integrate(&kernel, &start, 9.0, &options, &mut keep), rows)
                };
                let general = run(None);
                assert_eq!(general.0.stop, Stop::EndTime);
                assert_eq!(run(Some(f64::INFINITY)), general, "{n} {method}");
                assert_eq!(run(Some(5.0)), general, "{n} {method}, by the program until t = 5");
            }
        }
    }
}

/// Rows have their accelerations and forces where the observer wants them, and only there.
#[test]
fn rows_bring_the_solution_they_were_solved_for() {
    struct Forces {
        at_events: bool,
        rows: Vec<(bool, Option<f64>)>,
    }
    impl Observer for Forces {
        fn wants_solution(&self, event: Option<EventHit>) -> bool {
            event.is_some() == self.at_events
        }
        fn row(&mut self, row: Row<'_>) {
            let found = row.solved.map(|solved| solved.expect("an acceleration"));
            let eta_dot = found.map(|found| found.solution.eta_dot[0] - found.terms.Q[0]);
            self.rows.push((row.event.is_some(), eta_dot));
        }
    }
    let options = Options {
        events: vec![EventRule { crossing: Crossing::Both, stop: false }],
        output: Output::Every(1.0),
        ..Options::default()
    };
    let start = State::new(0.0, &[0.3], &[-0.2]);
    for at_events in [false, true] {
        let mut forces = Forces { at_events, rows: Vec::new() };
        let kernel = Oscillators { n: 1, fused_until: Some(f64::INFINITY) };
        integrate(&kernel, &start, 9.0, &options, &mut forces);
        assert!(forces.rows.iter().any(|row| row.0));
        for (event, found) in forces.rows {
            assert_eq!(found, (event == at_events).then_some(0.0), "M = 1: the acceleration is the force");
        }
    }
}
