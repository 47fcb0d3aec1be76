//! Coordinates that nothing depends on, and whether a state is an equilibrium or a steady motion.
//!
//! A set of positions is a candidate if the rates of all other states do not depend on it to first order. It is accepted if it
//! also holds at a distance: with these positions moved far and everything else kept, the other rates and their
//! derivatives are what they were. (Ignorable in the sense of Routh, for constrained systems too, found by values.)

use super::reduce::Local;
use super::{LATER, Linearizer, OperatingPoint, fixed};
use crate::workspace::Workspace;
use dalembert_run::State;

/// Relative change of rates and derivatives that counts as none.
const SAME: f64 = 1e-8;
/// A rate below this, against the size of its row, is zero: operating points are typed with ten digits.
pub(crate) const AT_REST: f64 = 1e-9;
/// Moves that are tried.
const MOVES: [f64; 2] = [0.7, -1.9];

impl Linearizer {
    /// Indices of the states that are ignorable.
    pub(crate) fn ignorable(&self, model: &Workspace, state: &State, here: &Local) -> Vec<usize> {
        let d_x = here.positions.dimension();
        let mut set = closed(here, (0..d_x).collect());
        // Zeros that belong to this state alone are gone beside it.
        if let Some(beside) = self.beside(model, state, here) {
            let (d, scale) = (here.dimension(), scales(&beside));
            set.retain(|j| {
                (0..d).all(|i| set_free(here, i, *j) || beside.S[[i, *j]].abs() <= SAME * scale[i])
            });
            set = closed(here, set);
        }
        loop {
            if set.is_empty() || self.unchanged(model, state, here, &set, &set, 0.0) {
                return set;
            }
            let kept: Vec<usize> = set
                .iter()
                .copied()
                .filter(|j| self.unchanged(model, state, here, &set, &[*j], 0.0))
                .collect();
            if kept.len() == set.len() {
                return Vec::new(); // each alone, but not together
            }
            set = closed(here, kept);
        }
    }

    /// The linear system a little way off, in no particular direction.
    fn beside(&self, model: &Workspace, state: &State, here: &Local) -> Option<Local> {
        let d = here.dimension();
        let mut guess = state.clone();
        let shift = |c: usize| 0.03 * (0.5 + (c as f64 * 0.618_033_988_75).fract());
        for (i, v) in guess.x.iter_mut().chain(&mut guess.eta).enumerate() {
            *v += (0..d).map(|c| here.directions[[i, c]] * shift(c)).sum::<f64>();
        }
        let (x, w) = (&here.positions.independent, &here.speeds.independent);
        let found = model.on_constraints(&guess, &state.x, x, w)?;
        self.plain(model, &found, &fixed(model, here))
    }

    /// Whether rates and derivatives of the states outside `set` stay when `moved` are moved and time passes.
    pub(super) fn unchanged(
        &self,
        model: &Workspace,
        state: &State,
        here: &Local,
        set: &[usize],
        moved: &[usize],
        later: f64,
    ) -> bool {
        let d = here.dimension();
        let rest: Vec<usize> = (0..d).filter(|i| !set.contains(i)).collect();
        let (same, scale) = (fixed(model, here), scales(here));
        let moves: &[f64] = if moved.is_empty() { &[0.0] } else { &MOVES };
        moves.iter().all(|step| {
            // As far as the constraints allow: a quaternion cannot go far.
            let found = [1.0, 0.2, 0.04].iter().find_map(|part| {
                let mut guess = state.clone();
                guess.t += later;
                for (k, j) in moved.iter().enumerate() {
                    let i = here.positions.independent[*j];
                    guess.x[i] += part * step * (1.0 + 0.3 * k as f64);
                }
                let (x, w) = (&here.positions.independent, &here.speeds.independent);
                model.on_constraints(&guess, &state.x, x, w)
            });
            let there = found.and_then(|state| self.plain(model, &state, &same));
            there.is_some_and(|there| {
                rest.iter().all(|&i| {
                    let rate = (there.rates[i] - here.rates[i]).abs() <= SAME * scale[i];
                    let slope = |j: usize| {
                        let (a, b) = (there.S[[i, j]], here.S[[i, j]]);
                        (a - b).abs() <= SAME * scale[i]
                    };
                    rate && (0..d).all(slope)
                })
            })
        })
    }

    /// Whether the rates of the states that count are the same later, if nothing has moved.
    fn stays(&self, model: &Workspace, state: &State, here: &Local, ignorable: &[usize], later: f64) -> bool {
        let (same, scale) = (fixed(model, here), scales(here));
        let mut then = state.clone();
        then.t += later;
        let (x, w) = (&here.positions.independent, &here.speeds.independent);
        let there = model.on_constraints(&then, &state.x, x, w).and_then(|s| self.plain(model, &s, &same));
        let counts = |i: &usize| !ignorable.contains(i);
        there.is_some_and(|there| {
            (0..here.dimension())
                .filter(counts)
                .all(|i| (there.rates[i] - here.rates[i]).abs() <= SAME * scale[i])
        })
    }

    /// What the operating point is.
    pub(super) fn kind(
        &self,
        model: &Workspace,
        state: &State,
        here: &Local,
        ignorable: &[usize],
    ) -> OperatingPoint {
        let moving = |i: &usize| here.rates[*i].abs() > AT_REST * size(here, *i);
        let all: Vec<usize> = (0..here.dimension()).filter(moving).collect();
        let changing: Vec<usize> = all.iter().copied().filter(|i| !ignorable.contains(i)).collect();
        if !changing.is_empty() {
            return OperatingPoint::Neither { changing, driven: false };
        }
        let lasting = |later: &f64| self.stays(model, state, here, ignorable, *later);
        if self.derivatives.timed && !LATER.iter().all(lasting) {
            return OperatingPoint::Neither { changing, driven: true };
        }
        if all.is_empty() { OperatingPoint::Equilibrium } else { OperatingPoint::Steady { moving: all } }
    }
}

/// What the rate of a state is measured against.
pub(crate) fn size(here: &Local, i: usize) -> f64 {
    let row = here.S.row(i).iter().fold(0.0, |s, v| s + v.abs());
    row.max(here.rates[i].abs() * 1e-3)
}

/// What the rate of each state is measured against; rates that vanish are compared with what rounding makes of the others.
pub(crate) fn scales(here: &Local) -> Vec<f64> {
    let sizes: Vec<f64> = (0..here.dimension()).map(|i| size(here, i)).collect();
    let most = sizes.iter().copied().fold(0.0, f64::max);
    sizes.into_iter().map(|s| s.max(1e-4 * most)).collect()
}

/// Whether a position may depend on another one: positions of a set may lean on each other.
fn set_free(here: &Local, i: usize, j: usize) -> bool {
    i < here.positions.dimension() && j < here.positions.dimension()
}

/// The largest subset of positions on which no state outside of it depends.
fn closed(here: &Local, mut set: Vec<usize>) -> Vec<usize> {
    let d = here.dimension();
    loop {
        let before = set.len();
        let outside: Vec<usize> = (0..d).filter(|i| !set.contains(i)).collect();
        set.retain(|j| outside.iter().all(|i| here.S[[*i, *j]] == 0.0));
        if set.len() == before {
            return set;
        }
    }
}
