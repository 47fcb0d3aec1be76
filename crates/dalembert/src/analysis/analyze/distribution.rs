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
//! Sections are Taylor polynomials about a random point modulo a prime ([`Grid`]), so brackets of any depth cost
//! multiplications and no expression grows. A section that adds nothing to the rank is left out of further brackets:
//! `[u, f v] = f [u, v] + u(f) v`. All is done at two points of two primes. Checked by `tests/it/analyze.rs`.

use super::brackets::{Section, Terms};
use super::pfaffian::PfaffianSystem;
use super::points::At;
use super::series::{Grid, Series};
use dalembert_expr::echelon::Echelon;
use dalembert_expr::{Expr, Residue, Symbol};

/// Multiplications that the brackets may cost; beyond, the closure is left undecided.
pub const MAX_BRACKET_WORK: u64 = 1_500_000_000;
/// Larger sets with velocity constraints are not closed.
pub const MAX_BRACKET_SPEEDS: usize = 200;

/// The closure of a distribution.
pub(super) struct Closure {
    /// Ranks of the Lie flag.
    pub growth: Vec<usize>,
    /// Vectors at the point that span the closure, with time as last component where lifted.
    pub span: Vec<Vec<Residue>>,
    /// The point.
    pub at: At,
}

/// Said of rows that general configurations do not admit.
pub(super) const HIDDEN: &str =
    "the rows imply a hidden condition on the configuration, beside which they contradict each other";

/// Why a closure is not known.
pub(super) enum Undecided {
    /// No point, or a contradiction between the rows.
    Contradiction,
    /// The work outgrew its limit; the growth so far.
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
            Undecided::Contradiction => HIDDEN.into(),
            Undecided::Grown(growth) => format!(
                "deeper brackets would take more than {MAX_BRACKET_WORK} multiplications (ranks so far {growth:?})"
            ),
            Undecided::TooMany => format!("brackets are taken for up to {MAX_BRACKET_SPEEDS} speeds"),
            Undecided::Disagreement => "two random points gave different ranks".into(),
            Undecided::Frame => {
                "the brackets of the kinematics' directions do not close, or a speed moves no coordinate"
                    .into()
            }
        }
    }
}

/// The closure of what the given rows leave.
pub(super) fn closure(setting: &mut PfaffianSystem, rows: &[usize]) -> Result<Closure, Undecided> {
    let holonomic = rows.iter().all(|&r| setting.rows[r].position.is_some());
    let at = setting.at(0, 1, rows, &[]).ok_or(Undecided::Contradiction)?;
    if !holonomic && !setting.closed {
        return Err(Undecided::Frame);
    }
    if holonomic || at.kernel.len() <= 1 {
        // Surfaces, or lines: nothing to bracket.
        let span = at.kernel.clone();
        return Ok(Closure { growth: vec![span.len()], span, at });
    }
    if setting.n > MAX_BRACKET_SPEEDS {
        return Err(Undecided::TooMany);
    }
    let variables = variables(setting, rows);
    let mut growth = vec![at.kernel.len()];
    // Orders that do not reach the end of the flag cost little beside the one that does.
    for order in [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20] {
        let Some(flag) = flag(setting, &at, rows, &variables, order) else {
            return Err(Undecided::Grown(growth));
        };
        growth = flag.growth.clone();
        if flag.ended {
            confirm(setting, rows, &variables, order, &growth)?;
            return Ok(Closure { growth, span: flag.span, at });
        }
    }
    Err(Undecided::Grown(growth))
}

/// Confirms the ranks at a point modulo another prime.
fn confirm(
    setting: &mut PfaffianSystem,
    rows: &[usize],
    variables: &[Symbol],
    order: usize,
    growth: &[usize],
) -> Result<(), Undecided> {
    let at = setting.at(1, 2, rows, &[]).ok_or(Undecided::Disagreement)?;
    let flag = flag(setting, &at, rows, variables, order).ok_or(Undecided::Disagreement)?;
    if flag.growth == growth { Ok(()) } else { Err(Undecided::Disagreement) }
}

/// The symbols on which anything here depends.
fn variables(setting: &mut PfaffianSystem, rows: &[usize]) -> Vec<Symbol> {
    let mut exprs: Vec<Expr> = setting.drift.clone();
    for &r in rows {
        let form = setting.rows[r].form.iter();
        exprs.extend(form.flat_map(|f| f.entries.iter().map(|(_, e)| *e).chain([f.constant])));
    }
    exprs.extend(setting.frame.iter().flatten().flatten().map(|(_, e)| *e));
    exprs.extend(
        setting.structure.entries.iter().map(|c| c.3).chain(setting.structure.with_time.iter().map(|c| c.2)),
    );
    let all = setting.pool.symbols(&exprs);
    setting.x.iter().copied().chain([setting.time]).filter(|s| all.contains(s)).collect()
}

struct Flag {
    growth: Vec<usize>,
    span: Vec<Vec<Residue>>,
    /// The last level added nothing, or nothing can be added.
    ended: bool,
}

/// The Lie flag as far as Taylor polynomials of an order reach; `None` if they cannot be had.
fn flag(
    setting: &mut PfaffianSystem,
    at: &At,
    rows: &[usize],
    variables: &[Symbol],
    order: usize,
) -> Option<Flag> {
    let mut grid = Grid::new(at.sample.field(), variables.len(), order)?;
    let terms = Terms::of(setting, at, rows, variables, &mut grid)?;
    let base = terms.kernel(setting, &mut grid)?;
    let total = setting.total();
    let mut echelon = Echelon::new(grid.field, total);
    let mut span = Vec::new();
    let values = |section: &Section| -> Vec<Residue> {
        let first = |s: &Series| s.first().copied().unwrap_or_default();
        section.v.iter().chain(setting.lifted.then_some(&section.time)).map(first).collect()
    };
    for section in &base {
        let v = values(section);
        if echelon.add(v.clone()) {
            span.push(v);
        }
    }
    let mut growth = vec![echelon.rank()];
    let mut frontier: Vec<Section> = Vec::new();
    for level in 0..order {
        let mut next = Vec::new();
        let current: &[Section] = if level == 0 { &base } else { &frontier };
        for (j, y) in current.iter().enumerate() {
            for (i, b) in base.iter().enumerate() {
                if (level == 0 && i >= j) || echelon.rank() == total {
                    continue;
                }
                let section = terms.bracket(&mut grid, b, y);
                if grid.work > MAX_BRACKET_WORK {
                    return None;
                }
                let v = values(&section);
                if echelon.add(v.clone()) {
                    span.push(v);
                    next.push(section);
                }
            }
        }
        if next.is_empty() {
            return Some(Flag { growth, span, ended: true });
        }
        growth.push(echelon.rank());
        if echelon.rank() == total {
            return Some(Flag { growth, span, ended: true });
        }
        frontier = next;
    }
    Some(Flag { growth, span, ended: false })
}
