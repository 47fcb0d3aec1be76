//! Nodes of a path; `newton` has the equations for them.

mod newton;

use crate::method::discrete_action::{Element, Independent, Rates};
use crate::{Lagrangian, Point, Projector};
use dalembert_linalg::{Band, axpy, norm_max};

/// Nodes of an element.
pub(super) const NODES: usize = 4;

/// A path.
pub(super) struct Grid {
    pub n: usize,
    pub m: usize,
    t: f64,
    h: f64,
    elements: usize,
    /// Positions and impulses of all nodes.
    pub q: Vec<f64>,
    pub Lambda: Vec<f64>,
    pub element: Element,
    rows: Independent,
    /// Independent rows at each node.
    keep: Vec<bool>,
    band: Option<Band>,
}

impl Grid {
    pub fn new(kernel: &dyn Lagrangian, elements: usize, t: f64, t_end: f64) -> Self {
        let element = Element::new(NODES, kernel);
        let (n, m) = (element.n, element.m);
        let nodes = elements * (NODES - 1) + 1;
        Self {
            n,
            m,
            t,
            h: (t_end - t) / elements as f64,
            elements,
            q: vec![0.0; nodes * n],
            Lambda: vec![0.0; nodes * m],
            rows: Independent::new(m, n),
            keep: vec![false; nodes * m],
            band: None,
            element,
        }
    }

    pub fn elements(&self) -> usize {
        self.elements
    }

    pub fn nodes(&self) -> usize {
        self.elements * (NODES - 1) + 1
    }

    pub fn step(&self) -> f64 {
        self.h
    }

    pub fn element_time(&self, e: usize) -> f64 {
        self.t + e as f64 * self.h
    }

    fn unknowns(&self) -> usize {
        (self.nodes() - 2) * (self.n + self.m)
    }

    fn half(&self) -> usize {
        NODES * (self.n + self.m) - 1
    }

    /// Numbers in the matrix.
    pub fn room(&self) -> usize {
        Band::room(self.unknowns(), self.half())
    }

    /// Multiplications of one factorisation.
    pub fn work(&self) -> f64 {
        2.0 * self.unknowns() as f64 * (self.half() as f64).powi(2)
    }

    pub fn time(&self, g: usize) -> f64 {
        let (e, i) = ((g / (NODES - 1)).min(self.elements - 1), g);
        let i = i - e * (NODES - 1);
        self.element_time(e) + self.element.rule.c[i] * self.h
    }

    pub fn times(&self) -> Vec<f64> {
        (0..self.nodes()).map(|g| self.time(g)).collect()
    }

    pub fn set(&mut self, g: usize, x: &[f64]) {
        self.q[g * self.n..(g + 1) * self.n].copy_from_slice(x);
    }

    pub fn lay(&mut self, path: impl Fn(f64) -> Vec<f64>) {
        for g in 0..self.nodes() {
            let x = path(self.time(g));
            self.set(g, &x);
        }
    }

    /// Brings inner nodes onto the constraints, as far as it goes.
    pub fn project(&mut self, kernel: &dyn Lagrangian) {
        if self.m == 0 {
            return;
        }
        let mut projector = Projector::new(kernel);
        let mut rates = vec![0.0; self.n];
        for g in 1..self.nodes() - 1 {
            let t = self.time(g);
            rates.fill(0.0);
            let x = &mut self.q[g * self.n..(g + 1) * self.n];
            let before = x.to_vec();
            if projector.project(kernel, t, x, &mut rates).is_err() {
                x.copy_from_slice(&before);
            }
        }
    }

    pub fn size(&self) -> f64 {
        norm_max(&self.q)
    }

    pub fn path(&self) -> Vec<(f64, Vec<f64>)> {
        let rows = self.q.chunks(self.n);
        rows.enumerate().map(|(g, x)| (self.time(g), x.to_vec())).collect()
    }

    pub fn keep(&self) -> (Vec<f64>, Vec<f64>) {
        (self.q.clone(), self.Lambda.clone())
    }

    pub fn restore(&mut self, (q, Lambda): (Vec<f64>, Vec<f64>)) {
        (self.q, self.Lambda) = (q, Lambda);
    }

