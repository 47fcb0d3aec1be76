//! The acceleration of a long tree of bodies in loops over its links, for given values of the parameters.

use super::Compiled;
use super::traced;
use crate::kernel_form::KernelForm;
use crate::system::System;
use dalembert_multibody::Looped;
use dalembert_run::Fused;
use dalembert_tape::Counts;

/// [`Looped`] with what depends on the parameters alone.
#[derive(Clone)]
pub(super) struct LoopedAcceleration {
    looped: Looped,
    constants: Vec<f64>,
    /// How many numbers x' and eta' are.
    length: usize,
}

impl LoopedAcceleration {
    /// `None` where the system is not such a tree, or is short enough for straight-line code.
    pub fn new(system: &mut System, form: &KernelForm, compiled: &Compiled) -> Option<Self> {
        let fixed = compiled.folded.then_some(compiled.parameters.as_slice());
        let mut looped = traced::looped(system, form, fixed)?;
        looped.compile();
        let constants = looped.constants(&compiled.parameters);
        Some(Self { looped, constants, length: form.coordinates.len() + form.speeds.len() })
    }

    /// Computes what depends on the parameters alone.
    pub fn set_parameters(&mut self, parameters: &[f64]) {
        self.constants = self.looped.constants(parameters);
    }

    /// Operations for a state, and once for given parameters.
    pub fn counts(&self) -> (Counts, Counts) {
        (self.looped.counts(), self.looped.once_counts())
    }

    pub fn native_bytes(&self) -> usize {
        self.looped.native_bytes()
    }
}

/// A tree without constraints: there are no rows to solve for.
impl Fused for LoopedAcceleration {
    fn rows(&self) -> &[usize] {
        &[]
    }

    fn workspace(&self) -> Vec<f64> {
        self.looped.workspace(&self.constants)
    }

    fn refresh(&self, workspace: &mut [f64]) {
        self.looped.refresh(&self.constants, workspace);
    }

    fn results(&self) -> Vec<f64> {
        vec![0.0; self.length + 1]
    }

    fn accelerate_in_place(&self, workspace: &mut [f64], out: &mut [f64]) -> bool {
        self.looped.run(workspace, out) && all_finite(&out[..self.length])
    }
}

/// 0 v is 0, or NaN where v is not finite, which no sum loses. One at a time on purpose: they have just been written one
/// at a time, and a wider read would wait for the memory.
#[inline]
pub(super) fn all_finite(values: &[f64]) -> bool {
    values.iter().fold(0.0, |sum, v| sum + 0.0 * v) == 0.0
}
