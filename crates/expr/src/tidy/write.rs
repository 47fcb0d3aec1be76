//! Fractions written as a reader would: of the two ways to write each angle (`sin^2` or `cos^2`) the shorter one, common
//! factors in front, like factors collected.

use super::fraction::{Fraction, Fractions};
use super::polynomial::{Monomial, Polynomial, inverse, times};
use crate::function::Function;
use crate::pool::{Expr, Node, Pool, Weighted};
use crate::rational::Rational;

/// Longer sums are written without looking for factors.
const MAX_NESTED: usize = 400;
/// Up to so many terms several factors are tried.
const MAX_TRIED: usize = 40;
/// Squares are looked for with roots of up to so many terms and one.
const MAX_ROOT: usize = 8;
/// ... and so deep.
const MANY_TRIES: usize = 3;
/// How deeply factors are nested.
const MAX_DEPTH: usize = 12;

impl Fractions {
    /// The shortest expression found for a fraction.
    pub fn write(&mut self, pool: &mut Pool, a: &Fraction) -> Expr {
        let whole = self.over_one_line(pool, a);
        let Some(parts) = self.apart(a) else { return whole };
        let parts: Vec<Expr> = parts.iter().map(|part| self.over_one_line(pool, part)).collect();
        let sum = pool.total(parts);
        pool.shorter(whole, sum)
    }

    /// Terms with different monomials below the line apart, where a factor of the denominator cancels in some of them:
    /// `p^2/(2*I) + q^2/(2*(m + J))`, not `((m + J)*p^2/I + q^2)/(2*(m + J))`.
    fn apart(&mut self, a: &Fraction) -> Option<Vec<Fraction>> {
        let groups = by_monomials_below(&a.numerator);
        if a.denominator.is_empty() || groups.len() < 2 || groups.len() > MAX_TRIED {
            return None;
        }
        // Trial divisions are not counted: what comes later must not fail for them.
        let budget = self.ring.budget;
        let cancelled: Option<Vec<Fraction>> = groups
            .into_iter()
            .map(|numerator| self.cancel(Fraction { numerator, denominator: a.denominator.clone() }))
            .collect();
        self.ring.budget = budget;
        let mut parts: Vec<Fraction> = Vec::new();
        for part in cancelled? {
            match parts.iter_mut().find(|other| other.denominator == part.denominator) {
                Some(other) => other.numerator = other.numerator.plus(&part.numerator, &Rational::ONE),
                None => parts.push(part),
            }
        }
        (parts.len() > 1).then_some(parts)
    }

    fn over_one_line(&mut self, pool: &mut Pool, a: &Fraction) -> Expr {
        let above = self.polynomial(pool, &a.numerator);
        let mut parts = vec![(above, Rational::ONE)];
        for (f, k) in &a.denominator {
            let factor = self.factors[*f].clone();
            parts.push((self.polynomial(pool, &factor), (-i64::from(*k)).into()));
        }
        pool.product(parts)
    }

    fn polynomial(&mut self, pool: &mut Pool, p: &Polynomial) -> Expr {
        if let Some(square) = self.square(pool, p) {
            return square;
        }
        let (m, _) = p.content();
        if p.terms.len() < 2 {
            return self.nested(pool, p, 0);
        }
        let stripped = p.scaled(&inverse(&m), &Rational::ONE);
        let chosen = self.shorter_angles(&stripped);
        let body = self.nested(pool, &chosen, 0);
        let front = self.monomial(pool, &m);
        let e = pool.mul(front, body);
        let direct = self.nested(pool, p, 0);
        let e = pool.shorter(e, direct);
        match self.by_divisor(pool, &chosen.scaled(&m, &Rational::ONE)) {
            Some(apart) => pool.shorter(apart, e),
            None => e,
        }
    }

    /// Terms with different monomials below the line apart: `m*g*z + (p^2 + q^2)/(2*m)`.
    fn by_divisor(&mut self, pool: &mut Pool, p: &Polynomial) -> Option<Expr> {
        let groups = by_monomials_below(p);
        if groups.len() < 2 || groups.len() > MAX_TRIED {
            return None;
        }
        let parts: Vec<Expr> =
            groups.iter().map(|g| self.square(pool, g).unwrap_or_else(|| self.nested(pool, g, 1))).collect();
        Some(pool.total(parts))
    }

    /// `a h^2 + b h + c = a (h + b/(2 a))^2`, where the discriminant of a generator h or of its square vanishes and a is a
    /// monomial.
    fn square(&mut self, pool: &mut Pool, p: &Polynomial) -> Option<Expr> {
        if p.terms.len() < 3 || p.terms.len() > MAX_TRIED {
            return None;
        }
        // A few products of short polynomials, which are not counted: what comes later must not fail for them.
        let budget = self.ring.budget;
        let found = p
            .generators()
            .into_iter()
            .find_map(|g| self.root_of_square(p, g, 1).or_else(|| self.root_of_square(p, g, 2)));
        self.ring.budget = budget;
        let (front, root) = found?;
        let (front, root) = (self.nested(pool, &front, 0), self.nested(pool, &root, 0));
        Some(pool.product([(front, Rational::ONE), (root, 2.into())]))
    }

