//! Structure coefficients of the frame (L1) and the invariants of the kinematics.
//!
//! ```text
//! L1  [X0, X_p] = C_0pq X_q,   [X_q, X_p] = C_qpr X_r
//!     [X_q, X_p] = (dX_p/dx) X_q - (dX_q/dx) X_p,   plus dX_p/dt for X0
//! ```
//!
//! Three roads to the coefficients, in this order: the inverse of the kinematics where speeds are defined by
//! rates; constants (a Lie algebra, as of body rates), guessed from generic points and proved in symbols, which
//! also serves frames with dependent fields (the three rotations of a direction); a left inverse in symbols.
//! Where none gives an exact combination the frame is not closed under brackets, and Poincare's equations do
//! not hold: that is an error, found by the residual.

use super::sample::{as_fraction, reduce, values_at};
use crate::kernel_form::Structure;
use dalembert_expr::{Expr, Pool, Rational, Symbol};

/// Expressions longer than this (written out) are used as they are.
const MAX_SIMPLIFIED: u64 = 1000;

/// Why a frame has no structure coefficients.
pub(super) enum FrameError {
    /// The bracket of two fields leaves the frame; `None` stands for X0.
    NotClosed(Option<usize>, usize),
    /// The given inverse of the kinematics is not one: an error of the derivation itself.
    NotAnInverse,
}

/// The frame and what it is over.
pub(super) struct Frame<'a> {
    pub x: &'a [Symbol],
    pub time: Symbol,
    /// `X_p` over the coordinates.
    pub fields: &'a [Vec<Expr>],
    /// `X0`
    pub drift: &'a [Expr],
    /// Rows Y with Y X = I, where known.
    pub inverse: Option<&'a [Vec<Expr>]>,
}

