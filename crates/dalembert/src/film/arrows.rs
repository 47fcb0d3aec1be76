//! Generalised forces as forces at the points that are drawn.
//!
//! A force F_i at each point P_i has the generalised force `Q = sum of J_i^T F_i` with `J_i = dP_i'/d eta`. Given Q of
//! one kind, the arrows are the forces with the least sum of squares among those that come nearest to Q (in the
//! Euclidean norm of the generalised forces): `F = (J^T)^+ Q`. For particles in right-angled coordinates they are the forces themselves. What
//! is left of Q has no point to act at (a couple on a body of which one point is drawn); its share is told.
//!
//! Speeds and points fall into groups that have nothing to do with each other, so that large systems of particles take
//! small matrices.

use super::{Film, Layout, Tape};
use crate::kernel_form::Places;
use crate::model::Model;
use crate::simulate::{KINDS, Motion, forces_of};
use dalembert_expr::Expr;
use dalembert_run::State;
use dalembert_run::linalg::{Cod, RANK_TOL};
use rustc_hash::FxHashMap;

/// Multiplications that the arrows of a film may take.
const MAX_ARROW_WORK: f64 = 4e9;
/// Arrows of a kind whose largest is below this share of the largest of all are rounding.
const NOTHING: f64 = 1e-11;

/// A kind of forces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForceKind {
    /// All impressed forces, with the terms of inertia that hold no accelerations.
    Impressed,
    /// Ideal constraint forces.
    Ideal,
    /// Non-ideal constraint forces, friction among them.
    Nonideal,
    /// Control forces.
    Control,
}

impl ForceKind {
    /// All of them, in the order of [`Motion::forces`].
    pub const ALL: [ForceKind; KINDS] =
        [ForceKind::Impressed, ForceKind::Ideal, ForceKind::Nonideal, ForceKind::Control];

    /// Its name in the language.
    pub fn name(self) -> &'static str {
        match self {
            ForceKind::Impressed => "impressed",
            ForceKind::Ideal => "ideal",
            ForceKind::Nonideal => "nonideal",
            ForceKind::Control => "control",
        }
    }
}

/// The forces of one kind at the points of a film.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrows {
    /// Which forces.
    pub kind: ForceKind,
    /// Frame after frame, point after point, component after component.
    pub forces: Vec<f64>,
    /// Length of the longest.
    pub largest: f64,
    /// Which share of the generalised force (root of the mean square over the film) no point can carry.
    pub unplaced: f64,
}

/// How forces at points move the speeds.
pub(super) struct Placement {
    /// Entries of J: component of a point, speed, value.
    entries: Vec<(usize, usize, Expr)>,
    groups: Vec<Group>,
    components: usize,
}

/// Components of points and speeds that act on each other.
#[derive(Default)]
struct Group {
    components: Vec<usize>,
    speeds: Vec<usize>,
    /// Entry of J, row and column in the transposed matrix of the group.
    entries: Vec<(usize, usize, usize)>,
}

impl Placement {
    pub fn new(model: &mut Model, layout: &Layout, dimension: usize) -> Placement {
        let places = Places::new(&model.form.coordinates);
        let frame = model.form.frame.clone();
        let pool = &mut model.system.pool;
        let mut entries = Vec::new();
        for (k, (_, offset)) in layout.points.iter().enumerate() {
            for c in 0..dimension {
                let mut row: Vec<(usize, Vec<Expr>)> = Vec::new();
                for (i, slope) in places.gradient(pool, layout.values[offset + c]) {
                    match &frame {
                        None => row.push((i, vec![slope])),
                        Some(X) => {
                            let moved =
                                X[i].iter().enumerate().filter(|(_, e)| **e != dalembert_expr::Pool::ZERO);
                            row.extend(moved.map(|(p, e)| (p, vec![pool.mul(slope, *e)])));
                        }
                    }
                }
                row.sort_by_key(|(p, _)| *p);
                row.dedup_by(|b, a| {
                    a.0 == b.0 && {
                        a.1.append(&mut b.1);
                        true
                    }
                });
                entries.extend(row.into_iter().map(|(p, parts)| (k * dimension + c, p, pool.total(parts))));
            }
        }
        let components = layout.points.len() * dimension;
        let groups = groups(&entries, components, model.form.speeds.len());
        Placement { entries, groups, components }
    }

