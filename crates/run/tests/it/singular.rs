//! Motions through configurations where the constraints lose rank.

use crate::kernels::*;
use dalembert_run::*;
use std::f64::consts::{FRAC_PI_2, PI};

/// theta'' = k sin theta on the parallel branch.
fn branch_constant(cranks: f64, couplers: f64) -> f64 {
    9.81 * (cranks / 2.0 + couplers) / (cranks / 3.0 + couplers)
}

/// Largest error of positions against the parallel branch over all rows.
fn branch_error(
    kernel: &dyn Dynamics,
    N: usize,
    start: (f64, f64),
    k: f64,
    t_end: f64,
    options: &Options,
) -> (f64, Outcome) {
    let mut error = 0.0_f64;
    let mut judge = (0.0, start);
    let out =
        integrate(kernel, &four_bar_state(N, 0.0, start.0, start.1), t_end, options, &mut |row: Row| {
            let (theta, rate) = parallel_branch(k, judge.1.0, judge.1.1, row.t - judge.0);
            judge = (row.t, (theta, rate));
            for i in 0..=N {
                error = error
                    .max((row.x[2 * i] - i as f64 - theta.sin()).abs())
                    .max((row.x[2 * i + 1] - theta.cos()).abs());
            }
        });
    (error, out)
}

#[test]
fn four_bar_keeps_its_branch_with_every_method() {
    let N = 2;
    let kernel = four_bar(N, |_| 1.0, |_| 1.0, 9.81);
    for (method, within) in
        [(Method::Dop853, 1e-7), (Method::Tsit5, 1e-7), (Method::Rk4, 1e-6), (Method::Radau, 1e-7)]
    {
        let options =
            Options { method, output: Output::Every(0.5), fixed_step: Some(2e-3), ..Options::default() };
        let (error, out) = branch_error(&kernel, N, (0.0, 1.0), branch_constant(3.0, 2.0), 20.0, &options);
        println!("{method}: error {error:e}, {:?}, margin {:e}", out.counters, out.smallest_margin);
        assert_eq!(out.stop, Stop::EndTime, "{method}");
        assert!(error < within, "{method}: {error:e}");
        assert_eq!(out.counters.rank_crossings, 20, "{method}: twice a revolution");
        assert!(out.largest_position_residual < 1e-14 && out.largest_velocity_residual < 1e-13, "{out:?}");
        assert_eq!(out.generic_rank, 5);
    }
}

#[test]
fn four_bar_keeps_its_branch_at_other_tolerances() {
    let N = 2;
    let kernel = four_bar(N, |_| 1.0, |_| 1.0, 9.81);
    for rtol in [1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-11, 1e-12, 1e-13] {
        let options = Options { rtol, atol: 1e-2 * rtol, output: Output::Every(0.5), ..Options::default() };
        let (error, out) = branch_error(&kernel, N, (0.0, 1.0), branch_constant(3.0, 2.0), 20.0, &options);
        println!("{rtol:e}: error {error:e}, {:?}", out.counters);
        assert_eq!(out.stop, Stop::EndTime, "{rtol:e}");
        assert!(error < (1e4 * rtol).max(1e-8), "{rtol:e}: {error:e}");
    }
}

#[test]
fn four_bar_chain_of_forty() {
    let N = 40;
    let kernel = four_bar(N, |_| 1.0, |_| 1.0, 9.81);
    let options = Options { output: Output::Every(0.5), ..Options::default() };
    // The published 20 s are in the oracle n_four_bar_N40.
    let (error, out) = branch_error(&kernel, N, (0.0, 1.0), branch_constant(41.0, 40.0), 4.0, &options);
    println!("error {error:e}, {:?}, margin {:e}", out.counters, out.smallest_margin);
    assert_eq!(out.stop, Stop::EndTime);
    assert!(error < 1e-8, "{error:e}");
    assert_eq!((out.generic_rank, out.counters.rank_crossings), (81, 4));
}

#[test]
fn unequal_masses() {
    let N = 3;
    let (crank, coupler) = (|i: usize| 0.5 + i as f64, |i: usize| 0.3 + 0.7 * i as f64);
    let kernel = four_bar(N, crank, coupler, 9.81);
    let (cranks, couplers) = ((0..=N).map(crank).sum(), (1..=N).map(coupler).sum());
    let options = Options { output: Output::Every(0.25), ..Options::default() };
    let (error, out) =
        branch_error(&kernel, N, (0.0, 1.5), branch_constant(cranks, couplers), 10.0, &options);
    println!("error {error:e}, {:?}", out.counters);
    assert!(out.stop == Stop::EndTime && error < 1e-8, "{error:e} {out:?}");
}

