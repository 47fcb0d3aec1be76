//! Outputs from the state alone, for many runs: what needs the solved motion is left out.

use super::kernel::run_into;
use super::{Compiled, Inputs};
use crate::kernel_form::KernelForm;
use crate::system::System;
use dalembert_expr::Symbol;
use dalembert_run::Point;

impl Compiled {
    /// The outputs, then the energy if it is known; NaN where they need more than the state. `scratch` is as long as
    /// [`Kernel::scratch_len`](dalembert_run::Kernel::scratch_len) says.
    pub(crate) fn glance(&self, at: Point<'_>, scratch: &mut [f64], out: &mut [f64]) {
        let inputs = self.programs.outputs.input_count();
        scratch[..inputs].fill(f64::NAN);
        self.load(at.t, at.x, at.eta, scratch);
        run_into(&self.programs.outputs, inputs, scratch, out);
    }

    /// Whether an output needs accelerations or forces.
    pub(crate) fn outputs_need_solution(system: &mut System, form: &KernelForm) -> bool {
        let inputs = Inputs::of(system, form);
        let beyond: Vec<Symbol> = inputs.results[inputs.state.len()..].to_vec();
        let pool = &mut system.pool;
        system.outputs.iter().any(|o| pool.depends_on(o.value, &beyond))
    }
}
