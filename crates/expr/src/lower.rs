//! From expressions to a tape.
//!
//! Parts that several sums or products share are computed once (`shared_parts.rs`); what is left of a sum or a product is
//! a chain from the left, and whole powers are products by repeated squaring.

use crate::pool::{Expr, Node, Pool, Symbol, Weighted};
use crate::rational::Rational;
use crate::shared_parts::{Part, SharedParts, Side};
use dalembert_tape::{Builder, Op, Program, Value};

/// Whole powers up to this are products; beyond, `powf` is as good.
const MAX_UNROLLED_POWER: u64 = 64;

impl Pool {
    /// The program that computes `outputs` from `inputs`, in that order.
    ///
    /// A symbol that is not an input makes the outputs that depend on it NaN: nothing is guessed.
    ///
    /// ```
    /// use dalembert_expr::Pool;
    /// let mut pool = Pool::new();
    /// let x = pool.symbol("x");
    /// let e = pool.var(x);
    /// let cube = pool.powi(e, 3);
    /// let program = pool.lower(&[x], &[cube]);
    /// let (mut registers, mut out) = (vec![0.0; program.register_count()], [0.0]);
    /// program.run(&[2.0], &mut registers, &mut out);
    /// assert_eq!(out, [8.0]);
    /// ```
    pub fn lower(&mut self, inputs: &[Symbol], outputs: &[Expr]) -> Program {
        let mut tape = Builder::new(inputs.len());
        let results = self.lower_into(&mut tape, inputs, outputs);
        tape.finish(&results)
    }

    /// Lowers expressions at the beginning of a tape whose inputs are these symbols; later code may use the values.
    pub fn lower_into(&mut self, tape: &mut Builder, inputs: &[Symbol], outputs: &[Expr]) -> Vec<Value> {
        self.lower_with(tape, inputs, &[], outputs)
    }

    /// Lowers expressions onto a tape whose inputs are these symbols, with values of the tape for further symbols.
    pub fn lower_with(
        &mut self,
        tape: &mut Builder,
        inputs: &[Symbol],
        given: &[(Symbol, Value)],
        outputs: &[Expr],
    ) -> Vec<Value> {
        let order = self.order(outputs, 0);
        let places = places(tape, inputs, given);
        let shared = SharedParts::find(self, &order.nodes);
        let parts = vec![None; shared.parts.len()];
        let mut tape = Lowering { tape, places, shared, parts };
        let mut values: Vec<Value> = Vec::with_capacity(order.nodes.len());
        for &n in &order.nodes {
            let of = |e: Expr| values[order.place(e).expect("children come first")];
            let value = tape.node(n, self.node(n), of);
            values.push(value);
        }
        let results = outputs.iter().map(|&e| values[order.place(e).expect("outputs are roots")]).collect();
        self.release(order);
        results
    }
}

struct Lowering<'t> {
    tape: &'t mut Builder,
    /// The value that each symbol has, by its number.
    places: Vec<Option<Value>>,
    shared: SharedParts,
    /// The value of each shared part, from its first use on.
    parts: Vec<Option<Value>>,
}

