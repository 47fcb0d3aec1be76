//! Many double pendulums from random starts: ours and hand-written peers, CPU time and the states at the end.

use dalembert::run::Flow;
use dalembert::sweep::{Plan, Sample, Sweep};
use dalembert::{Model, Request, Source};
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

const STARTS: [&str; 4] =
    ["theta1~uniform(-3,3)", "theta2~uniform(-3,3)", "theta1'~normal(0,1)", "theta2'~normal(0,1)"];

/// Runs as they were made.
pub struct Made {
    /// States at the end.
    pub ends: Vec<[f64; 4]>,
    /// CPU seconds.
    pub seconds: f64,
    /// Mean steps of a run.
    pub steps: f64,
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
pub fn ours(method: &str, tolerance: f64, runs: usize, repetitions: usize) -> Made {
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

/// A peer's runs from the same starts.
pub fn peer(mut command: Command, tolerance: f64, repetitions: usize, starts: &str) -> Option<Made> {
    command.args([format!("{tolerance:e}"), repetitions.to_string()]);
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
pub type Peer = (&'static str, Box<dyn Fn() -> Command>);

/// The peer that is at hand: Numba in this Python, else C.
pub fn contender(python: &Path) -> Option<Peer> {
    let numba = Command::new(python).args(["-c", "import numba"]).stderr(Stdio::null()).status();
    if numba.is_ok_and(|s| s.success()) {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/double_pendulum_numba.py");
        let python = python.to_owned();
        let python = move || {
            let mut python = Command::new(&python);
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

/// The median over the runs of the worst error of a state; the motions are chaotic, so the mean means nothing.
pub fn median_error(made: &Made, known: &Made) -> f64 {
    let pairs = made.ends.iter().zip(&known.ends);
    let mut errors: Vec<f64> =
        pairs.map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)).collect();
    errors.sort_by(f64::total_cmp);
    errors[errors.len() / 2]
}

/// The rate at an error, between the points (error, rate) in logarithms; falling errors.
pub fn rate_at(points: &[(f64, f64)], error: f64) -> Option<f64> {
    points.windows(2).find(|w| (w[1].0..=w[0].0).contains(&error)).map(|w| {
        let share = (error / w[0].0).ln() / (w[1].0 / w[0].0).ln();
        w[0].1 * (w[1].1 / w[0].1).powf(share)
    })
}

/// The starts, a line each.
pub fn starts(runs: usize) -> String {
    let drawn = sweep("dop853", 1e-6, runs);
    let mut starts = String::new();
    for run in 0..runs {
        let v = drawn.values(run);
        let _ = writeln!(starts, "{} {} {} {}", v[0], v[1], v[2], v[3]);
    }
    starts
}
