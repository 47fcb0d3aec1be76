//! Antiderivatives by substitution, term by term: what a reader sees at once.
//!
//! ```text
//! integral of c(rest) h(g(x)) g'(x) dx = c H(g),    h a power, sin, cos, tan, sinh, cosh, tanh, exp
//! ```
//!
//! Every result is proved by its derivative before it is given, so a rule that does not apply costs nothing
//! but the answer.

use crate::evaluate::Zero;
use crate::function::Function;
use crate::pool::{Expr, Node, Pool, Symbol, Weighted};
use crate::rational::Rational;

/// Integrands are multiplied out up to this many terms.
const MAX_TERMS: usize = 400;

impl Pool {
    /// F with dF/dx = e; `None` where no rule applies to some term.
    ///
    /// ```
    /// use dalembert_expr::Pool;
    /// let mut pool = Pool::new();
    /// let (x, k) = (pool.symbol("x"), pool.named("k"));
    /// let at = pool.var(x);
    /// let cube = pool.powi(at, 3);
    /// let e = pool.mul(k, cube);
    /// let whole = pool.antiderivative(e, x).unwrap();
    /// assert_eq!(pool.text(whole), "k*x^4/4");
    /// ```
    pub fn antiderivative(&mut self, e: Expr, x: Symbol) -> Option<Expr> {
        let e = self.expand(e, MAX_TERMS).unwrap_or(e);
        let terms: Vec<Weighted> = match self.node(e).clone() {
            Node::Sum(c, terms) => terms.into_iter().chain([(Self::ONE, c)]).collect(),
            _ => vec![(e, Rational::ONE)],
        };
        let mut parts = Vec::with_capacity(terms.len());
        for (term, c) in terms {
            if !c.is_zero() {
                parts.push((self.antiderivative_of_term(term, x)?, c));
            }
        }
        let whole = self.combine(parts);
        let slope = self.diff(whole, x);
        let off = self.sub(slope, e);
        (self.is_zero(off) == Zero::Yes).then_some(whole)
    }

    fn antiderivative_of_term(&mut self, term: Expr, x: Symbol) -> Option<Expr> {
        let at = self.var(x);
        if !self.depends_on(term, &[x]) {
            return Some(self.mul(term, at));
        }
        let factors: Vec<Weighted> = match self.node(term).clone() {
            Node::Product(factors) => factors.into_vec(),
            _ => vec![(term, Rational::ONE)],
        };
        for k in 0..factors.len() {
            let (base, exponent) = factors[k].clone();
            if !self.depends_on(base, &[x]) {
                continue;
            }
            let rest = factors.iter().enumerate().filter(|(i, _)| *i != k).map(|(_, f)| f.clone());
            let rest: Vec<Weighted> = rest.collect();
            let rest = self.product(rest);
            let outer = self.power_rule(base, &exponent);
            let mut rules = vec![(base, outer)];
            if exponent.is_one()
                && let Node::Call(f, args) = self.node(base).clone()
                && args.len() == 1
                && let Some(outer) = self.function_rule(f, args[0])
            {
                rules.insert(0, (args[0], outer));
            }
            for (inner, outer) in rules {
                let slope = self.diff(inner, x);
                let factor = self.div(rest, slope);
                let factor = self.simplify(factor);
                if slope != Self::ZERO && !self.depends_on(factor, &[x]) {
                    return Some(self.mul(factor, outer));
                }
            }
        }
        None
    }

    /// The integral of g^r by g.
    fn power_rule(&mut self, g: Expr, exponent: &Rational) -> Expr {
        let next = exponent + &Rational::ONE;
        match next.recip() {
            None => self.log_size(g),
            Some(share) => {
                let power = self.product([(g, next)]);
                self.scale(power, share)
            }
        }
    }

    /// log |g|, on both sides of zero.
    fn log_size(&mut self, g: Expr) -> Expr {
        let square = self.powi(g, 2);
        let twice = self.call1(Function::Log, square);
        self.scale(twice, Rational::HALF)
    }

    /// The integral of f(g) by g.
    fn function_rule(&mut self, f: Function, g: Expr) -> Option<Expr> {
        let (outer, sign) = match f {
            Function::Sin => (self.call1(Function::Cos, g), Rational::MINUS_ONE),
            Function::Cos => (self.call1(Function::Sin, g), Rational::ONE),
            Function::Exp => (self.call1(Function::Exp, g), Rational::ONE),
            Function::Sinh => (self.call1(Function::Cosh, g), Rational::ONE),
            Function::Cosh => (self.call1(Function::Sinh, g), Rational::ONE),
            Function::Tan | Function::Tanh => {
                let (even, sign) = match f {
                    Function::Tan => (Function::Cos, Rational::MINUS_ONE),
                    _ => (Function::Cosh, Rational::ONE),
                };
                let even = self.call1(even, g);
                (self.log_size(even), sign)
            }
            _ => return None,
        };
        Some(self.scale(outer, sign))
    }
}
