//! Gravity, springs, dampers, bushings and torques: energies, Rayleigh functions and virtual work of what acts on bodies.

use super::super::roles::{Allowed, State};
use super::super::scope::Binding;
use super::super::{Elaborator, Fallible, Part};
use super::algebra::{add, apply, apply_transposed, cross, dot, neg, scale, sub, transposed};
use super::results::Wrench;
use crate::bodies::{Element, ElementKind, Placement, Vector, ZERO};
use dalembert_expr::{Expr, Pool, Rational, Symbol};
use dalembert_syntax::ast::{self, ElementPlace, Target};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;

impl Elaborator<'_> {
    pub(in super::super) fn gravity(&mut self, e: &ast::Expr, span: Span) -> Fallible<()> {
        let field = self.constant_vector(e)?;
        match self.bodies.gravity.replace((field, span)) {
            None => Ok(()),
            Some((_, first)) => {
                let d = Diagnostic::error(Code::StatementTwice, span, "`gravity` stands twice");
                self.fail(d.label(first, "first here"))
            }
        }
    }

    pub(in super::super) fn element(&mut self, element: &ast::Element, span: Span) -> Fallible<()> {
        let name = self.member(&element.name)?;
        if self.bodies.element_of.contains_key(&name) || self.bodies.plan.joint_of.contains_key(&name) {
            let message = format!("a joint or force element called `{name}` exists already");
            return self.error(Code::DeclaredTwice, element.name.span, &message);
        }
        let made = match (&element.place, element.kind) {
            (_, ast::ElementKind::Bushing) => self.bushing(element, &name, span)?,
            (ElementPlace::Between(a, b), _) => self.line_element(element, &name, (a, b), span)?,
            (ElementPlace::At(joint), _) => self.joint_element(element, &name, joint, span)?,
        };
        self.bodies.element_of.insert(name, self.bodies.elements.len());
        self.bodies.elements.push(made);
        Ok(())
    }

    pub(super) fn add_potential(&mut self, expr: Expr, span: Span) {
        self.potential.push(Part { expr, kind: UnitInfo::Missing, span });
    }

    fn add_dissipation(&mut self, expr: Expr, span: Span) {
        self.dissipation.push(Part { expr, kind: UnitInfo::Missing, span });
    }

    /// `c/2 x^2`
    fn half_square(&mut self, c: Expr, x: Expr) -> Expr {
        let half = self.pool.scale(c, Rational::HALF);
        self.pool.product([(half, Rational::ONE), (x, Rational::from(2))])
    }

    /// A spring or damper between two points: it pulls along the line between them.
    fn line_element(
        &mut self,
        element: &ast::Element,
        name: &str,
        (a, b): (&ast::Expr, &ast::Expr),
        span: Span,
    ) -> Fallible<Element> {
        let value = self.constant_scalar(&element.values[0], "a stiffness or damping")?;
        let rest = self.rest_of(element, "length")?;
        let ((on_a, p), (on_b, q)) = (self.element_point(a)?, self.element_point(b)?);
        let d = sub(&mut self.pool, &q, &p);
        let square = dot(&mut self.pool, &d, &d);
        if square == Pool::ZERO {
            return self.error(Code::BadOption, span, "the two points of this element are one");
        }
        let length = self.pool.sqrt(square);
        let pull = match element.kind {
            ast::ElementKind::Spring => {
                let stretch = self.pool.sub(length, rest);
                // A spring without length is smooth where its points meet.
                let energy = match rest == Pool::ZERO {
                    true => {
                        let half = self.pool.scale(value, Rational::HALF);
                        self.pool.mul(half, square)
                    }
                    false => self.half_square(value, stretch),
                };
                self.add_potential(energy, span);
                self.pool.mul(value, stretch)
            }
            _ => {
                let (of_a, of_b) = (self.velocity_of(&on_a, a.span)?, self.velocity_of(&on_b, b.span)?);
                let apart = sub(&mut self.pool, &of_b, &of_a);
                let along = dot(&mut self.pool, &d, &apart);
                let rate = self.pool.div(along, length);
                let power = self.half_square(value, rate);
                self.add_dissipation(power, span);
                self.pool.mul(value, rate)
            }
        };
        let factor = match rest == Pool::ZERO && element.kind == ast::ElementKind::Spring {
            true => value,
            false => self.pool.div(pull, length),
        };
        let force = scale(&mut self.pool, factor, &d);
        self.push_pair((&on_a, &p), (&on_b, &q), &force);
        Ok(Element {
            name: name.to_owned(),
            kind: ElementKind::Line,
            force: vec![pull],
            torque: Vec::new(),
            span,
        })
    }

    /// Opposite forces on two bodies: `force` on the first.
    fn push_pair(&mut self, a: (&Placement, &Vector), b: (&Placement, &Vector), force: &Vector) {
        let opposite = neg(&mut self.pool, force);
        for ((place, point), force) in [(a, *force), (b, opposite)] {
            if let Some(body) = place.body {
                self.bodies.wrenches.push((body, Wrench { point: *point, force, torque: ZERO }));
            }
        }
    }

    /// Where a spring is slack, 0 if nothing is said.
    fn rest_of(&mut self, element: &ast::Element, word: &str) -> Fallible<Expr> {
        match &element.rest {
            None => Ok(Pool::ZERO),
            Some((given, e)) if given.text == word => self.constant_scalar(e, "where a spring is slack"),
            Some((given, _)) => {
                let message = format!("a spring here has a `{word}`, not `{}`", given.text);
                let d = Diagnostic::error(Code::BadOption, given.span, message);
                self.fail(
                    d.help("`length` is for springs between points, `angle` for springs at joints that turn"),
                )
            }
        }
    }

    /// A spring or damper at the coordinate of a joint.
    fn joint_element(
        &mut self,
        element: &ast::Element,
        name: &str,
        target: &Target,
        span: Span,
    ) -> Fallible<Element> {
        let value = self.constant_scalar(&element.values[0], "a stiffness or damping")?;
        let rest = element.rest.as_ref().map(|(_, e)| self.constant_scalar(e, "where a spring is slack"));
        let rest = rest.transpose()?.unwrap_or(Pool::ZERO);
        let (slot, q) = self.joint_freedom(target)?;
        let moment = match element.kind {
            ast::ElementKind::Spring => {
                let away = self.pool.sub(q, rest);
                let energy = self.half_square(value, away);
                self.add_potential(energy, span);
                self.pool.mul(value, away)
            }
            _ => {
                let rate = self.dot.apply(&mut self.pool, q);
                let power = self.half_square(value, rate);
                self.add_dissipation(power, span);
                self.pool.mul(value, rate)
            }
        };
        let kind = ElementKind::Joint(slot);
        Ok(Element { name: name.to_owned(), kind, force: vec![moment], torque: Vec::new(), span })
    }

    /// The joint of a name and the value of its one freedom.
    fn joint_freedom(&mut self, target: &Target) -> Fallible<(usize, Expr)> {
        let name = self.member(target)?;
        let joint = Target { part: None, ..target.clone() };
        let joint = self.member(&joint)?;
        let Some(&slot) = self.bodies.plan.joint_of.get(&joint) else {
            let message = format!("no joint is called `{joint}`");
            return self.error(Code::UnknownName, target.span, &message);
        };
        let binding = match self.scope.get(&name).cloned() {
            Some(Binding::Joint) => self.scope.get(&format!("{name}.turn")).cloned(),
            other => other,
        };
        match binding {
            Some(binding @ (Binding::Coordinate(_) | Binding::Freedom(..))) => {
                let value = self.value_of_binding(binding, &name, target.span)?;
                let (q, _) = self.as_scalar(value, target.span)?;
                Ok((slot, q))
            }
            Some(Binding::Poisoned) => Err(super::super::Reported),
            None => {
                let message = format!("the joint `{joint}` is stated later");
                let d = Diagnostic::error(Code::UnknownName, target.span, message);
                self.fail(d.help("state the joint before what acts on it"))
            }
            _ => {
                let message =
                    format!("`{joint}` has several freedoms, or none that a spring or damper can act on");
                let d = Diagnostic::error(Code::BadOption, target.span, message);
                self.fail(d.help(format!("name one of them, as in `at {joint}.slide`")))
            }
        }
    }

    /// Stiffness and damping in the axes of the first frame; turns by the skew part s of the rotation R between the
    /// frames. Torque on the second: -(tr R - R^T) (k s)/2 - c w.
    fn bushing(&mut self, element: &ast::Element, name: &str, span: Span) -> Fallible<Element> {
        let ElementPlace::Between(a, b) = &element.place else { return Err(super::super::Reported) };
        let stiffness = self.bushing_values(&element.values[0])?;
        let damping =
            element.values.get(1).map(|e| self.bushing_values(e)).transpose()?.unwrap_or([Pool::ZERO; 6]);
        let ((on_a, p), (on_b, q)) = (self.element_point(a)?, self.element_point(b)?);
        let (pose_a, pose_b) = (self.pose(&on_a, a.span)?, self.pose(&on_b, b.span)?);
        let (motion_a, motion_b) = (self.motion(on_a.body, a.span)?, self.motion(on_b.body, b.span)?);
        let (of_a, of_b) = (self.velocity_of(&on_a, a.span)?, self.velocity_of(&on_b, b.span)?);
        let pool = &mut self.pool;
        let back = transposed(&pose_a.R);
        let between = sub(pool, &q, &p);
        let d = apply(pool, &back, &between);
        let R = super::algebra::product(pool, &back, &pose_b.R);
        let s: Vector = [(2, 1), (0, 2), (1, 0)].map(|(i, j)| {
            let skew = pool.sub(R[i][j], R[j][i]);
            pool.scale(skew, Rational::HALF)
        });
        // Rates in the axes of the first frame, which turn with it.
        let (w_a, w_b) = (apply(pool, &motion_a.R, &motion_a.w), apply(pool, &motion_b.R, &motion_b.w));
        let turning = sub(pool, &w_b, &w_a);
        let w = apply(pool, &back, &turning);
        let apart = sub(pool, &of_b, &of_a);
        let carried = cross(pool, &w_a, &between);
        let apart = sub(pool, &apart, &carried);
        let v = apply(pool, &back, &apart);
        for k in 0..6 {
            let (x, rate) = if k < 3 { (d[k], v[k]) } else { (s[k - 3], w[k - 3]) };
            let (energy, power) = (self.half_square(stiffness[k], x), self.half_square(damping[k], rate));
            self.add_potential(energy, span);
            self.add_dissipation(power, span);
        }
        let pool = &mut self.pool;
        let pull = |pool: &mut Pool, k: Expr, x: Expr, c: Expr, rate: Expr| {
            let (a, b) = (pool.mul(k, x), pool.mul(c, rate));
            pool.combine([(a, Rational::MINUS_ONE), (b, Rational::MINUS_ONE)])
        };
        let force: Vector = std::array::from_fn(|k| pull(pool, stiffness[k], d[k], damping[k], v[k]));
        let moment: Vector = std::array::from_fn(|k| pool.mul(stiffness[3 + k], s[k]));
        let trace = pool.total([R[0][0], R[1][1], R[2][2]]);
        let (all, turned) = (scale(pool, trace, &moment), apply_transposed(pool, &R, &moment));
        let conservative = sub(pool, &turned, &all);
        let torque: Vector = std::array::from_fn(|k| {
            let lost = pool.mul(damping[3 + k], w[k]);
            pool.combine([(conservative[k], Rational::HALF), (lost, Rational::MINUS_ONE)])
        });
        let (force, torque) = (apply(pool, &pose_a.R, &force), apply(pool, &pose_a.R, &torque));
        // On the first body the opposite acts at the same point.
        let opposite = neg(pool, &force);
        self.push_pair((&on_a, &q), (&on_b, &q), &opposite);
        self.push_torque(on_b.body, on_a.body, &torque);
        let (force, torque) = (self.vector_value(&force).scalars(), self.turn_value(&torque).scalars());
        Ok(Element { name: name.to_owned(), kind: ElementKind::Bushing, force, torque, span })
    }

    /// Three or six numbers in space, two or three in the plane: along the axes, then about them.
    fn bushing_values(&mut self, e: &ast::Expr) -> Fallible<[Expr; 6]> {
        let value = self.value(e)?;
        self.allow_in(e, &value.scalars(), Allowed::only("a stiffness or damping", State::Nothing))?;
        let zero = Pool::ZERO;
        match (&value.scalars()[..], self.bodies.plan.is_plane) {
            ([x, y], true) => Ok([*x, *y, zero, zero, zero, zero]),
            ([x, y, turn], true) => Ok([*x, *y, zero, zero, zero, *turn]),
            ([x, y, z], false) => Ok([*x, *y, *z, zero, zero, zero]),
            ([x, y, z, a, b, c], false) => Ok([*x, *y, *z, *a, *b, *c]),
            (_, is_plane) => {
                let wanted = if is_plane { "2 or 3" } else { "3 or 6" };
                let message = format!("a bushing takes {wanted} values: along the axes, then about them");
                self.error(Code::DimensionMismatch, e.span, &message)
            }
        }
    }

    fn push_torque(&mut self, on: Option<usize>, from: Option<usize>, torque: &Vector) {
        let opposite = neg(&mut self.pool, torque);
        for (body, torque) in [(on, *torque), (from, opposite)] {
            if let Some(body) = body {
                self.bodies.wrenches.push((body, Wrench { point: ZERO, force: ZERO, torque }));
            }
        }
    }

    /// `torque T on B from A`: virtual work T . (turn of B - turn of A).
    pub(in super::super) fn torque(
        &mut self,
        torque: &ast::Expr,
        on: &Target,
        from: Option<&Target>,
        span: Span,
    ) -> Fallible<()> {
        let value = self.value(torque)?;
        self.allow_in(torque, &value.scalars(), Allowed::only("a torque", State::Velocity))?;
        let is_plane = self.bodies.plan.is_plane;
        let T = match (&value.scalars()[..], is_plane) {
            ([z], true) => [Pool::ZERO, Pool::ZERO, *z],
            _ => self.space_vector(&value, torque.span)?,
        };
        let name = self.member(on)?;
        let on_body = self.place_by_name(&name, on.span)?.body;
        let from_body = match from {
            Some(from) => {
                let name = self.member(from)?;
                self.place_by_name(&name, from.span)?.body
            }
            None => None,
        };
        let (b, a) = (self.motion(on_body, on.span)?, self.motion(from_body, on.span)?);
        let (w_b, w_a) = (apply(&mut self.pool, &b.R, &b.w), apply(&mut self.pool, &a.R, &a.w));
        let turning = sub(&mut self.pool, &w_b, &w_a);
        let coefficients = self.virtual_of(&turning);
        let expr = dot(&mut self.pool, &T, &coefficients);
        self.work.push(Part { expr, kind: UnitInfo::Missing, span });
        self.push_torque(on_body, from_body, &T);
        Ok(())
    }

    /// A motor at a joint that closes a loop: virtual work on its freedom.
    pub(in super::super) fn force_on_freedom(
        &mut self,
        on: Binding,
        name: &str,
        value: &ast::Expr,
        span: Span,
    ) -> Fallible<()> {
        let part = self.part(value, Allowed::only("a force", State::Velocity))?;
        let freedom = self.value_of_binding(on, name, span)?;
        let change = self.displacement(&freedom, span)?;
        let (change, _) = self.as_scalar(change, span)?;
        let expr = self.pool.mul(part.expr, change);
        self.work.push(Part { expr, kind: UnitInfo::Missing, span: part.span });
        Ok(())
    }

    /// A velocity that is linear in the rates as a virtual displacement.
    fn virtual_of(&mut self, v: &Vector) -> Vector {
        let mut images: Vec<(Symbol, Expr)> = Vec::new();
        for k in 0..self.coordinates.len() {
            let delta = self.pool.var(self.coordinates[k].displacement);
            images.push((self.coordinates[k].rate, delta));
        }
        for k in 0..self.speeds.len() {
            let delta = self.pool.var(self.speeds[k].displacement);
            images.push((self.speeds[k].symbol, delta));
        }
        let moved = self.pool.substitute(v, &images);
        [moved[0], moved[1], moved[2]]
    }

    /// Kinetic and potential energy of every body (T in body axes).
    pub(super) fn body_energies(&mut self) -> Fallible<()> {
        for b in 0..self.bodies.bodies.len() {
            let Some(body) = self.bodies.bodies[b].clone() else { continue };
            let T = self.kinetic_of(b, body.span)?;
            if T != Pool::ZERO {
                self.kinetic.push(Part { expr: T, kind: UnitInfo::Missing, span: body.span });
            }
            let Some((field, span)) = self.bodies.gravity else { continue };
            let motion = self.motion(Some(b), span)?;
            let arm = apply(&mut self.pool, &motion.R, &body.centre);
            let centre = add(&mut self.pool, &motion.p, &arm);
            let fall = dot(&mut self.pool, &field, &centre);
            let weight = self.pool.mul(body.mass, fall);
            let V = self.pool.neg(weight);
            if V != Pool::ZERO {
                self.add_potential(V, span);
            }
        }
        Ok(())
    }

    /// `m v_c^2/2 + w J w/2`
    pub(super) fn kinetic_of(&mut self, b: usize, span: Span) -> Fallible<Expr> {
        let Some(body) = self.bodies.bodies[b].clone() else { return Ok(Pool::ZERO) };
        let motion = self.motion(Some(b), span)?;
        let pool = &mut self.pool;
        let lever = cross(pool, &motion.w, &body.centre);
        let v = add(pool, &motion.v, &lever);
        let (square, angular) = (dot(pool, &v, &v), apply(pool, &body.inertia, &motion.w));
        let (moving, turning) = (pool.mul(body.mass, square), dot(pool, &motion.w, &angular));
        let twice = pool.add(moving, turning);
        Ok(pool.scale(twice, Rational::HALF))
    }
}
