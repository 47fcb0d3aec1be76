//! The distribution that the constraints leave, and its closure under Lie brackets (section 7 of the theory).
//!
//! ```text
//! Delta     sections v of the speeds with A v = 0; lifted with time: also (v, 1) with A v + A0 = 0
//! bracket   [u,v]_r = u(v_r) - v(u_r) + C_qpr u_q v_p + C_0pr (u_t v_p - v_t u_p),   u(f) = u_t X0 f + u_p X_p f
//! Lie flag  Delta_1 = Delta,  Delta_(k+1) = Delta_k + [Delta_1, Delta_k];  growth = the ranks at a generic point
//! ```
//!
//! With dimension d of the closure out of n (n + 1 lifted), that total less d independent combinations of the rows can be
//! integrated (Frobenius). Working with the speeds' components and the structure coefficients, instead of vectors in x,
//! serves redundant coordinates as well: what the kinematics conserve by themselves never enters.
//!
//! Kernel sections are `v_P = -G A_F v_F` with the inverse G of a pivot block. G is not formed in symbols: its entries are
//! symbols with the derivative `G' = -G A_P' G` and the value of the inverse at the point. Ranks are taken at a random
//! point modulo a prime and confirmed at another point of another prime. Checked by `tests/analyze.rs`.

use super::matrix::{Echelon, inverse};
use super::setting::{At, Setting};
use dalembert_expr::{Derivation, Expr, Pool, Rational, Residue, Sample, Symbol};

/// Brackets may add this many expressions; beyond, the closure is left undecided.
pub const MAX_BRACKET_NODES: usize = 400_000;
/// Larger sets with velocity constraints are not closed.
pub const MAX_BRACKET_SPEEDS: usize = 60;

/// The closure of a distribution.
pub(super) struct Closure {
    /// Ranks of the Lie flag.
    pub growth: Vec<usize>,
    /// Vectors at the point that span the closure, with time as last component where lifted.
    pub span: Vec<Vec<Residue>>,
    /// The point.
    pub at: At,
}

/// Why a closure is not known.
pub(super) enum Undecided {
    /// No point, or a contradiction between the rows.
    Contradiction,
    /// Expressions outgrew their limit; the growth so far.
    Grown(Vec<usize>),
    /// More speeds than the limit.
    TooMany,
    /// Two points disagree.
    Disagreement,
    /// The brackets of the speeds' own directions are not known.
    Frame,
}

impl Undecided {
    pub fn reason(&self) -> String {
        match self {
            Undecided::Contradiction => "the rows contradict each other at general configurations".into(),
            Undecided::Grown(growth) => {
                format!("the brackets grew beyond {MAX_BRACKET_NODES} expressions (ranks so far {growth:?})")
            }
            Undecided::TooMany => format!("brackets are taken for up to {MAX_BRACKET_SPEEDS} speeds"),
            Undecided::Frame => "the brackets of the kinematics' directions do not close".into(),
            Undecided::Disagreement => "two random points gave different ranks".into(),
        }
    }
}

/// A section: components along the speeds, and along time.
struct Section {
    v: Vec<Expr>,
    time: Expr,
    derivation: Derivation,
}

