//! The fused acceleration differentiated backwards (S4): its solve included, by the state and by what is computed from the
//! parameters alone.

use super::Compiled;
use dalembert_run::{FusedAdjoint, Point};
use dalembert_tape::Program;

/// The transposed derivative of the fused acceleration.
pub(super) struct Transposed<'c> {
    compiled: &'c Compiled,
    each: Program,
    /// Of what depends on the parameters alone.
    once: Program,
    /// State, constants and weights, in place.
    inputs: Vec<f64>,
    registers: Vec<f64>,
    out: Vec<f64>,
    outputs: usize,
}

impl<'c> Transposed<'c> {
    /// `None` where the acceleration is not one program.
    pub fn new(compiled: &'c Compiled) -> Option<Self> {
        let quick = compiled.whole.unrolled.as_ref().filter(|_| compiled.sparse.is_none())?;
        let shape = &compiled.shape;
        let (d, constants) = (shape.n_x + shape.n_eta, quick.constants());
        // Time is not varied.
        let mut varying = vec![true; 1 + d + constants.len()];
        varying[0] = false;
        let mut each = quick.each.reverse(&varying, d);
        each.compile();
        let once = quick.once.reverse(&vec![true; quick.once.input_count()], constants.len());
        let mut inputs = vec![0.0; 1 + d];
        inputs.extend(constants);
        inputs.resize(1 + 2 * d + constants.len(), 0.0);
        Some(Self {
            compiled,
            registers: vec![0.0; each.register_count().max(once.register_count())],
            out: vec![0.0; each.output_count().max(once.output_count())],
            outputs: quick.each.output_count(),
            each,
            once,
            inputs,
        })
    }
}

impl FusedAdjoint for Transposed<'_> {
    fn constants(&self) -> &[f64] {
        let d = self.compiled.shape.n_x + self.compiled.shape.n_eta;
        &self.inputs[1 + d..self.inputs.len() - d]
    }

    fn pull(
        &mut self,
        at: Point<'_>,
        lambda: &[f64],
        by_state: &mut [f64],
        by_constants: &mut [f64],
    ) -> bool {
        let (n_x, d) = (at.x.len(), lambda.len());
        let weights = self.inputs.len() - d;
        self.inputs[0] = at.t;
        self.inputs[1..1 + n_x].copy_from_slice(at.x);
        self.inputs[1 + n_x..1 + d].copy_from_slice(at.eta);
        self.inputs[weights..].copy_from_slice(lambda);
        self.each.run(&self.inputs, &mut self.registers, &mut self.out);
        let found = &self.out[self.outputs..self.each.output_count()];
        by_state.copy_from_slice(&found[..d]);
        by_constants.copy_from_slice(&found[d..]);
        self.out[self.outputs - 1] == 1.0 && found.iter().all(|v| v.is_finite())
    }

    fn parameters(&mut self, by_constants: &[f64], by_parameters: &mut [f64]) {
        let inputs: Vec<f64> = self.compiled.parameters.iter().chain(by_constants).copied().collect();
        self.once.run(&inputs, &mut self.registers, &mut self.out);
        let first = by_constants.len();
        by_parameters.copy_from_slice(&self.out[first..first + by_parameters.len()]);
    }
}
