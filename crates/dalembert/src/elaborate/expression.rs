//! Expressions of the model as values.

use super::scope::Binding;
use super::value::{MAX_DEPTH, Value};
use super::{Elaborator, Fallible, Reported};
use dalembert_expr::{Expr, Function, Pool, Rational};
use dalembert_syntax::ast::{self, ExprKind, Factor, Range, SumOver};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;
use dalembert_syntax::units::{self, UnitInfo};

impl Elaborator<'_> {
    /// The value of an expression, worked out.
    pub(super) fn evaluate(&mut self, e: &ast::Expr) -> Fallible<Value> {
        self.spend(1, e.span)?;
        match &e.kind {
            ExprKind::Number(text) => {
                let number = self.decimal(text, e.span)?;
                Ok(Value::Scalar(number, UnitInfo::Number))
            }
            ExprKind::Quantity(text, unit) => self.quantity(text, unit, e.span),
            ExprKind::Slice(base, range) => self.slice(base, range, e.span),
            ExprKind::Name(name) => self.name(name, e.span),
            ExprKind::Index(base, indices) => self.indexed(base, indices, e.span),
            ExprKind::Component(base, part) => self.component(base, &part.text, part.span),
            ExprKind::Prime(inner, order) => {
                let value = self.value(inner)?;
                self.rate(&value, *order, e.span)
            }
            ExprKind::Call(name, args) => self.call(name, args, e.span),
            ExprKind::SumOver(sum) => self.sum_over(sum, e.span),
            ExprKind::Vector(parts) => {
                let parts: Vec<Fallible<Value>> = parts.iter().map(|p| self.value(p)).collect();
                let vector = Value::Vector(parts.into_iter().collect::<Fallible<_>>()?);
                self.check_shape(&vector, e.span)?;
                Ok(vector)
            }
            ExprKind::Neg(inner) => {
                let value = self.value(inner)?;
                self.scaled(&value, &Rational::MINUS_ONE, e.span)
            }
            ExprKind::Sum(terms) => {
                let mut values = Vec::with_capacity(terms.len());
                for term in terms {
                    let value = self.value(&term.expr);
                    let sign = if term.minus { Rational::MINUS_ONE } else { Rational::ONE };
                    values.push(value.map(|v| (v, sign, term.expr.span)));
                }
                let values = values.into_iter().collect::<Fallible<Vec<_>>>()?;
                self.add_up(&values)
            }
            ExprKind::Product(factors) => self.factors(e, factors),
            ExprKind::Power(base, exponent) => self.power(base, exponent),
            ExprKind::Compare(op, a, b) => self.compare(*op, a, b),
            ExprKind::And(parts) => self.logic(Function::And, parts),
            ExprKind::Or(parts) => self.logic(Function::Or, parts),
            ExprKind::Not(inner) => {
                let c = self.condition(inner)?;
                Ok(Value::Condition(self.pool.call1(Function::Not, c)))
            }
            ExprKind::If(choice) => self.choose(choice),
            ExprKind::Of(point, body) => self.fixed_in(point, body, true),
            ExprKind::In(direction, body) => self.fixed_in(direction, body, false),
        }
    }

    fn decimal(&mut self, text: &str, span: Span) -> Fallible<Expr> {
        match Rational::from_decimal(text) {
            Some(r) => Ok(self.pool.number(r)),
            None => {
                let message = format!("`{text}` is outside of the range of numbers");
                self.error(Code::NumberOutOfRange, span, &message)
            }
        }
    }

    /// A number with its unit, in SI.
    fn quantity(&mut self, text: &str, unit: &ast::Unit, span: Span) -> Fallible<Value> {
        let number = self.decimal(text, span)?;
        match units::read(unit) {
            Ok(read) => {
                let size = self.unit_size(&read);
                Ok(Value::Scalar(self.pool.mul(number, size), UnitInfo::Known(read.dimension)))
            }
            Err(diagnostic) => self.fail(*diagnostic),
        }
    }

    /// A unit in SI, exactly.
    pub(super) fn unit_size(&mut self, unit: &units::Unit) -> Expr {
        let pi = self.pool.pi();
        let size = self.pool.powi(pi, unit.pi_power);
        self.pool.scale(size, unit.factor.clone())
    }

    /// Members of a family, or components of a vector, as a vector.
    fn slice(&mut self, base: &ast::Expr, range: &Range, span: Span) -> Fallible<Value> {
        let (first, last) = self.range(range)?;
        if first > last {
            return self.error(
                Code::IndexOutOfRange,
                range.span,
                "this range is empty: a vector has a component",
            );
        }
        let mut parts = Vec::new();
        for i in first..=last {
            parts.push(self.at_indices(base, &[i], span)?);
        }
        let vector = Value::Vector(parts);
        self.check_shape(&vector, span)?;
        Ok(vector)
    }

    /// A product from left to right. All factors are looked at, whatever one of them says.
    fn factors(&mut self, e: &ast::Expr, factors: &[Factor]) -> Fallible<Value> {
        let (mut product, done) = self.recall_factors(e, factors).map_or((None, 0), |(p, n)| (Some(p), n));
        let mut values = Vec::with_capacity(factors.len() - done);
        for factor in &factors[done..] {
            values.push(self.value(&factor.expr).map(|v| (v, factor)));
        }
        let values = values.into_iter().collect::<Fallible<Vec<_>>>()?;
        let steady = if done == 0 { self.steady_factors(factors) } else { None };
        for (k, (value, factor)) in values.into_iter().enumerate() {
            let so_far = match product {
                None => value,
                Some(product) if factor.divide => self.divide(product, value, factor.expr.span)?,
                Some(product) => self.multiply(product, value, factor.expr.span)?,
            };
            if steady == Some(k + 1) {
                self.remember_factors(e, &factors[..=k], &so_far);
            }
            product = Some(so_far);
        }
        product.ok_or(Reported)
    }

    /// Vectors of rows are the deepest there is; what is copied counts.
    fn check_shape(&mut self, vector: &Value, span: Span) -> Fallible<()> {
        if vector.depth() > MAX_DEPTH {
            return self.error(
                Code::DimensionMismatch,
                span,
                "vectors may hold rows, and rows numbers, but not more",
            );
        }
        self.spend(vector.scalars().len(), span)
    }

    /// The value of an expression that must be one number.
    pub(super) fn scalar(&mut self, e: &ast::Expr) -> Fallible<(Expr, UnitInfo)> {
        let value = self.value(e)?;
        self.as_scalar(value, e.span)
    }

    pub(super) fn as_scalar(&mut self, value: Value, span: Span) -> Fallible<(Expr, UnitInfo)> {
        match value {
            Value::Scalar(e, kind) => Ok((e, kind)),
            Value::Condition(_) => {
                let d =
                    Diagnostic::error(Code::ValueExpected, span, "a number is wanted here, not a condition");
                self.fail(d.help("choose numbers with `if ... then ... else ...`"))
            }
            Value::Vector(_) => {
                let message = format!("one number is wanted here, not {}", value.describe());
                let d = Diagnostic::error(Code::ScalarExpected, span, message);
                self.fail(d.help("take a component (`P.x`), `dot(P, Q)` or `norm(P)`"))
            }
        }
    }

    /// The value of an expression that must be a vector.
    pub(super) fn vector(&mut self, e: &ast::Expr) -> Fallible<Vec<Value>> {
        match self.value(e)? {
            Value::Vector(parts) => Ok(parts),
            other => {
                let message = format!("a vector is wanted here, not {}", other.describe());
                self.error(Code::VectorExpected, e.span, &message)
            }
        }
    }

    pub(super) fn condition(&mut self, e: &ast::Expr) -> Fallible<Expr> {
        match self.value(e)? {
            Value::Condition(c) => Ok(c),
            other => {
                let message = format!("a condition is wanted here, not {}", other.describe());
                let d = Diagnostic::error(Code::ConditionExpected, e.span, message);
                self.fail(d.help("compare it with something, as in `x > 0`"))
            }
        }
    }

    /// A whole number known when the model is read.
    pub(super) fn whole_number(&mut self, e: &ast::Expr) -> Fallible<i64> {
        if let Some(n) = self.plain_index(e) {
            return Ok(n);
        }
        let (value, _) = self.scalar(e)?;
        match self.pool.as_number(value).and_then(Rational::to_i64) {
            Some(n) => Ok(n),
            None => {
                let d = Diagnostic::error(
                    Code::IndexNotWhole,
                    e.span,
                    "a whole number is wanted here, known when the model is read",
                );
                self.fail(d.help("use numbers, `const` names and loop indices"))
            }
        }
    }

    pub(super) fn range(&mut self, range: &Range) -> Fallible<(i64, i64)> {
        let (first, last) = (self.whole_number(&range.first)?, self.whole_number(&range.last)?);
        let count = last.saturating_sub(first).saturating_add(1).max(0) as usize;
        self.spend(count, range.span)?;
        Ok((first, last))
    }

    fn name(&mut self, name: &str, span: Span) -> Fallible<Value> {
        let unbound = self.scope.get(name).is_none();
        match name {
            "t" => {
                let time = self.pool.var(self.time);
                return Ok(Value::Scalar(time, UnitInfo::Missing));
            }
            "pi" | "π" => return Ok(Value::Scalar(self.pool.pi(), UnitInfo::Number)),
            "energy" | "kinetic_energy" | "potential_energy" | "gauss" if unbound => {
                return Ok(self.plain_observable(name));
            }
            _ => {}
        }
        if unbound
            && let Some(coordinate) = name.strip_prefix('δ')
            && let Some(Binding::Coordinate(_) | Binding::Speed(_)) = self.scope.get(coordinate)
        {
            let value = self.name(coordinate, span)?;
            return self.displacement(&value, span);
        }
        if unbound && matches!(name, "momentum" | "centre_of_mass") && !self.bodies.is_empty() {
            return self.plain_body_result(name, span);
        }
        let binding = self.lookup(name, span)?;
        if let Binding::Value(value @ Value::Vector(_)) = &binding {
            self.spend(value.scalars().len(), span)?; // it is copied
        }
        self.value_of_binding(binding, name, span)
    }

    pub(super) fn bound_value(&mut self, binding: Binding) -> Value {
        match binding {
            Binding::Number(r) => Value::Scalar(self.pool.number(r), UnitInfo::Number),
            Binding::Parameter(i) => {
                let p = &self.parameters[i];
                Value::Scalar(self.pool.var(p.symbol), p.kind.clone())
            }
            Binding::Coordinate(i) => {
                let c = &self.frame.coordinates[i];
                Value::Scalar(self.pool.var(c.symbol), c.kind.clone())
            }
            Binding::Speed(i) => {
                let s = &self.frame.speeds[i];
                Value::Scalar(self.pool.var(s.symbol), s.kind.clone())
            }
            Binding::Auxiliary(k) => {
                let z = &self.frame.auxiliaries[k];
                Value::Scalar(self.pool.var(z.symbol), z.kind.clone())
            }
            Binding::Value(value) => self.value_over_points(&value).unwrap_or(value),
            Binding::Function(_)
            | Binding::Table(_)
            | Binding::Body(_)
            | Binding::Frame(_)
            | Binding::Joint
            | Binding::Freedom(..)
            | Binding::FreedomSpeed(..)
            | Binding::Poisoned => Value::Scalar(Pool::ZERO, UnitInfo::Missing),
        }
    }

    fn indexed(&mut self, base: &ast::Expr, indices: &[ast::Expr], span: Span) -> Fallible<Value> {
        let mut values = Vec::with_capacity(indices.len());
        for i in indices {
            values.push(self.whole_number(i)?);
        }
        self.at_indices(base, &values, span)
    }

    /// A member of a family, or a component of a vector.
    fn at_indices(&mut self, base: &ast::Expr, values: &[i64], span: Span) -> Fallible<Value> {
        if let ExprKind::Name(name) = &base.kind
            && !name.starts_with('δ')
            && let Some(binding) = self.scope.member(name, values)
            && !matches!(binding, Binding::Poisoned)
        {
            let binding = binding.clone();
            return self.value_of_binding(binding, name, span);
        }
        if let ExprKind::Name(name) = &base.kind
            && !matches!(self.scope.get(name), Some(Binding::Value(Value::Vector(_))))
        {
            let full = format!("{name}[{}]", values.iter().map(i64::to_string).collect::<Vec<_>>().join(","));
            // δq[i]: the family is that of the coordinate.
            if let Some(coordinate) = full.strip_prefix('δ')
                && self.scope.get(coordinate).is_some()
            {
                let value = self.lookup(coordinate, span)?;
                let value = self.bound_value(value);
                return self.displacement(&value, span);
            }
            let binding = self.lookup(&full, span)?;
            return self.value_of_binding(binding, &full, span);
        }
        let mut value = self.value(base)?;
        for &i in values {
            let part = match &value {
                Value::Vector(parts) => {
                    i.checked_sub(1).and_then(|k| parts.get(usize::try_from(k).ok()?)).cloned()
                }
                _ => None,
            };
            let message = format!("{} has no component {i}", value.describe());
            value = match part {
                Some(part) => part,
                None => return self.error(Code::IndexOutOfRange, span, &message),
            };
        }
        Ok(value)
    }

    fn component(&mut self, base: &ast::Expr, part: &str, span: Span) -> Fallible<Value> {
        if let Some(value) = self.body_component(base, part, span) {
            return value;
        }
        let value = self.value(base)?;
        let index = ["x", "y", "z"].iter().position(|name| *name == part);
        match (&value, index) {
            (Value::Vector(parts), Some(k)) if k < parts.len() => Ok(parts[k].clone()),
            (Value::Vector(_), _) => {
                let message = format!("{} has no component `.{part}`", value.describe());
                self.error(Code::NoSuchComponent, span, &message)
            }
            _ => {
                let message = format!("{} has no components", value.describe());
                self.error(Code::VectorExpected, base.span, &message)
            }
        }
    }

    /// The time derivative, `order` times.
    pub(super) fn rate(&mut self, value: &Value, order: u32, span: Span) -> Fallible<Value> {
        match value {
            Value::Vector(parts) => {
                let parts: Fallible<Vec<Value>> = parts.iter().map(|p| self.rate(p, order, span)).collect();
                Ok(Value::Vector(parts?))
            }
            Value::Condition(_) => self.error(Code::ValueExpected, span, "a condition has no rate"),
            Value::Scalar(e, kind) => {
                let (mut e, mut kind) = (*e, kind.clone());
                for _ in 0..order {
                    let symbols = self.pool.symbols(&[e]);
                    if let Some(s) = symbols.into_iter().find(|s| self.role(*s).has_no_rate()) {
                        let message =
                            format!("the rate of `{}` is not known to the model", self.pool.name(s));
                        let d = Diagnostic::error(Code::AccelerationNotAllowed, span, message);
                        return self.fail(d.help("rates go up to `x''`, the acceleration, in outputs"));
                    }
                    e = self.dot.apply(&mut self.pool, e);
                    kind = kind.per_time();
                }
                Ok(Value::Scalar(e, kind))
            }
        }
    }

    fn sum_over(&mut self, sum: &SumOver, span: Span) -> Fallible<Value> {
        let (first, last) = self.range(&sum.range)?;
        let mut values = Vec::new();
        self.with_index(&sum.index, first, last, |this, _| {
            values.push((this.value(&sum.body)?, Rational::ONE, span));
            Ok(())
        })?;
        if values.is_empty() {
            return Ok(Value::Scalar(Pool::ZERO, UnitInfo::Number));
        }
        self.add_up(&values)
    }
}
