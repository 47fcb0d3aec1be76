//! The solution of nonlinear equations nearest to a guess, free entries only. Knows nothing of mechanics.

use super::slopes::Slopes;
use crate::Sparsity;
use crate::tolerance::{NUDGE, NUDGES, SHORT, VANISHED};
use dalembert_linalg::{Lcg, norm_max};
use std::sync::Arc;

/// Scaled residual (see [`crate::constraint::projection`]) at which a start is accepted.
const TOLERANCE: f64 = 1e-10;
/// Least length of a row that scales its residual, relative to the longest seen.
const FLOOR: f64 = 1e-4;

/// An equation that misses this part of its own terms is not met, however small they are among the others, ...
const MISSED: f64 = 1e-6;
/// ... unless what it misses may be rounding of terms that cancel, or of constants.
const ROUNDING: f64 = 1e-13;

/// Equations r(v) = 0 with their Jacobian.
pub(super) trait Equations {
    fn count(&self) -> usize;
    fn residual(&mut self, v: &[f64], r: &mut [f64]);
    fn jacobian(&mut self, v: &[f64], J: &mut [f64]);
    /// The Jacobian a little way off (see [`crate::row_sensitivity`]).
    fn jacobian_near(&mut self, v: &[f64], round: u64, J: &mut [f64]);
    /// The pattern of the Jacobian (that of the constraint rows), where it is given by its entries.
    fn sparsity(&self) -> Option<Arc<Sparsity>>;
}

/// Equations up to which those that contradict each other are told from the rest.
const MAX_SIFTED: usize = 40;
/// Shifts of the guess where a solution is looked for, and where equations are sifted.
const SHIFTS: u32 = 12;
const SIFTING_SHIFTS: u32 = 4;

/// The equation that is worst off, and its scaled residual.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left {
    pub row: usize,
    pub residual: f64,
}

/// No solution was found.
#[derive(Clone, Debug)]
pub(super) struct NoSolution {
    pub left: Left,
    /// Equations without a common solution, any of which could be met without the others; empty if that is not known.
    pub together: Vec<usize>,
}

/// Workspace of the search.
struct NewtonSearch<'e> {
    equations: &'e mut dyn Equations,
    free: &'e [bool],
    /// Equations that are not asked for.
    silent: Vec<bool>,
    r: Vec<f64>,
    J: Slopes,
    /// Length of each row of J: the longest seen, and the last.
    length: Vec<f64>,
    now: Vec<f64>,
    /// How far away each equation's own terms put its root, `sum |J_j v_j|` over that length.
    own: Vec<f64>,
    /// 1 + the largest entry of v that occurs in each equation.
    size: Vec<f64>,
    /// What a change of everything makes of each row, where that was asked: a row that is rounding by this measure
    /// ([`VANISHED`]) asks for nothing, and its residual is measured by it.
    grain: Vec<f64>,
}

/// Moves `v` to the solution nearest to where it is, changing free entries only.
pub(super) fn nearest(equations: &mut dyn Equations, v: &mut [f64], free: &[bool]) -> Result<(), NoSolution> {
    let (m, n) = (equations.count(), v.len());
    if m == 0 {
        return Ok(());
    }
    let [r, length, now, own, size, grain] = [(); 6].map(|()| vec![0.0; m]);
    let J = Slopes::new(m, n, equations.sparsity());
    let mut search =
        NewtonSearch { equations, free, silent: vec![false; m], r, J, length, now, own, size, grain };
    let guess = v.to_vec();
    let mut left = search.solve_around(&guess, v, SHIFTS);
    if left.residual > TOLERANCE && search.feel_grain(v) {
        v.copy_from_slice(&guess);
        left = search.solve_around(&guess, v, SHIFTS);
    }
    if !(left.residual <= TOLERANCE) {
        let sifted = !left.residual.is_nan() && m <= MAX_SIFTED;
        let together = if sifted { search.sift(&guess) } else { Vec::new() };
        return Err(NoSolution { left, together });
    }
    let mut tried = v.to_vec();
    if search.anchor(&guess, &mut tried) {
        v.copy_from_slice(&tried);
    }
    Ok(())
}

