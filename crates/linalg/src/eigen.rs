//! Eigenvalues and eigenvectors of a small dense real matrix.
//!
//! ```text
//! S v = s v          right vector, one for each eigenvalue
//! y^H S = s y^H      left vector;  |y| |v| / |y^H v| magnifies an error of S into an error of s
//! ```
//!
//! Way: the matrix is split into the irreducible diagonal blocks of its pattern of exact zeros (so that a variable on
//! which nothing depends gives its eigenvalue exactly), each block is balanced by powers of two, brought to Hessenberg
//! form by reflections and to quasi-triangular form by Francis's implicit double shifts (Golub and Van Loan, Matrix
//! Computations, 7.4-7.5). Vectors by inverse iteration on the Hessenberg form of the whole. The number of sweeps is bounded.
//!
//! Knows no mechanics. Judged by `nalgebra` in `tests/it/eigen.rs`, by residuals, by traces and by similarity.

mod balance;
mod blocks;
mod hessenberg;
mod sweep;
mod vectors;

use super::Complex;

/// Eigenvalues with their vectors and how well they are determined.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Eigen {
    /// Eigenvalues, the largest real part first; of a pair the one with positive imaginary part first.
    pub values: Vec<Complex>,
    /// Right vector of each, its largest entry 1.
    pub vectors: Vec<Vec<Complex>>,
    /// How much an error of the balanced matrix is magnified in the value (1 at best, huge where vectors coincide).
    pub condition: Vec<f64>,
    /// |S v - s v| / (|S| |v|) in the balanced coordinates.
    pub residual: Vec<f64>,
    /// Largest row sum of the balanced matrix, the size of its errors in units of rounding.
    pub size: f64,
}

/// Why there are no eigenvalues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EigenError {
    /// An entry is NaN or infinite.
    NotFinite,
    /// The sweeps did not converge within their bound.
    NotConverged,
}

impl std::fmt::Display for EigenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            EigenError::NotFinite => "an entry of the matrix is not finite",
            EigenError::NotConverged => "the eigenvalue iteration did not converge",
        })
    }
}

impl std::error::Error for EigenError {}

/// Eigenvalues and vectors of `S` (n * n, row-major).
///
/// ```
/// use dalembert_linalg::eigen;
/// // An oscillator: x' = u, u' = -4 x.
/// let e = eigen(&[0.0, 1.0, -4.0, 0.0], 2).unwrap();
/// assert!((e.values[0].im - 2.0).abs() < 1e-15 && e.values[0].re.abs() < 1e-15);
/// assert!(e.values[1].im < 0.0 && e.residual[0] < 1e-15);
/// ```
pub fn eigen(S: &[f64], n: usize) -> Result<Eigen, EigenError> {
    let mut values = eigenvalues(S, n)?;
    values.sort_by(|a, b| b.re.total_cmp(&a.re).then(b.im.total_cmp(&a.im)));
    Ok(vectors::with_vectors(S, n, values))
}

/// The values alone, in no particular order.
pub fn eigenvalues(S: &[f64], n: usize) -> Result<Vec<Complex>, EigenError> {
    if S.iter().any(|v| !v.is_finite()) {
        return Err(EigenError::NotFinite);
    }
    let mut values = Vec::with_capacity(n);
    for block in blocks::irreducible(S, n) {
        let size = block.len();
        let mut H: Vec<f64> = block.iter().flat_map(|&i| block.iter().map(move |&j| S[i * n + j])).collect();
        balance::balance(&mut H, size);
        hessenberg::reduce(&mut H, size, None);
        sweep::quasi_triangular(&mut H, size, &mut values)?;
    }
    Ok(values)
}

impl Complex {
    /// The modulus.
    pub fn abs(self) -> f64 {
        self.re.hypot(self.im)
    }

    /// The conjugate.
    pub fn conj(self) -> Self {
        Self::new(self.re, -self.im)
    }
}
