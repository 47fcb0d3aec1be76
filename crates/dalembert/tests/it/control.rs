//! Requirements met by control: decay, actuators, weights, another plant, sampled control.

use crate::support;

use crate::support::*;
use dalembert::diagnostic::Code;
use dalembert::run::Flow;
use dalembert::{Request, Workspace};

fn motion_of(text: &str, request: &Request) -> dalembert::Motion {
    run(&mut load(text), request)
}

const CART: &str = "
    parameter m = 1, M = 2, l = 0.7, g = 9.81
    coordinate x, theta
    let P = [x + l*sin(theta), -l*cos(theta)]
    kinetic M/2*x'^2 + m/2*dot(P', P')
    potential m*g*P.y
";

/// E1: three rows of rank two ask for the same as two rows of rank two.
#[test]
fn redundant_requirements_ask_for_nothing_more() {
    let field = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nforce x = -0.5*(x^2 + y^2)*x\nforce y = -0.5*(x^2 + y^2)*y - 9.81\n\
                 initial x = 2, y' = 2\noutput u = control(x), v = control(y)\n";
    let plain = format!("{field}require track: [x, y] = 2*[cos(t), sin(t)]");
    let rich = format!(
        "{field}require track: [x, y] = 2*[cos(t), sin(t)]\nrequire circle: x^2 + y^2 = 4\nrequire turn: x*y' - y*x' = 4"
    );
    let request = Request { times: Some(vec![1.3]), rtol: Some(1e-12), ..until(2.0) };
    let (one, two) = (motion_of(&plain, &request), motion_of(&rich, &request));
    for name in ["x", "y", "u", "v"] {
        below(name, apart(&column(&one, name), &column(&two, name)), 1e-9);
    }
    let at = column(&one, "t").iter().position(|t| *t == 1.3).expect("a row");
    below("E1", (column(&one, "u")[at] - 0.534_997_657_249_174_8).abs(), 1e-10);
    below("E1", (column(&two, "v")[at] - 11.737_116_370_834_386).abs(), 1e-10);
}

/// C2: the error obeys its equation, for positions and for rates, one coefficient and two.
#[test]
fn errors_decay_as_they_are_told() {
    let text = |require: &str| {
        format!("{CART}initial x = 0.3, theta = 0.2, x' = 0.1\n{require}\noutput e = residual(r)")
    };
    let request = Request { rtol: Some(1e-11), ..until(3.0) };
    type Closed = fn(f64) -> f64;
    let cases: [(&str, Closed); 3] = [
        // h'' + 3 h' + 2 h = 0 from h = 0.3, h' = 0.1
        ("require r: x = 0 decay 3, 2", |t| 0.7 * (-t).exp() - 0.4 * (-2.0 * t).exp()),
        // critically damped: k0 = 4, k1 = 4
        ("require r: x = 0 decay 4", |t| (0.3 + 0.7 * t) * (-2.0 * t).exp()),
        ("require r: x' = 0 decay 1.5", |t| 0.1 * (-1.5 * t).exp()),
    ];
    for (require, closed) in cases {
        let motion = motion_of(&text(require), &request);
        let (t, e) = (column(&motion, "t"), column(&motion, "e"));
        for (t, e) in t.iter().zip(&e) {
            below(require, (e - closed(*t)).abs(), 1e-9);
        }
    }
}

/// Only what is actuated pushes; of several ways the weight decides.
#[test]
fn actuators_and_weights() {
    let text = |more: &str| {
        format!(
            "{CART}initial theta = 0.2\nrequire r: theta = 0.2*cos(2*t)\n{more}\noutput u = control(x), v = control(theta)"
        )
    };
    let only_cart = motion_of(&text("actuate x"), &until(1.0));
    assert!(column(&only_cart, "v").iter().all(|v| *v == 0.0));
    let only_joint = motion_of(&text("actuate theta"), &until(1.0));
    assert!(column(&only_joint, "u").iter().all(|v| *v == 0.0));
    // A force that is dear is not used, and the answer tends to the one without it.
    let dear = motion_of(&text("actuate x, theta\nweight [1, 1e9]"), &until(1.0));
    below("dear", apart(&column(&dear, "u"), &column(&only_cart, "u")), 1e-5);
    let scaled = motion_of(&text("weight [[2e3, 1e3], [1e3, 3e3]]"), &until(1.0));
    let plain = motion_of(&text("weight [[2, 1], [1, 3]]"), &until(1.0));
    below("scale of the weight", apart(&column(&scaled, "u"), &column(&plain, "u")), 1e-8);
}

