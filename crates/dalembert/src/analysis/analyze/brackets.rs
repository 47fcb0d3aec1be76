//! Sections of the speeds about a point, and their brackets: formulas in `distribution.rs`.

use super::expansion::Expansion;
use super::pfaffian::PfaffianSystem;
use super::points::At;
use super::series::{Grid, Series};
use dalembert_expr::{Rational, Symbol};

/// A section about the point: components along the speeds, along time, and the motion of the variables.
pub(super) struct Section {
    pub v: Vec<Series>,
    pub time: Series,
    motion: Vec<Series>,
    /// Its Taylor polynomials are right up to this degree.
    degree: usize,
}

/// Rows, frame and structure coefficients about the point.
pub(super) struct Terms {
    n: usize,
    order: usize,
    A: Vec<Vec<Series>>,
    A0: Vec<Series>,
    /// For each variable: (speed, entry of X), and X0; time moves by itself.
    motion: Vec<(Vec<(usize, Series)>, Series)>,
    structure: Vec<(usize, usize, usize, Series)>,
    with_time: Vec<(usize, usize, Series)>,
}

impl Terms {
    pub fn of(
        setting: &mut PfaffianSystem,
        at: &At,
        rows: &[usize],
        variables: &[Symbol],
        grid: &mut Grid,
    ) -> Option<Terms> {
        let (n, order) = (setting.n, grid.order);
        let one = vec![grid.field.one()];
        let mut sample = at.sample.clone();
        let mut expansion = Expansion::new(grid, &mut setting.pool, &mut sample, variables);
        let (mut A, mut A0) = (Vec::new(), Vec::new());
        for &r in rows {
            let form = setting.rows[r].form.as_ref()?;
            let mut row = vec![Vec::new(); n];
            for (p, e) in &form.entries {
                row[*p] = expansion.of(*e)?;
            }
            A.push(row);
            A0.push(expansion.of(form.constant)?);
        }
        let mut motion = Vec::new();
        for s in variables {
            let Some(i) = setting.x.iter().position(|x| x == s) else {
                motion.push((Vec::new(), one.clone())); // time
                continue;
            };
            motion.push(match &setting.frame {
                None => (vec![(i, one.clone())], Vec::new()),
                Some(frame) => {
                    let entries: Option<Vec<_>> =
                        frame[i].iter().map(|(p, e)| Some((*p, expansion.of(*e)?))).collect();
                    (entries?, expansion.of(setting.drift[i])?)
                }
            });
        }
        let (mut structure, mut with_time) = (Vec::new(), Vec::new());
        for (q, p, r, c) in &setting.structure.entries {
            structure.push((*q, *p, *r, expansion.of(*c)?));
        }
        for (p, r, c) in &setting.structure.with_time {
            with_time.push((*p, *r, expansion.of(*c)?));
        }
        setting.exact &= sample.is_exact();
        Some(Terms { n, order, A, A0, motion, structure, with_time })
    }

    /// Sections that span the kernel, and the one that goes with time, by elimination on Taylor polynomials.
    pub fn kernel(&self, setting: &PfaffianSystem, grid: &mut Grid) -> Option<Vec<Section>> {
        let n = self.n;
        let mut rows: Vec<Vec<Series>> =
            self.A.iter().zip(&self.A0).map(|(row, a)| row.iter().chain([a]).cloned().collect()).collect();
        let mut pivots: Vec<(usize, usize)> = Vec::new();
        let value = |s: &Series| s.first().copied().unwrap_or_default();
        loop {
            let open = |i: &usize| pivots.iter().all(|(k, _)| k != i);
            // Constants first: they cost nothing.
            let choice = (0..rows.len())
                .filter(open)
                .flat_map(|i| (0..n).map(move |j| (i, j)))
                .filter(|(i, j)| !value(&rows[*i][*j]).is_zero())
                .min_by_key(|(i, j)| (rows[*i][*j].len(), rows[*i].iter().filter(|s| !s.is_empty()).count()));
            let Some((i, j)) = choice else { break };
            let inverse = grid.power(&rows[i][j], &Rational::MINUS_ONE)?;
            let pivot: Vec<Series> = rows[i].iter().map(|s| grid.mul(s, &inverse)).collect();
            for k in (0..rows.len()).filter(|k| *k != i) {
                let factor = rows[k][j].clone();
                if factor.is_empty() {
                    continue;
                }
                for c in 0..=n {
                    if !pivot[c].is_empty() {
                        let product = grid.mul(&factor, &pivot[c]);
                        rows[k][c] = grid.sub(&rows[k][c], &product);
                    }
                }
                rows[k][j] = Vec::new();
            }
            rows[i] = pivot;
            pivots.push((i, j));
        }
        let one = vec![grid.field.one()];
        let minus = grid.field.int(-1);
        let free = (0..n).filter(|p| pivots.iter().all(|(_, j)| j != p));
        let columns: Vec<usize> = free.chain(setting.lifted.then_some(n)).collect();
        let mut sections = Vec::new();
        for c in columns {
            let mut v = vec![Vec::new(); n];
            for (i, j) in &pivots {
                v[*j] = grid.scale(&rows[*i][c], minus);
            }
            let time = if c == n { one.clone() } else { Vec::new() };
            if c < n {
                v[c] = one.clone();
            }
            sections.push(self.section(grid, v, time, self.order));
        }
        Some(sections)
    }

    fn section(&self, grid: &mut Grid, v: Vec<Series>, time: Series, degree: usize) -> Section {
        let mut motion = Vec::new();
        for (entries, drift) in &self.motion {
            let mut sum = grid.mul_to(drift, &time, degree);
            for (p, e) in entries {
                let term = grid.mul_to(e, &v[*p], degree);
                sum = grid.add(&sum, &term);
            }
            motion.push(sum);
        }
        Section { v, time, motion, degree }
    }

    pub fn bracket(&self, grid: &mut Grid, u: &Section, v: &Section) -> Section {
        let degree = u.degree.min(v.degree) - 1;
        let mut w = Vec::with_capacity(self.n);
        for r in 0..self.n {
            let mut sum = Vec::new();
            for k in 0..self.motion.len() {
                for (a, b, minus) in [(u, &v.v[r], false), (v, &u.v[r], true)] {
                    let slope = grid.derivative(b, k);
                    let term = grid.mul_to(&a.motion[k], &slope, degree);
                    sum = if minus { grid.sub(&sum, &term) } else { grid.add(&sum, &term) };
                }
            }
            w.push(sum);
        }
        for (q, p, r, c) in &self.structure {
            let product = grid.mul_to(&u.v[*q], &v.v[*p], degree);
            let term = grid.mul_to(c, &product, degree);
            w[*r] = grid.add(&w[*r], &term);
        }
        for (p, r, c) in &self.with_time {
            for (time, x, minus) in [(&u.time, &v.v[*p], false), (&v.time, &u.v[*p], true)] {
                let product = grid.mul_to(time, x, degree);
                let term = grid.mul_to(c, &product, degree);
                w[*r] = if minus { grid.sub(&w[*r], &term) } else { grid.add(&w[*r], &term) };
            }
        }
        self.section(grid, w, Vec::new(), degree)
    }
}
