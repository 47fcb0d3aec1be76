//! The saddle system behind U1, U3, U9, projection and implicit differentiation, factored once and solved often.
//!
//! ```text
//! M z - A^T lambda = r1
//! A z              = r2          lambda of minimum norm
//! ```
//!
//! With M positive definite: L L^T = M, B = A L^-T, a = M^-1 r1, e = r2 - A a, y = B^+ e, z = a + L^-T y,
//! lambda = (B B^T)^+ e. Three ways to B^+, by the smallest ratio of a pivot of B B^T to its diagonal entry (sin^2 of
//! the angle between a row and the earlier ones): above [`tolerance::GRAM_SAFE`] Cholesky; down to [`tolerance::GRAM_REFINED`] the same with
//! one refinement; below, the complete orthogonal decomposition, on rows of unit length so that their units do not
//! matter. Otherwise (M semi-definite or indefinite) the null-space form of U9.

use crate::kernel::{Path, Taken};
use crate::tolerance;
use dalembert_linalg::{
    Cod, PivotedLq, cholesky, dot, mat_t_vec, mat_vec, norm, pivot_share, solve_lower, solve_lower_transposed,
};

/// How to factor.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    pub path: Path,
    /// Directions weaker than this (rows of unit length) are dropped.
    pub rank_tol: f64,
    /// No more directions than this are kept: the rank known along the motion.
    pub max_rank: usize,
    /// Whether doubtful pivots of a sparse system are to be decided by the dense decompositions, where it is small.
    pub judged: bool,
}

/// The null-space system has no inertia in some direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Massless {
    pub speed: usize,
    pub pivot: f64,
}

/// The factored system and its workspace.
#[derive(Clone, Debug)]
pub struct Factor {
    n: usize,
    m: usize,
    M: Vec<f64>,
    A: Vec<f64>,
    M_chol: Vec<f64>,
    /// A L^-T, or A itself where M is not positive definite.
    B: Vec<f64>,
    gram: Vec<f64>,
    cod: Cod,
    Z: Vec<f64>,
    /// S Z^T M Z S with S = diag(scale).
    reduced: PivotedLq,
    scale: Vec<f64>,
    /// Length of each row of B now, and the largest lately (see [`Factor::update_references`]).
    pub length: Vec<f64>,
    pub reference: Vec<f64>,
    /// Least reference of each row: of rows that vanish wherever the constraints hold.
    pub floor: Vec<f64>,
    /// B^+ e of the last solve.
    y: Vec<f64>,
    work_n: Vec<f64>,
    work_n2: Vec<f64>,
    work_m: Vec<f64>,
    work_m2: Vec<f64>,
    pub taken: Taken,
    pub rank: usize,
    pub margin: f64,
}

impl Factor {
    pub fn new(n: usize, m: usize) -> Self {
        Self {
            n,
            m,
            M: vec![0.0; n * n],
            A: vec![0.0; m * n],
            M_chol: vec![0.0; n * n],
            B: vec![0.0; m * n],
            gram: vec![0.0; m * m],
            cod: Cod::new(m, n),
            Z: Vec::new(),
            reduced: PivotedLq::new(0, 0),
            scale: Vec::new(),
            length: vec![0.0; m],
            reference: vec![0.0; m],
            floor: vec![0.0; m],
            y: vec![0.0; n],
            work_n: vec![0.0; n],
            work_n2: vec![0.0; n],
            work_m: vec![0.0; m],
            work_m2: vec![0.0; m],
            taken: Taken::Free,
            rank: 0,
            margin: 1.0,
        }
    }

