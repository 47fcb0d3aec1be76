//! No wrong answer in silence: what once came out wrong, or failed, without a word. One module for each subject, in
//! `trust/`.

mod support;

#[path = "trust/starts.rs"]
mod starts;

#[path = "trust/loads.rs"]
mod loads;
