//! Changes of friction: forces F_k N_k with N_k = |P_k lambda| of contacts that slide, and rows of those that stick.

use super::{Change, Response, mass_times, row_times, solved, transposed};
use crate::acceleration::Rules;
use crate::kernel::{Direction, Path};
use crate::{ContactTerms, Point, SlidingContacts, Solution, Terms};
use dalembert_linalg::{Lu, RANK_TOL, axpy, dot, norm};

impl Response<'_> {
    pub(super) fn contacts_at(&mut self, at: Point<'_>) {
        let shape = self.base.shape();
        let s = &mut self.state;
        self.kernel.sliding(at, &mut self.scratch, &mut s.sliding);
        s.contact.0.resize(ContactTerms::room(&shape), 0.0);
        let (mut terms, _) = ContactTerms::carve(&shape, &mut s.contact.0);
        self.kernel.contact_terms(at, &mut self.scratch, &mut terms);
        s.slip = (0..s.sliding.contacts.len())
            .map(|k| {
                let force = &s.sliding.force[k * shape.n_eta..(k + 1) * shape.n_eta];
                solved(&mut self.accelerator, force, None)
            })
            .collect();
    }

    /// The ideal problem of the natural rows, and forces as they are reported: its Q_i, and the rest.
    pub(super) fn natural_at(&mut self) {
        let (shape, s) = (self.base.shape(), &mut self.state);
        let natural = shape.n_con;
        if let Some(own) = &mut self.natural {
            let rules = Rules { path: Path::Auto, rank_tol: RANK_TOL, max_rank: usize::MAX, judged: true };
            let terms = s.terms.written_out();
            let n = shape.n_eta;
            if own.factor.factor(&terms.M, &terms.A[..natural * n], rules).is_ok() {
                own.factor.solve(&terms.Q, &terms.b[..natural], &mut own.z, &mut own.lambda);
            }
            let mut padded = own.lambda.clone();
            padded.resize(terms.b.len(), 0.0);
            let d = &mut s.solution;
            d.ideal_force.fill(0.0);
            transposed(&terms, &padded, &mut d.ideal_force);
            d.nonideal_force.fill(0.0);
            mass_times(&terms, &d.eta_dot, 1.0, &mut d.nonideal_force);
            (0..n).for_each(|j| d.nonideal_force[j] -= terms.Q[j] + d.control_force[j] + d.ideal_force[j]);
        }
    }

    /// Adds N_k dF_k; returns the changes of contact terms and of the forces' directions.
    pub(super) fn sliding_along(&mut self, along: Direction<'_>, force: &mut [f64]) -> SlidingChange {
        let shape = self.base.shape();
        let (n, s) = (shape.n_eta, &mut self.state);
        let at = Point { t: s.t, x: &s.x, eta: &s.eta };
        let mut room = vec![0.0; ContactTerms::room(&shape)];
        let (mut change, _) = ContactTerms::carve(&shape, &mut room);
        self.base.contact_terms_along(at, along, &mut self.scratch, &mut change);
        let (terms, _) = ContactTerms::carve(&shape, &mut s.contact.0);
        let mut unit = vec![0.0; shape.n_slide];
        for &k in &s.sliding.contacts {
            let slide = self.kernel.contacts()[k].slide.clone();
            let (V, dV) = (&terms.V[slide.clone()], &change.V[slide.clone()]);
            let speed = norm(V);
            let turns = !self.kernel.modes().is_held(k) && speed > 0.0;
            let closing = if turns { dot(V, dV) / (speed * speed) } else { 0.0 };
            for (c, i) in slide.enumerate() {
                // unit = -mu s, and s follows V unless it is held.
                let ds = if turns { (dV[c] - V[c] * closing) / speed } else { 0.0 };
                let way = if terms.mu[k] != 0.0 { -s.sliding.unit[i] / terms.mu[k] } else { 0.0 };
                unit[i] = -change.mu[k] * way - terms.mu[k] * ds;
                let N = s.solution.normal[k];
                axpy(N * unit[i], &terms.J[i * n..(i + 1) * n], force);
                axpy(N * s.sliding.unit[i], &change.J[i * n..(i + 1) * n], force);
            }
        }
        SlidingChange { unit, P: change.P.to_vec() }
    }

    /// dN of all contacts, and what those of sliding contacts add.
    pub(super) fn follow_normals(
        &mut self,
        change: &SlidingChange,
        dz: &mut [f64],
        dl: &mut [f64],
        out: &mut Solution,
    ) {
        let s = &self.state;
        let natural = s.sliding.natural;
        let contacts = self.kernel.contacts();
        // N = |P lambda|: direction of P lambda, and dN for a change of lambda.
        let pressed = |k: usize| -> Vec<(usize, f64)> {
            let rows = contacts[k].normal.clone();
            let own =
                |i: usize| dot(&s.sliding.P[i * natural..(i + 1) * natural], &s.solution.lambda[..natural]);
            rows.map(|i| (i, if s.solution.normal[k] > 0.0 { own(i) / s.solution.normal[k] } else { 0.0 }))
                .collect()
        };
        let by = |P: &[f64], k: usize, lambda: &[f64]| -> f64 {
            let along =
                |(i, u): (usize, f64)| u * dot(&P[i * natural..(i + 1) * natural], &lambda[..natural]);
            pressed(k).into_iter().map(along).sum()
        };
        let slides = &s.sliding.contacts;
        let count = slides.len();
        let mut dN: Vec<f64> =
            slides.iter().map(|&k| by(&s.sliding.P, k, dl) + by(&change.P, k, &s.solution.lambda)).collect();
        let mut lu = Lu::new(count);
        for (a, &k) in slides.iter().enumerate() {
            for (b, (_, lambda)) in s.slip.iter().enumerate() {
                lu.matrix(count)[a * count + b] = f64::from(u8::from(a == b)) - by(&s.sliding.P, k, lambda);
            }
        }
        if lu.factor(1e-14).is_ok() {
            lu.solve(&mut dN);
        }
        for ((z, lambda), dN) in s.slip.iter().zip(&dN) {
            axpy(*dN, z, dz);
            axpy(*dN, lambda, dl);
        }
        for k in 0..contacts.len() {
            out.normal[k] = by(&s.sliding.P, k, dl) + by(&change.P, k, &s.solution.lambda);
        }
        out.friction.fill(0.0);
        for &k in slides {
            for i in contacts[k].slide.clone() {
                out.friction[i] = change.unit[i] * s.solution.normal[k] + s.sliding.unit[i] * out.normal[k];
            }
        }
        for &(i, row, factor) in &s.sliding.held {
            out.friction[i] += factor * dl[row];
        }
    }

    /// Q_i of the natural rows where contacts stick or slide (U2).
    pub(super) fn natural_ideal(&mut self, terms: &Terms, out: &mut [f64]) {
        let (n, m) = (self.base.shape().n_eta, self.base.shape().n_con);
        let Some(own) = &mut self.natural else { return };
        let mut force = terms.Q.clone();
        mass_times(terms, &own.z, -1.0, &mut force);
        let mut padded = own.lambda.clone();
        padded.resize(terms.b.len(), 0.0);
        transposed(terms, &padded, &mut force);
        let mut right = terms.b.clone();
        row_times(terms, &own.z, -1.0, &mut right);
        let (mut dz, mut dl) = (vec![0.0; n], vec![0.0; m]);
        own.factor.solve(&force, &right[..m], &mut dz, &mut dl);
        out.fill(0.0);
        transposed(terms, &padded, out);
        dl.resize(terms.b.len(), 0.0);
        transposed(&self.state.terms, &dl, out);
    }

    /// Change of the functions that end the modes of contacts (see [`StickingKernel::margins`]).
    pub(crate) fn margin_along(&mut self, contact: usize, along: Direction<'_>, change: &Change) -> f64 {
        let shape = self.base.shape();
        let at = Point { t: self.state.t, x: &self.state.x, eta: &self.state.eta };
        let mut room = vec![0.0; ContactTerms::room(&shape)];
        let (mut d, _) = ContactTerms::carve(&shape, &mut room);
        self.base.contact_terms_along(at, along, &mut self.scratch, &mut d);
        let s = &mut self.state;
        let (terms, _) = ContactTerms::carve(&shape, &mut s.contact.0);
        let slide = self.kernel.contacts()[contact].slide.clone();
        if !self.kernel.modes().sticks(contact) {
            let way: Vec<f64> = slide
                .clone()
                .map(|i| if terms.mu[contact] != 0.0 { -s.sliding.unit[i] / terms.mu[contact] } else { 0.0 })
                .collect();
            return dot(&way, &d.V[slide]);
        }
        let load = norm(&s.solution.friction[slide.clone()]);
        let growing = dot(&s.solution.friction[slide.clone()], &change.solution.friction[slide]);
        d.mu_static[contact] * s.solution.normal[contact]
            + terms.mu_static[contact] * change.solution.normal[contact]
            - if load > 0.0 { growing / load } else { 0.0 }
    }
}

/// Changes of what friction is made of.
pub(super) struct SlidingChange {
    unit: Vec<f64>,
    P: Vec<f64>,
}
