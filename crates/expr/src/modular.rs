//! Exact values at random points: expressions modulo a large prime.
//!
//! Rational functions are evaluated as they are. Functions get values that satisfy their identities:
//!
//! ```text
//! sin, cos    a random point of the circle for each angle; sums and rational multiples by the group law
//! exp, b^x    a random square for each exponent; sums and rational multiples by the laws of powers
//! roots       the root that is a square itself, so that sqrt(a b) = sqrt(a) sqrt(b); |a| is the root of a^2
//! signs       +1 for squares, -1 for others: symbols have either sign, as far as roots of them leave the choice
//! conditions  a random number for each comparison; `if` is linear in it, so that what holds does on every side
//! others      a random number for each argument
//! ```
//!
//! An identity between expressions holds at every point. An expression that is not identically zero vanishes at a
//! random point with probability below degree/2^61 (Schwartz and Zippel), provided that different angles, exponents and
//! arguments satisfy no algebraic relation beside those above; where that is not known [`Sample::is_exact`] says so.
//! Knows no mechanics.

use crate::function::Function;
use crate::pool::{Expr, Node, Pool, Symbol, Weighted};
use crate::rational::Rational;
use crate::residue::{Field, Residue, Turn, exponent_modulo};
use crate::switch::{Switch, below};
use rustc_hash::FxHashMap;

/// Angles are taken in this fraction, so that denominators that divide it cause no roots: 2^6 3^3 5^4 7.
const FINEST_ANGLE: i64 = 7_560_000;

/// A random point, with the values of expressions there.
///
/// ```
/// use dalembert_expr::{Function, Pool, PRIMES, Sample};
/// let mut pool = Pool::new();
/// let (a, b) = (pool.named("a"), pool.named("b"));
/// let difference = pool.sub(a, b);
/// let [sa, sb, s] = [a, b, difference].map(|u| pool.call1(Function::Sin, u));
/// let [ca, cb] = [a, b].map(|u| pool.call1(Function::Cos, u));
/// let (left, right) = (pool.mul(sa, cb), pool.mul(ca, sb));
/// let sum = pool.sub(left, right);
/// let mut sample = Sample::new(PRIMES[0], 1);
/// let values = sample.values(&pool, &[s, sum, left]).unwrap();
/// assert_eq!(values[0], values[1]);            // sin(a - b) = sin a cos b - cos a sin b
/// assert_ne!(values[0], values[2]);
/// assert!(sample.is_exact());
/// ```
#[derive(Clone, Debug)]
pub struct Sample {
    field: Field,
    seed: u64,
    given: FxHashMap<Symbol, Residue>,
    /// Symbols that were given their places from outside.
    pinned: Vec<Symbol>,
    known: FxHashMap<Expr, Option<Residue>>,
    turn_120th: Option<Turn>,
    exact: bool,
    /// A switch that was put to one side.
    forced: Option<(Switch, bool)>,
}

/// What random numbers are for.
#[derive(Clone, Copy)]
enum Role {
    Symbol,
    Pi,
    Angle,
    Exponent,
    Other,
}

impl Sample {
    /// The point of a prime of [`crate::PRIMES`] and a seed.
    #[must_use]
    pub fn new(prime: u64, seed: u64) -> Sample {
        let field = Field::new(prime);
        let known = FxHashMap::default();
        let (given, pinned) = (FxHashMap::default(), Vec::new());
        Sample {
            field,
            seed,
            given,
            pinned,
            known,
            turn_120th: field.turn_120th(),
            exact: true,
            forced: None,
        }
    }

    /// The numbers that values are.
    #[must_use]
    pub fn field(&self) -> Field {
        self.field
    }

    /// Did all values so far come from functions whose relations are known?
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Puts symbols at given places instead of random ones. Zero also puts them at zero as angles and exponents.
    pub fn set(&mut self, values: impl IntoIterator<Item = (Symbol, Residue)>) {
        for (symbol, value) in values {
            self.given.insert(symbol, value);
            self.pinned.push(symbol);
        }
        self.known.clear();
    }

    /// Puts a switch to one side of it, wherever the point is.
    pub fn force(&mut self, switch: Switch, side: bool) {
        self.forced = Some((switch, side));
        self.known.clear();
    }

