//! Questions to a system: what kind are its constraints, can they be integrated, what does its motion conserve?
//!
//! Constraints are classified by the Lie-bracket closure of what they leave free, conserved quantities are found by
//! solving for the symmetries of the Lagrangian that respect the constraints (sections 7 and 8 of the theory). Every decision
//! is exact: expressions are evaluated at random points modulo primes near 2^62, where nothing is rounded, and confirmed with
//! a second prime. What cannot be decided within the limits is said to be undecided.

mod beyond;
mod brackets;
mod candidates;
mod check;
mod classify;
mod curvature;
mod distribution;
mod dynamics;
mod expansion;
mod forms;
mod integrals;
mod killing;
mod naming;
mod noether;
mod pfaffian;
mod points;
mod quantities;
mod series;
mod straight;
pub(crate) mod surface;

use crate::workspace::Workspace;
pub use candidates::MAX_CANDIDATES;
use dalembert_syntax::diagnostic::Diagnostic;
pub use distribution::{MAX_BRACKET_SPEEDS, MAX_BRACKET_WORK};
pub use noether::MAX_AFFINE;

/// What was found out about a model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Analysis {
    /// Each scalar equation of the constraints.
    pub rows: Vec<RowReport>,
    /// All of them together.
    pub set: ConstraintSet,
    /// What the motion conserves by symmetry.
    pub conserved: Vec<Conserved>,
    /// What was left out of the search for symmetries.
    pub remarks: Vec<String>,
}

/// A conserved quantity.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Conserved {
    /// Such as `energy` or `angular momentum in x, y`.
    pub name: String,
    /// In the names of the model.
    pub expression: String,
    /// The expression in LaTeX.
    pub latex: String,
    /// The symmetry behind it, as `δx = -y, δy = x`.
    pub generator: String,
    /// Its rate along the equations of motion vanishes, exactly at random states.
    pub proved: bool,
    /// It stayed constant along a computed motion.
    pub verified: bool,
    /// The largest change there, relative to the size of its terms.
    pub drift: Option<f64>,
}

/// A function that constraints keep constant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Integral {
    /// In the names of the model.
    pub expression: String,
    /// The expression in LaTeX.
    pub latex: String,
}

/// What kind a row is, seen together with the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// A restriction of the configuration: written as one, or integrable alone or together with others.
    Holonomic,
    /// Linear in the speeds and not integrable.
    Nonholonomic,
    /// Nonlinear in the speeds; brackets do not apply.
    NonlinearNonholonomic,
    /// Not decided within the limits.
    Undecided,
}

impl RowKind {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            RowKind::Holonomic => "holonomic",
            RowKind::Nonholonomic => "nonholonomic",
            RowKind::NonlinearNonholonomic => "nonlinear nonholonomic",
            RowKind::Undecided => "undecided",
        }
    }
}

/// One scalar equation of a constraint.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RowReport {
    /// `rolling.x`, or the constraint's name.
    pub name: String,
    /// The constraint it belongs to.
    pub constraint: String,
    /// Written without rates.
    pub position: bool,
    /// What it is.
    pub kind: RowKind,
    /// The form as written is a differential; `None` where that does not apply.
    pub exact: Option<bool>,
    /// It has an integrating factor by itself.
    pub integrable_alone: Option<bool>,
    /// Time does not occur in it.
    pub scleronomic: bool,
    /// Rest satisfies it.
    pub catastatic: bool,
    /// Linear in the speeds.
    pub linear: bool,
    /// It is a product or power of which one factor moves; that factor was classified.
    pub factored: bool,
    /// What it keeps constant, where it is integrable alone and the function was found.
    pub integral: Option<Integral>,
}

impl RowReport {
    /// What it is by itself, in words.
    pub fn alone(&self) -> &'static str {
        match (self.position, self.exact, self.integrable_alone) {
            (true, ..) => "in the coordinates",
            _ if self.factored => "a factor of the row",
            (_, Some(true), _) => "exact",
            (_, _, Some(true)) => "with an integrating factor",
            (_, Some(false), Some(false)) => "not integrable alone",
            (_, None, Some(false)) => "Frobenius does not apply",
            _ => "not decided alone",
        }
    }
}

