//! One form by itself: is it exact, does it have an integrating factor?
//!
//! ```text
//! exact            d omega = 0
//! integrable alone omega ^ d omega = 0:  d omega vanishes on all pairs of vectors that omega annihilates (Frobenius)
//! in the frame     d omega(a,b) = X_a omega_b - X_b omega_a - C_abr omega_r,   a, b over the speeds and time
//! ```
//!
//! Decided at two random points of two primes. Exactness is Renton's test; it is sufficient for a constraint to be
//! holonomic, not necessary. Checked by `tests/it/analyze.rs`.

use super::check::PIECES;
use super::pfaffian::PfaffianSystem;
use dalembert_expr::{Expr, Residue, Sample, Switch};
use rustc_hash::FxHashMap;

/// Forms over more speeds than this are not examined in a frame of quasi-velocities.
const MAX_FRAME: usize = 60;

/// What a single form is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Alone {
    pub exact: bool,
    pub integrable: bool,
}

/// Examines one row; `None` if it is not linear, or nothing could be decided.
pub(super) fn alone(setting: &mut PfaffianSystem, row: usize) -> Option<Alone> {
    if setting.rows[row].position.is_some() {
        return Some(Alone { exact: true, integrable: true });
    }
    let form = setting.rows[row].form.clone().filter(|_| setting.closed)?;
    // Time is the index n.
    let n = setting.n;
    let mut omega: FxHashMap<usize, Expr> = form.entries.iter().copied().collect();
    omega.insert(n, form.constant);
    let involved = involved(setting, &form.entries, form.constant)?;
    let mut gradients: FxHashMap<(usize, usize), Expr> = FxHashMap::default(); // (speed, coordinate; n_x is time)
    let n_x = setting.x.len();
    for (&p, &e) in &omega {
        for s in setting.pool.symbols(&[e]) {
            let i = if s == setting.time { Some(n_x) } else { setting.x.iter().position(|x| *x == s) };
            if let Some(i) = i {
                gradients.insert((p, i), setting.pool.diff(e, s));
            }
        }
    }
    let mut wanted: Vec<Expr> = omega.values().chain(gradients.values()).copied().collect();
    wanted.extend(setting.drift.iter().chain(setting.frame.iter().flatten().flatten().map(|(_, e)| e)));
    wanted.extend(
        setting.structure.entries.iter().map(|c| c.3).chain(setting.structure.with_time.iter().map(|c| c.2)),
    );
    let mut result = Alone { exact: true, integrable: true };
    let count = if Switch::is_piecewise(&setting.pool, &wanted) { PIECES } else { 2 };
    for k in 0..count {
        let mut sample = setting.anywhere(k, 11 + k as u64, &wanted)?;
        let (w, d) = at_point(setting, &mut sample, &omega, &gradients, &involved)?;
        let f = sample.field();
        result.exact &= d.iter().flatten().all(|v| v.is_zero());
        let Some(a) = w.iter().position(|v| !v.is_zero()) else { continue };
        let scale = f.recip(w[a])?;
        let ratio: Vec<Residue> = w.iter().map(|v| f.mul(*v, scale)).collect();
        let m = involved.len();
        result.integrable &= (0..m).all(|b| {
            (0..b).all(|c| {
                let mixed = f.add(f.mul(ratio[b], d[a][c]), f.mul(ratio[c], d[b][a]));
                f.sub(d[b][c], mixed).is_zero()
            })
        });
    }
    Some(result)
}

/// The directions in which a form or its derivative may have components.
fn involved(setting: &mut PfaffianSystem, entries: &[(usize, Expr)], constant: Expr) -> Option<Vec<usize>> {
    if setting.frame.is_some() {
        return (setting.n <= MAX_FRAME).then(|| (0..=setting.n).collect());
    }
    let exprs: Vec<Expr> = entries.iter().map(|(_, e)| *e).chain([constant]).collect();
    let symbols = setting.pool.symbols(&exprs);
    let occurs = |i: &usize| symbols.contains(&setting.x[*i]) || entries.iter().any(|(p, _)| p == i);
    Some((0..setting.n).filter(occurs).chain([setting.n]).collect())
}

/// omega and d omega over the directions involved.
fn at_point(
    setting: &PfaffianSystem,
    sample: &mut Sample,
    omega: &FxHashMap<usize, Expr>,
    gradients: &FxHashMap<(usize, usize), Expr>,
    involved: &[usize],
) -> Option<(Vec<Residue>, Vec<Vec<Residue>>)> {
    let f = sample.field();
    let (n, n_x) = (setting.n, setting.x.len());
    let mut one = |e: Expr| sample.values(&setting.pool, &[e]).map(|v| v[0]);
    let mut w = vec![Residue::ZERO; n + 1];
    for (&p, &e) in omega {
        w[p] = one(e)?;
    }
    // X_a as a vector over (x, t).
    let mut field = vec![vec![Residue::ZERO; n_x + 1]; n + 1];
    match &setting.frame {
        None => (0..n).for_each(|p| field[p][p] = f.one()),
        Some(frame) => {
            for (i, row) in frame.iter().enumerate() {
                for (p, e) in row {
                    field[*p][i] = one(*e)?;
                }
            }
        }
    }
    for (i, e) in setting.drift.iter().enumerate() {
        field[n][i] = one(*e)?;
    }
    field[n][n_x] = f.one();
    let m = involved.len();
    let mut d = vec![vec![Residue::ZERO; m]; m];
    for ((p, i), e) in gradients {
        let Some(b) = involved.iter().position(|q| q == p) else { continue };
        let slope = one(*e)?;
        for (a, &q) in involved.iter().enumerate() {
            let term = f.mul(field[q][*i], slope); // X_a omega_b
            d[a][b] = f.add(d[a][b], term);
            d[b][a] = f.sub(d[b][a], term);
        }
    }
    let place = |q: usize| involved.iter().position(|p| *p == q);
    for (q, p, r, c) in &setting.structure.entries {
        if let (Some(a), Some(b)) = (place(*q), place(*p)) {
            d[a][b] = f.sub(d[a][b], f.mul(one(*c)?, w[*r]));
        }
    }
    for (p, r, c) in &setting.structure.with_time {
        if let (Some(a), Some(b)) = (place(n), place(*p)) {
            let term = f.mul(one(*c)?, w[*r]);
            d[a][b] = f.sub(d[a][b], term);
            d[b][a] = f.add(d[b][a], term);
        }
    }
    Some((involved.iter().map(|&p| w[p]).collect(), d))
}
