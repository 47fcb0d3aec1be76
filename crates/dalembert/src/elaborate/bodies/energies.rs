//! Kinetic energy of bodies in their own axes, and their potential energy in the field of gravity.

use super::super::{Elaborator, Fallible, Part};
use super::algebra::{add, apply, apply_transposed, cross, dot};
use dalembert_expr::{Expr, Pool, Rational};
use dalembert_syntax::ast;
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;

impl Elaborator<'_> {
    pub(in super::super) fn gravity(&mut self, e: &ast::Expr, span: Span) -> Fallible<()> {
        let field = self.constant_vector(e)?;
        match self.bodies.gravity.replace((field, span)) {
            None => Ok(()),
            Some((_, first)) => {
                let d = Diagnostic::error(Code::StatementTwice, span, "`gravity` stands twice");
                self.fail(d.label(first, "first here"))
            }
        }
    }

    /// Kinetic and potential energy of every body (T in body axes).
    pub(super) fn body_energies(&mut self) -> Fallible<()> {
        for b in 0..self.bodies.bodies.len() {
            let Some(body) = self.bodies.bodies[b].clone() else { continue };
            let T = self.kinetic_of(b, body.span)?;
            if T != Pool::ZERO {
                self.kinetic.push(Part { expr: T, kind: UnitInfo::Missing, span: body.span });
            }
            let Some((field, span)) = self.bodies.gravity else { continue };
            if !self.bodies.plan.is_plane && self.places.is_none() {
                continue;
            }
            let motion = self.motion(Some(b), span)?;
            let arm = apply(&mut self.pool, &motion.R, &body.centre);
            let centre = add(&mut self.pool, &motion.p, &arm);
            if self.bodies.plan.is_plane {
                let fall = dot(&mut self.pool, &field, &centre);
                let weight = self.pool.mul(body.mass, fall);
                let V = self.pool.neg(weight);
                if V != Pool::ZERO {
                    self.add_potential(V, span);
                }
            }
            let dimension = if self.bodies.plan.is_plane { 2 } else { 3 };
            let weight = field.iter().take(dimension).map(|g| self.pool.mul(body.mass, *g)).collect();
            self.place_force(body.name.clone(), true, centre[..dimension].to_vec(), weight);
        }
        if !self.bodies.plan.is_plane {
            self.energies_of_weight()?;
        }
        Ok(())
    }

    /// Potential energy of bodies in space, with gravity turned into their axes: what a joint lifts is all that it
    /// carries, so that a tree grows as its number of bodies and not as its depth.
    fn energies_of_weight(&mut self) -> Fallible<()> {
        let Some((field, span)) = self.bodies.gravity else { return Ok(()) };
        let n = self.bodies.bodies.len();
        let mut fields = vec![None; n];
        let mut carried: Vec<Expr> = self
            .bodies
            .bodies
            .iter()
            .map(|body| body.as_ref().map_or(Pool::ZERO, |body| body.mass))
            .collect();
        let order = self.outward_order();
        for &b in order.iter().rev() {
            if let Some(p) = self.bodies.plan.bodies[b].parent {
                carried[p] = self.pool.add(carried[p], carried[b]);
            }
        }
        for b in order {
            let Some(body) = self.bodies.bodies[b].clone() else { continue };
            let relative = self.moving(b, span)?.relative;
            let above = self.bodies.plan.bodies[b].parent.and_then(|p| fields[p]).unwrap_or(field);
            let pool = &mut self.pool;
            let own = apply_transposed(pool, &relative.R, &above);
            fields[b] = Some(own);
            let (lifted, fall) = (dot(pool, &above, &relative.p), dot(pool, &own, &body.centre));
            let (lifted, fall) = (pool.mul(carried[b], lifted), pool.mul(body.mass, fall));
            let weight = pool.add(lifted, fall);
            let V = pool.neg(weight);
            if V != Pool::ZERO {
                self.add_potential(V, span);
            }
        }
        Ok(())
    }

    /// Bodies, each behind its parent.
    fn outward_order(&self) -> Vec<usize> {
        let bodies = &self.bodies.plan.bodies;
        let mut carried: Vec<Vec<usize>> = vec![Vec::new(); bodies.len()];
        let mut order = Vec::with_capacity(bodies.len());
        for (b, body) in bodies.iter().enumerate() {
            match body.parent {
                Some(p) => carried[p].push(b),
                None => order.push(b),
            }
        }
        let mut next = 0;
        while let Some(&b) = order.get(next) {
            order.extend(&carried[b]);
            next += 1;
        }
        order
    }

    /// `m v_c^2/2 + w J w/2`
    pub(super) fn kinetic_of(&mut self, b: usize, span: Span) -> Fallible<Expr> {
        let Some(body) = self.bodies.bodies[b].clone() else { return Ok(Pool::ZERO) };
        let motion = self.moving(b, span)?;
        let pool = &mut self.pool;
        let lever = cross(pool, &motion.w, &body.centre);
        let v = add(pool, &motion.v, &lever);
        let (square, angular) = (dot(pool, &v, &v), apply(pool, &body.inertia, &motion.w));
        let (moving, turning) = (pool.mul(body.mass, square), dot(pool, &motion.w, &angular));
        let twice = pool.add(moving, turning);
        Ok(pool.scale(twice, Rational::HALF))
    }
}
