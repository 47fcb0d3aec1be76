//! The equations of a variational step, solved to rounding by Newton's method.
//!
//! Corrections are measured in units of the noise: what roundings of the residual make of each component. How fast they
//! shrink is asked of each component too: one that is held at zero has corrections which are roundings of the solve, and
//! the fall of these says nothing of the others.

use super::Variational;
use crate::Lagrangian;
use crate::method::stepper::{Attempt, Field, StepError};
use crate::method::tolerances::{
    CORRECTED, HIDDEN, MAX_GROWN, MAX_VARIATIONAL_ITERATIONS, NOISE_STEPS, NOISY, QUIET, ROUNDING,
    SHRINKS_SLOWLY,
};
use dalembert_linalg::{axpy, dot, norm_max};

/// How loud a correction was.
struct Correction {
    /// The loudest component, in units of the noise.
    now: f64,
    /// What the next one is expected to be at most, each component shrinking as it did.
    next: f64,
    /// The largest component relative to the state.
    all: f64,
}

impl Variational {
    /// The matrix of Newton's method at the current nodes.
    fn factor(&mut self, kernel: &dyn Lagrangian, at: &Attempt<'_>) -> Result<(), StepError> {
        let (s, n, m) = (self.element.nodes(), self.element.n, self.element.m);
        let (h, w) = (at.h, n + m);
        self.element.evaluate_second(kernel, at.t, h, &self.Lambda);
        let size = (s - 1) * w;
        let (element, keep) = (&self.element, &self.rows.keep);
        let J = self.lu.matrix(size);
        J.fill(0.0);
        for a in 0..s - 1 {
            for k in 1..s {
                element.each_block(a, k, h, |p, r, v| J[(a * w + p) * size + (k - 1) * w + r] = v);
            }
            for c in 0..m {
                let row = a * w + n + c;
                if !keep[c] {
                    J[row * size + row] = 1.0;
                    continue;
                }
                for p in 0..n {
                    J[(a * w + p) * size + row] = element.A[(a * m + c) * n + p];
                    J[row * size + a * w + p] = element.A[((a + 1) * m + c) * n + p];
                }
            }
        }
        self.matrix.copy_from_slice(J);
        self.factored_h = f64::NAN;
        self.lu.factor(0.0).map_err(|_| StepError::Newton)?;
        self.factored_h = h;
        self.factored_rows.copy_from_slice(keep);
        Ok(())
    }

    /// Roundings of the terms of each equation, with signs at random, through the matrix: the size of corrections that
    /// mean nothing.
    fn listen(&mut self, h: f64) {
        let (s, n, m) = (self.element.nodes(), self.element.n, self.element.m);
        let (w, rule) = (n + m, &self.element.rule);
        self.noise.fill(0.0);
        let mut dice = 0x9e37_79b9_u32;
        for _ in 0..2 {
            for a in 0..s - 1 {
                for p in 0..n {
                    let term = |j: usize| (rule.b[j] * rule.D[j * s + a] * self.element.first[j].y[p]).abs();
                    let forces =
                        |c: usize| (self.Lambda[a * m + c] * self.element.A[(a * m + c) * n + p]).abs();
                    self.change[a * w + p] = (0..s).map(term).sum::<f64>()
                        + (0..m).map(forces).sum::<f64>()
                        + (h * rule.b[a] * self.element.first[a].r[p]).abs();
                }
                for c in 0..m {
                    let A = &self.element.A[((a + 1) * m + c) * n..((a + 1) * m + c + 1) * n];
                    self.change[a * w + n + c] = A.iter().zip(&self.x.high).map(|(a, x)| (a * x).abs()).sum();
                }
            }
            for v in &mut self.change {
                dice ^= dice << 13;
                dice ^= dice >> 17;
                dice ^= dice << 5;
                *v *= if dice & 1 == 0 { f64::EPSILON } else { -f64::EPSILON };
            }
            self.lu.solve(&mut self.change);
            self.noise.iter_mut().zip(&self.change).for_each(|(n, d)| *n += d.abs());
        }
        self.age = 0;
    }

    /// One correction, and how loud it was.
    fn correct(&mut self, h: f64) -> Correction {
        let (s, n, m) = (self.element.nodes(), self.element.n, self.element.m);
        let w = n + m;
        self.change.fill(0.0);
        // The parts of the momenta sum to zero over the nodes: that of the first is taken from the others, so that
        // roundings of the coefficients do not act as a force.
        let sum = &mut self.increment;
        sum.fill(0.0);
        for a in (1..s).rev() {
            let part = if a < s - 1 { &mut self.change[a * w..a * w + n] } else { &mut self.end[..n] };
            part.fill(0.0);
            self.element.add_momenta(a, part);
            axpy(-1.0, part, sum);
        }
        self.change[..n].copy_from_slice(sum);
        axpy(1.0, &self.y.high, &mut self.change[..n]);
        axpy(1.0, &self.y.low, &mut self.change[..n]);
        for a in 0..s - 1 {
            let (forces, rows) = self.change[a * w..(a + 1) * w].split_at_mut(n);
            axpy(h * self.element.rule.b[a], &self.element.first[a].r, forces);
            for c in 0..m {
                axpy(self.Lambda[a * m + c], &self.element.A[(a * m + c) * n..(a * m + c + 1) * n], forces);
                rows[c] =
                    if self.rows.keep[c] { self.element.f[(a + 1) * m + c] } else { self.Lambda[a * m + c] };
            }
        }
        self.right.copy_from_slice(&self.change);
        if self.age >= NOISE_STEPS {
            self.listen(h);
            self.change.copy_from_slice(&self.right);
        }
        self.lu.solve(&mut self.change);
        if self.hides_roundings() {
            self.refine();
        }
        self.take()
    }

