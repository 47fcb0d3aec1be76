//! How joints move the bodies that they carry, over the expression pool (B1).
//!
//! Velocities are in the axes of the moved body. Elaboration asks where bodies are ([`relative_motion`] from the rates that
//! the text names), energies of a finished system ask how they move ([`super::energies`]).

use super::algebra::{Motion, across, add, apply_transposed, cross, quaternion, rotation, scale, screw_lead};
use super::{IDENTITY, Joint, JointKind, JointRole, Placement, Vector, ZERO};
use dalembert_expr::{Expr, Function, Pool};

/// How a body moves, without where it is: what its kinetic energy takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moving {
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
    /// At rest.
    pub(crate) const GROUND: Moving = Moving { relative: Motion::REST, angle: Pool::ZERO, w: ZERO, v: ZERO };

    /// Of a body that moves relative to this one.
    pub fn carry(&self, pool: &mut Pool, (relative, angle): (Motion, Expr)) -> Moving {
        let angle = pool.add(self.angle, angle);
        let lever = cross(pool, &self.w, &relative.p);
        let at = add(pool, &self.v, &lever);
        let w = apply_transposed(pool, &relative.R, &self.w);
        let v = apply_transposed(pool, &relative.R, &at);
        Moving { angle, w: add(pool, &w, &relative.w), v: add(pool, &v, &relative.v), relative }
    }
}

/// What a joint moves by: its coordinates, their rates, and its declared speeds.
pub(crate) struct JointVariables {
    pub q: Vec<Expr>,
    pub rate: Vec<Expr>,
    pub speed: Vec<Expr>,
}

/// The motion of the carried body relative to the one that carries it, and its turn in the plane.
pub(crate) fn relative_motion(
    pool: &mut Pool,
    joint: &Joint,
    variables: &JointVariables,
    is_plane: bool,
) -> (Motion, Expr) {
    let (moved, angle) = joint_motion(pool, joint, variables);
    let is_reversed = matches!(joint.role, JointRole::Carries { reversed: true, .. });
    let (from, to, moved) = match is_reversed {
        true => (&joint.second, &joint.first, moved.inverse(pool)),
        false => (&joint.first, &joint.second, moved),
    };
    let placed = Motion::fixed(&from.at, &from.turned).then(pool, &moved);
    let back = Motion::fixed(&to.at, &to.turned).inverse(pool);
    let whole = placed.then(pool, &back);
    let angle = if is_reversed { pool.neg(angle) } else { angle };
    let fixed = if is_plane { fixed_angle(pool, from, to) } else { Pool::ZERO };
    (whole, pool.add(angle, fixed))
}

/// In the plane, how far the axes of one place are turned against those of the other.
fn fixed_angle(pool: &mut Pool, from: &Placement, to: &Placement) -> Expr {
    let [a, b] = [from, to].map(|place| match place.turned == IDENTITY {
        true => Pool::ZERO,
        false => pool.call(Function::Atan2, &[place.turned[1][0], place.turned[0][0]]),
    });
    pool.sub(a, b)
}

/// How the second place of a joint moves relative to the first, in its coordinates.
fn joint_motion(pool: &mut Pool, joint: &Joint, variables: &JointVariables) -> (Motion, Expr) {
    let JointVariables { q, rate, speed } = variables;
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
        JointKind::Free if joint.speeds.is_empty() => planar(pool, &IDENTITY, q, rate),
        JointKind::Planar => {
            let axes = across(pool, &joint.axes[0]);
            planar(pool, &axes, q, rate)
        }
        JointKind::Free => {
            let R = quaternion(pool, &[q[3], q[4], q[5], q[6]]);
            let (w, v) = ([speed[0], speed[1], speed[2]], [speed[3], speed[4], speed[5]]);
            (Motion { R, p: [q[0], q[1], q[2]], w, v }, Pool::ZERO)
        }
        JointKind::FreePoint => {
            let at = |list: &[Expr]| std::array::from_fn(|k| list.get(k).copied().unwrap_or(Pool::ZERO));
            (Motion { p: at(q), v: at(rate), ..Motion::REST }, Pool::ZERO)
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
