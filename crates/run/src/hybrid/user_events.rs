//! Events of the user as a source: functions of the model at whose zeros there are rows, the motion ends, or the state jumps.
//!
//! At an event that assigns, all new values are taken from the state before it (those of simultaneous events too), the
//! constraints are asked whether they hold behind it, and a motion begins there ([`Transition::Jump`]). Contacts find their modes
//! anew. An event whose function jumps through zero because of another one happens next, at the same instant (`driver/transitions`).
//!
//! Events that follow each other ever faster (a ball that comes to rest) have no motion behind them. They are known by times
//! that converge geometrically, `t + d r/(1 - r)` with the last interval d and its ratio r to the one before, by an event that
//! follows itself at once, or by their number in a short time.
//!
//! Checked by `tests/it/event_actions.rs` here and in the facade.

use super::integration::Integration;
use super::source::{EventSource, Transition};
use super::tolerances::{ACCUMULATED, ACTION_RESIDUAL, AT_ONCE, CROWD, CROWDED, SAME_VALUE, STEADY_RATIO};
use super::{EventHit, EventRule, Failure, Stop};
use crate::constraint::projection::Projector;
use crate::{Action, Point};
use std::collections::VecDeque;

/// Events of the user along a run.
pub(super) struct UserEvents {
    /// One that assigns ends its step, as one that ends the motion does.
    rules: Vec<EventRule>,
    /// Whether each of them ends the motion.
    ends: Vec<bool>,
    actions: Vec<Action>,
    values: Vec<f64>,
    /// All functions of the model, those without a rule too.
    g: Vec<f64>,
    history: History,
}

impl UserEvents {
    /// Those of a run, if it has any.
    pub fn of(run: &Integration<'_>) -> Option<Self> {
        let capabilities = run.field.kernel.base_capabilities();
        capabilities.events?;
        let (rules, n) = (&run.options.events, run.field.shape.n_event);
        let mut rules = rules[..rules.len().min(n)].to_vec();
        let actions: Vec<Action> =
            capabilities.actions().iter().copied().filter(|a| a.event < rules.len()).collect();
        let ends: Vec<bool> = rules.iter().map(|rule| rule.stop).collect();
        actions.iter().for_each(|action| rules[action.event].stop = true);
        let values = vec![0.0; capabilities.actions().len()];
        let history = History::new(rules.len());
        (!rules.is_empty()).then(|| Self { rules, ends, actions, values, g: vec![0.0; n], history })
    }

    fn assigns(&self, event: usize) -> bool {
        self.actions.iter().any(|action| action.event == event)
    }

    /// The state behind events that happen at once, into `run`; that before them where there is none.
    fn assign(&mut self, run: &mut Integration<'_>, hits: &[EventHit]) -> Result<(), Failure> {
        let before = run.y.clone();
        let assigned = self
            .assign_from(run, hits, &before)
            .and_then(|()| check_constraints(run, &before, hits[0].index));
        match &assigned {
            Err(_) => run.y.copy_from_slice(&before),
            Ok(()) => run.observer.jump(run.field.point(run.t, &before), run.field.point(run.t, &run.y)),
        }
        assigned
    }

    /// What events that happen at once assign, all from the values `before`.
    fn assign_from(
        &mut self,
        run: &mut Integration<'_>,
        hits: &[EventHit],
        before: &[f64],
    ) -> Result<(), Failure> {
        let Some(events) = run.field.kernel.base_capabilities().events else { return Ok(()) };
        let t = run.t;
        for hit in hits {
            if !self.assigns(hit.index) {
                continue;
            }
            if let Some(limit) = self.history.note(hit.index, t, run.span().abs()) {
                return Err(Failure::Accumulation { t, event: hit.index, limit });
            }
        }
        // Without an acceleration, expressions that use it see the last one.
        let _ = run.field.report(t, before);
        let at = run.field.point(t, before);
        events.action_values(at, run.field.reported(), &mut run.scratch, &mut self.values);
        let mut assigned: Vec<(usize, usize)> = Vec::new();
        for (action, &value) in events.actions().iter().zip(&self.values) {
            if !hits.iter().any(|hit| hit.index == action.event) {
                continue;
            }
            let variable = action.variable;
            if !value.is_finite() {
                return Err(Failure::NotFinite { t, index: variable });
            }
            match assigned.iter().find(|(known, _)| *known == variable) {
                Some(&(_, first)) if !same(run.y[variable], value) => {
                    return Err(Failure::Contradiction { t, variable, events: [first, action.event] });
                }
                Some(_) => {}
                None => {
                    run.y[variable] = value;
                    assigned.push((variable, action.event));
                }
            }
        }
        Ok(())
    }
}

