//! Sets of equilibria: their dimension, and whether two members can be joined along one of them.
//!
//! ```text
//! dg = gap - S^+ S gap        the part of the way to the other member along which rates stay zero, to first order
//! ```
//!
//! Two members of a set need have nothing in common but the set (stiffness may change along it), and members of different
//! sets may agree in all that is invariant (mirror images). So the way is walked: strides along dg, each followed by
//! Newton's iteration back to rest, until the other member is reached or nothing of the gap lies along the set.
//! Strides that Newton has to mend by more than a small part are halved: it might lead to a neighbouring set.

use super::settle::{FixedVariables, NEARLY_QUIET, budget, holding, moved, remainder, roles, weights};
use crate::analysis::linearize::{Linearizer, Local, Preferences};
use crate::workspace::Workspace;
use dalembert_linalg::Cod;
use dalembert_run::State;
use std::f64::consts::TAU;

/// Strides at most.
const MAX_STRIDES: usize = 100;
/// Halvings of a stride at most.
const MAX_HALVINGS: usize = 10;
/// The longest stride, relative to the state.
const STRIDE: f64 = 0.5;
/// What Newton may mend of a stride.
const MENDED: f64 = 0.1;
/// Where no more of the gap than this lies along the set, its nearest point is reached.
const ACROSS: f64 = 1e-6;
/// The other member is reached if no coordinate differs by more.
const REACHED: f64 = 1e-5;
/// Directions in which rates change by less than this, relative to others, lie along the set.
const FLAT: f64 = 1e-9;

impl Linearizer {
    /// Directions in which neighbours are of the same kind, to first order.
    pub(super) fn family_dimension(&self, model: &Workspace, state: &State, held: &FixedVariables) -> usize {
        let Some(here) = self.holding_still(model, state, held) else { return 0 };
        let (unknown, quiet) = roles(&here, held);
        let J: Vec<f64> = quiet
            .iter()
            .flat_map(|&i| unknown.iter().map(move |&j| (i, j)))
            .map(|(i, j)| here.S[[i, j]])
            .collect();
        unknown.len() - Cod::new(quiet.len(), unknown.len()).factor(&J, FLAT)
    }

    /// Whether one result leads to another through states of the same kind. Angles are taken the short way.
    pub(super) fn joined(
        &self,
        model: &Workspace,
        from: &State,
        to: &State,
        held: &FixedVariables,
        periodic: &[bool],
    ) -> bool {
        let gap = Gap::between(from, to, periodic, held);
        if self.connected(model, from, &gap.added_to(from), held) {
            return true;
        }
        let (mut now, mut reach) = (from.clone(), f64::INFINITY);
        for _ in 0..MAX_STRIDES {
            let gap = Gap::between(&now, to, periodic, held);
            if gap.closed(&now) {
                return true;
            }
            if self.calls.get() > budget(model) {
                return false;
            }
            let Some(here) = self.holding_still(model, &now, held) else { return false };
            let Some(along) = gap.along(&here, held) else { return false };
            let Some((next, length)) = self.stride(model, &now, &here, held, &along, reach) else {
                return false;
            };
            (now, reach) = (next, 2.0 * length);
        }
        false
    }

    /// Whether nothing tells two results apart: rates vanish all the way between them.
    pub(super) fn connected(&self, model: &Workspace, a: &State, b: &State, held: &FixedVariables) -> bool {
        let wishes = Preferences::default();
        (1..8).all(|k| {
            let part = f64::from(k) / 8.0;
            let mix = |a: &[f64], b: &[f64]| -> Vec<f64> {
                a.iter().zip(b).map(|(a, b)| a + part * (b - a)).collect()
            };
            let guess = State::new(a.t, &mix(&a.x, &b.x), &mix(&a.eta, &b.eta));
            let found = model.on_constraints(&guess, &a.x, &[], &[]);
            found
                .and_then(|s| self.plain(model, &s, &wishes))
                .is_some_and(|there| remainder(&there, held) <= NEARLY_QUIET)
        })
    }

