//! Events of functions that friction brings to zero, where they stay.

use crate::support::*;
use dalembert::run::Stop;
use dalembert::{Motion, Request};

fn slide(event: &str, start: &str) -> String {
    format!(
        "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint floor: y = 0\n\
         friction on floor: coefficient 0.3, velocity x'\n{event}\ninitial {start}\n"
    )
}

fn ended_by_event(motion: &Motion) -> bool {
    matches!(motion.outcome.stop, Stop::Event(_))
}

/// x' = 2 is at rest after this time.
const REST: f64 = 2.0 / (0.3 * 9.81);

#[test]
fn stop_when_it_stops() {
    let events = [
        ("event rest: x' falling stop", "x' = 2", true),
        ("event rest: x' stop", "x' = 2", true),
        ("event rest: x' rising stop", "x' = 2", false),
        ("event rest: x' rising stop", "x' = -2", true),
        ("event rest: x' stop", "x' = -2", true),
        ("event rest: x' falling stop", "x' = -2", false),
        ("event rest: x'^2/2 falling stop", "x' = 2", true),
        ("event rest: energy falling stop", "x' = 2", true),
        ("event rest: 3*x'*(1 + x^2) falling stop", "x' = 2", true),
        ("event rest: abs(x') falling stop", "x' = -2", true),
        ("event rest: x' + 1 falling stop", "x' = 2", false),
    ];
    for (event, initial, seen) in events {
        for method in ["tsit5", "dop853", "rk4", "radau"] {
            for every in [None, Some(0.01)] {
                let text = slide(event, initial);
                let step = (method == "rk4").then_some(0.01);
                let request = Request {
                    until: Some(3.0),
                    every,
                    method: Some(method.to_owned()),
                    step,
                    ..Request::default()
                };
                let motion = run_text(&text, &request);
                assert_eq!(ended_by_event(&motion), seen, "{event} {initial} {method} {every:?}");
                if seen {
                    below(event, (last(&motion, "t") - REST).abs(), 1e-9);
                    below(event, last(&motion, "x'").abs(), 1e-12);
                    assert_eq!(
                        motion.events.iter().filter(|e| e.name == "rest").count(),
                        1,
                        "{event} {method}"
                    );
                }
            }
        }
    }
}

#[test]
fn rest_is_reported_once_and_the_motion_goes_on() {
    let text = slide("event rest: x' falling\nforce x = if t > 2 then 4 else 0", "x' = 2");
    let motion = run_text(&text, &until(3.0));
    let times: Vec<f64> = motion.events.iter().filter(|e| e.name == "rest").map(|e| e.t).collect();
    assert_eq!(times.len(), 1, "{times:?}");
    below("time", (times[0] - REST).abs(), 1e-9);
    below("end", (last(&motion, "x'") - (4.0 - 2.943)).abs(), 1e-8);
}

#[test]
fn rest_relative_to_a_moving_belt_is_seen_and_its_rounding_is_not() {
    let text = "parameter v = 0.7\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint belt: y = 0\n\
                friction on belt: coefficient 0.3, velocity x' - v\nevent caught: x' - v rising\nevent any: x' - v\ninitial x' = 0\n";
    let motion = run_text(text, &until(3.0));
    for name in ["caught", "any"] {
        let times: Vec<f64> = motion.events.iter().filter(|e| e.name == name).map(|e| e.t).collect();
        assert_eq!(times.len(), 1, "{name} {times:?}");
        below("time", (times[0] - 0.7 / 2.943).abs(), 1e-9);
    }
}

#[test]
fn contacts_with_several_components_come_to_rest_too() {
    let puck = |event: &str| {
        format!(
            "coordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z\nconstraint table: z = 0\n\
             friction on table: coefficient 0.3, velocity [x', y']\n{event}\ninitial x' = 1.2, y' = -1.6\n"
        )
    };
    for event in ["x' falling", "y' rising", "sqrt(x'^2 + y'^2) falling", "x' - y' falling", "energy falling"]
    {
        let motion = run_text(&puck(&format!("event rest: {event} stop")), &until(3.0));
        assert!(ended_by_event(&motion), "{event}");
        below(event, (last(&motion, "t") - REST).abs(), 1e-8);
    }
}
