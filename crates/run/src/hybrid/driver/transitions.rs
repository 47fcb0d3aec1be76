//! What happens inside a step, and what follows from it.
//!
//! The functions of all sources whose zeros are located inside steps are watched together: a sample of the dense output
//! serves all of them, and zeros come in the order of the motion whoever they belong to. Functions of contacts come first,
//! those of the user after them (see `source`). The search itself is that of [`EventSearch`].

use super::{Driver, EventSource, Sources, Transition};
use crate::Mode;
use crate::hybrid::events::EventSearch;
use crate::hybrid::follower::Guard;
use crate::hybrid::integration::Integration;
use crate::hybrid::tolerances::{MAX_AT_ONCE, REACHED, STAYS};
use crate::hybrid::{EventHit, EventRule, Failure, Stop};
use dalembert_linalg::norm_max;

impl Driver<'_> {
    /// Rows and events inside the step, in the order of the motion, up to those that end the step, if any do: then the state
    /// is the one there.
    pub(super) fn give_out(&mut self, t_new: f64, h: f64) -> Option<Vec<EventHit>> {
        self.guards.scan(&mut self.run, &mut self.sources, t_new, h);
        for k in 0..self.guards.hits().len() {
            let hit = self.guards.hits()[k];
            if !self.guards.stops(hit) {
                self.rows.give_due(&mut self.run, hit.t, t_new, h);
                self.run.dense_row(hit.t, t_new, h);
                self.give_event(hit);
                continue;
            }
            let together = self.guards.together(k, self.run.one_instant());
            if self.act(&together) {
                // Rows at the instant show the state behind it.
                let slack = self.run.one_instant();
                self.rows.give_before(&mut self.run, hit.t, slack, t_new, h);
                self.run.dense_row(hit.t, t_new, h);
            } else {
                self.rows.give_due(&mut self.run, hit.t, t_new, h);
                self.run.dense_row(hit.t, t_new, h);
                self.give_event(hit);
            }
            self.run.follow_to(hit.t);
            self.guards.cut(k, (hit.t - self.run.t) / h, h);
            self.run.t = hit.t;
            self.run.y.copy_from_slice(&self.run.row);
            return Some(together);
        }
        self.rows.give_due(&mut self.run, t_new, t_new, h);
        None
    }

    /// The row of an event of the user, at the state in `run.row`.
    fn give_event(&mut self, hit: EventHit) {
        if let Some(event) = self.guards.shown(hit) {
            self.rows.give(&mut self.run, hit.t, Some(event));
        }
    }

    /// Whether one of these zeros changes the state.
    fn act(&self, hits: &[EventHit]) -> bool {
        hits.iter().any(|hit| {
            let (source, own) = self.guards.owner(*hit);
            self.sources[source].acts(own.index)
        })
    }

    /// What follows from zeros that have ended a step; those at one instant belong to one source.
    pub(super) fn fire(&mut self, hits: Vec<EventHit>, h: f64) -> Result<Option<Stop>, Failure> {
        if self.act(&hits) {
            let stop = self.jump_by(hits)?;
            return Ok(stop.or_else(|| self.report_progress(h)));
        }
        let (source, hit) = self.guards.owner(hits[0]);
        let before = self.run.before();
        let found = self.sources[source].fire(&mut self.run, &[hit])?;
        let jumped = found == Transition::Jump;
        if let Some(stop) = self.follow(found)? {
            return Ok(Some(stop));
        }
        if let Some(before) = before.filter(|_| jumped) {
            let shown = self.sources[source].is_shown();
            let guard = if shown { Guard::Event(hit.index) } else { Guard::Contact(hit.index) };
            self.run.follow_across(&[guard], &before);
        }
        for arrived in self.guards.arrivals(&mut self.run, &mut self.sources, h) {
            if self.act(&[arrived]) {
                let stop = self.jump_by(vec![arrived])?;
                return Ok(stop.or_else(|| self.report_progress(h)));
            }
            let event = self.guards.shown(arrived);
            self.rows.give_now(&mut self.run, event);
            if let Some(event) = event.filter(|_| self.guards.stops(arrived)) {
                return Ok(Some(Stop::Event(event)));
            }
        }
        Ok(self.report_progress(h))
    }

    /// Events of the user that change the state, and those whose functions jump through zero by that, one after the other.
    fn jump_by(&mut self, mut hits: Vec<EventHit>) -> Result<Option<Stop>, Failure> {
        for _ in 0..MAX_AT_ONCE {
            let (source, own): (Vec<usize>, Vec<EventHit>) =
                hits.iter().map(|hit| self.guards.owner(*hit)).unzip();
            let source = source[0];
            let before = self.run.before();
            let found = self.sources[source].fire(&mut self.run, &own)?;
            let jumps = matches!(found, Transition::Jump | Transition::JumpAndStop(_));
            for other in (0..self.sources.len()).filter(|k| jumps && *k != source) {
                self.sources[other].moved(&mut self.run)?;
            }
            let stop = self.follow(found)?;
            if let Some(before) = before.filter(|_| jumps) {
                let guards: Vec<Guard> = own.iter().map(|hit| Guard::Event(hit.index)).collect();
                self.run.follow_across(&guards, &before);
            }
            let slack = self.run.one_instant();
            self.rows.give_here(&mut self.run, slack);
            for event in own {
                self.rows.give_now(&mut self.run, Some(event));
            }
            if stop.is_some() || !jumps {
                return Ok(stop);
            }
            hits = self.guards.land(&mut self.run, &mut self.sources, &hits);
            if hits.is_empty() {
                return Ok(None);
            }
        }
        let t = self.run.t;
        let event = self.guards.shown(hits[0]).map_or(0, |event| event.index);
        Err(Failure::Accumulation { t, event, limit: t })
    }

    /// Does what a source asks for at the state reached.
    pub(super) fn follow(&mut self, found: Transition) -> Result<Option<Stop>, Failure> {
        match found {
            Transition::Continue | Transition::Retry => {}
            Transition::Restart { smooth_for } => self.restart(smooth_for)?,
            Transition::Jump => self.jump()?,
            Transition::JumpAndStop(stop) => {
                self.jump()?;
                return Ok(Some(stop));
            }
            Transition::Stop(stop) => return Ok(Some(stop)),
        }
        Ok(None)
    }

    /// The derivative is another one from here on.
    fn restart(&mut self, smooth_for: Option<f64>) -> Result<(), Failure> {
        self.run.methods.asked.interrupted();
        self.run.check_state()?;
        self.guards.resume(&mut self.run, &mut self.sources);
        if let Some(span) = smooth_for {
            self.run.methods.restart();
            self.run.methods.h = self.run.estimate_first_step(span);
        }
        Ok(())
    }

    /// The motion goes on from another state, or by other equations.
    fn jump(&mut self) -> Result<(), Failure> {
        self.run.project()?;
        self.run.start_derivative()?;
        self.run.methods.restart();
        self.run.methods.asked.interrupted();
        self.sources.iter_mut().try_for_each(|source| source.settle(&mut self.run))?;
        self.guards.resume(&mut self.run, &mut self.sources);
        self.run.choose_first_step()
    }

    /// Where a constraint jumps, an event of the user just there comes before the failure.
    pub(super) fn stopped_before(&mut self, h: f64, failure: Failure) -> Result<Option<Stop>, Failure> {
        let Failure::ConstraintJump { .. } = failure else { return Err(failure) };
        let moment = 4.0 * REACHED * self.run.time_size() * h.signum();
        let Some(hit) = self.guards.stopping(&mut self.run, &mut self.sources, moment) else {
            return Err(failure);
        };
        if self.sources.iter().any(|source| source.is_shown() && source.acts(hit.index)) {
            return Err(failure);
        }
        self.rows.give_now(&mut self.run, Some(hit));
        Ok(Some(Stop::Event(hit)))
    }
}

