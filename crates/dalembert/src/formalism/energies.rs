//! Energies and co-energies, and the four storage functions: in closed form where there is one, else in
//! numbers.
//!
//! ```text
//! T*(f) given, T(p) = p f - T*;   V(q) given, V*(e) = e q - V
//! p = dL/df,  e = dH/dq = -dL/dq;     L = T* - V,   H = T + V,   H*(f,e) = p f + e q - H,   L*(p,e) = e q - H
//! ```
//!
//! H* is the transform of -L over q at held f, and L* that of H over q at held p, so that q = dH*/de =
//! dL*/de and f = -dL*/dp. Where T* does not depend on the position, e = dV/dq, H* = T* + V* and L* = V* -
//! T. Where it does, V* is still a function of dV/dq, which then has a name of its own. Transforms in closed
//! form are those of [`closed_dual`]; for others [`Law`] makes them in numbers, and [`EnergyValues`] gives
//! all energies at a state. Forces with a potential are counted in V. Transforms are over the coordinates
//! that occur; along the others e = 0. H* and L* are for plain coordinates. Source: Renton. Checked by
//! `tests/it/energies.rs`.

mod legendre;
mod values;

pub use legendre::{Dual, Law, NotInvertible};
pub use values::{EnergyValues, Laws};

use crate::formalism::closed_transform::{NotClosed, closed_dual};
use crate::formalism::hamilton::Canonical;
use crate::formalism::poincare::{Poincare, momentum_symbols, own_symbols};
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool, Symbol};
use dalembert_syntax::diagnostic::Diagnostic;

/// The energies of a model; those without a closed form are left out, with a reason.
#[derive(Clone, Debug)]
pub struct Energies {
    /// Momenta p, one for each speed.
    pub momenta: Vec<Symbol>,
    /// p over the speeds.
    pub momentum_values: Vec<Expr>,
    /// Efforts e, one for each coordinate that L contains.
    pub efforts: Vec<Symbol>,
    /// e = -dL/dq over coordinates and speeds.
    pub effort_values: Vec<Expr>,
    /// dV/dq with its symbols, where T* depends on the position and it is not e.
    pub slopes: Vec<(Symbol, Expr)>,
    /// T*(f, q, t)
    pub kinetic_coenergy: Option<Expr>,
    /// T(p, q, t)
    pub kinetic_energy: Option<Expr>,
    /// V(q, t)
    pub potential: Option<Expr>,
    /// V*(e, t), over `slopes` where there are any.
    pub potential_coenergy: Option<Expr>,
    /// L(f, q, t)
    pub lagrangian: Expr,
    /// H(p, q, t)
    pub hamiltonian: Option<Expr>,
    /// H*(f, e, t)
    pub hamiltonian_star: Option<Expr>,
    /// L*(p, e, t)
    pub lagrangian_star: Option<Expr>,
    /// What is left out, and why.
    pub reasons: Vec<String>,
}

impl Energies {
    /// Refused where the model has no Lagrangian. Friction and control change the motion, not the energies.
    pub fn of(model: &mut Workspace) -> Result<Self, Box<Diagnostic>> {
        let stored = model.store_forces();
        let momenta = momentum_symbols(&mut model.system)?;
        let equations = Poincare::without_contacts(model)?;
        let closed = Canonical::of_energies(model, &equations).map(|canonical| canonical.hamiltonian);
        let lagrangian = model.system.whole_lagrangian();
        let pool = &mut model.system.pool;
        let momentum_values = equations.momenta.iter().map(|e| pool.simplify(*e)).collect();
        let mut energies = Energies {
            momenta,
            momentum_values,
            efforts: Vec::new(),
            effort_values: Vec::new(),
            slopes: Vec::new(),
            kinetic_coenergy: None,
            kinetic_energy: None,
            potential: None,
            potential_coenergy: None,
            lagrangian: model.system.pool.simplify(lagrangian),
            hamiltonian: closed.as_ref().ok().copied(),
            hamiltonian_star: None,
            lagrangian_star: None,
            reasons: closed.as_ref().err().map(|d| d.message.clone()).into_iter().collect(),
        };
        energies.reasons.extend(stored.map(|stored| {
            let V = model.system.pool.text(stored.potential);
            format!("forces with the potential {V} are counted in V")
        }));
        let plain = model.form.frame.is_none();
        if plain {
            energies.efforts_of(model)?;
            energies.star(model);
        } else {
            energies
                .reasons
                .push("H* and L* are for plain coordinates: here speeds are not their rates".into());
        }
        if model.system.energies.lagrangian.is_some() {
            energies
                .reasons
                .push("the model gives L as a whole: it does not say which part is T* and which V".into());
            return Ok(energies);
        }
        let Some(kinetic) = model.system.energies.kinetic else { return Ok(energies) };
        let potential = model.system.energies.potential.unwrap_or(Pool::ZERO);
        let pool = &mut model.system.pool;
        energies.kinetic_coenergy = Some(as_written(pool, kinetic));
        if let Ok(hamiltonian) = closed {
            let kinetic_energy = pool.sub(hamiltonian, potential);
            energies.kinetic_energy = Some(pool.simplify(kinetic_energy));
        }
        energies.potential = Some(as_written(pool, potential));
        energies.transform_potential(model, kinetic, potential)?;
        Ok(energies)
    }

