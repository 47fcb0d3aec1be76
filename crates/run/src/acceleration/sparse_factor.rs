//! The saddle system of `Factor` for a sparse M and A: the same questions, answered in time that goes with the entries.
//!
//! ```text
//! [ M  A^T ] [    z    ]   [ r1 ]
//! [ A   0  ] [ -lambda ] = [ r2 ]         K = L D L^T (see `plan`)
//! ```
//!
//! A row whose pivot is rounding depends on rows before it and is dropped: its multiplier is zero and it is not asked
//! for, which is what the pivot rows of the dense decomposition do too. Multipliers of minimum norm (U2) follow from the
//! combinations T of kept rows K that the dropped rows D are,
//!
//! ```text
//! A_D = T A_K,   N = [T^T; -I],   lambda <- lambda - N (N^T N)^-1 N^T lambda,   N^T N = I + T T^T
//! ```
//!
//! when multipliers are asked for. T is written out by one solve for each of a few dropped rows. Many are treated by
//! conjugate gradients with I + T T^T, whose products are two solves each: T^T alpha are the multipliers of kept rows
//! with the force of A_D^T alpha, and T v is A_D z for A_K z = v. Pivots of rows are squares, so a direction below
//! [`tolerance::DROPPED`]^(1/2) is not told from rounding. Where that leaves a doubt, or M is not positive definite (U9), a system
//! of up to [`tolerance::DENSE_FALLBACK`] speeds and rows is given to [`DenseFallback`]; a larger one drops the direction, or has no solution.

use super::dense_fallback::DenseFallback;
use super::factor::{Massless, Rules, longest, update_references};
use crate::kernel::{Path, Plan, Taken, Terms};
use crate::tolerance;
use dalembert_linalg::{Ldl, Pivot, RANK_TOL, axpy, cholesky, dot, solve_lower, solve_lower_transposed};
use std::sync::Arc;

/// Which rows of terms given by entries depend on those before them in the order of elimination; none otherwise.
pub fn dependent_rows(terms: &Terms) -> Vec<usize> {
    let Some(sparsity) = &terms.sparsity else { return Vec::new() };
    let rows: Vec<usize> = (0..terms.b.len()).collect();
    let mut factor = SparseFactor::new(sparsity.plan.clone(), &rows);
    // By the identity, which is positive definite.
    let rules = Rules { path: Path::Gram, rank_tol: RANK_TOL, max_rank: usize::MAX, judged: false };
    let _ = factor.factor(None, &terms.A, rules);
    factor.rows_dropped
}

/// The factored system and its workspace.
#[derive(Clone, Debug)]
pub struct SparseFactor {
    plan: Arc<Plan>,
    /// The rows asked for; the others are dropped always.
    rows: Vec<usize>,
    absent: Vec<bool>,
    /// Numbers of M, then those of A.
    values: Vec<f64>,
    saddle: Ldl,
    inertia: Ldl,
    /// Whether `inertia` is the factor of M as it is: constant masses are factored once.
    inertia_known: bool,
    /// Pivot of each row over its diagonal entry, and whether it was dropped.
    ratio: Vec<f64>,
    dropped: Vec<bool>,
    /// Rows to be dropped whatever their pivots.
    forced: Vec<bool>,
    by_ratio: Vec<usize>,
    length: Vec<f64>,
    reference: Vec<f64>,
    floor: Vec<f64>,
    /// T by rows, and the Cholesky factor of I + T T^T; empty until asked for.
    combinations: Vec<f64>,
    gram: Vec<f64>,
    along: Vec<f64>,
    rows_dropped: Vec<usize>,
    /// The dense judge, once it has been asked, and whether it has the word.
    judge: Option<Box<DenseFallback>>,
    judged: bool,
    weakest: f64,
    work: Vec<f64>,
    /// Sizes of the terms of each speed's equation.
    sizes: Vec<f64>,
    pub taken: Taken,
    pub rank: usize,
    pub margin: f64,
}

/// A speed whose pivot is no more than rounding has no inertia.
fn certain(least: Option<(usize, f64)>) -> Result<(), Massless> {
    match least {
        Some((speed, share)) if !(share > tolerance::MASS) => Err(Massless { speed, pivot: share }),
        _ => Ok(()),
    }
}

