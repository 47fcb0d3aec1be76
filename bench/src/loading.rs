//! From the text of a large system to native code, by stages: chains of links in redundant coordinates
//! (models/link_chain.dal), where every stage must grow as the chain does. Sizes may be given as arguments. Without the
//! checks of [`dalembert::Model::load`], which cost little. The self-check, which follows loading in every run, is told beside it: its
//! budget is 5 ms or a tenth of loading. Each stage is the best of several repetitions, because the
//! machine may be shared.

use dalembert::compile::Compiled;
use dalembert::derive::derive;
use dalembert::elaborate::elaborate;
use dalembert::syntax::parse;
use dalembert::{Overrides, Source, Workspace};
use std::time::Instant;

const MODEL: &str = include_str!("../../models/link_chain.dal");
const SIZES: [usize; 4] = [20, 100, 1000, 10_000];
const STAGES: [&str; 5] = ["parse", "elaborate", "derive", "compile", "native"];

/// Milliseconds of each stage, and the expressions there are after them.
fn once(n: usize) -> ([f64; 5], usize) {
    let source = Source::new("link_chain.dal", MODEL);
    let overrides = Overrides { set: vec![("N".into(), n.to_string())], ..Overrides::default() };
    let mut clock = Instant::now();
    let mut lap = || {
        let now = Instant::now();
        (now - std::mem::replace(&mut clock, now)).as_secs_f64() * 1e3
    };
    let (ast, _) = parse(&source);
    let parse = lap();
    let (system, _) = elaborate(&ast, &overrides);
    let mut system = system.expect("the model is good");
    let elaborate = lap();
    let form = derive(&mut system).expect("equations of motion");
    let derive = lap();
    let parameters = vec![1.0; form.parameters.len()];
    let mut compiled = Compiled::new(&mut system, &form, parameters);
    let compile = lap();
    compiled.compile_native(&mut system, &form);
    ([parse, elaborate, derive, compile, lap()], system.pool.len())
}

/// Milliseconds of the self-check at the start of the chain.
fn self_check(n: usize, repetitions: usize) -> f64 {
    let source = Source::new("link_chain.dal", MODEL);
    let overrides = Overrides { set: vec![("N".into(), n.to_string())], ..Overrides::default() };
    let mut model = Workspace::load(&source, &overrides).expect("the model is good");
    let start = model.start().expect("a start").state;
    let once = |model: &mut Workspace| {
        let began = Instant::now();
        model.self_check(&start).expect("two ways agree");
        began.elapsed().as_secs_f64() * 1e3
    };
    (0..repetitions).map(|_| once(&mut model)).fold(f64::INFINITY, f64::min)
}

fn main() {
    let mut sizes: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = SIZES.to_vec();
    }
    let heads: String = STAGES.iter().map(|stage| format!("{stage:>11}")).collect();
    println!("{:>6}{heads}{:>11}{:>10}{:>13}{:>12}", "N", "ms", "us / N", "expressions", "self-check");
    for n in sizes {
        let repetitions = (20_000 / n.max(1)).clamp(3, 50);
        let mut best = ([f64::INFINITY; 5], 0);
        for _ in 0..repetitions {
            let (stages, expressions) = once(n);
            best.1 = expressions;
            best.0.iter_mut().zip(stages).for_each(|(best, ms)| *best = best.min(ms));
        }
        let total: f64 = best.0.iter().sum();
        let stages: String = best.0.iter().map(|ms| format!("{ms:>11.3}")).collect();
        let check = self_check(n, repetitions.min(5));
        println!("{n:>6}{stages}{total:>11.3}{:>10.2}{:>13}{check:>12.3}", total * 1e3 / n as f64, best.1);
    }
}