/// Natural constraints stay with nature: the same control in redundant coordinates.
#[test]
fn control_on_top_of_constraints() {
    let reduced = "coordinate a\nkinetic a'^2/2\npotential -9.81*cos(a)\nrequire r: a = 0.4*sin(t)\ninitial a' = 0.4\n\
                   output e = energy, torque = control(a)";
    let redundant = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n\
                     require r: atan2(x, -y) = 0.4*sin(t)\ninitial x = 0, y = -1, x' = 0.4\n\
                     output e = energy, torque = x*control(y) - y*control(x)";
    let request = Request { rtol: Some(1e-11), ..until(3.0) };
    let (one, two) = (motion_of(reduced, &request), motion_of(redundant, &request));
    below("energy", apart(&column(&one, "e"), &column(&two, "e")), 1e-9);
    below("torque", apart(&column(&one, "torque"), &column(&two, "torque")), 1e-8);
    below("rod", two.outcome.largest_position_residual, 1e-14);
}

/// A force of the constraint that follows its multiplier, which control changes: u = (1 + mu g)/(cos b + mu sin b), however
/// strong the coupling, and of two inputs the cheaper mixture.
#[test]
fn control_against_forces_that_follow_the_multipliers() {
    let text = |mu: f64, more: &str| {
        format!(
            "parameter mu = {mu}, g = 9.81, b = 0.5
             coordinate x, y
             kinetic (x'^2 + y'^2)/2
             potential g*y
             constraint plane: y = 0
             nonideal work -mu*multiplier(plane)*delta(x)
             require r: x' = 1 + t
             {more}
             initial x' = 1"
        )
    };
    for mu in [0.1, 0.3, 1.1, 1.2, 1.5, 10.0] {
        let mut model =
            load(&text(mu, "speed s = x'*cos(b) + y'*sin(b), n = -x'*sin(b) + y'*cos(b)\nactuate s"));
        let start = start(&mut model);
        let u = evaluate(&model, &start).solution.inputs[0];
        let (s, c) = 0.5_f64.sin_cos();
        below("input", (u * (c + mu * s) / (1.0 + mu * 9.81) - 1.0).abs(), 1e-13);
        // ux + mu uy = 1 + mu g at least ux^2 + uy^2.
        let mut model = load(&text(mu, "actuate x, y\nweight [1, 1]"));
        let start = support::start(&mut model);
        let u = evaluate(&model, &start).solution.inputs;
        let each = (1.0 + mu * 9.81) / (1.0 + mu * mu);
        below("least cost", (u[0] - each).abs().max((u[1] - mu * each).abs()), 1e-11 * each);
    }
}

/// Control and friction act on each other through the normal force; the requirement is met all the same.
#[test]
fn control_through_friction() {
    let text = "
        parameter m = 1, g = 9.81
        coordinate x, y
        kinetic m/2*(x'^2 + y'^2)
        potential m*g*y
        constraint slope: y = x*tan(0.4)
        friction on slope: coefficient 0.3, velocity x'*cos(0.4) + y'*sin(0.4)
        require r: x = 2*sin(t) + 3*t
        actuate x
        initial x' = 5
        output u = control(x), N = reaction(slope), e = residual(r)
    ";
    let motion = motion_of(text, &Request { rtol: Some(1e-11), ..until(2.0) });
    below("met", column(&motion, "e").iter().fold(0.0, |m: f64, e| m.max(e.abs())), 1e-9);
    // A horizontal push u: N = m g cos + u sin, and along the slope m a = u cos - m g sin - 0.3 N.
    let (s, c) = 0.4_f64.sin_cos();
    for (t, (u, N)) in column(&motion, "t").iter().zip(column(&motion, "u").iter().zip(column(&motion, "N")))
    {
        below("normal force", (N - 9.81 * c - u * s).abs(), 1e-9);
        let a = -2.0 * t.sin() / c;
        below("along", (a - (u * c - 9.81 * s - 0.3 * N)).abs(), 1e-8);
    }
    below("balance", motion.balance.expect("a balance").defect.abs(), 1e-8);
}

