//! Non-ideal work (U3, U8) and requirements (C1) in the fused acceleration, against the general solve.

use crate::support::*;
use dalembert::gradient::{CostTerm, GradientRoad};
use dalembert::run::{Accelerator, Dynamics, State};
use dalembert::{Request, Workspace};

/// Two particles in space on a rod, in speeds that are not rates, and what may be added to them.
const BASE: &str = "parameter m = 1.3, k = 2, c = 0.4, g = 9.81, a = 0.3, b = 0.2
coordinate x, y, z, th
speed u = x' + 0.2*y', v = y', w = z' - 0.1*th', s = th'
kinetic m/2*(x'^2 + y'^2 + z'^2) + (0.7 + 0.2*cos(x))/2*th'^2 + 0.1*x'*th'
potential m*g*z + k/2*(x^2 + y^2) + k/4*th^4
force y = -c*y'
initial x = 0.3, y = 0.2, z ~ 0.4, th = 0.5, x' = 0.2, y' ~ 0.3, z' ~ -0.1, th' = 0.4
";
const CONSTRAINTS: [&str; 4] = [
    "",
    "constraint bowl: z = a*(x^2 + y^2)\n",
    "constraint edge: x'*sin(th) - y'*cos(th) = 0\n",
    "constraint bowl: z = a*(x^2 + y^2)\nconstraint again: 2*z = 2*a*(x^2 + y^2)\n",
];
const NONIDEAL: [&str; 4] = [
    "",
    "nonideal work -b*sqrt(x'^2 + y'^2 + z'^2)*(x'*delta(x) + y'*delta(y) + z'*delta(z))\n",
    "nonideal work -b*reaction(bowl)*(x'*delta(x) + y'*delta(y))/sqrt(0.1 + x'^2 + y'^2)\n",
    "nonideal work -b*multiplier(edge)^2*th'*delta(th) - 0.1*y'*delta(x)\n",
];
const CONTROL: [&str; 6] = [
    "",
    "require turn: th = 0.5*cos(t) decay 2, 1\n",
    "require turn: th = 0.5*cos(t) decay 2, 1\nactuate x, th\n",
    "require turn: th + 0.1*x = 0.5*cos(t) decay 2, 1\nactuate x, y, th\nweight [[2, 0.1, 0], [0.1, 1 + x^2, 0], [0, 0, 3]]\n",
    "require pace: x'^2 + y'^2 + th'^2 = 0.4 decay 3\n",
    "require turn: th = 0.3 decay 2, 1\nrequire go: x = 0.2*t decay 2, 1\nactuate [1, 0.2, 0] at [x, y, z], th\n",
];

fn fused_answer(model: &Workspace, state: &State) -> Option<Vec<f64>> {
    let fused = model.compiled.fused()?;
    let mut out = fused.results();
    let trusted = fused.accelerate(state.point(), &mut fused.workspace(), &mut out);
    trusted.then(|| out[..state.x.len() + state.eta.len()].to_vec())
}

/// Every combination, at its start and along its motion.
#[test]
fn all_combinations_accelerate_as_the_general_solve_does() {
    let (mut fused, mut models) = (0, 0);
    for constraints in CONSTRAINTS {
        for nonideal in NONIDEAL {
            for control in CONTROL {
                let named = |name: &str| {
                    !nonideal.contains(name) || constraints.contains(&format!("constraint {name}"))
                };
                if !(named("bowl") && named("edge")) || constraints.is_empty() && !nonideal.is_empty() {
                    continue;
                }
                let text = [BASE, constraints, nonideal, control].concat();
                let request = |interpret| Request {
                    until: Some(0.4),
                    every: Some(0.1),
                    rtol: Some(1e-11),
                    interpret,
                    ..Request::default()
                };
                let general = run(&mut load(&text), &request(true));
                assert!(general.failure.is_none(), "{text}\n{:?}", general.failure);
                let mut model = load(&text);
                let motion = run(&mut model, &request(false));
                let names = model.state_names();
                below(&text, motions_apart(&general, &motion, &names), 1e-8);
                let (n_x, n) = (model.compiled.shape().n_x, model.compiled.shape().n_eta);
                let mut accelerator = Accelerator::new(&model.compiled);
                models += 1;
                for row in general.table.rows() {
                    let state = State::new(row[0], &row[1..=n_x], &row[1 + n_x..1 + n_x + n]);
                    let Some(found) = fused_answer(&model, &state) else { continue };
                    let want = accelerator.solve(&model.compiled, state.point()).expect("regular");
                    let size = 1.0 + largest(&want.eta_dot);
                    below(&text, apart(&found[n_x..], &want.eta_dot) / size, 1e-10);
                    fused += 1;
                }
            }
        }
    }
    assert_eq!(models, 60);
    assert!(fused > 200, "{fused} states by the fused program");
}

/// What straight-line code cannot decide is left to the general solve.
#[test]
fn what_is_not_in_it_goes_by_the_general_solve() {
    let has_fused = |text: &str| {
        let mut model = load(text);
        let _ = run(&mut model, &Request { until: Some(0.1), ..Request::default() });
        model.compiled.fused().is_some()
    };
    let with = |rest: &str| has_fused(&[BASE, rest].concat());
    assert!(with("require turn: th = 0.5*cos(t) decay 2, 1\nactuate th\n"));
    // Bounds, requirements that say the same, a law that reads how redundant rows share a load, inputs that change what C reads.
    assert!(!with("require turn: th = 0.5*cos(t) decay 2, 1\nactuate th in -9..9\n"));
    assert!(!with("require turn: th = 0.5*cos(t) decay 2, 1\nrequire more: 2*th = cos(t) decay 2, 1\n"));
    assert!(!with(&[CONSTRAINTS[3], NONIDEAL[2]].concat()));
    assert!(!with(&[CONSTRAINTS[1], NONIDEAL[2], CONTROL[1]].concat()));
}

/// Control that is computed from another model, or held between samples, is not that of the fused program.
#[test]
fn control_from_elsewhere_is_not_taken_from_the_fused_program() {
    let text = [BASE, CONSTRAINTS[1], CONTROL[2]].concat();
    let motions = [true, false].map(|interpret| {
        let plant = vec![("m".to_owned(), 1.5)];
        let request = Request {
            until: Some(0.5),
            every: Some(0.1),
            rtol: Some(1e-11),
            interpret,
            plant,
            ..Request::default()
        };
        let held = Request { hold: Some(0.05), plant: Vec::new(), ..request.clone() };
        [run(&mut load(&text), &request), run(&mut load(&text), &held)]
    });
    let model = load(&text);
    let names = model.state_names();
    let [interpreted, native] = &motions;
    for k in 0..2 {
        below("control from elsewhere", motions_apart(&interpreted[k], &native[k], &names), 1e-8);
    }
    assert!(motions_apart(&native[0], &native[1], &names) > 1e-4, "the two are different motions");
}

/// Derivatives of motions with these laws: backwards, forward, and by differences of motions.
#[test]
fn derivatives_agree_backwards_forward_and_by_differences() {
    let cases = [
        [CONSTRAINTS[1], NONIDEAL[1], CONTROL[0]],
        [CONSTRAINTS[1], NONIDEAL[2], CONTROL[0]],
        [CONSTRAINTS[2], NONIDEAL[3], CONTROL[0]],
        [CONSTRAINTS[1], NONIDEAL[0], CONTROL[2]],
        [CONSTRAINTS[2], NONIDEAL[1], CONTROL[3]],
        [CONSTRAINTS[0], NONIDEAL[0], CONTROL[4]],
        [CONSTRAINTS[1], NONIDEAL[1], CONTROL[5]],
    ];
    let names = ["m", "k", "b", "th(0)"].map(str::to_owned);
    for case in cases {
        let text = [BASE, &case.concat()].concat();
        let request =
            Request { until: Some(0.6), rtol: Some(1e-11), atol: Some(1e-12), ..Request::default() };
        let cost = [CostTerm::Final("x".to_owned())];
        let mut roads = [GradientRoad::Adjoint, GradientRoad::Forward].map(|road| {
            load(&text)
                .gradient(&request, &cost, &names, Some(road))
                .unwrap_or_else(|d| panic!("{text}\n{}", d.message))
                .by
        });
        let size = 1.0 + largest(&roads[1]);
        below(&text, apart(&roads[0], &roads[1]) / size, 1e-7);
        let value = |name: &str, h: f64| {
            let text = match name.strip_suffix("(0)") {
                Some(start) => text.replace(&format!("{start} = 0.5,"), &format!("{start} = {},", 0.5 + h)),
                None => {
                    let old = if name == "m" {
                        1.3
                    } else if name == "k" {
                        2.0
                    } else {
                        0.2
                    };
                    text.replace(&format!("{name} = {old}"), &format!("{name} = {}", old + h))
                }
            };
            *column(&run(&mut load(&text), &request), "x").last().expect("an end")
        };
        let slope = |name: &str, h: f64| (value(name, h) - value(name, -h)) / (2.0 * h);
        roads[0] = names.iter().map(|n| (4.0 * slope(n, 1e-3) - slope(n, 2e-3)) / 3.0).collect();
        below(&text, apart(&roads[0], &roads[1]) / size, 1e-6);
    }
}
