//! Systems written by hand, shared by the tests.

use dalembert_run::*;

/// Constraints `f(x) = 0` that are polynomials of degree two at most, on plain coordinates with constant mass.
/// Value, gradient and Hessian quadratic form are given by closures; everything else follows.
pub struct Quadratic {
    pub n: usize,
    pub M: Vec<f64>,
    pub Q: Vec<f64>,
    pub rows: Vec<Row2>,
    pub levels: Vec<Level>,
}

/// f = 1/2 x^T H x + g.x + c with sparse H (both triangles listed once: (i, j, value) means value * x_i * x_j).
#[derive(Clone, Default)]
pub struct Row2 {
    pub quad: Vec<(usize, usize, f64)>,
    pub lin: Vec<(usize, f64)>,
    pub c: f64,
}

impl Row2 {
    /// |p - q|^2 - l^2 over planar points given as (index of x, offset): a point is either coordinates or fixed.
    pub fn distance(p: P2, q: P2, l: f64) -> Self {
        let mut row = Row2 { c: -l * l, ..Self::default() };
        for k in 0..2 {
            // (p_k - q_k)^2
            match (p, q) {
                (P2::At(i), P2::At(j)) => {
                    row.quad.extend([(i + k, i + k, 1.0), (j + k, j + k, 1.0), (i + k, j + k, -2.0)])
                }
                (P2::At(i), P2::Fixed(a)) | (P2::Fixed(a), P2::At(i)) => {
                    row.quad.push((i + k, i + k, 1.0));
                    row.lin.push((i + k, -2.0 * a[k]));
                    row.c += a[k] * a[k];
                }
                (P2::Fixed(a), P2::Fixed(b)) => row.c += (a[k] - b[k]).powi(2),
            }
        }
        row
    }

    pub fn scaled(mut self, s: f64) -> Self {
        self.quad.iter_mut().for_each(|q| q.2 *= s);
        self.lin.iter_mut().for_each(|l| l.1 *= s);
        self.c *= s;
        self
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.c
            + self.lin.iter().map(|&(i, v)| v * x[i]).sum::<f64>()
            + self.quad.iter().map(|&(i, j, v)| v * x[i] * x[j]).sum::<f64>()
    }

    fn gradient(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.lin.iter().for_each(|&(i, v)| out[i] += v);
        for &(i, j, v) in &self.quad {
            out[i] += v * x[j];
            out[j] += v * x[i];
        }
    }

    fn curvature(&self, v: &[f64]) -> f64 {
        self.quad.iter().map(|&(i, j, c)| 2.0 * c * v[i] * v[j]).sum()
    }
}

#[derive(Clone, Copy)]
pub enum P2 {
    At(usize),
    Fixed([f64; 2]),
}

impl Dynamics for Quadratic {
    fn shape(&self) -> Shape {
        Shape { n_x: self.n, n_eta: self.n, n_con: self.rows.len(), identity_frame: true, ..Shape::default() }
    }
    fn levels(&self) -> &[Level] {
        &self.levels
    }
    fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
        out.x_dot.copy_from_slice(at.eta);
        out.M.copy_from_slice(&self.M);
        out.Q.copy_from_slice(&self.Q);
        for (i, row) in self.rows.iter().enumerate() {
            row.gradient(at.x, &mut out.A[i * self.n..(i + 1) * self.n]);
            out.b[i] = -row.curvature(at.eta);
        }
    }
    fn residuals(&self, at: Point, _: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
        let mut g = vec![0.0; self.n];
        for (i, row) in self.rows.iter().enumerate() {
            phi[i] = row.value(at.x);
            row.gradient(at.x, &mut g);
            psi[i] = g.iter().zip(at.eta).map(|(a, b)| a * b).sum();
        }
    }
    fn position_gradient(&self, _: f64, x: &[f64], _: &mut [f64], out: &mut [f64]) {
        for (i, row) in self.rows.iter().enumerate() {
            row.gradient(x, &mut out[i * self.n..(i + 1) * self.n]);
        }
    }
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { partials: Some(self), ..Capabilities::default() }
    }
}

