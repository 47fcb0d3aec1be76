//! Forces given by a law that have a potential: `force x = -k*x^3` stores k x^4/4.
//!
//! ```text
//! F_i(x, t) dx_i = -dV  where  dF_i/dx_j = dF_j/dx_i:    V = -(integral of F_1 dx_1) - (integral of what is left of F_2 dx_2) - ...
//! ```
//!
//! The part of the applied forces that depends on the speeds, or on variables with rates of their own, is
//! left as it is. V is that of [`Pool::potential_of_force`]. For speeds that are rates of coordinates. `analyze`,
//! `derive --form energies`, the Hamilton-Jacobi equation and least action count all of it; the output `energy` counts
//! the laws of `force x = E` that depend on the configuration alone, see [`crate::system::StoredForces`]. Source:
//! Renton (constitutive laws). Checked by `tests/it/force_potential.rs`.

use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool, Symbol};

/// Models with more coordinates are not looked at.
const MAX_COORDINATES: usize = 40;

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
    let force: Vec<Expr> = system.forces.applied.iter().map(|F| pool.part_without(*F, &others)).collect();
    if force.iter().all(|F| *F == Pool::ZERO) {
        return None;
    }
    let potential = pool.potential_of_force(&force, &form.coordinates[..n])?;
    Some(StoredForce { potential, force })
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
        // What the energy counts already is not counted twice.
        let counted = system.energies.stored.take().map_or(Pool::ZERO, |laws| laws.potential);
        let more = pool.sub(stored.potential, counted);
        let rest = |pool: &mut Pool, e: Option<Expr>| e.map(|e| pool.add(e, more));
        if system.energies.lagrangian.is_some() {
            let whole = system.energies.lagrangian.map(|L| pool.sub(L, stored.potential));
            system.energies.lagrangian = whole;
        } else {
            system.energies.potential =
                Some(add(pool, system.energies.potential).unwrap_or(stored.potential));
            system.energies.potential_part = rest(pool, system.energies.potential_part);
        }
        system.energies.total = rest(pool, system.energies.total);
        Some(stored)
    }
}
