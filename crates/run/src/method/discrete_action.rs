//! Hamilton's principle on one stretch of time: the action of a polynomial path, its slope and its curvature.
//!
//! ```text
//! q(t + c h)   polynomial of degree s-1 through q_1 .. q_s at the Lobatto nodes c_1 = 0 .. c_s = 1
//! v_i          = sum_j D_ij q_j / h
//! L_d          = h sum_i b_i L(q_i, v_i, t + c_i h)                                   the discrete action
//! dL_d/dq_i    = sum_j b_j D_ji y_j + h b_i r_i          y = dL/dx',  r = dL/dx + Q'
//! d2L_d/dq_i dq_k = b_k D_ki y_x + sum_j b_j D_ji D_jk y_v / h + [i = k] h b_i r_x + b_i D_ik r_v
//! ```
//!
//! Q' are forces without a potential: with them dL_d/dq_i is the virtual work of d'Alembert's principle. Constraints
//! f = 0 hold at every node, with impulses Lambda_i = h b_i lambda_i; r_x then contains lambda f_xx. The step
//! ([`crate::integrate()`] with `variational2`, `4`, `6`) and the motion between two configurations ([`crate::connect()`])
//! are both made of this. Source: Marsden and West, Discrete mechanics and variational integrators (2001); Jay, Symplectic
//! partitioned Runge-Kutta methods for constrained Hamiltonian systems (1996). Knows no time stepping.

use super::tolerances::{MAX_RATE_ITERATIONS, RATE_ROUNDING};
use crate::kernel::{Dynamics, Lagrangian, Point, SecondVariation, Variation};
use dalembert_linalg::{Lu, PivotedLq, RANK_TOL, axpy, norm, norm_max};

/// Lobatto's nodes, weights and the differentiation matrix of the polynomial through them, on (0, 1).
#[derive(Clone, Debug)]
pub(crate) struct Lobatto {
    pub c: Vec<f64>,
    pub b: Vec<f64>,
    /// D_ij = l_j'(c_i), row-major.
    pub D: Vec<f64>,
}

impl Lobatto {
    /// Two, three or four nodes: order 2, 4, 6.
    pub fn new(nodes: usize) -> Self {
        let inner = 0.5 / 5.0_f64.sqrt();
        let (c, b) = match nodes {
            2 => (vec![0.0, 1.0], vec![0.5, 0.5]),
            3 => (vec![0.0, 0.5, 1.0], vec![1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0]),
            4 => (
                vec![0.0, 0.5 - inner, 0.5 + inner, 1.0],
                vec![1.0 / 12.0, 5.0 / 12.0, 5.0 / 12.0, 1.0 / 12.0],
            ),
            _ => unreachable!("Lobatto's rules here have two, three or four nodes"),
        };
        let s = c.len();
        let weight = |i: usize| (0..s).filter(|k| *k != i).map(|k| 1.0 / (c[i] - c[k])).product::<f64>();
        let mut D = vec![0.0; s * s];
        for i in 0..s {
            for j in (0..s).filter(|j| *j != i) {
                D[i * s + j] = weight(j) / weight(i) / (c[i] - c[j]);
            }
            // A constant has no derivative: rows sum to zero.
            D[i * s + i] = -(0..s).filter(|j| *j != i).map(|j| D[i * s + j]).sum::<f64>();
        }
        Self { c, b, D }
    }
}

/// One stretch of a path with everything that is known at its nodes, sized once.
#[derive(Clone)]
pub(crate) struct Element {
    pub rule: Lobatto,
    pub n: usize,
    pub m: usize,
    /// q_1 with what rounding has cut from it, and q_i - q_1: differences of near positions would lose digits in v.
    pub base: Vec<f64>,
    pub low: Vec<f64>,
    pub z: Vec<f64>,
    q: Vec<f64>,
    pub v: Vec<f64>,
    pub first: Vec<Variation>,
    pub second: Vec<SecondVariation>,
    /// df/dx and f at the nodes.
    pub A: Vec<f64>,
    pub f: Vec<f64>,
    psi: Vec<f64>,
    lambda: Vec<f64>,
    scratch: Vec<f64>,
}

