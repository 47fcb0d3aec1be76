//! Building a tape: values are numbered as they are made, equal ones are made once.

use crate::listing::{Listing, Operand};
use crate::op::Op;
use crate::program::{Instruction, Program};

/// A value in a tape under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value(u32);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Input(u32),
    Constant(u64), // bits, so that equal constants meet (and 0.0 differs from -0.0)
    Apply(Op, [Value; 3]),
}

impl Source {
    /// Two words mixed by products with odd numbers.
    fn hash(&self) -> u64 {
        let (first, second) = match *self {
            Source::Input(k) => (1, u64::from(k)),
            Source::Constant(bits) => (0, bits),
            Source::Apply(op, [a, b, c]) => {
                ((op as u64 + 2) << 32 | u64::from(a.0), u64::from(b.0) << 32 | u64::from(c.0))
            }
        };
        let mixed = (first.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29) ^ second)
            .wrapping_mul(0xD6E8_FEB8_6659_FD93);
        mixed ^ mixed >> 32
    }
}

/// Which value a source is: numbers of values by the hash of their sources, the next free place where one is taken. Tapes of
/// large systems have millions of operations, and a general table of sources takes several times the memory and time.
struct Known {
    /// A power of two of them, at most half of them taken.
    places: Vec<u32>,
    count: usize,
}

const FREE: u32 = u32::MAX;

impl Known {
    fn new() -> Self {
        Known { places: vec![FREE; 64], count: 0 }
    }

    /// The value of a source, or the place for it.
    fn find(&self, source: Source, values: &[Source]) -> Result<Value, usize> {
        let last = self.places.len() - 1;
        let mut place = source.hash() as usize & last;
        loop {
            match self.places[place] {
                FREE => return Err(place),
                k if values[k as usize] == source => return Ok(Value(k)),
                _ => place = (place + 1) & last,
            }
        }
    }

    /// Takes a place that was found free for the last of the values.
    fn take(&mut self, place: usize, values: &[Source]) {
        self.places[place] = values.len() as u32 - 1;
        self.count += 1;
        if 2 * self.count > self.places.len() {
            let taken = std::mem::take(&mut self.places);
            self.places = vec![FREE; 2 * taken.len()];
            for k in taken.into_iter().filter(|k| *k != FREE) {
                if let Err(place) = self.find(values[k as usize], values) {
                    self.places[place] = k;
                }
            }
        }
    }
}

/// Collects operations and shares equal ones; [`Builder::finish`] drops what no output needs and
/// gives each value a register that is reused after its last use.
pub struct Builder {
    n_inputs: usize,
    values: Vec<Source>,
    /// Constants and operations; an input is the value of its number.
    known: Known,
}

impl Builder {
    /// A tape with `n_inputs` inputs and nothing computed yet.
    #[must_use]
    pub fn new(n_inputs: usize) -> Self {
        let values = (0..n_inputs as u32).map(Source::Input).collect();
        Builder { n_inputs, values, known: Known::new() }
    }

    /// Input number `i`.
    ///
    /// # Panics
    /// If there is no such input: the caller lays out its inputs and knows how many there are.
    #[must_use]
    pub fn input(&self, i: usize) -> Value {
        assert!(i < self.n_inputs, "tape input {i} of {}", self.n_inputs);
        Value(i as u32)
    }

    /// A constant.
    pub fn constant(&mut self, value: f64) -> Value {
        self.intern(Source::Constant(value.to_bits()))
    }

    /// The outputs of another program, written out here with these values as its inputs.
    ///
    /// ```
    /// use dalembert_tape::{Builder, Op};
    /// let mut tape = Builder::new(1);
    /// let x = tape.input(0);
    /// let square = tape.push(Op::Mul, &[x, x]);
    /// let square = tape.finish(&[square]).listing();
    /// let mut tape = Builder::new(1);
    /// let x = tape.input(0);
    /// let once = tape.inline(&square, &[x]);
    /// let twice = tape.inline(&square, &once);
    /// let mut out = [0.0];
    /// tape.finish(&twice).run(&[3.0], &mut [0.0; 4], &mut out);
    /// assert_eq!(out, [81.0]);
    /// ```
    ///
    /// # Panics
    /// If there are fewer values than it has inputs.
    pub fn inline(&mut self, program: &Listing, inputs: &[Value]) -> Vec<Value> {
        let mut values: Vec<Value> = Vec::with_capacity(program.statements.len());
        for s in &program.statements {
            let (operands, count) = s.operands.map(|o| self.operand(o, inputs, &values));
            values.push(self.push(s.op, &operands[..count]));
        }
        program.outputs.iter().map(|o| self.operand(*o, inputs, &values)).collect()
    }

