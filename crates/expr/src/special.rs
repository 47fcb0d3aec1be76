//! Functions of their arguments: signs drawn out, exact values at special points, constants folded.

use crate::function::Function;
use crate::pool::draft::Draft;
use crate::pool::{Expr, Node, Pool};
use crate::rational::Rational;

/// How a function behaves under a change of sign of its argument.
enum Parity {
    Odd,
    Even,
    None,
}

fn parity(f: Function) -> Parity {
    use Function as F;
    match f {
        F::Sin | F::Tan | F::Asin | F::Atan | F::Sinh | F::Tanh | F::Asinh | F::Atanh | F::Sign => {
            Parity::Odd
        }
        F::Cos | F::Cosh | F::Abs => Parity::Even,
        F::Acos | F::Atan2 | F::Acosh | F::Exp | F::Log | F::Floor | F::Min | F::Max => Parity::None,
        F::Less | F::LessEqual | F::Equal | F::And | F::Or | F::Not | F::Select | F::Lookup => Parity::None,
    }
}

impl Pool {
    /// A function of one argument.
    pub fn call1(&mut self, f: Function, a: Expr) -> Expr {
        self.call(f, &[a])
    }

    /// A function applied to its arguments.
    ///
    /// # Panics
    /// If the number of arguments is not the function's arity.
    pub fn call(&mut self, f: Function, args: &[Expr]) -> Expr {
        assert_eq!(args.len(), f.arity(), "arguments of {}", f.name());
        if let Some(value) = self.special_value(f, args) {
            return value;
        }
        if self.leads_negative(args[0]) {
            match parity(f) {
                Parity::Odd => {
                    let a = self.neg(args[0]);
                    let value = self.call(f, &[a]);
                    return self.neg(value);
                }
                Parity::Even => {
                    let a = self.neg(args[0]);
                    return self.call(f, &[a]);
                }
                Parity::None => {}
            }
        }
        self.intern(Draft::Call(f, args))
    }

    /// `if condition then a else b`
    pub fn select(&mut self, condition: Expr, a: Expr, b: Expr) -> Expr {
        self.call(Function::Select, &[condition, a, b])
    }

    /// One of `e` and `-e` leads negative, never both (except 0).
    fn leads_negative(&self, e: Expr) -> bool {
        match self.node(e) {
            Node::Number(r) => r.is_negative(),
            Node::Sum(_, terms) => terms[0].1.is_negative(),
            _ => false,
        }
    }

    fn special_value(&mut self, f: Function, args: &[Expr]) -> Option<Expr> {
        use Function as F;
        match (f, args) {
            (F::Select, &[c, a, b]) => match self.truth(c) {
                Some(true) => Some(a),
                Some(false) => Some(b),
                None => (a == b).then_some(a),
            },
            (F::And, &[a, b]) => match (self.truth(a), self.truth(b)) {
                (Some(false), _) | (_, Some(false)) => Some(Self::ZERO),
                (Some(true), _) => Some(b),
                (_, Some(true)) => Some(a),
                _ => None,
            },
            (F::Or, &[a, b]) => match (self.truth(a), self.truth(b)) {
                (Some(true), _) | (_, Some(true)) => Some(Self::ONE),
                (Some(false), _) => Some(b),
                (_, Some(false)) => Some(a),
                _ => None,
            },
            (F::Not, &[a]) => self.truth(a).map(|t| self.int((!t).into())),
            (F::Min | F::Max, &[a, b]) if a == b => Some(a),
            (F::Min | F::Max | F::Less | F::LessEqual | F::Equal | F::Atan2, &[a, b]) => {
                self.of_two_numbers(f, a, b)
            }
            (F::Sin | F::Cos | F::Tan, &[a]) if a != Self::ZERO => self.trig_of_pi(f, a),
            (_, &[a]) => self.of_one_number(f, a),
            _ => None,
        }
    }

    fn truth(&self, condition: Expr) -> Option<bool> {
        self.as_number(condition).map(|r| !r.is_zero())
    }

    fn of_two_numbers(&mut self, f: Function, a: Expr, b: Expr) -> Option<Expr> {
        use Function as F;
        let (x, y) = (self.as_number(a)?, self.as_number(b)?);
        let holds = match f {
            F::Min => return Some(if x <= y { a } else { b }),
            F::Max => return Some(if x >= y { a } else { b }),
            F::Atan2 => return (x.is_zero() && *y > Rational::ZERO).then_some(Self::ZERO),
            F::Less => x < y,
            F::LessEqual => x <= y,
            _ => x == y,
        };
        Some(self.int(holds.into()))
    }

    fn of_one_number(&mut self, f: Function, a: Expr) -> Option<Expr> {
        use Function as F;
        if let (F::Abs, Node::Call(F::Abs, _)) = (f, self.node(a)) {
            return Some(a);
        }
        let r = self.as_number(a)?.clone();
        match f {
            F::Abs => Some(self.number(r.abs())),
            F::Sign if !r.is_zero() => Some(self.int(if r.is_negative() { -1 } else { 1 })),
            F::Sin | F::Tan | F::Asin | F::Atan | F::Sign if r.is_zero() => Some(Self::ZERO),
            F::Sinh | F::Tanh | F::Asinh | F::Atanh if r.is_zero() => Some(Self::ZERO),
            F::Floor => Some(self.number(r.floor())),
            F::Cos | F::Cosh | F::Exp if r.is_zero() => Some(Self::ONE),
            F::Log | F::Acos | F::Acosh if r.is_one() => Some(Self::ZERO),
            _ => None,
        }
    }

    /// Exact values at multiples of pi/6 and pi/4.
    fn trig_of_pi(&mut self, f: Function, a: Expr) -> Option<Expr> {
        let turns = match self.node(a) {
            Node::Pi => Rational::ONE,
            Node::Sum(c, terms) if c.is_zero() && terms.len() == 1 => match self.node(terms[0].0) {
                Node::Pi => terms[0].1.clone(),
                _ => return None,
            },
            _ => return None,
        };
        // In twelfths of pi, brought to [0, 24).
        let twelfths = (&turns * &Rational::from(12)).to_i64()?.rem_euclid(24);
        match f {
            Function::Sin => self.sine_of_twelfths(twelfths),
            Function::Cos => self.sine_of_twelfths((twelfths + 6) % 24),
            _ => {
                let sine = self.sine_of_twelfths(twelfths)?;
                let cosine = self.sine_of_twelfths((twelfths + 6) % 24)?;
                (cosine != Self::ZERO).then(|| self.div(sine, cosine))
            }
        }
    }

    fn sine_of_twelfths(&mut self, k: i64) -> Option<Expr> {
        if k >= 12 {
            let positive = self.sine_of_twelfths(k - 12)?;
            return Some(self.neg(positive));
        }
        let radicand = match k.min(12 - k) {
            0 => 0,
            2 => 1,
            3 => 2,
            4 => 3,
            6 => 4,
            _ => return None,
        };
        let square = self.int(radicand); // sin = sqrt(radicand)/2
        let root = self.sqrt(square);
        Some(self.scale(root, Rational::HALF))
    }
}
