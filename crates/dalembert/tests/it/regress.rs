//! Regressions, each named by what broke.

use crate::support;

use dalembert::diagnostic::Code;
use dalembert::equations::{self, Form};
use dalembert::run::Flow;
use dalembert::{Overrides, Request, Source, Workspace};
use dalembert_expr::Format;

fn load(text: &str) -> Result<Workspace, Vec<Code>> {
    let source = Source::new("model.dal", text);
    Workspace::load(&source, &Overrides::default()).map_err(|d| d.iter().map(|d| d.code).collect())
}

fn good(text: &str) -> Workspace {
    load(text).unwrap_or_else(|codes| panic!("{codes:?}"))
}

fn refused(text: &str) -> Vec<Code> {
    load(text).err().expect("the model is wrong")
}

fn acceleration(text: &str) -> Vec<f64> {
    let mut model = good(text);
    let start = model.start().expect("a start").state;
    model.evaluate(&start).expect("an acceleration").solution.eta_dot
}

#[test]
fn latex_keeps_the_brackets_of_a_sum_that_begins_with_a_function() {
    let mut model = good("coordinate x\nkinetic x'^2/2\nforce x = 1/(sin(x) + 2)^3");
    let written = equations::write(&mut model, Form::Kernel, Format::Latex).expect("equations");
    assert!(!written.contains(r"\sin^{3}"), "{written}");
}

#[test]
fn a_sign_is_not_linear() {
    let head = "coordinate x\nkinetic x'^2/2\n";
    assert_eq!(refused(&format!("{head}work 3*delta(x) + 5*sign(delta(x))")), [Code::NotLinearInDelta]);
    assert_eq!(refused("coordinate x\nspeed u = x' + sign(x')\nkinetic u^2/2"), [Code::NotLinear]);
}

#[test]
fn an_event_on_an_energy_nobody_defined_is_an_error() {
    let text = "coordinate x\nmass [[1]]\nforce [-x]\nevent e: energy - 0.1 stop";
    assert_eq!(refused(text), [Code::ObservableOutsideOutput]);
}

#[test]
fn time_cannot_be_an_index() {
    assert_eq!(refused("coordinate x\nkinetic x'^2/2\npotential sum(t in 1..3, t*x)"), [Code::ReservedName]);
}

#[test]
fn an_output_cannot_give_a_word_another_meaning() {
    let head = "coordinate x\nkinetic x'^2/2\n";
    assert_eq!(refused(&format!("{head}output energy = x")), [Code::ReservedName]);
    good(&format!("{head}output energy = energy"));
}

#[test]
fn long_products_are_never_printed_as_zero() {
    let text = "const N = 400\nparameter y = 0.1\ncoordinate x\nkinetic x'^2/2\nlet h[0] = 1\n\
        for i in 1..N { let h[i] = 1 + y*h[i-1]*x }\npotential h[N]";
    let mut model = good(text);
    match equations::write(&mut model, Form::Kernel, Format::Text) {
        Ok(written) => assert!(!written.contains("Q = [0]"), "{written}"),
        Err(d) => assert_eq!(d.code, Code::TooLarge),
    }
}

#[test]
fn a_guessed_rate_leaves_fixed_speeds_alone() {
    let text = "coordinate x, y\nspeed u = x' + y', v = x' - y'\nkinetic u^2 + v^2\ninitial u = 1, x' ~ 3";
    let start = good(text).start().expect("a start").state;
    assert!((start.eta[0] - 1.0).abs() < 1e-14 && (start.eta[1] - 5.0).abs() < 1e-13, "{:?}", start.eta);
}

#[test]
fn a_contact_with_a_symbolic_exponent_starts_at_zero() {
    let text = "parameter k = 3, n = 2\ncoordinate x\nkinetic x'^2/2\npotential k*max(x, 0)^n/n\nforce x = 1";
    assert_eq!(acceleration(text), [1.0]);
}

