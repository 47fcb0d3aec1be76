//! What the engine says about wrong models and failed runs, as a user sees it: one line in mechanical words, the place, and
//! advice that can be followed.

mod drawing;
mod mechanics;
mod names;
mod runs;
mod slips;
use crate::support;
mod units;

use dalembert::diagnostic::{Style, render};
use dalembert::run::Flow;
use dalembert::{Overrides, Source, Workspace};

/// Goes as far with a model as it can and shows what stops it.
fn said(text: &str) -> String {
    let source = Source::new("model.dal", text);
    let shown = |said: &[dalembert::diagnostic::Diagnostic]| render(said, &source, Style::Plain);
    let mut model = match Workspace::load(&source, &Overrides::default()) {
        Ok(model) => model,
        Err(said) => return shown(&said),
    };
    if let Err(said) = model.start() {
        return shown(&[*said]);
    }
    match model.simulate(&support::until(2.0), |_| Flow::Continue) {
        Err(said) => shown(&[*said]),
        Ok(motion) => match motion.failure {
            Some(said) => shown(&[said]),
            None => "the model runs\n".to_owned(),
        },
    }
}

#[test]
fn a_failed_run_keeps_what_was_computed() {
    let mut model = support::load(
        "coordinate x\nkinetic x'^2/2\nforce x = 6*x^2\ninitial x = 1, x' = 2\nsimulate until 2 every 0.1",
    );
    let motion = model.simulate(&Default::default(), |_| Flow::Continue).expect("a motion, though it fails");
    assert!(motion.failure.is_some());
    // x = 1/(1 - t)^2 leaves every bound at t = 1.
    let (t, x) = (support::column(&motion, "t"), support::column(&motion, "x"));
    assert!(t.len() >= 10 && *t.last().unwrap() < 1.0 + 1e-6, "{t:?}");
    for (t, x) in t.iter().zip(&x).filter(|(t, _)| **t < 0.95) {
        assert!((x * (1.0 - t) * (1.0 - t) - 1.0).abs() < 1e-8, "x({t}) = {x}");
    }
}

#[test]
fn redundant_rows_are_found_by_name() {
    let mut model = support::load(
        "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: x = y\nconstraint b: y' = x'\nconstraint c: 2*x = 2*y",
    );
    let state = support::start(&mut model);
    let now = support::evaluate(&model, &state);
    let names: Vec<&str> = model
        .redundant_rows(&now.terms)
        .iter()
        .map(|r| model.system.constraints.rows[*r].name.as_str())
        .collect();
    assert_eq!(names, ["b", "c"]);
    assert_eq!(now.solution.rank, 1);
}