    /// Factors M (n * n) and A (m * n).
    pub fn factor(&mut self, M: &[f64], A: &[f64], rules: Rules) -> Result<(), Massless> {
        let (n, m) = (self.n, self.m);
        self.A.copy_from_slice(A);
        self.M.copy_from_slice(M);
        self.M_chol.copy_from_slice(M);
        if !self.factor_mass() {
            return self.factor_null_space(rules);
        }
        self.B.copy_from_slice(A);
        for i in 0..m {
            solve_lower(&self.M_chol, n, &mut self.B[i * n..(i + 1) * n]);
        }
        self.measure_rows();
        if m == 0 {
            (self.taken, self.rank, self.margin) = (Taken::Free, 0, 1.0);
        } else if rules.path == Path::Cod || rules.max_rank < m || !self.factor_gram(rules) {
            self.factor_cod(rules);
            self.taken = Taken::Cod;
        }
        Ok(())
    }

    /// L of M, if M is positive definite beyond rounding.
    fn factor_mass(&mut self) -> bool {
        match cholesky(&mut self.M_chol, self.n) {
            Ok(ratio) if ratio > tolerance::MASS_SAFE => true,
            Ok(_) => pivot_share(&self.M_chol, self.n, &mut self.work_n) > tolerance::MASS,
            Err(_) => false,
        }
    }

    /// Keeps the row lengths of this state as a reference: a row much shorter than it was lately is losing rank. By how
    /// many times the reference of some row has grown.
    pub fn remember(&mut self) -> f64 {
        longest(&mut self.reference, &self.length)
    }

    /// Updates the reference lengths of rows at an accepted state: `kept` is what is left of earlier lengths, and a row that is short for good is no
    /// longer short.
    pub fn update_references(&mut self, kept: f64) {
        update_references(&mut self.reference, &self.length, &self.floor, kept);
    }

    /// Whether pivots of A M^-1 A^T, in their order, are more than rounding against its diagonal.
    pub fn trusts(pivots: &[f64], squares: &[f64]) -> bool {
        trusted(pivots.iter().zip(squares).map(|(pivot, square)| pivot / square))
    }

    /// Lengths of some rows and the margin, from pivots and diagonal of A M^-1 A^T that were computed elsewhere.
    pub fn take_measure(&mut self, rows: &[usize], pivots: &[f64], squares: &[f64]) -> f64 {
        let mut margin = 1.0f64;
        for (k, &i) in rows.iter().enumerate() {
            self.length[i] = squares[k].sqrt();
            margin = margin.min(pivots[k].sqrt() / self.reference[i].max(self.length[i]));
        }
        margin
    }

    /// The rows that stand for all, the best-conditioned first; after a complete orthogonal decomposition.
    pub fn pivot_rows(&self) -> Vec<usize> {
        (0..self.rank).map(|k| self.cod.lq.row(k)).collect()
    }

    /// v <- M^-1 v; only if M is positive definite.
    pub fn unconstrained(&self, v: &mut [f64]) {
        solve_lower(&self.M_chol, self.n, v);
        solve_lower_transposed(&self.M_chol, self.n, v);
    }

    /// v^T M^-1 v; only if M is positive definite.
    pub fn inverse_mass_square(&mut self, v: &[f64]) -> f64 {
        self.work_n.copy_from_slice(v);
        solve_lower(&self.M_chol, self.n, &mut self.work_n);
        dot(&self.work_n, &self.work_n)
    }

    /// Solves the saddle system for z and lambda.
    pub fn solve(&mut self, r1: &[f64], r2: &[f64], z: &mut [f64], lambda: &mut [f64]) {
        if self.taken == Taken::NullSpace {
            return self.solve_null_space(r1, r2, z, lambda);
        }
        z.copy_from_slice(r1);
        self.unconstrained(z);
        if self.m == 0 {
            return;
        }
        for i in 0..self.m {
            self.work_m[i] = r2[i] - dot(&self.A[i * self.n..(i + 1) * self.n], z);
        }
        match self.taken {
            Taken::Gram | Taken::GramRefined => self.solve_gram(lambda),
            _ => self.solve_cod(lambda),
        }
        self.y.copy_from_slice(&self.work_n);
        solve_lower_transposed(&self.M_chol, self.n, &mut self.work_n);
        for (z, y) in z.iter_mut().zip(&self.work_n) {
            *z += y;
        }
    }