impl Element {
    pub fn new(nodes: usize, kernel: &dyn Dynamics) -> Self {
        let shape = kernel.shape();
        let (s, n, m) = (nodes, shape.n_eta, shape.n_con);
        Self {
            rule: Lobatto::new(s),
            n,
            m,
            base: vec![0.0; n],
            low: vec![0.0; n],
            z: vec![0.0; s * n],
            q: vec![0.0; n],
            v: vec![0.0; s * n],
            first: vec![Variation::new(&shape); s],
            second: vec![SecondVariation::new(&shape); s],
            A: vec![0.0; s * m * n],
            f: vec![0.0; s * m],
            psi: vec![0.0; m],
            lambda: vec![0.0; m],
            scratch: vec![0.0; kernel.scratch_len()],
        }
    }

    pub fn nodes(&self) -> usize {
        self.rule.c.len()
    }

    fn place(&mut self, i: usize) {
        for p in 0..self.n {
            self.q[p] = self.base[p] + (self.z[i * self.n + p] + self.low[p]);
        }
    }

    /// v, L, y, r, A, f at the nodes of the path from `base` by `z`.
    pub fn evaluate(&mut self, kernel: &dyn Lagrangian, t: f64, h: f64) {
        let (s, n, m) = (self.nodes(), self.n, self.m);
        for i in 0..s {
            let v = &mut self.v[i * n..(i + 1) * n];
            v.fill(0.0);
            for j in 0..s {
                axpy(self.rule.D[i * s + j] / h, &self.z[j * n..(j + 1) * n], v);
            }
        }
        for i in 0..s {
            self.place(i);
            let t_i = t + self.rule.c[i] * h;
            let at = Point { t: t_i, x: &self.q, eta: &self.v[i * n..(i + 1) * n] };
            kernel.variation(at, &mut self.scratch, &mut self.first[i]);
            if m > 0 {
                let A = &mut self.A[i * m * n..(i + 1) * m * n];
                kernel.position_gradient(t_i, &self.q, &mut self.scratch, A);
                let f = &mut self.f[i * m..(i + 1) * m];
                kernel.residuals(at, &mut self.scratch, f, &mut self.psi);
            }
        }
    }

    /// MorseIndex derivatives at the nodes, with the impulses `Lambda` (s * m).
    pub fn evaluate_second(&mut self, kernel: &dyn Lagrangian, t: f64, h: f64, Lambda: &[f64]) {
        let (s, n, m) = (self.nodes(), self.n, self.m);
        for i in 0..s {
            self.place(i);
            let scale = 1.0 / (h * self.rule.b[i]);
            for (l, L) in self.lambda.iter_mut().zip(&Lambda[i * m..]) {
                *l = L * scale;
            }
            let at = Point { t: t + self.rule.c[i] * h, x: &self.q, eta: &self.v[i * n..(i + 1) * n] };
            kernel.second_variation(at, &self.lambda, &mut self.scratch, &mut self.second[i]);
        }
    }

    /// out += dL_d/dq_i.
    pub fn add_slope(&self, i: usize, h: f64, out: &mut [f64]) {
        self.add_momenta(i, out);
        axpy(h * self.rule.b[i], &self.first[i].r, out);
    }

    /// out += dL_d/dq_i at fixed r: the part of the momenta.
    pub fn add_momenta(&self, i: usize, out: &mut [f64]) {
        let s = self.nodes();
        for j in 0..s {
            axpy(self.rule.b[j] * self.rule.D[j * s + i], &self.first[j].y, out);
        }
    }

