//! Suslov's form (H3, H4, H6): the motion of U1, multipliers as -dM/dt, and nothing that depends on M at the start.

use crate::support::*;
use dalembert::equations::{Form, write};
use dalembert::momentum_form::SuslovKernel;
use dalembert::poincare::Fields;
use dalembert::run::{Flow, Options, Output, Row, State, Stop, integrate};
use dalembert::suslov::Suslov;
use dalembert::{MotionForm, Request, Workspace};
use dalembert_expr::{Expr, Format, Symbol};
use insta::assert_snapshot;

const LINEAR: &[(&str, f64)] = &[
    ("pendulum", 2.0),
    ("heavy_top", 2.0),
    ("pendulum_index3", 2.0),
    ("double_pendulum_cartesian", 1.0),
    ("bead_hoop_rheonomic", 1.0),
    ("slider_crank", 0.5),
    ("rolling_disk", 3.0),
    ("rolling_disk_lean", 1.0),
    ("chaplygin_sleigh", 2.0),
    ("chaplygin_sleigh_quasi", 2.0),
    ("suslov", 2.0),
    ("ball_turntable", 2.0),
];

#[test]
fn suslovs_form_gives_the_motion_of_the_explicit_form() {
    for (name, until) in LINEAR {
        let request = sharply_until(*until);
        let explicit = run(&mut load_file(name), &request);
        let other = run(&mut load_file(name), &Request { form: MotionForm::Suslov, ..request });
        for column_name in &explicit.table.columns {
            let (a, b) = (column(&explicit, column_name), column(&other, column_name));
            // Positions are not projected here: their errors are those of steps at rtol 1e-12.
            below(&format!("{column_name} of {name}"), apart(&a, &b) / (1.0 + largest(&a)), 1e-8);
        }
        below(&format!("constraints of {name}"), other.outcome.largest_position_residual, 1e-9);
        below(&format!("rates of {name}"), other.outcome.largest_velocity_residual, 1e-11);
    }
}

/// Times, speeds and M at steps of `dt` from a start with the given M.
fn flow(
    model: &mut Workspace,
    kernel: &SuslovKernel,
    M: &[f64],
    dt: f64,
    until: f64,
) -> Vec<(State, Vec<f64>)> {
    let start = start(model);
    let outset = kernel.momenta_of(&start, M).expect("independent rows");
    let mut rows = Vec::new();
    let options = Options { rtol: 1e-12, atol: 1e-14, output: Output::Every(dt), ..Options::default() };
    let outcome = integrate(kernel, &outset, until, &options, &mut |row: Row| {
        let canonical = State::new(row.t, row.x, row.eta);
        let (eta, M) = kernel.speeds_of(canonical.point()).expect("speeds");
        rows.push((State::new(row.t, row.x, &eta), M));
    });
    assert_eq!(outcome.stop, Stop::EndTime);
    rows
}

#[test]
fn multipliers_are_minus_the_rate_of_M_whatever_M_was() {
    for name in [
        "pendulum_index3",
        "rolling_disk",
        "rolling_disk_lean",
        "suslov",
        "chaplygin_sleigh_quasi",
        "bead_hoop_rheonomic",
    ] {
        let mut model = load_file(name);
        let kernel = SuslovKernel::new(&mut model).expect("linear rows");
        let m = kernel.multipliers();
        let (dt, until) = (0.005, 0.5);
        let plain = flow(&mut model, &kernel, &vec![0.0; m], dt, until);
        let other =
            flow(&mut model, &kernel, &(0..m).map(|a| 0.7 - 1.1 * a as f64).collect::<Vec<_>>(), dt, until);
        assert_eq!(plain.len(), other.len());
        let mut worst = (0.0f64, 0.0f64, 0.0f64);
        for k in 0..plain.len() {
            worst.0 = worst.0.max(apart(&plain[k].0.x, &other[k].0.x));
            worst.1 = worst.1.max(apart(&plain[k].0.eta, &other[k].0.eta));
        }
        // A sixth-order central difference: error dt^6 times a derivative of the multiplier, and rounding/dt.
        for rows in [&plain, &other] {
            for k in 3..rows.len() - 4 {
                let lambda = evaluate(&model, &rows[k].0).solution.lambda;
                for a in 0..m {
                    let d = |j: usize| rows[k + j].1[a] - rows[k - j].1[a];
                    let rate = (45.0 * d(1) - 9.0 * d(2) + d(3)) / (60.0 * dt);
                    worst.2 = worst.2.max((rate + lambda[a]).abs() / (1.0 + lambda[a].abs()));
                }
            }
        }
        below(&format!("positions of {name} by M"), worst.0, 1e-9);
        below(&format!("speeds of {name} by M"), worst.1, 1e-9);
        below(&format!("-dM/dt of {name}"), worst.2, 1e-7);
    }
}