    /// a and `h + b/(2 a)`, h a power of g; where a is a square itself the part of it that would be below the line is in the root:
    /// `(x q - y p)^2`, not `x^2 (q - y p/x)^2`.
    fn root_of_square(&mut self, p: &Polynomial, g: u16, power: i32) -> Option<(Polynomial, Polynomial)> {
        let [c, b, a] = p.coefficients(g, power.unsigned_abs() as usize)?;
        let related = self.ring.relations[usize::from(g)].degree > 0;
        let [(m, number)] = a.terms.as_slice() else { return None };
        if related || b.is_zero() || b.terms.len() > MAX_ROOT {
            return None;
        }
        let below = Polynomial::monomial(inverse(m), &number.recip()? * &Rational::new(1, 2)?);
        let shift = self.ring.product(&b, &below)?;
        // Without dividing by what may vanish: `(p + r cos(u) q)^2`, not `r^2 cos(u)^2 (q + p/(r cos(u)))^2`.
        let below_of = |n: &Monomial, d: u16| n.iter().find(|f| f.0 == d).map_or(0, |f| (-f.1).max(0));
        let inside: Monomial = m
            .iter()
            .map(|d| (d.0, shift.terms.iter().map(|(n, _)| below_of(n, d.0)).max().unwrap_or(0)))
            .filter(|d| d.1 > 0)
            .collect();
        let squared = self.ring.product(&shift, &shift)?;
        let squared = self.ring.product(&squared, &a)?;
        if squared != c {
            return None;
        }
        let root = Polynomial::monomial(vec![(g, power)], Rational::ONE).plus(&shift, &Rational::ONE);
        // Sines and roots in it are left alone: their squares are something else.
        let plain = |d: &(u16, i32)| self.ring.relations[usize::from(d.0)].degree == 0;
        let whole = |d: &(u16, i32)| 2 * d.1 <= exponent_of(m, d.0);
        match inside.is_empty() {
            true => Some((a, root)),
            false if inside.iter().all(|d| plain(d) && whole(d)) => {
                let outside: Monomial = inside.iter().map(|d| (d.0, -2 * d.1)).collect();
                Some((a.scaled(&outside, &Rational::ONE), root.scaled(&inside, &Rational::ONE)))
            }
            false => None,
        }
    }

    /// For each angle `sin^2` or `cos^2`, whichever leaves fewer terms.
    fn shorter_angles(&mut self, p: &Polynomial) -> Polynomial {
        let mut best = p.clone();
        let generators = p.generators();
        for (_, c, s) in self.angles.clone() {
            if !generators.contains(&c) && !generators.contains(&s) {
                continue;
            }
            let square = Polynomial::monomial(vec![(s, 2)], Rational::ONE);
            let value = Polynomial::number(Rational::ONE).plus(&square, &Rational::MINUS_ONE);
            if let Some(other) = self.ring.replace_square(&best, c, &value)
                && weight(&other) < weight(&best)
            {
                best = other;
            }
        }
        best
    }

    /// Factors that many terms share, in front of brackets. Other choices further out lead to the same parts again: they are
    /// remembered.
    fn nested(&mut self, pool: &mut Pool, p: &Polynomial, depth: usize) -> Expr {
        if p.terms.len() < 2 || p.terms.len() > MAX_NESTED || depth > MAX_DEPTH {
            return self.flat(pool, p);
        }
        // Every bracket has fewer terms: where MAX_DEPTH is out of reach, the depth matters only above MANY_TRIES.
        let level = if depth + p.terms.len() > MAX_DEPTH { depth } else { depth.min(MANY_TRIES) };
        let key = (p.clone(), level);
        if let Some(known) = self.nested.get(&key) {
            return *known;
        }
        let e = self.nested_anew(pool, p, depth);
        self.nested.insert(key, e);
        e
    }

    fn nested_anew(&mut self, pool: &mut Pool, p: &Polynomial, depth: usize) -> Expr {
        let flat = self.flat(pool, p);
        let (m, _) = p.content();
        let inner = p.scaled(&inverse(&m), &Rational::ONE);
        let mut body = self.flat(pool, &inner);
        let tries = if depth < MANY_TRIES && inner.terms.len() <= MAX_TRIED { 3 } else { 1 };
        for g in commonest(&inner).into_iter().take(tries) {
            let (with, without): (Vec<_>, Vec<_>) =
                inner.terms.iter().cloned().partition(|(m, _)| m.iter().any(|f| f.0 == g && f.1 > 0));
            let (with, without) = (Polynomial { terms: with }, Polynomial { terms: without });
            let (a, b) = (self.nested(pool, &with, depth + 1), self.nested(pool, &without, depth + 1));
            let sum = pool.add(a, b);
            let collected = pool.collect_factors(sum);
            body = pool.shorter(body, collected);
        }
        let front = self.monomial(pool, &m);
        let e = pool.mul(front, body);
        pool.shorter(e, flat)
    }

