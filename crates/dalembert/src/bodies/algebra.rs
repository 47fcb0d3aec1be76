//! Vectors and rotations over the expression pool. Zeros and ones fold, so that plane motion costs what it should.

use super::{IDENTITY, Matrix3, Vector, ZERO};
use dalembert_expr::{Expr, Function, Node, Pool, Rational};

/// Longer coefficients are rounded to doubles: products of decimals of sixteen digits along a chain would double in
/// length at every joint, and mean nothing beyond a double.
const MAX_BITS: u64 = 100;

/// An expression with coefficients of bounded length.
fn bounded(pool: &mut Pool, e: Expr) -> Expr {
    let long = |r: &Rational| r.bits() > MAX_BITS;
    let round = |r: &Rational| match long(r) {
        true => Rational::from_f64(r.to_f64()).unwrap_or_else(|| r.clone()),
        false => r.clone(),
    };
    let (constant, terms) = match pool.node(e) {
        Node::Number(r) if long(r) => (round(r), Vec::new()),
        Node::Sum(r, terms) if long(r) || terms.iter().any(|(_, c)| long(c)) => {
            (round(r), terms.iter().map(|(e, c)| (*e, round(c))).collect())
        }
        _ => return e,
    };
    let constant = pool.number(constant);
    pool.combine(std::iter::once((constant, Rational::ONE)).chain(terms))
}

pub(crate) fn add(pool: &mut Pool, a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| {
        let sum = pool.add(a[i], b[i]);
        bounded(pool, sum)
    })
}

pub(crate) fn sub(pool: &mut Pool, a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| {
        let difference = pool.sub(a[i], b[i]);
        bounded(pool, difference)
    })
}

pub(crate) fn neg(pool: &mut Pool, a: &Vector) -> Vector {
    a.map(|e| pool.neg(e))
}

pub(crate) fn scale(pool: &mut Pool, c: Expr, a: &Vector) -> Vector {
    a.map(|e| {
        let product = pool.mul(c, e);
        bounded(pool, product)
    })
}

pub(crate) fn dot(pool: &mut Pool, a: &Vector, b: &Vector) -> Expr {
    let parts: [Expr; 3] = std::array::from_fn(|i| pool.mul(a[i], b[i]));
    let sum = pool.total(parts);
    bounded(pool, sum)
}

pub(crate) fn cross(pool: &mut Pool, a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let (left, right) = (pool.mul(a[j], b[k]), pool.mul(a[k], b[j]));
        let minor = pool.sub(left, right);
        bounded(pool, minor)
    })
}

/// `A v`
pub(crate) fn apply(pool: &mut Pool, a: &Matrix3, v: &Vector) -> Vector {
    if *a == IDENTITY {
        return *v;
    }
    a.map(|row| dot(pool, &row, v))
}

/// `A^T v`
pub(crate) fn apply_transposed(pool: &mut Pool, a: &Matrix3, v: &Vector) -> Vector {
    apply(pool, &transposed(a), v)
}

pub(crate) fn transposed(a: &Matrix3) -> Matrix3 {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

pub(crate) fn product(pool: &mut Pool, a: &Matrix3, b: &Matrix3) -> Matrix3 {
    match (*a == IDENTITY, *b == IDENTITY) {
        (true, _) => *b,
        (_, true) => *a,
        _ => {
            let columns = transposed(b);
            a.map(|row| columns.map(|column| dot(pool, &row, &column)))
        }
    }
}

pub(crate) fn column(a: &Matrix3, k: usize) -> Vector {
    std::array::from_fn(|i| a[i][k])
}

pub(crate) fn unit(k: usize) -> Vector {
    IDENTITY[k]
}

/// The rotation about an axis of length 1: `c 1 + s [u] + (1 - c) u u^T`.
pub(crate) fn rotation(pool: &mut Pool, u: &Vector, angle: Expr) -> Matrix3 {
    if angle == Pool::ZERO {
        return IDENTITY;
    }
    let (c, s) = (pool.call1(Function::Cos, angle), pool.call1(Function::Sin, angle));
    let rest = pool.sub(Pool::ONE, c);
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let outer = pool.product([(rest, Rational::ONE), (u[i], Rational::ONE), (u[j], Rational::ONE)]);
            let turn = match (j + 3 - i) % 3 {
                0 => c,
                1 => {
                    let e = pool.mul(s, u[(i + 2) % 3]);
                    pool.neg(e)
                }
                _ => pool.mul(s, u[(i + 1) % 3]),
            };
            let entry = pool.add(outer, turn);
            bounded(pool, entry)
        })
    })
}

