//! Hamilton's equations, written out: H, the speeds, and H1 with constraint forces and multipliers.

use super::write::{Style, Writer};
use super::{constraint_forces, forces};
use crate::formalism::hamilton::Canonical;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool};
use dalembert_syntax::diagnostic::Diagnostic;

pub(super) fn write(model: &mut Workspace, style: Style) -> Result<String, Box<Diagnostic>> {
    let canonical = Canonical::of(model)?;
    let constraint_forces = constraint_forces(model);
    let constraint_forces = canonical.in_momenta(model, &constraint_forces);
    let residuals: Vec<Expr> = model.system.constraints.rows.iter().map(|row| row.residual).collect();
    let residuals = canonical.in_momenta(model, &residuals);
    let mut reactions = forces::reactions(model);
    for (_, _, size) in &mut reactions {
        *size = canonical.in_momenta(model, &[*size])[0];
    }
    let system = &mut model.system;
    let pool = &mut system.pool;
    let mut w = Writer::new(style, system.title.as_deref());
    w.function(pool, "H", canonical.hamiltonian);
    for (speed, e) in system.frame.speeds.iter().zip(&canonical.speeds) {
        if speed.rate_of.is_none() {
            w.equation(pool, &speed.name, *e);
        }
    }
    for (coordinate, e) in system.frame.coordinates.iter().zip(&canonical.x_dot) {
        let e = pool.simplify(*e);
        w.equation(pool, &format!("{}'", coordinate.name), e);
    }
    for (p, symbol) in canonical.momenta.iter().enumerate() {
        let e = pool.add(canonical.y_dot[p], constraint_forces[p]);
        let (name, e) = (format!("{}'", pool.name(*symbol)), pool.simplify(e));
        w.equation(pool, &name, e);
    }
    for e in residuals {
        let e = pool.simplify(e);
        w.balance(pool, e, Pool::ZERO);
    }
    forces::write_reactions(&mut w, model, &reactions);
    Ok(w.finish(&mut model.system))
}
