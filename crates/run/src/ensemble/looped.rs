//! A step of a Runge-Kutta method by loops over lanes, for kernels whose step would be too long as one program.

use super::interpolant::Interpolant;
use super::{LANES, LaneKernel};
use crate::method::stepper::Tolerance;
use crate::method::tableaux::{Estimate, Tableau};

/// Four numbers.
type Four = [f64; LANES];

/// Workspace of a step: states, stages, inputs of the derivative.
pub(super) struct Looped {
    /// t, y, constants of the derivative.
    inputs: Vec<f64>,
    out: Vec<f64>,
    workspace: Vec<f64>,
    k: Vec<Four>,
    trusted: Four,
    dim: usize,
}

impl Looped {
    pub fn new(kernel: &dyn LaneKernel, table: &Tableau) -> Self {
        let (dim, constants) = (kernel.dim(), kernel.constants());
        Self {
            inputs: vec![0.0; (1 + dim + constants) * LANES],
            out: vec![0.0; (dim + 1) * LANES],
            workspace: vec![0.0; kernel.workspace()],
            k: vec![[0.0; LANES]; (table.c.len() + 1 + table.extra) * dim],
            trusted: [1.0; LANES],
            dim,
        }
    }

    /// Inputs and outputs as in [`super::unrolled`].
    pub fn run(
        &mut self,
        kernel: &dyn LaneKernel,
        table: &Tableau,
        tol: Tolerance,
        interpolant: Option<&Interpolant>,
        inputs: &[f64],
        outputs: &mut [f64],
    ) {
        let d = self.dim;
        let (fours, _) = inputs.as_chunks::<LANES>();
        let (out, _) = outputs.as_chunks_mut::<LANES>();
        let (t, h, y) = (fours[0], fours[1], &fours[2..2 + d]);
        let handed_on = if table.last_is_next { d } else { 0 };
        let constants = 2 + d + handed_on;
        self.inputs[(1 + d) * LANES..]
            .copy_from_slice(fours[constants..][..kernel.constants()].as_flattened());
        self.trusted = [1.0; LANES];
        self.k[..handed_on].copy_from_slice(&fours[2 + d..constants]);
        for i in usize::from(table.last_is_next)..table.c.len() {
            self.derivative(kernel, (t, h, y), table.c[i], table.a[i], i);
        }
        let (y_new, rest) = out.split_at_mut(d);
        for i in 0..d {
            y_new[i] = self.state(h, y[i], table.b, i);
        }
        if table.last_is_next {
            let s = table.c.len();
            self.derivative(kernel, (t, h, y), 1.0, table.b, s);
            rest[..d].copy_from_slice(&self.k[s * d..(s + 1) * d]);
        }
        rest[handed_on] = self.error(table, tol, h, y, y_new);
        rest[handed_on + 1] = self.trusted;
        if let Some(interpolant) = interpolant {
            self.inside(kernel, table, interpolant, (t, h, y), &mut rest[handed_on + 2..]);
        }
    }

    /// Coefficients of the motion inside the step, and whether they can be trusted.
    fn inside(
        &mut self,
        kernel: &dyn LaneKernel,
        table: &Tableau,
        interpolant: &Interpolant,
        (t, h, y): (Four, Four, &[Four]),
        out: &mut [Four],
    ) {
        let (d, s) = (self.dim, table.c.len());
        if !table.last_is_next {
            self.derivative(kernel, (t, h, y), 1.0, table.b, s);
        }
        for (place, (c, weights)) in interpolant.stages.iter().enumerate() {
            self.derivative(kernel, (t, h, y), *c, weights, s + 1 + place);
        }
        for (p, weights) in interpolant.coefficients.iter().enumerate() {
            for i in 0..d {
                let sum = self.weighted(weights, i).unwrap_or_default();
                out[p * d + i] = std::array::from_fn(|l| h[l] * sum[l]);
            }
        }
        out[interpolant.coefficients.len() * d] = self.trusted;
    }

    /// y + h sum_j weights_j k_j of one component.
    fn state(&self, h: Four, y: Four, weights: &[f64], i: usize) -> Four {
        match self.weighted(weights, i) {
            None => y,
            Some(sum) => std::array::from_fn(|l| y[l] + h[l] * sum[l]),
        }
    }

    fn weighted(&self, weights: &[f64], i: usize) -> Option<Four> {
        let mut sum: Option<Four> = None;
        for (j, w) in weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            let k = &self.k[j * self.dim + i];
            sum = Some(match sum {
                None => k.map(|k| w * k),
                Some(sum) => std::array::from_fn(|l| sum[l] + w * k[l]),
            });
        }
        sum
    }

    /// Derivative `place`, at t + c h and y + h sum_j weights_j k_j.
    fn derivative(
        &mut self,
        kernel: &dyn LaneKernel,
        (t, h, y): (Four, Four, &[Four]),
        c: f64,
        weights: &[f64],
        place: usize,
    ) {
        let d = self.dim;
        for l in 0..LANES {
            self.inputs[l] = t[l] + c * h[l];
        }
        for i in 0..d {
            let state = self.state(h, y[i], weights, i);
            self.inputs[(1 + i) * LANES..(2 + i) * LANES].copy_from_slice(&state);
        }
        kernel.derivative(&self.inputs, &mut self.workspace, &mut self.out);
        let (out, _) = self.out.as_chunks::<LANES>();
        self.k[place * d..(place + 1) * d].copy_from_slice(&out[..d]);
        for l in 0..LANES {
            self.trusted[l] = f64::from(u8::from(self.trusted[l] != 0.0 && out[d][l] != 0.0));
        }
    }

    fn error(&self, table: &Tableau, tol: Tolerance, h: Four, y: &[Four], y_new: &[Four]) -> Four {
        let norm = |weights: &[f64]| {
            let mut largest = [0.0; LANES];
            for i in 0..self.dim {
                let Some(sum) = self.weighted(weights, i) else { continue };
                for l in 0..LANES {
                    let scaled = sum[l] * (1.0 / tol.scale_of(y[i][l], y_new[i][l]));
                    largest[l] = larger(largest[l], scaled.abs());
                }
            }
            largest
        };
        match &table.estimate {
            Estimate::None => std::array::from_fn(|l| {
                y_new.iter().fold(0.0, |largest, y| larger(largest, (0.0 * y[l]).abs()))
            }),
            Estimate::One(weights) => {
                let e = norm(weights);
                std::array::from_fn(|l| h[l].abs() * e[l])
            }
            Estimate::Two { fifth, third } => {
                let (e3, e5) = (norm(third), norm(fifth));
                std::array::from_fn(|l| {
                    let both = (e5[l] * e5[l] + 0.01 * (e3[l] * e3[l])).sqrt();
                    if both == 0.0 { 0.0 } else { h[l].abs() * (e5[l] * e5[l] / both) }
                })
            }
        }
    }
}

/// The larger; NaN wins.
fn larger(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

impl Tolerance {
    /// As the operators of a tape compute it.
    fn scale_of(self, y: f64, y_new: f64) -> f64 {
        self.atol + self.rtol * larger(y.abs(), y_new.abs())
    }
}
