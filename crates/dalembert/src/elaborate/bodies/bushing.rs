//! Bushings: stiffness and damping between two frames, in the axes of the first.

use super::super::roles::{Allowed, State};
use super::super::{Elaborator, Fallible, Reported};
use super::algebra::{apply, apply_transposed, cross, neg, product, scale, sub, transposed};
use crate::bodies::{Element, ElementKind, Vector};
use dalembert_expr::{Expr, Pool, Rational};
use dalembert_syntax::ast::{self, ElementPlace};
use dalembert_syntax::diagnostic::Code;
use dalembert_syntax::source::Span;

impl Elaborator<'_> {
    /// Stiffness and damping in the axes of the first frame; turns by the skew part s of the rotation R between the
    /// frames, in the plane by its angle. Torque on the second: -(tr R - R^T) (k s)/2 - c w, in the plane -k phi - c w.
    pub(super) fn bushing(&mut self, element: &ast::Element, span: Span) -> Fallible<Element> {
        let ElementPlace::Between(a, b) = &element.place else { return Err(Reported) };
        let stiffness = self.bushing_values(&element.values[0])?;
        let damping =
            element.values.get(1).map(|e| self.bushing_values(e)).transpose()?.unwrap_or([Pool::ZERO; 6]);
        let ((on_a, p), (on_b, q)) = (self.element_point(a)?, self.element_point(b)?);
        let (pose_a, pose_b) = (self.pose(&on_a, a.span)?, self.pose(&on_b, b.span)?);
        let (motion_a, motion_b) = (self.motion(on_a.body, a.span)?, self.motion(on_b.body, b.span)?);
        let (of_a, of_b) = (self.velocity_of(&on_a, a.span)?, self.velocity_of(&on_b, b.span)?);
        let pool = &mut self.pool;
        let back = transposed(&pose_a.R);
        let between = sub(pool, &q, &p);
        let d = apply(pool, &back, &between);
        let R = product(pool, &back, &pose_b.R);
        let is_plane = self.bodies.plan.is_plane;
        let s: Vector = match is_plane {
            true => [Pool::ZERO, Pool::ZERO, self.angle_of(R[1][0], R[0][0])],
            false => [(2, 1), (0, 2), (1, 0)].map(|(i, j)| {
                let skew = self.pool.sub(R[i][j], R[j][i]);
                self.pool.scale(skew, Rational::HALF)
            }),
        };
        let pool = &mut self.pool;
        // Rates in the axes of the first frame, which turn with it.
        let (w_a, w_b) = (apply(pool, &motion_a.R, &motion_a.w), apply(pool, &motion_b.R, &motion_b.w));
        let turning = sub(pool, &w_b, &w_a);
        let w = apply(pool, &back, &turning);
        let apart = sub(pool, &of_b, &of_a);
        let carried = cross(pool, &w_a, &between);
        let apart = sub(pool, &apart, &carried);
        let v = apply(pool, &back, &apart);
        for k in 0..6 {
            let (x, rate) = if k < 3 { (d[k], v[k]) } else { (s[k - 3], w[k - 3]) };
            let (energy, power) = (self.half_square(stiffness[k], x), self.half_square(damping[k], rate));
            self.add_potential(energy, span);
            self.add_dissipation(power, span);
        }
        let pool = &mut self.pool;
        let pull = |pool: &mut Pool, k: Expr, x: Expr, c: Expr, rate: Expr| {
            let (a, b) = (pool.mul(k, x), pool.mul(c, rate));
            pool.combine([(a, Rational::MINUS_ONE), (b, Rational::MINUS_ONE)])
        };
        let force: Vector = std::array::from_fn(|k| pull(pool, stiffness[k], d[k], damping[k], v[k]));
        let moment: Vector = std::array::from_fn(|k| pool.mul(stiffness[3 + k], s[k]));
        let trace = pool.total([R[0][0], R[1][1], R[2][2]]);
        let (all, turned) = (scale(pool, trace, &moment), apply_transposed(pool, &R, &moment));
        let conservative = if is_plane {
            moment.map(|e| pool.scale(e, Rational::from(-2)))
        } else {
            sub(pool, &turned, &all)
        };
        let torque: Vector = std::array::from_fn(|k| {
            let lost = pool.mul(damping[3 + k], w[k]);
            pool.combine([(conservative[k], Rational::HALF), (lost, Rational::MINUS_ONE)])
        });
        let (force, torque) = (apply(pool, &pose_a.R, &force), apply(pool, &pose_a.R, &torque));
        // On the first body the opposite acts at the same point.
        let opposite = neg(pool, &force);
        self.push_pair((&on_a, &q), (&on_b, &q), &opposite);
        self.push_torque(on_b.body, on_a.body, &torque);
        let (force, torque) = (self.vector_value(&force).scalars(), self.turn_value(&torque).scalars());
        Ok(Element { kind: ElementKind::Bushing, force, torque })
    }

    /// Three or six numbers in space, two or three in the plane: along the axes, then about them.
    fn bushing_values(&mut self, e: &ast::Expr) -> Fallible<[Expr; 6]> {
        let value = self.value(e)?;
        self.allow_in(e, &value.scalars(), Allowed::only("a stiffness or damping", State::Nothing))?;
        let zero = Pool::ZERO;
        match (&value.scalars()[..], self.bodies.plan.is_plane) {
            ([x, y], true) => Ok([*x, *y, zero, zero, zero, zero]),
            ([x, y, turn], true) => Ok([*x, *y, zero, zero, zero, *turn]),
            ([x, y, z], false) => Ok([*x, *y, *z, zero, zero, zero]),
            ([x, y, z, a, b, c], false) => Ok([*x, *y, *z, *a, *b, *c]),
            (_, is_plane) => {
                let wanted = if is_plane { "2 or 3" } else { "3 or 6" };
                let message = format!("a bushing takes {wanted} values: along the axes, then about them");
                self.error(Code::DimensionMismatch, e.span, &message)
            }
        }
    }
}
