//! The model as far as it has been read, by subject: what statements have added, before kinematics are solved and rates
//! replaced (`finish`).

use super::{ForceObservable, Part, RawInitial, actuate, auxiliary, laws};
use crate::elaborate::scope::Binding;
use crate::system::{
    CompleteIntegral, Constraint, ConstraintRow, Contact, Coordinate, DrawnPoint, Event, Figure, Output,
    RequirementRow, Run, Speed, WrittenEnergy,
};
use dalembert_expr::Expr;
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;
use rustc_hash::{FxHashMap, FxHashSet};

/// Configuration and speeds (K1).
#[derive(Default)]
pub(super) struct FrameDraft {
    pub coordinates: Vec<Coordinate>,
    /// Declared speeds only; rates that stay speeds are added by `finish`.
    pub speeds: Vec<Speed>,
    /// Of each declared speed, where it has one: `speed u = E`.
    pub definitions: Vec<Option<(Expr, Span)>>,
    pub auxiliaries: Vec<auxiliary::Auxiliary>,
    /// Of each coordinate, where it is given: `kinematics x' = E`.
    pub kinematics: Vec<Option<(Expr, Span)>>,
}

/// Energies and the Rayleigh function, statement by statement.
#[derive(Default)]
pub(super) struct EnergyDraft {
    pub kinetic: Vec<Part>,
    pub potential: Vec<Part>,
    pub lagrangian: Vec<Part>,
    pub dissipation: Vec<Part>,
    /// `kinetic` and `potential` as they are written.
    pub written: [WrittenEnergy; 2],
}

/// Forces and the direct form.
#[derive(Default)]
pub(super) struct ForceDraft {
    pub work: Vec<Part>,
    pub nonideal: Vec<Part>,
    pub mass: Option<(Vec<Vec<Part>>, Span)>,
    /// Whether there was a `mass`, once it has been taken.
    pub mass_given: bool,
    /// `force [F1, F2]`, one component for each speed.
    pub vectors: Vec<(Vec<Part>, Span)>,
    /// `force x = E`
    pub on: Vec<(Binding, Part)>,
    /// Components of a force, of its point, and where they are written.
    pub at: Vec<(Vec<Expr>, Vec<Expr>, Span)>,
    /// Forces at points times the components of their points, for their units.
    pub at_work: Vec<Part>,
    /// Forces on freedoms of joints that close loops, for their units.
    pub on_freedoms: Vec<(Binding, Part)>,
}

/// Constraints and their rows.
#[derive(Default)]
pub(super) struct ConstraintDraft {
    pub list: Vec<Constraint>,
    pub rows: Vec<ConstraintRow>,
    /// Indices of constraints by their names.
    pub by_name: FxHashMap<String, usize>,
    /// Indices of rows by their names.
    pub row_by_name: FxHashMap<String, usize>,
}

/// Coulomb friction.
#[derive(Default)]
pub(super) struct ContactDraft {
    pub list: Vec<Contact>,
    /// Contacts of constraints that cannot press.
    pub without_force: Vec<laws::NoContact>,
    /// Normal forces as they are written, one for each contact.
    pub normals: Vec<Option<(Vec<Expr>, Span)>>,
    /// Limits of `friction in`, for their units.
    pub limits: Vec<(Binding, Part)>,
}

/// Requirements and what control may use to meet them (C1).
#[derive(Default)]
pub(super) struct ControlDraft {
    pub requirements: Vec<Constraint>,
    pub rows: Vec<RequirementRow>,
    pub actuators: Option<(Vec<actuate::RawActuator>, Span)>,
    pub weight: Option<(Vec<Vec<Expr>>, Span)>,
}

/// Where a motion starts, what is observed of it, and how it is computed.
#[derive(Default)]
pub(super) struct ExperimentDraft {
    pub initial: Vec<RawInitial>,
    /// Which of them is about a coordinate and an order, or about a speed (order `u32::MAX`).
    pub initial_of: FxHashMap<(usize, u32), usize>,
    pub outputs: Vec<Output>,
    pub output_names: FxHashSet<String>,
    pub events: Vec<Event>,
    pub run: Option<Run>,
    pub complete_integral: Option<CompleteIntegral>,
    pub force_observables: Vec<ForceObservable>,
    /// Whether an output or event asks for `power(...)`.
    pub powers_asked_for: bool,
}

/// What an animation shows.
pub(super) struct DrawingDraft {
    pub figures: Vec<Figure>,
    /// The unit that all of them share, once one is known.
    pub unit: UnitInfo,
    /// Vectors of two or three components that have a name.
    pub vectors: Vec<DrawnPoint>,
}

impl Default for DrawingDraft {
    fn default() -> Self {
        DrawingDraft { figures: Vec::new(), unit: UnitInfo::Number, vectors: Vec::new() }
    }
}