/// The guess moved off a point of symmetry, by more and more.
pub(super) fn shift(guess: &[f64], free: &[bool], attempt: u32, out: &mut [f64]) {
    let reach = [1e-3, 1e-2, 0.1, 0.5][attempt as usize % 4] * (1.0 + norm_max(guess));
    let mut lcg = Lcg::new(0x2545_F491_4F6C_DD1D_u64.wrapping_mul(u64::from(attempt) + 1));
    for i in 0..guess.len() {
        let unit = lcg.uniform() - 0.5;
        out[i] = guess[i] + if free[i] { 2.0 * unit * reach } else { 0.0 };
    }
}

impl NewtonSearch<'_> {
    /// Newton from the guess in `v`, then from places around it.
    fn solve_around(&mut self, guess: &[f64], v: &mut [f64], shifts: u32) -> Left {
        let mut best = self.solve(v);
        let mut tried = v.to_vec();
        for attempt in 0..shifts {
            if best.residual <= TOLERANCE {
                break;
            }
            shift(guess, self.free, attempt, &mut tried);
            let found = self.solve(&mut tried);
            if found.residual < best.residual {
                best = found;
                v.copy_from_slice(&tried);
            }
        }
        best
    }

    /// The equations that contradict each other: each in turn is left out for good if there is no solution without it
    /// (deletion filter; Chinneck 2008, sec. 6.2). One search for each.
    fn sift(&mut self, guess: &[f64]) -> Vec<usize> {
        for row in 0..self.silent.len() {
            self.silent[row] = true;
            let mut v = guess.to_vec();
            self.silent[row] = !(self.solve_around(guess, &mut v, SIFTING_SHIFTS).residual <= TOLERANCE);
        }
        (0..self.silent.len()).filter(|&row| !self.silent[row]).collect()
    }

    /// Residuals at v into `r`; the largest scaled one.
    fn measure(&mut self, v: &[f64]) -> Left {
        self.equations.residual(v, &mut self.r);
        self.r.iter_mut().zip(&self.silent).filter(|(_, silent)| **silent).for_each(|(r, _)| *r = 0.0);
        let (mut worst, mut largest) = (0, 0.0);
        for (row, r) in self.r.iter().enumerate() {
            let vanished = self.grain[row] > 0.0 && self.now[row] <= VANISHED * self.grain[row];
            let least = if vanished { self.grain[row] } else { FLOOR * self.length[row] };
            let length = self.now[row].max(least);
            let length = if length > 0.0 { length } else { 1.0 };
            let mut residual = if *r == 0.0 { 0.0 } else { r.abs() / (length * self.size[row].max(1.0)) };
            let missed = r.abs() / (length * self.own[row]);
            if residual > ROUNDING && self.own[row] > 0.0 && missed > MISSED {
                residual = residual.max(missed);
            }
            if !(residual <= largest) {
                (worst, largest) = (row, residual);
                if residual.is_nan() {
                    break;
                }
            }
        }
        Left { row: worst, residual: largest }
    }

    /// Takes note of how much of each row a change of everything makes. Whether a row is short by that measure.
    fn feel_grain(&mut self, v: &[f64]) -> bool {
        self.equations.jacobian(v, self.J.values());
        let here = self.J.values().to_vec();
        (0..self.now.len()).for_each(|i| self.now[i] = self.J.row(i).norm());
        for round in 0..NUDGES {
            self.equations.jacobian_near(v, round, self.J.values());
            self.J.values().iter_mut().zip(&here).for_each(|(near, here)| *near = (*near - here) / NUDGE);
            for i in 0..self.grain.len() {
                let change = self.J.row(i).norm();
                if change.is_finite() {
                    self.grain[i] = self.grain[i].max(change);
                }
            }
        }
        self.now.iter().zip(&self.grain).any(|(now, grain)| *grain > 0.0 && *now <= SHORT * grain)
    }

    /// Jacobian at v over the free entries, its rows scaled by their whole lengths, factored.
    fn factor(&mut self, v: &[f64], rank_tol: f64) {
        self.equations.jacobian(v, self.J.values());
        for i in 0..self.r.len() {
            let length = self.J.row(i).norm();
            let asked = !self.silent[i] && !(length < VANISHED * self.grain[i]);
            // A row that is short by that measure weighs less than others that say the same: its roots are double.
            let short = self.grain[i] > 0.0 && length <= SHORT * self.grain[i];
            let length = match asked {
                true if short => self.grain[i],
                true => length,
                false => 0.0,
            };
            if length.is_finite() {
                (self.now[i], self.length[i]) = (length, self.length[i].max(length));
                let terms: f64 = self.J.row(i).entries().map(|(j, a)| (a * v[j]).abs()).sum();
                self.own[i] = if length > 0.0 { terms / length } else { 0.0 };
                let row = self.J.row(i);
                let occurring = row.entries().filter(|(_, a)| *a != 0.0);
                self.size[i] = occurring.fold(1.0, |m: f64, (j, _)| m.max(1.0 + v[j].abs()));
            }
            self.J.scale(i, length, self.free);
        }
        self.J.factor(rank_tol);
    }

    /// Residuals at v into `r`, scaled like the rows of the factored Jacobian.
    fn scaled_residual(&mut self, v: &[f64]) {
        self.measure(v);
        for (r, length) in self.r.iter_mut().zip(&self.now) {
            *r = if *length > 0.0 { *r / length } else { 0.0 };
        }
    }

    /// Damped Newton with minimum-norm steps, to rounding.
    fn solve(&mut self, v: &mut [f64]) -> Left {
        let n = v.len();
        let (mut step, mut tried) = (vec![0.0; n], vec![0.0; n]);
        self.factor(v, 1e-9);
        let mut left = self.measure(v);
        for _ in 0..60 {
            if left.residual <= 2e-16 || left.residual.is_nan() {
                break;
            }
            self.factor(v, (10.0 * left.residual).clamp(1e-9, 1e-3));
            // By the row lengths here.
            left = self.measure(v);
            self.scaled_residual(v);
            self.J.solve(&self.r, &mut step);
            let mut length = 1.0;
            let mut found = left;
            for _ in 0..12 {
                (0..n).for_each(|i| tried[i] = v[i] - if self.free[i] { length * step[i] } else { 0.0 });
                found = self.measure(&tried);
                if found.residual < left.residual {
                    break;
                }
                length *= 0.5;
            }
            if !(found.residual < left.residual) {
                break;
            }
            let slow = found.residual > 0.999 * left.residual;
            v.copy_from_slice(&tried);
            left = found;
            if slow {
                break;
            }
        }
        // By the row lengths at the end.
        self.factor(v, 1e-9);
        self.measure(v)
    }

    /// v <- guess + J^+ (J (v - guess) - r) until it stays, then Newton; false if that leads nowhere.
    fn anchor(&mut self, guess: &[f64], v: &mut [f64]) -> bool {
        let n = v.len();
        let mut away = vec![0.0; n];
        let mut before = f64::INFINITY;
        for _ in 0..50 {
            self.factor(v, 1e-9);
            self.scaled_residual(v);
            for i in 0..self.r.len() {
                let along: f64 = self.J.row(i).entries().map(|(j, a)| a * (v[j] - guess[j])).sum();
                self.r[i] = along - self.r[i];
            }
            self.J.solve(&self.r, &mut away);
            let mut change = 0.0_f64;
            for i in 0..n {
                let next = if self.free[i] { guess[i] + away[i] } else { v[i] };
                change = change.max((next - v[i]).abs());
                v[i] = next;
            }
            if !(change < 2.0 * before) {
                return false;
            }
            before = change;
            if change <= 1e-15 * (1.0 + norm_max(v)) {
                break;
            }
        }
        before <= 1e-6 * (1.0 + norm_max(v)) && self.solve(v).residual <= TOLERANCE
    }
}