/// The rotation of a quaternion, quadratic in it: of length 1 it is a rotation. In this form `R' = R [w]` holds for
/// any length, so that the fields of K1 close under brackets exactly.
pub(crate) fn quaternion(pool: &mut Pool, e: &[Expr; 4]) -> Matrix3 {
    let square = e.map(|c| pool.powi(c, 2));
    let two = Rational::from(2);
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            if i == j {
                let sign = |k: usize| if k == 0 || k == i + 1 { Rational::ONE } else { Rational::MINUS_ONE };
                return pool.combine((0..4).map(|k| (square[k], sign(k))).collect::<Vec<_>>());
            }
            let k = 3 - i - j;
            let sign = if (j + 3 - i) % 3 == 1 { -&two } else { two.clone() };
            let (outer, turn) = (pool.mul(e[i + 1], e[j + 1]), pool.mul(e[0], e[k + 1]));
            pool.combine([(outer, two.clone()), (turn, sign)])
        })
    })
}

/// `m (c.c 1 - c c^T)`: the inertia of a point mass about the origin.
pub(crate) fn point_inertia(pool: &mut Pool, mass: Expr, c: &Vector) -> Matrix3 {
    let square = dot(pool, c, c);
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let outer = pool.mul(c[i], c[j]);
            let e = if i == j { pool.sub(square, outer) } else { pool.neg(outer) };
            let e = pool.mul(mass, e);
            bounded(pool, e)
        })
    })
}

pub(crate) fn add_matrices(pool: &mut Pool, a: &Matrix3, b: &Matrix3) -> Matrix3 {
    std::array::from_fn(|i| add(pool, &a[i], &b[i]))
}

/// Two directions across a direction of length 1, and itself, right-handed. Those of the joint where it is one of them.
pub(crate) fn across(pool: &mut Pool, u: &Vector) -> [Vector; 3] {
    if let Some(k) = (0..3).find(|&k| *u == unit(k)) {
        return [unit((k + 1) % 3), unit((k + 2) % 3), *u];
    }
    // Across the axis that is farthest from it.
    let numbers: Vec<f64> =
        u.iter().map(|e| pool.as_number(*e).map_or(f64::NAN, Rational::to_f64).abs()).collect();
    let k = (0..3).min_by(|&a, &b| numbers[a].total_cmp(&numbers[b])).unwrap_or(0);
    let first = cross(pool, u, &unit(k));
    let square = dot(pool, &first, &first);
    let root = pool.sqrt(square);
    let first = first.map(|e| pool.div(e, root));
    [first, cross(pool, u, &first), *u]
}

/// The advance of a screw in one radian.
pub(crate) fn screw_lead(pool: &mut Pool, pitch: Option<Expr>) -> Expr {
    let (pi, pitch) = (pool.pi(), pitch.unwrap_or(Pool::ZERO));
    let half = pool.div(pitch, pi);
    pool.scale(half, Rational::HALF)
}

/// A pose or a relative motion: rotation and position, angular velocity and velocity in the moved axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    /// The moved axes as columns.
    pub R: Matrix3,
    /// The moved origin, in the first axes.
    pub p: Vector,
    /// Angular velocity, in the moved axes.
    pub w: Vector,
    /// Velocity of the moved origin, in the moved axes.
    pub v: Vector,
}

impl Motion {
    pub const REST: Motion = Motion { R: IDENTITY, p: ZERO, w: ZERO, v: ZERO };

    /// The motion of the first axes as seen from the moved ones.
    pub fn inverse(&self, pool: &mut Pool) -> Motion {
        let back = apply_transposed(pool, &self.R, &self.p);
        let w = apply(pool, &self.R, &self.w);
        let (lever, carried) = (cross(pool, &w, &self.p), apply(pool, &self.R, &self.v));
        Motion {
            R: transposed(&self.R),
            p: neg(pool, &back),
            w: neg(pool, &w),
            v: sub(pool, &lever, &carried),
        }
    }

    /// This motion, and then another one relative to it.
    pub fn then(&self, pool: &mut Pool, next: &Motion) -> Motion {
        let moved = apply(pool, &self.R, &next.p);
        let w = apply_transposed(pool, &next.R, &self.w);
        let lever = cross(pool, &self.w, &next.p);
        let at = add(pool, &self.v, &lever);
        let v = apply_transposed(pool, &next.R, &at);
        Motion {
            R: product(pool, &self.R, &next.R),
            p: add(pool, &self.p, &moved),
            w: add(pool, &w, &next.w),
            v: add(pool, &v, &next.v),
        }
    }

    /// Axes that are fixed: a place on a body.
    pub fn fixed(at: &Vector, turned: &Matrix3) -> Motion {
        Motion { R: *turned, p: *at, ..Motion::REST }
    }
}
