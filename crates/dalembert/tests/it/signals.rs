//! State variables, inputs and tables, against closed forms, other formulations and SciPy.

use crate::support::*;
use dalembert::diagnostic::Code;
use dalembert::elaborate::points_of_columns;
use dalembert::run::{Flow, State};
use dalembert::{Interpolation, MotionForm, Overrides, Request, Samples, Signal, Workspace};

fn with_input(text: &str, name: &str, signal: Signal) -> Workspace {
    load_with(text, &Overrides { input: vec![(name.to_owned(), signal)], ..Overrides::default() })
}

fn expression(text: &str) -> Signal {
    Signal::Expression(text.to_owned())
}

/// A cart with a motor behind an inductance, under integral control.
const MOTOR: &str = "
    parameter m = 2 {kg}, c = 0.3, Kp = 8, Ki = 5, L = 0.1, R = 1, k = 2, target = 1
    coordinate x {m}
    kinetic m/2*x'^2
    state e' = target - x
    state i' = (Kp*(target - x) + Ki*e - R*i - k*x')/L
    discrete mode = 1
    force x = mode*k*i - c*x'
    initial i = 0.5
    output rate = i'";

/// The reference: SciPy, DOP853 at 1e-12.
#[test]
fn state_variables_move_with_the_motion() {
    for method in ["dop853", "tsit5", "radau"] {
        let request = Request { method: Some(method.to_owned()), rtol: Some(1e-11), ..until(5.0) };
        let motion = run_text(MOTOR, &request);
        for (name, expected) in [("x", 0.92137122), ("x'", 0.43050926), ("e", 0.05220693), ("i", 0.39746443)]
        {
            below(&format!("{method} {name}"), (last(&motion, name) - expected).abs(), 1e-8);
        }
        assert_eq!(last(&motion, "mode"), 1.0);
    }
    let hamilton = Request { form: MotionForm::Hamilton, ..until(5.0) };
    below("hamilton", (last(&run_text(MOTOR, &hamilton), "i") - 0.39746443).abs(), 1e-8);
}

/// The linear system has the derivatives of the rates by the speeds too, and the checks of `verify` pass.
#[test]
fn state_variables_are_states_of_the_linear_system() {
    let mut model = load(MOTOR);
    let start = start(&mut model);
    let linear = model.linearize(&start, &[]).expect("a linear system");
    assert_eq!(linear.states, ["x", "e", "i", "mode", "x'"]);
    let row = &linear.state_matrix[10..15];
    below("i'", apart(row, &[-80.0, 50.0, -10.0, 0.0, -20.0]), 1e-12);
    let found = dalembert::verify::verify(&mut model).expect("verified");
    assert!(found.passed(), "{found:?}");
}

/// Quasi-velocities, constraints and a state variable together: a skate whose lamp follows its heading.
#[test]
fn state_variables_with_speeds_and_constraints() {
    let text = "
        parameter tau = 0.5
        coordinate x, y, th
        speed v = x'*cos(th) + y'*sin(th)
        speed u = -x'*sin(th) + y'*cos(th)
        kinetic (x'^2 + y'^2)/2 + 0.3*th'^2
        constraint skate: u = 0
        state f' = (th - f)/tau + 0.1*v^2
        force th = -0.2*f
        initial v = 1, th' = 0.7, f = 0.1";
    let plain = "
        parameter tau = 0.5
        coordinate x, y, th
        kinetic (x'^2 + y'^2)/2 + 0.3*th'^2
        constraint skate: -x'*sin(th) + y'*cos(th) = 0
        state f' = (th - f)/tau + 0.1*(x'*cos(th) + y'*sin(th))^2
        force th = -0.2*f
        initial x' = 1, y' = 0, th' = 0.7, f = 0.1";
    let (a, b) = (run_text(text, &until(3.0)), run_text(plain, &until(3.0)));
    below("two ways", motions_apart(&a, &b, &["x", "y", "th", "f"]), 1e-8);
    assert!(last(&a, "f").abs() > 0.01);
}