/// What an elimination found.
#[derive(Clone, Copy, Debug, Default)]
struct Elimination {
    /// How many rows were kept.
    kept: usize,
    /// Whether a row was dropped that may be more than rounding, or kept that may be no more.
    doubtful: bool,
    /// Conditioning of the weakest row kept, against what it was along the motion.
    margin: f64,
}

impl SparseFactor {
    /// For some rows of A, at their places.
    pub fn new(plan: Arc<Plan>, rows: &[usize]) -> Self {
        let (n, m) = (plan.n(), plan.m());
        let mut absent = vec![true; m];
        rows.iter().for_each(|&i| absent[i] = false);
        Self {
            rows: rows.to_vec(),
            absent,
            values: vec![0.0; plan.mass.len() + plan.rows.len()],
            saddle: Ldl::new(&plan.saddle),
            inertia: Ldl::new(&plan.inertia),
            inertia_known: false,
            ratio: vec![0.0; m],
            dropped: vec![false; m],
            forced: vec![false; m],
            by_ratio: Vec::with_capacity(m),
            length: vec![0.0; m],
            reference: vec![0.0; m],
            floor: vec![0.0; m],
            combinations: Vec::new(),
            gram: Vec::new(),
            along: Vec::new(),
            rows_dropped: Vec::with_capacity(m),
            judge: None,
            judged: false,
            weakest: 1.0,
            work: vec![0.0; n + m],
            sizes: vec![0.0; n],
            taken: Taken::Free,
            rank: 0,
            margin: 1.0,
            plan,
        }
    }

    /// Factors the numbers of M, or the identity, with those of the whole A, in the layout of the patterns.
    pub fn factor(&mut self, M: Option<&[f64]>, A: &[f64], rules: Rules) -> Result<(), Massless> {
        self.factor_for(M, A, rules, |_| 0.0)
    }

    /// Factors, then solves (see [`solve`](SparseFactor::solve)), with one pass less over the factor.
    pub fn factor_and_solve(
        &mut self,
        (M, A): (&[f64], &[f64]),
        rules: Rules,
        (r1, r2): (&[f64], &[f64]),
        (z, lambda): (&mut [f64], &mut [f64]),
    ) -> Result<(), Massless> {
        let n = self.plan.n();
        self.factor_for(Some(M), A, rules, |k| if k < n { r1[k] } else { r2[k - n] })?;
        if self.judged {
            self.solve(r1, r2, z, lambda);
            return Ok(());
        }
        self.saddle.backward(&self.plan.saddle, |k, value| match k.checked_sub(n) {
            None => z[k] = value,
            Some(row) => lambda[row] = -value,
        });
        if self.weakest <= tolerance::GRAM_SAFE {
            self.refine(r1, r2, z, lambda);
        }
        Ok(())
    }

    fn factor_for(
        &mut self,
        M: Option<&[f64]>,
        A: &[f64],
        rules: Rules,
        right: impl Fn(usize) -> f64,
    ) -> Result<(), Massless> {
        self.load(M, A);
        self.judged = false;
        self.combinations.clear();
        self.forced.copy_from_slice(&self.absent);
        let small = self.plan.n() + self.plan.m() <= tolerance::DENSE_FALLBACK;
        if small && rules.path == Path::Cod {
            return self.ask_dense(rules);
        }
        let mut found = match self.eliminate(rules, &right) {
            Ok(found) => found,
            Err(_) if small => return self.ask_dense(rules),
            Err(massless) => return Err(massless),
        };
        let m = self.rows.len();
        let known = rules.max_rank.min(m);
        let clear = self.weakest > tolerance::GRAM_REFINED.max(rules.rank_tol * rules.rank_tol);
        let settled = (found.kept == known || rules.max_rank == usize::MAX) && clear && !found.doubtful;
        if small && !settled && rules.judged && rules.path == Path::Auto {
            return self.ask_dense(rules);
        }
        if found.kept > known {
            self.force_weakest(found.kept - known);
            found = self.eliminate(rules, &right)?;
        }
        self.rank = found.kept;
        self.taken = if m == 0 { Taken::Free } else { Taken::Sparse };
        let lost = rules.max_rank <= m && found.kept < rules.max_rank;
        self.margin = if lost { 0.0 } else { found.margin };
        self.rows_dropped.clear();
        if found.kept < m {
            self.rows_dropped.extend(self.rows.iter().copied().filter(|&i| self.dropped[i]));
        }
        self.factor_inertia()
    }

