//! Which contacts stick at a state.
//!
//! Contacts with V = 0 are first all held. The one loaded most beyond its static limit is let go, against its force, and
//! the rest is solved again, until every contact that sticks can, and every contact let go moves off the way its
//! friction says. One let go that does not move off is held again if it can then be.
//!
//! Where the constraints ask for V' other than zero, the contact cannot stick and is let go at once, the way they carry
//! it. Where contacts that could stick one by one cannot all do so, those in each other's way are let go as they would
//! move without friction, and held again as above.

mod refine;

use super::{ContactModes, Mode, SLACK, StickingKernel};
use crate::acceleration::ControlInput;
use crate::coulomb::SlipSpace;
use crate::kernel::{AccelerationError, Term};
use crate::tolerance;
use crate::{Contact, ContactTerms, Dynamics, Point};
use dalembert_linalg::{Mat, dot, norm, norm_max};

/// Sliding velocities below this, relative to the speeds they are made of, are rest.
const REST: f64 = 1e-12;
/// Sliding velocity, relative to all speeds, that is rounding of the constraints between them.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// What constraints and requirements may be off by at a state (see [`tolerance::CONSISTENCY`]).
const STATE_TOLERANCE: f64 = 10.0 * tolerance::CONSISTENCY;

/// The modes at a state: contacts at rest stick if their law lets them, the others slide.
pub fn find_modes(
    kernel: &dyn Dynamics,
    at: Point<'_>,
    input: ControlInput<'_>,
) -> Result<ContactModes, AccelerationError> {
    find_modes_after(kernel, at, input, ModeChange::default())
}

/// What changes along a motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ModeChange {
    /// A contact that has come to rest.
    pub landed: Option<usize>,
    /// A contact that has passed its static limit.
    pub loose: Option<usize>,
    /// Speeds below this are rest too: rounding of the speeds there were before.
    pub quiet: f64,
}

/// The modes after a change.
pub fn find_modes_after(
    kernel: &dyn Dynamics,
    at: Point<'_>,
    input: ControlInput<'_>,
    change: ModeChange,
) -> Result<ContactModes, AccelerationError> {
    let shape = kernel.shape();
    let mut search = ModeSearch {
        kernel,
        at,
        input,
        contacts: kernel.capabilities().contact_list().to_vec(),
        at_rest: vec![false; shape.n_contact],
        forced: vec![false; shape.n_contact],
        mu_static: vec![0.0; shape.n_contact],
        J: Mat::new(Vec::new(), shape.n_eta),
        drift: Vec::new(),
        modes: ContactModes::new(&shape),
    };
    if shape.n_contact == 0 {
        return Ok(search.modes);
    }
    search.look(change)?;
    search.follow_constraints();
    search.hold_all(change.loose)?;
    Ok(search.modes)
}

/// What a trial found.
struct Trial {
    eta_dot: Vec<f64>,
    friction: Vec<f64>,
    normal: Vec<f64>,
    dependent: bool,
}

struct ModeSearch<'k> {
    kernel: &'k dyn Dynamics,
    at: Point<'k>,
    input: ControlInput<'k>,
    contacts: Vec<Contact>,
    at_rest: Vec<bool>,
    /// Whether the constraints carry a contact off that is at rest.
    forced: Vec<bool>,
    mu_static: Vec<f64>,
    J: Mat<Vec<f64>>,
    drift: Vec<f64>,
    modes: ContactModes,
}

