//! Arithmetic modulo a large prime, for decisions that must not depend on rounding.
//!
//! The primes satisfy p = -1 (mod 240). Then -1 is not a square, so exactly one of the two roots of a square is a square
//! itself; taking that one makes roots multiplicative, as they are for positive numbers. And the circle
//! `c^2 + s^2 = 1` is a cyclic group of p + 1 elements, which holds the exact points of the angles k pi/120. All primes up
//! to 61 are squares, so that the roots of most numbers in models exist.

use crate::rational::Rational;

/// The primes that decisions are made with; what one has found, another confirms.
pub const PRIMES: [u64; 3] =
    [4_611_686_018_312_197_439, 4_611_686_018_185_332_239, 4_611_686_018_037_781_679];

/// A number modulo the prime of its [`Field`] (in Montgomery form).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Residue(u64);

impl Residue {
    /// Zero, in every field.
    pub const ZERO: Residue = Residue(0);

    /// Is it zero?
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.0 == 0
    }
}

/// The numbers modulo a prime.
///
/// ```
/// use dalembert_expr::{Field, PRIMES, Rational};
/// let field = Field::new(PRIMES[0]);
/// let third = field.rational(&Rational::new(1, 3).unwrap()).unwrap();
/// let sum = field.add(third, field.add(third, third));
/// assert_eq!(sum, field.one());
/// assert_eq!(field.reconstruct(third), Rational::new(1, 3));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    p: u64,
    /// `-1/p` modulo 2^64.
    inverse: u64,
    /// `2^128` modulo p.
    square: u64,
}

impl Field {
    /// The field of a prime below 2^62; one of [`PRIMES`].
    #[must_use]
    pub fn new(p: u64) -> Field {
        let inverse = (0..6).fold(1u64, |x, _| x.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(x))));
        let r = (1u128 << 64) % u128::from(p);
        Field { p, inverse: inverse.wrapping_neg(), square: (r * r % u128::from(p)) as u64 }
    }

    /// 1
    #[must_use]
    pub fn one(&self) -> Residue {
        self.int(1)
    }

    /// A whole number.
    #[must_use]
    pub fn int(&self, n: i64) -> Residue {
        self.mul(Residue(n.rem_euclid(self.p as i64) as u64), Residue(self.square))
    }

    /// A number from 64 random bits.
    #[must_use]
    pub fn from_bits(&self, bits: u64) -> Residue {
        Residue(bits % self.p)
    }

    /// A rational number; `None` where the prime divides its denominator.
    #[must_use]
    pub fn rational(&self, r: &Rational) -> Option<Residue> {
        let (n, d) = r.modulo(self.p);
        let [n, d] = [n, d].map(|v| self.mul(Residue(v), Residue(self.square)));
        Some(self.mul(n, self.recip(d)?))
    }

    /// Its least non-negative representative.
    #[must_use]
    pub fn value(&self, a: Residue) -> u64 {
        self.mul(a, Residue(1)).0
    }

    /// `a + b`
    #[must_use]
    pub fn add(&self, a: Residue, b: Residue) -> Residue {
        let sum = a.0 + b.0;
        Residue(if sum >= self.p { sum - self.p } else { sum })
    }

    /// `a - b`
    #[must_use]
    pub fn sub(&self, a: Residue, b: Residue) -> Residue {
        Residue(if a.0 >= b.0 { a.0 - b.0 } else { a.0 + self.p - b.0 })
    }

    /// `-a`
    #[must_use]
    pub fn neg(&self, a: Residue) -> Residue {
        self.sub(Residue::ZERO, a)
    }

    /// `a b` (Montgomery's reduction)
    #[must_use]
    pub fn mul(&self, a: Residue, b: Residue) -> Residue {
        let t = u128::from(a.0) * u128::from(b.0);
        let m = (t as u64).wrapping_mul(self.inverse);
        let u = ((t + u128::from(m) * u128::from(self.p)) >> 64) as u64;
        Residue(if u >= self.p { u - self.p } else { u })
    }

    /// `a^n`
    #[must_use]
    pub fn pow(&self, a: Residue, mut n: u64) -> Residue {
        let (mut base, mut result) = (a, self.one());
        while n > 0 {
            if n & 1 == 1 {
                result = self.mul(result, base);
            }
            base = self.mul(base, base);
            n >>= 1;
        }
        result
    }

    /// `1/a`, or `None` at zero.
    #[must_use]
    pub fn recip(&self, a: Residue) -> Option<Residue> {
        (!a.is_zero()).then(|| self.pow(a, self.p - 2))
    }

    /// Is it a square other than zero? Squares stand for positive numbers.
    #[must_use]
    pub fn is_square(&self, a: Residue) -> bool {
        self.pow(a, self.half_order()) == self.one()
    }

    /// How many squares there are besides zero; odd.
    pub(crate) fn half_order(&self) -> u64 {
        (self.p - 1) / 2
    }

    /// How many points the circle has.
    pub(crate) fn circle_order(&self) -> u64 {
        self.p + 1
    }

    /// The rational power of a square, itself a square: a homomorphism, as for positive numbers. Whole powers of
    /// anything but zero. `None` where there is none.
    #[must_use]
    pub fn power(&self, a: Residue, exponent: &Rational) -> Option<Residue> {
        let (n, d) = exponent.to_fraction()?;
        let order = self.half_order();
        if d == 1 {
            return match n {
                0.. => Some(self.pow(a, n.unsigned_abs())),
                _ => Some(self.pow(self.recip(a)?, n.unsigned_abs())),
            };
        }
        if a.is_zero() {
            return (n > 0).then_some(a);
        }
        if !self.is_square(a) {
            return None;
        }
        Some(self.pow(a, exponent_modulo(n, d, order)?))
    }

    /// The fraction with numerator and denominator below 2^30 that this is, if there is one.
    #[must_use]
    pub fn reconstruct(&self, a: Residue) -> Option<Rational> {
        const BOUND: i128 = 1 << 30;
        let (mut r0, mut r1) = (i128::from(self.p), i128::from(self.value(a)));
        let (mut s0, mut s1) = (0i128, 1i128);
        while r1 >= BOUND {
            let q = r0 / r1;
            (r0, r1) = (r1, r0 - q * r1);
            (s0, s1) = (s1, s0 - q * s1);
        }
        if s1 == 0 || s1.abs() >= BOUND {
            return None;
        }
        let (n, d) = if s1 < 0 { (-r1, -s1) } else { (r1, s1) };
        Rational::new(n as i64, d as i64)
    }
}

