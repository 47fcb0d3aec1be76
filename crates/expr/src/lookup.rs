//! Functions in many pieces by numbers that are looked up. Knows no mechanics.
//!
//! ```text
//! f(x) = sum over p of c_p (x - start)^p,   start and c_p constant on each stretch between two knots
//! ```
//!
//! An expression of a few nodes, however many pieces there are. `start` and c_p are columns of a [`Lookup`]; their derivatives
//! are zero.

use crate::function::Function;
use crate::pool::{Expr, Pool};
use crate::rational::Rational;
use dalembert_tape::Lookup;
use std::sync::Arc;

/// Columns of every lookup: where a stretch starts, 1/length, and two that say when a knot is passed. Coefficients follow.
const START: usize = 0;
const INVERSE: usize = 1;
const SIDE: usize = 2;
const OUTSIDE: usize = 3;
const COEFFICIENTS: usize = 4;

impl Pool {
    /// The function with these coefficients on the stretches between knots, each power a list: one for before the first knot,
    /// one for each knot. `None` if the numbers are not such, or not finite.
    ///
    /// ```
    /// use dalembert_expr::Pool;
    /// let mut pool = Pool::new();
    /// let x = pool.named("x");
    /// // 0, then x - 1, from 3 on 2.
    /// let f = pool.in_pieces("f", &[1.0, 3.0], &[vec![0.0, 0.0, 2.0], vec![0.0, 1.0, 0.0]], x).unwrap();
    /// assert_eq!(pool.evaluate(f, |_| 2.5), 1.5);
    /// ```
    pub fn in_pieces(
        &mut self,
        name: &str,
        knots: &[f64],
        coefficients: &[Vec<f64>],
        x: Expr,
    ) -> Option<Expr> {
        let lookup = self.lookup_of(name, knots, coefficients)?;
        let start = self.looked_up(&lookup, START, x);
        let along = self.sub(x, start);
        let terms: Vec<Expr> = (0..coefficients.len())
            .map(|p| {
                let c = self.looked_up(&lookup, COEFFICIENTS + p, x);
                let power = self.powi(along, p as i64);
                self.mul(c, power)
            })
            .collect();
        Some(self.total(terms))
    }

    fn lookup_of(&mut self, name: &str, knots: &[f64], coefficients: &[Vec<f64>]) -> Option<Arc<Lookup>> {
        let known = self
            .lookups
            .iter()
            .find(|l| l.knots == knots && l.columns[COEFFICIENTS..] == *coefficients && l.name == name);
        if let Some(known) = known {
            return Some(Arc::clone(known));
        }
        let (first, n) = (*knots.first()?, knots.len());
        let inner = |outside: f64, of: &dyn Fn(usize) -> f64, behind: f64| {
            let inside = (0..n - 1).map(of);
            [outside].into_iter().chain(inside).chain([behind]).collect::<Vec<f64>>()
        };
        let turned = |k: usize| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
        let mut columns = vec![
            inner(first, &|k| knots[k], knots[n - 1]),
            inner(0.0, &|k| 1.0 / (knots[k + 1] - knots[k]), 0.0),
            inner(0.0, &turned, 0.0),
            inner(-1.0, &|_| 0.0, turned(n - 1)),
        ];
        columns.extend_from_slice(coefficients);
        if !columns.iter().flatten().chain(knots).all(|v| v.is_finite()) {
            return None;
        }
        let new = Lookup::new(name, knots.to_vec(), columns)?;
        self.lookups.push(Arc::clone(&new));
        Some(new)
    }

    fn looked_up(&mut self, lookup: &Lookup, column: usize, x: Expr) -> Expr {
        let column = self.number(Rational::from_f64(lookup.column(column)).unwrap_or(Rational::ZERO));
        self.call(Function::Lookup, &[column, x])
    }

    /// What an expression looks up: its columns are known by a number.
    #[must_use]
    pub fn lookup(&self, column: Expr) -> Option<&Arc<Lookup>> {
        let number = self.as_number(column)?.to_f64();
        let (found, _) = Lookup::of_column(number)?;
        self.lookups.iter().find(|known| Arc::ptr_eq(known, &found))
    }

    /// What changes its sign where x passes a knot of a lookup, known by one of its columns, and vanishes nowhere else.
    pub(crate) fn knots_passed(&mut self, column: Expr, x: Expr) -> Expr {
        let Some(lookup) = self.lookup(column).cloned() else { return Self::ONE };
        let [start, inverse, side, outside] =
            [START, INVERSE, SIDE, OUTSIDE].map(|k| self.looked_up(&lookup, k, x));
        let behind = self.sub(x, start);
        let part = self.mul(behind, inverse);
        let rest = self.sub(Self::ONE, part);
        let product = self.product([part, rest, side].map(|e| (e, Rational::ONE)));
        self.add(product, outside)
    }

    /// The first column of a lookup, by any: one that stands for all.
    pub(crate) fn lookup_number(&self, column: Expr) -> u64 {
        self.as_number(column).map_or(u64::MAX, |c| c.to_f64() as u64 / dalembert_tape::MAX_COLUMNS as u64)
    }
}
