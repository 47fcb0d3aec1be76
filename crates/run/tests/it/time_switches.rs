//! Switches of time in kernels written by hand: whichever way a run goes, no step lies across one.

use dalembert_run::{
    Capabilities, Dynamics, Level, Method, Options, Output, Point, Row, Shape, State, Stop, Terms,
    TimeSwitches, integrate,
};

/// A free particle with the force 1 inside `on` and 0 outside; the ends belong to the inside. The first `known` of them are
/// given, the others have to be found.
struct Pulse {
    on: [f64; 2],
    known: usize,
}

impl Dynamics for Pulse {
    fn shape(&self) -> Shape {
        let n_instant = self.known;
        Shape { n_x: 1, n_eta: 1, n_time_switch: 2, n_instant, identity_frame: true, ..Shape::default() }
    }
    fn levels(&self) -> &[Level] {
        &[]
    }
    fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
        out.x_dot.copy_from_slice(at.eta);
        out.M[0] = 1.0;
        out.Q[0] = if at.t >= self.on[0] && at.t <= self.on[1] { 1.0 } else { 0.0 };
    }
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { time_switches: Some(self), ..Capabilities::default() }
    }
}

impl TimeSwitches for Pulse {
    fn time_switches(&self, t: f64, _: &mut [f64], g: &mut [f64]) {
        (g[0], g[1]) = (t - self.on[0], t - self.on[1]);
    }
    fn instants(&self, _: &mut [f64]) -> Vec<f64> {
        self.on[..self.known].to_vec()
    }
}

const METHODS: [Method; 4] = [Method::Dop853, Method::Tsit5, Method::Radau, Method::Rk4];

/// Speed at the end, and the times of the rows, whether the instants are known or found.
fn run(on: [f64; 2], from: f64, to: f64, method: Method) -> (f64, Vec<f64>) {
    let options = Options { method, output: Output::Steps, ..Options::default() };
    let one = |known| {
        let mut times = Vec::new();
        let start = State::new(from, &[0.0], &[0.0]);
        let out = integrate(&Pulse { on, known }, &start, to, &options, &mut |row: Row| times.push(row.t));
        assert_eq!(out.stop, Stop::EndTime, "{method} {on:?} {from} {to}");
        (out.state.eta[0], times)
    };
    let found = one(0);
    for known in [1, 2] {
        let (v, times) = one(known);
        assert!((v - found.0).abs() <= 1e-13 * found.0.abs(), "{method} {on:?} {known}: {v:e} {:e}", found.0);
        // Those next to each other are passed together, and a search may be a rounding off.
        let there = |times: &[f64], t: f64| times.iter().any(|s| (s - t).abs() <= 1e-15 * t.abs().max(1e-9));
        assert!(
            on.iter().all(|t| there(&times, *t) || !there(&found.1, *t)),
            "{method} {on:?} {known}: {times:?}"
        );
    }
    found
}

#[test]
fn forwards_backwards_and_not_at_all() {
    for method in METHODS {
        for (from, to, want) in [(0.0, 10.0, 0.5), (10.0, 0.0, -0.5), (-1e4, 1e4, 0.5), (0.0, 2.9, 0.0)] {
            let (v, times) = run([3.0, 3.5], from, to, method);
            // Steps stay some roundings of time away from a switch.
            assert!((v - want).abs() < 1e-13, "{method} {from} {to}: {v}");
            let rows = times.iter().filter(|t| **t == 3.0 || **t == 3.5).count();
            assert_eq!(rows, if want == 0.0 { 0 } else { 2 }, "steps end just there: {method}");
        }
    }
}

#[test]
fn at_the_ends_of_a_run() {
    for method in METHODS {
        // Up to the roundings of t in a thousand fixed steps.
        for (on, want) in [([1.0, 2.0], 1.0), ([0.5, 1.0], 0.0), ([2.0, 3.0], 0.0), ([1.5, 2.0], 0.5)] {
            assert!((run(on, 1.0, 2.0, method).0 - want).abs() < 1e-12, "{method} {on:?}");
            assert!((run(on, 2.0, 1.0, method).0 + want).abs() < 1e-12, "{method} {on:?}");
        }
        // Around zero, where numbers are dense.
        assert!((run([0.0, 0.25], -1.0, 1.0, method).0 - 0.25).abs() < 1e-12, "{method}");
    }
}

