//! Energies of bodies by values, in the axes of space: the second road where they are not written out in symbols.
//!
//! ```text
//! R = R_f A_f R_j A_t^T     p = p_f + R_f a_f + R_f A_f d - R a_t     f: the place that carries, t: the place carried
//! w = w_f + R_f A_f w_j     T = sum of m v_c.v_c/2 + w_b.J w_b/2,  w_b = R^T w        V = -sum of m g.c
//! ```
//!
//! Recursions that are traced into programs work in the axes of links; nothing of them has a part here. Derivatives come with
//! the values ([`Jet`]). O(bodies). Checked by `tests/it/bodies/energies.rs` against energies in symbols.

use super::{Road, VariableKind};
use crate::bodies::algebra::{across, screw_lead};
use crate::bodies::{Joint, JointKind, JointRole, Matrix3, Multibody, Placement, Vector as Exprs};
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Jet, Pool};
use rustc_hash::FxHashMap;

type Vector = [Jet; 3];
type Matrix = [Vector; 3];

const ZERO: Jet = Jet { value: 0.0, first: [0.0; 2], mixed: 0.0 };
const ONE: Jet = Jet { value: 1.0, ..ZERO };
const ORIGIN: Vector = [ZERO; 3];
const IDENTITY: Matrix = [[ONE, ZERO, ZERO], [ZERO, ONE, ZERO], [ZERO, ZERO, ONE]];

/// Bodies with the numbers of their expressions.
pub(super) struct BodyNumbers {
    bodies: Multibody,
    numbers: FxHashMap<Expr, f64>,
    /// The axes of planar joints.
    across: Vec<Option<[Exprs; 3]>>,
    leads: Vec<Expr>,
    /// x' of every coordinate.
    kinematics: Vec<Expr>,
    /// Where declared speeds begin.
    declared: usize,
}

impl BodyNumbers {
    /// Where energies of bodies are only named.
    pub fn of(model: &mut Workspace, road: &Road<'_>) -> Option<BodyNumbers> {
        model.system.deferred_energies()?;
        let bodies = model.system.bodies.clone()?;
        let pool = &mut model.system.pool;
        let plane = |pool: &mut Pool, joint: &Joint| match joint.kind {
            JointKind::Planar => Some(across(pool, &joint.axes[0])),
            _ => None,
        };
        let across: Vec<_> = bodies.joints.iter().map(|joint| plane(pool, joint)).collect();
        let leads: Vec<Expr> = bodies.joints.iter().map(|joint| screw_lead(pool, joint.size)).collect();
        let mut list: Vec<Expr> = leads.clone();
        list.extend(across.iter().flatten().flatten().flatten());
        list.extend(bodies.gravity.iter().flatten());
        for body in &bodies.bodies {
            list.push(body.mass);
            list.extend(body.centre.iter().chain(body.inertia.iter().flatten()));
        }
        for joint in &bodies.joints {
            list.extend(joint.axes.iter().flatten());
            for place in [&joint.first, &joint.second] {
                list.extend(place.at.iter().chain(place.turned.iter().flatten()));
            }
        }
        let numbers = road.values(model, &list);
        let numbers = list.into_iter().zip(numbers).collect();
        let system = &model.system;
        let declared = system.frame.speeds.iter().filter(|s| s.rate_of.is_some()).count();
        let kinematics = system.frame.kinematics.clone();
        Some(BodyNumbers { bodies, numbers, across, leads, kinematics, declared })
    }

    /// T - V of all bodies, with derivatives.
    pub fn lagrangian(
        &self,
        model: &mut Workspace,
        road: &Road<'_>,
        jet: &impl Fn(VariableKind) -> Jet,
    ) -> Jet {
        let rates = road.jets(model, &self.kinematics, jet);
        let mut poses = vec![Pose::GROUND; self.bodies.bodies.len()];
        let gravity = self.bodies.gravity.map_or(ORIGIN, |g| self.vector(&g));
        let mut L = ZERO;
        for &j in &self.bodies.outward {
            let joint = &self.bodies.joints[j];
            let JointRole::Carries { body, reversed } = joint.role else { continue };
            let moved = self.joint_motion(j, &rates, jet);
            let (from, to, moved) = match reversed {
                true => (&joint.second, &joint.first, moved.inverse()),
                false => (&joint.first, &joint.second, moved),
            };
            let parent = from.body.map_or(Pose::GROUND, |b| poses[b]);
            let pose = parent.then(&self.fixed(from)).then(&moved).then(&self.fixed(to).inverse());
            poses[body] = pose;
            let body = &self.bodies.bodies[body];
            let (mass, J) = (self.number(body.mass), body.inertia.map(|row| self.vector(&row)));
            let arm = apply(&pose.R, &self.vector(&body.centre));
            let (centre, v) = (add(&pose.p, &arm), add(&pose.v, &cross(&pose.w, &arm)));
            let w = apply(&transposed(&pose.R), &pose.w);
            let twice = mass * dot(&v, &v) + dot(&w, &apply(&J, &w));
            L = L + Jet::constant(0.5) * twice + mass * dot(&gravity, &centre);
        }
        L
    }

    fn number(&self, e: Expr) -> Jet {
        Jet::constant(self.numbers.get(&e).copied().unwrap_or(f64::NAN))
    }

    fn vector(&self, v: &Exprs) -> Vector {
        v.map(|e| self.number(e))
    }

    fn matrix(&self, m: &Matrix3) -> Matrix {
        m.map(|row| self.vector(&row))
    }

