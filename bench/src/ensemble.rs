//! Many double pendulums: 10 000 random starts, 10 s, trajectories per CPU second at matched error.
//!
//! Peers do the same in the same run: hand-written Tsitouras 5(4) in Numba (Python with numba installed) or, without it,
//! in C (gcc -O3 -march=native). Errors are those of the state at the end against runs at 1e-12; the motions are chaotic,
//! so the median over the runs is what can be compared. Our rate at a peer's error is read off between tolerances.
//! `-- 1000` takes another number of runs.

use dalembert_bench::pendulums::{Made, contender, median_error, ours, peer, rate_at, starts};
use std::path::Path;

const REPETITIONS: usize = 5;

fn main() {
    let runs: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(10_000);
    let starts = starts(runs);
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
    let Some((name, command)) = contender(Path::new("python3")) else {
        println!("\nno peer: neither Numba nor gcc");
        return;
    };
    for tolerance in [1e-5, 1e-6, 1e-7] {
        let Some(made) = peer(command(), tolerance, REPETITIONS, &starts) else { continue };
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
