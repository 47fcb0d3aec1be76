//! Switches of time: the instants at which a function of time alone changes its sign, found ahead of the steps.
//!
//! The instants of comparisons of time with a constant are known, however many they are (a sampled input has one at each
//! sample). Other functions are sampled in windows as event functions are (`events`), before a step goes there; no window
//! lies across an instant that is known. A window that takes many samples is halved, and behind an instant the window goes
//! by the way to it, so that a fast square wave is followed too, at the same cost for each switch. Each change of sign is
//! closed in until neighbouring numbers lie on both sides of it. Knows nothing of the state.

use super::events::EventSearch;
use super::integration::Integration;
use super::options::EventRule;
use super::outcome::{Crossing, EventHit, Failure};
use super::source::{EventSource, Transition};
use super::tolerances::{
    MAX_HALVED, SLIVER, TIME_NEAR_ZERO, TIME_ROUNDINGS, WINDOW, WINDOW_BEHIND, WINDOW_SAMPLES, WINDOW_STEPS,
};
use crate::{Dynamics, TimeSwitches};
use std::collections::VecDeque;

/// An instant with the last time that is surely before it and the first one surely behind.
#[derive(Clone, Copy, Debug, PartialEq)]
struct TimeEvent {
    pub at: f64,
    pub before: f64,
    pub behind: f64,
}

/// Switches of time along a run: a step ends at each, and the next one begins on the other side of it.
///
/// At the instant itself an expression has one of its two values. So derivatives are not taken there but some roundings of
/// time away from it, before it by the step that ends there, behind it by the next (`RightHandSide::stretch`): no stage sees
/// the other side, whichever way a comparison is written. Times of steps, rows and events are not changed by that.
/// Checked by `tests/it/time_switches.rs` here and in the facade.
pub(super) struct TimeSwitchSource {
    watch: TimeEvents,
    /// Where a fixed step that one of them cut short would have ended.
    cut_short: Option<f64>,
}

impl TimeSwitchSource {
    /// Those of a run, if it has any. Variational methods keep their steps.
    pub fn of(run: &Integration<'_>) -> Option<Self> {
        let (t, t_end, options) = (run.t_start, run.t_end, run.options);
        let grain = options.h_min_relative * t.abs().max(t_end.abs()).max((t_end - t).abs());
        let kernel = &run.field.kernel;
        let switches =
            kernel.base_capabilities().time_switches.filter(|_| !options.method.is_variational())?;
        let watch = TimeEvents::new(kernel, switches, t, t_end, grain);
        watch.map(|watch| Self { watch, cut_short: None })
    }

    /// Looks ahead of a step of length h. Derivatives are taken before what is found.
    fn look(&mut self, run: &mut Integration<'_>, h: f64) {
        let Some(switches) = run.field.kernel.base_capabilities().time_switches else { return };
        self.watch.look(switches, run.t, h);
        if let Some(next) = self.watch.found() {
            let far = if self.watch.direction() > 0.0 { 1 } else { 0 };
            run.field.stretch[far] = next.before;
        }
    }

    /// Fixed steps end where they would without switches: what is left of a step that was cut comes first.
    fn after_a_cut(&mut self, t: f64, h: f64) -> f64 {
        let direction = self.watch.direction();
        let rest = self.cut_short.map(|end| end - t).filter(|rest| rest * direction > SLIVER * h.abs());
        let step = rest.unwrap_or(h);
        let end = t + step;
        let cut = self.watch.found().is_some_and(|next| (end - next.at) * direction > SLIVER * h.abs());
        self.cut_short = cut.then_some(end);
        step
    }

    /// The time up to where steps must end, instants aside that are not looked for yet.
    fn smooth_span(&self, run: &Integration<'_>) -> f64 {
        let end = self.watch.found().map_or(run.t_end, |next| next.at);
        if (end - run.t_end) * run.span() > 0.0 { run.t_end - run.t } else { end - run.t }
    }
}

impl EventSource for TimeSwitchSource {
    /// The motion begins behind the switches at its start.
    fn begin(&mut self, run: &mut Integration<'_>) -> Result<(), Failure> {
        let Some(switches) = run.field.kernel.base_capabilities().time_switches else { return Ok(()) };
        let behind = self.watch.begin(switches);
        run.field.stretch_from(behind, self.watch.direction());
        Ok(())
    }

    fn next_time(&self) -> Option<f64> {
        Some(self.watch.next())
    }

    fn plan(&mut self, run: &mut Integration<'_>, h: f64) -> f64 {
        self.look(run, h);
        if run.methods.fixed() { self.after_a_cut(run.t, h) } else { h }
    }

