//! Constraints in pieces: where they fit the motion goes on, where they do not the run ends with an error.

use crate::support::load;
use dalembert::run::{Flow, Stop};
use dalembert::sweep::{Axis, Plan, Status, Sweep};
use dalembert::{Motion, MotionForm, Request};
use std::sync::atomic::AtomicBool;

const METHODS: [&str; 6] = ["dop853", "tsit5", "radau", "rk4", "variational2", "variational6"];
/// Free motion along a slope of 45 degrees from (1, 1): sqrt(2) = g/sqrt(2) t^2/2.
const BOTTOM: f64 = 0.638_550_856_814_103;

fn particle(constraint: &str, start: &str, more: &str) -> String {
    format!(
        "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint track: {constraint}\ninitial {start}\nsimulate until 3\n{more}\n"
    )
}

fn adaptive(method: &str) -> bool {
    METHODS[..3].contains(&method)
}

fn run(text: &str, method: &str) -> Motion {
    let mut model = load(text);
    let request = Request { method: Some(method.into()), ..Request::default() };
    model.simulate(&request, |_| Flow::Continue).unwrap()
}

/// Time and last state (x, y, x', y') of a run that must end with E0706, and its message.
fn refused(text: &str, method: &str) -> (f64, Vec<f64>, String) {
    let motion = run(text, method);
    let d = motion.failure.unwrap_or_else(|| panic!("{method} goes on: {text}"));
    assert_eq!(d.code.id(), "E0706", "{method}: {}", d.message);
    assert!(d.message.contains("`track`"));
    let state = &motion.outcome.state;
    (state.t, state.x.iter().chain(&state.eta).copied().collect(), d.message)
}

#[test]
fn a_kink_is_an_impact() {
    let at_rest = "x = 1, y = 1, x' = 0, y' = 0";
    let speed = 9.81 / 2.0 * BOTTOM;
    let tracks =
        ["y = abs(x)", "y = max(x, -x)", "y = sqrt(x^2)", "y = if x<0 then 0 else x", "y = max(x, 0)"];
    for track in tracks {
        for method in METHODS {
            let (t, state, message) = refused(&particle(track, at_rest, ""), method);
            assert!((t - BOTTOM).abs() < 1e-8, "{track} {method}: {t}");
            // What is given is the motion before the kink.
            let want = [0.0, 0.0, -speed, -speed];
            assert!(state.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-7), "{track} {method}: {state:?}");
            assert!(message.contains("impact"), "{message}");
        }
    }
}

#[test]
fn drives_that_jump() {
    for method in METHODS {
        let start = "x = 0, y ~ 0, x' = 1, y' ~ 0";
        let (t, state, message) = refused(&particle("y = if t<1 then 0 else 1", start, ""), method);
        assert!((t - 1.0).abs() < 1e-9 && (state[0] - 1.0).abs() < 1e-9 && state[1] == 0.0, "{t} {state:?}");
        assert!(message.contains("jumps by 1:"), "{message}");
        let (t, state, message) = refused(&particle("y = if t<1 then 0 else t - 1", start, ""), method);
        assert!((t - 1.0).abs() < 1e-9 && state[3] == 0.0, "{t} {state:?}");
        assert!(message.contains("speeds jumps by 1:"), "{message}");
        if method.starts_with("variational") {
            continue; // for constraints on positions
        }
        let (t, ..) = refused(&particle("y' = if x<2 then 0 else x", start, ""), method);
        assert!((t - 2.0).abs() < 1e-9, "{t}");
    }
}

