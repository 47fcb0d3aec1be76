//! Proofs that numbers cannot give: that forces do not know a coordinate, and that a family of equilibria or of steady
//! motions goes on.
//!
//! ```text
//! sum v_i dE/dx_i = 0 identically for every E in the equations      a translation along v is a symmetry
//! dV(x)/dx . (K x + v) = 0 identically, constraints too             rotations and translations of minima
//! Q(x0 + s1 v1 + s2 v2 + ..., 0) = 0 identically                    a flat set of positions of rest (no constraints)
//! T_w^T (Q - M Y) at eta0 + s e                                     at most quadratic in s: zero at five s, so zero
//! ```
//!
//! What is not proved by one of these is not taken for a family.

use super::ignorable::scales;
use super::reduce::Local;
use super::{Linearizer, fixed};
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool, Rational, Symbol, Zero};
use dalembert_linalg::Cod;
use dalembert_run::State;

/// Places along a family of speeds; a quadratic that vanishes at three vanishes everywhere.
const PLACES: [f64; 5] = [-2.0, -0.5, 0.3, 1.0, 50.0];
/// Coordinates up to which rotations of pairs are looked for.
const MAX_ROTATED: usize = 24;
/// Rounding of rates there.
const ROUNDING: f64 = 1e-12;

impl Linearizer {
    /// Whether no force or potential contains the coordinates that were found to be ignorable by values.
    pub(super) fn forces_ignore(&self, model: &mut Workspace, here: &Local, ignorable: &[usize]) -> bool {
        let system = &model.system;
        let mut laws: Vec<Expr> =
            [system.energies.potential, system.energies.lagrangian, system.forces.dissipation]
                .into_iter()
                .flatten()
                .chain(system.forces.applied.iter().copied())
                .chain(system.constraints.nonideal.iter().flatten().copied())
                .collect();
        if system.forces.mass.is_some() {
            laws.extend(&model.form.force);
        }
        if model.form.constraint_matrix.is_empty() {
            laws.extend(system.energies.kinetic); // rolling bodies have their heading in it, without effect
        }
        let symbols: Vec<Symbol> =
            ignorable.iter().map(|j| model.form.coordinates[here.positions.independent[*j]]).collect();
        laws.into_iter().all(|e| {
            !model.system.pool.depends_on(e, &symbols) || {
                let slopes = model.system.pool.gradient(e, &symbols);
                slopes.into_iter().all(|g| vanishes(model, g))
            }
        })
    }

    /// Whether equilibria or steady motions provably go on in every direction of the null space, which has `zeros` dimensions.
    pub(super) fn family(
        &self,
        model: &mut Workspace,
        state: &State,
        here: &Local,
        states: &[usize],
        S: &[f64],
        zeros: usize,
    ) -> bool {
        let r = states.len();
        if self.derivatives.timed || r - Cod::new(r, r).factor(S, 1e-9) != zeros {
            return false; // vectors coincide: motions drift away along the family
        }
        let d_x = here.positions.dimension();
        let split = states.iter().filter(|i| **i < d_x).count();
        let positions = null_space(S, r, 0..split);
        let speeds = null_space(S, r, split..r);
        if positions.len() + speeds.len() != zeros {
            return false; // curved, or mixed
        }
        let along: Vec<Vec<Rational>> = positions
            .iter()
            .map(|v| (0..state.x.len()).map(|i| self.image(here, states, v, i)).map(simple).collect())
            .collect();
        let symmetric = along.iter().all(|v| translates(model, v));
        let proved = symmetric || (speeds.is_empty() && flat(model, state, &along));
        if !proved {
            return false;
        }
        speeds.is_empty() || (quadratic(model) && self.lasts(model, state, here, states, split, &speeds))
    }

    /// What coordinate `i` does when the positions among the states move along `v`.
    fn image(&self, here: &Local, states: &[usize], v: &[f64], i: usize) -> f64 {
        states.iter().zip(v).map(|(c, v)| here.directions[[i, *c]] * v).sum()
    }

    /// Rates vanish with other speeds at the same place.
    fn lasts(
        &self,
        model: &Workspace,
        state: &State,
        here: &Local,
        states: &[usize],
        split: usize,
        speeds: &[Vec<f64>],
    ) -> bool {
        let (n_x, d_x) = (state.x.len(), here.positions.dimension());
        let (same, scale) = (fixed(model, here), scales(here));
        let fastest = state.eta.iter().fold(1.0f64, |m, v| m.max(v.abs()));
        // Directions and their sums: the quadratic form has mixed terms.
        let mut list = speeds.to_vec();
        for (a, b) in (0..speeds.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
            list.push(speeds[a].iter().zip(&speeds[b]).map(|(a, b)| a + b).collect());
        }
        list.iter().all(|v| {
            PLACES.iter().all(|s| {
                let mut there = state.clone();
                for (p, value) in there.eta.iter_mut().enumerate() {
                    let row = here.directions.row(n_x + p);
                    *value += s
                        * fastest
                        * states[split..].iter().zip(&v[split..]).map(|(c, v)| row[*c] * v).sum::<f64>();
                }
                let w = &here.speeds.independent;
                let Some(there) = model.on_constraints(&there, &state.x, &here.positions.independent, w)
                else {
                    return false;
                };
                let Some(there) = self.plain(model, &there, &same) else { return false };
                let size = (1.0 + s.abs()) * (1.0 + s.abs()) * fastest;
                states.iter().all(|i| there.rates[*i].abs() <= ROUNDING * size * scale[*i])
                    && there.positions.dimension() == d_x
            })
        })
    }
}

