//! Power and work of each class of forces, and the energy balance.
//!
//! ```text
//! dE/dt = P(nonconservative) + P(ideal) + P(nonideal) + P(control) + P(explicit)
//! ```
//!
//! Power is generalised force times speed. Where speeds are affine in the rates, x' = X (eta + c), it is the force times
//! eta + c: a force does the same work whatever the speeds are. Ideal constraint forces do work where constraints move
//! (rheonomic ones, or velocity constraints that do not let the system rest). P(explicit) is what the energy gains without
//! any force of the model: potentials that depend on time, frames that are moved. It vanishes, and is known to vanish,
//! where nothing of the kind occurs; so for most models the balance has nothing to adjust and closes only if the forces
//! are right.

use crate::kernel_form::{KernelForm, Places};
use crate::system::{Power, System, event_expressions as expressions};
use dalembert_expr::{Derivation, Expr, Pool, Rational, Symbol, Zero};

/// The power of each class, in the order of [`Power::ALL`], over state and results. Potentials count by their change
/// with the configuration, a Lagrangian by its part without speeds; in the direct form every force is impressed. Laws of
/// forces that the energy counts are conservative.
pub fn powers(system: &mut System) -> Vec<Expr> {
    let speeds: Vec<Symbol> = system.frame.speeds.iter().map(|s| s.symbol).collect();
    let coordinates: Vec<Symbol> = system.frame.coordinates.iter().map(|c| c.symbol).collect();
    let (offset, moving, positions) = (offset(system), moving(system), system.positions());
    let pool = &mut system.pool;
    let along = |pool: &mut Pool, forces: &[Expr]| inner(pool, &moving, forces);
    let of = |pool: &mut Pool, symbols: &[Symbol]| {
        let forces: Vec<Expr> = symbols.iter().map(|s| pool.var(*s)).collect();
        along(pool, &forces)
    };
    let mut nonconservative = along(pool, &system.forces.applied);
    if let Some(R) = system.forces.dissipation {
        let slope = pool.gradient(R, &speeds);
        let lost = along(pool, &slope);
        nonconservative = pool.sub(nonconservative, lost);
    }
    let still = at_rest(&speeds);
    let height = height(system, &still);
    let pool = &mut system.pool;
    let slope = pool.gradient(height, &coordinates);
    let mut drift = pool.substitute(&system.frame.kinematics, &still);
    if offset.is_some() {
        // X0 = X c: all of the rate is in eta + c.
        drift[..positions].fill(Pool::ZERO);
    }
    let mut parts = vec![(nonconservative, Rational::ONE)];
    let moved: Vec<Expr> =
        system.frame.kinematics.iter().zip(drift).map(|(rate, drift)| pool.sub(*rate, drift)).collect();
    for (g, moved) in slope.iter().zip(&moved) {
        parts.push((pool.mul(*g, *moved), Rational::ONE));
    }
    let impressed = pool.combine(parts);
    if let Some(laws) = &system.energies.stored {
        let mut parts = vec![(nonconservative, Rational::ONE)];
        for (i, F) in &laws.forces {
            parts.push((pool.mul(*F, moved[*i]), Rational::MINUS_ONE));
        }
        nonconservative = pool.combine(parts);
    }
    let o = &system.observables;
    vec![impressed, nonconservative, of(pool, &o.ideal), of(pool, &o.nonideal), of(pool, &o.control)]
}

/// c of speeds affine in the rates, X c = X0: where K1 is solved in symbols and c is not zero.
fn offset(system: &mut System) -> Option<Vec<Expr>> {
    let positions = system.positions();
    let speeds: Vec<Symbol> = system.frame.speeds.iter().map(|s| s.symbol).collect();
    let pool = &mut system.pool;
    let kinematics = &system.frame.kinematics[..positions];
    let drift = pool.substitute(kinematics, &at_rest(&speeds));
    if drift.iter().all(|X0| *X0 == Pool::ZERO) {
        return None;
    }
    let inverse = system.frame.speeds_in_rates.as_ref()?;
    let c: Vec<Expr> = inverse.iter().map(|row| inner(pool, row, &drift)).collect();
    let images: Vec<(Symbol, Expr)> = speeds.iter().copied().zip(c.iter().copied()).collect();
    // x' at eta = c is X0 + X c, twice the drift if c is what it should be.
    let moved = pool.substitute(kinematics, &images);
    let is_solved = moved.iter().zip(&drift).all(|(moved, X0)| {
        let left = pool.combine([(*moved, Rational::ONE), (*X0, Rational::from(-2))]);
        pool.is_zero(left) == Zero::Yes
    });
    is_solved.then_some(c)
}

/// eta + c, what forces on the speeds are multiplied with.
fn moving(system: &mut System) -> Vec<Expr> {
    let offset = offset(system);
    let pool = &mut system.pool;
    let mut moving: Vec<Expr> = system.frame.speeds.iter().map(|s| pool.var(s.symbol)).collect();
    for (u, c) in moving.iter_mut().zip(offset.into_iter().flatten()) {
        *u = pool.add(*u, c);
    }
    moving
}

fn inner(pool: &mut Pool, a: &[Expr], b: &[Expr]) -> Expr {
    let terms: Vec<Expr> = a.iter().zip(b).map(|(a, b)| pool.mul(*a, *b)).collect();
    pool.total(terms)
}

