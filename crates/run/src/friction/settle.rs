//! Which contacts stick at a state.
//!
//! Contacts with V = 0 are first all held. The one loaded most beyond its static limit is let go, against its force, and
//! the rest is solved again, until every contact that sticks can, and every contact let go moves off the way its
//! friction says. One let go that does not move off is held again if it can then be.

use super::{Grip, Gripped, Mode, SLACK};
use crate::acceleration::{AccelerationError, Accelerator, Steer, Term};
use crate::linalg::{dot, norm, norm_max};
use crate::{Contact, ContactTerms, Kernel, Point};

/// Sliding velocities below this, relative to the speeds they are made of, are rest.
const REST: f64 = 1e-12;

/// What constraints and requirements may be off by at a state (see [`crate::CONSISTENCY_TOL`]).
const STATE_TOLERANCE: f64 = 10.0 * crate::CONSISTENCY_TOL;
/// How often shares are taken again at most.
const MAX_SHARES: usize = 20;
/// How often directions are turned at most.
const MAX_TURNS: usize = 300;

/// The grip at a state: contacts at rest stick if their law lets them, the others slide.
pub fn settle(kernel: &dyn Kernel, at: Point<'_>, steer: Steer<'_>) -> Result<Grip, AccelerationError> {
    settle_after(kernel, at, steer, Change::default())
}

/// What changes along a motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Change {
    /// A contact that has come to rest.
    pub landed: Option<usize>,
    /// A contact that has passed its static limit.
    pub loose: Option<usize>,
    /// Speeds below this are rest too: rounding of the speeds there were before.
    pub quiet: f64,
}

/// The grip after a change.
pub fn settle_after(
    kernel: &dyn Kernel,
    at: Point<'_>,
    steer: Steer<'_>,
    change: Change,
) -> Result<Grip, AccelerationError> {
    let shape = kernel.shape();
    let mut search = Search {
        kernel,
        at,
        steer,
        contacts: kernel.contacts().to_vec(),
        at_rest: vec![false; shape.n_contact],
        mu_static: vec![0.0; shape.n_contact],
        J: Vec::new(),
        drift: Vec::new(),
        grip: Grip::new(&shape),
    };
    if shape.n_contact == 0 {
        return Ok(search.grip);
    }
    search.look(change)?;
    search.hold_all(change.loose)?;
    Ok(search.grip)
}

/// What a trial found.
struct Trial {
    eta_dot: Vec<f64>,
    friction: Vec<f64>,
    normal: Vec<f64>,
    dependent: bool,
}

struct Search<'k> {
    kernel: &'k dyn Kernel,
    at: Point<'k>,
    steer: Steer<'k>,
    contacts: Vec<Contact>,
    at_rest: Vec<bool>,
    mu_static: Vec<f64>,
    J: Vec<f64>,
    drift: Vec<f64>,
    grip: Grip,
}

