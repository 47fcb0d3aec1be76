//! A program run for several states at once, in the lanes of vector registers.

use crate::program::Program;
use crate::program::native::Native;
use std::sync::Arc;

/// A program for [`Lanes::WIDTH`] states at a time. Number `k` of lane `l` stands at `k * WIDTH + l` in inputs and
/// outputs. Each lane has the bits that [`Program::run`] gives for it alone, whatever is in the other lanes.
///
/// ```
/// use dalembert_tape::{Builder, Lanes, Op};
/// let mut tape = Builder::new(2);
/// let (x, y) = (tape.input(0), tape.input(1));
/// let product = tape.push(Op::Mul, &[x, y]);
/// let lanes = Lanes::new(tape.finish(&[product]));
/// let mut out = [0.0; 4];
/// let inputs = [1.0, 2.0, 3.0, 4.0, /* y */ 10.0, 10.0, 10.0, 0.5];
/// lanes.run(&inputs, &mut vec![0.0; lanes.workspace()], &mut out);
/// assert_eq!(out, [10.0, 20.0, 30.0, 2.0]);
/// ```
#[derive(Clone, Debug)]
pub struct Lanes {
    program: Program,
    native: Option<Arc<Native>>,
}

impl Lanes {
    /// How many states at a time.
    pub const WIDTH: usize = 4;

    /// Native code where the machine allows it, else an interpreter over lanes. O(length).
    #[must_use]
    pub fn new(program: Program) -> Self {
        let native = Native::new(&program, Self::WIDTH).map(Arc::new);
        Self { program, native }
    }

    /// Without native code, for comparison.
    #[must_use]
    pub fn interpreted(program: Program) -> Self {
        Self { program, native: None }
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// How many numbers of workspace a run takes.
    #[must_use]
    pub fn workspace(&self) -> usize {
        let interpreted = self.program.interpreter_registers() * Self::WIDTH;
        self.native.as_ref().map_or(interpreted, |n| interpreted.max(n.workspace()))
    }

    /// Computes the outputs of all lanes.
    ///
    /// # Panics
    /// If a slice is shorter than the program's counts, times [`Lanes::WIDTH`], say.
    pub fn run(&self, inputs: &[f64], workspace: &mut [f64], outputs: &mut [f64]) {
        match &self.native {
            Some(native) if native.run(inputs, workspace, outputs) => {}
            _ => self.interpret(inputs, workspace, outputs),
        }
    }

    /// Runs the program for block after block of [`Lanes::WIDTH`] states, as many as both slices hold.
    ///
    /// ```
    /// use dalembert_tape::{Builder, Lanes, Op};
    /// let mut tape = Builder::new(1);
    /// let x = tape.input(0);
    /// let square = tape.push(Op::Mul, &[x, x]);
    /// let lanes = Lanes::new(tape.finish(&[square]));
    /// let mut out = [0.0; 8];
    /// let states = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
    /// lanes.run_blocks(&states, &mut vec![0.0; lanes.workspace()], &mut out);
    /// assert_eq!(out[7], 64.0);
    /// ```
    ///
    /// # Panics
    /// If the workspace is too short.
    pub fn run_blocks(&self, inputs: &[f64], workspace: &mut [f64], outputs: &mut [f64]) {
        let (a, b) = (self.program.input_count() * Self::WIDTH, self.program.output_count() * Self::WIDTH);
        let mut left: Vec<usize> = Vec::new();
        match &self.native {
            Some(native) => native.run_blocks(inputs, workspace, outputs, |k| left.push(k)),
            None => left.extend(0..(inputs.len() / a.max(1)).min(outputs.len() / b.max(1))),
        }
        for k in left {
            self.interpret(&inputs[k * a..(k + 1) * a], workspace, &mut outputs[k * b..(k + 1) * b]);
        }
    }

    fn interpret(&self, inputs: &[f64], workspace: &mut [f64], outputs: &mut [f64]) {
        let (p, w) = (&self.program, Self::WIDTH);
        let n = p.input_count() * w;
        let (registers, _) = workspace.as_chunks_mut::<{ Self::WIDTH }>();
        registers.as_flattened_mut()[..n].copy_from_slice(&inputs[..n]);
        for (register, c) in registers[p.input_count()..].iter_mut().zip(p.constants()) {
            *register = [*c; Self::WIDTH];
        }
        for i in p.code() {
            let [a, b, c] = i.operands.map(|r| registers[r as usize]);
            registers[i.target as usize] = std::array::from_fn(|l| i.op.apply(a[l], b[l], c[l]));
        }
        for (out, r) in outputs.chunks_exact_mut(w).zip(p.outputs()) {
            out.copy_from_slice(&registers[*r as usize]);
        }
    }
}