/// The closure of what the given rows leave.
pub(super) fn closure(setting: &mut Setting, rows: &[usize]) -> Result<Closure, Undecided> {
    let holonomic = rows.iter().all(|&r| setting.rows[r].position.is_some());
    let at = setting.at(0, 1, rows, &[]).ok_or(Undecided::Contradiction)?;
    if holonomic || at.kernel.len() <= 1 {
        // Surfaces, or lines: nothing to bracket.
        let span = at.kernel.clone();
        return Ok(Closure { growth: vec![span.len()], span, at });
    }
    if !setting.closed {
        return Err(Undecided::Frame);
    }
    if setting.n > MAX_BRACKET_SPEEDS {
        return Err(Undecided::TooMany);
    }
    let budget = setting.pool.len() + MAX_BRACKET_NODES;
    let block = Block::choose(setting, &at, rows);
    let mut base = block.kernel(setting);
    let mut sample = at.sample.clone();
    block.fix(setting, &mut sample).ok_or(Undecided::Contradiction)?;
    let mut echelon = Echelon::new(sample.field(), setting.total());
    let mut kept: Vec<Vec<Expr>> = Vec::new();
    for section in &base {
        let components = section.components(setting);
        echelon.add(sample.values(&setting.pool, &components).ok_or(Undecided::Contradiction)?);
        kept.push(components);
    }
    let mut growth = vec![echelon.rank()];
    let mut frontier: Vec<Section> = base.iter().map(Section::copy).collect();
    let mut first = true;
    while echelon.rank() < setting.total() {
        let mut next = Vec::new();
        for (j, y) in frontier.iter_mut().enumerate() {
            for (i, b) in base.iter_mut().enumerate() {
                if (first && i >= j) || echelon.rank() == setting.total() {
                    continue;
                }
                let section = bracket(setting, &block, b, y);
                if setting.pool.len() > budget || setting.pool.exhausted() {
                    return Err(Undecided::Grown(growth));
                }
                let components = section.components(setting);
                let values = sample.values(&setting.pool, &components).ok_or(Undecided::Contradiction)?;
                if echelon.add(values) {
                    kept.push(components);
                    next.push(section);
                }
            }
        }
        first = false;
        if next.is_empty() {
            break;
        }
        growth.push(echelon.rank());
        frontier = next;
    }
    setting.exact &= sample.is_exact();
    confirm(setting, &block, rows, &kept, &growth)?;
    let span = kept.iter().filter_map(|c| sample.values(&setting.pool, c)).collect();
    Ok(Closure { growth, span, at })
}

/// The same ranks at a point of another prime.
fn confirm(
    setting: &mut Setting,
    block: &Block,
    rows: &[usize],
    kept: &[Vec<Expr>],
    growth: &[usize],
) -> Result<(), Undecided> {
    for seed in 2..8 {
        let Some(at) = setting.at(1, seed, rows, &[]) else { continue };
        let mut sample = at.sample;
        if block.fix(setting, &mut sample).is_none() {
            continue;
        }
        let mut echelon = Echelon::new(sample.field(), setting.total());
        let values: Option<Vec<_>> = kept.iter().map(|c| sample.values(&setting.pool, c)).collect();
        let Some(values) = values else { continue };
        for v in values {
            echelon.add(v);
        }
        let agrees = Some(&echelon.rank()) == growth.last();
        return if agrees { Ok(()) } else { Err(Undecided::Disagreement) };
    }
    Err(Undecided::Disagreement)
}

impl Section {
    fn components(&self, setting: &Setting) -> Vec<Expr> {
        self.v.iter().copied().chain(setting.lifted.then_some(self.time)).collect()
    }

    fn copy(&self) -> Section {
        Section { v: self.v.clone(), time: self.time, derivation: self.derivation.clone() }
    }
}

/// Independent rows, and as many columns in which they are regular.
struct Block {
    rows: Vec<usize>,
    columns: Vec<usize>,
    /// `G[j][i]`: symbol of the inverse; `None` where it is zero by structure.
    inverse: Vec<Vec<Option<Symbol>>>,
    /// `A_P[i][j]`
    entries: Vec<Vec<Expr>>,
}