    /// d2L_d/dq_i dq_k entry by entry: `add(row, column, value)`.
    pub fn each_block(&self, i: usize, k: usize, h: f64, mut add: impl FnMut(usize, usize, f64)) {
        let (s, n) = (self.nodes(), self.n);
        let (b, D) = (&self.rule.b, &self.rule.D);
        for p in 0..n {
            for r in 0..n {
                let e = p * n + r;
                let mut sum =
                    b[k] * D[k * s + i] * self.second[k].y_x[e] + b[i] * D[i * s + k] * self.second[i].r_v[e];
                for j in 0..s {
                    sum += b[j] * D[j * s + i] * D[j * s + k] * self.second[j].y_v[e] / h;
                }
                if i == k {
                    sum += h * b[i] * self.second[i].r_x[e];
                }
                add(p, r, sum);
            }
        }
    }

    /// The part of that which comes from the masses.
    pub fn each_kinetic(&self, i: usize, k: usize, h: f64, mut add: impl FnMut(usize, usize, f64)) {
        let (s, n) = (self.nodes(), self.n);
        let (b, D) = (&self.rule.b, &self.rule.D);
        for e in 0..n * n {
            let part = |j: usize| b[j] * D[j * s + i] * D[j * s + k] * self.second[j].y_v[e] / h;
            add(e / n, e % n, (0..s).map(part).sum());
        }
    }

    /// L_d.
    pub fn action(&self, h: f64) -> f64 {
        self.first.iter().zip(&self.rule.b).map(|(f, b)| h * b * f.L[0]).sum()
    }
}

/// Which rows of A are independent: others hold where these do, and get no multiplier.
pub(crate) struct Independent {
    lq: PivotedLq,
    n: usize,
    pub keep: Vec<bool>,
}

impl Independent {
    pub fn new(m: usize, n: usize) -> Self {
        Self { lq: PivotedLq::new(m, n), n, keep: vec![false; m] }
    }

    /// Decides on `A` (m * n) with rows scaled to unit length. Returns the rank.
    pub fn choose(&mut self, A: &[f64]) -> usize {
        let (m, n) = (self.keep.len(), self.n);
        for (to, from) in self.lq.matrix().chunks_mut(n.max(1)).zip(A.chunks(n.max(1))) {
            let length = norm(from);
            let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
            to.iter_mut().zip(from).for_each(|(to, from)| *to = from * scale);
        }
        let rank = self.lq.factor(RANK_TOL.sqrt(), m);
        self.keep.fill(false);
        (0..rank).for_each(|k| self.keep[self.lq.row(k)] = true);
        rank
    }

    /// Direction j of those the rows leave free, after [`choose`](Independent::choose).
    pub fn free_direction(&self, j: usize, v: &mut [f64]) {
        self.lq.null_vector(j, v);
    }
}

/// x' from a momentum that may have a part normal to the constraints: dL/dx' = y + A^T mu, A x' + f_t = 0.
pub(crate) struct Rates {
    lu: Lu<f64>,
    change: Vec<f64>,
    A: Vec<f64>,
    mu: Vec<f64>,
    phi: Vec<f64>,
    psi: Vec<f64>,
    first: Variation,
    second: SecondVariation,
    scratch: Vec<f64>,
}

impl Rates {
    pub fn new(kernel: &dyn Dynamics) -> Self {
        let shape = kernel.shape();
        let (n, m) = (shape.n_eta, shape.n_con);
        Self {
            lu: Lu::new(n + m),
            change: vec![0.0; n + m],
            A: vec![0.0; m * n],
            mu: vec![0.0; m],
            phi: vec![0.0; m],
            psi: vec![0.0; m],
            first: Variation::new(&shape),
            second: SecondVariation::new(&shape),
            scratch: vec![0.0; kernel.scratch_len()],
        }
    }

