//! Exact rational numbers: two machine words while they fit, big integers when they do not.
//!
//! The representation is unique (lowest terms, positive denominator, big only when the small form
//! cannot hold it), so equality and hashing are structural.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Add, Mul, Neg, Sub};

/// An exact rational number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rational(Form);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    Small(i64, i64),
    Big(Box<BigRational>),
}

impl Hash for Form {
    /// Two words for nearly all: every term of every sum has one.
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Form::Small(n, d) => (n, d).hash(state),
            Form::Big(value) => value.hash(state),
        }
    }
}

/// Results of powers are kept exact up to this many bits; beyond, the power stays symbolic.
const MAX_POWER_BITS: u64 = 4096;
/// Decimal exponents past this are outside of what a double can hold.
const MAX_DECIMAL_EXPONENT: u64 = 400;
/// Longer literals are refused: no measured quantity has so many digits.
const MAX_DIGITS: usize = 400;

impl Rational {
    /// 0
    pub const ZERO: Rational = Rational(Form::Small(0, 1));
    /// 1
    pub const ONE: Rational = Rational(Form::Small(1, 1));
    /// -1
    pub const MINUS_ONE: Rational = Rational(Form::Small(-1, 1));
    /// 1/2
    pub const HALF: Rational = Rational(Form::Small(1, 2));

    /// The fraction `numerator/denominator` in lowest terms; `None` if the denominator is zero.
    #[must_use]
    pub fn new(numerator: i64, denominator: i64) -> Option<Self> {
        (denominator != 0).then(|| Self::from_i128(numerator.into(), denominator.into()))
    }

    fn from_i128(n: i128, d: i128) -> Self {
        // Whole numbers are by far the most.
        if let (1, Ok(n)) = (d, i64::try_from(n)) {
            return Rational(Form::Small(n, 1));
        }
        let g = n.gcd(&d).max(1) * d.signum();
        let (n, d) = (n / g, d / g);
        match (i64::try_from(n), i64::try_from(d)) {
            (Ok(n), Ok(d)) => Rational(Form::Small(n, d)),
            _ => Rational(Form::Big(Box::new(BigRational::new_raw(n.into(), d.into())))),
        }
    }

    fn from_big(value: BigRational) -> Self {
        match (value.numer().to_i64(), value.denom().to_i64()) {
            (Some(n), Some(d)) => Rational(Form::Small(n, d)),
            _ => Rational(Form::Big(Box::new(value))),
        }
    }

    fn to_big(&self) -> BigRational {
        match &self.0 {
            Form::Small(n, d) => BigRational::new_raw((*n).into(), (*d).into()),
            Form::Big(value) => (**value).clone(),
        }
    }

