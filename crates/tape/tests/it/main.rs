//! The integration tests of this crate, a module for each subject, in one binary that is linked once.

mod native;
mod refused;
mod wasm;
