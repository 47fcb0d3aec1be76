//! Forces of a closed model: Q' of L2, the non-ideal C of K4, and the mass matrix of the direct form.

use super::scope::Binding;
use super::speeds::Kinematics;
use super::{Elaborator, Fallible, Part};
use crate::kernel_form::Places;
use crate::system::{Contribution, Law, StoredForces};
use dalembert_expr::{Expr, Pool, Rational, Symbol, Zero};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// With more laws of forces their potentials are not looked for.
const MAX_LAWS: usize = 100;

impl Elaborator<'_> {
    /// Energies and Rayleigh functions by statement, in the speeds.
    pub(super) fn energy_contributions(&mut self, images: &[(Symbol, Expr)]) -> Vec<Contribution> {
        let energies =
            self.energies.kinetic.iter().chain(&self.energies.potential).chain(&self.energies.lagrangian);
        let (energies, dissipation) = (energies.collect::<Vec<&Part>>(), self.energies.dissipation.iter());
        let spans: Vec<_> = energies.iter().copied().chain(dissipation.clone()).map(|p| p.span).collect();
        let exprs: Vec<Expr> = energies.iter().copied().chain(dissipation).map(|p| p.expr).collect();
        let (count, exprs) = (energies.len(), self.pool.substitute(&exprs, images));
        let law = |k: usize, e: Expr| if k < count { Law::Energy(e) } else { Law::Dissipation(e) };
        let parts = exprs.into_iter().zip(spans).enumerate();
        parts.map(|(k, (e, span))| Contribution { span, law: law(k, e) }).collect()
    }

    /// What the laws `force x = E` store: those over the configuration alone that have a potential, group by group of
    /// the coordinates that they couple. A statement with a constant alone is a load, not a store.
    pub(super) fn stored_forces(&mut self, images: &[(Symbol, Expr)]) -> Option<StoredForces> {
        let places = Places::new(self.frame.coordinates.iter().map(|c| &c.symbol));
        let held: FxHashSet<Symbol> = self.parameters.iter().map(|p| p.symbol).collect();
        let mut laws: BTreeMap<usize, Vec<Expr>> = BTreeMap::new();
        for (on, part) in &self.forces.on {
            if let Binding::Coordinate(i) = on {
                let e = self.pool.substitute(&[part.expr], images)[0];
                let law = self.pool.part_where(e, |pool, term| {
                    pool.symbols(&[term]).iter().all(|s| places.of(*s).is_some() || held.contains(s))
                });
                // With a constant in it, such as the tension of a spring at 0; a constant alone is a load.
                if !places.present(&mut self.pool, law).is_empty() {
                    laws.entry(*i).or_default().push(law);
                }
            }
        }
        let mut laws: Vec<(usize, Expr)> =
            laws.into_iter().map(|(i, parts)| (i, self.pool.total(parts))).collect();
        laws.retain(|(_, law)| *law != Pool::ZERO);
        if laws.len() > MAX_LAWS || self.forces.mass.is_some() {
            return None;
        }
        let mut stored = StoredForces { potential: Pool::ZERO, forces: Vec::new() };
        for group in self.coupled(&laws, &places) {
            let symbols: Vec<Symbol> = group.iter().map(|i| self.frame.coordinates[*i].symbol).collect();
            let law = |i: &usize| laws.iter().find(|(j, _)| j == i).map_or(Pool::ZERO, |(_, law)| *law);
            let force: Vec<Expr> = group.iter().map(law).collect();
            if let Some(V) = self.pool.potential_of_force(&force, &symbols) {
                stored.potential = self.pool.add(stored.potential, V);
                stored.forces.extend(group.into_iter().zip(force).filter(|(_, F)| *F != Pool::ZERO));
            }
        }
        (!stored.forces.is_empty()).then_some(stored)
    }

    /// Groups of the coordinates that laws act on or depend on, such that no law reaches from one into another.
    fn coupled(&mut self, laws: &[(usize, Expr)], places: &Places) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (i, law) in laws {
            let mut group: Vec<usize> =
                places.present(&mut self.pool, *law).into_iter().map(|(j, _)| j).chain([*i]).collect();
            let meets = |other: &Vec<usize>| other.iter().any(|j| group.contains(j));
            let met: Vec<Vec<usize>> = groups.extract_if(.., |other| meets(other)).collect();
            group.extend(met.into_iter().flatten());
            group.sort_unstable();
            group.dedup();
            groups.push(group);
        }
        groups
    }

    /// Q' of L2: forces on coordinates and speeds, at points, by virtual work; dissipation comes with L3. In total and by
    /// statement.
    pub(super) fn applied_forces(
        &mut self,
        k: &Kinematics,
        frame: &[Vec<(usize, Expr)>],
        images: &[(Symbol, Expr)],
    ) -> Fallible<(Vec<Expr>, Vec<Contribution>)> {
        let n = k.speeds.len();
        let mut statements: Vec<(Span, Vec<(usize, Expr)>)> = Vec::new();
        for (force, span) in std::mem::take(&mut self.forces.vectors) {
            if force.len() != n {
                let message = format!("{} forces for {n} speeds", force.len());
                let names: Vec<&str> = k.speeds.iter().map(|s| s.name.as_str()).collect();
                let d = Diagnostic::error(Code::DimensionMismatch, span, message);
                return self.fail(
                    d.help(format!("one component for each speed, in their order: {}", names.join(", "))),
                );
            }
            statements.push((span, force.iter().map(|f| f.expr).enumerate().collect()));
        }
        for (on, part) in std::mem::take(&mut self.forces.on) {
            let forces = match on {
                Binding::Coordinate(i) => {
                    frame[i].iter().map(|(p, X_ip)| (*p, self.pool.mul(part.expr, *X_ip))).collect()
                }
                Binding::Speed(s) => vec![(n - self.frame.definitions.len() + s, part.expr)],
                _ => Vec::new(),
            };
            statements.push((part.span, forces));
        }
        let coordinates = Places::new(self.frame.coordinates.iter().map(|c| &c.symbol));
        for (force, point, span) in std::mem::take(&mut self.forces.at) {
            let mut forces = Vec::new();
            for (f, r) in force.iter().zip(&point) {
                // Q'_p = F . (dr/dx) X_p
                for (i, g) in coordinates.gradient(&mut self.pool, *r) {
                    for (p, X_ip) in &frame[i] {
                        let product = [*f, g, *X_ip].map(|e| (e, Rational::ONE));
                        forces.push((*p, self.pool.product(product)));
                    }
                }
            }
            statements.push((span, forces));
        }
        let displacements = Places::new(k.speeds.iter().map(|s| &s.displacement));
        for part in std::mem::take(&mut self.forces.work) {
            let forces = self.virtual_work(&part, &displacements, images)?;
            statements.push((part.span, forces));
        }
        Ok(self.gathered(n, statements, images))
    }

    /// Forces in total and by statement, with rates replaced.
    fn gathered(
        &mut self,
        n: usize,
        statements: Vec<(Span, Vec<(usize, Expr)>)>,
        images: &[(Symbol, Expr)],
    ) -> (Vec<Expr>, Vec<Contribution>) {
        let mut parts: Vec<Vec<Expr>> = vec![Vec::new(); n];
        statements.iter().flat_map(|(_, forces)| forces).for_each(|(p, f)| parts[*p].push(*f));
        let totals: Vec<Expr> = parts.into_iter().map(|part| self.pool.total(part)).collect();
        let totals = self.pool.substitute(&totals, images);
        let exprs: Vec<Expr> = statements.iter().flat_map(|(_, forces)| forces).map(|(_, f)| *f).collect();
        let mut exprs = self.pool.substitute(&exprs, images).into_iter();
        let contribution = |(span, forces): (Span, Vec<(usize, Expr)>)| {
            let places = forces.into_iter().map(|(p, _)| p);
            Contribution { span, law: Law::Forces(places.zip(exprs.by_ref()).collect()) }
        };
        (totals, statements.into_iter().map(contribution).collect())
    }

    /// The coefficients of the virtual displacements that occur, by speed.
    pub(super) fn virtual_work(
        &mut self,
        part: &Part,
        displacements: &Places,
        images: &[(Symbol, Expr)],
    ) -> Fallible<Vec<(usize, Expr)>> {
        let e = self.pool.substitute(&[part.expr], images)[0];
        let (at, symbols): (Vec<usize>, Vec<Symbol>) =
            displacements.present(&mut self.pool, e).into_iter().unzip();
        let linear = self.pool.linear(e, &symbols);
        let constant = linear.as_ref().map(|l| l.constant);
        match (linear, constant.map(|c| self.pool.simplify(c))) {
            (Some(linear), Some(Pool::ZERO)) => Ok(at.into_iter().zip(linear.coefficients).collect()),
            (Some(_), _) => {
                let d = Diagnostic::error(
                    Code::NotLinearInDelta,
                    part.span,
                    "a term of this virtual work has no virtual displacement",
                );
                self.fail(d.help("every term is a force times `delta(x)`"))
            }
            (None, _) => {
                let message = "virtual work must be linear in the virtual displacements";
                let d = Diagnostic::error(Code::NotLinearInDelta, part.span, message);
                self.fail(d.help("every term is a force times one `delta(x)`"))
            }
        }
    }

    pub(super) fn nonideal_term(
        &mut self,
        k: &Kinematics,
        images: &[(Symbol, Expr)],
    ) -> Fallible<Option<Vec<Expr>>> {
        if self.forces.nonideal.is_empty() {
            return Ok(None);
        }
        let displacements = Places::new(k.speeds.iter().map(|s| &s.displacement));
        let mut parts: Vec<Vec<Expr>> = vec![Vec::new(); k.speeds.len()];
        for part in std::mem::take(&mut self.forces.nonideal) {
            if self.constraints.rows.is_empty()
                && !self.control.rows.is_empty()
                && self.control.actuators.is_some()
            {
                let message =
                    "non-ideal work beside requirements alone is exerted by control, on every speed";
                let d = Diagnostic::error(Code::NotApplicable, part.span, message);
                return self.fail(d.help("leave `actuate` out, or give the force by `force` or `work`"));
            }
            if self.constraints.rows.is_empty() && self.control.rows.is_empty() {
                let d = Diagnostic::error(
                    Code::NotApplicable,
                    part.span,
                    "non-ideal work belongs to constraints, and the model has none",
                );
                return self
                    .fail(d.help("a force that is not due to a constraint is given by `force` or `work`"));
            }
            let forces = self.virtual_work(&part, &displacements, images)?;
            forces.into_iter().for_each(|(p, f)| parts[p].push(f));
        }
        Ok(Some(parts.into_iter().map(|part| self.pool.total(part)).collect()))
    }

    pub(super) fn checked_mass(
        &mut self,
        k: &Kinematics,
        images: &[(Symbol, Expr)],
    ) -> Fallible<Option<Vec<Vec<Expr>>>> {
        let Some((rows, span)) = self.forces.mass.take() else { return Ok(None) };
        let n = k.speeds.len();
        if rows.len() != n || rows.iter().any(|row| row.len() != n) {
            let names: Vec<&str> = k.speeds.iter().map(|s| s.name.as_str()).collect();
            let message =
                format!("the mass matrix must be {n} by {n}, one row for each of {}", names.join(", "));
            return self.error(Code::DimensionMismatch, span, &message);
        }
        let exprs = |row: &Vec<Part>| row.iter().map(|part| part.expr).collect::<Vec<Expr>>();
        let rows: Vec<Vec<Expr>> = rows.iter().map(|row| self.pool.substitute(&exprs(row), images)).collect();
        for i in 0..n {
            for j in 0..i {
                let difference = self.pool.sub(rows[i][j], rows[j][i]);
                if self.pool.is_zero(difference) != Zero::Yes {
                    let message = format!(
                        "the mass matrix is not symmetric: entries ({}, {}) and ({}, {}) differ",
                        i + 1,
                        j + 1,
                        j + 1,
                        i + 1
                    );
                    return self.error(Code::MassNotSymmetric, span, &message);
                }
            }
        }
        Ok(Some(rows))
    }
}
