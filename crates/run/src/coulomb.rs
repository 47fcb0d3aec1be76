//! The law of Coulomb friction in numbers: normal forces, what the constraints decide of sliding, shared loads.
//!
//! Used by the acceleration solve; which contacts stick is decided above it, in [`crate::contact`].

mod normal_force;
mod slip_space;

pub(crate) use normal_force::{NormalForces, Paradox};
pub(crate) use slip_space::{LoadSharing, SlipSpace};
