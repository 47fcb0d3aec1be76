//! The walk over a syntax tree that finds names. Matches are exhaustive on purpose: a new node that is not
//! walked here does not compile.

use crate::names::{Finder, Sort, Space, Usage};
use dalembert_syntax::ast::*;
use dalembert_syntax::source::Span;

/// Results whose argument is the name of a constraint.
pub(super) const OF_CONSTRAINT: [&str; 4] = ["multiplier", "reaction", "residual", "friction"];
/// Results whose argument is a class of forces.
pub(super) const OF_CLASS: [&str; 2] = ["power", "work"];

impl Finder<'_> {
    pub(super) fn block(&mut self, block: &Block) {
        for statement in &block.statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        use StatementKind as S;
        let span = statement.span;
        if let S::For { index, range, body } = &statement.kind {
            self.covered.push(Span::new(span.start, range.span.end));
            self.range(range);
            // A block that is not closed goes on to the end of the text.
            let closed = self.slice(span).ends_with('}');
            let scope = if closed { span } else { Span::new(span.start, u32::MAX) };
            self.with_index(index.span, scope, |this| this.block(body));
            return;
        }
        self.covered.push(span);
        match &statement.kind {
            S::System(_) | S::Reserved { .. } | S::For { .. } => {}
            S::Const(list) => self.definitions(list, Sort::Const, span),
            S::Parameter(list) => self.definitions(list, Sort::Parameter, span),
            S::State(list) => self.definitions(list, Sort::State, span),
            S::Discrete(list) => self.definitions(list, Sort::State, span),
            S::Input(list) => self.definitions(list, Sort::Input, span),
            S::Table(table) => {
                self.declared(&table.name, Sort::Let, span);
                if let TableSource::Points(e) = &table.source {
                    self.expression(e);
                }
            }
            S::Let(list) => self.definitions(list, Sort::Let, span),
            S::Output(list) => self.definitions(list, Sort::Output, span),
            S::Coordinate(list) => {
                for item in list {
                    self.declared(&item.target, Sort::Coordinate, span);
                    self.unit(item.unit.as_ref());
                }
            }
            S::Speed(list) => {
                for item in list {
                    self.declared(&item.target, Sort::Speed, span);
                    self.unit(item.unit.as_ref());
                    self.expressions(&item.definition);
                }
            }
            S::Kinematics { coordinate: target, rate: value } | S::ForceOn { target, value } => {
                self.target(target, Space::Name);
                self.expression(value);
            }
            S::Kinetic(e) | S::Potential(e) | S::Lagrangian(e) | S::Mass(e) | S::ForceVector(e) => {
                self.expression(e);
            }
            S::Work(e) | S::NonidealWork(e) | S::Dissipation(e) | S::Weight(e) => self.expression(e),
            S::ForceAt { force, point } => self.expressions([force, point]),
            S::Constraint(equation) => self.equation(equation, Sort::Constraint, span),
            S::Require { equation, decay } => {
                self.equation(equation, Sort::Requirement, span);
                self.expressions(decay);
            }
            S::Friction { on, coefficient, velocity, r#static, normal } => {
                self.target(on, Space::Constraint);
                self.expressions([coefficient, velocity]);
                self.expressions(r#static);
                self.expressions(normal);
            }
            S::FrictionIn { target, limit, r#static } => {
                self.target(target, Space::Name);
                self.expression(limit);
                self.expressions(r#static);
            }
            S::Actuate(items) => {
                for item in items {
                    match &item.kind {
                        ActuatorKind::On(target) => self.target(target, Space::Name),
                        ActuatorKind::At { force, point } => self.expressions([force, point]),
                    }
                    item.bounds.iter().for_each(|bounds| self.range(bounds));
                }
            }
            S::Initial(items) => {
                for item in items {
                    self.target(&item.target, Space::Name);
                    self.expression(&item.value);
                }
            }
            S::Simulate(run) => {
                self.expression(&run.until);
                self.expressions(&run.every);
                self.expressions(&run.tolerance);
                if let Some(method) = &run.method {
                    self.word_used(method.span, Usage::Method);
                }
            }
            S::Event { name, value, direction: _, stop: _, actions } => {
                self.declared(name, Sort::Event, span);
                self.expression(value);
                for action in actions {
                    self.target(&action.target, Space::Name);
                    self.expression(&action.value);
                }
            }
            S::CompleteIntegral { constants, action } => {
                constants.iter().for_each(|target| self.declared(target, Sort::Integration, span));
                self.expression(action);
            }
            S::Gravity(e) => self.expression(e),
            S::Body(body) => {
                self.declared(&body.name, Sort::Body, span);
                for part in &body.parts {
                    self.expression(&part.mass);
                    self.expressions(part.sizes.iter().map(|(_, size)| size));
                }
            }
            S::Frame { name, place } => {
                self.declared(name, Sort::Frame, span);
                self.place(place);
            }
            S::Joint(joint) => self.joint(joint, span),
            S::Element(element) => {
                self.declared(&element.name, Sort::Element, span);
                self.expressions(&element.values);
                self.expressions(element.rest.iter().map(|(_, rest)| rest));
                match &element.place {
                    ElementPlace::Between(a, b) => self.expressions([a, b]),
                    ElementPlace::At(joint) => self.target(joint, Space::Name),
                }
            }
            S::Torque { torque, on, from } => {
                self.expression(torque);
                self.target(on, Space::Name);
                from.iter().for_each(|from| self.target(from, Space::Name));
            }
            S::Draw(shape) => match shape {
                Shape::Point(a) | Shape::Trace(a) => self.expression(a),
                Shape::Line(points) => self.expressions(points),
                Shape::Circle { centre, radius, normal } => {
                    self.expressions([centre, radius].into_iter().chain(normal));
                }
            },
        }
    }

    fn joint(&mut self, joint: &Joint, span: Span) {
        self.declared(&joint.name, Sort::Joint, span);
        self.expressions(&joint.size);
        self.place(&joint.first);
        self.place(&joint.second);
        for option in &joint.options {
            match option {
                JointOption::Axes(_, axes) => self.expressions(axes),
                JointOption::Limits(_, _, range) => self.range(range),
                JointOption::Restitution(_, e) | JointOption::Armature(_, e) => self.expression(e),
                JointOption::Cut(_) => {}
            }
        }
    }

    fn place(&mut self, place: &Place) {
        self.target(&place.body, Space::Name);
        self.expressions(&place.at);
        match &place.turned {
            Some(Turn::Axis(axis, angle)) => self.expressions([axis, angle]),
            Some(Turn::Matrix(e)) => self.expression(e),
            None => {}
        }
    }

    fn definitions(&mut self, list: &[Definition], sort: Sort, statement: Span) {
        for definition in list {
            self.declared(&definition.target, sort, statement);
            self.with_arguments(&definition.arguments, statement, &definition.value);
            self.unit(definition.unit.as_ref());
        }
    }

    /// The value of a function, in which its arguments are known.
    fn with_arguments(&mut self, arguments: &[Name], scope: Span, value: &Expr) {
        match arguments.split_first() {
            None => self.expression(value),
            Some((first, rest)) => {
                self.with_index(first.span, scope, |this| this.with_arguments(rest, scope, value));
            }
        }
    }

    fn equation(&mut self, equation: &Equation, sort: Sort, statement: Span) {
        if let Some(name) = &equation.name {
            self.declared(name, sort, statement);
        }
        self.expressions([&equation.left, &equation.right]);
    }

    fn declared(&mut self, target: &Target, sort: Sort, statement: Span) {
        self.declare(target.name.span, sort, statement);
        self.subscripts(&target.subscripts);
    }

    fn target(&mut self, target: &Target, space: Space) {
        self.name_used(target.name.span, target.span.end, space);
        self.subscripts(&target.subscripts);
    }

    fn subscripts(&mut self, subscripts: &[Subscript]) {
        for subscript in subscripts {
            match subscript {
                Subscript::At(e) => self.expression(e),
                Subscript::Over(range) => self.range(range),
            }
        }
    }

    fn range(&mut self, range: &Range) {
        self.expressions([&range.first, &range.last]);
    }

    fn unit(&mut self, unit: Option<&Unit>) {
        let Some(unit) = unit else { return };
        match &unit.kind {
            UnitKind::One => {}
            UnitKind::Name(_) => {
                if let Some(span) = self.name_from(unit.span.start) {
                    self.word_used(span, Usage::Unit);
                }
            }
            UnitKind::Product(factors) => factors.iter().for_each(|factor| self.unit(Some(&factor.unit))),
            UnitKind::Power(base, _) => self.unit(Some(base)),
        }
    }

    fn expressions<'e>(&mut self, list: impl IntoIterator<Item = &'e Expr>) {
        list.into_iter().for_each(|e| self.expression(e));
    }

    fn expression(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Number(_) => {}
            ExprKind::Quantity(_, unit) => self.unit(Some(unit)),
            ExprKind::Slice(base, range) => {
                match &base.kind {
                    ExprKind::Name(_) => self.name(base, e.span.end, Space::Name),
                    _ => self.expression(base),
                }
                self.range(range);
            }
            ExprKind::Name(_) => self.name(e, e.span.end, Space::Name),
            ExprKind::Index(base, indices) => {
                match &base.kind {
                    ExprKind::Name(_) => self.name(base, e.span.end, Space::Name),
                    _ => self.expression(base),
                }
                self.expressions(indices);
            }
            ExprKind::Component(inner, _)
            | ExprKind::Prime(inner, _)
            | ExprKind::Neg(inner)
            | ExprKind::Not(inner) => self.expression(inner),
            ExprKind::Call(name, args) => self.call(name, args),
            ExprKind::SumOver(sum) => {
                if let Some(word) = self.name_from(e.span.start) {
                    self.word_used(word, Usage::Call);
                }
                self.range(&sum.range);
                self.with_index(sum.index.span, e.span, |this| this.expression(&sum.body));
            }
            ExprKind::Vector(parts) | ExprKind::And(parts) | ExprKind::Or(parts) => self.expressions(parts),
            ExprKind::Sum(terms) => terms.iter().for_each(|term| self.expression(&term.expr)),
            ExprKind::Product(factors) => factors.iter().for_each(|factor| self.expression(&factor.expr)),
            ExprKind::Power(a, b) | ExprKind::Compare(_, a, b) => self.expressions([&**a, &**b]),
            ExprKind::Of(a, body) | ExprKind::In(a, body) => self.expressions([&**a, &**body]),
            ExprKind::If(choice) => {
                self.expressions([&choice.condition, &choice.then, &choice.otherwise]);
            }
        }
    }

    fn call(&mut self, name: &Name, args: &[Expr]) {
        if self.is_function(&name.text) {
            self.name_used(name.span, name.span.end, Space::Name);
        } else {
            self.word_used(name.span, Usage::Call);
        }
        for arg in args {
            match name.text.as_str() {
                f if OF_CONSTRAINT.contains(&f) => self.constraint_name(arg),
                f if OF_CLASS.contains(&f) => {}
                _ => self.expression(arg),
            }
        }
    }

    /// `rod`, `rod[i]`, `rolling.x`
    fn constraint_name(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Name(_) => self.name(e, e.span.end, Space::Constraint),
            ExprKind::Index(base, indices) => {
                self.constraint_name(base);
                self.expressions(indices);
            }
            ExprKind::Component(base, _) => self.constraint_name(base),
            _ => self.expression(e),
        }
    }

    fn name(&mut self, e: &Expr, end: u32, space: Space) {
        if let Some(span) = self.name_from(e.span.start) {
            self.name_used(span, end, space);
        }
    }
}