    fn operand(&mut self, operand: Operand, inputs: &[Value], values: &[Value]) -> Value {
        match operand {
            Operand::Input(k) => inputs[k],
            Operand::Constant(c) => self.constant(c),
            Operand::Statement(k) => values[k],
        }
    }

    /// An operation on earlier values; as many operands as the operator takes. Operations on constants alone, and with
    /// a neutral element, are done here and now.
    ///
    /// # Panics
    /// If the number of operands is not the operator's arity.
    pub fn push(&mut self, op: Op, operands: &[Value]) -> Value {
        assert_eq!(operands.len(), op.arity(), "operands of {op:?}");
        let (mut a, mut b) = (operands[0], *operands.get(1).unwrap_or(&operands[0]));
        if matches!(op, Op::Add | Op::Mul) && b.0 < a.0 {
            (a, b) = (b, a); // commutative: one order, so that equal operations meet
        }
        let c = *operands.get(2).unwrap_or(&a);
        match self.known_result(op, a, b, c) {
            Some(value) => value,
            None => self.intern(Source::Apply(op, [a, b, c])),
        }
    }

    /// The number of a value that is constant.
    #[must_use]
    pub fn constant_of(&self, v: Value) -> Option<f64> {
        match self.values[v.0 as usize] {
            Source::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// The value of an operation that need not be done at run time: constants, x + 0, x - 0, x * 1, x / 1.
    fn known_result(&mut self, op: Op, a: Value, b: Value, c: Value) -> Option<Value> {
        let (x, y) = (self.constant_of(a), self.constant_of(b));
        match (op, x, y) {
            (Op::Add, Some(0.0), None) | (Op::Mul, Some(1.0), None) => return Some(b),
            (Op::Add | Op::Sub, None, Some(0.0)) | (Op::Mul | Op::Div, None, Some(1.0)) => return Some(a),
            _ => {}
        }
        let z = self.constant_of(c);
        let known = x.is_some() && (op.arity() < 2 || y.is_some()) && (op.arity() < 3 || z.is_some());
        let value = op.apply(x.unwrap_or(0.0), y.unwrap_or(0.0), z.unwrap_or(0.0));
        known.then(|| self.constant(value))
    }

    fn intern(&mut self, source: Source) -> Value {
        match self.known.find(source, &self.values) {
            Ok(value) => value,
            Err(place) => {
                self.values.push(source);
                self.known.take(place, &self.values);
                Value(self.values.len() as u32 - 1)
            }
        }
    }

    /// The program that computes `outputs`. Cost O(length of the tape).
    #[must_use]
    pub fn finish(self, outputs: &[Value]) -> Program {
        let last_use = self.last_uses(outputs);
        let mut constants = Vec::new();
        let mut register = vec![u32::MAX; self.values.len()];
        for (i, source) in self.values.iter().enumerate() {
            match *source {
                Source::Input(k) => register[i] = k,
                Source::Constant(bits) if last_use[i] > 0 => {
                    register[i] = (self.n_inputs + constants.len()) as u32;
                    constants.push(f64::from_bits(bits));
                }
                _ => {}
            }
        }
        let first_free = self.n_inputs + constants.len();
        let mut registers = first_free;
        let mut free: Vec<u32> = Vec::new();
        let mut code = Vec::new();
        for (i, source) in self.values.iter().enumerate() {
            let Source::Apply(op, args) = *source else { continue };
            if last_use[i] == 0 {
                continue;
            }
            let operands = args.map(|v| register[v.0 as usize]);
            for k in 0..op.arity() {
                let v = args[k].0 as usize;
                let ends = last_use[v] == i && register[v] as usize >= first_free;
                if ends && !args[..k].contains(&args[k]) {
                    free.push(register[v]);
                }
            }
            let target = free.pop().unwrap_or_else(|| {
                registers += 1;
                (registers - 1) as u32
            });
            register[i] = target;
            code.push(Instruction { op, target, operands });
        }
        let outputs = outputs.iter().map(|v| register[v.0 as usize]).collect();
        Program::new(self.n_inputs, constants, code, outputs, registers)
    }

    /// For every value the index of the value that uses it last; 0 if nothing does, `usize::MAX` if
    /// it is an output. (Value 0 uses nothing: it is an input or a constant.)
    fn last_uses(&self, outputs: &[Value]) -> Vec<usize> {
        let mut last = vec![0; self.values.len()];
        for v in outputs {
            last[v.0 as usize] = usize::MAX;
        }
        for i in (0..self.values.len()).rev() {
            if let Source::Apply(op, args) = self.values[i]
                && last[i] > 0
            {
                for v in &args[..op.arity()] {
                    last[v.0 as usize] = last[v.0 as usize].max(i);
                }
            }
        }
        last
    }
}

/// Inputs that are known: their values take part in the folding of constants.
impl Program {
    /// The program with these values in place of the inputs from `first` on. What depends on them alone becomes a
    /// constant, and operations with a neutral element (x + 0, x * 1) are gone; the other bits stay as they were. The
    /// inputs keep their places, those that are folded are no longer read. O(length).
    ///
    /// ```
    /// use dalembert_tape::{Builder, Op};
    /// let mut tape = Builder::new(3); // x, m, g
    /// let (x, m, g) = (tape.input(0), tape.input(1), tape.input(2));
    /// let weight = tape.push(Op::Mul, &[m, g]);
    /// let energy = tape.push(Op::Mul, &[weight, x]);
    /// let program = tape.finish(&[energy]);
    /// assert_eq!(program.folded(1, &[2.0, 9.81]).counts().total(), 1);
    /// assert_eq!(program.folded(1, &[2.0, 0.5]).counts().total(), 0);
    /// ```
    ///
    /// # Panics
    /// If there are more values than inputs from `first` on.
    #[must_use]
    pub fn folded(&self, first: usize, values: &[f64]) -> Program {
        assert!(first + values.len() <= self.input_count(), "values for inputs that are there");
        let mut tape = Builder::new(self.input_count());
        let mut inputs: Vec<Value> = (0..self.input_count()).map(|k| tape.input(k)).collect();
        for (input, value) in inputs[first..].iter_mut().zip(values) {
            *input = tape.constant(*value);
        }
        let outputs = tape.inline(&self.listing(), &inputs);
        tape.finish(&outputs)
    }

    /// The program that gives some of its outputs; what only the others need is gone. O(length).
    ///
    /// ```
    /// use dalembert_tape::{Builder, Op};
    /// let mut tape = Builder::new(1);
    /// let x = tape.input(0);
    /// let (sine, square) = (tape.push(Op::Sin, &[x]), tape.push(Op::Mul, &[x, x]));
    /// let program = tape.finish(&[sine, square]).keeping(1..2);
    /// assert_eq!((program.output_count(), program.counts().functions), (1, 0));
    /// ```
    ///
    /// # Panics
    /// If there are not so many outputs.
    #[must_use]
    pub fn keeping(&self, outputs: std::ops::Range<usize>) -> Program {
        let mut tape = Builder::new(self.input_count());
        let inputs: Vec<Value> = (0..self.input_count()).map(|k| tape.input(k)).collect();
        let all = tape.inline(&self.listing(), &inputs);
        tape.finish(&all[outputs])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_operations_are_shared_and_dead_ones_dropped() {
        let mut b = Builder::new(2);
        let (x, y) = (b.input(0), b.input(1));
        let p = b.push(Op::Mul, &[x, y]);
        let q = b.push(Op::Mul, &[y, x]);
        assert_eq!(p, q);
        let _dead = b.push(Op::Sin, &[x]);
        assert_eq!(b.finish(&[p, x]).counts().total(), 1);
    }

    proptest! {
        /// Registers are reused; the result must be that of a tape which reuses none.
        #[test]
        fn register_reuse_changes_nothing(
            steps in prop::collection::vec((0usize..Op::ALL.len(), 0usize..1000, 0usize..1000, 0usize..1000), 1..80),
            inputs in prop::array::uniform3(-2.0f64..2.0),
        ) {
            let mut b = Builder::new(3);
            let mut values: Vec<Value> = (0..3).map(|i| b.input(i)).collect();
            values.push(b.constant(0.5));
            let mut plain = vec![inputs[0], inputs[1], inputs[2], 0.5];
            for (op, i, j, k) in steps {
                // What is looked up belongs to other tests.
                let op = if Op::ALL[op] == Op::Lookup { Op::Neg } else { Op::ALL[op] };
                let n = values.len();
                let pick = [i % n, j % n, k % n];
                let operands: Vec<Value> = pick[..op.arity()].iter().map(|&v| values[v]).collect();
                plain.push(op.apply(plain[pick[0]], plain[pick[1]], plain[pick[2]]));
                values.push(b.push(op, &operands));
            }
            // Few outputs, so that most registers are free again early.
            let kept = plain.len() - 3;
            let program = b.finish(&values[kept..]);
            let mut registers = vec![0.0; program.register_count()];
            let mut out = [0.0; 3];
            program.run(&inputs, &mut registers, &mut out);
            for (got, want) in out.iter().zip(&plain[kept..]) {
                prop_assert!(got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()));
            }
        }
    }
}
