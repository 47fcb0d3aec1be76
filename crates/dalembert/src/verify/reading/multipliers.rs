//! The system with multipliers, solved whole.
//!
//! ```text
//! M eta' - A^T lambda = Q + C,   A eta' = b        elimination with complete pivoting, speeds and rows scaled
//! ```
//!
//! U1 factors M and then B B^T or B = A M^-1/2; here neither is formed. Rows are made orthonormal first, so that such as
//! nearly depend on each other count once as weak, not squared. Rows may be redundant: the multipliers then are not those of
//! least norm, but A^T lambda and eta' are the same. Friction and control forces are taken as they were found.

use super::super::small::{RowSpace, dot, eliminate, times};
use super::{Difference, Reading};
use dalembert_linalg::Mat;

/// Accelerations and constraint forces of the system with multipliers against those of a reading.
pub fn multipliers(reading: &Reading) -> Difference {
    let saddle = Saddle::of(reading);
    let Reading { terms, solution, nonideal, .. } = reading;
    let plus = |other: &[f64]| -> Vec<f64> { terms.Q.iter().zip(other).map(|(a, b)| a + b).collect() };
    if reading.steered {
        let (eta_dot, ideal, conditioning) = saddle.solve(&plus(&reading.other_forces()));
        return reading.compare(Some(&eta_dot), Some(&ideal), None, conditioning);
    }
    // U8: the ideal force does not know of C.
    let (_, ideal, conditioning) = saddle.solve(&terms.Q);
    let (eta_dot, _, _) = saddle.solve(&plus(nonideal));
    let inertia = times(&terms.M, &eta_dot);
    let work: Vec<f64> = (0..ideal.len()).map(|p| inertia[p] - terms.Q[p] - ideal[p]).collect();
    let work = solution.nonideal_force.iter().any(|f| *f != 0.0).then_some(&work[..]);
    reading.compare(Some(&eta_dot), Some(&ideal), work, conditioning)
}

/// `[M~ B^T; B 0]` with M~ = D^-1 M D^-1 and B orthonormal rows that span those of A D^-1.
pub(in crate::verify) struct Saddle {
    d: Vec<f64>,
    rows: RowSpace,
    matrix: Vec<f64>,
}

impl Saddle {
    pub(in crate::verify) fn of(reading: &Reading) -> Self {
        let terms = &reading.terms;
        Saddle::new(reading.weights(), &terms.M, &terms.A, &terms.b)
    }

    /// Of inertia M and rows A eta' = b, with speeds scaled by d.
    pub(in crate::verify) fn new(d: Vec<f64>, M: &[f64], A: &[f64], b: &[f64]) -> Self {
        let n = d.len();
        let scaled: Vec<f64> = A.iter().enumerate().map(|(k, a)| a / d[k % n]).collect();
        let rows = RowSpace::of(&scaled, b, n);
        let k = n + rows.basis.len();
        let (M, mut matrix) = (Mat::new(M, n), Mat::zeros(k, k));
        for p in 0..n {
            (0..n).for_each(|q| matrix[[p, q]] = M[[p, q]] / (d[p] * d[q]));
        }
        for (a, row) in rows.basis.iter().enumerate() {
            for p in 0..n {
                matrix[[n + a, p]] = row[p];
                matrix[[p, n + a]] = row[p];
            }
        }
        Saddle { d, rows, matrix: matrix.to_vec() }
    }

    /// The conditioning alone.
    pub(in crate::verify) fn conditioning(&self) -> f64 {
        self.solve(&vec![0.0; self.d.len()]).2
    }

    /// eta', A^T lambda and the conditioning under the given forces.
    pub(in crate::verify) fn solve(&self, force: &[f64]) -> (Vec<f64>, Vec<f64>, f64) {
        let n = self.d.len();
        let mut right: Vec<f64> = force.iter().zip(&self.d).map(|(f, d)| f / d).collect();
        right.extend(self.rows.basis.iter().map(|row| dot(row, &self.rows.point)));
        let (z, conditioning) = eliminate(&self.matrix, &right);
        let eta_dot = (0..n).map(|p| z[p] / self.d[p]).collect();
        let mut ideal = vec![0.0; n];
        for (a, row) in self.rows.basis.iter().enumerate() {
            (0..n).for_each(|p| ideal[p] -= row[p] * z[n + a] * self.d[p]);
        }
        (eta_dot, ideal, conditioning.max(self.rows.conditioning))
    }
}
