//! Derivatives: partial, total along a vector field, and gradients by one backward pass.
//!
//! All of them work on the shared graph, never on expanded trees: a forward derivative costs
//! O(size), a gradient with respect to any number of symbols O(size) too.

use crate::function::Function;
use crate::pool::{Expr, Node, Pool, Symbol, Weighted};
use crate::rational::Rational;
use rustc_hash::FxHashMap;

/// A derivation: a linear map on expressions that obeys the product rule, given by what it does to
/// symbols. `d/dx` sends x to 1; the time derivative sends each coordinate to its rate.
///
/// Results are remembered, so that shared subexpressions are differentiated once over all calls.
///
/// ```
/// use dalembert_expr::{Derivation, Pool};
/// let mut pool = Pool::new();
/// let (q, v) = (pool.symbol("q"), pool.named("q'"));
/// let x = pool.var(q);
/// let e = pool.call1(dalembert_expr::Function::Sin, x);
/// let mut dot = Derivation::new([(q, v)]);
/// let rate = dot.apply(&mut pool, e);
/// assert_eq!(pool.text(rate), "q'*cos(q)");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Derivation {
    seeds: FxHashMap<Symbol, Expr>,
    memo: FxHashMap<Expr, Expr>,
    filter: u64,
}

impl Derivation {
    /// The derivation that sends each symbol to its image and all others to zero.
    pub fn new(seeds: impl IntoIterator<Item = (Symbol, Expr)>) -> Self {
        let seeds: FxHashMap<Symbol, Expr> = seeds.into_iter().collect();
        let filter = Pool::filter_of(seeds.keys().copied());
        Derivation { seeds, memo: FxHashMap::default(), filter }
    }

    /// Says what a symbol that no differentiated expression contains yet is sent to.
    pub fn define(&mut self, symbol: Symbol, image: Expr) {
        self.seeds.insert(symbol, image);
        self.filter |= Pool::filter_of([symbol]);
    }

    /// The derivative of `e`.
    pub fn apply(&mut self, pool: &mut Pool, e: Expr) -> Expr {
        if self.filter == 0 || !pool.may_contain(e, self.filter) {
            return Pool::ZERO;
        }
        if let Some(&d) = self.memo.get(&e) {
            return d;
        }
        let order = pool.order(&[e], self.filter);
        for &n in &order.nodes {
            if !self.memo.contains_key(&n) {
                let d = self.of_node(pool, n);
                self.memo.insert(n, d);
            }
        }
        pool.release(order);
        self.memo[&e]
    }

    /// The derivative of a node whose children are done.
    fn of_node(&self, pool: &mut Pool, e: Expr) -> Expr {
        let done = |child: &Expr| self.memo.get(child).copied().unwrap_or(Pool::ZERO);
        match pool.node(e).clone() {
            Node::Number(_) | Node::Pi => Pool::ZERO,
            Node::Symbol(s) => self.seeds.get(&s).copied().unwrap_or(Pool::ZERO),
            Node::Sum(_, terms) => pool.combine(terms.iter().map(|(t, c)| (done(t), c.clone()))),
            Node::Call(f @ (Function::Select | Function::Min | Function::Max), args) => {
                let (condition, [a, b]) = pool.branches(f, &args);
                // The branch not taken may be undefined: choose, never multiply by zero.
                pool.select(condition, done(&a), done(&b))
            }
            _ => {
                let mut parts = Vec::new();
                pool.for_each_partial(e, |pool, child, factors, c| {
                    let d = done(&child);
                    if d != Pool::ZERO {
                        factors.push((d, Rational::ONE));
                        parts.push((pool.product(factors.drain(..)), c));
                    }
                });
                pool.combine(parts)
            }
        }
    }
}

impl Pool {
    /// The partial derivative `de/dx`; remembered by the pool.
    pub fn diff(&mut self, e: Expr, x: Symbol) -> Expr {
        let mut derivation = Derivation::new([(x, Self::ONE)]);
        derivation.memo = self.derivatives.remove(&x).unwrap_or_default();
        let d = derivation.apply(self, e);
        self.derivatives.insert(x, derivation.memo);
        d
    }

    /// The partial derivatives of `e` with respect to all of `symbols`, in one backward pass.
    pub fn gradient(&mut self, e: Expr, symbols: &[Symbol]) -> Vec<Expr> {
        let wanted: FxHashMap<Symbol, usize> = symbols.iter().enumerate().map(|(i, s)| (*s, i)).collect();
        let filter = Self::filter_of(symbols.iter().copied());
        let mut gradient = vec![Vec::<Weighted>::new(); symbols.len()];
        if filter != 0 && self.may_contain(e, filter) {
            let order = self.order(&[e], filter);
            // The adjoint of a node is the sum of what its parents contribute.
            let mut adjoints = vec![Vec::<Weighted>::new(); order.nodes.len()];
            let root = order.place(e).unwrap_or(0);
            adjoints[root].push((Self::ONE, Rational::ONE));
            for i in (0..order.nodes.len()).rev() {
                let adjoint = self.combine(std::mem::take(&mut adjoints[i]));
                if adjoint == Self::ZERO {
                    continue;
                }
                let n = order.nodes[i];
                match self.node(n).clone() {
                    Node::Symbol(s) => {
                        if let Some(&k) = wanted.get(&s) {
                            gradient[k].push((adjoint, Rational::ONE));
                        }
                    }
                    Node::Sum(_, terms) => {
                        for (t, c) in terms {
                            if let Some(k) = order.place(t) {
                                adjoints[k].push((adjoint, c));
                            }
                        }
                    }
                    Node::Call(Function::Select | Function::Min | Function::Max, _) => {
                        // Forward through choices, for the reason given in `of_node`.
                        for (k, s) in symbols.iter().enumerate() {
                            let d = self.diff(n, *s);
                            let part = self.mul(adjoint, d);
                            gradient[k].push((part, Rational::ONE));
                        }
                    }
                    _ => self.for_each_partial(n, |pool, child, factors, c| {
                        if let Some(k) = order.place(child) {
                            factors.push((adjoint, Rational::ONE));
                            let part = pool.product(factors.drain(..));
                            adjoints[k].push((part, c));
                        }
                    }),
                }
            }
            self.release(order);
        }
        gradient.into_iter().map(|parts| self.combine(parts)).collect()
    }

