//! The integration tests of this crate, a module for each subject, in one binary that is linked once.

#![allow(non_snake_case, reason = "letters of the equations")]

mod control;
mod eigen;
mod ensemble;
mod friction;
mod judge;
mod kernels;
mod laws;
mod linalg;
mod motion;
mod projection;
mod shrinking;
mod singular;
mod sparse;
mod start;
mod support;
mod time_switches;
mod variational;
