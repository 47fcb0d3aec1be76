//! Exact facts found by sampling and then proved: values at generic points, and elimination on them.

use dalembert_expr::{Expr, Pool, Rational, Symbol};
use dalembert_linalg::Rng;
use std::hash::BuildHasher;

/// Relative size below which a number is taken for zero while guessing. What is guessed is proved in symbols.
const SMALL: f64 = 1e-9;

/// Values of expressions at the `k`-th generic point.
pub(super) fn values_at(pool: &mut Pool, exprs: &[Expr], k: u32) -> Vec<f64> {
    let value = |s: Symbol| {
        // Spread over (-1.5, 1.5) and away from zero; fixed, so that results repeat. Each variable has a sequence of its own:
        // points on one line would not tell quadratic forms apart.
        let mixed = u64::from(hash(s)).wrapping_add(u64::from(k) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let u = Rng::new(mixed).uniform();
        if u < 0.5 { -1.5 + 2.4 * u } else { 0.3 + 2.4 * (u - 0.5) }
    };
    pool.evaluate_all(exprs, value)
}

fn hash(s: Symbol) -> u32 {
    (rustc_hash::FxBuildHasher.hash_one(s) >> 40) as u32
}

/// Brings a matrix to reduced echelon form and returns the pivot columns. O(rows * columns * rank).
pub(super) fn reduce(rows: &mut Vec<Vec<f64>>) -> Vec<usize> {
    let columns = rows.first().map_or(0, Vec::len);
    let scale = rows.iter().flatten().fold(0.0f64, |m, v| m.max(v.abs()));
    let mut pivots = Vec::new();
    for j in 0..columns {
        let top = pivots.len();
        let best = (top..rows.len()).max_by(|&a, &b| rows[a][j].abs().total_cmp(&rows[b][j].abs()));
        let Some(best) = best.filter(|&i| rows[i][j].abs() > SMALL * scale) else { continue };
        rows.swap(top, best);
        let pivot = rows[top][j];
        rows[top].iter_mut().for_each(|v| *v /= pivot);
        for i in 0..rows.len() {
            let factor = rows[i][j];
            if i != top && factor != 0.0 {
                let source = rows[top].clone();
                rows[i].iter_mut().zip(&source).for_each(|(v, s)| *v -= factor * s);
            }
        }
        pivots.push(j);
    }
    rows.truncate(pivots.len());
    pivots
}

/// The fraction with a small denominator a number seems to be.
pub(super) fn as_fraction(value: f64) -> Option<Rational> {
    if value.abs() > 1e6 {
        return None;
    }
    (1..=24).find_map(|d: i64| {
        let n = (value * d as f64).round();
        ((value * d as f64 - n).abs() < 1e-7).then(|| Rational::new(n as i64, d)).flatten()
    })
}