    fn load(&mut self, M: Option<&[f64]>, A: &[f64]) {
        let (own, rows) = self.values.split_at_mut(self.plan.mass.len());
        rows.copy_from_slice(A);
        match M {
            Some(M) if own == M => {}
            Some(M) => {
                own.copy_from_slice(M);
                self.inertia_known = false;
            }
            None => {
                own.fill(0.0);
                (0..self.plan.n()).filter_map(|i| self.plan.mass.place(i, i)).for_each(|k| own[k] = 1.0);
                self.inertia_known = false;
            }
        }
    }

    /// K = L D L^T, and the first half of a solve for `right`.
    fn eliminate(&mut self, rules: Rules, right: impl Fn(usize) -> f64) -> Result<Elimination, Massless> {
        let n = self.plan.n();
        let floor = tolerance::DROPPED.max(rules.rank_tol * rules.rank_tol);
        let plain =
            if rules.max_rank == usize::MAX { tolerance::PLAINLY_DROPPED } else { tolerance::DROPPED };
        let (mut found, mut weakest, mut least) = (Elimination::default(), 1.0f64, 1.0f64);
        let mut uncertain = false;
        let (dropped, ratios, lengths) = (&mut self.dropped, &mut self.ratio, &mut self.length);
        let (references, forced, absent) = (&self.reference, &self.forced, &self.absent);
        let judge = |p: Pivot| {
            let Some(i) = p.unknown.checked_sub(n) else {
                // A speed: the pivot of M, stiffened by rows that hold it.
                uncertain |= !(p.value > tolerance::MASS_SAFE * p.added);
                let good = p.value > tolerance::MASS * p.added;
                let massless = Massless { speed: p.unknown, pivot: p.value / p.added };
                return if good { Ok(1.0 / p.value) } else { Err(massless) };
            };
            // A row: minus its square length across the rows before it.
            let length = p.taken.max(0.0).sqrt();
            let ratio = if p.taken > 0.0 { -p.value / p.taken } else { 0.0 };
            (lengths[i], ratios[i]) = (length, ratio);
            let vanished = !(length > RANK_TOL * references[i]);
            dropped[i] = forced[i] || vanished || !(ratio > floor);
            if dropped[i] {
                found.doubtful |= !absent[i] && !(ratio <= plain);
                return Ok(0.0);
            }
            let part = length / references[i].max(length);
            found.kept += 1;
            found.doubtful |= !(ratio * weakest > tolerance::PIVOT_TRUST);
            (weakest, least) = (weakest.min(ratio), least.min(ratio * part * part));
            Ok(1.0 / p.value)
        };
        self.saddle.factor(&self.plan.saddle, &self.values, right, judge)?;
        if uncertain {
            certain(self.saddle.pivot_share(&self.plan.saddle, &self.values, |k| k < n))?;
        }
        self.weakest = weakest;
        found.margin = least.sqrt();
        Ok(found)
    }

    /// The rank along the motion is known: directions beyond it are rounding, the weakest ones.
    fn force_weakest(&mut self, count: usize) {
        self.by_ratio.clear();
        self.by_ratio.extend((0..self.plan.m()).filter(|&i| !self.dropped[i]));
        let ratio = &self.ratio;
        self.by_ratio.sort_unstable_by(|&i, &j| ratio[i].total_cmp(&ratio[j]).then(j.cmp(&i)));
        self.by_ratio.iter().take(count).for_each(|&i| self.forced[i] = true);
    }

    /// M by itself, for accelerations without constraints; not again if it has not changed.
    fn factor_inertia(&mut self) -> Result<(), Massless> {
        if self.inertia_known {
            return Ok(());
        }
        let M = &self.values[..self.plan.mass.len()];
        let mut uncertain = false;
        let judge = |p: Pivot| {
            uncertain |= !(p.value > tolerance::MASS_SAFE * p.added);
            match p.value > tolerance::MASS * p.added {
                true => Ok(1.0 / p.value),
                false => Err(Massless { speed: p.unknown, pivot: p.value / p.added }),
            }
        };
        self.inertia.factor(&self.plan.inertia, M, |_| 0.0, judge)?;
        if uncertain {
            certain(self.inertia.pivot_share(&self.plan.inertia, M, |_| true))?;
        }
        self.inertia_known = true;
        Ok(())
    }

