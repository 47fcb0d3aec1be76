//! Brackets (H2): their laws over random functions in several frames, evolution, and Dirac's brackets (H7).

use crate::support::*;
use dalembert::Workspace;
use dalembert::hamilton::Canonical;
use dalembert::poisson::{Brackets, Dirac};
use dalembert_expr::{Derivation, Expr, Function, Pool, Rational, Symbol, Zero};

/// Coordinates, directions (so(3) on a vector), quaternions, and a frame whose coefficients are no constants.
fn frames() -> [(&'static str, String); 5] {
    let direction = "parameter I1 = 1, I2 = 2, I3 = 3
        coordinate g1, g2, g3
        speed w1, w2, w3
        kinematics g1' = g2*w3 - g3*w2
        kinematics g2' = g3*w1 - g1*w3
        kinematics g3' = g1*w2 - g2*w1
        kinetic (I1*w1^2 + I2*w2^2 + I3*w3^2)/2
        potential 0.2*g1 + 0.5*g3
        initial g2 = 0.6, g3 = 0.8, w3 = 1";
    let bent = "coordinate x, y, z
        speed u = (1 + x^2)*y', v = x' + t*y', w = z' + x*y'
        kinetic (u^2 + v^2 + 2*w^2)/2
        potential x*y
        force x = -0.3*x' + t";
    [
        ("canonical", model_text("double_pendulum")),
        ("so(3)", direction.to_owned()),
        ("quaternion", model_text("heavy_top")),
        (
            "sleigh",
            model_text("chaplygin_sleigh_quasi")
                .replace("constraint", "# constraint")
                .replace("output", "# output"),
        ),
        ("bent and moving", bent.to_owned()),
    ]
}

/// A random function of coordinates and momenta.
fn function(pool: &mut Pool, symbols: &[Symbol], rng: &mut Rng) -> Expr {
    let mut parts = Vec::new();
    for _ in 0..3 {
        let mut pick = |pool: &mut Pool| pool.var(symbols[rng.below(symbols.len())]);
        let (a, b, c) = (pick(pool), pick(pool), pick(pool));
        let angle = pool.add(a, b);
        let wave = pool.call1(Function::Sin, angle);
        let square = pool.powi(b, 2);
        let (first, second) = (pool.mul(wave, c), pool.mul(square, a));
        parts.push(pool.add(first, second));
    }
    pool.total(parts)
}

fn setting(text: &str) -> (Workspace, Canonical, Brackets, Vec<Symbol>) {
    let mut model = load(text);
    let canonical = Canonical::of(&mut model).unwrap_or_else(|d| panic!("{}", d.message));
    let brackets = Brackets::new(&mut model, &canonical);
    let symbols = model.form.coordinates.iter().chain(&canonical.momenta).copied().collect();
    (model, canonical, brackets, symbols)
}

/// Largest of |e| over random states, relative to a scale.
fn size(model: &mut Workspace, symbols: &[Symbol], e: Expr, scale: Expr, rng: &mut Rng) -> f64 {
    let form = &model.form;
    let mut known: Vec<(Symbol, f64)> =
        form.parameters.iter().copied().zip(model.compiled.parameters().iter().copied()).collect();
    known.extend(symbols.iter().copied().zip(rng.numbers(symbols.len())));
    known.push((form.time, 0.7));
    let value = |s: Symbol| known.iter().find(|(k, _)| *k == s).map_or(f64::NAN, |(_, v)| *v);
    let values = model.system.pool.evaluate_all(&[e, scale], value);
    values[0].abs() / (1.0 + values[1].abs())
}

#[test]
fn brackets_are_antisymmetric_and_obey_leibniz_and_jacobi() {
    for (name, text) in frames() {
        let (mut model, _, brackets, symbols) = setting(&text);
        let mut rng = Rng::new(41);
        for _ in 0..4 {
            let pool = &mut model.system.pool;
            let [f, g, h] = [(); 3].map(|()| function(pool, &symbols, &mut rng));
            let (fg, gf) = (brackets.bracket(pool, f, g), brackets.bracket(pool, g, f));
            let antisymmetry = pool.add(fg, gf);
            let product = pool.mul(g, h);
            let whole = brackets.bracket(pool, f, product);
            let (fh, gh) = (brackets.bracket(pool, f, h), brackets.bracket(pool, g, h));
            let (first, second) = (pool.mul(fg, h), pool.mul(g, fh));
            let leibniz = pool.combine([
                (whole, Rational::ONE),
                (first, Rational::MINUS_ONE),
                (second, Rational::MINUS_ONE),
            ]);
            let (a, b, c) =
                (brackets.bracket(pool, f, gh), brackets.bracket(pool, g, fh), brackets.bracket(pool, h, fg));
            // (f,(g,h)) + (g,(h,f)) + (h,(f,g)), with (h,f) = -(f,h)
            let jacobi = pool.combine([(a, Rational::ONE), (b, Rational::MINUS_ONE), (c, Rational::ONE)]);
            for (law, e, scale) in
                [("antisymmetry", antisymmetry, fg), ("Leibniz", leibniz, whole), ("Jacobi", jacobi, a)]
            {
                for _ in 0..3 {
                    below(&format!("{law}, {name}"), size(&mut model, &symbols, e, scale, &mut rng), 1e-10);
                }
            }
        }
    }
}

#[test]
fn functions_evolve_as_coordinates_and_momenta_do() {
    for (name, text) in frames() {
        let (mut model, canonical, brackets, symbols) = setting(&text);
        let mut rng = Rng::new(43);
        let images = model.form.coordinates.iter().copied().zip(canonical.x_dot.iter().copied());
        let images = images.chain(canonical.momenta.iter().copied().zip(canonical.y_dot.iter().copied()));
        let mut total = Derivation::new(images.chain([(model.form.time, Pool::ONE)]));
        for _ in 0..4 {
            let pool = &mut model.system.pool;
            let g = function(pool, &symbols, &mut rng);
            let (rate, along) = (brackets.rate(pool, g), total.apply(pool, g));
            let e = pool.sub(rate, along);
            below(&format!("evolution, {name}"), size(&mut model, &symbols, e, rate, &mut rng), 1e-12);
        }
    }
}

const PENDULUM: &str = "parameter m = 1.3, l = 0.9, g = 9.81
    coordinate x, y
    kinetic m/2*(x'^2 + y'^2)
    potential m*g*y
    constraint rod: x^2 + y^2 = l^2
    initial x = 0.9, y ~ 0, y' = 0.4";

/// On the constraint surface of the pendulum: angle a, momentum s along the circle.
fn on_surface(pool: &mut Pool, e: Expr) -> Expr {
    let (a, s, l) = (pool.named("a"), pool.named("s"), pool.named("l"));
    let (sin, cos) = (pool.call1(Function::Sin, a), pool.call1(Function::Cos, a));
    let (x, y) = (pool.mul(l, cos), pool.mul(l, sin));
    let (along, py) = (pool.mul(s, sin), pool.mul(s, cos));
    let px = pool.neg(along);
    let images = [("x", x), ("y", y), ("p_x", px), ("p_y", py)].map(|(n, e)| (pool.symbol(n), e));
    pool.substitute(&[e], &images)[0]
}

#[test]
fn the_pendulum_has_the_secondary_constraint_multiplier_and_brackets_of_dirac() {
    // Reference F2, exactly. Our bracket is minus Poisson's, our multiplier minus the one there.
    let mut model = load(PENDULUM);
    let canonical = Canonical::of(&mut model).expect("quadratic");
    let dirac = Dirac::new(&mut model, &canonical).expect("position constraints");
    let pool = &mut model.system.pool;
    assert_eq!(pool.text(dirac.constraints[1]), "2*(x*p_x + y*p_y)/m");
    let names = ["x", "y", "p_x", "p_y", "m", "g", "l"];
    let [x, y, px, py, m, g, l] = names.map(|n| pool.named(n));
    let [m2, l2, px2, py2] = [m, l, px, py].map(|e| pool.powi(e, 2));
    let weight = pool.product([m2, g, y].map(|e| (e, Rational::ONE)));
    let above = pool.combine([(px2, Rational::ONE), (py2, Rational::ONE), (weight, Rational::MINUS_ONE)]);
    let below_line = pool.mul(m, l2);
    let lambda = pool.div(above, below_line);
    let lambda = pool.scale(lambda, Rational::HALF);
    let mu = dirac.multipliers(pool)[0];
    let sum = pool.add(mu, lambda);
    let sum = on_surface(pool, sum);
    assert_eq!(pool.is_zero(sum), Zero::Yes, "{}", pool.text(sum));
    let over = |pool: &mut Pool, a: Expr, b: Expr| {
        let product = pool.mul(a, b);
        pool.div(product, l2)
    };
    let (xx, xy, yy) = (over(pool, x, x), over(pool, x, y), over(pool, y, y));
    let (one_x, minus_xy, one_y) = (pool.sub(Pool::ONE, xx), pool.neg(xy), pool.sub(Pool::ONE, yy));
    let (a, b) = (over(pool, y, px), over(pool, x, py));
    let turn = pool.sub(a, b);
    for (f, g, wanted) in
        [(x, px, one_x), (x, py, minus_xy), (y, py, one_y), (px, py, turn), (x, y, Pool::ZERO)]
    {
        let bracket = dirac.bracket(pool, g, f); // {f,g} = (g,f)
        let difference = pool.sub(bracket, wanted);
        let difference = on_surface(pool, difference);
        assert_eq!(pool.is_zero(difference), Zero::Yes, "{}", pool.text(difference));
    }
    for phi in dirac.constraints.clone() {
        for f in [x, y, px, py] {
            let e = dirac.bracket(pool, f, phi);
            let e = on_surface(pool, e);
            assert_eq!(pool.is_zero(e), Zero::Yes, "{}", pool.text(e));
        }
    }
}

#[test]
fn multipliers_by_brackets_are_those_of_the_explicit_equation() {
    let spherical = "parameter c = 0.2
        coordinate x, y, z
        kinetic (x'^2 + y'^2 + 2*z'^2)/2
        potential 9.81*z
        force y = -c*y'
        constraint rod: x^2 + y^2 + z^2 = 1 + 0.1*sin(t)
        initial x = 0.6, z ~ -0.8, y' = 1";
    let top =
        model_text("heavy_top").replace("w1 = 0.3", "w1 ~ 0.3") + "\nconstraint tilt: gamma.z = 0.8 + 0.1*t";
    for text in [PENDULUM.to_owned(), spherical.to_owned(), model_text("double_pendulum_cartesian"), top] {
        let (mut model, canonical, _, symbols) = setting(&text);
        let dirac = Dirac::new(&mut model, &canonical).unwrap_or_else(|d| panic!("{}", d.message));
        let mu = dirac.multipliers(&mut model.system.pool);
        let state = start(&mut model);
        let now = evaluate(&model, &state);
        let form = model.form.clone();
        let mut known: Vec<(Symbol, f64)> =
            form.parameters.iter().copied().zip(model.compiled.parameters().iter().copied()).collect();
        known.push((form.time, state.t));
        known.extend(symbols.iter().copied().zip(state.x.iter().copied()));
        known.extend(form.speeds.iter().copied().zip(state.eta.iter().copied()));
        let lookup = |known: &[(Symbol, f64)], s: Symbol| {
            known.iter().find(|(k, _)| *k == s).map_or(f64::NAN, |k| k.1)
        };
        let y = model.system.pool.evaluate_all(&form.momenta, |s| lookup(&known, s));
        known.extend(canonical.momenta.iter().copied().zip(y));
        let mu = model.system.pool.evaluate_all(&mu, |s| lookup(&known, s));
        below("multipliers of H7", apart(&mu, &now.solution.lambda) / (1.0 + largest(&mu)), 1e-12);
    }
}

#[test]
fn brackets_of_rates_are_refused() {
    let mut model = load_file("rolling_disk");
    let canonical = Canonical::of(&mut model).expect("quadratic");
    let refused = Dirac::new(&mut model, &canonical).expect_err("refused");
    assert!(refused.message.contains("rolling.x"), "{}", refused.message);
}