    /// Whether a correction that counts may be rounding of larger ones.
    fn hides_roundings(&self) -> bool {
        let (n, w) = (self.element.n, self.element.n + self.element.m);
        let parts = self.change.chunks(w.max(1)).map(|part| norm_max(&part[..n]));
        let largest = parts.fold(norm_max(&self.element.z), f64::max);
        let mut places = (0..self.element.nodes() - 1).flat_map(|a| (0..n).map(move |p| (a, p)));
        places.any(|(a, p)| {
            self.change[a * w + p].abs() <= HIDDEN * largest && self.loudness_at(a, p) > CORRECTED
        })
    }

    /// The correction of a component after node `a` in units of the noise. What refinement leaves of the roundings of larger
    /// corrections is never loud, whatever the noise of a component that is zero.
    fn loudness_at(&self, a: usize, p: usize) -> f64 {
        let (n, m) = (self.element.n, self.element.m);
        let k = a * (n + m) + p;
        let own = f64::EPSILON * self.element.z[(a + 1) * n + p].abs();
        let refined = f64::EPSILON * f64::EPSILON * self.size;
        self.change[k].abs() / (self.noise[k] + own + refined)
    }

    /// Solves once more for what the correction leaves of its equations. Elimination mixes rows, and rounds a component that
    /// its own row holds by the size of the impulses; what is left of that row is seen by itself.
    fn refine(&mut self) {
        let rows = self.matrix.chunks(self.right.len().max(1));
        for ((left, row), right) in self.left.iter_mut().zip(rows).zip(&self.right) {
            *left = right - dot(row, &self.change);
        }
        self.lu.solve(&mut self.left);
        axpy(1.0, &self.left, &mut self.change);
    }

    /// Takes the correction from the nodes and impulses.
    fn take(&mut self) -> Correction {
        let (s, n, m) = (self.element.nodes(), self.element.n, self.element.m);
        let w = n + m;
        let mut taken = Correction { now: 0.0, next: 0.0, all: 0.0 };
        for a in 0..s - 1 {
            for p in 0..n {
                let now = self.loudness_at(a, p);
                let before = std::mem::replace(&mut self.loudness[a * w + p], now);
                let next = if before.is_finite() { now * (now / before) } else { now };
                taken.now = taken.now.max(now);
                taken.next = taken.next.max(if now > CORRECTED { next } else { 0.0 });
            }
            let (dz, dl) = self.change[a * w..(a + 1) * w].split_at(n);
            if dz.iter().any(|v| !v.is_finite()) {
                return Correction { now: f64::NAN, next: f64::NAN, all: f64::NAN };
            }
            taken.all = taken.all.max(norm_max(dz) / self.size);
            axpy(-1.0, dz, &mut self.element.z[(a + 1) * n..(a + 2) * n]);
            axpy(-1.0, dl, &mut self.Lambda[a * m..(a + 1) * m]);
        }
        taken
    }

    /// Newton from the current nodes, with the matrix of an earlier step or one made here. Whether it arrived.
    pub(crate) fn iterate(
        &mut self,
        field: &mut dyn Field,
        at: &Attempt<'_>,
        anew: bool,
    ) -> Result<bool, StepError> {
        let (mut before, mut stale, mut grown, mut stalled) = (f64::INFINITY, anew, 0, 0);
        self.loudness.fill(f64::INFINITY);
        for _ in 0..MAX_VARIATIONAL_ITERATIONS {
            let Some(kernel) = field.lagrangian() else { return Err(StepError::Newton) };
            self.element.evaluate(kernel, at.t, at.h);
            if stale {
                self.factor(kernel, at)?;
                self.age = NOISE_STEPS;
            }
            field.count_work(self.element.nodes(), stale);
            let Correction { now, next, all } = self.correct(at.h);
            let ratio = now / before;
            if now <= CORRECTED || next <= 0.02 {
                return Ok(true);
            }
            stalled += usize::from(!(ratio < 0.5));
            let quiet = QUIET.max(self.floor);
            if (stalled > 0 && now <= quiet)
                || (anew && stalled > 1 && now <= NOISY)
                || (stalled > MAX_GROWN && all <= ROUNDING)
            {
                // Cancellation within the forces is louder than what was listened to.
                self.floor = match now {
                    _ if now <= QUIET => 0.99 * self.floor,
                    _ if now <= NOISY => self.floor.max(2.0 * now),
                    _ => self.floor,
                };
                return Ok(true);
            }
            grown += usize::from(!(ratio < 1.0));
            stale = anew && ratio > SHRINKS_SLOWLY && now > quiet;
            if now.is_nan()
                || (grown > MAX_GROWN && all > ROUNDING)
                || (!anew && ratio > SHRINKS_SLOWLY && now > quiet)
            {
                return Ok(false);
            }
            before = now;
        }
        Ok(false)
    }
}
