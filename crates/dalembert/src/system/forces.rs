//! Energies and forces, statement by statement.

use dalembert_expr::Expr;
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;

/// Energies as statements give them, and what they add up to.
#[derive(Clone)]
pub struct Energies {
    /// Kinetic (co-)energy, if any statement gave one.
    pub kinetic: Option<Expr>,
    /// Potential energy, if any.
    pub potential: Option<Expr>,
    /// Lagrangian given directly, if any.
    pub lagrangian: Option<Expr>,
    /// `kinetic` and `potential` as the statements say them.
    pub written: [WrittenEnergy; 2],
    /// T + V, or eta . dL/d eta - L; over the state. Unknown for the direct form.
    pub total: Option<Expr>,
    /// The part of the total that is kinetic, where the two can be told apart.
    pub kinetic_part: Option<Expr>,
    /// The potential part.
    pub potential_part: Option<Expr>,
    /// What `force x = E` stores; counted in the total and in the potential part.
    pub stored: Option<StoredForces>,
    /// The unit of energies, as far as known.
    pub unit: UnitInfo,
}

/// Laws `force x = E` over the configuration alone that have a potential: `force x = -k*x^3` stores k x^4/4. Statements
/// with a constant alone, forces at points and by virtual work are loads; they store nothing.
#[derive(Clone, Debug)]
pub struct StoredForces {
    /// V(x)
    pub potential: Expr,
    /// -dV/dx by coordinate.
    pub forces: Vec<(usize, Expr)>,
}

/// Forces that have no energy, and the direct form.
#[derive(Clone, Default)]
pub struct Forces {
    /// Generalised applied force Q' on each speed (direct, at points, by virtual work).
    pub applied: Vec<Expr>,
    /// Rayleigh function.
    pub dissipation: Option<Expr>,
    /// Direct form: rows of the mass matrix.
    pub mass: Option<Vec<Vec<Expr>>>,
    /// Where `mass` is written.
    pub mass_span: Option<Span>,
    /// The statements behind energies, forces and dissipation, in the order of their kinds; `mass` has its own place.
    pub contributions: Vec<Contribution>,
    /// Forces with the points they act at; only a system that was read for its points has them.
    pub placed: Vec<PlacedForce>,
}

/// An energy as the statements of the model give it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenEnergy {
    /// The sum of the statements, loops as sums; empty where no statement gives it.
    pub text: String,
    /// Definitions of the names in it that `let` gives, in the order of the model: `P = [l*sin(a), -l*cos(a)]`.
    pub definitions: Vec<String>,
}

/// What one statement adds to the equations of motion.
#[derive(Clone, Debug)]
pub struct Contribution {
    /// Where it is written.
    pub span: Span,
    /// What it says.
    pub law: Law,
}

/// The kinds of such statements.
#[derive(Clone, Debug)]
pub enum Law {
    /// A kinetic or potential energy, or a Lagrangian.
    Energy(Expr),
    /// A Rayleigh function.
    Dissipation(Expr),
    /// Generalised forces on speeds, by index.
    Forces(Vec<(usize, Expr)>),
}

/// A class of forces whose power and work are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Power {
    /// All impressed forces.
    Impressed,
    /// Impressed forces without a potential.
    Nonconservative,
    /// Ideal constraint forces; they do work where constraints move.
    Ideal,
    /// Non-ideal constraint forces, friction among them.
    Nonideal,
    /// Control forces.
    Control,
}

impl Power {
    /// All of them.
    pub const ALL: [Power; 5] =
        [Power::Impressed, Power::Nonconservative, Power::Ideal, Power::Nonideal, Power::Control];

    /// The word for it in the language.
    pub fn name(self) -> &'static str {
        match self {
            Power::Impressed => "impressed",
            Power::Nonconservative => "nonconservative",
            Power::Ideal => "ideal",
            Power::Nonideal => "nonideal",
            Power::Control => "control",
        }
    }
}

/// What a force with a point belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlacedKind {
    /// Applied forces, those of potentials and of dissipation.
    Impressed,
    /// A constraint row, by index: the force is for a multiplier of one.
    Row(usize),
}

/// A force of the free-body diagram.
#[derive(Clone, Debug)]
pub struct PlacedForce {
    /// What its point is called.
    pub name: String,
    /// What it belongs to.
    pub kind: PlacedKind,
    /// Whether it comes from an energy, not from a force that is given or a Rayleigh function.
    pub of_energy: bool,
    /// The point, two or three components.
    pub at: Vec<Expr>,
    /// The force.
    pub force: Vec<Expr>,
    /// Its generalised force, as parts on speeds.
    pub on_speeds: Vec<(usize, Expr)>,
}
