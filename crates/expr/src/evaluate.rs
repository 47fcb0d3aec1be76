//! Values: slow and obvious, the judge of every faster road; and a sound test for zero.

use crate::pool::{Expr, Node, Pool, Symbol};
use crate::rational::Rational;

/// What is known about an expression being zero. Neither claim is ever made on trust: `Yes` is an
/// algebraic identity, `No` a point where the value exceeds its own rounding error bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zero {
    /// It vanishes identically.
    Yes,
    /// It does not vanish identically.
    No,
    /// Neither could be shown.
    Unknown,
}

impl Pool {
    /// The value of `e`, given the values of its symbols.
    ///
    /// ```
    /// use dalembert_expr::Pool;
    /// let mut pool = Pool::new();
    /// let x = pool.named("x");
    /// let e = pool.powi(x, -2);
    /// assert_eq!(pool.evaluate(e, |_| 2.0), 0.25);
    /// ```
    pub fn evaluate(&mut self, e: Expr, value: impl Fn(Symbol) -> f64) -> f64 {
        self.evaluate_all(&[e], value)[0]
    }

    /// The values of several expressions at once.
    pub fn evaluate_all(&mut self, roots: &[Expr], value: impl Fn(Symbol) -> f64) -> Vec<f64> {
        let order = self.order(roots, 0);
        let mut values: Vec<f64> = Vec::with_capacity(order.nodes.len());
        for &n in &order.nodes {
            let of = |e: &Expr| order.place(*e).map_or(f64::NAN, |k| values[k]);
            let v = match self.node(n) {
                Node::Number(r) => r.to_f64(),
                Node::Pi => std::f64::consts::PI,
                Node::Symbol(s) => value(*s),
                Node::Sum(c, terms) => terms.iter().fold(c.to_f64(), |sum, (e, c)| sum + c.to_f64() * of(e)),
                Node::Product(factors) => factors.iter().map(|(b, p)| power(of(b), p)).product(),
                Node::Power(base, exponent) => of(base).powf(of(exponent)),
                Node::Call(f, args) => {
                    let a = |k: usize| args.get(k).map_or(0.0, of);
                    f.op().apply(a(0), a(1), a(2))
                }
            };
            values.push(v);
        }
        let result = roots.iter().map(|&e| order.place(e).map_or(f64::NAN, |k| values[k])).collect();
        self.release(order);
        result
    }

    /// The value of each expression with the size of the terms it is made of: sums count by the sizes of what they add, and
    /// functions by what a change of the size of their arguments makes of them. A value far below its size is a difference
    /// that cancels.
    ///
    /// ```
    /// use dalembert_expr::Pool;
    /// let mut pool = Pool::new();
    /// let x = pool.named("x");
    /// let (square, four) = (pool.powi(x, 2), pool.int(4));
    /// let e = pool.sub(square, four);
    /// assert_eq!(pool.evaluate_with_sizes(&[e], |_| 2.0), [(0.0, 8.0)]);
    /// ```
    pub fn evaluate_with_sizes(&mut self, roots: &[Expr], value: impl Fn(Symbol) -> f64) -> Vec<(f64, f64)> {
        let order = self.order(roots, 0);
        let mut values: Vec<(f64, f64)> = Vec::with_capacity(order.nodes.len());
        for &n in &order.nodes {
            let of = |e: &Expr| order.place(*e).map_or((f64::NAN, f64::NAN), |k| values[k]);
            let (v, size) = match self.node(n) {
                Node::Number(r) => (r.to_f64(), 0.0),
                Node::Pi => (std::f64::consts::PI, 0.0),
                Node::Symbol(s) => (value(*s), 0.0),
                Node::Sum(c, terms) => {
                    terms.iter().fold((c.to_f64(), c.to_f64().abs()), |(sum, all), (e, c)| {
                        let ((v, size), c) = (of(e), c.to_f64());
                        (sum + c * v, all + c.abs() * size)
                    })
                }
                Node::Product(factors) => factors.iter().fold((1.0, 1.0), |(product, all), (b, p)| {
                    let (v, size) = of(b);
                    let raised = power(v, p);
                    let natural = !p.is_negative() && p.is_integer();
                    let larger = if v != 0.0 { raised.abs() * size / v.abs() } else { raised.abs() };
                    (product * raised, all * if natural { power(size, p) } else { larger })
                }),
                Node::Power(base, exponent) => {
                    let (b, x) = (of(base), of(exponent));
                    slope(|d| (b.0 + d * b.1).powf(x.0 + d * x.1))
                }
                Node::Call(f, args) => {
                    let a = |k: usize| args.get(k).map_or((0.0, 0.0), of);
                    let (p, q, r) = (a(0), a(1), a(2));
                    slope(|d| f.op().apply(p.0 + d * p.1, q.0 + d * q.1, r.0 + d * r.1))
                }
            };
            values.push((v, if size.is_finite() { size.max(v.abs()) } else { v.abs() }));
        }
        let result = roots.iter().map(|&e| order.place(e).map_or((f64::NAN, 0.0), |k| values[k])).collect();
        self.release(order);
        result
    }