    /// `min`, `max` and `if` as a condition with two branches.
    fn branches(&mut self, f: Function, args: &[Expr]) -> (Expr, [Expr; 2]) {
        match (f, args) {
            (Function::Select, &[c, a, b]) => (c, [a, b]),
            (Function::Min, &[a, b]) => (self.call(Function::LessEqual, &[a, b]), [a, b]),
            (_, &[a, b]) => (self.call(Function::LessEqual, &[b, a]), [a, b]),
            _ => unreachable!("choices have two or three arguments"),
        }
    }

    /// Calls `visit(pool, child, factors, c)` for each child with the partial derivative of the node
    /// `e` by that child as `c` times the product of `factors`.
    fn for_each_partial(
        &mut self,
        e: Expr,
        mut visit: impl FnMut(&mut Pool, Expr, &mut Vec<Weighted>, Rational),
    ) {
        let mut factors = Vec::new();
        match self.node(e).clone() {
            Node::Product(list) => {
                for (k, (base, p)) in list.iter().enumerate() {
                    factors.clear();
                    factors.extend_from_slice(&list[..k]);
                    factors.push((*base, p - &Rational::ONE));
                    factors.extend_from_slice(&list[k + 1..]);
                    visit(self, *base, &mut factors, p.clone());
                }
            }
            Node::Power(base, exponent) => {
                // d b^x = x b^(x-1) db + b^x log b dx; not b^x/b, which is undefined at b = 0
                let less = self.sub(exponent, Self::ONE);
                let power = self.pow(base, less);
                factors.extend([(power, Rational::ONE), (exponent, Rational::ONE)]);
                visit(self, base, &mut factors, Rational::ONE);
                factors.clear();
                let log = self.call1(Function::Log, base);
                factors.extend([(e, Rational::ONE), (log, Rational::ONE)]);
                visit(self, exponent, &mut factors, Rational::ONE);
            }
            Node::Call(Function::Atan2, args) => {
                let (y, x) = (args[0], args[1]);
                let parts = [(x, 2.into()), (y, 2.into())].map(|part| (self.product([part]), Rational::ONE));
                let square = self.combine(parts);
                for (child, other, sign) in [(y, x, Rational::ONE), (x, y, Rational::MINUS_ONE)] {
                    factors.clear();
                    factors.extend([(other, Rational::ONE), (square, Rational::MINUS_ONE)]);
                    visit(self, child, &mut factors, sign);
                }
            }
            Node::Call(f, args) if args.len() == 1 => {
                let (factor, c) = self.derivative_of(f, args[0], e);
                if let Some(factor) = factor {
                    factors.push(factor);
                    visit(self, args[0], &mut factors, c);
                }
            }
            _ => {} // comparisons and logic are constant almost everywhere
        }
    }

    /// `df/du` at `u` as `c * base^exponent`, with `value = f(u)`.
    fn derivative_of(&mut self, f: Function, u: Expr, value: Expr) -> (Option<Weighted>, Rational) {
        use Function as F;
        let one = Rational::ONE;
        let mut quadratic = |inside: Expr, sign: Rational| {
            let square = self.powi(inside, 2);
            self.combine([(Self::ONE, Rational::ONE), (square, sign)])
        };
        let (base, exponent, c) = match f {
            F::Sin => (self.call1(F::Cos, u), one.clone(), one),
            F::Cos => (self.call1(F::Sin, u), one, Rational::MINUS_ONE),
            F::Tan => (quadratic(value, Rational::ONE), one.clone(), one),
            F::Asin => (quadratic(u, Rational::MINUS_ONE), -&Rational::HALF, one),
            F::Acos => (quadratic(u, Rational::MINUS_ONE), -&Rational::HALF, Rational::MINUS_ONE),
            F::Atan => (quadratic(u, Rational::ONE), Rational::MINUS_ONE, one),
            F::Sinh => (self.call1(F::Cosh, u), one.clone(), one),
            F::Cosh => (self.call1(F::Sinh, u), one.clone(), one),
            F::Tanh => (quadratic(value, Rational::MINUS_ONE), one.clone(), one),
            F::Exp => (value, one.clone(), one),
            F::Log => (u, Rational::MINUS_ONE, one),
            F::Abs => (self.call1(F::Sign, u), one.clone(), one),
            _ => return (None, one),
        };
        (Some((base, exponent)), c)
    }
}
