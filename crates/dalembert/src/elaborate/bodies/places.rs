//! Places on bodies: points and directions over parameters, turns, frames.

use super::super::roles::{Allowed, State};
use super::super::scope::Binding;
use super::super::value::Value;
use super::super::{Elaborator, Fallible, Reported};
use super::algebra::{Motion, dot, product, quaternion, rotation, unit};
use super::plan::GROUND;
use crate::bodies::{IDENTITY, Matrix3, Placement, Vector, ZERO};
use dalembert_expr::{Expr, Function, Pool};
use dalembert_syntax::ast::{self, Place, Turn};
use dalembert_syntax::diagnostic::{Code, Diagnostic, nearest};
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;

/// What the entries of a rotation matrix may be off by.
pub(super) const ROTATION_TOL: f64 = 1e-6;

impl Elaborator<'_> {
    /// A place on a body: that of a frame and what is added to it.
    pub(super) fn placement(&mut self, place: &Place) -> Fallible<Placement> {
        let name = self.member(&place.body)?;
        let on = self.place_by_name(&name, place.body.span)?;
        let at = place.at.as_ref().map_or(Ok(ZERO), |at| self.constant_vector(at))?;
        let turned = place.turned.as_ref().map_or(Ok(IDENTITY), |turn| self.turn(turn))?;
        let whole = Motion::fixed(&on.at, &on.turned).then(&mut self.pool, &Motion::fixed(&at, &turned));
        Ok(Placement { body: on.body, at: whole.p, turned: whole.R })
    }

    /// The place that a body, a frame or the ground is.
    pub(super) fn place_by_name(&mut self, name: &str, span: Span) -> Fallible<Placement> {
        let origin = |body| Placement { body, at: ZERO, turned: IDENTITY };
        match self.scope.get(name) {
            Some(Binding::Body(b)) => return Ok(origin(Some(*b))),
            Some(Binding::Frame(f)) => return Ok(self.bodies.frames[*f].clone()),
            Some(Binding::Poisoned) => return Err(Reported),
            Some(other) => {
                let message = format!("`{name}` is {}, not a body or frame", other.word());
                return self.error(Code::UnknownName, span, &message);
            }
            None => {}
        }
        // A body may come later; a frame has values of its own and may not.
        if let Some(&b) = self.bodies.plan.body_of.get(name) {
            return Ok(origin(Some(b)));
        }
        if name == GROUND {
            return Ok(origin(None));
        }
        if self.is_broken(name) {
            return Err(Reported);
        }
        let message = format!("no body or frame is called `{name}`");
        let d = Diagnostic::error(Code::UnknownName, span, message);
        let frames = self.bodies.plan.frame_of.contains_key(name);
        let known = self.bodies.plan.bodies.iter().map(|body| body.name.as_str()).chain([GROUND]);
        let near = nearest(name, known).map(str::to_owned);
        self.fail(match near {
            _ if frames => d.help("state the frame before it is used"),
            Some(near) => d.help(format!("did you mean `{near}`?")).suggest(span, near),
            None => d.help("declare it with `body`, or name the `ground`"),
        })
    }

    /// A number over parameters.
    pub(super) fn constant_scalar(&mut self, e: &ast::Expr, what: &'static str) -> Fallible<Expr> {
        Ok(self.part(e, Allowed::only(what, State::Nothing))?.expr)
    }

    /// A vector over parameters: two components in the plane, three in space.
    pub(super) fn constant_vector(&mut self, e: &ast::Expr) -> Fallible<Vector> {
        let value = self.value(e)?;
        self.allow_in(e, &value.scalars(), Allowed::only("a place on a body", State::Nothing))?;
        self.space_vector(&value, e.span)
    }

    /// A vector of as many components as the model has dimensions.
    pub(super) fn space_vector(&mut self, value: &Value, span: Span) -> Fallible<Vector> {
        let (is_plane, parts) = (self.bodies.plan.is_plane, value.scalars());
        match (value, parts.as_slice(), is_plane) {
            (Value::Vector(_), [x, y], true) => Ok([*x, *y, Pool::ZERO]),
            (Value::Vector(_), [x, y, z], false) => Ok([*x, *y, *z]),
            _ => {
                let (count, model) = if is_plane { ("two", "is plane") } else { ("three", "is in space") };
                let found = value.describe();
                let message =
                    format!("a vector of {count} components is required, not {found}: the model {model}");
                let d = Diagnostic::error(Code::DimensionMismatch, span, message);
                self.fail(
                    d.help("`gravity` with two components makes a plane model, with three one in space"),
                )
            }
        }
    }

    /// A direction of length 1. In the plane also `z`, as three components.
    pub(super) fn axis(&mut self, e: &ast::Expr) -> Fallible<Vector> {
        let value = self.value(e)?;
        self.allow_in(e, &value.scalars(), Allowed::only("an axis", State::Nothing))?;
        let u: Vector = match value.scalars()[..] {
            [x, y, z] => [x, y, z],
            _ => self.space_vector(&value, e.span)?,
        };
        self.normalised(&u, e.span)
    }

    fn normalised(&mut self, u: &Vector, span: Span) -> Fallible<Vector> {
        let values = self.parameter_numbers(u);
        let square: f64 = values.iter().map(|v| v * v).sum();
        if square == 0.0 {
            return self.error(Code::BadOption, span, "an axis of length zero has no direction");
        }
        // Given with as many digits as there are, it is meant as it is.
        let numbers = u.iter().all(|e| self.pool.as_number(*e).is_some());
        if numbers && (square - 1.0).abs() < 1e-14 {
            return Ok(*u);
        }
        let length = dot(&mut self.pool, u, u);
        let root = self.pool.sqrt(length);
        Ok(u.map(|e| self.pool.div(e, root)))
    }

    /// The axes that a turn makes of those of the body, as columns.
    fn turn(&mut self, turn: &Turn) -> Fallible<Matrix3> {
        match turn {
            Turn::Axis(axis, angle) => {
                let axis = self.axis(axis)?;
                let angle = self.constant_scalar(angle, "an angle")?;
                Ok(rotation(&mut self.pool, &axis, angle))
            }
            Turn::Matrix(e) => {
                let value = self.value(e)?;
                self.allow_in(e, &value.scalars(), Allowed::only("a turn", State::Nothing))?;
                let matrix = self.turn_matrix(&value, e.span)?;
                self.check_rotation(&matrix, e.span)?;
                Ok(matrix)
            }
        }
    }

    fn turn_matrix(&mut self, value: &Value, span: Span) -> Fallible<Matrix3> {
        let (zero, one) = (Pool::ZERO, Pool::ONE);
        match (value, &value.scalars()[..]) {
            (Value::Scalar(angle, _), _) if self.bodies.plan.is_plane => {
                Ok(rotation(&mut self.pool, &unit(2), *angle))
            }
            (Value::Vector(_), [a, b, c, d]) if self.bodies.plan.is_plane => {
                Ok([[*a, *b, zero], [*c, *d, zero], [zero, zero, one]])
            }
            (Value::Vector(_), [a, b, c, d, e, f, g, h, i]) => Ok([[*a, *b, *c], [*d, *e, *f], [*g, *h, *i]]),
            _ => {
                let message = format!("{} is not a rotation", value.describe());
                let d = Diagnostic::error(Code::DimensionMismatch, span, message);
                self.fail(d.help("turn by `rpy(a, b, c)`, `axis u by phi`, `quaternion(..)` or a matrix"))
            }
        }
    }

    fn check_rotation(&mut self, matrix: &Matrix3, span: Span) -> Fallible<()> {
        let r = self.parameter_numbers(&matrix.concat());
        if r.iter().any(|v| !v.is_finite()) {
            return Ok(());
        }
        let dot = |i: usize, j: usize| (0..3).map(|k| r[3 * k + i] * r[3 * k + j]).sum::<f64>();
        let off = |i: usize, j: usize| (dot(i, j) - f64::from(u8::from(i == j))).abs() > ROTATION_TOL;
        let volume: f64 = (0..3)
            .map(|i| {
                r[i] * (r[3 + (i + 1) % 3] * r[6 + (i + 2) % 3] - r[3 + (i + 2) % 3] * r[6 + (i + 1) % 3])
            })
            .sum();
        if (0..3).any(|i| (0..3).any(|j| off(i, j))) || volume < 0.0 {
            let d = Diagnostic::error(Code::BadOption, span, "this matrix is not a rotation");
            return self.fail(d.help("its columns are of length 1, at right angles and right-handed"));
        }
        Ok(())
    }

    /// `rpy(a, b, c)`, `quaternion(..)`, `rotation(u, a)`: rotation matrices.
    pub(in super::super) fn rotation_call(
        &mut self,
        name: &ast::Name,
        args: &[ast::Expr],
        span: Span,
    ) -> Fallible<Value> {
        let wanted = match name.text.as_str() {
            "rpy" => 3,
            "quaternion" => 4,
            _ => 2,
        };
        if args.len() != wanted {
            let message = format!("`{}` takes {wanted} arguments, not {}", name.text, args.len());
            return self.error(Code::WrongArity, name.span, &message);
        }
        let R = if wanted == 2 {
            let (axis, angle) = (self.vector(&args[0])?, self.scalar(&args[1])?.0);
            let axis = Value::Vector(axis).scalars();
            let &[x, y, z] = axis.as_slice() else {
                return self.error(Code::DimensionMismatch, args[0].span, "an axis has three components");
            };
            let length = dot(&mut self.pool, &[x, y, z], &[x, y, z]);
            if length == Pool::ZERO {
                return self.error(Code::BadOption, args[0].span, "an axis of length zero has no direction");
            }
            let root = self.pool.sqrt(length);
            let axis = [x, y, z].map(|e| self.pool.div(e, root));
            rotation(&mut self.pool, &axis, angle)
        } else {
            let values: Vec<Fallible<Expr>> = args.iter().map(|arg| Ok(self.scalar(arg)?.0)).collect();
            let values: Vec<Expr> = values.into_iter().collect::<Fallible<_>>()?;
            match values[..] {
                [e0, e1, e2, e3] => self.unit_quaternion([e0, e1, e2, e3], span)?,
                [a, b, c] => self.roll_pitch_yaw([a, b, c]),
                _ => IDENTITY,
            }
        };
        let scalar = |e: Expr| Value::Scalar(e, UnitInfo::Number);
        Ok(Value::Vector(R.iter().map(|row| Value::Vector(row.map(scalar).to_vec())).collect()))
    }

    fn unit_quaternion(&mut self, e: [Expr; 4], span: Span) -> Fallible<Matrix3> {
        let squares = e.map(|c| self.pool.powi(c, 2));
        let length = self.pool.total(squares);
        if length == Pool::ZERO {
            return self.error(Code::BadOption, span, "a quaternion of length zero is not a rotation");
        }
        let R = quaternion(&mut self.pool, &e);
        Ok(R.map(|row| row.map(|entry| self.pool.div(entry, length))))
    }

    fn roll_pitch_yaw(&mut self, [a, b, c]: [Expr; 3]) -> Matrix3 {
        let [x, y, z] = [(0, a), (1, b), (2, c)].map(|(k, angle)| rotation(&mut self.pool, &unit(k), angle));
        let zy = product(&mut self.pool, &z, &y);
        product(&mut self.pool, &zy, &x)
    }

    /// The angle of a plane rotation, or about an axis: `atan2` of sine and cosine.
    pub(super) fn angle_of(&mut self, sine: Expr, cosine: Expr) -> Expr {
        self.pool.call(Function::Atan2, &[sine, cosine])
    }
}
