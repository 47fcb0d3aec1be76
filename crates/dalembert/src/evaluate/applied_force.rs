//! Q': the applied forces with those of the potential, without terms of inertia (P6).
//!
//! ```text
//! Q'_p = applied_p - dR/d eta_p - X_p V (+ X_p L(x, 0, t) where L is given whole)       Q = Q' - h
//! ```
//!
//! Where the model states `mass` and forces directly, inertia cannot be told from the rest: then Q' = Q and h = 0.

use crate::formalism::poincare::Fields;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool, Rational, Symbol};

impl Workspace {
    /// Q' on each speed.
    pub(crate) fn applied_forces(&mut self) -> Vec<Expr> {
        self.system.write_body_energies();
        let (system, form) = (&mut self.system, &self.form);
        if system.forces.mass.is_some() {
            return form.force.clone();
        }
        let pool = &mut system.pool;
        let zeros: Vec<(Symbol, Expr)> = form.speeds.iter().map(|s| (*s, Pool::ZERO)).collect();
        let at_rest = system.energies.lagrangian.map_or(Pool::ZERO, |l| pool.substitute(&[l], &zeros)[0]);
        let storage = match system.energies.potential {
            Some(v) => pool.sub(at_rest, v),
            None => at_rest,
        };
        let slopes = Fields::of(pool, form).all(pool, storage);
        let damping = system.forces.dissipation.map(|r| pool.gradient(r, &form.speeds));
        (0..form.speeds.len())
            .map(|p| {
                let mut parts = vec![(system.forces.applied[p], Rational::ONE), (slopes[p], Rational::ONE)];
                parts.extend(damping.as_ref().map(|d| (d[p], Rational::MINUS_ONE)));
                pool.combine(parts)
            })
            .collect()
    }
}
