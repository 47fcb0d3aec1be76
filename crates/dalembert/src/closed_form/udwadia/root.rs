//! B = A M^{-1/2} with the symmetric root, in closed form.
//!
//! ```text
//! one speed    M^{-1/2} = 1/sqrt(m)
//! two speeds   M^{-1/2} = (N + 1/s)/sqrt(tr N + 2/s),   N = M^-1, s = sqrt(det M)
//! ```
//!
//! The second line is the theorem of Cayley and Hamilton for the root of a positive 2 x 2 matrix. Blocks of three and
//! more have roots of cubics in them, which nobody reads: then there is no B, and nothing else needs it.

use super::Projection;
use crate::closed_form::symbol_matrix::{self as sm, Rows};
use dalembert_expr::{Expr, Pool, Rational};

/// Entries of B and B^+ longer than this are not written.
const MAX_SCALED: u64 = 2000;

/// B and B^+, or nothing where the root has no closed form.
pub(super) fn scaled(pool: &mut Pool, p: &Projection) -> (Option<Rows>, Option<Rows>) {
    let Some(root) = inverse_root(pool, p) else { return (None, None) };
    let scaled = sm::product(pool, &p.matrix, &root);
    let upright = sm::transposed(&scaled, p.mass.len());
    let pinv = sm::product(pool, &upright, &p.gram_inverse);
    let longest = [&scaled, &pinv].into_iter().flatten().flatten().map(|e| pool.cost(*e)).max().unwrap_or(0);
    if longest > MAX_SCALED { (None, None) } else { (Some(scaled), Some(pinv)) }
}

/// M^{-1/2}, symmetric.
fn inverse_root(pool: &mut Pool, p: &Projection) -> Option<Rows> {
    let n = p.mass.len();
    let mut root = vec![vec![Pool::ZERO; n]; n];
    for block in sm::blocks(&p.mass) {
        match block[..] {
            [i] => root[i][i] = pool.product([(p.mass[i][i], Rational::new(-1, 2)?)]),
            [i, j] => two(pool, p, [i, j], &mut root),
            _ => return None,
        }
    }
    Some(root)
}

fn two(pool: &mut Pool, p: &Projection, [i, j]: [usize; 2], root: &mut Rows) {
    let (m, inverse) = (&p.mass, &p.inverse_mass);
    let (product, square) = (pool.mul(m[i][i], m[j][j]), pool.powi(m[i][j], 2));
    let determinant = pool.sub(product, square);
    let determinant = pool.tidy(determinant);
    let size = pool.sqrt(determinant);
    let size = pool.powi(size, -1); // 1/s
    let twice = pool.scale(size, 2.into());
    let trace = pool.total([inverse[i][i], inverse[j][j], twice]);
    let trace = pool.tidy(trace);
    let below = pool.sqrt(trace);
    for (a, b) in [(i, i), (i, j), (j, i), (j, j)] {
        let above: Expr = if a == b { pool.add(inverse[a][a], size) } else { inverse[a][b] };
        let e = pool.div(above, below);
        root[a][b] = pool.tidy(e);
    }
}
