//! `frame` and `joint` statements: places on bodies, axes, and the coordinates of joints that carry a body.

use super::super::roles::{Allowed, State};
use super::super::scope::Binding;
use super::super::value::Value;
use super::super::{Elaborator, Fallible, Part};
use super::algebra::{Motion, quaternion, rotation, unit};
use super::plan::GROUND;
use crate::bodies::{IDENTITY, Joint, JointKind, JointRole, Limit, Matrix3, Placement, Vector, ZERO};
use dalembert_expr::{Expr, Function, Pool, Rational};
use dalembert_syntax::ast::{self, JointOption, Place, Target, Turn};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;

/// What the entries of a rotation matrix may be off by.
const ROTATION_TOL: f64 = 1e-6;

/// A joint whose places are the origins of its bodies.
pub(super) fn unplaced(name: &str, kind: JointKind, on: (Option<usize>, Option<usize>), span: Span) -> Joint {
    let place = |body| Placement { body, at: ZERO, turned: IDENTITY };
    Joint {
        name: name.to_owned(),
        kind,
        first: place(on.0),
        second: place(on.1),
        axes: Vec::new(),
        size: None,
        role: JointRole::Cut { constraint: None },
        coordinates: Vec::new(),
        speeds: Vec::new(),
        armature: None,
        limits: Vec::new(),
        same_way: Vec::new(),
        span,
    }
}

