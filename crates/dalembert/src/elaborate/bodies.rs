//! Bodies, joints and force elements become coordinates, energies, forces and constraints.
//!
//! The spanning tree is planned before the model is read (`plan`); statements then give bodies their inertia (`shapes`),
//! joints their places and coordinates (`joints`), and force elements their energies (`elements`). Where bodies are
//! follows outward along the tree (`motion`), joints that close loops are rows (`closure`). When all has been read,
//! energies of bodies and loops are added to the model, and from there on it is like any other.

mod bushing;
mod closure;
mod dimensions;
mod element_freedom;
mod elements;
mod energies;
mod freedom_rates;
mod joints;
mod motion;
mod names;
mod places;
mod plan;
mod plane;
mod reactions;
mod release;
mod results;
mod shapes;
mod waiting;

use super::scope::Binding;
use super::{Elaborator, Fallible, Part, RawInitial};
use crate::bodies::algebra;
use crate::bodies::motion::Moving;
use crate::bodies::{
    Body, DeferredEnergies, Element, FixedFreedom, Joint, JointRole, Multibody, Placement, Vector,
};
use crate::system::Event;
use dalembert_expr::{Expr, Pool, Rational, Symbol};
use dalembert_syntax::diagnostic::any_error;
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;
use motion::BodyMotion;
pub(super) use plan::plan;
use reactions::Wrench;
use release::Release;
use results::Request;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use waiting::Waiting;

/// Bodies as far as they have been read.
#[derive(Default)]
pub(super) struct Bodies<'a> {
    plan: plan::Plan,
    /// Statements of bodies, frames, joints and force elements that have not been read yet.
    unread: usize,
    /// Bodies whose place is known: all joints on the way to them have been read.
    placed: Vec<bool>,
    /// Statements that wait for one of those, and the names that they declare.
    waiting: Vec<Waiting<'a>>,
    late_names: FxHashSet<String>,
    gravity: Option<(Vector, Span)>,
    bodies: Vec<Option<Body>>,
    /// Those of the plan, then one for each body that is free under its own name.
    joints: Vec<Option<Joint>>,
    frames: Vec<Placement>,
    motions: Vec<Option<BodyMotion>>,
    moving: Vec<Option<Moving>>,
    elements: Vec<Element>,
    element_of: FxHashMap<String, usize>,
    /// What force elements and torques do to bodies, in space.
    wrenches: Vec<(usize, Wrench)>,
    requests: Vec<Request>,
    /// Units of what was requested, by the values that outputs have.
    pub(super) result_kinds: Vec<(Expr, UnitInfo)>,
    /// Generalised forces on freedoms and speeds of joints that close loops.
    motors: Vec<(Binding, Expr)>,
    /// Freedoms of joints that close loops, with guesses of them.
    guesses: Vec<(Expr, Expr)>,
    fixed_freedoms: Vec<FixedFreedom>,
    /// Limits of joints that close loops: the joint, which of its limits, and of which freedom.
    limited_freedoms: Vec<(usize, usize, usize)>,
    loop_forces: Vec<Expr>,
    /// Symbols of the virtual displacements that bodies get so that forces of the model on them can be told.
    releases: Vec<Release>,
    /// Where energies of bodies are among those of the model: kinetic, potential.
    energies: [Range<usize>; 2],
    deferred: Option<DeferredEnergies>,
    /// The unit of a mass, where one has a unit.
    mass_kind: Option<UnitInfo>,
}

impl Bodies<'_> {
    pub fn new(plan: plan::Plan) -> Self {
        let (n, joints) = (plan.bodies.len(), plan.joints.len() + plan.bodies.len());
        Bodies {
            bodies: vec![None; n],
            joints: vec![None; joints],
            motions: vec![None; n],
            moving: vec![None; n],
            placed: vec![false; n],
            unread: plan.statements,
            plan,
            ..Bodies::default()
        }
    }

    pub fn is_empty(&self) -> bool {
        self.plan.bodies.is_empty()
    }
}