#[test]
fn signals_stay_where_their_rates_are_not_needed() {
    let head = "coordinate x\n";
    for (text, code) in [
        ("input u = 1\nkinetic u*x'^2/2", Code::NotConstant),
        ("input u = 1\nkinetic x'^2/2\nconstraint x = u", Code::NotConstant),
        ("input u = 1\nkinetic x'^2/2\noutput y = u'", Code::AccelerationNotAllowed),
        ("state z' = -z\nkinetic z*x'^2/2", Code::NotConstant),
        ("state z' = -z\nkinetic x'^2/2\nconstraint x = z", Code::NotConstant),
        ("discrete m = 1\nkinetic m*x'^2/2", Code::NotConstant),
        ("kinetic x'^2/2\nstate z = 2", Code::UnexpectedToken),
        ("kinetic x'^2/2\nstate z' = x''", Code::AccelerationNotAllowed),
        ("kinetic x'^2/2\ntable f = [[0, 1], [0, 2]]", Code::BadOption),
        ("kinetic x'^2/2\ntable f = [0, 1]", Code::DimensionMismatch),
        ("kinetic x'^2/2\ntable f = [[0, 1]] wavy", Code::ImplicitMultiplication),
        ("kinetic x'^2/2\ntable f from \"f.csv\" columns t, y", Code::NotAvailable),
    ] {
        let found: Vec<Code> = refusal(&format!("{head}{text}")).iter().map(|d| d.code).collect();
        assert!(found.contains(&code), "{text}: {found:?}");
    }
}

const CART: &str = "
    parameter m = 2 {kg}
    input u = 0 {N}
    coordinate x {m}
    kinetic m/2*x'^2
    force x = u
    initial x = 1
    output push = u";

#[test]
fn inputs_are_given_from_outside() {
    let end = |signal: Signal| last(&run(&mut with_input(CART, "u", signal), &until(2.0)), "x");
    assert_eq!(last(&run_text(CART, &until(2.0)), "x"), 1.0);
    below("number", (end(expression("4")) - 5.0).abs(), 1e-12);
    below("unit", (end(expression("4 {N}")) - 5.0).abs(), 1e-12);
    // x'' = -2 x - 2 x': the feedback of a spring and a damper.
    let damped = (-2.0f64).exp() * (2f64.cos() + 2f64.sin());
    below("feedback", (end(expression("-4 {N/m}*x - 4 {N*s/m}*x'")) - damped).abs(), 1e-9);
    // A signal that switches once, not at a step of the integrator.
    let points = vec![(0.0, 0.0), (0.777, 6.0)];
    let switched = Samples { points, interpolation: Interpolation::Step };
    below("step", (end(Signal::Samples(switched)) - (1.0 + 1.5 * (2.0f64 - 0.777).powi(2))).abs(), 1e-9);
    let text = "t,u\n0,0\n1,2\n2,2\n";
    let ramp =
        Samples { points: points_of_columns(text, "t", "u").unwrap(), interpolation: Interpolation::Linear };
    // x'' = t until 1, then 1.
    below("ramp", (end(Signal::Samples(ramp)) - (1.0 + 1.0 / 6.0 + 0.5 + 0.5)).abs(), 1e-9);
    for (name, signal, code) in [
        ("v", expression("1"), Code::UnknownParameter),
        ("u", expression("x''"), Code::AccelerationNotAllowed),
        ("u", expression("1 {kg}"), Code::UnitMismatch),
        ("u", expression("1 +"), Code::BadOption),
    ] {
        let overrides = Overrides { input: vec![(name.to_owned(), signal)], ..Overrides::default() };
        let source = dalembert::Source::new("cart.dal", CART);
        let said = Workspace::load(&source, &overrides).err().expect("refused");
        assert!(said.iter().any(|d| d.code == code), "{name}: {said:?}");
    }
}

