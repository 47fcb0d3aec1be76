//! Accelerations of models from bodies, one state a call and 64 states in turn: `robots MODEL.dal...`. For each model the
//! time from text to a program, its operations, nanoseconds a call, and the largest difference of the accelerations from
//! those of the equations in symbols, relative to the largest of them. `--json` is for bench/peers/robots.py.

use dalembert::compile::Compiled;
use dalembert::run::{Accelerator, Point};
use dalembert::{Overrides, Source, Workspace};
use dalembert_bench::timing::{best_ns, fastest};

/// States that are asked for in turn.
const STATES: usize = 64;
/// Speeds up to which the equations are derived in symbols too.
const MAX_SYMBOLS: usize = 12;
/// States whose accelerations are shown.
const SHOWN: usize = 4;

fn load(path: &str, text: &str) -> Workspace {
    let source = Source::new(path, text);
    let mut model = Workspace::load(&source, &Overrides::default())
        .unwrap_or_else(|all| panic!("{path}: {}", all[0].message));
    model.compiled.compile_native(&mut model.system, &model.form);
    model
}

/// A state that follows from its number; quaternions are of length 1.
fn state(model: &Workspace, k: usize) -> (Vec<f64>, Vec<f64>) {
    let value = |i: usize| 2.0 * (0.618_033_988_749_895 * (7 * i + 31 * k + 1) as f64).fract() - 1.0;
    let mut x: Vec<f64> = (0..model.form.coordinates.len()).map(value).collect();
    let eta = (0..model.form.speeds.len()).map(|i| value(i + 1000)).collect();
    for joint in model.system.bodies.iter().flat_map(|bodies| &bodies.joints).filter(|j| !j.speeds.is_empty())
    {
        let e = &joint.coordinates[joint.coordinates.len() - 4..];
        let length = e.iter().map(|&i| x[i] * x[i]).sum::<f64>().sqrt();
        e.iter().for_each(|&i| x[i] /= length);
    }
    (x, eta)
}

/// What is measured of a model.
struct Found {
    speeds: usize,
    ready_ms: f64,
    operations: usize,
    ns: f64,
    /// A state, of four in the lanes of a call.
    lanes_ns: f64,
    difference: f64,
    /// At the first states.
    accelerations: Vec<Vec<f64>>,
}

fn measure(path: &str, text: &str) -> Found {
    let ready_ms = fastest(5, || drop(load(path, text))) * 1e3;
    let model = load(path, text);
    let kernel = &model.compiled;
    let states: Vec<(Vec<f64>, Vec<f64>)> = (0..STATES).map(|k| state(&model, k)).collect();
    let point = |k: usize| Point { t: 0.0, x: &states[k].0, eta: &states[k].1 };
    let (n_x, n) = (states[0].0.len(), states[0].1.len());
    let fused = kernel.fused();
    let mut workspace = fused.map_or(Vec::new(), |fused| fused.workspace());
    let mut out = fused.map_or(Vec::new(), |fused| fused.results());
    let operations = kernel.speed().whole.map_or(0, |whole| whole.each.total());
    let mut found = Found {
        speeds: n,
        ready_ms,
        operations,
        ns: f64::NAN,
        lanes_ns: f64::NAN,
        difference: f64::NAN,
        accelerations: Vec::new(),
    };
    for k in 0..STATES {
        if !fused.is_some_and(|fused| fused.accelerate(point(k), &mut workspace, &mut out)) {
            eprintln!("{path}: state {k} needs the general way");
            return found;
        }
        if k < SHOWN {
            found.accelerations.push(out[n_x..n_x + n].to_vec());
        }
    }
    let (mut next, repeat) = (0, (200_000 / (500 * n)).max(1));
    found.ns = best_ns(repeat, || {
        next = (next + 1) % STATES;
        std::hint::black_box(
            fused.is_some_and(|fused| fused.accelerate(point(next), &mut workspace, &mut out)),
        );
    });
    found.lanes_ns = in_lanes(kernel, &states, repeat);
    if n <= MAX_SYMBOLS {
        found.difference = differs_from_symbols(&model, &states, &mut workspace, &mut out);
    }
    found
}

/// Nanoseconds a state where four states are computed by each call, all of them in turn; NaN where there are no lanes.
fn in_lanes(kernel: &Compiled, states: &[(Vec<f64>, Vec<f64>)], repeat: usize) -> f64 {
    let Some(lanes) = kernel.lanes() else { return f64::NAN };
    let inputs: Vec<Vec<f64>> = states
        .iter()
        .map(|(x, eta)| [0.0].iter().chain(x).chain(eta).chain(kernel.lane_constants()).copied().collect())
        .collect();
    let woven: Vec<Vec<f64>> = inputs
        .chunks_exact(4)
        .map(|four| (0..four[0].len()).flat_map(|k| four.iter().map(move |input| input[k])).collect())
        .collect();
    let mut out = vec![0.0; 4 * lanes.program().output_count()];
    let (mut workspace, mut next) = (vec![0.0; lanes.workspace()], 0);
    best_ns(repeat, || {
        next = (next + 1) % woven.len();
        lanes.run(&woven[next], &mut workspace, &mut out);
        std::hint::black_box(&out);
    }) / 4.0
}

/// The largest difference of accelerations from those of the equations in symbols, relative to the largest of them.
fn differs_from_symbols(
    model: &Workspace,
    states: &[(Vec<f64>, Vec<f64>)],
    workspace: &mut [f64],
    out: &mut [f64],
) -> f64 {
    let mut symbols = model.clone();
    symbols.derive_symbols().expect("equations of motion");
    symbols.form.besides_bodies = None;
    let parameters = model.compiled.parameters().to_vec();
    let symbols = Compiled::new(&mut symbols.system, &symbols.form, parameters);
    let mut accelerator = Accelerator::new(&symbols);
    let mut difference = 0.0f64;
    for (x, eta) in states {
        let at = Point { t: 0.0, x, eta };
        model.compiled.fused().expect("one program").accelerate(at, workspace, out);
        let found = &out[x.len()..x.len() + eta.len()];
        let wanted = &accelerator.solve(&symbols, at).expect("regular").eta_dot;
        let size = wanted.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let off = found.iter().zip(wanted).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        difference = difference.max(off / size);
    }
    difference
}

fn main() {
    let mut paths: Vec<String> = std::env::args().skip(1).collect();
    let json = paths.iter().any(|word| word == "--json");
    paths.retain(|word| word != "--json");
    for path in &paths {
        let text = std::fs::read_to_string(path).expect("a model");
        let Found { speeds, ready_ms, operations, ns, lanes_ns, difference, accelerations } =
            measure(path, &text);
        if json {
            println!(
                "{{\"speeds\": {speeds}, \"ready_ms\": {ready_ms}, \"operations\": {operations}, \"ns\": {ns:?}, \"lanes_ns\": {lanes_ns:?}, \"difference\": {difference:?}, \"accelerations\": {accelerations:?}}}"
            );
        } else {
            println!(
                "{path}: {speeds} speeds, ready {ready_ms:.2} ms, {operations} operations, {ns:.1} ns, {lanes_ns:.1} ns in lanes, differs {difference:.1e}"
            );
        }
    }
}
