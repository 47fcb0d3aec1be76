//! Forces of the free-body diagram, at the points where they act.
//!
//! The generalised force of a kind is `Q = sum of J_i^T F_i` over points P_i with `J_i = dP_i'/d eta`. Q alone does not tell
//! the F_i, but the model does: a potential of points acts at them, `force F at P` at P, a constraint on points at them with
//! its multiplier ([`dalembert::Workspace::free_body_diagram`]). Of what is left, parts on right-angled coordinates of a
//! point act at that point, and forces on angles are couples. The same system shows the same arrows in any coordinates.
//! Nothing else is shown: what has no known point is left out, and its share is told. Multipliers of redundant constraints
//! are not determined, nor are their arrows.

mod diagram;

use super::{Animation, FrameLayout, Tape};
use crate::scene::Scene;
use dalembert::Workspace;
use dalembert::energy_balance::impressed_forces;
use dalembert::simulate::{KINDS, Motion, forces_of};
use dalembert::system::PlacedKind;
use dalembert_expr::{Expr, Pool};
use diagram::Diagram;

/// Numbers that the diagrams of a film may take.
const MAX_WORK: f64 = 1e8;
/// Shares of a force without a point that are worth a word.
const WORTH_TELLING: f64 = 0.005;
/// Arrows of a kind whose largest is below this share of the largest of all are rounding.
const NOTHING: f64 = 1e-11;

/// A kind of forces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForceKind {
    /// All impressed forces: applied, of potentials and of dissipation.
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
    /// Which share of the generalised force (root of the mean square over the film, beside that of what is shown) has no
    /// known point.
    pub unplaced: f64,
}

/// A couple in the plane, positive against the clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Couple {
    /// Which forces it belongs to.
    pub kind: ForceKind,
    /// The angle it acts on.
    pub name: String,
    /// Where it is drawn: the place of a position in a frame.
    pub at: usize,
    /// One value a frame.
    pub values: Vec<f64>,
}

/// What the arrows of a film are found from.
pub(super) struct Placement {
    diagram: Diagram,
    /// Points whose components are coordinates: place in a frame, and the coordinate of each component.
    particles: Vec<(String, usize, Vec<Option<usize>>)>,
    /// Angles: name, coordinate, and where its couples are drawn.
    angles: Vec<(String, usize, usize)>,
    /// The impressed force on each speed; `Motion` knows it together with terms of inertia only.
    impressed: Vec<Expr>,
    /// The part of it that is given as forces on speeds, by virtual work or by Rayleigh functions.
    direct: Vec<Expr>,
    /// Entries of Y in `eta = Y x'`, where speeds are not rates: speed, coordinate, value. Forces on speeds become
    /// forces on coordinates by `Y^T`.
    inverse: Option<Vec<(usize, usize, Expr)>>,
    dimension: usize,
    /// Numbers of a frame before those of the diagram.
    base: usize,
}

/// A frame: forces at points by kind, what is left on speeds, and couples.
struct Found {
    placed: Vec<Vec<f64>>,
    rest: Vec<Vec<f64>>,
    couples: Vec<Vec<f64>>,
}

impl Placement {
    pub fn new(
        model: &mut Workspace,
        scene: &Scene,
        layout: &mut FrameLayout,
        dimension: usize,
    ) -> Placement {
        let particles = particles(model, scene, layout, dimension);
        let angles = if dimension == 2 { angles(model, layout, &particles) } else { Vec::new() };
        let diagram = Diagram::new(model, scene, dimension);
        let impressed = impressed_forces(&mut model.system, &model.form);
        let direct = direct_forces(model);
        let base = layout.values.len();
        let inverse = inverse(model);
        Placement { diagram, particles, angles, impressed, direct, inverse, dimension, base }
    }

    /// Numbers of a frame that the points of the diagram take.
    pub fn numbers(&self) -> usize {
        self.diagram.points.len() * self.dimension
    }

    /// The positions of its points at a row.
    pub fn positions(&self, row: &[f64], motion: &Motion) -> Vec<f64> {
        self.diagram.at(row, motion)[..self.numbers()].to_vec()
    }

    /// Finds the arrows of a film.
    pub fn aim(self, film: &mut Animation, model: &mut Workspace, motion: &Motion, rows: &[usize]) {
        let nothing = self.diagram.points.is_empty() && self.particles.is_empty() && self.angles.is_empty();
        if nothing || film.shapes.iter().all(|shape| shape.kind == "gauge") {
            return;
        }
        let n = model.form.speeds.len();
        let work = (self.diagram.size() + n * n) as f64 * rows.len() as f64;
        let other = motion.parameters != model.compiled.parameters();
        let trouble = match (work > MAX_WORK, motion.forces.is_empty() && other) {
            (true, _) => Some("there are too many of them"),
            (_, true) => Some("the run did not keep them"),
            _ => None,
        };
        if let Some(trouble) = trouble {
            film.remarks.push(format!("forces are not shown: {trouble}"));
            return;
        }
        let diagram = self.diagram.points.iter().enumerate();
        film.points = diagram.map(|(k, name)| (name.clone(), self.base + k * self.dimension)).collect();
        film.points.extend(self.particles.iter().map(|(name, at, _)| (name.clone(), *at)));
        self.find(film, model, motion, rows);
        film.force_scale = usual(&film.arrows, film.points.len() * film.dimension, film.dimension);
    }

