//! NUMBERS: the explicit equation of constrained motion, in floating point.
//!
//! This crate takes a mechanical system in kernel form (K1-K4) and moves it: accelerations and every constraint
//! force at a state ([`accelerate`]), starting values that keep the constraints ([`find_start`]), and the motion
//! itself ([`integrate()`]) with projection, events, dense output and passage through singular configurations.
//! It knows no symbols, no text and no files; a system written by hand in Rust drives everything. It implements
//! [`Dynamics`], and lists in its [`Capabilities`] what it has beyond K1-K3: friction, control, events, ...
//!
//! ```
//! use dalembert_run::*;
//!
//! /// A unit mass on a rod of unit length, in Cartesian coordinates (y upward).
//! struct Pendulum;
//! impl Dynamics for Pendulum {
//!     fn shape(&self) -> Shape {
//!         Shape { n_x: 2, n_eta: 2, n_con: 1, identity_frame: true, ..Shape::default() }
//!     }
//!     fn levels(&self) -> &[Level] {
//!         &[Level::Position]
//!     }
//!     fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
//!         let (x, v) = (at.x, at.eta);
//!         out.x_dot.copy_from_slice(v);
//!         out.M.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
//!         out.Q.copy_from_slice(&[0.0, -9.81]);
//!         out.A.copy_from_slice(&[2.0 * x[0], 2.0 * x[1]]);
//!         out.b[0] = -2.0 * (v[0] * v[0] + v[1] * v[1]);
//!     }
//!     fn residuals(&self, at: Point, _: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
//!         let (x, v) = (at.x, at.eta);
//!         phi[0] = x[0] * x[0] + x[1] * x[1] - 1.0;
//!         psi[0] = 2.0 * (x[0] * v[0] + x[1] * v[1]);
//!     }
//!     fn position_gradient(&self, _: f64, x: &[f64], _: &mut [f64], out: &mut [f64]) {
//!         out.copy_from_slice(&[2.0 * x[0], 2.0 * x[1]]);
//!     }
//! }
//!
//! let start = State::new(0.0, &[1.0, 0.0], &[0.0, 0.0]);
//! let solution = accelerate(&Pendulum, start.point()).unwrap();
//! assert!(solution.eta_dot[0].abs() < 1e-14 && (solution.eta_dot[1] + 9.81).abs() < 1e-14);
//!
//! let mut rows = Vec::new();
//! let options = Options { output: Output::Every(0.5), ..Options::default() };
//! let outcome = integrate(&Pendulum, &start, 2.367841947576237, &options, &mut |row: Row| rows.push(row.x.to_vec()));
//! assert_eq!(outcome.stop, Stop::EndTime);
//! assert!((outcome.state.x[0] - 1.0).abs() < 1e-7, "one period later it is back");
//! assert!(outcome.largest_position_residual < 1e-14);
//! ```
#![allow(non_snake_case)]
// `!(a <= b)` is how NaN is refused together with what is too large.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

mod acceleration;
mod boundary_value;
mod constraint;
mod contact;
mod coulomb;
pub mod ensemble;
mod hybrid;
mod kernel;
mod method;
mod row_sensitivity;
mod sensitivity;
pub mod tolerance;

pub use acceleration::{
    Accelerator, Baumgarte, ControlInput, carrying_rows, dependent_rows, independent_rows,
};
pub use boundary_value::{ConnectError, Connection, Ends, connect};
pub use constraint::{
    ConsistentState, ProjectionError, Projector, Residuals, StartError, StartGuess, VelocityCondition,
    find_start, least_gap,
};
pub use contact::{ContactModes, Mode, Reporter, StickingKernel, accelerate, find_modes};
pub use hybrid::{
    ContactChange, Controller, Counters, Crossing, EventHit, EventRule, Failure, Flow, FollowedStep,
    Follower, Guard, Method, Moment, NotDifferentiable, Observer, OneStep, Options, Outcome, Output,
    Progress, Row, SolvedRow, Stop, UnknownMethod, integrate, integrate_controlled, integrate_followed,
};
pub use kernel::{
    AccelerationError, Action, Capabilities, Contact, ContactTerms, Contacts, Control, ControlTerms,
    Differentiable, Direction, Dynamics, Events, Fused, FusedAdjoint, FusedDerivatives, FusedProgram,
    IdealForces, Lagrangian, Level, Line, MAX_FILL, Nonideal, PartialDerivatives, Partials, Path, Pattern,
    Point, Quadratures, Refusal, SecondVariation, Shape, Sliding, SlidingContacts, Solution, Solved,
    Sparsity, State, Switches, Taken, Term, Terms, TimeSwitches, Variation,
};
pub use sensitivity::{
    Adjoint, Change, Pulled, Response, ResponseError, RowWeights, Sensitivities, StartDirection,
    tangent_start,
};
