//! Expressions that are linear in some symbols, taken apart; small linear systems solved in symbols.

use crate::evaluate::Zero;
use crate::function::Function;
use crate::pool::{Expr, Node, Pool, Symbol};
use crate::rational::Rational;
use rustc_hash::FxHashMap;

/// Blocks larger than this are inverted by elimination: their minors would be too many.
const MAX_MINORS: usize = 6;
/// Minors longer than this (written out) are left as they are: expanding them costs more than it could cancel.
const MAX_SIMPLIFIED: u64 = 600;

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
        if self.jumps_with(e, symbols) {
            return None; // derivatives do not see jumps
        }
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

    /// Does a sign, comparison or choice in `e` depend on one of the symbols?
    fn jumps_with(&mut self, e: Expr, symbols: &[Symbol]) -> bool {
        let order = self.order(&[e], 0);
        let jumps: Vec<Expr> = order
            .nodes
            .iter()
            .flat_map(|n| match self.node(*n) {
                Node::Call(Function::Select, args) => vec![args[0]],
                Node::Call(f, args) if *f == Function::Sign || *f >= Function::Floor => args.to_vec(),
                _ => Vec::new(),
            })
            .collect();
        self.release(order);
        jumps.into_iter().any(|jump| self.depends_on(jump, symbols))
    }

    /// The inverse of a small square matrix (row-major rows), by elimination on sparse rows.
    ///
    /// `None` if no pivot can be shown to be nonzero: the matrix is singular, or not provably regular.
    /// O(n^3) expression operations; each pivot is simplified, so `cos^2 + sin^2` does not pile up.
    pub fn inverse(&mut self, matrix: &[Vec<Expr>]) -> Option<Vec<Vec<Expr>>> {
        let n = matrix.len();
        let mut rows = beside_identity(matrix);
        let mut pivot_row_of = vec![usize::MAX; n];
        let mut used = vec![false; n];
        for _ in 0..n {
            let (i, j) = self.choose_pivot(&rows, &used, &pivot_row_of, n, |_, _| true)?;
            used[i] = true;
            pivot_row_of[j] = i;
            self.eliminate(&mut rows, i, j, n);
        }
        Some(pivot_row_of.into_iter().map(|i| rows[i][n..].to_vec()).collect())
    }

    /// The inverse of a small square matrix that divides by numbers, by what `constants` alone make different from zero
    /// with their values, and by determinants only, so that its value exists wherever the matrix is regular. (A pivot of [`Pool::inverse`] may vanish
    /// where the matrix does not degenerate.)
    ///
    /// ```
    /// use dalembert_expr::Pool;
    /// let mut pool = Pool::new();
    /// let x = pool.named("x");
    /// let inverse = pool.regular_inverse(&[vec![x, Pool::ONE], vec![Pool::ONE, x]], &[]).unwrap();
    /// assert_eq!(pool.evaluate(inverse[0][1], |_| 0.0), 1.0);
    /// // A mass that is zero divides nothing.
    /// let (m, k) = (pool.symbol("m"), pool.symbol("k"));
    /// let matrix = [vec![pool.var(m), x], vec![x, pool.var(k)]];
    /// let inverse = pool.regular_inverse(&matrix, &[(m, 0.0), (k, 1.0)]).unwrap();
    /// assert_eq!(pool.evaluate(inverse[0][1], |s| if s == m { 0.0 } else { 1.0 }), 1.0);
    /// ```
    pub fn regular_inverse(
        &mut self,
        matrix: &[Vec<Expr>],
        constants: &[(Symbol, f64)],
    ) -> Option<Vec<Vec<Expr>>> {
        let constants: FxHashMap<Symbol, f64> = constants.iter().copied().collect();
        let n = matrix.len();
        let mut rows = beside_identity(matrix);
        let mut pivot_row_of = vec![usize::MAX; n];
        let mut used = vec![false; n];
        while let Some((i, j)) = self.choose_pivot(&rows, &used, &pivot_row_of, n, |pool, e| {
            pool.symbols(&[e]).iter().all(|s| constants.contains_key(s))
                && pool.evaluate(e, |s| constants.get(&s).copied().unwrap_or(f64::NAN)).abs() > 0.0
        }) {
            used[i] = true;
            pivot_row_of[j] = i;
            self.eliminate(&mut rows, i, j, n);
        }
        for (block, columns) in blocks(&rows, &used, &pivot_row_of, n)? {
            if block.len() > MAX_MINORS {
                return self.inverse(matrix);
            }
            let core: Vec<Vec<Expr>> =
                block.iter().map(|&i| columns.iter().map(|&j| rows[i][j]).collect()).collect();
            let core = self.inverse_by_minors(&core)?;
            let solved: Vec<Vec<Expr>> = core
                .iter()
                .map(|weights| {
                    let column = |k: usize| -> Vec<(Expr, Expr)> {
                        weights.iter().zip(&block).map(|(w, &i)| (*w, rows[i][k])).collect()
                    };
                    let columns: Vec<Vec<(Expr, Expr)>> = (n..2 * n).map(column).collect();
                    columns.into_iter().map(|pairs| self.simplified_total(&pairs)).collect()
                })
                .collect();
            for ((&i, &j), values) in block.iter().zip(&columns).zip(solved) {
                pivot_row_of[j] = i;
                rows[i][..n].fill(Self::ZERO);
                rows[i][j] = Self::ONE;
                rows[i][n..].copy_from_slice(&values);
            }
            for (&i, &j) in block.iter().zip(&columns) {
                self.clear_column(&mut rows, i, j, n);
            }
        }
        Some(pivot_row_of.into_iter().map(|i| rows[i][n..].to_vec()).collect())
    }

    fn simplified_total(&mut self, pairs: &[(Expr, Expr)]) -> Expr {
        let products: Vec<Expr> = pairs.iter().map(|(a, b)| self.mul(*a, *b)).collect();
        let total = self.total(products);
        self.simplify_short(total)
    }

    fn simplify_short(&mut self, e: Expr) -> Expr {
        if self.cost(e) > MAX_SIMPLIFIED { e } else { self.simplify(e) }
    }

    /// Adjugate over determinant.
    fn inverse_by_minors(&mut self, matrix: &[Vec<Expr>]) -> Option<Vec<Vec<Expr>>> {
        let n = matrix.len();
        let (all, mut known) = ((1u32 << n) - 1, FxHashMap::default());
        let determinant = self.minor(matrix, all, all, &mut known);
        if self.is_zero(determinant) != Zero::No {
            return None;
        }
        let mut inverse = vec![vec![Self::ZERO; n]; n];
        for i in 0..n {
            for j in 0..n {
                let minor = self.minor(matrix, all & !(1 << j), all & !(1 << i), &mut known);
                let signed = if (i + j) % 2 == 0 { minor } else { self.neg(minor) };
                let entry = self.div(signed, determinant);
                inverse[i][j] = self.simplify_short(entry);
            }
        }
        Some(inverse)
    }

    /// Determinant of the rows and columns in the sets, by the first row.
    fn minor(
        &mut self,
        matrix: &[Vec<Expr>],
        rows: u32,
        columns: u32,
        known: &mut FxHashMap<(u32, u32), Expr>,
    ) -> Expr {
        if rows == 0 {
            return Self::ONE;
        }
        if let Some(&value) = known.get(&(rows, columns)) {
            return value;
        }
        let first = rows.trailing_zeros() as usize;
        let (mut parts, mut sign) = (Vec::new(), Rational::ONE);
        for j in (0..matrix.len()).filter(|j| columns & (1 << j) != 0) {
            if matrix[first][j] != Self::ZERO {
                let rest = self.minor(matrix, rows & !(1 << first), columns & !(1 << j), known);
                parts.push((self.mul(matrix[first][j], rest), sign.clone()));
            }
            sign = -&sign;
        }
        let sum = self.combine(parts);
        let value = self.simplify_short(sum);
        known.insert((rows, columns), value);
        value
    }

    /// Makes the pivot 1 and clears its column.
    fn eliminate(&mut self, rows: &mut [Vec<Expr>], i: usize, j: usize, n: usize) {
        let pivot = rows[i][j];
        for e in &mut rows[i] {
            *e = self.div(*e, pivot);
            *e = self.simplify(*e);
        }
        self.clear_column(rows, i, j, n);
    }

    fn clear_column(&mut self, rows: &mut [Vec<Expr>], i: usize, j: usize, n: usize) {
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

    /// The cheapest allowed entry that is surely nonzero: numbers first, then small expressions in rows with few
    /// entries (Markowitz), so that structure survives.
    fn choose_pivot(
        &mut self,
        rows: &[Vec<Expr>],
        used: &[bool],
        pivot_row_of: &[usize],
        n: usize,
        allowed: impl Fn(&mut Self, Expr) -> bool,
    ) -> Option<(usize, usize)> {
        // (cost, place): no number, entries in the row, size.
        let mut best: Option<([usize; 3], [usize; 2])> = None;
        for i in (0..n).filter(|&i| !used[i]) {
            let filled = rows[i][..n].iter().filter(|e| **e != Self::ZERO).count();
            for j in (0..n).filter(|&j| pivot_row_of[j] == usize::MAX) {
                let e = rows[i][j];
                if e == Self::ZERO {
                    continue;
                }
                let rank = [usize::from(self.as_number(e).is_none()), filled, self.size(&[e])];
                let better = best.as_ref().is_none_or(|(b, _)| rank < *b);
                if better && allowed(self, e) && self.is_zero(e) == Zero::No {
                    best = Some((rank, [i, j]));
                }
            }
        }
        best.map(|(_, [i, j])| (i, j))
    }
}

