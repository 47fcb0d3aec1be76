//! Rows that shrink for good: they are kept as well as any, and are no loss of rank.

use dalembert_run::*;

/// g(t) (x^2 + y^2 - 1) = 0 under gravity; g gives its value and two derivatives.
struct Rod(fn(f64) -> [f64; 3]);

impl Dynamics for Rod {
    fn shape(&self) -> Shape {
        Shape { n_x: 2, n_eta: 2, n_con: 1, identity_frame: true, ..Shape::default() }
    }
    fn levels(&self) -> &[Level] {
        &[Level::Position]
    }
    fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
        let ([g, g1, g2], x, v) = (self.0(at.t), at.x, at.eta);
        out.x_dot.copy_from_slice(v);
        out.M.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        out.Q.copy_from_slice(&[0.0, -9.81]);
        out.A.copy_from_slice(&[2.0 * g * x[0], 2.0 * g * x[1]]);
        let (f, rate) = (x[0] * x[0] + x[1] * x[1] - 1.0, 2.0 * (x[0] * v[0] + x[1] * v[1]));
        out.b[0] = -2.0 * g * (v[0] * v[0] + v[1] * v[1]) - 2.0 * g1 * rate - g2 * f;
    }
    fn residuals(&self, at: Point, _: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
        let ([g, g1, _], x, v) = (self.0(at.t), at.x, at.eta);
        let f = x[0] * x[0] + x[1] * x[1] - 1.0;
        phi[0] = g * f;
        psi[0] = 2.0 * g * (x[0] * v[0] + x[1] * v[1]) + g1 * f;
    }
    fn position_gradient(&self, t: f64, x: &[f64], _: &mut [f64], out: &mut [f64]) {
        let [g, ..] = self.0(t);
        out.copy_from_slice(&[2.0 * g * x[0], 2.0 * g * x[1]]);
    }
}

/// The end of the motion, and the largest |x^2 + y^2 - 1| in it.
fn swing(kernel: &dyn Dynamics, t_end: f64, method: Method) -> (Outcome, f64) {
    let (start, mut off) = (State::new(0.0, &[0.6, -0.8], &[0.0, 0.0]), 0.0_f64);
    let options = Options { method, output: Output::Every(0.1), ..Options::default() };
    let out = integrate(kernel, &start, t_end, &options, &mut |row: Row| {
        off = off.max((row.x[0].powi(2) + row.x[1].powi(2) - 1.0).abs());
    });
    (out, off)
}

fn plain(_: f64) -> [f64; 3] {
    [1.0, 0.0, 0.0]
}

fn decaying(t: f64) -> [f64; 3] {
    [(-t).exp(), -(-t).exp(), (-t).exp()]
}

fn fading(t: f64) -> [f64; 3] {
    let s = 1.0 + t;
    [s.powi(-6), -6.0 * s.powi(-7), 42.0 * s.powi(-8)]
}

fn growing(t: f64) -> [f64; 3] {
    [t.exp(), t.exp(), t.exp()]
}

/// Shrinks by a factor of 1e13 in a few seconds and stays there.
fn collapsing(t: f64) -> [f64; 3] {
    let (g, k) = ((-30.0 * (1.0 - (-t).exp())).exp(), 30.0 * (-t).exp());
    [g, -k * g, (k * k + k) * g]
}

#[test]
fn a_row_that_shrinks_for_good_is_kept_as_well_as_any() {
    for method in [Method::Dop853, Method::Tsit5, Method::Radau] {
        let (want, _) = swing(&Rod(plain), 20.0, method);
        for (name, g) in [
            ("exp(-t)", decaying as fn(f64) -> [f64; 3]),
            ("(1 + t)^-6", fading),
            ("exp(t)", growing),
            ("exp(-30 + 30 exp(-t))", collapsing),
        ] {
            let (out, off) = swing(&Rod(g), 20.0, method);
            let error = (0..2).map(|i| (out.state.x[i] - want.state.x[i]).abs()).fold(0.0, f64::max);
            println!(
                "{name} {method}: off {off:e} error {error:e} margin {:e} {:e} {:e} {:?}",
                out.smallest_margin,
                out.largest_position_residual,
                out.largest_velocity_residual,
                out.counters
            );
            assert_eq!(out.stop, Stop::EndTime, "{name} {method}");
            assert!(off < 1e-14, "{name} {method}: {off:e}");
            assert!(error < 1e-9, "{name} {method}: {error:e}");
            assert_eq!(out.counters.rank_crossings, 0, "{name} {method}");
            assert!(out.largest_position_residual < 1e-14 && out.largest_velocity_residual < 1e-14);
        }
    }
}

