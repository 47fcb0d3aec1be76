//! Kinetic energy of bodies in their own axes, and their potential energy in the field of gravity (B1).
//!
//! ```text
//! T = m v_c^2/2 + w J w/2,    V = -m g . c
//! ```
//!
//! In symbols they grow with the decimals of every mass and length, and numbers do not need them: recursions over the tree
//! are traced into programs. So a system names them by two symbols ([`DeferredEnergies`]) until something asks for them in
//! symbols. Checked by `tests/it/bodies/energies.rs` and by the self-check, which takes them by values.

use super::algebra::{add, apply, apply_transposed, cross, dot, rotation, unit};
use super::motion::{JointVariables, Moving, relative_motion};
use super::{Body, Joint, JointRole, Multibody, Vector, ZERO};
use dalembert_expr::{Expr, Pool, Rational, Symbol};

/// Symbols for the energies of bodies that are not yet written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeferredEnergies {
    /// The kinetic energy.
    pub kinetic: Symbol,
    /// The potential energy in the field of gravity.
    pub potential: Symbol,
}

/// What bodies add to the energies of a model, each with the body that it is of. What vanishes is left out.
#[derive(Default)]
pub(crate) struct BodyEnergies {
    pub kinetic: Vec<(usize, Expr)>,
    pub potential: Vec<(usize, Expr)>,
}

/// `m v_c^2/2 + w J w/2`
pub(crate) fn kinetic_energy(pool: &mut Pool, body: &Body, moving: &Moving) -> Expr {
    let lever = cross(pool, &moving.w, &body.centre);
    let v = add(pool, &moving.v, &lever);
    let (square, angular) = (dot(pool, &v, &v), apply(pool, &body.inertia, &moving.w));
    let (sliding, turning) = (pool.mul(body.mass, square), dot(pool, &moving.w, &angular));
    let twice = pool.add(sliding, turning);
    pool.scale(twice, Rational::HALF)
}

impl Multibody {
    /// How each body moves, in the variables that each joint moves by.
    fn moving(
        &self,
        pool: &mut Pool,
        mut variables: impl FnMut(&mut Pool, &Joint) -> JointVariables,
    ) -> Vec<Moving> {
        let mut moving = vec![Moving::GROUND; self.bodies.len()];
        for &j in &self.outward {
            let joint = &self.joints[j];
            let JointRole::Carries { body, .. } = joint.role else { continue };
            let own = variables(pool, joint);
            let relative = relative_motion(pool, joint, &own, self.is_plane);
            let parent = self.bodies[body].parent.map_or(Moving::GROUND, |p| moving[p]);
            moving[body] = parent.carry(pool, relative);
        }
        moving
    }

    /// The velocity of each body's centre and its angular velocity, in its own axes; in the plane two components and one.
    pub(crate) fn velocities(
        &self,
        pool: &mut Pool,
        variables: impl FnMut(&mut Pool, &Joint) -> JointVariables,
    ) -> Vec<(Vec<Expr>, Vec<Expr>)> {
        let moving = self.moving(pool, variables);
        let kept = if self.is_plane { (0..2, 2..3) } else { (0..3, 0..3) };
        let of = |(body, moving): (&Body, Moving)| {
            let lever = cross(pool, &moving.w, &body.centre);
            let v = add(pool, &moving.v, &lever);
            (v[kept.0.clone()].to_vec(), moving.w[kept.1.clone()].to_vec())
        };
        self.bodies.iter().zip(moving).map(of).collect()
    }

    /// Energies of all bodies, in the variables that each joint moves by.
    pub(crate) fn energies(
        &self,
        pool: &mut Pool,
        variables: impl FnMut(&mut Pool, &Joint) -> JointVariables,
    ) -> BodyEnergies {
        let moving = self.moving(pool, variables);
        let mut energies = BodyEnergies::default();
        for (b, body) in self.bodies.iter().enumerate() {
            energies.kinetic.push((b, kinetic_energy(pool, body, &moving[b])));
        }
        if let Some(field) = &self.gravity {
            energies.potential = match self.is_plane {
                true => self.weight_in_plane(pool, field, &moving),
                false => self.weight_in_space(pool, field, &moving),
            };
        }
        energies.kinetic.retain(|(_, e)| *e != Pool::ZERO);
        energies.potential.retain(|(_, e)| *e != Pool::ZERO);
        energies
    }

    /// Bodies, each behind its parent.
    fn outward_bodies(&self) -> impl Iterator<Item = usize> + '_ {
        self.outward.iter().filter_map(|&j| match self.joints[j].role {
            JointRole::Carries { body, .. } => Some(body),
            JointRole::Cut { .. } => None,
        })
    }

    /// With one angle for each body instead of products of rotations.
    fn weight_in_plane(&self, pool: &mut Pool, field: &Vector, moving: &[Moving]) -> Vec<(usize, Expr)> {
        let mut p = vec![ZERO; self.bodies.len()];
        let turn = |pool: &mut Pool, b: usize| rotation(pool, &unit(2), moving[b].angle);
        for b in self.outward_bodies() {
            p[b] = match self.bodies[b].parent {
                None => moving[b].relative.p,
                Some(parent) => {
                    let R = turn(pool, parent);
                    let moved = apply(pool, &R, &moving[b].relative.p);
                    add(pool, &p[parent], &moved)
                }
            };
        }
        let weights = self.bodies.iter().enumerate().map(|(b, body)| {
            let R = turn(pool, b);
            let arm = apply(pool, &R, &body.centre);
            let centre = add(pool, &p[b], &arm);
            let fall = dot(pool, field, &centre);
            let weight = pool.mul(body.mass, fall);
            (b, pool.neg(weight))
        });
        weights.collect()
    }

    /// With gravity turned into the axes of bodies: what a joint lifts is all that it carries, so that a tree grows as its
    /// number of bodies and not as its depth.
    fn weight_in_space(&self, pool: &mut Pool, field: &Vector, moving: &[Moving]) -> Vec<(usize, Expr)> {
        let mut fields = vec![ZERO; self.bodies.len()];
        let mut carried: Vec<Expr> = self.bodies.iter().map(|body| body.mass).collect();
        let order: Vec<usize> = self.outward_bodies().collect();
        for &b in order.iter().rev() {
            if let Some(p) = self.bodies[b].parent {
                carried[p] = pool.add(carried[p], carried[b]);
            }
        }
        let mut weights = Vec::with_capacity(order.len());
        for b in order {
            let (body, relative) = (&self.bodies[b], &moving[b].relative);
            let above = body.parent.map_or(*field, |p| fields[p]);
            fields[b] = apply_transposed(pool, &relative.R, &above);
            let (lifted, fall) = (dot(pool, &above, &relative.p), dot(pool, &fields[b], &body.centre));
            let (lifted, fall) = (pool.mul(carried[b], lifted), pool.mul(body.mass, fall));
            let weight = pool.add(lifted, fall);
            weights.push((b, pool.neg(weight)));
        }
        weights
    }
}