#[test]
fn pieces_that_fit() {
    for method in METHODS {
        // A drive that is continued smoothly: y = (t-1)^2.
        let start = "x = 0, y ~ 0, x' = 1, y' ~ 0";
        let motion = run(&particle("y = if t<1 then 0 else (t-1)^2", start, ""), method);
        assert!(motion.failure.is_none(), "{method}");
        let state = &motion.outcome.state;
        assert!((state.x[1] - 4.0).abs() < 1e-8 && (state.eta[1] - 4.0).abs() < 1e-8, "{state:?}");
        // Out of a parabola onto the level: speed is kept there.
        let text = particle("y = if x<0 then 0 else x^2", "x = 1, y = 1, x' = 0, y' = 0", "");
        let motion = run(&text, method);
        assert!(motion.failure.is_none(), "{method}");
        let state = &motion.outcome.state;
        let error = (state.eta[0] + (2.0f64 * 9.81).sqrt()).abs();
        assert!(state.x[0] < 0.0 && error < if adaptive(method) { 1e-7 } else { 1e-2 }, "{method} {state:?}");
        // There and back over the joint, twice.
        let text = particle("y = x*abs(x)*abs(x)*x", "x = 1, y = 1, x' = 0, y' = 0", "");
        assert!(run(&text, method).failure.is_none(), "{method}");
    }
}

#[test]
fn starts_on_a_switch() {
    let start = |v: f64| format!("x = 0, y = 0, x' = {v}, y' ~ 0");
    let track = "y = if x<0 then 0 else x";
    for method in METHODS {
        // Up the slope and back: g sin 45 deg decelerates 2 sqrt(2) m/s, so it is back after 4 sqrt(2)/(g/sqrt(2)).
        let (t, ..) = refused(&particle(track, &start(2.0), ""), method);
        assert!((t - 8.0 / 9.81).abs() < 1e-8, "{method} {t}");
        // To the left the first instant is an impact.
        let (t, ..) = refused(&particle(track, &start(-2.0), ""), method);
        assert_eq!(t, 0.0);
        // At rest in the kink it stays there.
        let motion = run(&particle("y = abs(x)", &start(0.0), ""), method);
        assert!(motion.failure.is_none() && motion.outcome.state.x == [0.0, 0.0]);
    }
}

#[test]
fn an_event_ends_the_motion_before_the_impact() {
    for method in METHODS {
        let text = particle("y = abs(x)", "x = 1, y = 1, x' = 0, y' = 0", "event bottom: x falling stop");
        let motion = run(&text, method);
        assert!(motion.failure.is_none(), "{method}");
        assert!(matches!(motion.outcome.stop, Stop::Event(_)));
        assert_eq!(motion.events.len(), 1, "switches are no events of the model");
        let state = &motion.outcome.state;
        assert!((state.t - BOTTOM).abs() < 1e-8, "{method} {}", state.t);
        assert!((state.eta[0] + 9.81 / 2.0 * BOTTOM).abs() < 1e-7, "{method} {state:?}");
    }
}

#[test]
fn other_variables_and_sweeps_say_the_same() {
    let text = particle("y = abs(x)", "x = 1, y ~ 1, x' = 0, y' = 0", "");
    let hamilton = Request { form: MotionForm::Hamilton, ..Request::default() };
    let motion = load(&text).simulate(&hamilton, |_| Flow::Continue).unwrap();
    assert_eq!(motion.failure.map(|d| d.code.id()), Some("E0706"));
    assert!((motion.outcome.state.t - BOTTOM).abs() < 1e-8);
    let suslov = Request { form: MotionForm::Suslov, ..Request::default() };
    assert!(load(&text).simulate(&suslov, |_| Flow::Continue).is_err(), "its form has no rows to look at");
    let plan = Plan { vary: vec![Axis::read("x=0.5..1:6").unwrap()], ..Plan::default() };
    let sweep = Sweep::new(load(&text), plan).unwrap();
    let mut count = 0;
    sweep.execute(1, 0..sweep.blocks(), &AtomicBool::new(false), |block| {
        assert_eq!(block.in_lanes, 0);
        for row in &block.rows {
            assert!(matches!(&row.status, Status::Failed(d) if d.code.id() == "E0706"));
            count += 1;
        }
        Flow::Continue
    });
    assert_eq!(count, 6);
}
