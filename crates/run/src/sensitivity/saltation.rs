//! Sensitivities across events (S3).
//!
//! ```text
//! tau_p = -(g_y S- + g_p)/(g_y f- + g_t),     S+ = R_y S- + R_p + (R_y f- + R_t - f+) tau_p
//! ```
//!
//! Contacts that stick, slide or turn, switches of time and jumps of forces leave the state alone: R is the identity. An
//! event of the user that sets something has a reset R of its own. Where g vanishes with its rate the motion only grazes the
//! event, and there is no derivative: refused, with the name of the event.
//! Source: Leine and Nijmeijer, Dynamics and Bifurcations of Non-Smooth Mechanical Systems, section 7.

use super::follow::Sensitivities;
use crate::hybrid::{FollowedStep, Guard, Moment};
use crate::kernel::Direction;
use crate::{Action, NotDifferentiable, Point};

/// A rate of a guard below this part of what it is the sum of is rounding: the motion grazes.
const GRAZING: f64 = 1e-9;
/// Distance from a kink, in time, at which the two sides are told apart.
const BESIDE: f64 = 1e-9;
/// An event function that is further from zero than it moves in this part of the time has jumped there.
const JUMPED: f64 = 1e-5;
/// Two events whose times change alike, relatively.
const ALIKE: f64 = 1e-7;
/// A kink and an event are at one instant if they are nearer than this in time, relatively.
const AT_ONCE: f64 = 1e-10;
/// Jumps of a derivative below this, relative to its size, are none.
const NO_JUMP: f64 = 1e-7;

/// What vanishes: a guard of the driver, or a kink of the equations.
#[derive(Clone, Copy)]
enum Vanishing {
    Guard(Guard),
    Kink(usize),
}

