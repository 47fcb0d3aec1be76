//! Forces that no expression over the state gives, under names of their own: friction of contacts (`friction_NAME`),
//! control (`control_NAME`), and the reactions (`reaction_NAME`) that non-ideal forces are made of; with the laws that
//! decide them.

use super::lambda_symbols;
use super::write::Writer;
use crate::evaluate::reactions::{length, occurring_reactions, reaction_sizes, reads_ideal_forces};
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Function, Pool, Symbol};
use dalembert_syntax::diagnostic::Diagnostic;

/// Friction and control in the equations of a model.
pub(super) struct Named {
    /// A symbol for each component of each contact's sliding velocity.
    friction: Vec<Vec<Symbol>>,
    control: Vec<Symbol>,
}

impl Named {
    /// Refused where the model uses one of the names for something else.
    pub fn of(model: &mut Workspace) -> Result<Self, Box<Diagnostic>> {
        let system = &mut model.system;
        let names: Vec<Vec<String>> = system
            .contacts
            .iter()
            .map(|c| components(&format!("friction_{}", c.name), &c.velocity))
            .collect();
        let friction = names
            .iter()
            .map(|names| crate::formalism::poincare::own_symbols(system, names))
            .collect::<Result<Vec<_>, _>>()?;
        let names = input_names(model);
        let control = crate::formalism::poincare::own_symbols(&mut model.system, &names)?;
        Ok(Named { friction, control })
    }

    /// `J^T f` on each speed; `None` without contacts.
    pub fn friction_force(&self, model: &mut Workspace) -> Option<Vec<Expr>> {
        let columns = model.form.contacts.iter().zip(&self.friction);
        let columns: Vec<(Symbol, &Vec<Expr>)> =
            columns.flat_map(|(c, symbols)| symbols.iter().copied().zip(&c.matrix)).collect();
        let n = model.form.speeds.len();
        (!self.friction.is_empty()).then(|| weighted(&mut model.system.pool, n, &columns))
    }

    /// `S u` on each speed; `None` where nothing is required.
    pub fn control_force(&self, model: &mut Workspace) -> Option<Vec<Expr>> {
        let columns: Vec<(Symbol, &Vec<Expr>)> =
            self.control.iter().copied().zip(&model.form.inputs).collect();
        let n = model.form.speeds.len();
        (!model.form.requirement_right.is_empty()).then(|| weighted(&mut model.system.pool, n, &columns))
    }

