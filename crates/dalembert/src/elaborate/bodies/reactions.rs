//! What joints do through their bearings (B5).
//!
//! The force of a joint that carries a body is what the parts outboard of it need beyond all that acts on them
//! (Newton-Euler, inward along the tree); what motors, springs and dampers do along the freedoms of the joint is taken
//! away, for bearings hold only across them. A joint that closes a loop has the multipliers of its rows.

use super::super::roles::Role;
use super::super::{Elaborator, Fallible, Reported};
use super::algebra::{add, apply, apply_transposed, cross, dot, neg, scale, screw_lead, sub, unit};
use super::closure::{held_points, held_torques};
use crate::bodies::{Joint, JointKind, JointRole, Vector, ZERO};
use dalembert_expr::{Expr, Pool, Rational, Symbol};
use dalembert_syntax::source::Span;

/// A force at a point and a torque, in space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wrench {
    pub point: Vector,
    pub force: Vector,
    pub torque: Vector,
}

/// Force and torque about the origin of a body, in its axes.
pub(super) type Load = (Vector, Vector);

impl Elaborator<'_> {
    /// Force and torque of the bearings of a joint on its second body, at its point there, in space.
    pub(super) fn bearing(&mut self, joint: &Joint, loads: &[Load]) -> Fallible<(Vector, Vector)> {
        match &joint.role {
            JointRole::Cut { .. } => self.closing_force(joint),
            JointRole::Carries { body, reversed } => {
                let load = loads.get(*body).copied().unwrap_or((ZERO, ZERO));
                let total = self.carrying_force(joint, *body, *reversed, load)?;
                self.across_freedoms(joint, total)
            }
        }
    }

    /// Forces of the joints on loops, and torques over a length: the root mean square of places of those joints on
    /// their bodies.
    pub(super) fn loop_forces(&mut self, loads: &[Load], images: &[(Symbol, Expr)]) -> Fallible<Vec<Expr>> {
        let joints: Vec<Joint> =
            self.on_loops().into_iter().filter_map(|slot| self.bodies.joints[slot].clone()).collect();
        let places: Vec<Vector> = joints.iter().flat_map(|joint| [joint.first.at, joint.second.at]).collect();
        let squares: Vec<Expr> = places.iter().map(|at| dot(&mut self.pool, at, at)).collect();
        let sum = self.pool.total(squares);
        let mean =
            self.pool.scale(sum, Rational::new(1, places.len().max(1) as i64).unwrap_or(Rational::ONE));
        let length = if sum == Pool::ZERO { Pool::ONE } else { self.pool.sqrt(mean) };
        let mut forces = Vec::new();
        for joint in &joints {
            let (force, torque) = self.bearing(joint, loads)?;
            forces.extend(force);
            forces.extend(torque.map(|e| self.pool.div(e, length)));
        }
        Ok(self.pool.substitute(&forces, images))
    }

    /// Joints that close loops, and those that carry bodies on the way round.
    fn on_loops(&self) -> Vec<usize> {
        let to_ground = |start: Option<usize>| {
            let mut way = Vec::new();
            let mut at = start;
            while let Some(b) = at {
                way.push(self.bodies.bodies[b].as_ref().map_or(usize::MAX, |body| body.joint));
                at = self.bodies.plan.bodies[b].parent;
            }
            way
        };
        let mut found = Vec::new();
        for (slot, joint) in self.bodies.joints.iter().enumerate() {
            let Some(joint) = joint.as_ref().filter(|joint| !super::carries(joint)) else { continue };
            let (mut first, mut second) = (to_ground(joint.first.body), to_ground(joint.second.body));
            while first.last().is_some() && first.last() == second.last() {
                first.pop();
                second.pop();
            }
            found.push(slot);
            found.extend(first.into_iter().chain(second).filter(|&j| j < self.bodies.joints.len()));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// All that goes through a joint that carries a body, at Q of its second body.
    fn carrying_force(
        &mut self,
        joint: &Joint,
        body: usize,
        reversed: bool,
        load: Load,
    ) -> Fallible<(Vector, Vector)> {
        let motion = self.motion(Some(body), joint.span)?;
        let at = self.pose(&joint.second, joint.span)?.p;
        let pool = &mut self.pool;
        let (force, torque) = (apply(pool, &motion.R, &load.0), apply(pool, &motion.R, &load.1));
        let arm = sub(pool, &motion.p, &at);
        let moved = cross(pool, &arm, &force);
        let torque = add(pool, &torque, &moved);
        Ok(match reversed {
            true => (neg(pool, &force), neg(pool, &torque)),
            false => (force, torque),
        })
    }

    /// Bearings hold across the freedoms of a joint; the rest is its drive.
    fn across_freedoms(
        &mut self,
        joint: &Joint,
        (force, torque): (Vector, Vector),
    ) -> Fallible<(Vector, Vector)> {
        let first = self.pose(&joint.first, joint.span)?;
        let second = self.pose(&joint.second, joint.span)?;
        let pool = &mut self.pool;
        let axis = joint.axes.first().copied().unwrap_or(unit(2));
        let u = apply(pool, &first.R, &axis);
        let along = |pool: &mut Pool, v: &Vector| {
            let size = dot(pool, &u, v);
            scale(pool, size, &u)
        };
        let across = |pool: &mut Pool, v: &Vector| {
            let part = along(pool, v);
            sub(pool, v, &part)
        };
        Ok(match joint.kind {
            JointKind::Weld => (force, torque),
            JointKind::Pin => (force, across(pool, &torque)),
            JointKind::Slider => (across(pool, &force), torque),
            JointKind::Cylindrical => (across(pool, &force), across(pool, &torque)),
            JointKind::Screw => {
                let lead = screw_lead(pool, joint.size);
                let thrust = dot(pool, &u, &force);
                let held = pool.mul(lead, thrust);
                let (across, held) = (across(pool, &torque), scale(pool, held, &u));
                (force, sub(pool, &across, &held))
            }
            JointKind::Universal => {
                let v = apply(pool, &second.R, &joint.axes[1]);
                let n = cross(pool, &u, &v);
                let size = dot(pool, &n, &torque);
                (force, scale(pool, size, &n))
            }
            JointKind::Ball => (force, ZERO),
            JointKind::Planar if !self.bodies.plan.is_plane => (along(pool, &force), across(pool, &torque)),
            JointKind::Planar | JointKind::Free | JointKind::FreePoint | JointKind::Rod => (ZERO, ZERO),
        })
    }

    /// The multipliers of a closure as force and torque on its second body.
    fn closing_force(&mut self, joint: &Joint) -> Fallible<(Vector, Vector)> {
        let is_plane = self.bodies.plan.is_plane;
        let multipliers = self.multipliers_of(joint);
        let gap = self.gap(joint, joint.span)?;
        let first = self.pose(&joint.first, joint.span)?;
        let pool = &mut self.pool;
        let (mut force, mut torque) = (ZERO, ZERO);
        let mut rest = multipliers.iter().copied();
        if joint.kind == JointKind::Rod {
            let square = dot(pool, &gap.d, &gap.d);
            let length = pool.sqrt(square);
            let pull = rest.next().map_or(Pool::ZERO, |m| pool.div(m, length));
            force = scale(pool, pull, &gap.d);
        }
        for ((_, n), multiplier) in held_points(pool, joint, is_plane).into_iter().zip(rest.by_ref()) {
            let part = scale(pool, multiplier, &n);
            force = add(pool, &force, &part);
        }
        for (n, multiplier) in held_torques(pool, joint, &gap.R, is_plane).into_iter().zip(rest.by_ref()) {
            let part = scale(pool, multiplier, &n);
            torque = add(pool, &torque, &part);
        }
        if let (JointKind::Screw, Some(multiplier)) = (joint.kind, rest.next()) {
            let lead = screw_lead(pool, joint.size);
            let held = pool.mul(lead, multiplier);
            let (along, about) = (scale(pool, multiplier, &joint.axes[0]), scale(pool, held, &joint.axes[0]));
            force = add(pool, &force, &along);
            torque = sub(pool, &torque, &about);
        }
        Ok((apply(pool, &first.R, &force), apply(pool, &first.R, &torque)))
    }

    fn multipliers_of(&mut self, joint: &Joint) -> Vec<Expr> {
        let JointRole::Cut { constraint: Some(group) } = joint.role else { return Vec::new() };
        let rows = self.constraints.list[group].rows.clone();
        rows.map(|r| {
            let name = format!("multiplier({})", self.constraints.rows[r].name);
            let symbol = self.symbol_with_role(&name, Role::IdealResult);
            self.pool.var(symbol)
        })
        .collect()
    }

    /// What goes through the joint of every body: what it and those it carries need beyond what acts on them.
    pub(super) fn loads(&mut self) -> Fallible<Vec<Load>> {
        let mut loads = self.needs()?;
        let span = Span::default();
        let order = self.inward();
        for b in order {
            let Some(parent) = self.bodies.plan.bodies[b].parent else { continue };
            let relative = self.motion(Some(b), span)?.relative;
            let pool = &mut self.pool;
            let (force, torque) =
                (apply(pool, &relative.R, &loads[b].0), apply(pool, &relative.R, &loads[b].1));
            let lever = cross(pool, &relative.p, &force);
            let torque = add(pool, &torque, &lever);
            loads[parent] = (add(pool, &loads[parent].0, &force), add(pool, &loads[parent].1, &torque));
        }
        Ok(loads)
    }

    /// Bodies with those that they carry before them.
    fn inward(&self) -> Vec<usize> {
        let bodies: Vec<_> = self.bodies.bodies.iter().flatten().cloned().collect();
        let order = super::outward(&bodies);
        let body_of: rustc_hash::FxHashMap<usize, usize> =
            bodies.iter().enumerate().map(|(b, body)| (body.joint, b)).collect();
        order.into_iter().rev().filter_map(|joint| body_of.get(&joint).copied()).collect()
    }

    /// m a and the change of spin of each body, less what acts on it, about its origin and in its axes.
    fn needs(&mut self) -> Fallible<Vec<Load>> {
        let acting = self.acting()?;
        let mut loads = Vec::new();
        for (b, (force, torque)) in acting.into_iter().enumerate() {
            let Some(body) = self.bodies.bodies[b].clone() else { return Err(Reported) };
            let motion = self.motion(Some(b), body.span)?;
            let pool = &mut self.pool;
            let lever = cross(pool, &motion.w, &body.centre);
            let v = add(pool, &motion.v, &lever);
            let changes = v.map(|e| self.dot.apply(pool, e));
            let spinning = motion.w.map(|e| self.dot.apply(pool, e));
            let carried = cross(pool, &motion.w, &v);
            let a = add(pool, &changes, &carried);
            let inertial = scale(pool, body.mass, &a);
            let spin = apply(pool, &body.inertia, &motion.w);
            let (grows, turns) = (apply(pool, &body.inertia, &spinning), cross(pool, &motion.w, &spin));
            let about_centre = add(pool, &grows, &turns);
            let arm = cross(pool, &body.centre, &inertial);
            let needed = add(pool, &about_centre, &arm);
            let (force, torque) =
                (apply_transposed(pool, &motion.R, &force), apply_transposed(pool, &motion.R, &torque));
            loads.push((sub(pool, &inertial, &force), sub(pool, &needed, &torque)));
        }
        Ok(loads)
    }

    /// Everything that acts on each body but the joint that carries it: force, and torque about its origin, in space.
    fn acting(&mut self) -> Fallible<Vec<Load>> {
        let mut wrenches = self.bodies.wrenches.clone();
        for joint in self.bodies.joints.clone().iter().flatten().filter(|joint| !super::carries(joint)) {
            let (force, torque) = self.closing_force(joint)?;
            let point = self.pose(&joint.second, joint.span)?.p;
            let (back, turned) = (neg(&mut self.pool, &force), neg(&mut self.pool, &torque));
            let ends = [(joint.second.body, force, torque), (joint.first.body, back, turned)];
            for (body, force, torque) in ends {
                wrenches.extend(body.map(|b| (b, Wrench { point, force, torque })));
            }
        }
        let mut acting: Vec<Load> = vec![(ZERO, ZERO); self.bodies.bodies.len()];
        for (b, wrench) in wrenches {
            let origin = self.motion(Some(b), Span::default())?.p;
            let pool = &mut self.pool;
            let arm = sub(pool, &wrench.point, &origin);
            let moved = cross(pool, &arm, &wrench.force);
            let torque = add(pool, &wrench.torque, &moved);
            acting[b] = (add(pool, &acting[b].0, &wrench.force), add(pool, &acting[b].1, &torque));
        }
        self.weights(&mut acting)?;
        self.released_forces(&mut acting);
        Ok(acting)
    }

    fn weights(&mut self, acting: &mut [Load]) -> Fallible<()> {
        let Some((field, span)) = self.bodies.gravity else { return Ok(()) };
        for (b, load) in acting.iter_mut().enumerate() {
            let Some(body) = self.bodies.bodies[b].clone() else { continue };
            let motion = self.motion(Some(b), span)?;
            let pool = &mut self.pool;
            let weight = scale(pool, body.mass, &field);
            let arm = apply(pool, &motion.R, &body.centre);
            let moment = cross(pool, &arm, &weight);
            *load = (add(pool, &load.0, &weight), add(pool, &load.1, &moment));
        }
        Ok(())
    }
}
