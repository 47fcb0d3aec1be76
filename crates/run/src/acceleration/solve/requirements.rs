//! Control: inputs that make the motion meet the requirements (C1).

use super::Accelerator;
use crate::friction::NormalForces;
use crate::linalg::{axpy, mat_vec};
use crate::{AccelerationError, IdealForces, Sliding, Terms};

impl Accelerator {
    /// C1: inputs for what the motion leaves of the requirements, until nothing is left. Without friction and non-ideal
    /// forces that follow the multipliers the motion is linear in the inputs and the first ones are right.
    pub(super) fn meet_requirements(
        &mut self,
        t: f64,
        speed: f64,
        terms: &Terms,
        nonideal: &mut impl FnMut(&IdealForces<'_>, &mut [f64]),
    ) -> Result<(), AccelerationError> {
        let mut steering = std::mem::take(&mut self.steering);
        let control = std::mem::take(&mut self.control);
        let slips = self.sliding.contacts.len();
        let result = (|| {
            steering.prepare(t, &control, &mut self.factor, terms, &self.solution.eta_dot, |z, lambda| {
                follow_friction(
                    &self.normals,
                    &self.sliding,
                    z,
                    lambda,
                    &self.slip_z[..slips * self.shape.n_eta],
                )
            })?;
            let linear = !self.shape.has_nonideal && slips == 0;
            for _ in 0..if linear { 2 } else { 40 } {
                if !steering.correct(&control, &self.solution.eta_dot) {
                    break;
                }
                self.force.copy_from_slice(&terms.Q);
                self.control.S.clone_from(&control.S);
                self.push(&steering.inputs);
                let s = &mut self.solution;
                self.factor.solve(&self.force, &terms.b, &mut s.eta_dot, &mut s.lambda);
                self.respond(t, speed, terms, nonideal)?;
            }
            steering.check(t, self.consistency_tol, &control, &self.solution, &mut self.factor)
        })();
        self.steering = steering;
        self.control = control;
        result
    }

    /// Adds S u to the forces.
    pub(super) fn push(&mut self, inputs: &[f64]) {
        self.solution.inputs.copy_from_slice(inputs);
        if !inputs.is_empty() {
            mat_vec(&self.control.S, inputs, &mut self.solution.control_force);
            axpy(1.0, &self.solution.control_force, &mut self.force);
        }
    }
}

/// How the normal forces change with multipliers that change by `lambda`, and what that adds to the change `z` of the
/// accelerations. With P lambda of one component this is exact, otherwise the slope.
fn follow_friction(normals: &NormalForces, sliding: &Sliding, z: &mut [f64], lambda: &[f64], slip_z: &[f64]) {
    let n = z.len();
    for (change, w) in normals.follow(&sliding.P, sliding.natural, lambda).iter().zip(slip_z.chunks(n.max(1)))
    {
        axpy(*change, w, z);
    }
}
