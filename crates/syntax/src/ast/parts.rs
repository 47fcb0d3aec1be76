//! What a statement or an expression is made of, for those who look for names in it.
//!
//! The matches on enums are exhaustive on purpose: a new node that is not walked here does not compile.

use super::*;

impl Expr {
    /// The expressions directly below it: operands, arguments, subscripts, ends of ranges.
    ///
    /// ```
    /// use dalembert_syntax::{Source, ast::StatementKind, parse};
    ///
    /// let (ast, _) = parse(&Source::new("", "potential m*g*y[2]"));
    /// let StatementKind::Potential(e) = &ast.body.statements[0].kind else { panic!() };
    /// assert_eq!(e.parts().len(), 3);
    /// ```
    pub fn parts(&self) -> Vec<&Expr> {
        use ExprKind::*;
        match &self.kind {
            Number(_) | Quantity(..) | Name(_) => Vec::new(),
            Slice(a, range) => vec![a, &range.first, &range.last],
            Index(a, list) => std::iter::once(&**a).chain(list).collect(),
            Component(a, _) | Prime(a, _) | Neg(a) | Not(a) => vec![a],
            Call(_, list) | Vector(list) | And(list) | Or(list) => list.iter().collect(),
            SumOver(sum) => vec![&sum.range.first, &sum.range.last, &sum.body],
            Sum(terms) => terms.iter().map(|term| &term.expr).collect(),
            Product(factors) => factors.iter().map(|factor| &factor.expr).collect(),
            Power(a, b) | Compare(_, a, b) | Of(a, b) | In(a, b) => vec![a, b],
            If(choice) => vec![&choice.condition, &choice.then, &choice.otherwise],
        }
    }
}

/// What a statement names and says, subscripts of targets and the block of a `for` left out.
#[derive(Clone, Debug, Default)]
pub struct Parts<'a> {
    /// The names that it declares.
    pub declares: Vec<&'a Target>,
    /// The names that it is about or acts on.
    pub targets: Vec<&'a Target>,
    /// Its expressions.
    pub expressions: Vec<&'a Expr>,
}

