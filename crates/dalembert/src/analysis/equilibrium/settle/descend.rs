//! Down the potential to the bottom of the valley that a state lies in.
//!
//! ```text
//! (K + s M) dw = f,    dx = X dw        f = -dV along the constraints, K its stiffness, M the mass matrix
//! ```
//!
//! Newton's iteration goes to equilibria of any kind, and in long chains to folded ones or to none. This goes to the one where
//! the system comes to rest if its motion is damped: `s` is raised until K + s M is positive definite and V falls by a fair
//! part of what the work of f promises, and lowered again after that, so that near the bottom steps are those of Newton.
//! Where V is not the potential of the forces it does not fall, and the descent ends.

use super::super::landscape::Potential;
use super::{FixedVariables, holding, remainder};
use crate::analysis::linearize::{Linearizer, Local};
use crate::workspace::Workspace;
use dalembert_linalg::{cholesky, dot, mat_vec, solve_lower, solve_lower_transposed};
use dalembert_run::{Projector, State};

/// Steps at most.
const MAX_DOWNWARD: usize = 300;
/// Shorter and shorter attempts at a step.
const MAX_TRIES: usize = 24;
/// Displacements to the bottom below which Newton takes over.
const NEAR: f64 = 1e-5;
/// The part of the promised work by which V must fall.
const FAIR: f64 = 1e-4;
/// The least `s` that is not zero, against the largest stiffness per mass.
const LEAST_SHIFT: f64 = 1e-4;
/// How fast `s` is raised, and lowered.
const SHIFT_FACTOR: f64 = 4.0;

impl Linearizer {
    /// A state of rest near the bottom; `None` where there is no potential, or nothing leads down. Only for searches of rest.
    pub(super) fn descend(
        &self,
        model: &mut Workspace,
        state: &State,
        held: &FixedVariables,
    ) -> Option<State> {
        let potential = Potential::new(model).filter(|_| held.rest)?;
        let wishes = holding(model, held);
        let mut now = state.clone();
        let mut value = potential.at(model, &now);
        let mut shift = 0.0;
        for k in 0..MAX_DOWNWARD {
            let here = self.plain(model, &now, &wishes)?;
            if remainder(&here, held) <= NEAR {
                break;
            }
            let slope = Slope::at(&here, held);
            let next = (0..MAX_TRIES).find_map(|_| {
                let below = slope.step(shift).and_then(|(change, work)| {
                    let next = slid(model, &now, &here, held, &change)?;
                    let there = potential.at(model, &next);
                    (there <= value - FAIR * work).then_some((next, there))
                });
                shift = if below.is_some() { shift } else { (SHIFT_FACTOR * shift).max(LEAST_SHIFT) };
                below
            });
            match next {
                Some(below) => (now, value) = below,
                None if k == 0 => return None,
                None => break,
            }
            shift = if shift > LEAST_SHIFT { shift / SHIFT_FACTOR } else { 0.0 };
        }
        Some(now)
    }
}

/// Forces and stiffness along the constraints, in the speeds that may move.
struct Slope {
    free: Vec<usize>,
    force: Vec<f64>,
    stiffness: Vec<f64>,
    mass: Vec<f64>,
    /// Change of the independent coordinates with each independent speed, a row for each coordinate.
    ways: Vec<Vec<f64>>,
    /// The largest stiffness or force per mass.
    scale: f64,
}

impl Slope {
    fn at(here: &Local, held: &FixedVariables) -> Slope {
        let (d_x, d_w) = (here.positions.dimension(), here.speeds.dimension());
        let ways: Vec<Vec<f64>> = (0..d_x).map(|k| here.S.row(k)[d_x..].to_vec()).collect();
        let stays = |k: &usize| held.coordinates.contains(&here.positions.independent[*k]);
        let free: Vec<usize> =
            (0..d_w).filter(|c| (0..d_x).filter(stays).all(|k| ways[k][*c] == 0.0)).collect();
        let mut all = vec![0.0; d_w];
        mat_vec(&here.mass, &here.rates[d_x..], &mut all);
        let K = |i: usize, j: usize| -> f64 { -(0..d_x).map(|k| here.B[[i, k]] * ways[k][j]).sum::<f64>() };
        let pairs = || free.iter().flat_map(|&i| free.iter().map(move |&j| (i, j)));
        let stiffness = pairs().map(|(i, j)| 0.5 * (K(i, j) + K(j, i))).collect();
        let mass: Vec<f64> = pairs().map(|(i, j)| here.mass[[i, j]]).collect();
        let per_mass = |i: usize| (K(i, i).abs() + all[i].abs()) / here.mass[[i, i]].abs();
        let scale = free.iter().map(|&i| per_mass(i)).fold(0.0, f64::max);
        let force = free.iter().map(|&i| all[i]).collect();
        Slope { free, force, stiffness, mass, ways, scale }
    }

    /// The change of the independent coordinates, and the work that the forces do on it, to first order; `None` where the
    /// stiffness with this shift is not positive definite.
    fn step(&self, shift: f64) -> Option<(Vec<f64>, f64)> {
        let (n, s) = (self.free.len(), shift * self.scale);
        let mut L: Vec<f64> = self.stiffness.iter().zip(&self.mass).map(|(k, m)| k + s * m).collect();
        cholesky(&mut L, n).ok()?;
        let mut speeds = self.force.clone();
        solve_lower(&L, n, &mut speeds);
        solve_lower_transposed(&L, n, &mut speeds);
        let work = dot(&self.force, &speeds);
        let along = |row: &Vec<f64>| self.free.iter().zip(&speeds).map(|(c, v)| row[*c] * v).sum();
        let change = self.ways.iter().map(along).collect();
        (work > 0.0 && work.is_finite()).then_some((change, work))
    }
}

/// A change of the independent coordinates along the tangent and back to the constraints on the shortest way; at rest.
pub(super) fn slid(
    model: &Workspace,
    now: &State,
    here: &Local,
    held: &FixedVariables,
    change: &[f64],
) -> Option<State> {
    let mut next = now.clone();
    for (i, v) in next.x.iter_mut().enumerate() {
        *v += dot(&here.directions.row(i)[..change.len()], change);
    }
    if next.x.iter().any(|v| !v.is_finite()) {
        return None;
    }
    if !held.coordinates.is_empty() {
        let all: Vec<usize> = (0..next.eta.len()).collect();
        return model.on_constraints(&next, &now.x, &held.coordinates, &all);
    }
    let mut projector = Projector::new(&model.compiled);
    projector.hold_invariants(&model.compiled, &now.x);
    projector.project(&model.compiled, next.t, &mut next.x, &mut next.eta).ok()?;
    next.eta.iter().all(|v| v.abs() <= 1e-12).then_some(next)
}
