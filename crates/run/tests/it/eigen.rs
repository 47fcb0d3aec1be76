//! Eigenvalues judged by `nalgebra`, by residuals and by invariance.

use crate::support::same_cases;
use dalembert_linalg::{Complex, eigen, eigenvalues};
use nalgebra::DMatrix;
use proptest::prelude::*;

/// Largest distance between two sets of eigenvalues, each paired with the nearest one left.
fn apart(a: &[Complex], b: &[Complex]) -> f64 {
    assert_eq!(a.len(), b.len());
    let mut left = b.to_vec();
    let mut worst = 0.0f64;
    for v in a {
        let nearest = (0..left.len()).min_by(|i, j| (left[*i] - *v).abs().total_cmp(&(left[*j] - *v).abs()));
        worst = worst.max((left.swap_remove(nearest.expect("as many")) - *v).abs());
    }
    worst
}

fn judged(S: &[f64], n: usize) -> Vec<Complex> {
    let values = DMatrix::from_row_slice(n, n, S).complex_eigenvalues();
    values.iter().map(|c| Complex::new(c.re, c.im)).collect()
}

proptest! {
    #![proptest_config(same_cases(300, 7))]

    #[test]
    fn agrees_with_the_judge(n in 1usize..12, seed in proptest::collection::vec(-1.0f64..1.0, 144), spread in 0.0f64..6.0) {
        // Badly scaled on purpose: a diagonal similarity changes nothing about the values.
        let plain: Vec<f64> = (0..n * n).map(|k| seed[k]).collect();
        let scale = |i: usize| 10f64.powf(spread * seed[143 - i]);
        let S: Vec<f64> = (0..n * n).map(|k| plain[k] * scale(k / n) / scale(k % n)).collect();
        let e = eigen(&S, n).unwrap();
        let worst = e.condition.iter().fold(1.0f64, |m, c| m.max(*c));
        prop_assert!(apart(&e.values, &judged(&plain, n)) < 1e-13 * worst.powi(2).min(1e7), "{:?}", e);
        for k in 0..n {
            prop_assert!(e.residual[k] < 1e-13, "{:?}", e.residual);
        }
        let trace: f64 = (0..n).map(|i| S[i * n + i]).sum();
        let sum: f64 = e.values.iter().map(|v| v.re).sum();
        prop_assert!((trace - sum).abs() < 1e-12 * e.size);
    }

    /// Sparse patterns: blocks of all shapes, repeated values, zero rows.
    #[test]
    fn reducible_matrices(n in 1usize..10, seed in proptest::collection::vec(0u8..12, 100)) {
        let value = |k: u8| match k { 0 => 1.0, 1 => -1.0, 2 => 0.5, _ => 0.0 };
        let S: Vec<f64> = (0..n * n).map(|k| value(seed[k])).collect();
        let e = eigen(&S, n).unwrap();
        let power = |p: i32| e.values.iter().fold(Complex::default(), |s, v| {
            s + (0..p).fold(Complex::new(1.0, 0.0), |w, _| w * *v)
        });
        let M = DMatrix::from_row_slice(n, n, &S);
        let mut P = M.clone();
        for p in 1..=3 {
            // Sums of powers are well conditioned even where single values are not.
            prop_assert!((power(p).re - P.trace()).abs() < 1e-7 && power(p).im.abs() < 1e-7);
            P *= &M;
        }
        for k in 0..n {
            prop_assert!(e.residual[k] < 1e-7, "{:?} {:?}", e.values, e.residual);
        }
    }
}

#[test]
fn structure_gives_exact_zeros() {
    // y' = v yaw, yaw' = w, w' = -w: a chain; two zeros in one Jordan block come out exactly.
    let S = [0.0, 5.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -1.0];
    let e = eigen(&S, 3).unwrap();
    assert_eq!(e.values, [Complex::new(0.0, 0.0), Complex::new(0.0, 0.0), Complex::new(-1.0, 0.0)]);
    // The two vectors coincide, and the condition says so.
    assert!(e.condition[0] > 1e6 && e.condition[2] < 1e2, "{:?}", e.condition);
}

#[test]
fn hard_cases_end() {
    // The permutation matrix on which unshifted methods cycle; large; tiny; not finite; empty.
    for n in [3usize, 4, 7, 16] {
        let S: Vec<f64> = (0..n * n).map(|k| if (k / n + 1) % n == k % n { 1.0 } else { 0.0 }).collect();
        assert!(eigenvalues(&S, n).unwrap().iter().all(|v| (v.abs() - 1.0).abs() < 1e-13));
    }
    assert!(eigen(&[1e300, 1e300, -1e300, 1e300], 2).is_ok());
    assert!(eigen(&[1e-300, 1e-300, -1e-300, 1e-300], 2).is_ok());
    assert!(eigen(&[f64::NAN], 1).is_err());
    assert!(eigen(&[], 0).unwrap().values.is_empty());
    // A Jordan block of five that is not triangular: found within the fifth root of rounding.
    let n = 5;
    let mut S = vec![0.0; n * n];
    (0..n - 1).for_each(|i| S[i * n + i + 1] = 1.0);
    S[20] = 1e-30;
    assert!(eigen(&S, n).unwrap().values.iter().all(|v| v.abs() < 1e-2));
    // Many equal springs: 40 masses in a ring, frequencies in pairs.
    let n = 80;
    let mut S = vec![0.0; n * n];
    for i in 0..40 {
        S[i * n + 40 + i] = 1.0;
        S[(40 + i) * n + i] = -2.5;
        S[(40 + i) * n + (i + 1) % 40] = 1.0;
        S[(40 + i) * n + (i + 39) % 40] = 1.0;
    }
    let e = eigen(&S, n).unwrap();
    assert!(e.residual.iter().all(|r| *r < 1e-12));
    assert!(e.values.iter().all(|v| v.re.abs() < 1e-12));
}
