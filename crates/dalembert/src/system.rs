//! The elaborated model: names resolved, families unrolled, vectors taken apart; expressions and plain data.
//!
//! All expressions are over the coordinates, speeds, parameters and time; rates have been replaced by the
//! kinematics K1. Nothing is derived yet. One group a subject, in the order in which a model is written down.

pub mod body_figures;
mod column_units;
mod constraints;
mod drawing;
mod experiment;
mod forces;
mod frame;
pub mod notation;

pub use constraints::{Constraint, ConstraintRow, Constraints, Contact, Control, RequirementRow};
pub use drawing::{Drawing, DrawnPoint, Figure, SolidForm};
pub(crate) use experiment::event_expressions;
pub use experiment::{
    Action, CompleteIntegral, Event, Experiment, Initial, InitialTarget, Output, Run, TableUse,
};
pub use forces::{
    Contribution, Energies, Forces, Law, PlacedForce, PlacedKind, Power, StoredForces, WrittenEnergy,
};
pub use frame::{Coordinate, CoordinateSort, Frame, Speed};

use crate::bodies::motion::JointVariables;
use crate::bodies::{Body, DeferredEnergies, Joint, JointRole, Multibody};
use dalembert_expr::{Expr, Pool, Rational, Symbol};
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;

/// A model, read and understood.
#[derive(Clone)]
pub struct System {
    /// The home of every expression below.
    pub pool: Pool,
    /// The title.
    pub title: Option<String>,
    /// Time.
    pub time: Symbol,
    /// Names of the whole numbers (`const`) that the equations are made with.
    pub constants: Vec<String>,
    /// Constants that can be changed without deriving again.
    pub parameters: Vec<Parameter>,
    /// Inputs that were given signals, by their symbols, and those signals over the state.
    pub signals: Vec<(Symbol, Expr)>,
    /// Configuration and speeds.
    pub frame: Frame,
    /// Energies.
    pub energies: Energies,
    /// Forces that have no energy, and the direct form.
    pub forces: Forces,
    /// Constraints, and how their forces do work.
    pub constraints: Constraints,
    /// Contacts with Coulomb friction.
    pub contacts: Vec<Contact>,
    /// Requirements and what control may use.
    pub control: Control,
    /// Bodies, joints and force elements, where the model has any.
    pub bodies: Option<Multibody>,
    /// Starting values, outputs, events, and how the motion is computed.
    pub experiment: Experiment,
    /// Symbols for results.
    pub observables: Observables,
    /// What an animation shows.
    pub drawing: Drawing,
}

/// What a joint moves by, over coordinates and speeds.
fn joint_variables(pool: &mut Pool, frame: &Frame, joint: &Joint) -> JointVariables {
    let declared = frame.speeds.iter().filter(|s| s.rate_of.is_some()).count();
    JointVariables {
        q: joint.coordinates.iter().map(|&i| pool.var(frame.coordinates[i].symbol)).collect(),
        rate: joint.coordinates.iter().map(|&i| frame.kinematics[i]).collect(),
        speed: joint.speeds.iter().map(|&s| pool.var(frame.speeds[declared + s].symbol)).collect(),
    }
}

impl System {
    /// L = T - V + what is given as a Lagrangian; zero without any of them.
    pub(crate) fn whole_lagrangian(&mut self) -> Expr {
        self.write_body_energies();
        let parts = [
            self.energies.kinetic.map(|t| (t, Rational::ONE)),
            self.energies.potential.map(|v| (v, Rational::MINUS_ONE)),
            self.energies.lagrangian.map(|l| (l, Rational::ONE)),
        ];
        self.pool.combine(parts.into_iter().flatten())
    }

    /// Symbols that stand for energies of bodies which are not written out.
    pub fn deferred_energies(&self) -> Option<DeferredEnergies> {
        self.bodies.as_ref()?.deferred
    }

    /// Whether events depend on energies of bodies that are not written out.
    pub(crate) fn events_read_energies(&mut self) -> bool {
        let Some(names) = self.deferred_energies() else { return false };
        let pool = &mut self.pool;
        event_expressions(&mut self.experiment.events)
            .any(|(e, _)| pool.depends_on(*e, &[names.kinetic, names.potential]))
    }

