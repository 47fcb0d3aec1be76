//! B = A M^{-1/2} with the symmetric root, in closed form.
//!
//! ```text
//! one speed    M^{1/2} = sqrt(m)
//! two speeds   M^{1/2} = (M + s)/sqrt(tr M + 2 s),   s = sqrt(det M);   M^{-1/2} likewise from M^-1 and 1/s
//! ```
//!
//! The second line is the theorem of Cayley and Hamilton for the root of a positive 2 x 2 matrix. B^+ is written as
//! M^{1/2} K, because G^-1 has already been cancelled in K. Blocks of three and
//! more have roots of cubics in them, which nobody reads: then there is no B, and nothing else needs it.

use super::Projection;
use crate::closed_form::symbol_matrix::{self as sm, Rows};
use dalembert_expr::{Expr, Pool, Rational};

/// Entries of B and B^+ longer than this are not written.
const MAX_SCALED: u64 = 2000;

/// B and B^+, or nothing where the root has no closed form.
pub(super) fn scaled(pool: &mut Pool, p: &Projection) -> (Option<Rows>, Option<Rows>) {
    let Some((root, inverse_root)) = roots(pool, p) else { return (None, None) };
    let scaled = sm::product(pool, &p.matrix, &inverse_root);
    let pinv = sm::product(pool, &root, &p.gain);
    let longest = [&scaled, &pinv].into_iter().flatten().flatten().map(|e| pool.cost(*e)).max().unwrap_or(0);
    if longest > MAX_SCALED { (None, None) } else { (Some(scaled), Some(pinv)) }
}

/// M^{1/2} and M^{-1/2}, symmetric.
fn roots(pool: &mut Pool, p: &Projection) -> Option<(Rows, Rows)> {
    let n = p.mass.len();
    let (mut root, mut inverse) = (vec![vec![Pool::ZERO; n]; n], vec![vec![Pool::ZERO; n]; n]);
    for block in sm::blocks(&p.mass) {
        match block[..] {
            [i] => {
                root[i][i] = pool.sqrt(p.mass[i][i]);
                inverse[i][i] = pool.product([(p.mass[i][i], Rational::new(-1, 2)?)]);
            }
            [i, j] => {
                let m = &p.mass;
                let (product, square) = (pool.mul(m[i][i], m[j][j]), pool.powi(m[i][j], 2));
                let determinant = pool.sub(product, square);
                let determinant = pool.tidy(determinant);
                let size = pool.sqrt(determinant);
                two(pool, m, size, [i, j], &mut root);
                let size = pool.powi(size, -1);
                two(pool, &p.inverse_mass, size, [i, j], &mut inverse);
            }
            _ => return None,
        }
    }
    Some((root, inverse))
}

/// The root of a block of a matrix from the root of its determinant.
fn two(pool: &mut Pool, matrix: &Rows, size: Expr, [i, j]: [usize; 2], root: &mut Rows) {
    let twice = pool.scale(size, 2.into());
    let trace = pool.total([matrix[i][i], matrix[j][j], twice]);
    let trace = pool.tidy(trace);
    let below = pool.sqrt(trace);
    for (a, b) in [(i, i), (i, j), (j, i), (j, j)] {
        let above: Expr = if a == b { pool.add(matrix[a][a], size) } else { matrix[a][b] };
        let e = pool.div(above, below);
        root[a][b] = pool.tidy(e);
    }
}