#[test]
fn endless_numbers_and_vectors_end_in_a_diagnostic() {
    let squares =
        "const c[0] = 3\nfor i in 1..40 { const c[i] = c[i-1]*c[i-1] }\ncoordinate x\nkinetic x'^2/2";
    assert!(refused(squares).iter().all(|c| matches!(c, Code::TooLarge | Code::IndexNotWhole)));
    let ten = |name: &str| [name; 10].join(", ");
    let mut nested = String::from("coordinate x\nkinetic x'^2/2\nlet a0 = [1, 2]\n");
    for k in 1..12 {
        nested.push_str(&format!("let a{k} = [{}]\n", ten(&format!("a{}", k - 1))));
    }
    assert!(refused(&nested).contains(&Code::DimensionMismatch));
}

#[test]
fn events_of_fast_functions_are_all_found() {
    let mut model = good("coordinate th\nkinetic th'^2/2\ninitial th' = 10\nevent up: sin(th)");
    for method in ["dop853", "tsit5", "radau"] {
        let request = Request { until: Some(10.0), method: Some(method.into()), ..Request::default() };
        let motion = model.simulate(&request, |_| Flow::Continue).expect("a motion");
        assert_eq!(motion.events.len(), 31, "{method}");
    }
}

#[test]
fn a_large_force_elsewhere_hides_no_contradiction() {
    let text = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nforce y = 1e9\nconstraint c: x = 1\nconstraint d: x = 1 + t^2";
    let mut model = good(text);
    let start = model.start().expect("a start").state;
    let said = model.evaluate(&start).expect_err("they contradict each other");
    assert_eq!(said.code, Code::ContradictoryConstraints);
    assert!(said.message.contains("`c`") && said.message.contains("`d`"), "{}", said.message);
}

#[test]
fn very_unequal_masses_keep_their_digits() {
    let text = "coordinate a, b, c, d\nkinetic 1e6*a'^2/2 + b'^2/2 + c'^2/2 + 1e-6*d'^2/2\n\
        constraint k1: a = b\nconstraint k2: b = c\nconstraint k3: c = d\nforce d = 1";
    let exact = 1.0 / (1e6 + 2.0 + 1e-6);
    for a in acceleration(text) {
        assert!((a / exact - 1.0).abs() < 1e-9, "{a:e} against {exact:e}");
    }
}

#[test]
fn resting_rows_are_no_contradiction() {
    let mut model = good(&support::model_text("bricard"));
    let start = model.start().expect("a start").state;
    assert!(model.evaluate(&start).is_ok());
}

#[test]
fn an_inertia_that_cancels_is_singular() {
    let mut model = good("coordinate x, y\nlagrangian (x'^2 - y'^2)/2\nconstraint c: x = y\nforce x = 1");
    let start = model.start().expect("a start").state;
    assert_eq!(model.evaluate(&start).err().map(|d| d.code), Some(Code::MassSingular));
}

#[test]
fn chattering_ends_early() {
    let mut model = good("coordinate x\nkinetic x'^2/2\nforce x = -0.5*sign(x')\ninitial x' = 1");
    let request = Request { until: Some(5.0), ..Request::default() };
    let motion = model.simulate(&request, |_| Flow::Continue).expect("a motion");
    assert_eq!(motion.failure.map(|d| d.code), Some(Code::StepTooSmall));
    assert!(motion.outcome.counters.steps < 100_000);
}

#[test]
fn a_quaternion_of_zeros_is_no_start() {
    let text = support::model_text("rigid_body").replace("initial e0 = 1, ", "initial ");
    assert_eq!(good(&text).start().err().map(|d| d.code), Some(Code::InconsistentStart));
}

#[test]
fn a_value_from_outside_is_one_value() {
    let text = "parameter m = 1\ncoordinate x\nkinetic m*x'^2/2";
    for value in ["2\ncoordinate y", "2; force x = 1", "2, n = 3"] {
        let said = Workspace::load(&Source::new("model.dal", text), &support::sets(&[("m", value)])).err();
        assert_eq!(said.and_then(|d| d.first().map(|d| d.code)), Some(Code::BadOption), "{value}");
    }
}