impl Frame<'_> {
    pub fn structure(&self, pool: &mut Pool) -> Result<Structure, FrameError> {
        if self.inverse.is_some_and(|Y| !self.is_left_inverse(pool, Y)) {
            return Err(FrameError::NotAnInverse);
        }
        let jacobians: Vec<Jacobian> = self.fields.iter().map(|f| jacobian(pool, f, self.x)).collect();
        let drift_jacobian = jacobian(pool, self.drift, self.x);
        let mut left_inverse = None;
        let mut structure = Structure::default();
        for p in 0..self.fields.len() {
            let mut v = bracket(pool, (self.drift, &drift_jacobian), (&self.fields[p], &jacobians[p]));
            for (i, f) in self.fields[p].iter().enumerate().filter(|(_, f)| **f != Pool::ZERO) {
                let rate = pool.diff(*f, self.time);
                let sum = pool.add(entry(&v, i), rate);
                put(&mut v, i, sum);
            }
            for (q, c) in
                self.combination(pool, v, &mut left_inverse).ok_or(FrameError::NotClosed(None, p))?
            {
                structure.with_time.push((p, q, c));
            }
            // Fields that are constant commute.
            for q in (0..p).filter(|&q| !jacobians[p].is_empty() || !jacobians[q].is_empty()) {
                let v = bracket(pool, (&self.fields[q], &jacobians[q]), (&self.fields[p], &jacobians[p]));
                for (r, c) in
                    self.combination(pool, v, &mut left_inverse).ok_or(FrameError::NotClosed(Some(q), p))?
                {
                    let minus = pool.neg(c);
                    structure.entries.push((q, p, r, c));
                    structure.entries.push((p, q, r, minus));
                }
            }
        }
        Ok(structure)
    }

    /// The coefficients of `v` in the frame; those that vanish are left out.
    fn combination(
        &self,
        pool: &mut Pool,
        sparse: Vec<(usize, Expr)>,
        left: &mut Option<Vec<Vec<Expr>>>,
    ) -> Option<Vec<(usize, Expr)>> {
        let sparse = sparse.into_iter().map(|(i, e)| (i, tidy(pool, e)));
        let sparse: Vec<(usize, Expr)> = sparse.filter(|(_, e)| *e != Pool::ZERO).collect();
        if sparse.is_empty() {
            return Some(Vec::new());
        }
        let mut v = vec![Pool::ZERO; self.x.len()];
        sparse.iter().for_each(|(i, e)| v[*i] = *e);
        if let Some(inverse) = self.inverse {
            return Some(times(pool, inverse, &v));
        }
        if let Some(constants) = self.constant_combination(pool, &v) {
            return Some(constants);
        }
        if left.is_none() {
            *left = Some(self.left_inverse(pool)?);
        }
        let result = times(pool, left.as_deref()?, &v);
        self.is_combination(pool, &v, &result).then_some(result)
    }

    /// Constant coefficients: solved at generic points, rounded to fractions, proved in symbols.
    fn constant_combination(&self, pool: &mut Pool, v: &[Expr]) -> Option<Vec<(usize, Expr)>> {
        let (fields, coordinates) = self.connected(v);
        let n = fields.len();
        let columns = fields.iter().map(|&p| self.fields[p].as_slice()).chain([v]);
        let exprs: Vec<Expr> = columns.flat_map(|column| coordinates.iter().map(|&i| column[i])).collect();
        let mut rows = Vec::new();
        for k in 0..4 {
            let values = values_at(pool, &exprs, k);
            for i in 0..coordinates.len() {
                let row: Vec<f64> = (0..=n).map(|p| values[p * coordinates.len() + i]).collect();
                rows.push(row);
            }
        }
        if rows.iter().flatten().any(|value| !value.is_finite()) {
            return None;
        }
        let pivots = reduce(&mut rows);
        if pivots.contains(&n) {
            return None;
        }
        let mut result = Vec::new();
        for (row, p) in rows.iter().zip(pivots) {
            let c = as_fraction(row[n])?;
            if !c.is_zero() {
                result.push((fields[p], pool.number(c)));
            }
        }
        for (i, target) in v.iter().enumerate() {
            let mut parts = vec![(*target, Rational::MINUS_ONE)];
            for (p, c) in &result {
                parts.push((pool.mul(*c, self.fields[*p][i]), Rational::ONE));
            }
            let residual = pool.combine(parts);
            if pool.simplify(residual) != Pool::ZERO {
                return None;
            }
        }
        Some(result)
    }

    /// The fields that share coordinates with `v`, or with one of them, and these coordinates: other fields have no part in a
    /// combination. Free bodies are blocks of their own.
    fn connected(&self, v: &[Expr]) -> (Vec<usize>, Vec<usize>) {
        let mut touched: Vec<bool> = v.iter().map(|e| *e != Pool::ZERO).collect();
        let mut taken = vec![false; self.fields.len()];
        loop {
            let mut grew = false;
            for (p, field) in self.fields.iter().enumerate().filter(|(p, _)| !taken[*p]).collect::<Vec<_>>() {
                let moved = || field.iter().enumerate().filter(|(_, e)| **e != Pool::ZERO).map(|(i, _)| i);
                if moved().any(|i| touched[i]) {
                    moved().for_each(|i| touched[i] = true);
                    (taken[p], grew) = (true, true);
                }
            }
            if !grew {
                break;
            }
        }
        let places = |marks: Vec<bool>| (0..marks.len()).filter(|&i| marks[i]).collect();
        (places(taken), places(touched))
    }

    /// `(X^T X)^-1 X^T`, or the plain inverse where X is square.
    fn left_inverse(&self, pool: &mut Pool) -> Option<Vec<Vec<Expr>>> {
        let (n, m) = (self.fields.len(), self.x.len());
        if n == m {
            let rows: Vec<Vec<Expr>> = (0..m).map(|i| self.fields.iter().map(|f| f[i]).collect()).collect();
            return pool.regular_inverse(&rows, &[]);
        }
        let mut gram = vec![vec![Pool::ZERO; n]; n];
        for p in 0..n {
            for q in 0..=p {
                let parts: Vec<Expr> =
                    (0..m).map(|i| pool.mul(self.fields[p][i], self.fields[q][i])).collect();
                let e = pool.total(parts);
                gram[p][q] = pool.simplify(e);
                gram[q][p] = gram[p][q];
            }
        }
        let inverse = pool.regular_inverse(&gram, &[])?;
        Some(
            inverse
                .iter()
                .map(|row| {
                    (0..m)
                        .map(|i| {
                            let parts: Vec<Expr> =
                                row.iter().zip(self.fields).map(|(g, f)| pool.mul(*g, f[i])).collect();
                            pool.total(parts)
                        })
                        .collect()
                })
                .collect(),
        )
    }

    /// Does Y (X w) = w hold at generic points, for w generic too? O(entries of X and Y), where Y X would be cubic.
    fn is_left_inverse(&self, pool: &mut Pool, Y: &[Vec<Expr>]) -> bool {
        let (n, m) = (self.fields.len(), self.x.len());
        let exprs: Vec<Expr> = self.fields.iter().chain(Y).flatten().copied().collect();
        (0..3).all(|k| {
            let values = values_at(pool, &exprs, k);
            if values.iter().any(|v| !v.is_finite()) {
                return true; // a singular point shows nothing
            }
            let (X, Y) = values.split_at(n * m);
            let w: Vec<f64> =
                (0..n).map(|p| 0.5 + (0.618_033_988_749_895 * (p + 1) as f64).fract()).collect();
            let moved = |size: fn(f64) -> f64| -> Vec<f64> {
                (0..m).map(|i| (0..n).map(|p| size(X[p * m + i] * w[p])).sum()).collect()
            };
            let (x_dot, x_size) = (moved(|v| v), moved(f64::abs));
            (0..n).all(|p| {
                let row = &Y[p * m..(p + 1) * m];
                let back: f64 = row.iter().zip(&x_dot).map(|(y, v)| y * v).sum();
                let size: f64 = row.iter().zip(&x_size).map(|(y, v)| (y * v).abs()).sum();
                (back - w[p]).abs() <= 1e-8 * (1.0 + size)
            })
        })
    }

    /// Does the combination give `v`, to rounding, at generic points?
    fn is_combination(&self, pool: &mut Pool, v: &[Expr], combination: &[(usize, Expr)]) -> bool {
        let mut exprs: Vec<Expr> = Vec::new();
        for (i, target) in v.iter().enumerate() {
            let parts: Vec<Expr> =
                combination.iter().map(|(p, c)| pool.mul(*c, self.fields[*p][i])).collect();
            exprs.push(pool.total(parts));
            exprs.push(*target);
        }
        (0..3).all(|k| {
            let values = values_at(pool, &exprs, k);
            let size = values.iter().fold(1.0f64, |m, v| m.max(v.abs()));
            values.chunks(2).all(|pair| (pair[0] - pair[1]).abs() <= 1e-8 * size)
        })
    }

    /// Linear and quadratic functions of some coordinates that K1 conserves for all speeds, such as the norm of
    /// a quaternion: guessed at generic points, proved in symbols.
    pub fn invariants(&self, pool: &mut Pool, among: &[usize]) -> Vec<Expr> {
        let mut monomials: Vec<Expr> = among.iter().map(|&i| pool.var(self.x[i])).collect();
        for (k, &i) in among.iter().enumerate() {
            for &j in &among[k..] {
                let (a, b) = (pool.var(self.x[i]), pool.var(self.x[j]));
                monomials.push(pool.mul(a, b));
            }
        }
        let fields: Vec<&[Expr]> = self.fields.iter().map(Vec::as_slice).chain([self.drift]).collect();
        let moving: Vec<&[Expr]> =
            fields.into_iter().filter(|f| among.iter().any(|&i| f[i] != Pool::ZERO)).collect();
        let mut rates: Vec<Vec<Expr>> = Vec::new(); // [field][monomial]
        for f in &moving {
            rates.push(monomials.iter().map(|m| along(pool, *m, f, self.x)).collect());
        }
        let exprs: Vec<Expr> = rates.iter().flatten().copied().collect();
        let n = monomials.len();
        let mut rows = Vec::new();
        for k in 0..n as u32 + 2 {
            rows.extend(values_at(pool, &exprs, k).chunks(n).map(<[f64]>::to_vec));
        }
        if rows.iter().flatten().any(|v| !v.is_finite()) {
            return Vec::new();
        }
        let pivots = reduce(&mut rows);
        let mut found = Vec::new();
        for free in (0..n).filter(|j| !pivots.contains(j)) {
            let mut parts = vec![(monomials[free], Rational::ONE)];
            let exact = rows.iter().zip(&pivots).all(|(row, &p)| match as_fraction(-row[free]) {
                Some(c) => {
                    parts.push((monomials[p], c));
                    true
                }
                None => false,
            });
            let candidate = pool.combine(parts);
            let proved = exact
                && moving.iter().all(|f| {
                    let rate = along(pool, candidate, f, self.x);
                    pool.simplify(rate) == Pool::ZERO
                });
            if proved {
                found.push(candidate);
            }
        }
        found
    }
}

