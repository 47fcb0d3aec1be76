//! The integration tests of this crate, in one binary: linking is most of the cost of a test binary.

mod laws;
mod names;
