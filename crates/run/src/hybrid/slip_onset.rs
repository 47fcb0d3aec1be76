//! Contacts with several components that begin to slide.
//!
//! Close to V = 0 the direction of friction follows V at a rate that grows beyond all bounds, so the first bit of a slide
//! is not left to V. Its direction there is s + w tau, in the time tau since the change: V = a s tau + V2 tau^2/2 has
//! this direction if V2 across s is 2 a w, which determines w, also for a = 0, where the load has just reached the limit.
//! What is missing is of the order (tau/T)^2 in the direction, if T is the time in which the motion turns. V forgets it
//! at once across s; along s the speed keeps its square.

use super::Failure;
use super::integration::{Integration, failure};
use super::tolerances::{LED, ONSET, ONSET_MOMENT, ONSET_SHARE, ONSET_SLIVER, TURN};
use crate::contact::StickingKernel;
use crate::method::stepper::{EvalError, Field};
use crate::{ContactTerms, Dynamics};
use dalembert_linalg::{Cod, dot, norm, norm_max};
use std::ops::Range;

/// V of all contacts and V'.
pub(super) struct Slides {
    pub V: Vec<f64>,
    pub rate: Vec<f64>,
}

impl Integration<'_> {
    /// V and V' of the contacts at a state with derivative f.
    pub(super) fn slides(&self, t: f64, y: &[f64], f: &[f64]) -> Slides {
        let base = self.field.kernel.base();
        let (natural, n) = (base.shape(), self.field.shape.n_eta);
        let mut room = vec![0.0; ContactTerms::room(&natural) + self.field.kernel.scratch_len()];
        let (mut terms, rest) = ContactTerms::carve(&natural, &mut room);
        self.field.kernel.contact_terms(self.field.point(t, y), rest, &mut terms);
        let eta_dot = &f[self.field.shape.n_x..];
        let rate = terms.J.chunks(n).zip(&*terms.b).map(|(row, b)| dot(row, eta_dot) - b).collect();
        Slides { V: terms.V.to_vec(), rate }
    }

    /// Speeds that are nothing to the tolerance.
    pub(super) fn quiet(&self) -> f64 {
        self.options.atol + self.options.rtol * norm_max(&self.y[self.field.shape.n_x..])
    }

    /// How long a contact still keeps to the direction in which it was let go.
    pub(super) fn leaving(&self, contact: usize) -> Option<f64> {
        let modes = self.field.kernel.modes();
        let whole = modes.until[contact] - modes.since;
        let left = modes.until[contact] - self.t;
        // Not a sliver more.
        (whole.is_finite() && left / whole > ONSET_SLIVER).then_some(left.abs())
    }

    /// How contacts turn that have just been let go, and for how long that is relied on.
    pub(super) fn lead_off(&mut self) -> Result<(), Failure> {
        let leaving = Leaving::of(&self.field.kernel);
        if leaving.along.is_empty() {
            return Ok(());
        }
        let scale = self.field.time_scale(&self.y, &self.f).min(self.span().abs());
        let (turning, grasp) = self.turning(&leaving, scale).map_err(failure)?;
        let (quiet, forward) = (self.quiet(), self.span().signum());
        let [shortest, longest] = ONSET;
        let modes = &mut self.field.kernel.modes;
        modes.since = self.t;
        leaving.parts().zip(turning).for_each(|(i, w)| modes.turning[i] = w);
        for (k, slide) in leaving.contacts {
            let T = scale.min(1.0 / norm(&modes.turning[slide]));
            let part = (ONSET_SHARE * quiet / (grasp * T)).powf(0.2).clamp(shortest, longest);
            modes.until[k] = self.t + part * T * forward;
        }
        Ok(())
    }

    /// w of the components, and how much V' changes with a direction at most.
    fn turning(&mut self, leaving: &Leaving, scale: f64) -> Result<(Vec<f64>, f64), EvalError> {
        let count = leaving.along.len();
        let moment = ONSET_MOMENT * scale * self.span().signum();
        let start = self.rates(leaving, 0.0)?;
        let later = self.rates(leaving, moment)?;
        let change = leaving.across(later.iter().zip(&start).map(|(r, s)| (r - s) / moment).collect());
        let departure = leaving.departure(&start);
        let (mut B, mut grasp) = (vec![0.0; count * count], 0.0_f64);
        for q in 0..count {
            let turn = leaving.across((0..count).map(|p| f64::from(u8::from(p == q))).collect());
            self.aim(leaving, &turn);
            let turned = self.rates(leaving, 0.0);
            self.aim(leaving, &vec![0.0; count]);
            let answer: Vec<f64> = turned?.iter().zip(&start).map(|(r, s)| (r - s) / TURN).collect();
            grasp = grasp.max(norm(&answer));
            let answer = leaving.across(answer);
            (0..count).for_each(|p| B[p * count + q] = 2.0 * departure[p] * turn[p] - answer[p]);
        }
        let (mut cod, mut w) = (Cod::new(count, count), vec![0.0; count]);
        cod.factor(&B, LED);
        cod.solve(&change, &mut w);
        Ok((leaving.across(w), grasp))
    }

    /// Turns the directions by `TURN` times this from where they were let go.
    fn aim(&mut self, leaving: &Leaving, turn: &[f64]) {
        let aimed = leaving.along.iter().zip(turn).map(|(s, w)| s + TURN * w);
        leaving.parts().zip(aimed).for_each(|(i, s)| self.field.kernel.modes.direction[i] = s);
    }

    /// V' of the contacts let go, a moment after (t, y).
    fn rates(&mut self, leaving: &Leaving, moment: f64) -> Result<Vec<f64>, EvalError> {
        let y: Vec<f64> = self.y.iter().zip(&self.f).map(|(y, f)| y + moment * f).collect();
        let mut f = vec![0.0; y.len()];
        self.field.eval(self.t + moment, &y, &mut f)?;
        let rate = self.slides(self.t + moment, &y, &f).rate;
        Ok(leaving.parts().map(|i| rate[i]).collect())
    }
}

