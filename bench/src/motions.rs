//! Whole motions at a wanted error: time of the loosest tolerance that meets it, judged by a motion at 1e-13.

use dalembert::run::Flow;
use dalembert::{Model, Overrides, Request, Source};
use std::time::Instant;

struct Case {
    name: &'static str,
    text: &'static str,
    set: &'static [(&'static str, &'static str)],
    until: f64,
    /// Wanted error of the end state, and the time to beat in seconds.
    error: f64,
    aim: f64,
}

const CASES: [Case; 3] = [
    Case {
        name: "Andrews squeezer",
        text: include_str!("../../models/andrews_squeezer.dal"),
        set: &[],
        until: 0.03,
        error: 1e-8,
        aim: 0.004,
    },
    Case {
        name: "N-four-bar, N = 40",
        text: include_str!("../../models/n_four_bar.dal"),
        set: &[("N", "40")],
        until: 10.0,
        error: 1e-6,
        aim: 0.3,
    },
    Case {
        name: "Bricard",
        text: include_str!("../../models/bricard.dal"),
        set: &[],
        until: 10.0,
        error: 1e-8,
        aim: 0.05,
    },
];

fn run(model: &mut Model, until: f64, tol: f64, method: &str) -> (Vec<f64>, f64, usize, usize) {
    let request = Request {
        until: Some(until),
        times: Some(Vec::new()),
        rtol: Some(tol),
        atol: Some(tol * 0.01),
        method: Some(method.into()),
        ..Request::default()
    };
    let begin = Instant::now();
    let motion = model.simulate(&request, |_| Flow::Continue).expect("the model runs");
    let seconds = begin.elapsed().as_secs_f64();
    let c = motion.counters();
    let s = motion.outcome.state;
    (s.x.into_iter().chain(s.eta).collect(), seconds, c.steps, c.evaluations)
}

fn main() {
    let only = std::env::args().nth(1);
    for case in CASES.iter().filter(|c| only.as_ref().is_none_or(|o| c.name.contains(o.as_str()))) {
        let set = case.set.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        let overrides = Overrides { set, ..Overrides::default() };
        let mut model = Model::load(&Source::new("m.dal", case.text), &overrides).expect("a good model");
        let judge = run(&mut model, case.until, 1e-13, "dop853").0;
        for k in 0..8 {
            let tol = 1e-6 * 10f64.powi(-k);
            let (end, first, steps, evaluations) = run(&mut model, case.until, tol, "dop853");
            let error =
                end.iter().zip(&judge).fold(0.0f64, |m, (a, b)| m.max((a - b).abs() / b.abs().max(1.0)));
            let repeat = if first < 0.1 { 20 } else { 3 };
            let best =
                (0..repeat).map(|_| run(&mut model, case.until, tol, "dop853").1).fold(first, f64::min);
            println!(
                "{:22} tol {tol:.0e}: error {error:.1e}, {best:.4} s, {steps} steps, {evaluations} evaluations; aim {} s at {:e}",
                case.name, case.aim, case.error
            );
            if error < case.error {
                break;
            }
        }
    }
}
