//! Analytical mechanics: from a model on paper to its equations, its motion and every force in it.
#![allow(non_snake_case)]

pub mod compile;
pub mod derive;
pub mod diagnostic;
pub mod elaborate;
pub mod equations;
pub mod export;
mod failure;
pub mod kernel_form;
pub mod kinds;
pub mod model;
pub mod requests;
pub mod simulate;
pub mod source;
pub mod syntax;
pub mod system;
pub mod units;

pub use dalembert_run as run;
pub use elaborate::Overrides;
pub use model::{Evaluation, Model};
pub use simulate::{Motion, Request, Table};
pub use source::Source;