impl Elaborator<'_> {
    pub(in super::super) fn frame(&mut self, target: &Target, place: &Place) -> Fallible<()> {
        let name = self.member(target)?;
        let placement = self.placement(place).inspect_err(|_| self.poison(target))?;
        self.declare(&name, Binding::Frame(self.bodies.frames.len()), target.span)?;
        self.bodies.frames.push(placement);
        Ok(())
    }

    /// A place on a body: that of a frame and what is added to it.
    fn placement(&mut self, place: &Place) -> Fallible<Placement> {
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
            Some(Binding::Poisoned) => return Err(super::super::Reported),
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
        let message = format!("no body or frame is called `{name}`");
        let d = Diagnostic::error(Code::UnknownName, span, message);
        let frames = self.bodies.plan.frame_of.contains_key(name);
        let known = self.bodies.plan.bodies.iter().map(|body| body.name.as_str()).chain([GROUND]);
        let near = dalembert_syntax::diagnostic::nearest(name, known).map(str::to_owned);
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
                let wanted = if is_plane { "two components: the model is plane" } else { "three components" };
                let message = format!("a vector of {wanted} is wanted here, not {}", value.describe());
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
        let length = super::algebra::dot(&mut self.pool, u, u);
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

    pub(in super::super) fn joint(&mut self, joint: &ast::Joint, span: Span) -> Fallible<()> {
        let name = self.member(&joint.name)?;
        let read = self.read_joint(&name, joint, span);
        let read = read.inspect_err(|_| self.poison_joint(&name, &joint.name))?;
        let Some(&j) = self.bodies.plan.joint_of.get(&name) else { return Ok(()) };
        if self.bodies.joints[j].is_some() {
            let message = format!("a joint called `{name}` exists already");
            return self.error(Code::DeclaredTwice, joint.name.span, &message);
        }
        match self.bodies.plan.joints[j].carries {
            Some((body, reversed)) => self.carrying_joint(j, read, body, reversed)?,
            None => self.cut_joint(j, read)?,
        }
        self.limits(j, joint)
    }

    /// Uses of the coordinates of a joint that could not be read say nothing more.
    fn poison_joint(&mut self, name: &str, target: &Target) {
        self.poison(target);
        for part in ["turn", "slide", "first", "second", "x", "y", "z", "e0", "e1", "e2", "e3"] {
            self.scope.poison(&format!("{name}.{part}"), target.span);
        }
    }

    fn read_joint(&mut self, name: &str, joint: &ast::Joint, span: Span) -> Fallible<Joint> {
        let Some(kind) = JointKind::by_name(&joint.kind.text) else {
            return self.error(Code::UnknownName, joint.kind.span, "no joint is of this kind");
        };
        let is_plane = self.bodies.plan.is_plane;
        let in_space = [JointKind::Cylindrical, JointKind::Screw, JointKind::Universal, JointKind::Ball];
        if is_plane && in_space.contains(&kind) {
            let message = format!("a {} joint is for models in space, and this one is plane", kind.name());
            let d = Diagnostic::error(Code::NotApplicable, joint.kind.span, message);
            return self.fail(d.help("in the plane use `pin`, `slider`, `planar`, `free`, `weld` or `rod`"));
        }
        let (first, second) = (self.placement(&joint.first), self.placement(&joint.second));
        let (first, second) = (first?, second?);
        if first.body == second.body {
            let message = format!("`{name}` joins a body to itself");
            return self.error(Code::BadOption, joint.second.body.span, &message);
        }
        let size = joint.size.as_ref().map(|e| self.constant_scalar(e, "a size of a joint")).transpose()?;
        let axes = self.joint_axes(kind, joint)?;
        let armature = joint.options.iter().find_map(|option| match option {
            JointOption::Armature(_, e) => Some(e),
            _ => None,
        });
        let armature = armature.map(|e| self.constant_scalar(e, "an armature")).transpose()?;
        if let Some(e) = joint.options.iter().find_map(|option| match option {
            JointOption::Restitution(_, e) => Some(e),
            _ => None,
        }) {
            self.constant_scalar(e, "a restitution")?;
        }
        Ok(Joint { first, second, size, axes, armature, ..unplaced(name, kind, (None, None), span) })
    }

    /// The axes of a joint: given, or z; x and y of a universal joint; x of a slider in the plane.
    fn joint_axes(&mut self, kind: JointKind, joint: &ast::Joint) -> Fallible<Vec<Vector>> {
        let given = joint.options.iter().find_map(|option| match option {
            JointOption::Axes(word, axes) => Some((word, axes)),
            _ => None,
        });
        let is_plane = self.bodies.plan.is_plane;
        let wanted = match kind {
            JointKind::Universal => 2,
            JointKind::Pin | JointKind::Slider | JointKind::Cylindrical | JointKind::Screw => 1,
            JointKind::Planar => 1,
            _ => 0,
        };
        let Some((word, given)) = given else {
            return Ok(match kind {
                JointKind::Universal => vec![unit(0), unit(1)],
                JointKind::Slider if is_plane => vec![unit(0)],
                _ => vec![unit(2); wanted],
            });
        };
        if given.len() != wanted {
            let message = format!("a {} joint has {wanted} axes, not {}", kind.name(), given.len());
            return self.error(Code::DimensionMismatch, word.span, &message);
        }
        let axes: Vec<Fallible<Vector>> = given.iter().map(|axis| self.axis(axis)).collect();
        let axes: Vec<Vector> = axes.into_iter().collect::<Fallible<_>>()?;
        if let [u, v] = axes[..] {
            let cosine = super::algebra::dot(&mut self.pool, &u, &v);
            if self.parameter_numbers(&[cosine])[0].abs() > ROTATION_TOL {
                let d = Diagnostic::error(
                    Code::BadOption,
                    word.span,
                    "the axes of a universal joint are at right angles",
                );
                return self.fail(d.help("two pins in turn have axes at any angle"));
            }
        }
        Ok(axes)
    }

    /// Declares coordinates and speeds of a joint that carries a body.
    pub(super) fn carrying_joint(
        &mut self,
        slot: usize,
        mut joint: Joint,
        body: usize,
        reversed: bool,
    ) -> Fallible<()> {
        let (kind, is_plane, span) = (joint.kind, self.bodies.plan.is_plane, joint.span);
        joint.role = JointRole::Carries { body, reversed };
        for part in kind.coordinates(is_plane) {
            let name = if part.is_empty() { joint.name.clone() } else { format!("{}.{part}", joint.name) };
            joint.coordinates.push(self.new_coordinate(&name, UnitInfo::Missing, span)?);
        }
        for part in kind.speeds(is_plane) {
            let name = format!("{}.{part}", joint.name);
            joint.speeds.push(self.new_speed(&name, None, UnitInfo::Missing, span)?);
        }
        if kind.coordinates(is_plane).len() != 1 && self.scope.get(&joint.name).is_none() {
            self.declare(&joint.name.clone(), Binding::Joint, span)?;
        }
        self.quaternion_kinematics(&joint);
        if let Some(armature) = joint.armature {
            self.armature(&joint, armature);
        }
        self.bodies.joints[slot] = Some(joint);
        Ok(())
    }

    /// K1 of a quaternion in the rates about the carried axes, and of a position in the velocity along them.
    fn quaternion_kinematics(&mut self, joint: &Joint) {
        if joint.speeds.is_empty() {
            return;
        }
        let at = joint.coordinates.len() - 4;
        let e: [Expr; 4] = std::array::from_fn(|k| self.coordinate_value(joint.coordinates[at + k]));
        let speeds: Vec<Expr> = joint.speeds.iter().map(|&s| self.pool.var(self.speeds[s].symbol)).collect();
        let rows: [[(usize, i64); 3]; 4] = [
            [(1, -1), (2, -1), (3, -1)],
            [(0, 1), (3, -1), (2, 1)],
            [(3, 1), (0, 1), (1, -1)],
            [(2, -1), (1, 1), (0, 1)],
        ];
        for (k, row) in rows.iter().enumerate() {
            let parts: Vec<_> = (0..3)
                .map(|i| (self.pool.mul(e[row[i].0], speeds[i]), &Rational::HALF * &Rational::from(row[i].1)))
                .collect();
            let rate = self.pool.combine(parts);
            self.kinematics[joint.coordinates[at + k]] = Some((rate, joint.span));
        }
        if let [vx, vy, vz] = speeds[3..] {
            let R = quaternion(&mut self.pool, &e);
            let rates = super::algebra::apply(&mut self.pool, &R, &[vx, vy, vz]);
            for (k, rate) in rates.into_iter().enumerate() {
                self.kinematics[joint.coordinates[k]] = Some((rate, joint.span));
            }
        }
    }

    pub(super) fn coordinate_value(&mut self, i: usize) -> Expr {
        self.pool.var(self.coordinates[i].symbol)
    }

    /// `Ja/2 q'^2` for every coordinate of the joint, or speed.
    fn armature(&mut self, joint: &Joint, armature: Expr) {
        let rates: Vec<Expr> = match joint.speeds.is_empty() {
            true => joint.coordinates.iter().map(|&i| self.pool.var(self.coordinates[i].rate)).collect(),
            false => joint.speeds.iter().map(|&s| self.pool.var(self.speeds[s].symbol)).collect(),
        };
        let squares: Vec<Expr> = rates.into_iter().map(|rate| self.pool.powi(rate, 2)).collect();
        let sum = self.pool.total(squares);
        let half = self.pool.scale(armature, Rational::HALF);
        let expr = self.pool.mul(half, sum);
        self.kinetic.push(Part { expr, kind: UnitInfo::Missing, span: joint.span });
    }

    /// `limits a..b` of a joint: events where it passes one.
    fn limits(&mut self, j: usize, joint: &ast::Joint) -> Fallible<()> {
        for option in &joint.options {
            let JointOption::Limits(word, part, range) = option else { continue };
            let name = self.member(&joint.name)?;
            let name = match part {
                Some(part) => format!("{name}.{}", part.text),
                None => name,
            };
            let lower = self.constant_scalar(&range.first, "a limit")?;
            let upper = self.constant_scalar(&range.last, "a limit")?;
            if let [lower, upper] = self.parameter_numbers(&[lower, upper])[..]
                && lower > upper
            {
                let message =
                    format!("the limits of `{name}` are in the wrong order: {lower} is above {upper}");
                return self.error(Code::BadOption, range.span, &message);
            }
            let Some(Binding::Coordinate(i)) = self.scope.get(&name).cloned() else {
                let message = format!("`{name}` is not one freedom that limits can be on");
                let d = Diagnostic::error(Code::BadOption, word.span, message);
                return self.fail(d.help("a joint of several freedoms names one: `limits turn a..b`"));
            };
            let value = self.coordinate_value(i);
            let limit = Limit { value, name, lower, upper, span: range.span };
            if let Some(joint) = &mut self.bodies.joints[j] {
                joint.limits.push(limit);
            }
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
            let length = super::algebra::dot(&mut self.pool, &[x, y, z], &[x, y, z]);
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
        let zy = super::algebra::product(&mut self.pool, &z, &y);
        super::algebra::product(&mut self.pool, &zy, &x)
    }

    /// The angle of a plane rotation, or about an axis: `atan2` of sine and cosine.
    pub(super) fn angle_of(&mut self, sine: Expr, cosine: Expr) -> Expr {
        self.pool.call(Function::Atan2, &[sine, cosine])
    }
}
