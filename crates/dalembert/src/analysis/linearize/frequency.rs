//! The answer of a linear system to harmonic inputs: G(i w) = C (i w I - S)^-1 B + D.

use super::{Complex, Linearization};
use crate::simulate::Table;
use dalembert_linalg::{Lu, Mat};
use std::f64::consts::TAU;

/// Points of a frequency response.
const POINTS: usize = 400;
/// Decades below the slowest and above the fastest eigenvalue.
const BEYOND: f64 = 1.0;

impl Linearization {
    /// G(i w) by outputs and inputs, row-major; `None` where i w is an eigenvalue.
    ///
    /// ```
    /// use dalembert::{Model, Source};
    /// let text = "input u = 0\ncoordinate x\nkinetic x'^2/2\npotential 2*x^2\nforce x = u - x'\noutput y = x";
    /// let model = Model::load(&Source::new("mass.dal", text), &Default::default()).map_err(|d| d[0].message.clone())?;
    /// let linear = model.linearize(&model.start().map_err(|d| d.message)?.state, &[]).map_err(|d| d.message)?;
    /// let at_rest = linear.frequency_response(0.0).ok_or("an eigenvalue")?;
    /// assert!((at_rest[0].re - 0.25).abs() < 1e-15 && at_rest[0].im == 0.0);
    /// # Ok::<(), String>(())
    /// ```
    pub fn frequency_response(&self, omega: f64) -> Option<Vec<Complex>> {
        let (d, k, r) = (self.dimension(), self.inputs.len(), self.outputs.len());
        let (states, outputs) = (Mat::new(&self.state_matrix[..], d), Mat::new(&self.output_matrix[..], d));
        let mut lu = Lu::new(2 * d);
        let width = 2 * d;
        let mut matrix = Mat::new(lu.matrix(width), width);
        matrix.fill(0.0);
        for i in 0..d {
            for j in 0..d {
                matrix[[i, j]] = -states[[i, j]];
                matrix[[d + i, d + j]] = -states[[i, j]];
            }
            matrix[[i, d + i]] = -omega;
            matrix[[d + i, i]] = omega;
        }
        lu.factor(1e-300).ok()?;
        let mut out = vec![Complex::new(0.0, 0.0); r * k];
        for j in 0..k {
            let mut v: Vec<f64> = (0..d).map(|i| self.input_matrix[i * k + j]).collect();
            v.resize(width, 0.0);
            lu.solve(&mut v);
            for i in 0..r {
                let row = outputs.row(i);
                let along = |part: &[f64]| row.iter().zip(part).map(|(c, s)| c * s).sum::<f64>();
                out[i * k + j] = Complex::new(along(&v[..d]) + self.feedthrough[i * k + j], along(&v[d..]));
            }
        }
        out.iter().all(|g| g.re.is_finite() && g.im.is_finite()).then_some(out)
    }

    /// Magnitude in dB and phase in degrees of every output for every input over the logarithm of the frequency in Hz:
    /// columns `log10(f/Hz)`, then magnitudes, then phases, which go on where they would jump by a turn.
    pub fn bode_table(&self) -> Table {
        let (k, r) = (self.inputs.len(), self.outputs.len());
        let sizes = self.eigen.values.iter().map(|v| v.re.hypot(v.im)).filter(|v| *v > 0.0);
        let (low, high) = sizes.fold((f64::INFINITY, 0.0f64), |(l, h), v| (l.min(v), h.max(v)));
        let (low, high) = if high > 0.0 { (low, high) } else { (1.0, 1.0) };
        let (low, high) = ((low / TAU).log10() - BEYOND, (high / TAU).log10() + BEYOND);
        let mut columns = vec!["log10(f/Hz)".to_owned()];
        let pairs = |unit: &str| -> Vec<String> {
            let name =
                |e: usize| format!("{}/{} [{unit}]", self.outputs[e / k.max(1)], self.inputs[e % k.max(1)]);
            (0..r * k).map(name).collect()
        };
        columns.extend(pairs("dB").into_iter().chain(pairs("deg")));
        let (mut values, mut turns) = (Vec::new(), vec![(0.0, f64::NAN); r * k]);
        for point in 0..POINTS {
            let exponent = low + (high - low) * point as f64 / (POINTS - 1) as f64;
            values.push(exponent);
            match self.frequency_response(TAU * 10f64.powf(exponent)) {
                None => values.extend(vec![f64::NAN; 2 * r * k]),
                Some(response) => {
                    values.extend(response.iter().map(|g| 20.0 * g.re.hypot(g.im).log10()));
                    for (g, (turn, last)) in response.iter().zip(&mut turns) {
                        let phase = g.im.atan2(g.re).to_degrees();
                        if (phase - *last).abs() > 180.0 {
                            *turn -= 360.0 * (phase - *last).signum();
                        }
                        *last = phase;
                        values.push(phase + *turn);
                    }
                }
            }
        }
        Table { columns, values }
    }

    /// Real and imaginary part of each eigenvalue, one a row, with rows of gaps between them.
    pub fn pole_table(&self) -> Table {
        let columns = vec!["real part [1/s]".to_owned(), "imaginary part [1/s]".to_owned()];
        // The axis of imaginary numbers belongs to the picture.
        let axis = [0.0, f64::NAN];
        let poles = self.eigen.values.iter().flat_map(|v| [v.re, v.im, 0.0, f64::NAN]);
        Table { columns, values: axis.into_iter().chain(poles).collect() }
    }
}
