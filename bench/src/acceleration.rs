//! One acceleration of the n-link pendulum on a cart: one state at a time, and 256 states in lanes.

use dalembert::run::{Kernel, Point};
use dalembert::{Model, Overrides, Source};
use std::hint::black_box;
use std::time::Instant;

const MODEL: &str = include_str!("../../models/cart_pendulum_chain.dal");

fn best_ns(repeat: usize, mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..400 {
        let begin = Instant::now();
        for _ in 0..repeat {
            work();
        }
        best = best.min(begin.elapsed().as_secs_f64() * 1e9 / repeat as f64);
    }
    best
}

fn main() {
    for n in [1, 2, 5, 10, 20] {
        let overrides = Overrides { set: vec![("N".into(), n.to_string())], ..Overrides::default() };
        let begin = Instant::now();
        let mut model = Model::load(&Source::new("cart.dal", MODEL), &overrides).expect("the model is good");
        let loaded = begin.elapsed().as_secs_f64() * 1e3;
        model.compiled.make_fast(&mut model.system, &model.form);
        let ready = begin.elapsed().as_secs_f64() * 1e3;
        let start = model.start().expect("no constraints").state;
        let kernel = &model.compiled;
        let mut scratch = kernel.quick_workspace();
        let mut out = vec![0.0; 2 * (n + 1) + 1];
        let at = Point { t: 0.0, x: &start.x, eta: &start.eta };
        let quick = best_ns(2000, || {
            assert!(kernel.quick(black_box(at), &mut scratch, &mut out));
        });
        let speed = kernel.speed();
        println!("n = {n}: {quick:.1} ns; load {loaded:.2} ms, ready {ready:.2} ms; {speed:?}");
        if let Some(lanes) = kernel.lanes() {
            let d = 1 + start.x.len() + start.eta.len();
            let mut inputs = vec![0.0; lanes.program().input_count() * 4];
            for (k, v) in
                [0.0].iter().chain(&start.x).chain(&start.eta).chain(kernel.lane_constants()).enumerate()
            {
                for l in 0..4 {
                    inputs[4 * k + l] = *v + if k < d { 0.01 * l as f64 } else { 0.0 };
                }
            }
            let mut out = vec![0.0; lanes.program().output_count() * 4];
            let mut workspace = vec![0.0; lanes.workspace()];
            let ns = best_ns(2000, || lanes.run(black_box(&inputs), &mut workspace, &mut out)) / 4.0;
            println!("   lanes: {ns:.1} ns a state");
        }
    }
}
