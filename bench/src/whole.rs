//! Whole motions at a wanted error: time of the loosest tolerance that meets it, judged by a motion at 1e-13.

use dalembert::run::{Flow, State};
use dalembert::{Overrides, Request, Source, Workspace};
use dalembert_codegen::{self as code, Target};
use std::time::Instant;

/// A motion to make.
pub struct Case {
    /// What it is called.
    pub name: &'static str,
    /// What it is called in `peers/mechanisms.py`.
    pub mechanism: &'static str,
    /// Whether its constraints are independent all the way, as some peers need them.
    pub independent: bool,
    text: &'static str,
    set: &'static [(&'static str, &'static str)],
    /// End of the motion.
    pub until: f64,
    /// Wanted error of the end state.
    pub error: f64,
    /// Time to beat in seconds.
    pub aim: f64,
}

/// The motions that are compared.
pub const CASES: [Case; 3] = [
    Case {
        name: "Andrews squeezer",
        mechanism: "andrews",
        independent: true,
        text: include_str!("../../models/andrews_squeezer.dal"),
        set: &[],
        until: 0.03,
        error: 1e-8,
        aim: 0.004,
    },
    Case {
        name: "N-four-bar, N = 40",
        mechanism: "four_bar",
        independent: false,
        text: include_str!("../../models/n_four_bar.dal"),
        set: &[("N", "40")],
        until: 10.0,
        error: 1e-6,
        aim: 0.3,
    },
    Case {
        name: "Bricard",
        mechanism: "bricard",
        independent: false,
        text: include_str!("../../models/bricard.dal"),
        set: &[],
        until: 10.0,
        error: 1e-8,
        aim: 0.05,
    },
];

/// A motion as it was made.
pub struct Made {
    /// Coordinates and speeds at the end.
    pub end: Vec<f64>,
    /// Wall time.
    pub seconds: f64,
    /// Steps taken.
    pub steps: usize,
    /// Evaluations of the acceleration.
    pub evaluations: usize,
}

impl Case {
    /// The model with its settings.
    pub fn model(&self) -> Workspace {
        let set = self.set.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        let overrides = Overrides { set, ..Overrides::default() };
        Workspace::load(&Source::new("m.dal", self.text), &overrides).expect("a good model")
    }

    /// The equations as a module of Python, and the start.
    pub fn exported(&self) -> Option<(String, State)> {
        let mut model = self.model();
        let text = code::write(&model, Target::Python, "motion").ok()?;
        Some((text, model.start().ok()?.state))
    }
}

/// The motion until a time, at a tolerance.
pub fn run(model: &mut Workspace, until: f64, tol: f64) -> Made {
    let request = Request {
        until: Some(until),
        times: Some(Vec::new()),
        rtol: Some(tol),
        atol: Some(tol * 0.01),
        method: Some("dop853".into()),
        ..Request::default()
    };
    let begin = Instant::now();
    let motion = model.simulate(&request, |_| Flow::Continue).expect("the model runs");
    let seconds = begin.elapsed().as_secs_f64();
    let c = motion.counters();
    let (steps, evaluations) = (c.steps, c.evaluations);
    let s = motion.outcome.state;
    Made { end: s.x.into_iter().chain(s.eta).collect(), seconds, steps, evaluations }
}

/// The worst error of an end state, relative where it is large.
pub fn error(end: &[f64], judge: &[f64]) -> f64 {
    end.iter().zip(judge).fold(0.0f64, |m, (a, b)| m.max((a - b).abs() / b.abs().max(1.0)))
}

/// The loosest tolerance tried with its error and the best time; each try is told.
pub fn matched(case: &Case, mut tell: impl FnMut(f64, f64, &Made)) -> Option<(f64, f64, f64)> {
    let mut model = case.model();
    let judge = run(&mut model, case.until, 1e-13).end;
    for k in 0..8 {
        let tol = 1e-6 * 10f64.powi(-k);
        let mut made = run(&mut model, case.until, tol);
        let error = error(&made.end, &judge);
        let repeat = if made.seconds < 0.1 { 20 } else { 3 };
        made.seconds =
            (0..repeat).map(|_| run(&mut model, case.until, tol).seconds).fold(made.seconds, f64::min);
        tell(tol, error, &made);
        if error < case.error {
            return Some((made.seconds, error, tol));
        }
    }
    None
}
