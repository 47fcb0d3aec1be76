//! Accelerations of models from bodies, one state a call and 64 states in turn: `robots MODEL.dal...`. For each model the
//! time from text to a program, its operations, nanoseconds a call, and the largest difference of the accelerations from
//! those of the equations in symbols, relative to the largest of them. `--json` is for bench/peers/robots.py.

use dalembert::compile::Compiled;
use dalembert::run::{Accelerator, Kernel, Point};
use dalembert::{Overrides, Source, Workspace};
use dalembert_bench::timing::{best_ns, fastest};

/// States that are asked for in turn.
const STATES: usize = 64;
/// Speeds up to which the equations are derived in symbols too.
const MAX_SYMBOLS: usize = 60;

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

fn main() {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    for path in &paths {
        let text = std::fs::read_to_string(path).expect("a model");
        let ready = fastest(5, || drop(load(path, &text))) * 1e3;
        let model = load(path, &text);
        let kernel = &model.compiled;
        let states: Vec<(Vec<f64>, Vec<f64>)> = (0..STATES).map(|k| state(&model, k)).collect();
        let point = |k: usize| Point { t: 0.0, x: &states[k].0, eta: &states[k].1 };
        let (n_x, n) = (states[0].0.len(), states[0].1.len());
        let mut workspace = kernel.quick_workspace();
        let mut out = vec![0.0; n_x + n + 2 * kernel.quick_rows().len() + 1];
        let mut next = 0;
        let repeat = (200_000 / (n * n + 20 * n + 100)).max(1);
        let trusted =
            !workspace.is_empty() && (0..STATES).all(|k| kernel.quick(point(k), &mut workspace, &mut out));
        let ns = match trusted {
            true => best_ns(repeat, || {
                next = (next + 1) % STATES;
                std::hint::black_box(kernel.quick(point(next), &mut workspace, &mut out));
            }),
            false => f64::NAN,
        };
        let work = kernel.speed().whole.map_or(0, |whole| whole.each.total());
        let mut difference = f64::NAN;
        if n <= MAX_SYMBOLS && trusted {
            let (mut system, mut form) = (model.system.clone(), model.form.clone());
            form.besides_bodies = None;
            let symbols = Compiled::new(&mut system, &form, kernel.parameters().to_vec());
            let mut accelerator = Accelerator::new(&symbols);
            difference = 0.0;
            for k in 0..STATES {
                kernel.quick(point(k), &mut workspace, &mut out);
                let found = &out[n_x..n_x + n];
                let wanted = &accelerator.solve(&symbols, point(k)).expect("regular").eta_dot;
                let size = wanted.iter().fold(0.0f64, |m, v| m.max(v.abs()));
                let off = found.iter().zip(wanted).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
                difference = f64::max(difference, off / size);
            }
        }
        println!(
            "{path}: n {n}, ready {ready:.2} ms, {work} operations, {ns:.1} ns, differs {difference:.1e}"
        );
    }
}
