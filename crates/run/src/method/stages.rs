//! What explicit methods share: their tables, the derivatives of the stages of a step with weighted sums of them, and what
//! rounding cuts off.

use super::dop853::DOP853;
use super::tableaux::{Estimate, RK4, TSIT5, Tableau};
use dalembert_linalg::axpy;

/// An explicit method.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Dop853,
    Tsit5,
    Rk4,
}

impl Kind {
    pub fn table(self) -> &'static Tableau {
        match self {
            Kind::Dop853 => &DOP853,
            Kind::Tsit5 => &TSIT5,
            Kind::Rk4 => &RK4,
        }
    }
}

/// Weights of the error estimate of Tsit5.
pub(super) const TSIT5_ERROR: &[f64] = match &TSIT5.estimate {
    Estimate::One(weights) => weights,
    _ => &[],
};
/// Weights of the error estimates of DOP853, of fifth and third order.
pub(crate) const DOP853_ERRORS: [&[f64]; 2] = match &DOP853.estimate {
    Estimate::Two { fifth, third } => [fifth, third],
    _ => [&[], &[]],
};

/// Most derivatives of a step: the stages of DOP853, the end of the step and three stages of the dense output.
pub(super) const MAX_STAGES: usize = 16;

/// Derivatives k_j of a step, j < 16, one after the other.
pub(super) struct Stages {
    dim: usize,
    k: Vec<f64>,
}

impl Stages {
    /// Room for derivatives of `dim` components.
    pub fn new(dim: usize) -> Self {
        Self { dim, k: vec![0.0; MAX_STAGES * dim] }
    }

    /// All of them, for code that is made for a number of components; `None` if that is another one.
    #[inline]
    pub fn rows_mut<const D: usize>(&mut self) -> Option<&mut [[f64; D]; MAX_STAGES]> {
        let (rows, _) = self.k.as_chunks_mut();
        rows.try_into().ok().filter(|_| D == self.dim)
    }

    /// All of them, one after the other.
    pub fn all(&self) -> &[f64] {
        &self.k
    }

    /// k_j
    pub fn row(&self, j: usize) -> &[f64] {
        &self.k[j * self.dim..(j + 1) * self.dim]
    }

    /// k_j, to be written.
    pub fn row_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.k[j * self.dim..(j + 1) * self.dim]
    }

    /// `y + sum_j (h w_j) k_j`; the increment is summed first, so that y rounds once.
    pub fn state(&self, y: &[f64], h: f64, weights: &[f64], out: &mut [f64]) {
        self.increment(h, weights, out);
        out.iter_mut().zip(y).for_each(|(out, y)| *out += y);
    }

    /// `sum_j (h w_j) k_j`, weights that are zero left out.
    pub fn increment(&self, h: f64, weights: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (j, w) in weights.iter().enumerate() {
            if *w != 0.0 {
                axpy(h * w, self.row(j), out);
            }
        }
    }

    /// `factor sum_j w_j k_j`, weights that are zero left out.
    pub fn sum(&self, factor: f64, weights: &[f64], out: &mut [f64]) {
        self.increment(1.0, weights, out);
        out.iter_mut().for_each(|out| *out *= factor);
    }
}

/// What rounding cut off the last accepted step, and the state that step ended in: long motions near an unstable balance
/// would otherwise see the roundings of all steps (compensated summation).
pub(super) struct Carry {
    left: Vec<f64>,
    for_state: Vec<f64>,
    next_left: Vec<f64>,
    next_for_state: Vec<f64>,
}

impl Carry {
    pub fn new(dim: usize) -> Self {
        let (zero, none) = (vec![0.0; dim], vec![f64::NAN; dim]);
        Self { left: zero.clone(), for_state: none.clone(), next_left: zero, next_for_state: none }
    }

    /// y_new = y + increment, with what the last step left over, if the state is still its end.
    #[inline(always)]
    pub fn add(&mut self, y: &[f64], increment: &[f64], y_new: &mut [f64]) {
        let carried = self.for_state == y;
        let d = y.len();
        let (left, next_left) = (&self.left[..d], &mut self.next_left[..d]);
        let (increment, y_new) = (&increment[..d], &mut y_new[..d]);
        for i in 0..d {
            let increment = increment[i] + if carried { left[i] } else { 0.0 };
            y_new[i] = y[i] + increment;
            next_left[i] = increment - (y_new[i] - y[i]);
        }
        self.next_for_state.copy_from_slice(y_new);
    }

    /// The step was accepted.
    pub fn accepted(&mut self) {
        std::mem::swap(&mut self.left, &mut self.next_left);
        std::mem::swap(&mut self.for_state, &mut self.next_for_state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_rows() {
        let mut stages = Stages::new(3);
        stages.row_mut(0).copy_from_slice(&[1.0, 2.0, 3.0]);
        stages.row_mut(1).fill(f64::NAN);
        stages.row_mut(2).copy_from_slice(&[0.5, 0.0, -1.0]);
        let mut out = [0.0; 3];
        stages.state(&[10.0, 20.0, 30.0], 0.5, &[2.0, 0.0, 4.0], &mut out);
        assert_eq!(out, [12.0, 22.0, 31.0], "a weight of zero leaves its row out");
        stages.sum(2.0, &[1.0, 0.0, 1.0], &mut out);
        assert_eq!(out, [3.0, 4.0, 4.0]);
        assert!(stages.rows_mut::<3>().is_some() && stages.rows_mut::<4>().is_none());
    }
}
