//! No wrong answer in silence: what once came out wrong, or failed, without a word. One module for each subject, in
//! `trust/`.

mod support;

#[path = "trust/closed_loops.rs"]
mod closed_loops;
#[path = "trust/requirements.rs"]
mod requirements;
#[path = "trust/self_check.rs"]
mod self_check;
#[path = "trust/singular_mass.rs"]
mod singular_mass;
#[path = "trust/speeds.rs"]
mod speeds;
#[path = "trust/spelling.rs"]
mod spelling;
#[path = "trust/starts.rs"]
mod starts;

#[path = "trust/empty_contacts.rs"]
mod empty_contacts;

#[path = "trust/literals.rs"]
mod literals;

#[path = "trust/finite.rs"]
mod finite;

#[path = "trust/loads.rs"]
mod loads;

#[path = "trust/rest_events.rs"]
mod rest_events;

#[path = "trust/branches.rs"]
mod branches;

#[path = "trust/unit_starts.rs"]
mod unit_starts;

#[path = "trust/verdicts.rs"]
mod verdicts;

#[path = "trust/balances.rs"]
mod balances;

#[path = "trust/metamorphic.rs"]
mod metamorphic;
