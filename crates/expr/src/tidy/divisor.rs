//! Greatest common divisors of a numerator and a factor of its denominator, so that `(a*c + a*d)/(b*c + b*d)` is `a/b`
//! where neither divides the other.
//!
//! The factor must be free of generators with relations. The numerator is then a sum over monomials of other
//! generators with coefficients in a ring of free polynomials, and a divisor is common to the factor and all
//! of these coefficients. Remainders are primitive at each step (primitive Euclidean sequence).

use super::fraction::{Fraction, Fractions};
use super::polynomial::{Monomial, Polynomial, Ring, times};
use crate::rational::Rational;
use rustc_hash::FxHashMap;

/// Longer polynomials are not looked at.
const MAX_TERMS: usize = 120;
/// Of the work that is left, the search for divisors may take this part.
const SHARE: u64 = 16;

impl Fractions {
    /// Cancels divisors that the numerator has in common with factors of the denominator; the fraction as it is where
    /// there are none, or where they would take too much work.
    pub fn cancel_divisors(&mut self, a: Fraction) -> Fraction {
        let whole = self.ring.budget;
        let allowed = whole / SHARE;
        self.ring.budget = allowed;
        let found = self.without_divisors(&a);
        self.ring.budget += whole - allowed;
        found.unwrap_or(a)
    }

    fn without_divisors(&mut self, a: &Fraction) -> Option<Fraction> {
        let mut best = a.clone();
        for (f, _) in &a.denominator {
            while best.denominator.iter().any(|d| d.0 == *f) {
                let factor = self.factors[*f].clone();
                let divisor = self.ring.common_divisor(&best.numerator, &factor)?;
                if divisor.as_number().is_some() {
                    break;
                }
                let numerator = self.ring.quotient(&best.numerator, &divisor)??;
                let rest = self.ring.quotient(&factor, &divisor)??;
                let mut denominator = best.denominator.clone();
                denominator.iter_mut().filter(|d| d.0 == *f).for_each(|d| d.1 -= 1);
                denominator.retain(|d| d.1 > 0);
                let below = self.inverted(&Fraction { numerator: rest, denominator: Vec::new() })?;
                best = self.product(&Fraction { numerator, denominator }, &below)?;
            }
        }
        Some(best)
    }
}

impl Ring {
    /// The greatest common divisor of a polynomial and a factor without relations; 1 where the factor has some.
    fn common_divisor(&mut self, a: &Polynomial, factor: &Polynomial) -> Option<Polynomial> {
        let one = Polynomial::number(Rational::ONE);
        let inside = factor.generators();
        let related = inside.iter().any(|g| self.relations[usize::from(*g)].degree > 0);
        if related || factor.terms.len() > MAX_TERMS || a.terms.len() > 4 * MAX_TERMS {
            return Some(one);
        }
        let mut coefficients: FxHashMap<Monomial, Polynomial> = FxHashMap::default();
        for (m, c) in &a.terms {
            let (within, outside): (Monomial, Monomial) =
                m.iter().copied().partition(|f| inside.contains(&f.0));
            coefficients.entry(outside).or_default().terms.push((within, c.clone()));
        }
        let mut parts: Vec<Polynomial> = coefficients.into_values().map(|p| p.sorted().primitive()).collect();
        parts.sort_by_key(|p| p.terms.len());
        let mut divisor = factor.primitive();
        for part in parts {
            divisor = self.divisor(divisor, part)?;
            if divisor.as_number().is_some() {
                return Some(one);
            }
        }
        Some(divisor)
    }

    /// The greatest common divisor of two polynomials without relations and without negative exponents, primitive.
    fn divisor(&mut self, a: Polynomial, b: Polynomial) -> Option<Polynomial> {
        let one = Polynomial::number(Rational::ONE);
        let shared = b.generators();
        let Some(g) = a.generators().into_iter().find(|g| shared.contains(g)) else { return Some(one) };
        let (content_a, mut a) = self.split(&a, g)?;
        let (content_b, mut b) = self.split(&b, g)?;
        let content = self.divisor(content_a, content_b)?;
        if a.degree(g) < b.degree(g) {
            std::mem::swap(&mut a, &mut b);
        }
        while !b.is_zero() {
            if b.degree(g) == 0 {
                return Some(content);
            }
            let rest = self.remainder(&a, &b, g)?;
            let rest = if rest.is_zero() { rest } else { self.split(&rest.primitive(), g)?.1 };
            (a, b) = (b, rest);
        }
        Some(self.product(&content, &a)?.primitive())
    }

    /// The common divisor of the coefficients of a generator in a primitive polynomial, and the polynomial without it.
    fn split(&mut self, a: &Polynomial, g: u16) -> Option<(Polynomial, Polynomial)> {
        let mut list: Vec<Polynomial> = a.by_power(g).into_iter().filter(|p| !p.is_zero()).collect();
        list.sort_by_key(|p| p.terms.len());
        let mut content = list.first()?.primitive();
        for part in &list[1..] {
            content = self.divisor(content, part.primitive())?;
        }
        match content.as_number() {
            Some(_) => Some((Polynomial::number(Rational::ONE), a.clone())),
            None => {
                let rest = self.quotient(a, &content)??;
                Some((content, rest.primitive()))
            }
        }
    }

    /// The remainder of `lead(b)^k a` by `b`, as polynomials in a generator.
    fn remainder(&mut self, a: &Polynomial, b: &Polynomial, g: u16) -> Option<Polynomial> {
        let (mut rest, degree) = (a.clone(), b.degree(g));
        let lead = b.by_power(g).pop()?;
        while !rest.is_zero() && rest.degree(g) >= degree {
            let shift = rest.degree(g) - degree;
            let top = rest.by_power(g).pop()?;
            let raised = self.product(&rest, &lead)?;
            let moved: Monomial = if shift > 0 { vec![(g, shift)] } else { Vec::new() };
            let less = self.product(&top, &b.shifted(&moved))?;
            rest = raised.plus(&less, &Rational::MINUS_ONE);
        }
        Some(rest)
    }
}

impl Polynomial {
    /// The largest exponent of a generator.
    fn degree(&self, g: u16) -> i32 {
        self.terms.iter().flat_map(|(m, _)| m.iter().filter(|f| f.0 == g).map(|f| f.1)).max().unwrap_or(0)
    }

    /// The coefficients of the powers of a generator, from 0.
    fn by_power(&self, g: u16) -> Vec<Self> {
        let mut parts = vec![Self::zero(); usize::try_from(self.degree(g)).unwrap_or(0) + 1];
        for (m, c) in &self.terms {
            let power = m.iter().find(|f| f.0 == g).map_or(0, |f| f.1);
            let rest: Monomial = m.iter().copied().filter(|f| f.0 != g).collect();
            if let Some(part) = usize::try_from(power).ok().and_then(|k| parts.get_mut(k)) {
                part.terms.push((rest, c.clone()));
            }
        }
        parts.into_iter().map(Self::sorted).collect()
    }

    fn shifted(&self, m: &[(u16, i32)]) -> Self {
        Polynomial { terms: self.terms.iter().map(|(n, c)| (times(n, m), c.clone())).collect() }.sorted()
    }
}