/// `n/d` modulo an order that `d` is coprime to.
pub(crate) fn exponent_modulo(n: i64, d: i64, order: u64) -> Option<u64> {
    let order = i128::from(order);
    let (mut r0, mut r1, mut s0, mut s1) = (order, i128::from(d).rem_euclid(order), 0i128, 1i128);
    while r1 != 0 {
        let q = r0 / r1;
        (r0, r1) = (r1, r0 - q * r1);
        (s0, s1) = (s1, s0 - q * s1);
    }
    if r0 != 1 {
        return None;
    }
    let (n, inverse) = (i128::from(n).rem_euclid(order), s0.rem_euclid(order));
    // Both factors are below 2^62.
    Some((n * inverse).rem_euclid(order) as u64)
}

/// A point `(cos, sin)` of the circle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    pub cos: Residue,
    pub sin: Residue,
}

impl Field {
    pub(crate) fn no_turn(&self) -> Turn {
        Turn { cos: self.one(), sin: Residue::ZERO }
    }

    /// The sum of two angles.
    pub(crate) fn turn_by(&self, a: Turn, b: Turn) -> Turn {
        let (cc, ss) = (self.mul(a.cos, b.cos), self.mul(a.sin, b.sin));
        let (sc, cs) = (self.mul(a.sin, b.cos), self.mul(a.cos, b.sin));
        Turn { cos: self.sub(cc, ss), sin: self.add(sc, cs) }
    }

    /// `n` times an angle.
    pub(crate) fn turn_times(&self, a: Turn, mut n: u64) -> Turn {
        let (mut base, mut result) = (a, self.no_turn());
        while n > 0 {
            if n & 1 == 1 {
                result = self.turn_by(result, base);
            }
            base = self.turn_by(base, base);
            n >>= 1;
        }
        result
    }

    /// The point of the rational parametrisation by `u = tan(angle/2)`.
    pub(crate) fn turn_of(&self, u: Residue) -> Turn {
        let square = self.mul(u, u);
        // -1 is not a square: the denominator never vanishes.
        let scale = self.recip(self.add(self.one(), square)).unwrap_or_default();
        let cos = self.mul(self.sub(self.one(), square), scale);
        Turn { cos, sin: self.mul(self.add(u, u), scale) }
    }

    /// The angle pi/120, such that its multiples have the cosines that roots give:
    /// `2 cos(pi/4) = sqrt(2)`, `2 cos(pi/6) = sqrt(3)`, `4 cos(pi/5) = 1 + sqrt(5)`.
    pub(crate) fn turn_120th(&self) -> Option<Turn> {
        let root = |n: i64| self.power(self.int(n), &Rational::HALF);
        let half = self.recip(self.int(2))?;
        let quarter = self.mul(half, half);
        let wanted = [
            (30, self.mul(root(2)?, half)),
            (20, self.mul(root(3)?, half)),
            (24, self.mul(self.add(self.one(), root(5)?), quarter)),
            (60, Residue::ZERO),
        ];
        let fits = |z: Turn| {
            self.turn_times(z, 60).sin == self.one()
                && wanted.iter().all(|(k, cos)| self.turn_times(z, *k).cos == *cos)
        };
        for u in 2..200 {
            let z = self.turn_times(self.turn_of(self.int(u)), self.circle_order() / 240);
            let found = (1..240).step_by(2).map(|k| self.turn_times(z, k)).find(|z| fits(*z));
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_primes_have_what_is_asked_of_them() {
        for p in PRIMES {
            assert_eq!(p % 240, 239);
            let field = Field::new(p);
            assert!(!field.is_square(field.int(-1)));
            assert!(
                [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 61]
                    .iter()
                    .all(|q| field.is_square(field.int(*q)))
            );
            assert_eq!(field.value(field.pow(field.int(3), p - 1)), 1);
            let z = field.turn_120th().expect("the angle pi/120 is there");
            assert_eq!(field.turn_times(z, 240), field.no_turn());
            // Roots are multiplicative.
            let [a, b] = [3, 7].map(|n| field.mul(field.int(n), field.int(n + 4)));
            let [a, b] = [field.mul(a, a), field.mul(b, b)];
            let root = |v| field.power(v, &Rational::HALF).unwrap();
            assert_eq!(root(field.mul(a, b)), field.mul(root(a), root(b)));
            assert_eq!(field.mul(root(a), root(a)), a);
        }
    }
}
