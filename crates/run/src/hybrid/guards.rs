//! The functions of all sources whose zeros are located inside steps, watched together: a sample of the dense output serves
//! all of them, and zeros come in the order of the motion whoever they belong to.
//!
//! Functions of contacts come first, those of the user after them (see `source`). The search itself is that of
//! [`Events`](super::events::Events).

use super::events::Events;
use super::integration::Integration;
use super::source::{EventSource, Sources, Transition};
use super::tolerances::STAYS;
use super::{EventHit, EventRule, Failure, Stop};
use crate::{Kernel, Mode};
use dalembert_linalg::norm_max;

/// Watch over the functions of all sources.
pub(super) struct Guards {
    events: Events,
    /// How many functions each source has.
    counts: Vec<usize>,
    /// Functions without rows of their own: those before the user's.
    hidden: usize,
    /// Signs at the start of the step, where a step may be cut.
    before: Option<Vec<f64>>,
}

impl Guards {
    pub fn new(sources: &Sources) -> Self {
        let rules: Vec<EventRule> = sources.iter().flat_map(|source| source.rules()).copied().collect();
        let hidden = sources.iter().filter(|source| !source.is_shown()).map(|source| source.rules().len());
        Self {
            events: Events::new(&rules, rules.len()),
            counts: sources.iter().map(|source| source.rules().len()).collect(),
            hidden: hidden.sum(),
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
        self.before = (self.hidden > 0).then(|| self.events.mark().0);
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

/// The functions of all sources at a time and the state in `run.row`, one source after the other.
fn values(run: &mut Integration<'_>, sources: &mut Sources, t: f64, mut g: &mut [f64]) {
    for source in sources {
        let (own, rest) = g.split_at_mut(source.rules().len());
        if !own.is_empty() {
            source.guards(run, t, own);
        }
        g = rest;
    }
}

/// Events of the user: functions of the model at whose zeros there are rows, or the motion ends.
pub(super) struct UserEvents {
    rules: Vec<EventRule>,
    /// All functions of the model, those without a rule too.
    g: Vec<f64>,
}

impl UserEvents {
    /// Those of a run, if it has any.
    pub fn of(run: &Integration<'_>) -> Option<Self> {
        let (rules, n) = (&run.options.events, run.field.shape.n_event);
        let rules = rules[..rules.len().min(n)].to_vec();
        (!rules.is_empty()).then(|| Self { rules, g: vec![0.0; n] })
    }
}

impl EventSource for UserEvents {
    fn rules(&self) -> &[EventRule] {
        &self.rules
    }

    fn is_shown(&self) -> bool {
        true
    }

    fn guards(&mut self, run: &mut Integration<'_>, t: f64, g: &mut [f64]) {
        if run.field.kernel.events_need_solution() {
            // Without an acceleration the functions see the last one; they are asked again a little further on.
            let _ = run.field.report(t, &run.row);
        }
        let at = run.field.point(t, &run.row);
        run.field.kernel.events(at, run.field.reported(), &mut run.scratch, &mut self.g);
        g.copy_from_slice(&self.g[..g.len()]);
    }

    fn fire(&mut self, _: &mut Integration<'_>, hit: EventHit) -> Result<Transition, Failure> {
        Ok(Transition::Stop(Stop::Event(hit)))
    }
}
