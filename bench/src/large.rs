//! Chains of N links in redundant coordinates (models/link_chain.dal): what loading, starting and one acceleration cost,
//! and how that grows. The best of several repetitions, because the machine may be shared.

use dalembert::run::{Accelerator, Kernel, Terms};
use dalembert::{Model, Overrides, Source};
use std::time::Instant;

const SIZES: [usize; 5] = [20, 100, 1000, 3000, 10_000];

/// Seconds of the fastest of `times` calls.
fn fastest(times: usize, mut call: impl FnMut()) -> f64 {
    (0..times)
        .map(|_| {
            let begin = Instant::now();
            call();
            begin.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}

fn main() {
    let text = include_str!("../../models/link_chain.dal");
    let source = Source::new("link_chain.dal", text);
    println!(
        "{:>6} {:>10} {:>10} {:>12} {:>12} {:>12} {:>8}",
        "N", "load ms", "start ms", "terms us", "solve us", "us / link", "fill"
    );
    for n in SIZES {
        let overrides = Overrides { set: vec![("N".into(), n.to_string())], ..Overrides::default() };
        let begin = Instant::now();
        let mut model = Model::load(&source, &overrides).expect("the model is good");
        let load = begin.elapsed().as_secs_f64() * 1e3;
        let begin = Instant::now();
        let start = model.start().expect("the start is on the constraints").state;
        let started = begin.elapsed().as_secs_f64() * 1e3;
        model.compiled.make_fast(&mut model.system, &model.form);
        let kernel = &model.compiled;
        let repeat = (200_000 / n).clamp(20, 2000);
        let (mut terms, mut scratch) = (Terms::of(kernel), vec![0.0; kernel.scratch_len()]);
        let alone = fastest(repeat, || kernel.terms(start.point(), &mut scratch, &mut terms)) * 1e6;
        let mut accelerator = Accelerator::new(kernel);
        let whole = fastest(repeat, || {
            accelerator.solve(kernel, start.point()).expect("regular");
        }) * 1e6;
        let fill = kernel.sparsity().map_or(0, |s| s.fill());
        println!(
            "{n:>6} {load:>10.1} {started:>10.1} {alone:>12.1} {whole:>12.1} {:>12.3} {fill:>8}",
            whole / n as f64
        );
    }
}
