//! Forces given by a law that have a potential: `force x = -k*x^3` stores k x^4/4.
//!
//! ```text
//! F_i(x, t) dx_i = -dV  where  dF_i/dx_j = dF_j/dx_i:    V = -(integral of F_1 dx_1) - (integral of what is left of F_2 dx_2) - ...
//! ```
//!
//! The part of the applied forces that depends on the speeds, or on variables with rates of their own, is
//! left as it is. Integrals are those of [`Pool::antiderivative`]; V is given only if its gradient is proved
//! to be the force. For speeds that are rates of coordinates. Version 1's `energy` does not count V;
//! `analyze`, `derive --form energies`, the Hamilton-Jacobi equation and least action do. Source: Renton
//! (constitutive laws). Checked by `tests/it/force_potential.rs`.

use crate::workspace::Workspace;
use dalembert_expr::{Expr, Node, PRIMES, Pool, Rational, Sample, Switch, Symbol, Weighted, Zero};

/// Forces are multiplied out up to this many terms to tell their parts apart.
const MAX_TERMS: usize = 200;
/// Models with more coordinates are not looked at.
const MAX_COORDINATES: usize = 40;

/// Orders of the coordinates that are tried.
const MAX_ORDERS: usize = 6;
/// Exact samples that must all vanish.
const SAMPLES: u64 = 4;

/// A force that has a potential.
#[derive(Clone, Debug)]
pub struct StoredForce {
    /// V(x, t)
    pub potential: Expr,
    /// F on each speed, -dV/dx.
    pub force: Vec<Expr>,
}

/// What of the applied forces has a potential.
pub fn stored_force(model: &mut Workspace) -> Option<StoredForce> {
    let (system, form) = (&mut model.system, &model.form);
    if form.frame.is_some() || system.forces.mass.is_some() || form.coordinates.len() > MAX_COORDINATES {
        return None;
    }
    let n = form.speeds.len();
    let others: Vec<Symbol> =
        form.speeds.iter().chain(&form.coordinates[system.positions()..]).copied().collect();
    let pool = &mut system.pool;
    let force: Vec<Expr> = system.forces.applied.iter().map(|F| part_without(pool, *F, &others)).collect();
    if force.iter().all(|F| *F == Pool::ZERO) {
        return None;
    }
    let potential = potential_of(pool, &force, &form.coordinates[..n])?;
    Some(StoredForce { potential, force })
}

/// V with -dV/dx_i = F_i, proved; `None` where F has no potential, or none that is found.
pub(crate) fn potential_of(pool: &mut Pool, force: &[Expr], x: &[Symbol]) -> Option<Expr> {
    // Derivatives do not see jumps: a force that jumps with x may seem to have a potential in y.
    if Switch::is_piecewise(pool, force) {
        return None;
    }
    // An integral that no rule gives along one coordinate may be known along another.
    let first: Vec<usize> = (0..x.len()).filter(|i| force[*i] != Pool::ZERO).take(MAX_ORDERS).collect();
    first.into_iter().find_map(|begin| {
        let mut potential = Pool::ZERO;
        for i in (begin..x.len()).chain(0..begin) {
            // What the potential found so far does not account for.
            let slope = pool.diff(potential, x[i]);
            let left = pool.add(force[i], slope);
            if vanishes(pool, left) {
                continue;
            }
            let left = pool.simplify(left);
            let more = pool.antiderivative(left, x[i])?;
            potential = pool.sub(potential, more);
        }
        let gradient = pool.gradient(potential, x);
        let proved = force.iter().zip(gradient).all(|(F, slope)| {
            let off = pool.add(*F, slope);
            vanishes(pool, off)
        });
        proved.then_some(potential)
    })
}

/// Is an expression zero, by simplification or exactly at random points modulo large primes?
fn vanishes(pool: &mut Pool, e: Expr) -> bool {
    match pool.is_zero(e) {
        Zero::Yes => return true,
        Zero::No => return false,
        Zero::Unknown => {}
    }
    let mut seen = 0;
    for seed in 0..8 * SAMPLES {
        let mut sample = Sample::new(PRIMES[seed as usize % PRIMES.len()], 300 + seed);
        sample.settle(pool, &[e]);
        let Some(values) = sample.values(pool, &[e]) else { continue };
        if !values[0].is_zero() || !sample.is_exact() {
            return false;
        }
        seen += 1;
        if seen == SAMPLES {
            return true;
        }
    }
    false
}

impl Workspace {
    /// Counts forces that have a potential as potential energy, in this workspace; the equations of motion
    /// stay as they are.
    pub(crate) fn store_forces(&mut self) -> Option<StoredForce> {
        self.system.write_body_energies();
        let stored = stored_force(self)?;
        let system = &mut self.system;
        let pool = &mut system.pool;
        for (applied, F) in system.forces.applied.iter_mut().zip(&stored.force) {
            let left = pool.sub(*applied, *F);
            *applied = pool.simplify(left);
        }
        let add = |pool: &mut Pool, e: Option<Expr>| e.map(|e| pool.add(e, stored.potential));
        if system.energies.lagrangian.is_some() {
            let whole = system.energies.lagrangian.map(|L| pool.sub(L, stored.potential));
            system.energies.lagrangian = whole;
        } else {
            system.energies.potential =
                Some(add(pool, system.energies.potential).unwrap_or(stored.potential));
            system.energies.potential_part = add(pool, system.energies.potential_part);
        }
        system.energies.total = add(pool, system.energies.total);
        Some(stored)
    }
}

/// The terms of a force that do not depend on these symbols.
fn part_without(pool: &mut Pool, F: Expr, others: &[Symbol]) -> Expr {
    if !pool.depends_on(F, others) {
        return F;
    }
    let expanded = pool.expand(F, MAX_TERMS).unwrap_or(F);
    let terms: Vec<Weighted> = match pool.node(expanded).clone() {
        Node::Sum(c, terms) => terms.into_iter().chain([(Pool::ONE, c)]).collect(),
        _ => return Pool::ZERO,
    };
    let kept: Vec<(Expr, Rational)> =
        terms.into_iter().filter(|(e, _)| !pool.depends_on(*e, others)).collect();
    pool.combine(kept)
}
