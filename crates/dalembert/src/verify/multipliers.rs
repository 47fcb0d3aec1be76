//! The system with multipliers, solved whole.
//!
//! ```text
//! M eta' - A^T lambda = Q + C,   A eta' = b        elimination with complete pivoting, speeds and rows scaled
//! ```
//!
//! U1 factors M and then B B^T or B; here neither is formed. Rows may be redundant: the multipliers then are not those of
//! least norm, but A^T lambda and eta' are the same. Friction and control forces are taken as they were found.

use super::small::{dot, eliminate, times};
use super::{Difference, Reading};

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

/// `[M~ A~^T; A~ 0]` with M~ = D^-1 M D^-1 and the rows of A~ = A D^-1 of unit length.
struct Saddle<'a> {
    reading: &'a Reading,
    d: Vec<f64>,
    /// Length of each row of A D^-1; 1 where it vanishes.
    lengths: Vec<f64>,
    matrix: Vec<f64>,
}

impl<'a> Saddle<'a> {
    fn of(reading: &'a Reading) -> Self {
        let (d, terms) = (reading.weights(), &reading.terms);
        let (n, m) = (d.len(), terms.b.len());
        let k = n + m;
        let mut matrix = vec![0.0; k * k];
        let mut lengths = vec![1.0; m];
        for p in 0..n {
            (0..n).for_each(|q| matrix[p * k + q] = terms.M[p * n + q] / (d[p] * d[q]));
        }
        for a in 0..m {
            let row: Vec<f64> = (0..n).map(|p| terms.A[a * n + p] / d[p]).collect();
            let length = dot(&row, &row).sqrt();
            lengths[a] = if length > 0.0 { length } else { 1.0 };
            for p in 0..n {
                matrix[(n + a) * k + p] = row[p] / lengths[a];
                matrix[p * k + n + a] = row[p] / lengths[a];
            }
        }
        Saddle { reading, d, lengths, matrix }
    }

    /// eta', A^T lambda and the conditioning under the given forces.
    fn solve(&self, force: &[f64]) -> (Vec<f64>, Vec<f64>, f64) {
        let (n, terms) = (self.d.len(), &self.reading.terms);
        let mut right: Vec<f64> = force.iter().zip(&self.d).map(|(f, d)| f / d).collect();
        right.extend(terms.b.iter().zip(&self.lengths).map(|(b, l)| b / l));
        let (z, conditioning) = eliminate(&self.matrix, &right);
        let eta_dot = (0..n).map(|p| z[p] / self.d[p]).collect();
        let mut ideal = vec![0.0; n];
        for (a, length) in self.lengths.iter().enumerate() {
            let lambda = -z[n + a] / length;
            (0..n).for_each(|p| ideal[p] += terms.A[a * n + p] * lambda);
        }
        (eta_dot, ideal, conditioning)
    }
}
