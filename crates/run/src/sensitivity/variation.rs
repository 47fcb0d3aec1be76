//! The variational equation S' = f_y S + f_p (S1) as a field to be integrated, and steps over it.
//!
//! The motion is known: its state comes from the dense output of the step, of order 7 for DOP853. S is scaled by weights
//! of the step, one for the coordinates and one for the speeds of each direction, so that one tolerance serves whatever the
//! unit of a parameter is.

use super::response::{Change, Response, ResponseError};
use crate::hybrid::FollowedStep;
use crate::kernel::{Differentiable, Direction, FusedDerivatives, Solved, Term};
use crate::method::stepper::{EvalError, Field};
use crate::{AccelerationError, NotDifferentiable, Point, Projector};

/// Sensitivities below this part of what they are for a state in proportion to the parameter need no digits.
pub(super) const FLOOR: f64 = 1e-3;

/// What it takes to evaluate the equation.
pub(super) struct Equation<'k> {
    pub base: &'k dyn Differentiable,
    pub directions: Vec<Vec<f64>>,
    /// Coordinates, speeds, and integrals that are followed.
    pub n_x: usize,
    pub n: usize,
    pub integrals: usize,
    pub response: Option<Response<'k>>,
    pub fused: Option<Box<dyn FusedDerivatives + 'k>>,
    pub projector: Projector,
    pub change: Change,
    pub refused: Option<NotDifferentiable>,
    pub evaluations: usize,
    /// Whether rows were redundant at the last state: off the constraints such rows disagree.
    redundant: bool,
    scratch: Vec<f64>,
    state: Vec<f64>,
}

impl<'k> Equation<'k> {
    pub fn new(base: &'k dyn Differentiable, directions: Vec<Vec<f64>>, integrals: usize) -> Self {
        let fused = if integrals == 0 { base.fused_derivatives(&directions) } else { None };
        Self { fused, ..Self::plain(base, directions, integrals) }
    }

    /// Without the fused program, which pays only along a whole motion.
    pub fn plain(base: &'k dyn Differentiable, directions: Vec<Vec<f64>>, integrals: usize) -> Self {
        let shape = base.shape();
        Self {
            base,
            directions,
            n_x: shape.n_x,
            n: shape.n_eta,
            integrals,
            response: None,
            fused: None,
            projector: Projector::new(base),
            change: Change::new(&shape),
            refused: None,
            evaluations: 0,
            redundant: false,
            scratch: vec![0.0; base.scratch_len().max(base.derivative_scratch_len())],
            state: vec![0.0; shape.n_x + shape.n_eta],
        }
    }

    /// Numbers of each direction.
    pub fn width(&self) -> usize {
        self.n_x + self.n + self.integrals
    }

    /// Solves at a state, on the constraints where there are rows.
    pub fn solve(&mut self, t: f64, y: &[f64]) -> Result<(), NotDifferentiable> {
        self.state.copy_from_slice(y);
        let (x, eta) = self.state.split_at_mut(self.n_x);
        let Some(response) = &mut self.response else { return Err(NotDifferentiable::Unannounced) };
        if self.base.shape().n_con + self.base.shape().n_invariant > 0 {
            // Rows of contacts that stick hold to the tolerance of the motion.
            let _ = self.projector.project(self.base, t, x, eta);
        }
        response.at(Point { t, x, eta }).map_err(reason)?;
        self.redundant = response.here().1.rank < response.row_count();
        Ok(())
    }

    /// Solves at a state inside a step, as the motion does at its stages: off the constraints by the error of the dense output,
    /// where rows are independent.
    fn solve_inside(&mut self, t: f64, y: &[f64]) -> Result<(), NotDifferentiable> {
        if self.redundant {
            return self.solve(t, y);
        }
        self.state.copy_from_slice(y);
        let (x, eta) = self.state.split_at(self.n_x);
        let Some(response) = &mut self.response else { return Err(NotDifferentiable::Unannounced) };
        match self.integrals {
            0 => response.motion_at(Point { t, x, eta }),
            _ => response.at(Point { t, x, eta }),
        }
        .map_err(reason)?;
        self.redundant = response.here().1.rank < response.row_count();
        if self.redundant { self.solve(t, y) } else { Ok(()) }
    }

