//! Questions to a model that no motion answers: integrability and conserved quantities, small motions and their
//! stability, equilibria.

pub mod analyze;
pub mod equilibrium;
pub mod linearize;
