//! Products joined with the sum they go into.

use crate::builder::{Builder, Value};
use crate::listing::{Operand, Operands, Statement};
use crate::op::Op;
use crate::program::Program;

impl Program {
    /// The program with every product that is used once, in a sum, rounded together with that sum: fewer operations,
    /// and results that differ in the last digits (mostly for the better). O(length).
    ///
    /// ```
    /// use dalembert_tape::{Builder, Op};
    /// let mut tape = Builder::new(3);
    /// let (x, y, z) = (tape.input(0), tape.input(1), tape.input(2));
    /// let product = tape.push(Op::Mul, &[x, y]);
    /// let difference = tape.push(Op::Sub, &[z, product]);
    /// let program = tape.finish(&[difference]).fused();
    /// assert_eq!(program.listing().statements[0].op, Op::NegMulAdd);
    /// assert_eq!(program.counts().total(), 1);
    /// ```
    #[must_use]
    pub fn fused(&self) -> Program {
        let listing = self.listing();
        let mut uses = vec![0u32; listing.statements.len()];
        let operands = listing.statements.iter().flat_map(|s| &s.operands);
        for o in operands.chain(&listing.outputs) {
            if let Operand::Statement(k) = o {
                uses[*k] += 1;
            }
        }
        let mut tape = Builder::new(self.input_count());
        let mut values: Vec<Value> = Vec::with_capacity(listing.statements.len());
        for s in &listing.statements {
            let (op, operands) = fuse(s, &listing.statements, &uses);
            let (operands, count) = operands.map(|o| value(&mut tape, o, &values));
            values.push(tape.push(op, &operands[..count]));
        }
        let outputs: Vec<Value> = listing.outputs.iter().map(|o| value(&mut tape, *o, &values)).collect();
        tape.finish(&outputs)
    }
}

fn value(tape: &mut Builder, operand: Operand, values: &[Value]) -> Value {
    match operand {
        Operand::Input(k) => tape.input(k),
        Operand::Constant(c) => tape.constant(c),
        Operand::Statement(k) => values[k],
    }
}

/// The statement, or the fused one it becomes.
fn fuse(s: &Statement, all: &[Statement], uses: &[u32]) -> (Op, Operands) {
    let product = |o: &Operand| match o {
        Operand::Statement(k) if uses[*k] == 1 && all[*k].op == Op::Mul => Some(&all[*k].operands),
        _ => None,
    };
    let join = |factors: &[Operand], rest: Operand| Operands::from(&[factors[0], factors[1], rest][..]);
    match s.op {
        Op::Add => match (product(&s.operands[1]), product(&s.operands[0])) {
            (Some(factors), _) => (Op::MulAdd, join(factors, s.operands[0])),
            (None, Some(factors)) => (Op::MulAdd, join(factors, s.operands[1])),
            (None, None) => (s.op, s.operands),
        },
        Op::Sub => match product(&s.operands[1]) {
            Some(factors) => (Op::NegMulAdd, join(factors, s.operands[0])),
            None => (s.op, s.operands),
        },
        _ => (s.op, s.operands),
    }
}
