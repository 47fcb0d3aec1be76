//! The motion inside a step, from its derivatives.
//!
//! ```text
//! c_p = h sum_j weights_pj k_j,   y(t + theta h) = y + (((... + c_2) u_2 + c_1) u_1 + c_0) u_0
//! ```
//!
//! with u = theta, for DOP853 theta and 1 - theta in turn. The polynomials are those of `explicit`, written as weights over
//! the stages, the derivative at the end, and further stages. The end is that of the step as it is made: what is
//! brought back to constraints afterwards are the states taken from here.

use super::LANES;
use crate::hybrid::Method;
use crate::method::dop853::{DENSE, EXTRA_A, EXTRA_C};
use crate::method::tableaux::TSIT5_DENSE;
use crate::method::tableaux::Tableau;

/// The polynomial of a method.
pub(super) struct Interpolant {
    /// Node and weights of each further stage.
    pub stages: Vec<(f64, Vec<f64>)>,
    /// Weights of each coefficient.
    pub coefficients: Vec<Vec<f64>>,
    alternating: bool,
}

impl Interpolant {
    /// `None` for methods that do not step in lanes.
    pub fn of(method: Method, table: &Tableau) -> Option<Self> {
        let end = table.c.len();
        // By the value at the end, and the derivatives at the start and the end.
        let by = |value: f64, first: f64, last: f64| -> Vec<f64> {
            let mut weights: Vec<f64> = table.b.iter().map(|b| value * b).collect();
            weights.resize(end + 1, 0.0);
            weights[0] += first;
            weights[end] += last;
            weights
        };
        let (stages, coefficients) = match method {
            Method::Dop853 => {
                let mut weights = vec![by(1.0, 0.0, 0.0), by(-1.0, 1.0, 0.0), by(2.0, -1.0, -1.0)];
                weights.extend(DENSE.iter().map(|row| row.to_vec()));
                let further = |s: usize| (EXTRA_C[s], EXTRA_A[s][..end + 1 + s].to_vec());
                ((0..EXTRA_C.len()).map(further).collect(), weights)
            }
            Method::Tsit5 => {
                let power = |p: usize| TSIT5_DENSE.iter().map(|row| row[p]).collect();
                (Vec::new(), (0..4).map(power).collect())
            }
            Method::Rk4 => (Vec::new(), vec![by(0.0, 1.0, 0.0), by(3.0, -2.0, -1.0), by(-2.0, 1.0, 1.0)]),
            _ => return None,
        };
        Some(Self { stages, coefficients, alternating: method == Method::Dop853 })
    }

    /// The states at fractions of the steps of all lanes, from the states at their start and the coefficients.
    pub fn at(&self, theta: [f64; LANES], origin: &[f64], coefficients: &[f64], out: &mut [f64]) {
        let (origin, _) = origin.as_chunks::<LANES>();
        let (coefficients, _) = coefficients.as_chunks::<LANES>();
        let (out, _) = out.as_chunks_mut::<LANES>();
        let d = origin.len();
        let rest = theta.map(|theta| 1.0 - theta);
        for i in 0..d {
            let mut sum = [0.0; LANES];
            for p in (0..self.coefficients.len()).rev() {
                let u = if self.alternating && p % 2 == 1 { &rest } else { &theta };
                let c = &coefficients[p * d + i];
                for l in 0..LANES {
                    sum[l] = (sum[l] + c[l]) * u[l];
                }
            }
            for l in 0..LANES {
                out[i][l] = origin[i][l] + sum[l];
            }
        }
    }
}
