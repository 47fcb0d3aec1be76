//! Statements: each adds to the model, or says what is wrong with it.

use super::roles::{Allowed, Role, State};
use super::scope::Binding;
use super::value::{Value, component_name};
use super::{Elaborator, Fallible, MAX_ERRORS, Part};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::{Source, Span};
use crate::syntax::ast::{
    self, Block, Declared, Definition, Equation, Statement, StatementKind as S, Target,
};
use crate::syntax::parse;
use crate::system::{Constraint, Coordinate, Event, Output, Parameter, Row, Run, Speed};
use crate::units::{self, Kind};
use dalembert_expr::{Expr, Pool, Rational};
use dalembert_run::Method;

impl Elaborator<'_> {
    pub(super) fn block(&mut self, block: &Block) {
        for statement in &block.statements {
            if self.budget == 0 || self.diagnostics.len() > MAX_ERRORS {
                return;
            }
            let _reported = self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) -> Fallible<()> {
        let span = statement.span;
        self.spend(1, span)?;
        match &statement.kind {
            S::System(title) => match self.title.replace(title.clone()) {
                None => Ok(()),
                Some(_) => self.error(Code::StatementTwice, span, "`system` stands twice"),
            },
            S::Const(definitions) => self.each(definitions, Self::constant),
            S::Parameter(definitions) => self.each(definitions, Self::parameter),
            S::Coordinate(list) => self.each(list, Self::coordinate),
            S::Speed(list) => self.each(list, Self::speed),
            S::Kinematics { coordinate, rate } => self.kinematics_of(coordinate, rate, span),
            S::Let(definitions) => self.each(definitions, Self::let_name),
            S::Kinetic(e) => {
                let part = self.part(e, Allowed::only("the kinetic energy", State::Velocity))?;
                self.kinetic.push(part);
                Ok(())
            }
            S::Potential(e) => {
                let part = self.part(e, Allowed::only("the potential energy", State::Position))?;
                self.potential.push(part);
                Ok(())
            }
            S::Lagrangian(e) => {
                let part = self.part(e, Allowed::only("the Lagrangian", State::Velocity))?;
                self.lagrangian.push(part);
                Ok(())
            }
            S::Dissipation(e) => {
                let part = self.part(e, Allowed::only("the Rayleigh function", State::Velocity))?;
                self.dissipation.push(part);
                Ok(())
            }
            S::Work(e) => {
                let allowed =
                    Allowed { displacements: true, ..Allowed::only("virtual work", State::Velocity) };
                let part = self.part(e, allowed)?;
                self.work.push(part);
                Ok(())
            }
            S::NonidealWork(e) => {
                let base = Allowed::only("non-ideal work", State::Velocity);
                let part = self.part(e, Allowed { displacements: true, ideal_results: true, ..base })?;
                self.nonideal.push(part);
                Ok(())
            }
            S::Mass(e) => self.mass_matrix(e, span),
            S::ForceVector(e) => {
                let force = self.vector(e)?;
                let force = self.free_vector(force, Allowed::only("a force", State::Velocity), e.span)?;
                self.force_vectors.push((force, e.span));
                Ok(())
            }
            S::ForceOn { target, value } => {
                let name = self.member(target)?;
                let on = self.lookup(&name, target.span)?;
                if !matches!(on, Binding::Coordinate(_) | Binding::Speed(_)) {
                    let message =
                        format!("a generalised force acts on a coordinate or a speed, `{name}` is neither");
                    return self.error(Code::UnknownName, target.span, &message);
                }
                let part = self.part(value, Allowed::only("a force", State::Velocity))?;
                self.forces_on.push((on, part));
                Ok(())
            }
            S::ForceAt { force, point } => self.force_at(force, point),
            S::Constraint(equation) => self.constraint(equation, span),
            S::Initial(items) => {
                for item in items {
                    let _reported = self.initial_value(item);
                }
                Ok(())
            }
            S::Simulate(run) => self.simulate(run, span),
            S::Output(definitions) => self.each(definitions, Self::output),
            S::Event { name, value, direction, stop } => self.event(name, value, *direction, *stop),
            S::For { index, range, body } => {
                let (first, last) = self.range(range)?;
                self.with_index(index, first, last, |this, _| {
                    this.block(body);
                    Ok(())
                })
            }
            S::Friction { .. } => self.not_available("friction", span),
            S::Require { .. } => self.not_available("require", span),
            S::Actuate(_) => self.not_available("actuate", span),
            S::Weight(_) => self.not_available("weight", span),
            S::CompleteIntegral { .. } => self.not_available("complete_integral", span),
            S::Draw(_) => self.not_available("draw", span),
            S::Reserved { keyword, .. } => self.not_available(&keyword.text, keyword.span),
        }
    }

    fn not_available(&mut self, what: &str, span: Span) -> Fallible<()> {
        // A picture changes no motion: a model that draws can still run. Said once, however much it draws.
        if what == "draw" {
            if !self.diagnostics.iter().any(|d| d.code == Code::DrawIgnored) {
                let message = "`draw` is not available yet; the model runs without its pictures";
                self.diagnostics.push(Diagnostic::note(Code::DrawIgnored, span, message));
            }
            return Ok(());
        }
        let d = Diagnostic::error(Code::NotAvailable, span, format!("`{what}` is not available yet"));
        self.fail(match what {
            "friction" => d.help("sliding friction can be written as `nonideal work` with `reaction(NAME)`"),
            _ => d.help("remove the statement to use the rest of the model"),
        })
    }

    fn each<T>(&mut self, items: &[T], mut one: impl FnMut(&mut Self, &T) -> Fallible<()>) -> Fallible<()> {
        let mut result = Ok(());
        for item in items {
            result = one(self, item).and(result); // all of them, whatever one says
        }
        result
    }

    /// A scalar expression of a statement, checked for what it may use.
    fn part(&mut self, e: &ast::Expr, allowed: Allowed) -> Fallible<Part> {
        let (expr, kind) = self.scalar(e)?;
        self.allow_in(e, &[expr], allowed)?;
        Ok(Part { expr, kind, span: e.span })
    }

    fn free_vector(&mut self, parts: Vec<Value>, allowed: Allowed, span: Span) -> Fallible<Vec<Expr>> {
        let parts: Fallible<Vec<Expr>> = parts.into_iter().map(|p| Ok(self.as_scalar(p, span)?.0)).collect();
        let parts = parts?;
        self.allow(&parts, allowed, span)?;
        Ok(parts)
    }

    fn constant(&mut self, d: &Definition) -> Fallible<()> {
        let name = self.member(&d.target)?;
        let value = match self.override_of(&name)? {
            Some((e, _)) => Ok(e),
            None => self.scalar(&d.value).map(|(e, _)| e),
        };
        let value = value.inspect_err(|_| self.poison(&d.target))?;
        match self.pool.as_number(value).cloned() {
            Some(r) if r.is_integer() => self.declare(&name, Binding::Number(r), d.target.span),
            _ => {
                self.poison(&d.target);
                let diagnostic = Diagnostic::error(
                    Code::IndexNotWhole,
                    d.value.span,
                    format!("`const {name}` must be a whole number"),
                );
                self.fail(diagnostic.help("a constant that is not whole is a `parameter`"))
            }
        }
    }

    fn parameter(&mut self, d: &Definition) -> Fallible<()> {
        let names = self.members(&d.target).inspect_err(|_| self.poison(&d.target))?;
        for name in names {
            let value = match self.override_of(&name)? {
                Some(given) => Ok(given),
                None => self.scalar(&d.value),
            };
            let (value, kind) = value.inspect_err(|_| self.poison(&d.target))?;
            let checked = self.parameter_unit(value, kind, d);
            let (value, kind) = checked.inspect_err(|_| self.poison(&d.target))?;
            self.allow(&[value], Allowed::only("a parameter", State::Nothing), d.value.span)
                .inspect_err(|_| self.poison(&d.target))?;
            self.declare(&name, Binding::Parameter(self.parameters.len()), d.target.span)?;
            let symbol = self.symbol_with_role(&name, Role::Parameter);
            self.parameters.push(Parameter { name, symbol, value, kind, span: d.target.span });
        }
        Ok(())
    }

    /// The value in SI and its unit: a bare number is in the unit given, an expression of quantities has its own.
    fn parameter_unit(&mut self, value: Expr, kind: Kind, d: &Definition) -> Fallible<(Expr, Kind)> {
        let Some(unit) = &d.unit else {
            // A bare number without a unit has none given; it is not "a plain number".
            let kind = if kind == Kind::Number { Kind::Missing } else { kind };
            return Ok((value, kind));
        };
        let read = match units::read(unit) {
            Ok(read) => read,
            Err(diagnostic) => return self.fail(*diagnostic),
        };
        let declared = Kind::Known(read.dimension);
        if kind == Kind::Number {
            let pi = self.pool.pi();
            let size = self.pool.powi(pi, read.pi_power);
            let size = self.pool.scale(size, read.factor);
            return Ok((self.pool.mul(value, size), declared));
        }
        self.same_unit(&kind, &declared, unit.span)?;
        if !read.factor.is_one() || read.pi_power != 0 {
            let diagnostic = Diagnostic::error(
                Code::UnitNotCoherent,
                unit.span,
                "this value comes from other quantities and is in coherent SI units already",
            );
            return self.fail(diagnostic.help("give the coherent unit (m, kg, s, rad, N, J), or none"));
        }
        Ok((value, declared))
    }

    /// The unit of a coordinate or speed: coherent only, so that columns need no conversion.
    fn state_unit(&mut self, unit: Option<&ast::Unit>) -> Fallible<Kind> {
        let Some(unit) = unit else { return Ok(Kind::Missing) };
        match units::read(unit) {
            Ok(read) if read.factor.is_one() && read.pi_power == 0 => Ok(Kind::Known(read.dimension)),
            Ok(_) => {
                let d = Diagnostic::error(
                    Code::UnitNotCoherent,
                    unit.span,
                    "coordinates and speeds are in coherent SI units",
                );
                self.fail(d.help("use m, kg, s, rad; parameters may be given in any unit and are converted"))
            }
            Err(diagnostic) => self.fail(*diagnostic),
        }
    }

    fn coordinate(&mut self, d: &Declared) -> Fallible<()> {
        let kind = self.state_unit(d.unit.as_ref()).inspect_err(|_| self.poison(&d.target))?;
        let names = self.members(&d.target).inspect_err(|_| self.poison(&d.target))?;
        for name in names {
            self.declare(&name, Binding::Coordinate(self.coordinates.len()), d.target.span)?;
            let symbol = self.symbol_with_role(&name, Role::Coordinate);
            let rate = self.symbol_with_role(&format!("{name}'"), Role::Rate);
            let acceleration = self.symbol_with_role(&format!("{name}''"), Role::Acceleration);
            let displacement = self.symbol_with_role(&format!("delta({name})"), Role::Displacement);
            let [v, a, delta] = [rate, acceleration, displacement].map(|s| self.pool.var(s));
            self.dot.define(symbol, v);
            self.dot.define(rate, a);
            self.virtual_change.define(symbol, delta);
            let kind = kind.clone();
            self.coordinates.push(Coordinate {
                name,
                symbol,
                rate,
                acceleration,
                displacement,
                kind,
                span: d.target.span,
            });
            self.kinematics.push(None);
        }
        Ok(())
    }

    fn speed(&mut self, d: &ast::Speed) -> Fallible<()> {
        let kind = self.state_unit(d.unit.as_ref()).inspect_err(|_| self.poison(&d.target))?;
        let names = self.members(&d.target).inspect_err(|_| self.poison(&d.target))?;
        for name in names {
            let definition = match &d.definition {
                Some(e) => {
                    let part = self.part(e, Allowed::only("the definition of a speed", State::Velocity));
                    let part = part.inspect_err(|_| self.poison(&d.target))?;
                    self.same_unit(&part.kind, &kind, e.span)?;
                    Some((part.expr, e.span))
                }
                None => None,
            };
            self.declare(&name, Binding::Speed(self.speeds.len()), d.target.span)?;
            let symbol = self.symbol_with_role(&name, Role::Rate);
            let acceleration = self.symbol_with_role(&format!("{name}'"), Role::Acceleration);
            let displacement = self.symbol_with_role(&format!("delta({name})"), Role::Displacement);
            let a = self.pool.var(acceleration);
            self.dot.define(symbol, a);
            let kind = kind.clone();
            self.speeds.push(Speed {
                name,
                symbol,
                acceleration,
                displacement,
                rate_of: None,
                kind,
                span: d.target.span,
            });
            self.definitions.push(definition);
        }
        Ok(())
    }

    fn kinematics_of(&mut self, target: &Target, rate: &ast::Expr, span: Span) -> Fallible<()> {
        let name = self.member(target)?;
        let Binding::Coordinate(i) = self.lookup(&name, target.span)? else {
            let message = format!("`{name}` is no coordinate");
            return self.error(Code::UnknownName, target.span, &message);
        };
        let part = self.part(rate, Allowed::only("kinematics", State::Velocity))?;
        if let Some((_, first)) = self.kinematics[i] {
            let d = Diagnostic::error(
                Code::KinematicsTwice,
                span,
                format!("the kinematics of `{name}` are given twice"),
            );
            return self.fail(d.label(first, "first here"));
        }
        let kind = self.coordinates[i].kind.per_time();
        self.same_unit(&kind, &part.kind, rate.span)?;
        self.kinematics[i] = Some((part.expr, rate.span));
        Ok(())
    }

    fn let_name(&mut self, d: &Definition) -> Fallible<()> {
        let names = self.members(&d.target).inspect_err(|_| self.poison(&d.target))?;
        for name in names {
            let value = self.value(&d.value).inspect_err(|_| self.poison(&d.target))?;
            self.declare(&name, Binding::Value(value), d.target.span)?;
        }
        Ok(())
    }

    fn mass_matrix(&mut self, e: &ast::Expr, span: Span) -> Fallible<()> {
        if let Some((_, first)) = self.mass {
            let d = Diagnostic::error(Code::StatementTwice, span, "the mass matrix is given twice");
            return self.fail(d.label(first, "first here"));
        }
        let rows = self.vector(e)?;
        let mut matrix = Vec::new();
        for row in rows {
            let Value::Vector(entries) = row else {
                return self.error(
                    Code::VectorExpected,
                    e.span,
                    "a mass matrix is a vector of rows, `[[m, 0], [0, m]]`",
                );
            };
            matrix.push(self.free_vector(
                entries,
                Allowed::only("the mass matrix", State::Velocity),
                e.span,
            )?);
        }
        self.mass = Some((matrix, e.span));
        Ok(())
    }

    fn force_at(&mut self, force: &ast::Expr, point: &ast::Expr) -> Fallible<()> {
        let (f, p) = (self.vector(force), self.vector(point));
        let (f, p) = (f?, p?);
        if f.len() != p.len() {
            return self.mismatch(&Value::Vector(f), &Value::Vector(p), point.span);
        }
        let f = self.free_vector(f, Allowed::only("a force", State::Velocity), force.span)?;
        let p = self.free_vector(p, Allowed::only("the point of a force", State::Position), point.span)?;
        self.forces_at.push((f, p));
        Ok(())
    }

    fn constraint(&mut self, equation: &Equation, span: Span) -> Fallible<()> {
        let name = match &equation.name {
            Some(target) => self.member(target)?,
            None => format!("constraint{}", self.constraints.len() + 1),
        };
        if let Some(first) = self.constraints.iter().find(|c| c.name == name).map(|c| c.span) {
            let d = Diagnostic::error(
                Code::DeclaredTwice,
                span,
                format!("a constraint called `{name}` exists already"),
            );
            return self.fail(d.label(first, "here"));
        }
        let (left, right) = (self.value(&equation.left), self.value(&equation.right));
        let (left, right) = (left?, right?);
        let allowed = Allowed::only("a constraint", State::Velocity);
        self.allow_in(&equation.left, &left.scalars(), allowed)?;
        self.allow_in(&equation.right, &right.scalars(), allowed)?;
        let mut sides = vec![(left, Rational::ONE, equation.left.span)];
        // `[x', y'] - ... = 0` means every component.
        let zero = matches!(right, Value::Scalar(Pool::ZERO, _)) && matches!(sides[0].0, Value::Vector(_));
        if !zero {
            sides.push((right, Rational::MINUS_ONE, equation.right.span));
        }
        let difference = self.add_up(&sides)?;
        let residuals = difference.scalars();
        let first_row = self.rows.len();
        for (k, residual) in residuals.iter().enumerate() {
            let row_name = match &difference {
                Value::Vector(_) => component_name(&name, k, residuals.len()),
                _ => name.clone(),
            };
            if !self.constrains_something(*residual, &row_name, span)? {
                continue;
            }
            let symbols = self.pool.symbols(&[*residual]);
            let holonomic = !symbols.iter().any(|s| self.role(*s) == Role::Rate);
            let constraint = self.constraints.len();
            self.rows.push(Row { name: row_name, residual: *residual, holonomic, constraint, span });
        }
        self.constraints.push(Constraint { name, rows: first_row..self.rows.len(), span });
        Ok(())
    }

    /// An equation without unknowns is dropped if it holds and an error if it does not.
    fn constrains_something(&mut self, residual: Expr, name: &str, span: Span) -> Fallible<bool> {
        let symbols = self.pool.symbols(&[residual]);
        if symbols.iter().any(|s| matches!(self.role(*s), Role::Coordinate | Role::Rate)) {
            return Ok(true);
        }
        if self.pool.simplify(residual) == Pool::ZERO {
            let message = format!("`{name}` holds always and constrains nothing");
            self.diagnostics.push(Diagnostic::warning(Code::AlwaysTrue, span, message));
            return Ok(false);
        }
        let message = format!("`{name}` contains no coordinate and no rate: it cannot constrain the motion");
        self.error(Code::ConstraintWithoutUnknowns, span, &message)
    }

    fn simulate(&mut self, run: &ast::Simulate, span: Span) -> Fallible<()> {
        let allowed = Allowed::only("the `simulate` statement", State::Nothing);
        let until = self.part(&run.until, allowed)?.expr;
        let mut optional =
            |e: &Option<ast::Expr>| e.as_ref().map(|e| Ok(self.part(e, allowed)?.expr)).transpose();
        let (every, tolerance) = (optional(&run.every)?, optional(&run.tolerance)?);
        let method = run.method.as_ref().map(|m| (m.text.clone(), m.span));
        if let Some((name, place)) = &method
            && let Err(unknown) = name.parse::<Method>()
        {
            let (message, place) = (unknown.to_string(), *place);
            return self.error(Code::BadOption, place, &message);
        }
        if self.run.is_some() {
            return self.error(Code::StatementTwice, span, "`simulate` stands twice");
        }
        self.run = Some(Run { until, every, method, tolerance, span });
        Ok(())
    }

    fn output(&mut self, d: &Definition) -> Fallible<()> {
        let name = self.member(&d.target)?;
        let value = self.value(&d.value)?;
        let everything =
            Allowed { ideal_results: true, results: true, ..Allowed::only("an output", State::Velocity) };
        self.allow_in(&d.value, &value.scalars(), everything)?;
        let scalars = value.scalars();
        for (k, e) in scalars.iter().enumerate() {
            let column = match &value {
                Value::Vector(_) => component_name(&name, k, scalars.len()),
                _ => name.clone(),
            };
            let taken = self.outputs.iter().any(|o| o.name == column) || column == "t";
            let state = matches!(self.scope.get(&column), Some(Binding::Coordinate(_) | Binding::Speed(_)));
            if taken || state {
                return self.error(
                    Code::DeclaredTwice,
                    d.target.span,
                    &format!("a column `{column}` exists already"),
                );
            }
            self.outputs.push(Output { name: column, value: *e, span: d.target.span });
        }
        if self.scope.get(&name).is_none()
            && self.scope.family(name.split('[').next().unwrap_or(&name)).is_none()
        {
            // Outputs may build on each other; a clash with the language's words is no harm here.
            let before = self.diagnostics.len();
            if self.declare(&name, Binding::Value(value), d.target.span).is_err() {
                self.diagnostics.truncate(before);
            }
        }
        Ok(())
    }

    fn event(
        &mut self,
        name: &Target,
        value: &ast::Expr,
        direction: Option<ast::Direction>,
        stop: bool,
    ) -> Fallible<()> {
        let everything =
            Allowed { ideal_results: true, results: true, ..Allowed::only("an event", State::Velocity) };
        let name = self.member(name)?;
        let part = self.part(value, everything)?;
        let rising = direction.map(|d| d == ast::Direction::Rising);
        self.events.push(Event { name, value: part.expr, rising, stop });
        Ok(())
    }

    /// The value given from outside for a parameter or constant, if any.
    fn override_of(&mut self, name: &str) -> Fallible<Option<(Expr, Kind)>> {
        let family = name.split('[').next().unwrap_or(name);
        // The last one given wins, and one for the member wins over one for the family.
        let given = &self.overrides.set;
        let position = given.iter().rposition(|(n, _)| n == name);
        let Some(k) = position.or_else(|| given.iter().rposition(|(n, _)| n == family)) else {
            return Ok(None);
        };
        self.used_overrides[k] = true;
        let text = given[k].1.clone();
        let source = Source::new("--set", format!("let value = {text}"));
        let (ast, diagnostics) = parse(&source);
        let definition = match ast.body.statements.first().map(|s| &s.kind) {
            Some(S::Let(list)) if diagnostics.is_empty() && list.len() == 1 => &list[0],
            _ => {
                let message = format!("`{text}` is no value for `{name}`");
                return self.fail(
                    Diagnostic::error(Code::BadOption, None, message)
                        .help("write a number, as in `--set m=1.5`"),
                );
            }
        };
        self.foreign = true;
        let value = self.scalar(&definition.value);
        self.foreign = false;
        let (value, _) = value?;
        Ok(Some((value, Kind::Number)))
    }
}