/// The impressed force on each speed: applied, of potentials and of dissipation, without terms of inertia.
pub fn impressed_forces(system: &mut System, form: &KernelForm) -> Vec<Expr> {
    let still = at_rest(&form.speeds);
    let height = height(system, &still);
    let (pool, places) = (&mut system.pool, Places::new(&form.coordinates));
    let mut forces: Vec<Vec<(Expr, Rational)>> =
        system.forces.applied.iter().map(|f| vec![(*f, Rational::ONE)]).collect();
    for (i, slope) in places.gradient(pool, height) {
        match &form.frame {
            None => forces[i].push((slope, Rational::ONE)),
            Some(X) => {
                for (p, X_ip) in X[i].iter().enumerate().filter(|(_, e)| **e != Pool::ZERO) {
                    forces[p].push((pool.mul(slope, *X_ip), Rational::ONE));
                }
            }
        }
    }
    if let Some(R) = system.forces.dissipation {
        for (p, slope) in Places::new(&form.speeds).gradient(pool, R) {
            forces[p].push((slope, Rational::MINUS_ONE));
        }
    }
    forces.into_iter().map(|parts| pool.combine(parts)).collect()
}

fn at_rest(speeds: &[Symbol]) -> Vec<(Symbol, Expr)> {
    speeds.iter().map(|s| (*s, Pool::ZERO)).collect()
}

/// What the potential forces are the slope of: -V, with the part of a Lagrangian that holds no speeds.
fn height(system: &mut System, still: &[(Symbol, Expr)]) -> Expr {
    system.write_body_energies();
    let pool = &mut system.pool;
    let height = system.energies.potential.map_or(Pool::ZERO, |v| pool.neg(v));
    match system.energies.lagrangian {
        Some(l) => {
            let at_rest = pool.substitute(&[l], still)[0];
            pool.add(height, at_rest)
        }
        None => height,
    }
}

/// Puts powers in the place of `power(CLASS)` in outputs and events.
pub(crate) fn name_powers(system: &mut System) {
    let values = powers(system);
    let pool = &mut system.pool;
    let images: Vec<(Symbol, Expr)> = Power::ALL
        .iter()
        .zip(values)
        .map(|(class, value)| (pool.symbol(&format!("power({})", class.name())), value))
        .collect();
    let all: Vec<Expr> = system
        .experiment
        .outputs
        .iter()
        .map(|o| o.value)
        .chain(expressions(&mut system.experiment.events).map(|e| *e.0))
        .collect();
    let replaced = pool.substitute(&all, &images);
    let (outputs, events) = replaced.split_at(system.experiment.outputs.len());
    system.experiment.outputs.iter_mut().zip(outputs).for_each(|(o, e)| o.value = *e);
    expressions(&mut system.experiment.events).zip(events).for_each(|((old, _), new)| *old = *new);
}

/// P(explicit), where there is an energy: with M eta' = Q_L + forces it is
/// `X0 E + eta_q X_q E + u . Q_L + (dE/d eta - M u) . eta'`, u = eta + c.
pub(crate) fn explicit_power(system: &mut System, form: &KernelForm, nonconservative: Expr) -> Option<Expr> {
    system.write_body_energies();
    let energy = system.energies.total?;
    let moving = moving(system);
    let pool = &mut system.pool;
    let seeds = form.coordinates.iter().copied().zip(form.x_dot.iter().copied());
    let mut dot = Derivation::new(seeds.chain([(form.time, Pool::ONE)]));
    let mut parts = vec![(dot.apply(pool, energy), Rational::ONE), (nonconservative, Rational::MINUS_ONE)];
    let slope = pool.gradient(energy, &form.speeds);
    for (p, u) in moving.iter().enumerate() {
        parts.push((pool.mul(*u, form.force[p]), Rational::ONE));
        let mut difference = vec![(slope[p], Rational::ONE)];
        for (q, e) in form.mass_matrix.row(p) {
            difference.push((pool.mul(*e, moving[*q]), Rational::MINUS_ONE));
        }
        let difference = pool.combine(difference);
        if pool.is_zero(difference) != Zero::Yes {
            let acceleration = pool.var(system.frame.speeds[p].acceleration);
            parts.push((pool.mul(difference, acceleration), Rational::ONE));
        }
    }
    let total = pool.combine(parts);
    Some(if pool.is_zero(total) == Zero::Yes { Pool::ZERO } else { total })
}

/// Work done since the start of a run by each class of forces, and how well it accounts for the change of energy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Balance {
    /// Change of the energy.
    pub change: f64,
    /// Work of impressed forces without a potential.
    pub nonconservative: f64,
    /// Work of ideal constraint forces: of constraints that move.
    pub ideal: f64,
    /// Work of non-ideal constraint forces.
    pub nonideal: f64,
    /// Work of control forces.
    pub control: f64,
    /// What explicit dependence on time brings in.
    pub explicit: f64,
    /// What events bring in that change the state, where the model has any.
    pub events: Option<f64>,
    /// Change less all work.
    pub defect: f64,
}

impl Balance {
    /// From the change of energy, what jumped at events, and the integrals of a run, in the order of [`Power::ALL`] and then
    /// P(explicit).
    pub(crate) fn new(change: f64, events: Option<f64>, integrals: &[f64]) -> Option<Self> {
        let [_, nonconservative, ideal, nonideal, control, explicit, ..] = *integrals else { return None };
        let work = [nonconservative, ideal, nonideal, control, explicit, events.unwrap_or(0.0)];
        let defect = work.iter().fold(change, |rest, work| rest - work);
        Some(Self { change, nonconservative, ideal, nonideal, control, explicit, events, defect })
    }
}
