//! Steps for somebody else's loop, against runs of the driver.

use crate::support::*;
use dalembert::run::Flow;
use dalembert::stepper::Stepper;
use dalembert::{Model, Request, Source};

const CART: &str = "parameter M = 2, m = 0.5, l = 0.8, g = 9.81
    input u = 0
    coordinate x, theta
    let P = [x + l*sin(theta), l*cos(theta)]
    kinetic M/2*x'^2 + m/2*dot(P', P')
    potential m*g*P.y
    force x = u
    initial theta = 0.3
    simulate until 1 every 0.02";

fn stepper(text: &str, dt: f64, method: &str) -> Stepper {
    let model = Model::load(&Source::new("model.dal", text), &Default::default()).expect("a good model");
    Stepper::new(&model, dt, method, 1).expect("a stepper")
}

/// Steps of the classical method are those of `simulate` with that step; held inputs are those of a table of steps.
#[test]
fn steps_are_those_of_a_run_with_held_inputs() {
    let force = |k: usize| (k as f64).sin();
    let points: Vec<String> = (0..51).map(|k| format!("[{}, {}]", 0.02 * k as f64, force(k))).collect();
    let text =
        CART.replace("force x = u", &format!("table held = [{}] step\nforce x = held(t)", points.join(", ")));
    let motion = run_text(&text, &Request { rtol: Some(1e-12), ..until(1.0) });
    for (method, bound) in [("rk4", 1e-5), ("tsit5", 1e-8), ("dop853", 1e-11)] {
        let mut stepper = stepper(CART, 0.02, method);
        stepper.reset(None).expect("a start");
        for k in 0..50 {
            stepper.step(&[force(k)]).expect("a step");
        }
        let names = ["x", "theta", "x'", "theta'"];
        let apart = names.iter().zip(stepper.states()).map(|(name, y)| (last(&motion, name) - y).abs());
        below(method, apart.fold(0.0, f64::max), bound);
    }
}

/// Many copies at once are what each is alone, under its own inputs.
#[test]
fn copies_do_not_know_each_other() {
    let starts: Vec<[f64; 4]> = (0..5).map(|k| [0.1 * f64::from(k), 0.2, 0.0, -0.3 * f64::from(k)]).collect();
    let mut many = stepper(CART, 0.05, "rk4");
    many.reset(Some(&starts.concat())).expect("states");
    for k in 0..10 {
        let inputs: Vec<f64> = (0..5).map(|i| f64::from(i - k)).collect();
        many.step(&inputs).expect("a step");
    }
    many.step(&[]).expect("a step under the inputs of the last one");
    for (i, start) in starts.iter().enumerate() {
        let mut alone = stepper(CART, 0.05, "rk4");
        alone.reset(Some(start)).expect("a state");
        for k in 0..10 {
            alone.step(&[i as f64 - f64::from(k)]).expect("a step");
        }
        alone.step(&[]).expect("a step under the input of the last one");
        assert_eq!(alone.states(), &many.states()[4 * i..4 * (i + 1)]);
    }
}

/// Constraints hold after every step.
#[test]
fn steps_stay_on_the_constraints() {
    let text = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\ninitial x = 0.8, y ~ -1";
    let mut stepper = stepper(text, 0.05, "rk4");
    stepper.reset(None).expect("a start");
    for _ in 0..100 {
        stepper.step(&[]).expect("a step");
        let y = stepper.states();
        below("position", (y[0].hypot(y[1]) - 1.0).abs(), 1e-14);
        below("velocity", (y[0] * y[2] + y[1] * y[3]).abs(), 1e-13);
    }
}

/// A ball that bounces, a block that sticks, a brake that time works: by steps as in one run.
#[test]
fn events_happen_inside_steps() {
    for text in [
        "coordinate y\ndiscrete n = 0\nkinetic y'^2/2\npotential 9.81*y
         event hit: y falling do y' = -0.8*y', n = n + 1\ninitial y = 1",
        "coordinate x\nkinetic x'^2/2\npotential x^2/2\nfriction in x: limit 0.3\ninitial x = 2",
        "coordinate x\nkinetic x'^2/2\nforce x = if t < 0.333 then 1 else -2\ninitial x = 2",
    ] {
        let mut model = load(text);
        let request = Request { until: Some(2.0), every: Some(1.0), ..Request::default() };
        let motion = model.simulate(&request, |_| Flow::Continue).expect("a run");
        let mut stepper = stepper(text, 0.1, "dop853");
        stepper.reset(None).expect("a start");
        let mut heard = Vec::new();
        for _ in 0..20 {
            stepper.step(&[]).expect("a step");
            heard.extend(stepper.events().iter().map(|(_, e)| (e.name.clone(), e.t)));
        }
        let state = &motion.outcome.state;
        let apart = stepper.states().iter().zip(state.x.iter().chain(&state.eta)).map(|(a, b)| (a - b).abs());
        below("the end", apart.fold(0.0, f64::max), 1e-8);
        let told: Vec<(String, f64)> = motion.events.iter().map(|e| (e.name.clone(), e.t)).collect();
        assert_eq!(heard.len(), told.len(), "{heard:?} {told:?}");
        assert!(heard.iter().zip(&told).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-8));
    }
}

/// A copy that comes to an event which stops stays there.
#[test]
fn a_copy_may_stop() {
    let text = "coordinate x\nkinetic x'^2/2\nevent end: x - 1 stop";
    let mut stepper = stepper(text, 0.4, "rk4");
    stepper.reset(Some(&[0.0, 1.0, 0.0, 0.1])).expect("states");
    for _ in 0..4 {
        stepper.step(&[]).expect("a step");
    }
    assert_eq!(stepper.stopped(), [true, false]);
    below("it waits", (stepper.states()[0] - 1.0).abs(), 1e-12);
}

#[test]
fn wrong_steps_are_refused() {
    let model = Model::load(&Source::new("model.dal", CART), &Default::default()).expect("a good model");
    assert!(Stepper::new(&model, 0.0, "rk4", 1).is_err());
    assert!(Stepper::new(&model, 0.1, "radau", 1).is_err());
    assert!(Stepper::new(&model, 0.1, "magic", 1).is_err());
    let mut stepper = stepper(CART, 0.1, "rk4");
    assert!(stepper.reset(Some(&[0.0; 3])).is_err());
    assert!(stepper.step(&[1.0, 2.0]).is_err());
}