impl Sensitivities<'_> {
    /// Columns behind guards that vanish together, where the motion goes on by other equations or from another state.
    pub(super) fn pass(
        &mut self,
        guards: &[Guard],
        before: Moment<'_>,
        after: Moment<'_>,
    ) -> Result<(), NotDifferentiable> {
        self.rewind(before.t);
        self.sides.clear();
        let width = self.equation.width();
        self.take_modes(before.modes)?;
        let rows = self.equation.response.as_ref().map_or(0, |r| r.row_count());
        self.equation.solve(side(before), before.y)?;
        if rows > 0 {
            self.equation.make_tangent(&mut self.S);
        }
        let mut f = vec![0.0; width];
        self.derivative(&mut f);
        // At a jump of a force just there: the side from which the columns come.
        if self.side_of_kinks(side(before), before.y, &f).is_some() {
            let passed = (before.t - self.kink_passed).abs() <= AT_ONCE * (1.0 + before.t.abs());
            self.limit(side(before), before.y, if passed { 1.0 } else { -1.0 }, &mut f)?;
        }
        let mut S = self.S.clone();
        let taus = self.time_changes(guards, &S, &f, before)?;
        self.crossed = (before.t, taus.clone());
        let events: Vec<usize> = guards.iter().filter_map(Guard::event).collect();
        if let Some(&event) = events.first() {
            self.reset(&events, &mut S, &mut f);
            // Constraints that a new state was brought to.
            if self.moved_otherwise(&events, before.y, after.y) {
                return Err(NotDifferentiable::Reset(event));
            }
        }
        self.equation.response = None;
        self.take_modes(after.modes)?;
        self.equation.solve(side(after), after.y)?;
        let mut f_after = vec![0.0; width];
        self.derivative(&mut f_after);
        // The next step sees a jump if it begins on the side that it leaves.
        if let Some(leaves) = self.side_of_kinks(side(after), after.y, &f_after) {
            self.limit(side(after), after.y, if leaves { -1.0 } else { 1.0 }, &mut f_after)?;
        }
        for (column, tau) in S.chunks_mut(width).zip(&taus) {
            (0..width).for_each(|i| column[i] += (f[i] - f_after[i]) * tau);
        }
        self.S = S;
        if self.equation.response.as_ref().is_some_and(|r| r.row_count() > 0) {
            self.equation.make_tangent(&mut self.S);
        }
        self.at = (after.t, self.S.clone());
        self.t = after.t;
        Ok(())
    }

    /// tau_p of guards that vanish together, for every column. Events and contacts that follow from what has just happened are
    /// at its time, whatever their own functions do: a force that jumps lets a contact slide.
    fn time_changes(
        &mut self,
        guards: &[Guard],
        S: &[f64],
        f: &[f64],
        before: Moment<'_>,
    ) -> Result<Vec<f64>, NotDifferentiable> {
        if (self.crossed.0 - before.t).abs() <= AT_ONCE * (1.0 + before.t.abs()) {
            return Ok(self.crossed.1.clone());
        }
        let assigning = |guard: &Guard| {
            let actions = self.equation.base.capabilities().actions();
            guard.event().is_none_or(|event| actions.iter().any(|action| action.event == event))
        };
        // Those that only stop the motion or report it change nothing.
        let acting: Vec<Guard> = guards.iter().copied().filter(assigning).collect();
        let acting = if acting.is_empty() { &guards[..1] } else { &acting };
        let width = self.equation.width();
        let mut taus: Vec<f64> = Vec::new();
        for (k, guard) in acting.iter().enumerate() {
            for (c, column) in S.chunks(width).enumerate() {
                let tau = self.time_change((c, column), f, Vanishing::Guard(*guard), before)?;
                match taus.get(c) {
                    None => taus.push(tau),
                    // A little more or less, and one of them comes first.
                    Some(first) if k > 0 && (tau - first).abs() > ALIKE * (tau.abs() + first.abs()) => {
                        return Err(NotDifferentiable::Reset(guard.event().unwrap_or(0)));
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(taus)
    }

    /// Columns behind a kink of the equations inside a step.
    pub(super) fn pass_kink(
        &mut self,
        step: &FollowedStep<'_>,
        t: f64,
        kink: usize,
    ) -> Result<(), NotDifferentiable> {
        let width = self.equation.width();
        let d = self.equation.n_x + self.equation.n;
        self.kink_passed = t;
        let mut sides = [vec![0.0; width], vec![0.0; width]];
        let (mut y, mut rate) = (vec![0.0; d], vec![0.0; width]);
        (step.inside)((t - step.t) / step.h, &mut y);
        self.equation.solve(t, &y)?;
        self.derivative(&mut rate);
        // Steps may be as short as rounding here: the sides are told apart by a moment of the motion's own time.
        let moment = BESIDE * (1.0 + t.abs()) * step.h.signum();
        let mut further = vec![0.0; width];
        for (k, f) in sides.iter_mut().enumerate().rev() {
            let moment = if k == 0 { -moment } else { moment };
            let mut beside = |moved: f64, f: &mut [f64]| {
                let state: Vec<f64> = y.iter().zip(&rate).map(|(y, f)| y + moved * f).collect();
                self.equation.solve(t + moved, &state)?;
                self.derivative(f);
                Ok(())
            };
            beside(2.0 * moment, &mut further)?;
            beside(moment, f)?;
            // The limit from this side: steep laws change within a moment.
            f.iter_mut().zip(&further).for_each(|(f, further)| *f = 2.0 * *f - further);
        }
        let [f, f_after] = sides;
        let size = f.iter().chain(&f_after).fold(0.0f64, |m, v| m.max(v.abs()));
        if f.iter().zip(&f_after).all(|(a, b)| (a - b).abs() <= NO_JUMP * size) {
            return Ok(());
        }
        let at = Moment { t, y: &y, modes: step.modes, stretch: step.stretch };
        let mut S = self.S.clone();
        for (k, column) in S.chunks_mut(width).enumerate() {
            let tau = self.time_change((k, column), &f, Vanishing::Kink(kink), at)?;
            (0..width).for_each(|i| column[i] += (f[i] - f_after[i]) * tau);
        }
        self.S = S;
        Ok(())
    }

    /// Whether a motion with these rates leaves the side of a kink that it is on, for kinks that vanish at a state; `None` where
    /// none does.
    fn side_of_kinks(&mut self, t: f64, y: &[f64], f: &[f64]) -> Option<bool> {
        let (base, n_x) = (self.equation.base, self.equation.n_x);
        let count = base.kink_count();
        if count == 0 {
            return None;
        }
        let moment = BESIDE * (1.0 + t.abs()) * self.way;
        let mut scratch = vec![0.0; base.derivative_scratch_len()];
        let mut values = |part: f64| {
            let moved: Vec<f64> = y.iter().zip(f).map(|(y, f)| y + part * moment * f).collect();
            let mut g = vec![0.0; count];
            let at = Point { t: t + part * moment, x: &moved[..n_x], eta: &moved[n_x..] };
            base.kinks(at, &mut scratch, &mut g);
            g
        };
        let (before, now, after) = (values(-1.0), values(0.0), values(1.0));
        let near = (0..count).filter(|k| before[*k] * after[*k] <= 0.0 && before[*k] != after[*k]);
        let leaves: Vec<bool> = near.map(|k| now[k] * after[k] < 0.0).collect();
        leaves.iter().copied().reduce(|a, b| a || b)
    }

    /// The limit of the rates from the past (-1) or the future (1) of a motion through a state, whose rates there are `f`.
    fn limit(&mut self, t: f64, y: &[f64], way: f64, f: &mut [f64]) -> Result<(), NotDifferentiable> {
        let moment = BESIDE * (1.0 + t.abs()) * self.way * way;
        let rates = f.to_vec();
        let mut further = vec![0.0; f.len()];
        for (part, out) in [(2.0, &mut further[..]), (1.0, &mut *f)] {
            let moved: Vec<f64> = y.iter().zip(&rates).map(|(y, f)| y + part * moment * f).collect();
            self.equation.solve(t + part * moment, &moved)?;
            self.derivative(out);
        }
        f.iter_mut().zip(&further).for_each(|(f, further)| *f = 2.0 * *f - further);
        self.equation.solve(t, y)?;
        Ok(())
    }

    /// tau_p of an event of the model for a column, at the state solved for last.
    pub(super) fn event_time(
        &mut self,
        k: usize,
        column: &[f64],
        f: &[f64],
        event: usize,
    ) -> Result<f64, NotDifferentiable> {
        let (y, modes) = (Vec::new(), self.modes.clone());
        let at = Moment { t: self.at.0, y: &y, modes: &modes, stretch: [f64::NEG_INFINITY, f64::INFINITY] };
        self.time_change((k, column), f, Vanishing::Guard(Guard::Event(event)), at)
    }

    /// (x', eta', integrands) at the state solved for last.
    pub(super) fn derivative(&mut self, f: &mut [f64]) {
        let d = self.equation.n_x + self.equation.n;
        if let Some(response) = &mut self.equation.response {
            response.derivative(&mut f[..d]);
            if f.len() > d {
                response.integrands(&mut f[d..]);
            }
        }
    }

    /// tau_p for a column.
    fn time_change(
        &mut self,
        (k, column): (usize, &[f64]),
        f: &[f64],
        what: Vanishing,
        at: Moment<'_>,
    ) -> Result<f64, NotDifferentiable> {
        let (n_x, n) = (self.equation.n_x, self.equation.n);
        let own = self.equation.directions[k].clone();
        let none = vec![0.0; own.len()];
        let zeros = vec![0.0; n_x + n];
        if let Vanishing::Guard(Guard::Time) = what {
            return self.switch_time(&own, at);
        }
        let mut change = |t: f64, y: &[f64], p: &[f64]| {
            self.guard_along(what, at, Direction { t, x: &y[..n_x], eta: &y[n_x..n_x + n], parameters: p })
        };
        let by_direction = change(0.0, column, &own);
        let rate = change(1.0, f, &none);
        // The sum of the sizes of its parts: what rounding is measured against.
        let mut size = change(1.0, &zeros, &none).abs();
        for i in 0..n_x + n {
            if f[i] != 0.0 {
                let mut unit = zeros.clone();
                unit[i] = f[i];
                size += change(0.0, &unit, &none).abs();
            }
        }
        if let Vanishing::Guard(Guard::Event(event)) = what
            && self.event_value(event).abs() > JUMPED * (1e-3 + at.t.abs()) * size
        {
            return Err(NotDifferentiable::JumpedEvent(event));
        }
        if by_direction == 0.0 {
            return Ok(0.0);
        }
        if !(rate.abs() > GRAZING * size) {
            return Err(match what {
                Vanishing::Guard(Guard::Event(event)) => NotDifferentiable::GrazingEvent(event),
                Vanishing::Guard(Guard::Contact(contact)) => NotDifferentiable::GrazingContact(contact),
                _ => NotDifferentiable::GrazingSwitch,
            });
        }
        Ok(-by_direction / rate)
    }

    /// The value of an event function at the state solved for last.
    fn event_value(&mut self, event: usize) -> f64 {
        let mut g = vec![0.0; self.equation.base.shape().n_event];
        if let Some(response) = &mut self.equation.response {
            response.event_values(&mut g);
        }
        g[event]
    }

    /// The change of a guard along a direction, at the state solved for last.
    fn guard_along(&mut self, what: Vanishing, at: Moment<'_>, along: Direction<'_>) -> f64 {
        let Some(response) = &mut self.equation.response else { return f64::NAN };
        match what {
            Vanishing::Guard(Guard::Contact(contact)) => {
                response.along(along, &mut self.equation.change);
                response.margin_along(contact, along, &self.equation.change)
            }
            Vanishing::Guard(Guard::Event(event)) => {
                response.along(along, &mut self.equation.change);
                let mut g = vec![0.0; self.equation.base.shape().n_event];
                response.events_along(along, &self.equation.change, &mut g);
                g[event]
            }
            Vanishing::Guard(Guard::Time) => 0.0,
            Vanishing::Kink(kink) => {
                let base = self.equation.base;
                let (mut scratch, mut g) =
                    (vec![0.0; base.derivative_scratch_len()], vec![0.0; base.kink_count()]);
                let (x, eta) = at.y.split_at(self.equation.n_x);
                base.kinks_along(Point { t: at.t, x, eta }, along, &mut scratch, &mut g);
                g[kink]
            }
        }
    }

    /// tau_p of the switches of time that change sides at an instant.
    fn switch_time(&mut self, parameters: &[f64], at: Moment<'_>) -> Result<f64, NotDifferentiable> {
        let base = self.equation.base;
        let count = base.shape().n_time_switch;
        let (mut g, mut rate, mut by) = (vec![0.0; count], vec![0.0; count], vec![0.0; count]);
        let mut scratch = vec![0.0; base.scratch_len().max(base.derivative_scratch_len())];
        let (x, eta) = (vec![0.0; self.equation.n_x], vec![0.0; self.equation.n]);
        let none = vec![0.0; parameters.len()];
        let Some(switches) = base.capabilities().time_switches else { return Ok(0.0) };
        switches.time_switches(at.t, &mut scratch, &mut g);
        let time = Direction { t: 1.0, x: &x, eta: &eta, parameters: &none };
        base.time_switches_along(at.t, time, &mut scratch, &mut rate);
        base.time_switches_along(at.t, Direction { t: 0.0, parameters, ..time }, &mut scratch, &mut by);
        // The instant is known to rounding: the function that vanishes there is the least in time.
        let distance = |i: usize| if rate[i] != 0.0 { (g[i] / rate[i]).abs() } else { f64::INFINITY };
        let near = 1e-9 * (1.0 + at.t.abs());
        let found = (0..count).filter(|i| distance(*i) <= near && by[*i] != 0.0);
        let first = found.min_by(|a, b| distance(*a).total_cmp(&distance(*b)));
        Ok(first.map_or(0.0, |i| -by[i] / rate[i]))
    }

    /// What events that happen at once assign, for columns and for f before them.
    fn reset(&mut self, events: &[usize], S: &mut [f64], f: &mut [f64]) {
        let actions: Vec<Action> = self.equation.base.capabilities().actions().to_vec();
        let happens = |action: &Action| events.contains(&action.event);
        if !actions.iter().any(happens) {
            return;
        }
        let (n_x, n, width) = (self.equation.n_x, self.equation.n, self.equation.width());
        let Some(response) = &mut self.equation.response else { return };
        let change = &mut self.equation.change;
        let mut values = vec![0.0; actions.len()];
        let mut assign = |t: f64, column: &mut [f64], parameters: &[f64]| {
            let own = column.to_vec();
            let along = Direction { t, x: &own[..n_x], eta: &own[n_x..n_x + n], parameters };
            response.along(along, change);
            response.actions_along(along, change, &mut values);
            for (action, value) in actions.iter().zip(&values).filter(|(a, _)| happens(a)) {
                column[action.variable] = *value;
            }
        };
        let none = vec![0.0; self.equation.directions.first().map_or(0, Vec::len)];
        assign(1.0, f, &none);
        for (column, parameters) in S.chunks_mut(width).zip(&self.equation.directions) {
            assign(0.0, column, parameters);
        }
    }

    /// Whether a state behind events differs from that before them in what they do not assign.
    fn moved_otherwise(&self, events: &[usize], before: &[f64], after: &[f64]) -> bool {
        let actions = self.equation.base.capabilities().actions();
        let assigned = |i: usize| actions.iter().any(|a| events.contains(&a.event) && a.variable == i);
        (0..before.len())
            .any(|i| !assigned(i) && (before[i] - after[i]).abs() > 1e-6 * (1.0 + before[i].abs()))
    }
}

/// The time of a moment, on its side of a switch.
fn side(at: Moment<'_>) -> f64 {
    at.t.max(at.stretch[0]).min(at.stretch[1])
}