    /// Moves the point until roots in the expressions exist, as far as that is reached by moving one symbol at a time.
    pub fn settle(&mut self, pool: &Pool, roots: &[Expr]) {
        const MAX_MOVES: u64 = 300;
        let radicands = radicands(pool, roots);
        let mut missing = self.without_root(&radicands, pool);
        for k in 0..MAX_MOVES {
            let Some((_, symbols)) = missing.first().map(|&r| &radicands[r]) else { return };
            let free: Vec<Symbol> = symbols.iter().copied().filter(|s| !self.pinned.contains(s)).collect();
            if free.is_empty() {
                return;
            }
            let bits = self.bits(Role::Other, k, u64::MAX);
            let mut trial = self.clone();
            let root = self.random(Role::Symbol, bits, 1);
            trial.given.insert(free[bits as usize % free.len()], self.field.mul(root, root));
            trial.known.clear();
            let left = trial.without_root(&radicands, pool);
            if left.len() <= missing.len() {
                (*self, missing) = (trial, left);
            }
        }
    }

    /// Which radicands have no root here.
    fn without_root(&mut self, radicands: &[(Expr, Vec<Symbol>)], pool: &Pool) -> Vec<usize> {
        let mut missing = |e: Expr| self.values(pool, &[e]).is_none_or(|v| !self.field.is_square(v[0]));
        (0..radicands.len()).filter(|&k| missing(radicands[k].0)).collect()
    }

    /// The values of some expressions; `None` if one of them is not defined at this point.
    pub fn values(&mut self, pool: &Pool, roots: &[Expr]) -> Option<Vec<Residue>> {
        for &root in roots {
            self.visit(pool, root);
        }
        roots.iter().map(|e| self.known.get(e).copied().flatten()).collect()
    }

    /// Values of everything under `root`, children first, without recursion.
    fn visit(&mut self, pool: &Pool, root: Expr) {
        let mut stack = vec![(root, false)];
        while let Some((e, ready)) = stack.pop() {
            if self.known.contains_key(&e) {
                continue;
            }
            if ready {
                let value = self.of_node(pool, e);
                self.known.insert(e, value);
            } else {
                stack.push((e, true));
                pool.node(e).for_each_child(|c| stack.push((c, false)));
            }
        }
    }

    fn of(&self, e: Expr) -> Option<Residue> {
        self.known.get(&e).copied().flatten()
    }

    fn of_node(&mut self, pool: &Pool, e: Expr) -> Option<Residue> {
        let field = self.field;
        match pool.node(e) {
            Node::Number(r) => field.rational(r),
            Node::Pi => Some(self.random(Role::Pi, 0, 0)),
            Node::Symbol(s) => Some(match self.given.get(s) {
                Some(value) => *value,
                None => self.random(Role::Symbol, u64::from(s.0), 0),
            }),
            Node::Sum(constant, terms) => {
                let mut sum = field.rational(constant)?;
                for (t, c) in terms {
                    sum = field.add(sum, field.mul(self.of(*t)?, field.rational(c)?));
                }
                Some(sum)
            }
            Node::Product(factors) => {
                let mut product = field.one();
                for (b, p) in factors {
                    let factor = match (field.power(self.of(*b)?, p), pool.node(*b)) {
                        (None, Node::Number(r)) if !r.is_zero() && !r.is_negative() => {
                            // A number without such a root here; the constructors keep its powers together.
                            self.exact = false;
                            let (n, d) = p.to_fraction()?;
                            self.random(Role::Other, u64::from(b.0), bits_of(n, d))
                        }
                        (power, _) => power?,
                    };
                    product = field.mul(product, factor);
                }
                Some(product)
            }
            Node::Power(base, exponent) => self.general_power(pool, *base, *exponent),
            Node::Call(f, args) => self.call(pool, e, *f, args),
        }
    }

    fn call(&mut self, pool: &Pool, e: Expr, f: Function, args: &[Expr]) -> Option<Residue> {
        use Function as F;
        let field = self.field;
        self.exact &= !matches!(f, F::Abs | F::Sign);
        match f {
            F::Sin => Some(self.turn(pool, args[0])?.sin),
            F::Cos => Some(self.turn(pool, args[0])?.cos),
            F::Tan => {
                let turn = self.turn(pool, args[0])?;
                Some(field.mul(turn.sin, field.recip(turn.cos)?))
            }
            F::Exp => self.exponential(pool, args[0]),
            F::Sinh | F::Cosh | F::Tanh => {
                let up = self.exponential(pool, args[0])?;
                let down = field.recip(up)?;
                let (sum, difference) = (field.add(up, down), field.sub(up, down));
                let half = field.recip(field.int(2))?;
                match f {
                    F::Sinh => Some(field.mul(difference, half)),
                    F::Cosh => Some(field.mul(sum, half)),
                    _ => Some(field.mul(difference, field.recip(sum)?)),
                }
            }
            F::Log => self.logarithm(pool, args[0]),
            F::Abs => self.of(args[0]).map(|a| if field.is_square(a) { a } else { field.neg(a) }),
            F::Sign => self.of(args[0]).map(|a| match self.forced {
                Some((switch, side)) if switch == Switch::Sign(args[0]) => {
                    field.int(if side { 1 } else { -1 })
                }
                Some(_) if a.is_zero() => self.random(Role::Other, u64::from(args[0].0), 2),
                _ if a.is_zero() => Residue::ZERO,
                _ => field.int(if field.is_square(a) { 1 } else { -1 }),
            }),
            F::Asin
            | F::Acos
            | F::Atan
            | F::Atan2
            | F::Asinh
            | F::Acosh
            | F::Atanh
            | F::Floor
            | F::Lookup => {
                for arg in args {
                    self.of(*arg)?;
                }
                self.exact = false;
                Some(self.random(Role::Other, u64::from(e.0), 0))
            }
            F::Min | F::Max | F::Less | F::LessEqual | F::Equal | F::And | F::Or | F::Not | F::Select => {
                self.choice(f, args)
            }
        }
    }