/// What the constraints are together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There are none.
    Free,
    /// All of them restrict the configuration.
    Holonomic,
    /// Some combinations do, others do not.
    Mixed,
    /// No combination can be integrated.
    Nonholonomic,
    /// Not decided within the limits.
    Undecided,
}

impl Verdict {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Free => "free",
            Verdict::Holonomic => "holonomic",
            Verdict::Mixed => "mixed",
            Verdict::Nonholonomic => "nonholonomic",
            Verdict::Undecided => "undecided",
        }
    }
}

/// How sure the decisions are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// Wrong with a probability below 1e-12.
    Exact,
    /// The rank on the surface of the position constraints was found with rounded numbers.
    Numerical,
    /// As exact, if inverse functions, logarithms of sums and conditions satisfy no hidden relation.
    Generic,
}

impl Certainty {
    /// What the decisions depend on, in words; nothing where they are exact.
    pub fn caveat(self) -> Option<&'static str> {
        match self {
            Certainty::Exact => None,
            Certainty::Numerical => Some("rank by rounded numbers"),
            Certainty::Generic => Some("if the functions in it satisfy no hidden relation"),
        }
    }
}

/// A place where the rank is lower than in general.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Singular {
    /// Such as `x = 0, y = 0`.
    pub place: String,
    /// The rank there.
    pub rank: usize,
}

/// All constraints together.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConstraintSet {
    /// What they are.
    pub verdict: Verdict,
    /// Generic rank.
    pub rank: usize,
    /// Rank at the model's start.
    pub rank_at_start: Option<usize>,
    /// Speeds less rank.
    pub degrees_of_freedom: usize,
    /// The space of the configuration, with time where brackets are taken in events.
    pub space: Vec<String>,
    /// Ranks of the Lie flag at a generic point.
    pub growth: Option<Vec<usize>>,
    /// Dimension of the closure.
    pub closure: Option<usize>,
    /// How many independent combinations can be integrated.
    pub integrable_combinations: Option<usize>,
    /// Is there a part that cannot?
    pub nonholonomic: Option<bool>,
    /// Independent functions that the constraints keep constant.
    pub integrals: Vec<Integral>,
    /// How many more there are.
    pub integrals_not_found: usize,
    /// Places where the rank drops.
    pub singular: Vec<Singular>,
    /// How sure this is.
    pub certainty: Certainty,
    /// Why the closure, or the kind of a row nonlinear in the rates, is not known.
    pub undecided: Option<String>,
    /// What else is to be said.
    pub remarks: Vec<String>,
}

/// Classifies the constraints and finds conserved quantities.
///
/// ```
/// use dalembert::{Model, Source, analyze::{self, Verdict}};
/// let text = "coordinate x, y, theta
///     kinetic (x'^2 + y'^2 + theta'^2)/2
///     constraint blade: x'*sin(theta) = y'*cos(theta)";
/// let model = Model::load(&Source::new("knife.dal", text), &Default::default()).unwrap();
/// let analysis = model.analyze().unwrap();
/// assert_eq!(analysis.set.verdict, Verdict::Nonholonomic);
/// assert_eq!(analysis.set.growth, Some(vec![2, 3]));
/// let names: Vec<&str> = analysis.conserved.iter().map(|c| c.name.as_str()).collect();
/// assert!(names.contains(&"energy") && names.contains(&"momentum of theta"), "{names:?}");
/// ```
pub fn analyze(model: &mut Workspace) -> Result<Analysis, Box<Diagnostic>> {
    model.require_dense("the analysis")?;
    model.derive_symbols()?;
    let (rows, set, integrals) = classify::classify(model);
    model.check_memory()?;
    let stored = model.store_forces();
    let (conserved, mut remarks) = quantities::conserved(model, &integrals);
    if let Some(stored) = stored {
        let V = model.system.pool.text(stored.potential);
        remarks.push(format!("forces with the potential {V} are counted in the energy"));
    }
    model.check_memory()?;
    Ok(Analysis { rows, set, conserved, remarks })
}
