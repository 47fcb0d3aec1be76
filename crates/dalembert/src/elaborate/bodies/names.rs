//! Bodies in expressions: points and directions fixed in them, and their properties.

use super::super::scope::Binding;
use super::super::value::Value;
use super::super::{Elaborator, Fallible, Reported};
use super::algebra::{Motion, add, apply};
use super::plan::GROUND;
use crate::bodies::{Matrix3, Placement, Vector};
use dalembert_expr::Expr;
use dalembert_syntax::ast::{self, ExprKind};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;

impl Elaborator<'_> {
    /// `P of B` and `u in B`.
    pub(in super::super) fn fixed_in(
        &mut self,
        what: &ast::Expr,
        body: &ast::Expr,
        is_point: bool,
    ) -> Fallible<Value> {
        let value = self.value(what);
        let name = self.spelt_name(body)?;
        let place = self.place_by_name(&name, body.span);
        let (value, place) = (value?, place?);
        let local = self.space_vector(&value, what.span)?;
        let pose = self.seen_pose(&place, body.span)?;
        let turned = apply(&mut self.pool, &pose.R, &local);
        let found = if is_point { add(&mut self.pool, &pose.p, &turned) } else { turned };
        Ok(self.vector_value(&found))
    }

    /// Where a place on a body is in space; its velocities are left out.
    pub(super) fn pose(&mut self, place: &Placement, span: Span) -> Fallible<Motion> {
        let body = self.motion(place.body, span)?;
        let body = Motion { R: body.R, p: body.p, ..Motion::REST };
        Ok(body.then(&mut self.pool, &Motion::fixed(&place.at, &place.turned)))
    }

    /// Where the model sees a place on a body.
    pub(super) fn seen_pose(&mut self, place: &Placement, span: Span) -> Fallible<Motion> {
        let body = self.seen_motion(place.body, span)?;
        let body = Motion { R: body.R, p: body.p, ..Motion::REST };
        Ok(body.then(&mut self.pool, &Motion::fixed(&place.at, &place.turned)))
    }

    /// A vector in space as a value: two components in the plane.
    pub(super) fn vector_value(&self, v: &Vector) -> Value {
        let n = if self.bodies.plan.is_plane { 2 } else { 3 };
        Value::Vector(v[..n].iter().map(|e| scalar(*e)).collect())
    }

    /// An angular quantity: a number in the plane.
    pub(super) fn turn_value(&self, v: &Vector) -> Value {
        if self.bodies.plan.is_plane { scalar(v[2]) } else { self.vector_value(v) }
    }

    fn matrix_value(&self, m: &Matrix3) -> Value {
        let n = if self.bodies.plan.is_plane { 2 } else { 3 };
        let row = |row: &Vector| Value::Vector(row[..n].iter().map(|e| scalar(*e)).collect());
        Value::Vector(m[..n].iter().map(row).collect())
    }

    /// What a name with a part stands for: a coordinate or speed of a joint, or a property of a body. `None` if the
    /// expression before the dot is something else.
    pub(in super::super) fn body_component(
        &mut self,
        base: &ast::Expr,
        part: &str,
        span: Span,
    ) -> Option<Fallible<Value>> {
        let named = match &base.kind {
            ExprKind::Name(_) => true,
            ExprKind::Index(inner, _) => matches!(inner.kind, ExprKind::Name(_)),
            _ => false,
        };
        if !named || self.bodies.plan.bodies.is_empty() {
            return None;
        }
        let Ok(name) = self.spelt_name(base) else { return Some(Err(Reported)) };
        if let Some(binding) = self.scope.get(&format!("{name}.{part}")).cloned() {
            return Some(match binding {
                Binding::Poisoned => Err(Reported),
                binding => self.value_of_binding(binding, &name, base.span),
            });
        }
        match self.scope.get(&name) {
            Some(Binding::Body(_) | Binding::Frame(_)) => Some(self.property(&name, part, base.span, span)),
            Some(Binding::Joint) => {
                let message = format!("the joint `{name}` has no coordinate or speed `{part}`");
                let d = Diagnostic::error(Code::NoSuchComponent, span, message);
                let help = self.names_of_joint(&name).unwrap_or_default();
                Some(self.fail(d.help(help)))
            }
            None if name == GROUND => Some(self.property(&name, part, base.span, span)),
            _ => None,
        }
    }

    /// What the coordinates and speeds of a joint are called that has been stated.
    pub(in super::super) fn names_of_joint(&self, name: &str) -> Option<String> {
        let joint = self.bodies.joints.iter().flatten().find(|joint| joint.name == name)?;
        Some(joint.kind.names_of(name, self.bodies.plan.is_plane))
    }

    fn property(&mut self, name: &str, part: &str, on: Span, span: Span) -> Fallible<Value> {
        let place = self.place_by_name(name, on)?;
        let body = place.body.and_then(|b| self.bodies.bodies[b].clone());
        match part {
            "origin" => {
                let pose = self.seen_pose(&place, on)?;
                Ok(self.vector_value(&pose.p))
            }
            "axes" => {
                let pose = self.seen_pose(&place, on)?;
                Ok(self.matrix_value(&pose.R))
            }
            "omega" => {
                let motion = self.seen_motion(place.body, on)?;
                let w = apply(&mut self.pool, &motion.R, &motion.w);
                Ok(self.turn_value(&w))
            }
            "mass" if body.is_some() => Ok(scalar(body.map_or(dalembert_expr::Pool::ZERO, |body| body.mass))),
            "centre" if body.is_some() => {
                let motion = self.seen_motion(place.body, on)?;
                let centre = body.map_or(crate::bodies::ZERO, |body| body.centre);
                let turned = apply(&mut self.pool, &motion.R, &centre);
                let centre = add(&mut self.pool, &motion.p, &turned);
                Ok(self.vector_value(&centre))
            }
            _ => {
                let message = format!("`{name}` has no `{part}`");
                let d = Diagnostic::error(Code::NoSuchComponent, span, message);
                self.fail(d.help(
                    "a body has `origin`, `centre`, `axes`, `omega`, `mass` and the coordinates of its joint",
                ))
            }
        }
    }

    /// The value of a coordinate or freedom where bodies are, whether reactions are asked for or not.
    pub(super) fn unreleased_value(&mut self, binding: Binding, name: &str, span: Span) -> Fallible<Expr> {
        if let Binding::Freedom(slot, k) = binding {
            let Some(joint) = self.bodies.joints[slot].clone() else { return Err(Reported) };
            let gap = self.gap(&joint, span)?;
            return Ok(self.freedom(&joint, &gap, k));
        }
        let value = self.value_of_binding(binding, name, span)?;
        Ok(self.as_scalar(value, span)?.0)
    }

    /// The value of a name, where it is one.
    pub(in super::super) fn value_of_binding(
        &mut self,
        binding: Binding,
        name: &str,
        span: Span,
    ) -> Fallible<Value> {
        match binding {
            Binding::Freedom(slot, k) => {
                let Some(joint) = self.bodies.joints[slot].clone() else { return Err(Reported) };
                let gap = self.seen_gap(&joint, span)?;
                Ok(scalar(self.freedom(&joint, &gap, k)))
            }
            Binding::FreedomSpeed(slot, k) => {
                let Some(joint) = self.bodies.joints[slot].clone() else { return Err(Reported) };
                Ok(scalar(self.speed_of_freedom(&joint, k, span)?))
            }
            Binding::Body(_) | Binding::Frame(_) => {
                let message = format!("`{name}` is a body or frame, not a value");
                let d = Diagnostic::error(Code::ValueExpected, span, message);
                self.fail(d.help(format!("take a point of it, `[0, 0, 0] of {name}`, or `{name}.origin`")))
            }
            Binding::Joint => {
                let message = format!("the joint `{name}` has several coordinates, or none");
                let d = Diagnostic::error(Code::ValueExpected, span, message);
                self.fail(d.help(format!("name one of them, as in `{name}.turn` or `{name}.x`")))
            }
            Binding::Function(_) | Binding::Table(_) => {
                let message = format!("`{name}` is a function, not a value");
                let d = Diagnostic::error(Code::ValueExpected, span, message);
                self.fail(d.help(format!("call it with its arguments: `{name}(...)`")))
            }
            other => Ok(self.bound_value(other)),
        }
    }

    /// A point of a force element: an expression, or the name of a body or frame for its origin. With the body it is on.
    pub(super) fn element_point(&mut self, e: &ast::Expr) -> Fallible<(Placement, Vector)> {
        let (at, body) = match &e.kind {
            ExprKind::Of(at, body) => (Some(&**at), &**body),
            _ => (None, e),
        };
        let on_body = matches!(&body.kind, ExprKind::Name(_) | ExprKind::Index(..));
        if !on_body {
            return self.space_point(e);
        }
        let name = self.spelt_name(body)?;
        if at.is_none() && matches!(self.scope.get(&name), Some(Binding::Value(_))) {
            return self.space_point(e);
        }
        let place = self.place_by_name(&name, body.span)?;
        let at = at.map_or(Ok(crate::bodies::ZERO), |at| self.constant_vector(at))?;
        let on = Motion::fixed(&place.at, &place.turned)
            .then(&mut self.pool, &Motion::fixed(&at, &crate::bodies::IDENTITY));
        let place = Placement { body: place.body, at: on.p, turned: on.R };
        let pose = self.pose(&place, e.span)?;
        Ok((place, pose.p))
    }

    /// A point that is fixed in space, given by its coordinates.
    fn space_point(&mut self, e: &ast::Expr) -> Fallible<(Placement, Vector)> {
        let at = self.constant_vector(e)?;
        Ok((Placement { body: None, at, turned: crate::bodies::IDENTITY }, at))
    }

    /// The velocity in space of a point fixed on a body, from the motion of the body.
    pub(super) fn velocity_of(&mut self, place: &Placement, span: Span) -> Fallible<Vector> {
        let body = self.motion(place.body, span)?;
        let lever = super::algebra::cross(&mut self.pool, &body.w, &place.at);
        let v = add(&mut self.pool, &body.v, &lever);
        Ok(apply(&mut self.pool, &body.R, &v))
    }
}

pub(super) fn scalar(e: Expr) -> Value {
    Value::Scalar(e, UnitInfo::Missing)
}
