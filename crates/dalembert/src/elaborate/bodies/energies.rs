//! Kinetic energy of bodies in their own axes, and their potential energy in the field of gravity.

use super::super::{Elaborator, Fallible, Part};
use super::algebra::{add, apply, cross, dot};
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
            let motion = self.motion(Some(b), span)?;
            let arm = apply(&mut self.pool, &motion.R, &body.centre);
            let centre = add(&mut self.pool, &motion.p, &arm);
            let fall = dot(&mut self.pool, &field, &centre);
            let weight = self.pool.mul(body.mass, fall);
            let V = self.pool.neg(weight);
            if V != Pool::ZERO {
                self.add_potential(V, span);
            }
            let dimension = if self.bodies.plan.is_plane { 2 } else { 3 };
            let weight = field.iter().take(dimension).map(|g| self.pool.mul(body.mass, *g)).collect();
            self.place_force(body.name.clone(), true, centre[..dimension].to_vec(), weight);
        }
        Ok(())
    }

    /// `m v_c^2/2 + w J w/2`
    pub(super) fn kinetic_of(&mut self, b: usize, span: Span) -> Fallible<Expr> {
        let Some(body) = self.bodies.bodies[b].clone() else { return Ok(Pool::ZERO) };
        let motion = self.motion(Some(b), span)?;
        let pool = &mut self.pool;
        let lever = cross(pool, &motion.w, &body.centre);
        let v = add(pool, &motion.v, &lever);
        let (square, angular) = (dot(pool, &v, &v), apply(pool, &body.inertia, &motion.w));
        let (moving, turning) = (pool.mul(body.mass, square), dot(pool, &motion.w, &angular));
        let twice = pool.add(moving, turning);
        Ok(pool.scale(twice, Rational::HALF))
    }
}