    /// Hands the rows asked for of a small system over to the dense decompositions.
    fn ask_dense(&mut self, rules: Rules) -> Result<(), Massless> {
        let (n, m) = (self.plan.n(), self.rows.len());
        let judge = self.judge.get_or_insert_with(|| Box::new(DenseFallback::new(n, m)));
        let lengths = (&self.reference[..], &mut self.length[..]);
        judge.decide(&self.plan, &self.values, &self.rows, lengths, rules)?;
        let factor = &judge.factor;
        (self.taken, self.rank, self.margin, self.judged) = (factor.taken, factor.rank, factor.margin, true);
        Ok(())
    }

    /// The judge, where it has the word.
    fn judge(&mut self) -> Option<&mut DenseFallback> {
        if self.judged { self.judge.as_deref_mut() } else { None }
    }

    /// See `Factor::remember`.
    pub fn remember(&mut self) -> f64 {
        longest(&mut self.reference, &self.length)
    }

    /// Longest lengths lately with the least they may become, and lengths now.
    pub fn lengths(&mut self) -> (&mut Vec<f64>, &mut Vec<f64>, &Vec<f64>) {
        (&mut self.reference, &mut self.floor, &self.length)
    }

    /// See `Factor::take_measure`.
    pub fn take_measure(&mut self, rows: &[usize], pivots: &[f64], squares: &[f64]) -> f64 {
        let mut margin = 1.0f64;
        for (k, &i) in rows.iter().enumerate() {
            self.length[i] = squares[k].sqrt();
            margin = margin.min(pivots[k].sqrt() / self.reference[i].max(self.length[i]));
        }
        margin
    }

    /// See `Factor::update_references`.
    pub fn update_references(&mut self, kept: f64) {
        update_references(&mut self.reference, &self.length, &self.floor, kept);
    }

    /// v <- M^-1 v; only if M is positive definite.
    pub fn unconstrained(&mut self, v: &mut [f64]) {
        match self.judge() {
            Some(judge) => judge.factor.unconstrained(v),
            None => self.inertia.solve(&self.plan.inertia, v),
        }
    }

    /// v^T M^-1 v; only if M is positive definite.
    pub fn inverse_mass_square(&mut self, v: &[f64]) -> f64 {
        if let Some(judge) = self.judge() {
            return judge.factor.inverse_mass_square(v);
        }
        self.inertia.inverse_square(&self.plan.inertia, v, &mut self.work[..v.len()])
    }

    /// Solves the saddle system for z and lambda; lambda of minimum norm once [`least`](SparseFactor::least) is asked.
    pub fn solve(&mut self, r1: &[f64], r2: &[f64], z: &mut [f64], lambda: &mut [f64]) {
        if self.judged {
            let Some(judge) = &mut self.judge else { return };
            return judge.solve(&self.rows, r1, r2, z, lambda);
        }
        let n = self.plan.n();
        self.work[..n].copy_from_slice(r1);
        self.work[n..].copy_from_slice(r2);
        self.saddle.solve(&self.plan.saddle, &mut self.work);
        z.copy_from_slice(&self.work[..n]);
        lambda.iter_mut().zip(&self.work[n..]).for_each(|(l, v)| *l = -v);
        if self.weakest <= tolerance::GRAM_SAFE {
            self.refine(r1, r2, z, lambda);
        }
    }

    /// Solves again for what is left of both equations, until that is rounding of their own terms (componentwise
    /// backward error; Oettli, Prager 1964) or no longer falls. Pivots of rows are squares: a weakest ratio of 1e-11
    /// leaves five digits, and each turn gives as many again.
    fn refine(&mut self, r1: &[f64], r2: &[f64], z: &mut [f64], lambda: &mut [f64]) {
        let (n, mut before) = (self.plan.n(), f64::INFINITY);
        for _ in 0..tolerance::MAX_SPARSE_REFINEMENTS {
            let left = self.left_over(r1, r2, z, lambda);
            if !(left > tolerance::SPARSE_ROUNDING && left < tolerance::SPARSE_GAIN * before) {
                return;
            }
            before = left;
            self.saddle.solve(&self.plan.saddle, &mut self.work);
            z.iter_mut().zip(&self.work[..n]).for_each(|(z, v)| *z += v);
            lambda.iter_mut().zip(&self.work[n..]).for_each(|(l, v)| *l -= v);
        }
    }

