//! Rule 3: a particle in curved coordinates.
//!
//! ```text
//! g = M/m flat:   R_ijkl = 1/2 (d_jk g_il + d_il g_jk - d_ik g_jl - d_jl g_ik) + g^mn (G_m,jk G_n,il - G_m,jl G_n,ik) = 0
//! mobility of V:  K = J (M^-1 - M^-1 A^T (A M^-1 A^T)^+ A M^-1) J^T = (1/m) times a projection
//! N^2 = m lambda^T A M^-1 A^T lambda
//! ```

use super::surface::{between, slide_along};
use super::{EQUAL, View, inverted};
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Function, Pool, Rational, Symbol, Zero};
use dalembert_linalg::{Cod, RANK_TOL, cholesky, solve_lower};

/// The map from multipliers to the components of the normal force.
pub(super) fn normal_force(model: &mut Workspace, k: usize, views: &[View]) -> Option<Vec<Vec<Expr>>> {
    let rows = model.form.contacts[k].rows.clone();
    // State variables and discrete values stand behind the coordinates and change nothing here.
    let in_rates = model.system.frame.speeds.iter().enumerate().all(|(p, speed)| speed.rate_of == Some(p));
    if (model.form.frame.is_some() && !in_rates) || rows.len() > 2 {
        return None;
    }
    let n = views[0].n;
    let slid: Vec<usize> = (0..n).filter(|&p| views.iter().any(|v| v.slides_on(k, p))).collect();
    let pressed: Vec<usize> = (0..n).filter(|&p| views.iter().any(|v| v.presses_on(&rows, p))).collect();
    // All that is touched, or what belongs to the point that slides: the constraint may press on another body as well.
    let all = whole(model, slid.iter().chain(&pressed).copied().collect());
    let mut own = whole(model, slid);
    let alike = |model: &Workspace, p: usize, own: &[usize]| {
        own.iter().any(|&q| model.form.mass_matrix.get(p, p) == model.form.mass_matrix.get(q, q))
    };
    let more: Vec<usize> =
        pressed.into_iter().filter(|&p| !own.contains(&p) && alike(model, p, &own)).collect();
    own.extend(more);
    own.sort_unstable();
    of_particle(model, k, views, &all)
        .or_else(|| if own == all { None } else { of_particle(model, k, views, &own) })
}

/// With the speeds that share inertia with these, or whose inertia depends on their coordinates, or the other way round.
fn whole(model: &mut Workspace, mut speeds: Vec<usize>) -> Vec<usize> {
    speeds.sort_unstable();
    speeds.dedup();
    let mut next = 0;
    while next < speeds.len() {
        let q = speeds[next];
        next += 1;
        for p in 0..model.form.speeds.len() {
            let depends = |model: &mut Workspace, p: usize, q: usize| {
                let (e, own) = (model.form.mass_matrix.get(p, p), model.form.coordinates[q]);
                model.system.pool.depends_on(e, &[own])
            };
            if !speeds.contains(&p)
                && (model.form.mass_matrix.get(p, q) != Pool::ZERO
                    || depends(model, p, q)
                    || depends(model, q, p))
            {
                speeds.push(p);
            }
        }
    }
    speeds.sort_unstable();
    speeds
}