    /// Conditions are random numbers: a claim has to hold on every side of them.
    fn choice(&mut self, f: Function, args: &[Expr]) -> Option<Residue> {
        use Function as F;
        self.exact = false;
        let field = self.field;
        let [a, b] = [args[0], *args.get(1).unwrap_or(&args[0])];
        let (u, v) = (self.of(a)?, self.of(b)?);
        let between = |c: Residue, u: Residue, v: Residue| field.add(v, field.mul(c, field.sub(u, v)));
        Some(match f {
            F::Select => between(u, v, self.of(args[2])?),
            F::Min => between(self.side(a, b), u, v),
            F::Max => between(self.side(a, b), v, u),
            F::And => field.mul(u, v),
            F::Or => field.sub(field.add(u, v), field.mul(u, v)),
            F::Not => field.sub(field.one(), u),
            F::Equal => match self.forced {
                Some((switch, side)) if switch == Switch::sides(a, b) => field.int(side.into()),
                _ => self.random(Role::Other, u64::from(a.min(b).0) << 32 | u64::from(a.max(b).0), 2),
            },
            _ => self.side(a, b),
        })
    }

    /// What stands for `a < b`; its complement for `b < a`.
    #[must_use]
    pub fn side(&self, a: Expr, b: Expr) -> Residue {
        let field = self.field;
        let below = match self.forced {
            Some((switch, side)) if switch == Switch::sides(a, b) => field.int(side.into()),
            _ => self.random(Role::Other, u64::from(a.min(b).0) << 32 | u64::from(a.max(b).0), 1),
        };
        if a < b { below } else { field.sub(field.one(), below) }
    }

    /// The point of the circle that an angle is.
    fn turn(&mut self, pool: &Pool, angle: Expr) -> Option<Turn> {
        let field = self.field;
        let mut turn = field.no_turn();
        for (atom, c) in parts(pool, angle) {
            if atom != Pool::ONE && self.of(atom)?.is_zero() {
                continue;
            }
            let (n, d) = c.to_fraction()?;
            let part = match pool.node(atom) {
                Node::Pi if 120 % d == 0 => {
                    let steps = (i128::from(n) * i128::from(120 / d)).rem_euclid(240) as u64;
                    field.turn_times(self.turn_120th?, steps)
                }
                _ => self.turn_of_atom(pool, atom, n, d),
            };
            turn = field.turn_by(turn, part);
        }
        Some(turn)
    }

    fn turn_of_atom(&mut self, pool: &Pool, atom: Expr, n: i64, d: i64) -> Turn {
        let field = self.field;
        self.exact &= is_plain(pool, atom);
        let shared = gcd(d, FINEST_ANGLE);
        let whole = i128::from(FINEST_ANGLE / shared) * i128::from(n);
        let order = field.circle_order();
        let whole = whole.rem_euclid(order.into()) as i64;
        let (key, exponent) = match exponent_modulo(whole, d / shared, order) {
            Some(exponent) => (0, exponent),
            None => {
                self.exact = false; // no such part of this angle: an angle by itself
                (bits_of(n, d), 1)
            }
        };
        let base = field.turn_of(self.random(Role::Angle, u64::from(atom.0), key));
        field.turn_times(base, exponent)
    }

