//! Steps of sensitivities by the stages of the motion's own steps, judged by their own error.

use super::step_program::{MEASURES, StepProgram, TERMS};
use super::variation::FLOOR;
use crate::hybrid::FollowedStep;
use crate::kernel::Differentiable;

/// Error of S in a step, in units of the tolerance of the motion, up to which its stages serve.
const SHARE: f64 = 50.0;

/// All directions over a step of the motion.
pub(super) struct WholeStep {
    program: StepProgram,
    n_x: usize,
    d: usize,
    tolerance: f64,
    sizes: Vec<f64>,
    /// The step that was tried last: its begin and length, and S there; whether it waits to be taken.
    step: (f64, f64),
    ready: bool,
    origin: Vec<f64>,
    has_dense: bool,
}

impl WholeStep {
    /// `None` where the acceleration is not one program, or too long a one.
    pub fn new(
        kernel: &dyn Differentiable,
        parameters: &[Vec<f64>],
        sizes: &[f64],
        rtol: f64,
    ) -> Option<Self> {
        let (n_x, n) = (kernel.shape().n_x, kernel.shape().n_eta);
        let fused = kernel.fused_program().filter(|f| f.all_rows && !parameters.is_empty())?;
        Some(Self {
            program: StepProgram::new(&fused, n_x, n_x + n, parameters)?,
            n_x,
            d: n_x + n,
            tolerance: SHARE * rtol,
            sizes: sizes.to_vec(),
            step: (f64::NAN, f64::NAN),
            ready: false,
            origin: vec![0.0; parameters.len() * (n_x + n)],
            has_dense: false,
        })
    }

    /// Whether a step was found good and not taken yet.
    pub fn is_ready(&self, step: &FollowedStep<'_>) -> bool {
        self.ready && self.step == (step.t, step.h)
    }

    /// Whether S is known inside the step.
    pub fn has_dense(&self) -> bool {
        self.has_dense
    }

    /// S is no longer asked for inside the last step.
    pub fn forget_dense(&mut self) {
        self.has_dense = false;
    }

    /// Tries a step; whether it is accurate enough.
    pub fn run(&mut self, step: &FollowedStep<'_>, S: &[f64], evaluations: &mut usize) -> bool {
        let Some(stages) = &step.stages else { return false };
        (self.step, self.has_dense, self.ready) = ((step.t, step.h), false, false);
        self.origin.copy_from_slice(S);
        *evaluations += if step.has_dense { 16 } else { 12 };
        let good = self.program.run(stages, step.has_dense, S) && self.error(stages.y, stages.y_new) <= 1.0;
        (self.has_dense, self.ready) = (good && step.has_dense, good);
        good
    }

    /// S at the end of the step.
    pub fn take(&mut self, S: &mut [f64]) {
        self.ready = false;
        for (k, S) in S.chunks_exact_mut(self.d).enumerate() {
            S.copy_from_slice(&self.program.found(k)[..self.d]);
        }
    }

    /// S at a time inside the step.
    pub fn dense(&self, t: f64, out: &mut [f64]) {
        let (theta, d) = ((t - self.step.0) / self.step.1, self.d);
        for (k, out) in out.chunks_exact_mut(d).enumerate() {
            let terms = &self.program.found(k)[d + MEASURES..];
            for i in 0..d {
                // Nested in theta and 1 - theta alternately.
                let nested = |s: f64, p: usize| {
                    (s + terms[p * d + i]) * if p.is_multiple_of(2) { theta } else { 1.0 - theta }
                };
                out[i] = self.origin[k * d + i] + (0..TERMS).rev().fold(0.0, nested);
            }
        }
    }

    /// The largest error of a direction's coordinates or speeds, against their size, in units of the tolerance; NaN if there
    /// is none. Sizes are lengths: sums of squares, without branches.
    fn error(&self, y: &[f64], y_new: &[f64]) -> f64 {
        let square = |v: &[f64]| v.iter().fold(0.0, |sum, v| sum + v * v);
        let (x, eta) = y.split_at(self.n_x);
        let (x_new, eta_new) = y_new.split_at(self.n_x);
        let moved = [square(x) + square(x_new), square(eta) + square(eta_new)];
        let mut worst = 0.0;
        for (k, size) in self.sizes.iter().enumerate() {
            let Some(measures) = self.program.found(k)[self.d..].first_chunk::<MEASURES>() else { continue };
            // What a change of the whole parameter could do: sensitivities far below it are rounding.
            let floor = FLOOR * FLOOR / (size * size);
            for ([five, three, size], moved) in measures.as_chunks::<3>().0.iter().zip(moved) {
                // Errors of fifth and third order combined as for the motion.
                let error = five * five / ((five + 0.01 * three) * (size + floor * moved));
                if *five != 0.0 && !(error <= worst) {
                    worst = error;
                }
            }
        }
        worst.sqrt() / self.tolerance
    }
}
