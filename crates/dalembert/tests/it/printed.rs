//! Printed equations hold with the numbers of `evaluate`, form by form: accelerations, and one lambda everywhere (P5).
//!
//! A form is printed as text in the model language, read back with accelerations and multipliers as parameters, and its
//! two sides are compared at random states.

use crate::support::*;
use dalembert::equations::{Form, write};
use dalembert::run::State;
use dalembert::{Evaluation, Workspace};
use dalembert_expr::Format;

/// The text of a model with its own outputs removed.
fn without_outputs(text: &str) -> String {
    let kept = |l: &&str| !["output ", "event ", "draw "].iter().any(|w| l.trim_start().starts_with(w));
    text.lines().filter(kept).collect::<Vec<_>>().join("\n")
}

/// Names in a line (with primes and dots) replaced where the list knows them.
fn renamed(line: &str, names: &[(String, String)]) -> String {
    let (mut out, mut rest) = (String::new(), line);
    while let Some(c) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || "_'.[]".contains(c);
        if !(c.is_alphabetic() || c == '_') {
            let digits = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
            let take = if c.is_ascii_digit() { digits } else { c.len_utf8() };
            out.push_str(&rest[..take]);
            rest = &rest[take..];
            continue;
        }
        let end = rest.find(|c| !word(c)).unwrap_or(rest.len());
        let name = &rest[..end];
        out.push_str(names.iter().find(|(old, _)| old == name).map_or(name, |(_, new)| new));
        rest = &rest[end..];
    }
    out
}

/// Lines of a form that are equations, both sides.
fn equations(written: &str) -> Vec<(String, String)> {
    let joined = written.replace(",\n     ", ", ");
    // Comments, matrices and Appell's function are no equations between known numbers.
    let definition = |l: &&str| ["#", "S = ", "S_w = "].iter().any(|d| l.starts_with(d)) || l.contains('[');
    let lines = joined.lines().filter(|l| !definition(l));
    lines.filter_map(|l| l.split_once(" = ")).map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
}

/// Left less right side of each equation of a form, with the numbers of an evaluation.
fn residuals(text: &str, model: &mut Workspace, now: &Evaluation, form: Form) -> Vec<(String, f64)> {
    let written = write(model, form, Format::Text).unwrap_or_else(|d| panic!("{form:?}: {}", d.message));
    let (system, s) = (&model.system, &now.solution);
    let mut names: Vec<(String, String)> = Vec::new();
    let mut values = Vec::new();
    for (k, (speed, a)) in system.frame.speeds.iter().zip(&s.eta_dot).enumerate() {
        names.push((format!("{}'", speed.name), format!("acc_{k}")));
        values.push(format!("parameter acc_{k} = {a:e}"));
    }
    for (k, (row, l)) in system.constraints.rows.iter().zip(&s.lambda).enumerate() {
        names.push((format!("lambda_{}", row.name), format!("mul_{k}")));
        values.push(format!("parameter mul_{k} = {l:e}"));
    }
    for (input, u) in ["x", "y"].iter().zip(&s.inputs) {
        values.push(format!("parameter control_{input} = {u:e}"));
    }
    let reactions: Vec<(String, String)> = (0..system.constraints.named.len())
        .map(|k| {
            let name = &system.constraints.named[k].name;
            (format!("reaction_{name}"), model.compiled.reaction(k, s, &now.terms).to_string())
        })
        .collect();
    for (name, value) in reactions {
        values.push(format!("parameter {name} = {value}"));
    }
    // Names of shared parts of long equations.
    let is_part = |name: &str| name.strip_prefix('z').is_some_and(|k| k.parse::<u32>().is_ok());
    let (parts, equations): (Vec<_>, Vec<_>) = equations(&written).into_iter().partition(|(a, _)| is_part(a));
    values.extend(parts.iter().map(|(a, b)| format!("let {a} = {}", renamed(b, &names))));
    let outputs: Vec<String> = equations
        .iter()
        .enumerate()
        .map(|(k, (a, b))| format!("output r_{k} = ({}) - ({})", renamed(a, &names), renamed(b, &names)))
        .collect();
    let text = format!("{}\n{}\n{}\n", without_outputs(text), values.join("\n"), outputs.join("\n"));
    let again = load(&text);
    let there = evaluate(&again, &now.state);
    // Constraints need not hold at the states beside the start: equations without accelerations are left out.
    let dynamic = |output: &str| ["acc_", "mul_", "lambda", "control"].iter().any(|w| output.contains(w));
    let named = equations.into_iter().zip(&outputs).zip(there.outputs);
    named.filter(|((_, o), _)| dynamic(o)).map(|((e, _), r)| (format!("{} = {}", e.0, e.1), r)).collect()
}

