//! Switches of constraints: places where rows are put together from pieces (`abs`, `if`, `min`, a drive in parts).
//!
//! A motion goes on over a switch where the pieces fit: the rows and what they demand of the speeds are the same on
//! both sides. Where they are not, positions would have to jump, or speeds by an impact, which no equation here decides.
//! So the run ends just before the switch. Rows are compared a little before and behind it, at two distances: what
//! shrinks with the distance is a slope, what does not is a jump. Steps that pass a jump are shortened until they begin
//! within `REACHED` of it, so that the state there does not stem from a step across.
//!
//! Checked by `tests/it/kinks.rs` of the facade: tracks with kinks, drives that jump, pieces that fit.

use super::{Crossing, Driver, EventHit, EventRule, Events, Failure, Stop};
use crate::hybrid::tolerances::{
    COMPARED_AT, COMPARED_FURTHER, FITTING, LASTING, LOOK_AHEAD, REACHED, SWITCH_RATE, SWITCH_ROUNDING,
};
use crate::{Kernel, Shape, Terms};
use dalembert_linalg::norm_max;

/// How a step passes the switches in it.
pub(super) enum Passing {
    Smooth,
    /// It meets a jump: the step is taken again, shorter.
    Again,
    /// An event ends the run where the jump is.
    Stopped(Stop),
}

/// Where a comparison begins.
#[derive(Clone, Copy, PartialEq)]
enum From {
    /// As far before the place as it ends behind it.
    Before,
    /// At the place: it is a start.
    Here,
}

/// A state on a switch, and how it moves on.
struct Place {
    t: f64,
    y: Vec<f64>,
    rate: Vec<f64>,
    /// Lengths of the rows.
    lengths: Vec<f64>,
}

/// Watch over the switches, if there are any.
pub(super) fn watch(shape: &Shape) -> Option<Events> {
    let any = EventRule { crossing: Crossing::Both, stop: false };
    (shape.n_switch > 0).then(|| Events::new(&vec![any; shape.n_switch], shape.n_switch))
}

