//! Contacts with friction as a source of events: where one begins to stick or to slide, the equations are others.
//!
//! The function of a contact becomes negative where its mode ends (see `StickingKernel::margins`): the speed of sliding, or
//! what is left of the static limit. Modes are then found anew for all contacts, and a motion begins. The first moments of a
//! slide in several components are the subject of `slip_onset`.

use super::integration::Integration;
use super::source::{EventSource, Transition};
use super::tolerances::{APPROACH, AT_ONCE, AT_REST, MAX_AT_ONCE, REST_SOON};
use super::{ContactChange, Crossing, EventHit, EventRule, Failure};
use crate::contact::{ContactModes, Mode, ModeChange, find_modes_after};
use crate::{Contact, Dynamics, Point, Projector, Terms};
use dalembert_linalg::{dot, norm, norm_max};

/// The changes of contacts along a run.
pub(super) struct ContactChanges {
    /// One for each contact: its function ends its mode.
    rules: Vec<EventRule>,
    /// Instant of the last change of a contact, and how many happened at it.
    last: (f64, usize),
    /// Whether modes have just changed.
    changed: bool,
    /// Whether limits of friction are given, and the stretch of time that modes were last found for.
    given_limits: bool,
    stretch: [f64; 2],
}

impl EventSource for ContactChanges {
    /// Which contacts stick at the start.
    fn begin(&mut self, run: &mut Integration<'_>) -> Result<(), Failure> {
        let state = run.y.clone();
        let at = run.field.point(run.t, &state);
        let modes = settled(run, at, ModeChange::default())?;
        run.field.set_modes(modes);
        run.project()
    }

    fn settle(&mut self, run: &mut Integration<'_>) -> Result<(), Failure> {
        if std::mem::take(&mut self.changed) {
            rest_if_held(run);
        }
        run.lead_off()
    }

    fn rules(&self) -> &[EventRule] {
        &self.rules
    }

    fn guards(&mut self, run: &mut Integration<'_>, t: f64, g: &mut [f64]) {
        if run.field.kernel.stuck_rows() > 0 {
            // Without an acceleration the functions see the last one; they are asked again a little further on.
            let _ = run.field.solve(t, &run.row);
        }
        let (at, solution) = (run.field.point(t, &run.row), run.field.accelerator.solution());
        run.field.kernel.margins(at, solution, &mut run.scratch, g);
    }

    /// A contact has come to rest or has passed its static limit.
    fn fire(&mut self, run: &mut Integration<'_>, hits: &[EventHit]) -> Result<Transition, Failure> {
        let hit = hits[0];
        let stuck = run.field.kernel.modes().sticks(hit.index);
        let (landed, loose) = if stuck { (None, Some(hit.index)) } else { (Some(hit.index), None) };
        let change = ModeChange { landed, loose, quiet: AT_REST * run.top_speed };
        let state = run.y.clone();
        let at = run.field.point(run.t, &state);
        let modes = settled(run, at, change)?;
        self.take_modes(run, modes, hit.index)
    }

    /// An event has put the motion elsewhere: a contact that stuck may slide there, and the other way round.
    fn moved(&mut self, run: &mut Integration<'_>) -> Result<(), Failure> {
        let state = run.y.clone();
        let at = run.field.point(run.t, &state);
        let modes = settled(run, at, ModeChange::default())?;
        let before = run.field.kernel.modes().clone();
        run.field.set_modes(modes);
        report_changes(run, &before);
        Ok(())
    }

    /// A given limit may have jumped at a switch of time.
    fn arrive(&mut self, run: &mut Integration<'_>) -> Result<Transition, Failure> {
        if !self.given_limits || self.stretch == run.field.stretch {
            return Ok(Transition::Continue);
        }
        let first = std::mem::replace(&mut self.stretch, run.field.stretch)[0].is_nan();
        let state = run.y.clone();
        let at = Point { t: run.field.within_stretch(run.t), ..run.field.point(run.t, &state) };
        let modes = settled(run, at, ModeChange::default())?;
        match modes.modes.iter().zip(&run.field.kernel.modes().modes).position(|(new, old)| new != old) {
            Some(contact) if !first => self.take_modes(run, modes, contact),
            _ => Ok(Transition::Continue),
        }
    }

    /// Contacts that stick cannot all go on doing so if the constraints carry them off from here on: those in the way slide
    /// as they would at the end of the step.
    fn rescue(&mut self, run: &mut Integration<'_>, h: f64) -> Result<Transition, Failure> {
        if run.field.kernel.stuck_rows() == 0 {
            return Ok(Transition::Continue);
        }
        let (base, n_x) = (run.field.kernel.base(), run.field.shape.n_x);
        let mut next: Vec<f64> = run.y.iter().zip(&run.f).map(|(y, f)| y + h * f).collect();
        let mut projector = Projector::new(base);
        projector.inherit(&run.field.projector);
        let (x, eta) = next.split_at_mut(n_x);
        if run.options.projection && projector.project(base, run.t + h, x, eta).is_err() {
            return Ok(Transition::Continue);
        }
        let moved = run.y[n_x..].iter().zip(&*eta).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let change = ModeChange { quiet: AT_REST * run.top_speed + 2.0 * moved, ..ModeChange::default() };
        let at = run.field.point(run.t + h, &next);
        let modes = settled(run, at, change)?;
        let before = &run.field.kernel.modes().modes;
        let freed = before.iter().zip(&modes.modes).position(|(a, b)| *a == Mode::Stick && a != b);
        match freed {
            Some(contact) => self.take_modes(run, modes, contact),
            None => Ok(Transition::Continue),
        }
    }

