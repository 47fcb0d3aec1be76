//! The equations of Poincare and Chetaev, written out: L1, the momenta, L2, the constraints, H5.

use super::write::{Style, Writer};
use super::{constraint_forces, forces, write_kinematics};
use crate::formalism::poincare::{LinearRow, Poincare, labels, linear_rows, momentum_symbols};
use crate::kernel_form::Structure;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool};
use dalembert_syntax::diagnostic::Diagnostic;

pub(super) fn write(model: &mut Workspace, style: Style) -> Result<String, Box<Diagnostic>> {
    let momenta = momentum_symbols(&mut model.system)?;
    let equations = Poincare::of(model)?;
    let constraint_forces = constraint_forces(model);
    let reactions = forces::reactions(model);
    let rows = linear_rows(model);
    let labels = labels(&model.system);
    let form = model.form.clone();
    let system = &mut model.system;
    let pool = &mut system.pool;
    let mut w = Writer::new(style, system.title.as_deref());
    write_kinematics(&mut w, pool, &system.frame.coordinates, &form);
    write_structure(&mut w, pool, &form.structure, &labels);
    for (symbol, e) in momenta.iter().zip(&equations.momenta) {
        let (name, e) = (pool.name(*symbol).to_owned(), pool.simplify(*e));
        w.equation(pool, &name, e);
    }
    for (p, symbol) in momenta.iter().enumerate() {
        let e = pool.add(equations.rates[p], constraint_forces[p]);
        let (name, e) = (format!("{}'", pool.name(*symbol)), pool.simplify(e));
        w.equation(pool, &name, e);
    }
    for row in &system.constraints.rows {
        let e = pool.simplify(row.residual);
        w.balance(pool, e, Pool::ZERO);
    }
    let names: Vec<String> = system.constraints.rows.iter().map(|r| r.name.clone()).collect();
    write_nonholonomy(&mut w, pool, &rows, &names, &labels);
    forces::write_reactions(&mut w, model, &reactions);
    Ok(w.finish(&mut model.system))
}

/// L1: coefficients that do not vanish, one of each antisymmetric pair.
fn write_structure(w: &mut Writer, pool: &mut Pool, structure: &Structure, labels: &[String]) {
    if structure.with_time.is_empty() && structure.entries.is_empty() {
        return w.note("L1: the frame has no structure coefficients");
    }
    w.note("L1: [X_q, X_p] = C[q,p,r] X_r, C[p,q,r] = -C[q,p,r]; those not written vanish");
    for (p, q, c) in &structure.with_time {
        let c = pool.simplify(*c);
        w.indexed(pool, "C", &["0", &labels[*p], &labels[*q]], c);
    }
    for (q, p, r, c) in structure.entries.iter().filter(|(q, p, ..)| q < p) {
        let c = pool.simplify(*c);
        w.indexed(pool, "C", &[&labels[*q], &labels[*p], &labels[*r]], c);
    }
}

/// H5 of the linear rows.
pub(super) fn write_nonholonomy(
    w: &mut Writer,
    pool: &mut Pool,
    rows: &[LinearRow],
    names: &[String],
    labels: &[String],
) {
    if !rows.is_empty() {
        w.note("H5: Omega0_a, Omega_a[q,p] of rows linear in the speeds, antisymmetric; those not written vanish");
    }
    for row in rows {
        let name = &names[row.row];
        if row.omega_zero.iter().any(|e| *e != Pool::ZERO) {
            w.vector(pool, &format!("Omega0_{name}"), &row.omega_zero);
        }
        for q in 0..labels.len() {
            for p in q + 1..labels.len() {
                let e: Expr = row.omega[q][p];
                if e != Pool::ZERO {
                    w.indexed(pool, &format!("Omega_{name}"), &[&labels[q], &labels[p]], e);
                }
            }
        }
    }
    if !rows.is_empty() {
        w.note("H5: nonholonomy N_a, zero for holonomic rows, in any frame");
    }
    for row in rows {
        w.vector(pool, &format!("nonholonomy_{}", names[row.row]), &row.nonholonomy);
    }
}
