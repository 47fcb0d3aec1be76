//! Small matrices of expressions, row by row. Every entry that is computed is tidied, so that what cancels is gone before the
//! next product. Knows no mechanics.

use crate::closed_form::equations_limits::{MAX_PARTS, refuse};
use dalembert_expr::{Expr, Pool, Rational, Symbol};
use dalembert_syntax::diagnostic::Diagnostic;

/// Rows of a matrix.
pub type Rows = Vec<Vec<Expr>>;

/// Sparse rows written out over n columns.
pub(crate) fn dense(rows: &[Vec<(usize, Expr)>], n: usize) -> Rows {
    let mut out = vec![vec![Pool::ZERO; n]; rows.len()];
    for (row, entries) in out.iter_mut().zip(rows) {
        entries.iter().for_each(|(p, e)| row[*p] = *e);
    }
    out
}

/// Every entry tidied.
pub(crate) fn tidied(pool: &mut Pool, rows: Rows) -> Rows {
    rows.into_iter().map(|row| row.into_iter().map(|e| pool.tidy(e)).collect()).collect()
}

/// The transpose of a matrix with n columns, of which there may be no rows.
pub(crate) fn transposed(rows: &Rows, n: usize) -> Rows {
    (0..n).map(|j| rows.iter().map(|row| row[j]).collect()).collect()
}

fn dot(pool: &mut Pool, a: &[Expr], b: &[Expr]) -> Expr {
    let there = a.iter().zip(b).filter(|(a, b)| **a != Pool::ZERO && **b != Pool::ZERO);
    let parts: Vec<Expr> = there.map(|(a, b)| pool.mul(*a, *b)).collect();
    let e = pool.total(parts);
    pool.tidy(e)
}

/// `a b`
pub(crate) fn product(pool: &mut Pool, a: &Rows, b: &Rows) -> Rows {
    let columns = transposed(b, b.first().map_or(0, Vec::len));
    a.iter().map(|row| columns.iter().map(|column| dot(pool, row, column)).collect()).collect()
}

/// `a v`
pub(crate) fn times(pool: &mut Pool, a: &Rows, v: &[Expr]) -> Vec<Expr> {
    a.iter().map(|row| dot(pool, row, v)).collect()
}

/// `a - b` of matrices
pub(crate) fn difference(pool: &mut Pool, a: &Rows, b: &Rows) -> Rows {
    a.iter().zip(b).map(|(a, b)| minus(pool, a, b)).collect()
}

/// `a - b` of vectors
pub(crate) fn minus(pool: &mut Pool, a: &[Expr], b: &[Expr]) -> Vec<Expr> {
    combined(pool, a, b, Rational::MINUS_ONE)
}

/// `a + b` of vectors
pub(crate) fn plus(pool: &mut Pool, a: &[Expr], b: &[Expr]) -> Vec<Expr> {
    combined(pool, a, b, Rational::ONE)
}

fn combined(pool: &mut Pool, a: &[Expr], b: &[Expr], c: Rational) -> Vec<Expr> {
    let sum = |(a, b): (&Expr, &Expr)| {
        let e = pool.combine([(*a, Rational::ONE), (*b, c.clone())]);
        pool.tidy(e)
    };
    a.iter().zip(b).map(sum).collect()
}

/// The inverse, tidied; `None` where the matrix cannot be shown to be regular.
pub(crate) fn inverse(pool: &mut Pool, a: &Rows, constants: &[(Symbol, f64)]) -> Option<Rows> {
    let inverse = pool.regular_inverse(a, constants)?;
    Some(tidied(pool, inverse))
}

/// Rows and columns of a symmetric matrix that no entry connects, apart.
pub(crate) fn blocks(a: &Rows) -> Vec<Vec<usize>> {
    let n = a.len();
    let mut seen = vec![false; n];
    let mut all = Vec::new();
    for first in 0..n {
        if seen[first] {
            continue;
        }
        seen[first] = true;
        let (mut block, mut next) = (vec![first], 0);
        while let Some(&i) = block.get(next) {
            next += 1;
            for j in (0..n).filter(|j| a[i][*j] != Pool::ZERO) {
                if !seen[j] {
                    seen[j] = true;
                    block.push(j);
                }
            }
        }
        block.sort_unstable();
        all.push(block);
    }
    all
}

/// Refuses entries that nobody would read.
pub(crate) fn check_length<const N: usize>(
    pool: &mut Pool,
    list: [&Rows; N],
    limit: u64,
) -> Result<(), Box<Diagnostic>> {
    list.into_iter().try_for_each(|rows| rows.iter().try_for_each(|row| check_vectors(pool, [row], limit)))
}

/// Refuses vectors with entries that nobody would read: longer than the limit written out, and with more than
/// [`MAX_PARTS`] parts where parts that are shared have names.
pub(crate) fn check_vectors<const N: usize>(
    pool: &mut Pool,
    list: [&Vec<Expr>; N],
    limit: u64,
) -> Result<(), Box<Diagnostic>> {
    let all: Vec<Expr> = list.into_iter().flatten().copied().collect();
    match all.iter().map(|e| pool.cost(*e)).find(|cost| *cost > limit) {
        None => Ok(()),
        Some(_) if pool.size(&all) <= MAX_PARTS => Ok(()),
        Some(cost) => Err(refuse(format!(
            "the closed form would take {cost} operations in one entry, more than the {limit} that are written"
        ))),
    }
}
