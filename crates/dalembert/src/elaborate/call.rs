//! Functions, vector operations, virtual displacements and results, as they are called in expressions.

use super::scope::Binding;
use super::value::Value;
use super::{Elaborator, Fallible, ForceObservable, Reported, Role};
use crate::system::Power;
use dalembert_expr::{Expr, Function, Pool, Rational, Symbol};
use dalembert_syntax::ast::{self, ExprKind, Name};
use dalembert_syntax::diagnostic::{Code, Diagnostic, nearest};
use dalembert_syntax::source::Span;
use dalembert_syntax::units::{Dimension, UnitInfo};
use dalembert_syntax::words::{OBSERVABLES, OPERATIONS, is_reserved};

/// What functions are called elsewhere.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("ln", "log"),
    ("tg", "tan"),
    ("arcsin", "asin"),
    ("arccos", "acos"),
    ("arctan", "atan"),
    ("arctg", "atan"),
    ("arctan2", "atan2"),
    ("sgn", "sign"),
    ("signum", "sign"),
    ("fabs", "abs"),
    ("root", "sqrt"),
];

impl Elaborator<'_> {
    pub(super) fn call(&mut self, name: &Name, args: &[ast::Expr], span: Span) -> Fallible<Value> {
        if let Some(value) = self.table_call(name, args) {
            return value;
        }
        if let Some(value) = self.user_call(name, args, span) {
            return value;
        }
        match name.text.as_str() {
            // Results whose names are left to the model where nothing is called.
            "friction" => self.friction_force(name, args),
            "power" | "work" => self.power_of_class(name, args),
            "force" | "torque" | "drive" | "angular_momentum" | "kinetic_energy"
                if !self.bodies.is_empty() =>
            {
                self.body_result(name, args, span)
            }
            // The bodies that it would be a result of could not be declared.
            "force" | "torque" | "drive" | "angular_momentum" | "kinetic_energy"
                if args.first().is_some_and(|on| self.is_of_broken(on)) =>
            {
                Err(Reported)
            }
            "rpy" | "quaternion" | "rotation" if self.scope.get(&name.text).is_none() => {
                self.rotation_call(name, args, span)
            }
            "angular_velocity" if !self.hides(name) => {
                let [a] = self.arguments(name, args)?;
                let value = self.value(a)?;
                self.angular_velocity(value, span)
            }
            "log10" if !self.hides(name) => {
                let (x, kind) = self.plain_argument(name, args)?;
                let ten = self.pool.int(10);
                let (above, below) = (self.pool.call1(Function::Log, x), self.pool.call1(Function::Log, ten));
                Ok(Value::Scalar(self.pool.div(above, below), kind))
            }
            "mod" if !self.hides(name) => {
                let [a, b] = self.arguments(name, args)?;
                let ((x, k), (y, l)) = (self.scalar(a)?, self.scalar(b)?);
                let kind = self.same_unit(&k, &l, b.span)?;
                let turns = self.pool.div(x, y);
                let turns = self.pool.call1(Function::Floor, turns);
                let whole = self.pool.mul(y, turns);
                Ok(Value::Scalar(self.pool.sub(x, whole), kind))
            }
            f @ ("min" | "max") if args.len() > 2 => self.fold_choice(f, args),
            "sqrt" => {
                let [a] = self.arguments(name, args)?;
                let (e, kind) = self.scalar(a)?;
                let kind = match kind {
                    UnitInfo::Known(d) => UnitInfo::Known(Dimension::none().times(&d, &Rational::HALF)),
                    other => other,
                };
                Ok(Value::Scalar(self.pool.sqrt(e), kind))
            }
            "dot" => {
                let [a, b] = self.arguments(name, args)?;
                let (p, q) = (self.vector(a)?, self.vector(b)?);
                self.dot_product(&p, &q, span)
            }
            "norm" => {
                let [a] = self.arguments(name, args)?;
                match self.value(a)? {
                    Value::Vector(p) => {
                        let square = self.dot_product(&p, &p, span)?;
                        let (e, kind) = self.as_scalar(square, span)?;
                        let root = match kind {
                            UnitInfo::Known(d) => {
                                UnitInfo::Known(Dimension::none().times(&d, &Rational::HALF))
                            }
                            other => other,
                        };
                        Ok(Value::Scalar(self.pool.sqrt(e), root))
                    }
                    scalar => {
                        let (e, kind) = self.as_scalar(scalar, a.span)?;
                        Ok(Value::Scalar(self.pool.call1(Function::Abs, e), kind))
                    }
                }
            }
            "cross" => {
                let [a, b] = self.arguments(name, args)?;
                let (p, q) = (self.vector(a)?, self.vector(b)?);
                self.cross_product(&p, &q, span)
            }
            "transpose" => {
                let [a] = self.arguments(name, args)?;
                let rows = self.vector(a)?;
                self.transpose(rows, a.span)
            }
            "diff" => {
                let [e, x] = self.arguments(name, args)?;
                let value = self.value(e)?;
                let (variable, kind) = self.scalar(x)?;
                match self.pool.as_symbol(variable) {
                    Some(s) => {
                        self.warn_of_partial_time(&value, s, e, span);
                        Ok(self.partial(&value, s, &kind))
                    }
                    None => self.error(
                        Code::UnknownName,
                        x.span,
                        "`diff` takes a coordinate, a rate, a parameter or `t`",
                    ),
                }
            }
            "delta" | "δ" => {
                let [a] = self.arguments(name, args)?;
                let value = self.value(a)?;
                self.displacement(&value, span)
            }
            f if OBSERVABLES.contains(&f) => self.observable(name, args),
            f => match Function::by_name(f).filter(|_| !self.hides(name)) {
                Some(function) => self.elementary(function, name, args),
                None => self.unknown_function(name),
            },
        }
    }

    /// The angular velocity of a rotation matrix, in space: the vector of R' R^T.
    fn angular_velocity(&mut self, matrix: Value, span: Span) -> Fallible<Value> {
        let Value::Vector(rows) = &matrix else {
            return self.error(Code::VectorExpected, span, "`angular_velocity` takes a rotation matrix");
        };
        let square =
            rows.iter().all(|row| matches!(row, Value::Vector(entries) if entries.len() == rows.len()));
        if !square || !matches!(rows.len(), 2 | 3) {
            let message = format!("`angular_velocity` takes a rotation matrix, not {}", matrix.describe());
            return self.error(Code::DimensionMismatch, span, &message);
        }
        let inverse = self.transpose(rows.clone(), span)?;
        let turning = self.rate(&matrix, 1, span)?;
        let Value::Vector(rows) = self.multiply(turning, inverse, span)? else { return Err(Reported) };
        let entry = |i: usize, j: usize| match &rows[i] {
            Value::Vector(entries) => entries[j].clone(),
            other => other.clone(),
        };
        Ok(match rows.len() {
            2 => entry(1, 0),
            _ => Value::Vector(vec![entry(2, 1), entry(0, 2), entry(1, 0)]),
        })
    }

    /// Whether an expression is a name, or a member of a family, whose declaration failed.
    fn is_of_broken(&self, e: &ast::Expr) -> bool {
        match &e.kind {
            ExprKind::Name(name) => self.is_broken(name),
            ExprKind::Index(inner, _) | ExprKind::Component(inner, _) => self.is_of_broken(inner),
            _ => false,
        }
    }

    /// Whether the model has declared a name that a function has otherwise.
    fn hides(&self, name: &Name) -> bool {
        !is_reserved(&name.text) && self.scope.get(&name.text).is_some()
    }

    /// The one argument of a function of plain numbers.
    fn plain_argument(&mut self, name: &Name, args: &[ast::Expr]) -> Fallible<(Expr, UnitInfo)> {
        let [a] = self.arguments(name, args)?;
        let (x, kind) = self.scalar(a)?;
        self.dimensionless(&kind, a.span)?;
        Ok((x, kind))
    }

    fn unknown_function(&mut self, name: &Name) -> Fallible<Value> {
        if self.scope.get(&name.text).is_some() {
            let message = format!("`{}` is not a function", name.text);
            let d = Diagnostic::error(Code::UnknownFunction, name.span, message);
            return self.fail(d.help(format!("a product is written with `*`: `{}*(...)`", name.text)));
        }
        let known = Function::ALL.iter().filter(|f| **f <= Function::Max).map(|f| f.name());
        let known: Vec<&str> =
            known.chain(OPERATIONS.iter().copied()).chain(OBSERVABLES.iter().copied()).collect();
        let d =
            Diagnostic::error(Code::UnknownFunction, name.span, format!("unknown function `{}`", name.text));
        let elsewhere = OTHER_NAMES.iter().find(|(other, _)| *other == name.text).map(|(_, ours)| *ours);
        let d = match elsewhere.or_else(|| nearest(&name.text, known.iter().copied())) {
            Some(near) => d.help(format!("did you mean `{near}`?")).suggest(name.span, near),
            None => d.help(format!("the functions are {}", known.join(" "))),
        };
        self.fail(d)
    }

    pub(super) fn arguments<'e, const N: usize>(
        &mut self,
        name: &Name,
        args: &'e [ast::Expr],
    ) -> Fallible<[&'e ast::Expr; N]> {
        match <&[ast::Expr; N]>::try_from(args) {
            Ok(args) => Ok(args.each_ref()),
            Err(_) => {
                let s = if N == 1 { "" } else { "s" };
                let message = format!("`{}` takes {N} argument{s}, not {}", name.text, args.len());
                let d = Diagnostic::error(Code::WrongArity, name.span, message);
                self.fail(match (name.text.as_str(), args.len()) {
                    ("dot", 1) => {
                        d.help("`dot(a, b)` is a product of vectors; a rate has a prime, as in `x'`")
                    }
                    _ => d,
                })
            }
        }
    }

    fn elementary(&mut self, f: Function, name: &Name, args: &[ast::Expr]) -> Fallible<Value> {
        use Function as F;
        if f.arity() == 2 {
            let [a, b] = self.arguments(name, args)?;
            let ((x, k), (y, l)) = (self.scalar(a)?, self.scalar(b)?);
            let common = self.same_unit(&k, &l, b.span)?;
            let kind = match (f, common) {
                (F::Atan2, UnitInfo::Known(_)) => UnitInfo::Known(Dimension::angle()),
                (_, kind) => kind,
            };
            return Ok(Value::Scalar(self.pool.call(f, &[x, y]), kind));
        }
        let (x, kind) = match f {
            F::Abs | F::Sign => {
                let [a] = self.arguments(name, args)?;
                self.scalar(a)?
            }
            _ => self.plain_argument(name, args)?,
        };
        let kind = match (f, kind) {
            (F::Sign, _) => UnitInfo::Number,
            (F::Abs, kind) => kind,
            (F::Asin | F::Acos | F::Atan, UnitInfo::Known(_)) => UnitInfo::Known(Dimension::angle()),
            (_, kind) => kind.without_angle(),
        };
        Ok(Value::Scalar(self.pool.call1(f, x), kind))
    }

    fn fold_choice(&mut self, f: &str, args: &[ast::Expr]) -> Fallible<Value> {
        let function = if f == "min" { Function::Min } else { Function::Max };
        let (mut acc, mut kind) = self.scalar(&args[0])?;
        for a in &args[1..] {
            let (x, k) = self.scalar(a)?;
            kind = self.same_unit(&kind, &k, a.span)?;
            acc = self.pool.call(function, &[acc, x]);
        }
        Ok(Value::Scalar(acc, kind))
    }

    fn dot_product(&mut self, p: &[Value], q: &[Value], span: Span) -> Fallible<Value> {
        if p.len() != q.len() {
            return self.mismatch(&Value::Vector(p.to_vec()), &Value::Vector(q.to_vec()), span);
        }
        let mut terms = Vec::with_capacity(p.len());
        for (a, b) in p.iter().zip(q) {
            let (a, b) = (self.as_scalar(a.clone(), span)?, self.as_scalar(b.clone(), span)?);
            let product = self.multiply(Value::Scalar(a.0, a.1), Value::Scalar(b.0, b.1), span)?;
            terms.push((product, Rational::ONE, span));
        }
        self.add_up(&terms)
    }

    fn cross_product(&mut self, p: &[Value], q: &[Value], span: Span) -> Fallible<Value> {
        let mut minor = |i: usize, j: usize| -> Fallible<Value> {
            let left = self.multiply(p[i].clone(), q[j].clone(), span)?;
            let right = self.multiply(p[j].clone(), q[i].clone(), span)?;
            self.add_up(&[(left, Rational::ONE, span), (right, Rational::MINUS_ONE, span)])
        };
        match (p.len(), q.len()) {
            (3, 3) => Ok(Value::Vector(vec![minor(1, 2)?, minor(2, 0)?, minor(0, 1)?])),
            (2, 2) => minor(0, 1),
            _ => self.mismatch(&Value::Vector(p.to_vec()), &Value::Vector(q.to_vec()), span),
        }
    }

    fn transpose(&mut self, rows: Vec<Value>, span: Span) -> Fallible<Value> {
        let mut columns: Vec<Vec<Value>> = Vec::new();
        for (i, row) in rows.iter().enumerate() {
            let Value::Vector(entries) = row else {
                return self.error(
                    Code::VectorExpected,
                    span,
                    "`transpose` takes a matrix, a vector of rows",
                );
            };
            if i == 0 {
                columns = vec![Vec::new(); entries.len()];
            }
            if entries.len() != columns.len() {
                return self.mismatch(&rows[0], row, span);
            }
            columns.iter_mut().zip(entries).for_each(|(column, e)| column.push(e.clone()));
        }
        Ok(Value::Vector(columns.into_iter().map(Value::Vector).collect()))
    }

    /// `diff(x, t)` is zero where time does not occur: the rate was meant.
    fn warn_of_partial_time(&mut self, value: &Value, variable: Symbol, of: &ast::Expr, span: Span) {
        let scalars = value.scalars();
        let symbols = self.pool.symbols(&scalars);
        let moves = symbols.iter().any(|s| matches!(self.role(*s), Role::Coordinate | Role::Rate));
        if variable != self.time || symbols.contains(&self.time) || !moves {
            return;
        }
        let text = dalembert_syntax::expression_text(of);
        let rate = if matches!(of.kind, ExprKind::Name(_)) { text.clone() } else { format!("({text})") };
        let message = format!("`diff({text}, t)` is zero: a partial derivative holds the coordinates");
        let d = Diagnostic::warning(Code::PartialTimeDerivative, span, message);
        self.diagnostics.push(d.help(format!("the rate is `{rate}'`")).suggest(span, format!("{rate}'")));
    }

    fn partial(&mut self, value: &Value, x: Symbol, kind_of_x: &UnitInfo) -> Value {
        match value {
            Value::Vector(parts) => {
                Value::Vector(parts.iter().map(|p| self.partial(p, x, kind_of_x)).collect())
            }
            Value::Scalar(e, kind) => {
                Value::Scalar(self.pool.diff(*e, x), kind.times(kind_of_x, &Rational::MINUS_ONE))
            }
            Value::Condition(_) => value.clone(),
        }
    }

    /// `delta(E)`: what E changes by under a virtual displacement, at fixed time.
    pub(super) fn displacement(&mut self, value: &Value, span: Span) -> Fallible<Value> {
        match value {
            Value::Vector(parts) => {
                let parts: Fallible<Vec<Value>> = parts.iter().map(|p| self.displacement(p, span)).collect();
                Ok(Value::Vector(parts?))
            }
            Value::Condition(_) => {
                self.error(Code::ValueExpected, span, "a condition has no virtual displacement")
            }
            Value::Scalar(e, kind) => {
                // A speed by itself stands for its quasi-coordinate.
                if let Some(s) = self.pool.as_symbol(*e)
                    && self.role(s) == Role::Rate
                    && let Some(speed) = self.frame.speeds.iter().find(|speed| speed.symbol == s)
                {
                    return Ok(Value::Scalar(self.pool.var(speed.displacement), UnitInfo::Missing));
                }
                let symbols = self.pool.symbols(&[*e]);
                if let Some(s) = symbols
                    .iter()
                    .find(|s| !matches!(self.role(**s), Role::Coordinate | Role::Parameter | Role::Time))
                {
                    let message = format!("`{}` has no virtual displacement", self.pool.name(*s));
                    return self.error(Code::NotLinearInDelta, span, &message);
                }
                let e = self.virtual_change.apply(&mut self.pool, *e);
                Ok(Value::Scalar(e, kind.clone()))
            }
        }
    }

    pub(super) fn plain_observable(&mut self, name: &str) -> Value {
        let symbol = self.symbol_with_role(name, Role::Result);
        Value::Scalar(self.pool.var(symbol), UnitInfo::Missing)
    }

    fn observable(&mut self, name: &Name, args: &[ast::Expr]) -> Fallible<Value> {
        let [a] = self.arguments(name, args)?;
        let target = self.spelt_name(a)?;
        match name.text.as_str() {
            "multiplier" | "residual" | "reaction" => self.of_constraint(&name.text, &target, a.span),
            kind => {
                let on = match self.lookup(&target, a.span)? {
                    binding @ (Binding::Coordinate(_) | Binding::Speed(_)) => binding,
                    _ => {
                        let message = format!("`{target}` is neither a coordinate nor a speed");
                        return self.error(Code::UnknownName, a.span, &message);
                    }
                };
                let symbol = self.symbol_with_role(&format!("{kind}({target})"), Role::Result);
                self.experiment.force_observables.push(ForceObservable {
                    symbol,
                    kind: kind.to_owned(),
                    on,
                    span: a.span,
                });
                Ok(Value::Scalar(self.pool.var(symbol), UnitInfo::Missing))
            }
        }
    }

    fn of_constraint(&mut self, what: &str, target: &str, span: Span) -> Fallible<Value> {
        if what == "residual"
            && let Some(residual) = self.of_requirement(target)
        {
            return Ok(residual);
        }
        self.close_loop_of(target)?;
        let group = self.constraints.by_name.get(target).copied();
        let rows = match group {
            Some(g) => self.constraints.list[g].rows.clone(),
            None => match self.constraints.row_by_name.get(target).copied() {
                Some(r) => r..r + 1,
                None => return self.unknown_constraint(target, span),
            },
        };
        if what == "reaction" {
            let Some(g) = group else {
                return self.error(
                    Code::UnknownConstraint,
                    span,
                    "`reaction` takes a whole constraint, not one of its rows",
                );
            };
            let symbol = self
                .symbol_with_role(&format!("reaction({})", self.constraints.list[g].name), Role::IdealResult);
            return Ok(Value::Scalar(self.pool.var(symbol), UnitInfo::Missing));
        }
        // What holds always has no force and no residual.
        if rows.is_empty() {
            return Ok(Value::Scalar(Pool::ZERO, UnitInfo::Missing));
        }
        let mut parts: Vec<Value> = Vec::new();
        for r in rows {
            let e: Expr = if what == "residual" {
                self.constraints.rows[r].residual
            } else {
                let symbol = self.symbol_with_role(
                    &format!("multiplier({})", self.constraints.rows[r].name),
                    Role::IdealResult,
                );
                self.pool.var(symbol)
            };
            parts.push(Value::Scalar(e, UnitInfo::Missing));
        }
        Ok(if parts.len() == 1 { parts.swap_remove(0) } else { Value::Vector(parts) })
    }

    /// How far a requirement, or a row of one, is from being met.
    fn of_requirement(&mut self, target: &str) -> Option<Value> {
        let rows = match self.control.requirements.iter().find(|r| r.name == target) {
            Some(requirement) => requirement.rows.clone(),
            None => {
                let r = self.control.rows.iter().position(|r| r.name == target)?;
                r..r + 1
            }
        };
        let mut parts: Vec<Value> =
            rows.map(|r| Value::Scalar(self.control.rows[r].residual, UnitInfo::Missing)).collect();
        Some(if parts.len() == 1 { parts.swap_remove(0) } else { Value::Vector(parts) })
    }

    /// `friction(NAME)`: the friction force at a contact, by the components of its sliding velocity.
    fn friction_force(&mut self, name: &Name, args: &[ast::Expr]) -> Fallible<Value> {
        let [a] = self.arguments(name, args)?;
        let target = self.spelt_name(a)?;
        if let Some(none) = self.contacts.without_force.iter().find(|c| c.name == target) {
            let zero = || Value::Scalar(Pool::ZERO, UnitInfo::Missing);
            return Ok(match none.components {
                1 => zero(),
                components => Value::Vector((0..components).map(|_| zero()).collect()),
            });
        }
        let Some(contact) = self.contacts.list.iter().find(|c| c.name == target) else {
            let message = format!("no friction acts on `{target}`");
            let d = Diagnostic::error(Code::UnknownConstraint, a.span, message);
            return self.fail(
                d.help(format!("state it before: `friction on {target}: coefficient mu, velocity V`, or `friction in {target}: limit F` for a coordinate")),
            );
        };
        let names: Vec<String> =
            (0..contact.velocity.len()).map(|c| format!("friction({target}).{c}")).collect();
        let mut parts: Vec<Value> = Vec::new();
        for name in names {
            let symbol = self.symbol_with_role(&name, Role::Result);
            parts.push(Value::Scalar(self.pool.var(symbol), UnitInfo::Missing));
        }
        Ok(if parts.len() == 1 { parts.swap_remove(0) } else { Value::Vector(parts) })
    }

    /// `power(CLASS)` and `work(CLASS)` of a class of forces.
    fn power_of_class(&mut self, name: &Name, args: &[ast::Expr]) -> Fallible<Value> {
        let [a] = self.arguments(name, args)?;
        let class = self.spelt_name(a)?;
        let classes = Power::ALL.map(Power::name);
        if !classes.contains(&class.as_str()) {
            let message = format!("`{}` takes a class of forces, and `{class}` is none", name.text);
            let d = Diagnostic::error(Code::UnknownName, a.span, message);
            return self.fail(d.help(format!("one of {}", classes.join(", "))));
        }
        self.experiment.powers_asked_for |= name.text == "power";
        let symbol = self.symbol_with_role(&format!("{}({class})", name.text), Role::Result);
        Ok(Value::Scalar(self.pool.var(symbol), UnitInfo::Missing))
    }

    pub(super) fn unknown_constraint(&mut self, target: &str, span: Span) -> Fallible<Value> {
        let known: Vec<String> = self
            .constraints
            .list
            .iter()
            .map(|c| c.name.clone())
            .chain(self.constraints.rows.iter().map(|r| r.name.clone()))
            .collect();
        let d =
            Diagnostic::error(Code::UnknownConstraint, span, format!("no constraint is called `{target}`"));
        let d = match nearest(target, known.iter().map(String::as_str)) {
            _ if self.is_carrying_joint(target) => d.help(
                "it is a joint that carries its body, which has no constraint; end its statement with `, cut` to close a loop by it",
            ),
            Some(near) => d.help(format!("did you mean `{near}`?")).suggest(span, near),
            None => d.help("name it where it is imposed: `constraint NAME: ...`"),
        };
        self.fail(d)
    }
}
