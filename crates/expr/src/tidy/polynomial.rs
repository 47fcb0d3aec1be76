//! Polynomials with rational coefficients in generators that may obey relations `g^k = polynomial` (`sin^2 = 1 - cos^2`,
//! `sqrt(b)^2 = b`). Exponents may be negative: a monomial divides. Every operation spends from a budget and gives up
//! (`None`) when it is spent, so that no expression can take more than a fixed amount of work.

use crate::rational::Rational;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// Generators with their exponents, ascending by generator; no exponent is zero.
pub(super) type Monomial = Vec<(u16, i32)>;

/// A sum of monomials with coefficients, the leading monomial first (lexicographic order).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Polynomial {
    pub terms: Vec<(Monomial, Rational)>,
}

/// What is known of a generator besides its name.
#[derive(Clone, Debug, Default)]
pub(super) struct Relation {
    /// `g^degree = value`; degree 0 is no relation.
    pub degree: i32,
    pub value: Polynomial,
}

/// The relations of all generators, and the work that is left.
#[derive(Debug, Default)]
pub(super) struct Ring {
    pub relations: Vec<Relation>,
    pub budget: u64,
}

fn compare(a: &[(u16, i32)], b: &[(u16, i32)]) -> Ordering {
    for k in 0.. {
        return match (a.get(k), b.get(k)) {
            (Some(x), Some(y)) if x == y => continue,
            (Some(x), Some(y)) if x.0 == y.0 => x.1.cmp(&y.1),
            (Some(x), Some(y)) if x.0 < y.0 => x.1.cmp(&0),
            (Some(_), Some(y)) => 0.cmp(&y.1),
            (Some(x), None) => x.1.cmp(&0),
            (None, Some(y)) => 0.cmp(&y.1),
            (None, None) => Ordering::Equal,
        };
    }
    Ordering::Equal
}

/// The product of monomials.
pub(super) fn times(a: &[(u16, i32)], b: &[(u16, i32)]) -> Monomial {
    let (mut out, mut i, mut j) = (Monomial::with_capacity(a.len() + b.len()), 0, 0);
    while i < a.len() || j < b.len() {
        match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) if x.0 == y.0 => {
                if x.1 + y.1 != 0 {
                    out.push((x.0, x.1 + y.1));
                }
                (i, j) = (i + 1, j + 1);
            }
            (Some(x), y) if y.is_none_or(|y| x.0 < y.0) => {
                out.push(*x);
                i += 1;
            }
            (_, Some(y)) => {
                out.push(*y);
                j += 1;
            }
            _ => break,
        }
    }
    out
}

/// The monomial with its exponents negated.
pub(super) fn inverse(a: &[(u16, i32)]) -> Monomial {
    a.iter().map(|(g, p)| (*g, -p)).collect()
}

/// What an operation on coefficients of so many bits costs, beside one on machine words: common divisors are quadratic.
fn length(bits: u64) -> usize {
    let words = usize::try_from(bits / 256).unwrap_or(usize::MAX).min(1 << 10);
    1 + words * words
}

fn exponent(a: &[(u16, i32)], g: u16) -> i32 {
    a.iter().find(|f| f.0 == g).map_or(0, |f| f.1)
}

impl Polynomial {
    pub fn zero() -> Self {
        Self::default()
    }

    pub fn number(value: Rational) -> Self {
        Self::monomial(Vec::new(), value)
    }

    pub fn monomial(m: Monomial, c: Rational) -> Self {
        Polynomial { terms: if c.is_zero() { Vec::new() } else { vec![(m, c)] } }
    }

    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// Its value, if it is a number.
    pub fn as_number(&self) -> Option<Rational> {
        match self.terms.as_slice() {
            [] => Some(Rational::ZERO),
            [(m, c)] if m.is_empty() => Some(c.clone()),
            _ => None,
        }
    }

    fn gathered(map: FxHashMap<Monomial, Rational>) -> Self {
        let terms = map.into_iter().filter(|(_, c)| !c.is_zero()).collect();
        Polynomial { terms }.sorted()
    }

    /// With its terms in order.
    pub fn sorted(mut self) -> Self {
        self.terms.sort_unstable_by(|a, b| compare(&b.0, &a.0));
        self
    }

