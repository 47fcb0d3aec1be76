//! Accelerations and forces in symbols, for systems small enough to be read: the matrix of U4 inverted, Maggi's, Kane's
//! and Routh's equations.

pub(crate) mod equations_limits;
pub mod independent_speeds;
pub mod routh;
pub(crate) mod symbol_matrix;
pub mod udwadia;
