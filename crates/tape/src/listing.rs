//! A program as text needs it: every value has one name, no register is reused.

use crate::op::Op;
use crate::program::Program;

/// Where an operand of a statement comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operand {
    /// An input of the program.
    Input(usize),
    /// A constant.
    Constant(f64),
    /// The value of an earlier statement.
    Statement(usize),
}

/// One operation, whose value is named by its place in the listing.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it computes.
    pub op: Op,
    /// As many as the operator takes.
    pub operands: Vec<Operand>,
}

/// The statements of a program in order, and what its outputs are.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// Each uses inputs, constants and statements before it.
    pub statements: Vec<Statement>,
    /// Where each output comes from.
    pub outputs: Vec<Operand>,
}

impl Program {
    /// The program as statements, for printing it in a language. O(length).
    ///
    /// ```
    /// use dalembert_tape::{Builder, Op, Operand};
    /// let mut tape = Builder::new(1);
    /// let x = tape.input(0);
    /// let two = tape.constant(2.0);
    /// let y = tape.push(Op::Mul, &[x, two]);
    /// let listing = tape.finish(&[y]).listing();
    /// assert_eq!(listing.statements[0].operands, [Operand::Input(0), Operand::Constant(2.0)]);
    /// assert_eq!(listing.outputs, [Operand::Statement(0)]);
    /// ```
    #[must_use]
    pub fn listing(&self) -> Listing {
        let inputs = (0..self.input_count()).map(Operand::Input);
        let mut held: Vec<Operand> =
            inputs.chain(self.constants().iter().map(|c| Operand::Constant(*c))).collect();
        held.resize(self.register_count(), Operand::Constant(f64::NAN));
        let mut statements = Vec::new();
        for i in self.code() {
            let operands = i.operands[..i.op.arity()].iter().map(|r| held[*r as usize]).collect();
            held[i.target as usize] = Operand::Statement(statements.len());
            statements.push(Statement { op: i.op, operands });
        }
        Listing { statements, outputs: self.outputs().iter().map(|r| held[*r as usize]).collect() }
    }
}
