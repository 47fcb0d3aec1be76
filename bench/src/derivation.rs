//! From text to first acceleration: the n-link pendulum on a cart, n = 1 to 60.
//!
//! Times the whole way (parse, elaborate, derive, compile, solve once) and prints the size of the compiled tape and
//! the growth between rows. With `--peer` CasADi does the same derivation in the same run (`bench/peers/casadi_cart.py`,
//! Python with casadi installed), so that ratios mean something on a shared machine.

use dalembert::{Overrides, Source, Workspace};
use std::process::Command;
use std::time::Instant;

const SIZES: [usize; 9] = [1, 2, 5, 10, 15, 20, 30, 40, 60];

/// As a user writes it; the same system as models/cart_pendulum_chain.dal.
const MODEL: &str = "
const N = 1
parameter M = 2, g = 9.81, m[1..N] = 0.5, l[1..N] = 0.4
coordinate x, q[1..N]
let P[0] = [x, 0]
for i in 1..N {
    let P[i] = P[i-1] + l[i]*[sin(q[i]), -cos(q[i])]
    initial q[i] = 0.3*i
}
kinetic M/2*x'^2 + sum(i in 1..N, m[i]/2*dot(P[i]', P[i]'))
potential sum(i in 1..N, m[i]*g*P[i].y)
";

struct Sample {
    milliseconds: f64,
    nodes: usize,
    operations: usize,
    acceleration: f64,
}

fn once(n: usize) -> Sample {
    let overrides = Overrides { set: vec![("N".into(), n.to_string())], ..Overrides::default() };
    let begin = Instant::now();
    let mut model = Workspace::load(&Source::new("cart.dal", MODEL), &overrides).expect("the model is good");
    let start = model.start().expect("no constraints").state;
    let now = model.evaluate(&start).expect("regular");
    let milliseconds = begin.elapsed().as_secs_f64() * 1e3;
    Sample {
        milliseconds,
        nodes: model.system.pool.len(),
        operations: model.compiled.counts().total(),
        acceleration: now.solution.eta_dot[0],
    }
}

/// The best of some repetitions: the machine is shared.
fn best(n: usize) -> Sample {
    let repetitions = if n <= 20 { 20 } else { 5 };
    (0..repetitions)
        .map(|_| once(n))
        .min_by(|a, b| a.milliseconds.total_cmp(&b.milliseconds))
        .expect("at least one")
}

fn peer(n: usize) -> Option<(f64, f64)> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/casadi_cart.py");
    let output = Command::new("python3").args([script, &n.to_string()]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut numbers = text.split_whitespace().map(str::parse::<f64>);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

fn main() {
    let with_peer = std::env::args().any(|a| a == "--peer");
    println!(
        "{:>4} {:>12} {:>10} {:>10} {:>8} {:>14} {:>12} {:>8}",
        "n", "ms", "nodes", "tape ops", "growth", "x''", "CasADi ms", "ratio"
    );
    let mut previous: Option<(usize, f64)> = None;
    for n in SIZES {
        let s = best(n);
        let growth = previous.map(|(k, ms)| (s.milliseconds / ms).ln() / (n as f64 / k as f64).ln());
        let growth = growth.map_or(String::new(), |g| format!("{g:.2}"));
        let (theirs, ratio) = match with_peer.then(|| peer(n)).flatten() {
            Some((ms, acceleration)) => {
                let agree = (acceleration - s.acceleration).abs() < 1e-9 * (1.0 + acceleration.abs());
                (
                    format!("{ms:.2}{}", if agree { "" } else { " differs!" }),
                    format!("{:.2}", s.milliseconds / ms),
                )
            }
            None => (String::new(), String::new()),
        };
        println!(
            "{n:>4} {:>12.3} {:>10} {:>10} {growth:>8} {:>14.9} {theirs:>12} {ratio:>8}",
            s.milliseconds, s.nodes, s.operations, s.acceleration
        );
        previous = Some((n, s.milliseconds));
    }
}
