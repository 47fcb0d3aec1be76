//! What a joint does to vectors, wrenches and inertias on their way between a link and its parent.

use crate::inertia::PseudoInertia;
use crate::linear::{Matrix, Vector, ZERO, ZEROS, transposed};
use crate::num::{Num, Tracer};
use crate::tree::{Freedom, Link};

/// A wrench about an origin: torque and force.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wrench {
    pub n: Vector,
    pub f: Vector,
}

impl Wrench {
    pub fn plus(&self, t: &mut Tracer<'_>, other: &Wrench) -> Wrench {
        Wrench { n: t.add3(&self.n, &other.n), f: t.add3(&self.f, &other.f) }
    }
}

/// The pose of a link against its parent, in two steps: fixed axes, then the turn of the joint.
pub(crate) struct Pose {
    turned: Matrix,
    R: Matrix,
    /// The turn, where it is about one of the axes: which, sine and cosine.
    spin: Option<(usize, Num, Num)>,
    /// The origin of the link, in the axes of the parent.
    pub p: Vector,
}

/// The axis that a direction is along, and whether it points the other way.
pub(crate) fn along(t: &mut Tracer<'_>, axis: &Vector) -> Option<(usize, bool)> {
    let one = t.constant(1.0);
    let k = (0..3).find(|&k| (0..3).all(|i| i == k || axis[i].is_zero()))?;
    if axis[k] == one {
        return Some((k, false));
    }
    (axis[k] == -one).then_some((k, true))
}

impl Pose {
    pub fn of(t: &mut Tracer<'_>, link: &Link) -> Pose {
        let (sine, cosine) = match &link.freedom {
            Freedom::Turn { angle, .. } => t.sine_cosine(*angle),
            _ => (Num::Zero, Num::Zero),
        };
        Pose::turned(t, link, sine, cosine)
    }

    /// With the sine and the cosine of the angle of a link that turns; others do not read them.
    pub fn turned(t: &mut Tracer<'_>, link: &Link, sine: Num, cosine: Num) -> Pose {
        let identity = t.identity();
        let (R, moved, spin) = match &link.freedom {
            Freedom::Turn { axis, angle, lead, .. } => {
                let spin = along(t, axis).map(|(k, minus)| (k, if minus { -sine } else { sine }, cosine));
                let way = t.mul(*lead, *angle);
                (rotation(t, axis, sine, cosine), t.scale3(way, axis), spin)
            }
            Freedom::Slide { axis, way, .. } => (identity, t.scale3(*way, axis), None),
            Freedom::Ball { R, .. } => (*R, ZERO, None),
            Freedom::Free { R, p, .. } => (*R, *p, None),
        };
        let moved = t.apply3(&link.turned, &moved);
        Pose { turned: link.turned, R, spin, p: t.add3(&link.at, &moved) }
    }

    /// The axes of the link as columns, in the axes of the parent.
    pub fn axes(&self, t: &mut Tracer<'_>) -> Matrix {
        t.product(&self.turned, &self.R)
    }

    /// A vector of the parent, in the axes of the link.
    pub fn down(&self, t: &mut Tracer<'_>, v: &Vector) -> Vector {
        let v = t.apply3(&transposed(&self.turned), v);
        t.apply3(&transposed(&self.R), &v)
    }

    /// A vector of the link, in the axes of the parent.
    pub fn up(&self, t: &mut Tracer<'_>, v: &Vector) -> Vector {
        let v = t.apply3(&self.R, v);
        t.apply3(&self.turned, &v)
    }

    /// A wrench on the link, about the origin of the parent.
    pub fn wrench_up(&self, t: &mut Tracer<'_>, w: &Wrench) -> Wrench {
        let (f, n) = (self.up(t, &w.f), self.up(t, &w.n));
        let lever = t.cross(&self.p, &f);
        Wrench { n: t.add3(&n, &lever), f }
    }

    /// Angular acceleration and acceleration of the origin of a link that is fixed on its parent and starts from rest.
    pub fn accelerations_down(&self, t: &mut Tracer<'_>, (w_dot, a): &(Vector, Vector)) -> (Vector, Vector) {
        let lever = t.cross(w_dot, &self.p);
        let at = t.add3(a, &lever);
        (self.down(t, w_dot), self.down(t, &at))
    }

