//! Automatic differentiation by values: a number with its derivatives along two directions and the mixed second one.
//!
//! ```text
//! f(x + a s + b t + c s t) = f + f_s s + f_t t + f_st s t,   s^2 = t^2 = 0
//! ```
//!
//! Shares nothing with differentiation in symbols: a second road to every derivative. Knows no mechanics. Functions that jump or
//! have a kink are differentiated on the side where they are; at a kink the derivative is that of the branch taken.
//! Checked against differentiation in symbols by `tests/it/laws.rs`.

use crate::function::Function;
use crate::pool::{Expr, Node, Pool, Symbol};
use crate::rational::Rational;
use std::ops::{Add, Mul, Sub};

/// A value with derivatives along two directions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Jet {
    /// The value.
    pub value: f64,
    /// Its derivatives along the first and the second direction.
    pub first: [f64; 2],
    /// Its mixed second derivative.
    pub mixed: f64,
}

impl Jet {
    /// A number that does not change.
    pub fn constant(value: f64) -> Self {
        Self { value, ..Self::default() }
    }

    /// f(self) by f, f', f'' at the value. A direction along which nothing changes is not multiplied by what may be infinite.
    fn through(self, f: f64, slope: f64, curvature: f64) -> Self {
        let times = |factor: f64, v: f64| if v == 0.0 { 0.0 } else { factor * v };
        Self {
            value: f,
            first: self.first.map(|v| times(slope, v)),
            mixed: times(slope, self.mixed) + times(curvature, self.first[0] * self.first[1]),
        }
    }

    fn scaled(self, c: f64) -> Self {
        Self { value: c * self.value, first: self.first.map(|v| c * v), mixed: c * self.mixed }
    }

    fn raised(self, p: f64) -> Self {
        let x = self.value;
        self.through(x.powf(p), p * x.powf(p - 1.0), p * (p - 1.0) * x.powf(p - 2.0))
    }

    /// Sine and cosine.
    #[must_use]
    pub fn sine_cosine(self) -> (Self, Self) {
        let (sine, cosine) = self.value.sin_cos();
        (self.through(sine, cosine, -sine), self.through(cosine, -sine, -cosine))
    }

    fn is_constant(self) -> bool {
        self.first == [0.0; 2] && self.mixed == 0.0
    }
}

impl Add for Jet {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            first: [0, 1].map(|k| self.first[k] + other.first[k]),
            mixed: self.mixed + other.mixed,
        }
    }
}

impl Sub for Jet {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + other.scaled(-1.0)
    }
}

impl Mul for Jet {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self {
            value: self.value * other.value,
            first: [0, 1].map(|k| self.first[k] * other.value + self.value * other.first[k]),
            mixed: self.mixed * other.value
                + self.value * other.mixed
                + self.first[0] * other.first[1]
                + self.first[1] * other.first[0],
        }
    }
}

impl Pool {
    /// Values and derivatives of several expressions, given those of their symbols. O(size).
    ///
    /// ```
    /// use dalembert_expr::{Jet, Pool};
    /// let mut pool = Pool::new();
    /// let x = pool.named("x");
    /// let e = pool.powi(x, 3);
    /// // Along x in both directions: 3 x^2 and 6 x.
    /// let along = |_| Jet { value: 2.0, first: [1.0, 1.0], mixed: 0.0 };
    /// assert_eq!(pool.evaluate_jets(&[e], along)[0], Jet { value: 8.0, first: [12.0, 12.0], mixed: 12.0 });
    /// ```
    pub fn evaluate_jets(&mut self, roots: &[Expr], value: impl Fn(Symbol) -> Jet) -> Vec<Jet> {
        let order = self.order(roots, 0);
        let mut values: Vec<Jet> = Vec::with_capacity(order.nodes.len());
        for &n in &order.nodes {
            let of = |e: &Expr| order.place(*e).map_or(Jet::constant(f64::NAN), |k| values[k]);
            let v = match self.node(n) {
                Node::Number(r) => Jet::constant(r.to_f64()),
                Node::Pi => Jet::constant(std::f64::consts::PI),
                Node::Symbol(s) => value(*s),
                Node::Sum(c, terms) => {
                    terms.iter().fold(Jet::constant(c.to_f64()), |sum, (e, c)| sum + of(e).scaled(c.to_f64()))
                }
                Node::Product(factors) => {
                    factors.iter().fold(Jet::constant(1.0), |product, (b, p)| product * power(of(b), p))
                }
                Node::Power(base, exponent) => general_power(of(base), of(exponent)),
                Node::Call(f, args) => {
                    let a = |k: usize| args.get(k).map_or(Jet::default(), of);
                    call(*f, [a(0), a(1), a(2)])
                }
            };
            values.push(v);
        }
        let result =
            roots.iter().map(|e| order.place(*e).map_or(Jet::constant(f64::NAN), |k| values[k])).collect();
        self.release(order);
        result
    }
}

