//! The functions that integrable constraints keep constant.
//!
//! F is an integral of the rows if its differential lies in their span: `v(F) = 0` for every vector v that keeps them. That
//! is linear in F, so integrals are sought as combinations `F = sum c_k m_k` of candidate terms m_k: antiderivatives of the
//! rows' own terms, coordinates, logarithms, products and quotients. The c_k span a null space modulo a prime, found at
//! random points; fractions are recovered from it and the result is confirmed with another prime. No integrating factor
//! is needed: it comes with the span. A combination of logarithms is written as a product of powers.
//!
//! What is not found this way may still exist: the number of integrals is known from the closure, their form is not.

use super::candidates::{Candidates, MAX_CANDIDATES};
use super::check::PIECES;
use super::pfaffian::PfaffianSystem;
use super::surface::jumps;
use dalembert_expr::echelon::{Echelon, dot};
use dalembert_expr::{Expr, Function, Node, Pool, Rational, Residue, Sample, Switch, Symbol};

/// Gradients of one candidate: (coordinate, slope), time after the coordinates.
type Slopes = Vec<(usize, Expr)>;

/// As many independent integrals of the rows as are wanted and found; those already known come first.
pub(super) fn integrals(
    setting: &mut PfaffianSystem,
    rows: &[usize],
    wanted: usize,
    known: &[Expr],
) -> Vec<Expr> {
    let mut found: Vec<Expr> = Vec::new();
    for &e in known {
        if found.len() < wanted {
            keep_independent(setting, &mut found, e);
        }
    }
    let mut candidates = Candidates::of(setting, rows);
    while found.len() < wanted
        && let Some(terms) = candidates.next_stage(setting)
    {
        if terms.len() > MAX_CANDIDATES {
            continue;
        }
        for e in combinations(setting, rows, &terms).unwrap_or_default() {
            if found.len() < wanted && is_integral(setting, rows, e) {
                let e = defined_at_start(setting, rows, e);
                keep_independent(setting, &mut found, e);
            }
        }
    }
    found
}

/// A form of an integral that the model's start has a value of: products for sums of logarithms, reciprocals, or
/// logarithms of absolute values. As it was where none is found.
fn defined_at_start(setting: &mut PfaffianSystem, rows: &[usize], e: Expr) -> Expr {
    if has_value(setting, e) {
        return e;
    }
    let pool = &mut setting.pool;
    let mut forms = Vec::new();
    let terms = match pool.node(e).clone() {
        Node::Sum(_, terms) => terms.to_vec(),
        _ => vec![(e, Rational::ONE)],
    };
    let argument = |pool: &Pool, e: Expr| match pool.node(e) {
        Node::Call(Function::Log, args) => Some(args[0]),
        _ => None,
    };
    let (logs, rest): (Vec<_>, Vec<_>) = terms.into_iter().partition(|(t, _)| argument(pool, *t).is_some());
    if !logs.is_empty() {
        let turned = logs.iter().all(|(_, c)| c.is_negative());
        let signs = [Rational::ONE, Rational::MINUS_ONE];
        for sign in if turned { [&signs[1], &signs[0]] } else { [&signs[0], &signs[1]] } {
            let exponent: Vec<(Expr, Rational)> = rest.iter().map(|(t, c)| (*t, c * sign)).collect();
            let exponent = pool.combine(exponent);
            let mut factors = vec![(pool.call1(Function::Exp, exponent), Rational::ONE)];
            factors.extend(logs.iter().filter_map(|(t, c)| Some((argument(pool, *t)?, c * sign))));
            forms.push(pool.product(factors));
        }
        let mut parts = rest;
        for (t, c) in logs {
            let inside = argument(pool, t).map_or(t, |u| pool.call1(Function::Abs, u));
            parts.push((pool.call1(Function::Log, inside), c));
        }
        forms.push(pool.combine(parts));
    }
    forms.push(pool.powi(e, -1));
    forms.into_iter().find(|e| has_value(setting, *e) && is_integral(setting, rows, *e)).unwrap_or(e)
}

