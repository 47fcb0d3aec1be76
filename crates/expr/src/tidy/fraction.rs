//! Expressions as fractions of polynomials: one numerator over powers of known factors, cancelled by trial division.
//!
//! Generators are symbols, roots, and functions whose arguments have been tidied; tangents become quotients of sines
//! and cosines, so that `1/(1 + tan^2 u)` and `cos^2 u` are the same fraction.

use super::polynomial::{Monomial, Polynomial, Relation, Ring, inverse};
use crate::function::Function;
use crate::pool::{Expr, Node, Pool};
use crate::rational::Rational;
use rustc_hash::FxHashMap;

/// Whole powers up to this are multiplied out.
const MAX_POWER: i64 = 12;

/// `numerator / product of factor^exponent`
#[derive(Clone, Debug)]
pub(super) struct Fraction {
    pub numerator: Polynomial,
    /// Numbers of factors in [`Fractions::factors`] with positive exponents, ascending.
    pub denominator: Vec<(usize, u32)>,
}

/// Generators, factors of denominators and the relations between generators.
#[derive(Default)]
pub(super) struct Fractions {
    pub ring: Ring,
    /// The expression of each generator.
    pub expressions: Vec<Expr>,
    by_expression: FxHashMap<Expr, u16>,
    /// Cosine and sine of each angle.
    pub angles: Vec<(Expr, u16, u16)>,
    pub factors: Vec<Polynomial>,
    /// Monomials that have been written.
    pub terms: FxHashMap<Monomial, Expr>,
    /// Polynomials that have been written with factors in front of brackets, by how deep they were.
    pub nested: FxHashMap<(Polynomial, usize), Expr>,
}

impl Fraction {
    pub fn number(value: Rational) -> Self {
        Self::whole(Polynomial::number(value))
    }

    fn whole(numerator: Polynomial) -> Self {
        Fraction { numerator, denominator: Vec::new() }
    }
}

impl Fractions {
    pub fn new(budget: u64) -> Self {
        Fractions { ring: Ring { budget, ..Ring::default() }, ..Fractions::default() }
    }

    /// The fraction of an expression; `None` where it would take too much work.
    pub fn convert(&mut self, pool: &mut Pool, e: Expr) -> Option<Fraction> {
        let order = pool.order(&[e], 0);
        let mut done: Vec<Option<Fraction>> = Vec::with_capacity(order.nodes.len());
        for &n in &order.nodes {
            let of = |c: Expr| order.place(c).and_then(|k| done[k].clone());
            let fraction = self.node(pool, n, of);
            let failed = fraction.is_none();
            done.push(fraction);
            if failed {
                break;
            }
        }
        let result = order.place(e).and_then(|k| done.get(k).cloned().flatten());
        pool.release(order);
        result
    }

    fn node(&mut self, pool: &mut Pool, e: Expr, of: impl Fn(Expr) -> Option<Fraction>) -> Option<Fraction> {
        match pool.node(e).clone() {
            Node::Number(r) => Some(Fraction::number(r)),
            Node::Pi | Node::Symbol(_) => self.atom(e),
            Node::Sum(constant, terms) => {
                let mut sum = Fraction::number(constant);
                for (t, c) in &terms {
                    sum = self.sum(&sum, &of(*t)?, c)?;
                }
                self.cancel(sum)
            }
            Node::Product(factors) => {
                let mut product = Fraction::number(Rational::ONE);
                for (b, p) in &factors {
                    let power = self.power(pool, &of(*b)?, p)?;
                    product = self.product(&product, &power)?;
                }
                self.cancel(product)
            }
            Node::Power(b, x) => {
                let (b, x) = (of(b)?, of(x)?);
                let (b, x) = (self.write(pool, &b), self.write(pool, &x));
                let e = pool.pow(b, x);
                self.atom(e)
            }
            Node::Call(f, args) => {
                let mut tidied = Vec::with_capacity(args.len());
                for a in &args {
                    let a = of(*a)?;
                    tidied.push(self.write(pool, &a));
                }
                self.call(pool, f, &tidied)
            }
        }
    }

    /// A function of tidied arguments.
    fn call(&mut self, pool: &mut Pool, f: Function, args: &[Expr]) -> Option<Fraction> {
        if f == Function::Tan {
            let [sin, cos] = [Function::Sin, Function::Cos].map(|f| pool.call(f, args));
            let (sin, cos) = (self.value(pool, sin)?, self.value(pool, cos)?);
            let cos = self.inverted(&cos)?;
            return self.product(&sin, &cos);
        }
        let e = pool.call(f, args);
        self.value(pool, e)
    }

