//! What people look at: plots, animations, report pages, and results as JSON documents and table files.
//!
//! Everything here writes into what it is given or returns it; files are the business of the faces. Numbers are
//! written with the fewest digits that read back exactly. Nothing is computed here beyond what a picture needs.
//!
//! ```
//! use dalembert::Table;
//! let table = Table { columns: vec!["t".into(), "x'".into()], values: vec![0.0, 1.0, 0.5, f64::NAN] };
//! let mut out = Vec::new();
//! dalembert_view::csv(&table, &mut out).unwrap();
//! assert_eq!(out, b"t,x'\n0,1\n0.5,NaN\n");
//! ```
#![allow(non_snake_case)]

pub mod animation;
mod arrow_schema;
pub mod documents;
mod html;
mod live;
mod markup;
mod parquet;
mod player;
mod plot;
pub mod report_page;
pub mod scene;
mod tables;

pub use animation::Animation;
pub use dalembert::number::number;
pub use html::html;
pub use live::live_page;
pub use parquet::{ParquetWriter, parquet};
pub use player::animation_page;
pub use plot::{Drawing, FRAME_RATE, Field, Frames, Panel, Plot, strobe};
pub use tables::{csv, csv_with_units, field, json};
