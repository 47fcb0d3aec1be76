//! Constructors that keep sums, products and functions canonical.
//!
//! What is merged: like terms, equal bases, nested sums and products, numeric factors, signs of odd
//! and even functions, exact values at special points. Two rules extend the domain as every reader
//! does (`x/x = 1`, `sqrt(x)^2 = x`); none changes a value where both sides exist. In particular
//! `sqrt(x^2)` stays as it is, for it is |x|.

use crate::function::Function;
use crate::pool::draft::Draft;
use crate::pool::{Expr, Node, Pool, Weighted};
use crate::rational::Rational;

/// The longest content that is taken out of a sum. Coefficients of sixteen digits from one product after the other have
/// contents that double in length each time; whole numbers beyond the range of a double would be infinite, and their
/// content zero.
const MAX_CONTENT_BITS: u64 = 128;

impl Pool {
    /// An exact number.
    pub fn number(&mut self, value: Rational) -> Expr {
        self.intern(Draft::Number(&value))
    }

    /// A whole number.
    pub fn int(&mut self, value: i64) -> Expr {
        self.number(value.into())
    }

    /// The number pi.
    pub fn pi(&mut self) -> Expr {
        self.intern(Draft::Pi)
    }

    /// `a + b`
    pub fn add(&mut self, a: Expr, b: Expr) -> Expr {
        self.combine([(a, Rational::ONE), (b, Rational::ONE)])
    }

    /// `a - b`
    pub fn sub(&mut self, a: Expr, b: Expr) -> Expr {
        self.combine([(a, Rational::ONE), (b, Rational::MINUS_ONE)])
    }

    /// `-a`
    pub fn neg(&mut self, a: Expr) -> Expr {
        self.combine([(a, Rational::MINUS_ONE)])
    }

    /// `a * b`
    pub fn mul(&mut self, a: Expr, b: Expr) -> Expr {
        self.product([(a, Rational::ONE), (b, Rational::ONE)])
    }

    /// `a / b`
    pub fn div(&mut self, a: Expr, b: Expr) -> Expr {
        self.product([(a, Rational::ONE), (b, Rational::MINUS_ONE)])
    }

    /// The sum of some expressions.
    pub fn total(&mut self, parts: impl IntoIterator<Item = Expr>) -> Expr {
        self.combine(parts.into_iter().map(|e| (e, Rational::ONE)))
    }

    /// `c * a` with a number `c`
    pub fn scale(&mut self, a: Expr, c: Rational) -> Expr {
        self.combine([(a, c)])
    }

    /// `base ^ n` with a whole number `n`
    pub fn powi(&mut self, base: Expr, n: i64) -> Expr {
        self.product([(base, n.into())])
    }

    /// The square root.
    pub fn sqrt(&mut self, a: Expr) -> Expr {
        self.product([(a, Rational::HALF)])
    }

    /// `base ^ exponent`
    pub fn pow(&mut self, base: Expr, exponent: Expr) -> Expr {
        match self.as_number(exponent).cloned() {
            Some(p) => self.product([(base, p)]),
            None if base == Self::ONE => base,
            None => self.intern(Draft::Power(base, exponent)),
        }
    }

    /// The linear combination `sum of coefficient * expression`. O(k log k) in its length.
    pub fn combine(&mut self, parts: impl IntoIterator<Item = Weighted>) -> Expr {
        if self.exhausted() {
            return Self::ZERO; // nothing means anything any more: no time is spent on it
        }
        let mut constant = Rational::ZERO;
        let mut terms = self.list();
        for (e, c) in parts {
            match self.node(e) {
                _ if c.is_zero() => {}
                Node::Number(r) => constant = &constant + &(&c * r),
                Node::Sum(k, inner) => {
                    constant = &constant + &(&c * k);
                    if c.is_one() {
                        terms.extend_from_slice(inner);
                    } else {
                        terms.extend(inner.iter().map(|(e, k)| (*e, &c * k)));
                    }
                }
                _ => terms.push((e, c)),
            }
        }
        merge(&mut terms);
        let sum = match terms.as_slice() {
            [] => self.number(constant),
            [(e, c)] if c.is_one() && constant.is_zero() => *e,
            _ => self.intern(Draft::Sum(&constant, &terms)),
        };
        self.keep(terms);
        sum
    }

    /// The product of `base ^ exponent` over the parts.
    pub fn product(&mut self, parts: impl IntoIterator<Item = Weighted>) -> Expr {
        let (mut todo, mut factors) = (self.list(), self.list());
        todo.extend(parts);
        let product = self.product_of(&mut todo, &mut factors);
        self.keep(todo);
        self.keep(factors);
        product
    }

    /// The product of what is in `todo`; `factors` is empty.
    fn product_of(&mut self, todo: &mut Vec<Weighted>, factors: &mut Vec<Weighted>) -> Expr {
        let mut coefficient = Rational::ONE;
        while let Some((e, p)) = todo.pop() {
            if p.is_zero() {
                continue;
            }
            match self.node(e) {
                Node::Number(r) => {
                    let r = r.clone();
                    self.number_power(&r, &p, &mut coefficient, factors);
                }
                Node::Product(inner) if p.is_one() => factors.extend_from_slice(inner),
                Node::Product(inner) if p.is_integer() => {
                    todo.extend(inner.iter().map(|(b, q)| (*b, q * &p)));
                }
                // (b^q)^p = b^(qp), except where q is even: sqrt(b^2) is |b|.
                Node::Product(inner) => match &**inner {
                    [(b, q)] if !q.is_even() => todo.push((*b, q * &p)),
                    _ => factors.push((e, p)),
                },
                Node::Sum(..) => self.sum_power(e, p, &mut coefficient, factors, todo),
                Node::Call(Function::Abs, args) if p.is_even() => todo.push((args[0], p)),
                _ => factors.push((e, p)),
            }
        }
        merge(factors);
        self.settle_numbers(&mut coefficient, factors);
        if let Some(k) = factors.iter().position(|(b, p)| *b == Self::ZERO && p.is_negative()) {
            return self.intern(Draft::Product(&factors[k..=k])); // 1/0 stays visible
        }
        let body = match factors.as_slice() {
            [] => return self.number(coefficient),
            [(b, p)] if p.is_one() => *b,
            _ => self.intern(Draft::Product(factors)),
        };
        if coefficient.is_one() && !self.exhausted() {
            return body;
        }
        self.combine([(body, coefficient)])
    }

