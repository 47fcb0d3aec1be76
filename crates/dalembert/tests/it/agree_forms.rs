//! Two roads, one place: ways to give forces and energies, integrators, stabilisation, and the equations written out.

use crate::support::*;
use dalembert::Request;
use dalembert::equations::{Form, closed_form, write};
use dalembert::run::State;
use dalembert_expr::Format;

const SAME_MOTION: f64 = 1e-9;

/// All texts give the motion of the first.
fn same_motion(what: &str, texts: &[String], columns: &[&str], until: f64) {
    let reference = run_text(&texts[0], &sharply_until(until));
    for text in &texts[1..] {
        below(what, motions_apart(&reference, &run_text(text, &sharply_until(until)), columns), SAME_MOTION);
    }
}

#[test]
fn a_force_at_a_point_is_its_virtual_work_and_its_generalised_forces() {
    let file = model_text("thrust_puck");
    let at = "force F*[cos(theta + beta), sin(theta + beta)] at P";
    let texts = [
        at.to_owned(),
        "work F*cos(theta + beta)*delta(P.x) + F*sin(theta + beta)*delta(P.y)".to_owned(),
        "work dot(F*[cos(theta + beta), sin(theta + beta)], delta(P))".to_owned(),
        "force x = F*cos(theta + beta)\nforce y = F*sin(theta + beta)\nforce theta = -l/2*F*sin(beta)"
            .to_owned(),
        "force [F*cos(theta + beta), F*sin(theta + beta), -l/2*F*sin(beta)]".to_owned(),
        "force F*[cos(theta + beta), sin(theta + beta)] at [x, y]\nwork -l/2*F*sin(beta)*δtheta".to_owned(),
    ]
    .map(|force| file.replace(at, &force));
    same_motion("force at a point", &texts, &["x", "y", "theta", "theta'"], 4.0);
}

#[test]
fn a_force_at_a_point_is_the_same_in_quasi_velocities() {
    let base = "
        parameter m = 1.3, I = 0.4, F = 0.7
        coordinate x, y, theta
        SPEEDS
        let P = [x + 0.3*cos(theta), y + 0.3*sin(theta)]
        kinetic m/2*(x'^2 + y'^2) + I/2*theta'^2
        force F*[cos(2*theta), 1] at P
        work 0.2*delta(y) - 0.1*theta'*delta(theta)
        output vx = x'
        initial x = 0.1, y' = 0.4, theta' = 1";
    let quasi = "speed u = x'*cos(theta) + y'*sin(theta), v = -x'*sin(theta) + y'*cos(theta), w = theta'";
    let texts = ["", quasi].map(|speeds| base.replace("SPEEDS", speeds));
    same_motion("forces in quasi-velocities", &texts, &["x", "y", "theta", "vx"], 4.0);
}

#[test]
fn lagrangian_energies_and_direct_form_agree() {
    let head = "parameter m1 = 1.2, m2 = 0.7, l1 = 1, l2 = 0.8, g = 9.81
        coordinate q1, q2
        initial q1 = 0.9, q2 = -0.4, q2' = 1.1\n";
    let energies = "let P1 = [l1*sin(q1), -l1*cos(q1)]
        let P2 = P1 + [l2*sin(q2), -l2*cos(q2)]
        let T = m1/2*dot(P1', P1') + m2/2*dot(P2', P2')
        let V = g*(m1*P1.y + m2*P2.y)\n";
    let texts = [
        format!("{head}{energies}kinetic T\npotential V"),
        format!("{head}{energies}lagrangian T - V"),
        format!("{head}{energies}kinetic T\nlagrangian -V"),
        format!("{head}{energies}kinetic T\nforce q1 = -diff(V, q1)\nforce q2 = -diff(V, q2)"),
        format!(
            "{head}mass [[(m1 + m2)*l1^2, m2*l1*l2*cos(q1 - q2)], [m2*l1*l2*cos(q1 - q2), m2*l2^2]]
            force [-m2*l1*l2*sin(q1 - q2)*q2'^2 - (m1 + m2)*g*l1*sin(q1), m2*l1*l2*sin(q1 - q2)*q1'^2 - m2*g*l2*sin(q2)]"
        ),
        // Terms that cannot matter: a total time derivative and a constant.
        format!("{head}{energies}lagrangian T - V + q1*q2' + q2*q1' + 3 + t^2"),
    ];
    same_motion("Lagrangian, energies, direct form", &texts, &["q1", "q2", "q1'", "q2'"], 3.0);
}

