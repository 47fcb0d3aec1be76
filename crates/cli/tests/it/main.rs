//! The integration tests of this crate, in one binary: linking is most of the cost of a test binary.

mod animate;
mod commands;
mod export;
mod linear;
mod lsp;
mod report;
mod runs;
mod safety;
mod studio;
mod support;
mod sweep;
mod variational;
mod verify;
