//! Derivatives of accelerations and forces (S2) and of motions (S1, S3) by state, start and parameters.

mod response;

pub use response::{Change, Refusal, Response, ResponseError};