#[test]
fn a_rayleigh_function_is_its_damping_force() {
    let head = "parameter c = 0.4, k = 3
        coordinate a, b
        kinetic (a'^2 + 2*b'^2 + a'*b')/2
        potential k/2*(a^2 + (b - a)^2) + a^4
        initial a = 0.7, b' = -1\n";
    let texts = [
        "dissipation c/2*a'^2 + c*(b' - a')^2",
        "force a = -c*a' + 2*c*(b' - a')\nforce b = -2*c*(b' - a')",
        "work -c*a'*delta(a) - 2*c*(b' - a')*(delta(b) - delta(a))",
        "dissipation c/2*a'^2\ndissipation c*(b' - a')^2",
    ]
    .map(|damping| format!("{head}{damping}"));
    same_motion("dissipation", &texts, &["a", "b", "a'", "b'"], 5.0);
}

#[test]
fn integrators_agree() {
    let chain = "const N = 2\n".to_owned() + &model_text("pendulum_chain").replace("const N = 4", "");
    let disk = model_text("rolling_disk_lean");
    let top = model_text("heavy_top");
    for (what, text, columns) in [
        ("chain", chain, ["x[1]", "y[1]", "x[2]", "y[2]"]),
        ("disk", disk, ["x", "y", "psi", "theta"]),
        ("top", top, ["e0", "e1", "e2", "w3"]),
    ] {
        let mut model = load(&text);
        let reference = run(&mut model, &sharply_until(1.0));
        for (method, rtol, every, bound) in [
            ("dop853", 1e-9, 0.02, 1e-7),
            ("tsit5", 1e-10, 0.02, 1e-7),
            ("radau", 1e-9, 0.02, 1e-6),
            // Order four: (1/2000)^4 = 6e-14 times derivatives of order 1e4.
            ("rk4", 1e-9, 0.0005, 1e-8),
        ] {
            let request =
                Request { method: Some(method.into()), rtol: Some(rtol), every: Some(every), ..until(1.0) };
            let motion = run(&mut model, &request);
            assert_eq!(motion.method.name(), method);
            for c in columns {
                let apart = (last(&reference, c) - last(&motion, c)).abs();
                below(&format!("{what} by {method}: {c}"), apart, bound);
            }
        }
    }
}

#[test]
fn baumgarte_stays_near_the_projected_motion() {
    let text = model_text("double_pendulum_cartesian").replace("y2 ~ 0", "y2 ~ 0, y1' = 0");
    let projected = run_text(&text, &sharply_until(2.0));
    let stabilised = run_text(&text, &Request { baumgarte: Some((10.0, 10.0)), ..sharply_until(2.0) });
    let columns = ["x1", "y1", "x2", "y2"];
    // The drift it allows is that of steps at rtol 1e-12.
    below("Baumgarte", motions_apart(&projected, &stabilised, &columns), SAME_MOTION);
}

/// A state with all constraints ignored: A, b, M, Q are defined there too.
fn any_state(model: &dalembert::Workspace, rng: &mut Rng) -> State {
    let (x, eta) = (model.form.coordinates.len(), model.form.speeds.len());
    State::new(rng.number(0.0, 2.0), &rng.numbers(x), &rng.numbers(eta))
}

const WRITTEN: &[&str] = &[
    "pendulum",
    "double_pendulum",
    "rolling_disk",
    "renton_pendulum",
    "chaplygin_sleigh_quasi",
    "suslov",
    "rigid_body",
    "heavy_top",
    "bead_hoop_rheonomic",
    "incline_nonideal",
    "appell_nonideal",
    "particle_E0",
    "relativistic_particle",
    "foucault",
    "ziegler_column",
    "vibration_absorber",
    "units_pendulum",
    "pendulum_massless",
    "one_sided_spring",
    "bead_rod",
];

