//! Events that assign: values before and behind them, simultaneous ones, constraints, accumulation, energies.

use crate::support::*;
use dalembert::diagnostic::Code;
use dalembert::run::{Flow, Stop};
use dalembert::simulate::MotionForm;
use dalembert::{Motion, Request};

/// A run that may fail: what it computed until then.
fn attempt(text: &str, t: f64) -> Motion {
    load(text).simulate(&until(t), |_| Flow::Continue).expect("a run")
}

/// Of a ball dropped from 1 that rebounds with e, the height of the n-th bounce is e^(2n), and its time is in closed form.
#[test]
fn a_ball_bounces_in_closed_form() {
    for method in ["dop853", "tsit5", "radau", "rk4"] {
        let text = format!(
            "parameter e = 0.8, g = 9.81
             coordinate y
             discrete n = 0
             kinetic y'^2/2
             potential g*y
             event hit: y falling do y' = -e*y', n = n + 1
             event top: y'
             event enough: n - 3.5 rising stop
             initial y = 1
             simulate until 6 every 0.01 method {method}"
        );
        let motion = run_text(&text, &until(6.0));
        assert!(matches!(motion.outcome.stop, Stop::Event(_)), "{method}");
        let drop = (2.0f64 / 9.81).sqrt();
        let hits: Vec<f64> = motion.events.iter().filter(|e| e.name == "hit").map(|e| e.t).collect();
        assert_eq!(hits.len(), 4);
        for (n, t) in hits.iter().enumerate() {
            let expected = drop * (1.0 + 2.0 * (1..=n as i32).map(|k| 0.8f64.powi(k)).sum::<f64>());
            below(method, (t - expected).abs(), 1e-9);
        }
        for (n, top) in motion.events.iter().filter(|e| e.name == "top" && !e.rising).enumerate() {
            let state = top.state.as_ref().expect("the state of an event");
            below(method, (state.x[0] - 0.64f64.powi(n as i32 + 1)).abs(), 1e-8);
        }
        assert_eq!(last(&motion, "n"), 4.0, "the last row is behind the action");
        let balance = motion.balance.expect("a balance");
        below("energy lost in impacts", (balance.events.expect("events") - balance.change).abs(), 1e-8);
        below("open", balance.defect.abs(), 1e-8);
    }
}

/// Bounces accumulate at sqrt(2/g) (1 + e)/(1 - e): the run ends there with what was computed, wherever the floor is.
#[test]
fn events_that_accumulate_end_the_run() {
    for (e, floor) in [(0.5f64, 0.0), (0.8, 1.0), (0.3, -1000.0)] {
        let text = format!(
            "coordinate y\nkinetic y'^2/2\npotential 9.81*y\nevent hit: y - {floor} falling do y' = -{e}*y'
             initial y = {floor} + 1\nsimulate until 6"
        );
        let motion = attempt(&text, 6.0);
        let failure = motion.failure.as_ref().expect("the run ends early");
        assert_eq!(failure.code, Code::EventsAccumulate);
        let end = (2.0f64 / 9.81).sqrt() * (1.0 + e) / (1.0 - e);
        // Heights below the tolerance of the state, 1e-7 for a floor at -1000, are not resolved.
        below("the end", (last(&motion, "t") - end).abs(), 1e-3);
        below("the rest", (last(&motion, "y") - floor).abs(), 1e-6);
    }
}

/// A force that jumps at a given time takes an event function across zero once, whichever way the comparison is written.
#[test]
fn a_force_that_jumps_in_time_fires_once() {
    for (later, action) in [(">", "do n = n + 1"), (">=", "do n = n + 1"), (">", ""), (">=", "")] {
        let text = format!(
            "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint road: y = 0
             friction on road: coefficient 0.3, velocity x'\ndiscrete n = 0
             force y = if t {later} 0.5 and t < 0.8 then -5 else 0
             event over: reaction(road) - 12 rising {action}\ninitial x' = 10\nsimulate until 1"
        );
        for method in ["dop853", "radau", "rk4"] {
            let motion = run(&mut load(&text), &Request { method: Some(method.into()), ..until(1.0) });
            let times: Vec<f64> = motion.events.iter().filter(|e| e.name == "over").map(|e| e.t).collect();
            assert_eq!(times.len(), 1, "{later} {action} {method}: {times:?}");
            below("the time", (times[0] - 0.5).abs(), 1e-12);
            assert_eq!(last(&motion, "n"), f64::from(u8::from(!action.is_empty())), "{later} {method}");
            // Speed by the impulse of friction: 0.3 (9.81 + 5*0.3).
            below("the speed", (last(&motion, "x'") - (10.0 - 0.3 * (9.81 + 1.5))).abs(), 1e-9);
        }
    }
}

