//! No wrong answer in silence: what once came out wrong, or failed, without a word. One module for each subject, in
//! `trust/`.

mod support;

#[path = "trust/singular_mass.rs"]
mod singular_mass;
#[path = "trust/speeds.rs"]
mod speeds;
#[path = "trust/spelling.rs"]
mod spelling;
#[path = "trust/starts.rs"]
mod starts;