/// Is the expression a finite number at the model's start?
fn has_value(setting: &mut PfaffianSystem, e: Expr) -> bool {
    let Some(start) = setting.start.clone() else { return true };
    let closed = setting.pool.substitute(&[e], &setting.parameters)[0];
    let inputs: Vec<Symbol> = setting.x.iter().copied().chain([setting.time]).collect();
    let program = setting.pool.lower(&inputs, &[closed]);
    let (mut registers, mut out) = (vec![0.0; program.register_count()], [0.0]);
    program.run(&start, &mut registers, &mut out);
    out[0].is_finite()
}

/// Is `v(F) = 0` for the vectors that keep the rows, at points of all primes?
pub(super) fn is_integral(setting: &mut PfaffianSystem, rows: &[usize], e: Expr) -> bool {
    let slopes = slopes(setting, e);
    let wanted: Vec<Expr> = slopes.iter().map(|(_, e)| *e).collect();
    let closed = setting.pool.substitute(&[e], &setting.parameters)[0];
    let symbols: Vec<Symbol> = setting.x.iter().copied().chain([setting.time]).collect();
    if !jumps(&mut setting.pool, &symbols, &[closed]).is_empty() {
        return false;
    }
    let mut all = wanted.clone();
    all.extend(setting.forms().flat_map(|f| f.entries.iter().map(|(_, e)| *e).chain([f.constant])));
    let count = if Switch::is_piecewise(&setting.pool, &all) { PIECES } else { 4 };
    (0..count).all(|k| {
        let Some(mut at) = setting.at(k + 1, 31 + k as u64, rows, &wanted) else { return false };
        at.kernel.iter().all(|v| rate(setting, &mut at.sample, &slopes, v).is_some_and(Residue::is_zero))
    })
}

/// Keeps F if its differential is independent of those before.
fn keep_independent(setting: &mut PfaffianSystem, found: &mut Vec<Expr>, e: Expr) {
    let list: Vec<Slopes> =
        found.iter().chain([&e]).copied().collect::<Vec<_>>().iter().map(|e| slopes(setting, *e)).collect();
    let wanted: Vec<Expr> = list.iter().flatten().map(|(_, e)| *e).collect();
    let frame: Vec<Expr> =
        setting.frame.iter().flatten().flatten().map(|(_, e)| *e).chain(setting.drift.clone()).collect();
    let wanted: Vec<Expr> = wanted.into_iter().chain(frame).collect();
    let Some(mut sample) = setting.point(0, 71, &wanted) else { return };
    let f = sample.field();
    let total = setting.total();
    let mut echelon = Echelon::new(f, total);
    let mut last = false;
    for slopes in &list {
        let unit =
            |p: usize| (0..total).map(|q| if p == q { f.one() } else { Residue::ZERO }).collect::<Vec<_>>();
        let row: Option<Vec<Residue>> =
            (0..total).map(|p| rate(setting, &mut sample, slopes, &unit(p))).collect();
        last = row.is_some_and(|row| echelon.add(row));
    }
    if last {
        found.push(e);
    }
}

fn slopes(setting: &mut PfaffianSystem, e: Expr) -> Slopes {
    let closed = setting.pool.substitute(&[e], &setting.parameters)[0];
    let mut result = Vec::new();
    for s in setting.pool.symbols(&[closed]) {
        let i =
            if s == setting.time { Some(setting.x.len()) } else { setting.x.iter().position(|x| *x == s) };
        if let Some(i) = i {
            let slope = setting.pool.diff(closed, s);
            result.push((i, slope));
        }
    }
    result
}

/// `v(F)`
fn rate(setting: &PfaffianSystem, sample: &mut Sample, slopes: &Slopes, v: &[Residue]) -> Option<Residue> {
    let mut motion = setting.motion(sample, v)?;
    motion.push(v.get(setting.n).copied().unwrap_or_default());
    let values = sample.values(&setting.pool, &slopes.iter().map(|(_, e)| *e).collect::<Vec<_>>())?;
    let along: Vec<Residue> = slopes.iter().map(|(i, _)| motion[*i]).collect();
    Some(dot(sample.field(), &along, &values))
}