/// A consistent state beside the start, from a fixed seed.
fn states(model: &mut Workspace) -> Vec<State> {
    let start = start(model);
    let mut rng = Rng::new(5);
    let mut list = vec![start.clone()];
    for _ in 0..3 {
        let x: Vec<f64> = start.x.iter().map(|v| v + 0.1 * rng.symmetric()).collect();
        let eta: Vec<f64> = start.eta.iter().map(|v| v + 0.3 * rng.symmetric()).collect();
        list.push(State::new(start.t + 0.2, &x, &eta));
    }
    list
}

fn holds(text: &str, forms: &[Form]) {
    let mut model = load(text);
    for state in states(&mut model) {
        let Ok(now) = model.evaluate(&state) else { continue };
        let scale =
            1.0 + largest(&now.solution.eta_dot) + largest(&now.terms.Q) + largest(&now.solution.lambda);
        for form in forms {
            for (equation, off) in residuals(text, &mut model.clone(), &now, *form) {
                assert!(off.abs() <= 1e-8 * scale, "{form:?} at {:?}: {equation}: {off:e}", state.x);
            }
        }
    }
}

const PENDULUM: &str = "parameter m = 2, l = 1.5, g = 9.81
    coordinate x, y
    kinetic m/2*(x'^2 + y'^2)
    potential m*g*y
    constraint rod: x^2 + y^2 = l^2
    initial x = 0.9, x' = 0.3, y ~ -1";

#[test]
fn ideal_constraints() {
    holds(PENDULUM, &[Form::Lagrange, Form::Explicit, Form::Udwadia, Form::Maggi, Form::Kane, Form::Appell]);
    let sleigh = model_text("chaplygin_sleigh");
    holds(&sleigh, &[Form::Lagrange, Form::Explicit, Form::Udwadia, Form::Maggi, Form::Kane, Form::Appell]);
}

/// A row written twice is left out, and its multiplier is the one that `evaluate` reports.
#[test]
fn redundant_rows() {
    let text = format!("{PENDULUM}\nconstraint again: 3*x^2 + 3*y^2 = 3*l^2");
    holds(&text, &[Form::Lagrange, Form::Explicit, Form::Udwadia, Form::Maggi, Form::Kane, Form::Appell]);
    let written = write(&mut load(&text), Form::Udwadia, Format::Text).unwrap();
    assert!(written.contains("# rows that follow from others, left out: again"), "{written}");
}

/// A force law that reads one of several parallel rows reads the force of all of them, in print as in numbers; where the
/// rows that are read leave their forces open, nothing is written.
#[test]
fn redundant_rows_that_a_law_reads() {
    let again = "constraint again: 3*x^2 + 3*y^2 = 3*l^2";
    for law in ["-0.3*reaction(rod)*delta(x)", "-0.3*multiplier(again)*delta(x) + 0.2*delta(y)"] {
        let text = format!("{PENDULUM}\n{again}\nnonideal work {law}");
        holds(&text, &[Form::Lagrange, Form::Explicit, Form::Udwadia, Form::Maggi, Form::Kane, Form::Appell]);
    }
    let both = "nonideal work -0.3*reaction(rod)*delta(x) - 0.1*reaction(again)*delta(y)";
    let text = format!("{PENDULUM}\n{again}\n{both}");
    for form in [Form::Explicit, Form::Udwadia] {
        let refused = write(&mut load(&text), form, Format::Text).unwrap_err();
        assert!(refused.message.contains("leave open"), "{}", refused.message);
    }
}

