//! Long runs with no settings: constraints kept for 100 s, and mechanisms that pass through configurations where their
//! constraints lose rank stay on their branch, as a closed form of the branch tells.

use crate::support::*;
use dalembert::Request;

/// Largest scaled residual, positions and velocities, of a model file run as it is.
fn residual_over(name: &str, seconds: f64) -> f64 {
    let request = Request { until: Some(seconds), every: Some(seconds / 1000.0), ..Request::default() };
    let motion = run(&mut load_file(name), &request);
    motion.outcome.largest_position_residual.max(motion.outcome.largest_velocity_residual)
}

#[test]
fn constraints_hold_for_100_s_with_no_settings() {
    for (name, seconds) in [
        ("pendulum_chain", 100.0),
        ("n_four_bar", 100.0),
        ("rolling_disk_lean", 100.0),
        ("slider_crank", 100.0),
        ("andrews_squeezer", 0.1),
    ] {
        below(name, residual_over(name, seconds), 1e-11);
    }
}

/// The parallel branch: theta'' = k sin(theta) from the upright, by an integrator of its own. Ends at (sin, cos).
fn parallel_branch(k: f64, rate: f64, t: f64) -> (f64, f64) {
    // Step 1e-4: errors near 1e-11 even for the fastest start.
    let [theta, _] = rk4([0.0, rate], t, (t * 1e4) as usize, |_, y| [y[1], k * y[0].sin()]);
    theta.sin_cos()
}

/// Over ten revolutions an error in the energy shows as a growing error in time, largest for the slowest start.
const ON_BRANCH: f64 = 1e-6;

#[test]
fn four_bars_stay_parallel_through_every_singular_position() {
    let text = model_text("n_four_bar");
    for n in [1, 3, 5] {
        let k = 9.81 * ((n + 1) as f64 / 2.0 + n as f64) / ((n + 1) as f64 / 3.0 + n as f64);
        for speed in [0.5, 3.0, -1.0] {
            let text = text.replace("x[i]' = 1", &format!("x[i]' = {speed}"));
            let mut model = load_with(&text, &sets(&[("N", &n.to_string())]));
            let motion = run(&mut model, &until(20.0));
            let (x, y) = parallel_branch(k, speed, 20.0);
            for i in 0..=n {
                let ends = (last(&motion, &format!("x[{i}]")) - i as f64, last(&motion, &format!("y[{i}]")));
                let apart = f64::max((ends.0 - x).abs(), (ends.1 - y).abs());
                below(&format!("N = {n}, speed {speed}, joint {i}"), apart, ON_BRANCH);
            }
            assert!(motion.outcome.counters.rank_crossings > 10, "it did pass singular positions");
        }
    }
}

#[test]
fn unequal_masses_keep_the_parallel_branch() {
    let text = model_text("n_four_bar")
        .replace("parameter m = 1, g = 9.81", "parameter g = 9.81, a[0..N] = 1, c[1..N] = 1")
        .replace("kinetic m/6*(x[i]'^2", "kinetic a[i]/6*(x[i]'^2")
        .replace("potential m*g*y[i]/2", "potential a[i]*g*y[i]/2")
        .replace("kinetic m/6*(x[i-1]", "kinetic c[i]/6*(x[i-1]")
        .replace("potential m*g*(y[i-1]", "potential c[i]*g*(y[i-1]");
    for (cranks, couplers) in [([1.0, 3.0, 0.5], [2.0, 0.7]), ([0.2, 0.2, 5.0], [0.1, 4.0])] {
        let mut set: Vec<(String, String)> = Vec::new();
        set.extend((0..3).map(|i| (format!("a[{i}]"), format!("{}", cranks[i]))));
        set.extend((0..2).map(|i| (format!("c[{}]", i + 1), format!("{}", couplers[i]))));
        let mut model = load_with(&text, &dalembert::Overrides { set, ..Default::default() });
        let motion = run(&mut model, &until(20.0));
        let (crank, coupler): (f64, f64) = (cranks.iter().sum(), couplers.iter().sum());
        let (x, y) = parallel_branch(9.81 * (crank / 2.0 + coupler) / (crank / 3.0 + coupler), 1.0, 20.0);
        let apart = f64::max((last(&motion, "x[0]") - x).abs(), (last(&motion, "y[0]") - y).abs());
        below("four-bar of unequal masses", apart, ON_BRANCH);
    }
}

