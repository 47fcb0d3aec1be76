//! The integration tests of this crate, a module for each subject, in one binary that is linked once.

mod animate;
mod canonical;
mod commands;
mod export;
mod export_motion;
mod import;
mod linear;
mod live;
mod lsp;
mod papers;
mod plots;
mod report;
mod runs;
mod safety;
mod studio;
mod support;
mod sweep;
mod sweep_shards;
mod variational;
mod verify;
