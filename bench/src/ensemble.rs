//! Many double pendulums: 10 000 random starts, 10 s, trajectories per CPU second at matched error.
//!
//! Peers do the same in the same run: hand-written Tsitouras 5(4) in Numba (Python with numba installed) or, without it,
//! in C (gcc -O3 -march=native). Errors are those of the state at the end against runs at 1e-12; the motions are chaotic,
//! so the median over the runs is what can be compared. Our rate at a peer's error is read off between tolerances.
//! `-- 1000` takes another number of runs.

use dalembert::run::Flow;
use dalembert::sweep::{Plan, Sample, Sweep};
use dalembert::{Model, Request, Source};
use std::fmt::Write as _;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

const REPETITIONS: usize = 5;
const STARTS: [&str; 4] =
    ["theta1~uniform(-3,3)", "theta2~uniform(-3,3)", "theta1'~normal(0,1)", "theta2'~normal(0,1)"];

/// States at the end, and CPU seconds.
struct Made {
    ends: Vec<[f64; 4]>,
    seconds: f64,
    steps: f64,
}

fn sweep(method: &str, tolerance: f64, runs: usize) -> Sweep {
    let text = include_str!("../../models/double_pendulum.dal");
    let model = Model::load(&Source::new("double_pendulum.dal", text), &Default::default());
    let request = Request {
        until: Some(10.0),
        method: Some(method.into()),
        rtol: Some(tolerance),
        atol: Some(tolerance),
        ..Request::default()
    };
    let sample = STARTS.iter().map(|text| Sample::read(text).expect("a distribution")).collect();
    let plan = Plan { sample, runs, request, ..Plan::default() };
    let sweep = Sweep::new(model.unwrap_or_else(|d| panic!("{}", d[0].message)), plan);
    sweep.unwrap_or_else(|d| panic!("{}", d.message))
}

/// CPU seconds of this process so far, of all its threads.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let after = text.rsplit(')').next().unwrap_or_default();
    let ticks: f64 = after.split_whitespace().skip(11).take(2).filter_map(|v| v.parse::<f64>().ok()).sum();
    ticks / 100.0
}

/// The whole way of a sweep: starts, motions, outputs, rows.
fn ours(method: &str, tolerance: f64, runs: usize, repetitions: usize) -> Made {
    let sweep = sweep(method, tolerance, runs);
    let (mut ends, mut steps) = (vec![[0.0; 4]; runs], 0.0);
    let began = cpu();
    for _ in 0..repetitions {
        steps = 0.0;
        sweep.execute(1, 0..sweep.blocks(), &AtomicBool::new(false), |block| {
            for row in &block.rows {
                ends[row.numbers[0] as usize] = std::array::from_fn(|k| row.numbers[6 + k]);
                steps += row.numbers[row.numbers.len() - 1];
            }
            Flow::Continue
        });
    }
    Made { ends, seconds: (cpu() - began) / repetitions as f64, steps: steps / runs as f64 }
}

fn peer(mut command: Command, tolerance: f64, starts: &str) -> Option<Made> {
    command.args([format!("{tolerance:e}"), REPETITIONS.to_string()]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let (mut input, text) = (child.stdin.take()?, starts.to_owned());
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().ok()?;
    let _ = writer.join();
    let text = String::from_utf8(output.stdout).ok()?;
    let mut lines = text.lines();
    let first: Vec<f64> = lines.next()?.split(' ').filter_map(|v| v.parse().ok()).collect();
    let ends = lines.filter_map(|line| {
        let values: Vec<f64> = line.split(' ').filter_map(|v| v.parse().ok()).collect();
        values.try_into().ok()
    });
    Some(Made { ends: ends.collect(), seconds: *first.first()?, steps: *first.get(1)? })
}

/// How a peer is called, and how it is started.
type Peer = (&'static str, Box<dyn Fn() -> Command>);

/// The peer that is at hand.
fn contender() -> Option<Peer> {
    let numba = Command::new("python3").args(["-c", "import numba"]).stderr(Stdio::null()).status();
    if numba.is_ok_and(|s| s.success()) {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/double_pendulum_numba.py");
        let python = move || {
            let mut python = Command::new("python3");
            python.arg(script);
            python
        };
        return Some(("Numba, tsit5", Box::new(python)));
    }
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/double_pendulum.c");
    let program = std::env::temp_dir().join(format!("double_pendulum_{}", std::process::id()));
    let gcc = Command::new("gcc").args(["-O3", "-march=native", source, "-lm", "-o"]).arg(&program).status();
    gcc.is_ok_and(|s| s.success())
        .then(|| ("C, tsit5", Box::new(move || Command::new(&program)) as Box<dyn Fn() -> Command>))
}

fn median_error(made: &Made, known: &Made) -> f64 {
    let pairs = made.ends.iter().zip(&known.ends);
    let mut errors: Vec<f64> =
        pairs.map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)).collect();
    errors.sort_by(f64::total_cmp);
    errors[errors.len() / 2]
}

/// The rate at an error, between the points (error, rate) in logarithms; falling errors.
fn rate_at(points: &[(f64, f64)], error: f64) -> Option<f64> {
    points.windows(2).find(|w| (w[1].0..=w[0].0).contains(&error)).map(|w| {
        let share = (error / w[0].0).ln() / (w[1].0 / w[0].0).ln();
        w[0].1 * (w[1].1 / w[0].1).powf(share)
    })
}

fn main() {
    let runs: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(10_000);
    let drawn = sweep("dop853", 1e-6, runs);
    let mut starts = String::new();
    for run in 0..runs {
        let v = drawn.values(run);
        let _ = writeln!(starts, "{} {} {} {}", v[0], v[1], v[2], v[3]);
    }
    let known = ours("dop853", 1e-12, runs, 1);
    println!("{runs} double pendulums, 10 s; whole sweeps of ours on one thread\n");
    println!("{:<16} {:>10} {:>8} {:>14} {:>16}", "", "tolerance", "steps", "median error", "per CPU second");
    let show = |name: &str, tolerance: f64, made: &Made| {
        let (error, rate) = (median_error(made, &known), runs as f64 / made.seconds);
        println!("{name:<16} {tolerance:>10.0e} {:>8.0} {error:>14.2e} {rate:>16.0}", made.steps);
        (error, rate)
    };
    let mut curves = Vec::new();
    for method in ["tsit5", "dop853"] {
        let curve: Vec<(f64, f64)> = [1e-4, 1e-5, 1e-6, 1e-7, 1e-8]
            .map(|tolerance| show(method, tolerance, &ours(method, tolerance, runs, REPETITIONS)))
            .into();
        curves.push((method, curve));
    }
    let Some((name, command)) = contender() else {
        println!("\nno peer: neither Numba nor gcc");
        return;
    };
    for tolerance in [1e-5, 1e-6, 1e-7] {
        let Some(made) = peer(command(), tolerance, &starts) else { continue };
        let (error, rate) = show(name, tolerance, &made);
        for (method, curve) in &curves {
            if let Some(own) = rate_at(curve, error) {
                println!(
                    "{:<16} at that error {own:.0} per CPU second: {:.2} times",
                    format!("  {method}"),
                    own / rate
                );
            }
        }
    }
}