/// The derivatives of a field that are not zero: component, coordinate, slope; in ascending order.
type Jacobian = Vec<(usize, usize, Expr)>;

fn jacobian(pool: &mut Pool, field: &[Expr], x: &[Symbol]) -> Jacobian {
    let mut slopes = Vec::new();
    for (i, e) in field.iter().enumerate().filter(|(_, e)| **e != Pool::ZERO) {
        let gradient = pool.gradient(*e, x).into_iter().enumerate();
        slopes.extend(gradient.filter(|(_, d)| *d != Pool::ZERO).map(|(j, d)| (i, j, d)));
    }
    slopes
}

/// `[X, Y] = (dY/dx) X - (dX/dx) Y`, the components that are not zero by structure, ascending.
fn bracket(pool: &mut Pool, x: (&[Expr], &Jacobian), y: (&[Expr], &Jacobian)) -> Vec<(usize, Expr)> {
    let of_y = y.1.iter().map(|&(i, j, d)| (i, j, 0, d, x.0[j]));
    let of_x = x.1.iter().map(|&(i, j, d)| (i, j, 1, d, y.0[j]));
    let mut terms: Vec<_> = of_y.chain(of_x).filter(|term| term.4 != Pool::ZERO).collect();
    terms.sort_unstable_by_key(|&(i, j, from, ..)| (i, j, from));
    let mut components = Vec::new();
    for terms in terms.chunk_by(|a, b| a.0 == b.0) {
        let mut parts = Vec::with_capacity(terms.len());
        for &(_, _, from, d, v) in terms {
            let sign = if from == 0 { Rational::ONE } else { Rational::MINUS_ONE };
            parts.push((pool.mul(d, v), sign));
        }
        components.push((terms[0].0, pool.combine(parts)));
    }
    components
}

