//! Where bodies are and how they move: poses outward along the tree, velocities in body axes (B1).
//!
//! Poses and velocities are built once for each body, from its parent; the pool shares what is equal, so that a chain
//! grows as its length does.

use super::super::{Elaborator, Fallible};
use super::algebra::{
    Motion, across, add, apply, apply_transposed, cross, product, quaternion, rotation, scale, screw_lead,
    unit,
};
use crate::bodies::{IDENTITY, Joint, JointKind, JointRole, Matrix3, Placement, Vector, ZERO};
use dalembert_expr::{Expr, Pool};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;

/// How a body moves, without where it is: what its kinetic energy takes.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Moving {
    /// Relative to the body that carries it.
    pub relative: Motion,
    /// Its turn in the plane.
    pub angle: Expr,
    /// Its angular velocity, in its axes.
    pub w: Vector,
    /// The velocity of its origin, in its axes.
    pub v: Vector,
}

impl Moving {
    const GROUND: Moving = Moving { relative: Motion::REST, angle: Pool::ZERO, w: ZERO, v: ZERO };
}

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
    pub const GROUND: BodyMotion =
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
        let (relative, angle) = self.relative_motion(&joint);
        let pool = &mut self.pool;
        let angle = pool.add(parent.angle, angle);
        let lever = cross(pool, &parent.w, &relative.p);
        let at = add(pool, &parent.v, &lever);
        let (w, v) =
            (apply_transposed(pool, &relative.R, &parent.w), apply_transposed(pool, &relative.R, &at));
        Ok(Moving { angle, w: add(pool, &w, &relative.w), v: add(pool, &v, &relative.v), relative })
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

    /// The motion of the carried body relative to the one that carries it, and its turn in the plane.
    fn relative_motion(&mut self, joint: &Joint) -> (Motion, Expr) {
        let (moved, angle) = self.joint_motion(joint);
        let is_reversed = matches!(joint.role, JointRole::Carries { reversed: true, .. });
        let pool = &mut self.pool;
        let (from, to, moved) = match is_reversed {
            true => (&joint.second, &joint.first, moved.inverse(pool)),
            false => (&joint.first, &joint.second, moved),
        };
        let placed = Motion::fixed(&from.at, &from.turned).then(pool, &moved);
        let back = Motion::fixed(&to.at, &to.turned).inverse(pool);
        let whole = placed.then(pool, &back);
        let angle = if is_reversed { pool.neg(angle) } else { angle };
        let fixed = self.fixed_angle(from, to);
        (whole, self.pool.add(angle, fixed))
    }

    /// In the plane, how far the axes of one place are turned against those of the other.
    fn fixed_angle(&mut self, from: &Placement, to: &Placement) -> Expr {
        if !self.bodies.plan.is_plane {
            return Pool::ZERO;
        }
        let [a, b] = [from, to].map(|place| match place.turned == IDENTITY {
            true => Pool::ZERO,
            false => self.angle_of(place.turned[1][0], place.turned[0][0]),
        });
        self.pool.sub(a, b)
    }

    /// How the second place of a joint moves relative to the first, in its coordinates.
    fn joint_motion(&mut self, joint: &Joint) -> (Motion, Expr) {
        let q: Vec<Expr> = joint.coordinates.iter().map(|&i| self.coordinate_value(i)).collect();
        let rate: Vec<Expr> =
            joint.coordinates.iter().map(|&i| self.pool.var(self.coordinates[i].rate)).collect();
        let speed: Vec<Expr> = joint.speeds.iter().map(|&s| self.pool.var(self.speeds[s].symbol)).collect();
        let pool = &mut self.pool;
        let turn = |pool: &mut Pool, u: &Vector, k: usize| Motion {
            R: rotation(pool, u, q[k]),
            w: scale(pool, rate[k], u),
            ..Motion::REST
        };
        let slide = |pool: &mut Pool, u: &Vector, k: usize| Motion {
            p: scale(pool, q[k], u),
            v: scale(pool, rate[k], u),
            ..Motion::REST
        };
        match joint.kind {
            JointKind::Weld | JointKind::Rod => (Motion::REST, Pool::ZERO),
            JointKind::Pin => {
                let along = joint.axes[0][2];
                (turn(pool, &joint.axes[0], 0), pool.mul(along, q[0]))
            }
            JointKind::Slider => (slide(pool, &joint.axes[0], 0), Pool::ZERO),
            JointKind::Cylindrical => {
                let (turned, slid) = (turn(pool, &joint.axes[0], 0), slide(pool, &joint.axes[0], 1));
                (slid.then(pool, &turned), Pool::ZERO)
            }
            JointKind::Screw => {
                let lead = screw_lead(pool, joint.size);
                let turned = turn(pool, &joint.axes[0], 0);
                let (advance, speed) = (pool.mul(lead, q[0]), pool.mul(lead, rate[0]));
                let (p, v) = (scale(pool, advance, &joint.axes[0]), scale(pool, speed, &joint.axes[0]));
                (Motion { p, v, ..turned }, Pool::ZERO)
            }
            JointKind::Universal => {
                let (first, second) = (turn(pool, &joint.axes[0], 0), turn(pool, &joint.axes[1], 1));
                (first.then(pool, &second), Pool::ZERO)
            }
            JointKind::Ball => {
                let R = quaternion(pool, &[q[0], q[1], q[2], q[3]]);
                (Motion { R, w: [speed[0], speed[1], speed[2]], ..Motion::REST }, Pool::ZERO)
            }
            JointKind::Free if joint.speeds.is_empty() => planar(pool, &IDENTITY, &q, &rate),
            JointKind::Planar => {
                let axes = across(pool, &joint.axes[0]);
                planar(pool, &axes, &q, &rate)
            }
            JointKind::Free => {
                let R = quaternion(pool, &[q[3], q[4], q[5], q[6]]);
                let (w, v) = ([speed[0], speed[1], speed[2]], [speed[3], speed[4], speed[5]]);
                (Motion { R, p: [q[0], q[1], q[2]], w, v }, Pool::ZERO)
            }
            JointKind::FreePoint => {
                let at = |list: &[Expr]| std::array::from_fn(|k| list.get(k).copied().unwrap_or(Pool::ZERO));
                (Motion { p: at(&q), v: at(&rate), ..Motion::REST }, Pool::ZERO)
            }
        }
    }
}

/// x and y along the first two of some axes, and a turn about the third.
fn planar(pool: &mut Pool, axes: &[Vector; 3], q: &[Expr], rate: &[Expr]) -> (Motion, Expr) {
    let along = |pool: &mut Pool, k: &[Expr]| {
        let (x, y) = (scale(pool, k[0], &axes[0]), scale(pool, k[1], &axes[1]));
        add(pool, &x, &y)
    };
    let R = rotation(pool, &axes[2], q[2]);
    let (p, moved) = (along(pool, q), along(pool, rate));
    let v = apply_transposed(pool, &R, &moved);
    (Motion { R, p, w: scale(pool, rate[2], &axes[2]), v }, q[2])
}