    /// At an instant: the derivative of its other side, and a step as at a start.
    fn arrive(&mut self, run: &mut Integration<'_>) -> Result<Transition, Failure> {
        let Some(instant) = std::iter::from_fn(|| self.watch.take(run.t)).last() else {
            return Ok(Transition::Continue);
        };
        run.field.stretch_from(instant.behind, self.watch.direction());
        if run.methods.fixed() {
            return Ok(Transition::Restart { smooth_for: None });
        }
        let h = run.methods.h;
        self.look(run, h);
        Ok(Transition::Restart { smooth_for: Some(self.smooth_span(run)) })
    }
}

/// Watch over the switches of time.
struct TimeEvents {
    /// Instants that are known and not yet seen, in the order of the motion, and how many functions have them.
    known: VecDeque<f64>,
    n_known: usize,
    /// The search for the zeros of the other functions.
    watch: EventSearch,
    /// Found and not yet passed, in the order of the motion.
    ahead: VecDeque<TimeEvent>,
    /// How far was looked, and the width of the window that was good last.
    seen: f64,
    width: f64,
    span: f64,
    /// A little behind the end of the run, so that a switch just there is found.
    limit: f64,
    /// TimeEvents nearer to each other than this are passed together.
    grain: f64,
    scratch: Vec<f64>,
    g: Vec<f64>,
}

impl TimeEvents {
    /// For a run from `t` to `t_end`; `None` where nothing depends on time alone.
    pub fn new(
        kernel: &dyn Dynamics,
        switches: &dyn TimeSwitches,
        t: f64,
        t_end: f64,
        grain: f64,
    ) -> Option<Self> {
        let n = kernel.shape().n_time_switch;
        let any = EventRule { crossing: Crossing::Both, stop: false };
        let span = t_end - t;
        let mut scratch = vec![0.0; kernel.scratch_len()];
        let instants = switches.instants(&mut scratch);
        let n_known = kernel.shape().n_instant;
        let mut new = Self {
            known: VecDeque::new(),
            n_known,
            watch: EventSearch::new(&vec![any; n - n_known], n - n_known),
            ahead: VecDeque::new(),
            seen: t,
            width: WINDOW[1] * span.abs(),
            span,
            limit: t_end,
            grain,
            scratch,
            g: vec![0.0; n],
        };
        new.limit += 4.0 * TIME_ROUNDINGS * new.rounding(t_end) * new.direction();
        let inside = |at: &f64| (at - t) * span > 0.0 && (new.limit - at) * span >= 0.0;
        let mut known: Vec<f64> = instants.into_iter().filter(inside).collect();
        known.sort_by(|a, b| (a * span.signum()).total_cmp(&(b * span.signum())));
        new.known = known.into();
        (n > 0 && span != 0.0 && span.is_finite()).then_some(new)
    }

    /// Notes the signs at the start. Returns the first time that is surely behind a switch there.
    pub fn begin(&mut self, switches: &dyn TimeSwitches) -> f64 {
        let (t, scratch, all, n_known) = (self.seen, &mut self.scratch, &mut self.g, self.n_known);
        self.watch.pass(|g| {
            switches.time_switches(t, scratch, all);
            g.copy_from_slice(&all[n_known..]);
        });
        self.watch.take_signs();
        t + TIME_ROUNDINGS * self.rounding(t) * self.direction()
    }

    /// Where the next step must end at the latest: the next instant, or where nobody has looked yet.
    pub fn next(&self) -> f64 {
        self.ahead.front().map_or(self.seen, |instant| instant.at)
    }

    /// The next instant, if one was found.
    pub fn found(&self) -> Option<TimeEvent> {
        self.ahead.front().copied()
    }

    /// Takes the next instant if the motion is there at `t`.
    pub fn take(&mut self, t: f64) -> Option<TimeEvent> {
        let there = (self.next() - t) * self.direction() <= self.grain;
        if there { self.ahead.pop_front() } else { None }
    }

    /// Looks on, from `t` at least two steps of length `h` far, until an instant is found.
    pub fn look(&mut self, switches: &dyn TimeSwitches, t: f64, h: f64) {
        let until = t + 2.0 * h.abs() * self.direction();
        let beyond = |a: f64, b: f64| (a - b) * self.span > 0.0;
        let until = if beyond(until, self.limit) { self.limit } else { until };
        while self.ahead.is_empty() && (until - self.seen) * self.span > 0.0 {
            let wall = self.known.front().map_or(self.limit, |&at| self.around(at, at).behind);
            if self.watch.is_empty() {
                self.seen = wall;
            } else {
                self.look_through_window(switches, h.abs(), wall);
            }
            if self.seen == wall {
                self.add_known();
            }
        }
    }

    /// The next of the known instants, with those that no step fits between.
    fn add_known(&mut self) {
        while let Some(&at) = self.known.front() {
            let instant = self.around(at, at);
            let ahead = (instant.before - self.seen) * self.direction();
            if ahead > self.grain {
                return;
            }
            self.known.pop_front();
            self.add(instant);
            self.seen = instant.behind;
        }
    }

