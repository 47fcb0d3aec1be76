//! Exact directional derivatives of what a kernel answers.

use super::{ContactTerms, ControlTerms, Dynamics, IdealForces, Point, Solution, Terms};
use dalembert_tape::{Builder, Linearized, Program};

/// A change of time, state and parameters, along which something is differentiated.
#[derive(Clone, Copy, Debug)]
pub struct Direction<'a> {
    /// Change of the time.
    pub t: f64,
    /// Change of the configuration, n_x.
    pub x: &'a [f64],
    /// Change of the speeds, n_eta.
    pub eta: &'a [f64],
    /// Change of the parameters, as many as the kernel has.
    pub parameters: &'a [f64],
}

/// Everything that is known at a state, or its change along a direction: results that event functions and outputs read.
#[derive(Clone, Copy, Debug)]
pub struct Solved<'a> {
    /// x', M, Q, A, b of the natural rows, or their changes.
    pub terms: &'a Terms,
    /// Accelerations and forces as they are reported, or their changes.
    pub solution: &'a Solution,
    /// Integrals along the motion, or their changes.
    pub integrals: &'a [f64],
}

/// A kernel that knows the derivatives of its terms by time, state and parameters.
///
/// Changes are linear in the direction and exact up to rounding: no step size is involved. Outputs are overwritten
/// completely. Scratch has at least [`derivative_scratch_len`](Differentiable::derivative_scratch_len) numbers.
pub trait Differentiable: Dynamics {
    /// How many parameters there are.
    fn parameter_count(&self) -> usize;

    /// Numbers of scratch that the methods below need.
    fn derivative_scratch_len(&self) -> usize;

    /// Changes of x', M, Q, A, b, in the layout of `out`.
    fn terms_along(&self, at: Point<'_>, along: Direction<'_>, scratch: &mut [f64], out: &mut Terms);

    /// Change of the non-ideal C, where the ideal multipliers change by `lambda` and A by `A`.
    fn nonideal_along(
        &self,
        at: Point<'_>,
        along: Direction<'_>,
        ideal: &IdealForces<'_>,
        change: (&[f64], &[f64]),
        scratch: &mut [f64],
        C: &mut [f64],
    );

    /// Changes of the residuals of the rows, at position and at velocity level.
    fn residuals_along(
        &self,
        at: Point<'_>,
        along: Direction<'_>,
        scratch: &mut [f64],
        phi: &mut [f64],
        psi: &mut [f64],
    );

    /// Changes of sliding velocities, their rows, coefficients and the way to the normal forces.
    fn contact_terms_along(
        &self,
        at: Point<'_>,
        along: Direction<'_>,
        scratch: &mut [f64],
        out: &mut ContactTerms<'_>,
    );

    /// Changes of requirements, inputs and their cost.
    fn control_terms_along(
        &self,
        at: Point<'_>,
        along: Direction<'_>,
        scratch: &mut [f64],
        out: &mut ControlTerms,
    );

    /// Changes of the functions of time at whose zeros something jumps.
    fn time_switches_along(&self, t: f64, along: Direction<'_>, scratch: &mut [f64], g: &mut [f64]);

    /// Functions of the state at whose zeros forces, masses or rates may have kinks or jump.
    fn kink_count(&self) -> usize;

    /// Their values.
    fn kinks(&self, at: Point<'_>, scratch: &mut [f64], g: &mut [f64]);

    /// Their changes.
    fn kinks_along(&self, at: Point<'_>, along: Direction<'_>, scratch: &mut [f64], g: &mut [f64]);

    /// Changes of the event functions.
    fn events_along(
        &self,
        at: Point<'_>,
        along: Direction<'_>,
        here: Solved<'_>,
        change: Solved<'_>,
        scratch: &mut [f64],
        g: &mut [f64],
    );

    /// How many outputs there are.
    fn outputs_len(&self) -> usize;

    /// Changes of the outputs.
    fn outputs_along(
        &self,
        at: Point<'_>,
        along: Direction<'_>,
        here: Solved<'_>,
        change: Solved<'_>,
        scratch: &mut [f64],
        out: &mut [f64],
    );

    /// Changes of the integrands along the motion.
    fn rates_along(
        &self,
        at: Point<'_>,
        along: Direction<'_>,
        here: Solved<'_>,
        change: Solved<'_>,
        scratch: &mut [f64],
        out: &mut [f64],
    );

    /// Changes of the values that each of the [`actions`](super::Events::actions) assigns.
    fn actions_along(
        &self,
        at: Point<'_>,
        along: Direction<'_>,
        here: Solved<'_>,
        change: Solved<'_>,
        scratch: &mut [f64],
        values: &mut [f64],
    );

    /// Changes of x' and eta' by one program, for directions that change the parameters by these amounts, one list a
    /// direction; `None` if there is no such way.
    fn fused_derivatives(&self, parameters: &[Vec<f64>]) -> Option<Box<dyn FusedDerivatives + '_>> {
        let _ = parameters;
        None
    }

    /// The whole acceleration as one program; `None` where it is none, or where forces act that are not in it.
    fn fused_program(&self) -> Option<FusedProgram<'_>> {
        None
    }