impl PartialDerivatives for Quadratic {
    fn partials(&self, at: Point, eta_dot: &[f64], lambda: &[f64], _: &mut [f64], out: &mut Partials) {
        let n = self.n;
        for v in [
            &mut out.dF_dx,
            &mut out.dF_deta,
            &mut out.dG_dx,
            &mut out.dG_deta,
            &mut out.dx_dot_dx,
            &mut out.dx_dot_deta,
        ] {
            v.fill(0.0);
        }
        (0..n).for_each(|i| out.dx_dot_deta[i * n + i] = 1.0);
        for (r, row) in self.rows.iter().enumerate() {
            for &(i, j, v) in &row.quad {
                // F = M eta' - Q - A^T lambda,  G = A eta' + curvature
                out.dF_dx[i * n + j] -= v * lambda[r];
                out.dF_dx[j * n + i] -= v * lambda[r];
                out.dG_dx[r * n + j] += v * eta_dot[i];
                out.dG_dx[r * n + i] += v * eta_dot[j];
                out.dG_deta[r * n + i] += 2.0 * v * at.eta[j];
                out.dG_deta[r * n + j] += 2.0 * v * at.eta[i];
            }
        }
    }
}

/// N-four-bar: points B_0..B_N on cranks from A_i = (i, 0), coupled by bars; uniform bars with the given masses.
pub fn four_bar(
    N: usize,
    crank_mass: impl Fn(usize) -> f64,
    coupler_mass: impl Fn(usize) -> f64,
    g: f64,
) -> Quadratic {
    let n = 2 * (N + 1);
    let (mut M, mut Q) = (vec![0.0; n * n], vec![0.0; n]);
    let mut rows = Vec::new();
    let bar = |M: &mut Vec<f64>, Q: &mut Vec<f64>, a: Option<usize>, b: usize, m: f64| {
        // T = m/6 (v1^2 + v1.v2 + v2^2)
        for k in 0..2 {
            M[(2 * b + k) * n + 2 * b + k] += m / 3.0;
            if let Some(a) = a {
                M[(2 * a + k) * n + 2 * a + k] += m / 3.0;
                M[(2 * a + k) * n + 2 * b + k] += m / 6.0;
                M[(2 * b + k) * n + 2 * a + k] += m / 6.0;
            }
        }
        Q[2 * b + 1] -= m * g / 2.0;
        if let Some(a) = a {
            Q[2 * a + 1] -= m * g / 2.0;
        }
    };
    for i in 0..=N {
        bar(&mut M, &mut Q, None, i, crank_mass(i));
        rows.push(Row2::distance(P2::At(2 * i), P2::Fixed([i as f64, 0.0]), 1.0));
    }
    for i in 1..=N {
        bar(&mut M, &mut Q, Some(i - 1), i, coupler_mass(i));
        rows.push(Row2::distance(P2::At(2 * i - 2), P2::At(2 * i), 1.0));
    }
    let levels = vec![Level::Position; rows.len()];
    Quadratic { n, M, Q, rows, levels }
}

/// The state of a four-bar on its parallel branch, theta from the upright.
pub fn four_bar_state(N: usize, t: f64, theta: f64, rate: f64) -> State {
    let mut s = State::new(t, &[], &[]);
    for i in 0..=N {
        s.x.extend([i as f64 + theta.sin(), theta.cos()]);
        s.eta.extend([rate * theta.cos(), -rate * theta.sin()]);
    }
    s
}

/// theta'' = k sin theta by tiny classical steps: an independent judge.
pub fn parallel_branch(k: f64, theta0: f64, rate0: f64, t: f64) -> (f64, f64) {
    let steps = (t.abs() * 20_000.0).ceil().max(1.0) as usize;
    let h = t / steps as f64;
    let f = |y: (f64, f64)| (y.1, k * y.0.sin());
    let mut y = (theta0, rate0);
    for _ in 0..steps {
        let k1 = f(y);
        let k2 = f((y.0 + h / 2.0 * k1.0, y.1 + h / 2.0 * k1.1));
        let k3 = f((y.0 + h / 2.0 * k2.0, y.1 + h / 2.0 * k2.1));
        let k4 = f((y.0 + h * k3.0, y.1 + h * k3.1));
        y.0 += h / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0);
        y.1 += h / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1);
    }
    y
}
