//! No wrong answer in silence: what once came out wrong, or failed, without a word. One module for each subject, in
//! `trust/`.

mod balances;
mod branches;
mod closed_loops;
mod empty_contacts;
mod finite;
mod literals;
mod loads;
mod metamorphic;
mod requirements;
mod rest_events;
mod self_check;
mod singular_mass;
mod speeds;
mod spelling;
mod starts;
mod unit_starts;
mod verdicts;