    /// Reads a decimal such as `12`, `0.25` or `1.5e-3` exactly.
    ///
    /// `None` if it is not a decimal number or lies outside of the range of doubles.
    ///
    /// ```
    /// use dalembert_expr::Rational;
    /// assert_eq!(Rational::from_decimal("0.25"), Rational::new(1, 4));
    /// assert_eq!(Rational::from_decimal("1e999"), None);
    /// assert_eq!(Rational::from_decimal("1e-9223372036854775808"), None);
    /// ```
    #[must_use]
    pub fn from_decimal(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(i) => (&text[..i], text[i + 1..].parse::<i64>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        if !plain || digits.len() > MAX_DIGITS {
            return None;
        }
        let n: BigInt = digits.parse().ok()?;
        if n.is_zero() {
            return Some(Self::ZERO);
        }
        let exponent = exponent.checked_sub(fraction.len() as i64)?;
        if exponent.unsigned_abs() > MAX_DECIMAL_EXPONENT + MAX_DIGITS as u64 {
            return None;
        }
        let scale = BigInt::from(10).pow(exponent.unsigned_abs() as u32);
        let value =
            if exponent >= 0 { BigRational::from_integer(n * scale) } else { BigRational::new(n, scale) };
        let value = Self::from_big(value);
        value.to_f64().is_normal().then_some(value)
    }

    /// The exact value of a finite double; `None` for infinities and NaN.
    #[must_use]
    pub fn from_f64(value: f64) -> Option<Self> {
        BigRational::from_float(value).map(Self::from_big)
    }

    /// The nearest double.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            // Both parts exact in a double: the quotient is correctly rounded.
            Form::Small(n, d) if n.unsigned_abs() < 1 << 53 && *d < 1 << 53 => *n as f64 / *d as f64,
            _ => self.to_big().to_f64().unwrap_or(f64::NAN),
        }
    }

    /// The whole number it is, if it is one and fits.
    #[must_use]
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Form::Small(n, 1) => Some(n),
            _ => None,
        }
    }

    /// Numerator and denominator where both are small.
    #[must_use]
    pub fn to_fraction(&self) -> Option<(i64, i64)> {
        match self.0 {
            Form::Small(n, d) => Some((n, d)),
            Form::Big(_) => None,
        }
    }

    /// Bits of the longer of numerator and denominator.
    #[must_use]
    pub fn bits(&self) -> u64 {
        match &self.0 {
            Form::Small(..) => 64,
            Form::Big(value) => value.numer().bits().max(value.denom().bits()),
        }
    }

    /// Numerator and denominator modulo a prime.
    pub(crate) fn modulo(&self, p: u64) -> (u64, u64) {
        match &self.0 {
            Form::Small(n, d) => (i128::from(*n).rem_euclid(p.into()) as u64, *d as u64 % p),
            Form::Big(value) => {
                let of = |v: &BigInt| v.mod_floor(&p.into()).to_u64().unwrap_or(0);
                (of(value.numer()), of(value.denom()))
            }
        }
    }

    /// Is it zero?
    #[must_use]
    pub fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    /// Is it one?
    #[must_use]
    pub fn is_one(&self) -> bool {
        *self == Self::ONE
    }

    /// Is it less than zero?
    #[must_use]
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Form::Small(n, _) => *n < 0,
            Form::Big(value) => value.is_negative(),
        }
    }

    /// Is it a whole number?
    #[must_use]
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Form::Small(_, d) => *d == 1,
            Form::Big(value) => value.is_integer(),
        }
    }

    /// Is it an even whole number?
    #[must_use]
    pub fn is_even(&self) -> bool {
        match &self.0 {
            Form::Small(n, d) => *d == 1 && n % 2 == 0,
            Form::Big(value) => value.is_integer() && value.numer().is_even(),
        }
    }

    /// Largest whole number not above it.
    #[must_use]
    pub fn floor(&self) -> Self {
        match &self.0 {
            Form::Small(n, d) => Rational(Form::Small(n.div_euclid(*d), 1)),
            Form::Big(value) => Self::from_big(value.floor()),
        }
    }

    /// Absolute value.
    #[must_use]
    pub fn abs(&self) -> Self {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// 1/self, or `None` at zero.
    #[must_use]
    pub fn recip(&self) -> Option<Self> {
        match &self.0 {
            Form::Small(n, d) => Self::new(*d, *n),
            Form::Big(value) => (!value.is_zero()).then(|| Self::from_big(value.recip())),
        }
    }

    /// `self^exponent`, or `None` where it is undefined (0 to a negative power) or too long to keep.
    #[must_use]
    pub fn powi(&self, exponent: i64) -> Option<Self> {
        if exponent == 1 {
            return Some(self.clone());
        }
        let base = if exponent < 0 { self.recip()? } else { self.clone() };
        let e = exponent.unsigned_abs();
        if base.is_zero() || base.abs().is_one() {
            let odd = e % 2 == 1;
            return Some(if e == 0 || (base.is_negative() && !odd) { Self::ONE } else { base });
        }
        let big = base.to_big();
        let bits = big.numer().bits().max(big.denom().bits());
        if bits.checked_mul(e)? > MAX_POWER_BITS {
            return None;
        }
        let e = e as u32;
        Some(Self::from_big(BigRational::new_raw(big.numer().pow(e), big.denom().pow(e))))
    }

    /// Greatest rational `g > 0` such that both are whole multiples of it (`a` if `b` is zero).
    #[must_use]
    pub fn gcd(&self, other: &Self) -> Self {
        if let (Form::Small(a, b), Form::Small(c, d)) = (&self.0, &other.0) {
            let (n, d) = (i128::from(*a).gcd(&(*c).into()), i128::from(*b).lcm(&(*d).into()));
            return Self::from_i128(n, d);
        }
        let (a, b) = (self.to_big(), other.to_big());
        Self::from_big(BigRational::new(a.numer().gcd(b.numer()), a.denom().lcm(b.denom())))
    }

    /// The exact `k`-th root of a positive rational, if it has one.
    #[must_use]
    pub fn exact_root(&self, k: u32) -> Option<Self> {
        if self.is_negative() || k == 0 {
            return None;
        }
        let big = self.to_big();
        let (n, d) = (big.numer().nth_root(k), big.denom().nth_root(k));
        (n.pow(k) == *big.numer() && d.pow(k) == *big.denom())
            .then(|| Self::from_big(BigRational::new_raw(n, d)))
    }
}

