use dalembert::run::ensemble::{Ended, Ensemble, Job};
use dalembert::run::{Method, Options};
use dalembert::{Model, Source};
use std::time::Instant;
fn main() {
    let text = include_str!("../../models/double_pendulum.dal");
    let mut model = Model::load(&Source::new("dp", text), &Default::default()).unwrap();
    model.compiled.make_fast(&mut model.system, &model.form);
    println!("{:?}", model.compiled.speed());
    let n = 10000;
    for (method, rtol) in [(Method::Tsit5, 1e-6), (Method::Dop853, 1e-6), (Method::Rk4, 1e-6)] {
        let options = Options { method, rtol, atol: rtol, ..Options::default() };
        for looped in [false, true] {
        let lanes = Box::new(model.compiled.lanes().unwrap());
        let e = if looped { Ensemble::looped(lanes, &options) } else { Ensemble::new(lanes, &options) }.unwrap();
        let mut best = f64::MAX;
        let (mut steps, mut rej) = (0, 0);
        for _ in 0..5 {
            let jobs = (0..n).map(|k| {
                let a = (k as f64 * 0.618).fract() * 6.0 - 3.0;
                let b = (k as f64 * 0.414).fract() * 6.0 - 3.0;
                Job { id: k, t: 0.0, t_end: 10.0, y: vec![a, b, 0.0, 0.0], constants: model.compiled.lane_constants().to_vec() }
            });
            (steps, rej) = (0, 0);
            let t = Instant::now();
            e.marcher().march(jobs, || false, |end| if let Ended::Arrived { steps: s, rejected, .. } = end { steps += s; rej += rejected; });
            best = best.min(t.elapsed().as_secs_f64());
        }
        println!("{method} looped {looped} ops {:?}: {:.2} us a run, {:.0}/s, {} steps {} rej, {:.1} ns a step", e.step_operations(), best / n as f64 * 1e6, n as f64 / best, steps / n, rej / n, best * 1e9 / (steps + rej) as f64);
        }
    }
}