/// The model with its own outputs removed and the given ones added.
fn with_outputs(text: &str, outputs: &[String]) -> dalembert::Workspace {
    let kept = |l: &&str| !["output ", "event ", "draw "].iter().any(|w| l.trim_start().starts_with(w));
    let text: Vec<&str> = text.lines().filter(kept).collect();
    load(&format!("{}\n{}\n", text.join("\n"), outputs.join("\n")))
}

/// `lambda_NAME` in written equations is `multiplier(NAME)` in outputs.
fn speak_of_multipliers(model: &dalembert::Workspace, line: &str) -> String {
    let mut line = line.to_owned();
    for row in model.system.constraints.rows.iter().rev() {
        line = line.replace(&format!("lambda_{}", row.name), &format!("multiplier({})", row.name));
    }
    line
}

#[test]
fn closed_forms_read_back_give_the_accelerations_and_multipliers() {
    for name in WRITTEN {
        let text = model_text(name);
        let written = write(&mut load(&text), Form::Explicit, Format::Text)
            .unwrap_or_else(|d| panic!("{name}: {}", d.message));
        let outputs: Vec<String> = written
            .lines()
            .filter(|line| !line.starts_with('#'))
            .enumerate()
            .map(|(k, line)| {
                format!("output written[{k}] = {}", line.split_once(" = ").expect("an equation").1)
            })
            .collect();
        let model = with_outputs(&text, &outputs);
        let mut rng = Rng::new(5);
        let mut worst: f64 = 0.0;
        for _ in 0..20 {
            let state = any_state(&model, &mut rng);
            let Ok(now) = model.evaluate(&state) else { continue }; // rows may degenerate off the constraint
            let rates: &[f64] = if model.form.frame.is_some() { &now.terms.x_dot } else { &[] };
            let wanted = [rates, &now.solution.eta_dot, &now.solution.lambda].concat();
            let scale = 1.0 + largest(&wanted);
            worst = worst.max(apart(&now.outputs, &wanted) / scale);
        }
        // Closed forms divide where the numbers factor: some digits of cancellation at random states.
        below(&format!("closed form of {name}"), worst, 1e-10);
    }
}

/// Closed forms divide by nothing that vanishes where the motion is regular: at the start, often a special place, they
/// have the values of the solver.
#[test]
fn closed_forms_have_values_at_the_start() {
    let light = "parameter c = 2\ncoordinate x, y, z\nlagrangian -c^2*sqrt(1 - (x'^2 + y'^2 + z'^2)/c^2) - 0.3*z\n\
                 constraint sphere: x^2 + y^2 + z^2 = 1\ninitial x = 0.6, z ~ -0.8, y' = 1, x' = 0.2";
    let units = "coordinate x, y\nlagrangian -sqrt(1 - x'^2 - y'^2) + x\ninitial y' = 0.5";
    let texts = model_names().into_iter().map(|name| (name.clone(), model_text(&name)));
    let own = [("light", light), ("units", units)].map(|(name, text)| (name.to_owned(), text.to_owned()));
    let (mut written, mut worst) = (0, 0.0f64);
    for (name, text) in texts.chain(own) {
        let mut model = load(&text);
        let solution = match closed_form(&mut model) {
            Ok(solution) => solution,
            Err(d) => {
                assert!(name != "light" && name != "units", "{name}: {}", d.message);
                continue;
            }
        };
        let Ok(start) = model.start() else { continue };
        let Ok(now) = model.evaluate(&start.state) else { continue };
        let at: Vec<f64> =
            [start.state.t].iter().chain(&start.state.x).chain(&start.state.eta).copied().collect();
        let form = &model.form;
        let symbols: Vec<_> = [form.time]
            .iter()
            .chain(&form.coordinates)
            .chain(&form.speeds)
            .chain(&form.parameters)
            .copied()
            .collect();
        let values: Vec<f64> = at.iter().chain(model.compiled.parameters()).copied().collect();
        let value = |s| symbols.iter().position(|k| *k == s).map_or(f64::NAN, |k| values[k]);
        let found = model.system.pool.evaluate_all(&solution, value);
        let wanted = [&now.solution.eta_dot[..], &now.solution.lambda].concat();
        let off = apart(&found, &wanted) / (1.0 + largest(&wanted));
        assert!(off < 1e-9, "{name}: {found:?} instead of {wanted:?}");
        (written, worst) = (written + 1, worst.max(off));
    }
    assert!(written > 30, "{written} closed forms");
    below("closed forms at the start", worst, 1e-9);
}

