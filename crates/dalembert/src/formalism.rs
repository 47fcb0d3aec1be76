//! The formalisms: other ways to write the dynamics of the kernel form, to compute with or to compare with it.
//!
//! Each starts from a [`Workspace`](crate::Workspace) and gives plain data; [`equations`](crate::equations) prints it. A
//! formalism never becomes a special case of what runs a motion.

pub mod brackets;
pub mod closed_transform;
pub mod energies;
pub mod force_potential;
pub mod hamilton;
pub mod inverse_function;
pub(crate) mod lagrangian;
pub mod momentum_form;
pub mod poincare;
pub mod poisson;
pub mod suslov;