/// Watch over the functions of all sources.
pub(in crate::hybrid) struct Guards {
    events: EventSearch,
    /// How many functions each source has.
    counts: Vec<usize>,
    /// Functions without rows of their own: those before the user's.
    hidden: usize,
    /// Whether a step may be cut and the motion go on, and the signs at the start of the step then.
    cuts: bool,
    before: Option<Vec<f64>>,
}

impl Guards {
    pub fn new(sources: &Sources) -> Self {
        let rules: Vec<EventRule> = sources.iter().flat_map(|source| source.rules()).copied().collect();
        let hidden = sources.iter().filter(|source| !source.is_shown()).map(|source| source.rules().len());
        let hidden = hidden.sum();
        let acts = |source: &dyn EventSource| (0..source.rules().len()).any(|k| source.acts(k));
        Self {
            events: EventSearch::new(&rules, rules.len()),
            counts: sources.iter().map(|source| source.rules().len()).collect(),
            hidden,
            cuts: hidden > 0 || sources.iter().any(|source| acts(&**source)),
            before: None,
        }
    }

    /// Notes the signs where the motion begins.
    pub fn begin(&mut self, run: &mut Integration<'_>, sources: &mut Sources) {
        if self.events.is_empty() {
            return;
        }
        let (t, size) = (run.t, norm_max(&run.y));
        run.row.copy_from_slice(&run.y);
        self.events.begin(|g| values(run, sources, t, g), size);
        self.resume(run, sources);
    }

    /// The equations have changed: functions without rows begin anew, those of the user go on.
    pub fn resume(&mut self, run: &mut Integration<'_>, sources: &mut Sources) {
        if !self.events.is_empty() {
            let t = run.t;
            run.row.copy_from_slice(&run.y);
            self.events.resume(self.hidden, |g| values(run, sources, t, g));
        }
    }

