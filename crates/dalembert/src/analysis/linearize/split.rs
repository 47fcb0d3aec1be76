//! Mass, damping and stiffness: `M q'' + D q' + K q = 0` in independent coordinates, where there is such a form.
//!
//! It exists where every speed that takes part is the rate of an independent coordinate, and every other state leaves
//! these coordinates alone. Speeds that are left out are eliminated from the equations of motion (their accelerations, not
//! their values): `M - M_qo M_oo^-1 M_oq`, and B likewise.

use super::reduce::Local;
use crate::workspace::Workspace;
use dalembert_linalg::Lu;

/// `M q'' + D q' + K q = 0`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Split {
    /// q.
    pub coordinates: Vec<String>,
    /// M, row-major.
    pub mass: Vec<f64>,
    /// D: dissipative and gyroscopic forces together.
    pub damping: Vec<f64>,
    /// K: conservative and circulatory forces together.
    pub stiffness: Vec<f64>,
}

/// In the coordinates asked for, or in all whose rates are independent speeds.
pub(super) fn split(
    model: &Workspace,
    here: &Local,
    chosen: &[usize],
    states: &[String],
) -> Result<Split, String> {
    let (d, d_x) = (here.dimension(), here.positions.dimension());
    let rate_of = |p: usize| model.system.frame.speeds[p].rate_of;
    let place = |i: usize| here.positions.independent.iter().position(|k| *k == i);
    let mut pairs: Vec<(usize, usize)> = Vec::new(); // (state of q, place of its speed)
    for (k, &p) in here.speeds.independent.iter().enumerate() {
        match rate_of(p).and_then(|i| Some((i, place(i)?))) {
            Some((i, c)) if chosen.is_empty() || chosen.contains(&i) => pairs.push((c, k)),
            _ if !chosen.is_empty() => {}
            _ => {
                return Err(format!(
                    "`{}` is not a rate of an independent coordinate",
                    model.system.frame.speeds[p].name
                ));
            }
        }
    }
    if let Some(&i) =
        chosen.iter().find(|i| !pairs.iter().any(|(c, _)| here.positions.independent[*c] == **i))
    {
        return Err(format!(
            "the rate of `{}` is not an independent speed",
            model.system.frame.coordinates[i].name
        ));
    }
    if pairs.is_empty() {
        return Err("nothing is free to move".to_owned());
    }
    if !chosen.is_empty() {
        pairs.sort_by_key(|(c, _)| chosen.iter().position(|i| *i == here.positions.independent[*c]));
    }
    let inside = |j: usize| pairs.iter().any(|(c, k)| *c == j || d_x + *k == j);
    let (mass, B) = eliminated(here, &pairs)?;
    for row in 0..pairs.len() {
        if let Some(j) = (0..d).find(|j| !inside(*j) && B[row * d + j] != 0.0) {
            let name = &model.system.frame.coordinates[here.positions.independent[pairs[row].0]].name;
            return Err(format!("`{name}''` depends on `{}` too", states[j]));
        }
    }
    let n = pairs.len();
    let pick = |column: &dyn Fn(usize) -> usize| -> Vec<f64> {
        (0..n * n).map(|e| -B[(e / n) * d + column(e % n)] + 0.0).collect()
    };
    Ok(Split {
        coordinates: pairs.iter().map(|(c, _)| states[*c].clone()).collect(),
        damping: pick(&|j| d_x + pairs[j].1),
        stiffness: pick(&|j| pairs[j].0),
        mass,
    })
}

/// M and B of the speeds in `pairs`, accelerations of the other speeds eliminated.
fn eliminated(here: &Local, pairs: &[(usize, usize)]) -> Result<(Vec<f64>, Vec<f64>), String> {
    let (d, d_w, n) = (here.dimension(), here.speeds.dimension(), pairs.len());
    let others: Vec<usize> = (0..d_w).filter(|k| !pairs.iter().any(|(_, q)| q == k)).collect();
    let M = |i: usize, j: usize| here.mass[[i, j]];
    let mut mass: Vec<f64> = (0..n * n).map(|e| M(pairs[e / n].1, pairs[e % n].1)).collect();
    let mut B: Vec<f64> = pairs.iter().flat_map(|(_, k)| here.B.row(*k).to_vec()).collect();
    let o = others.len();
    let mut lu = Lu::new(o);
    (0..o * o).for_each(|e| lu.matrix(o)[e] = M(others[e / o], others[e % o]));
    lu.factor(1e-13).map_err(|_| "the mass matrix of the speeds left out is singular".to_owned())?;
    for row in 0..n {
        // M_qo M_oo^-1, by symmetry of M_oo.
        let mut factor: Vec<f64> = others.iter().map(|k| M(pairs[row].1, *k)).collect();
        if factor.iter().all(|v| *v == 0.0) {
            continue;
        }
        lu.solve(&mut factor);
        for (f, k) in factor.iter().zip(&others) {
            (0..n).for_each(|j| mass[row * n + j] -= f * M(*k, pairs[j].1));
            for j in 0..d {
                let (own, share) = (B[row * d + j], f * here.B[[*k, j]]);
                let left = own - share;
                // What cancels to rounding is nothing.
                B[row * d + j] = if left.abs() <= 1e-13 * (own.abs() + share.abs()) { 0.0 } else { left };
            }
        }
    }
    Ok((mass, B))
}
