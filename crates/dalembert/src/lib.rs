//! Analytical mechanics: from a model on paper to its equations, its motion and every force in it.
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
//! What is wrong with a model comes back as [`diagnostic::Diagnostic`]s with places in the text, many at a time. Numbers
//! are computed by [`run`], which knows nothing of symbols; expressions live in `dalembert_expr`, which knows nothing
//! of mechanics. Maths code uses the letters of the equations (M, Q, A, b, C, eta, lambda).
#![allow(non_snake_case)]

mod analysis;
pub mod assignments;
pub mod bodies;
mod check;
mod closed_form;
pub mod compile;
pub mod connect;
mod constraint;
pub mod derivatives;
pub mod derive;
pub mod elaborate;
pub mod energy_balance;
pub mod equations;
mod evaluate;
mod explain;
pub mod fit;
mod formalism;
pub mod gradient;
pub mod hamilton_jacobi;
pub mod kernel_form;
pub mod model;
pub mod number;
mod parameters;
pub mod sensitivity;
pub mod simulate;
mod start;
pub mod stepper;
pub mod sweep;
pub mod system;
pub mod vector_field;
pub mod verify;
pub mod workspace;

pub use analysis::{analyze, equilibrium, linearize};
pub use closed_form::{independent_speeds, routh, udwadia};
pub use constraint::{constraint_kind, mobility};
pub use dalembert_run as run;
pub use dalembert_syntax as syntax;
pub use dalembert_syntax::{Source, diagnostic, internal, source, units};
pub use elaborate::{Interpolation, Overrides, Samples, Signal};
pub use energy_balance::Balance;
pub use evaluate::explicit_terms;
pub use formalism::{
    brackets, closed_transform, energies, force_potential, hamilton, inverse_function, momentum_form,
    poincare, poisson, suslov,
};
pub use model::Model;
pub use simulate::{Motion, MotionForm, Request, Table};
pub use system::{body_figures, notation};
pub use workspace::{Evaluation, Workspace};
