//! Newton-Euler: what bodies need of their joints where no speed changes (B1).
//!
//! ```text
//! w  = R^T w_p + w_r,    w' = R^T w_p' + R^T w_p x w_r,    U = [w'] + [w][w]
//! a  = R^T (a_p + U_p p) + (2 w - w_r) x v_r                          a of the ground: minus gravity
//! f  = m a + U h,        n_i = (U S)_kj - (U S)_jk,  n += h x a       i, j, k in turn
//! ```
//!
//! With accelerations as seen in space no velocity of an origin is needed. Source: Luh, Walker, Paul; U S by Khalil.

use crate::joint::{Pose, Wrench, directions, power};
use crate::linear::{Matrix, Vector, ZERO};
use crate::num::{Num, Tracer};
use crate::tree::{Freedom, Link, Tree};

/// What the outward pass gives.
pub struct Bias {
    pub(crate) poses: Vec<Pose>,
    /// Wrenches of inertia and gravity of every link by itself, with its accelerations where eta' = 0.
    pub(crate) wrenches: Vec<Wrench>,
}

/// The motion of a link where eta' = 0.
pub(crate) struct Motion {
    pub w: Vector,
    pub a: Vector,
    /// Angular acceleration.
    pub w_dot: Vector,
    /// [w'] + [w][w]
    U: Matrix,
}

impl Motion {
    pub fn new(t: &mut Tracer<'_>, w: Vector, a: Vector, w_dot: Vector) -> Motion {
        Motion { w, a, w_dot, U: acceleration_tensor(t, &w, &w_dot) }
    }
}

/// Poses, and the wrenches of inertia and gravity where eta' = 0.
pub fn bias(t: &mut Tracer<'_>, tree: &Tree) -> Bias {
    let ground = Motion { w: ZERO, a: tree.gravity.map(|g| -g), w_dot: ZERO, U: crate::linear::ZEROS };
    let mut motions: Vec<Motion> = Vec::with_capacity(tree.links.len());
    let (mut poses, mut wrenches) = (Vec::new(), Vec::new());
    for link in &tree.links {
        let pose = Pose::of(t, link);
        let motion = moved(t, link, &pose, link.parent.map_or(&ground, |p| &motions[p]));
        wrenches.push(own_wrench(t, link, &motion));
        motions.push(motion);
        poses.push(pose);
    }
    Bias { poses, wrenches }
}

/// Angular velocity and velocity of the origin against the parent, in the axes of the link.
pub(crate) fn relative_velocity(t: &mut Tracer<'_>, freedom: &Freedom) -> (Vector, Vector) {
    match freedom {
        Freedom::Turn { axis, rate, lead, .. } => {
            let w = t.scale3(*rate, axis);
            (w, t.scale3(*lead, &w))
        }
        Freedom::Slide { axis, rate, .. } => (ZERO, t.scale3(*rate, axis)),
        Freedom::Ball { w, .. } => (*w, ZERO),
        Freedom::Free { w, v, .. } => (*w, *v),
    }
}

pub(crate) fn moved(t: &mut Tracer<'_>, link: &Link, pose: &Pose, parent: &Motion) -> Motion {
    let (w_r, v_r) = relative_velocity(t, &link.freedom);
    let carried = pose.down(t, &parent.w);
    let w = t.add3(&carried, &w_r);
    let turning = t.cross(&carried, &w_r);
    let w_dot = pose.down(t, &parent.w_dot);
    let w_dot = t.add3(&w_dot, &turning);
    let lever = t.apply3(&parent.U, &pose.p);
    let at = t.add3(&parent.a, &lever);
    let a = pose.down(t, &at);
    // 2 w - w_r = w + R^T w_p
    let twice = t.add3(&w, &carried);
    let coriolis = t.cross(&twice, &v_r);
    let a = t.add3(&a, &coriolis);
    Motion::new(t, w, a, w_dot)
}

fn acceleration_tensor(t: &mut Tracer<'_>, w: &Vector, w_dot: &Vector) -> Matrix {
    let turning = crate::linear::skew(w_dot);
    let square: [Num; 3] = w.map(|c| t.mul(c, c));
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            if i == j {
                return -t.add(square[(i + 1) % 3], square[(i + 2) % 3]);
            }
            let product = t.mul(w[i], w[j]);
            t.add(product, turning[i][j])
        })
    })
}

pub(crate) fn own_wrench(t: &mut Tracer<'_>, link: &Link, motion: &Motion) -> Wrench {
    let body = &link.inertia;
    let (moving, swung) = (t.scale3(body.m, &motion.a), t.apply3(&motion.U, &body.h));
    let f = t.add3(&moving, &swung);
    let mut product = |i: usize, j: usize| t.dot(&motion.U[i], &body.S[j]);
    let n: Vector = std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        [product(k, j), product(j, k)]
    })
    .map(|[a, b]: [Num; 2]| t.sub(a, b));
    let lever = t.cross(&body.h, &motion.a);
    Wrench { n: t.add3(&n, &lever), f }
}

/// `M z` for accelerations z, in O(n): Newton-Euler from rest and without gravity.
pub fn inertial_forces(t: &mut Tracer<'_>, tree: &Tree, motion: &Bias, z: &[Num]) -> Vec<Num> {
    let mut accelerations: Vec<(Vector, Vector)> = Vec::with_capacity(tree.links.len());
    let mut wrenches = Vec::with_capacity(tree.links.len());
    for (link, pose) in tree.links.iter().zip(&motion.poses) {
        let (mut w_dot, mut a) = match link.parent {
            None => (ZERO, ZERO),
            Some(parent) => pose.accelerations_down(t, &accelerations[parent]),
        };
        for (k, (turn, slide)) in directions(t, &link.freedom).iter().enumerate() {
            let (turned, slid) = (t.scale3(z[link.speed + k], turn), t.scale3(z[link.speed + k], slide));
            (w_dot, a) = (t.add3(&w_dot, &turned), t.add3(&a, &slid));
        }
        let at_rest = Motion::new(t, ZERO, a, w_dot);
        wrenches.push(own_wrench(t, link, &at_rest));
        accelerations.push((w_dot, a));
    }
    to_joints(t, tree, &motion.poses, wrenches)
}

/// Wrenches of the links carried inward, as generalised forces.
fn to_joints(t: &mut Tracer<'_>, tree: &Tree, poses: &[Pose], mut total: Vec<Wrench>) -> Vec<Num> {
    let mut forces = vec![Num::Zero; tree.speeds];
    for (i, link) in tree.links.iter().enumerate().rev() {
        for (k, direction) in directions(t, &link.freedom).iter().enumerate() {
            forces[link.speed + k] = power(t, direction, &total[i]);
        }
        if let Some(p) = link.parent {
            let moved = poses[i].wrench_up(t, &total[i]);
            total[p] = total[p].plus(t, &moved);
        }
    }
    forces
}

impl Bias {
    /// The generalised forces that the motion takes where eta' = 0, without applied ones: Q = Q' - bias.
    pub fn forces(&self, t: &mut Tracer<'_>, tree: &Tree) -> Vec<Num> {
        to_joints(t, tree, &self.poses, self.wrenches.clone())
    }
}
