//! Least squares with bounds: the u of least |F u - d| with `least <= u <= most`, F of full column rank.
//!
//! Active set method (Lawson and Hanson; Stark and Parker): variables at a bound are held, the others solve their own least
//! squares problem; one that would leave its bounds is held there, one whose gradient points inwards is let go. Each set is met at
//! most once, so the search ends. Checked below by the conditions of Karush, Kuhn and Tucker over random problems.

use crate::{Cod, RANK_TOL, dot};

/// Rounds for each variable; each set of active bounds is met once, and few sets are met at all.
const ROUNDS: usize = 20;

/// The least squares solution of F u = d within bounds. F has as many columns as there are bounds, row after row.
#[allow(non_snake_case)]
pub fn bounded_least_squares(F: &[f64], d: &[f64], bounds: &[[f64; 2]]) -> Vec<f64> {
    let n = bounds.len();
    let mut free = vec![true; n];
    let mut u: Vec<f64> = bounds.iter().map(|[least, most]| 0.0f64.clamp(*least, *most)).collect();
    for _ in 0..ROUNDS * (n + 1) {
        let wanted = solve_free(F, d, &u, &free);
        // As far towards it as the bounds allow.
        let mut step = (1.0, None);
        for j in (0..n).filter(|j| free[*j]) {
            let bound = wanted[j].clamp(bounds[j][0], bounds[j][1]);
            if bound != wanted[j] {
                let part = ((bound - u[j]) / (wanted[j] - u[j])).clamp(0.0, 1.0);
                step = if part < step.0 || step.1.is_none() { (part, Some(j)) } else { step };
            }
        }
        for j in (0..n).filter(|j| free[*j]) {
            u[j] += step.0 * (wanted[j] - u[j]);
        }
        if let Some(j) = step.1 {
            u[j] = wanted[j].clamp(bounds[j][0], bounds[j][1]);
            free[j] = false;
            continue;
        }
        match most_inward(F, d, &u, &free, bounds) {
            Some(j) => free[j] = true,
            None => break,
        }
    }
    u
}

/// The variables that are free, by least squares with the others held.
#[allow(non_snake_case)]
fn solve_free(F: &[f64], d: &[f64], u: &[f64], free: &[bool]) -> Vec<f64> {
    let n = u.len();
    let columns: Vec<usize> = (0..n).filter(|j| free[*j]).collect();
    let mut out = u.to_vec();
    if columns.is_empty() {
        return out;
    }
    let (mut own, mut right) = (Vec::with_capacity(d.len() * columns.len()), Vec::with_capacity(d.len()));
    for (row, d) in F.chunks(n).zip(d) {
        own.extend(columns.iter().map(|j| row[*j]));
        right.push(d - (0..n).filter(|j| !free[*j]).map(|j| row[j] * u[j]).sum::<f64>());
    }
    let (mut cod, mut solution) = (Cod::new(d.len(), columns.len()), vec![0.0; columns.len()]);
    cod.factor(&own, RANK_TOL);
    cod.solve(&right, &mut solution);
    columns.iter().zip(solution).for_each(|(j, v)| out[*j] = v);
    out
}

/// The held variable that gains most from leaving its bound, if any does.
#[allow(non_snake_case)]
fn most_inward(F: &[f64], d: &[f64], u: &[f64], free: &[bool], bounds: &[[f64; 2]]) -> Option<usize> {
    let n = u.len();
    let left: Vec<f64> = F.chunks(n).zip(d).map(|(row, d)| d - dot(row, u)).collect();
    let mut best = None;
    for j in (0..n).filter(|j| !free[*j]) {
        let column = || F.iter().skip(j).step_by(n);
        let (gain, length) = (
            column().zip(&left).map(|(f, r)| f * r).sum::<f64>(),
            column().map(|f| f * f).sum::<f64>().sqrt(),
        );
        let inward = if u[j] <= bounds[j][0] { gain } else { -gain };
        let size = 1e-12 * length * dot(&left, &left).sqrt();
        if bounds[j][0] < bounds[j][1] && inward > size && best.is_none_or(|(most, _)| inward / length > most)
        {
            best = Some((inward / length, j));
        }
    }
    best.map(|(_, j)| j)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    #[test]
    #[allow(non_snake_case)]
    fn random_problems_satisfy_the_optimality_conditions() {
        let mut rng = Rng::new(5);
        for trial in 0..200 {
            let (m, n) = (3 + trial % 5, 1 + trial % 4);
            let F: Vec<f64> = (0..(m + n) * n).map(|_| rng.symmetric()).collect();
            let d: Vec<f64> = (0..m + n).map(|_| 3.0 * rng.symmetric()).collect();
            let bounds: Vec<[f64; 2]> = (0..n).map(|_| [-0.4 + 0.3 * rng.symmetric(), 0.4]).collect();
            let u = bounded_least_squares(&F, &d, &bounds);
            let left: Vec<f64> = F.chunks(n).zip(&d).map(|(row, d)| d - dot(row, &u)).collect();
            for j in 0..n {
                let gain: f64 = F.iter().skip(j).step_by(n).zip(&left).map(|(f, r)| f * r).sum();
                let [least, most] = bounds[j];
                assert!((least..=most).contains(&u[j]));
                let good = if u[j] == least {
                    gain < 1e-9
                } else if u[j] == most {
                    gain > -1e-9
                } else {
                    gain.abs() < 1e-9
                };
                assert!(good, "trial {trial}: variable {j} at {} has the gradient {gain}", u[j]);
            }
        }
    }
}