    /// The constraint force A^T lambda = M z - r1 of the last [`solve`](Factor::solve).
    ///
    /// Taken from the multipliers where these are well determined; otherwise as L y (U2), because multipliers of
    /// rows of very different lengths cancel in A^T lambda.
    pub fn force(&mut self, r1: &[f64], z: &[f64], lambda: &[f64], out: &mut [f64]) {
        let n = self.n;
        match self.taken {
            Taken::Free | Taken::Gram | Taken::GramRefined => mat_t_vec(&self.A, lambda, out),
            Taken::Cod => {
                (0..n).for_each(|i| out[i] = dot(&self.M_chol[i * n..i * n + i + 1], &self.y[..=i]))
            }
            Taken::NullSpace | Taken::Sparse => {
                mat_vec(&self.M, z, out);
                (0..n).for_each(|i| out[i] -= r1[i]);
            }
        }
    }

    fn measure_rows(&mut self) {
        for i in 0..self.m {
            self.length[i] = norm(&self.B[i * self.n..(i + 1) * self.n]);
        }
    }

    /// Length of row i relative to the longest it has been lately.
    fn shrink(&self, i: usize) -> f64 {
        let reference = self.reference[i].max(self.length[i]);
        if reference > 0.0 { self.length[i] / reference } else { 0.0 }
    }

    /// Cholesky of B B^T, if the rows are independent enough.
    fn factor_gram(&mut self, rules: Rules) -> bool {
        let (n, m) = (self.n, self.m);
        for i in 0..m {
            for j in 0..=i {
                self.gram[i * m + j] = dot(&self.B[i * n..(i + 1) * n], &self.B[j * n..(j + 1) * n]);
            }
        }
        let Ok(ratio) = cholesky(&mut self.gram, m) else { return false };
        let limit = tolerance::GRAM_REFINED.max(rules.rank_tol * rules.rank_tol);
        let pivots = (0..m).map(|i| (self.gram[i * m + i] / self.length[i]).powi(2));
        let margin =
            (0..m).map(|i| self.gram[i * m + i] / self.reference[i].max(self.length[i])).fold(1.0, f64::min);
        // A row that is rounding against what it was lately is at right angles to the others by chance. One that has
        // no others may shrink as it likes.
        let certain = ratio > limit && trusted(pivots) && (m == 1 || margin > rules.rank_tol);
        if rules.path != Path::Gram && !certain {
            return false;
        }
        self.taken = if ratio > tolerance::GRAM_SAFE { Taken::Gram } else { Taken::GramRefined };
        (self.rank, self.margin) = (m, margin);
        true
    }

    /// y in work_n from e in work_m.
    fn solve_gram(&mut self, lambda: &mut [f64]) {
        let m = self.m;
        lambda.copy_from_slice(&self.work_m);
        self.gram_inverse(lambda);
        if self.taken == Taken::GramRefined {
            // e - B B^T lambda, solved again.
            mat_t_vec(&self.B, lambda, &mut self.work_n);
            mat_vec(&self.B, &self.work_n, &mut self.work_m2);
            for i in 0..m {
                self.work_m2[i] = self.work_m[i] - self.work_m2[i];
            }
            solve_lower(&self.gram, m, &mut self.work_m2);
            solve_lower_transposed(&self.gram, m, &mut self.work_m2);
            for i in 0..m {
                lambda[i] += self.work_m2[i];
            }
        }
        mat_t_vec(&self.B, lambda, &mut self.work_n);
    }

    fn gram_inverse(&self, v: &mut [f64]) {
        solve_lower(&self.gram, self.m, v);
        solve_lower_transposed(&self.gram, self.m, v);
    }

