//! Variational methods: order, energy over long times, constraints, symplectic form, reversal, momenta.

use crate::support::*;
use dalembert::run::{Flow, State};
use dalembert::{Motion, Request, Workspace};

/// The same rod twice, in other words, and masses that are neither one nor constant.
const REDUNDANT: &str = "coordinate x, y
    kinetic (1 + 0.2*sin(x))*x'^2 + 0.3*x'*y' + 0.8*y'^2
    potential 9.81*y
    constraint rod: x^2 + y^2 = 1
    constraint again: log(x^2 + y^2) = 0
    initial x = 0.8, y ~ -0.6, x' = 1";

/// Forces without a potential, and an end that is moved.
const FORCED: &str = "coordinate x, y
    kinetic (x'^2 + 2*y'^2)/2
    potential 3*(x - sin(1.3*t))^2 + (y - x)^2
    dissipation 0.2*x'^2 + 0.05*(y' - x')^2
    force y = -0.3*y'*x^2 + cos(2*t)
    initial x = 0.4, y = -0.3, y' = 0.5";

fn fixed(method: &str, until: f64, steps: usize) -> Request {
    let step = until / steps as f64;
    Request { step: Some(step), method: Some(method.into()), ..sharply_until(until) }
}

/// Difference of the last states, relative to their size.
fn end_apart(model: &Workspace, a: &Motion, b: &Motion) -> f64 {
    let n = model.state_names().len();
    let end = |m: &Motion| m.table.rows().last().expect("rows")[1..=n].to_vec();
    let (a, b) = (end(a), end(b));
    apart(&a, &b) / (1.0 + largest(&b))
}

const METHODS: [(&str, i32); 3] = [("variational2", 2), ("variational4", 4), ("variational6", 6)];