    /// Puts the nodes of element `e` into `element` and evaluates there.
    pub fn evaluate(&mut self, kernel: &dyn Lagrangian, e: usize, second: bool) {
        let (n, m, first) = (self.n, self.m, e * (NODES - 1));
        self.element.base.copy_from_slice(&self.q[first * n..(first + 1) * n]);
        for i in 0..NODES {
            for p in 0..n {
                self.element.z[i * n + p] = self.q[(first + i) * n + p] - self.element.base[p];
            }
        }
        let t = self.element_time(e);
        self.element.evaluate(kernel, t, self.h);
        if second {
            let mut Lambda = self.Lambda[first * m..(first + NODES) * m].to_vec();
            // The impulse of a node between elements belongs to both: once is enough.
            if e > 0 {
                Lambda[..m].fill(0.0);
            }
            self.element.evaluate_second(kernel, t, self.h, &Lambda);
        }
    }

    /// Evaluates the action of the first `fraction` of element `e`, with what its shorter time takes from the impulse of its left node.
    pub fn evaluate_part(&mut self, kernel: &dyn Lagrangian, e: usize, fraction: f64) {
        let (n, m, first) = (self.n, self.m, e * (NODES - 1));
        let (c, b) = (self.element.rule.c.clone(), self.element.rule.b.clone());
        let tau = fraction * self.h;
        let weight = |s: f64, k: usize| -> f64 {
            (0..NODES).filter(|j| *j != k).map(|j| (s - c[j]) / (c[k] - c[j])).product()
        };
        self.element.base.copy_from_slice(&self.q[first * n..(first + 1) * n]);
        for i in 0..NODES {
            let z = &mut self.element.z[i * n..(i + 1) * n];
            z.fill(0.0);
            for k in 1..NODES {
                let w = weight(fraction * c[i], k);
                for (p, z) in z.iter_mut().enumerate() {
                    *z += w * (self.q[(first + k) * n + p] - self.q[first * n + p]);
                }
            }
        }
        let t = self.element_time(e);
        self.element.evaluate(kernel, t, tau);
        // Multipliers of the inner nodes, continued along a line: those of the ends belong to two elements.
        let mut Lambda = vec![0.0; NODES * m];
        for a in 0..m {
            let inner = |i: usize| self.Lambda[(first + i) * m + a] / (self.h * b[i]);
            let at = |s: f64| inner(1) + (inner(2) - inner(1)) * (s - c[1]) / (c[2] - c[1]);
            for i in 0..NODES {
                Lambda[i * m + a] = tau * b[i] * at(fraction * c[i]);
            }
            Lambda[a] = if e > 0 { (tau - self.h) * b[0] * at(0.0) } else { 0.0 };
        }
        self.element.evaluate_second(kernel, t, tau, &Lambda);
    }

    /// The fastest rate of change that the second variation has on this path, each coordinate in units of its inertia.
    /// Infinite where something has no inertia.
    pub fn frequency(&mut self, kernel: &dyn Lagrangian) -> f64 {
        let n = self.n;
        let mut fastest = 0.0_f64;
        for e in 0..self.elements {
            self.evaluate(kernel, e, true);
            for second in &self.element.second {
                let unit = |p: usize| second.y_v[p * n + p].abs().sqrt();
                for p in 0..n {
                    let row = |matrix: &[f64]| -> f64 {
                        (0..n).map(|r| matrix[p * n + r].abs() / (unit(p) * unit(r) + 1e-300)).sum()
                    };
                    let found = row(&second.r_x).sqrt().max(row(&second.r_v));
                    if found.is_finite() {
                        fastest = fastest.max(found);
                    }
                }
            }
        }
        fastest
    }

    /// How near the path comes to a configuration, each coordinate in units of its range.
    pub fn nearest(&self, x: &[f64], ranges: &[f64]) -> f64 {
        let distance = |q: &[f64]| {
            q.iter().zip(x).zip(ranges).map(|((a, b), range)| ((a - b) / range).abs()).fold(0.0, f64::max)
        };
        self.q.chunks(self.n).map(distance).fold(f64::INFINITY, f64::min)
    }

