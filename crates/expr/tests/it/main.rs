//! The integration tests of this crate, a module for each subject, in one binary that is linked once.

mod laws;
mod names;
mod tidy;
