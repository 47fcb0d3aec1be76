//! The field of gravity, and energies of bodies by name.

use super::super::roles::Role;
use super::super::{Elaborator, Fallible, Part};
use super::algebra::{add, apply};
use crate::bodies::{Body, DeferredEnergies, Vector, kinetic_energy};
use dalembert_expr::{Expr, Pool, Symbol};
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
                let d = Diagnostic::error(Code::StatementTwice, span, "`gravity` appears twice");
                self.fail(d.label(first, "first here"))
            }
        }
    }

    /// Names the energies of bodies, which a finished system writes out when they are asked for; weights for the free-body
    /// diagram.
    pub(super) fn body_energies(&mut self) -> Fallible<()> {
        let Some(span) = self.bodies.bodies.iter().flatten().map(|body| body.span).next() else {
            return Ok(());
        };
        let [kinetic, potential] = ["kinetic energy of bodies", "potential energy of bodies"]
            .map(|name| self.symbol_with_role(name, Role::Parameter));
        self.bodies.deferred = Some(DeferredEnergies { kinetic, potential });
        if self.bodies_have_inertia() {
            let expr = self.pool.var(kinetic);
            self.energies.kinetic.push(Part { expr, kind: UnitInfo::Missing, span });
        }
        let has_mass = self.bodies.bodies.iter().flatten().any(|body| body.mass != Pool::ZERO);
        if let Some((field, span)) = self.bodies.gravity.filter(|_| has_mass) {
            let expr = self.pool.var(potential);
            self.add_potential(expr, span);
            if self.places.is_some() {
                self.place_weights(&field, span)?;
            }
        }
        Ok(())
    }

    /// The symbol for the kinetic energy of bodies, where they have one.
    pub(in super::super) fn kinetic_name_of_bodies(&self) -> Option<Symbol> {
        let name = self.bodies.deferred?.kinetic;
        (!self.bodies.energies[0].is_empty()).then_some(name)
    }

    /// Whether a joint with coordinates is on the way from the ground to a body.
    fn moves(&self, b: usize) -> bool {
        let mut at = Some(b);
        while let Some(b) = at {
            let body = &self.bodies.plan.bodies[b];
            let slot = body.joint.unwrap_or(self.bodies.plan.joints.len() + b);
            if self.bodies.joints[slot].as_ref().is_some_and(|joint| !joint.coordinates.is_empty()) {
                return true;
            }
            at = body.parent;
        }
        false
    }

    /// What is wrong with bodies none of which moves.
    pub(in super::super) fn no_body_moves(&self) -> Option<Diagnostic> {
        let bodies: Vec<&Body> = self.bodies.bodies.iter().flatten().collect();
        let message = format!("no body moves: {} held by welds", are(&bodies)?);
        let d = Diagnostic::error(Code::NoCoordinates, bodies[0].span, message);
        Some(d.help("use a joint that moves, such as `pin`, `slider` or `ball`, or leave the joint out: a body without joints is free"))
    }

    /// What is wrong with bodies that move and have no inertia.
    pub(in super::super) fn no_body_has_mass(&self) -> Option<Diagnostic> {
        let bodies = self.bodies.bodies.iter().enumerate();
        let moving = bodies.filter_map(|(b, body)| body.as_ref().filter(|_| self.moves(b)));
        let moving: Vec<&Body> = moving.collect();
        let message = format!("nothing that moves has inertia: {} without mass and inertia", are(&moving)?);
        let d = Diagnostic::error(Code::MissingEnergy, moving[0].span, message);
        Some(
            d.help(format!("give a mass, as in `body {}: mass 1`, or a joint an `armature`", moving[0].name)),
        )
    }

    /// Whether a body that moves has inertia.
    fn bodies_have_inertia(&self) -> bool {
        let has_inertia =
            |body: &Body| body.mass != Pool::ZERO || body.inertia.iter().flatten().any(|e| *e != Pool::ZERO);
        let bodies = self.bodies.bodies.iter().enumerate();
        bodies
            .filter_map(|(b, body)| Some((b, body.as_ref()?)))
            .any(|(b, body)| has_inertia(body) && self.moves(b))
    }

    /// Weights at the centres of bodies.
    fn place_weights(&mut self, field: &Vector, span: Span) -> Fallible<()> {
        let dimension = if self.bodies.plan.is_plane { 2 } else { 3 };
        for b in 0..self.bodies.bodies.len() {
            let Some(body) = self.bodies.bodies[b].clone() else { continue };
            let motion = self.motion(Some(b), span)?;
            let arm = apply(&mut self.pool, &motion.R, &body.centre);
            let centre = add(&mut self.pool, &motion.p, &arm);
            let weight = field.iter().take(dimension).map(|g| self.pool.mul(body.mass, *g)).collect();
            self.place_force(body.name.clone(), true, centre[..dimension].to_vec(), weight);
        }
        Ok(())
    }

    /// The kinetic energy of a body.
    pub(super) fn kinetic_of(&mut self, b: usize, span: Span) -> Fallible<Expr> {
        let Some(body) = self.bodies.bodies[b].clone() else { return Ok(Pool::ZERO) };
        let moving = self.moving(b, span)?;
        Ok(kinetic_energy(&mut self.pool, &body, &moving))
    }
}

/// "`a` is" or "`a` and `b` are", of a few and the number of the others.
fn are(bodies: &[&Body]) -> Option<String> {
    const NAMED: usize = 4;
    let mut names: Vec<String> = bodies.iter().take(NAMED).map(|body| format!("`{}`", body.name)).collect();
    if bodies.len() > NAMED {
        names.push(format!("{} more", bodies.len() - NAMED));
    }
    let last = names.pop()?;
    Some(match names.is_empty() {
        true => format!("{last} is"),
        false => format!("{} and {last} are", names.join(", ")),
    })
}
