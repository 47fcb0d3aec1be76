//! Forces of a closed model: Q' of L2, the non-ideal C of K4, and the mass matrix of the direct form.

use super::scope::Binding;
use super::speeds::Kinematics;
use super::{Elaborator, Fallible, Part};
use crate::diagnostic::{Code, Diagnostic};
use crate::kernel_form::Places;
use dalembert_expr::{Expr, Pool, Rational, Symbol, Zero};

impl Elaborator<'_> {
    /// Q' of L2: forces on coordinates and speeds, at points, by virtual work; dissipation comes with L3.
    pub(super) fn applied_forces(
        &mut self,
        k: &Kinematics,
        frame: &[Vec<(usize, Expr)>],
        images: &[(Symbol, Expr)],
    ) -> Fallible<Vec<Expr>> {
        let n = k.speeds.len();
        let mut parts: Vec<Vec<Expr>> = vec![Vec::new(); n];
        for (force, span) in std::mem::take(&mut self.force_vectors) {
            if force.len() != n {
                let message = format!("{} forces for {n} speeds", force.len());
                let names: Vec<&str> = k.speeds.iter().map(|s| s.name.as_str()).collect();
                let d = Diagnostic::error(Code::DimensionMismatch, span, message);
                return self.fail(
                    d.help(format!("one component for each speed, in their order: {}", names.join(", "))),
                );
            }
            force.into_iter().zip(&mut parts).for_each(|(f, part)| part.push(f));
        }
        for (on, part) in std::mem::take(&mut self.forces_on) {
            match on {
                Binding::Coordinate(i) => {
                    for (p, X_ip) in &frame[i] {
                        parts[*p].push(self.pool.mul(part.expr, *X_ip));
                    }
                }
                Binding::Speed(s) => parts[k.speeds.len() - self.definitions.len() + s].push(part.expr),
                _ => {}
            }
        }
        let coordinates = Places::new(self.coordinates.iter().map(|c| &c.symbol));
        for (force, point) in std::mem::take(&mut self.forces_at) {
            for (f, r) in force.iter().zip(&point) {
                // Q'_p = F . (dr/dx) X_p
                for (i, g) in coordinates.gradient(&mut self.pool, *r) {
                    for (p, X_ip) in &frame[i] {
                        let product = [*f, g, *X_ip].map(|e| (e, Rational::ONE));
                        parts[*p].push(self.pool.product(product));
                    }
                }
            }
        }
        let displacements = Places::new(k.speeds.iter().map(|s| &s.displacement));
        for part in std::mem::take(&mut self.work) {
            let forces = self.virtual_work(&part, &displacements, images)?;
            forces.into_iter().for_each(|(p, f)| parts[p].push(f));
        }
        let totals: Vec<Expr> = parts.into_iter().map(|part| self.pool.total(part)).collect();
        Ok(self.pool.substitute(&totals, images))
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
        if self.nonideal.is_empty() {
            return Ok(None);
        }
        let displacements = Places::new(k.speeds.iter().map(|s| &s.displacement));
        let mut parts: Vec<Vec<Expr>> = vec![Vec::new(); k.speeds.len()];
        for part in std::mem::take(&mut self.nonideal) {
            if self.rows.is_empty() {
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
        let Some((rows, span)) = self.mass.take() else { return Ok(None) };
        let n = k.speeds.len();
        if rows.len() != n || rows.iter().any(|row| row.len() != n) {
            let names: Vec<&str> = k.speeds.iter().map(|s| s.name.as_str()).collect();
            let message =
                format!("the mass matrix must be {n} by {n}, one row for each of {}", names.join(", "));
            return self.error(Code::DimensionMismatch, span, &message);
        }
        let rows: Vec<Vec<Expr>> = rows.iter().map(|row| self.pool.substitute(row, images)).collect();
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
