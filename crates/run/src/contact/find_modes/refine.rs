//! What is left open once the modes are chosen: shares of a load, and directions of contacts that were let go.

use super::{ModeSearch, Trial};
use crate::kernel::AccelerationError;
use dalembert_linalg::{norm, norm_max};

/// How often shares are taken again at most.
const MAX_SHARES: usize = 20;
/// How often directions are turned at most.
const MAX_TURNS: usize = 300;

impl ModeSearch<'_> {
    /// Contacts that stick and share a load which the equations do not share out: each by what it can carry. That
    /// depends on the normal forces, which may be open too, so it is repeated a few times and the best kept.
    pub(super) fn share(&mut self, trial: Trial) -> Result<Trial, AccelerationError> {
        let sticking: Vec<usize> = (0..self.contacts.len()).filter(|&k| self.modes.sticks(k)).collect();
        if !trial.dependent || sticking.len() < 2 {
            return Ok(trial);
        }
        let worst =
            |this: &Self, trial: &Trial| sticking.iter().map(|&k| this.use_of(k, trial)).fold(0.0, f64::max);
        let mut best = (worst(self, &trial), trial, self.modes.strength.clone());
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
                changed = changed.max((w / self.modes.strength[k] - 1.0).abs());
                self.modes.strength[k] = w;
            }
            let trial = self.solve()?;
            normal.clone_from(&trial.normal);
            let used = worst(self, &trial);
            if used <= best.0 {
                best = (used, trial, self.modes.strength.clone());
            }
            if changed < 1e-9 {
                break;
            }
        }
        self.modes.strength = best.2;
        Ok(best.1)
    }

    /// Contacts with several components that were let go slide the way they then move off: V' = alpha s with alpha > 0.
    /// What of V' is across the direction turns it, until nothing is left.
    pub(super) fn align(&mut self) -> Result<(), AccelerationError> {
        let turning: Vec<usize> = (0..self.contacts.len())
            .filter(|&k| self.at_rest[k] && !self.modes.sticks(k) && self.contacts[k].slide.len() > 1)
            .collect();
        if turning.is_empty() {
            return Ok(());
        }
        let (mut gain, mut before) = (0.5, f64::INFINITY);
        for _ in 0..MAX_TURNS {
            let trial = self.solve()?;
            let mut left = 0.0_f64;
            for &k in &turning {
                let (along, size) = self.departure(k, &trial);
                let slide = self.contacts[k].slide.clone();
                let rate = self.rate(k, &trial);
                let across: Vec<f64> =
                    slide.clone().zip(rate).map(|(i, r)| r - along * self.modes.direction[i]).collect();
                if norm(&across) <= 1e-13 * size {
                    continue;
                }
                left = left.max(norm(&across) / size);
                let step = gain / size.max(along.abs());
                let turned: Vec<f64> =
                    slide.clone().zip(&across).map(|(i, a)| self.modes.direction[i] + step * a).collect();
                let length = norm(&turned);
                slide.zip(&turned).for_each(|(i, v)| self.modes.direction[i] = v / length);
            }
            if left == 0.0 {
                break;
            }
            // As far as it helps: components that nearly depend on each other turn slowly.
            gain *= if left < before { 1.4 } else { 0.4 };
            before = left;
        }
        Ok(())
    }
}
