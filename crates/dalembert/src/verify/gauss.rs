//! Gauss's principle in its general form, by minimising.
//!
//! ```text
//! U7  eta' minimises (M z - Q - C)^T M^-1 (M z - Q - C) over all z with A z = b
//! ```
//!
//! From the shortest z with A z = b by conjugate directions in the kernel of A, on the gradient M z - Q - C: no factor of M
//! is formed, and M may be singular off the kernel. Rows and speeds are scaled as in [`super::multipliers()`].

use super::small::{RowSpace, dot, times};
use super::{Difference, Reading};
use dalembert_linalg::norm_max;

/// The accelerations that make Gauss's function least, against those of a reading. `None` where it has no least value: inertia
/// is not positive on what the constraints leave free.
pub fn gauss(reading: &Reading) -> Option<Difference> {
    let (d, terms) = (reading.weights(), &reading.terms);
    let n = d.len();
    let extra = if reading.steered { reading.other_forces() } else { reading.nonideal.clone() };
    let mut force: Vec<f64> = (0..n).map(|p| (terms.Q[p] + extra[p]) / d[p]).collect();
    let M: Vec<f64> = (0..n * n).map(|k| terms.M[k] / (d[k / n] * d[k % n])).collect();
    let A: Vec<f64> = terms.A.iter().enumerate().map(|(k, a)| a / d[k % n]).collect();
    let mut rows = RowSpace::of(&A, &terms.b, n);
    // In units of the largest number, so that squares neither overflow nor vanish.
    let unit = norm_max(&force).max(norm_max(&rows.point));
    let unit = if unit > 0.0 && unit.is_finite() { unit } else { 1.0 };
    force.iter_mut().chain(&mut rows.point).for_each(|v| *v /= unit);
    let (z, stretch) = minimise(&M, &force, &rows)?;
    let eta_dot: Vec<f64> = z.iter().zip(&d).map(|(z, d)| z * unit / d).collect();
    Some(reading.compare(Some(&eta_dot), None, None, rows.conditioning * stretch))
}

/// z and the largest curvature met over the smallest; `None` where one is not positive.
///
/// Each direction is made conjugate to all before it, twice over: curvatures may lie many orders of magnitude apart (long
/// chains in relative angles), and conjugacy to the last direction alone is then lost to rounding.
fn minimise(M: &[f64], force: &[f64], rows: &RowSpace) -> Option<(Vec<f64>, f64)> {
    let n = force.len();
    let mut z = rows.point.clone();
    let (mut low, mut high) = (f64::INFINITY, 0.0f64);
    let size = 1e-300 + dot(force, force).sqrt() + dot(&times(M, &z), &times(M, &z)).sqrt();
    let steepest = |z: &[f64]| -> Vec<f64> {
        let mut r: Vec<f64> = times(M, z).iter().zip(force).map(|(m, f)| f - m).collect();
        rows.project(&mut r);
        r
    };
    let small = |r: &[f64]| dot(r, r).sqrt() <= 1e-15 * size * n as f64;
    // Directions, what M makes of them, and their curvatures.
    let mut taken: Vec<(Vec<f64>, Vec<f64>, f64)> = Vec::new();
    for _ in 0..n.saturating_sub(rows.basis.len()) {
        let r = steepest(&z);
        if small(&r) {
            break;
        }
        let mut along = r.clone();
        for _ in 0..2 {
            for (before, bent, curvature) in &taken {
                let part = dot(&along, bent) / curvature;
                along.iter_mut().zip(before).for_each(|(a, b)| *a -= part * b);
            }
        }
        rows.project(&mut along);
        let length = dot(&along, &along).sqrt();
        if !(length > 0.0) {
            break;
        }
        along.iter_mut().for_each(|a| *a /= length);
        let mut bent = times(M, &along);
        rows.project(&mut bent);
        let curvature = dot(&along, &bent);
        if !(curvature > 0.0) {
            return None;
        }
        (low, high) = (low.min(curvature), high.max(curvature));
        let step = dot(&r, &along) / curvature;
        z.iter_mut().zip(&along).for_each(|(z, a)| *z += step * a);
        taken.push((along, bent, curvature));
    }
    // What rounding left over, along the same directions.
    for _ in 0..6 {
        let r = steepest(&z);
        if small(&r) {
            break;
        }
        for (along, _, curvature) in &taken {
            let step = dot(&r, along) / curvature;
            z.iter_mut().zip(along).for_each(|(z, a)| *z += step * a);
        }
    }
    Some((z, if high > 0.0 { high / low } else { 1.0 }))
}