/// Rows of a block and its columns.
type Block = (Vec<usize>, Vec<usize>);

/// The open rows and columns, apart where no entry connects them; `None` if a block is not square.
fn blocks(rows: &[Vec<Expr>], used: &[bool], pivot_row_of: &[usize], n: usize) -> Option<Vec<Block>> {
    let open_columns: Vec<usize> = (0..n).filter(|&j| pivot_row_of[j] == usize::MAX).collect();
    let mut left: Vec<usize> = (0..n).filter(|&i| !used[i]).collect();
    let mut result = Vec::new();
    while let Some(first) = left.first().copied() {
        let (mut block, mut columns) = (vec![first], Vec::new());
        loop {
            let size = (block.len(), columns.len());
            let touched = |j: &usize, block: &[usize]| block.iter().any(|&i| rows[i][*j] != Pool::ZERO);
            columns = open_columns.iter().copied().filter(|j| touched(j, &block)).collect();
            block =
                left.iter().copied().filter(|&i| columns.iter().any(|&j| rows[i][j] != Pool::ZERO)).collect();
            if (block.len(), columns.len()) == size {
                break;
            }
        }
        if block.len() != columns.len() || block.is_empty() {
            return None;
        }
        left.retain(|i| !block.contains(i));
        result.push((block, columns));
    }
    Some(result)
}

/// `[matrix, identity]`
fn beside_identity(matrix: &[Vec<Expr>]) -> Vec<Vec<Expr>> {
    let n = matrix.len();
    let unit = |i: usize| (0..n).map(move |j| if i == j { Pool::ONE } else { Pool::ZERO });
    matrix.iter().enumerate().map(|(i, row)| row.iter().copied().chain(unit(i)).collect()).collect()
}