    /// The path on elements of half the length.
    pub fn halved(&self) -> Grid {
        let mut fine = Grid {
            n: self.n,
            m: self.m,
            t: self.t,
            h: 0.5 * self.h,
            elements: 2 * self.elements,
            q: vec![0.0; (2 * self.nodes() - 1) * self.n],
            Lambda: vec![0.0; (2 * self.nodes() - 1) * self.m],
            element: self.element.clone(),
            rows: Independent::new(self.m, self.n),
            keep: vec![false; (2 * self.nodes() - 1) * self.m],
            band: None,
        };
        let (c, b) = (&self.element.rule.c, &self.element.rule.b);
        for g in 0..fine.nodes() {
            let e = (g / (NODES - 1)).min(fine.elements - 1);
            let i = g - e * (NODES - 1);
            let (old, s) = (e / 2, 0.5 * (c[i] + (e % 2) as f64));
            for k in 0..NODES {
                let weight: f64 =
                    (0..NODES).filter(|j| *j != k).map(|j| (s - c[j]) / (c[k] - c[j])).product();
                let from = old * (NODES - 1) + k;
                axpy(
                    weight,
                    &self.q[from * self.n..(from + 1) * self.n],
                    &mut fine.q[g * self.n..(g + 1) * self.n],
                );
                // Impulses: the multiplier is carried over, with half of the weight in time.
                let share = if k == 0 || k == NODES - 1 { 2.0 * b[k] } else { b[k] };
                let own = if i == 0 || i == NODES - 1 { 2.0 * b[i] } else { b[i] };
                axpy(
                    0.5 * weight * own / share,
                    &self.Lambda[from * self.m..(from + 1) * self.m],
                    &mut fine.Lambda[g * self.m..(g + 1) * self.m],
                );
            }
        }
        fine
    }

    /// Largest difference from a grid of half as many elements, at the nodes between its elements.
    pub fn apart(&self, coarse: &Grid) -> f64 {
        let n = self.n;
        let mut worst = 0.0_f64;
        for e in 0..=coarse.elements {
            let (a, b) = (2 * e * (NODES - 1) * n, e * (NODES - 1) * n);
            for p in 0..n {
                worst = worst.max((self.q[a + p] - coarse.q[b + p]).abs());
            }
        }
        worst
    }

    /// Largest scaled residual of a constraint at any node.
    pub fn off(&self, kernel: &dyn Lagrangian) -> f64 {
        if self.m == 0 {
            return 0.0;
        }
        let mut projector = Projector::new(kernel);
        let still = vec![0.0; self.n];
        let residual = |(g, x): (usize, &[f64])| {
            let at = Point { t: self.time(g), x, eta: &still };
            projector.residuals(kernel, at).position
        };
        self.q.chunks(self.n).enumerate().map(residual).fold(0.0, f64::max)
    }

    pub fn action(&mut self, kernel: &dyn Lagrangian) -> f64 {
        let mut sum = 0.0;
        for e in 0..self.elements {
            self.evaluate(kernel, e, false);
            sum += self.element.action(self.h);
        }
        sum
    }

    /// Rates at both ends: y = -dL_d/dq_1 and dL_d/dq_s, less their normal parts.
    pub fn end_rates(&mut self, kernel: &dyn Lagrangian) -> Option<(Vec<f64>, Vec<f64>)> {
        let (n, m, last) = (self.n, self.m, self.nodes() - 1);
        let mut rates = Rates::new(kernel);
        let mut found = Vec::new();
        for (e, i, g, sign) in [(0, 0, 0, -1.0), (self.elements - 1, NODES - 1, last, 1.0)] {
            self.evaluate(kernel, e, false);
            if m > 0 {
                self.rows.choose(&self.element.A[i * m * n..(i + 1) * m * n]);
            }
            let mut y = vec![0.0; n];
            self.element.add_slope(i, self.h, &mut y);
            y.iter_mut().for_each(|v| *v *= sign);
            let mut eta = self.element.v[i * n..(i + 1) * n].to_vec();
            let x = self.q[g * n..(g + 1) * n].to_vec();
            if !rates.solve(kernel, self.time(g), &x, &y, &self.rows.keep, &mut eta) {
                return None;
            }
            found.push(eta);
        }
        let end = found.pop()?;
        Some((found.pop()?, end))
    }

    /// Directions that the constraints leave free at a node, as rows.
    pub fn free_directions(&mut self, i: usize) -> Vec<Vec<f64>> {
        let (n, m) = (self.n, self.m);
        if m == 0 {
            let unit = |j: usize| (0..n).map(|p| if p == j { 1.0 } else { 0.0 }).collect();
            return (0..n).map(unit).collect();
        }
        let rank = self.rows.choose(&self.element.A[i * m * n..(i + 1) * m * n]);
        let mut z = vec![0.0; n];
        (0..n - rank)
            .map(|j| {
                self.rows.free_direction(j, &mut z);
                z.clone()
            })
            .collect()
    }
}
