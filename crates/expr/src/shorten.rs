//! Expressions as a program likes them: few operations on what varies, whatever is done once for what does not.

use crate::function::Function;
use crate::pool::{Expr, Node, Pool, Symbol, Weighted};
use crate::rational::Rational;
use rustc_hash::{FxHashMap, FxHashSet};

/// Products are multiplied out up to this many terms.
const MAX_TERMS: usize = 300;
/// A function costs about as much as this many sums and products.
const FUNCTION: u64 = 20;

impl Pool {
    /// An expression of the same value with fewer operations on the `varying` symbols: simplified, or multiplied out
    /// and collected so that what does not vary stands together in one coefficient of each product of what does.
    ///
    /// ```
    /// use dalembert_expr::Pool;
    /// let mut pool = Pool::new();
    /// let (a, b, x) = (pool.named("a"), pool.named("b"), pool.symbol("x"));
    /// let v = pool.var(x);
    /// let (ax, bx) = (pool.mul(a, v), pool.mul(b, v));
    /// let e = pool.add(ax, bx);
    /// let e = pool.shorten(e, &[x]);
    /// assert_eq!(pool.text(e), "x*(a + b)");
    /// ```
    pub fn shorten(&mut self, e: Expr, varying: &[Symbol]) -> Expr {
        let simplified = self.simplify(e);
        let expanded = self.expand(simplified, MAX_TERMS).unwrap_or(simplified);
        let collected = self.collect_varying(expanded, varying);
        let factored = self.common_factor(collected);
        let mut best = (self.work(e, varying), e);
        for candidate in [simplified, collected, factored] {
            let work = self.work(candidate, varying);
            if work < best.0 {
                best = (work, candidate);
            }
        }
        best.1
    }

    /// Terms with the same product of varying factors become one.
    fn collect_varying(&mut self, e: Expr, varying: &[Symbol]) -> Expr {
        let Node::Sum(constant, terms) = self.node(e).clone() else { return e };
        let mut places: FxHashMap<Expr, usize> = FxHashMap::default();
        let mut groups: Vec<(Expr, Vec<Weighted>)> = Vec::new();
        for (term, c) in terms.iter() {
            let factors: Vec<Weighted> = match self.node(*term) {
                Node::Product(factors) => factors.to_vec(),
                _ => vec![(*term, Rational::ONE)],
            };
            let (moving, fixed): (Vec<Weighted>, Vec<Weighted>) =
                factors.into_iter().partition(|(base, _)| self.depends_on(*base, varying));
            let (moving, fixed) = (self.product(moving), self.product(fixed));
            let place = *places.entry(moving).or_insert_with(|| {
                groups.push((moving, Vec::new()));
                groups.len() - 1
            });
            groups[place].1.push((fixed, c.clone()));
        }
        let mut parts = vec![(Self::ONE, constant)];
        for (moving, coefficients) in groups {
            let coefficient = self.combine(coefficients);
            parts.push((self.mul(coefficient, moving), Rational::ONE));
        }
        self.combine(parts)
    }

    /// Operations on what varies, shared ones once.
    fn work(&mut self, e: Expr, varying: &[Symbol]) -> u64 {
        let order = self.order(&[e], 0);
        let moves: Vec<bool> = order.nodes.clone().iter().map(|n| self.depends_on(*n, varying)).collect();
        let moving = |e: &Expr| order.place(*e).is_some_and(|k| moves[k]);
        let mut work = 0;
        for (n, _) in order.nodes.iter().zip(&moves).filter(|(_, moves)| **moves) {
            let weigh = |list: &[Weighted], scaled: bool| -> u64 {
                let many = list.iter().filter(|(e, _)| moving(e)).count() as u64;
                let rest = u64::from(list.iter().any(|(e, _)| !moving(e)));
                let powers = |p: &Rational| if p.is_one() || (scaled && p.abs().is_one()) { 0 } else { 1 };
                many - 1 + rest + list.iter().map(|(_, p)| powers(p)).sum::<u64>()
            };
            work += match self.node(*n) {
                Node::Number(_) | Node::Pi | Node::Symbol(_) => 0,
                Node::Sum(c, terms) => weigh(terms, true) + u64::from(!c.is_zero()),
                Node::Product(factors) => {
                    let divides = factors.iter().any(|(e, p)| p.is_negative() && moving(e));
                    weigh(factors, false) + if divides { 4 } else { 0 }
                }
                Node::Power(..) | Node::Call(..) => FUNCTION,
            };
        }
        self.release(order);
        work
    }

    /// Sine and cosine of a sum or difference of two angles whose own sine or cosine occurs in the list as well, as
    /// products of those.
    ///
    /// ```
    /// use dalembert_expr::{Function, Pool};
    /// let mut pool = Pool::new();
    /// let (a, b) = (pool.named("a"), pool.named("b"));
    /// let difference = pool.sub(a, b);
    /// let list = [a, b, difference].map(|u| pool.call1(Function::Cos, u));
    /// let list = pool.split_angles(&list);
    /// assert_eq!(pool.text(list[2]), "cos(a)*cos(b) + sin(a)*sin(b)");
    /// ```
    pub fn split_angles(&mut self, list: &[Expr]) -> Vec<Expr> {
        let order = self.order(list, 0);
        let angles: FxHashSet<Expr> = order
            .nodes
            .iter()
            .filter_map(|n| match self.node(*n) {
                Node::Call(Function::Sin | Function::Cos, args) => Some(args[0]),
                _ => None,
            })
            .collect();
        let mut done: Vec<Expr> = Vec::with_capacity(order.nodes.len());
        for &n in &order.nodes {
            let split = self.split_angle(n, &angles);
            let image = split.unwrap_or_else(|| self.rebuild(n, |c| order.place(c).map_or(c, |k| done[k])));
            done.push(image);
        }
        let result = list.iter().map(|e| order.place(*e).map_or(*e, |k| done[k])).collect();
        self.release(order);
        result
    }

    fn split_angle(&mut self, e: Expr, angles: &FxHashSet<Expr>) -> Option<Expr> {
        let Node::Call(f @ (Function::Sin | Function::Cos), args) = self.node(e) else { return None };
        let (f, Node::Sum(constant, terms)) = (*f, self.node(args[0])) else { return None };
        let [(u, p), (v, q)] = &terms[..] else { return None };
        let known = |e: &Expr, c: &Rational| c.abs().is_one() && angles.contains(e);
        if !constant.is_zero() || !known(u, p) || !known(v, q) {
            return None;
        }
        // sin(p u + q v) = p sin u cos v + q cos u sin v;  cos(p u + q v) = cos u cos v - p q sin u sin v
        let (u, v, p, q) = (*u, *v, p.clone(), q.clone());
        let [(su, cu), (sv, cv)] =
            [u, v].map(|a| (self.call1(Function::Sin, a), self.call1(Function::Cos, a)));
        let parts = match f {
            Function::Sin => [(self.mul(su, cv), p), (self.mul(cu, sv), q)],
            _ => {
                let c = if p == q { Rational::MINUS_ONE } else { Rational::ONE };
                [(self.mul(cu, cv), Rational::ONE), (self.mul(su, sv), c)]
            }
        };
        Some(self.combine(parts))
    }
}
