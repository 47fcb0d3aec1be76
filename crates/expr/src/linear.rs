//! Expressions that are linear in some symbols, taken apart; small linear systems solved in symbols.

use crate::evaluate::Zero;
use crate::pool::{Expr, Pool, Symbol};

/// An expression `constant + sum of coefficient * symbol`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    /// One coefficient for each symbol asked for.
    pub coefficients: Vec<Expr>,
    /// What remains when all of them are zero.
    pub constant: Expr,
}

impl Pool {
    /// Takes `e` apart as a linear function of `symbols`; `None` if it cannot be shown to be one.
    ///
    /// ```
    /// use dalembert_expr::Pool;
    /// let mut pool = Pool::new();
    /// let (u, x) = (pool.symbol("u"), pool.named("x"));
    /// let eu = pool.var(u);
    /// let e = pool.mul(eu, x);
    /// let e = pool.add(e, x);
    /// let linear = pool.linear(e, &[u]).unwrap();
    /// assert_eq!((linear.coefficients[0], linear.constant), (x, x));
    /// ```
    pub fn linear(&mut self, e: Expr, symbols: &[Symbol]) -> Option<Linear> {
        let mut coefficients = self.gradient(e, symbols);
        for c in &mut coefficients {
            if self.depends_on(*c, symbols) {
                *c = self.simplify(*c);
                if self.depends_on(*c, symbols) {
                    return None;
                }
            }
        }
        let zeros: Vec<(Symbol, Expr)> = symbols.iter().map(|s| (*s, Self::ZERO)).collect();
        let constant = self.substitute(&[e], &zeros)[0];
        Some(Linear { coefficients, constant })
    }

    /// The inverse of a small square matrix (row-major rows), by elimination on sparse rows.
    ///
    /// `None` if no pivot can be shown to be nonzero: the matrix is singular, or not provably regular.
    /// O(n^3) expression operations; each pivot is simplified, so `cos^2 + sin^2` does not pile up.
    pub fn inverse(&mut self, matrix: &[Vec<Expr>]) -> Option<Vec<Vec<Expr>>> {
        let n = matrix.len();
        let mut rows: Vec<Vec<Expr>> = matrix.to_vec();
        for (i, row) in rows.iter_mut().enumerate() {
            row.extend((0..n).map(|j| if i == j { Self::ONE } else { Self::ZERO }));
        }
        let mut pivot_row_of = vec![usize::MAX; n];
        let mut used = vec![false; n];
        for _ in 0..n {
            let (i, j) = self.choose_pivot(&rows, &used, &pivot_row_of, n)?;
            used[i] = true;
            pivot_row_of[j] = i;
            let pivot = rows[i][j];
            for e in &mut rows[i] {
                *e = self.div(*e, pivot);
                *e = self.simplify(*e);
            }
            for r in 0..n {
                let factor = rows[r][j];
                if r == i || factor == Self::ZERO {
                    continue;
                }
                for k in 0..2 * n {
                    if rows[i][k] != Self::ZERO {
                        let product = self.mul(factor, rows[i][k]);
                        let difference = self.sub(rows[r][k], product);
                        rows[r][k] = self.simplify(difference);
                    }
                }
            }
        }
        Some(pivot_row_of.into_iter().map(|i| rows[i][n..].to_vec()).collect())
    }

    /// The cheapest entry that is surely nonzero: numbers first, then small expressions in rows with few
    /// entries (Markowitz), so that structure survives.
    fn choose_pivot(
        &mut self,
        rows: &[Vec<Expr>],
        used: &[bool],
        pivot_row_of: &[usize],
        n: usize,
    ) -> Option<(usize, usize)> {
        let mut best: Option<((bool, usize, usize), (usize, usize))> = None;
        for i in (0..n).filter(|&i| !used[i]) {
            let filled = rows[i][..n].iter().filter(|e| **e != Self::ZERO).count();
            for j in (0..n).filter(|&j| pivot_row_of[j] == usize::MAX) {
                let e = rows[i][j];
                if e == Self::ZERO {
                    continue;
                }
                let rank = (self.as_number(e).is_none(), filled, self.size(&[e]));
                let better = best.as_ref().is_none_or(|(b, _)| rank < *b);
                if better && self.is_zero(e) == Zero::No {
                    best = Some((rank, (i, j)));
                }
            }
        }
        best.map(|(_, place)| place)
    }
}
