//! Gauss's principle in its general form, by minimising.
//!
//! ```text
//! U7  eta' minimises (M z - Q - C)^T M^-1 (M z - Q - C) over all z with A z = b
//! ```
//!
//! From the shortest z with A z = b by conjugate gradients in the kernel of A, on the gradient M z - Q - C: no factor of M
//! is formed, and M may be singular off the kernel. Rows and speeds are scaled as in [`super::multipliers()`].

use super::small::{RowSpace, dot, times};
use super::{Difference, Reading};

/// The accelerations that make Gauss's function least, against those of a reading. `None` where it has no least value: inertia
/// is not positive on what the constraints leave free.
pub fn gauss(reading: &Reading) -> Option<Difference> {
    let (d, terms) = (reading.weights(), &reading.terms);
    let n = d.len();
    let extra = if reading.steered { reading.other_forces() } else { reading.nonideal.clone() };
    let force: Vec<f64> = (0..n).map(|p| (terms.Q[p] + extra[p]) / d[p]).collect();
    let M: Vec<f64> = (0..n * n).map(|k| terms.M[k] / (d[k / n] * d[k % n])).collect();
    let A: Vec<f64> = terms.A.iter().enumerate().map(|(k, a)| a / d[k % n]).collect();
    let rows = RowSpace::of(&A, &terms.b, n);
    let (z, stretch) = minimise(&M, &force, &rows)?;
    let eta_dot: Vec<f64> = z.iter().zip(&d).map(|(z, d)| z / d).collect();
    Some(reading.compare(Some(&eta_dot), None, None, rows.conditioning * stretch))
}

/// z and the largest curvature met over the smallest; `None` where one is not positive.
fn minimise(M: &[f64], force: &[f64], rows: &RowSpace) -> Option<(Vec<f64>, f64)> {
    let n = force.len();
    let mut z = rows.point.clone();
    let (mut low, mut high) = (f64::INFINITY, 0.0f64);
    let size = 1e-300 + dot(force, force).sqrt() + dot(&times(M, &z), &times(M, &z)).sqrt();
    // Exact after n steps but for rounding, which further rounds wash out.
    for _ in 0..6 {
        let steepest = |z: &[f64]| -> Vec<f64> {
            let mut r: Vec<f64> = times(M, z).iter().zip(force).map(|(m, f)| f - m).collect();
            rows.project(&mut r);
            r
        };
        let mut r = steepest(&z);
        let mut along = r.clone();
        // What is left at this level is rounding, which has no direction to go in.
        if dot(&r, &r).sqrt() <= 1e-15 * size * n as f64 {
            break;
        }
        for _ in 0..n {
            let left = dot(&r, &r);
            if left.sqrt() <= 1e-16 * size * n as f64 {
                break;
            }
            let mut bent = times(M, &along);
            rows.project(&mut bent);
            let curvature = dot(&along, &bent) / dot(&along, &along);
            if !(curvature > 0.0) {
                return None;
            }
            (low, high) = (low.min(curvature), high.max(curvature));
            let step = left / dot(&along, &bent);
            for p in 0..n {
                z[p] += step * along[p];
                r[p] -= step * bent[p];
            }
            let ratio = dot(&r, &r) / left;
            (0..n).for_each(|p| along[p] = r[p] + ratio * along[p]);
        }
    }
    Some((z, if high > 0.0 { high / low } else { 1.0 }))
}