/// The same row twice, in other words.
const REDUNDANT: &str = "coordinate x, y
    kinetic (x'^2 + y'^2)/2
    potential 9.81*y
    constraint rod: x^2 + y^2 = 1
    constraint again: 2*x*x' + 2*y*y' = 0
    initial x = 1, y ~ 0";

#[test]
fn what_has_no_form_of_suslov_is_refused() {
    for (text, word) in [
        (model_text("appell_hamel"), "linear in the speeds"),
        (model_text("incline_nonideal"), "nonideal"),
        (REDUNDANT.to_owned(), "depend on each other"),
        (model_text("rough_incline"), "friction"),
    ] {
        let request = Request { form: MotionForm::Suslov, ..until(1.0) };
        let refused = load(&text).simulate(&request, |_| Flow::Continue).expect_err("refused");
        assert_eq!(refused.code.id(), "E0804", "{}", refused.message);
        assert!(refused.message.contains(word), "{}", refused.message);
    }
}

#[test]
fn the_redundant_hamiltonian_of_holonomic_rows_generates_the_same_flow() {
    // H6 against H3 and H4, anywhere in the phase space, on the constraint or off it.
    let quasi = "coordinate x, y, theta
        speed u = x'*cos(theta) + y'*sin(theta), v = -x'*sin(theta) + y'*cos(theta), w = theta'
        kinetic (x'^2 + y'^2)/2 + 0.2*theta'^2
        potential y
        constraint rod: x^2 + y^2 = 1 + 0.1*sin(t)";
    let top = model_text("heavy_top") + "\nconstraint tilt: gamma.z = 0.8 + 0.1*t";
    let texts = [model_text("pendulum_index3"), model_text("bead_hoop_rheonomic"), quasi.to_owned(), top];
    for text in texts {
        let mut model = load(&text);
        let suslov = Suslov::of(&mut model).expect("linear rows");
        assert!(suslov.holonomic(), "{text}");
        let solved = suslov.solve(&mut model).expect("names").expect("independent rows");
        let form = model.form.clone();
        let pool = &mut model.system.pool;
        let images: Vec<(Symbol, Expr)> =
            form.speeds.iter().copied().zip(solved.speeds.iter().copied()).collect();
        let more = suslov.multipliers.iter().copied().zip(solved.multipliers.iter().copied());
        let images: Vec<(Symbol, Expr)> = images.into_iter().chain(more).collect();
        let rates = pool.substitute(&suslov.rates, &images);
        let impressed = pool.substitute(&suslov.equations.impressed, &images);
        let slopes = Fields::of(pool, &form).all(pool, solved.hamiltonian);
        let by_y = pool.gradient(solved.hamiltonian, &solved.momenta);
        let structure: Vec<Expr> = form.structure.entries.iter().map(|e| e.3).collect();
        let with_time: Vec<Expr> = form.structure.with_time.iter().map(|e| e.2).collect();
        let mut rng = Rng::new(31);
        for _ in 0..10 {
            let mut known: Vec<(Symbol, f64)> =
                form.parameters.iter().copied().zip(model.compiled.parameters().iter().copied()).collect();
            let free: Vec<Symbol> = form.coordinates.iter().chain(&solved.momenta).copied().collect();
            known.extend(free.iter().copied().zip(rng.numbers(free.len())));
            known.push((form.time, rng.number(0.0, 1.0)));
            let value = |s: Symbol| known.iter().find(|(k, _)| *k == s).map_or(f64::NAN, |(_, v)| *v);
            let mut of = |list: &[Expr]| model.system.pool.evaluate_all(list, value);
            let (eta, slopes, rates) = (of(&by_y), of(&slopes), of(&rates));
            below("eta = dH/dy", apart(&eta, &of(&solved.speeds)) / (1.0 + largest(&eta)), 1e-10);
            let (impressed, C, C0) = (of(&impressed), of(&structure), of(&with_time));
            let y: Vec<f64> = solved.momenta.iter().map(|s| value(*s)).collect();
            let mut flow: Vec<f64> = slopes.iter().zip(&impressed).map(|(s, q)| q - s).collect();
            form.structure
                .entries
                .iter()
                .zip(C)
                .for_each(|((q, p, r, _), c)| flow[*p] += c * eta[*q] * y[*r]);
            form.structure.with_time.iter().zip(C0).for_each(|((p, q, _), c)| flow[*p] += c * y[*q]);
            below("y' by H", apart(&flow, &rates) / (1.0 + largest(&rates)), 1e-10);
        }
    }
}