#[test]
fn the_scale_of_rows_does_not_matter() {
    let mut kernel = four_bar(2, |_| 1.0, |_| 1.0, 9.81);
    let scales = [1e6, 1.0, 1e-6, 1e3, 1e-3];
    kernel.rows = kernel.rows.iter().zip(scales).map(|(row, s)| row.clone().scaled(s)).collect();
    let options = Options { output: Output::Every(0.5), ..Options::default() };
    let (error, out) = branch_error(&kernel, 2, (0.0, 1.0), branch_constant(3.0, 2.0), 10.0, &options);
    assert!(out.stop == Stop::EndTime && error < 1e-7, "{error:e} {out:?}");
}

#[test]
fn without_care_it_does_not_get_far() {
    // What the treatment is for: projection alone does not carry the motion over.
    let kernel = four_bar(2, |_| 1.0, |_| 1.0, 9.81);
    let options =
        Options { singular_care: false, max_steps: 20_000, output: Output::Every(0.5), ..Options::default() };
    let (error, out) = branch_error(&kernel, 2, (0.0, 1.0), branch_constant(3.0, 2.0), 20.0, &options);
    assert!(out.stop != Stop::EndTime || error > 1e-3);
}

#[test]
fn start_with_all_bars_in_line() {
    for (theta, rate) in
        [(FRAC_PI_2, 3.0), (-FRAC_PI_2, 1.0), (FRAC_PI_2 + 1e-4, 2.0), (FRAC_PI_2 - 1e-9, 2.0)]
    {
        for method in [Method::Dop853, Method::Tsit5] {
            let kernel = four_bar(2, |_| 1.0, |_| 1.0, 9.81);
            let options = Options { method, output: Output::Every(0.25), ..Options::default() };
            let (error, out) =
                branch_error(&kernel, 2, (theta, rate), branch_constant(3.0, 2.0), 5.0, &options);
            println!("{method} {theta} {rate}: error {error:e}, {:?}", out.counters);
            assert_eq!(out.stop, Stop::EndTime);
            assert!(out.degenerate_start && error < 1e-7, "{error:e}");
        }
    }
}

#[test]
fn at_rest_with_all_bars_in_line_no_branch_is_told() {
    let kernel = four_bar(2, |_| 1.0, |_| 1.0, 9.81);
    let (_, out) =
        branch_error(&kernel, 2, (FRAC_PI_2, 0.0), branch_constant(3.0, 2.0), 1.0, &Options::default());
    assert!(matches!(out.stop, Stop::Failed(Failure::DegenerateStart { .. })), "{:?}", out.stop);
}

/// Crank pin P on the unit circle, slider S on the axis, rod of the same length; unit point masses, no gravity.
/// P = (cos a, sin a), S = (2 cos a, 0): (1 + 4 sin^2 a) a'^2 is constant. Rank is lost at a = +-pi/2.
fn slider_crank() -> Quadratic {
    let mut M = vec![0.0; 16];
    (0..4).for_each(|i| M[i * 5] = 1.0);
    let axis = Row2 { lin: vec![(3, 1.0)], ..Row2::default() };
    let rows = vec![
        Row2::distance(P2::At(0), P2::Fixed([0.0, 0.0]), 1.0),
        Row2::distance(P2::At(0), P2::At(2), 1.0),
        axis,
    ];
    Quadratic { n: 4, M, Q: vec![0.0; 4], rows, levels: vec![Level::Position; 3] }
}

#[test]
fn slider_crank_with_equal_arms() {
    let (a0, w0) = (0.3_f64, 2.0_f64);
    let energy = (1.0 + 4.0 * a0.sin().powi(2)) * w0 * w0;
    let start = State::new(
        0.0,
        &[a0.cos(), a0.sin(), 2.0 * a0.cos(), 0.0],
        &[-w0 * a0.sin(), w0 * a0.cos(), -2.0 * w0 * a0.sin(), 0.0],
    );
    for method in [Method::Dop853, Method::Tsit5, Method::Radau] {
        let options = Options { method, output: Output::Ends, ..Options::default() };
        let out = integrate(&slider_crank(), &start, 10.0, &options, &mut |_: Row| {});
        // a' = sqrt(E / (1 + 4 sin^2 a)) by small classical steps.
        let (mut a, steps) = (a0, 200_000);
        let h = 10.0 / steps as f64;
        let f = |a: f64| (energy / (1.0 + 4.0 * a.sin().powi(2))).sqrt();
        for _ in 0..steps {
            let k1 = f(a);
            let k2 = f(a + h / 2.0 * k1);
            let k3 = f(a + h / 2.0 * k2);
            let k4 = f(a + h * k3);
            a += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        }
        let error = (out.state.x[0] - a.cos()).abs().max((out.state.x[2] - 2.0 * a.cos()).abs());
        println!("{method}: error {error:e} after angle {a}, {:?}", out.counters);
        assert_eq!(out.stop, Stop::EndTime);
        assert!(error < 1e-8, "{error:e}");
        assert_eq!(out.counters.rank_crossings, (a / PI + 0.5) as usize);
    }
}

