//! What every method of integration is to the driver: steps over flat slices, with an error and a dense output.

use crate::constraint::singular::Gap;
use crate::{AccelerationError, Fused, Lagrangian, ProjectionError};

/// Why a derivative could not be had.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum EvalError {
    Acceleration(AccelerationError),
    Projection(ProjectionError),
}

/// Why a step could not be tried; the driver shortens it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StepError {
    Eval(EvalError),
    /// The implicit equations were not solved.
    Newton,
    /// The dense output met, at this fraction of the step, what the step did not see.
    Unresolved {
        at: f64,
    },
}

impl From<EvalError> for StepError {
    fn from(error: EvalError) -> Self {
        StepError::Eval(error)
    }
}

/// y' = f(t, y) on flat slices.
pub(crate) trait Field {
    fn dim(&self) -> usize;
    fn eval(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<(), EvalError>;
    /// The same derivative as one program of the kernel, where it is nothing else.
    fn fused(&mut self) -> Option<FusedField<'_>> {
        None
    }
    /// df/dy, dim * dim row-major; `f` is the derivative at (t, y).
    fn jacobian(&mut self, t: f64, y: &[f64], f: &[f64], J: &mut [f64]) -> Result<(), EvalError>;
    /// Makes ready for [`tangent`](Field::tangent) at the end of a step; false if errors are to be taken as they are.
    fn prepare_tangent(&mut self, t: f64, y: &[f64]) -> bool {
        let _ = (t, y);
        false
    }
    /// Removes from an error what projection will remove from the state.
    fn tangent(&mut self, error: &mut [f64]) {
        let _ = error;
    }
    /// Factorisations of iteration matrices are counted here.
    fn count_factorisation(&mut self) {}
    /// The system with its Lagrangian, for methods that ask for it instead of a derivative.
    fn lagrangian(&self) -> Option<&dyn Lagrangian> {
        None
    }
    /// Evaluations of the Lagrangian, and whether a matrix was made and factored from them.
    fn count_work(&mut self, evaluations: usize, factored: bool) {
        let _ = (evaluations, factored);
    }
}

/// A derivative that is one program of the kernel, without anything around it.
pub(crate) struct FusedField<'a> {
    pub program: &'a dyn Fused,
    /// That of [`Fused::accelerate_in_place`]: t and the state come first.
    pub workspace: &'a mut [f64],
    /// x', eta', and what else the program gives.
    pub out: &'a mut [f64],
    /// Evaluations are counted here.
    pub evaluations: &'a mut usize,
}

/// Tolerances, and the norm by which errors are judged: the largest component, so that none hides behind others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tolerance {
    pub rtol: f64,
    pub atol: f64,
}

impl Tolerance {
    pub fn scale(&self, y: f64, y_new: f64) -> f64 {
        self.atol + self.rtol * y.abs().max(y_new.abs())
    }

    /// Largest |error_i| / scale_i and its index; NaN wins.
    pub fn norm(&self, error: impl Iterator<Item = f64>, y: &[f64], y_new: &[f64]) -> (f64, usize) {
        largest(error.enumerate().map(|(i, e)| e.abs() / self.scale(y[i], y_new[i])))
    }
}

/// The largest of some numbers that are not negative, and its index; NaN wins.
#[inline(always)]
pub(crate) fn largest(values: impl Iterator<Item = f64>) -> (f64, usize) {
    let (mut worst, mut index) = (0.0, 0);
    for (i, value) in values.enumerate() {
        if !(value <= worst) {
            (worst, index) = (value, i);
            if value.is_nan() {
                break;
            }
        }
    }
    (worst, index)
}

/// A step that is being tried.
#[derive(Clone, Copy)]
pub(crate) struct Attempt<'a> {
    pub t: f64,
    pub h: f64,
    pub y: &'a [f64],
    /// Derivative at (t, y).
    pub f: &'a [f64],
    pub tol: Tolerance,
}

/// Error of a step in units of the tolerance, and the component that has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimated {
    pub error: f64,
    pub worst: usize,
}

impl Estimated {
    /// The estimate of DOP853 from the sizes of its errors of fifth and third order, the former with its component.
    pub fn of_two(h: f64, (fifth, worst): (f64, usize), third: f64) -> Self {
        let size = (fifth * fifth + 0.01 * third * third).sqrt();
        let error = if size == 0.0 { 0.0 } else { h.abs() * fifth * (fifth / size) };
        Self { error, worst }
    }

    /// A method without an estimate: any finite state will do.
    pub fn of_none(y_new: &[f64]) -> Self {
        match y_new.iter().position(|v| !v.is_finite()) {
            Some(worst) => Self { error: f64::NAN, worst },
            None => Self { error: 0.0, worst: 0 },
        }
    }
}

/// A method.
pub(crate) trait Stepper {
    /// Tries a step, writing the end state.
    fn step(
        &mut self,
        field: &mut dyn Field,
        at: Attempt<'_>,
        y_new: &mut [f64],
    ) -> Result<Estimated, StepError>;

    /// The derivative at the unprojected end, if the last step computed it.
    fn end_derivative(&self) -> Option<&[f64]>;

    /// Called once for an accepted step that ends at (y_new, f_new).
    fn accepted(&mut self, h: f64);

    /// Another method took the last step: what was carried over from earlier ones no longer holds.
    fn interrupted(&mut self) {}

    /// Makes ready for [`dense`](Stepper::dense) on the step just accepted.
    fn prepare_dense(
        &mut self,
        field: &mut dyn Field,
        at: Attempt<'_>,
        y_new: &[f64],
        f_new: &[f64],
    ) -> Result<(), StepError>;

    /// The state at t + theta h.
    fn dense(&self, theta: f64, out: &mut [f64]);

    /// The derivatives of the stages of the step just accepted, one after the other, if the method is DOP853.
    fn stages(&self) -> Option<&[f64]> {
        None
    }

    /// Error goes as h^exponent.
    fn exponent(&self) -> f64;

    /// Stretches of a step far from any point where the derivative is taken, in order (see `singular`).
    fn gaps(&self) -> &'static [Gap];

    /// Whether steps are of fixed size.
    fn fixed(&self) -> bool {
        false
    }

    /// Whether its steps end on the constraints of themselves: no projection, which would spoil what they conserve.
    fn keeps_constraints(&self) -> bool {
        false
    }

    /// Smallest growth of the step that is worth a new factorisation.
    fn least_growth(&self) -> f64 {
        1.0
    }
}