impl EventSource for UserEvents {
    fn rules(&self) -> &[EventRule] {
        &self.rules
    }

    fn is_shown(&self) -> bool {
        true
    }

    fn acts(&self, index: usize) -> bool {
        self.assigns(index)
    }

    fn guards(&mut self, run: &mut Integration<'_>, t: f64, g: &mut [f64]) {
        let Some(events) = run.field.kernel.base_capabilities().events else { return g.fill(1.0) };
        if events.events_need_solution() {
            // Without an acceleration the functions see the last one; they are asked again a little further on.
            let _ = run.field.report(t, &run.row);
        }
        let at = run.field.point(t, &run.row);
        events.events(at, run.field.reported(), &mut run.scratch, &mut self.g);
        g.copy_from_slice(&self.g[..g.len()]);
    }

    fn fire(&mut self, run: &mut Integration<'_>, hits: &[EventHit]) -> Result<Transition, Failure> {
        let last = hits.iter().find(|hit| self.ends[hit.index]).map(|hit| Stop::Event(*hit));
        if !hits.iter().any(|hit| self.assigns(hit.index)) {
            return Ok(last.map_or(Transition::Continue, Transition::Stop));
        }
        self.assign(run, hits)?;
        Ok(last.map_or(Transition::Jump, Transition::JumpAndStop))
    }
}

/// Whether two values are the same up to rounding.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME_VALUE * a.abs().max(b.abs())
}

/// An error where a constraint that held before does not hold for the state in `run`.
fn check_constraints(run: &Integration<'_>, before: &[f64], event: usize) -> Result<(), Failure> {
    let base = run.field.kernel.base();
    if base.shape().n_con == 0 {
        return Ok(());
    }
    let mut projector = Projector::new(base);
    let mut residuals = |y: &[f64]| {
        let (x, eta) = y.split_at(run.field.shape.n_x);
        let at = Point { t: run.t, x, eta };
        projector.measure(base, at);
        projector.residuals(base, at)
    };
    let (old, new) = (residuals(before), residuals(&run.y));
    let allowed = |old: f64| ACTION_RESIDUAL.max(10.0 * old);
    let t = run.t;
    if !(new.position <= allowed(old.position)) {
        let (row, residual) = (new.position_row, new.position);
        return Err(Failure::OffConstraints { t, event, row, residual, of_rate: false });
    }
    if !(new.velocity <= allowed(old.velocity)) {
        let (row, residual) = (new.velocity_row, new.velocity);
        return Err(Failure::OffConstraints { t, event, row, residual, of_rate: true });
    }
    Ok(())
}

/// Times at which events have assigned something.
struct History {
    /// The last times of each event.
    own: Vec<VecDeque<f64>>,
    /// The last times of all.
    all: VecDeque<f64>,
}

impl History {
    fn new(events: usize) -> Self {
        Self { own: vec![VecDeque::new(); events], all: VecDeque::new() }
    }

    /// Takes note of an event. Returns where events accumulate, if they do.
    fn note(&mut self, event: usize, t: f64, span: f64) -> Option<f64> {
        let own = &mut self.own[event];
        let at_once = own.back().is_some_and(|last| (t - last).abs() <= AT_ONCE * span);
        own.push_back(t);
        if own.len() > STEADY_RATIO.0 + 2 {
            own.pop_front();
        }
        self.all.push_back(t);
        if self.all.len() > CROWD {
            self.all.pop_front();
        }
        let crowded = self.all.len() == CROWD && (t - self.all[0]).abs() <= CROWDED * span;
        if at_once || crowded { Some(t) } else { limit(own, span) }
    }
}

/// Where times converge geometrically, if they are about to arrive.
fn limit(times: &VecDeque<f64>, span: f64) -> Option<f64> {
    let (count, spread) = STEADY_RATIO;
    if times.len() < count + 2 {
        return None;
    }
    let intervals: Vec<f64> = times.iter().zip(times.iter().skip(1)).map(|(a, b)| b - a).collect();
    let ratios: Vec<f64> = intervals.windows(2).map(|d| d[1] / d[0]).collect();
    let (least, most) = ratios.iter().fold((f64::INFINITY, 0.0f64), |(a, b), r| (a.min(*r), b.max(*r)));
    let (t, d, r) = (times.back()?, intervals.last()?, ratios.last()?);
    let rest = d * r / (1.0 - r);
    let steady = least > 0.0 && most < 1.0 && most - least <= spread;
    (steady && rest.abs() <= ACCUMULATED * span).then_some(t + rest)
}
