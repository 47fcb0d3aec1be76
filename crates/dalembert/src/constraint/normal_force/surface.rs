//! Sliding velocities that are tangential on the constraint only.
//!
//! On y = x tan(alpha) the sliding speed may be written x'/cos(alpha), on a wire y = f(x) as x' sqrt(1 + f'^2). As an
//! expression in all speeds it has a part along the normal, and a friction force against it would press. Friction of a
//! point on its own surface does not: what V has of the constraint's own rows psi = A eta + ..., which vanish along the
//! motion, is taken off.
//!
//! ```text
//! V <- V - W psi,   W = J M^-1 A^T (A M^-1 A^T)^-1,   so that J M^-1 A^T = 0
//! ```

use super::{EQUAL, View, inverted};
use crate::derive::sliding_rows;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool, Rational};
use std::ops::Range;

/// Least determinant of A M^-1 A^T of two rows, relative to its diagonal.
const INDEPENDENT: f64 = 1e-8;

/// Makes the sliding velocity of contact `k` tangential on the speeds of its point, whose inverse metric is given in
/// symbols. `None` where that is not determined. The whole velocity of a point, by all components, is so by itself.
pub(super) fn slide_along(
    model: &mut Workspace,
    k: usize,
    speeds: &[usize],
    inverse: &[Vec<Expr>],
    views: &[View],
) -> Option<()> {
    let rows = model.form.contacts[k].rows.clone();
    let components = model.form.contacts[k].velocity.len();
    let whole = components > 1 && components == speeds.len();
    if whole || views.iter().all(|v| is_tangential(v, k, &rows, speeds)) {
        return Some(());
    }
    if rows.len() > 2 || !views.iter().all(|v| are_independent(v, &rows, speeds)) {
        return None;
    }
    let A: Vec<Vec<Expr>> = rows.clone().map(|r| dense_row(model, r, speeds)).collect();
    let mut velocity = model.form.contacts[k].velocity.clone();
    for (i, V) in velocity.iter_mut().enumerate() {
        let J: Vec<Expr> = speeds.iter().map(|&p| model.form.contacts[k].matrix[i][p]).collect();
        let psi: Vec<Expr> = rows.clone().map(|r| model.form.velocity_residuals[r]).collect();
        let pool = &mut model.system.pool;
        let B: Vec<Expr> = A.iter().map(|a| between(pool, &J, inverse, a)).collect();
        let G = |pool: &mut Pool, r: usize, s: usize| between(pool, &A[r], inverse, &A[s]);
        let W = match B[..] {
            [b] => {
                let g = G(pool, 0, 0);
                vec![pool.div(b, g)]
            }
            [b1, b2] => {
                let (g11, g12, g22) = (G(pool, 0, 0), G(pool, 0, 1), G(pool, 1, 1));
                let (straight, crossed) = (pool.mul(g11, g22), pool.mul(g12, g12));
                let determinant = pool.sub(straight, crossed);
                let mut share = |b: Expr, g: Expr, c: Expr| {
                    let (one, other) = (pool.mul(b, g), pool.mul(c, g12));
                    let difference = pool.sub(one, other);
                    pool.div(difference, determinant)
                };
                vec![share(b1, g22, b2), share(b2, g11, b1)]
            }
            _ => return None,
        };
        for (w, psi) in W.into_iter().zip(psi) {
            let off = pool.mul(w, psi);
            *V = pool.sub(*V, off);
        }
        *V = pool.simplify(*V);
    }
    let (matrix, right) = sliding_rows(&mut model.system, &model.form, &velocity);
    let contact = &mut model.form.contacts[k];
    (contact.velocity, contact.matrix, contact.right) = (velocity, matrix, right);
    Some(())
}

/// The entries of a constraint row on some speeds.
fn dense_row(model: &Workspace, r: usize, speeds: &[usize]) -> Vec<Expr> {
    let row = &model.form.constraint_matrix[r];
    let entry = |p: &usize| row.iter().find(|(q, _)| q == p).map_or(Pool::ZERO, |(_, e)| *e);
    speeds.iter().map(entry).collect()
}

/// a M^-1 b.
pub(super) fn between(pool: &mut Pool, a: &[Expr], inverse: &[Vec<Expr>], b: &[Expr]) -> Expr {
    let mut terms = Vec::new();
    for (a, row) in a.iter().zip(inverse) {
        for (m, b) in row.iter().zip(b) {
            terms.push(pool.product([*a, *m, *b].map(|e| (e, Rational::ONE))));
        }
    }
    let sum = pool.total(terms);
    pool.simplify(sum)
}

/// The inverse metric of some speeds at a state.
fn inverse_at(v: &View, speeds: &[usize]) -> Option<Vec<f64>> {
    let M: Vec<f64> =
        speeds.iter().flat_map(|&i| speeds.iter().map(move |&j| v.terms.M[i * v.n + j])).collect();
    inverted(&M, speeds.len())
}

fn product(a: &[f64], inverse: &[f64], b: &[f64], speeds: &[usize]) -> f64 {
    let d = speeds.len();
    let term = |i: usize, j: usize| a[speeds[i]] * inverse[i * d + j] * b[speeds[j]];
    (0..d).map(|i| (0..d).map(|j| term(i, j)).sum::<f64>()).sum()
}

/// Whether J M^-1 A^T vanishes at a state.
fn is_tangential(v: &View, k: usize, rows: &Range<usize>, speeds: &[usize]) -> bool {
    let Some(inverse) = inverse_at(v, speeds) else { return false };
    v.sliding(k).iter().all(|J| {
        rows.clone().all(|r| {
            let of = |a: &[f64], b: &[f64]| product(a, &inverse, b, speeds);
            of(J, v.row(r)).abs() <= EQUAL * (of(J, J) * of(v.row(r), v.row(r))).sqrt()
        })
    })
}

/// Whether the rows are independent on these speeds.
fn are_independent(v: &View, rows: &Range<usize>, speeds: &[usize]) -> bool {
    let Some(inverse) = inverse_at(v, speeds) else { return false };
    let G = |r: usize, s: usize| product(v.row(r), &inverse, v.row(s), speeds);
    let (first, last) = (rows.start, rows.end - 1);
    let diagonal = G(first, first) * G(last, last);
    let determinant = diagonal - G(first, last) * G(last, first);
    diagonal > 0.0 && (first == last || determinant > INDEPENDENT * diagonal)
}