/// A basis of the vectors in some columns that S maps to nothing, in reduced form, as full vectors.
fn null_space(S: &[f64], r: usize, columns: std::ops::Range<usize>) -> Vec<Vec<f64>> {
    let n = columns.len();
    if n == 0 {
        return Vec::new();
    }
    let part: Vec<f64> = S.chunks(r).flat_map(|row| row[columns.clone()].to_vec()).collect();
    let mut cod = Cod::new(r, n);
    let rank = match part.iter().all(|v| *v == 0.0) {
        true => 0,
        false => cod.factor(&part, 1e-9),
    };
    let mut rows: Vec<Vec<f64>> = (0..n - rank)
        .map(|k| {
            let mut v = vec![0.0; n];
            match rank {
                0 => v[k] = 1.0,
                _ => cod.lq.null_vector(k, &mut v),
            }
            v
        })
        .collect();
    for k in 0..rows.len() {
        let Some(c) = (0..n).max_by(|a, b| rows[k][*a].abs().total_cmp(&rows[k][*b].abs())) else { break };
        let pivot = rows[k][c];
        rows[k].iter_mut().for_each(|v| *v /= pivot);
        let row = rows[k].clone();
        for (_, other) in rows.iter_mut().enumerate().filter(|(j, _)| *j != k) {
            let factor = other[c];
            other.iter_mut().zip(&row).for_each(|(v, w)| *v -= factor * w);
        }
    }
    rows.into_iter()
        .map(|v| {
            let mut full = vec![0.0; r];
            full[columns.clone()].copy_from_slice(&v);
            full
        })
        .collect()
}

/// The fraction with a small denominator that a number is meant to be, or the number.
fn simple(v: f64) -> Rational {
    let near = (1..=60i64).find_map(|q| {
        let p = (v * q as f64).round();
        ((v * q as f64 - p).abs() < 1e-9 && p.abs() < 1e9).then(|| Rational::new(p as i64, q)).flatten()
    });
    near.or_else(|| Rational::from_f64(v)).unwrap_or(Rational::ZERO)
}

/// Zero for all values of what occurs in it, or for these values of the parameters.
fn vanishes(model: &mut Workspace, e: Expr) -> bool {
    if model.system.pool.is_zero(e) == Zero::Yes {
        return true;
    }
    let values = model.compiled.parameters().to_vec();
    let pool = &mut model.system.pool;
    let mut images = Vec::new();
    for (s, v) in model.form.parameters.iter().zip(values) {
        let Some(v) = Rational::from_f64(v) else { return false };
        images.push((*s, pool.number(v)));
    }
    let with = pool.substitute(&[e], &images)[0];
    pool.is_zero(with) == Zero::Yes
}

/// Everything in the equations of motion.
fn equations(model: &Workspace) -> Vec<Expr> {
    let form = &model.form;
    let mut all: Vec<Expr> = form.mass_matrix.entries().map(|(_, _, e)| e).collect();
    all.extend(
        form.force.iter().chain(&form.x_dot).chain(&form.constraint_right).chain(&form.velocity_residuals),
    );
    all.extend(form.constraint_matrix.iter().flatten().map(|(_, e)| *e));
    all.extend(form.position_residuals.iter().flatten().chain(form.nonideal.iter().flatten()));
    all.extend(form.frame.iter().flatten().flatten());
    all
}

/// Whether nothing in the equations changes along a direction of the coordinates.
fn translates(model: &mut Workspace, v: &[Rational]) -> bool {
    let symbols = model.form.coordinates.clone();
    equations(model).into_iter().all(|e| {
        if !model.system.pool.depends_on(e, &symbols) {
            return true;
        }
        let slopes = model.system.pool.gradient(e, &symbols);
        let along = model.system.pool.combine(slopes.into_iter().zip(v.iter().cloned()));
        vanishes(model, along)
    })
}