#[test]
fn tiny_runs_and_instants_next_to_each_other() {
    for method in METHODS {
        let (v, _) = run([1e-12, 2e-12], 0.0, 4e-12, method);
        assert!((v - 1e-12).abs() < 1e-25, "{method} {v:e}");
        let (v, _) = run([3.0, 3.0 + 2.0 * f64::EPSILON], 0.0, 10.0, method);
        assert!(v.abs() < 1e-14, "{method} {v:e}");
        let (v, _) = run([3.0, 3.0 + 1e-12], 0.0, 10.0, method);
        assert!((v - 1e-12).abs() < 2e-14, "{method} {v:e}");
    }
}

/// Ten thousand switches cost some samples each, and no step is tried across one.
struct Comb;

impl Dynamics for Comb {
    fn shape(&self) -> Shape {
        Shape { n_x: 1, n_eta: 1, n_time_switch: 1, identity_frame: true, ..Shape::default() }
    }
    fn levels(&self) -> &[Level] {
        &[]
    }
    fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
        out.x_dot.copy_from_slice(at.eta);
        out.M[0] = 1.0;
        out.Q[0] = if (10.0 * at.t).sin() > 0.0 { 1.0 } else { 0.0 };
    }
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { time_switches: Some(self), ..Capabilities::default() }
    }
}

impl TimeSwitches for Comb {
    fn time_switches(&self, t: f64, _: &mut [f64], g: &mut [f64]) {
        g[0] = (10.0 * t).sin();
    }
}

#[test]
fn a_comb_of_ten_thousand_teeth() {
    let t_end = 1000.0 * std::f64::consts::PI;
    let options = Options { output: Output::Ends, ..Options::default() };
    let out = integrate(&Comb, &State::new(0.0, &[0.0], &[0.0]), t_end, &options, &mut |_: Row| {});
    // Half of the time, up to roundings of the phase at the end, 4e-12, and of each tooth.
    assert!((out.state.eta[0] - 0.5 * t_end).abs() < 1e-9, "{}", out.state.eta[0] - 0.5 * t_end);
    assert_eq!(out.counters.rejected, 0);
    assert!(out.counters.steps < 80_000, "{}", out.counters.steps);
}

/// A blow that is smooth and short: 100 exp(-((t - 5)/0.01)^2) on an oscillator at rest.
struct Blow;

impl Dynamics for Blow {
    fn shape(&self) -> Shape {
        Shape { n_x: 1, n_eta: 1, identity_frame: true, ..Shape::default() }
    }
    fn levels(&self) -> &[Level] {
        &[]
    }
    fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
        out.x_dot.copy_from_slice(at.eta);
        out.M[0] = 1.0;
        out.Q[0] = 100.0 * (-((at.t - 5.0) / 0.01).powi(2)).exp() - at.x[0];
    }
}

/// The first steps miss the blow. A further stage of the dense output meets it: then it is not left out, and no row shows a
/// motion that the step did not make.
#[test]
fn rows_of_a_step_that_missed_something() {
    for interval in [5.0, 2.5, 1.0, 0.5] {
        let options = Options { output: Output::Every(interval), ..Options::default() };
        let mut rows = Vec::new();
        integrate(&Blow, &State::new(0.0, &[0.0], &[0.0]), 10.0, &options, &mut |row: Row| {
            rows.push((row.t, row.eta[0]));
        });
        // Half of its impulse 100 * 0.01 sqrt(pi) at t = 5, all of it behind, nothing before.
        let impulse = std::f64::consts::PI.sqrt();
        for (t, v) in rows {
            let want = if t < 5.0 { 0.0 } else { impulse * if t == 5.0 { 0.5 } else { (t - 5.0).cos() } };
            // A blow of such a length is not quite one of an instant.
            assert!((v - want).abs() < 1e-3, "every {interval} at {t}: {v} {want}");
        }
    }
}
