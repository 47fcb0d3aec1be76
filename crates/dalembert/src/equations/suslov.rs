//! Suslov's form, written out: H3 and H4, H3 solved where it can be, and then H with the canonical equations in (x, y).

use super::poincare::write_nonholonomy;
use super::write::{Style, Writer};
use super::{MAX_EXPLICIT, MAX_EXPLICIT_COST, write_kinematics};
use crate::formalism::poincare::{labels, momentum_symbols};
use crate::formalism::suslov::{Solved, Suslov};
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Format, Pool};
use dalembert_syntax::diagnostic::Diagnostic;

pub(super) fn write(model: &mut Workspace, style: Style) -> Result<String, Box<Diagnostic>> {
    let momenta = momentum_symbols(&mut model.system)?;
    let suslov = Suslov::of(model)?;
    let (n, m) = (momenta.len(), suslov.rows.len());
    let solved = if n + m <= MAX_EXPLICIT { suslov.solve(model)? } else { None };
    let labels = labels(&model.system);
    let form = model.form.clone();
    let system = &mut model.system;
    let pool = &mut system.pool;
    let mut w = Writer::new(style, system.title.as_deref());
    write_kinematics(&mut w, pool, &system.frame.coordinates, &form);
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
    let names: Vec<String> = system.constraints.rows.iter().map(|r| r.name.clone()).collect();
    write_nonholonomy(&mut w, pool, &suslov.rows, &names, &labels);
    let short = |pool: &mut Pool, s: &Solved| {
        let all: Vec<Expr> = s.speeds.iter().chain(&s.multipliers).chain([&s.hamiltonian]).copied().collect();
        all.into_iter().all(|e| pool.cost(e) <= MAX_EXPLICIT_COST)
    };
    match solved.filter(|s| short(pool, s)) {
        None if suslov.quadratic.is_none() => w.note("H3 has no closed solution here: the Lagrangian is not quadratic in the speeds; `simulate --form suslov` solves it in numbers"),
        None if n + m > MAX_EXPLICIT => w.note(&format!("H3 is solved in symbols for up to {MAX_EXPLICIT} speeds and rows")),
        None => w.note("H3 has no solution that could be written: rows depend on each other, inertia is missing, or it is too long"),
        Some(solved) => {
            w.note("H3 solved for the speeds and M");
            for (speed, e) in system.frame.speeds.iter().zip(&solved.speeds) {
                w.equation(pool, &speed.name, *e);
            }
            for (symbol, e) in suslov.multipliers.iter().zip(&solved.multipliers) {
                let name = pool.name(*symbol).to_owned();
                w.equation(pool, &name, *e);
            }
            w.note(match suslov.holonomic() {
                true => "H6: the Hamiltonian on the redundant phase space",
                false => "H = y_p eta_p - L over x, y, t: nonholonomic rows add -M_a N_ap to its equations",
            });
            w.function(pool, "H", solved.hamiltonian);
            write_canonical(&mut w, pool, &solved, style.format);
            if m > 0 {
                w.note("the speeds satisfy the constraints identically: every H_a = F_a(x, eta(x,y,t), t) is 0, and K = H - M_a H_a is H");
            }
        }
    }
    Ok(w.finish(&mut model.system))
}

/// y' over x, y, t, where that is not too long. A program has names for H4 already.
fn write_canonical(w: &mut Writer, pool: &mut Pool, solved: &Solved, format: Format) {
    let rates: Vec<Expr> = solved.rates.iter().map(|e| pool.simplify(*e)).collect();
    if rates.iter().any(|e| pool.cost(*e) > MAX_EXPLICIT_COST) {
        return w.note("the canonical equations in x, y, t are too long to be written");
    }
    w.note("canonical equations: -X_p H + ..., over x, y, t");
    for (symbol, e) in solved.momenta.iter().zip(rates) {
        let name = pool.name(*symbol).to_owned();
        match format {
            Format::Python => w.own(pool, &format!("canonical_{name}'"), e),
            _ => w.equation(pool, &format!("{name}'"), e),
        }
    }
}
