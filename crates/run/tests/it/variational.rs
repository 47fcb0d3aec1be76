//! Variational methods and paths between two configurations on a kernel written by hand, without symbols.

use dalembert_run::*;

/// A unit mass on a rod of unit length, y upward, with its Lagrangian.
struct Pendulum;

const G: f64 = 9.81;

impl Dynamics for Pendulum {
    fn shape(&self) -> Shape {
        Shape { n_x: 2, n_eta: 2, n_con: 1, identity_frame: true, ..Shape::default() }
    }
    fn levels(&self) -> &[Level] {
        &[Level::Position]
    }
    fn terms(&self, at: Point<'_>, _: &mut [f64], out: &mut Terms) {
        let (x, v) = (at.x, at.eta);
        out.x_dot.copy_from_slice(v);
        out.M.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        out.Q.copy_from_slice(&[0.0, -G]);
        out.A.copy_from_slice(&[2.0 * x[0], 2.0 * x[1]]);
        out.b[0] = -2.0 * (v[0] * v[0] + v[1] * v[1]);
    }
    fn residuals(&self, at: Point<'_>, _: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
        let (x, v) = (at.x, at.eta);
        phi[0] = x[0] * x[0] + x[1] * x[1] - 1.0;
        psi[0] = 2.0 * (x[0] * v[0] + x[1] * v[1]);
    }
    fn position_gradient(&self, _: f64, x: &[f64], _: &mut [f64], out: &mut [f64]) {
        out.copy_from_slice(&[2.0 * x[0], 2.0 * x[1]]);
    }
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { lagrangian: Some(self), ..Capabilities::default() }
    }
}

impl Lagrangian for Pendulum {
    fn variation(&self, at: Point<'_>, _: &mut [f64], out: &mut Variation) {
        out.L[0] = 0.5 * (at.eta[0].powi(2) + at.eta[1].powi(2)) - G * at.x[1];
        out.y.copy_from_slice(at.eta);
        out.r.copy_from_slice(&[0.0, -G]);
    }
    fn second_variation(&self, _: Point<'_>, lambda: &[f64], _: &mut [f64], out: &mut SecondVariation) {
        out.y_x.fill(0.0);
        out.y_v.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        out.r_x.copy_from_slice(&[2.0 * lambda[0], 0.0, 0.0, 2.0 * lambda[0]]);
        out.r_v.fill(0.0);
    }
}

/// One period of the pendulum from rest at the height of its pivot.
const PERIOD: f64 = 2.367841947576237;

fn after_a_period(method: Method, steps: usize) -> Outcome {
    let start = State::new(0.0, &[1.0, 0.0], &[0.0, 0.0]);
    let options = Options { method, fixed_step: Some(PERIOD / steps as f64), ..Options::default() };
    integrate(&Pendulum, &start, PERIOD, &options, &mut |_: Row<'_>| {})
}

#[test]
fn a_period_by_hand() {
    for (method, order, steps) in
        [(Method::Variational2, 2.0, 400), (Method::Variational4, 4.0, 100), (Method::Variational6, 6.0, 50)]
    {
        let error = |steps: usize| {
            let outcome = after_a_period(method, steps);
            assert_eq!(outcome.stop, Stop::EndTime);
            // On the constraint by itself: nothing was projected but rows.
            assert!(outcome.largest_position_residual < 1e-15 && outcome.largest_velocity_residual < 1e-14);
            // y returns to zero linearly in the phase, x quadratically.
            outcome.state.x[1].abs().max(outcome.state.eta[1].abs())
        };
        let found = (error(steps) / error(2 * steps)).log2();
        assert!(found > order - 0.2, "{method}: order {found}");
    }
}

#[test]
fn rows_between_steps_come_from_a_quintic() {
    // The same step, rows four times as dense: those between are as good as those at the steps.
    let start = State::new(0.0, &[1.0, 0.0], &[0.0, 0.0]);
    let run = |method: Method, fixed: Option<f64>, rtol: f64| {
        let mut rows = Vec::new();
        let output = Output::Every(0.005);
        let options = Options { method, fixed_step: fixed, output, rtol, ..Options::default() };
        integrate(&Pendulum, &start, 1.0, &options, &mut |r: Row<'_>| {
            rows.push((r.x.to_vec(), r.eta.to_vec()))
        });
        rows
    };
    let (sharp, rough) = (run(Method::Dop853, None, 1e-13), run(Method::Variational6, Some(0.02), 1e-10));
    assert_eq!(sharp.len(), rough.len());
    for (a, b) in sharp.iter().zip(&rough) {
        for i in 0..2 {
            assert!((a.0[i] - b.0[i]).abs() < 1e-9 && (a.1[i] - b.1[i]).abs() < 1e-7);
        }
    }
}

