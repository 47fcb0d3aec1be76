//! Suslov's form, written out: H3 and H4, H3 solved where it can be, and the Hamiltonian of H6 for holonomic rows.

use super::poincare::write_nonholonomy;
use super::write::Writer;
use super::{MAX_EXPLICIT, MAX_EXPLICIT_COST, write_kinematics};
use crate::poincare::{labels, momentum_symbols};
use crate::suslov::{Solved, Suslov};
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Format, Pool};
use dalembert_syntax::diagnostic::Diagnostic;

pub(super) fn write(model: &mut Workspace, format: Format) -> Result<String, Box<Diagnostic>> {
    let momenta = momentum_symbols(&mut model.system)?;
    let suslov = Suslov::of(model)?;
    let (n, m) = (momenta.len(), suslov.rows.len());
    let solved = if n + m <= MAX_EXPLICIT { suslov.solve(model)? } else { None };
    let labels = labels(&model.system);
    let form = model.form.clone();
    let system = &mut model.system;
    let pool = &mut system.pool;
    let mut w = Writer::new(format, system.title.as_deref());
    write_kinematics(&mut w, pool, &system.coordinates, &form);
    w.note("H3: momenta with multipliers M, M' = -lambda");
    for (symbol, e) in momenta.iter().zip(&suslov.momenta) {
        let e = pool.simplify(*e);
        w.definition(pool, *symbol, e);
    }
    for psi in &form.velocity_residuals {
        let e = pool.simplify(*psi);
        w.balance(pool, e, Pool::ZERO);
    }
    w.note("H4: their rates");
    for (symbol, e) in momenta.iter().zip(&suslov.rates) {
        let (name, e) = (format!("{}'", pool.name(*symbol)), pool.simplify(*e));
        w.equation(pool, &name, e);
    }
    let names: Vec<String> = system.rows.iter().map(|r| r.name.clone()).collect();
    write_nonholonomy(&mut w, pool, &suslov.rows, &names, &labels);
    let short = |pool: &mut Pool, s: &Solved| {
        let all: Vec<Expr> = s.speeds.iter().chain(&s.multipliers).chain([&s.hamiltonian]).copied().collect();
        all.into_iter().all(|e| pool.cost(e) <= MAX_EXPLICIT_COST)
    };
    match solved.filter(|s| short(pool, s)) {
        None if n + m > MAX_EXPLICIT => w.note(&format!("H3 is solved in symbols for up to {MAX_EXPLICIT} speeds and rows")),
        None => w.note("H3 has no solution that could be written: rows depend on each other, inertia is missing, or it is too long"),
        Some(solved) => {
            w.note("H3 solved for the speeds and M");
            for (speed, e) in system.speeds.iter().zip(&solved.speeds) {
                w.equation(pool, &speed.name, *e);
            }
            for (symbol, e) in suslov.multipliers.iter().zip(&solved.multipliers) {
                let name = pool.name(*symbol).to_owned();
                w.equation(pool, &name, *e);
            }
            if suslov.holonomic() {
                w.note("H6: the Hamiltonian on the redundant phase space");
                w.function(pool, "H", solved.hamiltonian);
            }
        }
    }
    Ok(w.finish(&model.system))
}
