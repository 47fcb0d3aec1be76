//! Laws beyond ideal constraints: friction at contacts (U8), and requirements met by control (C1, C2).

use super::roles::{Allowed, State};
use super::scope::Binding;
use super::speeds::Kinematics;
use super::value::Value;
use super::{Elaborator, Fallible, Part};
use crate::system::{Constraint, Contact, RequirementRow};
use dalembert_expr::{Expr, Pool, Rational, Symbol, Zero};
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
        let (constraint, rows) = match self.constraint_of.get(&name).copied() {
            Some(g) => (g, self.constraints[g].rows.clone()),
            None => match self.row_of.get(&name).copied() {
                Some(r) => (self.rows[r].constraint, r..r + 1),
                None => return self.unknown_constraint(&name, on.span).map(|_| ()),
            },
        };
        let first = self.contacts.iter().find(|c| c.rows == rows && !rows.is_empty()).map(|c| c.span);
        let first = first.or_else(|| self.no_contacts.iter().find(|c| c.name == name).map(|c| c.span));
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
            self.no_contacts.push(NoContact { name, components: velocity.len(), span });
            return Ok(());
        }
        self.normals.push(normal);
        self.contacts.push(Contact {
            name,
            constraint,
            rows,
            velocity,
            coefficient,
            r#static,
            normal: None,
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
            None => format!("requirement{}", self.requirements.len() + 1),
        };
        let taken = self.requirements.iter().chain(&self.constraints).find(|c| c.name == name);
        if let Some(first) = taken.map(|c| c.span) {
            let message = format!("a constraint or requirement called `{name}` exists already");
            return self.fail(Diagnostic::error(Code::DeclaredTwice, span, message).label(first, "here"));
        }
        let difference = self.difference(equation, "a requirement")?;
        let constant = Allowed::only("a decay", State::Nothing);
        let coefficients: Fallible<Vec<Part>> = decay.iter().map(|e| self.part(e, constant)).collect();
        let coefficients = coefficients?;
        let first_row = self.requirement_rows.len();
        self.limit(first_row + difference.scalars().len(), "requirement rows", span)?;
        for (row_name, residual, holonomic) in self.scalar_rows(&name, &difference, span)? {
            let decay = self.decay(&coefficients, holonomic, &row_name, span)?;
            self.requirement_rows.push(RequirementRow { name: row_name, residual, holonomic, decay, span });
        }
        self.requirements.push(Constraint { name, rows: first_row..self.requirement_rows.len(), span });
        Ok(())
    }

    /// C2. One coefficient on a position decays without overshoot: k1 = 2 sqrt(k0).
    fn decay(
        &mut self,
        coefficients: &[Part],
        holonomic: bool,
        name: &str,
        span: Span,
    ) -> Fallible<Option<(Expr, Expr)>> {
        let rate = UnitInfo::Known(Dimension::none()).per_time();
        match (coefficients, holonomic) {
            ([], _) => Ok(None),
            ([k0], false) => {
                self.same_unit(&rate, &k0.kind, k0.span)?;
                Ok(Some((Pool::ZERO, k0.expr)))
            }
            ([k0], true) => {
                self.same_unit(&rate.per_time(), &k0.kind, k0.span)?;
                let root = self.pool.sqrt(k0.expr);
                let two = self.pool.int(2);
                Ok(Some((self.pool.mul(two, root), k0.expr)))
            }
            ([k1, k0], true) => {
                self.same_unit(&rate, &k1.kind, k1.span)?;
                self.same_unit(&rate.per_time(), &k0.kind, k0.span)?;
                Ok(Some((k1.expr, k0.expr)))
            }
            _ => {
                let message = format!("`{name}` contains rates: its error decays by one coefficient");
                let d = Diagnostic::error(Code::NotApplicable, span, message);
                self.fail(d.help(
                    "write `decay k0` for psi' + k0 psi = 0; `decay k1, k0` is for requirements on positions",
                ))
            }
        }
    }

    /// `actuate x, theta`, `actuate q[1..N]`
    pub(super) fn actuate(&mut self, targets: &[Target], span: Span) -> Fallible<()> {
        let mut list = Vec::new();
        let mut named = Vec::new();
        for target in targets {
            named.extend(self.members(target)?.into_iter().map(|name| (name, target)));
        }
        for (name, target) in named {
            let on = self.lookup(&name, target.span)?;
            if !matches!(on, Binding::Coordinate(_) | Binding::Speed(_)) {
                let message = format!("control acts on a coordinate or a speed, `{name}` is neither");
                return self.error(Code::UnknownName, target.span, &message);
            }
            let known = self.actuators.iter().flat_map(|(list, _)| list).chain(&list);
            if known.into_iter().any(|(_, other): &(Binding, String)| *other == name) {
                return self.error(
                    Code::DeclaredTwice,
                    target.span,
                    &format!("`{name}` is actuated already"),
                );
            }
            list.push((on, name));
        }
        match &mut self.actuators {
            Some((known, _)) => known.extend(list),
            None => self.actuators = Some((list, span)),
        }
        Ok(())
    }

    /// `weight W`: a matrix, the diagonal of one, or a number for all.
    pub(super) fn cost(&mut self, e: &ast::Expr, span: Span) -> Fallible<()> {
        if let Some((_, first)) = self.weight {
            let d = Diagnostic::error(Code::StatementTwice, span, "`weight` stands twice");
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
        self.weight = Some((rows, e.span));
        Ok(())
    }

    /// Contacts with rates replaced: sliding velocities linear in the speeds, normal forces in the multipliers.
    pub(super) fn close_contacts(
        &mut self,
        k: &Kinematics,
        images: &[(Symbol, Expr)],
    ) -> Fallible<Vec<Contact>> {
        let speeds: Vec<Symbol> = k.speeds.iter().map(|s| s.symbol).collect();
        let mut contacts = std::mem::take(&mut self.contacts);
        for (contact, normal) in contacts.iter_mut().zip(std::mem::take(&mut self.normals)) {
            contact.velocity = self.pool.substitute(&contact.velocity, images);
            let replaced = self.pool.substitute(&[contact.coefficient, contact.r#static], images);
            (contact.coefficient, contact.r#static) = (replaced[0], replaced[1]);
            if !contact.velocity.iter().any(|V| self.pool.depends_on(*V, &speeds)) {
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
        let names: Vec<String> = rows.map(|r| format!("multiplier({})", self.rows[r].name)).collect();
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

    /// Requirements, inputs and their cost with rates replaced.
    pub(super) fn close_control(
        &mut self,
        k: &Kinematics,
        frame: &[Vec<(usize, Expr)>],
        images: &[(Symbol, Expr)],
    ) -> Fallible<Control> {
        let residuals: Vec<Expr> = self.requirement_rows.iter().map(|r| r.residual).collect();
        let replaced = self.pool.substitute(&residuals, images);
        self.requirement_rows.iter_mut().zip(replaced).for_each(|(row, e)| row.residual = e);
        let (actuators, weight) = (self.actuators.take(), self.weight.take());
        if self.requirement_rows.is_empty()
            && let Some(span) = actuators.as_ref().map(|a| a.1).or(weight.as_ref().map(|w| w.1))
        {
            let message = "nothing is required of the control: this has no effect";
            self.diagnostics.push(
                Diagnostic::warning(Code::AlwaysTrue, span, message)
                    .help("say what it must achieve with `require`"),
            );
        }
        let n = k.speeds.len();
        let own = n - self.definitions.len();
        let actuators = actuators.map(|(list, _)| {
            list.into_iter()
                .map(|(on, name)| {
                    let column: Vec<Expr> = match on {
                        Binding::Coordinate(i) => {
                            let mut column = vec![Pool::ZERO; n];
                            frame[i].iter().for_each(|(p, e)| column[*p] = *e);
                            column
                        }
                        Binding::Speed(s) => unit(n, own + s),
                        _ => vec![Pool::ZERO; n],
                    };
                    (name, column)
                })
                .collect::<Vec<_>>()
        });
        let count = actuators.as_ref().map_or(n, Vec::len);
        let weight = match weight {
            None => None,
            Some((rows, span)) => Some((self.checked_weight(rows, count, images, span)?, span)),
        };
        Ok(Control { actuators, weight })
    }

    fn checked_weight(
        &mut self,
        rows: Vec<Vec<Expr>>,
        count: usize,
        images: &[(Symbol, Expr)],
        span: Span,
    ) -> Fallible<Vec<Vec<Expr>>> {
        let rows = match rows.as_slice() {
            [row] if row.len() == 1 && count != 1 => diagonal(&vec![row[0]; count]),
            _ => rows,
        };
        if rows.len() != count || rows.iter().any(|row| row.len() != count) {
            let message = format!("the weight must be {count} by {count}, one row for each control input");
            return self.error(Code::DimensionMismatch, span, &message);
        }
        let rows: Vec<Vec<Expr>> = rows.iter().map(|row| self.pool.substitute(row, images)).collect();
        for i in 0..count {
            for j in 0..i {
                let difference =
                    self.pool.combine([(rows[i][j], Rational::ONE), (rows[j][i], Rational::MINUS_ONE)]);
                if self.pool.is_zero(difference) != Zero::Yes {
                    let message = format!("the weight is not symmetric in entries {} and {}", i + 1, j + 1);
                    return self.error(Code::MassNotSymmetric, span, &message);
                }
            }
        }
        Ok(rows)
    }
}

/// What control may use.
pub(super) struct Control {
    pub actuators: Option<Vec<(String, Vec<Expr>)>>,
    pub weight: Option<(Vec<Vec<Expr>>, Span)>,
}

fn unit(n: usize, p: usize) -> Vec<Expr> {
    (0..n).map(|q| if q == p { Pool::ONE } else { Pool::ZERO }).collect()
}

fn diagonal(entries: &[Expr]) -> Vec<Vec<Expr>> {
    let entry = |i: usize, j: usize| if i == j { entries[i] } else { Pool::ZERO };
    (0..entries.len()).map(|i| (0..entries.len()).map(|j| entry(i, j)).collect()).collect()
}
