//! A finished tape and its interpreter.

#[allow(unsafe_code)] // enters the code it has made; every use says why it is sound
pub(crate) mod native;

use crate::lookup::Lookup;
use crate::op::{Class, Op};
use native::Native;
use std::fmt;
use std::sync::Arc;

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
    native: Option<Arc<Native>>,
    /// What it looks up.
    lookups: Vec<Arc<Lookup>>,
}

impl Program {
    pub(crate) fn new(
        n_inputs: usize,
        constants: Vec<f64>,
        code: Vec<Instruction>,
        outputs: Vec<u32>,
        registers: usize,
    ) -> Self {
        let mut lookups: Vec<Arc<Lookup>> = Vec::new();
        for i in code.iter().filter(|i| i.op == Op::Lookup) {
            let column = constants.get((i.operands[0] as usize).wrapping_sub(n_inputs));
            if let Some((found, _)) = column.and_then(|c| Lookup::of_column(*c))
                && !lookups.iter().any(|known| Arc::ptr_eq(known, &found))
            {
                lookups.push(found);
            }
        }
        Program { n_inputs, constants, code, outputs, registers, native: None, lookups }
    }

    /// What it looks up, in the order in which it does.
    pub fn lookups(&self) -> &[Arc<Lookup>] {
        &self.lookups
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

    /// Registers of the interpreter alone.
    pub(crate) fn interpreter_registers(&self) -> usize {
        self.registers
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
        self.native.as_ref().map_or(self.registers, |n| self.registers.max(n.workspace()))
    }

    /// Makes native code for [`Program::run`], where the machine allows it; says whether it did. O(length).
    ///
    /// ```
    /// use dalembert_tape::{Builder, Op};
    /// let mut tape = Builder::new(1);
    /// let x = tape.input(0);
    /// let y = tape.push(Op::Sin, &[x]);
    /// let mut program = tape.finish(&[y]);
    /// let mut judged = [0.0];
    /// program.interpret(&[0.7], &mut vec![0.0; program.register_count()], &mut judged);
    /// program.compile();
    /// let mut out = [0.0];
    /// program.run(&[0.7], &mut vec![0.0; program.register_count()], &mut out);
    /// assert_eq!(out, judged);
    /// ```
    pub fn compile(&mut self) -> bool {
        if self.native.is_none() {
            self.native = Native::new(self, 1).map(Arc::new);
        }
        self.native.is_some()
    }

    /// Bytes of native code, 0 without.
    #[must_use]
    pub fn native_bytes(&self) -> usize {
        self.native.as_ref().map_or(0, |n| n.bytes())
    }

    /// Computes the outputs, natively after [`Program::compile`]. O(number of instructions).
    ///
    /// # Panics
    /// If a slice is shorter than the counts above say.
    #[inline]
    pub fn run(&self, inputs: &[f64], registers: &mut [f64], outputs: &mut [f64]) {
        match &self.native {
            Some(native) if native.run(inputs, registers, outputs) => {}
            _ => self.interpret(inputs, registers, outputs),
        }
    }

    /// Computes the outputs one instruction after the other: the judge of all other ways.
    ///
    /// # Panics
    /// If a slice is shorter than the counts above say.
    pub fn interpret(&self, inputs: &[f64], registers: &mut [f64], outputs: &mut [f64]) {
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
    /// All of them, each by roughly what it costs against a sum or product.
    #[must_use]
    pub fn work(&self) -> usize {
        self.additive + self.multiplicative + 4 * self.divisions + 20 * self.functions + 2 * self.logic
    }

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