impl Lowering<'_> {
    fn node(&mut self, n: Expr, node: &Node, of: impl Fn(Expr) -> Value) -> Value {
        match node {
            Node::Number(r) => self.tape.constant(r.to_f64()),
            Node::Pi => self.tape.constant(std::f64::consts::PI),
            Node::Symbol(s) => match self.places.get(s.index()) {
                Some(&Some(value)) => value,
                _ => self.tape.constant(f64::NAN),
            },
            Node::Sum(constant, terms) => self.sum(n, constant, terms, of),
            Node::Product(factors) => self.product(n, factors, of),
            Node::Power(base, exponent) => self.tape.push(Op::Pow, &[of(*base), of(*exponent)]),
            Node::Call(f, args) => {
                let of = |k: usize| args.get(k).map_or(of(args[0]), |a| of(*a));
                self.tape.push(f.op(), &[of(0), of(1), of(2)][..args.len()])
            }
        }
    }

    fn sum(&mut self, n: Expr, constant: &Rational, terms: &[Weighted], of: impl Fn(Expr) -> Value) -> Value {
        let terms: Vec<(Value, Rational)> = match self.shared.of(n, Side::Terms).map(<[_]>::to_vec) {
            Some(shared) => shared.into_iter().map(|(part, c)| (self.part(part, &of), c)).collect(),
            None => terms.iter().map(|(e, c)| (of(*e), c.clone())).collect(),
        };
        // A common factor of all coefficients costs one product instead of many.
        let common = terms[0].1.abs();
        if constant.is_zero()
            && terms.len() > 1
            && !common.is_one()
            && terms.iter().all(|t| t.1.abs() == common)
        {
            let unit: Vec<_> = terms.iter().map(|(e, c)| (*e, sign_of(c))).collect();
            let inner = self.chain(None, &unit);
            let c = self.tape.constant(common.to_f64());
            return self.tape.push(Op::Mul, &[c, inner]);
        }
        let start = (!constant.is_zero()).then(|| self.tape.constant(constant.to_f64()));
        self.chain(start, &terms)
    }

    fn chain(&mut self, start: Option<Value>, terms: &[(Value, Rational)]) -> Value {
        let mut acc = start;
        // Without a start the first term that is added comes first: a negation less.
        let first =
            if start.is_none() { terms.iter().position(|(_, c)| !c.is_negative()).unwrap_or(0) } else { 0 };
        for (value, c) in terms[first..=first].iter().chain(&terms[..first]).chain(&terms[first + 1..]) {
            let mut value = *value;
            let unit = c.abs().is_one();
            // With something to subtract from, the sign goes into the operator.
            let subtract = c.is_negative() && acc.is_some();
            if !unit {
                let c = if subtract { c.abs() } else { c.clone() };
                let c = self.tape.constant(c.to_f64());
                value = self.tape.push(Op::Mul, &[c, value]);
            } else if c.is_negative() && !subtract {
                value = self.tape.push(Op::Neg, &[value]);
            }
            acc = Some(match acc {
                None => value,
                Some(sum) => self.tape.push(if subtract { Op::Sub } else { Op::Add }, &[sum, value]),
            });
        }
        acc.unwrap_or_else(|| self.tape.constant(0.0))
    }

    fn product(&mut self, n: Expr, factors: &[Weighted], of: impl Fn(Expr) -> Value) -> Value {
        let above = self.side(n, factors, Side::Above, &of);
        let below = self.side(n, factors, Side::Below, &of);
        match (above, below) {
            (Some(n), Some(d)) => self.tape.push(Op::Div, &[n, d]),
            (None, Some(d)) => {
                let one = self.tape.constant(1.0);
                self.tape.push(Op::Div, &[one, d])
            }
            (n, None) => n.unwrap_or_else(|| self.tape.constant(1.0)),
        }
    }

    /// The product of the factors on one side of the line, if there are any.
    fn side(
        &mut self,
        n: Expr,
        factors: &[Weighted],
        side: Side,
        of: &impl Fn(Expr) -> Value,
    ) -> Option<Value> {
        let values: Vec<Value> = match self.shared.of(n, side).map(<[_]>::to_vec) {
            Some(shared) => shared.into_iter().map(|(part, _)| self.part(part, of)).collect(),
            None => {
                let here = factors.iter().filter(|(_, p)| p.is_negative() == (side == Side::Below));
                here.map(|(base, p)| self.power(of(*base), &p.abs())).collect()
            }
        };
        values.into_iter().reduce(|product, value| self.tape.push(Op::Mul, &[product, value]))
    }

    /// The value of a shared part. A pair is made of older parts of one list, so the depth is at most the length of a list.
    fn part(&mut self, k: usize, of: &impl Fn(Expr) -> Value) -> Value {
        if let Some(value) = self.parts[k] {
            return value;
        }
        let value = match self.shared.parts[k].clone() {
            Part::Term(e) => of(e),
            Part::Power(base, p) => self.power(of(base), &p),
            Part::Product(pair) => {
                let factors = pair.map(|part| self.part(part, of));
                self.tape.push(Op::Mul, &factors)
            }
            Part::Sum(pair) => {
                let terms = pair.map(|(part, c)| (self.part(part, of), c));
                self.chain(None, &terms)
            }
        };
        self.parts[k] = Some(value);
        value
    }

    /// `base ^ p` for positive `p`.
    fn power(&mut self, base: Value, p: &Rational) -> Value {
        match p.to_fraction() {
            Some((n, 1)) if n.unsigned_abs() <= MAX_UNROLLED_POWER => {
                self.whole_power(base, n.unsigned_abs())
            }
            Some((n, 2)) if n.unsigned_abs() <= MAX_UNROLLED_POWER => {
                let root = self.tape.push(Op::Sqrt, &[base]);
                self.whole_power(root, n.unsigned_abs())
            }
            _ => {
                let exponent = self.tape.constant(p.to_f64());
                self.tape.push(Op::Pow, &[base, exponent])
            }
        }
    }

    fn whole_power(&mut self, base: Value, n: u64) -> Value {
        let (mut result, mut square, mut n) = (None, base, n);
        while n > 0 {
            if n % 2 == 1 {
                result = Some(match result {
                    None => square,
                    Some(r) => self.tape.push(Op::Mul, &[r, square]),
                });
            }
            n /= 2;
            if n > 0 {
                square = self.tape.push(Op::Mul, &[square, square]);
            }
        }
        result.unwrap_or_else(|| self.tape.constant(1.0))
    }
}

fn places(tape: &Builder, inputs: &[Symbol], given: &[(Symbol, Value)]) -> Vec<Option<Value>> {
    let inputs = inputs.iter().enumerate().map(|(i, s)| (*s, tape.input(i)));
    let mut places = Vec::new();
    for (symbol, value) in inputs.chain(given.iter().copied()) {
        if symbol.index() >= places.len() {
            places.resize(symbol.index() + 1, None);
        }
        places[symbol.index()] = Some(value);
    }
    places
}

fn sign_of(c: &Rational) -> Rational {
    if c.is_negative() { Rational::MINUS_ONE } else { Rational::ONE }
}
