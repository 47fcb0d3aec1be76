//! Small dense linear algebra on flat row-major slices, without allocation in the solves.
//!
//! Sizes are a few dozen, so plain loops over contiguous rows are faster than a library. Nothing here knows
//! mechanics. Judged by `nalgebra` in `tests/it/linalg.rs`.
#![allow(non_snake_case)]
// `!(a > b)` is how NaN is refused together with what is too small.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

mod band;
mod bounded;
mod chebyshev;
mod cholesky;
mod cod;
mod eigen;
mod inverse;
mod ldl;
mod lq;
mod lu;
mod mat;
mod rng;
mod scalar;
mod symmetric;
mod tangent;
mod vector;

pub use band::Band;
pub use bounded::bounded_least_squares;
pub use chebyshev::{chebyshev_differentiation, clenshaw_curtis};
pub use cholesky::{cholesky, pivot_share, solve_lower, solve_lower_transposed};
pub use cod::Cod;
pub use eigen::{Eigen, EigenError, eigen, eigenvalues};
pub use inverse::invert_symmetric;
pub use ldl::{Ldl, Neighbours, Pivot, Symbolic, minimum_degree};
pub use lq::PivotedLq;
pub use lu::Lu;
pub use mat::Mat;
pub use rng::{Lcg, Rng};
pub use scalar::{Complex, Scalar};
pub use symmetric::symmetric_eigen;
pub use tangent::{Follows, Preference, Tangent};
pub use vector::{RANK_TOL, axpy, dot, mat_t_vec, mat_vec, norm, norm_max};