    /// Complete orthogonal decomposition of the rows of B scaled to unit length.
    fn factor_cod(&mut self, rules: Rules) {
        let (n, m) = (self.n, self.m);
        self.cod.lq.matrix().copy_from_slice(&self.B);
        for i in 0..m {
            let scale = self.unit_scale(i);
            self.cod.lq.matrix()[i * n..(i + 1) * n].iter_mut().for_each(|v| *v *= scale);
        }
        self.rank = self.cod.lq.factor(rules.rank_tol, rules.max_rank);
        let (length, reference) = (&self.length, &self.reference);
        self.cod.factor_trapezoid(|row| length[row].max(reference[row]));
        let weakest = (0..self.rank).map(|k| self.cod.lq.l(k, k).abs()).fold(1.0, f64::min);
        let lost = rules.max_rank <= m && self.rank < rules.max_rank;
        self.margin = if lost { 0.0 } else { weakest };
    }

    /// 1/length, or 0 for a row that has vanished. By the length that it had lately, so that of rows that say the same
    /// those are preferred which have not become short: rounding of a right side counts for more in a short row.
    fn unit_scale(&self, i: usize) -> f64 {
        if self.length[i] > 0.0 && self.shrink(i) > dalembert_linalg::RANK_TOL {
            1.0 / self.length[i].max(self.reference[i])
        } else {
            0.0
        }
    }

    /// y in work_n from e in work_m. Contradicting rows are found by the caller's residual, so the pivot rows serve.
    fn solve_cod(&mut self, lambda: &mut [f64]) {
        for i in 0..self.m {
            self.work_m2[i] = self.work_m[i] * self.unit_scale(i);
        }
        self.work_n.fill(0.0);
        self.cod.lq.solve_pivot_rows(&self.work_m2, &mut self.work_n);
        self.cod.multipliers(&self.work_n[..self.rank], lambda);
        self.cod.lq.apply_q(&mut self.work_n);
    }

    /// U9: Z spanning ker A and the factored Z^T M Z, by a decomposition that reveals its rank.
    fn factor_null_space(&mut self, rules: Rules) -> Result<(), Massless> {
        let n = self.n;
        if self.Z.len() != n * n {
            // First meeting with a singular M: room for it from now on.
            self.Z = vec![0.0; n * n];
            self.scale = vec![0.0; n];
        }
        self.B.copy_from_slice(&self.A);
        self.measure_rows();
        self.factor_cod(rules);
        self.taken = Taken::NullSpace;
        let free = n - self.rank;
        for j in 0..free {
            self.cod.lq.null_vector(j, &mut self.Z[j * n..(j + 1) * n]);
        }
        self.scale_free_directions(free);
        if self.reduced.shape() != (free, free) {
            self.reduced = PivotedLq::new(free, free);
        }
        let (reduced, scale) = (self.reduced.matrix(), &self.scale);
        for i in 0..free {
            mat_vec(&self.M, &self.Z[i * n..(i + 1) * n], &mut self.work_n);
            for j in 0..free {
                reduced[j * free + i] = scale[i] * scale[j] * dot(&self.Z[j * n..(j + 1) * n], &self.work_n);
            }
        }
        match self.reduced.factor(tolerance::MASS * free as f64, free) {
            rank if rank == free => Ok(()),
            _ => Err(self.massless(free)),
        }
    }

    /// Each free direction is scaled by the most that the entries of M could make of z^T M y for another y: sums may cancel to
    /// rounding (an indefinite M), and units must not matter.
    fn scale_free_directions(&mut self, free: usize) {
        let (n, M, Z) = (self.n, &self.M, &self.Z);
        for k in 0..free {
            for i in 0..n {
                let row = M[i * n..(i + 1) * n].iter().zip(&Z[k * n..(k + 1) * n]);
                self.work_n[i] = row.map(|(m, z)| (m * z).abs()).sum();
            }
            let with =
                |l: usize| Z[l * n..(l + 1) * n].iter().zip(&self.work_n).map(|(z, v)| z.abs() * v).sum();
            let most = (0..free).map(with).fold(0.0, f64::max);
            self.scale[k] = if most > 0.0 { 1.0 / most.sqrt() } else { 0.0 };
        }
    }

