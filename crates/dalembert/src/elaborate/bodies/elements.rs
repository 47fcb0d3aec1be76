//! Springs, dampers and torques: energies, Rayleigh functions and virtual work of what acts on bodies.

use super::super::roles::{Allowed, State};
use super::super::scope::Binding;
use super::super::{Elaborator, Fallible, Part, Reported};
use super::algebra::{apply, dot, neg, scale, sub};
use super::reactions::Wrench;
use crate::bodies::{Element, ElementKind, Placement, Vector, ZERO};
use dalembert_expr::{Expr, Pool, Rational};
use dalembert_syntax::ast::{self, ElementPlace, Target};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;

impl Elaborator<'_> {
    pub(in super::super) fn element(&mut self, element: &ast::Element, span: Span) -> Fallible<()> {
        let name = self.declared(&element.name, element.kind.word())?;
        if self.bodies.element_of.contains_key(&name) || self.bodies.plan.joint_of.contains_key(&name) {
            let message = format!("a joint or force element called `{name}` exists already");
            return self.error(Code::DeclaredTwice, element.name.span, &message);
        }
        let made = match (&element.place, element.kind) {
            (_, ast::ElementKind::Bushing) => self.bushing(element, span)?,
            (ElementPlace::Between(a, b), _) => self.line_element(element, (a, b), span)?,
            (ElementPlace::At(joint), _) => self.joint_element(element, &name, joint, span)?,
        };
        self.bodies.element_of.insert(name, self.bodies.elements.len());
        self.bodies.elements.push(made);
        Ok(())
    }

    pub(super) fn add_potential(&mut self, expr: Expr, span: Span) {
        self.energies.potential.push(Part { expr, kind: UnitInfo::Missing, span });
    }

    pub(super) fn add_dissipation(&mut self, expr: Expr, span: Span) {
        self.energies.dissipation.push(Part { expr, kind: UnitInfo::Missing, span });
    }

    /// `c/2 x^2`
    pub(super) fn half_square(&mut self, c: Expr, x: Expr) -> Expr {
        let half = self.pool.scale(c, Rational::HALF);
        self.pool.product([(half, Rational::ONE), (x, Rational::from(2))])
    }

    /// A spring or damper between two points: it pulls along the line between them.
    fn line_element(
        &mut self,
        element: &ast::Element,
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
        Ok(Element { kind: ElementKind::Line, force: vec![pull], torque: Vec::new() })
    }

    /// Opposite forces on two bodies: `force` on the first.
    pub(super) fn push_pair(&mut self, a: (&Placement, &Vector), b: (&Placement, &Vector), force: &Vector) {
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
        let (slot, k, on, q) = self.joint_freedom(element, target)?;
        let moment = match element.kind {
            ast::ElementKind::Spring => {
                let away = self.pool.sub(q, rest);
                let energy = self.half_square(value, away);
                self.add_potential(energy, span);
                self.pool.mul(value, away)
            }
            _ => {
                let rate = match on {
                    Binding::Coordinate(_) => self.dot.apply(&mut self.pool, q),
                    _ => self.rate_of_binding(on, name, span)?,
                };
                let power = self.half_square(value, rate);
                self.add_dissipation(power, span);
                self.pool.mul(value, rate)
            }
        };
        let kind = ElementKind::Joint(slot, k);
        Ok(Element { kind, force: vec![moment], torque: Vec::new() })
    }

    pub(super) fn push_torque(&mut self, on: Option<usize>, from: Option<usize>, torque: &Vector) {
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
        self.allow_in(torque, &value.scalars(), Allowed::only("a torque", State::Velocity).with_signals())?;
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
        let changes = self.virtual_of(&turning);
        let expr = dot(&mut self.pool, &T, &[changes[0], changes[1], changes[2]]);
        self.forces.work.push(Part { expr, kind: UnitInfo::Missing, span });
        self.push_torque(on_body, from_body, &T);
        Ok(())
    }

    /// The rate of a freedom of a joint that closes a loop, or one of its speeds.
    pub(in super::super) fn rate_of_binding(
        &mut self,
        on: Binding,
        name: &str,
        span: Span,
    ) -> Fallible<Expr> {
        if let Binding::Freedom(slot, k) = on {
            let Some(joint) = self.bodies.joints[slot].clone() else { return Err(Reported) };
            let gap = self.seen_gap(&joint, span)?;
            return self.freedom_rate(&joint, &gap, k);
        }
        let value = self.value_of_binding(on, name, span)?;
        Ok(self.as_scalar(value, span)?.0)
    }

    /// A motor at a joint that closes a loop: virtual work on its freedom.
    pub(in super::super) fn force_on_freedom(
        &mut self,
        on: Binding,
        name: &str,
        value: &ast::Expr,
        span: Span,
    ) -> Fallible<()> {
        let part = self.part(value, Allowed::only("a force", State::Velocity).with_signals())?;
        self.bodies.motors.push((on.clone(), part.expr));
        self.forces.on_freedoms.push((on.clone(), part.clone()));
        let rate = self.rate_of_binding(on, name, span)?;
        let change = self.virtual_of(&[rate])[0];
        let expr = self.pool.mul(part.expr, change);
        self.forces.work.push(Part { expr, kind: UnitInfo::Missing, span: part.span });
        Ok(())
    }
}
