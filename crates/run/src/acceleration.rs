//! Accelerations and constraint forces at one state: U1-U9.
//!
//! Symbols: `M_chol` L with L L^T = M; `B = A L^-T`; `e = b - A a`; `a_free` a = M^-1 Q.
//!
//! ```text
//! U1  eta' = a + L^-T B^+ e + L^-T (I - B^+ B) L^-1 C
//! U2  Q_i  = L B^+ e = A^T lambda,   lambda = (B B^T)^+ e
//! U3  Q_ni = L (I - B^+ B) L^-1 C
//! U6  (I - B B^+) e = 0, otherwise the rows contradict each other: an error, never a least-squares answer
//! U7  G(z) = (M z - Q - C)^T M^-1 (M z - Q - C) is least at z = eta' among all A z = b
//! U8  Q_i first, then C(Q_i), then Q_ni
//! U9  M singular: eta' = A^+ b + Z y,  Z^T M Z y = Z^T (Q + C - M A^+ b),  Z spanning ker A
//! ```
//!
//! Holds for any M positive definite (U1) or regular on ker A (U9) and any rank of A. Departures: a Cholesky factor
//! stands for M^{1/2} (the result is the same). Rows are judged for rank and consistency after each is scaled to unit
//! length, so that units of a constraint do not matter; the multipliers are those of the original rows.
//!
//! Checked by the property tests in `tests/it/laws.rs`: A eta' = b, Gauss's minimum, virtual work, M-orthogonality,
//! agreement of the Gram and orthogonal paths and of a symmetric-root judge, invariance under row operations.

mod control;
mod dense_fallback;
mod factor;
mod load_path;
mod saddle;
mod solve;
mod sparse_factor;

pub(crate) use factor::{Factor, Rules};
pub(crate) use load_path::LoadPath;
pub use load_path::carrying_rows;
pub(crate) use saddle::Saddle;
pub use solve::{Accelerator, Baumgarte, ControlInput, independent_rows};
pub(crate) use sparse_factor::SparseFactor;
pub use sparse_factor::dependent_rows;