/// Speeds, kinetic energies, constraints and non-ideal work in all combinations: every printed equation holds with the
/// numbers of `evaluate`.
#[test]
fn combinations() {
    let speeds = ["", "speed u = x'*cos(w*t) + y'*sin(w*t) + b*y\nspeed v = y'*cos(w*t) - x'*sin(w*t)"];
    let energies = [
        "m*((x' - w*y + b)^2 + (y' + w*x)^2)/2",
        "m*(x'^2 + x^2*y'^2)/2 + J*y'^2/2 + b*x'*y'*cos(y)",
        "m*(x' + b*cos(t)*y)^2/2 + (m + J)*y'^2/2",
    ];
    let constraints = [
        "constraint c: x*cos(w*t) + y*sin(w*t) = b",
        "constraint c: y' = x*x'*b + w\nconstraint again: 3*y' = 3*x*x'*b + 3*w",
        "constraint c: x'^2 + y'^2 = 1 + b*t",
        "constraint c: y'' = x*x'' + x'^2",
    ];
    let laws = [
        "",
        "nonideal work -J*sqrt(x'^2 + y'^2)*(x'*delta(x) + y'*delta(y))",
        "nonideal work b*y*delta(x) - 0.2*reaction(c)*delta(y)",
    ];
    let forms = [Form::Lagrange, Form::Explicit, Form::Udwadia, Form::Maggi, Form::Kane, Form::Appell];
    // Closed forms of one system take seconds: some of the combinations, in which each choice meets several others.
    let mut turn = 0;
    for (k, speed) in speeds.iter().enumerate() {
        let start = if k == 0 { "x' ~ 0.7, y' ~ 0.5" } else { "u ~ 0.7, v ~ 0.5" };
        for (e, energy) in energies.iter().enumerate() {
            for (c, constraint) in constraints.iter().enumerate().filter(|(c, _)| (k + e + c) % 4 == 0) {
                let law = laws[(k + c) % laws.len()];
                let text = format!(
                    "parameter m = 1.3, J = 0.6, w = 0.7, b = 0.5\ncoordinate x, y\n{speed}\nkinetic {energy}
                    potential m*9.81*y + x^4/4\n{constraint}\n{law}\ninitial x ~ 0.6, y ~ 0.4, {start}"
                );
                holds(&text, &forms);
                turn += 1;
            }
        }
    }
    assert_eq!(turn, 6);
}

