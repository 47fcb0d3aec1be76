//! Contacts that begin to stick or to slide, and control that is computed anew: places where the equations change.

use super::{ContactChange, Driver, Failure, Point, failure};
use crate::contact::{Change, ContactModes, Mode, find_modes_after};
use crate::hybrid::tolerances::{APPROACH, AT_ONCE, AT_REST, MAX_AT_ONCE, REST_SOON};
use crate::method::step_size::StepSizeControl;
use crate::method::stepper::EvalError;
use crate::{Kernel, Projector};
use dalembert_linalg::{dot, norm, norm_max};

impl Driver<'_> {
    /// Which contacts stick at the start.
    pub(super) fn first_modes(&mut self) -> Result<(), Failure> {
        self.sample_control()?;
        if self.contacts == 0 {
            return Ok(());
        }
        let state = self.y.clone();
        let modes = self.settled(self.field.point(self.t, &state), Change::default())?;
        self.field.set_modes(modes);
        self.hold_start()
    }

    fn settled(&mut self, at: Point<'_>, change: Change) -> Result<ContactModes, Failure> {
        let base = self.field.kernel.base();
        let input = self.field.controller.input(at, f64::INFINITY).map_err(Failure::Acceleration)?;
        let mut modes = find_modes_after(base, at, input, change).map_err(Failure::Acceleration)?;
        // More than what has just been taken for rest, so that a contact which is carried off does not return at once.
        let fastest = self.top_speed.max(norm_max(at.eta));
        modes.rest = self.options.atol + (self.options.rtol + 4.0 * AT_REST) * fastest;
        Ok(modes)
    }

    /// A contact has come to rest or has passed its static limit at (t, y).
    pub(super) fn set_modes(&mut self, contact: usize) -> Result<(), Failure> {
        let stuck = self.field.kernel.modes().sticks(contact);
        let state = self.y.clone();
        let at = self.field.point(self.t, &state);
        let (landed, loose) = if stuck { (None, Some(contact)) } else { (Some(contact), None) };
        let change = Change { landed, loose, quiet: AT_REST * self.top_speed };
        let modes = self.settled(at, change)?;
        self.take_modes(modes, contact)
    }

    /// The end of a step failed. Contacts that stick cannot all go on doing so if the constraints carry them off from here
    /// on: those in the way slide as they would at the end of the step. `false` if that is not why.
    pub(super) fn dislodge(&mut self, h: f64) -> Result<bool, Failure> {
        let (base, n_x) = (self.field.kernel.base(), self.field.shape.n_x);
        let mut next: Vec<f64> = self.y.iter().zip(&self.f).map(|(y, f)| y + h * f).collect();
        let mut projector = Projector::new(base);
        projector.inherit(&self.field.projector);
        let (x, eta) = next.split_at_mut(n_x);
        if self.options.projection && projector.project(base, self.t + h, x, eta).is_err() {
            return Ok(false);
        }
        let moved = self.y[n_x..].iter().zip(&*eta).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let change = Change { quiet: AT_REST * self.top_speed + 2.0 * moved, ..Change::default() };
        let modes = self.settled(self.field.point(self.t + h, &next), change)?;
        let before = &self.field.kernel.modes().modes;
        let freed = before.iter().zip(&modes.modes).position(|(a, b)| *a == Mode::Stick && a != b);
        match freed {
            Some(contact) => self.take_modes(modes, contact).map(|()| true),
            None => Ok(false),
        }
    }

    /// The equations are those of another modes from here on, because of a contact.
    fn take_modes(&mut self, modes: ContactModes, contact: usize) -> Result<(), Failure> {
        let near = (self.t - self.changes.0).abs() <= AT_ONCE * self.span().abs();
        self.changes = if near { (self.changes.0, self.changes.1 + 1) } else { (self.t, 1) };
        if self.changes.1 > MAX_AT_ONCE {
            return Err(Failure::Chatter { t: self.t, contact });
        }
        let before = self.field.kernel.modes().clone();
        self.field.set_modes(modes);
        self.report_changes(&before);
        self.hold_start()?;
        self.start_derivative()?;
        self.rest_if_held();
        self.lead_off()?;
        self.control = StepSizeControl::new(self.stepper.exponent(), self.stepper.least_growth());
        self.stepper.interrupted();
        self.events_again();
        self.note_sides();
        self.choose_first_step()
    }

    /// The state on the constraints, contacts that stick among them.
    fn hold_start(&mut self) -> Result<(), Failure> {
        if self.options.projection {
            self.field.project(self.t, &mut self.y).map_err(failure)?;
        }
        Ok(())
    }

    /// A system that is held in every direction and may rest is at rest, not nearly.
    fn rest_if_held(&mut self) {
        let (n_x, shape) = (self.field.shape.n_x, self.field.shape);
        if self.field.accelerator.solution().rank < shape.n_eta || self.y[n_x..].iter().all(|v| *v == 0.0) {
            return;
        }
        let zero = vec![0.0; shape.n_eta];
        let (mut phi, mut psi) = (vec![0.0; shape.n_con], vec![0.0; shape.n_con]);
        let at = Point { t: self.t, x: &self.y[..n_x], eta: &zero };
        self.field.kernel.residuals(at, &mut self.scratch, &mut phi, &mut psi);
        if psi.iter().all(|v| *v == 0.0) {
            self.y[n_x..].fill(0.0);
            self.f[..n_x].fill(0.0);
            // x' at rest is what is left of K1 without speeds.
            let at = Point { t: self.t, x: &self.y[..n_x], eta: &zero };
            let mut terms = crate::Terms::of(&self.field.kernel);
            self.field.kernel.terms(at, &mut self.scratch, &mut terms);
            self.f[..n_x].copy_from_slice(&terms.x_dot);
        }
    }

    fn report_changes(&mut self, before: &ContactModes) {
        let now = self.field.kernel.modes();
        for (contact, range) in self.field.kernel.contacts().iter().enumerate() {
            let turned = range.slide.clone().any(|i| now.direction[i] * before.direction[i] < 0.0);
            let sticks = now.sticks(contact);
            if sticks != before.sticks(contact) || (!sticks && turned) {
                self.outcome.contact_changes += 1;
                self.observer.contact(self.t, ContactChange { contact, sticks });
            }
        }
    }

    /// Contacts with several components: their direction is held while V says nothing about it, and steps do not jump
    /// over the instant at which V vanishes, where their equations are not smooth.
    pub(super) fn guide_contacts(&mut self, h: f64) -> Result<f64, Failure> {
        let shape = self.field.shape;
        if shape.n_slide == shape.n_contact {
            return Ok(h);
        }
        let sliding = self.slides(self.t, &self.y, &self.f);
        let (mut h, mut released, quiet) = (h, false, self.quiet());
        let contacts = self.field.kernel.contacts().to_vec();
        for (k, contact) in contacts.iter().enumerate() {
            if contact.slide.len() == 1 || self.field.kernel.modes().sticks(k) {
                continue;
            }
            let (V, rate) = (&sliding.V[contact.slide.clone()], &sliding.rate[contact.slide.clone()]);
            let (speed, closing) = (norm(V), -dot(V, rate));
            let rest_in = if closing > 0.0 { speed * speed / closing } else { f64::INFINITY };
            let soon = rest_in <= REST_SOON * self.t.abs().max(self.span().abs());
            let leaving = self.leaving(k);
            let hold = speed <= quiet || soon || leaving.is_some();
            let modes = &mut self.field.kernel.modes;
            if hold && !modes.held[k] {
                let way: Vec<f64> = V.iter().map(|v| v / speed).collect();
                modes.hold(k, contact.slide.clone(), &way);
            }
            released |= modes.held[k] && !hold;
            modes.held[k] = hold;
            let passed = (self.t - modes.since).abs();
            let longest = match leaving {
                Some(left) => left,
                None if hold => f64::INFINITY,
                None => passed.min(APPROACH * rest_in),
            };
            h = h.abs().min(longest) * h.signum();
        }
        if released {
            self.check_state(self.t)?;
        }
        Ok(h)
    }

    /// Computes control that is held, if it is time to.
    pub(super) fn sample_control(&mut self) -> Result<(), Failure> {
        let Some(interval) = self.field.controller.hold else { return Ok(()) };
        let (at, tolerance) = (self.field.point(self.t, &self.y), self.state_tolerance());
        let sampled = self.field.controller.sample(at, tolerance);
        sampled.map_err(|error| failure(EvalError::Acceleration(error)))?;
        self.samples_taken += 1;
        self.next_sample = Some(self.t_start + self.samples_taken as f64 * interval * self.span().signum());
        Ok(())
    }

    /// New control forces at the end of a step: the derivative jumps there.
    pub(super) fn resample(&mut self) -> Result<(), Failure> {
        let due = self.next_sample.is_some_and(|next| (next - self.t) * self.span().signum() <= 0.0);
        if !due {
            return Ok(());
        }
        self.sample_control()?;
        self.stepper.interrupted();
        self.check_state(self.t)?;
        self.events_again();
        Ok(())
    }
}