#[test]
fn four_bar_in_angles_stays_parallel() {
    let text = "
        const N = 2
        parameter m = 1, g = 9.81
        coordinate q[0..N], c[1..N]                     # cranks from the upright, couplers from the horizontal
        for i in 0..N {
          let B[i] = [i + sin(q[i]), cos(q[i])]
          kinetic m/6*q[i]'^2
          potential m*g*cos(q[i])/2
          initial q[i]' = SPEED
        }
        for i in 1..N {
          let G[i] = B[i-1] + [cos(c[i]), sin(c[i])]/2
          kinetic m/2*dot(G[i]', G[i]') + m/24*c[i]'^2
          potential m*g*G[i].y
          constraint loop[i]: B[i-1] + [cos(c[i]), sin(c[i])] = B[i]
        }";
    let k = 9.81 * (1.5 + 2.0) / (1.0 + 2.0);
    for speed in [1.0, 3.0, -0.5] {
        let motion = run_text(&text.replace("SPEED", &speed.to_string()), &until(20.0));
        let (x, y) = parallel_branch(k, speed, 20.0);
        for i in 0..=2 {
            let q = last(&motion, &format!("q[{i}]"));
            below("four-bar in angles", f64::max((q.sin() - x).abs(), (q.cos() - y).abs()), ON_BRANCH);
        }
    }
}

#[test]
fn equal_slider_crank_goes_straight_through_its_singular_position() {
    let text = model_text("slider_crank");
    for (speed, seconds) in [(-4.0, 10.0), (-8.0, 5.0), (3.0, 5.0), (12.0, 5.0)] {
        let text = text.replace("x' = -4", &format!("x' = {speed}"));
        let motion = run_text(&text, &sharply_until(seconds));
        // On the branch P = (cos a, sin a), x = 2 cos a: (1/3 + sin^2 a) a'^2 + g sin a is constant.
        let a0 = std::f64::consts::FRAC_PI_4;
        let rate = -speed / (2.0 * a0.sin());
        let f = |_: f64, y: &[f64; 2]| {
            let (s, c) = y[0].sin_cos();
            [y[1], -(2.0 * s * c * y[1] * y[1] + 9.81 * c) / (2.0 * (1.0 / 3.0 + s * s))]
        };
        let [a, _] = rk4([a0, rate], seconds, (seconds * 1e4) as usize, f);
        let apart = (last(&motion, "px") - a.cos()).abs().max((last(&motion, "py") - a.sin()).abs());
        below(&format!("slider-crank at {speed}"), apart, 1e-9);
        below("slider on its branch", largest(&column(&motion, "branch")), 1e-11);
    }
}

/// A flat parallelogram: two branches meet, and its rates tell which one it is on. Coordinates are zero there, so that their
/// size says nothing about the mechanism.
#[test]
fn a_flat_parallelogram_follows_its_rates_or_is_refused() {
    let text = |rates: &str, long: f64| {
        format!(
            "parameter m = 1, l = 1, d = {long}, g = 9.81
             coordinate a, b, c
             let P = [l*cos(a), l*sin(a)], Q = P + [d*cos(b), d*sin(b)], S = P + [d*cos(b), d*sin(b)]/2
             kinetic m*l^2/6*(a'^2 + c'^2) + m/2*dot(S', S') + m*d^2/24*b'^2
             potential m*g*(l/2*sin(a) + l/2*sin(c) + S.y)
             constraint loop: Q = [d + l*cos(c), l*sin(c)]
             initial a = 0, b = 0, c = 0{rates}"
        )
    };
    for long in [1.0, 2.0, 3.0] {
        let motion = run(&mut load(&text(", a' = 1, b' = 0, c' = 1", long)), &until(1.0));
        assert!(motion.outcome.degenerate_start);
        let (a, rate) = (column(&motion, "a"), column(&motion, "a'"));
        for (i, (a, rate)) in a.iter().zip(&rate).enumerate() {
            // 5/6 m l^2 a'^2 + 2 m g l sin a
            below("energy", (5.0 / 6.0 * (rate * rate - 1.0) + 19.62 * a.sin()).abs(), 1e-7);
            below("parallel", (column(&motion, "c")[i] - a).abs().max(column(&motion, "b")[i].abs()), 1e-9);
        }
        // At rest, or with rates on no branch, the motion is not determined.
        for rates in ["", ", a' = 1"] {
            let motion = load(&text(rates, long)).simulate(&until(1.0), |_| dalembert::run::Flow::Continue);
            let failure = motion.expect("rows are kept").failure.expect("it is refused");
            assert_eq!(failure.code.id(), "E0515", "{rates}: {}", failure.message);
        }
    }
}