impl Search<'_> {
    /// Which contacts are at rest, and where the others slide.
    fn look(&mut self, change: Change) -> Result<(), AccelerationError> {
        let shape = self.kernel.shape();
        let mut room = vec![0.0; ContactTerms::room(&shape) + self.kernel.scratch_len()];
        let (mut terms, rest) = ContactTerms::carve(&shape, &mut room);
        self.kernel.contact_terms(self.at, rest, &mut terms);
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
                let row = &terms.J[i * n..(i + 1) * n];
                let moved: f64 = row.iter().zip(self.at.eta).map(|(j, e)| (j * e).abs()).sum();
                // V0, what V is besides J eta, counts too.
                moved + (terms.V[i] - dot(row, self.at.eta)).abs()
            };
            let size = slide.clone().map(made_of).fold(0.0, f64::max);
            let reach = |i: usize| terms.J[i * n..(i + 1) * n].iter().map(|j| j.abs()).sum::<f64>();
            let quiet = change.quiet * slide.clone().map(reach).fold(0.0, f64::max);
            self.at_rest[k] = change.landed == Some(k) || speed <= (REST * size).max(quiet);
            if !self.at_rest[k] {
                slide.clone().for_each(|i| self.grip.direction[i] = terms.V[i] / speed);
            }
            self.grip.modes[k] = if self.at_rest[k] { Mode::Stick } else { Mode::Slip };
            self.grip.held[k] = contact.slide.len() == 1;
        }
        self.mu_static.copy_from_slice(terms.mu_static);
        self.J = terms.J.to_vec();
        self.drift = terms.b.to_vec();
        Ok(())
    }

    fn solve(&self) -> Result<Trial, AccelerationError> {
        let gripped = Gripped::new(self.kernel, self.grip.clone());
        let mut accelerator = Accelerator::gripped(&gripped);
        // States are on the constraints up to rounding; redundant rows of contacts may disagree by as much.
        accelerator.consistency_tol = STATE_TOLERANCE;
        let s = accelerator.solve_steered(&gripped, self.at, self.steer)?;
        Ok(Trial {
            eta_dot: s.eta_dot.clone(),
            friction: s.friction.clone(),
            normal: s.normal.clone(),
            dependent: s.rank < gripped.shape().n_con,
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
        let n = trial.eta_dot.len();
        let (mut along, mut size) = (0.0, 0.0_f64);
        for i in self.contacts[k].slide.clone() {
            let row = &self.J[i * n..(i + 1) * n];
            along += self.grip.direction[i] * (dot(row, &trial.eta_dot) - self.drift[i]);
            let parts: f64 = row.iter().zip(&trial.eta_dot).map(|(j, z)| (j * z).abs()).sum();
            size = size.max(parts + self.drift[i].abs());
        }
        (along, size)
    }

    /// Requirements that sticking would prevent: control overcomes friction there, so those contacts slide that would
    /// move off without it.
    fn give_way(&mut self) -> Result<Trial, AccelerationError> {
        let held = self.grip.clone();
        for k in (0..self.contacts.len()).filter(|&k| self.at_rest[k]) {
            self.grip.modes[k] = Mode::Slip;
            self.grip.held[k] = true;
            self.contacts[k].slide.clone().for_each(|i| self.grip.direction[i] = 0.0);
        }
        let trial = self.solve()?;
        let n = trial.eta_dot.len();
        for k in (0..self.contacts.len()).filter(|&k| self.at_rest[k]) {
            let slide = self.contacts[k].slide.clone();
            let off = |i: usize| dot(&self.J[i * n..(i + 1) * n], &trial.eta_dot) - self.drift[i];
            let away: Vec<f64> = slide.clone().map(off).collect();
            let size = norm(&away);
            if size > 1e-12 * (norm_max(&trial.eta_dot) + norm_max(&self.drift)) {
                slide.zip(&away).for_each(|(i, a)| self.grip.direction[i] = a / size);
            } else {
                self.grip.modes[k] = held.modes[k];
            }
        }
        self.align()?;
        self.solve()
    }

    fn hold_all(&mut self, loose: Option<usize>) -> Result<(), AccelerationError> {
        let first = match self.solve() {
            Err(AccelerationError::Unreachable { .. }) => self.give_way()?,
            other => other?,
        };
        let mut trial = self.share(first)?;
        if let Some(k) = loose.filter(|&k| self.at_rest[k]) {
            self.let_go(k, &trial)?;
            trial = self.share(self.solve()?)?;
        }
        let unsettled = |contact: usize, t: f64| AccelerationError::FrictionUnsettled { t, contact };
        let mut returned = vec![0; self.contacts.len()];
        for _ in 0..8 * self.contacts.len() + 8 {
            let sticking = (0..self.contacts.len()).filter(|&k| self.grip.sticks(k));
            let worst = sticking
                .map(|k| (self.use_of(k, &trial), k))
                .filter(|(used, _)| !(*used <= 1.0 + SLACK))
                .max_by(|a, b| a.0.total_cmp(&b.0));
            let back = (0..self.contacts.len()).find(|&k| {
                let (along, size) = self.departure(k, &trial);
                self.at_rest[k] && !self.grip.sticks(k) && along < -1e-10 * size
            });
            match (worst, back) {
                (Some((_, k)), _) => self.let_go(k, &trial)?,
                (None, Some(k)) => {
                    returned[k] += 1;
                    if returned[k] > 2 {
                        return Err(unsettled(k, self.at.t));
                    }
                    self.grip.modes[k] = Mode::Stick;
                    self.align()?;
                }
                (None, None) => return Ok(()),
            }
            trial = self.share(self.solve()?)?;
        }
        Err(unsettled(0, self.at.t))
    }

    /// Contacts that stick and share a load which the equations do not share out: each by what it can carry. That
    /// depends on the normal forces, which may be open too, so it is repeated a few times and the best kept.
    fn share(&mut self, trial: Trial) -> Result<Trial, AccelerationError> {
        let sticking: Vec<usize> = (0..self.contacts.len()).filter(|&k| self.grip.sticks(k)).collect();
        if !trial.dependent || sticking.len() < 2 {
            return Ok(trial);
        }
        let worst =
            |this: &Self, trial: &Trial| sticking.iter().map(|&k| this.use_of(k, trial)).fold(0.0, f64::max);
        let mut best = (worst(self, &trial), trial, self.grip.strength.clone());
        let mut normal = best.1.normal.clone();
        for _ in 0..MAX_SHARES {
            let limits: Vec<f64> = sticking.iter().map(|&k| self.mu_static[k] * normal[k]).collect();
            let largest = norm_max(&limits);
            if !(largest > 0.0) {
                break;
            }
            // Multipliers of least norm of rows scaled by w make f of least sum f^2/w^2: equal use of all limits if w^2
            // is the limit.
            let mut changed = 0.0_f64;
            for (&k, limit) in sticking.iter().zip(&limits) {
                let w = (limit / largest).sqrt().max(1e-3);
                changed = changed.max((w / self.grip.strength[k] - 1.0).abs());
                self.grip.strength[k] = w;
            }
            let trial = self.solve()?;
            normal.clone_from(&trial.normal);
            let used = worst(self, &trial);
            if used <= best.0 {
                best = (used, trial, self.grip.strength.clone());
            }
            if changed < 1e-9 {
                break;
            }
        }
        self.grip.strength = best.2;
        Ok(best.1)
    }

    /// Lets a contact slide against its force.
    fn let_go(&mut self, k: usize, trial: &Trial) -> Result<(), AccelerationError> {
        let slide = self.contacts[k].slide.clone();
        let size = norm(&trial.friction[slide.clone()]);
        if !(size > 0.0) {
            return Err(AccelerationError::FrictionUnsettled { t: self.at.t, contact: k });
        }
        slide.for_each(|i| self.grip.direction[i] = -trial.friction[i] / size);
        self.grip.modes[k] = Mode::Slip;
        self.grip.held[k] = true;
        self.align()
    }

    /// Contacts with several components that were let go slide the way they then move off: V' = alpha s with alpha > 0.
    /// What of V' is across the direction turns it, until nothing is left.
    fn align(&mut self) -> Result<(), AccelerationError> {
        let turning: Vec<usize> = (0..self.contacts.len())
            .filter(|&k| self.at_rest[k] && !self.grip.sticks(k) && self.contacts[k].slide.len() > 1)
            .collect();
        if turning.is_empty() {
            return Ok(());
        }
        for _ in 0..MAX_TURNS {
            let trial = self.solve()?;
            let n = trial.eta_dot.len();
            let mut settled = true;
            for &k in &turning {
                let (along, size) = self.departure(k, &trial);
                let across = |i: usize| {
                    dot(&self.J[i * n..(i + 1) * n], &trial.eta_dot)
                        - self.drift[i]
                        - along * self.grip.direction[i]
                };
                let slide = self.contacts[k].slide.clone();
                let across: Vec<f64> = slide.clone().map(across).collect();
                if norm(&across) <= 1e-13 * size {
                    continue;
                }
                settled = false;
                let gain = 0.5 / size.max(along.abs());
                let turned: Vec<f64> =
                    slide.clone().zip(&across).map(|(i, a)| self.grip.direction[i] + gain * a).collect();
                let length = norm(&turned);
                slide.zip(&turned).for_each(|(i, v)| self.grip.direction[i] = v / length);
            }
            if settled {
                break;
            }
        }
        Ok(())
    }
}