    /// One window, up to the first instant in it. What other functions look like may change there (`abs(t - 7) < 1e-7` dips
    /// below zero where `t - 7` vanishes), so the way to it is sampled once more.
    fn look_through_window(&mut self, switches: &dyn TimeSwitches, h: f64, wall: f64) {
        let span = self.span.abs();
        let mark = self.watch.mark();
        let mut width = (WINDOW_STEPS * h).clamp(WINDOW[0] * span, WINDOW[1] * span).min(self.width);
        width = width.max(4.0 * self.rounding(self.seen));
        let mut end = self.scan(switches, width, wall);
        for _ in 0..MAX_HALVED {
            if self.watch.sample_count() <= WINDOW_SAMPLES || width <= self.grain {
                break;
            }
            self.watch.rewind(mark.clone());
            width *= 0.5;
            end = self.scan(switches, width, wall);
        }
        self.width = if self.watch.sample_count() < WINDOW_SAMPLES / 3 { 2.0 * width } else { width };
        if let Some(first) = self.watch.hits.first().copied() {
            let behind = self.close_in(switches, first).behind;
            if (behind - end) * self.direction() < 0.0 {
                self.watch.rewind(mark);
                end = self.scan_to(switches, behind);
                self.width = WINDOW_BEHIND * (end - self.seen).abs();
            }
        }
        self.seen = end;
        for k in 0..self.watch.hits.len() {
            let instant = self.close_in(switches, self.watch.hits[k]);
            self.add(instant);
        }
    }

    /// A window that ends at the wall at the latest.
    fn scan(&mut self, switches: &dyn TimeSwitches, width: f64, wall: f64) -> f64 {
        let end = self.seen + width * self.direction();
        // No sliver at the end.
        let last = (wall - end) * self.direction() < 0.1 * width;
        self.scan_to(switches, if last { wall } else { end })
    }

    fn scan_to(&mut self, switches: &dyn TimeSwitches, end: f64) -> f64 {
        let (seen, h, scratch) = (self.seen, end - self.seen, &mut self.scratch);
        let (all, n_known) = (&mut self.g, self.n_known);
        self.watch.scan(seen, h, &mut |theta, g| {
            let t = if theta == 1.0 { end } else { seen + theta * h };
            switches.time_switches(t, scratch, all);
            g.copy_from_slice(&all[n_known..]);
        });
        end
    }

    /// TimeEvents that no step fits between become one.
    fn add(&mut self, new: TimeEvent) {
        let direction = self.direction();
        match self.ahead.back_mut() {
            Some(last) if (new.before - last.behind) * direction <= self.grain => {
                let first = |a: f64, b: f64| if (a - b) * direction < 0.0 { a } else { b };
                last.before = first(last.before, new.before);
                last.behind = -first(-last.behind, -new.behind);
            }
            _ => self.ahead.push_back(new),
        }
    }

    /// The instant of a hit, between the last number on one side and the first on the other.
    fn close_in(&mut self, switches: &dyn TimeSwitches, hit: EventHit) -> TimeEvent {
        let after = if hit.rising == (self.direction() > 0.0) { 1.0 } else { -1.0 };
        let (index, unit) = (self.n_known + hit.index, self.rounding(hit.t) * self.direction());
        let side = |this: &mut Self, t: f64| this.value(switches, t, index) * after;
        let (mut reach, mut sides) = (unit, [hit.t; 2]);
        for _ in 0..12 {
            sides = [hit.t - reach, hit.t + reach];
            if side(self, sides[0]) < 0.0 && side(self, sides[1]) > 0.0 {
                break;
            }
            reach *= 4.0;
        }
        let last = boundary(sides[0], sides[1], |t| side(self, t) < 0.0);
        let first = boundary(sides[1], last, |t| side(self, t) > 0.0);
        self.around(last, first)
    }

    /// The instant between the last number on one side and the first on the other.
    fn around(&self, last: f64, first: f64) -> TimeEvent {
        let at = last + 0.5 * (first - last);
        let margin = TIME_ROUNDINGS * self.rounding(at) * self.direction();
        TimeEvent { at, before: last - margin, behind: first + margin }
    }

    fn value(&mut self, switches: &dyn TimeSwitches, t: f64, index: usize) -> f64 {
        switches.time_switches(t, &mut self.scratch, &mut self.g);
        self.g[index]
    }

    fn rounding(&self, t: f64) -> f64 {
        f64::EPSILON * t.abs().max(TIME_NEAR_ZERO * self.span.abs())
    }

    pub fn direction(&self) -> f64 {
        self.span.signum()
    }
}

/// The number furthest from `inside`, towards `outside`, at which it is still so.
fn boundary(mut inside: f64, mut outside: f64, mut so: impl FnMut(f64) -> bool) -> f64 {
    for _ in 0..80 {
        let middle = inside + 0.5 * (outside - inside);
        if middle == inside || middle == outside {
            break;
        }
        *(if so(middle) { &mut inside } else { &mut outside }) = middle;
    }
    inside
}