/// A component of a vector by its entries.
fn entry(v: &[(usize, Expr)], i: usize) -> Expr {
    v.binary_search_by_key(&i, |e| e.0).map_or(Pool::ZERO, |k| v[k].1)
}

fn put(v: &mut Vec<(usize, Expr)>, i: usize, value: Expr) {
    match v.binary_search_by_key(&i, |e| e.0) {
        Ok(k) => v[k].1 = value,
        Err(k) => v.insert(k, (i, value)),
    }
}

/// `(df/dx) X`
pub(super) fn along(pool: &mut Pool, f: Expr, field: &[Expr], x: &[Symbol]) -> Expr {
    let gradient = pool.gradient(f, x);
    let parts: Vec<Expr> = gradient.iter().zip(field).map(|(g, v)| pool.mul(*g, *v)).collect();
    pool.total(parts)
}

/// Simplified where that is cheap: expanding the coefficients of a dense frame costs more than it could cancel.
fn tidy(pool: &mut Pool, e: Expr) -> Expr {
    if pool.cost(e) > MAX_SIMPLIFIED { e } else { pool.simplify(e) }
}

fn times(pool: &mut Pool, rows: &[Vec<Expr>], v: &[Expr]) -> Vec<(usize, Expr)> {
    let mut result = Vec::new();
    for (r, row) in rows.iter().enumerate() {
        let parts: Vec<Expr> = row.iter().zip(v).map(|(a, b)| pool.mul(*a, *b)).collect();
        let e = pool.total(parts);
        let e = tidy(pool, e);
        if e != Pool::ZERO {
            result.push((r, e));
        }
    }
    result
}