    fn fixed(&self, place: &Placement) -> Pose {
        Pose { R: self.matrix(&place.turned), p: self.vector(&place.at), ..Pose::GROUND }
    }

    /// How the second place of a joint moves as seen from the first.
    fn joint_motion(&self, j: usize, rates: &[Jet], jet: &impl Fn(VariableKind) -> Jet) -> Pose {
        let joint = &self.bodies.joints[j];
        let q = |k: usize| jet(VariableKind::Coordinate(joint.coordinates[k]));
        let rate = |k: usize| rates[joint.coordinates[k]];
        let speeds = |first: usize| -> Vector {
            std::array::from_fn(|k| jet(VariableKind::Speed(self.declared + joint.speeds[first + k])))
        };
        let axis = |k: usize| self.vector(&joint.axes[k]);
        let turn =
            |u: Vector, k: usize| Pose { R: rotation(&u, q(k)), w: scale(rate(k), &u), ..Pose::GROUND };
        let slide = |u: Vector, k: usize| Pose { p: scale(q(k), &u), v: scale(rate(k), &u), ..Pose::GROUND };
        let planar = |axes: Matrix| slide(axes[0], 0).then(&slide(axes[1], 1)).then(&turn(axes[2], 2));
        let turned = |first: usize| quaternion(&std::array::from_fn(|k| q(first + k)));
        match joint.kind {
            JointKind::Weld | JointKind::Rod => Pose::GROUND,
            JointKind::Pin => turn(axis(0), 0),
            JointKind::Slider => slide(axis(0), 0),
            JointKind::Cylindrical => slide(axis(0), 1).then(&turn(axis(0), 0)),
            JointKind::Screw => {
                let advance = scale(self.number(self.leads[j]), &axis(0));
                Pose { p: scale(q(0), &advance), v: scale(rate(0), &advance), ..turn(axis(0), 0) }
            }
            JointKind::Universal => turn(axis(0), 0).then(&turn(axis(1), 1)),
            JointKind::Ball => {
                let R = turned(0);
                Pose { R, w: apply(&R, &speeds(0)), ..Pose::GROUND }
            }
            JointKind::Free if joint.speeds.is_empty() => planar(IDENTITY),
            JointKind::Planar => planar(self.across[j].map_or(IDENTITY, |axes| self.matrix(&axes))),
            JointKind::Free => {
                let R = turned(3);
                let (w, v) = (apply(&R, &speeds(0)), apply(&R, &speeds(3)));
                Pose { R, p: [q(0), q(1), q(2)], w, v }
            }
            JointKind::FreePoint => {
                (0..joint.coordinates.len()).fold(Pose::GROUND, |at, k| at.then(&slide(IDENTITY[k], k)))
            }
        }
    }
}

/// Axes as columns, origin, angular velocity and velocity of the origin, all in the first axes.
#[derive(Clone, Copy)]
struct Pose {
    R: Matrix,
    p: Vector,
    w: Vector,
    v: Vector,
}

impl Pose {
    const GROUND: Pose = Pose { R: IDENTITY, p: ORIGIN, w: ORIGIN, v: ORIGIN };

    /// This motion, and then another one as seen from its axes.
    fn then(&self, next: &Pose) -> Pose {
        let arm = apply(&self.R, &next.p);
        let dragged = add(&self.v, &cross(&self.w, &arm));
        Pose {
            R: product(&self.R, &next.R),
            p: add(&self.p, &arm),
            w: add(&self.w, &apply(&self.R, &next.w)),
            v: add(&dragged, &apply(&self.R, &next.v)),
        }
    }

    /// The first axes as seen from these.
    fn inverse(&self) -> Pose {
        let back = transposed(&self.R);
        // (R^T p)' = R^T (p' - w x p)
        let seen = sub(&cross(&self.w, &self.p), &self.v);
        Pose {
            R: back,
            p: sub(&ORIGIN, &apply(&back, &self.p)),
            w: sub(&ORIGIN, &apply(&back, &self.w)),
            v: apply(&back, &seen),
        }
    }
}

fn add(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| a[i] + b[i])
}

fn sub(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| a[i] - b[i])
}

fn scale(c: Jet, a: &Vector) -> Vector {
    a.map(|x| c * x)
}

fn dot(a: &Vector, b: &Vector) -> Jet {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - a[k] * b[j]
    })
}

fn apply(a: &Matrix, v: &Vector) -> Vector {
    a.map(|row| dot(&row, v))
}

fn transposed(a: &Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let columns = transposed(b);
    a.map(|row| columns.map(|column| dot(&row, &column)))
}

/// Rodrigues: `v + s u x v + (1 - c) u x (u x v)` of the unit vectors, as columns.
fn rotation(u: &Vector, angle: Jet) -> Matrix {
    let (sine, cosine) = angle.sine_cosine();
    let columns = IDENTITY.map(|unit| {
        let across = cross(u, &unit);
        let twice = cross(u, &across);
        add(&unit, &add(&scale(sine, &across), &scale(ONE - cosine, &twice)))
    });
    transposed(&columns)
}

/// `v + 2 e x (e x v + e0 v)` of the unit vectors, as columns, for a quaternion of length 1.
fn quaternion(e: &[Jet; 4]) -> Matrix {
    let axis = [e[1], e[2], e[3]];
    let columns = IDENTITY.map(|unit| {
        let inner = add(&cross(&axis, &unit), &scale(e[0], &unit));
        add(&unit, &scale(Jet::constant(2.0), &cross(&axis, &inner)))
    });
    transposed(&columns)
}