/// Bodies of equal mass that collide exchange their speeds; so do three in a row, one after the other.
#[test]
fn colliding_bodies_exchange_their_speeds() {
    let text = "coordinate x[1..3]
         kinetic sum(i in 1..3, x[i]'^2)/2
         for i in 1..2 { event hit[i]: x[i+1] - x[i] - 1 falling do x[i]' = x[i+1]', x[i+1]' = x[i]' }
         initial x[1..3] = [0, 2, 3.5], x[1]' = 1
         simulate until 4 every 1";
    let motion = run_text(text, &until(4.0));
    let ends = ["x[1]", "x[2]", "x[3]"].map(|name| last(&motion, name));
    below("positions", largest(&[ends[0] - 1.0, ends[1] - 2.5, ends[2] - 6.0]), 1e-9);
    assert_eq!(motion.events.len(), 2);
}

#[test]
fn simultaneous_events_read_the_values_before() {
    let model = |second: &str| {
        format!(
            "coordinate a, b\ndiscrete m = 0
             kinetic (a'^2 + b'^2)/2\nforce a = -9.81\nforce b = -9.81
             event first: a falling do a' = -b', m = 1
             event second: b falling do b' = -2*a', m = {second}
             initial a = 1, b = 1\nsimulate until 0.5 every 0.25"
        )
    };
    let motion = run_text(&model("1"), &until(0.5));
    let (speed, rest) = ((2.0f64 * 9.81).sqrt(), 0.5 - (2.0f64 / 9.81).sqrt());
    below("a'", (last(&motion, "a'") - (speed - 9.81 * rest)).abs(), 1e-9);
    below("b'", (last(&motion, "b'") - (2.0 * speed - 9.81 * rest)).abs(), 1e-9);
    let motion = attempt(&model("m + 2"), 0.5);
    assert_eq!(motion.failure.as_ref().map(|d| d.code), Some(Code::EventsContradict));
    assert!(motion.failure.as_ref().is_some_and(|d| d.message.contains("`m`")));
    below("the state before is kept", (last(&motion, "a'") + speed).abs(), 1e-9);
}

/// A row that falls on an event, and the last row of one that stops, show the values behind it.
#[test]
fn rows_at_an_event_show_the_values_behind_it() {
    for (stop, until_time) in [("", 2.0), ("stop ", 1.0)] {
        let text = format!(
            "coordinate x\nstate z' = 1\nkinetic x'^2/2\nevent tick: t - 1 rising {stop}do x' = 2*x', x = 5, z = z - 3
             initial x' = 1, z = 0\nsimulate until 2 every 0.25"
        );
        let motion = run_text(&text, &until(2.0));
        let t = column(&motion, "t");
        assert!(t.windows(2).all(|w| w[0] < w[1]), "no time twice");
        assert_eq!(last(&motion, "t"), until_time);
        let k = t.iter().position(|t| *t == 1.0).expect("a row at the event");
        assert_eq!((column(&motion, "x")[k], column(&motion, "x'")[k]), (5.0, 2.0));
        below("z", (column(&motion, "z")[k] + 2.0).abs(), 1e-14);
    }
    // At the very end of a run too.
    let text = "coordinate x\nkinetic x'^2/2\nevent tick: t - 2 do x = 7\ninitial x' = 1\nsimulate until 2";
    assert_eq!(last(&run_text(text, &until(2.0)), "x"), 7.0);
}

/// An event may cause another one, which happens next at the same instant and reads the values behind the first.
#[test]
fn an_event_may_cause_another() {
    let text = "coordinate x\ndiscrete a = 0, b = 0\nkinetic x'^2/2
         event first: x - 1 rising do a = 1
         event second: a - 0.5 rising do b = 10 + a
         event third: b - 5 rising stop
         initial x' = 1\nsimulate until 3";
    let motion = run_text(text, &until(3.0));
    below("time", (last(&motion, "t") - 1.0).abs(), 1e-12);
    assert_eq!(last(&motion, "b"), 11.0);
    let names: Vec<&str> = motion.events.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names, ["first", "second", "third"]);
}