#[test]
fn kernels_without_a_lagrangian_are_refused() {
    struct Plain;
    impl Dynamics for Plain {
        fn shape(&self) -> Shape {
            Shape { n_x: 1, n_eta: 1, identity_frame: true, ..Shape::default() }
        }
        fn levels(&self) -> &[Level] {
            &[]
        }
        fn terms(&self, at: Point<'_>, _: &mut [f64], out: &mut Terms) {
            (out.x_dot[0], out.M[0], out.Q[0]) = (at.eta[0], 1.0, 0.0);
        }
    }
    let start = State::new(0.0, &[0.0], &[1.0]);
    let options = Options { method: Method::Variational4, ..Options::default() };
    let outcome = integrate(&Plain, &start, 1.0, &options, &mut |_: Row<'_>| {});
    assert!(matches!(outcome.stop, Stop::Failed(Failure::BadArguments { .. })));
    let ends = Ends { start: &start, t_end: 1.0, x_end: &[1.0], via: vec![], tolerance: 1e-9 };
    assert_eq!(connect(&Plain, &ends).err(), Some(ConnectError::BadArguments));
}

#[test]
fn a_swing_between_two_places() {
    // From rest at (1, 0) the pendulum is at (-1, 0) after half a period; through the bottom, not over the top.
    let start = State::new(0.0, &[1.0, 0.0], &[0.0, 0.0]);
    let ends =
        Ends { start: &start, t_end: 0.4 * PERIOD, x_end: &[0.0, -1.0], via: vec![], tolerance: 1e-10 };
    let found = connect(&Pendulum, &ends).expect("a swing");
    let options = Options { rtol: 1e-12, ..Options::default() };
    let outcome = integrate(&Pendulum, &found.start, ends.t_end, &options, &mut |_: Row<'_>| {});
    assert!((outcome.state.x[0]).abs() < 1e-8 && (outcome.state.x[1] + 1.0).abs() < 1e-8);
    let off = Ends { x_end: &[0.0, -1.1], ..ends };
    assert!(matches!(connect(&Pendulum, &off), Err(ConnectError::EndOff { at_end: true, .. })));
}

/// A unit mass on a rod of unit length from a pivot that could slide along the vertical and is held at zero: (x, y, z).
struct HeldPivot;

impl Dynamics for HeldPivot {
    fn shape(&self) -> Shape {
        Shape { n_x: 3, n_eta: 3, n_con: 2, identity_frame: true, ..Shape::default() }
    }
    fn levels(&self) -> &[Level] {
        &[Level::Position, Level::Position]
    }
    fn terms(&self, at: Point<'_>, scratch: &mut [f64], out: &mut Terms) {
        let v = at.eta;
        out.x_dot.copy_from_slice(v);
        out.M.copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        out.Q.copy_from_slice(&[0.0, -G, 0.0]);
        self.position_gradient(at.t, at.x, scratch, &mut out.A);
        out.b.copy_from_slice(&[0.0, -2.0 * (v[0] * v[0] + (v[1] - v[2]).powi(2))]);
    }
    fn residuals(&self, at: Point<'_>, _: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
        let (x, v) = (at.x, at.eta);
        phi.copy_from_slice(&[x[2], x[0] * x[0] + (x[1] - x[2]).powi(2) - 1.0]);
        psi.copy_from_slice(&[v[2], 2.0 * (x[0] * v[0] + (x[1] - x[2]) * (v[1] - v[2]))]);
    }
    fn position_gradient(&self, _: f64, x: &[f64], _: &mut [f64], out: &mut [f64]) {
        let up = 2.0 * (x[1] - x[2]);
        out.copy_from_slice(&[0.0, 0.0, 1.0, 2.0 * x[0], up, -up]);
    }
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { lagrangian: Some(self), ..Capabilities::default() }
    }
}

impl Lagrangian for HeldPivot {
    fn variation(&self, at: Point<'_>, _: &mut [f64], out: &mut Variation) {
        out.L[0] = 0.5 * at.eta.iter().map(|v| v * v).sum::<f64>() - G * at.x[1];
        out.y.copy_from_slice(at.eta);
        out.r.copy_from_slice(&[0.0, -G, 0.0]);
    }
    fn second_variation(&self, _: Point<'_>, lambda: &[f64], _: &mut [f64], out: &mut SecondVariation) {
        let l = 2.0 * lambda[1];
        out.y_x.fill(0.0);
        out.y_v.copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        out.r_x.copy_from_slice(&[l, 0.0, 0.0, 0.0, l, -l, 0.0, -l, l]);
        out.r_v.fill(0.0);
    }
}

#[test]
fn a_coordinate_held_at_zero_does_not_hide_the_others() {
    // Its corrections are roundings of zero: huge in units of its own size, they must not stand for the convergence of all.
    let y = (1.0 - 0.09_f64).sqrt();
    for (method, step) in
        [(Method::Variational2, 0.002), (Method::Variational4, 0.001), (Method::Variational6, 0.01)]
    {
        let options = Options { method, fixed_step: Some(step), ..Options::default() };
        let run = |kernel: &dyn Dynamics, x: &[f64]| {
            let start = State::new(0.0, x, &vec![0.0; x.len()]);
            integrate(kernel, &start, 1.0, &options, &mut |_: Row<'_>| {})
        };
        let (outcome, plain) = (run(&HeldPivot, &[0.3, y, 0.0]), run(&Pendulum, &[0.3, y]));
        assert_eq!(outcome.stop, Stop::EndTime, "{method}");
        // The steps of the pendulum without that coordinate, and close to the motion.
        let (x, same) = (outcome.state.x[0], plain.state.x[0]);
        assert!((x - same).abs() < 1e-12 && (x - 0.29658085497).abs() < 5e-5, "{method}: {x} {same}");
        let matrices = (outcome.counters.factorisations, plain.counters.factorisations);
        assert!(matrices.0 < 2 * matrices.1, "{method}: {matrices:?}");
        let left = (outcome.largest_position_residual, outcome.largest_velocity_residual);
        assert!(left.0 < 1e-15 && left.1 < 1e-15, "{method}: {left:?}");
    }
}

/// A unit mass held at x = 0 twice; the second row lets go of it by a jump at t = 0.5.
struct Parting;

impl Dynamics for Parting {
    fn shape(&self) -> Shape {
        Shape { n_x: 2, n_eta: 2, n_con: 2, identity_frame: true, ..Shape::default() }
    }
    fn levels(&self) -> &[Level] {
        &[Level::Position, Level::Position]
    }
    fn terms(&self, at: Point<'_>, _: &mut [f64], out: &mut Terms) {
        out.x_dot.copy_from_slice(at.eta);
        out.M.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        out.Q.copy_from_slice(&[0.0, -G]);
        out.A.copy_from_slice(&[1.0, 0.0, 1.0, 0.0]);
        out.b.fill(0.0);
    }
    fn residuals(&self, at: Point<'_>, _: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
        let apart = if at.t > 0.5 { 1e-9 } else { 0.0 };
        phi.copy_from_slice(&[at.x[0], at.x[0] - apart]);
        psi.fill(at.eta[0]);
    }
    fn position_gradient(&self, _: f64, _: &[f64], _: &mut [f64], out: &mut [f64]) {
        out.copy_from_slice(&[1.0, 0.0, 1.0, 0.0]);
    }
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { lagrangian: Some(self), ..Capabilities::default() }
    }
}

impl Lagrangian for Parting {
    fn variation(&self, at: Point<'_>, _: &mut [f64], out: &mut Variation) {
        out.L[0] = 0.5 * (at.eta[0].powi(2) + at.eta[1].powi(2)) - G * at.x[1];
        out.y.copy_from_slice(at.eta);
        out.r.copy_from_slice(&[0.0, -G]);
    }
    fn second_variation(&self, _: Point<'_>, _: &[f64], _: &mut [f64], out: &mut SecondVariation) {
        out.y_v.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        for part in [&mut out.y_x, &mut out.r_x, &mut out.r_v] {
            part.fill(0.0);
        }
    }
}

#[test]
fn a_step_off_the_constraints_ends_the_run() {
    let start = State::new(0.0, &[0.0, 0.0], &[0.0, 1.0]);
    for method in [Method::Variational2, Method::Variational4, Method::Variational6] {
        let mut rows = Vec::new();
        let output = Output::Every(0.05);
        let options = Options { method, fixed_step: Some(0.1), output, ..Options::default() };
        let outcome = integrate(&Parting, &start, 1.0, &options, &mut |r: Row<'_>| rows.push(r.t));
        let Stop::Failed(Failure::StepNotSolved { t, .. }) = outcome.stop else {
            panic!("{method}: {:?}", outcome.stop)
        };
        assert!((t - 0.5).abs() < 1e-9, "{method}: {t}");
        // What was right is kept.
        assert_eq!(rows.len(), 11, "{method}: {rows:?}");
        assert!(outcome.largest_position_residual < 1e-15);
    }
}

/// A unit mass on a spring, or on the unit sphere without forces.
struct Plain {
    spring: bool,
}

impl Dynamics for Plain {
    fn shape(&self) -> Shape {
        let n = if self.spring { 1 } else { 3 };
        Shape { n_x: n, n_eta: n, n_con: usize::from(!self.spring), identity_frame: true, ..Shape::default() }
    }
    fn levels(&self) -> &[Level] {
        if self.spring { &[] } else { &[Level::Position] }
    }
    fn terms(&self, at: Point<'_>, _: &mut [f64], out: &mut Terms) {
        out.x_dot.copy_from_slice(at.eta);
        out.M.fill(0.0);
        for p in 0..at.x.len() {
            out.M[p * (at.x.len() + 1)] = 1.0;
            out.Q[p] = if self.spring { -at.x[p] } else { 0.0 };
        }
        if !self.spring {
            (0..3).for_each(|p| out.A[p] = 2.0 * at.x[p]);
            out.b[0] = -2.0 * at.eta.iter().map(|v| v * v).sum::<f64>();
        }
    }
    fn residuals(&self, at: Point<'_>, _: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
        if !self.spring {
            phi[0] = at.x.iter().map(|x| x * x).sum::<f64>() - 1.0;
            psi[0] = 2.0 * at.x.iter().zip(at.eta).map(|(x, v)| x * v).sum::<f64>();
        }
    }
    fn position_gradient(&self, _: f64, x: &[f64], _: &mut [f64], out: &mut [f64]) {
        out.iter_mut().zip(x).for_each(|(a, x)| *a = 2.0 * x);
    }
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { lagrangian: Some(self), ..Capabilities::default() }
    }
}

impl Lagrangian for Plain {
    fn variation(&self, at: Point<'_>, _: &mut [f64], out: &mut Variation) {
        let square = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>() / 2.0;
        let k = f64::from(self.spring);
        out.L[0] = square(at.eta) - k * square(at.x);
        out.y.copy_from_slice(at.eta);
        out.r.iter_mut().zip(at.x).for_each(|(r, x)| *r = -k * x);
    }
    fn second_variation(&self, at: Point<'_>, lambda: &[f64], _: &mut [f64], out: &mut SecondVariation) {
        let n = at.x.len();
        [&mut out.y_x, &mut out.y_v, &mut out.r_x, &mut out.r_v].into_iter().for_each(|m| m.fill(0.0));
        for p in 0..n {
            out.y_v[p * (n + 1)] = 1.0;
            out.r_x[p * (n + 1)] = if self.spring { -1.0 } else { 2.0 * lambda[0] };
        }
    }
}

#[test]
fn sixteen_periods_of_a_spring() {
    let start = State::new(0.0, &[1.0], &[0.0]);
    let ends = Ends { start: &start, t_end: 100.0, x_end: &[0.5], via: vec![], tolerance: 1e-10 };
    let found = connect(&Plain { spring: true }, &ends).expect("a motion");
    let (s, c) = 100f64.sin_cos();
    assert!((found.start.eta[0] - (0.5 - c) / s).abs() < 1e-7);
    assert!((found.sensitivity * s.abs() / 100.0 - 1.0).abs() < 0.02);
    assert_eq!(found.second.map(|s| s.index), Some(31));
}

#[test]
fn all_great_circles_meet_at_the_antipode() {
    let start = State::new(0.0, &[1.0, 0.0, 0.0], &[0.0; 3]);
    let ends = Ends { start: &start, t_end: 1.0, x_end: &[-1.0, 0.0, 0.0], via: vec![], tolerance: 1e-10 };
    let refused = connect(&Plain { spring: false }, &ends).expect_err("no single motion");
    assert!(matches!(refused, ConnectError::Conjugate { .. }), "{refused:?}");
}
