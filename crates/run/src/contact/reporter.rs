//! Accelerations and forces as they are reported, with contacts that stick told apart from constraints.
//!
//! A contact that sticks is a row of A while the motion is computed, but its force is friction: non-ideal, not ideal.
//! So the natural rows alone are solved a second time, with C = J^T f of what the contacts were found to carry: then
//! Q_i and Q_ni are those of U2 and U3. Without sticking contacts there is nothing to tell apart.

use super::{StickingKernel, find_modes};
use crate::acceleration::{Accelerator, ControlInput, LoadPath};
use crate::{AccelerationError, ContactTerms, Dynamics, Point, Solution, Terms};
use dalembert_linalg::axpy;

/// Accelerations and forces at one state, with a workspace of its own (convenience; see [`Accelerator`]). Contacts with
/// friction stick or slide as the state says.
pub fn accelerate(kernel: &dyn Dynamics, at: Point<'_>) -> Result<Solution, AccelerationError> {
    let sticking = StickingKernel::new(kernel, find_modes(kernel, at, ControlInput::Required)?);
    let mut reporter = Reporter::new(&sticking);
    reporter.solve(&sticking, at, ControlInput::Required)?;
    Ok(reporter.into_solution())
}

/// Workspace for one kernel with one modes.
#[derive(Clone, Debug)]
pub struct Reporter {
    sticking: Accelerator,
    natural: Option<Accelerator>,
    room: Vec<f64>,
    solution: Solution,
}

impl Reporter {
    /// Sized for a kernel with its modes.
    pub fn new(kernel: &StickingKernel<'_>) -> Self {
        let natural = (kernel.stuck_rows() > 0).then(|| {
            let mut shape = kernel.base().shape();
            (shape.n_contact, shape.n_require) = (0, 0);
            let mut natural = Accelerator::with_shape(shape, kernel.base().scratch_len()).with_nonideal();
            natural.load_path = LoadPath::of(kernel.base());
            natural
        });
        Self {
            sticking: kernel.accelerator(),
            natural,
            room: vec![0.0; kernel.scratch_len()],
            solution: Solution::new(&kernel.base().shape()),
        }
    }

    /// For somebody who does not look at multipliers: those of a large redundant set need not be of minimum norm.
    #[must_use]
    pub fn without_multipliers(mut self) -> Self {
        self.sticking.minimum_norm = false;
        self
    }

    /// The terms of the natural system at the last state: x', M, Q, A, b.
    pub fn terms(&self) -> &Terms {
        self.natural.as_ref().unwrap_or(&self.sticking).terms()
    }

    /// The last solution.
    pub fn solution(&self) -> &Solution {
        &self.solution
    }

    /// The last solution, to keep.
    pub fn into_solution(self) -> Solution {
        self.solution
    }

    /// Solves at a state.
    pub fn solve(
        &mut self,
        kernel: &StickingKernel<'_>,
        at: Point<'_>,
        input: ControlInput<'_>,
    ) -> Result<&Solution, AccelerationError> {
        self.sticking.solve_with_input(kernel, at, input)?;
        let s = self.sticking.solution();
        let Some(natural) = &mut self.natural else {
            self.solution.clone_from(s);
            self.free_acceleration();
            return Ok(&self.solution);
        };
        let shape = kernel.base().shape();
        let (mut contacts, rest) = ContactTerms::carve(&shape, &mut self.room);
        kernel.contact_terms(at, rest, &mut contacts);
        let (control, friction) = (&s.control_force, &s.friction);
        natural.solve_with(kernel.base(), at, control, |ideal, scratch, C| {
            C.fill(0.0);
            if let Some(nonideal) = kernel.base_capabilities().nonideal {
                nonideal.nonideal(at, ideal, scratch, C);
            }
            for (i, f) in friction.iter().enumerate() {
                axpy(*f, contacts.J.row(i), C);
            }
        })?;
        self.solution.clone_from(natural.solution());
        let out = &mut self.solution;
        out.lambda.copy_from_slice(&s.lambda[..shape.n_con]);
        out.control_force.clone_from(&s.control_force);
        out.inputs.clone_from(&s.inputs);
        out.demand.clone_from(&s.demand);
        out.friction.clone_from(&s.friction);
        out.normal.clone_from(&s.normal);
        out.eta_dot.clone_from(&s.eta_dot);
        self.free_acceleration();
        Ok(&self.solution)
    }

    /// a = M^-1 Q is that of the impressed forces alone.
    fn free_acceleration(&mut self) {
        if self.solution.control_force.iter().any(|f| *f != 0.0) && self.solution.a_free[0].is_finite() {
            let accelerator = self.natural.as_mut().unwrap_or(&mut self.sticking);
            self.solution.a_free.copy_from_slice(&accelerator.terms().Q);
            accelerator.factor.unconstrained(&mut self.solution.a_free);
        }
    }
}