    /// The arrows and couples of each kind at the rows.
    fn find(&self, film: &mut Animation, model: &mut Workspace, motion: &Motion, rows: &[usize]) {
        let n = model.form.speeds.len();
        let impressed = Tape::new(model, &self.impressed, motion);
        let direct = Tape::new(model, &self.direct, motion);
        let entries: Vec<Expr> = self.inverse.iter().flatten().map(|entry| entry.2).collect();
        let inverse = Tape::new(model, &entries, motion);
        let width = model.form.coordinates.len().max(n);
        let mut forces: Vec<Vec<f64>> = vec![Vec::new(); KINDS];
        let mut couples: Vec<Vec<Vec<f64>>> = vec![vec![Vec::new(); self.angles.len()]; KINDS];
        let (mut left, mut shown, mut all) = ([0.0f64; KINDS], [0.0f64; KINDS], [0.0f64; KINDS]);
        let mut undetermined = false;
        for k in rows {
            let row = motion.table.row(*k);
            let mut on_speeds = forces_at(model, motion, *k);
            on_speeds[..n].copy_from_slice(&impressed.at(row));
            let Y = inverse.at(row);
            let parts = (on_speeds.as_slice(), direct.at(row), Y.as_slice(), width);
            let (now, open) = self.frame(model, motion, row, parts);
            undetermined |= open;
            for kind in 0..KINDS {
                left[kind] += finite_square(&now.rest[kind]);
                let whole = self.on_coordinates(&on_speeds[kind * n..(kind + 1) * n], &Y, width);
                all[kind] += finite_square(&whole);
                let placed: Vec<f64> = whole.iter().zip(&now.rest[kind]).map(|(w, r)| w - r).collect();
                shown[kind] += finite_square(&placed);
                forces[kind].extend_from_slice(&now.placed[kind]);
                couples[kind].iter_mut().zip(&now.couples[kind]).for_each(|(list, v)| list.push(*v));
            }
        }
        if undetermined {
            film.remarks.push("constraint forces are not shown where constraints are redundant".to_owned());
        }
        let whole: f64 = all.iter().sum();
        let largest = |list: &[f64]| {
            list.chunks(film.dimension).map(length).filter(|l| l.is_finite()).fold(0.0, f64::max)
        };
        let strongest = forces.iter().map(|list| largest(list)).fold(0.0, f64::max);
        for (k, (forces, couples)) in forces.into_iter().zip(couples).enumerate() {
            // A kind that is rounding all along does not act.
            if all[k] <= NOTHING * NOTHING * whole {
                continue;
            }
            // What is shown and what is not may cancel: their squares are compared, not one with the sum.
            let (kind, unplaced) = (ForceKind::ALL[k], (left[k] / (left[k] + shown[k])).sqrt());
            if unplaced > WORTH_TELLING {
                let (share, name) = ((100.0 * unplaced).round(), kind.name());
                film.remarks
                    .push(format!("{share} % of the {name} force has no known point and is not shown"));
            }
            for ((name, _, at), values) in self.angles.iter().zip(couples) {
                if values.iter().any(|v| v.abs() > NOTHING * all[k].sqrt()) {
                    film.couples.push(Couple { kind, name: name.clone(), at: *at, values });
                }
            }
            let largest = largest(&forces);
            if largest > NOTHING * strongest {
                film.arrows.push(Arrows { kind, forces, largest, unplaced });
            }
        }
    }