/// Contacts with several components that have just been let go, and their directions one after the other.
struct Leaving {
    contacts: Vec<(usize, Range<usize>)>,
    along: Vec<f64>,
}

impl Leaving {
    fn of(kernel: &StickingKernel<'_>) -> Self {
        let modes = kernel.modes();
        let contacts: Vec<_> = (kernel.contacts().iter().enumerate())
            .filter(|(k, c)| c.slide.len() > 1 && !modes.sticks(*k) && modes.held[*k])
            .map(|(k, c)| (k, c.slide.clone()))
            .collect();
        let along = contacts.iter().flat_map(|(_, slide)| modes.direction[slide.clone()].to_vec()).collect();
        Self { contacts, along }
    }

    /// Their components among all.
    fn parts(&self) -> impl Iterator<Item = usize> {
        self.contacts.iter().flat_map(|(_, slide)| slide.clone())
    }

    /// For each component what its contact has of v along its direction.
    fn component(&self, v: &[f64]) -> Vec<f64> {
        let (mut first, mut out) = (0, Vec::with_capacity(v.len()));
        for (_, slide) in &self.contacts {
            let own = first..first + slide.len();
            let along = dot(&self.along[own.clone()], &v[own]);
            out.extend(slide.clone().map(|_| along));
            first += slide.len();
        }
        out
    }

    /// What v has across the directions.
    fn across(&self, mut v: Vec<f64>) -> Vec<f64> {
        let component = self.component(&v);
        v.iter_mut().zip(&self.along).zip(component).for_each(|((v, s), c)| *v -= c * s);
        v
    }

    /// For each component how fast its contact moves off.
    fn departure(&self, rate: &[f64]) -> Vec<f64> {
        self.component(rate).into_iter().map(|a| a.max(0.0)).collect()
    }
}
