//! Statements: each adds to the model, or says what is wrong with it.

use super::roles::{Allowed, Role, State};
use super::scope::Binding;
use super::value::{ScalarRow, Value, component_name};
use super::{Elaborator, Fallible, MAX_ERRORS, Part};
use crate::system::{Constraint, ConstraintRow, Output, Run};
use dalembert_expr::{Expr, Pool, Rational};
use dalembert_run::{Level, Method};
use dalembert_syntax::ast::{self, Block, Definition, Equation, Statement, StatementKind as S};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::expression_text;
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;
use dalembert_syntax::words::is_reserved;

impl<'a> Elaborator<'a> {
    pub(super) fn block(&mut self, block: &'a Block) {
        for statement in &block.statements {
            if self.budget == 0 || self.diagnostics.len() > MAX_ERRORS {
                return;
            }
            self.read_statement(statement);
        }
    }

    /// Reads a statement, unless it has to wait for another.
    pub(super) fn read_statement(&mut self, statement: &'a Statement) {
        if !self.wait(statement) {
            self.read_at_once(statement);
        }
    }

    pub(super) fn read_at_once(&mut self, statement: &'a Statement) {
        let _reported = self.statement(statement);
        self.count_as_read(statement);
    }

    fn statement(&mut self, statement: &'a Statement) -> Fallible<()> {
        let span = statement.span;
        self.spend(1, span)?;
        match &statement.kind {
            S::System(title) => match self.title.replace(title.clone()) {
                None => Ok(()),
                Some(_) => self.error(Code::StatementTwice, span, "`system` appears twice"),
            },
            S::Const(definitions) => self.each(definitions, Self::constant),
            S::Parameter(definitions) => self.each(definitions, Self::parameter),
            S::Coordinate(list) => self.each(list, Self::coordinate),
            S::Speed(list) => self.each(list, Self::speed),
            S::Kinematics { coordinate, rate } => self.kinematics_of(coordinate, rate, span),
            S::State(definitions) => self.auxiliary_states(definitions),
            S::Discrete(definitions) => self.each(definitions, Self::discrete),
            S::Input(definitions) => self.each(definitions, Self::input),
            S::Table(table) => self.table(table, span),
            S::Let(definitions) => self.each(definitions, Self::let_name),
            S::Kinetic(e) => {
                let part = self.part(e, Allowed::only("the kinetic energy", State::Velocity))?;
                self.energies.kinetic.push(part);
                Ok(())
            }
            S::Potential(e) => {
                let part =
                    self.part(e, Allowed::only("the potential energy", State::Position).with_auxiliaries())?;
                self.energies.potential.push(part);
                self.place_energy(e, Rational::MINUS_ONE, false);
                Ok(())
            }
            S::Lagrangian(e) => {
                let part = self.part(e, Allowed::only("the Lagrangian", State::Velocity))?;
                self.energies.lagrangian.push(part);
                self.place_energy(e, Rational::ONE, false);
                Ok(())
            }
            S::Dissipation(e) => {
                let part = self.part(e, Allowed::only("the Rayleigh function", State::Velocity))?;
                self.warn_without_rates(&part);
                self.energies.dissipation.push(part);
                self.place_energy(e, Rational::MINUS_ONE, true);
                Ok(())
            }
            S::Work(e) => {
                let allowed = Allowed {
                    displacements: true,
                    ..Allowed::only("virtual work", State::Velocity).with_signals()
                };
                let part = self.part(e, allowed)?;
                self.forces.work.push(part);
                Ok(())
            }
            S::NonidealWork(e) => {
                let base = Allowed::only("non-ideal work", State::Velocity).with_signals();
                let part = self.part(e, Allowed { displacements: true, ideal_results: true, ..base })?;
                self.forces.nonideal.push(part);
                Ok(())
            }
            S::Mass(e) => self.mass_matrix(e, span),
            S::ForceVector(e) => {
                let force = self.vector(e)?;
                let force =
                    self.free_vector(force, Allowed::only("a force", State::Velocity).with_signals(), e)?;
                self.forces.vectors.push((force, e.span));
                Ok(())
            }
            S::ForceOn { target, value } => {
                let name = self.member(target)?;
                let on = self.lookup(&name, target.span)?;
                if let Binding::Freedom(..) | Binding::FreedomSpeed(..) = on {
                    return self.force_on_freedom(on, &name, value, target.span);
                }
                if !matches!(on, Binding::Coordinate(_) | Binding::Speed(_)) {
                    let message =
                        format!("a generalised force acts on a coordinate or a speed, `{name}` is neither");
                    return self.error(Code::UnknownName, target.span, &message);
                }
                let part = self.part(value, Allowed::only("a force", State::Velocity).with_signals())?;
                self.forces.on.push((on, part));
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
            S::Event { name, value, direction, stop, actions } => {
                self.event(name, value, *direction, *stop, actions)
            }
            S::For { index, range, body } => {
                let (first, last) = self.range(range)?;
                self.with_index(index, first, last, |this, _| {
                    this.block(body);
                    Ok(())
                })
            }
            S::Friction { on, coefficient, velocity, r#static, normal } => {
                let parts = super::laws::Parts { coefficient, velocity, r#static, normal };
                self.friction(on, parts, span)
            }
            S::FrictionIn { target, limit, r#static } => {
                self.friction_in(target, limit, r#static.as_ref(), span)
            }
            S::Require { equation, decay } => self.requirement(equation, decay, span),
            S::Actuate(targets) => self.actuate(targets, span),
            S::Weight(e) => self.cost(e, span),
            S::CompleteIntegral { constants, action } => self.complete_integral(constants, action, span),
            S::Draw(shape) => self.draw(shape),
            S::Gravity(e) => self.gravity(e, span),
            S::Body(body) => self.body(body, span),
            S::Frame { name, place } => self.frame(name, place),
            S::Joint(joint) => self.joint(joint, span),
            S::Element(element) => self.element(element, span),
            S::Torque { torque, on, from } => self.torque(torque, on, from.as_ref(), span),
            S::Reserved { keyword, .. } => self.not_available(&keyword.text, keyword.span),
        }
    }

    fn not_available(&mut self, what: &str, span: Span) -> Fallible<()> {
        let d = Diagnostic::error(Code::NotAvailable, span, format!("`{what}` is not available yet"));
        self.fail(d.help("remove the statement to use the rest of the model"))
    }

    fn each<T>(&mut self, items: &[T], mut one: impl FnMut(&mut Self, &T) -> Fallible<()>) -> Fallible<()> {
        let mut result = Ok(());
        for item in items {
            result = one(self, item).and(result); // all of them, whatever one says
        }
        result
    }

    /// A scalar expression of a statement, checked for what it may use.
    pub(super) fn part(&mut self, e: &ast::Expr, allowed: Allowed) -> Fallible<Part> {
        let (expr, kind) = self.scalar(e)?;
        self.allow_in(e, &[expr], allowed)?;
        Ok(Part { expr, kind, span: e.span })
    }

    /// The components of a vector that is written as `e`, each at its own place where it is written out.
    fn free_vector(&mut self, values: Vec<Value>, allowed: Allowed, e: &ast::Expr) -> Fallible<Vec<Part>> {
        let mut parts = Vec::with_capacity(values.len());
        for (k, value) in values.into_iter().enumerate() {
            let (expr, kind) = self.as_scalar(value, e.span)?;
            parts.push(Part { expr, kind, span: component(e, k).span });
        }
        let exprs: Vec<Expr> = parts.iter().map(|p| p.expr).collect();
        self.allow(&exprs, allowed, e.span)?;
        Ok(parts)
    }

    /// The force of a Rayleigh function is its derivative by the speeds.
    fn warn_without_rates(&mut self, part: &Part) {
        let symbols = self.pool.symbols(&[part.expr]);
        if part.expr == Pool::ZERO || symbols.iter().any(|s| self.role(*s) == Role::Rate) {
            return;
        }
        let message = "no rate occurs in this dissipation: it has no effect";
        let d = Diagnostic::warning(Code::DissipationWithoutRates, part.span, message);
        self.diagnostics.push(d.help("write it with rates, as in `dissipation c/2*x'^2`"));
    }

    fn mass_matrix(&mut self, e: &ast::Expr, span: Span) -> Fallible<()> {
        if let Some((_, first)) = self.forces.mass {
            let d = Diagnostic::error(Code::StatementTwice, span, "the mass matrix is given twice");
            return self.fail(d.label(first, "first here"));
        }
        let rows = self.vector(e)?;
        let mut matrix = Vec::new();
        for (i, row) in rows.into_iter().enumerate() {
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
                component(e, i),
            )?);
        }
        self.forces.mass = Some((matrix, e.span));
        Ok(())
    }

    fn force_at(&mut self, force: &ast::Expr, point: &ast::Expr) -> Fallible<()> {
        let (f, p) = (self.vector(force), self.vector(point));
        let (f, p) = (f?, p?);
        if f.len() != p.len() {
            return self.mismatch(&Value::Vector(f), &Value::Vector(p), point.span);
        }
        let f = self.free_vector(f, Allowed::only("a force", State::Velocity).with_signals(), force)?;
        let p = self.free_vector(p, Allowed::only("the point of a force", State::Position), point)?;
        for (f, p) in f.iter().zip(&p) {
            // A plain zero fits every unit, in the force and in its point: `at [s, 0]`.
            let none = |part: &Part| part.expr == Pool::ZERO && part.kind == UnitInfo::Number;
            let kind =
                if none(f) || none(p) { UnitInfo::Number } else { f.kind.times(&p.kind, &Rational::ONE) };
            self.forces.at_work.push(Part { kind, ..f.clone() });
        }
        let span = force.span.to(point.span);
        let [at, vector] = [&p, &f].map(|parts| parts.iter().map(|part| part.expr).collect());
        self.place_force(expression_text(point), false, at, vector);
        self.forces.at.push((f.iter().map(|f| f.expr).collect(), p.iter().map(|p| p.expr).collect(), span));
        Ok(())
    }

    fn constraint(&mut self, equation: &Equation, span: Span) -> Fallible<()> {
        let name = match &equation.name {
            Some(target) => self.member(target)?,
            None => format!("constraint{}", self.constraints.list.len() + 1),
        };
        if let Some(first) = self.constraints.by_name.get(&name).map(|&g| self.constraints.list[g].span) {
            let d = Diagnostic::error(
                Code::DeclaredTwice,
                span,
                format!("a constraint called `{name}` exists already"),
            );
            return self.fail(d.label(first, "here"));
        }
        let difference = self.difference(equation, "a constraint")?;
        let residuals = difference.scalars();
        let first_row = self.constraints.rows.len();
        self.limit(first_row + residuals.len(), "constraint rows", span)?;
        let kinds: Vec<(Expr, UnitInfo)> = residuals.into_iter().zip(difference.units()).collect();
        for ScalarRow { name, residual, level } in self.scalar_rows(&name, &difference, span)? {
            let constraint = self.constraints.list.len();
            self.constraints.row_by_name.entry(name.clone()).or_insert(self.constraints.rows.len());
            let kind = kinds.iter().find(|(e, _)| *e == residual).map(|(_, kind)| kind.clone());
            let kind = kind.unwrap_or(UnitInfo::Missing);
            let (holonomic, on_accelerations) = (level == Level::Position, level == Level::Acceleration);
            let row = ConstraintRow { name, residual, kind, holonomic, on_accelerations, constraint, span };
            self.constraints.rows.push(row);
        }
        self.place_rows(&name, equation);
        self.constraints.by_name.insert(name.clone(), self.constraints.list.len());
        self.constraints.list.push(Constraint { name, rows: first_row..self.constraints.rows.len(), span });
        Ok(())
    }

    /// The scalar equations of a constraint or requirement.
    pub(super) fn scalar_rows(
        &mut self,
        name: &str,
        difference: &Value,
        span: Span,
    ) -> Fallible<Vec<ScalarRow>> {
        let residuals = difference.scalars();
        let mut rows = Vec::new();
        for (k, residual) in residuals.iter().enumerate() {
            let row_name = match difference {
                Value::Vector(_) => component_name(name, k, residuals.len()),
                _ => name.to_owned(),
            };
            if self.constrains_something(*residual, &row_name, span)? {
                let level = self.level(&[*residual]);
                rows.push(ScalarRow { name: row_name, residual: *residual, level });
            }
        }
        Ok(rows)
    }

    /// The highest derivative that occurs.
    fn level(&mut self, exprs: &[Expr]) -> Level {
        let symbols = self.pool.symbols(exprs);
        let has = |role: Role| symbols.iter().any(|s| self.role(*s) == role);
        match (has(Role::Acceleration), has(Role::Rate)) {
            (true, _) => Level::Acceleration,
            (false, true) => Level::Velocity,
            (false, false) => Level::Position,
        }
    }

    /// Left side minus right side.
    pub(super) fn difference(&mut self, equation: &Equation, what: &'static str) -> Fallible<Value> {
        let (left, right) = (self.value(&equation.left), self.value(&equation.right));
        let (left, right) = (left?, right?);
        // A row on accelerations enters as it is: no rate of an input is asked for.
        let all: Vec<Expr> = left.scalars().into_iter().chain(right.scalars()).collect();
        let inputs = self.level(&all) == Level::Acceleration;
        let allowed = Allowed { accelerations: true, inputs, ..Allowed::only(what, State::Velocity) };
        let allowed = if what == "a constraint" { allowed } else { allowed.with_auxiliaries() };
        self.allow_in(&equation.left, &left.scalars(), allowed)?;
        self.allow_in(&equation.right, &right.scalars(), allowed)?;
        let mut sides = vec![(left, Rational::ONE, equation.left.span)];
        // `[x', y'] - ... = 0` means every component.
        let zero = matches!(right, Value::Scalar(Pool::ZERO, _)) && matches!(sides[0].0, Value::Vector(_));
        if !zero {
            sides.push((right, Rational::MINUS_ONE, equation.right.span));
        }
        self.add_up(&sides)
    }

    /// An equation without unknowns is dropped if it holds and an error if it does not.
    fn constrains_something(&mut self, residual: Expr, name: &str, span: Span) -> Fallible<bool> {
        let symbols = self.pool.symbols(&[residual]);
        let moves = |role: Role| matches!(role, Role::Coordinate | Role::Rate | Role::Acceleration);
        if symbols.iter().any(|s| moves(self.role(*s))) {
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
        if self.experiment.run.is_some() {
            return self.error(Code::StatementTwice, span, "`simulate` appears twice");
        }
        self.experiment.run = Some(Run { until, every, method, tolerance, span });
        Ok(())
    }

    fn output(&mut self, d: &Definition) -> Fallible<()> {
        let name = self.member(&d.target)?;
        let value = self.value(&d.value)?;
        let everything = Allowed {
            ideal_results: true,
            results: true,
            ..Allowed::only("an output", State::Velocity).with_signals()
        };
        self.allow_in(&d.value, &value.scalars(), everything)?;
        self.check_output_name(&name, &value, d.target.span)?;
        let scalars = value.scalars();
        for (k, (e, kind)) in scalars.iter().zip(value.units()).enumerate() {
            let column = match &value {
                Value::Vector(_) => component_name(&name, k, scalars.len()),
                _ => name.clone(),
            };
            let taken = self.experiment.output_names.contains(&column) || column == "t";
            let state = matches!(self.scope.get(&column), Some(Binding::Coordinate(_) | Binding::Speed(_)));
            if taken || state {
                return self.error(
                    Code::DeclaredTwice,
                    d.target.span,
                    &format!("a column `{column}` exists already"),
                );
            }
            self.experiment.output_names.insert(column.clone());
            self.experiment.outputs.push(Output { name: column, value: *e, kind, span: d.target.span });
        }
        // Outputs may build on each other.
        let plain = name.split('[').next().unwrap_or(&name);
        if !is_reserved(plain) && self.scope.get(&name).is_none() && self.scope.family(plain).is_none() {
            self.declare(&name, Binding::Value(value), d.target.span)?;
        }
        Ok(())
    }

    /// `output energy = energy` says what it is; anything else under such a name would not.
    fn check_output_name(&mut self, name: &str, value: &Value, span: Span) -> Fallible<()> {
        let itself = matches!(value, Value::Scalar(e, _)
            if self.pool.as_symbol(*e).is_some_and(|s| self.pool.name(s) == name));
        if !is_reserved(name.split('[').next().unwrap_or(name)) || itself {
            return Ok(());
        }
        self.error(
            Code::ReservedName,
            span,
            &format!("`{name}` is a word of the language and means something else"),
        )
    }
}

/// Component `k` of a vector where it is written out, else the whole.
fn component(e: &ast::Expr, k: usize) -> &ast::Expr {
    match &e.kind {
        ast::ExprKind::Vector(parts) => parts.get(k).unwrap_or(e),
        _ => e,
    }
}