    /// Coulomb's law at each contact.
    pub(crate) fn write_friction(&self, w: &mut Writer, model: &mut Workspace) {
        let lambdas = lambda_symbols(model);
        let names: Vec<String> = model.system.contacts.iter().map(|c| c.name.clone()).collect();
        let (contacts, pool) = (&model.form.contacts, &mut model.system.pool);
        for ((contact, symbols), name) in contacts.iter().zip(&self.friction).zip(names) {
            let multipliers = &lambdas[contact.rows.clone()];
            let pressing: Vec<Expr> = contact.normal.iter().map(|row| dot(pool, row, multipliers)).collect();
            let normal = if pressing.is_empty() { Pool::ONE } else { length(pool, &pressing) };
            let speed = length(pool, &contact.velocity);
            let strength = pool.mul(contact.coefficient, normal);
            w.note(&format!("friction while {name} slides:"));
            for (symbol, v) in symbols.iter().zip(&contact.velocity) {
                let direction = match contact.velocity.len() {
                    1 => pool.call1(Function::Sign, *v),
                    _ => pool.div(*v, speed),
                };
                let e = pool.mul(strength, direction);
                let e = pool.neg(e);
                let e = pool.simplify(e);
                w.definition(pool, *symbol, e);
            }
            w.note(&format!(
                "while {name} sticks: what keeps its sliding velocity at zero, in size up to friction_limit_{name}"
            ));
            let limit = pool.mul(contact.r#static, normal);
            let limit = pool.simplify(limit);
            w.own(pool, &format!("friction_limit_{name}"), limit);
        }
    }

    /// What the inputs must achieve, as rows on the accelerations.
    pub(crate) fn write_requirements(&self, w: &mut Writer, model: &mut Workspace) {
        if model.form.requirement_right.is_empty() {
            return;
        }
        note_control(w, model);
        let accelerations: Vec<Symbol> = model.system.frame.speeds.iter().map(|s| s.acceleration).collect();
        let (form, pool) = (&model.form, &mut model.system.pool);
        for (row, right) in form.requirement_matrix.iter().zip(&form.requirement_right) {
            let mut parts = Vec::new();
            for (p, e) in row {
                let a = pool.var(accelerations[*p]);
                parts.push(pool.mul(*e, a));
            }
            let left = pool.total(parts);
            let (left, right) = (pool.simplify(left), pool.simplify(*right));
            w.balance(pool, left, right);
        }
    }
}

/// The inputs in closed form (C1), under the names by which other forms call them.
pub(super) fn write_inputs(w: &mut Writer, model: &mut Workspace, inputs: &[Expr]) {
    note_whole_control(w, model);
    for (name, e) in input_names(model).iter().zip(inputs) {
        w.equation(&mut model.system.pool, name, *e);
    }
}

/// What is said before the rows of requirements.
pub(super) fn note_control(w: &mut Writer, model: &Workspace) {
    w.note("control: the inputs of least cost with which the requirements hold (C1); evaluate computes them");
    note_whole_control(w, model);
}

/// Where control exerts C too, the force of control is more than its inputs.
fn note_whole_control(w: &mut Writer, model: &Workspace) {
    if model.form.nonideal.is_some() && model.system.constraints.rows.is_empty() {
        w.note("control_NAME are inputs; control also exerts C, so its force control(NAME) is control_NAME + C (P4)");
    }
}

/// The reactions in C: the symbol in C, the one that is printed, and what it is.
pub(super) fn reactions(model: &mut Workspace) -> Vec<(Symbol, Symbol, Expr)> {
    let lambdas: Vec<Symbol> = lambda_symbols(model);
    let lambdas: Vec<Expr> = lambdas.into_iter().map(|l| model.system.pool.var(l)).collect();
    let sizes = reaction_sizes(model, &lambdas);
    let printed = |(k, symbol, size): (usize, Symbol, Expr)| {
        let name = format!("reaction_{}", model.system.constraints.named[k].name);
        (symbol, model.system.pool.symbol(&name), size)
    };
    sizes.into_iter().map(printed).collect()
}

/// The names under which reactions in C are printed.
pub(super) fn reaction_names(model: &mut Workspace) -> Vec<String> {
    let occurring = occurring_reactions(model);
    occurring.into_iter().map(|k| format!("reaction_{}", model.system.constraints.named[k].name)).collect()
}

/// Definitions of the reactions, and whose multipliers C is made of (U8).
pub(super) fn write_reactions(w: &mut Writer, model: &mut Workspace, reactions: &[(Symbol, Symbol, Expr)]) {
    if reads_ideal_forces(model) {
        w.note("multipliers in the non-ideal force, and reactions, are those of the motion without it (U8)");
    }
    let pool = &mut model.system.pool;
    for (_, symbol, size) in reactions {
        w.definition(pool, *symbol, *size);
    }
}

/// An input goes by the name of its actuator or coordinate.
fn input_names(model: &Workspace) -> Vec<String> {
    let system = &model.system;
    if system.control.rows.is_empty() {
        return Vec::new();
    }
    match &system.control.actuators {
        Some(list) => list.iter().map(|(name, _)| format!("control_{name}")).collect(),
        None => {
            let name = |s: &crate::system::Speed| match s.rate_of {
                Some(i) => format!("control_{}", system.frame.coordinates[i].name),
                None => format!("control_{}", s.name),
            };
            system.frame.speeds.iter().map(name).collect()
        }
    }
}

/// `name`, or `name.x`, `name.y`, `name.z` for several components.
fn components(name: &str, of: &[Expr]) -> Vec<String> {
    match of.len() {
        1 => vec![name.to_owned()],
        2 | 3 => ["x", "y", "z"][..of.len()].iter().map(|axis| format!("{name}.{axis}")).collect(),
        n => (1..=n).map(|k| format!("{name}.{k}")).collect(),
    }
}

/// The sum of columns, each times its symbol.
fn weighted(pool: &mut Pool, n: usize, columns: &[(Symbol, &Vec<Expr>)]) -> Vec<Expr> {
    let mut parts: Vec<Vec<Expr>> = vec![Vec::new(); n];
    for (symbol, column) in columns {
        let factor = pool.var(*symbol);
        for (parts, e) in parts.iter_mut().zip(*column).filter(|(_, e)| **e != Pool::ZERO) {
            parts.push(pool.mul(*e, factor));
        }
    }
    parts.into_iter().map(|parts| pool.total(parts)).collect()
}

fn dot(pool: &mut Pool, row: &[Expr], symbols: &[Symbol]) -> Expr {
    let parts: Vec<Expr> = row
        .iter()
        .zip(symbols)
        .map(|(e, s)| {
            let s = pool.var(*s);
            pool.mul(*e, s)
        })
        .collect();
    pool.total(parts)
}
