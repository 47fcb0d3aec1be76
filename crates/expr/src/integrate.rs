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
use crate::modular::Sample;
use crate::pool::{Expr, Node, Pool, Symbol, Weighted};
use crate::rational::Rational;
use crate::residue::PRIMES;
use crate::switch::Switch;

/// Orders of the coordinates that are tried for a potential.
const MAX_ORDERS: usize = 6;
/// Exact samples that must all vanish.
const SAMPLES: u64 = 4;
/// Expressions are multiplied out up to this many terms to tell their parts apart.
const MAX_PARTS: usize = 200;
/// Integrands are multiplied out up to this many terms.
const MAX_TERMS: usize = 400;

impl Pool {
    /// V with -dV/dx_i = F_i, proved by its gradient; `None` where F has no potential, or none that is found.
    ///
    /// ```
    /// use dalembert_expr::Pool;
    /// let mut pool = Pool::new();
    /// let (x, y) = (pool.symbol("x"), pool.symbol("y"));
    /// let force = [pool.var(y), pool.var(x)];
    /// let potential = pool.potential_of_force(&force, &[x, y]).unwrap();
    /// assert_eq!(pool.text(potential), "-y*x");
    /// let around = [force[0], pool.neg(force[1])];
    /// assert_eq!(pool.potential_of_force(&around, &[x, y]), None);
    /// ```
    pub fn potential_of_force(&mut self, force: &[Expr], x: &[Symbol]) -> Option<Expr> {
        // Derivatives do not see jumps: a force that jumps with x may seem to have a potential in y.
        if Switch::is_piecewise(self, force) {
            return None;
        }
        // An integral that no rule gives along one coordinate may be known along another.
        let first: Vec<usize> = (0..x.len()).filter(|i| force[*i] != Self::ZERO).take(MAX_ORDERS).collect();
        first.into_iter().find_map(|begin| {
            let mut potential = Self::ZERO;
            for i in (begin..x.len()).chain(0..begin) {
                // What the potential found so far does not account for.
                let slope = self.diff(potential, x[i]);
                let left = self.add(force[i], slope);
                if self.vanishes(left) {
                    continue;
                }
                let left = self.simplify(left);
                let more = self.antiderivative(left, x[i])?;
                potential = self.sub(potential, more);
            }
            let gradient = self.gradient(potential, x);
            let proved = force.iter().zip(gradient).all(|(f, slope)| {
                let off = self.add(*f, slope);
                self.vanishes(off)
            });
            proved.then_some(potential)
        })
    }

    /// Is an expression zero, by simplification or exactly at random points modulo large primes?
    fn vanishes(&mut self, e: Expr) -> bool {
        match self.is_zero(e) {
            Zero::Yes => true,
            Zero::No => false,
            Zero::Unknown => self.vanishes_at_samples(e),
        }
    }

    /// Is an expression zero exactly at several random points modulo large primes? `false` where it cannot be told.
    pub fn vanishes_at_samples(&mut self, e: Expr) -> bool {
        let mut seen = 0;
        for seed in 0..8 * SAMPLES {
            let mut sample = Sample::new(PRIMES[seed as usize % PRIMES.len()], 300 + seed);
            sample.settle(self, &[e]);
            let Some(values) = sample.values(self, &[e]) else { continue };
            if !values[0].is_zero() || !sample.is_exact() {
                return false;
            }
            seen += 1;
            if seen == SAMPLES {
                return true;
            }
        }
        false
    }

    /// The sum of the terms that do not depend on these symbols; terms of a product of sums are looked at multiplied
    /// out, where they are few.
    pub fn part_without(&mut self, e: Expr, others: &[Symbol]) -> Expr {
        self.part_where(e, |pool, term| !pool.depends_on(term, others))
    }

    /// The sum of the terms that are kept; a term that is not is multiplied out where that is short.
    pub fn part_where(&mut self, e: Expr, mut keep: impl FnMut(&mut Self, Expr) -> bool) -> Expr {
        let mut kept = Vec::new();
        for (term, c) in self.terms_with_constant(e) {
            if keep(self, term) {
                kept.push((term, c));
            } else if let Some(expanded) = self.expand(term, MAX_PARTS).filter(|e| *e != term) {
                let parts = self.terms_with_constant(expanded);
                let parts = parts.into_iter().filter(|(part, _)| keep(self, *part));
                kept.extend(parts.map(|(part, k)| (part, &c * &k)).collect::<Vec<_>>());
            }
        }
        self.combine(kept)
    }

    fn terms_with_constant(&self, e: Expr) -> Vec<Weighted> {
        match self.node(e).clone() {
            Node::Sum(c, terms) => terms.into_iter().chain([(Self::ONE, c)]).collect(),
            _ => vec![(e, Rational::ONE)],
        }
    }

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
        // As it is written first: k*(x - a)^3 has k*(x - a)^4/4.
        self.antiderivative_by_terms(e, x).or_else(|| {
            let expanded = self.expand(e, MAX_TERMS)?;
            self.antiderivative_by_terms(expanded, x)
        })
    }

    fn antiderivative_by_terms(&mut self, e: Expr, x: Symbol) -> Option<Expr> {
        let terms = self.terms_with_constant(e);
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
