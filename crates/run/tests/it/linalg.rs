//! Our small linear algebra against an independent one.

use crate::judge;
use crate::support::same_cases;
use dalembert_linalg::*;
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;

/// A matrix of rank at most `r`, with entries of moderate size.
fn low_rank(m: usize, n: usize, r: usize) -> impl Strategy<Value = Vec<f64>> {
    (prop::collection::vec(-1.0..1.0_f64, m * r), prop::collection::vec(-1.0..1.0_f64, r * n)).prop_map(
        move |(a, b)| (0..m * n).map(|k| (0..r).map(|s| a[k / n * r + s] * b[s * n + k % n]).sum()).collect(),
    )
}

proptest! {
    #![proptest_config(same_cases(128, 20260))]

    #[test]
    fn pseudo_inverse_is_that_of_the_singular_value_decomposition(
        (m, n, B, e) in (1..6usize, 1..6usize)
            .prop_flat_map(|(m, n)| (Just(m), Just(n), 1..=m.min(n)))
            .prop_flat_map(|(m, n, r)| (Just(m), Just(n), low_rank(m, n, r), prop::collection::vec(-1.0..1.0_f64, m)))
    ) {
        let matrix = DMatrix::from_row_slice(m, n, &B);
        let (pinv, values) = judge::pseudo_inverse(&matrix);
        let largest = values.iter().fold(0.0_f64, |m, v| m.max(*v));
        // Leave out matrices whose rank is a matter of taste.
        prop_assume!(largest > 1e-3 && values.iter().all(|s| *s > 1e-3 * largest || *s < 1e-7 * largest));
        let want = pinv * DVector::from_row_slice(&e);
        let mut cod = Cod::new(m, n);
        let rank = cod.factor(&B, RANK_TOL);
        prop_assert_eq!(rank, values.iter().filter(|s| **s > 1e-3 * largest).count());
        let mut y = vec![0.0; n];
        cod.solve(&e, &mut y);
        for j in 0..n {
            prop_assert!((y[j] - want[j]).abs() < 1e-9 * (1.0 + want.amax()), "{:?} {:?}", y, want);
        }
        // Null space: B v = 0, unit length.
        for j in 0..n - rank {
            let mut v = vec![0.0; n];
            cod.lq.null_vector(j, &mut v);
            let image = &matrix * DVector::from_row_slice(&v);
            prop_assert!(image.amax() < 1e-12 && (norm(&v) - 1.0).abs() < 1e-13);
        }
    }

    #[test]
    fn cholesky_and_lu_solve(
        (n, G, v) in (1..7usize)
            .prop_flat_map(|n| (Just(n), prop::collection::vec(-1.0..1.0_f64, n * n), prop::collection::vec(-1.0..1.0_f64, n)))
    ) {
        let g = DMatrix::from_row_slice(n, n, &G);
        let spd = &g * g.transpose() + DMatrix::identity(n, n) * 0.1;
        let want = spd.clone().try_inverse().unwrap() * DVector::from_row_slice(&v);
        let mut L: Vec<f64> = spd.transpose().as_slice().to_vec();
        let ratio = cholesky(&mut L, n).unwrap();
        prop_assert!(ratio > 0.0 && ratio <= 1.0);
        let mut x = v.clone();
        solve_lower(&L, n, &mut x);
        solve_lower_transposed(&L, n, &mut x);
        let mut lu = Lu::new(n);
        lu.matrix(n).copy_from_slice(spd.transpose().as_slice());
        lu.factor(1e-13).unwrap();
        let mut x_lu = v.clone();
        lu.solve(&mut x_lu);
        for i in 0..n {
            prop_assert!((x[i] - want[i]).abs() < 1e-9 && (x_lu[i] - want[i]).abs() < 1e-9);
        }
    }
}

#[test]
fn cholesky_keeps_envelopes_and_refuses_nonsense() {
    let mut block = vec![2.0, 1.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 3.0, 1.0, 0.0, 0.0, 1.0, 3.0];
    cholesky(&mut block, 4).unwrap();
    assert!(block[8] == 0.0 && block[9] == 0.0 && block[12] == 0.0 && block[13] == 0.0);
    assert_eq!(cholesky(&mut [f64::NAN], 1), Err(0));
    assert_eq!(cholesky(&mut [f64::INFINITY], 1), Err(0));
    assert_eq!(cholesky(&mut [0.0], 1), Err(0));
    assert_eq!(cholesky(&mut [], 0), Ok(1.0));
}

#[test]
fn norms_do_not_overflow() {
    assert!((norm(&[3e200, 4e200]) / 5e200 - 1.0).abs() < 1e-15);
    assert!((norm(&[3e-200, 4e-200]) / 5e-200 - 1.0).abs() < 1e-15);
    assert!(norm_max(&[1.0, f64::NAN, 3.0]).is_nan());
}
