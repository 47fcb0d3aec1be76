//! Which contacts stick, and the kernel with their rows added.

use super::SLACK;
use crate::acceleration::Accelerator;
use crate::coulomb::SlipSpace;
use crate::{
    Capabilities, Contact, ContactTerms, Dynamics, Fused, IdealForces, Level, Nonideal, Point, Shape,
    Sliding, SlidingContacts, Solution, Terms,
};
use dalembert_linalg::{axpy, norm, norm_max};
use std::ops::Range;

/// What a contact does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// V = 0 is held.
    Stick,
    /// Friction acts against the sliding.
    Slip,
}

/// Which contacts stick, and where the others slide.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactModes {
    /// One for each contact.
    pub modes: Vec<Mode>,
    /// Direction of sliding of each contact, unit vectors one after the other.
    pub(crate) direction: Vec<f64>,
    /// Whether the direction of a sliding contact is held instead of following V: at its start and end, where V says
    /// nothing. With one component it is always held, so that the equations stay smooth through V = 0.
    pub(crate) held: Vec<bool>,
    /// How fast directions that are held turn, and since when.
    pub(crate) turning: Vec<f64>,
    pub(crate) since: f64,
    /// TimeEvents until which contacts that were let go keep to that.
    pub(crate) until: Vec<f64>,
    /// Factor on the rows of each contact when it sticks, for shares that are not determined otherwise.
    pub(crate) strength: Vec<f64>,
    /// Directions of V that a contact holds when it sticks: those which the constraints leave open (see `lead`).
    pub(crate) open: Vec<usize>,
    /// V that the constraints decide is at rest up to this, for speeds of which it is made.
    pub(crate) rest: f64,
}

impl ContactModes {
    /// All contacts sliding, directions unknown yet.
    pub fn new(shape: &Shape) -> Self {
        Self {
            modes: vec![Mode::Slip; shape.n_contact],
            direction: vec![0.0; shape.n_slide],
            held: vec![false; shape.n_contact],
            turning: vec![0.0; shape.n_slide],
            since: f64::NEG_INFINITY,
            until: vec![f64::NEG_INFINITY; shape.n_contact],
            strength: vec![1.0; shape.n_contact],
            open: vec![0; shape.n_contact],
            rest: 0.0,
        }
    }

    /// Whether a contact sticks.
    pub fn sticks(&self, contact: usize) -> bool {
        self.modes[contact] == Mode::Stick
    }

    /// Whether the direction of a sliding contact is held instead of following V.
    pub(crate) fn is_held(&self, contact: usize) -> bool {
        self.held[contact]
    }

    /// The direction of a contact that is held, a unit vector.
    fn heading(&self, slide: Range<usize>, t: f64) -> impl Iterator<Item = f64> {
        let turning = &self.turning[slide.clone()];
        let passed = if turning.iter().all(|w| *w == 0.0) { 0.0 } else { t - self.since };
        // Turning is across the direction.
        let length = (passed * norm(turning)).hypot(1.0);
        self.direction[slide].iter().zip(turning).map(move |(s, w)| (s + passed * w) / length)
    }

    /// From here on a contact keeps to a direction.
    pub(crate) fn hold(&mut self, contact: usize, slide: Range<usize>, way: &[f64]) {
        self.turning[slide.clone()].fill(0.0);
        self.direction[slide].copy_from_slice(way);
        self.held[contact] = true;
    }
}

/// A kernel whose sticking contacts are constraints: their rows stand after its own.
#[derive(Clone)]
pub struct StickingKernel<'k> {
    base: &'k dyn Dynamics,
    base_capabilities: Capabilities<'k>,
    shape: Shape,
    natural: Shape,
    levels: Vec<Level>,
    /// Which contacts stick.
    pub(crate) modes: ContactModes,
}

impl<'k> StickingKernel<'k> {
    /// A workspace for accelerations of this kernel.
    pub fn accelerator(&self) -> Accelerator {
        Accelerator::with_contact_rows(self, self.base)
    }

    /// The kernel with a modes, which [`find_modes`](super::find_modes) finds.
    pub fn new(base: &'k dyn Dynamics, modes: ContactModes) -> Self {
        let natural = base.shape();
        let rows: usize = (0..natural.n_contact).filter(|&k| modes.sticks(k)).map(|k| modes.open[k]).sum();
        let mut levels = base.levels().to_vec();
        levels.resize(natural.n_con + rows, Level::Velocity);
        let shape = Shape { n_con: natural.n_con + rows, ..natural };
        Self { base, base_capabilities: base.capabilities(), shape, natural, levels, modes }
    }