impl StatementKind {
    /// What the statement names and says.
    ///
    /// ```
    /// use dalembert_syntax::{Source, parse};
    ///
    /// let (ast, _) = parse(&Source::new("", "initial elbow = pi/4, x' ~ 2"));
    /// let parts = ast.body.statements[0].kind.parts();
    /// assert_eq!((parts.targets.len(), parts.expressions.len(), parts.declares.len()), (2, 2, 0));
    /// ```
    pub fn parts(&self) -> Parts<'_> {
        use StatementKind::*;
        let mut parts = Parts::default();
        match self {
            System(_) | Reserved { .. } => {}
            Const(list) | Parameter(list) | Let(list) | Output(list) | State(list) | Discrete(list)
            | Input(list) => {
                parts.declares.extend(list.iter().map(|d| &d.target));
                parts.expressions.extend(list.iter().map(|d| &d.value));
            }
            Table(table) => {
                parts.declares.push(&table.name);
                if let TableSource::Points(e) = &table.source {
                    parts.expressions.push(e);
                }
            }
            Coordinate(list) => parts.declares.extend(list.iter().map(|d| &d.target)),
            Speed(list) => {
                parts.declares.extend(list.iter().map(|d| &d.target));
                parts.expressions.extend(list.iter().filter_map(|d| d.definition.as_ref()));
            }
            Actuate(list) => list.iter().for_each(|actuator| parts.actuator(actuator)),
            Initial(list) => {
                parts.targets.extend(list.iter().map(|item| &item.target));
                parts.expressions.extend(list.iter().map(|item| &item.value));
            }
            Kinetic(e) | Potential(e) | Lagrangian(e) | Mass(e) | ForceVector(e) | Work(e)
            | NonidealWork(e) | Dissipation(e) | Weight(e) | Gravity(e) => parts.expressions.push(e),
            Constraint(equation) => parts.equation(equation),
            Require { equation, decay } => {
                parts.equation(equation);
                parts.expressions.extend(decay);
            }
            Simulate(run) => {
                parts.expressions.push(&run.until);
                parts.expressions.extend(run.every.iter().chain(&run.tolerance));
            }
            Draw(Shape::Point(e) | Shape::Trace(e)) => parts.expressions.push(e),
            Draw(Shape::Line(points)) => parts.expressions.extend(points),
            Draw(Shape::Circle { centre, radius, normal }) => {
                parts.expressions.extend([centre, radius].into_iter().chain(normal));
            }
            Body(body) => parts.body(body),
            Joint(joint) => parts.joint(joint),
            Element(element) => parts.element(element),
            Frame { name, place } => {
                parts.declares.push(name);
                parts.place(place);
            }
            Torque { torque, on, from } => {
                parts.targets.extend(std::iter::once(on).chain(from));
                parts.expressions.push(torque);
            }
            Kinematics { coordinate: target, rate: value } | ForceOn { target, value } => {
                parts.targets.push(target);
                parts.expressions.push(value);
            }
            ForceAt { force, point } => parts.expressions.extend([force, point]),
            Friction { on, coefficient, velocity, r#static, normal } => {
                parts.targets.push(on);
                parts.expressions.extend([coefficient, velocity].into_iter().chain(r#static).chain(normal));
            }
            FrictionIn { target, limit, r#static } => {
                parts.targets.push(target);
                parts.expressions.extend(std::iter::once(limit).chain(r#static));
            }
            Event { name, value, direction: _, stop: _, actions } => {
                parts.declares.push(name);
                parts.targets.extend(actions.iter().map(|action| &action.target));
                parts.expressions.push(value);
                parts.expressions.extend(actions.iter().map(|action| &action.value));
            }
            CompleteIntegral { constants, action } => {
                parts.declares.extend(constants);
                parts.expressions.push(action);
            }
            For { index: _, range, body: _ } => parts.expressions.extend([&range.first, &range.last]),
        }
        parts
    }
}

impl<'a> Parts<'a> {
    fn equation(&mut self, equation: &'a Equation) {
        self.declares.extend(&equation.name);
        self.expressions.extend([&equation.left, &equation.right]);
    }

    fn actuator(&mut self, actuator: &'a Actuator) {
        match &actuator.kind {
            ActuatorKind::On(target) => self.targets.push(target),
            ActuatorKind::At { force, point } => self.expressions.extend([force, point]),
        }
        self.expressions.extend(actuator.bounds.iter().flat_map(|range| [&range.first, &range.last]));
    }

    fn place(&mut self, place: &'a Place) {
        self.targets.push(&place.body);
        self.expressions.extend(&place.at);
        match &place.turned {
            Some(Turn::Axis(axis, angle)) => self.expressions.extend([axis, angle]),
            Some(Turn::Matrix(e)) => self.expressions.push(e),
            None => {}
        }
    }

    fn body(&mut self, body: &'a Body) {
        self.declares.push(&body.name);
        for part in &body.parts {
            self.expressions.push(&part.mass);
            self.expressions.extend(part.sizes.iter().map(|(_, size)| size));
        }
    }

    fn joint(&mut self, joint: &'a Joint) {
        self.declares.push(&joint.name);
        self.place(&joint.first);
        self.place(&joint.second);
        self.expressions.extend(&joint.size);
        for option in &joint.options {
            match option {
                JointOption::Axes(_, axes) => self.expressions.extend(axes),
                JointOption::Limits(_, _, range) => self.expressions.extend([&range.first, &range.last]),
                JointOption::Restitution(_, e) | JointOption::Armature(_, e) => self.expressions.push(e),
                JointOption::Cut(_) => {}
            }
        }
    }

    fn element(&mut self, element: &'a Element) {
        self.declares.push(&element.name);
        self.expressions.extend(element.values.iter().chain(element.rest.iter().map(|(_, e)| e)));
        match &element.place {
            ElementPlace::Between(a, b) => self.expressions.extend([a, b]),
            ElementPlace::At(joint) => self.targets.push(joint),
        }
    }
}