    /// The diagram at a row, and whether constraint forces are not determined there.
    fn frame(
        &self,
        model: &Workspace,
        motion: &Motion,
        row: &[f64],
        (on_speeds, mut given, Y, width): (&[f64], Vec<f64>, &[f64], usize),
    ) -> (Found, bool) {
        let (n, d) = (model.form.speeds.len(), self.dimension);
        let points = self.diagram.points.len() + self.particles.len();
        let mut found = Found {
            placed: vec![vec![0.0; points * d]; KINDS],
            rest: on_speeds.chunks(n.max(1)).map(<[f64]>::to_vec).collect(),
            couples: vec![vec![0.0; self.angles.len()]; KINDS],
        };
        let multipliers = match self.diagram.has_rows() {
            true => multipliers(model, row),
            false => Some(Vec::new()),
        };
        let values = self.diagram.at(row, motion);
        for force in &self.diagram.forces {
            let (kind, factor) = match (force.kind, &multipliers) {
                (PlacedKind::Impressed, _) => (0, 1.0),
                (PlacedKind::Row(r), Some(lambda)) => (1, lambda.get(r).copied().unwrap_or(0.0)),
                (PlacedKind::Row(_), None) => continue,
            };
            for c in 0..d {
                found.placed[kind][force.point * d + c] += factor * values[force.force + c];
            }
            for (k, p) in force.speeds.iter().enumerate() {
                let on_speed = factor * values[force.on_speeds + k];
                found.rest[kind][*p] -= on_speed;
                if !force.of_energy {
                    given[*p] -= on_speed;
                }
            }
        }
        let open = multipliers.is_none();
        for rest in found.rest.iter_mut() {
            *rest = self.on_coordinates(rest, Y, width);
        }
        let given = self.on_coordinates(&given, Y, width);
        for kind in (0..KINDS).filter(|kind| *kind != 1 || !open) {
            for (k, (_, _, speeds)) in self.particles.iter().enumerate() {
                for (c, p) in speeds.iter().enumerate().filter_map(|(c, p)| Some((c, (*p)?))) {
                    let at = (self.diagram.points.len() + k) * d + c;
                    found.placed[kind][at] += std::mem::take(&mut found.rest[kind][p]);
                }
            }
            for (k, (_, p, _)) in self.angles.iter().enumerate() {
                // A potential of an angle does not say where its forces act.
                let couple = if kind == 0 { given[*p] } else { found.rest[kind][*p] };
                found.couples[kind][k] = couple;
                found.rest[kind][*p] -= couple;
            }
        }
        // What is left by rounding is nothing.
        for (rest, whole) in found.rest.iter_mut().zip(on_speeds.chunks(n.max(1))) {
            let whole = self.on_coordinates(whole, Y, width);
            let size = whole.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            rest.iter_mut().filter(|v| v.abs() <= 1e-9 * size).for_each(|v| *v = 0.0);
        }
        (found, open)
    }
}

impl Placement {
    /// Forces on coordinates that do the work of forces on speeds.
    fn on_coordinates(&self, forces: &[f64], Y: &[f64], width: usize) -> Vec<f64> {
        let mut out = vec![0.0; width];
        match &self.inverse {
            None => out[..forces.len()].copy_from_slice(forces),
            Some(entries) => {
                entries.iter().zip(Y).for_each(|((p, i, _), y)| out[*i] += y * forces[*p]);
            }
        }
        out
    }
}

/// Forces that are given on speeds, at points or by virtual work, and those of Rayleigh functions.
fn direct_forces(model: &mut Workspace) -> Vec<Expr> {
    let system = &mut model.system;
    let speeds = &model.form.speeds;
    let drag = match system.forces.dissipation {
        Some(R) => system.pool.gradient(R, speeds),
        None => vec![Pool::ZERO; speeds.len()],
    };
    let applied = system.forces.applied.clone();
    applied.into_iter().zip(drag).map(|(force, slope)| system.pool.sub(force, slope)).collect()
}

/// Y of `eta = Y x'` by entries, where speeds are not rates and it is known.
fn inverse(model: &Workspace) -> Option<Vec<(usize, usize, Expr)>> {
    model.form.frame.as_ref()?;
    let rows = model.system.frame.speeds_in_rates.as_ref()?.iter().enumerate();
    let entries = rows.flat_map(|(p, row)| row.iter().enumerate().map(move |(i, e)| (p, i, *e)));
    Some(entries.filter(|entry| entry.2 != Pool::ZERO).collect())
}

/// Whether forces on coordinates are known: speeds are rates, or can be written in them.
fn knows_coordinates(model: &Workspace) -> bool {
    model.form.frame.is_none() || model.system.frame.speeds_in_rates.is_some()
}

/// Points of the scene whose components are coordinates, each coordinate once.
fn particles(
    model: &mut Workspace,
    scene: &Scene,
    layout: &mut FrameLayout,
    dimension: usize,
) -> Vec<(String, usize, Vec<Option<usize>>)> {
    if !knows_coordinates(model) {
        return Vec::new();
    }
    let coordinates: Vec<Expr> =
        model.form.coordinates.clone().into_iter().map(|s| model.system.pool.var(s)).collect();
    let symbols = model.form.coordinates.clone();
    let mut taken = vec![false; coordinates.len()];
    let mut found = Vec::new();
    for place in scene.places(model) {
        let own: Vec<Option<usize>> =
            place.at.iter().map(|e| coordinates.iter().position(|c| c == e)).collect();
        let others = place.at.iter().zip(&own).filter(|(_, own)| own.is_none()).map(|(e, _)| *e);
        let others: Vec<Expr> = others.collect();
        let moves = model.system.pool.symbols(&others).iter().any(|s| symbols.contains(s));
        let new = own.iter().flatten().all(|p| !taken[*p]);
        if moves || !new || own.iter().all(Option::is_none) || place.at.len() > dimension {
            continue;
        }
        own.iter().flatten().for_each(|p| taken[*p] = true);
        let at = layout.hidden(&place, dimension);
        found.push((place.name.clone(), at, own));
    }
    found
}

