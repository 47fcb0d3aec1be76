//! A model text, all the way: formatting, deriving, starting, a short motion, and what else is asked of models. What is
//! asked beyond a start depends on the bytes, so that a case does the same every time and cases are short.

use dalembert::diagnostic::{Style, any_error, render};
use dalembert::equations::Form;
use dalembert::equilibrium::EquilibriumSearch;
use dalembert::run::{Flow, State};
use dalembert::sweep::{Axis, Plan, Sweep};
use dalembert::syntax::{format, parse};
use dalembert::{Model, MotionForm, Overrides, Request, Source};
use dalembert_codegen as code;
use dalembert_expr::Format;
use dalembert_view::Animation;
use dalembert_view::Plot;
use dalembert_view::report_page::{self, Wanted};
use dalembert_view::scene::Scene;
use std::sync::atomic::AtomicBool;

/// Systems with more speeds are not asked everything.
const SMALL: usize = 6;

/// Whether the model could be derived.
pub fn run(bytes: &[u8]) -> bool {
    let Ok(source) = Source::from_bytes("case.dal", bytes.to_vec()) else { return false };
    round_trip(&source);
    let model = match Model::load(&source, &Overrides::default()) {
        Ok(model) => model,
        Err(said) => {
            assert!(any_error(&said), "a refusal has an error among what it says");
            render(&said, &source, Style::Plain);
            return false;
        }
    };
    render(&model.diagnostics, &source, Style::Plain);
    let choice = crate::random::number_of(bytes);
    if let Ok(started) = model.start() {
        at_start(&model, &started.state, choice);
        move_on(&model, choice);
    }
    ask(&model, &source, choice);
    true
}

/// Formatted text is read again, says the same, and is its own formatting.
fn round_trip(source: &Source) {
    let (ast, said) = parse(source);
    render(&said, source, Style::Plain);
    if any_error(&said) {
        return;
    }
    let once = format(&ast);
    let (ast, said) = parse(&Source::new("formatted.dal", once.clone()));
    assert!(!any_error(&said), "formatted text can be read: {}", said[0].message);
    assert_eq!(format(&ast), once, "formatted text is its own formatting");
}

fn at_start(model: &Model, state: &State, choice: u64) {
    if let Ok(now) = model.evaluate(state) {
        // What is evaluated is finite, or is an error.
        let finite = now.solution.eta_dot.iter().all(|v| v.is_finite());
        assert!(finite, "accelerations that are not finite: {:?}", now.solution.eta_dot);
    }
    if choice.is_multiple_of(4) {
        let _ = model.linearize(state, &[]);
    }
}

/// A short motion with few steps.
fn move_on(model: &Model, choice: u64) {
    let methods = ["dop853", "radau", "tsit5", "rk4", "variational2"];
    let forms = [MotionForm::default(), MotionForm::default(), MotionForm::default(), MotionForm::Hamilton];
    let request = Request {
        until: Some(0.05),
        every: Some(0.01),
        rtol: Some(1e-4),
        max_steps: Some(60),
        method: Some(methods[choice as usize % methods.len()].to_owned()),
        form: forms[choice as usize / 8 % forms.len()],
        interpret: choice.is_multiple_of(3),
        ..Request::default()
    };
    let Ok(motion) = model.simulate(&request, |_| Flow::Continue) else { return };
    assert!(motion.failure.is_some() || !motion.table.values.is_empty(), "a motion without rows fails");
    match choice / 32 % 4 {
        0 => drop(Plot::of_motion(model, &motion.table).svg()),
        1 => drop(Animation::new(model, &motion).map(|film| film.to_json())),
        _ => {}
    }
}

/// One of the other questions.
fn ask(model: &Model, source: &Source, choice: u64) {
    let small = model.form.speeds.len() <= SMALL;
    let formats = [Format::Text, Format::Latex, Format::Python];
    let request = Request { until: Some(0.02), max_steps: Some(40), ..Request::default() };
    match choice / 64 % 12 {
        0..4 => {
            let form = Form::ALL[choice as usize / 1024 % Form::ALL.len()].1;
            let _ = model.equations(form, formats[choice as usize / 8192 % 3]);
        }
        4 => drop(model.analyze()),
        5 => {
            let target =
                [code::Target::C, code::Target::Rust, code::Target::Python][choice as usize / 1024 % 3];
            let _ = code::write(model, target, "fuzzed");
        }
        6 if small => drop(model.verify()),
        7 if small => {
            drop(model.equilibria(&EquilibriumSearch { starts: 2, ..EquilibriumSearch::default() }))
        }
        8 => sweep(model, request),
        9 if small => {
            let wanted = Wanted { request, ..Wanted::default() };
            let _ = report_page::write(model, source, &wanted, &mut |_| Flow::Continue);
        }
        10 if model.form.speeds.len() <= 3 => drop(model.connect("", &[], &request)),
        _ => drop(Scene::new(&mut model.workspace())),
    }
}

/// Five runs in lanes, over the first parameter.
fn sweep(model: &Model, request: Request) {
    let Some(name) = model.system.parameters.first().map(|p| p.name.clone()) else { return };
    let Ok(axis) = Axis::read(&format!("{name}=0.5..2:5")) else { return };
    let Ok(sweep) = Sweep::new(model, Plan { vary: vec![axis], request, ..Plan::default() }) else { return };
    sweep.execute(1, 0..1, &AtomicBool::new(false), |_| Flow::Continue);
}
