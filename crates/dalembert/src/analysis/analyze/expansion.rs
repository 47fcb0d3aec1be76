//! Taylor polynomials of expressions about a random point, modulo a prime.
//!
//! Derivatives of any order cost what multiplying polynomials costs, however large the expressions are that the
//! derivatives would be.

use super::series::{Grid, Series};
use dalembert_expr::{Expr, Function, Node, Pool, Rational, Residue, Sample, Symbol};
use rustc_hash::FxHashMap;

/// Expressions about a point.
pub(super) struct Expansion<'a> {
    pub grid: &'a mut Grid,
    pub pool: &'a mut Pool,
    pub sample: &'a mut Sample,
    pub variables: &'a [Symbol],
    known: FxHashMap<Expr, Series>,
}

impl<'a> Expansion<'a> {
    pub fn new(
        grid: &'a mut Grid,
        pool: &'a mut Pool,
        sample: &'a mut Sample,
        variables: &'a [Symbol],
    ) -> Expansion<'a> {
        Expansion { grid, pool, sample, variables, known: FxHashMap::default() }
    }

    /// The Taylor polynomial of an expression; `None` where it has none.
    pub fn of(&mut self, root: Expr) -> Option<Series> {
        let mut stack = vec![(root, false)];
        while let Some((e, ready)) = stack.pop() {
            if self.known.contains_key(&e) {
                continue;
            }
            if ready {
                let value = self.of_node(e)?;
                self.known.insert(e, value);
            } else {
                stack.push((e, true));
                self.pool.node(e).for_each_child(|c| stack.push((c, false)));
            }
        }
        self.known.get(&root).cloned()
    }

    fn value(&mut self, e: Expr) -> Option<Residue> {
        self.sample.values(self.pool, &[e]).map(|v| v[0])
    }

    fn function(&mut self, f: Function, u: Expr) -> Option<Residue> {
        let e = self.pool.call1(f, u);
        self.value(e)
    }

    fn of_node(&mut self, e: Expr) -> Option<Series> {
        let node = self.pool.node(e).clone();
        if let Node::Symbol(s) = node {
            let value = self.value(e)?;
            return Some(match self.variables.iter().position(|v| *v == s) {
                Some(v) => self.grid.variable(v, value),
                None => self.grid.constant(value),
            });
        }
        let mut moving = false;
        node.for_each_child(|c| moving |= self.known.get(&c).is_some_and(|s| s.len() > 1));
        if !moving {
            let value = self.value(e)?;
            return Some(self.grid.constant(value));
        }
        let field = self.grid.field;
        match node {
            Node::Sum(constant, terms) => {
                let mut sum = self.grid.constant(field.rational(&constant)?);
                for (t, c) in &terms {
                    let term = self.grid.scale(&self.known[t], field.rational(c)?);
                    sum = self.grid.add(&sum, &term);
                }
                Some(sum)
            }
            Node::Product(factors) => {
                let mut product = vec![field.one()];
                for (b, p) in &factors {
                    let factor = self.grid.power(&self.known[b], p)?;
                    product = self.grid.mul(&product, &factor);
                }
                Some(product)
            }
            Node::Power(base, exponent) => {
                let log = self.pool.call1(Function::Log, base);
                let log = self.of(log)?;
                let w = self.grid.mul(&self.known[&exponent], &log);
                let value = self.value(e)?;
                if w.is_empty() { Some(vec![value]) } else { self.grid.exponential(&w, value) }
            }
            Node::Call(f, args) => self.call(e, f, &args),
            Node::Number(_) | Node::Pi | Node::Symbol(_) => None,
        }
    }

    fn call(&mut self, e: Expr, f: Function, args: &[Expr]) -> Option<Series> {
        use Function as F;
        let field = self.grid.field;
        let u = self.known[&args[0]].clone();
        match f {
            F::Sin | F::Cos | F::Tan => {
                let (s, c) = (self.function(F::Sin, args[0])?, self.function(F::Cos, args[0])?);
                match f {
                    F::Sin => self.grid.sinusoid(&u, s, c),
                    F::Cos => self.grid.sinusoid(&u, c, field.neg(s)),
                    _ => {
                        let (sin, cos) =
                            (self.grid.sinusoid(&u, s, c)?, self.grid.sinusoid(&u, c, field.neg(s))?);
                        let inverse = self.grid.power(&cos, &Rational::MINUS_ONE)?;
                        Some(self.grid.mul(&sin, &inverse))
                    }
                }
            }
            F::Exp | F::Sinh | F::Cosh | F::Tanh => {
                let value = self.function(F::Exp, args[0])?;
                let up = self.grid.exponential(&u, value)?;
                if f == F::Exp {
                    return Some(up);
                }
                let down = self.grid.power(&up, &Rational::MINUS_ONE)?;
                let half = field.recip(field.int(2))?;
                let (sum, difference) = (self.grid.add(&up, &down), self.grid.sub(&up, &down));
                match f {
                    F::Sinh => Some(self.grid.scale(&difference, half)),
                    F::Cosh => Some(self.grid.scale(&sum, half)),
                    _ => {
                        let inverse = self.grid.power(&sum, &Rational::MINUS_ONE)?;
                        Some(self.grid.mul(&difference, &inverse))
                    }
                }
            }
            F::Log | F::Atan | F::Asin | F::Acos => {
                let one = vec![field.one()];
                let square = self.grid.mul(&u, &u);
                let slope = match f {
                    F::Log => self.grid.power(&u, &Rational::MINUS_ONE)?,
                    F::Atan => {
                        let below = self.grid.add(&one, &square);
                        self.grid.power(&below, &Rational::MINUS_ONE)?
                    }
                    _ => {
                        let below = self.grid.sub(&one, &square);
                        let slope = self.grid.power(&below, &-&Rational::HALF)?;
                        if f == F::Acos { self.grid.scale(&slope, field.int(-1)) } else { slope }
                    }
                };
                let radial = self.grid.mul(&slope, &self.grid.radial(&u));
                let value = self.value(e)?;
                self.grid.integrated(&radial, value)
            }
            F::Atan2 => {
                let x = self.known[&args[1]].clone();
                let (xx, uu) = (self.grid.mul(&x, &x), self.grid.mul(&u, &u));
                let inverse = self.grid.power(&self.grid.add(&xx, &uu), &Rational::MINUS_ONE)?;
                let (ru, rx) = (self.grid.radial(&u), self.grid.radial(&x));
                let (a, b) = (self.grid.mul(&x, &ru), self.grid.mul(&u, &rx));
                let radial = self.grid.sub(&a, &b);
                let radial = self.grid.mul(&radial, &inverse);
                let value = self.value(e)?;
                self.grid.integrated(&radial, value)
            }
            F::Abs => {
                let square = field.is_square(*u.first()?);
                Some(if square { u } else { self.grid.scale(&u, field.int(-1)) })
            }
            F::Select | F::Min | F::Max => {
                // Linear in the number that stands for the condition.
                let (side, a, b) = match f {
                    F::Select => (self.value(args[0])?, args[1], args[2]),
                    F::Min => (self.sample.side(args[0], args[1]), args[0], args[1]),
                    _ => (self.sample.side(args[0], args[1]), args[1], args[0]),
                };
                let (a, b) = (self.known[&a].clone(), self.known[&b].clone());
                let step = self.grid.sub(&a, &b);
                let step = self.grid.scale(&step, side);
                Some(self.grid.add(&b, &step))
            }
            _ => {
                let value = self.value(e)?;
                Some(self.grid.constant(value))
            }
        }
    }
}
