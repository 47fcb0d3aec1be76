//! No wrong answer in silence: what once came out wrong, or failed, without a word. One module for each subject, in
//! `trust/`.

mod support;

#[path = "trust/starts.rs"]
mod starts;

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