    /// Finds the arrows of a film.
    pub fn aim(self, film: &mut Film, model: &mut Model, motion: &Motion, rows: &[usize]) {
        let work = |g: &Group| {
            let (m, n) = (g.components.len() as f64, g.speeds.len() as f64);
            m * n * (m.min(n) + ForceKind::ALL.len() as f64)
        };
        if self.entries.is_empty() {
            film.points.clear();
            return;
        }
        if self.groups.iter().map(work).sum::<f64>() * rows.len() as f64 > MAX_ARROW_WORK {
            film.points.clear();
            film.remarks
                .push("forces are not shown: too many points and speeds depend on each other".to_owned());
            return;
        }
        let exprs: Vec<Expr> = self.entries.iter().map(|e| e.2).collect();
        let tape = Tape::new(model, &exprs, motion);
        let mut found: Vec<Arrows> = ForceKind::ALL
            .map(|kind| Arrows {
                kind,
                forces: Vec::with_capacity(rows.len() * self.components),
                largest: 0.0,
                unplaced: 0.0,
            })
            .into();
        let (mut left, mut all) = ([0.0; KINDS], [0.0; KINDS]);
        let mut solvers: Vec<Cod> =
            self.groups.iter().map(|g| Cod::new(g.speeds.len(), g.components.len())).collect();
        for k in rows {
            let row = motion.table.row(*k);
            let J = tape.at(row);
            let forces = forces_at(model, motion, *k);
            let n = model.form.speeds.len();
            let mut placed: Vec<Vec<f64>> = vec![vec![0.0; self.components]; KINDS];
            let mut rest: Vec<Vec<f64>> = forces.chunks(n).map(<[f64]>::to_vec).collect();
            for (group, solver) in self.groups.iter().zip(&mut solvers) {
                group.share(solver, &J, &mut placed, &mut rest);
            }
            for kind in 0..KINDS {
                left[kind] += finite_square(&rest[kind]);
                all[kind] += finite_square(&forces[kind * n..(kind + 1) * n]);
                found[kind].forces.extend_from_slice(&placed[kind]);
            }
        }
        for (k, arrows) in found.iter_mut().enumerate() {
            let lengths =
                arrows.forces.chunks(film.dimension).map(|f| f.iter().map(|v| v * v).sum::<f64>().sqrt());
            arrows.largest = lengths.filter(|l| l.is_finite()).fold(0.0, f64::max);
            arrows.unplaced = if all[k] > 0.0 { (left[k] / all[k]).sqrt() } else { 0.0 };
        }
        let largest = found.iter().fold(0.0f64, |m, a| m.max(a.largest));
        for (k, arrows) in found.into_iter().enumerate() {
            let acts = all[k] > NOTHING * NOTHING * all.iter().sum::<f64>();
            if acts && arrows.unplaced > 0.005 {
                let share = (100.0 * arrows.unplaced).round();
                film.remarks.push(format!(
                    "{share} % of the {} force has no drawn point to act at",
                    arrows.kind.name()
                ));
            }
            if acts && arrows.largest > NOTHING * largest {
                film.arrows.push(arrows);
            }
        }
    }
}

fn finite_square(v: &[f64]) -> f64 {
    v.iter().filter(|x| x.is_finite()).map(|x| x * x).sum()
}

/// The forces at a row: as the run kept them, or as they are at that state.
fn forces_at(model: &Model, motion: &Motion, row: usize) -> Vec<f64> {
    let (n_x, n) = (model.form.coordinates.len(), model.form.speeds.len());
    let width = KINDS * n;
    if let Some(kept) = motion.forces.get(row * width..(row + 1) * width) {
        return kept.to_vec();
    }
    let row = motion.table.row(row);
    let state = State::new(row[0], &row[1..1 + n_x], &row[1 + n_x..1 + n_x + n]);
    let mut forces = Vec::new();
    match model.evaluate(&state) {
        Ok(now) => forces_of(&now.terms, &now.solution, &mut forces),
        Err(_) => forces.resize(width, f64::NAN), // no arrows where there is no solution
    }
    forces
}

impl Group {
    /// Shares what acts on the speeds of the group among its points; what is left stays in `rest`.
    fn share(&self, solver: &mut Cod, J: &[f64], placed: &mut [Vec<f64>], rest: &mut [Vec<f64>]) {
        let (m, n) = (self.speeds.len(), self.components.len());
        let mut B = vec![0.0; m * n];
        for &(entry, p, c) in &self.entries {
            B[p * n + c] = J[entry];
        }
        if B.iter().any(|v| !v.is_finite()) {
            for kind in placed {
                self.components.iter().for_each(|c| kind[*c] = f64::NAN);
            }
            return;
        }
        solver.factor(&B, RANK_TOL);
        let mut F = vec![0.0; n];
        for (placed, rest) in placed.iter_mut().zip(rest) {
            let Q: Vec<f64> = self.speeds.iter().map(|p| rest[*p]).collect();
            solver.solve(&Q, &mut F);
            self.components.iter().zip(&F).for_each(|(c, f)| placed[*c] = *f);
            for (i, p) in self.speeds.iter().enumerate() {
                rest[*p] -= B[i * n..(i + 1) * n].iter().zip(&F).map(|(b, f)| b * f).sum::<f64>();
            }
        }
    }
}

/// Components and speeds joined by entries, group by group.
fn groups(entries: &[(usize, usize, Expr)], components: usize, speeds: usize) -> Vec<Group> {
    let mut parent: Vec<usize> = (0..components + speeds).collect();
    fn root(parent: &mut [usize], mut k: usize) -> usize {
        while parent[k] != k {
            parent[k] = parent[parent[k]];
            k = parent[k];
        }
        k
    }
    for (c, p, _) in entries {
        let (a, b) = (root(&mut parent, *c), root(&mut parent, components + p));
        parent[b] = a;
    }
    let (mut groups, mut known): (Vec<Group>, FxHashMap<usize, usize>) = Default::default();
    let mut places: FxHashMap<usize, usize> = FxHashMap::default();
    for (entry, (c, p, _)) in entries.iter().enumerate() {
        let at = root(&mut parent, *c);
        let next = groups.len();
        let k = *known.entry(at).or_insert(next);
        if k == next {
            groups.push(Group::default());
        }
        let group = &mut groups[k];
        let mut place = |list: &mut Vec<usize>, key: usize, value: usize| {
            *places.entry(key).or_insert_with(|| {
                list.push(value);
                list.len() - 1
            })
        };
        let row = place(&mut group.speeds, components + p, *p);
        let column = place(&mut group.components, *c, *c);
        group.entries.push((entry, row, column));
    }
    groups
}