/// Whether translations and rotations that provably change neither the potential energy (V - T0) nor the constraints lead from a
/// state in each of these directions. For speeds that are rates.
pub(super) fn symmetric_along(model: &mut Workspace, state: &State, along: &[Vec<f64>]) -> bool {
    let form = &model.form;
    let (n, x) = (form.coordinates.len(), form.coordinates.clone());
    if form.frame.is_some() || !form.invariants.is_empty() || n > MAX_ROTATED {
        return false;
    }
    let rest: Vec<(Symbol, Expr)> = form.speeds.iter().map(|s| (*s, Pool::ZERO)).collect();
    let mut kept: Vec<Expr> = form.position_residuals.iter().flatten().copied().collect();
    let system = &mut model.system;
    let energies = [system.energies.kinetic, system.energies.potential, system.energies.lagrangian];
    kept.extend(system.pool.substitute(&energies.into_iter().flatten().collect::<Vec<_>>(), &rest));
    let slopes: Vec<Vec<Expr>> = kept.iter().map(|e| system.pool.gradient(*e, &x)).collect();
    let mut tangents: Vec<Vec<f64>> = Vec::new();
    for v in along {
        let v: Vec<Rational> = v.iter().copied().map(simple).collect();
        let unchanged = slopes.iter().all(|slopes| {
            let change = model.system.pool.combine(slopes.iter().copied().zip(v.iter().cloned()));
            vanishes(model, change)
        });
        if unchanged {
            tangents.push(v.iter().map(Rational::to_f64).collect());
        }
    }
    for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
        let unchanged = slopes.iter().all(|slopes| {
            let pool = &mut model.system.pool;
            let (a, b) = (pool.var(x[i]), pool.var(x[j]));
            let (turn, back) = (pool.mul(a, slopes[j]), pool.mul(b, slopes[i]));
            let change = pool.combine([(turn, Rational::ONE), (back, Rational::MINUS_ONE)]);
            vanishes(model, change)
        });
        if unchanged {
            let mut v = vec![0.0; n];
            (v[j], v[i]) = (state.x[i], -state.x[j]);
            tangents.push(v);
        }
    }
    // Each direction must be a combination of these.
    let rank = |rows: &[Vec<f64>]| match rows.iter().flatten().all(|v| *v == 0.0) {
        true => 0,
        false => Cod::new(rows.len(), n).factor(&rows.concat(), 1e-9),
    };
    let all: Vec<Vec<f64>> = tangents.iter().chain(along).cloned().collect();
    rank(&tangents) == rank(&all)
}

/// Whether no force acts at rest anywhere in the flat set through a state. Without constraints only.
fn flat(model: &mut Workspace, state: &State, along: &[Vec<Rational>]) -> bool {
    let form = &model.form;
    let free = form.constraint_matrix.is_empty() && form.nonideal.is_none() && form.invariants.is_empty();
    if !free || state.eta.iter().any(|v| *v != 0.0) {
        return false;
    }
    let (coordinates, speeds) = (form.coordinates.clone(), form.speeds.clone());
    let pool = &mut model.system.pool;
    let places: Vec<Expr> = (0..along.len()).map(|k| pool.named(&format!("place {k} in a family"))).collect();
    let mut images: Vec<(Symbol, Expr)> = speeds.iter().map(|s| (*s, Pool::ZERO)).collect();
    for (i, symbol) in coordinates.iter().enumerate() {
        let Some(x) = Rational::from_f64(state.x[i]) else { return false };
        let mut parts = vec![(pool.number(x), Rational::ONE)];
        parts.extend(places.iter().zip(along).map(|(s, v)| (*s, v[i].clone())));
        images.push((*symbol, pool.combine(parts)));
    }
    let mut laws = model.form.force.clone();
    laws.extend(&model.form.x_dot);
    let there = model.system.pool.substitute(&laws, &images);
    there.into_iter().all(|e| vanishes(model, e))
}

/// Whether forces are polynomials of the second degree in the speeds and rows are linear in them.
fn quadratic(model: &mut Workspace) -> bool {
    let speeds = model.form.speeds.clone();
    let system = &mut model.system;
    if system.forces.mass.is_some()
        || system.constraints.nonideal.is_some()
        || system.energies.kinetic.is_none()
    {
        return false;
    }
    let mut constant: Vec<Expr> = model.form.mass_matrix.entries().map(|(_, _, e)| e).collect();
    constant.extend(model.form.constraint_matrix.iter().flatten().map(|(_, e)| *e));
    constant.extend(model.form.frame.iter().flatten().flatten());
    // Second derivatives of the dissipation and of forces.
    for e in system.forces.applied.clone() {
        if system.pool.depends_on(e, &speeds) {
            constant.extend(system.pool.gradient(e, &speeds));
        }
    }
    if let Some(R) = system.forces.dissipation {
        let slopes = system.pool.gradient(R, &speeds);
        slopes.into_iter().for_each(|g| constant.extend(system.pool.gradient(g, &speeds)));
    }
    constant.into_iter().all(|e| !system.pool.depends_on(e, &speeds))
}
