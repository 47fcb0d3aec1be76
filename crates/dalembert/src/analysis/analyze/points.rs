//! Random points at which rows and frame are looked at, and what is there.

use super::pfaffian::PfaffianSystem;
use super::surface::{mixed, place};
use dalembert_expr::echelon::{Echelon, solve};
use dalembert_expr::{Expr, PRIMES, Residue, Sample};

/// How many points are tried until every expression is defined at one.
const MAX_TRIES: u64 = 400;
/// ... and to reach the surface of the position constraints.
const MAX_PLACEMENTS: u64 = 60;

/// Everything about the rows and the frame at one point.
pub(super) struct At {
    pub sample: Sample,
    /// A, dense rows, in the order of the rows asked for.
    pub A: Vec<Vec<Residue>>,
    pub A0: Vec<Residue>,
    /// Vectors (v_1..v_n, v_t) that keep the rows; the one with v_t = 1 comes last, if lifted.
    pub kernel: Vec<Vec<Residue>>,
    pub rank: usize,
}

impl PfaffianSystem {
    /// A point of the `k`-th prime where everything asked for is defined, on the surface of the position constraints
    /// where that can be reached.
    pub fn point(&mut self, k: usize, seed: u64, wanted: &[Expr]) -> Option<Sample> {
        let positions: Vec<Expr> = self.rows.iter().filter_map(|row| row.position).collect();
        let positions = self.pool.substitute(&positions, &self.parameters);
        let only_positions = self.rows.iter().all(|row| row.position.is_some());
        let placed = !only_positions && !positions.is_empty() && self.on_surface;
        for attempt in 0..if placed { MAX_PLACEMENTS } else { 0 } {
            let mut sample = Sample::new(PRIMES[k % PRIMES.len()], mixed(seed, attempt));
            if place(&self.pool, &mut sample, &self.x, &positions)
                && sample.values(&self.pool, wanted).is_some()
            {
                return Some(sample);
            }
        }
        self.on_surface &= !placed;
        self.anywhere(k, seed, wanted)
    }

    /// A random point where everything asked for is defined, on no particular surface.
    pub fn anywhere(&mut self, k: usize, seed: u64, wanted: &[Expr]) -> Option<Sample> {
        let found = (0..MAX_TRIES).find_map(|attempt| {
            let mut sample = Sample::new(PRIMES[k % PRIMES.len()], mixed(seed, attempt));
            sample.settle(&self.pool, wanted);
            sample.values(&self.pool, wanted).is_some().then_some(sample)
        })?;
        self.exact &= found.is_exact();
        Some(found)
    }

    /// Rows and kernel at such a point; `None` if there is none, or if the rows contradict each other.
    pub fn at(&mut self, k: usize, seed: u64, rows: &[usize], wanted: &[Expr]) -> Option<At> {
        let mut list: Vec<Expr> = self.drift.clone();
        for &r in rows {
            let form = self.rows[r].form.as_ref()?;
            list.push(form.constant);
            list.extend(form.entries.iter().map(|(_, e)| *e));
        }
        list.extend(self.frame.iter().flatten().flatten().map(|(_, e)| *e));
        list.extend_from_slice(wanted);
        let sample = self.point(k, seed, &list)?;
        self.around(sample, rows)
    }

    /// Rows and kernel at a given point.
    pub fn around(&mut self, mut sample: Sample, rows: &[usize]) -> Option<At> {
        let f = sample.field();
        let (mut A, mut A0) = (Vec::new(), Vec::new());
        for &r in rows {
            let form = self.rows[r].form.as_ref()?;
            let exprs: Vec<Expr> = form.entries.iter().map(|(_, e)| *e).collect();
            let values = sample.values(&self.pool, &exprs)?;
            let mut row = vec![Residue::ZERO; self.n];
            form.entries.iter().zip(values).for_each(|((p, _), v)| row[*p] = v);
            A.push(row);
            A0.push(sample.values(&self.pool, &[form.constant])?[0]);
        }
        let mut echelon = Echelon::new(f, self.n);
        for row in &A {
            echelon.add(row.clone());
        }
        let rank = echelon.rank();
        let mut kernel: Vec<Vec<Residue>> = echelon.null_space().into_iter().map(|(_, v)| v).collect();
        if self.lifted {
            let right: Vec<Residue> = A0.iter().map(|a| f.neg(*a)).collect();
            let moving = solve(f, &A, &right, &vec![Residue::ZERO; self.n])?;
            kernel.iter_mut().for_each(|v| v.push(Residue::ZERO));
            kernel.push(moving.into_iter().chain([f.one()]).collect());
        }
        self.exact &= sample.is_exact();
        Some(At { sample, A, A0, kernel, rank })
    }

    /// The motion of the coordinates along a vector: `x' = X0 v_t + X v`.
    pub fn motion(&self, sample: &mut Sample, v: &[Residue]) -> Option<Vec<Residue>> {
        let f = sample.field();
        let Some(frame) = &self.frame else { return Some(v[..self.n].to_vec()) };
        let drift = sample.values(&self.pool, &self.drift)?;
        let moving = v.get(self.n).copied().unwrap_or_default();
        frame
            .iter()
            .zip(drift)
            .map(|(row, X0)| {
                let exprs: Vec<Expr> = row.iter().map(|(_, e)| *e).collect();
                let values = sample.values(&self.pool, &exprs)?;
                let sum = row
                    .iter()
                    .zip(values)
                    .fold(f.mul(X0, moving), |sum, ((p, _), X)| f.add(sum, f.mul(X, v[*p])));
                Some(sum)
            })
            .collect()
    }
}
