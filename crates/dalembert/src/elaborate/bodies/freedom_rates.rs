//! How fast the freedoms of a joint that closes a loop move, and the inertia of drives there.
//!
//! A joint that closes a loop has no coordinates of its own (B2). What acts on its freedoms needs their rates as linear
//! forms in the speeds of the bodies. With F on the first body and G on the second, d from F to G and w the angular
//! velocity of G relative to F, both in the axes of F:
//!
//! ```text
//! slide along u     u . d'
//! turn about u      u . w             universal joint: u . w and (R v) . w
//! ball, free        R^T w, R^T d'     in the axes of G
//! ```
//!
//! On the closed loop these are the rates of the values that the freedoms have; they are linear and need no arc tangents.
//! Bodies are seen released, so that forces of joints know what acts here.

use super::super::{Elaborator, Fallible, Part};
use super::algebra::{apply, apply_transposed, dot, quaternion, sub, unit};
use super::closure::Gap;
use super::joints::QUATERNION_RATES;
use crate::bodies::{Joint, JointKind, JointRole, Placement, Vector};
use dalembert_expr::{Expr, Pool, Rational, Symbol};
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;

impl Elaborator<'_> {
    /// The rate of a freedom of a joint that closes a loop, linear in rates and speeds.
    pub(super) fn freedom_rate(&mut self, joint: &Joint, gap: &Gap, k: usize) -> Fallible<Expr> {
        let part = joint.kind.coordinates(self.bodies.plan.is_plane).get(k).copied().unwrap_or_default();
        let axis = joint.axes.first().copied().unwrap_or(unit(2));
        Ok(match (joint.kind, part) {
            (JointKind::Slider, _) | (_, "slide" | "x" | "y" | "z" | "e0" | "e1" | "e2" | "e3") => {
                let value = self.freedom(joint, gap, k);
                self.dot.apply(&mut self.pool, value)
            }
            (JointKind::Universal, "second") => {
                let w = self.relative_turning(joint, joint.span)?;
                let v = apply(&mut self.pool, &gap.R, &joint.axes[1]);
                dot(&mut self.pool, &v, &w)
            }
            _ => {
                let w = self.relative_turning(joint, joint.span)?;
                dot(&mut self.pool, &axis, &w)
            }
        })
    }

    /// A speed of a ball or free joint that closes a loop: `wx, wy, wz, vx, vy, vz` in the axes of the second body.
    pub(super) fn speed_of_freedom(&mut self, joint: &Joint, k: usize, span: Span) -> Fallible<Expr> {
        let gap = self.seen_gap(joint, span)?;
        let three = match k < 3 {
            true => self.relative_turning(joint, span)?,
            false => gap.d.map(|e| self.dot.apply(&mut self.pool, e)),
        };
        let own = apply_transposed(&mut self.pool, &gap.R, &three);
        Ok(own[k % 3])
    }

    /// The angular velocity of the second place relative to the first, in the axes of the first.
    fn relative_turning(&mut self, joint: &Joint, span: Span) -> Fallible<Vector> {
        let first = self.turning_in_space(&joint.first, span)?;
        let second = self.turning_in_space(&joint.second, span)?;
        let apart = sub(&mut self.pool, &second, &first);
        let pose = self.seen_pose(&joint.first, span)?;
        Ok(apply_transposed(&mut self.pool, &pose.R, &apart))
    }

    fn turning_in_space(&mut self, place: &Placement, span: Span) -> Fallible<Vector> {
        let body = self.seen_motion(place.body, span)?;
        Ok(apply(&mut self.pool, &body.R, &body.w))
    }

    /// `Ja/2 s'^2` for every freedom s of the joints that close loops and have an armature.
    pub(super) fn armatures_of_loops(&mut self) -> Fallible<()> {
        for joint in self.bodies.joints.clone().into_iter().flatten() {
            let (Some(armature), JointRole::Cut { .. }) = (joint.armature, &joint.role) else { continue };
            let rates = self.rates_of_freedoms(&joint)?;
            let squares: Vec<Expr> = rates.into_iter().map(|rate| self.pool.powi(rate, 2)).collect();
            let sum = self.pool.total(squares);
            let half = self.pool.scale(armature, Rational::HALF);
            let expr = self.pool.mul(half, sum);
            self.energies.kinetic.push(Part { expr, kind: UnitInfo::Missing, span: joint.span });
        }
        Ok(())
    }

    /// Speeds of a joint that has some, else the rates of its freedoms.
    fn rates_of_freedoms(&mut self, joint: &Joint) -> Fallible<Vec<Expr>> {
        let is_plane = self.bodies.plan.is_plane;
        let speeds = joint.kind.speeds(is_plane).len();
        if speeds > 0 {
            return (0..speeds).map(|k| self.speed_of_freedom(joint, k, joint.span)).collect();
        }
        let gap = self.seen_gap(joint, joint.span)?;
        let count = joint.kind.coordinates(is_plane).len();
        if joint.kind == JointKind::Universal {
            // u . w and (R v) . w are not rates of anything off the closed loop; the angles have no moment across u and v.
            let angles: Vec<Expr> = (0..count).map(|k| self.freedom(joint, &gap, k)).collect();
            return Ok(angles.into_iter().map(|e| self.dot.apply(&mut self.pool, e)).collect());
        }
        (0..count).map(|k| self.freedom_rate(joint, &gap, k)).collect()
    }

    /// The entries of X in `x' = X eta` (K1) of a ball or free joint, whether it carries or closes a loop.
    pub(super) fn rates_by_speeds(&mut self, joint: &Joint) -> Fallible<Vec<Vec<Expr>>> {
        let is_plane = self.bodies.plan.is_plane;
        let (n_x, n) = (joint.kind.coordinates(is_plane).len(), joint.kind.speeds(is_plane).len());
        let first = n_x - 4;
        let e: [Expr; 4] = match joint.role {
            JointRole::Carries { .. } => {
                std::array::from_fn(|k| self.coordinate_value(joint.coordinates[first + k]))
            }
            JointRole::Cut { .. } => {
                let gap = self.gap(joint, joint.span)?;
                std::array::from_fn(|k| self.freedom(joint, &gap, first + k))
            }
        };
        let mut X = vec![vec![Pool::ZERO; n]; n_x];
        if n == 6 {
            let R = quaternion(&mut self.pool, &e);
            (0..3).for_each(|i| X[i][3..].copy_from_slice(&R[i]));
        }
        for (k, row) in QUATERNION_RATES.iter().enumerate() {
            for (i, (of, sign)) in row.iter().enumerate() {
                X[first + k][i] = self.pool.scale(e[*of], &Rational::HALF * &Rational::from(*sign));
            }
        }
        Ok(X)
    }

    /// Velocities that are linear in the rates as virtual displacements.
    pub(super) fn virtual_of(&mut self, v: &[Expr]) -> Vec<Expr> {
        let mut images: Vec<(Symbol, Expr)> = Vec::new();
        for k in 0..self.frame.coordinates.len() {
            let delta = self.pool.var(self.frame.coordinates[k].displacement);
            images.push((self.frame.coordinates[k].rate, delta));
        }
        for k in 0..self.frame.speeds.len() {
            let delta = self.pool.var(self.frame.speeds[k].displacement);
            images.push((self.frame.speeds[k].symbol, delta));
        }
        images.extend(self.release_changes());
        self.pool.substitute(v, &images)
    }
}
