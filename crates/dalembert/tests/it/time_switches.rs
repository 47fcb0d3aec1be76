//! What time alone switches: steps end there, so motions are as accurate as where nothing is switched.

use crate::support::load;
use dalembert::run::{Dynamics, Flow};
use dalembert::sweep::{Axis, Plan, Sweep};
use dalembert::{Motion, MotionForm, Request};
use std::f64::consts::PI;
use std::sync::atomic::AtomicBool;

const ADAPTIVE: [&str; 3] = ["dop853", "tsit5", "radau"];

fn run(text: &str, request: Request) -> Motion {
    let motion = load(text).simulate(&request, |_| Flow::Continue).unwrap();
    assert!(motion.failure.is_none(), "{text}: {:?}", motion.failure);
    motion
}

fn by(method: &str) -> Request {
    Request { method: Some(method.into()), ..Request::default() }
}

/// Rows as (t, value of the column).
fn rows(motion: &Motion, column: &str) -> Vec<(f64, f64)> {
    let (t, v) = (motion.table.column("t").unwrap(), motion.table.column(column).unwrap());
    t.iter().copied().zip(v.iter().copied()).collect()
}

fn oscillator(force: &str, x: f64, more: &str) -> String {
    format!("coordinate x\nkinetic x'^2/2\npotential x^2/2\nforce x = {force}\ninitial x = {x}\n{more}\n")
}

fn free(force: &str, more: &str) -> String {
    format!("coordinate x\nkinetic x'^2/2\nforce x = {force}\ninitial x = 0\n{more}\n")
}

const KICK: &str = "if t > 5 and t < 5.01 then 100 else 0";

/// x'' + x = KICK by Duhamel's integral.
fn kicked(x: f64, t: f64) -> f64 {
    let since = |start: f64| if t > start { 1.0 - (t - start).cos() } else { 0.0 };
    x * t.cos() + 100.0 * (since(5.0) - since(5.01))
}

#[test]
fn a_kick_is_felt_whatever_the_steps() {
    for method in ADAPTIVE {
        for x in [1.0, 0.0] {
            for tolerance in [1e-4, 1e-7, 1e-10] {
                let text = oscillator(KICK, x, "simulate until 10 every 2.5");
                let motion =
                    run(&text, Request { rtol: Some(tolerance), atol: Some(0.01 * tolerance), ..by(method) });
                for (t, value) in rows(&motion, "x") {
                    // The tolerance is that of a step, and there are ten periods' worth of radians of them.
                    let off = (value - kicked(x, t)).abs();
                    assert!(off < 20.0 * tolerance, "{method} {tolerance:e} from {x} at {t}: {off:e}");
                }
            }
        }
    }
}

/// The known values to five digits, from another integrator.
#[test]
fn the_kick_with_known_values() {
    let text = oscillator(KICK, 1.0, "simulate until 10 every 2.5 tolerance 1e-10");
    let motion = run(&text, Request::default());
    for (t, want) in [(7.5, 0.94910), (10.0, -1.79940)] {
        let row = rows(&motion, "x").into_iter().find(|row| row.0 == t).unwrap();
        assert!((row.1 - want).abs() < 5e-6, "{row:?}");
    }
}

/// RK4 keeps its grid: a step across a switch is made in two, and rows stay at ends of steps.
#[test]
fn fixed_steps_are_cut_at_switches() {
    let off = |step: f64| {
        let text = oscillator("if t > 0.515 and t < 0.7251 then 3 else 0", 1.0, "simulate until 2 every 0.5");
        let motion = run(&text, Request { step: Some(step), ..by("rk4") });
        assert_eq!(motion.outcome.counters.steps as f64, 2.0 / step + 2.0);
        let since = |start: f64| 1.0 - f64::cos(2.0 - start);
        let want = f64::cos(2.0) + 3.0 * (since(0.515) - since(0.7251));
        (rows(&motion, "x").last().unwrap().1 - want).abs()
    };
    // Order 4: halving the step divides the error by 16.
    let (coarse, fine) = (off(0.05), off(0.025));
    assert!(coarse < 1e-6 && fine < coarse / 12.0, "{coarse:e} {fine:e}");
}

