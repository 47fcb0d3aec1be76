//! Where bodies are and how they move: poses outward along the tree, velocities in body axes (B1).
//!
//! Poses and velocities are built once for each body, from its parent; the pool shares what is equal, so that a chain
//! grows as its length does.

use super::super::{Elaborator, Fallible};
use super::algebra::{Motion, add, apply, product, rotation, unit};
use crate::bodies::motion::{JointVariables, Moving, relative_motion};
use crate::bodies::{IDENTITY, Joint, Matrix3, Vector, ZERO};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;

/// The motion of a body.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct BodyMotion {
    /// Relative to the body that carries it.
    pub relative: Motion,
    /// Its axes in space, as columns.
    pub R: Matrix3,
    /// Its origin in space.
    pub p: Vector,
    /// Its angular velocity, in its axes.
    pub w: Vector,
    /// The velocity of its origin, in its axes.
    pub v: Vector,
}

impl BodyMotion {
    pub(crate) const GROUND: BodyMotion =
        BodyMotion { relative: Motion::REST, R: IDENTITY, p: ZERO, w: ZERO, v: ZERO };
}

impl Elaborator<'_> {
    /// The motion of a body, once the joints on the way to it have been read.
    pub(super) fn motion(&mut self, body: Option<usize>, span: Span) -> Fallible<BodyMotion> {
        let Some(body) = body else { return Ok(BodyMotion::GROUND) };
        let mut way = Vec::new();
        let mut at = Some(body);
        while let Some(b) = at.filter(|&b| self.bodies.motions[b].is_none()) {
            way.push(b);
            at = self.bodies.plan.bodies[b].parent;
        }
        for b in way.into_iter().rev() {
            let moved = self.motion_from_parent(b, span)?;
            self.bodies.motions[b] = Some(moved);
        }
        Ok(self.bodies.motions[body].unwrap_or(BodyMotion::GROUND))
    }

    fn motion_from_parent(&mut self, b: usize, span: Span) -> Fallible<BodyMotion> {
        let Moving { relative, angle, w, v } = self.moving(b, span)?;
        let parent = self.bodies.plan.bodies[b].parent;
        let parent = parent.and_then(|p| self.bodies.motions[p]).unwrap_or(BodyMotion::GROUND);
        let pool = &mut self.pool;
        let moved = apply(pool, &parent.R, &relative.p);
        let R = match self.bodies.plan.is_plane {
            // One angle instead of products of rotations.
            true => rotation(pool, &unit(2), angle),
            false => product(pool, &parent.R, &relative.R),
        };
        Ok(BodyMotion { R, p: add(pool, &parent.p, &moved), w, v, relative })
    }

    /// The motions of all bodies where joints were asked for forces: they name declared speeds, which belong to the kinematics
    /// once those are solved.
    pub(in super::super) fn read_motions(&mut self) -> Fallible<()> {
        let Some(span) = self.bodies.requests.first().map(|request| request.span) else { return Ok(()) };
        (0..self.bodies.plan.bodies.len()).try_for_each(|b| self.moving(b, span).map(drop))
    }

    /// How a body moves, once the joints on the way to it have been read.
    pub(super) fn moving(&mut self, body: usize, span: Span) -> Fallible<Moving> {
        let mut way = Vec::new();
        let mut at = Some(body);
        while let Some(b) = at.filter(|&b| self.bodies.moving[b].is_none()) {
            way.push(b);
            at = self.bodies.plan.bodies[b].parent;
        }
        for b in way.into_iter().rev() {
            let moved = self.moving_from_parent(b, span)?;
            self.bodies.moving[b] = Some(moved);
        }
        Ok(self.bodies.moving[body].unwrap_or(Moving::GROUND))
    }

    fn moving_from_parent(&mut self, b: usize, span: Span) -> Fallible<Moving> {
        let planned = &self.bodies.plan.bodies[b];
        let (slot, parent) = (planned.joint.unwrap_or(self.bodies.plan.joints.len() + b), planned.parent);
        let Some(joint) = self.bodies.joints[slot].clone() else {
            return self.not_carried_yet(b, span);
        };
        let parent = parent.and_then(|p| self.bodies.moving[p]).unwrap_or(Moving::GROUND);
        let variables = self.joint_variables(&joint);
        let relative = relative_motion(&mut self.pool, &joint, &variables, self.bodies.plan.is_plane);
        Ok(parent.carry(&mut self.pool, relative))
    }

    fn not_carried_yet<T>(&mut self, b: usize, span: Span) -> Fallible<T> {
        let name = self.bodies.plan.bodies[b].name.clone();
        if self.diagnostics.iter().any(Diagnostic::is_error) {
            return Err(super::super::Reported);
        }
        let message = format!("where `{name}` is depends on a joint that is stated later");
        let d = Diagnostic::error(Code::UnknownName, span, message);
        self.fail(d.help("state bodies and joints before places on them are used"))
    }

    /// Coordinates of a joint with their rates as the text names them, and its declared speeds.
    fn joint_variables(&mut self, joint: &Joint) -> JointVariables {
        let q = joint.coordinates.iter().map(|&i| self.coordinate_value(i)).collect();
        let rate = joint.coordinates.iter().map(|&i| self.pool.var(self.frame.coordinates[i].rate)).collect();
        let speed = joint.speeds.iter().map(|&s| self.pool.var(self.frame.speeds[s].symbol)).collect();
        JointVariables { q, rate, speed }
    }
}
