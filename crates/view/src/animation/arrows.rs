//! Generalised forces as forces at the points that are drawn.
//!
//! A force F_i at each point P_i has the generalised force `Q = sum of J_i^T F_i` with `J_i = dP_i'/d eta`. Given Q of
//! one kind, the arrows are the forces with the least sum of squares among those that come nearest to Q (in the
//! Euclidean norm of the generalised forces): `F = (J^T)^+ Q`. Where particles in right-angled
//! coordinates are drawn that together carry every force of their group, each has its own and other points have none. What
//! is left of Q has no point to act at (a couple on a body of which one point is drawn); its share is told.
//!
//! Speeds and points fall into groups that have nothing to do with each other, so that large systems of particles take
//! small matrices.

mod jacobian;

use super::{Animation, FrameLayout, Tape};
use dalembert::Workspace;
use dalembert::energy_balance::impressed_forces;
use dalembert::simulate::{KINDS, Motion, forces_of};
use dalembert_expr::Expr;
use dalembert_linalg::Cod;
use jacobian::{Group, Jacobian};

/// Multiplications that the arrows of a film may take.
const MAX_ARROW_WORK: f64 = 4e9;
/// Shares of a force without a point that are worth a word.
const WORTH_TELLING: f64 = 0.005;
/// Arrows of a kind whose largest is below this share of the largest of all are rounding.
const NOTHING: f64 = 1e-11;

/// Said where several points move together, so that there is more than one way to carry the forces.
const SHARED: &str = "forces are shared among the drawn points: the smallest set that does the same work";

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
    /// Which share of the generalised force (root of the mean square over the film) no point can carry.
    pub unplaced: f64,
}

/// What the arrows of a film are found from.
pub(super) struct Placement {
    jacobian: Jacobian,
    groups: Vec<Group>,
    /// The impressed force on each speed; `Motion` knows it together with terms of inertia only.
    impressed: Vec<Expr>,
}

impl Placement {
    pub fn new(model: &mut Workspace, layout: &FrameLayout, dimension: usize) -> Placement {
        let jacobian = Jacobian::new(model, layout, dimension);
        let groups = jacobian.groups(model.form.speeds.len());
        let impressed = impressed_forces(&mut model.system, &model.form);
        Placement { jacobian, groups, impressed }
    }

    /// Finds the arrows of a film.
    pub fn aim(self, film: &mut Animation, model: &mut Workspace, motion: &Motion, rows: &[usize]) {
        if self.jacobian.entries.is_empty() && !self.jacobian.too_large {
            return; // nothing moves, or scales are shown
        }
        if let Some(trouble) = self.trouble(model, motion, rows.len()) {
            film.remarks.push(format!("forces are not shown: {trouble}"));
            return;
        }
        let (found, shared) = self.find(model, motion, rows, film.dimension);
        film.points = self.jacobian.points;
        let largest = found.iter().fold(0.0f64, |m, a| m.max(a.largest));
        for arrows in found {
            if arrows.unplaced > WORTH_TELLING {
                let (share, kind) = ((100.0 * arrows.unplaced).round(), arrows.kind.name());
                film.remarks.push(format!("{share} % of the {kind} force has no drawn point to act at"));
            }
            if arrows.largest > NOTHING * largest {
                film.arrows.push(arrows);
            }
        }
        if shared && !film.arrows.is_empty() {
            film.remarks.push(SHARED.to_owned());
        }
        film.force_scale = usual(&film.arrows, self.jacobian.components, film.dimension);
    }

    /// Why there can be no arrows.
    fn trouble(&self, model: &Workspace, motion: &Motion, frames: usize) -> Option<&'static str> {
        if self.jacobian.too_large || self.work() * frames as f64 > MAX_ARROW_WORK {
            return Some("too many points and speeds depend on each other");
        }
        let other = motion.parameters != model.compiled.parameters();
        (motion.forces.is_empty() && other).then_some("the run did not keep them")
    }

    /// Multiplications of one frame.
    fn work(&self) -> f64 {
        let of = |g: &Group| {
            let (m, n) = (g.components.len() as f64, g.speeds.len() as f64);
            m * n * (m.min(n) + KINDS as f64)
        };
        self.groups.iter().map(of).sum()
    }

    /// The arrows of each kind at the rows, and whether points could share them in other ways.
    fn find(
        &self,
        model: &mut Workspace,
        motion: &Motion,
        rows: &[usize],
        dimension: usize,
    ) -> (Vec<Arrows>, bool) {
        let (n, components) = (model.form.speeds.len(), self.jacobian.components);
        let entries: Vec<Expr> = self.jacobian.entries.iter().map(|e| e.2).collect();
        let tape = Tape::new(model, &entries, motion);
        let impressed = Tape::new(model, &self.impressed, motion);
        let mut solvers: Vec<Cod> =
            self.groups.iter().map(|g| Cod::new(g.speeds.len(), g.components.len())).collect();
        let mut found: Vec<Vec<f64>> = vec![Vec::new(); KINDS];
        let mut shared = false;
        let (mut left, mut all) = ([0.0; KINDS], [0.0; KINDS]);
        for k in rows {
            let row = motion.table.row(*k);
            let J = tape.at(row);
            let mut forces = forces_at(model, motion, *k);
            forces[..n].copy_from_slice(&impressed.at(row));
            let mut placed: Vec<Vec<f64>> = vec![vec![0.0; components]; KINDS];
            let mut rest: Vec<Vec<f64>> = forces.chunks(n).map(<[f64]>::to_vec).collect();
            for (group, solver) in self.groups.iter().zip(&mut solvers) {
                let free = group.share(solver, &J, &mut placed, &mut rest);
                shared |= free > 0 && group.joins_points(dimension);
            }
            for kind in 0..KINDS {
                left[kind] += finite_square(&rest[kind]);
                all[kind] += finite_square(&forces[kind * n..(kind + 1) * n]);
                found[kind].extend_from_slice(&placed[kind]);
            }
        }
        let whole: f64 = all.iter().sum();
        let arrows = |(k, forces): (usize, Vec<f64>)| {
            let lengths = forces.chunks(dimension).map(length).filter(|l| l.is_finite());
            let largest = lengths.fold(0.0, f64::max);
            // A kind that is rounding all along does not act.
            let acts = all[k] > NOTHING * NOTHING * whole;
            let unplaced = if acts { (left[k] / all[k]).sqrt() } else { 0.0 };
            Arrows { kind: ForceKind::ALL[k], forces, largest: if acts { largest } else { 0.0 }, unplaced }
        };
        (found.into_iter().enumerate().map(arrows).collect(), shared)
    }
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
    let state = model.system.state_of_row(motion.table.row(row));
    let mut forces = Vec::new();
    match model.evaluate(&state) {
        Ok(now) => forces_of(&now.terms, &now.solution, &mut forces),
        Err(_) => forces.resize(width, f64::NAN), // no arrows where there is no solution
    }
    forces
}