/// x'' = 1 and -1 in turn: the speed is a triangle, and every period T moves x by T^2/4.
fn zigzag(t: f64, omega: f64) -> f64 {
    let period = 2.0 * PI / omega;
    let (n, rest) = ((t / period).floor(), t % period);
    let half = 0.5 * period;
    let part = if rest < half { 0.5 * rest * rest } else { half * half - 0.5 * (period - rest).powi(2) };
    n * half * half + part
}

#[test]
fn a_square_wave_of_thousands_of_switches() {
    let text = free("if sin(40*t) > 0 then 1 else -1", "simulate until 100 every 12.5 tolerance 1e-10");
    for method in ADAPTIVE {
        let motion = run(&text, by(method));
        for (t, x) in rows(&motion, "x") {
            // Instants are off by roundings of t and of the phase 40 t, some 1e-13 in all.
            assert!((x - zigzag(t, 40.0)).abs() < 1e-10, "{method} at {t}: {:e}", x - zigzag(t, 40.0));
        }
        // 1273 switches; a start anew takes some steps.
        let steps = motion.outcome.counters.steps;
        assert!(steps > 1273 && steps < 8 * 1273, "{method} {steps}");
    }
}

/// Ten thousand periods lie in one step of a motion that is at rest until then.
#[test]
fn fast_switches_are_seen_from_a_long_step() {
    let force = "if t < 99 then 0 else (if sin(1000*t) > 0 then 1 else -1)";
    let motion = run(&free(force, "simulate until 100 every 100 tolerance 1e-8"), Request::default());
    let want = {
        // From 99 on, counted from the last rising zero of the sine before it.
        let period = 2.0 * PI / 1000.0;
        let before = 99.0 - 99.0 % period;
        let (a, b) = (99.0 - before, 100.0 - before);
        let speed = |s: f64| if s % period < 0.5 * period { s % period } else { period - s % period };
        zigzag(b, 1000.0) - zigzag(a, 1000.0) - speed(a) * (b - a)
    };
    let x = rows(&motion, "x").last().unwrap().1;
    // 320 switches off by a rounding of t = 100 each, 1e-14, with the speed they leave behind.
    assert!((x - want).abs() < 1e-11, "{x} {want}");
}

#[test]
fn pulses_that_no_sample_of_a_step_meets() {
    // Each adds its width to the speed.
    let force = "(if t > 3 and t < 3.0001 then 1 else 0) + (if abs(t - 7) < 1e-7 then 1 else 0)";
    for method in ADAPTIVE {
        let motion = run(&free(force, "simulate until 10 every 10 tolerance 1e-12"), by(method));
        let v = rows(&motion, "x'").last().unwrap().1;
        // The second pulse lies between numbers that are 1e-15 apart, and steps stay four of them away.
        assert!((v - 1.002e-4).abs() < 3e-14, "{method} {:e}", v - 1.002e-4);
    }
}

#[test]
fn switches_at_start_and_end_and_values_of_an_instant() {
    let force = "(if t > 0 then 1 else 100) + (if t >= 2 then 1000 else 0) + (if t == 1 then 1000000 else 0)";
    let text = free(force, "simulate until 2 every 0.5\noutput a = x''");
    for method in ADAPTIVE.into_iter().chain(["rk4"]) {
        let motion = run(&text, Request { step: (method == "rk4").then_some(0.1), ..by(method) });
        for (t, x) in rows(&motion, "x") {
            assert!((x - 0.5 * t * t).abs() < 1e-13, "{method} {t} {x}");
        }
        // Outputs are what the expression says at the time of the row itself.
        let want = [(0.0, 100.0), (0.5, 1.0), (1.0, 1_000_001.0), (1.5, 1.0), (2.0, 1001.0)];
        for ((t, a), (time, value)) in rows(&motion, "a").into_iter().zip(want) {
            assert!(t == time && (a - value).abs() < 1e-9, "{method} {t} {a}");
        }
    }
}