/// Coordinates that are held at zero and occur in other constraints.
#[test]
fn coordinates_held_at_zero() {
    const PIVOT: &str = "coordinate x, y, z
        kinetic (x'^2 + y'^2 + z'^2)/2
        potential 9.81*y
        constraint zero: z = 0
        constraint rod: x^2 + (y-z)^2 = 1
        initial x = 0.3, y ~ 1";
    const TRAMMEL: &str = "coordinate xa, ya, xb, yb
        kinetic (xa'^2 + ya'^2)/2 + 3/2*(xb'^2 + yb'^2)
        potential 9.81*(3*yb + ya)
        constraint a: ya = 0
        constraint b: xb = 0
        constraint rod: (xa - xb)^2 + (ya - yb)^2 = 1
        initial xa = 0.3, yb ~ 1";
    for (text, name, right) in [(PIVOT, "x", 0.29658085497), (TRAMMEL, "xa", -0.97654582853)] {
        for (method, order) in METHODS {
            let error = |steps: usize| {
                let motion = run_text(text, &fixed(method, 1.0, steps));
                assert!(motion.outcome.largest_position_residual < 1e-15, "{name} {method} {steps}");
                (last(&motion, name) - right).abs()
            };
            for steps in [100, 500, 1000] {
                let expected = 40.0 * (10.0 / steps as f64).powi(order);
                below(&format!("{name} {method} {steps}"), error(steps), expected + 1e-9);
            }
        }
    }
}

#[test]
fn steps_have_their_order() {
    // (what, text, end, steps of the coarse run for each order); steps so that errors are well above rounding.
    let cases: Vec<(&str, String, f64, [usize; 3])> = vec![
        ("pendulum", model_text("pendulum"), 2.0, [200, 50, 30]),
        ("double pendulum", model_text("double_pendulum"), 1.0, [400, 100, 60]),
        ("double pendulum, Cartesian", model_text("double_pendulum_cartesian"), 1.0, [400, 100, 60]),
        ("pendulum, redundant", model_text("pendulum_redundant"), 2.0, [400, 100, 50]),
        ("moving constraint", model_text("bead_hoop_rheonomic"), 1.0, [400, 100, 60]),
        ("relativistic", model_text("relativistic_particle"), 2.0, [100, 20, 10]),
        ("rows that repeat each other", REDUNDANT.into(), 1.0, [200, 60, 30]),
        ("forced", FORCED.into(), 2.0, [200, 40, 20]),
    ];
    for (what, text, until, steps) in cases {
        let mut model = load(&text);
        let sharp = run(&mut model, &Request { rtol: Some(1e-13), ..sharply_until(until) });
        for ((method, order), steps) in METHODS.iter().zip(steps) {
            let error = |model: &mut Workspace, steps: usize| {
                let motion = run(model, &fixed(method, until, steps));
                assert_eq!(motion.counters().steps, steps, "{what}");
                end_apart(model, &motion, &sharp)
            };
            let (coarse, fine) = (error(&mut model, steps), error(&mut model, 2 * steps));
            let found = (coarse / fine).log2();
            println!("{what} {method}: {coarse:.2e} {fine:.2e} order {found:.2}");
            assert!(
                found > f64::from(*order) - 0.3 && fine < 1e-2,
                "{what} {method}: {coarse:e} {fine:e}, order {found}"
            );
        }
    }
}

/// Largest deviation of the energy in the first and in the last tenth of a run.
fn early_and_late(motion: &Motion, scale: f64) -> (f64, f64) {
    let e = column(motion, "E");
    let part = e.len() / 10;
    let off = |slice: &[f64]| largest(&slice.iter().map(|v| (v - e[0]) / scale).collect::<Vec<_>>());
    (off(&e[..part]), off(&e[e.len() - part..]))
}

#[test]
fn energy_stays_over_long_times_where_runge_kutta_loses_it() {
    let pendulum = "parameter g = 9.81
        coordinate q
        kinetic q'^2/2
        potential -g*cos(q)
        output E = energy
        initial q = 1";
    let kepler = "coordinate x, y
        kinetic (x'^2 + y'^2)/2
        potential -1/sqrt(x^2 + y^2)
        output E = energy
        output l = x*y' - y*x'
        initial x = 0.7, y' = 1.36277028773849
        ";
    let rods = model_text("double_pendulum_cartesian")
        .replace("initial x1 = 1, y1 ~ 0, x2 = 2, y2 ~ 0", "initial x1 = 0.3, y1 ~ -1, x2 = 0.7, y2 ~ -2");
    // (what, text, step, steps, scale of the energy)
    for (what, text, step, steps, scale) in [
        ("pendulum", pendulum, 0.1, 1e5, 9.81),
        ("kepler", kepler, 0.05, 2e4, 0.5),
        ("rods", &rods, 0.05, 2e4, 20.0),
    ] {
        let mut model = load(text);
        let until = steps * step;
        let mut go = |method: &str, step: f64, until: f64| {
            let request = Request {
                until: Some(until),
                every: Some(until / 2000.0),
                step: Some(step),
                method: Some(method.into()),
                ..Request::default()
            };
            run(&mut model, &request)
        };
        for (method, order) in METHODS {
            let motion = go(method, step, until);
            let (early, late) = early_and_late(&motion, scale);
            println!("{what} {method}: energy off by {early:.2e} early, {late:.2e} late");
            // An oscillation of the size of its first part, not a drift; 1e-12 is the walk of rounding.
            assert!(late < 1.5 * early + 1e-12, "{what} {method}: {early:e} {late:e}");
            below("residual", motion.outcome.largest_position_residual, 1e-14);
            below("residual of rates", motion.outcome.largest_velocity_residual, 1e-13);
            // Its size goes with the order of the method.
            let half = early_and_late(&go(method, step / 2.0, until / 10.0), scale).0;
            let found = (early / half).log2();
            assert!(found > f64::from(order) - 0.7 || early < 1e-11, "{what} {method}: energy order {found}");
            if what == "kepler" {
                // Noether: rotations leave the discrete action alone. 2e4 steps, each rounded by 2e-16 of 0.95.
                below("angular momentum", stray(&motion, "l"), 4e-12);
            }
        }
        let (early, late) = early_and_late(&go("rk4", step, until), scale);
        println!("{what} rk4: energy off by {early:.2e} early, {late:.2e} late");
        assert!(late > 5.0 * early, "{what}: rk4 drifts, {early:e} {late:e}");
    }
}

/// The flow of `steps` steps on (x, y), unit masses.
fn flow(model: &mut Workspace, method: &str, at: &[f64], h: f64, steps: usize) -> Vec<f64> {
    let n = at.len() / 2;
    let start = Some(State::new(0.0, &at[..n], &at[n..]));
    let until = h * steps as f64;
    let request = Request {
        start,
        until: Some(until),
        every: Some(until),
        step: Some(h),
        method: Some(method.into()),
        ..Request::default()
    };
    let motion = run(model, &request);
    motion.outcome.state.x.iter().chain(&motion.outcome.state.eta).copied().collect()
}

#[test]
fn the_symplectic_form_is_kept() {
    let mut model =
        load("coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential x^2/2 + 0.7*x*y^2 + y^4/4 + sin(x - y)");
    let at = [0.3, -0.4, 0.5, 0.2];
    let (eps, n) = (1e-5, 4);
    let area = |model: &mut Workspace, method: &str| {
        let mut slope = vec![vec![0.0; n]; n];
        for j in 0..n {
            let shifted = |by: f64| {
                let mut at = at;
                at[j] += by;
                at
            };
            let up = flow(model, method, &shifted(eps), 0.3, 5);
            let down = flow(model, method, &shifted(-eps), 0.3, 5);
            (0..n).for_each(|i| slope[i][j] = (up[i] - down[i]) / (2.0 * eps));
        }
        // J^T Omega J - Omega
        let omega = |a: usize, b: usize| {
            if b == a + 2 {
                1.0
            } else if a == b + 2 {
                -1.0
            } else {
                0.0
            }
        };
        let mut worst = 0.0_f64;
        for a in 0..n {
            for b in 0..n {
                let mut sum = -omega(a, b);
                for i in 0..n {
                    for k in 0..n {
                        sum += slope[i][a] * omega(i, k) * slope[k][b];
                    }
                }
                worst = worst.max(sum.abs());
            }
        }
        worst
    };
    for (method, _) in METHODS {
        // Central differences with 1e-5 of a flow of order one: 1e-10 of truncation, 1e-11 of rounding.
        below(method, area(&mut model, method), 2e-9);
    }
    assert!(area(&mut model, "rk4") > 1e-6, "rk4 does not keep it: {:e}", area(&mut model, "rk4"));
}

#[test]
fn motions_can_be_turned_back() {
    for text in [model_text("double_pendulum"), model_text("double_pendulum_cartesian"), REDUNDANT.to_owned()]
    {
        let mut model = load(&text);
        for (method, _) in METHODS {
            let begin = start(&mut model);
            let first: Vec<f64> = begin.x.iter().chain(&begin.eta).copied().collect();
            let mut there = flow(&mut model, method, &first, 0.01, 100);
            let n = begin.x.len();
            there[n..].iter_mut().for_each(|v| *v = -*v);
            let mut back = flow(&mut model, method, &there, 0.01, 100);
            back[n..].iter_mut().for_each(|v| *v = -*v);
            // Two hundred steps of rounding, on a motion that spreads a little.
            below(method, apart(&first, &back), 1e-11);
        }
    }
}

#[test]
fn models_without_hamiltons_principle_are_refused_at_the_statement() {
    for (name, place) in [
        ("rolling_disk", "constraint"),
        ("rigid_body", "w1"),
        ("rough_incline", "friction"),
        ("satellite_circle", "require"),
    ] {
        let text = model_text(name);
        let mut model = load(&text);
        let request = Request { method: Some("variational4".into()), ..until(1.0) };
        let said = model.simulate(&request, |_| Flow::Continue).expect_err("no variational motion");
        assert_eq!(said.code.id(), "E0804", "{name}: {}", said.message);
        let span = said.span.expect("a place");
        let (from, to) = (span.start as usize, span.end as usize);
        assert!(text[..to].contains(place), "{name}: {}", &text[from..to]);
    }
    let mut pendulum = load_file("pendulum");
    let said = pendulum
        .simulate(&Request { step: Some(0.1), ..until(1.0) }, |_| Flow::Continue)
        .expect_err("no step");
    assert_eq!(said.code.id(), "E0803");
    // A step that is too long ends the run with a message, and never hangs.
    let request = Request { method: Some("variational4".into()), step: Some(5.0), ..until(50.0) };
    let motion =
        load_file("double_pendulum_cartesian").simulate(&request, |_| Flow::Continue).expect("a run");
    assert!(motion.failure.is_some_and(|d| d.code.id() == "E0704"));
}

#[test]
fn the_action_of_a_motion() {
    // Harmonic oscillator x = cos t: L = (sin^2 t - cos^2 t)/2, S(T) = -sin(2T)/4.
    let text = "coordinate x\nkinetic x'^2/2\npotential x^2/2\ninitial x = 1";
    for (method, bound) in [("dop853", 1e-11), ("radau", 1e-8), ("variational6", 1e-8)] {
        let request = Request { action: true, method: Some(method.into()), every: Some(0.05), ..until(2.0) };
        let motion = run_text(text, &request);
        let action = motion.action.expect("an action");
        below(method, (action + (4.0_f64).sin() / 4.0).abs(), bound);
    }
    // The same in every form, and together with the balance of energy.
    let text = model_text("double_pendulum_cartesian");
    let request = Request { action: true, balance: Some(true), ..sharply_until(1.0) };
    let plain = run_text(&text, &request);
    assert!(plain.balance.is_some());
    for form in [dalembert::MotionForm::Hamilton, dalembert::MotionForm::Suslov] {
        let other = run_text(&text, &Request { form, ..request.clone() });
        below("forms", (plain.action.expect("S") - other.action.expect("S")).abs(), 1e-9);
    }
    let direct = "coordinate x\nmass [[2]]\nforce [-x]";
    let said = load(direct).simulate(&request, |_| Flow::Continue).expect_err("no Lagrangian");
    assert_eq!(said.code.id(), "E0804");
}

#[test]
fn steps_are_solved_to_rounding_in_any_units() {
    let spring = "coordinate r, th
        kinetic (r'^2 + r^2*th'^2)/2
        potential 4*(r - 1)^2
        output l = r^2*th'
        initial r = 1.2, th' = 0.5, th = ";
    let run_from = |angle: &str, until: f64| {
        let mut model = load(&(spring.to_owned() + angle));
        run(
            &mut model,
            &Request { every: Some(1.0), ..fixed("variational4", until, (until * 200.0) as usize) },
        )
    };
    // The momentum of a cyclic coordinate is carried, not computed anew; over 2e4 steps, and however far the angle is.
    let (near, far) = (run_from("0", 100.0), run_from("2000*pi", 100.0));
    below("momentum", stray(&near, "l").max(stray(&far, "l")), 1e-15);
    below("shifted by a thousand turns", apart(&column(&near, "r"), &column(&far, "r")), 1e-12);
    // Metres, kilograms and seconds: smaller steps are not worse.
    let mut satellite = load(
        "parameter GM = 3.986e14, m = 1000
        coordinate r, th
        kinetic m/2*(r'^2 + r^2*th'^2)
        potential -GM*m/r
        output l = r^2*th'/5.39e10 - 1
        output E = energy/2.7296e10
        initial r = 7e6, th' = 1.1e-3",
    );
    for steps in [150, 300, 600] {
        let motion = run(&mut satellite, &fixed("variational6", 6000.0, steps));
        below("momentum", stray(&motion, "l"), 1e-15);
        below("energy", stray(&motion, "E"), 1e-13);
    }
}