    /// What a constructor made of a function: a number, a generator, or a multiple of one.
    fn value(&mut self, pool: &mut Pool, e: Expr) -> Option<Fraction> {
        match pool.node(e).clone() {
            Node::Number(r) => Some(Fraction::number(r)),
            Node::Sum(constant, terms) => {
                let mut sum = Fraction::number(constant);
                for (t, c) in &terms {
                    let t = self.atom_of(pool, *t)?;
                    sum = self.sum(&sum, &t, c)?;
                }
                Some(sum)
            }
            _ => self.atom_of(pool, e),
        }
    }

    fn atom_of(&mut self, pool: &mut Pool, e: Expr) -> Option<Fraction> {
        if let Node::Call(Function::Sin | Function::Cos, args) = pool.node(e) {
            self.angle(pool, args[0])?;
        }
        self.atom(e)
    }

    /// Makes sure that cosine and sine of an angle are generators, related by the theorem of Pythagoras.
    fn angle(&mut self, pool: &mut Pool, u: Expr) -> Option<()> {
        if self.angles.iter().any(|a| a.0 == u) {
            return Some(());
        }
        let (cos, sin) = (pool.call1(Function::Cos, u), pool.call1(Function::Sin, u));
        let calls = [cos, sin].map(|e| matches!(pool.node(e), Node::Call(..)));
        if calls != [true, true] {
            return None;
        }
        let c = self.generator(cos, Relation::default())?;
        let square = Polynomial::monomial(vec![(c, 2)], Rational::ONE);
        let value = Polynomial::number(Rational::ONE).plus(&square, &Rational::MINUS_ONE);
        let s = self.generator(sin, Relation { degree: 2, value })?;
        self.angles.push((u, c, s));
        Some(())
    }

    fn generator(&mut self, e: Expr, relation: Relation) -> Option<u16> {
        if let Some(g) = self.by_expression.get(&e) {
            return Some(*g);
        }
        let g = self.ring.generator(relation)?;
        self.expressions.push(e);
        self.by_expression.insert(e, g);
        Some(g)
    }

    fn atom(&mut self, e: Expr) -> Option<Fraction> {
        let g = self.generator(e, Relation::default())?;
        Some(Fraction::whole(Polynomial::monomial(vec![(g, 1)], Rational::ONE)))
    }

    /// `base^p`: the whole part of the exponent multiplied out, the rest as a root that is a generator.
    fn power(&mut self, pool: &mut Pool, base: &Fraction, p: &Rational) -> Option<Fraction> {
        let whole = p.floor();
        let n = whole.to_i64().filter(|n| n.abs() <= MAX_POWER)?;
        let rest = p - &whole;
        let mut result = self.whole_power(base, n)?;
        if !rest.is_zero() {
            let (r, q) = rest.to_fraction().filter(|(_, q)| *q <= MAX_POWER)?;
            let root = self.root(pool, base, q)?;
            let root = self.whole_power(&root, r)?;
            result = self.product(&result, &root)?;
        }
        Some(result)
    }

    /// `base^(1/q)`
    fn root(&mut self, pool: &mut Pool, base: &Fraction, q: i64) -> Option<Fraction> {
        if let Some(magnitude) = self.magnitude(pool, base, q) {
            return Some(magnitude);
        }
        let inner = self.write(pool, base);
        let root = pool.product([(inner, Rational::new(1, q)?)]);
        if pool.as_number(root).is_some() || base.numerator.is_zero() {
            return self.value(pool, root);
        }
        // The constructor may have drawn numbers out of the root: then it is taken as it is.
        let plain = match pool.node(root) {
            Node::Product(factors) => factors.len() == 1 && factors[0].0 == inner,
            _ => false,
        };
        let relation = match base.denominator.is_empty() && plain {
            true => Relation { degree: q as i32, value: base.numerator.clone() },
            false => Relation::default(),
        };
        let g = self.generator(root, relation)?;
        Some(Fraction::whole(Polynomial::monomial(vec![(g, 1)], Rational::ONE)))
    }

    /// `sqrt(m^2) = abs(m)` of a monomial.
    fn magnitude(&mut self, pool: &mut Pool, base: &Fraction, q: i64) -> Option<Fraction> {
        let [(m, c)] = base.numerator.terms.as_slice() else { return None };
        let even = !m.is_empty() && m.iter().all(|(_, p)| p % 2 == 0);
        if q != 2 || !even || !base.denominator.is_empty() {
            return None;
        }
        let root = c.exact_root(2)?;
        let half: Monomial = m.iter().map(|(g, p)| (*g, p / 2)).collect();
        let inner = self.monomial(pool, &half);
        let e = pool.call1(Function::Abs, inner);
        let square = Polynomial::monomial(m.clone(), Rational::ONE);
        let g = self.generator(e, Relation { degree: 2, value: square })?;
        Some(Fraction::whole(Polynomial::monomial(vec![(g, 1)], root)))
    }

