//! The inverse of a small symmetric matrix, definite or not, for systems that need one at every evaluation.

use crate::mat::Mat;

/// A pivot below this, relative to the largest entry, is none.
const MIN_PIVOT: f64 = 1e-14;

/// The inverse of a symmetric matrix by Gauss and Jordan with row pivoting, symmetric to the bit; false if it is
/// singular. O(n^3), in place; allocates nothing up to 64 rows.
///
/// ```
/// use dalembert_linalg::invert_symmetric;
/// let mut inverse = [0.0; 4];
/// assert!(invert_symmetric(&[0.0, 2.0, 2.0, 0.0], 2, &mut inverse));
/// assert_eq!(inverse, [0.0, 0.5, 0.5, 0.0]);
/// assert!(!invert_symmetric(&[1.0, 2.0, 2.0, 4.0], 2, &mut inverse));
/// ```
pub fn invert_symmetric(G: &[f64], n: usize, inverse: &mut [f64]) -> bool {
    let (G, mut inverse) = (Mat::new(G, n), Mat::new(inverse, n));
    // Rows of unlike size are brought to one scale, by powers of two: what is small is not singular.
    for i in 0..n {
        let own = scale(G[[i, i]]);
        (0..n).for_each(|j| inverse[[i, j]] = G[[i, j]] * own * scale(G[[j, j]]));
    }
    let size = inverse.iter().fold(0.0f64, |m, v| if v.is_nan() { f64::INFINITY } else { m.max(v.abs()) });
    // In place; row swaps become column swaps of the inverse.
    let mut swaps = [0usize; 64];
    let mut more = if n > swaps.len() { vec![0usize; n] } else { Vec::new() };
    let swaps = if n > swaps.len() { &mut more[..] } else { &mut swaps[..n] };
    for k in 0..n {
        let best = (k..n).max_by(|&i, &j| inverse[[i, k]].abs().total_cmp(&inverse[[j, k]].abs()));
        let best = best.unwrap_or(k);
        swaps[k] = best;
        if best != k {
            (0..n).for_each(|j| inverse.swap(k * n + j, best * n + j));
        }
        let pivot = inverse[[k, k]];
        if pivot.is_nan() || pivot.abs() <= MIN_PIVOT * size || !size.is_finite() {
            return false;
        }
        inverse[[k, k]] = 1.0;
        inverse.row_mut(k).iter_mut().for_each(|v| *v /= pivot);
        // Whole rows, so that the loop runs in vector registers: this is where the time goes.
        let (above, rest) = inverse.split_at_mut(k * n);
        let (own, below) = rest.split_at_mut(n);
        for row in above.chunks_exact_mut(n).chain(below.chunks_exact_mut(n)) {
            let factor = std::mem::replace(&mut row[k], 0.0);
            row.iter_mut().zip(&*own).for_each(|(v, p)| *v -= factor * p);
        }
    }
    for k in (0..n).rev() {
        if swaps[k] != k {
            (0..n).for_each(|i| inverse.swap(i * n + k, i * n + swaps[k]));
        }
    }
    for i in 0..n {
        let own = scale(G[[i, i]]);
        inverse[[i, i]] *= own * own;
        for j in 0..i {
            let middle = (inverse[[i, j]] + inverse[[j, i]]) / 2.0 * own * scale(G[[j, j]]);
            (inverse[[i, j]], inverse[[j, i]]) = (middle, middle);
        }
    }
    true
}

/// A power of two near 1/sqrt(g); 1 where there is none.
fn scale(g: f64) -> f64 {
    if g == 0.0 || !g.is_finite() {
        return 1.0;
    }
    let exponent = (g.to_bits() >> 52 & 0x7ff) as i64 - 1023;
    f64::from_bits(((1023 - exponent.div_euclid(2)) as u64) << 52)
}
