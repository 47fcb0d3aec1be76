//! Friction of contacts that slide (see [`crate::contact`]).

use super::Accelerator;
use crate::coulomb::{LoadSharing, Paradox};
use crate::kernel::Term;
use crate::{AccelerationError, Terms};
use dalembert_linalg::{axpy, dot};

impl Accelerator {
    /// Friction of the contacts that slide, with the normal forces that act.
    pub(super) fn solve_friction(&mut self, t: f64, terms: &Terms) -> Result<(), AccelerationError> {
        let bad = self.sliding.unit.iter().chain(&self.sliding.P).any(|v| !v.is_finite());
        if bad {
            let contact = self.sliding.contacts.first().copied().unwrap_or(0);
            return Err(AccelerationError::NotFinite { t, term: Term::Friction, index: contact });
        }
        self.answer_unit_forces(terms);
        self.find_normal_forces().map_err(|Paradox { contact, solutions }| {
            let contact = self.sliding.contacts[contact];
            AccelerationError::FrictionParadox { t, contact, solutions }
        })?;
        self.let_slide(terms);
        self.tell_contacts();
        let (n, s) = (self.shape.n_eta, &mut self.solution);
        if self.factor.mass_is_positive() {
            (0..n).for_each(|j| self.work_n[j] = s.ideal_force[j] + s.nonideal_force[j] - self.C[j]);
            s.gauss = self.factor.inverse_mass_square(&self.work_n);
        }
        Ok(())
    }

    /// Accelerations and multipliers that answer each sliding contact's force for N = 1.
    fn answer_unit_forces(&mut self, terms: &Terms) {
        let (n, m) = (self.shape.n_eta, self.shape.n_con);
        self.phi.fill(0.0);
        for k in 0..self.sliding.contacts.len() {
            let force = &self.sliding.force[k * n..(k + 1) * n];
            let (z, lambda) =
                (&mut self.slip_z[k * n..(k + 1) * n], &mut self.slip_lambda[k * m..(k + 1) * m]);
            self.factor.solve(force, &self.phi, z, lambda);
        }
        self.relieve_contacts(terms);
        if let Some(carriers) = &mut self.carriers {
            let natural = self.sliding.natural;
            carriers.carry(terms, &mut self.solution.lambda[..natural]);
            for lambda in self.slip_lambda.chunks_mut(m).take(self.sliding.contacts.len()) {
                carriers.carry(terms, &mut lambda[..natural]);
            }
        }
    }

    /// N of the contacts that slide, from p and q by components.
    fn find_normal_forces(&mut self) -> Result<(), Paradox> {
        let (m, natural) = (self.shape.n_con, self.sliding.natural);
        self.normals.clear();
        for &c in &self.sliding.contacts {
            for i in self.contacts[c].normal.clone() {
                let row = &self.sliding.P[i * natural..(i + 1) * natural];
                self.normals.push(dot(row, &self.solution.lambda[..natural]), Some(i));
                for k in 0..self.sliding.contacts.len() {
                    self.normals.q.push(dot(row, &self.slip_lambda[k * m..k * m + natural]));
                }
            }
            if self.contacts[c].has_given_limit() {
                self.normals.push(1.0, None);
                self.normals.q.extend(self.sliding.contacts.iter().map(|_| 0.0));
            }
            self.normals.close();
        }
        self.normals.solve()
    }

    /// Adds N times the answers to the motion.
    fn let_slide(&mut self, terms: &Terms) {
        let (n, m, s) = (self.shape.n_eta, self.shape.n_con, &mut self.solution);
        if !self.has_nonideal {
            self.C.fill(0.0);
        }
        for (k, N) in self.normals.N.iter().enumerate().take(self.sliding.contacts.len()) {
            axpy(*N, &self.sliding.force[k * n..(k + 1) * n], &mut self.C);
            axpy(*N, &self.slip_z[k * n..(k + 1) * n], &mut s.eta_dot);
            axpy(*N, &self.slip_lambda[k * m..(k + 1) * m], &mut s.lambda);
            terms.mass_times(&self.slip_z[k * n..(k + 1) * n], &mut self.work_n);
            axpy(*N, &self.work_n, &mut s.nonideal_force);
        }
    }

    /// Normal forces and friction of all contacts, those that stick included.
    fn tell_contacts(&mut self) {
        let (natural, s) = (self.sliding.natural, &mut self.solution);
        s.friction[..self.sliding.unit.len()].copy_from_slice(&self.sliding.unit);
        for (&c, N) in self.sliding.contacts.iter().zip(&self.normals.N) {
            self.contacts[c].slide.clone().for_each(|i| s.friction[i] *= N);
        }
        for (c, contact) in self.contacts.iter().enumerate() {
            let component =
                |i: usize| dot(&self.sliding.P[i * natural..(i + 1) * natural], &s.lambda[..natural]);
            s.normal[c] = match contact.has_given_limit() {
                true => 1.0,
                false => contact.normal.clone().map(component).fold(0.0, f64::hypot),
            };
        }
        for &(i, row, factor) in &self.sliding.held {
            s.friction[i] += factor * s.lambda[row];
        }
    }

    /// Multipliers where rows of contacts that stick depend on each other and on constraints.
    fn relieve_contacts(&mut self, terms: &Terms) {
        let (m, natural) = (self.shape.n_con, self.sliding.natural);
        if m == natural || natural == 0 || self.solution.rank == m {
            return;
        }
        if let Some(mut relief) = LoadSharing::new(terms, natural) {
            relief.apply(terms, natural, &mut self.solution.lambda);
            for lambda in self.slip_lambda.chunks_mut(m).take(self.sliding.contacts.len()) {
                relief.apply(terms, natural, lambda);
            }
        }
    }
}
