//! Walking the spans of a tree, to compare trees whatever their layout.
//!
//! The matches on enums are exhaustive on purpose: a new node that is not walked here does not compile.

use super::*;

impl Ast {
    /// The tree with all spans zero: two texts say the same when these are equal.
    ///
    /// ```
    /// use dalembert_syntax::{Source, parse};
    ///
    /// let tree = |text: &str| parse(&Source::new("", text)).0.without_spans();
    /// assert_eq!(tree("potential m*g*(y)"), tree("potential   m * g*y"));
    /// assert_ne!(tree("potential m*g*y"), tree("potential m*(g*y)"));
    /// ```
    pub fn without_spans(&self) -> Ast {
        let mut bare = self.clone();
        bare.body.visit(&mut |span| *span = Span::default());
        bare
    }
}

impl Expr {
    /// The expression with all spans zero, to compare what is written in two places.
    pub fn without_spans(&self) -> Expr {
        let mut bare = self.clone();
        bare.visit(&mut |span| *span = Span::default());
        bare
    }
}

/// Calls a function on every span below a node.
trait Spans {
    fn visit(&mut self, f: &mut dyn FnMut(&mut Span));
}

impl<T: Spans> Spans for Vec<T> {
    fn visit(&mut self, f: &mut dyn FnMut(&mut Span)) {
        self.iter_mut().for_each(|item| item.visit(f));
    }
}

impl<T: Spans> Spans for Option<T> {
    fn visit(&mut self, f: &mut dyn FnMut(&mut Span)) {
        if let Some(item) = self {
            item.visit(f);
        }
    }
}

/// A struct whose parts have spans: the fields with a span of their own, then those with spans below.
macro_rules! spans {
    ($($type:ident: $($own:ident)? => $($part:ident)*;)*) => {
        $(impl Spans for $type {
            fn visit(&mut self, f: &mut dyn FnMut(&mut Span)) {
                $(f(&mut self.$own);)?
                $(self.$part.visit(f);)*
            }
        })*
    };
}

spans! {
    Block: => statements;
    Statement: span => kind;
    Name: span =>;
    Target: span => name subscripts part;
    Body: => name parts;
    BodyPart: => shape mass sizes;
    Place: => body at turned;
    Joint: => name kind size first second options;
    Element: => name values rest place;
    Range: span => first last;
    Definition: => target arguments value unit;
    Table: => name source interpolation;
    Declared: => target unit;
    Speed: => target unit definition;
    Equation: => name left right;
    Initial: => target value;
    Assignment: => target value;
    Actuator: => kind bounds;
    Simulate: => until every method tolerance;
    Expr: span => kind;
    SumOver: => index range body;
    Term: => expr;
    Factor: => expr;
    If: => condition then otherwise;
    Unit: span => kind;
    UnitFactor: => unit;
}

impl Spans for StatementKind {
    fn visit(&mut self, f: &mut dyn FnMut(&mut Span)) {
        use StatementKind::*;
        match self {
            System(_) => {}
            Const(list) | Parameter(list) | Let(list) | Output(list) => list.visit(f),
            State(list) | Discrete(list) | Input(list) => list.visit(f),
            Table(table) => table.visit(f),
            Coordinate(list) => list.visit(f),
            Speed(list) => list.visit(f),
            Actuate(list) => list.visit(f),
            Initial(list) => list.visit(f),
            Kinetic(e) | Potential(e) | Lagrangian(e) | Mass(e) | ForceVector(e) => e.visit(f),
            Work(e) | NonidealWork(e) | Dissipation(e) | Weight(e) => e.visit(f),
            Constraint(equation) => equation.visit(f),
            Simulate(parts) => parts.visit(f),
            Draw(shape) => shape.visit(f),
            Gravity(e) => e.visit(f),
            Body(body) => body.visit(f),
            Joint(joint) => joint.visit(f),
            Element(element) => element.visit(f),
            Frame { name, place } => {
                name.visit(f);
                place.visit(f);
            }
            Torque { torque, on, from } => {
                torque.visit(f);
                on.visit(f);
                from.visit(f);
            }
            Reserved { keyword, text: _ } => keyword.visit(f),
            Kinematics { coordinate: target, rate: value } | ForceOn { target, value } => {
                target.visit(f);
                value.visit(f);
            }
            ForceAt { force, point } => {
                force.visit(f);
                point.visit(f);
            }
            Friction { on, coefficient, velocity, r#static, normal } => {
                on.visit(f);
                coefficient.visit(f);
                velocity.visit(f);
                r#static.visit(f);
                normal.visit(f);
            }
            Require { equation, decay } => {
                equation.visit(f);
                decay.visit(f);
            }
            FrictionIn { target, limit, r#static } => {
                target.visit(f);
                limit.visit(f);
                r#static.visit(f);
            }
            Event { name, value, direction: _, stop: _, actions } => {
                name.visit(f);
                value.visit(f);
                actions.visit(f);
            }
            CompleteIntegral { constants, action } => {
                constants.visit(f);
                action.visit(f);
            }
            For { index, range, body } => {
                index.visit(f);
                range.visit(f);
                body.visit(f);
            }
        }
    }
}