    /// Term by term, with what identities make of the sum.
    fn flat(&mut self, pool: &mut Pool, p: &Polynomial) -> Expr {
        let terms: Vec<Weighted> = p.terms.iter().map(|(m, c)| (self.term(pool, m), c.clone())).collect();
        let sum = pool.combine(terms);
        let collected = pool.collect_trig(sum);
        let e = pool.shorter(sum, collected);
        let merged = pool.collect_products(e);
        let e = pool.shorter(e, merged);
        let factored = pool.common_factor(e);
        pool.shorter(e, factored)
    }

    /// A monomial, with tangents for quotients of sine and cosine.
    fn term(&mut self, pool: &mut Pool, m: &Monomial) -> Expr {
        if let Some(known) = self.terms.get(m) {
            return *known;
        }
        let e = self.term_anew(pool, m);
        self.terms.insert(m.clone(), e);
        e
    }

    fn term_anew(&self, pool: &mut Pool, m: &Monomial) -> Expr {
        let mut m = m.clone();
        let mut tangents = Vec::new();
        for (u, c, s) in &self.angles {
            let of = |m: &Monomial, g: u16| m.iter().find(|f| f.0 == g).map_or(0, |f| f.1);
            let k = of(&m, *s).min(-of(&m, *c)).max(0);
            if k > 0 {
                m = times(&m, &if c < s { [(*c, k), (*s, -k)] } else { [(*s, -k), (*c, k)] });
                tangents.push((pool.call1(Function::Tan, *u), i64::from(k).into()));
            }
        }
        let rest = self.monomial(pool, &m);
        pool.product(tangents.into_iter().chain([(rest, Rational::ONE)]))
    }
}

fn exponent_of(m: &Monomial, g: u16) -> i32 {
    m.iter().find(|f| f.0 == g).map_or(0, |f| f.1)
}

/// The terms of a polynomial in groups of the same monomial below the line.
fn by_monomials_below(p: &Polynomial) -> Vec<Polynomial> {
    let below = |m: &Monomial| -> Monomial { m.iter().copied().filter(|f| f.1 < 0).collect() };
    let mut groups: Vec<(Monomial, Polynomial)> = Vec::new();
    for (m, c) in &p.terms {
        let divisor = below(m);
        match groups.iter_mut().find(|g| g.0 == divisor) {
            Some(group) => group.1.terms.push((m.clone(), c.clone())),
            None => groups.push((divisor, Polynomial { terms: vec![(m.clone(), c.clone())] })),
        }
    }
    groups.into_iter().map(|g| g.1).collect()
}

/// How much there is to write.
fn weight(p: &Polynomial) -> usize {
    p.terms.iter().map(|(m, _)| 1 + m.iter().map(|f| f.1.unsigned_abs() as usize).sum::<usize>()).sum()
}

/// Generators that are in two terms or more but not in all, those in the most terms first.
fn commonest(p: &Polynomial) -> Vec<u16> {
    let count = |g: u16| p.terms.iter().filter(|(m, _)| m.iter().any(|f| f.0 == g && f.1 > 0)).count();
    let mut found: Vec<(usize, u16)> = p.generators().into_iter().map(|g| (count(g), g)).collect();
    found.retain(|(count, _)| *count >= 2 && *count < p.terms.len());
    found.sort_by_key(|(count, g)| (std::cmp::Reverse(*count), *g));
    found.into_iter().map(|f| f.1).collect()
}

impl Pool {
    /// The one that prints shorter; the first of two alike.
    pub(super) fn shorter(&mut self, a: Expr, b: Expr) -> Expr {
        if a == b || self.cost(a) <= self.cost(b) { a } else { b }
    }

    /// Terms that share a factor which is itself a sum, collected: `a*(x + y) + b*(x + y) = (a + b)*(x + y)`.
    fn collect_factors(&mut self, e: Expr) -> Expr {
        let Node::Sum(constant, terms) = self.node(e).clone() else { return e };
        let sums = |pool: &Self, t: Expr| -> Vec<Expr> {
            match pool.node(t) {
                Node::Product(factors) => factors
                    .iter()
                    .filter(|(b, p)| p.is_one() && matches!(pool.node(*b), Node::Sum(..)))
                    .map(|f| f.0)
                    .collect(),
                _ => Vec::new(),
            }
        };
        let mut all: Vec<Expr> = terms.iter().flat_map(|(t, _)| sums(self, *t)).collect();
        all.sort_unstable();
        let Some(twice) = all.windows(2).find(|w| w[0] == w[1]).map(|w| w[0]) else { return e };
        let (mut inside, mut outside) = (Vec::new(), vec![(Self::ONE, constant)]);
        for (t, c) in &terms {
            match sums(self, *t).contains(&twice) {
                true => inside.push((self.div(*t, twice), c.clone())),
                false => outside.push((*t, c.clone())),
            }
        }
        let inside = self.combine(inside);
        let inside = self.collect_trig(inside);
        outside.push((self.mul(inside, twice), Rational::ONE));
        let collected = self.combine(outside);
        self.shorter(collected, e)
    }
}