impl From<i64> for Rational {
    fn from(n: i64) -> Self {
        Rational(Form::Small(n, 1))
    }
}

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        self * &Rational::MINUS_ONE
    }
}

macro_rules! arithmetic {
    ($trait:ident, $method:ident, $small:expr) => {
        impl $trait for &Rational {
            type Output = Rational;
            fn $method(self, other: &Rational) -> Rational {
                if let (Form::Small(a, b), Form::Small(c, d)) = (&self.0, &other.0) {
                    let [a, b, c, d] = [*a, *b, *c, *d].map(i128::from);
                    let (n, d): (i128, i128) = $small(a, b, c, d);
                    return Rational::from_i128(n, d);
                }
                Rational::from_big(self.to_big().$method(other.to_big()))
            }
        }
    };
}

// Two products of 63-bit numbers fit into 127 bits with room for one sum.
arithmetic!(Add, add, |a, b, c, d| if b == d { (a + c, b) } else { (a * d + c * b, b * d) });
arithmetic!(Sub, sub, |a, b, c, d| if b == d { (a - c, b) } else { (a * d - c * b, b * d) });
arithmetic!(Mul, mul, |a, b, c, d| (a * c, b * d));

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        if let (Form::Small(a, b), Form::Small(c, d)) = (&self.0, &other.0) {
            return (i128::from(*a) * i128::from(*d)).cmp(&(i128::from(*c) * i128::from(*b)));
        }
        self.to_big().cmp(&other.to_big())
    }
}

impl fmt::Display for Rational {
    /// A whole number or a fraction `n/d`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let big = self.to_big();
        if big.denom().is_one() { write!(f, "{}", big.numer()) } else { write!(f, "{big}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_rational() -> impl Strategy<Value = Rational> {
        (any::<i64>(), 1i64..).prop_map(|(n, d)| Rational::new(n, d).unwrap())
    }

    proptest! {
        #[test]
        fn field_laws_hold_past_machine_words(a in any_rational(), b in any_rational(), c in any_rational()) {
            prop_assert_eq!(&(&(&a + &b) + &c), &(&a + &(&b + &c)));
            prop_assert_eq!(&a * &(&b + &c), &(&a * &b) + &(&a * &c));
            prop_assert_eq!(&(&a - &b) + &b, a.clone());
            if let Some(inverse) = a.recip() {
                prop_assert_eq!(&a * &inverse, Rational::ONE);
            }
        }

        #[test]
        fn doubles_survive_the_round_trip(x in any::<f64>().prop_filter("finite", |x| x.is_finite())) {
            prop_assert_eq!(Rational::from_f64(x).unwrap().to_f64(), x);
        }

        #[test]
        fn decimals_round_as_the_standard_library_rounds(x in any::<f64>().prop_filter("normal", |x| x.is_normal())) {
            let text = format!("{:e}", x.abs());
            prop_assert_eq!(Rational::from_decimal(&text).unwrap().to_f64(), x.abs());
        }
    }

    #[test]
    fn powers_are_bounded() {
        let two = Rational::from(2);
        assert_eq!(two.powi(10), Some(Rational::from(1024)));
        assert_eq!(two.powi(-1), Some(Rational::HALF));
        assert_eq!(two.powi(1_000_000_000), None);
        assert_eq!(Rational::ZERO.powi(-1), None);
        assert_eq!(Rational::MINUS_ONE.powi(i64::MAX), Some(Rational::MINUS_ONE));
        assert_eq!(Rational::new(4, 9).unwrap().exact_root(2), Rational::new(2, 3));
    }
}