impl Spans for Subscript {
    fn visit(&mut self, f: &mut dyn FnMut(&mut Span)) {
        match self {
            Subscript::At(expr) => expr.visit(f),
            Subscript::Over(range) => range.visit(f),
        }
    }
}

impl<A: Spans, B: Spans> Spans for (A, B) {
    fn visit(&mut self, f: &mut dyn FnMut(&mut Span)) {
        self.0.visit(f);
        self.1.visit(f);
    }
}

impl Spans for Turn {
    fn visit(&mut self, f: &mut dyn FnMut(&mut Span)) {
        match self {
            Turn::Axis(axis, angle) => {
                axis.visit(f);
                angle.visit(f);
            }
            Turn::Matrix(e) => e.visit(f),
        }
    }
}

impl Spans for JointOption {
    fn visit(&mut self, f: &mut dyn FnMut(&mut Span)) {
        match self {
            JointOption::Axes(word, axes) => {
                word.visit(f);
                axes.visit(f);
            }
            JointOption::Limits(word, of, range) => {
                word.visit(f);
                of.visit(f);
                range.visit(f);
            }
            JointOption::Restitution(word, e) | JointOption::Armature(word, e) => {
                word.visit(f);
                e.visit(f);
            }
            JointOption::Cut(word) => word.visit(f),
        }
    }
}

impl Spans for ElementPlace {
    fn visit(&mut self, f: &mut dyn FnMut(&mut Span)) {
        match self {
            ElementPlace::Between(a, b) => {
                a.visit(f);
                b.visit(f);
            }
            ElementPlace::At(joint) => joint.visit(f),
        }
    }
}

impl Spans for Shape {
    fn visit(&mut self, f: &mut dyn FnMut(&mut Span)) {
        match self {
            Shape::Point(a) | Shape::Trace(a) => a.visit(f),
            Shape::Line(points) => points.visit(f),
            Shape::Circle { centre, radius, normal } => {
                centre.visit(f);
                radius.visit(f);
                normal.visit(f);
            }
        }
    }
}

impl Spans for ActuatorKind {
    fn visit(&mut self, f: &mut dyn FnMut(&mut Span)) {
        match self {
            ActuatorKind::On(target) => target.visit(f),
            ActuatorKind::At { force, point } => {
                force.visit(f);
                point.visit(f);
            }
        }
    }
}

impl Spans for TableSource {
    fn visit(&mut self, f: &mut dyn FnMut(&mut Span)) {
        match self {
            TableSource::Points(e) => e.visit(f),
            TableSource::File { path: _, columns } => columns.visit(f),
        }
    }
}

impl Spans for ExprKind {
    fn visit(&mut self, f: &mut dyn FnMut(&mut Span)) {
        use ExprKind::*;
        match self {
            Number(_) | Name(_) => {}
            Quantity(_, unit) => unit.visit(f),
            Slice(a, range) => {
                a.visit(f);
                range.visit(f);
            }
            Prime(a, _) | Neg(a) | Not(a) => a.visit(f),
            Index(a, list) => {
                a.visit(f);
                list.visit(f);
            }
            Component(a, name) => {
                a.visit(f);
                name.visit(f);
            }
            Call(name, list) => {
                name.visit(f);
                list.visit(f);
            }
            Vector(list) | And(list) | Or(list) => list.visit(f),
            SumOver(sum) => sum.visit(f),
            Sum(terms) => terms.visit(f),
            Product(factors) => factors.visit(f),
            Power(a, b) | Compare(_, a, b) | Of(a, b) | In(a, b) => {
                a.visit(f);
                b.visit(f);
            }
            If(parts) => parts.visit(f),
        }
    }
}

impl Spans for UnitKind {
    fn visit(&mut self, f: &mut dyn FnMut(&mut Span)) {
        match self {
            UnitKind::One | UnitKind::Name(_) => {}
            UnitKind::Product(factors) => factors.visit(f),
            UnitKind::Power(unit, _) => unit.visit(f),
        }
    }
}
