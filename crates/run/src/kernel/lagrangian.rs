//! The Lagrangian of a system and its derivatives, for variational methods.

use super::{Dynamics, Point, Shape};

/// A system with a Lagrangian: eta = x', every row is a Position row, and no other forces act than those in r.
pub trait Lagrangian: Dynamics {
    /// L, y = dL/dx', r = dL/dx + Q'.
    fn variation(&self, at: Point<'_>, scratch: &mut [f64], out: &mut Variation);

    /// Derivatives of y, and of r with the forces of the multipliers `lambda`.
    fn second_variation(&self, at: Point<'_>, lambda: &[f64], scratch: &mut [f64], out: &mut SecondVariation);
}

/// The Lagrangian and its first derivatives at a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variation {
    /// L, one number.
    pub L: [f64; 1],
    /// y = dL/dx', n_eta.
    pub y: Vec<f64>,
    /// r = dL/dx + Q', n_eta.
    pub r: Vec<f64>,
}

/// Derivatives of y, and of r with the constraint forces, multipliers held. All n_eta * n_eta, row-major.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SecondVariation {
    /// dy/dx
    pub y_x: Vec<f64>,
    /// dy/dx', the mass matrix.
    pub y_v: Vec<f64>,
    /// d(r + lambda_a df_a/dx)/dx
    pub r_x: Vec<f64>,
    /// dr/dx'
    pub r_v: Vec<f64>,
}

impl Variation {
    /// Zeros of the right sizes.
    pub fn new(shape: &Shape) -> Self {
        Self { L: [0.0], y: vec![0.0; shape.n_eta], r: vec![0.0; shape.n_eta] }
    }
}

impl SecondVariation {
    /// Zeros of the right sizes.
    pub fn new(shape: &Shape) -> Self {
        let square = || vec![0.0; shape.n_eta * shape.n_eta];
        Self { y_x: square(), y_v: square(), r_x: square(), r_v: square() }
    }
}
