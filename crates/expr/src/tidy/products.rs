//! Products of sines and cosines that go together: with `2 cos u cos v = cos(u - v) + cos(u + v)` and its like,
//! `cos u cos v - cos w cos z` is one product where a sum or difference of the angles is the same on both sides,
//! as in `cos(a + c) cos(b) - cos(a) cos(b + c) = -sin(c) sin(a - b)`.

use crate::function::Function;
use crate::pool::{Expr, Node, Pool, Weighted};
use crate::rational::Rational;

/// Longer sums are left as they are.
const MAX_TERMS: usize = 24;

/// A term `c * rest * f(u) * g(v)`.
struct Pair {
    term: Weighted,
    rest: Expr,
    /// `2 f(u) g(v)` as a sum of two sines or of two cosines.
    sum: [Weighted; 2],
    /// Whether it is made of sines.
    odd: bool,
}

impl Pool {
    /// Pairs of terms with two sines or cosines each, put together where that leaves one product, until none is left.
    pub(super) fn collect_products(&mut self, e: Expr) -> Expr {
        let mut current = e;
        loop {
            let Node::Sum(_, terms) = self.node(current).clone() else { return current };
            if terms.len() > MAX_TERMS {
                return current;
            }
            let pairs: Vec<Pair> = terms.into_iter().flat_map(|term| self.trig_pairs(term)).collect();
            let step = pairs.iter().enumerate().find_map(|(i, a)| {
                pairs[i + 1..].iter().find_map(|b| self.merged(a, b).map(|whole| (a, b, whole)))
            });
            let Some((a, b, whole)) = step else { return current };
            let gone = [(a.term.0, -&a.term.1), (b.term.0, -&b.term.1)];
            current =
                self.combine([(current, Rational::ONE), (whole, Rational::ONE)].into_iter().chain(gone));
        }
    }

    /// The ways to see a term as a product of two sines or cosines with a rest.
    fn trig_pairs(&mut self, term: Weighted) -> Vec<Pair> {
        let Node::Product(factors) = self.node(term.0).clone() else { return Vec::new() };
        let trig: Vec<(Expr, Function, Expr)> = factors
            .iter()
            .filter(|(_, p)| p.is_one())
            .filter_map(|(b, _)| match self.node(*b) {
                Node::Call(f @ (Function::Sin | Function::Cos), args) => Some((*b, *f, args[0])),
                _ => None,
            })
            .collect();
        let mut pairs = Vec::new();
        for (i, (a, f, u)) in trig.iter().enumerate() {
            for (b, g, v) in &trig[i + 1..] {
                let less = [(*a, Rational::MINUS_ONE), (*b, Rational::MINUS_ONE)];
                let rest = self.product([(term.0, Rational::ONE)].into_iter().chain(less));
                let (sum, odd) = self.as_sum((*f, *u), (*g, *v));
                pairs.push(Pair { term: term.clone(), rest, sum, odd });
            }
        }
        pairs
    }

    /// `2 f(u) g(v)`
    fn as_sum(&mut self, (f, u): (Function, Expr), (g, v): (Function, Expr)) -> ([Weighted; 2], bool) {
        let (with, without) = (self.add(u, v), self.sub(u, v));
        let odd = f != g;
        let kind = if odd { Function::Sin } else { Function::Cos };
        let [with, without] = [with, without].map(|angle| self.call1(kind, angle));
        let (a, b) = match (f, g) {
            (Function::Cos, Function::Cos) | (Function::Sin, Function::Cos) => (Rational::ONE, Rational::ONE),
            (Function::Sin, _) => (Rational::MINUS_ONE, Rational::ONE),
            _ => (Rational::ONE, Rational::MINUS_ONE),
        };
        ([(with, a), (without, b)], odd)
    }

    /// The sum of two terms as one product, where two of the four functions cancel.
    fn merged(&mut self, a: &Pair, b: &Pair) -> Option<Expr> {
        let same = a.term.1 == b.term.1;
        if a.rest != b.rest || a.odd != b.odd || a.term.0 == b.term.0 || (!same && a.term.1 != -&b.term.1) {
            return None;
        }
        let sign = if same { Rational::ONE } else { Rational::MINUS_ONE };
        let other = b.sum.iter().map(|(e, c)| (*e, c * &sign));
        let sum = self.combine(a.sum.iter().cloned().chain(other));
        let product = match self.node(sum).clone() {
            Node::Sum(constant, terms) if constant.is_zero() && terms.len() == 2 => {
                self.as_product(&terms)?
            }
            Node::Number(_) | Node::Call(..) => sum,
            Node::Sum(constant, terms) if constant.is_zero() && terms.len() == 1 => sum,
            _ => return None,
        };
        let half = &a.term.1 * &Rational::new(1, 2)?;
        let whole = self.mul(a.rest, product);
        Some(self.combine([(whole, half)]))
    }

    /// `f(u) + f(v)` or `f(u) - f(v)` as a product.
    fn as_product(&mut self, terms: &[Weighted]) -> Option<Expr> {
        let [(a, c), (b, d)] = terms else { return None };
        let (Node::Call(f, u), Node::Call(g, v)) = (self.node(*a).clone(), self.node(*b).clone()) else {
            return None;
        };
        let same = c == d;
        if f != g || (!same && *c != -d) {
            return None;
        }
        let half = Rational::new(1, 2)?;
        let with = self.combine([(u[0], half.clone()), (v[0], half.clone())]);
        let without = self.combine([(u[0], half.clone()), (v[0], -&half)]);
        // cos u + cos v = 2 cos cos, cos u - cos v = -2 sin sin, sin u + sin v = 2 sin cos, sin u - sin v = 2 cos sin
        let (h, k, sign) = match (f, same) {
            (Function::Cos, true) => (Function::Cos, Function::Cos, Rational::from(2)),
            (Function::Cos, false) => (Function::Sin, Function::Sin, Rational::from(-2)),
            (Function::Sin, true) => (Function::Sin, Function::Cos, Rational::from(2)),
            (Function::Sin, false) => (Function::Cos, Function::Sin, Rational::from(2)),
            _ => return None,
        };
        let (h, k) = (self.call1(h, with), self.call1(k, without));
        let product = self.mul(h, k);
        Some(self.combine([(product, &sign * c)]))
    }
}
