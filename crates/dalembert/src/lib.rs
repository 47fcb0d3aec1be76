//! Analytical mechanics: derives the equations of motion of a model, simulates it and reports every constraint force.
//!
//! A model goes one way through this crate, and every station is plain data:
//!
//! ```text
//! text -- syntax --> Ast -- elaborate --> System -- derive --> KernelForm -- compile --> Compiled -- run --> Motion
//! ```
//!
//! [`Model`] is the whole way at once:
//!
//! ```
//! use dalembert::{Model, Request, Source, equations::Form, run::Flow};
//! use dalembert_expr::Format;
//!
//! let text = "
//!     parameter m = 1, l = 0.5, g = 9.81
//!     coordinate x, y
//!     kinetic m/2*(x'^2 + y'^2)
//!     potential m*g*y
//!     constraint rod: x^2 + y^2 = l^2
//!     initial x = 0.3, y ~ -1
//!     output tension = -2*l*multiplier(rod)
//! ";
//! let source = Source::new("pendulum.dal", text);
//! let model = Model::load(&source, &Default::default()).map_err(|d| d[0].message.clone())?;
//!
//! // What was not fixed has been found: on the rod, nearest to the guess.
//! let start = model.start().map_err(|d| d.message)?;
//! assert!((start.state.x[1] + 0.4).abs() < 1e-14);
//!
//! // The equations, written out.
//! let equations = model.equations(Form::Lagrange, Format::Text).map_err(|d| d.message)?;
//! assert!(equations.contains("m*x'' = 2*x*lambda_rod"));
//!
//! // The motion, with every constraint force by name, and the constraint kept to rounding.
//! let request = Request { until: Some(2.0), every: Some(0.1), ..Request::default() };
//! let motion = model.simulate(&request, |_t| Flow::Continue).map_err(|d| d.message)?;
//! assert_eq!(motion.table.columns, ["t", "x", "y", "x'", "y'", "tension"]);
//! assert!(motion.outcome.largest_position_residual < 1e-14);
//! # Ok::<(), String>(())
//! ```
//!
//! The names below are the surface, and `cargo xtask surface` lists them. Rooms of the engine that the other crates of
//! this workspace and its tests reach into are not shown here and may change at any time.
//!
//! What is wrong with a model comes back as [`diagnostic::Diagnostic`]s with places in the text, many at a time. Numbers
//! are computed by [`run`], which knows nothing of symbols; expressions live in `dalembert_expr`, which knows nothing
//! of mechanics. Maths code uses the letters of the equations (M, Q, A, b, C, eta, lambda).
#![allow(non_snake_case)]

// The surface: modules with the names of one subject each, then single names.
pub mod derivatives;
pub mod equations;
pub mod fit;
pub mod gradient;
pub mod sweep;
pub mod verify;

/// Constraints, integrability and conserved quantities of a model.
pub mod analyze {
    pub use crate::analysis::analyze::{
        Analysis, Certainty, Conserved, ConstraintSet, Integral, RowKind, RowReport, Singular, Verdict,
    };
    #[doc(hidden)]
    pub use crate::analysis::analyze::{
        MAX_AFFINE, MAX_BRACKET_SPEEDS, MAX_BRACKET_WORK, MAX_CANDIDATES, analyze,
    };
}

/// States in which a model can rest.
pub mod equilibrium {
    #[doc(hidden)]
    pub use crate::analysis::equilibrium::{DEFAULT_STARTS, landscape};
    pub use crate::analysis::equilibrium::{Equilibria, Equilibrium, EquilibriumSearch, Landscape};
}

/// Small motions about a state: matrices, eigenvalues, stability, inputs and outputs.
pub mod linearize {
    pub use crate::analysis::linearize::{
        Complex, Linearization, Linearizer, OperatingPoint, Over, Range, RootLocus, Split, Stability,
        StabilityVerdict,
    };
}

pub use connect::{Connected, LeastAction};
pub use constraint::constraint_kind::{ConstraintKind, Freedom};
pub use constraint::mobility::{Loop, Mobility};
pub use dalembert_run as run;
pub use dalembert_syntax as syntax;
pub use dalembert_syntax::{Source, diagnostic, source};
pub use elaborate::{Interpolation, Overrides, Samples, Signal};
pub use energy_balance::Balance;
pub use evaluate::explicit_terms::{ExplicitTerms, Possible, VirtualWork};
pub use formalism::energies::EnergyValues;
pub use hamilton_jacobi::HamiltonJacobi;
pub use model::Model;
pub use simulate::{EventRecord, IntegralReport, Motion, MotionForm, Request, Table};
pub use stepper::Stepper;
pub use vector_field::{Rates, Worker};
pub use workspace::{Evaluation, Workspace};

// Rooms that nobody outside enters.
mod analysis;
mod check;
mod closed_form;
mod constraint;
mod evaluate;
mod explain;
mod formalism;
mod model;
mod parameters;
mod start;
mod workspace;

// Rooms that other crates of the workspace or its tests enter. No part of the surface.
#[doc(hidden)]
pub mod assignments;
#[doc(hidden)]
pub mod bodies;
#[doc(hidden)]
pub mod compile;
#[doc(hidden)]
pub mod connect;
#[doc(hidden)]
pub mod derive;
#[doc(hidden)]
pub mod elaborate;
#[doc(hidden)]
pub mod energy_balance;
#[doc(hidden)]
pub mod hamilton_jacobi;
#[doc(hidden)]
pub mod kernel_form;
#[doc(hidden)]
pub mod number;
#[doc(hidden)]
pub mod sensitivity;
#[doc(hidden)]
pub mod simulate;
#[doc(hidden)]
pub mod stepper;
#[doc(hidden)]
pub mod system;
#[doc(hidden)]
pub mod vector_field;
#[doc(hidden)]
pub use closed_form::udwadia;
#[doc(hidden)]
pub use constraint::{constraint_kind, mobility};
#[doc(hidden)]
pub use dalembert_syntax::internal;
#[doc(hidden)]
pub use evaluate::explicit_terms;
#[doc(hidden)]
pub use formalism::{
    brackets, energies, force_potential, hamilton, momentum_form, poincare, poisson, suslov,
};
#[doc(hidden)]
pub use system::{body_figures, notation};
