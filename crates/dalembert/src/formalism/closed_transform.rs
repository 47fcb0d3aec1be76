//! Legendre transforms with a closed inverse: quadratic functions, powers of one variable, roots of
//! quadratic forms, slopes with the variable once in them.
//!
//! ```text
//! v = dF/du, G(v) = u v - F(u), block by block of variables that d2F/du2 couples; w = v - d
//! quadratic   F = u^T Q u/2 + d u + a
//!             u = Q^-1 w,   G = w^T Q^-1 w/2 - a
//! power       F = c u^(n+1)/(n+1) + d u + a,   n odd, c > 0
//!             u = sgn(w) |w/c|^(1/n),   G = n/(n+1) |w|^(1+1/n) c^(-1/n) - a
//! root        F = b sqrt(g + u^T Q u/2) + d u + a,   g > 0,   s = w^T Q^-1 w,   q = sqrt(g/(1 - 2 s/b^2))
//!             u = Q^-1 w 2 q/b,   G = -sgn(b) sqrt(b^2 g - 2 g s) - a
//! once        dF/du has u once in it: operations are taken off from the outside (`inverse_function.rs`)
//! ```
//!
//! The root is that of a relativistic particle: T* = m c^2 (1 - sqrt(1 - f^2/c^2)) gives T = sqrt(p^2 c^2 +
//! m^2 c^4) - m c^2. Signs of c, b and g are taken from the values of the parameters; where they depend on
//! anything else nothing is claimed. Source: Renton. Checked by `tests/it/legendre.rs`.

use crate::formalism::inverse_function::{inverse_of, undo_inverses};
use crate::formalism::poincare::dot;
use dalembert_expr::{Expr, Function, Linear, Node, Pool, Rational, Symbol, Weighted};

/// Functions are multiplied out up to this many terms to find a root in them.
const MAX_TERMS: usize = 200;

/// F = eta^T G eta/2 + g eta + F0, taken apart.
#[derive(Clone, Debug)]
pub struct Quadratic {
    /// G
    pub mass: Vec<Vec<Expr>>,
    /// g
    pub linear: Vec<Expr>,
    /// L0 = L(x, 0, t)
    pub rest: Expr,
}

impl Quadratic {
    /// `None` where L is not quadratic in the speeds.
    pub fn of(pool: &mut Pool, lagrangian: Expr, momenta: &[Expr], speeds: &[Symbol]) -> Option<Self> {
        let (mut mass, mut linear) = (Vec::new(), Vec::new());
        for y in momenta {
            let Linear { coefficients, constant } = pool.linear(*y, speeds)?;
            mass.push(coefficients.into_iter().map(|e| pool.simplify(e)).collect());
            linear.push(pool.simplify(constant));
        }
        let zeros: Vec<(Symbol, Expr)> = speeds.iter().map(|s| (*s, Pool::ZERO)).collect();
        let rest = pool.substitute(&[lagrangian], &zeros)[0];
        Some(Quadratic { mass, linear, rest })
    }
}

/// A transform in symbols.
#[derive(Clone, Debug)]
pub(crate) struct ClosedDual {
    /// u(v)
    pub inverse: Vec<Expr>,
    /// G(v)
    pub value: Expr,
}

/// Why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotClosed {
    /// The slopes of these variables (by place) do not determine them.
    Degenerate,
    /// No rule applies to the block that contains this variable (by place).
    NoRule(usize),
}

/// What a transform is made from.
struct Transform<'a> {
    pool: &'a mut Pool,
    u: &'a [Symbol],
    v: &'a [Expr],
    /// Parameters with their values.
    constants: &'a [(Symbol, f64)],
}

/// The transform of F over u at slopes v, everything else held.
pub(crate) fn closed_dual(
    pool: &mut Pool,
    F: Expr,
    u: &[Symbol],
    v: &[Expr],
    constants: &[(Symbol, f64)],
) -> Result<ClosedDual, NotClosed> {
    let mut this = Transform { pool, u, v, constants };
    let zeros: Vec<(Symbol, Expr)> = u.iter().map(|s| (*s, Pool::ZERO)).collect();
    let blocks = this.blocks(F);
    let mut inverse = vec![Pool::ZERO; u.len()];
    let mut parts: Vec<Weighted> = Vec::new();
    let rest = this.pool.substitute(&[F], &zeros)[0];
    for block in &blocks {
        let others: Vec<(Symbol, Expr)> =
            (0..u.len()).filter(|i| !block.contains(i)).map(|i| zeros[i]).collect();
        let mut part = this.pool.substitute(&[F], &others)[0];
        if blocks.len() > 1 {
            // The value at 0 is counted once for all blocks.
            part = this.pool.sub(part, rest);
        }
        let dual = this.block(part, block)?;
        block.iter().zip(&dual.inverse).for_each(|(i, e)| inverse[*i] = *e);
        parts.push((dual.value, Rational::ONE));
    }
    if blocks.len() != 1 {
        parts.push((rest, Rational::MINUS_ONE));
    }
    let value = this.pool.combine(parts);
    Ok(ClosedDual { inverse, value: this.pool.simplify(value) })
}

