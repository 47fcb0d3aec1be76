//! Normal forces with friction that acts back on them: N_k = |p_k + sum_j N_j q_kj| for the contacts that slide.
//!
//! |q| of spectral radius below one makes the right side a contraction in a weighted maximum norm: one solution, found by
//! Newton or, if that fails, by repetition. Otherwise one contact is a quadratic equation, and contacts whose normal
//! force has one component are linear once the signs are chosen, so that all solutions are found by trying them.
//! What is then not exactly one solution is a [`Paradox`].

use dalembert_linalg::{Lu, Mat, dot, norm};

/// Contacts whose signs are tried one by one, at most.
const MAX_SIGNS: usize = 10;

/// Not exactly one solution.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Paradox {
    /// Which of the sliding contacts.
    pub contact: usize,
    /// Its normal force in each of the solutions.
    pub solutions: Vec<f64>,
}

/// The equations of the normal forces, filled by the caller and solved here.
#[derive(Clone, Debug)]
pub(crate) struct NormalForces {
    /// Components of p_k stand at `start[k]..start[k + 1]`.
    pub start: Vec<usize>,
    /// p, all components.
    pub p: Vec<f64>,
    /// The row of P behind each component; none where the limit of friction is given.
    rows: Vec<Option<usize>>,
    /// q, one row for each component, one column for each contact.
    pub q: Vec<f64>,
    /// The solution.
    pub N: Vec<f64>,
    v: Vec<f64>,
    strength: Vec<f64>,
    lu: Lu<f64>,
}

impl NormalForces {
    /// Room for so many contacts.
    pub fn new(contacts: usize) -> Self {
        Self {
            start: vec![0],
            p: Vec::new(),
            rows: Vec::new(),
            q: Vec::new(),
            N: Vec::with_capacity(contacts),
            v: Vec::new(),
            strength: Vec::with_capacity(contacts * contacts),
            lu: Lu::new(contacts),
        }
    }

    /// Empties it.
    pub fn clear(&mut self) {
        self.start.clear();
        self.start.push(0);
        self.p.clear();
        self.rows.clear();
        self.q.clear();
    }

    /// Adds a component of p, which is that of `row` of P; its entries of q follow.
    pub fn push(&mut self, p: f64, row: Option<usize>) {
        self.p.push(p);
        self.rows.push(row);
    }

    /// The components of a contact are complete.
    pub fn close(&mut self) {
        self.start.push(self.p.len());
    }

    /// How N changes when the multipliers change by `lambda` for other reasons than friction.
    pub fn follow(&self, P: &[f64], natural: usize, lambda: &[f64]) -> Vec<f64> {
        let K = self.count();
        let q = Mat::new(&self.q[..], K);
        let v: Vec<f64> = (0..self.p.len()).map(|i| self.p[i] + dot(q.row(i), &self.N)).collect();
        let mut lu = Lu::new(K);
        let mut change = vec![0.0; K];
        for k in 0..K {
            let size = norm(&v[self.own(k)]);
            let unit = |i: usize| if size > 0.0 { v[i] / size } else { 0.0 };
            for i in self.own(k) {
                let Some(row) = self.rows[i] else { continue };
                let row = &P[row * natural..(row + 1) * natural];
                change[k] += unit(i) * dot(row, &lambda[..natural]);
            }
            for j in 0..K {
                let slope: f64 = self.own(k).map(|i| unit(i) * q[[i, j]]).sum();
                lu.matrix(K)[k * K + j] = f64::from(u8::from(j == k)) - slope;
            }
        }
        match lu.factor(1e-14) {
            Ok(()) => lu.solve(&mut change),
            Err(_) => change.fill(0.0),
        }
        change
    }

    fn count(&self) -> usize {
        self.start.len() - 1
    }

    fn own(&self, k: usize) -> std::ops::Range<usize> {
        self.start[k]..self.start[k + 1]
    }

    /// p + q N into `v`.
    fn load(&mut self) {
        let K = self.count();
        self.v.clear();
        let q = Mat::new(&self.q[..], K);
        self.v.extend(self.p.iter().enumerate().map(|(i, p)| p + dot(q.row(i), &self.N)));
    }