    /// Which speed has no inertia: the largest entry of the direction that M takes to zero.
    fn massless(&mut self, free: usize) -> Massless {
        let n = self.n;
        let mut w = vec![0.0; free];
        self.reduced.null_vector(0, &mut w);
        // A direction without any entry of M is null as it stands.
        let scaled = |(w, s): (&f64, &f64)| if *s > 0.0 { w * s } else { *w };
        let w: Vec<f64> = w.iter().zip(&self.scale).map(scaled).collect();
        mat_t_vec(&self.Z[..free * n], &w, &mut self.work_n);
        let speed =
            (0..n).fold(0, |best, i| if self.work_n[i].abs() > self.work_n[best].abs() { i } else { best });
        let direction = self.work_n.clone();
        mat_vec(&self.M, &direction, &mut self.work_n);
        let pivot = dot(&direction, &self.work_n) / dot(&direction, &direction);
        Massless { speed, pivot }
    }

    fn solve_null_space(&mut self, r1: &[f64], r2: &[f64], z: &mut [f64], lambda: &mut [f64]) {
        let (n, free) = (self.n, self.n - self.rank);
        // z = A^+ r2
        self.work_m.copy_from_slice(r2);
        self.solve_cod(lambda);
        z.copy_from_slice(&self.work_n);
        // Z^T M Z y = Z^T (r1 - M z)
        mat_vec(&self.M, z, &mut self.work_n);
        for i in 0..n {
            self.work_n[i] = r1[i] - self.work_n[i];
        }
        let right = &mut self.work_n2[..free];
        mat_vec(&self.Z[..free * n], &self.work_n, right);
        right.iter_mut().zip(&self.scale).for_each(|(v, s)| *v *= s);
        let y = &mut self.work_n[..free];
        self.reduced.solve_pivot_rows(right, y);
        self.reduced.apply_q(y);
        right.iter_mut().zip(y.iter().zip(&self.scale)).for_each(|(v, (y, s))| *v = y * s);
        mat_t_vec(&self.Z[..free * n], right, &mut self.work_n);
        for i in 0..n {
            z[i] += self.work_n[i];
        }
        // A^T lambda = M z - r1
        mat_vec(&self.M, z, &mut self.work_n);
        for i in 0..n {
            self.work_n[i] -= r1[i];
        }
        self.cod.lq.apply_qt(&mut self.work_n);
        self.cod.multipliers(&self.work_n[..self.rank], lambda);
    }
}

/// Whether pivot ratios are more than rounding (see [`tolerance::PIVOT_TRUST`]).
fn trusted(ratios: impl Iterator<Item = f64>) -> bool {
    let mut smallest = 1.0f64;
    for ratio in ratios {
        if !(ratio * smallest > tolerance::PIVOT_TRUST) {
            return false;
        }
        smallest = smallest.min(ratio);
    }
    true
}

/// See [`Factor::update_references`].
pub(super) fn update_references(reference: &mut [f64], length: &[f64], floor: &[f64], kept: f64) {
    for ((reference, length), floor) in reference.iter_mut().zip(length).zip(floor) {
        *reference = (kept * *reference).min(length / tolerance::SHORTEST).max(*length).max(*floor);
    }
}

/// Each the larger of the two; the largest ratio of what it is to what it was.
pub(super) fn longest(reference: &mut [f64], length: &[f64]) -> f64 {
    let mut growth = 1.0f64;
    for (reference, length) in reference.iter_mut().zip(length) {
        if *length > *reference {
            growth = growth.max(length / *reference);
            *reference = *length;
        }
    }
    growth
}
