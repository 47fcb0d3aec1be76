//! Newton's equations for the nodes of a path, as a band matrix, and how sensitive the path is to its end.

use super::{Grid, NODES};
use crate::Lagrangian;
use dalembert_linalg::{Band, axpy, norm_max};

/// A change of the inner nodes and of their impulses.
pub struct Correction {
    /// (q, Lambda) node after node.
    values: Vec<f64>,
    /// The positions alone.
    pub positions: Vec<f64>,
}

impl Grid {
    /// Residuals of all inner nodes, and the matrix with so much of the kinetic one added; `None` where something is not finite.
    fn residuals(&mut self, kernel: &dyn Lagrangian, assemble: Option<f64>) -> Option<Vec<f64>> {
        let (n, m) = (self.n, self.m);
        let (w, last) = (n + m, self.nodes() - 1);
        let mut right = vec![0.0; self.unknowns()];
        let mut band = assemble.map(|added| (added, Band::new(self.unknowns(), self.half())));
        for e in 0..self.elements {
            self.evaluate(kernel, e, assemble.is_some());
            for i in 0..NODES {
                let g = e * (NODES - 1) + i;
                if g == 0 || g == last {
                    continue;
                }
                let row = (g - 1) * w;
                self.element.add_slope(i, self.h, &mut right[row..row + n]);
                if let Some((added, band)) = &mut band {
                    for k in 0..NODES {
                        let other = e * (NODES - 1) + k;
                        if other > 0 && other < last {
                            let column = (other - 1) * w;
                            self.element.each_block(i, k, self.h, |p, r, v| band.add(row + p, column + r, v));
                            if *added > 0.0 {
                                let stiffer = |p, r, v: f64| band.add(row + p, column + r, *added * v);
                                self.element.each_kinetic(i, k, self.h, stiffer);
                            }
                        }
                    }
                }
                // A node between elements gets its constraints once.
                if m > 0 && (i > 0 || e == 0) {
                    self.constrain(g, i, row, &mut right, band.as_mut().map(|(_, band)| band));
                }
            }
        }
        if let Some((_, mut band)) = band {
            band.factor().ok()?;
            self.band = Some(band);
        }
        right.iter().all(|v| v.is_finite()).then_some(right)
    }

    fn constrain(&mut self, g: usize, i: usize, row: usize, right: &mut [f64], band: Option<&mut Band>) {
        let (n, m) = (self.n, self.m);
        let A = &self.element.A[i * m * n..(i + 1) * m * n];
        let keep = &mut self.keep[g * m..(g + 1) * m];
        let assemble = band.is_some();
        if assemble {
            self.rows.choose(A);
            keep.copy_from_slice(&self.rows.keep);
        }
        for c in 0..m {
            let l = self.Lambda[g * m + c];
            axpy(l, &A[c * n..(c + 1) * n], &mut right[row..row + n]);
            right[row + n + c] = if keep[c] { self.element.f[i * m + c] } else { l };
        }
        let Some(band) = band else { return };
        for c in 0..m {
            let place = row + n + c;
            if !keep[c] {
                band.add(place, place, 1.0);
                continue;
            }
            for p in 0..n {
                band.add(row + p, place, A[c * n + p]);
                band.add(place, row + p, A[c * n + p]);
            }
        }
    }

    /// Newton's correction with a new matrix.
    pub fn correction(&mut self, kernel: &dyn Lagrangian) -> Option<Correction> {
        self.damped(kernel, 0.0)
    }

    /// Newton's correction with `added` of the kinetic matrix added.
    pub fn damped(&mut self, kernel: &dyn Lagrangian, added: f64) -> Option<Correction> {
        let right = self.residuals(kernel, Some(added))?;
        self.solved(right)
    }

    /// The correction that the last matrix gives here.
    pub fn simplified(&mut self, kernel: &dyn Lagrangian) -> Option<Correction> {
        let right = self.residuals(kernel, None)?;
        self.solved(right)
    }