    /// The change of (x', eta', integrands) along a direction at the state solved for last.
    pub fn rate(&mut self, k: usize, column: &[f64], out: &mut [f64]) {
        let Some(response) = &mut self.response else { return out.fill(f64::NAN) };
        let along = direction(self.n_x, self.n, column, &self.directions[k]);
        if self.integrals > 0 {
            response.along(along, &mut self.change);
        } else {
            response.motion_along(along, &mut self.change);
        }
        let d = self.n_x + self.n;
        out[..self.n_x].copy_from_slice(&self.change.terms.x_dot);
        out[self.n_x..d].copy_from_slice(&self.change.solution.eta_dot);
        if self.integrals > 0 {
            let (x, eta) = self.state.split_at(self.n_x);
            let at = Point { t: response.time(), x, eta };
            let (terms, solution) = response.here();
            let here = Solved { terms, solution, integrals: &[] };
            let change =
                Solved { terms: &self.change.terms, solution: &self.change.solution, integrals: &[] };
            self.base.rates_along(at, along, here, change, &mut self.scratch, &mut out[d..]);
        }
    }

    /// Makes S tangent to the rows at the state solved for last: the least change by the masses.
    ///
    /// Only rounding and errors of integration are removed, so that any metric would do.
    pub fn make_tangent(&mut self, S: &mut [f64]) {
        let width = self.width();
        for k in 0..self.directions.len() {
            let column = &mut S[k * width..(k + 1) * width];
            let parameters = std::mem::take(&mut self.directions[k]);
            if let Some(response) = &mut self.response {
                response.make_tangent(&parameters, column, self.n_x, self.n);
            }
            self.directions[k] = parameters;
        }
    }
}

fn direction<'a>(n_x: usize, n: usize, column: &'a [f64], parameters: &'a [f64]) -> Direction<'a> {
    Direction { t: 0.0, x: &column[..n_x], eta: &column[n_x..n_x + n], parameters }
}

/// Why there is no derivative, for the run.
pub(super) fn reason(error: ResponseError) -> NotDifferentiable {
    match error {
        ResponseError::Acceleration(error) => NotDifferentiable::Acceleration(error),
        ResponseError::Refused(refusal) => NotDifferentiable::Refused(refusal),
    }
}

/// The equation along one step of the motion, in scaled variables.
pub(super) struct Variation<'a, 'k> {
    pub equation: &'a mut Equation<'k>,
    pub step: &'a FollowedStep<'a>,
    /// Factor from scaled to true numbers.
    pub weights: &'a [f64],
    pub S: &'a mut [f64],
    pub y: &'a mut [f64],
}

impl Variation<'_, '_> {
    /// Time inside the stretch of the step.
    fn within(&self, t: f64) -> f64 {
        t.max(self.step.stretch[0]).min(self.step.stretch[1])
    }

    fn rates(&mut self, t: f64, out: &mut [f64]) -> Result<(), NotDifferentiable> {
        let theta = (t - self.step.t) / self.step.h;
        (self.step.inside)(theta, self.y);
        let t = self.within(t);
        let n_x = self.equation.n_x;
        if let Some(fused) = &mut self.equation.fused {
            let at = Point { t, x: &self.y[..n_x], eta: &self.y[n_x..] };
            if fused.changes(at, self.S, out) {
                return Ok(());
            }
        }
        self.equation.solve_inside(t, self.y)?;
        let width = self.equation.width();
        for (k, (column, out)) in self.S.chunks(width).zip(out.chunks_mut(width)).enumerate() {
            self.equation.rate(k, column, out);
        }
        Ok(())
    }
}

impl Field for Variation<'_, '_> {
    fn dim(&self) -> usize {
        self.weights.len()
    }

    fn eval(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<(), EvalError> {
        self.equation.evaluations += 1;
        for ((S, y), w) in self.S.iter_mut().zip(y).zip(self.weights) {
            *S = y * w;
        }
        if let Err(reason) = self.rates(t, out) {
            self.equation.refused.get_or_insert(reason);
            let error = AccelerationError::NotFinite { t, term: Term::Acceleration, index: 0 };
            return Err(EvalError::Acceleration(error));
        }
        out.iter_mut().zip(self.weights).for_each(|(v, w)| *v /= w);
        Ok(())
    }

    fn jacobian(&mut self, t: f64, _: &[f64], _: &[f64], _: &mut [f64]) -> Result<(), EvalError> {
        let error = AccelerationError::NotFinite { t, term: Term::Acceleration, index: 0 };
        Err(EvalError::Acceleration(error))
    }
}