impl Transform<'_> {
    /// Variables that second derivatives couple, directly or through others.
    fn blocks(&mut self, F: Expr) -> Vec<Vec<usize>> {
        let n = self.u.len();
        let slopes = self.pool.gradient(F, self.u);
        let mut block_of: Vec<usize> = (0..n).collect();
        for (i, slope) in slopes.iter().enumerate() {
            for (j, e) in self.pool.gradient(*slope, self.u).into_iter().enumerate() {
                if i != j && self.pool.simplify(e) != Pool::ZERO {
                    let (from, to) = (block_of[i].max(block_of[j]), block_of[i].min(block_of[j]));
                    block_of.iter_mut().filter(|b| **b == from).for_each(|b| *b = to);
                }
            }
        }
        let members = |b: usize| (0..n).filter(|i| block_of[*i] == b).collect::<Vec<_>>();
        (0..n).map(members).filter(|list| !list.is_empty()).collect()
    }

    fn block(&mut self, F: Expr, block: &[usize]) -> Result<ClosedDual, NotClosed> {
        let u: Vec<Symbol> = block.iter().map(|i| self.u[*i]).collect();
        let v: Vec<Expr> = block.iter().map(|i| self.v[*i]).collect();
        let slopes = self.pool.gradient(F, &u);
        if let Some(quadratic) = Quadratic::of(self.pool, F, &slopes, &u) {
            return self.quadratic(&quadratic, &v).ok_or(NotClosed::Degenerate);
        }
        if let ([u], [v]) = (&u[..], &v[..])
            && let Some(dual) = self.power(F, slopes[0], *u, *v)
        {
            return Ok(dual);
        }
        if let Some(dual) = self.root(F, &u, &v) {
            return Ok(dual);
        }
        let found = if let ([u], [v]) = (&u[..], &v[..]) { self.once(F, slopes[0], *u, *v) } else { None };
        found.ok_or(NotClosed::NoRule(block[0]))
    }

    fn quadratic(&mut self, F: &Quadratic, v: &[Expr]) -> Option<ClosedDual> {
        let inverse = self.pool.regular_inverse(&F.mass, self.constants)?;
        let w: Vec<Expr> = v.iter().zip(&F.linear).map(|(v, d)| self.pool.sub(*v, *d)).collect();
        let u: Vec<Expr> = inverse.iter().map(|row| dot(self.pool, row, &w)).collect();
        let twice = dot(self.pool, &w, &u);
        let value = self.pool.combine([(twice, Rational::HALF), (F.rest, Rational::MINUS_ONE)]);
        Some(ClosedDual { inverse: u, value })
    }

    /// An expression of constants with its value; `None` where it contains anything else, or vanishes.
    fn constant(&mut self, e: Expr) -> Option<f64> {
        let known = |s: Symbol| self.constants.iter().find(|(k, _)| *k == s).map(|(_, v)| *v);
        let all = self.pool.symbols(&[e]).into_iter().all(|s| known(s).is_some());
        let value = self.pool.evaluate(e, |s| known(s).unwrap_or(f64::NAN));
        (all && value.is_finite() && value != 0.0).then_some(value)
    }

    fn power(&mut self, F: Expr, slope: Expr, u: Symbol, v: Expr) -> Option<ClosedDual> {
        let pool = &mut *self.pool;
        let [d, a] = pool.substitute(&[slope, F], &[(u, Pool::ZERO)])[..] else { return None };
        let own = pool.sub(slope, d);
        // c u^n: u d(own)/du = n own.
        let (at, change) = (pool.var(u), pool.diff(own, u));
        let grown = pool.mul(at, change);
        let ratio = pool.div(grown, own);
        let ratio = pool.simplify(ratio);
        let n = pool.as_number(ratio).and_then(Rational::to_i64).filter(|n| *n > 1 && n % 2 == 1)?;
        let c = pool.substitute(&[own], &[(u, Pool::ONE)])[0];
        let c = pool.simplify(c);
        let sign = if self.constant(c)? > 0.0 { Rational::ONE } else { Rational::MINUS_ONE };
        let pool = &mut *self.pool;
        let (size, w) = (pool.scale(c, sign.clone()), pool.sub(v, d));
        let (magnitude, side) = (pool.call1(Function::Abs, w), pool.call1(Function::Sign, w));
        let more = n.checked_add(1)?;
        let (root, next) = (Rational::new(1, n)?, Rational::new(more, n)?);
        let less = -&root;
        let inverse = pool.product([(side, Rational::ONE), (magnitude, root), (size, less.clone())]);
        let value = pool.product([(magnitude, next), (size, less)]);
        let share = &Rational::new(n, more)? * &sign;
        let value = pool.combine([(value, share), (a, Rational::MINUS_ONE)]);
        Some(ClosedDual { inverse: vec![pool.scale(inverse, sign)], value })
    }

    /// A slope with the variable once in it.
    fn once(&mut self, F: Expr, slope: Expr, u: Symbol, v: Expr) -> Option<ClosedDual> {
        let slope = self.pool.simplify(slope);
        let inverse = inverse_of(self.pool, slope, u, v)?;
        let inverse = self.pool.simplify(inverse);
        let at = self.pool.substitute(&[F], &[(u, inverse)])[0];
        let product = self.pool.mul(v, inverse);
        let value = self.pool.sub(product, at);
        let value = undo_inverses(self.pool, value);
        Some(ClosedDual { inverse: vec![inverse], value })
    }

    /// b, and g + u^T Q u/2, of the one term with a root in it; and the rest.
    fn root_term(&mut self, F: Expr, u: &[Symbol]) -> Option<(Expr, Expr, Expr)> {
        let F = self.pool.expand(F, MAX_TERMS).unwrap_or(F);
        let terms: Vec<Weighted> = match self.pool.node(F).clone() {
            Node::Sum(c, terms) => terms.into_iter().chain([(Pool::ONE, c)]).collect(),
            _ => vec![(F, Rational::ONE)],
        };
        let (mut found, mut rest) = (None, Vec::new());
        for (term, c) in terms {
            let slopes = self.pool.gradient(term, u);
            if slopes.iter().all(|e| !self.pool.depends_on(*e, u)) {
                rest.push((term, c));
                continue;
            }
            let Node::Product(factors) = self.pool.node(term).clone() else { return None };
            let moving = factors.iter().position(|(b, _)| self.pool.depends_on(*b, u))?;
            let (form, exponent) = factors[moving].clone();
            if found.is_some() || exponent != Rational::HALF {
                return None;
            }
            let others = factors.iter().enumerate().filter(|(k, _)| *k != moving).map(|(_, f)| f.clone());
            let factor = self.pool.product(others.collect::<Vec<_>>());
            if self.pool.depends_on(factor, u) {
                return None;
            }
            found = Some((self.pool.scale(factor, c), form));
        }
        let (factor, form) = found?;
        Some((factor, form, self.pool.combine(rest)))
    }

    fn root(&mut self, F: Expr, u: &[Symbol], v: &[Expr]) -> Option<ClosedDual> {
        let (b, form, rest) = self.root_term(F, u)?;
        let slopes = self.pool.gradient(form, u);
        let form = Quadratic::of(self.pool, form, &slopes, u)?;
        let linear = self.pool.linear(rest, u)?;
        if form.linear.iter().any(|e| *e != Pool::ZERO) || self.constant(form.rest)? <= 0.0 {
            return None;
        }
        let sign = if self.constant(b)? > 0.0 { Rational::MINUS_ONE } else { Rational::ONE };
        let inverse = self.pool.regular_inverse(&form.mass, self.constants)?;
        let pool = &mut *self.pool;
        let w: Vec<Expr> = v.iter().zip(&linear.coefficients).map(|(v, d)| pool.sub(*v, *d)).collect();
        let turned: Vec<Expr> = inverse.iter().map(|row| dot(pool, row, &w)).collect();
        let s = dot(pool, &w, &turned);
        // sqrt(b^2 g - 2 g s) = |b| g/q
        let (square, gs) = (pool.powi(b, 2), pool.mul(form.rest, s));
        let whole = pool.mul(square, form.rest);
        let under = pool.combine([(whole, Rational::ONE), (gs, Rational::from(-2))]);
        let under = pool.simplify(under);
        let root = pool.sqrt(under);
        let value = pool.combine([(root, sign.clone()), (linear.constant, Rational::MINUS_ONE)]);
        // 2 q/b = 2 |b| g/(b root)
        let scale = pool.div(form.rest, root);
        let scale = pool.scale(scale, &Rational::from(-2) * &sign);
        let inverse = turned.iter().map(|e| pool.mul(*e, scale)).collect();
        Some(ClosedDual { inverse, value })
    }
}