    fn solved(&self, mut values: Vec<f64>) -> Option<Correction> {
        self.band.as_ref()?.solve(&mut values);
        values.iter_mut().for_each(|v| *v = -*v);
        let positions = values.chunks(self.n + self.m).flat_map(|c| c[..self.n].to_vec()).collect();
        Some(Correction { values, positions })
    }

    pub fn advance(&mut self, correction: &Correction, fraction: f64) {
        let (n, m) = (self.n, self.m);
        for (g, change) in correction.values.chunks(n + m).enumerate() {
            axpy(fraction, &change[..n], &mut self.q[(g + 1) * n..(g + 2) * n]);
            axpy(fraction, &change[n..], &mut self.Lambda[(g + 1) * m..(g + 2) * m]);
        }
    }

    /// Moves the last node, and the others along as the linear equations say.
    pub fn move_end(&mut self, kernel: &dyn Lagrangian, end: &[f64]) {
        let (n, last) = (self.n, self.nodes() - 1);
        let change: Vec<f64> = end.iter().zip(&self.q[last * n..]).map(|(a, b)| a - b).collect();
        let followed = self.residuals(kernel, Some(0.0)).and_then(|_| self.response(kernel, &change));
        if let Some(correction) = followed {
            self.advance(&correction, 1.0);
        }
        self.set(last, end);
    }

    /// How the inner nodes follow a small change of the last one, by the last matrix.
    fn response(&mut self, kernel: &dyn Lagrangian, change: &[f64]) -> Option<Correction> {
        let w = self.n + self.m;
        let mut right = vec![0.0; self.unknowns()];
        let e = self.elements - 1;
        self.evaluate(kernel, e, true);
        for i in 0..NODES - 1 {
            let g = e * (NODES - 1) + i;
            if g > 0 {
                let row = (g - 1) * w;
                self.element.each_block(i, NODES - 1, self.h, |p, r, v| right[row + p] += v * change[r]);
            }
        }
        self.solved(right)
    }

    /// Largest change of the momentum at the start for a unit change of the end along the constraints, relative to
    /// that of free motion.
    pub fn sensitivity(&mut self, kernel: &dyn Lagrangian) -> f64 {
        let (n, m) = (self.n, self.m);
        let span = self.h.abs() * self.elements as f64;
        if self.residuals(kernel, Some(0.0)).is_none() {
            return f64::INFINITY;
        }
        self.evaluate(kernel, self.elements - 1, true);
        let rank = if m > 0 { self.rows.choose(&self.element.A[(NODES - 1) * m * n..]) } else { 0 };
        let mass = norm_max(&self.element.second[NODES - 1].y_v);
        let mut directions = vec![vec![0.0; n]; n - rank];
        for (j, v) in directions.iter_mut().enumerate() {
            match m {
                0 => v[j] = 1.0,
                _ => self.rows.free_direction(j, v),
            }
        }
        let mut worst = 0.0_f64;
        for v in directions {
            let Some(change) = self.response(kernel, &v) else { return f64::INFINITY };
            self.evaluate(kernel, 0, true);
            let mut momentum = vec![0.0; n];
            for k in 1..NODES {
                let dq: &[f64] = if k < self.nodes() - 1 { &change.values[(k - 1) * (n + m)..] } else { &v };
                self.element.each_block(0, k, self.h, |p, r, value| momentum[p] += value * dq[r]);
            }
            // The normal part of a momentum is not seen.
            if m > 0 {
                self.rows.choose(&self.element.A[..m * n]);
                let free = n - self.rows.keep.iter().filter(|k| **k).count();
                let mut along = 0.0_f64;
                let mut z = vec![0.0; n];
                for j in 0..free {
                    self.rows.free_direction(j, &mut z);
                    along = along.max(dalembert_linalg::dot(&z, &momentum).abs());
                }
                worst = worst.max(along * span / mass);
            } else {
                worst = worst.max(norm_max(&momentum) * span / mass);
            }
        }
        worst
    }
}