impl Block {
    fn choose(setting: &mut Setting, at: &At, rows: &[usize]) -> Block {
        let f = at.sample.field();
        let n = setting.n;
        // Simple columns and rows first: constants make constant sections.
        let mut weight = vec![0usize; n];
        let mut row_weight = vec![0usize; rows.len()];
        for (k, &r) in rows.iter().enumerate() {
            for (p, e) in setting.rows[r].form.iter().flat_map(|form| form.entries.clone()) {
                let size = if setting.pool.as_number(e).is_some() { 1 } else { 1 + setting.pool.size(&[e]) };
                weight[p] += size;
                row_weight[k] += size;
            }
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&p| weight[p]);
        let mut row_order: Vec<usize> = (0..rows.len()).collect();
        row_order.sort_by_key(|&k| row_weight[k]);
        let mut echelon = Echelon::new(f, n);
        let mut chosen = Vec::new();
        for k in row_order {
            if echelon.add(order.iter().map(|&p| at.A[k][p]).collect()) {
                chosen.push(rows[k]);
            }
        }
        let columns: Vec<usize> = echelon.pivots().iter().map(|&k| order[k]).collect();
        let entry = |setting: &Setting, r: usize, p: usize| {
            let form = setting.rows[r].form.as_ref();
            form.and_then(|form| form.entries.iter().find(|(q, _)| *q == p)).map_or(Pool::ZERO, |(_, e)| *e)
        };
        let entries: Vec<Vec<Expr>> =
            chosen.iter().map(|&r| columns.iter().map(|&p| entry(setting, r, p)).collect()).collect();
        let groups = connected(&entries);
        let r = chosen.len();
        let mut inverse = vec![vec![None; r]; r];
        for j in 0..r {
            for i in 0..r {
                if groups.1[j] == groups.0[i] {
                    inverse[j][i] = Some(setting.pool.symbol(&format!("inverse[{j},{i}]'''")));
                }
            }
        }
        Block { rows: chosen, columns, inverse, entries }
    }

    /// Gives the symbols of the inverse their values at a point.
    fn fix(&self, setting: &Setting, sample: &mut Sample) -> Option<()> {
        let values: Option<Vec<Vec<Residue>>> =
            self.entries.iter().map(|row| sample.values(&setting.pool, row)).collect();
        let inverse = inverse(sample.field(), &values?)?;
        let symbols = self.inverse.iter().zip(&inverse).flat_map(|(s, v)| s.iter().zip(v));
        let pairs: Vec<(Symbol, Residue)> = symbols.filter_map(|(s, v)| s.map(|s| (s, *v))).collect();
        sample.set(pairs);
        Some(())
    }

    /// Sections that span the kernel, and the one that goes with time.
    fn kernel(&self, setting: &mut Setting) -> Vec<Section> {
        let n = setting.n;
        let mut result = Vec::new();
        let free: Vec<usize> = (0..n).filter(|p| !self.columns.contains(p)).collect();
        for k in free {
            let column = |setting: &Setting, r: usize| {
                let form = setting.rows[r].form.as_ref();
                form.and_then(|form| form.entries.iter().find(|(q, _)| *q == k))
                    .map_or(Pool::ZERO, |(_, e)| *e)
            };
            let right: Vec<Expr> = self.rows.iter().map(|&r| column(setting, r)).collect();
            let mut v = self.solved(setting, &right);
            v[k] = Pool::ONE;
            let derivation = self.derivation(setting, &v, Pool::ZERO);
            result.push(Section { v, time: Pool::ZERO, derivation });
        }
        if setting.lifted {
            let right: Vec<Expr> =
                self.rows.iter().filter_map(|&r| setting.rows[r].form.as_ref().map(|f| f.constant)).collect();
            let v = self.solved(setting, &right);
            let derivation = self.derivation(setting, &v, Pool::ONE);
            result.push(Section { v, time: Pool::ONE, derivation });
        }
        result
    }

    /// `-G right` in the columns of the block.
    fn solved(&self, setting: &mut Setting, right: &[Expr]) -> Vec<Expr> {
        let mut v = vec![Pool::ZERO; setting.n];
        for (j, &p) in self.columns.iter().enumerate() {
            let mut parts = Vec::new();
            for (i, b) in right.iter().enumerate() {
                if let (Some(g), true) = (self.inverse[j][i], *b != Pool::ZERO) {
                    let g = setting.pool.var(g);
                    parts.push((setting.pool.mul(g, *b), Rational::MINUS_ONE));
                }
            }
            v[p] = setting.pool.combine(parts);
        }
        v
    }