    /// `self + c * other`
    pub fn plus(&self, other: &Self, c: &Rational) -> Self {
        let (mut out, mut i, mut j) = (Vec::with_capacity(self.terms.len() + other.terms.len()), 0, 0);
        while i < self.terms.len() || j < other.terms.len() {
            let order = match (self.terms.get(i), other.terms.get(j)) {
                (Some(a), Some(b)) => compare(&a.0, &b.0),
                (Some(_), None) => Ordering::Greater,
                _ => Ordering::Less,
            };
            match order {
                Ordering::Greater => out.push(self.terms[i].clone()),
                Ordering::Less => out.push((other.terms[j].0.clone(), c * &other.terms[j].1)),
                Ordering::Equal => {
                    let sum = &self.terms[i].1 + &(c * &other.terms[j].1);
                    if !sum.is_zero() {
                        out.push((self.terms[i].0.clone(), sum));
                    }
                }
            }
            i += usize::from(order != Ordering::Less);
            j += usize::from(order != Ordering::Greater);
        }
        Polynomial { terms: out }
    }

    /// Times a monomial that makes no relation apply, and a number other than zero.
    pub fn scaled(&self, m: &[(u16, i32)], c: &Rational) -> Self {
        let terms = self.terms.iter().map(|(n, k)| (times(n, m), k * c)).collect();
        Polynomial { terms }.sorted()
    }

    /// The largest monomial that divides every term, and the content of the coefficients with the sign of the first.
    pub fn content(&self) -> (Monomial, Rational) {
        let Some((first, c)) = self.terms.first() else { return (Vec::new(), Rational::ONE) };
        let mut generators: Vec<u16> = self.terms.iter().flat_map(|(m, _)| m.iter().map(|f| f.0)).collect();
        generators.sort_unstable();
        generators.dedup();
        let least = |g: u16| self.terms.iter().map(|(m, _)| exponent(m, g)).min().unwrap_or(0);
        let common: Monomial = match self.terms.len() {
            1 => first.clone(),
            _ => generators.into_iter().map(|g| (g, least(g))).filter(|f| f.1 != 0).collect(),
        };
        let mut content = c.abs();
        for (_, other) in &self.terms[1..] {
            content = content.gcd(other);
        }
        (common, if c.is_negative() { -&content } else { content })
    }

    /// Without its content.
    pub fn primitive(&self) -> Self {
        let (m, c) = self.content();
        c.recip().map_or_else(Self::zero, |c| self.scaled(&inverse(&m), &c))
    }

    /// Bits of the longest coefficient.
    fn bits(&self) -> u64 {
        self.terms.iter().map(|(_, c)| c.bits()).max().unwrap_or(0)
    }

    /// The generators that occur.
    pub fn generators(&self) -> Vec<u16> {
        let mut list: Vec<u16> = self.terms.iter().flat_map(|(m, _)| m.iter().map(|f| f.0)).collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    /// The coefficients of 1, h and h^2, h a power of g; `None` where others occur.
    pub fn coefficients(&self, g: u16, power: usize) -> Option<[Self; 3]> {
        let mut parts = [Self::zero(), Self::zero(), Self::zero()];
        for (m, c) in &self.terms {
            let whole = usize::try_from(exponent(m, g)).ok()?;
            if whole % power != 0 {
                return None;
            }
            let power = whole / power;
            let rest: Monomial = m.iter().copied().filter(|f| f.0 != g).collect();
            parts.get_mut(power)?.terms.push((rest, c.clone()));
        }
        Some(parts.map(Self::sorted))
    }

    /// With `-g` for `g`.
    fn conjugate(&self, g: u16) -> Self {
        let sign = |m: &Monomial, c: &Rational| if exponent(m, g) % 2 == 0 { c.clone() } else { -c };
        Polynomial { terms: self.terms.iter().map(|(m, c)| (m.clone(), sign(m, c))).collect() }
    }
}

impl Ring {
    /// A new generator.
    pub fn generator(&mut self, relation: Relation) -> Option<u16> {
        let g = u16::try_from(self.relations.len()).ok()?;
        self.relations.push(relation);
        Some(g)
    }

    fn spend(&mut self, work: usize) -> Option<()> {
        let left = self.budget.checked_sub(work as u64);
        self.budget = left.unwrap_or(0);
        left.map(|_| ())
    }