#[test]
fn forms_and_backends_agree() {
    let text = oscillator(
        "(if sin(3*t) > 0.2 then 2 else -1) + abs(t - 1.3) + sign(cos(t))*max(t, 2)",
        1.0,
        "simulate until 4 every 0.5",
    );
    let reference = rows(&run(&text, Request::default()), "x");
    let requests = [
        Request { interpret: true, ..Request::default() },
        Request { fold: true, ..Request::default() },
        Request { form: MotionForm::Hamilton, ..Request::default() },
        Request { form: MotionForm::Suslov, ..Request::default() },
        by("tsit5"),
        by("radau"),
    ];
    for request in requests {
        for (a, b) in rows(&run(&text, request), "x").into_iter().zip(&reference) {
            assert!((a.1 - b.1).abs() < 1e-9, "{a:?} {b:?}");
        }
    }
}

#[test]
fn a_sweep_is_the_same_as_one_run_after_the_other() {
    let text = format!(
        "parameter F = 100\n{}",
        oscillator("if t > 5 and t < 5.01 then F else 0", 1.0, "simulate until 10")
    );
    let plan = Plan { vary: vec![Axis::read("F=50..100:5").unwrap()], ..Plan::default() };
    let sweep = Sweep::new(load(&text), plan).unwrap();
    let mut ends = Vec::new();
    sweep.execute(1, 0..sweep.blocks(), &AtomicBool::new(false), |block| {
        ends.extend(block.rows.iter().map(|row| (row.numbers[1], row.numbers[3])));
        Flow::Continue
    });
    assert_eq!(ends.len(), 5);
    for (force, x) in ends {
        let one = run(&text.replace("F = 100", &format!("F = {force}")), Request::default());
        assert_eq!(one.outcome.state.x[0], x, "F = {force}");
    }
}

/// A spring whose end is driven: at rest, then along a parabola, with a jump of its acceleration.
#[test]
fn a_drive_in_pieces_that_fit() {
    let text = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential (x - y)^2/2\n\
                constraint drive: x = if t < 1 then 0 else (t - 1)^2\ninitial y = 1\nsimulate until 3 every 1\n";
    let (s1, c1) = f64::sin_cos(1.0);
    for method in ADAPTIVE {
        let motion = run(text, by(method));
        for (t, y) in rows(&motion, "y") {
            let s = t - 1.0;
            let want = if s < 0.0 { t.cos() } else { s * s - 2.0 + (c1 + 2.0) * s.cos() - s1 * s.sin() };
            assert!((y - want).abs() < 1e-9, "{method} {t}: {:e}", y - want);
        }
    }
}

/// A block that sticks until it is pushed hard enough, and stops when it is not pushed any more.
#[test]
fn friction_and_a_push_that_jumps() {
    let text = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nforce y = -10\nconstraint floor: y = 0\n\
                friction on floor: coefficient 0.5, velocity x'\nforce x = if t > 1 and t < 2 then 8 else 0\n\
                initial x = 0, y = 0, x' = 0, y' = 0\nsimulate until 4 every 0.5\n";
    for method in ADAPTIVE {
        let motion = run(text, by(method));
        for (t, x) in rows(&motion, "x") {
            // 3 while it is pushed, then -5 until it rests at t = 2.6.
            let (push, slide) = ((t - 1.0).clamp(0.0, 1.0), (t - 2.0).clamp(0.0, 0.6));
            let want = 1.5 * push * push + 3.0 * slide - 2.5 * slide * slide;
            assert!((x - want).abs() < 1e-9, "{method} {t}: {x} {want}");
        }
    }
}

#[test]
fn only_time_counts() {
    let count = |force: &str| load(&oscillator(force, 1.0, "")).compiled.shape().n_time_switch;
    assert_eq!(count("sin(t)"), 0);
    assert_eq!(count("if x > 0.5 then 1 else 0"), 0);
    assert_eq!(count("if x > t then 1 else 0"), 0, "that is found by the error of the steps");
    assert_eq!(count("if t > 1 then (if t > 1 then 1 else abs(t - 2)) else x"), 2);
    let text = format!("parameter p = 1\n{}", oscillator("if p > 0 then 1 else 0", 1.0, ""));
    assert_eq!(load(&text).compiled.shape().n_time_switch, 0);
}