    fn whole_power(&mut self, base: &Fraction, n: i64) -> Option<Fraction> {
        if n < 0 {
            let inverted = self.inverted(base)?;
            return self.whole_power(&inverted, -n);
        }
        let numerator = self.ring.power(&base.numerator, n)?;
        let times = u32::try_from(n).ok()?;
        let denominator = base.denominator.iter().filter(|_| n > 0).map(|(f, k)| (*f, k * times)).collect();
        Some(Fraction { numerator, denominator })
    }

    /// `1/base`: the numerator becomes factors of the denominator.
    pub(super) fn inverted(&mut self, base: &Fraction) -> Option<Fraction> {
        if base.numerator.is_zero() {
            return None; // 1/0 is left as it was written
        }
        let (m, c) = base.numerator.content();
        let mut numerator = Polynomial::monomial(inverse(&m), c.recip()?);
        for (f, k) in &base.denominator {
            let power = self.ring.power(&self.factors[*f].clone(), i64::from(*k))?;
            numerator = self.ring.product(&numerator, &power)?;
        }
        let mut rest = base.numerator.primitive();
        let mut denominator = Vec::new();
        for f in 0..self.factors.len() {
            let mut count = 0;
            while rest.as_number().is_none() {
                let Some(q) = self.ring.quotient(&rest, &self.factors[f].clone())? else { break };
                (rest, count) = (q, count + 1);
            }
            if count > 0 {
                denominator.push((f, count));
            }
        }
        match rest.as_number() {
            Some(r) => numerator = numerator.scaled(&[], &r.recip()?),
            None => {
                let (m, c) = rest.content();
                numerator = self.ring.product(&numerator, &Polynomial::monomial(inverse(&m), c.recip()?))?;
                self.factors.push(rest.primitive());
                denominator.push((self.factors.len() - 1, 1));
            }
        }
        Some(Fraction { numerator, denominator })
    }

    pub(super) fn product(&mut self, a: &Fraction, b: &Fraction) -> Option<Fraction> {
        let numerator = self.ring.product(&a.numerator, &b.numerator)?;
        let denominator = joined(&a.denominator, &b.denominator, |p, q| p + q);
        Some(Fraction { numerator, denominator })
    }

    /// `a + c * b` over the common denominator.
    fn sum(&mut self, a: &Fraction, b: &Fraction, c: &Rational) -> Option<Fraction> {
        let denominator = joined(&a.denominator, &b.denominator, u32::max);
        let x = self.raised(a, &denominator)?;
        let y = self.raised(b, &denominator)?;
        Some(Fraction { numerator: x.plus(&y, c), denominator })
    }

    /// The numerator over a larger denominator.
    fn raised(&mut self, a: &Fraction, denominator: &[(usize, u32)]) -> Option<Polynomial> {
        let mut numerator = a.numerator.clone();
        for (f, k) in denominator {
            let there = a.denominator.iter().find(|d| d.0 == *f).map_or(0, |d| d.1);
            let power = self.ring.power(&self.factors[*f].clone(), i64::from(k - there))?;
            numerator = self.ring.product(&numerator, &power)?;
        }
        Some(numerator)
    }

    /// Divides the numerator by factors of the denominator as often as it goes.
    pub fn cancel(&mut self, mut a: Fraction) -> Option<Fraction> {
        if a.numerator.is_zero() {
            return Some(Fraction::number(Rational::ZERO));
        }
        for (f, k) in &mut a.denominator {
            while *k > 0 {
                let Some(q) = self.ring.quotient(&a.numerator, &self.factors[*f].clone())? else { break };
                (a.numerator, *k) = (q, *k - 1);
            }
        }
        a.denominator.retain(|(_, k)| *k > 0);
        Some(a)
    }

    /// The expression of a monomial.
    pub fn monomial(&self, pool: &mut Pool, m: &Monomial) -> Expr {
        let factors: Vec<(Expr, Rational)> =
            m.iter().map(|(g, p)| (self.expressions[usize::from(*g)], i64::from(*p).into())).collect();
        pool.product(factors)
    }
}

/// Factors of both lists with their exponents put together.
fn joined(a: &[(usize, u32)], b: &[(usize, u32)], both: impl Fn(u32, u32) -> u32) -> Vec<(usize, u32)> {
    let mut out = a.to_vec();
    for (f, k) in b {
        match out.iter_mut().find(|d| d.0 == *f) {
            Some(d) => d.1 = both(d.1, *k),
            None => out.push((*f, *k)),
        }
    }
    out.sort_unstable();
    out
}