    /// From the guess in `eta`. False where Newton does not arrive.
    pub fn solve(
        &mut self,
        kernel: &dyn Lagrangian,
        t: f64,
        x: &[f64],
        y: &[f64],
        keep: &[bool],
        eta: &mut [f64],
    ) -> bool {
        let n = x.len();
        if !keep.is_empty() {
            kernel.position_gradient(t, x, &mut self.scratch, &mut self.A);
        }
        self.mu.fill(0.0);
        let (mut before, mut stalled) = (f64::INFINITY, 0);
        for _ in 0..MAX_RATE_ITERATIONS {
            if !self.correct(kernel, Point { t, x, eta }, y, keep) {
                return false;
            }
            axpy(-1.0, &self.change[..n], eta);
            axpy(-1.0, &self.change[n..], &mut self.mu);
            // Each rate by its own size: metres and radians per second do not compare.
            let own = |(d, v): (&f64, &f64)| d.abs() / (v.abs() + f64::MIN_POSITIVE);
            let now = self.change[..n].iter().zip(&*eta).map(own).fold(0.0, f64::max);
            stalled += usize::from(!(now < 0.5 * before));
            let all = norm_max(&self.change[..n]) / (norm_max(eta) + f64::MIN_POSITIVE);
            if now <= 2.0 * f64::EPSILON
                || (stalled > 0 && now <= RATE_ROUNDING)
                || (stalled > 1 && all <= RATE_ROUNDING)
            {
                return true;
            }
            before = now;
        }
        false
    }

    fn correct(&mut self, kernel: &dyn Lagrangian, at: Point<'_>, y: &[f64], keep: &[bool]) -> bool {
        let (n, m) = (y.len(), keep.len());
        let w = n + m;
        self.phi.fill(0.0);
        kernel.second_variation(at, &self.phi, &mut self.scratch, &mut self.second);
        kernel.variation(at, &mut self.scratch, &mut self.first);
        kernel.residuals(at, &mut self.scratch, &mut self.phi, &mut self.psi);
        let J = self.lu.matrix(w);
        J.fill(0.0);
        for p in 0..n {
            J[p * w..p * w + n].copy_from_slice(&self.second.y_v[p * n..(p + 1) * n]);
            self.change[p] = self.first.y[p] - y[p];
        }
        for c in 0..m {
            let row = n + c;
            if !keep[c] {
                J[row * w + row] = 1.0;
                self.change[row] = self.mu[c];
                continue;
            }
            self.change[row] = self.psi[c];
            for p in 0..n {
                let a = self.A[c * n + p];
                (J[p * w + row], J[row * w + p]) = (-a, a);
                self.change[p] -= a * self.mu[c];
            }
        }
        if self.lu.factor(0.0).is_err() {
            return false;
        }
        self.lu.solve(&mut self.change);
        self.change.iter().all(|v| v.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_are_exact_for_polynomials() {
        for s in 2..=4 {
            let rule = Lobatto::new(s);
            for k in 0..s {
                // Derivative of c^k at every node, exact up to degree s-1.
                for i in 0..s {
                    let found: f64 = (0..s).map(|j| rule.D[i * s + j] * rule.c[j].powi(k as i32)).sum();
                    let want = if k == 0 { 0.0 } else { k as f64 * rule.c[i].powi(k as i32 - 1) };
                    assert!((found - want).abs() < 1e-13);
                }
            }
            for k in 0..2 * s - 2 {
                let found: f64 = (0..s).map(|j| rule.b[j] * rule.c[j].powi(k as i32)).sum();
                assert!((found - 1.0 / (k + 1) as f64).abs() < 1e-15, "degree {k} with {s} nodes");
            }
        }
    }

    #[test]
    fn a_row_said_twice_counts_once() {
        let mut rows = Independent::new(3, 2);
        assert_eq!(rows.choose(&[1.0, 0.0, 200.0, 0.0, 0.0, 1e-3]), 2);
        assert_eq!(rows.keep.iter().filter(|k| **k).count(), 2);
        assert!(rows.keep[2]);
    }
}