    /// Is `e` zero for all values of its symbols? Sound both ways, see [`Zero`].
    ///
    /// ```
    /// use dalembert_expr::{Function, Pool, Zero};
    /// let mut pool = Pool::new();
    /// let x = pool.named("x");
    /// let (s, c) = (pool.call1(Function::Sin, x), pool.call1(Function::Cos, x));
    /// let (ss, cc) = (pool.powi(s, 2), pool.powi(c, 2));
    /// let e = pool.total([ss, cc]);
    /// let e = pool.sub(e, Pool::ONE);
    /// assert_eq!(pool.is_zero(e), Zero::Yes);
    /// assert_eq!(pool.is_zero(ss), Zero::No);
    /// ```
    pub fn is_zero(&mut self, e: Expr) -> Zero {
        if e == Self::ZERO {
            return Zero::Yes;
        }
        let mut defined = false;
        for seed in 1..=4 {
            let (value, error) = self.evaluate_bounded(e, |s| sample_value(s, seed));
            if value.abs() > error {
                return Zero::No; // false for NaN: nothing is concluded from it
            }
            defined |= value.is_finite();
        }
        // Where it is defined nowhere there (a speed above that of light), symbols of very different sizes are tried.
        for seed in (5..=20).take_while(|_| !defined) {
            let (value, error) = self.evaluate_bounded(e, |s| sample_value(s, seed) * sample_size(s, seed));
            if value.abs() > error {
                return Zero::No;
            }
        }
        if self.simplify(e) == Self::ZERO { Zero::Yes } else { Zero::Unknown }
    }

    /// A value with a bound on its rounding error (running error analysis, generous constants).
    fn evaluate_bounded(&mut self, e: Expr, value: impl Fn(Symbol) -> f64) -> (f64, f64) {
        const EPS: f64 = 4.0 * f64::EPSILON;
        let order = self.order(&[e], 0);
        let mut values: Vec<(f64, f64)> = Vec::with_capacity(order.nodes.len());
        for &n in &order.nodes {
            let of = |e: &Expr| order.place(*e).map_or((f64::NAN, 0.0), |k| values[k]);
            let (v, carried) = match self.node(n) {
                Node::Number(r) => (r.to_f64(), 0.0),
                Node::Pi => (std::f64::consts::PI, 0.0),
                Node::Symbol(s) => (value(*s), 0.0),
                Node::Sum(c, terms) => {
                    terms.iter().fold((c.to_f64(), c.to_f64().abs() * EPS), |acc, (e, c)| {
                        let (v, err) = of(e);
                        let c = c.to_f64();
                        (acc.0 + c * v, acc.1 + (c * err).abs() + 2.0 * EPS * ((c * v).abs() + acc.0.abs()))
                    })
                }
                Node::Product(factors) => {
                    let mut product = 1.0;
                    let mut relative = 0.0;
                    for (b, p) in factors {
                        let (v, err) = of(b);
                        // (v +- err)^p: a first-order bound is safe where err is small against v.
                        let rel = err / v.abs();
                        relative +=
                            if rel < 1e-3 { 2.0 * p.to_f64().abs() * rel + EPS } else { f64::INFINITY };
                        product *= power(v, p);
                    }
                    (product, product.abs() * relative)
                }
                // Conditions and other functions: bounded by their spread over the argument's error.
                Node::Power(base, exponent) => {
                    let (b, x) = (of(base), of(exponent));
                    spread(|d| (b.0 + d * b.1).powf(x.0 + d * x.1))
                }
                Node::Call(f, args) => {
                    let a = |k: usize| args.get(k).map_or((0.0, 0.0), of);
                    let (p, q, r) = (a(0), a(1), a(2));
                    spread(|d| f.op().apply(p.0 + d * p.1, q.0 + d * q.1, r.0 + d * r.1))
                }
            };
            values.push((v, carried + v.abs() * EPS));
        }
        let result = order.place(e).map_or((f64::NAN, 0.0), |k| values[k]);
        self.release(order);
        result
    }
}

/// f(0), and how fast f changes around it.
fn slope(f: impl Fn(f64) -> f64) -> (f64, f64) {
    const STEP: f64 = 1e-7;
    let middle = f(0.0);
    let reach = [-STEP, STEP].map(|d| (f(d) - middle).abs() / STEP);
    (middle, reach[0].min(reach[1]))
}

fn spread(f: impl Fn(f64) -> f64) -> (f64, f64) {
    let middle = f(0.0);
    let reach = [-1.0, 1.0].map(|d| (f(d) - middle).abs());
    (middle, 4.0 * reach[0].max(reach[1]) + 1e-300)
}

fn power(base: f64, p: &Rational) -> f64 {
    match p.to_i64() {
        Some(n) if n.unsigned_abs() < 64 => base.powi(n as i32),
        _ if *p == Rational::HALF => base.sqrt(),
        _ => base.powf(p.to_f64()),
    }
}

/// A fixed pseudo-random value in (0.25, 1.75) for each symbol: generic, and inside the domain of
/// most functions.
fn sample_value(s: Symbol, seed: u64) -> f64 {
    0.25 + 1.5 * ((scramble(s, seed) >> 11) as f64 / (1u64 << 53) as f64)
}

/// 1, 1/8, 1/64 or 1/512.
fn sample_size(s: Symbol, seed: u64) -> f64 {
    0.125f64.powi((scramble(s, !seed) >> 62) as i32)
}

fn scramble(s: Symbol, seed: u64) -> u64 {
    let mut h =
        (u64::from(s.0) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ seed.wrapping_mul(0xD1B5_4A32_D192_ED03);
    h ^= h >> 29;
    h = h.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    h ^ (h >> 32)
}