impl Elaborator<'_> {
    /// Adds what bodies and joints are to the model, when all of it has been read.
    pub(super) fn close_bodies(&mut self) -> Fallible<()> {
        if self.bodies.is_empty() || any_error(&self.diagnostics) {
            return Ok(());
        }
        self.armatures_of_loops()?;
        let first = [self.energies.kinetic.len(), self.energies.potential.len()];
        self.body_energies()?;
        self.bodies.energies =
            [first[0]..self.energies.kinetic.len(), first[1]..self.energies.potential.len()];
        self.close_loops()?;
        self.limits_of_loops()?;
        self.limit_events();
        self.guess_quaternions();
        Ok(())
    }

    /// The values that limits of joints that close loops are on, when all joints are known.
    fn limits_of_loops(&mut self) -> Fallible<()> {
        for (slot, at, k) in std::mem::take(&mut self.bodies.limited_freedoms) {
            let Some(joint) = self.bodies.joints[slot].clone() else { continue };
            let gap = self.gap(&joint, joint.span)?;
            let value = self.freedom(&joint, &gap, k);
            if let Some(joint) = &mut self.bodies.joints[slot] {
                joint.limits[at].value = value;
            }
        }
        Ok(())
    }

    /// A run that passes a limit of a joint says so.
    fn limit_events(&mut self) {
        let joints = self.bodies.joints.iter().flatten();
        for limit in joints.flat_map(|joint| joint.limits.clone()).collect::<Vec<_>>() {
            let below = self.pool.sub(limit.value, limit.lower);
            let above = self.pool.sub(limit.value, limit.upper);
            for (end, value, rising) in [("lower", below, false), ("upper", above, true)] {
                let name = format!("{}.{end} passed", limit.name);
                let (rising, actions, span) = (Some(rising), Vec::new(), limit.span);
                self.experiment.events.push(Event { name, value, rising, stop: false, actions, span });
            }
        }
    }

    /// Quaternions start at (1, 0, 0, 0) where nothing is said.
    fn guess_quaternions(&mut self) {
        for joint in self.bodies.joints.clone().iter().flatten().filter(|joint| !joint.speeds.is_empty()) {
            let scalar = joint.coordinates[joint.coordinates.len() - 4];
            if self.experiment.initial_of.contains_key(&(scalar, 0)) {
                continue;
            }
            self.experiment.initial_of.insert((scalar, 0), self.experiment.initial.len());
            self.experiment.initial.push(RawInitial {
                on: Binding::Coordinate(scalar),
                order: 0,
                fixed: false,
                value: Pool::ONE,
                span: None,
                option: None,
            });
        }
    }

    /// Numbers of expressions of parameters; NaN where they depend on something else.
    fn parameter_numbers(&mut self, exprs: &[Expr]) -> Vec<f64> {
        if exprs.iter().all(|e| self.pool.as_number(*e).is_some()) {
            return exprs.iter().map(|e| self.pool.as_number(*e).map_or(f64::NAN, |r| r.to_f64())).collect();
        }
        let values: FxHashMap<Symbol, f64> = self.parameter_values();
        self.pool.evaluate_all(exprs, |s| values.get(&s).copied().unwrap_or(f64::NAN))
    }

    /// The Lagrangian without the energies of bodies.
    pub(super) fn rest_of_lagrangian(&mut self, images: &[(Symbol, Expr)]) -> Expr {
        let [kinetic, potential] = &self.bodies.energies;
        let outside = |range: &Range<usize>, parts: &[Part], sign: Rational| -> Vec<(Expr, Rational)> {
            let rest = parts.iter().enumerate().filter(|(k, _)| !range.contains(k));
            rest.map(|(_, part)| (part.expr, sign.clone())).collect()
        };
        let mut parts = outside(kinetic, &self.energies.kinetic, Rational::ONE);
        parts.extend(outside(potential, &self.energies.potential, Rational::MINUS_ONE));
        parts.extend(self.energies.lagrangian.iter().map(|part| (part.expr, Rational::ONE)));
        let rest = self.pool.combine(parts);
        self.pool.substitute(&[rest], images)[0]
    }

    /// The tree as data.
    pub(super) fn multibody(&mut self, rest: Expr) -> Option<Multibody> {
        if self.bodies.is_empty() {
            return None;
        }
        let bodies = std::mem::take(&mut self.bodies);
        let mut place = vec![usize::MAX; bodies.joints.len()];
        let mut joints: Vec<Joint> = Vec::new();
        for (slot, joint) in bodies.joints.into_iter().enumerate() {
            if let Some(joint) = joint {
                place[slot] = joints.len();
                joints.push(joint);
            }
        }
        let list: Vec<Body> = bodies.bodies.into_iter().flatten().collect();
        let list: Vec<Body> =
            list.into_iter().map(|body| Body { joint: place[body.joint], ..body }).collect();
        Some(Multibody {
            is_plane: bodies.plan.is_plane,
            gravity: bodies.gravity.map(|(field, _)| field),
            outward: outward(&list),
            bodies: list,
            joints,
            has_chosen_cuts: bodies.plan.has_chosen_cuts(),
            guesses: bodies.guesses,
            fixed_freedoms: bodies.fixed_freedoms,
            loop_forces: bodies.loop_forces,
            rest,
            deferred: bodies.deferred,
        })
    }
}

/// Joints that carry bodies, each behind the one that carries its parent.
fn outward(bodies: &[Body]) -> Vec<usize> {
    let mut depth = vec![None; bodies.len()];
    for start in 0..bodies.len() {
        let mut way = vec![start];
        while let Some(parent) = bodies[way[way.len() - 1]].parent.filter(|&p| depth[p].is_none()) {
            way.push(parent);
        }
        for &b in way.iter().rev() {
            depth[b] = Some(bodies[b].parent.and_then(|p| depth[p]).map_or(0usize, |d| d + 1));
        }
    }
    let mut order: Vec<usize> = (0..bodies.len()).collect();
    order.sort_by_key(|&b| depth[b]);
    order.into_iter().map(|b| bodies[b].joint).collect()
}

/// Whether a joint carries a body.
fn carries(joint: &Joint) -> bool {
    matches!(joint.role, JointRole::Carries { .. })
}
