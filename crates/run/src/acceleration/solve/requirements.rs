//! Control: inputs that make the motion meet the requirements (C1).

use super::Accelerator;
use crate::coulomb::NormalForces;
use crate::tolerance;
use crate::{AccelerationError, ControlTerms, IdealForces, Sliding, Terms};
use dalembert_linalg::{axpy, mat_vec, norm_max};

impl Accelerator {
    /// C1: inputs for what the motion leaves of the requirements, until nothing is left. Without friction and non-ideal
    /// forces the motion is linear in the inputs and the first ones are right; so they are where such a force is linear in
    /// the multipliers, which the inputs change.
    pub(super) fn meet_requirements(
        &mut self,
        t: f64,
        eta: &[f64],
        terms: &Terms,
        nonideal: &mut impl FnMut(&IdealForces<'_>, &mut [f64]),
    ) -> Result<(), AccelerationError> {
        let mut steering = std::mem::take(&mut self.steering);
        let control = std::mem::take(&mut self.control);
        let slips = self.sliding.contacts.len();
        let result = (|| {
            let n = self.shape.n_eta;
            let measured = match self.has_nonideal {
                true => self.measure_inputs(t, eta, terms, &control, nonideal)?,
                false => Vec::new(),
            };
            let mut carriers = self.carriers.clone();
            let follow = |j: usize, z: &mut [f64], lambda: &[f64]| match measured.chunks(n.max(1)).nth(j) {
                Some(response) => z.copy_from_slice(response),
                // Only the normal forces of contacts that slide follow the multipliers.
                None if slips == 0 => {}
                None => {
                    let mut lambda = lambda.to_vec();
                    if let Some(carriers) = &mut carriers {
                        carriers.carry(terms, &mut lambda[..self.sliding.natural]);
                    }
                    follow_friction(&self.normals, &self.sliding, z, &lambda, &self.slip_z[..slips * n]);
                }
            };
            steering.prepare(t, &control, &mut self.factor, terms, &self.solution.eta_dot, follow)?;
            let linear = !self.has_nonideal && slips == 0;
            for _ in 0..if linear { 2 } else { 40 } {
                if !steering.correct(&control, &self.solution.eta_dot) {
                    break;
                }
                self.solve_with_inputs(t, eta, terms, &control, &steering.inputs, nonideal)?;
            }
            steering.check(t, self.consistency_tol, &control, &self.solution, &mut self.factor)?;
            self.solution.demand.copy_from_slice(&steering.inputs);
            for _ in 0..if linear { 1 } else { 20 } {
                if !steering.limit(t, &control, &self.solution.eta_dot)? {
                    break;
                }
                self.solution.demand.copy_from_slice(&steering.demand);
                self.solve_with_inputs(t, eta, terms, &control, &steering.inputs, nonideal)?;
            }
            Ok(())
        })();
        self.steering = steering;
        self.control = control;
        result
    }

    /// How the accelerations answer each input, by columns, with all that follows the multipliers: by differences, which
    /// are exact for forces linear in them. The solution is that without inputs before and after.
    fn measure_inputs(
        &mut self,
        t: f64,
        eta: &[f64],
        terms: &Terms,
        control: &ControlTerms,
        nonideal: &mut impl FnMut(&IdealForces<'_>, &mut [f64]),
    ) -> Result<Vec<f64>, AccelerationError> {
        let (n, count) = (self.shape.n_eta, self.shape.n_input);
        let mut inputs = vec![0.0; count];
        let natural = self.solution.eta_dot.clone();
        let mut columns = vec![0.0; n * count];
        let force = norm_max(&terms.Q).max(norm_max(&self.solution.ideal_force));
        for (j, column) in columns.chunks_mut(n.max(1)).enumerate() {
            let size = (0..n).fold(0.0f64, |m, i| m.max(control.S[i * count + j].abs()));
            // Small against the forces there are: a law may have a kink where a multiplier changes its sign.
            let step = if force > 0.0 { tolerance::TRIAL * force / size } else { 1.0 / size };
            if !step.is_finite() {
                continue;
            }
            inputs.fill(0.0);
            inputs[j] = step;
            self.solve_with_inputs(t, eta, terms, control, &inputs, nonideal)?;
            let answer =
                self.solution.eta_dot.iter().zip(&natural).map(|(with, without)| (with - without) / step);
            column.iter_mut().zip(answer).for_each(|(z, v)| *z = v);
        }
        inputs.fill(0.0);
        self.solve_with_inputs(t, eta, terms, control, &inputs, nonideal)?;
        Ok(columns)
    }

    /// The motion with given inputs; the saddle system is factored already.
    fn solve_with_inputs(
        &mut self,
        t: f64,
        eta: &[f64],
        terms: &Terms,
        control: &ControlTerms,
        inputs: &[f64],
        nonideal: &mut impl FnMut(&IdealForces<'_>, &mut [f64]),
    ) -> Result<(), AccelerationError> {
        self.force.copy_from_slice(&terms.Q);
        self.control.S.clone_from(&control.S);
        self.push(inputs);
        let s = &mut self.solution;
        self.factor.solve(&self.force, &terms.b, &mut s.eta_dot, &mut s.lambda);
        self.respond(t, eta, terms, nonideal)
    }

    /// Bounds of the inputs at the last state; empty where there are none.
    pub(crate) fn control_bounds(&self) -> &[[f64; 2]] {
        &self.control.bounds
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