#[test]
fn what_leaves_the_constraints_is_refused_by_name() {
    let model = |action: &str| {
        format!(
            "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1
             event strike: x falling do {action}\ninitial x = 0.6, y ~ -1\nsimulate until 3"
        )
    };
    let kept = run_text(&model("x' = 1.5*x', y' = 1.5*y'"), &until(3.0));
    assert!(kept.failure.is_none());
    below("drift", kept.outcome.largest_position_residual, 1e-13);
    for (action, word) in [("y' = 1", "speeds"), ("x = 0.1", "positions")] {
        let failure = attempt(&model(action), 3.0).failure.expect("refused");
        assert_eq!(failure.code, Code::EventOffConstraints);
        assert!(failure.message.contains("`rod`") && failure.message.contains(word), "{}", failure.message);
    }
}

/// A rate that is not a speed is assigned through the inverse of the kinematics, the other rates as they were.
#[test]
fn rates_are_assigned_through_declared_speeds() {
    let text = "coordinate x, y
         speed v = x'*cos(0.3) + y'*sin(0.3), w = -x'*sin(0.3) + y'*cos(0.3)
         kinetic (v^2 + w^2)/2
         event e: t - 1 do x' = 3
         initial v = 1
         output vx = x', vy = y'
         simulate until 2";
    let motion = run_text(text, &until(2.0));
    below("x'", (last(&motion, "vx") - 3.0).abs(), 1e-13);
    below("y'", (last(&motion, "vy") - 0.3f64.sin()).abs(), 1e-13);
}

/// A blow sets a body in motion that friction holds, and the contact finds its modes anew.
#[test]
fn friction_follows_a_jump() {
    let text = "coordinate x\nkinetic x'^2/2\nfriction in x: limit 2
         event blow: t - 1 do x' = 3\nsimulate until 4 every 0.5";
    let motion = run_text(text, &until(4.0));
    below("distance", (last(&motion, "x") - 9.0 / 4.0).abs(), 1e-9);
    let names: Vec<&str> = motion.events.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names, ["x slides", "blow", "x sticks"]);
}

#[test]
fn what_cannot_be_assigned_is_said() {
    let model = |action: &str| {
        format!("parameter m = 1\ninput u = 0\ncoordinate x {{m}}\nkinetic x'^2/2\nevent e: x do {action}")
    };
    for (action, code) in [
        ("m = 2", Code::NotAssignable),
        ("u = 2", Code::NotAssignable),
        ("x'' = 2", Code::NotAssignable),
        ("x' = 1, x' = 2", Code::AssignedTwice),
        ("x = 2 {kg}", Code::UnitMismatch),
        ("q = 2", Code::UnknownName),
    ] {
        assert!(refusal(&model(action)).iter().any(|d| d.code == code), "{action}");
    }
}

/// Runs of a sweep with such events are those of the ordinary driver.
#[test]
fn other_forms_and_fixed_steps_of_an_action_are_refused() {
    let text = "coordinate x\nkinetic x'^2/2\nevent e: x - 1 do x' = -x'\ninitial x' = 1\nsimulate until 3";
    for method in ["variational2", "variational4"] {
        let request = Request { method: Some(method.into()), ..until(3.0) };
        assert!(load(text).simulate(&request, |_| Flow::Continue).is_err());
    }
    let request = Request { form: MotionForm::Hamilton, ..until(3.0) };
    assert!(load(text).simulate(&request, |_| Flow::Continue).is_err());
}
