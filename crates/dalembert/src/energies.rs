//! Energies and co-energies, and the four storage functions: in closed form where there is one, else in numbers.
//!
//! ```text
//! T*(f) given, T(p) = p f - T*;   V(q) given, V*(e) = e q - V;   p = dT*/df, e = dV/dq
//! L = T* - V,   H = T + V,   H*(f,e) = T* + V*,   L*(p,e) = T - V*
//! ```
//!
//! Source: Renton. The transforms are exact for energies quadratic in their variables; for others [`Law`] makes them in
//! numbers, and [`EnergyValues`] gives all energies at a state. H* and L* are sums of this kind only
//! in plain coordinates and where T* does not depend on the position: otherwise -dL/dq is not dV/dq. V* is over the
//! coordinates that V contains; along the others e = 0. Checked by `tests/it/energies.rs`.

mod legendre;
mod values;

pub use legendre::{Dual, Law, NotInvertible};
pub use values::{EnergyValues, Laws};

use crate::hamilton::{Canonical, Quadratic};
use crate::poincare::{Poincare, dot, momentum_symbols, own_symbols};
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool, Rational, Symbol};
use dalembert_syntax::diagnostic::Diagnostic;

/// The energies of a model; those without a closed form are left out, with a reason.
#[derive(Clone, Debug)]
pub struct Energies {
    /// Momenta p, one for each speed.
    pub momenta: Vec<Symbol>,
    /// p over the speeds.
    pub momentum_values: Vec<Expr>,
    /// Efforts e, one for each coordinate that V contains.
    pub efforts: Vec<Symbol>,
    /// e over the coordinates.
    pub effort_values: Vec<Expr>,
    /// T*(f, q, t)
    pub kinetic_coenergy: Option<Expr>,
    /// T(p, q, t)
    pub kinetic_energy: Option<Expr>,
    /// V(q, t)
    pub potential: Option<Expr>,
    /// V*(e, t)
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
    /// Refused where the model has no Lagrangian.
    pub fn of(model: &mut Workspace) -> Result<Self, Box<Diagnostic>> {
        let momenta = momentum_symbols(&mut model.system)?;
        let equations = Poincare::of(model)?;
        let closed = Canonical::of(model).map(|canonical| canonical.hamiltonian);
        let lagrangian = model.system.whole_lagrangian();
        let pool = &mut model.system.pool;
        let momentum_values = equations.momenta.iter().map(|e| pool.simplify(*e)).collect();
        let mut energies = Energies {
            momenta,
            momentum_values,
            efforts: Vec::new(),
            effort_values: Vec::new(),
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
        if model.system.lagrangian.is_some() {
            energies
                .reasons
                .push("the model gives L as a whole: it does not say which part is T* and which V".into());
            return Ok(energies);
        }
        let Some(kinetic) = model.system.kinetic else { return Ok(energies) };
        let potential = model.system.potential.unwrap_or(Pool::ZERO);
        let pool = &mut model.system.pool;
        energies.kinetic_coenergy = Some(pool.simplify(kinetic));
        if let Ok(hamiltonian) = closed {
            let kinetic_energy = pool.sub(hamiltonian, potential);
            energies.kinetic_energy = Some(pool.simplify(kinetic_energy));
        }
        energies.potential = Some(pool.simplify(potential));
        energies.transform_potential(model, potential)?;
        energies.star(model, kinetic);
        Ok(energies)
    }

    /// V*, by the same transform as H: V is quadratic, its second derivatives are regular.
    fn transform_potential(&mut self, model: &mut Workspace, potential: Expr) -> Result<(), Box<Diagnostic>> {
        let present = model.system.pool.symbols(&[potential]);
        let inside: Vec<usize> = (0..model.form.coordinates.len())
            .filter(|i| present.contains(&model.form.coordinates[*i]))
            .collect();
        let names: Vec<String> =
            inside.iter().map(|i| format!("e_{}", model.system.coordinates[*i].name)).collect();
        let efforts = own_symbols(&mut model.system, &names)?;
        let coordinates: Vec<Symbol> = inside.iter().map(|i| model.form.coordinates[*i]).collect();
        let constants = model.constants();
        let pool = &mut model.system.pool;
        let slopes = pool.gradient(potential, &coordinates);
        self.effort_values = slopes.iter().map(|e| pool.simplify(*e)).collect();
        self.efforts = efforts;
        let Some(quadratic) = Quadratic::of(pool, potential, &slopes, &coordinates) else {
            self.reasons.push("V* has no closed form here: V is not quadratic in the coordinates".into());
            return Ok(());
        };
        let Some(inverse) = pool.regular_inverse(&quadratic.mass, &constants) else {
            self.reasons.push("V* does not exist: the efforts dV/dq do not determine the coordinates".into());
            return Ok(());
        };
        let mut free = Vec::new();
        for (symbol, constant) in self.efforts.iter().zip(&quadratic.linear) {
            let e = pool.var(*symbol);
            free.push(pool.sub(e, *constant));
        }
        let moved: Vec<Expr> = inverse.iter().map(|row| dot(pool, row, &free)).collect();
        let twice = dot(pool, &free, &moved);
        let e = pool.combine([(twice, Rational::HALF), (quadratic.rest, Rational::MINUS_ONE)]);
        self.potential_coenergy = Some(pool.simplify(e));
        Ok(())
    }

    /// H* and L*.
    fn star(&mut self, model: &mut Workspace, kinetic: Expr) {
        let pool = &mut model.system.pool;
        if model.form.frame.is_some() {
            self.reasons.push("H* and L* are for plain coordinates: here speeds are not their rates".into());
        } else if pool.depends_on(kinetic, &model.form.coordinates) {
            self.reasons.push(
                "H* and L* are no sums here: T* depends on the position, so that -dL/dq is not dV/dq".into(),
            );
        } else if let (Some(co), Some(star), Some(T)) =
            (self.kinetic_coenergy, self.potential_coenergy, self.kinetic_energy)
        {
            let (sum, difference) = (pool.add(co, star), pool.sub(T, star));
            self.hamiltonian_star = Some(pool.simplify(sum));
            self.lagrangian_star = Some(pool.simplify(difference));
        }
    }
}