/// If these speeds are those of a particle.
fn of_particle(model: &mut Workspace, k: usize, views: &[View], speeds: &[usize]) -> Option<Vec<Vec<Expr>>> {
    let (rows, n) = (model.form.contacts[k].rows.clone(), views[0].n);
    if speeds.len() < 2 || speeds.len() > 3 {
        return None;
    }
    let symbols: Vec<Symbol> = speeds.iter().map(|&p| model.form.coordinates[p]).collect();
    let metric: Vec<Vec<Expr>> =
        speeds.iter().map(|&i| speeds.iter().map(|&j| model.form.mass_matrix.get(i, j)).collect()).collect();
    let alone = (0..n).filter(|p| !speeds.contains(p)).all(|p| {
        let other = model.form.coordinates[p];
        let apart = speeds.iter().all(|&q| model.form.mass_matrix.get(p, q) == Pool::ZERO);
        apart && !metric.iter().flatten().any(|e| model.system.pool.depends_on(*e, &[other]))
    });
    if !alone || !views.iter().all(|v| is_flat(model, v, &metric, &symbols)) {
        return None;
    }
    let inverse = model.system.pool.regular_inverse(&metric, &[])?;
    slide_along(model, k, speeds, &inverse, views)?;
    let mass = shown_mass(model, k, views, &metric, &inverse, speeds)?;
    let pool = &mut model.system.pool;
    let entry = |r: usize, p: usize| {
        model.form.constraint_matrix[r].iter().find(|(q, _)| *q == p).map_or(Pool::ZERO, |(_, e)| *e)
    };
    let mut gram = |r: usize, s: usize| {
        let mut terms = Vec::new();
        for (i, &p) in speeds.iter().enumerate() {
            for (j, &q) in speeds.iter().enumerate() {
                let factors = [mass, entry(r, p), inverse[i][j], entry(s, q)].map(|e| (e, Rational::ONE));
                terms.push(pool.product(factors));
            }
        }
        let total = pool.total(terms);
        pool.simplify(total)
    };
    let first = rows.start;
    let g11 = gram(first, first);
    if rows.len() == 1 {
        return Some(vec![vec![model.system.pool.sqrt(g11)]]);
    }
    // R^T R = G by rows.
    let (g12, g22) = (gram(first, first + 1), gram(first + 1, first + 1));
    let r11 = pool.sqrt(g11);
    // A row without a gradient exerts no force, whatever its multiplier.
    let r12 = if r11 == Pool::ZERO { Pool::ZERO } else { pool.div(g12, r11) };
    let square = pool.mul(r12, r12);
    let rest = pool.sub(g22, square);
    let rest = pool.simplify(rest);
    let rest = pool.call(Function::Max, &[rest, Pool::ZERO]);
    let r22 = pool.sqrt(rest);
    Some(vec![vec![r11, r12], vec![Pool::ZERO, r22]])
}

/// The mass by which the sliding velocity answers forces: 1/(J M^-1 J^T) of a component that shows it, or one of the
/// model's parameters, or one.
fn shown_mass(
    model: &mut Workspace,
    k: usize,
    views: &[View],
    metric: &[Vec<Expr>],
    inverse: &[Vec<Expr>],
    speeds: &[usize],
) -> Option<Expr> {
    let masses: Option<Vec<f64>> = views.iter().map(|v| mobility_mass(v, k)).collect();
    let masses = masses?;
    let equal = |value: f64| (value - masses[0]).abs() <= EQUAL * masses[0];
    if !masses.iter().all(|m| equal(*m)) {
        return None;
    }
    for i in 0..model.form.contacts[k].matrix.len() {
        let J: Vec<Expr> = speeds.iter().map(|&p| model.form.contacts[k].matrix[i][p]).collect();
        let mobility = between(&mut model.system.pool, &J, inverse, &J);
        if views.iter().all(|v| equal(1.0 / v.evaluate(model, mobility))) {
            return Some(model.system.pool.div(Pool::ONE, mobility));
        }
    }
    let values = model.compiled.parameters().to_vec();
    let mut factors = false;
    for (i, value) in values.iter().enumerate() {
        let parameter = model.form.parameters[i];
        let pool = &mut model.system.pool;
        let own = pool.var(parameter);
        let proportional = metric.iter().flatten().all(|e| {
            let slope = pool.diff(*e, parameter);
            let whole = pool.mul(own, slope);
            let left = pool.sub(whole, *e);
            pool.is_zero(left) == Zero::Yes
        });
        if proportional && equal(*value) {
            return Some(own);
        }
        factors |= proportional;
    }
    // A mass of one need not be written.
    (!factors && equal(1.0)).then_some(Pool::ONE)
}