fn power(base: Jet, p: &Rational) -> Jet {
    match p.to_i64() {
        Some(n @ 0..=8) => (0..n).fold(Jet::constant(1.0), |product, _| product * base),
        Some(n) if n.unsigned_abs() < 64 => {
            let (x, n) = (base.value, n as i32);
            let slope = f64::from(n) * x.powi(n - 1);
            base.through(x.powi(n), slope, f64::from(n) * f64::from(n - 1) * x.powi(n - 2))
        }
        _ => base.raised(p.to_f64()),
    }
}

fn general_power(base: Jet, exponent: Jet) -> Jet {
    if exponent.is_constant() {
        return base.raised(exponent.value);
    }
    let log = base.through(base.value.ln(), 1.0 / base.value, -1.0 / (base.value * base.value));
    let product = exponent * log;
    let e = base.value.powf(exponent.value);
    product.through(e, e, e)
}

fn call(f: Function, [a, b, c]: [Jet; 3]) -> Jet {
    let x = a.value;
    match f {
        Function::Sin => a.through(x.sin(), x.cos(), -x.sin()),
        Function::Cos => a.through(x.cos(), -x.sin(), -x.cos()),
        Function::Tan => {
            let (t, square) = (x.tan(), 1.0 + x.tan().powi(2));
            a.through(t, square, 2.0 * t * square)
        }
        Function::Asin | Function::Acos => {
            let (rest, sign) = (1.0 - x * x, if f == Function::Asin { 1.0 } else { -1.0 });
            let value = if f == Function::Asin { x.asin() } else { x.acos() };
            a.through(value, sign / rest.sqrt(), sign * x / rest.powf(1.5))
        }
        Function::Atan => {
            let d = 1.0 / (1.0 + x * x);
            a.through(x.atan(), d, -2.0 * x * d * d)
        }
        Function::Atan2 => atan2(a, b),
        Function::Sinh => a.through(x.sinh(), x.cosh(), x.sinh()),
        Function::Cosh => a.through(x.cosh(), x.sinh(), x.cosh()),
        Function::Tanh => {
            let (t, d) = (x.tanh(), 1.0 - x.tanh().powi(2));
            a.through(t, d, -2.0 * t * d)
        }
        Function::Asinh => {
            let d = 1.0 / (1.0 + x * x).sqrt();
            a.through(x.asinh(), d, -x * d * d * d)
        }
        Function::Acosh => {
            let d = 1.0 / (x * x - 1.0).sqrt();
            a.through(x.acosh(), d, -x * d * d * d)
        }
        Function::Atanh => {
            let d = 1.0 / (1.0 - x * x);
            a.through(x.atanh(), d, 2.0 * x * d * d)
        }
        Function::Exp => a.through(x.exp(), x.exp(), x.exp()),
        Function::Log => a.through(x.ln(), 1.0 / x, -1.0 / (x * x)),
        Function::Abs => a.scaled(if x < 0.0 { -1.0 } else { 1.0 }),
        Function::Min => {
            if f.op().apply(x, b.value, 0.0) == x {
                a
            } else {
                b
            }
        }
        Function::Max => {
            if f.op().apply(x, b.value, 0.0) == x {
                a
            } else {
                b
            }
        }
        Function::Select => {
            if x == 0.0 {
                c
            } else {
                b
            }
        }
        // What jumps is constant on either side.
        _ => Jet::constant(f.op().apply(x, b.value, c.value)),
    }
}

/// The angle of (x, y): its differential is (x dy - y dx)/r^2.
fn atan2(y: Jet, x: Jet) -> Jet {
    let square = x * x + y * y;
    let inverse = square.through(1.0 / square.value, -square.value.powi(-2), 2.0 * square.value.powi(-3));
    let slope = |k: usize| (x.value * y.first[k] - y.value * x.first[k]) * inverse.value;
    // Along the second direction, the derivative of the differential along the first.
    let mixed = (x.first[1] * y.first[0] + x.value * y.mixed - y.first[1] * x.first[0] - y.value * x.mixed)
        * inverse.value
        + (x.value * y.first[0] - y.value * x.first[0]) * inverse.first[1];
    Jet { value: y.value.atan2(x.value), first: [slope(0), slope(1)], mixed }
}