#[test]
fn suslovs_form_of_a_pendulum_and_of_a_disk() {
    let mut pendulum = load_file("pendulum_index3");
    assert_snapshot!(write(&mut pendulum, Form::Suslov, Format::Text).expect("written"), @r"
    # H3: momenta with multipliers M, M' = -lambda
    p_x = x' + 2*x*M_rod
    p_y = y' + 2*y*M_rod
    2*x*x' + 2*y*y' = 0
    # H4: their rates
    p_x' = 2*x'*M_rod
    p_y' = 2*y'*M_rod - 1
    # H5: Omega0_a, Omega_a[q,p] of rows linear in the speeds, antisymmetric; those not written vanish
    # H5: nonholonomy N_a, zero for holonomic rows, in any frame
    nonholonomy_rod = [0, 0]
    # H3 solved for the speeds and M
    x' = -y*(x*p_y - y*p_x)/(x^2 + y^2)
    y' = x*(x*p_y - y*p_x)/(x^2 + y^2)
    M_rod = (x*p_x + y*p_y)/(2*(x^2 + y^2))
    # H6: the Hamiltonian on the redundant phase space
    H = -(2*x*y*p_x*p_y - 2*y^3 - y^2*p_x^2 - x^2*(2*y + p_y^2))/(2*(x^2 + y^2))
    # canonical equations: -X_p H + ..., over x, y, t
    p_x' = y*(y^2*p_x*p_y - x*(x*p_x*p_y - y*p_x^2 + y*p_y^2))/(x^2 + y^2)^2
    p_y' = -(x^4 - x^3*p_x*p_y + y*(y^3 + x*(y*p_x*p_y + x*(2*y + p_x^2 - p_y^2))))/(x^2 + y^2)^2
    # the speeds satisfy the constraints identically: every H_a = F_a(x, eta(x,y,t), t) is 0, and K = H - M_a H_a is H
    ");
    let mut disk = load_file("rolling_disk");
    assert_snapshot!(write(&mut disk, Form::Suslov, Format::Text).expect("written"), @r"
    # H3: momenta with multipliers M, M' = -lambda
    p_x = m*x' + M_rolling.x
    p_y = m*y' + M_rolling.y
    p_psi = I*psi'
    p_theta = J*theta' - r*cos(psi)*M_rolling.x - r*sin(psi)*M_rolling.y
    x' - r*theta'*cos(psi) = 0
    y' - r*theta'*sin(psi) = 0
    # H4: their rates
    p_x' = 0
    p_y' = 0
    p_psi' = 0
    p_theta' = r*psi'*(sin(psi)*M_rolling.x - cos(psi)*M_rolling.y)
    # H5: Omega0_a, Omega_a[q,p] of rows linear in the speeds, antisymmetric; those not written vanish
    Omega_rolling.x[psi,theta] = r*sin(psi)
    Omega_rolling.y[psi,theta] = -r*cos(psi)
    # H5: nonholonomy N_a, zero for holonomic rows, in any frame
    nonholonomy_rolling.x = [0, 0, r*theta'*sin(psi), -r*psi'*sin(psi)]
    nonholonomy_rolling.y = [0, 0, -r*theta'*cos(psi), r*psi'*cos(psi)]
    # H3 solved for the speeds and M
    x' = r*cos(psi)*(p_theta + r*cos(psi)*p_x + r*sin(psi)*p_y)/(m*r^2 + J)
    y' = r*sin(psi)*(p_theta + r*cos(psi)*p_x + r*sin(psi)*p_y)/(m*r^2 + J)
    psi' = p_psi/I
    theta' = (p_theta + r*cos(psi)*p_x + r*sin(psi)*p_y)/(m*r^2 + J)
    M_rolling.x = (J*p_x + m*r*(r*sin(psi)^2*p_x - cos(psi)*(p_theta + r*sin(psi)*p_y)))/(m*r^2 + J)
    M_rolling.y = (J*p_y + m*r*(r*cos(psi)^2*p_y - sin(psi)*(p_theta + r*cos(psi)*p_x)))/(m*r^2 + J)
    # H = y_p eta_p - L over x, y, t: nonholonomic rows add -M_a N_ap to its equations
    H = p_psi^2/(2*I) + (p_theta + r*cos(psi)*p_x + r*sin(psi)*p_y)^2/(2*(m*r^2 + J))
    # canonical equations: -X_p H + ..., over x, y, t
    p_x' = 0
    p_y' = 0
    p_psi' = 0
    p_theta' = -r*p_psi*(cos(psi)*p_y - sin(psi)*p_x)/I
    # the speeds satisfy the constraints identically: every H_a = F_a(x, eta(x,y,t), t) is 0, and K = H - M_a H_a is H
    ");
}

/// A relativistic particle, whose momenta are not linear in the speeds: with a position constraint and with a blade.
#[test]
fn lagrangians_that_are_not_quadratic_have_suslovs_form_too() {
    for row in ["y' = x*x'", "x^2 + y^2 = 0.81 + 0.1*sin(t)"] {
        let text = format!(
            "coordinate x, y
            lagrangian -sqrt(1 - x'^2 - y'^2) - x^2/2 - y/4
            force x = -0.1*x'
            constraint row: {row}
            initial x = 0.3, y ~ 0.85, x' = 0.4"
        );
        let request = sharply_until(2.0);
        let explicit = run(&mut load(&text), &request);
        let form = MotionForm::Suslov;
        let other = run(&mut load(&text), &Request { form, ..request.clone() });
        let multipliers = vec![("M_row".to_owned(), 0.7)];
        let third = run(&mut load(&text), &Request { form, multipliers, ..request });
        below(row, motions_apart(&explicit, &other, &["x", "y", "x'", "y'"]), 1e-9);
        below(row, motions_apart(&explicit, &third, &["x", "y", "x'", "y'"]), 1e-9);
        // M differs by what it was at the start, all along.
        let (a, b) = (column(&other, "M_row"), column(&third, "M_row"));
        below("M", largest(&a.iter().zip(&b).map(|(a, b)| b - a - 0.7).collect::<Vec<_>>()), 1e-8);
    }
}

/// y' = -X_p H + ... over (x, y, t) is H4 with the speeds and M eliminated, for nonholonomic rows in frames that move.
#[test]
fn the_canonical_equations_are_those_with_multipliers() {
    let quasi = "coordinate x, y, theta
        speed u = x'*cos(theta) + y'*sin(theta) + t*x, v = -x'*sin(theta) + y'*cos(theta), w = theta'
        kinetic (1 + x^2)*u^2/2 + v^2 + 0.2*w^2 + 0.1*u*w
        potential y*x
        force theta = -0.3*theta' + x
        constraint blade: v = t*x + 0.2*w*y";
    for text in [model_text("rolling_disk"), model_text("suslov"), quasi.to_owned()] {
        let mut model = load(&text);
        let suslov = Suslov::of(&mut model).expect("linear rows");
        assert!(!suslov.holonomic());
        let solved = suslov.solve(&mut model).expect("names").expect("independent rows");
        let form = model.form.clone();
        let of_speeds = form.speeds.iter().copied().zip(solved.speeds.iter().copied());
        let of_M = suslov.multipliers.iter().copied().zip(solved.multipliers.iter().copied());
        let images: Vec<(Symbol, Expr)> = of_speeds.chain(of_M).collect();
        let rates = model.system.pool.substitute(&suslov.rates, &images);
        let mut rng = Rng::new(5);
        for _ in 0..5 {
            let mut known: Vec<(Symbol, f64)> =
                form.parameters.iter().copied().zip(model.compiled.parameters().iter().copied()).collect();
            let free: Vec<Symbol> = form.coordinates.iter().chain(&solved.momenta).copied().collect();
            known.extend(free.iter().copied().zip(rng.numbers(free.len())));
            known.push((form.time, 0.4));
            let value = |s: Symbol| known.iter().find(|(k, _)| *k == s).map_or(f64::NAN, |(_, v)| *v);
            let a = model.system.pool.evaluate_all(&rates, value);
            let b = model.system.pool.evaluate_all(&solved.rates, value);
            below("y'", apart(&a, &b) / (1.0 + largest(&a)), 1e-11);
        }
    }
}

#[test]
fn unknown_multipliers_are_refused() {
    let asked = |form, name: &str| {
        let multipliers = vec![(name.to_owned(), 0.3)];
        let request = Request { form, multipliers, ..until(1.0) };
        load_file("pendulum_index3").simulate(&request, |_| Flow::Continue).expect_err("refused")
    };
    let near = asked(MotionForm::Suslov, "M_rot");
    assert_eq!((near.code.id(), near.help.as_deref()), ("E0803", Some("did you mean `M_rod`?")));
    assert!(asked(MotionForm::Hamilton, "M_rod").message.contains("Suslov"));
}