/// 1/s if the mobility K of the sliding velocity is s times a projection.
fn mobility_mass(v: &View, k: usize) -> Option<f64> {
    let n = v.n;
    let mut L = v.terms.M.clone();
    cholesky(&mut L, n).ok()?;
    let m = v.terms.b.len();
    let mut B = v.terms.A.clone();
    (0..m).for_each(|i| solve_lower(&L, n, &mut B[i * n..(i + 1) * n]));
    let mut cod = Cod::new(m, n);
    cod.factor(&B, RANK_TOL);
    // The free part of each component: y - B^+ B y with y = L^-1 J^T.
    let free: Vec<Vec<f64>> = v
        .sliding(k)
        .iter()
        .map(|a| {
            let mut y = a.to_vec();
            solve_lower(&L, n, &mut y);
            let along: Vec<f64> =
                (0..m).map(|i| B[i * n..(i + 1) * n].iter().zip(&y).map(|(b, y)| b * y).sum()).collect();
            let mut held = vec![0.0; n];
            cod.solve(&along, &mut held);
            y.iter().zip(&held).map(|(y, h)| y - h).collect()
        })
        .collect();
    let K = |i: usize, j: usize| free[i].iter().zip(&free[j]).map(|(a, b)| a * b).sum::<f64>();
    let d = free.len();
    let square = |i: usize, j: usize| (0..d).map(|l| K(i, l) * K(l, j)).sum::<f64>();
    let (trace, trace_square): (f64, f64) =
        ((0..d).map(|i| K(i, i)).sum(), (0..d).map(|i| square(i, i)).sum());
    let s = trace_square / trace;
    let projection = (0..d).all(|i| (0..d).all(|j| (square(i, j) - s * K(i, j)).abs() <= 1e-8 * s * s));
    (s > 0.0 && s.is_finite() && projection).then_some(1.0 / s)
}

/// Whether the metric has no curvature at a state.
fn is_flat(model: &mut Workspace, v: &View, metric: &[Vec<Expr>], x: &[Symbol]) -> bool {
    let d = x.len();
    let mut g = vec![0.0; d * d];
    let mut dg = vec![0.0; d * d * d];
    let mut ddg = vec![0.0; d * d * d * d];
    for i in 0..d {
        for j in 0..d {
            g[i * d + j] = v.evaluate(model, metric[i][j]);
            for k in 0..d {
                let slope = model.system.pool.diff(metric[i][j], x[k]);
                dg[(i * d + j) * d + k] = v.evaluate(model, slope);
                for l in 0..d {
                    let second = model.system.pool.diff(slope, x[l]);
                    ddg[((i * d + j) * d + k) * d + l] = v.evaluate(model, second);
                }
            }
        }
    }
    let Some(inverse) = inverted(&g, d) else { return false };
    let D = |i: usize, j: usize, k: usize| dg[(i * d + j) * d + k];
    let DD = |i: usize, j: usize, k: usize, l: usize| ddg[((i * d + j) * d + k) * d + l];
    let G = |m: usize, j: usize, k: usize| 0.5 * (D(m, k, j) + D(m, j, k) - D(j, k, m));
    let (mut worst, mut size) = (0.0_f64, 0.0_f64);
    for i in 0..d {
        for j in 0..i {
            for k in 0..d {
                for l in 0..k {
                    let second = [DD(i, l, j, k), DD(j, k, i, l), -DD(j, l, i, k), -DD(i, k, j, l)];
                    let mut R = 0.5 * second.iter().sum::<f64>();
                    size = second.iter().fold(size, |s, v| s.max(v.abs()));
                    for m in 0..d {
                        for n in 0..d {
                            let parts = [G(m, j, k) * G(n, i, l), -G(m, j, l) * G(n, i, k)];
                            R += inverse[m * d + n] * (parts[0] + parts[1]);
                            size = parts.iter().fold(size, |s, v| s.max((inverse[m * d + n] * v).abs()));
                        }
                    }
                    worst = worst.max(R.abs());
                }
            }
        }
    }
    worst <= 1e-8 * size || worst == 0.0
}