    /// Locates the zeros in the step that ends at `t_new`.
    pub fn scan(&mut self, run: &mut Integration<'_>, sources: &mut Sources, t_new: f64, h: f64) {
        if self.events.is_empty() {
            return;
        }
        self.before = self.cuts.then(|| self.events.mark().0);
        let t = run.t;
        self.events.scan(t, h, &mut |theta, g| {
            let at = t + theta * h;
            run.dense_row(at, t + h, h);
            values(run, sources, at, g);
        });
        if t_new == run.t_end {
            self.events.close(self.hidden, t, h);
        }
    }

    /// The zeros of the last step, in the order of the motion.
    pub fn hits(&self) -> &[EventHit] {
        &self.events.hits
    }

    /// Whether the step ends at this one.
    pub fn stops(&self, hit: EventHit) -> bool {
        self.events.stops(&hit)
    }

    /// Zero number `k` of the last step with those behind it that belong to the same source, within so short a time.
    pub fn together(&self, k: usize, instant: f64) -> Vec<EventHit> {
        let first = self.events.hits[k];
        let source = self.owner(first).0;
        let here = |hit: &&EventHit| (hit.t - first.t).abs() <= instant;
        let near = self.events.hits[k..].iter().take_while(here).copied();
        near.filter(|hit| self.owner(*hit).0 == source && self.shown(*hit).is_some() || *hit == first)
            .collect()
    }

    /// Behind a jump of the state: functions of the user take the sides they are on. Those that jumped through zero, though
    /// not by themselves, are returned.
    pub fn land(
        &mut self,
        run: &mut Integration<'_>,
        sources: &mut Sources,
        fired: &[EventHit],
    ) -> Vec<EventHit> {
        let count = self.events.len();
        let (mut now, mut later) = (vec![0.0; count], vec![0.0; count]);
        let (t, moment) = (run.t, STAYS * run.span());
        run.row_behind(moment);
        values(run, sources, t + moment, &mut later);
        run.row.copy_from_slice(&run.y);
        values(run, sources, t, &mut now);
        self.events.land(self.hidden, t, moment, fired, [&now, &later])
    }

    /// The event of the user that a zero is, if it is one.
    pub fn shown(&self, hit: EventHit) -> Option<EventHit> {
        hit.index.checked_sub(self.hidden).map(|index| EventHit { index, ..hit })
    }

    /// The source that a zero belongs to, and the zero among its own.
    pub fn owner(&self, hit: EventHit) -> (usize, EventHit) {
        let mut index = hit.index;
        for (source, &count) in self.counts.iter().enumerate() {
            if index < count {
                return (source, EventHit { index, ..hit });
            }
            index -= count;
        }
        unreachable!("zero {} of {} functions", hit.index, self.counts.iter().sum::<usize>())
    }

    /// The step ends at a fraction of it, at its zero number `k`.
    pub fn cut(&mut self, k: usize, theta: f64, h: f64) {
        if let Some(before) = self.before.take() {
            self.events.cut(before, theta, h, k);
        }
    }

    /// Where contacts have just come to rest: functions of the user that have arrived at zero there and stay, which shows in
    /// no change of sign.
    pub fn arrivals(&mut self, run: &mut Integration<'_>, sources: &mut Sources, h: f64) -> Vec<EventHit> {
        let count = self.events.len();
        if count == self.hidden || !run.field.kernel.modes().modes.contains(&Mode::Stick) {
            return Vec::new();
        }
        let (mut now, mut later) = (vec![0.0; count], vec![0.0; count]);
        let (t, moment) = (run.t, STAYS * run.span());
        run.row_behind(moment);
        values(run, sources, t + moment, &mut later);
        run.row.copy_from_slice(&run.y);
        values(run, sources, t, &mut now);
        self.events.arrivals(self.hidden, t, h, &now, &later)
    }

    /// A function of the user that would stop the motion a moment behind the state.
    pub fn stopping(
        &mut self,
        run: &mut Integration<'_>,
        sources: &mut Sources,
        moment: f64,
    ) -> Option<EventHit> {
        let (t, mut g) = (run.t, vec![0.0; self.events.len()]);
        run.row_behind(moment);
        values(run, sources, t + moment, &mut g);
        let (index, rising) = self.events.stopping(self.hidden, moment, &g)?;
        self.shown(EventHit { index, t, rising })
    }
}

/// The functions of all sources at a time and the state in `run.row`, one source after the other. At a switch of time those
/// of the user are on the side on which the step is: one that jumps there crosses zero once, at the start of the next step.
/// Those of contacts are not: a limit that is passed at the switch ends the step there, before a step with wrong modes.
fn values(run: &mut Integration<'_>, sources: &mut Sources, t: f64, mut g: &mut [f64]) {
    let on_this_side = run.field.within_stretch(t);
    for source in sources {
        let (own, rest) = g.split_at_mut(source.rules().len());
        if !own.is_empty() {
            source.guards(run, if source.is_shown() { on_this_side } else { t }, own);
        }
        g = rest;
    }
}