    /// Solves for N.
    pub fn solve(&mut self) -> Result<(), Paradox> {
        let K = self.count();
        self.N.clear();
        for k in 0..K {
            self.N.push(norm(&self.p[self.own(k)]));
        }
        let q = Mat::new(&self.q[..], K);
        let largest = |i: usize| q.row(i).iter().fold(0.0_f64, |m, q| m.max(q.abs()));
        if (0..self.p.len()).all(|i| largest(i) < 1e-15) {
            return Ok(());
        }
        if self.contracts() {
            if !self.newton() {
                self.repeat();
            }
            return Ok(());
        }
        let solutions = self.all_solutions();
        match solutions.as_deref() {
            Some([one]) => {
                self.N.copy_from_slice(one);
                Ok(())
            }
            Some(several) => {
                let contact = self.doubtful();
                Err(Paradox { contact, solutions: several.iter().map(|N| N[contact]).collect() })
            }
            // Too many to try, or normal forces with several components: not shown to be one.
            None => Err(Paradox { contact: self.doubtful(), solutions: vec![f64::NAN; 2] }),
        }
    }

    /// The contact that acts back on itself most.
    fn doubtful(&self) -> usize {
        let K = self.count();
        let q = Mat::new(&self.q[..], K);
        let back = |k: usize| norm(&self.own(k).map(|i| q[[i, k]]).collect::<Vec<_>>());
        (0..K).fold(0, |best, k| if back(k) > back(best) { k } else { best })
    }

    /// Whether (I - |q|) w = 1 has a positive w: then |q| has spectral radius below one.
    fn contracts(&mut self) -> bool {
        let K = self.count();
        let q = Mat::new(&self.q[..], K);
        self.strength.clear();
        for k in 0..K {
            for j in 0..K {
                let size = self.own(k).map(|i| q[[i, j]]).fold(0.0, f64::hypot);
                self.strength.push(f64::from(u8::from(j == k)) - size);
            }
        }
        let mut w = vec![1.0; K];
        self.lu.matrix(K).copy_from_slice(&self.strength);
        self.lu.factor(1e-12).is_ok() && {
            self.lu.solve(&mut w);
            w.iter().all(|w| *w > 0.0 && w.is_finite())
        }
    }

    /// Newton on N - |p + q N|, from |p|.
    fn newton(&mut self) -> bool {
        let K = self.count();
        for _ in 0..30 {
            self.load();
            let q = Mat::new(&self.q[..], K);
            let mut step: Vec<f64> = Vec::with_capacity(K);
            self.strength.clear();
            let mut left = 0.0_f64;
            for k in 0..K {
                let size = norm(&self.v[self.own(k)]);
                step.push(size - self.N[k]);
                left = left.max(step[k].abs());
                for j in 0..K {
                    let slope: f64 = self.own(k).map(|i| self.v[i] * q[[i, j]]).sum();
                    let slope = if size > 0.0 { slope / size } else { 0.0 };
                    self.strength.push(f64::from(u8::from(j == k)) - slope);
                }
            }
            let scale = self.N.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            if left <= 4.0 * f64::EPSILON * scale {
                return true;
            }
            self.lu.matrix(K).copy_from_slice(&self.strength);
            if self.lu.factor(1e-14).is_err() {
                return false;
            }
            self.lu.solve(&mut step);
            self.N.iter_mut().zip(&step).for_each(|(N, s)| *N += s);
            let small = step.iter().all(|s| s.abs() <= 8.0 * f64::EPSILON * scale);
            if small {
                return self.N.iter().all(|N| *N >= 0.0);
            }
        }
        false
    }

    /// N <- |p + q N| until it stands still.
    fn repeat(&mut self) {
        for k in 0..self.count() {
            self.N[k] = norm(&self.p[self.own(k)]);
        }
        for _ in 0..100_000 {
            self.load();
            let mut change = 0.0_f64;
            for k in 0..self.count() {
                let size = norm(&self.v[self.own(k)]);
                change = change.max((size - self.N[k]).abs() / (size + f64::MIN_POSITIVE));
                self.N[k] = size;
            }
            if change <= 2.0 * f64::EPSILON {
                return;
            }
        }
    }

