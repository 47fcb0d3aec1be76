//! Inputs that are known: their values take part in the folding of constants. Outputs that are not wanted.

use crate::builder::{Builder, Value};
use crate::program::Program;

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