/// Against SciPy's `CubicSpline` (not-a-knot), `interp1d` and `previous`.
#[test]
fn tables_are_the_functions_through_their_points() {
    let values = |how: &str, points: &str, at: f64| {
        let text = format!(
            "coordinate x\nkinetic x'^2/2\ntable f = {points} {how}\ninitial x = {at}, x' = 2\noutput a = f(x), b = f(x)'"
        );
        let mut model = load(&text);
        let start = start(&mut model);
        let outputs = evaluate(&model, &start).outputs;
        [outputs[0], outputs[1] / 2.0]
    };
    let points = "[[0, 1], [0.5, 2], [1.5, -1], [2, 0.5], [4, 3]]";
    for (at, value, slope) in [
        (0.2, 1.930_839_344_262_295, 2.630_240_437_158_47),
        (1.0, 0.272_950_819_672_131_1, -4.060_382_513_661_202),
        (3.0, 6.435_245_901_639_345, 3.906_830_601_092_895_7),
    ] {
        let found = values("cubic", points, at);
        below(&format!("spline at {at}: {found:?}"), apart(&found, &[value, slope]), 1e-12);
    }
    assert_eq!(values("linear", points, 3.0), [1.75, 1.25]);
    assert_eq!(values("", points, -1.0), [1.0, 0.0]);
    assert_eq!(values("step", points, 1.5), [-1.0, 0.0]);
    assert_eq!(values("step", points, 1.4)[0], 2.0);
    assert_eq!(values("cubic", points, 9.0), [3.0, 0.0]);
    assert_eq!(values("cubic", "[[0, 0], [1, 2], [2, 0]]", 0.5)[0], 1.5);
}

/// Points of a table as text.
fn table(points: impl Iterator<Item = (f64, f64)>) -> String {
    format!("[{}]", points.map(|(x, y)| format!("[{x:?}, {y:?}]")).collect::<Vec<_>>().join(", "))
}

/// Long tables are looked up, short ones written out: the same function by 6 and by 251 points, in values and slopes, as a
/// force that depends on time, as a constraint and under sensitivities.
#[test]
fn long_tables_are_the_functions_of_short_ones() {
    let corners = [(-1.0, 0.5), (0.25, 0.75), (1.0, -0.25), (1.5, 0.0), (2.0, 0.5), (4.0, 0.25)];
    let short = table(corners.into_iter());
    let refined = corners.windows(2).flat_map(|pair| {
        let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
        (0..50).map(move |k| (x0 + (x1 - x0) * f64::from(k) / 50.0, y0 + (y1 - y0) * f64::from(k) / 50.0))
    });
    let long = table(refined.chain([corners[5]]));
    let steps = table(corners.iter().copied().chain((0..60).map(|k| (5.0 + f64::from(k), 0.25))));
    let at = |points: &str, how: &str, x: f64| {
        let text = format!(
            "coordinate x\nkinetic x'^2/2\ntable f = {points} {how}\ninitial x = {x}, x' = 2\noutput a = f(x), b = f(x)'"
        );
        let mut model = load(&text);
        let start = start(&mut model);
        evaluate(&model, &start).outputs
    };
    for x in [-3.0, -1.0, -0.3, 0.25, 0.6, 1.0, 1.7, 2.0, 3.9, 4.0, 7.0] {
        for (how, other) in [("linear", &long), ("step", &steps)] {
            let [a, b] = [at(&short, how, x), at(other, how, x)];
            below(&format!("{how} at {x}: {a:?} {b:?}"), apart(&a, &b), 1e-12);
        }
    }
    // A spline through points of a cubic is that cubic.
    let cubic = table((0..100).map(|k| (0.1 * f64::from(k), (0.1 * f64::from(k)).powi(3))));
    below("spline", apart(&at(&cubic, "cubic", 4.321), &[4.321f64.powi(3), 6.0 * 4.321f64.powi(2)]), 1e-10);
    for text in [
        "coordinate x\nkinetic x'^2/2\ntable f = POINTS\nforce x = f(t) - f(2*t - 3)*x\ninitial x = 1",
        "coordinate x\nkinetic x'^2/2\ntable f = POINTS\npotential 5*(f(x) + x^2)\ninitial x = 1",
        "parameter m = 1\ncoordinate x, y\nkinetic m*(x'^2 + y'^2)/2\npotential 9.81*m*y\ntable f = POINTS\n\
         constraint c: y = f(x)\ninitial x = -0.5, x' = 2",
    ] {
        let end = |points: &str, how: &str| {
            let mut model = load(&text.replace("POINTS", &format!("{points} {how}")));
            let motion = model.simulate(&until(2.0), |_| Flow::Continue).expect("a motion");
            motion.table.rows().last().expect("rows").to_vec()
        };
        let (a, b) = (end(&short, "linear"), end(&long, "linear"));
        below(&format!("{text}: {a:?} {b:?}"), apart(&a, &b), 1e-7);
        if !text.contains("constraint") {
            let (a, b) = (end(&short, "step"), end(&steps, "step"));
            below(&format!("{text} in steps: {a:?} {b:?}"), apart(&a, &b), 1e-7);
        }
    }
}

