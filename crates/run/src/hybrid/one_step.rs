//! One explicit step of given length at a time, for somebody else's loop: no error estimate, no events, no allocation.
//!
//! ```text
//! k_i = f(t + c_i h, y + h sum_j a_ij k_j),   y <- P(y + h sum_i b_i k_i)
//! ```
//!
//! with P the projection onto the constraints. For systems whose motion is smooth over the step; what sticks, switches or
//! happens in it is the subject of [`integrate`](super::integrate()).
//!
//! Checked by `tests/it/stepper.rs` of the facade, against the driver with the same fixed step.

use super::{Failure, Method};
use crate::method::dop853::DOP853;
use crate::method::tableaux::{RK4, TSIT5, Tableau};
use crate::{Accelerator, Dynamics, Point, Projector};
use dalembert_linalg::axpy;

/// Workspace of explicit steps for one kernel.
pub struct OneStep {
    tableau: &'static Tableau,
    accelerator: Accelerator,
    projector: Projector,
    n_x: usize,
    projects: bool,
    /// Derivatives of the stages, one after the other.
    rates: Vec<f64>,
    stage: Vec<f64>,
    next: Vec<f64>,
}

impl OneStep {
    /// For an explicit method; `None` for others.
    pub fn new(kernel: &dyn Dynamics, method: Method) -> Option<Self> {
        let tableau = match method {
            Method::Rk4 => &RK4,
            Method::Tsit5 => &TSIT5,
            Method::Dop853 => &DOP853,
            _ => return None,
        };
        let shape = kernel.shape();
        let d = shape.n_x + shape.n_eta;
        let mut accelerator = Accelerator::new(kernel);
        // Stages lie off the constraints, where redundant rows disagree.
        accelerator.consistency_tol = f64::INFINITY;
        Some(Self {
            tableau,
            accelerator,
            projector: Projector::new(kernel),
            n_x: shape.n_x,
            projects: shape.n_con + shape.n_invariant > 0,
            rates: vec![0.0; tableau.b.len() * d],
            stage: vec![0.0; d],
            next: vec![0.0; d],
        })
    }

    /// The parameters of the kernel have changed.
    pub fn refresh(&mut self, kernel: &dyn Dynamics) {
        self.accelerator.refresh(kernel);
    }

    /// A motion begins: what the kinematics conserve is held at what it is here.
    pub fn begin(&mut self, kernel: &dyn Dynamics, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        self.projector.hold_invariants(kernel, &y[..self.n_x]);
        self.project(kernel, t, y)
    }

    /// Moves a flat state on by `h`. After an error it is as it was.
    pub fn step(&mut self, kernel: &dyn Dynamics, t: f64, h: f64, y: &mut [f64]) -> Result<(), Failure> {
        let d = y.len();
        for i in 0..self.tableau.b.len() {
            self.stage.copy_from_slice(y);
            for (j, a) in self.tableau.a[i].iter().enumerate().filter(|(_, a)| **a != 0.0) {
                axpy(h * a, &self.rates[j * d..(j + 1) * d], &mut self.stage);
            }
            let (x, eta) = self.stage.split_at(self.n_x);
            let at = Point { t: t + self.tableau.c[i] * h, x, eta };
            let (x_dot, eta_dot) = self.rates[i * d..(i + 1) * d].split_at_mut(self.n_x);
            self.accelerator.rates(kernel, at, x_dot, eta_dot).map_err(Failure::Acceleration)?;
        }
        self.next.copy_from_slice(y);
        for (i, b) in self.tableau.b.iter().enumerate().filter(|(_, b)| **b != 0.0) {
            axpy(h * b, &self.rates[i * d..(i + 1) * d], &mut self.next);
        }
        let mut next = std::mem::take(&mut self.next);
        let done = self.project(kernel, t + h, &mut next).and_then(|()| {
            let bad = next.iter().position(|v| !v.is_finite());
            bad.map_or(Ok(()), |index| Err(Failure::NotFinite { t, index }))
        });
        if done.is_ok() {
            y.copy_from_slice(&next);
        }
        self.next = next;
        done
    }

    fn project(&mut self, kernel: &dyn Dynamics, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        if !self.projects {
            return Ok(());
        }
        let (x, eta) = y.split_at_mut(self.n_x);
        let moved = self.projector.project(kernel, t, x, eta);
        moved.map(|_| ()).map_err(|e| Failure::ProjectionFailed { t: e.t, row: e.row, residual: e.residual })
    }
}
