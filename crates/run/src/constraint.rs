//! Constraints on states: projection onto them, consistent initial conditions, singular configurations.
//!
//! [`projection`] returns a state to the constraints after a step, [`consistent_start`] finds one from a guess, and
//! [`singular`] recognises configurations where the constraint matrix loses rank. Knows no time stepping.

pub mod consistent_start;
pub mod projection;
pub mod singular;

pub use consistent_start::{
    ConsistentState, StartError, StartGuess, VelocityCondition, find_start, least_gap,
};
pub use projection::{ProjectionError, Projector, Residuals};