    /// What is left of both equations, to `work`; the largest part of it, over the sizes of its own terms.
    fn left_over(&mut self, r1: &[f64], r2: &[f64], z: &[f64], lambda: &[f64]) -> f64 {
        let (n, plan) = (self.plan.n(), &self.plan);
        let (M, A) = self.values.split_at(plan.mass.len());
        let (left1, left2) = self.work.split_at_mut(n);
        left1.copy_from_slice(r1);
        self.sizes.iter_mut().zip(r1).for_each(|(size, r)| *size = r.abs());
        // Of all equations; 0/0 is an equation without terms.
        let mut worst = 0.0f64;
        for i in 0..left2.len() {
            let (mut left, mut size) = (r2[i], r2[i].abs());
            for (&j, a) in plan.rows.row(i).iter().zip(&A[plan.rows.range(i)]) {
                let (own, held) = (a * z[j as usize], a * lambda[i]);
                (left, size) = (left - own, size + own.abs());
                left1[j as usize] += held;
                self.sizes[j as usize] += held.abs();
            }
            left2[i] = left;
            // A row that was dropped is not asked for.
            if left.abs() > worst * size && !self.dropped[i] {
                worst = left.abs() / size;
            }
        }
        for i in 0..n {
            let (mut left, mut size) = (left1[i], self.sizes[i]);
            for (&j, m) in plan.mass.row(i).iter().zip(&M[plan.mass.range(i)]) {
                let own = m * z[j as usize];
                (left, size) = (left - own, size + own.abs());
            }
            left1[i] = left;
            if left.abs() > worst * size {
                worst = left.abs() / size;
            }
        }
        worst
    }

    /// The constraint force A^T lambda of a solution.
    pub fn force(&mut self, r1: &[f64], z: &[f64], lambda: &[f64], out: &mut [f64]) {
        if self.judged {
            let Some(judge) = &mut self.judge else { return };
            return judge.force(&self.rows, r1, z, lambda, out);
        }
        self.plan.rows.transposed_times(&self.values[self.plan.mass.len()..], lambda, out);
    }

    /// Multipliers with the same force and minimum norm.
    pub fn least(&mut self, lambda: &mut [f64]) {
        let d = self.rows_dropped.len();
        if self.judged || d == 0 {
            return;
        }
        if d > tolerance::FEW_DROPPED && self.least_by_turns(lambda) {
            return;
        }
        if self.combinations.is_empty() {
            self.combine();
        }
        let m = self.plan.m();
        self.along.resize(d, 0.0);
        let along = &mut self.along;
        for (k, &row) in self.rows_dropped.iter().enumerate() {
            along[k] = dot(&self.combinations[k * m..(k + 1) * m], lambda) - lambda[row];
        }
        solve_lower(&self.gram, d, along);
        solve_lower_transposed(&self.gram, d, along);
        for (k, &row) in self.rows_dropped.iter().enumerate() {
            for (l, t) in lambda.iter_mut().zip(&self.combinations[k * m..(k + 1) * m]) {
                *l -= along[k] * t;
            }
            lambda[row] += along[k];
        }
    }

    /// A dropped row as a combination of kept ones; false if the dense judge has the word.
    pub fn combination(&mut self, row: usize, out: &mut [f64]) -> bool {
        if self.judged {
            return false;
        }
        out.fill(0.0);
        if self.rows_dropped.contains(&row) {
            self.combine_row(row, out);
        }
        true
    }