    /// Contacts with several components: their direction is held while V says nothing about it, and steps do not jump
    /// over the instant at which V vanishes, where their equations are not smooth.
    fn approach(&mut self, run: &mut Integration<'_>, h: &mut f64) -> Result<Transition, Failure> {
        let shape = run.field.shape;
        if shape.n_slide == shape.n_contact {
            return Ok(Transition::Continue);
        }
        let sliding = run.slides(run.t, &run.y, &run.f);
        let (mut released, quiet) = (false, run.quiet());
        let contacts = run.field.kernel.contacts().to_vec();
        for (k, contact) in contacts.iter().enumerate() {
            if contact.slide.len() == 1 || run.field.kernel.modes().sticks(k) {
                continue;
            }
            let (V, rate) = (&sliding.V[contact.slide.clone()], &sliding.rate[contact.slide.clone()]);
            let (speed, closing) = (norm(V), -dot(V, rate));
            let rest_in = if closing > 0.0 { speed * speed / closing } else { f64::INFINITY };
            let soon = rest_in <= REST_SOON * run.time_size();
            let leaving = run.leaving(k);
            let hold = speed <= quiet || soon || leaving.is_some();
            let modes = &mut run.field.kernel.modes;
            if hold && !modes.held[k] {
                let way: Vec<f64> = V.iter().map(|v| v / speed).collect();
                modes.hold(k, contact.slide.clone(), &way);
            }
            released |= modes.held[k] && !hold;
            modes.held[k] = hold;
            let passed = (run.t - modes.since).abs();
            let longest = match leaving {
                Some(left) => left,
                None if hold => f64::INFINITY,
                None => passed.min(APPROACH * rest_in),
            };
            *h = h.abs().min(longest) * h.signum();
        }
        if released {
            run.check_state()?;
        }
        Ok(Transition::Continue)
    }
}

impl ContactChanges {
    /// Those of a run, if it has contacts with friction.
    pub fn of(run: &Integration<'_>) -> Option<Self> {
        let ends_a_mode = EventRule { crossing: Crossing::Falling, stop: true };
        let rules = vec![ends_a_mode; run.field.shape.n_contact];
        let given_limits = run.field.kernel.contacts().iter().any(Contact::has_given_limit);
        let (last, stretch) = ((f64::NAN, 0), [f64::NAN; 2]);
        (!rules.is_empty()).then_some(Self { rules, last, changed: false, given_limits, stretch })
    }

    /// The equations are those of other modes from here on, because of a contact.
    fn take_modes(
        &mut self,
        run: &mut Integration<'_>,
        modes: ContactModes,
        contact: usize,
    ) -> Result<Transition, Failure> {
        let near = (run.t - self.last.0).abs() <= AT_ONCE * run.span().abs();
        self.last = if near { (self.last.0, self.last.1 + 1) } else { (run.t, 1) };
        if self.last.1 > MAX_AT_ONCE {
            return Err(Failure::Chatter { t: run.t, contact });
        }
        let before = run.field.kernel.modes().clone();
        run.field.set_modes(modes);
        report_changes(run, &before);
        self.changed = true;
        Ok(Transition::Jump)
    }
}

/// The modes that contacts take at a state.
fn settled(run: &mut Integration<'_>, at: Point<'_>, change: ModeChange) -> Result<ContactModes, Failure> {
    let base = run.field.kernel.base();
    let input = run.field.controller.input(at, f64::INFINITY).map_err(Failure::Acceleration)?;
    let mut modes = find_modes_after(base, at, input, change).map_err(Failure::Acceleration)?;
    // More than what has just been taken for rest, so that a contact which is carried off does not return at once.
    let fastest = run.top_speed.max(norm_max(at.eta));
    modes.rest = run.options.atol + (run.options.rtol + 4.0 * AT_REST) * fastest;
    Ok(modes)
}

/// A system that is held in every direction and may rest is at rest, not nearly.
fn rest_if_held(run: &mut Integration<'_>) {
    let (n_x, shape) = (run.field.shape.n_x, run.field.shape);
    if run.field.accelerator.solution().rank < shape.n_eta || run.y[n_x..].iter().all(|v| *v == 0.0) {
        return;
    }
    let zero = vec![0.0; shape.n_eta];
    let (mut phi, mut psi) = (vec![0.0; shape.n_con], vec![0.0; shape.n_con]);
    let at = Point { t: run.t, x: &run.y[..n_x], eta: &zero };
    run.field.kernel.residuals(at, &mut run.scratch, &mut phi, &mut psi);
    if psi.iter().all(|v| *v == 0.0) {
        // x' at rest is what is left of K1 without speeds.
        let mut terms = Terms::of(&run.field.kernel);
        run.field.kernel.terms(at, &mut run.scratch, &mut terms);
        run.y[n_x..].fill(0.0);
        run.f[..n_x].copy_from_slice(&terms.x_dot);
    }
}

/// Tells the observer which contacts stick now that did not, and so on.
fn report_changes(run: &mut Integration<'_>, before: &ContactModes) {
    let now = run.field.kernel.modes();
    for (contact, range) in run.field.kernel.contacts().iter().enumerate() {
        let turned = range.slide.clone().any(|i| now.direction[i] * before.direction[i] < 0.0);
        let sticks = now.sticks(contact);
        if sticks != before.sticks(contact) || (!sticks && turned) {
            run.outcome.contact_changes += 1;
            run.observer.contact(run.t, ContactChange { contact, sticks });
        }
    }
}