    /// e = -dL/dq of the coordinates that occur.
    fn efforts_of(&mut self, model: &mut Workspace) -> Result<(), Box<Diagnostic>> {
        let inside = inside(model, self.lagrangian);
        let names: Vec<String> =
            inside.iter().map(|i| format!("e_{}", model.system.frame.coordinates[*i].name)).collect();
        self.efforts = own_symbols(&mut model.system, &names)?;
        let coordinates: Vec<Symbol> = inside.iter().map(|i| model.form.coordinates[*i]).collect();
        let pool = &mut model.system.pool;
        for slope in pool.gradient(self.lagrangian, &coordinates) {
            let e = pool.neg(slope);
            self.effort_values.push(pool.simplify(e));
        }
        Ok(())
    }

    /// V*, over e where that is dV/dq, otherwise over symbols of its own.
    fn transform_potential(
        &mut self,
        model: &mut Workspace,
        kinetic: Expr,
        potential: Expr,
    ) -> Result<(), Box<Diagnostic>> {
        let inside = inside(model, potential);
        let coordinates: Vec<Symbol> = inside.iter().map(|i| model.form.coordinates[*i]).collect();
        let moving = model.system.pool.depends_on(kinetic, &model.form.coordinates);
        let own = moving || model.form.frame.is_some();
        let prefix = if own { "dV_" } else { "e_" };
        let names: Vec<String> =
            inside.iter().map(|i| format!("{prefix}{}", model.system.frame.coordinates[*i].name)).collect();
        let symbols = own_symbols(&mut model.system, &names)?;
        let constants = model.constants();
        let pool = &mut model.system.pool;
        let at: Vec<Expr> = symbols.iter().map(|s| pool.var(*s)).collect();
        if own && !symbols.is_empty() {
            let gradient = pool.gradient(potential, &coordinates);
            self.slopes = symbols.into_iter().zip(gradient.iter().map(|e| pool.simplify(*e))).collect();
        }
        match closed_dual(pool, potential, &coordinates, &at, &constants) {
            Ok(dual) => self.potential_coenergy = Some(dual.value),
            Err(NotClosed::Degenerate) => self
                .reasons
                .push("V* does not exist: the efforts dV/dq do not determine the coordinates".into()),
            Err(NotClosed::NoRule(_)) => {
                self.reasons.push("V* has no closed form here: dV/dq has no closed inverse".into())
            }
        }
        Ok(())
    }

    /// H* and L*, the transforms of -L and of H over the coordinates.
    fn star(&mut self, model: &mut Workspace) {
        let constants = model.constants();
        let coordinates: Vec<Symbol> =
            inside(model, self.lagrangian).iter().map(|i| model.form.coordinates[*i]).collect();
        let pool = &mut model.system.pool;
        let e: Vec<Expr> = self.efforts.iter().map(|s| pool.var(*s)).collect();
        let stored = pool.neg(self.lagrangian);
        let mut dual = |F: Expr| closed_dual(pool, F, &coordinates, &e, &constants);
        let found = [Some(dual(stored)), self.hamiltonian.map(&mut dual)];
        for (letter, found) in ["H*", "L*"].iter().zip(&found) {
            if let Some(Err(why)) = found {
                self.reasons.push(match why {
                    NotClosed::Degenerate => {
                        format!("{letter} does not exist: the efforts dH/dq do not determine the coordinates")
                    }
                    NotClosed::NoRule(_) => {
                        format!("{letter} has no closed form here: dH/dq has no closed inverse")
                    }
                });
            }
        }
        let [star, other] = found.map(|found| found.and_then(Result::ok).map(|dual| dual.value));
        (self.hamiltonian_star, self.lagrangian_star) = (star, other);
    }
}

/// An energy as the model gives it, unless simplification makes it much shorter.
fn as_written(pool: &mut Pool, e: Expr) -> Expr {
    let simple = pool.simplify(e);
    let tidy = pool.tidy(simple);
    if 3 * pool.cost(e) <= 4 * pool.cost(tidy) { e } else { simple }
}

/// The coordinates that an expression contains, by place.
fn inside(model: &mut Workspace, e: Expr) -> Vec<usize> {
    let present = model.system.pool.symbols(&[e]);
    (0..model.form.coordinates.len()).filter(|i| present.contains(&model.form.coordinates[*i])).collect()
}