/// Angles of the plane: coordinates in which everything drawn is periodic. Couples are drawn at the joint whose angle it is,
/// else at the first point that turns.
fn angles(
    model: &mut Workspace,
    layout: &FrameLayout,
    particles: &[(String, usize, Vec<Option<usize>>)],
) -> Vec<(String, usize, usize)> {
    if !knows_coordinates(model) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for p in 0..model.form.coordinates.len() {
        let own = particles.iter().any(|(_, _, speeds)| speeds.contains(&Some(p)));
        let symbol = model.form.coordinates[p];
        let pool = &mut model.system.pool;
        let turns = |pool: &mut Pool, offset: usize| {
            let parts = &layout.values[offset..offset + 2];
            parts.iter().any(|e| pool.depends_on(*e, &[symbol]))
        };
        let turning = layout.points.iter().map(|(_, at)| *at).find(|at| turns(pool, *at));
        let Some(at) = joint_of(model, layout, p).or(turning) else { continue };
        let name = model.system.frame.coordinates[p].name.clone();
        let unit = model.system.unit_of_column(&name);
        let pool = &mut model.system.pool;
        let (turn, angle) = (pool.pi(), pool.var(symbol));
        let turn = pool.scale(turn, 2.into());
        let turned = pool.add(angle, turn);
        let parts: Vec<Expr> = layout.values.clone();
        let moved = pool.substitute(&parts, &[(symbol, turned)]);
        let periodic = parts.iter().zip(&moved).all(|(a, b)| {
            let difference = pool.sub(*a, *b);
            pool.is_zero(difference) != dalembert_expr::Zero::No
        });
        if !own && (unit.as_deref() == Some("rad") || periodic) {
            found.push((name, p, at));
        }
    }
    found
}

/// Where the joint of a coordinate is drawn.
fn joint_of(model: &Workspace, layout: &FrameLayout, coordinate: usize) -> Option<usize> {
    let joint = model.system.bodies.as_ref()?.joints.iter().find(|j| j.coordinates.contains(&coordinate))?;
    let shape = layout.shapes.iter().find(|s| s.kind == "joint" && s.name == joint.name)?;
    shape.at.first().copied()
}

/// The multipliers at a row; `None` where redundant rows share their forces.
fn multipliers(model: &Workspace, row: &[f64]) -> Option<Vec<f64>> {
    let now = model.evaluate(&model.system.state_of_row(row)).ok()?;
    (now.solution.rank >= model.system.constraints.rows.len()).then(|| now.solution.lambda.clone())
}

/// The largest force of a frame that one frame in twenty exceeds: peaks are not to make all else invisible.
fn usual(all: &[Arrows], components: usize, dimension: usize) -> f64 {
    let mut peaks: Vec<f64> = Vec::new();
    for arrows in all {
        for (k, frame) in arrows.forces.chunks(components.max(1)).enumerate() {
            let peak = frame.chunks(dimension).map(length).filter(|l| l.is_finite()).fold(0.0, f64::max);
            match peaks.get_mut(k) {
                Some(known) => *known = known.max(peak),
                None => peaks.push(peak),
            }
        }
    }
    peaks.sort_by(f64::total_cmp);
    let usual = peaks.get(peaks.len() * 19 / 20).copied().unwrap_or(0.0);
    if usual > 0.0 { usual } else { peaks.last().copied().unwrap_or(0.0) }
}

fn length(force: &[f64]) -> f64 {
    force.iter().map(|v| v * v).sum::<f64>().sqrt()
}

fn finite_square(v: &[f64]) -> f64 {
    v.iter().filter(|x| x.is_finite()).map(|x| x * x).sum()
}

/// The forces at a row: as the run kept them, or as they are at that state.
fn forces_at(model: &Workspace, motion: &Motion, row: usize) -> Vec<f64> {
    let width = KINDS * model.form.speeds.len();
    if let Some(kept) = motion.forces.get(row * width..(row + 1) * width) {
        return kept.to_vec();
    }
    let mut forces = Vec::new();
    match model.evaluate(&model.system.state_of_row(motion.table.row(row))) {
        Ok(now) => forces_of(&now.terms, &now.solution, &mut forces),
        Err(_) => forces.resize(width, f64::NAN), // no arrows where there is no solution
    }
    forces
}