    /// The transposed derivative of x' and eta' by one program; `None` if there is no such way.
    fn fused_adjoint(&self) -> Option<Box<dyn FusedAdjoint + '_>> {
        None
    }
}

/// The transposed derivative of x' and eta' by state and parameters, by one program (S4).
pub trait FusedAdjoint {
    /// The numbers that the program computes from the parameters alone.
    fn constants(&self) -> &[f64];

    /// f_y^T lambda and f_c^T lambda at a state, c those numbers. `false` where the program cannot be trusted.
    fn pull(&mut self, at: Point<'_>, lambda: &[f64], by_state: &mut [f64], by_constants: &mut [f64])
    -> bool;

    /// What a derivative by c is by the parameters.
    fn parameters(&mut self, by_constants: &[f64], by_parameters: &mut [f64]);
}

/// Changes of x' and eta' along several directions at once, by one program.
pub trait FusedDerivatives {
    /// At a state: `S` and `out` have a state (x, eta) and its change for each direction, one after the other. `false`
    /// where the program cannot be trusted.
    fn changes(&mut self, at: Point<'_>, S: &[f64], out: &mut [f64]) -> bool;
}

/// What is not differentiated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A force law reads forces that redundant rows share.
    SharedLoad,
    /// Non-ideal work together with contacts.
    NonidealWithFriction,
    /// Control together with contacts, or with non-ideal work that reads constraint forces.
    ControlWithReactions,
    /// A contact that sticks holds some directions of its sliding velocity and leaves others to the constraints.
    SharedDirections,
    /// An input of control is at a bound.
    BoundedControl,
    /// Masses that are singular together with contacts, non-ideal work or control (U9).
    SingularMass,
}

/// The acceleration as one program, by parts: what is computed from the parameters alone, and the rest.
pub struct FusedProgram<'a> {
    /// From the parameters to the numbers that `each` reads of them.
    pub once: &'a Program,
    /// From t, x, eta and those numbers to x', eta', more, and last 1 where they can be trusted.
    pub each: &'a Program,
    /// The values of those numbers.
    pub constants: &'a [f64],
    /// The values of the parameters.
    pub parameters: &'a [f64],
    /// Whether it solves all rows, not some that stand for all.
    pub all_rows: bool,
}

impl FusedProgram<'_> {
    /// Changes of the numbers that are computed from the parameters alone, for changes of the parameters.
    pub fn constant_changes(&self, parameters: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let once = self.once.forward(&vec![true; self.once.input_count()], 1);
        let mut room = vec![0.0; once.register_count()];
        let along = |change: &Vec<f64>| {
            let inputs: Vec<f64> = self.parameters.iter().chain(change).copied().collect();
            let mut out = vec![0.0; once.output_count()];
            once.run(&inputs, &mut room, &mut out);
            out.split_off(self.constants.len())
        };
        parameters.iter().map(along).collect()
    }

    /// The derivative of x' and eta' by the state and by those of the numbers that move, split into what it reads of a state
    /// and the rest; values that can be trusted have a 1 behind them.
    pub fn linearize(&self, d: usize, moves: &[bool]) -> Linearized {
        let mut varying = vec![true; 1 + d];
        varying[0] = false;
        varying.extend_from_slice(moves);
        let listing = self.each.listing();
        let (rates, last) = (0..d, self.each.output_count() - 1);
        let mut tape = Builder::new(self.each.input_count());
        let inputs: Vec<_> = (0..self.each.input_count()).map(|k| tape.input(k)).collect();
        let outputs = tape.inline(&listing, &inputs);
        let wanted: Vec<_> = rates.chain([last]).map(|k| outputs[k]).collect();
        tape.finish(&wanted).linearize(&varying, (1 + d, self.constants), d)
    }
}