impl Driver<'_> {
    /// Notes the sides at the start; an error where the motion from a switch begins with a jump.
    pub(super) fn begin_switches(&mut self) -> Result<(), Failure> {
        self.note_sides();
        let Some(switches) = &self.switches else { return Ok(()) };
        let on: Vec<usize> = (0..).zip(switches.before()).filter(|(_, b)| b.0 == 0.0).map(|b| b.0).collect();
        let place = self.place(self.t, &self.y, &self.f);
        match on.into_iter().find_map(|i| self.jump(&place, i, From::Here)) {
            Some(jump) => Err(jump),
            None => Ok(()),
        }
    }

    /// The sides of the switches at the state.
    pub(super) fn note_sides(&mut self) {
        if let Some(mut switches) = self.switches.take() {
            switches.begin(|g| self.switch_values(self.t, &self.y, g), 0.0);
            self.switches = Some(switches);
        }
    }

    /// Looks for switches in the step just made, of length h.
    pub(super) fn pass_switches(&mut self, h: f64) -> Result<Passing, Failure> {
        let Some(mut switches) = self.switches.take() else { return Ok(Passing::Smooth) };
        let (mark, t) = (switches.mark(), self.t);
        let mut row = std::mem::take(&mut self.row);
        switches.scan(t, h, &mut |theta, g| {
            self.inside(theta, &mut row);
            self.switch_values(t + theta * h, &row, g);
        });
        self.row = row;
        let met = switches.hits.iter().find_map(|hit| self.jump_in_step(hit, h).map(|jump| (hit.t, jump)));
        if met.is_some() {
            switches.rewind(mark);
        }
        self.switches = Some(switches);
        self.pass(met, h)
    }

    /// Before a step of length h: whether the motion comes to a jump in it. Stages beyond the switch, or the projection,
    /// could hold the motion back so that the end of the step does not show it.
    pub(super) fn look_ahead(&mut self, h: f64) -> Result<Passing, Failure> {
        let Some(switches) = &self.switches else { return Ok(Passing::Smooth) };
        let sides: Vec<f64> = switches.before().map(|(side, _)| side).collect();
        self.pass(self.jump_ahead(&sides, h), h)
    }

    /// What follows from a jump that a step of length h meets, or from none.
    fn pass(&mut self, met: Option<(f64, Failure)>, h: f64) -> Result<Passing, Failure> {
        let Some((at, jump)) = met else { return Ok(Passing::Smooth) };
        let away = (at - self.t).abs();
        if away > REACHED * self.time_size() {
            self.closing_in = 0.5 * away;
            self.stepper.interrupted();
            return Ok(Passing::Again);
        }
        self.stopped_before(h).map_or(Err(jump), |stop| Ok(Passing::Stopped(stop)))
    }

    /// A run that cannot go on may have come to a jump that no step could pass.
    pub(super) fn blame_switch(&mut self, failure: Failure) -> Failure {
        let n = self.field.shape.n_switch;
        if n == 0 || matches!(failure, Failure::ConstraintJump { .. } | Failure::Chatter { .. }) {
            return failure;
        }
        let place = self.place(self.t, &self.y, &self.f);
        (0..n).find_map(|i| self.jump(&place, i, From::Before)).unwrap_or(failure)
    }

    fn time_size(&self) -> f64 {
        self.t.abs().max(self.span().abs())
    }

    /// The state at a fraction of the step, as the method gives it.
    fn inside(&self, theta: f64, out: &mut [f64]) {
        match &self.bridge {
            _ if theta == 1.0 => out.copy_from_slice(&self.y_new),
            Some(bridge) if self.bridging => super::Stepper::dense(bridge, theta, out),
            _ => self.stepper.dense(theta, out),
        }
    }

    /// The functions of the switches, rounding taken off.
    fn switch_values(&self, t: f64, y: &[f64], g: &mut [f64]) {
        let mut scratch = vec![0.0; self.field.kernel.scratch_len()];
        self.field.kernel.switches(self.field.point(t, y), &mut scratch, g);
        let rounding = SWITCH_ROUNDING * norm_max(y).max(t.abs()).max(1.0);
        g.iter_mut().filter(|g| g.abs() <= rounding).for_each(|g| *g = 0.0);
    }

    /// The jump at a switch that was located in the step: with the speeds of the method there, which a step across may
    /// have mixed, and with those at its beginning, which are good once that is near.
    fn jump_in_step(&self, hit: &EventHit, h: f64) -> Option<Failure> {
        let (n_x, theta) = (self.field.shape.n_x, (hit.t - self.t) / h);
        let mut y = self.y.clone();
        self.inside(theta, &mut y);
        let (low, high) = ((theta - SWITCH_RATE).max(0.0), (theta + SWITCH_RATE).min(1.0));
        let (mut before, mut rate) = (y.clone(), y.clone());
        self.inside(low, &mut before);
        self.inside(high, &mut rate);
        rate.iter_mut().zip(&before).for_each(|(r, b)| *r = (*r - b) / ((high - low) * h));
        let far = (hit.t - self.t).abs() > REACHED * self.time_size();
        let mixed = || self.jump(&self.place(hit.t, &y, &rate), hit.index, From::Before);
        if let Some(jump) = far.then(mixed).flatten() {
            return Some(jump);
        }
        y[n_x..].copy_from_slice(&self.y[n_x..]);
        self.jump(&self.place(hit.t, &y, &self.f), hit.index, From::Before)
    }

    /// The first jump on a path of second order from the state, a little further than h.
    fn jump_ahead(&self, sides: &[f64], h: f64) -> Option<(f64, Failure)> {
        let mut way = self.place(self.t, &self.y, &self.f);
        let end = self.place(self.t + h, &way.later(h), &self.f);
        way.rate.iter_mut().zip(&end.rate).for_each(|(a, b)| *a = 0.5 * (*a + b));
        let mut g = vec![0.0; sides.len()];
        let mut left = |i: usize, tau: f64| {
            self.switch_values(self.t + tau, &way.later(tau), &mut g);
            g[i] * sides[i] < 0.0
        };
        for i in 0..sides.len() {
            let (mut before, mut behind) = (0.0, LOOK_AHEAD * h);
            if !left(i, behind) {
                continue;
            }
            for _ in 0..60 {
                let middle = 0.5 * (before + behind);
                *(if left(i, middle) { &mut behind } else { &mut before }) = middle;
            }
            let place = self.place(self.t + behind, &way.later(behind), &self.f);
            if let Some(jump) = self.jump(&place, i, From::Before) {
                return Some((self.t + behind, jump));
            }
        }
        None
    }

    /// A state with x' of its own (K1) and the given rates of speeds.
    fn place(&self, t: f64, y: &[f64], rate: &[f64]) -> Place {
        let mut scratch = vec![0.0; self.field.kernel.scratch_len()];
        let mut terms = Terms::of(&self.field.kernel);
        self.field.kernel.terms(self.field.point(t, y), &mut scratch, &mut terms);
        let mut rate = rate.to_vec();
        rate[..terms.x_dot.len()].copy_from_slice(&terms.x_dot);
        // Rows of contacts that stick come after those of the model.
        let rows = self.field.kernel.base().shape().n_con;
        let length = |i: usize| Some(terms.row(i).norm()).filter(|l| *l > 0.0).unwrap_or(1.0);
        Place { t, y: y.to_vec(), rate, lengths: (0..rows).map(length).collect() }
    }

    /// What jumps at a place where switch i is passed.
    fn jump(&self, place: &Place, i: usize, from: From) -> Option<Failure> {
        let size = self.time_size();
        let way = self.span().signum();
        let side = |tau: f64| {
            let mut g = vec![0.0; self.field.shape.n_switch];
            self.switch_values(place.t + tau, &place.later(tau), &mut g);
            if g[i] == 0.0 { 0.0 } else { g[i].signum() }
        };
        let passed = |tau: f64| match from {
            From::Here => side(tau) != 0.0,
            From::Before => side(-tau) * side(tau) < 0.0,
        };
        let mut tau = COMPARED_AT[0] * size * way;
        while !passed(tau) {
            tau *= 4.0;
            if tau.abs() > COMPARED_AT[1] * size {
                return None;
            }
        }
        let (near, far) = (self.change(place, tau, from), self.change(place, COMPARED_FURTHER * tau, from));
        let (x, eta) = place.y.split_at(self.field.shape.n_x);
        let sizes = [1.0 + norm_max(x), 1.0 + norm_max(eta)];
        let levels = [false, true].into_iter().zip(near.iter().zip(&far).zip(sizes));
        for (of_speeds, ((near, far), size)) in levels {
            let scaled = |row: usize| near[row].abs() / (place.lengths[row] * size);
            let jumps = |row: &usize| scaled(*row) > FITTING && near[*row].abs() > LASTING * far[*row].abs();
            let rows = (0..place.lengths.len()).filter(jumps);
            if let Some(row) = rows.max_by(|a, b| scaled(*a).total_cmp(&scaled(*b))) {
                return Some(Failure::ConstraintJump { t: place.t, row, of_speeds, jump: near[row] });
            }
        }
        None
    }

    /// By how much phi and psi of each row change around a place.
    fn change(&self, place: &Place, tau: f64, from: From) -> [Vec<f64>; 2] {
        let m = self.field.shape.n_con;
        let mut scratch = vec![0.0; self.field.kernel.scratch_len()];
        let mut residuals = |tau: f64| {
            let (mut phi, mut psi) = (vec![0.0; m], vec![0.0; m]);
            let y = place.later(tau);
            self.field.kernel.residuals(
                self.field.point(place.t + tau, &y),
                &mut scratch,
                &mut phi,
                &mut psi,
            );
            [phi, psi]
        };
        let before = residuals(if from == From::Here { 0.0 } else { -tau });
        let mut change = residuals(tau);
        for (now, before) in change.iter_mut().zip(&before) {
            now.iter_mut().zip(before).for_each(|(a, b)| *a -= b);
        }
        change
    }

    /// The event that ends the run just where a constraint jumps, with the state before it.
    fn stopped_before(&mut self, h: f64) -> Option<Stop> {
        let tau = 4.0 * REACHED * self.time_size() * h.signum();
        let mut g = vec![0.0; self.contacts + self.field.shape.n_event];
        for ((row, y), f) in self.row.iter_mut().zip(&self.y).zip(&self.f) {
            *row = y + tau * f;
        }
        self.event_values_at(self.t + tau, &mut g);
        let (index, rising) = self.events.stopping(self.contacts, h, &g)?;
        let hit = EventHit { index: index - self.contacts, t: self.t, rising };
        self.give_row_now(Some(hit));
        Some(Stop::Event(hit))
    }
}

impl Place {
    fn later(&self, tau: f64) -> Vec<f64> {
        self.y.iter().zip(&self.rate).map(|(y, r)| y + tau * r).collect()
    }
}