    /// The kernel below.
    pub fn base(&self) -> &'k dyn Dynamics {
        self.base
    }

    /// What the kernel below has beyond K1-K3.
    pub(crate) fn base_capabilities(&self) -> &Capabilities<'k> {
        &self.base_capabilities
    }

    /// The whole acceleration as one program: that of the kernel below, if it has no contacts.
    pub(crate) fn fused(&self) -> Option<&'k dyn Fused> {
        self.base_capabilities.fused.filter(|_| self.natural.n_contact == 0)
    }

    /// The contacts, those that stick and those that slide.
    pub(crate) fn contacts(&self) -> &'k [Contact] {
        self.base_capabilities.contact_list()
    }

    /// Sliding velocities, their rows, coefficients and the way to the normal forces.
    pub(crate) fn contact_terms(&self, at: Point<'_>, scratch: &mut [f64], out: &mut ContactTerms<'_>) {
        if let Some(contacts) = self.base_capabilities.contacts {
            contacts.contact_terms(at, scratch, out);
        }
    }

    /// Which contacts stick.
    pub fn modes(&self) -> &ContactModes {
        &self.modes
    }

    /// Rows added by sticking contacts.
    pub fn stuck_rows(&self) -> usize {
        self.shape.n_con - self.natural.n_con
    }

    /// The contact behind a row, if it is one that was added.
    pub(crate) fn contact_of(&self, row: usize) -> Option<usize> {
        self.stuck()
            .find(|(k, _, first)| (*first..first + self.modes.open[*k]).contains(&row))
            .map(|(k, ..)| k)
    }

    /// Each sticking contact and its first row.
    fn stuck(&self) -> impl Iterator<Item = (usize, &Contact, usize)> {
        let mut row = self.natural.n_con;
        let contacts = self.contacts().iter().enumerate();
        contacts.filter(|(k, _)| self.modes.sticks(*k)).map(move |(k, c)| {
            let first = row;
            row += self.modes.open[k];
            (k, c, first)
        })
    }

    /// Whether a sticking contact holds some directions of V and leaves others to the constraints.
    pub(crate) fn shares_directions(&self) -> bool {
        self.stuck().any(|(k, c, _)| (1..c.slide.len()).contains(&self.modes.open[k]))
    }

    /// Calls `row(component, row, factor)` for every part of a row that a sticking contact adds: the row is the sum of
    /// its components of V' with these factors.
    fn parts(&self, lead: Option<&SlipSpace>, J: &[f64], mut part: impl FnMut(usize, usize, f64)) {
        let n = self.natural.n_eta;
        for (k, contact, first) in self.stuck() {
            let (w, open, slide) = (self.modes.strength[k], self.modes.open[k], contact.slide.clone());
            match lead {
                Some(lead) if (1..slide.len()).contains(&open) => {
                    let all = lead.open(&J[slide.start * n..slide.end * n], slide.len(), open);
                    for (c, direction) in all.chunks(slide.len()).enumerate() {
                        slide.clone().zip(direction).for_each(|(i, d)| part(i, first + c, w * d));
                    }
                }
                _ => slide.take(open).enumerate().for_each(|(c, i)| part(i, first + c, w)),
            }
        }
    }

    /// What [`parts`](StickingKernel::parts) needs where directions are shared.
    fn lead(&self, at: Point<'_>, scratch: &mut [f64]) -> Option<SlipSpace> {
        self.shares_directions().then(|| SlipSpace::of(self.base, at, scratch))
    }

    /// For each contact a function that becomes negative when its mode ends: the speed of sliding, or what is left of
    /// the static limit. `solution` is that of this kernel.
    pub fn margins(&self, at: Point<'_>, solution: &Solution, scratch: &mut [f64], g: &mut [f64]) {
        let (mut terms, rest) = ContactTerms::carve(&self.natural, scratch);
        self.contact_terms(at, rest, &mut terms);
        for (k, contact) in self.contacts().iter().enumerate() {
            g[k] = match self.modes.modes[k] {
                Mode::Slip if self.modes.held[k] => {
                    let V = &terms.V[contact.slide.clone()];
                    V.iter().zip(self.modes.heading(contact.slide.clone(), at.t)).map(|(v, s)| v * s).sum()
                }
                Mode::Slip => norm(&terms.V[contact.slide.clone()]),
                Mode::Stick => {
                    let load = norm(&solution.friction[contact.slide.clone()]);
                    let left = terms.mu_static[k] * solution.normal[k] * (1.0 + SLACK) - load;
                    // The constraints may carry V off in a direction that is theirs.
                    if self.modes.open[k] < contact.slide.len() {
                        left.min(self.still(contact, &terms))
                    } else {
                        left
                    }
                }
            };
        }
    }
}

impl StickingKernel<'_> {
    /// How far V is from being more than rounding.
    fn still(&self, contact: &Contact, terms: &ContactTerms<'_>) -> f64 {
        let reach = |i: usize| terms.J.row(i).iter().map(|j| j.abs()).sum::<f64>();
        let longest = contact.slide.clone().map(reach).fold(0.0, f64::max);
        self.modes.rest * longest - norm(&terms.V[contact.slide.clone()])
    }
}

