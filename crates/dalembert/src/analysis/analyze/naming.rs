//! Names for symmetries, and the gauge in the names of the parameters.

use super::dynamics::SymbolicDynamics;
use super::noether::{Symmetry, Unknown};
use crate::workspace::Workspace;
use dalembert_expr::{Derivation, Expr, Pool, Rational, Symbol};

/// H, and whether it is the model's energy T + V.
#[derive(Clone, Copy)]
pub(super) struct Hamiltonian {
    pub H: Expr,
    pub is_energy: bool,
}

/// Longer lists of names are cut.
const MAX_NAMES: usize = 6;

/// A quantity that may be conserved.
pub(super) struct Candidate {
    pub name: String,
    pub J: Expr,
    /// Where it comes from.
    pub reason: String,
}

/// The first names of some coordinates.
pub(super) fn names(model: &Workspace, list: &[usize]) -> String {
    let mut names: Vec<&str> =
        list.iter().take(MAX_NAMES).map(|i| model.system.frame.coordinates[*i].name.as_str()).collect();
    if list.len() > MAX_NAMES {
        names.push("...");
    }
    names.join(", ")
}

/// What a lecturer would call the quantity.
pub(super) fn name(model: &Workspace, symmetry: &Symmetry, is_energy: bool, free: &[usize]) -> String {
    let parts: Vec<&(Unknown, Rational)> =
        symmetry.iter().filter(|(u, _)| !matches!(u, Unknown::Gauge(..))).collect();
    let has = |test: fn(&Unknown) -> bool| parts.iter().any(|(u, _)| test(u));
    let mut moved: Vec<usize> = Vec::new();
    for (u, _) in &parts {
        if let Unknown::Shift(i) | Unknown::Linear(i, _) | Unknown::Boost(i) = u
            && !moved.contains(i)
        {
            moved.push(*i);
        }
    }
    moved.sort_unstable();
    let names = names(model, &moved);
    // Turning moves no coordinate along itself; stretching does.
    let turning = parts.iter().all(|(u, _)| !matches!(u, Unknown::Linear(i, j) if i == j));
    if has(|u| *u == Unknown::Time) {
        return match (parts.len(), is_energy) {
            (1, true) => "energy".into(),
            (1, false) => "Jacobi integral".into(),
            _ => "moving energy".into(),
        };
    }
    if let [(Unknown::Section(r), _)] = parts.as_slice() {
        return format!("momentum of {}", model.system.frame.speeds[*r].name);
    }
    if has(|u| matches!(u, Unknown::Section(_) | Unknown::LinearSection(..))) {
        return "momentum along a field of the frame".into();
    }
    if has(|u| matches!(u, Unknown::Kernel(_))) {
        let speeds = parts.iter().filter_map(|(u, _)| match u {
            Unknown::Kernel(k) => free.get(*k).map(|p| model.system.frame.speeds[*p].name.as_str()),
            _ => None,
        });
        return format!("momentum with {} on the constraints", speeds.collect::<Vec<_>>().join(", "));
    }
    if has(|u| *u == Unknown::Dilation) || !turning {
        return format!("scaling of {names}");
    }
    if has(|u| matches!(u, Unknown::Boost(_))) {
        return format!("boost along {names}");
    }
    if has(|u| matches!(u, Unknown::Linear(..))) {
        let back = |i: usize, j: usize| parts.iter().any(|(u, _)| *u == Unknown::Linear(j, i));
        let mutual = parts.iter().all(|(u, _)| !matches!(u, Unknown::Linear(i, j) if !back(*i, *j)));
        let word = if mutual { "angular momentum in" } else { "momentum of a shear of" };
        return format!("{word} {names}");
    }
    if moved.len() == 1 { format!("momentum of {names}") } else { format!("momentum along {names}") }
}

/// Numbers of a symmetry that runs in time too, by the one parameter that has this value: the rate of a frame that turns.
pub(super) fn named_numbers(model: &mut Workspace, symmetry: &Symmetry) -> Vec<Option<Expr>> {
    let runs = symmetry.iter().any(|(u, _)| *u == Unknown::Time);
    let (parameters, pool) = (&model.system.parameters, &mut model.system.pool);
    let values: Vec<(Symbol, Rational)> =
        parameters.iter().filter_map(|p| Some((p.symbol, pool.as_number(p.value)?.clone()))).collect();
    let mut named = |u: &Unknown, c: &Rational| {
        let moves = matches!(u, Unknown::Shift(_) | Unknown::Linear(..) | Unknown::Boost(_));
        let size = c.abs();
        let mut fitting = values.iter().filter(|(_, value)| value.abs() == size);
        let (parameter, value) = fitting.next().filter(|_| runs && moves && !size.is_one())?;
        let symbol = pool.var(*parameter);
        // Two parameters of the same value: which one is meant cannot be told.
        fitting.next().is_none().then(|| if value == c { symbol } else { pool.neg(symbol) })
    };
    symmetry.iter().map(|(u, c)| named(u, c)).collect()
}