/// A hundred thousand points: no time that grows faster than they do, no recursion as deep as they are many.
#[test]
fn a_table_has_a_hundred_thousand_points() {
    let rows: String =
        (0..100_000).map(|k| format!("{},{}\n", f64::from(k) / 1e4, (f64::from(k) / 1e4).sin())).collect();
    let files = vec![("road.csv".to_owned(), format!("s,z\n{rows}"))];
    let overrides = Overrides { files, ..Overrides::default() };
    let text = "table road from \"road.csv\" columns s, z cubic\ncoordinate x\nkinetic x'^2/2\npotential road(x)\n\
                initial x = 0.5, x' = 1\noutput z = road(x), slope = road(x)'/x'";
    let mut model = load_with(text, &overrides);
    let start = start(&mut model);
    let outputs = evaluate(&model, &start).outputs;
    below("values", apart(&outputs[..2], &[0.5f64.sin(), 0.5f64.cos()]), 1e-11);
    let motion = model.simulate(&until(3.0), |_| Flow::Continue).expect("a motion");
    let row = motion.table.rows().last().expect("rows");
    // The energy of the pendulum that the table is.
    below("energy", (row[2].powi(2) / 2.0 + row[1].sin() - 0.5 - 0.5f64.sin()).abs(), 1e-8);
}

/// Gains without units are in SI, with a warning; gains with units are checked.
#[test]
fn signals_of_plain_numbers_may_mix_units() {
    let text = "parameter m = 2 {kg}\ncoordinate x {m}\ninput u = 0 {N}\nkinetic m*x'^2/2\nforce x = u\n\
                initial x = 0.5, x' = 0.25";
    let mut model = with_input(text, "u", expression("-3*x - 2*x'"));
    let warned = model.diagnostics.iter().filter(|d| d.code == Code::SignalUnits).count();
    assert_eq!(warned, 1, "{:?}", model.diagnostics);
    let state = start(&mut model);
    let now = evaluate(&model, &state);
    below("u/m", (now.solution.eta_dot[0] + (3.0 * 0.5 + 2.0 * 0.25) / 2.0).abs(), 1e-15);
    assert_eq!(model.input_values(&state), [("u".to_owned(), -2.0)]);
    let checked = with_input(text, "u", expression("-3 {N/m}*x"));
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    let wrong = Overrides { input: vec![("u".to_owned(), expression("-3 {N}*x"))], ..Overrides::default() };
    let source = dalembert::Source::new("cart.dal", text);
    let Err(refusal) = dalembert::Model::load(&source, &wrong) else { panic!("N m is not N") };
    assert!(refusal.iter().any(|d| d.code == Code::UnitMismatch), "{refusal:?}");
}

/// What inputs are at a state: defaults, numbers, and signals over time and outputs.
#[test]
fn values_of_inputs_at_a_state() {
    let text = "coordinate x\ninput u = 1.5, v = 2\nkinetic x'^2/2\nforce x = u + v\noutput twice = 2*x\ninitial x = 0.5";
    let mut model = with_input(text, "v", expression("twice + t"));
    let state = State { t: 3.0, ..start(&mut model) };
    assert_eq!(model.input_values(&state), [("u".to_owned(), 1.5), ("v".to_owned(), 4.0)]);
}