#[test]
fn an_event_just_before_a_row_comes_before_it() {
    let head = "coordinate x\nkinetic x'^2/2\ninitial x' = 1\n";
    for digits in ["0.4999999999999999", "0.499999999999999", "0.49999999999999"] {
        for stop in ["", " stop"] {
            let mut model = good(&format!("{head}event e: x - {digits}{stop}"));
            let request = Request { until: Some(1.0), times: Some(vec![0.5]), ..Request::default() };
            let motion = model.simulate(&request, |_| Flow::Continue).expect("a motion");
            let times = motion.table.column("t").expect("times");
            assert!(times.windows(2).all(|t| t[0] < t[1]), "{digits}{stop}: {times:?}");
        }
    }
}

#[test]
fn an_event_at_the_very_end_is_found() {
    let head = "coordinate x\nkinetic x'^2/2\ninitial x' = 1\n";
    for (event, stops) in
        [("t - 1 stop", true), ("x - 1", false), ("x - 1 rising stop", true), ("t - 1", false)]
    {
        for method in ["dop853", "tsit5", "radau", "rk4"] {
            let mut model = good(&format!("{head}event e: {event}"));
            let request = Request { until: Some(1.0), method: Some(method.into()), ..Request::default() };
            let motion = model.simulate(&request, |_| Flow::Continue).expect("a motion");
            assert_eq!(motion.events.len(), 1, "{event} by {method}");
            assert!(
                (motion.events[0].t - 1.0).abs() < 1e-13 && motion.events[0].rising,
                "{event} by {method}"
            );
            let stopped = matches!(motion.outcome.stop, dalembert::run::Stop::Event(_));
            assert_eq!(stopped, stops, "{event} by {method}");
            let times = motion.table.column("t").expect("times");
            assert!(times.windows(2).all(|t| t[0] < t[1]), "no row twice: {event} by {method}");
        }
    }
    for event in ["x", "x - 1 falling", "x - 1.000001"] {
        let mut model = good(&format!("{head}event e: {event}"));
        let request = Request { until: Some(1.0), ..Request::default() };
        let motion = model.simulate(&request, |_| Flow::Continue).expect("a motion");
        assert!(motion.events.is_empty(), "{event}");
    }
}

#[test]
fn a_wrong_absolute_tolerance_is_called_that() {
    let mut model = good("coordinate x\nkinetic x'^2/2");
    let request = Request { until: Some(1.0), atol: Some(-1.0), ..Request::default() };
    let refused = model.simulate(&request, |_| Flow::Continue).expect_err("it is negative");
    assert!(refused.message.contains("absolute tolerance"), "{}", refused.message);
    assert!(!format!("{refused:?}").contains("relative"), "{refused:?}");
}

#[test]
fn the_shortest_runs_are_made_or_refused() {
    let mut model = good("coordinate x\nkinetic x'^2/2\npotential 5e3*x^2\ninitial x = 1");
    let request = |until: f64| Request { until: Some(until), ..Request::default() };
    let motion = model.simulate(&request(1e-300), |_| Flow::Continue).expect("a motion");
    assert!(motion.failure.is_none() && motion.outcome.state.t == 1e-300);
    assert_eq!(motion.table.rows().count(), 501);
    let refused = model.simulate(&request(1e-323), |_| Flow::Continue).expect_err("no room for rows");
    assert!(
        refused.code == Code::BadOption && refused.message.contains("the end time"),
        "{}",
        refused.message
    );
}

#[test]
fn a_time_too_large_for_its_steps_is_said() {
    let mut model = good("coordinate x\nkinetic x'^2/2\npotential 5e3*x^2\ninitial x = 1");
    let start = model.start_at(1e15, None).expect("a start").state;
    let request = Request { until: Some(1e15 + 10.0), start: Some(start), ..Request::default() };
    let motion = model.simulate(&request, |_| Flow::Continue).expect("a motion");
    let failure = motion.failure.expect("steps below the resolution of t");
    assert_eq!(failure.code, Code::StepTooSmall);
    assert!(failure.message.contains("too large for steps"), "{}", failure.message);
}