/// Parallelogram of crank a, coupler b, follower c (angles), arms 1, 2, 1, base 2; rotors with torque -k sin a.
struct Parallelogram {
    inertia: [f64; 3],
    k: f64,
}

impl Dynamics for Parallelogram {
    fn shape(&self) -> Shape {
        Shape { n_x: 3, n_eta: 3, n_con: 2, identity_frame: true, ..Shape::default() }
    }
    fn levels(&self) -> &[Level] {
        &[Level::Position, Level::Position]
    }
    fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
        let ([a, b, c], v) = ([at.x[0], at.x[1], at.x[2]], at.eta);
        out.x_dot.copy_from_slice(v);
        out.M.fill(0.0);
        (0..3).for_each(|i| out.M[i * 4] = self.inertia[i]);
        out.Q.copy_from_slice(&[-self.k * a.sin(), 0.0, 0.0]);
        out.A.copy_from_slice(&[-a.sin(), -2.0 * b.sin(), c.sin(), a.cos(), 2.0 * b.cos(), -c.cos()]);
        let (v0, v1, v2) = (v[0] * v[0], v[1] * v[1], v[2] * v[2]);
        out.b[0] = a.cos() * v0 + 2.0 * b.cos() * v1 - c.cos() * v2;
        out.b[1] = a.sin() * v0 + 2.0 * b.sin() * v1 - c.sin() * v2;
    }
    fn residuals(&self, at: Point, _: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
        let ([a, b, c], v) = ([at.x[0], at.x[1], at.x[2]], at.eta);
        phi[0] = a.cos() + 2.0 * b.cos() - c.cos() - 2.0;
        phi[1] = a.sin() + 2.0 * b.sin() - c.sin();
        psi[0] = -a.sin() * v[0] - 2.0 * b.sin() * v[1] + c.sin() * v[2];
        psi[1] = a.cos() * v[0] + 2.0 * b.cos() * v[1] - c.cos() * v[2];
    }
}

#[test]
fn parallelogram_in_angles() {
    let kernel = Parallelogram { inertia: [1.0, 0.4, 2.5], k: 6.0 };
    let start = State::new(0.0, &[0.5, 0.0, 0.5], &[4.0, 0.0, 4.0]);
    let options = Options { output: Output::Ends, ..Options::default() };
    let out = integrate(&kernel, &start, 10.0, &options, &mut |_: Row| {});
    // (I1 + I3) a'' = -k sin a: the branch judge with the angle shifted by pi.
    let (a, rate) = parallel_branch(6.0 / 3.5, 0.5 + PI, 4.0, 10.0);
    let error =
        (out.state.x[0] - (a - PI)).abs().max((out.state.x[2] - (a - PI)).abs()).max(out.state.x[1].abs());
    println!("error {error:e} rate {rate} {:?}", out.counters);
    assert!(out.stop == Stop::EndTime && error < 1e-8, "{error:e} {out:?}");
    assert!((out.state.eta[0] - rate).abs() < 1e-8);
}

/// Appell-Hamel: x'^2 + y'^2 = c^2 z'^2, unit mass, gravity.
struct Cone;

impl Dynamics for Cone {
    fn shape(&self) -> Shape {
        Shape { n_x: 3, n_eta: 3, n_con: 1, identity_frame: true, ..Shape::default() }
    }
    fn levels(&self) -> &[Level] {
        &[Level::Velocity]
    }
    fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
        let v = at.eta;
        out.x_dot.copy_from_slice(v);
        out.M.fill(0.0);
        (0..3).for_each(|i| out.M[i * 4] = 1.0);
        out.Q.copy_from_slice(&[0.0, 0.0, -9.81]);
        out.A.copy_from_slice(&[2.0 * v[0], 2.0 * v[1], -0.5 * v[2]]);
        out.b[0] = 0.0;
    }
    fn residuals(&self, at: Point, _: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
        phi[0] = 0.0;
        psi[0] = at.eta[0].powi(2) + at.eta[1].powi(2) - 0.25 * at.eta[2].powi(2);
    }
}