    /// Every solution, where they can be listed.
    fn all_solutions(&mut self) -> Option<Vec<Vec<f64>>> {
        let K = self.count();
        if K == 1 {
            return Some(self.quadratic().into_iter().map(|N| vec![N]).collect());
        }
        if self.p.len() != K || K > MAX_SIGNS {
            return None;
        }
        let q = Mat::new(&self.q[..], K);
        let mut found: Vec<Vec<f64>> = Vec::new();
        for signs in 0..1usize << K {
            let sign = |k: usize| if signs >> k & 1 == 0 { 1.0 } else { -1.0 };
            let mut N: Vec<f64> = (0..K).map(|k| sign(k) * self.p[k]).collect();
            let mut matrix = Mat::new(self.lu.matrix(K), K);
            for k in 0..K {
                for j in 0..K {
                    matrix[[k, j]] = f64::from(u8::from(j == k)) - sign(k) * q[[k, j]];
                }
            }
            if self.lu.factor(1e-14).is_err() {
                continue;
            }
            self.lu.solve(&mut N);
            // Exactly zero belongs to both signs; it is counted once.
            if N.iter().all(|N| *N >= 0.0) && !found.contains(&N) {
                found.push(N);
            }
        }
        Some(found)
    }

    /// The roots N >= 0 of N^2 = |p + N q|^2.
    fn quadratic(&self) -> Vec<f64> {
        let (a, b, c) = (dot(&self.q, &self.q) - 1.0, 2.0 * dot(&self.p, &self.q), dot(&self.p, &self.p));
        if c == 0.0 {
            return vec![0.0];
        }
        let discriminant = b * b - 4.0 * a * c;
        if discriminant < 0.0 {
            return Vec::new();
        }
        // Without cancellation; a = 0 leaves the root c / s alone.
        let s = -0.5 * (b + discriminant.sqrt().copysign(b));
        let mut roots = vec![c / s, s / a];
        roots.retain(|N| *N >= 0.0 && N.is_finite());
        roots.dedup();
        roots
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn single(p: f64, q: f64) -> Result<f64, Vec<f64>> {
        let mut forces = NormalForces { start: vec![0, 1], p: vec![p], q: vec![q], ..NormalForces::new(1) };
        forces.solve().map(|()| forces.N[0]).map_err(|paradox| paradox.solutions)
    }

    #[test]
    fn one_contact_has_one_none_or_two_solutions() {
        // N = |p + q N|: below |q| = 1 there is one.
        assert!((single(3.0, 0.25).unwrap() - 4.0).abs() < 1e-14);
        assert!((single(-3.0, 0.25).unwrap() - 2.4).abs() < 1e-14);
        assert!((single(-3.0, -0.5).unwrap() - 6.0).abs() < 1e-13);
        // Beyond it, none or two: Painleve.
        assert_eq!(single(3.0, 2.0), Err(vec![]));
        let mut two = single(-3.0, 2.0).unwrap_err();
        two.sort_by(f64::total_cmp);
        assert!((two[0] - 1.0).abs() < 1e-14 && (two[1] - 3.0).abs() < 1e-14);
    }

    #[test]
    fn several_contacts_agree_with_repetition() {
        let make = || NormalForces {
            start: vec![0, 2, 3],
            p: vec![1.0, -2.0, 0.5],
            q: vec![0.3, -0.1, 0.2, 0.1, -0.4, 0.3],
            ..NormalForces::new(2)
        };
        let (mut by_newton, mut by_repetition) = (make(), make());
        by_newton.solve().unwrap();
        by_repetition.N = vec![0.0; 2];
        by_repetition.repeat();
        for (a, b) in by_newton.N.iter().zip(&by_repetition.N) {
            assert!((a - b).abs() < 1e-14, "{a} {b}");
        }
    }
}
