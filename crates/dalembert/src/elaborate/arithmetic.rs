//! Arithmetic on values: sums and products of scalars, vectors and matrices, with their units; comparisons and choices.

use super::value::Value;
use super::{Elaborator, Fallible, Reported};
use dalembert_expr::{Expr, Function, Node, Pool, Rational};
use dalembert_syntax::ast::{self, Comparison};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;
use dalembert_syntax::units::{Dimension, UnitInfo};

impl Elaborator<'_> {
    /// A linear combination of scalars or of equally long vectors.
    pub(super) fn add_up(&mut self, terms: &[(Value, Rational, Span)]) -> Fallible<Value> {
        let Some((first, ..)) = terms.first() else { return Err(Reported) };
        match first {
            Value::Vector(parts) => {
                let n = parts.len();
                let mut columns = vec![Vec::with_capacity(terms.len()); n];
                for (value, sign, span) in terms {
                    match value {
                        Value::Vector(parts) if parts.len() == n => {
                            for (column, part) in columns.iter_mut().zip(parts) {
                                column.push((part.clone(), sign.clone(), *span));
                            }
                        }
                        other => return self.mismatch(first, other, *span),
                    }
                }
                let parts: Fallible<Vec<Value>> = columns.iter().map(|c| self.add_up(c)).collect();
                Ok(Value::Vector(parts?))
            }
            _ => {
                let mut kind = UnitInfo::Number;
                let mut parts = Vec::with_capacity(terms.len());
                for (value, sign, span) in terms {
                    if let Value::Vector(_) = value {
                        return self.mismatch(first, value, *span);
                    }
                    let (e, k) = self.as_scalar(value.clone(), *span)?;
                    kind = self.same_unit(&kind, &k, *span)?;
                    parts.push((e, sign.clone()));
                }
                Ok(Value::Scalar(self.pool.combine(parts), kind))
            }
        }
    }

    pub(super) fn mismatch<T>(&mut self, a: &Value, b: &Value, span: Span) -> Fallible<T> {
        let message = format!("{} and {} do not go together", a.describe(), b.describe());
        let help = match (a, b) {
            (Value::Vector(_), Value::Vector(_)) => "both sides need equally many components",
            _ => "take a component (`P.x`), `dot(P, Q)` or `norm(P)` of the vector",
        };
        self.fail(Diagnostic::error(Code::DimensionMismatch, span, message).help(help))
    }

    /// The common unit of two quantities that are added, compared or equated.
    pub(super) fn same_unit(&mut self, a: &UnitInfo, b: &UnitInfo, span: Span) -> Fallible<UnitInfo> {
        match a.plus(b) {
            Ok(kind) => Ok(kind),
            Err(_) if self.mixed_units.is_some() => {
                self.mixed_units = Some(true);
                Ok(UnitInfo::Missing)
            }
            Err(both) => {
                let (a, b) = *both;
                let d = Diagnostic::error(Code::UnitMismatch, span, format!("units differ: {a} and {b}"));
                self.fail(d.label(span, format!("this is in {b}")))
            }
        }
    }

    /// A plain number (or an angle) is wanted.
    pub(super) fn dimensionless(&mut self, kind: &UnitInfo, span: Span) -> Fallible<()> {
        match kind {
            UnitInfo::Known(d) if !d.is_none() => {
                let message = format!("a plain number or an angle is wanted here, this is in {d}");
                self.error(Code::UnitMismatch, span, &message)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn scaled(&mut self, value: &Value, c: &Rational, span: Span) -> Fallible<Value> {
        self.add_up(&[(value.clone(), c.clone(), span)])
    }

    pub(super) fn multiply(&mut self, a: Value, b: Value, span: Span) -> Fallible<Value> {
        match (&a, &b) {
            (Value::Scalar(x, k), Value::Scalar(y, l)) => {
                // A plain zero fits every unit, and so do products with it: `[0, -m*g]` is a force.
                let none = |e: &Expr, kind: &UnitInfo| *e == Pool::ZERO && *kind == UnitInfo::Number;
                let kind =
                    if none(x, k) || none(y, l) { UnitInfo::Number } else { k.times(l, &Rational::ONE) };
                Ok(Value::Scalar(self.pool.mul(*x, *y), kind))
            }
            (Value::Scalar(..), Value::Vector(parts)) => {
                let parts: Fallible<Vec<Value>> =
                    parts.iter().map(|p| self.multiply(a.clone(), p.clone(), span)).collect();
                Ok(Value::Vector(parts?))
            }
            (Value::Vector(_), Value::Scalar(..)) => self.multiply(b, a, span),
            (Value::Vector(rows), Value::Vector(_)) if a.is_matrix() => {
                let parts: Fallible<Vec<Value>> =
                    rows.iter().map(|row| self.row_times(row, &b, span)).collect();
                Ok(Value::Vector(parts?))
            }
            // A vector on the left of a matrix is a row of it.
            (Value::Vector(_), Value::Vector(_)) if b.is_matrix() => self.row_times(&a, &b, span),
            (Value::Vector(_), Value::Vector(_)) => {
                let d = Diagnostic::error(
                    Code::DimensionMismatch,
                    span,
                    "a product of two vectors may mean two things",
                );
                self.fail(d.help("write `dot(a, b)` or `cross(a, b)`"))
            }
            _ => self.error(Code::ValueExpected, span, "a condition cannot be multiplied"),
        }
    }

    /// A row of a matrix times a vector, or times each column of a matrix.
    pub(super) fn row_times(&mut self, row: &Value, right: &Value, span: Span) -> Fallible<Value> {
        let (Value::Vector(row), Value::Vector(entries)) = (row, right) else {
            return self.mismatch(row, right, span);
        };
        if row.len() != entries.len() {
            return self.mismatch(&Value::Vector(row.clone()), right, span);
        }
        let mut terms = Vec::with_capacity(row.len());
        for (a, b) in row.iter().zip(entries) {
            terms.push((self.multiply(a.clone(), b.clone(), span)?, Rational::ONE, span));
        }
        self.add_up(&terms)
    }

    pub(super) fn divide(&mut self, a: Value, b: Value, span: Span) -> Fallible<Value> {
        let (divisor, kind) = self.as_scalar(b, span)?;
        if divisor == Pool::ZERO {
            return self.error(Code::NotFinite, span, "division by zero");
        }
        let inverse = self.pool.powi(divisor, -1);
        let unit = UnitInfo::Number.times(&kind, &Rational::MINUS_ONE);
        self.multiply(a, Value::Scalar(inverse, unit), span)
    }

    pub(super) fn power(&mut self, base: &ast::Expr, exponent: &ast::Expr) -> Fallible<Value> {
        let (b, kind) = self.scalar(base)?;
        let (x, exponent_kind) = self.scalar(exponent)?;
        self.dimensionless(&exponent_kind, exponent.span)?;
        let kind = match (self.pool.as_number(x), &kind) {
            (Some(p), UnitInfo::Known(d)) => UnitInfo::Known(Dimension::none().times(d, p)),
            (None, UnitInfo::Known(d)) if !d.is_none() && exponent_kind != UnitInfo::Missing => {
                let message =
                    format!("what is in {d} has no unit when it is raised to a power like this one");
                let d = Diagnostic::error(Code::UnitMismatch, exponent.span, message);
                return self.fail(
                    d.help("write the exponent as a number, or divide by a quantity of the same unit first"),
                );
            }
            (None, _) => kind.times(&exponent_kind, &Rational::ZERO),
            _ => kind,
        };
        let undefined = b == Pool::ZERO && self.pool.as_number(x).is_some_and(Rational::is_negative);
        if undefined {
            return self.error(Code::NotFinite, base.span, "division by zero");
        }
        Ok(Value::Scalar(self.pool.pow(b, x), kind))
    }

    pub(super) fn compare(&mut self, op: Comparison, a: &ast::Expr, b: &ast::Expr) -> Fallible<Value> {
        let ((x, k), (y, l)) = (self.scalar(a)?, self.scalar(b)?);
        self.same_unit(&k, &l, b.span)?;
        let (f, args, negate) = match op {
            Comparison::Less => (Function::Less, [x, y], false),
            Comparison::Greater => (Function::Less, [y, x], false),
            Comparison::LessEqual => (Function::LessEqual, [x, y], false),
            Comparison::GreaterEqual => (Function::LessEqual, [y, x], false),
            Comparison::Equal => (Function::Equal, [x, y], false),
            Comparison::NotEqual => (Function::Equal, [x, y], true),
        };
        let mut c = self.pool.call(f, &args);
        if negate {
            c = self.pool.call1(Function::Not, c);
        }
        Ok(Value::Condition(c))
    }

    pub(super) fn logic(&mut self, f: Function, parts: &[ast::Expr]) -> Fallible<Value> {
        let mut acc = None;
        for part in parts {
            let c = self.condition(part)?;
            let c = acc.map_or(c, |a| self.pool.call(f, &[a, c]));
            // Decided already: what follows may not even make sense (`i > 1 and x[i-1] > 0`).
            let decided = self.pool.as_number(c).is_some_and(|r| r.is_zero() == (f == Function::And));
            acc = Some(c);
            if decided {
                break;
            }
        }
        acc.map(Value::Condition).ok_or(Reported)
    }

    pub(super) fn choose(&mut self, choice: &ast::If) -> Fallible<Value> {
        let c = self.condition(&choice.condition)?;
        // Decided when the model is read: the other branch may not even make sense (`x[0]`).
        if let Node::Number(r) = self.pool.node(c) {
            return if r.is_zero() { self.value(&choice.otherwise) } else { self.value(&choice.then) };
        }
        let (a, b) = (self.value(&choice.then)?, self.value(&choice.otherwise)?);
        self.select(c, &a, &b, choice.otherwise.span)
    }

    /// `a` where `c` holds, else `b`, which stands at `span`.
    fn select(&mut self, c: Expr, a: &Value, b: &Value, span: Span) -> Fallible<Value> {
        match (a, b) {
            (Value::Scalar(x, k), Value::Scalar(y, l)) => {
                let kind = self.same_unit(k, l, span)?;
                Ok(Value::Scalar(self.pool.select(c, *x, *y), kind))
            }
            (Value::Vector(p), Value::Vector(q)) if p.len() == q.len() => {
                let parts: Fallible<Vec<Value>> =
                    p.iter().zip(q).map(|(a, b)| self.select(c, a, b, span)).collect();
                Ok(Value::Vector(parts?))
            }
            (Value::Condition(x), Value::Condition(y)) => Ok(Value::Condition(self.pool.select(c, *x, *y))),
            _ => self.mismatch(a, b, span),
        }
    }
}
