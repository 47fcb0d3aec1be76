//! How speeds move the points of a film, and which of them have to do with each other.

use super::super::FrameLayout;
use dalembert::Workspace;
use dalembert::kernel_form::Places;
use dalembert_expr::{Expr, Pool};
use dalembert_linalg::{Cod, RANK_TOL};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Entries that are derived at most.
const MAX_ENTRIES: usize = 200_000;

#[derive(Default)]
/// J = dP'/d eta of all points that move.
pub(super) struct Jacobian {
    /// Component of a point, speed, value.
    pub entries: Vec<(usize, usize, Expr)>,
    /// Points that some speed moves: name, and place in a frame.
    pub points: Vec<(String, usize)>,
    pub components: usize,
    /// Components of particles in right-angled coordinates: each is a coordinate, and this is its speed.
    own: FxHashMap<usize, usize>,
    /// There would be more entries than [`MAX_ENTRIES`], and there are none.
    pub too_large: bool,
}

impl Jacobian {
    pub fn new(model: &mut Workspace, layout: &FrameLayout, dimension: usize) -> Jacobian {
        let places = Places::new(&model.form.coordinates);
        let (pool, frame) = (&mut model.system.pool, &model.form.frame);
        let mut used = 0;
        let mut points = Vec::new();
        for (name, offset) in &layout.points {
            let values = &layout.values[*offset..offset + dimension];
            let present: usize = values.iter().map(|e| places.present(pool, *e).len()).sum();
            used += present * if frame.is_some() { model.form.speeds.len() } else { 1 };
            if used > MAX_ENTRIES {
                return Jacobian { too_large: true, ..Jacobian::default() };
            }
            if present > 0 {
                points.push((name.clone(), *offset));
            }
        }
        let mut entries = Vec::new();
        for (k, (_, offset)) in points.iter().enumerate() {
            for c in 0..dimension {
                let row = row(pool, &places, frame.as_deref(), layout.values[offset + c]);
                entries.extend(row.into_iter().map(|(p, e)| (k * dimension + c, p, e)));
            }
        }
        let components = points.len() * dimension;
        let coordinates: FxHashMap<Expr, usize> =
            model.form.coordinates.iter().enumerate().map(|(k, s)| (pool.var(*s), k)).collect();
        let mut own = FxHashMap::default();
        for (k, (_, offset)) in points.iter().enumerate().filter(|_| frame.is_none()) {
            let values = &layout.values[*offset..offset + dimension];
            let speeds: Option<Vec<usize>> = values.iter().map(|e| coordinates.get(e).copied()).collect();
            own.extend(speeds.into_iter().flatten().enumerate().map(|(c, p)| (k * dimension + c, p)));
        }
        Jacobian { entries, points, components, own, too_large: false }
    }

    /// Components and speeds joined by entries, group by group.
    pub fn groups(&self, speeds: usize) -> Vec<Group> {
        let mut groups = groups(&self.entries, self.components, speeds);
        groups.iter_mut().for_each(|group| group.find_particles(&self.own));
        groups
    }
}

/// The rate of one component by the speeds: its gradient times the frame.
fn row(pool: &mut Pool, places: &Places, frame: Option<&[Vec<Expr>]>, e: Expr) -> Vec<(usize, Expr)> {
    let gradient = places.gradient(pool, e);
    let Some(X) = frame else { return gradient };
    let mut row: BTreeMap<usize, Vec<Expr>> = BTreeMap::new();
    for (i, slope) in gradient {
        for (p, X_ip) in X[i].iter().enumerate().filter(|(_, e)| **e != Pool::ZERO) {
            row.entry(p).or_default().push(pool.mul(slope, *X_ip));
        }
    }
    row.into_iter().map(|(p, parts)| (p, pool.total(parts))).collect()
}

/// Components of points and speeds that act on each other.
#[derive(Default)]
pub(super) struct Group {
    pub components: Vec<usize>,
    pub speeds: Vec<usize>,
    /// Entry of J, row and column in the transposed matrix of the group.
    entries: Vec<(usize, usize, usize)>,
    /// Component and speed of particles that carry all of the group's forces, each its own; empty where they cannot.
    particles: Vec<(usize, usize)>,
}

impl Group {
    fn find_particles(&mut self, own: &FxHashMap<usize, usize>) {
        let mut found: BTreeMap<usize, usize> = BTreeMap::new();
        for (c, p) in self.components.iter().filter_map(|c| own.get(c).map(|p| (*c, *p))) {
            if found.insert(p, c).is_some() {
                return; // two points with one coordinate
            }
        }
        if self.speeds.iter().all(|p| found.contains_key(p)) {
            self.particles = found.into_iter().map(|(p, c)| (c, p)).collect();
        }
    }

    /// Shares what acts on the speeds of the group among its points; what is left stays in `rest`. Tells how many
    /// components of forces could be chosen at will.
    pub fn share(
        &self,
        solver: &mut Cod,
        J: &[f64],
        placed: &mut [Vec<f64>],
        rest: &mut [Vec<f64>],
    ) -> usize {
        if !self.particles.is_empty() {
            for (placed, rest) in placed.iter_mut().zip(rest) {
                self.particles.iter().for_each(|(c, p)| placed[*c] = std::mem::take(&mut rest[*p]));
            }
            return 0;
        }
        let (m, n) = (self.speeds.len(), self.components.len());
        let mut B = vec![0.0; m * n];
        for &(entry, p, c) in &self.entries {
            B[p * n + c] = J[entry];
        }
        if B.iter().any(|v| !v.is_finite()) {
            for kind in placed {
                self.components.iter().for_each(|c| kind[*c] = f64::NAN);
            }
            return 0;
        }
        let rank = solver.factor(&B, RANK_TOL);
        let mut F = vec![0.0; n];
        for (placed, rest) in placed.iter_mut().zip(rest) {
            let Q: Vec<f64> = self.speeds.iter().map(|p| rest[*p]).collect();
            solver.solve(&Q, &mut F);
            self.components.iter().zip(&F).for_each(|(c, f)| placed[*c] = *f);
            for (i, p) in self.speeds.iter().enumerate() {
                rest[*p] -= B[i * n..(i + 1) * n].iter().zip(&F).map(|(b, f)| b * f).sum::<f64>();
            }
        }
        n - rank.min(n)
    }

    /// Whether forces of the group have more than one point to act at.
    pub fn joins_points(&self, dimension: usize) -> bool {
        self.components.iter().any(|c| c / dimension != self.components[0] / dimension)
    }
}

/// Unites what entries join, and gathers the entries of each group.
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