impl ModeSearch<'_> {
    /// Which contacts are at rest, and where the others slide.
    fn look(&mut self, change: ModeChange) -> Result<(), AccelerationError> {
        let shape = self.kernel.shape();
        let mut room = vec![0.0; ContactTerms::room(&shape) + self.kernel.scratch_len()];
        let (mut terms, rest) = ContactTerms::carve(&shape, &mut room);
        if let Some(contacts) = self.kernel.capabilities().contacts {
            contacts.contact_terms(self.at, rest, &mut terms);
        }
        let n = shape.n_eta;
        for (k, contact) in self.contacts.iter().enumerate() {
            let slide = contact.slide.clone();
            let good = terms.V[slide.clone()].iter().all(|v| v.is_finite())
                && terms.mu[k].is_finite()
                && terms.mu_static[k].is_finite();
            if !good {
                return Err(AccelerationError::NotFinite { t: self.at.t, term: Term::Friction, index: k });
            }
            let speed = norm(&terms.V[slide.clone()]);
            let made_of = |i: usize| {
                let row = terms.J.row(i);
                let moved: f64 = row.iter().zip(self.at.eta).map(|(j, e)| (j * e).abs()).sum();
                // V0, what V is besides J eta, counts too.
                moved + (terms.V[i] - dot(row, self.at.eta)).abs()
            };
            let size = slide.clone().map(made_of).fold(0.0, f64::max);
            let reach = |i: usize| terms.J.row(i).iter().map(|j| j.abs()).sum::<f64>();
            let quiet = change.quiet.max(ROUNDING * norm_max(self.at.eta))
                * slide.clone().map(reach).fold(0.0, f64::max);
            let rests = change.landed == Some(k) || speed <= (REST * size).max(quiet);
            // Without friction a contact holds nothing. V = 0 as a row would have no force, but control would keep to it.
            // A given limit may grow from zero: such a contact has a direction all the same.
            let absent = terms.mu[k] == 0.0 && terms.mu_static[k] == 0.0;
            let smooth = absent && !contact.has_given_limit();
            self.at_rest[k] = rests && !smooth;
            if !rests {
                slide.clone().for_each(|i| self.modes.direction[i] = terms.V[i] / speed);
            }
            self.modes.modes[k] = if self.at_rest[k] { Mode::Stick } else { Mode::Slip };
            self.modes.held[k] = contact.slide.len() == 1 && !(rests && smooth);
        }
        self.mu_static.copy_from_slice(terms.mu_static);
        self.J = Mat::new(terms.J.to_vec(), n);
        self.drift = terms.b.to_vec();
        Ok(())
    }

    /// What of V' the constraints decide: contacts which they carry off slide that way.
    fn follow_constraints(&mut self) {
        if !self.at_rest.contains(&true) {
            return;
        }
        let lead = SlipSpace::of(self.kernel, self.at, &mut vec![0.0; self.kernel.scratch_len()]);
        for k in 0..self.contacts.len() {
            if !self.at_rest[k] {
                continue;
            }
            let slide = self.contacts[k].slide.clone();
            let J = self.J.rows(slide.clone());
            let open = lead.open(J, slide.len(), slide.len());
            self.modes.open[k] = open.len() / slide.len();
            if let Some(rate) = lead.forced(J, &self.drift[slide], &open) {
                self.forced[k] = true;
                self.slide_along(k, &rate);
            }
        }
    }

    /// Lets a contact slide along a direction of any length.
    fn slide_along(&mut self, k: usize, way: &[f64]) {
        let size = norm(way);
        self.contacts[k].slide.clone().zip(way).for_each(|(i, w)| self.modes.direction[i] = w / size);
        self.modes.modes[k] = Mode::Slip;
        self.modes.held[k] = true;
    }

    fn solve(&self) -> Result<Trial, AccelerationError> {
        let sticking = StickingKernel::new(self.kernel, self.modes.clone());
        let mut accelerator = sticking.accelerator();
        // States are on the constraints up to rounding; redundant rows of contacts may disagree by as much.
        accelerator.consistency_tol = STATE_TOLERANCE;
        let s = accelerator.solve_with_input(&sticking, self.at, self.input)?;
        Ok(Trial {
            eta_dot: s.eta_dot.clone(),
            friction: s.friction.clone(),
            normal: s.normal.clone(),
            dependent: s.rank < sticking.shape().n_con,
        })
    }

    /// Load of a contact relative to its static limit.
    fn use_of(&self, k: usize, trial: &Trial) -> f64 {
        let load = norm(&trial.friction[self.contacts[k].slide.clone()]);
        let limit = self.mu_static[k] * trial.normal[k];
        if load == 0.0 { 0.0 } else { load / limit }
    }

    /// V' of a contact, projected on its direction.
    fn departure(&self, k: usize, trial: &Trial) -> (f64, f64) {
        let (mut along, mut size) = (0.0, 0.0_f64);
        for i in self.contacts[k].slide.clone() {
            let row = self.J.row(i);
            along += self.modes.direction[i] * (dot(row, &trial.eta_dot) - self.drift[i]);
            let parts: f64 = row.iter().zip(&trial.eta_dot).map(|(j, z)| (j * z).abs()).sum();
            size = size.max(parts + self.drift[i].abs());
        }
        (along, size)
    }

    /// V' of a contact.
    fn rate(&self, k: usize, trial: &Trial) -> Vec<f64> {
        let rate = |i: usize| dot(self.J.row(i), &trial.eta_dot) - self.drift[i];
        self.contacts[k].slide.clone().map(rate).collect()
    }

    /// Contacts that stick and prevent a motion: requirements that sticking would prevent (control overcomes friction
    /// there), constraints that cannot hold while all of these stick. Empty for other failures.
    fn in_the_way(&self, error: &AccelerationError) -> Vec<usize> {
        let stuck = || (0..self.contacts.len()).filter(|&k| self.modes.sticks(k));
        match error {
            AccelerationError::Unreachable { .. } => stuck().collect(),
            AccelerationError::Inconsistent { rows, .. } => {
                let sticking = StickingKernel::new(self.kernel, self.modes.clone());
                let named: Vec<_> = rows.iter().filter_map(|&row| sticking.contact_of(row)).collect();
                stuck().filter(|k| named.contains(k)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Holds what can be held: contacts in the way of a motion slide as they would move off without friction.
    fn give_way(&mut self) -> Result<Trial, AccelerationError> {
        let mut loose = Vec::new();
        let trial = loop {
            match self.solve() {
                Ok(trial) => break trial,
                Err(error) => {
                    let group = self.in_the_way(&error);
                    if group.is_empty() {
                        return Err(error);
                    }
                    for &k in &group {
                        self.modes.modes[k] = Mode::Slip;
                        self.modes.held[k] = true;
                        self.contacts[k].slide.clone().for_each(|i| self.modes.direction[i] = 0.0);
                    }
                    loose.extend(group);
                }
            }
        };
        if loose.is_empty() && !self.forced.contains(&true) {
            return Ok(trial);
        }
        for k in loose {
            let away = self.rate(k, &trial);
            if norm(&away) > 1e-12 * (norm_max(&trial.eta_dot) + norm_max(&self.drift)) {
                self.slide_along(k, &away);
            } else {
                self.modes.modes[k] = Mode::Stick;
            }
        }
        self.align()?;
        self.solve()
    }

    /// Holds a contact again that was let go and does not move off that way; if it cannot be held with the others, it
    /// goes the other way.
    fn take_back(&mut self, k: usize, trial: &Trial) -> Result<(), AccelerationError> {
        self.modes.modes[k] = Mode::Stick;
        if let Err(AccelerationError::Inconsistent { .. }) = self.solve() {
            self.slide_along(k, &self.rate(k, trial));
        }
        self.align()
    }

    fn hold_all(&mut self, loose: Option<usize>) -> Result<(), AccelerationError> {
        let first = self.give_way()?;
        let mut trial = self.share(first)?;
        if let Some(k) = loose.filter(|&k| self.modes.sticks(k)) {
            self.let_go(k, &trial)?;
            trial = self.share(self.solve()?)?;
        }
        let unsettled = |contact: usize, t: f64| AccelerationError::FrictionUnsettled { t, contact };
        let mut returned = vec![0; self.contacts.len()];
        for _ in 0..8 * self.contacts.len() + 8 {
            let sticking = (0..self.contacts.len()).filter(|&k| self.modes.sticks(k));
            let worst = sticking
                .map(|k| (self.use_of(k, &trial), k))
                .filter(|(used, _)| !(*used <= 1.0 + SLACK))
                .max_by(|a, b| a.0.total_cmp(&b.0));
            let back = (0..self.contacts.len()).find(|&k| {
                let (along, size) = self.departure(k, &trial);
                self.at_rest[k] && !self.forced[k] && !self.modes.sticks(k) && along < -1e-10 * size
            });
            match (worst, back) {
                (Some((_, k)), _) => self.let_go(k, &trial)?,
                (None, Some(k)) => {
                    returned[k] += 1;
                    if returned[k] > 2 {
                        return Err(unsettled(k, self.at.t));
                    }
                    self.take_back(k, &trial)?;
                }
                (None, None) => return Ok(()),
            }
            trial = self.share(self.solve()?)?;
        }
        Err(unsettled(0, self.at.t))
    }

    /// Lets a contact slide against its force.
    fn let_go(&mut self, k: usize, trial: &Trial) -> Result<(), AccelerationError> {
        let slide = self.contacts[k].slide.clone();
        let size = norm(&trial.friction[slide.clone()]);
        if !(size > 0.0) {
            return Err(AccelerationError::FrictionUnsettled { t: self.at.t, contact: k });
        }
        let against: Vec<f64> = trial.friction[slide].iter().map(|f| -f).collect();
        self.slide_along(k, &against);
        self.align()
    }
}