    /// Some way along a direction and back to rest, with its length.
    fn stride(
        &self,
        model: &Workspace,
        now: &State,
        here: &Local,
        held: &FixedVariables,
        along: &[f64],
        reach: f64,
    ) -> Option<(State, f64)> {
        let whole = norm(along);
        let size = now.x.iter().chain(&now.eta).fold(1.0f64, |m, v| m.max(v.abs()));
        let mut length = whole.min(reach).min(STRIDE * size);
        for _ in 0..MAX_HALVINGS {
            let next = moved(model, now, here, held, along, length / whole);
            let found = next.and_then(|next| Some((self.quieten(model, &next, held)?, next)));
            if let Some((there, next)) = found {
                let off = there.x.iter().zip(&next.x).chain(there.eta.iter().zip(&next.eta));
                let mended = norm(&off.map(|(a, b)| a - b).collect::<Vec<_>>());
                if mended <= MENDED * length + f64::EPSILON.sqrt() * size * length.min(1.0) {
                    return Some((there, length));
                }
            }
            length *= 0.5;
        }
        None
    }

    /// The linear system with what is held among the independent, if it can be.
    fn holding_still(&self, model: &Workspace, state: &State, held: &FixedVariables) -> Option<Local> {
        let strict = self.plain(model, state, &holding(model, held));
        strict.or_else(|| self.plain(model, state, &Preferences::default()))
    }
}

/// What leads from one state to another; nothing for coordinates that move.
struct Gap {
    x: Vec<f64>,
    eta: Vec<f64>,
}

impl Gap {
    fn between(from: &State, to: &State, periodic: &[bool], held: &FixedVariables) -> Gap {
        let x = |i: usize| {
            let gap = to.x[i] - from.x[i];
            match periodic[i] {
                _ if held.moving.contains(&i) => 0.0,
                true => gap - TAU * (gap / TAU).round(),
                false => gap,
            }
        };
        Gap {
            x: (0..from.x.len()).map(x).collect(),
            eta: to.eta.iter().zip(&from.eta).map(|(a, b)| a - b).collect(),
        }
    }

    fn added_to(&self, state: &State) -> State {
        let sum = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a + b).collect() };
        State::new(state.t, &sum(&state.x, &self.x), &sum(&state.eta, &self.eta))
    }

    fn closed(&self, at: &State) -> bool {
        let pairs = self.x.iter().zip(&at.x).chain(self.eta.iter().zip(&at.eta));
        pairs.into_iter().all(|(gap, v)| gap.abs() <= REACHED * (1.0 + v.abs()))
    }

    /// Its part along the set, in the independent states; `None` if there is hardly any.
    fn along(&self, here: &Local, held: &FixedVariables) -> Option<Vec<f64>> {
        let (d, d_x) = (here.dimension(), here.positions.dimension());
        let (unknown, quiet) = roles(here, held);
        let wanted: Vec<f64> = unknown
            .iter()
            .map(|&k| match k.checked_sub(d_x) {
                None => self.x[here.positions.independent[k]],
                Some(w) => self.eta[here.speeds.independent[w]],
            })
            .collect();
        let weight = weights(here);
        let J: Vec<f64> = quiet
            .iter()
            .flat_map(|&i| unknown.iter().map(|&j| here.S[[i, j]] / weight[i]).collect::<Vec<_>>())
            .collect();
        let width = unknown.len().max(1);
        let rise = |row: &[f64]| row.iter().zip(&wanted).map(|(a, b)| a * b).sum::<f64>();
        let risen: Vec<f64> = J.chunks(width).map(rise).collect();
        let mut cod = Cod::new(quiet.len(), unknown.len());
        cod.factor(&J, FLAT);
        let mut across = vec![0.0; unknown.len()];
        cod.solve(&risen, &mut across);
        let mut along = vec![0.0; d];
        for (k, (w, a)) in unknown.iter().zip(wanted.iter().zip(&across)) {
            along[*k] = w - a;
        }
        (norm(&along) > ACROSS * norm(&wanted)).then_some(along)
    }
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}
