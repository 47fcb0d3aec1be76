//! The normal equations of a fit: a damped step, and what the data determine.

use super::Compared;
use dalembert_linalg::{Lu, symmetric_eigen};

/// Eigenvalues of J^T J, columns of unit length, below this are rounding of the sensitivities.
const OPEN: f64 = 1e-13;
/// A part of an eigenvector that counts.
const PART: f64 = 1e-3;

/// J^T J and J^T r with rows weighted by their scatter.
pub(super) struct Normal {
    n: usize,
    square: Vec<f64>,
    gradient: Vec<f64>,
    /// r^T r.
    pub cost: f64,
    /// Rows.
    pub count: usize,
    /// The largest squares of the columns of J so far.
    scale: Vec<f64>,
}

/// A step, and the fall of the sum of squares it promises.
pub(super) struct Step {
    pub change: Vec<f64>,
    pub gain: f64,
}

/// What the data determine.
pub(super) struct Uncertainty {
    pub errors: Vec<Option<f64>>,
    pub correlations: Vec<f64>,
    /// Relative changes that nothing shows.
    pub open: Vec<Vec<f64>>,
}

impl Normal {
    pub fn new(now: &Compared, scatter: &[f64], n: usize) -> Self {
        let (mut square, mut gradient, mut cost) = (vec![0.0; n * n], vec![0.0; n], 0.0);
        for (i, row) in now.jacobian.chunks(n).enumerate() {
            let weight = 1.0 / scatter[now.of[i]];
            let r = now.residuals[i] * weight;
            cost += r * r;
            for a in 0..n {
                gradient[a] += row[a] * weight * r;
                (0..n).for_each(|b| square[a * n + b] += row[a] * row[b] * weight * weight);
            }
        }
        let scale = (0..n).map(|a| square[a * n + a]).collect();
        Normal { n, square, gradient, cost, count: now.residuals.len(), scale }
    }

    /// Damped by no less than another one was.
    pub(crate) fn with_scale_of(mut self, other: &Normal) -> Self {
        self.scale.iter_mut().zip(&other.scale).for_each(|(own, other)| *own = own.max(*other));
        self
    }

    /// The step of Levenberg and Marquardt; parameters without any influence stay.
    pub fn step(&self, damping: f64) -> Step {
        let n = self.n;
        let mut lu = Lu::new(n);
        lu.matrix(n).copy_from_slice(&self.square);
        for a in 0..n {
            let scale = if self.scale[a] > 0.0 { self.scale[a] } else { 1.0 };
            lu.matrix(n)[a * n + a] += damping * scale;
        }
        let mut change: Vec<f64> = self.gradient.iter().map(|g| -g).collect();
        match lu.factor(1e-300) {
            Ok(()) => lu.solve(&mut change),
            Err(_) => change.fill(0.0),
        }
        let along = |a: usize| (0..n).map(|b| self.square[a * n + b] * change[b]).sum::<f64>();
        let gain = -(0..n).map(|a| change[a] * (2.0 * self.gradient[a] + along(a))).sum::<f64>();
        Step { change, gain }
    }

    /// Standard errors and correlations by the covariance s^2 (J^T J)^+, and what it leaves open.
    pub(crate) fn uncertainty(&self, p: &[f64]) -> Uncertainty {
        let n = self.n;
        // Columns of unit length: then eigenvalues have no units.
        let length: Vec<f64> = (0..n).map(|a| self.square[a * n + a].sqrt()).collect();
        let unit = |a: usize| if length[a] > 0.0 { length[a] } else { 1.0 };
        let mut scaled: Vec<f64> = (0..n * n).map(|e| self.square[e] / (unit(e / n) * unit(e % n))).collect();
        let mut axes = vec![0.0; n * n];
        symmetric_eigen(&mut scaled, n, &mut axes);
        let spare = self.count.saturating_sub(n);
        let variance = if spare > 0 { self.cost / spare as f64 } else { f64::NAN };
        let mut covariance = vec![0.0; n * n];
        let (mut touched, mut open) = (vec![false; n], Vec::new());
        for k in 0..n {
            let axis = |a: usize| axes[a * n + k];
            let value = scaled[k * n + k];
            if value > OPEN {
                for e in 0..n * n {
                    covariance[e] +=
                        variance * axis(e / n) * axis(e % n) / (value * unit(e / n) * unit(e % n));
                }
                continue;
            }
            // As relative changes of the parameters.
            let size = |a: usize| if p[a] != 0.0 { p[a].abs() } else { 1.0 };
            let mut change: Vec<f64> = (0..n).map(|a| axis(a) / (unit(a) * size(a))).collect();
            let most = change.iter().fold(0.0f64, |m, c| if c.abs() > m.abs() { *c } else { m });
            change.iter_mut().for_each(|c| *c /= most);
            (0..n).filter(|a| change[*a].abs() > PART).for_each(|a| touched[a] = true);
            open.push(change);
        }
        let error = |a: usize| covariance[a * n + a].sqrt();
        let errors = (0..n).map(|a| (!touched[a] && spare > 0).then(|| error(a)));
        let correlations = (0..n * n).map(|e| match (touched[e / n] || touched[e % n], e / n == e % n) {
            (true, _) => f64::NAN,
            (_, true) => 1.0,
            _ => covariance[e] / (error(e / n) * error(e % n)),
        });
        Uncertainty { errors: errors.collect(), correlations: correlations.collect(), open }
    }
}
