//! What moves in lanes: the derivative, and what goes with it.

#[cfg(doc)]
use super::Options;
use dalembert_tape::{Lanes, Program};

/// The derivative of four states at once. Number k of lane l stands at `k * LANES + l`.
pub trait LaneKernel: Send + Sync {
    /// How many numbers a state has.
    fn dim(&self) -> usize;

    /// How many numbers a run has besides (parameters, or what follows from them).
    fn constants(&self) -> usize;

    /// Numbers of workspace for a call.
    fn workspace(&self) -> usize {
        0
    }

    /// From t, the state and the constants to the derivative, and 1 where it can be trusted, else 0.
    fn derivative(&self, inputs: &[f64], workspace: &mut [f64], out: &mut [f64]);

    /// The derivative as a program for one state, if it is a single program.
    fn program(&self) -> Option<&Program> {
        None
    }

    /// How states are kept on constraints and invariants, if there are any.
    fn keep(&self) -> Option<&Keep> {
        None
    }

    /// From the inputs of the derivative to the event functions that the rules of [`Options::events`] are for, if there
    /// are any.
    fn events(&self) -> Option<&Lanes> {
        None
    }
}

/// One step of Newton back to the constraints and invariants, as a program over the inputs of the derivative.
///
/// Its outputs: the state, the largest scaled residual before the step, 1 where the step can be trusted, then for each row
/// its pivot in the factorisation of A M^-1 A^T and the diagonal entry. The last constants of a run, one for each row, are
/// the least pivots with which the derivative is to be trusted; they are kept up to date here.
#[derive(Clone, Debug)]
pub struct Keep {
    /// The program.
    pub lanes: Lanes,
    /// Constraint rows.
    pub rows: usize,
}

/// A system with constraints, invariants or events. All programs have the inputs of the derivative.
#[derive(Clone, Debug)]
pub struct Programs {
    /// The derivative, as for [`Lanes`].
    pub motion: Lanes,
    /// How constraints and invariants are kept.
    pub keep: Option<Keep>,
    /// The event functions.
    pub events: Option<Lanes>,
}

impl LaneKernel for Programs {
    fn dim(&self) -> usize {
        self.motion.dim()
    }

    fn constants(&self) -> usize {
        self.motion.constants()
    }

    fn workspace(&self) -> usize {
        self.motion.workspace()
    }

    fn derivative(&self, inputs: &[f64], workspace: &mut [f64], out: &mut [f64]) {
        self.motion.run(inputs, workspace, out);
    }

    fn program(&self) -> Option<&Program> {
        Some(self.motion.program())
    }

    fn keep(&self) -> Option<&Keep> {
        self.keep.as_ref()
    }

    fn events(&self) -> Option<&Lanes> {
        self.events.as_ref()
    }
}

/// Inputs: t, the state, constants. Outputs: the derivative, and whether to trust it.
impl LaneKernel for Lanes {
    fn dim(&self) -> usize {
        self.program().output_count().saturating_sub(1)
    }

    fn constants(&self) -> usize {
        self.program().input_count().saturating_sub(self.program().output_count())
    }

    fn workspace(&self) -> usize {
        Lanes::workspace(self)
    }

    fn derivative(&self, inputs: &[f64], workspace: &mut [f64], out: &mut [f64]) {
        self.run(inputs, workspace, out);
    }

    fn program(&self) -> Option<&Program> {
        Some(Lanes::program(self))
    }
}