impl Dynamics for StickingKernel<'_> {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn levels(&self) -> &[Level] {
        &self.levels
    }

    fn scratch_len(&self) -> usize {
        self.base.scratch_len() + ContactTerms::room(&self.natural)
    }

    fn terms(&self, at: Point<'_>, scratch: &mut [f64], out: &mut Terms) {
        if self.stuck_rows() == 0 {
            return self.base.terms(at, scratch, out);
        }
        let (n, m) = (self.natural.n_eta, self.natural.n_con);
        out.A.truncate(m * n);
        out.b.truncate(m);
        self.base.terms(at, scratch, out);
        let (mut contacts, rest) = ContactTerms::carve(&self.natural, scratch);
        self.contact_terms(at, rest, &mut contacts);
        let lead = self.shares_directions().then(|| SlipSpace::new(out, m, norm_max(at.eta)));
        out.A.resize(self.shape.n_con * n, 0.0);
        out.b.resize(self.shape.n_con, 0.0);
        self.parts(lead.as_ref(), &contacts.J, |i, row, w| {
            axpy(w, contacts.J.row(i), &mut out.A[row * n..(row + 1) * n]);
            out.b[row] += w * contacts.b[i];
        });
    }

    fn residuals(&self, at: Point<'_>, scratch: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
        let m = self.natural.n_con;
        self.base.residuals(at, scratch, &mut phi[..m], &mut psi[..m]);
        if self.stuck_rows() == 0 {
            return;
        }
        phi[m..].fill(0.0);
        psi[m..].fill(0.0);
        let (mut terms, rest) = ContactTerms::carve(&self.natural, scratch);
        self.contact_terms(at, rest, &mut terms);
        let lead = self.lead(at, rest);
        self.parts(lead.as_ref(), &terms.J, |i, row, w| psi[row] += w * terms.V[i]);
    }

    fn position_gradient(&self, t: f64, x: &[f64], scratch: &mut [f64], out: &mut [f64]) {
        let (own, added) = out.split_at_mut(self.natural.n_con * self.natural.n_x);
        self.base.position_gradient(t, x, scratch, own);
        added.fill(0.0);
    }

    fn frame(&self, t: f64, x: &[f64], scratch: &mut [f64], X: &mut [f64]) {
        self.base.frame(t, x, scratch, X);
    }

    fn invariants(&self, x: &[f64], scratch: &mut [f64], value: &mut [f64], gradient: &mut [f64]) {
        self.base.invariants(x, scratch, value, gradient);
    }

    fn capabilities(&self) -> Capabilities<'_> {
        let below = &self.base_capabilities;
        let (sticks, touches) = (self.stuck_rows() > 0, self.natural.n_contact > 0);
        // Friction and control follow the state in ways that the derivatives of the kernel below do not have.
        let smooth = !touches && self.natural.n_require == 0;
        Capabilities {
            // Rows of contacts that stick are written out.
            sparsity: below.sparsity.filter(|_| !sticks),
            fused: self.fused(),
            nonideal: below.nonideal.map(|nonideal| if sticks { self as &dyn Nonideal } else { nonideal }),
            sliding: below.contacts.map(|_| self as &dyn SlidingContacts),
            partials: below.partials.filter(|_| smooth),
            lagrangian: below.lagrangian.filter(|_| !sticks),
            ..*below
        }
    }
}

impl Nonideal for StickingKernel<'_> {
    fn nonideal(&self, at: Point<'_>, ideal: &IdealForces<'_>, scratch: &mut [f64], C: &mut [f64]) {
        let Some(base) = self.base_capabilities.nonideal else { return C.fill(0.0) };
        let (n, m) = (self.natural.n_eta, self.natural.n_con);
        let natural = IdealForces { lambda: &ideal.lambda[..m], A: &ideal.A[..m * n], ..*ideal };
        base.nonideal(at, &natural, scratch, C);
    }

    fn rows_read(&self) -> &[usize] {
        self.base_capabilities.rows_read()
    }
}

impl SlidingContacts for StickingKernel<'_> {
    fn sliding(&self, at: Point<'_>, scratch: &mut [f64], out: &mut Sliding) {
        let n = self.natural.n_eta;
        let (mut terms, rest) = ContactTerms::carve(&self.natural, scratch);
        self.contact_terms(at, rest, &mut terms);
        out.P.copy_from_slice(terms.P);
        out.unit.fill(0.0);
        out.force.fill(0.0);
        out.contacts.clear();
        out.held.clear();
        let lead = self.lead(at, rest);
        self.parts(lead.as_ref(), &terms.J, |i, row, w| out.held.push((i, row, w)));
        for (k, contact) in self.contacts().iter().enumerate() {
            if self.modes.sticks(k) {
                continue;
            }
            let speed = norm(&terms.V[contact.slide.clone()]);
            let follow = !self.modes.held[k] && speed > 0.0;
            let place = out.contacts.len() * n;
            out.contacts.push(k);
            for (i, heading) in contact.slide.clone().zip(self.modes.heading(contact.slide.clone(), at.t)) {
                let s = if follow { terms.V[i] / speed } else { heading };
                out.unit[i] = -terms.mu[k] * s;
                axpy(out.unit[i], terms.J.row(i), &mut out.force[place..place + n]);
            }
        }
    }
}
