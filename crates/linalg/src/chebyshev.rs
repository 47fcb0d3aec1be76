//! Polynomials on the Chebyshev points s = cos(pi k/n): integrals and derivatives.

use std::f64::consts::PI;

/// Weights of Clenshaw and Curtis on cos(pi k/n), n even.
pub fn clenshaw_curtis(n: usize) -> Vec<f64> {
    let weight = |k: usize| {
        let mut sum = 1.0;
        for j in 1..=n / 2 {
            let b = if 2 * j == n { 1.0 } else { 2.0 };
            sum -= b / (4.0 * (j * j) as f64 - 1.0) * (2.0 * PI * (j * k) as f64 / n as f64).cos();
        }
        let c = if k == 0 || k == n { 1.0 } else { 2.0 };
        c * sum / n as f64
    };
    (0..=n).map(weight).collect()
}

/// d/ds of the interpolating polynomial on s = cos(pi k/n); the diagonal makes constants vanish.
pub fn chebyshev_differentiation(n: usize) -> Vec<f64> {
    let s: Vec<f64> = (0..=n).map(|k| (PI * k as f64 / n as f64).cos()).collect();
    let c =
        |k: usize| if k == 0 || k == n { 2.0 } else { 1.0 } * if k.is_multiple_of(2) { 1.0 } else { -1.0 };
    let mut D = vec![0.0; (n + 1) * (n + 1)];
    for i in 0..=n {
        let mut sum = 0.0;
        for j in (0..=n).filter(|j| *j != i) {
            let entry = c(i) / (c(j) * (s[i] - s[j]));
            D[i * (n + 1) + j] = entry;
            sum += entry;
        }
        D[i * (n + 1) + i] = -sum;
    }
    D
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dot;

    #[test]
    fn the_grid_integrates_and_differentiates_polynomials() {
        let n = 12;
        let (w, D) = (clenshaw_curtis(n), chebyshev_differentiation(n));
        let s: Vec<f64> = (0..=n).map(|k| (PI * k as f64 / n as f64).cos()).collect();
        let f: Vec<f64> = s.iter().map(|s| s.powi(6) - 3.0 * s + 1.0).collect();
        let integral = dot(&w, &f);
        assert!((integral - (2.0 / 7.0 + 2.0)).abs() < 1e-14, "{integral}");
        for (k, slope) in (0..=n).map(|k| dot(&D[k * (n + 1)..(k + 1) * (n + 1)], &f)).enumerate() {
            assert!((slope - (6.0 * s[k].powi(5) - 3.0)).abs() < 1e-12);
        }
    }
}