/// Euler's equations alone: M eta' = Q decides, and two of the speeds move no coordinate. Refused with E0506 once.
#[test]
fn speeds_of_the_direct_form_may_move_nothing() {
    let text = "coordinate a\nspeed w1, w2, w3\nkinematics a' = w1\nmass [[1,0,0],[0,2,0],[0,0,3]]
        force [-w2*w3, 2*w3*w1, -w1*w2]\ninitial w1 = 0.1, w2 = 1, w3 = 0.2
        output T = (w1^2 + 2*w2^2 + 3*w3^2)/2\noutput h2 = w1^2 + 4*w2^2 + 9*w3^2\nsimulate until 20 tolerance 1e-11";
    let mut model = good(text);
    let start = model.start().expect("a start").state;
    let now = model.evaluate(&start).expect("accelerations");
    // -w2 w3, w3 w1, -w1 w2 / 3
    let known = [-0.2, 0.02, -0.1 / 3.0];
    for (is, want) in now.solution.eta_dot.iter().zip(known) {
        support::below("an acceleration", (is - want).abs(), 1e-15);
    }
    let motion = support::run(&mut model, &Default::default());
    for name in ["T", "h2"] {
        let values = support::column(&motion, name);
        let drift = values.iter().fold(0.0f64, |m, v| m.max((v - values[0]).abs()));
        // Rounding and the tolerance of the run over some three turns.
        support::below(name, drift, 1e-9);
    }
    assert!(dalembert::verify::verify(&mut model).expect("a verdict").passed());
    assert!(equations::write(&mut model, Form::Kernel, Format::Text).is_ok());
    // With energies the brackets are needed.
    let energies = "coordinate a\nspeed w1, w2\nkinematics a' = w1\nkinetic (w1^2 + w2^2)/2\n";
    for more in ["", "mass [[1, 0], [0, 1]]\nforce [0, 0]"] {
        assert!(refused(&format!("{energies}{more}")).contains(&Code::KinematicsMissing));
    }
}

/// A run ends at the bound on events, with an error that names the last one and with what was computed so far.
#[test]
fn events_without_bound_end_the_run() {
    let mut model = good("coordinate x\nkinetic x'^2/2\nevent turn: sin(x)\ninitial x = 0.1, x' = 10\n");
    let request = |max| Request { until: Some(5.0), max_events: max, ..Request::default() };
    let whole = model.simulate(&request(None), |_| Flow::Continue).expect("a good run");
    assert_eq!(whole.events.len(), 15, "50 rad have 15 multiples of pi");
    let cut = model.simulate(&request(Some(5)), |_| Flow::Continue).expect("a run");
    assert!((5..15).contains(&cut.events.len()), "the rest of a step is recorded: {}", cut.events.len());
    let failure = cut.failure.expect("the run ends at its bound");
    assert_eq!(failure.code, Code::TooManySteps);
    assert!(failure.message.starts_with("there are more than 5 events until t = "), "{}", failure.message);
    assert!(failure.message.ends_with("the last of them `turn`"), "{}", failure.message);
}

/// The sum in a function has its own index, whatever the loop around the call calls its own; a body does not see that loop.
#[test]
fn sums_in_functions_do_not_meet_the_indices_of_the_caller() {
    let head = "const N = 3\nparameter d[1..3] = [0.5, 0.4, 0.3]\ncoordinate q[1..N]\n";
    let tips = "let tip(k) = sum(i in 1..N, if i <= k then d[i]*[sin(q[i]), -cos(q[i])] else [0, 0])\n";
    let energy = |index: &str| {
        format!(
            "for {index} in 1..N {{\nkinetic dot(tip({index})', tip({index})')/2\n}}\ninitial q[2]' = 1\n"
        )
    };
    let same = ["i", "j"].map(|index| {
        let mut model = good(&format!("{head}{tips}{}", energy(index)));
        equations::write(&mut model, Form::Kernel, Format::Text).expect("the kernel form")
    });
    assert_eq!(same[0], same[1]);
    let open = format!("{head}let f(x) = i*x\nfor i in 1..N {{\nkinetic f(q[i]'^2)/2\n}}\n");
    assert!(refused(&open).contains(&Code::UnknownName));
}
