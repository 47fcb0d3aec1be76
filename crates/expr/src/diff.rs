//! Derivatives: partial, total along a vector field, and gradients by one backward pass.
//!
//! All of them work on the shared graph, never on expanded trees: a forward derivative costs
//! O(size), a gradient with respect to any number of symbols O(size) too.

use crate::function::Function;
use crate::pool::wanted::Wanted;
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
        if let Some(s) = pool.as_symbol(e) {
            return self.seeds.get(&s).copied().unwrap_or(Pool::ZERO);
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
        match pool.node(e) {
            Node::Number(_) | Node::Pi => Pool::ZERO,
            Node::Symbol(s) => self.seeds.get(s).copied().unwrap_or(Pool::ZERO),
            Node::Sum(..) => {
                let mut terms = pool.list_of(e);
                terms.iter_mut().for_each(|(t, _)| *t = done(t));
                let d = pool.combine(terms.drain(..));
                pool.keep(terms);
                d
            }
            Node::Call(f @ (Function::Select | Function::Min | Function::Max), args) => {
                let (f, args) = (*f, args.clone());
                let (condition, [a, b]) = pool.branches(f, &args);
                // The branch not taken may be undefined: choose, never multiply by zero.
                pool.select(condition, done(&a), done(&b))
            }
            _ => {
                let mut parts = pool.list();
                pool.for_each_partial(e, |pool, child, factors, c| {
                    let d = done(&child);
                    if d != Pool::ZERO {
                        factors.push((d, Rational::ONE));
                        parts.push((pool.product(factors.drain(..)), c));
                    }
                });
                let d = pool.combine(parts.drain(..));
                pool.keep(parts);
                d
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

    /// The partial derivatives of `e` with respect to all of `symbols`, in one backward pass. O(size of `e` and number of
    /// symbols).
    pub fn gradient(&mut self, e: Expr, symbols: &[Symbol]) -> Vec<Expr> {
        let filter = Self::filter_of(symbols.iter().copied());
        let mut gradient = vec![Self::ZERO; symbols.len()];
        if filter == 0 || !self.may_contain(e, filter) {
            return gradient;
        }
        let wanted = Wanted::new(symbols);
        let order = self.order(&[e], filter);
        let mut adjoints = Adjoints::new(order.nodes.len());
        adjoints.add(order.place(e).unwrap_or(0), (Self::ONE, Rational::ONE));
        for i in (0..order.nodes.len()).rev() {
            let mut parts = self.list();
            adjoints.take(i, &mut parts);
            let adjoint = self.combine(parts.drain(..));
            self.keep(parts);
            if adjoint == Self::ZERO {
                continue;
            }
            let n = order.nodes[i];
            match self.node(n) {
                Node::Symbol(s) => {
                    if let Some(k) = wanted.place(*s) {
                        gradient[k] = self.add(gradient[k], adjoint);
                    }
                }
                Node::Sum(_, terms) => {
                    for (t, c) in terms {
                        if let Some(k) = order.place(*t) {
                            adjoints.add(k, (adjoint, c.clone()));
                        }
                    }
                }
                Node::Call(Function::Select | Function::Min | Function::Max, _) => {
                    // Forward through choices, for the reason given in `of_node`.
                    for (k, s) in symbols.iter().enumerate() {
                        let d = self.diff(n, *s);
                        let part = self.mul(adjoint, d);
                        gradient[k] = self.add(gradient[k], part);
                    }
                }
                _ => self.for_each_partial(n, |pool, child, factors, c| {
                    if let Some(k) = order.place(child) {
                        factors.push((adjoint, Rational::ONE));
                        let part = pool.product(factors.drain(..));
                        adjoints.add(k, (part, c));
                    }
                }),
            }
        }
        self.release(order);
        gradient
    }

    /// A copy of the terms of a sum or the factors of a product, in a list to be given back.
    fn list_of(&mut self, e: Expr) -> Vec<Weighted> {
        let mut list = self.list();
        if let Node::Sum(_, inner) | Node::Product(inner) = self.node(e) {
            list.extend_from_slice(inner);
        }
        list
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
        let mut factors = self.list();
        match self.node(e) {
            Node::Product(_) => {
                let list = self.list_of(e);
                for (k, (base, p)) in list.iter().enumerate() {
                    factors.clear();
                    factors.extend_from_slice(&list[..k]);
                    factors.push((*base, p - &Rational::ONE));
                    factors.extend_from_slice(&list[k + 1..]);
                    visit(self, *base, &mut factors, p.clone());
                }
                self.keep(list);
            }
            &Node::Power(base, exponent) => {
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
                let (f, child) = (*f, args[0]);
                let (factor, c) = self.derivative_of(f, child, e);
                if let Some(factor) = factor {
                    factors.push(factor);
                    visit(self, child, &mut factors, c);
                }
            }
            _ => {} // comparisons and logic are constant almost everywhere
        }
        self.keep(factors);
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
            F::Asinh => (quadratic(u, Rational::ONE), -&Rational::HALF, one),
            F::Acosh => {
                let square = self.powi(u, 2);
                (
                    self.combine([(square, Rational::ONE), (Self::ONE, Rational::MINUS_ONE)]),
                    -&Rational::HALF,
                    one,
                )
            }
            F::Atanh => (quadratic(u, Rational::MINUS_ONE), Rational::MINUS_ONE, one),
            F::Exp => (value, one.clone(), one),
            F::Log => (u, Rational::MINUS_ONE, one),
            F::Abs => (self.call1(F::Sign, u), one.clone(), one),
            // Constant but for jumps, or of several arguments, whose derivatives are taken by the caller.
            F::Sign | F::Floor | F::Atan2 | F::Min | F::Max => return (None, one),
            F::Less | F::LessEqual | F::Equal | F::And | F::Or | F::Not | F::Select | F::Lookup => {
                return (None, one);
            }
        };
        (Some((base, exponent)), c)
    }
}

/// The adjoint of each node is the sum of what its parents contribute: linked lists in one piece of memory.
struct Adjoints {
    last: Vec<u32>,
    parts: Vec<(Weighted, u32)>,
}

impl Adjoints {
    const NONE: u32 = u32::MAX;

    fn new(nodes: usize) -> Self {
        Adjoints { last: vec![Self::NONE; nodes], parts: Vec::with_capacity(nodes) }
    }

    fn add(&mut self, node: usize, part: Weighted) {
        self.parts.push((part, self.last[node]));
        self.last[node] = self.parts.len() as u32 - 1;
    }

    /// Moves what has been contributed to a node into a list.
    fn take(&mut self, node: usize, list: &mut Vec<Weighted>) {
        let mut next = self.last[node];
        while let Some((part, before)) = self.parts.get_mut(next as usize) {
            list.push((part.0, std::mem::replace(&mut part.1, Rational::ZERO)));
            next = *before;
        }
    }
}