#[test]
fn a_start_off_the_requirement_needs_a_decay() {
    let mut model = load("coordinate x\nkinetic x'^2/2\nrequire r: x = cos(t)\ninitial x = 2");
    let said = model.simulate(&until(1.0), |_| Flow::Continue).unwrap_err();
    assert_eq!(said.code, Code::RequirementNotMet);
    let mut model = load("coordinate x\nkinetic x'^2/2\nrequire r: x' = 1\ninitial x = 2");
    assert_eq!(model.simulate(&until(1.0), |_| Flow::Continue).unwrap_err().code, Code::RequirementNotMet);
}

#[test]
fn out_of_reach_names_the_force_that_is_missing() {
    let model = load("coordinate x, y\nkinetic (x'^2 + y'^2)/2\nrequire high: y = 1 decay 2, 1\nactuate x");
    let said = evaluate_error(&model);
    assert_eq!(said.code, Code::Unreachable);
    assert_eq!(said.message, "at t = 0 what is required is out of reach: `high` by 1 short");
    assert!(said.help.as_deref().unwrap_or_default().contains("1 on `y`"), "{:?}", said.help);
    let model =
        load("coordinate x\nkinetic x'^2/2\nrequire a: x = 1 decay 2, 1\nrequire b: x = 2 decay 2, 1");
    assert!(evaluate_error(&model).help.unwrap_or_default().contains("no force helps"));
}

fn evaluate_error(model: &Workspace) -> dalembert::diagnostic::Diagnostic {
    let n = model.form.speeds.len();
    let state = dalembert::run::State::new(0.0, &vec![0.0; model.form.coordinates.len()], &vec![0.0; n]);
    match model.evaluate(&state) {
        Err(d) => *d,
        Ok(_) => panic!("it can be met"),
    }
}

/// A controller that believes in a wrong mass leaves an error of known size: m e'' = (m0 - m) r'' + m0 (...).
#[test]
fn another_plant() {
    let text = "
        parameter m = 1, c = 2
        coordinate x
        kinetic m/2*x'^2
        force x = -c*x'
        require r: x = sin(t) decay 2, 1
        initial x' = 1
        output e = residual(r), u = control(x)
    ";
    let plain = motion_of(text, &until(4.0));
    below("its own plant", column(&plain, "e").iter().fold(0.0, |m: f64, e| m.max(e.abs())), 1e-9);
    let request = Request { plant: vec![("m".into(), 1.1)], rtol: Some(1e-11), ..until(4.0) };
    let motion = motion_of(text, &request);
    // The model's control u = m0 (r'' - 2 e' - e) + c x' drives m x'' = u - c x'; with k = m0/m:
    // e'' + 2 k e' + k e = (k - 1) r'', r'' = -sin(t), from rest. Integrated here by small steps.
    let k: f64 = 1.0 / 1.1;
    let (mut e, mut v, h) = (0.0, 0.0, 1e-4);
    let slope = |t: f64, e: f64, v: f64| -(k - 1.0) * t.sin() - 2.0 * k * v - k * e;
    for i in 0..40_000 {
        let t = i as f64 * h;
        let (k1, l1) = (v, slope(t, e, v));
        let (k2, l2) = (v + h / 2.0 * l1, slope(t + h / 2.0, e + h / 2.0 * k1, v + h / 2.0 * l1));
        let (k3, l3) = (v + h / 2.0 * l2, slope(t + h / 2.0, e + h / 2.0 * k2, v + h / 2.0 * l2));
        let (k4, l4) = (v + h * l3, slope(t + h, e + h * k3, v + h * l3));
        e += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        v += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
    }
    let last = *column(&motion, "e").last().expect("rows");
    assert!(e.abs() > 1e-3);
    below("another mass", (last - e).abs(), 1e-9);
    // The same parameters as plant change nothing; unknown ones are refused; without control there is none to deceive.
    let same = motion_of(text, &Request { plant: vec![("m".into(), 1.0)], ..until(4.0) });
    below("same plant", apart(&column(&same, "x"), &column(&plain, "x")), 1e-9);
    let wrong = Request { plant: vec![("q".into(), 1.0)], ..until(1.0) };
    assert_eq!(load(text).simulate(&wrong, |_| Flow::Continue).unwrap_err().code, Code::BadOption);
    let free = Request { plant: vec![("m".into(), 1.0)], ..until(1.0) };
    let mut ball = load("parameter m = 1\ncoordinate x\nkinetic m/2*x'^2");
    assert_eq!(ball.simulate(&free, |_| Flow::Continue).unwrap_err().code, Code::BadOption);
}

