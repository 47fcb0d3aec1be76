//! Derivatives of accelerations and forces (S2) and of motions (S1, S3) by state, start and parameters.
//!
//! ```text
//! S1  S' = f_y S + f_p      along the dense output of the motion, S tangent to the constraints
//! S3  S+ = R_y S- + R_p + (R_y f- + R_t - f+) tau_p,   tau_p = -(g_y S- + g_p)/(g_y f- + g_t)
//! S4  lambda' = -f_y^T lambda backwards, S3 transposed at events
//! ```
//!
//! [`Response`] differentiates at a state; [`Sensitivities`] follows a motion that the driver integrates as it would without
//! it, so that no digit of the motion depends on what is differentiated. [`Adjoint`] records one and sweeps back. Knows no symbols: a kernel differentiates its terms
//! ([`crate::Differentiable`]).

mod adjoint;
mod follow;
mod response;
mod saltation;
mod start;
mod step_program;
mod transposed_step;
mod variation;
mod whole_step;

pub use adjoint::{Adjoint, Pulled, RowWeights};
pub use follow::Sensitivities;
pub use response::{Change, Response, ResponseError};
pub use start::{StartDirection, tangent_start};