    fn exponential(&mut self, pool: &Pool, e: Expr) -> Option<Residue> {
        let mut product = self.field.one();
        for (atom, c) in parts(pool, e) {
            if atom != Pool::ONE && self.of(atom)?.is_zero() {
                continue;
            }
            let factor = match pool.node(atom) {
                Node::Call(Function::Log, args) => self.field.power(self.of(args[0])?, &c)?,
                _ => {
                    self.exact &= is_plain(pool, atom);
                    let base = self.positive(Role::Exponent, u64::from(atom.0), 0);
                    self.field.power(base, &c)?
                }
            };
            product = self.field.mul(product, factor);
        }
        Some(product)
    }

    /// `b^(c + sum c_i a_i) = b^c prod (b^a_i)^c_i`
    fn general_power(&mut self, pool: &Pool, base: Expr, exponent: Expr) -> Option<Residue> {
        let mut product = self.field.one();
        for (atom, c) in parts(pool, exponent) {
            let factor = if atom == Pool::ONE {
                self.field.power(self.of(base)?, &c)?
            } else {
                self.exact &= is_plain(pool, base) && is_plain(pool, atom);
                let root = self.positive(Role::Exponent, u64::from(atom.0), 1 + u64::from(base.0));
                self.field.power(root, &c)?
            };
            product = self.field.mul(product, factor);
        }
        Some(product)
    }

    /// `log(prod b^q) = sum q log b`
    fn logarithm(&mut self, pool: &Pool, e: Expr) -> Option<Residue> {
        let factors: Vec<Weighted> = match pool.node(e) {
            Node::Product(factors) => factors.to_vec(),
            _ => vec![(e, Rational::ONE)],
        };
        let mut sum = Residue::ZERO;
        for (b, q) in factors {
            if self.of(b)?.is_zero() {
                return None;
            }
            let log = match pool.node(b) {
                Node::Call(Function::Exp, args) => self.of(args[0])?,
                node => {
                    self.exact &= matches!(node, Node::Symbol(_));
                    self.random(Role::Other, u64::from(b.0), 0)
                }
            };
            sum = self.field.add(sum, self.field.mul(log, self.field.rational(&q)?));
        }
        Some(sum)
    }

    fn bits(&self, role: Role, key: u64, more: u64) -> u64 {
        [role as u64, key, more].iter().fold(self.seed, |h, v| mix(h ^ mix(*v)))
    }

    fn random(&self, role: Role, key: u64, more: u64) -> Residue {
        self.field.from_bits(self.bits(role, key, more))
    }

    /// A random square: what stands for a positive number.
    fn positive(&self, role: Role, key: u64, more: u64) -> Residue {
        let root = self.random(role, key, more);
        self.field.mul(root, root)
    }
}

/// What stands under roots, with the symbols in it.
fn radicands(pool: &Pool, roots: &[Expr]) -> Vec<(Expr, Vec<Symbol>)> {
    let under = |list: &mut Vec<Expr>, e: Expr| {
        if let Node::Product(factors) = pool.node(e) {
            list.extend(factors.iter().filter(|(_, p)| !p.is_integer()).map(|(b, _)| *b));
        }
    };
    let mut bases = Vec::new();
    below(pool, roots, |e| under(&mut bases, e));
    bases.sort_unstable();
    bases.dedup();
    let symbols = |e: Expr| {
        let mut found = Vec::new();
        below(pool, &[e], |n| found.extend(pool.as_symbol(n)));
        found.sort_unstable();
        found
    };
    bases.into_iter().map(|e| (e, symbols(e))).filter(|(_, s)| !s.is_empty()).collect()
}

/// A sum as atoms with rational coefficients; the number 1 is an atom.
fn parts(pool: &Pool, e: Expr) -> Vec<Weighted> {
    match pool.node(e) {
        Node::Number(r) => vec![(Pool::ONE, r.clone())],
        Node::Sum(c, terms) => {
            let constant = (!c.is_zero()).then(|| (Pool::ONE, c.clone()));
            terms.iter().cloned().chain(constant).collect()
        }
        _ => vec![(e, Rational::ONE)],
    }
}

/// Products of symbols: different ones are linearly independent over the rationals.
fn is_plain(pool: &Pool, atom: Expr) -> bool {
    let simple = |e: Expr| matches!(pool.node(e), Node::Symbol(_) | Node::Pi | Node::Number(_));
    match pool.node(atom) {
        Node::Product(factors) => factors.iter().all(|(b, p)| p.is_integer() && simple(*b)),
        _ => simple(atom),
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn bits_of(n: i64, d: i64) -> u64 {
    mix(mix(n as u64) ^ d as u64) | 1
}

/// SplitMix64's finaliser.
fn mix(h: u64) -> u64 {
    let h = h.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let h = (h ^ (h >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let h = (h ^ (h >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    h ^ (h >> 31)
}