/// Non-ideal forces: the particle of Appell with his quadratic drag, whose lambda was another number in some forms.
#[test]
fn one_lambda_with_nonideal_forces() {
    let text = "parameter k = 0.7, a0 = 0.6, alpha = 0.3
        coordinate x, y, z
        kinetic (x'^2 + y'^2 + z'^2)/2
        potential k*(x^2 + y^2 + z^2)/2
        force x = t/5
        constraint appell: x'^2 + y'^2 - z'^2 = 2*alpha*cos(t)
        nonideal work -a0*sqrt(x'^2 + y'^2 + z'^2)*(x'*delta(x) + y'*delta(y) + z'*delta(z))
        initial x = 0.2, y = 0.1, x' = 0.8, y' = 0.9, z' ~ 1";
    let forms = [Form::Lagrange, Form::Explicit, Form::Udwadia, Form::Maggi, Form::Kane, Form::Appell];
    holds(text, &forms);
    let incline = model_text("incline_nonideal");
    holds(&incline, &[Form::Lagrange, Form::Explicit, Form::Udwadia]);
    let written = write(&mut load(&incline), Form::Explicit, Format::Text).unwrap();
    assert!(written.contains("lambda_plane = m*g*cos(alpha)^2"), "{written}");
}

/// Momenta: p' of the forms of Poincare and Hamilton is the rate of p along the motion, with lambda from `evaluate`.
#[test]
fn one_lambda_in_momenta() {
    let text = "parameter m = 1.3, a0 = 0.6
        coordinate x, y
        kinetic m/2*(x'^2 + y'^2)
        potential x*y
        constraint rail: y = x^2/2
        nonideal work -a0*x'*delta(x)
        initial x = 0.4, x' = 0.8";
    let mut model = load(text);
    let state = start(&mut model);
    let now = evaluate(&model, &state);
    for form in [Form::Poincare, Form::Hamilton] {
        let written = write(&mut model.clone(), form, Format::Text).unwrap();
        for (p, q) in [(0, "x"), (1, "y")] {
            let line = written.lines().find(|l| l.starts_with(&format!("p_{q}' = "))).expect("a rate");
            let names = [
                ("lambda_rail".to_owned(), "mul".to_owned()),
                ("p_x".to_owned(), "(m*x')".to_owned()),
                ("p_y".to_owned(), "(m*y')".to_owned()),
            ];
            let right = renamed(line.split_once(" = ").unwrap().1, &names);
            let again =
                load(&format!("{text}\nparameter mul = {:e}\noutput r = {right}", now.solution.lambda[0]));
            let rate = evaluate(&again, &state).outputs[0];
            let wanted = 1.3 * now.solution.eta_dot[p];
            assert!((rate - wanted).abs() < 1e-10, "{form:?}: {line}: {rate} instead of {wanted}");
        }
    }
}

/// Without a closed form of Q_ni the multiplier that answers C too has another name.
#[test]
fn another_multiplier_has_another_name() {
    let names: Vec<String> = (1..=14).map(|k| format!("q{k}")).collect();
    let energy: Vec<String> = names.iter().map(|q| format!("{q}'^2")).collect();
    let sum: Vec<String> = names.iter().map(|q| format!("{q}*{q}")).collect();
    let text = format!(
        "coordinate {}\nkinetic ({})/2\nconstraint sphere: {} = 1\nnonideal work -q1'*delta(q1)\ninitial q1 = 0.6",
        names.join(", "),
        energy.join(" + "),
        sum.join(" + ")
    );
    let written = write(&mut load(&text), Form::Lagrange, Format::Text).unwrap();
    assert!(written.contains("Lambda_sphere") && !written.contains("*lambda_sphere"), "{written}");
}

/// Control in closed form: the inputs and forces of `evaluate`, with a constraint of nature and without.
#[test]
fn control_in_closed_form() {
    let free = "parameter m = 2, k = 3, c = 0.4
        coordinate x, y
        kinetic m/2*(x'^2 + y'^2)
        potential k/2*(x^2 + y^2)
        require track: x + 2*y = sin(t) decay 2, 1
        nonideal work -c*x'*delta(x) + 0.3*delta(y)
        initial x = 0.2, y = -0.1, x' = 0.5, y' = 0.1";
    let bound = "parameter m = 2, k = 3
        coordinate x, y, z
        kinetic m/2*(x'^2 + y'^2 + z'^2)
        potential k*z
        constraint floor: z = x/3 + 1
        require track: x + 2*y = sin(t) decay 2, 1
        actuate x, y
        weight [[2, 0.3], [0.3, 1]]
        initial x = 0.2, y = -0.1, x' = 0.5, y' = 0.1";
    for text in [free, bound] {
        let mut model = load(text);
        let state = start(&mut model);
        let now = evaluate(&model, &state);
        holds(text, &[Form::Explicit, Form::Udwadia]);
        let found =
            dalembert::udwadia::ExplicitEquation::of(&mut model).unwrap_or_else(|d| panic!("{}", d.message));
        let control = found.control.expect("a control");
        let form = &model.form;
        let mut values = vec![(form.time, state.t)];
        values.extend(form.parameters.iter().copied().zip(model.compiled.parameters().iter().copied()));
        values.extend(form.coordinates.iter().copied().zip(state.x.iter().copied()));
        values.extend(form.speeds.iter().copied().zip(state.eta.iter().copied()));
        let value = |s| values.iter().find(|v| v.0 == s).map_or(f64::NAN, |v| v.1);
        let force = model.system.pool.evaluate_all(&control.force, value);
        below("control force", apart(&force, &now.solution.control_force), 1e-10);
    }
}

/// [U05b] (24): control exerts M^{1/2} B^+ (b - A a) + M^{1/2} (1 - B^+ B) M^{-1/2} C, checked by its own formula.
#[test]
fn nonideal_work_beside_requirements() {
    let text = "parameter m = 2
        coordinate x, y
        kinetic m/2*(x'^2 + y'^2)
        require track: x + 2*y = 0 decay 2, 1
        nonideal work 0.7*delta(x) - 0.2*y'*delta(y)
        initial x = 0.2, y = -0.1, x' = 0.5, y' = 0.1";
    let mut model = load(text);
    let state = start(&mut model);
    let now = evaluate(&model, &state);
    let b = -2.0 * (0.5 + 0.2);
    let (c, lambda) = ([0.7, -0.02], 2.0 * b / 5.0);
    let along = (c[0] + 2.0 * c[1]) / 5.0;
    let wanted = [lambda + c[0] - along, 2.0 * lambda + c[1] - 2.0 * along];
    below("(24)", apart(&now.solution.control_force, &wanted), 1e-12);
    assert!(now.solution.nonideal_force.iter().all(|f| *f == 0.0));
    let found = dalembert::verify::verify(&mut model).unwrap();
    assert!(found.passed(), "{:?}", found.checks.iter().filter(|c| !c.passed).collect::<Vec<_>>());
    for form in [Form::Kernel, Form::Lagrange, Form::Explicit] {
        let written = write(&mut load(text), form, Format::Text).expect("written");
        assert!(written.contains("control(NAME) is control_NAME + C"), "{written}");
    }
    let refused = refusal(&text.replace("initial", "actuate x\ninitial"));
    assert!(refused[0].message.contains("exerted by control"), "{}", refused[0].message);
}

/// Routh: an orbit in polar coordinates; the equation of the radius holds, the momentum is constant.
#[test]
fn routh() {
    let text = "parameter m = 1.5, k = 2
        coordinate r, phi
        kinetic m/2*(r'^2 + r^2*phi'^2)
        potential -k/r
        initial r = 1.2, r' = 0.3, phi' = 0.8";
    let mut model = load(text);
    let written = write(&mut model, Form::Routh, Format::Text).unwrap();
    assert!(written.contains("p_phi = m*r^2*phi'"), "{written}");
    assert!(written.contains("R = k/r + m*r'^2/2 - p_phi^2/(2*m*r^2)"), "{written}");
    let script = write(&mut model, Form::Routh, Format::Python).unwrap();
    assert!(script.contains("routhian = "), "{script}");
    let state = start(&mut model);
    let now = evaluate(&model, &state);
    let (m, k, r, v) = (1.5, 2.0, 1.2, 0.8);
    let wanted = r * v * v - k / (m * r * r);
    below("radius", (now.solution.eta_dot[0] - wanted).abs(), 1e-14);
    let other = write(&mut load("coordinate x\nkinetic x'^2/2\npotential x^2"), Form::Routh, Format::Text);
    assert!(other.unwrap_err().message.contains("ignorable"));
}

/// Routh's equations hold where the momenta of ignorable coordinates depend on the position and on other rates.
#[test]
fn routh_with_coupled_rates() {
    let text = "parameter m = 1.5, J = 0.4, k = 2\ncoordinate r, phi
        kinetic m/2*(r'^2 + r^2*phi'^2) + J*(1 + r^2)*r'*phi'\npotential k*r^2 + r^3
        initial r = 1.2, r' = 0.3, phi' = 0.8";
    let mut model = load(text);
    let (state, written) = (start(&mut model), write(&mut model, Form::Routh, Format::Text).unwrap());
    let now = evaluate(&model, &state);
    let momentum = 1.5 * 1.44 * 0.8 + 0.4 * 2.44 * 0.3;
    let (left, right) = equations(&written).pop().expect("an equation");
    let names = [("r''".to_owned(), "acc".to_owned())];
    let (a, left) = (now.solution.eta_dot[0], renamed(&left, &names));
    let again =
        format!("{text}\nparameter acc = {a:e}, p_phi = {momentum:e}\noutput off = ({left}) - ({right})");
    below("d/dt dR/dr' - dR/dr", evaluate(&load(&again), &state).outputs[0].abs(), 1e-13);
}

/// Equations that fill pages have names for their parts in text, and none in scripts; short ones have none.
#[test]
fn long_equations_have_names() {
    let written = |name: &str, form: Form, format: Format| {
        write(&mut load_file(name), form, format).unwrap_or_else(|d| panic!("{name} {form:?}: {}", d.message))
    };
    let longest = |text: &str| text.lines().map(str::len).max().unwrap_or(0);
    let text = written("four_bar_bodies", Form::Explicit, Format::Text);
    assert!(text.starts_with("# z1, z2, ...") && longest(&text) < 1500, "{}", longest(&text));
    assert!(!written("four_bar_bodies", Form::Explicit, Format::Python).contains("z1 = "));
    assert!(!written("double_pendulum", Form::Explicit, Format::Text).contains("z1"));
    // A cart with five links: derivatives of R multiplied out had 11056 characters in one equation.
    let text = written("cart_pendulum_chain", Form::Routh, Format::Text);
    assert!(longest(&text) < 1500, "{}", longest(&text));
    // Refused before parts had names.
    let text = written("rolling_torus", Form::Udwadia, Format::Text);
    assert!(text.contains("\nphi'' = ") && longest(&text) < 1500, "{}", longest(&text));
}

/// The vakonomic equations say that they are not mechanics; for holonomic constraints they are.
#[test]
fn vakonomic() {
    let sleigh = model_text("chaplygin_sleigh");
    let written = write(&mut load(&sleigh), Form::Vakonomic, Format::Text).unwrap();
    let first = written.lines().find(|l| l.starts_with("# for comparison")).expect("a label");
    assert!(first.contains("not the equations of motion of a nonholonomic system"), "{first}");
    assert!(written.contains("mu_blade'"), "{written}");
    let written = write(&mut load(PENDULUM), Form::Vakonomic, Format::Text).unwrap();
    assert!(!written.contains("mu_rod'"), "{written}");
}

/// Chetaev's condition is said where a constraint is nonlinear in the speeds, and nowhere else.
#[test]
fn chetaev_is_named() {
    let cone = model_text("appell_nonideal");
    for form in [Form::Lagrange, Form::Udwadia, Form::Maggi, Form::Kane] {
        assert!(write(&mut load(&cone), form, Format::Text).unwrap().contains("Chetaev"), "{form:?}");
        assert!(!write(&mut load(PENDULUM), form, Format::Text).unwrap().contains("Chetaev"), "{form:?}");
    }
}

/// Names for shared parts shorten what is printed and change no value.
#[test]
fn named_parts_have_the_values_of_what_they_stand_for() {
    for name in ["double_pendulum", "bead_rod", "spherical_pendulum_angles", "cart_two_wheels"] {
        let mut model = load_file(name);
        let roots =
            dalembert::equations::closed_form(&mut model).unwrap_or_else(|d| panic!("{name}: {}", d.message));
        let pool = &mut model.system.pool;
        let (parts, short) = pool.name_common_parts(&roots, |pool, k| pool.symbol(&format!("part_{k}")));
        let number = |s: dalembert_expr::Symbol| 0.3 + 0.17 * ((s.index() * 7919) % 11) as f64;
        let mut known: Vec<(dalembert_expr::Symbol, f64)> = Vec::new();
        for (symbol, part) in &parts {
            let value = |s| known.iter().find(|k| k.0 == s).map_or_else(|| number(s), |k| k.1);
            let value = pool.evaluate(*part, value);
            known.push((*symbol, value));
        }
        let value = |s| known.iter().find(|k| k.0 == s).map_or_else(|| number(s), |k| k.1);
        for (whole, short) in roots.iter().zip(&short) {
            let (a, b) = (pool.evaluate(*whole, number), pool.evaluate(*short, value));
            below(&format!("{name}: {a} and {b}"), (a - b).abs() / a.abs().max(1.0), 1e-12);
        }
        let before: usize = roots.iter().map(|e| pool.text(*e).len()).sum();
        let defined = parts.iter().map(|(_, part)| (*part, " part_1 = ".len()));
        let after = short.iter().map(|e| (*e, 0)).chain(defined);
        let after: usize = after.map(|(e, more)| pool.text(e).len() + more).sum();
        assert!(after <= before, "{name}: {after} characters, {before} without names");
    }
}

/// Scripts call things what they are: T of independent speeds is not an energy, Kane's F not friction.
#[test]
fn words_of_scripts_and_names_of_parts() {
    let text = "parameter m = 2, l = 1.5, g = 9.81\ncoordinate x, y\nkinetic m*(x'^2 + y'^2)/2\npotential m*g*y\n\
                constraint rod: x^2 + y^2 = l^2\ninitial x = 1.5, y ~ 0, y' = -1";
    let script = |form| write(&mut load(text), form, Format::Python).expect("written");
    let kane = script(Form::Kane);
    assert!(kane.contains("\nspeed_basis = ") && kane.contains("\nactive_force = "), "{kane}");
    assert!(!kane.contains("kinetic_energy") && !kane.contains("friction_force"), "{kane}");
    let named = |format| {
        let style = dalembert::equations::Style { format, names: true };
        write(&mut load(text), Form::Udwadia, style).expect("written")
    };
    assert!(named(Format::Text).starts_with("z1 = x^2 + y^2\n"), "{}", named(Format::Text));
    let python = named(Format::Python);
    assert!(python.contains("\nz1 = x**2 + y**2\n") && !python.contains("z1 = Symbol"), "{python}");
    assert!(named(Format::Latex).contains("z_{1} &= "), "{}", named(Format::Latex));
}

/// Whatever tidying makes of an expression on the way to any form of any model has the value that it had.
#[test]
fn what_is_made_shorter_keeps_its_value() {
    let mut count = 0;
    for printed in printed_forms() {
        let (rewritten, wrong) = &printed.rewritten;
        count += rewritten;
        assert!(
            wrong.is_none(),
            "{} {}: {}",
            printed.model,
            printed.form,
            wrong.as_deref().unwrap_or_default()
        );
    }
    println!("{count} expressions");
    assert!(count > 2_000, "{count} expressions");
}

/// No form of any model may take more than a bounded amount of work; what is refused points to numbers.
#[test]
fn closed_forms_are_bounded() {
    for (name, form) in [("rolling_torus", Form::Udwadia), ("rolling_torus", Form::Appell)] {
        let mut model = load_file(name);
        let before = model.system.pool.effort();
        if let Err(refusal) = write(&mut model, form, Format::Text) {
            assert!(refusal.help.as_ref().is_some_and(|h| h.contains("evaluate")), "{name}: {refusal:?}");
        }
        let spent = model.system.pool.effort() - before;
        assert!(spent < 60_000_000, "{name} {form:?}: {spent}");
    }
}

/// Kane's equations of bodies come with the partial velocities of their centres and their partial angular velocities.
#[test]
fn partial_velocities_of_bodies() {
    let text = "parameter l = 0.6, m = 1, n = 0.7, g = 9.81\ngravity [0, -g]
        body A: rod m from [0, 0] to [l, 0]\nbody B: rod n from [0, 0] to [l, 0]
        joint P: pin ground to A\njoint Q: pin A at [l, 0] to B
        constraint slow: P' + 2*Q' = 0\ninitial P = 0.3, Q = 0.4, P' = 0.5";
    let written = write(&mut load(text), Form::Kane, Format::Text).expect("written");
    for line in [
        "partial_velocity_A = [[0, -l]]",
        "partial_angular_velocity_A = [[-2]]",
        "partial_velocity_B = [[-2*l*sin(Q), -l/2 - 2*l*cos(Q)]]",
        "partial_angular_velocity_B = [[-1]]",
    ] {
        assert!(written.lines().any(|l| l == line), "{line}\n{written}");
    }
}

/// A letter of a form that the model uses too is pointed out.
#[test]
fn letters_that_are_names_of_the_model() {
    let text = |force: &str| {
        format!(
            "parameter {force} = 2\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\nforce x = {force}\nconstraint x = y"
        )
    };
    let written = |force: &str| write(&mut load(&text(force)), Form::Udwadia, Format::Text).expect("written");
    assert!(written("a").starts_with("# a is given a value here"), "{}", written("a"));
    assert!(!written("f").contains("is given a value"), "{}", written("f"));
}

/// Parameters are the first factors, wherever the model declares them.
#[test]
fn parameters_are_written_first() {
    let text = "coordinate x\nparameter m = 2, k = 3\nkinetic m/2*x'^2\npotential k*x^2/2\ninitial x = 1";
    let written = write(&mut load(text), Form::Lagrange, Format::Text).unwrap();
    assert!(written.contains("m*x'' + k*x = 0"), "{written}");
}

/// Accelerations come first, each with one coefficient, where that is not much longer; a subtracted one does not begin.
#[test]
fn equations_of_motion_begin_with_the_accelerations() {
    let lagrange = |name: &str| write(&mut load_file(name), Form::Lagrange, Format::Text).unwrap();
    let first = "l1^2*theta1''*(m1 + m2) + m2*l1*l2*theta2''*cos(theta1 - theta2) + ";
    assert!(lagrange("double_pendulum").contains(first), "{}", lagrange("double_pendulum"));
    assert!(lagrange("renton_pendulum").contains("\nm*y'' - m*g = "), "{}", lagrange("renton_pendulum"));
    // A factor in front is no reason to multiply it in.
    assert!(lagrange("pendulum").contains("m*l*(l*theta'' + g*sin(theta)) = 0"), "{}", lagrange("pendulum"));
    // Accelerations of quasi-velocities, of which the printer knows no primes.
    let sleigh = lagrange("chaplygin_sleigh_quasi");
    assert!(sleigh.contains("m*a*u' + omega'*(I + m*a^2) + m*a*v*omega = 0"), "{sleigh}");
}
