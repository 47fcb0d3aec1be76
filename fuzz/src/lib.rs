//! A mutating fuzzer that runs in process: model texts, command lines, blocks of sweeps, requests to the studio and
//! messages to the language server are changed at random, by tokens, lines, bytes and values, and given to the code that
//! reads them. Whatever is written, nothing may panic, overflow, hang or take all memory.
//!
//! Same seed, same cases in the same order. What is found is kept as a file in `cases/TARGET/`, and a test runs all of
//! them again (`tests/it/cases.rs`). Knows how to change texts and who reads them, and no mechanics.

pub mod corpus;
pub mod mutate;
mod random;
pub mod targets;
pub mod watch;

pub use random::{Choose, Rng, number_of};