    /// A symmetric matrix of the link, in the axes of the parent.
    pub fn symmetric_up(&self, t: &mut Tracer<'_>, a: &Matrix) -> Matrix {
        let a = match self.spin {
            Some(spin) => spun(t, spin, a, true),
            None => t.congruent_symmetric(&self.R, a),
        };
        t.congruent_symmetric(&self.turned, &a)
    }

    /// Any matrix of the link, in the axes of the parent.
    pub fn matrix_up(&self, t: &mut Tracer<'_>, a: &Matrix) -> Matrix {
        let a = match self.spin {
            Some(spin) => spun(t, spin, a, false),
            None => t.congruent(&self.R, a),
        };
        t.congruent(&self.turned, &a)
    }

    /// An inertia of the link, in the axes of the parent and about its origin.
    pub fn inertia_up(&self, t: &mut Tracer<'_>, i: &PseudoInertia) -> PseudoInertia {
        let turned = PseudoInertia { m: i.m, h: self.up(t, &i.h), S: self.symmetric_up(t, &i.S) };
        turned.shifted(t, &self.p)
    }
}

/// `c 1 + s [u] + (1 - c) u u^T`
fn rotation(t: &mut Tracer<'_>, u: &Vector, sine: Num, cosine: Num) -> Matrix {
    let one = t.constant(1.0);
    if let Some((k, minus)) = along(t, u) {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let sine = if minus { -sine } else { sine };
        let mut R = ZEROS;
        (R[k][k], R[i][i], R[j][j]) = (one, cosine, cosine);
        (R[i][j], R[j][i]) = (-sine, sine);
        return R;
    }
    let rest = t.sub(one, cosine);
    let turn = crate::linear::skew(&t.scale3(sine, u));
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let square = t.mul(u[i], u[j]);
            let outer = t.mul(rest, square);
            let turned = if i == j { cosine } else { turn[i][j] };
            t.add(outer, turned)
        })
    })
}

/// `R A R^T` for a turn about an axis. Trace and skew part of the block across the axis do not change:
/// with `r = c (a_ii - a_jj) - s (a_ij + a_ji)` it is `a_jj + c r, a_ii - c r, a_ij + s r, a_ji + s r`.
fn spun(t: &mut Tracer<'_>, (k, s, c): (usize, Num, Num), a: &Matrix, is_symmetric: bool) -> Matrix {
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let mut out = *a;
    let pair = |t: &mut Tracer<'_>, x: Num, y: Num| {
        let (cx, sy, sx, cy) = (t.mul(c, x), t.mul(s, y), t.mul(s, x), t.mul(c, y));
        (t.sub(cx, sy), t.add(sx, cy))
    };
    let difference = t.sub(a[i][i], a[j][j]);
    let sum = t.add(a[i][j], a[j][i]);
    if !(difference.is_zero() && sum.is_zero()) {
        let (left, right) = (t.mul(c, difference), t.mul(s, sum));
        let r = t.sub(left, right);
        let (cr, sr) = (t.mul(c, r), t.mul(s, r));
        out[i][i] = t.add(a[j][j], cr);
        out[j][j] = t.sub(a[i][i], cr);
        out[i][j] = t.add(a[i][j], sr);
        out[j][i] = if is_symmetric { out[i][j] } else { t.add(a[j][i], sr) };
    }
    (out[i][k], out[j][k]) = pair(t, a[i][k], a[j][k]);
    (out[k][i], out[k][j]) = match is_symmetric {
        true => (out[i][k], out[j][k]),
        false => pair(t, a[k][i], a[k][j]),
    };
    out
}

/// How much of the motion of a link each of its speeds is: `(turn, slide)`.
pub(crate) fn directions(t: &mut Tracer<'_>, freedom: &Freedom) -> Vec<(Vector, Vector)> {
    let unit = t.identity();
    match freedom {
        Freedom::Turn { axis, lead, .. } => vec![(*axis, t.scale3(*lead, axis))],
        Freedom::Slide { axis, .. } => vec![(ZERO, *axis)],
        Freedom::Ball { .. } => unit.iter().map(|u| (*u, ZERO)).collect(),
        Freedom::Free { .. } => {
            unit.iter().map(|u| (*u, ZERO)).chain(unit.iter().map(|u| (ZERO, *u))).collect()
        }
    }
}

/// The power of a wrench on a direction.
pub(crate) fn power(t: &mut Tracer<'_>, (turn, slide): &(Vector, Vector), w: &Wrench) -> Num {
    let (n, f) = (t.dot(turn, &w.n), t.dot(slide, &w.f));
    t.add(n, f)
}