/// Zero-order hold: a double integrator under sampled control follows its exact difference equation.
#[test]
fn sampled_control() {
    let text =
        "coordinate x\nkinetic x'^2/2\nrequire r: x = 0 decay 2, 1\ninitial x = 1\noutput u = control(x)";
    let dt = 0.1;
    let motion =
        motion_of(text, &Request { hold: Some(dt), every: Some(dt), rtol: Some(1e-12), ..until(5.0) });
    let (mut x, mut v, mut held) = (1.0, 0.0, None);
    let [xs, vs, us] = ["x", "x'", "u"].map(|name| column(&motion, name));
    for k in 0..50 {
        below("x", (xs[k] - x).abs(), 1e-11);
        below("v", (vs[k] - v).abs(), 1e-11);
        // A row at the instant of sampling still shows the force that was held until then.
        below("u", (us[k] - held.unwrap_or(us[k])).abs(), 1e-11);
        let u = -2.0 * v - x;
        held = Some(u);
        x += dt * v + dt * dt / 2.0 * u;
        v += dt * u;
    }
    // Faster sampling tends to continuous control.
    let fine = motion_of(text, &Request { hold: Some(1e-3), ..until(5.0) });
    let continuous = motion_of(text, &until(5.0));
    let gap = apart(&column(&fine, "x"), &column(&continuous, "x"));
    assert!(gap > 1e-6 && gap < 2e-3, "{gap}");
}

/// A servo on a rough floor: it starts from rest, reverses, and pushes against friction, which it knows, or knows badly.
#[test]
fn control_moves_what_sticks() {
    let text = "
        parameter m = 1, g = 10, mu = 0.3
        coordinate x, y
        kinetic m/2*(x'^2 + y'^2)
        potential m*g*y
        constraint floor: y = 0
        friction on floor: coefficient mu, velocity x'
        require r: x = (1 - cos(t))/2 decay 4, 4
        actuate x
        output u = control(x), e = residual(r)
    ";
    let motion = motion_of(text, &until(10.0));
    below("met", column(&motion, "e").iter().fold(0.0, |m: f64, e| m.max(e.abs())), 1e-9);
    for (t, u) in column(&motion, "t").iter().zip(column(&motion, "u")) {
        if t.sin().abs() > 1e-3 {
            below("push", (u - t.cos() / 2.0 - 3.0 * t.sin().signum()).abs(), 1e-8);
        }
    }
    // A controller that knows of no friction pushes too little to move it at first.
    let mut ignorant = load(&text.replace("mu = 0.3", "mu = 0"));
    let request = Request { plant: vec![("mu".into(), 0.3)], ..until(10.0) };
    let motion = run(&mut ignorant, &request);
    assert_eq!(motion.events.first().map(|e| e.name.as_str()), Some("floor slides"));
    assert!(motion.events[0].t > 0.5 && motion.balance.is_some_and(|b| b.defect.abs() < 1e-9));
    let held = run(&mut load(text), &Request { hold: Some(0.05), ..until(10.0) });
    assert!(held.failure.is_none());
}

/// Another plant is given in the units of the file, as `--set` is, and by families.
#[test]
fn another_plant_in_the_units_of_the_file() {
    let text = |unit: &str, m: &str| {
        format!(
            "parameter m = {m} {{{unit}}}\ncoordinate x\nkinetic m/2*x'^2\nrequire r: x = sin(t) decay 2, 1\n\
             initial x' = 1\noutput e = residual(r)"
        )
    };
    let plant = |text: &str, m: f64| {
        let motion = motion_of(text, &Request { plant: vec![("m".into(), m)], ..until(2.0) });
        *column(&motion, "e").last().expect("rows")
    };
    let (grams, kilograms) = (plant(&text("g", "1000"), 1200.0), plant(&text("kg", "1"), 1.2));
    assert!(kilograms.abs() > 1e-3, "another mass matters");
    below("the same plant", (grams - kilograms).abs(), 1e-12);
    let family = "parameter m[1..2] = 1\ncoordinate x[1..2]\nkinetic sum(i in 1..2, m[i]/2*x[i]'^2)\n\
        require r: x[1] = sin(t) decay 2, 1\ninitial x[1]' = 1\noutput e = residual(r)";
    let motion = motion_of(family, &Request { plant: vec![("m".into(), 1.2)], ..until(2.0) });
    assert_eq!(motion.parameters, [1.2, 1.2]);
}