#[test]
fn cone_at_rest_is_degenerate_and_moving_is_not() {
    let options = Options { output: Output::Ends, ..Options::default() };
    let out = integrate(&Cone, &State::new(0.0, &[0.0; 3], &[0.0; 3]), 1.0, &options, &mut |_: Row| {});
    assert_eq!(out.stop, Stop::Failed(Failure::DegenerateStart { t: 0.0, rank: 0, generic_rank: 1 }));

    let out =
        integrate(&Cone, &State::new(0.0, &[0.0; 3], &[0.3, 0.4, -1.0]), 1.0, &options, &mut |_: Row| {});
    for (x, want) in out.state.x.iter().zip([1.4772, 1.9696, -4.924]) {
        assert!((x - want).abs() < 1e-10, "{:?}", out.state);
    }
}

/// A pendulum whose constraint f is imposed twice, the second time as (2 + x) f: redundant on f = 0 only.
struct Twice;

impl Dynamics for Twice {
    fn shape(&self) -> Shape {
        Shape { n_x: 2, n_eta: 2, n_con: 2, identity_frame: true, ..Shape::default() }
    }
    fn levels(&self) -> &[Level] {
        &[Level::Position, Level::Position]
    }
    fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
        let (x, v) = (at.x, at.eta);
        let f = x[0] * x[0] + x[1] * x[1] - 1.0;
        let rate = 2.0 * (x[0] * v[0] + x[1] * v[1]);
        out.x_dot.copy_from_slice(v);
        out.M.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        out.Q.copy_from_slice(&[0.0, -9.81]);
        let k = 2.0 + x[0];
        out.A.copy_from_slice(&[2.0 * x[0], 2.0 * x[1], k * 2.0 * x[0] + f, k * 2.0 * x[1]]);
        out.b[0] = -2.0 * (v[0] * v[0] + v[1] * v[1]);
        out.b[1] = k * out.b[0] - 2.0 * v[0] * rate;
    }
    fn residuals(&self, at: Point, _: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
        let (x, v) = (at.x, at.eta);
        phi[0] = x[0] * x[0] + x[1] * x[1] - 1.0;
        psi[0] = 2.0 * (x[0] * v[0] + x[1] * v[1]);
        phi[1] = (2.0 + x[0]) * phi[0];
        psi[1] = (2.0 + x[0]) * psi[0] + v[0] * phi[0];
    }
}

#[test]
fn rows_redundant_on_the_constraints_only_are_not_a_rank_loss() {
    for method in [Method::Dop853, Method::Tsit5, Method::Radau] {
        let options = Options { method, output: Output::Ends, ..Options::default() };
        let out =
            integrate(&Twice, &State::new(0.0, &[-1.0, 0.0], &[0.0, 0.0]), 10.0, &options, &mut |_: Row| {});
        println!("{method} {out:?}");
        assert_eq!(out.stop, Stop::EndTime);
        // B1 of the reference problems: x(10), y(10).
        assert!(
            (out.state.x[0] + 0.275087462576117).abs() < 1e-8
                && (out.state.x[1] + 0.961419205099125).abs() < 1e-8
        );
        assert_eq!((out.generic_rank, out.counters.rank_crossings), (1, 0));
    }
}

#[test]
fn rows_that_vanish_at_an_instant_are_passed_by_every_method() {
    let kernel = Parallelogram { inertia: [1.0, 0.4, 2.5], k: 6.0 };
    // Round and round, and to and fro through a = 0, where the first row vanishes.
    for (a0, rate0, passages) in [(0.5, 4.0, 11), (0.5, 0.0, 4), (1.2, 0.3, 4)] {
        let start = State::new(0.0, &[a0, 0.0, a0], &[rate0, 0.0, rate0]);
        let (a, _) = parallel_branch(6.0 / 3.5, a0 + PI, rate0, 10.0);
        for method in Method::ALL.into_iter().filter(|m| !m.is_variational()) {
            let options =
                Options { method, output: Output::Ends, fixed_step: Some(2e-3), ..Options::default() };
            let out = integrate(&kernel, &start, 10.0, &options, &mut |_: Row| {});
            let error = (0..3)
                .fold(0.0_f64, |m, i| m.max((out.state.x[i] - if i == 1 { 0.0 } else { a - PI }).abs()));
            println!("{a0} {rate0} {method}: error {error:e} {:?}", out.counters);
            assert!(out.stop == Stop::EndTime && error < 1e-9, "{a0} {rate0} {method}: {error:e} {out:?}");
            assert_eq!(out.counters.rank_crossings, passages, "{a0} {rate0} {method}");
        }
    }
}