    /// Adds a term to a sum, relations applied.
    fn deposit(&mut self, sum: &mut FxHashMap<Monomial, Rational>, m: Monomial, c: Rational) -> Option<()> {
        let mut todo = vec![(m, c)];
        while let Some((m, c)) = todo.pop() {
            let reducible = m.iter().copied().find(|(g, p)| {
                let degree = self.relations[usize::from(*g)].degree;
                degree > 0 && (*p >= degree || *p < 0)
            });
            let Some((g, p)) = reducible else {
                let slot = sum.entry(m).or_insert(Rational::ZERO);
                *slot = &*slot + &c;
                continue;
            };
            let Relation { degree, value } = self.relations[usize::from(g)].clone();
            if p < 0 {
                // A negative power of a root or a sine stays; it must not meet a positive one, which it cannot in one monomial.
                let slot = sum.entry(m).or_insert(Rational::ZERO);
                *slot = &*slot + &c;
                continue;
            }
            self.spend(value.terms.len())?;
            let rest = times(&m, &[(g, -degree)]);
            todo.extend(value.terms.iter().map(|(n, k)| (times(&rest, n), &c * k)));
        }
        Some(())
    }

    /// The product.
    pub fn product(&mut self, a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
        self.spend(a.terms.len() * b.terms.len() * length(a.bits() + b.bits()))?;
        let mut sum = FxHashMap::default();
        for (m, c) in &a.terms {
            for (n, k) in &b.terms {
                self.deposit(&mut sum, times(m, n), c * k)?;
            }
        }
        Some(Polynomial::gathered(sum))
    }

    /// A power with a whole exponent that is not negative.
    pub fn power(&mut self, a: &Polynomial, n: i64) -> Option<Polynomial> {
        let mut result = Polynomial::number(Rational::ONE);
        for _ in 0..n {
            result = self.product(&result, a)?;
        }
        Some(result)
    }

    /// `a` with every occurrence of `g^2` replaced.
    pub fn replace_square(&mut self, a: &Polynomial, g: u16, value: &Polynomial) -> Option<Polynomial> {
        let mut sum = FxHashMap::default();
        let mut todo = a.terms.clone();
        while let Some((m, c)) = todo.pop() {
            if exponent(&m, g) < 2 {
                let slot = sum.entry(m).or_insert(Rational::ZERO);
                *slot = &*slot + &c;
                continue;
            }
            self.spend(value.terms.len())?;
            let rest = times(&m, &[(g, -2)]);
            todo.extend(value.terms.iter().map(|(n, k)| (times(&rest, n), &c * k)));
        }
        Some(Polynomial::gathered(sum))
    }

    /// `a / b` where it is a polynomial again. Generators with a relation are taken out of `b` by conjugates first.
    pub fn quotient(&mut self, a: &Polynomial, b: &Polynomial) -> Option<Option<Polynomial>> {
        let (mut a, mut b) = (a.clone(), b.clone());
        let mut rounds = 0;
        while let Some(g) = b.generators().into_iter().find(|g| self.relations[usize::from(*g)].degree > 0) {
            rounds += 1;
            if self.relations[usize::from(g)].degree != 2 || rounds > 4 || b.terms.len() > 60 {
                return Some(None);
            }
            let conjugate = b.conjugate(g);
            (a, b) = (self.product(&a, &conjugate)?, self.product(&b, &conjugate)?);
        }
        let (ma, ca) = a.content();
        let (mb, cb) = b.content();
        let Some(inverse_content) = cb.recip() else { return Some(None) };
        let unit = (times(&ma, &inverse(&mb)), &ca * &inverse_content);
        let (a, b) = (a.primitive(), b.primitive());
        let Some((lead, c)) = b.terms.first().cloned() else { return Some(None) };
        let Some(c) = c.recip() else { return Some(None) };
        let divisor_bits = b.bits();
        let (mut rest, mut found) = (a, Vec::new());
        while let Some((m, k)) = rest.terms.first().cloned() {
            let (m, k) = (times(&m, &inverse(&lead)), &k * &c);
            if m.iter().any(|f| f.1 < 0) {
                return Some(None);
            }
            self.spend((b.terms.len() + rest.terms.len()) * length(divisor_bits + rest.bits()))?;
            rest = rest.plus(&b.scaled(&m, &k), &Rational::MINUS_ONE);
            found.push((m, k));
        }
        let quotient = Polynomial { terms: found }.scaled(&unit.0, &unit.1);
        // A unit that is not reduced (a sine in it) is put through the relations.
        let one = Polynomial::number(Rational::ONE);
        Some(Some(self.product(&quotient, &one)?))
    }
}
