//! What the acceleration solve gives, and how it can fail. No arithmetic here.

use crate::Shape;

/// Which factorisation to use for the constraint part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Path {
    /// Gram-Cholesky where rows are safely independent, complete orthogonal decomposition otherwise.
    #[default]
    Auto,
    /// Gram-Cholesky whenever it can be formed (tests).
    Gram,
    /// Always the complete orthogonal decomposition (tests).
    Cod,
}

/// Which factorisation was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Taken {
    /// No constraint rows.
    #[default]
    Free,
    /// Cholesky factor of B B^T.
    Gram,
    /// The same with one step of refinement.
    GramRefined,
    /// Complete orthogonal decomposition of B.
    Cod,
    /// U9: M is not positive definite.
    NullSpace,
}

/// Accelerations and forces at one state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solution {
    /// eta' (U1), n_eta.
    pub eta_dot: Vec<f64>,
    /// a = M^-1 Q, n_eta; NaN where M is singular (U9).
    pub a_free: Vec<f64>,
    /// Ideal constraint force Q_i (U2), n_eta.
    pub ideal_force: Vec<f64>,
    /// Non-ideal constraint force Q_ni (U3), n_eta.
    pub nonideal_force: Vec<f64>,
    /// Multiplier of each row, Q_i = A^T lambda, of minimum norm when rows are redundant, n_con.
    pub lambda: Vec<f64>,
    /// Rank of A.
    pub rank: usize,
    /// Largest scaled consistency residual of a row (U6).
    pub residual: f64,
    /// Gauss's function at eta' (U7); NaN where M is singular.
    pub gauss: f64,
    /// Conditioning of the weakest direction kept, in (0, 1]: the sine of the angle between that row and the others,
    /// times its length relative to the row's reference length. 1 without rows, 0 if a direction was lost against
    /// the expected rank.
    pub margin: f64,
    /// Factorisation used.
    pub path: Taken,
}

impl Solution {
    /// Zeros of the right sizes.
    pub fn new(shape: &Shape) -> Self {
        let (n, m) = (shape.n_eta, shape.n_con);
        Self {
            eta_dot: vec![0.0; n],
            a_free: vec![0.0; n],
            ideal_force: vec![0.0; n],
            nonideal_force: vec![0.0; n],
            lambda: vec![0.0; m],
            margin: 1.0,
            ..Self::default()
        }
    }
}

/// A term of the kernel form, to say where a number went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// x' (K1).
    XDot,
    /// The mass matrix M.
    MassMatrix,
    /// The generalised force Q.
    Force,
    /// The constraint matrix A.
    ConstraintMatrix,
    /// The right side b of the constraint rows.
    ConstraintRight,
    /// The non-ideal C.
    Nonideal,
    /// The result eta' itself (overflow).
    Acceleration,
}

/// Why there is no acceleration at a state.
#[derive(Clone, Debug, PartialEq)]
pub enum AccelerationError {
    /// A term is NaN or infinite; `index` counts in the flat row-major array.
    NotFinite {
        /// Time.
        t: f64,
        /// Which term.
        term: Term,
        /// Where in it.
        index: usize,
    },
    /// M is singular on the directions the constraints leave free (U9).
    MassSingular {
        /// Time.
        t: f64,
        /// A speed that has no inertia and no constraint to determine it.
        speed: usize,
        /// The relative pivot that was too small.
        pivot: f64,
    },
    /// The rows contradict each other (U6).
    Inconsistent {
        /// Time.
        t: f64,
        /// The rows that cannot all hold.
        rows: Vec<usize>,
        /// Their scaled residuals, same order.
        residuals: Vec<f64>,
    },
}
