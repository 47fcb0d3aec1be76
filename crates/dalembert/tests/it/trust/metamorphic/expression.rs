//! Expressions that are printed into a model and evaluated with second derivatives: hyper-dual numbers, which are exact.

use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// `f + a d1 + b d2 + ab d1 d2` with `d1^2 = d2^2 = 0`: `ab` is the mixed second derivative.
#[derive(Clone, Copy, Debug)]
pub struct HyperDual {
    pub f: f64,
    pub a: f64,
    pub b: f64,
    pub ab: f64,
}

impl HyperDual {
    pub fn new(f: f64, a: f64, b: f64) -> Self {
        HyperDual { f, a, b, ab: 0.0 }
    }

    /// A function by its value and two derivatives at `self.f`.
    fn chain(self, f: f64, d: f64, dd: f64) -> Self {
        HyperDual { f, a: d * self.a, b: d * self.b, ab: d * self.ab + dd * self.a * self.b }
    }
}

/// An expression over coordinates, their rates, the time and parameters.
#[derive(Clone, Debug)]
pub enum Expression {
    Number(f64),
    Parameter(usize),
    Coordinate(usize),
    Rate(usize),
    Time,
    Sum(Box<Self>, Box<Self>),
    Product(Box<Self>, Box<Self>),
    Quotient(Box<Self>, Box<Self>),
    Sine(Box<Self>),
    Cosine(Box<Self>),
    Root(Box<Self>),
    Exponential(Box<Self>),
    /// Printed as a name that the model gives to the expression.
    Named(String, Box<Self>),
}

use Expression as E;

/// Where an expression is evaluated.
pub struct Place<'a> {
    pub q: &'a [HyperDual],
    pub v: &'a [HyperDual],
    pub t: HyperDual,
    pub parameters: &'a [f64],
}

/// The name of a coordinate.
pub fn name(i: usize) -> &'static str {
    ["x", "y", "theta", "s", "phi"][i]
}

pub fn number(value: f64) -> E {
    E::Number(value)
}

pub fn sin(e: E) -> E {
    E::Sine(Box::new(e))
}

pub fn cos(e: E) -> E {
    E::Cosine(Box::new(e))
}

pub fn sqrt(e: E) -> E {
    E::Root(Box::new(e))
}

pub fn exp(e: E) -> E {
    E::Exponential(Box::new(e))
}

pub fn square(e: E) -> E {
    e.clone() * e
}

impl Expression {
    pub fn at(&self, place: &Place) -> HyperDual {
        match self {
            E::Number(value) => HyperDual::new(*value, 0.0, 0.0),
            E::Parameter(k) => HyperDual::new(place.parameters[*k], 0.0, 0.0),
            E::Coordinate(i) => place.q[*i],
            E::Rate(i) => place.v[*i],
            E::Time => place.t,
            E::Sum(x, y) => {
                let (x, y) = (x.at(place), y.at(place));
                HyperDual { f: x.f + y.f, a: x.a + y.a, b: x.b + y.b, ab: x.ab + y.ab }
            }
            E::Product(x, y) => product(x.at(place), y.at(place)),
            E::Quotient(x, y) => {
                let y = y.at(place);
                product(x.at(place), y.chain(1.0 / y.f, -1.0 / y.f.powi(2), 2.0 / y.f.powi(3)))
            }
            E::Sine(x) => {
                let x = x.at(place);
                x.chain(x.f.sin(), x.f.cos(), -x.f.sin())
            }
            E::Cosine(x) => {
                let x = x.at(place);
                x.chain(x.f.cos(), -x.f.sin(), -x.f.cos())
            }
            E::Root(x) => {
                let x = x.at(place);
                let r = x.f.sqrt();
                x.chain(r, 0.5 / r, -0.25 / (r * x.f))
            }
            E::Exponential(x) => {
                let x = x.at(place);
                x.chain(x.f.exp(), x.f.exp(), x.f.exp())
            }
            E::Named(_, x) => x.at(place),
        }
    }

    /// Each leaf replaced by what `change` makes of it.
    pub fn map(&self, change: &impl Fn(&E) -> Option<E>) -> E {
        if let Some(other) = change(self) {
            return other;
        }
        let go = |e: &E| Box::new(e.map(change));
        match self {
            E::Sum(x, y) => E::Sum(go(x), go(y)),
            E::Product(x, y) => E::Product(go(x), go(y)),
            E::Quotient(x, y) => E::Quotient(go(x), go(y)),
            E::Sine(x) => E::Sine(go(x)),
            E::Cosine(x) => E::Cosine(go(x)),
            E::Root(x) => E::Root(go(x)),
            E::Exponential(x) => E::Exponential(go(x)),
            leaf => leaf.clone(),
        }
    }
}

fn product(x: HyperDual, y: HyperDual) -> HyperDual {
    HyperDual {
        f: x.f * y.f,
        a: x.a * y.f + x.f * y.a,
        b: x.b * y.f + x.f * y.b,
        ab: x.ab * y.f + x.a * y.b + x.b * y.a + x.f * y.ab,
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            E::Number(value) if *value < 0.0 => write!(f, "({value})"),
            E::Number(value) => write!(f, "{value}"),
            E::Parameter(k) => write!(f, "p{k}"),
            E::Coordinate(i) => write!(f, "{}", name(*i)),
            E::Rate(i) => write!(f, "{}'", name(*i)),
            E::Time => write!(f, "t"),
            E::Sum(x, y) => write!(f, "({x} + {y})"),
            E::Product(x, y) => write!(f, "{x}*{y}"),
            E::Quotient(x, y) => write!(f, "({x}/({y}))"),
            E::Sine(x) => write!(f, "sin({x})"),
            E::Cosine(x) => write!(f, "cos({x})"),
            E::Root(x) => write!(f, "sqrt({x})"),
            E::Exponential(x) => write!(f, "exp({x})"),
            E::Named(name, _) => write!(f, "{name}"),
        }
    }
}

impl Add for E {
    type Output = E;
    fn add(self, other: E) -> E {
        E::Sum(Box::new(self), Box::new(other))
    }
}

impl Mul for E {
    type Output = E;
    fn mul(self, other: E) -> E {
        E::Product(Box::new(self), Box::new(other))
    }
}

impl Mul<E> for f64 {
    type Output = E;
    fn mul(self, other: E) -> E {
        number(self) * other
    }
}

impl Div for E {
    type Output = E;
    fn div(self, other: E) -> E {
        E::Quotient(Box::new(self), Box::new(other))
    }
}

impl Neg for E {
    type Output = E;
    fn neg(self) -> E {
        -1.0 * self
    }
}

impl Sub for E {
    type Output = E;
    fn sub(self, other: E) -> E {
        self + -other
    }
}