#[test]
fn choices_among_terms_read_back() {
    let text = "coordinate y
        kinetic y'^2/2
        force y = 1 + (if y < 0 and not (y' > 0.5) then -y else 0.1) - 2*(if y > 0.3 or y' <= 0 then y' else cos(y)) - y^2
        force y = (if y' > 0 then (if y > 0 then 1 else 2) else 3)*y/(if y > 0.1 then 2 else 3)^2";
    let written = write(&mut load(text), Form::Explicit, Format::Text).expect("a closed form");
    let model =
        with_outputs(text, &[format!("output again = {}", written.trim().split_once(" = ").unwrap().1)]);
    let mut rng = Rng::new(17);
    for _ in 0..50 {
        let now = evaluate(&model, &any_state(&model, &mut rng));
        assert!((now.outputs[0] - now.solution.eta_dot[0]).abs() < 1e-13, "{written}");
    }
}

#[test]
fn lagrange_equations_read_back_hold_on_the_solution() {
    for name in WRITTEN.iter().chain(&["double_pendulum_cartesian", "rolling_disk_lean", "chaplygin_sleigh"])
    {
        let text = model_text(name);
        let mut model = load(&text);
        if model.form.nonideal.is_some() {
            continue; // multipliers of outputs are those of the ideal solution (U8): C would not close the balance
        }
        let written = write(&mut model, Form::Lagrange, Format::Text).expect("any model has this form");
        let rates = if model.form.frame.is_some() { model.form.coordinates.len() } else { 0 };
        let n = model.form.speeds.len();
        let outputs: Vec<String> = written
            .lines()
            .skip(rates)
            .take(n)
            .enumerate()
            .map(|(k, line)| {
                let line = speak_of_multipliers(&model, line);
                let (left, right) = line.split_once(" = ").expect("a balance");
                format!("output written[{k}] = ({left}) - ({right})")
            })
            .collect();
        let model = with_outputs(&text, &outputs);
        let (mut rng, mut worst) = (Rng::new(9), 0.0f64);
        for _ in 0..20 {
            let Ok(now) = model.evaluate(&any_state(&model, &mut rng)) else { continue };
            let scale = 1.0 + largest(&now.terms.Q) + largest(&now.solution.ideal_force);
            worst = worst.max(largest(&now.outputs) / scale);
        }
        below(&format!("Lagrange's equations of {name}"), worst, 1e-12);
    }
}

#[test]
fn kernel_form_reads_back_as_the_numbers_that_are_computed() {
    for name in
        WRITTEN.iter().chain(&["double_pendulum_cartesian", "rolling_disk_lean", "n_four_bar", "suslov"])
    {
        let text = model_text(name);
        let mut model = load(&text);
        let written = write(&mut model, Form::Kernel, Format::Text).expect("any model has this form");
        let mut outputs = Vec::new();
        for part in ["M", "Q", "A", "b"] {
            let Some(at) = written.find(&format!("\n{part} = ")) else { continue };
            let mut body = &written[at + part.len() + 4..];
            if let Some(end) = body.find("]\n").map(|e| e + 1) {
                body = &body[..end];
            }
            outputs.push(format!("output kernel_{part} = {body}"));
        }
        let model = with_outputs(&text, &outputs);
        let mut rng = Rng::new(13);
        for _ in 0..10 {
            let Ok(now) = model.evaluate(&any_state(&model, &mut rng)) else { continue };
            let terms = &now.terms;
            let wanted = [&terms.M[..], &terms.Q[..], &terms.A[..], &terms.b[..]].concat();
            let scale = 1.0 + largest(&wanted);
            assert!(apart(&now.outputs, &wanted) / scale < 1e-12, "{name}: {written}");
        }
    }
}
