//! Taylor polynomials in several variables, modulo a prime.
//!
//! ```text
//! f(x0 + h) = sum_e f_e h^e,  |e| <= order;     R f = sum_e |e| f_e h^e = h . df/dh;     R f(u) = f'(u) R u
//! ```
//!
//! The last rule gives every function from its derivative. A polynomial may be right up to a lower degree than its
//! length tells; products are asked for up to a degree, and read no further.

use dalembert_expr::{Field, Rational, Residue};
use rustc_hash::FxHashMap;

/// Terms of a product that is truncated to the order; larger tables are not made.
const MAX_PRODUCT: usize = 4_000_000;

/// A Taylor polynomial by the places of its exponents: empty is zero, one entry a constant.
pub(super) type Series = Vec<Residue>;

/// Exponents in order of their degree, and how they multiply.
pub(super) struct Grid {
    pub field: Field,
    pub order: usize,
    /// `counts[d]` exponents have degree up to d.
    counts: Vec<usize>,
    degrees: Vec<usize>,
    /// (a, b, a + b), in order of the degree of the sum; `ends[d]` of them are up to degree d.
    products: Vec<(u32, u32, u32)>,
    ends: Vec<usize>,
    /// For each variable: (exponent, exponent less one, factor).
    derivatives: Vec<Vec<(usize, usize, i64)>>,
    /// Multiplications so far.
    pub work: u64,
}

impl Grid {
    /// `None` if its tables were too large.
    pub fn new(field: Field, variables: usize, order: usize) -> Option<Grid> {
        let size = (1..=order).try_fold(1usize, |n, k| n.checked_mul(2 * variables + k).map(|n| n / k))?;
        if size > MAX_PRODUCT {
            return None;
        }
        let mut exponents: Vec<Vec<u8>> = vec![vec![0; variables]];
        let (mut counts, mut start) = (vec![1], 0);
        for _ in 0..order {
            let end = exponents.len();
            for k in start..end {
                // Raise from the last variable that occurs on: each exponent once.
                let from = exponents[k].iter().rposition(|e| *e > 0).unwrap_or(0);
                for v in from..variables {
                    let mut next = exponents[k].clone();
                    next[v] += 1;
                    exponents.push(next);
                }
            }
            start = end;
            counts.push(exponents.len());
        }
        let place: FxHashMap<&[u8], usize> =
            exponents.iter().enumerate().map(|(k, e)| (e.as_slice(), k)).collect();
        let degrees: Vec<usize> = exponents.iter().map(|e| e.iter().map(|v| usize::from(*v)).sum()).collect();
        let mut products = Vec::with_capacity(size);
        let mut sum = vec![0u8; variables];
        for (a, ea) in exponents.iter().enumerate() {
            for (b, eb) in exponents[..counts[order - degrees[a]]].iter().enumerate() {
                sum.iter_mut().zip(ea.iter().zip(eb)).for_each(|(s, (x, y))| *s = x + y);
                products.push((a as u32, b as u32, place[sum.as_slice()] as u32));
            }
        }
        products.sort_by_key(|(_, _, k)| degrees[*k as usize]);
        let ends =
            (0..=order).map(|d| products.partition_point(|(_, _, k)| degrees[*k as usize] <= d)).collect();
        let mut derivatives = vec![Vec::new(); variables];
        for (k, e) in exponents.iter().enumerate() {
            for v in (0..variables).filter(|&v| e[v] > 0) {
                let mut lower = e.clone();
                lower[v] -= 1;
                derivatives[v].push((k, place[lower.as_slice()], i64::from(e[v])));
            }
        }
        Some(Grid { field, order, counts, degrees, products, ends, derivatives, work: 0 })
    }

    pub fn constant(&self, value: Residue) -> Series {
        if value.is_zero() { Vec::new() } else { vec![value] }
    }

    /// The variable itself about its value.
    pub fn variable(&self, v: usize, value: Residue) -> Series {
        let mut s = vec![Residue::ZERO; self.counts[self.order.min(1)]];
        s[0] = value;
        if let Some(entry) = s.get_mut(1 + v) {
            *entry = self.field.one();
        }
        s
    }

    pub fn add(&self, a: &Series, b: &Series) -> Series {
        let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
        let mut sum = long.clone();
        sum.iter_mut().zip(short).for_each(|(s, v)| *s = self.field.add(*s, *v));
        sum
    }

    pub fn sub(&self, a: &Series, b: &Series) -> Series {
        self.add(a, &self.scale(b, self.field.int(-1)))
    }

    pub fn scale(&self, a: &Series, c: Residue) -> Series {
        if c.is_zero() { Vec::new() } else { a.iter().map(|v| self.field.mul(*v, c)).collect() }
    }