    /// Writes the energies of bodies out in symbols, where they are only named so far: in the energies of the system and
    /// in what is made of them.
    pub fn write_body_energies(&mut self) {
        let Some(names) = self.bodies.as_mut().and_then(|bodies| bodies.deferred.take()) else { return };
        let Some(bodies) = &self.bodies else { return };
        let frame = &self.frame;
        let energies = bodies.energies(&mut self.pool, |pool, joint| joint_variables(pool, frame, joint));
        let span = |b: usize| bodies.bodies[b].span;
        let named = [names.kinetic, names.potential].map(|s| self.pool.var(s));
        let mut images = Vec::new();
        for ((name, symbol), parts) in named
            .into_iter()
            .zip([names.kinetic, names.potential])
            .zip([energies.kinetic, energies.potential])
        {
            let each = parts.iter().map(|(b, e)| Contribution { span: span(*b), law: Law::Energy(*e) });
            if let Some(k) =
                self.forces.contributions.iter().position(|c| matches!(c.law, Law::Energy(e) if e == name))
            {
                self.forces.contributions.splice(k..=k, each.collect::<Vec<_>>());
            }
            images.push((symbol, self.pool.total(parts.into_iter().map(|(_, e)| e))));
        }
        let mut written: Vec<&mut Expr> = [
            &mut self.energies.kinetic,
            &mut self.energies.potential,
            &mut self.energies.total,
            &mut self.energies.kinetic_part,
            &mut self.energies.potential_part,
        ]
        .into_iter()
        .flatten()
        .chain(self.experiment.outputs.iter_mut().map(|output| &mut output.value))
        .chain(event_expressions(&mut self.experiment.events).map(|(e, _)| e))
        .collect();
        let old: Vec<Expr> = written.iter().map(|e| **e).collect();
        let new = self.pool.substitute(&old, &images);
        written.iter_mut().zip(new).for_each(|(e, new)| **e = new);
        self.energies.kinetic = self.energies.kinetic.filter(|e| *e != Pool::ZERO);
        self.energies.potential = self.energies.potential.filter(|e| *e != Pool::ZERO);
    }

    /// The name of each body with the velocity of its centre and its angular velocity, in its own axes, over the speeds.
    pub(crate) fn body_velocities(&mut self) -> Vec<(String, Vec<Expr>, Vec<Expr>)> {
        let Some(bodies) = &self.bodies else { return Vec::new() };
        let frame = &self.frame;
        let found = bodies.velocities(&mut self.pool, |pool, joint| joint_variables(pool, frame, joint));
        bodies.bodies.iter().zip(found).map(|(body, (v, w))| (body.name.clone(), v, w)).collect()
    }

    /// The joint that a constraint closes a loop with, if it is one.
    pub fn joint_of_constraint(&self, constraint: usize) -> Option<&Joint> {
        let closing = JointRole::Cut { constraint: Some(constraint) };
        self.bodies.as_ref()?.joints.iter().find(|joint| joint.role == closing)
    }

    /// What the coordinates and speeds of the joint are called that a name with a dot begins with.
    pub(crate) fn names_of_joint_in(&self, name: &str) -> Option<String> {
        let (bodies, (joint, _)) = (self.bodies.as_ref()?, name.split_once('.')?);
        let found = bodies.joints.iter().find(|known| known.name == joint)?;
        Some(found.kind.names_of(joint, bodies.is_plane))
    }

    /// The body whose joint a speed belongs to, if it does.
    pub(crate) fn body_of_speed(&self, speed: usize) -> Option<&Body> {
        let bodies = self.bodies.as_ref()?;
        let declared = self.frame.speeds.iter().filter(|s| s.rate_of.is_some()).count();
        let moved_by = |joint: &Joint| match self.frame.speeds[speed].rate_of {
            Some(coordinate) => joint.coordinates.contains(&coordinate),
            None => speed.checked_sub(declared).is_some_and(|s| joint.speeds.contains(&s)),
        };
        let joint = bodies.joints.iter().find(|joint| moved_by(joint))?;
        match joint.role {
            JointRole::Carries { body, .. } => bodies.bodies.get(body),
            JointRole::Cut { .. } => None,
        }
    }
}

/// A constant of the model.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Name, with subscripts.
    pub name: String,
    /// Its symbol.
    pub symbol: Symbol,
    /// Its value, over earlier parameters.
    pub value: Expr,
    /// Its unit, as far as known.
    pub kind: UnitInfo,
    /// What a bare 1 in the unit of the file is in SI.
    pub unit_size: f64,
    /// The size of the unit in SI, exactly: a rational factor, and the power of pi it is multiplied by.
    pub unit_scale: (Rational, i64),
    /// The unit of the file as it is written, between the braces.
    pub unit: Option<String>,
    /// Whether it is an `input`, a signal from outside, with its default as value.
    pub is_input: bool,
    /// Where it is declared.
    pub span: Span,
}

/// Symbols for what only the solved motion knows, in the order in which values are given to tapes.
#[derive(Clone, Debug, Default)]
pub struct Observables {
    /// Multiplier of each row.
    pub multipliers: Vec<Symbol>,
    /// Reaction (norm of the ideal generalised force) of each constraint.
    pub reactions: Vec<Symbol>,
    /// Impressed generalised force on each speed.
    pub impressed: Vec<Symbol>,
    /// Ideal constraint force on each speed.
    pub ideal: Vec<Symbol>,
    /// Non-ideal constraint force on each speed.
    pub nonideal: Vec<Symbol>,
    /// Control force on each speed.
    pub control: Vec<Symbol>,
    /// Friction force of each contact, by components of its sliding velocity.
    pub friction: Vec<Symbol>,
    /// Gauss's function.
    pub gauss: Option<Symbol>,
    /// Work of each class of forces since the start, in the order of [`Power::ALL`].
    pub works: Vec<Symbol>,
}
