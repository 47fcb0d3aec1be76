//! A finished tape and its interpreter.

use crate::op::{Class, Op};
use std::fmt;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction {
    pub op: Op,
    pub target: u32,
    pub operands: [u32; 3],
}

/// Straight-line code: inputs in, outputs out, no branches and no allocation.
#[derive(Clone, Debug)]
pub struct Program {
    n_inputs: usize,
    constants: Vec<f64>,
    code: Vec<Instruction>,
    outputs: Vec<u32>,
    registers: usize,
}

impl Program {
    pub(crate) fn new(
        n_inputs: usize,
        constants: Vec<f64>,
        code: Vec<Instruction>,
        outputs: Vec<u32>,
        registers: usize,
    ) -> Self {
        Program { n_inputs, constants, code, outputs, registers }
    }

    pub(crate) fn constants(&self) -> &[f64] {
        &self.constants
    }

    pub(crate) fn code(&self) -> &[Instruction] {
        &self.code
    }

    /// The register of each output.
    pub(crate) fn outputs(&self) -> &[u32] {
        &self.outputs
    }

    /// How many inputs it reads.
    #[must_use]
    pub fn input_count(&self) -> usize {
        self.n_inputs
    }

    /// How many outputs it writes.
    #[must_use]
    pub fn output_count(&self) -> usize {
        self.outputs.len()
    }

    /// How many registers [`Program::run`] needs; a larger workspace does no harm.
    #[must_use]
    pub fn register_count(&self) -> usize {
        self.registers
    }

    /// Computes the outputs. O(number of instructions).
    ///
    /// # Panics
    /// If a slice is shorter than the counts above say.
    pub fn run(&self, inputs: &[f64], registers: &mut [f64], outputs: &mut [f64]) {
        let constants_end = self.n_inputs + self.constants.len();
        registers[..self.n_inputs].copy_from_slice(&inputs[..self.n_inputs]);
        registers[self.n_inputs..constants_end].copy_from_slice(&self.constants);
        for i in &self.code {
            let [a, b, c] = i.operands.map(|r| registers[r as usize]);
            registers[i.target as usize] = i.op.apply(a, b, c);
        }
        for (out, &r) in outputs[..self.outputs.len()].iter_mut().zip(&self.outputs) {
            *out = registers[r as usize];
        }
    }

    /// How many operations of each kind one run takes.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for i in &self.code {
            *match i.op.class() {
                Class::Additive => &mut counts.additive,
                Class::Multiplicative => &mut counts.multiplicative,
                Class::Division => &mut counts.divisions,
                Class::Function => &mut counts.functions,
                Class::Logic => &mut counts.logic,
            } += 1;
        }
        counts
    }
}

/// Operations of one run of a tape, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Sums, differences, changes of sign.
    pub additive: usize,
    /// Products.
    pub multiplicative: usize,
    /// Quotients and square roots.
    pub divisions: usize,
    /// Elementary functions.
    pub functions: usize,
    /// Comparisons and selections.
    pub logic: usize,
}

impl Counts {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> usize {
        self.additive + self.multiplicative + self.divisions + self.functions + self.logic
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} operations ({} additive, {} multiplicative, {} divisions and roots, {} functions, {} logic)",
            self.total(),
            self.additive,
            self.multiplicative,
            self.divisions,
            self.functions,
            self.logic
        )
    }
}
