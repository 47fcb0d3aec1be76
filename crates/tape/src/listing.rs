//! A program as text needs it: every value has one name, no register is reused.

use crate::op::Op;
use crate::program::Program;
use std::fmt;
use std::ops::Deref;

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

/// The operands of one operation: one to three, in place. A list on the heap for each of a million statements is most of
/// the time that it takes to read them.
#[derive(Clone, Copy)]
pub struct Operands {
    list: [Operand; 3],
    count: u8,
}

impl Operands {
    fn of(registers: &[u32], held: &[Operand]) -> Self {
        let mut list = [Operand::Input(0); 3];
        list.iter_mut().zip(registers).for_each(|(o, r)| *o = held[*r as usize]);
        Operands { list, count: registers.len() as u8 }
    }

    /// The operands under a map, for [`Builder::push`](crate::Builder::push).
    pub(crate) fn map<T: Copy>(&self, mut f: impl FnMut(Operand) -> T) -> ([T; 3], usize) {
        let mut out = [f(self.list[0]); 3];
        for k in 1..self.len() {
            out[k] = f(self.list[k]);
        }
        (out, self.len())
    }
}

impl From<&[Operand]> for Operands {
    /// The first three.
    fn from(given: &[Operand]) -> Self {
        let mut list = [Operand::Input(0); 3];
        list.iter_mut().zip(given).for_each(|(o, g)| *o = *g);
        Operands { list, count: given.len().min(3) as u8 }
    }
}

impl Deref for Operands {
    type Target = [Operand];

    fn deref(&self) -> &[Operand] {
        &self.list[..usize::from(self.count)]
    }
}

impl<'a> IntoIterator for &'a Operands {
    type Item = &'a Operand;
    type IntoIter = std::slice::Iter<'a, Operand>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Operands {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<const N: usize> PartialEq<[Operand; N]> for Operands {
    fn eq(&self, other: &[Operand; N]) -> bool {
        **self == other[..]
    }
}

impl fmt::Debug for Operands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// One operation, whose value is named by its place in the listing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statement {
    /// What it computes.
    pub op: Op,
    /// As many as the operator takes.
    pub operands: Operands,
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
        let mut statements = Vec::with_capacity(self.code().len());
        for i in self.code() {
            let operands = Operands::of(&i.operands[..i.op.arity()], &held);
            held[i.target as usize] = Operand::Statement(statements.len());
            statements.push(Statement { op: i.op, operands });
        }
        Listing { statements, outputs: self.outputs().iter().map(|r| held[*r as usize]).collect() }
    }
}
