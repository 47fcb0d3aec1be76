//! Laws beyond ideal constraints: friction at contacts (U8), and requirements met by control (C1, C2).

use super::roles::{Allowed, State};
use super::scope::Binding;
use super::speeds::Kinematics;
use super::value::{ScalarRow, Value};
use super::{Elaborator, Fallible, Part};
use crate::system::{Constraint, Contact, RequirementRow};
use dalembert_expr::{Expr, Pool, Symbol};
use dalembert_run::Level;
use dalembert_syntax::ast::{self, Equation, Target};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;
use dalembert_syntax::units::{Dimension, UnitInfo};

/// The parts of a `friction` statement.
pub(super) struct Parts<'a> {
    pub coefficient: &'a ast::Expr,
    pub velocity: &'a ast::Expr,
    pub r#static: &'a Option<ast::Expr>,
    pub normal: &'a Option<ast::Expr>,
}

/// Friction stated on a constraint that was left out because it holds always; its force is zero.
pub(super) struct NoContact {
    pub name: String,
    /// Components of its sliding velocity.
    pub components: usize,
    pub span: Span,
}

impl Elaborator<'_> {
    /// `friction on NAME: ...`
    pub(super) fn friction(&mut self, on: &Target, parts: Parts<'_>, span: Span) -> Fallible<()> {
        let name = self.member(on)?;
        self.close_loop_of(&name)?;
        let (constraint, rows) = match self.constraints.by_name.get(&name).copied() {
            Some(g) => (g, self.constraints.list[g].rows.clone()),
            None => match self.constraints.row_by_name.get(&name).copied() {
                Some(r) => (self.constraints.rows[r].constraint, r..r + 1),
                None => return self.unknown_constraint(&name, on.span).map(|_| ()),
            },
        };
        let first = self.contacts.list.iter().find(|c| c.rows == rows && !rows.is_empty()).map(|c| c.span);
        let first =
            first.or_else(|| self.contacts.without_force.iter().find(|c| c.name == name).map(|c| c.span));
        if let Some(first) = first {
            let d = Diagnostic::error(Code::StatementTwice, span, format!("`{name}` has friction already"));
            return self.fail(d.label(first, "here"));
        }
        let velocity = self.value(parts.velocity)?;
        let allowed = Allowed::only("a sliding velocity", State::Velocity);
        self.allow_in(parts.velocity, &velocity.scalars(), allowed)?;
        let velocity = velocity.scalars();
        if !(1..=3).contains(&velocity.len()) {
            let message =
                format!("a sliding velocity has one, two or three components, not {}", velocity.len());
            return self.error(Code::DimensionMismatch, parts.velocity.span, &message);
        }
        let state = Allowed::only("a coefficient of friction", State::Velocity).with_signals();
        let coefficient = self.part(parts.coefficient, state)?;
        self.dimensionless(&coefficient.kind, parts.coefficient.span)?;
        let coefficient = coefficient.expr;
        let r#static = match parts.r#static {
            Some(e) => {
                let part = self.part(e, state)?;
                self.dimensionless(&part.kind, e.span)?;
                part.expr
            }
            None => coefficient,
        };
        let normal = match parts.normal {
            None => None,
            Some(e) => {
                let value = self.value(e)?;
                let base = Allowed::only("a normal force", State::Position);
                self.allow_in(e, &value.scalars(), Allowed { ideal_results: true, ..base })?;
                Some((value.scalars(), e.span))
            }
        };
        // A constraint that holds always was left out: it has no force, so nothing presses and nothing rubs.
        if rows.is_empty() {
            let message = format!("no friction acts on `{name}`: it holds always, and nothing presses there");
            self.diagnostics.push(Diagnostic::warning(Code::AlwaysTrue, span, message));
            self.contacts.without_force.push(NoContact { name, components: velocity.len(), span });
            return Ok(());
        }
        self.contacts.normals.push(normal);
        self.contacts.list.push(Contact {
            name,
            constraint: Some(constraint),
            rows,
            velocity,
            coefficient,
            r#static,
            normal: None,
            span,
        });
        Ok(())
    }

    /// `friction in x: limit F [, static Fs]`: a contact whose coefficients are forces and whose normal force is 1.
    pub(super) fn friction_in(
        &mut self,
        target: &Target,
        limit: &ast::Expr,
        still: Option<&ast::Expr>,
        span: Span,
    ) -> Fallible<()> {
        let name = self.member(target)?;
        let on = self.lookup(&name, target.span)?;
        let rate = match on {
            Binding::Coordinate(i) => self.pool.var(self.frame.coordinates[i].rate),
            Binding::Speed(s) => self.pool.var(self.frame.speeds[s].symbol),
            Binding::Freedom(..) | Binding::FreedomSpeed(..) => {
                self.rate_of_binding(on.clone(), &name, target.span)?
            }
            _ => {
                let message =
                    format!("friction acts in a coordinate or a declared speed, `{name}` is neither");
                let d = Diagnostic::error(Code::UnknownName, target.span, message);
                return self.fail(
                    d.help("friction at a constraint is `friction on NAME: coefficient mu, velocity V`"),
                );
            }
        };
        if let Some(first) = self.contacts.list.iter().find(|c| c.name == name).map(|c| c.span) {
            let d = Diagnostic::error(Code::StatementTwice, span, format!("`{name}` has friction already"));
            return self.fail(d.label(first, "here"));
        }
        let allowed = Allowed::only("a limit of friction", State::Velocity).with_signals();
        let sliding = self.part(limit, allowed)?;
        let still = still.map_or(Ok(sliding.clone()), |e| self.part(e, allowed))?;
        let velocity = vec![rate];
        let (coefficient, r#static) = (sliding.expr, still.expr);
        self.contacts.limits.extend([(on.clone(), sliding), (on, still)]);
        self.contacts.normals.push(None);
        let (constraint, rows, normal) = (None, 0..0, Some(Vec::new()));
        self.contacts.list.push(Contact {
            name,
            constraint,
            rows,
            velocity,
            coefficient,
            r#static,
            normal,
            span,
        });
        Ok(())
    }

    /// `require [NAME:] E1 = E2 [decay ...]`
    pub(super) fn requirement(
        &mut self,
        equation: &Equation,
        decay: &[ast::Expr],
        span: Span,
    ) -> Fallible<()> {
        let name = match &equation.name {
            Some(target) => self.member(target)?,
            None => format!("requirement{}", self.control.requirements.len() + 1),
        };
        let taken = self.control.requirements.iter().chain(&self.constraints.list).find(|c| c.name == name);
        if let Some(first) = taken.map(|c| c.span) {
            let message = format!("a constraint or requirement called `{name}` exists already");
            return self.fail(Diagnostic::error(Code::DeclaredTwice, span, message).label(first, "here"));
        }
        let difference = self.difference(equation, "a requirement")?;
        let constant = Allowed::only("a decay", State::Nothing);
        let coefficients: Fallible<Vec<Part>> = decay.iter().map(|e| self.part(e, constant)).collect();
        let coefficients = coefficients?;
        let first_row = self.control.rows.len();
        self.limit(first_row + difference.scalars().len(), "requirement rows", span)?;
        for ScalarRow { name, residual, level } in self.scalar_rows(&name, &difference, span)? {
            let decay = self.decay(&coefficients, level, &name, span)?;
            let (holonomic, on_accelerations) = (level == Level::Position, level == Level::Acceleration);
            let row = RequirementRow { name, residual, holonomic, on_accelerations, decay, span };
            self.control.rows.push(row);
        }
        self.control.requirements.push(Constraint { name, rows: first_row..self.control.rows.len(), span });
        Ok(())
    }

    /// C2: as many coefficients as the inputs are derivatives away, which is known when the equations are; one on a
    /// position stands for the square of a rate.
    fn decay(&mut self, coefficients: &[Part], level: Level, name: &str, span: Span) -> Fallible<Vec<Expr>> {
        if level == Level::Acceleration && !coefficients.is_empty() {
            let message = format!("`{name}` is on accelerations: it has no error that could decay");
            let d = Diagnostic::error(Code::NotApplicable, span, message);
            return self
                .fail(d.help("write the feedback into the right side, as in `require x'' = -2*x' - x`"));
        }
        let mut unit = UnitInfo::Known(Dimension::none()).per_time();
        if coefficients.len() == 1 && level == Level::Position {
            unit = unit.per_time();
        }
        for k in coefficients {
            self.same_unit(&unit, &k.kind, k.span)?;
            unit = unit.per_time();
        }
        Ok(coefficients.iter().map(|k| k.expr).collect())
    }

    /// `weight W`: a matrix, the diagonal of one, or a number for all.
    pub(super) fn cost(&mut self, e: &ast::Expr, span: Span) -> Fallible<()> {
        if let Some((_, first)) = self.control.weight {
            let d = Diagnostic::error(Code::StatementTwice, span, "`weight` appears twice");
            return self.fail(d.label(first, "first here"));
        }
        let value = self.value(e)?;
        self.allow_in(e, &value.scalars(), Allowed::only("a weight", State::Velocity))?;
        let rows = match &value {
            Value::Vector(rows) if rows.iter().all(|r| matches!(r, Value::Vector(_))) => {
                rows.iter().map(Value::scalars).collect()
            }
            Value::Vector(rows) if rows.iter().all(|r| matches!(r, Value::Scalar(..))) => {
                diagonal(&value.scalars())
            }
            Value::Scalar(e, _) => vec![vec![*e]],
            _ => {
                let message =
                    "a weight is a matrix `[[w1, 0], [0, w2]]`, its diagonal `[w1, w2]`, or a number";
                return self.error(Code::VectorExpected, span, message);
            }
        };
        self.control.weight = Some((rows, e.span));
        Ok(())
    }

    /// Contacts with rates replaced: sliding velocities linear in the speeds, normal forces in the multipliers.
    pub(super) fn close_contacts(
        &mut self,
        k: &Kinematics,
        images: &[(Symbol, Expr)],
    ) -> Fallible<Vec<Contact>> {
        let speeds: Vec<Symbol> = k.speeds.iter().map(|s| s.symbol).collect();
        let mut contacts = std::mem::take(&mut self.contacts.list);
        for (contact, normal) in contacts.iter_mut().zip(std::mem::take(&mut self.contacts.normals)) {
            contact.velocity = self.pool.substitute(&contact.velocity, images);
            let replaced = self.pool.substitute(&[contact.coefficient, contact.r#static], images);
            (contact.coefficient, contact.r#static) = (replaced[0], replaced[1]);
            if contact.constraint.is_some()
                && !contact.velocity.iter().any(|V| self.pool.depends_on(*V, &speeds))
            {
                let message = "a sliding velocity contains rates, and this one has none";
                return self.error(Code::NotApplicable, contact.span, message);
            }
            for V in &contact.velocity {
                if self.pool.linear(*V, &speeds).is_none() {
                    let message = "a sliding velocity must be linear in the rates";
                    let d = Diagnostic::error(Code::NotApplicable, contact.span, message);
                    return self
                        .fail(d.help("give its components, `velocity [x', y']`, rather than its size"));
                }
            }
            if let Some((components, span)) = normal {
                let rows = contact.rows.clone();
                contact.normal = Some(self.normal_force(&components, rows, span)?);
            }
        }
        Ok(contacts)
    }

    fn normal_force(
        &mut self,
        components: &[Expr],
        rows: std::ops::Range<usize>,
        span: Span,
    ) -> Fallible<Vec<Vec<Expr>>> {
        let names: Vec<String> =
            rows.map(|r| format!("multiplier({})", self.constraints.rows[r].name)).collect();
        let symbols: Vec<Symbol> = names.iter().map(|name| self.pool.symbol(name)).collect();
        let mut map = Vec::new();
        for e in components {
            let linear = self.pool.linear(*e, &symbols);
            let rest = linear.as_ref().map(|l| self.pool.simplify(l.constant));
            match (linear, rest) {
                (Some(linear), Some(Pool::ZERO)) => map.push(linear.coefficients),
                _ => {
                    let message = "a normal force is linear in the multipliers of its constraint";
                    let d = Diagnostic::error(Code::NotApplicable, span, message);
                    return self.fail(d.help(format!("as in `normal {}`", names.join(" + "))));
                }
            }
        }
        Ok(map)
    }
}

pub(super) fn diagonal(entries: &[Expr]) -> Vec<Vec<Expr>> {
    let entry = |i: usize, j: usize| if i == j { entries[i] } else { Pool::ZERO };
    (0..entries.len()).map(|i| (0..entries.len()).map(|j| entry(i, j)).collect()).collect()
}