/// A bead on y = exp(x), drawn to the origin by a spring.
struct Slope;

impl Dynamics for Slope {
    fn shape(&self) -> Shape {
        Shape { n_x: 2, n_eta: 2, n_con: 1, identity_frame: true, ..Shape::default() }
    }
    fn levels(&self) -> &[Level] {
        &[Level::Position]
    }
    fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
        let e = at.x[0].exp();
        out.x_dot.copy_from_slice(at.eta);
        out.M.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        out.Q.copy_from_slice(&[-9.81 * at.x[0], -9.81 * at.x[1]]);
        out.A.copy_from_slice(&[-e, 1.0]);
        out.b[0] = e * at.eta[0] * at.eta[0];
    }
    fn residuals(&self, at: Point, _: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
        let e = at.x[0].exp();
        phi[0] = at.x[1] - e;
        psi[0] = at.eta[1] - e * at.eta[0];
    }
    fn position_gradient(&self, _: f64, x: &[f64], _: &mut [f64], out: &mut [f64]) {
        out.copy_from_slice(&[-x[0].exp(), 1.0]);
    }
}

#[test]
fn a_row_of_changing_length_loses_no_rank() {
    for x0 in [2.0, 3.0, 4.0, 6.0_f64] {
        let start = State::new(0.0, &[x0, x0.exp()], &[0.0, 0.0]);
        let energy = |s: &State| {
            let square = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>();
            0.5 * (square(&s.eta) + 9.81 * square(&s.x))
        };
        for method in [Method::Dop853, Method::Tsit5, Method::Radau] {
            let options = Options { method, output: Output::Ends, ..Options::default() };
            let out = integrate(&Slope, &start, 10.0, &options, &mut |_: Row| {});
            let off = (energy(&out.state) / energy(&start) - 1.0).abs();
            println!("{x0} {method}: {off:e} margin {:e} {:?}", out.smallest_margin, out.counters);
            assert_eq!(out.stop, Stop::EndTime);
            assert!(off < 1e-7, "{x0} {method}: {off:e}");
            assert_eq!(out.counters.rank_crossings, 0, "{x0} {method}");
        }
    }
}

/// Turned on at t = 0: the row vanishes there.
fn switched_on(t: f64) -> [f64; 3] {
    [t, 1.0, 0.0]
}

#[test]
fn a_row_that_vanishes_at_the_starting_time_is_noticed() {
    // It grows from nothing, so the motion is that of the plain rod; or else the start is refused by its name.
    for method in [Method::Dop853, Method::Tsit5, Method::Radau] {
        let (want, _) = swing(&Rod(plain), 5.0, method);
        let (out, off) = swing(&Rod(switched_on), 5.0, method);
        println!("{method}: off {off:e} {out:?}");
        assert_eq!(out.generic_rank, 1, "{method}");
        assert_eq!(out.stop, Stop::EndTime, "{method}");
        assert!(out.degenerate_start && off < 1e-12, "{method}: {off:e}");
        let error = (0..2).map(|i| (out.state.x[i] - want.state.x[i]).abs()).fold(0.0, f64::max);
        assert!(error < 1e-8, "{method}: {error:e}");
    }
}

#[test]
fn a_shrinking_row_holds_what_hangs_at_rest() {
    // Nothing moves, so there is no time scale but that of the row.
    for g in [decaying as fn(f64) -> [f64; 3], collapsing] {
        for method in Method::ALL.into_iter().filter(|m| !m.is_variational()) {
            let options = Options { method, output: Output::Every(1.0), ..Options::default() };
            let start = State::new(0.0, &[0.0, -1.0], &[0.0, 0.0]);
            let mut off = 0.0_f64;
            let out = integrate(&Rod(g), &start, 40.0, &options, &mut |row: Row| {
                off = off.max(row.x[0].abs()).max((row.x[1] + 1.0).abs());
            });
            println!("{method}: {off:e} {out:?}");
            assert!(out.stop == Stop::EndTime && off < 1e-9, "{method}: {off:e} {out:?}");
        }
    }
}