    /// A sum as a base: its numeric content goes into the coefficient, so that proportional sums
    /// share one base.
    fn sum_power(
        &mut self,
        e: Expr,
        p: Rational,
        coefficient: &mut Rational,
        factors: &mut Vec<Weighted>,
        todo: &mut Vec<Weighted>,
    ) {
        let (mut content, primitive) = self.split_content(e);
        if content.is_one() {
            factors.push((e, p));
            return;
        }
        let mut base = primitive;
        if !p.is_integer() && content.is_negative() {
            content = content.abs(); // the sign cannot leave a root
            base = self.neg(primitive);
        }
        match p.to_i64().map(|n| content.powi(n)) {
            Some(None) => factors.push((e, p)),
            Some(Some(c)) => {
                *coefficient = &*coefficient * &c;
                todo.push((base, p));
            }
            None if content.is_one() => factors.push((e, p)),
            None => {
                self.number_power(&content, &p, coefficient, factors);
                todo.push((base, p));
            }
        }
    }

    /// `e = content * primitive`: the primitive part has coprime whole coefficients, the first positive.
    pub(crate) fn split_content(&mut self, e: Expr) -> (Rational, Expr) {
        let Node::Sum(constant, terms) = self.node(e) else { return (Rational::ONE, e) };
        let first = &terms[0].1;
        let mut content = first.abs();
        let rest = terms[1..].iter().map(|(_, c)| c).chain((!constant.is_zero()).then_some(constant));
        for c in rest {
            content = content.gcd(c);
            if content.bits() > MAX_CONTENT_BITS {
                return (Rational::ONE, e);
            }
        }
        if first.is_negative() {
            content = -&content;
        }
        match content.recip() {
            Some(inverse) if !inverse.is_one() => {
                let primitive = self.combine([(e, inverse)]);
                (content, primitive)
            }
            _ => (Rational::ONE, e),
        }
    }

    /// `r ^ p` for numbers: as much of it into the coefficient as is exact.
    fn number_power(&mut self, r: &Rational, p: &Rational, coef: &mut Rational, factors: &mut Vec<Weighted>) {
        let exact = match p.to_fraction() {
            Some((n, 1)) => r.powi(n),
            Some((n, d)) => u32::try_from(d).ok().and_then(|d| r.exact_root(d)).and_then(|root| root.powi(n)),
            None => None,
        };
        if let Some(value) = exact {
            *coef = &*coef * &value;
            return;
        }
        let parts = r.to_fraction().filter(|(n, _)| *n > 0 && !p.is_integer());
        let Some((n, d)) = parts else {
            let base = self.number(r.clone());
            factors.push((base, p.clone()));
            return;
        };
        // n^p d^-p, each with the whole part of its exponent taken out.
        for (m, p) in [(n, p.clone()), (d, -p)] {
            let whole = p.floor();
            let outside = whole.to_i64().and_then(|k| Rational::from(m).powi(k));
            let (outside, rest) = match outside {
                Some(value) => (value, &p - &whole),
                None => (Rational::ONE, p),
            };
            *coef = &*coef * &outside;
            let mut inside = m;
            if rest == Rational::HALF {
                let root;
                (root, inside) = square_part(m);
                *coef = &*coef * &root.into();
            }
            if inside != 1 {
                let base = self.int(inside);
                factors.push((base, rest));
            }
        }
    }

    /// After merging, powers of numbers may have become exact (`sqrt(2) * sqrt(2)`).
    fn settle_numbers(&mut self, coefficient: &mut Rational, factors: &mut Vec<Weighted>) {
        let unsettled = |pool: &Self, (b, p): &Weighted| {
            pool.as_number(*b).is_some() && (p.is_negative() || *p >= Rational::ONE) && *b != Self::ZERO
        };
        if !factors.iter().any(|f| unsettled(self, f)) {
            return;
        }
        for (b, p) in std::mem::take(factors) {
            match self.as_number(b).cloned() {
                Some(r) => self.number_power(&r, &p, coefficient, factors),
                None => factors.push((b, p)),
            }
        }
        merge(factors);
    }
}

/// Sorts by expression, adds up the numbers of equal ones, drops zeros.
fn merge(list: &mut Vec<Weighted>) {
    if list.len() < 2 {
        list.retain(|(_, c)| !c.is_zero());
        return;
    }
    list.sort_unstable_by_key(|(e, _)| *e);
    list.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            kept.1 = &kept.1 + &later.1;
        }
        same
    });
    list.retain(|(_, c)| !c.is_zero());
}

/// `n = root^2 * rest`, as far as small primes show.
fn square_part(n: i64) -> (i64, i64) {
    let (mut root, mut rest) = (1, n);
    for k in 2..1000 {
        while rest % (k * k) == 0 {
            rest /= k * k;
            root *= k;
        }
        if k * k > rest {
            break;
        }
    }
    (root, rest)
}