/// All combinations of the terms that the rows keep constant, simple ones first.
fn combinations(setting: &mut PfaffianSystem, rows: &[usize], terms: &[Expr]) -> Option<Vec<Expr>> {
    let terms = independent_terms(setting, terms)?;
    let list: Vec<Slopes> = terms.iter().map(|e| slopes(setting, *e)).collect();
    let wanted: Vec<Expr> = list.iter().flatten().map(|(_, e)| *e).collect();
    let mut echelon: Option<Echelon> = None;
    let (mut idle, mut field) = (0, None);
    let piecewise = Switch::is_piecewise(&setting.pool, &wanted);
    for seed in 0.. {
        let mut at = setting.at(0, 101 + seed, rows, &wanted)?;
        let f = at.sample.field();
        field = Some(f);
        let echelon = echelon.get_or_insert_with(|| Echelon::new(f, list.len()));
        let values: Vec<Vec<Residue>> = list
            .iter()
            .map(|s| at.sample.values(&setting.pool, &s.iter().map(|(_, e)| *e).collect::<Vec<_>>()))
            .collect::<Option<_>>()?;
        let before = echelon.rank();
        for v in &at.kernel {
            let mut motion = setting.motion(&mut at.sample, v)?;
            motion.push(v.get(setting.n).copied().unwrap_or_default());
            let entry = |(slopes, values): (&Slopes, &Vec<Residue>)| {
                let along: Vec<Residue> = slopes.iter().map(|(i, _)| motion[*i]).collect();
                dot(f, &along, values)
            };
            echelon.add(list.iter().zip(&values).map(entry).collect());
        }
        idle = if echelon.rank() > before { 0 } else { idle + 1 };
        if idle >= if piecewise { 12 } else { 3 } || echelon.rank() == list.len() {
            break;
        }
    }
    let (echelon, f) = (echelon?, field?);
    let mut result = Vec::new();
    for (_, vector) in echelon.null_space() {
        let nonzero = vector.iter().zip(&terms).filter(|(c, _)| !c.is_zero());
        let parts: Option<Vec<(Expr, Rational)>> =
            nonzero.map(|(c, term)| Some((*term, f.reconstruct(*c)?))).collect();
        result.extend(parts.and_then(|parts| written(&mut setting.pool, &parts)));
    }
    Some(result)
}

/// Terms that are not combinations of earlier ones.
fn independent_terms(setting: &mut PfaffianSystem, terms: &[Expr]) -> Option<Vec<Expr>> {
    let list: Vec<Slopes> = terms.iter().map(|e| slopes(setting, *e)).collect();
    let wanted: Vec<Expr> = list.iter().flatten().map(|(_, e)| *e).collect();
    let n = setting.x.len();
    let mut echelon: Option<Echelon> = None;
    for seed in 0..terms.len() as u64 + 3 {
        let mut sample = setting.anywhere(0, 301 + seed, &wanted)?;
        let echelon = echelon.get_or_insert_with(|| Echelon::new(sample.field(), terms.len()));
        let before = echelon.rank();
        let mut rows = vec![vec![Residue::ZERO; terms.len()]; n + 1];
        for (k, s) in list.iter().enumerate() {
            for (i, e) in s {
                rows[*i][k] = sample.values(&setting.pool, &[*e])?[0];
            }
        }
        for row in rows {
            echelon.add(row);
        }
        if echelon.rank() == before {
            break;
        }
    }
    let mut kept = echelon?.pivots().to_vec();
    kept.sort_unstable();
    Some(kept.into_iter().map(|k| terms[k]).collect())
}

/// The combination with coprime whole coefficients, the first positive; logarithms alone as a product.
fn written(pool: &mut Pool, parts: &[(Expr, Rational)]) -> Option<Expr> {
    let first = &parts.first()?.1;
    let mut content = parts.iter().fold(Rational::ZERO, |g, (_, c)| g.gcd(c));
    if first.is_negative() {
        content = -&content;
    }
    let scale = content.recip()?;
    let scaled: Vec<(Expr, Rational)> = parts.iter().map(|(e, c)| (*e, c * &scale)).collect();
    let inside = |e: Expr| match pool.node(e) {
        Node::Call(Function::Log, args) => Some(args[0]),
        _ => None,
    };
    let logs: Option<Vec<(Expr, Rational)>> =
        scaled.iter().map(|(e, c)| inside(*e).map(|a| (a, c.clone()))).collect();
    Some(match logs {
        Some(factors) => pool.product(factors),
        None => {
            let e = pool.combine(scaled);
            pool.simplify(e)
        }
    })
}
