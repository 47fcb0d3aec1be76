//! The equations of motion as a function, starts at any time, and states at events, against what is known otherwise.

use crate::support::*;
use dalembert::Request;
use dalembert::diagnostic::{Code, Diagnostic};
use dalembert::run::Flow;
use dalembert::vector_field::Rates;

fn code<T>(wrong: Result<T, Box<Diagnostic>>) -> Option<Code> {
    wrong.err().map(|d| d.code)
}

/// Both are solves of the same equations by different ways; conditioning magnifies their roundings.
const WAYS: f64 = 1e-9;

#[test]
fn rates_are_those_of_an_evaluation() {
    for name in model_names() {
        let mut model = load_file(&name);
        let Ok(started) = model.start() else { continue };
        let state = started.state;
        let Ok(now) = model.evaluate(&state) else { continue };
        let y: Vec<f64> = state.x.iter().chain(&state.eta).copied().collect();
        let rates = Rates::new(model).unwrap_or_else(|d| panic!("{name}: {}", d.message));
        let (mut worker, mut out) = (rates.worker(), vec![0.0; rates.dimension()]);
        worker.rates(state.t, &y, &mut out).unwrap_or_else(|d| panic!("{name}: {}", d.message));
        let want: Vec<f64> = now.terms.x_dot.iter().chain(&now.solution.eta_dot).copied().collect();
        below(&name, apart(&out, &want) / largest(&want).max(1.0), WAYS);
        let solved = worker.solve(state.t, &y).unwrap_or_else(|d| panic!("{name}: {}", d.message));
        let size = largest(&now.solution.ideal_force).max(1.0);
        below(&name, apart(&solved.ideal_force, &now.solution.ideal_force) / size, WAYS);
    }
}

#[test]
fn a_state_without_acceleration_is_an_error_and_the_next_one_is_not() {
    let rates = Rates::new(load("coordinate x\nkinetic x^2*x'^2/2\npotential x")).unwrap();
    let (mut worker, mut out) = (rates.worker(), [0.0; 2]);
    assert!(worker.rates(0.0, &[0.0, 0.0], &mut out).is_err());
    worker.rates(0.0, &[2.0, 0.0], &mut out).unwrap();
    assert_eq!(out, [0.0, -0.25]);
}

#[test]
fn a_motion_does_not_care_when_it_starts() {
    let mut model = load_file("double_pendulum_cartesian");
    let run = |model: &mut dalembert::Workspace, t: f64| {
        let start = Some(model.start_at(t, None).unwrap().state);
        let request = Request { start, until: Some(t + 1.0), every: Some(0.25), ..Request::default() };
        model.simulate(&request, |_| Flow::Continue).unwrap().table
    };
    let (early, late) = (run(&mut model, 0.0), run(&mut model, 4.0));
    assert_eq!(late.column("t").unwrap(), [4.0, 4.25, 4.5, 4.75, 5.0]);
    for name in &early.columns[1..5] {
        let (a, b) = (early.column(name).unwrap(), late.column(name).unwrap());
        below(name, apart(&a, &b), 1e-8); // steps differ, tolerance 1e-10
    }
}

#[test]
fn a_given_state_is_taken_or_refused() {
    let mut model = load_file("chaplygin_sleigh_quasi");
    let state = model.start().unwrap().state;
    let mut y: Vec<f64> = state.x.iter().chain(&state.eta).copied().collect();
    let across = y.len() - 2;
    let again = model.start_at(2.0, Some(&y)).unwrap().state;
    assert_eq!((again.t, &again.x, &again.eta), (2.0, &state.x, &state.eta));
    y[across] += 0.5; // the blade slips
    assert_eq!(code(model.start_at(0.0, Some(&y))), Some(Code::InconsistentStart));
    assert_eq!(code(model.start_at(0.0, Some(&y[1..]))), Some(Code::BadOption));
    assert_eq!(code(model.start_at(f64::NAN, None)), Some(Code::BadOption));
    y[0] = f64::INFINITY;
    assert_eq!(code(model.start_at(0.0, Some(&y))), Some(Code::BadOption));
    let start = Some(model.start_at(2.0, None).unwrap().state);
    let backwards = Request { start, until: Some(1.0), ..Request::default() };
    assert_eq!(code(model.simulate(&backwards, |_| Flow::Continue)), Some(Code::BadOption));
}

#[test]
fn an_event_knows_its_state() {
    let text = "coordinate y\nkinetic y'^2/2\npotential 10*y\ninitial y = 5\nevent ground: y falling stop\nevent half: y - 2.5\nsimulate until 5";
    let motion = load(text).simulate(&Request::default(), |_| Flow::Continue).unwrap();
    let states: Vec<_> = motion.events.iter().filter_map(|e| e.state.clone()).collect();
    assert_eq!(motion.events.iter().map(|e| e.name.as_str()).collect::<Vec<_>>(), ["half", "ground"]);
    below("half", (states[0].x[0] - 2.5).abs() + (states[0].eta[0] + 50f64.sqrt()).abs(), 1e-8);
    below("ground", states[1].x[0].abs() + (states[1].eta[0] + 10.0).abs() + (states[1].t - 1.0).abs(), 1e-8);
}

#[test]
fn control_is_held_for_a_time_that_makes_sense() {
    let controlled = "coordinate x\nkinetic x'^2/2\nrequire follow: x = sin(t) decay 4, 4\nsimulate until 1";
    let free = "coordinate x\nkinetic x'^2/2\nsimulate until 1";
    for (text, hold, good) in
        [(controlled, 0.1, true), (controlled, 0.0, false), (controlled, f64::NAN, false), (free, 0.1, false)]
    {
        let request = Request { hold: Some(hold), ..Request::default() };
        let run = load(text).simulate(&request, |_| Flow::Continue);
        assert_eq!(run.is_ok(), good, "{hold}");
    }
}