    /// The derivation along a section: `x -> v_t X0 + X v`, `t -> v_t`, `G -> -G A_P' G`.
    fn derivation(&self, setting: &mut Setting, v: &[Expr], time: Expr) -> Derivation {
        let pool = &mut setting.pool;
        let mut seeds = vec![(setting.time, time)];
        for (i, s) in setting.x.iter().enumerate() {
            let image = match &setting.frame {
                None => v[i],
                Some(frame) => {
                    let mut parts = vec![pool.mul(time, setting.drift[i])];
                    parts.extend(frame[i].iter().map(|(p, e)| pool.mul(*e, v[*p])));
                    pool.total(parts)
                }
            };
            seeds.push((*s, image));
        }
        let mut derivation = Derivation::new(seeds.into_iter().filter(|(_, e)| *e != Pool::ZERO));
        let mut rates: Vec<(usize, usize, Expr)> = Vec::new();
        for (i, row) in self.entries.iter().enumerate() {
            for (j, e) in row.iter().enumerate() {
                let rate = derivation.apply(pool, *e);
                if rate != Pool::ZERO {
                    rates.push((i, j, rate));
                }
            }
        }
        let r = self.rows.len();
        for a in 0..r {
            for b in 0..r {
                let Some(target) = self.inverse[a][b] else { continue };
                let mut parts = Vec::new();
                for (i, j, rate) in &rates {
                    if let (Some(left), Some(right)) = (self.inverse[a][*i], self.inverse[*j][b]) {
                        let [left, right] = [left, right].map(|s| pool.var(s));
                        let factors = [left, *rate, right].map(|e| (e, Rational::ONE));
                        parts.push((pool.product(factors), Rational::MINUS_ONE));
                    }
                }
                let image = pool.combine(parts);
                if image != Pool::ZERO {
                    derivation.define(target, image);
                }
            }
        }
        derivation
    }
}

fn bracket(setting: &mut Setting, block: &Block, u: &mut Section, v: &mut Section) -> Section {
    let n = setting.n;
    let pool = &mut setting.pool;
    let mut parts: Vec<Vec<(Expr, Rational)>> = Vec::with_capacity(n);
    for r in 0..n {
        let (up, down) = (u.derivation.apply(pool, v.v[r]), v.derivation.apply(pool, u.v[r]));
        parts.push(vec![(up, Rational::ONE), (down, Rational::MINUS_ONE)]);
    }
    for (q, p, r, c) in &setting.structure.entries {
        if u.v[*q] != Pool::ZERO && v.v[*p] != Pool::ZERO {
            let term = [*c, u.v[*q], v.v[*p]].map(|e| (e, Rational::ONE));
            parts[*r].push((pool.product(term), Rational::ONE));
        }
    }
    for (p, r, c) in &setting.structure.with_time {
        for (time, w, sign) in [(u.time, v.v[*p], Rational::ONE), (v.time, u.v[*p], Rational::MINUS_ONE)] {
            let term = [*c, time, w].map(|e| (e, Rational::ONE));
            parts[*r].push((pool.product(term), sign));
        }
    }
    let w: Vec<Expr> = parts.into_iter().map(|parts| pool.combine(parts)).collect();
    let derivation = block.derivation(setting, &w, Pool::ZERO);
    Section { v: w, time: Pool::ZERO, derivation }
}

/// Groups of rows and columns that entries connect.
fn connected(entries: &[Vec<Expr>]) -> (Vec<usize>, Vec<usize>) {
    let r = entries.len();
    let (mut rows, mut columns): (Vec<usize>, Vec<usize>) = ((0..r).collect(), (r..2 * r).collect());
    loop {
        let mut changed = false;
        for i in 0..r {
            for j in 0..r {
                if entries[i][j] != Pool::ZERO && rows[i] != columns[j] {
                    let least = rows[i].min(columns[j]);
                    (rows[i], columns[j], changed) = (least, least, true);
                }
            }
        }
        if !changed {
            return (rows, columns);
        }
    }
}
