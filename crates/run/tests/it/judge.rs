//! An independent pseudo-inverse: by the eigenvectors of B B^T. (The judge's own singular value decomposition was
//! found wrong on some matrices of deficient rank.)

use nalgebra::{DMatrix, SymmetricEigen};

/// B^+ and the singular values of B, for matrices whose nonzero singular values lie within a factor of 1e4.
pub fn pseudo_inverse(B: &DMatrix<f64>) -> (DMatrix<f64>, Vec<f64>) {
    if B.nrows() == 0 {
        return (B.transpose(), vec![]);
    }
    let eigen = SymmetricEigen::new(B * B.transpose());
    let largest = eigen.eigenvalues.amax();
    let inverse = eigen.eigenvalues.map(|v| if v > 1e-10 * largest { 1.0 / v } else { 0.0 });
    let V = &eigen.eigenvectors;
    let pinv = B.transpose() * V * DMatrix::from_diagonal(&inverse) * V.transpose();
    (pinv, eigen.eigenvalues.iter().map(|v| v.max(0.0).sqrt()).collect())
}