    /// Multipliers of minimum norm, as [`least`](SparseFactor::least), for any number of dropped rows, by conjugate gradients; false, with
    /// lambda as it was, if they do not converge.
    fn least_by_turns(&mut self, lambda: &mut [f64]) -> bool {
        let (d, m) = (self.rows_dropped.len(), self.plan.m());
        let mut kept = vec![0.0; m];
        kept.iter_mut().zip(lambda.iter()).zip(&self.dropped).for_each(|((k, l), dropped)| {
            *k = if *dropped { 0.0 } else { *l };
        });
        // (I + T T^T) alpha = T lambda_K - lambda_D
        let mut left = vec![0.0; d];
        self.times_T(&kept, &mut left);
        left.iter_mut().zip(&self.rows_dropped).for_each(|(left, &row)| *left -= lambda[row]);
        let (mut alpha, mut way, mut product) = (vec![0.0; d], left.clone(), vec![0.0; d]);
        let mut square = dot(&left, &left);
        let enough = tolerance::CONVERGED * tolerance::CONVERGED * square;
        let mut turns = 0;
        while square > enough {
            turns += 1;
            if 4 * turns > d {
                return false;
            }
            self.times_T_transposed(&way, &mut kept);
            self.times_T(&kept, &mut product);
            axpy(1.0, &way, &mut product);
            let part = square / dot(&way, &product);
            axpy(part, &way, &mut alpha);
            axpy(-part, &product, &mut left);
            let next = dot(&left, &left);
            way.iter_mut().zip(&left).for_each(|(w, l)| *w = l + next / square * *w);
            square = next;
        }
        self.times_T_transposed(&alpha, &mut kept);
        axpy(-1.0, &kept, lambda);
        self.rows_dropped.iter().zip(&alpha).for_each(|(&row, a)| lambda[row] += a);
        true
    }

    /// T v = A_D z for A_K z = v; entries of v at dropped rows are zero.
    fn times_T(&mut self, v: &[f64], out: &mut [f64]) {
        let (n, plan) = (self.plan.n(), &self.plan);
        self.work[..n].fill(0.0);
        self.work[n..].copy_from_slice(v);
        self.saddle.solve(&plan.saddle, &mut self.work);
        let A = &self.values[plan.mass.len()..];
        for (out, &row) in out.iter_mut().zip(&self.rows_dropped) {
            let entries = plan.rows.row(row).iter().zip(&A[plan.rows.range(row)]);
            *out = entries.map(|(&j, a)| a * self.work[j as usize]).sum();
        }
    }

    /// T^T alpha: the multipliers of kept rows with the force A_D^T alpha.
    fn times_T_transposed(&mut self, alpha: &[f64], out: &mut [f64]) {
        let (n, plan) = (self.plan.n(), &self.plan);
        self.work.fill(0.0);
        let A = &self.values[plan.mass.len()..];
        for (a, &row) in alpha.iter().zip(&self.rows_dropped) {
            for (&j, entry) in plan.rows.row(row).iter().zip(&A[plan.rows.range(row)]) {
                self.work[j as usize] -= a * entry;
            }
        }
        self.saddle.solve(&plan.saddle, &mut self.work);
        out.iter_mut().zip(&self.work[n..]).for_each(|(out, v)| *out = -v);
    }

    /// T: M z - A_K^T T_d = -A_d^T with A_K z = 0 has z = 0 for a row that depends on the kept ones.
    fn combine(&mut self) {
        let (m, d) = (self.plan.m(), self.rows_dropped.len());
        let mut combinations = std::mem::take(&mut self.combinations);
        combinations.resize(d * m, 0.0);
        for k in 0..d {
            self.combine_row(self.rows_dropped[k], &mut combinations[k * m..(k + 1) * m]);
        }
        self.combinations = combinations;
        self.gram.resize(d * d, 0.0);
        for i in 0..d {
            for j in 0..=i {
                let T = |k: usize| &self.combinations[k * m..(k + 1) * m];
                self.gram[i * d + j] = dot(T(i), T(j)) + if i == j { 1.0 } else { 0.0 };
            }
        }
        // I + T T^T is positive definite.
        let _ = cholesky(&mut self.gram, d);
    }

    /// One row of T.
    fn combine_row(&mut self, row: usize, out: &mut [f64]) {
        let (n, plan) = (self.plan.n(), &self.plan);
        self.work.fill(0.0);
        for (&j, place) in plan.rows.row(row).iter().zip(plan.rows.range(row)) {
            self.work[j as usize] = -self.values[plan.mass.len() + place];
        }
        self.saddle.solve(&plan.saddle, &mut self.work);
        out.iter_mut().zip(&self.work[n..]).for_each(|(t, v)| *t = -v);
    }
}
