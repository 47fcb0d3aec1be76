//! Changes of control inputs: A_c dz = db_c - dA_c z, and the condition of least cost W u = R^T nu differentiated (C1).

use super::{Response, ResponseError, least_squares, mass_times, row_times, solved, transposed};
use crate::kernel::{Direction, Refusal};
use crate::{ControlTerms, Point, Solution, Terms};
use dalembert_linalg::{Cod, RANK_TOL, axpy, dot, mat_t_vec, mat_vec};

/// What the requirements make of all directions at a state.
#[derive(Clone, Debug)]
pub(super) struct Requirements {
    /// nu of least norm with R^T nu = W u.
    nu: Vec<f64>,
    /// h and l with M h - A^T l = A_c^T nu, A h = 0.
    h: Vec<f64>,
    l: Vec<f64>,
    /// The matrix (W, -R^T; R, 0), decomposed.
    system: Cod,
}

impl Response<'_> {
    pub(super) fn control_at(&mut self, at: Point<'_>) -> Result<(), ResponseError> {
        let shape = self.base.shape();
        let (n, count) = (shape.n_eta, shape.n_input);
        let s = &mut self.state;
        s.control = ControlTerms::new(&shape);
        if let Some(control) = self.capabilities.control {
            control.control_terms(at, &mut self.scratch, &mut s.control);
        }
        let inside = |(u, [least, most]): (&f64, &[f64; 2])| u > least && u < most;
        if !s.solution.inputs.iter().zip(&s.control.bounds).all(inside) {
            return Err(ResponseError::Refused(Refusal::BoundedControl));
        }
        s.reach = (0..count)
            .map(|j| {
                let column: Vec<f64> = (0..n).map(|i| s.control.S[i * count + j]).collect();
                solved(&mut self.accelerator, &column, None)
            })
            .collect();
        let requirements = self.requirements(shape.n_require);
        self.state.requirements = Some(requirements);
        Ok(())
    }

    pub(super) fn control_along(&mut self, along: Direction<'_>) -> ControlTerms {
        let at = Point { t: self.state.t, x: &self.state.x, eta: &self.state.eta };
        let mut change = ControlTerms::new(&self.base.shape());
        self.base.control_terms_along(at, along, &mut self.scratch, &mut change);
        change
    }

    /// du, and what it adds: A_c dz = db_c - dA_c z, W du - R^T dnu = dR^T nu - dW u.
    pub(super) fn follow_requirements(
        &mut self,
        change: &ControlTerms,
        terms: &Terms,
        dz: &mut [f64],
        dl: &mut [f64],
        out: &mut Solution,
    ) {
        let shape = self.base.shape();
        let (n, r, k) = (shape.n_eta, shape.n_require, shape.n_input);
        let mut top = self.cost_change(change, terms);
        let s = &mut self.state;
        let Some(Requirements { nu, h, l, system }) = &mut s.requirements else { return };
        // dR^T nu by one more solve: g^T dY_j = h^T r1_j - l^T r2_j.
        let mut dg = vec![0.0; n];
        mat_t_vec(&change.A, nu, &mut dg);
        let mut r2 = vec![0.0; terms.b.len()];
        for (j, (Y, L)) in s.reach.iter().enumerate() {
            let mut r1: Vec<f64> = (0..n).map(|i| change.S[i * k + j]).collect();
            mass_times(terms, Y, -1.0, &mut r1);
            transposed(terms, L, &mut r1);
            r2.fill(0.0);
            row_times(terms, Y, -1.0, &mut r2);
            top[j] = dot(&dg, Y) + dot(h, &r1) - dot(l, &r2) - top[j];
        }
        let mut bottom = change.b.clone();
        for i in 0..r {
            bottom[i] -= dot(&change.A[i * n..(i + 1) * n], &s.solution.eta_dot);
            bottom[i] -= dot(&s.control.A[i * n..(i + 1) * n], dz);
        }
        top.extend(bottom);
        let mut found = vec![0.0; k + r];
        system.solve(&top, &mut found);
        out.inputs.copy_from_slice(&found[..k]);
        for (j, du) in found[..k].iter().enumerate() {
            axpy(*du, &s.reach[j].0, dz);
            axpy(*du, &s.reach[j].1, dl);
            (0..n).for_each(|i| out.control_force[i] += s.control.S[i * k + j] * du);
        }
    }

    fn requirements(&mut self, r: usize) -> Requirements {
        let W = self.cost();
        let s = &self.state;
        let (n, k) = (s.terms.Q.len(), s.solution.inputs.len());
        let A = &s.control.A;
        let R: Vec<f64> =
            (0..r * k).map(|e| dot(&A[(e / k) * n..(e / k + 1) * n], &s.reach[e % k].0)).collect();
        let mut Wu = vec![0.0; k];
        mat_vec(&W, &s.solution.inputs, &mut Wu);
        let R_t: Vec<f64> = (0..k * r).map(|e| R[(e % r) * k + e / r]).collect();
        let nu = least_squares(&R_t, k, r, &Wu);
        let mut g = vec![0.0; n];
        mat_t_vec(A, &nu, &mut g);
        let (h, l) = solved(&mut self.accelerator, &g, None);
        let width = k + r;
        let mut matrix = vec![0.0; width * width];
        for i in 0..k {
            (0..k).for_each(|j| matrix[i * width + j] = W[i * k + j]);
            (0..r).for_each(|j| matrix[i * width + k + j] = -R[j * k + i]);
        }
        for i in 0..r {
            (0..k).for_each(|j| matrix[(k + i) * width + j] = R[i * k + j]);
        }
        let mut system = Cod::new(width, width);
        system.factor(&matrix, RANK_TOL);
        Requirements { nu, h, l, system }
    }

    /// W, or S^T M^-1 S where none is given.
    fn cost(&mut self) -> Vec<f64> {
        let s = &self.state;
        if !s.control.W.is_empty() {
            return s.control.W.clone();
        }
        let (n, k) = (s.terms.Q.len(), s.solution.inputs.len());
        let mut W = vec![0.0; k * k];
        for j in 0..k {
            let mut column: Vec<f64> = (0..n).map(|i| s.control.S[i * k + j]).collect();
            self.accelerator.factor.unconstrained(&mut column);
            (0..k).for_each(|i| W[i * k + j] = (0..n).map(|q| s.control.S[q * k + i] * column[q]).sum());
        }
        W
    }

    /// dW u.
    fn cost_change(&mut self, change: &ControlTerms, terms: &Terms) -> Vec<f64> {
        let s = &self.state;
        let (n, k, u) = (s.terms.Q.len(), s.solution.inputs.len(), &s.solution.inputs);
        let mut out = vec![0.0; k];
        if !s.control.W.is_empty() {
            mat_vec(&change.W, u, &mut out);
            return out;
        }
        let factor = &mut self.accelerator.factor;
        let mut y = vec![0.0; n];
        mat_vec(&s.control.S, u, &mut y);
        factor.unconstrained(&mut y);
        let mut inner = vec![0.0; n];
        mat_vec(&change.S, u, &mut inner);
        mass_times(terms, &y, -1.0, &mut inner);
        factor.unconstrained(&mut inner);
        mat_t_vec(&change.S, &y, &mut out);
        let mut rest = vec![0.0; k];
        mat_t_vec(&s.control.S, &inner, &mut rest);
        axpy(1.0, &rest, &mut out);
        out
    }
}