/// `δx = -y, δy = x`
pub(super) fn generator(model: &mut Workspace, symmetry: &Symmetry, free: &[usize]) -> String {
    let mut targets: Vec<(String, Vec<(Expr, Rational)>)> = Vec::new();
    let named = named_numbers(model, symmetry);
    let pool = &mut model.system.pool;
    let t = pool.var(model.form.time);
    for ((u, c), named) in symmetry.iter().zip(named) {
        let coordinate = |i: usize| model.system.frame.coordinates[i].name.clone();
        let (target, e) = match *u {
            Unknown::Gauge(..) => continue,
            Unknown::Time => ("t".into(), Pool::ONE),
            Unknown::Dilation => ("t".into(), t),
            Unknown::Shift(i) => (coordinate(i), Pool::ONE),
            Unknown::Linear(i, j) => (coordinate(i), pool.var(model.form.coordinates[j])),
            Unknown::Boost(i) => (coordinate(i), t),
            Unknown::Section(r) => (model.system.frame.speeds[r].name.clone(), Pool::ONE),
            Unknown::LinearSection(r, i) => {
                (model.system.frame.speeds[r].name.clone(), pool.var(model.form.coordinates[i]))
            }
            Unknown::Kernel(k) => {
                (free.get(k).map_or(String::new(), |p| model.system.frame.speeds[*p].name.clone()), Pool::ONE)
            }
        };
        let part = match named {
            Some(parameter) => (pool.mul(e, parameter), Rational::ONE),
            None => (e, c.clone()),
        };
        match targets.iter_mut().find(|(name, _)| *name == target) {
            Some((_, parts)) => parts.push(part),
            None => targets.push((target, vec![part])),
        }
    }
    let mut written = Vec::new();
    for (target, parts) in targets {
        let e = pool.combine(parts);
        written.push(format!("δ{target} = {}", pool.text(e)));
    }
    written.join(", ")
}

/// The gauge with its numbers read off the rate `E = dK/dt` as expressions of the parameters; `None` where they do
/// not come out as the numbers that were found.
pub(super) fn gauge(
    model: &mut Workspace,
    dynamics: &mut SymbolicDynamics,
    hamiltonian: Hamiltonian,
    xi: &[Expr],
    tau: Expr,
    found: &[(Expr, Rational)],
) -> Option<Expr> {
    if !dynamics.identity || model.system.constraints.nonideal.is_some() {
        return None;
    }
    let (x, eta, time) = (model.form.coordinates.clone(), model.form.speeds.clone(), model.form.time);
    let pool = &mut model.system.pool;
    let energies = [
        model.system.energies.kinetic.map(|t| (t, Rational::ONE)),
        model.system.energies.potential.map(|v| (v, Rational::MINUS_ONE)),
        model.system.energies.lagrangian.map(|l| (l, Rational::ONE)),
    ];
    let L = pool.combine(energies.into_iter().flatten());
    let mut dot =
        Derivation::new(x.iter().copied().zip(model.form.x_dot.iter().copied()).chain([(time, Pool::ONE)]));
    let slopes = pool.gradient(L, &x);
    let damping = model.system.forces.dissipation.map(|R| pool.gradient(R, &eta));
    let mut parts: Vec<(Expr, Rational)> = Vec::new();
    let mut force: Vec<Expr> = model.system.forces.applied.clone();
    for (i, d) in damping.iter().flatten().enumerate() {
        force[i] = pool.sub(force[i], *d);
    }
    for i in 0..x.len() {
        let rate = dot.apply(pool, xi[i]);
        parts.push((pool.mul(xi[i], slopes[i]), Rational::ONE));
        parts.push((pool.mul(rate, model.form.momenta[i]), Rational::ONE));
        parts.push((pool.mul(xi[i], force[i]), Rational::ONE));
        let product = [tau, force[i], model.form.x_dot[i]].map(|e| (e, Rational::ONE));
        parts.push((pool.product(product), Rational::MINUS_ONE));
    }
    let explicit = pool.diff(L, time);
    parts.push((pool.mul(tau, explicit), Rational::ONE));
    let tau_rate = pool.diff(tau, time);
    parts.push((pool.mul(tau_rate, hamiltonian.H), Rational::MINUS_ONE));
    let E = pool.combine(parts);
    let zeros: Vec<(Symbol, Expr)> = x.iter().chain(&eta).chain([&time]).map(|s| (*s, Pool::ZERO)).collect();
    let mut terms = Vec::new();
    for (term, c) in found {
        let (e, share) = coefficient(pool, E, *term, &x, &eta, time);
        let at_zero = pool.substitute(&[e], &zeros)[0];
        let number = pool.simplify(at_zero);
        let number = pool.scale(number, share);
        terms.push((number, *term, c.clone()));
    }
    let mut result = Vec::new();
    for (number, term, c) in terms {
        let closed = dynamics.closed(model, number);
        let mut sample = dynamics.state(1, 13, &[closed])?;
        let value = sample.values(&dynamics.pool, &[closed])?[0];
        if Some(value) != sample.field().rational(&c) {
            return None;
        }
        let pool = &mut model.system.pool;
        result.push((pool.mul(number, term), Rational::ONE));
    }
    Some(model.system.pool.combine(result))
}

/// The derivative of E whose value at zero, times the number, is the coefficient of a term of K.
fn coefficient(
    pool: &mut Pool,
    E: Expr,
    term: Expr,
    x: &[Symbol],
    eta: &[Symbol],
    time: Symbol,
) -> (Expr, Rational) {
    let present = pool.symbols(&[term]);
    let places: Vec<usize> = (0..x.len()).filter(|&i| present.contains(&x[i])).collect();
    let timed = present.contains(&time);
    match (places.as_slice(), timed) {
        ([], _) => {
            let t = pool.var(time);
            if term == t { (E, Rational::ONE) } else { (pool.diff(E, time), Rational::HALF) }
        }
        ([i], true) => {
            let slope = pool.diff(E, eta[*i]);
            (pool.diff(slope, time), Rational::ONE)
        }
        ([i], false) => {
            let slope = pool.diff(E, eta[*i]);
            let xi = pool.var(x[*i]);
            if term == xi { (slope, Rational::ONE) } else { (pool.diff(slope, x[*i]), Rational::HALF) }
        }
        ([i, j, ..], _) => {
            let slope = pool.diff(E, eta[*i]);
            (pool.diff(slope, x[*j]), Rational::ONE)
        }
    }
}
