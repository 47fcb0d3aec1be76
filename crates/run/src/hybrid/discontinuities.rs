//! Switches of constraints as a source of events: places where rows are put together from pieces (`abs`, `if`, `min`, a drive in parts).
//!
//! A motion goes on over a switch where the pieces fit: the rows and what they demand of the speeds are the same on
//! both sides. Where they are not, positions would have to jump, or speeds by an impact, which no equation here decides.
//! So the run ends just before the switch. Rows are compared a little before and behind it, at two distances: what
//! shrinks with the distance is a slope, what does not is a jump. Steps that pass a jump are shortened until they begin
//! within `REACHED` of it, so that the state there does not stem from a step across.
//!
//! Checked by `tests/it/kinks.rs` of the facade: tracks with kinks, drives that jump, pieces that fit.

use super::events::EventSearch;
use super::integration::Integration;
use super::source::{EventSource, Transition};
use super::tolerances::{
    COMPARED_AT, COMPARED_FURTHER, FITTING, LASTING, LOOK_AHEAD, REACHED, SWITCH_RATE, SWITCH_ROUNDING,
};
use super::{Crossing, EventHit, EventRule, Failure};
use crate::{Dynamics, Terms};
use dalembert_linalg::norm_max;

/// Watch over the switches of the constraints of a run.
pub(super) struct Discontinuities {
    switches: EventSearch,
    /// The longest next step towards a switch that cannot be passed.
    closing_in: f64,
    /// Whether the motion has begun.
    begun: bool,
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

impl Discontinuities {
    /// Those of a run, if it has any.
    pub fn of(run: &Integration<'_>) -> Option<Self> {
        let n = run.field.shape.n_switch;
        let any = EventRule { crossing: Crossing::Both, stop: false };
        let switches = EventSearch::new(&vec![any; n], n);
        (n > 0).then_some(Self { switches, closing_in: f64::INFINITY, begun: false })
    }

    /// What follows from a jump that a step meets at this time, or from none.
    fn pass(
        &mut self,
        run: &mut Integration<'_>,
        met: Option<(f64, Failure)>,
    ) -> Result<Transition, Failure> {
        let Some((at, jump)) = met else { return Ok(Transition::Continue) };
        let away = (at - run.t).abs();
        if away > REACHED * run.time_size() {
            self.closing_in = 0.5 * away;
            run.methods.asked.interrupted();
            return Ok(Transition::Retry);
        }
        Err(jump)
    }
}

impl EventSource for Discontinuities {
    /// Notes the sides of the switches; an error where the motion begins on a switch with a jump.
    fn settle(&mut self, run: &mut Integration<'_>) -> Result<(), Failure> {
        self.switches.begin(|g| run.switch_values(run.t, &run.y, g), 0.0);
        if std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        let mut on = (0..).zip(self.switches.before()).filter(|(_, (side, _))| *side == 0.0);
        let here = run.place(run.t, &run.y, &run.f);
        on.find_map(|(i, _)| run.jump(&here, i, From::Here)).map_or(Ok(()), Err)
    }

    fn plan(&mut self, _: &mut Integration<'_>, h: f64) -> f64 {
        h.abs().min(self.closing_in) * h.signum()
    }

    /// Whether the motion comes to a jump in the step. Stages beyond the switch, or the projection, could hold the motion
    /// back so that the end of the step does not show it.
    fn approach(&mut self, run: &mut Integration<'_>, h: &mut f64) -> Result<Transition, Failure> {
        let sides: Vec<f64> = self.switches.before().map(|(side, _)| side).collect();
        let ahead = run.jump_ahead(&sides, *h);
        self.pass(run, ahead)
    }

    fn looks_inside(&self) -> bool {
        true
    }

    /// Looks for switches in the step just made.
    fn review(&mut self, run: &mut Integration<'_>, h: f64) -> Result<Transition, Failure> {
        let (mark, t) = (self.switches.mark(), run.t);
        let mut row = run.y.clone();
        self.switches.scan(t, h, &mut |theta, g| {
            run.inside(theta, &mut row);
            run.switch_values(t + theta * h, &row, g);
        });
        let mut hits = self.switches.hits.iter();
        let met = hits.find_map(|hit| run.jump_in_step(hit, h).map(|jump| (hit.t, jump)));
        match met {
            Some(_) => self.switches.rewind(mark),
            None => self.closing_in = f64::INFINITY,
        }
        self.pass(run, met)
    }

    fn blame(&self, run: &Integration<'_>, failure: Failure) -> Failure {
        if matches!(failure, Failure::ConstraintJump { .. } | Failure::Chatter { .. }) {
            return failure;
        }
        let here = run.place(run.t, &run.y, &run.f);
        let mut switches = 0..run.field.shape.n_switch;
        switches.find_map(|i| run.jump(&here, i, From::Before)).unwrap_or(failure)
    }
}

impl Integration<'_> {
    /// The functions of the switches, rounding taken off.
    fn switch_values(&self, t: f64, y: &[f64], g: &mut [f64]) {
        let Some(switches) = self.field.kernel.base_capabilities().switches else { return g.fill(1.0) };
        let mut scratch = vec![0.0; self.field.kernel.scratch_len()];
        switches.switches(self.field.point(t, y), &mut scratch, g);
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
}

impl Place {
    fn later(&self, tau: f64) -> Vec<f64> {
        self.y.iter().zip(&self.rate).map(|(y, r)| y + tau * r).collect()
    }
}