    /// The product up to a degree.
    pub(crate) fn mul_to(&mut self, a: &Series, b: &Series, degree: usize) -> Series {
        self.work += 1 + a.len().min(b.len()) as u64;
        match (a.len(), b.len()) {
            (0, _) | (_, 0) => return Vec::new(),
            (1, _) => return self.cut(&self.scale(b, a[0]), degree),
            (_, 1) => return self.cut(&self.scale(a, b[0]), degree),
            _ => {}
        }
        let f = self.field;
        let mut out = vec![Residue::ZERO; self.counts[degree]];
        let products = &self.products[..self.ends[degree]];
        self.work += products.len() as u64;
        for (i, j, k) in products {
            if let (Some(x), Some(y)) = (a.get(*i as usize), b.get(*j as usize)) {
                out[*k as usize] = f.add(out[*k as usize], f.mul(*x, *y));
            }
        }
        out
    }

    pub fn mul(&mut self, a: &Series, b: &Series) -> Series {
        self.mul_to(a, b, self.order)
    }

    fn cut(&self, a: &Series, degree: usize) -> Series {
        a[..a.len().min(self.counts[degree])].to_vec()
    }

    /// The derivative by a variable; one degree less is known.
    pub fn derivative(&self, a: &Series, v: usize) -> Series {
        if a.len() <= 1 {
            return Vec::new();
        }
        let top = self.degrees[a.len() - 1];
        let mut out = vec![Residue::ZERO; self.counts[top - 1]];
        for (k, lower, factor) in self.derivatives[v].iter().take_while(|(k, _, _)| *k < a.len()) {
            out[*lower] = self.field.mul(a[*k], self.field.int(*factor));
        }
        out
    }

    /// R a
    pub(crate) fn radial(&self, a: &Series) -> Series {
        a.iter().zip(&self.degrees).map(|(v, d)| self.field.mul(*v, self.field.int(*d as i64))).collect()
    }

    /// The polynomial with this R, and this constant.
    pub fn integrated(&self, radial: &Series, constant: Residue) -> Option<Series> {
        let f = self.field;
        let mut out = vec![constant];
        for (v, d) in radial.iter().zip(&self.degrees).skip(1) {
            out.push(f.mul(*v, f.recip(f.int(*d as i64))?));
        }
        Some(out)
    }

    /// `f(u)` for f given by its derivatives at the constant: `sum f_k (u - u0)^k`.
    fn compose(&mut self, u: &Series, coefficients: impl Fn(usize) -> Option<Residue>) -> Option<Series> {
        let mut small = u.clone();
        small[0] = Residue::ZERO;
        let mut sum = Vec::new();
        for k in (0..=self.order).rev() {
            sum = self.mul(&sum, &small);
            sum = self.add(&sum, &vec![coefficients(k)?]);
        }
        Some(sum)
    }

    /// `u^p`
    pub fn power(&mut self, u: &Series, p: &Rational) -> Option<Series> {
        let f = self.field;
        let Some(u0) = u.first().copied() else { return (!p.is_negative() && !p.is_zero()).then(Vec::new) };
        if u0.is_zero() {
            let n = p.to_i64().filter(|n| (1..64).contains(n))?;
            return Some((1..n).fold(u.clone(), |acc, _| self.mul(&acc, u)));
        }
        let top = f.power(u0, p)?;
        if u.len() == 1 {
            return Some(vec![top]);
        }
        let (exponent, inverse) = (f.rational(p)?, f.recip(u0)?);
        let mut terms = vec![top];
        for k in 0..self.order {
            // binomial(p, k+1) u0^(p-k-1)
            let factor = f.mul(f.sub(exponent, f.int(k as i64)), f.recip(f.int(k as i64 + 1))?);
            terms.push(f.mul(terms[k], f.mul(factor, inverse)));
        }
        self.compose(u, |k| terms.get(k).copied())
    }

    pub fn exponential(&mut self, u: &Series, value: Residue) -> Option<Series> {
        let f = self.field;
        self.compose(u, |k| Some(f.mul(value, reciprocal_factorial(f, k)?)))
    }

    /// `cos u0 sin_k + ...`: a sine whose value and slope at the constant are given.
    pub(crate) fn sinusoid(&mut self, u: &Series, value: Residue, slope: Residue) -> Option<Series> {
        let f = self.field;
        self.compose(u, |k| {
            let base = if k % 2 == 0 { value } else { slope };
            let signed = if k % 4 < 2 { base } else { f.neg(base) };
            Some(f.mul(signed, reciprocal_factorial(f, k)?))
        })
    }
}

fn reciprocal_factorial(f: Field, k: usize) -> Option<Residue> {
    f.recip((1..=k as i64).fold(f.one(), |p, v| f.mul(p, f.int(v))))
}
