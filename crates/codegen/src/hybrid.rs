//! What can happen to a motion besides its equations, as all languages see it.

use super::block::{Block, Item};
use dalembert::Workspace;
use dalembert_run::{Action, Contact, Contacts, Events};
use dalembert_tape::Program;

/// What can happen to a motion besides its equations: contacts that stick and slide, events, switches.
#[derive(Default)]
pub struct Hybrid {
    /// Names of the contacts with friction, and where their numbers are.
    pub contacts: Vec<(Item, Contact)>,
    /// V, J, b, mu, mu_static, P.
    pub contact_terms: Option<Block>,
    /// Name of each event, the crossings that count (1 rising, -1 falling, 0 both), whether the motion ends there.
    pub events: Vec<(Item, i8, bool)>,
    pub event_functions: Option<Block>,
    /// What events assign to which variable of (x, eta).
    pub actions: Vec<Action>,
    pub action_values: Option<Block>,
    /// Functions that vanish where constraint rows have kinks.
    pub kinks: Option<Block>,
    /// Sides of the comparisons that time alone decides: all on the left, then all on the right.
    pub instants: Option<Block>,
    /// Outputs that cannot be exported: those of Gauss's function and of works.
    pub left_out: Vec<String>,
}

impl Hybrid {
    pub fn of(model: &Workspace) -> Self {
        let (system, tapes) = (&model.system, model.compiled.tapes());
        let plain = |name: &str| Item { name: name.to_owned(), unit: None };
        let dense = |p: &Program| Block::new(p.listing(), (0..p.output_count()).map(|k| (0, k)).collect());
        let some = |p: &Program| (p.output_count() > 0).then(|| dense(p));
        let names = system.contacts.iter().map(|c| plain(&c.name));
        let side = |rising: Option<bool>| rising.map_or(0, |up| if up { 1 } else { -1 });
        Hybrid {
            contacts: names.zip(model.compiled.contacts().iter().cloned()).collect(),
            contact_terms: tapes.contacts.map(|(p, places)| Block::new(p.listing(), places.to_vec())),
            events: system
                .experiment
                .events
                .iter()
                .map(|e| (plain(&e.name), side(e.rising), e.stop))
                .collect(),
            event_functions: some(tapes.events),
            actions: model.compiled.actions().to_vec(),
            action_values: tapes.action_values.and_then(some),
            kinks: some(tapes.switches),
            instants: some(tapes.time_switches),
            left_out: Vec::new(),
        }
    }

    /// Whether there is anything.
    pub fn is_some(&self) -> bool {
        !self.contacts.is_empty()
            || !self.events.is_empty()
            || self.kinks.is_some()
            || self.instants.is_some()
    }

    /// Whether a contact slides in several directions.
    pub fn has_directions(&self) -> bool {
        self.contacts.iter().any(|(_, c)| c.slide.len() > 1)
    }

    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        let all =
            [&self.contact_terms, &self.event_functions, &self.action_values, &self.kinks, &self.instants];
        all.into_iter().flatten()
    }
}
